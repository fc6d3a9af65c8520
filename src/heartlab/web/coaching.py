"""The coach in the server: glue between sessions, the coach's thread and the store.

What the coach says is decided in :mod:`heartlab.coach`; here are the questions that a session allows, the notice that
the first answer takes long, and what is kept: help, costs of decisions, puzzles.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from heartlab.cards import CardSet, parse_card
from heartlab.coach.level import estimate_level
from heartlab.coach.values import (
    Checked,
    Coaching,
    Counted,
    Decision,
    Graded,
    LevelEstimate,
    MoonRisk,
    PassCoaching,
    PuzzleView,
    Reviewed,
)
from heartlab.deal import Deal
from heartlab.records.format import to_json
from heartlab.records.reader import read_records
from heartlab.rules import Rules
from heartlab.util.said import Said
from heartlab.web import messages as m
from heartlab.web.bots import strength_of
from heartlab.web.history import label_parts
from heartlab.web.house import House
from heartlab.web.live import Live, Send
from heartlab.web.session import PERSON, Session, SessionError
from heartlab.web.store import Row

if TYPE_CHECKING:
    from heartlab.coach.coach import Coach, Seats
    from heartlab.coach.judgement import Judge

FIRST = Said(
    "The coach is getting ready: its first answer loads its machine code, and on a new computer compiles it, which "
    "takes a minute or two and happens once."
)

PERSON_NAME = "You"
"""The name of a person who chose none."""


class CoachService:
    """One coach for all sessions of a house, loaded when it is first needed: that compiles, and no table waits for it.

    :param make_judge: makes the judge on the coach's thread; without one, the usual judge is made.
    """

    def __init__(self, house: House, make_judge: Callable[[], Judge] | None = None) -> None:
        self.house = house
        self._make_judge = make_judge
        self._coach: Coach | None = None
        self._loading = threading.Lock()
        self._ready: set[str] = set()

    def load(self) -> Coach:
        """The coach; made at the first call, on whatever thread that is."""
        with self._loading:
            if self._coach is None:
                from heartlab.coach.coach import Coach

                self._coach = Coach(self._make_judge() if self._make_judge is not None else None)
            return self._coach

    def prepare(self) -> None:
        """Load the coach and its players; the first answer is then as quick as the others."""
        self.load().prepare()
        self.house.warmup.words = sources_of_words

    @asynccontextmanager
    async def _patience(self, kind: str, tell: Send) -> AsyncIterator[Coach]:
        """The coach for some work; says, before the first work of a kind, why it takes long."""
        if kind not in self._ready:
            await tell(m.Progress(FIRST))
        yield await self.house.think(self.load)
        self._ready.add(kind)

    # --- during a deal ---

    async def hint(self, live: Live, tell: Send) -> Coaching | PassCoaching:
        """Every legal card of the decision at hand, or what could be passed."""
        session = alone_at(live)
        async with live.changing:
            deal = session.deal.copy()
            passes = deal.phase == "pass"
            if session.settings.watch or not (passes or deal.to_move == PERSON):
                raise SessionError(Said("it is not your turn"))
            await self._note_help(live)
        if passes:
            async with self._patience("passes", tell) as coach:
                return await self.house.think(coach.pass_hint, deal.observe(PERSON), seats_of(session))
        async with self._patience("cards", tell) as coach:
            return await self.house.think(coach.hint, deal, seats_of(session))

    async def check(self, live: Live, tell: Send) -> Checked:
        """Whether there was something better than the person's last card."""
        session = alone_at(live)
        session.check_person()
        async with live.changing:
            place = session.last_own_place()
            if place is None:
                raise SessionError(Said("you have not played a card yet"))
            before, card = session.deal.before(place + 1), session.row.plays[place]
            await self._note_help(live)
        async with self._patience("cards", tell) as coach:
            return await self.house.think(coach.check, before, card, seats_of(session))

    async def count(self, live: Live, tell: Send) -> Counted:
        """The counting panel."""
        session = alone_at(live)
        async with live.changing:
            if session.settings.watch or session.deal.phase != "play":
                raise SessionError(Said("there is nothing to count now"))
            obs = session.deal.observe(PERSON)
            await self._note_help(live)
        async with self._patience("worlds", tell) as coach:
            return await self.house.think(coach.count, obs, seats_of(session))

    async def risk(self, live: Live) -> MoonRisk:
        """Whether somebody may shoot the moon. Everybody is told, so this is no help that is noted."""
        session = alone_at(live)
        async with live.changing:
            if session.settings.watch or session.deal.phase != "play":
                raise SessionError(Said("no moon can be shot now"))
            obs = session.deal.observe(PERSON)
        coach = await self.house.think(self.load)
        return await self.house.think(coach.moon, obs, seats_of(session))

    async def _note_help(self, live: Live) -> None:
        """Note that the person was helped in a running deal, which then says little about the person's level."""
        if live.session.row.points is None:
            live.session.row.helped += 1
            live.unsaved.append(live.session.row)
            await self.house.keep(live)

    # --- after a deal ---

    async def review(self, live: Live, seat: int, number: int, tell: Send) -> Reviewed:
        """Every decision of a person in a finished deal; the costly ones become puzzles."""
        session = live.session
        if session.settings.watch:
            raise SessionError(Said("nobody plays here whose decisions could be reviewed"))
        row, deal = await self.house.think(session.deal_at, number)
        if seat not in session.people_in(row):
            raise SessionError(Said("you did not play in this deal"))
        tricks = len(row.plays) // session.rules.players
        await tell(m.Progress(Said("The coach looks at every trick.") if "cards" in self._ready else FIRST))
        coach, seats = await self.house.think(self.load), seats_of(session, row, seat)
        decisions, course = [], []
        for place, card in enumerate(row.plays, 1):
            before = await self.house.think(deal.before, place)
            if before.to_move != seat:
                continue
            expected, decision = await self.house.think(coach.decide, before, card, seats)
            self._ready.add("cards")
            await tell(
                m.Progress(Said("The coach looks at every trick: {trick} of {of} …", trick=decision.trick, of=tricks))
            )
            course.append((decision.trick, expected))
            if len(before.legal) > 1:
                decisions.append(decision)
        worst = await self.house.think(coach.worst, deal, decisions, seats)
        await self._keep(live.key, session, row, seat, deal, decisions, worst)
        passing = None
        if seat in row.passes and not row.kept:
            obs = session.dealt(row).observe(seat)
            cards = CardSet(row.passes[seat])
            passing = await self.house.think(coach.pass_review, obs, cards, seats)
        return coach.review(number, deal, course, decisions, worst, passing, seats)

    async def line(self, live: Live, number: int, at: int, tell: Send) -> m.Deals:
        """How a finished deal would have gone on after the coach's card at a decision."""
        session = live.session
        row, deal = await self.house.think(session.deal_at, number)
        if at > len(deal.history):
            raise SessionError(Said("the deal has {n} cards, none at place {at}", n=len(deal.history), at=at))
        async with self._patience("cards", tell) as coach:
            found = await self.house.think(coach.line, deal, at, seats_of(session, row))
        record = json.loads(to_json(found.to_record(players=tuple(session.labels_in(row)))))
        trick = (at - 1) // session.rules.players + 1
        return m.Deals(Said("The coach's line from trick {trick} on", trick=trick), [record])

    async def _keep(
        self,
        key: str,
        session: Session,
        row: Row,
        seat: int,
        deal: Deal,
        decisions: list[Decision],
        worst: list[Decision],
    ) -> None:
        """Keep costs for the level, if the deal counts for it, and puzzles for later."""
        person = session.people_in(row)[seat]
        if counts_for_level(session, row):
            costs = [(one.at, one.cost, one.se) for one in decisions]
            await self.house.write(self.house.store.add_decisions, key, row.number, person, costs)
        if worst:
            from heartlab.coach.puzzles import make_puzzle, origin_of
        for one in worst:
            body = make_puzzle(deal.before(one.at), one, session.names_in(row), seats_of(session, row, seat).players)
            await self.house.write(self.house.store.add_puzzle, person, origin_of(person, body), body, time.time())

    async def analyse(self, text: str, at: int, tell: Send) -> Coaching:
        """A decision of any recorded deal, after `at` cards, as the seat to move sees it.

        :raises RecordError: if the text is no record; :raises SessionError: if nobody has to play there.
        """
        labels, deal = await self.house.think(position_in, text, at)
        async with self._patience("cards", tell) as coach:
            seats = named_seats(labels, deal)
            found = await self.house.think(partial(coach.hint, line=True), deal, seats)
        found.to = addressee(labels, seats)
        if found.line is not None and labels:
            found.line["players"] = list(labels)
        return found

    # --- puzzles and level ---

    async def puzzle(self, person: str) -> PuzzleView:
        """A puzzle that is due."""
        waiting = self.house.store.waiting_puzzles(person)
        found = self.house.store.due_puzzle(person, time.time())
        if found is None:
            none_yet = Said("No puzzles yet: review a deal, and your mistakes become puzzles.")
            return PuzzleView(None, Said("No puzzle is due now.") if waiting else none_yet, waiting=waiting)

        def show() -> PuzzleView:
            from heartlab.coach.puzzles import show_puzzle

            kept = self.house.store.puzzle(found[0], person)
            return show_puzzle(found[0], found[1], waiting, kept[1] if kept else 0)

        return await self.house.think(show)

    async def answer(self, person: str, number: int, card: str, tell: Send) -> Graded:
        """Whether an answer was right, and when the puzzle comes back."""
        found = self.house.store.puzzle(number, person)
        if found is None:
            raise SessionError(Said("there is no puzzle {number}", number=number))
        wanted = parse_card(card)
        async with self._patience("cards", tell) as coach:
            from heartlab.coach.puzzles import grade

            graded, stage, due = await self.house.think(grade, coach.judge, number, *found, wanted, time.time())
        await self.house.write(self.house.store.schedule_puzzle, number, stage, due)
        return graded

    async def level(self, person: str) -> LevelEstimate:
        """The points that somebody's decisions cost per deal, with a 95 % interval."""
        deals = self.house.store.deal_costs(person)
        return estimate_level(person, [(cost, count, strength_of(players)) for cost, count, players in deals])


def sources_of_words() -> str:
    """Where the coach's words come from; the coach is loaded by then."""
    from heartlab.coach.words import sources

    return sources()


def position_in(text: str, at: int) -> tuple[tuple[str, ...], Deal]:
    """Who plays in the first deal of a text, as far as it says so, and its position after `at` cards.

    :raises RecordError: if the text is no record; :raises SessionError: if no card is to be played there.
    """
    record = next(iter(read_records(text)), None)
    if record is None:
        raise SessionError(Said("there is no deal in this text"))
    deal = Deal.from_record(record)
    if deal.phase == "pass" or at > len(deal.history) or (deal.is_over and at == len(deal.history)):
        raise SessionError(Said("nobody has to play a card there; step to a decision"))
    return record.players or (), deal.before(at + 1)


def spoken_names(labels: Sequence[str], players: int) -> list[str]:
    """What the coach calls the seats of a record: as the page does, without the players of bots.

    >>> spoken_names(["You", "Ada (gnome)", "net", "net"], 4)
    ['South', 'Ada', 'net (seat 2)', 'net (seat 3)']
    >>> spoken_names([], 3)
    ['Seat 0', 'Seat 1', 'Seat 2']
    """
    names = [label_parts(label)[0].strip() for label in labels] or [""] * players
    found: list[str] = []
    for seat, name in enumerate(names):
        if not name:
            found.append(Said("Seat {seat}", seat=seat))
        elif names.count(name) > 1:
            found.append(Said("{name} (seat {seat})", name=name, seat=seat))
        else:
            # The coach says "you" to the seat that has to play; who is called "You" sits at the lower edge of the felt.
            found.append(Said("South") if name == PERSON_NAME else name)
    return found


def addressee(labels: Sequence[str], seats: Seats) -> str:
    """To whom the coach speaks in a replay, if that is not who looks on.

    >>> from heartlab.coach.coach import Seats
    >>> addressee(["You", "Ada (gnome)"], Seats(["South", "Ada"], ["net", "net"], you=1))
    'Said to Ada; your own seat is called South here.'
    """
    names = [label_parts(label)[0].strip() for label in labels]
    if not names or names[seats.you] == PERSON_NAME:
        return ""
    if PERSON_NAME in names:
        return Said("Said to {who}; your own seat is called South here.", who=seats.names[seats.you])
    return Said("Said to {who}.", who=seats.names[seats.you])


def named_seats(labels: Sequence[str], deal: Deal) -> Seats:
    """The seats of a record, as the coach speaks of them to the one that has to play; it is loaded by then.

    Nobody knows how they play: the coach's own player stands in for all of them.
    """
    from heartlab.coach.coach import Seats
    from heartlab.coach.playing_on import STRONG

    names = spoken_names(labels, deal.rules.players)
    return Seats(names, [STRONG] * len(names), deal.to_move or 0)


def alone_at(live: Live) -> Session:
    """The session of a person who may ask the coach during a deal: with friends it is a matter between people.

    :raises SessionError: if others play there.
    """
    if live.session.settings.friends:
        raise SessionError(Said("the coach does not help against friends; ask for a review after the deal"))
    return live.session


def seats_of(session: Session, row: Row | None = None, seat: int = PERSON) -> Seats:
    """The seats of a session, or of one of its deals, as the coach speaks of them to the person on a seat.

    Nobody knows how other people play: the coach's own player stands in for them. The coach is loaded by then.
    """
    from heartlab.coach.coach import Seats
    from heartlab.coach.playing_on import SOMEBODY, STRONG, stand_ins

    players = stand_ins(session.settings.players)
    for other in session.people_in(row) if row is not None else ():
        players[other] = SOMEBODY
    players[seat] = STRONG
    return Seats(session.names_in(row) if row is not None else session.names, players, seat)


def counts_for_level(session: Session, row: Row) -> bool:
    """Whether a deal is like those of the yardstick: standard rules, not known before, and played without help."""
    known = session.settings.only is not None or session.settings.seed is not None or session.settings.friends
    return session.rules == Rules() and not known and not row.undos and not row.helped
