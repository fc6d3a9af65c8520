"""FALCON agents for Hearts (Nimoto, Takahashi & Inaba 2016): what each idea is worth, and how strong the agent gets.

Everything is measured with the printed update first, and once more with the delta rule, our repair of it, as another
reading. `games` has ranks in big games and training partners, `readings` what else the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from heartlab.learners.falcon.beyond import beyond
from heartlab.learners.falcon.games import calibration, figure_5, figure_6
from heartlab.learners.falcon.parts import (
    BLOCK,
    DELTA,
    FOURTEEN,
    GAMES,
    LESS,
    LEVELS,
    MARGIN,
    PRINTED,
    RUNS,
    TESTS,
    UPDATES,
    FalconStudy,
    Update,
    final_ratios,
    learning_curve,
    learning_ratios,
    ratio_claim,
    ratio_text,
    standard_units,
    study_units,
)
from heartlab.learners.falcon.readings import readings, robustness
from heartlab.learners.falcon.settings import FalconSettings, Floor, Rule
from heartlab.reproduction.claims import Claim, above, below, less_claim, more_claim, within
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Experiment, Figure, Findings, Paper, Table
from heartlab.util.statistics import FloatArray, estimate

GROUPINGS = (
    ("13", 0.2430),
    ("7+6", 0.2446),
    ("4+4+5", 0.2490),
    ("4+3+3+3", 0.2395),
    ("3+3+3+4", 0.2388),
    ("1+3+5+3+1", 0.2404),
    ("2+3+3+3+2", 0.2392),
    ("3+3+3+2+2", 0.2407),
    (FOURTEEN, 0.2380),
    ("+".join("1" * 13), 0.24),
)
"""The rows of table 3: the tricks of each group, and the published ratio."""
NEAR = 0.003
"""How far a level may be from the published one."""
BASES = {"quick": ("F_base, β = 1", 1.0, "quick learning"), "slow": ("F_base, β = 0.01", 0.01, "a constant small rate")}
"""What F_weight is compared with: the paper says only that it is the agent without the new learning rate."""
MURAI = FalconSettings(separate=False, rule=Rule.AND, fresh=-1.0, forced=True)
"""Stands in for an agent of a thesis that is not available."""


def _lowest(values: Mapping[str, FloatArray]) -> str:
    return min(values, key=lambda name: float(values[name].mean()))


# --- figure 2: the learning rate ---


def _bases(shop: Workshop, update: Update, games: int, tests: int) -> dict[str, list[Unit]]:
    """Both readings of F_base after so many games."""
    return {
        name: _one_network(
            shop, f"{update.name}, {name}", update.networks(1, rate=rate, sp=Floor.CONSTANT), games, tests
        )
        for name, rate, _ in BASES.values()
    }


def _one_network(shop: Workshop, name: str, settings: FalconSettings, games: int, tests: int) -> list[Unit]:
    study = FalconStudy(f"{name}, {games:,} games", settings, games, tests=tests, keeps_curve=True)
    return study_units(shop, study, shop.size(RUNS, 3))


def figure_2(shop: Workshop) -> Findings:
    """F_murai, F_base and F_weight while they learn for 5,000 games."""
    games, runs = shop.size(5_000, 1_000), shop.size(RUNS, 3)
    murai = _one_network(shop, "F_murai", MURAI, games, 1_000)
    findings = Findings()
    rows = []
    for update in UPDATES:
        weight = _one_network(shop, f"{update.name}, F_weight", update.networks(1), games, 1_000)
        trained = {"F_weight": weight, **_bases(shop, update, games, 1_000)}
        ratios = {name: learning_ratios(units, games) for name, units in trained.items()}
        how = f"{update.name}, {games:,} games while learning"
        for slug, (base, _, words) in BASES.items():
            findings.claims.append(
                less_claim(
                    update.claim_id("figure-2", f"weight-beats-{slug}-base"),
                    update.says(f"F_weight beats F_base with {words}"),
                    ratios["F_weight"] - ratios[base], games * runs, f"difference of penalty ratios; {how}",
                    margin=MARGIN,
                )
            )  # fmt: skip
        best = _lowest(ratios)
        findings.claims.append(
            ratio_claim(update.claim_id("figure-2", "none-below-parity"),
                        update.says("none beats the rule-based agent in 5,000 games"), None, ratios[best],
                        partial(above, bound=0.25), f"the best is {best}; {how}")
        )  # fmt: skip
        if update is PRINTED:
            trained = {"F_murai (stand-in)": murai, **trained}
            curves = [learning_curve(name, units) for name, units in trained.items()]
        else:
            curves.append(learning_curve("F_weight, delta rule", trained["F_weight"]))
        rows += [
            [f"{name}, {update.name}", ratio_text(estimate(learning_ratios(units, games))),
             ratio_text(estimate(final_ratios(units)))]
            for name, units in trained.items()
        ]  # fmt: skip
    findings.tables.append(
        Table(f"After {games:,} games, {runs} runs (± s.e.)", ["learner", "while learning", "frozen"], rows)
    )
    findings.figures.append(
        Figure("figure-2", "the learning rate depends on the penalty (printed update)", "games", LESS,
               curves, levels=LEVELS)
    )  # fmt: skip
    findings.notes.append(
        "F_murai is an agent of a thesis that is not available; its stand-in takes the printed update with W_new = A: "
        "a new category takes over the first vector that it learns, the action vector or, after a failure, its "
        "inverse. Under x ∧ W that freezes what came first."
    )
    return findings


# --- figure 3: networks for leading ---


def figure_3(shop: Workshop) -> Findings:
    """F_separate against F_weight."""
    games = shop.size(10_000, 1_000)
    findings = Findings()
    curves = []
    for update in UPDATES:
        one, two = standard_units(shop, update, 1), standard_units(shop, update, 2)
        early = learning_ratios(two, games) - learning_ratios(one, games)
        late = final_ratios(two) - final_ratios(one)
        later = "readings/separate-beats-weight-later" + ("" if update.is_printed else "-delta")
        findings.claims += [
            less_claim(update.claim_id("figure-3", "separate-beats-weight"),
                       update.says("own networks for leading help"), early, games * len(one),
                       f"F_separate minus F_weight, {update.name}, first {games:,} games while learning",
                       margin=MARGIN),
            less_claim(later, f"the same after 50,000 games, {update.name}", late, TESTS * len(one),
                       "frozen; the paper shows 10,000 games", margin=MARGIN),
        ]  # fmt: skip
        rule = f", {update.name}"
        curves += [learning_curve(f"F_weight{rule}", one, 2, games), learning_curve(f"F_separate{rule}", two, 2, games)]
    findings.figures.append(Figure("figure-3", "own networks for leading", "games", LESS, curves, levels=LEVELS))
    return findings


# --- table 3: groups of tricks ---


def _groupings(shop: Workshop, update: Update) -> dict[str, list[Unit]]:
    """The agent with every grouping of table 3."""
    games, found = shop.size(GAMES, 2_000), {}
    for groups, _ in GROUPINGS:
        if groups in ("13", FOURTEEN):
            found[groups] = standard_units(shop, update, 2 if groups == "13" else 14)
        else:
            settings = FalconSettings(groups=groups, **update.changes)
            found[groups] = study_units(
                shop, FalconStudy(f"{update.name}, groups {groups}", settings, games), shop.size(RUNS, 3)
            )
    return found


def table_3(shop: Workshop) -> Findings:
    """Groups of tricks with their own networks: the ten rows, and the order of the two that matter."""
    findings = Findings()
    values: dict[str, dict[str, FloatArray]] = {}
    for update in UPDATES:
        units = _groupings(shop, update)
        values[update.name] = {groups: final_ratios(found) for groups, found in units.items()}
        _table_3_claims(update, values[update.name], findings)
    rows = []
    for groups, published in GROUPINGS:
        cells = [ratio_text(estimate(values[update.name][groups])) for update in UPDATES]
        rows.append([f"{FalconSettings(groups=groups).networks}", groups.replace("+", ","), f"{published:.4f}", *cells])
    runs = len(values[PRINTED.name]["13"])
    head = ["networks", "tricks", "published", PRINTED.name, DELTA.name]
    findings.tables.append(Table(f"After {shop.size(GAMES, 2_000):,} games, {runs} runs (± s.e.)", head, rows))
    places = list(range(1, len(GROUPINGS) + 1))
    curves = [Curve("published", places, [published for _, published in GROUPINGS], published=True)]
    curves += [
        Curve.over_runs(name, places, np.stack(list(found.values()), axis=1).tolist()) for name, found in values.items()
    ]
    findings.figures.append(
        Figure("table-3", "Table 3: groups of tricks with networks of their own", "networks, in the order of the rows",
               LESS, curves, levels=LEVELS,
               ticks=[f"{FalconSettings(groups=groups).networks}" for groups, _ in GROUPINGS])
    )  # fmt: skip
    findings.notes.append(
        "The printed update cannot strengthen an action, since x ∧ W only lets weights fall; the delta rule, our "
        "repair, gives its case “0.01 if x_i = 1” an effect."
    )
    return findings


def _table_3_claims(update: Update, values: Mapping[str, FloatArray], findings: Findings) -> None:
    """The ten levels, and who is better than whom."""
    runs = len(values["13"])
    how = f"frozen penalty ratio, {update.name}"
    findings.claims.append(
        less_claim(update.claim_id("table-3", "fourteen-beats-two"),
                   update.says("fourteen networks are better than two"),
                   values[FOURTEEN] - values["13"], TESTS * runs, f"fourteen minus two; {how}", margin=MARGIN,
                   published=0.2380 - 0.2430)
    )  # fmt: skip
    ordered = sorted(values, key=lambda groups: float(values[groups].mean()))
    rival = ordered[0] if ordered[0] != FOURTEEN else ordered[1]
    findings.claims.append(
        less_claim(update.claim_id("table-3", "fourteen-is-best"),
                   update.says("1,2,2,3,2,2,1 is the best of the ten groupings"),
                   values[FOURTEEN] - values[rival], TESTS * runs,
                   f"its ratio minus that of the best other, {rival.replace('+', ',')}; its rank is "
                   f"{ordered.index(FOURTEEN) + 1} of ten; {how}", margin=MARGIN)
    )  # fmt: skip
    if not update.is_printed:
        return
    for row, (groups, published) in enumerate(GROUPINGS, 1):
        tricks = "13 groups of one" if len(groups) > 20 else groups.replace("+", ",")
        count = FalconSettings(groups=groups).networks
        findings.claims.append(
            ratio_claim(f"table-3/row-{row}", f"row {row}, {count} networks ({tricks})", published,
                        values[groups], partial(within, low=published - NEAR, high=published + NEAR),
                        f"{how}; holds: within {NEAR}")
        )  # fmt: skip


# --- the six ideas ---


def ideas(shop: Workshop) -> Findings:
    """Which of the paper's ideas helps most: each is taken away from the agent that has it."""
    games = shop.size(GAMES, 2_000)
    findings = Findings()
    rows = []
    for update in UPDATES:
        trained = _bases(shop, update, games, TESTS)
        weight = final_ratios(standard_units(shop, update, 1))
        two, fourteen = (final_ratios(standard_units(shop, update, count)) for count in (2, 14))
        gains = {slug: final_ratios(trained[base]) - weight for slug, (base, _, _) in BASES.items()}
        others = {"own networks for leading": weight - two, "groups of tricks": two - fourteen}
        rival = _lowest({name: -gain for name, gain in others.items()})
        for slug, (_, _, words) in BASES.items():
            findings.claims.append(
                more_claim(update.claim_id("ideas", f"rate-helps-most-{slug}"),
                           update.says(f"the learning rate helps most, against {words}"),
                           gains[slug] - others[rival], TESTS * len(weight),
                           f"its gain minus that of {rival}, {update.name}, frozen after {games:,} games",
                           margin=MARGIN)
            )  # fmt: skip
        rows += [
            [update.name, words, ratio_text(estimate(gain))]
            for words, gain in [(f"learning rate, against {BASES[slug][2]}", gain) for slug, gain in gains.items()]
            + list(others.items())
        ]
    findings.tables.append(
        Table(f"What an idea lowers the frozen ratio by, after {games:,} games (± s.e.)", ["update", "idea", "gain"],
              rows)
    )  # fmt: skip
    findings.notes.append(
        "Three of the six ideas can be taken away: the learning rate, networks for leading, groups of tricks. Without "
        "percepts, actions or feedback there is no learner left, and the earlier agents that had others are not "
        "published."
    )
    return findings


# --- figure 4 ---


def figure_4(shop: Workshop) -> Findings:
    """The agent with one network, as the text says, learns for 50,000 games."""
    findings = Findings()
    curves = [Curve("published (text)", [8_000, 50_000], [0.25, 0.24], published=True)]
    for update in UPDATES:
        for count in (1, 14):
            units = standard_units(shop, update, count)
            curves.append(learning_curve(f"{count} network{'s' if count > 1 else ''}, {update.name}", units, 4))
            if count == 1:
                _figure_4_claims(update, units, findings)
    findings.notes.append(
        "The text says one FALCON here, though fourteen were called best just before; so the claims are about one "
        "network, and fourteen are drawn beside it."
    )
    findings.figures.append(
        Figure("figure-4", "the agent against three rule-based ones", "games", LESS, curves, levels=LEVELS)
    )
    return findings


def _figure_4_claims(update: Update, units: list[Unit], findings: Findings) -> None:
    curves = np.array([unit["curve"] for unit in units])
    blocks = curves.shape[1]
    at_8000 = curves[:, min(16, blocks - 1) : 24].mean(axis=1)
    last = curves[:, -max(1, blocks // 5) :].mean(axis=1)
    findings.claims += [
        ratio_claim(update.claim_id("figure-4", "below-parity-after-8000"),
                    update.says("after about 8,000 games the agent is below 0.25"), 0.25, at_8000,
                    partial(below, bound=0.25),
                    f"games 8,000 to 12,000 while learning; one network, {update.name}"),
        ratio_claim(update.claim_id("figure-4", "below-parity"),
                    update.says("the trained agent beats the rule-based ones"), 0.24,
                    final_ratios(units), partial(below, bound=0.25), f"frozen; one network, {update.name}"),
        ratio_claim(update.claim_id("figure-4", "under-024"), update.says("it converges under 0.24"), 0.24, last,
                    partial(below, bound=0.24),
                    f"last fifth of {blocks * BLOCK:,} games while learning; one network, {update.name}"),
    ]  # fmt: skip


def order_of_networks(claims: Mapping[str, Claim]) -> str:
    """What the update decides: the order of fourteen and two networks."""
    ids = [update.claim_id("table-3", "fourteen-beats-two") for update in UPDATES]
    if any(one not in claims for one in ids):
        return ""
    words = []
    for update, one in zip(UPDATES, ids, strict=True):
        low, high = claims[one].ci95 or (-1.0, 1.0)
        order = "better than" if high < 0 else "worse than" if low > 0 else "not clearly other than"
        words.append(f"under the {update.name} fourteen networks are {order} two ({claims[one].measured:+.4f} "
                     f"[{low:+.4f}, {high:+.4f}])")  # fmt: skip
    return f"The update decides the order of fourteen and two networks: {', '.join(words)}."


PAPER = Paper(
    "falcon",
    "Nimoto, Takahashi & Inaba 2016: multi-channel ART networks for Hearts",
    [
        Experiment("figure-2", "learning rates that depend on the penalty", figure_2),
        Experiment("figure-3", "own networks for leading", figure_3),
        Experiment("table-3", "groups of tricks with their own networks", table_3),
        Experiment("figure-4", "the agent against three rule-based ones", figure_4),
        Experiment("figure-5", "ranks in big games", figure_5),
        Experiment("figure-6", "four kinds of training partners", figure_6),
        Experiment("ideas", "which of the paper's ideas helps most", ideas),
        Experiment("calibration", "the opponents among themselves, and the number of simulations", calibration),
        Experiment("readings", "what the paper leaves open: readings of the learner", readings),
        Experiment("robustness", "what the paper leaves open: seats and opponents", robustness),
        Experiment("beyond", "beyond the paper: credit for the deal, grown networks, a ladder of partners", beyond),
    ],
    about="The paper says that multi-channel ART networks learn Hearts to the level of a rule-based agent and beyond, "
    "helped by a learning rate that depends on the penalty, networks for leading, and networks for groups of tricks.",
    basis="The paper's claims are measured with the update of motor weights as printed; the delta rule is our repair "
    "of it. Under both, new categories begin with weights of 1, a match is divided by |x| and must reach the "
    "vigilance, and action a15 throws A♠ and K♠ while Q♠ is out: all this is printed otherwise (`readings`). Numbers "
    "are penalty ratios (the learner's share of all points; 0.25 is parity) or differences of them: less is better.",
    remark=order_of_networks,
    headline={
        "figure-2/weight-beats-quick-base": "fig. 2: the new learning rate beats quick learning",
        "figure-2/weight-beats-slow-base": "fig. 2: it beats a constant small rate",
        "figure-2/none-below-parity": "fig. 2: none beats the rule-based agent in 5,000 games",
        "figure-3/separate-beats-weight": "fig. 3: own networks for leading help",
        "table-3/fourteen-beats-two": "table 3: fourteen networks beat two",
        "readings/delta-table-3-fourteen-beats-two": "the same under the delta rule",
        "table-3/row-1": "table 3: the level of two networks",
        "table-3/row-9": "table 3: the level of fourteen",
        "figure-4/below-parity-after-8000": "fig. 4: below 0.25 after 8,000 games",
        "figure-4/under-024": "fig. 4: converges under 0.24",
        "figure-5/first-rises": "fig. 5: first places become more frequent",
        "figure-5/first-most-frequent-5000": "fig. 5: first is the most frequent rank after 5,000",
        "figure-6/gnome-better-than-a": "fig. 6: rule-based partners beat random ones",
        "figure-6/gnome-better-than-b": "fig. 6: rule-based partners beat Monte-Carlo ones",
        "ideas/rate-helps-most-quick": "the learning rate helps most (against quick learning)",
        "ideas/rate-helps-most-slow": "the same (against a constant small rate)",
        "monte-carlo/no-gain-beyond-250": "Monte-Carlo gains nothing beyond 250 simulations",
    },
    opening_figure="table-3",
)
