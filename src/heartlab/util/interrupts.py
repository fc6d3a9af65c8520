"""Interrupts (Ctrl-C) that wait for a good moment, so that what belongs together is done together or not at all."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from heartlab.util.executor import asked_to_stop


@contextmanager
def interrupt_noted() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a note, so that a step is never torn; a second one stops at once as usual.

    Only the main thread gets interrupts. In others it is their executor that may want them to stop.
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
    """Let an interrupt take effect only after the block."""
    with interrupt_noted() as noted:
        yield
    if noted():
        raise KeyboardInterrupt
