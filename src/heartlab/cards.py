"""Cards and sets of cards.

A card is an int from 0 to 51, suit-major: clubs, diamonds, spades, hearts, and within a suit from the two to
the ace, so `card // 13` is the suit and `card % 13` the rank. A set of cards is a 52-bit mask. Compiled kernels
use plain ints and masks; people use names (`"QS"`) and `CardSet`.

Constants that hold a mask start with `CS_` (card set); those that hold a card do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from operator import index
from typing import TypeAlias

from heartlab.util.errors import quoted

Suit: TypeAlias = int
CLUBS: Suit = 0
DIAMONDS: Suit = 1
SPADES: Suit = 2
HEARTS: Suit = 3
SUITS: list[Suit] = [CLUBS, DIAMONDS, SPADES, HEARTS]
SUIT_CHARS = "CDSH"
SUIT_SYMBOLS = "♣♦♠♥"
SUIT_NAMES = ["clubs", "diamonds", "spades", "hearts"]

Rank: TypeAlias = int
RANKS: list[Rank] = list(range(13))
RANK_CHARS = "23456789TJQKA"
TWO, JACK, QUEEN, KING, ACE = 0, 9, 10, 11, 12

Card: TypeAlias = int
CARDS: list[Card] = list(range(52))
CARD_NAMES: list[str] = [rank + suit for suit in SUIT_CHARS for rank in RANK_CHARS]

TWO_OF_CLUBS: Card = 0
TEN_OF_CLUBS: Card = 8
TEN_OF_DIAMONDS: Card = 21
JACK_OF_DIAMONDS: Card = 22
QUEEN_OF_SPADES: Card = 36
KING_OF_SPADES: Card = 37
ACE_OF_SPADES: Card = 38

CS_ALL = (1 << 52) - 1
CS_CLUBS = 0x1FFF
CS_DIAMONDS = CS_CLUBS << 13
CS_SPADES = CS_CLUBS << 26
CS_HEARTS = CS_CLUBS << 39
CS_HIGH_SPADES = 1 << QUEEN_OF_SPADES | 1 << KING_OF_SPADES | 1 << ACE_OF_SPADES
CS_SUITS: list[int] = [CS_CLUBS, CS_DIAMONDS, CS_SPADES, CS_HEARTS]

_CARD_BY_NAME = {name: card for card, name in enumerate(CARD_NAMES)}
_SUIT_ALIASES = dict(zip("♣♦♠♥♧♢♤♡", "CDSHCDSH", strict=True))


class CardError(ValueError):
    """A text that is not the name of a card, or a number that is not a card."""


def card_suit(card: Card) -> Suit:
    """The suit of a card."""
    return card // 13


def card_rank(card: Card) -> Rank:
    """The rank of a card, 0 for the two to 12 for the ace."""
    return card % 13


def make_card(rank: Rank, suit: Suit) -> Card:
    """The card with a rank and a suit."""
    return suit * 13 + rank


def card_name(card: Card) -> str:
    """The name of a card: `36` is `"QS"`."""
    return CARD_NAMES[card]


def card_names(cards: Iterable[Card]) -> list[str]:
    """The names of some cards, in card order."""
    return [CARD_NAMES[card] for card in sorted(cards)]


def pretty_card(card: Card) -> str:
    """The name of a card with a suit symbol: `36` is `"Q♠"`."""
    return RANK_CHARS[card % 13] + SUIT_SYMBOLS[card // 13]


def parse_card(text: str) -> Card:
    """Parse a card name in any common spelling: `QS`, `qs`, `Q♠`, `10d` for the ten.

    >>> parse_card("QS"), parse_card("10♦")
    (36, 21)

    :raises CardError: if the text is not the name of a card.
    """
    word = text.strip()
    if word[-1:] in _SUIT_ALIASES:
        word = word[:-1] + _SUIT_ALIASES[word[-1]]
    word = word.upper()
    if word.startswith("10"):
        word = "T" + word[2:]
    card = _CARD_BY_NAME.get(word)
    if card is None:
        raise CardError(
            f"{quoted(text)} is not a card: write a rank ({RANK_CHARS}) and a suit ({SUIT_CHARS}), as in 2C, TD, QS, AH"
        )
    return card


def parse_cards(text: str) -> list[Card]:
    """Parse card names separated by spaces or commas, in their order."""
    return [parse_card(word) for word in text.replace(",", " ").split()]


class CardSet(Set[Card]):
    """An immutable set of cards: a set of ints that can be parsed from names and printed.

    >>> hand = CardSet("QS 2C AH")
    >>> 36 in hand, "QS" in hand, len(hand)
    (True, True, 3)
    >>> hand
    CardSet('2C QS AH')
    >>> print(hand | CardSet("KH"))
    ♣2 ♠Q ♥KA
    >>> hand & CardSet.suit("S")
    CardSet('QS')
    """

    __slots__ = ("mask",)

    mask: int

    def __init__(self, cards: str | int | Iterable[Card | str] = ()) -> None:
        """
        :param cards: card names in one text, a mask, or any cards and names.
        """
        if isinstance(cards, str):
            cards = parse_cards(cards)
        if isinstance(cards, Iterable):
            mask = 0
            for card in cards:
                mask |= 1 << (parse_card(card) if isinstance(card, str) else _checked(index(card)))
        else:
            mask = int(cards)
            if not 0 <= mask <= CS_ALL:
                raise CardError(f"{mask:#x} is not a mask of 52 cards")
        object.__setattr__(self, "mask", mask)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a CardSet is immutable: make a new one")

    @classmethod
    def suit(cls, suit: Suit | str) -> CardSet:
        """All thirteen cards of a suit, given by number or letter."""
        if isinstance(suit, str):
            if len(suit) != 1 or suit.upper() not in SUIT_CHARS:
                raise CardError(f"{quoted(suit)} is not a suit: write one of {SUIT_CHARS}")
            suit = SUIT_CHARS.index(suit.upper())
        return cls(CS_SUITS[suit])

    @classmethod
    def _from_iterable(cls, it: Iterable[Card]) -> CardSet:  # type: ignore[override]
        return cls(it)

    def __contains__(self, card: object) -> bool:
        if isinstance(card, str):
            card = parse_card(card)
        if not hasattr(card, "__index__"):
            return False
        number = index(card)
        return 0 <= number < 52 and bool(self.mask >> number & 1)

    def __iter__(self) -> Iterator[Card]:
        mask = self.mask
        while mask:
            low = mask & -mask
            yield low.bit_length() - 1
            mask ^= low

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __int__(self) -> int:
        return self.mask

    def __hash__(self) -> int:
        return self._hash()

    def __reduce__(self) -> tuple[type[CardSet], tuple[int]]:
        return CardSet, (self.mask,)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CardSet):
            return self.mask == other.mask
        return Set.__eq__(self, other)

    def __repr__(self) -> str:
        return f"CardSet({self.names()!r})"

    def __str__(self) -> str:
        parts = []
        for suit in SUITS:
            ranks = "".join(RANK_CHARS[card % 13] for card in self if card // 13 == suit)
            if ranks:
                parts.append(SUIT_SYMBOLS[suit] + ranks)
        return " ".join(parts) if parts else "-"

    def names(self) -> str:
        """The cards by name, in card order, separated by spaces; `CardSet` parses this text."""
        return " ".join(CARD_NAMES[card] for card in self)


def _checked(card: int) -> int:
    if not 0 <= card < 52:
        raise CardError(f"{card} is not a card: cards are the ints 0 to 51")
    return card
