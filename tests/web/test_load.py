"""Many tables at once through the real server: no game is lost or mixed up, and the server's own time is reported.

That time is everything between a person's card and the next turn except what the bots need on their thread: waiting for
a thread is the server's own time.

The default is small. The figures in docs/play.md are of ``HEARTLAB_LOAD=1,50,200 HEARTLAB_LOAD_MOVES=14``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support import run_file
from support.web_client import serving, waits
from websockets.asyncio.client import connect

from heartlab.cards import CardSet, card_name
from heartlab.web.bots import Bots
from heartlab.web.session import PERSON, Session
from heartlab.web.store import Settings

pytestmark = pytest.mark.slow

TABLES = [int(count) for count in os.environ.get("HEARTLAB_LOAD", "1,200").split(",")]
MOVES = int(os.environ.get("HEARTLAB_LOAD_MOVES", "3"))


async def play(port: str, key: str, seed: int) -> list[str]:
    """Play at one table with the lowest legal cards; returns the cards of the deal as this browser saw them."""
    async with connect(f"ws://127.0.0.1:{port}/ws", open_timeout=120, ping_interval=None) as line:

        async def turn() -> dict:
            while True:
                got = json.loads(await line.recv())
                assert got["type"] in ("view", "hello", "opened"), got
                if got["type"] == "view":
                    if got["event"]["card"] and got["event"]["kind"] != "opened" and len(seen) < got["plays"]:
                        seen.append(got["event"]["card"])
                    if waits(got):
                        return got

        seen: list[str] = []
        await line.send(json.dumps({"type": "create", "house": key, "players": ["gnome"] * 3, "seed": seed}))
        view = await turn()
        for _ in range(MOVES):
            if view["phase"] == "pass":
                await line.send(json.dumps({"type": "pass", "cards": view["may_pass"][: view["pass_count"]]}))
            elif view["phase"] == "play":
                await line.send(json.dumps({"type": "play", "card": view["legal"][0], "at": view["plays"]}))
            else:
                break
            done = view
            while (view := await turn())["plays"] == done["plays"] and view["phase"] == done["phase"]:
                pass
        return seen


def alone(seed: int, cards: int, bots: Bots) -> list[str]:
    """The same deal at a table of its own, without a server."""
    session = Session(Settings("standard", ["gnome"] * 3, seed=seed), [], lambda row: None)
    while session.deal.phase == "pass":
        seat = session.next_bot()
        obs = session.deal.observe(PERSON if seat is None else seat)
        chosen = CardSet(sorted(obs.may_pass)[:3]) if seat is None else bots.pass_cards("gnome", obs)
        session.pass_cards(PERSON if seat is None else seat, chosen)
    while len(session.row.plays) < cards:
        seat = session.next_bot()
        obs = session.deal.observe(PERSON if seat is None else seat)
        session.play(min(obs.legal) if seat is None else bots.play("gnome", obs))
    return [card_name(card) for card in session.row.plays]


def resident_mb() -> float:
    """The memory of this process, which serves, where the system tells it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return float("nan")


def test_many_tables_at_once(tmp_path):
    report, bots = {}, Bots()
    for count in TABLES:
        with serving(tmp_path / f"{count}.sqlite") as served:
            begun = time.process_time()
            seen = json.loads(run_file(__file__, served.port, served.key, count))
            worked = time.process_time() - begun
            seconds = np.array(served.house.own_seconds)
        for number in range(count):
            assert seen[number] == alone(1000 + number, len(seen[number]), bots), (
                f"table {number} of {count} was mixed up"
            )
        assert all(seen)
        report[count] = {
            "moves": len(seconds),
            "median_ms": round(1000 * float(np.median(seconds)), 2),
            "p95_ms": round(1000 * float(np.quantile(seconds, 0.95)), 2),
            "processor_ms_per_move": round(1000 * worked / len(seconds), 2),
            "processor_ms_per_card": round(1000 * worked / sum(map(len, seen)), 2),
            "resident_mb": round(resident_mb()),
        }
    print(f"the server's own time per move of a person, bots excluded, by tables at once: {json.dumps(report)}")
    if "HEARTLAB_ARTEFACTS" in os.environ:
        folder = Path(os.environ["HEARTLAB_ARTEFACTS"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "load.json").write_text(json.dumps(report))


async def together(port: str, key: str, tables: int) -> list[list[str]]:
    """All browsers of one load, in a process of their own."""
    return await asyncio.gather(*(play(port, key, 1000 + number) for number in range(tables)))


if __name__ == "__main__":
    print(json.dumps(asyncio.run(together(sys.argv[1], sys.argv[2], int(sys.argv[3])))))
