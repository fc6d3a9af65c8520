"""The vectorised environment: row by row the same deals, masks, numbers and rewards as the PettingZoo environment."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples, random_rules

from heartlab import Deal, Rules
from heartlab.envs.encoding import encode, encode_batch
from heartlab.envs.vector import VectorHearts
from heartlab.kernel.layout import compile_rules
from heartlab.players import Observations


def known_points(deal, seat):
    """What the cards count that a seat knows to have taken."""
    taken = deal.observe(seat).taken[seat]
    return sum(map(deal.rules.card_points, taken)) * (2 if deal.rules.doubler in taken else 1)


class PlainRow:
    """One row, stepped by the friendly objects: the twin of the kernel."""

    def __init__(self, rules, seed, number, rows, by_trick):
        self.rules, self.seed, self.number, self.rows, self.by_trick = rules, seed, number, rows, by_trick
        self.begin()

    def begin(self):
        self.deal, self.chosen, self.paid = Deal(self.rules, self.seed, self.number), [], [0] * self.rules.players

    @property
    def seat(self):
        return self.deal.to_pass[0] if self.deal.to_pass else self.deal.to_move

    @property
    def legal(self):
        if not self.deal.to_pass:
            return set(self.deal.legal)
        return set(self.deal.observe(self.seat).may_pass) - set(self.chosen)

    @property
    def numbers(self):
        mask = sum(1 << card for card in self.chosen)
        return encode(self.rules, self.deal._compiled, self.deal._states, self.seat, mask)

    @property
    def points(self):
        """What each seat can know that it has: counted by hand from what it sees until the deal is over."""
        if self.deal.is_over:
            return list(self.deal.points)
        return [known_points(self.deal, seat) for seat in range(self.rules.players)]

    def step(self, card):
        rewards = [0] * self.rules.players
        if self.deal.to_pass:
            self.chosen.append(card)
            if len(self.chosen) == self.rules.pass_count:
                self.deal.pass_cards(self.seat, self.chosen)
                self.chosen = []
            return rewards, False
        self.deal.play(card)
        over = self.deal.is_over
        if over or (self.by_trick and not self.deal.trick):
            rewards = [before - now for before, now in zip(self.paid, self.points, strict=True)]
            self.paid = self.points
        if over:
            self.number += self.rows
            self.begin()
        return rewards, over


@given(st.integers(0, 1 << 30), st.sampled_from(["deal", "trick"]))
@examples(12)
def test_every_row_is_a_deal_of_ours(seed, reward):
    rules = random_rules(random.Random(seed))
    rows = 3
    numbers = VectorHearts(rules, rows, seed=seed, reward=reward)
    bits = VectorHearts(rules, rows, seed=seed, reward=reward, encoding="bits")
    twins = [PlainRow(rules, seed, row, rows, reward == "trick") for row in range(rows)]
    observations, masks = numbers.reset()
    packed, _ = bits.reset()
    for step in range(70):
        assert numbers.seats.tolist() == [twin.seat for twin in twins]
        for row, twin in enumerate(twins):
            assert set(np.flatnonzero(masks[row])) == twin.legal
            if not twin.chosen:
                seen = twin.deal.observe(twin.seat)
                batch = Observations(rules, compile_rules(rules), seen.records)
                np.testing.assert_array_equal(encode_batch(batch)[0], twin.numbers)
        if step % 7 == 0:
            np.testing.assert_array_equal(observations, [twin.numbers for twin in twins])
            np.testing.assert_array_equal(bits.unpack(packed), observations)
        actions = numbers.random_actions()
        observations, masks, rewards, done = numbers.step(actions)
        packed, _, same, _ = bits.step(actions)
        expected = [twin.step(int(card)) for twin, card in zip(twins, actions, strict=True)]
        assert rewards.tolist() == [row for row, _ in expected]
        assert done.tolist() == [over for _, over in expected]
        np.testing.assert_array_equal(rewards, same)


@pytest.mark.parametrize("kitty", ["first-trick", "first-heart"])
@pytest.mark.parametrize("seen", ["no", "yes"])
def test_rewards_tell_nothing_of_a_hidden_kitty(kitty, seen):
    """Seventeen tricks of three cards: what a seat was paid is what it sees, and all is paid at the end."""
    rules = Rules.parse(f"advice,kitty={kitty},kitty_seen={seen}")
    env = VectorHearts(rules, 64, seed=1, reward="trick")
    deals = [Deal(rules, 1, row) for row in range(64)]
    paid, late = np.zeros((64, 3)), 0
    for step in range(1, 52):
        actions = env.random_actions()
        _, _, rewards, done = env.step(actions)
        for deal, card in zip(deals, actions, strict=True):
            deal.play(int(card))
        paid -= rewards
        if step % 3 == 0 and step < 51:
            assert paid.tolist() == [[known_points(deal, seat) for seat in range(3)] for deal in deals]
            late += (paid != [deal.points for deal in deals]).any()
    assert done.all()
    assert paid.tolist() == [list(deal.points) for deal in deals]
    assert (late > 0) == (seen == "no")


def test_the_same_seed_the_same_course():
    def course(seed):
        env = VectorHearts("standard", 8, seed=seed)
        return [env.step(env.random_actions())[2].copy() for _ in range(130)]

    np.testing.assert_array_equal(course(1), course(1))
    assert any((a != b).any() for a, b in zip(course(1), course(2), strict=True))
    env = VectorHearts("standard", 8, seed=3)
    first = env.reset()[0].copy()
    env.step(env.random_actions())
    np.testing.assert_array_equal(env.reset()[0], first)


def test_bad_actions_change_nothing():
    env = VectorHearts("standard", 4, seed=1)
    before = env.reset()[0].copy()
    actions = env.random_actions()
    actions[2] = next(card for card in range(52) if not int(env.legal[2]) >> card & 1)
    with pytest.raises(ValueError, match="row 2: action"):
        env.step(actions)
    np.testing.assert_array_equal(env._look()[0], before)
    with pytest.raises(ValueError, match="actions for 4 rows"):
        env.step(actions[:3])


@pytest.mark.parametrize("options", [{"reward": "card"}, {"encoding": "text"}, {"rows": 0}])
def test_unknown_options_get_a_sentence(options):
    with pytest.raises(ValueError, match=r"choose from|at least one"):
        VectorHearts(Rules(), **options)
