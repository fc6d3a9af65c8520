"""The searches against plain-Python twins, pruning against no pruning, and closed play that cannot see."""

import random

import numpy as np
import pytest
from support import search_twin as twin
from support.searching import RULES, SCALE, open_batch, root_table
from support.slow import slow

from heartlab import CardSet, Deal, Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.compiled.bits import ZERO, highest, lowest
from heartlab.kernel.layout import compile_rules
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.players import Observations, OpenStates
from heartlab.players.search import SearchPlayer
from heartlab.search.evaluators.base import EvaluatorError, evaluator, make_evaluator
from heartlab.search.evaluators.sage import CONSTANTS
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.playouts import policy
from heartlab.search.soft import _dominates
from heartlab.search.weights import weight


def positions(tricks_left, count, start=0):
    """Random late positions under every preset and some further rules, with zero to two cards on the table."""
    for number in range(count * SCALE):
        rules = Rules.parse(RULES[number % len(RULES)])
        yield twin.late_position(rules, start + number, tricks_left, number // len(RULES) % 3)


# --- order and equivalence ---


def test_search_order_is_that_of_the_thesis():
    cards = np.zeros(MAX_MOVES, np.int64)
    for tricks_left in (1, 3, 7, 12):
        for deal, referee in positions(tricks_left, 26):
            count = candidates(deal._compiled[0], deal._states[0], False, cards)
            assert cards[:count].tolist() == twin.ordered(referee)


def test_equivalent_cards_are_searched_once():
    deal = Deal.from_hands(
        ["4C 5C 8C 9C 2D 3D 4D 5D 6D 2S 3S 4S 5S", "2C 3C 6C TC JC QC KC AC 7D 8D 9D TD JD",
         "7C QD KD AD 6S 7S 8S 9S TS JS QS KS AS", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"],
        "seed", leader=0,
    )  # fmt: skip
    cards = np.zeros(MAX_MOVES, np.int64)
    count = candidates(deal._compiled[0], deal._states[0], True, cards)
    assert count == 4, "4C-5C, 8C-9C (7C lies between), 2D-6D, 2S-5S"


# --- values ---


@pytest.mark.parametrize(("tricks_left", "count"), [(1, 39), (2, 52), (3, 13)])
@pytest.mark.parametrize("merge", ["yes", "no"])
def test_maxn_values_are_those_of_brute_force(tricks_left, count, merge):
    """Brute force merges cards where the search does: ties may then go another way than without."""
    for deal, referee in positions(tricks_left, count, start=1000):
        found, _, _ = root_table(deal, "maxn", tricks="all", merge=merge, prune="no")
        for card, values in found.items():
            expected = twin.maxn(twin.after(referee, card), 99, twin.final_points, merge == "yes")
            assert values == pytest.approx(expected), (str(deal.rules), deal.history, card)
        assert list(found) == twin.candidates(referee, merge == "yes")


@pytest.mark.parametrize(("tricks_left", "count"), [(1, 26), (2, 39), (3, 13)])
def test_paranoid_values_are_those_of_brute_force(tricks_left, count):
    for deal, referee in positions(tricks_left, count, start=2000):
        root = deal.to_move
        for prune in ("yes", "no"):
            found, _, _ = root_table(deal, "paranoid", tricks="all", prune=prune)
            for card, values in found.items():
                expected = twin.paranoid(twin.after(referee, card), 99, root, twin.final_points)
                assert values[root] == pytest.approx(expected), (str(deal.rules), deal.history, card)


@pytest.mark.slow  # compiles for long
@pytest.mark.parametrize(("tricks_left", "count"), [(1, 13), (2, 26), (3, 13)])
def test_soft_and_prob_values_are_those_of_brute_force(tricks_left, count):
    for deal, referee in positions(tricks_left, count, start=3000):
        soft, _, _ = root_table(deal, "softmaxn", tricks="all", merge="no")
        prob, _, _ = root_table(deal, "probmaxn", tricks="all", merge="no")
        for card in soft:
            family = twin.soft(twin.after(referee, card), 99, twin.final_points)
            if len(family) <= 24:
                mean = np.mean(family, axis=0)
                assert soft[card] == pytest.approx(list(mean)), (str(deal.rules), deal.history, card)
            expected = twin.prob(twin.after(referee, card), 99, deal.to_move, twin.final_points)
            assert prob[card] == pytest.approx(expected)


@pytest.mark.parametrize(("tricks_left", "count"), [(2, 39), (3, 26), (4, 26)])
def test_the_endgame_solver_agrees_with_the_search(tricks_left, count):
    for deal, _ in positions(tricks_left, count, start=4000):
        searched, _, _ = root_table(deal, "maxn", tricks="all", prune="no")
        solved, _, _ = root_table(deal, "maxn", endgame=tricks_left)
        assert solved == {card: pytest.approx(values) for card, values in searched.items()}


def test_pie_evaluates_as_described():
    checked = within = 0
    for tricks_left in (1, 4, 8, 11):
        for deal, referee in positions(tricks_left, 26, start=5000):
            judge = make_evaluator("pie")
            out = np.zeros(6)
            for owner in range(deal.rules.players):
                judge.function(
                    deal._compiled[0], deal._states[0], owner, judge.floats, judge.ints, judge.scratch(), out
                )
                assert out[: deal.rules.players] == pytest.approx(twin.pie(referee, owner))
                checked += 1
                within += bool(referee.trick)
    assert checked > 2 * within > 200


FIVE_EACH = ["2S 3S 3H 4H 2C", "AH KD QD JD TD", "4C 5C 6C 9D 8D", "2H 7C 8C KS AS"]
NINE_HEARTS = "5H 6H 7H 8H 9H TH JH QH KH"


@pytest.mark.parametrize(
    ("hands", "taken", "queen_by", "lead", "shares"),
    [
        # nothing left: 26 less the points that each has
        (["2S", "KD", "4C", "KS"], ["QS", "2H 3H 4H 5H 6H", "7H 8H 9H TH JH QH KH AH", ""], 1, 0, [13, 21, 18, 26]),
        # card quality 56, 10, 38, 26 of 130 and 4 hearts left; 22 points taken; the owner's own queen won its trick (a
        # quarter is left of 40.72), two have points (+3), another leads (+1), void in diamonds, 7 of them played (+1)
        (FIVE_EACH, ["QS", NINE_HEARTS, "", ""], 0, 2, [15.1807692, 46.3076923, 56.1692308, 55.8]),
        # the same, but another threw the queen: no fine; and the owner leads: no +1
        (FIVE_EACH, ["QS", NINE_HEARTS, "", ""], 1, 0, [44.7230769, 46.3076923, 56.1692308, 55.8]),
        # another took queen and hearts: nobody gets 3 for the owner's queen, nor is the deal split
        (FIVE_EACH, ["", f"QS {NINE_HEARTS}", "", ""], 1, 2, [55.7230769, 30.3076923, 53.1692308, 52.8]),
    ],
)  # fmt: skip
def test_pie_by_hand(hands, taken, queen_by, lead, shares):
    """Numbers worked out on paper from the description (spec, section 7.1); seat 0 is the owner."""
    deal = Deal("seed", seed=1)
    state = deal._states[0]
    state["to_move"] = lead
    left = CardSet(" ".join(hands))
    for seat in range(4):
        state["hands"][seat] = CardSet(hands[seat]).mask
        state["taken"][seat] = CardSet(taken[seat]).mask
        state["played"][seat] = 1 << 36 if seat == queen_by else 0
    state["played"][3] |= np.uint64(((1 << 52) - 1) & ~left.mask & ~(1 << 36))
    judge, out = make_evaluator("pie"), np.zeros(6)
    judge.function(deal._compiled[0], state, 0, judge.floats, judge.ints, judge.scratch(), out)
    assert list(out[:4]) == pytest.approx([26 * (1 - share / sum(shares)) / 3 for share in shares], abs=1e-6)


def test_sage_evaluates_as_described():
    checked = 0
    for tricks_left in (1, 4, 8, 12):
        for deal, referee in positions(tricks_left, 26, start=5500):
            worth = [deal.rules.card_points(card) for hand in deal.hands for card in hand]
            if referee.trick or not any(worth):
                continue
            judge, out = make_evaluator("sage"), np.zeros(6)
            judge.function(deal._compiled[0], deal._states[0], 0, judge.floats, judge.ints, judge.scratch(), out)
            assert out[: deal.rules.players] == pytest.approx(twin.sage(referee, CONSTANTS))
            checked += 1
    assert checked > 40


@pytest.mark.parametrize("name", ["sage", slow("td")])
def test_special_cards_count_alike_before_and_after_the_last_penalty_card(name):
    """Whether a search stops just before the last point falls or just after it, a seat has its bonus, and doubling."""
    judge, seen = make_evaluator(name), [0, 0]
    plain = compile_rules(Rules.parse("seed-nomoon"))
    rules = Rules.parse("seed-nomoon,bonus=JD,doubler=TC")

    def values(compiled, deal):
        out = np.zeros(6)
        judge.function(compiled[0], deal._states[0], 0, judge.floats, judge.ints, judge.scratch(), out)
        return out[:4]

    for seed in range(60):
        deal = Deal(rules, seed=seed)
        while not deal.is_over:
            if not deal.trick:
                bonus = [rules.bonus_points * (rules.bonus in cards) for cards in deal.taken]
                factor = [1 + (rules.doubler in cards) for cards in deal.taken]
                assert values(deal._compiled, deal) == pytest.approx(factor * (values(plain, deal) + bonus))
                seen[any(card in rules.penalty_cards for hand in deal.hands for card in hand)] += any(bonus)
            deal.play(min(deal.legal, key=lambda card: (card * 7 + seed) % 53))
    assert min(seen) > 10


def test_a_set_dominates_if_it_is_never_worse_and_once_better():
    def dominates(one, two):
        return _dominates(np.array(one)[:, None], len(one), np.array(two)[:, None], len(two), 0)

    assert dominates([1.0, 2.0], [2.0])
    assert dominates([1.0], [1.0, 2.0])
    assert not dominates([2.0], [1.0, 2.0])
    assert not dominates([2.0], [2.0])
    assert not dominates([1.0, 3.0], [2.0])


def test_depth_by_tricks_and_plies():
    for deal, referee in positions(3, 26, start=6000):
        n, played = deal.rules.players, len(deal.history)

        def judge(position, root=deal.to_move):
            return twin.pie(position, root)

        stop = (played // n + 1) * n
        found, _, _ = root_table(deal, "maxn", "pie", tricks=1, merge="no", prune="no")
        for card, values in found.items():
            assert values == pytest.approx(twin.maxn(twin.after(referee, card), stop, judge))
        by_plies, _, _ = root_table(deal, "maxn", "pie", plies=stop - played, merge="no", prune="no")
        assert by_plies == {card: pytest.approx(values) for card, values in found.items()}


# --- pruning ---

EXPECTED_SAVINGS = [("maxn", "points", 2.0), ("paranoid", "pie", 1.5), ("paranoid", "points", 2.0)]
"""Shares are never lopsided enough for shallow pruning of max^n over pie to save anything worth a test."""


def test_pruning_changes_no_root_value_and_saves_nodes():
    saved = {}
    for kind, name, tricks in (
        ("maxn", "pie", 2),
        ("maxn", "points", 0),
        ("paranoid", "pie", 2),
        ("paranoid", "points", 0),
    ):
        plain_nodes = pruned_nodes = 0
        for seed in range(20):
            deal, _ = twin.late_position(Rules.parse("seed-nomoon"), seed, 4 if tricks == 0 else 8, seed % 3)
            depth = tricks or "all"
            plain, plain_count, _ = root_table(deal, kind, name, tricks=depth, prune="no")
            pruned, pruned_count, _ = root_table(deal, kind, name, tricks=depth, prune="yes")
            for card in plain:
                assert pruned[card][deal.to_move] == pytest.approx(plain[card][deal.to_move]), (name, kind, seed)
            plain_nodes += plain_count[0]
            pruned_nodes += pruned_count[0]
        saved[kind, name] = plain_nodes / pruned_nodes
    assert all(saved[kind, name] > least for kind, name, least in EXPECTED_SAVINGS), saved


def test_merging_saves_nodes():
    plain_nodes = merged_nodes = 0
    for seed in range(20):
        deal, _ = twin.late_position(Rules.parse("seed"), seed, 5)
        plain_nodes += root_table(deal, "maxn", tricks=2, merge="no", prune="no")[1][0]
        merged_nodes += root_table(deal, "maxn", tricks=2, merge="yes", prune="no")[1][0]
    assert plain_nodes > 1.5 * merged_nodes


# --- UCT ---


@pytest.mark.slow  # trees compile for long
def test_uct_visits_add_up_and_the_best_card_is_found():
    good = 0
    tried = 0
    for deal, _ in positions(3, 52, start=7000):
        exact, _, _ = root_table(deal, "maxn", tricks="all", prune="no")
        if len(exact) == 1:
            continue
        found, _, visits = root_table(deal, "uct", sims=2000, playout="random")
        assert visits.sum() == 2000
        root = deal.to_move
        choice = list(found)[int(np.argmax(visits))]
        tried += 1
        good += exact[choice][root] <= min(values[root] for values in exact.values()) + 1e-9
    assert tried > 20
    assert good / tried > 0.8


@pytest.mark.slow  # trees compile for long
@pytest.mark.parametrize("policy", ["random", "throw", "careful", "evaluate", "gnome"])
def test_uct_is_a_function_of_its_key(policy):
    deal = Deal("standard", seed=3, number=3)
    deal.play("2C")
    first = root_table(deal, "uct", sims=300, playout=policy)
    second = root_table(deal, "uct", sims=300, playout=policy)
    assert first[0] == second[0]
    assert (first[2] == second[2]).all()


@pytest.mark.slow  # trees compile for long
def test_a_user_writes_a_playout_policy():
    @policy("highest")
    def highest_card(rules, state, cards, rng):
        return highest(cards)

    deal = Deal("seed", seed=3)
    found, _, _ = root_table(deal, "uct", sims=50, playout="highest")
    again, _, _ = root_table(deal, "uct", sims=50, playout="random")
    assert found.keys() == again.keys()
    assert found != again


@pytest.mark.slow  # trees compile for long
def test_below_the_root_a_tree_tries_what_the_policy_proposes():
    """A policy without dice: all simulations of a card are alike until the sixteenth visit brings another idea."""

    @policy("lowest")
    def lowest_card(rules, state, cards, rng):
        return lowest(cards)

    def played_on(deal, card):
        deal = deal.copy()
        deal.play(card)
        while not deal.is_over:
            deal.play(min(deal.legal))
        return list(deal.points)

    deal = Deal("seed", seed=3)
    few, _, visits = root_table(deal, "uct", sims=8 * len(deal.legal), playout="lowest", merge="no", c=1000)
    assert visits.tolist() == [8] * len(deal.legal)
    for card, values in few.items():
        assert values == pytest.approx(played_on(deal, card)), card
    many, _, _ = root_table(deal, "uct", sims=40 * len(deal.legal), playout="lowest", merge="no", c=1000)
    assert sum(values != pytest.approx(few[card]) for card, values in many.items()) > len(deal.legal) / 2


# --- information-set trees ---


@pytest.mark.slow
def test_ismcts_finds_the_best_card_where_only_one_world_fits():
    player = make_player("ismcts:sims=1500,playout=random")
    good = tried = 0
    for deal, _ in positions(3, 52, start=9000):
        obs = deal.observe(deal.to_move)
        for seat, hand in enumerate(deal.hands):
            obs.records["may_hold"][0][seat] = hand.mask
        if len(deal.legal) == 1 or obs.count_worlds() != 1:
            continue
        exact, _, _ = root_table(deal, "maxn", tricks="all", prune="no", merge="no")
        choice = ask(player, obs)
        tried += 1
        good += exact[choice][deal.to_move] <= min(values[deal.to_move] for values in exact.values()) + 1e-9
    assert tried > 20
    assert good / tried > 0.8


@pytest.mark.slow
def test_ismcts_counts_every_simulation():
    deal = Deal("standard", seed=8, number=3)
    dice = random.Random(8)
    while len(deal.history) < 26 or len(deal.legal) < 3:
        deal.play(dice.choice(sorted(deal.legal)))
    batch = Observations.of(deal.observe(deal.to_move))
    player = make_player("ismcts:sims=700,trees=3,merge=no")
    found = player.search.search_worlds(batch, 3)
    assert found.visits[0].sum(axis=1).tolist() == [700.0] * 3
    low, high = 0, deal.rules.total_points
    legal = sorted(deal.legal)
    assert ((low <= found.values[0][:, legal]) & (found.values[0][:, legal] <= high)).all()
    assert not np.array_equal(found.values[0, 0], found.values[0, 1]), "each tree has dice of its own"


# --- closed play ---


def ask(player, obs):
    batch = Observations.of(obs)
    return int(player.choose_cards(batch)[0])


@pytest.mark.parametrize(
    "name", ["iie:worlds=6", slow("uct:worlds=4,sims=60"), "paranoid:worlds=4", slow("softmaxn:worlds=3"),
     slow("probmaxn:worlds=3"), slow("ismcts:sims=300")],
)  # fmt: skip
def test_closed_players_are_blind(name):
    """Only hidden cards change, consistent with the observation: the choice stays.

    What a player is given is the observation's record and nothing else: that this is the same to the last byte is what
    makes it blind; the choice then only shows that it keeps nothing from other decisions.
    """
    player = make_player(name)
    dice = random.Random(1)
    changed = 0
    for seed in range(12):
        deal = Deal("standard", seed=seed, number=3)
        for _ in range(dice.randrange(1, 40)):
            deal.play(dice.choice(sorted(deal.legal)))
        obs = deal.observe(deal.to_move)
        choice = ask(player, obs)
        assert choice in obs.legal
        for world in obs.worlds(3, seed=seed):
            changed += world.hands != deal.hands
            view = world.observe(world.to_move)
            view.records["random"] = obs.records["random"]
            assert view.records.tobytes() == obs.records.tobytes()
            assert ask(player, view) == choice
    assert changed > 15


def test_a_forced_card_is_not_searched():
    player = SearchPlayer("maxn", {"worlds": "5"})
    deal = Deal("standard", seed=1, number=3)
    assert ask(player, deal.observe(deal.to_move)) == 0
    assert player.search.counters.sum() == 0
    deal.play("2C")
    while len(deal.legal) == 1:
        deal.play(min(deal.legal))
    ask(player, deal.observe(deal.to_move))
    assert player.search.counters.sum() > 0


@pytest.mark.parametrize("name", [slow("uct:worlds=8,sims=50"), "iie:worlds=8", slow("ismcts:trees=8,sims=50")])
def test_threads_change_nothing(name):
    deal = Deal("standard", seed=4, number=3)
    deal.play("2C")
    while len(deal.legal) < 3:
        deal.play(max(deal.legal))
    batch = Observations.of(deal.observe(deal.to_move))
    one, two = (make_player(f"{name},threads={threads}").search.search_worlds(batch, 8) for threads in (1, 2))
    assert (one.values == two.values).all()
    assert (one.visits == two.visits).all()
    assert (one.states == two.states).all()


def test_worlds_can_be_weighted():
    """Only worlds in which seat 1 holds Q♠ count: the choice is the one that those worlds alone would make."""

    @weight
    def queen_in_seat_one(rules, obs, state):
        return 1.0 if state["hands"][1] & QUEEN_BIT != ZERO else 0.0

    deal = Deal("seed", seed=1)
    while deal.to_move != 0 or len(deal.legal) < 4:
        deal.play(min(deal.legal))
    assert "QS" not in deal.hands[0]
    player = SearchPlayer("maxn", {"worlds": "30"}, weigh=queen_in_seat_one)
    batch = Observations(deal.rules, compile_rules(deal.rules), deal.observe(0).records)
    found = player.search.search_worlds(batch, 30)
    there = np.array([bool(int(hands[1]) >> 36 & 1) for hands in found.states["hands"][0]])
    assert 0 < there.sum() < 30
    assert (found.weights[0] == there).all()
    means = {card: found.values[0, there, card].mean() for card in deal.legal}
    assert means[int(player.choose_cards(batch)[0])] == pytest.approx(min(means.values()))


@pytest.mark.slow  # trees compile for long
def test_an_open_player_with_time_looks_deeper():
    deeper = 0
    for deal, _ in positions(4, 13, start=9500):
        patient = make_player("maxn:worlds=0,eval=points,ms=2000").search.think(open_batch(deal))
        whole = make_player("maxn:worlds=0,eval=points,tricks=all").search.think(open_batch(deal))
        hasty = make_player("maxn:worlds=0,eval=points").search.think(open_batch(deal))
        assert (patient.values == whole.values).all()
        deeper += not np.array_equal(hasty.values, whole.values)
    assert deeper > 3
    trees = make_player("uct:worlds=0,sims=50,ms=30").search.think(open_batch(deal))
    assert trees.visits[0, 0].sum() >= 50


def test_a_search_beyond_its_limit_gives_up():
    deal, _ = twin.late_position(Rules.parse("seed"), 1, 8, 0)
    player = make_player("maxn:worlds=0,tricks=4")
    player.search.search_worlds(open_batch(deal), 1, limit=500)
    assert 500 < player.search.counters[0] < 700


@pytest.mark.parametrize("rules", ["standard", "advice", "black-maria", "standard,players=6", "spot"])
@pytest.mark.parametrize(
    "name", ["iie:worlds=2", slow("uct:worlds=2,sims=20"), "pie", slow("uct:worlds=0,sims=20"),
     "iie:worlds=2,endgame=3", slow("ismcts:sims=40"), slow("uct:worlds=2,sims=20,playout=gnome")],
)  # fmt: skip
def test_search_players_sit_down_under_any_rules(name, rules):
    result = run_match(Match([make_player(name), make_player("gnome")], Rules.parse(rules), 2, seed=1, open=True))
    assert result.forfeits.sum() == 0


def test_a_user_writes_an_evaluator():
    @evaluator("most-tricks", "likes tricks")
    def most_tricks(rules, state, root, floats, ints, scratch, out):
        for seat in range(rules["players"]):
            out[seat] = -state["tricks_won"][seat]

    player = SearchPlayer("maxn", {"eval": "most-tricks", "worlds": "0"})
    deal = Deal.from_hands(
        ["2C AC 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD", "3C 4C 5C 6C 7C 8C 9C TC JC QC KC KD AD",
         "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"],
        "seed", leader=0,
    )  # fmt: skip
    obs = deal.observe(0)
    batch = OpenStates(deal.rules, compile_rules(deal.rules), obs.records, deal._states)
    assert int(player.choose_cards(batch)[0]) == 12, "the ace of clubs wins a trick"


def test_unknown_evaluators_are_listed():
    with pytest.raises(EvaluatorError, match=r"Known are .*pie"):
        make_evaluator("nothing")
