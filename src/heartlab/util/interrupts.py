"""Deferred interrupts (Ctrl-C) and other signals, so that a step is completed or not begun."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from heartlab.util.executor import asked_to_stop


@contextmanager
def interrupt_noted() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether Ctrl-C was pressed; a second Ctrl-C interrupts at once.

    Only the main thread receives interrupts. In other threads the function tells whether the executor was closed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield asked_to_stop
        return
    seen = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def note(signum: int, frame: Any) -> None:
        if seen.is_set():
            raise KeyboardInterrupt
        seen.set()

    signal.signal(signal.SIGINT, note)
    try:
        yield seen.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupt_held() -> Iterator[None]:
    """Delay an interrupt until the end of the block."""
    with interrupt_noted() as noted:
        yield
    if noted():
        raise KeyboardInterrupt


def ending_signals() -> list[int]:
    """The signals that ask a program to end, apart from Ctrl-C, as far as this system has them.

    Windows has neither SIGHUP nor a SIGTERM from others; Ctrl-Break is its SIGBREAK.
    """
    found = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP", "SIGBREAK")]
    return [int(one) for one in found if one is not None]


@contextmanager
def signals_held(stop: Callable[[], None]) -> Iterator[None]:
    """Call a function when a signal asks the program to end, and let the signal act only after the end of the block.

    So what the block closes at its end is closed. An ignored signal, as SIGHUP under `nohup`, stays ignored. Only the
    main thread receives signals; in others this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []

    def note(signum: int, frame: Any) -> None:
        caught.append(signum)
        stop()

    before = {one: signal.getsignal(one) for one in ending_signals()}
    before = {one: handler for one, handler in before.items() if handler not in (None, signal.SIG_IGN)}
    for one in before:
        signal.signal(one, note)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    if caught:
        signal.raise_signal(caught[0])


@contextmanager
def quiet_interrupts() -> Iterator[None]:
    """Print nothing about a Ctrl-C that comes while C code calls Python, where Python ignores it with a traceback."""
    before = sys.unraisablehook

    def report(found: sys.UnraisableHookArgs) -> None:
        if not issubclass(found.exc_type, KeyboardInterrupt):
            before(found)

    sys.unraisablehook = report
    try:
        yield
    finally:
        sys.unraisablehook = before
