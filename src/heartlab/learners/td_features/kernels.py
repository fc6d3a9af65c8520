"""TD(λ) over conjunctions, backwards through each deal (Sturtevant and White 2006), as one compiled loop.

A deal is played by max^n to the end of each trick: the learner over its own network, which it also takes for the
others' judgement; the others over the hand-tuned expert or, in self-play, over the same network. Then the states at
trick boundaries in which points were still to be taken are visited from last to first:

    target = points taken in the deal
    for each state:  y = value;  target = (1 - λ)·y + λ·target;  every active weight += rate / active · (target - y)

Values in learning are not cut. A deal ends when no points are left: what follows cannot change anything.

Beyond the papers: with `worlds` everybody chooses as closed players do, so that the network learns what an open state
is worth among players who do not see it; with `leaf` (TDLeaf) it is not the state itself that is valued and changed but
the one that the search expects at the end of the trick.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ZERO, bit
from heartlab.compiled.jit import compile_for, kernel, template
from heartlab.compiled.rng import below, substream
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import OBSERVATION, OVER, RULES, SEATS, STATE
from heartlab.kernel.observe import see
from heartlab.kernel.play import mask_points, play
from heartlab.kernel.worlds import sample_worlds
from heartlab.learners.td_features.conjunctions import STACK, list_active, sum_listed
from heartlab.learners.td_features.features import EXTRACT, WORDS
from heartlab.learners.td_features.network import CHANGE, REST, seat_value, undecided
from heartlab.search.evaluators.base import DATA_TYPE, SIGNATURE, Data, points_out, settled_points
from heartlab.search.found import CHILD
from heartlab.search.maxn import search_for
from heartlab.search.options import SPEC, Kind, Ties
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.soft import soft_for
from heartlab.search.trick import SLOTS, Trail, new_trail, search_below, within_trick
from heartlab.search.walk import EPSILON, Judge, Plan, begin_at, stop_after

SETTINGS = np.dtype(
    [
        ("decay", "f8"),  # λ
        ("rate", "f8"),  # how much of the error one update removes
        ("halving", "f8"),  # deals after which that is half as much, then a third, and so on; 0: it stays
        ("views", "i8"),  # seats that learn from a deal: 1 (the learner) or all
        ("self_play", "i8"),  # whether the others use the network, too
        ("worlds", "i8"),  # 0: all see all hands; else every choice is the best on average in so many sampled worlds
        ("leaf", "i8"),  # whether the state that a search expects is learned, and not the one where it starts
    ]
)
NOTE = np.dtype([("low", "u8"), ("high", "u8"), ("error", "f8")])
"""A state that was learned: its mask, and the result of the deal minus its value before."""
LEARNER, OTHERS = 0, 1
"""Places in the array of specs."""


class Choice(NamedTuple):
    """Working memory for choosing cards."""

    children: Any  # [MAX_MOVES, CHILD] what a search finds: card, value of each seat
    sums: Any  # the same, added up over worlds
    cards: Any  # [MAX_MOVES] candidates
    worlds: Any  # [worlds] STATE
    seen: Any  # [1] OBSERVATION
    counters: Any  # of the searches
    trail: Trail  # of a search of a trick
    leaves: Any  # [SLOTS] STATE: the leaves that a search keeps
    left: Any  # [SLOTS] points still to be taken there
    masks: Any  # [SLOTS, SEATS, WORDS] their atomic features
    points: Any  # [SLOTS, SEATS] or, where none are left, the points of every seat


@kernel
def new_choice(worlds: int, counters: Any) -> Choice:
    """Memory for choices in so many sampled worlds; 0: with all hands known."""
    return Choice(
        np.empty((MAX_MOVES, CHILD)), np.empty((MAX_MOVES, CHILD)), np.empty(MAX_MOVES, np.int64),
        np.zeros(worlds, STATE), np.zeros(1, OBSERVATION), counters, new_trail(),
        np.empty(SLOTS, STATE), np.empty(SLOTS, np.int64), np.empty((SLOTS, SEATS, WORDS), np.uint64),
        np.empty((SLOTS, SEATS)),
    )  # fmt: skip


class Sight(NamedTuple):
    """A network that judges leaves on demand."""

    extract: Any  # fills masks
    floats: Any
    ints: Any
    scratch: Any


@template
def look_at_masks(rules: Any, state: Any, root: int, judge: Any, slot: int) -> None:
    """Keep what a network sees of a leaf."""
    sight, leaves, left, masks, points = judge
    left[slot] = undecided(rules, state, points[slot])
    if left[slot] != 0:
        leaves[slot] = state
        sight.extract(rules, state, masks[slot])


@template
def tell_by_mask(rules: Any, judge: Any, slot: int, seat: int) -> float:
    """The value of a leaf for one seat."""
    sight, leaves, left, masks, points = judge
    if left[slot] == 0:
        value = points[slot, seat]
    else:
        value = seat_value(
            rules, leaves[slot], seat, left[slot], masks[slot, seat, 0], masks[slot, seat, 1], sight.floats,
            sight.ints, sight.scratch,
        )  # fmt: skip
    return value


@kernel
def search_by_network(rules: Any, state: Any, plan: Plan, spec: Any, sight: Sight, rng: Any, choice: Choice) -> int:
    """Search the trick: `choice.children` gets the candidate cards with their values for the searching seat alone."""
    trail, children, cards = choice.trail, choice.children, choice.cards
    kept = (sight, choice.leaves, choice.left, choice.masks, choice.points)
    counters = choice.counters
    trail.moves[:, :, 0] = 0
    trail.stack[0] = state
    count = candidates(rules, state, plan.merge, cards)
    for i in range(count):
        children[i, 0] = cards[i]
        if count > 1:
            begin_at(rules, trail.stack, cards[i])
            search_below(rules, plan, spec["ties"], trail, rng, counters, kept, look_at_masks, tell_by_mask)
            children[i, 1 + plan.root] = tell_by_mask(rules, kept, trail.path[1]["slot"], plan.root)
    return count


@kernel
def look_ahead(rules: Any, state: Any, plan: Plan, spec: Any, judge: Judge, rng: Any, out: Any, counters: Any) -> int:
    """Search the candidates of the seat to move as the spec says; returns their number."""
    if spec["kind"] == Kind.SOFTMAXN:
        return soft_for(rules, state, plan, judge, out, counters)
    return search_for(rules, state, plan, spec, judge, rng, out, counters)


@kernel
def choose(rules: Any, state: Any, spec: Any, judge: Judge, rng: Any, choice: Choice) -> int:
    """The card that a search to the end of the trick finds best; ties as the spec says."""
    if candidates(rules, state, True, choice.cards) == 1:
        return choice.cards[0]
    seat = np.int64(state["to_move"])
    plan = Plan(seat, stop_after(rules, state, spec["plies"], spec["tricks"]), True, False)
    rows = look_ahead(rules, state, plan, spec, judge, rng, choice.children, choice.counters)
    return best_row(choice.children, rows, seat, spec["ties"], rng)


@kernel
def choose_own(rules: Any, state: Any, spec: Any, judge: Judge, extract: Any, rng: Any, choice: Choice) -> int:
    """The same with the network that learns; max^n computes its values only where they are needed."""
    seat = np.int64(state["to_move"])
    plan = Plan(seat, stop_after(rules, state, spec["plies"], spec["tricks"]), True, False)
    if spec["kind"] != Kind.MAXN or not within_trick(rules, state, plan):
        return choose(rules, state, spec, judge, rng, choice)
    sight = Sight(extract, judge.floats, judge.ints, judge.scratch)
    rows = search_by_network(rules, state, plan, spec, sight, rng, choice)
    return best_row(choice.children, rows, seat, spec["ties"], rng)


@kernel
def best_row(children: Any, rows: int, seat: int, ties: int, rng: Any) -> int:
    """The card of the row that is best for a seat."""
    best = 0
    tied = 1
    for row in range(1, rows):
        gap = children[row, 1 + seat] - children[best, 1 + seat]
        if gap < -EPSILON:
            best = row
            tied = 1
        elif gap <= EPSILON and ties != Ties.FIRST:
            tied += 1
            if below(rng, tied) == 0:
                best = row
    return np.int64(children[best, 0])


@kernel
def choose_closed(rules: Any, state: Any, spec: Any, judge: Judge, rng: Any, choice: Choice) -> int:
    """The card that is best on average in sampled worlds: what a closed player with the same network does."""
    if candidates(rules, state, True, choice.cards) == 1:
        return choice.cards[0]
    seat = np.int64(state["to_move"])
    plan = Plan(seat, stop_after(rules, state, spec["plies"], spec["tricks"]), True, False)
    see(rules, state, seat, np.uint64(0), choice.seen[0])
    sample_worlds(rules, choice.seen[0], rng, choice.worlds)
    children, sums = choice.children, choice.sums
    sums[:] = 0.0
    rows = 0
    for world in range(len(choice.worlds)):
        rows = look_ahead(rules, choice.worlds[world], plan, spec, judge, rng, children, choice.counters)
        for row in range(rows):
            sums[row, 0] = children[row, 0]
            sums[row, 1 + seat] += children[row, 1 + seat]
    return best_row(sums, rows, seat, spec["ties"], rng)


@kernel
def foresee(rules: Any, state: Any, spec: Any, judge: Judge, rng: Any, choice: Choice) -> None:
    """Play on to the end of the trick as the network expects everybody to play."""
    going = True
    while going:
        play(rules, state, choose(rules, state, spec, judge, rng, choice))
        going = state["trick_size"] > 0 and state["phase"] != OVER


@kernel
def count_taken(rules: Any, state: Any, out: Any) -> None:
    """The penalty points that every seat has."""
    for seat in range(rules["players"]):
        out[seat] = mask_points(rules, state["taken"][seat] & rules["penalty"])


@kernel
def leave_out_bonus(rules: Any, state: Any, result: Any) -> None:
    """Take the bonus card's points out of a result: a network foresees penalty points, its evaluator adds the bonus."""
    for seat in range(rules["players"]):
        if rules["bonus"] >= 0 and state["taken"][seat] & bit(rules["bonus"]) != ZERO:
            result[seat] -= rules["points"][rules["bonus"]]


class Lesson(NamedTuple):
    """The states of a deal that are learned from, in order of play."""

    masks: Any  # [states, SEATS, WORDS] atomic features, from each seat's view
    before: Any  # [states, SEATS] points that each seat had: they count if the network foresees only the rest
    active: Any  # scratch: active conjunctions
    stack: Any  # scratch
    notes: Any  # [room] NOTE: states learned in the present call, while there is room


@kernel
def learn_backwards(
    lesson: Lesson, seat: int, count: int, result: float, decay: float, rate: float, judge: Judge, noted: int
) -> tuple[float, int]:  # fmt: skip
    """Visit a deal's states from last to first; returns the absolute error of the first one, before its update.

    While there is room the states are noted, `noted` of them so far; the second result is their new number.
    """
    weights = judge.floats.view(np.float32)
    trie = judge.ints.view(np.uint64)
    active, notes = lesson.active, lesson.notes
    target = result
    error = 0.0
    for i in range(count - 1, -1, -1):
        # Value of the state.
        low, high = lesson.masks[i, seat, 0], lesson.masks[i, seat, 1]
        found = list_active(trie, low, high, lesson.stack, active)
        value = lesson.before[i, seat] * judge.floats[REST] + sum_listed(weights, active, found)
        error = abs(result - value)
        if noted < len(notes):
            notes[noted]["low"] = low
            notes[noted]["high"] = high
            notes[noted]["error"] = result - value
            noted += 1
        if found == 0:
            continue
        # TD(λ): the target mixes the value with the target of the state after it; all active weights share the error.
        target = (1.0 - decay) * value + decay * target
        step = np.float32(rate / found * (target - value))
        for k in range(np.uint64(found)):
            weights[active[k]] += step
    return error, noted


@kernel
def note_state(rules: Any, state: Any, extract: Any, lesson: Lesson, count: int) -> None:
    """Keep what the network sees of a state."""
    extract(rules, state, lesson.masks[count])
    count_taken(rules, state, lesson.before[count])


class Course(NamedTuple):
    """How deals are played and learned."""

    settings: Any  # [1] SETTINGS
    specs: Any  # [LEARNER, OTHERS] SPEC: how they search


class Room(NamedTuple):
    """Working memory and results of training."""

    active: Any  # scratch: active conjunctions
    out: Any  # [deals, (points of the learner, error of its first state)]
    counters: Any  # of the searches
    notes: Any  # [room] NOTE


@kernel
def play_deal(
    rules: Any, states: Any, learner: int, course: Course, extract: Any, own: Judge, others: Judge, rng: Any,
    choice: Choice, lesson: Lesson,
) -> int:  # fmt: skip
    """Play a deal from `states[0]` until no points are left, noting the states to learn from; returns their number."""
    settings = course.settings[0]
    state, ahead = states[0], states[1]
    count = 0
    while state["phase"] != OVER:
        # Between tricks: note the state, or with TDLeaf the one that the search expects at the end of the trick.
        if state["trick_size"] == 0:
            if points_out(rules, state) == 0:
                break
            if settings["leaf"] != 0:
                states[1] = states[0]
                foresee(rules, ahead, course.specs[LEARNER], own, rng, choice)
                note_state(rules, ahead, extract, lesson, count)
                count += points_out(rules, ahead) > 0
            else:
                note_state(rules, state, extract, lesson, count)
                count += 1
        # The seat to move searches with its own evaluator.
        if settings["worlds"] > 0:
            card = choose_closed(rules, state, course.specs[LEARNER], own, rng, choice)
        elif settings["self_play"] != 0 or state["to_move"] == learner:
            card = choose_own(rules, state, course.specs[LEARNER], own, extract, rng, choice)
        else:
            card = choose(rules, state, course.specs[OTHERS], others, rng, choice)
        play(rules, state, card)
    return count


@kernel
def train_deals(
    rules: Any, key: np.uint64, first: int, course: Course, extract: Any, function: Any, data: Data,
    other_function: Any, other_data: Data, room: Room,
) -> int:  # fmt: skip
    """Play and learn deals from number `first` on: `room.out` gets the learner's points and error.

    States that were learned are written into `room.notes` until they are full; returns how many.
    """
    settings = course.settings[0]
    own = Judge(function, data.floats, data.ints, data.scratch)
    others = Judge(other_function, other_data.floats, other_data.ints, other_data.scratch)
    choice = new_choice(settings["worlds"], room.counters)
    masks, before = np.empty((32, SEATS, WORDS), np.uint64), np.zeros((32, SEATS))
    lesson = Lesson(masks, before, room.active, np.empty(STACK, np.uint64), room.notes)
    states = np.zeros(2, STATE)
    rng = np.empty(1, np.uint64)
    result = np.empty(SEATS)
    players = np.int64(rules[0]["players"])
    memory = own.scratch.view(np.uint64)
    noted = 0
    for number in range(len(room.out)):
        # Deal and play.
        rng[0] = substream(key, first + number)
        deal(rules[0], states[0], first + number, rng)
        learner = (first + number) % players
        count = play_deal(rules[0], states, learner, course, extract, own, others, rng, choice, lesson)
        # Outcome, and the rate of this deal.
        settled_points(rules[0], states[0], result)
        leave_out_bonus(rules[0], states[0], result)
        rate = settings["rate"]
        if settings["halving"] > 0:
            rate /= 1.0 + (first + number) / settings["halving"]
        # Learn, from the learner's view or from all.
        for step in range(players):
            seat = (learner + step) % players
            if step == 0 or settings["views"] > 1:
                error, noted = learn_backwards(
                    lesson, seat, count, result[seat], settings["decay"], rate, own, noted
                )  # fmt: skip
                if step == 0:
                    room.out[number, 0] = result[seat]
                    room.out[number, 1] = error
        memory[CHANGE] += np.uint64(1)
    return noted


TRAIN_SIGNATURE = types.int64(
    types.Array(numba.from_dtype(RULES), 1, "C", readonly=True), types.uint64, types.int64,
    types.NamedTuple(
        (types.Array(numba.from_dtype(SETTINGS), 1, "C"), types.Array(numba.from_dtype(SPEC), 1, "C")), Course
    ),
    types.FunctionType(EXTRACT), types.FunctionType(SIGNATURE), DATA_TYPE, types.FunctionType(SIGNATURE), DATA_TYPE,
    types.NamedTuple(
        (types.uint32[::1], types.float64[:, ::1], types.int64[::1], types.Array(numba.from_dtype(NOTE), 1, "C")), Room
    ),
)  # fmt: skip


def prepare_training() -> None:
    """Compile the loop, once for all feature sets and opponents; call this before `train_deals`."""
    compile_for(train_deals, TRAIN_SIGNATURE)
