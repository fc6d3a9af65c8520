"""The network over raw cards, against plain twins."""

import numpy as np
import pytest

from heartlab import Deal
from heartlab.kernel.layout import SEATS, STATE, compile_rules
from heartlab.learners.td_features.raw import FEATURES, RawTrainer, evaluate_raw, learn_raw
from heartlab.learners.td_features.trainer import Partners, TdParameters

pytestmark = pytest.mark.slow  # its kernels compile for long


def active(state, seat):
    """The 52 active features in plain Python."""
    found = []
    for step in range(4):
        for kind, field in enumerate(("hands", "taken")):
            cards = int(state[field][(seat + step) % 4])
            found += [104 * step + 52 * kind + card for card in range(52) if cards >> card & 1]
    return found


def positions(count, seed=1):
    dice, deal = np.random.default_rng(seed), Deal("seed-nomoon", seed=seed)
    states = np.zeros(count, STATE)
    for number in range(count):
        states[number] = deal._states[0]
        for _ in range(4):
            deal.play(int(dice.choice(sorted(deal.legal))))
    return states


def test_every_card_is_one_feature_and_values_are_cut():
    states, rules = positions(6), compile_rules(Deal("seed-nomoon").rules)
    weights, out = np.random.default_rng(2).normal(0.1, 0.1, FEATURES), np.zeros(SEATS)
    for state in states:
        evaluate_raw(rules[0], state, 0, weights, np.zeros(1, np.int64), np.zeros(1), out)
        for seat in range(4):
            assert len(active(state, seat)) == 52
            points = {card: 13 if card == 36 else card >= 39 for card in range(52)}
            taken = sum(points[card] for card in range(52) if int(state["taken"][seat]) >> card & 1)
            left = sum(points[card] for card in range(52) if sum(map(int, state["hands"])) >> card & 1)
            plain = weights[active(state, seat)].sum()
            assert out[seat] == pytest.approx(min(max(plain, taken + 0.01), taken + left - 0.01))


def test_learning_is_the_papers_rule():
    states, weights = positions(5), np.random.default_rng(3).normal(0, 0.1, FEATURES)
    plain, target = weights.copy(), 7.0
    for state in states[::-1]:
        value = plain[active(state, 2)].sum()
        target = 0.25 * value + 0.75 * target
        plain[active(state, 2)] += 1 / 13 / 52 * (target - value)
    learn_raw(states, 5, 2, 7.0, 0.75, 1 / 13, weights)
    assert weights == pytest.approx(plain)


@pytest.mark.parametrize("partners", list(Partners))
def test_training_resumes_to_the_same_weights(partners):
    made = []
    for stop in (None, 20):
        trainer = RawTrainer("queen", TdParameters(partners=partners, views=1), seed=4)
        if stop:
            trainer.step(0, stop)
            other = RawTrainer("queen", TdParameters(partners=partners, views=1), seed=4)
            other.restore(trainer.checkpoint())
            trainer = other
        trainer.step(stop or 0, 40 - (stop or 0))
        made.append(trainer.weights.copy())
    assert np.array_equal(*made)
    assert np.abs(made[0]).max() > 1 / FEATURES
