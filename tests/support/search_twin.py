"""Plain-Python twins of the searches, over the referee: sets, lists and recursion, nothing shared with the kernels."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Collection, Mapping

from heartlab.deal import Deal
from heartlab.rules import Rules
from support.referee import Referee

QUEEN = 36


def late_position(rules: Rules, seed: int, tricks_left: int, extra_cards: int = 0) -> tuple[Deal, Referee]:
    """A random deal played at random until so many tricks are left (and a few cards more are on the table)."""
    dice = random.Random(seed)
    deal = Deal(rules, seed=seed, number=seed)
    for seat in deal.to_pass:
        deal.pass_cards(seat, dice.sample(sorted(deal.observe(seat).may_pass), rules.pass_count))
    started = deal.copy()
    target = rules.plays - tricks_left * rules.players + extra_cards
    while len(deal.history) < target:
        deal.play(dice.choice(sorted(deal.legal)))
    twin = Referee(rules, started.hands, kitty=started.kitty, leader=started.leader, scores=started.scores)
    for card in deal.history:
        twin.play(card)
    return deal, twin


def fork(referee: Referee) -> Referee:
    """A copy deep enough to play on."""
    twin = copy.copy(referee)
    twin.hands = [set(hand) for hand in referee.hands]
    twin.taken = [set(cards) for cards in referee.taken]
    for name in ("trick", "tricks_won", "history", "winners"):
        setattr(twin, name, list(getattr(referee, name)))
    return twin


def ordered(referee: Referee) -> list[int]:
    """Legal cards in the order of the thesis program (spec, section 7.3), equal places in card order."""

    def place(card: int) -> int:
        rank, spade = card % 13, card // 13 == 2
        if not referee.trick:
            if card in (38, 37, 36):
                return {38: 2, 37: 1, 36: 0}[card]
            return 30 + (12 - rank) if card // 13 == 3 else 39 - (12 - rank)
        led = referee.trick[0][1]
        if card // 13 != led // 13:
            return 1000 if card == QUEEN else rank
        if spade and card == QUEEN:
            return 1000 if led in (37, 38) else -1000
        return rank

    return sorted(sorted(referee.legal()), key=place, reverse=True)


def equivalent(referee: Referee, one: int, two: int) -> bool:
    """Whether two cards of the hand to move are searched once: nothing lies between them elsewhere."""
    special = {QUEEN, referee.rules.bonus, referee.rules.doubler}
    others = {card for seat, hand in enumerate(referee.hands) if seat != referee.to_move for card in hand}
    others |= {card for _, card in referee.trick}
    worth = [referee.rules.card_points(card) for card in (one, two)]
    between = range(min(one, two) + 1, max(one, two))
    return (
        one // 13 == two // 13
        and not special & {one, two}
        and worth[0] == worth[1]
        and not any(card in others for card in between)
    )


def candidates(referee: Referee, merge: bool) -> list[int]:
    """The cards to search, in order; with `merge` the first of each set of equivalent ones."""
    kept: list[int] = []
    for card in ordered(referee):
        if not (merge and any(equivalent(referee, card, other) for other in kept)):
            kept.append(card)
    return kept


def is_leaf(referee: Referee, stop: int) -> bool:
    return referee.phase == "over" or len(referee.history) >= stop


def after(referee: Referee, card: int) -> Referee:
    child = fork(referee)
    child.play(card)
    return child


def maxn(referee: Referee, stop: int, evaluate, merge: bool = False) -> list[float]:
    """Every seat takes the first card with its lowest value; with `merge`, of each set of equivalent cards one."""
    if is_leaf(referee, stop):
        return evaluate(referee)
    mover, best = referee.to_move, None
    for card in candidates(referee, merge):
        values = maxn(after(referee, card), stop, evaluate, merge)
        if best is None or values[mover] < best[mover] - 1e-9:
            best = values
    return best


def paranoid(referee: Referee, stop: int, root: int, evaluate) -> float:
    if is_leaf(referee, stop):
        return evaluate(referee)[root]
    values = [paranoid(after(referee, card), stop, root, evaluate) for card in ordered(referee)]
    return min(values) if referee.to_move == root else max(values)


def soft(referee: Referee, stop: int, evaluate) -> list[list[float]]:
    """The set of value vectors of the children that no other child dominates for the mover."""
    if is_leaf(referee, stop):
        return [evaluate(referee)]
    mover = referee.to_move
    families = [soft(after(referee, card), stop, evaluate) for card in ordered(referee)]
    result: list[list[float]] = []
    for mine in families:
        dominated = False
        for other in families:
            pairs = [(theirs[mover], own[mover]) for theirs in other for own in mine]
            never_worse = all(theirs <= own + 1e-9 for theirs, own in pairs)
            dominated |= never_worse and any(theirs < own - 1e-9 for theirs, own in pairs)
        if not dominated:
            result += [vector for vector in mine if vector not in result]
    return result


def prob(referee: Referee, stop: int, root: int, evaluate) -> list[float]:
    """Opponents: 0.7 own points, 0.2 margin over the mean of the others, 0.1 against the root."""
    if is_leaf(referee, stop):
        return evaluate(referee)
    mover, n = referee.to_move, referee.rules.players
    children = [prob(after(referee, card), stop, root, evaluate) for card in ordered(referee)]

    def first_best(cost):
        best = children[0]
        for child in children[1:]:
            if cost(child) < cost(best) - 1e-9:
                best = child
        return best

    own = first_best(lambda v: v[mover])
    if mover == root:
        return own
    margin = first_best(lambda v: v[mover] - (sum(v[:n]) - v[mover]) / (n - 1))
    against = first_best(lambda v: -v[root])
    return [0.7 * a + 0.2 * b + 0.1 * c for a, b, c in zip(own, margin, against, strict=True)]


def final_points(referee: Referee) -> list[float]:
    return [float(value) for value in referee.points()]


def pie(referee: Referee, owner: int) -> list[float]:
    """The hand-tuned evaluation, step by step as the spec describes it; shares turned into points.

    Within a trick its cards count as taken by the seat that is winning them.
    """
    rules, n = referee.rules, referee.rules.players
    worth = {card: rules.card_points(card) for card in rules.penalty_cards}
    left = sum(worth.get(card, 0) for hand in referee.hands for card in hand)
    taken = [sum(worth.get(card, 0) for card in cards) for cards in referee.taken]
    if referee.trick:
        following = [(card, seat) for seat, card in referee.trick if card // 13 == referee.trick[0][1] // 13]
        taken[max(following)[1]] += sum(worth.get(card, 0) for _, card in referee.trick)
    if left == 0:
        e = [max(26.0, float(sum(taken))) - t for t in taken]
    else:
        quality = [sum(12 - card % 13 for card in hand) for hand in referee.hands]
        e = [left * q / sum(quality) + 30 + sum(taken) - t for q, t in zip(quality, taken, strict=True)]
        played = [{card for seat, card in referee.history if seat == s} for s in range(n)]
        if QUEEN in referee.taken[owner]:
            e = [value + 3 * (seat != owner) for seat, value in enumerate(e)]
            if QUEEN in played[owner] and any(card // 13 == 2 for card in referee.hands[owner]):
                e[owner] /= 4
        if sum(t > 0 for t in taken) >= 2:
            e[owner] += 3
        if referee.to_move != owner:
            e[owner] += 1
        for suit in range(4):
            gone = sum(card // 13 == suit for _, card in referee.history)
            e[owner] += gone < 8 and not any(card // 13 == suit for card in referee.hands[owner])
    total = left + sum(taken)
    return [total * (1 - value / sum(e)) / (n - 1) for value in e]


def _suit(cards: Collection[int], suit: int) -> list[int]:
    return [card for card in cards if card // 13 == suit]


def _danger(own: Collection[int], others: Collection[int]) -> float:
    """The cards of a suit that would win, each against the others' average card."""
    if not others:
        return float(len(own))
    return sum(sum(other < card for other in others) for card in own) / len(others)


def sage(referee: Referee, constants: Mapping[str, float]) -> list[float]:
    """The second hand-tuned evaluation, by what its description says."""
    rules, n, hands = referee.rules, referee.rules.players, referee.hands
    worth = {card: rules.card_points(card) for card in rules.penalty_cards}
    taken = [sum(worth.get(card, 0) for card in cards) for cards in referee.taken]
    queen = sum(worth.get(card, 0) for hand in hands for card in hand if card == QUEEN)
    hearts = sum(worth.get(card, 0) for hand in hands for card in hand) - queen
    hot_hearts, hot_queen = [], []
    low_spades = [[card for card in hand if 26 <= card < QUEEN] for hand in hands]
    holder = next((seat for seat in range(n) if QUEEN in hands[seat]), None)
    for seat in range(n):
        leads = referee.to_move == seat
        rest = [card for other in range(n) if other != seat for card in hands[other]]
        heat = constants["hearts.base"] + constants["hearts.lead"] * leads
        for suit in range(4):
            own, others = _suit(hands[seat], suit), _suit(rest, suit)
            if own:
                heat += constants["hearts.heart" if suit == 3 else "hearts.side"] * _danger(own, others)
                heat -= constants["hearts.exit"] * bool(others and min(own) < min(others))
            else:
                heat -= constants["hearts.void"] * (len(others) > 2)
        hot_hearts.append(max(heat, 0.05))
        if holder is None:
            continue
        shortness = [1 / (1 + len(_suit(hands[holder], suit))) ** 2 for suit in (0, 1, 3)]
        if seat == holder:
            rounds = max(len(low_spades[other]) for other in range(n) if other != seat)
            margin = rounds - (len(_suit(hands[seat], 2)) - 1)
            heat = constants["queen.holder"] * math.exp(
                constants["queen.flush"] * margin - constants["queen.relief"] * sum(shortness)
            )
        else:
            highs = sum(card in hands[seat] for card in (37, 38))
            cover = math.exp(-constants["queen.cover"] * len(low_spades[seat]))
            heat = constants["queen.base"] + constants["queen.high"] * highs * cover
            rivals = [card for card in rest if card not in hands[holder]]
            for short, suit in zip(shortness, (0, 1, 3), strict=True):
                heat += constants["queen.dump"] * short * _danger(_suit(hands[seat], suit), _suit(rivals, suit))
        hot_queen.append(heat + constants["queen.lead"] * leads)
    values = [points + hearts * heat / sum(hot_hearts) for points, heat in zip(taken, hot_hearts, strict=True)]
    if holder is not None:
        values = [value + queen * heat / sum(hot_queen) for value, heat in zip(values, hot_queen, strict=True)]
    bonus = [rules.bonus_points * (rules.bonus in cards) for cards in referee.taken]
    factor = [1 + (rules.doubler in cards) for cards in referee.taken]
    return [factor[seat] * (values[seat] + bonus[seat]) for seat in range(n)]
