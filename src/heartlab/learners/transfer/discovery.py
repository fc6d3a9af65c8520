"""Features from a source game: play it against each kind of opponent, and value the shapes of its afterstates.

A shape is worth the mean of the learned values of all visited afterstates that have it, weighted by visits. Less deep
shapes are valued along with deep ones: a learner that meets an unknown deep shape falls back on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from heartlab.ggp.gdl.terms import GdlError
from heartlab.learners.transfer.kernels import Settings, shapes_of
from heartlab.learners.transfer.lookahead import NO_FEATURE, shape_text
from heartlab.learners.transfer.models import FeatureModel, profile_of
from heartlab.learners.transfer.opponents import FIXED, KINDS
from heartlab.learners.transfer.positions import WORKING
from heartlab.learners.transfer.trainer import TurnGame, learn, make_settings

STANDARD = ("eps-greedy", "random", "weak")
"""The opponents of the paper."""


def shape_sums(game: TurnGame, settings: Settings) -> dict[str, tuple[float, float]]:
    """Of the last run over a game: for each shape of each depth its values times visits, summed up, and its visits."""
    words = np.zeros(int(game.memory.used[0]), np.uint64)
    found: dict[str, tuple[float, float]] = {}
    for depth in range(settings.depth, 1, -1):
        while True:
            shapes_of(*game.board, settings._replace(depth=depth), game.memory, game.stack, words)
            if game.board.graph.used[2] == WORKING:
                break
            game.make_room()
        memory = game.memory
        known, entries = memory.values if settings.recall else None, memory.touched[: len(words)]
        order = np.argsort(words, kind="stable")
        starts = np.flatnonzero(np.r_[True, words[order][1:] != words[order][:-1]])
        for same in np.split(order, starts[1:]):
            if len(same) == 0 or words[same[0]] == NO_FEATURE:
                continue
            positions, roles = entries[same] >> 1, entries[same] & 1
            visits = memory.visits[positions, roles]
            value = float((memory.values[positions, roles] * visits).sum())
            shape = shape_text(game.board.graph, int(positions[0]), int(roles[0]), depth, known)
            found.setdefault(shape, (value, float(visits.sum())))
    return found


def learn_features(
    game: TurnGame,
    opponents: Sequence[str] = STANDARD,
    matches: int = 75,
    runs: int = 10,
    seed: int = 0,
    tell: Callable[[int], None] = lambda done: None,
    **names: Any,
) -> FeatureModel:
    """Play a source game against each opponent and value the shapes of its afterstates.

    `tell` is told after each run how many are done.

    Raises:
        GdlError: an opponent is not known or does not stay the same.
    """
    names = {"learner": "baseline", "reading": "literal", **names}
    depth, recall = names.get("depth", 2), bool(names.get("recall", 0))
    model = FeatureModel([game.machine.name], matches, runs, seed, depth, recall)
    for place, opponent in enumerate(opponents):
        settings = make_settings(opponent=opponent, **names)
        if opponent not in FIXED:
            raise GdlError(f"features are learned against {', '.join(FIXED)}; {opponent} does not stay the same")
        total: dict[str, tuple[float, float]] = {}
        counts = np.zeros((2, KINDS))
        for run in range(runs):
            counts += learn(game, settings, matches, seed, run)[1]
            for shape, (value, visits) in shape_sums(game, settings).items():
                before = total.get(shape, (0.0, 0.0))
                total[shape] = (before[0] + value, before[1] + visits)
            tell(place * runs + run + 1)
        model.features[opponent] = {shape: [value / visits, visits] for shape, (value, visits) in sorted(total.items())}
        model.profiles[opponent] = profile_of(counts)
    return model
