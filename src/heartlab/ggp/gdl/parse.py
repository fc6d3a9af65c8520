"""From GDL text to expressions that know their place, and on to rules.

The lexer is one regular expression, the parser one loop with a stack: neither recurses, so a megabyte of open
parentheses gives a clear error. Names are folded to lower case, since some managers send upper case.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from heartlab.ggp.gdl.terms import GdlError, Term, show

MAX_DEPTH = 100
"""Deepest nesting of parentheses that is accepted; real games stay below 20."""

_TOKEN = re.compile(r";[^\n\r]*|[()]|[^\s();]+")

UNNAMED = "the rules"
"""The source of a game that came without a name."""


@dataclass(frozen=True)
class Place:
    """A place in a text: file (or a name for the text), line and column from 1."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Expression:
    """A name or a parenthesised list, with its place in the text."""

    place: Place
    name: str | None
    parts: tuple[Expression, ...] = ()

    @cached_property
    def term(self) -> Term:
        """The expression as a plain term."""
        return self.name if self.name is not None else tuple(part.term for part in self.parts)

    @property
    def functor_name(self) -> str | None:
        """The name that a sentence or function starts with; None when it starts with a list or is empty."""
        return self.name if self.name is not None else self.parts[0].name if self.parts else None

    def __str__(self) -> str:
        return show(self.term)


@dataclass(frozen=True)
class Rule:
    """`(<= head body...)`, or a bare fact."""

    head: Expression
    body: tuple[Expression, ...]
    is_fact: bool

    @property
    def place(self) -> Place:
        """Where the rule starts."""
        return self.head.place

    def __str__(self) -> str:
        return str(self.head) if self.is_fact else f"(<= {' '.join(map(str, (self.head, *self.body)))})"


@dataclass(frozen=True)
class Description:
    """The rules of a game as written.

    >>> game = parse_game("(role white) (role black) (init (turn white))")
    >>> game.roles, len(game.rules)
    (('white', 'black'), 3)
    >>> print(game.rules[2])
    (init (turn white))
    """

    source: str
    rules: tuple[Rule, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules))

    @property
    def roles(self) -> tuple[Term, ...]:
        """The roles in the order of the text."""
        found = (rule.head.term for rule in self.rules if rule.head.functor_name == "role")
        return tuple(dict.fromkeys(term[1] for term in found if isinstance(term, tuple) and len(term) == 2))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the roles and rules, whatever the order of the rules."""
        text = repr((self.roles, sorted(map(str, self.rules))))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _tokens(text: str, source: str) -> Iterator[tuple[str, Place]]:
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    for match in _TOKEN.finditer(text):
        token = match.group()
        if not token.startswith(";"):
            line = bisect_right(starts, match.start())
            yield token.lower(), Place(source, line, match.start() - starts[line - 1] + 1)


def parse_expressions(text: str, source: str = "text") -> list[Expression]:
    """All expressions of a text, in order.

    Raises:
        GdlError: parentheses do not balance, or nest deeper than `MAX_DEPTH`.
    """
    done: list[Expression] = []
    stack: list[tuple[Place, list[Expression]]] = []
    for token, place in _tokens(text, source):
        level = stack[-1][1] if stack else done
        if token == "(":
            if len(stack) == MAX_DEPTH:
                raise GdlError(f"{place}: parentheses nest deeper than {MAX_DEPTH}")
            stack.append((place, []))
        elif token == ")":
            if not stack:
                raise GdlError(f"{place}: this ) closes nothing")
            start, parts = stack.pop()
            (stack[-1][1] if stack else done).append(Expression(start, None, tuple(parts)))
        else:
            level.append(Expression(place, token))
    if stack:
        raise GdlError(f"{stack[-1][0]}: this ( is never closed")
    return done


def rules_of(expressions: list[Expression] | tuple[Expression, ...], source: str) -> Description:
    """Expressions read as the rules of a game.

    Raises:
        GdlError: a rule has no head, or something that is not a sentence is in the place of one.
    """
    rules = []
    for expression in expressions:
        if expression.functor_name != "<=":
            rule = Rule(expression, (), True)
        elif expression.name is not None or len(expression.parts) < 2:
            raise GdlError(f"{expression.place}: a rule needs a head: (<= HEAD BODY...)")
        else:
            rule = Rule(expression.parts[1], expression.parts[2:], False)
        for sentence in _sentences(rule):
            if sentence.functor_name is None:
                raise GdlError(f"{sentence.place}: {sentence} is not a sentence: it should start with a name")
        rules.append(rule)
    return Description(source, tuple(rules))


def _sentences(rule: Rule) -> Iterator[Expression]:
    """Every expression of a rule that has to start with a name: all of them."""
    waiting = [rule.head, *rule.body]
    while waiting:
        expression = waiting.pop()
        yield expression
        waiting.extend(expression.parts[1:])


def parse_game(text: str, source: str = "text") -> Description:
    """The rules in a GDL text.

    >>> print(parse_game("(role white) (<= (legal white ?m) (move ?m))"))
    (role white)
    (<= (legal white ?m) (move ?m))
    """
    return rules_of(parse_expressions(text, source), source)


def parse_term(text: str, source: str = "text") -> Term:
    """A text that holds exactly one term, such as a move."""
    found = parse_expressions(text, source)
    if len(found) != 1:
        raise GdlError(f"{source}: expected one term, found {len(found)}")
    if _has_empty_list(found[0]):
        raise GdlError(f"{source}: {found[0]} holds a list without a name")
    return found[0].term


def _has_empty_list(expression: Expression) -> bool:
    return expression.functor_name is None or any(_has_empty_list(part) for part in expression.parts)
