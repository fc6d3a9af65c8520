"""The single tasks of Sturtevant and White (2006): avoid Q♠, avoid hearts, and what the weights say.

Each order of conjunctions is trained against three experts; then the orders play each other and the expert. The expert
is `pie`, built from a description of the surviving program; at these tasks it is weaker than the papers' expert. What
they say about beating it is checked literally, and this is why some of it fails; the orders are compared directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from heartlab.learners.td_features.conjunctions import describe, nominal_count
from heartlab.learners.td_features.features import find_atom
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.parts import (
    FEWER,
    WINDOW,
    Plan,
    RawStudy,
    Training,
    deal_cost,
    expert,
    lead,
    raw_part,
    task_rules,
    train_parts,
    values,
    windows,
)
from heartlab.learners.td_features.trainer import TASKS, Partners, TdParameters
from heartlab.reproduction.claims import Claim, less_claim, more_claim, within
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Figure, Findings, Table
from heartlab.reproduction.units import run_units
from heartlab.util.statistics import estimate

ORDERS = {
    "queen": {"atomic": "1", "pairs": "1,2", "triples": "1,3", "four-wise": "1,2,3,4"},
    "hearts": {"atomic": "1", "pairs": "1,2", "triples": "1,3"},
}
TITLES = {"queen": "the Q♠ task", "hearts": "the hearts task"}
PUBLISHED_COUNTS = {
    ("queen", "atomic"): 60,
    ("queen", "pairs"): 1_830,
    ("queen", "triples"): 34_280,
    ("queen", "four-wise"): 523_685,
    ("hearts", "atomic"): 88,
    ("hearts", "pairs"): 3_916,
    ("hearts", "triples"): 109_824,
}
BEATS_EXPERT = {
    ("queen", "atomic"): False,
    ("queen", "pairs"): False,
    ("queen", "triples"): False,
    ("queen", "four-wise"): True,
    ("hearts", "pairs"): True,
    ("hearts", "triples"): True,
}
"""Whether these features beat the papers' expert, by the later paper."""
MARGIN = 0.05
"""Points per deal of a single task that are worth mentioning."""
BREAK_EVEN = 3.25
"""Points per deal at a single task if all four play alike."""
RUNS = 10
EARLY = 20_000
"""Deals at the beginning of a learning curve."""
CENSUS = 20_000
"""Largest weights among which the papers count."""
TABLE_ROWS = 10
"""Rows of our tables of weights."""
PAIR = ("we have Q♠", "1 low spade")
EXAMPLE = ("single Q♠", "leader not short ♠")
LISTED = (
    (-1, 1, -0.103, ("1 low spade", "we lead", "Q♠ player has 0 backers")),
    (-1, 2, -0.097, ("1 low spade", "we lead", "Q♠ player has 0 backers", "short ♥")),
    (-1, 3, -0.096, ("2 low spades", "we have K♠", "Q♠ player has 2 backers")),
    (-1, 4, -0.093, ("1 low spade", "we lead", "Q♠ player has 0 backers", "short ♣")),
    (-1, 5, -0.090, ("1 low spade", "we lead", "Q♠ player has 0 backers", "short ♦")),
    (-1, 148, -0.040, ("1 low spade", "we have Q♠", "leader short ♠")),
    (1, 1, 0.125, ("we have Q♠", "1 low spade", "we lead")),
    (1, 2, 0.123, ("we have Q♠", "1 low spade")),
    (1, 3, 0.117, ("we have Q♠", "short ♣", "short ♥", "we lead")),
    (1, 4, 0.116, ("0 low spades", "we lead")),
    (1, 5, 0.112, ("we have Q♠", "short ♣", "short ♥", "short ♦")),
)
"""The papers' tables of weights: sign, rank among those of that sign, weight, conjunction."""


def task_runs(shop: Workshop) -> int:
    """Independent runs of everything that takes minutes."""
    return shop.size(RUNS, 2)


def task_deals(shop: Workshop) -> int:
    """Training deals of a run."""
    return shop.size(200_000, 2_000)


def task_plan(shop: Workshop, task: str, label: str, run: int, orders: str = "") -> Plan:
    """A run of a single task against experts."""
    parameters = TdParameters(orders=orders or ORDERS[task][label], partners=Partners.EXPERT, views=1)
    return Plan(f"{task}-{label}-expert", task, parameters, run, [task_deals(shop)])


def task_training(shop: Workshop, task: str, label: str, run: int) -> Training:
    """The network of such a run."""
    return train_parts(shop, [task_plan(shop, task, label, run)])[0]


def _sizes(shop: Workshop) -> dict[str, int]:
    """Deals of training, of a match against the expert, and of one between two orders."""
    return {"train": task_deals(shop), "expert": shop.size(1_000, 4), "orders": shop.size(2_000, 4)}


def task_units(shop: Workshop, task: str) -> list[Unit]:
    """What every run of a task showed."""
    sizes = _sizes(shop)

    def work(shop: Workshop, run: int) -> Unit:
        nets = {label: task_training(shop, task, label, run) for label in ORDERS[task]}
        rules = task_rules(task)
        found: Unit = {
            "curve": {label: windows(net.points) for label, net in nets.items()},
            "early": {label: float(net.points[: EARLY // 1000].mean()) for label, net in nets.items()},
            "expert": {
                label: lead(shop, net.player(), expert(), rules, sizes["expert"], run) for label, net in nets.items()
            },
            "orders": {
                better: lead(shop, two.player(), one.player(), rules, sizes["orders"], run)
                for (_, one), (better, two) in pairwise(nets.items())
            },
        }
        if task == "queen":
            taught = TdParameters(partners=Partners.EXPERT, views=1)
            costs = [deal_cost(nets[label], task, taught, shop.size(500, 50)) for label in ("four-wise", "triples")]
            found |= {"cost": costs[0] / costs[1], "weights": _weights_found(nets["four-wise"].network())}
        return found

    return run_units(shop, f"{task} task", sizes, task_runs(shop), work)


def _task_experiment(shop: Workshop, task: str, figure: str) -> tuple[Findings, list[Unit]]:
    """Learning curves against three experts, the orders against each other, all against the expert."""
    units = task_units(shop, task)
    findings = Findings()
    width = min(WINDOW, task_deals(shop))
    curves = []
    for label in ORDERS[task]:
        rows = [unit["curve"][label] for unit in units]
        curves.append(Curve.over_runs(label, width * (1 + np.arange(len(rows[0]))), rows))
    findings.figures.append(
        Figure(figure, f"{TITLES[task]}: one learner against three experts", "training deals", FEWER, curves,
               levels=[("break-even", BREAK_EVEN)])
    )  # fmt: skip
    findings.claims += _orders_compared(shop, task, figure, units)
    findings.claims += _against_expert(shop, task, figure, units, findings)
    findings.claims += _counts(task, figure)
    return findings, units


def _counts(task: str, figure: str) -> list[Claim]:
    """How many conjunctions there are, counted as in the papers."""
    claims = []
    for label, orders in ORDERS[task].items():
        counted = nominal_count(len(TASKS[task].atoms), TdParameters(orders=orders).order_numbers)
        published = PUBLISHED_COUNTS[task, label]
        claims.append(
            Claim(f"{figure}/count-{label}", f"number of {label} features, {task} task", published, counted, None, 1,
                  "holds" if counted == published else "fails", "exact")
        )  # fmt: skip
    return claims


def _orders_compared(shop: Workshop, task: str, figure: str, units: Sequence[Unit]) -> list[Claim]:
    """Each order against the one below."""
    n = _sizes(shop)["orders"] * len(units)
    claims = []
    for worse, better in pairwise(ORDERS[task]):
        claims.append(
            less_claim(f"{figure}/{better}-beats-{worse}", f"{better} features play better than {worse} ones",
                       values(units, "orders", better), n, "points per deal, run against run, 14 seatings",
                       margin=MARGIN)
        )  # fmt: skip
    if task == "hearts":
        gap = values(units, "orders", "triples") - values(units, "orders", "pairs")
        claims.append(
            more_claim(f"{figure}/triples-add-little", "triples add less to pairs than pairs to atomic features", gap,
                       n, "difference of the two gains above, run by run", margin=MARGIN)
        )  # fmt: skip
    return claims


def _against_expert(
    shop: Workshop, task: str, figure: str, units: Sequence[Unit], findings: Findings
) -> list[Claim]:  # fmt: skip
    """Each order against the expert: what the papers say of it as claims, all of them in a table."""
    deals = _sizes(shop)["expert"]
    claims, rows = [], []
    for label in ORDERS[task]:
        margins = values(units, "expert", label)
        found = estimate(margins)
        rows.append([label, f"{found.mean:+.2f}", f"{found.ci95[0]:+.2f} … {found.ci95[1]:+.2f}",
                     f"{margins.min():+.2f} … {margins.max():+.2f}", f"{found.n}"])  # fmt: skip
        if (task, label) not in BEATS_EXPERT:
            continue
        beats = BEATS_EXPERT[task, label]
        what, build = ("beat", less_claim) if beats else ("do not beat", more_claim)
        note = "points per deal, 14 seatings" + ("" if beats else "; our expert is weaker at this task")
        disputed = (task, label) == ("queen", "triples")
        if disputed:
            note += "; the later paper says so, the earlier one that they do beat it"
        claim = build(f"{figure}/{label}-{what.replace(' ', '-')}-expert", f"{label} features {what} the expert",
                      margins, deals * len(units), note, margin=MARGIN)  # fmt: skip
        claims.append(replace(claim, disputed=disputed))
    head = ["set", "mean of runs", "95 % interval", "runs from … to", "runs"]
    findings.tables.append(Table(f"Against our expert, {deals:,} deals × 14 a run", head, rows))
    return claims


def figure_2(shop: Workshop) -> Findings:
    """Avoiding Q♠."""
    findings, units = _task_experiment(shop, "queen", "figure-2")
    ratio = estimate(values(units, "cost"))
    findings.claims.append(
        Claim("figure-2/four-wise-ten-times-dearer", "a four-wise training deal costs about ten three-wise ones",
              10.0, ratio.mean, ratio.ci95, len(units), within(ratio.ci95, 5, 20),
              "ratio of processor times, earlier paper only; holds: 5 to 20", len(units))
    )  # fmt: skip
    return findings


def figure_3(shop: Workshop) -> Findings:
    """Avoiding hearts."""
    findings, units = _task_experiment(shop, "hearts", "figure-3")
    slower = values(units, "early", "triples") - values(units, "early", "pairs")
    findings.claims.append(
        more_claim("figure-3/triples-learn-slower", "triples learn more slowly per deal than pairs", slower,
                   EARLY * len(units), f"points per deal in the first {EARLY:,} training deals; earlier paper only",
                   margin=0.01)
    )  # fmt: skip
    return findings


# --- what the weights say ---


def _weights_found(network: Network) -> Unit:
    """What the papers' tables say about a four-wise network, asked of this one."""
    order = np.argsort(network.weights)
    live = np.flatnonzero(network.conjunctions.live)
    top = live[np.argsort(-np.abs(network.weights[live]))][:CENSUS]
    pair = {find_atom(name).number for name in PAIR}
    weights = [float(network.weights[node]) for node in top if pair <= set(network.conjunctions.atoms_of(int(node)))]
    listed = [_weight(network, names) or 0.0 for _, _, _, names in LISTED]
    ranks = [1 + int((np.sign(one) * network.weights > abs(one)).sum()) for one in listed]
    return {
        "listed": listed,
        "ranks": ranks,
        "pair": len(weights),
        "raising": sum(weight > 0 for weight in weights) / max(1, len(weights)),
        "example": 1 + int((np.abs(network.weights) > abs(_weight(network, EXAMPLE) or 0.0)).sum()),
        "lowest": _largest(network, order[:TABLE_ROWS]),
        "highest": _largest(network, order[::-1][:TABLE_ROWS]),
    }


def _largest(network: Network, nodes: Any) -> list[list[Any]]:
    return [
        [float(network.weights[node]), [int(atom) for atom in network.conjunctions.atoms_of(int(node))]]
        for node in nodes
    ]


def _weight(network: Network, names: Sequence[str]) -> float | None:
    """The weight of a conjunction, if it can be active."""
    node = network.conjunctions.find(tuple(sorted(find_atom(name).number for name in names)))
    return None if node is None else float(network.weights[node])


def tables(shop: Workshop) -> Findings:
    """The largest weights of the four-wise networks, as in the papers' tables, and theirs among ours."""
    units = [unit["weights"] for unit in task_units(shop, "queen")]
    findings = Findings()
    for title, which in (("predicts not taking Q♠", "lowest"), ("predicts taking Q♠", "highest")):
        rows = [
            [str(rank), f"{weight:+.3f}", describe(atoms)] for rank, (weight, atoms) in enumerate(units[0][which], 1)
        ]
        findings.tables.append(
            Table(f"Largest weights of the first run: {title}", ["rank", "weight", "conjunction"], rows)
        )
    findings.tables.append(_listed(units))
    findings.notes.append(
        "Many conjunctions are active together and share what they explain, in shares that depend on the random start "
        "and the order of deals; of redundant ones all have the same weight. So ranks say less than signs."
    )
    signs = np.array([[sign for sign, _, _, _ in LISTED]]) * np.sign([unit["listed"] for unit in units])
    right = estimate((signs > 0).sum(axis=1).astype(float))
    always = int((signs > 0).all(axis=0).sum())
    findings.claims.append(
        Claim("tables/signs", "the conjunctions of the published tables lower and raise as published", len(LISTED),
              right.mean, right.ci95, len(units), "holds" if always == len(LISTED) else "fails",
              f"how many of a run have the published sign; {always} have it in every run; holds: all", len(units))
    )  # fmt: skip
    findings.claims += _census_claims(units)
    return findings


def _census_claims(units: Sequence[Unit]) -> list[Claim]:
    """How often a pair of atoms is part of a large weight, which way it points, and the rank of an example."""
    count = estimate(values(units, "pair"))
    raising = more_claim("tables/pair-raises", "most of them raise the expected points", values(units, "raising") - 0.5,
                         CENSUS * len(units), "share that raises, minus a half; published 167 of 259", margin=0.05,
                         published=round(167 / 259 - 0.5, 3))  # fmt: skip
    rank = estimate(values(units, "example"))
    return [
        Claim("tables/pair-in-top-20000", "of the top 20,000 so many hold “we have Q♠” and “1 low spade”", 259,
              count.mean, count.ci95, CENSUS * len(units),
              within(count.ci95, 130, 520),
              "holds: the interval lies within a factor of two", len(units)),
        raising,
        Claim("tables/single-queen", "“single Q♠ and the leader has spades” is among the 300 largest weights", 300,
              rank.mean, rank.ci95, len(units),
              "holds" if rank.ci95[1] <= 300 else "fails" if rank.ci95[0] > 300 else "unclear",
              "its rank, whatever the sign", len(units)),
    ]  # fmt: skip


def _listed(units: Sequence[Unit]) -> Table:
    """The conjunctions of the published tables with their ranks there and here."""
    rows = []
    for place, (sign, rank, published, names) in enumerate(LISTED):
        weights = np.array([unit["listed"][place] for unit in units])
        ranks = sorted(unit["ranks"][place] for unit in units)
        right = int((weights * sign > 0).sum())
        rows.append([f"{rank}", f"{published:+.3f}", f"{weights.mean():+.3f}", f"{ranks[len(ranks) // 2]:,}",
                     f"{right} of {len(units)}", describe(find_atom(name).number for name in names)])  # fmt: skip
    head = ["rank", "weight", "our mean weight", "our median rank", "runs with that sign", "conjunction"]
    return Table("The published largest weights", head, rows)


# --- why features are constructed ---


def raw_cards(shop: Workshop) -> Findings:
    """416 raw card features, which the papers rule out, against the 60 or 88 atomic ones."""
    sizes = _sizes(shop)
    findings = Findings()
    for task in ORDERS:

        def work(shop: Workshop, run: int, task: str = task) -> Unit:
            parameters = TdParameters(partners=Partners.EXPERT, views=1)
            player, points = raw_part(shop, RawStudy(task, parameters, (sizes["train"],)), run)
            atomic = task_training(shop, task, "atomic", run).player()
            return {
                "curve": windows(points),
                "expert": lead(shop, player, expert(), task_rules(task), sizes["expert"], run),
                "atomic": lead(shop, atomic, player, task_rules(task), sizes["expert"], run),
            }

        units = run_units(shop, f"{task} raw cards", sizes, task_runs(shop), work)
        n = sizes["expert"] * len(units)
        what = "points per deal, 14 seatings, run against run"
        findings.claims += [
            less_claim(f"raw-cards/{task}-atomic-beats-raw", f"atomic features beat raw cards at the {task} task",
                       values(units, "atomic"), n, what, margin=MARGIN),
            less_claim(f"raw-cards/{task}-raw-beats-expert", f"raw cards beat our expert at the {task} task",
                       values(units, "expert"), n, what, margin=MARGIN),
        ]  # fmt: skip
    findings.notes.append(
        "The papers motivate their construction with what a linear network over single cards cannot say. They do not "
        "train one; here it is, with the same search, learning rule and number of deals."
    )
    return findings


def with_pairs(shop: Workshop) -> Findings:
    """The three-wise sets as counted by the papers have no pairs; here they have."""
    sizes = _sizes(shop)
    findings = Findings()
    for task in ORDERS:

        def work(shop: Workshop, run: int, task: str = task) -> Unit:
            (every,) = train_parts(shop, [task_plan(shop, task, "up-to-triples", run, "1,2,3")])
            without = task_training(shop, task, "triples", run)
            return {"gain": lead(shop, every.player(), without.player(), task_rules(task), sizes["orders"], run)}

        units = run_units(shop, f"{task} with pairs", sizes, task_runs(shop), work)
        findings.claims.append(
            less_claim(f"with-pairs/{task}", f"pairs beside singles and triples help at the {task} task",
                       values(units, "gain"), sizes["orders"] * len(units), "points per deal, 14 seatings, run "
                       "against run", margin=MARGIN)
        )  # fmt: skip
    return findings
