"""How fast the engine deals and plays, beside OpenSpiel's Hearts under the same rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from heartlab.bench import BenchResult, Work, benchmark, compare, rate
from heartlab.bench.threads import compare_threads
from heartlab.compiled.rng import seed_key
from heartlab.deal import Deal
from heartlab.kernel.layout import SEATS, STATE, compile_rules
from heartlab.kernel.table import random_deals, worlds_table
from heartlab.rules import Rules

CHUNK = 4096


def _random_deals(rules: str, threads: int) -> Work:
    """Deal, pass and play at random in compiled loops, spread over threads."""
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
    """OpenSpiel's own loop in C++, with its uniform random bots."""
    import pyspiel

    game = pyspiel.load_game("hearts")
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(4)]

    def work(count: int) -> None:
        for number in range(count):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, number)

    return work


def _openspiel_python() -> Work:
    """Stepping OpenSpiel's Hearts from Python, as its examples do."""
    import pyspiel

    game = pyspiel.load_game("hearts")
    dice = random.Random(1)

    def work(count: int) -> None:
        for _ in range(count):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes = [action for action, _ in state.chance_outcomes()]
                    state.apply_action(dice.choice(outcomes))
                else:
                    state.apply_action(dice.choice(state.legal_actions()))

    return work


@benchmark("engine.random-deals")
def bench_random_deals(seconds: float) -> Iterator[BenchResult]:
    """Random deals under `openspiel` rules, passing included, one thread."""
    ours = _random_deals("openspiel", 1)
    name, unit = "engine.random-deals", "deals/s"
    try:
        peers = [("openspiel-c++", _openspiel_cpp()), ("openspiel-python", _openspiel_python())]
    except ImportError:
        note = "no peer: pip install 'heartlab[envs]' brings OpenSpiel"
        yield BenchResult(name, unit, 1, rate(ours, seconds), note=note)
        return
    for peer, theirs in peers:
        our_rate, their_rate, ratio = compare(ours, theirs, seconds)
        yield BenchResult(name, unit, 1, our_rate, peer, their_rate, ratio)


@benchmark("engine.random-deals-threads")
def bench_threads(seconds: float) -> Iterator[BenchResult]:
    """Two threads beside one, same rules."""
    two, one = _random_deals("openspiel", 2), _random_deals("openspiel", 1)
    yield compare_threads("engine.random-deals-threads", "deals/s", two, one, seconds)


@benchmark("engine.random-deals-rules")
def bench_rules(seconds: float) -> Iterator[BenchResult]:
    """Random deals under other presets."""
    for rules in ("seed", "standard", "advice", "standard,players=6"):
        speed = rate(_random_deals(rules, 1), seconds / 4)
        yield BenchResult("engine.random-deals-rules", "deals/s", 1, speed, note=rules)


@benchmark("engine.worlds")
def bench_worlds(seconds: float) -> Iterator[BenchResult]:
    """Uniform worlds for one observation, in mid-deal and at the first card."""
    for cards in (1, 26):
        deal = Deal("seed", seed=5)
        dice = random.Random(5)
        while len(deal.history) < cards:
            deal.play(dice.choice(sorted(deal.legal)))
        obs = deal.observe(deal.to_move or 0)
        rng, compiled, states = np.array([1], np.uint64), compile_rules(deal.rules), np.zeros(64, STATE)

        def work(count: int, obs=obs, rng=rng, compiled=compiled, states=states) -> None:  # type: ignore[no-untyped-def]
            for _ in range(0, count, len(states)):
                worlds_table(compiled, obs.records, rng, states)

        work(1)
        note = f"after {cards} cards, 64 worlds a call"
        yield BenchResult("engine.worlds", "worlds/s", 1, rate(work, seconds / 2, 64), note=note)
