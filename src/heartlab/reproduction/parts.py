"""Parts of an experiment that are done once: each finished part is a file, which a repeated command finds.

The key of a part is its name and all settings that decide its result, including sample sizes, the seed and the version
of the package. So an interrupted reproduction continues, and another setting is another part.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from heartlab import __version__
from heartlab.reproduction.kept import Kept, Unfinished
from heartlab.util.bundle import Arrays, BundleError, open_bundle, write_bundle
from heartlab.util.executor import Executor

DRAFT = ".draft"
"""How the name of an unfinished part's file ends."""
T = TypeVar("T")
PartWork = Callable[[], Mapping[str, Any]]
"""Does the work of a part; returns arrays by name."""


@dataclass(frozen=True)
class Place:
    """Where a part is kept, and what its file says about it."""

    path: Path
    header: Mapping[str, Any]


class _Header(Struct):
    """What must be in the header of a finished part."""

    seconds: float


def timed(work: PartWork) -> tuple[Arrays, float]:
    """Do the work of a part: its arrays, and the seconds that it took."""
    started = time.perf_counter()
    arrays = dict(work())
    return arrays, time.perf_counter() - started


@dataclass
class Workshop:
    """Where an experiment works: its folder, seed, number of threads, and whether it runs in quick mode.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     workshop = Workshop(Path(folder), seed=1, tell=lambda line: None)
    ...     for _ in range(2):
    ...         workshop.part("squares", {"count": 4}, lambda: {"squares": np.arange(4) ** 2})["squares"].tolist()
    [0, 1, 4, 9]
    [0, 1, 4, 9]
    >>> workshop.fresh  # the second time it was read from its file
    1
    """

    folder: Path
    seed: int = 0
    quick: bool = False
    threads: int = 1
    seconds: float = 0.0
    """Time of all parts and units, found finished or not; what several experiments use counts once."""
    fresh: int = 0
    """Parts that were worked on."""
    found: int = 0
    """Parts that were found finished."""
    _counted: set[Path | str] = field(default_factory=set, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    tell: Callable[[str], None] = field(default=lambda line: print(line, file=sys.stderr, flush=True))
    executor: Executor | None = field(default=None, repr=False)
    """Runs several parts at the same time; without it they run one after the other."""
    kept: Path | None = None
    """The file of finished units; by default one in the folder."""
    only_kept: bool = False
    """Whether to work on nothing: reports are made of what is finished."""
    most_runs: int | None = None
    """Work on the first so many runs of each experiment only; None: on all."""

    @cached_property
    def units(self) -> Kept:
        """The finished units."""
        return Kept(self.kept or self.folder / "units.jsonl")

    def size(self, full: int, quick: int) -> int:
        """A sample size: the full one, or that of quick mode."""
        return quick if self.quick else full

    def part(self, name: str, settings: Mapping[str, Any], work: PartWork) -> Arrays:
        """The arrays of one part, from its file or by doing the work."""
        place = self._place(name, settings)
        found = self._find(place)
        if found is None and self.only_kept:
            raise Unfinished(f"the part {name} is not there")
        return self._keep(place, *timed(work)) if found is None else found

    def draft(self, name: str, settings: Mapping[str, Any]) -> Path:
        """The file for an unfinished part; it is removed when the part is finished."""
        return self._place(name, settings).path.with_suffix(DRAFT)

    def _place(self, name: str, settings: Mapping[str, Any]) -> Place:
        """Where a part is kept."""
        settings = {**settings, "seed": self.seed, "package": __version__}
        text = json.dumps(settings, sort_keys=True, default=str)
        digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        path = self.folder / f"{re.sub(r'[^A-Za-z0-9.]+', '-', name)}-{digest}.npz"
        return Place(path, {"part": name, "settings": json.loads(text)})

    def _find(self, place: Place) -> Arrays | None:
        """The arrays of a part that is finished."""
        if place.path.is_file():
            try:
                with open_bundle(place.path) as bundle:
                    seconds, arrays = bundle.header(_Header).seconds, bundle.arrays()
                self.count(place.path, seconds, fresh=False)
                return arrays
            except BundleError:
                self.tell(f"{place.path} is damaged: this part is done again")
        return None

    def _keep(self, place: Place, arrays: Arrays, seconds: float) -> Arrays:
        """Write a finished part."""
        write_bundle(place.path, {**place.header, "seconds": seconds}, arrays)
        place.path.with_suffix(DRAFT).unlink(missing_ok=True)
        self.count(place.path, seconds, fresh=True)
        self.tell(f"{place.header['part']}: {seconds:.1f} s")
        return arrays

    def count(self, one: Path | str, seconds: float, *, fresh: bool) -> None:
        """Count a part or unit and its time, once however many experiments use it."""
        with self._lock:
            if one in self._counted:
                return
            self._counted.add(one)
            self.seconds += seconds
            self.fresh += fresh
            self.found += not fresh

    def parts(self, jobs: Sequence[tuple[str, Mapping[str, Any], PartWork]]) -> list[Arrays]:
        """Several parts, in the order of the jobs, spread over the executor's workers.

        Each is written as soon as it is finished.
        """
        if self.executor is None:
            return [self.part(*job) for job in jobs]
        places = [self._place(name, settings) for name, settings, _ in jobs]
        parts = {number: found for number, place in enumerate(places) if (found := self._find(place)) is not None}
        if self.only_kept and len(parts) < len(jobs):
            raise Unfinished(f"{len(jobs) - len(parts)} parts are not there")
        tasks = {
            number: self.executor.submit(timed, jobs[number][2]) for number in range(len(jobs)) if number not in parts
        }
        while tasks:
            for number in [number for number, task in tasks.items() if task.done()]:
                parts[number] = self._keep(places[number], *tasks.pop(number).result())
            time.sleep(0.02 if tasks else 0)
        return [parts[number] for number in range(len(jobs))]

    def spread(self, jobs: Sequence[Callable[[], T]]) -> Iterator[T]:
        """Do all jobs, several at a time if there is an executor; yields results as they come."""
        if self.executor is None:
            for job in jobs:
                yield job()
            return
        tasks = [self.executor.submit(job) for job in jobs]
        while tasks:
            for task in [task for task in tasks if task.done()]:
                tasks.remove(task)
                yield task.result()
            time.sleep(0.02 if tasks else 0)

    def alone(self) -> Workshop:
        """The same workshop for one of several jobs: it works on one thread."""
        other = object.__new__(Workshop)
        other.__dict__.update(self.__dict__, executor=None, threads=1)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """The state without lock, executor and units, which cannot travel to a worker."""
        state = {name: value for name, value in self.__dict__.items() if name != "units"}
        return {**state, "_lock": None, "executor": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())
