"""What learned models say about a card, in words: the advice that carries it, and the features of a network.

The shipped models know the cards and points of the rules that they learned under; under rules with other ones they
are not asked. The network's features are counted in worlds that fit the observation, at the end of the trick, after
each of two cards.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

from heartlab.cards import CARDS, Card, pretty_card
from heartlab.deal import Deal
from heartlab.learners.advice.explain import votes_for
from heartlab.learners.advice.player import load_voter
from heartlab.learners.advice.registry import known_pieces
from heartlab.learners.td_features.conjunctions import describe
from heartlab.learners.td_features.explain import Reason, reasons
from heartlab.learners.td_features.player import KIND, SHIPPED, load_network
from heartlab.players.analysis import Analysis
from heartlab.players.search import SearchPlayer
from heartlab.rules import Rules
from heartlab.search.options import SearchOptions
from heartlab.training.model import load_model

ADVICE = "advice-four"
MOST = 2
"""The most pieces of advice, and features, that are told."""
WORLDS = 60
"""Worlds in which features are counted."""
TELLING = 0.1
"""Expected points from which a feature is told."""


@cache
def learned_under() -> tuple[Rules, Rules]:
    """The rules under which the advice and the network were learned."""
    return Rules.parse(load_model(ADVICE, "advice-").rules), Rules.parse(load_model(SHIPPED, KIND).rules)


def knows_moon() -> bool:
    """Whether the shipped network learned under rules with a moon."""
    return learned_under()[1].moon != "off"


@cache
def same_cards(rules: Rules, learned: Rules) -> bool:
    """Whether as many players play with the same pack, and every card counts the same."""
    pack = (rules.players, rules.removed, rules.doubler) == (learned.players, learned.removed, learned.doubler)
    return pack and all(rules.card_points(card) == learned.card_points(card) for card in CARDS)


def sources() -> str:
    """Where the coach's words come from, for the page."""
    advice, network = learned_under()
    silent = "" if knows_moon() else ", and where a moon threatens: the network learned without the moon"
    return (
        f"The words: ideas of Hearts, checked in the sampled deals; advice weighed by learning under {advice} rules "
        f"(advice-four); features of a network that learned under {network} rules (td). Both learned ones are "
        f"silent under rules with other cards or points{silent}."
    )


class Words:
    """The learned models, loaded when first asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def _voter(self) -> Any:
        return load_voter(ADVICE)

    @cached_property
    def _network(self) -> Any:
        network = load_network("")
        return network, SearchPlayer(SearchOptions(worlds=WORLDS), evaluator=network.evaluator())

    def features(self, deal: Deal, analysis: Analysis, other: Card, seed: int) -> list[str]:
        """The learned features that weigh most against another card, beside the coach's choice."""
        if not same_cards(deal.rules, learned_under()[1]) or other == analysis.choice:
            return []
        with self._lock:
            network, mind = self._network
            found = reasons(network, mind, deal, replace(analysis, worlds=WORLDS), other, seed=seed)
        return [_feature(reason, analysis.choice, other) for reason in found[:MOST] if abs(reason.effect) >= TELLING]

    def learned(self, deal: Deal, card: Card) -> list[str]:
        """The weighed advice that speaks for a card and not for every other one, heaviest first."""
        if not same_cards(deal.rules, learned_under()[0]) or len(deal.legal) == 1:
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


def _feature(reason: Reason, choice: Card, other: Card) -> str:
    """A reason of the network in words: what is true after one card more often than after the other, and its worth."""
    if not reason.atoms:
        return (
            f"Points once the trick is over: {reason.after_card:.1f} on average after {pretty_card(other)}, "
            f"{reason.after_choice:.1f} after {pretty_card(choice)}."
        )
    times = {choice: round(WORLDS * reason.after_choice), other: round(WORLDS * reason.after_card)}
    often, seldom = (choice, other) if reason.after_choice > reason.after_card else (other, choice)
    return (
        f"Learned feature: {describe(reason.atoms)}, in {times[often]} of {WORLDS} deals after {pretty_card(often)} "
        f"and in {times[seldom]} after {pretty_card(seldom)}: this makes {pretty_card(often)} "
        f"{abs(reason.effect):.1f} points {'worse' if reason.weight > 0 else 'better'}."
    )
