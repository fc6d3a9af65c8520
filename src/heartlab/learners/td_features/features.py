"""Atomic features: named predicates of (open state, seat) at trick boundaries, as bits of a mask.

The 102 built-in ones are those of Sturtevant and White (2006): 60 about suits, spades, Q♠ and the lead, and 42 about
heart points taken and still to be taken. A mask has two words; an atom's number is its place in them: 0 to 59 and 64 to
105. The places in between and behind belong to features that users add (:func:`atom`).

Cards are compared by rank. *We* are the seat that looks; the *Q♠ player* is the other seat that holds Q♠; the *leader*
is the seat about to lead if it is not us; a suit is *short* if no card of it is held; an *exit* is a card that cannot
win a trick led in its suit because some opponent's lowest card is higher; *forced high* means that even our lowest card
wins any trick led in the suit.

A *clause* is an atom made of others, written with their names, `or` and `not`: ``we have A♠ or we have K♠``, ``not exit
♥``. So conjunctions of clauses can express any logical formula. A model names the clauses that it uses, and they are
made again when it is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError

from heartlab.compiled.bits import ONE, ZERO, bit, popcount
from heartlab.compiled.jit import compile_reason, kernel, pointed
from heartlab.kernel.layout import RULES, STATE
from heartlab.kernel.ranks import ACE_BIT, CLUBS, DIAMONDS, HEARTS, KING_BIT, QUEEN_BIT, SMALL_SPADES, SPADES
from heartlab.util.errors import quoted
from heartlab.util.registry import need_name

WORDS = 2
MAX_ATOMS = 64 * WORDS

LOW_SPADES_AT, SUITS_AT, SINGLE_AT, LEAD_AT, QUEEN_PLAYER_AT, LEADER_AT, FORCED_AT = 3, 9, 33, 36, 37, 48, 56
"""Where the blocks of the 60 begin."""
SUIT_BLOCK = 8
"""Atoms per side suit: dealt (4), short, not short, opponent short, exit."""
POINTS_BLOCK = 14
"""Values 0 to 13 of each count of heart points."""
MOON_ATOMS = (60, 61, 62, 63, 106, 107, 108, 109, 110)
MOON_NAMES = (
    "we took Q♠",
    "another took Q♠",
    "only we have points",
    "only another has points",
    "points split",
    "no points yet",
    "the other with points leads",
    "one has ≥10",
    "one has ≥20",
)
"""Places and names that are kept for the features of :mod:`heartlab.learners.td_features.moon`."""


@kernel
def _side_suit(rules: Any, state: Any, suit: np.uint64, block: int, forced: int, out: Any) -> None:
    """The eight atoms of a side suit for every seat, from `block` on, and whether it is forced high."""
    held = ZERO
    highest_low = ZERO
    shorts = 0
    for seat in range(rules["players"]):
        own = state["hands"][seat] & suit
        held |= own
        highest_low = max(highest_low, own & (~own + ONE))
        shorts += own == ZERO
    for seat in range(rules["players"]):
        hand = state["hands"][seat]
        own = hand & suit
        dealt = popcount((hand | state["played"][seat]) & suit)
        found = ONE if dealt >= 3 else ONE << np.uint64(dealt + 1)
        if own == ZERO:
            found |= np.uint64(0x10 | (0x40 if shorts > 1 else 0))
        else:
            low = own & (~own + ONE)
            found |= np.uint64(0x20 | (0x40 if shorts > 0 else 0) | (0x80 if highest_low > low else 0))
            if low > held & ~own:
                out[seat, 0] |= bit(forced)
        out[seat, 0] |= found << np.uint64(block)


@kernel
def _spades(hand: np.uint64, others: np.uint64) -> np.uint64:
    """What a seat's own spades say."""
    spades = hand & SPADES
    found = (spades >> np.uint64(36)) & ONE
    found |= ((spades >> np.uint64(38)) & ONE) << ONE
    found |= ((spades >> np.uint64(37)) & ONE) << np.uint64(2)
    low = popcount(spades & SMALL_SPADES)
    found |= bit(LOW_SPADES_AT if low >= 5 else LOW_SPADES_AT + 1 + low)
    if spades == QUEEN_BIT:
        found |= bit(SINGLE_AT)
    elif spades == ACE_BIT:
        found |= bit(SINGLE_AT + 1)
    elif spades == KING_BIT:
        found |= bit(SINGLE_AT + 2)
    if spades != ZERO and spades & (~spades + ONE) > others:
        found |= bit(FORCED_AT)
    return found


@kernel
def _shorts(hand: np.uint64) -> np.uint64:
    """The suits that a hand lacks, one bit each, in the order ♠ ♦ ♣ ♥."""
    found = ONE if hand & SPADES == ZERO else ZERO
    if hand & DIAMONDS == ZERO:
        found |= np.uint64(2)
    if hand & CLUBS == ZERO:
        found |= np.uint64(4)
    if hand & HEARTS == ZERO:
        found |= np.uint64(8)
    return found


@kernel
def _queen_player(hand: np.uint64) -> np.uint64:
    """What the others see of the seat that holds Q♠."""
    shorts = _shorts(hand) >> ONE
    found = bit(QUEEN_PLAYER_AT + min(3, popcount(hand & SMALL_SPADES)))
    found |= bit(QUEEN_PLAYER_AT + 4 + popcount(shorts))
    return found | shorts << np.uint64(QUEEN_PLAYER_AT + 8)


@kernel
def card_atoms(rules: Any, state: Any, out: Any) -> None:
    """The 60 atoms of the Q♠ task for every seat, into the first word of each row."""
    players = np.int64(rules["players"])
    spades = ZERO
    for seat in range(players):
        spades |= state["hands"][seat] & SPADES
        out[seat, 0] = ZERO
    _side_suit(rules, state, DIAMONDS, SUITS_AT, FORCED_AT + 1, out)
    _side_suit(rules, state, CLUBS, SUITS_AT + SUIT_BLOCK, FORCED_AT + 2, out)
    _side_suit(rules, state, HEARTS, SUITS_AT + 2 * SUIT_BLOCK, FORCED_AT + 3, out)
    leader = np.int64(state["to_move"])
    of_leader = ZERO
    if leader >= 0:
        shorts = _shorts(state["hands"][leader])
        of_leader = (shorts | (shorts ^ np.uint64(15)) << np.uint64(4)) << np.uint64(LEADER_AT)
    holder = -1
    of_holder = ZERO
    for seat in range(players):
        if state["hands"][seat] & QUEEN_BIT != ZERO:
            holder = seat
            of_holder = _queen_player(state["hands"][seat])
    for seat in range(players):
        found = out[seat, 0] | _spades(state["hands"][seat], spades & ~state["hands"][seat])
        found |= bit(LEAD_AT) if seat == leader else of_leader
        if seat != holder:
            found |= of_holder
        out[seat, 0] = found


@kernel
def heart_atoms(rules: Any, state: Any, out: Any) -> None:
    """The 42 atoms about heart points for every seat, into the second word: ours, the others', still to be taken."""
    taken = 0
    for seat in range(rules["players"]):
        taken += popcount(state["taken"][seat] & HEARTS)
    for seat in range(rules["players"]):
        own = popcount(state["taken"][seat] & HEARTS)
        out[seat, 1] = bit(own) | bit(POINTS_BLOCK + taken - own) | bit(2 * POINTS_BLOCK + 13 - taken)


EXTRACT = types.void(numba.from_dtype(RULES), numba.from_dtype(STATE), types.uint64[:, ::1])
"""What an extractor looks like: it fills a row of two words for every seat."""
PREDICATE = types.boolean(numba.from_dtype(RULES), numba.from_dtype(STATE), types.int64)


@pointed(EXTRACT)
def extract_atoms(rules: Any, state: Any, out: Any) -> None:
    """All built-in atoms."""
    card_atoms(rules, state, out)
    heart_atoms(rules, state, out)


@pointed(EXTRACT)
def extract_card_atoms(rules: Any, state: Any, out: Any) -> None:
    """The 60 atoms alone."""
    card_atoms(rules, state, out)
    for seat in range(rules["players"]):
        out[seat, 1] = ZERO


# --- names ---


@dataclass(frozen=True)
class Atom:
    """One atomic feature."""

    number: int
    """Its place in the mask."""
    name: str
    """Short, for tables of conjunctions."""
    sentence: str
    """What it says, in words."""
    predicate: Callable[..., bool] | None = None
    """The compiled function of a feature that a user added."""
    literals: tuple[tuple[int, bool], ...] = ()
    """Of a clause: the atoms of which one must be as said (true or false)."""
    excludes: frozenset[int] = frozenset()
    """Atoms that are never true together with this one, where the papers' pairs do not say so."""
    extract: Callable[..., None] | None = None
    """The extractor that knows this atom, if it is not one of the two of this module."""


def _suit_names(symbol: str, word: str) -> list[tuple[str, str]]:
    dealt = [("≥3", f"three or more {word}"), ("0", f"no {word}"), ("1", f"one {word[:-1]}"), ("2", f"two {word}")]
    return [
        *((f"dealt {few} {symbol}", f"we were dealt {many}") for few, many in dealt),
        (f"short {symbol}", f"we have no {word}"),
        (f"not short {symbol}", f"we have {word}"),
        (f"opponent short {symbol}", f"an opponent has no {word}"),
        (f"exit {symbol}", f"we have an exit in {word}"),
    ]


def _card_names() -> list[tuple[str, str]]:
    """Names and sentences of the 60, in the papers' order."""
    side = (("♦", "diamonds"), ("♣", "clubs"), ("♥", "hearts"))
    every = (("♠", "spades"), *side)
    names = [(f"we have {rank}♠", f"we have {rank}♠") for rank in "QAK"]
    counts = [("≥5", "five or more"), ("0", "no"), ("1", "one"), ("2", "two"), ("3", "three"), ("4", "four")]
    for few, many in counts:
        plural = "spade" if few == "1" else "spades"
        names.append((f"{few} low {plural}", f"we have {many} {plural} below Q♠"))
    for symbol, word in side:
        names += _suit_names(symbol, word)
    names += [(f"single {rank}♠", f"{rank}♠ is our only spade") for rank in "QAK"]
    names.append(("we lead", "we have the lead"))
    backers = [("0", "no other spade below Q♠"), ("1", "one spade below Q♠"), ("2", "two spades below Q♠"),
               ("≥3", "three or more spades below Q♠")]  # fmt: skip
    names += [(f"Q♠ player has {few} backers", f"the Q♠ player has {many}") for few, many in backers]
    shorts = ("no side suit", "one side suit", "two side suits", "all three side suits")
    names += [(f"Q♠ player short in {n}", f"the Q♠ player is short in {word}") for n, word in enumerate(shorts)]
    names += [(f"Q♠ player short {symbol}", f"the Q♠ player has no {word}") for symbol, word in side]
    names += [(f"leader short {symbol}", f"the leader has no {word}") for symbol, word in every]
    names += [(f"leader not short {symbol}", f"the leader has {word}") for symbol, word in every]
    names += [(f"forced high {symbol}", f"we must win any {word[:-1]} trick") for symbol, word in every]
    return names


def _heart_names() -> list[tuple[str, str]]:
    """Names and sentences of the 42."""
    blocks = (("we took", "we have taken"), ("others took", "the others have taken"), ("left:", "still to be taken:"))
    counts = ["no heart points", "1 heart point", *(f"{n} heart points" for n in range(2, POINTS_BLOCK))]
    return [(f"{short} {n} ♥", f"{long} {many}") for short, long in blocks for n, many in enumerate(counts)]


ATOMS: dict[int, Atom] = {
    **{number: Atom(number, *texts) for number, texts in enumerate(_card_names())},
    **{64 + number: Atom(64 + number, *texts) for number, texts in enumerate(_heart_names())},
}
"""All atomic features by number, those of users included."""
CARD_ATOMS = tuple(range(60))
HEART_ATOMS = tuple(range(64, 64 + 3 * POINTS_BLOCK))
QUEEN_ONLY = tuple(range(SINGLE_AT, SINGLE_AT + 3)) + tuple(range(QUEEN_PLAYER_AT, QUEEN_PLAYER_AT + 11))
"""The 14 of the 60 that the hearts task leaves out."""


class AtomError(ValueError):
    """A name that is no atomic feature, or one too many."""


def atom(name: str, sentence: str = "") -> Callable[[Callable[..., bool]], Atom]:
    """Compile a predicate (rules, state, seat) -> bool and add it as an atomic feature.

    :raises AtomError: if the name is taken, there is no place left, or the predicate cannot be compiled.
    """
    need_name("atom", name)

    def add(function: Callable[..., bool]) -> Atom:
        text = sentence or (function.__doc__ or name).strip().split("\n")[0]
        try:
            compiled = pointed(PREDICATE)(function)
        except NumbaError as error:
            raise AtomError(f"the predicate of {quoted(name)} cannot be compiled: {compile_reason(error)}") from error
        return place_atom(name, text, compiled)

    return add


def place_atom(
    name: str, sentence: str, predicate: Callable[..., bool] | None = None, literals: tuple[tuple[int, bool], ...] = ()
) -> Atom:
    """Add an atomic feature at the next free place.

    :raises AtomError: if the name is taken or there is no place left.
    """
    if name in MOON_NAMES or any(known.name == name for known in ATOMS.values()):
        raise AtomError(f"an atomic feature is called {quoted(name)} already")
    free = [number for number in range(MAX_ATOMS) if number not in ATOMS and number not in MOON_ATOMS]
    if not free:
        raise AtomError(f"there is room for {MAX_ATOMS} atomic features, and all places are taken")
    ATOMS[free[0]] = Atom(free[0], name, sentence, predicate, literals)
    return ATOMS[free[0]]


def find_atom(text: str, *, part: bool = False) -> Atom:
    """The atomic feature with this name or sentence, or (`part`) the only one of which it is a part.

    :raises AtomError: if there is none, or more than one.
    """
    wanted = text.strip().lower()
    for known in ATOMS.values():
        if wanted in (known.name.lower(), known.sentence.lower()):
            return known
    close = [known for known in ATOMS.values() if wanted in known.name.lower() or wanted in known.sentence.lower()]
    if part and len(close) == 1:
        return close[0]
    hint = f"; some that contain it: {', '.join(known.name for known in close[:6])}" if close else ""
    where = "`heartlab features --atoms` lists them, `--use FILE` brings features of your own"
    raise AtomError(f"no atomic feature is called {quoted(text)}{hint}; {where}")


# --- clauses ---

OR, NOT = " or ", "not "
USEFUL = (
    "we have A♠ or we have K♠",
    "not we have A♠",
    "not we have K♠",
    "3 low spades or 4 low spades or ≥5 low spades",
    "0 low spades or 1 low spade",
    "Q♠ player has 0 backers or Q♠ player has 1 backers",
    "Q♠ player short in 1 or Q♠ player short in 2 or Q♠ player short in 3",
    "not exit ♦",
    "not exit ♣",
    "not exit ♥",
    "exit ♦ or exit ♣ or exit ♥",
    "short ♦ or short ♣ or short ♥",
    "forced high ♦ or forced high ♣ or forced high ♥",
    "we took 0 ♥ or we took 1 ♥ or we took 2 ♥",
    "not we took 0 ♥",
    "not others took 0 ♥",
    "left: 0 ♥ or left: 1 ♥ or left: 2 ♥ or left: 3 ♥",
)
"""Clauses worth a try: ranges of counts, and negations. There is room for these beside the features about the moon."""


def clause(text: str) -> Atom:
    """The clause with this text, made if it is new; a single atom stands for itself.

    :raises AtomError: if a part of it is no atomic feature, or there is no place left.
    """
    for known in ATOMS.values():
        if text.strip() == known.name:
            return known
    literals = []
    for part in text.split(OR):
        wanted = not part.strip().startswith(NOT)
        literals.append((find_atom(part.strip() if wanted else part.strip().removeprefix(NOT)).number, wanted))
    names = [(("" if wanted else NOT) + ATOMS[number].name) for number, wanted in literals]
    sentences = [
        ATOMS[number].sentence if wanted else f"it is not so that {ATOMS[number].sentence}"
        for number, wanted in literals
    ]
    return place_atom(OR.join(names), OR.join(sentences), literals=tuple(literals))


# --- extraction ---


def make_extractor(numbers: frozenset[int]) -> Callable[..., None]:
    """The function that fills a mask with at least these atoms."""
    clauses = [ATOMS[number] for number in sorted(numbers) if ATOMS[number].literals]
    needed = numbers.union(number for clause in clauses for number, _ in clause.literals)
    base = extract_card_atoms if needed.isdisjoint(HEART_ATOMS) else extract_atoms
    base = next((known.extract for number in needed if (known := ATOMS[number]).extract), base)
    for number in sorted(needed):
        if ATOMS[number].predicate is not None:
            base = _with_predicate(base, ATOMS[number])
    return _with_clauses(base, clauses) if clauses else base


def _with_predicate(base: Callable[..., None], extra: Atom) -> Callable[..., None]:
    predicate, word, place = extra.predicate, extra.number // 64, np.uint64(1 << extra.number % 64)
    assert predicate is not None

    def both(rules: Any, state: Any, out: Any) -> None:
        base(rules, state, out)
        for seat in range(rules["players"]):
            if predicate(rules, state, seat):
                out[seat, word] |= place

    both.__module__ = "user"
    return pointed(EXTRACT)(both)


def _with_clauses(base: Callable[..., None], clauses: list[Atom]) -> Callable[..., None]:
    """Clauses look at the mask that is there already: which bits they want set, which cleared, and their own bit."""
    table = np.zeros((len(clauses), 3, WORDS), np.uint64)
    for row, clause in zip(table, clauses, strict=True):
        for number, wanted in (*clause.literals, (clause.number, None)):
            which = 2 if wanted is None else 0 if wanted else 1
            row[which, number // 64] |= np.uint64(1 << number % 64)

    def both(rules: Any, state: Any, out: Any) -> None:
        base(rules, state, out)
        for seat in range(rules["players"]):
            low, high = out[seat, 0], out[seat, 1]
            for i in range(len(table)):
                met = (
                    (low & table[i, 0, 0])
                    | (high & table[i, 0, 1])
                    | (~low & table[i, 1, 0])
                    | (~high & table[i, 1, 1])
                )
                if met != ZERO:
                    out[seat, 0] |= table[i, 2, 0]
                    out[seat, 1] |= table[i, 2, 1]

    both.__module__ = "user"
    return pointed(EXTRACT)(both)
