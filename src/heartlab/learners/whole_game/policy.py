"""What a network chooses: the card, and the cards to pass, with the best prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, lowest
from heartlab.compiled.jit import kernel, template
from heartlab.kernel.dealing import may_pass
from heartlab.learners.whole_game.features import (
    card_features,
    distinct,
    pass_card_features,
    pass_position_features,
    position_features,
    unseen_cards,
)
from heartlab.learners.whole_game.network import HEADS, Mind, Net, attend, forget, predict, worth


@kernel
def pass_choices(rules: Any, obs: Any, chosen: np.uint64) -> np.uint64:
    """The cards to choose from for a pass, beside those already chosen: one of each group of equivalent ones."""
    return distinct(may_pass(rules, obs["hand"]) & ~chosen, rules["pack"] & ~obs["hand"])


@template
def _best_of(
    cards: np.uint64, describe: Any, rules: Any, obs: Any, known: np.uint64, net: Net, which: int, mind: Mind,
    weights: Any,
) -> int:  # fmt: skip
    """The card with the best prediction, which is then in `mind.best`, for a position that was attended to.

    :param describe: the kernel that lists the features of a card; `known` are the cards that it is told.
    """
    seat = np.int64(obs["seat"])
    best, least = -1, 0.0
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        predict(net, which, mind, seat, describe(rules, obs, known, card, mind.card))
        value = worth(mind.heads, weights)
        if best < 0 or value < least:
            best, least = card, value
            for k in range(HEADS):
                mind.best[k] = mind.heads[k]
    return best


@kernel
def choose(rules: Any, obs: Any, net: Net, which: int, mind: Mind, weights: Any) -> int:
    """The legal card with the best prediction, which is then in `mind.best`; -1 if there is no choice."""
    unseen = unseen_cards(rules, obs)
    cards = distinct(obs["legal"], unseen | obs["trick"])
    if cards & (cards - ONE) == ZERO:
        return -1
    attend(net, which, mind, np.int64(obs["seat"]), position_features(rules, obs, mind.now))
    return _best_of(cards, card_features, rules, obs, unseen, net, which, mind, weights)


@kernel
def foresee(rules: Any, obs: Any, net: Net, which: int, mind: Mind, weights: Any) -> int:
    """The legal card with the best prediction, which is then in `mind.best`, also if there is no choice."""
    unseen = unseen_cards(rules, obs)
    cards = distinct(obs["legal"], unseen | obs["trick"])
    attend(net, which, mind, np.int64(obs["seat"]), position_features(rules, obs, mind.now))
    return _best_of(cards, card_features, rules, obs, unseen, net, which, mind, weights)


@kernel
def best_card(rules: Any, obs: Any, net: Net, which: int, mind: Mind, weights: Any) -> int:
    """The legal card with the best prediction; the lowest of equivalent ones."""
    card = choose(rules, obs, net, which, mind, weights)
    return card if card >= 0 else lowest(obs["legal"])


@kernel
def next_pass(rules: Any, obs: Any, chosen: np.uint64, net: Net, which: int, mind: Mind, weights: Any) -> int:
    """The next card to pass, beside those already chosen."""
    attend(net, which, mind, np.int64(obs["seat"]), pass_position_features(rules, obs, chosen, mind.now))
    cards = pass_choices(rules, obs, chosen)
    return _best_of(cards, pass_card_features, rules, obs, chosen, net, which, mind, weights)


@kernel
def best_pass(rules: Any, obs: Any, net: Net, which: int, mind: Mind, weights: Any) -> np.uint64:
    """The cards to pass, chosen one after the other."""
    chosen = ZERO
    for _ in range(rules["pass_count"]):
        chosen |= bit(next_pass(rules, obs, chosen, net, which, mind, weights))
    return chosen


@kernel
def rank_passes(rules: Any, obs: Any, net: Net, mind: Mind, weights: Any, out: Any) -> int:
    """Passes that are worth a closer look: sets of the best cards of each step; the network's own comes first.

    Returns their number; they fill `out` at most.
    """
    forget(net, 0, mind, np.int64(obs[0]["seat"]))
    count = 0
    steps = np.int64(rules[0]["pass_count"])
    widths = (5, 4, 3)
    chosen = np.zeros(4, np.uint64)
    tried = np.zeros((4, 8), np.int64)
    places = np.zeros(4, np.int64)
    depth = 0
    fill = True
    while depth >= 0:
        if depth == steps:
            known = False
            for i in range(count):
                known = known or out[i] == chosen[depth]
            if not known and count < len(out):
                out[count] = chosen[depth]
                count += 1
            depth -= 1
            fill = False
            continue
        width = widths[min(depth, 2)]
        if fill:
            _best_cards(rules[0], obs[0], chosen[depth], net, mind, weights, tried[depth, :width])
            places[depth] = 0
        if places[depth] == width or tried[depth, places[depth]] < 0:
            depth -= 1
            fill = False
            continue
        chosen[depth + 1] = chosen[depth] | bit(tried[depth, places[depth]])
        places[depth] += 1
        depth += 1
        fill = True
    return count


@kernel
def _best_cards(rules: Any, obs: Any, chosen: np.uint64, net: Net, mind: Mind, weights: Any, out: Any) -> None:
    """The best cards to pass beside those already chosen, best first; -1 where there are no more."""
    seat = np.int64(obs["seat"])
    attend(net, 0, mind, seat, pass_position_features(rules, obs, chosen, mind.now))
    cards = pass_choices(rules, obs, chosen)
    values = np.full(len(out), np.inf)
    for i in range(len(out)):
        out[i] = -1
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        predict(net, 0, mind, seat, pass_card_features(rules, obs, chosen, card, mind.card))
        value = worth(mind.heads, weights)
        place = len(out)
        while place > 0 and value < values[place - 1]:
            place -= 1
        if place < len(out):
            for i in range(len(out) - 1, place, -1):
                values[i] = values[i - 1]
                out[i] = out[i - 1]
            values[place] = value
            out[place] = card
