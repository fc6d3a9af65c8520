"""The referee against positions worked out by hand, and against OpenSpiel's Hearts.

The positions are whole deals of a few cards: every card that is not in a hand or the kitty is removed from the pack.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from support.referee import MoonChoice, Referee, is_heart, penalty_points

from heartlab.cards import CARDS, JACK_OF_DIAMONDS, QUEEN_OF_SPADES, Card, CardSet, card_rank, parse_card, parse_cards
from heartlab.envs.openspiel import (
    DEFAULT_FLAGS,
    deal_openspiel,
    from_openspiel,
    openspiel_points,
    openspiel_rules,
    to_openspiel,
)
from heartlab.rules import POOL, PRESETS, RANDOM_OFFSET, SCATTER, Rules

FREE = "seed"
"""No passing, any card may be led and played, moon on the others."""
LEAD = "standard,passing=hold,opening=random,first_trick_points=yes"
"""Any opening lead, but hearts have to be broken: rules on leading can be seen at the first card."""


def small_deal(rules: str, *hands: str, kitty: str = "", **options: Any) -> Referee:
    """A deal of these cards alone; without a leader given, seat 0 leads where the rules do not say."""
    dealt = CardSet(" ".join([*hands, kitty]))
    removed = CardSet(card for card in CARDS if card not in dealt).names().replace(" ", "+")
    full_rules = Rules.parse(f"{rules},players={len(hands)},removed={removed}")
    options.setdefault("leader", 0)
    return Referee(full_rules, [parse_cards(hand) for hand in hands], kitty=parse_cards(kitty), **options)


def play(referee: Referee, cards: str) -> Referee:
    """Play these cards in their order, each by whoever is to move."""
    for card in parse_cards(cards):
        referee.play(card)
    return referee


def legal(referee: Referee) -> str:
    """The legal cards by name, in card order."""
    return CardSet(referee.legal()).names()


# --- passing ---


@pytest.mark.parametrize(
    ("pass_code", "hands_after"),
    [
        (0, ["2C 3C", "2D 3D", "2S 3S", "2H 3H"]),
        (1, ["2C 3H", "2D 3C", "2S 3D", "2H 3S"]),
        (2, ["2C 3S", "2D 3H", "2S 3C", "2H 3D"]),
        (3, ["2C 3D", "2D 3S", "2S 3H", "2H 3C"]),
    ],
)
def test_cards_are_passed_by_seats_clockwise(pass_code: int, hands_after: list[str]) -> None:
    rules = "standard,pass_count=1"
    referee = small_deal(rules, "2C 3C", "2D 3D", "2S 3S", "2H 3H", pass_code=pass_code)
    if pass_code:
        for seat in (2, 0, 3, 1):
            assert referee.phase == "pass"
            assert referee.to_move is None
            assert not referee.legal()
            referee.pass_cards(seat, [parse_card("3" + "CDSH"[seat])])
    assert referee.phase == "play"
    assert referee.hands == [set(parse_cards(hand)) for hand in hands_after]


def test_the_leader_is_found_after_passing() -> None:
    referee = small_deal("standard,pass_count=1", "2C 3D", "4C 5D", "6C 7D", "8C 9H", pass_code=3)
    for seat, card in enumerate(parse_cards("2C 5D 7D 9H")):
        referee.pass_cards(seat, [card])
    assert referee.to_move == 3
    assert legal(referee) == "2C"


def test_scatter_gives_the_lowest_card_to_the_left_and_goes_on_clockwise() -> None:
    rules = "standard,passing=scatter"
    referee = small_deal(rules, "2C 4D 3S", "AC 2D KD", "4C 2S 2H", "3C 3H AH", pass_code=SCATTER)
    for seat, cards in enumerate(["3S 2C 4D", "AC KD 2D", "2H 2S 4C", "3C AH 3H"]):
        referee.pass_cards(seat, parse_cards(cards))
    # Seat 0: 2C to 1, 4D to 2, 3S to 3; seat 1: AC to 2, 2D to 3, KD to 0; seat 2: 4C to 3, 2S to 0, 2H to 1;
    # seat 3: 3C to 0, 3H to 1, AH to 2.
    assert referee.hands == [set(parse_cards(h)) for h in ["KD 2S 3C", "2C 2H 3H", "4D AC AH", "3S 2D 4C"]]
    assert referee.to_move == 1


def test_scatter_with_three_seats() -> None:
    rules = "standard,passing=scatter,pass_count=2"
    referee = small_deal(rules, "2C 3C 4C", "2D 3D 4D", "2S 3S 4H", pass_code=SCATTER)
    for seat, cards in enumerate(["4C 2C", "3D 2D", "3S 4H"]):
        referee.pass_cards(seat, parse_cards(cards))
    assert referee.hands == [set(parse_cards(h)) for h in ["3C 3S 3D", "4D 2C 4H", "2S 2D 4C"]]


def test_a_pool_is_dealt_by_the_caller() -> None:
    referee = small_deal("standard,passing=pool,pass_count=1", "2C 3C", "2D 3D", "2S 3S", "2H 3H", pass_code=POOL)
    shares = [[parse_card(name)] for name in ("3D", "3C", "3S", "3H")]
    with pytest.raises(ValueError, match="no pool"):
        referee.deal_pool(shares)
    for seat, card in enumerate(parse_cards("3C 3D 3S 3H")):
        referee.pass_cards(seat, [card])
    assert referee.phase == "pass"
    with pytest.raises(ValueError, match="not the cards of the pool"):
        referee.deal_pool([[parse_card(name)] for name in ("3D", "3C", "3S", "2H")])
    with pytest.raises(ValueError, match="each seat gets 1"):
        referee.deal_pool([shares[0] + shares[1], [], shares[2], shares[3]])
    referee.deal_pool(shares)
    assert referee.hands == [set(parse_cards(h)) for h in ["2C 3D", "2D 3C", "2S 3S", "2H 3H"]]
    assert legal(referee) == "2C"


@pytest.mark.parametrize("cards", ["3C", "3C 4C 5C", "3C 3C", "3C 2D", "3C QS"])
def test_a_pass_that_is_not_allowed_is_refused(cards: str) -> None:
    rules = "standard,passing=left,pass_count=2,pass_high_spades=no"
    hands = ["2C 3C 4C 5C QS", "2D 3D 4D 5D 6D", "2S 3S 4S 5S 6S", "2H 3H 4H 5H 6H"]
    referee = small_deal(rules, *hands, pass_code=1)
    with pytest.raises(ValueError, match=r"has to pass|may not be passed"):
        referee.pass_cards(0, parse_cards(cards))
    referee.pass_cards(0, parse_cards("3C 4C"))
    with pytest.raises(ValueError, match="nothing to pass"):
        referee.pass_cards(0, parse_cards("2C 5C"))


def test_high_spades_may_be_passed_in_the_standard_game() -> None:
    referee = small_deal("standard,pass_count=1", "2C QS", "3C KS", "4C AS", "5C 2D", pass_code=1)
    for seat, card in enumerate(parse_cards("QS KS AS 2D")):
        referee.pass_cards(seat, [card])
    assert [CardSet(hand).names() for hand in referee.hands] == ["2C 2D", "3C QS", "4C KS", "5C AS"]


# --- the opening lead ---

CLUBS_APART = ["5C 2D", "2C 7C", "3C 3H", "4C 4D"]


@pytest.mark.parametrize(
    ("opening", "hands", "kitty", "leader", "cards"),
    [
        ("2C", CLUBS_APART, "", 1, "2C"),
        ("any-club", CLUBS_APART, "", 1, "2C 7C"),
        ("lowest-club", CLUBS_APART, "", 1, "2C"),
        ("lowest-club", ["5C 2D", "9C 7C", "4C 8C", "6C 4H"], "2C 3C", 2, "4C"),
        ("random", CLUBS_APART, "", 3, "4C 4D"),
        ("left-of-dealer", CLUBS_APART, "", 3, "4C 4D"),
    ],
)
def test_the_opening_says_who_leads_what(opening: str, hands: list[str], kitty: str, leader: int, cards: str) -> None:
    kitty_rule = "nobody" if kitty else "none"
    referee = small_deal(f"standard,passing=hold,opening={opening},kitty={kitty_rule}", *hands, kitty=kitty, leader=3)
    assert referee.to_move == leader
    assert legal(referee) == cards


def test_any_club_leaves_the_other_suits_out() -> None:
    referee = small_deal("standard,passing=hold,opening=any-club", "2C AD", "3C 3D", "4C 4D", "5C 5H")
    assert legal(referee) == "2C"


# --- following, and the first trick ---


def test_the_led_suit_is_followed_and_its_highest_card_wins() -> None:
    referee = play(small_deal(FREE, "5C 2D", "7C AD", "AH KH", "6C AS"), "5C")
    assert legal(referee) == "7C"
    play(referee, "7C")
    assert legal(referee) == "KH AH"
    play(referee, "AH")
    assert referee.trick == [(0, parse_card("5C")), (1, parse_card("7C")), (2, parse_card("AH"))]
    play(referee, "6C")
    assert referee.trick == []
    assert referee.to_move == 1
    play(referee, "AD KH AS 2D")
    assert referee.winners == [1, 1]
    assert referee.tricks_won == [0, 2, 0, 0]
    assert referee.history == list(zip([0, 1, 2, 3, 1, 2, 3, 0], parse_cards("5C 7C AH 6C AD KH AS 2D"), strict=True))
    assert referee.taken == [set(), set(parse_cards("5C 7C AH 6C AD KH AS 2D")), set(), set()]
    assert referee.phase == "over"
    assert referee.to_move is None
    assert not referee.legal()


def test_an_illegal_card_is_refused_and_changes_nothing() -> None:
    referee = play(small_deal(FREE, "5C 2D", "7C AD", "AH KH", "6C AS"), "5C")
    for card in parse_cards("AD AH 5C"):
        with pytest.raises(ValueError, match="not legal"):
            referee.play(card)
    assert referee.to_move == 1
    assert len(referee.history) == 1
    with pytest.raises(ValueError, match="not over"):
        referee.points()


FIRST_TRICK = ["2C 3C 4C", "QS 3H 4D", "QH KH 5D", "AH JH TH"]


def test_no_penalty_card_falls_on_the_first_trick_unless_there_is_nothing_else() -> None:
    referee = play(small_deal("standard,passing=hold", *FIRST_TRICK), "2C")
    assert legal(referee) == "4D"
    play(referee, "4D")
    assert legal(referee) == "5D"
    play(referee, "5D")
    assert legal(referee) == "TH JH AH"
    play(referee, "TH 3C")
    assert legal(referee) == "QS 3H"


def test_penalty_cards_may_fall_on_the_first_trick_if_the_rules_say_so() -> None:
    assert legal(play(small_deal("standard,passing=hold,first_trick_points=yes", *FIRST_TRICK), "2C")) == "4D QS 3H"


@pytest.mark.parametrize(
    ("changes", "hand", "cards"),
    [
        ("king_points=10", "KS AS QS", "AS"),
        ("queen_points=0", "QS 3H 4H", "QS"),
        ("heart_points=none", "QS 3H 4H", "3H 4H"),
        ("bonus=JD", "JD QS 3H", "JD"),
        ("bonus=AD", "JD AD 3H", "JD AD"),
        ("doubler=TD", "TD QS 3H", "TD"),
    ],
)
def test_the_first_trick_is_kept_free_of_what_counts(changes: str, hand: str, cards: str) -> None:
    small = small_deal(f"standard,passing=hold,{changes}", "2C 3C 4C", hand, "5C 6C 7C", "8C 9C TC")
    assert legal(play(small, "2C")) == cards


def test_the_first_trick_restricts_leading_and_following_too() -> None:
    strict = "standard,passing=hold,opening=random"
    assert legal(small_deal(strict, "5H QS 2D", "2C 3C 4C", "5C 6C 7C", "8C 9C TC")) == "2D"
    assert legal(small_deal(strict, "5H QS 6H", "2C 3C 4C", "5C 6C 7C", "8C 9C TC")) == "QS"
    follow = small_deal(strict, "4S 2H 4H", "QS 3S 2D", "KS 3D 4D", "AS 5D 6D")
    assert legal(play(follow, "4S")) == "3S"
    forced = small_deal(strict, "4S 2H 4H", "QS 2C 2D", "KS 3D 4D", "AS 5D 6D")
    assert legal(play(forced, "4S")) == "QS"


# --- breaking hearts ---

OTHERS = ["2C 3C 4C", "5C 6C 7C", "8C 9C TC"]


@pytest.mark.parametrize(
    ("changes", "hand", "cards"),
    [
        ("hearts=broken", "2D 2H 3H", "2D"),
        ("hearts=any", "2D 2H 3H", "2D 2H 3H"),
        ("hearts=broken", "2H 3H 4H", "2H 3H 4H"),
        ("hearts=broken", "QS 2H 3H", "QS"),
        ("hearts_before_queen=yes", "QS 2H 3H", "QS 2H 3H"),
        ("hearts_before_queen=yes", "2D QS 3H", "2D QS"),
        ("hearts_before_queen=yes", "2D 2H 3H", "2D"),
        ("queen_after_hearts=yes", "2D QS 3H", "2D"),
        ("queen_after_hearts=yes", "QS 2H 3H", "QS"),
        ("queen_after_hearts=yes,hearts=any", "QS 2H 3H", "2H 3H"),
        ("queen_after_hearts=yes,hearts_before_queen=yes", "QS 2H 3H", "2H 3H"),
    ],
)
def test_what_may_be_led_before_hearts_are_broken(changes: str, hand: str, cards: str) -> None:
    assert legal(small_deal(f"{LEAD},{changes}", hand, *OTHERS)) == cards


@pytest.mark.parametrize("changes", ["hearts=broken", "queen_after_hearts=yes", "hearts_before_queen=yes"])
def test_a_discarded_heart_breaks_hearts(changes: str) -> None:
    referee = small_deal(f"{LEAD},{changes}", "AD QS 4H", "2D 3D 4D", "2H 3C 4C", "5D 6D 7D")
    play(referee, "AD 2D")
    assert not referee.hearts_broken
    play(referee, "2H")
    assert referee.hearts_broken
    play(referee, "5D")
    assert legal(referee) == "QS 4H"


def test_a_led_heart_breaks_hearts() -> None:
    assert play(small_deal(LEAD, "2H 3H 4H", *OTHERS), "2H").hearts_broken


@pytest.mark.parametrize(
    ("changes", "broken", "cards"),
    [("queen_breaks_hearts=no", False, "4D"), ("queen_breaks_hearts=yes", True, "4D 4H")],
)
def test_the_queen_breaks_hearts_only_if_the_rules_say_so(changes: str, broken: bool, cards: str) -> None:
    referee = small_deal(f"{LEAD},{changes}", "AD 4D 4H", "QS 3C 4C", "2D 5C 6C", "5D 6D 7D")
    play(referee, "AD QS 2D 5D")
    assert referee.hearts_broken == broken
    assert legal(referee) == cards


def test_the_queen_waits_for_hearts_when_following_and_discarding() -> None:
    rules = f"{LEAD},queen_after_hearts=yes"
    assert legal(play(small_deal(rules, "KS 2D", "QS 2S", "3D 4D", "5D 6D"), "KS")) == "2S"
    assert legal(play(small_deal(rules, "KS 2D", "QS 2C", "3D 4D", "5D 6D"), "KS")) == "QS"
    assert legal(play(small_deal(rules, "AD 2D", "QS 2C", "3D 4D", "5D 6D"), "AD")) == "2C"
    assert legal(play(small_deal(rules, "AD 2D", "2H 2C", "QS 4C", "5D 6D"), "AD 2H")) == "4C QS"
    assert legal(play(small_deal(rules, "AD 2D", "2H 2C", "QS 4C", "5D 6D"), "AD 2C")) == "4C"


def test_the_queen_waits_on_the_first_trick_too() -> None:
    rules = "standard,passing=hold,queen_after_hearts=yes"
    referee = play(small_deal(rules, "2C 3C", "QS 3H", "4C 5C", "6C 7C"), "2C")
    assert legal(referee) == "3H"


# --- points: no moon ---


TAKEN_APART = ["AS 2C", "QS TC", "KS AH", "JD 3H"]
"""Played in that order: seat 0 takes AS QS KS JD, seat 1 takes 2C TC AH 3H."""


@pytest.mark.parametrize(
    ("changes", "points"),
    [
        ("", [13, 2, 0, 0]),
        ("queen_points=25", [25, 2, 0, 0]),
        ("king_points=10,ace_points=7", [30, 2, 0, 0]),
        ("heart_points=rank", [13, 17, 0, 0]),
        ("heart_points=pips", [13, 14, 0, 0]),
        ("heart_points=none,moon=off", [13, 0, 0, 0]),
        ("bonus=JD", [3, 2, 0, 0]),
        ("bonus=JD,bonus_points=-5", [8, 2, 0, 0]),
        ("no_tricks=-5", [13, 2, -5, -5]),
        ("doubler=TC", [13, 4, 0, 0]),
        ("doubler=AS", [26, 2, 0, 0]),
        ("doubler=QS,bonus=JD", [6, 2, 0, 0]),
        ("doubler=TC,bonus=JD,no_tricks=-3", [3, 4, -3, -3]),
    ],
)
def test_points_without_a_moon(changes: str, points: list[int]) -> None:
    referee = play(small_deal(f"{FREE},{changes}", *TAKEN_APART), "AS QS KS JD 2C TC AH 3H")
    assert referee.winners == [0, 1]
    assert referee.points() == points


def test_pips_count_court_cards_ten_and_the_ace_eleven() -> None:
    hearts = "2H 9H TH JH QH KH AH"
    assert [penalty_points(Rules(heart_points="pips"), c) for c in parse_cards(hearts)] == [2, 9, 10, 10, 10, 10, 11]
    assert [penalty_points(Rules(heart_points="rank"), c) for c in parse_cards(hearts)] == [2, 9, 10, 11, 12, 13, 14]


@pytest.mark.parametrize("name", PRESETS)
def test_referee_and_rules_agree_on_the_penalty_cards(name: str) -> None:
    rules = PRESETS[name]
    counted = {card for card in CARDS if card not in rules.removed and penalty_points(rules, card) > 0}
    assert counted == set(rules.penalty_cards)
    assert sum(penalty_points(rules, card) for card in counted) == rules.total_points


# --- points: moon and sun ---

MOON = (["AH 2D", "2H JD", "3H 3D", "QS 4D"], "AH 2H 3H QS 2D JD 3D 4D")
"""Seat 0 takes all penalty cards in the first trick (16 points), seat 1 the second trick with JD."""
SUN = (["AH AD", "2H JD", "3H 3D", "QS 4D"], "AH 2H 3H QS AD JD 3D 4D")
"""Seat 0 takes both tricks, and with them the 16 points and JD."""


def played(position: tuple[list[str], str], changes: str, **options: Any) -> Referee:
    """One of the two positions played to the end."""
    hands, cards = position
    return play(small_deal(f"{FREE},{changes}", *hands, **options), cards)


@pytest.mark.parametrize(
    ("changes", "moon_points", "sun_points"),
    [
        ("moon=off", [16, 0, 0, 0], [16, 0, 0, 0]),
        ("moon=others", [0, 16, 16, 16], [0, 16, 16, 16]),
        ("moon=self", [-16, 0, 0, 0], [-16, 0, 0, 0]),
        ("moon=others,sun=yes", [0, 16, 16, 16], [0, 32, 32, 32]),
        ("moon=self,sun=yes", [-16, 0, 0, 0], [-32, 0, 0, 0]),
        ("moon=off,bonus=JD", [16, -10, 0, 0], [6, 0, 0, 0]),
        ("moon=others,bonus=JD", [0, 6, 16, 16], [-10, 16, 16, 16]),
        ("moon=self,bonus=JD", [-16, -10, 0, 0], [-26, 0, 0, 0]),
        ("moon=others,sun=yes,bonus=JD", [0, 6, 16, 16], [-10, 32, 32, 32]),
        ("moon=self,sun=yes,bonus=JD", [-16, -10, 0, 0], [-42, 0, 0, 0]),
        ("moon=others,bonus=JD,moon_needs_bonus=yes", [16, -10, 0, 0], [-10, 16, 16, 16]),
        ("moon=others,bonus=JD,moon_needs_bonus=yes,no_tricks=-5", [16, -10, -5, -5], [-10, 16, 16, 16]),
        ("moon=off,no_tricks=-5", [16, 0, -5, -5], [16, -5, -5, -5]),
        ("moon=others,no_tricks=-5", [0, 16, 16, 16], [0, 16, 16, 16]),
        ("moon=self,no_tricks=-5", [-16, 0, 0, 0], [-16, 0, 0, 0]),
        ("moon=others,doubler=2H", [0, 32, 32, 32], [0, 32, 32, 32]),
        ("moon=others,doubler=3D", [0, 16, 16, 16], [0, 32, 32, 32]),
        ("moon=self,doubler=3D", [-16, 0, 0, 0], [-32, 0, 0, 0]),
        ("moon=others,doubler=3D,bonus=JD", [0, -4, 16, 16], [-20, 32, 32, 32]),
        ("moon=self,sun=yes,doubler=3D,bonus=JD", [-16, -20, 0, 0], [-84, 0, 0, 0]),
        ("moon=off,doubler=3D,bonus=JD", [16, -20, 0, 0], [12, 0, 0, 0]),
        ("moon=others,heart_points=rank,queen_points=25", [0, 44, 44, 44], [0, 44, 44, 44]),
        ("moon=self,heart_points=pips", [-29, 0, 0, 0], [-29, 0, 0, 0]),
        ("moon=self,heart_points=none", [-13, 0, 0, 0], [-13, 0, 0, 0]),
        ("moon=self,queen_points=0", [-3, 0, 0, 0], [-3, 0, 0, 0]),
    ],
)
def test_points_of_a_moon_and_of_a_sun(changes: str, moon_points: list[int], sun_points: list[int]) -> None:
    assert played(MOON, changes).points() == moon_points
    assert played(SUN, changes).points() == sun_points


def test_one_missing_heart_is_no_moon() -> None:
    referee = small_deal(FREE, "AH 2D", "2H 5H", "3H 3D", "QS 4D")
    play(referee, "AH 2H 3H QS 2D 5H 3D 4D")
    assert referee.moon_shooter() is None
    assert referee.points() == [16, 0, 0, 1]


@pytest.mark.parametrize(
    ("changes", "scores", "points"),
    [
        pytest.param("", [90, 83, 50, 50], [0, 16, 16, 16], id="nobody reaches the limit"),
        pytest.param("", [90, 84, 0, 0], [-16, 0, 0, 0], id="the shooter would lose"),
        pytest.param("", [10, 84, 0, 0], [0, 16, 16, 16], id="the shooter wins"),
        pytest.param("", [15, 84, 0, 0], [0, 16, 16, 16], id="the shooter just wins"),
        pytest.param("", [16, 84, 0, 0], [-16, 0, 0, 0], id="the shooter would share the win"),
        pytest.param("ties=play-on", [16, 84, 0, 0], [0, 16, 16, 16], id="two in front play on"),
        pytest.param("ties=play-on", [90, 84, 0, 0], [0, 16, 16, 16], id="two others in front play on"),
        pytest.param("ties=play-on", [90, 84, 0, 1], [-16, 0, 0, 0], id="one other in front ends it"),
        pytest.param("over_limit=yes", [90, 84, 0, 0], [0, 16, 16, 16], id="the limit is only reached"),
        pytest.param("over_limit=yes", [90, 85, 0, 0], [-16, 0, 0, 0], id="the limit is passed"),
        pytest.param("limit=50", [45, 34, 0, 0], [-16, 0, 0, 0], id="another limit"),
        pytest.param("deals=4", [90, 84, 0, 0], [0, 16, 16, 16], id="no score ends a game of fixed length"),
        pytest.param("bonus=JD", [90, 84, 0, 0], [0, 6, 16, 16], id="the bonus keeps seat 1 under the limit"),
        pytest.param("bonus=JD", [90, 94, 0, 0], [-16, -10, 0, 0], id="seat 1 reaches the limit in spite of the bonus"),
        pytest.param("bonus=JD", [15, 8, 0, 84], [-16, -10, 0, 0], id="the bonus puts seat 1 in front"),
        pytest.param("", None, [0, 16, 16, 16], id="no scores are zeros"),
        pytest.param("limit=16", None, [0, 16, 16, 16], id="zeros, and the shooter wins at once"),
    ],
)
def test_the_best_use_of_a_moon(changes: str, scores: list[int] | None, points: list[int]) -> None:
    assert played(MOON, f"moon=best,{changes}", scores=scores).points() == points
    assert played(MOON, f"moon=choice,{changes}", scores=scores).points() == points


def test_the_best_use_of_a_sun_counts_its_double_value_and_the_shooters_bonus() -> None:
    changes = "moon=best,sun=yes,bonus=JD"
    assert played(SUN, changes, scores=[90, 67, 0, 0]).points() == [-10, 32, 32, 32]
    assert played(SUN, changes, scores=[90, 68, 0, 0]).points() == [-42, 0, 0, 0]
    assert played(SUN, changes, scores=[41, 68, 0, 0]).points() == [-10, 32, 32, 32]


@pytest.mark.parametrize(
    ("moon", "choice", "scores", "points"),
    [
        ("choice", "others", [90, 84, 0, 0], [0, 16, 16, 16]),
        ("choice", "self", [10, 84, 0, 0], [-16, 0, 0, 0]),
        ("others", "self", [0, 0, 0, 0], [0, 16, 16, 16]),
        ("self", "others", [0, 0, 0, 0], [-16, 0, 0, 0]),
        ("best", "others", [90, 84, 0, 0], [-16, 0, 0, 0]),
        ("off", "others", [0, 0, 0, 0], [16, 0, 0, 0]),
    ],
)
def test_the_shooter_chooses_only_where_the_rules_leave_a_choice(
    moon: str, choice: MoonChoice, scores: list[int], points: list[int]
) -> None:
    assert played(MOON, f"moon={moon}", scores=scores).points(choice) == points


# --- the kitty ---

ONE_HEART = (["5C 2D", "3C 3D", "4C 2H", "2C 4D"], "5C 3C 4C 2C 2D 3D 2H 4D")
"""Seat 0 takes the first trick, seat 3 the second with the only heart."""
TWO_HEARTS = (["AD 2C", "2H 3C", "2D 4H", "3D 4C"], "AD 2H 2D 3D 2C 3C 4H 4C")
"""Seat 0 takes the first trick, seat 3 the second, each with a heart."""
QUEEN_FIRST = (["AS 2C", "QS 3C", "2S 4H", "3S 4C"], "AS QS 2S 3S 2C 3C 4H 4C")
"""Seat 0 takes the first trick with QS, seat 3 the second with the only heart."""
NO_HEART = (["5C 2D", "3C 3D", "4C 5D", "2C 4D"], "5C 3C 4C 2C 2D 3D 5D 4D")
"""Seat 0 takes the first trick, seat 2 the second; no heart is dealt."""


@pytest.mark.parametrize(
    ("position", "kitty", "changes", "points"),
    [
        (ONE_HEART, "QS KH", "kitty=first-trick", [14, 0, 0, 1]),
        (ONE_HEART, "QS KH", "kitty=first-heart,moon=off", [0, 0, 0, 15]),
        (ONE_HEART, "QS KH", "kitty=first-heart", [15, 15, 15, 0]),
        (ONE_HEART, "QS KH", "kitty=nobody,moon=off", [0, 0, 0, 1]),
        (ONE_HEART, "QS KH", "kitty=nobody", [1, 1, 1, 0]),
        (TWO_HEARTS, "QS", "kitty=first-heart", [14, 0, 0, 1]),
        (TWO_HEARTS, "QS", "kitty=first-trick", [14, 0, 0, 1]),
        (QUEEN_FIRST, "5H", "kitty=first-heart", [13, 0, 0, 2]),
        (QUEEN_FIRST, "5H", "kitty=first-trick", [14, 0, 0, 1]),
        (NO_HEART, "2H QS", "kitty=first-heart,no_tricks=-5", [0, -5, 0, -5]),
        (NO_HEART, "2H QS", "kitty=nobody,no_tricks=-5", [0, -5, 0, -5]),
        (NO_HEART, "2H QS", "kitty=first-trick,no_tricks=-5", [0, 14, 14, 14]),
        (TWO_HEARTS, "TC JD", "kitty=first-trick,doubler=TC,bonus=JD", [-18, 0, 0, 1]),
        (ONE_HEART, "TC JD", "kitty=first-heart,doubler=TC,bonus=JD", [2, 2, 2, -20]),
        (ONE_HEART, "TC JD", "kitty=nobody,doubler=TC,bonus=JD", [1, 1, 1, 0]),
        (ONE_HEART, "TC JD", "kitty=nobody,bonus=JD,moon_needs_bonus=yes", [0, 0, 0, 1]),
    ],
)
def test_the_kitty_counts_for_its_taker(
    position: tuple[list[str], str], kitty: str, changes: str, points: list[int]
) -> None:
    hands, cards = position
    referee = play(small_deal(f"{FREE},{changes}", *hands, kitty=kitty), cards)
    assert referee.points() == points
    in_tricks = set().union(*referee.taken)
    assert (set(parse_cards(kitty)) <= in_tricks) == (referee.kitty_taker is not None)


def test_hearts_in_the_kitty_do_not_break_hearts() -> None:
    hands, cards = ONE_HEART
    referee = small_deal(f"{FREE},hearts=broken,kitty=first-trick", *hands, kitty="QS KH")
    play(referee, " ".join(cards.split()[:4]))
    assert referee.taken[0] == set(parse_cards("5C 3C 4C 2C QS KH"))
    assert not referee.hearts_broken


# --- whole deals ---


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(dict(hands=[[0, 1], [2, 3], [4, 5]]), id="a seat is missing"),
        pytest.param(dict(hands=[[0, 1], [2, 3], [4, 5], [6]]), id="a card is missing"),
        pytest.param(dict(hands=[[0, 1], [2, 3], [4, 5], [6, 0]]), id="a card is there twice"),
        pytest.param(dict(hands=[[0, 1], [2, 3], [4, 5], [6, 51]]), id="a removed card"),
        pytest.param(dict(kitty=[8]), id="a kitty that the rules do not know"),
        pytest.param(dict(pass_code=RANDOM_OFFSET), id="a random direction has to be drawn first"),
        pytest.param(dict(pass_code=4), id="a pass to oneself"),
        pytest.param(dict(leader=None), id="no leader"),
        pytest.param(dict(scores=[0, 0, 0]), id="a score is missing"),
    ],
)
def test_a_deal_that_does_not_fit_the_rules_is_refused(change: dict[str, Any]) -> None:
    rules = Rules(removed=CardSet([*range(7, 36), *range(37, 52)]), passing=("hold",), opening="random")
    good: dict[str, Any] = dict(hands=[[0, 1], [2, 3], [4, 5], [6, 36]], leader=0)
    assert Referee(rules, **good).to_move == 0
    with pytest.raises(ValueError, match=r"needed|needs|pack|pass code"):
        Referee(rules, **(good | change))


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("preset", ["standard", "seed-nomoon", "omnibus"])
def test_every_card_is_taken_once_and_every_point_is_counted(preset: str, players: int) -> None:
    rng = random.Random(f"{preset} {players}")
    rules = PRESETS[preset].replace(players=players)
    for _ in range(10):
        referee = Referee(rules, shuffled_hands(rng, rules), leader=rng.randrange(players))
        while referee.phase == "play":
            referee.play(rng.choice(sorted(referee.legal())))
        assert sorted(card for cards in referee.taken for card in cards) == sorted(referee.pack)
        assert sum(referee.tricks_won) == len(referee.winners) == rules.hand_size
        if referee.moon_shooter() is None:
            assert sum(referee.points()) == 26 + (-10 if rules.bonus is not None else 0)


def shuffled_hands(rng: random.Random, rules: Rules) -> list[list[Card]]:
    """A random deal of a pack that divides evenly."""
    pack = [card for card in CARDS if card not in rules.removed]
    rng.shuffle(pack)
    return [pack[seat :: rules.players] for seat in range(rules.players)]


# --- OpenSpiel ---

HANDS_TO_TRY = {
    "random": "",
    "shooter": "AC KC QC AD KD QD AS KS QS AH KH QH JH",
    "shooter of hearts": "3C 2D AS KS QS 7H 8H 9H TH JH QH KH AH",
    "queen": "AC AD QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH",
    "only penalties": "QS 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH",
    "low": "3C 4C 5C 2D 3D 4D 2S 3S 4S 5S 2H 3H 4H",
}
"""Hands given to one seat, so that what chance rarely brings comes up: a moon, the queen led, no tricks."""


def openspiel_deal(rng: random.Random, hand_name: str) -> tuple[list[list[Card]], int]:
    """A random deal in which a random seat holds the named hand, and that seat."""
    special = parse_cards(HANDS_TO_TRY[hand_name])
    rest = [card for card in CARDS if card not in special]
    rng.shuffle(rest)
    if not special:
        special = [rest.pop() for _ in range(13)]
    hands = [special, rest[:13], rest[13:26], rest[26:]]
    rng.shuffle(hands)
    return hands, hands.index(special)


def test_the_cards_of_openspiel_are_translated_both_ways() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    state = deal_openspiel(pyspiel.load_game("hearts"), 0, [[card] for card in (0, 13, 26, 39)])
    names = [state.action_to_string(0, to_openspiel(card)) for card in CARDS]
    assert names == CardSet(CARDS).names().split()
    assert [from_openspiel(to_openspiel(card)) for card in CARDS] == CARDS


def test_the_flags_of_openspiel_are_its_flags() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    assert pyspiel.load_game("hearts").get_parameters() == DEFAULT_FLAGS
    assert openspiel_rules({}) == PRESETS["openspiel"]


def test_openspiel_agrees_move_by_move() -> None:
    """300 deals over random flags: same player and legal cards at each step, same points at the end."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = random.Random(20250)
    seen: Counter[str] = Counter()
    for number in range(300):
        flags = {flag: rng.random() < 0.5 for flag in DEFAULT_FLAGS}
        hands, special_seat = openspiel_deal(rng, list(HANDS_TO_TRY)[number % len(HANDS_TO_TRY)])
        direction = rng.randrange(4) if flags["pass_cards"] else 0
        where = f"deal {number}, direction {direction}, {flags}"
        referee = Referee(openspiel_rules(flags), hands, pass_code=direction)
        state = deal_openspiel(pyspiel.load_game("hearts", flags), direction, hands)
        eager = rng.choice([None, special_seat])
        pass_in_both(rng, referee, state, where)
        while referee.phase == "play":
            assert state.current_player() == referee.to_move, where
            assert {from_openspiel(action) for action in state.legal_actions()} == referee.legal(), where
            note_situation(referee, seen)
            cards = sorted(referee.legal(), key=lambda card: (card_rank(card), card))
            card = cards[-1] if referee.to_move == eager else rng.choice(cards)
            referee.play(card)
            state.apply_action(to_openspiel(card))
        assert state.is_terminal(), where
        assert referee.points() == openspiel_points(state), where
        note_result(referee, seen)
    wanted = ["queen spared", "queen forced", "only penalties at first", "moon", "moon with JD", "moon without JD"]
    missing = [what for what in [*wanted, "no tricks", "no tricks in a moon"] if not seen[what]]
    assert not missing, f"the deals never showed: {missing}"


def pass_in_both(rng: random.Random, referee: Referee, state: Any, where: str) -> None:
    """Pass random cards, which OpenSpiel does card by card and the referee seat by seat."""
    for seat in range(4 if referee.phase == "pass" else 0):
        hand = set(referee.hands[seat])
        chosen = rng.sample(sorted(hand), 3)
        for card in chosen:
            assert state.current_player() == seat, where
            assert {from_openspiel(action) for action in state.legal_actions()} == hand, where
            hand.remove(card)
            state.apply_action(to_openspiel(card))
        referee.pass_cards(seat, chosen)


def note_situation(referee: Referee, seen: Counter[str]) -> None:
    """Count the rare situations in play that the comparison should have met."""
    rules, hand = referee.rules, referee.hands[referee.to_move or 0]
    others = {card for card in hand if not is_heart(card)}
    unbroken_lead = not referee.trick and not referee.hearts_broken and rules.hearts == "broken"
    if unbroken_lead and others == {QUEEN_OF_SPADES} and len(hand) > 1:
        seen["queen spared" if rules.hearts_before_queen else "queen forced"] += 1
    if not referee.winners and not rules.first_trick_points and all(penalty_points(rules, card) for card in hand):
        seen["only penalties at first"] += 1


def note_result(referee: Referee, seen: Counter[str]) -> None:
    """Count the rare results that the comparison should have met."""
    shooter = referee.moon_shooter()
    without_tricks = bool(referee.rules.no_tricks) and 0 in referee.tricks_won
    if shooter is None:
        seen["no tricks"] += without_tricks
        return
    seen["moon"] += 1
    seen["no tricks in a moon"] += without_tricks
    if referee.rules.bonus is not None:
        seen["moon with JD" if JACK_OF_DIAMONDS in referee.taken[shooter] else "moon without JD"] += 1
