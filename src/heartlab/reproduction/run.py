"""`heartlab reproduce` as a function: run the experiments of a paper and write the report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import find_paper, known_papers
from heartlab.reproduction.report import QUICK_WARNING, Report, claims_text, experiment_lines, write_report
from heartlab.util.executor import make_executor

DEFAULT_FOLDER = Path("reproduced")


def list_papers() -> None:
    """The papers and their experiments."""
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
) -> None:
    """Measure the claims of a paper, or of some of its experiments, and write the report.

    Reports go to the folder, finished parts to a subfolder of it, where the next call finds them.
    """
    paper_name, _, experiment_names = name.partition("/")
    paper = find_paper(paper_name)
    chosen = paper.choose(experiment_names)
    folder = folder or DEFAULT_FOLDER
    executor = make_executor(on, threads if threads > 1 else None) if on != "local" or threads > 1 else None
    workshop = Workshop(folder / "parts" / paper.name, seed, quick, threads, executor=executor)
    if quick:
        print(QUICK_WARNING, file=sys.stderr)
    if find_spec("matplotlib") is None:
        print("no figures will be drawn: pip install 'heartlab[plots]' brings what they need", file=sys.stderr)
    findings = {}
    try:
        for experiment in chosen:
            workshop.tell(f"{paper.name}/{experiment.name}: {experiment.summary}")
            findings[experiment.name] = experiment.run(workshop)
    finally:
        if executor:
            executor.close()
    command = f"heartlab reproduce {name} --seed {seed}" + (" --quick" if quick else "")
    report = Report(paper, findings, command, seed, quick, threads, workshop.seconds)
    written = write_report(report, folder)
    if report_json:
        report_json(report.to_dict())
    else:
        for line in claims_text(report.claims):
            print(line)
    texts = " and ".join(str(path) for path in written[:2])
    print(f"{texts}; {workshop.fresh} parts done, {workshop.found} found finished", file=sys.stderr)
    if quick:
        print(QUICK_WARNING, file=sys.stderr)
