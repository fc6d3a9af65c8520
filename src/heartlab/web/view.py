"""What the page may show: made from the person's observation and from what is public at the table, and nothing else.

The hidden hands come into a view only when the deal is over, by :func:`reveal`.
"""

from __future__ import annotations

from collections.abc import Iterable

from heartlab.cards import Card, card_name, card_suit
from heartlab.deal import Deal
from heartlab.observation import Observation
from heartlab.web.messages import Event, Reveal, View
from heartlab.web.store import Row
from heartlab.web.table import PERSON, Table, shared_of


def names(cards: Iterable[Card]) -> list[str]:
    """Cards by name, in card order."""
    return [card_name(card) for card in sorted(cards)]


def past_tricks(obs: Observation) -> list[list[tuple[int, Card]]]:
    """The finished tricks as everybody saw them."""
    n = obs.rules.players
    by = {card: seat for seat, cards in enumerate(obs.played) for card in cards}
    cards = obs.history[: obs.trick_number * n]
    return [[(by[card], card) for card in cards[start : start + n]] for start in range(0, len(cards), n)]


def trick_winner(trick: list[tuple[int, Card]]) -> int:
    """Who takes a finished trick."""
    led = card_suit(trick[0][1])
    return max((card, seat) for seat, card in trick if card_suit(card) == led)[1]


def make_view(table: Table, event: Event) -> View:
    """The table for the person on seat 0."""
    obs, rules, row = table.deal.observe(PERSON), table.rules, table.row
    tricks = past_tricks(obs)
    last = tricks[-1] if tricks else []
    shared = shared_of(row)
    over, asks = table.deal.is_over, table.asks_moon
    can_pass = obs.phase == "pass" and PERSON in table.deal.to_pass
    course = table.course
    view = View(
        event=event,
        rules=table.rules_text,
        names=table.names,
        players=[table.settings.name, *table.settings.players],
        practice=table.settings.practice,
        deal=row.number,
        phase="moon"
        if asks
        else "end"
        if table.game_over
        else "over"
        if over
        else "pass"
        if obs.phase == "pass"
        else "play",
        direction=table.deal.pass_direction,
        pass_count=rules.pass_count,
        may_pass=names(obs.may_pass) if can_pass else [],
        hand=names(obs.hand),
        legal=names(obs.legal) if obs.to_move == PERSON else [],
        passed=names(obs.passed),
        received=names(obs.received),
        to_move=obs.to_move,
        leader=obs.trick[0][0] if obs.trick else obs.to_move,
        plays=len(obs.history),
        trick=[(seat, card_name(card)) for seat, card in obs.trick],
        last=[(seat, card_name(card)) for seat, card in last],
        last_winner=trick_winner(last) if last else None,
        hand_sizes=list(obs.hand_sizes),
        tricks_won=list(obs.tricks_won),
        points=list(table.deal.points if over and not asks else obs.points),
        taken=[names(card for card in cards if rules.card_points(card)) for cards in obs.taken],
        breaking=rules.hearts == "broken",
        broken=obs.hearts_broken,
        scores=course[-1],
        course=course,
        limit=None if rules.deals is not None or table.settings.only is not None else rules.limit,
        claims=table.claims,
        can_undo=table.can_undo,
        can_leave=table.can_leave,
        undos=row.undos,
        commitment=table.commitment,
        promise=shared.promise if shared else "",
        share=row.share,
        winners=table.winners,
        faults=table.seat_faults(),
    )
    if over and not asks:
        view.reveal = reveal(row, table.deal)
    return view


def reveal(row: Row, deal: Deal) -> Reveal:
    """The whole deal. Only for deals that are over."""
    if not deal.is_over:
        raise ValueError("a running deal is not revealed")
    passed = [cards.names() for cards in deal.passed] if deal.pass_direction != "hold" else None
    hands = [cards.names() for cards in deal.dealt]
    return Reveal(row.seed, row.salt, row.secret, hands, deal.kitty.names(), passed, list(deal.points), deal.shooter)
