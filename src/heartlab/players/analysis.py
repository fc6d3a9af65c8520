"""What a searching player thinks of a position: every legal card with its value, the spread over worlds, and the
principal variation.

:func:`analyse` looks at one position, :func:`review` at every decision of a deal and what the cards played there cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import Card, card_name, pretty_card
from heartlab.compiled.rng import seed_key, substream
from heartlab.deal import Deal
from heartlab.kernel.layout import StateArray, compile_rules
from heartlab.kernel.table import play_table
from heartlab.players import Observations, OpenStates, Player
from heartlab.players.search import SearchPlayer
from heartlab.search.evaluators.base import POINTS_UNIT
from heartlab.search.found import Searched
from heartlab.search.walk import NO_VALUE

SPREAD = (0.1, 0.9)
"""The part of the worlds that a card's spread covers."""


@dataclass(frozen=True)
class Step:
    """One card of a principal variation: who plays it, and in what share of the worlds that agree so far (of the
    simulations, for trees over an observation)."""

    seat: int
    card: Card
    share: float


@dataclass(frozen=True)
class CardReport:
    """What the player thinks of one legal card."""

    card: Card
    expected: float
    """What the seat to move may expect, mean over the worlds; points, unless the analysis has another unit."""
    se: float | None
    """Standard error of that mean over worlds; None if there is one world."""
    spread: tuple[float, float]
    """10th and 90th percentile over worlds."""
    best_in: float
    """Share of the worlds in which no other card is better."""
    visits: float
    """Simulations through this card, all worlds together; the number of worlds if the search does not simulate."""
    line: tuple[Step, ...] = ()
    """The principal variation, as far as the search looked: at each step the most common card of the worlds."""

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
    """Value of the card played minus that of the player's choice; below zero if it looks better."""
    cost_se: float | None = None
    unit: str = POINTS_UNIT
    """What the values are: expected points, or shares of an evaluation, which order cards but forecast nothing."""

    @property
    def in_points(self) -> bool:
        """Whether values are expected points."""
        return self.unit == POINTS_UNIT

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
            "unit": self.unit,
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
    """What a searching player thinks of the decision that a deal waits for.

    :raises ValueError: if the player does not search, nobody is to play, or a card's value is no finite number.
    """
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
    found = mind.search.think(batch, lines=lines)
    legal = sorted(deal.legal)
    values, weights = found.values[0][:, legal], found.shares[0] / len(found.shares[0])
    for column, card in enumerate(legal):
        if not (np.abs(values[:, column]) < NO_VALUE).all():
            wrong = "NaN" if np.isnan(values[:, column]).any() else "no finite number"
            raise ValueError(
                f"{player.name}: its evaluator ({mind.search.evaluator.name}) gave {wrong} for {pretty_card(card)}"
            )
    choice = int(mind.search.pick(compiled, found)[0])
    means = weights @ values
    best = values <= values.min(axis=1, keepdims=True) + 1e-9
    reports = []
    for column, card in enumerate(legal):
        reports.append(
            CardReport(
                card=card,
                expected=float(means[column]),
                se=_standard_error(values[:, column], weights),
                spread=_spread(values[:, column], weights),
                best_in=float(weights @ best[:, column]),
                visits=float(found.visits[0, :, card].sum()),
                line=tuple(_line(found, weights, deal.rules.players, card)) if lines else (),
            )
        )
    reports.sort(key=lambda report: (report.card != choice, report.expected, report.card))
    cost, cost_se = 0.0, None
    if played is not None:
        gap = values[:, legal.index(played)] - values[:, legal.index(choice)]
        cost, cost_se = float(weights @ gap), _standard_error(gap, weights)
    return Analysis(player.name, place, deal.to_move, len(values), tuple(reports), played, cost, cost_se, found.unit)


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


def _spread(values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The percentiles of SPREAD, by weight."""
    if np.allclose(weights, weights[0]):
        low, high = np.quantile(values, SPREAD)
    else:
        low, high = np.quantile(values, SPREAD, weights=weights, method="inverted_cdf")
    return float(low), float(high)


def _line(found: Searched, weights: npt.NDArray[np.float64], players: int, card: Card) -> Iterator[Step]:
    """The most common continuation after a card over the worlds, then over those that agree, while most go on."""
    agree = [(weight, _path(found, world, card)) for world, weight in enumerate(weights) if weight > 0]
    played = [card]
    state = found.states[0, 0]
    while True:
        step = len(played) - 1
        going = [(weight, path) for weight, path in agree if len(path) > step]
        total = sum(weight for weight, _ in going)
        if total <= sum(weight for weight, _ in agree) / 2:
            return
        tally: dict[Card, float] = defaultdict(float)
        for weight, path in going:
            tally[path[step][0]] += weight * path[step][1]
        common = max(tally, key=lambda one: tally[one])
        yield Step(_mover(state, players, played), common, float(tally[common] / total))
        played.append(common)
        agree = [(weight, path) for weight, path in going if path[step][0] == common]


def _path(found: Searched, world: int, card: Card) -> list[tuple[Card, float]]:
    """What the search of one world expects after a card. If another card stood for it, the two change places."""
    place = int(found.places[0, world, card])
    if place < 0:
        return []
    stands = int(found.children[0, world, place, 0])
    path = []
    for step, share in found.lines[0, world, place]:
        if step < 0:
            break
        path.append((stands if step == card else int(step), float(share)))
    return path


def _mover(state: StateArray, players: int, cards: Sequence[Card]) -> int:
    """The seat to move once some cards have been played from a state."""
    table = [int(card) for card in state["trick_cards"][: int(state["trick_size"])]]
    leader = int(state["to_move"]) - len(table)
    for card in cards:
        table.append(card)
        if len(table) == players:
            following = [one for one in table if one // 13 == table[0] // 13]
            leader, table = (leader + table.index(max(following))) % players, []
    return (leader + len(table)) % players


def play_in(batch: Observations, worlds: StateArray, cards: npt.NDArray[np.int8]) -> None:
    """Play a card in each of some worlds."""
    play_table(batch.compiled, worlds, np.empty((len(worlds), 52), np.int8), cards, np.empty(len(worlds), np.bool_))
