"""Games of a FALCON agent: one compiled loop from the deal to the points, learning as it plays.

After each trick the agent gets its feedback: positive if it took no penalty points in it, negative otherwise. With
positive feedback the action vector is learned, with negative its inverse (the chosen action is what does not belong).
An element of the motor field that is 1 in the learned vector grows towards 1 (`Rule.DELTA`) or stays (`Rule.AND`, the
printed fuzzy AND); one that is 0 falls towards the floor, pv = 0.5·(1 − points in the trick / 16), and not below it.

`Rule.RETURNS` and `Rule.TD` go beyond the paper: weights are values of actions, learned from what the rest of the deal
cost, or from the next trick and the value of the next situation. A value is 1 for the best outcome, 0 for the worst.

The cards of a game depend on (deal key, number), dice on (play key, number), and on nothing else.

The steps of the loop are templates: their text becomes part of the loop. As kernels they would count references to
every array of their records at each call, which takes as long as the rest of a turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ZERO, bit, lowest
from heartlab.compiled.jit import compile_for, kernel, template
from heartlab.compiled.rng import below, seed_key, substream, uniform
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import RULES, SEATS, STATE, StateArray
from heartlab.kernel.play import legal, mask_points, play
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.learners.falcon.actions import COUNT as ACTIONS
from heartlab.learners.falcon.actions import applicable, best_action, first_action, single
from heartlab.learners.falcon.categories import COMPLEMENT, EMPTY, STORE, add, category_of
from heartlab.learners.falcon.partners import SIGNATURE
from heartlab.learners.falcon.percepts import COUNT as PAPER_BITS
from heartlab.learners.falcon.percepts import PLACE_COUNT, paper_percepts, place_percepts, unplayed_elsewhere
from heartlab.learners.falcon.settings import MAX_TRICKS, Dump, Floor, Match, Percepts, Rule

MOST_POINTS = 16.0
"""Points that a trick can hold: Q♠ and three hearts."""
AS_DEALT = -1
"""Leader: as the rules say."""

LEARNER = np.dtype(
    [
        ("percepts", "i8"),
        ("separate", "i8"),  # own networks for leading
        ("groups", "i8", MAX_TRICKS),  # the group of each trick
        ("rule", "i8"),
        ("learning", "i8"),
        ("sp", "i8"),
        ("forced", "i8"),  # whether turns with one legal card are learned from
        ("match", "i8"),
        ("dump", "i8"),
        ("itself", "i8", SEATS),  # whether the network plays in the k-th seat after the learner's
        ("leader", "i8"),  # seats from the learner to the first leader; AS_DEALT
        ("vigilance", "f8"),
        ("rate", "f8"),
        ("fresh", "f8"),  # weights of a new category; -1: the first vector that it learns
        ("epsilon", "f8"),
        ("discount", "f8"),
        ("relative", "f8"),  # weight of the opponents' mean points in the reward
        ("total", "f8"),  # points of a deal
    ],
    align=True,
)
"""The settings as kernels see them."""


class Series(NamedTuple):
    """A series of games: what they are drawn from, and the number of the first."""

    deals: np.uint64
    players: np.uint64
    first: int


def make_series(seed: int, purpose: str, first: int = 0) -> Series:
    """The games of a seed for some purpose."""
    return Series(seed_key(seed, f"{purpose} deals"), seed_key(seed, f"{purpose} players"), first)


NOTES = np.dtype(
    [
        ("cards", "i8", ACTIONS),  # the card of each action, -1 where it does not apply
        # what the learner did in each trick:
        ("rows", "i8", MAX_TRICKS),  # its category; EMPTY where there is nothing to learn
        ("actions", "i8", MAX_TRICKS),
        ("codes", "u8", MAX_TRICKS),  # percepts
        ("costs", "f8", MAX_TRICKS),  # points, relative to the others' if so set
        ("bests", "f8", MAX_TRICKS),  # the highest weight of an applicable action
    ],
    align=True,
)
"""Working memory of a learner."""


class Memory(NamedTuple):
    """Working memory of a series of games."""

    states: StateArray  # [1]
    notes: StateArray  # [1]


def make_memory() -> Memory:
    """Empty memory."""
    return Memory(np.zeros(1, STATE), np.zeros(1, NOTES))


# --- perceiving ---


@kernel
def network_of(learner: Any, trick_number: int, leads: bool) -> int:
    """The number of the network that is asked in a trick."""
    group = np.int64(learner["groups"][trick_number])
    return 2 * group + np.int64(leads) if learner["separate"] else group


@kernel
def percept_code(rules: Any, learner: Any, state: Any, hand: np.uint64, others: np.uint64) -> np.uint64:
    """The percept vector of the seat to move. `state` may be an observation."""
    code = paper_percepts(hand, others, state["trick"])
    seen = np.uint64((1 << PAPER_BITS) - 1)
    if learner["percepts"] == Percepts.PLACE:
        code |= place_percepts(rules, state) << np.uint64(PAPER_BITS)
        seen = np.uint64((1 << PAPER_BITS + PLACE_COUNT) - 1)
    if learner["match"] == Match.CODED:
        code |= (~code & seen) << np.uint64(COMPLEMENT)
    return code


# --- choosing ---


@kernel
def queen_rule(learner: Any, unplayed: np.uint64) -> bool:
    """What a15 is told about Q♠ having been played; the printed condition is the opposite of ours."""
    return (unplayed & QUEEN_BIT == ZERO) != (learner["dump"] == Dump.PRINTED)


@kernel
def _any_action(cards: Any, first: int, end: int, rng: Any) -> int:
    """A random applicable action."""
    best = -1
    count = 0
    for action in range(first, end):
        if cards[action] >= 0:
            count += 1
            if below(rng, count) == 0:
                best = action
    return best


@kernel
def _new_category(learner: Any, store: Any, owner: int, code: np.uint64) -> int:
    """A category for a percept vector that none resonates with; there must be a free row."""
    row = store.counts[0]
    store.counts[0] += 1
    add(store, owner, code, row)
    for i in range(ACTIONS):
        store.rows[row]["weights"][i] = max(0.0, learner["fresh"])
        store.rows[row]["visits"][i] = 0
    return row


@template
def _perceive(rules: Any, state: Any, own: np.uint64, learner: Any, notes: Any, rng: Any) -> tuple[np.uint64, int, int]:
    """The percept vector of the seat to move, and first and end of the actions that may apply; notes take the cards."""
    hand = state["hands"][state["to_move"]]
    others = unplayed_elsewhere(rules, state, hand)
    code = percept_code(rules, learner, state, hand, others)
    gone = queen_rule(learner, hand | others)
    first, end = applicable(own, state["led"], state["best"], gone, rng, notes["cards"])
    return code, first, end


@template
def _frozen_card(
    rules: Any, state: Any, own: np.uint64, trick: int, learner: Any, store: Any, notes: Any, rng: Any
) -> int:
    """The card that the network plays for the seat to move, without learning."""
    code, first, end = _perceive(rules, state, own, learner, notes, rng)
    row = category_of(learner, store, network_of(learner, trick, state["led"] == ZERO), code)
    if row == EMPTY:
        return notes["cards"][first_action(notes["cards"], first, end)]
    return notes["cards"][best_action(store.rows[row]["weights"], notes["cards"], first, end)]


@template
def _learners_card(
    rules: Any, state: Any, own: np.uint64, trick: int, learner: Any, store: Any, notes: Any, rng: Any
) -> int:
    """The card that the learner plays; what it did is noted."""
    # percepts and applicable actions
    code, first, end = _perceive(rules, state, own, learner, notes, rng)
    # the category that resonates; a new one if there is none
    owner = network_of(learner, trick, state["led"] == ZERO)
    row = category_of(learner, store, owner, code)
    if row == EMPTY:
        row = _new_category(learner, store, owner, code)
    # choice of the action: now and then at random, else the highest motor weight
    best = best_action(store.rows[row]["weights"], notes["cards"], first, end)
    action = best
    if learner["epsilon"] > 0.0 and uniform(rng) < learner["epsilon"]:
        action = _any_action(notes["cards"], first, end, rng)
    notes["rows"][trick], notes["actions"][trick], notes["codes"][trick] = row, action, code
    notes["bests"][trick] = store.rows[row]["weights"][best]
    return notes["cards"][action]


# --- learning ---


@kernel
def adapt(learner: Any, weights: Any, visits: Any, action: int, own: int, trick: int) -> None:
    """The paper's learning after a trick: `own` points taken by us, `trick` points in it.

    With `fresh` = -1 a new category takes over the first vector that it learns: A after a success, else its inverse.
    """
    success = own == 0
    floor = 0.5 * (1.0 - trick / MOST_POINTS) if learner["sp"] == Floor.TRICK else 0.0
    rate, delta = learner["rate"], learner["rule"] == Rule.DELTA
    takes_over = learner["fresh"] < 0.0 and not visits.any()
    visits[action] += 1
    chosen = weights[action]
    if takes_over:
        for i in range(len(weights)):
            weights[i] = 1.0 if (i == action) == success else 0.0
    elif success:
        for i in range(len(weights)):
            weights[i] -= rate * max(0.0, weights[i] - floor)
        weights[action] = chosen + rate * (1.0 - chosen) if delta else chosen
    else:
        if delta:
            for i in range(len(weights)):
                weights[i] += rate * (1.0 - weights[i])
        weights[action] = chosen - rate * max(0.0, chosen - floor)


@template
def _learn_trick(learner: Any, store: Any, notes: Any, trick: int, own: int, gained: int) -> None:
    """Feedback for a trick with so many points, of which we took `own`."""
    notes["costs"][trick] = own - learner["relative"] * (gained - own) / 3.0
    row = notes["rows"][trick]
    if row == EMPTY:
        return
    if learner["rule"] == Rule.DELTA or learner["rule"] == Rule.AND:
        adapt(learner, store.rows[row]["weights"], store.rows[row]["visits"], notes["actions"][trick], own, gained)
    if learner["match"] != Match.EXACT:
        store.rows[row]["code"] &= notes["codes"][trick]  # the sensory field learns at once, β = 1


@kernel
def _value_step(learner: Any, weights: Any, visits: Any, action: int, cost: float) -> None:
    """Move the value of an action towards what it cost: the mean of all so far, but steps no smaller than the rate."""
    visits[action] += 1
    low = -learner["relative"] * learner["total"] / 3.0
    value = 1.0 - (cost - low) / (learner["total"] - low)
    weights[action] += max(learner["rate"], 1.0 / visits[action]) * (value - weights[action])


@kernel
def learn_values(learner: Any, store: Any, notes: Any, tricks: int) -> None:
    """Teach all actions of a deal, the last first, what they cost.

    `Rule.RETURNS`: the rest of the deal. `Rule.TD`: the tricks up to the next choice, then what the best action there
    was worth at that time.
    """
    low = -learner["relative"] * learner["total"] / 3.0
    rest = 0.0
    for trick in range(tricks - 1, -1, -1):
        rest = notes["costs"][trick] + learner["discount"] * rest
        row = notes["rows"][trick]
        if row >= 0:
            _value_step(learner, store.rows[row]["weights"], store.rows[row]["visits"], notes["actions"][trick], rest)
            if learner["rule"] == Rule.TD:
                rest = low + (1.0 - notes["bests"][trick]) * (learner["total"] - low)


# --- games ---


@kernel
def deal_game(rules: Any, state: Any, series: Any, game: int, leader: int, rng: Any) -> int:
    """Deal a game of a series and set the players' dice; returns the learner's seat, which moves on by one each game.

    :param leader: seats from the learner to the first leader; AS_DEALT.
    """
    number = series.first + game
    rng[0] = substream(series.deals, number)
    deal(rules, state, number, rng)
    rng[0] = substream(series.players, number)
    players = np.int64(rules["players"])
    me = number % players
    if leader >= 0:
        state["leader"] = state["to_move"] = (me + leader) % players
    return me


@template
def _play_trick(
    rules: Any, state: Any, me: int, trick: int, learner: Any, store: Any, partners: Any, notes: Any,
    history: Any, rng: Any,
) -> np.uint64:  # fmt: skip
    """Play a trick; returns its cards."""
    players = np.int64(rules["players"])
    learning = learner["learning"] != 0
    notes["rows"][trick] = EMPTY
    cards = ZERO
    for _ in range(players):
        place = (np.int64(state["to_move"]) - me) % players
        own = legal(rules, state)
        forced = single(own)
        if place == 0 and learning and (learner["forced"] != 0 if forced else learner["itself"][0] != 0):
            card = _learners_card(rules, state, own, trick, learner, store, notes, rng)
        elif forced:
            card = lowest(own)
        elif learner["itself"][place] != 0:
            card = _frozen_card(rules, state, own, trick, learner, store, notes, rng)
        else:
            card = partners[place](rules, state, history, rng)
        history[state["plays"]] = card
        cards |= bit(card)
        play(rules, state, card)
    return cards


@kernel
def play_games(
    rules: Any, series: Any, memory: Any, learners: Any, store: Any, partner_0: Any, partner_1: Any, partner_2: Any,
    partner_3: Any, out: Any,
) -> int:  # fmt: skip
    """Play the games of a series, one per row of `out`: the points of the learner, then of those after it.

    The network plays in the learner's seat and in those that `learner["itself"]` says, but learns only in its own;
    `partner_k` plays in the k-th seat after it otherwise. Returns the number of games played:
    fewer than asked for if there may be too few free rows for the categories of the next one.
    """
    rule, learner, state, notes = rules[0], learners[0], memory.states[0], memory.notes[0]
    partners = (partner_0, partner_1, partner_2, partner_3)
    history, rng = np.full(52, -1, np.int8), np.empty(1, np.uint64)
    learning = learner["learning"] != 0
    players, tricks = np.int64(rule["players"]), np.int64(rule["hand_size"])
    for game in range(len(out)):
        if learning and store.counts[0] + MAX_TRICKS > len(store.rows):
            return game
        me = deal_game(rule, state, series, game, learner["leader"], rng)
        out[game, :] = 0
        for trick in range(tricks):
            cards = _play_trick(rule, state, me, trick, learner, store, partners, notes, history, rng)
            winner = (np.int64(state["leader"]) - me) % players
            gained = mask_points(rule, cards & rule["penalty"])
            out[game, winner] += gained
            if learning:
                _learn_trick(learner, store, notes, trick, gained if winner == 0 else 0, gained)
        if learning and (learner["rule"] == Rule.RETURNS or learner["rule"] == Rule.TD):
            learn_values(learner, store, notes, tricks)
    return len(out)


RULES_TYPE = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
STATES_TYPE = types.Array(numba.from_dtype(STATE), 1, "C")
SERIES_TYPE = types.NamedTuple([types.uint64, types.uint64, types.int64], Series)
PARTNER_TYPE = types.FunctionType(SIGNATURE)
_MEMORY = types.NamedTuple([STATES_TYPE, types.Array(numba.from_dtype(NOTES), 1, "C")], Memory)
_LEARNERS = types.Array(numba.from_dtype(LEARNER), 1, "C")
PLAY_GAMES = types.int64(
    RULES_TYPE, SERIES_TYPE, _MEMORY, _LEARNERS, STORE, *[PARTNER_TYPE] * 4, types.int16[:, ::1],
)  # fmt: skip


def prepare() -> None:
    """Compile the loop, once for all partners; call this before `play_games`."""
    compile_for(play_games, PLAY_GAMES)
