"""Our tree searches beside OpenSpiel's, which also let every player maximise its own return.

With all hands known both grow trees with random playouts from the same late positions. Enough simulations make both
say the same: the same card, or one that is worth as much in the exact solution, at about the same expected points.
With hidden hands both grow trees over information sets, and choose cards that are about equally good.

OpenSpiel's max^n is in its C++ library, but pyspiel has no binding for it: that peer is missing here.
"""

from __future__ import annotations

import numpy as np
import pytest
from support import search_twin as twin
from support.searching import root_table

from heartlab import make_player
from heartlab.envs.openspiel import deal_openspiel, from_openspiel, openspiel_rules, to_openspiel
from heartlab.players import Observations

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


@pytest.mark.slow
def test_ismcts_agrees_with_openspiel():
    """Their card is, by our tree, about as good as our best: far better than another legal card on average."""
    ours, theirs = (
        make_player("ismcts:sims=4000,playout=random,merge=no,c=0.7"),
        make_player("openspiel:ismcts,sims=1500"),
    )
    gaps, spans = [], []
    for seed in range(24):
        deal, _ = twin.late_position(openspiel_rules({"pass_cards": False}), 500 + seed, 4, seed % 3)
        if len(deal.legal) < 2:
            continue
        batch = Observations.of(deal.observe(deal.to_move))
        values = ours.search.think(batch).values[0, 0]
        legal = sorted(deal.legal)
        gaps.append(values[int(theirs.choose_cards(batch)[0])] - values[legal].min())
        spans.append(values[legal].mean() - values[legal].min())
    assert len(gaps) > 12
    assert np.mean(spans) > 0.5
    assert np.mean(gaps) < 0.25 * np.mean(spans)
