"""Rules as Python functions: what the prover runs.

A question is a relation and which of its arguments are known. For each question that is ever asked, the rules of the
relation become functions of the known arguments: nested loops over facts and over the answers to other questions, one
loop per literal, in an order in which tests come early and loops are short. Facts are indexed by the arguments that
are known where they are looked up; answers are kept in a table per question.

The functions are made from text that this module writes. Nothing of a game's text gets into it: the names of a game
are values (`k0`, `k1`, ...) that the functions refer to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from heartlab.ggp.gdl.graph import strong_components
from heartlab.ggp.gdl.normal import (
    DISTINCT,
    FAILS,
    HOLDS,
    OF_STATE,
    SAME,
    STATIC,
    Literal,
    NormalRule,
    levels,
)
from heartlab.ggp.gdl.terms import Functor, Term, arguments, functor, is_ground, variables

Mode: TypeAlias = tuple[bool, ...]
"""Which arguments of a relation are known when it is asked about."""
Row: TypeAlias = Term
"""The known arguments of a question or the unknown ones of an answer: a single one itself, else the tuple of them."""
Index: TypeAlias = dict[Row, list[Row]]
"""Facts, or answers, by the known arguments."""
Answers: TypeAlias = "bool | list[Row]"
"""What follows for a question: whether it holds if all arguments are known, else the rows."""
Function: TypeAlias = Callable[..., object]
"""A rule, of the known arguments: whether it holds if all are known, else it fills a dictionary, its last argument."""

MOST_LOOPS = 12
"""Loops of one function; more are put into a function of their own, since Python limits the nesting."""
TRUE: Functor = ("true", 1)
DOES: Functor = ("does", 2)


def picked(values: Sequence[Term], mode: Mode, known: bool) -> Row:
    """The known (or the unknown) arguments, as a key or row: a single one without a tuple."""
    chosen = tuple([value for value, is_known in zip(values, mode, strict=True) if is_known == known])
    return chosen[0] if len(chosen) == 1 else chosen


def indexed(rows: Iterable[Sequence[Term]], mode: Mode) -> Index:
    """Facts by their known arguments."""
    found: Index = {}
    for values in rows:
        found.setdefault(picked(values, mode, True), []).append(picked(values, mode, False))
    return found


class Question(Protocol):
    """A relation and which of its arguments are known: answers by those arguments, and how to find another."""

    table: dict[Row, Answers]
    answer: Callable[[Row], Answers]


class Host(Protocol):
    """What answers questions; the functions use more of it, such as the facts of the state."""

    steps: list[int]

    def question(self, key: Functor, mode: Mode, /) -> Question:
        """The question about a relation with some arguments known."""

    def fluents(self, key: Functor, mode: Mode, /) -> int:
        """The number of the index of a state's facts of one kind by their known arguments."""


class Clauses:
    """The rules of a game, and the functions that were made of them."""

    def __init__(self, rules: list[NormalRule], host: Host) -> None:
        self.host = host
        self.levels = levels(rules)
        self.rules: dict[Functor, list[NormalRule]] = {}
        self.facts: dict[Functor, dict[tuple[Term, ...], None]] = {}
        for rule in rules:
            if not rule.body and is_ground(rule.head):
                self.facts.setdefault(functor(rule.head), {})[arguments(rule.head)] = None
            else:
                self.rules.setdefault(functor(rule.head), []).append(rule)
        self.indexes: dict[tuple[Functor, Mode], Index] = {}
        self.elsewhere: set[Functor] = set()
        """Relations whose facts are not here."""
        self.component = self._components()

    def _components(self) -> dict[Functor, int]:
        """The number of the cycle that a relation is in; relations that do not depend on themselves are left out."""
        edges = {
            key: {functor(term) for rule in rules for kind, term in rule.body if kind in (HOLDS, FAILS)}
            for key, rules in self.rules.items()
        }
        return {
            key: number
            for number, part in enumerate(strong_components(edges))
            for key in part
            if len(part) > 1 or key in edges.get(key, ())
        }

    def index(self, key: Functor, mode: Mode) -> Index:
        """The facts of a relation by their known arguments."""
        if (key, mode) not in self.indexes:
            self.indexes[key, mode] = indexed(self.facts.get(key, ()), mode)
        return self.indexes[key, mode]

    def functions(self, key: Functor, mode: Mode) -> list[tuple[tuple[Term, ...], Function]]:
        """The functions of a relation's rules for a mode, each with the head's arguments."""
        return [(arguments(rule.head), _Writer(self, rule, mode).function()) for rule in self.rules.get(key, ())]


def _depths(term: Term, depth: int, found: dict[str, int], best: Callable[[int, int], int]) -> None:
    """How deep each variable lies in a term."""
    if isinstance(term, str):
        if term.startswith("?"):
            found[term] = best(found.get(term, depth), depth)
    else:
        for part in term[1:]:
            _depths(part, depth + 1, found, best)


class _Writer:
    """Writes the function of one rule for one mode of its head."""

    def __init__(self, clauses: Clauses, rule: NormalRule, mode: Mode) -> None:
        self.clauses, self.rule, self.mode = clauses, rule, mode
        self.namespace: dict[str, object] = {"tuple_": tuple, "host": clauses.host, "B": clauses.host.steps}
        self.constants: dict[Term, str] = {}
        self.bound: dict[str, str] = {}
        self.lines: list[str] = []
        self.loops = self.fresh = 0
        self.is_test = all(mode)
        self.outer: list[tuple[str, list[str], int]] = []
        """Functions that are interrupted by a part that is written now: the part's call, and their lines so far."""

    # The shape of the function

    def function(self) -> Function:
        """The compiled function."""
        known = [f"b{number}" for number, is_known in enumerate(self.mode) if is_known]
        parameters = ", ".join(known if self.is_test else [*known, "out"])
        head = arguments(self.rule.head)
        for number, (pattern, is_known) in enumerate(zip(head, self.mode, strict=True)):
            if is_known:
                self._match(pattern, f"b{number}")
        self._body(list(self.rule.body))
        self._answer(head)
        self._close(f"def rule({parameters}):")
        return self.namespace["rule"]  # type: ignore[return-value]

    def _close(self, heading: str) -> None:
        """Compile what was written: first the parts that the function calls, the innermost first."""
        while self.outer:
            part, lines, loops = self.outer.pop()
            self._compile(f"def {part}:")
            self.lines, self.loops = lines, loops
            self._line(f"if {part}: return True" if self.is_test else part)
        self._compile(heading)

    def _compile(self, heading: str) -> None:
        text = "\n".join([heading, *self.lines])
        exec(compile(text, "<clause>", "exec"), self.namespace)

    def _line(self, text: str) -> None:
        self.lines.append("    " * (self.loops + 1) + text)

    def _give_up(self) -> str:
        return "continue" if self.loops else "return"

    def _unless(self, condition: str) -> None:
        self._line(f"if {condition}: {self._give_up()}")

    def _name(self, prefix: str = "t") -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def _constant(self, value: Term) -> str:
        if value not in self.constants:
            self.constants[value] = f"k{len(self.constants)}"
            self.namespace[self.constants[value]] = value
        return self.constants[value]

    def _object(self, prefix: str, value: object) -> str:
        name = self._name(prefix)
        self.namespace[name] = value
        return name

    # Terms

    def _value(self, term: Term) -> str:
        """An expression for a term; a variable that nothing binds stands for itself."""
        if isinstance(term, str):
            return self.bound.get(term) or self._constant(term)
        if not any(name in self.bound for name in variables(term)):
            return self._constant(term)
        return f"({self._constant(term[0])}, {', '.join(self._value(part) for part in term[1:])},)"

    def _is_known(self, term: Term) -> bool:
        return all(name in self.bound for name in variables(term))

    def _match(self, pattern: Term, value: str) -> None:
        """Give up unless a value fits a pattern; bind the variables of the pattern."""
        if isinstance(pattern, str) and pattern.startswith("?") and pattern not in self.bound:
            if not value.isidentifier():
                name = self._name()
                self._line(f"{name} = {value}")
                value = name
            self.bound[pattern] = value
        elif self._is_known(pattern):
            self._unless(f"{value} != {self._value(pattern)}")
        else:
            name = value if value.isidentifier() else self._name()
            if name != value:
                self._line(f"{name} = {value}")
            self._unless(f"{name}.__class__ is not tuple_ or len({name}) != {len(pattern)}")
            if pattern[0] not in self.bound:
                self._unless(f"{name}[0] != {self._constant(pattern[0])}")
            for number, part in enumerate(pattern[1:], 1):
                self._match(part, f"{name}[{number}]")

    def _guard(self, term: Term, value: str) -> None:
        """Refuse a term that grows without end: only terms that hold terms can."""
        inner = [self.bound[name] for name in dict.fromkeys(variables(term)) if name in self.bound]
        if inner:
            test = " or ".join(f"{name}.__class__ is tuple_" for name in inner)
            self._line(f"if {test}: host.check_term({value})")

    # The body

    def _body(self, body: list[Literal]) -> None:
        for literal in _in_order(body, set(self.bound), self.clauses):
            if self.loops >= MOST_LOOPS:
                self._continue_elsewhere()
            self._literal(literal)

    def _literal(self, literal: Literal) -> None:
        if literal.kind == HOLDS:
            self._holds(literal.term)
        elif literal.kind == FAILS:
            self._fails(literal.term)
        else:
            assert isinstance(literal.term, tuple)
            left, right = literal.term
            operator = "==" if literal.kind == DISTINCT else "!="
            self._unless(f"{self._value(left)} {operator} {self._value(right)}")

    def _continue_elsewhere(self) -> None:
        """Put the rest of the function into another one, which this one calls in its innermost loop."""
        names = sorted(set(self.bound.values()))
        parameters = ", ".join(names if self.is_test else [*names, "out"])
        self.outer.append((f"part{len(self.outer)}({parameters})", self.lines, self.loops))
        self.lines, self.loops = [], 0

    def _mode(self, values: tuple[Term, ...]) -> Mode:
        return tuple([self._is_known(value) for value in values])

    def _key(self, values: tuple[Term, ...], mode: Mode, guard: bool = False) -> str:
        """An expression for the known arguments."""
        parts = []
        for value, is_known in zip(values, mode, strict=True):
            if is_known:
                text = self._value(value)
                if guard and not isinstance(value, str) and not is_ground(value):
                    name = self._name()
                    self._line(f"{name} = {text}")
                    self._guard(value, name)
                    text = name
                parts.append(text)
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)}{',' * bool(parts)})"

    def _rows(self, key: Functor, values: tuple[Term, ...], mode: Mode) -> str:
        """An expression for the answers to a question, or for whether it holds if everything is known."""
        clauses = self.clauses
        if key not in clauses.rules:
            if all(mode):
                table = self._object("f", {picked(row, mode, True): None for row in clauses.facts.get(key, ())})
                return f"({self._key(values, mode)} in {table})"
            index = self._object("i", clauses.index(key, mode))
            return f"{index}.get({self._key(values, mode)}, ())"
        question = clauses.host.question(key, mode)
        table, missing = self._object("q", question.table), self._object("m", question.answer)
        name = self._name()
        is_recursive = key in clauses.component
        text = self._key(values, mode, is_recursive)
        self._line(f"{name} = {table}.get({text})")
        self._line(f"if {name} is None: {name} = {missing}({text})")
        return name

    def _holds(self, term: Term) -> None:
        key, values = functor(term), arguments(term)
        if key == TRUE:
            self._true(values[0])
        elif key == DOES:
            self._does(*values)
        else:
            mode = self._mode(values)
            rows = self._rows(key, values, mode)
            if all(mode):
                self._unless(f"not {rows}")
            else:
                self._loop(rows, [value for value, is_known in zip(values, mode, strict=True) if not is_known])

    def _loop(self, rows: str, patterns: list[Term]) -> None:
        """A loop over rows, whose values fit patterns."""
        if self.loops:
            if not rows.isidentifier():
                name = self._name()
                self._line(f"{name} = {rows}")
                rows = name
            self._line(f"B[0] -= len({rows})")
            self._line("if B[0] < 0: host.check_budget()")
        names = [self._name("v") for _ in patterns]
        self._line(f"for {', '.join(names)} in {rows}:")
        self.loops += 1
        for pattern, name in zip(patterns, names, strict=True):
            self._match(pattern, name)

    def _true(self, fact: Term) -> None:
        if self._is_known(fact):
            self._unless(f"{self._value(fact)} not in host.now")
        elif isinstance(fact, str):
            self._loop("host.now", [fact])
        else:
            key, values = functor(fact), arguments(fact)
            mode = self._mode(values)
            number = self.clauses.host.fluents(key, mode)
            name = self._name()
            self._line(f"{name} = host.state_indexes[{number}]")
            self._line(f"if {name} is None: {name} = host.index_state({number})")
            patterns = [value for value, is_known in zip(values, mode, strict=True) if not is_known]
            self._loop(f"{name}.get({self._key(values, mode)}, ())", patterns)

    def _does(self, role: Term, move: Term) -> None:
        if self._is_known(role):
            name = self._name()
            self._line(f"{name} = host.played.get({self._value(role)})")
            self._unless(f"{name} is None")
            self._match(move, name)
        else:
            self._loop("host.played.items()", [role, move])

    def _fails(self, term: Term) -> None:
        """A negated sentence: variables that nothing binds may be anything."""
        key, values = functor(term), arguments(term)
        if key == TRUE and self._is_known(values[0]):
            self._unless(f"{self._value(values[0])} in host.now")
        elif key in (TRUE, DOES):
            self._unless(f"host.holds({self._value(term)})")
        else:
            mode = self._mode(values)
            if not all(mode) and not all(self._is_simple(value) for value in values):
                self._unless(f"host.holds({self._value(term)})")
                return
            names = [name for value in values for name in set(variables(value)) if name not in self.bound]
            if len(set(names)) < len(names):
                self._unless(f"host.holds({self._value(term)})")
                return
            self._unless(self._rows(key, values, mode))

    def _is_simple(self, term: Term) -> bool:
        return isinstance(term, str) or self._is_known(term)

    # The head

    def _answer(self, head: tuple[Term, ...]) -> None:
        if self.is_test:
            self._line("return True")
            return
        unknown = [part for part, is_known in zip(head, self.mode, strict=True) if not is_known]
        if not all(self._is_known(part) for part in unknown):
            place = self._object("p", str(self.rule.place))
            self._line(f"host.unbound({place}, {self._value(self.rule.head)})")
            return
        texts = []
        for part in unknown:
            text = self._value(part)
            if self._grows(part):
                name = self._name()
                self._line(f"{name} = {text}")
                self._guard(part, name)
                text = name
            texts.append(text)
        self._line(f"out[{texts[0] if len(texts) == 1 else '(' + ', '.join(texts) + ')'}] = None")

    def _grows(self, part: Term) -> bool:
        """Whether a term of the head may be larger than those of the body, in a rule that may be used again on it."""
        key = functor(self.rule.head)
        if isinstance(part, str) or is_ground(part):
            return False
        if key not in self.clauses.component and key not in (("next", 1), ("legal", 2)):
            return False
        inside, before = dict[str, int](), dict[str, int]()
        _depths(part, 0, inside, max)
        for kind, term in self.rule.body:
            if kind == HOLDS and (functor(term) in (TRUE, DOES) or self.clauses.levels.get(functor(term), STATIC)):
                for value in arguments(term):
                    _depths(value, 0, before, min)
        if key in self.clauses.component:
            return True
        return any(name in before and depth > before[name] for name, depth in inside.items())


# The order of literals


def _in_order(body: list[Literal], bound: set[str], clauses: Clauses) -> list[Literal]:
    """The literals of a body: tests as soon as they can be made, else the shortest loop first.

    A relation that has rules is never asked with fewer known variables than where it is written, so that recursion
    that ends as written still ends.
    """
    needs = _written_bindings(body, bound, clauses)
    names = [set(variables(literal.term)) for literal in body]
    left, known = list(range(len(body))), set(bound)
    found: list[Literal] = []
    while left:
        costs = {number: _cost(body[number], names[number], known, needs[number], clauses) for number in left}
        left.sort(key=lambda number: (costs[number], number))
        taken = 0
        while taken < len(left):  # costs hold until a variable is bound
            literal, own = body[left[taken]], names[left[taken]]
            found.append(literal)
            taken += 1
            if literal.kind == HOLDS and not own <= known:
                known |= own
                break
        left = left[taken:]
    return found


def _written_bindings(body: list[Literal], bound: set[str], clauses: Clauses) -> list[set[str]]:
    """For each literal the variables of it that are bound where it is written; nothing for plain facts."""
    known, found = set(bound), []
    for literal in body:
        own = set(variables(literal.term))
        has_rules = literal.kind in (HOLDS, FAILS) and functor(literal.term) in clauses.rules
        found.append(own & known if has_rules else set())
        if literal.kind == HOLDS:
            known |= own
    return found


BLOCKED = 1e9


def _cost(literal: Literal, names: set[str], known: set[str], needed: set[str], clauses: Clauses) -> float:
    """About how many rows a literal would give now, and what it costs; BLOCKED if it cannot be taken yet."""
    kind, term = literal
    unknown = names - known
    if kind in (DISTINCT, SAME):
        return 0.0 if not unknown else BLOCKED
    key = functor(term)
    if kind == FAILS:
        if unknown:
            return BLOCKED
        return 0.1 if key in (TRUE, DOES) or key not in clauses.rules else 0.3
    if not needed <= known:
        return BLOCKED / 2
    values = arguments(term[1] if key == TRUE else term)
    free = sum(not set(variables(value)) <= known for value in values)
    if key == DOES:
        return 0.05 if set(variables(values[0])) <= known else 1.5
    if key == TRUE:
        return 4.0 ** min(free, 20) if unknown else 0.1
    if key in clauses.elsewhere:
        return 4.0 ** min(free, 20) if unknown else 0.1
    if key not in clauses.rules:
        size = len(clauses.facts.get(key, ()))
        return float(max(1, size) ** (free / max(1, len(values)))) if unknown else 0.1
    if key in clauses.component and any(not isinstance(value, str) and not is_ground(value) for value in values):
        return BLOCKED / 4  # recursion over ever larger terms ends only where the rest of the body says so
    level = clauses.levels.get(key, STATIC)
    return 5.0 ** min(free, 20) + (0.5 if level == STATIC else 1.0) if unknown else (0.2 if level < OF_STATE else 0.3)
