"""The warning of a moon: it comes in time, agrees with the hint, and never speaks of a seat that cannot shoot."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="needs the extra web")

from support.ideas import moon_positions

from heartlab.cards import CardSet, parse_cards, pretty_card
from heartlab.coach.coach import Coach, Seats
from heartlab.coach.counting import collector, count_cards, moon_warning
from heartlab.coach.judgement import Judge
from heartlab.coach.playing_on import stand_ins
from heartlab.coach.reasons import reasons_for
from heartlab.coach.scene import MOON_ALARM
from heartlab.deal import Deal
from heartlab.rules import Rules
from heartlab.web.bots import Bots

pytestmark = pytest.mark.slow  # the kernels of the coach take long to compile

SCALE = int(os.environ.get("HEARTLAB_SCALE", "1"))
NAMES = ["You", "Ada", "Emil", "Ines"]
SEATS = Seats(NAMES, ["net"] * 4)
CARD = {pretty_card(card): card for card in range(52)}


@pytest.fixture(scope="module")
def judge():
    return Judge(worlds=32)


def all_with_one(seeds: range) -> Iterator[Deal]:
    """Decisions while a seat has all points: it plays high cards, the others play at random."""
    for seed in seeds:
        deal, rng = Deal("standard", seed, 3), np.random.default_rng(seed)
        while deal.to_move is not None and not deal.is_over:
            legal = sorted(deal.legal, key=lambda card: card % 13)
            if deal.to_move == 0 and len(deal.history) > 8 and collector(deal.observe(0)) is not None:
                yield deal.copy()
            deal.play(legal[-1] if deal.to_move == seed % 4 else int(rng.choice(legal[: 1 + len(legal) // 2])))


def can_shoot(deal: Deal, seat: int) -> bool:
    """Whether a seat can still take everything, by the cards that everybody has seen: plain Python.

    Nobody else has a point, and the trick on the table is not lost to it with points in it.
    """
    obs = deal.observe(0)
    if any(deal.rules.card_points(card) > 0 for other in range(4) if other != seat for card in obs.taken[other]):
        return False
    led = [(card, who) for who, card in obs.trick if card // 13 == obs.led]
    points = any(deal.rules.card_points(card) > 0 for _, card in obs.trick)
    return not (points and led and max(led)[1] != seat and seat in [who for who, _ in obs.trick])


def check_warning(judge: Judge, deal: Deal) -> str:
    """The warning of a decision, after a look at all that must be true of it."""
    coach = Coach(judge)
    obs, hint = deal.observe(0), coach.hint(deal, SEATS)
    told, holder = coach.moon(obs, SEATS), collector(obs)
    rows = {row.card: row for row in hint.cards}
    judged = judge.judge(deal, 0, None, SEATS.players)
    best = hint.cards[0]
    shares = [row.own_moon if holder == 0 else row.moon for row in rows.values()]
    loud = best.own_moon if holder == 0 else max(shares)
    shot = holder is not None and sum(deal.rules.card_points(card) for card in obs.taken[holder]) == 26
    if abs(loud - MOON_ALARM) > 1e-3:
        assert bool(told.text) == (holder is not None and not shot and loud >= MOON_ALARM)
    assert (told.seat is not None) == bool(told.text)
    if not told.text:
        return ""
    assert told.share == pytest.approx(best.own_moon if holder == 0 else best.moon, abs=1e-3)
    assert can_shoot(deal, told.seat)
    if told.seat == 0:
        assert "😉" in told.text
        return "wink"
    assert NAMES[told.seat] in told.text
    assert "😉" not in told.text
    kept = re.search(r"keep (..) ", told.text)
    assert not kept or CARD[kept[1]] not in judged.equal, (told.text, hint.first)
    words, codes = reasons_for(judged, judged.best, NAMES)
    if "Stop " in told.text or " harder: " in told.text:
        assert told.text.split(". ", 1)[1] in words
        return "stop"
    assert "stop-moon" not in codes
    shown = set(re.findall(r"in (\d+|none|all)", told.text))
    assert str(min(99, max(1, round(100 * judged.outcomes[judged.best].moon)))) in shown or shown & {"none", "all"}
    least = min(judged.outcomes.values(), key=lambda one: one.moon).moon
    if "no card" in told.text:
        assert judged.outcomes[judged.best].moon - least < 0.03
        return "no card"
    named = re.findall(r"after (..)", told.text)
    most = max(judged.outcomes.values(), key=lambda one: one.moon).moon
    assert all(CARD[card] in judged.equal or judged.outcomes[CARD[card]].moon == most for card in named)
    if "costs more" in told.text:
        assert all(judged.outcomes[card].moon > least for card in judged.equal)
    return "named" if named else "costs"


def test_the_warning_says_what_the_hint_says():
    """In the same numbers, and never to keep a card that the hint would play."""
    judge, kinds = Judge(worlds=128), []
    for _, deal in moon_positions():
        kinds.append(check_warning(judge, deal))
    assert kinds.count("stop") >= 15, kinds
    assert kinds.count("wink") >= 2, kinds


def test_no_warning_of_a_seat_that_cannot_shoot(judge):
    """Over deals at random, at every decision while one seat has all points; and a wink when it is one's own."""
    kinds = [check_warning(judge, deal) for deal in all_with_one(range(28 * SCALE))]
    assert len(kinds) > 60
    assert sum(map(bool, kinds)) > 10, kinds
    assert "wink" in kinds


def test_a_card_among_the_best_is_not_to_be_kept(monkeypatch):
    """Two cards are about the same, the higher one a stopper: it may be played, so nobody is told to keep it."""
    judge, found = Judge(worlds=128), 0
    for _, deal in moon_positions():
        judged = judge.judge(deal, 0, None, SEATS.players)
        text = coach_text(judge, deal)
        kept = re.search(r"keep (..) to take", text)
        if kept is None:
            continue
        found += 1
        monkeypatch.setattr(type(judged), "equal", property(lambda self, card=CARD[kept[1]]: [self.best, card]))
        assert kept[0] not in coach_text(judge, deal)
        monkeypatch.undo()
    assert found >= 2


def coach_text(judge: Judge, deal: Deal) -> str:
    """The hint and the warning."""
    coach = Coach(judge)
    hint = coach.hint(deal, SEATS)
    return " ".join([*hint.words, coach.moon(deal.observe(0), SEATS).text])


class Foretold:
    """A judge that gives the seats these chances of a moon, whatever is played."""

    def __init__(self, shares: list[float]) -> None:
        self.shares = shares

    def risk(self, obs: object, seed: int, seats: object) -> tuple[list[float], int]:
        return self.shares, 100


def test_nothing_is_said_before_a_point_has_fallen_or_once_they_are_split():
    """Seven hearts with K and Q in one's own hand, and no point has fallen: nobody is near a moon. Nor is anybody once
    two seats have points."""
    judge = Judge(worlds=8)
    hand = CardSet("KH QH 9H 7H 5H 3H 2H 2C 3C 4D 5D 6S 7S")
    rest = [card for card in range(52) if card not in hand]
    deal = Deal.from_hands([hand, *(CardSet(rest[i::3]) for i in range(3))], "standard", pass_direction="hold")
    assert moon_warning(judge, deal.observe(0), NAMES, None, 0).text == ""
    split, rng = 0, np.random.default_rng(3)
    deal = Deal("standard", 3, 3)
    while deal.to_move is not None:
        obs = deal.observe(0)
        if sum(any(deal.rules.card_points(card) for card in cards) for cards in obs.taken) > 1:
            split += 1
            assert moon_warning(Foretold([1.0] * 4), obs, NAMES, None, 0).seat is None
        deal.play(int(rng.choice(sorted(deal.legal))))
    assert split


def test_while_others_play_the_panel_says_what_stops_a_moon():
    """There is no hint then; what hardly ever succeeds is no alarm."""
    rings = winks = 0
    for deal in all_with_one(range(4)):
        while deal.to_move == 0:
            deal.play(min(deal.legal))
        obs = deal.observe(0)
        holder = collector(obs)
        if deal.to_move is None or holder is None:
            continue
        for risk in (0.0, MOON_ALARM - 0.01, 0.5):
            told = moon_warning(Foretold([risk] * 4), obs, NAMES, None, 0)
            assert bool(told.text) == (risk == 0.5) == (told.seat is not None)
            panel = count_cards(Foretold([risk] * 4), obs, NAMES)
            assert not told.text or panel.moon_text == told.text
            if told.text:
                assert "in 50 of 100 deals" in told.text
                rings, winks = rings + (holder != 0), winks + (holder == 0)
                assert ("😉" in told.text) == (holder == 0)
                assert holder == 0 or (NAMES[holder] in told.text and "take a point" in told.text)
    assert rings
    assert winks


def test_a_bonus_does_not_hide_points():
    """Who took J♦ and a heart has points, though they sum up below zero."""
    hands = [CardSet(hand) for hand in ["AD 3H", "JD 3C", "2H 4C", "3D 5C"]]
    removed = CardSet(((1 << 52) - 1) & ~sum(hand.mask for hand in hands))
    deal = Deal.from_hands(hands, Rules.parse("seed,bonus=JD").replace(removed=removed), leader=1)
    for card in parse_cards("JD 2H 3D AD"):
        deal.play(card)
    obs = deal.observe(0)
    assert collector(obs) == 0
    told = moon_warning(Judge(worlds=4), obs, NAMES, None, 0)
    assert told.seat == 0
    assert told.text == "All points so far are yours (1), and in all 100 deals you shoot the moon 😉"


@pytest.mark.slow
def test_the_moon_risk_depends_on_who_sits_there(judge):
    """Three players that shoot the moon when they can, and three that never try."""
    bots, risks = Bots(), []
    for seed in range(6 * SCALE):
        deal = Deal("standard", seed, 3)
        while len(deal.history) < 16 or deal.to_move != 0:
            deal.play(bots.play("gnome", deal.observe(deal.to_move)))
        tables = (stand_ins([name] * 3) for name in ("gnome", "gnome:peter"))
        risks.append([sum(Judge(worlds=60).risk(deal.observe(0), 0, seats)[0][1:]) for seats in tables])
    plain, sly = np.mean(risks, axis=0)
    assert sly > 1.5 * plain
