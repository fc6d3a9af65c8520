"""FALCON: games per second of learning agents, and fusion ART beside artlib on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from heartlab.bench import BenchResult, Work, benchmark, measure, measure_beside, measure_games
from heartlab.deal import Deal
from heartlab.kernel.layout import compile_rules
from heartlab.learners.falcon.actions import COUNT as ACTIONS
from heartlab.learners.falcon.actions import applicable
from heartlab.learners.falcon.agent import FalconAgent
from heartlab.learners.falcon.art import Field, FusionArt
from heartlab.learners.falcon.boxes import seedling
from heartlab.learners.falcon.experience import gather
from heartlab.learners.falcon.percepts import COUNT as PERCEPTS
from heartlab.learners.falcon.percepts import paper_percepts, unplayed_elsewhere
from heartlab.learners.falcon.settings import FalconSettings
from heartlab.rules import Rules

FALCON = Rules.parse("falcon")
PORTION = 10_000
"""Games per call."""
PATTERNS, FRESH = 3000, 200
"""Patterns learned before the measurement, and patterns learned during it."""


def _training(groups: str) -> Work:
    """The paper's agent learning from three gnome, with networks for groups of tricks."""
    agent = FalconAgent(FalconSettings(groups=groups), FALCON)

    def work(count: int) -> None:
        for first in range(0, count, PORTION):
            agent.play(["gnome"] * 3, 1, "bench", first, min(PORTION, count - first), learning=True)

    work(100)
    return work


def _playouts() -> Work:
    """Paired playouts, from which a network grows."""

    def work(count: int) -> None:
        gather(seedling(), FALCON, "gnome", 1, "bench", max(count, 100))

    work(100)
    return work


def falcon_patterns(count: int) -> list[npt.NDArray[np.float64]]:
    """What FALCON learns in random play: percepts, an applicable action, and feedback, complement coded."""
    dice = np.random.default_rng(1)
    cards = np.full(ACTIONS, -1, np.int64)
    percepts, actions = np.zeros((count, PERCEPTS)), np.zeros((count, ACTIONS))
    deal, number, row = Deal(FALCON, 1, 0), 0, 0
    while row < count:
        if not deal.legal:
            number += 1
            deal = Deal(FALCON, 1, number)
        obs = deal.observe(deal.to_move or 0).records[0]
        others = unplayed_elsewhere(compile_rules(FALCON)[0], obs, obs["hand"])
        code = int(paper_percepts(obs["hand"], others, obs["trick"]))
        rng = np.array([obs["random"]], np.uint64)
        first, end = applicable(obs["legal"], obs["led"], int(obs["best"]), False, rng, cards)
        percepts[row] = [code >> place & 1 for place in range(PERCEPTS)]
        actions[row, dice.choice([i for i in range(first, end) if cards[i] >= 0])] = 1.0
        deal.play(int(dice.choice(sorted(deal.legal))))
        row += 1
    rewards = np.ones((count, 1))
    return [np.concatenate([part, 1.0 - part], axis=1) for part in (percepts, actions, rewards)]


@benchmark("falcon.training")
def bench_training(seconds: float) -> Iterator[BenchResult]:
    """The paper's agent, with one network per role and with one per role and group of tricks."""
    for groups, networks in (("13", "two networks"), ("1+2+2+3+2+2+1", "fourteen networks")):
        yield measure_games("falcon.training", _training(groups), seconds / 2, f"{networks}, three gnome", 1000)


@benchmark("falcon.experience")
def bench_experience(seconds: float) -> Iterator[BenchResult]:
    """Paired playouts for growing a network."""
    yield measure_games("falcon.experience", _playouts(), seconds, "playouts for growth, three gnome", 1000)


@benchmark("falcon.art")
def bench_art(seconds: float) -> Iterator[BenchResult]:
    """Fusion ART and artlib learn the same patterns in the same order, from the same categories."""
    parts = falcon_patterns(PATTERNS + FRESH)
    joined = np.concatenate(parts, axis=1)
    fields = [
        Field(PERCEPTS, choice=1.0, vigilance=1.0, complement=True),
        Field(ACTIONS, choice=0.0, rate=0.01, complement=True),
        Field(1, choice=0.0, rate=0.001, vigilance=0.5, complement=True),
    ]
    network = FusionArt(fields, track=True)
    network.learn_patterns(joined[:PATTERNS])

    def ours(count: int) -> None:
        for _ in range(0, count, FRESH):
            network.learn_patterns(joined[PATTERNS:])

    what = f"patterns of random play learned by a FALCON with {network.count} categories"
    try:
        import artlib
    except ImportError:
        yield measure("falcon.art", "patterns/s", ours, seconds, f"{what}; artlib is not installed")
        return
    state, action, reward = (artlib.FuzzyART(field.vigilance, field.alpha, field.rate) for field in fields)
    peer = artlib.FALCON(state, action, reward, [field.choice for field in fields], [field.width for field in fields])
    peer.partial_fit(*(part[:1] for part in parts))
    edges = network.edges
    for row in np.ascontiguousarray(network.weights[1:]):
        peer.fusion_art.add_weight([row[edges[i] : edges[i + 1]].copy() for i in range(len(fields))])

    def theirs(count: int) -> None:
        for done in range(0, count, FRESH):
            peer.partial_fit(*(part[PATTERNS : PATTERNS + min(FRESH, count - done)] for part in parts))

    ours(FRESH)
    theirs(1)
    yield measure_beside("falcon.art", "patterns/s", ours, "artlib", theirs, seconds, what)
