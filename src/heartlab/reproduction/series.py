"""Training runs of experiments: each learner is trained with several seeds, and measured on the way.

A run is a part of its experiment (see :mod:`heartlab.reproduction.parts`): its file holds the learning curve, what was
measured at some marks, and what was left at the end. A run that is interrupted leaves a draft, from which the next
command continues to the identical result.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta, Struct

from heartlab.reproduction.parts import Workshop
from heartlab.training.recipes import Learning, Metrics
from heartlab.training.run import steps
from heartlab.util.bundle import Arrays, open_bundle, write_bundle
from heartlab.util.executor import Stopped, asked_to_stop

DRAFT_SECONDS = 60.0
"""Seconds between two drafts of a run."""
SEEDS = 1000
"""The seeds of the runs of an experiment with seed s are s·SEEDS, s·SEEDS + 1, and so on."""


class Study(ABC):
    """A learner to be trained: what is trained, how long, and what is measured.

    >>> import tempfile
    >>> class Adder:
    ...     chunk, total = 5, 0
    ...     def step(self, first, count):
    ...         self.total += sum(range(first, first + count))
    ...         return []
    >>> class Adding(Study):
    ...     marks = (10, 20)
    ...     def part_name(self, run):
    ...         return f"adding {run}"
    ...     def key(self, run):
    ...         return {"games": 20, "run": run}
    ...     def trainer(self, seed):
    ...         return Adder()
    ...     def at_mark(self, trainer):
    ...         return {"total": trainer.total}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     runs = train_runs(Workshop(Path(folder), tell=lambda line: None), Adding(), runs=2)
    >>> [run["total"].tolist() for run in runs]
    [[45, 190], [45, 190]]
    """

    marks: Sequence[int]
    """Games after which there is a measurement; the last is the end."""
    curve_name: ClassVar[str] = ""
    """The array of the learning curve; none: it is not kept."""

    @abstractmethod
    def part_name(self, run: int) -> str:
        """The name of the part of a run."""

    @abstractmethod
    def key(self, run: int) -> Mapping[str, Any]:
        """All settings that decide the result of a run, except the seed of the experiment."""

    @abstractmethod
    def trainer(self, seed: int) -> Learning:
        """A fresh trainer."""

    def curve(self, line: Metrics) -> Any:
        """The point of the learning curve in a line of metrics; None: there is none."""
        return None

    def at_mark(self, trainer: Learning) -> Mapping[str, Any]:
        """What is measured at a mark; the arrays get one row per mark."""
        return {}

    def at_end(self, trainer: Learning) -> Mapping[str, Any]:
        """What is kept in the end."""
        return {}


def run_seed(workshop: Workshop, run: int) -> int:
    """The seed of one of several runs."""
    return SEEDS * workshop.seed + run


def train_runs(workshop: Workshop, study: Study, runs: int) -> list[Arrays]:
    """Train a learner several times."""
    return train_all(workshop, [(study, run) for run in range(runs)])


def train_all(workshop: Workshop, wanted: Iterable[tuple[Study, int]]) -> list[Arrays]:
    """Train learners, each with the number of its run, or find them trained; several at a time on an executor."""
    jobs = []
    for study, run in wanted:
        name, key = study.part_name(run), study.key(run)
        work = partial(train_study, study, run_seed(workshop, run), workshop.draft(name, key))
        jobs.append((name, key, work))
    return workshop.parts(jobs)


def train_study(study: Study, seed: int, draft: Path | None = None) -> Arrays:
    """Train a learner to its last mark, from a draft if there is one.

    :raises Stopped: if the executor was closed meanwhile; then the draft says how far it was.
    """
    trainer = study.trainer(seed)
    done, curve, marked = _restore(draft, trainer)
    written = time.monotonic()
    for place, mark in enumerate(study.marks):
        for now, lines in steps(trainer, done, mark):
            done = now
            curve += [study.curve(line) for line in lines] if study.curve_name else []
            stop = asked_to_stop()
            if draft and (stop or time.monotonic() - written > DRAFT_SECONDS):
                _write(draft, trainer, done, curve, marked)
                written = time.monotonic()
            if stop:
                raise Stopped
        if place == len(marked):
            marked.append(study.at_mark(trainer))
    found: Arrays = {name: np.array([row[name] for row in marked]) for name in marked[0]}
    if study.curve_name:
        found[study.curve_name] = np.array([point for point in curve if point is not None])
    return {**found, **study.at_end(trainer)}


def _write(
    draft: Path, trainer: Learning, done: int, curve: Sequence[Any], marked: Sequence[Mapping[str, Any]]
) -> None:
    """Write down how far a run is."""
    arrays = {f"trainer/{name}": array for name, array in trainer.checkpoint().items()}
    for place, row in enumerate(marked):
        arrays |= {f"mark/{place}/{name}": np.asarray(value) for name, value in row.items()}
    write_bundle(draft, {"done": done, "marks": len(marked), "curve": list(curve)}, arrays)


class _Draft(Struct):
    """The header of a draft."""

    done: Annotated[int, Meta(ge=0)]
    marks: Annotated[int, Meta(ge=0, le=10_000)]
    curve: list[Any]


def _restore(draft: Path | None, trainer: Learning) -> tuple[int, list[Any], list[Mapping[str, Any]]]:
    """How far a run is: games done, its curve, its measurements; a damaged draft is ignored."""
    if draft is None or not draft.is_file():
        return 0, [], []
    try:
        with open_bundle(draft) as bundle:
            header, arrays = bundle.header(_Draft), bundle.arrays()
        trainer.restore(_under(arrays, "trainer/"))
    except (ValueError, KeyError):  # also what a trainer says of a checkpoint that does not fit
        return 0, [], []
    return header.done, header.curve, [_under(arrays, f"mark/{place}/") for place in range(header.marks)]


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
