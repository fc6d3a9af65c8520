"""The recipe that learns the vote by policy gradient, and the hill climb for constant weights to compare it with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from heartlab.compiled.rng import numpy_dice
from heartlab.learners.advice.games import AdviceTable, FloatArray, Sitter, constant, sitter, tournament
from heartlab.learners.advice.kernels import MAX_TURNS, VOTES
from heartlab.learners.advice.player import load_voter
from heartlab.learners.advice.policy import BASELINE_WIDTH, Gradient, gradient_games, prepare_gradient
from heartlab.learners.advice.registry import custom_functions
from heartlab.learners.advice.trainer import SELF, VoterParameters, names_of, voter_model
from heartlab.learners.advice.vote import CONSTANT, LINEAR, make_voter
from heartlab.rules import Rules
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, recipe
from heartlab.util.bundle import Arrays, fit_like, fit_squares

FIRST_MOMENT, SECOND_MOMENT, TINY = 0.9, 0.999, 1e-8
"""Constants of Adam."""
CLIMB_SPREAD = 0.3
"""Standard deviation of the changes of a hill climb."""


@dataclass(frozen=True)
class VoteParameters(VoterParameters):
    """The parameters of the recipe."""

    rules: str = "advice"
    advice: str = "all"
    state: str = "play"
    """The abstractions that weights depend on; none makes them constant."""
    partners: str = "voting+random"
    """Training partners; several tables, separated by /, take turns."""
    start: str = ""
    """A model whose weights it starts from; without one all weights are `initial`."""
    initial: float = 1.0
    batch: int = 5000
    """Games per step."""
    rate: float = 0.02
    """Step size of Adam at the beginning; it falls linearly to a tenth."""
    horizon: int = 10_000_000
    """Games after which the step size is at its lowest."""
    scale: float = 4.0
    """How sharply scores become probabilities."""
    relative: float = 0.0
    """Weight of the opponents' points in the reward, as a share of one's own."""
    test: int = 5000
    """Frozen games after every `test_every` batches."""
    test_every: int = 20
    testers: str = "voting+random"
    """The other players in the tests."""

    def __post_init__(self) -> None:
        super().__post_init__()
        others = self.game.players - 1
        if self.test and len(self.tester_names) != others:
            raise ValueError(f"testers needs {others} names under {self.game}, joined with +")
        self.need("a finite number", math.isfinite, "initial", "relative", "rate", "scale")
        self.need_positive("batch", "horizon", "test_every", "rate", "scale")
        self.need("a number of games", lambda games: games >= 0, "test")

    @cached_property
    def companies(self) -> list[tuple[str, ...]]:
        """The training partners, batch by batch in turn."""
        return [names_of(company) for company in self.partners.split("/")]


def spread_constant(weights: FloatArray, inputs: int) -> FloatArray:
    """Constant weights as those of a linear voter that does not look at the state."""
    linear = np.zeros((len(weights), inputs + 1))
    linear[:, -1] = weights
    return linear.ravel()


@recipe(
    "advice-vote",
    "beyond the paper: policy gradient on the vote, weights linear in the state",
    VoteParameters,
    10_000_000,
)
class VoteTrainer:
    """Batches of games in which the learner draws its cards; one step of Adam per batch."""

    def __init__(self, settings: VoteParameters, seed: int) -> None:
        self.settings, self.seed, self.chunk = settings, seed, settings.batch
        self.rules, pieces, self.inputs = settings.game, settings.pieces, settings.inputs
        weights = spread_constant(np.full(len(pieces), settings.initial), len(self.inputs))
        if settings.start:
            weights = self._start_from(settings.start, [piece.name for piece in pieces])
        self.learner = Sitter(VOTES, make_voter(LINEAR, pieces, self.inputs), weights, rule="joint")
        self.tables = [
            AdviceTable(self.rules, [self.learner if name == SELF else sitter(name) for name in (SELF, *names)])
            for names in settings.companies
        ]
        for table in self.tables:
            for place, one in enumerate(table.sitters):
                if one is self.learner:  # copies of the learner share its weights
                    table.voters[place]["offset"] = 0
        self.testers = [sitter(name) for name in settings.tester_names]
        self.weights = weights.copy()
        self.first, self.second = np.zeros_like(weights), np.zeros_like(weights)
        self.baseline = np.zeros((MAX_TURNS, BASELINE_WIDTH))
        prepare_gradient()

    def _start_from(self, name: str, pieces: Sequence[str]) -> FloatArray:
        model, voter = load_voter(name)
        if list(model.names) != list(pieces):
            raise ValueError(f"start={name}: hears other advice than advice={self.settings.advice}")
        kind, known = int(voter.voters["kind"][0]), list(model.extras["inputs"])
        if kind not in (CONSTANT, LINEAR):
            raise ValueError(f"start={name}: needs constant or linear weights")
        theirs = voter.weights.reshape(len(pieces), -1)
        linear = spread_constant(theirs[:, -1], len(self.inputs)).reshape(len(pieces), -1)
        for column, value in enumerate(self.inputs):
            if value.name in known:
                linear[:, column] = theirs[:, known.index(value.name)]
        return linear.ravel()

    def step(self, first: int, count: int) -> list[Metrics]:
        """One batch."""
        number = first // self.chunk
        table = self.tables[number % len(self.tables)]
        size = len(self.weights)
        table.floats[:size] = self.weights
        sums, rate = np.zeros_like(table.floats), 1.0 / (200.0 * (1 + len(self.inputs)))
        gradient = Gradient(float(self.settings.scale), float(self.settings.relative), rate, self.baseline, sums)
        games = table.games(self.seed, "train", first, count)
        gradient_games(games, table.company, *custom_functions(), gradient)
        self._adam(sums[:size] / count, number, first)
        if (number + 1) % self.settings.test_every or not self.settings.test:
            return []
        tested = tournament(self.rules, self.current(), self.testers, self.seed, f"test {number}", self.settings.test)
        line: Metrics = {"games": first + count, "training": round(float(games.out[:, 0].mean()), 6)}
        return [line | {f"points_{i}": float(mean) for i, mean in enumerate(tested.mean(axis=0).round(6))}]

    def _adam(self, slope: FloatArray, number: int, first: int) -> None:
        self.first = FIRST_MOMENT * self.first + (1 - FIRST_MOMENT) * slope
        self.second = SECOND_MOMENT * self.second + (1 - SECOND_MOMENT) * slope**2
        steps = number + 1
        mean, square = self.first / (1 - FIRST_MOMENT**steps), self.second / (1 - SECOND_MOMENT**steps)
        rate = self.settings.rate * max(0.1, 1.0 - 0.9 * first / self.settings.horizon)
        self.weights = self.weights + rate * mean / (np.sqrt(square) + TINY)

    def current(self) -> Sitter:
        """The learner as it is now."""
        return replace(self.learner, weights=self.weights.copy())

    def checkpoint(self) -> Arrays:
        """Weights, moments and baseline."""
        return {
            "weights": self.weights.copy(),
            "first": self.first.copy(),
            "second": self.second.copy(),
            "baseline": self.baseline.copy(),
        }

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        fit_like(arrays, self.checkpoint())
        fit_squares("second", arrays["second"])
        self.weights, self.first, self.second, self.baseline = (
            arrays[name].copy() for name in ("weights", "first", "second", "baseline")
        )

    def model(self) -> Model:
        """The weights; constant ones if they do not depend on the state."""
        kind = LINEAR if self.inputs else CONSTANT
        return voter_model(kind, self.weights[None, :].copy(), self.settings)


def climb(
    rules: Rules, start: FloatArray, advice: str, others: Sequence[Sitter], seed: int, steps: int, games: int,
    score: Callable[[FloatArray], float],
) -> FloatArray:  # fmt: skip
    """The best constant weights found by a (1+1) hill climb.

    Each step changes some of the weights at random and plays new and old weights on the same fresh deals; the better
    ones stay. Fresh deals keep luck from being climbed.

    :param score: what counts, from mean points of player and others; higher is better.
    """
    dice = numpy_dice(seed, 77)
    best = start.copy()
    for step in range(steps):
        change = dice.normal(0.0, CLIMB_SPREAD, len(best)) * (dice.random(len(best)) < 0.4)
        if not change.any():
            continue
        results = [
            score(tournament(rules, constant(weights, advice), others, seed, f"climb {step}", games).mean(axis=0))
            for weights in (best, best + change)
        ]
        if results[1] > results[0]:
            best = best + change
    return best
