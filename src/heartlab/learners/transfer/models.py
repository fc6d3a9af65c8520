"""What is carried from game to game: values of features, per opponent, as a JSON file.

A model also holds what each opponent's moves were like, so that the opponent can be recognised when it is met again.
Models of several source games are pooled into one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from heartlab.compiled.hashing import find_slot
from heartlab.ggp.gdl.terms import GdlError
from heartlab.learners.transfer.kernels import UNKNOWN, Features
from heartlab.learners.transfer.lookahead import parse_shape, shape_word
from heartlab.learners.transfer.opponents import KINDS
from heartlab.learners.transfer.settings import FEATURE_DEPTH
from heartlab.util.errors import clipped
from heartlab.util.files import read_at_most, replacing

FILE_LIMIT = 256 << 20
"""Bytes of a file."""
FORMAT = "heartlab-ggp-features/2"
FAINT = 0.02
"""The least weight of a kind of move in a profile: no move is impossible."""
ENOUGH = 5.0
"""How often a uniform choice must have fallen on a kind of move before a profile says anything about it."""


def no_features() -> Features:
    """The features of a learner without a model."""
    return _for_kernels({}, np.ones((1, KINDS)))


def _for_kernels(values: Mapping[str, Sequence[float]], profiles: npt.NDArray[np.float64]) -> Features:
    """Values of shapes, one per opponent, as arrays."""
    size = 1 << max(4, (4 * len(values)).bit_length())
    opponents = len(profiles)
    features = Features(
        keys=np.zeros(size, np.uint64),
        values=np.full((size, opponents), UNKNOWN, np.float32),
        profiles=profiles,
        belief=np.full(opponents, 1.0 / opponents),
        evidence=np.zeros(opponents),
        habits=profiles.mean(axis=0),
    )
    for shape, row in values.items():
        word = shape_word(parse_shape(shape))
        slot = find_slot(features.keys, word)
        features.keys[slot] = word
        features.values[slot] = row
    return features


class FeatureModel(Struct, forbid_unknown_fields=True, dict=True):
    """Values of shapes, learned in some games against some opponents.

    >>> import tempfile
    >>> values = {"{N{N,W},L}": [40.0, 25.0]}
    >>> model = FeatureModel(["nim"], matches=100, runs=1, seed=0, features={"random": values})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(Path(folder) / "nim.json")
    ...     again = FeatureModel.load(Path(folder) / "nim.json")
    >>> again == model, again.size
    (True, 1)
    """

    games: list[str]
    matches: int
    runs: int
    seed: int
    depth: int = FEATURE_DEPTH
    """Plies of look-ahead in the shapes; part of the file format."""
    recall: bool = False
    features: dict[str, dict[str, list[float]]] = {}
    """By opponent and shape: the value, and how many visits it rests on."""
    profiles: dict[str, list[float | None]] = {}
    """By opponent: the weights of moves that win, lose, draw or go on, 1 being that of a random player; None where it
    never had the choice."""

    @cached_property
    def _prepared(self) -> dict[str, Features]:
        """Features as arrays, by opponent; made when they are asked for."""
        return {}

    def features_against(self, opponent: str | None) -> Features:
        """What is known against an opponent, or against all for a learner that has to find out.

        Raises:
            GdlError: nothing was learned against this opponent.
        """
        if not self.features or (opponent is not None and opponent not in self.features):
            raise GdlError(f"the model knows {', '.join(self.features) or 'nobody'}, but not the opponent {opponent}")
        key = opponent or ""
        if key not in self._prepared:
            self._prepared[key] = self._prepare(list(self.features) if opponent is None else [opponent])
        found = self._prepared[key]
        count = len(found.belief)
        return found._replace(
            belief=np.full(count, 1.0 / count), evidence=np.zeros(count), habits=found.profiles.mean(axis=0)
        )

    def _prepare(self, chosen: list[str]) -> Features:
        shapes = {shape for name in chosen for shape in self.features[name]}
        rows = {shape: [self.features[name].get(shape, [UNKNOWN])[0] for name in chosen] for shape in sorted(shapes)}
        profiles = [[weight or 1.0 for weight in self.profiles.get(name, [None] * KINDS)] for name in chosen]
        return _for_kernels(rows, np.array(profiles, np.float64))

    @property
    def size(self) -> int:
        """How many different shapes there are."""
        return len({shape for values in self.features.values() for shape in values})

    def save(self, path: Path) -> None:
        """Write the model as JSON, all of it or nothing."""
        with replacing(path) as file:
            file.write((json.dumps({"format": FORMAT, **msgspec.structs.asdict(self)}, indent=1) + "\n").encode())

    @staticmethod
    def load(path: Path) -> FeatureModel:
        """Read a model.

        Raises:
            GdlError: the file is not a model, or is damaged.
        """
        try:
            text = read_at_most(path, FILE_LIMIT)
            if text is None:
                raise GdlError(f"{path}: too long for a model; at most {FILE_LIMIT >> 20} MB are read")
            found = msgspec.json.decode(text)
            if not isinstance(found, dict) or found.pop("format", None) != FORMAT:
                raise GdlError(f"{path}: not a model of features ({FORMAT})")
            model = msgspec.convert(found, FeatureModel)
            model.check(str(path))
        except OSError as error:
            raise GdlError(f"{path}: {error.strerror}") from None
        except GdlError:
            raise
        except (ValueError, msgspec.MsgspecError, RecursionError) as error:
            raise GdlError(f"{path}: the model is damaged: {clipped(error, 120)}") from None
        return model

    def check(self, name: str) -> None:
        """See that the values of a model that was read are in range.

        Raises:
            GdlError: one is not.
        """
        if self.depth != FEATURE_DEPTH:
            raise GdlError(f"{name}: its features look {self.depth} plies ahead; only {FEATURE_DEPTH} are supported")
        for opponent, values in self.features.items():
            for shape, value in values.items():
                parse_shape(shape)
                if len(value) != 2 or not 0 <= float(value[0]) <= 100:
                    raise GdlError(f"{name}: a value against {opponent} should lie between 0 and 100")
        for opponent, profile in self.profiles.items():
            if len(profile) != KINDS or not all(one is None or 0 < float(one) < 1e6 for one in profile):
                raise GdlError(f"{name}: the profile of {opponent} should be {KINDS} numbers above zero")


def check_writable(path: Path) -> None:
    """See that a file can be written, before any work is done for it.

    Raises:
        GdlError: there is not a folder for it.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise GdlError(f"{path}: cannot be written: " + ("it is a folder" if path.is_dir() else "no such folder"))


def profile_of(counts: npt.NDArray[np.float64]) -> list[float | None]:
    """The weight of each kind of move, from what an opponent chose and what a uniform choice would have been."""
    chosen, expected = counts
    weights = (chosen + 0.5) / (expected + 0.5)
    return [
        round(float(max(FAINT, weight)), 4) if many >= ENOUGH else None
        for weight, many in zip(weights, expected, strict=True)
    ]


def pool(models: Sequence[FeatureModel]) -> FeatureModel:
    """One model from those of several source games.

    Every game has one vote: a shape's value is the mean over the games that know it, not over visits, so that a game
    with many positions does not outweigh the others.

    Raises:
        GdlError: some models were learned with recall and others without, or there are none.
    """
    if not models:
        raise GdlError("there are no models to pool")
    if len({model.recall for model in models}) > 1:
        raise GdlError("models learned with recall and without cannot be pooled")
    first = models[0]
    games = list(dict.fromkeys(game for model in models for game in model.games))
    pooled = FeatureModel(games, first.matches, first.runs, first.seed, recall=first.recall)
    for opponent in dict.fromkeys(name for model in models for name in model.features):
        rows: dict[str, list[list[float]]] = {}
        for model in models:
            for shape, row in model.features.get(opponent, {}).items():
                rows.setdefault(shape, []).append(row)
        pooled.features[opponent] = {
            shape: [float(np.mean([row[0] for row in found])), float(sum(row[1] for row in found))]
            for shape, found in sorted(rows.items())
        }
        columns = zip(*(model.profiles[opponent] for model in models if opponent in model.profiles), strict=True)
        known = [[weight for weight in column if weight is not None] for column in columns]
        pooled.profiles[opponent] = [float(np.mean(weights)) if weights else None for weights in known]
    return pooled
