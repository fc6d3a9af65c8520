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
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from heartlab.compiled.bits import ZERO, bit, lowest
from heartlab.compiled.jit import compile_for, kernel, template
from heartlab.compiled.rng import below
from heartlab.kernel.layout import OBSERVATION, PLAYING, STATE, compile_rules
from heartlab.kernel.observe import observe
from heartlab.kernel.play import legal, mask_points, play
from heartlab.kernel.worlds import sample_worlds
from heartlab.learners.falcon.actions import single
from heartlab.learners.falcon.boxes import TREE, Boxes, decide, perceive
from heartlab.learners.falcon.kernels import (
    AS_DEALT,
    PARTNER_TYPE,
    RULES_TYPE,
    SERIES_TYPE,
    STATES_TYPE,
    deal_game,
    make_series,
)
from heartlab.learners.falcon.more_actions import COUNT, OF_PAPER
from heartlab.learners.falcon.more_percepts import PAPER_PERCEPTS
from heartlab.learners.falcon.partners import find_partner
from heartlab.rules import Rules

MOST_BRANCHES = 16
"""No decision has more different actions than this."""
NEVER = 99
"""More tricks than a deal has."""


class Sheet(NamedTuple):
    """Rows for experiences, as kernels see them."""

    codes: npt.NDArray[np.uint64]  # [rows] percepts
    kinds: npt.NDArray[np.int8]  # [rows]
    costs: npt.NDArray[np.int16]  # [rows, actions] points until the end of the deal, -1 where an action does not apply


@template
def _own_points(rules: Any, state: Any, me: int) -> int:
    return mask_points(rules, state["taken"][me] & rules["penalty"])


@template
def _play_on(
    rules: Any, state: Any, me: int, tricks: int, tree: Any, partner: Any, cards: Any, history: Any, rng: Any
) -> None:
    """Play until it is our turn with a choice and `tricks` tricks are over, or to the end of the deal."""
    while state["phase"] == PLAYING:
        own = legal(rules, state)
        if single(own):
            card = lowest(own)
        elif state["to_move"] != me:
            card = partner(rules, state, history, rng)
        else:
            if state["trick_number"] >= tricks:
                return
            _, action = decide(rules, state, state["hands"][me], own, me, tree, cards)
            card = cards[action]
        history[state["plays"]] = card
        play(rules, state, card)


@kernel
def experience(
    rules: Any, series: Any, states: Any, tree: Any, partner: Any, paired: bool, budget: int, sheet: Any
) -> tuple[int, int]:
    """Fill the sheet with experiences from the deals of a series.

    A deal whose random stopping place comes after the last choice is played to its end and teaches nothing. Returns the
    numbers of experiences and of games played; games are at most `budget`. `states` is working memory: two states.
    """
    rule, state, branch = rules[0], states[0], states[1]
    views, named = np.empty(1, OBSERVATION), np.full(COUNT, -1, np.int64)
    cards, history, rng = np.full(COUNT, -1, np.int64), np.full(52, -1, np.int8), np.empty(1, np.uint64)
    number, games, row = 0, 0, 0
    while row < len(sheet.codes) and games + MOST_BRANCHES <= budget:
        # play to a random decision
        me = deal_game(rule, state, series, number, AS_DEALT, rng)
        number += 1
        _play_on(rule, state, me, below(rng, np.int64(rule["hand_size"])), tree, partner, cards, history, rng)
        if state["phase"] != PLAYING:
            games += 1
            continue
        # percepts and applicable actions
        decision = perceive(rule, state, state["hands"][me], legal(rule, state), me, named)
        sheet.codes[row], sheet.kinds[row] = decision.code, decision.kind
        sheet.costs[row, :] = -1
        if not paired:
            observe(rule, state, history, me, ZERO, views[0])
        # play each card out once, for all actions that name it
        done = ZERO
        for action in range(decision.first, decision.end):
            card = named[action]
            if card < 0 or done & bit(card) != ZERO:
                continue
            done |= bit(card)
            states[1] = state
            if not paired:
                sample_worlds(rule, views[0], rng, states[1:])
            history[branch["plays"]] = card
            play(rule, branch, card)
            _play_on(rule, branch, me, NEVER, tree, partner, cards, history, rng)
            games += 1
            cost = _own_points(rule, branch, me) - _own_points(rule, state, me)
            for same in range(action, decision.end):
                if named[same] == card:
                    sheet.costs[row, same] = cost
        row += 1
    return row, games


@kernel
def play_frozen(rules: Any, series: Any, states: Any, tree: Any, partner: Any, leader: int, out: Any) -> None:
    """Whole games, one per row: the points of the agent. `leader`: seats from it to the first leader; AS_DEALT."""
    rule, state = rules[0], states[0]
    cards, history, rng = np.full(COUNT, -1, np.int64), np.full(52, -1, np.int8), np.empty(1, np.uint64)
    for row in range(len(out)):
        me = deal_game(rule, state, series, row, leader, rng)
        _play_on(rule, state, me, NEVER, tree, partner, cards, history, rng)
        out[row] = _own_points(rule, state, me)


_SHEET = types.NamedTuple([types.uint64[::1], types.int8[::1], types.int16[:, ::1]], Sheet)
_SERIES = RULES_TYPE, SERIES_TYPE, STATES_TYPE, TREE, PARTNER_TYPE
EXPERIENCE = types.UniTuple(types.int64, 2)(*_SERIES, types.boolean, types.int64, _SHEET)
FROZEN = types.void(*_SERIES, types.int64, types.int16[::1])


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
    codes = known.codes & np.array(PAPER_PERCEPTS, np.uint64)[known.kinds] if percepts else known.codes
    costs = np.where(OF_PAPER, known.costs, np.int16(-1)) if actions else known.costs
    return Experiences(codes, known.kinds, costs, known.games)


def join(several: Sequence[Experiences]) -> Experiences:
    """All experiences of several batches."""
    codes, kinds, costs = (np.concatenate([getattr(one, name) for one in several]) for name in Sheet._fields)
    return Experiences(codes, kinds, costs, sum(one.games for one in several))


def gather(
    net: Boxes, rules: Rules, partner: str, seed: int, purpose: str, games: int, first: int = 0, *, paired: bool = True
) -> Experiences:
    """Experiences of a network's policy with three partners of a kind, for at most so many games."""
    compile_for(experience, EXPERIENCE)
    sheet = Sheet(np.zeros(games, np.uint64), np.zeros(games, np.int8), np.zeros((games, COUNT), np.int16))
    count, played = experience(
        compile_rules(rules), make_series(seed, purpose, first), np.zeros(2, STATE), net.tree, find_partner(partner),
        paired, games, sheet,
    )  # fmt: skip
    codes, kinds, costs = (array[:count].copy() for array in sheet)
    return Experiences(codes, kinds, costs, int(played))


def frozen_ratios(
    net: Boxes, rules: Rules, partner: str, seed: int, purpose: str, games: int, leader: int = AS_DEALT
) -> npt.NDArray[Any]:
    """The penalty ratio of a network in each of some games with three partners of a kind.

    :param leader: seats from the network to the first leader; AS_DEALT: as the rules say.
    """
    compile_for(play_frozen, FROZEN)
    points = np.zeros(games, np.int16)
    states = np.zeros(1, STATE)
    partners = find_partner(partner)
    play_frozen(compile_rules(rules), make_series(seed, purpose), states, net.tree, partners, leader, points)
    return points / rules.total_points
