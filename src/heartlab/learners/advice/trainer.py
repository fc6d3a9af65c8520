"""Recipes for learning to weigh advice, as in the paper and beyond it.

Training and testing alternate: each chunk of training games is followed by test games with frozen weights. The metrics
hold the cumulative average of points per game over all test games so far, which is what the paper plots.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from heartlab.compiled.rng import seed_key
from heartlab.kernel.layout import SEATS
from heartlab.learners.advice.games import AdviceTable, FloatArray, PointArray, Sitter, sitter
from heartlab.learners.advice.network import net_size, random_weights
from heartlab.learners.advice.registry import Advice, find_abstractions, find_pieces
from heartlab.learners.advice.vote import KINDS, LINEAR, NET, TABULAR, Choice, make_voter
from heartlab.rules import Rules
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, Parameters, recipe
from heartlab.util.bundle import Arrays, fit_like

CHUNK = 1000
SELF = "self"
"""A training partner that is an independent learner of the same kind."""
MIXED_PARTNERS = "mixed"
MIXED = (
    ("random", "random"),
    ("voting", "voting"),
    ("voting", "random"),
    ("voting-all", "voting"),
    ("gnome", "voting"),
)
"""The pairs of partners of `partners=mixed`; they alternate chunk by chunk."""
MAX_TABULAR = 20
"""The weights for more yes-or-no abstractions than this would not fit into memory."""


class LearningRule(StrEnum):
    """td: each piece by itself, as in the paper; joint: the sum of the suggesting pieces learns."""

    TD = "td"
    JOINT = "joint"


def names_of(text: str) -> tuple[str, ...]:
    """Names joined with +."""
    return tuple(text.split("+"))


class VoterParameters(Parameters):
    """What the parameters of all recipes here say about the voter, read from their texts."""

    rules: str
    advice: str
    state: str
    testers: str

    @cached_property
    def game(self) -> Rules:
        """The rules."""
        return Rules.parse(self.rules)

    @cached_property
    def pieces(self) -> list[Advice]:
        """The pieces of `advice`."""
        return find_pieces(self.advice)

    @cached_property
    def inputs(self) -> list[Advice]:
        """The abstractions of `state`."""
        return find_abstractions(self.state, self.game.players)

    @cached_property
    def tester_names(self) -> tuple[str, ...]:
        """Who plays in the tests."""
        return names_of(self.testers)


@dataclass(frozen=True)
class AdviceParameters(VoterParameters):
    """The parameters of the learners that predict."""

    rules: str = "advice"
    advice: str = "paper"
    """The pieces it hears: paper, pilot, all, or names joined with +."""
    state: str = "table"
    """The abstractions it looks at: table (of LEARNER-T), paper, play, or names joined with +."""
    partners: str = "random+random"
    """Training partners, clockwise: random, voting, voting-all, gnome, self; or mixed."""
    testers: str = "voting+random"
    """The other players in the tests."""
    test: int = 1000
    """Test games after each 1,000 training games."""
    choice: Choice = Choice.SUM
    rule: LearningRule = LearningRule.TD
    rate: float = 0.1
    momentum: float = 0.0
    trace: float = 0.0
    """λ of TD(λ)."""
    initial: float = 0.36
    """Initial weight of LEARNER-T: the mean reward of a voting player. It matters: with 0.5 the learner gets worse."""
    spread: float = 0.3
    """Initial weights of a network: uniform within ± this."""
    hidden: int = 13
    forced: bool = True
    """Whether turns with one legal card are learned from."""
    everybody: bool = False
    """Whether pieces that did not suggest the card are credited, too."""

    def __post_init__(self) -> None:
        super().__post_init__()
        others = self.game.players - 1
        if {len(self.tester_names), len(self.partner_names)} != {others}:
            raise ValueError(f"partners and testers need {others} names under {self.game}, joined with +")
        self.need_shares("rate", "trace")
        self.need("a number from 0 to less than 1", lambda value: 0.0 <= value < 1.0, "momentum")
        self.need("a finite number", math.isfinite, "initial", "spread")
        self.need("a number of games", lambda games: games >= 0, "test")
        if self.rule is LearningRule.JOINT and self.everybody:
            raise ValueError(
                "rule=joint is about the pieces that suggested the card; everybody=yes does not go with it"
            )

    @property
    def is_mixed(self) -> bool:
        """Whether several pairs of partners alternate."""
        return self.partners == MIXED_PARTNERS

    @cached_property
    def partner_names(self) -> tuple[str, ...]:
        """The training partners, clockwise; the first ones if they alternate."""
        return names_of(self.partners) if not self.is_mixed else (MIXED[0] * SEATS)[: self.game.players - 1]


@dataclass(frozen=True)
class NetParameters(AdviceParameters):
    """The same with the defaults of LEARNER-N."""

    state: str = "paper"
    partners: str = "self+self"
    testers: str = "voting+voting"
    rate: float = 0.25
    momentum: float = 0.9


UNUSED = {NET: ("initial",), TABULAR: ("hidden", "momentum", "spread"), LINEAR: ("hidden", "momentum", "spread")}
"""Parameters that make no difference to a kind of learner."""
DESCRIBED = {NET: "a network", TABULAR: "tabular weights", LINEAR: "linear weights"}


def check_kind(kind: int, settings: AdviceParameters) -> None:
    """Refuse changed parameters that make no difference to a kind of learner, instead of ignoring them.

    :raises ValueError: with a sentence that names the parameter.
    """
    if kind == NET and settings.rule is LearningRule.JOINT:
        raise ValueError("rule=joint is for tabular and linear weights; a network learns each piece alone (rule=td)")
    if kind == NET and settings.hidden < 1:
        raise ValueError(f"hidden={settings.hidden}: a network needs at least one hidden unit")
    defaults = {field.name: field.default for field in fields(settings)}
    for name in UNUSED[kind]:
        if getattr(settings, name) != defaults[name]:
            raise ValueError(f"{name}={getattr(settings, name)} makes no difference to {DESCRIBED[kind]}")


def make_learner(kind: int, settings: AdviceParameters, seed: int, instance: int = 0) -> Sitter:
    """A learner with its initial weights; instances of one seed have other random weights."""
    check_kind(kind, settings)
    pieces, inputs = settings.pieces, settings.inputs
    hidden = settings.hidden if kind == NET else 0
    voters = make_voter(kind, pieces, inputs, hidden=hidden, choice=settings.choice)
    if kind == NET:
        weights = np.zeros(net_size(len(inputs), hidden, len(pieces)))
        rng = np.array([seed_key(seed, f"network {instance}")], np.uint64)
        random_weights(rng, settings.spread, weights)
    elif kind == TABULAR:
        if len(inputs) > MAX_TABULAR:
            raise ValueError(f"{len(inputs)} abstractions are too many for tabular weights; at most {MAX_TABULAR}")
        weights = np.full(len(pieces) << len(inputs), settings.initial)
    else:
        weights = np.zeros((len(pieces), len(inputs) + 1))
        weights[:, -1] = settings.initial
        weights = weights.ravel()
    return Sitter(
        0,
        voters,
        weights,
        rule=settings.rule,
        rate=settings.rate,
        momentum=settings.momentum,
        trace=settings.trace,
        forced=settings.forced,
        everybody=settings.everybody,
    )


def voter_model(
    kind: int, weights: FloatArray, settings: VoterParameters, *, hidden: int = 0, choice: Choice = Choice.SUM
) -> Model:
    """A model of some voters: `weights` is [instances, parameters]."""
    return Model(
        f"advice-{KINDS[kind]}",
        {"weights": weights},
        rules=str(settings.game),
        names=tuple(piece.name for piece in settings.pieces),
        extras={
            "inputs": [value.name for value in settings.inputs],
            "hidden": hidden,
            "choice": choice,
        },
    )


class AdviceTrainer:
    """Training of one learner, or of several that play each other, with frozen tests in between."""

    chunk = CHUNK

    def __init__(self, kind: int, settings: AdviceParameters, seed: int) -> None:
        self.kind, self.settings, self.seed = kind, settings, seed
        self.rules, names = settings.game, settings.partner_names
        self.learners = [make_learner(kind, settings, seed, i) for i in range(1 + names.count(SELF))]
        waiting = iter(self.learners[1:])
        self.table = AdviceTable(
            self.rules, [self.learners[0], *(next(waiting) if name == SELF else sitter(name) for name in names)]
        )
        self._learner_places = [0] + [1 + i for i, name in enumerate(names) if name == SELF]
        self.testers = [sitter(name) for name in settings.tester_names]
        self.sums = np.zeros(self.rules.players)
        self.tested = np.zeros(1, np.int64)

    def step(self, first: int, count: int) -> list[Metrics]:
        """A chunk of training games, then the tests."""
        if self.settings.is_mixed:
            self._seat_partners(first // CHUNK)
        self.table.play(self.seed, "train", first, count)
        if not self.settings.test:
            return [{"games": first + count}]
        points = self._test()
        self.sums += points.sum(axis=0)
        self.tested += len(points)
        average = (self.sums / self.tested[0]).round(6)
        return [
            {"games": first + count, "tested": int(self.tested[0])}
            | {f"points_{i}": float(mean) for i, mean in enumerate(points.mean(axis=0).round(6))}
            | {f"average_{i}": float(mean) for i, mean in enumerate(average)}
        ]

    def _seat_partners(self, chunk: int) -> None:
        """The partners of a chunk, each pair in its turn; the learner keeps what it knows."""
        learner = replace(self.learners[0], weights=self.table.weights(0).copy())
        velocity = self.table.velocity[: len(learner.weights)].copy()
        pair = MIXED[chunk % len(MIXED)]
        names = [pair[i % 2] for i in range(self.rules.players - 1)]
        self.table = AdviceTable(self.rules, [learner, *(sitter(name) for name in names)])
        self.table.velocity[: len(velocity)] = velocity

    def _test(self) -> PointArray:
        """Frozen games of the first learner; columns are the learner and the testers, clockwise."""
        table = AdviceTable(self.rules, [self.current(0).frozen(), *self.testers])
        return table.play(self.seed, "test", int(self.tested[0]), self.settings.test)

    def current(self, instance: int) -> Sitter:
        """A learner as it is now."""
        place = self._learner_places[instance]
        return replace(self.learners[instance], weights=self.table.weights(place).copy())

    def _learned(self) -> FloatArray:
        return np.stack([self.table.weights(place) for place in self._learner_places])

    def checkpoint(self) -> Arrays:
        """Weights and velocities of all learners, and the tests so far."""
        velocity = [self.table.velocity[self._span(place)] for place in self._learner_places]
        return {
            "weights": self._learned(),
            "velocity": np.stack(velocity),
            "sums": self.sums.copy(),
            "tested": self.tested.copy(),
        }

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        fit_like(arrays, self.checkpoint())
        if arrays["tested"][0] < 0:
            raise ValueError("a number of tested games is below zero")
        for i, place in enumerate(self._learner_places):
            self.table.weights(place)[:] = arrays["weights"][i]
            self.table.velocity[self._span(place)] = arrays["velocity"][i]
        self.sums, self.tested = arrays["sums"].copy(), arrays["tested"].copy()

    def _span(self, place: int) -> slice:
        start = int(self.table.voters[place]["offset"])
        return slice(start, start + len(self.table.sitters[place].weights))

    def model(self) -> Model:
        """All learners; players take the first unless told otherwise."""
        hidden = self.settings.hidden if self.kind == NET else 0
        return voter_model(self.kind, self._learned(), self.settings, hidden=hidden, choice=self.settings.choice)


@recipe(
    "advice-t",
    "LEARNER-T of the advice paper: a table of weights, TD(0), against two random",
    AdviceParameters,
    100_000,
)
def tabular_learner(settings: AdviceParameters, seed: int) -> AdviceTrainer:
    """One weight for each combination of yes-or-no abstractions."""
    return AdviceTrainer(TABULAR, settings, seed)


@recipe(
    "advice-n", "LEARNER-N of the advice paper: a 17-13-9 network, TD(0), three in self-play", NetParameters, 100_000
)
def net_learner(settings: NetParameters, seed: int) -> AdviceTrainer:
    """A network over all abstractions."""
    return AdviceTrainer(NET, settings, seed)


@dataclass(frozen=True)
class JointParameters(AdviceParameters):
    """The same with the defaults of the joint learner: small steps towards the final reward."""

    partners: str = MIXED_PARTNERS
    rule: LearningRule = LearningRule.JOINT
    rate: float = 0.01
    trace: float = 1.0
    initial: float = 0.12


@recipe(
    "advice-joint",
    "beyond the paper: the cumulative vote is what learns; TD(λ), mixed partners",
    JointParameters,
    100_000,
)
def joint_learner(settings: JointParameters, seed: int) -> AdviceTrainer:
    """The same, where the sum of the suggesting pieces learns."""
    return AdviceTrainer(TABULAR, settings, seed)


@recipe("advice-linear", "beyond the paper: weights linear in the abstractions, TD(λ)", JointParameters, 100_000)
def linear_learner(settings: JointParameters, seed: int) -> AdviceTrainer:
    """Weights that are a constant plus a term per abstraction."""
    return AdviceTrainer(LINEAR, settings, seed)
