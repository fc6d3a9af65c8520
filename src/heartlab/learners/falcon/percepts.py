"""The ten percepts of the FALCON paper as bits of one number, four more about the trick, and their sentences.

"Others hold" means: not in our hand and not yet played. Cards on the table count as played, so no hidden information is
used. Without a heart in hand the four bits about hearts are 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from heartlab.compiled.bits import ZERO, highest, lowest
from heartlab.compiled.jit import kernel
from heartlab.kernel.ranks import ACE_BIT, HEARTS, KING_BIT, QUEEN_BIT, SPADES, higher, lower

COUNT = 10
PLACE_COUNT = 4
"""Bits of `Percepts.PLACE` beyond the ten."""


@kernel
def _card_bits(card: np.uint64, hand: np.uint64, others: np.uint64, trick: np.uint64) -> np.uint64:
    """Where a card is: 11 ours, 10 with the others, 01 on the table, 00 played earlier (first digit: lower bit)."""
    if hand & card != ZERO:
        return np.uint64(3)
    if others & card != ZERO:
        return np.uint64(1)
    return np.uint64(2) if trick & card != ZERO else ZERO


@kernel
def paper_percepts(hand: np.uint64, others: np.uint64, trick: np.uint64) -> np.uint64:
    """The ten bits, the first percept lowest."""
    code = ZERO
    hearts = hand & HEARTS
    if hearts != ZERO:
        top, low = highest(hearts), lowest(hearts)
        if others & higher(top) != ZERO:
            code |= np.uint64(1)
        if others & lower(top) != ZERO:
            code |= np.uint64(2)
        if others & higher(low) != ZERO:
            code |= np.uint64(4)
        if others & lower(low) != ZERO:
            code |= np.uint64(8)
    code |= _card_bits(QUEEN_BIT, hand, others, trick) << np.uint64(4)
    code |= _card_bits(KING_BIT, hand, others, trick) << np.uint64(6)
    return code | _card_bits(ACE_BIT, hand, others, trick) << np.uint64(8)


@kernel
def place_percepts(rules: Any, state: Any) -> np.uint64:
    """Four bits beyond the paper: our place in the trick (two bits), hearts on the table, Q♠ on the table."""
    code = np.uint64(state["trick_size"])
    trick = state["trick"] & rules["penalty"]
    if trick & ~SPADES != ZERO:
        code |= np.uint64(4)
    if trick & QUEEN_BIT != ZERO:
        code |= np.uint64(8)
    return code


@kernel
def unplayed_elsewhere(rules: Any, state: Any, hand: np.uint64) -> np.uint64:
    """The cards that others may hold: neither in our hand nor played; from a state or an observation."""
    cards = rules["pack"] & ~hand
    for seat in range(rules["players"]):
        cards &= ~state["played"][seat]
    return cards


# --- in words ---


class Sentence(NamedTuple):
    """A condition in words: what stands after `denial` is denied."""

    before: str
    denial: str = ""
    """The word that denies, such as "no" or "cannot"; empty in a sentence that denies nothing."""
    after: str = ""

    @property
    def text(self) -> str:
        """The whole sentence."""
        return " ".join(filter(None, self))

    def affirms(self, part: str) -> bool:
        """Whether the sentence contains a part, in any case, and does not deny it: neither before nor right behind."""
        text, part = self.text.casefold(), part.casefold()
        begin = len(self.before) + bool(self.before)
        end = begin + len(self.denial)
        start = text.find(part)
        while start >= 0:
            stop = start + len(part)
            if not self.denial or (start < end <= stop) or text[stop:begin].strip():
                return True
            start = text.find(part, start + 1)
        return False


CARDS = ("Q♠", "K♠", "A♠")
CARD_STATES = ("has been played", "is on the table", "is with the others", "is ours")
"""The two bits of a card in `CARDS` as a number: the first bit counts two."""
_HEARTS = tuple(f"heart {side} our {which} heart" for which in ("highest", "lowest") for side in ("above", "below"))
_PLACE = (
    (Sentence("1 or 3 cards are on the table"), Sentence("", "none", "or 2 cards are on the table")),
    (Sentence("2 or 3 cards are on the table"), Sentence("at most 1 card is on the table")),
    (Sentence("hearts are on the table"), Sentence("", "no", "hearts are on the table")),
    (Sentence("Q♠ is on the table"), Sentence("Q♠ is", "not", "on the table")),
)
"""The four bits beyond the ten: what 1 means, and what 0 means."""


def describe_percepts(code: int) -> list[Sentence]:
    """The ten bits in words, without what follows from others of them."""
    ten = (1 << COUNT) - 1
    return describe_bits(code & ten, ~code & ten)


def describe_place(code: int) -> list[Sentence]:
    """All four bits of the place in words."""
    words = [Sentence(f"{code & 3} card(s) on the table")]
    return words + [yes for bit, (yes, _) in enumerate(_PLACE) if bit >= 2 and code >> bit & 1]


def describe_bits(ones: int, zeros: int) -> list[Sentence]:
    """What is known if some bits are 1 and some are 0; the four bits of the place come after the ten."""
    words = _describe_hearts(ones, zeros)
    for card, place in zip(CARDS, (4, 6, 8), strict=True):
        known = (ones | zeros) >> place & 3
        bits = ones >> place & 3
        fits = [code for code in (3, 1, 2, 0) if code & known == bits]
        if known:
            states = " or ".join(CARD_STATES[2 * (code & 1) + (code >> 1)] for code in fits)
            words.append(Sentence(f"{card} {states}"))
    for place, (yes, no) in enumerate(_PLACE, COUNT):
        if (ones | zeros) >> place & 1:
            words.append(yes if ones >> place & 1 else no)
    return words


def _describe_hearts(ones: int, zeros: int) -> list[Sentence]:
    """What is known about hearts, without what follows from the rest.

    Without a heart of ours all four bits are 0: only a 1 shows that we hold one.
    """
    above_highest, below_highest, above_lowest, below_lowest = (bool(zeros >> place & 1) for place in range(4))
    if (above_lowest and (below_highest or below_lowest)) or (above_highest and below_highest):
        return [Sentence("we or the others hold", "no", "heart")]
    implied = (
        above_highest and above_lowest,  # none above our lowest: none above our highest either
        ones & 0b1010 == 0b1010,
        ones & 0b0101 == 0b0101,
        below_lowest and below_highest,
    )
    doubt = "" if ones & 15 else ", if we hold one"
    return [
        Sentence(f"others hold a {text}") if ones >> place & 1 else Sentence("others hold", "no", text + doubt)
        for place, text in enumerate(_HEARTS)
        if (ones | zeros) >> place & 1 and not implied[place]
    ]
