"""The parts of a game that can be on different machines: its relations, and its facts by kind.

A network can have a relation only if it has everything that the rules of the relation use. So where a part is left to
the prover, all that use it are left to it, too (`with_users`). What `init`, `next` and `true` say of one kind of fact
is one part, and so are `legal` and `does`: facts and moves that the network does not know are none of its inputs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from heartlab.ggp.gdl.normal import FAILS, HOLDS, Literal, NormalRule
from heartlab.ggp.gdl.parse import Description
from heartlab.ggp.gdl.terms import Functor, Term, arguments, functor, functor_name, is_variable


class FactsOf(NamedTuple):
    """The facts of one kind; of all kinds if it is empty."""

    kind: Functor


Part: TypeAlias = "Functor | FactsOf"
LEGAL: Functor = ("legal", 2)
_STATED: set[Functor] = {("init", 1), ("next", 1)}
_ASKED: dict[Part, str] = {LEGAL: "legal", "terminal": "terminal", ("goal", 2): "goal", ("sees", 2): "sees"}


class Parts:
    """The parts of some rules, and what uses what.

    >>> from heartlab.ggp.gdl.normal import normalise
    >>> from heartlab.ggp.machine.load import read_game
    >>> parts = Parts(normalise(read_game("tictactoe")))
    >>> sorted(parts.names(parts.with_users({"decided"})))
    ['goal', 'terminal']
    """

    def __init__(self, rules: list[NormalRule]) -> None:
        heads = [rule.head for rule in rules if functor(rule.head) in _STATED]
        self.are_told_apart = not any(is_variable(arguments(head)[0]) for head in heads)
        """Whether the kinds of facts are parts of their own: not where a rule says of any fact that it holds."""
        self.facts = {self.of(head) for head in heads}
        self.users: dict[Part, set[Part]] = {}
        """The parts whose rules use each part."""
        self.known = {self.of(rule.head) for rule in rules}
        self.uses_stated = False
        """Whether a condition asks for `init` or `next`, which the validator refuses."""
        for rule in rules:
            for literal in rule.body:
                self.uses_stated |= literal.kind in (HOLDS, FAILS) and functor(literal.term) in _STATED
                for used in self._used(literal):
                    self.users.setdefault(used, set()).add(self.of(rule.head))
        self.changing = self.with_users({*self.facts, *(part for part in _ASKED if part in self.known)})
        """What may be left to the prover; all else depends on neither state nor moves."""

    def of(self, term: Term) -> Part:
        """The part of a head, or of a sentence in a body."""
        key = functor(term)
        if key in _STATED or key == ("true", 1):
            fact = arguments(term)[0]
            return FactsOf(functor(fact) if self.are_told_apart and not is_variable(fact) else "")
        return LEGAL if key == ("does", 2) else key

    def _used(self, literal: Literal) -> Iterable[Part]:
        if literal.kind not in (HOLDS, FAILS):
            return ()
        part = self.of(literal.term)
        return self.facts if part == FactsOf("") else (part,)

    def with_users(self, parts: Iterable[Part]) -> frozenset[Part]:
        """Some parts, and all that depend on them."""
        found, waiting = set[Part](), list(parts)
        while waiting:
            part = waiting.pop()
            if part not in found:
                found.add(part)
                waiting += self.users.get(part, ())
        return frozenset(found)

    def is_worth_it(self, left: frozenset[Part]) -> bool:
        """Whether a network without these parts does enough: the moves, and some of the facts."""
        return bool(left) and LEGAL not in left and not self.facts <= left

    def names(self, parts: Iterable[Part]) -> list[str]:
        """What play asks for among some parts, in words."""
        chosen = set(parts)
        facts = sorted(_fact_name(part) for part in chosen & self.facts if isinstance(part, FactsOf))
        return [*facts, *(name for part, name in _ASKED.items() if part in chosen)]

    def for_prover(self, description: Description, left: frozenset[Part]) -> Description:
        """The rules that the prover needs where a network has all but some parts: not what comes next of its facts.

        `init` and `next` are not used by rules; those of a game that does so stay as they are.
        """
        if self.uses_stated:
            return description
        rules = tuple(
            rule
            for rule in description.rules
            if functor(rule.head.term) not in _STATED or self.of(rule.head.term) in left
        )
        return replace(description, rules=rules)


def _fact_name(part: FactsOf) -> str:
    return f"facts of {functor_name(part.kind)}" if part.kind else "facts"
