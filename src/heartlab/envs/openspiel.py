"""OpenSpiel's Hearts and ours: the translation of rules, cards and deals, and our players as OpenSpiel bots.

    bots = [bot("iie"), *(pyspiel.make_uniform_random_bot(seat, 1) for seat in (1, 2, 3))]
    pyspiel.evaluate_bots(pyspiel.load_game("hearts").new_initial_state(), bots, 1)

A game of OpenSpiel is one deal. Its history is a list of actions: the pass direction (0 to 3: none, left, across,
right; our pass codes are the same), 52 cards dealt to seats 0, 1, 2, 3, 0 and so on, three cards passed by each seat in
turn, and the cards played. Returns are 26 minus the points.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from heartlab.cards import JACK_OF_DIAMONDS, Card, CardSet
from heartlab.deal import Deal
from heartlab.players.base import Observations, Player
from heartlab.players.registry import PlayerError, make_player
from heartlab.records.format import OPENSPIEL_CARDS, OPENSPIEL_DIRECTIONS
from heartlab.rules import Rules

__all__ = ["MissingOpenSpiel", "bot", "choose_action", "openspiel_deal", "openspiel_flags", "openspiel_rules"]

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
"""The flags of OpenSpiel's Hearts with their defaults."""
OF_A_GAME = ("limit", "over_limit", "deals", "ties")
"""Rules that have no effect within a deal."""
DEALT, PASSED = 53, 65
"""Length of the history after dealing, and after passing."""


class MissingOpenSpiel(PlayerError):
    """OpenSpiel is not installed."""


def load_openspiel() -> Any:
    """The module `pyspiel`.

    :raises MissingOpenSpiel: if it is not installed.
    """
    try:
        import pyspiel
    except ImportError:
        raise MissingOpenSpiel("OpenSpiel is not installed: pip install 'heartlab[envs]'") from None
    return pyspiel


# --- cards, rules, deals ---


def to_openspiel(card: Card) -> int:
    """Our card as OpenSpiel's action."""
    return OPENSPIEL_CARDS.index(card)


def from_openspiel(action: int) -> Card:
    """OpenSpiel's action as our card."""
    return OPENSPIEL_CARDS[action]


def openspiel_rules(flags: Mapping[str, bool]) -> Rules:
    """The rules that OpenSpiel plays with these flags; missing flags have OpenSpiel's defaults.

    >>> print(openspiel_rules({"jd_bonus": True}))
    openspiel,bonus=JD
    """
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


def openspiel_flags(rules: Rules) -> dict[str, bool]:
    """The flags with which OpenSpiel plays deals under these rules.

    :raises PlayerError: if there are none; the message names the rule that OpenSpiel does not have.
    """
    passing = set(rules.passing) - {"hold"}
    flags = {
        "pass_cards": bool(passing),
        "no_pts_on_first_trick": not rules.first_trick_points,
        "can_lead_any_club": rules.opening == "any-club",
        "jd_bonus": rules.bonus == JACK_OF_DIAMONDS,
        "avoid_all_tricks_bonus": rules.no_tricks == -5,
        "must_break_hearts": rules.hearts == "broken",
        "qs_breaks_hearts": rules.queen_breaks_hearts,
        "can_lead_hearts_instead_of_qs": rules.hearts_before_queen,
    }
    theirs = openspiel_rules(flags)
    unknown = [
        field.name
        for field in fields(rules)
        if field.name not in (*OF_A_GAME, "passing") and getattr(rules, field.name) != getattr(theirs, field.name)
    ]
    if not passing <= {"random", *OPENSPIEL_DIRECTIONS}:
        unknown.append("passing")
    if unknown:
        value = rules.to_dict()[unknown[0]]
        text = "/".join(value) if isinstance(value, list) else value
        raise PlayerError(
            f"OpenSpiel's Hearts does not have {unknown[0]}={text}: it plays the rules `openspiel` with its flags and "
            "four players; only the pass cycle and the end of the game may differ"
        )
    return flags


def deal_openspiel(game: Any, direction: int, hands: Sequence[Iterable[Card]]) -> Any:
    """A state of OpenSpiel's game with these hands dealt and the pass direction set.

    :param direction: 0 to 3; must be 0 if the game was loaded with ``pass_cards=False``, although OpenSpiel's chance
        node offers the others as well.
    """
    state = game.new_initial_state()
    state.apply_action(direction)
    for round_of_cards in zip(*hands, strict=True):
        for card in round_of_cards:
            state.apply_action(to_openspiel(card))
    return state


def openspiel_points(state: Any) -> list[int]:
    """The points of a finished deal: 26 minus OpenSpiel's returns."""
    return [26 - round(value) for value in state.returns()]


def openspiel_deal(state: Any, seed: int = 0) -> Deal:
    """OpenSpiel's state as a `Deal`; an incomplete pass is left out.

    OpenSpiel has no deal numbers: the number is a hash of the cards, so that random choices differ between deals.
    """
    history = state.history()
    if len(history) < DEALT:
        raise ValueError(f"the cards are not dealt: OpenSpiel's history has only {len(history)} of {DEALT} actions")
    cards = [from_openspiel(action) for action in history[1:]]
    hands = [CardSet(cards[seat:52:4]) for seat in range(4)]
    deal = Deal.from_hands(
        hands,
        openspiel_rules(state.get_game().get_parameters()),
        number=zlib.crc32(bytes(history[:DEALT])) >> 1,
        pass_direction=OPENSPIEL_DIRECTIONS[history[0]],
        seed=seed,
    )
    if len(history) >= PASSED and deal.to_pass:
        for seat in range(4):
            deal.pass_cards(seat, cards[52 + 3 * seat : 55 + 3 * seat])
    start = DEALT if deal.pass_direction == "hold" else PASSED
    for card in cards[start - 1 :]:
        deal.play(card)
    return deal


# --- our players as bots ---


def choose_action(player: Player, state: Any, seed: int = 0) -> int:
    """The choice of one of our players in a state of OpenSpiel's Hearts, as OpenSpiel's action.

    The player gets only the observation of the seat to move. A pass is chosen at once and returned card by card.
    """
    deal, seat = openspiel_deal(state, seed), state.current_player()
    obs = deal.observe(seat)
    batch = Observations.of(obs)
    if deal.phase == "pass":
        chosen = CardSet(int(player.choose_passes(batch)[0]))
        given = {from_openspiel(action) for action in state.history()[DEALT + 3 * seat :]}
        return to_openspiel(min(card for card in chosen if card not in given))
    return to_openspiel(int(player.choose_cards(batch)[0]))


def bot(player: Player | str, seed: int = 0) -> Any:
    """One of our players as a `pyspiel.Bot` for OpenSpiel's Hearts, for any seat.

    >>> import pyspiel
    >>> state = pyspiel.load_game("hearts").new_initial_state()
    >>> returns = pyspiel.evaluate_bots(state, [bot("gnome"), bot("random"), bot("random"), bot("random")], 1)
    >>> sum(returns) in (78, 26)
    True

    :param seed: the seed of the player's random choices.
    :raises PlayerError: if the player sees all hands, or OpenSpiel is not installed.
    """
    pyspiel = load_openspiel()
    inner = make_player(player) if isinstance(player, str) else player
    if inner.is_open:
        raise PlayerError(f"player {inner.name} sees all hands: as a bot it would cheat")

    class HeartsBot(pyspiel.Bot):  # type: ignore[misc, name-defined]
        """Stateless: everything it needs is in OpenSpiel's state."""

        def __init__(self) -> None:
            pyspiel.Bot.__init__(self)

        def step(self, state: Any) -> int:
            return choose_action(inner, state, seed)

        def restart_at(self, state: Any) -> None:
            pass

        def provides_policy(self) -> bool:
            return False

    return HeartsBot()
