"""Rules in the form that the prover and the grounder take: no `or`, every body a flat tuple of literals.

A literal is a pair (kind, term). `(or ...)` becomes one rule per branch. A literal that only tests (a negation,
`distinct`) is moved behind the literals that bind its variables: the order of literals does not matter in GDL, but a
test needs bound variables. Equality occurs only as `(not (distinct x y))`, which some games write.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

from heartlab.ggp.gdl.parse import Description, Expression, Place
from heartlab.ggp.gdl.terms import Functor, GdlError, Term, functor, functor_name, variables

HOLDS, FAILS, DISTINCT, SAME = range(4)
"""Kinds of literals: a sentence, a negated sentence, two terms that differ, two terms that are the same."""

MAX_BRANCHES = 10_000


class Literal(NamedTuple):
    """One condition of a rule; for DISTINCT and SAME the term is the pair."""

    kind: int
    term: Term


@dataclass(frozen=True)
class NormalRule:
    """A head and the literals that imply it."""

    head: Term
    body: tuple[Literal, ...]
    place: Place


def normalise(description: Description) -> list[NormalRule]:
    """All rules without `or`, tests after the literals that bind them.

    Raises:
        GdlError: something is negated that cannot be, or a rule has too many combinations of branches.
    """
    found = []
    for rule in description.rules:
        choices = [_branches(expression) for expression in rule.body]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count > MAX_BRANCHES:
            raise GdlError(f"{rule.place}: the `or`s of this rule have {count} combinations; at most {MAX_BRANCHES}")
        for combination in itertools.product(*choices):
            body = ordered([literal for branch in combination for literal in branch])
            found.append(NormalRule(rule.head.term, body, rule.place))
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
            raise GdlError(f"{negated.place}: only a sentence can be negated, not {negated}")
        return [[Literal(FAILS, negated.term)]]
    if name in ("not", "distinct"):
        raise GdlError(f"{expression.place}: {name} has the wrong number of arguments in {expression}")
    return [[Literal(HOLDS, expression.term)]]


def ordered(body: list[Literal]) -> tuple[Literal, ...]:
    """The literals in written order, but each test as soon as its variables are bound; the other tests last."""
    done: list[Literal] = []
    bound: set[str] = set()
    tests = [literal for literal in body if literal.kind != HOLDS]
    for literal in (None, *(literal for literal in body if literal.kind == HOLDS)):
        if literal is not None:
            done.append(literal)
            bound |= set(variables(literal.term))
        ready = [test for test in tests if bound.issuperset(variables(test.term))]
        tests = [test for test in tests if test not in ready]
        done += ready
    return (*done, *tests)


STATIC, OF_STATE, OF_MOVES = range(3)
"""What the truth of a relation depends on: nothing, the state, or the state and the moves."""


def levels(rules: list[NormalRule]) -> dict[Functor, int]:
    """What each relation depends on, directly or through other rules."""
    found: dict[Functor, int] = {}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            key = functor(rule.head)
            level = max((_level(literal, found) for literal in rule.body), default=STATIC)
            if level > found.get(key, -1):
                found[key] = level
                changed = True
    return found


def _level(literal: Literal, found: dict[Functor, int]) -> int:
    if literal.kind in (DISTINCT, SAME):
        return STATIC
    key = functor(literal.term)
    return {"true": OF_STATE, "does": OF_MOVES}.get(functor_name(key), found.get(key, STATIC))
