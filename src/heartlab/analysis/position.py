"""What a searching player thinks of a position: every legal card with its expected points, their spread over worlds,
and how the trick would go on.

:func:`analyse` looks at one position, :func:`review` at every decision of a deal and what the cards played there cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import Card, card_name
from heartlab.deal import Deal
from heartlab.kernel.layout import PLAYING, StateArray, compile_rules
from heartlab.kernel.rng import seed_key, substream
from heartlab.kernel.table import play_table
from heartlab.players import Observations, OpenStates, Player
from heartlab.players.search import SearchPlayer

SPREAD = (0.1, 0.9)
"""The part of the worlds that a card's spread covers."""

LINE_WORLDS = 20
"""Worlds over which lines are taken, at least, if the player does not know which one is true."""


@dataclass(frozen=True)
class Step:
    """One card of a line: who plays it, and in what share of the worlds that came so far."""

    seat: int
    card: Card
    share: float


@dataclass(frozen=True)
class CardReport:
    """What the player thinks of one legal card."""

    card: Card
    expected: float
    """Points of the seat to move, mean over the worlds."""
    se: float | None
    """Standard error of that mean over worlds; None if there is one world."""
    spread: tuple[float, float]
    """10th and 90th percentile over worlds."""
    best_in: float
    """Share of the worlds in which no other card is better."""
    visits: float
    """Simulations through this card, all worlds together; the number of worlds if the search does not simulate."""
    line: tuple[Step, ...] = ()
    """How it goes on: at each step the most common reply among the worlds left."""

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON."""
        return {
            "card": card_name(self.card),
            "expected": self.expected,
            "se": self.se,
            "spread": list(self.spread),
            "best_in": self.best_in,
            "visits": self.visits,
            "line": [{"seat": step.seat, "card": card_name(step.card), "share": step.share} for step in self.line],
        }


@dataclass(frozen=True)
class Analysis:
    """A position under a player: the cards, its choice first, the rest by expected points."""

    player: str
    place: int
    """Number of the card to be played, from 1."""
    seat: int
    worlds: int
    """Worlds searched (trees, for players that grow them over the observation)."""
    cards: tuple[CardReport, ...]
    played: Card | None = None
    cost: float = 0.0
    """Expected points that the card played gave away against the player's choice; below zero if it looks better."""
    cost_se: float | None = None

    @property
    def choice(self) -> Card:
        """The card that the player would play."""
        return self.cards[0].card

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON."""
        return {
            "player": self.player,
            "at": self.place,
            "seat": self.seat,
            "worlds": self.worlds,
            "choice": card_name(self.choice),
            "played": None if self.played is None else card_name(self.played),
            "cost": None if self.played is None else self.cost,
            "cost_se": self.cost_se,
            "cards": [report.to_dict() for report in self.cards],
        }


def searching(player: Player) -> SearchPlayer:
    """The player, if it is one that can say what it thinks of each card.

    :raises ValueError: if it is not.
    """
    if not isinstance(player, SearchPlayer):
        raise ValueError(f"{player.name} does not search, so it cannot value cards; choose uct, ismcts, iie, pie, ...")
    return player


def analyse(deal: Deal, player: Player, *, seed: int = 0, lines: bool = True, played: Card | None = None) -> Analysis:
    """What a searching player thinks of the decision that a deal waits for."""
    mind = searching(player)
    if deal.to_move is None:
        raise ValueError("nobody is to play a card in this position")
    obs = deal.observe(deal.to_move)
    place = len(deal.history) + 1
    obs.records["random"] = substream(np.uint64(seed_key(seed, "analyse")), place)
    compiled = compile_rules(deal.rules)
    batch = (
        OpenStates(deal.rules, compiled, obs.records, deal._states)
        if mind.is_open
        else Observations(deal.rules, compiled, obs.records)
    )
    found = mind.think(batch)
    legal = sorted(deal.legal)
    values, weights = found.values[0][:, legal], found.weights[0] / found.weights[0].sum()
    choice = int(mind.pick(compiled, found)[0])
    means = weights @ values
    worlds = found.states[0]
    if lines and not mind.is_open and len(worlds) < LINE_WORLDS:
        worlds = mind.draw(batch, LINE_WORLDS)[0][0]
    best = values <= values.min(axis=1, keepdims=True) + 1e-9
    reports = []
    for column, card in enumerate(legal):
        low, high = np.quantile(values[:, column], SPREAD)
        reports.append(
            CardReport(
                card=card,
                expected=float(means[column]),
                se=_standard_error(values[:, column], weights),
                spread=(float(low), float(high)),
                best_in=float(weights @ best[:, column]),
                visits=float(found.visits[0, :, card].sum()),
                line=tuple(_line(mind, batch, worlds, card)) if lines else (),
            )
        )
    reports.sort(key=lambda report: (report.card != choice, report.expected, report.card))
    cost, cost_se = 0.0, None
    if played is not None:
        gap = values[:, legal.index(played)] - values[:, legal.index(choice)]
        cost, cost_se = float(weights @ gap), _standard_error(gap, weights)
    return Analysis(player.name, place, deal.to_move, len(values), tuple(reports), played, cost, cost_se)


def review(deal: Deal, player: Player, *, seed: int = 0, seat: int | None = None) -> Iterator[Analysis]:
    """Every decision of a played deal (of one seat, if given) in which there was a choice."""
    for place, card in enumerate(deal.history, 1):
        before = deal.before(place)
        if len(before.legal) > 1 and seat in (None, before.to_move):
            yield analyse(before, player, seed=seed, lines=False, played=card)


def _standard_error(values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> float | None:
    """Standard error of a weighted mean; None for a single value."""
    if len(values) < 2:
        return None
    mean = weights @ values
    return float(np.sqrt(weights**2 @ (values - mean) ** 2 * len(values) / (len(values) - 1)))


def _line(mind: SearchPlayer, batch: Observations, states: StateArray, card: Card) -> Iterator[Step]:
    """How play goes on after a card: the most common reply over worlds, then over the worlds that agree, one round."""
    worlds = states.copy()
    keys = np.array([substream(np.uint64(batch.records[0]["random"]), 1000 + i) for i in range(len(worlds))], np.uint64)
    play_in(batch, worlds, np.full(len(worlds), card, np.int8))
    for _ in range(batch.rules.players - 1):
        if worlds["phase"][0] != PLAYING:
            return
        replies = mind.reply(batch, worlds, keys)
        common, count = Counter(replies.tolist()).most_common(1)[0]
        seat = int(worlds["to_move"][0])
        yield Step(seat, common, count / len(worlds))
        agree = replies == common
        worlds, keys = worlds[agree].copy(), keys[agree]
        play_in(batch, worlds, replies[agree])


def play_in(batch: Observations, worlds: StateArray, cards: npt.NDArray[np.int8]) -> None:
    """Play a card in each of some worlds."""
    play_table(batch.compiled, worlds, np.empty((len(worlds), 52), np.int8), cards, np.empty(len(worlds), np.bool_))
