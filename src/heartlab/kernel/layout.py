"""The records that kernels work on, field by field, and the conversion of `Rules` to a record.

All masks are uint64. Arrays over seats have length six; with fewer players the rest stays zero.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import CARDS, CS_ALL, CS_HIGH_SPADES
from heartlab.rules import MAX_PLAYERS, Rules

SEATS = MAX_PLAYERS
PASSING, PLAYING, OVER = 0, 1, 2
"""Phases of a deal."""
NOBODY = -1
OPENINGS = ("2C", "any-club", "lowest-club", "left-of-dealer", "random")
OPEN_2C, OPEN_ANY_CLUB, OPEN_LOWEST_CLUB, OPEN_DEALER, OPEN_RANDOM = range(5)
KITTIES = ("none", "first-trick", "first-heart", "nobody")
KITTY_NONE, KITTY_FIRST_TRICK, KITTY_FIRST_HEART, KITTY_NOBODY = range(4)
MOONS = ("off", "others", "self", "best", "choice")
MOON_OFF, MOON_OTHERS, MOON_SELF, MOON_BEST, MOON_CHOICE = range(5)
MAX_CYCLE = 32

RULES = np.dtype(
    [
        ("pack", "u8"),  # the cards in play
        ("penalty", "u8"),  # cards worth more than zero
        ("no_pass", "u8"),  # cards that may not be passed
        ("points", "i4", 52),  # what each card counts
        ("deck", "i1", 52),  # the cards in play as a list
        ("deck_size", "i1"),
        ("limit", "i4"),
        ("no_tricks", "i4"),
        ("passing", "i1", MAX_CYCLE),  # the pass cycle in codes
        ("cycle", "i1"),  # its length
        ("players", "i1"),
        ("hand_size", "i1"),
        ("pass_count", "i1"),
        ("opening", "i1"),
        ("kitty", "i1"),
        ("kitty_seen", "i1"),
        ("first_trick_points", "i1"),
        ("must_break", "i1"),
        ("queen_breaks", "i1"),
        ("hearts_before_queen", "i1"),
        ("queen_after_hearts", "i1"),
        ("moon", "i1"),
        ("moon_needs_bonus", "i1"),
        ("sun", "i1"),
        ("bonus", "i1"),  # a card, or -1
        ("doubler", "i1"),  # a card, or -1
        ("over_limit", "i1"),
        ("fixed_deals", "i1"),  # the game ends after a number of deals, not by score
        ("play_on", "i1"),  # a game does not end while two share the lowest total
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("hands", "u8", SEATS),  # what each seat holds now
        ("played", "u8", SEATS),  # what each seat has played
        ("taken", "u8", SEATS),  # what each seat has won, kitty included
        ("may_hold", "u8", SEATS),  # cards that a seat can still hold, given what it has played
        ("passed", "u8", SEATS),  # what each seat passed
        ("received", "u8", SEATS),  # what each seat received
        ("kitty", "u8"),
        ("led", "u8"),  # the suit led to this trick; empty before the lead
        ("trick", "u8"),  # the cards of this trick
        ("deal_number", "i4"),
        ("scores", "i4", SEATS),  # totals before this deal
        ("trick_cards", "i1", SEATS),  # the cards of this trick in order of play
        ("tricks_won", "i1", SEATS),
        ("trick_size", "i1"),  # cards in this trick
        ("trick_number", "i1"),  # tricks finished
        ("plays", "i1"),  # cards played
        ("to_move", "i1"),
        ("leader", "i1"),  # the leader of this trick
        ("winner", "i1"),  # the seat that is winning it
        ("best", "i1"),  # its card
        ("hearts_broken", "i1"),
        ("phase", "i1"),
        ("pass_code", "i1"),  # seats clockwise, or SCATTER, POOL
        ("to_pass", "i1"),  # bit mask of the seats that still have to pass
        ("kitty_taker", "i1"),
        ("moon_choice", "i1"),  # MOON_OFF (not chosen), MOON_OTHERS or MOON_SELF
    ],
    align=True,
)

OBSERVATION = np.dtype(
    [
        ("hand", "u8"),
        ("legal", "u8"),  # empty unless this seat is to play a card
        ("passed", "u8"),  # what this seat passed
        ("received", "u8"),  # what this seat received
        ("kitty", "u8"),  # only if this seat has seen it
        ("led", "u8"),
        ("trick", "u8"),
        ("random", "u8"),  # the random key of this decision: the player's only source of randomness
        ("played", "u8", SEATS),
        ("taken", "u8", SEATS),  # without a kitty that this seat has not seen
        ("may_hold", "u8", SEATS),
        ("deal_number", "i4"),
        ("scores", "i4", SEATS),
        ("trick_cards", "i1", SEATS),
        ("tricks_won", "i1", SEATS),
        ("hand_sizes", "i1", SEATS),
        ("history", "i1", 52),  # cards in order of play, -1 from `plays` on
        ("seat", "i1"),
        ("trick_size", "i1"),
        ("trick_number", "i1"),
        ("plays", "i1"),
        ("to_move", "i1"),
        ("leader", "i1"),
        ("winner", "i1"),
        ("best", "i1"),
        ("hearts_broken", "i1"),
        ("phase", "i1"),
        ("pass_code", "i1"),
        ("to_pass", "i1"),
        ("kitty_taker", "i1"),
    ],
    align=True,
)

LINE_BYTES = 128
"""Two cache lines: processors fetch them in pairs."""
StateArray = npt.NDArray[Any]
"""An array of STATE, OBSERVATION or RULES records (numpy has no type for them)."""


def apart(size: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Zeros that share no cache line with anything else, for memory that one thread writes often.

    Small arrays allocated in sequence are adjacent, and threads that write to the same cache line slow each other down
    (false sharing): max^n on two threads was 1.4 times as fast as on one with plain counters, 1.6 times with these.
    """
    length = np.dtype(dtype).itemsize * size
    return np.zeros(length + 2 * LINE_BYTES, np.uint8)[LINE_BYTES : LINE_BYTES + length].view(dtype)


@lru_cache(maxsize=256)
def compile_rules(rules: Rules) -> StateArray:
    """The rules as an array of one RULES record, as kernels take them; read-only and cached."""
    array = np.zeros(1, RULES)
    record = array[0]
    record["pack"] = CS_ALL & ~rules.removed.mask
    deck = [card for card in CARDS if card not in rules.removed]
    record["deck"][: len(deck)] = deck
    record["deck_size"] = len(deck)
    record["penalty"] = rules.penalty_cards.mask
    record["no_pass"] = 0 if rules.pass_high_spades else CS_HIGH_SPADES
    record["points"] = [rules.card_points(card) for card in CARDS]
    record["limit"] = rules.limit
    record["no_tricks"] = rules.no_tricks
    record["passing"][: len(rules.passing)] = [rules.pass_code(direction) for direction in rules.passing]
    record["cycle"] = len(rules.passing)
    record["players"] = rules.players
    record["hand_size"] = rules.hand_size
    record["pass_count"] = rules.pass_count
    record["opening"] = OPENINGS.index(rules.opening)
    record["kitty"] = KITTIES.index(rules.kitty)
    record["kitty_seen"] = rules.kitty_seen
    record["first_trick_points"] = rules.first_trick_points
    record["must_break"] = rules.hearts == "broken"
    record["queen_breaks"] = rules.queen_breaks_hearts
    record["hearts_before_queen"] = rules.hearts_before_queen
    record["queen_after_hearts"] = rules.queen_after_hearts
    record["moon"] = MOONS.index(rules.moon)
    record["moon_needs_bonus"] = rules.moon_needs_bonus
    record["sun"] = rules.sun
    record["bonus"] = -1 if rules.bonus is None else rules.bonus
    record["doubler"] = -1 if rules.doubler is None else rules.doubler
    record["over_limit"] = rules.over_limit
    record["fixed_deals"] = rules.deals is not None
    record["play_on"] = rules.ties == "play-on"
    array.flags.writeable = False
    return array
