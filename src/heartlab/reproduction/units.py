"""Units of evidence: what one independent training run showed, as a line of JSON small enough to be committed.

A unit is everything that an experiment measures with the run of one seed: networks are trained, matches are played, and
what is left is a handful of numbers. Units are kept in one file of JSON lines per paper. So a report can be made over
several sessions, on machines that are not kept: whoever has the file has all that was measured, and only units that are
missing are worked on. The networks themselves are parts (see :mod:`heartlab.reproduction.parts`): they are large, stay
where they were trained, and are trained again where a missing unit needs them.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from heartlab import __version__
from heartlab.reproduction.kept import Line, Unfinished, Unit, source_commit
from heartlab.reproduction.parts import Workshop

UnitWork = Callable[[Workshop, int], Mapping[str, Any]]
"""Measures the run with this number."""
DIGITS = 5
"""Significant digits that are kept of a float."""


def rounded(value: Any) -> Any:
    """A value for JSON: arrays as lists, floats with few digits."""
    if isinstance(value, Mapping):
        return {str(name): rounded(one) for name, one in value.items()}
    if hasattr(value, "tolist"):
        return rounded(value.tolist())
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def run_units(
    shop: Workshop, name: str, settings: Mapping[str, Any], runs: int, work: UnitWork, least: int = 2
) -> list[Unit]:  # fmt: skip
    """The units of several runs, from the file or by doing the work, several at a time on the workshop's executor.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shop = Workshop(Path(folder), tell=lambda line: None)
    ...     [unit["square"] for unit in run_units(shop, "squares", {}, 3, lambda shop, run: {"square": run * run})]
    [0, 1, 4]

    :raises Unfinished: if fewer than `least` are finished: the workshop is to do no work, or not all of it.
    """
    planned = runs
    runs = planned if shop.most_runs is None else min(planned, shop.most_runs)
    kept = shop.units
    keys = [_key(shop, name, settings, run) for run in range(runs)]
    missing = [run for run in range(runs) if kept.find(keys[run]) is None]
    if missing and not shop.only_kept:
        shop.tell(f"{name}: {runs - len(missing)} of {runs} runs found")
        for line in shop.spread([partial(_measure, shop.alone(), name, run, keys[run], work) for run in missing]):
            kept.add(line)
            shop.tell(f"{name}, run {line.run}: {line.seconds:.1f} s")
    found = [one for key in keys if (one := kept.find(key)) is not None]
    if len(found) < min(least, planned):
        raise Unfinished(f"{len(found)} of {planned} runs of {name} are finished")
    for one in found:
        shop.count(one.key, one.seconds, fresh=one.run in missing)
    return [one.found for one in found]


def _key(shop: Workshop, name: str, settings: Mapping[str, Any], run: int) -> str:
    """Tells a unit apart from all others: its name, run and settings, the seed, the mode and the version."""
    deciding = {**settings, "unit": name, "run": run, "seed": shop.seed, "quick": shop.quick, "package": __version__}
    text = json.dumps(deciding, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _measure(shop: Workshop, name: str, run: int, key: str, work: UnitWork) -> Line:
    """Do the work of one run."""
    started = time.perf_counter()
    found = rounded(dict(work(shop, run)))
    return Line(name, run, key, source_commit(), round(time.perf_counter() - started, 1), found)
