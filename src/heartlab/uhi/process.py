"""A bot's process: it runs in a process group of its own, answers under a time limit, and never outlives us.

Every error of a bot is a `Fault` of a kind: `start`, `crash`, `clock`, `flood` or `nonsense`. The caller then closes
the process, which also ends its children (see :mod:`heartlab.uhi.strays`). A guard, a small shell process, kills what
is left when our process ends without closing it, for instance because it was killed. On Linux memory is limited.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TypeVar

if sys.platform != "win32":
    import resource

from heartlab.cards import CardSet
from heartlab.observation import Observation
from heartlab.uhi.lines import VERSION, LineError, read_answer, shorten
from heartlab.uhi.strays import Strays

MAX_OUTPUT = 1 << 16
"""Bytes that a bot may write for one answer; more is a `flood`."""
GRACE = 0.1
"""Seconds that an answer may be late, to allow for the pipes."""
FIRST_WORD = 10.0
"""Seconds within which a bot must write its first line."""
LEAVE = 0.5
"""Seconds that a bot has to exit after `quit`."""
MEMORY = 4096
"""Megabytes of data that a bot's process may have, unless told otherwise."""

Found = TypeVar("Found")


class Fault(Exception):
    """What a bot did wrong.

    >>> str(Fault("clock", "no answer in time"))
    'no answer in time'
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


_strays = Strays()


class Guard:
    """A shell that waits for the end of our process and then kills the process groups that are left."""

    SCRIPT = """
    trap '' INT TERM HUP
    groups=
    while read -r verb group; do
        case $verb in
            add) groups="$groups $group" ;;
            drop) rest=; for other in $groups; do [ "$other" = "$group" ] || rest="$rest $other"; done; groups=$rest ;;
        esac
    done
    for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
    for round in 1 2 3 4 5; do
        for file in $(grep -lsF -e "$1." /proc/[0-9]*/environ); do
            pid=${file#/proc/}
            kill -s KILL "${pid%/environ}" 2>/dev/null
        done
    done
    """
    """Its argument is the beginning of the marks of all bots."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shell: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._groups: set[int] = set()

    def tell(self, verb: str, group: int) -> None:
        """Add or drop a process group. If the shell was killed, a new one is started and gets all groups."""
        with self._lock:
            if self._owner != os.getpid():
                self._owner, self._shell = os.getpid(), None
                self._groups.clear()
            (self._groups.add if verb == "add" else self._groups.discard)(group)
            try:
                if self._shell is not None and self._shell.poll() is None:
                    self._write(self._shell, [f"{verb} {group}"])
                    return
            except BrokenPipeError:
                pass
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", self.SCRIPT, "guard", _strays.family],
                stdin=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
            with contextlib.suppress(BrokenPipeError):
                self._write(self._shell, [f"add {live}" for live in sorted(self._groups)])

    @staticmethod
    def _write(shell: subprocess.Popen[bytes], lines: Sequence[str]) -> None:
        assert shell.stdin is not None
        shell.stdin.write("".join(f"{line}\n" for line in lines).encode())


_guard = Guard()


def end_strays() -> None:
    """End what bots that were closed have left behind, without waiting for the next search."""
    _strays.search()


def limit_memory(pid: int, megabytes: int) -> None:
    """Limit the data of a process and of each of its future children, and write no core dumps, where the system can.

    Address space that is only reserved, as runtimes of some languages do, does not count. Zero means no limit.
    """
    if not hasattr(resource, "prlimit"):
        return
    limits = {resource.RLIMIT_CORE: 0, **({resource.RLIMIT_DATA: megabytes << 20} if megabytes else {})}
    for kind, value in limits.items():
        with contextlib.suppress(OSError, ValueError):  # it may have ended already
            hard = resource.prlimit(pid, kind)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.prlimit(pid, kind, (most, most))


class Log:
    """A file with all lines that are sent (`>`) and received (`<`), each after the id of the process.

    If it cannot be written any more, as on a full disk, the log ends there, and the match goes on.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: IO[str] | None = open(path, "a", encoding="utf-8")  # noqa: SIM115 - until it is closed
        self._lock = threading.Lock()

    def write(self, pid: int, mark: str, lines: Sequence[str]) -> None:
        """Append lines."""
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.writelines(f"{pid} {mark} {line}\n" for line in lines)
                self._file.flush()
            except OSError as error:
                print(f"heartlab: {self._path}: {error.strerror}; there is no log from here on", file=sys.stderr)
                self._end()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # what could not be written is tried again
                file.close()


class BotProcess:
    """One running bot.

    >>> script = "while read word rest; do case $word in uhi) echo id name demo; echo uhiok;; quit) exit;; esac; done"
    >>> bot = BotProcess(["sh", "-c", script])
    >>> bot.handshake(seconds=60)
    >>> bot.name, bot.is_running
    ('demo', True)
    >>> bot.close(leave=60)
    True
    """

    def __init__(
        self, command: Sequence[str], log: Log | None = None, *, memory: int = MEMORY, show_errors: bool = False
    ) -> None:
        """Start the process.

        :param log: where all lines are written.
        :param memory: megabytes of data that the process may have, 0 for any number.
        :param show_errors: whether the bot's standard error is shown instead of dropped.
        :raises Fault: if it cannot be started.
        """
        self.name = self.author = ""
        self.options: dict[str, str] = {}
        self.sent: list[str] = []
        """The dialogue so far, from `newgame` on."""
        self.is_fresh = True
        """Whether it has neither answered a question nor heard the end of a deal."""
        self._mark = _strays.mark()
        self._log = log
        self._unsent = b""
        self._unread = b""
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if show_errors else subprocess.DEVNULL,
                env=_strays.environment(self._mark),
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise Fault("start", f"cannot be started: {error.strerror}") from None
        limit_memory(self._process.pid, memory)
        _guard.tell("add", self._process.pid)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)

    @property
    def pid(self) -> int:
        """The id of the process and of its group."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._exit_status() is None

    def handshake(self, seconds: float) -> None:
        """Send `uhi` and wait for `uhiok`; sets name, author and options.

        :raises Fault: if `uhiok` does not come in time.
        """
        begun = time.monotonic()
        first: str | None = None
        self._queue([f"uhi {VERSION}"])
        try:
            first = self._exchange(begun + min(seconds, FIRST_WORD), lambda line: line)
            if not self._greeted(first):
                self._exchange(begun + seconds, self._greeted)
        except Fault as fault:
            if fault.kind == "clock":
                missing = "no output" if first is None else "no `uhiok`"
                raise Fault("start", f"{missing} within {time.monotonic() - begun:.1f} s of `uhi`") from None
            raise Fault("start" if fault.kind == "crash" else fault.kind, str(fault)) from None

    def _greeted(self, line: str) -> bool | None:
        """Read a line of the handshake; True if it was the last."""
        word, _, rest = line.strip().partition(" ")
        if word == "id":
            what, _, value = rest.partition(" ")
            if what in ("name", "author"):
                setattr(self, what, value.strip())
        elif word == "option":
            self._note_option(rest)
        elif word == "uhi":
            raise Fault("start", "the program echoes its input")
        return True if word == "uhiok" else None

    def _note_option(self, text: str) -> None:
        """`option name NAME type TYPE default VALUE`"""
        words = text.split()
        if len(words) >= 2 and words[0] == "name":
            default = words[words.index("default") + 1 :] if "default" in words else []
            self.options[words[1]] = " ".join(default)

    def tell(self, lines: Sequence[str]) -> None:
        """Send lines that need no answer; what the pipe does not take now is sent with the next question."""
        self._queue(lines)
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]

    def ask(self, lines: Sequence[str], question: str, obs: Observation, movetime: int) -> CardSet:
        """Send the missing lines of the dialogue and the question; the cards of the answer, legal or not.

        :raises Fault: if there is no proper answer in time.
        """
        self._check_silence()
        self._queue([*lines, question])
        self.sent.extend(lines)
        deadline = time.monotonic() + movetime / 1000.0 + GRACE

        def accept(line: str) -> CardSet | None:
            if not line.strip() or line.split(" ", 1)[0] == "info":
                return None
            try:
                return read_answer(line, obs)
            except LineError as error:
                raise Fault("nonsense", str(error)) from None

        try:
            answer = self._exchange(deadline, accept)
            self.is_fresh = False
            return answer
        except Fault as fault:
            if fault.kind == "clock":
                raise Fault("clock", f"no answer to `{question}` in time") from None
            raise

    def set_options(self, values: Mapping[str, str]) -> None:
        """Set options by name."""
        self.tell([f"setoption {name} {value}" for name, value in values.items()])

    def close(self, leave: float = LEAVE) -> bool:
        """Send `quit`, wait up to `leave` seconds, and kill the process group; whether the bot exited by itself."""
        if leave > 0 and self._process.returncode is None:
            self.tell(["quit"])
        return self.hang_up(leave)

    def kill(self) -> None:
        """Kill the process group at once. A thread that waits for an answer gets a fault and closes the process."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def hang_up(self, leave: float) -> bool:
        """Close its input, wait up to `leave` seconds, and kill the process group; whether the bot exited by itself."""
        if self._process.returncode is not None:
            return True
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        willing = self._exit_status(leave) is not None
        self.kill()
        self._process.wait()
        self._process.stdout.close()
        _guard.tell("drop", self.pid)
        _strays.closed(self._mark, at_once=leave > 0)
        return willing

    def _exit_status(self, seconds: float = 0.0) -> int | None:
        """The exit status (a signal as a negative number), or None if it still runs after so many seconds.

        The process is not reaped: as long as it is a zombie, the id of its group is not reused.
        """
        deadline = time.monotonic() + seconds
        while True:
            end = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if end is not None:
                return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status
            if time.monotonic() >= deadline:
                return None
            time.sleep(0.002)

    # --- the pipes ---

    def _queue(self, lines: Sequence[str]) -> None:
        self._unsent += "".join(f"{line}\n" for line in lines).encode()
        if self._log:
            self._log.write(self.pid, ">", lines)

    def _check_silence(self) -> None:
        """Check that the bot wrote nothing but `info` since its last answer."""
        try:
            while chunk := os.read(self._out, MAX_OUTPUT):
                self._unread += chunk
                if len(self._unread) > MAX_OUTPUT:
                    raise Fault("flood", f"more than {MAX_OUTPUT} bytes without being asked")
        except BlockingIOError:
            pass
        while (line := self._next_line()) is not None:
            if line.strip() and line.split(" ", 1)[0] != "info":
                raise Fault("nonsense", f"{shorten(line)} without being asked")

    def _next_line(self) -> str | None:
        line, newline, rest = self._unread.partition(b"\n")
        if not newline:
            return None
        self._unread = rest
        text = line.decode("utf-8", "replace").removesuffix("\r")
        if self._log:
            self._log.write(self.pid, "<", [text])
        return text

    def _exchange(self, deadline: float, accept: Callable[[str], Found | None]) -> Found:
        """Send what is queued, and read lines until one is accepted."""
        read = 0
        with selectors.DefaultSelector() as pipes:
            pipes.register(self._out, selectors.EVENT_READ)
            if self._unsent:
                pipes.register(self._in, selectors.EVENT_WRITE)
            while True:
                found = None if self._unsent else self._first_accepted(accept)
                if found is not None:
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Fault("clock", "no answer in time")
                for key, _ in pipes.select(left):
                    if key.fd == self._in:
                        self._write_some(pipes)
                    else:
                        read += self._read_some()
                if read > MAX_OUTPUT:
                    raise Fault("flood", f"more than {MAX_OUTPUT} bytes for one answer")

    def _first_accepted(self, accept: Callable[[str], Found | None]) -> Found | None:
        """What the first acceptable line of those that have arrived says; earlier lines are dropped."""
        while (line := self._next_line()) is not None:
            if (found := accept(line)) is not None:
                return found
        return None

    def _write_some(self, pipes: selectors.BaseSelector) -> None:
        try:
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            raise self._crash() from None
        if not self._unsent:
            pipes.unregister(self._in)

    def _read_some(self) -> int:
        try:
            chunk = os.read(self._out, MAX_OUTPUT)
        except BlockingIOError:
            return 0
        if not chunk:
            raise self._crash()
        self._unread += chunk
        return len(chunk)

    def _crash(self) -> Fault:
        """The fault of a process that has ended, or closed its standard input or output."""
        status = self._exit_status(0.05)
        if status is None:
            return Fault("crash", "closed its standard input or output")
        return Fault("crash", f"killed by signal {-status}" if status < 0 else f"exited with status {status}")
