"""Rules in the form that the prover and the grounder take: no `or`, every body a flat tuple of literals.

A literal is a pair (kind, term). Negations are moved inwards: `(not (or a b))` is "not a and not b", `(not (not a))` is
a. Then `(or ...)` becomes one rule per branch, or, where that would be many, a relation of its own with one rule per
branch. A literal that only tests (a negation, `distinct`) is moved behind the literals that bind its variables: the
order of literals does not matter in GDL, but a test needs bound variables. Equality occurs only as
`(not (distinct x y))`, which some games write.

Rules with the head `true` or `does`, which the validator refuses, add to what the state and the moves say: bodies then
use a relation of its own, for both.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from heartlab.ggp.gdl.parse import Description, Expression, Place, quote
from heartlab.ggp.gdl.terms import Functor, GdlError, Term, functor, functor_name, variables

HOLDS, FAILS, DISTINCT, SAME = range(4)
"""Kinds of literals: a sentence, a negated sentence, two terms that differ, two terms that are the same."""

MAX_BRANCHES = 64
"""Most rules that the `or`s of one rule become; where there are more combinations each `or` gets a relation."""
MAX_LITERALS = 3_000_000
"""Most literals of all rules without `or`."""
OURS = ":"
"""Begins the names of relations that we add; no name in a text can be the same, since those are in lower case and ours
have a capital behind it."""


class Literal(NamedTuple):
    """One condition of a rule; for DISTINCT and SAME the term is the pair."""

    kind: int
    term: Term


@dataclass(frozen=True)
class NormalRule:
    """A head and the literals that imply it."""

    head: Term
    body: tuple[Literal, ...]
    origin: Expression
    """The head as it was written."""

    @property
    def place(self) -> Place:
        """Where the rule starts."""
        return self.origin.place


class _All(NamedTuple):
    """A conjunction of conditions."""

    parts: tuple[_Condition, ...]
    ways: int
    """How many conjunctions of literals it becomes if everything is multiplied out."""


class _Any(NamedTuple):
    """A disjunction of conditions."""

    parts: tuple[_Condition, ...]
    ways: int


_Condition = Literal | _All | _Any


def _ways(condition: _Condition) -> int:
    return 1 if isinstance(condition, Literal) else condition.ways


def _all(parts: list[_Condition]) -> _Condition:
    flat = [one for part in parts for one in (part.parts if isinstance(part, _All) else (part,))]
    return flat[0] if len(flat) == 1 else _All(tuple(flat), math.prod(map(_ways, flat)))


def _any(parts: list[_Condition]) -> _Condition:
    flat = [one for part in parts for one in (part.parts if isinstance(part, _Any) else (part,))]
    return flat[0] if len(flat) == 1 else _Any(tuple(flat), sum(map(_ways, flat)))


def normalise(description: Description) -> list[NormalRule]:
    """All rules without `or`, tests after the literals that bind them.

    Raises:
        GdlError: something is negated that cannot be, or the rules are too many.
    """
    writer = _Writer()
    for rule in description.rules:
        body = _all([_condition(expression, False) for expression in rule.body])
        writer.write(rule.head.term, body, rule.head)
    return _with_given_heads(writer.rules)


def _condition(expression: Expression, negated: bool) -> _Condition:
    """An expression of a body with negations moved inwards."""
    name, parts = expression.functor_name, expression.parts
    if name == "or" and parts:
        inner = [_condition(part, negated) for part in parts[1:]]
        return _all(inner) if negated else _any(inner)
    if name == "not" and len(parts) == 2:
        return _condition(parts[1], not negated)
    if name == "distinct" and len(parts) == 3:
        return Literal(SAME if negated else DISTINCT, (parts[1].term, parts[2].term))
    if name in ("not", "or", "distinct"):
        raise GdlError(f"{expression.place}: {name} has the wrong number of arguments in {quote(expression)}")
    if negated and str(name).startswith("?"):
        raise GdlError(f"{expression.place}: only a sentence can be negated, not {quote(expression)}")
    return Literal(FAILS if negated else HOLDS, expression.term)


@dataclass
class _Writer:
    """Collects rules, and adds relations for disjunctions that would multiply."""

    rules: list[NormalRule] = field(default_factory=list)
    size: int = 0
    added: int = 0

    def write(self, head: Term, body: _Condition, origin: Expression) -> None:
        """Add the rules of a head that follows from a condition."""
        if _ways(body) > MAX_BRANCHES:
            body = self._split(head, body, origin)
        for branch in _branches(body):
            literals = ordered(branch)
            self.size += 1 + len(literals)
            if self.size > MAX_LITERALS:
                raise GdlError(f"{origin.place}: without `or` the rules have more than {MAX_LITERALS:,} literals")
            self.rules.append(NormalRule(head, literals, origin))

    def _split(self, head: Term, body: _Condition, origin: Expression) -> _Condition:
        """The condition with every disjunction in a relation of its own.

        What the other literals bind is put before a branch that would not be safe on its own.
        """
        if isinstance(body, _Any):
            return Literal(HOLDS, self._relation(head, body, [], set(), origin))
        parts = body.parts if isinstance(body, _All) else (body,)
        plain = [part for part in parts if isinstance(part, Literal) and part.kind == HOLDS]
        found: list[_Condition] = []
        for number, part in enumerate(parts):
            if isinstance(part, _Any):
                others = {name for other in (*parts[:number], *parts[number + 1 :]) for name in _names(other)}
                found.append(Literal(HOLDS, self._relation(head, part, plain, others, origin)))
            else:
                found.append(part)
        return _all(found)

    def _relation(self, head: Term, one: _Any, plain: list[Literal], others: set[str], origin: Expression) -> Term:
        """A new relation that holds where a disjunction does, over its variables that matter elsewhere."""
        outside = others | set(variables(head))
        shared = [name for name in dict.fromkeys(_names(one)) if name in outside]
        self.added += 1
        new: Term = (f"{OURS}Or{self.added}", *shared)
        for branch in one.parts:
            bound = {name for literal in _literals(branch, only_certain=True) for name in variables(literal.term)}
            needed = set(shared) | set(_names(branch))
            self.write(new, branch if needed <= bound else _all([*plain, branch]), origin)
        return new


def _branches(condition: _Condition) -> Iterator[list[Literal]]:
    """The conjunctions of a condition that is multiplied out."""
    if isinstance(condition, Literal):
        yield [condition]
    elif isinstance(condition, _Any):
        for part in condition.parts:
            yield from _branches(part)
    else:
        for combination in itertools.product(*(list(_branches(part)) for part in condition.parts)):
            yield [literal for branch in combination for literal in branch]


def _literals(condition: _Condition, only_certain: bool = False) -> Iterator[Literal]:
    """The literals of a condition; `only_certain`: those that bind variables whichever branch holds."""
    if isinstance(condition, Literal):
        if condition.kind == HOLDS or not only_certain:
            yield condition
    elif not (only_certain and isinstance(condition, _Any)):
        for part in condition.parts:
            yield from _literals(part, only_certain)


def _names(condition: _Condition) -> Iterator[str]:
    return (name for literal in _literals(condition) for name in variables(literal.term))


def _with_given_heads(rules: list[NormalRule]) -> list[NormalRule]:
    """The rules with `true` and `does` in bodies replaced, where other rules add to them."""
    replaced = {functor(rule.head) for rule in rules} & GIVEN_FUNCTORS.keys()
    if not replaced:
        return rules

    def new(term: Term) -> Term:
        if functor(term) in replaced and isinstance(term, tuple):
            return (f"{OURS}{str(term[0]).title()}", *term[1:])
        return term

    found = []
    for rule in rules:
        body = tuple(
            Literal(kind, new(term)) if kind in (HOLDS, FAILS) else Literal(kind, term) for kind, term in rule.body
        )
        found.append(NormalRule(new(rule.head), body, rule.origin))
    for key in sorted(replaced):
        origin = next(rule.origin for rule in rules if functor(rule.head) == key)
        plain = GIVEN_FUNCTORS[key]
        found.append(NormalRule(new(plain), (Literal(HOLDS, plain),), origin))
    return found


GIVEN_FUNCTORS: dict[Functor, Term] = {("true", 1): ("true", "?f"), ("does", 2): ("does", "?r", "?m")}
"""What the state and the moves define, each as a sentence with variables only."""


def ordered(body: list[Literal]) -> tuple[Literal, ...]:
    """The literals in written order, but each test as soon as its variables are bound; the other tests last."""
    done: list[Literal] = []
    bound: set[str] = set()
    tests = [literal for literal in body if literal.kind != HOLDS]
    unbound = [set(variables(test.term)) for test in tests]
    waiting: dict[str, list[int]] = {}
    """The tests that need each variable."""
    for number, names in enumerate(unbound):
        for name in names:
            waiting.setdefault(name, []).append(number)
    placed = [not names for names in unbound]
    done += itertools.compress(tests, placed)
    for literal in body:
        if literal.kind != HOLDS:
            continue
        done.append(literal)
        ready = set()
        for name in set(variables(literal.term)) - bound:
            bound.add(name)
            for number in waiting.get(name, ()):
                unbound[number].discard(name)
                if not unbound[number]:
                    ready.add(number)
        for number in sorted(ready):
            placed[number] = True
            done.append(tests[number])
    return (*done, *(test for test, is_placed in zip(tests, placed, strict=True) if not is_placed))


STATIC, OF_STATE, OF_MOVES = range(3)
"""What the truth of a relation depends on: nothing, the state, or the state and the moves."""


def levels(rules: list[NormalRule]) -> dict[Functor, int]:
    """What each relation depends on, directly or through other rules."""
    found: dict[Functor, int] = {}
    users: dict[Functor, set[Functor]] = {}
    """The relations whose rules use each relation."""
    for rule in rules:
        key = functor(rule.head)
        found.setdefault(key, STATIC)
        for used in _used(rule.body):
            level = GIVEN.get(functor_name(used), STATIC)
            if level == STATIC:
                users.setdefault(used, set()).add(key)
            found[key] = max(found[key], level)
    for level in (OF_STATE, OF_MOVES):
        waiting = [key for key, own in found.items() if own == level]
        while waiting:
            for user in users.get(waiting.pop(), ()):
                if found[user] < level:
                    found[user] = level
                    waiting.append(user)
    return found


GIVEN = {"true": OF_STATE, "does": OF_MOVES}
"""The relations that the state and the moves define."""


def _used(body: Iterable[Literal]) -> set[Functor]:
    """The relations that a body refers to."""
    return {functor(literal.term) for literal in body if literal.kind in (HOLDS, FAILS)}
