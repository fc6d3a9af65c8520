"""Commands about matches, speed, training, models and papers: what happens in the laboratory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from heartlab.cli.app import (
    DealOption,
    JsonOption,
    OnOption,
    RulesOption,
    SeedOption,
    app,
    leave,
    print_json,
)
from heartlab.cli.ggp import positive
from heartlab.rules import Rules


@app.command()
def arena(
    names: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Players by name; see `heartlab players`.")],
    rules: RulesOption = "standard",
    deals: Annotated[
        int, typer.Option("--deals", "-n", help="Distinct deals (or games), each in every arrangement.")
    ] = 1000,
    seed: SeedOption = 0,
    games: Annotated[
        bool, typer.Option("--games", help="Play whole games to the limit instead of single deals.")
    ] = False,
    until_se: Annotated[
        float | None, typer.Option("--until-se", help="Stop when the standard error of the difference is this small.")
    ] = None,
    open_match: Annotated[bool, typer.Option("--open", help="Let players sit down who see all hands.")] = False,
    record: Annotated[
        Path | None, typer.Option("--record", help="Keep every deal in this file (.jsonl: JSON Lines).")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Keep the match in this file; the same command goes on with it.")
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Default: one per core.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", help="Deals per batch; does not change the result.")] = None,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Play a match: the same deals in every seat arrangement, with confidence intervals."""
    from heartlab.cli.matches import run_arena

    interrupted = run_arena(
        names,
        rules=Rules.parse(rules),
        units=positive("--deals", deals),
        seed=seed,
        games=games,
        open_match=open_match,
        until_se=None if until_se is None else positive("--until-se", until_se),
        record=record,
        keep=keep,
        threads=None if threads is None else positive("--threads", threads),
        batch=None if batch is None else positive("--batch", batch),
        on=on,
        report=print_json if as_json else None,
    )
    leave(interrupted)


@app.command()
def bench(
    only: Annotated[str | None, typer.Option("--only", help="Only benchmarks whose name starts with this.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="About how long to measure each line.")] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """Measure speed, ours beside a peer's, in one run."""
    from heartlab.bench import known_benchmarks

    chosen = {name: run for name, run in known_benchmarks().items() if name.startswith(only or "")}
    if not chosen:
        raise ValueError(f"no benchmark starts with {only!r}; known are {', '.join(known_benchmarks())}")
    results, out = [], sys.stderr if as_json else sys.stdout
    for run in chosen.values():
        for result in run(positive("--seconds", seconds)):
            results.append(result.to_dict())
            line = f"{result.name:<28} {result.ours:>14,.0f} {result.unit:<9} {result.threads} thread(s)"
            if result.peer is not None:
                line += f"  {result.ratio:8.2f} × {result.peer} ({result.theirs:,.0f})"
            print(line + (f"  [{result.note}]" if result.note else ""), file=out, flush=True)
    if as_json:
        print_json({"benchmarks": results})


@app.command()
def train(
    context: typer.Context,
    recipe: Annotated[str, typer.Argument(help="What to train; see `heartlab recipes`.")],
    games: Annotated[int | None, typer.Option("--games", "-n", help="Default: the recipe's own number.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", "-s", help="The same seed gives the same result; 0.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="The run's folder; runs/RECIPE-SEED.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="Change a parameter: key=value.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Train a model by a recipe, in a folder that survives any interruption."""
    from heartlab.cli.runs import run_training
    from heartlab.training.recipes import parse_changes

    interrupted = run_training(
        recipe,
        games=games,
        seed=seed,
        resume=resume,
        folder=out,
        changes=parse_changes(changes or []),
        used=context.obj,
        report=print_json if as_json else None,
    )
    leave(interrupted)


@app.command()
def sweep(
    context: typer.Context,
    recipe: Annotated[str, typer.Argument(help="What to train; see `heartlab recipes`.")],
    games: Annotated[int | None, typer.Option("--games", "-n", help="Default: the recipe's own number.")] = None,
    seed: SeedOption = 0,
    seeds: Annotated[int, typer.Option("--seeds", help="Runs for each setting, with seeds from --seed on.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="Folder for the runs' folders.")] = Path("runs"),
    changes: Annotated[list[str] | None, typer.Option("--set", help="Change a parameter: key=value.")] = None,
    varied: Annotated[list[str] | None, typer.Option("--vary", help="Try several values: key=value/value.")] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Runs at the same time; one per core.")] = None,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Train a recipe over seeds and values of its parameters; what is finished is not repeated."""
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
    from heartlab.cli.runs import list_recipes

    list_recipes(print_json if as_json else None)


@app.command()
def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look, subfolders included.")] = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """List the training runs in a folder."""
    from heartlab.cli.runs import list_runs

    list_runs(folder, print_json if as_json else None)


@app.command()
def features(
    model: Annotated[
        str, typer.Argument(help="A model: a name, a file or a run's folder; without it the shipped one.")
    ] = "",
    top: Annotated[int, typer.Option("--top", help="How many of each sign.")] = 20,
    contains: Annotated[
        list[str] | None,
        typer.Option("--contains", help="Only conjunctions with this atomic feature, by name or words; repeatable."),
    ] = None,
    atoms: Annotated[bool, typer.Option("--atoms", help="List the atomic features instead.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what a network has learned: the conjunctions with the largest weights, in words."""
    from heartlab.learners.td_features.explain import list_atoms, run_features

    if atoms:
        list_atoms(print_json if as_json else None)
        return
    run_features(model, top=positive("--top", top), contains=contains or [], report=print_json if as_json else None)


@app.command()
def advice(
    model: Annotated[str | None, typer.Argument(help="A model; without it all pieces of advice are listed.")] = None,
    when: Annotated[
        list[str] | None, typer.Option("--when", help="What is true in the situation, such as queen-out.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="A record; explains a choice in one of its deals.")
    ] = None,
    number: DealOption = 1,
    at: Annotated[int | None, typer.Option("--at", help="Explain the choice of this card of the deal, from 1.")] = None,
    instance: Annotated[int, typer.Option("--instance", help="Which of several voters in the model, from 0.")] = 0,
    rules: Annotated[str | None, typer.Option("--rules", "-r", help="Of the deal, if there is no record.")] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Show what a model has learned about advice, or which advice carries a choice (--at)."""
    from heartlab.learners.advice.explain import describe_choice, describe_model, list_advice

    report = print_json if as_json else None
    of_choice = at is not None or record is not None
    if model is None and (when or of_choice):
        raise ValueError("--when, --at and --record ask about a model: name one, such as advice-best")
    if when and of_choice:
        raise ValueError("--when asks about a situation, --at and --record about a choice: give one of them")
    if model is None:
        list_advice(report)
    elif of_choice:
        chosen = None if rules is None else Rules.parse(rules)
        place = 1 if at is None else positive("--at", at)
        describe_choice(model, record, number, place, chosen, seed, instance, report)
    else:
        describe_model(model, when or [], instance, report)


@app.command()
def falcon(
    model: Annotated[
        str, typer.Argument(help="A model: a name, a file or a run's folder; without it the shipped one.")
    ] = "",
    top: Annotated[int, typer.Option("--top", help="How many categories.")] = 20,
    contains: Annotated[
        list[str] | None,
        typer.Option("--contains", help="Only categories with this among their conditions; repeatable."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="A record; explains a choice in one of its deals.")
    ] = None,
    number: DealOption = 1,
    at: Annotated[int | None, typer.Option("--at", help="Explain the choice of this card of the deal, from 1.")] = None,
    rules: Annotated[str | None, typer.Option("--rules", "-r", help="Of the deal, if there is no record.")] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Show the categories of a FALCON network as rules, or the one behind a choice (--at).

    Behind each action of a rule stands its motor weight; for the shipped network and others grown from playouts the
    points until the end of the deal that it costs more (+) or less (-) than the mean of the choices.
    """
    from heartlab.learners.falcon.explain import describe_choice, describe_network

    report = print_json if as_json else None
    if at is not None or record is not None:
        chosen = None if rules is None else Rules.parse(rules)
        place = 1 if at is None else positive("--at", at)
        describe_choice(model, record, number, place, chosen, seed, report)
    else:
        describe_network(model, positive("--top", top), contains or [], report)


@app.command()
def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="PAPER[/EXPERIMENT,...]", help="Without it all papers are listed.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A smoke test with small samples; it says so.")] = False,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report; reproduced.")] = None,
    threads: Annotated[int, typer.Option("--threads", help="Parts worked on at the same time.")] = 1,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Measure the claims of a paper, with intervals and verdicts; what is finished is not repeated."""
    from heartlab.reproduction.run import list_papers, run_reproduction

    if name is None:
        list_papers()
        return
    run_reproduction(
        name,
        quick=quick,
        seed=seed,
        threads=positive("--threads", threads),
        on=on,
        folder=out,
        report_json=print_json if as_json else None,
    )
