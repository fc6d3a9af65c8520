"""How fast environments step, beside OpenSpiel's Hearts stepped from Python, in decisions per second.

A decision is one action of one seat: a card passed or played. Both sides choose at random. OpenSpiel is stepped in two
ways: bare, as its examples do, and as a learner would, with the information state of the seat to move as an array.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from heartlab.bench import BenchResult, Work, benchmark, compare, rate
from heartlab.envs.vector import VectorHearts

ROWS = 1024


def _vector(encoding: str) -> Work:
    env = VectorHearts("openspiel", ROWS, seed=1, encoding=encoding)

    def work(count: int) -> None:
        for _ in range(0, count, ROWS):
            env.step(env.random_actions())

    work(1)
    return work


def _openspiel(*, observed: bool) -> Work:
    """Decisions in OpenSpiel's Hearts from Python."""
    import numpy as np
    import pyspiel

    game = pyspiel.load_game("hearts")
    dice = random.Random(1)

    def work(count: int) -> None:
        done = 0
        while done < count:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(dice.choice([action for action, _ in state.chance_outcomes()]))
                    continue
                if observed:
                    np.asarray(state.information_state_tensor(), np.float32)
                    np.asarray(state.legal_actions_mask(), np.int8)
                state.apply_action(dice.choice(state.legal_actions()))
                done += 1

    return work


def _pettingzoo() -> Work:
    import numpy as np

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
            missing = "no peer: pip install 'heartlab[envs]' brings OpenSpiel"
            yield BenchResult("envs.vector", "steps/s", 1, rate(ours, seconds), note=f"{note}; {missing}")
            continue
        our_rate, their_rate, ratio = compare(ours, theirs, seconds)
        yield BenchResult("envs.vector", "steps/s", 1, our_rate, peer, their_rate, ratio, note)


@benchmark("envs.pettingzoo")
def bench_pettingzoo(seconds: float) -> Iterator[BenchResult]:
    """The PettingZoo environment, observations and masks included."""
    try:
        ours = _pettingzoo()
    except ImportError:
        return
    yield BenchResult("envs.pettingzoo", "steps/s", 1, rate(ours, seconds), note="one deal at a time")
