"""Deals played to their end, each seat by the policy of its player: what the coach counts.

The look-ahead of `ace` stops after a trick and predicts the rest; that is the quickest way to a good card, but its
numbers are partly predictions. Here nothing is predicted: a choice is made in each of some worlds, the networks and
rule-based players at the table go on, and the finished deals are returned. Everything that is said about a choice
is counted in the same deals.

Random choices of rule-based players depend only on the key and the number of the world. So all choices are compared
with common random numbers, and the worlds may be split among threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import substream
from heartlab.kernel.dealing import give
from heartlab.kernel.layout import PASSING, PLAYING
from heartlab.kernel.observe import see
from heartlab.kernel.play import play, points_left
from heartlab.learners.whole_game.lookahead import Board, back_to_root, enter_world, take_back
from heartlab.learners.whole_game.network import SEATS, Net, forget
from heartlab.learners.whole_game.policy import best_card, best_pass
from heartlab.learners.whole_game.strangers import NAMES, stranger_card, stranger_pass

NETWORK = 0
"""The kind of a seat that plays by the network."""
KINDS = {"net": NETWORK, **NAMES}
"""The players that can play on, by name."""


class Party(NamedTuple):
    """Who sits at the table."""

    kinds: npt.NDArray[np.int64]  # [seats]
    playing: Net
    passing: Net
    weights: npt.NDArray[np.float64]  # [heads]: what the predictions are worth under the rules


@kernel
def _play_on(rules: Any, party: Party, board: Board, history: Any, key: np.uint64, rng: Any, number: int,
             trick: Any) -> None:  # fmt: skip
    """Play the deal on the board to its end.

    `trick` holds what each seat had taken before trick `number`, and takes what it wins with that trick.
    """
    state, obs, kinds = board.state[0], board.obs[0], party.kinds
    noted = False
    while True:
        if not noted and state["trick_number"] > number:
            noted = True
            for seat in range(SEATS):
                trick[seat] ^= state["taken"][seat]
        if state["phase"] != PLAYING:
            return
        seat = np.int64(state["to_move"])
        see(rules, state, seat, key, obs)
        legal = obs["legal"]
        if legal & (legal - ONE) == ZERO or not points_left(rules, state):
            card = lowest(legal)
        elif kinds[seat] == NETWORK:
            card = best_card(rules, obs, party.playing, 0, board.mind, party.weights)
        else:
            for ply in range(52):
                obs["history"][ply] = history[ply] if ply < state["plays"] else -1
            card = stranger_card(rules, obs, kinds[seat], rng)
        history[state["plays"]] = card
        play(rules, state, card)


@kernel
def continue_cards(rules: Any, worlds: Any, history: Any, cards: Any, party: Party, board: Board, key: np.uint64,
                   first: int, ends: Any, tricks: Any) -> None:  # fmt: skip
    """Play each card in each world and the deal to its end; a card below 0 leaves the choice to the seat to move.

    `ends` [cards, worlds] takes the finished deals, `tricks` [cards, worlds, seats] what each seat won with the trick
    that was running, `history` [cards, 52] how the deal went in the last world. `first` is the number of the first
    world.
    """
    rng = np.empty(1, np.uint64)
    state = board.state[0]
    for i in range(len(worlds)):
        enter_world(rules[0], worlds[i], party.playing, board)
        number = np.int64(worlds[i]["trick_number"])
        for j in range(len(cards)):
            back_to_root(board)
            board.state[0] = worlds[i]
            rng[0] = substream(key, first + i)
            for seat in range(SEATS):
                tricks[j, i, seat] = state["taken"][seat]
            if cards[j] >= 0:
                history[j, state["plays"]] = cards[j]
                play(rules[0], state, np.int64(cards[j]))
            _play_on(rules[0], party, board, history[j], key, rng, number, tricks[j, i])
            ends[j, i] = state


@kernel
def continue_passes(rules: Any, root: int, worlds: Any, passes: Any, party: Party, board: Board, key: np.uint64,
                    first: int, ends: Any) -> None:  # fmt: skip
    """Make each pass in each world, let the others pass like their players, and play the deal to its end."""
    rng, line = np.empty(1, np.uint64), np.empty(52, np.int8)
    chosen, trick = np.zeros(SEATS, np.uint64), np.zeros(SEATS, np.uint64)
    state = board.state[0]
    for i in range(len(worlds)):
        rng[0] = substream(key, first + i)
        _choose_passes(rules[0], worlds[i], root, party, board, key, rng, chosen)
        for j in range(len(passes)):
            board.state[0] = worlds[i]
            rng[0] = substream(substream(key, first + i), 1)
            for seat in range(SEATS):
                if state["phase"] == PASSING:
                    give(rules[0], state, seat, passes[j] if seat == root else chosen[seat], rng)
            for seat in range(SEATS):
                forget(party.playing, 0, board.mind, seat)
            for ply in range(52):
                line[ply] = -1
            _play_on(rules[0], party, board, line, key, rng, 0, trick)
            ends[j, i] = state


@kernel
def _choose_passes(rules: Any, world: Any, root: int, party: Party, board: Board, key: np.uint64, rng: Any,
                   chosen: Any) -> None:  # fmt: skip
    """What the other seats pass in a world; cards that lie on the table already are taken back."""
    obs = board.obs[0]
    take_back(world)
    for seat in range(SEATS):
        if seat == root:
            continue
        see(rules, world, seat, key, obs)
        if party.kinds[seat] == NETWORK:
            forget(party.passing, 0, board.passing, seat)
            chosen[seat] = best_pass(rules, obs, party.passing, 0, board.passing, party.weights)
        else:
            for ply in range(52):
                obs["history"][ply] = -1
            chosen[seat] = stranger_pass(rules, obs, party.kinds[seat], rng)
