"""From GDL text to expressions that know their place, and on to rules.

The lexer is one regular expression, the parser one loop with a stack: the time is linear in the length of the text, and
no nesting of parentheses is too deep for it. Texts longer than `MAX_TEXT` are refused before they are read, those with
more than `MAX_TOKENS` words and parentheses or nested deeper than `MAX_DEPTH` when that is seen. Names are folded to
lower case, since some managers send upper case; but where a game spells a name in several ways these are different
names, as in the reference implementation.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from heartlab.ggp.gdl.terms import KEYWORD_ARITIES, GdlError, Term, brief, show

MAX_DEPTH = 500
"""Deepest nesting of parentheses that is accepted; real games stay below 20, but lists may be written as terms."""
MAX_TEXT = 4 << 20
"""Most characters of a text; real games have less than 100,000."""
MAX_TOKENS = 1_000_000
"""Most words and parentheses of a text."""
LONGEST_QUOTE = 200
"""Most characters of a rule that an error message quotes."""

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


class _Text:
    """A text in which places are looked up; its lines are found when the first place is asked for."""

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", self.text))]

    @cached_property
    def has_capitals(self) -> bool:
        return self.text != self.text.lower()

    def place(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        return Place(self.source, line, offset - self._starts[line - 1] + 1)


class Expression:
    """A name or a parenthesised list, with its place in the text. A text may have a million: it is kept small."""

    __slots__ = ("_offset", "_term", "_text", "name", "parts")

    def __init__(self, text: _Text, offset: int, name: str | None, parts: tuple[Expression, ...] = ()) -> None:
        self._text, self._offset = text, offset
        self.name, self.parts = name, parts
        self._term: Term | None = name

    @property
    def place(self) -> Place:
        """Where the expression starts."""
        return self._text.place(self._offset)

    @property
    def has_capitals(self) -> bool:
        """Whether there are capital letters anywhere in the text that it is from."""
        return self._text.has_capitals

    @property
    def written(self) -> str:
        """A name as it stands in the text."""
        return self._text.text[self._offset : self._offset + len(self.name or "")]

    def spell(self, name: str) -> None:
        """Give a name its own spelling; before any term is made of it."""
        self.name = self._term = name

    @property
    def term(self) -> Term:
        """The expression as a plain term."""
        if self._term is None:
            self._term = tuple([part.term for part in self.parts])
        return self._term

    @property
    def functor_name(self) -> str | None:
        """The name that a sentence or function starts with; None when it starts with a list or is empty."""
        return self.name if self.name is not None else self.parts[0].name if self.parts else None

    def __str__(self) -> str:
        return show(self.term)


def quote(*expressions: Expression) -> str:
    """Expressions for a message: as GDL text, cut off where they are long.

    >>> quote(*parse_expressions("(p 1) (q 2)"))
    '(p 1) (q 2)'
    >>> len(quote(*parse_expressions(f"(p {'x ' * 1000})")))
    201
    """
    shown = " ".join(brief(expression.term, LONGEST_QUOTE) for expression in expressions[:LONGEST_QUOTE])
    return shown if len(shown) <= LONGEST_QUOTE else shown[:LONGEST_QUOTE] + "…"


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

    @cached_property
    def quoted(self) -> str:
        """The rule for a message: cut off where it is long."""
        return quote(self.head) if self.is_fact else f"(<= {quote(self.head, *self.body)})"


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


def parse_expressions(text: str, source: str = "text") -> list[Expression]:
    """All expressions of a text, in order.

    Raises:
        GdlError: parentheses do not balance, or the text is too long or nested too deeply.
    """
    if len(text) > MAX_TEXT:
        raise GdlError(f"{source}: the text has {len(text):,} characters; at most {MAX_TEXT:,} are read")
    places = _Text(text, source)
    names: dict[str, str] = {}
    level: list[Expression] = []
    stack: list[tuple[int, list[Expression]]] = []
    """The open parentheses: where each is, and what came before it on its level."""
    for number, match in enumerate(_TOKEN.finditer(text)):
        if number == MAX_TOKENS:
            raise GdlError(f"{source}: the text has more than {MAX_TOKENS:,} words and parentheses")
        token = match[0]
        if token == "(":
            if len(stack) == MAX_DEPTH:
                raise GdlError(f"{places.place(match.start())}: parentheses nest deeper than {MAX_DEPTH}")
            stack.append((match.start(), level))
            level = []
        elif token == ")":
            if not stack:
                raise GdlError(f"{places.place(match.start())}: this ) closes nothing")
            start, outer = stack.pop()
            outer.append(Expression(places, start, None, tuple(level)))
            level = outer
        elif token[0] != ";":
            name = names.get(token)
            if name is None:
                name = names[token] = token.lower()
            level.append(Expression(places, match.start(), name))
    if stack:
        raise GdlError(f"{places.place(stack[-1][0])}: this ( is never closed")
    return level


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
                raise GdlError(f"{sentence.place}: {quote(sentence)} is not a sentence: it should start with a name")
        rules.append(rule)
    if any(rule.head.has_capitals for rule in rules[:1]):
        _keep_spellings(rules)
    return Description(source, tuple(rules))


def _keep_spellings(rules: list[Rule]) -> None:
    """Names that a game spells in several ways are different names; all others stay in lower case."""
    found: dict[str, dict[str, list[Expression]]] = {}
    waiting = [expression for rule in rules for expression in (rule.head, *rule.body)]
    while waiting:
        expression = waiting.pop()
        waiting.extend(expression.parts)
        if expression.name is not None:
            found.setdefault(expression.name, {}).setdefault(expression.written, []).append(expression)
    for name, spellings in found.items():
        if len(spellings) > 1 and name not in KEYWORD_ARITIES:
            for written, expressions in spellings.items():
                for expression in expressions:
                    expression.spell(written)


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
        raise GdlError(f"{source}: {quote(found[0])} holds a list without a name")
    return found[0].term


def _has_empty_list(expression: Expression) -> bool:
    return expression.functor_name is None or any(_has_empty_list(part) for part in expression.parts)
