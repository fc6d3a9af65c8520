"""What is carried from game to game: values of shapes, per opponent, as a file (JSON: data, never code).

A model also says what each opponent's moves were like, so that the opponent can be recognised when it is met again.
Models of several source games are pooled into one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.players.uct import find_slot
from heartlab.learners.transfer.kernels import UNKNOWN, Features
from heartlab.learners.transfer.lookahead import MAX_DEPTH, parse_shape, shape_word
from heartlab.learners.transfer.opponents import KINDS

FORMAT = "heartlab-ggp-features/2"
FAINT = 0.02
"""The least weight of a kind of move in a profile: no move is impossible."""
ENOUGH = 5.0
"""How often a uniform choice must have fallen on a kind of move before a profile says anything about it."""


def no_features() -> Features:
    """What a learner without a model has."""
    return _table({}, 2, np.ones((1, KINDS)))


def _table(values: dict[str, list[float]], depth: int, profiles: Any) -> Features:
    """Values of shapes, one per opponent, for the kernels."""
    size = 1 << max(4, (4 * len(values)).bit_length())
    opponents = len(profiles)
    table = Features(
        np.zeros(size, np.uint64),
        np.full((size, opponents), UNKNOWN, np.float32),
        depth,
        np.array(profiles, np.float64),
        np.full(opponents, 1.0 / opponents),
        np.zeros(opponents),
        np.array(profiles, np.float64).mean(axis=0),
    )
    for shape, row in values.items():
        word = shape_word(parse_shape(shape))
        slot = find_slot(table.keys, word)
        table.keys[slot] = word
        table.values[slot] = row
    return table


@dataclass
class FeatureModel:
    """Values of shapes, learned in some games against some opponents."""

    games: list[str]
    matches: int
    runs: int
    seed: int
    depth: int = 2
    recall: bool = False
    features: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """By opponent and shape: the value, and how many visits it rests on."""
    profiles: dict[str, list[float | None]] = field(default_factory=dict)
    """By opponent: how much it likes moves that win, lose, draw or go on, 1 being the liking of a random player; None
    where it never had the choice."""
    _tables: dict[str, Features] = field(default_factory=dict, init=False, repr=False, compare=False)

    def features_against(self, opponent: str | None) -> Features:
        """What is known against an opponent, or against all for a learner that has to find out.

        Raises:
            GdlError: nothing was learned against this opponent.
        """
        if not self.features or (opponent is not None and opponent not in self.features):
            raise GdlError(f"the model knows {', '.join(self.features) or 'nobody'}, but not the opponent {opponent}")
        key = opponent or ""
        if key not in self._tables:
            self._tables[key] = self._table(list(self.features) if opponent is None else [opponent])
        table = self._tables[key]
        count = len(table.belief)
        return table._replace(
            belief=np.full(count, 1.0 / count), evidence=np.zeros(count), habits=table.profiles.mean(axis=0)
        )

    def _table(self, chosen: list[str]) -> Features:
        shapes = {shape for name in chosen for shape in self.features[name]}
        rows = {shape: [self.features[name].get(shape, [UNKNOWN])[0] for name in chosen] for shape in sorted(shapes)}
        profiles = [[like or 1.0 for like in self.profiles.get(name, [None] * KINDS)] for name in chosen]
        return _table(rows, self.depth, np.array(profiles))

    @property
    def size(self) -> int:
        """How many different shapes there are."""
        return len({shape for values in self.features.values() for shape in values})

    def save(self, path: Path) -> None:
        """Write the model as JSON, all of it or nothing."""
        fresh = path.with_name(path.name + ".new")
        kept = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        fresh.write_text(json.dumps({"format": FORMAT, **kept}, indent=1) + "\n", "utf-8")
        fresh.replace(path)

    @staticmethod
    def load(path: Path) -> FeatureModel:
        """Read a model.

        Raises:
            GdlError: the file is not one, or is damaged.
        """
        try:
            found = json.loads(path.read_text("utf-8"))
            if not isinstance(found, dict) or found.pop("format", None) != FORMAT:
                raise GdlError(f"{path}: this is no model of features ({FORMAT})")
            model = FeatureModel(**found)
            model.check(str(path))
        except OSError as error:
            raise GdlError(f"{path}: {error.strerror}") from None
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            if isinstance(error, GdlError):
                raise
            raise GdlError(f"{path}: the model is damaged: {error}") from None
        return model

    def check(self, name: str) -> None:
        """See that everything in a model that was read is what it should be.

        Raises:
            GdlError: something is not.
        """
        if not isinstance(self.depth, int) or not 2 <= self.depth <= MAX_DEPTH:
            raise GdlError(f"{name}: the depth of the shapes should be 2 to {MAX_DEPTH}, not {self.depth}")
        for opponent, values in self.features.items():
            for shape, value in values.items():
                parse_shape(shape)
                if len(value) != 2 or not 0 <= float(value[0]) <= 100:
                    raise GdlError(f"{name}: a value against {opponent} should lie between 0 and 100")
        for opponent, profile in self.profiles.items():
            if len(profile) != KINDS or not all(one is None or 0 < float(one) < 1e6 for one in profile):
                raise GdlError(f"{name}: the profile of {opponent} should be {KINDS} numbers above zero")


def profile_of(counts: Any) -> list[float | None]:
    """How much an opponent likes each kind of move, from what it chose and what a uniform choice would have been."""
    chosen, expected = counts
    likes = (chosen + 0.5) / (expected + 0.5)
    return [
        round(float(max(FAINT, like)), 4) if many >= ENOUGH else None
        for like, many in zip(likes, expected, strict=True)
    ]


def pool(models: Sequence[FeatureModel]) -> FeatureModel:
    """One model from those of several source games.

    Every game has one vote: a shape's value is the mean over the games that know it, not over visits, so that a game
    with many positions does not drown the others.

    Raises:
        GdlError: the models are of different depths or kinds, or there are none.
    """
    if not models:
        raise GdlError("there are no models to pool")
    kinds = {(model.depth, model.recall) for model in models}
    if len(kinds) > 1:
        raise GdlError("models with shapes of different depths or kinds cannot be pooled")
    first = models[0]
    games = list(dict.fromkeys(game for model in models for game in model.games))
    pooled = FeatureModel(games, first.matches, first.runs, first.seed, first.depth, first.recall)
    for opponent in dict.fromkeys(name for model in models for name in model.features):
        rows: dict[str, list[list[float]]] = {}
        for model in models:
            for shape, row in model.features.get(opponent, {}).items():
                rows.setdefault(shape, []).append(row)
        pooled.features[opponent] = {
            shape: [float(np.mean([row[0] for row in found])), float(sum(row[1] for row in found))]
            for shape, found in sorted(rows.items())
        }
        likes = zip(*(model.profiles[opponent] for model in models if opponent in model.profiles), strict=True)
        told = [[one for one in column if one is not None] for column in likes]
        pooled.profiles[opponent] = [float(np.mean(column)) if column else None for column in told]
    return pooled
