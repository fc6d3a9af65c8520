"""Hand-made positions for the tests of the rule-based players, and what a player answers in them."""

from __future__ import annotations

import numpy as np

from heartlab.cards import CardSet, parse_cards
from heartlab.kernel.layout import OBSERVATION, PLAYING, StateArray, compile_rules
from heartlab.kernel.play import legal_of
from heartlab.players.base import Observations, Player
from heartlab.rules import Rules

GNOME = Rules.parse("gnome")
CLUB_TRICK = "0: 2C 7C 8C 9C"
"""A first trick without any interest."""
DICE = 64
"""Random keys tried in a position, so that a choice at random shows itself."""


def position(
    hand: str,
    trick: str = "",
    *past: str,
    rules: Rules = GNOME,
    scores: tuple[int, ...] = (0, 0, 0, 0),
    passed: str = "",
    received: str = "",
    pass_code: int = 0,
) -> StateArray:
    """What seat 0 sees: its hand, the cards on the table, and tricks before, each as ``LEADER: CARDS``.

    Without any trick before, a dull one of clubs is supposed; write ``"first"`` if this is the first trick.
    """
    n = rules.players
    record = np.zeros(1, OBSERVATION)
    view = record[0]
    tricks = [] if past == ("first",) else [_read(text) for text in past or (CLUB_TRICK,)]
    view["hand"] = CardSet(hand).mask
    view["may_hold"][:n] = compile_rules(rules)["pack"][0]
    view["history"] = -1
    view["trick_cards"] = -1
    table = parse_cards(trick)
    _play_tricks(view, n, tricks)
    _play_tricks(view, n, [(-len(table) % n, table)] if table else [], finished=False)
    view["hearts_broken"] = any(card >= 39 or card == 36 for card in view["history"])
    view["hand_sizes"][:n] = len(CardSet(hand))
    view["scores"][:n] = scores
    view["passed"] = CardSet(passed).mask
    view["received"] = CardSet(received).mask
    view["pass_code"] = pass_code
    view["phase"] = PLAYING
    hand_mask, led = np.uint64(view["hand"]), np.uint64(view["led"])
    view["legal"] = legal_of(compile_rules(rules)[0], hand_mask, led, int(view["plays"]), int(view["hearts_broken"]))
    return record


def _read(text: str) -> tuple[int, list[int]]:
    leader, cards = text.split(":")
    return int(leader), parse_cards(cards)


def _play_tricks(view: np.void, n: int, tricks: list[tuple[int, list[int]]], finished: bool = True) -> None:
    """Enter tricks into a view: what was played, by whom, who won it, who could not follow."""
    for leader, cards in tricks:
        suit = cards[0] // 13
        best = max(card for card in cards if card // 13 == suit)
        winner = (leader + cards.index(best)) % n
        for step, card in enumerate(cards):
            seat = (leader + step) % n
            view["history"][view["plays"]] = card
            view["plays"] += 1
            view["played"][seat] |= np.uint64(1 << card)
            if card // 13 != suit:
                view["may_hold"][seat] &= ~np.uint64(0x1FFF << 13 * suit)
        mask = np.uint64(CardSet(cards).mask)
        if finished:
            view["taken"][winner] |= mask
            view["tricks_won"][winner] += 1
            view["trick_number"] += 1
        else:
            view["led"] = np.uint64(0x1FFF << 13 * suit)
            view["trick"] = mask
            view["trick_cards"][: len(cards)] = cards
            view["trick_size"] = len(cards)
            view["leader"], view["winner"], view["best"] = leader, winner, best


def _ask(record: StateArray, rules: Rules) -> Observations:
    records = np.repeat(record, DICE)
    records["random"] = np.arange(DICE, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return Observations(rules, compile_rules(rules), records)


def answers(player: Player, record: StateArray, rules: Rules = GNOME) -> CardSet:
    """All cards that a player plays in a position, over many dice."""
    return CardSet(int(card) for card in player.choose_cards(_ask(record, rules)))


def passes(player: Player, hand: str, rules: Rules = GNOME) -> CardSet:
    """The cards that a player passes from a hand; it must not depend on the dice."""
    record = np.zeros(1, OBSERVATION)
    record["hand"] = CardSet(hand).mask
    masks = set(player.choose_passes(_ask(record, rules)).tolist())
    assert len(masks) == 1
    return CardSet(masks.pop())
