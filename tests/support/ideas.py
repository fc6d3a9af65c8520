"""Positions with a known right idea, from tests/data."""

from __future__ import annotations

import numpy as np

from heartlab.cards import CARDS, CardSet, parse_cards
from heartlab.deal import Deal
from heartlab.rules import Rules
from support import DATA


def _lines(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text().splitlines()
    return [[part.strip() for part in line.split("|")] for line in lines if line and not line.startswith("#")]


def _position(code: str, leader: str, hands: str, plays: str, *, moon: bool) -> tuple[str, Deal]:
    """A position whose pack is what the hands hold."""
    held = [CardSet(hand) for hand in hands.split("/")]
    pack = CardSet(sum(hand.mask for hand in held))
    rules = Rules.parse("seed" if moon else "seed-nomoon").replace(removed=CardSet(((1 << 52) - 1) & ~pack.mask))
    deal = Deal.from_hands(held, rules, leader=int(leader))
    for card in parse_cards(plays.replace("-", "")):
        deal.play(card)
    return code, deal


def positions() -> list[tuple[str, Deal]]:
    """The 50 positions of data/ideas.txt; the moon counts only where it is the idea."""
    return [_position(*line, moon=line[0] == "stop-moon") for line in _lines("ideas.txt")]


def moon_positions() -> list[tuple[str, Deal]]:
    """The 30 positions of data/moon-ideas.txt."""
    return [_position(*line, moon=True) for line in _lines("moon-ideas.txt")]


def hands_to_pass() -> list[tuple[str, Deal]]:
    """The 20 hands of data/pass-ideas.txt; the other cards lie anywhere."""
    found = []
    for number, (code, direction, hand) in enumerate(_lines("pass-ideas.txt")):
        mine = CardSet(hand)
        rest = np.random.default_rng(number).permutation([card for card in CARDS if card not in mine])
        others = [CardSet([int(card) for card in rest[13 * i : 13 * (i + 1)]]) for i in range(3)]
        found.append((code, Deal.from_hands([mine, *others], "standard", pass_direction=direction)))
    return found
