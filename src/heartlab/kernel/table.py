"""Many deals side by side: the batch forms of the kernels, random playouts, replays.

A table is an array of states, an array of histories (`int8[n, 52]`, the cards in order of play) and an array of random
keys, one per row. `rules` is always the array of one record that `compile_rules` makes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, nth, popcount
from heartlab.compiled.jit import kernel, template
from heartlab.compiled.rng import below, substream
from heartlab.kernel.dealing import deal, give, may_pass, random_pass
from heartlab.kernel.layout import NOBODY, OVER, PASSING, PLAYING
from heartlab.kernel.observe import observe
from heartlab.kernel.play import legal, legal_of, play, points, take_kitty
from heartlab.kernel.ranks import HEARTS, QUEEN_BIT, suit_of
from heartlab.kernel.worlds import count_worlds, sample_worlds

EXCHANGE_STREAM = 1
"""Number of the substream of a deal's key that shuffles a pool."""


@kernel
def deal_table(rules: Any, keys: Any, numbers: Any, states: Any) -> None:
    """Deal one state per row; its cards depend only on the row's key and deal number."""
    rng = np.empty(1, np.uint64)
    for row in range(len(states)):
        rng[0] = substream(keys[row], numbers[row])
        deal(rules[0], states[row], numbers[row], rng)


@kernel
def give_table(rules: Any, keys: Any, states: Any, seats: Any, cards: Any, verdicts: Any) -> None:
    """Pass for one seat in each row; an illegal pass is not made, and its verdict is False."""
    rng = np.empty(1, np.uint64)
    for row in range(len(states)):
        state = states[row]
        seat = seats[row]
        chosen = cards[row]
        fits = popcount(chosen) == rules[0]["pass_count"]
        waiting = state["phase"] == PASSING and state["to_pass"] >> seat & 1
        verdicts[row] = fits and waiting and may_pass(rules[0], state["hands"][seat]) & chosen == chosen
        if verdicts[row]:
            rng[0] = substream(substream(keys[row], state["deal_number"]), EXCHANGE_STREAM)
            give(rules[0], state, seat, chosen, rng)


@kernel
def play_table(rules: Any, states: Any, histories: Any, cards: Any, verdicts: Any) -> None:
    """Play a card in each row; an illegal one is not played, and its verdict is False."""
    for row in range(len(states)):
        state = states[row]
        card = cards[row]
        verdicts[row] = False
        if state["phase"] == PLAYING and 0 <= card < 52 and legal(rules[0], state) & bit(card) != ZERO:
            verdicts[row] = True
            histories[row, state["plays"]] = card
            play(rules[0], state, card)


@kernel
def legal_table(rules: Any, states: Any, out: Any) -> None:
    """The legal cards of each row; empty where nobody is to play a card."""
    for row in range(len(states)):
        out[row] = legal(rules[0], states[row]) if states[row]["phase"] == PLAYING else ZERO


@kernel
def observe_table(rules: Any, states: Any, histories: Any, rows: Any, seats: Any, keys: Any, out: Any) -> None:
    """What one seat may know in each of some rows; `keys` are the players' keys of all rows."""
    for i in range(len(rows)):
        row = rows[i]
        observe(rules[0], states[row], histories[row], seats[i], keys[row], out[i])


@kernel
def points_table(rules: Any, states: Any, out: Any, shooters: Any) -> None:
    """Points and moon shooter of each row."""
    for row in range(len(states)):
        shooters[row] = points(rules[0], states[row], out[row])


@kernel
def worlds_table(rules: Any, obs: Any, rng: Any, out: Any) -> bool:
    """Worlds for the first of an array of observations."""
    return sample_worlds(rules[0], obs[0], rng, out)


@kernel
def count_worlds_table(rules: Any, obs: Any) -> float:
    """The number of worlds for the first of an array of observations."""
    return count_worlds(rules[0], obs[0])


@kernel
def random_card(rules: Any, state: Any, rng: Any) -> int:
    """A uniformly random legal card."""
    cards = legal(rules, state)
    if cards & (cards - ONE) == ZERO:
        return nth(cards, 0)
    return nth(cards, below(rng, popcount(cards)))


@template
def play_tricks(rules: Any, state: Any, pick: Any, rng: Any) -> None:
    """Play a deal from the beginning of a trick to its end; `pick` chooses among the legal cards.

    All simulations spend their time here, so it keeps the trick in registers and does not update the fields that only
    describe what was seen (`played`, `may_hold`, the last trick); all that `points` needs is updated. For the same
    reason `pick` is a kernel of plain values instead of a state: the legal cards, the suit led (empty when leading),
    the cards of the trick, the best of them, whether it is the last to play, the penalty cards, and the random state.
    """
    players = np.int64(rules["players"])
    hands = state["hands"]
    plays = np.int64(state["plays"])
    broken = np.int64(state["hearts_broken"])
    leader = np.int64(state["to_move"])
    careful = rules["must_break"] or rules["queen_after_hearts"]
    first = not rules["first_trick_points"] or plays == 0
    last_play = np.int64(rules["hand_size"]) * players
    penalty = rules["penalty"]
    breakers = HEARTS | QUEEN_BIT if rules["queen_breaks"] else HEARTS
    kitty_open = state["kitty_taker"] == NOBODY and state["kitty"] != ZERO
    while plays < last_play:
        restricted = (first and plays < players) or (careful and not broken)
        hand = hands[leader]
        cards = legal_of(rules, hand, ZERO, plays, broken) if restricted else hand
        best = np.int64(pick(cards, ZERO, ZERO, np.int64(0), False, penalty, rng))
        trick = bit(best)
        hands[leader] = hand ^ trick
        led = suit_of(best)
        winner = leader
        seat = leader
        plays += 1
        for left in range(players - 2, -1, -1):
            seat = seat + 1 if seat + 1 < players else 0
            hand = hands[seat]
            if restricted:
                broken |= trick & breakers != ZERO
                cards = legal_of(rules, hand, led, plays, broken)
            else:
                cards = hand & led
                cards = cards if cards != ZERO else hand
            card = np.int64(pick(cards, led, trick, best, left == 0, penalty, rng))
            own = bit(card)
            hands[seat] = hand ^ own
            trick |= own
            wins = (own & led != ZERO) & (card > best)
            best = card if wins else best
            winner = seat if wins else winner
            plays += 1
        broken |= trick & breakers != ZERO
        leader = winner
        state["taken"][winner] |= trick
        state["tricks_won"][winner] += 1
        if kitty_open:
            kitty_open = not take_kitty(rules, state, winner, trick)
    state["plays"] = plays
    state["trick_number"] = rules["hand_size"]
    state["hearts_broken"] = broken
    state["leader"] = leader
    state["to_move"] = NOBODY
    state["phase"] = OVER


@kernel
def _any(
    cards: np.uint64, led: np.uint64, trick: np.uint64, best: int, last: bool, penalty: np.uint64, rng: Any
) -> int:
    return nth(cards, below(rng, popcount(cards)))


@kernel
def playout(rules: Any, state: Any, rng: Any) -> None:
    """Finish a deal with uniformly random choices; see `play_tricks` for the fields that are not updated."""
    if state["phase"] == PASSING:
        for seat in range(rules["players"]):
            if state["to_pass"] >> seat & 1:
                give(rules, state, seat, random_pass(rules, state["hands"][seat], rng), rng)
    while state["trick_size"] > 0:
        play(rules, state, random_card(rules, state, rng))
    if state["phase"] == PLAYING:
        play_tricks(rules, state, _any, rng)


@kernel
def random_deals(rules: Any, key: np.uint64, first: int, states: Any, out: Any) -> None:
    """Deal and finish random deals, one per row of `out`; `states` is scratch memory of length one."""
    rng = np.empty(1, np.uint64)
    for row in range(len(out)):
        rng[0] = substream(key, first + row)
        deal(rules[0], states[0], first + row, rng)
        playout(rules[0], states[0], rng)
        points(rules[0], states[0], out[row])


@kernel
def replay_table(rules: Any, states: Any, plays: Any, legal_out: Any, movers: Any) -> int:
    """Play recorded cards to the end, with legal cards and mover before each; returns the first bad row, or -1."""
    for row in range(len(states)):
        state = states[row]
        ply = 0
        while state["phase"] == PLAYING:
            legal_out[row, ply] = legal(rules[0], state)
            movers[row, ply] = state["to_move"]
            card = plays[row, ply]
            if card < 0 or card > 51 or legal_out[row, ply] & bit(card) == ZERO:
                return row
            play(rules[0], state, card)
            ply += 1
        if state["to_move"] != NOBODY:
            return row
    return -1
