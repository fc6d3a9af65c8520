"""A FALCON agent as Python sees it: its settings, its categories, and games with partners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.kernel.layout import StateArray, compile_rules
from heartlab.learners.falcon.categories import Categories
from heartlab.learners.falcon.kernels import (
    AS_DEALT,
    LEARNER,
    MOST_POINTS,
    make_memory,
    make_series,
    play_games,
    prepare,
)
from heartlab.learners.falcon.partners import SELF, find_partner
from heartlab.learners.falcon.settings import OPTIONS, FalconSettings, group_of_tricks
from heartlab.rules import Rules

PointArray = npt.NDArray[np.int16]


def check_rules(rules: Rules) -> None:
    """Refuse rules that agents cannot train under: they learn from the penalty cards of tricks, and nothing else.

    :raises ValueError: unless four play without passing, and no trick counts more or less than its penalty cards say.
    """
    if rules.players != 4 or rules.passing != ("hold",):
        raise ValueError(f"FALCON agents train in games of four without passing, not under {rules}")
    for name, plain in (("moon", "off"), ("bonus", None), ("doubler", None), ("no_tricks", 0), ("kitty", "none")):
        if getattr(rules, name) != plain:
            raise ValueError(f"FALCON agents learn from the penalty cards of tricks: not under rules with {name}")
    most = sum(sorted(map(rules.card_points, rules.penalty_cards))[-rules.players :])
    if most > MOST_POINTS:
        raise ValueError(
            f"FALCON agents know tricks of up to {MOST_POINTS:g} points; under {rules} one may have {most}"
        )


def learner_record(
    settings: FalconSettings, rules: Rules, *, learning: bool = False, epsilon: float = 0.0, leader: int = AS_DEALT
) -> StateArray:
    """The settings as the kernels take them: an array of one record."""
    array = np.zeros(1, LEARNER)
    record = array[0]
    for name in (*OPTIONS, "separate", "forced", "rate", "vigilance", "fresh", "discount", "relative"):
        record[name] = getattr(settings, name)
    record["groups"] = group_of_tricks(settings.groups)
    record["learning"], record["epsilon"], record["leader"] = learning, epsilon, leader
    record["total"] = rules.total_points
    return array


class FalconAgent:
    """An agent with its categories.

    >>> agent = FalconAgent(FalconSettings(), Rules.parse("falcon"))
    >>> points = agent.play(["gnome"] * 3, seed=1, purpose="train", first=0, count=50, learning=True)
    >>> points.shape  # its points in each game, then those of the seats after it
    (50, 4)
    >>> agent.categories.count > 50
    True
    """

    def __init__(self, settings: FalconSettings, rules: Rules, categories: Categories | None = None) -> None:
        check_rules(rules)
        self.settings, self.rules = settings, rules
        self.categories = categories or Categories()
        prepare()

    def play(
        self, partners: Sequence[str], seed: int, purpose: str, first: int, count: int, *, learning: bool = False,
        epsilon: float = 0.0, leader: int = AS_DEALT, stand_in: str | None = None,
    ) -> PointArray:  # fmt: skip
        """Play games number `first` and on with three partners; the points of the agent, then of those after it.

        :param leader: seats from the agent to the first leader; AS_DEALT: as the rules say.
        :param stand_in: a partner that plays in the agent's place, for comparison.
        """
        points = np.zeros((count, 4), np.int16)
        seats = [stand_in or SELF, *partners]
        own, left, across, right = (find_partner(name) for name in seats)
        record = learner_record(self.settings, self.rules, learning=learning, epsilon=epsilon, leader=leader)
        record["itself"][0, : len(seats)] = [name == SELF for name in seats]
        rules, memory = compile_rules(self.rules), make_memory()
        done = 0
        while done < count:
            series, store = make_series(seed, purpose, first + done), self.categories.compiled
            done += play_games(rules, series, memory, record, store, own, left, across, right, points[done:])
            if done < count:
                self.categories.grow()
        return points

    def ratio(self, partners: Sequence[str], seed: int, purpose: str, games: int, **options: Any) -> npt.NDArray[Any]:
        """The penalty ratio in each of some frozen games."""
        return self.play(partners, seed, purpose, 0, games, **options)[:, 0] / self.rules.total_points
