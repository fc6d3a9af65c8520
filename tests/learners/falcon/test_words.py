"""FALCON's categories in words: what is said holds, what is done is said, and what is asked for is found."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.falcon_positions import random_boxes
from support.strategies import examples

from heartlab.cli.models import falcon
from heartlab.compiled.bits import ZERO
from heartlab.deal import Deal
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.learners.falcon.actions import ALWAYS, COUNT, NAMES, applicable
from heartlab.learners.falcon.agent import FalconAgent
from heartlab.learners.falcon.boxes import Boxes
from heartlab.learners.falcon.categories import Categories
from heartlab.learners.falcon.explain import CategoryRule, rules_of
from heartlab.learners.falcon.more_actions import ACTIONS as RICHER
from heartlab.learners.falcon.more_actions import COUNT as RICH
from heartlab.learners.falcon.more_actions import FIRST, OF_PAPER, name_cards
from heartlab.learners.falcon.more_actions import NAMES as ACTIONS
from heartlab.learners.falcon.more_percepts import LEAD
from heartlab.learners.falcon.percepts import (
    Sentence,
    describe_bits,
    describe_percepts,
    paper_percepts,
    unplayed_elsewhere,
)
from heartlab.learners.falcon.player import BoxesPlayer, FalconPlayer, boxes_model, falcon_model
from heartlab.learners.falcon.sensing import kind_of
from heartlab.learners.falcon.settings import FalconSettings, Match, Percepts, Rule
from heartlab.players import make_player
from heartlab.players.base import Observations
from heartlab.rules import Rules
from heartlab.training.model import save_model

FREE = Rules.parse("falcon")
STRICT = Rules.parse("falcon,hearts=broken,first_trick_points=no,queen_after_hearts=yes")
CASES = {"H": "♥ led", "S": "♠ led", "D": "♦ led", "C": "♣ led"}


def position(seed: int, cards: int, game: Rules = FREE) -> Observations:
    """What a seat may know after some random cards."""
    deal, dice = Deal(game, seed=seed), random.Random(seed)
    while len(deal.history) < cards:
        deal.play(dice.choice(sorted(deal.legal)))
    return Observations.of(deal.observe(deal.to_move))


def words_of(rule: CategoryRule, case: str = "") -> list[str]:
    """The actions of a situation, in the order in which the rule names them."""
    return [name for name, _ in dict(rule.cases)[case]]


def shown(capsys, *args, **options):
    """What `heartlab falcon --json` prints."""
    falcon(*args, as_json=True, **options)
    return json.loads(capsys.readouterr().out)


# --- asking for conditions ---


def test_asking_for_a_condition_does_not_find_its_negation(capsys):
    points = "points are on the table"
    found = shown(capsys, top=2000, contains=[points])
    assert all(points in rule["conditions"] for rule in found["shown"])
    assert all(f"no {points}" not in rule["when"] for rule in found["shown"])
    denied = shown(capsys, top=2000, contains=[f"not: {points}"])
    assert all(f"no {points}" in rule["when"] for rule in denied["shown"])
    assert not {rule["number"] for rule in found["shown"]} & {rule["number"] for rule in denied["shown"]}


def test_a_whole_condition_is_not_taken_for_a_part_of_another(capsys):
    for rule in shown(capsys, top=2000, contains=["Q♠ is ours"])["shown"]:
        assert "Q♠ is ours" in rule["when"] + rule["conditions"]
        assert "Q♠ is ours or gone" not in rule["when"]


def test_a_part_of_a_condition_is_found_unless_it_is_denied(tmp_path, capsys):
    path = str(tmp_path / "boxes.npz")
    save_model(path, boxes_model(random_boxes(1, 150), FREE))
    for part, wanted, denied in [
        ("oints are on the table", "points are on the table", "no points are on the table"),
        ("duck", "we can duck", "we cannot duck"),
        ("can duck", "we can duck", "we cannot duck"),
        ("ot duck", "we cannot duck", "we can duck"),
        ("elsewhere", "we have a safe card elsewhere", "we have no safe card elsewhere that others can beat"),
    ]:
        texts = [rule["when"] + rule["conditions"] for rule in shown(capsys, path, top=200, contains=[part])["shown"]]
        assert any(wanted in text for text in texts), part
        assert not any(denied in text for text in texts), part
    with pytest.raises(ValueError, match="no category has 'nonsense'"):
        falcon(path, contains=["points are on the table", "nonsense"])


@pytest.mark.parametrize(
    ("sentence", "affirmed", "denied"),
    [
        (Sentence("we can duck"), ["we", "CAN duck"], ["cannot", "win"]),
        (Sentence("we", "cannot", "duck"), ["cannot", "ot duck", "we cannot"], ["duck", "we", "we can"]),
        (Sentence("who wins so far has taken", "no", "points"), ["who wins", "no points"], ["points", "has taken"]),
        (Sentence("", "neither", "K♠ nor A♠ is ours"), ["neither"], ["K♠", "A♠ is ours"]),
        (Sentence("", "no", "♠ is outstanding"), ["no ♠"], ["♠", "is outstanding"]),
    ],
)
def test_a_sentence_affirms_what_it_does_not_deny(sentence, affirmed, denied):
    assert all(sentence.affirms(part) for part in affirmed)
    assert not any(sentence.affirms(part) for part in denied)


# --- what is done is said ---


def first_that_applies(rule: CategoryRule, cards, names, case: str = "") -> int:
    """What a reader of a rule would do: go from left to right."""
    return next(i for i in (names.index(name) for name in words_of(rule, case)) if cards[i] >= 0)


def assert_reader_agrees(player: BoxesPlayer, batch: Observations, game: Rules | None) -> None:
    """A reader of the rule takes the same action as the network of boxes."""
    _, rows, actions = player.think(batch)
    if actions[0] < 0:
        return
    record = batch.records[0]
    out = unplayed_elsewhere(batch.compiled[0], record, record["hand"])
    cards = np.full(RICH, -1, np.int64)
    kind, played = kind_of(record["legal"], record["led"]), (record["hand"] | out) & QUEEN_BIT == ZERO
    name_cards(record, kind, record["legal"], out, played, cards)
    rule = rules_of(player, [int(rows[0])], *([game] if game else []))[0]
    assert first_that_applies(rule, cards, ACTIONS) == actions[0], rule.text


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(0, 50))
@examples(150)
def test_the_rule_of_a_choice_names_the_action(seed, cards):
    for player in (make_player("falcon"), BoxesPlayer("boxes", random_boxes(seed % 7, 60))):
        assert_reader_agrees(player, position(seed, cards), None)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(0, 50), st.sampled_from([FREE, STRICT]))
@examples(150)
def test_the_rule_of_a_choice_names_the_action_in_games_with_any_rules(seed, cards, game):
    for player in (make_player("falcon"), BoxesPlayer("boxes", random_boxes(seed % 7, 60))):
        assert_reader_agrees(player, position(seed, cards, game), game)


@pytest.mark.parametrize(("at", "seed"), [(41, 0), (45, 1), (41, 3)])
def test_the_explanation_of_a_choice_names_the_action(capsys, at, seed):
    found = shown(capsys, at=at, seed=seed)
    assert found["reason"] in [name for _, actions in found["category"]["cases"] for name, _ in actions]


def test_no_action_stands_behind_one_that_always_applies(capsys):
    rules = shown(capsys, top=2000)["shown"]
    for rule in rules:
        [[_, actions]] = rule["cases"]
        names = [name for name, _ in actions]
        assert all(RICHER[ACTIONS.index(name)].need != ALWAYS for name in names[:-1]), rule["text"]
        for suit in "♣♦♠♥":
            leads = [name for name in names if name in (f"lead the highest {suit}", f"lead the lowest {suit}")]
            assert len(leads) <= 1, rule["text"]
            if f"we hold {suit}" in rule["when"]:
                assert not leads or leads[0] == names[-1], rule["text"]
        if "we cannot duck" in rule["when"]:
            assert "the highest below the best" not in names
    assert sum(len(rule["cases"][0][1]) > 1 for rule in rules) > 100


READINGS = [
    dict(), dict(separate=False), dict(match=Match.WEIGHTS, vigilance=0.9), dict(match=Match.CODED),
    dict(match=Match.CODED, vigilance=0.7), dict(percepts=Percepts.PLACE, match=Match.CODED, vigilance=0.9),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_rules_of_every_reading_say_what_is_done_and_when(reading):
    """A reader takes the action of the agent; and what the rule demands holds, but for its exceptions."""
    agent = FalconAgent(FalconSettings(**reading, fresh=0.5, rate=0.1), FREE)
    agent.play(["gnome"] * 3, 1, "train", 0, 150, learning=True)
    player = FalconPlayer("reading", agent.settings, agent.categories)
    asked = 0
    for seed in range(150):
        game = (FREE, STRICT)[seed % 2]
        batch = position(seed, seed % 50, game)
        _, rows, actions = player.think(batch)
        if rows[0] < 0:
            continue
        asked += 1
        record = batch.records[0]
        others = unplayed_elsewhere(batch.compiled[0], record, record["hand"])
        cards, rng = np.full(COUNT, -1, np.int64), np.array([record["random"]], np.uint64)
        played = (record["hand"] | others) & QUEEN_BIT == ZERO
        applicable(record["legal"], record["led"], int(record["best"]), played, rng, cards)
        rule = rules_of(player, [int(rows[0])], game)[0]
        case = case_of(record, agent.settings)
        assert first_that_applies(rule, cards, NAMES, case) == actions[0], rule.text
        if "percepts" not in reading:
            holds = set(true_sentences(int(paper_percepts(record["hand"], others, record["trick"]))))
            wrong = [
                text for text in rule.when if text not in holds and not text.startswith("we do") and text != "we lead"
            ]
            assert len(wrong) <= rule.exceptions, (wrong, rule.text)
    assert asked > 50


def case_of(record, settings: FalconSettings) -> str:
    """The situation of a rule that a position belongs to."""
    if record["led"] == ZERO:
        return "" if settings.separate else "leading"
    if record["legal"] & record["led"] == ZERO:
        return "void"
    return CASES["CDSH"[int(record["best"]) // 13]]


def true_sentences(code: int) -> list[str]:
    """Every sentence about some of the bits that holds where they are those of `code`."""
    found = []
    for known in range(1 << 4):  # of hearts
        for shift in range(0, 8, 2):
            for part in range(4):
                mask = known | part << 4 + shift if shift < 6 else known
                found += [sentence.text for sentence in describe_bits(code & mask, ~code & mask)]
    return found


# --- other readings ---


def category(code: int, weights, **reading) -> CategoryRule:
    """The rule of a network with one category."""
    store = Categories()
    store.compiled.counts[0] = 1
    store.codes[0], store.weights[0] = code, weights
    return rules_of(FalconPlayer("one", FalconSettings(**reading), store))[0]


def test_ties_are_told_as_they_are_broken():
    rule = category(0, np.ones(COUNT))
    assert words_of(rule, "♠ led") == ["follow ♠ with the highest below the best", "follow ♠ with the highest"]
    assert "♠ led: the highest below the best (1.00), else the highest (1.00);" in rule.text


def test_leading_is_told_until_every_suit_has_its_turn():
    weights = np.zeros(COUNT)
    weights[15:] = [0.9, 0.8, 0.7, 0.4, 0.5, 0.6, 0.3, 0.2, 0.1, 0.25, 0.15, 0.05, 0.95, 0.94]
    rule = category(0, weights, separate=False)
    assert words_of(rule, "leading") == [
        "lead the lowest ♠ below Q♠", "lead the highest ♥", "lead a middle ♠", "lead the lowest ♠",
        "lead the highest ♦", "lead the highest ♣",
    ]  # fmt: skip


def test_zeros_about_hearts_do_not_say_that_we_hold_one():
    code = 0b1111 << 16 | 0b11 << 4
    coded = category(code, np.ones(COUNT), match=Match.CODED, vigilance=0.5)
    assert coded.when == ["we do not lead", "we or the others hold no heart", "Q♠ is ours"]
    assert [sentence.text for sentence in describe_bits(0, 0b1001)] == [
        "others hold no heart above our highest heart, if we hold one",
        "others hold no heart below our lowest heart, if we hold one",
    ]
    assert describe_bits(0b10, 0b1001)[0].text == "others hold no heart above our highest heart"
    assert describe_bits(0, 0b11) == describe_bits(0, 0b1100) == describe_percepts(0)[:1]


def test_generalising_categories_tell_how_much_may_be_otherwise():
    ones = np.ones(COUNT)
    code = 0b1100110000 | (0b0000001111 << 16)  # eight of ten percepts
    loose = category(code, ones, match=Match.CODED, vigilance=0.6)
    assert loose.exceptions == 2
    assert "A♠ is ours (at most 2 of the percepts may be otherwise): ♥ led" in loose.text
    assert category(code, ones, match=Match.CODED, vigilance=0.8).exceptions == 0
    assert "otherwise" not in category(code, ones, match=Match.CODED, vigilance=0.8).text
    assert category(0b111111, ones, match=Match.WEIGHTS, vigilance=0.5).exceptions == 3


def test_actions_that_were_left_out_are_not_named():
    net = random_boxes(1, 40)
    weights = net.weights.copy()
    weights[:, [ACTIONS.index("Q♠"), ACTIONS.index("throw Q♠")]] = 0.5  # never tried: no reason to fill up with others
    weights[:, ~OF_PAPER] = 0.0
    rules = rules_of(BoxesPlayer("plain", Boxes(net.tree._replace(weights=weights), net.visits)))
    plain = {ACTIONS[i] for i in np.flatnonzero(OF_PAPER)}
    for rule in rules:
        assert set(words_of(rule)) <= plain
        assert {name for name, _ in rule.actions} <= plain
    leading = [words_of(rule) for rule in rules if rule.when[0] == "we lead"]
    assert max(map(len, leading)) > 3
    assert {action.need.cards for action in RICHER[FIRST[LEAD] : FIRST[LEAD] + 12]} == set("♣♦♠♥")


@pytest.mark.slow
def test_the_meaning_of_numbers_is_told(tmp_path, capsys):
    def meaning(**settings):
        agent = FalconAgent(FalconSettings(**settings), FREE)
        agent.play(["gnome"] * 3, 1, "train", 0, 5, learning=True)
        save_model(tmp_path / "one.npz", falcon_model(agent.settings, agent.categories, FREE))
        return shown(capsys, str(tmp_path / "one.npz"), top=1)["numbers"]

    assert "or was not tried yet; the first that applies is taken" in meaning()
    assert "what it began with if it was not tried yet" in meaning(rule=Rule.TD)
    save_model(tmp_path / "boxes.npz", boxes_model(random_boxes(3, 5), FREE))
    assert "+0.00 also if it was never tried" in shown(capsys, str(tmp_path / "boxes.npz"))["numbers"]
