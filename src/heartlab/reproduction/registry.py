"""The papers and their experiments by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from heartlab.reproduction.claims import Claim, Origin, origin_of
from heartlab.reproduction.parts import Workshop
from heartlab.util.errors import quoted
from heartlab.util.registry import Registry
from heartlab.util.statistics import estimate


class PaperError(ValueError):
    """An unknown name of a paper or experiment."""


@dataclass(frozen=True)
class Table:
    """A table of a report, as texts."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Curve:
    """One line of a figure; `low` and `high` are the ends of its band."""

    label: str
    x: Any
    y: Any
    low: Any = None
    high: Any = None
    published: bool = False
    """Whether it is the paper's: it is dashed and grey."""
    colour: int | None = None
    """Its colour by number, so that a learner looks the same in all figures; None: the next one."""

    @classmethod
    def over_runs(cls, label: str, x: Any, rows: Sequence[Sequence[float]]) -> Curve:
        """The mean of several runs, a row each, with a band of 95 % (Student's t); one run has no band.

        >>> curve = Curve.over_runs("learner", [1, 2], [[3.0, 1.0], [5.0, 1.0]])
        >>> curve.label, curve.y.tolist(), curve.low.round(2).tolist()
        ('learner (2 runs)', [4.0, 1.0], [-8.71, 1.0])
        """
        values = np.asarray(rows, float)
        runs = f"{label} ({len(values)} run{'s' if len(values) > 1 else ''})"
        if len(values) < 2:
            return cls(runs, x, values.mean(axis=0))
        ends = np.array([estimate(column).ci95 for column in values.T])
        return cls(runs, x, values.mean(axis=0), ends[:, 0], ends[:, 1])


MOST_CURVES = 5
"""Curves that a reader can tell apart in one figure."""


@dataclass(frozen=True)
class Figure:
    """A figure as data: reports can be made without a drawing library.

    :raises ValueError: if it has more than `MOST_CURVES` curves.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    log_x: bool = False
    levels: Sequence[tuple[str, float]] = ()
    """Horizontal lines, such as published values."""
    ticks: Sequence[str] = ()
    """Names of the places 1, 2, … on the x axis, where these are things and no amounts."""

    def __post_init__(self) -> None:
        if len(self.curves) > MOST_CURVES:
            raise ValueError(
                f"the figure {self.name} has {len(self.curves)} curves; at most {MOST_CURVES} are readable"
            )


@dataclass
class Findings:
    """What an experiment found.

    >>> found = Findings(notes=["Ten seeds are too few."])
    >>> found.tables.append(Table("Points per deal", ["player", "mean"], [["gnome", "5.1"], ["random", "7.9"]]))
    >>> found.tables[0].title, len(found.claims)
    ('Points per deal', 0)
    """

    claims: list[Claim] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Paragraphs of the report."""


@dataclass(frozen=True)
class Experiment:
    """One experiment of a paper.

    >>> from pathlib import Path
    >>> def measure(workshop):
    ...     return Findings(notes=[f"{workshop.size(full=1000, quick=10)} deals"])
    >>> experiment = Experiment("match", "plays a match", measure)
    >>> experiment.run(Workshop(Path("parts"), quick=True)).notes
    ['10 deals']
    """

    name: str
    summary: str
    run: Callable[[Workshop], Findings]

    @property
    def origin(self) -> Origin:
        """Whether it is the paper's, another reading of it, a control, or beyond the paper."""
        return origin_of(self.name.partition("-")[0] if self.name.startswith("beyond-") else self.name)


@dataclass(frozen=True)
class Paper:
    """A paper and the experiments that check it.

    >>> paper = Paper("demo", "A paper", [Experiment("one", "first", Findings), Experiment("two", "second", Findings)])
    >>> [experiment.name for experiment in paper.choose("two")], len(paper.choose(""))
    (['two'], 2)
    >>> paper.choose("three")
    Traceback (most recent call last):
    heartlab.reproduction.registry.PaperError: demo has no experiment 'three'; it has one, two
    """

    name: str
    title: str
    experiments: Sequence[Experiment]
    about: str = ""
    """The sentence that opens the report: what the paper says."""
    whose: str = "its"
    """How the next sentence refers to it: "their" if two texts are one paper here."""
    basis: str = ""
    """How the numbers are to be read: units, words, what the paper leaves open; it stands below the opening table."""
    remark: Callable[[Mapping[str, Claim]], str] | None = None
    """A sentence for the opening that follows from the claims, by id; empty: nothing to say."""
    headline: Mapping[str, str] = field(default_factory=dict)
    """The claims of the opening table, by id, in a few words each; without it all of the paper's own."""
    opening_figure: str = ""
    """The name of the figure of the opening; by default the first."""

    def choose(self, names: str) -> Sequence[Experiment]:
        """The experiments with these names, separated by commas; all of them for an empty text.

        :raises PaperError: if a name is unknown.
        """
        if not names:
            return self.experiments
        known = {experiment.name: experiment for experiment in self.experiments}
        for name in names.split(","):
            if name not in known:
                raise PaperError(f"{self.name} has no experiment {quoted(name)}; it has {', '.join(known)}")
        return [known[name] for name in names.split(",")]


PAPERS: Registry[Paper] = Registry("paper", PaperError, "heartlab.papers", lambda entry: entry.load())
"""All papers; an entry point is a `Paper`."""


def find_paper(name: str) -> Paper:
    """The paper with this name.

    :raises PaperError: if there is none.
    """
    return PAPERS.find(name)


def known_papers() -> list[Paper]:
    """All papers, by name."""
    return list(PAPERS.known().values())
