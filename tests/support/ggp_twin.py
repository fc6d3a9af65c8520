"""A third machine, as plain as can be: naive bottom-up evaluation of GDL, written without a look at the other two.

It works on the expressions of the text: relation by relation in the order of strata, every rule is tried with all that
is known until nothing new follows. A body is solved goal by goal; a goal that only tests waits until its variables
are bound, an `or` is tried branch by branch. Slow, for small games only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heartlab.ggp.gdl.parse import parse_game

Bindings = dict[str, Any]


def names_in(term: Any) -> set[str]:
    """The variables of a term."""
    if isinstance(term, str):
        return {term} if term.startswith("?") else set()
    return set().union(*map(names_in, term)) if term else set()


def fill(term: Any, bindings: Bindings) -> Any:
    """A term with its bound variables replaced."""
    if isinstance(term, str):
        return bindings.get(term, term)
    return tuple(fill(part, bindings) for part in term)


def fits(pattern: Any, fact: Any, bindings: Bindings) -> Bindings | None:
    """The bindings extended so that a pattern equals a fact."""
    if isinstance(pattern, str):
        if not pattern.startswith("?"):
            return bindings if pattern == fact else None
        if pattern in bindings:
            return bindings if bindings[pattern] == fact else None
        return {**bindings, pattern: fact}
    if isinstance(fact, str) or len(pattern) != len(fact):
        return None
    for part, value in zip(pattern, fact, strict=True):
        found = fits(part, value, bindings)
        if found is None:
            return None
        bindings = found
    return bindings


def relation(sentence: Any) -> str:
    """The name of a sentence's relation."""
    return sentence if isinstance(sentence, str) else sentence[0]


def mentioned(goal: Any, negated: bool = False) -> Iterator[tuple[str, bool]]:
    """The relations in a goal, and whether each stands below an odd number of negations."""
    name = relation(goal)
    if name == "or":
        for part in goal[1:]:
            yield from mentioned(part, negated)
    elif name == "not":
        yield from mentioned(goal[1], not negated)
    elif name != "distinct":
        yield name, negated


class NaiveMachine:
    """A game as a table of everything that holds, computed anew for every question."""

    def __init__(self, text: str) -> None:
        description = parse_game(text)
        self.roles = description.roles
        self.rules = [(rule.head.term, tuple(part.term for part in rule.body)) for rule in description.rules]
        self.strata = self._strata()

    def _strata(self) -> list[list[Any]]:
        """The rules stratum by stratum: what is negated is complete before it is used."""
        level: dict[str, int] = {relation(head): 0 for head, _ in self.rules}
        changed = True
        while changed:
            changed = False
            for head, body in self.rules:
                for goal in body:
                    for name, negated in mentioned(goal):
                        least = level.get(name, 0) + negated
                        if level[relation(head)] < least:
                            assert least <= len(level), "the rules are not stratified"
                            level[relation(head)] = least
                            changed = True
        top = max(level.values(), default=0)
        return [[rule for rule in self.rules if level[relation(rule[0])] == one] for one in range(top + 1)]

    def holds(self, state: frozenset[Any], moves: list[Any] | None = None) -> set[Any]:
        """Every sentence that holds in a state, given the moves."""
        known: dict[str, set[Any]] = {"true": {("true", fact) for fact in state}}
        if moves is not None:
            known["does"] = {("does", role, move) for role, move in zip(self.roles, moves, strict=True)}
        for rules in self.strata:
            grown = True
            while grown:
                grown = False
                for head, body in rules:
                    for bindings in list(self._solve(list(body), {}, known)):
                        fact = fill(head, bindings)
                        of_relation = known.setdefault(relation(head), set())
                        if fact not in of_relation:
                            of_relation.add(fact)
                            grown = True
        return set().union(*known.values())

    def _solve(self, goals: list[Any], bindings: Bindings, known: dict[str, set[Any]]) -> Iterator[Bindings]:
        if not goals:
            yield bindings
            return
        place = next(
            (
                number
                for number, goal in enumerate(goals)
                if relation(goal) not in ("not", "distinct") or not names_in(fill(goal, bindings))
            ),
            0,
        )
        goal, rest = fill(goals[place], bindings), goals[:place] + goals[place + 1 :]
        name = relation(goal)
        if name == "or":
            for part in goal[1:]:
                yield from self._solve([part, *rest], bindings, known)
        elif name == "distinct":
            if goal[1] != goal[2]:
                yield from self._solve(rest, bindings, known)
        elif name == "not":
            if next(self._solve([goal[1]], bindings, known), None) is None:
                yield from self._solve(rest, bindings, known)
        else:
            for fact in known.get(name, ()):
                found = fits(goal, fact, bindings)
                if found is not None:
                    yield from self._solve(rest, found, known)

    # The machine

    @property
    def initial(self) -> frozenset[Any]:
        return frozenset(fact[1] for fact in self.holds(frozenset()) if relation(fact) == "init")

    def look(self, state: frozenset[Any]) -> dict[str, Any]:
        """What can be asked about a state: the end, the legal moves and the goals of each role."""
        facts = self.holds(state)
        return {
            "terminal": "terminal" in facts,
            "legal": [{fact[2] for fact in facts if fact[:2] == ("legal", role)} for role in self.roles],
            "goals": [sorted(int(fact[2]) for fact in facts if fact[:2] == ("goal", role)) for role in self.roles],
        }

    def step(self, state: frozenset[Any], moves: list[Any]) -> tuple[frozenset[Any], list[set[Any]]]:
        """The next state, and what each role sees."""
        facts = self.holds(state, moves)
        seen = [{fact[2] for fact in facts if fact[:2] == ("sees", role)} for role in self.roles]
        return frozenset(fact[1] for fact in facts if relation(fact) == "next"), seen
