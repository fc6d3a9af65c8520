"""Signals that end us, and those of Windows with stand-ins."""

from __future__ import annotations

import os
import signal

import pytest

from heartlab.util.interrupts import ending_signals, signals_held


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
