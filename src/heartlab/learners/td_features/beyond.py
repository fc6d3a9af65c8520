"""Beyond Sturtevant and White (2006): other searches, other ways to learn, other features, more deals.

Each step is measured by itself, run against run in the 14 seatings over duplicate deals, both trained on the same
number of deals. The statements are ours; the notes say how they were measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heartlab.learners.td_features.conjunctions import Conjunctions
from heartlab.learners.td_features.controls import CONTROL_RUNS, sage
from heartlab.learners.td_features.full import (
    FULL_MARGIN,
    SOURCES,
    closed_claims,
    closed_unit,
    full_sizes,
    full_training,
    moments,
)
from heartlab.learners.td_features.growth import GrowthParameters
from heartlab.learners.td_features.moon import place_moon
from heartlab.learners.td_features.parts import (
    FEWER,
    Plan,
    Training,
    deal_cost,
    expert,
    grown_part,
    lead,
    task_rules,
    train_parts,
    values,
)
from heartlab.learners.td_features.selection import union
from heartlab.learners.td_features.tasks import task_deals, task_training
from heartlab.learners.td_features.trainer import (
    ROUND,
    SEARCHES,
    TASKS,
    Criterion,
    Partners,
    TdParameters,
    best_conjunctions,
)
from heartlab.players.registry import make_player
from heartlab.reproduction.claims import Claim, interval_text, less_claim
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Figure, Findings, Table
from heartlab.reproduction.units import run_units
from heartlab.util.statistics import estimate

COMPARED = (Criterion.WEIGHT, Criterion.EFFECT, Criterion.FIT, Criterion.ELIMINATION)
"""Criteria of selection that are compared for pairs, of which few say the same; `distinct` is for higher orders."""
FULL = "seed-nomoon"
SEARCH_WORDS = {"maxn": "max^n", "paranoid": "paranoid", "softmaxn": "soft-max^n"}
"""The searches as the papers write them."""


def _runs(shop: Workshop) -> int:
    return shop.size(CONTROL_RUNS, 2)


def _full(label: str, run: int, deals: int, **changes: object) -> Plan:
    """A network for the full game, by self-play."""
    parameters = TdParameters(**{"orders": "1,2", **changes})  # type: ignore[arg-type]
    return Plan(f"full-{label}", "full", parameters, run, [deals])


# --- searches ---


def searches(shop: Workshop) -> Findings:
    """Networks trained with each search play with each search: against the expert, and against max^n in both."""
    sizes = {"train": shop.size(50_000, 1_000), "match": shop.size(300, 2)}

    def work(shop: Workshop, run: int) -> Unit:
        plans = [
            _full(f"by-{name}", run, sizes["train"], search=name, halving=sizes["train"] / 10) for name in SEARCHES
        ]
        nets = dict(zip(SEARCHES, train_parts(shop, plans), strict=True))
        base = nets["maxn"].player()
        found: Unit = {"expert": {}, "maxn": {}}
        for trained, net in nets.items():
            for played in SEARCHES:
                cell, player = f"{trained} {played}", net.player(search=played)
                found["expert"][cell] = lead(shop, player, expert(), FULL, sizes["match"], run)
                if cell != "maxn maxn":
                    found["maxn"][cell] = lead(shop, player, base, FULL, sizes["match"], run)
        return found

    units = run_units(shop, "searches", sizes, _runs(shop), work)
    findings = Findings()
    n = sizes["match"] * len(units)
    for versus, words in (("expert", "`pie`"), ("maxn", "max^n in training and play")):
        rows = [
            [words_of, *(_cell(units, versus, f"{trained} {played}") for played in SEARCHES)]
            for trained, words_of in SEARCH_WORDS.items()
        ]
        title = f"Points per deal more than {words}: trained with (rows), plays with (columns)"
        findings.tables.append(Table(title, ["trained with", *SEARCH_WORDS.values()], rows))
    for name, words in list(SEARCH_WORDS.items())[1:]:
        for cell, statement in (
            (f"{name} maxn", f"training with {words} is better than with max^n, both playing max^n"),
            (f"maxn {name}", f"playing with {words} is better than with max^n, both trained with max^n"),
            (f"{name} {name}", f"{words} in training and play is better than max^n in both"),
        ):
            findings.claims.append(
                less_claim(f"searches/{cell.replace(' ', '-')}", statement, values(units, "maxn", cell), n,
                           f"points per deal, 14 seatings; all pairs, {sizes['train']:,} deals of self-play",
                           margin=FULL_MARGIN)
            )  # fmt: skip
    findings.notes.append(
        "Both papers name soft-max^n and paranoid search as the next thing to try, in training and in play. "
        + _searches_found(findings.claims)
    )
    return findings


def _searches_found(claims: Sequence[Claim]) -> str:
    """Which searches are clearly better or worse than max^n in training and play."""
    told = []
    for words, sign in (("Clearly better than max^n in both", -1), ("Clearly worse", 1)):
        found = [
            f"{claim.statement.partition(' is better')[0]} ({interval_text(claim)})"
            for claim in claims
            if claim.ci95 and min(sign * claim.ci95[0], sign * claim.ci95[1]) > 0
        ]
        told.append(f"{words}: {', '.join(found) or 'none'}.")
    return f"{' '.join(told)} In points per deal; fewer are better."


def _cell(units: Sequence[Unit], *path: str) -> str:
    if path[-1] not in units[0][path[0]]:
        return "–"
    found = estimate(values(units, *path))
    return f"{found.mean:+.2f} [{found.ci95[0]:+.2f}, {found.ci95[1]:+.2f}]"


# --- the full game otherwise ---

REGIMES = (
    ("self", "the self-trained player beats the expert"),
    ("expert", "the expert-trained player beats the expert"),
    ("between", "the self-trained player beats the expert-trained one"),
)


def _leads(shop: Workshop, nets: dict[Partners, Training], deals: int, run: int) -> Unit:
    """Both regimes against the expert and each other."""
    own, taught = nets[Partners.SELF].player(), nets[Partners.EXPERT].player()
    pairs_of = {"self": (own, expert()), "expert": (taught, expert()), "between": (own, taught)}
    return {name: lead(shop, one, other, FULL, deals, run) for name, (one, other) in pairs_of.items()}


def _regime_claims(name: str, units: Sequence[Unit], deals: int, note: str) -> list[Claim]:
    """What the papers say of their full game, said of another one."""
    return [
        less_claim(f"{name}/{which}", statement, values(units, which), deals * len(units),
                   f"points per deal, 14 seatings; {note}", margin=FULL_MARGIN, published=-1.0)
        for which, statement in REGIMES
    ]  # fmt: skip


def rest(shop: Workshop) -> Findings:
    """The full game once more, with one change: the network foresees what is still to come."""
    sizes = full_sizes(shop)

    def work(shop: Workshop, run: int) -> Unit:
        nets = {partners: full_training(shop, partners, run, rest=True) for partners in Partners}
        papers = full_training(shop, Partners.SELF, run).player()
        found = _leads(shop, nets, sizes["end"], run)
        closed = closed_unit(shop, nets[Partners.SELF].player(worlds=20), shop.size(200, 2), shop.size(10, 1), run)
        better = lead(shop, nets[Partners.SELF].player(), papers, FULL, sizes["end"], run)
        return {**found, "closed": closed["points"][0] - closed["points"][1], "better": better}

    units = run_units(shop, "rest", sizes, _runs(shop), work)
    findings = Findings(claims=_regime_claims("rest", units, sizes["end"], "the papers' 12,000 features"))
    n = sizes["end"] * len(units)
    findings.claims += [
        less_claim("rest/better-than-all-points", "it beats the network that foresees all points",
                   values(units, "better"), n, "points per deal, 14 seatings, both self-trained", margin=FULL_MARGIN),
        less_claim("rest/closed", "in 20 worlds it takes fewer points than the expert", values(units, "closed"),
                   shop.size(200, 2) * len(units), "points per deal, with the moon", margin=FULL_MARGIN,
                   published=6.35 - 7.30),
    ]  # fmt: skip
    findings.notes.append(
        "The papers predict all points of a deal, but no feature tells who has taken Q♠: once it is gone, one sum of "
        "weights must serve its taker and the others alike. In a search *we* cut values to what is still possible, so "
        "that the taker stands at 13 and a little, whatever else threatens him; the papers give a cut for the Q♠ task "
        "only. Here the points that a seat has are added to what its network foresees. The comparison is with our "
        "reading, cut and all, and says nothing about the papers' own program."
    )
    return findings


def distinct(shop: Workshop) -> Findings:
    """Both regimes with as many features as in the papers, of which none stands twice under different names."""
    sizes = {"train": task_deals(shop), "end": shop.size(1_000, 4)}

    def work(shop: Workshop, run: int) -> Unit:
        chosen = union(
            best_conjunctions(
                task_training(shop, task, label, run).network(), task_rules(task), count, Criterion.DISTINCT
            )
            for task, label, count in SOURCES
        )
        plans = [
            Plan(f"distinct-{partners}", "full", TdParameters(partners=partners, views=1), run, [moments(shop)[-1]],
                 chosen, {"features": len(chosen), "of": sizes["train"]})
            for partners in Partners
        ]  # fmt: skip
        nets = dict(zip(Partners, train_parts(shop, plans), strict=True))
        return {**_leads(shop, nets, sizes["end"], run), "features": len(chosen)}

    units = run_units(shop, "distinct", sizes, _runs(shop), work)
    note = f"{units[0]['features']:,} features in the first run"
    findings = Findings(claims=_regime_claims("distinct", units, sizes["end"], note))
    findings.notes.append(
        "Of the conjunctions with the largest weights many are active in the very same states (whoever has an exit in "
        "hearts has hearts) and share one weight between them. The papers do not say what they do about features that "
        "say the same. Here such twins count as one, their weights are added up, and the shortest stands for all; all "
        "else is as in figure 4."
    )
    return findings


def pairs(shop: Workshop) -> Findings:
    """The full game without a selection: all pairs, all points, a rate that falls; four seats learn in self-play."""
    sizes = {"train": shop.size(60_000, 1_000), "end": shop.size(1_000, 4)}

    def work(shop: Workshop, run: int) -> Unit:
        plans = [
            _full(f"pairs-{partners}", run, sizes["train"], partners=partners, views=views, halving=sizes["train"] / 10)
            for partners, views in ((Partners.EXPERT, 1), (Partners.SELF, 4))
        ]
        nets = dict(zip((Partners.EXPERT, Partners.SELF), train_parts(shop, plans), strict=True))
        return _leads(shop, nets, sizes["end"], run)

    units = run_units(shop, "pairs", sizes, _runs(shop), work)
    return Findings(claims=_regime_claims("pairs", units, sizes["end"], f"all pairs, {sizes['train']:,} deals"))


def shipped(shop: Workshop) -> Findings:
    """The model that ships against the expert, closed: one network, so intervals are over blocks of deals and games."""
    sizes = {"closed": shop.size(100, 2), "games": shop.size(30, 1)}

    def work(shop: Workshop, run: int) -> Unit:
        return closed_unit(shop, make_player("td-closed"), sizes["closed"], sizes["games"], run)

    units = run_units(shop, "shipped model", sizes, shop.size(10, 2), work)
    found = closed_claims("beyond/shipped", units, sizes)
    claims = [replace(one, runs=1, note=f"{one.note}; one network, ten blocks of deals and games") for one in found]
    finals = np.array([unit["finals"] for unit in units]).mean(axis=0)
    note = f"Mean final scores {finals[0]:.1f} against {finals[1]:.1f} (published 69.8 and 81.1)."
    return Findings(claims=claims, notes=[note])


# --- learning and features ---

Pairing = tuple[str, str, str, int, str]
"""Better and worse network, rules, worlds, and the statement."""


def _compare(shop: Workshop, nets: dict[str, Training], pairings: dict[str, Pairing], deals: int, run: int) -> Unit:
    found: Unit = {}
    for name, (new, old, rules, worlds, _) in pairings.items():
        players = [nets[one].player(worlds=worlds) for one in (new, old)]
        found[name] = lead(shop, players[0], players[1], rules, deals if not worlds else max(2, deals // 3), run)
    return found


def _compare_claims(units: Sequence[Unit], pairings: dict[str, Pairing], deals: int, note: str) -> list[Claim]:
    return [
        less_claim(f"beyond/{name}", statement, values(units, name), (deals // 3 if worlds else deals) * len(units),
                   f"points per deal, 14 seatings{', both with 20 worlds' if worlds else ''}; {note}",
                   margin=FULL_MARGIN)
        for name, (_, _, _, worlds, statement) in pairings.items()
    ]  # fmt: skip


LEARNING: dict[str, Pairing] = {
    "views": ("four views", "one view", FULL, 0, "learning from all four seats is better than from one"),
    "rate": ("settled", "four views", FULL, 0, "a rate that falls is better than one that stays"),
    "leaf": ("leaf", "no leaf", "seed-queen", 0, "TDLeaf is better than TD (Q♠ task)"),
    "closed": ("closed", "open", FULL, 20, "for closed play it is better to train among closed players"),
    "closed-rest": ("closed rest", "closed", FULL, 20, "it is better to foresee only what is still to come"),
    "moon": ("closed moon", "closed rest", "seed", 20, "where the moon counts, features about it help"),
}


def beyond_learning(shop: Workshop) -> Findings:
    """More views, a rate that falls, TDLeaf, training among closed players."""
    sizes = {"train": shop.size(60_000, 1_000), "closed": shop.size(20_000, 300), "match": shop.size(600, 6)}

    def work(shop: Workshop, run: int) -> Unit:
        deals, few = sizes["train"], sizes["closed"]
        among = {"worlds": 4, "halving": few / 10}
        leaf = {on: TdParameters(orders="1,2", partners=Partners.EXPERT, views=1, leaf=on) for on in (False, True)}
        with_moon = Conjunctions.exhaustive(TASKS["full"].atoms + place_moon(), [1, 2])
        plans = {
            "one view": _full("one-view", run, deals, views=1),
            "four views": _full("four-views", run, deals),
            "settled": _full("settled", run, deals, halving=deals / 10),
            "no leaf": Plan("queen-no-leaf", "queen", leaf[False], run, [deals]),
            "leaf": Plan("queen-leaf", "queen", leaf[True], run, [deals]),
            "open": _full("open-trained", run, few, halving=few / 10),
            "closed": _full("closed-trained", run, few, **among),
            "closed rest": replace(_full("closed-rest", run, few, **among), rest=True),
            "closed moon": replace(
                _full("closed-moon", run, few, **among, rules="seed"), conjunctions=with_moon, origin={"moon": True},
                rest=True,
            ),
        }  # fmt: skip
        nets = dict(zip(plans, train_parts(shop, list(plans.values())), strict=True))
        return _compare(shop, nets, LEARNING, sizes["match"], run)

    units = run_units(shop, "other learning", sizes, _runs(shop), work)
    note = f"all pairs, {sizes['train']:,} deals, among closed players {sizes['closed']:,}"
    return Findings(claims=_compare_claims(units, LEARNING, sizes["match"], note))


def _feature_pairings() -> dict[str, Pairing]:
    found: dict[str, Pairing] = {
        "clauses": ("clauses", "pairs", FULL, 0, "ORs and negations help"),
        "growth": ("grown", "pairs", FULL, 0, "a set of equal size that grew to order four beats all pairs"),
    }
    for count in (500, 100):
        by_weight = f"{Criterion.WEIGHT}-{count}"
        found[f"all-{count}"] = ("pairs", by_weight, FULL, 0, f"all pairs play better than {count} of them by weight")
        for name in COMPARED[1:]:
            words = f"{count} pairs picked by {name} play better than {count} by weight"
            found[f"{name}-{count}"] = (f"{name}-{count}", by_weight, FULL, 0, words)
    return found


def beyond_features(shop: Workshop) -> Findings:
    """ORs and negations, sets that grow, and other criteria for selection, against all pairs and each other."""
    sizes = {"train": shop.size(50_000, 1_000), "match": shop.size(600, 6)}

    def work(shop: Workshop, run: int) -> Unit:
        deals = sizes["train"]
        falling = {"halving": deals / 10}
        plans = [_full("pairs", run, deals, **falling), _full("clauses", run, deals, clauses=True, **falling)]
        nets = dict(zip(("pairs", "clauses"), train_parts(shop, plans), strict=True))
        every = nets["pairs"]
        growth = GrowthParameters(
            order=4, size=len(every.conjunctions), stage=shop.size(4_000, 1_000), halving=deals / 10
        )
        nets["grown"] = grown_part(shop, "full-grown-same-size", growth, deals, run)
        for count in (500, 100):
            for name in COMPARED:
                chosen = Conjunctions.of(
                    best_conjunctions(every.network(), task_rules("full"), count, name, shop.size(ROUND, 200))
                )
                origin = {"chosen": name, "count": count}
                plan = replace(_full(f"by-{name}-{count}", run, deals, **falling), conjunctions=chosen, origin=origin)
                (nets[f"{name}-{count}"],) = train_parts(shop, [plan])
        return _compare(shop, nets, _feature_pairings(), sizes["match"], run)

    units = run_units(shop, "other features", sizes, _runs(shop), work)
    note = f"{sizes['train']:,} deals of self-play each"
    return Findings(claims=_compare_claims(units, _feature_pairings(), sizes["match"], note))


# --- scale ---


def scale(shop: Workshop) -> Findings:
    """Strength against deals and against the number of conjunctions, and what they cost."""
    marks = [3_000, 10_000, 30_000, 100_000, 300_000] if not shop.quick else [1_000, 2_000]
    grown = [500, 2_000, 8_000] if not shop.quick else [300]
    sizes = {"train": marks[-1], "grown": shop.size(50_000, 2_000), "match": shop.size(400, 2)}
    sets = {"pairs": ("1,2", len(marks)), "up to triples": ("1,2,3", len(marks) - 1)}

    def work(shop: Workshop, run: int) -> Unit:
        found: Unit = {"deals": {}, "grown": {}, "cost": {}}
        for label, (orders, count) in sets.items():
            parameters = TdParameters(orders=orders, halving=10_000)
            (net,) = train_parts(shop, [Plan(f"scale-{label}", "full", parameters, run, marks[:count])])
            found["deals"][label] = [
                lead(shop, net.player(at), sage(), FULL, sizes["match"], run) for at in range(count)
            ]
            found["cost"][label] = deal_cost(net, "full", TdParameters(), shop.size(300, 30))
        for size in grown:
            growth = GrowthParameters(order=6, size=size, stage=shop.size(4_000, 1_000), halving=sizes["grown"] / 10)
            net = grown_part(shop, f"scale-grown-{size}", growth, sizes["grown"], run)
            found["grown"][str(size)] = lead(shop, net.player(), sage(), FULL, sizes["match"], run)
            found["cost"][f"grown to {size:,}"] = deal_cost(net, "full", TdParameters(), shop.size(300, 30))
        return found

    units = run_units(shop, "scale", {**sizes, "grown sizes": grown}, _runs(shop), work)
    curves = [
        Curve.over_runs(label, marks[:count], [[one[0] for one in unit["deals"][label]] for unit in units])
        for label, (_, count) in sets.items()
    ]
    by_size = Curve.over_runs(f"{sizes['grown']:,} deals", grown,
                              [[unit["grown"][str(size)][0] for size in grown] for unit in units])  # fmt: skip
    levels = [("break-even", 0.0)]
    findings = Findings()
    findings.figures += [
        Figure("scale-deals", "the full game: learner minus sage", "training deals", FEWER, curves,
               log_x=True, levels=levels),
        Figure("scale-features", "the full game: learner minus sage, sets grown to order six", "conjunctions",
               FEWER, [by_size], log_x=True, levels=levels),
    ]  # fmt: skip
    rows = [[name, f"{1e6 * float(np.median(values(units, 'cost', name))):,.0f}"] for name in units[0]["cost"]]
    findings.tables.append(
        Table("Processor time of a training deal with four views, median of runs", ["set", "µs"], rows)
    )
    return findings
