"""What the network of the whole game expects of each card, and which facts make it expect that.

The effect of a fact on a prediction is what changes in the prediction if the fact's row of weights is left out. The
facts that speak for a card against another are those that widen the gap between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import Card, card_name, pretty_card
from heartlab.deal import Deal
from heartlab.kernel.layout import compile_rules
from heartlab.learners.whole_game.features import (
    card_features,
    pass_card_features,
    pass_position_features,
    position_features,
    unseen_cards,
)
from heartlab.learners.whole_game.model import SHIPPED, check_game, load_learned, worth_weights
from heartlab.learners.whole_game.network import (
    HEAD_NAMES,
    MAX_TRUE,
    MAX_TRUE_OF_CARD,
    SHOOT,
    SHOT,
    TAKE_HEARTS,
    TAKE_JACK,
    TAKE_QUEEN,
    Net,
)
from heartlab.learners.whole_game.words import card_names, pass_names, position_names
from heartlab.observation import Observation
from heartlab.training.explain import Decision, ExplainError, Question, Report

FloatArray = npt.NDArray[np.float64]


def forward(net: Net, base: FloatArray, cards: FloatArray) -> FloatArray:
    """The predictions from sums of rows: `base` [..., first] of the position, `cards` [..., first] of the card."""
    first = np.maximum(0.0, base + cards)
    second = np.maximum(0.0, net.hidden_bias[0] + first @ net.hidden[0].T)
    heads: FloatArray = net.heads_bias[0] + second @ net.heads[0].T
    return heads


@dataclass(frozen=True)
class Expected:
    """What the network expects if a card is played (or passed)."""

    card: Card
    heads: FloatArray
    """The predictions for the rest of the deal."""
    worth: float
    """Their weighted sum: points above the mean of the others, up to a constant."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("queen", "hearts", "shoot", "shot", "jack")
        return {"card": card_name(self.card), "worth": self.worth, **dict(zip(names, self.heads.tolist(), strict=True))}


@dataclass(frozen=True)
class Fact:
    """A true feature, and its effect."""

    text: str
    effect: float


class Opinion:
    """The network's view of one decision.

    >>> from heartlab import Deal
    >>> deal = Deal("standard", seed=1, number=3)
    >>> deal.play("2C")
    >>> opinion = Opinion(load_learned("whole-game").playing, deal.observe(deal.to_move))
    >>> {one.card for one in opinion.cards} == set(deal.legal)
    True
    """

    def __init__(self, net: Net, obs: Observation, chosen: Sequence[Card] | None = None) -> None:
        """
        :param chosen: for a pass: the cards that are passed already; None to play a card.
        """
        rules, record = compile_rules(obs.rules)[0], obs.records[0]
        self.net, self.weights = net, worth_weights(obs.rules)
        rows, card_rows = np.zeros(MAX_TRUE, np.int64), np.zeros(MAX_TRUE_OF_CARD, np.int64)
        self._card_rows: dict[Card, list[int]] = {}
        if chosen is None:
            self.names, self.card_names = position_names(), card_names()
            count = position_features(rules, record, rows)
            unseen = unseen_cards(rules, record)
            for card in obs.legal:
                self._card_rows[card] = card_rows[: card_features(rules, record, unseen, card, card_rows)].tolist()
        else:
            self.names, self.card_names = pass_names()
            mask = np.uint64(sum(1 << card for card in chosen))
            count = pass_position_features(rules, record, mask, rows)
            for card in obs.may_pass:
                if card not in chosen:
                    found = pass_card_features(rules, record, mask, card, card_rows)
                    self._card_rows[card] = card_rows[:found].tolist()
        self.rows: list[int] = rows[:count].tolist()
        self.base: FloatArray = (net.bias[0] + net.position[0][self.rows].sum(axis=0)).astype(np.float64)
        self.cards = sorted((self._expect(card) for card in self._card_rows), key=lambda one: one.worth)

    def _sum(self, card: Card) -> FloatArray:
        total: FloatArray = self.net.card[0][self._card_rows[card]].sum(axis=0).astype(np.float64)
        return total

    def _expect(self, card: Card) -> Expected:
        heads = forward(self.net, self.base, self._sum(card))
        return Expected(card, heads, float(heads @ self.weights))

    def _without_each(self, card: Card) -> FloatArray:
        """The predictions for a card without each fact of the position: [facts, heads]."""
        return forward(self.net, self.base - self.net.position[0][self.rows], self._sum(card))

    def facts_for(self, card: Card, head: int, count: int) -> list[Fact]:
        """The facts with the largest effect on a prediction for a card."""
        here = next(one for one in self.cards if one.card == card)
        effects = here.heads[head] - self._without_each(card)[:, head]
        return self._largest(effects, count)

    def facts_between(self, card: Card, other: Card, count: int) -> list[Fact]:
        """The facts that make a card better than another: how much of the gap in worth goes without each."""
        gaps = (self._without_each(other) - self._without_each(card)) @ self.weights
        here, there = (next(one for one in self.cards if one.card == which) for which in (card, other))
        return self._largest((there.worth - here.worth) - gaps, count, positive=True)

    def _largest(self, effects: FloatArray, count: int, *, positive: bool = False) -> list[Fact]:
        order = np.argsort(-effects if positive else -np.abs(effects), kind="stable")[:count]
        found = [Fact(self.names[self.rows[i]], float(effects[i])) for i in order]
        return [fact for fact in found if fact.effect > 0] if positive else found


def expected_words(one: Expected, jack: bool) -> str:
    """The predictions of a card in one line."""
    heads = one.heads
    parts = [
        f"Q♠ {_share(heads[TAKE_QUEEN])}",
        f"hearts {max(0.0, heads[TAKE_HEARTS]):4.1f}",
        f"I shoot {_share(heads[SHOOT])}",
        f"another shoots {_share(heads[SHOT])}",
    ]
    if jack:
        parts.append(f"J♦ {_share(heads[TAKE_JACK])}")
    return "   ".join(parts)


def _share(value: float) -> str:
    return f"{100 * min(1.0, max(0.0, value)):3.0f} %"


def change_words(best: Expected, other: Expected) -> str:
    """What another card changes, in Q♠, hearts and moons."""
    gap = other.heads - best.heads
    parts = [
        (abs(gap[TAKE_QUEEN]) >= 0.005, f"Q♠ {100 * gap[TAKE_QUEEN]:+.0f} %"),
        (abs(gap[TAKE_HEARTS]) >= 0.05, f"hearts {gap[TAKE_HEARTS]:+.1f}"),
        (abs(gap[SHOOT]) >= 0.005, f"my moon {100 * gap[SHOOT]:+.0f} %"),
        (abs(gap[SHOT]) >= 0.005, f"another's moon {100 * gap[SHOT]:+.0f} %"),
    ]
    said = ", ".join(text for large, text in parts if large)
    return f"{pretty_card(other.card)} instead: {said or 'about the same'}"


class WholeGameExplainer:
    """Explains the networks of the whole game."""

    def describe_model(self, model: str, report: Report | None) -> None:
        """What the model is, and which facts weigh most on each prediction over its training positions."""
        found, playing, passing, *_ = load_learned(model or SHIPPED)
        sizes = {"playing": playing, "passing": passing}
        shapes = {
            name: [net.position.shape[1], net.card.shape[1], *net.hidden.shape[:0:-1]] for name, net in sizes.items()
        }
        if report:
            report({"model": model or SHIPPED, "rules": found.rules, "games": found.games, "command": found.command,
                    "predictions": list(HEAD_NAMES), "layers": shapes})  # fmt: skip
            return
        print(f"{model or SHIPPED}: two networks, trained under {found.rules}, {found.games:,} deals")
        print(f"made with: {found.command}")
        for name, (positions, cards, first, second) in shapes.items():
            print(f"{name}: {positions} facts of the position and {cards} of the card, {first} and {second} units")
        print(f"predicts for each card, about the rest of the deal: {', '.join(HEAD_NAMES)}")
        print(f"a choice in a record: heartlab explain FILE --at N --model {model or SHIPPED}")

    def describe_choice(self, model: str, decision: Decision, question: Question, report: Report | None) -> None:
        """What each card leads to, and which facts decide between the best two."""
        playing = load_learned(model or SHIPPED).playing
        deal = decision.deal
        if deal.to_move is None:
            raise ExplainError("nobody is to play a card here")
        try:
            check_game(deal.rules)
        except ValueError as error:
            raise ExplainError(str(error)) from error
        opinion = Opinion(playing, deal.observe(deal.to_move))
        if report:
            report(_as_json(model, decision, opinion, question.top))
        else:
            _show(deal, decision.played, opinion, question.top)


def _as_json(model: str, decision: Decision, opinion: Opinion, top: int) -> dict[str, Any]:
    best, *others = opinion.cards
    return {
        "model": model or SHIPPED,
        "seat": decision.deal.to_move,
        "played": None if decision.played is None else card_name(decision.played),
        "choice": card_name(best.card),
        "cards": [one.to_dict() for one in opinion.cards],
        "facts": {name: [vars(fact) for fact in opinion.facts_for(best.card, head, top)]
                  for head, name in enumerate(HEAD_NAMES)},
        "against": {
            card_name(other.card): [vars(fact) for fact in opinion.facts_between(best.card, other.card, top)]
            for other in others[:top]
        },
    }  # fmt: skip


def _show(deal: Deal, played: Card | None, opinion: Opinion, top: int) -> None:
    print(deal)
    did = "is to play" if played is None else f"played {pretty_card(played)}"
    best, *others = opinion.cards
    print(f"Seat {deal.to_move} {did}; the network plays {pretty_card(best.card)}. It expects from here on:")
    for one in opinion.cards:
        gap = one.worth - best.worth
        print(f"  {pretty_card(one.card)}  {gap:+6.2f}   {expected_words(one, deal.rules.bonus is not None)}")
    for other in others[:top]:
        print(f"\n{change_words(best, other)}")
        for fact in opinion.facts_between(best.card, other.card, top):
            print(f"  {fact.effect:5.2f}  {fact.text}")
    for head, what in ((TAKE_QUEEN, "to take Q♠"), (SHOT, "that another shoots the moon")):
        if best.heads[head] >= 0.05:
            print(f"\nWhat moves the chance {what} with {pretty_card(best.card)}:")
            for fact in opinion.facts_for(best.card, head, top):
                print(f"  {100 * fact.effect:+4.0f} %  {fact.text}")
