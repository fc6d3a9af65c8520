"""`exec:COMMAND`: a program that speaks UHI as a player.

Our players keep nothing between choices and answer for many deals side by side; a bot plays one deal at a time. So a
few processes serve all deals: a question goes to a process whose dialogue it continues; if there is none, a process
gets the whole dialogue, from `newgame` to the question. The same question always has the same dialogue.

A fault forfeits the choice. After a crash, a timeout, a flood or a malformed answer the process is killed and restarted
once for the rest of that deal; after a second such fault the bot forfeits all its choices in that deal. A process that
ends between two deals is replaced without a fault. Faults are stored by the dialogue that led to them, so the order of
the questions does not matter. A program that has never given a valid answer is not started again after HOPELESS faults.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sys
import threading
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from heartlab.cards import Card, CardSet
from heartlab.observation import Observation
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.registry import PlayerError, register
from heartlab.uhi.lines import dialogue, enddeal_line, question, why_refused
from heartlab.uhi.process import LEAVE, MEMORY, BotProcess, Fault, Log, end_strays

MOVETIME = 5000
"""Default milliseconds for a choice."""
START = 60.0
"""Default seconds from `uhi` to `uhiok`."""
MAX_RESTARTS = 1
"""Restarts within a deal."""
HOPELESS = 3
"""Faults after which a program that has never given a valid answer is abandoned."""
MIN_MEMORY, MAX_MEMORY = 16, 1 << 24
"""Megabytes between which the limit of a process may be set."""
DEALS_REMEMBERED = 10_000
"""The number of deals whose faults are remembered."""

Lines = tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """How a program is run.

    >>> settings = parse_settings("movetime=500,option.depth=7:sh bot.sh")
    >>> settings.command, settings.movetime, settings.options
    (('sh', 'bot.sh'), 500, {'depth': '7'})
    """

    command: tuple[str, ...]
    movetime: int = MOVETIME
    """Milliseconds for a choice."""
    start: float = START
    """Seconds from `uhi` to `uhiok`."""
    processes: int = os.cpu_count() or 1
    """Upper limit of processes."""
    log: str = ""
    """A file to which all lines sent and received are appended."""
    memory: int = MEMORY
    """Megabytes of data that each process may have; 0 for any number."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options to set with `setoption`."""


_OPTIONS = re.compile(r"(?:(?:movetime|start|processes|memory|log|option\.[^=,:\s]+)=[^,:\s]*,?)+(?=:)")


def parse_settings(text: str) -> Settings:
    """Parse `COMMAND`, or `key=value,key=value:COMMAND`.

    :raises PlayerError: if there is no such program, or a value is invalid.
    """
    if not hasattr(os, "waitid"):
        raise PlayerError("exec: needs Linux, or macOS with Python 3.13 or later")
    found = _OPTIONS.match(text)
    values: dict[str, str] = {}
    if found:
        values = dict(part.split("=", 1) for part in found.group().split(",") if part)
        text = text[found.end() + 1 :]
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise PlayerError(f"exec: the command {text!r} cannot be split into words: {error}") from None
    if not command:
        raise PlayerError("exec: needs a command, as in exec:./mybot or exec:movetime=500:./mybot --fast")
    if shutil.which(command[0]) is None:
        hint = "; options are movetime, start, processes, log, option.NAME, memory" if "=" in command[0] else ""
        raise PlayerError(f"exec: there is no executable program {command[0]!r}{hint}")
    options = {key.removeprefix("option."): value for key, value in values.items() if key.startswith("option.")}
    try:
        movetime, start = int(values.get("movetime", MOVETIME)), float(values.get("start", START))
        processes, memory = int(values.get("processes", os.cpu_count() or 1)), int(values.get("memory", MEMORY))
    except ValueError as error:
        raise PlayerError(f"exec: movetime, start, processes and memory must be numbers: {error}") from None
    if not (0 < movetime <= 86_400_000 and 0 < start <= 86_400 and 0 < processes <= 1024):
        raise PlayerError(
            "exec: movetime (ms) and start (s) must be above zero and at most a day, processes from 1 to 1024"
        )
    if not (memory == 0 or MIN_MEMORY <= memory <= MAX_MEMORY):
        raise PlayerError(f"exec: memory is a number of megabytes from {MIN_MEMORY} to {MAX_MEMORY}, or 0 for no limit")
    return Settings(command, movetime, start, processes, values.get("log", ""), memory, options)


def missing_lines(bot: BotProcess, lines: Sequence[str], options: Mapping[str, str]) -> Sequence[str]:
    """The lines that a process has not received yet; before a new dialogue the option `seed` is set, if the bot has it.

    :param options: those set by the user: a seed among them is not overwritten.
    """
    known = len(bot.sent)
    if known and bot.sent == list(lines[:known]):
        return lines[known:]
    bot.sent = []
    if "seed" in bot.options and "seed" not in options:
        digest = hashlib.blake2b("\n".join(lines[:2]).encode(), digest_size=4).digest()
        bot.set_options({"seed": str(int.from_bytes(digest, "little") >> 1)})
    return lines


class Pool:
    """The processes of a program; each answers one question at a time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._idle: list[BotProcess] = []
        self._busy: set[BotProcess] = set()
        self._starting = 0
        self._warned = False
        self.closed = False
        self._changed = threading.Condition()
        self._log: Log | None = None
        if settings.log and (Path(settings.log).is_dir() or not Path(settings.log).parent.is_dir()):
            raise PlayerError(
                f"exec: cannot write the log {settings.log}: it is a folder, or its folder does not exist"
            )

    @contextmanager
    def lease(self, lines: Sequence[str]) -> Iterator[tuple[BotProcess, Sequence[str], bool]]:
        """A process, the lines that it still has to receive so that its dialogue is `lines`, and whether it has rested.

        It rests from the end of a deal until it hears of another one. An error in the `with` block closes the process.

        :raises Fault: if a new process does not start.
        """
        bot = self._take(lines)
        good = False
        try:
            rested = not bot.sent and not bot.is_fresh
            yield bot, missing_lines(bot, lines, self.settings.options), rested
            good = True
        finally:
            with self._changed:
                self._busy.remove(bot)
                good = good and not self.closed
                if good:
                    self._idle.append(bot)
                self._settle()
            if not good:
                bot.close(leave=0.0)
                if self.closed:
                    end_strays()

    def _take(self, lines: Sequence[str]) -> BotProcess:
        """A process that may have ended meanwhile: whether that is noticed here or by the question must not matter."""
        with self._changed:
            while True:
                fitting = [bot for bot in self._idle if bot.sent == list(lines[: len(bot.sent)])]
                full = len(self._idle) + len(self._busy) + self._starting >= self.settings.processes
                if fitting or (full and self._idle):
                    bot = max(fitting, key=lambda bot: len(bot.sent)) if fitting else self._idle[0]
                    self._idle.remove(bot)
                    self._busy.add(bot)
                    return bot
                if self.closed:
                    raise Fault("closed", "the player was closed")
                if not full:
                    break
                self._changed.wait()
            self._starting += 1
        try:
            bot = self._start()
        except BaseException:
            with self._changed:
                self._starting -= 1
                self._settle()
            raise
        with self._changed:
            self._starting -= 1
            if not self.closed:
                self._busy.add(bot)
                return bot
            self._settle()
        bot.close(leave=0.0)
        raise Fault("closed", "the player was closed")

    def _open_log(self) -> Log | None:
        """The log of all processes, opened with the first of them: a refused command creates no file."""
        with self._changed:
            if self.settings.log and self._log is None:
                self._log = Log(self.settings.log)
            return self._log

    def _start(self) -> BotProcess:
        bot = BotProcess(self.settings.command, self._open_log(), memory=self.settings.memory)
        try:
            bot.handshake(self.settings.start)
        except BaseException:
            bot.close(leave=0.0)
            raise
        bot.set_options({name: value for name, value in self.settings.options.items() if name in bot.options})
        unknown = [name for name in self.settings.options if name not in bot.options]
        with self._changed:
            warn, self._warned = bool(unknown) and not self._warned, True
        if warn:
            known = ", ".join(bot.options) or "none"
            print(f"heartlab: {self.settings.command[0]} has no option {', '.join(unknown)}: not set; "
                  f"its options: {known}", file=sys.stderr)  # fmt: skip
        return bot

    def _settle(self) -> None:
        """After a change of the processes: wake a waiting thread, and close the log after the last process."""
        self._changed.notify()
        if self._log is not None and self.closed and not self._busy and not self._starting:
            self._log.close()
            self._log = None

    def close(self) -> None:
        """End all processes, busy ones at once; threads that wait for an answer or a process get a fault."""
        with self._changed:
            self.closed = True
            idle = list(self._idle)
            self._idle.clear()
            for bot in self._busy:
                bot.kill()
            for bot in idle:
                bot.tell(["quit"])
            self._changed.notify_all()
            self._settle()
        for bot in idle:
            bot.hang_up(LEAVE)
        end_strays()


class Faults:
    """The faults of each deal, stored by the dialogue that led to them."""

    def __init__(self) -> None:
        self._by_deal: OrderedDict[Lines, set[Lines]] = OrderedDict()
        self._lock = threading.Lock()
        self.count = 0

    def note(self, lines: Lines) -> None:
        """Store a fault at the question after these lines."""
        with self._lock:
            self.count += 1
            self._by_deal.setdefault(lines[:2], set()).add(lines)
            while len(self._by_deal) > DEALS_REMEMBERED:
                self._by_deal.popitem(last=False)

    def before(self, lines: Lines) -> int:
        """The number of faults at earlier questions of the same deal."""
        with self._lock:
            found = self._by_deal.get(lines[:2], ())
            return sum(len(fault) < len(lines) and lines[: len(fault)] == fault for fault in found)


class ExecPlayer(Player):
    """A program that speaks UHI as a player.

    >>> from heartlab import Deal
    >>> bot = "while read word rest; do case $word in uhi) echo uhiok;; 'card?') echo card 2C;; esac; done"
    >>> player = make_exec(f"sh -c '{bot.replace(chr(39), chr(34))}'")
    >>> deal = Deal("seed", seed=1)
    >>> player.play(deal.observe(deal.to_move)), dict(player.faults)
    (0, {})
    >>> player.close()
    """

    tells_faults = True

    def __init__(self, settings: Settings, name: str = "exec") -> None:
        super().__init__(name)
        self.settings = settings
        self.faults: dict[str, int] = defaultdict(int)
        """Forfeited choices by kind of fault: start, crash, clock, flood, nonsense, illegal, out (no process left)."""
        self._pool = Pool(settings)
        self._history = Faults()
        self._good = False
        self._counting = threading.Lock()
        self._finish = weakref.finalize(self, self._pool.close)

    def close(self) -> None:
        """End the processes; every later choice is forfeited. Deleting the player ends them, too."""
        self._finish()

    def named_files(self) -> list[Path]:
        """The program, and files among its arguments, such as a script."""
        words = [shutil.which(self.settings.command[0]) or "", *self.settings.command[1:]]
        return [Path(word) for word in words if word and Path(word).is_file()]

    # --- one observation ---

    def play(self, obs: Observation) -> Card:
        """The bot's card, or a random legal one if the choice is forfeited."""
        chosen = self.answer(obs) or CardSet([obs.rng.choice(sorted(obs.legal))])
        return next(iter(chosen))

    def pass_cards(self, obs: Observation) -> Iterable[Card]:
        """The cards that the bot passes, or random ones if the choice is forfeited."""
        return self.answer(obs) or obs.rng.sample(sorted(obs.may_pass), obs.pass_count)

    def answer(self, obs: Observation) -> CardSet | None:
        """The bot's choice; None if it is forfeited, which is counted in `faults`."""
        lines = tuple(dialogue(obs))
        hopeless = self._history.count >= HOPELESS and not self._good
        if self._pool.closed or hopeless or self._history.before(lines) > MAX_RESTARTS:
            with self._counting:
                self.faults["out"] += 1
            return None
        try:
            chosen = self._ask(lines, obs)
        except Fault as fault:
            if not self._pool.closed:
                self._history.note(lines)
                self._report(fault.kind, str(fault), obs)
            return None
        self._good = True
        refusal = why_refused(chosen, obs)
        if refusal:
            self._report("illegal", refusal, obs)
            return None
        return chosen

    def _ask(self, lines: Lines, obs: Observation) -> CardSet:
        """Ask a process; one that has ended between two deals is replaced, which is no fault in the second one.

        :raises Fault: if there is no proper answer.
        """
        movetime = self.settings.movetime
        while True:
            rested = False
            try:
                with self._pool.lease(lines) as (bot, missing, rested):
                    return bot.ask(missing, question(obs, movetime), obs, movetime)
            except Fault as fault:
                if fault.kind != "crash" or not rested or self._pool.closed:
                    raise

    def _report(self, kind: str, detail: str, obs: Observation) -> None:
        """Count a fault, and report the first of each kind."""
        with self._counting:
            self.faults[kind] += 1
            first = self.faults[kind] == 1
        if first:
            print(f"heartlab: {self.name}: {kind}: {detail} ({obs.where}); such choices are forfeited", file=sys.stderr)

    # --- a batch ---

    def choose_cards(self, batch: Observations) -> CardArray:
        return np.array([-1 if cards is None else min(cards) for cards in self._answers(batch)], np.int8)

    def choose_passes(self, batch: Observations) -> MaskArray:
        return np.array([0 if cards is None else cards.mask for cards in self._answers(batch)], np.uint64)

    def _answers(self, batch: Observations) -> list[CardSet | None]:
        """The answers to all rows; equal observations are asked once."""
        found: dict[bytes, CardSet | None] = {}
        answers = []
        for row in range(len(batch)):
            key = batch.records[row].tobytes()
            if key not in found:
                found[key] = self.answer(batch[row])
            answers.append(found[key])
        return answers

    def deal_over(self, batch: Observations, points: npt.NDArray[np.int64]) -> None:
        """Send `enddeal` to the bot."""
        for row in range(len(batch)):
            obs = batch[row]
            lines = tuple(dialogue(obs))
            if self._history.before(lines) > MAX_RESTARTS or not self._good:
                continue
            try:
                with self._pool.lease(lines) as (bot, missing, _):
                    bot.tell([*missing, enddeal_line([int(value) for value in points[row]], obs.scores)])
                    bot.sent, bot.is_fresh = [], False
            except Fault:
                continue


@register("exec", "any program that speaks UHI: exec:COMMAND, or exec:movetime=500,processes=2:COMMAND (docs/uhi.md)")
def make_exec(argument: str) -> ExecPlayer:
    """The player for `exec:ARGUMENT`."""
    return ExecPlayer(parse_settings(argument), f"exec:{argument}")
