"""One WebSocket per browser: what it says is read, answered or refused.

Input is untrusted: it is limited in size and rate before it is read, then decoded into a known message or answered
with an error that names what was wrong. Nothing that a client sends can stop another one: work is done in turns
(:mod:`heartlab.web.workers`). Each connection has two lanes, both one message at a time: questions to the coach, which
may take long, and everything else, so that no card waits for an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from heartlab.cards import CardError, parse_card
from heartlab.deal import IllegalPlay
from heartlab.rules import Rules, RulesError
from heartlab.util.said import Said, sentence_of
from heartlab.web import messages as m
from heartlab.web.coaching import CoachService
from heartlab.web.commitment import Shared
from heartlab.web.finished import deals_played, games_played, read_deals, replay_deal
from heartlab.web.friends import Friends, proper_name
from heartlab.web.gate import Gate, Stage
from heartlab.web.german_rules import said_of_rules
from heartlab.web.history import import_deals
from heartlab.web.house import LOST, House, KeyRefused, TooMuch, refusal
from heartlab.web.how import how_to_play_in
from heartlab.web.live import Live
from heartlab.web.session import PERSON, SessionError
from heartlab.web.store import Settings, StoreError
from heartlab.web.tokens import MAX_MESSAGE, MAX_ORDINARY, PENALTY, Bucket, entry_cost, further_cost
from heartlab.web.view import Turned, make_view

NO_TABLE = Said("open or create a table first")
WRONG = Said("something went wrong in the server; what was played is kept")
GARBLED = Said("this is not a whole address: a part of its key is missing or changed")
KEYS = ("`$.key`", "`$.house`", "`$.invitation`")
"""Where a message holds keys, as msgspec names places: somebody may have copied a part of an address."""
QUESTIONS = (
    m.Hint, m.Check, m.Count, m.Risk, m.Review, m.Line, m.Compare, m.Analyse, m.Puzzle, m.Answer,
)  # fmt: skip
"""What the coach answers, in a lane of its own."""
FAILURES: list[tuple[type[Exception] | tuple[type[Exception], ...], m.FailureCode]] = [
    ((msgspec.ValidationError, msgspec.DecodeError, UnicodeError, CardError), "message"),
    (KeyRefused, "key"),
    (TooMuch, "limit"),
    (StoreError, "server"),
    ((SessionError, ValueError), "table"),
]
"""What kind of failure an error is; the first that fits."""
MOST_QUESTIONS = 8
"""Questions that wait for the coach; with more the connection is not read until one is answered."""
log = logging.getLogger(__package__)


class Connection:
    """One browser: reads its messages and answers them."""

    def __init__(
        self,
        house: House,
        coach: CoachService,
        socket: WebSocket,
        gate: Gate | None = None,
        friends: Friends | None = None,
    ) -> None:
        self.house, self.coach, self.socket, self.gate = house, coach, socket, gate
        self.friends = friends or Friends(house)
        self.live: Live | None = None
        self.seat = PERSON
        self.bucket = Bucket()
        self.secret = secrets.token_hex(32)
        self.language: m.LanguageName = "en"
        self.questions: asyncio.Queue[Any] = asyncio.Queue(MOST_QUESTIONS)
        self.asked, self.gone = 0, False
        self._answers: dict[type, Callable[[Any], Awaitable[None]]] = {
            m.Create: self.create, m.Describe: self.describe, m.Open: self.open, m.Pass: self.pass_cards,
            m.Play: self.play, m.Undo: self.undo, m.Claim: self.claim, m.Moon: self.choose_moon,
            m.Next: self.next_deal, m.Again: self.again,
            m.Hint: self.hint, m.Check: self.check, m.Count: self.count, m.Risk: self.risk, m.Review: self.review,
            m.Line: self.line, m.Replay: self.replay,
            m.Read: self.read, m.History: self.history, m.Game: self.game,
            m.Daily: self.daily, m.Compare: self.compare, m.Analyse: self.analyse, m.Puzzle: self.puzzle,
            m.Answer: self.answer, m.Level: self.level,
            m.Join: self.join, m.Invite: self.invite, m.Remove: self.remove, m.Back: self.back, m.Leave: self.leave,
            m.Rematch: self.rematch, m.React: self.react, m.Speak: self.speak,
        }  # fmt: skip

    async def send(self, message: m.Outgoing) -> None:
        """Send one message.

        :raises WebSocketDisconnect: if the browser has left, however that was noticed.
        """
        try:
            await self.socket.send_text(m.encode(message, self.language))
        except RuntimeError as error:
            raise WebSocketDisconnect(1006) from error

    async def run(self) -> None:
        """Talk until the browser leaves."""
        adviser = asyncio.create_task(self._advise())
        try:
            await self.socket.accept()
            await self.send(self.house.hello(Shared(self.secret, "").promise))
            await self.follow_warmup()
            while True:
                got = await self.socket.receive()
                if got["type"] == "websocket.disconnect":
                    break
                self.tell_gate(Stage.BUSY)
                await self.hear(got.get("text"), len(got.get("bytes") or b""))
                self.rest()
        except (WebSocketDisconnect, RuntimeError):
            await asyncio.sleep(0)  # the end of the connection is noted first, and nothing is logged about it
        except asyncio.CancelledError:
            adviser.cancel()
            raise
        finally:
            self.house.warmup.leave(self)
            self.gone = True
            if self.asked:  # what the coach has begun is finished: it may be kept
                await asyncio.wait([adviser])
            adviser.cancel()
            await self.get_up(on_purpose=False)

    async def _advise(self) -> None:
        """Answer the questions to the coach, one after the other; those of a browser that has left are dropped."""
        while not self.gone:
            message = await self.questions.get()
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the reader learns of that by itself
                await self.reply(message)
            self.asked -= 1
            self.rest()

    def rest(self) -> None:
        """Tell the gate if nobody sits here and nothing is being answered: only idle connections make way."""
        if self.live is None and not self.asked:
            self.tell_gate(Stage.IDLE)

    async def get_up(self, *, on_purpose: bool) -> None:
        """Stop following a session."""
        live, self.live = self.live, None
        if live is not None:
            self.house.leave(live, self)
            await self.friends.left(live, self.seat, on_purpose=on_purpose)

    async def follow_warmup(self) -> None:
        """Tell how far the compilation is, as long as it is not done."""
        loop, ready = asyncio.get_running_loop(), self.house.warmup.ready
        if ready.done == ready.of:
            return

        async def tell(ready: m.Ready) -> None:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await self.send(ready)

        def hear(ready: m.Ready) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                asyncio.run_coroutine_threadsafe(tell(ready), loop)

        self.house.warmup.listen(self, hear)
        await self.send(self.house.warmup.ready)

    def tell_gate(self, stage: Stage) -> None:
        """Tell the gate whether this connection is idle: only idle ones make way for others."""
        if self.gate is not None and self.socket.client is not None:
            self.gate.move((self.socket.client.host, self.socket.client.port), stage)

    async def hear(self, text: str | None, size: int = 0) -> None:
        """Answer one message, or leave it to the coach's lane. `size` is that of a binary message."""
        try:
            message = await self.admit(text, size if text is None else len(text))
        except Exception as error:
            await self.excuse(error)
            return
        if isinstance(message, QUESTIONS):
            self.asked += 1
            await self.questions.put(message)
        else:
            await self.reply(message)

    async def admit(self, text: str | None, size: int) -> m.Incoming:
        """Decode a message that is paid for.

        :raises ValueError: if it is none; :raises TooMuch: if it is too long, or one too many.
        """
        await self.pay(entry_cost(size))
        if text is None:
            raise msgspec.ValidationError("messages are texts")
        if size > MAX_MESSAGE or (size > MAX_ORDINARY and '"read"' not in text[:200]):
            raise TooMuch(
                Said("a message has at most {n} characters, a record file {file}", n=MAX_ORDINARY, file=MAX_MESSAGE)
            )
        message = m.decode(text)
        await self.pay(further_cost(str(message.__struct_config__.tag), size))
        return message

    async def reply(self, message: m.Incoming) -> None:
        """Answer one message; an error becomes an answer as well."""
        try:
            await self._answers[type(message)](message)
        except Exception as error:
            await self.excuse(error, getattr(message, "card", None))

    async def excuse(self, error: Exception, card: str | None = None) -> None:
        """Tell of an error while a message was answered; `card` is what it was about."""
        if isinstance(error, WebSocketDisconnect):
            raise error
        if isinstance(error, IllegalPlay):
            await self.send(refusal(error, None if card is None else parse_card(card)))
            return
        if isinstance(error, (msgspec.ValidationError, msgspec.DecodeError)) and str(error).endswith(KEYS):
            await self.send(m.Failed("key", GARBLED))
            return
        kind = next((kind for known, kind in FAILURES if isinstance(error, known)), None)
        if kind is not None:
            said = said_of_rules(str(error)[:500]) if isinstance(error, RulesError) else sentence_of(error)
            await self.send(m.Failed(kind, said))
            return
        if self.socket.client_state != WebSocketState.CONNECTED:
            raise WebSocketDisconnect(1006) from error
        log.error("a message failed", exc_info=error)
        await self.send(m.Failed("server", WRONG))

    async def pay(self, cost: float) -> None:
        """Take tokens; without them the answer is delayed, so that a flood is read slowly.

        :raises TooMuch: if there are not enough.
        """
        if not self.bucket.take(cost):
            await asyncio.sleep(PENALTY)
            raise TooMuch(Said("too many messages; wait a moment"))

    def at_table(self) -> Live:
        """The session that this browser looks at.

        :raises SessionError: if it looks at none.
        """
        if self.live is None or (self not in self.live.guests and not self.live.lost):
            raise SessionError(NO_TABLE)
        if self.live.lost:
            raise SessionError(LOST)
        return self.live

    def at_session(self) -> Live:
        """The same, where a deal is being played and this browser's person takes part.

        :raises SessionError: if that is not so.
        """
        live = self.at_table()
        if not live.session.begun:
            raise SessionError(Said("the host has not begun yet"))
        if live.session.settings.friends and self.seat not in live.session.people:
            raise SessionError(Said("you sit down with the next deal"))
        return live

    def acting(self) -> tuple[Live, int]:
        """The same with the seat, for somebody who does something and so is not away.

        :raises SessionError: if that is not so.
        """
        live = self.at_session()
        live.session.away.discard(self.seat)
        return live, self.seat

    async def sit(self, live: Live, seat: int = PERSON, key: str = "") -> None:
        """Look at a session from a seat from now on; with a key, it is told.

        The session before is left last, so that it stays in memory if it is the same.
        """
        before, self.live, old, self.seat = self.live, live, self.seat, seat
        live.guests[self] = self.send
        live.places[self] = seat
        if before is not None and before is not live:
            self.house.leave(before, self)
            await self.friends.left(before, old, on_purpose=True)
        if key:
            await self.send(m.Opened(key))
        async with live.changing:
            shown = None if live.lost else self.first_sight(live)
        if live.lost:  # what was being written was not kept
            await self.sit(await self.house.open(live.key), seat)
            return
        if shown is not None:
            await self.send(shown)
        if live.session.settings.friends:
            await self.friends.came(live, seat)
        self.house.drive(live)

    def first_sight(self, live: Live) -> m.View | m.Deals | None:
        """What somebody sees who sits down; at a watched table only a deal that is over."""
        session = live.session
        if session.settings.watch:
            return replay_deal(session, session.row.number) if session.deal.is_over else None
        session.away.discard(self.seat)
        return make_view(session, m.Event("opened"), self.seat) if self.seat in session.people else None

    def shared(self, share: str | None) -> Shared | None:
        """The secret that was promised to this browser, with the text that it chose after that."""
        return None if share is None else Shared(self.secret, share)

    async def promise_again(self, used: Shared | None) -> None:
        """A secret serves one deal: promise the next one."""
        if used is not None:
            self.secret = secrets.token_hex(32)
            await self.send(m.Promised(Shared(self.secret, "").promise))

    # --- one method per message ---

    async def create(self, message: m.Create) -> None:
        self.house.check_house(message.house)
        name = proper_name(message.name) if message.friends else message.name
        settings = Settings(
            rules=message.rules, players=message.players, name=name, seed=message.seed,
            practice=message.practice, watch=message.watch, friends=message.friends,
        )  # fmt: skip
        if message.friends and (message.practice or message.watch or message.seed is not None):
            raise SessionError(Said("with friends there is no practice, no watching and no seed of one's own"))
        shared = None if message.friends else self.shared(message.share)
        live = await self.house.create(settings, shared=shared)
        await self.sit(live, PERSON, live.key)
        await self.promise_again(shared)

    async def speak(self, message: m.Speak) -> None:
        self.language = message.language
        await self.send(self.house.warmup.ready)  # its words were told in another language

    async def describe(self, message: m.Describe) -> None:
        self.house.check_house(message.house)
        rules = Rules.parse(message.rules)
        await self.send(m.Described(message.rules, str(rules), rules.players, how_to_play_in(message.language, rules)))

    async def open(self, message: m.Open) -> None:
        await self.sit(*await self.friends.open(message.key))

    async def pass_cards(self, message: m.Pass) -> None:
        await self.house.pass_cards(*self.acting(), message.cards)

    async def play(self, message: m.Play) -> None:
        await self.house.play(*self.acting(), message.card, message.at)

    async def undo(self, message: m.Undo) -> None:
        await self.house.undo(self.at_session())

    async def claim(self, message: m.Claim) -> None:
        await self.house.claim(*self.acting(), message.what)

    async def choose_moon(self, message: m.Moon) -> None:
        await self.house.choose_moon(*self.acting(), message.what)

    async def next_deal(self, message: m.Next) -> None:
        shared, live = self.shared(message.share), self.at_table()
        if not live.session.settings.friends:
            await self.house.next_deal(live, shared)
        elif not await self.friends.next_deal(live, self.seat, shared):
            return
        await self.promise_again(shared)

    async def again(self, message: m.Again) -> None:
        live = await self.house.again(self.at_session(), message.number, message.at)
        await self.sit(live, PERSON, live.key)

    async def daily(self, message: m.Daily) -> None:
        self.house.check_house(message.house)
        live = await self.house.daily(message.name)
        await self.sit(live, PERSON, live.key)

    async def compare(self, message: m.Compare) -> None:
        await self.send(await self.house.compare(self.at_session()))

    async def replay(self, message: m.Replay) -> None:
        live = self.at_session()
        await self.send(await self.house.prepare(replay_deal, live.session, message.number))

    async def read(self, message: m.Read) -> None:
        self.house.check_house(message.house)
        if message.into is None:
            await self.send(await self.house.think(read_deals, message.text))
            return
        await self.send(m.Imported(await self.house.think(import_deals, self.house.store, message.into, message.text)))

    async def history(self, message: m.History) -> None:
        self.house.check_house(message.house)
        await self.send(
            m.Games(await self.house.think(games_played, self.house.store, message.name, self.house.dealer))
        )

    async def game(self, message: m.Game) -> None:
        self.house.check_house(message.house)
        house, wanted = self.house, (message.name, message.key, message.number)
        await self.send(await house.think(deals_played, house.store, *wanted, house.dealer))

    async def hint(self, message: m.Hint) -> None:
        await self.send(await self.coach.hint(self.at_session(), self.send))

    async def check(self, message: m.Check) -> None:
        await self.send(await self.coach.check(self.at_session(), self.send))

    async def count(self, message: m.Count) -> None:
        await self.send(await self.coach.count(self.at_session(), self.send))

    async def risk(self, message: m.Risk) -> None:
        await self.send(await self.coach.risk(self.at_session()))

    async def line(self, message: m.Line) -> None:
        await self.send(await self.coach.line(self.at_session(), message.number, message.at, self.send))

    async def review(self, message: m.Review) -> None:
        await self.send(await self.coach.review(self.at_session(), self.seat, message.number, self.send))

    async def analyse(self, message: m.Analyse) -> None:
        self.house.check_house(message.house)
        await self.send(await self.coach.analyse(message.record, message.at, self.send))

    async def puzzle(self, message: m.Puzzle) -> None:
        self.house.check_house(message.house)
        await self.send(await self.coach.puzzle(message.name))

    async def answer(self, message: m.Answer) -> None:
        self.house.check_house(message.house)
        await self.send(await self.coach.answer(message.name, message.puzzle, message.card, self.send))

    async def level(self, message: m.Level) -> None:
        self.house.check_house(message.house)
        await self.send(await self.coach.level(message.name))

    # --- friends ---

    async def join(self, message: m.Join) -> None:
        live, seat, key = await self.friends.join(message.invitation, message.name, self)
        await self.sit(live, seat, key)

    async def invite(self, message: m.Invite) -> None:
        await self.friends.invite(self.at_table(), self.seat)

    async def remove(self, message: m.Remove) -> None:
        live = self.at_table()
        other = Turned(self.seat, live.session.rules.players).real(message.seat)
        await self.friends.remove(live, self.seat, other)

    async def back(self, message: m.Back) -> None:
        await self.friends.back(self.at_table(), self.seat)

    async def leave(self, message: m.Leave) -> None:
        self.at_table()
        await self.get_up(on_purpose=True)

    async def rematch(self, message: m.Rematch) -> None:
        shared = self.shared(message.share)
        if await self.friends.rematch(self.at_table(), shared):
            await self.promise_again(shared)

    async def react(self, message: m.React) -> None:
        await self.friends.react(self.at_table(), self.seat, message.what)
