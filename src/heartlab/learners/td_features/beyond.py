"""Beyond Sturtevant and White (2006): a stronger expert, other ways to learn, other features, more deals.

Each step is measured by itself, network against network in the 14 seatings over duplicate deals, both trained on the
same number of deals. The statements are ours; the notes say how they were measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from heartlab.learners.td_features.conjunctions import Conjunctions
from heartlab.learners.td_features.growth import GrowthParameters
from heartlab.learners.td_features.moon import place_moon
from heartlab.learners.td_features.parts import (
    COST_CHUNKS,
    Plan,
    Training,
    cost_part,
    curve_of,
    difference,
    expert,
    grown_parts,
    match_part,
    run_label,
    task_rules,
    train_parts,
)
from heartlab.learners.td_features.player import unpadded_rows
from heartlab.learners.td_features.tasks import BEATS_EXPERT, ORDERS
from heartlab.learners.td_features.trainer import ROUND, TASKS, Criterion, Partners, TdParameters, best_conjunctions
from heartlab.players.base import Player
from heartlab.players.registry import make_player
from heartlab.reproduction.claims import Claim, above, below
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Figure, Findings, Table
from heartlab.util.statistics import Estimate, estimate

COMPARED = (Criterion.WEIGHT, Criterion.EFFECT, Criterion.FIT, Criterion.ELIMINATION)
"""Criteria of selection that are compared for pairs, of which few say the same; `distinct` is for higher orders."""
BREAK_EVEN = 3.25
"""Points per deal at a single task if all four play alike."""


def sage() -> Player:
    """The stronger hand-tuned expert, open."""
    return make_player("sage")


def stronger_expert(shop: Workshop) -> Findings:
    """The learning curves of both single tasks against three `sage`."""
    findings = Findings()
    deals, test = shop.size(200_000, 3_000), shop.size(4_000, 20)
    for task, sets in ORDERS.items():
        curves = []
        for label, text in sets.items():
            parameters = TdParameters(orders=text, partners=Partners.EXPERT, views=1, expert="sage")
            runs = shop.size(1 if label == "four-wise" else 2, 1)
            plans = [Plan(f"{task}-{label}-sage", task, parameters, run, [deals]) for run in range(runs)]
            trained = train_parts(shop, plans)
            x, mean, spread = curve_of(trained)
            curves.append(Curve(run_label(label, runs), x, mean, mean - 1.96 * spread, mean + 1.96 * spread))
            last = min(trained, key=lambda training: float(training.points[-5:].mean()))
            seats = [last.player(), sage(), sage(), sage()]
            played = match_part(shop, f"{task}-{label}-3sage", seats, task_rules(task), test, {"train": deals})
            findings.claims.append(_break_even(task, label, estimate(played["points"][:, 0]), test))
        findings.figures.append(
            Figure(f"stronger-expert-{task}", f"{task}: one learner against three sages", "training deals",
                   "points per deal", curves, levels=[("break-even", BREAK_EVEN)])
        )  # fmt: skip
    findings.notes.append(
        "Claims are matches of frozen networks, each the run of its kind that took fewer points at the end of "
        "training; curves are points while learning, with the weights still moving, and so a little higher."
    )
    for task in ORDERS:
        played = match_part(shop, f"{task}-sage-pie", [sage(), expert()], task_rules(task), test, {})
        found = difference(played)
        findings.claims.append(
            Claim(f"stronger-expert/{task}-sage-beats-pie", f"at the {task} task sage plays better than pie", None,
                  found.mean, found.ci95, test, below(found.ci95), "difference of points per deal in 14 seatings")
        )  # fmt: skip
    return findings


def _break_even(task: str, label: str, found: Estimate, test: int) -> Claim:
    says = BEATS_EXPERT.get((task, label))
    relation = {True: "below", False: "above", None: "near"}[says]
    judge = above if says is False else below
    return Claim(
        f"stronger-expert/{task}-{label}",
        f"{label} features, {task} task: {relation} break-even against three experts",
        BREAK_EVEN,
        found.mean,
        found.ci95,
        test,
        judge(found.ci95, BREAK_EVEN) if says is not None else "unclear",
        "points per deal of the learner, one against three sages"
        + ("" if says is not None else "; the papers leave it open"),
    )


# --- learning and features ---


def _versus(
    shop: Workshop, name: str, statement: str, new: Training, old: Training, task: str, deals: int, note: str,
    worlds: int = 0, rules: str = "",
) -> Claim:  # fmt: skip
    """A claim that one network plays better than another, under the task's rules or others."""
    players = [new.player(worlds=worlds), old.player(worlds=worlds)]
    origin = {"train": [int(new.moments[-1]), int(old.moments[-1])], "worlds": worlds}
    found = difference(match_part(shop, f"beyond-{name}", players, rules or task_rules(task), deals, origin))
    return Claim(f"beyond/{name}", statement, None, found.mean, found.ci95, deals, below(found.ci95), note)


def _full(label: str, deals: int, **changes: object) -> Plan:
    """A network for the full game, by self-play."""
    parameters = TdParameters(**{"orders": "1,2", **changes})  # type: ignore[arg-type]
    return Plan(f"full-{label}", "full", parameters, 0, [deals])


def beyond_learning(shop: Workshop) -> Findings:
    """More views, a rate that falls, TDLeaf, training among closed players."""
    findings = Findings()
    deals, test = shop.size(60_000, 2_000), shop.size(1_000, 10)
    closed_deals, closed_test = shop.size(40_000, 1_000), shop.size(300, 4)
    settling = {"halving": closed_deals / 10}
    among_closed = {"worlds": 4, **settling}
    sets = {leaf: TdParameters(orders="1,2", partners=Partners.EXPERT, views=1, leaf=leaf) for leaf in (False, True)}
    with_moon = Conjunctions.exhaustive(TASKS["full"].atoms + place_moon(), [1, 2])
    one, four, settled, plain, leaf, opened, closed, rest, moon = train_parts(
        shop,
        [
            _full("one-view", deals, views=1),
            _full("four-views", deals),
            _full("settled", deals, halving=deals / 10),
            *(Plan(f"queen-leaf-{on}", "queen", sets[on], 0, [deals]) for on in sets),
            _full("open-trained", closed_deals, **settling),
            _full("closed-trained", closed_deals, **among_closed),
            replace(_full("closed-rest", closed_deals, **among_closed), rest=True),
            replace(
                _full("closed-moon", closed_deals, **among_closed, rules="seed"),
                conjunctions=with_moon,
                origin={"moon": True},
                rest=True,
            ),
        ],
    )
    note = f"points per deal, 14 seatings, all hands known; pairs, {deals:,} deals of self-play each"
    same = f"points per deal, 14 seatings, both with 20 worlds and trained with 4, pairs, {closed_deals:,} deals"
    findings.claims += [
        _versus(shop, "views", "learning from all four seats is better than from one", four, one, "full", test, note),
        _versus(shop, "rate", "a rate that falls is better than one that stays", settled, four, "full", test, note),
        _versus(shop, "leaf", "TDLeaf is better than TD", leaf, plain, "queen", test,
                "points per deal, 14 seatings, Q♠ task; pairs against three experts; in self-play the state that a "
                "search expects is the next state itself but for ties, so there is nothing to compare"),
        _versus(shop, "closed", "for closed play it is better to train among closed players", closed, opened, "full",
                closed_test, "points per deal, 14 seatings, both with 20 worlds; trained with 4 worlds or with all "
                f"hands known, pairs, {closed_deals:,} deals", worlds=20),
        _versus(shop, "closed-rest", "it is better to foresee only what is still to come", rest, closed, "full",
                closed_test, same, worlds=20),
        _versus(shop, "moon", "where the moon counts, features about it help", moon, rest, "full", closed_test,
                same + "; rules `seed`, under which only the one with these features was trained", worlds=20,
                rules="seed"),
    ]  # fmt: skip
    return findings


def beyond_features(shop: Workshop) -> Findings:
    """ORs and negations, sets that grow, and other criteria for selection, against all pairs and each other."""
    findings = Findings()
    deals, test = shop.size(100_000, 3_000), shop.size(1_000, 10)
    changes = {"halving": deals / 10}
    pairs, clauses = train_parts(
        shop, [_full("pairs", deals, **changes), _full("clauses", deals, clauses=True, **changes)]
    )
    stage = shop.size(8_000, 1_000)
    same_size = GrowthParameters(order=4, size=len(pairs.conjunctions), stage=stage, halving=deals / 10)
    (grown,) = grown_parts(shop, {"full-grown-same-size": same_size}, deals)
    note = f"points per deal, 14 seatings, all hands known; {deals:,} deals of self-play each; "
    findings.claims += [
        _versus(shop, "clauses", "ORs and negations help", clauses, pairs, "full", test,
                note + f"pairs of {len(clauses.conjunctions):,} and {len(pairs.conjunctions):,} conjunctions"),
        _versus(shop, "growth", "a set that grew to order four beats all pairs", grown, pairs, "full", test,
                note + f"{len(grown.conjunctions):,} and {len(pairs.conjunctions):,} conjunctions"),
    ]  # fmt: skip
    for count in (500, 100):
        findings.claims += _criteria(shop, pairs, count, note)
    return findings


def _criteria(shop: Workshop, pairs: Training, count: int, note: str) -> list[Claim]:
    """So many of all pairs by every criterion, trained anew, against those by weight."""
    deals, test = int(pairs.moments[-1]), shop.size(1_000, 10)
    choices = {name: _choice(shop, pairs, count, name) for name in COMPARED}
    by_weight, *others = train_parts(
        shop,
        [
            replace(
                _full(f"by-{name}-{count}", deals, halving=deals / 10),
                conjunctions=chosen,
                origin={"chosen": name, "count": count},
            )
            for name, chosen in choices.items()
        ],
    )
    claims = [
        _versus(shop, f"all-{count}", f"all pairs play better than the {count} with the largest weights",
                pairs, by_weight, "full", test, note + f"{len(pairs.conjunctions):,} and {count} conjunctions")
    ]  # fmt: skip
    for name, by_other in zip(COMPARED[1:], others, strict=True):
        shared = len(set(choices[Criterion.WEIGHT]) & set(choices[name]))
        claims.append(
            _versus(shop, f"{name}-{count}", f"{count} pairs picked by {name} play better than {count} by weight",
                    by_other, by_weight, "full", test,
                    note + f"{count} of all pairs by each criterion, {shared} of them the same, trained anew")
        )  # fmt: skip
    return claims


def _choice(shop: Workshop, pairs: Training, count: int, criterion: Criterion) -> Conjunctions:
    """The conjunctions that a criterion picks."""

    def work() -> dict[str, npt.NDArray[np.int8]]:
        chosen = best_conjunctions(pairs.network(), task_rules("full"), count, criterion, shop.size(ROUND, 300))
        return {"conjunctions": Conjunctions.of(chosen).rows()}

    settings = {"criterion": criterion, "count": count, "train": int(pairs.moments[-1])}
    found = shop.part(f"choice-{criterion}-{count}", settings, work)
    return Conjunctions.of(unpadded_rows(found["conjunctions"]))


def scale(shop: Workshop) -> Findings:
    """Strength against deals and against the number of conjunctions, and what they cost."""
    findings = Findings()
    moments = [3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000] if not shop.quick else [1_000, 2_000]
    test = shop.size(1_000, 10)
    plans = [
        Plan(f"scale-{label}", "full", TdParameters(orders=orders, halving=10_000), 0,
             [moment for moment in moments if moment <= most])
        for label, orders, most in (("pairs", "1,2", 1_000_000), ("up to triples", "1,2,3", 300_000))
    ]  # fmt: skip
    all_sets = train_parts(shop, plans)
    curves = []
    for training in all_sets:
        found = [
            _against_sage(shop, f"{training.label}-{moment}", training.player(place), test, {"moment": int(moment)})
            for place, moment in enumerate(training.moments)
        ]
        curves.append(_curve(training.label.removeprefix("scale-"), training.moments, found))
    findings.figures.append(
        Figure("scale-deals", "the full game: learner minus sage", "training deals", "points per deal", curves,
               log_x=True, levels=[("break-even", 0.0)])
    )  # fmt: skip
    deals, sizes = shop.size(100_000, 3_000), [500, 2_000, 8_000, 32_000] if not shop.quick else [300, 600]
    growths = {
        f"scale-grown-{size}": GrowthParameters(order=6, size=size, stage=shop.size(8_000, 1_000), halving=deals / 10)
        for size in sizes
    }
    grown = grown_parts(shop, growths, deals)
    found = [
        _against_sage(shop, f"{training.label}-sage", training.player(), test, {"train": deals}) for training in grown
    ]
    findings.figures.append(
        Figure("scale-features", "the full game: learner minus sage, sets grown to order six", "conjunctions",
               "points per deal", [_curve(f"{deals:,} deals", sizes, found)], log_x=True, levels=[("break-even", 0.0)])
    )  # fmt: skip
    rows = [_cost_row(shop, "all of the full game", training, None) for training in all_sets]
    rows += [_cost_row(shop, "grown", training, one) for training, one in zip(grown, found, strict=True)]
    head = ["set", "conjunctions", *(f"order {n}" for n in range(1, 7)), "µs per training deal", "against sage"]
    findings.tables.append(Table("What conjunctions cost and give", head, rows))
    findings.notes.append(
        f"Costs are those of one thread with all four seats learning, the median of {COST_CHUNKS} "
        f"portions of {shop.size(1_000, 100):,} deals; other work on the machine makes them larger."
    )
    return findings


def _against_sage(shop: Workshop, name: str, player: Player, deals: int, origin: dict[str, int]) -> Estimate:
    """How many points per deal a player takes more than the stronger expert in the full game."""
    return difference(match_part(shop, name, [player, sage()], "seed-nomoon", deals, origin))


def _cost_row(shop: Workshop, kind: str, training: Training, strength: Estimate | None) -> list[str]:
    """A line of the table of costs: how many conjunctions of which order, what a deal costs, what they give."""
    counts = np.bincount([len(atoms) for atoms in training.conjunctions], minlength=7)
    cost = float(np.median(cost_part(shop, training, "full", TdParameters())))
    given = "see the figure"
    if strength is not None:
        given = f"{strength.mean:+.2f} [{strength.ci95[0]:+.2f}, {strength.ci95[1]:+.2f}]"
    return [
        kind,
        f"{len(training.conjunctions):,}",
        *(f"{count:,}" for count in counts[1:7]),
        f"{1e6 * cost:,.0f}",
        given,
    ]


def _curve(label: str, x: Sequence[int] | npt.NDArray[np.int64], found: Sequence[Estimate]) -> Curve:
    """Differences with their intervals."""
    ends = np.array([one.ci95 for one in found])
    return Curve(label, np.array(x), np.array([one.mean for one in found]), ends[:, 0], ends[:, 1])
