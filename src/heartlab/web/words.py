"""What learned models say about a card, in words: the advice that carries it, and the features of a network.

The shipped advice model for four players was learned under standard rules; with another number of players the coach
leaves it out.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

from heartlab.cards import Card
from heartlab.deal import Deal
from heartlab.learn.advice_explain import votes_for
from heartlab.learn.advice_players import load_voter
from heartlab.players.advice.stock import known_pieces

ADVICE = "advice-four"
MOST = 2
"""Pieces of advice that are told."""


class Words:
    """The learned models, loaded when first asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def _voter(self) -> Any:
        return load_voter(ADVICE)

    def learned(self, deal: Deal, card: Card) -> list[str]:
        """The weighed advice that speaks for a card and not for every other one, heaviest first."""
        if deal.rules.players != 4 or len(deal.legal) == 1:
            return []
        with self._lock:
            model, voter = self._voter
            _, found = votes_for(model, voter, deal)
        votes = next(one.votes for one in found if one.card == card)
        everywhere = set.intersection(*({name for name, _ in one.votes} for one in found))
        telling = [(name, weight) for name, weight in votes if weight > 0 and name not in everywhere]
        return [
            f"Learned advice (weight {weight:.2f}): {known_pieces()[name].sentence}" for name, weight in telling[:MOST]
        ]
