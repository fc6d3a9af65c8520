"""A session in memory, with its connections: each is sent what its own seat may see, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from heartlab.web.messages import Event, Outgoing, View
from heartlab.web.session import PERSON, Session
from heartlab.web.store import Row
from heartlab.web.view import make_view

Send = Callable[[Outgoing], Awaitable[None]]


@dataclass(eq=False)
class Live:
    """A session in memory."""

    key: str
    session: Session
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    guests: dict[object, Send] = field(default_factory=dict)
    driving: asyncio.Task[None] | None = None
    asker: object = None
    """The connection for which the bots play: all sessions of one connection share its place in the queue."""
    places: dict[object, int] = field(default_factory=dict)
    """With friends: the seats of the guests; whoever is not named sits on that of the person."""
    claimed: set[int] = field(default_factory=set)
    """People who have claimed: the server plays the rest for them."""
    thought: float = 0.0
    """Seconds that bots have thought since the last move of the person."""
    lost: bool = False
    """Dropped from memory, perhaps because something could not be kept: another copy is built from the store."""
    unsaved: list[Row] = field(default_factory=list)
    """Deals that were changed and must be written before anybody hears of it."""
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held from a change until it is written, so that nobody is shown what may be lost."""

    async def tell(self, message: Outgoing) -> None:
        """Send a message to everybody who looks at this session."""
        await self.tell_each(dict.fromkeys(self.present, message))

    async def tell_each(self, messages: Mapping[int, Outgoing]) -> None:
        """Send to each seat its own message, if there is one."""
        for guest, send in list(self.guests.items()):
            message = messages.get(self.seat_of(guest))
            try:
                if message is not None:
                    await send(message)
            except Exception:
                self.guests.pop(guest, None)

    def seat_of(self, guest: object) -> int:
        """The seat of somebody who looks at this session."""
        return self.places.get(guest, PERSON)

    @property
    def present(self) -> set[int]:
        """The seats from which somebody looks at this session."""
        return {self.seat_of(guest) for guest in self.guests}

    def views(self, event: Event) -> dict[int, View]:
        """The view of each seat that is connected and takes part; none while bots alone play a watched deal."""
        session = self.session
        gone = [seat for seat in session.people if seat not in self.present] if session.settings.friends else []
        return {seat: make_view(session, event, seat, gone) for seat in self.present if seat in session.people}

    async def show(self, event: Event) -> None:
        """Send the session as it stands; a watched one is shown only when its deal is over."""
        await self.tell_each(self.views(event))
