"""A state of a general game as a picture: boards where facts look like cells, piles, and a list of the rest.

A fact is a cell if its relation has two coordinates (numbers or single letters) before its contents, as in
``(cell 1 2 x)`` or ``(piece a 8 king white)``. Which places there are is known from all propositions of a grounded
game, or from a few random games. A fact with a name and a number, as ``(holds b 3)``, is a pile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from msgspec import Struct

from heartlab.ggp.gdl.terms import Term, functor_name, show, sort_key
from heartlab.ggp.gdl.terms import functor as functor_of

BLANK = frozenset({"b", "blank", "empty", "clear", "none"})
"""Words for an empty cell."""
MOST_FACTS = 400
"""Facts that are listed."""

Axis = dict[str, int]
"""The places along one side of a board, by their names."""


class Cell(Struct):
    """Something on a board; x counts from the left, y from below."""

    x: int
    y: int
    content: list[str]


class BoardPicture(Struct):
    """A board."""

    name: str
    columns: list[str]
    rows: list[str]
    """From below."""
    cells: list[Cell]


class Pile(Struct):
    """A name and a number."""

    name: str
    count: int


class Picture(Struct):
    """A state."""

    boards: list[BoardPicture]
    piles: list[Pile]
    facts: list[str]


class MovePicture(Struct):
    """A legal move: its text, and where it leads on the first board, and from where; a column alone has no y."""

    text: str
    to: list[int] | None = None
    source: list[int] | None = None


@dataclass(frozen=True)
class Shape:
    """The board of a relation: the two axes of its coordinates, and whether the first one counts columns."""

    name: str
    arity: int
    first: Axis
    second: Axis
    is_column_first: bool

    def place(self, one: str, two: str) -> tuple[int, int] | None:
        """Where two coordinates are, from the left and from below."""
        if one not in self.first or two not in self.second:
            return None
        a, b = self.first[one], self.second[two]
        return (a, b) if self.is_column_first else (b, a)


def _parts(term: Term) -> list[str] | None:
    """The arguments of a fact or a move, if all are words or numbers."""
    if not isinstance(term, tuple):
        return None
    return [str(part) for part in term[1:]] if all(isinstance(part, str) for part in term[1:]) else None


def _is_coordinate(text: str) -> bool:
    return text.isdecimal() or (len(text) == 1 and text.isalpha() and text.isascii())


def _axis(names: Iterable[str]) -> Axis | None:
    """Coordinates in their order; None unless all are numbers, or all letters."""
    found = set(names)
    if all(name.isdecimal() for name in found):
        ordered = sorted(found, key=int)
    elif all(name.isalpha() for name in found):
        ordered = sorted(found)
    else:
        return None
    return {name: place for place, name in enumerate(ordered)} if len(found) > 1 else None


def find_shapes(propositions: Iterable[Term], moves: Iterable[Term] = ()) -> list[Shape]:
    """The boards of a game, from what can hold in it and which moves there are; the largest first.

    >>> cells = [("cell", str(x), str(y), who) for x in (1, 2, 3) for y in (1, 2) for who in "xo"]
    >>> [(one.name, len(one.first), len(one.second), one.is_column_first) for one in find_shapes(cells)]
    [('cell', 3, 2, False)]
    """
    groups: dict[tuple[str, int], list[list[str]]] = {}
    for fact in propositions:
        parts = _parts(fact)
        if parts is not None and len(parts) >= 3 and _is_coordinate(parts[0]) and _is_coordinate(parts[1]):
            groups.setdefault((functor_name(functor_of(fact)), len(parts)), []).append(parts)
    said = [parts for move in moves if (parts := _parts(move)) is not None and all(map(_is_coordinate, parts))]
    single = {parts[0] for parts in said if len(parts) == 1}
    places = [parts[n : n + 2] for parts in said if len(parts) in (2, 4) for n in range(0, len(parts), 2)]
    shapes = []
    for (name, arity), found in groups.items():
        # Places to which a move leads are on the board even if nothing has been seen there.
        first = _axis([parts[0] for parts in [*found, *places]]) or _axis([parts[0] for parts in found])
        second = _axis([parts[1] for parts in [*found, *places]]) or _axis([parts[1] for parts in found])
        contents = {tuple(parts[2:]) for parts in found}
        if first and second and not all(part.isdecimal() for content in contents for part in content):
            letters = next(iter(first)).isalpha() and next(iter(second)).isdecimal()
            shapes.append(Shape(name, arity, first, second, letters or set(first) <= single))
    return sorted(shapes, key=lambda shape: -len(shape.first) * len(shape.second))


def draw(facts: Iterable[Term], shapes: list[Shape]) -> Picture:
    """A state as a picture.

    >>> shapes = find_shapes([("cell", x, y, "x") for x in "12" for y in "12"])
    >>> picture = draw([("cell", "1", "2", "x"), ("holds", "a", "3"), ("turn", "x")], shapes)
    >>> picture.boards[0].cells, picture.piles, picture.facts
    ([Cell(x=1, y=0, content=['x'])], [Pile(name='a', count=3)], ['turn x'])
    """
    cells: dict[tuple[str, int], list[Cell]] = {(shape.name, shape.arity): [] for shape in shapes}
    known = {(shape.name, shape.arity): shape for shape in shapes}
    piles: list[Pile] = []
    others: list[str] = []
    for fact in sorted(facts, key=sort_key):
        parts = _parts(fact)
        key = (functor_name(functor_of(fact)), 0 if parts is None else len(parts))
        place = known[key].place(parts[0], parts[1]) if parts is not None and key in known else None
        if place is not None and parts is not None:
            content = parts[2:]
            if not set(content) <= BLANK:
                cells[key].append(Cell(place[0], place[1], content))
        elif parts is not None and len(parts) == 2 and parts[1].isdecimal() and not parts[0].isdecimal():
            piles.append(Pile(parts[0], int(parts[1])))
        elif len(others) < MOST_FACTS:
            text = show(fact)
            others.append(text[1:-1] if text.startswith("(") else text)
    boards = [board_of(shape, cells[shape.name, shape.arity]) for shape in shapes]
    return Picture(boards, piles, others)


def board_of(shape: Shape, cells: list[Cell]) -> BoardPicture:
    """A board with what is on it."""
    first, second = list(shape.first), list(shape.second)
    columns, rows = (first, second) if shape.is_column_first else (second, first)
    return BoardPicture(shape.name, columns, rows, cells)


def draw_move(move: Term, shapes: list[Shape]) -> MovePicture:
    """A move as text, with its places on the first board if its arguments name some.

    >>> shapes = find_shapes([("piece", r, c, "white") for r in "12345" for c in "12345"])
    >>> draw_move(("move", "2", "1", "3", "2"), shapes)
    MovePicture(text='move 2 1 3 2', to=[1, 2], source=[0, 1])
    """
    text = show(move)
    picture = MovePicture(text[1:-1] if text.startswith("(") else text)
    parts = _parts(move)
    if not shapes or parts is None:
        return picture
    shape = shapes[0]
    places = [shape.place(*parts[n : n + 2]) for n in range(len(parts) - 1)]
    first = next((n for n, place in enumerate(places) if place is not None), None)
    if first is not None:
        one, two = places[first], places[first + 2] if first + 2 < len(places) else None
        to, source = (two, one) if two is not None else (one, None)
        picture.to, picture.source = (None if to is None else list(to)), (None if source is None else list(source))
    elif len(parts) == 1 and shape.is_column_first and parts[0] in shape.first:
        picture.to = [shape.first[parts[0]]]
    return picture
