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
from heartlab.coach.phrases import every
from heartlab.deal import Deal
from heartlab.learners.advice.explain import votes_for
from heartlab.learners.advice.player import load_voter
from heartlab.learners.advice.registry import known_pieces
from heartlab.learners.td_features.explain import Reason, reasons
from heartlab.learners.td_features.features import ATOMS
from heartlab.learners.td_features.player import KIND, SHIPPED, load_network
from heartlab.players.analysis import Analysis
from heartlab.players.search import SearchPlayer
from heartlab.rules import Rules
from heartlab.search.options import SearchOptions
from heartlab.training.model import load_model
from heartlab.util.said import Said, in_a_row

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


def sources() -> Said:
    """Where the coach's words come from, for the page."""
    advice, network = learned_under()
    told = Said(
        "The words: ideas of Hearts, checked in the sampled deals; advice weighed by learning under {advice} rules "
        "(advice-four); features of a network that learned under {network} rules (td). Both learned ones are silent "
        "under rules with other cards or points.",
        advice=str(advice), network=str(network),
    )  # fmt: skip
    if knows_moon():
        return told
    return in_a_row([told, Said("Where a moon threatens they are silent too: the network learned without the moon.")])


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
        """The learned features that speak most for the coach's choice, beside another card.

        Two that cancel each other say nothing, and are left out.
        """
        if not same_cards(deal.rules, learned_under()[1]) or other == analysis.choice:
            return []
        with self._lock:
            network, mind = self._network
            found = reasons(network, mind, deal, replace(analysis, worlds=WORLDS), other, seed=seed)
        return [_feature(reason, analysis.choice, other) for reason in speaking_for(found)[:MOST]]

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
            Said(
                "Learned advice (weight {weight:.2f}): {advice}",
                weight=weight,
                advice=Said(known_pieces()[name].sentence),
            )
            for name, weight in telling[:MOST]
        ]


def speaking_for(found: list[Reason]) -> list[Reason]:
    """The reasons that speak for a choice, without those that another one cancels."""
    against = [one.effect for one in found if one.effect < 0]
    telling = []
    for one in sorted(found, key=lambda one: -one.effect):
        opposite = min(against, key=lambda effect: abs(effect + one.effect), default=None)
        if one.effect < TELLING:
            break
        if opposite is not None and abs(opposite + one.effect) < TELLING:
            against.remove(opposite)
        else:
            telling.append(one)
    return telling


def _feature(reason: Reason, choice: Card, other: Card) -> Said:
    """A reason of the network in words: what is true after one card more often than after the other, and its worth."""
    if not reason.atoms:
        return Said(
            "Points once the trick is over: {there:.1f} on average after {other}, {here:.1f} after {choice}.",
            there=reason.after_card, other=pretty_card(other), here=reason.after_choice, choice=pretty_card(choice),
        )  # fmt: skip
    times = {choice: round(WORLDS * reason.after_choice), other: round(WORLDS * reason.after_card)}
    often, seldom = (choice, other) if reason.after_choice > reason.after_card else (other, choice)
    told = dict(
        what=every([Said(ATOMS[atom].sentence) for atom in reason.atoms]), times=times[often], of=WORLDS,
        often=pretty_card(often), fewer=times[seldom], seldom=pretty_card(seldom), effect=abs(reason.effect),
    )  # fmt: skip
    if reason.weight > 0:
        return Said(
            "Learned feature: {what}, in {times} of {of} deals after {often} and in {fewer} after {seldom}: this makes "
            "{often} {effect:.1f} points worse.",
            **told,
        )
    return Said(
        "Learned feature: {what}, in {times} of {of} deals after {often} and in {fewer} after {seldom}: this makes "
        "{often} {effect:.1f} points better.",
        **told,
    )
