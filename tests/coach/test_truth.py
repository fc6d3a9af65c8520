"""One truth: all numbers of a card come from the same deals, add up, and agree with the advice.

Each test here stands for something that the coach once did wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="needs the extra web")

from support import search_twin as twin
from support.ideas import moon_positions

from heartlab.cards import CARDS, QUEEN_OF_SPADES, CardSet, card_name, pretty_card
from heartlab.coach.coach import Coach, Seats
from heartlab.coach.ideas import ideas_for
from heartlab.coach.judgement import LOTS, Judge, effective, is_unsure, told_apart
from heartlab.coach.playing_on import SOMEBODY, PlayingOn, draw, stand_ins
from heartlab.coach.values import about_same
from heartlab.deal import Deal
from heartlab.learners.whole_game.likelihood import first_alike, weigh_by_hands, weigh_by_play
from heartlab.learners.whole_game.lookahead import new_board
from heartlab.players import Observations
from heartlab.players.analysis import observe_decision
from heartlab.rules import Rules
from heartlab.web.bots import Bots

pytestmark = pytest.mark.slow  # the kernels of the coach take long to compile

NAMES = ["You", "Ada", "Emil", "Ines"]
SEATS = Seats(NAMES, ["net", "gnome:jake", "gnome:peter", "gnome"])


@pytest.fixture(scope="module")
def coach():
    return Coach(Judge(worlds=48))


def decisions(seeds: range, rules: str = "standard") -> Iterator[Deal]:
    """Decisions of seat 0 with a choice, in deals of the gnome family."""
    bots = Bots()
    for seed in seeds:
        deal = Deal(rules, seed, 3)
        while deal.to_move is not None:
            if deal.to_move == 0 and len(deal.legal) > 1:
                yield deal.copy()
            deal.play(bots.play("gnome:peter" if deal.to_move % 2 else "gnome", deal.observe(deal.to_move)))


@pytest.fixture(scope="module")
def hints(coach):
    return [(deal, coach.hint(deal, SEATS)) for deal in decisions(range(8))]


def test_points_are_queen_hearts_and_moons(hints):
    """ "4♦ 0.3 points, spread 0.0 to 0.0, moon 35 %": never again."""
    rows = [row for _, hint in hints for row in hint.cards]
    for row in rows:
        added = 13 * row.queen + row.hearts + 26 * row.moon - 52 * row.own_moon
        assert added == pytest.approx(row.expected, abs=0.01)
        assert row.expected >= 26 * row.moon - 26 * row.own_moon - 0.01
        assert row.low <= row.expected + 26 * (row.own_moon > 0) or row.low <= row.high
    assert len(rows) > 200
    assert sum(row.moon > 0.05 for row in rows) >= 5


def test_the_advice_is_the_card_with_the_fewest_points(hints):
    """Or one that is about the same; and never the riskiest card where another seat has all the points."""
    threatened = 0
    for _, hint in hints:
        best = min(row.expected for row in hint.cards)
        assert about_same(hint.cards[0].expected - best, 0.3)
        worse = [row for row in hint.cards if not row.equal]
        assert all(row.expected > best for row in worse)
        moons = [row.moon for row in hint.cards]
        if max(moons) >= 0.2 and max(moons) - min(moons) >= 0.2:
            threatened += 1
            assert hint.cards[0].moon < max(moons)
    for code, deal in moon_positions():
        judged = Judge().judge(deal, 0)
        moons = {card: one.moon for card, one in judged.outcomes.items()}
        if code != "shoot-moon":
            threatened += 1
            assert moons[judged.best] < max(moons.values()), (code, deal.hands[0])
    assert threatened >= 24


def test_the_naked_queen_is_passed():
    """Q♠ with at most one lower spade, without A♠ and K♠, is kept only if that is as good in the coach's own eyes."""
    judge, dice, kept = Judge(worlds=120), np.random.default_rng(5), 0
    for _ in range(6):
        others = [card for card in CARDS if card // 13 != 2]
        low = int(dice.integers(26, 36))
        hand = CardSet([QUEEN_OF_SPADES, low, *(int(card) for card in dice.choice(others, 11, replace=False))])
        rest = [int(card) for card in dice.permutation([card for card in CARDS if card not in hand])]
        deal = Deal.from_hands([hand, *(CardSet(rest[13 * i : 13 * i + 13]) for i in range(3))], pass_direction="left")
        found = judge.passes(deal.observe(0), 0)
        kept += QUEEN_OF_SPADES not in found[0].cards
        if QUEEN_OF_SPADES not in found[0].cards:
            assert any(QUEEN_OF_SPADES in one.cards and abs(one.cost) <= 3 * one.cost_se for one in found)
    assert kept <= 1


def test_every_sentence_speaks_for_the_advice(hints, coach):
    """Before "More" a sentence about another card says that it is worse; nothing is said against the coach's card."""
    checked = 0
    for deal, hint in hints:
        judged = coach.judge.judge(deal, 0, None, SEATS.players)
        ideas = {one.sentence for one in ideas_for(judged, judged.best, NAMES)}
        for text in hint.words:
            if (
                text in ideas
                or text.startswith(("It is the only", "You shoot the moon with any"))
                or text.endswith(("whichever you play.", "more points with any of them.", "nothing more can happen."))
            ):
                continue
            checked += 1
            named = text.replace("take Q♠", "take her").replace("if you play her now", "after Q♠")
            text = named.replace("in none", "in 0").replace("in all 100", "in 100").replace("in all", "in 100")
            text = text.replace("hardly any points", "0 points").replace("no points", "0 points")
            cards = re.findall(r"[2-9TJQKA][♣♦♠♥]", text)
            assert cards[0] == pretty_card(judged.best), text
            assert cards[1] != cards[0]
            numbers = [float(number) for number in re.findall(r"\d+(?:\.\d)?", re.sub("[2-9][♣♦♠♥]|of 100", "", text))]
            if "points less" not in text:
                better = numbers[0] > numbers[1] if text.startswith("You shoot") else numbers[0] < numbers[1]
                assert better, text
        for text in hint.more:
            found = re.search(r"makes (..) [\d.]+ points (worse|better)", text)
            assert not found or (found[1] == pretty_card(judged.best)) == (found[2] == "better"), text
    assert checked >= 20


def test_ties_are_called_ties(hints):
    """ "Play X" only if X is better than something; "any card" only if all are about the same."""
    ties = 0
    for _, hint in hints:
        equal = [row.card for row in hint.cards if row.equal]
        tie = len(equal) == len(hint.cards)
        ties += tie
        assert hint.first.startswith("Any card") == tie
        assert (
            hint.first.count("♣") + hint.first.count("♦") + hint.first.count("♠") + hint.first.count("♥") == 0
        ) == tie
        if len(equal) == 1:
            assert re.fullmatch(r"Play (..)\.", hint.first)
        if tie:
            known = (
                r"You end with about -?\d+\.\d points whichever you play\.|You take no more points with any of them\."
                r"|You shoot the moon with any of them\.|Shoot the moon: .*|.* the moon .* whichever you play\."
            )
            assert re.fullmatch(known, hint.words[0])
            assert hint.more == []
    assert 5 <= ties <= 0.6 * len(hints)


def test_the_coach_is_brief(hints, coach):
    """At most two sentences, and 30 words on average before "More"; no names of models, weights or seeds in them."""
    counts = []
    for _, hint in hints:
        text = " ".join([hint.first, *hint.words])
        counts.append(len(text.split()))
        assert 1 <= len(hint.words) <= 2
        assert not re.search(r"weight|seed|gnome|net\b|Learned|standard error", text), text
    for seed in range(3):
        hint = coach.pass_hint(Deal("standard", seed, 0).observe(0), SEATS)
        counts.append(len(" ".join([hint.first, *hint.words]).split()))
        assert 1 <= len(hint.words) <= 2
    assert np.mean(counts) <= 30
    assert max(counts) <= 45


def test_other_rules_fall_back_openly(coach):
    """Rules that the network does not know: simple players go on, the note says so, and the numbers still add up."""
    deal = next(decisions(range(1), "spot"))
    judged = coach.judge.judge(deal, 0)
    assert judged.source == "simple"
    hint = coach.hint(deal, Seats(NAMES, stand_ins(["gnome", "uct", "gnome:jake"])))
    assert "by simple rules (gnome:peter, gnome, gnome:jake)" in hint.note
    for row in hint.cards:
        assert row.queen * deal.rules.queen_points + row.hearts + row.bonus + row.moons == pytest.approx(
            row.expected, abs=0.01
        )
    assert stand_ins(["gnome", "uct", "net"]) == ["net", "gnome", SOMEBODY, "net"]


def test_an_unsure_judgement_looks_at_more_worlds():
    """In lots of other worlds, until the best card is clear of the noise; all numbers count all lots."""
    dice = np.random.default_rng(1)
    noise, clear = dice.normal(5, 8, (2, 200)), np.vstack([dice.normal(0, 1, 200), dice.normal(9, 1, 200)])
    assert is_unsure(noise, 200)
    assert not is_unsure(noise, 200_000), "the standard error is small"
    assert not is_unsure(clear, 200)
    assert not is_unsure(np.vstack([noise[0], noise[0]]), 2), "equal in each world"
    judge, counts = Judge(), []
    for deal in list(decisions(range(2)))[:6]:
        judged = judge.judge(deal, 0, None, SEATS.players)
        batch = Observations.of(judged.obs)
        tried, _ = told_apart(batch, sorted(judged.outcomes))
        lot = len(judge._worlds(batch, judged.obs, len(tried), SEATS.players))
        assert len(judged.worlds) % lot == 0
        assert judged.analysis.worlds == len(judged.worlds)
        counts.append(len(judged.worlds) // lot)
        one = judged.outcomes[judged.best]
        assert 13 * one.queen + one.hearts + 26 * one.moon - 52 * one.own_moon == pytest.approx(one.points)
        if counts[-1] > 1:
            first, other = (judged.worlds["hands"][part * lot : (part + 1) * lot] for part in (0, 1))
            assert not np.array_equal(np.unique(first, axis=0), np.unique(other, axis=0))
    assert max(counts) > 1
    assert max(counts) <= LOTS
    worlds = np.concatenate([judged.worlds[:1], judged.worlds[:1]])
    assert effective(worlds) == 1


def test_cards_that_nobody_can_come_between_are_the_same(coach):
    """8♠ and 9♠ in one hand: the same numbers, and never one of them alone."""
    pairs = 0
    for deal in decisions(range(4)):
        hint = coach.hint(deal, SEATS)
        rows = {row.card: row for row in hint.cards}
        legal = sorted(deal.legal)
        for one, other in pairwise(legal):
            if alike(deal, one, other):
                pairs += 1
                here, there = (rows[card_name(card)] for card in (one, other))
                assert (here.expected, here.queen, here.moon, here.equal) == (
                    there.expected, there.queen, there.moon, there.equal
                )  # fmt: skip
    assert pairs > 20


def test_worlds_follow_from_what_was_played():
    """Somebody who throws a low card of a suit that she leads high is not likely to hold what she would have played.

    A card of `gnome` at each turn is certain, given its hand: in the worlds that are picked, the cards played are what
    `gnome` would have played with these hands far more often than in worlds at random.
    """
    bots, playing_on = Bots(), PlayingOn()
    seats = ["net", "gnome", "gnome", "gnome"]
    agreed = np.zeros(2)
    for seed in (1, 2):
        deal = Deal("standard", seed, 3)
        while len(deal.history) < 20 or deal.to_move != 0:
            deal.play(bots.play(seats[deal.to_move], deal.observe(deal.to_move)))
        batch = Observations.of(observe_decision(deal, 0))
        for which, worlds in enumerate((playing_on.likely(batch, 12, seats), draw(batch, 12)[0])):
            for number in range(len(worlds)):
                world = Deal._from_state(deal.rules, worlds[number : number + 1].copy(), deal.history)
                agreed[which] += agreement(world, bots)
    assert agreed[0] > agreed[1] + 12, agreed


def agreement(world: Deal, bots: Bots) -> int:
    """How many cards of seats 1 to 3 are those of `gnome`."""
    again = Deal.from_hands(world.dealt, world.rules, pass_direction="hold")
    found = 0
    for card in world.history:
        if again.to_move != 0:
            found += bots.play("gnome", again.observe(again.to_move)) == card
        again.play(card)
    return found


def alike(deal: Deal, one: int, other: int) -> bool:
    """Whether two cards of the hand are as good as each other: nobody else can play a card between them."""
    obs = deal.observe(deal.to_move)
    if one // 13 != other // 13 or {one, other} & {QUEEN_OF_SPADES, 22}:
        return one == other
    low, high = sorted((one, other))
    seen = obs.unseen | CardSet([card for _, card in obs.trick])
    return not any(card in seen or card in (QUEEN_OF_SPADES, 22) for card in range(low + 1, high))


def test_the_weight_of_a_world_is_that_of_a_plain_replay():
    """The logarithms of the chances of all cards of the others, card by card."""
    bots, playing_on = Bots(), PlayingOn()
    seats = ["net", "gnome", "gnome:jake", "random"]
    deal = Deal("standard", 4, 3)
    while len(deal.history) < 16 or deal.to_move != 0:
        deal.play(bots.play(seats[deal.to_move], deal.observe(deal.to_move)))
    batch = Observations.of(observe_decision(deal, 0))
    worlds, logs = draw(batch, 6)[0], np.zeros(6)
    slips = np.array([0.0, 0.05, 0.25, 0.0])
    board = new_board(playing_on.learned.playing, playing_on.learned.passing)
    history = batch.records["history"][0].astype(np.int8)
    party = playing_on.party(deal.rules, seats)
    weigh_by_play(batch.compiled, worlds, history, 0, party, slips, board, np.uint64(1), logs)
    for number, found in enumerate(logs):
        world = Deal._from_state(deal.rules, worlds[number : number + 1].copy(), deal.history)
        again, total = Deal.from_hands(world.dealt, deal.rules, pass_direction="hold"), 0.0
        for card in deal.history:
            seat, legal = again.to_move, len(again.legal)
            if seat and legal > 1:
                same = seat < 3 and alike(again, bots.play(seats[seat], again.observe(seat)), card)
                chance = 1 / legal if seat == 3 else float(same)
                total += np.log((1 - slips[seat]) * chance + slips[seat] / legal)
            again.play(card)
        assert found == pytest.approx(total)
    assert len(set(np.round(logs, 6))) > 1


@pytest.mark.parametrize("others", [["net", "net", "net"], ["gnome:jake", "gnome:peter", "gnome:ling"]])
def test_what_a_seat_does_with_a_hand_is_the_same_in_all_worlds(others):
    """Weights for which each hand is asked once are those for which every world is asked, to the last bit."""
    bots, playing_on = Bots(), PlayingOn()
    seats = ["net", *others]
    drivers = ["net" if name == "net" else "gnome:peter" for name in seats]
    deal = Deal("standard", 6, 3)
    while len(deal.history) < 36 or deal.to_move != 0:
        deal.play(bots.play(drivers[deal.to_move], deal.observe(deal.to_move)))
    batch = Observations.of(observe_decision(deal, 0))
    worlds, found = draw(batch, 600)[0], np.zeros((2, 600))
    history = batch.records["history"][0].astype(np.int8)
    party, slips, key = playing_on.party(deal.rules, seats), np.full(4, 0.25), np.uint64(1)
    board = new_board(playing_on.learned.playing, playing_on.learned.passing)
    alone = np.repeat(np.arange(600)[:, None], 4, axis=1)
    assert (first_alike(worlds) < alone)[:, 1:].mean() > 0.2  # many hands come again
    for logs, alike in zip(found, (alone, first_alike(worlds)), strict=True):
        weigh_by_hands(batch.compiled, worlds, alike, history, 0, party, slips, board, key, logs)
    assert (found[0] == found[1]).all()
    assert len(set(found[0])) > 50


def test_solved_deals_go_on_as_a_plain_solver_says():
    """The last three tricks: the points of every seat after each card are those of max^n in plain Python."""
    for seed in range(4):
        deal, referee = twin.late_position(Rules.parse("seed"), seed, 3, seed % 3)
        batch, cards = Observations.of(observe_decision(deal, 0)), sorted(deal.legal)
        ends = PlayingOn().after_cards(batch, deal._states.copy(), cards, ["net"] * 4, solve=True)
        for index, card in enumerate(cards):
            end = Deal._from_state(deal.rules, ends.states[index].copy(), [int(one) for one in ends.history[index]])
            wanted = twin.maxn(twin.after(referee, card), 99, twin.final_points)
            assert end.points[deal.to_move] == wanted[deal.to_move]
