"""The reproduction of Banerjee and Stone: its parts, its claims, and what must come out whatever the sample."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from heartlab.cli.reproduce import run_reproduction
from heartlab.learners.transfer import beyond as ggp_beyond
from heartlab.learners.transfer import table_1 as ggp_table
from heartlab.learners.transfer.claims import PAPER, _share_claim
from heartlab.learners.transfer.series import (
    CONTROL,
    FIGURES,
    HEADLINE,
    Rewards,
    Source,
    curve,
    decided,
    difference,
    everywhere,
    independent,
    mean_of,
    order_claim,
    over_runs,
    series,
    transfer,
    units,
)
from heartlab.learners.transfer.settings import Opponent, Reading
from heartlab.learners.transfer.table_1 import PRINTED, PRINTED_VALUES, WITHOUT_FEATURES, WITHOUT_OPPONENT, rms
from heartlab.learners.transfer.variants import SET_UPS
from heartlab.reproduction.claims import above, below
from heartlab.reproduction.parts import Workshop
from heartlab.util.statistics import Estimate, estimate, t_quantile

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("parts"), seed=3, quick=True, tell=lambda line: None)


def test_every_figure_of_the_paper_is_an_experiment():
    names = [experiment.name for experiment in PAPER.experiments]
    assert names[:6] == ["table-1", *FIGURES]
    assert len(names) == len(set(names))


def test_series_are_paired_and_found_again(shop):
    arm = transfer(Reading.LOOK_UP)
    first = series(shop, "connect3", Opponent.EPS_GREEDY, arm)
    assert first.values.shape == (6, 300)
    assert first.groups == 2
    assert set(np.unique(first.values)) <= {0, 50, 100}
    fresh = shop.fresh
    again = series(shop, "connect3", Opponent.EPS_GREEDY, arm)
    assert (shop.fresh, again.values.tolist()) == (fresh, first.values.tolist())
    control = series(shop, "connect3", Opponent.EPS_GREEDY, CONTROL)
    gap = difference(first, control, 1, 100)
    assert gap.mean == pytest.approx(mean_of(first, 1, 100).mean - mean_of(control, 1, 100).mean)
    assert gap.mean > 0
    shown = curve("x", first, start=11)
    assert control.groups == 0
    assert shown.y[-1] == pytest.approx(first.values.mean())
    assert (shown.x[0], shown.x[-1]) == (11, 300)


def test_printed_values_are_used(shop):
    assert PRINTED_VALUES[Opponent.WEAK]["{L, N{W,N}}"] == PRINTED["{L, N{W,N}}"][2] == 58.16
    printed = replace(transfer(Reading.LOOK_UP), source=None, printed=PRINTED_VALUES)
    model = printed.models(shop, Opponent.RANDOM)[0]
    assert len(model.features["random"]) == 12
    assert mean_of(series(shop, "capturego", Opponent.RANDOM, printed)).mean > 60


def test_pooled_sources_leave_nothing_out(shop):
    models = Source(("tictactoe", "capturego"), groups=2, runs=2).models(shop)
    assert [model.games for model in models] == [["tictactoe", "capturego"]] * 2
    assert set(PRINTED) - set(models[0].features["random"]) == set()
    assert models[0].features != models[1].features


def rewards(dice, runs=40, groups=0, luck=0.0, level=50.0):
    """Rewards whose runs differ by chance, and by the luck of the model that they share."""
    shared = dice.normal(0.0, luck, groups)[np.arange(runs) % groups] if groups else np.zeros(runs)
    noise = dice.normal(0.0, 5.0, (runs, 3))
    return Rewards(np.clip(level + shared[:, None] + noise, 0, 100).astype(np.uint8), groups)


def test_runs_that_share_a_model_are_one_unit():
    """A model's luck moves all runs that begin with it: intervals over runs would be far too short."""
    values = np.tile([0.0, 1.0, 5.0, 6.0], 3)
    assert over_runs(values, 4) == estimate(np.array([0.0, 1.0, 5.0, 6.0]))
    assert over_runs(values, 0) == over_runs(values, 12) == over_runs(values, 3) == estimate(values)
    dice = np.random.default_rng(1)
    covered, naive = 0, 0
    for _ in range(200):
        ours, control = rewards(dice, groups=5, luck=6.0), rewards(dice)
        low, high = difference(ours, control).ci95
        covered += low <= 0 <= high
        low, high = estimate(ours.means() - control.means()).ci95
        naive += low <= 0 <= high
    assert covered >= 180
    assert naive < 150
    many = rewards(dice, groups=20)
    assert difference(ours, many).n == 5, "numbers that differ modulo 5 share neither model"
    assert (difference(control, control).n, mean_of(ours).n) == (40, 5)
    assert units(ours, control) == "40 runs in 5 groups that share a model"
    assert units(control, control) == "40 runs"
    assert (independent(ours, control), independent(control, control), independent(many)) == (5, 40, 20)
    claim = order_claim("a/b", "", ours, control)
    assert claim.runs == 5, "whichever interval is wider, runs that share a model are not independent"
    assert mean_of(many.first(10)).n == 10


def test_bands_are_wider_over_few_units():
    dice = np.random.default_rng(2)
    few = rewards(dice, runs=4)
    shown = curve("x", few, start=1)
    means = few.means()
    assert shown.high[-1] - shown.y[-1] == pytest.approx(t_quantile(0.975, 3) * means.std(ddof=1) / 2)
    assert t_quantile(0.975, 3) > 3


def test_the_bound_of_the_table_is_what_knowing_no_opponents_reaches():
    assert pytest.approx(WITHOUT_OPPONENT, abs=0.05) == 3.9
    assert pytest.approx(WITHOUT_FEATURES, abs=0.05) == 6.9
    flat = [np.mean(row) - value for row in PRINTED.values() for value in row]
    assert rms(flat) == WITHOUT_OPPONENT
    shapes = {shape: [Estimate(float(np.mean(row)), 0.1, 20)] * 3 for shape, row in PRINTED.items()}
    order = ggp_table._best_forks(shapes)
    errors = [shapes[one][place].mean - PRINTED[two][place] for one, two in order.items() for place in range(3)]
    assert rms(errors) >= WITHOUT_OPPONENT, "also with the forks in another order"


def test_everywhere_means_in_every_case():
    up, level, down = Estimate(1.0, 0.1, 30), Estimate(0.05, 0.1, 30), Estimate(-1.0, 0.1, 30)
    assert everywhere("a/b", "", {"one": up, "two": up}, "").verdict == "holds"
    claim = everywhere("a/b", "", {"one": up, "two": level}, "all")
    assert (claim.verdict, claim.measured) == ("unclear", 0.05)
    assert claim.note == "the lowest of 2 intervals: two; above zero in 1; all; 30 runs cannot tell"
    claim = everywhere("a/b", "", {"one": level, "two": down, "three": up}, "")
    assert (claim.verdict, claim.measured) == ("fails", -1.0)


def test_search_of_equal_depth_is_what_transfer_has_to_beat(monkeypatch):
    """Habits that are level with minimax add nothing, however far both are ahead of the control."""
    dice = np.random.default_rng(3)
    levels = {"control": 50, "minimax-2": 60, "paper": 65, "minimax-4": 80, "habits-4": 80}
    found = {name: rewards(dice, level=float(level)) for name, level in levels.items()}
    monkeypatch.setattr(ggp_beyond, "_cell", lambda shop, target, opponent: found)
    claims = {claim.id: claim for claim in ggp_beyond.aim(None).claims}
    assert claims["beyond/aim/adds-everywhere"].verdict != "holds"
    assert abs(claims["beyond/aim/adds-everywhere"].measured) < 5
    gains = re.findall(r"gain ([+\d.]+) to [+\d.]+, minimax alone ([+\d.]+)", claims["beyond/aim/adds-everywhere"].note)
    assert [abs(float(gain) - 30) < 5 for gain in gains[0]] == [True, True]
    assert claims["beyond/aim/features-add-everywhere"].verdict == "holds"
    assert claims["beyond/aim/connect3-weak-beats-minimax-2"].verdict == "holds"
    monkeypatch.setattr(ggp_beyond, "TARGETS", ("connect3",))
    levels = {"terminal-only": 50, "look-ahead": 70, "habits": 70}
    found = {name: rewards(dice, level=float(level)) for name, level in levels.items()}
    monkeypatch.setattr(ggp_beyond, "_run", lambda shop, target, opponent, arm: found[arm.settings.learner.text])
    for claim in ggp_beyond.adaptive(None).claims:
        assert claim.verdict != "holds"
        assert abs(claim.measured) < 5
        assert "minus the control that only knows ended games: +" in claim.note


def test_verdicts_follow_from_what_was_earned():
    dice = np.random.default_rng(4)
    better, worse = rewards(dice, level=60.0), rewards(dice, level=50.0)
    level, luck = Rewards(better.values + np.uint8(1)), rewards(dice, level=60.3, groups=4, luck=3.0)
    pairs = ((better, worse), (worse, better), (better, better), (level, better), (luck, better))
    claims = [order_claim("a/b", "", *pair) for pair in pairs]
    assert [claim.verdict for claim in claims] == ["holds", "fails", "fails", "holds", "unclear"]
    assert "4 runs cannot tell whether there is a gain of 0.5" in claims[-1].note
    assert claims[0].measured == pytest.approx(better.values.mean() - worse.values.mean())
    assert claims[0].n == 40


def test_other_set_ups_reach_source_and_target(shop):
    usual = transfer(Reading.LOOK_UP, Source(groups=2, runs=2))
    second = SET_UPS["second"].apply(usual)
    assert (second.settings.role, second.source.settings.role) == (1, 1)
    features = [one.models(shop, Opponent.RANDOM)[0].features["random"] for one in (usual, second)]
    assert set(features[0]) <= set(PRINTED)
    assert not set(features[1]) <= set(PRINTED), "who moves second meets other shapes"
    first, other = (series(shop, "capturego", Opponent.EPS_GREEDY, arm).values for arm in (usual, second))
    assert first.tolist() != other.tolist()
    assert SET_UPS["suicide"].figures() == {"figure-5": ("capturego-suicide", Opponent.EPS_GREEDY)}
    assert SET_UPS["suicide"].apply(usual) == usual


@pytest.mark.parametrize("name", ["table-1", "figure-6", "outcomes"])
def test_reports(name, tmp_path):
    reports = []
    run_reproduction(f"ggp-transfer/{name}", quick=True, seed=2, threads=2, folder=tmp_path, report_json=reports.append)
    claims = {claim["id"]: claim for claim in reports[0]["claims"]}
    assert reports[0]["quick"]
    if name == "table-1":
        assert claims["table-1/twelve-features"]["measured"] == 12
        own, every = (claims.pop(name) for name in ("table-1/values", "readings/table-1/values-all-plies"))
        assert every["measured"] < WITHOUT_OPPONENT < own["measured"], "every move fits the printed values better"
        for claim in (own, every):
            assert claim["ci95"][0] < claim["measured"] < claim["ci95"][1]
            assert claim["verdict"] == below(claim["ci95"], WITHOUT_OPPONENT)
        assert claims["table-1/undecidable-weak-above-random"]["measured"] > 0
    for claim in claims.values():
        if claim["margin"] is not None:
            assert claim["verdict"] == decided(SimpleNamespace(ci95=claim["ci95"]))
        elif claim["ci95"]:
            assert claim["verdict"] == above(claim["ci95"])
    if name == "figure-6":
        kinds = {"transfer-beats-look-ahead": "{}figure-6/{}{}", "features-add": "control/figure-6/{1}{2}"}
        assert set(claims) == {
            shape.format("readings/" if end else "", what, end)
            for what, shape in kinds.items()
            for end in ("", "-literal", "-look-up")
        }
        assert (tmp_path / "ggp-transfer-figure-6-readings.svg").is_file()
    if name == "outcomes":
        assert {claim["origin"] for claim in claims.values()} == {"beyond"}
        assert claims["beyond/outcomes/weak"]["measured"] > 3
    text = (tmp_path / f"ggp-transfer-{name}.md").read_text()
    assert "This is a quick run" in text
    assert json.loads((tmp_path / f"ggp-transfer-{name}.json").read_text())["paper"] == "ggp-transfer"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"), [("cost", 12), ("beyond-large", 12), ("beyond-matrix", 1), ("beyond-recall", 9)]
)
def test_wider_experiments(name, count, shop):
    found = PAPER.choose(name)[0].run(shop)
    assert len(found.claims) == count
    assert len({claim.id for claim in found.claims}) == count
    for claim in found.claims:
        assert claim.origin == ("control" if name == "cost" else "beyond")
        assert claim.ci95[0] <= claim.measured <= claim.ci95[1]
    for table in found.tables:
        assert all(len(row) == len(table.head) for row in table.rows)


def test_a_gain_that_is_not_worth_mentioning_fails():
    assert decided(Estimate(1.0, 0.1, 100)) == "holds"
    assert decided(Estimate(0.1, 0.1, 100)) == "fails", "half a point is excluded"
    assert decided(Estimate(0.4, 0.3, 100)) == "unclear"


def test_the_share_of_the_end():
    """Rewards of 95 from match 51 on are 95 % of the end's 100, and no more."""
    values = np.full((4, 3000), 100, np.uint8)
    values[:, :100] = 96
    values[:2, 50:100] = 97
    claim = _share_claim("figure-3", "connect3", Rewards(values), HEADLINE)
    assert claim.measured == pytest.approx(1.5)
    assert claim.verdict == "holds"
    assert claim.id == "figure-3/95-of-the-end-in-100-matches"
