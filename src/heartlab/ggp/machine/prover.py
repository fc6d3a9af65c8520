"""The prover: answers questions about a state by trying the rules, from the question down.

It takes any game, and is what plays where the network cannot. `clauses` turns the rules into functions; here their
answers are kept, in a table for each question: for good where they depend on neither state nor moves, else as long as
the state, or the moves, stay the same.

Relations that depend on themselves are answered in rounds. The first question about one of them leads; questions that
come up while it is being answered are its members. In a round every member is answered once, with what is known of the
others; rounds are repeated until one finds nothing new. A member that met no unfinished question is done at once. This
is complete because recursion in GDL never goes through a negation.

Rules may have infinitely many answers, or more than anybody has time for. So a question has a budget: seconds, memory
(estimated from what is kept) and the size of a term. Beyond it `OutOfBudget` is raised, and the prover can be asked on.

Unsafe rules, which the validator refuses, are still played as the reference implementation plays them: variables
that only the question binds are bound by the question.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NoReturn

from heartlab.ggp.gdl.normal import OF_MOVES, OF_STATE, STATIC, normalise
from heartlab.ggp.gdl.parse import Description
from heartlab.ggp.gdl.terms import (
    Functor,
    Term,
    arguments,
    brief,
    functor,
    functor_name,
    is_ground,
    number_of,
    sort_text,
)
from heartlab.ggp.machine.base import Facts, GameError, Machine, OutOfBudget, State
from heartlab.ggp.machine.clauses import DOES, TRUE, Answers, Clauses, Function, Index, Mode, Row, indexed, picked
from heartlab.ggp.machine.grounding import MAX_TERM_DEPTH, Budget

MAX_TERM_PARTS = 10_000
"""Most names and parentheses of a term that rules build up."""
STEPS = 2000
"""Rows between two looks at the clock."""
BYTES_KEPT, BYTES_OF_PART = 300, 64
"""About how much memory an answer or a question takes, and each part of a term that rules built up."""
MOST_SORTED = 200_000
"""Moves whose place in the order is remembered."""


def match(pattern: Term, ground: Term, bindings: dict[str, Term]) -> bool:
    """Bind the variables of a pattern so that it equals a ground term; on failure `bindings` is undefined."""
    if isinstance(pattern, str):
        if pattern[0] != "?":
            return pattern == ground
        return bindings.setdefault(pattern, ground) == ground
    if isinstance(ground, str) or len(pattern) != len(ground):
        return False
    return all(match(part, value, bindings) for part, value in zip(pattern, ground, strict=True))


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


class _Member:
    """A question of a cycle that is being answered: the answers so far, and how far they can be trusted."""

    __slots__ = ("is_open", "is_tainted", "out", "round")

    def __init__(self) -> None:
        self.out: dict[Row, None] = {}
        self.round = 0
        self.is_open = self.is_tainted = False


class _Cycle:
    """Relations that depend on each other, and the questions about them that are being answered."""

    def __init__(self) -> None:
        self.members: dict[tuple[Question, Row], _Member] = {}
        self.round = self.met_unfinished = 0
        self.is_active = self.grew = False

    def reset(self) -> None:
        """Nothing is being answered."""
        self.members = {}
        self.is_active = False


class Question:
    """A relation and which of its arguments are known: the table of answers by those arguments."""

    def __init__(self, host: Prover, key: Functor, mode: Mode) -> None:
        self.host, self.key, self.mode = host, key, mode
        self.table: dict[Row, Answers] = {}
        self.is_test = all(mode)
        self.is_single = sum(mode) == 1
        self.is_static = host.clauses.levels.get(key, STATIC) == STATIC
        cycle = host.clauses.component.get(key)
        self.cycle = None if cycle is None else host.cycles.setdefault(cycle, _Cycle())
        self.answer: Callable[[Row], Answers] = self._answer if self.cycle is None else self._answer_in_cycle
        self.functions: list[tuple[tuple[Term, ...], Function]] | None = None
        self.facts: Index = {}
        self.by_first: dict[Term, list[Function]] = {}
        self.first, self.others = -1, list[Function]()

    def _prepare(self) -> None:
        """Make the functions, and an index of them by the known argument that tells most of them apart."""
        clauses = self.host.clauses
        self.facts = clauses.index(self.key, self.mode) if self.key in clauses.facts else {}
        self.functions = clauses.functions(self.key, self.mode)
        known = [place for place, is_known in enumerate(self.mode) if is_known]
        most = 1
        for number, place in enumerate(known):
            names = {head[place] for head, _ in self.functions if is_ground(head[place])}
            if len(names) > most:
                most, self.first = len(names), number
        if self.first >= 0:
            place = known[self.first]
            fixed = {head[place] for head, _ in self.functions if is_ground(head[place])}
            self.by_first = {
                name: [f for head, f in self.functions if head[place] == name or not is_ground(head[place])]
                for name in fixed
            }
            self.others = [f for head, f in self.functions if not is_ground(head[place])]
        else:
            self.others = [f for _, f in self.functions]

    def _run(self, key: Row, out: dict[Row, None]) -> bool:
        """Try the facts and rules: fill `out`, or return whether the question holds if everything is known."""
        if self.functions is None:
            self._prepare()
        steps = self.host.steps
        steps[0] -= 10
        if steps[0] < 0:
            self.host.check_budget()
        values: Sequence[Term] = (key,) if self.is_single else key
        chosen = self.others if self.first < 0 else self.by_first.get(values[self.first], self.others)
        if self.is_test:
            return key in self.facts or any(function(*values) for function in chosen)
        for row in self.facts.get(key, ()):
            out[row] = None
        for function in chosen:
            function(*values, out)
        return False

    def _keep(self, key: Row, out: dict[Row, None], holds: bool) -> Answers:
        """Put the answers into the table."""
        found = holds if self.is_test else list(out)
        self.table[key] = found
        kept = BYTES_KEPT * (1 + len(out))
        self.host.bytes_used += kept
        if self.is_static:
            self.host.bytes_for_good += kept
        return found

    def _answer(self, key: Row) -> Answers:
        """The answers for some known arguments that are not in the table yet."""
        out: dict[Row, None] = {}
        self.host.outs.append(out)
        holds = self._run(key, out)
        self.host.outs.pop()
        return self._keep(key, out, holds)

    # Relations that depend on themselves

    def _answer_in_cycle(self, key: Row) -> Answers:
        cycle = self.cycle
        assert cycle is not None
        if cycle.is_active:
            member = cycle.members.get((self, key))
            if member is None or member.round < cycle.round:
                return self._answer_member(key, member)
            if member.is_open or member.is_tainted:
                cycle.met_unfinished += 1
            return bool(member.out) if self.is_test else list(member.out)
        cycle.is_active = True
        while True:
            cycle.round += 1
            cycle.grew = False
            before = cycle.met_unfinished
            found = self._answer_member(key, cycle.members.get((self, key)))
            if key in self.table:  # done; members that are not are asked again when somebody wants them
                cycle.reset()
                return found
            if not cycle.grew or cycle.met_unfinished == before:
                break
        for (question, its_key), member in cycle.members.items():
            question._keep(its_key, member.out, bool(member.out))
        cycle.reset()
        return found

    def _answer_member(self, key: Row, member: _Member | None) -> Answers:
        cycle, host = self.cycle, self.host
        assert cycle is not None
        if member is None:
            member = cycle.members[self, key] = _Member()
            host.bytes_used += BYTES_KEPT
        before, unfinished = len(member.out), cycle.met_unfinished
        member.round, member.is_open = cycle.round, True
        host.outs.append(member.out)
        if not (self.is_test and before) and self._run(key, member.out):
            member.out[()] = None
        host.outs.pop()
        member.is_open = False
        member.is_tainted = cycle.met_unfinished > unfinished and not (self.is_test and member.out)
        if len(member.out) > before:
            cycle.grew = True
        if not member.is_tainted:
            del cycle.members[self, key]
            return self._keep(key, member.out, bool(member.out))
        return bool(member.out) if self.is_test else list(member.out)


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
        self.now: Facts = frozenset()
        self.played: dict[Term, Term] = {}
        self.moves: tuple[Term, ...] = ()
        self.state_indexes: list[Index | None] = []
        """Indexes of the facts of the state, each made when it is first used."""
        self.index_numbers: dict[tuple[Functor, Mode], int] = {}
        self.by_functor: dict[Functor, list[tuple[Term, ...]]] | None = None
        self.steps = [STEPS]
        """Rows until the next look at the clock; a list, so that all functions share it."""
        self.outs: list[dict[Row, None]] = []
        """The answers to the questions that are being answered."""
        self.cycles: dict[int, _Cycle] = {}
        self.questions: dict[tuple[Functor, Mode], Question] = {}
        self.tables: tuple[list[dict[Row, Answers]], ...] = ([], [], [])
        """All tables of questions, by what their answers depend on."""
        self.deadline, self.ticks_left = 0.0, 0
        self.bytes_used = self.bytes_for_good = 0
        """About how much memory the question in progress and the tables of what always holds take."""
        self.sort_texts: dict[Term, str] = {}
        self.clauses = Clauses(normalise(description), self)
        self._initial: Facts | None = None
        if not self.roles:
            self.roles = tuple(arguments(answer)[0] for answer in self.ask(("role", "?r")))

    # The machine

    def fork(self) -> Machine:
        twin = Prover(self.description, self.budget)
        twin.note, twin.fingerprint = self.note, self.fingerprint
        return twin

    @property
    def initial(self) -> State:
        if self._initial is None:
            self._enter(frozenset(), ())
            self._initial = frozenset(self._rows(("init", 1), (False,), ()))
        return self._initial

    def facts(self, state: State) -> Facts:
        assert isinstance(state, frozenset)
        return state

    def state_of(self, facts: Facts) -> State:
        return facts

    def legal(self, state: State, player: int) -> list[Term]:
        self._enter(self.facts(state), ())
        return self._sorted(self._rows(("legal", 2), (True, False), self.roles[player]))

    def next(self, state: State, moves: Sequence[Term]) -> State:
        self._enter(self.facts(state), tuple(moves))
        return frozenset(self._rows(("next", 1), (False,), ()))

    def is_terminal(self, state: State) -> bool:
        self._enter(self.facts(state), ())
        return bool(self._answers("terminal", (), ()))

    def goal_values(self, state: State, player: int) -> list[int]:
        self._enter(self.facts(state), ())
        values = []
        for found in self._rows(("goal", 2), (True, False), self.roles[player]):
            value = number_of(found)
            if value is None:
                raise GameError(f"{self.name}: a goal should be a number from 0 to 100, not {brief(found)}")
            values.append(value)
        return sorted(values)

    def sees(self, state: State, moves: Sequence[Term], player: int) -> list[Term]:
        self._enter(self.facts(state), tuple(moves))
        return self._sorted(self._rows(("sees", 2), (True, False), self.roles[player]))

    @property
    def has_percepts(self) -> bool:
        return any(functor_name(key) == "sees" for key in (*self.clauses.rules, *self.clauses.facts))

    def _sorted(self, terms: list[Term]) -> list[Term]:
        texts = self.sort_texts
        if len(texts) > MOST_SORTED:
            texts.clear()
        for term in terms:
            if term not in texts:
                texts[term] = sort_text(term)
        return sorted(terms, key=texts.__getitem__)

    def _enter(self, state: Facts, moves: tuple[Term, ...]) -> None:
        """Forget what no longer holds."""
        if state is not self.now and state != self.now:
            self.now = state
            self.by_functor = None
            self.state_indexes[:] = [None] * len(self.state_indexes)
            for table in self.tables[OF_STATE]:
                table.clear()
            self._set_moves(moves)
        elif moves != self.moves:
            self._set_moves(moves)

    def _set_moves(self, moves: tuple[Term, ...]) -> None:
        self.moves = moves
        self.played = dict(zip(self.roles, moves, strict=False))
        for table in self.tables[OF_MOVES]:
            table.clear()

    # Asking

    def ask(self, question: Term) -> list[Term]:
        """All ground terms that follow from the rules, the state and the moves, and match the question.

        Raises:
            OutOfBudget: there are too many answers, or they take too long.
            GameError: the proof runs deeper than Python can follow.
        """
        key, values = functor(question), arguments(question)
        if key == TRUE:
            found: list[Term] = [("true", fact) for fact in self.now]
        elif key == DOES:
            found = [("does", role, move) for role, move in self.played.items()]
        else:
            mode = tuple(is_ground(value) for value in values)
            rows = self._answers(key, mode, picked(values, mode, True))
            if isinstance(rows, bool):
                return [question] if rows else []
            found = [_rebuilt(question, mode, row) for row in rows]
        return [answer for answer in found if match(question, answer, {})]

    def holds(self, question: Term) -> bool:
        """Whether anything matches a question: what negations with unbound variables ask."""
        return bool(self.ask(question))

    def _rows(self, key: Functor, mode: Mode, known: Row) -> list[Row]:
        """The answers to a question of which something is unknown."""
        found = self._answers(key, mode, known)
        assert isinstance(found, list)
        return found

    def _answers(self, key: Functor, mode: Mode, known: Row) -> Answers:
        """The answers to a question from outside, within the budget."""
        if key not in self.clauses.rules:
            rows = self.clauses.index(key, mode).get(known, [])
            return bool(rows) if all(mode) else rows
        question = self.question(key, mode)
        found = question.table.get(known)
        if found is not None:
            return found
        if self.outs:
            return question.answer(known)
        self.begin()
        try:
            return question.answer(known)
        except RecursionError:
            shown = brief(key if isinstance(key, str) else (key[0], *["?"] * key[1]))
            raise GameError(f"{self.name}: the rules behind {shown} recurse too deeply to prove") from None
        finally:
            if self.outs:
                self.outs.clear()
                for cycle in self.cycles.values():
                    cycle.reset()

    # What the functions of the rules use

    def question(self, key: Functor, mode: Mode) -> Question:
        """The question about a relation with some arguments known."""
        found = self.questions.get((key, mode))
        if found is None:
            found = self.questions[key, mode] = Question(self, key, mode)
            self.tables[self.clauses.levels.get(key, STATIC)].append(found.table)
        return found

    def fluents(self, key: Functor, mode: Mode) -> int:
        """The number of the index of a state's facts of one kind by their known arguments."""
        number = self.index_numbers.setdefault((key, mode), len(self.index_numbers))
        if number == len(self.state_indexes):
            self.state_indexes.append(None)
        return number

    def index_state(self, number: int) -> Index:
        """Make an index of the state."""
        if self.by_functor is None:
            self.by_functor = {}
            for fact in self.now:
                self.by_functor.setdefault(functor(fact), []).append(arguments(fact))
        key, mode = next(one for one, its_number in self.index_numbers.items() if its_number == number)
        found = self.state_indexes[number] = indexed(self.by_functor.get(key, ()), mode)
        return found

    def unbound(self, place: str, head: Term) -> NoReturn:
        """A rule leaves a variable of its head unbound."""
        raise GameError(f"{place}: nothing binds all variables of {brief(head)}")

    # The budget

    def begin(self, ticks: int = 1 << 60) -> None:
        """A new question has the whole budget, or less: so many looks at the clock."""
        self.ticks_left = ticks
        self.deadline, self.steps[0] = time.monotonic() + self.budget.seconds, STEPS
        self.bytes_used = 0
        if self.bytes_for_good > self.budget.megabytes << 20:
            for table in self.tables[STATIC]:
                table.clear()
            self.bytes_for_good = 0

    def check_budget(self) -> None:
        """Look at the clock and at the memory; called after some steps of a proof."""
        self.steps[0] = STEPS
        self.ticks_left -= 1
        if self.ticks_left <= 0:
            raise OutOfBudget(f"{self.name}: the rules give no answer in as many steps as they may take", "steps")
        if time.monotonic() > self.deadline:
            raise OutOfBudget(f"{self.name}: the rules give no answer within {self.budget.seconds:g} seconds", "time")
        if self.bytes_used + BYTES_KEPT * sum(map(len, self.outs)) > self.budget.megabytes << 20:
            raise OutOfBudget(f"{self.name}: the answers take more than {self.budget.megabytes} megabytes", "memory")

    def check_term(self, term: Term) -> None:
        """Count the memory of a term that rules built up, and refuse what grows without end."""
        parts = parts_of(term)
        if parts == 0:
            raise OutOfBudget(f"{self.name}: the rules build up ever larger terms, such as {brief(term)}", "terms")
        self.bytes_used += BYTES_OF_PART * parts


def _rebuilt(question: Term, mode: Mode, row: Row) -> Term:
    """The answer that a row stands for."""
    unknown = iter((row,) if mode.count(False) == 1 else row)
    filled = [value if known else next(unknown) for value, known in zip(arguments(question), mode, strict=True)]
    return (question[0], *filled)
