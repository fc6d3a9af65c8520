"""Recipes for FALCON agents: the paper's agent, learners that use the whole deal, and the growth of networks.

Parameters are what `--set` and run folders hold: numbers and texts. :mod:`heartlab.learners.falcon.settings` makes
typed settings of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cached_property

import numpy as np

from heartlab.learners.falcon.agent import FalconAgent, check_rules
from heartlab.learners.falcon.boxes import Boxes, seedling
from heartlab.learners.falcon.categories import Categories
from heartlab.learners.falcon.experience import Experiences, Sheet, frozen_ratios, gather, join, plainer
from heartlab.learners.falcon.growth import grow
from heartlab.learners.falcon.more_actions import COUNT, OF_PAPER
from heartlab.learners.falcon.more_percepts import KINDS
from heartlab.learners.falcon.partners import PARTNERS, SELF
from heartlab.learners.falcon.player import boxes_model, falcon_model
from heartlab.learners.falcon.settings import FalconSettings, read_settings
from heartlab.rules import Rules
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, recipe
from heartlab.util.bundle import WHOLE, Arrays, Form, fit
from heartlab.util.errors import quoted

CHUNK = 1000
LADDER = ("random", "gnome-no-spade-rules", "gnome", "luis", "jake", SELF)
"""Training partners from weak to strong, for `partners=ladder`."""


@dataclass(frozen=True)
class LearnerParameters:
    """How an agent learns, as texts and numbers; :class:`FalconSettings` says what they mean.

    Those without a second value are named so that runs of 0.1 can be resumed.
    """

    percepts: str = "paper"
    separate: bool = True
    groups: str = "13"
    rule: str = "delta"
    rate: float = 0.01
    fresh: float = 1.0
    forced: bool = False
    sp: str = "trick"
    floor: float = 0.0
    failure: str = "invert"
    ties: str = "lowest"
    decay: str = "all"
    pointless: str = "success"
    epsilon: float = 0.0
    epsilon_end: float = 0.0
    discount: float = 1.0
    relative: float = 0.0
    match: str = "exact"
    vigilance: float = 1.0
    choice: str = "applicable"
    credit: str = "chosen"
    dump: str = "out"
    outcomes: str = "together"

    @cached_property
    def settings(self) -> FalconSettings:
        """The typed settings.

        :raises ValueError: for a value that is unknown, was removed, or is out of range.
        """
        return read_settings({field.name: getattr(self, field.name) for field in fields(LearnerParameters)})


@dataclass(frozen=True)
class FalconParameters(LearnerParameters):
    """What a run can be told: how the agent learns, and from whom."""

    rules: str = "falcon"
    partners: str = "gnome+gnome+gnome"
    """Training partners, clockwise; groups of three separated by / take turns. Or ladder, or ladder:A/B/C."""
    test: int = 0
    """Frozen games against three gnome after each 1,000 training games."""
    horizon: int = 50_000
    """Training games after which `epsilon` has come to `epsilon_end`."""

    def __post_init__(self) -> None:
        """
        :raises ValueError: if a value makes no sense.
        """
        _ = self.settings
        check_rules(Rules.parse(self.rules))
        for trio in self.trios:
            if len(trio) != 3 or not set(trio) <= {*PARTNERS, SELF}:
                raise ValueError(
                    f"partners={self.partners}: three of {', '.join([*PARTNERS, SELF])} joined with +, "
                    "groups of three separated by /, or ladder, or ladder:A/B/C with rungs from weak to strong"
                )
        if self.test < 0 or self.horizon < 1:
            raise ValueError("test and horizon need numbers of games")

    @property
    def is_ladder(self) -> bool:
        """Whether the partners depend on how well the agent does."""
        return self.partners == "ladder" or self.partners.startswith("ladder:")

    @property
    def trios(self) -> list[list[str]]:
        """The groups of three partners that take turns; on the ladder from its foot to its top."""
        if self.is_ladder:
            rungs = self.partners.removeprefix("ladder").removeprefix(":")
            return [[name] * 3 for name in (rungs.split("/") if rungs else LADDER)]
        return [trio.split("+") for trio in self.partners.split("/")]


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


@dataclass(frozen=True)
class TdParameters(FalconParameters):
    """The same with the defaults of TD-FALCON."""

    rule: str = "td"
    rate: float = 0.005
    fresh: float = 0.8
    epsilon: float = 0.1
    epsilon_end: float = 0.02


@recipe("falcon", "FALCON as in the paper (default reading), two networks, three gnome", FalconParameters, 50_000)
@recipe("falcon-returns", "beyond the paper: weights are mean discounted returns", ReturnParameters, 50_000)
@recipe("falcon-td", "beyond the paper: TD-FALCON, values bootstrapped from the next choice", TdParameters, 50_000)
class FalconTrainer:
    """Training in chunks, with frozen tests in between.

    On the ladder the agent moves up when it took less than a quarter of the points of a chunk, and down when it took
    more than 0.3 of them: partners neither too strong nor too weak.
    """

    chunk = CHUNK

    def __init__(self, parameters: FalconParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed
        self.agent = FalconAgent(parameters.settings, Rules.parse(parameters.rules))
        self.rung = 0

    def step(self, first: int, count: int) -> list[Metrics]:
        """A chunk of training games, then the tests."""
        parameters, trios = self.parameters, self.parameters.trios
        trio = trios[self.rung if parameters.is_ladder else first // CHUNK % len(trios)]
        part = min(1.0, first / parameters.horizon)
        epsilon = parameters.epsilon + part * (parameters.epsilon_end - parameters.epsilon)
        points = self.agent.play(trio, self.seed, "train", first, count, learning=True, epsilon=epsilon)
        ratio = float(points[:, 0].mean()) / self.agent.rules.total_points
        if parameters.is_ladder:
            step = 1 if ratio < 0.25 else -1 if ratio > 0.3 else 0
            self.rung = min(max(self.rung + step, 0), len(trios) - 1)
        line: Metrics = {
            "games": first + count, "ratio": round(ratio, 6), "categories": self.agent.categories.count,
            "partners": "+".join(trio),
        }  # fmt: skip
        if parameters.test:
            tested = self.agent.ratio(["gnome"] * 3, self.seed, f"test {first}", parameters.test)
            line["tested"] = round(float(tested.mean()), 6)
        return [line]

    def checkpoint(self) -> Arrays:
        """The categories and the rung."""
        return {**self.agent.categories.arrays(), "rung": np.array([self.rung])}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        fit(arrays, {"rung": Form(WHOLE, 1)})
        rung = int(arrays["rung"][0])
        if not 0 <= rung < len(self.parameters.trios):
            raise ValueError(f"has no rung {rung}")
        self.agent.categories, self.rung = Categories.of(arrays), rung

    def model(self) -> Model:
        """The agent."""
        return falcon_model(self.agent.settings, self.agent.categories, self.agent.rules)


class Piece(StrEnum):
    """A piece of growth that can be left out, to see what it is worth."""

    PERCEPTS = "percepts"
    """All percepts but those of hearts, high spades and the suit led."""
    ACTIONS = "actions"
    """The actions that the paper's agent does not have."""
    PAIRING = "pairing"
    """Playing all cards of a decision out against the same hands."""


@dataclass(frozen=True)
class GrowParameters:
    """What the recipe can be told."""

    rules: str = "falcon"
    partners: str = "gnome"
    """Training partners, three of a kind; several kinds, joined with +, take turns."""
    batch: int = 1_000_000
    """Games per round; then a new network is grown."""
    categories: int = 2000
    """Most categories of a network."""
    least: int = 40
    """Least experiences of a category."""
    keep: int = 3
    """Rounds whose experiences a network is grown from."""
    shrink: float = 10.0
    """Experiences without effect that each motor weight is diluted with."""
    foresight: float = 0.05
    """Weight of differences between actions that a split explains but that do not pay yet."""
    without: str = ""
    """Pieces to do without, joined with +."""
    test: int = 20_000
    """Frozen games against three gnome after each round."""

    def __post_init__(self) -> None:
        check_rules(Rules.parse(self.rules))
        for name in self.partners.split("+"):
            if name not in PARTNERS:
                raise ValueError(f"partners={self.partners}: {quoted(name)} is none of {', '.join(PARTNERS)}")
        for name in filter(None, self.without.split("+")):
            if name not in list(Piece):
                raise ValueError(f"without={self.without}: {quoted(name)} is none of {', '.join(Piece)}")
        for name, least in (("batch", 100), ("categories", 3), ("least", 1), ("keep", 1), ("test", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}={getattr(self, name)}: at least {least}")
        if not (0.0 <= self.shrink < math.inf and 0.0 <= self.foresight < math.inf):
            raise ValueError("shrink and foresight need numbers from 0 on")

    @property
    def left_out(self) -> frozenset[Piece]:
        """The pieces to do without."""
        return frozenset(map(Piece, filter(None, self.without.split("+"))))


@recipe("falcon-grow", "beyond the paper: a network of boxes, grown from paired playouts", GrowParameters, 6_000_000)
class GrowTrainer:
    """Policy iteration: one network per round."""

    def __init__(self, parameters: GrowParameters, seed: int) -> None:
        self.parameters, self.seed, self.chunk = parameters, seed, parameters.batch
        self.rules = Rules.parse(parameters.rules)
        self.net: Boxes = seedling()
        self.kept: list[Experiences] = []

    def step(self, first: int, count: int) -> list[Metrics]:
        """One round; one that is too short for any experience, as the last may be, changes nothing.

        :raises ValueError: if that is the first.
        """
        parameters = self.parameters
        kinds = parameters.partners.split("+")
        partner = kinds[first // self.chunk % len(kinds)]
        without = parameters.left_out
        paired = Piece.PAIRING not in without
        fresh = gather(self.net, self.rules, partner, self.seed, "train", count, first, paired=paired)
        fresh = plainer(fresh, Piece.PERCEPTS in without, Piece.ACTIONS in without)
        if len(fresh):
            self.kept = [*self.kept, fresh][-parameters.keep :]
            told = parameters.categories, parameters.least, parameters.shrink, parameters.foresight
            self.net = grow(join(self.kept), *told)
            if Piece.ACTIONS in without:
                self.net.weights[:, ~OF_PAPER] = 0.0
        elif not self.kept:
            raise ValueError(f"{count} games are too few to learn from: every action of a choice takes one")
        line: Metrics = {
            "games": first + count, "partners": partner, "experiences": len(fresh), "categories": len(self.net),
        }  # fmt: skip
        if parameters.test:
            tested = frozen_ratios(self.net, self.rules, "gnome", self.seed, f"test {first}", parameters.test)
            line["tested"] = round(float(tested.mean()), 6)
        return [line]

    def checkpoint(self) -> Arrays:
        """The network and the experiences that the next one will need."""
        arrays = {f"net_{name}": array for name, array in self.net.arrays().items()}
        for place, known in enumerate(self.kept):
            arrays |= {f"kept_{place}_{name}": getattr(known, name) for name in Sheet._fields}
        return {**arrays, "games": np.array([known.games for known in self.kept], np.int64)}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        fit(arrays, {"games": Form(WHOLE, "rounds", most=self.parameters.keep)})
        net = Boxes.of({name.removeprefix("net_"): array for name, array in arrays.items() if name.startswith("net_")})
        kept = []
        for place, games in enumerate(arrays["games"]):
            codes, kinds, costs = (f"kept_{place}_{name}" for name in Sheet._fields)
            fit(arrays, {codes: Form(WHOLE, "rows"), kinds: Form(WHOLE, "rows"), costs: Form(WHOLE, "rows", COUNT)})
            if not np.isin(arrays[kinds], range(len(KINDS))).all():
                raise ValueError("has experiences of an unknown kind")
            kept.append(Experiences(arrays[codes], arrays[kinds], arrays[costs], int(games)))
        self.net, self.kept = net, kept

    def model(self) -> Model:
        """The network."""
        return boxes_model(self.net, self.rules)
