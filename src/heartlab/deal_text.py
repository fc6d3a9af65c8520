"""A deal as text: the hands and the trick for people to read, and the reason why a card or a pass is illegal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartlab.cards import (
    CS_SUITS,
    HEARTS,
    RANK_CHARS,
    SUIT_SYMBOLS,
    SUITS,
    Card,
    CardSet,
    card_rank,
    card_suit,
    pretty_card,
)
from heartlab.util.said import Said

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
    """The unfinished trick, each card on the side of its seat (four players)."""
    cards = dict(deal.trick)
    at = [pretty_card(cards[seat]) if seat in cards else "· " for seat in range(4)]
    return ["", f"      {at[2]}", f"   {at[1]}    {at[3]}", f"      {at[0]}", ""]


def show_deal(deal: Deal) -> str:
    """The whole deal with seat 0 at the bottom and the others clockwise."""
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


def why_not_play(deal: Deal, card: Card) -> str:
    """The reason why the seat to move may not play a card, with hand, trick and legal cards; empty if it may."""
    rule = rule_against(deal, card)
    if not rule or deal.to_move is None:
        return f"{pretty_card(card)} cannot be played: {rule}" if rule else ""
    table = " ".join(f"{s}:{pretty_card(c)}" for s, c in deal.trick) or "empty, a lead is due"
    return (
        f"seat {deal.to_move} may not play {pretty_card(card)}: {rule} (hand {deal.hands[deal.to_move]}; "
        f"table {table}; legal {deal.legal}; trick {len(deal.history) // deal.rules.players + 1})"
    )


def rule_against(deal: Deal, card: Card) -> Said:
    """Only the rule that forbids a card to the seat to move; empty if the card is legal."""
    seat = deal.to_move
    if seat is None:
        return (
            Said("the deal is over") if deal.is_over else Said("seats {seats} still have to pass", seats=deal.to_pass)
        )
    if card in deal.legal:
        return Said("")
    hand, rules = deal.hands[seat], deal.rules
    led = card_suit(deal.trick[0][1]) if deal.trick else None
    if card not in hand:
        return Said("the seat does not hold it")
    if led is not None and card_suit(card) != led and hand.mask & CS_SUITS[led]:
        return [
            Said("clubs were led and must be followed"), Said("diamonds were led and must be followed"),
            Said("spades were led and must be followed"), Said("hearts were led and must be followed"),
        ][led]  # fmt: skip
    if not deal.history and rules.opening in ("2C", "lowest-club"):
        return Said("the first lead must be {card}", card=pretty_card(min(deal.legal)))
    if not deal.history and rules.opening == "any-club":
        return Said("the first lead must be a club")
    if _is_kept_from_first_trick(deal, card):
        return Said("penalty cards may not fall on the first trick")
    if not deal.hearts_broken and card_suit(card) == HEARTS and led is None:
        return Said("hearts are not broken yet")
    if not deal.hearts_broken and rules.queen_after_hearts:
        return Said("Q♠ may not be played before hearts are broken")
    return Said("only these are legal")


def _is_kept_from_first_trick(deal: Deal, card: Card) -> bool:
    """Whether the rule about the first trick forbids a card; it does not apply to a hand of penalty cards only."""
    applies = len(deal.history) < deal.rules.players and not deal.rules.first_trick_points
    return applies and card in deal.rules.penalty_cards and not deal.legal & deal.rules.penalty_cards


def why_not_pass(deal: Deal, seat: int, cards: CardSet) -> str:
    """The reason why a seat may not pass these cards; empty if it may."""
    hand = deal.hands[seat] if 0 <= seat < deal.rules.players else CardSet()
    if seat not in deal.to_pass:
        return f"seat {seat} has nothing to pass now: passing is {deal.pass_direction}, to pass are {deal.to_pass}"
    if len(cards) != deal.rules.pass_count:
        return f"seat {seat} passes {len(cards)} cards ({cards}): the rules want {deal.rules.pass_count}"
    if not cards <= hand:
        return f"seat {seat} cannot pass {cards - hand}: its hand is {hand}"
    if not cards <= deal.observe(seat).may_pass:
        return f"seat {seat} may not pass {cards}: the rules keep Q♠ K♠ A♠ out of passing"
    return ""
