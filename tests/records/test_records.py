"""Records of deals: both forms there and back, every refusal at its line, OpenSpiel's histories, the docs' example.

The refusals start from ``GOOD``, a whole deal of twelve cards, and spoil one line of it.
"""

from __future__ import annotations

import io
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT

from heartlab.cards import CARDS, Card, CardSet, card_suit, parse_cards
from heartlab.records.format import (
    HEADER,
    MAX_NUMBER,
    DealRecord,
    RecordError,
    to_json,
    to_openspiel,
    to_text,
    write_text,
)
from heartlab.records.reader import _KEYWORDS, from_json, parse_openspiel, read_records
from heartlab.rules import PRESETS, RANDOM_OFFSET, Rules

TWELVE = "2C 2D 2H 3C 3D 3H 4C 4D 4H 5C 5D 5H"
REMOVED = (CardSet(CARDS) - CardSet(TWELVE)).names().replace(" ", "+")  # type: ignore[attr-defined]
SMALL = f"standard,removed={REMOVED},pass_count=1"
"""Rules that deal three of twelve cards to each of four players."""

GOOD = f"""%hearts 1

deal 0
rules {SMALL}
players ann bob "c d" eve
scores 0 -13 5 8
hand 0  2C 2D 2H
hand 1  3C 3D 3H
hand 2  4C 4D 4H
hand 3  5C 5D 5H
pass left
gives 0  2H
gives 1  3H
gives 2  4H
gives 3  5H
trick 1  0: 2C 3C 4C 5C
trick 2  3: 5D 2D 3D 4D
trick 3  3: 4H 5H 2H 3H
points 4 0 0 0
moon 0
game 2
end
"""


def read_one(text: str) -> DealRecord:
    [record] = read_records(text)
    return record


def spoil(start: str, new: str | None, text: str = GOOD) -> str:
    """The text with the line that starts so replaced, or left out for None; new lines may come along."""
    lines = text.splitlines()
    [index] = [index for index, line in enumerate(lines) if line.startswith(start)]
    lines[index : index + 1] = [] if new is None else new.split("\n")
    return "\n".join(lines) + "\n"


# --- there and back ---

RULES = [
    *PRESETS,
    "standard,players=3",
    "standard,players=5",
    "standard,players=6,passing=across/-2",
    "standard,passing=scatter",
    "standard,passing=pool,pass_count=2",
    "standard,players=5,passing=random",
    "standard,players=3,removed=none,kitty=nobody,opening=lowest-club,passing=pool",
    "omnibus,players=5,passing=+2,removed=none,kitty=first-heart,opening=random",
    SMALL,
]
texts = st.text(st.characters(), max_size=8) | st.sampled_from(["", " ", '"', "a b", "#", "é ü", "x\u2028y", "\\", "-"])


def random_play(rules: Rules, hands: tuple[CardSet, ...], leader: int, count: int, rng: random.Random) -> list[Card]:
    """Cards of a play in which everybody follows suit, and no other rule is kept."""
    held = [set(hand) for hand in hands]
    plays: list[Card] = []
    while len(plays) < count:
        trick: list[Card] = []
        for turn in range(rules.players):
            hand = held[(leader + turn) % rules.players]
            following = [card for card in hand if trick and card_suit(card) == card_suit(trick[0])]
            trick.append(rng.choice(sorted(following or hand)))
            hand.remove(trick[-1])
        plays += trick
        winner = max(card for card in trick if card_suit(card) == card_suit(trick[0]))
        leader = (leader + trick.index(winner)) % rules.players
    return plays[:count]


@st.composite
def records(draw: st.DrawFn, rules_texts: list[str] = RULES) -> DealRecord:
    """Records in all stages, from dealt to finished, of all kinds of rules."""
    rules = Rules.parse(draw(st.sampled_from(rules_texts)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    n, size, number = rules.players, rules.hand_size, draw(st.integers(0, 99))
    pack = sorted(set(CARDS) - set(rules.removed))
    rng.shuffle(pack)
    hands = tuple(CardSet(pack[seat * size : (seat + 1) * size]) for seat in range(n))
    direction = rules.pass_direction(number)
    if rules.pass_code(direction) == RANDOM_OFFSET:
        direction = draw(st.sampled_from(["hold", *(f"+{k}" for k in range(1, n))]))
    stage = draw(st.sampled_from(["dealt", "passed", "played", "finished"]))
    passed = received = None
    if stage != "dealt" and direction != "hold":
        given = [rng.sample(sorted(hand), rules.pass_count) for hand in hands]
        passed = tuple(map(CardSet, given))
        if direction == "pool":
            pool = [card for cards in given for card in cards]
            rng.shuffle(pool)
            received = tuple(CardSet(pool[seat::n]) for seat in range(n))
    seats = st.integers(0, n - 1)

    def maybe(values: st.SearchStrategy[Any]) -> Any:
        return draw(st.none() | values)

    def per_seat(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.tuples(*[values] * n)

    record = DealRecord(
        rules=rules,
        number=number,
        hands=hands,
        pass_direction=direction,
        kitty=CardSet(pack[n * size :]),
        passed=passed,
        received=received,
        leader=maybe(seats),
        scores=maybe(per_seat(st.integers(-MAX_NUMBER, MAX_NUMBER))),
        players=maybe(per_seat(texts)),
        game=maybe(st.integers(0)),
        seed=maybe(st.integers()),
        notes=tuple(draw(st.lists(texts, max_size=3))),
    )
    if stage in ("dealt", "passed"):
        return record
    count = rules.plays if stage == "finished" else draw(st.integers(1, rules.plays - 1))
    leader = draw(seats)
    record = replace(record, leader=leader, plays=tuple(random_play(rules, record.playing_hands, leader, count, rng)))
    return replace(record, points=maybe(per_seat(st.integers())), moon=maybe(seats)) if stage == "finished" else record


@given(records())
def test_text_there_and_back(record: DealRecord) -> None:
    text = to_text(record)
    assert list(read_records(text)) == [record]
    assert list(read_records(text.splitlines())) == [record], "no character that some call a line break is in the way"
    assert to_text(read_one(text)) == text


@given(records())
def test_json_there_and_back(record: DealRecord) -> None:
    line = to_json(record)
    assert line.splitlines() == [line]
    assert from_json(line) == record
    assert list(read_records([line + "\n"])) == [record]


@given(records())
def test_both_forms_say_the_same(record: DealRecord) -> None:
    from_text, from_line = read_one(to_text(record)), from_json(to_json(record))
    assert to_json(from_text) == to_json(record)
    assert to_text(from_line) == to_text(record)


@given(st.lists(records(), max_size=4))
def test_files_of_many_deals(many: list[DealRecord]) -> None:
    out = io.StringIO()
    for index, record in enumerate(many):
        write_text(record, out, header=index == 0)
    assert list(read_records(out.getvalue())) == many
    assert list(read_records(map(to_json, many))) == many
    assert list(read_records("".join(map(to_text, many)))) == many, "whole files can be joined end to end"


def test_the_good_deal_is_read_as_written() -> None:
    record = read_one(GOOD)
    assert record.rules == Rules.parse(SMALL)
    assert record.players == ("ann", "bob", "c d", "eve")
    assert record.scores == (0, -13, 5, 8)
    assert record.hands[1] == CardSet("3C 3D 3H")
    assert record.passed is not None
    assert record.passed[3] == CardSet("5H")
    assert record.playing_hands[0] == CardSet("2C 2D 5H")
    assert record.trick_leaders == (0, 3, 3)
    assert (record.leader, record.points, record.moon, record.game) == (0, (4, 0, 0, 0), 0, 2)
    assert record.is_finished


def test_lines_are_remembered() -> None:
    record = read_one(GOOD)
    assert record.line == 3
    assert [record.line_of_play(ply) for ply in (0, 3, 4, 11)] == [16, 16, 17, 18]
    assert record.line_of("gives 2") == 14
    assert record.line_of("points") == 19
    assert record.line_of("seed") == 3, "what is not there is reported at the deal"
    assert replace(record, lines={}).line_of_play(5) == 0


def test_passing_by_scatter_and_pool() -> None:
    scatter = GOOD.replace("pass_count=1", "pass_count=3").replace("pass left", "pass scatter")
    for seat, cards in enumerate(["2C 2D 2H", "3C 3D 3H", "4C 4D 4H", "5C 5D 5H"]):
        scatter = spoil(f"gives {seat}", f"gives {seat}  {cards}", scatter)
    for start in ("trick 1", "trick 2", "trick 3", "points", "moon"):
        scatter = spoil(start, None, scatter)
    assert read_one(scatter).playing_hands[0] == CardSet("5C 4D 3H"), "lowest to the left, highest to the right"
    gets = "".join(f"gets {seat}  {card}\n" for seat, card in enumerate(["2H", "5H", "4H", "3H"]))
    pool = GOOD[: GOOD.index("trick 1")].replace("pass left", "pass pool") + gets + "end\n"
    assert read_one(pool).playing_hands[1] == CardSet("3C 3D 5H")


def test_one_word_for_a_direction() -> None:
    assert read_one(GOOD.replace("pass left", "pass +1")) == read_one(GOOD)
    assert read_one(GOOD.replace("pass left", "pass -3")) == read_one(GOOD)


def test_hold_may_be_left_out() -> None:
    text = GOOD[: GOOD.index("pass left")].replace("deal 0", "deal 3") + "end\n"
    assert read_one(text).pass_direction == "hold"


def test_own_words_comments_and_order_do_not_matter() -> None:
    text = spoil("players", '  # hello\n\nx_elo 1 2\nplayers  ann bob\t"c d"   eve')
    lines = text.splitlines()
    lines.insert(3, lines.pop(-2))
    assert read_one("\ufeff# first\n" + "\r\n".join(lines)) == read_one(GOOD)
    assert from_json(to_json(read_one(GOOD)).replace('"deal"', '"x_elo": {"x_elo": [1, null]}, "deal"')) == read_one(
        GOOD
    )


def test_rules_are_those_of_the_deal_before() -> None:
    second = spoil("rules", None, GOOD[len(HEADER) :]).replace("deal 0", "deal 4")
    assert [record.rules for record in read_records(GOOD + second)] == [Rules.parse(SMALL)] * 2
    with pytest.raises(RecordError, match="the rules want 13"):
        list(read_records(GOOD + HEADER + second))
    with pytest.raises(RecordError, match="the rules want 13"):
        list(read_records(HEADER + second))


def test_nothing_is_no_record() -> None:
    assert list(read_records("")) == []
    assert list(read_records(["\n", "# nothing\n"])) == []
    assert list(read_records([HEADER])) == []


# --- refusals ---

BAD_LINES = [
    # start of the line of GOOD, what stands there instead, line of the error, what it says
    ("hand 2", "hnad 2  4C 4D 4H", 9, "`hnad` is not a keyword; did you mean hand? known are deal, game"),
    ("players", "Hello World", 5, "`Hello` is not a keyword; known are deal"),
    ("deal", "deal seven", 3, "'seven' is not a whole number"),
    ("deal", "deal", 3, "'' is not a whole number"),
    ("deal", "deal 0 1", 3, "'0 1' is not a whole number"),
    ("deal", "deal -1", 3, "numbers count from 0"),
    ("deal", "deal 2147483648", 3, "deals are numbered up to 2147483647"),
    ("deal", "points 1 2 3 4", 3, "`points` stands outside of a deal"),
    ("game", "game -2", 21, "numbers count from 0"),
    ("game", "game 2\ngame 2", 22, "`game` is there twice, first in line 21"),
    ("game", "seed 1e9", 21, "'1e9' is not a whole number"),
    ("game", "seed " + "9" * 5000, 21, "is not a whole number"),
    ("rules", "rules standrad", 4, "no rules are called 'standrad'; known are standard"),
    ("rules", "rules " + SMALL + ",moon=blue", 4, "moon=blue is unknown; choose from off"),
    ("players", "players a b c", 5, "lists 3: write one for each of the 4 seats"),
    ("players", 'players a b "c d', 5, "goes into JSON quotes as a whole"),
    ("players", 'players a b c"d e" f', 5, "goes into JSON quotes as a whole"),
    ("players", r'players a b "\x" f', 5, "is a JSON string"),
    ("game", 'note "hi', 21, "a note that starts with a quote is a JSON string"),
    ("scores", "scores 1 2 3 4 5", 6, "lists 5: write one for each of the 4 seats"),
    ("scores", "scores 1 2 3 four", 6, "'four' is not a whole number"),
    ("hand 3", None, 3, "the deal has 3 hands: the rules have 4 players"),
    ("hand 1", None, 8, "`hand 2` where `hand 1` is due"),
    ("hand 2", "hand 2  4C 4D 4H\nhand 2  4C 4D 4H", 10, "`hand 2` where `hand 3` is due"),
    ("hand 3", "hand 3  5C 5D 5H\nhand 4  5S", 11, "the deal has 5 hands"),
    ("hand 2", "hand two  4C 4D 4H", 9, "write `hand SEAT  CARDS`"),
    ("hand 2", "hand 2  4C 4D 4X", 9, "'4X' is not a card"),
    ("hand 2", "hand 2  4C 4D 4D", 9, "has 4D twice"),
    ("hand 2", "hand 2  4C 4D 3H", 9, "`hand 2` has 3H again: each card is dealt once (in no hand: 4H)"),
    ("hand 2", "hand 2  4C 4D", 9, "`hand 2` has 2 cards: the rules want 3 (in no hand: 4H)"),
    ("hand 2", "hand 2", 9, "`hand 2` has 0 cards"),
    ("hand 2", "hand 2  4C 4D QS", 9, "`hand 2` has QS, which the rules remove"),
    ("pass", "kitty QD\npass left", 11, "`kitty` has QD, which the rules remove"),
    ("pass", "kitty 2C\npass left", 11, "`kitty` has 2C again"),
    ("pass", None, 3, "the pass direction is missing, which by the rules is left"),
    ("pass", "pass up", 11, "'up' is not a pass direction; known are left"),
    ("pass", "pass", 11, "'' is not a pass direction"),
    ("pass", "pass random", 11, "write the direction that chance chose"),
    ("pass", "pass scatter", 11, "but the rules pass 1 cards"),
    ("pass", "pass hold", 12, "`gives` in a deal without passing"),
    ("pass", "pass pool", 11, "write what each seat got"),
    ("gives 2", "gives 2  4S", 14, "`gives 2` has 4S, which seat 2 cannot give: possible are 4C 4D 4H"),
    ("gives 2", "gives 2  4H 4C", 14, "`gives 2` has 2 cards: the rules pass 1"),
    ("gives 2", None, 14, "`gives 3` where `gives 2` is due"),
    ("gives 3", None, 3, "`gives` is there for 3 seats"),
    ("gives 3", "gives 3  5H\ngets 0  5H", 16, "`gets` is only for what seats got from a pool"),
    ("trick 1", "trick 1  0 2C 3C 4C 5C", 16, "write `trick NUMBER  LEADER: CARDS`"),
    ("trick 1", "trick 1  4: 2C 3C 4C 5C", 16, "there is no seat 4; seats are 0 to 3"),
    ("trick 2", "trick 3  3: 5D 2D 3D 4D", 17, "`trick 3` where `trick 2` is due"),
    ("trick 2", None, 17, "`trick 3` where `trick 2` is due"),
    ("trick 1", "trick 1  0: 2C 3C 4C 5C 5D", 16, "`trick 1` has 5 cards: 4 players play one each"),
    ("trick 2", "trick 2  3: 5D 2D 3D", 17, "only the last trick may be short"),
    ("trick 3", "trick 3  3:", 18, "only the first trick may be empty"),
    ("trick 3", "trick 3  3: 4H 5H 2H 3H\ntrick 4  0: 2S", 19, "a deal of these rules has 3 tricks"),
    ("trick 2", "trick 2  2: 5D 2D 3D 4D", 17, "is led by seat 2: seat 3 won trick 1 and leads"),
    ("trick 2", "trick 2  3: 5D 2D 3D 4S", 17, "seat 2 cannot play 4S: the rules remove it from the pack"),
    ("trick 2", "trick 2  3: 5D 2D 4D 3D", 17, "seat 1 cannot play 4D: seat 2 holds it"),
    ("trick 2", "trick 2  3: 5D 2C 3D 4D", 17, "seat 0 cannot play 2C: it was played in trick 1 already"),
    ("trick 2", "trick 2  3: 5H 2D 3D 4D", 17, "seat 3 cannot play 5H: seat 0 holds it"),
    ("points", "points 1 2 3", 19, "lists 3: write one for each of the 4 seats"),
    ("points", "points 4 0 0 zero", 19, "'zero' is not a whole number"),
    ("trick 3", "trick 3  3: 4H 5H 2H", 19, "`points` is for finished deals, but 11 of 12 cards are played"),
    ("moon", "moon 4", 20, "there is no seat 4"),
    ("end", "end of deal", 22, "`end` stands alone"),
    ("end", None, 21, "the deal of line 3 has no `end`"),
    ("end", "end\nedn", 23, "`edn` is not a keyword; did you mean end?"),
    ("end", "\ndeal 1\nend", 23, "the deal of line 3 has no `end`"),
    ("end", "%hearts 1\n", 22, "the deal of line 3 has no `end`"),
]


@pytest.mark.parametrize(("start", "new", "line", "reason"), BAD_LINES)
def test_refusals_name_their_line(start: str, new: str | None, line: int, reason: str) -> None:
    with pytest.raises(RecordError) as caught:
        list(read_records(spoil(start, new), "some.hearts"))
    error = caught.value
    assert reason in error.reason
    assert (error.source, error.line) == ("some.hearts", line)
    assert str(error) == f"some.hearts:{line}: {error.reason}"
    assert "\n" not in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_cards_played_without_passing() -> None:
    text = GOOD
    for seat in range(4):
        text = spoil(f"gives {seat}", None, text)
    with pytest.raises(RecordError, match=r":12: cards are played before passing: write the `gives` lines"):
        list(read_records(text))


def test_moon_before_the_end() -> None:
    text = spoil("trick 3", None, spoil("points", None))
    with pytest.raises(RecordError, match=r":18: `moon` is for finished deals, but 8 of 12"):
        list(read_records(text))


@pytest.mark.parametrize(
    ("gets", "line", "reason"),
    [
        (["2H", "5H", "4H", "4H"], 19, "`gets 3` has 4H, which seat 3 cannot get: possible are 3H"),
        (["2H", "5H", "4H", "3D"], 19, "`gets 3` has 3D, which seat 3 cannot get: possible are 3H"),
        (["2H", "5H 3H", "4H", ""], 17, "`gets 1` has 2 cards: the rules pass 1"),
        (["2H", "5H", "4H"], 3, "`gets` is there for 3 seats"),
    ],
)
def test_a_pool_is_dealt_out_as_gathered(gets: list[str], line: int, reason: str) -> None:
    lines = "".join(f"gets {seat}  {cards}\n" for seat, cards in enumerate(gets))
    with pytest.raises(RecordError) as caught:
        list(read_records(GOOD[: GOOD.index("trick 1")].replace("pass left", "pass pool") + lines + "end\n"))
    assert caught.value.line == line
    assert reason in caught.value.reason


def test_a_kitty_has_its_size() -> None:
    record = DealRecord(
        rules=Rules.parse("advice"),
        number=0,
        hands=tuple(CardSet(CARDS[seat * 17 : seat * 17 + 17]) for seat in range(3)),
        kitty=CardSet("AH"),
        pass_direction="hold",
        leader=0,
    )
    text = to_text(record)
    assert "kitty AH\n" in text
    with pytest.raises(RecordError, match=r":3: `kitty` has 0 cards: the rules want 1 \(in no hand: AH\)"):
        list(read_records(text.replace("kitty AH\n", "")))
    with pytest.raises(RecordError, match=r":10: .* seat 1 cannot play AH: it lies in the kitty"):
        list(read_records(text.replace("0:", "0: 2C AH")))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("%hearts 2\n" + GOOD, 1),
        ("%hearts\n" + GOOD, 1),
        ("%herats 1\n" + GOOD, 1),
        (GOOD.replace(HEADER, ""), 3),
        ("# comment\n\nhello\n", 3),
        (GOOD + "%hearts 99\n", 23),
    ],
)
@pytest.mark.parametrize("skip_bad", [False, True])
def test_versions_that_nobody_knows(text: str, line: int, skip_bad: bool) -> None:
    with pytest.raises(RecordError, match="known is version 1, which starts with the line `%hearts 1`") as caught:
        list(read_records(text, skip_bad=skip_bad))
    assert caught.value.line == line


BAD_JSON: list[tuple[Callable[[str], str], str]] = [
    (lambda line: line[:-1], "this is not a JSON object on one line"),
    (lambda line: "[" * 100_000, "this is not a JSON object on one line"),
    (lambda line: f"[{line}]", "a record is a JSON object, in braces"),
    (lambda line: line.replace('"hearts": 1, ', ""), 'the version, "hearts", is missing: known is version 1'),
    (lambda line: line.replace('"hearts": 1', '"hearts": 2'), 'the version, "hearts", is 2: known is version 1'),
    (
        lambda line: line.replace('"moon"', '"mono"'),
        "'mono' is not a key of a record; did you mean moon? known are hearts",
    ),
    (lambda line: line.replace('"moon": 0', '"deal": 0'), "the key 'deal' is there twice"),
    (lambda line: line.replace('"deal": 0, ', ""), "the number of the deal is missing"),
    (lambda line: line.replace('"deal": 0', '"deal": true'), "the value of 'deal' has to be a whole number"),
    (lambda line: line.replace('"moon": 0', '"moon": null'), "the value of 'moon' has to be a whole number"),
    (lambda line: line.replace('"pass": "left"', '"pass": 1'), "the value of 'pass' has to be a string"),
    (lambda line: line.replace('"ann"', "7"), "the value of 'players' has to be a list of strings"),
    (lambda line: line.replace("-13", "-1000000000000"), "totals go up to 2147483647"),
    (lambda line: line.replace('"deal": 0', '"deal": 2147483648'), "deals are numbered up to 2147483647"),
    (lambda line: line.replace("-13", "-13.0"), "the value of 'scores' has to be a list of whole numbers"),
    (lambda line: line.replace('[3, "5D', '["3", "5D'), "the value of 'tricks' has to be a list of [leader, cards]"),
    (lambda line: line.replace('"2C 2D 2H"', '"2C 2D"'), "`hand 0` has 2 cards: the rules want 3"),
    (lambda line: line.replace('[3, "5D', '[2, "5D'), "`trick 2` is led by seat 2: seat 3 won trick 1"),
    (lambda line: line.replace("left", "up"), "'up' is not a pass direction"),
]


@pytest.mark.parametrize(("change", "reason"), BAD_JSON)
def test_refusals_of_json(change: Callable[[str], str], reason: str) -> None:
    good = to_json(read_one(GOOD))
    with pytest.raises(RecordError) as caught:
        from_json(change(good))
    assert reason in caught.value.reason
    errors: list[RecordError] = []
    lines = [good, "", change(good), good]
    kept = list(read_records(lines, "some.jsonl", skip_bad=True, on_error=errors.append))
    assert kept == [read_one(GOOD)] * 2
    assert [str(error) for error in errors] == [f"some.jsonl:3: {caught.value.reason}"]


def test_a_record_made_in_python_is_checked_without_a_line() -> None:
    record = read_one(GOOD)
    with pytest.raises(RecordError) as caught:
        replace(record, points=(1, 2, 3))
    assert str(caught.value) == "`points` lists 3: write one for each of the 4 seats"
    with pytest.raises(RecordError, match="nobody leads the first trick"):
        replace(record, leader=None)
    with pytest.raises(RecordError, match="cards are the ints 0 to 51"):
        replace(record, plays=(52, *record.plays[1:]))


# --- going on after a bad deal ---


@pytest.mark.parametrize(("start", "new", "line", "reason"), BAD_LINES)
def test_good_deals_around_a_bad_one_are_kept(start: str, new: str | None, line: int, reason: str) -> None:
    before, after = (GOOD.replace("deal 0", f"deal {number}") for number in (4, 8))
    shift = before.count("\n") - 1
    bad = spoil(start, new).removeprefix(HEADER + "\n")
    text = before + bad + "\n" + after.removeprefix(HEADER)
    errors: list[RecordError] = []
    kept = [record.number for record in read_records(text, skip_bad=True, on_error=errors.append)]
    assert kept[0] == 4
    assert kept[-1] == 8
    assert len(kept) == (3 if reason.startswith("`edn`") else 2)
    if reason == "the deal of line 3 has no `end`":
        assert "the deal of line 24 has no `end`" in errors[0].reason
    elif "first in line" not in reason:
        assert reason in errors[0].reason
        assert errors[0].line == line + shift
    assert len(errors) == (2 if new and "deal 1" in new else 1), "one report for each bad deal"


def test_without_on_error_bad_deals_are_skipped_in_silence() -> None:
    assert list(read_records(spoil("moon", "moon 9"), skip_bad=True)) == []


def test_deals_before_a_bad_one_come_first() -> None:
    reader = read_records(GOOD + spoil("moon", "moon 9").removeprefix(HEADER))
    assert next(reader) == read_one(GOOD)
    with pytest.raises(RecordError, match="there is no seat 9"):
        next(reader)


def test_wrong_rules_are_not_replaced_by_a_guess() -> None:
    later = spoil("rules", None, GOOD.removeprefix(HEADER))
    errors: list[RecordError] = []
    text = spoil("rules", "rules mine") + later + GOOD.removeprefix(HEADER) + later
    kept = list(read_records(text, skip_bad=True, on_error=errors.append))
    assert len(kept) == 2
    assert [error.line for error in errors] == [4, 25]
    assert "takes its rules from the one before, where they are wrong" in errors[1].reason


def test_a_bad_deal_hands_its_rules_on() -> None:
    later = spoil("rules", None, GOOD.removeprefix(HEADER))
    assert list(read_records(spoil("players", "palyers") + later, skip_bad=True)) == [read_one(GOOD)]


@pytest.mark.slow
@given(st.data())
def test_no_garbage_raises_anything_else(data: st.DataObject) -> None:
    good = data.draw(st.sampled_from([GOOD, to_json(read_one(GOOD))]))
    text = good
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 5)))
        inserted = data.draw(
            st.text(max_size=3) | st.sampled_from(["²", "-", '"', "\n", "deal ", "{", "[", "99999999"])
        )
        text = text[:start] + inserted + text[stop:]
    errors: list[RecordError] = []
    try:
        kept = list(read_records(text + "\n" + good, skip_bad=True, on_error=errors.append))
    except RecordError as error:
        errors.append(error)
    else:
        assert all(isinstance(record, DealRecord) for record in kept)
    assert all(error.line >= 1 and error.reason for error in errors)


# --- OpenSpiel ---


def openspiel_states(count: int) -> list[Any]:
    """Random deals to their end."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: nothing to compare with")
    game = pyspiel.load_game("hearts")
    rng = random.Random(5)
    states = []
    for _ in range(count):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        states.append(state)
    return states


def test_real_openspiel_histories() -> None:
    states = openspiel_states(20)
    lines = [str(state.history()) for state in states]
    found = list(read_records(lines))
    assert list(read_records(line.strip("[]").replace(",", "") for line in lines)) == found
    assert [record.number for record in found] == list(range(20))
    assert {record.pass_direction for record in found} == {"hold", "left", "across", "right"}
    for state, record in zip(states, found, strict=True):
        shown = str(state)
        rows = shown.split("Tricks:\n")[1].split("\n")[1:14]
        assert list(record.trick_leaders) == [row.index(row.strip()) // 3 for row in rows], (
            "rows are indented by leader"
        )
        assert [list(cards) for _, cards in record.tricks] == [parse_cards(row) for row in rows]
        if record.passed is not None:
            received = shown.split("Received Cards:\n")[1].split("\n")[:4]
            for seat, row in enumerate(received):
                kept = set(record.hands[seat]) - set(record.passed[seat])
                assert set(record.playing_hands[seat]) == kept | set(parse_cards(row[3:]))


def test_openspiel_replays_what_we_write() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: nothing to compare with")
    for state in openspiel_states(8):
        twin = pyspiel.load_game("hearts").new_initial_state()
        for number in to_openspiel(parse_openspiel(str(state.history()), Rules.parse("openspiel"))).split():
            twin.apply_action(int(number))
        assert twin.returns() == state.returns()
        assert str(twin).split("Tricks:")[1] == str(state).split("Tricks:")[1]


@given(records([name for name in RULES if Rules.parse(name).players == 4 and "removed" not in name]))
def test_openspiel_there_and_back(record: DealRecord) -> None:
    if record.pass_direction == "scatter" or record.rules.pass_count != 3:
        with pytest.raises(RecordError):
            to_openspiel(record)
        return
    again = parse_openspiel(to_openspiel(record), record.rules, number=record.number)
    bare = replace(record, scores=None, players=None, game=None, seed=None, notes=(), points=None, moon=None)
    assert again == replace(bare, leader=record.leader if record.plays else None)


FULL = DealRecord(
    rules=Rules.parse("openspiel"),
    number=0,
    hands=tuple(CardSet.suit(suit) for suit in "CDHS"),
    pass_direction="left",
    passed=(CardSet("2C 3C 4C"), CardSet("2D 3D 4D"), CardSet("2H 3H 4H"), CardSet("2S 3S 4S")),
    leader=1,
    plays=tuple(parse_cards("2C 2D 2H")),
)


@pytest.mark.parametrize(
    ("position", "number", "reason"),
    [
        (1, "4", "number 1 is '4': it has to be the pass direction (0 none, 1 left, 2 across, 3 right)"),
        (1, "x", "number 1 is 'x': it has to be the pass direction"),
        (2, "52", "number 2 is '52': it has to be a card (0 to 51)"),
        (3, "-1", "number 3 is '-1': it has to be a card (0 to 51)"),
        (53, "0", "number 53 deals 2C again"),
        (54, "1", "number 54 passes 2D, which seat 0 does not hold"),
        (55, "0", "number 55 passes 2C, which seat 0 does not hold (any more)"),
        (67, "0", "number 67 is wrong: `trick 1`: seat 2 cannot play 2C: it was played in trick 1 already"),
        (68, "48", "number 68 is wrong: `trick 1`: seat 3 cannot play AC: seat 0 holds it"),
    ],
)
def test_openspiel_refusals_name_the_position(position: int, number: str, reason: str) -> None:
    numbers = to_openspiel(FULL).split()
    numbers[position - 1] = number
    with pytest.raises(RecordError) as caught:
        parse_openspiel(", ".join(numbers), FULL.rules)
    assert reason in caught.value.reason
    assert caught.value.line == 1


@pytest.mark.parametrize("count", [1, 52, 54, 64])
def test_openspiel_histories_that_stop_too_early(count: int) -> None:
    with pytest.raises(RecordError, match=f"<openspiel>:1: the history ends after {count} numbers: a deal has 53"):
        parse_openspiel(" ".join(to_openspiel(FULL).split()[:count]), FULL.rules)


def test_openspiel_histories_that_go_on_too_long() -> None:
    [state] = openspiel_states(1)
    history = state.history()
    with pytest.raises(RecordError, match=f"number {len(history) + 1} is wrong: `trick 14` is one too many"):
        parse_openspiel(" ".join(map(str, [*history, 0])), FULL.rules)


def test_openspiel_knows_only_its_own_deals() -> None:
    with pytest.raises(RecordError, match="OpenSpiel deals all 52 cards to four players"):
        to_openspiel(read_one(GOOD))
    with pytest.raises(RecordError, match="OpenSpiel deals all 52 cards to four players"):
        parse_openspiel(to_openspiel(FULL), Rules.parse("black-maria"))
    with pytest.raises(RecordError, match="OpenSpiel passes hold, left, across, right, not scatter"):
        to_openspiel(replace(FULL, pass_direction="scatter", plays=()))


def test_bad_openspiel_lines_are_skipped() -> None:
    good = to_openspiel(FULL)
    errors: list[RecordError] = []
    found = list(read_records([good, "", "7 7 7", good], "h.txt", skip_bad=True, on_error=errors.append, rules="gnome"))
    assert [(record.number, record.rules) for record in found] == [(0, PRESETS["gnome"]), (2, PRESETS["gnome"])]
    assert [error.line for error in errors] == [3]


# --- the rest ---


def test_the_example_of_the_docs() -> None:
    page = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    [line] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    first, second = read_records(text, "docs/records.md")
    assert first.players == ("gnome", "random", "exec:my bot", "gnome")
    assert first.notes == ("the queen came out in trick 9",)
    assert first.is_finished
    assert second == from_json(line)
    plain = [row for row in text.splitlines() if row and not row.startswith("#")]
    written = to_text(first) + to_text(second, header=False)
    assert plain == [row for row in written.splitlines() if row], "the example is what we write"
    for keyword in _KEYWORDS:
        assert f"\n| `{keyword}" in page, "every line is specified"


def test_records_need_no_numpy() -> None:
    program = "import sys, heartlab.records.reader; sys.exit('numpy' in sys.modules or 'numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
