"""Which atomic features exclude each other: pairs that can never be true together.

A conjunction of two such features is never active, so it is never stored and never visited. The pairs follow from what
the features mean; the tests look for counter-examples, and for pairs that are missing here, in random play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product

from heartlab.learners.td_features.features import (
    ATOMS,
    FORCED_AT,
    LEAD_AT,
    LEADER_AT,
    LOW_SPADES_AT,
    POINTS_BLOCK,
    QUEEN_PLAYER_AT,
    SINGLE_AT,
    SUIT_BLOCK,
    SUITS_AT,
)

HOLD_QUEEN, HOLD_ACE, HOLD_KING = 0, 1, 2
DEALT_NONE, SHORT, NOT_SHORT, EXIT = 1, 4, 5, 7
"""Places within the block of a side suit."""


def _one_hot(first: int, count: int) -> Iterator[tuple[int, int]]:
    """At most one of a row of features is true."""
    return combinations(range(first, first + count), 2)


def _suits() -> Iterator[tuple[int, int]]:
    """Within each side suit: one count dealt, short or not, and what needs a card of the suit."""
    for i in range(3):
        block, forced = SUITS_AT + SUIT_BLOCK * i, FORCED_AT + 1 + i
        yield from _one_hot(block, 4)
        yield block + SHORT, block + NOT_SHORT
        yield from product((block + SHORT, block + DEALT_NONE), (block + EXIT, forced))
        yield block + DEALT_NONE, block + NOT_SHORT
        yield block + EXIT, forced


def _spades() -> Iterator[tuple[int, int]]:
    """One count of low spades; a single high spade leaves room for no other."""
    yield from _one_hot(LOW_SPADES_AT, 6)
    yield from _one_hot(SINGLE_AT, 3)
    some_low = [LOW_SPADES_AT, *range(LOW_SPADES_AT + 2, LOW_SPADES_AT + 6)]
    high = (HOLD_QUEEN, HOLD_ACE, HOLD_KING)
    for place, own in enumerate(high):
        single = SINGLE_AT + place
        yield from ((single, low) for low in some_low)
        yield from ((single, other) for other in high if other != own)


def _queen_player() -> Iterator[tuple[int, int]]:
    """Its counts; nothing of it is true when Q♠ is ours."""
    yield from _one_hot(QUEEN_PLAYER_AT, 4)
    yield from _one_hot(QUEEN_PLAYER_AT + 4, 4)
    yield from ((QUEEN_PLAYER_AT + 4, QUEEN_PLAYER_AT + 8 + i) for i in range(3))
    yield from product((HOLD_QUEEN, SINGLE_AT), range(QUEEN_PLAYER_AT, QUEEN_PLAYER_AT + 11))


def _leader() -> Iterator[tuple[int, int]]:
    """Nothing of it is true when we lead; short or not."""
    yield from ((LEAD_AT, LEADER_AT + i) for i in range(8))
    yield from ((LEADER_AT + i, LEADER_AT + 4 + i) for i in range(4))


def _heart_points() -> Iterator[tuple[int, int]]:
    """Three counts that add up to 13."""
    blocks = [64 + POINTS_BLOCK * i for i in range(3)]
    for block in blocks:
        yield from _one_hot(block, POINTS_BLOCK)
    for one, two in combinations(blocks, 2):
        yield from ((one + a, two + b) for a, b in product(range(14), repeat=2) if a + b > 13)


@cache
def exclusions() -> frozenset[tuple[int, int]]:
    """All pairs of built-in atomic features that exclude each other, the smaller number first."""
    rules: Iterable[Iterable[tuple[int, int]]] = (_suits(), _spades(), _queen_player(), _leader(), _heart_points())
    return frozenset((min(pair), max(pair)) for pairs in rules for pair in pairs)


def exclusive(one: int, two: int) -> bool:
    """Whether two atoms, clauses among them, can never be true together."""
    literals = [ATOMS[number].literals or ((number, True),) for number in (one, two)]
    return all(_clash(a, b) for a, b in product(*literals))


def _clash(one: tuple[int, bool], two: tuple[int, bool]) -> bool:
    """Whether two literals exclude each other."""
    (a, a_wanted), (b, b_wanted) = one, two
    if a_wanted and b_wanted:
        return (min(a, b), max(a, b)) in exclusions() or a in ATOMS[b].excludes or b in ATOMS[a].excludes
    return a == b and a_wanted != b_wanted
