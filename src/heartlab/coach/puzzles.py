"""Puzzles from one's own mistakes, repeated at growing intervals as long as they are solved."""

from __future__ import annotations

import hashlib

import msgspec

from heartlab.cards import SUIT_CHARS, Card, card_name, card_names, parse_card, pretty_card
from heartlab.coach.judgement import Judge
from heartlab.coach.values import Decision, Graded, PuzzleView
from heartlab.deal import Deal
from heartlab.records.format import to_json
from heartlab.records.reader import from_json

DAYS = [0, 1, 3, 7, 21, 60]
"""Days until a puzzle comes back, by how often it was solved in a row."""
CLOSE = 0.15
"""An answer that costs no more than this is right."""


class Kept(msgspec.Struct):
    """A puzzle as the store keeps it: the deal up to the decision, and what the coach said."""

    record: str
    best: str
    words: list[str]
    names: list[str]


def make_puzzle(before: Deal, decision: Decision, seats: list[str]) -> bytes:
    """A decision as a puzzle."""
    return msgspec.json.encode(Kept(to_json(before.to_record()), decision.best, decision.words, seats))


def origin_of(person: str, body: bytes) -> str:
    """The identity of a puzzle: a hash of the person and the position."""
    record = msgspec.json.decode(body, type=Kept).record
    return hashlib.sha256(f"{person}\n{record}".encode()).hexdigest()


def show_puzzle(number: int, body: bytes, waiting: int) -> PuzzleView:
    """A puzzle as the person on seat 0 sees it."""
    kept = msgspec.json.decode(body, type=Kept)
    deal = Deal.from_record(from_json(kept.record))
    obs = deal.observe(deal.to_move or 0)
    tricks = obs.past_tricks
    return PuzzleView(
        puzzle=number,
        text=f"Trick {obs.trick_number + 1}: which card costs least?",
        names=kept.names,
        hand=card_names(obs.hand),
        legal=card_names(obs.legal),
        trick=[(seat, card_name(card)) for seat, card in obs.trick],
        played=[card_names(cards) for cards in obs.played],
        points=list(obs.points),
        broken=obs.hearts_broken,
        waiting=waiting,
        rules=str(deal.rules),
        breaking=deal.rules.hearts == "broken",
        last=[(seat, card_name(card)) for seat, card in tricks[-1]] if tricks else [],
        hand_sizes=list(obs.hand_sizes),
        tricks_won=list(obs.tricks_won),
        voids=[[SUIT_CHARS[suit] for suit in obs.voids(seat)] for seat in range(deal.rules.players)],
        passed=card_names(obs.passed),
        received=card_names(obs.received),
        direction=deal.pass_direction,
    )


def grade(judge: Judge, number: int, body: bytes, stage: int, card: Card, now: float) -> tuple[Graded, int, float]:
    """Whether a card solves a puzzle, its next stage, and when it is due again.

    :raises ValueError: if the card is not legal there.
    """
    kept = msgspec.json.decode(body, type=Kept)
    deal = Deal.from_record(from_json(kept.record))
    if card not in deal.legal:
        raise ValueError(f"{pretty_card(card)} is not legal in this puzzle: {deal.rule_against(card)}")
    found = judge.analyse(deal, 0, card)
    right = card == parse_card(kept.best) or found.cost <= CLOSE
    stage = min(stage + 1, len(DAYS) - 1) if right else 0
    cards = [(card_name(one.card), round(one.expected, 2)) for one in found.cards]
    text = " ".join(kept.words)
    return Graded(number, right, kept.best, text, cards), stage, now + (DAYS[stage] * 86400 if right else 600)
