"""The network of the whole game against its plain twin: features, predictions, gradient."""

import numpy as np
import pytest
from support import whole_game_twin as twin

from heartlab import Deal, make_player
from heartlab.cards import CardSet
from heartlab.kernel.layout import compile_rules
from heartlab.learners.whole_game.deals import Company, play_deal, seat_players
from heartlab.learners.whole_game.features import (
    CARD_SIZE,
    POSITION_SIZE,
    card_features,
    distinct,
    position_features,
    unseen_cards,
)
from heartlab.learners.whole_game.learning import SCALE, learn_deal, outcome
from heartlab.learners.whole_game.model import worth_weights
from heartlab.learners.whole_game.network import (
    HEADS,
    MAX_TRUE,
    attend,
    forget,
    fresh_net,
    new_mind,
    predict,
)
from heartlab.learners.whole_game.strangers import JAKE, LING, LUIS, PETER, STOCK
from heartlab.learners.whole_game.trainer import SHARDS, WholeGameParameters, WholeGameTrainer, widened
from heartlab.learners.whole_game.trees import TREES
from heartlab.rules import Rules

RULES = ("standard", "seed", "gnome", "omnibus", "openspiel")


def positions(rules="standard", seeds=range(4)):
    """Observations of the seats to move in deals between rule-based players."""
    players = [make_player(name) for name in ("gnome", "gnome:luis", "gnome:jake", "gnome:peter")]
    for seed in seeds:
        deal = Deal(rules, seed=seed, number=seed)
        while deal.to_pass:
            seat = deal.to_pass[0]
            deal.pass_cards(seat, players[seat].pass_cards(deal.observe(seat)))
        while deal.to_move is not None:
            obs = deal.observe(deal.to_move)
            yield obs
            deal.play(players[deal.to_move].play(obs))


def small_net(seed=0):
    return fresh_net(POSITION_SIZE, CARD_SIZE, 16, 8, np.random.default_rng(seed))


@pytest.mark.parametrize("rules", RULES)
def test_features_are_those_of_the_twin(rules):
    now, card_now = np.zeros(MAX_TRUE, np.int64), np.zeros(16, np.int64)
    compiled = compile_rules(Rules.parse(rules))[0]
    for obs in positions(rules):
        record = obs.records[0]
        count = position_features(compiled, record, now)
        assert sorted(now[:count]) == twin.rows_of(twin.position_features(obs))
        for card in obs.legal:
            count = card_features(compiled, record, unseen_cards(compiled, record), card, card_now)
            assert sorted(card_now[:count]) == twin.card_rows(obs, card)


def test_distinct_cards_are_apart():
    hand, between = CardSet("2C 3C 5C 6C JS QS KS AS 2H 4H TD JD QD"), CardSet("4C 3H")
    assert CardSet(int(distinct(np.uint64(hand.mask), np.uint64(between.mask)))) == CardSet(
        "2C 5C JS QS KS 2H 4H TD JD QD"
    )


def test_a_mind_that_goes_on_predicts_what_a_fresh_one_does():
    net, rules = small_net(), compile_rules(Rules.parse("standard"))[0]
    mind = new_mind(net)
    for seat in range(4):
        forget(net, 0, mind, seat)
    for obs in positions():
        record, seat = obs.records[0], obs.seat
        attend(net, 0, mind, seat, position_features(rules, record, mind.now))
        for card in obs.legal:
            predict(net, 0, mind, seat, card_features(rules, record, unseen_cards(rules, record), card, mind.card))
            _, _, heads = twin.forward(net, twin.rows_of(twin.position_features(obs)), twin.card_rows(obs, card))
            assert mind.heads == pytest.approx(heads, abs=2e-5)


def noted(trainer, number, company):
    """The pupil that plays, after one deal was played and noted, with its outcome and decisions."""
    shard = trainer.shards[0]
    rng = np.array([number * 12345 + 1], np.uint64)
    weights = trainer.lesson.weights
    plays, passes = play_deal(
        trainer.compiled[0], number, trainer.key, shard.pupils, company, weights, shard.table, rng
    )
    outcome(trainer.compiled[0], shard.table.state[0], shard.table.final)
    return shard, plays, passes


def lists_of_positions(log, count):
    """The features of each noted decision, from what changed."""
    now, found = {seat: set() for seat in range(4)}, []
    for at in range(count):
        true = now[int(log.seat[at])]
        came, went = (set(log.changed[at, side, : log.changes[at, side]].tolist()) for side in (0, 1))
        assert not came & true
        assert went <= true
        true |= came
        true -= went
        found.append(sorted(true))
    return found


def lambda_return(later, final, trace):
    """The mean of all n-step returns, each with a share of (1 - λ) λ^n, the last with the rest."""
    shares = [(1 - trace) * trace**n for n in range(len(later))]
    return sum((share * one for share, one in zip(shares, later, strict=True)), (1 - sum(shares)) * final)


def n_step(later, final, steps):
    """What was expected at the n-th decision from here; the outcome, if there are fewer."""
    return later[steps - 1] if len(later) >= steps else final


@pytest.mark.slow
@pytest.mark.parametrize(("trace", "steps"), [(1.0, 0), (0.7, 0), (0.0, 0), (1.0, 1), (1.0, 3), (1.0, 13)])
def test_the_gradient_is_that_of_the_twin(trace, steps):
    settings = WholeGameParameters(first=16, pass_first=12, second=8, trace=trace, steps=steps, alone=0.5, past=0.0)
    trainer = WholeGameTrainer(settings, seed=3, threads=1)
    lesson = trainer.lesson
    for number in range(3):
        shard, *counts = noted(trainer, number, Company(0.3, 0.5, 0.0))
        for pupil, count in zip(shard.pupils, counts, strict=True):
            learn_deal(pupil.net, pupil.grads, pupil.log, count, shard.table.final, pupil.slopes, lesson)
            log, final, decisions = pupil.log, shard.table.final, []
            mine = [[at for at in range(count) if log.seat[at] == seat] for seat in range(4)]
            for at, true in reversed(list(enumerate(lists_of_positions(log, count)))):
                seat = log.seat[at]
                later = [log.taken[next_one] + log.heads[next_one] for next_one in mine[seat] if next_one > at]
                wanted = (n_step if steps else lambda_return)(later, final[seat], steps or trace)
                decisions.append((true, log.card[at, : log.cards[at]].tolist(), wanted - log.taken[at]))
            wanted = twin.gradient(pupil.net, decisions, lesson.weights, lesson.aid, SCALE)
            for found, array in zip(pupil.grads, wanted, strict=True):
                assert found == pytest.approx(array, rel=1e-3, abs=1e-3)
                found[:] = 0.0


def test_an_outcome_is_worth_the_points_above_the_mean_of_the_others():
    for rules in ("standard", "gnome,sun=no", "omnibus", "standard,moon=off"):
        weights = worth_weights(Rules.parse(rules))
        offset = None
        for seed in range(60):
            deal = Deal(rules, seed=seed, number=3)
            player = make_player("random")
            while deal.to_move is not None:
                deal.play(player.play(deal.observe(deal.to_move)))
            final = np.zeros((4, HEADS))
            outcome(compile_rules(deal.rules)[0], deal._states[0], final)
            points = np.array(deal.points)
            gaps = points - (points.sum() - points) / 3 - final @ weights
            offset = gaps[0] if offset is None else offset
            assert gaps == pytest.approx(offset)


def test_who_sits_at_a_table():
    """Shares of tables and seats over 4,000 tables: within four standard errors."""
    rng, kinds, found = np.array([7], np.uint64), np.zeros(4, np.int64), []
    for _ in range(4000):
        seat_players(Company(0.0, 0.25, 0.25, 0.6, 0.5), 3, kinds, rng)
        found.append(kinds.copy())
    tables = np.array(found)
    assert (tables == 0).all(axis=1).mean() == pytest.approx(0.25, abs=0.03)
    assert (tables > 0).any(axis=1).mean() == pytest.approx(0.25, abs=0.03)
    strangers = tables[tables < 0]
    assert set(strangers.tolist()) == {STOCK, LUIS, JAKE, LING, PETER, TREES}
    assert (strangers == TREES).mean() == pytest.approx(0.4 * 0.5, abs=0.03)
    assert (strangers == PETER).mean() == pytest.approx(0.6 + 0.4 * 0.5 / 5, abs=0.03)


@pytest.mark.parametrize(
    ("name", "value"), [
        ("steps", 14), ("steps", -1), ("shooters", 1.5), ("trees", -0.1), ("past", 0.9), ("second", 6), ("rate", 0.0),
        ("average", 1.0), ("wider", 2),
    ],
)  # fmt: skip
def test_parameters_that_do_not_fit_are_refused(name, value):
    with pytest.raises(ValueError, match=name):
        WholeGameParameters(**{name: value})


def test_a_wider_network_predicts_the_same():
    net = small_net()
    wide = widened(net, 3, np.random.default_rng(1))
    assert wide.bias.shape == (1, 48)
    for obs in positions(seeds=range(1)):
        rows = twin.rows_of(twin.position_features(obs)), twin.card_rows(obs, min(obs.legal))
        assert twin.forward(wide, *rows)[2] == pytest.approx(twin.forward(net, *rows)[2], abs=1e-5)


@pytest.mark.slow
def test_the_model_may_hold_the_mean_of_the_weights():
    settings = WholeGameParameters(first=16, pass_first=8, second=8, batch=8, past=0.0, schedule=1000, average=0.75)
    trainer, mean = WholeGameTrainer(settings, seed=5, threads=1), None
    for start in range(0, 32, 8):
        before = trainer.nets[0].position[0].copy() if mean is None else mean
        trainer.step(start, 8)
        mean = 0.75 * before + 0.25 * trainer.nets[0].position[0]
    assert trainer.model().arrays["play/position"] == pytest.approx(mean, abs=2e-3)
    assert abs(trainer.nets[0].position[0] - mean).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("trees", [0.0, 0.5])
def test_one_and_two_threads_learn_the_same(trees):
    settings = WholeGameParameters(
        first=16, pass_first=8, second=8, batch=4 * SHARDS, past_every=64, schedule=1000, trees=trees
    )
    runs = [WholeGameTrainer(settings, seed=5, threads=threads) for threads in (1, 2)]
    lines = [trainer.step(0, 200) for trainer in runs]
    assert lines[0] == lines[1]
    for one, two in zip(runs[0].checkpoint().values(), runs[1].checkpoint().values(), strict=True):
        assert (one == two).all()


@pytest.mark.slow
def test_a_resumed_run_learns_the_same():
    settings = WholeGameParameters(first=16, pass_first=8, second=8, batch=8, past_every=64, schedule=1000, average=0.9)
    whole, begun, resumed = (WholeGameTrainer(settings, seed=5, threads=1) for _ in range(3))
    whole.step(0, 96)
    whole.step(96, 96)
    begun.step(0, 96)
    resumed.restore({name: array.copy() for name, array in begun.checkpoint().items()})
    resumed.step(96, 96)
    for name, array in whole.checkpoint().items():
        assert (resumed.checkpoint()[name] == array).all(), name
