"""Between OpenSpiel's Hearts and ours: its flags as ``Rules``, its cards as our cards.

OpenSpiel numbers cards rank by rank in the order clubs, diamonds, hearts, spades, where ours go suit by suit with
spades before hearts. Its pass directions 0 to 3 (none, left, across, right) are our pass codes as they are. This
module does not import pyspiel; the game or state comes from the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from heartlab.cards import CLUBS, DIAMONDS, HEARTS, JACK_OF_DIAMONDS, SPADES, Card, card_rank, card_suit, make_card
from heartlab.rules import Rules

DEFAULT_FLAGS: dict[str, bool] = {
    "pass_cards": True,
    "no_pts_on_first_trick": True,
    "can_lead_any_club": False,
    "jd_bonus": False,
    "avoid_all_tricks_bonus": False,
    "must_break_hearts": True,
    "qs_breaks_hearts": True,
    "can_lead_hearts_instead_of_qs": False,
}
"""Every flag of OpenSpiel's game with its default."""

OPENSPIEL_SUITS = [CLUBS, DIAMONDS, HEARTS, SPADES]


def to_openspiel(card: Card) -> int:
    """Our card as OpenSpiel's action."""
    return card_rank(card) * 4 + OPENSPIEL_SUITS.index(card_suit(card))


def from_openspiel(action: int) -> Card:
    """OpenSpiel's action as our card."""
    return make_card(action // 4, OPENSPIEL_SUITS[action % 4])


def openspiel_rules(flags: Mapping[str, bool]) -> Rules:
    """The rules that OpenSpiel plays with these flags; a flag left out has OpenSpiel's default."""
    flag = {**DEFAULT_FLAGS, **flags}
    return Rules(
        passing=("random",) if flag["pass_cards"] else ("hold",),
        opening="any-club" if flag["can_lead_any_club"] else "2C",
        first_trick_points=not flag["no_pts_on_first_trick"],
        hearts="broken" if flag["must_break_hearts"] else "any",
        queen_breaks_hearts=flag["qs_breaks_hearts"],
        hearts_before_queen=flag["can_lead_hearts_instead_of_qs"],
        moon="others",
        bonus=JACK_OF_DIAMONDS if flag["jd_bonus"] else None,
        bonus_points=-10,
        no_tricks=-5 if flag["avoid_all_tricks_bonus"] else 0,
    )


def deal_openspiel(game: Any, direction: int, hands: Sequence[Iterable[Card]]) -> Any:
    """A state of OpenSpiel's game in which these hands are dealt and the pass direction is set.

    :param direction: 0 to 3; it has to be 0 if the game was loaded with ``pass_cards=False``, although OpenSpiel's
        chance node offers the others as well.
    """
    state = game.new_initial_state()
    state.apply_action(direction)
    for round_of_cards in zip(*hands, strict=True):
        for card in round_of_cards:
            state.apply_action(to_openspiel(card))
    return state


def openspiel_points(state: Any) -> list[int]:
    """The points of a finished deal; OpenSpiel's returns count down from 26."""
    return [26 - round(value) for value in state.returns()]
