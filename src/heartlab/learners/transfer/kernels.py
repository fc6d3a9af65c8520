"""Learning matches in one compiled loop: afterstate TD(lambda) against opponents of several kinds.

The learner keeps values of positions, reached after its own moves or (where all plies are recorded) after any move. It
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

from heartlab.compiled.jit import kernel
from heartlab.ggp.machine.simulate import ZERO, draw_below, draw_share
from heartlab.ggp.players.uct import find_slot
from heartlab.learners.transfer.lookahead import AVERAGE, BEST, DEFAULT, HABIT, MINIMAX, NO_FEATURE, look_ahead
from heartlab.learners.transfer.opponents import (
    ADAPTIVE,
    BLOCKING,
    KINDS,
    RANDOM,
    WEAK,
    believe,
    kind_now,
    watch,
    weigh,
)
from heartlab.learners.transfer.positions import (
    CLASS,
    COUNT,
    FIRST,
    GOAL,
    LOST,
    MOVER,
    OPEN,
    WON,
    WORKING,
    expand_position,
)

BASELINE, TERMINAL_ONLY, TRANSFER, HABITS, LOOK_AHEAD, AVGMAX, MAXMAX = range(7)
LEARNERS = ("baseline", "terminal-only", "transfer", "habits", "look-ahead", "avgmax", "maxmax")
"""How a learner initialises values: always 50; the truth where the game is over; by features; by searches."""

SUM_OF_LEARNER = np.array([MINIMAX, MINIMAX, MINIMAX, HABIT, MINIMAX, AVERAGE, BEST])
"""Which sum of a look-ahead a learner goes by that searches."""

LITERAL, TERMINAL_CHECK, LOOK_UP = range(3)
READINGS = ("literal", "terminal-check", "look-up")

ALL_PLIES, OWN_AND_LAST, OWN_ONLY = range(3)
RECORDINGS = ("all", "own-and-last", "own")

MAX_PLIES = 512
UNKNOWN = -1.0


class Settings(NamedTuple):
    """What a learning run is made of; numbers of the lists above where the names say so."""

    learner: int = BASELINE
    reading: int = TERMINAL_CHECK
    opponent: int = 1
    recording: int = ALL_PLIES
    role: int = 0
    alternate: int = 0
    """Whether the roles change from match to match."""
    depth: int = 2
    """Plies of look-ahead below an afterstate."""
    recall: int = 0
    """Whether learned values count where the look-ahead stops."""
    alpha: float = 0.3
    trace: float = 0.7
    epsilon: float = 0.01
    opponent_epsilon: float = 0.1
    recognise: int = 0
    """Whether the learner has to find out against whom it plays."""
    forget: float = 1.0
    """What is left of the evidence about the opponent after each match."""
    period: int = 500
    """Matches after which a switching opponent becomes another."""


class Memory(NamedTuple):
    """What was learned in one run, per position and role; only what was touched is cleared for the next."""

    values: npt.NDArray[np.float64]  # [positions, 2] UNKNOWN where nothing was learned
    visits: npt.NDArray[np.int32]  # [positions, 2]
    own: npt.NDArray[np.bool_]  # [positions, 2] whether it was visited as an afterstate that goes on
    touched: npt.NDArray[np.int64]  # [entries] 2 * position + role
    used: npt.NDArray[np.int64]  # [1]


class Features(NamedTuple):
    """Values of shapes, found by the shape's word, one for each opponent that was met; and what those were like."""

    keys: npt.NDArray[np.uint64]  # [slots] 0 for a free slot
    values: npt.NDArray[np.float32]  # [slots, opponents] UNKNOWN where an opponent never led there
    depth: int
    """Shapes of this depth are tried first, then less deep ones."""
    profiles: npt.NDArray[np.float64]  # [opponents, classes] how much each kind of move is liked
    belief: npt.NDArray[np.float64]  # [opponents] how likely it is that this is the opponent
    evidence: npt.NDArray[np.float64]  # [opponents] log-likelihood
    habits: npt.NDArray[np.float64]  # [classes] the profile of the opponent, as far as it is recognised


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
    fresh, known = make_memory(positions), len(memory.values)
    for name in ("values", "visits", "own"):
        getattr(fresh, name)[:known] = getattr(memory, name)
    fresh.touched[: memory.used[0]] = memory.touched[: memory.used[0]]
    fresh.used[:] = memory.used
    return fresh


@kernel
def clear_memory(memory: Any) -> None:
    """Forget everything."""
    for number in range(memory.used[0]):
        position, role = memory.touched[number] >> 1, memory.touched[number] & 1
        memory.values[position, role] = UNKNOWN
        memory.visits[position, role] = 0
        memory.own[position, role] = False
    memory.used[0] = 0


@kernel
def remember(memory: Any, position: int, role: int, value: float) -> None:
    """Give a position a value, a first one perhaps."""
    if memory.values[position, role] < 0.0:
        memory.touched[memory.used[0]] = 2 * position + role
        memory.used[0] += 1
    memory.values[position, role] = value


@kernel
def feature_value(features: Any, word: Any) -> float:
    """The value of a shape against the opponent as far as it is recognised; UNKNOWN if there is none."""
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
def initial_value(
    graph: Any, rules: Any, settings: Any, features: Any, memory: Any, stack: Any, position: int, role: int
) -> float:
    """What a learner takes an afterstate to be worth that it meets for the first time."""
    recall, habits = settings.recall == 1, features.habits
    if settings.learner == TRANSFER:
        for less in range(features.depth - 1):
            depth = features.depth - less
            word = look_ahead(graph, rules, position, role, depth, recall, memory.values, habits, stack)
            value = feature_value(features, word)
            if value >= 0.0:
                return value
    elif settings.learner > TRANSFER:
        look_ahead(graph, rules, position, role, settings.depth, recall, memory.values, habits, stack)
        return stack.sums[0, SUM_OF_LEARNER[settings.learner]]
    return DEFAULT


@kernel
def choose_best(worth: Any, count: int, rng: Any) -> int:
    """The number of the highest of some values, ties at random."""
    best, ties = worth[0], 0
    for number in range(count):
        best = max(best, worth[number])
    for number in range(count):
        ties += worth[number] == best
    left = draw_below(rng, ties) if ties > 1 else 0
    for number in range(count):
        if worth[number] == best:
            if left == 0:
                return number
            left -= 1
    return 0


@kernel
def known_worth(nodes: Any, edges: Any, values: Any, checks: bool, position: int, role: int, worth: Any) -> bool:
    """What the candidate moves are worth without any look-ahead; returns whether something new goes on."""
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
def look_up(
    graph: Any, rules: Any, settings: Any, features: Any, memory: Any, stack: Any, position: int, role: int, worth: Any
) -> None:
    """Give new candidate moves their initial values; a learner that recalls does so until the first visit."""
    nodes, edges, values = graph.nodes, graph.edges, memory.values
    count, first = nodes[position, COUNT], nodes[position, FIRST]
    for child in range(count):
        found = np.int64(edges[first + child])
        fresh = values[found, role] < 0.0 or (settings.recall == 1 and memory.visits[found, role] == 0)
        if fresh and nodes[found, GOAL + role] < 0:
            worth[child] = initial_value(graph, rules, settings, features, memory, stack, found, role)
            remember(memory, found, role, worth[child])


@kernel
def rank_theirs(nodes: Any, edges: Any, kind: int, known: Any, position: int, player: int, worth: Any) -> None:
    """How much an opponent likes its moves by its kind; `known` are the values of one that adapts."""
    count, first = nodes[position, COUNT], nodes[position, FIRST]
    liked, shunned = (LOST, WON) if kind == WEAK else (WON, LOST)
    for child in range(count):
        found = np.int64(edges[first + child])
        if kind == ADAPTIVE:
            value, goal = known[found, player], nodes[found, GOAL + player]
            worth[child] = value if value >= 0.0 else np.float64(goal) if goal >= 0 else DEFAULT
        else:
            node = nodes[found, CLASS + player]
            worth[child] = 3.0 if node == liked else 0.0 if node == shunned else 2.0


@kernel
def prefer_safe(graph: Any, rules: Any, position: int, winner: int, worth: Any) -> None:
    """Lower the ranks of moves that go on and let the other player win at once."""
    nodes, edges = graph.nodes, graph.edges
    count, first = nodes[position, COUNT], nodes[position, FIRST]
    for child in range(count):
        found = np.int64(edges[first + child])
        if nodes[found, CLASS + winner] == OPEN:
            if nodes[found, FIRST] < 0:
                expand_position(graph, rules, found)
            start, gives_win = nodes[found, FIRST], False
            for reply in range(nodes[found, COUNT]):
                gives_win |= nodes[edges[start + reply], CLASS + winner] == WON
            worth[child] -= gives_win


@kernel
def update(memory: Any, path: Any, count: int, role: int, reward: float, settings: Any) -> None:
    """TD(lambda) over the recorded positions, all values taken as they are before it."""
    following, trace = reward, 0.0
    for place in range(count):
        position = path[count - 1 - place]
        value = memory.values[position, role]
        trace = (following - value) + settings.trace * trace
        following = value
        memory.values[position, role] = value + settings.alpha * trace
        memory.visits[position, role] += 1


@kernel
def first_visit(
    graph: Any, rules: Any, settings: Any, features: Any, memory: Any, stack: Any, position: int, role: int,
    is_own: bool,
) -> None:  # fmt: skip
    """Give a recorded position that is new its initial value."""
    goal, value = graph.nodes[position, GOAL + role], DEFAULT
    if goal >= 0 and settings.learner != BASELINE:
        value = np.float64(goal)
    elif goal < 0 and is_own:
        value = initial_value(graph, rules, settings, features, memory, stack, position, role)
    remember(memory, position, role, value)


@kernel
def play_match(
    graph: Any, rules: Any, settings: Any, kind: int, role: int, features: Any, memory: Any, theirs: Any, stack: Any,
    rngs: Any, worth: Any, path: Any, own: Any, counts: Any,
) -> int:  # fmt: skip
    """One match; fills in the path of positions and returns how many there are."""
    nodes, edges, values, known = graph.nodes, graph.edges, memory.values, theirs.values
    mine, others = rngs[0], rngs[1]
    checks = settings.reading != LITERAL and settings.learner != BASELINE
    looks_up = settings.reading == LOOK_UP and settings.learner > TERMINAL_ONLY
    position, plies = np.int64(0), np.int64(0)
    while nodes[position, GOAL] < 0 and plies < MAX_PLIES:
        if nodes[position, FIRST] < 0:
            expand_position(graph, rules, position)
            if graph.used[2] != WORKING:
                return 0
        count = nodes[position, COUNT]
        own[plies] = nodes[position, MOVER] == role
        if own[plies]:
            if draw_share(mine) < settings.epsilon:
                chosen = draw_below(mine, count)
            else:
                news = known_worth(nodes, edges, values, checks, position, role, worth)
                if looks_up and (news or settings.recall == 1):
                    look_up(graph, rules, settings, features, memory, stack, position, role, worth)
                chosen = choose_best(worth, count, mine)
        else:
            if kind == RANDOM or draw_share(others) < settings.opponent_epsilon:
                chosen = draw_below(others, count)
            else:
                rank_theirs(nodes, edges, kind, known, position, 1 - role, worth)
                if kind == BLOCKING:
                    prefer_safe(graph, rules, position, role, worth)
                chosen = choose_best(worth, count, others)
            picked = watch(nodes, edges, position, chosen, 1 - role, counts)
            if settings.recognise and picked >= 0:
                weigh(features, counts[2], picked)
        position = np.int64(edges[nodes[position, FIRST] + chosen])
        path[plies] = position
        plies += 1
    return plies


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
def learn_matches(
    graph: Any, rules: Any, settings: Any, features: Any, memory: Any, theirs: Any, stack: Any, rngs: Any,
    rewards: Any, counts: Any,
) -> int:  # fmt: skip
    """Play and learn; fills in the rewards and returns how many matches were played before the graph had a problem.

    `theirs` is the memory of an opponent that adapts; `counts` gets what the opponent's moves were like.
    """
    worth = np.zeros(len(rules.moves))
    path, recorded = np.zeros(MAX_PLIES, np.int64), np.zeros(MAX_PLIES, np.int64)
    own = np.zeros(MAX_PLIES, np.bool_)
    for match in range(len(rewards)):
        role = (settings.role + settings.alternate * match) & 1
        kind = kind_now(settings.opponent, match, settings.period)
        plies = play_match(
            graph, rules, settings, kind, role, features, memory, theirs, stack, rngs, worth, path, own, counts
        )
        if plies == 0:
            return match
        reward = np.float64(max(0, graph.nodes[path[plies - 1], GOAL + role]))
        rewards[match] = reward
        number = np.int64(0)
        for ply in range(plies):
            over = ply == plies - 1
            if own[ply] or settings.recording == ALL_PLIES or (over and settings.recording == OWN_AND_LAST):
                if memory.values[path[ply], role] < 0.0:
                    first_visit(graph, rules, settings, features, memory, stack, path[ply], role, own[ply])
                memory.own[path[ply], role] |= own[ply] and not over
                recorded[number] = path[ply]
                number += 1
        update(memory, recorded, number, role, reward, settings)
        if kind == ADAPTIVE:
            learn_theirs(graph, settings, theirs, path, plies, 1 - role)
        if settings.recognise:
            believe(features, settings.forget)
        if graph.used[2] != WORKING:
            return match
    return len(rewards)


@kernel
def shapes_of(graph: Any, rules: Any, settings: Any, memory: Any, stack: Any, words: Any) -> None:
    """The words of the shapes of all visited afterstates, in the order in which they were touched; others get 0."""
    habits = np.ones(KINDS)
    for number in range(memory.used[0]):
        position, role = memory.touched[number] >> 1, memory.touched[number] & 1
        words[number] = NO_FEATURE
        if memory.own[position, role]:
            recall = settings.recall == 1
            words[number] = look_ahead(
                graph, rules, position, role, settings.depth, recall, memory.values, habits, stack
            )
