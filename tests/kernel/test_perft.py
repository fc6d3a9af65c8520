"""Hearts perft: the size of the game tree from fixed deals, against numbers on file.

The number of ways to play the next d cards changes with almost any mistake in legal cards, turn order or trick
winners, and costs little to compute, which is why chess programs are checked like that. Where the tree is counted to
the end of the deal, the points summed over all its ends are on file, too. The referee counts the small trees itself.

`data/perft.json` has one entry per position: the rules, the hands, where needed the passes, the leader, the totals
before the deal and the cards played so far; then `leaves`, the number of ways to play the next 1, 2, 3, ... cards, and
`points`, the sum over all ends of each seat's points. `python tests/kernel/test_perft.py` prints the file anew.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support import DATA
from support.referee import CLUB_OPENINGS, Referee

from heartlab.cards import CARDS, CardSet, parse_cards
from heartlab.deal import Deal
from heartlab.kernel.table import legal_table, play_table, points_table

PATH = DATA / "perft.json"
ENTRIES: list[dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8"))["positions"] if PATH.exists() else []
CHUNK = 1 << 14
"""Positions that are expanded at a time, which bounds the memory."""
REFEREE_LIMIT = 2500
"""The largest number of leaves that the referee counts."""


def file_text(entries: list[dict[str, Any]]) -> str:
    """The file: one line per value, so that a difference can be read."""
    lines = [",\n".join(f"   {json.dumps(key)}: {json.dumps(value)}" for key, value in e.items()) for e in entries]
    positions = ",\n".join(f"  {{\n{text}\n  }}" for text in lines)
    return f'{{\n "about": "see test_perft.py",\n "positions": [\n{positions}\n ]\n}}'


# --- the engine ---


def set_up(entry: dict[str, Any]) -> Deal:
    """The position of an entry in the engine."""
    deal = Deal.from_hands(
        entry["hands"],
        entry["rules"],
        pass_direction=entry.get("pass"),
        leader=entry.get("leader"),
        scores=entry.get("scores"),
    )
    for seat, cards in enumerate(entry.get("passes", [])):
        deal.pass_cards(seat, cards)
    for card in parse_cards(entry.get("played", "")):
        deal.play(card)
    return deal


def successors(deal: Deal, states: Any) -> Any:
    """All states one card further."""
    masks = np.zeros(len(states), np.uint64)
    legal_table(deal._compiled, states, masks)
    rows, cards = np.nonzero(masks[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1))
    after, verdicts = states[rows], np.zeros(len(rows), np.bool_)
    play_table(deal._compiled, after, np.zeros((len(rows), 52), np.int8), cards.astype(np.int8), verdicts)
    assert verdicts.all()
    return after


def leaves(deal: Deal, states: Any, depth: int) -> Iterator[Any]:
    """The states after so many cards, in arrays of bounded size."""
    if depth == 0:
        yield states
        return
    for start in range(0, len(states), CHUNK):
        yield from leaves(deal, successors(deal, states[start : start + CHUNK]), depth - 1)


def count_leaves(deal: Deal, depth: int) -> int:
    """The number of ways to play the next `depth` cards; the last of them is counted, not played."""
    total = 0
    for states in leaves(deal, deal._states, depth - 1):
        masks = np.zeros(len(states), np.uint64)
        legal_table(deal._compiled, states, masks)
        total += int(np.bitwise_count(masks).sum())
    return total


def sum_points(deal: Deal, depth: int) -> list[int]:
    """Each seat's points, summed over all ways to finish a deal of which `depth` cards are left."""
    total = np.zeros(6, np.int64)
    for states in leaves(deal, deal._states, depth):
        points = np.zeros((len(states), 6), np.int64)
        points_table(deal._compiled, states, points, np.zeros(len(states), np.int64))
        total += points.sum(0)
    return [int(value) for value in total[: deal.rules.players]]


# --- the referee ---


def set_up_referee(entry: dict[str, Any]) -> Referee:
    """The position of an entry before the referee."""
    deal = Deal.from_hands(entry["hands"], entry["rules"], pass_direction=entry.get("pass"))
    rules, hands = deal.rules, [parse_cards(hand) for hand in entry["hands"]]
    dealt = {card for hand in hands for card in hand}
    referee = Referee(
        rules,
        hands,
        kitty=[card for card in CARDS if card not in rules.removed and card not in dealt],
        pass_code=rules.pass_code(entry.get("pass") or rules.pass_direction(0)),
        leader=None if rules.opening in CLUB_OPENINGS else entry["leader"],
        scores=entry.get("scores"),
    )
    for seat, cards in enumerate(entry.get("passes", [])):
        referee.pass_cards(seat, parse_cards(cards))
    for card in parse_cards(entry.get("played", "")):
        referee.play(card)
    return referee


def twin(referee: Referee) -> Referee:
    """A copy that can be played on independently."""
    other = copy.copy(referee)
    other.hands = [set(hand) for hand in referee.hands]
    other.taken = [set(cards) for cards in referee.taken]
    for name in ("trick", "history", "winners", "tricks_won"):
        setattr(other, name, list(getattr(referee, name)))
    return other


def referee_ends(referee: Referee, depth: int) -> Iterator[Referee]:
    """All positions after so many cards."""
    if depth == 0:
        yield referee
        return
    for card in sorted(referee.legal()):
        after = twin(referee)
        after.play(card)
        yield from referee_ends(after, depth - 1)


# --- tests ---


def names(entry: dict[str, Any]) -> str:
    return str(entry["name"])


@pytest.mark.parametrize("entry", ENTRIES, ids=names)
def test_the_engine_counts_the_leaves_on_file(entry: dict[str, Any]) -> None:
    deal = set_up(entry)
    assert [count_leaves(deal, depth + 1) for depth in range(len(entry["leaves"]))] == entry["leaves"]
    if "points" in entry:
        left = deal.rules.plays - len(deal.history)
        assert len(entry["leaves"]) == left
        assert sum_points(deal, left) == entry["points"]


@pytest.mark.parametrize("entry", ENTRIES, ids=names)
def test_the_referee_counts_the_leaves_on_file(entry: dict[str, Any]) -> None:
    """As deep as a slow program gets; at least to the second trick, or to the end of the deal."""
    referee = set_up_referee(entry)
    depth = max(d for d, leaves in enumerate(entry["leaves"], 1) if leaves <= REFEREE_LIMIT)
    ends = list(referee_ends(referee, depth))
    assert len(ends) == entry["leaves"][depth - 1]
    if "points" in entry and depth == len(entry["leaves"]):
        points = [end.points() for end in ends]
        assert [sum(column) for column in zip(*points, strict=True)] == entry["points"]


def test_the_file_covers_presets_and_ends() -> None:
    """At least ten rules, deals of three to six seats, big trees, and small ones to the end for the referee."""
    assert len({entry["rules"] for entry in ENTRIES}) >= 10
    assert {len(entry["hands"]) for entry in ENTRIES} == {3, 4, 5, 6}
    assert max(entry["leaves"][-1] for entry in ENTRIES) > 100_000
    to_the_end = [entry for entry in ENTRIES if "points" in entry]
    assert len(to_the_end) >= 6
    assert sum(entry["leaves"][-1] <= REFEREE_LIMIT for entry in to_the_end) >= 3
    for entry in ENTRIES:
        assert all(CardSet(hand).names() == hand for hand in entry["hands"]), "hands are written in card order"


if __name__ == "__main__":
    for entry in ENTRIES:
        deal = set_up(entry)
        entry["leaves"] = [count_leaves(deal, depth + 1) for depth in range(len(entry["leaves"]))]
        if "points" in entry:
            entry["points"] = sum_points(deal, deal.rules.plays - len(deal.history))
    print(file_text(ENTRIES))
