"""A look ahead: each choice is tried in sampled worlds, the network goes on for all seats, and predicts the rest.

A playout plays to the end of some tricks and on to the next choice of the root's seat; there the network's prediction
for that choice is added to what the seat has taken. So a playout is short, and luck after it does not count: with the
same number of worlds that is stronger than playing the deals to their end, at a quarter of the time.

Every choice is tried in the same worlds, so that differences between choices are not those between worlds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO, bit
from heartlab.compiled.jit import kernel
from heartlab.kernel.dealing import give
from heartlab.kernel.layout import OBSERVATION, PASSING, PLAYING, STATE
from heartlab.kernel.observe import see
from heartlab.kernel.play import play
from heartlab.learners.whole_game.features import position_features
from heartlab.learners.whole_game.learning import outcome, taken_so_far
from heartlab.learners.whole_game.network import HEADS, MAX_TRUE, SEATS, Mind, Net, attend, forget, new_mind
from heartlab.learners.whole_game.policy import best_card, best_pass, choose, foresee
from heartlab.learners.whole_game.stakes import Stakes, games_lost, new_rest, world_key
from heartlab.search.walk import LIMIT, NODES


class Board(NamedTuple):
    """Working memory for playouts."""

    state: Any  # [1] STATE
    obs: Any  # [1] OBSERVATION
    mind: Mind
    passing: Mind  # of the network that passes
    base: npt.NDArray[np.float32]  # [seats, first]: the mind at the root
    true: npt.NDArray[np.int16]  # [seats, MAX_TRUE]
    counts: npt.NDArray[np.int64]  # [seats]
    final: npt.NDArray[np.float64]  # [seats, heads]


def new_board(playing: Net, passing: Net) -> Board:
    """Working memory for playouts by two networks."""
    return Board(
        np.zeros(1, STATE), np.zeros(1, OBSERVATION), new_mind(playing), new_mind(passing),
        np.zeros((SEATS, playing.bias.shape[1]), np.float32), np.zeros((SEATS, MAX_TRUE), np.int16),
        np.zeros(SEATS, np.int64), np.zeros((SEATS, HEADS)),
    )  # fmt: skip


# --- the mind at the root ---


@kernel
def _remember_root(board: Board) -> None:
    """Keep the mind as it is at the root of a world."""
    mind, base, true = board.mind, board.base, board.true
    for seat in range(SEATS):
        board.counts[seat] = mind.counts[seat]
        for k in range(mind.counts[seat]):
            true[seat, k] = mind.true[seat, k]
        for i in range(base.shape[1]):
            base[seat, i] = mind.base[seat, i]


@kernel
def back_to_root(board: Board) -> None:
    """Restore the mind as it was at the root."""
    mind, base, true = board.mind, board.base, board.true
    mark, mind_base, mind_true = mind.mark, mind.base, mind.true
    for seat in range(SEATS):
        for k in range(mind.counts[seat]):
            mark[seat, mind_true[seat, k]] = 0
        for k in range(board.counts[seat]):
            mind_true[seat, k] = true[seat, k]
            mark[seat, true[seat, k]] = 1
        mind.counts[seat] = board.counts[seat]
        for i in range(base.shape[1]):
            mind_base[seat, i] = base[seat, i]


@kernel
def enter_world(rules: Any, world: Any, net: Net, board: Board) -> None:
    """What each seat knows at the root of a world, added up afresh, so that no world depends on the one before it."""
    obs, mind = board.obs[0], board.mind
    for seat in range(SEATS):
        forget(net, 0, mind, seat)
        see(rules, world, seat, ZERO, obs)
        attend(net, 0, mind, seat, position_features(rules, obs, mind.now))
    _remember_root(board)


# --- playouts ---


@kernel
def _is_decided(rules: Any, state: Any) -> bool:
    """Whether all cards that count are taken."""
    counting = rules["penalty"]
    if rules["bonus"] >= 0:
        counting |= bit(rules["bonus"])
    for seat in range(SEATS):
        counting &= ~state["taken"][seat]
    return counting == ZERO


@kernel
def _finish(rules: Any, net: Net, board: Board, weights: Any, root: int, stop: int) -> None:
    """Play the deal on the board on, all seats by the network, and write what the root's seat gets to `board.final`.

    It ends when all that counts is taken; or, once `stop` tricks are done, at the next choice of the root's seat.
    """
    state, obs, mind = board.state[0], board.obs[0], board.mind
    while state["phase"] == PLAYING:
        if _is_decided(rules, state):
            break
        seat = np.int64(state["to_move"])
        see(rules, state, seat, ZERO, obs)
        if seat == root and state["trick_number"] >= stop:
            if choose(rules, obs, net, 0, mind, weights) >= 0:
                taken_so_far(state, root, board.final)
                for k in range(HEADS):
                    board.final[root, k] += mind.best[k]
                return
        play(rules, state, best_card(rules, obs, net, 0, mind, weights))
    outcome(rules, state, board.final)


@kernel
def _finish_for_all(rules: Any, net: Net, board: Board, stakes: Stakes, root: int, stop: int) -> None:
    """Play the deal on the board on until each seat has chosen after `stop` tricks, or all that counts is taken.

    Writes what each seat takes in the deal to `board.final`: what it had then, and its prediction.
    """
    state, obs, mind = board.state[0], board.obs[0], board.mind
    asked = 0
    while state["phase"] == PLAYING:
        if _is_decided(rules, state):
            break
        if asked == SEATS:
            return
        seat = np.int64(state["to_move"])
        see(rules, state, seat, ZERO, obs)
        weights = stakes.weights if seat == root else stakes.points
        if state["trick_number"] < stop:
            play(rules, state, best_card(rules, obs, net, 0, mind, weights))
            continue
        card = foresee(rules, obs, net, 0, mind, weights)
        taken_so_far(state, seat, board.final)
        for k in range(HEADS):
            board.final[seat, k] += mind.best[k]
        asked += 1
        play(rules, state, card)
    outcome(rules, state, board.final)


@kernel
def try_cards(rules: Any, worlds: Any, cards: Any, net: Net, board: Board, weights: Any, stakes: Any, tricks: int,
              counters: Any, out: Any) -> int:  # fmt: skip
    """Try some cards in each world; `out` [worlds, cards, heads] takes what the seat to move gets from here on.

    With `stakes`, `out` [worlds, cards, 1] takes what that is worth for the game. Returns the number of worlds that are
    done: less than all if the counters' limit was reached.
    """
    seat = np.int64(worlds[0]["to_move"])
    stop = np.int64(worlds[0]["trick_number"]) + tricks
    rest, rng = new_rest(), np.zeros(1, np.uint64)
    before = np.zeros((SEATS, HEADS))
    taken_so_far(worlds[0], seat, before)
    for i in range(len(worlds)):
        enter_world(rules[0], worlds[i], net, board)
        for j in range(len(cards)):
            if counters[NODES] >= counters[LIMIT]:
                return i
            counters[NODES] += 1
            back_to_root(board)
            board.state[0] = worlds[i]
            play(rules[0], board.state[0], cards[j])
            if stakes is None:
                _finish(rules[0], net, board, weights, seat, stop)
                for k in range(HEADS):
                    out[i, j, k] = board.final[seat, k] - before[seat, k]
            else:
                _finish_for_all(rules[0], net, board, stakes, seat, stop)
                rng[0] = world_key(worlds[i])
                out[i, j, 0] = games_lost(stakes, board.state[0], seat, board.final, rest, rng)
    return len(worlds)


@kernel
def share_passes(obs: Any, worlds: Any) -> None:
    """What the observer knows of its neighbours' passes, in worlds that were drawn for it."""
    seat, code = np.int64(obs[0]["seat"]), np.int64(obs[0]["pass_code"])
    if code < 1 or code >= SEATS:
        return
    for i in range(len(worlds)):
        worlds[i]["received"][(seat + code) % SEATS] = obs[0]["passed"]
        worlds[i]["passed"][(seat - code) % SEATS] = obs[0]["received"]


@kernel
def take_back(world: Any) -> None:
    """Cards that were passed and lie on the table go back to their hands, so that all seats can pass."""
    for seat in range(SEATS):
        world["hands"][seat] |= world["passed"][seat]
        world["passed"][seat] = ZERO
        world["to_pass"] |= 1 << seat


@kernel
def _pass_all(rules: Any, world: Any, root: int, passing: Net, board: Board, weights: Any, passes: Any) -> None:
    """What the other seats pass in a world, by the network; cards that lie on the table already are taken back."""
    obs = board.obs[0]
    take_back(world)
    for seat in range(SEATS):
        if seat != root:
            forget(passing, 0, board.passing, seat)
            see(rules, world, seat, ZERO, obs)
            passes[seat] = best_pass(rules, obs, passing, 0, board.passing, weights)


@kernel
def try_passes(rules: Any, root: int, worlds: Any, passes: Any, nets: Any, board: Board, weights: Any, stakes: Any,
               counters: Any, out: Any) -> int:  # fmt: skip
    """Try some passes in each world, on to the next choice; `nets` play and pass. Otherwise as `try_cards`."""
    playing, passing = nets
    chosen = np.zeros(SEATS, np.uint64)
    rest, rng = new_rest(), np.zeros(1, np.uint64)
    for i in range(len(worlds)):
        if stakes is None:
            _pass_all(rules[0], worlds[i], root, passing, board, weights, chosen)
        else:  # the weights are those of the root's seat: the others are taken to pass for points
            _pass_all(rules[0], worlds[i], root, passing, board, stakes.points, chosen)
        for j in range(len(passes)):
            if counters[NODES] >= counters[LIMIT]:
                return i
            counters[NODES] += 1
            board.state[0] = worlds[i]
            state = board.state[0]
            for seat in range(SEATS):
                if state["phase"] == PASSING:
                    give(rules[0], state, seat, passes[j] if seat == root else chosen[seat], rng)
            for seat in range(SEATS):
                forget(playing, 0, board.mind, seat)
            if stakes is None:
                _finish(rules[0], playing, board, weights, root, 0)
                for k in range(HEADS):
                    out[i, j, k] = board.final[root, k]
            else:
                _finish_for_all(rules[0], playing, board, stakes, root, 0)
                rng[0] = world_key(worlds[i])
                out[i, j, 0] = games_lost(stakes, board.state[0], root, board.final, rest, rng)
    return len(worlds)
