"""Deferred interrupts (Ctrl-C), so that a step is completed or not begun."""

from __future__ import annotations

import signal
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
