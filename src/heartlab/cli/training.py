"""Commands about training: recipes, runs, sweeps."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from heartlab.cli.app import JsonOption, OnOption, SeedOption, app, leave, positive, print_json

if TYPE_CHECKING:
    from heartlab.training.run import Run

RecipeArgument = Annotated[str, typer.Argument(help="What to train; see `heartlab recipes`.")]
GamesOption = Annotated[
    int | None, typer.Option("--games", "-n", help="Games to train. Default: the recipe's own number.")
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter of the recipe; repeatable.")
]


@app.command("train")
def train_recipe(
    context: typer.Context,
    recipe: RecipeArgument,
    games: GamesOption = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", "-s", help="Seed of all random numbers; the same seed gives the same result. Default: 0."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run that is in its folder.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="The folder of the run. Default: runs/RECIPE-SEED.")] = None,
    changes: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train a model by a recipe. The run is saved in a folder; after an interruption --resume continues it."""
    from heartlab.training.recipes import parse_changes
    from heartlab.training.run import MODEL, begin, train
    from heartlab.training.sweep import short
    from heartlab.util.progress import Progress

    changed = parse_changes(changes or [])
    run = begin(recipe, out, seed=seed, games=games, changes=changed, used=context.obj, resume=resume)
    with Progress(run.games, recipe) as progress:
        progress.update(run.done)
        run = train(run, progress=progress.update)
    metrics = run.metrics()
    if as_json:
        print_json({**_run_dict(run), "metrics": metrics[-1] if metrics else None})
    elif metrics and run.finished:
        print("  ".join(f"{key} {short(value)}" for key, value in metrics[-1].items()))
    if run.finished:
        speed = run.games / run.seconds if run.seconds else 0.0
        print(f"{run.games:,} games in {run.seconds:.1f} s ({speed:,.0f}/s): {run.folder / MODEL}", file=sys.stderr)
    else:
        again = f"{run.call} --out {run.folder} --resume"
        print(f"interrupted after {run.done:,} of {run.games:,} games; resume with: {again}", file=sys.stderr)
    leave(not run.finished)


@app.command()
def sweep(
    context: typer.Context,
    recipe: RecipeArgument,
    games: GamesOption = None,
    seed: SeedOption = 0,
    seeds: Annotated[int, typer.Option("--seeds", help="How many seeds to run each setting with, from --seed on.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="Folder for the folders of the runs.")] = Path("runs"),
    changes: SetOption = None,
    varied: Annotated[
        list[str] | None,
        typer.Option("--vary", metavar="KEY=A/B", help="Try several values of a parameter; repeatable."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Runs at the same time. Default: one per core.")
    ] = None,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Train a recipe over seeds and parameters. Finished runs are not repeated."""
    from heartlab.training.recipes import parse_changes
    from heartlab.training.sweep import plan, run_sweep
    from heartlab.util.executor import make_executor

    numbers = range(seed, seed + positive("--seeds", seeds))
    fixed, tried = parse_changes(changes or []), parse_changes(varied or [], "--vary")
    jobs = plan(recipe, numbers, games, fixed, tried, context.obj)
    executor = make_executor(on, None if threads is None else positive("--threads", threads))
    try:
        interrupted = run_sweep(jobs, out, executor, print_json if as_json else None)
    finally:
        executor.close()
    leave(interrupted)


@app.command()
def recipes(as_json: JsonOption = False) -> None:
    """List the recipes with their parameters."""
    from heartlab.training.recipes import known_recipes

    known = {name: (entry, asdict(entry.settings())) for name, entry in known_recipes().items()}
    if as_json:
        print_json(
            {
                name: {"summary": entry.summary, "games": entry.games, "parameters": parameters}
                for name, (entry, parameters) in known.items()
            }
        )
        return
    for name, (entry, parameters) in known.items():
        print(f"{name:<16} {entry.summary}")
        values = " ".join(f"{key}={value}" for key, value in parameters.items())
        print(f"{'':<16} {entry.games:,} games; {values}")


@app.command()
def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look, subfolders included.")] = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """List the training runs in a folder."""
    from heartlab.training.run import known_runs

    found = known_runs(folder, lambda line: print(f"heartlab: {line}", file=sys.stderr))
    if as_json:
        print_json([_run_dict(run) for run in found])
        return
    for run in found:
        state = "finished" if run.finished else f"{100 * run.done / run.games:.0f} %"
        print(f"{run.folder!s:<32} {run.recipe:<16} seed {run.seed:<6} {run.done:>10,}/{run.games:,} games  {state}")
    if not found:
        print(f"no runs in {folder}", file=sys.stderr)


def _run_dict(run: Run) -> dict[str, Any]:
    from heartlab.training.run import MODEL

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
