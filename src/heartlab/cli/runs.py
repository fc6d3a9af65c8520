"""`heartlab train`, `heartlab recipes` and `heartlab runs` as functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from heartlab.training.recipes import known_recipes
from heartlab.training.run import MODEL, Run, begin, known_runs, train
from heartlab.training.sweep import short
from heartlab.util.progress import Progress

Report = Callable[[Any], None]


def run_training(
    recipe: str,
    *,
    games: int | None,
    seed: int | None,
    resume: bool,
    folder: Path | None,
    changes: Mapping[str, str],
    used: tuple[str, ...],
    report: Report | None,
) -> bool:
    """Train and report; returns whether it was interrupted."""
    run = begin(recipe, folder, seed=seed, games=games, changes=changes, used=used, resume=resume)
    with Progress(run.games, recipe) as progress:
        progress.update(run.done)
        run = train(run, progress=progress.update)
    metrics = run.metrics()
    if report:
        report({**_plain(run), "metrics": metrics[-1] if metrics else None})
    elif metrics and run.finished:
        print("  ".join(f"{key} {short(value)}" for key, value in metrics[-1].items()))
    if run.finished:
        speed = run.games / run.seconds if run.seconds else 0.0
        print(f"{run.games:,} games in {run.seconds:.1f} s ({speed:,.0f}/s): {run.folder / MODEL}", file=sys.stderr)
    else:
        again = f"{run.call} --out {run.folder} --resume"
        print(f"interrupted after {run.done:,} of {run.games:,} games; go on with: {again}", file=sys.stderr)
    return not run.finished


def _plain(run: Run) -> dict[str, Any]:
    return {
        "folder": str(run.folder),
        "recipe": run.recipe,
        "seed": run.seed,
        "games": run.games,
        "done": run.done,
        "finished": run.finished,
        "seconds": run.seconds,
        "parameters": dict(run.parameters),
        "model": str(run.folder / MODEL) if run.finished else None,
    }


def list_recipes(report: Report | None) -> None:
    """All recipes with their parameters."""
    recipes = known_recipes()
    if report:
        report(
            {
                name: {"summary": entry.summary, "games": entry.games, "parameters": asdict(entry.settings())}
                for name, entry in recipes.items()
            }
        )
        return
    for name, entry in recipes.items():
        print(f"{name:<16} {entry.summary}")
        values = " ".join(f"{key}={value}" for key, value in asdict(entry.settings()).items())
        print(f"{'':<16} {entry.games:,} games; {values}")


def list_runs(folder: Path, report: Report | None) -> None:
    """The runs in a folder and its subfolders."""
    runs = known_runs(folder, lambda line: print(f"heartlab: {line}", file=sys.stderr))
    if report:
        report([_plain(run) for run in runs])
        return
    for run in runs:
        state = "finished" if run.finished else f"{100 * run.done / run.games:.0f} %"
        print(f"{run.folder!s:<32} {run.recipe:<16} seed {run.seed:<6} {run.done:>10,}/{run.games:,} games  {state}")
    if not runs:
        print(f"no runs in {folder}", file=sys.stderr)
