"""Code paths of other systems, followed here with stand-ins: locks and signals on Windows, and signals that end us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import types

import pytest

from heartlab.util import locks
from heartlab.util.interrupts import ending_signals, signals_held
from heartlab.util.locks import InUse, alone


@pytest.fixture
def windows(monkeypatch):
    """The locks of Windows: one byte of a file belongs to one process; who comes second is denied."""
    held = []

    def locking(file, mode, size):
        assert (mode, size) == (2, 1)
        if held:
            raise PermissionError(13, "Permission denied")
        held.append(file)

    monkeypatch.setattr(locks.os, "name", "nt")
    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2))
    return held


def test_a_lock_on_windows_is_held_and_refused(tmp_path, windows):
    path = tmp_path / "games.lock"
    with alone(path, "busy"):
        assert len(windows) == 1
        with pytest.raises(InUse, match="busy"), alone(path, "busy"):
            pytest.fail("two hold one lock")
    windows.clear()
    with alone(path, "busy"):
        pass


def test_without_locks_work_goes_on(tmp_path, windows, monkeypatch):
    def unsupported(file, mode, size):
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(sys.modules["msvcrt"], "locking", unsupported)
    with alone(tmp_path / "games.lock", "busy"):
        pass


def test_windows_has_a_signal_of_its_own_and_no_hangup(monkeypatch):
    monkeypatch.delattr(signal, "SIGHUP", raising=False)
    monkeypatch.setattr(signal, "SIGBREAK", 21, raising=False)
    assert ending_signals() == [int(signal.SIGTERM), 21]


def test_signals_wait_for_the_end_of_the_block():
    heard, stopped = [], []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        with signals_held(lambda: stopped.append(True)):
            os.kill(os.getpid(), signal.SIGTERM)
            assert (heard, stopped) == ([], [True])
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs SIGHUP")
def test_an_ignored_signal_stays_ignored():
    """As under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals_held(lambda: pytest.fail("it was ignored")):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_locks_of_this_system_hold_between_processes(tmp_path):
    path = tmp_path / "games.lock"
    program = (
        f"from heartlab.util.locks import alone; from pathlib import Path\nwith alone(Path({str(path)!r}), 'busy'): 1"
    )
    with alone(path, "busy"):
        done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    assert "InUse: busy" in done.stderr
    assert path.exists()
