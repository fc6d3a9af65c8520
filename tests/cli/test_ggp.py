"""`heartlab ggp ...` as a newcomer types it: results, JSON shapes, and wrong input in one sentence."""

import io
import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
from support.commands import run as run_fixture
from support.ggp_poison import address_in

from heartlab.ggp.players.terminal import picture
from heartlab.ggp.protocol.seats import RemoteSeat

run = run_fixture


def test_check_says_what_is_wrong_and_where(run, tmp_path):
    status, out, _ = run("ggp", "check", "connect3")
    assert (status, out.strip()) == (0, "connect3: 0 error(s), 0 warning(s)")
    bad = tmp_path / "bad.kif"
    bad.write_text("(role x)\n(<= (legal x ?m) (not (p ?m)))\n(<= terminal (true a))\n(goal x 100)\n")
    status, out, _ = run("ggp", "check", bad)
    assert status == 1
    assert f"{bad}:2:5: error: nothing in the body binds ?m" in out
    status, out, _ = run("ggp", "check", bad, "--json")
    found = json.loads(out)
    assert not found["valid"]
    assert {"severity", "file", "line", "column", "message"} <= set(found["findings"][0])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check", "nowhere"], "nowhere: no such file, and no game of ours; ours are breakthrough"),
        (["info", "nim", "--machine", "magic"], "no machine is called magic"),
        (["info", "nim", "--seconds", "inf"], "--seconds inf: needs a number above zero, and an end"),
        (["info", "nim", "--budget", "0"], "--budget 0.0: needs a number above zero"),
        (["match", "nim", "--player", "random"], "nim needs 2 players, not 1"),
        (["match", "nim", "-p", "random", "-p", "guru"], "no player of games is called 'guru'"),
        (["match", "nim", "-p", "random", "-p", "random", "-n", "0"], "--matches 0: needs a number above zero"),
        (
            ["match", "nim", "-p", "random", "-p", "random", "--play", "200000"],
            "--play 200000: a clock has 0.001 to 86400",
        ),
        (["match", "nim", "-p", "random", "-p", "random", "--start", "inf"], "--start inf: a clock has"),
        (["match", "nim", "-p", "random", "-p", "uct:500"], "'500' is no option of uct"),
        (["match", "nim", "-p", "random", "-p", "guru", "--browser", "--port", "0"], "called 'guru'"),
        (["match", "nim", "-p", "random", "-p", "random", "--browser", "--port", "-1"], "--port -1: a port is a"),
        (["tournament", "-p", "random", "-p", "guru", "-g", "nim", "--browser", "--port", "0"], "called 'guru'"),
        (["tournament", "-p", "random", "-p", "uct", "-g", "nim", "--browser", "--port", "70000"], "--port 70000: a"),
        (["tournament", "-p", "random", "-g", "nim", "--browser", "--port", "0"], "needs two players or more, not 1"),
        (
            ["learn", "nim", "--learner", "transfer", "--depth", "4"],
            "--depth makes no difference to the learner transfer",
        ),
        (["learn", "nim", "--depth", "4"], "--depth makes no difference to the learner baseline, which takes none"),
        (["learn", "nim", "--recall"], "--recall makes no difference"),
        (["learn", "nim", "--recognise"], "--recognise makes no difference"),
        (["learn", "nim", "--reading", "look-up"], "--reading makes no difference"),
        (["learn", "nim", "--model", "m.json"], "--model makes no difference"),
        (["learn", "nim", "--learner", "avgmax", "--recognise"], "which takes --reading, --depth, --recall"),
        (
            ["learn", "nim", "--outcomes", "50=W,50=L"],
            "the outcome '50=L' names a goal that was named before",
        ),
        (["learn", "nim", "--recording", "some"], "no recording is called 'some'; there are all, own-and-last, own"),
        (["learn", "nim", "--slips", "1.5"], "the share of slips is from 0 to 1, not 1.5"),
        (["learn", "nim", "-o", "random", "--slips", "0"], "--slips makes no difference to the opponent random"),
        (
            ["discover", "nim", "m.json", "--depth", "3"],
            "--depth 3: features look 2 plies ahead",
        ),
        (["learn", "nim", "--seed", "-1"], "--seed -1: needs a number from 0 on"),
        (["match", "nim", "-p", "random", "-p", "random", "--seed", "-1"], "--seed -1: needs a number from 0 on"),
        (["play", "nim", "--opponent", "random", "--seed", "-1"], "--seed -1: needs a number from 0 on"),
        (["serve", "random", "--port", "70000"], "--port 70000: a port is a number"),
        (["serve", "guru"], "no player of games is called 'guru'"),
        (["play", "nim", "--role", "third"], "no role is called 'third'; there are first, second"),
    ],
)
def test_wrong_input_gets_one_sentence(run, arguments, sentence):
    status, _, err = run("ggp", *arguments)
    assert status == 2
    assert err.startswith("heartlab: ")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_text_that_is_no_game(run, tmp_path):
    file = tmp_path / "odd.kif"
    file.write_bytes(b"\xff\xfe\x00(")
    assert run("ggp", "check", file)[0] == 2
    file.write_text("(role x")
    status, _, err = run("ggp", "info", file)
    assert status == 2
    assert f"{file}:1:1: this ( is never closed" in err


@pytest.mark.slow
def test_info(run):
    status, out, _ = run("ggp", "info", "nim", "--seconds", "0.1", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["roles"] == ["first", "second"]
    assert (found["machine"], found["propositions"], found["moves"]) == ("network", 22, 34)
    assert found["playouts_per_second"] > found["playouts_per_second_one_at_a_time"] > 0
    status, out, err = run("ggp", "info", "nim", "--machine", "prover", "--seconds", "0.1")
    assert "the prover, as asked" in out
    assert "the prover, as asked" in err


def test_info_says_what_the_prover_has_to_play(run, tmp_path):
    file = tmp_path / "counting.kif"
    count = "(init (count z)) (<= (next (count (s ?n))) (true (count ?n)))"
    end = "(<= terminal (true (count (s (s (s z))))))"
    file.write_text(f"(role p) (legal p go) (init a) (<= (next b) (does p go)) (goal p 50) {count} {end}")
    status, out, err = run("ggp", "info", file, "--seconds", "0.05")
    assert status == 0
    assert "left to the prover, which is slow: facts of count, terminal" in err
    shown = {line[:26].strip(): line[27:] for line in out.splitlines()}
    assert shown["machine"] == "mixed"
    assert shown["on the network"] == "facts of a, facts of b, legal, goal"
    assert shown["by the prover"] == "facts of count, terminal"


def test_lists(run):
    assert "othello6" in run("ggp", "games")[1].split()
    assert {"random", "uct", "alphabeta"} <= set(json.loads(run("ggp", "players", "--json")[1]))


@pytest.mark.slow
def test_match(run, tmp_path):
    record = tmp_path / "m.jsonl"
    status, out, _ = run(
        "ggp", "match", "tictactoe", "-p", "alphabeta", "-p", "random", "-n", 3, "--play", 1, "--scramble", "--json",
        "--record", record,
    )  # fmt: skip
    assert status == 0
    found = json.loads(out)
    assert (found["matches"], found["finished"], found["scrambled"]) == (3, 3, True)
    assert found["players"][0]["name"] == "alphabeta"
    assert found["players"][0]["mean"] > 50
    assert len(record.read_text().splitlines()) == 3


@pytest.mark.slow
def test_learn_says_what_its_spread_is(run):
    arguments = ["ggp", "learn", "nim", "-n", 40, "--runs", 3, "--recording", "own", "--slips", 0.5]
    status, out, _ = run(*arguments)
    assert status == 0
    assert re.match(r"matches +1 to +40: +[\d.]+ ± [\d.]+ \(s\.e\.\)\n", out)
    (window,) = json.loads(run(*arguments, "--json")[1])["windows"]
    low, high = window["ci95"]
    assert (high - low) / 2 == pytest.approx(4.303 * window["standard_error"], rel=1e-3)
    for other in (["--recording", "all"], ["--slips", 0.0]):
        changed = [*arguments[:-4], *other, "--json"]
        assert json.loads(run(*changed)[1])["windows"] != [window]


@pytest.mark.slow
def test_a_person_plays(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\nnonsense\n(mark 9 9)\n99\n(mark 1 3)\nq\n"))
    status, out, _ = run("ggp", "play", "tictactoe", "--opponent", "alphabeta:depth=1", "--role", "X")
    assert status == 0
    assert "You are x." in out
    assert "'nonsense' is neither a number" in out
    assert "Given up." in out or "x: " in out
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert "Given up." in run("ggp", "play", "nim", "--opponent", "random")[1]


def test_boards_look_like_boards():
    shown = picture([("cell", "1", "2", "x"), ("cell", "2", "1", "b"), ("step", "4"), ("age", "1", "2", "3")])
    assert shown.splitlines()[1:] == ["     1 2", "   1 . x", "   2 . .", "  (step 4)", "  (age 1 2 3)"]


@pytest.mark.slow
def test_serve_answers_until_it_is_stopped():
    process = subprocess.Popen(
        [sys.executable, "-m", "heartlab.cli", "ggp", "serve", "random", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # shells ignore it in the background
    )
    try:
        assert "(name random)" in RemoteSeat(address_in(process.stderr)).ask("(INFO)", 600)
        process.send_signal(signal.SIGINT)
        assert process.wait(600) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_game_that_hides_something_is_not_shown_live(run, tmp_path):
    file = tmp_path / "hidden.kif"
    file.write_text(
        "(role a) (init (coin heads)) (legal a look) (<= terminal (true seen)) (<= (next seen) (does a look))"
        "(<= (sees a (coin ?c)) (does a look) (true (coin ?c))) (goal a 50)"
    )
    status, out, err = run("ggp", "match", file, "-p", "random", "--machine", "network", "--browser", "--port", 0)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "players see different things in this game" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "result"),
    [
        ("match nim -p random -p random -n 2", {"matches": 2, "finished": 2}),
        ("tournament -g nim -p random -p alphabeta:depth=1", {"matches": 2, "scheduled": 2}),
    ],
)
def test_live_matches_are_served_after_their_result_until_they_are_stopped(what, result):
    pytest.importorskip("starlette", reason="needs the extra web")
    line = f"ggp {what} --machine prover --browser --no-open --port 0 --json"
    process = subprocess.Popen(
        [sys.executable, "-m", "heartlab.cli", *line.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # shells ignore it there
    )
    try:
        address = address_in(process.stderr)
        assert json.loads(process.stdout.readline()).items() >= result.items()
        assert any("Ctrl+C" in text for text in process.stderr)
        with urllib.request.urlopen(address, timeout=600) as page:
            assert b"gdl/main.js" in page.read()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=600) == ("", "")
        assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()
