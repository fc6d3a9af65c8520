"""Soaks: many tables with injected faults, and many deals of misbehaving bots. Nothing lost, nothing leaked.

The default sizes take about half a minute each; docs/reliability.md has the commands and figures of larger ones.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import re
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest
from support.bots import PATIENCE, gone, python_bot

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.web_client import waits
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from heartlab import Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.cards import card_name
from heartlab.web.session import Session
from heartlab.web.store import Row, Store

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")

TABLES = int(os.environ.get("HEARTLAB_SOAK_TABLES", "200"))
MOVES = int(os.environ.get("HEARTLAB_SOAK_MOVES", "3"))
DEALS = int(os.environ.get("HEARTLAB_SOAK_DEALS", "3000"))
ROOM = 64 << 20
"""Bytes by which memory may differ: what the allocator keeps."""


def memory(pid: int | str = "self") -> int:
    """Bytes of a process in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def files(pid: int | str = "self") -> int:
    """Descriptors that a process has open."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def keep_figures(name: str, figures: dict[str, object]) -> None:
    print(f"{name}: {json.dumps(figures)}")
    if "HEARTLAB_ARTEFACTS" in os.environ:
        folder = Path(os.environ["HEARTLAB_ARTEFACTS"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(figures))


# --- the server ---


class Person:
    """A browser that plays its lowest legal card; its line is cut off again and again, and comes back."""

    def __init__(self, port: str, house: str, number: int) -> None:
        self.address, self.house, self.number = f"ws://127.0.0.1:{port}/ws", house, number
        self.dice = random.Random(number)
        self.key = ""
        self.moves = self.drops = self.refusals = 0
        self.seen: list[str] = []
        """The longest row of cards that the server has shown as played."""

    async def play(self, moves: int) -> None:
        goal = self.moves + moves
        while self.moves < goal:
            with suppress(WebSocketException, OSError, EOFError):
                async with connect(self.address, open_timeout=PATIENCE, ping_interval=None) as line:
                    await self.sit(line, goal)
            self.drops += 1

    async def sit(self, line, goal: int) -> None:
        if self.key:
            await say(line, "open", key=self.key)
        else:
            await say(line, "create", house=self.house, players=["gnome"] * 3, seed=1000 + self.number)
        while self.moves < goal:
            got = json.loads(await line.recv())
            if got["type"] == "opened":
                self.key = got["key"]
            elif got["type"] == "failed":
                self.refusals += 1
                return
            elif got["type"] == "view":
                self.note(got)
                if got["phase"] in ("over", "end"):
                    self.moves = goal
                elif waits(got):
                    await self.act(line, got)

    def note(self, view) -> None:
        if view["event"]["card"] and len(self.seen) < view["plays"] == len(self.seen) + 1:
            self.seen.append(view["event"]["card"])

    async def act(self, line, view) -> None:
        self.moves += 1
        if view["phase"] == "pass":
            await say(line, "pass", cards=view["may_pass"][: view["pass_count"]])
        else:
            await say(line, "play", card=view["legal"][0], at=view["plays"])
        if self.dice.random() < 0.3:  # gone before the answer, without a word
            cut = line.transport.get_extra_info("socket")
            cut.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.transport.abort()
            raise EOFError


async def say(line, kind: str, **values) -> None:
    await line.send(json.dumps({"type": kind, **values}))


async def together(port: str, house: str, tables: int, moves: int, rounds: int) -> list[Person]:
    """All browsers, in rounds: after each one a line is printed, and the next begins when one is read."""
    people = [Person(port, house, number) for number in range(tables)]
    for _ in range(rounds):
        await asyncio.gather(*(one.play(moves) for one in people))
        print(json.dumps([[one.key, one.seen, one.moves, one.drops, one.refusals] for one in people]), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    return people


def lock_now_and_then(file: Path, stop: threading.Event) -> None:
    """Another program that holds the file for a moment, again and again."""
    with closing(sqlite3.connect(file, isolation_level=None, timeout=PATIENCE)) as program:
        while not stop.wait(1.0):
            program.execute("BEGIN IMMEDIATE")
            stop.wait(0.1)
            program.execute("ROLLBACK")


def start_server(file: Path, errors) -> tuple[subprocess.Popen[str], str, str]:
    command = [sys.executable, "-m", "heartlab.cli", "play", "--port", "0", "--no-browser", "--file", str(file)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert server.stdout is not None
    found = re.search(r"http://127.0.0.1:(\d+)/#(\S+)", server.stdout.readline())
    assert found
    return server, found[1], found[2]


def check_tables(file: Path, people) -> int:
    """Every card that somebody saw is kept at its place, and every kept deal follows the rules."""
    store, cards = Store(file), 0
    for key, seen, *_ in people:
        kept = store.load_session(key)
        assert kept is not None
        settings, rows = kept
        again = Session(settings, msgspec.json.decode(msgspec.json.encode(rows), type=list[Row]), lambda row: None)
        plays = [card_name(card) for card in again.row.plays]
        assert plays[: len(seen)] == seen
        cards += len(plays)
    store.close()
    return cards


def test_a_server_with_many_tables_and_faults(tmp_path):
    """Two rounds: the second needs no more memory and no more files than the first."""
    file, errors, stop = tmp_path / "games.sqlite", (tmp_path / "errors").open("w+b"), threading.Event()
    server, port, house = start_server(file, errors)
    locker = threading.Thread(target=lock_now_and_then, args=(file, stop))
    locker.start()
    try:
        idle = files(server.pid)
        command = [sys.executable, __file__, port, house, str(TABLES), str(MOVES)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parent.parent)])}
        pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        after = []
        with subprocess.Popen(command, env=environment, **pipes) as clients:
            for _ in range(2):
                people = json.loads(clients.stdout.readline())
                end = time.monotonic() + PATIENCE
                while files(server.pid) > idle + 8 and time.monotonic() < end:
                    time.sleep(0.1)
                after.append((memory(server.pid), files(server.pid)))
                clients.stdin.write("\n")
                clients.stdin.flush()
    finally:
        stop.set()
        locker.join()
        server.terminate()
        server.wait(PATIENCE)
    assert not file.with_name(f"{file.name}-wal").exists()
    cards = check_tables(file, people)
    errors.seek(0)
    said = errors.read().decode()
    assert "Traceback" not in said, said[-3000:]
    (first, before), (second, open_now) = after
    drops, refusals = sum(one[3] for one in people), sum(one[4] for one in people)
    keep_figures(
        "soak-server",
        {
            "tables": TABLES, "moves": sum(one[2] for one in people), "cards kept": cards, "cut off": drops,
            "refused": refusals, "memory after rounds, MB": [first >> 20, second >> 20],
            "files after rounds": [before, open_now], "log, bytes": len(said),
        },
    )  # fmt: skip
    assert drops > TABLES // 2
    assert second - first < ROOM
    assert open_now <= idle + 8


# --- the arena ---

MISBEHAVIOUR = {
    "good": {},
    "crashes": {"on_card": "random.random() < 0.02 and os._exit(3)"},
    "leaves": {"on_end": "sys.exit()"},
    "talks": {"on_card": "random.random() < 0.02 and print('card', flush=True)"},
    "floods": {"on_card": "random.random() < 0.01 and print('info ' * 40000, flush=True)"},
    "escapes": {"on_start": "import random\nif random.random() < 0.2 and not os.fork(): os.setsid(); time.sleep(600)"},
}


def test_an_arena_of_misbehaving_bots(tmp_path):
    """Two halves: the second needs no more memory and no more files than the first, and no process is left."""
    per_kind = max(2, DEALS // len(MISBEHAVIOUR))
    players, after, choices, lost = [], [], 0, 0
    for name, habits in MISBEHAVIOUR.items():
        start = habits.get("on_start", "import random")
        command = python_bot(tmp_path / f"{name}.py", **{**habits, "on_start": start})
        clocks = f"movetime={1000 * PATIENCE},start={PATIENCE},memory=512,processes=2"
        players.append(make_player(f"exec:{clocks}:{command}"))
    for half in range(2):
        for player in players:
            match = Match([player, *[make_player("random")] * 3], Rules.parse("seed"), 1, seed=half)
            units = max(1, per_kind // (2 * len(match.seatings)))
            match = Match([player, *[make_player("random")] * 3], Rules.parse("seed"), units, seed=half)
            result = run_match(match, threads=1)
            assert result.units == units
            choices += int(result.decisions[:, 0].sum())
            lost += int(result.forfeits[:, 0].sum())
        gc.collect()
        after.append((memory(), files()))
    faults = {Path(player.name).stem: dict(player.faults) for player in players}
    for player in players:
        player.close()
    (first, before), (second, open_now) = after
    keep_figures(
        "soak-arena",
        {
            "decisions": choices, "forfeits": lost, "faults": faults,
            "memory after halves, MB": [first >> 20, second >> 20], "files after halves": [before, open_now],
        },
    )  # fmt: skip
    assert lost < choices
    assert faults["leaves"].get("crash", 0) == 0
    assert second - first < ROOM
    assert open_now <= before + 8
    assert gone(tmp_path), "no process is left behind"


if __name__ == "__main__":
    asyncio.run(together(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), 2))
