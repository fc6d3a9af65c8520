"""Experiments: verdicts from intervals, parts that are done once, reports in the promised shape."""

from __future__ import annotations

import json

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from heartlab.cli.reproduce import run_reproduction
from heartlab.reproduction import Claim, Experiment, Findings, Paper, Workshop, registry
from heartlab.reproduction.claims import (
    above,
    all_of,
    below,
    less_claim,
    more_claim,
    same_claim,
    size_of,
    within,
)
from heartlab.reproduction.drawing import _draw, style_of
from heartlab.reproduction.kept import source_commit
from heartlab.reproduction.registry import Curve, Figure, PaperError, Table
from heartlab.reproduction.report import _runs_sentence, claims_summary, claims_tables, claims_text, opening


def test_verdicts_follow_from_intervals():
    assert [above(ci) for ci in [(0.1, 1.0), (-1.0, -0.1), (-0.1, 0.1)]] == ["holds", "fails", "unclear"]
    assert [below(ci, 2.0) for ci in [(1.0, 1.9), (2.1, 3.0), (1.9, 2.1)]] == ["holds", "fails", "unclear"]
    assert [within(ci, 1, 2) for ci in [(1.1, 1.9), (2.1, 3.0), (1.9, 2.1)]] == ["holds", "fails", "unclear"]
    assert all_of(["holds", "unclear"]) == "unclear"
    assert all_of(["holds", "unclear", "fails"]) == "fails"
    assert all_of([]) == "holds"


def test_verdicts_over_runs_compare_sizes_with_what_was_published():
    """Student's t over runs; a tenth of the published effect is no plain "holds"."""
    small = less_claim("a/b", "less", [-0.11, -0.10, -0.09], 300, "points", margin=0.1, published=-1.0)
    assert (small.verdict, small.ruling, small.runs) == ("holds", "holds, smaller", 3)
    assert small.ci95 == pytest.approx((-0.1 - 0.01 / 3**0.5 * 4.3027, -0.1 + 0.01 / 3**0.5 * 4.3027), abs=1e-5)
    assert less_claim("a/b", "less", [-1.1, -1.0, -0.9], 300, "", margin=0.1, published=-1.0).ruling == "holds"
    assert less_claim("a/b", "less", [-0.01, 0.0, 0.01], 300, "", margin=0.1).verdict == "fails"
    unclear = less_claim("a/b", "less", [-1.0, 0.0, 1.0], 300, "points", margin=0.1)
    assert (unclear.verdict, unclear.note) == (
        "unclear",
        "points; 3 runs cannot tell whether there is an effect of 0.1",
    )
    more = more_claim("a/b", "more", [0.11, 0.10, 0.09], 300, "", margin=0.05, published=0.5)
    assert (more.ruling, more.published, more.measured) == ("holds, smaller", 0.5, pytest.approx(0.1))
    assert more.ci95[0] < 0.1 < more.ci95[1]
    for values, verdict in (([0.1, 0.1, 0.12], "holds"), ([1, 1.1, 0.9], "fails"), ([0, 1, 2], "unclear")):
        same = same_claim("a/b", "", values, 9, "", margin=0.3)
        assert same.verdict == verdict
        assert same.note == "; holds: within 0.3" + (", which 3 runs cannot tell" if verdict == "unclear" else "")
    about = [less_claim("a/b", "", [-1.2, -1.15, -1.1], 9, "", margin=0.1, published=-1.0, about=far).size
             for far in (0.0, 0.1)]  # fmt: skip
    assert about == ["larger", "as published"]
    wide = more_claim("a/b", "", [-0.1, 0.0, 0.1], 9, "", margin=0.02, published=0.5)
    assert wide.ruling == "unclear, smaller", "what is published is excluded, a small effect is not"
    assert size_of((-0.04, -0.01), None, 0.05) == "within the margin"
    assert size_of((2.0, 3.0), 1.0) == "larger"


def test_claims_become_json():
    claim = Claim("a/b", "says", 1.5, float("nan"), (-float("inf"), 2.0), 10, "unclear")
    text = json.dumps(claim.to_dict(), allow_nan=False)
    assert json.loads(text)["ci95"] == [None, 2.0]


def test_the_papers_claims_are_counted_apart():
    def claim(identity, verdict):
        return Claim(identity, "", None, 1.0, (0.0, 2.0), 10, verdict)

    papers = [claim("figure-1/a", "holds"), claim("figure-1/b", "fails"), claim("beyondish/c", "holds")]
    ours = [claim("readings/figure-1/a", "fails"), claim("controls/x", "unclear"), claim("control/figure-1/y", "holds")]
    ours += [claim("beyond/z", "holds")]
    assert [one.origin for one in papers + ours] == ["paper"] * 3 + ["reading", "control", "control", "beyond"]
    text = claims_summary(papers + ours)
    assert "Of the paper's 3 claims 2 hold, 1 fail, 0 remain unclear." in text
    assert (
        "Of 4 statements of our own (1 other readings of the paper's, 2 controls, 1 beyond the paper) 2 hold, 1 fail, "
        "1 remain unclear." in text
    )
    assert "our own" not in claims_summary(papers)
    assert "the paper's" not in claims_summary(ours[1:])


def test_what_is_not_the_papers_stands_below():
    names = ["readings/figure-1/a", "figure-1/a", "control/figure-1/b", "figure-1/c"]
    lines = claims_tables([Claim(name, name, None, 1.0, (0.5, 1.5), 10, "holds") for name in names])
    rows = [line.split(" | ")[:2] for line in lines if line.startswith("| ") and "claim" not in line]
    assert rows == [["| 1", "figure-1/a"], ["| 2", "figure-1/c"], ["| 3", names[0]], ["| 4", names[2]]]
    assert lines.index("2. `figure-1/c`") < lines.index("Not the paper's: other readings, controls, further steps.")
    assert not any(
        "Not the paper's" in line for line in claims_tables([Claim("beyond/x", "", None, 1.0, None, 1, "holds")])
    )
    assert claims_tables([]) == []


def test_the_first_screen_is_three_sentences_a_table_and_a_figure():
    claims = [Claim("figure-1/a", "it wins", 1.0, 0.5, (0.4, 0.6), 10, "holds", runs=5)]
    figures = {"curve": Figure("curve", "A curve", "games", "points", [])}
    paper = Paper(
        "toy", "A toy", [], about="It says so.", basis="Numbers are points.", remark=lambda found: "It is so."
    )
    assert opening(paper, claims, figures) == [
        "# A toy",
        "",
        "It says so. Of its 1 claims 1 hold, none fail, and none remain unclear. It is so.",
        "",
        "| claim | published | ours | runs | verdict |",
        "|---|---|---|---|---|",
        "| it wins | 1 | 0.50 [0.40, 0.60] | 5 | holds |",
        "",
        "![A curve](toy-curve.png)",
        "",
        "Numbers are points. Intervals are 95 % over 5 independent training runs (Student's t).",
        "",
    ]


def test_two_published_values_are_no_curve():
    few = style_of(Curve("published", [1, 2], [1, 2], published=True))
    many = style_of(Curve("published", [1, 2, 3, 4], [1, 2, 3, 4], published=True))
    assert (few["linestyle"], many["linestyle"], many["marker"]) == ("none", "--", "")
    assert few["marker"]
    assert style_of(Curve("ours", [1, 2], [1, 2])) == {"marker": "."}
    assert style_of(Curve("ours", range(99), range(99), colour=3)) == {"marker": "", "color": "C3"}
    assert style_of(Curve("ours", range(99), range(99)), marked=True) == {"marker": "."}


def _labels(figure):
    canvas = Canvas()
    axes = canvas.add_subplot()
    _draw(figure, axes)
    canvas.draw_without_rendering()
    return [label.get_text() for label in axes.get_xticklabels() if label.get_text()]


def test_a_figure_has_at_most_five_curves():
    curves = [Curve(name, [1, 2], [1, 2]) for name in "abcdef"]
    assert len(Figure("f", "", "", "", curves[:5]).curves) == 5
    with pytest.raises(ValueError, match="the figure f has 6 curves; at most 5 are readable"):
        Figure("f", "", "", "", curves)


def test_axes_have_plain_numbers_and_names():
    def figure(x, **more):
        return Figure("f", "", "", "", [Curve("a", x, x), Curve("b", x, x)], **more)

    assert {"1,000", "10,000", "100,000"} <= set(_labels(figure([1_000, 200_000], log_x=True)))
    assert _labels(figure([10_000, 20_000, 50_000], log_x=True)) == ["10,000", "20,000", "50,000"]
    assert "50,000" in _labels(figure([0, 200_000]))
    assert {"10", "100"} <= set(_labels(figure([10, 500], log_x=True)))
    assert _labels(figure([1, 2], ticks=["two", "four"])) == ["two", "four"]


@pytest.mark.parametrize(
    ("measured", "interval", "shown"),
    [
        (14.936, (14.884, 14.988), "14.94 [14.88, 14.99]"),
        (-0.317, (-0.417, -0.218), "-0.32 [-0.42, -0.22]"),
        (0.2576, (0.2561, 0.2591), "0.2576 [0.2561, 0.2591]"),
        (970.2, (856.0, 1084.4), "970 [856, 1,084]"),
        (-0.00003, (-0.00088, 0.00082), "0.0000 [-0.0009, 0.0008]"),
        (0.0159, (0.0004, 0.0314), "0.0159 [0.0004, 0.0314]"),
        (2.0, (2.0, 2.0), "2.00 [2.00, 2.00]"),
        ("3 of 4", None, "3 of 4"),
        (1_830, None, "1,830"),
    ],
)
def test_numbers_have_the_decimals_that_their_interval_deserves(measured, interval, shown):
    claim = Claim("a/b", "sums", 14.93, measured, interval, 30, "holds")
    assert f"| {shown} |" in claims_tables([claim])[2]
    (_, line) = claims_text([claim])
    assert line.strip().startswith(shown.partition(" [")[0])
    assert line.endswith("n = 30 (published 14.93)")


def test_published_numbers_have_no_digits_of_ours():
    for published, shown in (
        (-1.0, "-1"),
        (0.2446, "0.2446"),
        (523_685, "523,685"),
        (6.35 - 7.3, "-0.95"),
        (None, "–"),
    ):
        (row,) = [line for line in claims_tables([Claim("a/b", "x", published, 1.0, None, 9, "holds")]) if "x" in line]
        assert row.split(" | ")[2] == shown


class Counter:
    """Work that counts how often it is done."""

    def __init__(self, value=1.0):
        self.calls, self.value = 0, value

    def __call__(self):
        self.calls += 1
        return {"x": np.full(3, self.value)}


@pytest.mark.parametrize("threads", [1, 3])
def test_parts_are_done_once(tmp_path, threads):
    work = [Counter(float(i)) for i in range(5)]
    jobs = [("train/run", {"number": i}, one) for i, one in enumerate(work)]
    for _ in range(2):
        workshop = Workshop(tmp_path, seed=4, threads=threads, tell=lambda line: None)
        found = workshop.parts(jobs)
        assert [part["x"][0] for part in found] == [0, 1, 2, 3, 4]
    assert [one.calls for one in work] == [1] * 5
    assert (workshop.fresh, workshop.found) == (0, 5)
    Workshop(tmp_path, seed=5, tell=lambda line: None).part(*jobs[0])
    assert work[0].calls == 2
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    said = []
    Workshop(tmp_path, seed=4, tell=said.append).part(*jobs[1])
    assert work[1].calls == 2
    assert "damaged" in said[0]


def _toy(workshop: Workshop) -> Findings:
    part = workshop.part("toy", {"n": workshop.size(1000, 10)}, Counter(2.5))
    mean = float(part["x"].mean())
    claim = Claim(
        "toy/above-two", "it is above two", 3.1, mean, (2.4, 2.6), workshop.size(1000, 10), above((2.4, 2.6), 2)
    )
    figure = Figure("curve", "A curve", "games", "points", [Curve("a", [1, 10], [1, 2], [0, 1], [2, 3])], log_x=True)
    return Findings([claim], [Table("T", ["a|b", "c"], [["1", "2"]])], [figure], ["A note."])


@pytest.fixture
def toy_paper(monkeypatch):
    paper = Paper("toy", "A toy", [Experiment("one", "the only one", _toy)])
    monkeypatch.setitem(registry.PAPERS._things, "toy", paper)
    return paper


def test_a_reproduction_writes_its_report(tmp_path, toy_paper, capsys):
    seen = []
    for _ in range(2):
        run_reproduction("toy/one", quick=True, seed=7, threads=1, folder=tmp_path, report_json=seen.append)
    assert seen[0]["claims"] == seen[1]["claims"]
    out, err = capsys.readouterr()
    assert out == ""
    assert "This is a quick run" in err
    assert "0 parts done, 1 found finished" in err
    found = json.loads((tmp_path / "toy.json").read_text())
    assert (found["paper"], found["quick"], found["seed"]) == ("toy", True, 7)
    assert found["claims"] == [
        {
            "id": "toy/above-two",
            "statement": "it is above two",
            "published": 3.1,
            "measured": 2.5,
            "ci95": [2.4, 2.6],
            "n": 10,
            "verdict": "holds",
            "note": "",
            "runs": None,
            "size": "",
            "margin": None,
            "disputed": False,
            "origin": "paper",
        }
    ]
    assert found["commit"] == source_commit()
    text = (tmp_path / "toy.md").read_text()
    assert "This is a quick run" in text
    first_screen = text.partition("## ")[0]
    assert "Of its 1 claims 1 hold, none fail, and none remain unclear." in first_screen
    assert "| it is above two | 3.1 | 2.50 [2.40, 2.60] | – | holds |" in first_screen
    assert "![A curve](toy-curve.png)" in first_screen
    assert "heartlab reproduce toy/one --seed 7 --quick" in text
    assert "a\\|b" in text
    assert (tmp_path / "toy-curve.svg").read_text().startswith("<?xml")
    assert (tmp_path / "toy-curve.png").read_bytes().startswith(b"\x89PNG")


def test_a_report_about_some_experiments_does_not_replace_the_whole_one(tmp_path, toy_paper, monkeypatch):
    three = [Experiment(name, "one of three", _toy) for name in ("one", "two", "three")]
    monkeypatch.setitem(registry.PAPERS._things, "toy", Paper("toy", "A toy", three))
    for name in ("toy", "toy/two", "toy/two,three"):
        run_reproduction(name, quick=True, seed=7, threads=1, folder=tmp_path, report_json=lambda report: None)
    texts = {path.name: path.read_text() for path in tmp_path.glob("*.md")}
    assert {name: text.count("\n### ") for name, text in texts.items()} == {
        "toy.md": 3,
        "toy-two.md": 1,
        "toy-two-three.md": 2,
    }
    with pytest.raises(PaperError, match="toy has no experiment 'four'; it has one, two, three"):
        run_reproduction("toy/two,four", quick=True, seed=7, threads=1, folder=tmp_path, report_json=None)


def test_wrong_names_list_the_known_ones(tmp_path, toy_paper):
    with pytest.raises(PaperError, match=r"no paper is called 'nix'. Known are .*toy"):
        run_reproduction("nix", quick=False, seed=0, threads=1, folder=tmp_path, report_json=None)
    with pytest.raises(PaperError, match="toy has no experiment 'two'; it has one"):
        run_reproduction("toy/two", quick=False, seed=0, threads=1, folder=tmp_path, report_json=None)


def test_one_run_is_not_called_an_interval_over_runs():
    def sentence(*runs):
        return _runs_sentence([Claim("c", "x falls", None, -1.0, (-2.0, -0.5), 10, "holds", runs=run) for run in runs])

    assert "Student's t" in sentence(5, 10)
    assert "5 to 10" in sentence(5, 10)
    assert "those of one run, over deals" in sentence(1, 10)
    assert "over 10 independent" in sentence(1, 10)
    assert "single training run" in sentence(1)
    assert "Student" not in sentence(1)
