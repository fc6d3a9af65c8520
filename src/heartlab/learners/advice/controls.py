"""Controls that the advice paper lacks, and other readings of it.

VOTING breaks its many ties at random. Unequal weights break them consistently, learned or not; so "better than VOTING"
does not show that something was learned. The controls measure how much of the gain needs no learning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from heartlab.compiled.rng import numpy_dice
from heartlab.learners.advice.games import constant, sitter
from heartlab.learners.advice.parts import (
    MARK_GAMES,
    Learner,
    Scores,
    gaps,
    judge_runs,
    marks_of,
    mean_points,
    net_learner,
    points_text,
    spread,
    tabular_learner,
    tournaments,
    train_learner,
)
from heartlab.learners.advice.pieces import GET_LEAD
from heartlab.learners.advice.trainer import make_learner
from heartlab.learners.advice.vote_trainer import climb
from heartlab.reproduction.claims import Claim, above
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Findings, Table
from heartlab.reproduction.series import run_seed
from heartlab.rules import Rules
from heartlab.util.statistics import Estimate, FloatArray, estimate

PIECES = 9
LOWERED = 0.95
"""The weight of get-lead, lowered by hand, where all others are 1."""


def difference(first: Estimate, second: Estimate) -> Estimate:
    """The difference of two independent means (Welch, with the smaller sample's degrees of freedom)."""
    return Estimate(first.mean - second.mean, float(np.hypot(first.se, second.se)), min(first.n, second.n))


def best_constant(workshop: Workshop) -> FloatArray:
    """Nine constant weights by hill climbing."""
    steps, games = workshop.size(120, 4), workshop.size(20_000, 500)
    others = [sitter("voting"), sitter("random")]

    def work() -> dict[str, FloatArray]:
        start = np.ones(PIECES)
        start[GET_LEAD] = LOWERED
        rules = Rules.parse("advice")
        return {
            "weights": climb(
                rules, start, "paper", others, workshop.seed, steps, games, lambda means: float(means[1] - means[0])
            )
        }

    return workshop.part("climb paper", {"steps": steps, "games": games}, work)["weights"]


def controls(workshop: Workshop) -> Findings:
    """What learning adds, and what it does not."""
    marks, runs = marks_of(workshop), workshop.size(10, 3)
    tables, nets = tabular_learner("T"), net_learner("N-self")
    table_scores = judge_runs(workshop, tables, train_learner(workshop, tables, runs, marks), len(marks) - 1)
    trained = train_learner(workshop, nets, runs, marks)
    net_scores = judge_runs(workshop, nets, trained, len(marks) - 1)
    fresh = [
        nets.sitter(make_learner(nets.kind, nets.settings, run_seed(workshop, run), i).weights)
        for run in range(runs)
        for i in range(3)
    ]
    games = workshop.size(MARK_GAMES, 2_000)
    untrained = tournaments(workshop, "N untrained", fresh, games=games, settings=["untrained", runs])
    lowered = np.ones(PIECES)
    lowered[GET_LEAD] = LOWERED
    by_hand = tournaments(workshop, "lead lowered", [constant(lowered)], settings=LOWERED)[0]
    dice = numpy_dice(workshop.seed, 5)
    vectors = [0.5 + 0.01 * (2 * dice.random(PIECES) - 1) for _ in range(workshop.size(50, 5))]
    small = workshop.size(20_000, 1_000)
    drawn = tournaments(workshop, "random vectors", [constant(v) for v in vectors], games=small, settings="uniform")
    order = np.argsort([-one.gap.mean for one in drawn])[:3]
    best_drawn = tournaments(workshop, "best drawn", [constant(vectors[i]) for i in order], settings="best of drawn")
    climbed_weights = best_constant(workshop)
    climbed = tournaments(workshop, "climbed", [constant(climbed_weights)], settings="climb")[0]
    gained = estimate(np.array([a.gap.mean - b.gap.mean for a, b in zip(net_scores, untrained, strict=True)]))
    over_hand = difference(gaps(table_scores), Estimate(by_hand.gap.mean, by_hand.gap.se, runs))
    over_climb = difference(Estimate(climbed.gap.mean, climbed.gap.se, runs), gaps(table_scores))
    over_drawn = difference(gaps(table_scores), gaps(drawn))
    claims = [
        _control("untrained-networks", "networks that were never trained beat VOTING, too", gaps(untrained)),
        _control(
            "training-adds-to-networks",
            "training adds to what the same networks reach untrained",
            gained,
            "V − L after self-play minus V − L before, paired by network",
        ),
        _control(
            "table-beats-lead-lowered",
            "LEARNER-T is better than equal weights with get-lead slightly lowered by hand",
            over_hand,
            f"difference in V − L; by hand {spread(by_hand.gap)}: this tie-break alone is that much of the gain",
        ),
        _control(
            "table-beats-random-vectors",
            "LEARNER-T is better than random constant weights",
            over_drawn,
            f"difference in V − L; {len(vectors)} vectors 0.5 ± 0.01: mean {gaps(drawn).mean:.2f}, from "
            f"{min(one.gap.mean for one in drawn):.2f} to {max(one.gap.mean for one in drawn):.2f}",
        ),
        _control(
            "constant-beats-table",
            "the best constant weights found by search are better than LEARNER-T",
            over_climb,
            f"difference in V − L; climbed {spread(climbed.gap)}: weights need not depend on the state for this",
        ),
    ]
    rows = [
        _row(f"LEARNER-T, {marks[-1]:,} games", table_scores),
        _row(f"LEARNER-N, self-play, {marks[-1]:,} games", net_scores),
        _row("LEARNER-N, untrained", untrained),
        _row("equal weights, get-lead lowered", [by_hand], by_hand.gap),
        _row("random constant weights 0.5 ± 0.01", drawn),
        *(_row(f"number {i + 1} of these, fresh games", [one], one.gap) for i, one in enumerate(best_drawn)),
        _row("constant weights by hill climbing", [climbed], climbed.gap),
    ]
    weights = ", ".join(f"{value:.2f}" for value in climbed_weights)
    notes = [
        "VOTING breaks its frequent ties at random; any fixed weights break them consistently. The rows without "
        "learning say how much of the published gain needs no learning at all.",
        f"The climbed weights, in the order of the pieces: {weights}.",
    ]
    table = Table("Controls", ["weights", "L / V / R", "V − L [95 %] (n)"], rows)
    return Findings(claims, [table], notes=notes)


def _control(name: str, statement: str, value: Estimate, note: str = "V − L, points per game") -> Claim:
    return Claim(
        f"controls/{name}", f"(control) {statement}", None, value.mean, value.ci95, value.n, above(value.ci95), note
    )


def _row(name: str, scores: Sequence[Scores], value: Estimate | None = None) -> list[str]:
    return [name, points_text(mean_points(scores)), spread(value or gaps(scores))]


READINGS: tuple[tuple[str, dict[str, object]], ...] = (
    ("default: initial value 0.36", {}),
    ("initial value 0.5", {"initial": 0.5}),
    ("initial value 0.2", {"initial": 0.2}),
    ("initial value 0.05", {"initial": 0.05}),
    ("credit to all nine pieces", {"everybody": True}),
    ("forced moves not learned from", {"forced": False}),
    ("follow the heaviest piece", {"choice": "heaviest"}),
    ("mean instead of sum of weights", {"choice": "mean"}),
    ("λ = 0.5", {"trace": 0.5}),
    ("λ = 1 (Monte Carlo), rate 0.01", {"trace": 1.0, "rate": 0.01}),
    ("hearts must be broken", {"rules": "advice,hearts=broken"}),
    ("no kitty: 2♣ removed", {"rules": "advice,removed=2C,kitty=none"}),
    ("trained against two VOTING", {"partners": "voting+voting"}),
    ("three LEARNER-T in self-play", {"partners": "self+self"}),
)


READING_GAMES = 40_000
"""Games of a tournament of one run of one reading."""


def readings(workshop: Workshop) -> Findings:
    """LEARNER-T under other readings, above all of the initial value, which is decisive and not printed."""
    marks, runs = marks_of(workshop, 10_000), workshop.size(10, 3)
    rows, found = [], {}
    for name, changes in READINGS:
        learner: Learner = tabular_learner(f"T {name}", test=0, **changes)
        trained = train_learner(workshop, learner, runs, marks)
        players = [learner.sitter(run["snapshots"][-1][0]) for run in trained]
        settings = [asdict(learner.settings), runs, list(marks)]
        found[name] = tournaments(
            workshop,
            f"reading {name}",
            players,
            rules=learner.settings.rules,
            games=workshop.size(READING_GAMES, 2_000),
            settings=settings,
        )
        rows.append([name, points_text(mean_points(found[name])), f"{mean_points(found[name]).sum():.2f}"])
        rows[-1].append(spread(gaps(found[name])))
    half, default = gaps(found["initial value 0.5"]), gaps(found["default: initial value 0.36"])
    claims = [
        Claim(
            "readings/initial-value-0.36",
            "(control) with the initial value 0.36, the mean reward of VOTING, LEARNER-T beats VOTING by 0.6 or more",
            None,
            default.mean,
            default.ci95,
            default.n,
            above(default.ci95, 0.6),
            "V − L; the value was chosen after seeing that 0.5 fails, so the agreement is fitted; 0.63 is "
            "LEARNER-N's published mean",
        ),
        Claim(
            "readings/initial-value-0.5",
            "(control) with the initial value 0.5 LEARNER-T beats VOTING",
            None,
            half.mean,
            half.ci95,
            half.n,
            above(half.ci95),
            "V − L; get-lead is seldom credited and stays near its initial value: above what the others learn, the "
            "learner prefers to win tricks",
        ),
    ]
    title = f"LEARNER-T after {marks[-1]:,} training games"
    return Findings(claims, [Table(title, ["reading", "L / V / R", "sum", "V − L [95 %] (runs)"], rows)])
