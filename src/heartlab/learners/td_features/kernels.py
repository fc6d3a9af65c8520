"""TD(λ) over conjunctions, backwards through each deal (Sturtevant and White 2006), as one compiled loop.

Every card of a training deal is chosen by max^n to the end of the trick. The learner searches over its own network and
takes it as the model of the others, too; the others search over the hand-tuned expert or, in self-play, over the same
network. Afterwards the positions at trick boundaries in which points were still to be taken are visited backwards:

    target = points taken in the deal
    for each position:  y = value;  target = (1 - λ)·y + λ·target;  every active weight += rate / active · (target - y)

Values are not clamped while learning. A deal ends when no points are left, since nothing can change after that.

Beyond the papers: with `worlds` every seat chooses as a closed player does, so that the network learns the value of an
open state among players who do not see it; with `leaf` (TDLeaf) the position that is recorded is not the current one
but the one that the search expects at the end of the trick.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ZERO, bit
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import below, substream
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import OBSERVATION, OVER, RULES, SEATS, STATE
from heartlab.kernel.observe import see
from heartlab.kernel.play import mask_points, play
from heartlab.kernel.worlds import sample_worlds
from heartlab.learners.td_features.conjunctions import list_active, sum_listed
from heartlab.learners.td_features.features import EXTRACT, WORDS
from heartlab.learners.td_features.network import CHANGE, REST, STACK_AT, TABLE_AT
from heartlab.search.evaluators.base import SIGNATURE, points_out, settled_points
from heartlab.search.maxn import EPSILON, MAXN, search_root, stop_after
from heartlab.search.options import SPEC
from heartlab.search.ordering import MAX_MOVES, candidates

SETTINGS = np.dtype(
    [
        ("decay", "f8"),  # λ
        ("rate", "f8"),  # the share of the error that one update removes
        ("halving", "f8"),  # deals after which the rate is a half, then a third, and so on; 0: it stays
        ("views", "i8"),  # seats that learn from a deal: 1 (the learner) or all
        ("self_play", "i8"),  # whether the others use the network, too
        ("worlds", "i8"),  # 0: all hands are known; else each choice is the best on average in so many sampled worlds
        ("leaf", "i8"),  # TDLeaf
    ]
)
NOTE = np.dtype([("low", "u8"), ("high", "u8"), ("error", "f8")])
"""A position that was learned: its mask, and the result of the deal minus its value before the update."""
MAX_TRICKS = 32
"""Room for the positions of a deal."""


class Data(NamedTuple):
    """The arrays of a player of training deals: options of its search, and the data of its evaluator."""

    spec: Any  # [1] SPEC
    floats: Any
    ints: Any
    scratch: Any


class Lesson(NamedTuple):
    """What a call of `train_deals` fills."""

    out: Any  # [deals, 2] the learner's points, and the absolute error of its first position
    counters: Any
    active: Any  # working memory: a list of active nodes
    notes: Any  # positions that were learned, until it is full


class Mind(NamedTuple):
    """An evaluator with its search."""

    spec: Any
    function: Any
    floats: Any
    ints: Any
    scratch: Any


class Desk(NamedTuple):
    """Working memory for choosing cards."""

    rng: Any
    table: Any  # [cards, 2 + seats] rows of a search
    cards: Any
    counters: Any
    worlds: Any  # sampled states
    seen: Any  # [1] what the seat to move observes
    sums: Any  # like `table`, summed over the worlds


class Positions(NamedTuple):
    """The positions of a deal."""

    masks: Any  # [positions, seats, words] active atoms
    taken: Any  # [positions, seats] points that each seat has already


# --- choosing cards ---


@kernel
def search_rows(rules: Any, state: Any, mind: Mind, desk: Desk) -> int:
    """Search a state by max^n; returns the number of rows of `desk.table`: one per card."""
    spec = mind.spec
    stop = stop_after(rules, state, spec["plies"], spec["tricks"])
    return search_root(
        rules, state, MAXN, stop, True, spec["ties"], spec, mind.function, mind.floats, mind.ints, mind.scratch,
        desk.rng, desk.table, desk.counters,
    )  # fmt: skip


@kernel
def choose(rules: Any, state: Any, mind: Mind, desk: Desk) -> int:
    """The card that max^n to the end of the trick finds best; ties as the spec says."""
    if candidates(rules, state, True, desk.cards) == 1:
        return desk.cards[0]
    seat = state["to_move"]
    rows = search_rows(rules, state, mind, desk)
    return best_row(desk.table, rows, seat, mind.spec["ties"], desk.rng)


@kernel
def best_row(table: Any, rows: int, seat: int, ties: int, rng: Any) -> int:
    """The card of the row that is best for a seat."""
    best = 0
    tied = 1
    for row in range(1, rows):
        gap = table[row, 1 + seat] - table[best, 1 + seat]
        if gap < -EPSILON:
            best = row
            tied = 1
        elif gap <= EPSILON and ties != 0:
            tied += 1
            if below(rng, tied) == 0:
                best = row
    return np.int64(table[best, 0])


@kernel
def choose_closed(rules: Any, state: Any, mind: Mind, desk: Desk) -> int:
    """The card that is best on average in sampled worlds: what a closed player with the same network plays."""
    if candidates(rules, state, True, desk.cards) == 1:
        return desk.cards[0]
    seat = np.int64(state["to_move"])
    see(rules, state, seat, np.uint64(0), desk.seen[0])
    sample_worlds(rules, desk.seen[0], desk.rng, desk.worlds)
    table, sums = desk.table, desk.sums
    sums[:] = 0.0
    rows = 0
    for world in range(len(desk.worlds)):
        rows = search_rows(rules, desk.worlds[world], mind, desk)
        for row in range(rows):
            sums[row, 0] = table[row, 0]
            sums[row, 1 + seat] += table[row, 1 + seat]
    return best_row(sums, rows, seat, mind.spec["ties"], desk.rng)


@kernel
def foresee(rules: Any, state: Any, mind: Mind, desk: Desk) -> None:
    """Play on to the end of the trick as the network expects everybody to play."""
    going = True
    while going:
        play(rules, state, choose(rules, state, mind, desk))
        going = state["trick_size"] > 0 and state["phase"] != OVER


# --- learning ---


@kernel
def record_position(rules: Any, state: Any, extract: Any, positions: Positions, number: int) -> None:
    """Write down the active atoms of a state and the penalty points that every seat has."""
    extract(rules, state, positions.masks[number])
    for seat in range(rules["players"]):
        positions.taken[number, seat] = mask_points(rules, state["taken"][seat] & rules["penalty"])


@kernel
def leave_out_bonus(rules: Any, state: Any, result: Any) -> None:
    """Subtract the bonus card: a network predicts penalty points, and its evaluator adds the bonus."""
    for seat in range(rules["players"]):
        if rules["bonus"] >= 0 and state["taken"][seat] & bit(rules["bonus"]) != ZERO:
            result[seat] -= rules["points"][rules["bonus"]]


@kernel
def learn_backwards(
    masks: Any, taken: Any, count: int, result: float, decay: float, rate: float, data: Data, lesson: Lesson, noted: int
) -> tuple[float, int]:  # fmt: skip
    """TD(λ) over the positions of one seat, last to first; returns the absolute error of the first before its update.

    `taken` counts if the network predicts only the rest of the points. Positions go into `lesson.notes` while there is
    room, `noted` of them so far; the second result is their new number.
    """
    weights, trie = data.floats.view(np.float32), data.ints.view(np.uint64)
    active, notes = lesson.active, lesson.notes
    stack = data.scratch.view(np.uint64)[STACK_AT:TABLE_AT]
    target = result
    error = 0.0
    for i in range(count - 1, -1, -1):
        found = list_active(trie, masks[i, 0], masks[i, 1], stack, active)
        value = taken[i] * data.floats[REST] + sum_listed(weights, active, found)
        error = abs(result - value)
        if noted < len(notes):
            notes[noted]["low"] = masks[i, 0]
            notes[noted]["high"] = masks[i, 1]
            notes[noted]["error"] = result - value
            noted += 1
        if found == 0:
            continue
        target = (1.0 - decay) * value + decay * target
        step = np.float32(rate / found * (target - value))
        for k in range(np.uint64(found)):
            weights[active[k]] += step
    return error, noted


@kernel
def play_deal(rules: Any, states: Any, settings: Any, learner: int, extract: Any, minds: Any, desk: Desk,
              positions: Positions) -> int:  # fmt: skip
    """Play a deal until no points are left; returns how many positions were recorded.

    :param minds: of the learner and of the others.
    """
    state, ahead = states[0], states[1]
    own, other = minds
    count = 0
    while state["phase"] != OVER:
        if state["trick_size"] == 0:
            if points_out(rules, state) == 0:
                break
            # Record the position at the trick boundary, or (TDLeaf) the one that is expected at the next.
            if settings["leaf"] != 0:
                states[1] = states[0]
                foresee(rules, ahead, own, desk)
                record_position(rules, ahead, extract, positions, count)
                count += points_out(rules, ahead) > 0
            else:
                record_position(rules, state, extract, positions, count)
                count += 1
        # Choose by search.
        if settings["worlds"] > 0:
            card = choose_closed(rules, state, own, desk)
        elif settings["self_play"] != 0 or state["to_move"] == learner:
            card = choose(rules, state, own, desk)
        else:
            card = choose(rules, state, other, desk)
        play(rules, state, card)
    return count


@kernel
def train_deals(
    rules: Any, key: np.uint64, first: int, settings: Any, extract: Any, function: Any, other_function: Any, data: Data,
    other: Data, lesson: Lesson,
) -> int:  # fmt: skip
    """Play and learn deals number `first` and on, one per row of `lesson.out`; returns how many positions were noted.

    Function pointers come as arguments of their own: numba does not take them from Python inside a record.
    """
    states = np.zeros(2, STATE)
    rng = np.empty(1, np.uint64)
    table = np.empty((MAX_MOVES, 2 + SEATS))
    desk = Desk(
        rng, table, np.empty(MAX_MOVES, np.int64), lesson.counters, np.zeros(settings[0]["worlds"], STATE),
        np.zeros(1, OBSERVATION), np.empty_like(table),
    )  # fmt: skip
    positions = Positions(np.empty((MAX_TRICKS, SEATS, WORDS), np.uint64), np.zeros((MAX_TRICKS, SEATS)))
    minds = (
        Mind(data.spec[0], function, data.floats, data.ints, data.scratch),
        Mind(other.spec[0], other_function, other.floats, other.ints, other.scratch),
    )
    result = np.empty(SEATS)
    players = np.int64(rules[0]["players"])
    noted = 0
    for row in range(len(lesson.out)):
        number = first + row
        # Deal the cards; the seats take turns to be the learner.
        rng[0] = substream(key, number)
        deal(rules[0], states[0], number, rng)
        learner = number % players
        # Play, recording positions.
        count = play_deal(rules[0], states, settings[0], learner, extract, minds, desk, positions)
        # The outcome is the target of the last position.
        settled_points(rules[0], states[0], result)
        leave_out_bonus(rules[0], states[0], result)
        # TD(λ) backwards, for the learner and then for the other seats that learn.
        rate = settings[0]["rate"]
        if settings[0]["halving"] > 0:
            rate /= 1.0 + number / settings[0]["halving"]
        for step in range(players if settings[0]["views"] > 1 else 1):
            seat = (learner + step) % players
            error, noted = learn_backwards(
                positions.masks[:, seat], positions.taken[:, seat], count, result[seat], settings[0]["decay"], rate,
                data, lesson, noted,
            )  # fmt: skip
            if step == 0:
                lesson.out[row, 0] = result[seat]
                lesson.out[row, 1] = error
        # Sums that the evaluator remembers are out of date now.
        data.scratch.view(np.uint64)[CHANGE] += np.uint64(1)
    return noted


_RULES = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
_FLOATS, _INTS = types.float64[::1], types.int64[::1]
_JUDGE = types.FunctionType(SIGNATURE)
_DATA = types.NamedTuple((types.Array(numba.from_dtype(SPEC), 1, "C"), _FLOATS, _INTS, _FLOATS), Data)
_LESSON = types.NamedTuple(
    (types.float64[:, ::1], _INTS, types.uint32[::1], types.Array(numba.from_dtype(NOTE), 1, "C")), Lesson
)
TRAIN_SIGNATURE = types.int64(
    _RULES, types.uint64, types.int64, types.Array(numba.from_dtype(SETTINGS), 1, "C"), types.FunctionType(EXTRACT),
    _JUDGE, _JUDGE, _DATA, _DATA, _LESSON,
)  # fmt: skip


def prepare_training() -> None:
    """Compile the loop, once for all feature sets and opponents; call this before `train_deals`."""
    compile_for(train_deals, TRAIN_SIGNATURE)
