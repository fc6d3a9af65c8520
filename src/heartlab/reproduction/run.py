"""Run the experiments of a paper and write the report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import find_paper
from heartlab.reproduction.report import Report, write_report
from heartlab.util.executor import make_executor

DEFAULT_FOLDER = Path("reproduced")


@dataclass(frozen=True)
class Reproduced:
    """What was measured, and where it was written."""

    report: Report
    written: list[Path]
    fresh: int
    """Parts that were worked on."""
    found: int
    """Parts that were finished before."""


def reproduce(
    name: str, *, quick: bool, seed: int, threads: int, folder: Path | None = None, on: str = "local"
) -> Reproduced:
    """Measure the claims of a paper, or of some of its experiments, and write the report.

    Reports go to the folder, finished parts to a subfolder of it, where the next call finds them.
    """
    paper_name, _, experiment_names = name.partition("/")
    paper = find_paper(paper_name)
    chosen = paper.choose(experiment_names)
    folder = folder or DEFAULT_FOLDER
    executor = make_executor(on, threads if threads > 1 else None) if on != "local" or threads > 1 else None
    workshop = Workshop(folder / "parts" / paper.name, seed, quick, threads, executor=executor)
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
    return Reproduced(report, write_report(report, folder), workshop.fresh, workshop.found)
