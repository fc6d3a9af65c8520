"""The reproduction of Banerjee and Stone: its parts, its claims, and what must come out whatever the sample."""

import json

import numpy as np
import pytest

from heartlab.experiments.command import run_reproduction
from heartlab.experiments.ggp_parts import Learner, Source, curve, difference, mean_of, series
from heartlab.experiments.ggp_transfer import FIGURES, PAPER, PRINTED, PRINTED_VALUES
from heartlab.experiments.parts import Workshop


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("parts"), seed=3, quick=True, tell=lambda line: None)


def test_every_figure_of_the_paper_is_an_experiment():
    names = [experiment.name for experiment in PAPER.experiments]
    assert names[:6] == ["table-1", *FIGURES]
    assert len(names) == len(set(names))


def test_series_are_paired_and_found_again(shop):
    learner = Learner("transfer", "transfer", "look-up", Source())
    first = series(shop, "connect3", "eps-greedy", learner)
    assert first.shape == (6, 300)
    assert set(np.unique(first)) <= {0, 50, 100}
    fresh = shop.fresh
    again = series(shop, "connect3", "eps-greedy", learner)
    assert (shop.fresh, again.tolist()) == (fresh, first.tolist())
    control = series(shop, "connect3", "eps-greedy", Learner("control", "terminal-only", "terminal-check"))
    gap = difference(first, control, 1, 100)
    assert gap.mean == pytest.approx(mean_of(first, 1, 100).mean - mean_of(control, 1, 100).mean)
    assert gap.mean > 0
    shown = curve("x", first, start=11)
    assert shown.y[-1] == pytest.approx(first.mean())
    assert (shown.x[0], shown.x[-1]) == (11, 300)


def test_printed_values_are_used(shop):
    assert PRINTED_VALUES["weak"]["{L, N{W,N}}"] == PRINTED["{L, N{W,N}}"][2] == 58.16
    printed = Learner("printed", "transfer", "look-up", printed=PRINTED_VALUES)
    model = printed.models(shop, "random")[0]
    assert len(model.features["random"]) == 12
    assert mean_of(series(shop, "capturego", "random", printed)).mean > 60


def test_pooled_sources_leave_nothing_out(shop):
    models = Source(("tictactoe", "capturego"), groups=2, runs=2).models(shop)
    assert [model.games for model in models] == [["tictactoe", "capturego"]] * 2
    assert set(PRINTED) - set(models[0].features["random"]) == set()
    assert models[0].features != models[1].features


@pytest.mark.parametrize("name", ["table-1", "figure-6", "outcomes"])
def test_reports(name, tmp_path):
    reports = []
    run_reproduction(f"ggp-transfer/{name}", quick=True, seed=2, threads=2, folder=tmp_path, report_json=reports.append)
    claims = {claim["id"]: claim for claim in reports[0]["claims"]}
    assert reports[0]["quick"]
    assert all(one["verdict"] in ("holds", "fails", "unclear") for one in claims.values())
    if name == "table-1":
        assert claims["table-1/twelve-features"]["measured"] == 12
        assert claims["table-1/values"]["measured"] < 5
    if name == "figure-6":
        assert {"figure-6/transfer-beats-look-ahead", "figure-6/features-add-look-up"} <= set(claims)
        assert (tmp_path / "ggp-transfer-figure-6-readings.svg").is_file()
    text = (tmp_path / f"ggp-transfer-{name}.md").read_text()
    assert "This is a quick run" in text
    assert json.loads((tmp_path / f"ggp-transfer-{name}.json").read_text())["paper"] == "ggp-transfer"
