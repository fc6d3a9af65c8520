"""`heartlab reproduce`: measure the claims of the papers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from heartlab.cli.app import JsonOption, OnOption, SeedOption, app, positive, print_json


@app.command("reproduce")
def reproduce_paper(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="PAPER[/EXPERIMENT,...]", help="A paper, or some of its experiments. Default: list all papers."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small samples, to see that it works; the report says so.")
    ] = False,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report. Default: reproduced.")] = None,
    threads: Annotated[int, typer.Option("--threads", help="Runs at the same time.")] = 1,
    kept: Annotated[
        Path | None,
        typer.Option("--kept", help="Folder of finished parts to reuse. Default: docs/reports/parts, if it exists."),
    ] = None,
    finished: Annotated[
        bool, typer.Option("--finished", help="Run nothing; report from the parts that are finished.")
    ] = False,
    runs: Annotated[
        int | None,
        typer.Option("--runs", help="Only the first N runs of each experiment; the others can follow later."),
    ] = None,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Measure the claims of a paper. Reports intervals and verdicts; finished parts are not repeated."""
    if name is None:
        if quick or finished or out or kept or runs is not None:
            raise ValueError("the paper is missing: name one, as in `heartlab reproduce advice`")
        list_papers(print_json if as_json else None)
        return
    run_reproduction(
        name,
        quick=quick,
        seed=seed,
        threads=positive("--threads", threads),
        on=on,
        folder=out,
        kept=kept,
        finished=finished,
        runs=None if runs is None else positive("--runs", runs),
        report_json=print_json if as_json else None,
    )


def list_papers(report: Callable[[Any], None] | None) -> None:
    """Print the papers and their experiments."""
    from heartlab.reproduction.registry import known_papers
    from heartlab.reproduction.report import experiment_lines

    if report:
        report(
            {
                paper.name: {"title": paper.title, "experiments": {one.name: one.summary for one in paper.experiments}}
                for paper in known_papers()
            }
        )
        return
    for paper in known_papers():
        print(f"{paper.name}: {paper.title}")
        for line in experiment_lines(paper.experiments, paper.name):
            print(f"  {line}")


def run_reproduction(
    name: str,
    *,
    quick: bool,
    seed: int,
    threads: int,
    folder: Path | None,
    report_json: Callable[[Any], None] | None,
    on: str = "local",
    kept: Path | None = None,
    finished: bool = False,
    runs: int | None = None,
) -> None:
    """Measure claims and print them; everything but the result goes to standard error."""
    from heartlab.reproduction.registry import find_paper
    from heartlab.reproduction.report import QUICK_WARNING, claims_text
    from heartlab.reproduction.run import reproduce

    paper, _, experiments = name.partition("/")
    find_paper(paper).choose(experiments)
    if quick:
        print(QUICK_WARNING, file=sys.stderr)
    if find_spec("matplotlib") is None:
        print("no figures will be drawn: pip install 'heartlab[plots]' brings what they need", file=sys.stderr)
    done = reproduce(
        name, quick=quick, seed=seed, threads=threads, folder=folder, on=on, kept=kept, only_kept=finished, runs=runs
    )  # fmt: skip
    for missing, why in done.report.missing.items():
        print(f"{missing} is not finished: {why}", file=sys.stderr)
    if report_json:
        report_json(done.report.to_dict())
    else:
        for line in claims_text(done.report.claims):
            print(line)
    texts = " and ".join(str(path) for path in done.written[:2])
    print(f"{texts}; {done.fresh} parts done, {done.found} found finished", file=sys.stderr)
    if quick:
        print(QUICK_WARNING, file=sys.stderr)
