"""Every feature in words: what a seat knows, and what a card would do."""

from __future__ import annotations

from collections.abc import Callable

from heartlab.cards import SUIT_SYMBOLS, pretty_card
from heartlab.learners.whole_game.features import (
    CAP,
    CAPPED,
    CARD,
    FEW,
    MOST,
    PASS_CARD,
    PASS_POSITION,
    PLAYERS,
    POSITION,
    SOME,
    Block,
)

SEATS = ("you", "left", "across", "right")
PASSES = ("nobody passed", "you passed left", "you passed across", "you passed right")
PLACES = ("first", "second", "third", "last")
ROLES = ("leads", "stays under the best card", "goes over the best card", "is thrown off")
COUNTS = ("no", "one", "two", "three", "at least four")
TRICK_POINTS = ("no points", "a heart", "hearts", "Q♠")
Naming = Callable[[int], str]


def _have(seat: int) -> str:
    return "you have" if seat == 0 else f"{SEATS[seat]} has"


def _by_seat(before: str, after: str = "", first: int = 0) -> Naming:
    """Names of a block over seats and cards."""

    def name(i: int) -> str:
        seat, card = divmod(i, 52)
        return f"{SEATS[seat + first]} {before} {pretty_card(card)}{after}"

    return name


def _of_suit(text: str) -> Naming:
    return lambda i: text.format(count=i % 14, suit=SUIT_SYMBOLS[i // 14])


def _out(where: str) -> Naming:
    """Names of the counts of unseen cards below or above a card."""

    def name(i: int) -> str:
        card, count = divmod(i, CAPPED)
        return f"{COUNTS[count]} card{'' if count == 1 else 's'} {where} {pretty_card(card)} out"

    return name


def _moon(i: int) -> str:
    if i == PLAYERS:
        return "nobody has points"
    return "the points are shared" if i > PLAYERS else f"only {_have(i)} points"


def _alone(i: int) -> str:
    seat, size = divmod(i, 4)
    least = (1, FEW, SOME, MOST)[size]
    return f"{_have(seat)} all points so far, {least} or more"


def _counted(text: str) -> Naming:
    """Names of counts by what the card does in the trick."""
    return lambda i: f"it {ROLES[i // CAPPED]}, and {COUNTS[i % CAPPED]} {text}"


POSITION_NAMES: dict[str, Naming] = {
    "hand": lambda i: f"you hold {pretty_card(i)}",
    "played": _by_seat("played"),
    "trick": _by_seat("played", " to this trick", 1),
    "known": _by_seat("got", " from you", 1),
    "received": lambda i: f"you were passed {pretty_card(i)}",
    "direction": lambda i: PASSES[i],
    "void": lambda i: f"{_have(1 + i // 4)} no {SUIT_SYMBOLS[i % 4]}",
    "held": _of_suit("you hold {count} {suit}"),
    "unseen": _of_suit("{count} {suit} are in other hands"),
    "below": _out("below"),
    "above": _out("above"),
    "hearts": lambda i: f"{_have(i // 14)} taken {i % 14} hearts",
    "queen": lambda i: "Q♠ is not taken" if i == PLAYERS else f"{_have(i)} taken Q♠",
    "broken": lambda i: "hearts are broken",
    "number": lambda i: f"it is trick {i + 1}",
    "place": lambda i: f"you play {PLACES[i]}",
    "best": lambda i: f"{pretty_card(i)} is winning the trick",
    "winner": lambda i: f"{SEATS[i + 1]} is winning the trick",
    "moon": _moon,
    "alone": _alone,
}
CARD_NAMES: dict[str, Naming] = {
    "card": lambda i: f"it is {pretty_card(i)}",
    "role": lambda i: f"{pretty_card(i % 52)} {ROLES[i // 52]}",
    "beaten": _counted("higher cards of its suit are out"),
    "beats": _counted("lower cards of its suit are out"),
    "left": lambda i: f"it leaves you {COUNTS[i % CAPPED]} {SUIT_SYMBOLS[i // CAPPED]}",
    "lowest": lambda i: "it is your lowest of the suit",
    "highest": lambda i: "it is your highest of the suit",
    "ducks": lambda i: "it is your highest card that stays under",
    "points": lambda i: f"it {ROLES[i // 4]}, with {TRICK_POINTS[i % 4]} in the trick",
    "last": lambda i: f"you play last, and it {ROLES[i]}",
}
PASS_POSITION_NAMES: dict[str, Naming] = {
    "hand": lambda i: f"you keep {pretty_card(i)} so far",
    "chosen": lambda i: f"you pass {pretty_card(i)} as well",
    "direction": lambda i: PASSES[i].replace("passed", "pass"),
    "held": _of_suit("you keep {count} {suit}"),
    "below": _out("below"),
    "above": _out("above"),
}
PASS_CARD_NAMES: dict[str, Naming] = {
    "card": lambda i: f"you pass {pretty_card(i)}",
    "left": lambda i: f"it leaves you {COUNTS[i % CAPPED]} {SUIT_SYMBOLS[i // CAPPED]}",
    "beaten": lambda i: f"{COUNTS[i]} higher cards of its suit are out",
    "beats": lambda i: f"{COUNTS[i]} lower cards of its suit are out",
    "lowest": lambda i: "it is your lowest of the suit",
    "highest": lambda i: "it is your highest of the suit",
}


def feature_names(blocks: dict[str, Block], names: dict[str, Naming]) -> list[str]:
    """The names of all features of some blocks, in order."""
    return [names[block.name](i) for block in blocks.values() for i in range(block.size)]


def position_names() -> list[str]:
    """The features of what a seat knows when it plays a card."""
    return feature_names(POSITION, POSITION_NAMES)


def card_names() -> list[str]:
    """The features of playing a card."""
    return feature_names(CARD, CARD_NAMES)


def pass_names() -> tuple[list[str], list[str]]:
    """The features of passing: of the hand, and of a card."""
    return feature_names(PASS_POSITION, PASS_POSITION_NAMES), feature_names(PASS_CARD, PASS_CARD_NAMES)


assert len(COUNTS) == CAP + 1
