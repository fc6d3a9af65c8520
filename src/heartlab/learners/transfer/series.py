"""What the experiments share: series of learning runs, the models they begin with, and claims about who is ahead.

An arm of an experiment is a learner with its settings and sources; a series is one arm in one game against one
opponent: runs of 3,000 matches, of which the rewards are kept. All series use the same seeds, with separate random
streams for the learner and its opponent, so differences are paired by run. Source games are learned anew for every
group of runs. Runs that begin with the same model are not independent: intervals are over the means of such groups, so
that they cover the variance of the source runs as well, or over all runs, whichever is wider.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from msgspec import structs

from heartlab.ggp.machine.load import load_game
from heartlab.learners.transfer.discovery import SOURCE, learn_features
from heartlab.learners.transfer.models import FeatureModel, pool
from heartlab.learners.transfer.settings import STANDARD, Learner, Opponent, Reading, Settings
from heartlab.learners.transfer.trainer import TurnGame, learn
from heartlab.reproduction.claims import Claim, Verdict, above, all_of, size_of
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve
from heartlab.util.statistics import Estimate, FloatArray, estimate

MATCHES = 3000
RUNS, BEYOND_RUNS, PAPER_RUNS = 200, 100, 10
"""Runs for statements about order, for those beyond the paper, and for the look of its figures."""
GROUPS = 20
"""Independent models of the same source; run r begins with number r modulo this."""
SHOWN = 80
"""Points of a curve."""
MARGIN = 0.5
"""Points of reward that are worth mentioning."""
COLOURS = {
    "transfer": 0, "transfer, terminal-check": 0, "look-ahead": 1, "baseline": 2, "terminal-only": 3,
    "transfer, look-up": 4, "transfer, literal": 5,
}  # fmt: skip
"""The paper's learners look the same in all figures."""

FIGURES = {
    "figure-3": ("connect3", Opponent.EPS_GREEDY),
    "figure-4": ("othello4", Opponent.EPS_GREEDY),
    "figure-5": ("capturego", Opponent.EPS_GREEDY),
    "figure-6": ("othello4", Opponent.WEAK),
    "figure-7": ("othello4", Opponent.RANDOM),
}
"""The figures of the paper: game and opponent."""
HEADLINE = Reading.TERMINAL_CHECK
"""The reading under which the paper's claims are judged."""


@dataclass(frozen=True)
class Rewards:
    """The rewards of one learner, match by match, in all runs."""

    values: npt.NDArray[np.uint8]
    """Run by match."""
    groups: int = 0
    """How many models the runs begin with: run r has number r modulo this. 0: runs share nothing."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def matches(self) -> int:
        """How many matches a run has."""
        return int(self.values.shape[1])

    def first(self, runs: int) -> Rewards:
        """The first of the runs."""
        return Rewards(self.values[:runs], self.groups)

    def means(self, first: int = 1, last: int = MATCHES) -> FloatArray:
        """The mean reward of each run over a window of matches."""
        means: FloatArray = self.values[:, first - 1 : last].mean(axis=1, dtype=np.float64)
        return means


def over_runs(values: FloatArray, groups: int) -> Estimate:
    """The mean of runs that share models in groups, with the wider of the intervals over groups and over runs."""
    found = [estimate(values)]
    if 0 < groups < len(values):
        found.append(estimate(np.array([values[group::groups].mean() for group in range(groups)])))
    return max(found, key=lambda one: one.ci95[1] - one.ci95[0])


_free: dict[tuple[str, str], list[TurnGame]] = {}
_lock = threading.Lock()


@contextmanager
def borrowed(name: str, outcomes: str = "") -> Iterator[TurnGame]:
    """A game for one thread at a time; its explored positions are kept for the next use."""
    with _lock:
        waiting = _free.setdefault((name, outcomes), [])
        game = waiting.pop() if waiting else None
    game = game or TurnGame(load_game(name), outcomes)
    try:
        yield game
    finally:
        with _lock:
            waiting.append(game)


# Arms of an experiment


@dataclass(frozen=True)
class Source:
    """Where a learner's features come from: games, learned for some matches in some runs that are averaged."""

    games: tuple[str, ...] = ("tictactoe",)
    matches: int = 75
    runs: int = 10
    opponents: tuple[Opponent, ...] = STANDARD
    groups: int = GROUPS
    settings: Settings = SOURCE

    def texts(self) -> dict[str, object]:
        """Everything that decides what is learned, as plain values."""
        return {
            "games": self.games,
            "matches": self.matches,
            "runs": self.runs,
            "opponents": [one.text for one in self.opponents],
            "groups": self.groups,
            "settings": self.settings.texts(),
        }

    def models(self, shop: Workshop) -> list[FeatureModel]:
        """The models of all groups."""
        groups = shop.size(self.groups, 2)
        matches = min(self.matches, shop.size(self.matches, 150))
        found: list[list[FeatureModel]] = []
        for name in self.games:
            settings = {**self.texts(), "games": name, "groups": groups, "matches": matches}

            def work(name: str = name) -> Mapping[str, npt.NDArray[np.uint8]]:
                seed = 1_000_000 + 1000 * shop.seed
                with borrowed(name) as game:
                    learned = [
                        learn_features(
                            game, self.opponents, matches, self.runs, seed=seed + group, settings=self.settings
                        )
                        for group in range(groups)
                    ]
                text = json.dumps([[one.features, one.profiles] for one in learned])
                return {"models": np.frombuffer(text.encode(), np.uint8)}

            kept = json.loads(shop.part(f"source {name}", settings, work)["models"].tobytes())
            base = FeatureModel([name], matches, self.runs, shop.seed, recall=self.settings.recall)
            found.append([structs.replace(base, features=features, profiles=profiles) for features, profiles in kept])
        return [pool(models) if len(models) > 1 else models[0] for models in zip(*found, strict=True)]


SHORT, LONG = Source(matches=75), Source(matches=3000)


@dataclass(frozen=True)
class Arm:
    """One learner of an experiment: its name in figures, its settings, and what it begins with."""

    label: str
    settings: Settings
    """All but the opponent, which a series sets."""
    source: Source | None = None
    printed: Mapping[Opponent, Mapping[str, float]] | None = None
    """Values of shapes by opponent that are given instead of learned ones."""
    source_opponent: Opponent | None = None
    """Where it uses what was learned against another opponent than the one it plays."""

    def models(self, shop: Workshop, opponent: Opponent) -> list[FeatureModel | None]:
        """The models with which the runs begin, in turn."""
        if self.printed is not None:
            values = {shape: [value, 1.0] for shape, value in self.printed[opponent].items()}
            return [FeatureModel(["tictactoe"], 0, 0, 0, features={opponent.text: values})]
        if self.source is None:
            return [None]
        models = self.source.models(shop)
        if self.source_opponent is not None:
            known, played = self.source_opponent.text, opponent.text
            models = [
                structs.replace(one, features={played: one.features[known]}, profiles={played: one.profiles[known]})
                for one in models
            ]
        return list(models)

    def texts(self) -> dict[str, object]:
        """Everything that decides what is learned, as plain values."""
        return {
            "settings": self.settings.texts(),
            "source": self.source and self.source.texts(),
            "printed": self.printed and {one.text: dict(values) for one, values in self.printed.items()},
            "source_opponent": None if self.source_opponent is None else self.source_opponent.text,
        }


BASELINE = Arm("baseline", Settings(Learner.BASELINE, Reading.LITERAL))
CONTROL = Arm("terminal-only", Settings(Learner.TERMINAL_ONLY, Reading.TERMINAL_CHECK))
"""The control that the paper lacks: it knows the goals of ended games, also among candidate moves, and nothing else."""


def control(reading: Reading) -> Arm:
    """The control under a reading: it checks candidate moves, except under the literal one."""
    if reading != Reading.LITERAL:
        return CONTROL
    return Arm("terminal-only, literal", Settings(Learner.TERMINAL_ONLY, Reading.LITERAL))


def transfer(reading: Reading, source: Source = SHORT, note: str = "") -> Arm:
    """The Transfer Learner under a reading."""
    return Arm(f"transfer, {reading.text}{note}", Settings(Learner.TRANSFER, reading), source)


def searching(reading: Reading, learner: Learner = Learner.LOOK_AHEAD) -> Arm:
    """A learner that begins with the values of a search over two plies, under a reading."""
    return Arm(f"{learner.text}, {reading.text}", Settings(learner, reading))


# Series


def series(shop: Workshop, game: str, opponent: Opponent, arm: Arm, runs: int = RUNS, outcomes: str = "") -> Rewards:
    """The rewards of all matches of an arm, run by run."""
    runs, matches = shop.size(runs, 6), shop.size(MATCHES, 300)
    models = arm.models(shop, opponent)
    settings = {
        "game": game, "opponent": opponent.text, "runs": runs, "matches": matches, "outcomes": outcomes, **arm.texts(),
    }  # fmt: skip

    def work() -> Mapping[str, npt.NDArray[np.uint8]]:
        chosen = arm.settings._replace(opponent=opponent)
        rewards = np.zeros((runs, matches), np.uint8)
        with borrowed(game, outcomes) as board:
            for run in range(runs):
                rewards[run] = learn(board, chosen, matches, shop.seed, run, models[run % len(models)])[0]
        return {"rewards": rewards}

    rewards = shop.part(f"{game} {opponent.text} {arm.label}", settings, work)["rewards"]
    return Rewards(rewards, len(models) if arm.source else 0)


def several(
    shop: Workshop, game: str, opponent: Opponent, arms: Mapping[str, Arm], runs: int = RUNS
) -> dict[str, Rewards]:
    """The series of several arms by name, spread over threads; what they begin with is learned first."""
    for arm in arms.values():
        arm.models(shop, opponent)
    with ThreadPoolExecutor(max(1, shop.threads)) as workers:
        found = workers.map(lambda arm: series(shop, game, opponent, arm, runs), arms.values())
        return dict(zip(arms, found, strict=True))


def mean_of(rewards: Rewards, first: int = 1, last: int = MATCHES) -> Estimate:
    """The mean reward over a window of matches, with an interval over runs and the models they begin with."""
    return over_runs(rewards.means(first, last), rewards.groups)


def difference(one: Rewards, other: Rewards, first: int = 1, last: int = MATCHES) -> Estimate:
    """The first minus the second over a window of matches, paired by run.

    Runs whose numbers differ modulo the greatest common divisor of the groups share no model on either side.
    """
    return over_runs(one.means(first, last) - other.means(first, last), math.gcd(one.groups, other.groups))


def independent(one: Rewards, other: Rewards | None = None) -> int:
    """How many runs share nothing with each other: those that begin with the same model count as one."""
    groups = math.gcd(one.groups, one.groups if other is None else other.groups)
    return groups if 0 < groups < len(one) else len(one)


def units(one: Rewards, other: Rewards) -> str:
    """The units of the interval of a difference, in words."""
    apart = independent(one, other)
    return f"{len(one)} runs" if apart == len(one) else f"{len(one)} runs in {apart} groups that share a model"


def curve(label: str, rewards: Rewards, start: int = 301, average_from: int = 1) -> Curve:
    """The cumulative average of the reward from some match on, shown from a later one on, with a 95 % band."""
    start, average_from = min(start, rewards.matches // 2), min(average_from, rewards.matches // 2)
    sums = np.cumsum(rewards.values[:, average_from - 1 :], axis=1, dtype=np.float64)
    averages = sums / np.arange(1, sums.shape[1] + 1)
    places = np.unique(np.linspace(start, rewards.matches, SHOWN).astype(int))
    shown = [over_runs(averages[:, place - average_from], rewards.groups) for place in places]
    low, high = np.array([one.ci95 for one in shown]).T
    means = np.array([one.mean for one in shown])
    return Curve(f"{label} ({len(rewards)} runs)", places, means, low, high, colour=COLOURS.get(label))


def spread(value: Estimate, sign: bool = False) -> str:
    """An estimate as text: the mean and half of its interval."""
    return f"{value.mean:{'+' if sign else ''}.2f} ± {(value.ci95[1] - value.ci95[0]) / 2:.2f}"


def window_row(label: str, rewards: Rewards, others: Sequence[Rewards] = ()) -> list[str]:
    """A line of a table: means over the usual windows, and differences to others over all matches."""
    last = rewards.matches
    cells = [spread(mean_of(rewards, *window)) for window in ((1, 100), (1, 300), (min(301, last), last), (1, last))]
    return [label, *cells, *("–" if one is rewards else spread(difference(rewards, one), True) for one in others)]


WINDOW_HEAD = ["learner", "matches 1–100", "1–300", "301–3,000", "average at 3,000"]


# Claims


def claim_about(
    identity: str, statement: str, value: Estimate, verdict: Verdict, note: str, runs: int,
    published: float | None = None,
) -> Claim:  # fmt: skip
    """A claim with its estimate; `runs` are independent of each other."""
    note += f"; {runs} runs cannot tell" if verdict == "unclear" else ""
    return Claim(identity, statement, published, value.mean, value.ci95, value.n, verdict, note, runs)


def decided(gain: Estimate) -> Verdict:
    """Whether a gain is above zero; it fails if every gain of the margin or more is excluded."""
    low, high = gain.ci95
    return "holds" if low > 0 else "fails" if high < MARGIN else "unclear"


def gain_claim(identity: str, statement: str, gain: Estimate, note: str, runs: int | None = None) -> Claim:
    """A claim that something adds to the reward; `runs` are independent of each other, by default all."""
    verdict = decided(gain)
    if verdict == "unclear":
        note += f"; {runs or gain.n} runs cannot tell whether there is a gain of {MARGIN:g}"
    size = size_of(gain.ci95, None, MARGIN)
    return Claim(identity, statement, None, gain.mean, gain.ci95, gain.n, verdict, note, runs or gain.n, size, MARGIN)


def order_claim(identity: str, statement: str, one: Rewards, other: Rewards, note: str = "") -> Claim:
    """A claim that one learner earns more than another over all matches."""
    early = difference(one, other, 1, 300)
    told = (
        f"mean reward per match over all matches, paired by run, {units(one, other)}; "
        f"matches 1–300: {spread(early, True)}{'; ' if note else ''}{note}"
    )
    return gain_claim(identity, statement, difference(one, other), told, independent(one, other))


def everywhere(
    identity: str, statement: str, gaps: Mapping[str, Estimate], note: str, runs: int | None = None
) -> Claim:  # fmt: skip
    """A claim that something is above zero in all of several cases; shown is the case whose interval begins lowest."""
    weakest = min(gaps, key=lambda name: gaps[name].ci95[0])
    verdicts = [above(gap.ci95) for gap in gaps.values()]
    told = f"the lowest of {len(gaps)} intervals: {weakest}; above zero in {verdicts.count('holds')}"
    below_zero = verdicts.count("fails")
    told += f", below in {below_zero}" if below_zero else ""
    return claim_about(identity, statement, gaps[weakest], all_of(verdicts), f"{told}; {note}", runs or gaps[weakest].n)


def suffix(reading: Reading) -> str:
    """How the id of a claim under a reading ends."""
    return "" if reading == HEADLINE else f"-{reading.text}"


def under(statement: str, reading: Reading) -> str:
    """A statement, with the reading under which it is judged where that is not the one of the headline."""
    return statement if reading == HEADLINE else f"{statement} ({reading.text})"


def identity_of(experiment: str, what: str, reading: Reading) -> str:
    """The id of a claim of the paper under a reading."""
    return f"{'' if reading == HEADLINE else 'readings/'}{experiment}/{what}{suffix(reading)}"
