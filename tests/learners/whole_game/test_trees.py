"""The stranger that searches plays in training deals like the player `uct` with the same budget."""

import numpy as np
import pytest

from heartlab import Rules, make_player
from heartlab.compiled.rng import substream
from heartlab.kernel.dealing import deal, give
from heartlab.kernel.layout import OBSERVATION, PASSING, PLAYING, STATE, compile_rules
from heartlab.kernel.observe import observe
from heartlab.kernel.play import legal, play
from heartlab.learners.whole_game.deals import Company, train_with_searchers
from heartlab.learners.whole_game.trainer import WholeGameParameters, WholeGameTrainer
from heartlab.learners.whole_game.trees import SIMULATIONS, TREES, WORLDS
from heartlab.observation import Observations


def answers(rules, number, key, table, player):
    """The deal that was just played, once more: for each choice of a stranger its card, and the player's."""
    compiled, state = compile_rules(rules), np.zeros(1, STATE)
    deal(compiled[0], state[0], number, np.array([substream(key, number)], np.uint64))
    for seat in range(4):
        obs = np.zeros(1, OBSERVATION)
        if state[0]["phase"] == PASSING:
            observe(compiled[0], state[0], table.history, seat, key, obs[0])
            cards = table.state[0]["passed"][seat]
            if table.kinds[seat] == TREES:
                yield int(cards), int(player.choose_passes(Observations(rules, compiled, obs))[0])
            give(compiled[0], state[0], seat, cards, np.zeros(1, np.uint64))
    while state[0]["phase"] == PLAYING:
        seat, card = int(state[0]["to_move"]), int(table.history[state[0]["plays"]])
        if table.kinds[seat] == TREES and int(legal(compiled[0], state[0])).bit_count() > 1:
            obs = np.zeros(1, OBSERVATION)
            observe(compiled[0], state[0], table.history, seat, key, obs[0])
            yield card, int(player.choose_cards(Observations(rules, compiled, obs))[0])
        play(compiled[0], state[0], card)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["standard", "seed"])
def test_it_answers_like_uct(name):
    rules = Rules.parse(name)
    player = make_player(f"uct:worlds={WORLDS},sims={SIMULATIONS},merge=no,endgame=0")
    trainer = WholeGameTrainer(WholeGameParameters(rules=name, first=16, pass_first=8, second=8), 3, threads=1)
    shard, company, found = trainer.shards[0], Company(0.0, 0.0, 0.0, 0.0, 1.0), []
    for number in range(6):
        span = np.array([number, number + 1])
        train_with_searchers(
            trainer.compiled, trainer.key, span, shard.pupils, company, trainer.lesson, shard.table, np.zeros(6)
        )
        found += answers(rules, number, trainer.key, shard.table, player)
    assert len(found) > 60
    assert sum(one == other for one, other in found) >= 0.95 * len(found), "only ties of means are broken otherwise"
