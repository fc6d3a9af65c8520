"""How likely a world is, by what was played: would the players at the table have played these cards with these hands?

Worlds that fit an observation are equally likely only if nothing follows from how somebody plays. Here each past card
of the others is looked at with the hand that its seat has in a world: a rule-based player plays one card with it, the
network prefers some. With a *slip* a player plays any other card, so that a single surprise does not rule a world out;
the slip is small for players that are known, and larger where the network only stands for somebody.

What was passed is asked of the belief: how likely are these hands after the pass, before a card was played?
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, bit, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import substream
from heartlab.kernel.dealing import begin
from heartlab.kernel.layout import NOBODY, StateArray
from heartlab.kernel.observe import see
from heartlab.kernel.play import play
from heartlab.learners.whole_game.belief import Belief, Guess, consider, log_weight, world_features
from heartlab.learners.whole_game.continuations import NETWORK, Party
from heartlab.learners.whole_game.features import card_features, distinct, position_features, unseen_cards
from heartlab.learners.whole_game.lookahead import Board
from heartlab.learners.whole_game.network import SEATS, attend, forget, predict, worth
from heartlab.learners.whole_game.strangers import RANDOM, stranger_card

WARMTH = 1.0
"""Temperature in points: a card that is worse by this is e times less likely."""


@kernel
def _from_the_start(rules: Any, world: Any, first: int, board: Board) -> None:
    """Put a world on the board as it was before the first card."""
    board.state[0] = world
    state = board.state[0]
    for seat in range(SEATS):
        state["hands"][seat] |= state["played"][seat]
        state["played"][seat] = ZERO
        state["taken"][seat] = ZERO
        state["may_hold"][seat] = rules["pack"]
        state["trick_cards"][seat] = 0
        state["tricks_won"][seat] = 0
    state["led"], state["trick"] = ZERO, ZERO
    state["trick_size"], state["trick_number"], state["plays"], state["best"] = 0, 0, 0, 0
    state["winner"], state["kitty_taker"], state["hearts_broken"] = NOBODY, NOBODY, 0
    begin(rules, state)
    state["leader"] = first
    state["to_move"] = first


@kernel
def _stands_for(card: int, cards: np.uint64) -> int:
    """The card of `cards` (one of each group of equivalent ones) that is equivalent to a legal card."""
    one = card
    while cards & bit(one) == ZERO and one % 13 > 0:
        one -= 1
    return one


@kernel
def _network_chance(rules: Any, obs: Any, party: Party, board: Board, card: int) -> float:
    """How likely the network plays a card: a softmax over the cards that it tells apart."""
    net, mind, seat = party.playing, board.mind, np.int64(obs["seat"])
    unseen = unseen_cards(rules, obs)
    cards = distinct(obs["legal"], unseen | obs["trick"])
    played = _stands_for(card, cards)
    attend(net, 0, mind, seat, position_features(rules, obs, mind.now))
    least, of_card = np.inf, 0.0
    values = np.empty(13)
    count = 0
    while cards != ZERO:
        one = lowest(cards)
        cards &= cards - ONE
        predict(net, 0, mind, seat, card_features(rules, obs, unseen, one, mind.card))
        values[count] = worth(mind.heads, party.weights)
        least = min(least, values[count])
        if one == played:
            of_card = values[count]
        count += 1
    total = 0.0
    for i in range(count):
        total += np.exp((least - values[i]) / WARMTH)
    return np.exp((least - of_card) / WARMTH) / total


@kernel
def _chance(rules: Any, obs: Any, party: Party, board: Board, history: Any, card: int, rng: Any) -> float:
    """How likely the seat's player plays a card."""
    kind, legal = party.kinds[obs["seat"]], obs["legal"]
    if kind == NETWORK:
        return _network_chance(rules, obs, party, board, card)
    if kind == RANDOM:
        return 1.0 / popcount(legal)
    for ply in range(52):
        obs["history"][ply] = history[ply] if ply < obs["plays"] else -1
    chosen = stranger_card(rules, obs, kind, rng)
    cards = distinct(legal, unseen_cards(rules, obs) | obs["trick"])
    return 1.0 if _stands_for(chosen, cards) == _stands_for(card, cards) else 0.0


@kernel
def _first_to_play(world: Any, history: Any) -> int:
    """The seat that played the first card, or will."""
    if history[0] >= 0:
        for seat in range(SEATS):
            if world["played"][seat] & bit(history[0]) != ZERO:
                return seat
    return np.int64(world["to_move"])


@kernel
def weigh_by_pass(rules: Any, worlds: Any, history: Any, root: int, belief: Belief, guess: Guess, board: Board,
                  out: Any) -> None:  # fmt: skip
    """The logarithm of each world's weight: how likely the hands with which play began are after the pass."""
    for i in range(len(worlds)):
        _from_the_start(rules[0], worlds[i], _first_to_play(worlds[i], history), board)
        if i == 0:  # what the root's seat knew is the same in all worlds
            see(rules[0], board.state[0], root, ZERO, board.obs[0])
            consider(rules[0], board.obs[0], belief, guess)
        out[i] = log_weight(belief, guess, world_features(board.obs[0], board.state[0], guess.rows))


def weigh_by_play(rules: Any, worlds: StateArray, history: Any, root: int, party: Party, slips: Any, board: Board,
                  key: np.uint64, out: Any) -> None:  # fmt: skip
    """The logarithm of each world's weight: how likely the others' cards so far are in it.

    :param worlds: worlds drawn for one observation.
    """
    weigh_by_hands(rules, worlds, first_alike(worlds), history, root, party, slips, board, key, out)


def first_alike(worlds: StateArray) -> npt.NDArray[np.int64]:
    """For each world and seat the first of the worlds in which the seat began with the same hand."""
    began = worlds["hands"] | worlds["played"]
    alike = np.empty((len(worlds), SEATS), np.int64)
    for seat in range(SEATS):
        _, first, back = np.unique(began[:, seat], return_index=True, return_inverse=True)
        alike[:, seat] = first[back]
    return alike


@kernel
def _seats_that_played(world: Any, history: Any, out: Any) -> None:
    """Who played each card so far."""
    for ply in range(len(out)):
        for seat in range(SEATS):
            if world["played"][seat] & bit(history[ply]) != ZERO:
                out[ply] = seat


@kernel
def _sum_known(terms: Any, alike: Any, seats: Any, root: int) -> float:
    """The sum of a world's terms, from those of the worlds in which a seat began alike; not a number if one is open."""
    total = 0.0
    for ply in range(len(seats)):
        if seats[ply] != root:
            total += terms[alike[seats[ply]], ply]
    return total


@kernel
def weigh_by_hands(rules: Any, worlds: Any, alike: Any, history: Any, root: int, party: Party, slips: Any,
                   board: Board, key: np.uint64, out: Any) -> None:  # fmt: skip
    """As `weigh_by_play`; `alike` is that of `first_alike`.

    What a seat did with a hand is asked once: a player knows nothing but its own hand and what all know, so the answer
    is the same in all worlds with that hand. Where chance had a part in it, it is asked again.
    """
    rng = np.empty(1, np.uint64)
    state, obs = board.state[0], board.obs[0]
    seats = np.empty(np.int64(worlds[0]["plays"]), np.int64)
    _seats_that_played(worlds[0], history, seats)
    terms = np.full((len(worlds), len(seats)), np.nan)
    for i in range(len(worlds)):
        out[i] = _sum_known(terms, alike[i], seats, root)
        if not np.isnan(out[i]):
            continue
        _from_the_start(rules[0], worlds[i], _first_to_play(worlds[i], history), board)
        rng[0] = substream(key, i)
        total = 0.0
        for seat in range(SEATS):
            forget(party.playing, 0, board.mind, seat)
        for ply in range(len(seats)):
            seat, card = seats[ply], np.int64(history[ply])
            if seat != root:
                term, before = terms[alike[i, seat], ply], rng[0]
                if np.isnan(term):
                    see(rules[0], state, seat, key, obs)
                    legal, term = obs["legal"], 0.0
                    if legal & (legal - ONE) != ZERO:
                        chance = _chance(rules[0], obs, party, board, history, card, rng)
                        term = np.log((1.0 - slips[seat]) * chance + slips[seat] / popcount(legal))
                    if rng[0] == before:
                        terms[alike[i, seat], ply] = term
                total += term
            play(rules[0], state, card)
        out[i] = total
