"""The environments beside OpenSpiel's Hearts stepped from Python, in decisions per second.

A decision is one action of one seat: a card passed or played. Both sides choose at random. OpenSpiel is stepped in two
ways: bare, as in its examples, and with tensors, as a learner needs it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from heartlab.bench import NO_OPENSPIEL, BenchResult, Work, benchmark, measure, measure_beside
from heartlab.bench.engine import step_openspiel
from heartlab.envs.vector import VectorHearts

ROWS = 1024


def _vector(encoding: str) -> Work:
    """Steps of the vectorised environment."""
    env = VectorHearts("openspiel", ROWS, seed=1, encoding=encoding)

    def work(count: int) -> None:
        for _ in range(0, count, ROWS):
            env.step(env.random_actions())

    work(1)
    return work


def _openspiel(*, observed: bool) -> Work:
    """Decisions in OpenSpiel's Hearts; `observed`: with information state and mask as arrays."""
    import pyspiel

    game = pyspiel.load_game("hearts")
    dice = random.Random(1)

    def look(state: Any) -> None:
        if observed:
            np.asarray(state.information_state_tensor(), np.float32)
            np.asarray(state.legal_actions_mask(), np.int8)

    def work(count: int) -> None:
        done = 0
        while done < count:
            done += step_openspiel(game, dice, look)

    return work


def _pettingzoo() -> Work:
    """Steps of the PettingZoo environment."""
    from heartlab.envs.pettingzoo import raw_env

    env = raw_env("openspiel")
    dice = np.random.default_rng(1)

    def work(count: int) -> None:
        done = 0
        while done < count:
            env.reset()
            for agent in env.agent_iter():
                mask = env.observe(agent)["action_mask"]
                over = env.terminations[agent]
                env.step(None if over else dice.choice(np.flatnonzero(mask)))
                done += not over

    work(1)
    return work


@benchmark("envs.vector")
def bench_vector(seconds: float) -> Iterator[BenchResult]:
    """The vectorised environment beside OpenSpiel from Python."""
    for encoding, observed, peer in (
        ("numbers", True, "openspiel-python, with tensors"),
        ("bits", True, "openspiel-python, with tensors"),
        ("numbers", False, "openspiel-python, bare"),
        ("bits", False, "openspiel-python, bare"),
    ):
        ours = _vector(encoding)
        note = f"observations as {encoding}, {ROWS} rows"
        try:
            theirs = _openspiel(observed=observed)
        except ImportError:
            yield measure("envs.vector", "steps/s", ours, seconds, f"{note}; {NO_OPENSPIEL}")
            continue
        yield measure_beside("envs.vector", "steps/s", ours, peer, theirs, seconds, note)


@benchmark("envs.pettingzoo")
def bench_pettingzoo(seconds: float) -> Iterator[BenchResult]:
    """The PettingZoo environment, observations and masks included."""
    try:
        ours = _pettingzoo()
    except ImportError:
        return
    yield measure("envs.pettingzoo", "steps/s", ours, seconds, "one deal at a time")
