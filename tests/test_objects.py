"""Cards, rules, deals, observations and games as people use them: texts, errors, copies, seeds, prints, ends of games.

Whether the play is right is proved elsewhere; here it is whether the objects say what they should, and refuse what
they should in words that help.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import strategies
from support.strategies import examples, random_script, seat_deal

from heartlab.arena import Match
from heartlab.cards import (
    CARD_NAMES,
    CARDS,
    CS_ALL,
    CardError,
    CardSet,
    card_name,
    card_rank,
    card_suit,
    make_card,
    parse_card,
    parse_cards,
    pretty_card,
)
from heartlab.deal import Deal, IllegalPlay
from heartlab.game import Game, game_is_over, winners
from heartlab.players import make_player
from heartlab.records.format import RecordError
from heartlab.rules import PRESET_NOTES, PRESETS, Rules, RulesError

# --- cards ---


def test_every_card_reads_back_in_every_spelling() -> None:
    for card, name in enumerate(CARD_NAMES):
        spellings = [name, name.lower(), f" {name} ", pretty_card(card), card_name(card)]
        if name[0] == "T":
            spellings += ["10" + name[1], "10" + name[1].lower(), "10" + pretty_card(card)[1]]
        assert {parse_card(spelling) for spelling in spellings} == {card}
        assert make_card(card_rank(card), card_suit(card)) == card
    assert [card_name(card) for card in parse_cards("QS, 10d  2♣,A♡")] == ["QS", "TD", "2C", "AH"]
    assert "".join(CARD_NAMES[13 * suit] for suit in range(4)) == "2C2D2S2H"


@pytest.mark.parametrize("text", ["", "Q", "S", "1S", "11S", "QX", "QSS", "queen of spades", "0C", "♠"])
def test_what_is_no_card_is_refused_with_the_text_and_what_would_be_right(text: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_card(text)
    assert repr(text) in str(caught.value)
    assert "23456789TJQKA" in str(caught.value)
    assert "CDSH" in str(caught.value)


@given(st.sets(st.sampled_from(CARDS)), st.sets(st.sampled_from(CARDS)))
@examples(100)
def test_a_card_set_is_a_set(first: set[int], second: set[int]) -> None:
    ours, theirs = CardSet(first), CardSet(second)
    assert set(ours | theirs) == first | second
    assert set(ours & theirs) == first & second
    assert set(ours - theirs) == first - second
    assert set(ours ^ theirs) == first ^ second
    assert (ours <= theirs) == (first <= second)
    assert (ours < theirs) == (first < second)
    assert ours.isdisjoint(theirs) == first.isdisjoint(second)
    assert (ours == theirs) == (first == second)
    assert ours == first
    assert isinstance(ours | theirs, CardSet)
    assert list(ours) == sorted(first)
    assert len(ours) == len(first)
    assert bool(ours) == bool(first)
    assert int(ours) == ours.mask == sum(1 << card for card in first)
    assert {card for card in CARDS if card in ours} == first == {card for card in CARDS if CARD_NAMES[card] in ours}
    assert hash(CardSet(sorted(first))) == hash(ours)
    assert eval(repr(ours)) == ours
    assert CardSet(ours.names()) == CardSet(ours.mask) == ours


def test_a_card_set_shows_its_suits_and_reads_names() -> None:
    assert str(CardSet("AH QS 2C KH")) == "♣2 ♠Q ♥KA"
    assert str(CardSet()) == "-"
    assert CardSet(["QS", 0, "10♦"]) == CardSet("2C TD QS")
    assert CardSet.suit("h") == CardSet.suit(3) == CardSet(range(39, 52))
    assert CardSet(CS_ALL) == CardSet(CARDS)
    assert 99 not in CardSet(CS_ALL)
    assert None not in CardSet(CS_ALL)


@pytest.mark.parametrize("cards", [[52], [-1], 1 << 52, -1, "2C XX", ["QQ"]])
def test_a_card_set_of_no_cards_is_refused(cards: Any) -> None:
    with pytest.raises(CardError):
        CardSet(cards)


def test_a_card_set_does_not_change() -> None:
    hand = CardSet("2C")
    with pytest.raises(AttributeError, match="is immutable"):
        hand.mask = 3
    assert hand == CardSet("2C")


def test_numpy_numbers_are_cards_and_masks_too() -> None:
    """Cards often come out of arrays; a wrong answer without an error would be the worst of all."""
    hand = CardSet("QS AH")
    assert CardSet(np.uint64(hand.mask)) == hand
    assert CardSet(np.array([36, 51], np.int8)) == hand
    assert np.int64(36) in hand
    assert np.int8(35) not in hand


@pytest.mark.parametrize(
    "make",
    [lambda: CardSet("QS AH"), lambda: Rules.parse("omnibus,players=5"), lambda: Deal("standard", seed=3)],
    ids=["CardSet", "Rules", "Deal"],
)
def test_values_survive_pickling_and_deep_copies(make: Any) -> None:
    """Other processes get them by pickle."""
    value = make()
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == copy.copy(value) == value


# --- rules ---


@examples(300)
@given(strategies.rules())
def test_rules_read_back_from_all_their_texts(rules: Rules) -> None:
    assert Rules.parse(str(rules)) == rules
    assert eval(repr(rules)) == rules
    assert Rules.from_dict(rules.to_dict()) == rules
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    assert hash(Rules.parse(str(rules))) == hash(rules)
    assert Rules.parse(rules) is rules
    assert rules.replace() == rules
    assert rules.plays + rules.kitty_size + len(rules.removed) == 52


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_names_and_notes(name: str) -> None:
    assert str(PRESETS[name]) == name
    assert Rules.parse(name) is PRESETS[name] or Rules.parse(name) == PRESETS[name]
    assert PRESET_NOTES[name]
    assert set(PRESETS) == set(PRESET_NOTES)


def test_standard_is_what_most_people_play() -> None:
    rules = Rules()
    assert Rules.parse("") == Rules.parse("standard") == rules == Rules.from_dict({})
    assert (rules.players, rules.hand_size, rules.kitty_size, rules.plays) == (4, 13, 0, 52)
    assert rules.total_points == 26
    assert rules.penalty_cards == CardSet.suit("H") | CardSet("QS")
    assert [rules.pass_direction(number) for number in range(5)] == ["left", "right", "across", "hold", "left"]
    assert [rules.pass_code(word) for word in rules.passing] == [1, 3, 2, 0]


@pytest.mark.parametrize(("players", "removed", "hand"), [(3, "2D", 17), (5, "2D 2S", 10), (6, "3C 4C 2D 3D", 8)])
def test_another_number_of_players_brings_its_pack_and_pass_cycle(players: int, removed: str, hand: int) -> None:
    rules = Rules.parse(f"players={players}")
    assert rules == Rules().replace(players=players)
    assert (rules.removed, rules.hand_size) == (CardSet(removed), hand)
    assert all(rules.pass_code(word) in range(players) for word in rules.passing)
    kept = Rules.parse("passing=left").replace(players=players)
    assert kept.passing == ("left",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("standrad", "no rules are called 'standrad'; known are standard, seed"),
        ("standard,mon=self", "no rule is called 'mon'; known are players, removed"),
        ("standard,moon", "'moon' is not a rule: write KEY=VALUE"),
        ("moon=blue", "moon=blue is unknown; choose from off, others, self, best, choice"),
        ("kitty=maybe", "kitty=maybe is unknown"),
        ("opening=3C", "opening=3C is unknown"),
        ("hearts=never", "hearts=never is unknown"),
        ("heart_points=two", "heart_points=two is unknown"),
        ("ties=dice", "ties=dice is unknown"),
        ("sun=maybe", "sun=maybe: write yes or no"),
        ("players=four", "players=four: write a whole number"),
        ("deals=many", "deals=many: write a whole number"),
        ("bonus=11D", "bonus=11D: '11D' is not a card"),
        ("removed=2D+XX", "removed=2D+XX: 'XX' is not a card"),
        ("players=2", "players=2: Hearts needs 3 to 6 players"),
        ("players=7", "players=7: Hearts needs 3 to 6 players"),
        ("players=3,removed=none", "52 cards do not divide among 3 players: remove 1 more, or name a kitty"),
        ("removed=2D", "51 cards do not divide among 4 players: remove 3 more"),
        ("kitty=nobody", "kitty=nobody but no card is left over"),
        ("passing=north", "'north' is not a pass direction; known are left, right, across, hold"),
        ("passing=+4", "'+4' is not a pass direction"),
        ("players=5,passing=across", "passing 'across' needs an even number of players, not 5"),
        ("passing=scatter,pass_count=2", "pass_count must be 3, not 2"),
        ("pass_count=0", "pass_count=0: a hand of 13 can always pass 1 to 13 cards"),
        ("pass_count=14", "pass_count=14: a hand of 13 can always pass 1 to 13 cards"),
        ("pass_count=11,pass_high_spades=no", "can always pass 1 to 10 cards"),
        ("removed=2C+2D+2S+2H", "opening=2C but 2C is removed; use opening=lowest-club"),
        ("players=3,removed=none,kitty=nobody", "opening=2C but 2C may lie in the kitty"),
        ("opening=any-club,players=3,removed=none,kitty=nobody", "opening=any-club but 2C may lie in the kitty"),
        ("heart_points=none,queen_points=0", "no card in the pack counts any points"),
        ("queen_points=-1", "penalty points cannot be negative"),
        ("players=3,bonus=2D", "bonus=2D but that card is removed"),
        ("players=3,doubler=2D", "doubler=2D but that card is removed"),
        ("bonus=JD,bonus_points=5", "bonus_points must be negative"),
        ("bonus=QS", "bonus=QS is a penalty card at the same time"),
        ("bonus=JD,doubler=JD", "bonus and doubler are the same card"),
        ("moon_needs_bonus=yes", "moon_needs_bonus but there is no bonus card"),
        ("moon=off,sun=yes", "sun counts two moons, but moon=off"),
        ("no_tricks=5", "no_tricks must be zero or negative"),
        ("limit=0", "limit=0: the game would be over before the first deal"),
        ("deals=0", "deals=0: a game needs at least one deal"),
    ],
)
def test_contradictions_are_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.parse(text)
    assert message in str(caught.value)


def test_there_has_to_be_a_club_to_lead_and_a_card_to_play() -> None:
    clubs = "+".join(CardSet.suit("C").names().split())
    with pytest.raises(RulesError, match="there may be no club in any hand"):
        Rules.parse(f"players=3,removed={clubs},opening=lowest-club")
    with pytest.raises(RulesError, match="nobody gets a card"):
        Rules(removed=CardSet(range(50)), kitty="nobody", opening="random", passing=("hold",))
    with pytest.raises(RulesError, match="passing is empty"):
        Rules(passing=())
    with pytest.raises(RulesError, match="no rule is called 'colour'"):
        Rules.from_dict({"colour": "red"})


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param({"passing": ("left",) * 40}, id="a long pass cycle"),
        pytest.param({"passing": ("hold",), "pass_count": 200}, id="a count that is never used"),
        pytest.param({"queen_points": 100_000, "limit": 10**9}, id="large points"),
    ],
)
def test_rules_that_are_accepted_can_be_played(rules: dict[str, Any]) -> None:
    """What cannot be dealt has to be refused as rules, with a reason, not later in a kernel's words."""
    try:
        accepted = Rules(**rules)
    except RulesError:
        return
    game = Game(accepted, seed=1)
    for _ in range(4):
        game.deal.play_randomly()
        game.next_deal()
    assert len(game.finished) == 4


# --- deals ---

SMALL = "standard,removed=" + "+".join(
    CardSet(c for c in CARDS if c not in CardSet("2C 3C 4C 5C 2D 3D 2S QS KS 2H 3H 4H 5H 6H 7H 8H")).names().split()
)
SMALL_HANDS = ["2C 2D 2H 3H", "QS 3D 5H 6H", "3C 5C 2S 4H", "4C KS 7H 8H"]


def small(changes: str = "", hands: list[str] | None = None, played: str = "", **options: Any) -> Deal:
    """A deal of four tricks after some cards."""
    options.setdefault("pass_direction", "hold")
    deal = Deal.from_hands(hands or SMALL_HANDS, f"{SMALL},{changes}", **options)
    for card in parse_cards(played):
        deal.play(card)
    return deal


def refused(deal: Deal, card: str) -> str:
    """The message with which a card is refused; the deal must not change."""
    before = deal.copy()
    with pytest.raises(IllegalPlay) as caught:
        deal.play(card)
    assert deal == before
    assert deal.why_illegal(parse_card(card)) == str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "played", "card", "rule"),
    [
        ("", "", "3C", "the seat does not hold it"),
        ("", "", "2D", "the first lead must be 2♣"),
        ("opening=lowest-club", "", "2H", "the first lead must be 2♣"),
        ("opening=any-club", "", "2D", "the first lead must be a club"),
        ("", "2C 3D", "2S", "clubs were led and must be followed"),
        ("", "2C", "QS", "penalty cards may not fall on the first trick"),
        ("", "2C", "5H", "penalty cards may not fall on the first trick"),
        ("", "2C 3D 5C 4C", "4H", "hearts are not broken yet"),
        ("queen_after_hearts=yes,first_trick_points=yes", "2C", "QS", "Q♠ may not be played before hearts are broken"),
        ("", "2C 3D 5C 4C 2S", "8H", "spades were led and must be followed"),
    ],
)
def test_an_illegal_card_is_refused_by_card_seat_hand_trick_and_rule(
    changes: str, played: str, card: str, rule: str
) -> None:
    deal = small(changes, played=played)
    message = refused(deal, card)
    assert rule in message
    assert f"seat {deal.to_move} may not play {pretty_card(parse_card(card))}" in message
    assert f"hand {deal.hands[deal.to_move or 0]}" in message
    assert f"legal {deal.legal}" in message
    assert f"trick {len(deal.tricks) + (not deal.trick)}" in message
    for seat, on_table in deal.trick:
        assert f"{seat}:{pretty_card(on_table)}" in message


@examples(80)
@given(strategies.rules(), st.integers(0, 1 << 32))
def test_there_is_always_a_rule_to_name(rules: Rules, seed: int) -> None:
    """Along a random deal every card in hand that may not be played is refused for a reason; no other card is."""
    rng = random.Random(seed)
    deal = seat_deal(random_script(rules, rng))
    while not deal.is_over:
        for card in deal.hands[deal.to_move or 0]:
            reason = deal.why_illegal(card)
            assert bool(reason) == (card not in deal.legal)
            assert "only these are legal" not in reason
        deal.play(rng.choice(sorted(deal.legal)))


def test_the_rule_named_is_the_one_that_forbids() -> None:
    """On the first trick a hand of nothing but penalty cards is free of the first-trick rule; another one forbids."""
    hands = ["2C 3C 4C 5C", "QS 2H 3H 4H", "2D 3D 2S KS", "5H 6H 7H 8H"]
    deal = small("queen_after_hearts=yes", hands, "2C")
    assert deal.legal == CardSet("2H 3H 4H")
    assert "before hearts are broken" in refused(deal, "QS")
    deal = small("opening=random", hands, leader=1)
    assert deal.legal == CardSet("QS")
    assert "hearts are not broken" in refused(deal, "2H")


def test_no_card_can_be_played_before_and_after_the_play() -> None:
    deal = Deal("standard", seed=1)
    assert "seats [0, 1, 2, 3] still have to pass" in refused(deal, "2C")
    deal.play_randomly()
    assert "the deal is over" in refused(deal, "2C")


@pytest.mark.parametrize("card", [52, 99, -1, "XX"])
def test_what_is_no_card_cannot_be_played(card: Any) -> None:
    with pytest.raises(CardError):
        Deal("seed", seed=1).play(card)


@pytest.mark.parametrize("seat", [-1, 4, 6, 99])
def test_there_is_no_view_from_a_seat_that_is_not_there(seat: int) -> None:
    with pytest.raises(ValueError, match="seat"):
        Deal("standard", seed=1).observe(seat)


@pytest.mark.parametrize(
    ("seat", "cards", "message"),
    [
        (0, "2C 3C", "seat 0 passes 2 cards (♣23): the rules want 3"),
        (0, "2C 3C 4C 5C", "seat 0 passes 4 cards"),
        (0, "2C 3C 2D", "seat 0 cannot pass ♦2: its hand is ♣2345 ♠QK"),
        (0, "2C 3C QS", "seat 0 may not pass ♣23 ♠Q: the rules keep Q♠ K♠ A♠ out of passing"),
        (1, "2D 3D 4D", "seat 1 has nothing to pass now: passing is left, to pass are [0, 2, 3]"),
        (4, "2D 3D 4D", "seat 4 has nothing to pass now"),
        (-1, "2D 3D 4D", "seat -1 has nothing to pass now"),
    ],
)
def test_a_pass_is_refused_with_the_reason(seat: int, cards: str, message: str) -> None:
    hands = ["2C 3C 4C 5C QS KS", "2D 3D 4D 5D 6D 7D", "2S 3S 4S 5S 6S 7S", "2H 3H 4H 5H 6H 7H"]
    removed = "+".join(CardSet(c for c in CARDS if c not in CardSet(" ".join(hands))).names().split())
    deal = Deal.from_hands(hands, f"standard,removed={removed},pass_high_spades=no", pass_direction="left")
    deal.pass_cards(1, "2D 3D 4D")
    before = deal.copy()
    with pytest.raises(IllegalPlay) as caught:
        deal.pass_cards(seat, cards)
    assert message in str(caught.value)
    assert deal == before


def test_passing_step_by_step() -> None:
    deal = Deal("standard", seed=5)
    assert (deal.phase, deal.pass_direction, deal.to_pass) == ("pass", "left", [0, 1, 2, 3])
    assert deal.to_move is None
    dealt = deal.hands
    for seat in (2, 0, 3, 1):
        deal.pass_cards(seat, sorted(deal.hands[seat])[:3])
    assert deal.phase == "play"
    assert deal.dealt == dealt
    for seat in range(4):
        assert deal.passed[seat] == CardSet(sorted(dealt[seat])[:3])
        assert deal.received[seat] == deal.passed[seat - 1]
        assert deal.hands[seat] == dealt[seat] - deal.passed[seat] | deal.received[seat]
    assert deal.to_move == deal.leader == next(seat for seat in range(4) if "2C" in deal.hands[seat])


@pytest.mark.parametrize("rules", ["standard", "standard,opening=any-club", "standard,players=3"])
def test_nobody_is_the_leader_while_a_club_will_decide_it(rules: str) -> None:
    """Before the passing is over nobody can know where 2♣ will lie."""
    assert [Deal(rules, seed=seed).leader for seed in range(5)] == [None] * 5


def test_the_dealer_goes_round_and_chance_chooses_where_it_should() -> None:
    assert [Deal("black-maria", number=number).leader for number in range(4)] == [1, 2, 0, 1]
    assert {Deal("seed", seed=seed).leader for seed in range(30)} == {0, 1, 2, 3}
    assert {Deal("openspiel", seed=seed).pass_direction for seed in range(40)} == {"left", "right", "across", "hold"}
    assert [Deal("standard", number=n).pass_direction for n in range(4)] == ["left", "right", "across", "hold"]


def test_a_record_is_believed_about_the_first_leader_only_where_chance_says_it() -> None:
    for rules, leaders in (("seed", [0, 1, 2, 3]), ("black-maria", [2])):
        for leader in leaders:
            deal = Deal.from_hands(Deal(rules, seed=5, number=1).dealt, rules, number=1, leader=leader)
            deal.play_randomly(1)
            assert Deal.from_text(deal.to_text()).history == deal.history
    deal = Deal.from_hands(Deal("black-maria", seed=5).dealt, "black-maria", leader=2)
    deal.play_randomly(1)
    with pytest.raises(RecordError, match="seat 2 leads, but seat 1 should"):
        Deal.from_text(deal.to_text())


@pytest.mark.parametrize(
    ("hands", "options", "message"),
    [
        (SMALL_HANDS[:3], {}, "3 hands for 4 players"),
        (["2C 2D 2H", *SMALL_HANDS[1:]], {}, r"hand 0 \(♣2 ♦2 ♥2\) has 3 cards: the rules deal 4"),
        (["2C 2D 2H QS", *SMALL_HANDS[1:]], {}, "♠Q is in hand 1 and in another one"),
        (["2C 2D 2H AC", *SMALL_HANDS[1:]], {}, "♣A in hand 0 is removed by the rules"),
        (SMALL_HANDS, {"scores": [0, 0]}, "2 scores for 4 players"),
        (SMALL_HANDS, {"rules": SMALL + ",passing=random"}, "give it as pass_direction"),
        (SMALL_HANDS, {"pass_direction": "north"}, "'north' is not a pass direction"),
        (SMALL_HANDS, {"rules": SMALL + ",opening=random", "leader": 9, "pass_direction": "hold"}, "leader"),
        (SMALL_HANDS, {"rules": SMALL + ",pass_count=1", "pass_direction": "scatter"}, "scatter"),
    ],
)
def test_hands_that_do_not_fit_are_refused(hands: list[str], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Deal.from_hands(hands, options.pop("rules", SMALL), **options)


def test_given_hands_are_dealt_and_the_rest_is_the_kitty() -> None:
    rules = "standard,players=3,removed=none,kitty=first-trick,opening=lowest-club,passing=hold"
    hands = [CardSet(range(1 + 17 * seat, 18 + 17 * seat)) for seat in range(3)]
    deal = Deal.from_hands(hands, rules)
    assert deal.hands == deal.dealt == tuple(hands)
    assert deal.kitty == CardSet("2C")
    assert deal.legal == CardSet("3C")
    same = Deal.from_hands([hand.names() for hand in hands], rules)
    assert same == deal
    assert Deal.from_hands([list(hand) for hand in hands], rules) == deal


@examples(60)
@given(strategies.rules(), st.integers(0, 1 << 32))
def test_a_copy_is_independent(rules: Rules, seed: int) -> None:
    rng = random.Random(seed)
    deal = seat_deal(random_script(rules, rng))
    for _ in range(rng.randrange(rules.plays)):
        deal.play(rng.choice(sorted(deal.legal)))
    twin, other, third = deal.copy(), deal.copy(), deal.copy()
    assert twin == deal
    shown, points = str(deal), deal.points
    twin.play_randomly(seed)
    assert twin.is_over
    assert deal == other != twin
    assert (str(deal), deal.points) == (shown, points)
    assert twin.history[: len(deal.history)] == deal.history
    other.play_randomly(seed)
    assert other == twin
    history, tricks = twin.history, twin.tricks
    third.play_randomly(seed + 1)
    assert (twin.history, twin.tricks) == (history, tricks)


def test_the_same_seed_gives_the_same_deal_and_another_one_another() -> None:
    for rules in PRESETS:
        assert Deal(rules, 7, 2) == Deal(rules, 7, 2)
        hands = {Deal(rules, seed, number).hands for seed in range(5) for number in range(5)}
        assert len(hands) == 25
    assert Deal("standard", 7) != Deal("seed", 7)
    assert Deal("standard", 7) != "a deal"


@pytest.mark.parametrize("rules", PRESETS)
def test_a_printed_deal_shows_every_hand(rules: str) -> None:
    deal = Deal(rules, seed=3)
    for seat in deal.to_pass:
        deal.pass_cards(seat, sorted(deal.hands[seat])[:3])
    deal.play(min(deal.legal))
    text = str(deal)
    for seat in range(deal.rules.players):
        assert f"seat {seat}" in text
    if deal.rules.players == 4:
        for hand in deal.hands:
            for suit, line in enumerate(suit_lines(hand)):
                assert line in text, (suit, line)
    else:
        assert all(str(hand) in text for hand in deal.hands)
    assert pretty_card(deal.history[0]) in text
    assert f"*seat {deal.to_move}" in text
    assert str(deal.legal) in text
    assert rules in text
    if deal.kitty:
        assert str(deal.kitty) in text
    deal.play_randomly()
    assert "the deal is over" in str(deal)
    assert "points " + "  ".join(f"{seat}:{value}" for seat, value in enumerate(deal.points)) in str(deal)
    assert "deal" in repr(deal).lower()


def suit_lines(hand: CardSet) -> list[str]:
    """A hand as a bridge player writes it: a line per suit, highest card first."""
    ranks = [[c for c in "AKQJT98765432" if c + suit in hand] for suit in "CDSH"]
    return [f"{symbol} {''.join(cards) or '-'}" for symbol, cards in zip("♣♦♠♥", ranks, strict=True)]


def test_a_moon_is_announced_and_chosen() -> None:
    hands = ["2C AC AD AS", "3C 4C 2D 3D", "5C 6C 4D QS", "7C 8C 2H 3H"]
    removed = "+".join(CardSet(c for c in CARDS if c not in CardSet(" ".join(hands))).names().split())
    deal = Deal.from_hands(hands, f"standard,moon=choice,passing=hold,removed={removed}", scores=[90, 90, 0, 0])
    for card in parse_cards("2C 3C 5C 7C 8C AC 4C 6C AD 2D 4D 2H AS 3D QS 3H"):
        deal.play(card)
    assert deal.shooter == 0
    assert "seat 0 shot the moon" in str(deal)
    assert deal.points == (-15, 0, 0, 0), "the others' points would end the game and lose it"
    deal.choose_moon("others")
    assert deal.points == (0, 15, 15, 15)
    deal.choose_moon("self")
    assert deal.points == (-15, 0, 0, 0)
    with pytest.raises(IllegalPlay, match="choose 'others' or 'self'"):
        deal.choose_moon("both")
    with pytest.raises(IllegalPlay, match="leave no choice about the moon: moon=others"):
        Deal("standard").choose_moon("self")


# --- observations ---


def test_an_observation_shows_the_seat_its_own_and_the_table() -> None:
    deal = small(played="2C 3D 5C")
    view = deal.observe(3)
    assert (view.seat, view.hand, view.legal) == (3, deal.hands[3], deal.legal)
    assert (view.phase, view.to_move, view.deal_number, view.scores) == ("play", 3, 0, (0, 0, 0, 0))
    assert view.trick == deal.trick
    assert (view.led, view.winning) == (0, (2, parse_card("5C")))
    assert (view.trick_number, view.tricks_won, view.hand_sizes) == (0, (0, 0, 0, 0), (3, 3, 3, 4))
    assert view.history == deal.history
    assert view.played == tuple(CardSet(cards) for cards in ("2C", "3D", "5C", ""))
    assert view.unseen == deal.hands[0] | deal.hands[1] | deal.hands[2]
    assert [view.voids(seat) for seat in range(4)] == [[], [0], [], [1]]
    assert not view.hearts_broken
    assert "seat 3, deal 0, trick 1, play" in str(view)
    assert str(view.hand) in str(view)
    assert view.hand.names() in repr(view)
    assert not deal.observe(0).legal, "only the seat to move has legal cards"


def test_what_was_passed_and_received_is_seen_by_its_own_seat() -> None:
    deal = Deal("standard", seed=5)
    assert deal.observe(1).may_pass == deal.hands[1]
    assert deal.observe(1).pass_count == 3
    for seat in range(4):
        deal.pass_cards(seat, sorted(deal.hands[seat])[:3])
    for seat in range(4):
        view = deal.observe(seat)
        assert (view.passed, view.received) == (deal.passed[seat], deal.received[seat])


def test_a_kitty_is_seen_by_its_taker_only_and_only_if_the_rules_say_so() -> None:
    rules = "standard,players=3,removed=none,kitty=first-trick,opening=lowest-club,passing=hold"
    for seen in (False, True):
        deal = Deal(f"{rules},kitty_seen={'yes' if seen else 'no'}", seed=2)
        for _ in range(3):
            deal.play(min(deal.legal))
        for seat in range(3):
            view = deal.observe(seat)
            knows = seen and seat == deal.kitty_taker
            assert view.kitty == (deal.kitty if knows else CardSet())
            assert (deal.kitty <= view.taken[deal.kitty_taker or 0]) == knows
            assert (deal.kitty <= view.unseen) != knows


def test_points_of_an_observation_are_those_of_the_cards_taken() -> None:
    deal = small(played="2C 3D 5C 4C 2S KS 2H QS 7H 3H 5H 4H")
    assert deal.observe(0).points == deal.points == (0, 0, 0, 18)


def test_the_dice_of_a_choice_depend_on_seed_deal_seat_and_card_alone() -> None:
    def key(seed: int, number: int, seat: int, plies: int) -> int:
        deal = Deal("seed", seed, number)
        for _ in range(plies):
            deal.play(min(deal.legal))
        return deal.observe(seat).rng.getrandbits(60)

    places = [(1, 0, 0, 0), (2, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1)]
    assert len({key(*place) for place in places}) == len(places)
    assert [key(*place) for place in places] == [key(*place) for place in places]
    world = Deal("seed", 1).observe(0).worlds(1)[0]
    assert world.observe(0).rng.getrandbits(60) != key(1, 0, 0, 0), "a world must not repeat the deal's dice"


# --- games ---


@pytest.mark.parametrize(
    ("rules", "scores", "deals", "over"),
    [
        ("", (99, 0, 0, 0), 5, False),
        ("", (100, 0, 0, 0), 5, True),
        ("over_limit=yes", (100, 0, 0, 0), 5, False),
        ("over_limit=yes", (101, 0, 0, 0), 5, True),
        ("limit=50", (50, 0, 0, 0), 5, True),
        ("", (100, 40, 40, 60), 5, True),
        ("ties=play-on", (100, 40, 40, 60), 5, False),
        ("ties=play-on", (100, 39, 40, 60), 5, True),
        ("ties=play-on", (100, 100, 40, 60), 5, True),
        ("deals=5", (1000, 0, 0, 0), 4, False),
        ("deals=5", (10, 0, 0, 0), 5, True),
        ("deals=5,ties=play-on", (10, 0, 0, 3), 5, False),
        ("deals=5,ties=play-on", (10, 1, 0, 3), 6, True),
        ("falcon", (100, 0, 0, 0), 5, False),
    ],
)
def test_when_a_game_is_over(rules: str, scores: tuple[int, ...], deals: int, over: bool) -> None:
    assert game_is_over(Rules.parse(rules), scores, deals) == over


def test_the_lowest_total_wins() -> None:
    assert winners([10, 3, 20, 3]) == [1, 3]
    assert winners([-5, 3, 20, 3]) == [0]


def over_by_hand(rules: Rules, totals: list[int], deals: int) -> bool:
    """The end of a game, said once more."""
    top, low = max(totals), sorted(totals)
    ended = deals >= rules.deals if rules.deals else top > rules.limit if rules.over_limit else top >= rules.limit
    return ended and (rules.ties == "shared" or low[0] != low[1])


@pytest.mark.parametrize(
    "text", ["limit=60", "limit=26,over_limit=yes", "deals=3", "limit=20,ties=play-on,moon=off", "players=3,limit=52"]
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_games_end_exactly_when_they_should(text: str, seed: int) -> None:
    rules = Rules.parse(text)
    game = Game(rules, seed)
    totals = [0] * rules.players
    while True:
        assert not game.is_over
        assert game.winners == []
        assert game.deal.scores == game.scores == tuple(totals)
        assert game.deal.number == len(game.finished)
        assert game.deal.dealt == Deal(rules, seed, len(game.finished)).dealt
        with pytest.raises(ValueError, match="is not finished"):
            game.next_deal()
        game.deal.play_randomly(len(game.finished))
        totals = [total + points for total, points in zip(totals, game.deal.points, strict=True)]
        game.next_deal()
        if over_by_hand(rules, totals, len(game.finished)):
            break
    assert game.is_over
    assert game.scores == tuple(totals)
    assert game.winners == [seat for seat, total in enumerate(totals) if total == min(totals)]
    assert f"over after {len(game.finished)} deals" in str(game)
    assert f"won by {game.winners}" in repr(game)
    with pytest.raises(ValueError, match="the game is over"):
        game.next_deal()


def test_a_game_in_progress_says_where_it_stands() -> None:
    game = Game("standard", 1)
    assert str(game) == "deal 0 of a game under standard, totals 0:0  1:0  2:0  3:0"


def test_wrong_arguments_are_refused_in_words():
    two = [make_player("gnome"), make_player("random")]
    standard = Rules.parse("standard")
    with pytest.raises(TypeError, match=r"write Rules.parse\('standard'\)"):
        Match(two, "standard", 2)
    with pytest.raises(TypeError, match="'gnome' is not a player"):
        Match(["gnome", "random"], standard, 2)
    with pytest.raises(TypeError, match=r"units=2\.5"):
        Match(two, standard, 2.5)
    with pytest.raises(ValueError, match="at least one player"):
        Match([], standard, 2)
    with pytest.raises(ValueError, match="None is not a rule set"):
        Deal(None)
    deal = Deal("standard", seed=7, number=3)
    obs = deal.observe(deal.to_move)
    for seat in (-1, 4):
        with pytest.raises(ValueError, match=f"there is no seat {seat}"):
            obs.voids(seat)
    with pytest.raises(ValueError, match="-1 worlds"):
        obs.worlds(-1)
