"""Units: what single runs showed, kept as lines of JSON from which reports resume."""

from __future__ import annotations

import json

import numpy as np
import pytest

from heartlab.cli.reproduce import run_reproduction
from heartlab.reproduction import Experiment, Findings, Paper, Workshop, registry
from heartlab.reproduction.claims import less_claim
from heartlab.reproduction.kept import Kept
from heartlab.reproduction.units import Unfinished, run_units
from heartlab.util.executor import LocalExecutor


def quiet(folder, **options):
    return Workshop(folder, tell=lambda line: None, **options)


class Work:
    """Counts the runs that are worked on."""

    def __init__(self):
        self.runs = []

    def __call__(self, shop, run):
        self.runs.append(run)
        return {"x": np.array([run / 3, 1.0]), "inner": {"y": run}}


@pytest.mark.parametrize("threads", [1, 3])
def test_finished_runs_are_not_repeated(tmp_path, threads):
    work = Work()
    executor = LocalExecutor(threads) if threads > 1 else None
    for runs in (2, 4, 4):
        shop = quiet(tmp_path, executor=executor)
        units = run_units(shop, "toy", {"deals": 10}, runs, work)
        assert [unit["inner"]["y"] for unit in units] == list(range(runs))
    assert sorted(work.runs) == [0, 1, 2, 3]
    assert units[1]["x"] == [0.33333, 1.0]
    assert (shop.fresh, shop.found) == (0, 4)
    run_units(quiet(tmp_path), "toy", {"deals": 11}, 1, work)  # another setting is another unit
    run_units(quiet(tmp_path, seed=1), "toy", {"deals": 10}, 1, work)
    assert len(work.runs) == 6
    if executor:
        executor.close()


def test_runs_that_several_experiments_use_count_once(tmp_path):
    work = Work()
    run_units(quiet(tmp_path), "toy", {}, 2, work)
    path = tmp_path / "units.jsonl"
    lines = [{**json.loads(line), "seconds": 5.0} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    shop = quiet(tmp_path)
    for _ in range(3):
        run_units(shop, "toy", {}, 2, work)
    assert (shop.found, shop.fresh, shop.seconds) == (2, 0, 10.0)
    run_units(shop, "toy", {}, 3, work)
    run_units(shop, "toy", {}, 3, work)
    assert (shop.found, shop.fresh) == (2, 1)


def test_a_torn_line_costs_one_run(tmp_path):
    work = Work()
    run_units(quiet(tmp_path), "toy", {}, 3, work)
    path = tmp_path / "units.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert len(run_units(quiet(tmp_path), "toy", {}, 3, work)) == 3
    assert sorted(work.runs) == [0, 1, 2, 2]
    again = run_units(quiet(tmp_path), "toy", {}, 3, work)
    assert sorted(work.runs) == [0, 1, 2, 2]
    assert [unit["inner"]["y"] for unit in again] == [0, 1, 2]


def test_reports_of_finished_runs_only(tmp_path, monkeypatch, capsys):
    def measure(name):
        def run(shop):
            units = run_units(shop, name, {}, shop.size(4, 4), lambda shop, run: {"x": -1.0 - run / 10})
            return Findings([less_claim(f"{name}/a", "less", [unit["x"] for unit in units], 4, "", margin=0.1)])

        return run

    paper = Paper("toy", "A toy", [Experiment(name, "an experiment", measure(name)) for name in ("one", "two")])
    monkeypatch.setitem(registry.PAPERS._things, "toy", paper)
    common = {"quick": True, "seed": 0, "threads": 1, "folder": tmp_path / "out", "kept": tmp_path / "kept"}
    run_reproduction("toy/one", **common, report_json=None)
    seen = []
    run_reproduction("toy", **common, finished=True, report_json=seen.append)
    assert [claim["id"] for claim in seen[0]["claims"]] == ["one/a"]
    assert seen[0]["claims"][0]["runs"] == 4
    assert seen[0]["missing"] == {"two": "0 of 4 runs of two are finished"}
    assert "two is not finished: 0 of 4 runs" in capsys.readouterr().err
    assert "## Not measured yet" in (tmp_path / "out" / "toy.md").read_text()
    (tmp_path / "out" / "toy-two.md").write_text("measured before")
    run_reproduction("toy", **common, finished=True, report_json=seen.append)
    text = (tmp_path / "out" / "toy.md").read_text()
    assert "[two](toy-two.md)" in text
    assert "## Not measured yet" not in text
    assert len((tmp_path / "kept" / "toy.jsonl").read_text().splitlines()) == 4


def test_nothing_is_worked_on_where_only_finished_runs_are_wanted(tmp_path):
    work = Work()
    with pytest.raises(Unfinished, match="0 of 3 runs of toy are finished"):
        run_units(quiet(tmp_path, only_kept=True), "toy", {}, 3, work)
    assert work.runs == []


def test_some_runs_now_and_others_later(tmp_path):
    work = Work()
    with pytest.raises(Unfinished, match="1 of 4 runs of toy are finished"):
        run_units(quiet(tmp_path, most_runs=1), "toy", {}, 4, work)
    assert len(run_units(quiet(tmp_path, most_runs=3), "toy", {}, 4, work)) == 3
    assert len(run_units(quiet(tmp_path), "toy", {}, 4, work)) == 4
    assert work.runs == [0, 1, 2, 3]


@pytest.mark.parametrize("threads", [1, 2])
def test_parts_are_not_worked_on_either(tmp_path, threads):
    executor = LocalExecutor(threads) if threads > 1 else None
    shop = quiet(tmp_path, only_kept=True, executor=executor)
    with pytest.raises(Unfinished, match=r"not there"):
        shop.parts([("one", {}, lambda: {"x": np.zeros(1)})])
    if executor:
        executor.close()


def test_lines_say_at_which_commit_they_were_measured(tmp_path):
    path = tmp_path / "units.jsonl"
    run_units(quiet(tmp_path), "toy", {}, 1, Work())
    line = json.loads(path.read_text())
    assert set(line) == {"unit", "run", "key", "commit", "seconds", "found"}
    path.write_text(json.dumps({**line, "commit": "abc"}) + "\n")
    kept = Kept(path)
    assert kept.commits == set()
    assert kept.find(line["key"]).found == {"x": [0.0, 1.0], "inner": {"y": 0}}
    assert kept.commits == {"abc"}
