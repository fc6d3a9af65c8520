"""How likely a world is: weights, gradients, and what is learned, beside plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from support import whole_game_twin as twin

from heartlab import Deal, make_player
from heartlab.cards import QUEEN_OF_SPADES
from heartlab.kernel.layout import STATE
from heartlab.learners.whole_game.ace import AcePlayer, Plan
from heartlab.learners.whole_game.belief import (
    OF_SEAT,
    Belief,
    empty_belief,
    fresh_belief,
    learn_worlds,
    new_guess,
    pick_worlds,
    weigh_worlds,
    wider_belief,
)
from heartlab.learners.whole_game.belief_trainer import BeliefParameters, BeliefTrainer
from heartlab.learners.whole_game.likelihood import weigh_by_pass
from heartlab.learners.whole_game.likely import WorldStream
from heartlab.learners.whole_game.lookahead import new_board, share_passes
from heartlab.learners.whole_game.model import load_learned, with_belief
from heartlab.learners.whole_game.player import Parts
from heartlab.players.base import Observations
from heartlab.search.roots import draw_worlds
from heartlab.training.model import load_model, save_model

pytestmark = pytest.mark.slow  # its kernels compile for long

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


def drawn(deal, count=12):
    """Worlds that fit what the seat to move sees, the real deal first, with that observation."""
    batch = Observations.of(deal.observe(deal.to_move))
    worlds, keys = np.zeros((1, count), STATE), np.zeros((1, count), np.uint64)
    draw_worlds(batch.compiled, batch.records, 0, count, worlds, keys)
    worlds[0, 0] = deal._states[0]
    return batch, worlds[0]


def twin_log(belief, deal, hands, played):
    """The logarithm of a world's weight by NumPy; hands as sets of cards."""
    seat, obs = deal.to_move, deal.observe(deal.to_move)
    total = belief.bias + belief.position[twin.rows_of(twin.position_features(obs))].sum(axis=0)
    code = int(obs.records[0]["pass_code"])
    for other in range(3):
        holder = (seat + 1 + other) % 4
        now, began = hands[holder], hands[holder] | played[holder]
        for block, cards in ((0, now), (code, began)) if code else ((0, now),):
            table = belief.world.reshape(4, 3, OF_SEAT, -1)[block, other]
            total = total + table[sorted(cards)].sum(axis=0)
            for suit in range(4):
                total = total + table[52 + 14 * suit + sum(card // 13 == suit for card in cards)]
    return np.maximum(total, 0.0) @ belief.out


def cards_in(mask):
    return {card for card in range(52) if int(mask) >> card & 1}


def twin_logs(belief, deal, worlds):
    return np.array(
        [
            twin_log(
                belief, deal, [cards_in(m) for m in world["hands"][:4]], [cards_in(m) for m in world["played"][:4]]
            )
            for world in worlds
        ]
    )


@pytest.mark.parametrize(("cards", "number"), [(0, 0), (18, 1), (41, 2), (18, 3)])
def test_a_world_weighs_what_numpy_says(belief, cards, number):
    deal = position(cards, number)
    batch, worlds = drawn(deal)
    logs = np.zeros(len(worlds))
    weigh_worlds(batch.compiled[0], batch.records[0], belief, new_guess(belief), worlds, logs)
    assert logs == pytest.approx(twin_logs(belief, deal, worlds), abs=1e-4)


def test_the_pass_is_judged_by_the_hands_with_which_play_began(belief):
    deal = position(4)
    root = position(0).to_move
    player = make_player("gnome:jake")
    while deal.to_move != root:
        deal.play(player.play(deal.observe(deal.to_move)))
    batch, worlds = drawn(deal)
    learned = load_learned("whole-game")
    logs, board = np.zeros(len(worlds)), new_board(learned.playing, learned.passing)
    history = batch.records["history"][0].astype(np.int8)
    share_passes(batch.records, worlds)
    weigh_by_pass(batch.compiled, worlds, history, root, belief, new_guess(belief), board, logs)
    begun = worlds.copy()
    begun["hands"] |= begun["played"]
    begun["played"] = 0
    assert logs == pytest.approx(twin_logs(belief, position(0), begun), abs=1e-4)


def nats(belief, deal, worlds):
    """By how much the real deal stands out."""
    logs = twin_logs(belief, deal, worlds)
    return logs[0] - np.log(np.exp(logs).mean())


def test_the_gradient_is_the_slope_of_the_cross_entropy(belief):
    deal = position()
    batch, worlds = drawn(deal, 6)
    grads, counts = empty_belief(UNITS), np.zeros(2)
    learn_worlds(
        batch.compiled[0], batch.records[0], belief, grads, new_guess(belief), worlds, np.zeros(len(worlds)), counts
    )
    assert counts == pytest.approx([1.0, nats(belief, deal, worlds)], rel=1e-4)
    dice = np.random.default_rng(3)
    exact = Belief(*(array.astype(np.float64) for array in belief))
    for array, grad in zip(exact, grads, strict=True):
        slopes = np.argsort(-np.abs(grad.ravel()))[:5]
        for place in [*slopes, dice.integers(array.size)]:
            array.flat[place] += 1e-5
            above = nats(exact, deal, worlds)
            array.flat[place] -= 2e-5
            below = nats(exact, deal, worlds)
            array.flat[place] += 1e-5
            assert grad.flat[place] == pytest.approx((below - above) / 2e-5, rel=1e-3, abs=3e-3)


def test_more_units_say_the_same_at_first_and_learn(belief):
    deal = position()
    batch, worlds = drawn(deal, 6)
    wide = wider_belief(belief, 3 * UNITS, np.random.default_rng(1))
    assert wide.world.shape == (len(belief.world), 3 * UNITS)
    assert twin_logs(wide, deal, worlds) == pytest.approx(twin_logs(belief, deal, worlds), abs=1e-6)
    grads = empty_belief(3 * UNITS)
    learn_worlds(
        batch.compiled[0], batch.records[0], wide, grads, new_guess(wide), worlds, np.zeros(len(worlds)), np.zeros(2)
    )
    assert np.abs(grads.out[UNITS:]).max() > 0
    shipped = load_learned("whole-game").belief
    assert len(BeliefTrainer(BeliefParameters(units=len(shipped.bias) + 4), 1).belief.bias) == len(shipped.bias) + 4
    assert len(BeliefTrainer(BeliefParameters(units=16), 1).belief.bias) == len(shipped.bias)


def test_training_goes_on_from_the_belief_of_another_model(belief, tmp_path):
    learned = load_learned("whole-game")
    save_model(tmp_path / "known.npz", with_belief(learned.model, belief))
    settings = BeliefParameters(start=str(tmp_path / "known.npz"), units=UNITS)
    trainer = BeliefTrainer(settings, 1)
    assert trainer.belief.out == pytest.approx(belief.out, abs=1e-3)
    commands = [one["command"] for one in trainer.model().extras["before"]]
    assert commands[-1] == learned.model.command
    assert len(set(commands)) == len(commands)
    without = {name: array for name, array in learned.model.arrays.items() if not name.startswith("belief/")}
    save_model(tmp_path / "without.npz", replace(learned.model, arrays=without))
    with pytest.raises(ValueError, match="has no belief to go on from"):
        BeliefTrainer(BeliefParameters(start=str(tmp_path / "without.npz")), 1)


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


def test_a_belief_is_learned_kept_and_resumed(tmp_path):
    settings = BeliefParameters(units=16, batch=64, schedule=60000, rate=0.005)
    one, two = BeliefTrainer(settings, 1, threads=1), BeliefTrainer(settings, 1, threads=2)
    told = [one.step(first, 1280)[0]["nats"] for first in range(0, 7680, 1280)]
    assert told[-1] > told[0] + 0.1
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


def test_ace_looks_at_likely_worlds():
    """A belief that puts Q♠ on the left picks worlds where she is there."""
    learned = load_learned("whole-game")
    deal = position(4, number=3)
    sure = empty_belief(UNITS)
    sure.world[36], sure.out[:] = 1.0, 5.0
    seat = deal.to_move
    assert QUEEN_OF_SPADES not in deal.hands[seat]
    batch = Observations.of(deal.observe(seat))
    stream = WorldStream(batch, sure, 32)
    (worlds, times), (more, again) = stream.take(8), stream.take(100)
    assert (len(worlds), times.sum() + again.sum()) == (8, 32)
    assert all(int(world["hands"][(seat + 1) % 4]) >> 36 & 1 for world in [*worlds, *more])
    assert len({world["hands"].tobytes() for world in [*worlds, *more]}) == 8 + len(more)
    assert stream.take(1)[0][0]["hands"].tobytes() != worlds[0]["hands"].tobytes()  # another pool
    late = WorldStream(Observations.of(position(49, number=3).observe(position(49, number=3).to_move)), sure, 64)
    worlds, times = late.take(64)
    assert times.sum() == 64
    assert len({world["hands"].tobytes() for world in worlds}) == len(worlds) <= 6
    player = AcePlayer(Parts(learned.playing, learned.passing, None, None, sure), Plan(worlds=32, belief=True))
    thought = player.think(batch)
    assert thought.heads.shape[0] == 32
    assert [player.think(batch).best for _ in range(2)] == [thought.best] * 2
    assert "belief/out" in with_belief(learned.model, sure).arrays
