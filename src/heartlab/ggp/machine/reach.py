"""Grounding of our own: everything that could ever hold, and why, by semi-naive evaluation.

An atom is a sentence that depends on the state or the moves and may hold in some state. Atoms get numbers in the order
in which they are found. Each one is then put into every place of every rule that it fits, together with earlier atoms
for the rest of the body, so that every instance of a rule is found exactly once. What depends on neither state nor
moves is left to the prover, which is asked only what is needed. A fact that can be next can be true, a move that can
be legal can be played.

Rules that have too many instances are split: a variable that only some literals of a body share is projected away by a
relation of its own, so that no instance has more variables than necessary, and recursive relations are instantiated on
demand (`demand`). Where whole rules will do they make the better networks.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TypeAlias

from heartlab.ggp.gdl.normal import FAILS, HOLDS, OURS, Literal, NormalRule, normalise
from heartlab.ggp.gdl.parse import Description
from heartlab.ggp.gdl.terms import Functor, Term, arguments, brief, functor, variables
from heartlab.ggp.machine.base import GameError, OutOfBudget
from heartlab.ggp.machine.clauses import DOES, TRUE, Clauses, Function, Mode, Row, _in_order, _Writer, picked
from heartlab.ggp.machine.demand import is_demand, on_demand
from heartlab.ggp.machine.grounding import SHOWN, Budget, GroundGame, GroundingFailed, relevant
from heartlab.ggp.machine.parts import Part, Parts
from heartlab.ggp.machine.prover import BYTES_KEPT, Prover

WHOLE_TICKS, WHOLE_RULES = 1500, 300_000
"""How many looks at the clock and ground rules a game may take with its rules as they are; then they are split."""
MOST_LITERALS = 24
"""Longest body that is evaluated as a whole."""
STEPS_OF_ATOM = 5
"""What an atom counts among the steps between two looks at the clock."""
BYTES_OF_ATOM = 800
"""About how much memory an atom takes with its entries in indexes."""

Relation: TypeAlias = "Functor | tuple[str, Functor]"
"""What atoms are listed by: a relation; for the state and the moves also by the name of the fact or move."""
Atom: TypeAlias = "tuple[Functor, tuple[Term, ...]]"
Listing: TypeAlias = "dict[Row, list[tuple[int | Term, ...]]]"
"""Atoms by their known arguments: the number of each, and its other arguments."""


def split(rule: NormalRule, number: int) -> list[NormalRule]:
    """A rule as several, in which variables are projected away as soon as they are not needed any more."""
    found: list[NormalRule] = []
    body, head = list(rule.body), set(variables(rule.head))
    while True:
        chosen = _best_split(body, head)
        if chosen is None:
            return [*found, NormalRule(rule.head, tuple(body), rule.origin)]
        inner, shared = chosen
        new: Term = (f"{OURS}Part{number}-{len(found)}", *sorted(shared))
        found.append(NormalRule(new, tuple(inner), rule.origin))
        body = [literal for literal in body if literal not in inner]
        body.append(Literal(HOLDS, new))


def chained(rule: NormalRule, number: int) -> list[NormalRule]:
    """A rule with a long body as a chain of short ones: every literal may be the last to come true."""
    found: list[NormalRule] = []
    body = list(dict.fromkeys(rule.body))
    while len(body) > MOST_LITERALS:
        first, rest = body[:MOST_LITERALS], body[MOST_LITERALS:]
        needed = set(variables(rule.head)).union(*(variables(term) for _, term in rest))
        bound = dict.fromkeys(name for kind, term in first if kind == HOLDS for name in variables(term))
        if any(not set(variables(term)) <= bound.keys() for _, term in first):
            break
        new: Term = (f"{OURS}Chain{number}-{len(found)}", *(name for name in bound if name in needed))
        found.append(NormalRule(new, tuple(first), rule.origin))
        body = [Literal(HOLDS, new), *rest]
    return [*found, NormalRule(rule.head, tuple(body), rule.origin)]


def _best_split(body: list[Literal], head: set[str]) -> tuple[list[Literal], set[str]] | None:
    """The literals around a variable that nothing else needs, and the variables that they share with the rest."""
    names = [set(variables(literal.term)) for literal in body]
    everything = set().union(*names) if names else set[str]()
    best: tuple[int, str, list[Literal], set[str]] | None = None
    for name in sorted(everything - head):
        inside = [number for number, own in enumerate(names) if name in own]
        own = set().union(*(names[number] for number in inside))
        bound = set().union(*(names[number] for number in inside if body[number].kind == HOLDS))
        if own == everything or own != bound:
            continue
        outside = head.union(*(names[number] for number in range(len(body)) if number not in inside))
        shared = own & outside
        rest = shared | (everything - own)
        if max(len(own), len(rest)) == len(everything):
            continue
        if best is None or (len(own), name) < best[:2]:
            best = (len(own), name, [body[number] for number in inside], shared)
    return None if best is None else best[2:]


class _Watched(Prover):
    """A prover that notes at each look at the clock which part of the game is being grounded."""

    def __init__(self, description: Description, budget: Budget) -> None:
        super().__init__(description, budget)
        self.running: Part = ""
        self.looks: Counter[Part] = Counter()

    def check_budget(self) -> None:
        self.looks[self.running] += 1
        super().check_budget()


class Grounder:
    """Finds all atoms and all instances of rules."""

    def __init__(self, rules: list[NormalRule], prover: _Watched, parts: Parts, budget: Budget, splits: bool) -> None:
        self.prover, self.parts, self.budget = prover, parts, budget
        dynamic = self._dynamic(rules)
        if splits:
            rules = on_demand(rules, dynamic, {*_ASKED, TRUE, DOES})
            dynamic = self._dynamic(rules)
        pieces: list[NormalRule] = []
        for number, rule in enumerate(rules):
            if functor(rule.head) not in dynamic:
                pieces.append(rule)
            elif splits and len(rule.body) <= MOST_LITERALS:
                pieces += split(rule, number)
            else:
                pieces += chained(rule, number)
        self.dynamic = self._dynamic(pieces)
        self.atoms: list[Atom] = [("", ())]
        """Atoms by number, from 1 on."""
        self.numbers: dict[Functor, dict[tuple[Term, ...], int]] = {}
        self.instances: list[tuple[int, tuple[int, ...], tuple[Atom, ...]]] = []
        self.indexes: dict[Relation, dict[Mode, Listing]] = {}
        self.triggers: dict[Relation, list[tuple[Function, Part]]] = {}
        """What to call for an atom, and the part of the game that it grounds."""
        self.origins: dict[Functor, Part] = {}
        """The part of the game that each relation was made for."""
        self.clauses = _with_static(Clauses(pieces, prover), prover, self.dynamic)
        self.begin: list[tuple[Function, Part]] = []
        for rule in pieces:
            if functor(rule.head) in self.dynamic or functor(rule.head) == ("init", 1):
                self._prepare(rule)

    def _dynamic(self, rules: list[NormalRule]) -> set[Functor]:
        """The relations that depend on the state or the moves; always those that play asks for, and demands."""
        found: set[Functor] = {TRUE, DOES}
        heads = {functor(rule.head) for rule in rules}
        found |= {key for key in heads if key in _ASKED or is_demand(key)}
        grown = True
        while grown:
            grown = False
            for rule in rules:
                key = functor(rule.head)
                used = {functor(term) for kind, term in rule.body if kind in (HOLDS, FAILS)}
                if key not in found and key != ("init", 1) and used & found:
                    found.add(key)
                    grown = True
        return found

    def _prepare(self, rule: NormalRule) -> None:
        """Make a function for every place of a rule at which an atom may come in."""
        origin = self.parts.of(rule.origin.term)
        self.origins[functor(rule.head)] = origin
        _check_safety(rule, origin)
        places = [
            number
            for number, literal in enumerate(rule.body)
            if literal.kind == HOLDS and functor(literal.term) in self.dynamic
        ]
        if not places:
            self.begin.append((_GroundWriter(self, rule, None).function(), origin))
        for place in places:
            relation, _ = self.listed(rule.body[place].term)
            self.triggers.setdefault(relation, []).append((_GroundWriter(self, rule, place).function(), origin))

    def listed(self, term: Term) -> tuple[Relation, tuple[Term, ...]]:
        """Under which relation a sentence's atoms are listed, and the arguments there."""
        key, values = functor(term), arguments(term)
        if key == TRUE and not (isinstance(values[0], str) and values[0].startswith("?")):
            return ("true", functor(values[0])), arguments(values[0])
        if key == DOES and not (isinstance(values[1], str) and values[1].startswith("?")):
            return ("does", functor(values[1])), (values[0], *arguments(values[1]))
        return key, values

    def index(self, relation: Relation, mode: Mode) -> Listing:
        """The index of a relation's atoms by known arguments, which grows with them."""
        modes = self.indexes.setdefault(relation, {})
        if mode not in modes:
            modes[mode] = {}
        return modes[mode]

    # Running

    def run(self) -> None:
        """Find everything.

        Raises:
            GroundingFailed: the budget ran out, or the rules cannot be grounded.
        """
        try:
            prover, steps = self.prover, self.prover.steps
            for function, origin in self.begin:
                prover.running = origin
                function(0)
            number = 1
            while number < len(self.atoms):
                steps[0] -= STEPS_OF_ATOM
                if steps[0] < 0:
                    prover.check_budget()
                key, values = self.atoms[number]
                for relation, listed in self._listings(key, values):
                    for function, origin in self.triggers.get(relation, ()):
                        prover.running = origin
                        function(number, *listed)
                number += 1
        except TooMany as error:
            raise TooMany(str(error), self._with_most_instances()) from None
        except OutOfBudget as error:
            if error.limit == "steps":
                raise TooMany("the rules have many instances") from None
            blamed = prover.looks.most_common(1)[0][0] if error.limit == "time" else prover.running
            raise GroundingFailed(self._reason(error), blamed, error.limit) from None
        except (GameError, RecursionError) as error:
            raise GroundingFailed(f"the game cannot be grounded: {error}", prover.running) from None

    def _with_most_instances(self) -> Part:
        counts = Counter(self.origins[self.atoms[head][0]] for head, _, _ in self.instances)
        return counts.most_common(1)[0][0]

    def _reason(self, error: OutOfBudget) -> str:
        amounts = {"time": f"{self.budget.seconds:g} seconds", "memory": f"{self.budget.megabytes} megabytes"}
        if error.limit not in amounts:
            return f"the game cannot be grounded: {error}"
        return f"the game did not ground within {amounts[error.limit]} ({len(self.atoms):,} atoms so far)"

    def _listings(self, key: Functor, values: tuple[Term, ...]) -> list[tuple[Relation, tuple[Term, ...]]]:
        if key == TRUE or key == DOES:
            return [(key, values), self.listed((key[0], *values))]
        return [(key, values)]

    def atom(self, key: Functor, values: tuple[Term, ...]) -> int:
        """The number of an atom, which is new or known."""
        numbers = self.numbers.setdefault(key, {})
        number = numbers.get(values)
        if number is None:
            number = numbers[values] = len(self.atoms)
            self.prover.bytes_used += BYTES_OF_ATOM
            for value in values:
                if value.__class__ is tuple and any(inner.__class__ is tuple for inner in value):
                    self.prover.check_term(value)
            self.atoms.append((key, values))
            for relation, listed in self._listings(key, values):
                for mode, index in self.indexes.get(relation, {}).items():
                    row = tuple([value for value, known in zip(listed, mode, strict=True) if not known])
                    index.setdefault(picked(listed, mode, True), []).append((number, *row))
            if key in (("next", 1), ("init", 1)):
                self.atom(TRUE, values)
            elif key == ("legal", 2):
                self.atom(DOES, values)
        return number

    def emit(self, key: Functor, values: tuple[Term, ...], holds: tuple[int, ...], fails: tuple[Atom, ...]) -> None:
        """An instance of a rule was found."""
        self.instances.append((self.atom(key, values), holds, fails))
        if len(self.instances) > self.budget.rules:
            raise TooMany(f"the game has more than {self.budget.rules:,} ground rules")
        self.prover.bytes_used += BYTES_KEPT

    # The result

    def game(self) -> GroundGame:
        """The ground rules, without what always or never holds."""
        always, rules = self._simplified()
        found = GroundGame()
        for number, (key, values) in enumerate(self.atoms):
            if number and (key if isinstance(key, str) else key[0]) in SHOWN:
                term: Term = key if isinstance(key, str) else (key[0], *values)
                if always[number]:
                    found.always.add(term)
                else:
                    found.atoms[term] = number
        found.rules = rules
        return found

    def _simplified(self) -> tuple[bytearray, list[tuple[int, list[int]]]]:
        """Which atoms always hold, and the rules of the others with the literals that are not decided."""
        always = bytearray(len(self.atoms))
        bodies: list[tuple[int, list[int]]] = []
        for head, holds, fails in self.instances:
            negated = [self.numbers.get(key, {}).get(values, 0) for key, values in fails]
            bodies.append((head, [*holds, *(-number for number in negated if number)]))
        waiting = [number for number, (key, _) in enumerate(self.atoms) if is_demand(key)]
        for number in waiting:
            always[number] = 1
        users: dict[int, list[int]] = {}
        left = [len(body) for _, body in bodies]
        for place, (head, body) in enumerate(bodies):
            for one in body:
                if one > 0:
                    users.setdefault(one, []).append(place)
            if not body and not always[head]:
                always[head] = 1
                waiting.append(head)
        while waiting:
            for place in users.get(waiting.pop(), ()):
                left[place] -= 1
                head = bodies[place][0]
                if left[place] == 0 and not always[head]:
                    always[head] = 1
                    waiting.append(head)
        rules = []
        for head, body in bodies:
            if not always[head] and not any(one < 0 and always[-one] for one in body):
                rules.append((head, list(dict.fromkeys(one for one in body if one < 0 or not always[one]))))
        return always, rules


_ASKED: set[Functor] = {("legal", 2), ("next", 1), ("goal", 2), ("sees", 2), "terminal"}


def _with_static(clauses: Clauses, prover: Prover, dynamic: set[Functor]) -> Clauses:
    """Clauses in which only relations that depend on neither state nor moves have rules; the prover answers them."""
    prover.clauses.rules.update({key: rules for key, rules in clauses.rules.items() if key not in prover.clauses.rules})
    prover.clauses.levels.update(
        {key: level for key, level in clauses.levels.items() if key not in prover.clauses.levels}
    )
    clauses.rules = {key: rules for key, rules in clauses.rules.items() if key not in dynamic}
    clauses.levels, clauses.component = prover.clauses.levels, prover.clauses.component
    clauses.elsewhere = dynamic
    return clauses


def _check_safety(rule: NormalRule, origin: Part) -> None:
    bound = {name for kind, term in rule.body if kind == HOLDS for name in variables(term)}
    needed = set(variables(rule.head)).union(*(variables(term) for kind, term in rule.body if kind != HOLDS))
    if not needed <= bound:
        raise GroundingFailed(
            f"the game has unsafe rules, which cannot be grounded, such as that of {brief(rule.head)}", origin
        )


def reach(description: Description, budget: Budget, left: frozenset[Part] = frozenset()) -> GroundGame:
    """Ground a game, or all but some parts, among which are all that use one of them.

    Raises:
        GroundingFailed: the rules are unsafe, or the budget ran out.
    """
    written, begun = normalise(description), time.monotonic()
    parts = Parts(written)
    rules = relevant([rule for rule in written if parts.of(rule.head) not in left])
    try:
        prover = _Watched(description, budget)
        prover.begin(WHOLE_TICKS)
        few = replace(budget, rules=min(budget.rules, WHOLE_RULES))
        grounder = Grounder(rules, prover, parts, few, splits=False)
        grounder.run()
    except TooMany:
        rest = replace(budget, seconds=budget.seconds - (time.monotonic() - begun))
        prover = _Watched(description, rest)
        prover.begin()
        grounder = Grounder(rules, prover, parts, rest, splits=True)
        grounder.run()
    return grounder.game()


class TooMany(GroundingFailed):
    """There are more instances of rules than are wanted."""

    def __init__(self, reason: str, blamed: Part | None = None) -> None:
        super().__init__(reason, blamed, "rules")


class _GroundWriter(_Writer):
    """Writes the function that finds the instances of a rule in which an atom comes in at some place."""

    def __init__(self, grounder: Grounder, rule: NormalRule, place: int | None) -> None:
        super().__init__(grounder.clauses, rule, ())
        self.grounder, self.place = grounder, place
        self.is_test = False
        self.found: list[str] = []
        self.negated: list[str] = []
        self.namespace["emit"] = grounder.emit

    def function(self) -> Function:
        body = list(self.rule.body)
        parameters = ["t"]
        if self.place is not None:
            _, values = self.grounder.listed(body[self.place].term)
            names = [f"a{number}" for number in range(len(values))]
            parameters += names
            for pattern, name in zip(values, names, strict=True):
                self._match(pattern, name)
            self.found.append("t")
        earlier = set() if self.place is None else {id(literal) for literal in body[: self.place]}
        self.earlier = earlier
        rest = [literal for number, literal in enumerate(body) if number != self.place]
        self._ground_body(rest)
        key, values = functor(self.rule.head), arguments(self.rule.head)
        shown = self._object("h", key)
        self._line(f"emit({shown}, {self._tuple(values)}, ({''.join(f'{name},' for name in self.found)}),"
                   f" ({''.join(f'{text},' for text in self.negated)}))")  # fmt: skip
        self._close(f"def rule({', '.join(parameters)}):")
        return self.namespace["rule"]  # type: ignore[return-value]

    def _tuple(self, values: tuple[Term, ...]) -> str:
        return f"({''.join(f'{self._value(value)},' for value in values)})"

    def _continue_elsewhere(self) -> None:
        names = sorted({*self.bound.values(), *self.found, "t"})
        self.outer.append((f"part{len(self.outer)}({', '.join(names)})", self.lines, self.loops))
        self.lines, self.loops = [], 0

    def _ground_body(self, body: list[Literal]) -> None:
        for literal in _in_order(body, set(self.bound), self.clauses):
            if self.loops >= 10:
                self._continue_elsewhere()
            key = functor(literal.term) if literal.kind in (HOLDS, FAILS) else ""
            if key not in self.grounder.dynamic or not key:
                self._literal(literal)
            elif literal.kind == FAILS:
                values = arguments(literal.term)
                self.negated.append(f"({self._object('n', key)}, {self._tuple(values)})")
            else:
                self._atoms(literal)

    def _atoms(self, literal: Literal) -> None:
        """A loop over the atoms that fit a literal and are old enough."""
        relation, values = self.grounder.listed(literal.term)
        mode = self._mode(values)
        index = self._object("i", self.grounder.index(relation, mode))
        names = [self._name("v") for known in mode if not known]
        number = self._name("n")
        rows = f"{index}.get({self._key(values, mode)}, ())"
        if self.loops:
            rows_name = self._name()
            self._line(f"{rows_name} = {rows}")
            self._line(f"B[0] -= len({rows_name})")
            self._line("if B[0] < 0: host.check_budget()")
            rows = rows_name
        self._line(f"for {', '.join([number, *names])}{',' * (not names)} in {rows}:")
        self.loops += 1
        self._line(f"if {number} {'>=' if id(literal) in self.earlier else '>'} t: break")
        self.found.append(number)
        patterns = [value for value, known in zip(values, mode, strict=True) if not known]
        for pattern, name in zip(patterns, names, strict=True):
            self._match(pattern, name)
