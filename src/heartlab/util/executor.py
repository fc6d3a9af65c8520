"""Where tasks run: on threads of this machine, or on a Ray cluster. The task functions are the same.

A task is a function of this package with its arguments. Its result depends only on its arguments, so it does not matter
where it runs, or whether it runs again because a machine failed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, Protocol

RETRIES = 8
"""How often Ray runs a task again after its worker died."""


class ExecutorError(ValueError):
    """An executor that does not exist or cannot be reached."""


class Task(Protocol):
    """A task that runs or waits to run."""

    def result(self) -> Any:
        """Wait for the task; return what the function returned, or raise what it raised."""

    def done(self) -> bool:
        """Whether the task has ended, with a result or an error."""

    def cancel(self) -> Any:
        """Cancel the task if it has not begun."""


class Executor(Protocol):
    """Runs tasks."""

    workers: int
    """The number of tasks that run at the same time."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Task:
        """Run a function with these arguments."""

    def close(self) -> None:
        """Accept no more tasks; cancel those that have not begun; running ones may end early."""


_here = threading.local()


def asked_to_stop() -> bool:
    """Whether the executor of the current task was closed; long tasks check this from time to time and end early."""
    stop: threading.Event | None = getattr(_here, "stop", None)
    return stop is not None and stop.is_set()


class Stopped(Exception):
    """Raised by a task that ends early because its executor was closed."""


class LocalExecutor:
    """Threads of this process, which run in parallel because kernels release the GIL."""

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
        except self._ray.exceptions.RayError as error:
            raise ExecutorError(f"Ray failed: {_first_line(error)}") from None

    def done(self) -> bool:
        return bool(self._ray.wait([self._reference], timeout=0)[0])

    def cancel(self) -> None:
        self._ray.cancel(self._reference)


class RayExecutor:
    """A Ray cluster, with this package installed on every node. The task of a worker that dies runs again elsewhere."""

    def __init__(self, address: str = "") -> None:
        """
        :param address: the address of a running cluster; by default RAY_ADDRESS, a cluster that runs on this
            machine, or a new one that only this machine can reach.
        :raises ExecutorError: if Ray is not installed or does not start, or there is no cluster at the address.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        with _words_to_stderr():
            try:
                ray: Any = import_module("ray")
            except ImportError:
                raise ExecutorError("Ray is not installed: install it with pip install 'heartlab[ray]'") from None
            self._ray = ray
            self._ours = not ray.is_initialized()
            if self._ours:
                address = address or os.environ.get("RAY_ADDRESS", "")
                _knock(address)
                _start(ray, address)
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Task:
        remote = self._ray.remote(num_cpus=1, max_retries=RETRIES)(function)
        return _RayTask(self._ray, remote.remote(*arguments))

    def close(self) -> None:
        if self._ours:
            self._ray.shutdown()


def _start(ray: Any, address: str) -> None:
    """Join the cluster at an address, or one that runs on this machine; if there is none, start one that is closed.

    :raises ExecutorError: if that is not possible.
    """
    quiet = {"log_to_driver": False, "logging_level": "error"}
    try:
        if address not in ("", "local"):
            ray.init(address=address, **quiet)
            return
        if not address:
            with contextlib.suppress(ConnectionError):
                ray.init(address="auto", **quiet)
                return
        with _loopback_only():
            ray.init(address="local", include_dashboard=False, **quiet)
    except (Exception, SystemExit) as error:
        where = "Ray cannot start here" if address in ("", "local") else f"no Ray cluster at {address!r}"
        raise ExecutorError(f"{where}: {_first_line(error)}") from None
    open_to = {node["NodeManagerAddress"] for node in ray.nodes()} - {"127.0.0.1", "::1"}
    if open_to:
        ray.shutdown()
        raise ExecutorError(
            f"this version of Ray would listen on {', '.join(sorted(open_to))}, where others can reach it; "
            "start it yourself with `ray start --head` if that is meant"
        )


@contextlib.contextmanager
def _loopback_only() -> Iterator[None]:
    """Let a new Ray cluster listen on 127.0.0.1 only.

    Ray replaces a loopback address that it is given by one that others can reach. It uses loopback for all its ports
    where clusters of several machines are switched off, which is its default on macOS and Windows.
    """
    constants: Any = import_module("ray._private.ray_constants")
    before = constants.ENABLE_RAY_CLUSTER
    constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


@contextlib.contextmanager
def _words_to_stderr() -> Iterator[None]:
    """Send what is written to standard output within, by this process or those that it starts, to standard error."""
    sys.stdout.flush()
    with contextlib.ExitStack() as after, contextlib.redirect_stdout(sys.stderr):
        with contextlib.suppress(OSError):  # one of the two may be closed
            kept = os.dup(1)
            after.callback(os.close, kept)
            os.dup2(2, 1)
            after.callback(os.dup2, kept, 1)
        yield


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _knock(address: str) -> None:
    """Raise an error at once if nothing listens at the address: Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isascii() and port.isdigit():
        try:
            socket.create_connection((host.strip("[]"), int(port)), 5.0).close()
        except (OSError, OverflowError) as error:
            raise ExecutorError(f"no Ray cluster at {address!r}: {error}") from None


def make_executor(on: str, threads: int | None = None) -> Executor:
    """Make an executor by name: `local`, `ray` or `ray:ADDRESS`.

    :raises ExecutorError: for an unknown name, or a cluster that cannot be reached.
    """
    kind, _, address = on.partition(":")
    if kind == "ray":
        if threads is not None:
            raise ExecutorError(f"--threads {threads} means nothing with --on {on}: the cluster decides")
        return RayExecutor(address)
    if on == "local":
        return LocalExecutor(threads)
    raise ExecutorError(f"--on {on}: tasks run on `local`, `ray` or `ray:ADDRESS`")
