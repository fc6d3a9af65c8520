"""Attacks on the file with the games: locked by others, deleted while it is used, and a server that is asked to end."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.web_client import Client, serving

from heartlab.web import house as house_module
from heartlab.web.house import House
from heartlab.web.pacing import Pacing
from heartlab.web.store import DAMAGED, Row, Settings, Store, StoreError

PATIENCE = 600


@pytest.fixture
def file(tmp_path):
    return tmp_path / "games.sqlite"


def foreign(file):
    """Another program's connection to the file."""
    return closing(sqlite3.connect(file, isolation_level=None))


# --- locked ---


def test_a_foreign_lock_stops_only_those_who_write(file):
    """A card waits for the other program; other connections, tables in memory and questions do not."""
    with serving(file) as served, served.client() as player, served.client() as other:
        player.create(served.key, seed=3)
        other.create(served.key, seed=4)
        player.act()
        before = player.view
        with foreign(file) as program:
            program.execute("BEGIN IMMEDIATE")
            player.say("play", card=before["legal"][0], at=before["plays"])
            assert other.ask("describe", "described", house=served.key, rules="standard")["players"] == 4
            assert other.ask("open", "view", key=other.key)["plays"] == other.view["plays"]
            assert other.ask("level", "level", house=served.key, name="You")["deals"] == 0
            with served.client() as third:
                assert third.hello["type"] == "hello"
            program.execute("ROLLBACK")
        assert player.until(lambda got: got["type"] in ("view", "failed"))["type"] == "view"


def test_all_who_wait_for_a_locked_file_are_refused_after_the_same_time(file, monkeypatch):
    """Not one after the other, each after a wait of its own; and nothing of what was refused is kept."""
    now = [0.0]
    monkeypatch.setattr(house_module.time, "monotonic", lambda: now[0])
    store = Store(file)
    waited = []

    def refuse(key, row):
        waited.append(store.patience)
        now[0] += store.patience
        raise StoreError("locked")

    async def scene(house):
        lives = [await house.create(Settings("standard", ["random"] * 3, seed=seed)) for seed in range(4)]
        monkeypatch.setattr(store, "save_deal", refuse)
        cards = [[str(card) for card in live.session.deal.hands[0].names().split()[:3]] for live in lives]
        moves = [house.pass_cards(live, 0, own) for live, own in zip(lives, cards, strict=True)]
        gate = threading.Event()
        house._writer.submit(gate.wait)
        tasks = [asyncio.create_task(move) for move in moves]
        while house._writer._work_queue.qsize() < len(moves):
            await asyncio.sleep(0)
        gate.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(one, StoreError) for one in found)
        assert all(live.lost for live in lives)

    house = House(store, pacing=Pacing(slots=()))
    try:
        asyncio.run(scene(house))
    finally:
        house.close()
    assert waited == [10.0, 0.0, 0.0, 0.0]


def test_nobody_sees_a_card_that_is_not_kept_yet(file):
    """A second browser that sits down while a card is being written waits for the outcome."""
    gate, refuse = threading.Event(), threading.Event()
    with serving(file) as served, served.client() as player, served.client() as second:
        player.create(served.key, seed=3)
        player.act()
        before, real = player.view, served.house.store.save_deal

        def slow(key, row):
            refuse.set()
            assert gate.wait(PATIENCE)
            raise StoreError("the disk is full")

        served.house.store.save_deal = slow
        player.say("play", card=before["legal"][0], at=before["plays"])
        assert refuse.wait(PATIENCE)
        second.say("open", key=player.key)
        while len(served.house.live[player.key].guests) < 2:
            time.sleep(0.01)
        served.house.store.save_deal = real
        gate.set()
        assert player.until(lambda got: got["type"] == "failed")["code"] == "server"
        shown = second.until(lambda got: got["type"] == "view")
        assert shown["hand"] == before["hand"]


# --- deleted ---


def contents(file):
    with foreign(file) as program:
        return program.execute("SELECT key, number FROM deals ORDER BY key, number").fetchall()


@pytest.mark.parametrize("rest", [[""], ["-wal"], ["", "-wal", "-shm"], ["-wal", "-shm"]], ids=str)
def test_a_deleted_file_is_noticed_and_written_again(file, rest, caplog):
    store = Store(file)
    for number in range(3):
        store.save_deal("key", Row(number, 1, "salt"))
    for one in rest:
        file.with_name(file.name + one).unlink()
    store.save_deal("key", Row(3, 1, "salt"))
    assert [number for _, number in contents(file)] == [0, 1, 2, 3]
    assert store.load_session("other") is None
    store.save_deal("key", Row(4, 1, "salt"))
    store.close()
    assert [number for _, number in contents(file)] == [0, 1, 2, 3, 4]
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert [record.getMessage() for record in caplog.records] == [
        f"{file} was deleted while the server runs; it was written again with all games"
    ]


def test_a_file_in_the_place_of_ours_is_left_alone(file):
    store = Store(file)
    file.rename(file.with_name("moved"))
    file.write_text("somebody else's")
    with pytest.raises(StoreError, match="replaced by another file"):
        store.save_deal("key", Row(0, 1, "salt"))
    store.close()
    assert file.read_text() == "somebody else's"


# --- asked to end ---


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_after_every_clean_end_all_is_in_one_file(tmp_path, file, name):
    command = [sys.executable, "-m", "heartlab.cli", "play", "--port", "0", "--no-browser", "--file", str(file)]
    errors = (tmp_path / "errors").open("w+b")
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    signal.signal(signal.SIGINT, heard)
    try:
        found = re.search(r"http://127.0.0.1:(\d+)/#(\S+)", server.stdout.readline())
        with Client(int(found[1])) as client:
            client.create(found[2], seed=8)
            client.act()
            assert file.with_name(f"{file.name}-wal").stat().st_size > 0
            server.send_signal(getattr(signal, name))
            status = server.wait(PATIENCE)
            key = client.key
    finally:
        server.kill()
        server.wait()
    assert status == {"SIGINT": 0}.get(name, -getattr(signal, name))
    assert {path.name for path in tmp_path.iterdir()} == {file.name, f"{file.name}.lock", "errors"}
    assert contents(file) == [(key, 0)]
    errors.seek(0)
    assert b"Traceback" not in errors.read()


# --- changed by somebody ---

SETTINGS = {"rules": "standard", "players": ["gnome"] * 3}
ROW = {"number": 0, "seed": 1, "salt": "00"}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("settings", b"\xff\xfe"),
        ("settings", 5),
        ("settings", {"rules": "standard"}),
        ("settings", {**SETTINGS, "rules": "nobody's"}),
        ("settings", {**SETTINGS, "players": []}),
        ("settings", {**SETTINGS, "players": ["gnome"] * 9}),
        ("settings", {**SETTINGS, "scores": [10**30] * 4}),
        ("body", b""),
        ("body", b"[" * 100_000),
        ("body", {"number": 0}),
        ("body", {**ROW, "plays": [99, -5]}),
        ("body", {**ROW, "passes": {"9": [1, 2, 3]}}),
        ("body", {**ROW, "points": [1]}),
    ],
)  # fmt: skip
def test_a_table_that_somebody_changed_is_refused_and_left_alone(file, caplog, column, value):
    with serving(file) as served, served.client() as client:
        client.create(served.key, seed=3)
        key = client.key
    kept = value if isinstance(value, bytes | int) else json.dumps(value).encode()
    with foreign(file) as program:
        program.execute(f"UPDATE {'tables' if column == 'settings' else 'deals'} SET {column} = ?", (kept,))
        before = list(program.iterdump())
    caplog.clear()
    with serving(file) as served, served.client() as client:
        answer = client.ask("open", "failed", key=key)
        assert answer["code"] == "server"
        assert answer["text"].startswith(DAMAGED)
        client.create(served.key, seed=4)
        client.act()
    assert not caplog.records
    with foreign(file) as program:
        assert set(before) <= set(program.iterdump()), "somebody may still mend it"


def test_a_table_whose_player_is_not_offered_any_more(file, caplog):
    """It can be looked at, and says why it does not go on."""
    with serving(file) as served, served.client() as client:
        client.create(served.key, seed=3)
        client.act()
        key = client.key
    with foreign(file) as program:
        program.execute("UPDATE tables SET settings = replace(settings, 'gnome', 'exec:touch x')")
    caplog.clear()
    with serving(file) as served, served.client() as client:
        view = client.ask("open", "view", key=key)
        client.say("play", card=view["legal"][0], at=view["plays"])
        failed = client.until(lambda got: got["type"] == "failed")
    assert "no player here is called" in failed["text"]
    assert not caplog.records
