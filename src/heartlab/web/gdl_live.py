"""`heartlab ggp match GAME ... --browser`: the matches of a game manager in the browser, as they are played.

The manager plays in the main thread and tells :meth:`LiveMatches.watch` of every move; the server runs in a thread of
its own. Nobody can move here. A browser follows the match that is being played, or looks at one that it has chosen.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from heartlab.ggp import Machine
from heartlab.ggp.gdl.parse import parse_term
from heartlab.ggp.machine.base import State
from heartlab.ggp.protocol.manager import MatchRecord, Watch
from heartlab.web.gate import make_gate
from heartlab.web.gdl_match import Frame, Game, Mishap, draw_frame
from heartlab.web.gdl_talk import Begin, Frames, MatchLine, Move, Offered, Show, Shown, Talk, Think, make_app
from heartlab.web.guard import LOOPBACK, Hosts
from heartlab.web.serve import bind
from heartlab.web.tokens import MAX_ORDINARY
from heartlab.web.transport import Config, Server

MOST_MATCHES, MOST_MOMENTS = 200, 10_000
"""Matches that are kept, and moments of all of them; older matches are forgotten."""
PAUSE = 0.1
"""Seconds between two reports to a browser: matches can be faster than it draws."""


@dataclass
class LiveMatch:
    """A match of the manager, as far as it has been played."""

    number: int
    players: list[str]
    states: list[State] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    mishaps: int = 0
    version: int = 0
    """How often it has changed."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended or was broken off."""
        return self.frames[-1].goals is not None

    def take(self, state: State, frame: Frame, at: int) -> None:
        """A moment: a new one, or the last one with what has become known of it since."""
        self.version, self.mishaps = self.version + 1, self.mishaps + len(frame.mishaps)
        if at < len(self.frames):
            frame.mishaps = [*self.frames[at].mishaps, *frame.mishaps]
        self.states[at:], self.frames[at:] = [state], [frame]

    def line(self) -> MatchLine:
        """The match in the list."""
        moves, goals = len(self.frames) - 1, self.frames[-1].goals
        return MatchLine(self.number, None, "", moves, goals, self.players, self.mishaps)


@dataclass
class View:
    """What one browser looks at, and what it has been sent of that."""

    chosen: int | None = None
    """The number of a match; None follows the one that is being played."""
    number: int = -1
    moments: int = 0
    version: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None


class LiveMatches(Shown):
    """The matches of a manager. Except for `watch`, everything happens in the event loop of the server."""

    def __init__(self, machine: Machine, total: int, announce: Callable[[], None] = lambda: None) -> None:
        super().__init__(Game.of(machine), None)
        self.total, self.played = total, 0
        self.matches: dict[int, LiveMatch] = {}
        self._views: dict[Talk, View] = {}
        self._announce = announce
        self._loop: asyncio.AbstractEventLoop | None = None
        self._record: MatchRecord | None = None
        self._number, self._noted = -1, 0

    def attach(self) -> None:
        self._loop = asyncio.get_running_loop()

    # --- what the manager tells, in its own thread ---

    def watch(self, record: MatchRecord, state: State) -> None:
        """Take note of a match that has begun, gone on or ended: see `Watch`."""
        if record is not self._record:
            self._record, self._number, self._noted = record, self._number + 1, 0
            if self._number == 0:
                self._announce()
        at = len(record.moves)
        joint = [parse_term(move, "record") for move in record.moves[-1]] if at else []
        frame = draw_frame(self.game.machine.facts(state), joint, self.game.shapes)
        frame.goals = list(record.goals) or None
        new, self._noted = record.troubles[self._noted :], len(record.troubles)
        frame.mishaps = [Mishap(one.player, one.kind, one.message, one.player >= 0 and one.turn < at) for one in new]
        assert self._loop is not None, "the server starts before the matches"
        with contextlib.suppress(RuntimeError):  # a server that has ended does not end the matches
            self._loop.call_soon_threadsafe(self._take, self._number, record.players, state, frame, at)

    # --- in the event loop ---

    def _take(self, number: int, players: list[str], state: State, frame: Frame, at: int) -> None:
        if number not in self.matches:
            kept = sum(len(match.frames) for match in self.matches.values())
            while self.matches and (len(self.matches) >= MOST_MATCHES or kept > MOST_MOMENTS):
                kept -= len(self.matches.pop(min(self.matches)).frames)
            self.matches[number] = LiveMatch(number, players)
        match = self.matches[number]
        match.take(state, frame, at)
        self.played += match.is_over
        for view in self._views.values():
            view.changed.set()

    def _find(self, number: int) -> LiveMatch:
        """A match by its number.

        :raises ValueError: if there is none.
        """
        if number not in self.matches:
            raise ValueError(f"there is no match {number + 1}, or it is no longer kept")
        return self.matches[number]

    async def begin(self, guest: Talk, message: Begin) -> None:
        raise ValueError("the manager begins these matches; here they are only shown")

    async def move(self, guest: Talk, message: Move) -> None:
        raise ValueError("the players of the manager make the moves; here they are only shown")

    async def show(self, guest: Talk, message: Show) -> None:
        if message.match is not None:
            self._find(message.match)
        view = self._views.setdefault(guest, View())
        view.chosen, view.number = message.match, -1
        view.changed.set()
        if view.task is None:
            view.task = asyncio.create_task(self._report(guest, view))

    async def think(self, guest: Talk, message: Think) -> None:
        if self.played < self.total:
            raise ValueError("the tree answers when all matches are over: now it would take time from the players")
        await self.opinion(guest, message, self._find(message.match).states, None)

    def leave(self, guest: Talk) -> None:
        view = self._views.pop(guest, None)
        if view is not None and view.task is not None:
            view.task.cancel()

    async def _report(self, guest: Talk, view: View) -> None:
        """Send a browser what has changed, until it leaves."""
        while True:
            await view.changed.wait()
            view.changed.clear()
            await guest.send(self.offered())
            match = self._looked_at(view)
            if match is not None and (match.number, match.version) != (view.number, view.version):
                first = max(0, view.moments - 1) if match.number == view.number else 0
                view.number, view.moments, view.version = match.number, len(match.frames), match.version
                await guest.send(Frames(match.number, first, None, match.frames[first:]))
            await asyncio.sleep(PAUSE)

    def _looked_at(self, view: View) -> LiveMatch | None:
        """The match for a browser. One that follows sees the end of a match until the next has its first move."""
        if view.chosen is not None or not self.matches:
            return self.matches.get(-1 if view.chosen is None else view.chosen)
        newest = self.matches[max(self.matches)]
        has_moved = len(newest.frames) > 1 or newest.is_over
        return newest if has_moved else self.matches.get(view.number, newest)

    def offered(self) -> Offered:
        """The game and its matches."""
        lines = [match.line() for match in reversed(self.matches.values())]
        machine = self.game.machine
        return Offered(machine.name, self.game.roles, machine.kind, {}, "", lines, self.total, self.played)


@contextlib.contextmanager
def showing_matches(machine: Machine, total: int, port: int, *, browser: bool) -> Iterator[Watch]:
    """Serve a page that shows a number of matches while the block plays them, and then until Ctrl-C.

    Yields what the manager has to tell. The address is printed when the first match begins.

    :raises ValueError: if the port is in use, or the game cannot be shown.
    """

    def announce() -> None:
        print(f"{machine.name}: the matches are shown at {address}", file=sys.stderr, flush=True)
        if browser:
            threading.Timer(0.5, lambda: webbrowser.open(address)).start()

    live = LiveMatches(machine.fork(), total, announce)
    gate = make_gate()
    with contextlib.closing(bind("127.0.0.1", port)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/#{live.key}"
        server = Server(Config(make_app(live, Hosts(frozenset(LOOPBACK)), gate), gate, 2 * MAX_ORDINARY))
        thread = threading.Thread(target=server.run, args=([listener],), name="gdl-live", daemon=True)
        thread.start()
        try:
            while not server.started and thread.is_alive():
                thread.join(0.01)
            yield live.watch
            print("All matches are over; the page is served until Ctrl+C.", file=sys.stderr, flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                while thread.is_alive():
                    thread.join(0.5)
        finally:
            server.stop()
            thread.join()
            live.threads.shutdown(wait=False, cancel_futures=True)
