"""The players of games between voters, in Python: sitters with their weights, and games between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.rng import seed_key
from heartlab.kernel.layout import SEATS, StateArray, compile_rules
from heartlab.learners.advice.kernels import (
    GNOME,
    JOINT,
    RANDOM,
    SEAT,
    STILL,
    TD,
    VOTES,
    Company,
    Games,
    play_games,
    prepare,
)
from heartlab.learners.advice.registry import custom_functions, find_pieces
from heartlab.learners.advice.vote import CONSTANT, VOTER, Choice, check_voter, make_voter
from heartlab.rules import Rules
from heartlab.util.errors import quoted

FloatArray = npt.NDArray[np.float64]
PointArray = npt.NDArray[np.int32]
LEARNING_RULES = {"still": STILL, "td": TD, "joint": JOINT}


def reward_range(rules: Rules) -> tuple[float, float]:
    """The best and the worst score of a deal, which become the rewards 1 and 0.

    Best is shooting the moon, if that subtracts points, with the bonus card; worst is taking all points.
    """
    worst = float(rules.total_points)
    best = (-worst if rules.moon in ("self", "best", "choice") else 0.0) + min(
        0, rules.bonus_points if rules.bonus is not None else 0
    )
    return best, worst


@dataclass(frozen=True)
class Sitter:
    """A player. Voters have weights; those with a learning rule change them."""

    who: int
    voters: StateArray = field(default_factory=lambda: np.zeros(1, VOTER))
    """An array of one VOTER record."""
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))
    rule: str = "still"
    rate: float = 0.1
    momentum: float = 0.0
    trace: float = 0.0
    forced: bool = True
    everybody: bool = False

    def frozen(self) -> Sitter:
        """The same with learning turned off."""
        return replace(self, rule="still")


def constant(weights: Any, advice: str = "paper", choice: Choice = Choice.SUM) -> Sitter:
    """A voter with one weight per piece, the same in every state."""
    return Sitter(VOTES, make_voter(CONSTANT, find_pieces(advice), choice=choice), np.array(weights, np.float64))


def sitter(name: str) -> Sitter:
    """A sitter that does not learn: ``random``, ``gnome``, ``voting`` or ``voting-LIST`` with a list of advice.

    :raises ValueError: for any other name.
    """
    if name == "random":
        return Sitter(RANDOM)
    if name == "gnome":
        return Sitter(GNOME)
    family, _, advice = name.partition("-")
    if family == "voting":
        pieces = find_pieces(advice or "paper")
        return Sitter(VOTES, make_voter(CONSTANT, pieces), np.ones(len(pieces)))
    raise ValueError(f"nobody called {quoted(name)} can sit here; known are random, gnome, voting, voting-all")


class AdviceTable:
    """Sitters in their seats, with their weights in one array that the compiled loop changes."""

    def __init__(self, rules: Rules, sitters: Sequence[Sitter]) -> None:
        if len(sitters) != rules.players:
            raise ValueError(f"{len(sitters)} sitters for the {rules.players} seats of {rules}")
        self.rules = rules
        self.sitters = list(sitters)
        self.seats: StateArray = np.zeros(SEATS, SEAT)
        self.voters: StateArray = np.zeros(SEATS, VOTER)
        best, worst = reward_range(rules)
        offset = 0
        for place, one in enumerate(sitters):
            check_voter(one.voters, rules, f"the sitter in place {place}")
            self.voters[place] = one.voters[0]
            self.voters[place]["offset"] = offset
            offset += len(one.weights)
            seat = self.seats[place]
            seat["who"], seat["rule"] = one.who, LEARNING_RULES[one.rule]
            seat["forced"], seat["everybody"] = one.forced, one.everybody
            seat["rate"], seat["momentum"], seat["trace"] = one.rate, one.momentum, one.trace
            seat["best"], seat["worst"] = best, worst
        self.floats = np.concatenate([*(one.weights for one in sitters), np.zeros(1)])
        self.velocity = np.zeros_like(self.floats)
        prepare()

    def weights(self, place: int) -> FloatArray:
        """The weights of a sitter as they are now: a view."""
        start = int(self.voters[place]["offset"])
        return self.floats[start : start + len(self.sitters[place].weights)]

    def play(self, seed: int, purpose: str, first: int, count: int) -> PointArray:
        """Play games number `first` and on; returns the points, [games, seats]."""
        games = self.games(seed, purpose, first, count)
        play_games(games, self.company, *custom_functions())
        points: PointArray = games.out[:, : self.rules.players]
        return points

    def games(self, seed: int, purpose: str, first: int, count: int) -> Games:
        """Games number `first` and on, as kernels take them."""
        keys = np.uint64(seed_key(seed, f"{purpose} deals")), np.uint64(seed_key(seed, f"{purpose} players"))
        return Games(compile_rules(self.rules), *keys, first, np.zeros((count, SEATS), np.int32))

    @property
    def company(self) -> Company:
        """The seats as kernels take them."""
        return Company(self.seats, self.voters, self.floats, self.velocity)


def tournament(
    rules: Rules, player: Sitter, others: Sequence[Sitter], seed: int, purpose: str, games: int
) -> PointArray:
    """Play frozen games in which the others swap seats after half of them, as in the paper.

    Returns the points, [games, sitters]: the player first, then the others in the order given.
    """
    frozen = [player.frozen(), *(other.frozen() for other in others)]
    half = games // 2
    straight = AdviceTable(rules, frozen).play(seed, purpose, 0, half)
    swapped = AdviceTable(rules, [frozen[0], *reversed(frozen[1:])]).play(seed, purpose, half, games - half)
    swapped = np.concatenate([swapped[:, :1], swapped[:, :0:-1]], axis=1)
    return np.concatenate([straight, swapped])
