"""What the FALCON paper leaves open: readings of its learner, of its rules, its seating and its opponent."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from heartlab.learners.falcon.agent import FalconAgent
from heartlab.learners.falcon.boxes import Boxes
from heartlab.learners.falcon.experience import frozen_ratios
from heartlab.learners.falcon.parts import (
    GAMES,
    GNOMES,
    RUNS,
    FalconStudy,
    final_ratios,
    networks,
    ratio_claim,
    ratio_text,
    standard_runs,
    train_studies,
)
from heartlab.learners.falcon.settings import Dump, FalconSettings, Floor, Match, Rule
from heartlab.reproduction.claims import below
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Findings, Table
from heartlab.rules import Rules
from heartlab.training.model import load_model
from heartlab.util.bundle import Arrays
from heartlab.util.statistics import Estimate, estimate

COUNTS = (1, 2, 14)
COLUMNS = ("1 network", "2 networks", "14 networks")
PUBLISHED = ("> 0.25", "0.2430", "0.2380")


@dataclass(frozen=True)
class Reading:
    """A reading of the learner, and what the pilot of the specification found for it."""

    name: str
    changes: Mapping[str, Any]
    pilot: tuple[str, ...]
    """Ratios with 1, 2 and 14 networks, or with two."""


LITERAL = {"rule": Rule.AND, "forced": True}
"""The printed update, also from forced plays, as the pilot had it in most of its trials."""
MAIN = (
    Reading("delta, ones, forced plays skipped (default)", {}, ("0.2545", "0.2515", "0.2487")),
    Reading("delta, init 0.5", {"fresh": 0.5}, ("0.2538", "0.2512", "0.2489")),
    Reading("delta, W_new = the first vector learned", {"fresh": -1.0}, ("0.2549", "0.2499", "0.2552")),
    Reading("x ∧ W, ones, forced plays skipped", {"rule": Rule.AND}, ("0.2525", "0.2550", "0.2565")),
    Reading("x ∧ W, ones, forced plays learned (the printed update)", LITERAL, ("0.2546", "0.2574", "0.2625")),
    Reading(
        "x ∧ W, W_new = the first vector learned, forced plays learned",
        {**LITERAL, "fresh": -1.0},
        ("–", "0.31", "–"),
    ),
    Reading(
        "x ∧ W, ones, forced plays learned, match divided by |W| (as printed)",
        {**LITERAL, "match": Match.WEIGHTS},
        ("–", "0.318", "–"),
    ),
    Reading(
        "x ∧ W, W_new = the first vector learned, forced plays learned, match divided by |W|, a15 as printed",
        {**LITERAL, "fresh": -1.0, "match": Match.WEIGHTS, "dump": Dump.PRINTED},
        ("–", "–", "–"),
    ),
)
"""The main readings, with 1, 2 and 14 networks; the last takes every printed equation literally."""
DEFAULT, PRINTED = MAIN[0], MAIN[4]
CHANGES = (
    Reading("forced plays learned", {"forced": True}, ("–",)),
    Reading("constant pv = 0", {"sp": Floor.CONSTANT}, ("0.284 (x ∧ W)",)),
    Reading("exploration 0.02", {"epsilon": 0.02, "epsilon_end": 0.02}, ("0.257",)),
    Reading("step 0.003", {"rate": 0.003}, ("as 0.01",)),
    Reading("step 0.03", {"rate": 0.03}, ("0.260 (x ∧ W)",)),
    Reading("step 0.1", {"rate": 0.1}, ("0.290",)),
    Reading("match divided by |W|", {"match": Match.WEIGHTS}, ("0.318 (x ∧ W)",)),
    Reading("a15 as printed", {"dump": Dump.PRINTED}, ("0.253",)),
)
"""One decision changed at a time, two networks; and what the pilot had (PILOT_NOTE)."""
PILOT_NOTE = (
    "The pilot's ratios of single decisions under the delta rule are raised by 0.003 here, by which its search was too "
    "lucky; those of the printed update (x ∧ W) stand as they were, where its default was 0.258."
)
RULE_CHANGES = {
    "hearts must be broken": "falcon,hearts=broken",
    "2♣ opens": "falcon,opening=2C",
    "both": "falcon,hearts=broken,opening=2C",
}
SEATS = {
    "random first leader": -1,
    "learner leads first": 0,
    "learner second": 3,
    "learner third": 2,
    "learner last": 1,
}
"""Places in the first trick, as seats from the learner to the first leader."""
TD = {"rule": Rule.TD, "rate": 0.005, "epsilon": 0.1, "epsilon_end": 0.02, "fresh": 0.8}
"""TD-FALCON, the best of the learners with the paper's percepts and actions that learn from trick to trick."""
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
    values = {(DEFAULT.name, count): final_ratios(standard_runs(shop, count)) for count in COUNTS}
    keys = [(reading, count) for reading in MAIN[1:] for count in COUNTS]
    studies = [
        FalconStudy(f"reading {reading.name} {count}", networks(count, **reading.changes), games=games)
        for reading, count in keys
    ]
    for (reading, count), trained in zip(keys, train_studies(shop, studies, runs), strict=True):
        values[reading.name, count] = final_ratios(trained)
    rows = [
        [
            reading.name,
            *(ratio_text(estimate(values[reading.name, count])) for count in COUNTS),
            " / ".join(reading.pilot),
        ]
        for reading in MAIN
    ]
    rows.append(["the paper", *PUBLISHED, "–"])
    findings.tables.append(
        Table(
            f"Main readings: frozen penalty ratio after {games:,} games, {runs} runs, "
            f"{len(values[DEFAULT.name, 1])} of the default (± s.e.)",
            ["reading", *COLUMNS, "the pilot: 1 / 2 / 14"],
            rows,
        )
    )
    for reading, words in ((DEFAULT, "default"), (PRINTED, "literal")):
        for few_networks, many in ((1, 2), (2, 14)):
            found = values[reading.name, many]
            findings.claims.append(
                ratio_claim(
                    f"readings/{words}-{many}-beats-{few_networks}",
                    f"{reading.name}: {many} networks beat {few_networks}",
                    {2: None, 14: -0.005}[many],
                    found - values[reading.name, few_networks],
                    below,
                    f"difference of frozen ratios, {len(found)} runs each",
                )
            )
    changes = [FalconStudy(f"change {one.name}", networks(2, **one.changes), games=games) for one in CHANGES]
    changes += [
        FalconStudy(f"rules {name}", networks(2), games=games, rules=rules) for name, rules in RULE_CHANGES.items()
    ]
    pilots = [one.pilot[0] for one in CHANGES] + ["0.260", "0.260", "0.260 (x ∧ W)"]
    cells = [ratio_text(estimate(final_ratios(trained))) for trained in train_studies(shop, changes, few)]
    names = [one.name for one in CHANGES] + list(RULE_CHANGES)
    findings.tables.append(
        Table(
            f"One decision changed, two networks, {few} runs (± s.e.)",
            ["change", "ratio", "the pilot"],
            [
                ["none (default)", ratio_text(estimate(values[DEFAULT.name, 2])), DEFAULT.pilot[1]],
                *(list(row) for row in zip(names, cells, pilots, strict=True)),
            ],
        )
    )
    level = min(values, key=lambda key: float(values[key].mean()))
    findings.notes.append(
        f"No reading of the learner comes near the published 0.2430 and 0.2380: the best of this table is "
        f"{ratio_text(estimate(values[level]))} ({level[0]}, {level[1]} networks). The table of robustness shows what "
        "could explain them."
    )
    findings.notes.append(PILOT_NOTE)
    findings.notes.append(
        "Not in these tables: falls in proportion to the points, other answers to an unseen percept vector, details of "
        "the percepts (the pilot's rows 4, 13 and 15), and thirteen readings that are neither printed nor better."
    )
    return findings


def _stand_in(rules: str, partners: tuple[str, ...], stand_in: str, games: int, seed: int, leader: int) -> Arrays:
    """The penalty ratio of a rule-based agent in the learner's place."""
    agent = FalconAgent(FalconSettings(), Rules.parse(rules))
    return {"ratio": agent.ratio(partners, seed, "stand-in", games, stand_in=stand_in, leader=leader)}


def _shipped(bot: str, games: int, seed: int, leader: int) -> Arrays:
    """The penalty ratio of the shipped network with three of a bot."""
    net = Boxes.of(load_model("falcon", "falcon").arrays)
    return {"ratio": frozen_ratios(net, Rules.parse("falcon"), bot, seed, "stand-in", games, leader)}


Case = tuple[tuple[str, ...], str, int]
"""The partners, who sits in the learner's place, and the seats from there to the first leader (-1: random)."""
SHIPPED = "falcon"
"""The shipped network in the learner's place."""


def _stand_ins(shop: Workshop, cases: Sequence[Case]) -> dict[Case, Estimate]:
    """The ratios of players that do not learn."""
    games = shop.size(40_000, 2_000)
    digest = hashlib.blake2b(load_model("falcon", "falcon").arrays["weights"].tobytes(), digest_size=6).hexdigest()
    jobs = []
    for partners, player, leader in cases:
        settings: dict[str, Any] = {"partners": list(partners), "stand_in": player, "games": games, "leader": leader}
        if player == SHIPPED:
            settings["network"] = digest
            work = partial(_shipped, partners[0], games, shop.seed, leader)
        else:
            work = partial(_stand_in, "falcon", partners, player, games, shop.seed, leader)
        jobs.append((f"stand-in {player} {leader}", settings, work))
    return {case: estimate(found["ratio"]) for case, found in zip(cases, shop.parts(jobs), strict=True)}


def _place_ratios(
    shop: Workshop, studies: Mapping[str, FalconStudy], usual: str, runs: int
) -> dict[str, list[Estimate]]:
    """For each place a learner is put to: the paper's with 1, 2 and 14 networks, then TD-FALCON with two.

    In the usual place the paper's learner has been trained for other experiments already.
    """
    everywhere = [
        (place, replace(study, name=f"{study.name} {count}", settings=networks(count)))
        for place, study in studies.items()
        for count in COUNTS
        if place != usual
    ]
    values = [
        (place, replace(study, name=f"{'usual' if place == usual else study.name} td", settings=networks(2, **TD)))
        for place, study in studies.items()
    ]
    found: dict[str, list[Estimate]] = {place: [] for place in studies}
    found[usual] = [estimate(final_ratios(standard_runs(shop, count))) for count in COUNTS]
    jobs = everywhere + values
    for (place, _), trained in zip(jobs, train_studies(shop, [study for _, study in jobs], runs), strict=True):
        found[place].append(estimate(final_ratios(trained)))
    return found


def robustness(shop: Workshop) -> Findings:
    """Fixed seats and changed opponents, always with the rule-based agent's own score in the same place."""
    findings = Findings()
    games, runs, of_paper = shop.size(GAMES, 1_000), shop.size(8, 2), shop.size(RUNS, 3)
    seats = {words: FalconStudy(f"seat {leader}", games=games, leader=leader) for words, leader in SEATS.items()}
    bots = {bot: FalconStudy(f"bot {bot}", games=games, partners=(bot,) * 3, testers=(bot,) * 3) for bot in BOTS}
    learned = _place_ratios(shop, seats, "random first leader", runs) | _place_ratios(shop, bots, "gnome", runs)
    cases = [
        *((GNOMES, player, leader) for leader in SEATS.values() for player in ("gnome", SHIPPED)),
        *(((bot,) * 3, player, -1) for bot in BOTS if bot != "gnome" for player in ("gnome", SHIPPED)),
        *((("random", bot, "random"), bot, -1) for bot in BOTS),
    ]
    still = _stand_ins(shop, cases)
    agents = [*COLUMNS, "TD-FALCON, 2 networks", "the shipped network"]
    findings.tables.append(
        Table(
            f"Seat from a fixed first leader, {runs} runs, {of_paper} of the paper's learner in the first row (± s.e.)",
            ["first trick", *agents, "a gnome there"],
            [
                [
                    words,
                    *map(ratio_text, learned[words]),
                    *(ratio_text(still[GNOMES, player, leader]) for player in (SHIPPED, "gnome")),
                ]
                for words, leader in SEATS.items()
            ],
        )
    )
    calibrated = {bot: still[("random", bot, "random"), bot, -1] for bot in BOTS}
    findings.tables.append(
        Table(
            f"Changed opponents, {runs} runs, {of_paper} of the paper's learner in the first row (± s.e.)",
            ["three of", *agents, "a gnome there", "calibration: the bot, with one more and two random"],
            [
                [
                    f"{bot}: {words}",
                    *map(ratio_text, learned[bot]),
                    *(ratio_text(still[(bot,) * 3, player, -1]) for player in (SHIPPED, "gnome")),
                    ratio_text(calibrated[bot]),
                ]
                for bot, words in BOTS.items()
            ],
        )
    )
    places = {words: (GNOMES, "gnome", leader) for words, leader in SEATS.items()}
    places |= {bot: ((bot,) * 3, "gnome", -1) for bot in BOTS if bot != "gnome"}
    margins = {place: learned[place][2].mean - still[case].mean for place, case in places.items()}
    errors = {place: math.hypot(learned[place][2].se, still[case].se) for place, case in places.items()}
    better = [place for place in places if margins[place] < -2 * errors[place]]
    worse = [place for place in places if margins[place] > 2 * errors[place]]
    findings.notes.append(
        "The learners are trained where they are tested; the shipped network was trained with three gnome and a random "
        "first leader. A learner beats the rule-based agent only where it is below the gnome in the same place. "
        f"Fourteen networks are more than two standard errors below it here: {', '.join(better) or 'nowhere'}; above "
        f"it here: {', '.join(worse) or 'nowhere'}."
    )
    findings.notes.append(
        "The paper's only calibration of its opponent is 0.14 against 0.36 for two random players. The bots that agree "
        "with it move the learner by more than the paper's whole effect, and so does a fixed seat; but a gnome in the "
        "learner's place profits from a good seat and from weaker opponents, too, so that these would be no win."
    )
    agreeing = [bot for bot in BOTS if round(calibrated[bot].mean, 2) == 0.14]
    two = [learned[bot][1].mean for bot in agreeing]
    findings.notes.append(
        f"Of the {len(BOTS)} bots {len(agreeing)} agree with it to two digits ({', '.join(agreeing)}); over them two "
        f"networks range from {min(two):.3f} to {max(two):.3f}."
        if agreeing
        else "In this small sample no bot agrees with it to two digits."
    )
    return findings
