"""The numbers behind the coach's words: expected points of every legal card, and how the deal goes on after it.

The expected points are those of ``heartlab analyse`` with the same player and seed. Beside them every legal card is
played in the same worlds, and quick players finish the deal, where possible those who sit there: how often does the
card take the trick, does Q♠ fall, does somebody shoot the moon? Passes are compared in the same way. Everything starts
from the observation of the seat to move. A position is searched once: the last judgements are cached.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from heartlab.arena.rows import RowsInPlay
from heartlab.cards import QUEEN_OF_SPADES, Card, CardSet
from heartlab.compiled.rng import seed_key, substream
from heartlab.deal import Deal
from heartlab.kernel.layout import OBSERVATION, SEATS, StateArray
from heartlab.kernel.table import give_table, observe_table, play_table, points_table
from heartlab.observation import Observation
from heartlab.players import Observations, Player, make_player
from heartlab.players.analysis import Analysis, analyse, observe_decision, searching

COACH = "uct:worlds=100,sims=100,endgame=4,pick=value"
"""The default player that judges."""

QUICK = ("random", "gnome", "gnome:luis", "gnome:jake", "gnome:ling", "gnome:peter")
"""Players that are quick enough to play on in every world."""
PLAY_ON = "gnome:peter"
"""Plays on for everybody else, and for the person: it shoots the moon when it can, and hinders others who try."""
PASS_ON = "gnome"
"""The default player that plays on for all seats when passes are compared."""

PASSERS = ("gnome", "gnome:jake", "gnome:ling", "gnome:peter", "iie")
"""Players whose passes are compared; `iie` passes by the thesis rule."""
PASS_WORLDS = 500
"""Worlds in which the last candidates are compared."""
SIFT_WORLDS = 200
"""Other worlds, in which these were chosen."""
PASS_LAST = 4
"""Candidates that are compared in the end, beside those asked for."""
CACHED = 64
"""Positions whose analyses are cached, and as many judgements: the decisions of a few deals."""

FINISH_STREAM = 5000
"""Branch of a decision's random key from which the keys of the players that finish the deals start."""

ONE = np.uint64(1)
Found = TypeVar("Found")


@dataclass(frozen=True)
class Outcome:
    """What happens after a card, as shares of the worlds.

    >>> deal = Deal("seed", seed=1)
    >>> deal.play_randomly(seed=1)
    >>> outcomes = Judge("uct:worlds=4,sims=10").judge(deal.before(40), seed=0).outcomes
    >>> {(outcome.takes, outcome.trick_points) for outcome in outcomes.values()}  # the seat is void in the suit led
    {(0.0, 1.0)}
    """

    takes: float
    """The seat takes this trick."""
    trick_points: float
    """Mean points of this trick, whoever takes it."""
    takes_points: float
    """The seat takes this trick, and with it a card that counts."""
    queen_to_me: float
    """Q♠ falls in this trick and the seat takes it."""
    queen_to_other: float
    """Q♠ falls in this trick and another seat takes it."""
    moon: float
    """Another seat shoots the moon in the end."""
    own_moon: float
    """The seat itself does."""


@dataclass(frozen=True)
class Judgement:
    """A decision, judged.

    >>> deal = Deal("seed", seed=1)
    >>> deal.play_randomly(seed=1)
    >>> before = deal.before(41)
    >>> judged = Judge("uct:worlds=4,sims=10").judge(before, seed=0)
    >>> judged.best in before.legal, set(judged.outcomes) == set(before.legal), len(judged.worlds)
    (True, True, 4)
    """

    obs: Observation
    analysis: Analysis
    worlds: StateArray
    """The worlds of the analysis, before the card."""
    outcomes: dict[Card, Outcome]

    @property
    def best(self) -> Card:
        """The coach's card."""
        return self.analysis.choice


@dataclass(frozen=True)
class Finished:
    """Deals that were played to their end, one per row."""

    trick: npt.NDArray[np.uint64]
    """[rows, seats]: what each seat took with the trick that was running."""
    shooters: npt.NDArray[np.int64]
    """Who shot the moon, or a number below zero."""
    points: npt.NDArray[np.int64]
    """[rows, seats]: the points of the deal."""


@dataclass(frozen=True)
class PassReport:
    """What passing some cards is worth.

    >>> deal = Deal("standard", seed=1)
    >>> reports = Judge("uct:worlds=4,sims=10").passes(deal.observe(0), seed=0)
    >>> reports[0].cost, len(reports[0].cards), any("gnome" in report.by for report in reports)
    (0.0, 3, True)
    """

    cards: CardSet
    expected: float
    """Mean points of the deal over the worlds, if all then play like `PASS_ON`."""
    se: float
    by: tuple[str, ...]
    """The players that would pass these cards; empty for another's pass with one card changed."""
    cost: float
    """How much more than the first pass, in the same worlds."""
    cost_se: float


class Judge:
    """A searching player that judges; one decision at a time.

    >>> deal = Deal("seed", seed=1)
    >>> deal.play_randomly(seed=1)
    >>> before = deal.before(41)
    >>> analysis = Judge("uct:worlds=4,sims=10").analyse(before, seed=0)
    >>> {report.card for report in analysis.cards} == set(before.legal), analysis.worlds
    (True, 4)
    """

    def __init__(self, name: str = COACH, pass_on: str = PASS_ON) -> None:
        """`pass_on` plays on for all when passes are compared."""
        self.name, self.pass_on = name, pass_on
        self._lock = threading.Lock()
        self._analyses: OrderedDict[Hashable, Analysis] = OrderedDict()
        self._judgements: OrderedDict[Hashable, Judgement] = OrderedDict()

    def prepare(self) -> None:
        """Make the players, which may have to be compiled."""
        with self._lock:
            self._ready()

    def _ready(self) -> None:
        if not hasattr(self, "mind"):
            self.mind = searching(make_player(self.name))
            if self.mind.is_open:
                raise ValueError(f"{self.name} sees all hands and may not coach")
            self._quick: dict[str, Player] = {}

    def _player(self, name: str) -> Player:
        if name not in self._quick:
            self._quick[name] = make_player(name)
        return self._quick[name]

    def analyse(self, deal: Deal, seed: int, played: Card | None = None) -> Analysis:
        """Expected points of every legal card: what `heartlab analyse` says."""
        with self._lock:
            self._ready()
            return replace(self._analysis(deal, seed), played=played)

    def _analysis(self, deal: Deal, seed: int) -> Analysis:
        """The analysis of a decision, searched once."""
        key = position_key(deal, seed)
        return cached(self._analyses, key, lambda: analyse(deal, self.mind, seed=seed, lines=False))

    def judge(self, deal: Deal, seed: int, played: Card | None = None, seats: Sequence[str] | None = None) -> Judgement:
        """Everything about the decision that a deal waits for; `seats` play on (see :func:`stand_ins`)."""
        with self._lock:
            self._ready()
            analysis = self._analysis(deal, seed)
            players = tuple(seats or [PLAY_ON] * deal.rules.players)
            key = (*position_key(deal, seed), players)
            judged = cached(self._judgements, key, lambda: self._judged(deal, seed, analysis, players))
            return replace(judged, analysis=replace(analysis, played=played))

    def _judged(self, deal: Deal, seed: int, analysis: Analysis, players: Sequence[str]) -> Judgement:
        obs = observe_decision(deal, seed)
        batch = Observations.of(obs)
        worlds = self.mind.search.draw(batch, max(self.mind.search.options.worlds, 1))[0][0]
        return Judgement(obs, analysis, worlds, self._outcomes(batch, obs, worlds, players))

    def moon_risk(self, obs: Observation, count: int, seats: Sequence[str] | None = None) -> list[float]:
        """How often each seat shoots the moon if `seats` play on (see :func:`stand_ins`)."""
        with self._lock:
            self._ready()
            batch = Observations.of(obs)
            worlds = self.mind.search.draw(batch, count)[0][0]
            states = worlds.copy()
            histories = np.repeat(obs.records["history"].astype(np.int8), count, axis=0)
            players = seats or [PLAY_ON] * obs.rules.players
            shooters = self.finish(batch, states, histories, players).shooters
        return [float((shooters == seat).mean()) for seat in range(obs.rules.players)]

    def passes(self, obs: Observation, seed: int, also: CardSet | None = None) -> list[PassReport]:
        """What could be passed, best first: what our players would pass, these with one card changed, and `also`.

        The others pass like `gnome:jake`, and all play on like `gnome`. Candidates are sifted in some worlds and
        compared in other ones, the same for all, so that the first one is not merely the luckiest of many.
        """
        with self._lock:
            self._ready()
            obs.records["random"] = substream(np.uint64(seed_key(seed, "analyse")), 0)
            batch = Observations.of(obs)
            wishes: dict[int, list[str]] = {}
            for name in PASSERS:
                wishes.setdefault(int(make_player(name).choose_passes(batch)[0]), []).append(name)
            (drawn,), (keys,) = self.mind.search.draw(batch, SIFT_WORLDS + PASS_WORLDS)
            self._pass_for_others(batch, obs, drawn, keys)
            sift, worlds = (drawn[:SIFT_WORLDS], keys[:SIFT_WORLDS]), (drawn[SIFT_WORLDS:], keys[SIFT_WORLDS:])
            first = {mask: self._points_after(batch, obs, *sift, mask).mean() for mask in wishes}
            leader = min(first, key=lambda mask: first[mask])
            for mask in swaps(CardSet(leader), obs.may_pass):
                first[mask] = self._points_after(batch, obs, *sift, mask).mean()
            order = sorted(first, key=lambda mask: first[mask])
            wanted = {*order[:PASS_LAST], *wishes, *([also.mask] if also is not None else [])}
            points = {mask: self._points_after(batch, obs, *worlds, mask) for mask in wanted}
        best, root = order[0], PASS_WORLDS**0.5
        found = []
        for mask, values in points.items():
            gap = values - points[best]
            found.append(
                PassReport(
                    CardSet(mask), float(values.mean()), float(values.std(ddof=1) / root), tuple(wishes.get(mask, ())),
                    float(gap.mean()), float(gap.std(ddof=1) / root),
                )
            )  # fmt: skip
        return sorted(found, key=lambda one: (one.cards.mask != best, one.expected))

    def _points_after(
        self, batch: Observations, obs: Observation, worlds: StateArray, keys: npt.NDArray[np.uint64], mask: int
    ) -> npt.NDArray[np.int64]:
        """The points of the seat in each world, if it passes these cards; a pool is dealt out by the world's key."""
        states = worlds.copy()
        self._give(batch, states, keys, obs.seat, np.full(len(states), mask, np.uint64))
        histories = np.full((len(states), 52), -1, np.int8)
        players = [self.pass_on] * obs.rules.players
        return self.finish(batch, states, histories, players).points[:, obs.seat]

    def _pass_for_others(
        self, batch: Observations, obs: Observation, worlds: StateArray, keys: npt.NDArray[np.uint64]
    ) -> None:
        """Let all others pass in the worlds."""
        rows, histories = np.arange(len(worlds)), np.full((len(worlds), 52), -1, np.int8)
        dice = np.full(len(worlds), batch.records["random"][0], np.uint64)
        records = np.zeros(len(worlds), OBSERVATION)
        passer = make_player("gnome:jake")
        for seat in range(obs.rules.players):
            if seat != obs.seat:
                seats = np.full(len(worlds), seat, np.int64)
                observe_table(batch.compiled, worlds, histories, rows, seats, dice, records)
                masks = passer.choose_passes(Observations(batch.rules, batch.compiled, records))
                self._give(batch, worlds, keys, seat, masks)

    def _give(
        self,
        batch: Observations,
        states: StateArray,
        keys: npt.NDArray[np.uint64],
        seat: int,
        masks: npt.NDArray[np.uint64],
    ) -> None:
        seats, verdicts = np.full(len(states), seat, np.int64), np.zeros(len(states), np.bool_)
        give_table(batch.compiled, keys, states, seats, masks, verdicts)

    def _outcomes(
        self, batch: Observations, obs: Observation, worlds: StateArray, players: Sequence[str]
    ) -> dict[Card, Outcome]:
        """Play every legal card in the worlds, let quick players finish the deals, and count what happens."""
        legal, count, seat = sorted(obs.legal), len(worlds), obs.seat
        states = np.tile(worlds, len(legal))
        histories = np.repeat(obs.records["history"].astype(np.int8), len(states), axis=0)
        cards = np.repeat(np.array(legal, np.int8), count)
        play_table(batch.compiled, states, histories, cards, np.zeros(len(states), np.bool_))
        after = self.finish(batch, states, histories, players, np.tile(worlds["taken"], (len(legal), 1)))
        found = {}
        for index, card in enumerate(legal):
            part = slice(index * count, (index + 1) * count)
            trick = np.bitwise_or.reduce(after.trick[part], axis=1)
            mine = after.trick[part, seat] != 0
            queen = (trick >> np.uint64(QUEEN_OF_SPADES)) & ONE == ONE
            value = np.zeros(count)
            for one in obs.rules.penalty_cards:
                value += obs.rules.card_points(one) * ((trick >> np.uint64(one)) & ONE)
            moon = after.shooters[part]
            found[card] = Outcome(
                takes=float(mine.mean()),
                trick_points=float(value.mean()),
                takes_points=float((mine & (value > 0)).mean()),
                queen_to_me=float((queen & mine).mean()),
                queen_to_other=float((queen & ~mine).mean()),
                moon=float(((moon >= 0) & (moon != seat)).mean()),
                own_moon=float((moon == seat).mean()),
            )
        return found

    def finish(
        self,
        batch: Observations,
        states: StateArray,
        histories: npt.NDArray[np.int8],
        players: Sequence[str],
        before: npt.NDArray[np.uint64] | None = None,
    ) -> Finished:
        """Let a player for each seat play all rows to the end.

        `before` is what each seat had taken before the running trick: the states may already hold the last card of that
        trick. With it, the result says who took this trick.
        """
        rows, key = np.arange(len(states)), np.uint64(batch.records["random"][0])
        keys = np.array([substream(key, FINISH_STREAM + int(row)) for row in rows], np.uint64)
        play = RowsInPlay.at_seats(batch.rules, [self._player(name) for name in players], keys)
        trick = np.zeros((len(states), SEATS), np.uint64)
        if before is not None:
            play.play_on(rows, states, histories, tricks=int(batch.records["trick_number"][0]) + 1)
            trick = states["taken"] & ~before
        play.play_on(rows, states, histories)
        points, shooters = np.zeros((len(states), SEATS), np.int64), np.zeros(len(states), np.int64)
        points_table(batch.compiled, states, points, shooters)
        return Finished(trick, shooters, points)


def position_key(deal: Deal, seed: int) -> tuple[Hashable, ...]:
    """What an analysis depends on: the rules, and what the seat to move may know, random key included."""
    return deal.rules, observe_decision(deal, seed).records.tobytes()


def cached(kept: OrderedDict[Hashable, Found], key: Hashable, make: Callable[[], Found]) -> Found:
    """A value by its key, made if it is not there; the `CACHED` values used last are kept."""
    if key not in kept:
        kept[key] = make()
        if len(kept) > CACHED:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]


def stand_ins(players: Sequence[str]) -> list[str]:
    """Who plays on for a person on seat 0 and the players on the other seats: these themselves, if they are quick."""
    return [PLAY_ON, *(name if name in QUICK else PLAY_ON for name in players)]


def swaps(cards: CardSet, choice: CardSet) -> list[int]:
    """The passes that differ from one in a single card, as masks."""
    return [(cards.mask & ~(1 << out)) | (1 << into) for out in cards for into in choice - cards]
