"""Our UCT beside OpenSpiel's Monte-Carlo tree search, which also lets every player maximise its own return.

Both grow trees with random playouts from the same late positions, with all hands known. Enough simulations make both
say the same: the same card, or one that is worth as much in the exact solution, at about the same expected points.
"""

from __future__ import annotations

import numpy as np
import pytest
import search_twin as twin
from test_search import root_table

from heartlab.envs.openspiel import deal_openspiel, from_openspiel, openspiel_rules, to_openspiel

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: its tree search is the peer of this test")

SIMULATIONS = 4000
FLAGS = [{}, {"jd_bonus": True}, {"avoid_all_tricks_bonus": True}]


def same_position(deal, flags):
    """OpenSpiel's state for a deal of ours that was held."""
    game = pyspiel.load_game("hearts", {"pass_cards": False, **flags})
    state = deal_openspiel(game, 0, [sorted(hand) for hand in deal.dealt])
    for card in deal.history:
        state.apply_action(to_openspiel(card))
    return game, state


def test_uct_agrees_with_openspiel():
    gaps, same, tried = [], 0, 0
    for seed in range(60):
        flags = FLAGS[seed % len(FLAGS)]
        deal, _ = twin.late_position(openspiel_rules({"pass_cards": False, **flags}), seed, 4, seed % 3)
        if len(deal.legal) < 2:
            continue
        game, state = same_position(deal, flags)
        assert sorted(from_openspiel(action) for action in state.legal_actions()) == sorted(deal.legal)
        judge = pyspiel.RandomRolloutEvaluator(1, seed)
        root = pyspiel.MCTSBot(game, judge, 20.0, SIMULATIONS, 1000, False, seed, False).mcts_search(state)
        theirs = max(root.children, key=lambda child: child.explore_count)
        found, _, visits = root_table(deal, "uct", sims=SIMULATIONS, playout="random", c=0.7, merge="no")
        card = list(found)[int(np.argmax(visits))]
        exact, _, _ = root_table(deal, "maxn", tricks="all", prune="no", merge="no")
        seat = deal.to_move
        tried += 1
        same += abs(exact[card][seat] - exact[from_openspiel(theirs.action)][seat]) < 1e-9
        gaps.append(found[card][seat] - (26 - theirs.total_reward / theirs.explore_count))
    assert tried > 30
    assert same / tried > 0.85
    assert abs(np.mean(gaps)) < 0.3
    assert np.mean(np.abs(gaps)) < 0.5
