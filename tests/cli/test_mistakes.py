"""What a newcomer types wrong, and what must not pass in silence."""

import json
import os
import subprocess
import sys

import pytest

from heartlab.cli import PIPE_CLOSED
from heartlab.training import load_model
from heartlab.training.recipes import RecipeError
from heartlab.training.sweep import MOST_RUNS, plan
from heartlab.util.errors import error_sentence


@pytest.fixture
def record(run, tmp_path):
    """A file of 14 recorded deals."""
    path = tmp_path / "deals.hearts"
    assert run("arena", "random", "gnome", "--deals", 1, "--record", path)[0] == 0
    return path


def refused(run, *line):
    """The sentence with which a command line is refused; nothing else is printed."""
    status, out, err = run(*line)
    assert (status, out) == (2, ""), err
    assert err.count("heartlab: ") == 1
    return err


@pytest.mark.parametrize("line", [["rules"], ["rules", "--json"], ["--version"]])
def test_a_reader_that_goes_away_has_an_exit_status_of_its_own(line):
    """Status 1 would say of `verify` that the proof is wrong."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "heartlab.cli", *line], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (PIPE_CLOSED, b"")


def test_sweeps_train_on_what_was_made_with_fewer_games(run, tmp_path):
    line = ("sweep", "advice-t", "--set", "test=0", "--out", tmp_path / "swept", "--games")
    assert run(*line, 20)[0] == 0
    status, out, err = run(*line, 40, "--json")
    assert status == 0
    assert "1 runs done, 0 found" in err
    assert json.loads(out)["runs"][0]["games"] == 40
    assert "0 runs done, 1 found" in run(*line, 40)[2]
    assert "40 games are done already, more than 20" in refused(run, *line, 20)
    run("train", "advice-t", "--set", "test=0", "--games", 40, "--out", tmp_path / "at-once")
    swept, at_once = (load_model(tmp_path / name) for name in ("swept/advice-t-test=0-0", "at-once"))
    assert {k: v.tolist() for k, v in swept.arrays.items()} == {k: v.tolist() for k, v in at_once.arrays.items()}


def test_sweeps_of_too_many_runs_are_refused_at_once():
    with pytest.raises(RecipeError, match="a sweep has at most"):
        plan("advice-t", range(MOST_RUNS // 2 + 1), 5, {}, {"rate": "0.1/0.2"})


def test_a_run_that_could_not_be_resumed_is_not_begun(run, tmp_path):
    assert "at most" in refused(run, "train", "advice-t", "--games", 10**16, "--out", tmp_path / "long")
    assert not (tmp_path / "long").exists()


def test_folders_and_files_are_told_apart(run, tmp_path, record):
    assert "needs a folder" in refused(run, "train", "advice-t", "--games", 5, "--out", record)
    assert "is not a folder" in refused(run, "runs", record)
    nowhere = tmp_path / "no" / "deals.jsonl"
    assert f"{nowhere.parent}: there is no such folder" in refused(
        run, "arena", "random", "gnome", "--deals", 1, "--record", nowhere
    )
    line = ("reproduce", "advice", "--quick", "--out", tmp_path / "report", "--kept")
    assert "is not a folder" in run(*line, record)[2]
    assert "there is no such folder" in run(*line, tmp_path / "no", "--finished")[2]
    assert not (tmp_path / "report").exists()


def test_parameters_are_set_once(run):
    assert "duplicate --set rate: 0.1 and 0.2" in refused(
        run, "train", "advice-t", "--set", "rate=0.1", "--set", "rate=0.2"
    )


def test_options_that_would_have_no_effect_are_refused(run, record):
    seat = json.loads(run("analyse", record, "--at", 1, "--player", "sage:worlds=2", "--json")[1])["seat"]
    other = (seat + 1) % 4
    assert f"card 1 is the choice of seat {seat}" in refused(run, "analyse", record, "--at", 1, "--seat", other)
    for line in (("explain",), ("falcon", "--at", 20), ("advice", "advice-best")):
        assert "name its file" in refused(run, *line, "--deal", 3)
    assert "the paper is missing" in refused(run, "reproduce", "--quick")


def test_places_of_deals_say_how_many_there_are(run, record):
    for place in (0, 15):
        assert f"holds 14 deals, none at place {place}" in refused(run, "replay", record, "--deal", place)


def test_files_are_looked_for_before_players_are_made(run):
    assert "nowhere: No such file" in refused(run, "analyse", "nowhere", "--player", "nobody")


def test_papers_are_listed_as_json(run):
    status, out, _ = run("reproduce", "--json")
    assert status == 0
    papers = json.loads(out)
    assert list(papers) == ["advice", "falcon", "ggp-transfer", "td-features"]
    assert "figure-2" in papers["advice"]["experiments"]


def test_what_a_users_file_prints_does_not_mix_with_the_result(run, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("print('loading')\n")
    status, out, err = run("--use", mine, "rules", "--json")
    assert (status, err) == (0, "loading\n")
    assert "standard" in json.loads(out)


def test_the_kind_of_model_that_is_needed_is_a_word(run):
    assert "a model of kind td, but advice is needed" in refused(run, "advice", "td")


@pytest.mark.parametrize(
    ("module", "decorator"),
    [
        ("heartlab", "register"),
        ("heartlab.learners.td_features.features", "atom"),
        ("heartlab.search.evaluators.base", "evaluator"),
        ("heartlab.search.playouts", "policy"),
    ],
)
def test_a_decorator_without_parentheses_registers_nothing_and_says_so(run, tmp_path, module, decorator):
    mine = tmp_path / "mine.py"
    mine.write_text(f"from {module} import {decorator}\n\n@{decorator}\ndef mine(*_):\n    return 0\n")
    assert f'@{decorator} needs a name: write @{decorator}("NAME") ({mine}:3, in <module>)' in refused(
        run, "--use", mine, "rules"
    )


def test_an_error_of_ours_blames_no_line_of_ours():
    with pytest.raises(RecipeError) as caught:
        plan("advice-t", [0], 5, {"nothing": "1"}, {})
    assert "test_mistakes.py:" in error_sentence(caught.value)
