"""Features from a source game: play it against each opponent, and value the shapes of its afterstates.

The value of a shape is the mean of the learned values of all visited afterstates that have it, weighted by visits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from heartlab.ggp.gdl.terms import GdlError
from heartlab.learners.transfer.kernels import shapes_of
from heartlab.learners.transfer.lookahead import NO_FEATURE, shape_text
from heartlab.learners.transfer.models import FeatureModel, profile_of
from heartlab.learners.transfer.opponents import KINDS
from heartlab.learners.transfer.settings import FEATURE_DEPTH, FIXED, STANDARD, Learner, Opponent, Reading, Settings
from heartlab.learners.transfer.trainer import TurnGame, learn

SOURCE = Settings(Learner.BASELINE, Reading.LITERAL)
"""How a source game is learned: by the paper's baseline learner."""

ShapeSums = dict[str, tuple[float, float]]
"""By shape: values times visits, summed, and visits."""


def shape_sums(game: TurnGame, settings: Settings) -> ShapeSums:
    """The sums of all features that the last run over a game visited."""
    words = np.zeros(int(game.memory.used[0]), np.uint64)
    while True:
        shapes_of(game.board, game.run(settings), words)
        if game.is_ok:
            break
        game.make_room()
    memory, found = game.memory, ShapeSums()
    known, entries = memory.values if settings.recall else None, memory.touched[: len(words)]
    order = np.argsort(words, kind="stable")
    starts = np.flatnonzero(np.r_[True, words[order][1:] != words[order][:-1]])
    for same in np.split(order, starts[1:]):
        if len(same) == 0 or words[same[0]] == NO_FEATURE:
            continue
        positions, roles = entries[same] >> 1, entries[same] & 1
        visits = memory.visits[positions, roles]
        value = float((memory.values[positions, roles] * visits).sum())
        shape = shape_text(game.board.graph, int(positions[0]), int(roles[0]), FEATURE_DEPTH, known)
        found.setdefault(shape, (value, float(visits.sum())))
    return found


def add_sums(sums: ShapeSums, more: ShapeSums) -> None:
    """Add sums to others."""
    for shape, (value, visits) in more.items():
        before = sums.get(shape, (0.0, 0.0))
        sums[shape] = (before[0] + value, before[1] + visits)


def means_of(sums: ShapeSums) -> dict[str, list[float]]:
    """The mean value and the visits of each shape that was visited."""
    return {shape: [value / visits, visits] for shape, (value, visits) in sorted(sums.items()) if visits}


def learn_features(
    game: TurnGame,
    opponents: Sequence[Opponent] = STANDARD,
    matches: int = 75,
    runs: int = 10,
    seed: int = 0,
    tell: Callable[[int], None] = lambda done: None,
    settings: Settings = SOURCE,
) -> FeatureModel:
    """Play a source game against each opponent and value the shapes of its afterstates.

    `tell` is called after each run with the number of finished runs.

    Raises:
        GdlError: an opponent does not stay the same.
    """
    model = FeatureModel([game.machine.name], matches, runs, seed, recall=settings.recall)
    for place, opponent in enumerate(opponents):
        if opponent not in FIXED:
            known = ", ".join(one.text for one in FIXED)
            raise GdlError(f"features are learned against {known}; {opponent.text} does not stay the same")
        against = settings._replace(opponent=opponent)
        total, counts = ShapeSums(), np.zeros((2, KINDS))
        for run in range(runs):
            counts += learn(game, against, matches, seed, run)[1]
            add_sums(total, shape_sums(game, against))
            tell(place * runs + run + 1)
        model.features[opponent.text] = means_of(total)
        model.profiles[opponent.text] = profile_of(counts)
    return model
