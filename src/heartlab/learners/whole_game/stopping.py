"""Could a moon have been stopped? All cards of one seat are tried against rule-based players, with open hands.

Rule-based players always answer the same cards in the same way, so what follows a card of ours is certain. The search
goes through our cards only, and ends as soon as some of them leave nobody else a chance to shoot. This is what somebody
who sees all hands and knows the others' rules could do: nobody who plays honestly concedes fewer moons.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import OBSERVATION, PLAYING, STATE
from heartlab.kernel.observe import observe
from heartlab.kernel.play import legal, play
from heartlab.learners.whole_game.features import distinct
from heartlab.learners.whole_game.network import SEATS
from heartlab.learners.whole_game.strangers import stranger_card

OPEN, STOPPED, SHOT, UNKNOWN = range(4)
"""What is known of a moon: nothing yet; nobody else will shoot; somebody else does; the search was too long."""
DEPTH = 14


class Search(NamedTuple):
    """Working memory."""

    states: Any  # [DEPTH] STATE: our decisions on the way
    cards: npt.NDArray[np.uint64]  # [DEPTH]: what is still to be tried there
    obs: Any  # [1] OBSERVATION
    history: npt.NDArray[np.int8]  # [52]
    kinds: npt.NDArray[np.int64]  # [seats]: numbers of rule-based players
    limit: int  # positions of ours that are looked at


def new_search(kinds: npt.NDArray[np.int64], limit: int = 200_000) -> Search:
    """New working memory; what `kinds` says of the searching seat is not used."""
    return Search(
        np.zeros(DEPTH, STATE), np.zeros(DEPTH, np.uint64), np.zeros(1, OBSERVATION), np.zeros(52, np.int8), kinds,
        limit,
    )  # fmt: skip


@kernel
def moon_so_far(rules: Any, state: Any, seat: int) -> int:
    """Whether another seat than this one can still shoot the moon, or has done so."""
    scorers, all_points = 0, rules["penalty"]
    for other in range(SEATS):
        if state["taken"][other] & all_points != ZERO:
            if other == seat:
                return STOPPED
            scorers += 1
            if all_points & ~state["taken"][other] == ZERO:
                return SHOT
    if scorers > 1:
        return STOPPED
    return OPEN


@kernel
def _others_play(rules: Any, state: Any, seat: int, key: np.uint64, search: Search) -> int:
    """The others play until it is our turn, or the moon is decided."""
    found = moon_so_far(rules, state, seat)
    rng = np.empty(1, np.uint64)
    obs = search.obs[0]
    while found == OPEN and state["phase"] == PLAYING and state["to_move"] != seat:
        other = np.int64(state["to_move"])
        observe(rules, state, search.history, other, key, obs)
        rng[0] = obs["random"]
        card = stranger_card(rules, obs, search.kinds[other], rng)
        search.history[state["plays"]] = card
        play(rules, state, card)
        found = moon_so_far(rules, state, seat)
    if found == OPEN and state["phase"] != PLAYING:
        return STOPPED
    return found


@kernel
def _choices(rules: Any, state: Any, seat: int) -> np.uint64:
    """Our cards to try: of neighbours with no card of others between them, one."""
    between = state["trick"]
    for other in range(SEATS):
        if other != seat:
            between |= state["hands"][other]
    return distinct(legal(rules, state), between)


@kernel
def stop_moon(rules: Any, root: Any, key: np.uint64, search: Search) -> int:
    """Whether some cards of the seat to move keep all others from shooting: STOPPED, SHOT or UNKNOWN.

    `search.history` holds the cards before `root`; `key` is the players' key.
    """
    seat = np.int64(root["to_move"])
    depth, positions = 0, 0
    search.states[0] = root
    search.cards[0] = _choices(rules, root, seat)
    while depth >= 0:
        if search.cards[depth] == ZERO:
            depth -= 1
            continue
        if positions >= search.limit:
            return UNKNOWN
        positions += 1
        # our next card
        card = lowest(search.cards[depth])
        search.cards[depth] &= search.cards[depth] - ONE
        search.states[depth + 1] = search.states[depth]
        state = search.states[depth + 1]
        search.history[state["plays"]] = card
        play(rules, state, card)
        # what the others make of it
        found = _others_play(rules, state, seat, key, search)
        if found == STOPPED:
            return STOPPED
        if found == OPEN:
            depth += 1
            search.cards[depth] = _choices(rules, state, seat)
    return SHOT


@kernel
def last_chance(rules: Any, begin: Any, history: Any, seat: int, key: np.uint64, search: Search, out: Any) -> int:
    """The number of the last own choice at which a moon could still be stopped; -1 if there was none.

    `begin` is the state before the first card, `history` all cards of the deal. `out` [13] takes what was found at each
    own choice from the last one back to that chance.
    """
    before = np.zeros(DEPTH, STATE)
    state = np.zeros(1, STATE)
    state[0] = begin[0]
    turns = 0
    for ply in range(52):
        if state[0]["to_move"] == seat:
            before[turns] = state[0]
            turns += 1
        play(rules[0], state[0], history[ply])
    for turn in range(turns - 1, -1, -1):
        for ply in range(52):
            search.history[ply] = history[ply]
        if moon_so_far(rules[0], before[turn], seat) == SHOT:
            out[turn] = SHOT
            continue
        out[turn] = stop_moon(rules[0], before[turn], key, search)
        if out[turn] == STOPPED:
            return turn
    return -1
