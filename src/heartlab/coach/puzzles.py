"""Puzzles from one's own mistakes, repeated at growing intervals as long as they are solved."""

from __future__ import annotations

import hashlib

import msgspec

from heartlab.cards import SUIT_CHARS, Card, card_name, card_names, pretty_card
from heartlab.coach.judgement import Judge
from heartlab.coach.reasons import reasons_for
from heartlab.coach.values import Decision, Graded, PuzzleView
from heartlab.deal import Deal
from heartlab.records.format import to_json
from heartlab.records.reader import from_json
from heartlab.util.said import Said, in_a_row

DAYS = [0, 1, 3, 7, 21, 60]
"""Days until a puzzle comes back, by how often it was solved in a row."""
AGAIN = 600
"""Seconds until a puzzle comes back that was not solved."""


class Kept(msgspec.Struct):
    """A puzzle as the store keeps it: the deal up to the decision."""

    record: str
    best: str
    words: list[str]
    """Not read any more: a puzzle is judged anew when it is answered."""
    names: list[str]
    card: str = ""
    """The card that was played; empty in puzzles that 0.1 kept."""
    players: list[str] = []
    """Who plays on (see `stand_ins`); nobody in particular in puzzles that 0.1 kept."""


def make_puzzle(before: Deal, decision: Decision, seats: list[str], players: list[str] | None = None) -> bytes:
    """A decision as a puzzle."""
    record = to_json(before.to_record())
    return msgspec.json.encode(Kept(record, decision.best, [], seats, decision.card, players or []))


def origin_of(person: str, body: bytes) -> str:
    """The identity of a puzzle: a hash of the person and the position."""
    record = msgspec.json.decode(body, type=Kept).record
    return hashlib.sha256(f"{person}\n{record}".encode()).hexdigest()


def show_puzzle(number: int, body: bytes, waiting: int, stage: int = 0) -> PuzzleView:
    """A puzzle as the person on seat 0 sees it; `stage` says how often it was solved in a row."""
    kept = msgspec.json.decode(body, type=Kept)
    deal = Deal.from_record(from_json(kept.record))
    obs = deal.observe(deal.to_move or 0)
    tricks = obs.past_tricks
    return PuzzleView(
        puzzle=number,
        text=Said("Trick {trick}: which card costs least?", trick=obs.trick_number + 1),
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
        stage=stage,
        days=DAYS[1:],
    )


def grade(judge: Judge, number: int, body: bytes, stage: int, card: Card, now: float) -> tuple[Graded, int, float]:
    """Whether a card solves a puzzle, its next stage, and when it is due again.

    The position is judged anew: what is called right is what the values that are shown say.

    :raises ValueError: if the card is not legal there.
    """
    kept = msgspec.json.decode(body, type=Kept)
    deal = Deal.from_record(from_json(kept.record))
    if card not in deal.legal:
        raise ValueError(f"{pretty_card(card)} is not legal in this puzzle: {deal.rule_against(card)}")
    judged = judge.judge(deal, 0, card, kept.players or None)
    found = judged.analysis
    right = card in judged.equal
    stage = min(stage + 1, len(DAYS) - 1) if right else 0
    cards = [(card_name(one.card), round(one.expected, 2)) for one in found.cards]
    words, _ = reasons_for(judged, judged.best, kept.names)
    if right and card != judged.best:
        words = [Said("{card} is about as good.", card=pretty_card(card)), *words]
    best = card_name(judged.best)
    graded = Graded(number, right, best, in_a_row(words), cards, card_name(card), kept.card, again_words(stage, right))
    return graded, stage, now + (DAYS[stage] * 86400 if right else AGAIN)


def again_words(stage: int, right: bool) -> Said:
    """When a puzzle comes back, and how far it has come."""
    if not right:
        return Said("It comes back in {minutes} minutes.", minutes=AGAIN // 60)
    if stage == 1:
        return Said("Solved once: it comes back tomorrow.")
    return Said("Solved {n} times in a row: it comes back in {days} days.", n=stage, days=DAYS[stage])
