"""Workers for the server: processes that can be asked, and killed.

On Linux one process loads the player and forks a worker whenever one is wanted (`ForkNursery`): that takes a few
milliseconds, and workers share the memory of what is loaded. Elsewhere every worker is a new process, and one is kept
ready in advance (`SpawnNursery`).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import BinaryIO, cast

import msgspec

from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.protocol import frames
from heartlab.ggp.protocol.worker import BURY, FORK, LEAVE_SECONDS, PID

LOAD_SECONDS = 600.0
"""Seconds within which a new process has to be ready: it may have to compile."""
FORK_SECONDS = 60.0
QUIET = {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Environment of workers: address space that is only reserved would count against their limit."""


class WorkerGone(Exception):
    """The worker ended before it answered."""


class Question:
    """A question to a worker: its answer, or that there will be none, and a move offered before it."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        """When the worker is ended if it has not answered, by the monotonic clock."""
        self.offered = ""
        self._answer: frames.Reply | None = None
        self._done = threading.Event()

    def settle(self, answer: frames.Reply | None) -> None:
        """The answer has come; None if the worker is gone."""
        self._answer = answer
        self._done.set()

    @property
    def is_late(self) -> bool:
        """Whether the worker should be ended."""
        return not self._done.is_set() and time.monotonic() > self.deadline

    def wait(self, until: float) -> frames.Reply | None:
        """The answer, if it comes until some time of the monotonic clock; else None.

        Raises:
            WorkerGone: the worker ended.
        """
        if not self._done.wait(max(0.0, until - time.monotonic())):
            return None
        if self._answer is None:
            raise WorkerGone
        return self._answer


class Worker:
    """A process that plays, seen from the server. A thread reads what it says."""

    def __init__(self, channel: frames.Channel, kill: Callable[[], None], bury: Callable[[], None], pid: int) -> None:
        self.pid = pid
        self._channel, self._kill, self._bury = channel, kill, bury
        self._numbers = itertools.count()
        self._asked: dict[int, Question] = {}
        self._lock = threading.Lock()
        self.is_alive = True
        self.leaves_until = float("inf")
        self._listener = threading.Thread(target=self._listen, name="ggp-worker", daemon=True)
        self._listener.start()

    def begin(self, seed: int, after_crash: bool = False) -> None:
        """Tell it the seed of its matches."""
        self._write(frames.Begin(seed, after_crash))

    def ask(self, text: str, deadline: float, seconds: float | None = None) -> Question:
        """Ask for the answer to a message of the manager."""
        question, number = self._new_question(deadline)
        self._write(frames.Ask(number, text, seconds))
        return question

    def resume(self, start: str, turns: tuple[tuple[str, str], ...], deadline: float) -> Question:
        """Ask it to take up a match."""
        question, number = self._new_question(deadline)
        self._write(frames.Resume(number, start, turns))
        return question

    def leave(self) -> None:
        """Ask it to exit; it is killed if it does not."""
        self.leaves_until = time.monotonic() + LEAVE_SECONDS
        self._write(frames.Leave())

    def end(self) -> None:
        """Wait until it has left, if it was asked to; then end it."""
        if self.leaves_until < float("inf"):
            self._listener.join(max(0.0, self.leaves_until - time.monotonic()))
        self.kill()
        self._listener.join()

    @property
    def is_late(self) -> bool:
        """Whether it has not answered, or not left, in time."""
        with self._lock:
            return time.monotonic() > self.leaves_until or any(one.is_late for one in self._asked.values())

    def kill(self) -> None:
        """End it now."""
        with self._lock:
            if self.is_alive:
                self._kill()

    def _new_question(self, deadline: float) -> tuple[Question, int]:
        question = Question(deadline)
        with self._lock:
            number = next(self._numbers)
            if self.is_alive:
                self._asked[number] = question
            else:
                question.settle(None)
        return question, number

    def _write(self, frame: frames.ToWorker) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._channel.write(frame)

    def _listen(self) -> None:
        """Read its frames until it ends, and settle the questions that they answer."""
        while (frame := self._channel.read_answer()) is not None:
            if isinstance(frame, frames.Ready | frames.Unable):
                continue
            with self._lock:
                asked = self._asked.get(frame.number)
                if not isinstance(frame, frames.Offer):
                    self._asked.pop(frame.number, None)
            if asked is not None and isinstance(frame, frames.Offer):
                asked.offered = frame.move
            elif asked is not None and not isinstance(frame, frames.Offer):
                asked.settle(frame)
        with self._lock:
            self._kill()
            self.is_alive = False
            waiting = list(self._asked.values())
            self._asked.clear()
        self._channel.close()
        self._bury()
        for question in waiting:
            question.settle(None)


class Nursery(ABC):
    """Where workers come from."""

    ready: frames.Ready

    def __init__(self, setup: frames.Setup) -> None:
        """Load the player.

        Raises:
            GdlError: it cannot be loaded.
        """
        self.setup = setup

    @abstractmethod
    def hire(self) -> Worker:
        """A worker.

        Raises:
            WorkerGone: none could be started.
        """

    @abstractmethod
    def close(self) -> None:
        """Start no more workers; those that run go on."""

    def _command(self, *more: str) -> list[str]:
        return [sys.executable, "-m", "heartlab.ggp.protocol.worker", msgspec.json.encode(self.setup).decode(), *more]


def _wait_until_ready(channel: frames.Channel, kill: Callable[[], None]) -> frames.Ready:
    """The first frame of a new process.

    Raises:
        GdlError: it cannot load its player, or ended.
    """
    timer = threading.Timer(LOAD_SECONDS, kill)
    timer.daemon = True
    timer.start()
    try:
        frame = channel.read_answer()
    finally:
        timer.cancel()
    if isinstance(frame, frames.Ready):
        return frame
    kill()
    raise GdlError(
        frame.reason if isinstance(frame, frames.Unable) else "the process that should play ended before it began"
    )


class ForkNursery(Nursery):
    """A process that has loaded the player, and forks workers. If it is gone, a new one is started."""

    def __init__(self, setup: frames.Setup) -> None:
        super().__init__(setup)
        self._lock = threading.Lock()
        self._start()

    def _start(self) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                self._command(str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=os.environ | QUIET,
            )
        channel = frames.Channel(self._control.makefile("rb"), self._control.makefile("wb"))
        try:
            self.ready = _wait_until_ready(channel, self._process.kill)
        except BaseException:  # Ctrl-C, too, leaves no process
            self._end()
            raise
        finally:
            channel.close()

    def hire(self) -> Worker:
        with self._lock:
            try:
                return self._fork()
            except OSError:
                self._end()
            try:
                self._start()
                return self._fork()
            except (GdlError, OSError) as error:
                raise WorkerGone from error

    def _fork(self) -> Worker:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._control.settimeout(FORK_SECONDS)
                socket.send_fds(self._control, [FORK + bytes(PID)], [theirs.fileno()])
                answer = self._control.recv(PID, socket.MSG_WAITALL)
            if len(answer) < PID:
                raise OSError("the nursery is gone")
        except OSError:
            ours.close()
            raise
        pid = int.from_bytes(answer, "big")
        channel = frames.Channel(ours.makefile("rb"), ours.makefile("wb"))
        ours.close()
        return Worker(channel, lambda: _kill_group(pid), lambda: self._bury(pid), pid)

    def _bury(self, pid: int) -> None:
        with self._lock, contextlib.suppress(OSError):
            self._control.sendall(BURY + pid.to_bytes(PID, "big"))

    def _end(self) -> None:
        self._control.close()
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        with self._lock:
            self._end()


class SpawnNursery(Nursery):
    """Starts a process for every worker, one in advance."""

    def __init__(self, setup: frames.Setup) -> None:
        super().__init__(setup)
        self._lock = threading.Lock()
        self._is_closed = False
        self._spare: tuple[frames.Channel, subprocess.Popen[bytes]] | None = self._start()
        try:
            self.ready = _wait_until_ready(self._spare[0], self._spare[1].kill)
        except BaseException:  # Ctrl-C, too, leaves no process
            self.close()
            raise

    def _start(self) -> tuple[frames.Channel, subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            self._command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env=os.environ | QUIET,
        )
        return frames.Channel(cast(BinaryIO, process.stdout), cast(BinaryIO, process.stdin)), process

    def hire(self) -> Worker:
        with self._lock:
            if self._is_closed:
                raise WorkerGone
            (channel, process), self._spare = self._spare or self._start(), self._start()
        return Worker(channel, lambda: _kill_process(process), lambda: _forget(process), process.pid)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            spare, self._spare = self._spare, None
        if spare is not None:
            spare[0].close()
            _kill_process(spare[1])
            _forget(spare[1])


def _kill_group(leader: int) -> None:
    """Kill a worker and the processes that it started; its process id is not used again before it is reaped."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(leader, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg") and process.poll() is None:
        _kill_group(process.pid)
    else:
        process.kill()


def _forget(process: subprocess.Popen[bytes]) -> None:
    process.wait()


def make_nursery(setup: frames.Setup) -> Nursery:
    """The nursery for this system.

    Raises:
        GdlError: the player cannot be loaded.
    """
    return ForkNursery(setup) if sys.platform == "linux" else SpawnNursery(setup)
