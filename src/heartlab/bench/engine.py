"""The engine: random deals beside OpenSpiel's Hearts under the same rules, and sampled worlds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from heartlab.bench import NO_OPENSPIEL, BenchResult, Work, benchmark, measure, measure_beside
from heartlab.bench.threads import compare_threads
from heartlab.compiled.rng import seed_key
from heartlab.deal import Deal
from heartlab.kernel.layout import SEATS, STATE, compile_rules
from heartlab.kernel.table import random_deals, worlds_table
from heartlab.rules import Rules

CHUNK = 4096
"""Deals per call."""
WORLDS = 64
"""Worlds per call."""


def _random_deals(rules: str, threads: int) -> Work:
    """Deals, passes and cards at random in compiled loops."""
    compiled, key = compile_rules(Rules.parse(rules)), seed_key(1, "bench")
    pool = ThreadPoolExecutor(threads)

    def chunk(first: int, count: int) -> None:
        random_deals(compiled, key, first, np.zeros(1, STATE), np.zeros((count, SEATS), np.int32))

    def work(count: int) -> None:
        starts = range(0, count, CHUNK)
        if threads == 1:
            for first in starts:
                chunk(first, min(CHUNK, count - first))
        else:
            list(pool.map(lambda first: chunk(first, min(CHUNK, count - first)), starts))

    work(16)
    return work


def _openspiel_cpp() -> Work:
    """OpenSpiel's own C++ loop with its uniform random bots."""
    import pyspiel

    game = pyspiel.load_game("hearts")
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(4)]

    def work(count: int) -> None:
        for number in range(count):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, number)

    return work


def step_openspiel(game: Any, dice: random.Random, look: Callable[[Any], None] = lambda state: None) -> int:
    """One random deal of OpenSpiel's Hearts, stepped from Python; `look` is called before every decision.

    :returns: the number of decisions.
    """
    state, decisions = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(dice.choice([action for action, _ in state.chance_outcomes()]))
        else:
            look(state)
            state.apply_action(dice.choice(state.legal_actions()))
            decisions += 1
    return decisions


def _openspiel_python() -> Work:
    """OpenSpiel's Hearts stepped from Python, as in its examples."""
    import pyspiel

    game = pyspiel.load_game("hearts")
    dice = random.Random(1)

    def work(count: int) -> None:
        for _ in range(count):
            step_openspiel(game, dice)

    return work


def _sampled_worlds(cards: int) -> Work:
    """Worlds that fit one observation, after some random cards."""
    deal, dice = Deal("seed", seed=5), random.Random(5)
    while len(deal.history) < cards:
        deal.play(dice.choice(sorted(deal.legal)))
    records = deal.observe(deal.to_move or 0).records
    rng, compiled, states = np.array([1], np.uint64), compile_rules(deal.rules), np.zeros(WORLDS, STATE)

    def work(count: int) -> None:
        for _ in range(0, count, WORLDS):
            worlds_table(compiled, records, rng, states)

    work(1)
    return work


@benchmark("engine.random-deals")
def bench_random_deals(seconds: float) -> Iterator[BenchResult]:
    """Random deals under `openspiel` rules, passing included, one thread."""
    ours = _random_deals("openspiel", 1)
    try:
        peers = [("openspiel-c++", _openspiel_cpp()), ("openspiel-python", _openspiel_python())]
    except ImportError:
        yield measure("engine.random-deals", "deals/s", ours, seconds, NO_OPENSPIEL)
        return
    for peer, theirs in peers:
        yield measure_beside("engine.random-deals", "deals/s", ours, peer, theirs, seconds)


@benchmark("engine.random-deals-threads")
def bench_threads(seconds: float) -> Iterator[BenchResult]:
    """Two threads beside one, same rules."""
    two, one = _random_deals("openspiel", 2), _random_deals("openspiel", 1)
    yield compare_threads("engine.random-deals-threads", "deals/s", two, one, seconds)


@benchmark("engine.random-deals-rules")
def bench_rules(seconds: float) -> Iterator[BenchResult]:
    """Random deals under other presets."""
    for rules in ("seed", "standard", "advice", "standard,players=6"):
        yield measure("engine.random-deals-rules", "deals/s", _random_deals(rules, 1), seconds / 4, rules)


@benchmark("engine.worlds")
def bench_worlds(seconds: float) -> Iterator[BenchResult]:
    """Uniform worlds for one observation, after the first card and in mid-deal."""
    for cards in (1, 26):
        note = f"after {cards} cards, {WORLDS} worlds a call"
        yield measure("engine.worlds", "worlds/s", _sampled_worlds(cards), seconds / 2, note, WORLDS)
