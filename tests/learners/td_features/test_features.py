"""Atomic features against their plain twins, conjunctions against brute force, networks against sums by hand."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import feature_twin as twin
from support import search_twin

from heartlab import Deal, Rules
from heartlab.cards import parse_cards
from heartlab.compiled.bits import ZERO, gather
from heartlab.kernel.layout import SEATS
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.learners.td_features.conjunctions import (
    FRAMES,
    STACK,
    Conjunctions,
    describe,
    list_active,
    nominal_count,
    short_name,
    sum_active,
)
from heartlab.learners.td_features.exclusions import exclusions, exclusive
from heartlab.learners.td_features.features import (
    ATOMS,
    CARD_ATOMS,
    HEART_ATOMS,
    LEAD_AT,
    MOON_ATOMS,
    QUEEN_ONLY,
    AtomError,
    atom,
    clause,
    extract_atoms,
    extract_card_atoms,
    find_atom,
    make_extractor,
)
from heartlab.learners.td_features.moon import extract_moon, place_moon
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import to_model, to_network
from heartlab.learners.td_features.selection import select_by_effect, select_by_fit, select_by_weight, union
from heartlab.search.evaluators.base import settled_points

HEARTS_TASK = tuple(number for number in CARD_ATOMS if number not in QUEEN_ONLY) + HEART_ATOMS


def masks_of(deal, extract=extract_atoms):
    out = np.zeros((SEATS, 2), np.uint64)
    extract(deal._compiled[0], deal._states[0], out)
    return out


def numbers(words):
    return {place for place in range(128) if int(words[place // 64]) >> place % 64 & 1}


def boundary(rules, seed, tricks_left):
    """A deal between two tricks."""
    return search_twin.late_position(Rules.parse(rules), seed, tricks_left)[0]


def example(leader):
    """The worked example of the specification: five tricks left, as P0 sees it."""
    hands = ["KS 5S 4D AC 2H", "QS 7S 9D TD KH", "AS 2S 3C 8C 5H", "JS TS 6C 6H 7H"]
    dealt_counts = {"S": 3, "D": 2, "C": 5, "H": 3}
    deal = Deal("seed-nomoon", seed=1)
    state = deal._states[0]
    for seat, text in enumerate(hands):
        state["hands"][seat] = sum(1 << card for card in parse_cards(text))
        state["played"][seat] = 0
    gone = {"S": "3S", "D": "2D", "C": "2C 4C 5C 7C", "H": "3H 4H"}
    for suit, cards in gone.items():
        have = sum(name[1] == suit for name in hands[0].split())
        chosen = cards.split()[: dealt_counts[suit] - have]
        state["played"][0] |= np.uint64(sum(1 << card for card in parse_cards(" ".join(chosen))))
    state["to_move"] = state["leader"] = leader
    return deal


def test_the_worked_example():
    lead = {3, 6, 13, 15, 16, 17, 18, 23, 24, 26, 31, 33, 37, 39, 43, 47, 59}
    assert {number + 1 for number in numbers(masks_of(example(0))[0]) if number < 60} == lead
    others = (lead - {37}) | {50, 53, 55, 56}
    assert {number + 1 for number in numbers(masks_of(example(2))[0]) if number < 60} == others


@pytest.mark.parametrize("rules", ["seed-nomoon", "standard", "advice", "standard,players=5"])
def test_atoms_are_those_of_the_plain_twin(rules):
    for seed in range(60):
        deal = boundary(rules, seed, 1 + seed % 12)
        if deal.is_over:
            continue
        hands = [set(hand) for hand in deal.hands]
        played = [play for trick in deal.tricks for play in trick]
        dealt = [hand | {card for by, card in played if by == seat} for seat, hand in enumerate(hands)]
        words = masks_of(deal)
        for seat in range(deal.rules.players):
            found = numbers(words[seat])
            assert {number + 1 for number in found if number < 60} == twin.card_atoms(hands, dealt, deal.to_move, seat)
            own, others, left = twin.heart_atoms([set(cards) for cards in deal.taken], seat)
            assert {number - 64 for number in found if number >= 64} == {own, 14 + others, 28 + left}
        assert (masks_of(deal, extract_card_atoms)[:, 0] == words[:, 0]).all()


def test_frequencies_are_those_of_the_specification():
    """All views of all trick boundaries while Q♠ is out, random play; the specification counted 3,000 deals."""
    published = {1: 0.25, 2: 0.181, 4: 0.027, 5: 0.185, 6: 0.25, 7: 0.272, 10: 0.70, 11: 0.013, 14: 0.179, 16: 0.372,
                 17: 0.575, 34: 0.031, 35: 0.012, 37: 0.25, 38: 0.124, 42: 0.401, 43: 0.232, 45: 0.024, 53: 0.667,
                 57: 0.048}  # fmt: skip
    counts, views, total = np.zeros(60), 0, 0
    dice = random.Random(1)
    for seed in range(300):
        deal = Deal("seed-queen", seed=seed)
        while not deal.is_over and any(deal._states[0]["hands"][seat] & QUEEN_BIT != ZERO for seat in range(4)):
            if not deal.trick:
                for seat in range(4):
                    found = numbers(masks_of(deal)[seat]) & set(CARD_ATOMS)
                    counts[list(found)] += 1
                    total += len(found)
                    views += 1
            deal.play(dice.choice(sorted(deal.legal)))
    assert total / views == pytest.approx(15.98, abs=0.3)
    for number, share in published.items():
        close = 0.01 + 0.1 * share  # less than the smallest of the shares
        assert counts[number - 1] / views == pytest.approx(share, abs=close), ATOMS[number - 1].name


def test_exclusive_atoms_never_meet_and_few_others_stay_apart():
    met = np.zeros((128, 128), bool)
    for seed in range(400):
        for row in masks_of(boundary("seed", seed, 1 + seed % 13))[:4]:
            found = sorted(numbers(row))
            met[np.ix_(found, found)] = True
    assert not [pair for pair in exclusions() if met[pair]]
    cards = [(a, b) for a, b in combinations(CARD_ATOMS, 2) if (a, b) not in exclusions()]
    assert sum(not met[pair] for pair in cards) < 0.1 * len(cards)


def test_every_atom_has_a_name_and_a_sentence_of_its_own():
    assert len(CARD_ATOMS) == 60
    assert len(HEARTS_TASK) == 88
    for texts in ([a.name for a in ATOMS.values()], [a.sentence for a in ATOMS.values()]):
        assert len(set(texts)) == len(texts)
    assert find_atom("we have Q♠").number == 0
    assert find_atom("The Q♠ player has no other spade below Q♠").number == 37
    with pytest.raises(AtomError, match="some that contain it: exit"):
        find_atom("exit")


# --- conjunctions ---


@pytest.mark.parametrize(
    ("atoms", "orders", "published"),
    [
        (CARD_ATOMS, [1], 60),
        (CARD_ATOMS, [1, 2], 1_830),
        (CARD_ATOMS, [1, 3], 34_280),
        (CARD_ATOMS, [1, 2, 3, 4], 523_685),
        (HEARTS_TASK, [1, 2], 3_916),
        (HEARTS_TASK, [1, 3], 109_824),
    ],
)
def test_counts_are_the_published_ones_and_impossible_ones_are_not_stored(atoms, orders, published):
    assert nominal_count(len(atoms), orders) == published
    excluded = exclusions()
    later = {one: {two for two in atoms if two > one and (one, two) not in excluded} for one in atoms}

    def possible(among, order):
        if order == 1:
            return len(among)
        return sum(possible(among & later[one], order - 1) for one in among)

    stored = len(Conjunctions.exhaustive(atoms, orders))
    assert stored == sum(possible(set(atoms), order) for order in orders)
    assert stored < published or orders == [1]


def can_meet(atoms):
    kept = []
    for number in atoms:
        if all((min(number, other), max(number, other)) not in exclusions() for other in kept):
            kept.append(number)
    return kept


def words_of(atoms):
    mask = sum(1 << number for number in atoms)
    return np.uint64(mask & (1 << 64) - 1), np.uint64(mask >> 64)


def walk(chosen, weights, atoms):
    stack = np.zeros(STACK, np.uint64)
    trie = chosen.packed.view(np.uint64)
    total, count = sum_active(trie, weights, *words_of(atoms), stack)
    listed = chosen.room()
    assert list_active(trie, *words_of(atoms), stack, listed) == count
    return total, {chosen.atoms_of(int(node)) for node in listed[:count]}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(sorted({*CARD_ATOMS, *HEART_ATOMS})), max_size=14, unique=True),
    st.sampled_from([(1,), (1, 2), (1, 3), (2, 3), (1, 2, 3)]),
)
def test_active_conjunctions_are_those_of_brute_force(atoms, orders):
    chosen = EXHAUSTIVE[orders]
    weights = np.random.default_rng(1).normal(size=chosen.nodes).astype(np.float32)
    atoms = can_meet(atoms)
    total, listed = walk(chosen, weights, atoms)
    expected = twin.active(atoms, orders)
    assert listed == expected
    assert total == pytest.approx(sum(weights[chosen.find(conjunction)] for conjunction in expected), abs=1e-3)


EXHAUSTIVE = {
    orders: Conjunctions.exhaustive(CARD_ATOMS + HEART_ATOMS, orders)
    for orders in [(1,), (1, 2), (1, 3), (2, 3), (1, 2, 3)]
}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 20) | st.integers(64, 75), min_size=1, max_size=5, unique=True), max_size=30),
    st.lists(st.integers(0, 20) | st.integers(64, 75), max_size=12, unique=True),
)
def test_lists_of_conjunctions_are_walked_like_brute_force(wanted, atoms):
    chosen = Conjunctions.of(wanted)
    possible = {tuple(sorted(c)) for c in wanted if len(can_meet(c)) == len(c)}
    assert set(chosen) == possible
    assert len(chosen) == len(possible)
    if not possible:
        return
    atoms = can_meet(atoms)
    _, listed = walk(chosen, np.ones(chosen.nodes, np.float32), atoms)
    assert listed == {c for c in possible if set(c) <= set(atoms)}


def test_a_sum_goes_on_where_its_list_was_full():
    atoms = can_meet([*HEART_ATOMS[::-1], *CARD_ATOMS])
    chosen = Conjunctions.exhaustive(atoms, [1, 2, 3, 4])
    weights = np.random.default_rng(1).normal(size=chosen.nodes).astype(np.float32)
    total, listed = walk(chosen, weights, atoms[1:])
    assert listed == twin.active(atoms[1:], (1, 2, 3, 4))
    assert len(listed) > 2 * 2 * (STACK - FRAMES), "the list was filled more than twice"
    assert total == pytest.approx(sum(weights[chosen.find(conjunction)] for conjunction in listed), abs=1e-3)


def test_conjunctions_can_be_looked_up_and_read():
    chosen = Conjunctions.of([[0, 5], [0, 5, 36], [64]])
    assert chosen.atoms_of(chosen.find([36, 5, 0])) == (0, 5, 36)
    assert chosen.find([5]) is None, "on the way, but not in the list"
    assert chosen.find([1]) is None
    assert short_name((0, 5, 36)) == "we have Q♠ ∧ 1 low spade ∧ we lead"
    assert describe((0, 36)) == "we have Q♠ and we have the lead"
    with pytest.raises(AtomError, match="1 to 8"):
        Conjunctions.of([range(9)])
    with pytest.raises(AtomError, match="orders"):
        Conjunctions.exhaustive(CARD_ATOMS, [0, 1])


@given(st.integers(0, (1 << 64) - 1), st.integers(0, (1 << 64) - 1))
def test_gather_puts_marked_bits_together(bits, mask):
    marked = [place for place in range(64) if mask >> place & 1]
    expected = sum((bits >> place & 1) << k for k, place in enumerate(marked))
    assert int(gather(np.uint64(bits), np.uint64(mask))) == expected


# --- networks ---


def test_a_network_adds_up_what_is_active_for_every_seat_and_keeps_clear_of_what_is_decided():
    chosen = Conjunctions.exhaustive(CARD_ATOMS + HEART_ATOMS, [1, 2])
    dice = np.random.default_rng(3)
    network = Network(chosen, dice.normal(0.06, 0.3, len(chosen)).astype(np.float32))
    judge = network.evaluator()
    memory, out = judge.scratch(), np.zeros(SEATS)
    cut = 0
    for seed in range(40):
        deal = boundary("seed-nomoon", seed, 1 + seed % 12)
        words = masks_of(deal)
        left = sum(deal.rules.card_points(card) for hand in deal.hands for card in hand)
        for _ in range(2):  # the second time from the table
            judge.function(deal._compiled[0], deal._states[0], 0, judge.floats, judge.ints, memory, out)
            for seat in range(4):
                taken = sum(deal.rules.card_points(card) for card in deal.taken[seat])
                value = sum(network.weights[chosen.find(c)] for c in twin.active(numbers(words[seat]), [1, 2]))
                if left == 0:
                    assert out[seat] == taken
                else:
                    assert out[seat] == pytest.approx(min(max(value, taken + 0.01), taken + left - 0.01), abs=1e-4)
                    cut += not taken + 0.01 < value < taken + left - 0.01
    assert cut > 5


def test_a_user_adds_an_atom():
    @atom("most cards are spades", "we hold more spades than anything else")
    def many_spades(rules, state, seat):
        hand = state["hands"][seat]
        return hand & np.uint64(0x1FFF << 26) != np.uint64(0) and hand & np.uint64(0x3FFF) == np.uint64(0)

    try:
        extract = make_extractor(frozenset({0, many_spades.number}))
        met = 0
        for seed in range(30):
            deal = boundary("seed", seed, 6)
            words = masks_of(deal, extract)
            for seat in range(4):
                spades = any(card // 13 == 2 for card in deal.hands[seat])
                low = any(card < 14 for card in deal.hands[seat])
                assert (many_spades.number in numbers(words[seat])) == (spades and not low)
                met += spades and not low
        assert met > 3
        network = Network(Conjunctions.of([[0], [many_spades.number], [0, many_spades.number]]))
        judge = network.evaluator()
        judge.function(
            deal._compiled[0], deal._states[0], 0, judge.floats, judge.ints, judge.scratch(), np.zeros(SEATS)
        )
        with pytest.raises(AtomError, match="called 'we lead' already"):
            atom("we lead")(lambda rules, state, seat: True)
    finally:
        del ATOMS[many_spades.number]


@pytest.mark.usefixtures("own_atoms")
def test_clauses_say_or_and_not():
    texts = ["we have A♠ or we have K♠", "not exit ♥", "not we lead or short ♦", "left: 12 ♥ or left: 13 ♥"]
    made = [clause(text) for text in texts]
    assert [one.name for one in made] == texts
    assert clause(texts[0]) is made[0]
    assert clause("we lead").number == find_atom("we lead").number
    extract = make_extractor(frozenset(one.number for one in made))
    seen = np.zeros((4, 2), int)
    for seed in range(60):
        words = masks_of(boundary("seed", seed, 1 + seed % 13), extract)
        for seat in range(4):
            found = numbers(words[seat])
            for row, one in enumerate(made):
                expected = any((number in found) == wanted for number, wanted in one.literals)
                assert (one.number in found) == expected
                seen[row, int(expected)] += 1
    assert (seen > 0).all()
    with pytest.raises(AtomError, match="no atomic feature is called 'we have 9♠'"):
        clause("we have A♠ or we have 9♠")


@pytest.mark.usefixtures("own_atoms")
def test_clauses_exclude_what_contradicts_them():
    high, none, lead = clause("we have A♠ or we have K♠"), clause("not we have A♠"), clause("not we lead")
    single = find_atom("single Q♠").number
    assert exclusive(high.number, single)
    assert not exclusive(none.number, single)
    assert exclusive(none.number, find_atom("we have A♠").number)
    assert not exclusive(high.number, none.number)
    assert exclusive(lead.number, LEAD_AT)
    chosen = Conjunctions.exhaustive([LEAD_AT, single, high.number, lead.number], [1, 2])
    assert chosen.find([LEAD_AT, lead.number]) is None
    assert chosen.find([single, high.number]) is None
    assert chosen.find([LEAD_AT, high.number]) is not None


def test_selection_by_weight_by_effect_and_union():
    chosen = Conjunctions.of([[0], [1], [2], [0, 1]])
    network = Network(chosen)
    for atoms, weight in (([0], 0.5), ([1], -2.0), ([2], 1.0), ([0, 1], 0.1)):
        network.weights[chosen.find(atoms)] = weight
    assert select_by_weight(network, 2) == [(1,), (2,)]
    support = np.zeros(chosen.nodes)
    support[chosen.find([0])] = 0.5
    support[chosen.find([1])] = 0.001
    support[chosen.find([2])] = 0.02
    assert select_by_effect(network, support, 2) == [(0,), (2,)]
    assert set(union([[(0,), (1,)], [(1,), (0, 1)]])) == {(0,), (1,), (0, 1)}


@pytest.mark.parametrize("seed", range(5))
def test_selection_by_fit_explains_predictions_greedily(seed):
    """Beside plain least squares: each step takes the column most like what the columns before leave unexplained."""
    dice = np.random.default_rng(seed)
    chosen = Conjunctions.of([[number] for number in range(12)])
    network = Network(chosen)
    network.weights[chosen.live] = dice.normal(size=12)
    nodes = np.flatnonzero(chosen.live)
    active = (dice.random((40, 12)) < dice.uniform(0.1, 0.9, 12)).astype(np.float64)
    active[:, 5] = active[:, 3]
    wanted = active @ network.weights[nodes]
    expected, left = [], wanted
    while len(expected) < 11:
        scores = np.abs(active.T @ left) / np.linalg.norm(active, axis=0)
        scores[expected] = -1
        expected.append(int(np.argmax(scores)))
        fit, *_ = np.linalg.lstsq(active[:, expected], wanted, rcond=None)
        left = wanted - active[:, expected] @ fit
    found = select_by_fit(network, nodes, active, 11)
    assert found == [chosen.atoms_of(int(nodes[place])) for place in expected]
    assert {(3,), (5,)} - set(found), "two that are always active together: one of them is enough"
    assert len(select_by_fit(network, nodes, active, 12)) == 12, "when all is explained, the rest in order"


# --- the moon ---


@pytest.fixture
def moon():
    """The numbers of the features about the moon, gone again afterwards if nobody had asked for them before."""
    asked_for = MOON_ATOMS[0] in ATOMS
    yield place_moon()
    for number in () if asked_for else MOON_ATOMS:
        del ATOMS[number]


def plain_moon(referee, seat):
    """The names of the features about the moon that hold for a seat, from a plain referee."""
    points = [sum(referee.rules.card_points(card) for card in cards) for cards in referee.taken]
    takers = [one for one in range(4) if points[one]]
    names = set()
    for one in range(4):
        if 36 in referee.taken[one]:
            names.add("we took Q♠" if one == seat else "another took Q♠")
    if not takers:
        names.add("no points yet")
    elif len(takers) > 1:
        names.add("points split")
    else:
        names.add("only we have points" if takers == [seat] else "only another has points")
        if takers != [seat] and referee.to_move == takers[0]:
            names.add("the other with points leads")
        names |= {f"one has ≥{least}" for least in (10, 20) if points[takers[0]] >= least}
    return names


def test_features_about_the_moon_are_those_of_the_plain_twin(moon):
    met = set()
    for number in range(400):
        deal, referee = search_twin.late_position(Rules.parse("seed"), number, 1 + number % 12)
        masks = masks_of(deal, extract_moon)
        for seat in range(4):
            active = numbers(masks[seat])
            names = {ATOMS[number].name for number in active & set(moon)}
            assert names == plain_moon(referee, seat)
            assert not any(exclusive(one, two) for one, two in combinations(sorted(active), 2))
            met |= names
        assert (masks_of(deal)[:, 0] == masks[:, 0] & ~np.uint64(15 << 60)).all()
    assert len(met) >= 8


def test_a_network_with_moon_features_can_be_kept_as_a_model(moon):
    conjunctions = Conjunctions.exhaustive((0, 64, *moon), [1, 2])
    network = Network(conjunctions, np.arange(1, len(conjunctions) + 1, dtype=np.float32), rest=True)
    again = to_network(to_model(network, "seed"))
    assert again.rest
    deal, out = Deal("seed", seed=3), np.zeros((2, SEATS))
    for row, one in zip(out, (network, again), strict=True):
        judge = one.evaluator()
        judge.function(deal._compiled[0], deal._states[0], 0, judge.floats, judge.ints, judge.scratch(), row)
    assert out[0].any()
    assert (out[0] == out[1]).all()


def test_values_may_foresee_a_moon_only_while_one_is_possible(moon):
    """One seat has all points so far: it may be worth less than it has. Once they are split, nobody is."""
    network = Network(Conjunctions.exhaustive(moon, [1]), rest=True)
    network.weights[:] = -30.0
    deal, out = Deal("seed", seed=3), np.zeros(SEATS)
    judge, state = network.evaluator(), deal._states[0]
    for taken, foresees in (({2: 0b11111 << 39}, True), ({2: 0b1111 << 39, 1: 1 << 43}, False)):
        for seat in range(4):
            state["taken"][seat] = taken.get(seat, 0)
        state["hands"][:4] &= ~np.uint64(0b11111 << 39)
        judge.function(deal._compiled[0], state, 0, judge.floats, judge.ints, judge.scratch(), out)
        assert (out[2] < 0) == foresees


def test_a_moon_counts_as_soon_as_all_points_are_taken():
    deal, out = Deal("seed", seed=3), np.zeros(SEATS)
    state, penalty = deal._states[0], np.uint64(0x1FFF << 39 | 1 << 36)
    state["hands"][:4] &= ~penalty
    state["taken"][2] = penalty
    settled_points(deal._compiled[0], state, out)
    assert list(out[:4]) == [26, 26, 0, 26]
    state["taken"][1] = 1 << 39
    state["taken"][2] = penalty & ~np.uint64(1 << 39)
    settled_points(deal._compiled[0], state, out)
    assert list(out[:4]) == [0, 1, 25, 0]
