"""Controls of Sturtevant and White (2006): the XOR demonstration, why training can degrade, a stronger expert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heartlab.learners.td_features.full import FULL_MARGIN, changed, full_plan, learned_weights
from heartlab.learners.td_features.parts import (
    FEWER,
    Plan,
    expert,
    lead,
    play_match,
    task_rules,
    train_parts,
    values,
    windows,
)
from heartlab.learners.td_features.tasks import BEATS_EXPERT, BREAK_EVEN, MARGIN, ORDERS, TITLES
from heartlab.learners.td_features.trainer import Partners, TdParameters
from heartlab.players.base import Player
from heartlab.players.registry import make_player
from heartlab.reproduction.claims import Claim, less_claim, more_claim
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Figure, Findings, Table
from heartlab.reproduction.units import run_units
from heartlab.util.statistics import Estimate, estimate

MARKS = (10_000, 20_000, 50_000)
"""Training deals of the snapshots at which one thing was changed; the last is compared with the first."""
CONTROL_RUNS = 5
"""Independent runs of every control."""


# --- XOR ---


def learn_xor(with_and: bool, rate: float = 0.1) -> list[float]:
    """Train a linear network on XOR, with a constant input, by the papers' rule; returns its four outputs.

    >>> [round(value) for value in learn_xor(with_and=True)], [round(value, 1) for value in learn_xor(with_and=False)]
    ([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5])
    """
    cases = [(a, b, [1.0, a, b] + ([a * b] if with_and else [])) for a in (0.0, 1.0) for b in (0.0, 1.0)]
    weights = np.zeros(4 if with_and else 3)
    for _ in range(2_000):
        step = np.zeros_like(weights)
        for a, b, inputs in cases:
            step += rate * ((a != b) - weights @ inputs) * np.array(inputs)
        weights += step
    return [float(weights @ np.array(inputs)) for _, _, inputs in cases]


def xor(shop: Workshop) -> Findings:
    """A linear network cannot learn XOR of two inputs; with their AND as a third it can."""
    findings = Findings()
    rows = []
    for with_and, words in ((False, "two inputs"), (True, "two inputs and their AND")):
        outputs = learn_xor(with_and)
        wrong = max(abs(output - wanted) for output, wanted in zip(outputs, (0, 1, 1, 0), strict=True))
        rows.append([words, *(f"{output:.2f}" for output in outputs)])
        learned = wrong < 0.01
        findings.claims.append(
            Claim(f"xor/{'with' if with_and else 'without'}-and",
                  f"a linear network {'learns' if with_and else 'cannot learn'} XOR from {words}", None, wrong, None, 4,
                  "holds" if learned == with_and else "fails", "largest error of its four outputs after learning")
        )  # fmt: skip
    findings.tables.append(Table("Outputs after learning", ["inputs", "0 0", "0 1", "1 0", "1 1"], rows))
    return findings


# --- degradation ---

VARIANTS = {
    "our reading": "rate 1/13 that never falls, values cut to what is possible, weights begin at random",
    "falling rate": "the rate is halved after 10,000 deals, then a third, and so on",
    "rate 1/26": "half the rate, since a deal has 26 points",
    "cut to 0…26": "values in a search are cut to [ε, 26 − ε] only",
    "weights kept": "weights begin as both tasks learned them",
}
"""What is changed, one thing at a time."""
SLUGS = {"falling rate": "falling-rate", "rate 1/26": "half-rate", "cut to 0…26": "whole-cut", "weights kept": "kept"}
"""The changes in the ids of claims."""


def degradation(shop: Workshop, partners: Partners) -> Findings:
    """The full game once more, with one thing changed at a time; each snapshot plays the expert."""
    marks = [1_000, 2_000] if shop.quick else list(MARKS)
    units = _variant_units(shop, partners, marks)
    curves = [Curve.over_runs(name, marks, [[one[0] for one in unit[name]] for unit in units]) for name in VARIANTS]
    return Findings(
        claims=_degradation_claims(partners, units, marks, _moment_deals(shop) * len(units)),
        tables=[Table("What is changed", ["name", "change"], [[a, b] for a, b in VARIANTS.items()])],
        figures=[
            Figure(f"degradation-{partners}", f"{partners}-trained minus expert, one thing changed at a time",
                   "training deals", FEWER, curves, log_x=True, levels=[("break-even", 0.0)])
        ],
        notes=[
            "A rate that never falls lets the last few deals move the weights, and most of an error is the luck of "
            "the cards: if that is the reason, a falling rate must help, and half the rate a little. "
            f"{_why(partners, units, marks)} (Points per deal against the expert; fewer are better.)"
        ],
    )  # fmt: skip


def _moment_deals(shop: Workshop) -> int:
    """Deals of a match against the expert at a snapshot."""
    return shop.size(200, 2)


def _variant_units(shop: Workshop, partners: Partners, marks: list[int]) -> list[Unit]:
    """What every run of one way of training showed: the leads over the expert of each variant at its snapshots."""
    deals = _moment_deals(shop)

    def work(shop: Workshop, run: int) -> Unit:
        base = replace(full_plan(shop, partners, run), label=f"degradation-{partners}", marks=marks)
        assert base.conjunctions is not None
        start = learned_weights(shop, base.conjunctions, run)
        plans = {
            "our reading": base,
            "falling rate": changed(base, "falling", halving=shop.size(10_000, 500)),
            "rate 1/26": changed(base, "slow", rate=1 / 26),
            "cut to 0…26": changed(base, "whole", cut="whole"),
            "weights kept": changed(base, "kept", start),
        }
        found: Unit = {}
        for name, plan in plans.items():
            (net,) = train_parts(shop, [plan])
            found[name] = [lead(shop, net.player(at), expert(), "seed-nomoon", deals, run) for at in range(len(marks))]
        return found

    sizes = {"train": marks[-1], "moment": deals}
    return run_units(shop, f"degradation by {partners} training", sizes, shop.size(CONTROL_RUNS, 2), work)


def _drop(units: Sequence[Unit]) -> np.ndarray:
    """Points per deal that a run of our reading loses from the first snapshot to the last."""
    leads = np.array([[one[0] for one in unit["our reading"]] for unit in units])
    return np.asarray(leads[:, -1] - leads[:, 0])


def _gains(units: Sequence[Unit]) -> dict[str, np.ndarray]:
    """Points per deal that each change adds at the end, run by run."""
    ends = {name: np.array([unit[name][-1][0] for unit in units]) for name in VARIANTS}
    return {name: ends[name] - ends["our reading"] for name in list(VARIANTS)[1:]}


def _degradation_claims(partners: Partners, units: Sequence[Unit], marks: Sequence[int], n: int) -> list[Claim]:
    return [
        more_claim(f"degradation/{partners}-gets-worse", f"{partners} training gets worse with more deals",
                   _drop(units), n, f"after {marks[-1]:,} deals minus after {marks[0]:,}", margin=FULL_MARGIN),
        *(
            less_claim(f"degradation/{partners}-{SLUGS[name]}", f"{partners} training ends better: {name}",
                       gain, n, "points per deal against the expert, same deals and runs", margin=FULL_MARGIN)
            for name, gain in _gains(units).items()
        ),
    ]  # fmt: skip


def _why(partners: Partners, units: Sequence[Unit], marks: Sequence[int]) -> str:
    """Whether training gets worse, and which change helps or harms, from intervals over runs."""
    drop = estimate(_drop(units))
    gains = {name: estimate(gain) for name, gain in _gains(units).items()}
    helps = [f"{name} {_signed(gain)}" for name, gain in gains.items() if gain.ci95[1] < 0]
    harms = [f"{name} {_signed(gain)}" for name, gain in gains.items() if gain.ci95[0] > 0]
    worse = "it gets worse" if drop.ci95[0] > 0 else "that it gets worse is not shown"
    small = f"; a loss of {FULL_MARGIN:g} or more, which would need a reason, is excluded"
    return (
        f"From {marks[0]:,} to {marks[-1]:,} deals {partners} training moves by {_signed(drop)}: {worse}"
        f"{small if drop.ci95[1] < FULL_MARGIN else ''}. "
        f"Clearly better in the end: {', '.join(helps) or 'no change'}. Clearly worse: {', '.join(harms) or 'none'}."
    )


def _signed(value: Estimate) -> str:
    return f"{value.mean:+.2f} [{value.ci95[0]:+.2f}, {value.ci95[1]:+.2f}]"


# --- a stronger expert ---


def sage() -> Player:
    """The stronger hand-tuned expert, open."""
    return make_player("sage")


def stronger_expert(shop: Workshop) -> Findings:
    """The learning curves of both single tasks against three `sage`."""
    findings = Findings()
    sizes = {"train": shop.size(100_000, 2_000), "match": shop.size(1_000, 4)}
    for task, sets in ORDERS.items():

        def work(shop: Workshop, run: int, task: str = task, sets: dict[str, str] = sets) -> Unit:
            found: Unit = {"curve": {}, "points": {}}
            for label, orders in sets.items():
                parameters = TdParameters(orders=orders, partners=Partners.EXPERT, views=1, expert="sage")
                (net,) = train_parts(shop, [Plan(f"{task}-{label}-sage", task, parameters, run, [sizes["train"]])])
                seats = [net.player(), sage(), sage(), sage()]
                found["curve"][label] = windows(net.points)
                found["points"][label] = float(
                    play_match(shop, seats, task_rules(task), sizes["match"], run).points[:, 0].mean()
                )
            found["sage"] = lead(shop, sage(), expert(), task_rules(task), sizes["match"], run)
            return found

        units = run_units(shop, f"{task} against sage", sizes, shop.size(CONTROL_RUNS, 2), work)
        findings.claims += _break_even_claims(task, units, sizes["match"] * len(units))
        width = min(5_000, sizes["train"])
        curves = [
            Curve.over_runs(label, width * (1 + np.arange(len(units[0]["curve"][label]))),
                            [unit["curve"][label] for unit in units])
            for label in sets
        ]  # fmt: skip
        findings.figures.append(
            Figure(f"stronger-expert-{task}", f"{TITLES[task]}: one learner against three sages", "training deals",
                   FEWER, curves, levels=[("break-even", BREAK_EVEN)])
        )  # fmt: skip
    findings.notes.append(
        "Claims are matches of networks that no longer learn; curves are points while learning, with the weights still "
        "moving, and so a little higher."
    )
    return findings


def _break_even_claims(task: str, units: Sequence[Unit], n: int) -> list[Claim]:
    claims = [
        less_claim(f"stronger-expert/{task}-sage-beats-pie", f"at the {task} task sage plays better than pie",
                   values(units, "sage"), n, "points per deal, 14 seatings; runs differ in deals only", margin=MARGIN)
    ]  # fmt: skip
    for label in ORDERS[task]:
        if (task, label) in BEATS_EXPERT:
            beats = BEATS_EXPERT[task, label]
            build, words = (less_claim, "below") if beats else (more_claim, "above")
            claims.append(
                build(f"stronger-expert/{task}-{label}", f"{label} features, {task} task: {words} break-even",
                      values(units, "points", label) - BREAK_EVEN, n,
                      "points per deal of one learner against three sages, minus 3.25", margin=MARGIN)
            )  # fmt: skip
    return claims
