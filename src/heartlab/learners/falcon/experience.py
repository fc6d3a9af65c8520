"""Experiences of a FALCON agent beyond the paper: one decision, and what each card would have cost.

In an experience the agent stops at a random decision of a deal, and each card that an action names is played out to the
end of the deal by the agent's present policy, against the same hands. What is learned are the differences between the
choices, in which most of the luck of the deal cancels. Every deal that is played to its end counts as a game.
Without pairing, to see what it is worth, each card is played out against hidden hands of its own, all of which fit what
the agent may know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from heartlab.compiled.bits import ZERO, bit, lowest
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import below, seed_key, substream
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import OBSERVATION, PLAYING, RULES, STATE, compile_rules
from heartlab.kernel.observe import observe
from heartlab.kernel.play import legal, mask_points, play
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.kernel.worlds import sample_worlds
from heartlab.learners.falcon.actions import single
from heartlab.learners.falcon.boxes import BEGIN, Boxes, decide
from heartlab.learners.falcon.more_percepts import COUNT, PAPER_ACTIONS, PAPER_PERCEPTS, kind_of, name_cards, sense
from heartlab.learners.falcon.partners import SIGNATURE, find_partner
from heartlab.learners.falcon.percepts import unplayed_elsewhere
from heartlab.rules import Rules

MOST_BRANCHES = 16
"""No decision has more different actions than this."""


@kernel
def _play_on(
    rules: Any, state: Any, me: int, tricks: int, tests: Any, branches: Any, weights: Any, partner: Any, cards: Any,
    history: Any, rng: Any,
) -> None:  # fmt: skip
    """Play until it is our turn with a choice and `tricks` tricks are over, or to the end of the deal."""
    while state["phase"] == PLAYING:
        seat = np.int64(state["to_move"])
        own = legal(rules, state)
        if single(own):
            card = lowest(own)
        elif seat != me:
            card = partner(rules, state, history, rng)
        else:
            if state["trick_number"] >= tricks:
                return
            _, action = decide(rules, state, state["hands"][me], own, me, tests, branches, weights, cards)
            card = cards[action]
        history[state["plays"]] = card
        play(rules, state, card)


@kernel
def experience(
    rules: Any, deal_key: np.uint64, play_key: np.uint64, first: int, states: Any, tests: Any, branches: Any,
    weights: Any, partner: Any, paired: bool, budget: int, codes: Any, kinds: Any, costs: Any,
) -> tuple[int, int]:  # fmt: skip
    """One experience per row: percepts and kind of a decision, and what each action cost, -1 where it does not apply.

    A deal whose random stopping place comes after the last choice is played to its end and teaches nothing. Returns the
    numbers of experiences and of games played; games are at most `budget`. `states` is room for two states.
    """
    rule = rules[0]
    state, branch = states[0], states[1]
    views = np.empty(1, OBSERVATION)
    rng, history = np.empty(1, np.uint64), np.full(52, -1, np.int8)
    cards, named = np.full(COUNT, -1, np.int64), np.full(COUNT, -1, np.int64)
    players, tricks = np.int64(rule["players"]), np.int64(rule["hand_size"])
    never = tricks + 1
    number, games, row = first, 0, 0
    while row < len(codes) and games + MOST_BRANCHES <= budget:
        rng[0] = substream(deal_key, number)
        deal(rule, state, number, rng)
        rng[0] = substream(play_key, number)
        me = number % players
        number += 1
        _play_on(rule, state, me, below(rng, tricks), tests, branches, weights, partner, cards, history, rng)
        if state["phase"] != PLAYING:
            games += 1
            continue
        hand, own = state["hands"][me], legal(rule, state)
        out = unplayed_elsewhere(rule, state, hand)
        kind = kind_of(own, state["led"])
        codes[row], kinds[row] = sense(rule, state, kind, hand, own, out, me), kind
        name_cards(state, kind, own, out, (hand | out) & QUEEN_BIT == ZERO, named)
        before = mask_points(rule, state["taken"][me] & rule["penalty"])
        if not paired:
            observe(rule, state, history, me, ZERO, views[0])
        for action in range(COUNT):
            costs[row, action] = -1
        done = ZERO
        for action in range(BEGIN[kind], BEGIN[kind + 1]):
            if named[action] < 0 or done & bit(named[action]) != ZERO:
                continue
            done |= bit(named[action])
            states[1] = state
            if not paired:
                sample_worlds(rule, views[0], rng, states[1:])
            history[branch["plays"]] = named[action]
            play(rule, branch, named[action])
            _play_on(rule, branch, me, never, tests, branches, weights, partner, cards, history, rng)
            games += 1
            cost = mask_points(rule, branch["taken"][me] & rule["penalty"]) - before
            for same in range(action, BEGIN[kind + 1]):
                if named[same] == named[action]:
                    costs[row, same] = cost
        row += 1
    return row, games


@kernel
def play_frozen(
    rules: Any, deal_key: np.uint64, play_key: np.uint64, first: int, states: Any, tests: Any, branches: Any,
    weights: Any, partner: Any, leader: int, out: Any,
) -> None:  # fmt: skip
    """Whole games, one per row: the points of the agent. `leader`: seats from it to the first leader; -1: any."""
    rule = rules[0]
    state = states[0]
    rng, history, cards = np.empty(1, np.uint64), np.full(52, -1, np.int8), np.full(COUNT, -1, np.int64)
    for row in range(len(out)):
        number = first + row
        rng[0] = substream(deal_key, number)
        deal(rule, state, number, rng)
        rng[0] = substream(play_key, number)
        me = number % np.int64(rule["players"])
        if leader >= 0:
            state["leader"] = state["to_move"] = (me + leader) % np.int64(rule["players"])
        _play_on(rule, state, me, 99, tests, branches, weights, partner, cards, history, rng)
        out[row] = mask_points(rule, state["taken"][me] & rule["penalty"])


_RULES = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
_STATES = types.Array(numba.from_dtype(STATE), 1, "C")
_NETWORK = types.int32[::1], types.int32[:, ::1], types.float64[:, ::1], types.FunctionType(SIGNATURE)
EXPERIENCE = types.UniTuple(types.int64, 2)(
    _RULES, types.uint64, types.uint64, types.int64, _STATES, *_NETWORK, types.boolean, types.int64,
    types.uint64[::1], types.int8[::1], types.int16[:, ::1],
)  # fmt: skip
FROZEN = types.void(_RULES, types.uint64, types.uint64, types.int64, _STATES, *_NETWORK, types.int64, types.int16[::1])


@dataclass(frozen=True)
class Experiences:
    """Some experiences."""

    codes: npt.NDArray[np.uint64]
    """Percepts."""
    kinds: npt.NDArray[np.int8]
    costs: npt.NDArray[np.int16]
    """[experiences, actions]: points until the end of the deal, -1 where an action does not apply."""
    games: int
    """Games that were played for them."""

    def __len__(self) -> int:
        return len(self.codes)


def plainer(known: Experiences, percepts: bool, actions: bool) -> Experiences:
    """The same experiences with no more than the paper's kind of percepts, or of actions."""
    codes = known.codes & np.array(PAPER_PERCEPTS)[known.kinds] if percepts else known.codes
    costs = np.where(PAPER_ACTIONS, known.costs, np.int16(-1)) if actions else known.costs
    return Experiences(codes, known.kinds, costs, known.games)


FIELDS = ("codes", "kinds", "costs")


def join(several: Sequence[Experiences]) -> Experiences:
    """All experiences of several batches."""
    codes, kinds, costs = (np.concatenate([getattr(one, name) for one in several]) for name in FIELDS)
    return Experiences(codes, kinds, costs, sum(one.games for one in several))


def gather(
    net: Boxes, rules: Rules, partner: str, seed: int, purpose: str, games: int, first: int = 0, *, paired: bool = True
) -> Experiences:
    """Experiences of a network's policy with three partners of a kind, for at most so many games."""
    compile_for(experience, EXPERIENCE)
    codes, kinds, costs = np.zeros(games, np.uint64), np.zeros(games, np.int8), np.zeros((games, COUNT), np.int16)
    keys = seed_key(seed, f"{purpose} deals"), seed_key(seed, f"{purpose} players")
    count, played = experience(
        compile_rules(rules), *keys, first, np.zeros(2, STATE), net.tests, net.branches, net.weights,
        find_partner(partner), paired, games, codes, kinds, costs,
    )  # fmt: skip
    return Experiences(codes[:count].copy(), kinds[:count].copy(), costs[:count].copy(), int(played))


def frozen_ratios(
    net: Boxes, rules: Rules, partner: str, seed: int, purpose: str, games: int, leader: int = -1
) -> npt.NDArray[Any]:
    """The penalty ratio of a network in each of some games with three partners of a kind.

    :param leader: seats from the network to the first leader; -1: as the rules say.
    """
    compile_for(play_frozen, FROZEN)
    points = np.zeros(games, np.int16)
    keys = seed_key(seed, f"{purpose} deals"), seed_key(seed, f"{purpose} players")
    play_frozen(
        compile_rules(rules),
        *keys,
        0,
        np.zeros(1, STATE),
        net.tests,
        net.branches,
        net.weights,
        find_partner(partner),
        leader,
        points,
    )
    return points / rules.total_points
