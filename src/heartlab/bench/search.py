"""How fast the searches are: simulations, nodes and worlds per second, how they grow, and what a second thread brings.

The positions are fixed deals under full rules. The peer of UCT is OpenSpiel's Monte-Carlo tree search in C++ with
random rollouts, from the same kind of position: first trick, all hands known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from heartlab.bench import BenchResult, Work, benchmark, compare, rate
from heartlab.bench.threads import compare_threads
from heartlab.deal import Deal
from heartlab.players import Observations, OpenStates
from heartlab.players.search import SearchPlayer
from heartlab.search.options import SearchOptions

WORLDS = 16
SIMULATIONS = 500
BEST_KNOWN = 190_000
"""UCT simulations per second, from the first trick, that the best-known C++ program for Hearts is said to do."""


def _position(cards: int, seed: int = 7) -> Deal:
    """A deal under full rules, passing included, after so many random cards, with a real choice."""
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


def _simulations(threads: int, cards: int = 1, kind: str = "uct", worlds: int = WORLDS, **options: str) -> Work:
    """Simulations in sampled worlds, the drawing of the worlds included."""
    batch = _closed(_position(cards))
    options = {"sims": str(SIMULATIONS), "threads": str(threads), "playout": "throw", "c": "1", **options}
    player = SearchPlayer(kind, options)

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
    """Whether passing is over: OpenSpiel writes the cards of the first trick into the state's text then."""
    return "Tricks:" in str(state)


@benchmark("search.uct-simulations")
def bench_uct(seconds: float) -> Iterator[BenchResult]:
    """UCT simulations per second, beside OpenSpiel's, at the first trick; then later, and with other playouts."""
    name, unit = "search.uct-simulations", "sims/s"
    ours = _simulations(1)
    try:
        speed, theirs, ratio = compare(ours, _openspiel_simulations(), seconds)
        note = (
            f"first trick, playout=throw; {speed / BEST_KNOWN:.1f} times the {BEST_KNOWN:,} of the best-known program"
        )
        yield BenchResult(name, unit, 1, speed, "openspiel-c++ mcts", theirs, ratio, note)
    except ImportError:
        note = "first trick, playout=throw; no peer: pip install 'heartlab[envs]' brings OpenSpiel"
        yield BenchResult(name, unit, 1, rate(ours, seconds), note=note)
    for cards, playout in ((1, "random"), (1, "careful"), (1, "gnome"), (16, "throw"), (32, "throw")):
        speed = rate(_simulations(1, cards, playout=playout), seconds / 5)
        yield BenchResult(name, unit, 1, speed, note=f"after {cards} cards, playout={playout}")


@benchmark("search.uct-threads")
def bench_uct_threads(seconds: float) -> Iterator[BenchResult]:
    """Two threads beside one: the worlds of one choice spread over them, of a quick choice and a slow one."""
    for worlds in (WORLDS, 10 * WORLDS):
        two, one = _simulations(2, worlds=worlds), _simulations(1, worlds=worlds)
        found = compare_threads("search.uct-threads", "sims/s", two, one, seconds)
        yield replace(found, note=f"{worlds * SIMULATIONS:,} simulations a choice; {found.note}")


def _worlds(worlds: int, cards: int = 1) -> Work:
    """Worlds drawn and searched to the end of the trick, as `iie` does for one choice."""
    batch, player = _closed(_position(cards)), SearchPlayer(SearchOptions())

    def work(count: int) -> None:
        for _ in range(0, count, worlds):
            player.search.search_worlds(batch, worlds)

    work(1)
    return work


@benchmark("search.worlds")
def bench_worlds(seconds: float) -> Iterator[BenchResult]:
    """Worlds per second of `iie`, growing in number: the cost of a choice is proportional to its worlds."""
    for cards, worlds in ((1, 1), (1, 10), (1, 100), (1, 1000), (26, 100)):
        speed = rate(_worlds(worlds, cards), seconds / 5, worlds)
        yield BenchResult("search.worlds", "worlds/s", 1, speed, note=f"after {cards} cards, {worlds} worlds a choice")


@benchmark("search.maxn-nodes")
def bench_nodes(seconds: float) -> Iterator[BenchResult]:
    """Nodes per second of max^n over `pie`, growing in depth, in mid-deal with all hands known."""
    for tricks in (1, 2, 3):
        batch = _open(_position(28))
        player = SearchPlayer(SearchOptions(worlds=0, tricks=tricks))
        player.search.search_worlds(batch, 1)
        nodes = int(player.search.counters[0])

        def work(count: int, batch: OpenStates = batch, player: SearchPlayer = player, nodes: int = nodes) -> None:
            for _ in range(0, count, nodes):
                player.search.search_worlds(batch, 1)

        speed = rate(work, seconds / 3, nodes)
        note = f"{tricks} tricks deep, {nodes:,} nodes a choice"
        yield BenchResult("search.maxn-nodes", "nodes/s", 1, speed, note=note)
