"""The Monte-Carlo agent of the FALCON paper: UCT over the 29 abstract actions, 250 simulations per card.

The paper says no more than that. Our reading: every simulation draws the hidden hands anew, uniformly among the worlds
that fit what was seen; in the tree every seat chooses among the abstract actions that apply in that world (an action
that names the same card as an earlier one is left out) by UCB1 on its own reward, 1 − points/total; from the first new
node on all seats play by a policy: uniformly at random, or like the rule-based agent.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from heartlab.compiled.bits import ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import OVER, PLAYING, SEATS, STATE
from heartlab.kernel.play import legal, play, points
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.kernel.table import playout
from heartlab.kernel.worlds import sample_worlds
from heartlab.learners.falcon.actions import COUNT, applicable, distinct, single
from heartlab.learners.falcon.percepts import unplayed_elsewhere
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.gnome.stock import stock_passes
from heartlab.players.registry import PlayerError, parse_options, register
from heartlab.search.stock import stock_choice
from heartlab.search.uct import inverse_root, root_of_log
from heartlab.util.errors import quoted

RANDOM, GNOME = range(2)
POLICIES = ("random", "gnome")
NOBODY_YET = -1
WORLDS_AT_ONCE = 50


@kernel
def _finish(rules: Any, state: Any, policy: int, rng: Any) -> None:
    """Play a deal to its end."""
    if policy == RANDOM:
        playout(rules, state, rng)
        return
    while state["phase"] == PLAYING:
        last = state["trick_size"] == rules["players"] - 1
        play(
            rules, state,
            stock_choice(legal(rules, state), state["led"], state["trick"], state["best"], last, rules["penalty"]),
        )  # fmt: skip


class _Tree(NamedTuple):
    """A tree: an array per field, and a row per node."""

    child: Any  # [nodes, COUNT] the node after each action, or NOBODY_YET
    visits: Any  # [nodes]
    totals: Any  # [nodes, SEATS] rewards of each seat, all visits together


@kernel
def _select(tree: _Tree, node: int, cards: Any, first: int, end: int, mover: int, reach: float) -> int:
    """The action with the highest upper bound; one never tried comes first."""
    best, best_bound = -1, -np.inf
    spread = reach * root_of_log(tree.visits[node])
    for action in range(first, end):
        if cards[action] < 0:
            continue
        below_it = tree.child[node, action]
        if below_it == NOBODY_YET:
            return action
        n = tree.visits[below_it]
        bound = tree.totals[below_it, mover] / n + spread * inverse_root(n)
        if bound > best_bound:
            best, best_bound = action, bound
    return best


@kernel
def _back_up(tree: _Tree, path: Any, final: Any, total: int) -> None:
    """Add a visit, and every seat's reward for its points of a total, to all nodes of a path."""
    for node in path:
        tree.visits[node] += 1
    for seat in range(len(final)):
        reward = 1.0 - final[seat] / max(1, total)
        for node in path:
            tree.totals[node, seat] += reward


@kernel
def _total_points(rules: Any) -> int:
    """The points of all cards that cost any."""
    total = 0
    for card in range(52):
        total += max(0, rules["points"][card])
    return total


@kernel
def search_actions(
    rules: Any, obs: Any, simulations: int, reach: float, policy: int, rng: Any, cards: Any, tries: Any, values: Any
) -> tuple[int, int]:
    """Grow a tree: for the actions from first to end (which are returned), how often each was tried and its reward.

    `cards` are the cards of the actions at the root; actions with -1 do not apply.
    """
    nodes = simulations + 2
    child = np.full((nodes, COUNT), NOBODY_YET, np.int32)
    tree = _Tree(child, np.zeros(nodes, np.int64), np.zeros((nodes, SEATS)))
    path = np.empty(64, np.int64)
    worlds = np.empty(min(WORLDS_AT_ONCE, simulations), STATE)
    final = np.empty(SEATS, np.int64)
    here = np.full(COUNT, -1, np.int64)
    total = _total_points(rules)
    queen_played = unplayed_elsewhere(rules, obs, obs["hand"]) & QUEEN_BIT == ZERO and obs["hand"] & QUEEN_BIT == ZERO
    first, end = applicable(obs["legal"], obs["led"], obs["best"], queen_played, rng, cards)
    distinct(cards, first, end)
    used = 1
    for simulation in range(simulations):
        # a world of its own for every simulation
        number = simulation % len(worlds)
        if number == 0 and not sample_worlds(rules, obs, rng, worlds):
            break
        state = worlds[number]
        node, length = 0, 1
        path[0] = 0
        grown = False
        # selection, up to the first node that is new: expansion
        while state["phase"] != OVER and not grown:
            begin, stop, named = first, end, cards
            if length > 1:
                own = legal(rules, state)
                if single(own):
                    play(rules, state, lowest(own))
                    continue
                gone = unplayed_elsewhere(rules, state, ZERO) & QUEEN_BIT == ZERO
                begin, stop = applicable(own, state["led"], state["best"], gone, rng, here)
                distinct(here, begin, stop)
                named = here
            action = _select(tree, node, named, begin, stop, state["to_move"], reach)
            if child[node, action] == NOBODY_YET:
                child[node, action] = used
                used += 1
                grown = True
            node = np.int64(child[node, action])
            play(rules, state, named[action])
            path[length] = node
            length += 1
        # playout
        _finish(rules, state, policy, rng)
        points(rules, state, final)
        # backpropagation
        _back_up(tree, path[:length], final[: rules["players"]], total)
    for action in range(first, end):
        node = np.int64(child[0, action])
        tries[action] = tree.visits[node] if node != NOBODY_YET else 0
        values[action] = tree.totals[node, obs["seat"]] / tree.visits[node] if node != NOBODY_YET else 0.0
    return first, end


@kernel
def montecarlo_card(rules: Any, obs: Any, simulations: int, reach: float, policy: int, rng: Any) -> int:
    """The card of the action with the best mean reward."""
    if single(obs["legal"]):
        return lowest(obs["legal"])
    cards, tries, values = np.full(COUNT, -1, np.int64), np.zeros(COUNT, np.int64), np.zeros(COUNT)
    first, end = search_actions(rules, obs, simulations, reach, policy, rng, cards, tries, values)
    best = -1
    for action in range(first, end):
        if cards[action] >= 0 and (best < 0 or values[action] > values[best]):
            best = action
    return cards[best]


@kernel
def montecarlo_cards(rules: Any, obs: Any, simulations: int, reach: float, policy: int, out: Any) -> None:
    """The agent's card for each row."""
    rng = np.empty(1, np.uint64)
    for row in range(len(obs)):
        rng[0] = obs[row]["random"]
        out[row] = montecarlo_card(rules[0], obs[row], simulations, reach, policy, rng)


SIMULATIONS, REACH, POLICY = 250, 0.7, RANDOM
"""The paper's number of simulations; our constant and policy."""


class MonteCarloPlayer(Player):
    """UCT over abstract actions."""

    def __init__(self, simulations: int = SIMULATIONS, reach: float = REACH, policy: int = POLICY) -> None:
        super().__init__("montecarlo")
        self.simulations, self.reach, self.policy = simulations, reach, policy

    def choose_cards(self, batch: Observations) -> CardArray:
        cards = np.empty(len(batch), np.int8)
        montecarlo_cards(batch.compiled, batch.records, self.simulations, self.reach, self.policy, cards)
        return cards

    def choose_passes(self, batch: Observations) -> MaskArray:
        masks = np.empty(len(batch), np.uint64)
        stock_passes(batch.compiled, batch.records, masks)
        return masks


@register(
    "montecarlo",
    summary="the Monte-Carlo agent of the FALCON paper: UCT over 29 actions: montecarlo:sims=250,c=0.7,playout=random",
)
def make_montecarlo(argument: str = "") -> Player:
    """The agent with its options.

    :raises PlayerError: for an option that is unknown or makes no sense.
    """
    options = parse_options(argument)
    sims, reach, policy = options.pop("sims", "250"), options.pop("c", str(REACH)), options.pop("playout", "")
    if options:
        raise PlayerError(f"montecarlo: no option is called {quoted(next(iter(options)))}; there are sims, c, playout")
    if not sims.isdecimal() or int(sims) < 1:
        raise PlayerError(f"montecarlo: sims={sims}: write a number above zero")
    policy = policy or POLICIES[POLICY]
    if policy not in POLICIES:
        raise PlayerError(f"montecarlo: playout={policy} is unknown; choose from {', '.join(POLICIES)}")
    try:
        constant = float(reach)
    except ValueError:
        constant = math.nan
    if not 0.0 <= constant < math.inf:
        raise PlayerError(f"montecarlo: c={reach}: write a number from 0 on")
    return MonteCarloPlayer(int(sims), constant, POLICIES.index(policy))
