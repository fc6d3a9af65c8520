"""Attacks on general game playing: rules that never end, texts of many megabytes, dying players, foreign pages.

Everything stays on this machine (127.0.0.1) and within seconds and megabytes.
"""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import msgspec
import pytest
from support.commands import run as run_fixture
from support.ggp_poison import ENDLESS, ENDLESS_PLAY, GUARD, PLAYERS, address_in, children, eventually

from heartlab.ggp.gdl.normal import levels, normalise
from heartlab.ggp.gdl.parse import MAX_TEXT, MAX_TOKENS, parse_game
from heartlab.ggp.gdl.terms import GdlError, show
from heartlab.ggp.gdl.validate import validate
from heartlab.ggp.machine.base import OutOfBudget
from heartlab.ggp.machine.grounding import Budget, GroundGame, GroundingFailed
from heartlab.ggp.machine.load import load_game, make_machine, read_game
from heartlab.ggp.machine.network import build_network
from heartlab.ggp.protocol import nursery as nursery_module
from heartlab.ggp.protocol import server as server_module
from heartlab.ggp.protocol import supervisor as supervisor_module
from heartlab.ggp.protocol.frames import Setup
from heartlab.ggp.protocol.messages import ProtocolError, parse_envelope
from heartlab.ggp.protocol.nursery import ForkNursery, SpawnNursery
from heartlab.ggp.protocol.seats import RemoteSeat, SeatFailure
from heartlab.ggp.protocol.server import PlayerServer
from heartlab.ggp.protocol.supervisor import Limits, Supervisor

run = run_fixture
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
NIM = " ".join(map(str, read_game("nim").rules))
FIRST = "((leave d 0) wait)"
SMALL = Budget(seconds=0.5, megabytes=200)


# Texts


def test_long_texts_are_refused_at_once():
    with pytest.raises(GdlError, match=r"^big: the text has 8,388,608 characters; at most 4,194,304 are read$"):
        parse_game("a " * (4 << 20), "big")
    with pytest.raises(GdlError, match=r"^big: the text has more than 1,000,000 words and parentheses$"):
        parse_game("a " * (MAX_TOKENS + 1), "big")


def test_a_file_of_20_megabytes_is_refused(run, tmp_path):
    file = tmp_path / "big.kif"
    with file.open("wb") as out:
        out.truncate(20 << 20)
    status, _, err = run("ggp", "check", file)
    assert status == 2
    assert err == f"heartlab: {file}: the file has 20,971,520 bytes; games of at most {MAX_TEXT:,} are read\n"


def calls_of(action):
    """How many functions are called: a measure of work that does not depend on the machine."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


SHAPES = {
    "facts": lambda n: "(p 1) " * n,
    "many literals": lambda n: f"(<= (h ?x) (q ?x) {' '.join(f'(q ?y{i}) (not (r ?z{i}))' for i in range(n))})",
    "many unbound variables": lambda n: "(<= (h " + " ".join(f"?x{i}" for i in range(n)) + ") (q ?y))",
    "a chain of relations": lambda n: "".join(f"(<= (r{i} ?x) (r{i + 1} ?x)) " for i in range(n)) + "(<= r (true a))",
    "a cycle of relations": lambda n: "".join(f"(<= (r{i} ?x) (r{(i + 1) % n} ?x)) " for i in range(n)),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_and_checking_take_linear_time(shape):
    def work(size):
        description = parse_game(SHAPES[shape](size))
        found = validate(description)
        assert all(len(finding.message) <= 700 for finding in found)
        levels(normalise(description))

    small, large = (calls_of(lambda size=size: work(size)) for size in (300, 1200))
    assert large < 5 * small, "four times the text is four times the work"


@pytest.mark.parametrize("text", ["(" * 100_000, "(p " * 100_000 + ")" * 100_000, "(" * 100_000 + ")" * 100_000])
def test_deep_parentheses_are_one_sentence(run, tmp_path, text):
    file = tmp_path / "deep.kif"
    file.write_text(text)
    for command in (["check", file], ["info", file], ["match", file, "-p", "random"]):
        status, _, err = run("ggp", *command)
        assert status == 2
        assert err.endswith(": parentheses nest deeper than 500\n")
        assert err.count("\n") == 1


def test_a_rule_with_thousands_of_literals_is_a_game_or_a_sentence(run, tmp_path):
    """Like a puzzle of 31 queens that lists all pairs of squares in one rule."""
    file = tmp_path / "queens.kif"
    conditions = "".join(f"(true (at {number})) " for number in range(3000))
    file.write_text(
        "(role x) (init (at 0)) (<= (next (at ?n)) (true (at ?n))) (legal x go) (<= terminal (true (at 1))) "
        + "".join(f"(<= (next (at {number})) (does x go)) " for number in range(3000))
        + f"(goal x 50) (<= (legal x all) {conditions})"
    )
    assert run("ggp", "check", file)[0] == 0
    for machine in ("prover", "network"):
        status, _, err = run(
            "ggp", "match", file, "-p", "random", "--machine", machine, "--budget", "1", "--start", 1, "--play", 0.01
        )
        assert status in (0, 2)
        assert "Traceback" not in err


# Budgets of machines


@pytest.mark.parametrize("name", ENDLESS)
def test_the_prover_has_a_budget(name):
    machine = make_machine(parse_game(ENDLESS[name], "g"), "prover", SMALL)
    for _ in range(2):
        with pytest.raises(OutOfBudget, match=r"^g: the (rules (give no answer|build up)|answers take)"):
            machine.legal(machine.initial, 0)
    assert machine.goal_values(machine.initial, 0) == [50], "it can be asked on"


def test_the_prover_has_a_budget_of_memory():
    machine = make_machine(
        parse_game(ENDLESS["five free variables"], "g"), "prover", Budget(seconds=GUARD, megabytes=5)
    )
    with pytest.raises(OutOfBudget, match="the answers take more than 5 megabytes"):
        machine.legal(machine.initial, 0)


def test_states_that_grow_for_ever_come_to_an_end():
    machine = make_machine(parse_game(ENDLESS_PLAY, "g"), "prover", SMALL)

    def play():
        state = machine.initial
        while not machine.is_terminal(state):
            state = machine.next(state, ["go"])

    with pytest.raises(OutOfBudget, match="ever larger terms"):
        play()


@pytest.mark.parametrize("name", ["counts for ever", "five free variables"])
def test_every_machine_has_the_budget(name):
    description = parse_game(ENDLESS[name], "g")
    with pytest.raises(GroundingFailed, match=r"did not ground within 0\.5 seconds|ever larger terms"):
        make_machine(description, "network", SMALL)
    machine = make_machine(description, "auto", SMALL)
    assert machine.kind == "prover"
    with pytest.raises(OutOfBudget):
        machine.legal(machine.initial, 0)


def test_building_a_network_has_the_budget():
    game = GroundGame([(3, [1, 2]), (3, [1, -2])], {("true", "a"): 1, ("true", "b"): 2, "terminal": 3})
    assert build_network(game, ("x",), GUARD).net.bases == 2
    with pytest.raises(GroundingFailed, match="not built in time"):
        build_network(game, ("x",), 0.0)


def test_a_body_with_many_conditions_is_no_recursion_error():
    conditions = list(range(1, 1500))
    atoms = {("true", str(number)): number for number in conditions} | {"terminal": 5000}
    game = GroundGame([(5000, conditions), (5000, conditions[:-1])], atoms)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    try:
        with pytest.raises(GroundingFailed, match="too many conditions for a network"):
            build_network(game, ("x",))
    finally:
        sys.setrecursionlimit(limit)


def test_errors_stop_a_match_unless_it_is_forced(run, tmp_path):
    file = tmp_path / "endless.kif"
    file.write_text(ENDLESS["counts for ever"])
    match = ["ggp", "match", file, "-p", "random", "--budget", 0.5, "--start", 0.5, "--play", 0.1]
    status, out, err = run(*match)
    assert (status, out) == (2, "")
    assert err == (
        f"heartlab: {file}:1:86: error: the recursion through (nat ?n) could grow without end: ?n is bound nowhere else"
        "; --force plays it all the same\n"
    )
    for machine in ("auto", "prover"):
        status, out, err = run(*match, "--force", "--machine", machine)
        assert status == 0
        assert "(broken off)" in out
        assert "1 rules]" in out
        assert "Traceback" not in err
    status, _, err = run("ggp", "play", file)
    assert (status, "--force plays it all the same" in err) == (2, True)


# The server


@contextmanager
def serving(player="random", limits=Limits(), **setup):  # noqa: B008
    """A supervisor behind HTTP, and a function that asks it."""
    supervisor = Supervisor(Setup(player, **setup), limits)
    try:
        with PlayerServer(supervisor) as server:
            yield supervisor, lambda text: RemoteSeat(server.url).ask(text, GUARD)
    finally:
        supervisor.close()


def workers_of(supervisor):
    """The processes of matches, without those that stand by."""
    return {worker.pid for worker in supervisor.workers if worker.is_alive}


@pytest.fixture
def failing(tmp_path):
    file = tmp_path / "failing_players.py"
    file.write_text(PLAYERS)
    return (str(file),)


def test_a_dialogue_is_that_of_an_agent():
    with serving() as (supervisor, ask):
        assert ask("(INFO)") == ask("ping") == "((name random)(status available))"
        assert ask(f"(PREVIEW ({NIM}) 5)") == "ready"
        assert ask("(PREVIEW ((role x) (<=)) 5)") == "busy"
        assert ask(f"(START M first ({NIM.upper()}) 60 60)") == "ready"
        move = ask("(PLAY m NIL)")
        assert move.startswith("(leave ")
        assert ask(f"(PLAY M ({move} WAIT))") == "wait"
        assert ask(f"(PLAY M ({move} WAIT))") == "wait"
        assert ask(f"(START m second ({NIM}) 60 60)") == "busy", "a match has one role here"
        assert ask("(PLAY other NIL)") == ask("(PLAY m (nonsense wait))") == ask("(PLAY m (wait))") == "busy"
        assert ask("(STOP m (wait (leave a 0)))") == "done"
        assert ask("(STOP m (wait (leave a 0)))") == ask("(ABORT m)") == "busy"
        assert ask(f"(START m nobody ({NIM}) 60 60)") == ask("(START m x () 60 60)") == "busy"
        assert ask(f"(START m first ({NIM}) 60 60)") == ask(f"(START m first ({NIM}) 60 60)") == "ready"
        assert ask("(ABORT m)") == "aborted"
        for text in ("hello", "(START m white ((role", "(START m first (((p) q)) 5 x)", f"(PLAY m {'x ' * 50_000})"):
            with pytest.raises(SeatFailure, match="status 400"):
                ask(text)
        assert not supervisor.matches
        assert eventually(lambda: not workers_of(supervisor)), "no match, no process"


def test_seeds_decide_the_moves():
    def moves(seed):
        supervisor = Supervisor(Setup("random"), seed=seed)
        try:
            for match in "abcd":
                assert supervisor.answer(f"(START {match} first ({NIM}) 60 60)") == "ready"
            return [supervisor.answer(f"(PLAY {match} NIL)") for match in "abcd"]
        finally:
            supervisor.close()

    first = moves(1)
    assert first == moves(1) != moves(2)
    assert len(set(first)) > 1


@linux_only
@pytest.mark.parametrize("name", ENDLESS)
def test_poison_is_dropped_and_its_work_ends(name):
    """Two messages of the attack; what they began is gone afterwards, clingo included, and others are served."""
    with serving(limits=Limits(megabytes=300)) as (supervisor, ask):
        before = children(os.getpid())
        assert ask(f"(START good first ({NIM}) 60 60)") == "ready"
        good = workers_of(supervisor)
        if ask(f"(START bad x ({ENDLESS[name]}) 1 0.2)") == "ready":
            assert ask("(PLAY bad NIL)") == "busy"
            assert ask("(ABORT bad)") in ("aborted", "busy")
        assert eventually(lambda: workers_of(supervisor) == good)
        assert ask("(PLAY good NIL)").startswith("(leave ")
        assert ask("(ABORT good)") == "aborted"
        assert eventually(lambda: children(os.getpid()) <= before), "no process is left"


@linux_only
def test_abort_ends_work_that_is_under_way(failing):
    with serving("hangs", used=failing) as (supervisor, ask):
        before = children(os.getpid())
        assert ask(f"(START m first ({NIM}) 60 600)") == "ready"
        assert ask("(PLAY m NIL)").startswith("(leave ")
        answers = []
        thinking = threading.Thread(target=lambda: answers.append(ask("(PLAY m NIL)")))
        thinking.start()
        assert eventually(lambda: any(match.waiting for match in supervisor.matches.values()))
        assert ask("(ABORT m)") == "aborted"
        thinking.join()
        assert answers[0] == "busy" or answers[0].startswith("(leave ")
        assert eventually(lambda: children(os.getpid()) <= before)


@pytest.mark.parametrize("player", ["hangs", "eats", "raises", "dies", "prints"])
def test_failing_players_get_legal_moves(player, failing):
    """The second turn fails; the answer is the move that was offered before, and the third turn is played."""
    machine = load_game("nim", "prover")
    limits = Limits(megabytes=300)
    with serving(player, limits, used=failing, megabytes=300) as (_, ask):
        assert ask(f"(START m first ({NIM}) 60 {5 if player == 'hangs' else 60})") == "ready"
        state, told, dice = machine.initial, "NIL", random.Random(1)
        for _ in range(5):
            legal = machine.legal_moves(state)
            move = ask(f"(PLAY m {told})")
            assert move in [show(one) for one in legal[0]]
            joint = [next(one for one in legal[0] if show(one) == move), dice.choice(legal[1])]
            state, told = machine.next(state, joint), f"({' '.join(map(show, joint))})"
            if machine.is_terminal(state):
                break
        assert ask(f"(STOP m {told})") == "done"


@linux_only
@pytest.mark.parametrize("player", ["random", "td"])
def test_a_killed_worker_is_replaced(player):
    """Also in a player that learns, all of whose matches are in one worker."""
    with serving(player) as (supervisor, ask):
        for match in ("one", "two"):
            assert ask(f"(START {match} first ({NIM}) 60 60)") == "ready"
        assert len(workers_of(supervisor)) == (1 if player == "td" else 2)
        for match in ("one", "two"):
            assert ask(f"(PLAY {match} NIL)").startswith("(leave ")
        for pid in workers_of(supervisor):
            os.kill(pid, signal.SIGKILL)
        for match in ("one", "two"):
            assert ask(f"(PLAY {match} {FIRST})") == "wait", "the state is that after the first turn"
            assert ask(f"(STOP {match} (wait (leave c 0)))") == "done"


@linux_only
@pytest.mark.parametrize("nursery", [ForkNursery, SpawnNursery])
def test_ctrl_c_while_a_player_is_loaded_leaves_no_process(nursery, monkeypatch):
    started = []

    def interrupt(channel, kill):
        raise KeyboardInterrupt

    def start(*arguments, **options):
        started.append(subprocess.Popen(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(nursery_module, "_wait_until_ready", interrupt)
    monkeypatch.setattr(
        nursery_module, "subprocess", SimpleNamespace(Popen=start, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)
    )
    with pytest.raises(KeyboardInterrupt):
        nursery(Setup("random", (), 2000, False))
    assert [process.wait(60) for process in started] == [-signal.SIGKILL]


def test_a_worker_whose_server_is_gone_ends_without_a_word():
    program = (
        "import sys; from heartlab.ggp.protocol import worker\n"
        "def gone(*_): raise BrokenPipeError\n"
        "worker.frames.Channel.write = gone; worker.main(sys.argv[1:])"
    )
    setup = msgspec.json.encode(Setup("random", (), 2000, False)).decode()
    done = subprocess.run([sys.executable, "-c", program, setup], capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr


@linux_only
def test_a_killed_nursery_is_replaced():
    with serving() as (supervisor, ask):
        os.kill(supervisor.nursery._process.pid, signal.SIGKILL)
        assert ask(f"(START m first ({NIM}) 60 60)") == "ready"
        assert ask("(PLAY m NIL)").startswith("(leave ")


def test_a_learner_that_is_killed_goes_on_from_what_it_saved(tmp_path):
    saved = tmp_path / "saved.json"
    with serving(f"td:save={saved}") as (supervisor, ask):

        def play(name):
            assert ask(f"(START {name} first ({NIM}) 600 600)") == "ready"
            told = "NIL"
            for joint in ("((leave d 0) wait)", "(wait (leave c 0))", "((leave b 0) wait)", "(wait (leave a 0))"):
                ask(f"(PLAY {name} {told})")
                told = joint
            assert ask(f"(STOP {name} {told})") == "done"

        play("first")
        assert ask(f"(START again first ({NIM}) 600 600)") == "ready", "it learns and saves in the start clock"
        assert len(json.loads(saved.read_text())["games"]) == 1
        supervisor.learner.kill()
        assert eventually(lambda: not workers_of(supervisor))
        tictactoe = " ".join(map(str, read_game("tictactoe").rules))
        assert ask(f"(START other x ({tictactoe}) 600 600)") == "ready"
        play("second")
    games = json.loads(saved.read_text())["games"]
    assert len(games) == 2, "what was learned before the kill is still there"


@linux_only
def test_a_learner_saves_when_the_server_is_killed(tmp_path):
    saved = tmp_path / "saved.json"

    def games():
        try:
            return json.loads(saved.read_text())["games"]
        except (OSError, ValueError):
            return []

    process = subprocess.Popen(
        [sys.executable, "-m", "heartlab.cli", "ggp", "serve", f"td:save={saved}", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        seat = RemoteSeat(address_in(process.stderr))
        assert seat.ask(f"(START m first ({NIM}) 60 60)", GUARD) == "ready"
        for told in ("NIL", FIRST, "(wait (leave c 0))", "((leave b 0) wait)"):
            seat.ask(f"(PLAY m {told})", GUARD)
        assert seat.ask("(STOP m (wait (leave a 0)))", GUARD) == "done"
        assert not games()
    finally:
        process.kill()
        process.communicate()
    assert eventually(lambda: len(games()) == 1)


def test_silent_matches_are_ended(monkeypatch):
    monkeypatch.setattr(supervisor_module, "PATIENCE", 0.0)
    monkeypatch.setattr(supervisor_module, "LEAST_START", GUARD)
    with serving() as (supervisor, ask):
        assert ask(f"(START m first ({NIM}) 0.1 0.1)") == "ready"
        assert eventually(lambda: not supervisor.matches and not workers_of(supervisor))
        assert ask("(PLAY m NIL)") == "busy"


def test_the_number_of_matches_is_limited():
    with serving(limits=Limits(most=2)) as (supervisor, ask):
        for match, answer in (("a", "ready"), ("b", "ready"), ("c", "busy"), ("a", "ready")):
            assert ask(f"(START {match} first ({NIM}) 60 60)") == answer
        assert "busy" in ask("(INFO)")
        assert ask(f"(PREVIEW ({NIM}) 60)") == "busy"
        assert len(workers_of(supervisor)) == 2
        assert ask("(ABORT b)") == "aborted"
        assert ask(f"(START c first ({NIM}) 60 60)") == "ready"
    assert Limits(megabytes=1 << 20).matches == 1
    assert Limits(megabytes=1).matches == 32


def test_strict_servers_refuse_games_with_errors():
    wrong = "(role x) (init a) (legal x go) (<= (p ?x) (true a)) (<= (next b) (p ?x)) (<= terminal (true b)) (goal x 1)"
    for strict, answer in ((True, "busy"), (False, "ready")):
        with serving(strict=strict) as (_, ask):
            assert ask(f"(START m x ({wrong}) 60 60)") == answer


def test_workers_without_fork(monkeypatch):
    monkeypatch.setattr(nursery_module, "make_nursery", SpawnNursery)
    monkeypatch.setattr(supervisor_module, "make_nursery", SpawnNursery)
    with serving() as (supervisor, ask):
        for match in "ab":
            assert ask(f"(START {match} first ({NIM}) 60 60)") == "ready"
        pids = workers_of(supervisor)
        assert len(pids) == 2
        assert ask("(PLAY a NIL)").startswith("(leave ")
        assert ask("(ABORT a)") == "aborted"
        assert ask("(STOP b ((leave d 0) wait))") == "done"
        assert eventually(lambda: not workers_of(supervisor))


@linux_only
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_the_server(end):
    process = subprocess.Popen(
        [sys.executable, "-m", "heartlab.cli", "ggp", "serve", "random", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        url = address_in(process.stderr)
        assert RemoteSeat(url).ask(f"(START m first ({NIM}) 60 60)", GUARD) == "ready"
        below = children(process.pid)
        assert len(below) == 2
        process.send_signal(end)
        process.wait(GUARD)
        assert eventually(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in below))
    finally:
        process.kill()
        process.communicate()


# HTTP


def address_of(server):
    host, port = server.url.removeprefix("http://").split(":")
    return host, int(port)


def post(url, body, headers=""):
    """Send raw bytes to a server; the status that it answers, 0 if it closes the connection."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=GUARD) as connection:
        connection.sendall(f"POST / HTTP/1.0\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        try:
            return int((connection.recv(65536).split() or [b"", b"0"])[1])
        except OSError:
            return 0


class Echo:
    """Answers everything at once."""

    def answer(self, text):
        return parse_envelope(text).kind


class Slow:
    """Answers when it is told to."""

    def __init__(self):
        self.asked, self.go = 0, threading.Event()

    def answer(self, text):
        self.asked += 1
        assert self.go.wait(GUARD)
        return "info"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ("", 200),
        ("Host: 127.0.0.1:9147\r\n", 200),
        ("Host: localhost\r\n", 200),
        ("Host: [::1]:80\r\n", 200),
        ("Host: LOCALHOST:80\r\nOrigin: http://localhost:9147\r\n", 200),
        ("Host: player.example\r\n", 200),
        ("Host: evil.example\r\n", 421),
        ("Host: 127.0.0.1.evil.example:9147\r\n", 421),
        ("Host: 127.0.0.1\r\nOrigin: http://evil.example\r\n", 421),
        ("Host: 127.0.0.1\r\nOrigin: null\r\n", 421),
        ("Origin: https://evil.example\r\n", 421),
        ("Host: [::1\r\n", 421),
    ],
)
def test_foreign_pages_are_refused_unless_allowed(headers, status):
    with PlayerServer(Echo(), hosts=frozenset({"player.example"})) as server:
        assert post(server.url, b"(INFO)", headers) == status
    with PlayerServer(Echo(), hosts=None) as server:
        assert post(server.url, b"(INFO)", headers) == 200


def test_large_messages_are_refused_before_they_are_read():
    with PlayerServer(Echo()) as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=GUARD) as connection:
            connection.sendall(b"POST / HTTP/1.0\r\nContent-Length: 8388608\r\n\r\n")
            assert b" 413 " in connection.recv(65536), "not one byte of the message was sent"
        rules = "(p 1) " * 500_000
        assert post(server.url, f"(START m x ({rules}) 5 5)".encode()) == 200, "rules are for the worker to read"


def test_a_message_with_rules_is_only_glanced_at():
    calls = [calls_of(lambda text=text: parse_envelope(text)) for text in (
        f"(START m x ({'(p 1) ' * count}) 5 5)" for count in (10, 100_000)
    )]  # fmt: skip
    assert calls[0] == calls[1]
    with pytest.raises(ProtocolError, match="at most 65,536 characters"):
        parse_envelope("(PLAY m (" + "x " * 50_000 + "))")


def test_silent_connections_make_way(monkeypatch):
    monkeypatch.setattr(server_module, "MOST_CONNECTIONS", 3)
    with PlayerServer(Echo()) as server, contextlib.ExitStack() as held:
        for sent in (b"", b"POST / HTTP/1.0\r\n", b"POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n(IN"):
            for _ in range(3):
                connection = held.enter_context(socket.create_connection(address_of(server), timeout=GUARD))
                connection.sendall(sent)
        assert eventually(lambda: len(server.http.places) == 3)
        assert post(server.url, b"(INFO)") == 200
    assert eventually(lambda: len(server.http.places) == 0), "a thread may still be closing its connection"


def test_who_waits_for_an_answer_does_not_make_way(monkeypatch):
    monkeypatch.setattr(server_module, "MOST_CONNECTIONS", 3)
    slow = Slow()
    with PlayerServer(slow) as server, ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(post, server.url, b"(INFO)") for _ in range(3)]
        assert eventually(lambda: slow.asked == 3)
        assert post(server.url, b"(INFO)") == 0, "there is no place, and nobody is silent"
        slow.go.set()
        assert [one.result() for one in waiting] == [200] * 3
        assert eventually(lambda: post(server.url, b"(INFO)") == 200)


def test_a_place_is_given_back_if_no_thread_can_be_started(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    with PlayerServer(Echo()) as server:
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refuse)
            assert post(server.url, b"(INFO)") == 0
        assert len(server.http.places) == 0
        assert post(server.url, b"(INFO)") == 200


def test_a_long_clock_does_not_mean_long_work():
    """The clocks of a match may be a day; the server's own limit counts."""
    with serving(limits=Limits(seconds=1.0, megabytes=300)) as (supervisor, ask):
        assert ask(f"(START m x ({ENDLESS['five free variables']}) 86400 86400)") in ("ready", "busy")
        assert ask("(PLAY m NIL)") == "busy"
        assert ask("(ABORT m)") in ("aborted", "busy")
        assert eventually(lambda: not workers_of(supervisor))


def test_commands_say_what_is_wrong(run):
    for arguments, sentence in (
        (["--memory", "0"], "--memory 0: needs a number above zero"),
        (["--seconds", "-1"], "--seconds -1.0: needs a number above zero"),
        (["--matches", "-1"], "--matches -1: needs a number from 0 on"),
    ):
        status, _, err = run("ggp", "serve", "random", *arguments)
        assert (status, err) == (2, f"heartlab: {sentence}\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_names_the_record(run):
    players = ["-p", "random", "-p", "random"]
    status, _, err = run("ggp", "match", "nim", *players, "--play", "1", "--record", "/dev/full")
    assert (status, err.splitlines()[-1]) == (2, "heartlab: /dev/full: No space left on device")


def test_a_rule_of_20000_conditions_is_proved_without_recursion():
    conditions = "".join(f"(p{number} ?x) " for number in range(20_000))
    facts = "".join(f"(p{number} a) " for number in range(20_000))
    machine = make_machine(parse_game(f"(role x) {facts} (p7 b) (<= (legal x ?x) {conditions})", "g"), "prover")
    assert machine.legal(machine.initial, 0) == ["a"]
