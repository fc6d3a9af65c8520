"""Learning matches in one compiled loop: afterstate TD(lambda) against opponents of several kinds.

The learner keeps values of positions, reached after its own moves or (where all positions are recorded) after any move.
It plays the move whose afterstate has the highest value, now and then another one. After a match each new position gets
its initial value. Then equation 2 of the paper updates the recorded positions s_1 ... s_k with the reward r, all values
on the right as before the match:

    Q(s_p) += alpha * sum over t >= p of lambda^(t-p) * (Q(s_{t+1}) - Q(s_t)),    with r in the place of Q(s_{k+1}).

When an initial value is known is a matter of reading: see `settings.Reading`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO
from heartlab.compiled.hashing import find_slot
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below_fast, uniform
from heartlab.learners.transfer.lookahead import (
    AVERAGE,
    BEST,
    DEFAULT,
    HABIT,
    MINIMAX,
    NO_FEATURE,
    Stack,
    look_ahead,
)
from heartlab.learners.transfer.opponents import (
    KINDS,
    believe,
    opponent_of_match,
    prefer_safe,
    rank_moves,
    watch,
    weigh,
)
from heartlab.learners.transfer.positions import COUNT, FIRST, GOAL, MOVER, OK, expand_position
from heartlab.learners.transfer.settings import FEATURE_DEPTH, Learner, Opponent, Reading, Recording, Settings

SUM_OF_LEARNER = np.array([MINIMAX, MINIMAX, MINIMAX, HABIT, MINIMAX, AVERAGE, BEST])
"""The sum of a look-ahead by which a learner that searches values a position."""

MAX_PLIES = 512
UNKNOWN = -1.0
"""The value of what was never valued."""


class Memory(NamedTuple):
    """What was learned in one run, per position and role."""

    values: npt.NDArray[np.float64]  # [positions, 2] UNKNOWN where nothing was learned
    visits: npt.NDArray[np.int32]  # [positions, 2]
    own: npt.NDArray[np.bool_]  # [positions, 2] whether it was visited as an afterstate that goes on
    touched: npt.NDArray[np.int64]  # [entries] 2 * position + role of everything that has a value
    used: npt.NDArray[np.int64]  # [1] entries in use


class Features(NamedTuple):
    """Values of features against each opponent that was met, found by the hash of the shape; and those opponents."""

    keys: npt.NDArray[np.uint64]  # [slots] 0 for a free slot
    values: npt.NDArray[np.float32]  # [slots, opponents] UNKNOWN where an opponent never led there
    profiles: npt.NDArray[np.float64]  # [opponents, kinds] weight of each kind of move
    belief: npt.NDArray[np.float64]  # [opponents] probability that this is the opponent
    evidence: npt.NDArray[np.float64]  # [opponents] log-likelihood
    habits: npt.NDArray[np.float64]  # [kinds] the mean profile by belief


class Run(NamedTuple):
    """Everything that one learning run works with, besides the board."""

    settings: Settings  # as plain numbers
    features: Features
    memory: Memory
    theirs: Memory  # of an opponent that adapts
    stack: Stack
    rngs: npt.NDArray[np.uint64]  # [2, 1] the generators of the learner and of its opponent
    counts: npt.NDArray[np.float64]  # [3, kinds] the opponent's moves, see `opponents.watch`


def make_memory(positions: int) -> Memory:
    """An empty memory."""
    return Memory(
        np.full((positions, 2), UNKNOWN),
        np.zeros((positions, 2), np.int32),
        np.zeros((positions, 2), np.bool_),
        np.zeros(2 * positions, np.int64),
        np.zeros(1, np.int64),
    )


def enlarge_memory(memory: Memory, positions: int) -> Memory:
    """The same memory with room for more positions."""
    fresh, known, entries = make_memory(positions), len(memory.values), memory.used[0]
    fresh.values[:known] = memory.values
    fresh.visits[:known] = memory.visits
    fresh.own[:known] = memory.own
    fresh.touched[:entries] = memory.touched[:entries]
    fresh.used[:] = memory.used
    return fresh


@kernel
def clear_memory(memory: Any) -> None:
    """Forget everything; only what was touched has to be reset."""
    for number in range(memory.used[0]):
        position, role = memory.touched[number] >> 1, memory.touched[number] & 1
        memory.values[position, role] = UNKNOWN
        memory.visits[position, role] = 0
        memory.own[position, role] = False
    memory.used[0] = 0


@kernel
def remember(memory: Any, position: int, role: int, value: float) -> None:
    """Set the value of a position."""
    if memory.values[position, role] < 0.0:
        memory.touched[memory.used[0]] = 2 * position + role
        memory.used[0] += 1
    memory.values[position, role] = value


# Initial values


@kernel
def feature_value(features: Any, word: Any) -> float:
    """The value of a feature, averaged over opponents by belief; UNKNOWN if there is none."""
    if word == NO_FEATURE:
        return UNKNOWN
    slot = find_slot(features.keys, word)
    if features.keys[slot] == ZERO:
        return UNKNOWN
    total, weight = 0.0, 0.0
    for opponent in range(len(features.belief)):
        if features.values[slot, opponent] >= 0.0:
            total += features.belief[opponent] * features.values[slot, opponent]
            weight += features.belief[opponent]
    return total / weight if weight > 0.01 else UNKNOWN


@kernel
def initial_value(board: Any, run: Any, position: int, role: int) -> float:
    """The initial value of an afterstate that goes on."""
    settings, features, stack, known = run.settings, run.features, run.stack, run.memory.values
    if settings.learner == Learner.TRANSFER:
        word = look_ahead(board, position, role, FEATURE_DEPTH, settings.recall, known, features.habits, stack)
        value = feature_value(features, word)
        return value if value >= 0.0 else DEFAULT
    if settings.learner > Learner.TRANSFER:
        look_ahead(board, position, role, settings.depth, settings.recall, known, features.habits, stack)
        return stack.sums[0, SUM_OF_LEARNER[settings.learner]]
    return DEFAULT


@kernel
def first_visit(board: Any, run: Any, position: int, role: int, is_own: bool) -> None:
    """Give a recorded position that is new its initial value."""
    goal, value = board.graph.nodes[position, GOAL + role], DEFAULT
    if goal >= 0 and run.settings.learner != Learner.BASELINE:
        value = np.float64(goal)
    elif goal < 0 and is_own:
        value = initial_value(board, run, position, role)
    remember(run.memory, position, role, value)


@kernel
def known_worth(nodes: Any, edges: Any, values: Any, checks: bool, position: int, role: int, worth: Any) -> bool:
    """The values of candidate moves without any look-ahead; returns whether one of them goes on and is new."""
    count, first, news = nodes[position, COUNT], nodes[position, FIRST], False
    for child in range(count):
        found = np.int64(edges[first + child])
        value, goal = values[found, role], nodes[found, GOAL + role]
        if value < 0.0:
            value = np.float64(goal) if goal >= 0 and checks else DEFAULT
            news |= goal < 0
        worth[child] = value
    return news


@kernel
def look_up(board: Any, run: Any, position: int, role: int, worth: Any) -> None:
    """Give new candidate moves their initial values; a learner that recalls does so until the first visit."""
    nodes, edges, memory, recall = board.graph.nodes, board.graph.edges, run.memory, run.settings.recall
    count, first = nodes[position, COUNT], nodes[position, FIRST]
    for child in range(count):
        found = np.int64(edges[first + child])
        fresh = memory.values[found, role] < 0.0 or (recall and memory.visits[found, role] == 0)
        if fresh and nodes[found, GOAL + role] < 0:
            worth[child] = initial_value(board, run, found, role)
            remember(memory, found, role, worth[child])


# Matches


@kernel
def choose_best(worth: Any, count: int, rng: Any) -> int:
    """The index of the highest of some values, ties at random."""
    best, ties = worth[0], 0
    for number in range(count):
        best = max(best, worth[number])
    for number in range(count):
        ties += worth[number] == best
    left = below_fast(rng, ties) if ties > 1 else 0
    for number in range(count):
        if worth[number] == best:
            if left == 0:
                return number
            left -= 1
    return 0


@kernel
def play_match(board: Any, run: Any, opponent: int, role: int, worth: Any, path: Any, own: Any) -> int:
    """One match: fills in the positions and whose moves led to them; returns how many, 0 if the graph had a problem."""
    settings, counts = run.settings, run.counts
    nodes, edges, values, known = board.graph.nodes, board.graph.edges, run.memory.values, run.theirs.values
    mine, others = run.rngs[0], run.rngs[1]
    checks = settings.reading != Reading.LITERAL and settings.learner != Learner.BASELINE
    looks_up = settings.reading == Reading.LOOK_UP and settings.learner > Learner.TERMINAL_ONLY
    position, plies = np.int64(0), np.int64(0)
    while nodes[position, GOAL] < 0 and plies < MAX_PLIES:
        if nodes[position, FIRST] < 0:
            expand_position(board, position)
            if board.graph.used[2] != OK:
                return 0
        count = nodes[position, COUNT]
        own[plies] = nodes[position, MOVER] == role
        if own[plies]:
            # the learner: epsilon-greedy over the values of the afterstates
            if uniform(mine) < settings.epsilon:
                chosen = below_fast(mine, count)
            else:
                news = known_worth(nodes, edges, values, checks, position, role, worth)
                if looks_up and (news or settings.recall):
                    look_up(board, run, position, role, worth)
                chosen = choose_best(worth, count, mine)
        else:
            # the opponent: epsilon-greedy over its preferences
            if opponent == Opponent.RANDOM or uniform(others) < settings.opponent_epsilon:
                chosen = below_fast(others, count)
            else:
                rank_moves(nodes, edges, opponent, known, position, 1 - role, worth)
                if opponent == Opponent.BLOCKING:
                    prefer_safe(board, position, role, worth)
                chosen = choose_best(worth, count, others)
            picked = watch(nodes, edges, position, chosen, 1 - role, counts)
            if settings.recognise and picked >= 0:
                weigh(run.features, counts[2], picked)
        position = np.int64(edges[nodes[position, FIRST] + chosen])
        path[plies] = position
        plies += 1
    return plies


# Learning


@kernel
def update(memory: Any, path: Any, count: int, role: int, reward: float, settings: Any) -> None:
    """TD(lambda) over the recorded positions, from the last one backwards (equation 2)."""
    following, trace = reward, 0.0
    for place in range(count):
        position = path[count - 1 - place]
        value = memory.values[position, role]
        trace = (following - value) + settings.trace * trace
        following = value
        memory.values[position, role] = value + settings.alpha * trace
        memory.visits[position, role] += 1


@kernel
def learn_theirs(graph: Any, settings: Any, theirs: Any, path: Any, plies: int, player: int) -> None:
    """An opponent that adapts learns from a match: every position, ended games by their goals."""
    for ply in range(plies):
        goal = graph.nodes[path[ply], GOAL + player]
        if theirs.values[path[ply], player] < 0.0:
            remember(theirs, path[ply], player, np.float64(goal) if goal >= 0 else DEFAULT)
    reward = max(0, graph.nodes[path[plies - 1], GOAL + player])
    update(theirs, path, plies, player, np.float64(reward), settings)


@kernel
def learn_matches(board: Any, run: Any, rewards: Any) -> int:
    """Play and learn; fills in the rewards and returns how many matches were played before the graph had a problem."""
    graph, settings, memory, recording = board.graph, run.settings, run.memory, run.settings.recording
    path, recorded = np.zeros(MAX_PLIES, np.int64), np.zeros(MAX_PLIES, np.int64)
    own = np.zeros(MAX_PLIES, np.bool_)
    worth = np.zeros(len(board.rules.moves))  # of the candidate moves
    for number in range(len(rewards)):
        # play a match
        role = (settings.role + settings.alternate * number) & 1
        opponent = opponent_of_match(settings.opponent, number, settings.period)
        plies = play_match(board, run, opponent, role, worth, path, own)
        if plies == 0:
            return number
        reward = np.float64(max(0, graph.nodes[path[plies - 1], GOAL + role]))
        rewards[number] = reward
        # record its positions, and initialise those that were not visited in any match before
        count = np.int64(0)
        for ply in range(plies):
            over = ply == plies - 1
            if own[ply] or recording == Recording.ALL or (over and recording == Recording.OWN_AND_LAST):
                if memory.values[path[ply], role] < 0.0:
                    first_visit(board, run, path[ply], role, own[ply])
                memory.own[path[ply], role] |= own[ply] and not over
                recorded[count] = path[ply]
                count += 1
        # update their values by TD(lambda)
        update(memory, recorded, count, role, reward, settings)
        if opponent == Opponent.ADAPTIVE:
            learn_theirs(graph, settings, run.theirs, path, plies, 1 - role)
        # recognise the opponent
        if settings.recognise:
            believe(run.features, settings.forget)
        if graph.used[2] != OK:
            return number
    return len(rewards)


@kernel
def shapes_of(board: Any, run: Any, words: Any) -> None:
    """The hashes of the shapes of all visited afterstates, in the order in which they were touched; others get 0."""
    memory, habits = run.memory, np.ones(KINDS)
    for number in range(memory.used[0]):
        position, role = memory.touched[number] >> 1, memory.touched[number] & 1
        words[number] = NO_FEATURE
        if memory.own[position, role]:
            recall = run.settings.recall
            words[number] = look_ahead(
                board, position, role, FEATURE_DEPTH, recall, memory.values, habits, run.stack
            )  # fmt: skip
