"""What the page may show: made from the person's observation and from what is public in the session, and nothing else.

The hidden hands come into a view only when the deal is over, by :func:`reveal`.
"""

from __future__ import annotations

from heartlab.cards import Card, card_name, card_names, card_suit
from heartlab.deal import Deal
from heartlab.web.messages import Event, Phase, Reveal, View
from heartlab.web.session import PERSON, Session, shared_of
from heartlab.web.store import Row


def trick_winner(trick: list[tuple[int, Card]]) -> int:
    """Who takes a finished trick."""
    led = card_suit(trick[0][1])
    return max((card, seat) for seat, card in trick if card_suit(card) == led)[1]


def make_view(session: Session, event: Event) -> View:
    """The session as the person on seat 0 sees it."""
    obs, rules, row = session.deal.observe(PERSON), session.rules, session.row
    tricks = obs.past_tricks
    last = tricks[-1] if tricks else []
    shared = shared_of(row)
    over, asks = session.deal.is_over, session.asks_moon
    can_pass = obs.phase == "pass" and PERSON in session.deal.to_pass
    course = session.course
    view = View(
        event=event,
        rules=session.rules_text,
        names=session.names,
        players=[session.settings.name, *session.settings.players],
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
        legal=card_names(obs.legal) if obs.to_move == PERSON else [],
        passed=card_names(obs.passed),
        received=card_names(obs.received),
        to_move=obs.to_move,
        leader=obs.trick[0][0] if obs.trick else obs.to_move,
        plays=len(obs.history),
        trick=[(seat, card_name(card)) for seat, card in obs.trick],
        last=[(seat, card_name(card)) for seat, card in last],
        last_winner=trick_winner(last) if last else None,
        hand_sizes=list(obs.hand_sizes),
        tricks_won=list(obs.tricks_won),
        points=list(session.deal.points if over and not asks else obs.points),
        taken=[card_names(card for card in cards if rules.card_points(card)) for cards in obs.taken],
        breaking=rules.hearts == "broken",
        broken=obs.hearts_broken,
        scores=course[-1],
        course=course,
        limit=None if rules.deals is not None or session.settings.only is not None else rules.limit,
        claims=session.claims,
        can_undo=session.can_undo,
        can_leave=session.can_leave,
        undos=row.undos,
        commitment=session.commitment,
        promise=shared.promise if shared else "",
        share=row.share,
        winners=session.winners,
        faults=session.seat_faults(),
    )
    if over and not asks:
        view.reveal = reveal(row, session.deal)
    return view


def phase_of(session: Session) -> Phase:
    """What the page waits for."""
    if session.asks_moon:
        return "moon"
    if session.game_over:
        return "end"
    if session.deal.is_over:
        return "over"
    return "pass" if session.deal.phase == "pass" else "play"


def reveal(row: Row, deal: Deal) -> Reveal:
    """The whole deal. Only for deals that are over."""
    if not deal.is_over:
        raise ValueError("a running deal is not revealed")
    passed = [cards.names() for cards in deal.passed] if deal.pass_direction != "hold" else None
    hands = [cards.names() for cards in deal.dealt]
    return Reveal(row.seed, row.salt, row.secret, hands, deal.kitty.names(), passed, list(deal.points), deal.shooter)
