"""Who holds what: chances, gradients, weights of worlds, and what is learned, beside plain NumPy."""

import numpy as np
import pytest
from support import whole_game_twin as twin

from heartlab import Deal, make_player
from heartlab.kernel.layout import STATE, compile_rules
from heartlab.learners.whole_game.ace import AcePlayer, Plan
from heartlab.learners.whole_game.belief import (
    Belief,
    believe,
    empty_belief,
    fresh_belief,
    learn_holders,
    new_guess,
    pick_worlds,
    weigh_worlds,
)
from heartlab.learners.whole_game.belief_trainer import BeliefParameters, BeliefTrainer
from heartlab.learners.whole_game.model import load_learned, with_belief
from heartlab.learners.whole_game.player import Parts
from heartlab.players.base import Observations
from heartlab.search.roots import draw_worlds
from heartlab.training.model import load_model, save_model

UNITS = 6


@pytest.fixture
def belief():
    dice = np.random.default_rng(2)
    made = fresh_belief(UNITS, dice)
    return made._replace(out=dice.normal(0, 0.5, made.out.shape).astype(np.float32))


def position(cards=18, number=0):
    """A deal in which cards were passed, after some cards."""
    deal = Deal("standard", seed=4, number=number)
    player = make_player("gnome:jake")
    while deal.to_pass:
        deal.pass_cards(deal.to_pass[0], player.pass_cards(deal.observe(deal.to_pass[0])))
    for _ in range(cards):
        deal.play(player.play(deal.observe(deal.to_move)))
    return deal


def hidden(deal):
    """The cards whose holder the seat to move does not know, with their holders, clockwise from it."""
    seat = deal.to_move
    return {
        card: other
        for other in range(3)
        for card in deal.hands[(seat + 1 + other) % 4]
        if card not in deal.passed[seat]
    }


def twin_chances(belief, deal):
    """The chances by NumPy: {card: [left, across, right]}."""
    seat = deal.to_move
    obs = deal.observe(seat)
    rows = twin.rows_of(twin.position_features(obs))
    first = np.maximum(0.0, belief.bias + belief.position[rows].sum(axis=0))
    found = {}
    for card in hidden(deal):
        scores = belief.out.reshape(52, 3, -1)[card] @ first + belief.out_bias.reshape(52, 3)[card]
        allowed = [int(obs.records[0]["may_hold"][(seat + 1 + other) % 4]) >> card & 1 for other in range(3)]
        chances = np.exp(scores) * allowed
        found[card] = chances / chances.sum()
    return found


@pytest.mark.parametrize("cards", [0, 18, 41])
def test_chances_are_those_of_numpy(belief, cards):
    deal = position(cards)
    obs = deal.observe(deal.to_move).records
    guess = new_guess(belief)
    believe(compile_rules(deal.rules)[0], obs[0], belief, guess)
    for card, chances in twin_chances(belief, deal).items():
        assert guess.chances[card] == pytest.approx(chances, abs=1e-5)


def loss(belief, deal):
    """The cross-entropy of the holders of the cards that more than one seat may hold."""
    holders = hidden(deal)
    chances = twin_chances(belief, deal)
    return -sum(np.log(chances[card][holders[card]]) for card in holders if (chances[card] > 0).sum() > 1)


def test_the_gradient_is_the_slope_of_the_cross_entropy(belief):
    deal = position()
    grads, counts = empty_belief(UNITS), np.zeros(2)
    obs = deal.observe(deal.to_move).records[0]
    hands = deal._states[0]["hands"]
    learn_holders(compile_rules(deal.rules)[0], obs, hands, belief, grads, new_guess(belief), counts)
    assert counts[1] == pytest.approx(loss(belief, deal), rel=1e-5)
    dice = np.random.default_rng(3)
    exact = Belief(*(array.astype(np.float64) for array in belief))
    for array, grad in zip(exact, grads, strict=True):
        slopes = np.argsort(-np.abs(grad.ravel()))[:5]
        for place in [*slopes, dice.integers(array.size)]:
            array.flat[place] += 1e-5
            above = loss(exact, deal)
            array.flat[place] -= 2e-5
            below = loss(exact, deal)
            array.flat[place] += 1e-5
            assert grad.flat[place] == pytest.approx((above - below) / 2e-5, rel=1e-3, abs=1e-4)


def test_a_world_weighs_the_product_of_its_chances(belief):
    deal = position()
    seat, chances = deal.to_move, twin_chances(belief, deal)
    batch = Observations.of(deal.observe(seat))
    worlds, keys = np.zeros((1, 20), STATE), np.zeros((1, 20), np.uint64)
    draw_worlds(batch.compiled, batch.records, 0, 20, worlds, keys)
    logs = np.zeros(20)
    weigh_worlds(batch.compiled[0], batch.records[0], belief, new_guess(belief), worlds[0], logs)
    for world, log in zip(worlds[0], logs, strict=True):
        parts = [
            np.log(chances[card][other])
            for other in range(3)
            for card in chances
            if int(world["hands"][(seat + 1 + other) % 4]) >> card & 1
        ]
        assert len(parts) == len(chances)
        assert log == pytest.approx(sum(parts), abs=1e-3)


def test_worlds_are_picked_as_often_as_they_weigh():
    weights = np.array([0.1, 0.0, 0.5, 0.15, 0.25])
    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    for start in range(20):
        picks = np.zeros(40, np.int64)
        pick_worlds(logs, np.array([start], np.uint64), picks)
        counts = np.bincount(picks, minlength=5)
        assert (np.abs(counts - 40 * weights) < 1.0 + 1e-9).all()
        assert counts[1] == 0


@pytest.mark.slow
def test_a_belief_is_learned_kept_and_resumed(tmp_path):
    settings = BeliefParameters(units=16, batch=64, schedule=60000, rate=0.005)
    one, two = BeliefTrainer(settings, 1, threads=1), BeliefTrainer(settings, 1, threads=2)
    errors = [one.step(first, 1280)[0]["error"] for first in range(0, 7680, 1280)]
    assert errors[-1] < errors[0] - 0.005
    two.step(0, 640)
    again = BeliefTrainer(settings, 1)
    again.restore(two.checkpoint())
    again.step(640, 640)
    two.step(640, 640)
    assert all((a == b).all() for a, b in zip(again.belief, two.belief, strict=True))
    save_model(tmp_path / "with.npz", one.model())
    learned = load_learned(str(tmp_path / "with.npz"))
    assert learned.belief is not None
    assert learned.belief.out == pytest.approx(one.belief.out, abs=1e-2)
    assert load_model(tmp_path / "with.npz").extras["before"][-1]["games"] == one.learned.model.games


@pytest.mark.slow
def test_ace_looks_at_likely_worlds(belief):
    """A belief that puts Q♠ on the left picks worlds where she is there."""
    learned = load_learned("whole-game")
    deal = position(4, number=3)
    sure = empty_belief(UNITS)
    sure.out_bias.reshape(52, 3)[36] = [8.0, 0.0, 0.0]
    seat = deal.to_move
    player = AcePlayer(Parts(learned.playing, learned.passing, None, None, sure), Plan(worlds=32, belief=True))
    batch = Observations.of(deal.observe(seat))
    worlds = player._worlds(batch, 0, 32)
    if 36 in hidden(deal):
        assert all(int(world["hands"][(seat + 1) % 4]) >> 36 & 1 for world in worlds)
    saved = with_belief(learned.model, sure)
    assert "belief/out" in saved.arrays
