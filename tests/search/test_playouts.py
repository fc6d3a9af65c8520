"""Ranks over masks against plain Python, and quick playouts against playing the same deal card by card."""

import random

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.gnome_twins import in_order
from support.strategies import examples, make_rules

from heartlab import Deal, Rules
from heartlab.cards import CARDS, CardSet
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import OVER, STATE, compile_rules
from heartlab.kernel.play import points
from heartlab.kernel.ranks import (
    higher,
    highest_rank,
    highest_ranked,
    lower,
    lowest_rank,
    lowest_ranked,
    of_highest_rank,
    of_lowest_rank,
)
from heartlab.rules import PRESETS, RulesError
from heartlab.search.playouts import CAREFUL, STOCK, THROW, Playout, any_card, finish

hands = st.sets(st.sampled_from(CARDS), min_size=1, max_size=13).map(sorted)


@given(hands)
@examples(300)
def test_ranks_of_masks(hand):
    mask = np.uint64(CardSet(hand).mask)
    ranks = [card % 13 for card in hand]
    top = [card for card in hand if card % 13 == max(ranks)]
    bottom = [card for card in hand if card % 13 == min(ranks)]
    assert list(CardSet(int(of_highest_rank(mask)))) == top
    assert list(CardSet(int(of_lowest_rank(mask)))) == bottom
    assert (highest_rank(mask), lowest_rank(mask)) == (top[-1], bottom[0])
    assert (highest_ranked(mask), lowest_ranked(mask)) == (in_order(hand)[-1], in_order(hand)[0])


@pytest.mark.parametrize("card", CARDS)
def test_cards_above_and_below(card):
    suit = [other for other in CARDS if other // 13 == card // 13]
    assert higher(card) == CardSet(other for other in suit if other > card).mask
    assert lower(card) == CardSet(other for other in suit if other < card).mask


@kernel
def end_of(rules, states, policy, cut, rng, out):
    """Finish a copy of a deal; the points, and whether it is over."""
    table = np.empty(1, STATE)
    table[0] = states[0]
    over = finish(rules[0], table[0], Playout(policy, cut, any_card), rng)
    points(rules[0], table[0], out)
    return over and table[0]["phase"] == OVER


def both_ways(deal, policy, seed):
    """How a deal ends without stopping, and by a stop after more tricks than there are: points, and the dice left."""
    rules = compile_rules(deal.rules)
    found = []
    for cut in (0, deal.rules.hand_size + 1):
        out, rng = np.zeros(6, np.int64), np.array([seed], np.uint64)
        assert end_of(rules, deal._states, policy, cut, rng, out)
        found.append((out.tolist(), int(rng[0])))
    return found


def some_rules(count):
    """The presets, and random rules."""
    dice = random.Random(5)
    made = [Rules.parse(name) for name in PRESETS]
    while len(made) < count:
        try:
            made.append(make_rules(dice.choice))
        except RulesError:
            continue
    return made


@pytest.mark.parametrize("policy", [THROW, CAREFUL, STOCK])
def test_a_quick_playout_is_the_slow_one(policy):
    dice = random.Random(policy)
    ends = set()
    for number, rules in enumerate(some_rules(120)):
        deal = Deal(rules, seed=number)
        if deal.to_pass:
            for seat in deal.to_pass:
                deal.pass_cards(seat, dice.sample(sorted(deal.observe(seat).may_pass), rules.pass_count))
        for _ in range(dice.randrange(rules.players * rules.hand_size)):
            deal.play(dice.choice(sorted(deal.legal)))
        quick, slow = both_ways(deal, policy, dice.getrandbits(64))
        assert quick == slow, f"{rules} after {len(deal.history)} cards"
        ends.add(tuple(quick[0]))
    assert len(ends) > 60, "the positions hardly differ"


def test_kernels_without_a_module_are_no_concern_of_ours():
    """Numba tells of every compilation in the process; code from `exec` may have no module."""
    names = {"__name__": None}
    exec("def twice(x): return 2 * x", names)
    assert numba.njit(names["twice"])(3) == 6
