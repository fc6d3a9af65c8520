"""Parts of an experiment that are done once: each finished part is a file, and a repeated command finds it.

A part is named by what it is and by all settings that decide its result; sample sizes, the seed and the version of the
package are among them. So an interrupted reproduction goes on where it was, and another setting is another part.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heartlab import __version__
from heartlab.bundle import Arrays, BundleError, read_bundle, write_bundle

PartWork = Callable[[], Mapping[str, Any]]
"""Does the work of a part and gives arrays by name."""


@dataclass
class Workshop:
    """Where an experiment works: its seed, its folder, how many threads it may use, and whether it is in a hurry."""

    folder: Path
    seed: int = 0
    quick: bool = False
    threads: int = 1
    seconds: float = 0.0
    """Time that the parts took, also those that were found finished; parts that several experiments use count once."""
    fresh: int = 0
    """Parts that were worked on."""
    found: int = 0
    """Parts that were found finished."""
    _counted: set[Path] = field(default_factory=set, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    tell: Callable[[str], None] = field(default=lambda line: print(line, file=sys.stderr, flush=True))

    def size(self, full: int, quick: int) -> int:
        """A sample size: the full one, or the one for a hurry."""
        return quick if self.quick else full

    def part(self, name: str, settings: Mapping[str, Any], work: PartWork) -> Arrays:
        """The arrays of one part, from its file or by doing the work."""
        settings = {**settings, "seed": self.seed, "package": __version__}
        text = json.dumps(settings, sort_keys=True, default=str)
        digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        path = self.folder / f"{re.sub(r'[^A-Za-z0-9.]+', '-', name)}-{digest}.npz"
        if path.is_file():
            try:
                header, arrays = read_bundle(path)
                self._count(path, float(header["seconds"]), fresh=False)
                return arrays
            except (BundleError, KeyError):
                self.tell(f"{path} is damaged: this part is done again")
        started = time.perf_counter()
        arrays = dict(work())
        taken = time.perf_counter() - started
        write_bundle(path, {"part": name, "settings": json.loads(text), "seconds": taken}, arrays)
        self._count(path, taken, fresh=True)
        self.tell(f"{name}: {taken:.1f} s")
        return arrays

    def _count(self, path: Path, seconds: float, *, fresh: bool) -> None:
        with self._lock:
            if path in self._counted:
                return
            self._counted.add(path)
            self.seconds += seconds
            self.fresh += fresh
            self.found += not fresh

    def parts(self, jobs: Sequence[tuple[str, Mapping[str, Any], PartWork]]) -> list[Arrays]:
        """Several parts, spread over the threads, in the order in which they were asked for."""
        if self.threads <= 1:
            return [self.part(*job) for job in jobs]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(lambda job: self.part(*job), jobs))
