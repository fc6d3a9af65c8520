"""Where tasks run: on threads of this machine, or on a Ray cluster. The task functions are the same.

A task is a function of this package with its arguments. Its result depends on its arguments alone, so that it does not
matter where it runs, nor whether it runs again because the machine that had it died.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, Protocol

RETRIES = 8
"""How often Ray gives a task to another worker when one died."""


class ExecutorError(ValueError):
    """A place to run that is not there."""


class Task(Protocol):
    """Something that runs, or waits to."""

    def result(self) -> Any:
        """Wait for it, and give what the function returned or raise what it raised."""

    def done(self) -> bool:
        """Whether it is over, one way or another."""

    def cancel(self) -> Any:
        """Forget about it, if it has not begun."""


class Executor(Protocol):
    """What runs tasks."""

    workers: int
    """How many run at the same time."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Task:
        """Have a function called."""

    def close(self) -> None:
        """No more tasks; those that have not begun are forgotten, and running ones may end early."""


_here = threading.local()


def asked_to_stop() -> bool:
    """Whether the executor that runs the task around us was closed: long tasks ask now and then, and end early."""
    stop: threading.Event | None = getattr(_here, "stop", None)
    return stop is not None and stop.is_set()


class Stopped(Exception):
    """A task that ended early because it was asked to."""


class LocalExecutor:
    """Threads of this process: kernels run without the GIL."""

    def __init__(self, threads: int | None = None) -> None:
        self.workers = threads or os.cpu_count() or 1
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(self.workers, initializer=setattr, initargs=(_here, "stop", self._stop))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Task:
        return self._pool.submit(function, *arguments)

    def close(self) -> None:
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


class _RayTask:
    def __init__(self, ray: Any, reference: Any) -> None:
        self._ray, self._reference = ray, reference

    def result(self) -> Any:
        try:
            return self._ray.get(self._reference)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None

    def done(self) -> bool:
        return bool(self._ray.wait([self._reference], timeout=0)[0])

    def cancel(self) -> None:
        self._ray.cancel(self._reference)


class RayExecutor:
    """A Ray cluster; every node needs this package installed. A task whose worker dies is given to another one."""

    def __init__(self, address: str = "") -> None:
        """
        :param address: of a running cluster; without it Ray uses RAY_ADDRESS, or starts on this machine.
        :raises ExecutorError: if Ray is not installed, or there is no cluster at the address.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray: Any = import_module("ray")
        except ImportError:
            raise ExecutorError("Ray is not installed: pip install 'heartlab[ray]' brings it") from None
        self._ray = ray
        self._ours = not ray.is_initialized()
        if self._ours:
            _knock(address)
            try:
                ray.init(address=address or None, log_to_driver=False, logging_level="error")
            except (ConnectionError, ValueError, RuntimeError) as error:
                where = f"at {address!r}" if address else "here"
                first = (str(error).strip() or type(error).__name__).splitlines()[0]
                raise ExecutorError(f"no Ray cluster {where}: {first}") from None
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Task:
        remote = self._ray.remote(num_cpus=1, max_retries=RETRIES)(function)
        return _RayTask(self._ray, remote.remote(*arguments))

    def close(self) -> None:
        if self._ours:
            self._ray.shutdown()


def _knock(address: str) -> None:
    """Refuse an address where nobody listens at once: Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isascii() and port.isdigit():
        try:
            socket.create_connection((host.strip("[]"), int(port)), 5.0).close()
        except (OSError, OverflowError) as error:
            raise ExecutorError(f"no Ray cluster at {address!r}: {error}") from None


def make_executor(on: str, threads: int | None = None) -> Executor:
    """The executor of a name: `local`, `ray` or `ray:ADDRESS`.

    :raises ExecutorError: if there is none.
    """
    kind, _, address = on.partition(":")
    if kind == "ray":
        if threads is not None:
            raise ExecutorError(f"--threads {threads} means nothing with --on {on}: the cluster decides")
        return RayExecutor(address)
    if on == "local":
        return LocalExecutor(threads)
    raise ExecutorError(f"--on {on}: tasks run on `local`, `ray` or `ray:ADDRESS`")
