"""The house: all live tables, who looks at them, and the driving of the bots on worker threads.

A table is loaded when somebody opens it and forgotten when nobody looks any more; the store has it all the time. What
happens at a table happens under its lock, in order. The bots think on worker threads, several cards in one piece of
work as long as they are quick; the coach has a thread of its own (see :mod:`heartlab.web.workers`), so that neither
questions nor slow players at one table hold up another one for long.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from heartlab.cards import Card, CardSet, card_name, parse_card
from heartlab.coach.words import sources
from heartlab.deal import Deal, IllegalPlay
from heartlab.records.format import to_json
from heartlab.records.reader import read_records
from heartlab.rules import PRESET_NOTES, PRESETS, Rules
from heartlab.web.bots import Bots
from heartlab.web.commitment import Shared, proof_of
from heartlab.web.messages import VERSION, Deals, Event, Failed, Hello, Outgoing, Preset, Refused, View
from heartlab.web.seated import PERSON, Dealer, Table, TableError, deal_out, shared_of
from heartlab.web.store import Row, Settings, Store, StoreError
from heartlab.web.view import make_view, trick_winner
from heartlab.web.workers import Result, Workers

MAX_LIVE = 1000
"""Tables that may be in memory at once."""
MAX_RECORDS = 200
"""Deals of a record file that are sent to the page."""
TIMINGS = 20_000
"""Moves whose times are kept."""
SLICE = 0.05
"""Seconds that the bots of a table think before what they chose is shown and other tables have their turn."""
LOST = "this table could not be kept; open it again, and it goes on with the last card that was"

Send = Callable[[Outgoing], Awaitable[None]]
log = logging.getLogger(__name__)


class KeyRefused(ValueError):
    """A key that opens nothing."""


class TooMuch(ValueError):
    """More than this server takes."""


@dataclass(eq=False)
class Live:
    """A table in memory."""

    key: str
    table: Table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    guests: dict[object, Send] = field(default_factory=dict)
    driving: asyncio.Task[None] | None = None
    asker: object = None
    """The connection for which the bots play: all tables that one sets going share its place in the queue."""
    claimed: bool = False
    """The person leaves the rest to the server."""
    thought: float = 0.0
    """Seconds that bots have thought since the last move of the person."""
    lost: bool = False
    """Something could not be kept, so what is in memory is not to be believed."""

    async def tell(self, message: Outgoing) -> None:
        """Send a message to everybody who looks at this table."""
        for guest, send in list(self.guests.items()):
            try:
                await send(message)
            except Exception:
                self.guests.pop(guest, None)

    async def show(self, event: Event) -> None:
        """Send the table as it stands; a watched one is shown only when its deal is over."""
        if not self.table.settings.watch:
            await self.tell(make_view(self.table, event))


class House:
    """Everything behind the doors of one server."""

    def __init__(self, store: Store, bots: Bots | None = None, *, workers: int = 2, dealer: Dealer = deal_out) -> None:
        self.store = store
        self.bots = bots or Bots()
        self.key = store.house_key()
        self.live: dict[str, Live] = {}
        self.own_seconds: deque[float] = deque(maxlen=TIMINGS)
        """Seconds between a person's move and the page's turn again, bots' thinking excluded."""
        self._dealer = dealer
        self._players = Workers(workers, "bots")
        self._coach = Workers(1, "coach")

    def close(self) -> None:
        """Stop thinking and close the store."""
        self._players.close()
        self._coach.close()
        self.store.close()

    async def think(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Run something long for a connection on the coach's thread: the tables do not wait for it."""
        return await self._coach.run(asyncio.current_task(), work, *arguments)

    async def prepare(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Run something for a connection on the bots' threads: what a table needs before it can be played at."""
        return await self._players.run(asyncio.current_task(), work, *arguments)

    def hello(self, promise: str) -> Hello:
        """What this house offers, and its promise to this connection."""
        presets = [Preset(name, PRESET_NOTES[name], rules.players) for name, rules in PRESETS.items()]
        return Hello(VERSION, self.bots.opponents, presets, sources(), promise)

    def check_house(self, key: str) -> None:
        """Refuse a wrong key of the house.

        :raises KeyRefused: if it is wrong.
        """
        if not secrets.compare_digest(key, self.key):
            raise KeyRefused("this key does not open the house")

    # --- opening ---

    async def create(self, settings: Settings, row: Row | None = None, shared: Shared | None = None) -> Live:
        """A new table; with a row, one that goes on from there; the first seed is a shared one, unless it is given.

        :raises ValueError: for rules or players that cannot be.
        """
        rules = Rules.parse(settings.rules)
        wanted = rules.players - (not settings.watch)
        if len(settings.players) != wanted:
            raise ValueError(f"these rules need {wanted} bots, not {len(settings.players)}")
        for name in set(settings.players):
            await self.prepare(self.bots.admit, name, rules)
        self._make_room()
        key = secrets.token_urlsafe(16)
        self.store.add_table(key, settings)
        if row is not None:
            self.store.save_deal(key, row)
        table = await self.prepare(self._table, key, settings, [row] if row else [], shared)
        self.live[key] = Live(key, table)
        return self.live[key]

    async def open(self, key: str) -> Live:
        """A table that exists; built once more if somebody else played on at it, and left, in the meantime.

        :raises KeyRefused: if the key opens none.
        """
        while key not in self.live:
            kept = self.store.load_table(key)
            if kept is None:
                raise KeyRefused("this key opens no table")
            self._make_room()
            table = await self.prepare(self._table, key, *kept)
            if kept == self.store.load_table(key):
                self.live.setdefault(key, Live(key, table))
        return self.live[key]

    def leave(self, live: Live, guest: object) -> None:
        """Somebody does not look any more."""
        live.guests.pop(guest, None)
        self._forget(live)

    def _forget(self, live: Live) -> None:
        """Drop a table from memory, unless somebody looks at it or it is being played on."""
        if not live.guests and not live.lock.locked() and (live.driving is None or live.driving.done()):
            self._drop(live)

    def _lose(self, live: Live) -> None:
        """Drop a table whose last change was not kept: it is built again from the store when somebody opens it."""
        live.lost = True
        self._drop(live)

    def _drop(self, live: Live) -> None:
        """Take a table out of memory; another one that was built for the same key meanwhile stays."""
        if self.live.get(live.key) is live:
            del self.live[live.key]

    def _make_room(self) -> None:
        if len(self.live) >= MAX_LIVE:
            for live in list(self.live.values()):
                self._forget(live)
        if len(self.live) >= MAX_LIVE:
            raise TooMuch(f"{MAX_LIVE} tables are busy; try again later")

    def _table(self, key: str, settings: Settings, rows: list[Row], shared: Shared | None = None) -> Table:
        table = Table(settings, rows, lambda row: self.store.save_deal(key, row), self._dealer, shared)
        table.faults = self.bots.faults
        return table

    # --- moving ---

    async def pass_cards(self, live: Live, cards: list[str]) -> None:
        """The person passes."""
        live.table.check_person()
        await self._act(live, lambda: live.table.pass_cards(PERSON, CardSet(cards)), Event("passed", PERSON))

    async def play(self, live: Live, name: str, at: int) -> None:
        """The person plays a card."""
        live.table.check_person()
        card = parse_card(name)

        def change() -> None:
            played = len(live.table.row.plays)
            if at != played:
                raise TableError(f"{at} cards were played when this card was chosen, and now it is {played}")
            if live.table.deal.to_move != PERSON:
                raise IllegalPlay("it is not your turn")
            live.table.play(card)

        await self._act(live, change, None)

    async def undo(self, live: Live) -> None:
        """The person takes a card back."""
        live.table.check_person()
        live.claimed = False
        await self._act(live, live.table.undo, Event("undone", PERSON))

    async def claim(self, live: Live, what: str) -> None:
        """The person leaves the rest to the server."""
        live.table.check_person()

        def change() -> None:
            if what not in live.table.claims:
                raise TableError("what you see does not prove this claim")
            live.claimed = True

        await self._act(live, change, Event("opened"))

    async def choose_moon(self, live: Live, what: str) -> None:
        """The person says what the own moon does."""
        live.table.check_person()
        await self._act(live, lambda: live.table.choose_moon(what), Event("moon", PERSON))

    async def next_deal(self, live: Live, shared: Shared | None) -> None:
        """The next deal of the game."""
        await self._act(live, lambda: live.table.next_deal(shared), Event("dealt"))

    async def again(self, live: Live, number: int, at: int) -> Live:
        """A table of its own on which a finished deal is played again."""
        table = live.table
        row, deal = table.deal_at(number)
        before = table.course[table.finished.index(row)]
        kept = min(at, len(row.plays))
        settings = Settings(
            rules=table.settings.rules, players=table.settings.players, name=table.settings.name, practice=True,
            watch=table.settings.watch, seed=row.seed, first=number, only=1, scores=before,
        )  # fmt: skip
        passes = dict(row.passes) if kept or deal.pass_direction == "hold" else {}
        fresh = Row(number, row.seed, secrets.token_hex(16), passes, row.plays[:kept], kept)
        return await self.create(settings, fresh)

    async def _act(self, live: Live, change: Callable[[], None], event: Event | None) -> None:
        """Change a table, show it, and let the bots go on. Refusals reach the caller before anything is shown."""
        started = time.perf_counter()
        async with live.lock:
            if live.lost:
                raise TableError(LOST)
            try:
                change()
            except Exception as error:
                if isinstance(error, StoreError) or not isinstance(error, ValueError):
                    self._lose(live)
                raise
            live.thought = 0.0
            shown = event or self._last_card(live.table)
            await live.show(shown)
        self.drive(live, started)

    def drive(self, live: Live, started: float | None = None) -> None:
        """Let the bots play until it is the person's turn; does nothing if they are at it already."""
        if live.driving is None or live.driving.done():
            live.asker = asyncio.current_task()
            live.driving = asyncio.create_task(self._drive(live, started))

    async def _drive(self, live: Live, started: float | None) -> None:
        async with live.lock:
            if live.lost:
                return
            try:
                await (self._watch(live) if live.table.settings.watch else self._play_on(live))
            except Exception as error:
                if not isinstance(error, StoreError):
                    log.exception("the bots of a table failed")
                self._lose(live)
                await live.tell(Failed("server", str(error) if isinstance(error, StoreError) else LOST))
                return
            if not live.guests:
                self._drop(live)
            if started is not None:
                self.own_seconds.append(time.perf_counter() - started - live.thought)

    async def _play_on(self, live: Live) -> None:
        """Bots, and the server for somebody who claimed, until it is the person's turn."""
        while live.table.next_bot() is not None or self._plays_for_person(live):
            if live.table.next_bot() is None:
                live.table.play(min(live.table.deal.legal))
                await live.show(self._last_card(live.table))
            else:
                for view in await self._bots_act(live):
                    await live.tell(view)

    def _plays_for_person(self, live: Live) -> bool:
        live.claimed = live.claimed and not live.table.deal.is_over
        return live.claimed and live.table.deal.to_move == PERSON

    async def _bots_act(self, live: Live) -> list[View]:
        """Let the next bots choose, act as they chose, and make what is to be shown of it; all of it is kept first."""
        table = live.table
        chosen, seconds = await self._players.run(live.asker, self._choose, table.deal.copy(), table.bots())
        live.thought += seconds
        views = []
        with table.kept_together():
            for seat, cards in chosen:
                if table.deal.phase == "pass":
                    table.pass_cards(seat, cards)
                else:
                    table.play(min(cards))
                if not table.deal.to_pass and not table.settings.watch:
                    views.append(make_view(table, self._last_card(table)))
        return views

    def _choose(self, deal: Deal, seats: dict[int, str]) -> tuple[list[tuple[int, CardSet]], float]:
        """What the next bots do, on a copy of the deal, until somebody else is to act or a slice of time is used up.

        With it, the seconds that they thought: on this thread, and nothing but that.
        """
        chosen: list[tuple[int, CardSet]] = []
        seconds = 0.0
        while seconds < SLICE and not deal.is_over:
            seat = deal.to_pass[0] if deal.to_pass else deal.to_move
            if seat is None or seat not in seats:
                break
            obs, begun = deal.observe(seat), time.perf_counter()
            if deal.to_pass:
                cards = self.bots.pass_cards(seats[seat], obs)
                seconds += time.perf_counter() - begun
                deal.pass_cards(seat, cards)
            else:
                card = self.bots.play(seats[seat], obs)
                seconds += time.perf_counter() - begun
                deal.play(card)
                cards = CardSet([card])
            chosen.append((seat, cards))
        return chosen, seconds

    def _last_card(self, table: Table) -> Event:
        """What happened last, as an event."""
        plays, deal = table.row.plays, table.deal
        if not plays:
            return Event("passed" if deal.pass_direction != "hold" else "dealt")
        trick = deal.tricks[-1]
        seat, card = trick[-1]
        winner = trick_winner(trick) if len(trick) == table.rules.players else None
        return Event("over" if table.row.points is not None else "played", seat, card_name(card), winner)

    async def _watch(self, live: Live) -> None:
        """Bots alone: play the deal to its end, then send it. They stop when nobody looks any more."""
        table = live.table
        while table.next_bot() is not None:
            if not live.guests:
                return
            await self._bots_act(live)
        await live.tell(self.replay(table, table.row.number))

    # --- finished deals ---

    def replay(self, table: Table, number: int) -> Deals:
        """A finished deal with its proof."""
        row, deal = table.deal_at(number)
        proof = proof_of(deal, row.seed, row.salt, table.labels, shared_of(row))
        more = table.settings.watch and not table.game_over
        faults = sorted({fault for fault in table.seat_faults() if fault})
        return Deals(f"Deal {number + 1}", [proof["record"]], proof, more, faults)

    def read(self, text: str) -> Deals:
        """The deals of a record file, each checked against its rules.

        :raises RecordError: at the first bad line.
        """
        records: list[dict[str, Any]] = []
        there = 0
        for record in read_records(text):
            there += 1
            if there > MAX_RECORDS:
                continue
            whole = Deal.from_record(record)
            records.append(json.loads(to_json(whole.to_record(players=record.players, seed=record.seed))))
        if not records:
            raise ValueError("there is no deal in this text")
        return Deals(f"{len(records)} of {there} deals" if there > len(records) else f"{there} deals", records)


def refusal(error: IllegalPlay, card: Card | None) -> Refused:
    """A play that the rules forbid, as a message."""
    return Refused(None if card is None else card_name(card), str(error))
