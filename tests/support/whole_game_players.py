"""Small networks of the whole game with random weights, and a deal to ask them about."""

import numpy as np

from heartlab import Deal, make_player
from heartlab.learners.whole_game.features import CARD_SIZE, PASS_CARD_SIZE, PASS_POSITION_SIZE, POSITION_SIZE
from heartlab.learners.whole_game.network import fresh_net


def nets(seed=1):
    """A network to play and one to pass."""
    dice = np.random.default_rng(seed)
    return (
        fresh_net(POSITION_SIZE, CARD_SIZE, 16, 8, dice),
        fresh_net(PASS_POSITION_SIZE, PASS_CARD_SIZE, 8, 4, dice),
    )


def halfway(seed=3, cards=14):
    """A deal without a pass after some cards."""
    deal = Deal("standard", seed=seed, number=3)
    player = make_player("gnome:jake")
    for _ in range(cards):
        deal.play(player.play(deal.observe(deal.to_move)))
    return deal
