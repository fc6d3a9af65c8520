"""The papers' full game: the best features of both single tasks, trained again against experts and by self-play.

Each run of the full game takes its features from the run of the single tasks with the same number, so that runs share
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heartlab.learners.td_features.conjunctions import Conjunctions
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.parts import Plan, Training, play_match, train_parts, values
from heartlab.learners.td_features.selection import select_by_weight, union
from heartlab.learners.td_features.tasks import task_deals, task_training
from heartlab.learners.td_features.trainer import Partners, TdParameters
from heartlab.players.base import Player
from heartlab.players.registry import make_player
from heartlab.reproduction.claims import Claim, less_claim, more_claim
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop

QUEEN_BEST, HEARTS_BEST = 10_000, 2_000
"""Features that the full game takes from each task."""
SOURCES = (("queen", "four-wise", QUEEN_BEST), ("hearts", "triples", HEARTS_BEST))
"""The tasks and sets from which they are taken."""
SAME = 0.3
"""Points per deal that we still call the same, where the papers do and show only curves."""
FULL_MARGIN = 0.1
"""Points per deal of the full game that are worth mentioning."""
MOMENTS = (1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 200_000)
"""Training deals after which networks are kept."""
EARLY_SNAPSHOT = 2
"""The one of these, after 10,000 deals, with which the last is compared."""


def moments(shop: Workshop, most: int = MOMENTS[-1]) -> list[int]:
    """Training deals of the snapshots, up to so many."""
    return [1_000, 2_000] if shop.quick else [moment for moment in MOMENTS if moment <= most]


def full_sizes(shop: Workshop) -> dict[str, int]:
    """Deals of training, of a match at a snapshot, and of one at the end."""
    return {"train": task_deals(shop), "moment": shop.size(200, 2), "end": shop.size(1_000, 4)}


def combined(shop: Workshop, run: int) -> Conjunctions:
    """The largest weights of both tasks; those that are in both lists stand once (a decision of ours)."""
    return union(
        select_by_weight(task_training(shop, task, label, run).network(), count) for task, label, count in SOURCES
    )


def learned_weights(shop: Workshop, chosen: Conjunctions, run: int) -> Network:
    """What both tasks have learned about some features, added up: where the full game may begin."""
    total = Network(chosen)
    for task, label, _ in SOURCES:
        total.weights[:] += task_training(shop, task, label, run).network().over(chosen).weights
    return total


def full_plan(shop: Workshop, partners: Partners, run: int, *, rest: bool = False) -> Plan:
    """The papers' training of the combined network."""
    chosen = combined(shop, run)
    ending = "-rest" if rest else ""
    parameters = TdParameters(partners=partners, views=1)
    origin = {"features": len(chosen), "of": task_deals(shop)}
    return Plan(f"full-{partners}{ending}", "full", parameters, run, moments(shop), chosen, origin, rest)


def full_training(shop: Workshop, partners: Partners, run: int, *, rest: bool = False) -> Training:
    """The combined network after a regime, with snapshots."""
    return train_parts(shop, [full_plan(shop, partners, run, rest=rest)])[0]


def changed(plan: Plan, name: str, start: Network | None = None, **changes: object) -> Plan:
    """A plan with other parameters."""
    parameters = replace(plan.parameters, **changes)  # type: ignore[arg-type]
    return replace(plan, label=f"{plan.label}-{name}", parameters=parameters, start=start)


def closed_unit(shop: Workshop, player: Player, deals: int, games: int, run: int) -> Unit:
    """A closed player against the expert, both with 20 worlds: single deals and games to 100."""
    players = [player, make_player("iie")]
    single = play_match(shop, players, "seed", deals, run)
    whole = play_match(shop, players, "seed", games, run, games=True)
    return {
        "points": single.points.mean(axis=0),
        "deals_won": float(single.deals_won[:, 0].mean()),
        "moons": float(np.mean(single.moons)),
        "won": float(whole.won[:, 0].mean()),
        "finals": whole.finals.mean(axis=0),
    }


def closed_claims(name: str, units: Sequence[Unit], sizes: dict[str, int]) -> list[Claim]:
    """What the paper says about closed play."""
    deals, games = sizes["closed"] * len(units), sizes["games"] * len(units)
    points = np.array([unit["points"] for unit in units])
    means = points.mean(axis=0)
    return [
        less_claim(f"{name}/points-per-deal", "the learned player takes fewer points per deal than the expert",
                   points[:, 0] - points[:, 1], deals,
                   f"ours {means[0]:.2f} against {means[1]:.2f}, published 6.35 and 7.30", margin=FULL_MARGIN,
                   published=6.35 - 7.30),
        more_claim(f"{name}/deals-won", "it wins more than half of the deals", values(units, "deals_won") - 0.5, deals,
                   "share minus a half, ties split; published 56.9 %", margin=0.01, published=0.069),
        more_claim(f"{name}/games-won", "it wins more than half of the games to 100", values(units, "won") - 0.5, games,
                   "share minus a half, ties split; published 63.8 %", margin=0.02, published=0.138),
    ]  # fmt: skip
