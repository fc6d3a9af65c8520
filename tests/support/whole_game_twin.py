"""The network of the whole game in plain NumPy: features by sets, layers by matrices, the gradient by hand."""

import numpy as np

from heartlab.cards import CardSet
from heartlab.learners.whole_game.features import CAP, CAPPED, CARD, POSITION


def suit(card):
    return card // 13


def position_features(obs):
    """What a seat knows, by the words of the features' documentation."""
    hand, seat = set(obs.hand), obs.seat
    played = [set(obs.played[(seat + step) % 4]) for step in range(4)]
    unseen = set(range(52)) - hand - set().union(*played)
    true = {("hand", card) for card in hand}
    for step in range(4):
        true |= {("played", 52 * step + card) for card in played[step]}
    true |= {("trick", 52 * ((other - seat) % 4 - 1) + card) for other, card in obs.trick}
    if obs.trick:
        led = suit(obs.trick[0][1])
        best, winner = max((card, other) for other, card in obs.trick if suit(card) == led)
        true |= {("best", best), ("winner", (winner - seat) % 4 - 1)}
    direction = int(obs.records[0]["pass_code"])
    true |= {("place", len(obs.trick)), ("number", obs.trick_number), ("direction", direction)}
    if direction:
        true |= {("known", 52 * (direction - 1) + card) for card in set(obs.passed) & unseen}
        true |= {("received", card) for card in obs.received}
    for one in range(4):
        mine = {card for card in hand if suit(card) == one}
        out = {card for card in unseen if suit(card) == one}
        true |= {("held", 14 * one + len(mine)), ("unseen", 14 * one + len(out))}
        for step in range(1, 4):
            if not out & set(CardSet(int(obs.records[0]["may_hold"][(seat + step) % 4]))):
                true.add(("void", 4 * (step - 1) + one))
    for card in hand:
        mates = [other for other in unseen if suit(other) == suit(card)]
        true.add(("below", card * CAPPED + min(CAP, sum(other < card for other in mates))))
        true.add(("above", card * CAPPED + min(CAP, sum(other > card for other in mates))))
    if obs.hearts_broken:
        true.add(("broken", 0))
    return true | _points(obs)


def _points(obs):
    taken = [set(obs.taken[(obs.seat + step) % 4]) for step in range(4)]
    hearts = [sum(suit(card) == 3 for card in cards) for cards in taken]
    points = [hearts[step] + 13 * (36 in taken[step]) for step in range(4)]
    true = {("hearts", 14 * step + hearts[step]) for step in range(4)}
    true.add(("queen", next((step for step in range(4) if 36 in taken[step]), 4)))
    holders = [step for step in range(4) if points[step]]
    if len(holders) != 1:
        return true | {("moon", 4 if not holders else 5)}
    size = sum(points[holders[0]] >= least for least in (5, 13, 20))
    return true | {("moon", holders[0]), ("alone", 4 * holders[0] + size)}


def rows_of(true, blocks=POSITION):
    """Features as row numbers."""
    return sorted(blocks[name].start + number for name, number in true)


def card_rows(obs, card):
    """What a card would do."""
    hand, trick = set(obs.hand), [card for _, card in obs.trick]
    unseen = set(range(52)) - hand - set().union(*map(set, obs.played))
    mates = sorted(other for other in hand if suit(other) == suit(card))
    higher = sum(suit(other) == suit(card) and other > card for other in unseen)
    lower = sum(suit(other) == suit(card) and other < card for other in unseen)
    best = max((other for other in trick if suit(other) == suit(trick[0])), default=None)
    role = 0 if not trick else 3 if suit(card) != suit(trick[0]) else 2 if card > best else 1
    worth = 3 if 36 in trick else min(2, sum(suit(other) == 3 for other in trick))
    true = {
        ("card", card), ("role", 52 * role + card), ("beaten", CAPPED * role + min(CAP, higher)),
        ("beats", CAPPED * role + min(CAP, lower)), ("left", CAPPED * suit(card) + min(CAP, len(mates) - 1)),
        ("points", 4 * role + worth),
    }  # fmt: skip
    true |= {("lowest", 0)} if card == mates[0] else set()
    true |= {("highest", 0)} if card == mates[-1] else set()
    true |= {("ducks", 0)} if role == 1 and not any(card < other < best for other in mates) else set()
    true |= {("last", role)} if len(trick) == 3 else set()
    return rows_of(true, CARD)


def forward(net, positions, cards):
    """All layers for one card."""
    base = net.bias[0] + net.position[0][positions].sum(axis=0)
    first = np.maximum(0, base + net.card[0][cards].sum(axis=0))
    second = np.maximum(0, net.hidden_bias[0] + net.hidden[0] @ first)
    return first, second, net.heads_bias[0] + net.heads[0] @ second


def gradient(net, decisions, weights, aid, scale):
    """The gradient of the loss, summed over decisions (positions, cards, target)."""
    total = type(net)(*(np.zeros(array.shape) for array in net))
    for positions, cards, target in decisions:
        first, second, heads = forward(net, positions, cards)
        error = heads - target
        slope = (weights * (weights @ error) + aid * error) * scale
        total.heads_bias[0] += slope
        total.heads[0] += np.outer(slope, second)
        back = (net.heads[0].T @ slope) * (second > 0)
        total.hidden_bias[0] += back
        total.hidden[0] += np.outer(back, first)
        low = (net.hidden[0].T @ back) * (first > 0)
        total.bias[0] += low
        np.add.at(total.position[0], positions, low)
        np.add.at(total.card[0], cards, low)
    return total
