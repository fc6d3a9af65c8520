"""Controls that the advice paper lacks, and other readings of it.

VOTING breaks its many ties at random. Unequal weights break them consistently, learned or not; so "better than VOTING"
does not show that something was learned. The controls measure how much of the gain needs no learning.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from heartlab.compiled.rng import numpy_dice
from heartlab.learners.advice.games import constant, sitter
from heartlab.learners.advice.parts import LearnerStudy, net_learner, points_text, spread, tabular_learner
from heartlab.learners.advice.pieces import GET_LEAD
from heartlab.learners.advice.runs import (
    LEARNERS,
    MARGIN,
    SCORING,
    end_games,
    end_gaps,
    end_points,
    learner_units,
    play_judge,
)
from heartlab.learners.advice.vote_trainer import climb
from heartlab.reproduction.claims import Claim, above, more_claim
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Findings, Table
from heartlab.reproduction.series import run_seed, train_study
from heartlab.reproduction.units import run_units
from heartlab.rules import Rules
from heartlab.util.statistics import Estimate, FloatArray, estimate

PIECES = 9
LOWERED = 0.95
"""The weight of get-lead, lowered by hand, where all others are 1."""
DRAWN = 5
"""Random vectors of each run."""


def difference(first: Estimate, second: Estimate) -> Estimate:
    """The difference of two independent means (Welch, with the smaller sample's degrees of freedom)."""
    return Estimate(first.mean - second.mean, float(np.hypot(first.se, second.se)), min(first.n, second.n))


def by_hand() -> FloatArray:
    """Equal weights, get-lead slightly lowered."""
    weights = np.ones(PIECES)
    weights[GET_LEAD] = LOWERED
    return weights


def _fixed_units(shop: Workshop) -> list[Unit]:
    """Weights that nobody learned from games of the paper's kind: by hand, at random, by hill climbing."""
    sizes = {"games": shop.size(40_000, 500), "steps": shop.size(60, 2), "climb": shop.size(10_000, 300)}

    def work(shop: Workshop, run: int) -> Unit:
        seed = run_seed(shop, run)
        dice = numpy_dice(seed, 5)
        drawn = [0.5 + 0.01 * (2 * dice.random(PIECES) - 1) for _ in range(DRAWN)]
        others = [sitter("voting"), sitter("random")]
        climbed = climb(
            Rules.parse("advice"), by_hand(), "paper", others, seed, sizes["steps"], sizes["climb"],
            lambda means: float(means[1] - means[0]),
        )  # fmt: skip
        return {
            "by hand": play_judge(constant(by_hand()), seed, "end 0", sizes["games"]),
            "drawn": [play_judge(constant(one), seed, "end 0", sizes["games"]) for one in drawn],
            "climbed": play_judge(constant(climbed), seed, "end 0", sizes["games"]),
            "weights": climbed,
        }

    return run_units(shop, "fixed weights", sizes, shop.size(10, 3), work)


def controls(shop: Workshop) -> Findings:
    """What learning adds, and what it does not."""
    fixed = _fixed_units(shop)
    tables, nets = (learner_units(shop, LEARNERS[name]) for name in ("T, RANDOM", "N, self-play"))
    hand, climbed = (np.array([unit[name][1] - unit[name][0] for unit in fixed]) for name in ("by hand", "climbed"))
    drawn = np.array([[row[1] - row[0] for row in unit["drawn"]] for unit in fixed])
    table, count = end_gaps(tables), len(fixed)
    n = count * shop.size(40_000, 500)
    what = "difference in V − L, run by run on the same deals"
    claims = [
        more_claim("controls/untrained-networks", "networks that were never trained beat VOTING, too",
                   end_gaps(nets, "untrained"), end_games(shop, nets, "untrained"), "V − L, points per game",
                   margin=MARGIN),
        more_claim("controls/training-adds-to-networks", "training adds to what the same networks reach untrained",
                   end_gaps(nets) - end_gaps(nets, "untrained"), end_games(shop, nets),
                   "V − L after self-play minus V − L before", margin=MARGIN),
        more_claim("controls/table-beats-lead-lowered",
                   "LEARNER-T is better than equal weights with get-lead slightly lowered by hand",
                   table[:count] - hand, n, f"{what}; by hand {spread(estimate(hand))}", margin=MARGIN),
        more_claim("controls/table-beats-random-vectors", "LEARNER-T is better than random constant weights",
                   table[:count] - drawn.mean(axis=1), n, f"{what}; {drawn.size} vectors 0.5 ± 0.01, from "
                   f"{drawn.min():.2f} to {drawn.max():.2f}", margin=MARGIN),
        more_claim("controls/constant-beats-table",
                   "constant weights found by hill climbing are better than LEARNER-T", climbed - table[:count], n,
                   f"{what}; climbed {spread(estimate(climbed))}: weights need not depend on the state for this",
                   margin=MARGIN),
    ]  # fmt: skip
    rows = [
        ["LEARNER-T, trained against RANDOM", points_text(end_points(tables).mean(axis=0)), spread(estimate(table))],
        ["LEARNER-N, self-play", points_text(end_points(nets).mean(axis=0)), spread(estimate(end_gaps(nets)))],
    ]
    for words, values in (
        ("LEARNER-N, untrained", [np.mean(unit["untrained"], axis=0) for unit in nets]),
        ("equal weights, get-lead lowered", [unit["by hand"] for unit in fixed]),
        ("random constant weights 0.5 ± 0.01", [np.mean(unit["drawn"], axis=0) for unit in fixed]),
        (
            "the best of five of these, by the same games",
            [max(unit["drawn"], key=lambda row: row[1] - row[0]) for unit in fixed],
        ),
        ("constant weights by hill climbing", [unit["climbed"] for unit in fixed]),
    ):
        points = np.array(values)[:, :3]
        rows.append([words, points_text(points.mean(axis=0)), spread(estimate(points[:, 1] - points[:, 0]))])
    weights = ", ".join(f"{value:.2f}" for value in np.mean([unit["weights"] for unit in fixed], axis=0))
    notes = [
        "VOTING breaks its frequent ties at random; any fixed weights break them consistently. The rows without "
        "learning say how much of the published gain needs no learning at all.",
        f"The climbed weights, in the order of the pieces, mean of {count} climbs: {weights}.",
    ]
    return Findings(claims, [Table("Controls", ["weights", "L / V / R", "V − L [95 %] (runs)"], rows)], notes=notes)


READINGS: tuple[tuple[str, dict[str, object]], ...] = (
    ("initial value 0.36", {}),
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
)
"""Readings of LEARNER-T."""


def _reading_units(shop: Workshop, name: str, changes: dict[str, object]) -> list[Unit]:
    games, judged = shop.size(10_000, 1_000), shop.size(40_000, 500)
    learner = tabular_learner(f"T {name}", test=0, **changes)
    settings = {"games": games, "judged": judged, "learner": asdict(learner.settings)}

    def work(shop: Workshop, run: int) -> Unit:
        seed = run_seed(shop, run)
        trained = train_study(LearnerStudy(learner, (games,)), seed)
        player = learner.sitter(trained["snapshots"][-1][0])
        return {"judged": play_judge(player, seed, "end 0", judged, learner.settings.rules)}

    return run_units(shop, f"reading {name}", settings, shop.size(10, 3), work)


def readings(shop: Workshop) -> Findings:
    """LEARNER-T under other readings, above all of the initial value; LEARNER-N with credit to all nine outputs."""
    rows, found = [], {}
    for name, changes in READINGS:
        points = np.array([unit["judged"][:3] for unit in _reading_units(shop, name, changes)])
        found[name] = points[:, 1] - points[:, 0]
        means = points.mean(axis=0)
        rows.append([name, points_text(means), f"{means.sum():.2f}", spread(estimate(found[name]))])
    n = len(found["initial value 0.5"]) * shop.size(40_000, 500)
    fitted = estimate(found["initial value 0.36"])
    everybody = learner_units(shop, net_learner("N-self-all", everybody=True), shop.size(10, 3))
    credit = end_gaps(everybody)
    usual = end_gaps(learner_units(shop, LEARNERS["N, self-play"]))[: len(credit)]
    claims = [
        Claim("readings/initial-value-0.36", "with the initial value 0.36 LEARNER-T beats VOTING by 0.6 or more", None,
              fitted.mean, fitted.ci95, n, above(fitted.ci95, 0.6),
              "V − L after 10,000 games; 0.36 is the mean reward of VOTING, chosen after 0.5 had failed; 0.63 is "
              f"LEARNER-N's published mean; {SCORING}", fitted.n),
        more_claim("readings/initial-value-0.5", "with the initial value 0.5 LEARNER-T beats VOTING",
                   found["initial value 0.5"], n, "V − L after 10,000 games; get-lead is seldom credited and stays "
                   "near its initial value, above what the others learn", margin=MARGIN),
        more_claim("readings/all-outputs-table", "LEARNER-T with credit to all nine pieces beats VOTING",
                   found["credit to all nine pieces"], n, "V − L after 10,000 games", margin=MARGIN),
        more_claim("readings/all-outputs-net", "LEARNER-N with credit to all nine outputs beats VOTING", credit,
                   end_games(shop, everybody), "V − L after self-play of 100,000 games", margin=MARGIN),
        more_claim("readings/all-outputs-net-loses", "credit to the proposing pieces alone is better for LEARNER-N",
                   usual - credit, end_games(shop, everybody),
                   "V − L of the paper's credit minus that of credit to all nine, run by run", margin=MARGIN),
    ]  # fmt: skip
    title = f"LEARNER-T after {shop.size(10_000, 1_000):,} training games against RANDOM"
    return Findings(claims, [Table(title, ["reading", "L / V / R", "sum", "V − L [95 %] (runs)"], rows)])
