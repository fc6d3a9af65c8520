"""The house: all live sessions, who looks at them, and the bots' turns on worker threads.

A session is loaded when somebody opens it and dropped when nobody looks any more; the store always has it. What happens
in a session happens under its lock, in order. The bots think on worker threads, several cards in one piece of work as
long as they are quick; the coach has a thread of its own (see :mod:`heartlab.web.workers`), so that neither questions
nor slow players of one session hold up another one for long.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from heartlab.cards import Card, CardSet, card_name, parse_card
from heartlab.deal import Deal, IllegalPlay
from heartlab.rules import PRESET_NOTES, PRESETS, Rules
from heartlab.util.errors import clipped
from heartlab.util.said import Said, sentence_of
from heartlab.web.bots import LEVELS, BotError, Bots
from heartlab.web.commitment import Shared
from heartlab.web.daily import compare, daily_settings, today
from heartlab.web.finished import replay_deal
from heartlab.web.live import Live
from heartlab.web.messages import (
    VERSION,
    Compared,
    Event,
    Failed,
    Hello,
    Limits,
    MadeOfIt,
    Preset,
    Refused,
    View,
)
from heartlab.web.pacing import Choice, Pacing
from heartlab.web.session import PERSON, Dealer, Session, SessionError, check_seats, deal_out
from heartlab.web.store import DAMAGED, PATIENCE, Row, Settings, Store, StoreError
from heartlab.web.view import trick_winner
from heartlab.web.warmup import Warmup
from heartlab.web.workers import Result, Workers

MAX_LIVE = 1000
"""Sessions that may be in memory at once."""
TIMINGS = 20_000
"""Moves whose times are kept."""
SLICE = 0.05
"""Seconds that the bots of a session think before their cards are shown and other sessions have their turn."""
LOST = Said("this table could not be kept; open it again, and it goes on with the last card that was")
WRONG_HOUSE = Said("this key does not open the house: take the whole address that `heartlab play` has printed")

log = logging.getLogger(__package__)


class KeyRefused(ValueError):
    """A wrong key."""


class TooMuch(ValueError):
    """More than this server takes."""


class House:
    """The sessions, players and threads of one server."""

    def __init__(
        self,
        store: Store,
        bots: Bots | None = None,
        *,
        workers: int = 2,
        dealer: Dealer = deal_out,
        pacing: Pacing | None = None,
        warmup: Warmup | None = None,
    ) -> None:
        self.warmup = warmup or Warmup()
        self.store = store
        self.pacing = pacing or Pacing()
        self.bots = bots or Bots()
        self.key = store.house_key()
        self.live: dict[str, Live] = {}
        self.own_seconds: deque[float] = deque(maxlen=TIMINGS)
        """Seconds between a person's move and the page's turn again, bots' thinking excluded."""
        self.dealer = dealer
        self.today = today
        self.addresses: list[str] = []
        """Where other computers reach this server; set by whoever serves."""
        self.changed: Callable[[Live], None] = lambda live: None
        """Called when a session waits for somebody else; set by whoever replaces people who are gone."""
        self._compared: dict[str, list[MadeOfIt]] = {}
        """What the plain strengths made of daily deals, by day."""
        self._players = Workers(workers, "bots")
        self._coach = Workers(1, "coach")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store")

    def close(self) -> None:
        """Stop the threads and close the store."""
        self._players.close()
        self._coach.close()
        self._writer.shutdown(wait=True)
        self.store.close()

    async def write(self, change: Callable[..., None], *arguments: Any) -> None:
        """Change the store on a thread of its own: if another program holds the file, only those who write wait.

        However many wait, each of them is refused after the same time.
        """
        deadline = time.monotonic() + PATIENCE

        def do() -> None:
            self.store.patience = max(0.0, deadline - time.monotonic())
            change(*arguments)

        await asyncio.get_running_loop().run_in_executor(self._writer, do)

    async def keep(self, live: Live) -> None:
        """Write what was changed in a session; its `changing` is held meanwhile.

        :raises StoreError: if that is not possible.
        :raises SessionError: if it was dropped meanwhile: another copy may have gone on.
        """
        if live.lost:
            raise SessionError(LOST)
        rows, live.unsaved[:] = list(live.unsaved), []
        for row in {id(row): row for row in rows}.values():
            await self.write(self.store.save_deal, live.key, row)

    async def think(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Run something long for a connection on the coach's thread: sessions do not wait for it."""
        return await self._coach.run(asyncio.current_task(), work, *arguments)

    async def prepare(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Run something for a connection on the bots' threads: what a session needs before the first card."""
        return await self._players.run(asyncio.current_task(), work, *arguments)

    def hello(self, promise: str) -> Hello:
        """What this house offers, and its promise to this connection."""
        presets = [Preset(name, PRESET_NOTES[name], rules.players) for name, rules in PRESETS.items()]
        return Hello(VERSION, self.bots.opponents, LEVELS, presets, self.warmup.ready.words, promise, Limits())

    def check_house(self, key: str) -> None:
        """Refuse a wrong key of the house.

        :raises KeyRefused: if it is wrong.
        """
        if not secrets.compare_digest(key, self.key):
            raise KeyRefused(WRONG_HOUSE)

    # --- opening ---

    async def create(self, settings: Settings, row: Row | None = None, shared: Shared | None = None) -> Live:
        """A new session; with a row, one that goes on from there; the first seed is shared, unless it is given.

        :raises ValueError: for rules or players that cannot be.
        """
        rules = Rules.parse(settings.rules)
        check_seats(rules, settings)
        self.warmup.want(settings.players)
        for name in set(settings.players):
            if not self.bots.is_known_to_play(name, rules):
                await self.prepare(self.bots.admit, name, rules)
        self._make_room()
        key = secrets.token_urlsafe(16)
        await self.write(self.store.add_session, key, settings)
        if settings.friends:
            await self.write(self.store.set_invitation, key, secrets.token_urlsafe(16))
        if row is not None:
            await self.write(self.store.save_deal, key, row)
        live = await self.prepare(self._session, key, settings, [row] if row else [], shared)
        await self.keep(live)
        self.live[key] = live
        return live

    async def open(self, key: str) -> Live:
        """A session that exists; built again if somebody else played on in it, and left, in the meantime.

        :raises KeyRefused: if the key opens none.
        :raises StoreError: if what is kept of it is damaged.
        """
        while key not in self.live:
            kept = self.store.load_session(key)
            if kept is None:
                raise KeyRefused(Said("this key opens no table"))
            self._make_room()
            live = await self.prepare(self._rebuilt, key, *kept)
            await self.keep(live)
            if kept == self.store.load_session(key):
                self.live.setdefault(key, live)
        return self.live[key]

    def leave(self, live: Live, guest: object) -> None:
        """A connection stops following a session."""
        live.guests.pop(guest, None)
        live.places.pop(guest, None)
        self._forget(live)

    def _forget(self, live: Live) -> None:
        """Drop a session from memory, unless somebody looks at it or its bots are playing."""
        if not live.guests and not live.lock.locked() and (live.driving is None or live.driving.done()):
            self._drop(live)

    def _lose(self, live: Live) -> None:
        """Drop a session whose last change was not kept: it is built again from the store when somebody opens it."""
        self._drop(live)

    def _drop(self, live: Live) -> None:
        """Take a session out of memory; another one that was built for the same key meanwhile stays."""
        live.lost = True
        if self.live.get(live.key) is live:
            del self.live[live.key]

    def _make_room(self) -> None:
        if len(self.live) >= MAX_LIVE:
            for live in list(self.live.values()):
                self._forget(live)
        if len(self.live) >= MAX_LIVE:
            raise TooMuch(Said("{n} tables are busy; try again later", n=MAX_LIVE))

    def _rebuilt(self, key: str, settings: Settings, rows: list[Row]) -> Live:
        """A session from what is kept of it, which somebody may have changed.

        :raises StoreError: if that cannot be.
        """
        try:
            check_seats(Rules.parse(settings.rules), settings, rows)
            return self._session(key, settings, rows)
        except Exception as error:  # contradictions may show anywhere
            raise StoreError(Said("{what} ({error})", what=DAMAGED, error=clipped(error, 120))) from error

    def _session(self, key: str, settings: Settings, rows: list[Row], shared: Shared | None = None) -> Live:
        unsaved: list[Row] = []
        session = Session(settings, rows, unsaved.append, self.dealer, shared)
        session.faults = self.bots.faults
        session.holders.update(self.store.seats_at(key) if settings.friends else {})
        return Live(key, session, unsaved=unsaved)

    # --- moving ---

    async def pass_cards(self, live: Live, seat: int, cards: list[str]) -> None:
        """A person passes."""
        live.session.check_person()
        await self._act(live, lambda: live.session.pass_cards(seat, CardSet(cards)), Event("passed", seat))

    async def play(self, live: Live, seat: int, name: str, at: int) -> None:
        """A person plays a card."""
        live.session.check_person()
        card = parse_card(name)

        def change() -> None:
            played = len(live.session.row.plays)
            if at != played:
                raise SessionError(
                    Said("{at} cards were played when this card was chosen, and now it is {now}", at=at, now=played)
                )
            if live.session.deal.to_move != seat:
                raise IllegalPlay(Said("it is not your turn"))
            live.session.play(card)

        await self._act(live, change, None)

    async def undo(self, live: Live) -> None:
        """The person takes a card back."""
        live.session.check_person()
        live.claimed.clear()
        await self._act(live, live.session.undo, Event("undone", PERSON))

    async def claim(self, live: Live, seat: int, what: str) -> None:
        """A person leaves the rest to the server."""
        live.session.check_person()

        def change() -> None:
            if what not in live.session.claims(seat):
                raise SessionError(Said("what you see does not prove this claim"))
            live.claimed.add(seat)

        await self._act(live, change, Event("seats" if live.session.settings.friends else "opened"))

    async def choose_moon(self, live: Live, seat: int, what: str) -> None:
        """A person says what the own moon does."""
        live.session.check_person()
        await self._act(live, lambda: live.session.choose_moon(seat, what), Event("moon", seat))

    async def stand_in(self, live: Live, seat: int) -> None:
        """A bot plays for somebody from now on."""
        await self._act(live, lambda: live.session.stand_in(seat), Event("seats", seat))

    async def next_deal(self, live: Live, shared: Shared | None) -> None:
        """The next deal of the game."""
        await self._act(live, lambda: live.session.next_deal(shared), Event("dealt"))

    async def again(self, live: Live, number: int, at: int) -> Live:
        """A new session in which a finished deal is played again.

        :raises SessionError: if it was a deal of friends, who would all have to play it again.
        """
        session = live.session
        if session.settings.friends:
            raise SessionError(Said("a deal of several people is not played again; step through it instead"))
        row, deal = session.deal_at(number)
        before = session.course[session.finished.index(row)]
        kept = min(at, len(row.plays))
        settings = Settings(
            rules=session.settings.rules, players=session.settings.players, name=session.settings.name, practice=True,
            watch=session.settings.watch, seed=row.seed, first=number, only=1, scores=before,
        )  # fmt: skip
        passes = dict(row.passes) if kept or deal.pass_direction == "hold" else {}
        fresh = Row(number, row.seed, secrets.token_hex(16), passes, row.plays[:kept], kept)
        return await self.create(settings, fresh)

    async def daily(self, person: str) -> Live:
        """The session in which somebody plays the deal of today: the same one however often it is asked for."""
        day = self.today()
        for key, _, settings, _ in self.store.sessions_of(person):
            if settings.daily == day:
                return await self.open(key)
        return await self.create(daily_settings(day, person))

    async def compare(self, live: Live) -> Compared:
        """What others made of a finished daily deal.

        :raises SessionError: if it is none, or is not finished.
        """
        day = live.session.settings.daily
        if not day or not live.session.game_over:
            raise SessionError(Said("only a daily deal that is over is compared"))
        if day not in self._compared:
            self._compared[day] = await self.prepare(compare, self.bots, day)
        return Compared(day, self._compared[day])

    async def _act(self, live: Live, change: Callable[[], None], event: Event | None) -> None:
        """Change a session, show it, and let the bots go on. Refusals reach the caller before anything is shown."""
        started = time.perf_counter()
        async with live.lock:
            if live.lost:
                raise SessionError(LOST)
            try:
                async with live.changing:
                    change()
                    await self.keep(live)
            except Exception as error:
                if isinstance(error, StoreError) or not isinstance(error, ValueError):
                    self._lose(live)
                raise
            live.thought = 0.0
            await live.show(event or self._last_card(live.session))
        self.drive(live, started)

    def drive(self, live: Live, started: float | None = None) -> None:
        """Let the bots play until it is a person's turn; does nothing if they are at it already."""
        self.changed(live)
        if live.session.begun and (live.driving is None or live.driving.done()):
            live.asker = asyncio.current_task()
            live.driving = asyncio.create_task(self._drive(live, started))

    async def _drive(self, live: Live, started: float | None) -> None:
        async with live.lock:
            if live.lost:
                return
            try:
                await (self._watch(live) if live.session.settings.watch else self._play_on(live))
            except Exception as error:
                known = isinstance(error, StoreError | BotError)
                if not known:
                    log.exception("the bots of a session failed")
                self._lose(live)
                await live.tell(Failed("server", sentence_of(error) if known else LOST))
                return
            if not live.guests:
                self._drop(live)
            if started is not None:
                self.own_seconds.append(time.perf_counter() - started - live.thought)

    async def _play_on(self, live: Live) -> None:
        """Play for bots, and for those who claimed, until a person's turn; with friends, only while one is there."""
        session = live.session
        while session.next_bot() is not None or self._plays_for_person(live):
            if session.settings.friends and not live.guests:
                return
            if session.next_bot() is None:
                async with live.changing:
                    session.play(min(session.deal.legal))
                    await self.keep(live)
                await live.show(self._last_card(session))
            else:
                await self._bots_act(live)
        self.changed(live)

    def _plays_for_person(self, live: Live) -> bool:
        if live.session.deal.is_over:
            live.claimed.clear()
        return live.session.deal.to_move in live.claimed

    async def _bots_act(self, live: Live) -> None:
        """Let the next bots choose, and act as they chose when it is time; all is kept before it is shown."""
        session = live.session
        chosen, begun = await self._players.run(live.asker, self._choose, session.deal.copy(), session.bots())
        live.thought += sum(one.seconds for one in chosen)
        moments = [begun] * len(chosen) if session.settings.watch else self.pacing.moments(chosen, begun)
        waiting = deque(zip(moments, chosen, strict=True))
        while waiting:
            live.thought += await self.pacing.until(waiting[0][0])
            now = self.pacing.clock()
            async with live.changing:
                with session.kept_together():
                    shown = self._act_until(now, live, waiting)
                await self.keep(live)
            for views in shown:
                await live.tell_each(views)

    def _act_until(self, now: float, live: Live, waiting: deque[tuple[float, Choice]]) -> list[dict[int, View]]:
        """Act as the first of the waiting choices says, and the others whose time has come; what to show of each."""
        session = live.session
        shown = []
        due = True
        while due:
            if session.next_bot() != waiting[0][1].seat:  # its person has come back: the choice is void
                waiting.clear()
                break
            self._act_for(session, waiting.popleft()[1])
            if not session.deal.to_pass:
                shown.append(live.views(self._last_card(session)))
            due = bool(waiting) and waiting[0][0] <= now
        return shown

    @staticmethod
    def _act_for(session: Session, choice: Choice) -> None:
        if choice.is_pass:
            session.pass_cards(choice.seat, choice.cards)
        else:
            session.play(min(choice.cards))

    def _choose(self, deal: Deal, seats: dict[int, str]) -> tuple[list[Choice], float]:
        """What the next bots do, on a copy of the deal, until somebody else is to act or a slice of time is used up.

        Only quick players choose together. With it, the moment at which this began.
        """
        chosen: list[Choice] = []
        clock = self.pacing.clock
        first = clock()
        while sum(one.seconds for one in chosen) < SLICE and not deal.is_over:
            seat = deal.to_pass[0] if deal.to_pass else deal.to_move
            if seat is None or seat not in seats:
                break
            name, in_hand = seats[seat], 0 if deal.to_pass else len(deal.hands[seat])
            if chosen and not (self.pacing.is_quick((name, in_hand)) and self.pacing.is_quick(chosen[0].key)):
                break
            obs, begun = deal.observe(seat), clock()
            if deal.to_pass:
                cards, forced = self.bots.pass_cards(name, obs), False
            else:
                cards, forced = CardSet([self.bots.play(name, obs)]), len(obs.legal) == 1
            chosen.append(Choice(seat, cards, name, in_hand, forced, clock() - begun))
            if deal.to_pass:
                deal.pass_cards(seat, cards)
            else:
                deal.play(min(cards))
        return chosen, first

    def _last_card(self, session: Session) -> Event:
        """What happened last, as an event."""
        plays, deal = session.row.plays, session.deal
        if not plays:
            return Event("passed" if deal.pass_direction != "hold" else "dealt")
        trick = deal.tricks[-1]
        seat, card = trick[-1]
        winner = trick_winner(trick) if len(trick) == session.rules.players else None
        return Event("over" if session.row.points is not None else "played", seat, card_name(card), winner)

    async def _watch(self, live: Live) -> None:
        """Bots alone: play the deal to its end, then send it. They stop when nobody looks any more."""
        session = live.session
        while session.next_bot() is not None:
            if not live.guests:
                return
            await self._bots_act(live)
        await live.tell(replay_deal(session, session.row.number))


def refusal(error: IllegalPlay, card: Card | None) -> Refused:
    """A play that the rules forbid, as a message."""
    return Refused(None if card is None else card_name(card), error.rule)
