"""The searches: simulations, nodes and worlds per second by depth and number, and with a second thread.

The positions are fixed deals under full rules. The peer of UCT is OpenSpiel's Monte-Carlo tree search in C++ with
random rollouts, from the same kind of position: first trick, all hands known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from heartlab.bench import NO_OPENSPIEL, BenchResult, Work, benchmark, measure, measure_beside
from heartlab.bench.threads import compare_threads
from heartlab.deal import Deal
from heartlab.players import Observations, OpenStates
from heartlab.players.search import SearchPlayer
from heartlab.search.options import SearchOptions

WORLDS = 16
SIMULATIONS = 500
BEST_KNOWN = 190_000
"""Reported UCT simulations per second of the best-known C++ program for Hearts, from the first trick."""


def _position(cards: int, seed: int = 7) -> Deal:
    """A deal under full rules, passing included, after some random cards, with at least four legal cards."""
    deal = Deal("standard", seed=seed)
    dice = random.Random(seed)
    for seat in deal.to_pass:
        deal.pass_cards(seat, dice.sample(sorted(deal.observe(seat).may_pass), deal.rules.pass_count))
    while len(deal.history) < cards or len(deal.legal) < 4:
        deal.play(dice.choice(sorted(deal.legal)))
    return deal


def _closed(deal: Deal) -> Observations:
    return Observations.of(deal.observe(deal.to_move or 0))


def _open(deal: Deal) -> OpenStates:
    closed = _closed(deal)
    return OpenStates(closed.rules, closed.compiled, closed.records, deal._states)


def _simulations(threads: int, cards: int = 1, worlds: int = WORLDS, **options: str) -> Work:
    """Simulations in sampled worlds, including the sampling."""
    batch = _closed(_position(cards))
    options = {"sims": str(SIMULATIONS), "threads": str(threads), "playout": "throw", "c": "1", **options}
    player = SearchPlayer("uct", options)

    def work(count: int) -> None:
        for _ in range(0, count, worlds * SIMULATIONS):
            player.search.search_worlds(batch, worlds)

    work(1)
    return work


def _openspiel_simulations() -> Work:
    """OpenSpiel's tree search in C++ from the first trick of its Hearts."""
    import pyspiel

    game = pyspiel.load_game("hearts")
    state = game.new_initial_state()
    dice = random.Random(7)
    while state.is_chance_node() or len(state.legal_actions()) < 4 or not _plays(state):
        outcomes = [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else None
        state.apply_action(dice.choice(outcomes or state.legal_actions()))
    judge = pyspiel.RandomRolloutEvaluator(1, 7)

    def work(count: int) -> None:
        bot = pyspiel.MCTSBot(game, judge, 1.0, count, 1000, False, 7, False)
        bot.mcts_search(state)

    return work


def _plays(state: object) -> bool:
    """Whether passing is over: from then on, OpenSpiel's text of the state contains the tricks."""
    return "Tricks:" in str(state)


@benchmark("search.uct-simulations")
def bench_uct(seconds: float) -> Iterator[BenchResult]:
    """UCT simulations beside OpenSpiel's at the first trick; then later in the deal and with other playouts."""
    name, unit, note = "search.uct-simulations", "sims/s", "first trick, playout=throw"
    ours = _simulations(1)
    try:
        found = measure_beside(name, unit, ours, "openspiel-c++ mcts", _openspiel_simulations(), seconds)
        best = f"{found.ours / BEST_KNOWN:.1f} times the {BEST_KNOWN:,} of the best-known program"
        yield replace(found, note=f"{note}; {best}")
    except ImportError:
        yield measure(name, unit, ours, seconds, f"{note}; {NO_OPENSPIEL}")
    for cards, playout in ((1, "random"), (1, "careful"), (1, "gnome"), (16, "throw"), (32, "throw")):
        work = _simulations(1, cards, playout=playout)
        yield measure(name, unit, work, seconds / 5, f"after {cards} cards, playout={playout}")


@benchmark("search.uct-threads")
def bench_uct_threads(seconds: float) -> Iterator[BenchResult]:
    """Two threads against one for the worlds of one choice: a quick choice and a slow one."""
    for worlds in (WORLDS, 10 * WORLDS):
        two, one = _simulations(2, worlds=worlds), _simulations(1, worlds=worlds)
        found = compare_threads("search.uct-threads", "sims/s", two, one, seconds)
        yield replace(found, note=f"{worlds * SIMULATIONS:,} simulations a choice; {found.note}")


def _worlds(worlds: int, cards: int = 1) -> Work:
    """Worlds sampled and searched to the end of the trick, as `iie` does for one choice."""
    batch, player = _closed(_position(cards)), SearchPlayer(SearchOptions())

    def work(count: int) -> None:
        for _ in range(0, count, worlds):
            player.search.search_worlds(batch, worlds)

    work(1)
    return work


def _nodes(tricks: int) -> tuple[Work, int]:
    """Nodes of max^n over `pie` in mid-deal with all hands known, and how many one choice has."""
    batch = _open(_position(28))
    player = SearchPlayer(SearchOptions(worlds=0, tricks=tricks))
    player.search.search_worlds(batch, 1)
    nodes = int(player.search.counters[0])

    def work(count: int) -> None:
        for _ in range(0, count, nodes):
            player.search.search_worlds(batch, 1)

    return work, nodes


@benchmark("search.worlds")
def bench_worlds(seconds: float) -> Iterator[BenchResult]:
    """Worlds per second of `iie`, by the number of worlds per choice."""
    for cards, worlds in ((1, 1), (1, 10), (1, 100), (1, 1000), (26, 100)):
        note = f"after {cards} cards, {worlds} worlds a choice"
        yield measure("search.worlds", "worlds/s", _worlds(worlds, cards), seconds / 5, note, worlds)


@benchmark("search.maxn-nodes")
def bench_nodes(seconds: float) -> Iterator[BenchResult]:
    """Nodes per second of max^n over `pie`, by depth."""
    for tricks in (1, 2, 3):
        work, nodes = _nodes(tricks)
        note = f"{tricks} tricks deep, {nodes:,} nodes a choice"
        yield measure("search.maxn-nodes", "nodes/s", work, seconds / 3, note, nodes)
