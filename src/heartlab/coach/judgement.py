"""The numbers behind the coach's words: what every legal card, or pass, leads to. One truth for all that is said.

Every choice is made in the same worlds, and the deals are played to their end (see `playing_on`). Points, Q♠, hearts,
moons and spread are counted in these deals and nowhere else, so they add up:

    points = 13 x share with Q♠ + hearts + moons (and J♦, where it counts)

A moon of one's own counts as 26 points less, whether the rules take them off or give 26 to each of the others: the
shooter gains 26 on everybody. For the same reason another's moon counts 26.

The card with the fewest points is the coach's. Cards that differ by less than the noise, or by next to nothing, are
*about the same*; among them the network's own prediction decides, which knows more of the players' habits than worlds
that are equally likely. Everything starts from the observation of the seat to move. A position is judged once: the
last judgements are cached.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from heartlab.cards import Card, CardSet
from heartlab.coach.outcomes import Outcome, count_ends
from heartlab.coach.playing_on import MODEL, SOLVED, STRONG, Ends, PlayingOn, draw, knows_rules
from heartlab.coach.values import CLEAR, about_same
from heartlab.compiled.rng import seed_key, substream
from heartlab.deal import Deal
from heartlab.kernel.layout import StateArray
from heartlab.learners.whole_game.ace import candidates, predict_cards, predict_passes
from heartlab.learners.whole_game.network import HEADS, new_mind
from heartlab.learners.whole_game.policy import rank_passes
from heartlab.observation import Observation
from heartlab.players import Observations, make_player
from heartlab.players.analysis import Analysis, CardReport, observe_decision
from heartlab.rules import Rules

WORK = 80_000
"""Cards that are played for one judgement: a fifth of a second on one core."""
FEWEST, MOST = 128, 512
"""Worlds of a lot, before the last tricks."""
LOTS = 4
"""As many lots are judged at most, each in other worlds, until the best card is..."""
UNSURE = 0.25
"""... clear of the noise, or told from the others to within this standard error."""
EXACT = 3
"""With at most so many cards in the hand all deals that fit are equally likely, and..."""
ENUMERATED = 400
"""... each counts once, if there are not more than this; otherwise..."""
MOST_EXACT = 2000
"""... so many are drawn."""
PRIOR = 24.0
"""The network's own prediction counts as much as so many worlds, among cards that are about the same."""

PASSERS = ("gnome:jake", "gnome:peter")
"""Players whose passes are compared beside those that the network likes."""
OTHER_PASSERS = ("gnome", "gnome:jake", "gnome:ling", "gnome:peter", "iie")
"""The same under rules that the network does not know; `iie` passes by the thesis rule."""
CANDIDATES = 24
"""Passes of the network that are compared."""
PASS_WORLDS = 200
"""Worlds in which the last candidates are compared."""
SIFTS = ((40, 12), (60, 5))
"""How these are chosen: other worlds, and how many candidates are left after them."""
PASS_PRIOR = 300.0
"""The network's own prediction for a pass counts as much as so many worlds: see `docs/coach.md`."""
CACHED = 64
"""Judgements that are cached: the decisions of a few deals."""

Found = TypeVar("Found")
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judgement:
    """A decision, judged.

    >>> deal = Deal("seed", seed=1)
    >>> deal.play_randomly(seed=1)
    >>> before = deal.before(41)
    >>> judged = Judge(worlds=4).judge(before, seed=0)
    >>> judged.best in before.legal, set(judged.outcomes) == set(before.legal), len(judged.worlds)
    (True, True, 4)
    """

    obs: Observation
    analysis: Analysis
    worlds: StateArray
    """The worlds, before the card."""
    outcomes: dict[Card, Outcome]
    source: str
    """How the deals went on: `solved`, `network` or `simple`."""

    @property
    def best(self) -> Card:
        """The coach's card."""
        return self.analysis.choice

    @property
    def equal(self) -> list[Card]:
        """The coach's card, and those that are about the same."""
        return [one.card for one in self.analysis.cards if about_same(one.cost, one.cost_se)]


@dataclass(frozen=True)
class PassReport:
    """What passing some cards leads to.

    >>> deal = Deal("standard", seed=1)
    >>> reports = Judge(worlds=16).passes(deal.observe(0), seed=0)
    >>> reports[0].cost, len(reports[0].cards)
    (0.0, 3)
    """

    cards: CardSet
    outcome: Outcome
    se: float
    cost: float
    """How much more than the first pass, in the same worlds."""
    cost_se: float

    @property
    def expected(self) -> float:
        """Mean points of the deal over the worlds."""
        return self.outcome.points


class Judge:
    """Judges decisions, one at a time.

    >>> deal = Deal("seed", seed=1)
    >>> deal.play_randomly(seed=1)
    >>> before = deal.before(41)
    >>> analysis = Judge(worlds=4).analyse(before, seed=0)
    >>> {report.card for report in analysis.cards} == set(before.legal), analysis.worlds
    (True, 4)
    """

    def __init__(self, model: str = MODEL, worlds: int | None = None) -> None:
        """
        :param model: the network of the whole game that plays on.
        :param worlds: the most worlds that are tried; without it, as many as take a moment.
        """
        self.name, self.most = model, worlds
        self.playing_on = PlayingOn(model)
        self._lock = threading.Lock()
        self._judgements: OrderedDict[Hashable, Judgement] = OrderedDict()
        self._passes: OrderedDict[Hashable, list[PassReport]] = OrderedDict()

    def load(self) -> None:
        """Load the network.

        :raises ModelError: if there is no such model of the whole game.
        """
        self.playing_on.load()

    # --- cards ---

    def analyse(
        self, deal: Deal, seed: int, played: Card | None = None, seats: Sequence[str] | None = None
    ) -> Analysis:
        """Expected points of every legal card."""
        return self.judge(deal, seed, played, seats).analysis

    def judge(self, deal: Deal, seed: int, played: Card | None = None, seats: Sequence[str] | None = None) -> Judgement:
        """Everything about the decision that a deal waits for; `seats` play on (see `stand_ins`)."""
        return self.judge_seen(observe_decision(deal, seed), seed, played, seats)

    def judge_seen(
        self, obs: Observation, seed: int, played: Card | None = None, seats: Sequence[str] | None = None
    ) -> Judgement:
        """The same for what the seat to move may know."""
        obs.records["random"] = substream(np.uint64(seed_key(seed, "analyse")), len(obs.history) + 1)
        with self._lock:
            players = tuple(seats or [STRONG] * obs.rules.players)
            key = (obs.rules, obs.records.tobytes(), players)
            judged = cached(self._judgements, key, lambda: self._judged(obs, players))
            return replace(judged, analysis=replace(judged.analysis, played=played))

    def _judged(self, obs: Observation, players: Sequence[str]) -> Judgement:
        batch, legal = Observations.of(obs), sorted(obs.legal)
        source = source_of(obs)
        tried, stands = told_apart(batch, legal)
        worlds, ends, size = self._lot(batch, obs, tried, players, source, 0)
        values, outcomes = count_ends(batch, obs.seat, ends)
        lots = LOTS if self.most is None and len(obs.hand) > EXACT else 1
        for lot in range(1, lots):
            if not is_unsure(values, size):
                break
            more, others, _ = self._lot(batch, obs, tried, players, source, lot)
            worlds, ends = np.concatenate([worlds, more]), ends.beside(others)
            values, outcomes = count_ends(batch, obs.seat, ends)
            size = effective(worlds)
        values, outcomes = values[stands], [outcomes[one] for one in stands]
        choice = self._choice(batch, legal, values, size, source)
        reports = [_report(card, column, values, size, legal.index(choice)) for column, card in enumerate(legal)]
        reports.sort(
            key=lambda one: (one.card != choice, not about_same(one.cost, one.cost_se), one.expected, one.card)
        )
        place = len(obs.history) + 1
        analysis = Analysis(self.name, place, obs.seat, len(worlds), tuple(reports))
        return Judgement(obs, analysis, worlds, dict(zip(legal, outcomes, strict=True)), source)

    def _lot(
        self, batch: Observations, obs: Observation, cards: list[Card], players: Sequence[str], source: str, lot: int
    ) -> tuple[StateArray, Ends, float]:
        """Some worlds, the deals after each card in them, and how many different ones they are worth."""
        worlds = self._worlds(batch, obs, len(cards), players, lot)
        return worlds, self._after_cards(batch, worlds, cards, players, source), effective(worlds)

    def _worlds(
        self, batch: Observations, obs: Observation, choices: int, players: Sequence[str], lot: int = 0
    ) -> StateArray:
        """The worlds of a lot: as many as take a moment.

        With very few cards left every deal that fits counts the same; before, deals are picked by how likely the
        others' cards so far are in them.
        """
        cards = len(obs.hand)
        if cards <= EXACT:
            most = MOST_EXACT if self.most is None else self.most
            every = obs.count_worlds()
            if every <= min(ENUMERATED, most):
                drawn = draw(batch, int(every * (3 + np.log(every))) + 1)[0]
                _, first = np.unique(drawn["hands"], axis=0, return_index=True)
                return drawn[np.sort(first)]
            return draw(batch, most)[0]
        left = cards * obs.rules.players - len(obs.trick)
        count = min(MOST, max(FEWEST, WORK // (choices * left)))
        return self.playing_on.likely(batch, count if self.most is None else min(count, self.most), players, lot)

    def _after_cards(
        self, batch: Observations, worlds: StateArray, cards: Sequence[Card], players: Sequence[str], source: str
    ) -> Ends:
        """The deals after each card; a world that was picked several times is played once."""
        _, first, back = np.unique(worlds["hands"], axis=0, return_index=True, return_inverse=True)
        ends = self.playing_on.after_cards(batch, worlds[first], cards, players, solve=source == "solved")
        back = back.reshape(-1)
        return Ends(ends.states[:, back], ends.tricks[:, back], ends.history)

    def _choice(self, batch: Observations, legal: list[Card], values: Floats, size: float, source: str) -> Card:
        """The card with the fewest points; among those that are about the same, the one that the network likes."""
        means = values.mean(axis=1)
        best = int(means.argmin())
        same = [i for i in range(len(legal)) if about_same(*_gap(values[i] - values[best], size))]
        if source != "network" or len(same) == 1:
            return legal[best]
        heads = np.zeros((len(same), HEADS), np.float32)
        net, cards = self.playing_on.learned.playing, np.array([legal[i] for i in same], np.uint64)
        predict_cards(batch.compiled, batch.records, net, new_mind(net), cards, heads)
        worth = size * means[same] + PRIOR * (heads @ points_of_heads(batch.rules))
        return legal[same[int(worth.argmin())]]

    def risk(self, obs: Observation, seed: int, seats: Sequence[str] | None = None) -> tuple[list[float], int]:
        """How often each seat shoots the moon if the players go on from here, and in how many worlds that was tried."""
        with self._lock:
            players = list(seats or [STRONG] * obs.rules.players)
            obs.records["random"] = substream(np.uint64(seed_key(seed, "analyse")), len(obs.history) + 1)
            batch = Observations.of(obs)
            worlds = self._worlds(batch, obs, 2, players)
            ends = self._after_cards(batch, worlds, [-1], players, source_of(obs))
            _, (outcome,) = count_ends(batch, obs.seat, ends)
        return list(outcome.shooters), len(worlds)

    def line(self, deal: Deal, card: Card, seats: Sequence[str] | None = None) -> Deal:
        """How a deal with known hands goes on after a card: the players play it to its end."""
        with self._lock:
            obs = observe_decision(deal, 0)
            players = list(seats or [STRONG] * deal.rules.players)
            ends = self.playing_on.after_cards(
                Observations.of(obs), deal._states.copy(), [card], players, solve=source_of(obs) == "solved"
            )
        after = deal.copy()
        for one in ends.history[0][len(deal.history) :]:
            if after.to_move is not None:
                after.play(int(one))
        return after

    # --- passes ---

    def passes(
        self, obs: Observation, seed: int, also: CardSet | None = None, seats: Sequence[str] | None = None
    ) -> list[PassReport]:
        """What could be passed, best first: what the network and our other players would pass, and `also`.

        Candidates are sifted in some worlds and compared in other ones, the same for all, so that what is said of the
        first one is not merely the luck of the best of many. All worlds and the network's prediction decide which is
        first.
        """
        with self._lock:
            obs.records["random"] = substream(np.uint64(seed_key(seed, "analyse")), 0)
            players = tuple(seats or [STRONG] * obs.rules.players)
            key = (obs.rules, obs.records.tobytes(), players, None if also is None else also.mask)
            return cached(self._passes, key, lambda: self._compared(obs, also, players))

    def _compared(self, obs: Observation, also: CardSet | None, players: Sequence[str]) -> list[PassReport]:
        batch = Observations.of(obs)
        masks, prior = self._candidates(batch, obs)
        sifts, compared = self._counts()
        worlds, keys = draw(batch, sum(sifts) + compared)
        left, worth, start = np.arange(len(masks)), PASS_PRIOR * prior, 0
        for sifted, (_, kept) in zip(sifts, SIFTS, strict=True):
            part = slice(start, start + sifted)
            worth[left] += self._after(batch, obs, worlds[part], keys[part], masks[left], players)[0].sum(axis=1)
            left = left[np.argsort(worth[left], kind="stable")[:kept]]
            start += sifted
        last = masks[left]
        if also is not None and also.mask not in last:
            last = np.append(last, np.uint64(also.mask))
        values, outcomes = self._after(batch, obs, worlds[start:], keys[start:], last, players)
        worth[left] += values[: len(left)].sum(axis=1)
        best = int(worth[left].argmin())
        found = []
        for i, mask in enumerate(last):
            cost, cost_se = _gap(values[i] - values[best])
            se = _gap(values[i])[1]
            found.append(PassReport(CardSet(int(mask)), outcomes[i], se, cost, cost_se))
        return sorted(found, key=lambda one: (one.cards.mask != last[best], one.expected))

    @property
    def pass_worlds(self) -> int:
        """Worlds in which passes are compared."""
        return self._counts()[1]

    def _counts(self) -> tuple[list[int], int]:
        """Worlds in which candidates are sifted, and compared."""
        most = self.most or MOST
        return [min(worlds, most) for worlds, _ in SIFTS], min(PASS_WORLDS, most)

    def _candidates(self, batch: Observations, obs: Observation) -> tuple[npt.NDArray[np.uint64], Floats]:
        """Passes to compare, and what the network expects of them (nothing where it does not know the rules)."""
        if not knows_rules(obs.rules):
            wishes = dict.fromkeys(int(make_player(name).choose_passes(batch)[0]) for name in OTHER_PASSERS)
            every = list(dict.fromkeys([*wishes, *swaps(CardSet(next(iter(wishes))), obs.may_pass)]))
            return np.array(every, np.uint64), np.zeros(len(every))
        learned, found = self.playing_on.learned, np.zeros(CANDIDATES, np.uint64)
        weights = points_of_heads(obs.rules)
        party = self.playing_on.party(obs.rules, [STRONG] * 4)
        mind = new_mind(learned.passing)
        count = rank_passes(batch.compiled, batch.records, learned.passing, mind, party.weights, found)
        wanted = [*found[:count].tolist(), *(int(make_player(name).choose_passes(batch)[0]) for name in PASSERS)]
        masks = np.array(list(dict.fromkeys(wanted)), np.uint64)
        heads = np.zeros((len(masks), HEADS), np.float32)
        predict_passes(batch.compiled, batch.records, learned.passing, mind, masks, heads)
        return masks, heads @ weights

    def _after(
        self, batch: Observations, obs: Observation, worlds: StateArray, keys: npt.NDArray[np.uint64],
        masks: npt.NDArray[np.uint64], players: Sequence[str],
    ) -> tuple[Floats, list[Outcome]]:  # fmt: skip
        ends = self.playing_on.after_passes(batch, worlds.copy(), keys, masks, players)
        return count_ends(batch, obs.seat, ends)


# --- worlds and noise ---


def source_of(obs: Observation) -> str:
    """How deals go on from a position."""
    if obs.phase == "play" and len(obs.hand) <= SOLVED:
        return "solved"
    return "network" if knows_rules(obs.rules) else "simple"


def told_apart(batch: Observations, legal: list[Card]) -> tuple[list[Card], list[int]]:
    """The legal cards without those that are equivalent to a lower one, and which of them stands for each legal card.

    8♠ and 9♠ in one hand are as good as each other: nobody can come between. Whatever the players make of the
    difference is luck, and would be told as a reason.
    """
    if not knows_rules(batch.rules):
        return legal, list(range(len(legal)))
    tried = [int(card) for card in candidates(batch)]
    return tried, [tried.index(max(one for one in tried if one <= card)) for card in legal]


def effective(worlds: StateArray) -> float:
    """How many different worlds some are worth that were picked by their weights, one perhaps several times."""
    _, counts = np.unique(worlds["hands"], axis=0, return_counts=True)
    return len(worlds) ** 2 / float(counts @ counts)


def is_unsure(values: Floats, size: float) -> bool:
    """Whether another card might be better than the best, and only more worlds could tell."""
    best = int(values.mean(axis=1).argmin())
    gaps = [_gap(one - values[best], size) for i, one in enumerate(values) if i != best]
    return any(se > UNSURE and gap < CLEAR * se for gap, se in gaps)


def points_of_heads(rules: Rules) -> Floats:
    """The predictions of the network in points."""
    moon = 0.0 if rules.moon == "off" else float(rules.total_points)
    bonus = 0 if rules.bonus is None else rules.bonus_points
    return np.array([13.0, 1.0, -2 * moon, moon, bonus])


def _gap(values: Floats, size: float | None = None) -> tuple[float, float]:
    """A mean and its standard error over the worlds; a single world has no standard error."""
    if len(values) < 2:
        return float(values.mean()), 0.0
    return float(values.mean()), float(values.std(ddof=1) / (size or len(values)) ** 0.5)


def _report(card: Card, column: int, values: Floats, size: float, choice: int) -> CardReport:
    """What is shown of one card."""
    mean, se = _gap(values[column], size)
    cost, cost_se = _gap(values[column] - values[choice], size)
    low, high = np.quantile(values[column], (0.1, 0.9))
    best_in = float((values[column] <= values.min(axis=0) + 1e-9).mean())
    return CardReport(card, mean, se, (float(low), float(high)), best_in, values.shape[1], cost, cost_se)


def cached(kept: OrderedDict[Hashable, Found], key: Hashable, make: Callable[[], Found]) -> Found:
    """A value by its key, made if it is not there; the `CACHED` values used last are kept."""
    if key not in kept:
        kept[key] = make()
        if len(kept) > CACHED:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]


def swaps(cards: CardSet, choice: CardSet) -> list[int]:
    """The passes that differ from one in a single card, as masks."""
    return [(cards.mask & ~(1 << out)) | (1 << into) for out in cards for into in choice - cards]
