"""Validation: all errors and warnings that the GDL definition asks for, each with its place and rule.

An error means that the text is not GDL and machines may differ over it; a warning that it is probably not what its
author meant. Checks of single rules come first, then those that need the dependency graph of relations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heartlab.ggp.gdl.graph import strong_components
from heartlab.ggp.gdl.parse import Description, Expression, Place, Rule, quote
from heartlab.ggp.gdl.terms import (
    KEYWORD_ARITIES,
    Functor,
    Term,
    functor,
    functor_name,
    is_ground,
    is_variable,
    number_of,
    variables,
)

ERROR, WARNING = "error", "warning"
NEEDED = ("role", "terminal", "goal", "legal")
CONNECTIVES = ("not", "or", "distinct", "<=")
ONLY_GIVEN = ("role", "true", "does")
ONLY_DERIVED = ("init", "next", "base", "input")
MOST_MESSAGE = 700
"""Most characters of a message: names may be as long as the text."""
USED_FROM_OUTSIDE = ("role", "init", "legal", "next", "terminal", "goal", "base", "input", "sees")


@dataclass(frozen=True)
class Finding:
    """One error or warning.

    >>> from heartlab.ggp.gdl import parse_game
    >>> for finding in validate(parse_game("(role white) (<= (legal white ?m) (move))", "draft.kif")):
    ...     print(finding)
    draft.kif:1:1: error: the game has no terminal
    draft.kif:1:1: error: the game has no goal
    draft.kif:1:18: error: nothing in the body binds ?m of the head: (<= (legal white ?m) (move))
    draft.kif:1:35: warning: nothing defines move: it never holds
    """

    severity: str
    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}: {self.message}"

    def to_dict(self) -> dict[str, str | int]:
        """The values for JSON."""
        place = self.place
        return {
            "severity": self.severity,
            "file": place.source,
            "line": place.line,
            "column": place.column,
            "message": self.message,
        }


def validate(description: Description) -> list[Finding]:
    """All errors and warnings, in the order of the text."""
    found: list[Finding] = []
    for rule in description.rules:
        found += _check_rule(rule)
    found += _check_presence(description)
    found += _check_arities(description)
    found += _check_names(description)
    found += _check_graph(description)
    unique = dict.fromkeys(found)
    return sorted(unique, key=lambda finding: (finding.place.line, finding.place.column, finding.severity))


def errors(description: Description) -> list[Finding]:
    """The errors only."""
    return [finding for finding in validate(description) if finding.severity == ERROR]


# One rule at a time


def _error(expression: Expression | Rule, message: str) -> Finding:
    return Finding(ERROR, expression.place, message[:MOST_MESSAGE])


def _warning(expression: Expression | Rule, message: str) -> Finding:
    return Finding(WARNING, expression.place, message[:MOST_MESSAGE])


def _check_rule(rule: Rule) -> Iterator[Finding]:
    head = rule.head.functor_name
    if head in CONNECTIVES or is_variable(str(head)):
        yield _error(rule, f"{head} cannot be the head of a rule: {rule.quoted}")
    if head in ONLY_GIVEN and not (head == "role" and rule.is_fact):
        what = "stated as a fact" if rule.is_fact else "the head of a rule"
        yield _error(rule, f"{head} is given by the game's course and cannot be {what}: {rule.quoted}")
    if rule.is_fact and not is_ground(rule.head.term):
        yield _error(rule, f"a variable outside of a rule: {rule.quoted}")
    if not rule.is_fact and not rule.body:
        yield _warning(rule, f"a rule without a body is a fact: {rule.quoted}")
    yield from _check_sentence(rule.head, rule)
    for literal in rule.body:
        yield from _check_literal(literal, rule, inside_or=False)
    if not rule.is_fact:
        yield from _check_safety(rule)


def _check_literal(literal: Expression, rule: Rule, inside_or: bool) -> Iterator[Finding]:
    name = literal.functor_name
    if name == "or":
        if len(literal.parts) < 2:
            yield _error(literal, f"or takes at least one sentence: {quote(literal)}")
        if inside_or:
            yield _warning(literal, f"an `or` directly inside an `or`: {quote(literal)}")
        for branch in literal.parts[1:]:
            yield from _check_literal(branch, rule, inside_or=True)
    elif name == "not":
        if len(literal.parts) != 2:
            yield _error(literal, f"not takes one sentence: {quote(literal)}")
        elif literal.parts[1].functor_name in CONNECTIVES or is_variable(literal.parts[1].functor_name or ""):
            yield _error(literal, f"only a sentence can be negated: {quote(literal)}")
        else:
            yield from _check_literal(literal.parts[1], rule, inside_or=False)
    elif name in ONLY_DERIVED:
        yield _error(literal, f"{name} cannot stand in the body of a rule: {rule.quoted}")
    elif is_variable(name or ""):
        yield _error(literal, f"a variable cannot stand for a sentence: {quote(literal)}")
    else:
        yield from _check_sentence(literal, rule)


def _check_sentence(sentence: Expression, rule: Rule) -> Iterator[Finding]:
    name = sentence.functor_name or ""
    arity = KEYWORD_ARITIES.get(name, -1)
    given = max(0, len(sentence.parts) - 1)
    if arity == given == 0 and sentence.parts:
        yield _error(sentence, f"{name} takes no arguments and stands without parentheses: {quote(sentence)}")
    elif arity >= 0 and (given != arity or (arity == 0) != (sentence.name is not None)):
        yield _error(sentence, f"{name} takes {arity} argument{'s' * (arity != 1)}, not {given}: {quote(sentence)}")
    if name == "goal" and given == 2 and not is_variable(sentence.parts[2].term):
        value = number_of(sentence.parts[2].term)
        if value is None or value > 100:
            yield _warning(sentence, f"a goal should be a number from 0 to 100: {quote(sentence)}")
    for part in sentence.parts[1:]:
        yield from _check_term(part, rule, allowed="does" if name == "sees" else "")


def _check_term(term: Expression, rule: Rule, allowed: str = "") -> Iterator[Finding]:
    """Keywords cannot be functions; only a percept may say `(does ...)`, which GDL-II games do."""
    name = term.functor_name or ""
    if term.parts and name in KEYWORD_ARITIES and name != allowed:
        yield _error(term, f"the keyword {name} cannot be a function: {quote(term)}")
    if term.parts and is_variable(name):
        yield _error(term, f"a variable cannot be the name of a function: {quote(term)}")
    for part in term.parts[1:]:
        yield from _check_term(part, rule)


def _check_safety(rule: Rule) -> Iterator[Finding]:
    """Every variable in the head, in a negation or in `distinct` needs a positive sentence that binds it."""
    bound: set[str] = set()
    for literal in rule.body:
        bound |= _supported(literal)
    unsafe = [name for name in dict.fromkeys(variables(rule.head.term)) if name not in bound]
    for name in unsafe:
        yield _error(rule, f"nothing in the body binds {name} of the head: {rule.quoted}")
    for test in _tests(rule.body):
        for name in dict.fromkeys(variables(test.term)):
            if name not in bound:
                yield _error(test, f"nothing binds {name} of {quote(test)} in the rule {rule.quoted}")


def _supported(literal: Expression) -> set[str]:
    """The variables that a literal binds; an `or` binds what all its branches bind."""
    if literal.functor_name == "or" and literal.parts:
        branches = [_supported(branch) for branch in literal.parts[1:]]
        return set.intersection(*branches) if branches else set()
    if literal.functor_name in ("not", "distinct"):
        return set()
    return set(variables(literal.term))


def _tests(body: tuple[Expression, ...]) -> Iterator[Expression]:
    for literal in body:
        if literal.functor_name == "or":
            yield from _tests(literal.parts[1:])
        elif literal.functor_name in ("not", "distinct"):
            yield literal


# The text as a whole


def _check_presence(description: Description) -> Iterator[Finding]:
    defined = {rule.head.functor_name for rule in description.rules}
    for name in NEEDED:
        if name not in defined:
            yield Finding(ERROR, Place(description.source, 1, 1), f"the game has no {name}")


def _sentences(literals: tuple[Expression, ...]) -> Iterator[tuple[Expression, bool]]:
    """The sentences of a body, and whether each is negated."""
    for literal in literals:
        if literal.functor_name == "or":
            yield from _sentences(literal.parts[1:])
        elif literal.functor_name == "not":
            yield from ((sentence, True) for sentence, _ in _sentences(literal.parts[1:]))
        elif literal.functor_name != "distinct":
            yield literal, False


def _check_arities(description: Description) -> Iterator[Finding]:
    """A name should have one number of arguments throughout, as a relation and as a function."""
    for kind, walk in (("relation", _relations), ("function", _functions)):
        seen: dict[str, int] = {}
        for rule in description.rules:
            for expression in walk(rule):
                name = expression.functor_name or ""
                arity = -1 if expression.name is not None else len(expression.parts) - 1
                if name in KEYWORD_ARITIES or is_variable(name):
                    continue
                if seen.setdefault(name, arity) != arity:
                    shown = {-1: "none", 0: "none in parentheses"}
                    before, now = (shown.get(n, str(n)) for n in (seen[name], arity))
                    message = f"the {kind} {name} has {now} arguments here but {before} elsewhere; they are different"
                    yield _warning(expression, message)


def _relations(rule: Rule) -> Iterator[Expression]:
    yield rule.head
    yield from (sentence for sentence, _ in _sentences(rule.body))


def _functions(rule: Rule) -> Iterator[Expression]:
    waiting = [part for sentence in _relations(rule) for part in sentence.parts[1:]]
    while waiting:
        expression = waiting.pop()
        if expression.parts:
            yield expression
            waiting.extend(expression.parts[1:])


def _check_names(description: Description) -> Iterator[Finding]:
    """Relations that are used but never defined, or defined but never used."""
    defined: dict[Functor, Rule] = {}
    used: dict[Functor, Expression] = {}
    for rule in description.rules:
        defined.setdefault(functor(rule.head.term), rule)
        for sentence, _ in _sentences(rule.body):
            used.setdefault(functor(sentence.term), sentence)
    for key, sentence in used.items():
        if key not in defined and functor_name(key) not in KEYWORD_ARITIES and not is_variable(functor_name(key)):
            yield _warning(sentence, f"nothing defines {functor_name(key)}: it never holds")
    for key, rule in defined.items():
        if key not in used and functor_name(key) not in USED_FROM_OUTSIDE:
            yield _warning(rule, f"nothing uses {functor_name(key)}")


def _check_graph(description: Description) -> Iterator[Finding]:
    edges: dict[str, set[str]] = {}
    for rule in description.rules:
        targets = edges.setdefault(rule.head.functor_name or "", set())
        targets |= {sentence.functor_name or "" for sentence, _ in _sentences(rule.body)}
    component = {name: number for number, part in enumerate(strong_components(edges)) for name in part}
    for rule in description.rules:
        head = rule.head.functor_name or ""
        same = [(s, negated) for s, negated in _sentences(rule.body) if component.get(s.functor_name or "") is not None]
        cycle = [(s, negated) for s, negated in same if component[s.functor_name or ""] == component[head]]
        for sentence, negated in cycle:
            if negated:
                yield _error(sentence, f"{head} depends on its own negation through {quote(sentence)}: {rule.quoted}")
        yield from _check_recursion(rule, [sentence for sentence, _ in cycle])
    for head, forbidden in (
        ("init", ("true", "does")),
        ("base", ("true", "does")),
        ("input", ("true", "does")),
        ("legal", ("does",)),
        ("goal", ("does",)),
        ("terminal", ("does",)),
    ):
        behind = _behind(head, edges)
        for name in forbidden:
            if name in behind:
                place = next(rule.place for rule in description.rules if rule.head.functor_name == head)
                yield Finding(ERROR, place, f"{head} cannot depend on {name}, which some rules behind it use")


def _behind(name: str, edges: dict[str, set[str]]) -> set[str]:
    """All relations that a relation depends on."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for target in edges.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _check_recursion(rule: Rule, cyclic: list[Expression]) -> Iterator[Finding]:
    """The recursion restriction: what a recursive sentence is given must be ground, in the head, or bound outside."""
    recursive = set(map(id, cyclic))
    allowed = {part.term for part in rule.head.parts[1:]}.union(*(_given(literal, recursive) for literal in rule.body))
    for sentence in cyclic:
        for part in sentence.parts[1:]:
            if not is_ground(part.term) and part.term not in allowed:
                unbound = f"{quote(part)} is bound nowhere else"
                yield _error(sentence, f"the recursion through {quote(sentence)} could grow without end: {unbound}")


def _given(literal: Expression, recursive: set[int]) -> set[Term]:
    """The terms that a condition which does not recur itself holds of, whichever branch of an `or` is true."""
    if literal.functor_name == "or" and literal.parts:
        branches = [_given(branch, recursive) for branch in literal.parts[1:]]
        return set.intersection(*branches) if branches else set()
    if literal.functor_name in ("not", "distinct") or id(literal) in recursive:
        return set()
    return {part.term for part in literal.parts[1:]}
