"""A look ahead for the game: playouts that foresee what every seat takes, and the chance to win the game after that.

For the points of a deal it does not matter who takes what one leaves. For the game it does: Q♠ for the leader is worth
more than Q♠ for the last, and ends the game if it takes somebody over the limit. So a playout goes on until all four
seats have chosen once more, and each seat's prediction is kept. Then the rest of the deal is shared out:

- Q♠ goes to each seat with its predicted chance, hearts one by one to seats drawn by what they are predicted to take;
- each seat shoots the moon with its predicted chance, if nobody else has taken points.

What a choice is worth is the mean chance to win after that, as a number of games lost, scaled as the weights of `score`
are. The same draws serve for all choices in a world.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO, bit, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import substream, uniform
from heartlab.kernel.dealing import give
from heartlab.kernel.layout import PASSING, PLAYING
from heartlab.kernel.observe import see
from heartlab.kernel.play import play
from heartlab.kernel.ranks import HEARTS, QUEEN_BIT
from heartlab.learners.whole_game.learning import outcome, taken_so_far
from heartlab.learners.whole_game.lookahead import Board, back_to_root, enter_world, pass_all
from heartlab.learners.whole_game.network import HEADS, SEATS, SHOOT, TAKE_HEARTS, TAKE_JACK, TAKE_QUEEN, Net, forget
from heartlab.learners.whole_game.policy import best_card, foresee
from heartlab.learners.whole_game.score import between
from heartlab.search.walk import LIMIT, NODES

ALL_HEARTS, QUEEN_POINTS = 13, 13
LEAST_MOON = 0.01
"""Chances of a moon below this are none."""
LEAST_HEARTS = 0.05
"""What a seat is predicted to take at least of the hearts that are left."""


class Stakes(NamedTuple):
    """What is at stake in a deal of a game, seen from the seat that looks ahead."""

    chances: npt.NDArray[np.float32]  # [own, others...]: to win from totals on the grid
    totals: npt.NDArray[np.float64]  # [seats]: the root's first, then clockwise
    limit: int  # the game ends at so many points
    moon: npt.NDArray[np.float64]  # [2]: points of the shooter and of the others; zeros if it does not count
    bonus: float  # points of J♦
    scale: float  # a game lost is worth so many points
    points: npt.NDArray[np.float64]  # [heads]: what the predictions are worth in points, to break ties
    weights: npt.NDArray[np.float64]  # [heads]: what they are worth for the root's seat, which chooses by them
    caution: float  # how much the chance that another seat shoots the moon counts


class Rest(NamedTuple):
    """Working memory: how the rest of a deal is shared out, root's seat first."""

    after: npt.NDArray[np.float64]  # [seats]: totals
    queen: npt.NDArray[np.float64]  # [seats]: chance to take Q♠
    hearts: npt.NDArray[np.float64]  # [seats]: share of the hearts that are left
    moon: npt.NDArray[np.float64]  # [seats]: chance to shoot
    jack: npt.NDArray[np.float64]  # [seats]: chance to take J♦


@kernel
def new_rest() -> Rest:
    """Working memory for the worth of a playout."""
    return Rest(np.zeros(SEATS), np.zeros(SEATS), np.zeros(SEATS), np.zeros(SEATS), np.zeros(SEATS))


# --- the worth of a playout ---


@kernel
def _share_out(stakes: Stakes, state: Any, root: int, final: Any, rest: Rest) -> int:
    """Who takes what is left, by the predictions; returns how many hearts that are."""
    moons_count = stakes.moon[0] != stakes.moon[1]
    queen, hearts, moon, jack = rest.queen, rest.hearts, rest.moon, rest.jack
    left, takers, fallen = ALL_HEARTS, 0, False
    for seat in range(SEATS):
        taken = state["taken"][seat]
        left -= popcount(taken & HEARTS)
        fallen = fallen or taken & QUEEN_BIT != ZERO
        takers += taken & (HEARTS | QUEEN_BIT) != ZERO
    moons, queens, whole = 0.0, 0.0, 0.0
    for i in range(SEATS):
        seat = (root + i) % SEATS
        taken = state["taken"][seat]
        alone = moons_count and (takers == 0 or (takers == 1 and taken & (HEARTS | QUEEN_BIT) != ZERO))
        chance = min(1.0, final[seat, SHOOT]) if alone else 0.0
        moon[i] = chance * (1.0 if i == 0 else stakes.caution) if chance >= LEAST_MOON else 0.0
        # what the seat takes if it does not shoot
        queen[i] = max(0.0, final[seat, TAKE_QUEEN] - moon[i])
        if fallen:
            queen[i] = 1.0 if taken & QUEEN_BIT != ZERO else 0.0
        hearts[i] = max(LEAST_HEARTS, final[seat, TAKE_HEARTS] - popcount(taken & HEARTS) - moon[i] * left)
        jack[i] = min(1.0, max(0.0, final[seat, TAKE_JACK]))
        moons += moon[i]
        queens += queen[i]
        whole += hearts[i]
    for i in range(SEATS):
        moon[i] /= max(1.0, moons)
        queen[i] = queen[i] / queens if queens > 0.0 else 1.0 / SEATS
        hearts[i] /= whole
    return left


@kernel
def _draw_hearts(left: int, rest: Rest, rng: Any) -> None:
    """Give each heart that is left to a seat drawn by its share."""
    for _ in range(left):
        draw = uniform(rng)
        seat = 0
        while seat < SEATS - 1 and draw >= rest.hearts[seat]:
            draw -= rest.hearts[seat]
            seat += 1
        rest.after[seat] += 1.0


@kernel
def games_lost(stakes: Stakes, state: Any, root: int, final: Any, rest: Rest, rng: Any) -> float:
    """The chance to lose the game after a playout, in points; `final` is what each seat takes in the deal.

    Draws as many numbers as there are hearts left.
    """
    left = _share_out(stakes, state, root, final, rest)
    after, moon = rest.after, rest.moon
    for i in range(SEATS):
        after[i] = stakes.totals[i] + stakes.bonus * rest.jack[i]
    chance, plain = 0.0, 1.0
    for shooter in range(SEATS):
        if moon[shooter] > 0.0:
            plain -= moon[shooter]
            for i in range(SEATS):
                after[i] += stakes.moon[0] if i == shooter else stakes.moon[1]
            chance += moon[shooter] * between(stakes.chances, after, stakes.limit)
            for i in range(SEATS):
                after[i] -= stakes.moon[0] if i == shooter else stakes.moon[1]
    for i in range(SEATS):
        after[i] += popcount(state["taken"][(root + i) % SEATS] & HEARTS)
    _draw_hearts(left, rest, rng)
    for i in range(SEATS):
        if rest.queen[i] > 0.0 and plain > 0.0:
            after[i] += QUEEN_POINTS
            chance += plain * rest.queen[i] * between(stakes.chances, after, stakes.limit)
            after[i] -= QUEEN_POINTS
    lost = -stakes.scale * chance
    for k in range(HEADS):
        lost += stakes.points[k] * final[root, k]
    return lost


# --- playouts ---


@kernel
def _finish_for_all(rules: Any, net: Net, board: Board, stakes: Stakes, root: int, stop: int) -> None:
    """Play the deal on the board on until each seat has chosen after `stop` tricks, or all that counts is taken.

    Writes what each seat takes in the deal to `board.final`: what it had then, and its prediction.
    """
    state, obs, mind = board.state[0], board.obs[0], board.mind
    counting = rules["penalty"]
    if rules["bonus"] >= 0:
        counting |= bit(rules["bonus"])
    asked = 0
    while state["phase"] == PLAYING:
        taken = ZERO
        for seat in range(SEATS):
            taken |= state["taken"][seat]
        if counting & ~taken == ZERO:
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
def _world_key(world: Any) -> np.uint64:
    """A random key that follows from the hands."""
    return substream(substream(world["hands"][0], 1), np.int64(world["hands"][1] >> np.uint64(1)))


@kernel
def try_cards_for_game(rules: Any, worlds: Any, cards: Any, net: Net, board: Board, stakes: Stakes, tricks: int,
                       counters: Any, out: Any) -> int:  # fmt: skip
    """Try some cards in each world; `out` [worlds, cards, 1] takes what they are worth. Otherwise as `try_cards`."""
    seat = np.int64(worlds[0]["to_move"])
    stop = np.int64(worlds[0]["trick_number"]) + tricks
    rest, rng = new_rest(), np.zeros(1, np.uint64)
    for i in range(len(worlds)):
        enter_world(rules[0], worlds[i], net, board)
        for j in range(len(cards)):
            if counters[NODES] >= counters[LIMIT]:
                return i
            counters[NODES] += 1
            back_to_root(board)
            board.state[0] = worlds[i]
            play(rules[0], board.state[0], cards[j])
            _finish_for_all(rules[0], net, board, stakes, seat, stop)
            rng[0] = _world_key(worlds[i])
            out[i, j, 0] = games_lost(stakes, board.state[0], seat, board.final, rest, rng)
    return len(worlds)


@kernel
def try_passes_for_game(rules: Any, root: int, worlds: Any, passes: Any, nets: Any, board: Board, stakes: Stakes,
                        counters: Any, out: Any) -> int:  # fmt: skip
    """Try some passes in each world, on to the first choice of all seats; `nets` play and pass."""
    playing, passing = nets
    chosen = np.zeros(SEATS, np.uint64)
    rest, rng = new_rest(), np.zeros(1, np.uint64)
    for i in range(len(worlds)):
        pass_all(rules[0], worlds[i], root, passing, board, stakes.points, chosen)
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
            _finish_for_all(rules[0], playing, board, stakes, root, 0)
            rng[0] = _world_key(worlds[i])
            out[i, j, 0] = games_lost(stakes, board.state[0], root, board.final, rest, rng)
    return len(worlds)
