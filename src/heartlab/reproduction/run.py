"""Run the experiments of a paper and write the report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heartlab.reproduction.kept import Unfinished, source_commit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import find_paper
from heartlab.reproduction.report import Report, write_report
from heartlab.util.executor import make_executor

DEFAULT_FOLDER = Path("reproduced")
KEPT_FOLDER = Path("docs/reports/parts")
"""Where the finished runs are committed; seen from the root of the repository."""


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
    name: str, *, quick: bool, seed: int, threads: int, folder: Path | None = None, on: str = "local",
    kept: Path | None = None, only_kept: bool = False, runs: int | None = None,
) -> Reproduced:  # fmt: skip
    """Measure the claims of a paper, or of some of its experiments, and write the report.

    Reports go to the folder, finished parts to a subfolder of it, where the next call finds them.

    :param kept: folder with the finished runs of each paper, to be read and added to; by default KEPT_FOLDER if it is
        there, else the subfolder of parts.
    :param only_kept: make the report of finished runs, and work on no others.
    :param runs: work on the first so many runs of each experiment only.
    """
    paper_name, _, experiment_names = name.partition("/")
    paper = find_paper(paper_name)
    chosen = paper.choose(experiment_names)
    folder = folder or DEFAULT_FOLDER
    units = _kept_file(kept, paper.name, quick, only_kept)
    executor = make_executor(on, threads if threads > 1 else None) if on != "local" or threads > 1 else None
    parts = folder / "parts" / paper.name
    workshop = Workshop(
        parts, seed, quick, threads, executor=executor, kept=units, only_kept=only_kept, most_runs=runs
    )  # fmt: skip
    findings, missing = {}, {}
    try:
        for experiment in chosen:
            workshop.tell(f"{paper.name}/{experiment.name}: {experiment.summary}")
            try:
                findings[experiment.name] = experiment.run(workshop)
            except Unfinished as why:
                missing[experiment.name] = str(why)
    finally:
        if executor:
            executor.close()
    command = f"heartlab reproduce {name} --seed {seed}" + (" --quick" if quick else "")
    command += f" --runs {runs}" if runs is not None else ""
    report = Report(
        paper, findings, command, seed, quick, threads, workshop.seconds, source_commit(),
        sorted(workshop.units.commits), missing,
    )  # fmt: skip
    return Reproduced(report, write_report(report, folder), workshop.fresh, workshop.found)


def _kept_file(kept: Path | None, paper: str, quick: bool, only_kept: bool) -> Path | None:
    """The file of finished runs; None: that of the workshop. Quick runs are kept only where it is asked for."""
    if kept is None and not quick and KEPT_FOLDER.is_dir():
        kept = KEPT_FOLDER
    if kept is not None and not kept.is_dir() and (only_kept or kept.exists()):
        raise ValueError(f"--kept {kept}: {'is not a folder' if kept.exists() else 'there is no such folder'}")
    return None if kept is None else kept / f"{paper}.jsonl"
