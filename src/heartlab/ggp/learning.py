"""Learning matches in one compiled loop: afterstate TD(lambda) against opponents that do not learn.

The learner keeps a table of positions, reached after its own moves or (where all plies are recorded) after any move. It
plays the move whose afterstate has the highest value, now and then another one. After a match each new position gets
its initial value, and then, with all values as before the match, recorded positions s_1 ... s_k and the reward r,

    Q(s_p) += alpha * sum over t >= p of lambda^(t-p) * (Q(s_{t+1}) - Q(s_t)),    with r in the place of Q(s_{k+1}).

What decides is when an initial value is known (`reading`): after the first visit only (LITERAL), for candidate moves
that end the game as well (TERMINAL_CHECK), or for all candidate moves (LOOK_UP).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.ggp.expand import enter, expand_entered
from heartlab.ggp.lookahead import (
    AVERAGE,
    BEST,
    LOST,
    MINIMAX,
    NO_FEATURE,
    NOBODY,
    OPEN,
    WON,
    class_of,
    look_ahead,
    turn_of,
)
from heartlab.ggp.simulate import GOLDEN, ZERO, clear, draw_below, draw_share
from heartlab.ggp.uct import find_slot, hash_state
from heartlab.jit import kernel

BASELINE, TERMINAL_ONLY, TRANSFER, LOOK_AHEAD, AVGMAX, MAXMAX = range(6)
LEARNERS = ("baseline", "terminal-only", "transfer", "look-ahead", "avgmax", "maxmax")
"""How a learner initialises values: always 50; the truth where the game is over; by features; by searches."""

LITERAL, TERMINAL_CHECK, LOOK_UP = range(3)
READINGS = ("literal", "terminal-check", "look-up")

RANDOM, GREEDY, WEAK, BLOCKING = range(4)
OPPONENTS = ("random", "eps-greedy", "weak", "blocking")
"""Uniform; takes wins and avoids losses at once; the reverse; takes wins and avoids giving one to the learner."""

ALL_PLIES, OWN_AND_LAST, OWN_ONLY = range(3)
RECORDINGS = ("all", "own-and-last", "own")

DEFAULT = 50.0
NEW = -2
"""The shape of a position for which it was not asked yet."""
MAX_PLIES = 512
FULL = 0.8
"""The table is given up when this share of it is in use."""


class Settings(NamedTuple):
    """What a learning run is made of; numbers of the lists above where the names say so."""

    learner: int = BASELINE
    reading: int = TERMINAL_CHECK
    opponent: int = GREEDY
    recording: int = ALL_PLIES
    role: int = 0
    alpha: float = 0.3
    trace: float = 0.7
    epsilon: float = 0.01
    opponent_epsilon: float = 0.1
    collect: int = 0
    """Whether to work out the shape of every visited afterstate, as a source of features must."""


class Table(NamedTuple):
    """The learner's memory, found by a hash of the position."""

    keys: npt.NDArray[np.uint64]  # [slots] 0 for a free slot
    values: npt.NDArray[np.float64]  # [slots]
    visits: npt.NDArray[np.int32]  # [slots]
    shapes: npt.NDArray[np.int32]  # [slots] shape of an own afterstate, NO_FEATURE, or NEW
    used: npt.NDArray[np.int64]  # [1]


def make_table(bits: int) -> Table:
    """An empty table of 2^bits slots."""
    size = 1 << bits
    return Table(
        np.zeros(size, np.uint64),
        np.zeros(size),
        np.zeros(size, np.int32),
        np.full(size, NEW, np.int32),
        np.zeros(1, np.int64),
    )


@kernel
def key_of(state: Any, role: int) -> Any:
    """The key of a position for a learner in a role; never zero."""
    return (hash_state(state) + GOLDEN * np.uint64(2 * role)) | np.uint64(1)


@kernel
def add_entry(table: Any, slot: int, key: Any, value: float) -> None:
    """Begin an entry in a free slot."""
    table.keys[slot] = key
    table.values[slot] = value
    table.visits[slot] = 0
    table.shapes[slot] = NEW
    table.used[0] += 1


@kernel
def initial_value(learner: int, shape: int, sums: Any, features: Any) -> float:
    """What a learner takes an afterstate to be worth, from what look-ahead found."""
    if learner == TRANSFER:
        if shape != NO_FEATURE and features[shape] >= 0.0:
            return features[shape]
        return DEFAULT
    if learner == LOOK_AHEAD:
        return sums[MINIMAX]
    if learner == AVGMAX:
        return sums[AVERAGE]
    if learner == MAXMAX:
        return sums[BEST]
    return DEFAULT


@kernel
def candidate_value(
    net: Any,
    values: Any,
    idle: Any,
    settings: Any,
    table: Any,
    features: Any,
    child: Any,
    goal: int,
    levels: Any,
    sums: Any,
) -> float:
    """The value by which a candidate move is judged."""
    key = key_of(child, settings.role)
    slot = find_slot(table.keys, key)
    if table.keys[slot] != ZERO:
        return table.values[slot]
    if settings.reading == LITERAL or settings.learner == BASELINE:
        return DEFAULT
    if goal >= 0:
        return np.float64(goal)
    if settings.reading == LOOK_UP and settings.learner != TERMINAL_ONLY:
        shape = look_ahead(net, values, idle, child, settings.role, levels, sums)
        value = initial_value(settings.learner, shape, sums, features)
        add_entry(table, slot, key, value)
        table.shapes[slot] = shape
        return value
    return DEFAULT


@kernel
def choose_own(
    net: Any, values: Any, idle: Any, settings: Any, table: Any, features: Any, count: int, buffers: Any, rng: Any
) -> int:
    """The learner's move: the best candidate, ties at random, or with a small chance any."""
    if draw_share(rng) < settings.epsilon:
        return draw_below(rng, count)
    children, ends, worth, sums, levels = buffers
    best, ties = -1.0, 0
    for child in range(count):
        goal = ends[child, settings.role]
        value = candidate_value(net, values, idle, settings, table, features, children[child], goal, levels, sums)
        worth[child] = value
        if value > best:
            best, ties = value, 0
        if value == best:
            ties += 1
    left = draw_below(rng, ties) if ties > 1 else 0
    for child in range(count):
        if worth[child] == best:
            if left == 0:
                return child
            left -= 1
    return 0


@kernel
def gives_win(net: Any, values: Any, idle: Any, child: Any, learner: int, level: Any) -> bool:
    """Whether the learner can win at once in a position."""
    moves, children, ends = level
    enter(net, values, child)
    count = expand_entered(net, values, child, turn_of(net, values, idle), moves, children, ends)
    found = False
    for reply in range(count):
        found |= class_of(ends[reply, learner]) == WON
    return found


@kernel
def choose_theirs(net: Any, values: Any, idle: Any, settings: Any, count: int, buffers: Any, rng: Any) -> int:
    """The opponent's move: uniform among those that its kind of player prefers."""
    if settings.opponent == RANDOM or draw_share(rng) < settings.opponent_epsilon:
        return draw_below(rng, count)
    children, ends, worth, _, levels = buffers
    other = 1 - settings.role
    liked, shunned = (LOST, WON) if settings.opponent == WEAK else (WON, LOST)
    best = 0
    for child in range(count):
        kind = class_of(ends[child, other])
        rank = 3 if kind == liked else 0 if kind == shunned else 2
        if settings.opponent == BLOCKING and kind == OPEN:
            rank -= gives_win(net, values, idle, children[child], settings.role, levels[0])
        worth[child] = rank
        best = max(best, rank)
    ties = 0
    for child in range(count):
        ties += worth[child] == best
    left = draw_below(rng, ties)
    for child in range(count):
        if worth[child] == best:
            if left == 0:
                return child
            left -= 1
    return 0


@kernel
def update(slots: Any, count: int, reward: float, settings: Any, table: Any) -> None:
    """TD(lambda) over the recorded positions, all values taken as they are before it."""
    following, trace = reward, 0.0
    for place in range(count):
        number = count - 1 - place
        value = table.values[slots[number]]
        trace = (following - value) + settings.trace * trace
        following = value
        table.values[slots[number]] = value + settings.alpha * trace
        table.visits[slots[number]] += 1


@kernel
def learn_matches(
    net: Any, idle: Any, settings: Any, features: Any, table: Any, rngs: Any, values: Any, rewards: Any
) -> int:
    """Play and learn; fills in the rewards and returns how many matches were played before the table was full."""
    most = 1
    for role in range(len(net.role_moves) - 1):
        most = max(most, np.int64(net.role_moves[role + 1]) - np.int64(net.role_moves[role]))
    words, roles = len(net.initial), len(net.role_moves) - 1
    moves, worth, sums = np.zeros(most, np.int64), np.zeros(most), np.zeros(3)
    children, ends = np.zeros((most, words), np.uint64), np.zeros((most, roles), np.int64)
    levels = (
        (np.zeros(most, np.int64), np.zeros((most, words), np.uint64), np.zeros((most, roles), np.int64)),
        (np.zeros(most, np.int64), np.zeros((most, words), np.uint64), np.zeros((most, roles), np.int64)),
    )
    buffers = (children, ends, worth, sums, levels)
    states, own = np.zeros((MAX_PLIES, words), np.uint64), np.zeros(MAX_PLIES, np.bool_)
    slots = np.zeros(MAX_PLIES, np.int64)
    state = np.zeros(words, np.uint64)
    clear(values)
    for match in range(len(rewards)):
        if table.used[0] > FULL * len(table.keys) - MAX_PLIES:
            return match
        state[:] = net.initial
        plies, goal = 0, -1
        while goal < 0 and plies < MAX_PLIES:
            enter(net, values, state)
            mover = turn_of(net, values, idle)
            if mover == NOBODY:
                return -1
            count = expand_entered(net, values, state, mover, moves, children, ends)
            if mover == settings.role:
                chosen = choose_own(net, values, idle, settings, table, features, count, buffers, rngs[0])
            else:
                chosen = choose_theirs(net, values, idle, settings, count, buffers, rngs[1])
            state[:] = children[chosen]
            states[plies] = state
            own[plies] = mover == settings.role
            goal = ends[chosen, settings.role]
            plies += 1
        rewards[match] = max(0, goal)
        recorded = 0
        for ply in range(plies):
            over = ply == plies - 1
            if own[ply] or settings.recording == ALL_PLIES or (over and settings.recording == OWN_AND_LAST):
                is_own = own[ply] and not over
                slots[recorded] = visit(
                    net,
                    values,
                    idle,
                    settings,
                    table,
                    features,
                    states[ply],
                    is_own,
                    goal if over else -1,
                    levels,
                    sums,
                )
                recorded += 1
        update(slots, recorded, np.float64(max(0, goal)), settings, table)
    return len(rewards)


@kernel
def visit(
    net: Any, values: Any, idle: Any, settings: Any, table: Any, features: Any,
    state: Any, is_own: bool, goal: int, levels: Any, sums: Any,
) -> int:  # fmt: skip
    """The slot of a recorded position, with its initial value if it is new."""
    key = key_of(state, settings.role)
    slot = find_slot(table.keys, key)
    fresh = table.keys[slot] == ZERO
    if fresh:
        known = goal >= 0 and settings.learner != BASELINE
        add_entry(table, slot, key, np.float64(goal) if known else DEFAULT)
    if is_own and table.shapes[slot] == NEW and (settings.collect or (fresh and settings.learner > TERMINAL_ONLY)):
        table.shapes[slot] = look_ahead(net, values, idle, state, settings.role, levels, sums)
        if fresh:
            table.values[slot] = initial_value(settings.learner, table.shapes[slot], sums, features)
    return slot
