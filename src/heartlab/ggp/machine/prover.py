"""A plain top-down prover over the rules as written: the reference for the network.

A question is a term, possibly with variables; the answers are ground terms that match it. Each question is answered by
trying the rules whose head matches, literal by literal, and the answers are cached. A question that occurs again while
it is being answered (recursion) gets the answers found so far, and the outermost one is tried again until there are no
new answers; this is complete because recursion in GDL never goes through a negation. Answers that depend on neither
state nor moves are kept for good, the others as long as the state, or the moves, stay the same.

Rules may have infinitely many answers, or more than anybody has time for. So a question has a budget: seconds, memory
(estimated from what is kept) and the size of a term. Beyond it `OutOfBudget` is raised, and the prover can be asked on.

Unsafe rules, which the validator refuses, are still played as the reference implementation plays them: variables
that only the question binds are bound by the question.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

from heartlab.ggp.gdl.normal import (
    DISTINCT,
    FAILS,
    HOLDS,
    OF_MOVES,
    OF_STATE,
    STATIC,
    Literal,
    NormalRule,
    levels,
    normalise,
)
from heartlab.ggp.gdl.parse import Description
from heartlab.ggp.gdl.terms import (
    Functor,
    Term,
    arguments,
    brief,
    functor,
    functor_name,
    is_ground,
    is_variable,
    number_of,
    sort_key,
)
from heartlab.ggp.machine.base import Facts, GameError, Machine, OutOfBudget, State
from heartlab.ggp.machine.grounding import MAX_TERM_DEPTH, Budget

Bindings = dict[str, Term]

RECURSION_LIMIT = 6000
"""Python's default is too low for a counter of a few hundred steps; this one still fits a thread's stack."""
sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))

MAX_TERM_PARTS = 10_000
"""Most names and parentheses of a term that rules build up."""
STEPS = 200
"""Steps of a proof between two looks at the clock."""
BYTES_KEPT, BYTES_OF_PART = 300, 64
"""About how much memory an answer or a question takes, and each part of a term that rules built up."""
NOWHERE = 1 << 30
"""The depth for a question that depends on no open question."""


def substitute(term: Term, bindings: Bindings) -> Term:
    """The term with bound variables replaced."""
    if isinstance(term, str):
        return bindings.get(term, term)
    return tuple([bindings.get(part, part) if isinstance(part, str) else substitute(part, bindings) for part in term])


def match(pattern: Term, ground: Term, bindings: Bindings) -> bool:
    """Bind the variables of a pattern so that it equals a ground term; on failure `bindings` is undefined."""
    if isinstance(pattern, str):
        if pattern[0] != "?":
            return pattern == ground
        known = bindings.setdefault(pattern, ground)
        return known == ground
    if isinstance(ground, str) or len(pattern) != len(ground):
        return False
    return all(match(part, value, bindings) for part, value in zip(pattern, ground, strict=True))


def enter(head: Term, question: Term, bindings: Bindings) -> bool:
    """Bind the variables of a rule's head to the ground parts of a question."""
    if isinstance(question, str) and question[0] == "?":
        return True
    if isinstance(head, str):
        if head[0] != "?":
            return head == question
        if is_ground(question):
            return bindings.setdefault(head, question) == question
        return True
    if isinstance(question, str) or len(head) != len(question):
        return False
    return all(enter(part, value, bindings) for part, value in zip(head, question, strict=True))


def canonical(question: Term, names: dict[str, str]) -> Term:
    """The question with its variables numbered, so that questions that differ in names only are the same."""
    if isinstance(question, str):
        if question[0] == "?":
            return names.setdefault(question, f"?{len(names)}")
        return question
    return tuple([canonical(part, names) for part in question])


def parts_of(term: Term) -> int:
    """The number of names and parentheses of a term; 0 if it has too many, or nests too deeply.

    >>> parts_of(("s", ("s", "z")))
    5
    """
    found, waiting = 0, [(term, 1)]
    while waiting:
        part, depth = waiting.pop()
        found += 1
        if found > MAX_TERM_PARTS or depth > MAX_TERM_DEPTH:
            return 0
        if not isinstance(part, str):
            waiting.extend([(inner, depth + 1) for inner in part])
    return found


class _Facts:
    """Ground facts indexed by relation and by argument."""

    def __init__(self, facts: Sequence[Term] = ()) -> None:
        self.by_functor: dict[Functor, dict[Term, None]] = defaultdict(dict)
        self.by_argument: dict[tuple[Functor, int, Term], list[Term]] = {}
        self.indexed: set[tuple[Functor, int]] = set()
        for fact in facts:
            self.by_functor[functor(fact)][fact] = None

    def candidates(self, question: Term) -> Sequence[Term]:
        """A superset of the facts that match a question."""
        if is_variable(question):
            return [fact for facts in self.by_functor.values() for fact in facts]
        key = functor(question)
        facts = self.by_functor.get(key)
        if not facts:
            return ()
        if question in facts:
            return (question,)
        for place, argument in enumerate(arguments(question)):
            if is_ground(argument):
                if (key, place) not in self.indexed:
                    self._index(key, place)
                return self.by_argument.get((key, place, argument), ())
        return list(facts)

    def _index(self, key: Functor, place: int) -> None:
        for fact in self.by_functor[key]:
            self.by_argument.setdefault((key, place, arguments(fact)[place]), []).append(fact)
        self.indexed.add((key, place))


class _Question:
    """A question in progress: the answers so far, and the depth of the outermost open question that it depends on."""

    def __init__(self, depth: int, answers: dict[Term, None]) -> None:
        self.depth = depth
        self.answers = answers
        self.reaches = NOWHERE


class Prover(Machine):
    """Runs a game by proving; a state is the set of its facts.

    >>> from heartlab.ggp import read_game
    >>> machine = Prover(read_game("nim"))
    >>> state = machine.next(machine.initial, [("leave", "d", "0"), "wait"])
    >>> ("holds", "d", "0") in machine.facts(state), machine.legal(state, 0)
    (True, ['wait'])
    """

    kind = "prover"

    def __init__(self, description: Description, budget: Budget = Budget()) -> None:  # noqa: B008
        self.name = description.source
        self.description, self.budget = description, budget
        self.roles = description.roles
        rules = normalise(description)
        self.levels = levels(rules)
        self.rules: dict[Functor, list[NormalRule]] = defaultdict(list)
        static = []
        for rule in rules:
            if not rule.body and is_ground(rule.head):
                static.append(rule.head)
            else:
                self.rules[functor(rule.head)].append(rule)
        self.facts_by_level = [_Facts(static), _Facts(), _Facts()]
        self.tables: list[dict[Term, dict[Term, None]]] = [{}, {}, {}]
        self.open: dict[Term, _Question] = {}
        self.stack: list[_Question] = []
        self.unfinished: dict[Term, dict[Term, None]] = {}
        self.answers_found = 0
        self.deadline = 0.0
        self.steps_left = 0
        self.bytes_used = self.bytes_for_good = 0
        """About how much memory the question in progress and the table of what always holds take."""
        self.now: Facts | None = None
        self.moves: tuple[Term, ...] = ()
        if not self.roles:
            self.roles = tuple(arguments(answer)[0] for answer in self.ask(("role", "?r")))

    # The machine

    def fork(self) -> Machine:
        twin = Prover(self.description, self.budget)
        twin.note, twin.fingerprint = self.note, self.fingerprint
        return twin

    @property
    def initial(self) -> State:
        self._enter(frozenset(), ())
        return frozenset(arguments(answer)[0] for answer in self.ask(("init", "?f")))

    def facts(self, state: State) -> Facts:
        assert isinstance(state, frozenset)
        return state

    def state_of(self, facts: Facts) -> State:
        return facts

    def legal(self, state: State, player: int) -> list[Term]:
        self._enter(self.facts(state), ())
        found = self.ask(("legal", self.roles[player], "?m"))
        return sorted((arguments(answer)[1] for answer in found), key=sort_key)

    def next(self, state: State, moves: Sequence[Term]) -> State:
        self._enter(self.facts(state), tuple(moves))
        return frozenset(arguments(answer)[0] for answer in self.ask(("next", "?f")))

    def is_terminal(self, state: State) -> bool:
        self._enter(self.facts(state), ())
        return bool(self.ask("terminal"))

    def goal_values(self, state: State, player: int) -> list[int]:
        self._enter(self.facts(state), ())
        values = []
        for answer in self.ask(("goal", self.roles[player], "?v")):
            value = number_of(arguments(answer)[1])
            if value is None:
                found = brief(arguments(answer)[1])
                raise GameError(f"{self.name}: a goal should be a number from 0 to 100, not {found}")
            values.append(value)
        return sorted(values)

    def sees(self, state: State, moves: Sequence[Term], player: int) -> list[Term]:
        self._enter(self.facts(state), tuple(moves))
        return sorted((arguments(answer)[1] for answer in self.ask(("sees", self.roles[player], "?p"))), key=sort_key)

    @property
    def has_percepts(self) -> bool:
        return any(functor_name(key) == "sees" for key in self.levels)

    def _enter(self, state: Facts, moves: tuple[Term, ...]) -> None:
        """Forget what no longer holds."""
        if state != self.now:
            self.now = state
            self.facts_by_level[OF_STATE] = _Facts(list(state))
            self.tables[OF_STATE] = {}
            self._set_moves(moves)
        elif moves != self.moves:
            self._set_moves(moves)

    def _set_moves(self, moves: tuple[Term, ...]) -> None:
        self.moves = moves
        does: list[Term] = [("does", role, move) for role, move in zip(self.roles, moves, strict=False)]
        self.facts_by_level[OF_MOVES] = _Facts(does)
        self.tables[OF_MOVES] = {}

    # Proving

    def ask(self, question: Term) -> list[Term]:
        """All ground terms that follow from the rules, the state and the moves, and match the question.

        Raises:
            OutOfBudget: there are too many answers, or they take too long.
            GameError: the proof runs deeper than Python can follow.
        """
        if not self.stack:
            self._begin()
        try:
            return [answer for answer in self._answers(question) if match(question, answer, {})]
        except RecursionError:
            self.unfinished = {}
            raise GameError(f"{self.name}: the rules behind {brief(question)} recurse too deeply to prove") from None
        except OutOfBudget:
            self.unfinished = {}
            raise

    # The budget

    def _begin(self) -> None:
        """A new question has the whole budget."""
        self.deadline, self.steps_left = time.monotonic() + self.budget.seconds, STEPS
        self.bytes_used = 0
        if self.bytes_for_good > self.budget.megabytes << 20:
            self.tables[STATIC], self.bytes_for_good = {}, 0

    def _check_budget(self) -> None:
        """Look at the clock and at the memory; called after some steps of a proof."""
        self.steps_left = STEPS
        if time.monotonic() > self.deadline:
            raise OutOfBudget(f"{self.name}: the rules give no answer within {self.budget.seconds:g} seconds")
        if self.bytes_used > self.budget.megabytes << 20:
            raise OutOfBudget(f"{self.name}: the answers take more than {self.budget.megabytes} megabytes")

    def _keep(self, term: Term) -> None:
        """Count the memory of a question or answer before it is kept, and refuse what grows without end."""
        self.bytes_used += BYTES_KEPT
        for part in term:
            if not isinstance(part, str):
                parts = parts_of(term)
                if parts == 0:
                    raise OutOfBudget(f"{self.name}: the rules build up ever larger terms, such as {brief(term)}")
                self.bytes_used += BYTES_OF_PART * parts
                return

    def _answers(self, question: Term) -> Sequence[Term]:
        """A superset of the answers, as ground terms; the caller matches."""
        key = functor(question)
        if key == ("true", 1):
            return [("true", fact) for fact in self.facts_by_level[OF_STATE].candidates(question[1])]
        if key == ("does", 2):
            return self.facts_by_level[OF_MOVES].candidates(question)
        if key not in self.rules:
            return self.facts_by_level[STATIC].candidates(question)
        question = canonical(question, {})
        table = self.tables[self.levels[key]]
        known = table.get(question)
        if known is not None:
            return list(known)
        asked = self.open.get(question)
        if asked is not None:
            self.stack[-1].reaches = min(self.stack[-1].reaches, asked.depth)
            return list(asked.answers)
        return self._prove(question, table)

    def _prove(self, question: Term, table: dict[Term, dict[Term, None]]) -> Sequence[Term]:
        """Try the rules, repeatedly if the question depends on itself."""
        self._keep(question)
        asked = _Question(len(self.stack), self.unfinished.get(question, {}))
        self.open[question] = asked
        self.stack.append(asked)
        for fact in self.facts_by_level[STATIC].candidates(question):
            asked.answers[fact] = None
        once = is_ground(question)
        try:
            while not (once and asked.answers):
                before = self.answers_found
                self._try_rules(question, asked, once)
                if asked.reaches > asked.depth or self.answers_found == before:
                    break
        finally:
            del self.open[question]
            self.stack.pop()
        if asked.reaches >= asked.depth or (once and asked.answers):
            table[question] = asked.answers
            if table is self.tables[STATIC]:
                self.bytes_for_good += BYTES_KEPT * (1 + len(asked.answers))
            if not self.stack:
                self.unfinished = {}
        else:
            self.unfinished[question] = asked.answers
            self.stack[-1].reaches = min(self.stack[-1].reaches, asked.reaches)
        return list(asked.answers)

    def _try_rules(self, question: Term, asked: _Question, once: bool) -> None:
        for rule in self.rules[functor(question)]:
            bindings: Bindings = {}
            if not enter(rule.head, question, bindings):
                continue
            for found in self._prove_body(rule.body, 0, bindings):
                answer = substitute(rule.head, found)
                if not is_ground(answer):
                    raise GameError(f"{rule.place}: nothing binds all variables of {brief(answer)}")
                if answer not in asked.answers:
                    self._keep(answer)
                    asked.answers[answer] = None
                    self.answers_found += 1
                if once:
                    return

    def _prove_body(self, body: tuple[Literal, ...], place: int, bindings: Bindings) -> Iterator[Bindings]:
        if place == len(body):
            yield bindings
            return
        kind, term = body[place]
        if kind == HOLDS:
            question = substitute(term, bindings)
            answers = self._answers(question)
            self.steps_left -= 1 + len(answers)
            if self.steps_left < 0:
                self._check_budget()
            for answer in answers:
                extended = dict(bindings)
                if match(question, answer, extended):
                    yield from self._prove_body(body, place + 1, extended)
        elif self._passes(kind, substitute(term, bindings)):
            yield from self._prove_body(body, place + 1, bindings)

    def _passes(self, kind: int, term: Term) -> bool:
        """Whether a literal that only tests holds."""
        if kind == FAILS:
            return not self.ask(term)
        return (term[0] != term[1]) == (kind == DISTINCT)
