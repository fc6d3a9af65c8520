"""Plain-Python twins of the atomic features and of the learning rule: sets, lists, and the words of the papers."""

from __future__ import annotations

from itertools import combinations

CLUBS, DIAMONDS, SPADES, HEARTS = range(4)
QUEEN, KING, ACE = 36, 37, 38
SIDE = (DIAMONDS, CLUBS, HEARTS)


def of_suit(cards, suit):
    return {card for card in cards if card // 13 == suit}


def low_spades(hand):
    return {card for card in of_suit(hand, SPADES) if card not in (QUEEN, KING, ACE)}


def card_atoms(hands, dealt, leader, we):
    """The numbers (from 1, as printed) of the features that hold for a seat.

    :param hands: the cards that each seat holds; `dealt`: those it was dealt; `leader`: who is to lead.
    """
    mine, others = hands[we], [hand for seat, hand in enumerate(hands) if seat != we]
    found = set()

    def note(number, holds):
        if holds:
            found.add(number)

    note(1, QUEEN in mine)
    note(2, ACE in mine)
    note(3, KING in mine)
    low = len(low_spades(mine))
    found.add({0: 5, 1: 6, 2: 7, 3: 8, 4: 9}.get(low, 4))
    for block, suit in zip((10, 18, 26), SIDE, strict=True):
        own = of_suit(mine, suit)
        start = len(of_suit(dealt[we], suit))
        found.add({0: block + 1, 1: block + 2, 2: block + 3}.get(start, block))
        note(block + 4, not own)
        note(block + 5, own)
        note(block + 6, any(not of_suit(hand, suit) for hand in others))
        note(block + 7, own and any(of_suit(hand, suit) and min(of_suit(hand, suit)) > min(own) for hand in others))
    for number, card in ((34, QUEEN), (35, ACE), (36, KING)):
        note(number, of_suit(mine, SPADES) == {card})
    note(37, leader == we)
    holders = [hand for hand in others if QUEEN in hand]
    if holders:
        found.add(38 + min(3, len(low_spades(holders[0]))))
        shorts = [suit for suit in SIDE if not of_suit(holders[0], suit)]
        found.add(42 + len(shorts))
        for number, suit in zip((46, 47, 48), SIDE, strict=True):
            note(number, suit in shorts)
    if leader != we:
        for place, suit in enumerate((SPADES, *SIDE)):
            found.add((53 if of_suit(hands[leader], suit) else 49) + place)
    for place, suit in enumerate((SPADES, *SIDE)):
        own, rest = of_suit(mine, suit), set().union(*(of_suit(hand, suit) for hand in others))
        note(57 + place, own and (not rest or min(own) > max(rest)))
    return found


def heart_atoms(taken, we):
    """Values of the three counts of heart points: ours, the others', still to be taken."""
    counts = [len(of_suit(cards, HEARTS)) for cards in taken]
    return counts[we], sum(counts) - counts[we], 13 - sum(counts)


def active(atoms, orders, members=None):
    """The conjunctions of some atoms that are active: all of these orders, or those among `members`."""
    found = {tuple(chosen) for order in orders for chosen in combinations(sorted(atoms), order)}
    return found if members is None else found & set(members)


def learn(weights, states, had, result, decay, rate):
    """The backward pass of the papers over lists of active conjunctions; changes `weights`.

    `had` are points that count without being foreseen: none in the papers.
    """
    target = result
    for conjunctions, points in zip(reversed(states), reversed(had), strict=True):
        if not conjunctions:
            continue
        value = points + sum(weights[conjunction] for conjunction in conjunctions)
        target = (1 - decay) * value + decay * target
        for conjunction in conjunctions:
            weights[conjunction] += rate / len(conjunctions) * (target - value)
