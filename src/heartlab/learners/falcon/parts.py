"""The parts that the experiments of the FALCON paper are made of: training runs with frozen tests, and big games.

The measure is the penalty ratio: a player's points divided by 26, averaged over games; 0.25 is parity. What an interval
covers are the differences between training runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from heartlab.learners.falcon.agent import FalconAgent
from heartlab.learners.falcon.categories import Categories
from heartlab.learners.falcon.settings import FalconSettings
from heartlab.reproduction.claims import Claim, Verdict
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve
from heartlab.reproduction.series import Study, train_all, train_runs
from heartlab.rules import Rules
from heartlab.training.recipes import Learning, Metrics
from heartlab.util.bundle import Arrays
from heartlab.util.statistics import Estimate, FloatArray, estimate

RUNS = 40
"""Training runs per learner; the paper has ten."""
GAMES = 50_000
"""Training games, as in the paper."""
TESTS = 10_000
"""Frozen games after training, as in the paper."""
BLOCK = 500
"""Games over which a learning curve is averaged."""
GNOMES = ("gnome", "gnome", "gnome")
LEVELS = [("parity", 0.25)]
FOURTEEN = "1+2+2+3+2+2+1"
"""The tricks of the seven groups that the paper found best."""


class StudyTrainer:
    """Training games of a study, with falling exploration."""

    chunk = BLOCK

    def __init__(self, study: FalconStudy, seed: int) -> None:
        self.study, self.seed = study, seed
        self.agent = FalconAgent(study.settings, Rules.parse(study.rules))

    def step(self, first: int, count: int) -> list[Metrics]:
        """Some training games; their penalty ratio."""
        study, settings = self.study, self.study.settings
        epsilon = settings.epsilon + first / study.games * (settings.epsilon_end - settings.epsilon)
        points = self.agent.play(
            study.partners, self.seed, "train", first, count, learning=True, epsilon=epsilon, leader=study.leader
        )
        return [{"games": first + count, "ratio": float(points[:, 0].mean()) / self.agent.rules.total_points}]

    def checkpoint(self) -> Arrays:
        """The categories."""
        return self.agent.categories.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        self.agent.categories = Categories.of(arrays)


@dataclass(frozen=True)
class FalconStudy(Study):
    """A learner to be trained several times, and how it is tested.

    A run has the arrays `curve` [blocks], `tested` [marks], `categories`, and `ranks` [marks, 4] of big games.
    """

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
    curve_name = "curve"

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", self.marks or (self.games,))

    def part_name(self, run: int) -> str:
        return f"{self.name} {run}"

    def key(self, run: int) -> Mapping[str, Any]:
        return {"study": {**asdict(self), "settings": self.settings.texts()}, "run": run}

    def trainer(self, seed: int) -> StudyTrainer:
        return StudyTrainer(self, seed)

    def curve(self, line: Metrics) -> float:
        return float(line["ratio"])

    def at_mark(self, trainer: Learning) -> Mapping[str, Any]:
        """Frozen games, and big ones."""
        assert isinstance(trainer, StudyTrainer)
        agent, seed = trainer.agent, trainer.seed
        ratios = agent.ratio(self.testers, seed, "test", self.tests, leader=self.leader)
        found: dict[str, Any] = {"tested": float(ratios.mean())}
        if self.big_games:
            found["ranks"] = rank_shares(agent, self.testers, seed, self.big_games)
        return found

    def at_end(self, trainer: Learning) -> Mapping[str, Any]:
        assert isinstance(trainer, StudyTrainer)
        return {"categories": np.array([trainer.agent.categories.count])}


def networks(count: int, **changes: Any) -> FalconSettings:
    """The default reading with 1, 2 or 14 networks."""
    return FalconSettings(separate=count > 1, groups=FOURTEEN if count == 14 else "13", **changes)


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


def train_studies(workshop: Workshop, studies: Sequence[FalconStudy], runs: int) -> list[list[Arrays]]:
    """Train several learners, each several times, with no pause between them; the runs of each."""
    found = train_all(workshop, [(study, run) for study in studies for run in range(runs)])
    return [found[first : first + runs] for first in range(0, len(found), runs)]


def standard_runs(shop: Workshop, count: int) -> list[Arrays]:
    """The default reading with 1, 2 or 14 networks, trained as in the paper."""
    marks = (10_000, GAMES) if not shop.quick else (1_000, 2_000)
    study = FalconStudy(f"default {count}", networks(count), games=marks[-1], marks=marks)
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
