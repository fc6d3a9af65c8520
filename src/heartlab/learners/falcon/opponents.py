"""The opponents of the FALCON paper: among themselves, and as training partners."""

from __future__ import annotations

from functools import partial

import numpy as np

from heartlab.arena.match import run_match
from heartlab.arena.rows import Match
from heartlab.learners.falcon.parts import GNOMES, LEVELS, Study, networks, ratio_claim, ratio_text, train_all
from heartlab.players.registry import make_player
from heartlab.reproduction.claims import Claim, above, below, within
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Figure, Findings, Table
from heartlab.rules import Rules
from heartlab.util.bundle import Arrays
from heartlab.util.statistics import FloatArray, estimate

CASES = {
    "(a) three random": ("random",) * 3,
    "(b) three Monte-Carlo": ("montecarlo",) * 3,
    "(c) gnome, random, Monte-Carlo": ("gnome", "random", "montecarlo"),
    "(d) three gnome": GNOMES,
}
"""Training partners of figure 6."""
STRONGER = "montecarlo:playout=gnome"
"""The Monte-Carlo agent with playouts of another kind."""
MARKS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Training games after which an agent is tested."""


def figure_6(shop: Workshop) -> Findings:
    """Four kinds of training partners."""
    last = MARKS[-1] if not shop.quick else 30
    marks = tuple(mark for mark in MARKS if mark <= last)
    ratios: dict[str, FloatArray] = {}
    curves = []
    studies = [
        Study(
            f"figure-6 {name[:3]}",
            networks(14),
            games=last,
            marks=marks,
            partners=partners,
            tests=shop.size(10_000, 500),
        )
        for name, partners in CASES.items()
    ]
    for name, trained in zip(CASES, train_all(shop, studies, shop.size(10, 2)), strict=True):
        tested = np.stack([run["tested"] for run in trained])
        ratios[name] = tested
        mean, error = tested.mean(axis=0), tested.std(axis=0, ddof=1) / np.sqrt(len(tested))
        curves.append(Curve(name, list(marks), mean, mean - 2 * error, mean + 2 * error))
    a, b, c, d = CASES
    findings = Findings()
    n = len(ratios[a])
    at = f"frozen against three gnome after {last:,} training games, {n} runs"
    for case in (a, b, c):
        findings.claims.append(
            ratio_claim(
                f"figure-6/gnome-better-than-{case[1]}",
                f"training with three gnome is better than {case}",
                None,
                ratios[d][:, -1] - ratios[case][:, -1],
                below,
                at,
            )
        )
    for case in (b, c):
        findings.claims.append(
            ratio_claim(
                f"figure-6/random-worse-than-{case[1]}",
                f"training with three random is worse than {case}",
                None,
                ratios[a][:, -1] - ratios[case][:, -1],
                above,
                at,
            )
        )
    findings.claims.append(
        ratio_claim(
            "figure-6/mixed-better-than-montecarlo",
            "(c) is better than (b)",
            None,
            ratios[c][:, -1] - ratios[b][:, -1],
            below,
            f"{at}; the paper's text calls (c) second largest while arguing that it is good",
        )
    )
    rows = []
    for i, mark in enumerate(marks):
        rows.append([f"{mark:,}", *(ratio_text(estimate(tested[:, i])) for tested in ratios.values())])
    findings.tables.append(
        Table(f"Frozen penalty ratio against three gnome, {n} runs (± s.e.)", ["training games", *CASES], rows)
    )
    findings.figures.append(
        Figure(
            "figure-6",
            "Training partners",
            "training games",
            "penalty ratio against three gnome",
            curves,
            log_x=True,
            levels=LEVELS,
        )
    )
    return findings


def _two_and_two(name: str, deals: int, seed: int) -> Arrays:
    """Two of a kind and two gnome in all six seatings: points of both kinds per deal."""
    first, second = make_player(name), make_player("gnome")
    match = Match([first, first, second, second], Rules.parse("falcon"), deals, seed=seed)
    return {"points": run_match(match, threads=1).points}


def calibration(shop: Workshop) -> Findings:
    """The opponents among themselves."""
    findings = Findings()
    sizes = {"random": shop.size(20_000, 20), "montecarlo": shop.size(1_000, 20), STRONGER: shop.size(200, 4)}
    jobs = [
        (f"calibration {name}", {"deals": deals}, partial(_two_and_two, name, deals, shop.seed))
        for name, deals in sizes.items()
    ]
    found = {name: estimate(played["points"][:, 0] / 26) for name, played in zip(sizes, shop.parts(jobs), strict=True)}
    for name, published in (("random", 0.36), ("montecarlo", 0.23)):
        findings.claims.append(
            Claim(
                f"calibration/{name}",
                f"penalty ratio of two {name} at a table with two rule-based agents",
                published,
                found[name].mean,
                found[name].ci95,
                sizes[name],
                within(found[name].ci95, published - 0.01, published + 0.01),
                f"{sizes[name]:,} deals, each in six seatings; gnome {0.5 - found[name].mean:.4f}; holds: within 0.01",
            )
        )
    low, high = found[STRONGER].ci95
    findings.notes.append(
        "The Monte-Carlo agent: a new world for every one of the 250 simulations, UCB1 with c = 0.7, random playouts. "
        f"With playouts like the rule-based agent (`{STRONGER}`) two of them take {found[STRONGER].mean:.3f} "
        f"[{low:.3f}, {high:.3f}] ({sizes[STRONGER]} deals, each in six seatings), the published agents 0.23."
    )
    return findings
