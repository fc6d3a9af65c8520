"""The game manager: runs matches between seats by the protocol, and records them.

All players are asked at the same time. A player that is late, gone, or answers with anything but a legal move gets a
uniformly random legal move instead, and the match goes on; the record says what went wrong. The role `random` of a
GDL-II game is played by the manager itself, and players of games with percepts are told what they see.
"""

from __future__ import annotations

import random
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

from heartlab.ggp.gdl.parse import Description, parse_term
from heartlab.ggp.gdl.scramble import Plain, Scrambler
from heartlab.ggp.gdl.terms import RANDOM_ROLE, GdlError, Term, as_spelled, show
from heartlab.ggp.machine.base import GameError, Machine, State
from heartlab.ggp.protocol.messages import moves_text, start_text
from heartlab.ggp.protocol.seats import GARBAGE, ILLEGAL, Seat, SeatFailure

MAX_TURNS = 1000


@dataclass
class Trouble:
    """Something that went wrong with a player."""

    turn: int
    player: int
    kind: str
    message: str


@dataclass
class MatchRecord:
    """A match as it was played, in values that JSON has.

    >>> from heartlab.ggp import load_game, read_game
    >>> from heartlab.ggp.protocol import make_seat
    >>> manager = Manager(read_game("nim"), load_game("nim", "prover"), Clocks(start=60, play=60))
    >>> record = manager.play([make_seat("random", seed=1), make_seat("random", seed=2)])
    >>> record.roles, record.players, record.states[0][-1]
    (['first', 'second'], ['random', 'random'], '(turn first)')
    """

    match: str
    game: str
    roles: list[str]
    players: list[str]
    start_clock: float
    play_clock: float
    seed: int
    scrambled: bool
    begun: str
    states: list[list[str]] = field(default_factory=list)
    moves: list[list[str]] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    goals: list[int | None] = field(default_factory=list)
    """None for a player without a goal value, and for all if the match did not finish."""
    finished: bool = False
    """Whether play reached a terminal state."""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """The values for JSON."""
        return asdict(self)

    def troubles_of(self, player: int) -> Counter[str]:
        """How often each kind of trouble occurred with a player."""
        return Counter(trouble.kind for trouble in self.troubles if trouble.player == player)


Watch: TypeAlias = Callable[[MatchRecord, State], None]
"""Told of a match as it is played, with its record so far and its state, in the thread that plays it: when it begins,
when the players have started, after every joint move, and at the end, when the record has its goals."""


@dataclass(frozen=True)
class Clocks:
    """Seconds before the first turn, and for each turn.

    >>> Clocks(start=30, play=10)
    Clocks(start=30, play=10)
    """

    start: float = 10.0
    play: float = 5.0


class Manager:
    """Runs matches of one game.

    >>> from heartlab.ggp import load_game, read_game
    >>> from heartlab.ggp.protocol import make_seat
    >>> manager = Manager(read_game("nim"), load_game("nim", "prover"), Clocks(start=60, play=60))
    >>> record = manager.play([make_seat("random", seed=1), make_seat("random", seed=2)])
    >>> record.finished, sorted(record.goals), record.troubles
    (True, [0, 100], [])
    """

    def __init__(self, description: Description, machine: Machine, clocks: Clocks, scramble: bool = False) -> None:
        self.description, self.machine, self.clocks, self.scramble = description, machine, clocks, scramble

    @property
    def seats_needed(self) -> int:
        """How many roles need a player: all but `random`."""
        return sum(role != RANDOM_ROLE for role in self.machine.roles)

    def play(self, seats: Sequence[Seat], number: int = 0, seed: int = 0, watch: Watch | None = None) -> MatchRecord:
        """One match; somebody may watch.

        Raises:
            GdlError: there are not as many seats as roles that need one.
        """
        if len(seats) != self.seats_needed:
            raise GdlError(f"{self.machine.name} needs {self.seats_needed} players, not {len(seats)}")
        with ThreadPoolExecutor(max(1, len(seats)), "ggp-seat") as pool:
            return _Match(self, seats, number, seed, pool).run(watch or (lambda record, state: None))


class _Match:
    """One match in progress."""

    def __init__(
        self, manager: Manager, seats: Sequence[Seat], number: int, seed: int, pool: ThreadPoolExecutor
    ) -> None:
        self.machine, self.clocks, self.pool = manager.machine, manager.clocks, pool
        self.dice = random.Random(f"{seed}/{number}")
        waiting = iter(seats)
        self.seats = [None if role == RANDOM_ROLE else next(waiting) for role in self.machine.roles]
        description = manager.description
        self.words: Scrambler | Plain = (
            Scrambler(description, self.dice.getrandbits(32)) if manager.scramble else Plain(description)
        )
        self.record = MatchRecord(
            match=f"heartlab.{seed}.{number}.{secrets.token_hex(4)}",
            game=self.machine.name,
            roles=[show(role) for role in self.machine.roles],
            players=[RANDOM_ROLE if seat is None else seat.name for seat in self.seats],
            start_clock=self.clocks.start,
            play_clock=self.clocks.play,
            seed=seed,
            scrambled=manager.scramble,
            begun=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        )
        self.names = [f"{self.record.match}.{player}" for player in range(len(self.seats))]
        """The name of the match in each seat: one program may sit in several."""

    def run(self, watch: Watch) -> MatchRecord:
        begun = time.monotonic()
        record, state = self.record, self.machine.initial
        told: list[tuple[Term, ...] | None] = [None] * len(self.seats)
        try:
            watch(record, state)
            self._start()
            watch(record, state)
            while len(record.moves) < MAX_TURNS and not self.machine.is_terminal(state):
                self._note_state(state)
                joint = self._turn(state, told)
                told = [self._told(state, joint, player) for player in range(len(self.seats))]
                state = self.machine.next(state, joint)
                record.moves.append([show(move) for move in joint])
                watch(record, state)
            record.finished = self.machine.is_terminal(state)
            self._tell_all(self._moves_texts("stop", [moves or () for moves in told]), self.clocks.play)
        except GameError as error:
            self._trouble(-1, "rules", str(error))
            self._abort()
        except BaseException:
            self._abort()
            raise
        self._note_state(state)
        players = range(len(self.seats))
        record.goals = [self._goal(state, player) if record.finished else None for player in players]
        record.seconds = round(time.monotonic() - begun, 3)
        watch(record, state)
        return record

    def _start(self) -> None:
        texts = []
        for name, role in zip(self.names, self.machine.roles, strict=True):
            named, clocks = self.words.scramble(role), self.clocks
            texts.append(start_text(name, named, self.words.rules, clocks.start, clocks.play))
        self._tell_all(texts, self.clocks.start)

    def _moves_texts(self, kind: str, told: Sequence[tuple[Term, ...] | None]) -> list[str]:
        return [moves_text(kind, name, moves) for name, moves in zip(self.names, told, strict=True)]

    def _turn(self, state: State, told: list[tuple[Term, ...] | None]) -> list[Term]:
        """Ask all players for a move; one that fails gets a random one."""
        legal = self.machine.legal_moves(state)
        answers = self._tell_all(self._moves_texts("play", told), self.clocks.play)
        joint: list[Term] = []
        for player, (answer, own) in enumerate(zip(answers, legal, strict=True)):
            move = self._read_move(player, answer, own)
            joint.append(self.dice.choice(own) if move is None else move)
        return joint

    def _read_move(self, player: int, answer: str | None, legal: list[Term]) -> Term | None:
        if answer is None:
            return None
        try:
            move = as_spelled(self.words.unscramble(parse_term(answer, "answer")), legal)
        except GdlError as error:
            self._trouble(player, GARBAGE, str(error)[:200])
            return None
        if move not in legal:
            self._trouble(player, ILLEGAL, f"{show(move)[:200]} is not a legal move")
            return None
        return move

    def _tell_all(self, texts: list[str], seconds: float) -> list[str | None]:
        """Send every player its message at the same time; None for those that fail and for `random`."""
        asked = [
            None if seat is None else self.pool.submit(seat.ask, text, seconds)
            for seat, text in zip(self.seats, texts, strict=True)
        ]
        answers: list[str | None] = []
        for player, future in enumerate(asked):
            try:
                answers.append(None if future is None else future.result())
            except SeatFailure as failure:
                self._trouble(player, failure.kind, str(failure))
                answers.append(None)
        return answers

    def _told(self, state: State, joint: list[Term], player: int) -> tuple[Term, ...]:
        """What a player is told about a turn."""
        terms = self.machine.sees(state, joint, player) if self.machine.has_percepts else joint
        return tuple(self.words.scramble(term) for term in terms)

    def _abort(self) -> None:
        self._tell_all([f"(ABORT {name})" for name in self.names], min(1.0, self.clocks.play))

    def _goal(self, state: State, player: int) -> int | None:
        try:
            return self.machine.goal(state, player)
        except GameError as error:
            self._trouble(player, "rules", str(error))
            return None

    def _trouble(self, player: int, kind: str, message: str) -> None:
        self.record.troubles.append(Trouble(len(self.record.moves), player, kind, message))

    def _note_state(self, state: State) -> None:
        self.record.states.append(sorted(show(fact) for fact in self.machine.facts(state)))
