"""A long run of `heartlab ggp serve` under faults: every well-behaved match is answered legally, and nothing piles up.

500 matches; HEARTLAB_SCALE changes their number.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.ggp_poison import ENDLESS, GUARD, address_in, children, eventually
from support.ggp_rulesheets import SCALE

from heartlab.ggp.gdl.terms import show
from heartlab.ggp.machine.load import load_game, read_game
from heartlab.ggp.protocol.seats import RemoteSeat

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

NUMBER = max(50, int(500 * SCALE))
AT_ONCE = 8
NIM = " ".join(map(str, read_game("nim").rules))
MACHINE = load_game("nim", "prover")
KILL_SECONDS = 0.2
"""Between two kills of a worker."""
GROWTH = 30 << 10
"""Kilobytes by which the server may grow from the first tenth of the run to its end."""


def good_match(seat, name, dice):
    """A whole match; every answer must be legal. Returns the number of turns."""
    machine, role = MACHINE.fork(), dice.randrange(2)
    answer = seat.ask(f"(START {name} {machine.roles[role]} ({NIM}) 120 120)", GUARD)
    assert answer == "ready", answer
    state, told, turns = machine.initial, "NIL", 0
    while not machine.is_terminal(state):
        legal = machine.legal_moves(state)
        answer = seat.ask(f"(PLAY {name} {told})", GUARD)
        own = {show(move): move for move in legal[role]}
        assert answer in own, answer
        joint = [own[answer] if player == role else dice.choice(legal[player]) for player in range(2)]
        state, told, turns = machine.next(state, joint), f"({' '.join(map(show, joint))})", turns + 1
    assert seat.ask(f"(STOP {name} {told})", GUARD) == "done"
    return turns


def aborted_match(seat, name, dice):
    assert seat.ask(f"(START {name} first ({NIM}) 60 60)", GUARD) == "ready"
    seat.ask(f"(PLAY {name} NIL)", GUARD)
    assert seat.ask(f"(ABORT {name})", GUARD) == "aborted"
    return 0


def dropped_client(seat, name, dice):
    """Send a message, or half of one, and go."""
    text = f"(START {name} first ({NIM}) 1 1)".encode()
    with socket.create_connection((seat.host, seat.port), GUARD) as connection:
        head = f"POST / HTTP/1.0\r\nContent-Length: {len(text)}\r\n\r\n".encode()
        connection.sendall((head + text)[: dice.choice([10, 60, 300, len(head + text)])])
    return 0


def poison(seat, name, dice):
    if seat.ask(f"(START {name} x ({dice.choice(list(ENDLESS.values()))}) 0.5 0.2)", GUARD) == "ready":
        seat.ask(f"(PLAY {name} NIL)", GUARD)
        seat.ask(f"(ABORT {name})", GUARD)
    return 0


def kind_of(number):
    return random.Random(number).choices([good_match, aborted_match, dropped_client, poison], [70, 10, 10, 10])[0]


def play_one(url, number):
    kind = kind_of(number)
    return kind, kind(RemoteSeat(url), f"m{number}", random.Random(~number))


def kill_workers(nursery, done):
    """Kill a random worker now and then, as somebody with `kill -9` would; returns how many."""
    dice, killed = random.Random(1), 0
    while not done.wait(KILL_SECONDS):
        if workers := sorted(children(nursery)):
            try:
                os.kill(dice.choice(workers), signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                continue
    return killed


def taken(pid):
    """Kilobytes of memory, open files and threads of a process."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return int(status["VmRSS"].split()[0]), files, int(status["Threads"])


def is_quiet(server, nursery, url):
    """Whether no match has a process. Those of dropped clients are aborted: they would be silent for a minute first."""
    for number in range(NUMBER):
        if kind_of(number) is dropped_client:
            RemoteSeat(url).ask(f"(ABORT m{number})", GUARD)
    return children(server) == {nursery}


def test_soak():
    server = subprocess.Popen(
        [sys.executable, "-m", "heartlab.cli", "ggp", "serve", "random", "--port", "0", "--memory", "300"],
        stderr=subprocess.PIPE,
        text=True,
    )
    done = threading.Event()
    try:
        url = address_in(server.stderr)
        (nursery,) = children(server.pid)
        with ThreadPoolExecutor(AT_ONCE + 1) as pool:
            early = [pool.submit(play_one, url, number) for number in range(NUMBER // 10)]
            results = [future.result() for future in early]
            assert eventually(lambda: is_quiet(server.pid, nursery, url))
            before, nursed = taken(server.pid), taken(nursery)
            killing = pool.submit(kill_workers, nursery, done)
            try:
                later = [pool.submit(play_one, url, number) for number in range(NUMBER // 10, NUMBER)]
                results += [future.result() for future in later]
            finally:
                done.set()
            killed = killing.result()
        assert killed > NUMBER / 100
        assert {kind for kind, _ in results} == {good_match, aborted_match, dropped_client, poison}
        assert eventually(lambda: is_quiet(server.pid, nursery, url)), "no process is left of any match"
        assert eventually(lambda: taken(server.pid)[1:] <= before[1:]), "files and threads are as before"
        after, nursing = taken(server.pid), taken(nursery)
        assert after[0] <= before[0] + GROWTH
        assert nursing[0] <= nursed[0] + GROWTH
        assert nursing[1] <= nursed[1]
        print(f"{NUMBER} matches, {killed} workers killed, {before} -> {after}, nursery {nursed} -> {nursing}")
        assert good_match(RemoteSeat(url), "last", random.Random(0)) > 0
    finally:
        done.set()
        server.kill()
        server.communicate()
