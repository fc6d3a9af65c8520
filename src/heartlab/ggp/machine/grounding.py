"""Grounding: from rules with variables to rules over atoms, by clingo, within a budget of time and memory.

The rules are written as an answer-set program in which every fact of a state and every move may or may not hold, so
clingo derives everything that could ever be true. clingo runs in a process of its own, which can be stopped when the
time is over and has a memory limit of its own. Its output (the `aspif` format) is a list of rules over
numbered atoms; facts and underivable atoms are already gone.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from tempfile import TemporaryFile

from heartlab.ggp.gdl.normal import DISTINCT, FAILS, HOLDS, Literal, NormalRule, normalise
from heartlab.ggp.gdl.parse import Description
from heartlab.ggp.gdl.terms import Functor, GdlError, Term, functor, functor_name
from heartlab.ggp.machine.base import Limit
from heartlab.ggp.machine.parts import Part

SHOWN = {"init": 1, "true": 1, "does": 2, "legal": 2, "next": 1, "terminal": 0, "goal": 2, "sees": 2}
"""The relations whose atoms keep their names; all others are only numbers."""

MAX_TERM_DEPTH = 500
"""Deepest nesting of a term that rules build up, such as a counter `(s (s (s z)))`."""

_SYMBOL = re.compile(r"\w+|[(),]")


class MissingClingo(GdlError):
    """The extra that brings the grounder is not installed."""


class GroundingFailed(GdlError):
    """The game does not ground: clingo refuses it, or the budget ran out. The text says which."""

    def __init__(self, reason: str, blamed: Part | None = None, limit: Limit | None = None) -> None:
        """`blamed` is the part of the game that was in the way, `limit` that of the budget; None if not known."""
        super().__init__(reason)
        self.blamed, self.limit = blamed, limit


@dataclass(frozen=True)
class Budget:
    """Limits of grounding and of proving; a game that does not ground within them is left to the prover.

    >>> from heartlab.ggp import load_game
    >>> load_game("tictactoe", budget=Budget(rules=10)).kind
    'prover'
    """

    seconds: float = 20.0
    """Time for clingo, for reading what it found and for building the network; for each question of the prover."""
    megabytes: int = 2500
    """Memory of the clingo process (where the system can limit it), and about that of the prover's answers."""
    rules: int = 3_000_000
    """Most ground rules that are read."""


@dataclass
class GroundGame:
    """Rules over numbered atoms. A literal is an atom, or minus an atom for its negation."""

    rules: list[tuple[int, list[int]]] = field(default_factory=list)
    """(head, body) of every rule."""
    atoms: dict[Term, int] = field(default_factory=dict)
    """The number of each named atom that can hold but need not always."""
    always: set[Term] = field(default_factory=set)
    """Named atoms that hold in every state."""


class _Names:
    """GDL names as clingo identifiers and back."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, bool], int] = {}
        self.names: list[tuple[str, bool]] = []

    def identifier(self, name: str, is_function: bool) -> str:
        key = (name, is_function)
        if key not in self.numbers:
            self.numbers[key] = len(self.names)
            self.names.append(key)
        return f"n{self.numbers[key]}"

    def encode(self, term: Term, variable_names: dict[str, str]) -> str:
        if isinstance(term, str):
            if term.startswith("?"):
                return variable_names.setdefault(term, f"V{len(variable_names)}")
            return self.identifier(term, False)
        inner = ",".join(self.encode(part, variable_names) for part in term[1:])
        name = self.identifier(str(term[0]), True)
        return f"{name}({inner})" if inner else name

    def decode(self, text: str) -> Term:
        """A clingo symbol as a term."""
        stack: list[list[Term]] = [[]]
        for token in _SYMBOL.findall(text):
            if token == "(":
                if len(stack) > MAX_TERM_DEPTH:
                    raise GroundingFailed(f"the game builds up terms that nest deeper than {MAX_TERM_DEPTH}")
                name = stack[-1].pop()
                assert isinstance(name, tuple)
                stack.append([name[0]])
            elif token == ")":
                done = tuple(stack.pop())
                stack[-1].append(done)
            elif token != ",":
                name, is_function = self.names[int(token[1:])]
                stack[-1].append((name,) if is_function else name)
        return stack[0][0]


def program(rules: list[NormalRule], names: _Names) -> str:
    """The answer-set program whose grounding is the grounding of the game."""
    does, legal, true, init, following = (
        names.identifier(name, True) for name in ("does", "legal", "true", "init", "next")
    )
    lines = [f"{{{true}(X)}}:-{init}(X).", f"{{{true}(X)}}:-{following}(X).", f"{{{does}(R,M)}}:-{legal}(R,M)."]
    for rule in rules:
        variable_names: dict[str, str] = {}
        head = names.encode(rule.head, variable_names)
        body = ",".join(_encode_literal(literal, names, variable_names) for literal in rule.body)
        lines.append(f"{head}:-{body}." if body else f"{head}.")
    for name, arity in SHOWN.items():
        lines.append(f"#show {names.identifier(name, arity > 0)}/{arity}.")
    return "\n".join(lines)


def _encode_literal(literal: Literal, names: _Names, variable_names: dict[str, str]) -> str:
    if literal.kind in (HOLDS, FAILS):
        return "not " * (literal.kind == FAILS) + names.encode(literal.term, variable_names)
    left, right = (names.encode(part, variable_names) for part in literal.term)
    return f"{left}{'!=' if literal.kind == DISTINCT else '='}{right}"


def ground(description: Description, budget: Budget = Budget()) -> GroundGame:  # noqa: B008
    """Ground a game.

    Raises:
        MissingClingo: clingo is not installed.
        GroundingFailed: the rules are unsafe, or the budget ran out.
    """
    if importlib.util.find_spec("clingo") is None:
        raise MissingClingo("grounding needs clingo: pip install 'heartlab[ggp]'")
    names = _Names()
    return _run_clingo(program(relevant(normalise(description)), names), names, budget)


def relevant(rules: list[NormalRule]) -> list[NormalRule]:
    """The rules that matter for play: not those of `base` and `input`, nor of relations that nothing uses."""
    by_head: dict[Functor, list[NormalRule]] = {}
    for rule in rules:
        by_head.setdefault(functor(rule.head), []).append(rule)
    wanted = {key for key in by_head if functor_name(key) in SHOWN}
    waiting = list(wanted)
    while waiting:
        for rule in by_head.get(waiting.pop(), ()):
            for literal in rule.body:
                key = functor(literal.term)
                if literal.kind in (HOLDS, FAILS) and key not in wanted:
                    wanted.add(key)
                    waiting.append(key)
    return [rule for rule in rules if functor(rule.head) in wanted]


def _run_clingo(text: str, names: _Names, budget: Budget) -> GroundGame:
    """Let clingo ground a program and read its output as it comes."""
    command = [sys.executable, "-m", "clingo", "--mode=gringo", "--output=intermediate", "--warn=none"]
    with TemporaryFile() as source, TemporaryFile("w+") as complaints:
        source.write(text.encode())
        source.seek(0)
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, stderr=complaints, text=True)
        _limit_memory(process.pid, budget.megabytes)
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(budget.seconds, stop)
        timer.start()
        try:
            assert process.stdout is not None
            game, complete = _read(process.stdout, names, budget)
        finally:
            timer.cancel()
            process.kill()
            process.communicate()
        complaints.seek(0)
        complaint = complaints.read()
    if late.is_set():
        raise GroundingFailed(f"the game did not ground within {budget.seconds:g} seconds")
    if complete:
        return game
    if "unsafe" in complaint:
        raise GroundingFailed("the game has unsafe rules, which cannot be grounded")
    if "bad_alloc" in complaint or "MemoryError" in complaint or not complaint:
        raise GroundingFailed(f"the game did not ground within {budget.megabytes} megabytes")
    raise GroundingFailed(f"clingo refused the game: {' '.join(complaint.split())[:200]}")


def _limit_memory(pid: int, megabytes: int) -> None:
    """Limit the memory of another process, where the system knows how (Linux)."""
    try:
        import resource

        resource.prlimit(pid, resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    except (ImportError, AttributeError, OSError, ValueError):
        return


def _read(lines: Iterable[str], names: _Names, budget: Budget) -> tuple[GroundGame, bool]:
    """Read aspif, and whether it came to its end.

    Lines `1 0 1 HEAD 0 N BODY...` are rules, `4 LENGTH NAME N ATOMS...` names, and `0` is the end.
    """
    game = GroundGame()
    for line in lines:
        if not line.endswith("\n"):
            break
        if line.startswith("1 0 1 "):
            fields = [int(field) for field in line.split()]
            game.rules.append((fields[3], fields[6:]))
            if len(game.rules) > budget.rules:
                raise GroundingFailed(f"the game has more than {budget.rules:,} ground rules")
        elif line.startswith("4 "):
            _, length, rest = line.split(" ", 2)
            atom = names.decode(rest[: int(length)])
            fields = [int(field) for field in rest[int(length) :].split()]
            if fields[0] == 0:
                game.always.add(atom)
            else:
                game.atoms[atom] = fields[1]
        elif line == "0\n":
            return game, True
    return game, False
