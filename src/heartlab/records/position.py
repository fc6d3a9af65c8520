"""One decision of a deal, from a record file or a random deal, and its description as the seat to move sees it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heartlab.cards import pretty_card
from heartlab.deal import Deal
from heartlab.records.format import DealRecord
from heartlab.records.replay import load_deals
from heartlab.rules import Rules


def find_deal(path: Path, place: int, rules: Rules) -> tuple[DealRecord, Deal]:
    """The deal at a place of a file, from 1.

    :raises ValueError: if the file has fewer deals.
    """
    count = 0
    for count, found in enumerate(load_deals(path, openspiel_rules=rules), 1):
        if count == place:
            return found
    raise ValueError(f"{path} holds {count} deals, none at place {place}" if count else f"{path} holds no deals")


def situation(deal: Deal, names: Sequence[str], players: Sequence[str] | None) -> str:
    """The position as the seat to move sees it."""
    seat = deal.to_move or 0
    obs = deal.observe(seat)
    table = "  ".join(f"{names[at]} {pretty_card(card)}" for at, card in obs.trick) or "nothing yet"
    taken = "  ".join(f"{names[at]} {points}" for at, points in enumerate(obs.points))
    lines = [
        f"trick {obs.trick_number + 1}, card {len(obs.history) + 1}: {names[seat]} is to play",
        f"  hand    {' '.join(pretty_card(card) for card in sorted(obs.hand))}",
        f"  table   {table}",
        f"  points  {taken}",
        f"  unseen  {' '.join(pretty_card(card) for card in sorted(obs.unseen))}",
        "",
    ]
    if players:
        lines.insert(0, "players: " + "  ".join(f"{at} {name}" for at, name in zip(names, players, strict=True)))
    return "\n".join(lines)


class PositionError(ValueError):
    """A deal or a card that does not exist."""


def find_position(path: Path | None, place: int, card: int, rules: Rules, seed: int) -> tuple[Deal, int]:
    """A deal before a card (counted from 1), and the card that was played there.

    The deal is the one at `place` of a record file or, without a file, a random one.

    :raises PositionError: if there is no such deal or card.
    """
    if path is None:
        whole = Deal(rules, seed)
        whole.play_randomly(seed)
    else:
        deals = [deal for _, deal in load_deals(path)]
        if not 1 <= place <= len(deals):
            raise PositionError(f"{path} holds {len(deals)} deals, and none at place {place}")
        whole = deals[place - 1]
    history = whole.history
    if not 1 <= card <= len(history):
        raise PositionError(f"--at {card}: this deal has {len(history)} cards")
    return whole.before(card), history[card - 1]
