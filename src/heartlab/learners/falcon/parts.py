"""The parts that the experiments of the FALCON paper are made of: training runs with frozen tests, and big games.

The measure is the penalty ratio: a player's points divided by 26, averaged over games; 0.25 is parity. What an interval
covers are the differences between training runs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from heartlab.learners.falcon.agent import FalconAgent
from heartlab.learners.falcon.categories import Categories
from heartlab.learners.falcon.settings import FalconSettings
from heartlab.reproduction.claims import Claim, Verdict
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve
from heartlab.rules import Rules
from heartlab.util.bundle import Arrays, open_bundle, write_bundle
from heartlab.util.executor import Stopped, asked_to_stop
from heartlab.util.statistics import Estimate, FloatArray, estimate

RUNS = 40
"""Training runs per learner; the paper has ten."""
GAMES = 50_000
"""Training games, as in the paper."""
TESTS = 10_000
"""Frozen games after training, as in the paper."""
BLOCK = 500
"""Games over which a learning curve is averaged."""
DRAFT_SECONDS = 60.0
"""How often a long training run writes down how far it is."""
GNOMES = ("gnome", "gnome", "gnome")
LEVELS = [("parity", 0.25)]
FOURTEEN = "1+2+2+3+2+2+1"
"""The tricks of the seven groups that the paper found best."""


@dataclass(frozen=True)
class Study:
    """A learner to be trained several times, and how it is tested."""

    name: str
    settings: FalconSettings = field(default_factory=FalconSettings)
    games: int = GAMES
    marks: tuple[int, ...] = ()
    """Training games after which there is a frozen test; none: only at the end."""
    tests: int = TESTS
    rules: str = "falcon"
    partners: tuple[str, ...] = GNOMES
    testers: tuple[str, ...] = GNOMES
    leader: int = -1
    """Seats from the learner to the first leader; -1: random."""
    big_games: int = 0
    """Big games after each mark."""

    @property
    def test_marks(self) -> tuple[int, ...]:
        """When it is tested."""
        return self.marks or (self.games,)


def networks(count: int, **changes: Any) -> FalconSettings:
    """The default reading with 1, 2 or 14 networks."""
    return FalconSettings(separate=count > 1, groups=FOURTEEN if count == 14 else "13", **changes)


class _Draft(Struct):
    """The header of a draft."""

    done: Annotated[int, Meta(ge=0)]


@dataclass
class _Training:
    """A training run that can be put down and taken up again."""

    study: Study
    seed: int
    draft: Path | None
    agent: FalconAgent = field(init=False)
    done: int = 0
    curve: list[float] = field(default_factory=list)
    tested: list[float] = field(default_factory=list)
    ranks: list[FloatArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.agent = FalconAgent(self.study.settings, Rules.parse(self.study.rules))
        if self.draft is not None and self.draft.is_file():
            try:
                with open_bundle(self.draft) as bundle:
                    done, arrays = bundle.header(_Draft).done, bundle.arrays()
                curve, tested = arrays["curve"].tolist(), arrays["tested"].tolist()
                ranks = list(arrays["ranks"])
                self.agent.categories = Categories.of(arrays)
            except (ValueError, KeyError):  # a damaged draft is ignored
                return
            self.done, self.curve, self.tested, self.ranks = done, curve, tested, ranks

    def results(self) -> Arrays:
        """What there is so far."""
        return {"curve": np.array(self.curve), "tested": np.array(self.tested), "ranks": np.array(self.ranks)}

    def block(self, mark: int) -> None:
        """Some training games."""
        study, settings = self.study, self.study.settings
        count = min(BLOCK, mark - self.done)
        epsilon = settings.epsilon + self.done / study.games * (settings.epsilon_end - settings.epsilon)
        points = self.agent.play(
            study.partners, self.seed, "train", self.done, count, learning=True, epsilon=epsilon, leader=study.leader
        )
        self.curve.append(float(points[:, 0].mean()) / self.agent.rules.total_points)
        self.done += count

    def test(self) -> None:
        """Frozen games, and big ones."""
        study = self.study
        ratios = self.agent.ratio(study.testers, self.seed, "test", study.tests, leader=study.leader)
        self.tested.append(float(ratios.mean()))
        if study.big_games:
            self.ranks.append(rank_shares(self.agent, study.testers, self.seed, study.big_games))

    def put_down(self) -> None:
        """Write down how far it is."""
        if self.draft is not None:
            write_bundle(self.draft, {"done": self.done}, {**self.agent.categories.arrays(), **self.results()})


def _train(study: Study, seed: int, draft: Path | None = None) -> Arrays:
    training = _Training(study, seed, draft)
    written = time.monotonic()
    for mark in study.test_marks[len(training.tested) :]:
        while training.done < mark:
            training.block(mark)
            if asked_to_stop():
                training.put_down()
                raise Stopped
            if time.monotonic() - written > DRAFT_SECONDS:
                training.put_down()
                written = time.monotonic()
        training.test()
    return {**training.results(), "categories": np.array([training.agent.categories.count])}


def rank_shares(agent: FalconAgent, testers: Sequence[str], seed: int, games: int) -> FloatArray:
    """How often the agent comes first to fourth in big games: deals until somebody has more than 100 points.

    Who ties for a rank shares it.
    """
    shares, totals, finished, first = np.zeros(4), np.zeros(4, np.int64), 0, 0
    while finished < games:
        for points in agent.play(testers, seed, "big games", first, 4096):
            totals += points
            if totals.max() > agent.rules.limit:
                better, equal = int((totals < totals[0]).sum()), int((totals == totals[0]).sum())
                shares[better : better + equal] += 1.0 / equal
                totals[:] = 0
                finished += 1
                if finished == games:
                    break
        first += 4096
    return shares / games


def run_seed(workshop: Workshop, run: int) -> int:
    """The seed of one of several runs."""
    return 1000 * workshop.seed + run


def train_runs(workshop: Workshop, study: Study, runs: int) -> list[Arrays]:
    """Train a learner several times: `curve` [blocks], `tested` [marks], `categories`, `ranks` [marks, 4]."""
    return train_all(workshop, [study], runs)[0]


def train_all(workshop: Workshop, studies: Sequence[Study], runs: int) -> list[list[Arrays]]:
    """Train several learners, each several times, with no pause between them; the runs of each."""
    jobs = []
    for study in studies:
        for run in range(runs):
            name = f"{study.name} {run}"
            settings = {"study": {**asdict(study), "settings": study.settings.texts()}, "run": run}
            work = partial(_train, study, run_seed(workshop, run), workshop.draft(name, settings))
            jobs.append((name, settings, work))
    found = workshop.parts(jobs)
    return [found[first : first + runs] for first in range(0, len(found), runs)]


def standard_runs(shop: Workshop, count: int) -> list[Arrays]:
    """The default reading with 1, 2 or 14 networks, trained as in the paper."""
    marks = (10_000, GAMES) if not shop.quick else (1_000, 2_000)
    study = Study(f"default {count}", networks(count), games=marks[-1], marks=marks)
    return train_runs(shop, study, shop.size(RUNS, 3))


def final_ratios(runs: Sequence[Arrays]) -> FloatArray:
    """The frozen penalty ratio of each run at its last mark."""
    return np.array([run["tested"][-1] for run in runs])


def learning_ratios(runs: Sequence[Arrays], games: int) -> FloatArray:
    """The penalty ratio of each run over its first games, while it learned."""
    return np.array([run["curve"][: games // BLOCK].mean() for run in runs])


def band(label: str, marks: Sequence[int], values: FloatArray) -> Curve:
    """The mean over runs [runs, marks] with a band of two standard errors."""
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return Curve(label, list(marks), mean, mean - 2 * error, mean + 2 * error)


def learning_curve(label: str, runs: Sequence[Arrays], blocks: int = 1) -> Curve:
    """The penalty ratio of several runs while they learned, averaged over so many blocks of games."""
    curves = np.stack([run["curve"] for run in runs])
    width = curves.shape[1] // blocks * blocks
    curves = curves[:, :width].reshape(len(curves), -1, blocks).mean(axis=2)
    return band(label, range(BLOCK * blocks, BLOCK * blocks * curves.shape[1] + 1, BLOCK * blocks), curves)


def ratio_text(value: Estimate) -> str:
    """A mean with its standard error as text."""
    return f"{value.mean:.4f} ± {value.se:.4f}"


def ratio_claim(
    identity: str, statement: str, published: float | None, values: FloatArray, verdict: Any, note: str
) -> Claim:
    """A claim about a mean over runs; `verdict` judges its interval."""
    found = estimate(values)
    judged: Verdict = verdict(found.ci95)
    return Claim(identity, statement, published, found.mean, found.ci95, found.n, judged, note)
