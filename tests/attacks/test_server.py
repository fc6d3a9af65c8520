"""Attacks on `heartlab play` over TCP: silent and half-open connections, dropped sockets, logs filled from outside."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import resource
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.web_client import Client, serving
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from heartlab.deal import Deal
from heartlab.records.format import to_json
from heartlab.web import gate as gate_module
from heartlab.web import transport
from heartlab.web.gate import RESERVE, Gate, Limits, OncePerMinute, Stage, make_gate, raise_file_limit

PATIENCE = 600
FEW = Limits(total=40, silent=10, idle=10)
QUICK = Limits(total=40, silent=10, idle=10, request_seconds=0.05, answer_seconds=0.05)


def dial(port):
    line = socket.create_connection(("127.0.0.1", port), PATIENCE)
    line.settimeout(PATIENCE)
    return line


def page(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE) as answer:
        return answer.read()


def a_record():
    deal = Deal("standard", seed=3, number=3)
    deal.play_randomly(1)
    return to_json(deal.to_record(players=tuple("abcd"), seed=3))


def is_cut(line):
    """Whether the other end has closed a connection; waits for it."""
    try:
        while line.recv(4096):
            pass
    except ConnectionError:
        pass
    return True


def reset(line):
    """Cut a connection without a word, as a client does that was killed or has left the network."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()


def raw_socket(port):
    """A WebSocket without a library: it never reads, and sends what it likes."""
    line = dial(port)
    line.sendall(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert line.recv(12) == b"HTTP/1.1 101"
    return line


def is_cut_while_sending(line, piece):
    """Whether the other end closes the connection before 400 of these pieces are sent."""
    try:
        for _ in range(400):
            line.sendall(piece)
    except ConnectionError:
        return True
    return False


@pytest.mark.parametrize(
    ("first", "rest"),
    [(b"", b"\x89\xfd\0\0\0\0" + bytes(125)), (b"\x01\x80\0\0\0\0", b"\x00\x80\0\0\0\0")],
    ids=["pings whose answers nobody reads", "a message in countless empty pieces"],
)
def test_no_client_fills_the_memory(first, rest):
    """Both grew the server by as much as was sent, with no key; now the connection is cut."""
    with serving() as served, raw_socket(served.port) as line:
        line.sendall(first)
        assert is_cut_while_sending(line, rest * 2000)
        with served.client() as client:
            assert client.hello["type"] == "hello"


# --- silence ---


def test_the_page_is_reached_beside_many_silent_connections():
    with serving(limits=FEW) as served, contextlib.ExitStack() as lines:
        silent = [lines.enter_context(dial(served.port)) for _ in range(3 * FEW.total)]
        assert b"Hearts" in page(served.port)
        assert is_cut(silent[0]), "the oldest made way"
        assert len(served.gate) <= FEW.silent + 1
        with served.client() as client:
            client.create(served.key, seed=3)
            client.act()


def test_tables_are_reached_beside_many_silent_websockets():
    with serving(limits=FEW) as served, contextlib.ExitStack() as lines, served.client() as client:
        client.create(served.key, seed=3)
        for _ in range(2 * FEW.total):
            lines.enter_context(connect(f"ws://127.0.0.1:{served.port}/ws", open_timeout=PATIENCE))
        assert b"Hearts" in page(served.port)
        client.act()
        assert len(served.gate) <= FEW.idle + FEW.silent + 1


def test_who_waits_for_an_answer_does_not_make_way():
    with serving(limits=FEW) as served, served.client() as client, contextlib.ExitStack() as lines:
        coach_is_free = threading.Event()
        asyncio.run_coroutine_threadsafe(served.house.think(coach_is_free.wait, PATIENCE), served.loop)
        try:
            client.say("read", house=served.key, text=a_record())
            for _ in range(2 * FEW.total):
                lines.enter_context(connect(f"ws://127.0.0.1:{served.port}/ws", open_timeout=PATIENCE))
        finally:
            coach_is_free.set()
        assert client.receive()["type"] == "deals"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\nHost: ",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nslow",
    ],
    ids=["silent", "half a header", "half a second header", "half a body"],
)
def test_half_a_request_is_cut_off(sent):
    with serving(limits=QUICK) as served, dial(served.port) as line:
        line.sendall(sent)
        assert is_cut(line)
        while len(served.gate):
            time.sleep(0.01)


def test_dripping_bytes_do_not_keep_a_connection():
    """Every byte used to stop the clock."""
    with serving(limits=Limits(request_seconds=0.3)) as served, dial(served.port) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\nX-Slow: ")
        end = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < end:
                line.sendall(b"x")
                time.sleep(0.01)
            pytest.fail("it was never cut off")
        except ConnectionError:
            pass


def test_a_seat_at_a_table_is_never_taken_away():
    closed = []
    gate = Gate(Limits(total=4, silent=2, idle=2))
    for port in range(4):
        gate.enter(("10.0.0.1", port), lambda port=port: closed.append(port))
        gate.move(("10.0.0.1", port), Stage.BUSY)
    gate.enter(("10.0.0.2", 1), lambda: closed.append("late"))
    assert (closed, len(gate)) == (["late"], 4)
    gate.leave(("10.0.0.1", 0))
    gate.enter(("10.0.0.2", 2), lambda: closed.append("silent"))
    gate.enter(("10.0.0.3", 3), lambda: closed.append("too late"))
    assert closed == ["late", "silent"], "a silent one makes way for a new one"
    for port in range(4):
        gate.move(("10.0.0.1", port), Stage.IDLE)
    assert closed == ["late", "silent", 1], "of three without a table the first is closed"
    for client in [("10.0.0.1", 2), ("10.0.0.1", 3), ("10.0.0.3", 3), ("nobody", 1)]:
        gate.leave(client)
    assert len(gate) == 0
    assert not any(gate._waiting.values()), "nothing is remembered of those who left"


def test_there_are_fewer_connections_than_files(monkeypatch, capsys):
    assert Limits().within(20_000).total == Limits().total
    assert Limits().within(1024).total == 1024 - RESERVE
    monkeypatch.setattr(gate_module, "raise_file_limit", lambda wanted: 256)
    assert make_gate().limits.total == 256 - RESERVE
    assert "allows 256 open files, so at most 128 connections" in capsys.readouterr().err


def test_the_limit_of_files_is_raised_as_far_as_allowed(monkeypatch):
    state = {"limit": (100, 300)}
    monkeypatch.setattr(resource, "getrlimit", lambda kind: state["limit"])
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limit: state.update(limit=limit))
    assert (raise_file_limit(200), state["limit"]) == (200, (200, 300))
    assert (raise_file_limit(900), state["limit"]) == (300, (300, 300))
    assert raise_file_limit(50) == 300


# --- the log ---


def test_a_message_is_logged_once_a_minute(caplog):
    now = [0.0]
    logger = logging.getLogger("heartlab.test.quiet")
    logger.addFilter(OncePerMinute(lambda: now[0]))
    for second in range(150):
        now[0] = float(second)
        logger.warning("cannot accept %d", second)
    assert [record.getMessage() for record in caplog.records] == [
        "cannot accept 0",
        "cannot accept 60 (59 more since the last time)",
        "cannot accept 120 (59 more since the last time)",
    ]


def test_failures_that_a_client_can_repeat_are_logged_once(caplog):
    """A message that makes the server fail must not write a traceback each time."""
    with serving() as served, served.client() as client:
        served.house.check_house = None  # a defect of ours
        for _ in range(5):
            assert client.ask("level", "failed", house=served.key, name="You")["code"] == "server"
    assert [record.getMessage() for record in caplog.records if record.exc_info] == ["a message failed"]


def test_a_connection_that_cannot_be_accepted_is_a_line_without_a_traceback(caplog):
    error = OSError(24, "Too many open files")
    transport.note_failure(None, {"exception": error, "message": "socket.accept() out of system resource"})
    transport.note_failure(None, {"exception": ConnectionResetError()})
    assert [record.getMessage() for record in caplog.records] == [
        "a connection cannot be accepted: Too many open files",
        "a connection was cut off: ConnectionResetError",
    ]
    assert not any(record.exc_info for record in caplog.records)


def test_dropped_sockets_log_nothing_and_lose_nothing(caplog, capfd):
    """Cut off in the middle of a request, of a file, of the handshake, and with an answer under way."""
    text = a_record()
    with serving() as served:
        for sent in (b"GET / HT", b"GET /page/table.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\x16\x03\x01"):
            for _ in range(5):
                line = dial(served.port)
                line.sendall(sent)
                reset(line)
        with served.client() as keeper:
            keeper.create(served.key, seed=3)
            coach_is_free = threading.Event()
            asyncio.run_coroutine_threadsafe(served.house.think(coach_is_free.wait, PATIENCE), served.loop)
            there = len(served.gate)
            for _ in range(5):
                with contextlib.suppress(WebSocketException), served.client() as client:
                    client.ask("open", "view", key=keeper.key)
                    client.say("read", house=served.key, text=text)
                    reset(client.socket.socket)
            try:
                while len(served.gate) > there:
                    time.sleep(0.01)
            finally:
                coach_is_free.set()
            keeper.act()
            keeper.ask("read", "deals", house=served.key, text=text)
            seen = keeper.view
            assert keeper.ask("open", "view", key=keeper.key)["hand"] == seen["hand"]
    told = [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR]
    assert not told, [record.getMessage() for record in told]
    assert "Traceback" not in capfd.readouterr().err


# --- the real thing ---


def test_1100_silent_connections_leave_the_page_reachable(tmp_path):
    """A server that may open 1,024 files: the log stays small, and after the attack everything is as before."""
    attack = 1100
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < attack + RESERVE:
        pytest.skip(f"only {hard} open files are allowed here")
    raise_file_limit(attack + RESERVE)

    def small():
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))

    command = [sys.executable, "-m", "heartlab.cli", "play", "--port", "0", "--no-browser"]
    command += ["--file", str(tmp_path / "games.sqlite")]
    errors = (tmp_path / "errors").open("w+b")
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, preexec_fn=small)
    try:
        found = re.search(r"http://127.0.0.1:(\d+)/#(\S+)", server.stdout.readline())
        port, house = int(found[1]), found[2]
        with contextlib.ExitStack() as lines:
            for number in range(attack):
                line = lines.enter_context(dial(port))
                if number % 2:
                    with contextlib.suppress(ConnectionError):
                        line.sendall(b"GET / HTTP/1.1\r\nHost: 127")
            assert b"Hearts" in page(port)
            with Client(port) as client:
                client.create(house, seed=8)
                client.act()
            files = len(list(Path(f"/proc/{server.pid}/fd").iterdir())) if os.path.exists("/proc/self/fd") else 0
            assert files < 1024 - RESERVE // 2
        assert b"Hearts" in page(port)
    finally:
        server.terminate()
        server.wait(PATIENCE)
    errors.seek(0)
    text = errors.read().decode()
    assert "Traceback" not in text
    assert len(text) < 4000, text
