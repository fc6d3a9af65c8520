"""Deals as text for people: the hands around the table, the trick in the middle, and the points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartlab.cards import RANK_CHARS, SUIT_SYMBOLS, SUITS, CardSet, card_rank, card_suit, pretty_card

if TYPE_CHECKING:
    from heartlab.deal import Deal

COLUMN = 18


def hand_lines(hand: CardSet) -> list[str]:
    """A hand in four lines, one per suit, highest card first."""
    lines = []
    for suit in SUITS:
        ranks = "".join(RANK_CHARS[card_rank(card)] for card in sorted(hand, reverse=True) if card_suit(card) == suit)
        lines.append(f"{SUIT_SYMBOLS[suit]} {ranks or '-'}")
    return lines


def _seat_block(deal: Deal, seat: int) -> list[str]:
    marker = "*" if deal.to_move == seat else " "
    return [f"{marker}seat {seat}", *hand_lines(deal.hands[seat])]


def _table_lines(deal: Deal) -> list[str]:
    """The cards on the table, drawn so that each lies before its seat (four players)."""
    cards = dict(deal.trick)
    at = [pretty_card(cards[seat]) if seat in cards else "· " for seat in range(4)]
    return ["", f"      {at[2]}", f"   {at[1]}    {at[3]}", f"      {at[0]}", ""]


def show_deal(deal: Deal) -> str:
    """The whole deal: seat 0 sits at the bottom, the others follow clockwise."""
    head = f"deal {deal.number} ({deal.rules}), passing {deal.pass_direction}"
    if deal.phase == "pass":
        head += f"; seats {', '.join(map(str, deal.to_pass))} still have to pass"
    lines = [head, ""]
    if deal.rules.players == 4:
        pad = " " * COLUMN
        lines += [pad + text for text in _seat_block(deal, 2)]
        west, middle, east = _seat_block(deal, 1), _table_lines(deal), _seat_block(deal, 3)
        lines += [f"{w:<{COLUMN}}{m:<{COLUMN}}{e}".rstrip() for w, m, e in zip(west, middle, east, strict=True)]
        lines += [pad + text for text in _seat_block(deal, 0)]
    else:
        for seat in range(deal.rules.players):
            marker = "*" if deal.to_move == seat else " "
            lines.append(f"{marker}seat {seat}  {deal.hands[seat]}")
        table = "  ".join(f"{seat}:{pretty_card(card)}" for seat, card in deal.trick)
        lines += ["", f" table   {table or '-'}"]
    if deal.kitty:
        owner = "nobody has it" if deal.kitty_taker is None else f"taken by seat {deal.kitty_taker}"
        lines.append(f" kitty   {deal.kitty} ({owner})")
    lines += ["", _status(deal)]
    return "\n".join(lines)


def _status(deal: Deal) -> str:
    points = "  ".join(f"{seat}:{value}" for seat, value in enumerate(deal.points))
    parts = [f"points {points}"]
    if deal.is_over:
        parts.append("the deal is over")
        if deal.shooter is not None:
            parts.append(f"seat {deal.shooter} shot the moon")
    elif deal.to_move is not None:
        parts.append(f"seat {deal.to_move} to play: {deal.legal}")
        parts.append("hearts are broken" if deal.hearts_broken else "hearts are not broken")
    return "; ".join(parts)
