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
from heartlab.learners.falcon.settings import FalconSettings, Rule
from heartlab.reproduction.claims import Claim, Verdict
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve
from heartlab.reproduction.series import Study, run_seed, train_study
from heartlab.reproduction.units import run_units
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
LESS = "penalty ratio (less is better)"
"""The y axis of figures."""
MARGIN = 0.002
"""The least difference of penalty ratios that is worth mentioning: a twentieth of a point per deal."""
FOURTEEN = "1+2+2+3+2+2+1"
"""The tricks of the seven groups that the paper found best."""


@dataclass(frozen=True)
class Update:
    """How motor weights learn: the paper's formula, or what makes one of its cases have an effect."""

    name: str
    changes: Mapping[str, Any]
    is_printed: bool

    def claim_id(self, experiment: str, statement: str) -> str:
        """The id of a claim: those of the delta rule are another reading of the paper."""
        return f"{experiment}/{statement}" if self.is_printed else f"readings/delta-{experiment}-{statement}"

    def says(self, statement: str) -> str:
        """The statement of a claim, with the name of the update where it is not the paper's."""
        return statement if self.is_printed else f"{statement} ({self.name})"

    def networks(self, count: int, **changes: Any) -> FalconSettings:
        """An agent with 1, 2 or 14 networks that learns by this update."""
        return networks(count, **{**self.changes, **changes})


PRINTED = Update("printed update", {"rule": Rule.AND, "forced": True}, is_printed=True)
DELTA = Update("delta rule", {}, is_printed=False)
UPDATES = (PRINTED, DELTA)
"""The printed update first. Its case "x_i = 1" changes nothing; under the delta rule such weights grow towards 1."""


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

    A unit has the lists `curve` [blocks], `tested` [marks], `categories` [1], and `ranks` [marks, 4] of big games.
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
    keeps_curve: bool = False
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


def study_units(shop: Workshop, study: FalconStudy, runs: int) -> list[Unit]:
    """What every run of a learner showed."""

    def work(shop: Workshop, run: int) -> Unit:
        draft = shop.draft(study.part_name(run), study.key(run))
        found: Unit = train_study(study, run_seed(shop, run), draft)
        draft.unlink(missing_ok=True)
        if not study.keeps_curve:
            del found["curve"]
        return found

    settings = {**study.key(0), "run": None}
    return run_units(shop, study.name, settings, runs, work)


def standard_units(shop: Workshop, update: Update, count: int) -> list[Unit]:
    """The paper's agent with 1, 2 or 14 networks, trained as in the paper."""
    marks = (10_000, GAMES) if not shop.quick else (1_000, 2_000)
    study = FalconStudy(
        f"{update.name}, {count} networks", update.networks(count), games=marks[-1], marks=marks, keeps_curve=True
    )  # fmt: skip
    return study_units(shop, study, shop.size(RUNS, 3))


def final_ratios(units: Sequence[Unit]) -> FloatArray:
    """The frozen penalty ratio of each run at its last mark."""
    return np.array([unit["tested"][-1] for unit in units])


def learning_ratios(units: Sequence[Unit], games: int) -> FloatArray:
    """The penalty ratio of each run over its first games, while it learned."""
    return np.array([np.mean(unit["curve"][: games // BLOCK]) for unit in units])


def learning_curve(label: str, units: Sequence[Unit], blocks: int = 1, games: int = GAMES) -> Curve:
    """The penalty ratio of several runs while they learned, averaged over so many blocks of games."""
    curves = np.array([unit["curve"] for unit in units])[:, : games // BLOCK]
    width = curves.shape[1] // blocks * blocks
    curves = curves[:, :width].reshape(len(curves), -1, blocks).mean(axis=2)
    step = BLOCK * blocks
    return Curve.over_runs(label, range(step, step * curves.shape[1] + 1, step), curves.tolist())


def ratio_text(value: Estimate) -> str:
    """A mean with its standard error as text."""
    return f"{value.mean:.4f} ± {value.se:.4f}"


def ratio_claim(
    identity: str, statement: str, published: float | None, values: FloatArray, verdict: Any, note: str
) -> Claim:
    """A claim about a penalty ratio over runs; `verdict` judges its interval."""
    found = estimate(values)
    judged: Verdict = verdict(found.ci95)
    return Claim(identity, statement, published, found.mean, found.ci95, found.n, judged, note, found.n)
