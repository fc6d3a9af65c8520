"""Experiments of the advice paper: what their parts keep, and that parts of earlier runs are still found."""

from __future__ import annotations

import numpy as np
import pytest

from heartlab.learners.advice import claims as advice
from heartlab.learners.advice.beyond import QUICK_GAMES, field_gaps, train_votes
from heartlab.learners.advice.games import constant, sitter, tournament
from heartlab.learners.advice.parts import Scores, tabular_learner, tournaments
from heartlab.learners.advice.vote_trainer import VoteParameters
from heartlab.reproduction import Workshop
from heartlab.rules import Rules
from heartlab.util.statistics import Estimate, estimate


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path, seed=3, quick=True, tell=lambda line: None)


def test_the_gap_to_all_others_has_an_error_of_its_own(workshop):
    gnomes = ("gnome",) * 3
    (found,) = tournaments(workshop, "x", [sitter("voting")], rules="standard", others=gnomes, games=300, field=True)
    points = tournament(Rules.parse("standard"), sitter("voting"), [sitter("gnome")] * 3, 3, "x 0", 300)
    expected = estimate(points[:, 1:].mean(axis=1) - points[:, 0])
    assert found.field.mean == pytest.approx(expected.mean)
    assert found.field.se == pytest.approx(expected.se)
    assert found.field.se < 0.95 * found.gap.se, "the mean of three varies less than one of them"
    assert field_gaps([found]) == found.field
    several = [Scores(np.array([1.0, 3.0, 4.0]), found.gap), Scores(np.array([2.0, 3.0, 4.0]), found.gap)]
    assert field_gaps(several) == estimate(np.array([2.5, 1.5]))


def test_tournaments_of_earlier_runs_are_found(workshop):
    key = {
        "rules": "advice", "others": ["voting", "random"], "games": 50, "settings": "s", "place": 0, "weights": 9.0
    }  # fmt: skip
    kept = {"means": np.array([1.0, 2.0, 3.0]), "gap": np.array([1.0, 0.5, 50])}
    workshop.part("tournament x 0", key, lambda: kept)
    (found,) = tournaments(workshop, "x", [constant(np.ones(9))], games=50, settings="s")
    assert found.gap == Estimate(1.0, 0.5, 50)
    assert workshop.fresh == 1


def test_weights_with_the_same_sum_are_other_players(workshop):
    one, other = np.ones(9), np.ones(9)
    other[0] = -1.0
    first, second, again = (
        tournaments(workshop, "x", [constant(weights)], games=200, settings="s")[0] for weights in (one, other, one)
    )
    assert first.gap != second.gap
    assert first.gap == again.gap
    assert workshop.fresh == 2


def test_votes_of_earlier_runs_are_found(workshop):
    key = {
        "rules": "advice", "advice": "paper", "state": "none", "partners": "voting+random", "start": "",
        "initial": 1.0, "batch": 5000, "rate": 0.02, "horizon": QUICK_GAMES, "scale": 4.0, "relative": 0.0,
        "test": 5000, "test_every": 10**9, "testers": "voting+random", "choice": "sum", "hidden": 0,
        "games": QUICK_GAMES, "run": 0,
    }  # fmt: skip
    workshop.part("vote old 0", key, lambda: {"weights": np.arange(9.0)})
    (found,) = train_votes(workshop, "old", VoteParameters(advice="paper", state="none"), 1, 500_000)
    np.testing.assert_array_equal(found.weights, np.arange(9.0))


def test_peaks_are_judged_on_games_that_did_not_choose_them(workshop, monkeypatch):
    seen = {}

    def judge(workshop, name, players, **rest):
        seen[name] = [one.weights[0] for one in players]
        return []

    monkeypatch.setattr(advice, "tournaments", judge)
    runs = [{"snapshots": np.stack([np.full((1, 4608), 10.0 * run + mark) for mark in range(3)])} for run in range(2)]
    gaps = [[0.1, 0.3], [0.5, 0.2], [0.4, 0.1]]
    scores = [[Scores(np.zeros(3), Estimate(gap, 0.1, 100)) for gap in row] for row in gaps]
    advice._judge_peaks(workshop, tabular_learner("T"), runs, scores)
    assert seen == {"T peak": [1.0, 10.0]}, "the best mark of each run, under a name that no other tournament has"
