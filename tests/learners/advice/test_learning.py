"""Every learning rule against its plain twin, card by card: tables, linear weights, networks, the learned vote."""

from __future__ import annotations

import numpy as np
import pytest
from support.advice_twin import (
    PlainGame,
    PlainLearner,
    PlainLinear,
    PlainNet,
    PlainTable,
    PlainVote,
    Turn,
    abstraction_values,
    scores_of,
    suggestions,
)

from heartlab.learners.advice.games import AdviceTable, sitter
from heartlab.learners.advice.registry import find_abstractions, find_pieces
from heartlab.learners.advice.trainer import AdviceParameters, AdviceTrainer, NetParameters, make_learner
from heartlab.learners.advice.vote import LINEAR, NET, TABULAR
from heartlab.learners.advice.vote_trainer import VoteParameters, VoteTrainer
from heartlab.rules import Rules

ADVICE = Rules.parse("advice")
EIGHT = "+".join(one.name for one in find_pieces("paper")[1:])
"""All pieces of the paper but the one that searches, whose twin is slow."""


def plain_turn(game: PlainGame, obs, pieces, values, learner: PlainLearner) -> Turn:
    """A turn of a twin, who plays its card."""
    described = abstraction_values(obs)
    state = tuple(described[one.name] for one in values)
    weights = np.array(learner.weigh(state))
    found = suggestions(obs, certain=False)
    proposals = [found[one.name] for one in pieces]
    scores = scores_of(proposals, list(weights), set(obs.legal))
    card = game.pick({c for c, score in scores.items() if score == max(scores.values())})
    game.deal.play(card)
    suggesters = {i for i, cards in enumerate(proposals) if card in cards}
    return Turn(state, weights, suggesters, suggesters)


def learn_plainly(learners: dict[int, PlainLearner], settings, seed: int, results) -> None:
    """Play the games again whose results are given, in plain Python, and learn from them."""
    pieces, values = find_pieces(settings.advice), find_abstractions(settings.state, 3)
    for number, points in enumerate(results):
        game = PlainGame("advice", seed, "train", number, learners)
        for obs in game.turns():
            if not settings.forced and len(obs.legal) == 1:
                game.deal.play(next(iter(obs.legal)))
            else:
                learners[obs.seat].note(plain_turn(game, obs, pieces, values, learners[obs.seat]))
        assert list(points) == list(game.deal.points)
        for seat in sorted(learners):
            learners[seat].game_over(game.reward(seat))


def same_table(learned, table: PlainTable) -> None:
    rows = learned.reshape(512, 8)
    assert len(table.rows) > 5
    for row in range(512):
        state = tuple(float(row >> j & 1) for j in range(9))
        np.testing.assert_allclose(rows[row], table.rows.get(state, np.full(8, table.initial)), atol=1e-12)


@pytest.mark.parametrize(
    ("rule", "trace", "forced", "everybody"),
    [
        ("td", 0.0, True, False),
        ("td", 0.0, False, False),
        ("td", 0.0, True, True),
        ("td", 0.6, True, False),
        ("td", 0.6, False, True),
        ("joint", 0.0, True, False),
        ("joint", 1.0, False, False),
    ],
)
def test_a_table_learns_like_its_twin(rule, trace, forced, everybody):
    settings = AdviceParameters(advice=EIGHT, rule=rule, trace=trace, forced=forced, everybody=everybody, test=0)
    table = AdviceTable(ADVICE, [make_learner(TABULAR, settings, 5), sitter("random"), sitter("random")])
    twin = PlainTable(8, 0.36)
    learn_plainly({0: PlainLearner(twin, settings)}, settings, 5, table.play(5, "train", 0, 10))
    same_table(table.weights(0), twin)


def test_partners_can_be_mixed_at_any_table():
    settings = AdviceParameters(rules="standard", partners="mixed", testers="voting+voting+voting", test=50)
    (row,) = AdviceTrainer(TABULAR, settings, 7).step(0, 50)
    assert sum(row[f"points_{seat}"] for seat in range(4)) >= 26


def test_tables_that_play_each_other_learn_like_their_twins():
    settings = AdviceParameters(advice=EIGHT, partners="random+self", test=0)
    trainer = AdviceTrainer(TABULAR, settings, 7)
    twins = {seat: PlainTable(8, 0.36) for seat in (0, 2)}
    results = trainer.table.play(7, "train", 0, 8)
    learn_plainly({seat: PlainLearner(twin, settings) for seat, twin in twins.items()}, settings, 7, results)
    for instance, twin in enumerate(twins.values()):
        same_table(trainer.current(instance).weights, twin)


@pytest.mark.parametrize(("rule", "trace"), [("td", 0.0), ("td", 0.7), ("joint", 0.0), ("joint", 1.0)])
def test_linear_weights_learn_like_their_twin(rule, trace):
    settings = AdviceParameters(advice=EIGHT, state="paper", rule=rule, trace=trace, rate=0.03, initial=0.2, test=0)
    learner = make_learner(LINEAR, settings, 5)
    table = AdviceTable(ADVICE, [learner, sitter("random"), sitter("random")])
    twin = PlainLinear(8, 17, 0.2)
    learn_plainly({0: PlainLearner(twin, settings)}, settings, 5, table.play(5, "train", 0, 8))
    np.testing.assert_allclose(table.weights(0), twin.terms.ravel(), atol=1e-10)
    assert (np.abs(twin.terms[:, :-1]).max(axis=1) > 0.001).sum() > 3


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
def test_a_network_learns_like_its_twin(trace):
    settings = NetParameters(advice=EIGHT, partners="random+random", hidden=5, trace=trace, test=0)
    learner = make_learner(NET, settings, 3)
    table = AdviceTable(ADVICE, [learner, sitter("random"), sitter("random")])
    net = PlainNet(learner.weights, 17, 5, 8)
    learn_plainly({0: PlainLearner(net, settings)}, settings, 3, table.play(3, "train", 0, 6))
    np.testing.assert_allclose(table.weights(0), net.flat(), atol=1e-10)
    assert np.abs(net.flat() - learner.weights).max() > 0.01


@pytest.mark.parametrize("state", ["none", "paper"])
def test_the_vote_learns_like_its_twin(state):
    settings = VoteParameters(
        advice=EIGHT, state=state, partners="random+random", batch=4, horizon=16, rate=0.1, test=0, initial=0.3
    )
    trainer = VoteTrainer(settings, 6)
    names, values = EIGHT.split("+"), [one.name for one in find_abstractions(state, 3)]
    twin = PlainVote(trainer.weights, 8, settings, 6)
    for number in range(3):
        trainer.step(4 * number, 4)
        twin.batch(number, 4, names, values)
        np.testing.assert_allclose(trainer.weights, twin.weights.ravel(), atol=1e-6)
    width = len(values)
    for turn, expected in twin.baseline.items():
        np.testing.assert_allclose(trainer.baseline[turn, [*range(width), -1]], expected, atol=1e-9)
    assert np.abs(trainer.weights.reshape(8, -1)[:, -1] - 0.3).max() > 0.1
