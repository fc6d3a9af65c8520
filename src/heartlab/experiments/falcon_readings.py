"""What the FALCON paper leaves open: readings of its learner, of its rules, its seating and its opponent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from heartlab.arena.statistics import estimate
from heartlab.bundle import Arrays
from heartlab.experiments.claims import below
from heartlab.experiments.falcon_parts import (
    GAMES,
    GNOMES,
    RUNS,
    Study,
    final_ratios,
    networks,
    ratio_claim,
    ratio_text,
    standard_runs,
    train_runs,
)
from heartlab.experiments.parts import Workshop
from heartlab.experiments.registry import Findings, Table
from heartlab.learn.falcon_agent import FalconAgent, FalconSettings
from heartlab.rules import Rules

COUNTS = (1, 2, 14)
COLUMNS = ("1 network", "2 networks", "14 networks")
PUBLISHED = {1: "> 0.25", 2: "0.2430", 14: "0.2380"}
MAIN: Mapping[str, Mapping[str, Any]] = {
    "delta, ones, forced plays skipped (default)": {},
    "delta, init 0.5": {"fresh": 0.5},
    "delta, printed W_new = A": {"fresh": -1.0},
    "x ∧ W, ones, forced plays skipped": {"rule": "and"},
    "x ∧ W, ones, forced plays learned (the printed equations)": {"rule": "and", "forced": True},
    "x ∧ W, printed W_new = A, forced plays learned": {"rule": "and", "forced": True, "fresh": -1.0},
}
"""The main readings, with 1, 2 and 14 networks."""
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "forced plays learned": {"forced": True},
    "nothing learned from failure": {"failure": "nothing"},
    "ties: highest action number": {"ties": "highest"},
    "ties: random": {"ties": "random"},
    "only applicable actions decay": {"decay": "applicable"},
    "sp: own points only": {"sp": "own"},
    "constant pv = 0.5": {"sp": "constant", "floor": 0.5},
    "constant pv = 0": {"sp": "constant", "floor": 0.0},
    "tricks without points ignored": {"pointless": "ignored"},
    "exploration 0.02": {"epsilon": 0.02, "epsilon_end": 0.02},
    "step 0.003": {"rate": 0.003},
    "step 0.03": {"rate": 0.03},
    "step 0.1": {"rate": 0.1},
}
"""One decision changed at a time, two networks."""
RULE_CHANGES = {
    "hearts must be broken": "falcon,hearts=broken",
    "2♣ opens": "falcon,opening=2C",
    "both": "falcon,hearts=broken,opening=2C",
}
BOTS = {
    "gnome": "the default",
    "gnome-forced-high": "highest card where it must overtake a trick with points and is not last",
    "gnome-no-spade-throws": "A♠ and K♠ thrown only in their turn",
    "gnome-no-heart-throws": "hearts not preferred when void",
    "gnome-leads-queen": "may lead Q♠",
    "gnome-spades-first": "leads spades before other suits of the same rank",
    "gnome-ducks-always": "ducks also without points",
    "gnome-no-spade-rules": "spades like any suit",
}


def readings(shop: Workshop) -> Findings:
    """The table of readings, the printed equations beside the default."""
    findings = Findings()
    games, runs, few = shop.size(GAMES, 2_000), shop.size(8, 2), shop.size(4, 2)
    rows = []
    values = {}
    for name, changes in MAIN.items():
        cells = []
        for count in COUNTS:
            if changes:
                study = Study(f"reading {name} {count}", networks(count, **changes), games=games)
                trained = train_runs(shop, study, runs)
            else:
                trained = standard_runs(shop, count)
            values[name, count] = final_ratios(trained)
            cells.append(ratio_text(estimate(values[name, count])))
        rows.append([name, *cells])
    rows.append(["the paper", *PUBLISHED.values()])
    findings.tables.append(
        Table(
            f"Main readings: frozen penalty ratio after {games:,} games, {runs} runs, {RUNS} of the default (± s.e.)",
            ["reading", *COLUMNS],
            rows,
        )
    )
    default, *_ = MAIN
    literal = next(name for name in MAIN if "printed equations" in name)
    for name, words in ((default, "default"), (literal, "literal")):
        for few_networks, many in ((1, 2), (2, 14)):
            findings.claims.append(
                ratio_claim(
                    f"readings/{words}-{many}-beats-{few_networks}",
                    f"{name}: {many} networks beat {few_networks}",
                    {2: None, 14: -0.005}[many],
                    values[name, many] - values[name, few_networks],
                    below,
                    f"difference of frozen ratios, {len(values[name, many])} runs each",
                )
            )
    changed = []
    for name, changes in CHANGES.items():
        study = Study(f"change {name}", networks(2, **changes), games=games)
        changed.append([name, ratio_text(estimate(final_ratios(train_runs(shop, study, few))))])
    for name, rules in RULE_CHANGES.items():
        study = Study(f"rules {name}", networks(2), games=games, rules=rules)
        changed.append([name, ratio_text(estimate(final_ratios(train_runs(shop, study, few))))])
    findings.tables.append(
        Table(
            f"One decision changed, two networks, {few} runs (± s.e.)",
            ["change", "ratio"],
            [["none (default)", ratio_text(estimate(values[default, 2]))], *changed],
        )
    )
    level = min(values, key=lambda key: float(values[key].mean()))
    findings.notes.append(
        f"No reading of the learner comes near the published 0.2430 and 0.2380: the best of this table is "
        f"{ratio_text(estimate(values[level]))} ({level[0]}, {level[1]} networks). The table of robustness shows what "
        "could explain them."
    )
    return findings


def _stand_in(rules: str, partners: tuple[str, ...], stand_in: str, games: int, seed: int, leader: int) -> Arrays:
    """The penalty ratio of a rule-based agent in the learner's place."""
    agent = FalconAgent(FalconSettings(), Rules.parse(rules))
    return {"ratio": agent.ratio(partners, seed, "stand-in", games, stand_in=stand_in, leader=leader)}


def _baseline(shop: Workshop, partners: tuple[str, ...], stand_in: str, leader: int = -1) -> str:
    games = shop.size(40_000, 2_000)
    settings = {"partners": list(partners), "stand_in": stand_in, "games": games, "leader": leader}
    work = partial(_stand_in, "falcon", partners, stand_in, games, shop.seed, leader)
    return ratio_text(estimate(shop.part(f"stand-in {stand_in} {leader}", settings, work)["ratio"]))


def robustness(shop: Workshop) -> Findings:
    """Fixed seats and changed opponents, always with the rule-based agent's own score in the same place."""
    findings = Findings()
    games, runs = shop.size(GAMES, 1_000), shop.size(8, 2)
    rows = []
    for leader, words in (
        (-1, "random first leader"),
        (0, "learner leads first"),
        (3, "learner second"),
        (2, "learner third"),
        (1, "learner last"),
    ):
        cells = []
        for count in COUNTS:
            study = Study(f"seat {leader} {count}", networks(count), games=games, leader=leader)
            cells.append(ratio_text(estimate(final_ratios(train_runs(shop, study, runs)))))
        rows.append([words, *cells, _baseline(shop, GNOMES, "gnome", leader)])
    findings.tables.append(
        Table(
            f"Seat from a fixed first leader, {runs} runs (± s.e.)",
            ["first trick", *COLUMNS, "a gnome there"],
            rows,
        )
    )
    rows = []
    for bot, words in BOTS.items():
        cells = []
        for count in COUNTS:
            study = Study(f"bot {bot} {count}", networks(count), games=games, partners=(bot,) * 3, testers=(bot,) * 3)
            cells.append(ratio_text(estimate(final_ratios(train_runs(shop, study, runs)))))
        rows.append([f"{bot}: {words}", *cells, _baseline(shop, ("random", bot, "random"), bot)])
    findings.tables.append(
        Table(
            f"Changed opponents, {runs} runs (± s.e.)",
            ["three of", *COLUMNS, "itself, with one more and two random"],
            rows,
        )
    )
    findings.notes.append(
        "The paper's only calibration of its opponent is 0.14 against 0.36 for two random players. The bots that agree "
        "with it move the learner by more than the paper's whole effect, and so does a fixed seat; a gnome in the "
        "learner's seat profits from it just as well, so a favourable seat would be no win."
    )
    low = np.array([float(row[2].split(" ")[0]) for row in rows[:7]])
    findings.notes.append(
        f"Over the bots above but the last, two networks range from {low.min():.3f} to {low.max():.3f}."
    )
    return findings
