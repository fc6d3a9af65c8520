"""Reports: the claims as JSON, whose shape others script against, and everything as Markdown with figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heartlab import __version__
from heartlab.reproduction.claims import Claim, Origin, interval_text, number_text, numbers
from heartlab.reproduction.drawing import draw_figures
from heartlab.reproduction.registry import Experiment, Figure, Findings, Paper, Table
from heartlab.util.files import replacing

QUICK_WARNING = "This is a quick run: a smoke test with small samples. Its verdicts mean nothing."


@dataclass(frozen=True)
class Report:
    """What a reproduction found, and how."""

    paper: Paper
    findings: Mapping[str, Findings]
    """By the name of the experiment."""
    command: str
    seed: int
    quick: bool
    threads: int
    seconds: float
    """Time that all parts took, one after the other."""
    commit: str = ""
    """That of the source which made the report."""
    unit_commits: Sequence[str] = ()
    """Those at which the runs were measured."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Experiments that are not finished, and why."""

    @property
    def claims(self) -> list[Claim]:
        """All claims in order."""
        return [claim for findings in self.findings.values() for claim in findings.claims]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "paper": self.paper.name,
            "quick": self.quick,
            "commit": self.commit,
            "claims": [claim.to_dict() for claim in self.claims],
            "command": self.command,
            "seed": self.seed,
            "threads": self.threads,
            "seconds": round(self.seconds, 1),
            "package": __version__,
            "run_commits": list(self.unit_commits),
            "missing": dict(self.missing),
        }


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write PAPER.json, PAPER.md and the figures into a folder; returns what was written.

    A report about some experiments is called after them, so that it does not replace the one about all.
    """
    figures = [figure for findings in report.findings.values() for figure in findings.figures]
    written = draw_figures(report.paper.name, figures, folder)
    is_whole = len(report.findings) + len(report.missing) == len(report.paper.experiments)
    name = "-".join([report.paper.name, *([] if is_whole else [*report.findings, *report.missing])])
    apart = [one for one in report.missing if (folder / f"{report.paper.name}-{one}.md").is_file()] if is_whole else []
    texts = {
        f"{name}.json": json.dumps(report.to_dict(), ensure_ascii=False, indent=1) + "\n",
        f"{name}.md": markdown(report, figures_drawn=bool(written), reported_apart=apart),
    }
    for file_name, text in texts.items():
        with replacing(folder / file_name) as file:
            file.write(text.encode())
    return [folder / file_name for file_name in texts] + written


# --- Markdown ---

PARTS = (
    ("The paper's experiments", ("paper",)),
    ("Controls and other readings", ("control", "reading")),
    ("Beyond the paper", ("beyond",)),
)
"""The parts of a report, and the origin of the experiments in each."""
MOST_HEADLINES = 24
"""Rows of the opening table, if the paper does not choose them."""


def markdown(report: Report, *, figures_drawn: bool, reported_apart: Collection[str] = ()) -> str:
    """The report for people: a screen that says it all, then the experiments.

    :param reported_apart: experiments that have a report of their own in the same folder.
    """
    drawn = {figure.name: figure for found in report.findings.values() for figure in found.figures}
    lines = opening(report.paper, report.claims, drawn if figures_drawn else {}, QUICK_WARNING if report.quick else "")
    lines += [_made(report), ""]
    for title, origins in PARTS:
        found = [one for one in report.paper.experiments if one.name in report.findings]
        chosen = [one for one in found if _origin(one, report.findings[one.name].claims) in origins]
        if chosen:
            lines += [f"## {title}", ""]
        for experiment in chosen:
            lines += _section(report, experiment, figures_drawn)
    apart = [name for name in report.missing if name in reported_apart]
    if apart:
        names = ", ".join(f"[{name}]({report.paper.name}-{name}.md)" for name in apart)
        lines += [
            "## Reported apart",
            "",
            f"Measured earlier; each page says when, and with which version: {names}.",
            "",
        ]
    unfinished = {name: why for name, why in report.missing.items() if name not in apart}
    if unfinished:
        names = ", ".join(f"`{name}` ({why})" for name, why in unfinished.items())
        lines += ["## Not measured yet", "", f"{names}.", ""]
    return "\n".join(lines).rstrip() + "\n"


def _origin(experiment: Experiment, claims: Sequence[Claim]) -> Origin:
    """Where an experiment belongs: with its claims, if none of them is the paper's."""
    ours = bool(claims) and all(claim.origin != "paper" for claim in claims)
    return claims[0].origin if ours else experiment.origin


def opening(paper: Paper, claims: Sequence[Claim], figures: Mapping[str, Figure], warning: str = "") -> list[str]:
    """The first screen of a report: three sentences, the paper's own claims, one figure, and how to read them.

    The sentences are what the paper says, how many of its claims hold, and what decides that.
    """
    lines = [f"# {paper.title}", ""]
    if warning:
        lines += [f"**{warning}**", ""]
    remark = paper.remark({claim.id: claim for claim in claims}) if paper.remark else ""
    lines += [" ".join(filter(None, [paper.about, _count_sentence(paper, claims), remark])), ""]
    shown = _headlines(paper, claims)
    if shown:
        rows = [[words, _published(c), interval_text(c), _runs(c), c.ruling] for words, c in shown]
        lines += [*_table(Table("", ["claim", "published", "ours", "runs", "verdict"], rows)), ""]
    name = paper.opening_figure or next(iter(figures), "")
    if name in figures:
        lines += [f"![{figures[name].title}]({paper.name}-{name}.png)", ""]
    return [*lines, " ".join(filter(None, [paper.basis, _runs_sentence(claims)])), ""]


def _headlines(paper: Paper, claims: Sequence[Claim]) -> list[tuple[str, Claim]]:
    """The rows of the opening table: words and claim."""
    if paper.headline:
        known = {claim.id: claim for claim in claims}
        return [(words, known[name]) for name, words in paper.headline.items() if name in known]
    papers = [claim for claim in claims if claim.origin == "paper"]
    return [(claim.statement, claim) for claim in papers[:MOST_HEADLINES]]


def _count_sentence(paper: Paper, claims: Sequence[Claim]) -> str:
    papers = [claim for claim in claims if claim.origin == "paper"]
    if not papers:
        return ""
    counts = Counter(claim.verdict for claim in papers)
    smaller = sum(claim.verdict == "holds" and claim.size == "smaller" for claim in papers)
    some = f" ({smaller} with a smaller effect than published)" if smaller else ""
    rest = f"{counts['fails'] or 'none'} fail, and {counts['unclear'] or 'none'} remain unclear"
    return f"Of {paper.whose} {len(papers)} claims {counts['holds']} hold{some}, {rest}."


def _runs_sentence(claims: Sequence[Claim]) -> str:
    runs = sorted({claim.runs for claim in claims if claim.runs})
    if not runs:
        return "Intervals are 95 % each; below, n and the notes say over what."
    several = [one for one in runs if one > 1]
    if not several:
        return "Intervals are 95 % over deals: the claims rest on a single training run and say nothing of other runs."
    span = f"{several[0]}" if len(several) == 1 else f"{several[0]} to {several[-1]}"
    single = "; those of one run, over deals or games, say nothing of other runs" if runs[0] == 1 else ""
    return f"Intervals are 95 % over {span} independent training runs (Student's t){single}."


def _made(report: Report) -> str:
    """How a report was made."""
    commit = f", commit {report.commit}" if report.commit else ""
    older = [one for one in report.unit_commits if one != report.commit]
    units = f" Runs were measured at {', '.join(older)}." if older else ""
    return (
        f"Made with `{report.command}` (heartlab {__version__}{commit}, seed {report.seed}); its parts took "
        f"{_duration(report.seconds)}.{units} {claims_summary([c for c in report.claims if c.origin != 'paper'])}"
    )


def _section(report: Report, experiment: Experiment, figures_drawn: bool) -> list[str]:
    """An experiment: what was found in a paragraph or two, figures, the paper's claims, other statements, tables."""
    findings = report.findings[experiment.name]
    lines = [f"### {experiment.name}: {experiment.summary}", ""]
    for note in findings.notes:
        lines += [note, ""]
    for figure in findings.figures if figures_drawn else ():
        lines += [f"![{figure.title}]({report.paper.name}-{figure.name}.png)", ""]
    lines += claims_tables(findings.claims)
    for table in findings.tables:
        lines += [f"**{table.title}**", "", *_table(table), ""]
    return lines


OWN_KINDS = {"reading": "other readings of the paper's", "control": "controls", "beyond": "beyond the paper"}
"""What claims of ours are, by their origin."""


def claims_summary(claims: Sequence[Claim]) -> str:
    """How many claims hold: the paper's apart from ours; and how far to trust that many verdicts."""
    papers = [claim for claim in claims if claim.origin == "paper"]
    ours = [claim for claim in claims if claim.origin != "paper"]
    sentences = [f"Of the paper's {len(papers)} claims {_verdicts(papers)}."] if papers else []
    if ours:
        kinds = [(sum(claim.origin == origin for claim in ours), words) for origin, words in OWN_KINDS.items()]
        told = ", ".join(f"{count} {words}" for count, words in kinds if count)
        sentences.append(f"Of {len(ours)} statements of our own ({told}) {_verdicts(ours)}.")
    sentences.append(
        "Intervals, and bands in figures, are 95 % each, not corrected for their number: where nothing differs, one "
        "verdict in twenty says otherwise."
    )
    return " ".join(sentences)


def _verdicts(claims: Sequence[Claim]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    return f"{counts['holds']} hold, {counts['fails']} fail, {counts['unclear']} remain unclear"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def claims_tables(claims: Sequence[Claim]) -> list[str]:
    """Claims with numbers: the paper's, then readings and controls of ours; so nobody takes one for the other."""
    papers = [claim for claim in claims if claim.origin == "paper"]
    ours = [claim for claim in claims if claim.origin != "paper"]
    lines = [*_claims_table(papers), ""] if papers else []
    if papers and ours:
        lines += ["Not the paper's: other readings, controls, further steps.", ""]
    return lines + ([*_claims_table(ours, len(papers) + 1), ""] if ours else [])


def _claims_table(claims: Sequence[Claim], first: int = 1) -> list[str]:
    """Claims with numbers; what was measured follows below, so that rows stay short."""
    rows = [
        [f"{place}", c.statement, _published(c), interval_text(c), _runs(c), f"{c.n:,}", c.ruling]
        for place, c in enumerate(claims, first)
    ]
    lines = _table(Table("", ["", "claim", "published", "ours", "runs", "n", "verdict"], rows))
    notes = [f"{place}. `{c.id}`{': ' if c.note else ''}{c.note}" for place, c in enumerate(claims, first)]
    return [*lines, "", *notes]


def _runs(claim: Claim) -> str:
    return "–" if claim.runs is None else f"{claim.runs}"


def _published(claim: Claim) -> str:
    """The published number as it was published: without digits that it does not have."""
    value = claim.published
    return f"{value:,.4g}" if isinstance(value, float) else number_text(value)


def _table(table: Table) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(table.head), "|" + "---|" * len(table.head), *(line(row) for row in table.rows)]


def claims_text(claims: Sequence[Claim]) -> list[str]:
    """The claims for a terminal, a line or two each."""
    lines = []
    for claim in claims:
        source = "published" if claim.origin in ("paper", "reading") else "held against"
        published = f" ({source} {_published(claim)})" if claim.published is not None else ""
        runs = f", {claim.runs} runs" if claim.runs is not None else ""
        lines.append(f"{claim.ruling:<8} {claim.id}: {claim.statement}")
        measured, ends = numbers(claim)
        lines.append(f"{'':<8} {measured} [{' … '.join(ends) if ends else '–'}], n = {claim.n:,}{runs}{published}")
    return lines


def experiment_lines(experiments: Sequence[Experiment], paper: str) -> list[str]:
    """A list of experiments for a terminal."""
    return [f"{paper}/{experiment.name:<20} {experiment.summary}" for experiment in experiments]
