"""The rule-based players in hand-made positions: each sentence of their description.

Expected cards were worked out by hand from the description. A case is (hand, trick, tricks before...).
"""

from __future__ import annotations

import pytest
from support.gnome_positions import GNOME, answers, passes, position

from heartlab.cards import CardSet
from heartlab.players.base import Player
from heartlab.players.gnome.player import make_gnome
from heartlab.rules import Rules

STOCK, LUIS, JAKE, LING, PETER = (make_gnome(name) for name in ("stock", "luis", "jake", "ling", "peter"))
HEARTS_BROKEN = "0: 2C 7C 8C TH"
QUEEN_GONE = "1: AS QS KS 6S"
DIAMONDS_1, DIAMONDS_2 = "1: JD QD 7D 8D", "1: 9D TD 2D 6D"
CLUBS_1, CLUBS_2 = "0: 2C 7C 8C 9C", "1: 3C 4C 5C 6C"
OUT_OF_DIAMONDS = "3: AD 6D QC 7D"
"""Seat 1 cannot follow diamonds."""
OUT_OF_SPADES = "3: 2S 6S QC 7S"
"""Seat 1 cannot follow spades."""

STOCK_PLAYS = [
    # lead: lowest valid in rank order, ties C < D < H < S, Q♠ only if alone
    ("3S", ("5D 3S 3H",)),
    ("3H", ("5D 3S 3H", "", HEARTS_BROKEN)),
    ("3C", ("3S 3D 3C KH",)),
    ("KS", ("QS KS",)),
    ("QS", ("QS",)),
    # no points, minor suit led: highest
    ("KD", ("3D KD AS", "5D")),
    ("KC", ("3C KC", "AC TC")),
    # spades without points: Q♠ under K♠ or A♠; last; not last
    ("QS", ("QS 2S", "KS")),
    ("QS", ("QS JS", "AS 3S")),
    ("JS", ("QS JS", "3S 4S 5S")),
    ("AS", ("AS QS", "3S 4S 5S")),
    ("QS", ("QS 2D", "3S 4S 5S")),
    ("JS", ("AS JS 2S", "3S")),
    ("AS", ("QS KS AS", "3S")),
    ("KS", ("QS KS", "3S 4S")),
    # points on the trick: highest below; else last highest without Q♠, not last lowest even if Q♠
    ("4H", ("3H 4H 9H", "5H")),
    ("QS", ("QS 3S", "KS 2H")),
    ("9H", ("9H KH", "2H")),
    ("KH", ("9H KH", "2H 3H 4H")),
    ("JS", ("QS JS", "3S 2H 4S")),
    ("QS", ("QS", "3S 2H 4S")),
    ("QS", ("QS AS", "3S 2H")),
    ("3D", ("3D KD", "5D 2H")),
    # void: Q♠, A♠, K♠, highest heart, highest rank with ties C, D, S
    ("QS", ("QS AS KH 3C", "5D")),
    ("AS", ("AS KS KH", "5D")),
    ("KS", ("KS AH", "5D")),
    ("9H", ("3H 9H AC", "5D")),
    ("TC", ("TC TS 6S", "5D")),
    ("TD", ("TD TS", "5C")),
    ("AS", ("AS QS KH 4D", "2C", "first")),
]

LUIS_PLAYS = [
    # L1 to L7
    ("3H", ("3H 9H",)),
    ("JS", ("5S JS AD",)),
    ("AD", ("5S JS AD", "", "0: 2C 7C 8C QS")),
    ("AD", ("QS JS AD",)),
    ("AD", ("3D AD KC 9S KS",)),
    ("KC", ("AD KC KS", "", DIAMONDS_1, DIAMONDS_2)),
    ("TC 4S", ("TC KD 4S QS", "", DIAMONDS_1, DIAMONDS_2, CLUBS_1, CLUBS_2)),
    ("KC KD 9S QS", ("KC KD 9S QS", "", DIAMONDS_1, DIAMONDS_2, CLUBS_1, CLUBS_2)),
    # spades
    ("QS", ("QS 2S", "KS")),
    ("JS", ("QS JS KS", "5S")),
    ("KS", ("QS KS", "5S")),
    ("KS", ("KS 2S", "3S 4S 5S")),
    ("2S", ("KS 2S", "3S QS 5S")),
    ("9S", ("AS KS 9S", "3S")),
    ("AS", ("AS KS", "3S")),
    ("JS", ("JS 3S", "5S")),
    # hearts: last; third and more than three above; third and not; second; duck
    ("KH", ("9H KH", "2H 3H 4H")),
    ("KH", ("9H KH", "2H 5H")),
    ("9H", ("9H KH", "2H 6H")),
    ("9H", ("9H KH", "2H")),
    ("9H", ("3H 9H KH", "TH")),
    # minors: first time the highest, then lowest unless last, never high on Q♠
    ("KD", ("3D KD", "5D")),
    ("3D", ("3D 4D KD", "5D", DIAMONDS_1)),
    ("KD", ("3D KD", "5D 4D 6D", DIAMONDS_1)),
    ("3D", ("3D KD", "5D QS 6D")),
    # void
    ("QS", ("QS KS AH", "5D")),
    ("KS", ("AS KS", "5D")),
    ("3H", ("7D 3H", "5C")),
    ("8D", ("8D 3H", "5C")),
    ("9S", ("9D 9S", "5C")),
]

JAKE_PLAYS = [
    # J1: K or A of the longest suit without points that nobody is out of and with more than five unseen
    ("KD", ("KD 3D 4D AC 9S",)),
    ("AC", ("QD 3D 4D AC QS",)),
    ("KS", ("KS 5S 9D", "", QUEEN_GONE)),
    ("9D", ("KS 5S 9D",)),
    ("3D", ("KD 3D 4D QS", "", OUT_OF_DIAMONDS)),
    ("3D", ("KD 3D 4D 5D 6D 7D 8D 9D QS",)),
    # J2: top spade while Q♠ is out and nobody is out of spades
    ("JS", ("JS 4S 3D",)),
    # J3: a giveaway heart; the three only once the two of SPADES has been seen
    ("2H", ("2H 5D 9D", "", HEARTS_BROKEN)),
    ("3H", ("3H 5D 9D", "", HEARTS_BROKEN, "1: 2S 8S 9S TS")),
    # J4: lowest spade although somebody is out of spades
    ("4S", ("JS 4S TD", "", OUT_OF_SPADES)),
    # J5: the first suit with a giveaway; spades only without a high one
    ("2D", ("QS 2S 2D TD KC 6C 5C", "", "3: JC TC 6H 3C")),
    ("2S", ("2S 5S TD", "", QUEEN_GONE)),
    # J6: the suit whose lowest card most unseen cards beat; not spades with a high one; J7
    ("5D", ("QS 4S 5D TC",)),
    ("4S", ("QS 4S AD", "", "3: KD 6D QC 7D")),
    ("4S", ("QS 4S",)),
    # take while it is cheap
    ("KD", ("3D KD 4S", "5D")),
    ("KD", ("3D KD", "5D 6D 7D")),
    ("QS", ("QS 3S", "KS")),
    ("9S", ("AS 9S", "5S")),
    ("AS", ("AS KS", "5S")),
    ("AS", ("AS 9S", "5S", QUEEN_GONE.replace("AS", "JS"))),
    # avoid: points; few cards left; a later player is out of the suit
    ("4D", ("3D 4D KD", "5D 2H")),
    ("4D", ("2D 3D 4D 6D 8D 9D TD KD", "5D")),
    ("3D", ("3D KD", "5D", OUT_OF_DIAMONDS)),
    ("KD", ("3D KD", "5D", OUT_OF_DIAMONDS, "3: 2H 3H TC 5H", QUEEN_GONE)),
    ("9H", ("9H KH", "2H")),
    ("KH", ("9H KH", "2H 3H 4H")),
    ("5S", ("QS 5S", "3S 2H 4S")),
    ("AS", ("QS AS", "3S 2H")),
    # void
    ("QS", ("QS AS", "5D")),
    ("AS", ("AS KS 3H", "5D")),
    ("AH", ("KS AH", "5D", QUEEN_GONE.replace("KS", "JS"))),
    ("5H", ("JD 5H 4H", "5C")),
    ("QD", ("QD 5H", "5C")),
    ("JD", ("JD TC", "5S")),
]

LING_PLAYS = [
    # Q♠ that every unseen spade beats; a top card that a king may be; J2; the heart below all others
    ("QS", ("QS 3D", "", "1: 2S 3S 4S 5S", "1: 6S 7S 8S 9S", "1: TS JS 5D 6D")),
    ("KD", ("KD 3D 4D QS", "", "3: AD 5D 6D 7D")),
    ("3D 4D", ("QD 3D 4D QS",)),
    ("JS", ("JS 4S 3D",)),
    ("3H", ("3H 5D 9D", "", "0: 2C 7C 8C 2H")),
    # a low spade although somebody is out; another giveaway, even beside Q♠
    ("4S", ("JS 4S TD", "", OUT_OF_SPADES)),
    ("2D", ("QS 5S 2D TD",)),
    ("2S", ("QS 2S 9D",)),
    # probable giveaways: spades with a high one, no single card, fewer unseen above the second card
    ("4D", ("KS 9S 4D TD",)),
    ("4S", ("KS 4S 4D TD",)),
    ("4D", ("4C 4D TD",)),
    ("4C", ("4D TD 4C KC",)),
    # random among equivalent cards, of which Q♠ is none
    ("KD QD", ("KD QD 3C", "5D", "0: 2C 7C 8C AD")),
    ("KS", ("KS QS 3D", "5S 6S 7S", "1: 2S 3S 4S AS")),
    # take and duck like Jake
    ("4D", ("2D 4D KD", "5D 2H")),
    ("9S", ("AS 9S", "5S")),
    ("KH", ("9H KH", "2H 3H 4H")),
    ("KC", ("4C 5C 6C 7C 8C 9C TC KC", "2C 3C", "first")),
    ("4C 5C 6C", ("4C 5C 6C 9C TC JC QC KC", "7C 3C", "1: 2D 3D 5D 6D")),
    # void: Q♠, A♠ or K♠; a lone card that nothing beats, a lone card, a top card, a point card, a card few beat
    ("QS", ("QS AD 4S", "5C")),
    ("AS KS", ("AS KS KH", "5D")),
    ("AD", ("AD 4S 5S KH 2H", "5C", "1: QS 6S 7S 8S")),
    ("9D", ("9D 4S 5S KH 2H", "5C", "1: QS 6S 7S 8S")),
    ("AD", ("AD 9D 4S 5S KH 2H", "5C", "1: QS 6S 7S 8S")),
    ("KH", ("QD 9D 4S 5S KH 2H", "5C", "1: QS 6S 7S 8S")),
    ("QD", ("QD 9D TS 4S", "5C", "1: QS 6S 7S 8S")),
    # the moon: a sole scorer who wins is stopped from 15 points on, from 7 with Q♠ to come
    ("QD", ("QD 2D 5C", "JD 3D 4H", "1: QS 5S 6S 7S", "1: TH 2H 9D 8D")),
    ("2D", ("QD 2D 5C", "JD 3D 4H", "1: QS 5S 6S 7S", "1: TH 6D 9D 8D")),
    ("QD", ("QD 2D 5C", "JD 3D 4H", "1: AH KH QH JH", "1: TH 9H 8H 2C")),
    ("2D", ("QD 2D 5C", "JD 3D 4H", "1: AH KH QH JH", "1: TH 9H 9D 8D")),
    # or from 2 on with a lead that cannot be beaten and two players out; what cannot win keeps the top card
    ("3D", ("QD 3D AC KC", "AD 5H 6H", "1: KD 5C 6C 9D", "1: AH 2H 3C 4C")),
    ("QD", ("QD 3D AC KC", "AD 5H 7D", "1: KD 5C 6D 9D", "1: AH 2H 3C 4C")),
    # a high heart or spade led is beaten, unless several have points
    ("AH", ("AH 2H 9D", "KH 3H")),
    ("2H", ("AH 2H 9D", "KH 3H", "0: 2C 7C 8C TH", "1: 2D 3D 9H 4D")),
    ("AS", ("AS 3S 9D", "KS 4S")),
    ("3S", ("AS 3S 9D", "KS 4S", HEARTS_BROKEN, "1: 2D 3D 9H 4D")),
]

PETER_PLAYS = [
    # lead: Q♠ that all others beat; a spade to fetch it; not with too few small ones; a risky top card once it has gone
    ("QS", ("QS 3D", "", "1: 2S 3S 4S 5S", "1: 6S 7S 8S 9S", "1: TS JS 5D 6D", "2: 2H 3H 4H 5H")),
    ("JS", ("JS 4S 3D KH QC",)),
    ("JS", ("KS JS 4S 3S 2S 9H QC",)),
    ("3D", ("KS JS 4S 3D KH QC",)),
    ("KD", ("KD 4C 3C 6H", "", "1: QS 5S 6S 7S", "2: KH QH JH TH", "3: 9H 8H 7H 5H")),
    ("3D", ("KS JS 4S 3S 3D KH QC",)),
    ("9H", ("4H 9H",)),
    ("4H", ("4H 9H", "", HEARTS_BROKEN)),
    ("JS", ("JS 3C 4C 5D", "", QUEEN_GONE)),
    ("3C", ("JS 3C 4C 5D", "", QUEEN_GONE, "3: 2S 3S QC 7S")),
    # any exit; or what most unseen cards beat
    ("2D 3C", ("2D KD 3C KC 9H",)),
    ("8D", ("KS JS 8D TC",)),
    # hearts: duck high; but over the only scorer with more than half of the points
    ("9H", ("3H 9H AH", "TH KH")),
    ("AH", ("3H 9H AH", "TH KH", "3: KS QS 5S 2H")),
    # spades: high if Q♠ cannot come, as when we passed it to somebody who has played
    ("9S", ("KS 9S 2D", "5S")),
    ("KS", ("KS 9S 2D", "5S", "passed QS 3")),
    ("9S", ("KS 9S 2D", "5S", "passed QS 2")),
    ("QS", ("QS 9S 2D", "KS")),
    # minors: duck while Q♠ is out; last and cheap goes high; sure to win goes high
    ("4D", ("4D 9D KD 3H", "5D", "2: 3D 6D 8H 7D")),
    ("KD", ("4D 9D KD 3H", "5D 2D 6H")),
    ("9D", ("4D 9D KD 3H", "TD 2D QS", "2: 2H 3D 4H 5H")),
    ("KD", ("4D 9D KD 3H", "5D", QUEEN_GONE)),
    ("AD", ("KD AD 3H", "5D")),
    ("KS", ("QS KS 2D", "3S 4S 5S")),
    # void: Q♠; K♠ unprotected; a singleton ace; a heart that breaks the only scorer
    ("QS", ("QS AD 4S", "5C")),
    ("AS", ("AS 4S 9D JD 6H", "5C")),
    ("AD", ("AD 4S 5S 6H 2H", "5C", "1: QS 6S 7S 8S", "2: JD TD 3H 2D")),
    ("9H", ("AD 4D 9H", "5C", "1: QS 6S 7S 8S")),
    ("KS", ("KS 3S 4S 5S JD 9D", "5C")),
    ("JD", ("KS 2S 3S 4S 5S JD 9D", "5C")),
    ("8D", ("8D TS 4S", "5C")),
    ("9C 9D", ("9C 4C 9D 4D", "5S", QUEEN_GONE)),
    # hearts: more once Q♠ has gone, less for the only scorer, much more for another
    ("JD", ("8H 4H JD 4D 9C 4C", "5S", "1: 2S 3S 6S 7S")),
    ("8H", ("8H 4H JD 4D 9C 4C", "5S", QUEEN_GONE, "2: AH KH QH JH")),
    ("JD", ("8H 4H JD 4D 9C 4C", "TS 3S 2S", QUEEN_GONE)),
    ("8H", ("8H 4H JD 4D 9C 4C", "3S TS 2S", QUEEN_GONE)),
    # shooting: stuck with Q♠, or with half of the points; not ready to run, he ducks low
    ("QC", ("QS 2S AC KC QC 4C 3D 4D 5D 9H",)),
    ("5S", ("5S 2S AC KC QC 4C 3D 4D 5D 9H",)),
    ("KD", ("AD KD 9H 3S", "", "0: KS QS 4S 5S")),
    ("3C", ("AC KC 3C 5C AD 4D 2H 3H JS", "6C")),
    # shooting: a suit runs if two winners and one more round draw it; before all run, a minor suit is set up
    ("KD", ("AD KD 4D 2H 3H JS", "", "0: 2C 7C 8C 5D")),
    ("JS", ("AD KD 4D 2H 3H JS",)),
    ("9D", ("AS KS QD JD TD 9D 2H 3H",)),
    # shooting: hearts that run; the lowest sure winner of the long suit; a trick with points is taken
    ("AH", ("AH KH QH JH AS KS AD", "", "0: AC 7C 8C TH")),
    ("QD", ("AD KD QD 8D AS KS QS AC", "", "0: AC KC 5C 6C", "0: QC JC 4C 3C", "0: JS 2S 3S 4S")),
    ("JC", ("JC AH KH QH AD KD AS KS", "TC 5H", "1: 2C 7C 8C 9C")),
]


def _answers(player: Player, case: tuple[str, ...]) -> CardSet:
    """What a player plays in a case; the last part of it may say what was passed: ``passed CARD CODE``."""
    extra = {}
    if case[-1].startswith("passed"):
        _, passed, code = case[-1].split()
        extra, case = {"passed": passed, "pass_code": int(code)}, case[:-1]
    return answers(player, position(*case, **extra))


def _cases(*groups):
    return [
        pytest.param(player, CardSet(card), case, id=f"{player.name.split(':')[1]}-{index}-{card.replace(' ', '')}")
        for player, plays in groups
        for index, (card, case) in enumerate(plays)
    ]


@pytest.mark.parametrize(
    ("player", "expected", "case"),
    _cases((STOCK, STOCK_PLAYS), (LUIS, LUIS_PLAYS), (JAKE, JAKE_PLAYS), (LING, LING_PLAYS), (PETER, PETER_PLAYS)),
)
def test_rule_sentences(player, expected, case):
    assert _answers(player, case) == expected


def test_luis_hunts_the_queen_in_the_first_deal_of_a_game_only():
    assert answers(LUIS, position("5S JS AD")) == CardSet("JS")
    assert answers(LUIS, position("5S JS AD", scores=(0, 0, 26, 0))) == CardSet("AD")


def test_luis_leads_two_of_clubs_where_he_might_lead_another():
    rules = GNOME.replace(opening="any-club")
    assert answers(LUIS, position("2C AC KD", "", "first", rules=rules), rules) == CardSet("2C")


def test_ling_lets_the_moon_happen_when_she_is_last_anyway():
    threat = ("AH 2H 9D", "KH 3H")
    assert answers(LING, position(*threat, scores=(90, 20, 30, 40))) == CardSet("2H")
    assert answers(LING, position(*threat, scores=(90, 20, 30, 95))) == CardSet("AH")
    assert answers(LING, position(*threat, scores=(84, 80, 80, 80))) == CardSet("AH")
    assert answers(LING, position(*threat, scores=(25, 0, 0, 0))) == CardSet("AH")


def test_nobody_thinks_of_the_moon_where_there_is_none():
    rules = GNOME.replace(moon="off", sun=False)
    assert answers(LING, position("AH 2H 9D", "KH 3H", rules=rules), rules) == CardSet("2H")
    run = ("AH KH QH JH AS KS AD", "", "0: AC 7C 8C TH")
    assert answers(PETER, position(*run, rules=rules), rules) != CardSet("AH") == answers(PETER, position(*run))


def test_peter_minds_the_bonus_card():
    rules = GNOME.replace(bonus="JD")
    assert answers(PETER, position("JD QD KD 3S", "5D 6D 7D", rules=rules), rules) == CardSet("JD")
    lead = position("JD 4D KC QC", "", "1: AD KD QD 7D", "2: 2H 3H 4H 5H", rules=rules)
    assert answers(PETER, lead, rules) == CardSet("JD")
    assert "JD" not in answers(PETER, position("JD 2S 3S 9H", "5C", rules=rules), rules)


def test_peter_gives_back_what_he_received():
    case = ("9C 4C 9D 4D", "5S", QUEEN_GONE)
    assert answers(PETER, position(*case, received="9D 4D 2H")) == CardSet("9D")


def test_peter_passes_by_the_rules_in_force():
    hand = "QS 2S 3S 4S 5C 6C 7C 8C 5D 6D 2H KH AH"
    assert passes(PETER, hand, Rules.parse("spot")) == CardSet("AH KH 8C")
    hand = "QS 2S 3S 4S 5C 6C 7C 8C 5D 6D 7D 2H 3H"
    assert passes(PETER, hand, GNOME.replace(bonus="JD")) == CardSet("8C 7D 7C")


STOCK_PASSES = [
    ("QS KS AS", "QS KS AS 5C 2D 3D 4D 2H 3H 4H 5H 6H AH"),
    ("5C 5H 4H", "5C 2D 3D 4D 2H 3H 4H 5H 2S 3S 4S 5S 6S"),
    ("KS 5D 9H", "2C 3C 4C 5D 2H 3H 4H 9H 2S 3S 4S 5S KS"),
    ("9D 7S 7C", "2C 3C 4C 5C 6C 7C 9D 2S 3S 4S 5S 6S 7S"),
    ("KC QC 7S", "QC KC 2D 3D 4D 5D 6D 2S 3S 4S 5S 6S 7S"),
]
JAKE_PASSES = [
    ("AS KS QS", "AS KS QS 2H 3H JH KH 2C 3C 4C 5C 2D 3D"),
    ("AS KS JH", "AS KS QS 2S 7H JH KH 2C 3C 4C 5C 2D 3D"),
    ("AS KS 3D", "AS KS QS 2S 6H JH KH 2C 3C 4C 5C 2D 3D"),
    ("JH QH KH", "JH QH KH AH 2S 3S 4S 5S 6S 2C 3C 2D 3D"),
    ("8D 7D 6C", "5C 6C 7D 8D 2H 3H 4H 5H 2S 3S 4S 5S 6S"),
    ("TD TC 4D", "2C 3C 4C TC 2D 3D 4D TD 2H 3H 2S 3S 4S"),
    ("9D 5H 6H", "9D 2H 3H 4H 5H 6H 2S 3S 4S 5S 6S 7S 8S"),
    ("3H 2H QS", "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS 2H 3H"),
]
PETER_PASSES = [
    # unsafe spades with Q♠; without Q♠ a short minor suit first, and only then A♠ and K♠
    ("QS AS KS", "QS AS KS 2S 2H 3H 4H 5C 6C 7C 8C 5D 6D"),
    ("5C 6C TH", "AS KS 2S 5C 6C 5D 6D 7D 8D 9D 2H 3H TH"),
    ("AS KS TH", "AS KS 2S 5C 6C 7C 8C 5D 6D 7D 8D 9D TH"),
    # safe spades: clear a suit if it fits, unsafe hearts above the six, high minor cards
    ("5D 6D AH", "QS 2S 3S 4S 5C 6C 7C 8C 5D 6D 2H 3H AH"),
    ("AH 8D 8C", "QS 2S 3S 4S 5C 6C 7C 8C 5D 6D 7D 8D AH"),
    ("5D 6D 7D", "QS 2S 3S 4S 5C 6C 7C 8C 5D 6D 7D 2H 3H"),
    ("5C 6C 8D", "QS 2S 3S 4S 5S 6S 5C 6C 7D 8D 2H 3H 4H"),
    ("5D 6D AH", "QS 2S 3S 4S 5C 6C 7C 8C 5D 6D 2H KH AH"),
    # to shoot: many court cards and a way in to each suit; low cards go
    ("2S 3S 2D", "AH KH QH AD KD QD 2D AC KC KS QS 2S 3S"),
]


@pytest.mark.parametrize(
    ("player", "expected", "hand"),
    [(STOCK, *case) for case in STOCK_PASSES] + [(LUIS, *case) for case in STOCK_PASSES]
    + [(JAKE, *case) for case in JAKE_PASSES] + [(LING, *case) for case in JAKE_PASSES]
    + [(PETER, *case) for case in PETER_PASSES],
)  # fmt: skip
def test_passes(player, expected, hand):
    assert passes(player, hand) == CardSet(expected)


def test_fewer_cards_and_forbidden_cards_are_passed_in_the_same_order():
    hand = "QS KS AS 5C 2D 3D 4D 2H 3H 4H 5H 6H AH"
    assert passes(STOCK, hand, GNOME.replace(pass_count=1)) == CardSet("QS")
    assert passes(STOCK, hand, GNOME.replace(pass_count=5)) == CardSet("QS KS AS 5C AH")
    assert passes(STOCK, hand, GNOME.replace(pass_high_spades=False)) == CardSet("5C AH 6H")
    assert passes(JAKE, hand, GNOME.replace(pass_high_spades=False)) == CardSet("5C 4D 3D")
    assert passes(PETER, hand, GNOME.replace(pass_high_spades=False)) == CardSet("5C AH 4D")
