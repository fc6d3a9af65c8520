"""Why LEARNER-N gets worse again after its optimum, which the authors could not explain.

A run is judged at seven marks. If training went on past an optimum, runs would get worse on average; if the weights
only wander, a run is worse than its best mark because that mark was chosen, and smaller steps wander less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from heartlab.learners.advice.parts import Learner, net_learner, spread
from heartlab.learners.advice.runs import (
    LEARNERS,
    MARGIN,
    TEN,
    THIRTY,
    end_gaps,
    gap_at,
    learner_units,
    mark_games,
    marks_for,
    peak_gaps,
)
from heartlab.reproduction.claims import Claim, interval_text, less_claim, more_claim
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Figure, Findings, Table
from heartlab.util.statistics import FloatArray, estimate

NET = {"partners": "random+random", "test": 0}
VARIANTS: dict[str, Learner] = {
    "rate 0.025, no momentum": net_learner("N-slow", rate=0.025, momentum=0.0, **NET),
    "rate 0.0025, no momentum": net_learner("N-slowest", rate=0.0025, momentum=0.0, **NET),
}
"""LEARNER-N against RANDOM with one thing changed; the paper's has rate 0.25 and momentum 0.9."""
SHOWN_RUNS = 3


def wander(units: Sequence[Unit], first: int) -> FloatArray:
    """How much V − L of a run varies between its later marks, beyond what chance in the test games explains."""
    spreads = []
    for unit in units:
        rows = np.array(unit["fresh"][first:])
        extra = (rows[:, 1] - rows[:, 0]).var(ddof=1) - (rows[:, 3] ** 2).mean()
        spreads.append(float(np.sqrt(max(0.0, extra))))
    return np.array(spreads)


def overtraining(shop: Workshop) -> Findings:
    """LEARNER-N against RANDOM: a trend, or a walk?"""
    marks = marks_for(shop)
    first, thirty, last = min(TEN, len(marks) - 3), min(THIRTY, len(marks) - 2), len(marks) - 1
    nets, tables = (learner_units(shop, LEARNERS[name]) for name in ("N, RANDOM", "T, RANDOM"))
    others = {name: learner_units(shop, learner, shop.size(10, 3)) for name, learner in VARIANTS.items()}
    n = mark_games(shop, nets)
    walk = wander(nets, first)
    slow = wander(others["rate 0.0025, no momentum"], first)
    pairs = [
        (np.diff(unit["lead"][first:]), np.diff([row[1] - row[0] for row in unit["fresh"][first:]])) for unit in nets
    ]
    slopes = np.array([float(np.corrcoef(lead, gap)[0, 1]) if lead.std() > 0 else 0.0 for lead, gap in pairs])
    findings = Findings()
    findings.claims = [
        less_claim("controls/overtraining-trend", "LEARNER-N gets worse on average from 30,000 to 100,000 games",
                   gap_at(nets, last, "fresh") - gap_at(nets, thirty, "fresh"), n,
                   "change of V − L; no mark is chosen here", margin=MARGIN),
        less_claim("controls/overtraining-after-the-best", "it is worse at the end than at its best mark",
                   gap_at(nets, last, "fresh") - peak_gaps(nets), n, "the best of seven marks was chosen",
                   margin=MARGIN),
        more_claim("controls/overtraining-net-wanders", "LEARNER-N varies more between marks than LEARNER-T",
                   walk - wander(tables, first), n, "standard deviation of V − L over the marks of a run from 10,000 "
                   "games on, chance in the games taken out", margin=0.05),
        less_claim("controls/overtraining-smaller-steps", "with steps a hundredth as large it varies less",
                   slow - walk[: len(slow)], n, "the same for rate 0.0025 without momentum, run by run", margin=0.05),
        less_claim("controls/overtraining-get-lead", "it gets worse where the weight of get-lead rises",
                   slopes, n, "correlation over the changes between marks, a few in each run: of that weight, relative "
                   "to the others, when a deal begins, and of V − L", margin=0.1),
    ]  # fmt: skip
    rows = []
    for name, units in {"LEARNER-N as in the paper": nets, **others, "LEARNER-T": tables}.items():
        rows.append([name, spread(estimate(peak_gaps(units))), spread(estimate(end_gaps(units))),
                     spread(estimate(wander(units, first)))])  # fmt: skip
    head = ["learner, trained against RANDOM", "V − L at the best mark", "at the end", "variation between marks"]
    findings.tables.append(Table("Steps and walks [95 %] (runs)", head, rows))
    gaps = np.array([[row[1] - row[0] for row in unit["fresh"]] for unit in nets])
    curves = [Curve.over_runs("mean", marks, gaps.tolist())]
    curves += [Curve(f"run {run + 1}", marks, gaps[run]) for run in range(min(SHOWN_RUNS, len(gaps)))]
    findings.figures.append(
        Figure("overtraining", "LEARNER-N against RANDOM: the mean of all runs, and three of them", "training games",
               "V − L, points per game", curves, log_x=True, levels=[("VOTING", 0.0)])
    )  # fmt: skip
    findings.notes.append(
        "The rate of LEARNER-N never falls, every step moves the hidden units that all nine weights share, and the "
        "target of a step is the network's own next output. The claims below ask whether this is a trend or a walk."
    )
    findings.notes.append(_answer({claim.id.rpartition("overtraining-")[2]: claim for claim in findings.claims}))
    return findings


def _answer(found: Mapping[str, Claim]) -> str:
    """What the claims say together, from their verdicts."""
    trend, best, walk, slow, lead = (
        found[name] for name in ("trend", "after-the-best", "net-wanders", "smaller-steps", "get-lead")
    )
    falls = trend.verdict == "holds"
    told = ["So runs get worse with training." if falls else "So no trend that all runs follow is seen, nor excluded."]
    if walk.verdict == "holds":
        told.append("A single run of LEARNER-N wanders far more than one of LEARNER-T.")
    if best.verdict == "holds" and walk.verdict == "holds" and not falls:
        told.append("A walk alone would make runs worse than their best mark: the best of seven was chosen.")
    if lead.verdict == "holds":
        told.append(
            "The walk goes with one weight: play gets worse when that of get-lead rises above the others, and better "
            f"when it falls (correlation {interval_text(lead)}); its initial value decides what LEARNER-T reaches, too."
        )
    if slow.verdict != "holds":
        told.append("That smaller steps lessen it is not shown.")
    return " ".join(told)
