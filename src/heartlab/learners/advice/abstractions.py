"""State-abstraction advice: compiled functions from an observation to a value between 0 and 1.

The paper's seventeen are: Q♠ out (1), opponents void by distribution (4), each opponent void by behaviour (8 with two
opponents), cards out per suit (4). The table learner merges the two kinds of void into one (8). Others are ours.
With more players there are more opponents; opponents count clockwise from the next seat.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, bit, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import NOBODY, SEATS
from heartlab.kernel.ranks import HEARTS, QUEEN_BIT, suit_mask
from heartlab.learners.advice.pieces import MOON_GROWS
from heartlab.players.gnome.memory import SEVERAL, is_last, points_taken, sole_scorer

SUIT_NAMES = ("clubs", "diamonds", "spades", "hearts")
OPPONENTS = SEATS - 1
QUEEN_OUT = 0
DISTRIBUTION = 1
BEHAVIOUR = DISTRIBUTION + 4
VOID = BEHAVIOUR + 4 * OPPONENTS
COUNT = VOID + 4 * OPPONENTS
(
    LEADING, UNABLE, LAST, POINTS_ON_TABLE, QUEEN_OWN, BONUS_OPEN, EARLY, LATE, OWN_POINTS, MOON_OPEN, QUEEN_HELD,
    RIVAL_MOON, BIG_TRICK, HEARTS_OUT,
) = range(COUNT + 4, COUNT + 18)  # fmt: skip

NAMES: dict[str, tuple[int, str]] = {"queen-out": (QUEEN_OUT, "Q♠ has been played or is in our hand.")}
for _suit, _name in enumerate(SUIT_NAMES):
    NAMES[f"none-left-{_name}"] = (DISTRIBUTION + _suit, f"All {_name} are played or in our hand.")
for _opponent in range(OPPONENTS):
    for _suit, _name in enumerate(SUIT_NAMES):
        _place = 4 * _opponent + _suit
        _who = f"Opponent {_opponent + 1}"
        NAMES[f"showed-void-{_opponent + 1}-{_name}"] = (
            BEHAVIOUR + _place,
            f"{_who} has shown by its play that it holds no {_name}.",
        )
        NAMES[f"void-{_opponent + 1}-{_name}"] = (
            VOID + _place,
            f"{_who} holds no {_name}, by its play or because none are left.",
        )
for _suit, _name in enumerate(SUIT_NAMES):
    NAMES[f"out-{_name}"] = (COUNT + _suit, f"The share of the {_name} that has been played.")
NAMES |= {
    "leading": (LEADING, "We lead."),
    "unable": (UNABLE, "We cannot follow suit."),
    "last": (LAST, "We are the last to play to the trick."),
    "points-on-table": (POINTS_ON_TABLE, "There are points on the table."),
    "queen-own": (QUEEN_OWN, "Q♠ is in our hand."),
    "bonus-open": (BONUS_OPEN, "The bonus card (J♦) has not been taken yet."),
    "early": (EARLY, "The deal is in its first third."),
    "late": (LATE, "The deal is in its last third."),
    "own-points": (OWN_POINTS, "We have taken points."),
    "moon-open": (MOON_OPEN, "At most one player has taken points so far."),
    "queen-elsewhere": (QUEEN_HELD, "Q♠ is with somebody else."),
    "rival-moon": (RIVAL_MOON, "One rival has all points so far, at least ten."),
    "big-trick": (BIG_TRICK, "Q♠ is on the table."),
    "hearts-out": (HEARTS_OUT, "At least half of the hearts have been played."),
}


def opponent_of(number: int) -> int:
    """Which opponent an abstraction is about, clockwise from 1; 0 if it is about none."""
    return 1 + (number - BEHAVIOUR) % (4 * OPPONENTS) // 4 if BEHAVIOUR <= number < COUNT else 0


@kernel
def _cards_out(rules: Any, obs: Any, suit: int) -> int:
    """How many cards of a suit have been played."""
    played = ZERO
    for seat in range(rules["players"]):
        played |= obs["played"][seat]
    return popcount(played & suit_mask(suit))


@kernel
def _further_value(number: int, rules: Any, obs: Any, unseen: np.uint64) -> bool:
    """The abstractions beyond the paper, all of them yes or no."""
    if number == LEADING:
        return obs["led"] == ZERO
    if number == UNABLE:
        return obs["led"] != ZERO and obs["hand"] & obs["led"] == ZERO
    if number == LAST:
        return is_last(rules, obs)
    if number == POINTS_ON_TABLE:
        return obs["trick"] & rules["penalty"] != ZERO
    if number == QUEEN_OWN:
        return obs["hand"] & QUEEN_BIT != ZERO
    if number == BONUS_OPEN:
        return rules["bonus"] >= 0 and (unseen | obs["hand"] | obs["trick"]) & bit(rules["bonus"]) != ZERO
    if number == EARLY:
        return 3 * obs["trick_number"] < rules["hand_size"]
    if number == LATE:
        return 3 * obs["trick_number"] >= 2 * rules["hand_size"]
    if number == OWN_POINTS:
        return obs["taken"][obs["seat"]] & rules["penalty"] != ZERO
    if number == MOON_OPEN:
        return sole_scorer(rules, obs) != SEVERAL
    if number == QUEEN_HELD:
        return unseen & QUEEN_BIT != ZERO
    if number == RIVAL_MOON:
        sole = sole_scorer(rules, obs)
        rival = sole != NOBODY and sole != SEVERAL and sole != obs["seat"]
        return rival and points_taken(rules, obs, sole) >= MOON_GROWS
    if number == BIG_TRICK:
        return obs["trick"] & QUEEN_BIT != ZERO
    return 2 * _cards_out(rules, obs, 3) >= popcount(HEARTS)


@kernel
def built_in_value(number: int, rules: Any, obs: Any, unseen: np.uint64) -> float:
    """The value of an abstraction by its number."""
    if number >= LEADING:
        return 1.0 if _further_value(number, rules, obs, unseen) else 0.0
    if number >= COUNT:
        return _cards_out(rules, obs, number - COUNT) / 13.0
    if number == QUEEN_OUT:
        return 1.0 if unseen & QUEEN_BIT == ZERO else 0.0
    if number < BEHAVIOUR:
        return 1.0 if unseen & suit_mask(number - DISTRIBUTION) == ZERO else 0.0
    place = (number - BEHAVIOUR) % (4 * OPPONENTS)
    seat = (obs["seat"] + 1 + place // 4) % rules["players"]
    held = obs["may_hold"][seat]
    if number >= VOID:
        return 1.0 if held & suit_mask(place % 4) == ZERO or unseen & suit_mask(place % 4) == ZERO else 0.0
    return 1.0 if held & suit_mask(place % 4) == ZERO else 0.0
