"""Learning as a user meets it: a game, an opponent, a learner; curves of rewards, and features to carry on.

`learn` plays one run. `learn_features` plays the runs of a source game and values its shapes: the mean of the learned
values of all visited afterstates with a shape, weighted by visits. `FeatureModel` is that knowledge as a file (JSON:
data, never code), one value per shape and opponent.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.ggp.fast import NetworkMachine
from heartlab.ggp.learning import (
    LEARNERS,
    OPPONENTS,
    READINGS,
    RECORDINGS,
    TRANSFER,
    Settings,
    Table,
    learn_matches,
    make_table,
)
from heartlab.ggp.lookahead import SHAPES, describe_shape, parse_shape
from heartlab.ggp.machine import Machine
from heartlab.ggp.terms import GdlError

FORMAT = "heartlab-ggp-features/1"
PROBES = 50
"""Random games that are played to see which moves are only waiting."""


def make_settings(**names: Any) -> Settings:
    """Settings from names, such as `learner="transfer"`, and numbers.

    Raises:
        GdlError: a name is not known; the text lists the known ones.
    """
    known = {"learner": LEARNERS, "reading": READINGS, "opponent": OPPONENTS, "recording": RECORDINGS}
    for field_name, choices in known.items():
        value = names.get(field_name)
        if isinstance(value, str):
            if value not in choices:
                raise GdlError(f"no {field_name} is called {value!r}; there are {', '.join(choices)}")
            names[field_name] = choices.index(value)
    return Settings(**names)


class TurnGame:
    """A game for two who take turns, ready for learning.

    Raises:
        GdlError: the game is not of that kind, or did not ground.
    """

    def __init__(self, machine: Machine) -> None:
        if not isinstance(machine, NetworkMachine):
            raise GdlError(f"{machine.name}: learning needs the network, but it is {machine.note}")
        if len(machine.roles) != 2:
            raise GdlError(f"{machine.name}: learning needs a game for two, not {len(machine.roles)}")
        self.machine = machine
        self.net = machine.network.net
        self.idle = self._waiting_moves()

    def _waiting_moves(self) -> npt.NDArray[np.bool_]:
        """The moves that are a player's only one while the other has a choice: not its turn."""
        machine, dice = self.machine, np.random.default_rng(0)
        idle = np.zeros(len(self.net.legal), bool)
        for _ in range(PROBES):
            state = machine.initial
            while not machine.is_terminal(state):
                moves = machine.legal_moves(state)
                if len(moves[0]) > 1 and len(moves[1]) > 1:
                    raise GdlError(f"{machine.name}: learning needs a game in which players take turns")
                for player in (0, 1):
                    if len(moves[1 - player]) > 1:
                        idle[machine.move_number(player, moves[player][0])] = True
                state = machine.next(state, [own[dice.integers(len(own))] for own in moves])
        return idle


def _generators(seed: int, run: int) -> npt.NDArray[np.uint64]:
    """Separate random streams for the learner and its opponent, the same for all learners of a run."""
    return np.random.default_rng([seed, run]).integers(0, 2**63, size=(2, 1)).astype(np.uint64)


def learn(
    game: TurnGame, settings: Settings, matches: int, seed: int = 0, run: int = 0, model: FeatureModel | None = None
) -> tuple[npt.NDArray[np.float32], Table]:
    """One run: the reward of each match, and the table that was learned.

    Raises:
        GdlError: a transfer learner has no model, or the table was full.
    """
    features = np.full(SHAPES if settings.learner == TRANSFER else 1, -1.0, np.float32)
    if settings.learner == TRANSFER:
        if model is None:
            raise GdlError("a transfer learner needs a model of features")
        for shape, value in model.values_against(OPPONENTS[settings.opponent]).items():
            features[shape] = value
    rewards = np.zeros(matches, np.float32)
    bits = min(24, max(12, math.ceil(math.log2(matches * 40 + 2048))))
    while True:
        table = make_table(bits)
        values = np.zeros(game.machine.network.literals, np.uint64)
        rngs = _generators(seed, run)
        played = learn_matches(game.net, game.idle, settings, features, table, rngs, values, rewards)
        if played == matches:
            return rewards, table
        if played < 0 or bits >= 26:
            reason = "in some state it is nobody's turn" if played < 0 else "there are too many positions to keep"
            raise GdlError(f"{game.machine.name}: learning had to stop: {reason}")
        bits += 2


def learn_runs(
    game: TurnGame,
    settings: Settings,
    matches: int,
    runs: int,
    seed: int = 0,
    model: FeatureModel | None = None,
) -> dict[str, Any]:
    """Several independent runs: mean rewards over windows of matches, with standard errors over runs."""
    learn(game, settings, 1, seed, 0, model)
    begun = time.perf_counter()
    rewards = np.array([learn(game, settings, matches, seed, run, model)[0] for run in range(runs)])
    taken = time.perf_counter() - begun
    edges = sorted({edge for edge in (0, 100, 300, 1000, 3000, matches) if edge <= matches})
    windows = []
    for first, last in itertools.pairwise(edges):
        means = rewards[:, first:last].mean(axis=1)
        error = float(means.std(ddof=1) / math.sqrt(runs)) if runs > 1 else math.nan
        windows.append({"first": first + 1, "last": last, "mean": float(means.mean()), "standard_error": error})
    return {
        "game": game.machine.name,
        "learner": LEARNERS[settings.learner],
        "opponent": OPPONENTS[settings.opponent],
        "reading": READINGS[settings.reading],
        "matches": matches,
        "runs": runs,
        "seed": seed,
        "mean": float(rewards.mean()),
        "windows": windows,
        "matches_per_second": matches * runs / taken,
    }


@dataclass
class FeatureModel:
    """Values of shapes, learned in some game against some opponents."""

    game: str
    matches: int
    runs: int
    seed: int
    settings: dict[str, Any]
    features: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """By opponent and shape: the value, and how many visits it rests on."""

    def values_against(self, opponent: str) -> dict[int, float]:
        """The value of each shape.

        Raises:
            GdlError: nothing was learned against this opponent.
        """
        if opponent not in self.features:
            raise GdlError(f"the model knows {', '.join(self.features) or 'nobody'}, but not the opponent {opponent}")
        return {parse_shape(shape): value[0] for shape, value in self.features[opponent].items()}

    def save(self, path: Path) -> None:
        """Write the model as JSON."""
        path.write_text(json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n", "utf-8")

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
            for opponent, values in model.features.items():
                for value in values.values():
                    if len(value) != 2 or not 0 <= float(value[0]) <= 100:
                        raise GdlError(f"{path}: a value against {opponent} should lie between 0 and 100")
                model.values_against(opponent)
        except (ValueError, TypeError, AttributeError) as error:
            if isinstance(error, GdlError):
                raise
            raise GdlError(f"{path}: the model is damaged: {error}") from None
        return model


def learn_features(
    game: TurnGame,
    opponents: tuple[str, ...] = ("eps-greedy", "random", "weak"),
    matches: int = 75,
    runs: int = 10,
    seed: int = 0,
    **names: Any,
) -> FeatureModel:
    """Play a source game against each opponent and value the shapes of its afterstates."""
    names = {"learner": "baseline", "reading": "literal", **names}
    model = FeatureModel(game.machine.name, matches, runs, seed, dict(names))
    for opponent in opponents:
        total: dict[int, list[float]] = {}
        settings = make_settings(opponent=opponent, collect=1, **names)
        for run in range(runs):
            _, table = learn(game, settings, matches, seed, run)
            for shape, (value, visits) in table_features(table).items():
                entry = total.setdefault(shape, [0.0, 0.0])
                entry[0] += value * visits
                entry[1] += visits
        model.features[opponent] = {
            describe_shape(shape): [entry[0] / entry[1], entry[1]] for shape, entry in sorted(total.items())
        }
    return model


def table_features(table: Table) -> dict[int, tuple[float, int]]:
    """The mean value of the visited afterstates of each shape, weighted by visits, and the visits."""
    found = {}
    wanted = (table.keys != 0) & (table.shapes >= 0) & (table.visits > 0)
    shapes, values, visits = table.shapes[wanted], table.values[wanted], table.visits[wanted]
    for shape in np.unique(shapes):
        mine = shapes == shape
        weight = int(visits[mine].sum())
        found[int(shape)] = (float((values[mine] * visits[mine]).sum() / weight), weight)
    return found
