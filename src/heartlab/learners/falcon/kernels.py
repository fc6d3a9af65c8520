"""Games of a FALCON agent: one compiled loop from the deal to the points, learning as it plays.

After each trick the agent gets its feedback: positive if it took no penalty points in it, negative otherwise. With
positive feedback the action vector is learned, with negative its inverse (the chosen action is what does not belong).
An element of the motor field that is 1 in the learned vector grows towards 1 (`DELTA`) or stays (`AND`, the printed
fuzzy AND); one that is 0 falls towards the floor, pv = 0.5·(1 − points in the trick / 16), and not below it.

`RETURNS` and `TD` go beyond the paper: weights are values of actions, learned from what the rest of the deal cost, or
from the next trick and the value of the next situation (TD-FALCON). A value is 1 for the best outcome, 0 for the worst.

The cards of a game depend on (deal key, number), dice on (play key, number), and on nothing else.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ZERO, lowest
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import below, substream, uniform
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import RULES, STATE
from heartlab.kernel.play import legal, mask_points, play
from heartlab.kernel.ranks import QUEEN_BIT, SPADES
from heartlab.learners.falcon.actions import COUNT as ACTIONS
from heartlab.learners.falcon.actions import applicable, single
from heartlab.learners.falcon.categories import CODED, COMPLEMENT, EMPTY, EXACT, add, find, find_resonant
from heartlab.learners.falcon.partners import SIGNATURE
from heartlab.learners.falcon.percepts import COUNT as PAPER_BITS
from heartlab.learners.falcon.percepts import paper_percepts, unplayed_elsewhere

DELTA, AND, RETURNS, TD = range(4)
"""Learning rules."""
PAPER, PLACE = range(2)
"""Percepts: the ten bits of the paper; those with the place in the trick and what lies on the table."""
TRICK, OWN, CONSTANT = range(3)
"""Which points set the floor: those of the trick whoever took it, only our own, none (it is `floor`)."""
INVERT, NOTHING = range(2)
"""What negative feedback teaches."""
LOWEST, HIGHEST, RANDOM = range(3)
"""Which of several actions with the same weight is taken."""
EVERYTHING, APPLICABLE = range(2)
"""Which other actions fall after a success."""
AS_SUCCESS, IGNORED = range(2)
"""What a trick without points counts as."""
AMONG_APPLICABLE, AMONG_ALL = range(2)
"""Among which actions the highest weight is looked for. If the best of all does not apply, the first that does is
carried out, but what is learned is the best one."""
CHOSEN, SAME_CARD = range(2)
"""Which actions are learned as what was done: the chosen one, all that name its card."""
WHILE_OUT, PRINTED = range(2)
"""When a15 gets rid of A♠ and K♠: while Q♠ has not been played; as printed, after it has been."""
TOGETHER, NEWEST, OLDEST, GOOD = range(4)
"""Categories for good and for bad outcomes together; or apart, as the feedback field would separate them if it carried
(0, 1) after a failure, and if there are both the newest, the oldest or the good one is asked."""
BAD = 1 << 16
"""Added to the network of categories for bad outcomes."""
MAX_TRICKS = 18
ANY_CARD = np.zeros(ACTIONS, np.int64)
"""Cards of actions as if all of them applied."""
MOST_POINTS = 16.0
"""Points that a trick can hold: Q♠ and three hearts."""

LEARNER = np.dtype(
    [
        ("percepts", "i8"),
        ("separate", "i8"),  # own networks for leading
        ("groups", "i8", MAX_TRICKS),  # the group of each trick
        ("rule", "i8"),
        ("learning", "i8"),
        ("sp", "i8"),
        ("failure", "i8"),
        ("ties", "i8"),
        ("decay", "i8"),
        ("pointless", "i8"),
        ("forced", "i8"),  # whether turns with one legal card are learned from
        ("match", "i8"),  # how categories match, see `find_resonant`
        ("choice", "i8"),
        ("credit", "i8"),
        ("dump", "i8"),
        ("outcomes", "i8"),
        ("leader", "i8"),  # seats from the learner to the first leader; -1: as the rules say
        ("vigilance", "f8"),
        ("rate", "f8"),
        ("fresh", "f8"),  # weights of a new category; -1: the first vector that it learns
        ("floor", "f8"),
        ("epsilon", "f8"),
        ("discount", "f8"),
        ("relative", "f8"),  # how much the others' points please, as a share of one's own
        ("total", "f8"),  # points of a deal
    ],
    align=True,
)


@kernel
def place_bits(rules: Any, state: Any) -> np.uint64:
    """Four bits beyond the paper: our place in the trick (two bits), hearts on the table, Q♠ on the table."""
    code = np.uint64(state["trick_size"])
    trick = state["trick"] & rules["penalty"]
    if trick & ~SPADES != ZERO:
        code |= np.uint64(4)
    if trick & QUEEN_BIT != ZERO:
        code |= np.uint64(8)
    return code


@kernel
def network_of(learner: Any, trick_number: int, leads: bool) -> int:
    """The number of the network that is asked in a trick."""
    group = np.int64(learner["groups"][trick_number])
    return 2 * group + np.int64(leads) if learner["separate"] else group


@kernel
def percept_code(rules: Any, learner: Any, state: Any, hand: np.uint64, others: np.uint64) -> np.uint64:
    """What the agent sees. `state` may be an observation."""
    code = paper_percepts(hand, others, state["trick"])
    seen = np.uint64((1 << PAPER_BITS) - 1)
    if learner["percepts"] == PLACE:
        code |= place_bits(rules, state) << np.uint64(PAPER_BITS)
        seen = np.uint64((1 << PAPER_BITS + 4) - 1)
    if learner["match"] == CODED:
        code |= (~code & seen) << np.uint64(COMPLEMENT)
    return code


@kernel
def queen_rule(learner: Any, unplayed: np.uint64) -> bool:
    """What a15 is told about Q♠ having been played; the printed condition is the opposite of ours."""
    return (unplayed & QUEEN_BIT == ZERO) != (learner["dump"] == PRINTED)


@kernel
def category_of(learner: Any, slots: Any, codes: Any, owners: Any, count: int, owner: int, code: np.uint64) -> int:
    """The category that resonates with a percept vector, or EMPTY."""
    if learner["match"] == EXACT:
        return find(slots, codes, owners, owner, code)
    return find_resonant(codes, owners, count, owner, code, np.int64(learner["match"]), learner["vigilance"])


@kernel
def consulted(learner: Any, slots: Any, codes: Any, owners: Any, count: int, owner: int, code: np.uint64) -> int:
    """The category that is asked what to do, or EMPTY."""
    good = category_of(learner, slots, codes, owners, count, owner, code)
    if learner["outcomes"] == TOGETHER:
        return good
    bad = category_of(learner, slots, codes, owners, count, owner + BAD, code)
    if good == EMPTY or bad == EMPTY or learner["outcomes"] == NEWEST:
        return max(good, bad)
    return min(good, bad) if learner["outcomes"] == OLDEST else good


@kernel
def best_action(weights: Any, cards: Any, first: int, end: int, ties: int, rng: Any) -> int:
    """The applicable action with the highest weight."""
    best = -1
    equal = 0
    for action in range(first, end):
        if cards[action] < 0:
            continue
        if best < 0 or weights[action] > weights[best]:
            best = action
            equal = 1
        elif weights[action] == weights[best]:
            equal += 1
            if ties == HIGHEST or (ties == RANDOM and below(rng, equal) == 0):
                best = action
    return best


@kernel
def first_action(cards: Any, first: int, end: int) -> int:
    """The lowest-numbered action that applies."""
    for action in range(first, end):
        if cards[action] >= 0:
            return action
    return -1


@kernel
def preferred_action(learner: Any, weights: Any, cards: Any, first: int, end: int, rng: Any) -> int:
    """The action that a category prefers; with AMONG_ALL it may not apply."""
    if learner["choice"] == AMONG_ALL:
        return best_action(weights, ANY_CARD, 0, ACTIONS, learner["ties"], rng)
    return best_action(weights, cards, first, end, learner["ties"], rng)


@kernel
def carried_out(cards: Any, first: int, end: int, action: int) -> int:
    """The action that is carried out: the preferred one if it applies, else the first that does."""
    return action if first <= action < end and cards[action] >= 0 else first_action(cards, first, end)


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
def adapt(
    learner: Any, weights: Any, visits: Any, action: int, own: int, trick: int, first: int, end: int, cards: Any
) -> None:
    """The paper's learning after a trick: `own` points taken by us, `trick` points in it; `cards` of the actions.

    With `fresh` = -1 a new category takes over the first vector that it learns: A after a success, else its inverse.
    """
    success = own == 0
    if learner["failure"] == NOTHING and not success:
        return
    floor = learner["floor"]
    if learner["sp"] == TRICK:
        floor = 0.5 * (1.0 - trick / MOST_POINTS)
    elif learner["sp"] == OWN:
        floor = 0.5 * (1.0 - own / MOST_POINTS)
    rate, delta = learner["rate"], learner["rule"] == DELTA
    takes_over = learner["fresh"] < 0.0 and not visits.any()
    by_card = learner["credit"] == SAME_CARD and first <= action < end and cards[action] >= 0
    spared = learner["decay"] == APPLICABLE and success
    visits[action] += 1
    if takes_over or by_card or spared:
        for i in range(len(weights)):
            done = i == action or (by_card and first <= i < end and cards[i] == cards[action])
            if takes_over:
                weights[i] = 1.0 if done == success else 0.0
            elif done == success:
                weights[i] += rate * (1.0 - weights[i]) if delta else 0.0
            elif not spared or (first <= i < end and cards[i] >= 0):
                weights[i] -= rate * max(0.0, weights[i] - floor)
        return
    chosen = weights[action]
    if success:
        for i in range(len(weights)):
            weights[i] -= rate * max(0.0, weights[i] - floor)
        weights[action] = chosen + rate * (1.0 - chosen) if delta else chosen
    else:
        if delta:
            for i in range(len(weights)):
                weights[i] += rate * (1.0 - weights[i])
        weights[action] = chosen - rate * max(0.0, chosen - floor)


@kernel
def _value_step(learner: Any, weights: Any, visits: Any, action: int, cost: float) -> None:
    """Move the value of an action towards what it cost: the mean of all so far, but steps no smaller than the rate."""
    visits[action] += 1
    low = -learner["relative"] * learner["total"] / 3.0
    value = 1.0 - (cost - low) / (learner["total"] - low)
    weights[action] += max(learner["rate"], 1.0 / visits[action]) * (value - weights[action])


@kernel
def _learn_returns(learner: Any, weights: Any, visits: Any, rows: Any, actions: Any, costs: Any, tricks: int) -> None:
    """Teach all actions of a deal what the rest of it cost."""
    rest = 0.0
    for trick in range(tricks - 1, -1, -1):
        rest = costs[trick] + learner["discount"] * rest
        if rows[trick] >= 0:
            _value_step(learner, weights[rows[trick]], visits[rows[trick]], actions[trick], rest)


@kernel
def _learn_td(
    learner: Any, weights: Any, visits: Any, rows: Any, actions: Any, costs: Any, bests: Any, tricks: int
) -> None:
    """Teach all actions what they cost up to the next choice, and what the best action there was worth then."""
    low = -learner["relative"] * learner["total"] / 3.0
    rest = 0.0
    for trick in range(tricks - 1, -1, -1):
        rest = costs[trick] + learner["discount"] * rest
        if rows[trick] >= 0:
            _value_step(learner, weights[rows[trick]], visits[rows[trick]], actions[trick], rest)
            rest = low + (1.0 - bests[trick]) * (learner["total"] - low)


@kernel
def new_category(
    learner: Any, slots: Any, codes: Any, owners: Any, weights: Any, visits: Any, counts: Any, owner: int,
    code: np.uint64,
) -> int:  # fmt: skip
    """A category for a percept vector that none resonates with; there must be room."""
    row = counts[0]
    counts[0] += 1
    add(slots, codes, owners, owner, code, row)
    for i in range(weights.shape[1]):
        weights[row, i] = max(0.0, learner["fresh"])
        visits[row, i] = 0
    return row


@kernel
def play_games(
    rules: Any, deal_key: np.uint64, play_key: np.uint64, first_game: int, states: Any, learners: Any, slots: Any,
    codes: Any, owners: Any, weights: Any, visits: Any, counts: Any, partner_0: Any, partner_1: Any, partner_2: Any,
    partner_3: Any, itself: Any, out: Any,
) -> int:  # fmt: skip
    """Play games number `first_game` and on, one per row of `out`: the points of the learner, then of those after it.

    The learner's seat moves on by one each game. `itself[k]` says whether the network plays in the k-th seat after it
    (it learns only in seat 0); the partners play in the other seats. Returns the number of games played: fewer than
    asked for if there may be no room for the categories of the next one. `states` is room for one state.
    """
    rule, learner = rules[0], learners[0]
    state = states[0]
    rng, history = np.empty(1, np.uint64), np.full(52, -1, np.int8)
    mine, theirs = np.full(ACTIONS, -1, np.int64), np.full(ACTIONS, -1, np.int64)
    rows, actions = np.empty(MAX_TRICKS, np.int64), np.empty(MAX_TRICKS, np.int64)
    costs, bests = np.empty(MAX_TRICKS), np.empty(MAX_TRICKS)
    players = np.int64(rule["players"])
    learning = learner["learning"] != 0
    online = learner["rule"] == DELTA or learner["rule"] == AND
    apart = learner["outcomes"] != TOGETHER
    for game in range(len(out)):
        if learning and counts[0] + MAX_TRICKS > len(codes):
            return game
        number = first_game + game
        rng[0] = substream(deal_key, number)
        deal(rule, state, number, rng)
        rng[0] = substream(play_key, number)
        me = number % players
        if learner["leader"] >= 0:
            state["leader"] = state["to_move"] = (me + learner["leader"]) % players
        for seat in range(players):
            out[game, seat] = 0
        row, action, first, end, seen, network = EMPTY, -1, 0, 0, ZERO, 0
        tricks = np.int64(rule["hand_size"])
        for trick in range(tricks):
            rows[trick] = EMPTY
            acted = False
            trick_mask = ZERO
            for _ in range(players):
                seat = np.int64(state["to_move"])
                place = (seat - me) % players
                own = legal(rule, state)
                if single(own):
                    card = lowest(own)
                elif itself[place] != 0:
                    card = -1
                elif place == 0:
                    card = partner_0(rule, state, history, rng)
                elif place == 1:
                    card = partner_1(rule, state, history, rng)
                elif place == 2:
                    card = partner_2(rule, state, history, rng)
                else:
                    card = partner_3(rule, state, history, rng)
                if card < 0 or (place == 0 and learner["forced"] and learning):
                    hand = state["hands"][seat]
                    others = unplayed_elsewhere(rule, state, hand)
                    code = percept_code(rule, learner, state, hand, others)
                    owner = network_of(learner, trick, state["led"] == ZERO)
                    cards = mine if place == 0 else theirs
                    begin, stop = applicable(
                        own, state["led"], state["best"], queen_rule(learner, hand | others), rng, cards
                    )
                    found = consulted(learner, slots, codes, owners, counts[0], owner, code)
                    if found == EMPTY and place == 0 and learning and not apart:
                        found = new_category(
                            learner, slots, codes, owners, weights, visits, counts, owner, code
                        )  # fmt: skip
                    if place == 0 and learning and learner["epsilon"] > 0.0 and uniform(rng) < learner["epsilon"]:
                        chosen = _any_action(cards, begin, stop, rng)
                    elif found == EMPTY:
                        chosen = first_action(cards, begin, stop)
                    else:
                        chosen = preferred_action(learner, weights[found], cards, begin, stop, rng)
                    if place == 0:
                        row, action, first, end, seen, network = found, chosen, begin, stop, code, owner
                        acted = True
                        rows[trick], actions[trick] = row, action
                        if found != EMPTY and not online:
                            bests[trick] = weights[found, best_action(weights[found], cards, begin, stop, LOWEST, rng)]
                    card = cards[carried_out(cards, begin, stop, chosen)]
                history[state["plays"]] = card
                trick_mask |= np.uint64(1) << np.uint64(card)
                play(rule, state, card)
            winner = (np.int64(state["leader"]) - me) % players
            gained = mask_points(rule, trick_mask & rule["penalty"])
            out[game, winner] += gained
            if learning:
                taken = gained if winner == 0 else 0
                costs[trick] = taken - learner["relative"] * (gained - taken) / 3.0
                if acted and not (online and learner["pointless"] == IGNORED and gained == 0):
                    if apart:
                        network += BAD if taken > 0 else 0
                        row = category_of(learner, slots, codes, owners, counts[0], network, seen)
                        if row == EMPTY:
                            row = new_category(
                                learner, slots, codes, owners, weights, visits, counts, network, seen
                            )  # fmt: skip
                    if online:
                        adapt(learner, weights[row], visits[row], action, taken, gained, first, end, mine)
                    is_lesson = not online or taken == 0 or learner["failure"] != NOTHING
                    if is_lesson and learner["match"] != EXACT:
                        codes[row] &= seen
        if learning and learner["rule"] == RETURNS:
            _learn_returns(learner, weights, visits, rows, actions, costs, tricks)
        elif learning and learner["rule"] == TD:
            _learn_td(learner, weights, visits, rows, actions, costs, bests, tricks)
    return len(out)


_RULES = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
_PARTNER = types.FunctionType(SIGNATURE)
PLAY_GAMES = types.int64(
    _RULES, types.uint64, types.uint64, types.int64, types.Array(numba.from_dtype(STATE), 1, "C"),
    types.Array(numba.from_dtype(LEARNER), 1, "C"), types.int32[::1],
    types.uint64[::1], types.int32[::1], types.float64[:, ::1], types.int32[:, ::1], types.int64[::1], _PARTNER,
    _PARTNER, _PARTNER, _PARTNER, types.int64[::1], types.int16[:, ::1],
)  # fmt: skip


def prepare() -> None:
    """Compile the loop, once for all partners; call this before `play_games`."""
    compile_for(play_games, PLAY_GAMES)
