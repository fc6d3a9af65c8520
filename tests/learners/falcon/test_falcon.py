"""FALCON for Hearts against its plain twins: percepts, actions, learning game by game, growth, players, commands."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.falcon_positions import FALCON, GNOMES, batch_of, outstanding, perceived, random_boxes
from support.falcon_twin import PlainLearner, actions, cards_of, flags, measure, percepts, richer_actions
from support.strategies import examples

from heartlab.cards import card_name
from heartlab.cli.models import falcon
from heartlab.deal import Deal
from heartlab.kernel.layout import compile_rules
from heartlab.learners.falcon.actions import COUNT, NAMES, applicable
from heartlab.learners.falcon.agent import FalconAgent
from heartlab.learners.falcon.art import Field, FusionArt
from heartlab.learners.falcon.boxes import Box, find_box, seedling
from heartlab.learners.falcon.categories import Categories
from heartlab.learners.falcon.experience import Experiences, frozen_ratios, gather, plainer
from heartlab.learners.falcon.explain import rules_of
from heartlab.learners.falcon.growth import grow
from heartlab.learners.falcon.montecarlo import search_actions
from heartlab.learners.falcon.more_actions import COUNT as RICH
from heartlab.learners.falcon.more_actions import FIRST, OF_PAPER, name_cards
from heartlab.learners.falcon.more_actions import NAMES as ACTIONS
from heartlab.learners.falcon.more_percepts import PAPER_PERCEPTS, PERCEPTS, Quantity, Subject
from heartlab.learners.falcon.parts import FalconStudy, networks, rank_shares
from heartlab.learners.falcon.percepts import describe_bits, describe_percepts, paper_percepts
from heartlab.learners.falcon.player import BoxesPlayer, FalconPlayer, boxes_model, falcon_model, player_of
from heartlab.learners.falcon.sensing import kind_of, sense
from heartlab.learners.falcon.settings import (
    REMOVED,
    SINGLE,
    Dump,
    FalconSettings,
    Floor,
    Match,
    Rule,
    group_of_tricks,
    read_settings,
)
from heartlab.learners.falcon.trainer import FalconParameters, FalconTrainer, GrowParameters, GrowTrainer
from heartlab.learners.falcon.words import box_conditions, domain, in_words, statements
from heartlab.players import make_player
from heartlab.players.registry import PlayerError
from heartlab.reproduction import series
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.series import train_runs
from heartlab.rules import Rules
from heartlab.training.model import ModelError, save_model
from heartlab.training.recipes import RecipeError, find_recipe
from heartlab.training.run import begin, train
from heartlab.util.bundle import read_bundle
from heartlab.util.executor import LocalExecutor, Stopped, asked_to_stop


def position(seed: int, cards: int, rules: str = "falcon"):
    """A deal after some random cards, and what its seat to move may know."""
    deal = Deal(rules, seed=seed)
    dice = random.Random(seed)
    while len(deal.history) < cards:
        deal.play(dice.choice(sorted(deal.legal)))
    return deal, deal.observe(deal.to_move)


# --- percepts and actions ---


@given(st.integers(0, 10**6), st.integers(0, 50))
@examples(100)
def test_percepts_and_actions_agree_with_their_twins(seed, cards):
    _, obs = position(seed, cards)
    record, others = obs.records[0], outstanding(obs)
    code = int(paper_percepts(record["hand"], np.uint64(sum(1 << c for c in others)), record["trick"]))
    bits = percepts(set(obs.hand), others, cards_of(record["trick"]))
    assert [code >> place & 1 for place in range(10)] == bits
    found = np.full(COUNT, -1, np.int64)
    rng = np.array([record["random"]], np.uint64)
    queen_played = 36 not in others and 36 not in obs.hand
    first, end = applicable(record["legal"], record["led"], int(record["best"]), queen_played, rng, found)
    middles = []
    expected = actions(
        set(obs.legal), obs.led, int(record["best"]), queen_played, lambda some: middles.append(some) or -2
    )
    got = {action: int(found[action]) for action in range(first, end) if found[action] >= 0}
    assert set(got) == set(expected)
    for action, card in expected.items():
        assert got[action] == card if card != -2 else got[action] in middles.pop(0)


def texts_of(sentences) -> list[str]:
    return [sentence.text for sentence in sentences]


def test_every_percept_and_action_has_words():
    assert len(NAMES) == COUNT == 29
    assert texts_of(describe_percepts(0b1101110101)) == [
        "others hold a heart above our highest heart",
        "others hold no heart below our highest heart",
        "Q♠ is ours",
        "K♠ is with the others",
        "A♠ is ours",
    ]
    assert texts_of(describe_percepts(0b0110))[:4] == [
        "others hold no heart above our highest heart",
        "others hold a heart below our highest heart",
        "others hold a heart above our lowest heart",
        "others hold no heart below our lowest heart",
    ]
    assert texts_of(describe_percepts(0))[0] == "we or the others hold no heart"
    assert texts_of(describe_bits(0b0100011000, 0b0011000001)) == [
        "others hold no heart above our highest heart",
        "others hold a heart below our lowest heart",
        "Q♠ is ours or is with the others",
        "K♠ has been played",
        "A♠ is ours or is with the others",
    ]
    assert all(len({percept.name for percept in percepts}) == len(percepts) <= 64 for percepts in PERCEPTS)
    assert FIRST[-1] == RICH


def value_of(subject: Subject, obs, others) -> int:
    """What a quantity that percepts are about is here, by plain code."""
    quantity, suit = subject
    if quantity.is_flag:
        return int(flags(obs, others)[f"{quantity} {suit}".strip()])
    return measure(obs, others, quantity, suit)


@given(st.integers(0, 10**6), st.integers(0, 50))
@examples(100)
def test_every_richer_percept_and_action_is_what_its_words_say(seed, cards):
    _, obs = position(seed, cards)
    others = outstanding(obs)
    kind, code = perceived(obs, others)
    assert code >> len(PERCEPTS[kind]) == 0
    for place, percept in enumerate(PERCEPTS[kind]):
        value = value_of(percept.subject, obs, others)
        assert value in domain(kind, percept.subject), percept.name
        assert bool(code >> place & 1) == (value in percept.values), percept.name
    record = obs.records[0]
    named = np.full(RICH, -1, np.int64)
    played = 36 not in others and 36 not in obs.hand
    name_cards(record, kind, record["legal"], np.uint64(sum(1 << card for card in others)), played, named)
    found = {ACTIONS[i]: int(named[i]) for i in range(FIRST[kind], FIRST[kind + 1]) if named[i] >= 0}
    assert found == richer_actions(obs, others, played)


@given(st.integers(0, 10**6), st.integers(0, 50), st.integers(0, 10**6))
@examples(150)
def test_short_rules_say_what_the_long_ones_do(seed, cards, draw):
    """A box holds where its statements do, though those that follow from others are left out."""
    _, obs = position(seed, cards)
    others = outstanding(obs)
    kind, code = perceived(obs, others)
    dice = random.Random(draw)
    asked = sum(1 << bit for bit in dice.sample(range(len(PERCEPTS[kind])), 12))
    wrong = dice.choice([0, 0, 1 << dice.randrange(len(PERCEPTS[kind]))]) & asked
    box = Box(kind, (code ^ wrong) & asked, (~code ^ wrong) & asked)
    short = statements(box)
    holds = all(value_of(subject, obs, others) in values for subject, values in short.items())
    assert holds == (not wrong)
    assert len(short) <= 12


def test_rules_are_short_and_plain():
    follow = [percept.name for percept in PERCEPTS[0]]

    def words(demands, forbids):
        bits = [sum(1 << follow.index(text) for text in some) for some in (demands, forbids)]
        return texts_of(box_conditions(Box(0, *bits)))

    assert words(["at most 6 are outstanding"], ["at most 2 are outstanding"]) == ["3 to 6 of the suit are outstanding"]
    assert words(["we hold at most 2"], ["we hold 4 or more", "we hold 3 or more of the suit"]) == [
        "we hold 1 or 2 of the suit"
    ]
    assert words(["we are last", "all later seats are void"], ["a later seat may hold Q♠"]) == ["we are last"]
    assert words(["Q♠ is on the table", "points are on the table"], ["Q♠ is ours"]) == ["Q♠ is on the table"]
    assert words([], ["we can duck"]) == ["we cannot duck"]
    assert words(["3 tricks are over"], ["9 tricks are over"]) == ["3 to 8 tricks are over"]
    for kind, stock in enumerate(PERCEPTS):
        for percept in stock:
            rest = domain(kind, percept.subject) - percept.values
            both = [in_words(kind, percept.subject, values).text for values in (percept.values, rest)]
            assert all(both), percept.name
            assert both[0] != both[1], percept.name
    asked = {percept.subject.quantity for stock in PERCEPTS for percept in stock}
    assert asked == set(Quantity)


# --- learning ---


def assert_twins_agree(settings, games=40, itself=False):
    """An agent and its plain twin: the same points, categories, weights and tries."""
    agent = FalconAgent(settings, FALCON)
    points = agent.play(["self"] * 3 if itself else GNOMES, 3, "twin", 0, games, learning=True)
    twin = PlainLearner(settings, FALCON, group_of_tricks(settings.groups))
    assert twin.play(3, "twin", games, itself) == points.tolist()
    store = agent.categories
    places = [*range(10), *(range(16, 26) if settings.match is Match.CODED else [])]
    codes = [tuple(int(code) >> place & 1 for place in places) for code in store.codes[: store.count]]
    assert list(zip(store.owners[: store.count].tolist(), codes, strict=True)) == twin.keys
    assert store.weights[: store.count] == pytest.approx(np.array(twin.rows), abs=1e-12)
    assert store.visits[: store.count].tolist() == twin.tried


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        FalconSettings(),
        FalconSettings(separate=False, rule=Rule.AND, forced=True),
        FalconSettings(groups="1+2+2+3+2+2+1", fresh=0.5),
        FalconSettings(rule=Rule.RETURNS, rate=0.0, fresh=0.7, discount=0.8, relative=1.0),
        FalconSettings(rule=Rule.TD, rate=0.05, fresh=0.7, discount=0.9),
    ],
)
def test_learning_agrees_with_the_twin_game_by_game(settings):
    assert_twins_agree(settings)


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        dict(fresh=-1.0),
        dict(fresh=-1.0, rule=Rule.AND, forced=True, separate=False),
        dict(sp=Floor.CONSTANT, rate=0.1),
        dict(match=Match.WEIGHTS),
        dict(match=Match.WEIGHTS, rule=Rule.AND, forced=True, fresh=-1.0, dump=Dump.PRINTED),
        dict(match=Match.CODED, vigilance=0.8),
        dict(match=Match.CODED, vigilance=0.75, rule=Rule.RETURNS, fresh=0.7, rate=0.0),
        dict(dump=Dump.PRINTED),
    ],
    ids=str,
)
def test_every_reading_agrees_with_the_twin(changes):
    assert_twins_agree(FalconSettings(**changes), games=25)


@pytest.mark.slow
def test_what_the_others_may_do_does_not_teach_the_learner():
    """Its network plays in the other seats, too, but learns only in the learner's."""
    assert_twins_agree(FalconSettings(rate=0.1), games=25, itself=True)
    assert_twins_agree(FalconSettings(rule=Rule.TD, fresh=0.7), games=25, itself=True)


@pytest.mark.slow
def test_the_agent_is_a_fusion_art_network_of_three_fields():
    """γ = (1, 0, 0), ρ = (1, 0, 0.5), W_new = the first pattern, and the paper's rates of the motor field."""
    settings = FalconSettings(separate=False, rule=Rule.AND, fresh=-1.0, forced=True)
    art = FusionArt(
        [
            Field(10, vigilance=1.0, complement=True),
            Field(29, choice=0.0),
            Field(1, choice=0.0, rate=0.001, vigilance=0.5, complement=True),
        ]
    )

    class Tutor(PlainLearner):
        """Shows the network what the learner learns."""

        def _adapt(self, pending, own, trick):
            super()._adapt(pending, own, trick)
            learned = [float((i == pending["chosen"]) == (own == 0)) for i in range(29)]
            pattern = [pending["bits"], learned, [1.0]]
            known = art.search(pattern)
            if known is not None:
                floor, weights = 0.5 * (1 - trick / 16), art.weights_of(1)[known]
                art.rates[20:49] = np.where(weights >= floor, 0.01 * (1 - floor / np.maximum(weights, 1e-300)), 0.0)
                assert art.choose([pending["bits"], None, None]) == known
            assert art.learn(pattern) == pending["row"]

    points = Tutor(settings, FALCON, group_of_tricks("13")).play(3, "twin", 40)
    agent = FalconAgent(settings, FALCON)
    assert agent.play(GNOMES, 3, "twin", 0, 40, learning=True).tolist() == points
    assert art.count == agent.categories.count > 60
    assert art.weights_of(1) == pytest.approx(agent.categories.weights[: art.count], abs=1e-12)
    assert (art.weights_of(2) == [1.0, 0.0]).all()  # why the agent does not store its feedback field


@pytest.mark.slow
def test_the_paper_agent_learns_and_categories_number_as_in_the_pilot():
    agent = FalconAgent(FalconSettings(), FALCON)
    before = agent.ratio(GNOMES, 1, "test", 4000).mean()
    agent.play(GNOMES, 1, "train", 0, 20_000, learning=True)
    assert agent.ratio(GNOMES, 1, "test", 4000).mean() < before - 0.05
    assert 520 < agent.categories.count < 640


@pytest.mark.slow
def test_growing_room_changes_nothing():
    small, large = (FalconAgent(FalconSettings(groups="+".join("1" * 13)), FALCON) for _ in range(2))
    small.categories = Categories(capacity=32)
    runs = [agent.play(GNOMES, 2, "train", 0, 300, learning=True) for agent in (small, large)]
    assert (runs[0] == runs[1]).all()
    assert small.categories.capacity > 32
    assert (small.categories.arrays()["weights"] == large.categories.arrays()["weights"]).all()


@pytest.mark.slow
def test_an_agent_that_stands_aside_and_one_that_plays_itself():
    agent = FalconAgent(FalconSettings(), FALCON)
    assert agent.ratio(GNOMES, 1, "test", 20_000, stand_in="gnome").mean() == pytest.approx(0.25, abs=0.01)
    assert agent.ratio(["self"] * 3, 1, "test", 5000).mean() == pytest.approx(0.25, abs=0.02)
    with pytest.raises(ValueError, match="no partner is called 'gnom'"):
        agent.ratio(["gnom"] * 3, 1, "test", 1)


@pytest.mark.slow
def test_the_rule_based_agent_is_calibrated_as_published():
    agent = FalconAgent(FalconSettings(), FALCON)
    points = agent.play(["random", "gnome", "random"], 1, "calibration", 0, 30_000, stand_in="gnome")
    assert points[:, [0, 2]].mean() / 26 == pytest.approx(0.14, abs=0.005)
    assert points[:, [1, 3]].mean() / 26 == pytest.approx(0.36, abs=0.005)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(rule="deltas"), "rule=deltas is unknown"),
        (dict(groups="7+x"), "write numbers of tricks"),
        (dict(groups="7+7"), "makes 14 tricks"),
        (dict(groups="3"), "makes 3 tricks"),
        (dict(rate=2.0), "from 0 to 1"),
        (dict(floor=7.0), "floor=7.0 is unknown"),
        (dict(floor=0.5), "floor=0.5 was removed after heartlab 0.1; only floor=0.0 is left"),
        (dict(fresh=float("nan")), "from 0 to 1"),
        (dict(outcomes="perhaps"), "outcomes=perhaps is unknown; only outcomes=together is left"),
        (dict(match="fuzzy"), "match=fuzzy is unknown"),
        (dict(partners="gnome+gnome"), "three of"),
        (dict(partners="ladder:random/nobody"), "three of"),
        (dict(partners="ladders"), "three of"),
        (dict(rules="standard"), "four without passing"),
        (dict(rules="falcon,moon=others"), "not under rules with moon"),
        (dict(rules="omnibus,passing=hold,moon=off"), "not under rules with bonus"),
        (dict(rules="falcon,queen_points=200"), "one may have 203"),
        (dict(separate="yes"), "separate=yes needs true or false"),
        (dict(groups=13.5), "write numbers of tricks"),
    ],
)
def test_settings_that_make_no_sense(changes, words):
    with pytest.raises(ValueError, match=words):
        FalconParameters(**changes)


def test_readings_that_were_removed_are_named():
    for name, texts in REMOVED.items():
        for text in texts:
            with pytest.raises(ValueError, match=rf"^{name}={text} was removed after heartlab 0\.1; (choose|only)"):
                FalconParameters(**{name: text})
    with pytest.raises(RecipeError, match=r"recipe falcon: ties=random was removed after heartlab 0\.1"):
        find_recipe("falcon").settings({"ties": "random"})


def test_settings_come_back_from_their_texts():
    settings = FalconSettings(rule=Rule.TD, match=Match.CODED, vigilance=0.5, dump=Dump.PRINTED, sp=Floor.CONSTANT)
    texts = settings.texts()
    assert (texts["rule"], texts["match"], texts["dump"], texts["sp"]) == ("td", "coded", "printed", "constant")
    assert read_settings(texts) == read_settings({**texts, **SINGLE}) == settings
    parameters = FalconParameters()
    assert parameters.settings == FalconSettings() == read_settings({})
    assert find_recipe("falcon").settings(asdict(parameters)) == parameters


def test_growth_settings_that_make_no_sense():
    with pytest.raises(ValueError, match="four without passing"):
        GrowParameters(rules="standard")
    with pytest.raises(ValueError, match="numbers from 0 on"):
        GrowParameters(shrink=float("nan"))


@pytest.mark.slow
def test_growth_without_shrinking_has_weights_for_actions_that_never_applied():
    trainer = GrowTrainer(GrowParameters(batch=1000, shrink=0.0, test=0), 1)
    trainer.step(0, 1000)
    assert np.isfinite(trainer.net.weights).all()
    assert len(trainer.net) > 3


@pytest.mark.slow
def test_a_round_too_short_for_an_experience_changes_nothing():
    trainer = GrowTrainer(GrowParameters(batch=1000, keep=1, test=0), 1)
    trainer.step(0, 1000)
    before = trainer.net.arrays(), trainer.kept
    assert trainer.step(1000, 10)[0]["experiences"] == 0
    assert all((trainer.net.arrays()[name] == array).all() for name, array in before[0].items())
    assert trainer.kept == before[1]
    with pytest.raises(ValueError, match="10 games are too few to learn from"):
        GrowTrainer(GrowParameters(test=0), 1).step(0, 10)


# --- growth ---


@pytest.mark.slow
def test_growth_finds_the_percept_that_matters():
    """Throw Q♠ where spades are short (say), else a heart: one question separates the two."""
    dice = np.random.default_rng(1)
    count = 2000
    codes = dice.integers(0, 1 << 50, count).astype(np.uint64)
    asked = 17
    there = (codes >> np.uint64(asked)) & np.uint64(1) == 1
    costs = np.full((count, RICH), -1, np.int8)
    costs[:, 7], costs[:, 9] = np.where(there, 1, 6), np.where(there, 6, 1)
    known = Experiences(codes, np.ones(count, np.int8), costs, count)
    net = grow(known, 4, 10, 1.0, 0.0)
    assert len(net) == 4
    assert net.tree.tests[1] == asked
    for code, short in zip(codes[:50], there[:50], strict=True):
        weights = net.weights[find_box(net.tree, 1, code)]
        assert (weights[7] > weights[9]) == short


@pytest.mark.slow
def test_experiences_pair_the_choices_of_one_deal():
    known = gather(seedling(), FALCON, "gnome", 1, "test", 600)
    assert 0 < len(known) < known.games <= 600
    assert ((known.costs >= 0).sum(axis=1) >= 2).all()
    assert known.costs.max() <= 26
    for kind in range(3):
        outside = np.ones(RICH, bool)
        outside[FIRST[kind] : FIRST[kind + 1]] = False
        assert (known.costs[known.kinds == kind][:, outside] == -1).all()


@pytest.mark.slow
def test_experiences_hold_any_points():
    known = gather(seedling(), Rules.parse("falcon,queen_points=200"), "gnome", 1, "test", 600)
    assert known.costs.min() == -1
    assert known.costs.max() >= 200


@pytest.mark.slow
def test_pairing_cancels_luck():
    """The differences between choices spread less if all are played out against the same hands."""
    spread = []
    for paired in (True, False):
        known = gather(seedling(), FALCON, "gnome", 1, "test", 20_000, paired=paired)
        costs = np.where(known.costs >= 0, known.costs, np.nan)
        spread.append(np.nanvar(costs, axis=1).mean())
    assert spread[0] < 0.9 * spread[1]


@pytest.mark.slow
def test_what_is_left_out_is_not_used():
    known = gather(seedling(), FALCON, "gnome", 1, "test", 3000)
    plain = plainer(known, True, True)
    assert ((plain.costs >= 0).sum(axis=1) >= 1).all()
    assert (plain.costs[:, ~OF_PAPER] == -1).all()
    trainer = GrowTrainer(GrowParameters(batch=3000, test=0, without="percepts+actions"), 1)
    trainer.step(0, 3000)
    for box in trainer.net.boxes():
        assert (box.demands | box.forbids) & ~int(PAPER_PERCEPTS[box.kind]) == 0
    assert (trainer.net.weights[:, ~OF_PAPER] == 0).all()
    with pytest.raises(ValueError, match="none of percepts, actions, pairing"):
        GrowParameters(without="luck")


@pytest.mark.slow
def test_a_grown_network_beats_one_that_knows_nothing():
    net = grow(gather(seedling(), FALCON, "gnome", 1, "train", 20_000), 100, 50, 10.0, 0.02)
    assert frozen_ratios(net, FALCON, "gnome", 1, "test", 4000).mean() < 0.29
    assert frozen_ratios(seedling(), FALCON, "gnome", 1, "test", 4000).mean() > 0.31


# --- players ---


@given(st.integers(0, 10**6), st.integers(0, 50))
@examples(60)
def test_the_player_of_boxes_takes_the_best_applicable_action(seed, cards):
    net = random_boxes(7, 80)
    _, obs = position(seed, cards)
    chosen, rows, taken = BoxesPlayer("boxes", net).think(batch_of(obs))
    assert chosen[0] in obs.legal
    if len(obs.legal) == 1:
        assert taken[0] == -1
        return
    record, others = obs.records[0], outstanding(obs)
    out = np.uint64(sum(1 << card for card in others))
    kind = kind_of(record["legal"], record["led"])
    code = int(sense(compile_rules(FALCON)[0], record, kind, record["hand"], record["legal"], out, obs.seat))
    fits = [
        row
        for row, box in enumerate(net.boxes())
        if box.kind == kind and code & box.demands == box.demands and not code & box.forbids
    ]
    assert fits == [rows[0]]
    named = np.full(RICH, -1, np.int64)
    name_cards(record, kind, record["legal"], out, 36 not in others and 36 not in obs.hand, named)
    best = max((i for i in range(FIRST[kind], FIRST[kind + 1]) if named[i] >= 0), key=lambda i: net.weights[rows[0], i])
    assert taken[0] == best
    assert chosen[0] == named[best]


def test_a_network_of_boxes_plays_like_fusion_art():
    """On positions of real deals the category that resonates by the printed match plays the same card."""
    player = make_player("falcon")
    networks_of = [player.net.to_art(kind) for kind in range(3)]
    played = set()
    for seed in range(60):
        _, obs = position(seed, seed % 49)
        others = outstanding(obs)
        kind, code = perceived(obs, others)
        if len(obs.legal) == 1:
            continue
        art, rows = networks_of[kind]
        found = art.search([[code >> place & 1 for place in range(len(PERCEPTS[kind]))], np.zeros(RICH)])
        motor = dict(zip(ACTIONS, art.weights_of(1)[found], strict=True))
        named = richer_actions(obs, others, 36 not in others and 36 not in obs.hand)
        best = max(named, key=lambda name: (motor[name], -ACTIONS.index(name)))
        cards, taken, _ = player.think(batch_of(obs))
        assert (rows[found], named[best]) == (taken[0], cards[0])
        played.add(kind)
    assert played == {0, 1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["falcon", "standard", "seed", "standard,players=5"])
def test_players_are_legal_under_other_rules(rules):
    from heartlab.arena import Match, run_match

    agent = FalconAgent(FalconSettings(), FALCON)
    agent.play(GNOMES, 1, "train", 0, 200, learning=True)
    seats = [FalconPlayer("exact", agent.settings, agent.categories), BoxesPlayer("boxes", random_boxes(8, 50))]
    result = run_match(Match([*seats, make_player("random")], Rules.parse(rules), units=4, seed=1), threads=1)
    assert (result.forfeits == 0).all()


@pytest.mark.slow
def test_the_shipped_network_is_small_and_strong():
    player = make_player("falcon")
    assert isinstance(player, BoxesPlayer)
    assert len(player.net) <= 2000
    ratios = frozen_ratios(player.net, FALCON, "gnome", 99, "test", 20_000)
    assert ratios.mean() < 0.185  # 0.176 in 200,000 deals of the arena; the standard error here is 0.0017


@pytest.mark.slow
def test_models_come_back_and_foreign_ones_are_refused(tmp_path):
    agent = FalconAgent(FalconSettings(groups="7+6"), FALCON)
    agent.play(GNOMES, 1, "train", 0, 300, learning=True)
    save_model(tmp_path / "exact.npz", falcon_model(agent.settings, agent.categories, FALCON))
    save_model(tmp_path / "boxes.npz", boxes_model(random_boxes(9, 30), FALCON))
    _, obs = position(5, 17)
    exact = make_player(f"falcon:{tmp_path / 'exact.npz'}")
    assert exact.choose_cards(batch_of(obs)) == FalconPlayer("x", agent.settings, agent.categories).choose_cards(
        batch_of(obs)
    )
    boxes = make_player(f"falcon:{tmp_path / 'boxes.npz'}")
    assert boxes.choose_cards(batch_of(obs))[0] in obs.legal
    model = boxes_model(random_boxes(9, 30), FALCON)
    with pytest.raises(ModelError, match="other percepts"):
        player_of(type(model)(model.kind, model.arrays, names=("one",), extras=model.extras), "foreign")
    with pytest.raises(PlayerError, match="no such model"):
        make_player(f"falcon:{tmp_path / 'none.npz'}")


@pytest.mark.slow
def test_damaged_models_are_refused_in_words():
    agent = FalconAgent(FalconSettings(), FALCON)
    agent.play(GNOMES, 1, "train", 0, 100, learning=True)
    good = falcon_model(agent.settings, agent.categories, FALCON)
    old = {**good.extras["settings"], "ties": "lowest", "choice": "applicable", "outcomes": "together"}
    assert player_of(replace(good, extras={"settings": old}), "of 0.1").settings == agent.settings
    for changes, words in (
        ({"groups": 13.5}, "write numbers of tricks"),
        ({"separate": "yes"}, "separate=yes needs true or false"),
        ({"vigilance": "high"}, "lacks or garbles"),
        ({"mood": 1}, "lacks or garbles"),
        ({"ties": "random"}, r"ties=random was removed after heartlab 0\.1"),
    ):
        extras = {"settings": {**good.extras["settings"], **changes}}
        with pytest.raises(ModelError, match=f"model odd: .*{words}"):
            player_of(replace(good, extras=extras), "odd")
    boxes = boxes_model(random_boxes(9, 30), FALCON)
    deep = boxes.arrays["tests"].copy()
    asking = next(node for node in range(3) if deep[node] >= 0)
    deep[asking] = len(PERCEPTS[asking])
    shared = boxes.arrays["branches"].copy()
    first, second = np.flatnonzero(boxes.arrays["tests"] < 0)[:2]
    shared[first] = shared[second]
    for name, array, words in (
        ("visits", np.zeros((30, 2), np.int32), "do not fit each other"),
        ("tests", deep, "asks for unknown percepts"),
        ("branches", shared, "a place of its own"),
    ):
        with pytest.raises(ModelError, match=f"model odd: .*{words}"):
            player_of(replace(boxes, arrays={**boxes.arrays, name: array}), "odd")


@pytest.mark.slow
def test_the_monte_carlo_agent_sees_what_is_plain():
    """Last to play and void, with points on the table: any discard is free, and Q♠ is the one to get rid of."""
    player = make_player("montecarlo:sims=60")
    found = 0
    for seed in range(400):
        _, obs = position(seed, 27)
        if 36 in obs.legal and obs.led is not None and all(card // 13 != obs.led for card in obs.hand):
            found += 1
            assert card_name(int(player.choose_cards(batch_of(obs))[0])) == "QS"
    assert found > 2
    with pytest.raises(PlayerError, match="playout=stock is unknown"):
        make_player("montecarlo:playout=stock")
    with pytest.raises(PlayerError, match="write a number above zero"):
        make_player("montecarlo:sims=0")
    for c in ("nan", "inf", "-1", "much"):
        with pytest.raises(PlayerError, match=f"c={c}: write a number from 0 on"):
            make_player(f"montecarlo:c={c}")


@pytest.mark.slow
def test_the_monte_carlo_agent_searches_where_rewards_are_far_below_zero():
    """A sun with the doubler costs four times what all cards count: every simulation finds an action all the same."""
    rules = Rules.parse("seed,sun=yes,doubler=TC,moon=others")
    deal = Deal.from_hands([range(13 * suit, 13 * suit + 13) for suit in range(4)], rules, leader=0)
    deal.play("AC")
    obs = deal.observe(deal.to_move).records[0]
    cards, tries, values = np.full(COUNT, -1, np.int64), np.zeros(COUNT, np.int64), np.zeros(COUNT)
    search_actions(compile_rules(rules)[0], obs, 100, 0.7, 0, np.array([1], np.uint64), cards, tries, values)
    assert tries.sum() == 100


@pytest.mark.slow
def test_categories_read_as_rules():
    agent = FalconAgent(FalconSettings(groups="7+6"), FALCON)
    agent.play(GNOMES, 1, "train", 0, 500, learning=True)
    rules = rules_of(FalconPlayer("exact", agent.settings, agent.categories))
    assert len(rules) == agent.categories.count
    assert sum(rule.visits for rule in rules) == agent.categories.visits.sum() > 500 * 5
    leading = [rule for rule in rules if "we lead" in rule.when]
    assert all(name.startswith("lead") for rule in leading for name, _ in rule.actions)
    assert any("tricks 8–13" in rule.when and "Q♠ is with the others" in rule.when for rule in rules)
    boxes = rules_of(BoxesPlayer("boxes", random_boxes(2, 20)))
    assert len(boxes) == 23
    assert boxes[0].text.startswith("when we ")


def test_a_rule_names_the_best_action_of_each_situation():
    """The led suit is no percept: a category holds actions for every suit led and for none to follow with."""
    store = Categories()
    store.compiled.counts[0] = 1
    store.codes[0] = 0b11 << 4  # Q♠ is ours
    store.weights[0, :15] = np.arange(15) % 3 / 2  # the lowest; void: dump, the highest heart, Q♠
    store.weights[0, 0] = 1.5  # hearts: below the best, if there is such a card
    rule = rules_of(FalconPlayer("exact", FalconSettings(), store))[0]
    assert [words for words, _ in rule.cases] == ["♥ led", "♠ led", "♦ led", "♣ led", "void"]
    assert [name for name, _ in rule.cases[0][1]] == [
        "follow ♥ with the highest below the best",
        "follow ♥ with the lowest",
    ]
    assert [name for name, _ in rule.cases[1][1]] == ["follow ♠ with the lowest"]
    assert [name for name, _ in rule.cases[4][1]] == ["dump a high card"]
    assert "; void: dump a high card (1.00)" in rule.text
    store.weights[0, 12:15] = [1.0, 0.9, 0.1]
    tried = [name for name, _ in rules_of(FalconPlayer("exact", FalconSettings(), store))[0].cases[4][1]]
    assert tried == ["throw Q♠", "throw the highest ♥", "dump a high card"]
    store.codes[0] = 0b01 << 4  # Q♠ is with the others
    tried = [name for name, _ in rules_of(FalconPlayer("exact", FalconSettings(), store))[0].cases[4][1]]
    assert tried == ["throw the highest ♥", "dump a high card"]
    alone = rules_of(FalconPlayer("exact", FalconSettings(separate=False), store))[0]
    assert alone.cases[5][0] == "leading"


# --- runs, experiments, commands ---


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "games", "changes"),
    [
        ("falcon", 3000, dict(test=200, partners="ladder")),
        ("falcon-grow", 3000, dict(batch=1000, test=200, categories=30)),
    ],
)
def test_runs_resume_to_the_same_result(tmp_path, name, games, changes):
    whole = train(begin(name, tmp_path / "whole", seed=1, games=games, changes=changes))
    train(begin(name, tmp_path / "torn", seed=1, games=games, changes=changes), stop_after=1000)
    torn = train(begin(name, tmp_path / "torn", resume=True))
    assert whole.metrics() == torn.metrics()
    assert (tmp_path / "whole/model.npz").read_bytes() == (tmp_path / "torn/model.npz").read_bytes()


@pytest.mark.slow
def test_the_ladder_moves_with_the_results():
    trainer = FalconTrainer(FalconParameters(partners="ladder"), 1)
    lines = [trainer.step(first, 1000)[0] for first in range(0, 5000, 1000)]
    assert lines[0]["partners"] == "random+random+random"
    assert lines[1]["partners"] != lines[0]["partners"]  # random players are soon beaten
    assert FalconParameters(partners="ladder:random/jake").trios == [["random"] * 3, ["jake"] * 3]
    with pytest.raises(ValueError, match="is none of"):
        GrowParameters(partners="gnome+nobody")


@pytest.mark.slow
def test_parts_of_experiments(tmp_path):
    shop = Workshop(tmp_path, seed=1, quick=True, tell=lambda line: None)
    study = FalconStudy("tiny", networks(14), games=1000, marks=(0, 1000), tests=500, big_games=20)
    runs = train_runs(shop, study, 2)
    assert runs[0]["curve"].shape == (2,)
    assert runs[0]["ranks"].shape == (2, 4)
    assert runs[0]["ranks"].sum(axis=1) == pytest.approx(np.ones(2))
    assert train_runs(shop, study, 2)[1]["tested"].tolist() == runs[1]["tested"].tolist()
    assert shop.found == 0  # the same parts in one workshop count once
    shares = rank_shares(FalconAgent(FalconSettings(), FALCON), ["random"] * 3, 1, 20)
    assert shares.sum() == pytest.approx(1.0)


@pytest.mark.slow
def test_a_training_run_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    study = FalconStudy(
        "torn", networks(2, rule=Rule.TD, rate=0.005, epsilon=0.1), games=2500, marks=(600, 2500), tests=300
    )
    whole = train_runs(Workshop(tmp_path / "whole", seed=1, tell=lambda line: None), study, 1)
    shop = Workshop(tmp_path / "torn", seed=1, tell=lambda line: None)
    asked = iter([False, False, False, True])
    monkeypatch.setattr(series, "asked_to_stop", lambda: next(asked, False))
    with pytest.raises(Stopped):
        train_runs(shop, study, 1)
    drafts = list((tmp_path / "torn").iterdir())
    assert [path.suffix for path in drafts] == [".draft"]
    header, _ = read_bundle(drafts[0])
    assert header["done"] == 1500
    torn = train_runs(shop, study, 1)
    assert [path.suffix for path in (tmp_path / "torn").iterdir()] == [".npz"]
    assert all((torn[0][name] == whole[0][name]).all() for name in whole[0])
    assert len(torn[0]["curve"]) == 6


def test_tasks_learn_that_they_are_to_stop():
    executor, begun = LocalExecutor(1), threading.Event()

    def task():
        begun.set()
        while not asked_to_stop():
            time.sleep(0.001)
        return "stopped"

    running = executor.submit(task)
    assert begun.wait(10)
    executor.close()
    assert running.result() == "stopped"
    assert not asked_to_stop()


def test_commands(tmp_path, capsys):
    save_model(tmp_path / "boxes.npz", boxes_model(random_boxes(3, 20), FALCON))
    path = str(tmp_path / "boxes.npz")
    falcon(path, top=2, as_json=True)
    shown = json.loads(capsys.readouterr().out)
    assert shown["categories"] == 23
    assert len(shown["shown"]) == 2
    falcon(path, at=20, seed=3, as_json=True)
    assert json.loads(capsys.readouterr().out)["category"]["text"].startswith("when we ")
    with pytest.raises(ValueError, match="--at"):
        falcon(path, at=0)
    with pytest.raises(ValueError, match="no category has 'nonsense'"):
        falcon(path, contains=["nonsense"])
    condition = shown["shown"][0]["when"][1]
    falcon(path, contains=[condition.upper()], as_json=True)
    matching = json.loads(capsys.readouterr().out)
    assert 0 < matching["matching"] < 23
    with pytest.raises(ValueError, match=f"near it are: .*{re.escape(condition)}"):
        falcon(path, contains=[condition + "s"])
    falcon(path, top=3)
    lines = capsys.readouterr().out.splitlines()
    assert "behind each action: the points" in lines[1]
