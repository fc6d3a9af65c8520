"""Rules in the form that the prover and the grounder take: no `or`, every body a flat tuple of literals.

A literal is a pair (kind, term). `(or ...)` becomes one rule per branch. A literal that only tests (a negation,
`distinct`) is moved behind the literals that bind its variables: the order of literals does not matter in GDL, but a
test needs bound variables. Equality occurs only as `(not (distinct x y))`, which some games write.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from heartlab.ggp.gdl.parse import Description, Expression, Place, quote
from heartlab.ggp.gdl.terms import Functor, GdlError, Term, functor, functor_name, variables

HOLDS, FAILS, DISTINCT, SAME = range(4)
"""Kinds of literals: a sentence, a negated sentence, two terms that differ, two terms that are the same."""

MAX_BRANCHES = 10_000
"""Most rules that the `or`s of one rule may become."""
MAX_LITERALS = 3_000_000
"""Most literals of all rules without `or`."""


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


def normalise(description: Description) -> list[NormalRule]:
    """All rules without `or`, tests after the literals that bind them.

    Raises:
        GdlError: something is negated that cannot be, or a rule has too many combinations of branches.
    """
    found: list[NormalRule] = []
    size = 0
    for rule in description.rules:
        choices = [_branches(expression) for expression in rule.body]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count > MAX_BRANCHES:
            raise GdlError(f"{rule.place}: the `or`s of this rule have {count} combinations; at most {MAX_BRANCHES}")
        for combination in itertools.product(*choices):
            body = ordered([literal for branch in combination for literal in branch])
            size += 1 + len(body)
            if size > MAX_LITERALS:
                raise GdlError(f"{rule.place}: without `or` the rules have more than {MAX_LITERALS:,} literals")
            found.append(NormalRule(rule.head.term, body, rule.head))
    return found


def _branches(expression: Expression) -> list[list[Literal]]:
    """The alternatives of one body expression, each a list of literals."""
    name, parts = expression.functor_name, expression.parts
    if name == "or" and parts:
        return [branch for part in parts[1:] for branch in _branches(part)]
    if name == "distinct" and len(parts) == 3:
        return [[Literal(DISTINCT, (parts[1].term, parts[2].term))]]
    if name == "not" and len(parts) == 2:
        negated = parts[1]
        if negated.functor_name == "distinct" and len(negated.parts) == 3:
            return [[Literal(SAME, (negated.parts[1].term, negated.parts[2].term))]]
        if negated.functor_name in ("not", "or", "distinct") or str(negated.functor_name).startswith("?"):
            raise GdlError(f"{negated.place}: only a sentence can be negated, not {quote(negated)}")
        return [[Literal(FAILS, negated.term)]]
    if name in ("not", "distinct"):
        raise GdlError(f"{expression.place}: {name} has the wrong number of arguments in {quote(expression)}")
    return [[Literal(HOLDS, expression.term)]]


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
