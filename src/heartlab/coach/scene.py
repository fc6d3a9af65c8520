"""A card in its position: what the ideas about cards look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heartlab.cards import CS_SUITS, QUEEN_OF_SPADES, SPADES, Card, CardSet, card_suit
from heartlab.coach.judgement import Judgement
from heartlab.coach.outcomes import Outcome
from heartlab.observation import Observation

QUEEN = np.uint64(1) << np.uint64(QUEEN_OF_SPADES)
MOON_ALARM = 0.2
"""The least share of deals with a moon at which the coach speaks of it: see docs/coach.md."""


@dataclass(frozen=True)
class Scene:
    """A card in a judged decision."""

    judged: Judgement
    card: Card
    names: list[str]
    """Of the seats."""

    @cached_property
    def outcome(self) -> Outcome:
        """What happens after the card."""
        return self.judged.outcomes[self.card]

    @cached_property
    def suit(self) -> int:
        """The suit of the card."""
        return card_suit(self.card)

    @cached_property
    def hand(self) -> CardSet:
        """The hand before the card."""
        return self.judged.obs.hand

    @cached_property
    def mates(self) -> list[Card]:
        """The other cards of the same suit in the hand."""
        return [card for card in self.hand if card_suit(card) == self.suit and card != self.card]

    @cached_property
    def leads(self) -> bool:
        """The card opens a trick."""
        return not self.judged.obs.trick

    @cached_property
    def follows(self) -> bool:
        """The card follows suit."""
        return self.judged.obs.led == self.suit

    @cached_property
    def discards(self) -> bool:
        """The card is thrown on another suit."""
        return not self.leads and not self.follows

    @cached_property
    def is_last(self) -> bool:
        """No seat plays after this one."""
        return len(self.judged.obs.trick) == self.judged.obs.rules.players - 1

    @cached_property
    def high(self) -> Card:
        """The card that is winning the trick so far."""
        return self.judged.obs.winning[1] if self.judged.obs.winning else -1

    @cached_property
    def under(self) -> bool:
        """The card follows below the winning one."""
        return self.follows and self.card < self.high

    @cached_property
    def on_table(self) -> int:
        """Points on the table."""
        return sum(max(0, self.judged.obs.rules.card_points(card)) for _, card in self.judged.obs.trick)

    @cached_property
    def value(self) -> int:
        """What the card counts."""
        return self.judged.obs.rules.card_points(self.card)

    @cached_property
    def out(self) -> list[Card]:
        """The cards of the same suit that the seat has not seen."""
        return [card for card in self.judged.obs.unseen if card_suit(card) == self.suit]

    @cached_property
    def queen_out(self) -> bool:
        """Q♠ counts, and the seat has not seen it."""
        return self.judged.obs.rules.queen_points > 0 and QUEEN_OF_SPADES in self.judged.obs.unseen

    @cached_property
    def held_queen(self) -> float:
        """The share of worlds in which another seat holds Q♠; in the rest it is in the kitty."""
        hands = self.judged.worlds["hands"][:, : self.judged.obs.rules.players]
        return float(((hands & QUEEN) != 0).any(axis=1).mean())

    @cached_property
    def lonely_queen(self) -> float:
        """The share of worlds in which the holder of Q♠ has no other spade."""
        hands = self.judged.worlds["hands"][:, : self.judged.obs.rules.players]
        holds = (hands & QUEEN) != 0
        alone = np.bitwise_count(hands & np.uint64(CS_SUITS[SPADES])) == 1
        return float((holds & alone).any(axis=1).mean())

    @cached_property
    def collector(self) -> int | None:
        """The only seat that has points, if it is another one and the rules know a moon."""
        seats = [seat for seat, value in enumerate(penalty_points(self.judged.obs)) if value]
        alone = self.judged.obs.rules.moon != "off" and len(seats) == 1 and seats[0] != self.judged.obs.seat
        return seats[0] if alone else None

    @cached_property
    def feeds_moon(self) -> bool:
        """The card gives points to the seat that may shoot the moon, and the moon is likely then."""
        winning = self.judged.obs.winning
        gives = winning is not None and winning[0] == self.collector and not self.leads
        return gives and self.value > 0 and self.outcome.moon >= MOON_ALARM

    def is_exit(self, card: Card) -> bool:
        """Whether a card of the same suit is a way out later: most of those that are out beat it, and it is not Q♠."""
        if card == QUEEN_OF_SPADES and self.judged.obs.rules.queen_points > 0:
            return False
        return 2 * sum(other > card for other in self.out) > len(self.out)

    def leaves(self, test: Callable[[Card], bool]) -> list[Card]:
        """The cards of the hand after this one for which something holds."""
        return [card for card in self.hand if card != self.card and test(card)]


def penalty_points(obs: Observation) -> list[int]:
    """The penalty points that each seat is known to have taken, without a bonus: what a moon has to collect."""
    penalty = obs.rules.penalty_cards
    return [sum(obs.rules.card_points(card) for card in cards & penalty) for cards in obs.taken]


def shooter_of(obs: Observation) -> int | None:
    """The seat that has taken all that a moon takes, if the rules know one."""
    penalty = obs.rules.penalty_cards
    shot = [seat for seat, cards in enumerate(obs.taken) if cards & penalty == penalty]
    return shot[0] if shot and obs.rules.moon != "off" else None
