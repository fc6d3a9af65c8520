"""The house: all live tables, who looks at them, and the driving of the bots on worker threads.

A table is loaded when somebody opens it and forgotten when nobody looks any more; the store has it all the time. What
happens at a table happens under its lock, in order. Bots and coach think on worker threads, so that no table waits for
another one longer than the machine makes it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from heartlab.cards import Card, CardSet, card_name, parse_card
from heartlab.deal import Deal, IllegalPlay
from heartlab.record import to_json
from heartlab.record_reader import read_records
from heartlab.rules import PRESET_NOTES, PRESETS, Rules
from heartlab.web.bots import Bots
from heartlab.web.commitment import Shared, proof_of
from heartlab.web.messages import VERSION, Deals, Event, Hello, Outgoing, Preset, Refused
from heartlab.web.store import Row, Settings, Store, StoreError
from heartlab.web.table import PERSON, Dealer, Table, TableError, deal_out, shared_of
from heartlab.web.view import make_view, trick_winner
from heartlab.web.words import sources

MAX_LIVE = 1000
"""Tables that may be in memory at once."""
MAX_RECORDS = 200
"""Deals of a record file that are sent to the page."""
TIMINGS = 20_000
"""Moves whose times are kept."""

Send = Callable[[Outgoing], Awaitable[None]]
Result = TypeVar("Result")


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
    claimed: bool = False
    """The person leaves the rest to the server."""
    thought: float = 0.0
    """Seconds that bots have thought since the last move of the person."""

    async def tell(self, message: Outgoing) -> None:
        """Send a message to everybody who looks at this table."""
        for guest, send in list(self.guests.items()):
            try:
                await send(message)
            except Exception:
                self.guests.pop(guest, None)

    async def show(self, event: Event) -> None:
        """Send the table as it stands."""
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
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="bots")

    def close(self) -> None:
        """Stop thinking and close the store."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.store.close()

    async def think(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Run something long on a worker thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

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
            await self.think(self.bots.player, name)
        self._make_room()
        key = secrets.token_urlsafe(16)
        self.store.add_table(key, settings)
        if row is not None:
            self.store.save_deal(key, row)
        table = await self.think(self._table, key, settings, [row] if row else [], shared)
        self.live[key] = Live(key, table)
        return self.live[key]

    async def open(self, key: str) -> Live:
        """A table that exists.

        :raises KeyRefused: if the key opens none.
        """
        if key not in self.live:
            kept = self.store.load_table(key)
            if kept is None:
                raise KeyRefused("this key opens no table")
            self._make_room()
            table = await self.think(self._table, key, *kept)
            self.live.setdefault(key, Live(key, table))
        return self.live[key]

    def leave(self, live: Live, guest: object) -> None:
        """Somebody does not look any more."""
        live.guests.pop(guest, None)
        self._forget(live)

    def _forget(self, live: Live) -> None:
        """Drop a table from memory, unless somebody looks at it or it is being played on."""
        if not live.guests and not live.lock.locked() and (live.driving is None or live.driving.done()):
            self.live.pop(live.key, None)

    def _make_room(self) -> None:
        if len(self.live) >= MAX_LIVE:
            for live in list(self.live.values()):
                self._forget(live)
        if len(self.live) >= MAX_LIVE:
            raise TooMuch(f"{MAX_LIVE} tables are busy; try again later")

    def _table(self, key: str, settings: Settings, rows: list[Row], shared: Shared | None = None) -> Table:
        return Table(settings, rows, lambda row: self.store.save_deal(key, row), self._dealer, shared)

    # --- moving ---

    async def pass_cards(self, live: Live, cards: list[str]) -> None:
        """The person passes."""
        await self._act(live, lambda: live.table.pass_cards(PERSON, CardSet(cards)), Event("passed", PERSON))

    async def play(self, live: Live, name: str, at: int) -> None:
        """The person plays a card."""
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
        live.claimed = False
        await self._act(live, live.table.undo, Event("undone", PERSON))

    async def claim(self, live: Live, what: str) -> None:
        """The person leaves the rest to the server."""

        def change() -> None:
            if what not in live.table.claims:
                raise TableError("what you see does not prove this claim")
            live.claimed = True

        await self._act(live, change, Event("opened"))

    async def choose_moon(self, live: Live, what: str) -> None:
        """The person says what the own moon does."""
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
            try:
                change()
            except StoreError:
                self.live.pop(live.key, None)
                raise
            live.thought = 0.0
            shown = event or self._last_card(live.table)
            await live.show(shown)
        self.drive(live, started)

    def drive(self, live: Live, started: float | None = None) -> None:
        """Let the bots play until it is the person's turn; does nothing if they are at it already."""
        if live.driving is None or live.driving.done():
            live.driving = asyncio.create_task(self._drive(live, started))

    async def _drive(self, live: Live, started: float | None) -> None:
        async with live.lock:
            table = live.table
            if table.settings.watch:
                await self._watch(live)
                return
            while (seat := table.next_bot()) is not None or self._plays_for_person(live):
                if seat is None:
                    table.play(min(table.deal.legal))
                else:
                    await self._bot_acts(live, seat)
                if table.deal.to_pass:
                    continue
                await live.show(self._last_card(table))
            if not live.guests:
                self.live.pop(live.key, None)
            if started is not None:
                self.own_seconds.append(time.perf_counter() - started - live.thought)

    def _plays_for_person(self, live: Live) -> bool:
        live.claimed = live.claimed and not live.table.deal.is_over
        return live.claimed and live.table.deal.to_move == PERSON

    async def _bot_acts(self, live: Live, seat: int) -> None:
        table, begun = live.table, time.perf_counter()
        name, obs = table.seat_player(seat) or "", table.deal.observe(seat)
        if table.deal.phase == "pass":
            cards = await self.think(self.bots.pass_cards, name, obs)
            live.thought += time.perf_counter() - begun
            table.pass_cards(seat, cards)
        else:
            card = await self.think(self.bots.play, name, obs)
            live.thought += time.perf_counter() - begun
            table.play(card)

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
        """Bots alone: play the deal to its end, then send it."""
        table = live.table
        while (seat := table.next_bot()) is not None:
            await self._bot_acts(live, seat)
        await live.tell(self.replay(table, table.row.number))

    # --- finished deals ---

    def replay(self, table: Table, number: int) -> Deals:
        """A finished deal with its proof."""
        row, deal = table.deal_at(number)
        proof = proof_of(deal, row.seed, row.salt, table.names, shared_of(row))
        return Deals(f"deal {number + 1}", [proof["record"]], proof)

    def read(self, text: str) -> Deals:
        """The deals of a record file, each checked against its rules.

        :raises RecordError: at the first bad line.
        """
        records: list[dict[str, Any]] = []
        for record in read_records(text):
            if len(records) == MAX_RECORDS:
                break
            whole = Deal.from_record(record)
            records.append(json.loads(to_json(whole.to_record(players=record.players, seed=record.seed))))
        if not records:
            raise ValueError("there is no deal in this text")
        return Deals(f"{len(records)} deals", records)


def refusal(error: IllegalPlay, card: Card | None) -> Refused:
    """A play that the rules forbid, as a message."""
    return Refused(None if card is None else card_name(card), str(error))
