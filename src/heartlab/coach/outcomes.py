"""What happened in deals that were played to their end: points, Q♠, hearts and moons, counted for one seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import HEARTS, QUEEN_OF_SPADES
from heartlab.coach.playing_on import Ends
from heartlab.kernel.layout import SEATS
from heartlab.kernel.table import points_table
from heartlab.players import Observations
from heartlab.rules import Rules

ONE = np.uint64(1)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """What happens after a choice: shares and means over the deals that were played to their end.

    >>> from heartlab import Deal
    >>> deal = Deal("standard", seed=1, number=3)
    >>> from heartlab.coach import Judge
    >>> one = next(iter(Judge(worlds=8).judge(deal, seed=0).outcomes.values()))
    >>> round(13 * one.queen + one.hearts + 26 * one.moon - 52 * one.own_moon - one.points, 9)
    0.0
    """

    points: float
    """Points of the deal; a moon counts as the shooter's gain of 26 on everybody."""
    queen: float
    """The seat has taken Q♠ in the end."""
    hearts: float
    """The points of the hearts that it has taken."""
    bonus: float
    """The points of other cards: J♦ and the like."""
    moons: float
    """The points that moons add or take off."""
    shooters: tuple[float, ...]
    """How often each seat shoots the moon."""
    moon: float
    """Another seat shoots the moon."""
    own_moon: float
    """The seat itself does."""
    takes: float
    """The seat takes this trick."""
    trick_points: float
    """Mean points of this trick, whoever takes it."""
    takes_points: float
    """The seat takes this trick, and with it a card that counts."""
    queen_to_me: float
    """Q♠ falls in this trick and the seat takes it."""
    queen_to_other: float
    """Q♠ falls in this trick and another seat takes it."""


def count_ends(batch: Observations, seat: int, ends: Ends) -> tuple[Floats, list[Outcome]]:
    """The points of a seat in each finished deal, [choices, worlds], and what happened in them."""
    choices, count = ends.states.shape
    flat = ends.states.reshape(-1)
    points, shooters = np.zeros((len(flat), SEATS), np.int64), np.zeros(len(flat), np.int64)
    points_table(batch.compiled, flat, points, shooters)
    value = points[:, seat].astype(np.float64)
    total = batch.rules.total_points
    paid = points[np.arange(len(flat)), shooters] <= -total / 2  # the shooter's points were taken off
    value[(shooters == seat) & ~paid] -= total
    value[(shooters >= 0) & (shooters != seat) & paid] += total
    taken = flat["taken"][:, seat]
    hearts = sum_points(batch.rules, taken, hearts=True)
    rest = sum_points(batch.rules, taken, hearts=False)
    queen = (taken >> np.uint64(QUEEN_OF_SPADES)) & ONE == ONE
    rest -= queen * batch.rules.queen_points
    tricks = ends.tricks.reshape(-1, SEATS)
    found = []
    for i in range(choices):
        part = slice(i * count, (i + 1) * count)
        moons = value[part] - hearts[part] - rest[part] - queen[part] * batch.rules.queen_points
        ended = (value[part], queen[part], hearts[part], rest[part], moons, shooters[part])
        found.append(_outcome(batch.rules, seat, ended, tricks[part]))
    return value.reshape(choices, count), found


def _outcome(rules: Rules, seat: int, ended: Sequence[npt.NDArray[Any]], tricks: npt.NDArray[np.uint64]) -> Outcome:
    """The shares and means of one choice."""
    value, queen, hearts, rest, moons, shooters = ended
    trick = np.bitwise_or.reduce(tricks, axis=1)
    takes = tricks[:, seat] != 0
    falls = (trick >> np.uint64(QUEEN_OF_SPADES)) & ONE == ONE
    worth = sum_points(rules, trick & np.uint64(rules.penalty_cards.mask))
    shares = tuple(float(np.mean(shooters == one)) for one in range(rules.players))
    return Outcome(
        points=float(np.mean(value)),
        queen=float(np.mean(queen)),
        hearts=float(np.mean(hearts)),
        bonus=float(np.mean(rest)),
        moons=float(np.mean(moons)),
        shooters=shares,
        moon=float(sum(share for one, share in enumerate(shares) if one != seat)),
        own_moon=shares[seat],
        takes=float(np.mean(takes)),
        trick_points=float(np.mean(worth)),
        takes_points=float(np.mean(takes & (worth > 0))),
        queen_to_me=float(np.mean(falls & takes)),
        queen_to_other=float(np.mean(falls & ~takes)),
    )


def sum_points(rules: Rules, masks: npt.NDArray[np.uint64], *, hearts: bool | None = None) -> Floats:
    """What the cards of each mask count; only hearts, or only others, if asked for."""
    total = np.zeros(len(masks))
    for card in range(52):
        worth = rules.card_points(card)
        if worth and hearts in (None, card // 13 == HEARTS):
            total += worth * ((masks >> np.uint64(card)) & ONE).astype(np.float64)
    return total
