"""Tables of friends: who sits down, who is replaced by a bot and comes back, and what the host may do.

An invitation is a random token that gives a free seat to whoever shows it; a seat has a random token of its own, which
opens this seat and no other one. A seat changes hands only between deals, so that nobody sees two hands of one deal.
People who are gone, or do nothing while the table waits for them, are replaced by the bot of their seat until they come
back; without anybody at the table nothing is played.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary, WeakSet

from heartlab.util.said import Said
from heartlab.web import messages as m
from heartlab.web.commitment import Shared
from heartlab.web.house import House, KeyRefused
from heartlab.web.live import Live
from heartlab.web.session import PERSON, Session, SessionError, seat_names
from heartlab.web.store import Settings
from heartlab.web.view import Turned, occupant

log = logging.getLogger(__package__)
NOBODY = "You"
"""The page's name for a person without one; at a table of friends everybody needs another."""


@dataclass(frozen=True)
class Patience:
    """Seconds that a table of friends waits for somebody before a bot plays on."""

    gone: float = 30.0
    """After a lost connection."""
    idle: float = 120.0
    """Without a move, although connected."""


@runtime_checkable
class Guest(Protocol):
    """A connection that can be moved to another table."""

    async def sit(self, live: Live, seat: int = PERSON, key: str = "") -> None:
        """Look at a session from a seat from now on; with a key, it is told."""


@dataclass
class Waiting:
    """For whom a table waits, and since when, by the clock of the event loop."""

    moment: tuple[object, ...] = ()
    """The position of the game. A change restarts the clock of everybody who is awaited."""
    since: dict[int, float] = field(default_factory=dict)
    gone: dict[int, float] = field(default_factory=dict)
    timer: asyncio.TimerHandle | None = None


class Friends:
    """What a house does for tables of friends."""

    def __init__(self, house: House, patience: Patience | None = None) -> None:
        self.house, self.patience = house, patience or Patience()
        self._waiting: WeakKeyDictionary[Live, Waiting] = WeakKeyDictionary()
        self._rematched: WeakSet[Live] = WeakSet()
        house.changed = self.watch

    # --- sitting down ---

    async def open(self, key: str) -> tuple[Live, int]:
        """The session and the seat that a key opens.

        :raises KeyRefused: if it opens none.
        """
        found = self.house.store.seat_of(key)
        if found is None:
            return await self.house.open(key), PERSON
        return await self.house.open(found[0]), found[1]

    async def join(self, invitation: str, name: str, guest: object) -> tuple[Live, int, str]:
        """Give a free seat to somebody who is invited: the session, the seat and its key.

        :raises KeyRefused: if the invitation is void.
        :raises SessionError: if there is no room, or the name cannot be.
        """
        key = self.house.store.invited_by(invitation)
        if key is None:
            raise KeyRefused(Said("this invitation is not valid any more; ask your host for a new link"))
        live = await self.house.open(key)
        async with live.changing:
            session = live.session
            if guest in live.guests:
                raise SessionError(Said("you sit at this table already"))
            name = proper_name(name, session.holders.values())
            # The seat of a guest who was removed is free after the deal: its hand is known to nobody else until then.
            kept = session.people if session.begun and session.row.points is None else {}
            free = [seat for seat in range(session.rules.players) if seat not in {*session.holders, *kept}]
            if session.begun and session.game_over:
                raise SessionError(Said("the game is over; ask your host for a rematch"))
            if not free:
                raise SessionError(Said("all seats of this table are taken now"))
            token = secrets.token_urlsafe(16)
            await self.house.write(self.house.store.add_seat, token, live.key, free[0], name)
            session.holders[free[0]] = name
        return live, free[0], token

    async def came(self, live: Live, seat: int) -> None:
        """Somebody has opened a seat: no bot stands in there from now on."""
        live.session.away.discard(seat)
        await self.tell(live, m.Event("seats", seat))

    async def back(self, live: Live, seat: int) -> None:
        """Somebody for whom a bot has played says so.

        :raises SessionError: if that is not a table of friends.
        """
        self._check(live)
        live.session.away.discard(seat)
        await self.tell(live, m.Event("seats", seat))

    async def left(self, live: Live, seat: int, *, on_purpose: bool) -> None:
        """Somebody has disconnected: a bot plays there, at once or after a while."""
        if not live.session.settings.friends or seat in live.present or live.lost:
            return
        if on_purpose and seat in live.session.people:
            await self._stand_in(live, seat)
        else:
            await self.tell(live, m.Event("seats", seat))

    # --- the host ---

    async def invite(self, live: Live, seat: int) -> None:
        """A new invitation: the one before is void.

        :raises SessionError: if that is not the host's.
        """
        self._check_host(live, seat)
        await self.house.write(self.house.store.set_invitation, live.key, secrets.token_urlsafe(16))
        await self.tell(live)

    async def remove(self, live: Live, seat: int, other: int) -> None:
        """Give the seat of a guest, as the host sees it, to a bot; its key opens nothing any more.

        :raises SessionError: if that is not the host's, or nobody sits there.
        """
        self._check_host(live, seat)
        if other not in live.session.holders or other == PERSON:
            raise SessionError(Said("no guest sits there"))
        async with live.changing:
            await self.house.write(self.house.store.remove_seat, live.key, other)
            live.session.holders.pop(other, None)
        gone = [guest for guest in live.guests if live.seat_of(guest) == other]
        await live.tell_each({other: m.Failed("key", Said("your host has given this seat to a bot"))})
        for guest in gone:
            live.guests.pop(guest, None)
        if other in live.session.people:
            await self._stand_in(live, other)
        else:
            await self.tell(live)

    # --- together ---

    async def next_deal(self, live: Live, seat: int, shared: Shared | None) -> bool:
        """The first deal, if the host asks; another one as soon as all who are there have asked.

        Returns whether it was dealt, from the share of whoever asked last.
        """
        session = live.session
        if not session.begun:
            self._check_host(live, seat)
        elif session.row.points is None or session.game_over:
            raise SessionError(Said("the game is over") if session.game_over else Said("this deal is not finished"))
        else:
            session.ready.add(seat)
            session.away.discard(seat)
            if session.awaited:
                await self.tell(live, m.Event("seats", seat))
                return False
        await self.house.next_deal(live, shared)
        await self.tell(live, None)
        return True

    async def rematch(self, live: Live, shared: Shared | None) -> bool:
        """After a game: another one, with all who are there; the invitation goes with them. Returns whether it began.

        :raises SessionError: if the game is not over.
        """
        self._check(live)
        session = live.session
        if not session.begun or not session.game_over:
            raise SessionError(Said("the game is not over"))
        if live in self._rematched:  # somebody else asked at the same moment
            return False
        self._rematched.add(live)
        old = session.settings
        settings = Settings(old.rules, old.players, old.name, friends=True)
        new = await self.house.create(settings)
        await self.house.write(self.house.store.move_invitation, live.key, new.key)
        keys = {PERSON: new.key}
        guests = [(guest, live.seat_of(guest)) for guest in live.guests]
        for seat in sorted({seat for _, seat in guests} - {PERSON} & set(session.holders)):
            keys[seat] = secrets.token_urlsafe(16)
            name = session.holders[seat]
            await self.house.write(self.house.store.add_seat, keys[seat], new.key, seat, name)
            new.session.holders[seat] = name
        if PERSON not in {seat for _, seat in guests}:
            new.session.away.add(PERSON)
        for guest, seat in guests:
            if isinstance(guest, Guest) and seat in keys:
                with contextlib.suppress(Exception):  # the connection is lost
                    await guest.sit(new, seat, keys[seat])
        await self.house.next_deal(new, shared)
        await self.tell(new, None)
        return True

    async def react(self, live: Live, seat: int, what: m.Reaction) -> None:
        """Show something to everybody at the table.

        :raises SessionError: if that is not a table of friends.
        """
        self._check(live)
        players = live.session.rules.players
        await live.tell_each({one: m.Reacted(Turned(one, players).seat_of(seat), what) for one in live.present})

    # --- whom the table waits for ---

    def watch(self, live: Live) -> None:
        """Note for whom a table waits now, and replace whoever lets it wait too long."""
        if not live.session.settings.friends:
            return
        waiting, clock = self._waiting.setdefault(live, Waiting()), asyncio.get_running_loop().time
        awaited, present = live.session.awaited, live.present
        if waiting.timer is not None:
            waiting.timer.cancel()
            waiting.timer = None
        moment = moment_of(live.session)
        known, waiting.moment = (waiting.since if moment == waiting.moment else {}), moment
        waiting.since = {seat: known.get(seat, clock()) for seat in awaited}
        waiting.gone = {seat: waiting.gone.get(seat, clock()) for seat in live.session.people if seat not in present}
        if awaited and present:
            first = min(awaited, key=lambda seat: self._deadline(waiting, seat))
            waiting.timer = asyncio.get_running_loop().call_at(
                self._deadline(waiting, first), lambda: asyncio.ensure_future(self._stand_in(live, first))
            )

    def _deadline(self, waiting: Waiting, seat: int) -> float:
        """Until when the table waits for somebody."""
        since = waiting.since[seat]
        idle = since + self.patience.idle
        return min(idle, max(since, waiting.gone[seat] + self.patience.gone)) if seat in waiting.gone else idle

    async def _stand_in(self, live: Live, seat: int) -> None:
        """Let a bot play for somebody; a deal that waits only for this person goes on."""
        session = live.session
        try:
            await self.house.stand_in(live, seat)
            if session.row.points is not None and session.ready and not session.awaited:
                await self.house.next_deal(live, None)
        except ValueError as error:  # nothing was kept, or the table was given up meanwhile
            log.warning("a bot could not stand in: %s", error)
            return
        await self.tell(live, None)

    # --- telling ---

    async def tell(self, live: Live, event: m.Event | None = None) -> None:
        """Tell everybody who is at the table now, with the table as it stands if there is an event; then go on."""
        async with live.changing:
            rooms = {seat: self.room(live, seat) for seat in live.present}
            views = live.views(event) if event is not None else {}
        await live.tell_each(rooms)
        await live.tell_each(views)
        self.house.drive(live)

    def room(self, live: Live, seat: int) -> m.Room:
        """Who is at a table, as a seat sees it."""
        session, present = live.session, live.present
        turned = Turned(seat, session.rules.players)
        names = seat_names(session.rules.players, session.holders)
        seats = [
            m.RoomSeat(names[one], session.bot_for(one), self._occupant(session, one, present), one == PERSON)
            for one in range(session.rules.players)
        ]
        host = seat == PERSON
        return m.Room(
            seats=turned.seats(seats),
            seat=seat,
            host=host,
            begun=session.begun,
            playing=seat in session.people,
            rules=session.rules_text,
            invitation=self.house.store.invitation_to(live.key) if host else "",
            addresses=self.house.addresses if host else [],
        )

    @staticmethod
    def _occupant(session: Session, seat: int, present: set[int]) -> m.Occupant:
        if not session.begun:
            return "bot" if seat not in session.holders else "person" if seat in present else "gone"
        return occupant(session, seat, [one for one in session.people if one not in present])

    @staticmethod
    def _check(live: Live) -> None:
        if not live.session.settings.friends:
            raise SessionError(Said("this is not a table of friends"))

    def _check_host(self, live: Live, seat: int) -> None:
        self._check(live)
        if seat != PERSON:
            raise SessionError(Said("only the host can do that"))


def moment_of(session: Session) -> tuple[object, ...]:
    """Where a game stands."""
    return (session.row.number, len(session.row.plays), session.deal.phase) if session.begun else ()


def proper_name(name: str, taken: Iterable[str] = ()) -> str:
    """A name for a table of friends: printable, of somebody, and of nobody else there.

    >>> proper_name("  Zoe   Z ")
    'Zoe Z'

    :raises SessionError: if it cannot be one.
    """
    name = " ".join(name.split())
    if not name or not name.isprintable() or name.casefold() == NOBODY.casefold():
        raise SessionError(Said("say what the others shall call you: a name of printable letters, not You"))
    others = {one.casefold() for one in taken}
    if name.casefold() in others:
        raise SessionError(Said("somebody at this table is called {name} already; choose another name", name=name))
    return name
