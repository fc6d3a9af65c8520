"""What the page may show: made from the observation of the own seat and from what is public, and nothing else.

Every person sees the own seat as seat 0: all lists by seat are rotated (:class:`Turned`). The hidden hands come into
a view only when the deal is over, by :func:`reveal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from msgspec import UNSET

from heartlab.cards import Card, card_name, card_names, card_suit
from heartlab.deal import Deal
from heartlab.web.messages import Event, Occupant, Phase, Reveal, View
from heartlab.web.session import PERSON, Session, shared_of
from heartlab.web.store import Row

T = TypeVar("T")


def trick_winner(trick: list[tuple[int, Card]]) -> int:
    """Who takes a finished trick."""
    led = card_suit(trick[0][1])
    return max((card, seat) for seat, card in trick if card_suit(card) == led)[1]


@dataclass(frozen=True)
class Turned:
    """The seats of a session as one of them sees them: the own one is 0, then clockwise.

    >>> turned = Turned(seat=1, players=4)
    >>> turned.seats(["host", "me", "left", "across"]), turned.seat_of(0), turned.real(3)
    (['me', 'left', 'across', 'host'], 3, 0)
    """

    seat: int
    players: int

    def seats(self, values: Sequence[T]) -> list[T]:
        """A list with a value per seat, the own one first."""
        return [*values[self.seat :], *values[: self.seat]]

    def seat_of(self, seat: int) -> int:
        """A seat of the session as this one sees it."""
        return (seat - self.seat) % self.players

    def maybe(self, seat: int | None) -> int | None:
        """The same, for None as well."""
        return None if seat is None else self.seat_of(seat)

    def real(self, seat: int) -> int:
        """The seat of the session behind a seat as this one sees it: the reverse of `seat_of`."""
        return (seat + self.seat) % self.players

    def cards(self, trick: Sequence[tuple[int, Card]]) -> list[tuple[int, str]]:
        """Cards on the table."""
        return [(self.seat_of(seat), card_name(card)) for seat, card in trick]

    def event(self, event: Event) -> Event:
        """What happened."""
        return msgspec.structs.replace(event, seat=self.maybe(event.seat), winner=self.maybe(event.winner))


def make_view(session: Session, event: Event, seat: int = PERSON, gone: Sequence[int] = ()) -> View:
    """The session as the person on a seat sees it; `gone` are people whose connection is lost."""
    obs, rules, row = session.deal.observe(seat), session.rules, session.row
    turned = Turned(seat, rules.players)
    last = obs.past_tricks[-1] if obs.past_tricks else []
    shared = shared_of(row)
    over = session.deal.is_over and session.moon_asked is None
    can_pass = obs.phase == "pass" and seat in session.deal.to_pass
    course = [turned.seats(totals) for totals in session.course]
    names = session.names
    return View(
        event=turned.event(event),
        rules=session.rules_text,
        names=turned.seats(names),
        players=turned.seats([session.seat_player(one) or names[one] for one in range(rules.players)]),
        practice=session.settings.practice,
        branch=row.kept if session.settings.only is not None and not session.settings.daily else None,
        daily=session.settings.daily,
        helped=row.helped > 0,
        deal=row.number,
        phase=phase_of(session),
        direction=session.deal.pass_direction,
        pass_count=rules.pass_count,
        may_pass=card_names(obs.may_pass) if can_pass else [],
        hand=card_names(obs.hand),
        legal=card_names(obs.legal) if obs.to_move == seat else [],
        passed=card_names(obs.passed),
        received=card_names(obs.received),
        to_move=turned.maybe(obs.to_move),
        leader=turned.maybe(obs.trick[0][0] if obs.trick else obs.to_move),
        plays=len(obs.history),
        trick=turned.cards(obs.trick),
        last=turned.cards(last),
        last_winner=turned.maybe(trick_winner(last) if last else None),
        hand_sizes=turned.seats(obs.hand_sizes),
        tricks_won=turned.seats(obs.tricks_won),
        points=turned.seats(session.deal.points if over else obs.points),
        taken=turned.seats([card_names(card for card in cards if rules.card_points(card)) for cards in obs.taken]),
        breaking=rules.hearts == "broken",
        broken=obs.hearts_broken,
        scores=course[-1],
        course=course,
        limit=None if rules.deals is not None or session.settings.only is not None else rules.limit,
        claims=session.claims(seat),
        can_undo=session.can_undo,
        can_leave=session.can_leave,
        undos=row.undos,
        commitment=session.commitment,
        promise=shared.promise if shared else "",
        share=row.share,
        winners=[turned.seat_of(one) for one in session.winners],
        faults=turned.seats(session.seat_faults()),
        seat=seat,
        friends=session.settings.friends,
        people=turned.seats([occupant(session, one, gone) for one in range(rules.players)]),
        waiting=[turned.seat_of(one) for one in session.awaited] if session.settings.friends else [],
        chooser=turned.maybe(session.moon_asked),
        reveal=reveal(row, session.deal, turned) if over else UNSET,
    )


def occupant(session: Session, seat: int, gone: Sequence[int] = ()) -> Occupant:
    """Who is on a seat."""
    if seat in session.people:
        return "away" if seat in session.away else "gone" if seat in gone else "person"
    return "next" if seat in session.holders else "bot"


def phase_of(session: Session) -> Phase:
    """What the page waits for."""
    if session.moon_asked is not None:
        return "moon"
    if session.game_over:
        return "end"
    if session.deal.is_over:
        return "over"
    return "pass" if session.deal.phase == "pass" else "play"


def reveal(row: Row, deal: Deal, turned: Turned) -> Reveal:
    """The whole deal. Only for deals that are over."""
    if not deal.is_over:
        raise ValueError("a running deal is not revealed")
    passed = turned.seats([cards.names() for cards in deal.passed]) if deal.pass_direction != "hold" else None
    hands, points = turned.seats([cards.names() for cards in deal.dealt]), turned.seats(deal.points)
    shooter = turned.maybe(deal.shooter)
    return Reveal(row.seed, row.salt, row.secret, hands, deal.kitty.names(), passed, points, shooter)
