"""Corners of the searches: rare rules, random ties, budgets, and what makes one kind of tree differ from another."""

import random
import time
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from support import search_twin as twin
from support.searching import SCALE, closed_batch, make_options, open_batch, opening, same, search, search_all
from support.slow import slow
from support.strategies import random_rules

from heartlab import CardSet, Deal, Rules, make_player
from heartlab.cards import parse_card
from heartlab.compiled.bits import bit
from heartlab.compiled.rng import seed_key, substream
from heartlab.kernel.layout import compile_rules
from heartlab.players import Observations
from heartlab.players.analysis import analyse
from heartlab.search import ismcts, pimc
from heartlab.search.evaluators.base import evaluator, make_evaluator
from heartlab.search.playouts import RANDOM, Playout, any_card, finish
from heartlab.search.uct import reward_scale

# --- ties ---


@evaluator("eight-is-worse")
def eight_is_worse(rules, state, root, floats, ints, scratch, out):
    """Seat 1 minds only the eight of clubs; the value of seat 3 tells which card seat 1 played."""
    for seat in range(4):
        out[seat] = 0.0
    out[1] = 1.0 if state["trick_cards"][1] == 6 else 0.0
    out[3] = state["trick_cards"][1]


def test_random_ties_within_the_tree_are_uniform():
    """A worse card between the tied ones must not make the later ones more frequent."""
    hands = [
        "2C 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD", "4C 6C 8C TC KC 2S 3S 4S 5S 6S 7S 8S 9S",
        "3C 5C 7C 9C JC QC AC TS JS QS KS AS 2D", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH",
    ]  # fmt: skip
    deal = Deal.from_hands(hands, "seed", leader=0)
    judge, count = make_evaluator("eight-is-worse"), 4000
    keys = np.array([substream(np.uint64(1), number) for number in range(count)], np.uint64)
    options = make_options("maxn", plies=2, ties="random", merge="no")
    found = search_all(deal.rules, np.repeat(deal._states, count), keys, options, judge)
    tables, rows = found.children, found.rows
    after_two = [next(row for row in tables[i, : rows[i]] if row[0] == 0) for i in range(count)]
    found = Counter(int(row[4]) for row in after_two)
    assert set(found) == {parse_card(name) for name in ("4C", "6C", "TC", "KC")}
    assert all(abs(times / count - 0.25) < 0.05 for times in found.values()), found


def test_random_ties_go_to_a_card_with_the_best_mean_even_if_a_kitty_lies_between():
    """Two cards are alike if the one between them is in the kitty: so in some worlds, but not in all."""
    rules = Rules.parse("standard,players=5,removed=none,kitty=first-heart,opening=lowest-club,passing=hold")
    player = make_player("maxn:worlds=20,eval=low-cards,ties=random")
    for seed in (190, 321, *range(20)):
        dice = random.Random(seed)
        deal = Deal(rules, seed=seed)
        for _ in range(dice.randrange(1, rules.plays - 8)):
            deal.play(dice.choice(sorted(deal.legal)))
        batch = closed_batch(deal)
        found = player.search.think(batch)
        means = found.values[0].mean(axis=0)
        picked = int(player.search.pick(batch.compiled, found)[0])
        assert means[picked] <= means[sorted(deal.legal)].min() + 1e-9, seed


# --- evaluators ---


@pytest.mark.parametrize(
    "rules",
    ["seed-nomoon", "spot,moon=off", "standard,heart_points=pips,moon=off",
     "standard,heart_points=rank,queen_points=0,moon=off", "black-maria,moon=off"],
)  # fmt: skip
def test_pie_likes_fewer_points_however_many_there_are(rules):
    """The formula was made for 26 points; with many more it must not turn round."""
    judge = make_evaluator("pie")
    for seed in range(8):
        deal = Deal(rules, seed=seed, number=3)
        for seat in deal.to_pass:
            deal.pass_cards(seat, sorted(deal.observe(seat).may_pass)[: deal.rules.pass_count])
        deal.play_randomly(seed)
        out = np.zeros(6)
        judge.function(deal._compiled[0], deal._states[0], 0, judge.floats, judge.ints, judge.scratch(), out)
        by_points = sorted(zip(deal.points, out[: deal.rules.players], strict=True))
        assert np.isfinite(out).all()
        assert all(
            one[1] < two[1] if one[0] < two[0] else one[1] == pytest.approx(two[1]) for one, two in pairwise(by_points)
        )


@pytest.mark.parametrize("name", ["sage", "points", "low-cards", slow("td")])
def test_a_moon_that_is_decided_counts_while_cards_are_left(name):
    """Seat 0 has all points but one and holds A♥ over the last heart: the moon is worth more than a safe lead."""
    deal = Deal("seed", seed=1)
    state, hands = deal._states[0], [CardSet(text) for text in ("AH 2C 3C", "KH 4C 5C", "4D 6C 7C", "5D 8C 9C")]
    left = sum(hand.mask for hand in hands)
    taken = CardSet("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH").mask
    for seat, hand in enumerate(hands):
        state["hands"][seat], state["taken"][seat], state["played"][seat] = hand.mask, 0, 0
        state["may_hold"][seat] = (1 << 52) - 1
    state["taken"][0], state["taken"][1] = taken, ((1 << 52) - 1) & ~left & ~taken
    state["played"][3] = ((1 << 52) - 1) & ~left
    state["tricks_won"][:4] = [5, 5, 0, 0]
    state["plays"], state["trick_number"], state["to_move"], state["leader"] = 40, 10, 0, 0
    state["hearts_broken"] = 1
    player = make_player(f"maxn:worlds=0,eval={name}")
    found = player.search.think(open_batch(deal))
    assert found.values[0, 0, parse_card("AH")] == pytest.approx(0.0)
    assert int(player.search.pick(deal._compiled, found)[0]) == parse_card("AH")


# --- the table of positions, and the solver ---


@pytest.mark.parametrize("rules", ["seed-queen,no_tricks=-5", "seed,bonus=JD", "seed-nomoon,doubler=TC"])
def test_the_table_knows_what_of_the_past_still_counts(rules):
    """Who has won no trick yet, and who has the bonus, the doubler or Q♠."""
    parsed, tried = Rules.parse(rules), 0
    for seed in range(200 * SCALE):
        deal, _ = twin.late_position(parsed, seed, 4, seed % 4)
        expected, _ = search(deal, "maxn", "points", 30_000, tricks="all", prune="no", table="no")
        if expected:
            found, _ = search(deal, "maxn", "points", tricks="all")
            assert same(found, expected), seed
            tried += 1
    assert tried > 100


def test_the_solver_merges_only_if_it_may():
    fewer = 0
    for seed in range(40):
        deal, _ = twin.late_position(Rules.parse("seed"), seed, 3, 0)
        one_by_one, _ = search(deal, "maxn", "points", endgame=3, merge="no")
        together, _ = search(deal, "maxn", "points", endgame=3)
        assert one_by_one.keys() == set(deal.legal)
        assert same({card: one_by_one[card] for card in together}, together)
        fewer += len(together) < len(one_by_one)
    assert fewer > 5


# --- trees ---


@pytest.mark.parametrize(
    ("rules", "scale"),
    [
        ("standard", [0, 26]),
        ("standard,moon=self", [-26, 26]),
        ("standard,moon=best,sun=yes", [-52, 52]),
        ("omnibus", [-10, 26]),
        ("omnibus,doubler=TC", [-20, 52]),
        ("seed-nomoon,no_tricks=-5", [-5, 26]),
    ],
)
def test_rewards_have_the_scale_of_the_rules(rules, scale):
    bounds = np.zeros(2)
    reward_scale(compile_rules(Rules.parse(rules))[0], bounds)
    assert bounds.tolist() == scale


def test_no_deal_goes_beyond_the_scale_of_its_rules():
    dice = random.Random(3)
    for seed in range(150 * SCALE):
        rules = random_rules(dice)
        bounds = np.zeros(2)
        reward_scale(compile_rules(rules)[0], bounds)
        deal = Deal(rules, seed=seed)
        for seat in deal.to_pass:
            deal.pass_cards(seat, dice.sample(sorted(deal.observe(seat).may_pass), rules.pass_count))
        deal.play_randomly(seed)
        assert bounds[0] <= min(deal.points), str(rules)
        assert max(deal.points) <= bounds[1], str(rules)


@pytest.mark.slow
def test_an_information_set_tree_counts_how_often_a_card_was_available():
    """Two children alike in value and visits: the one that could be chosen more often, and was not, is tried next."""
    tree = np.zeros(4, ismcts.NODE)
    tree["card"], tree["child"], tree["sibling"] = [0, 5, 9, 20], [1, -1, -1, -1], [-1, 2, 3, -1]
    tree["visits"], tree["available"], tree["totals"] = [30, 10, 10, 10], [30, 12, 28, 28], 5.0
    allowed = bit(5) | bit(9) | bit(40)
    best, new = ismcts._select(tree, 0, allowed, 0, 1.0)
    assert (best, int(new)) == (2, 1 << 40)
    assert tree["available"].tolist() == [30, 13, 29, 28], "only cards that are allowed in this world were available"


@pytest.mark.slow  # trees compile for long
@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_cut_playout_stops_after_so_many_tricks(cut):
    deal = opening()
    rules, states = compile_rules(deal.rules), deal._states.copy()
    assert not finish(rules[0], states[0], Playout(RANDOM, cut, any_card), np.array([3], np.uint64))
    assert (states[0]["trick_number"], states[0]["trick_size"]) == (cut, 0)


# --- budgets ---


def test_a_budget_is_in_milliseconds(monkeypatch):
    given = []
    monkeypatch.setattr(pimc, "think_in_time", lambda search, batch, deadline, lines: given.append(deadline))
    before = time.perf_counter()
    make_player("iie:ms=60000").search.think(closed_batch(opening()))
    assert 60.0 <= given[0] - before <= 60.0 + time.perf_counter() - before


@pytest.mark.parametrize("name", [slow("uct:ms=600000"), "iie:tricks=all,ms=600000"])
def test_a_first_world_may_take_a_quarter_of_the_time(name, monkeypatch):
    class Asked(Exception):
        pass

    player = make_player(name)
    search_worlds = player.search.search_worlds

    def ask(batch, count, first, options, *, until=None, lines):
        if until is None:  # one card ahead, which is always done
            return search_worlds(batch, count, first, options, lines=lines)
        raise Asked(until)

    monkeypatch.setattr(player.search, "search_worlds", ask)
    before = time.perf_counter()
    with pytest.raises(Asked) as asked:
        player.search.think(closed_batch(opening()))
    assert 150.0 <= asked.value.args[0] - before <= 150.0 + time.perf_counter() - before


# --- analyses ---


@pytest.mark.slow  # trees compile for long
def test_an_analysis_has_the_standard_error_of_its_worlds():
    deal = opening("standard,passing=hold")
    player = make_player("uct:worlds=12,sims=40")
    found = analyse(deal, player, seed=2)
    obs = deal.observe(deal.to_move)
    obs.records["random"] = substream(np.uint64(seed_key(2, "analyse")), len(deal.history) + 1)
    values = player.search.think(Observations.of(obs)).values[0]
    legal = sorted(deal.legal)
    best = values[:, legal].min(axis=1)
    for report in found.cards:
        column = values[:, report.card]
        assert report.expected == pytest.approx(column.mean())
        assert report.se == pytest.approx(column.std(ddof=1) / np.sqrt(12))
        assert report.best_in == pytest.approx((column <= best + 1e-9).mean())
    assert min(report.best_in for report in found.cards) < 1.0
