"""Rules that are only instantiated where something asks for them ("magic sets").

Grounding goes from what holds to what follows, so a relation that counts with accumulators, `(count ?pit ?so_far ?n)`,
is instantiated for every number so far, though play only ever begins with zero. Here a relation gets a second one, its
demand: the values with which its known arguments can ever be asked. It is asked where a body has come to it, with what
the conditions before it say. Every rule of the relation then begins with its demand.

What is demanded does not depend on the state: an atom of a demand holds always, and vanishes from the ground rules.
"""

from __future__ import annotations

from heartlab.ggp.gdl.graph import strong_components
from heartlab.ggp.gdl.normal import FAILS, HOLDS, OURS, Literal, NormalRule
from heartlab.ggp.gdl.terms import Functor, Term, arguments, functor, is_ground, variables

DEMAND = f"{OURS}Demand"
"""How the names of demands begin."""

Known = tuple[bool, ...]
"""Which arguments of a relation are known wherever it is asked."""


def is_demand(key: Functor) -> bool:
    """Whether a relation is the demand of another one."""
    return not isinstance(key, str) and key[0].startswith(DEMAND)


def on_demand(rules: list[NormalRule], dynamic: set[Functor], asked: set[Functor]) -> list[NormalRule]:
    """The same rules, in which recursive relations and what they use are instantiated on demand.

    `dynamic` are the relations that are grounded; those that are `asked` by play are demanded as a whole, and so is
    what is used below a negation.
    """
    known = _known_arguments(rules, _candidates(rules, dynamic, asked))
    found: list[NormalRule] = []
    for rule in rules:
        own = _demand(rule.head, known)
        before = [] if own is None else [Literal(HOLDS, own)]
        found.append(NormalRule(rule.head, (*before, *rule.body), rule.origin))
        for literal in rule.body:
            if literal.kind == HOLDS:
                wanted = _demand(literal.term, known)
                if wanted is not None and wanted != own:
                    found.append(NormalRule(wanted, tuple(before), rule.origin))
                before = [*before, literal]
    return list(dict.fromkeys(found))


def _candidates(rules: list[NormalRule], dynamic: set[Functor], asked: set[Functor]) -> set[Functor]:
    """Relations that are recursive, or used by such, and not demanded as a whole."""
    uses: dict[Functor, list[Functor]] = {}
    for rule in rules:
        uses.setdefault(functor(rule.head), []).extend(
            functor(literal.term) for literal in rule.body if literal.kind == HOLDS
        )
    edges = {key: [one for one in used if one in uses and one in dynamic] for key, used in uses.items()}
    recursive = {
        key
        for group in strong_components(edges)
        for key in group
        if key in dynamic and (group[1:] or key in edges[key])
    }
    negated = {functor(literal.term) for rule in rules for literal in rule.body if literal.kind == FAILS}
    return (recursive.union(*(edges[key] for key in recursive)) if recursive else set()) - negated - asked


def _known_arguments(rules: list[NormalRule], candidates: set[Functor]) -> dict[Functor, Known]:
    """The arguments of each candidate that are known at all its uses; candidates without any are left out."""
    known: dict[Functor, Known] = {key: (True,) * key[1] for key in candidates if not isinstance(key, str)}
    while True:
        fewer = dict(known)
        for rule in rules:
            _narrow(rule, known, fewer)
        fewer = {key: mode for key, mode in fewer.items() if any(mode)}
        if fewer == known:
            return known
        known = fewer


def _narrow(rule: NormalRule, known: dict[Functor, Known], fewer: dict[Functor, Known]) -> None:
    """Strike from `fewer` the arguments that are not known where a rule asks, if its head is asked with `known`."""
    own = _demand(rule.head, known)
    bound = set() if own is None else set(variables(own))
    for literal in rule.body:
        if literal.kind != HOLDS:
            continue
        key = functor(literal.term)
        if key in fewer:
            here = [_is_known(value, bound) for value in arguments(literal.term)]
            fewer[key] = tuple(a and b for a, b in zip(fewer[key], here, strict=True))
        bound |= set(variables(literal.term))


def _is_known(value: Term, bound: set[str]) -> bool:
    """Whether an argument is known; one that builds a term is not, because demands would grow without end."""
    return is_ground(value) or (isinstance(value, str) and value in bound)


def _demand(term: Term, known: dict[Functor, Known]) -> Term | None:
    """The demand of a sentence; None if its relation is instantiated as a whole."""
    key = functor(term)
    if key not in known or isinstance(key, str):
        return None
    values = [value for value, is_known in zip(arguments(term), known[key], strict=True) if is_known]
    return (f"{DEMAND}-{key[0]}-{key[1]}", *values)
