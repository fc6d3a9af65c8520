"""`heartlab sweep`: many training runs of one recipe, over seeds and values of parameters, wherever tasks run.

Each run is a folder like that of `heartlab train`, with the same content. A run that is finished is not repeated; one
that was interrupted goes on where its last checkpoint is. Here a run is trained in its own folder, so that an
interruption leaves a checkpoint there. On a cluster the worker trains in a temporary folder and sends the files back
when the run is finished, so that the machines need no common disk.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from heartlab.training.recipes import RecipeError, find_recipe
from heartlab.training.run import CHECKPOINT, CONFIG, METRICS, MODEL, Run, begin, open_run, train
from heartlab.util.executor import Executor, LocalExecutor
from heartlab.util.files import replacing
from heartlab.util.interrupts import interrupt_noted
from heartlab.util.progress import Progress

FILES = (CONFIG, METRICS, CHECKPOINT, MODEL)
POLL_SECONDS = 0.05
MOST_RUNS = 100_000


@dataclass(frozen=True)
class Job:
    """One run of a sweep."""

    recipe: str
    seed: int
    games: int
    changes: Mapping[str, str]
    used: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its folder."""
        return "-".join([self.recipe, *(f"{key}={value}" for key, value in self.changes.items()), str(self.seed)])


def plan(
    recipe: str,
    seeds: Sequence[int],
    games: int | None,
    fixed: Mapping[str, str],
    varied: Mapping[str, str],
    used: tuple[str, ...] = (),
) -> list[Job]:
    """All runs of a sweep: each seed with each combination of the varied values, which are separated by slashes.

    :param used: the user's files that the runs need (--use).
    :param games: of every run; None: as many as the recipe's own number.
    :raises RecipeError: if a parameter or a value does not fit the recipe.
    """
    both = sorted(set(fixed) & set(varied))
    if both:
        raise RecipeError(f"{both[0]} is set and varied at the same time")
    entry = find_recipe(recipe)
    choices = [[(key, value) for value in dict.fromkeys(text.split("/"))] for key, text in varied.items()]
    ways = math.prod(map(len, choices))
    if ways * len(seeds) > MOST_RUNS:
        raise RecipeError(f"{len(seeds)} seeds of {ways} settings: a sweep has at most {MOST_RUNS:,} runs")
    games = entry.games if games is None else games
    jobs = [Job(recipe, seed, games, {**fixed, **dict(way)}, used) for way in product(*choices) for seed in seeds]
    for job in jobs:
        entry.settings(job.changes)
    return jobs


def train_job(job: Job, folder: Path) -> None:
    """Train one run in its folder, from its last checkpoint if there is one, until it is finished or asked to stop."""
    resume = (folder / CONFIG).is_file()
    changes, used = job.changes, job.used
    train(begin(job.recipe, folder, seed=job.seed, games=job.games, changes=changes, used=used, resume=resume))


def train_away(job: Job, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Train one run to its end, from the files of an earlier attempt if there are any; gives all its files."""
    with tempfile.TemporaryDirectory(prefix="heartlab-sweep-") as name:
        folder = Path(name)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        train_job(job, folder)
        return _files(folder)


def _files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES if (folder / name).is_file()}


def run_sweep(jobs: Sequence[Job], folder: Path, executor: Executor, report: Callable[[Any], None] | None) -> bool:
    """Do what is not done yet, and report the last measurements of every run; returns whether it was interrupted.

    An interrupt closes the executor and waits until the runs in work here have left their checkpoints.
    """
    left = [job for job in jobs if not _is_done(job, folder)]
    found, fresh = len(jobs) - len(left), len(left)
    if not _train_all(left, folder, executor, found):
        done = sum(_is_done(job, folder) for job in jobs)
        print(f"interrupted: {done} of {len(jobs)} runs are finished in {folder}; the same command resumes them",
              file=sys.stderr)  # fmt: skip
        return True
    runs = [open_run(folder / job.name) for job in jobs]
    rows = [{"folder": str(run.folder), "seed": run.seed, "games": run.games, **_last(run)} for run in runs]
    if report:
        report({"recipe": jobs[0].recipe, "runs": rows})
    else:
        for row in rows:
            print("  ".join(f"{key} {short(value)}" for key, value in row.items()))
    print(f"{fresh} runs done, {found} found finished in {folder}", file=sys.stderr)
    return False


def _is_done(job: Job, folder: Path) -> bool:
    """Whether the run of a job is finished; one that was made with fewer games is not."""
    place = folder / job.name
    return (place / MODEL).is_file() and open_run(place).done == job.games


def _train_all(jobs: Sequence[Job], folder: Path, executor: Executor, found: int) -> bool:
    """Train all jobs, with `found` finished ones ahead of them; returns whether they were trained to their end."""
    here = isinstance(executor, LocalExecutor)
    with interrupt_noted() as interrupted:
        tasks = {}
        for job in jobs:
            place = folder / job.name
            arguments = (train_job, job, place) if here else (train_away, job, _files(place))
            tasks[place] = executor.submit(*arguments)
        with Progress(found + len(jobs), "runs") as progress:
            progress.update(found)
            while tasks and not interrupted():
                for place in [place for place, task in tasks.items() if task.done()]:
                    _keep(place, tasks.pop(place).result() or {})
                    progress.update(found + len(jobs) - len(tasks))
                time.sleep(POLL_SECONDS if tasks else 0.0)
        if tasks:
            executor.close()
            while here and not all(task.done() for task in tasks.values()):
                time.sleep(POLL_SECONDS)
    return not tasks


def _keep(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a run that was trained elsewhere."""
    for name, content in files.items():
        with replacing(folder / name) as file:
            file.write(content)


def short(value: Any) -> str:
    """A measured value for people."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _last(run: Run) -> dict[str, Any]:
    metrics = run.metrics()
    return dict(metrics[-1]) if metrics else {}
