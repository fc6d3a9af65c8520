"""Claims of the FALCON paper about opponents: calibration, ranks in big games, and whom to train with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heartlab.arena.match import run_match
from heartlab.arena.rows import Match
from heartlab.learners.falcon.parts import (
    DELTA,
    GNOMES,
    LESS,
    LEVELS,
    MARGIN,
    PRINTED,
    RUNS,
    TESTS,
    UPDATES,
    FalconStudy,
    Update,
    ratio_text,
    study_units,
)
from heartlab.players.registry import make_player
from heartlab.reproduction.claims import Claim, Verdict, less_claim, more_claim, within
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Figure, Findings, Table
from heartlab.reproduction.series import run_seed
from heartlab.reproduction.units import run_units
from heartlab.rules import Rules
from heartlab.util.statistics import Estimate, FloatArray, estimate

PARTNERS = {
    "(a) three random": ("random",) * 3,
    "(b) three Monte-Carlo": ("montecarlo",) * 3,
    "(c) gnome, random, Monte-Carlo": ("gnome", "random", "montecarlo"),
    "(d) three gnome": GNOMES,
}
"""Training partners of figure 6."""
MARKS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
"""Training games after which an agent is tested; the paper goes on to 100,000."""
BIG_MARKS = (0, 1_000, 2_500, 5_000, 10_000, 20_000, 30_000, 50_000)
SIMULATIONS = (60, 125, 250, 500, 1_000)
ENOUGH = 250
"""Simulations beyond which the paper saw no gain."""
LIKE = 0.005
"""Penalty ratio that is no gain to speak of, where two digits are published."""
BLOCKS = 10
"""Blocks of deals, each with its own seed, over which the opponents are calibrated."""
STRONGER = "montecarlo:playout=gnome"
"""The Monte-Carlo agent with playouts of another kind."""


# --- the opponents among themselves ---


def _two_and_two(name: str, deals: int, seed: int) -> float:
    """The penalty ratio of two of a kind with two gnome, in all six seatings."""
    first, second = make_player(name), make_player("gnome")
    match = Match([first, first, second, second], Rules.parse("falcon"), deals, seed=seed)
    return float(run_match(match, threads=1).points[:, 0].mean()) / 26


def calibration(shop: Workshop) -> Findings:
    """The opponents among themselves, on the same deals for every number of simulations."""
    sizes = {"random": shop.size(2_000, 20), "montecarlo": shop.size(60, 2), "stronger": shop.size(20, 1)}

    def work(shop: Workshop, run: int) -> Unit:
        seed = run_seed(shop, run)
        counts = {f"{sims}": _two_and_two(f"montecarlo:sims={sims}", sizes["montecarlo"], seed) for sims in SIMULATIONS}
        return {
            "random": _two_and_two("random", sizes["random"], seed),
            "simulations": counts,
            "stronger": _two_and_two(STRONGER, sizes["stronger"], seed),
        }

    units = run_units(shop, "calibration", sizes, shop.size(BLOCKS, 3), work)
    by_sims = {sims: np.array([unit["simulations"][f"{sims}"] for unit in units]) for sims in SIMULATIONS}
    found = {"random": np.array([unit["random"] for unit in units]), "montecarlo": by_sims[ENOUGH]}
    findings = Findings()
    for name, published in (("random", 0.36), ("montecarlo", 0.23)):
        one = estimate(found[name])
        findings.claims.append(
            Claim(f"calibration/{name}", f"penalty ratio of two {name} at a table with two rule-based agents",
                  published, one.mean, one.ci95, sizes[name] * len(units),
                  within(one.ci95, published - 0.01, published + 0.01),
                  f"deals in six seatings, {len(units)} blocks; holds: within 0.01")
        )  # fmt: skip
    findings.claims += _simulation_claims(by_sims, sizes["montecarlo"] * len(units))
    findings.figures.append(
        Figure("simulations", "two Monte-Carlo agents with two rule-based ones", "simulations", LESS,
               [Curve("published", [ENOUGH], [0.23], published=True), _calibrated(by_sims)], log_x=True, levels=LEVELS)
    )  # fmt: skip
    strong = estimate(np.array([unit["stronger"] for unit in units]))
    findings.notes.append(
        "The Monte-Carlo agent: a new world for every one of the 250 simulations, UCB1 with c = 0.7, random playouts. "
        f"With playouts like the rule-based agent (`{STRONGER}`) two of them take {ratio_text(strong)} "
        f"({sizes['stronger'] * len(units)} deals), the published agents 0.23."
    )
    return findings


def _calibrated(by_sims: dict[int, FloatArray]) -> Curve:
    """The ratio against the number of simulations, with a band over blocks of deals."""
    found = [estimate(values) for values in by_sims.values()]
    low, high = zip(*(one.ci95 for one in found), strict=True)
    return Curve("measured", list(by_sims), [one.mean for one in found], low, high)


def _simulation_claims(by_sims: dict[int, FloatArray], deals: int) -> list[Claim]:
    """More simulations than 250 against 250, block by block."""
    claims = []
    for sims in SIMULATIONS:
        if sims > ENOUGH:
            gain = estimate(by_sims[sims] - by_sims[ENOUGH])
            slug = "no-gain-beyond-250" if sims == SIMULATIONS[-1] else f"no-gain-at-{sims}"
            claims.append(
                Claim(f"monte-carlo/{slug}", f"{sims} simulations are no better than {ENOUGH}", None, gain.mean,
                      gain.ci95, deals, _no_gain(gain), f"difference of penalty ratios on the same deals in six "
                      f"seatings; holds: any gain is below {LIKE}", margin=LIKE)
            )  # fmt: skip
    return claims


def _no_gain(gain: Estimate) -> Verdict:
    low, high = gain.ci95
    return "holds" if low > -LIKE else "fails" if high < -LIKE else "unclear"


# --- figure 5 ---


def _big_games(shop: Workshop, update: Update) -> tuple[FalconStudy, list[Unit]]:
    marks = BIG_MARKS if not shop.quick else (0, 1_000)
    study = FalconStudy(
        f"{update.name}, big games", update.networks(14), marks[-1], marks, tests=1_000, big_games=shop.size(1_000, 50)
    )
    return study, study_units(shop, study, shop.size(RUNS, 3))


def figure_5(shop: Workshop) -> Findings:
    """Ranks in big games."""
    findings = Findings()
    for update in UPDATES:
        study, units = _big_games(shop, update)
        ranks = np.array([unit["ranks"] for unit in units])
        marks, n = study.marks, study.big_games * len(units)
        how = f"fourteen networks, {update.name}"
        findings.claims += [
            more_claim(update.claim_id("figure-5", "first-rises"),
                       update.says("first places become more frequent with training"),
                       ranks[:, -1, 0] - ranks[:, 0, 0], n, f"share after training minus before; {how}", margin=0.01),
            less_claim(update.claim_id("figure-5", "fourth-falls"), update.says("fourth places become rarer"),
                       ranks[:, -1, 3] - ranks[:, 0, 3], n, f"share after training minus before; {how}", margin=0.01),
        ]  # fmt: skip
        at = marks.index(5_000) if 5_000 in marks else len(marks) - 1
        for place, words in ((at, "5000"), (len(marks) - 1, "the-end")):
            rival = 1 + int(ranks[:, place, 1:].mean(axis=0).argmax())
            findings.claims.append(
                more_claim(update.claim_id("figure-5", f"first-most-frequent-{words}"),
                           update.says(f"after {marks[place]:,} games first place is the most frequent rank"),
                           ranks[:, place, 0] - ranks[:, place, rival], n,
                           f"share of first places minus that of the most frequent other rank; {how}", margin=0.01)
            )  # fmt: skip
        mean = ranks.mean(axis=0)
        findings.tables.append(
            Table(f"Shares of ranks, {update.name}, {len(units)} runs of {study.big_games:,} big games",
                  ["training games", "1st", "2nd", "3rd", "4th"],
                  [[f"{mark:,}", *(f"{share:.3f}" for share in mean[i])] for i, mark in enumerate(marks)])
        )  # fmt: skip
        if update is PRINTED:
            findings.figures += _rank_figures(marks, ranks)
    findings.notes.append(
        "The text does not say how many networks this agent has; here it is the fourteen that it called best."
    )
    return findings


def _rank_figures(marks: Sequence[int], ranks: FloatArray) -> list[Figure]:
    """All of it, and its end, where the four curves lie close together."""
    figures = []
    late = [i for i, mark in enumerate(marks) if mark >= 5_000] or list(range(len(marks)))
    for name, title, places in (
        ("figure-5", "ranks in big games (printed update)", list(range(len(marks)))),
        ("figure-5-end", "ranks in big games, from 5,000 training games on (printed update)", late),
    ):
        curves = [
            Curve.over_runs(rank, [marks[i] for i in places], ranks[:, places, which].tolist())
            for which, rank in enumerate(("1st", "2nd", "3rd", "4th"))
        ]
        figures.append(Figure(name, title, "training games", "share", curves, levels=[("chance", 0.25)]))
    return figures


# --- figure 6 ---


def figure_6(shop: Workshop) -> Findings:
    """Four kinds of training partners."""
    marks = MARKS if not shop.quick else MARKS[:2]
    base = FalconStudy("figure-6", PRINTED.networks(14), marks[-1], marks, tests=shop.size(TESTS, 500))
    ratios = {}
    for name, partners in PARTNERS.items():
        study = replace(base, name=f"{PRINTED.name}, trained with {name}", partners=partners)
        ratios[name] = np.array([unit["tested"] for unit in study_units(shop, study, shop.size(10, 2))])
    a, b, c, d = PARTNERS
    findings = Findings()
    n = len(ratios[a]) * base.tests
    at = f"frozen against three gnome after {marks[-1]:,} training games; fourteen networks, {PRINTED.name}"
    for case in (a, b, c):
        findings.claims.append(
            less_claim(f"figure-6/gnome-better-than-{case[1]}", f"training with three gnome is better than {case}",
                       ratios[d][:, -1] - ratios[case][:, -1], n, at, margin=MARGIN)
        )  # fmt: skip
    for case in (b, c):
        findings.claims.append(
            more_claim(f"figure-6/random-worse-than-{case[1]}", f"training with three random is worse than {case}",
                       ratios[a][:, -1] - ratios[case][:, -1], n, at, margin=MARGIN)
        )  # fmt: skip
    findings.claims.append(
        less_claim("figure-6/mixed-better-than-montecarlo", "(c) is better than (b)",
                   ratios[c][:, -1] - ratios[b][:, -1], n,
                   f"{at}; the text calls (c) second largest while arguing that it is good", margin=MARGIN)
    )  # fmt: skip
    rows = [
        [f"{mark:,}", *(ratio_text(estimate(tested[:, i])) for tested in ratios.values())]
        for i, mark in enumerate(marks)
    ]
    title = f"Frozen penalty ratio against three gnome, {len(ratios[a])} runs (± s.e.)"
    findings.tables.append(Table(title, ["training games", *PARTNERS], rows))
    findings.figures.append(
        Figure("figure-6", "training partners, tested against three gnome (printed update)", "training games", LESS,
               [Curve.over_runs(name, marks, tested.tolist()) for name, tested in ratios.items()], log_x=True,
               levels=LEVELS)
    )  # fmt: skip
    findings.notes.append(
        f"The paper trains for up to 100,000 games, we for {marks[-1]:,}: a game with Monte-Carlo agents takes "
        f"hundreds of times as long. Under the {DELTA.name} 100,000 games were measured before, see docs/falcon.md."
    )
    return findings
