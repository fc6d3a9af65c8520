"""Experiments of the advice paper: what their parts keep, and that parts of earlier runs are still found."""

from __future__ import annotations

import math

import numpy as np
import pytest

from heartlab.learners.advice import claims as advice
from heartlab.learners.advice.beyond import QUICK_GAMES, field_gaps, train_votes
from heartlab.learners.advice.games import constant, sitter, tournament
from heartlab.learners.advice.overtraining import _answer, wander
from heartlab.learners.advice.parts import Scores, net_learner, tournaments
from heartlab.learners.advice.pieces import GET_LEAD
from heartlab.learners.advice.runs import (
    best_marks,
    end_games,
    end_gaps,
    end_points,
    lead_preference,
    mark_games,
    peak_gaps,
)
from heartlab.learners.advice.trainer import make_learner
from heartlab.learners.advice.vote import NET
from heartlab.learners.advice.vote_trainer import VoteParameters
from heartlab.reproduction import Claim, Workshop
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


def unit(marks, fresh):
    return {which: [[0.0, gap, 9.0, 0.1] for gap in gaps] for which, gaps in (("marks", marks), ("fresh", fresh))}


def test_peaks_are_judged_on_games_that_did_not_choose_them():
    units = [unit([0.1, 0.5, 0.4], [1.0, 2.0, 3.0]), unit([0.3, 0.2, 0.1], [4.0, 5.0, 6.0])]
    assert best_marks(units) == [1, 0]
    assert peak_gaps(units).tolist() == [2.0, 4.0]


def test_networks_of_one_run_count_as_one():
    units = [{"ends": [[3.0, 4.0, 7.0, 0.1], [3.0, 6.0, 7.0, 0.1]]}, {"ends": [[3.0, 3.5, 7.0, 0.1]] * 2}]
    assert end_gaps(units).tolist() == [2.0, 0.5]
    assert end_points(units)[0].tolist() == [3.0, 5.0, 7.0]


def test_games_are_counted_at_marks_and_at_the_end(workshop):
    units = [{"ends": [[0.0] * 4] * 3, "untrained": [[0.0] * 4] * 3}] * 2
    assert mark_games(workshop, units) == 2 * 500
    assert end_games(workshop, units) == 6 * 1_000
    assert end_games(workshop, units, "untrained") == 6 * 500


def test_why_networks_get_worse_is_told_from_verdicts():
    def found(**verdicts):
        names = ("trend", "after-the-best", "net-wanders", "smaller-steps", "get-lead")
        return {
            name: Claim(name, "", None, -0.4, (-0.7, -0.1), 9, verdicts.get(name.replace("-", "_"), "unclear"))
            for name in names
        }

    assert "no trend" in _answer(found())
    assert "one weight" not in _answer(found())
    assert "(correlation -0.40 [-0.70, -0.10])" in _answer(found(get_lead="holds"))
    assert "get worse with training" in _answer(found(trend="holds"))
    assert "smaller steps" not in _answer(found(smaller_steps="holds"))


def test_variation_between_marks_is_more_than_chance_in_games():
    still, moving = unit([0] * 4, [0.1, -0.1, 0.1, -0.1]), unit([0] * 4, [1.0, -1.0, 1.0, -1.0])
    spreads = wander([still, moving], 0)
    assert spreads[0] < 0.06
    assert spreads[1] == pytest.approx(np.sqrt(4 / 3 - 0.01))


def test_the_preference_for_the_lead_is_that_of_the_network():
    """Against the compiled network, whose state when a deal begins has no active input."""
    learner = net_learner("N")
    weights = make_learner(NET, learner.settings, 7).weights
    hidden, inputs = learner.settings.hidden, len(learner.settings.inputs)
    out, total = [], hidden * (inputs + 1)
    units = [1 / (1 + math.exp(-weights[h * (inputs + 1) + inputs])) for h in range(hidden)]
    for piece in range(9):
        row = weights[total + piece * (hidden + 1) : total + (piece + 1) * (hidden + 1)]
        out.append(1 / (1 + math.exp(-(sum(a * b for a, b in zip(row[:-1], units, strict=True)) + row[-1]))))
    others = [value for piece, value in enumerate(out) if piece != GET_LEAD]
    assert lead_preference(learner, weights) == pytest.approx(out[GET_LEAD] - sum(others) / 8)


EXPECTED = {
    "figure-2": (7, 1, 1), "figure-3": (7, 0, 1), "table-1": (4, 1, 1), "peaks": (6, 1, 0), "statements": (6, 1, 0),
    "overtraining": (5, 1, 1), "controls": (5, 1, 0), "readings": (5, 1, 0),
}  # fmt: skip
"""Claims, tables and figures of each experiment."""


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_experiments_in_a_hurry(tmp_path_factory, name):
    shop = Workshop(tmp_path_factory.getbasetemp() / "shared", seed=3, quick=True, tell=lambda line: None)
    found = advice.PAPER.choose(name)[0].run(shop)
    assert (len(found.claims), len(found.tables), len(found.figures)) == EXPECTED[name]
    for claim in found.claims:
        assert claim.runs == 3
        if claim.ci95 is not None:
            assert claim.ci95[0] <= claim.measured <= claim.ci95[1]
    for figure in found.figures:
        assert len(figure.curves) <= 5
