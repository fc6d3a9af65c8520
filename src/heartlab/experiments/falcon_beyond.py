"""Beyond the FALCON paper: credit for the whole deal, percepts and actions found by search, a ladder of partners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from heartlab.arena.statistics import FloatArray, estimate
from heartlab.bundle import Arrays
from heartlab.experiments.claims import below
from heartlab.experiments.falcon_parts import (
    GNOMES,
    ratio_claim,
    ratio_text,
    run_seed,
    settings_key,
    standard_runs,
)
from heartlab.experiments.parts import Workshop
from heartlab.experiments.registry import Findings, Table
from heartlab.learn.falcon_agent import FalconAgent, FalconSettings
from heartlab.learn.falcon_experience import frozen_ratios
from heartlab.learn.falcon_grow_recipe import GrowParameters, GrowTrainer
from heartlab.learn.falcon_recipes import FalconParameters, FalconTrainer
from heartlab.rules import Rules

TRY = {"epsilon": 0.1, "epsilon_end": 0.02, "fresh": 0.8}
"""Exploration of learners of values."""
CREDIT: Mapping[str, Mapping[str, Any]] = {
    "the trick only, own points": {"rule": "returns", "rate": 0.0, "discount": 0.0, **TRY},
    "the trick only, relative": {"rule": "returns", "rate": 0.0, "discount": 0.0, "relative": 1.0, **TRY},
    "rest of the deal, own points": {"rule": "returns", "rate": 0.0, **TRY},
    "rest of the deal, discounted 0.9, relative": {
        "rule": "returns", "rate": 0.0, "discount": 0.9, "relative": 1.0, **TRY,
    },
    "TD-FALCON": {"rule": "td", "rate": 0.005, **TRY},
    "rest of the deal, place in the trick and points on the table perceived": {
        "rule": "returns", "rate": 0.0, "percepts": "place", **TRY,
    },
}  # fmt: skip
"""What an action is credited with; the paper's percepts and actions, two networks."""
PARTNERS = {
    "three random": "random+random+random",
    "three gnome without spade rules": "gnome-no-spade-rules+gnome-no-spade-rules+gnome-no-spade-rules",
    "three gnome": "gnome+gnome+gnome",
    "three gnome:jake": "jake+jake+jake",
    "itself": "self+self+self",
    "the ladder": "ladder",
}
SMALL = GrowParameters(batch=25_000, keep=4, categories=60, least=60, foresight=0.1, test=0)
"""Growth within the paper's 50,000 games."""
LARGE = GrowParameters(batch=750_000, keep=2, categories=2000, least=60, foresight=0.02, test=0)
"""Growth with at most 2,000 categories."""

PIECES: Mapping[str, Mapping[str, Any]] = {
    "all of it": {},
    "without percepts of its own": {"without": "percepts"},
    "without actions of its own": {"without": "actions"},
    "without both": {"without": "percepts+actions"},
    "without pairing": {"without": "pairing"},
    "with a ladder of partners": {"partners": "gnome-no-spade-rules+gnome+jake"},
}
"""What a grown network is made of, one piece left out or changed at a time."""


def _learn(settings: FalconParameters, games: int, tests: int, seed: int) -> Arrays:
    trainer = FalconTrainer(settings, seed)
    for first in range(0, games, trainer.chunk):
        trainer.step(first, min(trainer.chunk, games - first))
    ratios = trainer.agent.ratio(GNOMES, seed, "test", tests)
    return {"tested": np.array([ratios.mean()]), "categories": np.array([trainer.agent.categories.count])}


def _grow(settings: GrowParameters, rounds: int, tests: int, seed: int) -> Arrays:
    trainer = GrowTrainer(settings, seed)
    tested, categories = [], []
    for number in range(rounds):
        trainer.step(number * trainer.chunk, trainer.chunk)
        tested.append(frozen_ratios(trainer.net, trainer.rules, "gnome", seed, "test", tests).mean())
        categories.append(len(trainer.net))
    return {"tested": np.array(tested), "categories": np.array(categories)}


def _learned(shop: Workshop, name: str, changes: Mapping[str, Any], games: int, runs: int) -> list[Arrays]:
    settings = FalconParameters(**changes, horizon=games)
    tests = shop.size(20_000, 500)
    return shop.parts(
        [
            (
                f"beyond {name} {games} {run}",
                {"settings": settings_key(settings), "games": games, "tests": tests, "run": run},
                partial(_learn, settings, games, tests, run_seed(shop, run)),
            )
            for run in range(runs)
        ]
    )


def _grown(shop: Workshop, name: str, settings: GrowParameters, rounds: int, runs: int) -> list[Arrays]:
    tests = shop.size(50_000, 500)
    return shop.parts(
        [
            (
                f"grown {name} {run}",
                {"settings": asdict(settings), "rounds": rounds, "tests": tests, "run": run},
                partial(_grow, settings, rounds, tests, run_seed(shop, run)),
            )
            for run in range(runs)
        ]
    )


def _last(runs: list[Arrays]) -> FloatArray:
    return np.array([run["tested"][-1] for run in runs])


def _size(runs: list[Arrays]) -> str:
    return f"{np.mean([run['categories'][-1] for run in runs]):,.0f}"


def beyond(shop: Workshop) -> Findings:
    """What each step beyond the paper adds, against three gnome."""
    findings = Findings()
    games, more = shop.size(50_000, 1_000), shop.size(200_000, 2_000)
    runs, few = shop.size(10, 2), shop.size(3, 2)
    standard = standard_runs(shop, 2)
    rows = [["the paper's feedback (default reading)", ratio_text(estimate(_last(standard))), "–", _size(standard)]]
    credit = {}
    for name, changes in CREDIT.items():
        credit[name] = _learned(shop, name, changes, games, runs)
        later = _learned(shop, name, changes, more, few)
        rows.append(
            [name, ratio_text(estimate(_last(credit[name]))), ratio_text(estimate(_last(later))), _size(credit[name])]
        )
    findings.tables.append(
        Table(
            f"Credit: the paper's actions, two networks ({runs} and {few} runs, ± s.e.)",
            ["credit", f"{games:,} games", f"{more:,} games", "categories"],
            rows,
        )
    )
    small = _grown(shop, "small", SMALL if not shop.quick else GrowParameters(batch=500, test=0), 2, runs)
    large = _grown(shop, "large", LARGE if not shop.quick else GrowParameters(batch=1_000, test=0), 4, few)
    rows = []
    for name, settings, trained in (("50,000 games", SMALL, small), ("at most 2,000 categories", LARGE, large)):
        for number in range(len(trained[0]["tested"])):
            tested = estimate(np.array([run["tested"][number] for run in trained]))
            size = np.mean([run["categories"][number] for run in trained])
            rows.append([name, f"{(number + 1) * settings.batch:,}", f"{size:,.0f}", ratio_text(tested), str(tested.n)])
    findings.tables.append(
        Table(
            "Networks of boxes grown from paired playouts, round by round (± s.e.)",
            ["growth", "games", "categories", "ratio", "runs"],
            rows,
        )
    )
    for identity, statement, bar, trained in (
        ("50000-games", "a grown network is at most at 0.235 with 50,000 games", 0.235, small),
        ("2000-categories", "at most at 0.21 with at most 2,000 categories", 0.21, large),
        ("no-limit", "at most at 0.20 with any number of categories", 0.20, large),
    ):
        findings.claims.append(
            ratio_claim(
                f"beyond/{identity}",
                statement,
                bar,
                _last(trained),
                partial(below, bound=bar),
                f"frozen ratio against three gnome, {len(trained)} runs; {_size(trained)} categories on average; our "
                "own bar, not the paper's; every playout to the end of a deal counts as a game",
            )
        )
    findings.tables.append(_pieces(shop, runs, few))
    best_credit = credit["rest of the deal, discounted 0.9, relative"]
    findings.claims.append(
        ratio_claim(
            "beyond/whole-deal-helps",
            "credit for the rest of the deal is better than the paper's feedback",
            None,
            _last(best_credit) - _last(standard)[: len(best_credit)],
            below,
            f"difference after {games:,} games, {len(best_credit)} runs each, the paper's percepts and actions",
        )
    )
    rows = []
    for name, partners in PARTNERS.items():
        paper = _last(_learned(shop, f"paper with {name}", {"partners": partners}, games, few))
        values = _last(_learned(shop, f"values with {name}", {**CREDIT["TD-FALCON"], "partners": partners}, games, few))
        rows.append([name, ratio_text(estimate(paper)), ratio_text(estimate(values))])
    findings.tables.append(
        Table(
            f"Training partners, tested against three gnome: {games:,} games, {few} runs (± s.e.)",
            ["partners", "the paper's learner", "TD-FALCON"],
            rows,
        )
    )
    findings.notes.append(f"gnome:jake in the agent's place is at {_jake(shop)}.")
    return findings


def _pieces(shop: Workshop, runs: int, few: int) -> Table:
    """What each piece of a grown network is worth, with few games and with many."""
    rows = []
    for name, changes in PIECES.items():
        cells = []
        for base, rounds, count in ((SMALL, 3, runs), (LARGE, 3, few)):
            settings = replace(base, **changes) if not shop.quick else GrowParameters(batch=500, test=0, **changes)
            grown = _grown(shop, f"{name} {base.batch}", settings, rounds, count)
            cells += [ratio_text(estimate(_last(grown))), _size(grown)]
        rows.append([name, *cells])
    titles = [title for base in (SMALL, LARGE) for title in (f"{3 * base.batch:,} games", "categories")]
    return Table(f"Pieces of a grown network ({runs} and {few} runs, ± s.e.)", ["network", *titles], rows)


def _stand_in(games: int, seed: int) -> Arrays:
    agent = FalconAgent(FalconSettings(), Rules.parse("falcon"))
    return {"ratio": agent.ratio(GNOMES, seed, "stand-in", games, stand_in="jake")}


def _jake(shop: Workshop) -> str:
    games = shop.size(100_000, 1_000)
    return ratio_text(estimate(shop.part("jake", {"games": games}, partial(_stand_in, games, shop.seed))["ratio"]))
