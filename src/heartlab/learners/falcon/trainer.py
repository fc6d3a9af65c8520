"""Recipes for FALCON agents: the paper's agent, and learners that use the whole deal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heartlab.learners.falcon.agent import FalconAgent, FalconSettings, check_rules
from heartlab.learners.falcon.categories import Categories
from heartlab.learners.falcon.partners import PARTNERS, SELF
from heartlab.learners.falcon.player import falcon_model
from heartlab.rules import Rules
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, recipe
from heartlab.util.bundle import Arrays

CHUNK = 1000
LADDER = ("random", "gnome-no-spade-rules", "gnome", "luis", "jake", SELF)
"""Training partners from weak to strong, for `partners=ladder`."""


@dataclass(frozen=True)
class FalconParameters(FalconSettings):
    """What a run can be told: how the agent learns, and from whom."""

    rules: str = "falcon"
    partners: str = "gnome+gnome+gnome"
    """Training partners, clockwise; tables separated by / take turns. Or ladder; ladder:A/B/C has these rungs."""
    test: int = 0
    """Frozen games against three gnome after each 1,000 training games."""
    horizon: int = 50_000
    """Training games after which `epsilon` has come to `epsilon_end`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_rules(Rules.parse(self.rules))
        for table in self.tables:
            if len(table) != 3 or not set(table) <= {*PARTNERS, SELF}:
                raise ValueError(
                    f"partners={self.partners}: three of {', '.join([*PARTNERS, SELF])} joined with +, "
                    "tables separated by /, or ladder, or ladder:A/B/C with rungs from weak to strong"
                )
        if self.test < 0 or self.horizon < 1:
            raise ValueError("test and horizon need numbers of games")

    @property
    def is_ladder(self) -> bool:
        """Whether the partners depend on how well the agent does."""
        return self.partners == "ladder" or self.partners.startswith("ladder:")

    @property
    def tables(self) -> list[list[str]]:
        """The tables of partners that take turns; those of the ladder from its foot to its top."""
        if self.is_ladder:
            rungs = self.partners.removeprefix("ladder").removeprefix(":")
            return [[name] * 3 for name in (rungs.split("/") if rungs else LADDER)]
        return [table.split("+") for table in self.partners.split("/")]


class FalconTrainer:
    """Training in chunks, with frozen tests in between.

    On the ladder the agent moves up when it took less than a quarter of the points of a chunk, and down when it took
    more than 0.3 of them: partners neither too strong nor too weak.
    """

    chunk = CHUNK

    def __init__(self, settings: FalconParameters, seed: int) -> None:
        self.settings, self.seed = settings, seed
        self.agent = FalconAgent(settings, Rules.parse(settings.rules))
        self.rung = 0

    def step(self, first: int, count: int) -> list[Metrics]:
        """A chunk of training games, then the tests."""
        settings, tables = self.settings, self.settings.tables
        table = tables[self.rung if settings.is_ladder else first // CHUNK % len(tables)]
        part = min(1.0, first / settings.horizon)
        epsilon = settings.epsilon + part * (settings.epsilon_end - settings.epsilon)
        points = self.agent.play(table, self.seed, "train", first, count, learning=True, epsilon=epsilon)
        ratio = float(points[:, 0].mean()) / self.agent.rules.total_points
        if settings.is_ladder:
            step = 1 if ratio < 0.25 else -1 if ratio > 0.3 else 0
            self.rung = min(max(self.rung + step, 0), len(tables) - 1)
        line: Metrics = {
            "games": first + count, "ratio": round(ratio, 6), "categories": self.agent.categories.count,
            "partners": "+".join(table),
        }  # fmt: skip
        if settings.test:
            tested = self.agent.ratio(["gnome"] * 3, self.seed, f"test {first}", settings.test)
            line["tested"] = round(float(tested.mean()), 6)
        return [line]

    def checkpoint(self) -> Arrays:
        """The categories and the rung."""
        return {**self.agent.categories.arrays(), "rung": np.array([self.rung])}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        self.agent.categories = Categories.of(arrays)
        self.rung = int(arrays["rung"][0])

    def model(self) -> Model:
        """The agent."""
        return falcon_model(self.settings, self.agent.categories, self.agent.rules)


@recipe("falcon", "FALCON as in the paper (default reading), two networks, three gnome", FalconParameters, 50_000)
def paper_agent(settings: FalconParameters, seed: int) -> FalconTrainer:
    """The paper's agent."""
    return FalconTrainer(settings, seed)


@dataclass(frozen=True)
class ReturnParameters(FalconParameters):
    """The same with the defaults of learning from returns."""

    rule: str = "returns"
    rate: float = 0.0
    fresh: float = 0.8
    epsilon: float = 0.1
    epsilon_end: float = 0.02
    discount: float = 0.8
    relative: float = 1.0


@recipe("falcon-returns", "beyond the paper: weights are mean discounted returns", ReturnParameters, 50_000)
def return_agent(settings: ReturnParameters, seed: int) -> FalconTrainer:
    """An agent that learns from the rest of the deal."""
    return FalconTrainer(settings, seed)


@dataclass(frozen=True)
class TdParameters(FalconParameters):
    """The same with the defaults of TD-FALCON."""

    rule: str = "td"
    rate: float = 0.005
    fresh: float = 0.8
    epsilon: float = 0.1
    epsilon_end: float = 0.02


@recipe("falcon-td", "beyond the paper: TD-FALCON, values bootstrapped from the next choice", TdParameters, 50_000)
def td_agent(settings: TdParameters, seed: int) -> FalconTrainer:
    """An agent that learns from the next situation."""
    return FalconTrainer(settings, seed)
