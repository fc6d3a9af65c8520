"""The player's side of the protocol, without HTTP: a text comes in, a text goes out.

The HTTP server and in-process matches both talk to an agent. It plays several matches at once, and answers `busy` to
messages about matches that it does not know. A message that arrives while the one before is still being answered waits
for it, so that one late answer does not lose the match. A text that is not a message raises `ProtocolError`; every
message gets an answer.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from heartlab.ggp.gdl.parse import UNNAMED, Description, Expression, parse_term, rules_of
from heartlab.ggp.gdl.terms import RANDOM_ROLE, GdlError, Term, as_spelled, folded, show
from heartlab.ggp.gdl.validate import errors
from heartlab.ggp.machine.base import Machine, State
from heartlab.ggp.machine.grounding import Budget
from heartlab.ggp.machine.load import make_machine
from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.players.belief import Belief
from heartlab.ggp.players.random import RandomPlayer
from heartlab.ggp.protocol.messages import ABORTED, BUSY, DONE, READY, Message, parse_message

MOST_MATCHES = 32
REMEMBERED_GAMES = 4
GROUNDING_SHARE = 0.6
"""The share of the start clock that grounding may take."""
MOST_GROUNDING = 120.0
"""Most seconds that grounding may take, however long the start clock: a game that takes longer would give a network too
large to play with. The prover takes over then."""
PATIENCE = 60.0
"""Seconds beyond ten turns after which a silent match is forgotten."""


Offer = Callable[[str], None]
"""Takes a legal move, for the case that no better one comes in time."""


@dataclass
class _Session:
    """One match in progress."""

    machine: Machine
    player: GamePlayer
    number: int
    play_clock: float
    expires_after: float
    state: State
    belief: Belief | None
    last_moves: tuple[Term, ...] | None = None
    last_answer: Term | None = None
    heard: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Agent:
    """Plays matches by answering messages.

    >>> from heartlab.ggp import make_game_player
    >>> agent = Agent(lambda seed: make_game_player("random", seed), name="demo")
    >>> agent.answer("(info)"), agent.answer("(play unknown-match nil)")
    ('((name demo)(status available))', 'busy')
    """

    def __init__(
        self,
        make_player: Callable[[int], GamePlayer],
        name: str = "heartlab",
        close: Callable[[], None] = lambda: None,
        seed: int = 0,
        strict: bool = False,
        megabytes: int = Budget.megabytes,
    ) -> None:
        """An agent whose matches are played by players that `make_player` makes from a seed.

        Every match has its own seed, counted from `seed` on, also where the agent plays at random itself. A `strict`
        agent refuses games in which the validator finds errors.
        """
        self.make_player, self.name, self.close = make_player, name, close
        self.strict, self.megabytes = strict, megabytes
        self.seeds = itertools.count(seed)
        self.sessions: dict[str, _Session] = {}
        self.starting = 0
        """START messages that are being answered; each counts as a match."""
        self.games: OrderedDict[tuple[object, ...], Machine] = OrderedDict()
        self.lock = threading.Lock()

    def answer(self, text: str, offer: Offer | None = None, seconds: float | None = None) -> str:
        """The reply to a message.

        A PLAY message that has a legal move offers one first, chosen at random, for the case that the player fails.
        The answer should not take longer than some `seconds`, if they are given, even if the clock is longer.

        Raises:
            ProtocolError: the text is not a message.
        """
        begun = time.monotonic()
        message = parse_message(text)
        self._forget_silent()
        if message.kind in ("info", "ping"):
            return f"((name {self.name})(status {'available' if self._has_room() else BUSY}))"
        if seconds is not None:
            message = replace(message, start_clock=min(message.start_clock, seconds))
        if message.kind == "preview":
            return self._preview(message)
        if message.kind == "start":
            return self._start(message)
        if message.kind == "abort":
            session = self._remove(message.match)
            if session is not None:
                session.player.finish(None)
            return ABORTED if session is not None else BUSY
        with self.lock:
            session = self.sessions.get(message.match)
        if session is None or not session.lock.acquire(
            timeout=session.play_clock + 1.0 if seconds is None else seconds
        ):
            return BUSY
        try:
            session.heard = time.monotonic()
            if message.kind == "stop":
                return self._stop(message, session)
            left = session.play_clock if seconds is None else seconds - (time.monotonic() - begun)
            return self._play(message, session, offer, max(0.0, left))
        finally:
            session.lock.release()

    def resume(self, start: str, turns: Sequence[tuple[str, str]]) -> bool:
        """Take up a match from its START message, and each PLAY message with its answer; False if it cannot be."""
        message = parse_message(start)
        if self._start(message) != READY:
            return False
        session = self.sessions[message.match]
        for text, answer in turns:
            if not self._follow(parse_message(text).moves, session):
                return False
            session.last_answer = parse_term(answer)
        return True

    # Beginning

    def _preview(self, message: Message) -> str:
        try:
            self._machine(message.rules, message.start_clock)
        except GdlError:
            return BUSY
        return READY

    def _start(self, message: Message) -> str:
        """Reserve a place for the match before any work is done for it, and release it if it cannot be played."""
        with self.lock:
            is_new = message.match not in self.sessions
            if self._has_other_role(message) or (is_new and not self._has_room()):
                return BUSY
            self.starting += 1
        session, answer = None, BUSY
        try:
            session = self._prepare(message)
        finally:
            with self.lock:
                self.starting -= 1
                if session is not None and not self._has_other_role(message):
                    self.sessions[message.match], answer = session, READY
        return answer

    def _has_other_role(self, message: Message) -> bool:
        """Whether the match is already being played here in another role."""
        running = self.sessions.get(message.match)
        return running is not None and folded(running.machine.roles[running.number]) != message.role

    def _has_room(self) -> bool:
        return len(self.sessions) + self.starting < MOST_MATCHES

    def _prepare(self, message: Message) -> _Session | None:
        """A match that is ready to be played; None if it cannot be."""
        begun = time.monotonic()
        try:
            machine = self._machine(message.rules, message.start_clock)
            number = machine.roles.index(as_spelled(message.role, machine.roles))
            initial = machine.initial
        except (GdlError, ValueError):
            return None
        hidden = machine.has_percepts or RANDOM_ROLE in machine.roles
        player = (RandomPlayer if hidden else self.make_player)(next(self.seeds))
        player.begin(machine, number, max(0.0, message.start_clock - (time.monotonic() - begun)))
        belief = Belief(machine, number, player.dice) if machine.has_percepts else None
        patience = PATIENCE + message.start_clock + 10 * message.play_clock
        return _Session(machine, player, number, message.play_clock, patience, initial, belief)

    def _machine(self, rules: tuple[Expression, ...], seconds: float) -> Machine:
        """A machine for these rules and this match alone; grounded games are cached."""
        description = rules_of(rules, UNNAMED)
        key = tuple(map(str, description.rules))
        with self.lock:
            known = self.games.get(key)
            if known is not None:
                self.games.move_to_end(key)
        if known is None:
            known = self._load(description, seconds)
            with self.lock:
                self.games[key] = known
                while len(self.games) > REMEMBERED_GAMES:
                    self.games.popitem(last=False)
        return known.fork()

    def _load(self, description: Description, seconds: float) -> Machine:
        if not description.roles:
            raise GdlError("the rules name no role")
        if self.strict and (wrong := errors(description)):
            raise GdlError(str(wrong[0]))
        budget = Budget(megabytes=self.megabytes, seconds=min(MOST_GROUNDING, max(1.0, GROUNDING_SHARE * seconds)))
        return make_machine(description, "auto", budget)

    # Playing

    def _play(self, message: Message, session: _Session, offer: Offer | None, seconds: float) -> str:
        try:
            if not self._follow(message.moves, session):
                return BUSY
            state = session.belief.state() if session.belief is not None else session.state
            legal = session.machine.legal(state, session.number)
            if not legal or session.machine.is_terminal(state):
                return BUSY
            if offer is not None:
                offer(show(random.choice(legal)))
            session.last_answer = session.player.choose(state, seconds)
        except GdlError:
            return BUSY
        return show(session.last_answer)

    def _follow(self, moves: tuple[Term, ...] | None, session: _Session) -> bool:
        """Update the state by the moves of the last turn; False if they are impossible."""
        if moves is None:
            return True
        if session.belief is not None:
            known = session.belief.update(session.last_answer, moves) or session.belief.update(None, moves)
            return known
        machine = session.machine
        if len(moves) != len(machine.roles):
            return False
        options = [machine.legal(session.state, number) for number in range(len(moves))]
        told = moves
        moves = tuple(as_spelled(move, own) for move, own in zip(moves, options, strict=True))
        legal = all(move in own for move, own in zip(moves, options, strict=True))
        if machine.is_terminal(session.state) or not legal:
            return told == session.last_moves
        session.state = machine.next(session.state, moves)
        session.last_moves = told
        return True

    def _stop(self, message: Message, session: _Session) -> str:
        self._remove(message.match)
        try:
            known = self._follow(message.moves, session) and session.belief is None
            session.player.finish(session.state if known else None)
        except GdlError:
            session.player.finish(None)
        return DONE

    def _remove(self, match: str) -> _Session | None:
        with self.lock:
            return self.sessions.pop(match, None)

    def _forget_silent(self) -> None:
        now = time.monotonic()
        with self.lock:
            silent = [name for name, one in self.sessions.items() if now - one.heard > one.expires_after]
            for name in silent:
                del self.sessions[name]
