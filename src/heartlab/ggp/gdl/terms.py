"""GDL terms as plain Python values: a name is a `str`, a variable a `str` that starts with `?`, a compound a tuple.

`(cell 1 ?x b)` is `("cell", "1", "?x", "b")`. Tuples of strings hash and compare quickly and print readably, so the
prover, the grounder and the protocol share them. `(open)` and `open` are different terms, as in
the reference implementation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeAlias

RECURSION_LIMIT = 6000
"""Python's default is too low for terms that nest 500 levels deep and for proofs of a few hundred steps."""
sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))

Term: TypeAlias = "str | tuple[Term, ...]"
"""A name or variable, or a compound term such as `("mark", "1", "1")`."""
Functor: TypeAlias = "str | tuple[str, int]"
"""What names a relation: a bare name, or a name and the number of its arguments."""

KEYWORD_ARITIES = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "legal": 2,
    "next": 1,
    "terminal": 0,
    "goal": 2,
    "base": 1,
    "input": 2,
    "sees": 2,
    "distinct": 2,
    "not": 1,
    "or": -1,
    "<=": -1,
}
"""The keywords of GDL and GDL-II and how many arguments each takes; -1 for any number."""

MOST_DIGITS = 9
"""Most digits of a term that is read as a number, as goals are; longer ones are names."""

RANDOM_ROLE = "random"
"""The role of chance in GDL-II: the game manager plays it, uniformly at random."""


class GdlError(ValueError):
    """A game description, a message or an option is wrong; the text says where and how."""


def is_variable(term: Term) -> bool:
    """Whether a term is a variable."""
    return isinstance(term, str) and term.startswith("?")


def functor(term: Term) -> Functor:
    """The name of the relation or function of a term."""
    return term if isinstance(term, str) else (str(term[0]), len(term) - 1)


def functor_name(key: Functor) -> str:
    """The bare name in a functor."""
    return key if isinstance(key, str) else key[0]


def arguments(term: Term) -> tuple[Term, ...]:
    """The arguments of a term; a bare name has none."""
    return () if isinstance(term, str) else term[1:]


def variables(term: Term) -> Iterator[str]:
    """All variables in a term, in order, with repetitions."""
    if isinstance(term, str):
        if term.startswith("?"):
            yield term
    else:
        for part in term:
            yield from variables(part)


def is_ground(term: Term) -> bool:
    """Whether a term contains no variable."""
    return next(variables(term), None) is None


def show(term: Term) -> str:
    """A term as GDL text."""
    return term if isinstance(term, str) else f"({' '.join(show(part) for part in term)})"


def brief(term: Term, most: int = 80) -> str:
    """A term for a message: as GDL text, cut off where it is long; the time does not depend on its size.

    >>> brief(("mark", "1", ("s", "z")))
    '(mark 1 (s z))'
    >>> brief(("x",) * 1000, most=9)
    '(x x x x …'
    """
    found, length, waiting = [], 0, [term]
    while waiting and length <= most:
        part = waiting.pop()
        if not isinstance(part, str):
            inner = [piece for one in part[:most] for piece in (" ", one)][1:]
            waiting += [")", *reversed(inner)]
            part = "("
        found.append(part)
        length += len(part)
    text = "".join(found)
    return text if len(text) <= most else text[:most] + "…"


def folded(term: Term) -> Term:
    """A term in lower case."""
    return term.lower() if isinstance(term, str) else tuple([folded(part) for part in term])


def as_spelled(term: Term, among: Sequence[Term]) -> Term:
    """The term of some terms that is the same but for capitals; the term itself if there is none.

    >>> as_spelled(("go", "n"), [("go", "N"), "stay"])
    ('go', 'N')
    """
    if term in among:
        return term
    return next((other for other in among if folded(other) == folded(term)), term)


def sort_key(term: Term) -> tuple[object, ...]:
    """An order of terms in which numbers are sorted by size: `(cell 2 1)` before `(cell 10 1)`."""
    if not isinstance(term, str):
        return (2, len(term), tuple(sort_key(part) for part in term))
    if not _is_number(term):
        return (1, 0, term)
    digits = term.lstrip("0")
    return (0, len(digits), digits, len(term))


def sort_text(term: Term) -> str:
    """A text whose order is that of `sort_key`; texts compare faster.

    >>> sorted([("cell", "10"), ("cell", "2"), "b", "7"], key=sort_text)
    ['7', 'b', ('cell', '2'), ('cell', '10')]
    """
    if not isinstance(term, str):
        return f"\3{chr(len(term))}{''.join([sort_text(part) for part in term])}"
    if not _is_number(term):
        return f"\2{term}\0"
    digits = term.lstrip("0")
    return f"\1{chr(len(digits))}{digits}{chr(len(term))}"


def number_of(term: Term) -> int | None:
    """The value of a term that is a whole number; None if it is not, or has more than `MOST_DIGITS` digits."""
    if not isinstance(term, str) or not _is_number(term):
        return None
    digits = term.lstrip("0")
    return int(digits or "0") if len(digits) <= MOST_DIGITS else None


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal()
