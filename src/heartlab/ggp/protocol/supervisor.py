"""The player's side of the protocol with every match in a process of its own: what `heartlab ggp serve` runs.

The rules of a game are a program of a stranger: they may never end, or fill any memory. So a match is played by a
worker, and the supervisor only passes messages on. Every message has a time within which the worker has to answer;
beyond it the worker is killed. Its memory is limited by the system. If a worker is gone, the supervisor answers with
the legal move that the worker offered before it began to think, and the match is taken up by a new worker at the next
message, a few times. A worker is ended when its match is over, aborted or silent for longer than its clocks allow.

A player that learns plays all its matches in one worker, since they share what it learned. If that worker has to be
killed, the other matches are taken up by the next one.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

from heartlab.ggp.protocol.agent import MOST_MATCHES, PATIENCE
from heartlab.ggp.protocol.frames import Answer, Refusal, Setup
from heartlab.ggp.protocol.messages import ABORTED, BUSY, DONE, READY, Message, ProtocolError, parse_envelope
from heartlab.ggp.protocol.nursery import Question, Worker, WorkerGone, make_nursery

GRACE = 1.0
"""Seconds beyond its clock after which a worker that has not answered is killed; less if the play clock is short."""
LEAST_GRACE, GRACE_SHARE = 0.25, 0.1
"""Seconds, and the share of the play clock, that it is then."""
LEAST_START = 2.0
"""Seconds that a match has to begin, however short its start clock."""
RESERVE = 0.03
"""The share of the play clock before whose end an offered move is sent if there is no better one."""
MOST_RESTARTS = 10
"""How often a match is taken up by a new worker."""
MOST_HISTORY = 4 << 20
"""Characters of messages that are kept for that."""
MOST_WAITING = 4
"""Messages of one match that may be waiting for an answer."""
MEMORY_SHARE = 0.75
"""The share of the machine's memory that all matches may take."""
TICK = 0.1
"""Seconds between two looks at the workers."""


@dataclass(frozen=True)
class Limits:
    """What matches may take.

    >>> Limits(megabytes=500).matches <= 32
    True
    """

    seconds: float = 600.0
    """Most seconds of work for one message, however long the clock."""
    megabytes: int = 2000
    """Memory of one match, beyond what a worker has when it begins."""
    most: int = 0
    """Most matches at a time; 0 for as many as fit into the memory of the machine, but at most 32."""

    @property
    def matches(self) -> int:
        """Most matches at a time."""
        if self.most:
            return self.most
        try:
            memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (AttributeError, OSError, ValueError):
            memory = 8 << 30
        return max(1, min(MOST_MATCHES, int(MEMORY_SHARE * memory) // (self.megabytes << 20)))


@dataclass(eq=False)
class _Match:
    """A match, as the supervisor sees it."""

    name: str
    worker: Worker
    start: str
    """The START message."""
    start_clock: float
    play_clock: float
    seed: int
    is_ready: bool = False
    turns: list[tuple[str, str]] = field(default_factory=list)
    """PLAY messages and our answers."""
    size: int = 0
    """Characters of all that."""
    restarts: int = 0
    late: Question | None = None
    """The question to which an offered move was the answer, since no better one came in time."""
    waiting: int = 0
    """Messages that are being answered."""
    heard: float = field(default_factory=time.monotonic)
    reviving: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_silent(self) -> bool:
        """Whether nothing was heard for longer than the clocks allow."""
        patience = PATIENCE + self.start_clock + 2 * self.play_clock
        return self.waiting == 0 and time.monotonic() - self.heard > patience

    def note(self, text: str, answer: str) -> None:
        """Keep a turn, so that another worker can take up the match; too many of them are not kept at all."""
        if self.turns and self.turns[-1][0] == text:
            self.turns.pop()
        self.turns.append((text, answer))
        self.size += len(text) + len(answer)
        if self.size > MOST_HISTORY:
            self.turns.clear()


class Supervisor:
    """Plays matches by answering messages, each match in a process of its own. Close it.

    >>> supervisor = Supervisor(Setup("random"))
    >>> supervisor.answer("(info)"), supervisor.answer("(play unknown-match nil)")
    ('((name random)(status available))', 'busy')
    >>> supervisor.close()
    """

    def __init__(self, setup: Setup, limits: Limits = Limits(), seed: int = 0) -> None:  # noqa: B008
        """Load the player.

        Raises:
            GdlError: it cannot be loaded.
        """
        self.limits = limits
        self.nursery = make_nursery(setup)
        self.seed = seed * 1_000_003
        self.seeds = itertools.count(self.seed)
        self.matches: dict[str, _Match] = {}
        self.previews = 0
        """PREVIEW messages that are being answered; each counts as a match."""
        self.workers: set[Worker] = set()
        self.learner: Worker | None = None
        """The worker of a player that learns."""
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self.watch = threading.Thread(target=self._watch, name="ggp-watch", daemon=True)
        self.watch.start()

    def answer(self, text: str) -> str:
        """The reply to a message.

        Raises:
            ProtocolError: the text is not a message.
        """
        message = parse_envelope(text)
        if message.kind in ("info", "ping"):
            return f"((name {self.nursery.ready.name})(status {'available' if self._has_room() else BUSY}))"
        if message.kind == "preview":
            return self._preview(message, text)
        match = self._find(message, text)
        if match is None:
            return BUSY
        try:
            if message.kind == "start":
                return self._start(message, match, text)
            if message.kind == "abort":
                self._drop(match, politely=False)
                return ABORTED
            return self._stop(match, text) if message.kind == "stop" else self._play(match, text)
        finally:
            with self.lock:
                match.waiting -= 1
                match.heard = time.monotonic()

    def close(self) -> None:
        """End all matches and processes; a player that learns is given time to save."""
        self.closing.set()
        self.watch.join()
        with self.lock:
            workers, self.workers = list(self.workers), set()
            self.matches.clear()
        for worker in workers:
            if worker is self.learner:
                worker.leave()
        for worker in workers:
            worker.end()
        self.nursery.close()

    # Places and workers

    def _has_room(self) -> bool:
        with self.lock:
            return len(self.matches) + self.previews < self.limits.matches

    def _find(self, message: Message, text: str) -> _Match | None:
        """The match of a message, entered as one in which something is waiting; None if there is none."""
        with self.lock:
            match = self.matches.get(message.match)
            if match is None and message.kind == "start" and self._has_room():
                seed = next(self.seeds)
                try:
                    worker = self._hire(seed)
                except WorkerGone:
                    return None
                match = _Match(message.match, worker, text, message.start_clock, message.play_clock, seed)
                self.matches[message.match] = match
            if match is None or match.waiting >= MOST_WAITING:
                return None
            match.waiting += 1
            match.heard = time.monotonic()
            return match

    def _hire(self, seed: int) -> Worker:
        """A worker: a new one, or that of the player that learns."""
        with self.lock:
            if self.learner is not None and self.learner.is_alive:
                return self.learner
            worker = self.nursery.hire()
            self.workers.add(worker)
            learns = self.nursery.ready.learns
            worker.begin(self.seed if learns else seed, after_crash=self.learner is not None)
            if learns:
                self.learner = worker
            return worker

    def _dismiss(self, worker: Worker, politely: bool) -> None:
        """End a worker, unless it has other matches."""
        if worker is self.learner:
            return
        if politely:
            worker.leave()
        else:
            worker.kill()

    def _drop(self, match: _Match, politely: bool) -> None:
        """Forget a match and end its worker."""
        with self.lock:
            if self.matches.get(match.name) is match:
                del self.matches[match.name]
        if match.worker is self.learner:
            match.worker.ask(f"(ABORT {match.name})", time.monotonic() + GRACE)
        self._dismiss(match.worker, politely)

    def _watch(self) -> None:
        """End workers that are late, and matches that are silent."""
        while not self.closing.wait(TICK):
            with self.lock:
                workers = list(self.workers)
                silent = [match for match in self.matches.values() if match.is_silent]
                self.workers = {worker for worker in workers if worker.is_alive}
            for worker in workers:
                if worker.is_late:
                    worker.kill()
            for match in silent:
                self._drop(match, politely=False)

    # Beginning

    def _limit(self, clock: float, least: float = 0.0) -> float:
        """When a worker with some seconds on its clock is killed."""
        return time.monotonic() + min(max(clock, least), self.limits.seconds) + GRACE

    def _preview(self, message: Message, text: str) -> str:
        with self.lock:
            if not self._has_room():
                return BUSY
            self.previews += 1
        try:
            worker = self._hire(self.seed)
            limit = self._limit(message.start_clock, LEAST_START)
            try:
                return _text_of(worker.ask(text, limit, self.limits.seconds).wait(limit + GRACE)) or BUSY
            finally:
                self._dismiss(worker, politely=False)
        except WorkerGone:
            return BUSY
        finally:
            with self.lock:
                self.previews -= 1

    def _start(self, message: Message, match: _Match, text: str) -> str:
        """Begin a match, or begin it anew; one that cannot be played is forgotten."""
        limit, answer = self._limit(message.start_clock, LEAST_START), None
        try:
            for _ in range(MOST_RESTARTS):  # a worker may have been killed for no fault of the match
                try:
                    if not match.worker.is_alive:
                        match.worker = self._hire(match.seed)
                    answer = _text_of(match.worker.ask(text, limit, self.limits.seconds).wait(limit + GRACE))
                    break
                except WorkerGone:
                    if time.monotonic() >= limit or self.matches.get(match.name) is not match:
                        break
        finally:
            if answer == READY:
                match.start, match.turns, match.size, match.is_ready = text, [], len(text), True
                match.start_clock = min(message.start_clock, self.limits.seconds)
                match.play_clock = min(message.play_clock, self.limits.seconds)
            elif answer is None or (not match.is_ready and match.waiting == 1):
                self._drop(match, politely=False)
        return answer or BUSY

    # Playing

    def _play(self, match: _Match, text: str) -> str:
        """The move of the worker; that which it offered if it fails; busy if it did not come so far."""
        begun, clock = time.monotonic(), match.play_clock
        reply_until = begun + clock * (1 - RESERVE)
        limit = begun + clock + min(GRACE, max(LEAST_GRACE, GRACE_SHARE * clock))
        answer = ""
        while not answer:
            question = None
            try:
                worker = self._take_up(match, limit)
                question = worker.ask(text, limit, max(0.0, begun + clock - time.monotonic()))
                answer = _text_of(question.wait(reply_until)) or ""
                if not answer and question.offered:
                    answer, match.late = question.offered, question
                answer = answer or _text_of(question.wait(limit + GRACE)) or BUSY
            except WorkerGone:
                late = question is None or time.monotonic() >= reply_until
                answer = (question.offered if question is not None else "") or (BUSY if late else "")
        if answer != BUSY:
            match.note(text, answer)
        return answer

    def _take_up(self, match: _Match, limit: float) -> Worker:
        """The worker of a match; a new one that has taken up the match, if the old one is gone.

        Raises:
            WorkerGone: the match cannot be taken up.
        """
        with match.reviving:
            if match.late is not None:
                with suppress(WorkerGone):
                    match.late.wait(match.late.deadline + GRACE)
                match.late = None
            while not match.worker.is_alive:
                match.restarts += 1
                too_often = match.restarts > MOST_RESTARTS or time.monotonic() >= limit
                if not match.is_ready or too_often or match.size > MOST_HISTORY:
                    self._drop(match, politely=False)
                    raise WorkerGone
                worker = match.worker = self._hire(match.seed)
                try:
                    answer = _text_of(worker.resume(match.start, tuple(match.turns), limit).wait(limit + GRACE))
                except WorkerGone:  # the new one was killed as well, maybe for no fault of the match
                    continue
                if answer != "":
                    self._drop(match, politely=False)
                    raise WorkerGone
            return match.worker

    def _stop(self, match: _Match, text: str) -> str:
        """The match is over; its worker may still learn from it."""
        limit = time.monotonic() + match.play_clock + GRACE
        try:
            answer = _text_of(self._take_up(match, limit).ask(text, limit).wait(limit + GRACE)) or DONE
        except WorkerGone:
            answer = DONE
        if match.is_ready:
            self._drop(match, politely=True)
        return answer


def _text_of(answer: object) -> str | None:
    """The text of an answer; None if there is none.

    Raises:
        ProtocolError: the worker says that it was no message.
    """
    if isinstance(answer, Refusal):
        raise ProtocolError(answer.reason)
    return answer.text if isinstance(answer, Answer) else None
