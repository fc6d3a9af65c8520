"""Training runs of experiments: what they keep, and that an interrupted run ends like one that was not."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pytest

from heartlab.learners.advice.parts import LearnerStudy, tabular_learner, train_learner
from heartlab.learners.td_features.parts import Plan, train_parts
from heartlab.learners.td_features.trainer import TdParameters
from heartlab.reproduction import Study, Workshop, series, train_runs
from heartlab.reproduction.series import train_study
from heartlab.util.executor import LocalExecutor, Stopped


class Walk:
    """A trainer that sums up random numbers."""

    chunk = 10

    def __init__(self, seed):
        self.seed, self.sums, self.steps = seed, np.zeros(2), 0

    def step(self, first, count):
        self.steps += 1
        self.sums += np.random.default_rng([self.seed, first]).random(2)
        return [{"games": first + count, "sum": float(self.sums.sum())}]

    def checkpoint(self):
        return {"sums": self.sums.copy()}

    def restore(self, arrays):
        self.sums = arrays["sums"].copy()


@dataclass(frozen=True)
class WalkStudy(Study):
    marks: tuple[int, ...] = (20, 35)
    curve_name = "curve"

    def part_name(self, run):
        return f"walk {run}"

    def key(self, run):
        return {"marks": list(self.marks), "run": run}

    def trainer(self, seed):
        return Walk(seed)

    def curve(self, line):
        return line["sum"]

    def at_mark(self, trainer):
        return {"snapshot": trainer.sums.copy(), "steps": trainer.steps}

    def at_end(self, trainer):
        return {"last": trainer.sums}


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path, seed=3, quick=True, tell=lambda line: None)


def test_a_run_keeps_its_curve_its_marks_and_its_end():
    found = train_study(WalkStudy(), 5)
    assert found["snapshot"].shape == (2, 2)
    np.testing.assert_array_equal(found["snapshot"][1], found["last"])
    np.testing.assert_array_equal(found["steps"], [2, 4])
    assert found["curve"].shape == (4,), "two chunks to the first mark, a whole one and a half one to the second"
    assert found["curve"][-1] == found["last"].sum()


@pytest.mark.parametrize("threads", [1, 2])
def test_runs_have_their_own_seeds_and_are_found_again(workshop, threads):
    workshop.executor = LocalExecutor(2) if threads > 1 else None
    first = train_runs(workshop, WalkStudy(), 3)
    again = train_runs(workshop, WalkStudy(), 4)
    assert (workshop.fresh, workshop.found) == (4, 0)
    for one, two in zip(first, again, strict=False):
        np.testing.assert_array_equal(one["curve"], two["curve"])
    np.testing.assert_array_equal(again[3]["last"], train_study(WalkStudy(), 3003)["last"])


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_an_interrupted_run_continues_to_the_same_result(tmp_path, monkeypatch, stop):
    draft = tmp_path / "walk.draft"
    answers = iter([False] * (stop - 1) + [True])
    monkeypatch.setattr(series, "asked_to_stop", lambda: next(answers, False))
    with pytest.raises(Stopped):
        train_study(WalkStudy(), 5, draft)
    assert draft.is_file()
    whole, continued = train_study(WalkStudy(), 5), train_study(WalkStudy(), 5, draft)
    for name in ("curve", "snapshot", "last"):
        np.testing.assert_array_equal(whole[name], continued[name])


def test_a_damaged_draft_is_ignored(tmp_path):
    draft = tmp_path / "walk.draft"
    draft.write_bytes(b"nothing")
    np.testing.assert_array_equal(train_study(WalkStudy(), 5, draft)["curve"], train_study(WalkStudy(), 5)["curve"])


def test_learners_continue_from_drafts(tmp_path, monkeypatch):
    study = LearnerStudy(tabular_learner("T", partners="mixed", test=20), (1000, 3000))
    answers = iter([False, True])
    monkeypatch.setattr(series, "asked_to_stop", lambda: next(answers, False))
    with pytest.raises(Stopped):
        train_study(study, 5, tmp_path / "draft")
    whole, continued = train_study(study, 5), train_study(study, 5, tmp_path / "draft")
    assert whole["snapshots"].shape == (2, 1, 4608)
    assert whole["curve"].shape == (3, 3)
    for name in whole:
        np.testing.assert_array_equal(whole[name], continued[name])


def test_training_runs_of_earlier_versions_are_found(workshop):
    learner = tabular_learner("T", test=0)
    settings = {
        "rules": "advice", "advice": "paper", "state": "table", "partners": "random+random",
        "testers": "voting+random", "test": 0, "choice": "sum", "rule": "td", "rate": 0.1, "momentum": 0.0,
        "trace": 0.0, "initial": 0.36, "spread": 0.3, "hidden": 13, "forced": True, "everybody": False,
    }  # fmt: skip
    assert asdict(learner.settings) == settings
    kept = {"snapshots": np.ones((1, 1, 4608)), "curve": np.zeros(0)}
    workshop.part("train T 0", {"learner": settings, "kind": 1, "marks": [1000], "run": 0}, lambda: kept)
    (found,) = train_learner(workshop, learner, 1, [1000])
    np.testing.assert_array_equal(found["snapshots"], kept["snapshots"])
    key = {
        "task": "queen", "orders": "1", "select": "", "partners": "expert", "views": 1, "decay": 0.75, "rate": 1 / 13,
        "halving": 0, "rules": "", "expert": "pie", "expert_tricks": 1, "leaf": False, "clauses": False, "worlds": 0,
        "run": 0, "moments": [1000],
    }  # fmt: skip
    workshop.part("train-x-0", key, lambda: {"weights": np.ones((1, 60), np.float32), "points": np.ones(1)})
    (training,) = train_parts(
        workshop, [Plan("x", "queen", TdParameters(orders="1", partners="expert", views=1), 0, [1000])]
    )
    assert training.weights.sum() == 60
    assert workshop.fresh == 2
