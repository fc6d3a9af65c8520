"""Learning to use operational advice (Fürnkranz, Pfahringer, Kaindl & Kramer 2000): figures, table, statements.

Most claims are about V − L, the points of VOTING minus those of the learner in the same games: positive means that the
learner is better. Intervals are over independent training runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np

from heartlab.learners.advice.beyond import beyond, four_players
from heartlab.learners.advice.controls import controls, readings
from heartlab.learners.advice.overtraining import overtraining
from heartlab.learners.advice.parts import LearnerStudy, net_learner, points_text, spread, tabular_learner
from heartlab.learners.advice.runs import (
    FITTED,
    LEARNERS,
    MARGIN,
    MARK_GAMES,
    SCORING,
    SIMILAR,
    TEN,
    best_marks,
    blocks_of,
    end_games,
    end_gaps,
    end_points,
    gap_at,
    learner_units,
    mark_games,
    marks_for,
    peak_gaps,
    play_judge,
    points_behind,
    tested_curves,
)
from heartlab.reproduction.claims import (
    Claim,
    above,
    all_of,
    below,
    interval_text,
    less_claim,
    more_claim,
    same_claim,
    within,
)
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve, Experiment, Figure, Findings, Paper, Table
from heartlab.reproduction.series import run_seed, train_study
from heartlab.reproduction.units import run_units
from heartlab.util.statistics import FloatArray, estimate

PUBLISHED = ((3.86, 4.17, 6.90), (3.45, 4.36, 7.22), (3.59, 4.26, 6.97))
"""The printed tournaments: LEARNER-N, VOTING, RANDOM."""
PUBLISHED_GAP = float(np.mean([row[1] - row[0] for row in PUBLISHED]))
SPEED_RUNS = 240
SPEED_GAMES = 3_000
SOME = 0.1
"""Share of runs that makes "some", where each alone may be chance."""
CHANCE = 0.025
"""Share of runs that come out clearly worse where nothing changes: one end of an interval of 95 %."""


def _far(identity: str, statement: str, published: float | None, behind: FloatArray, n: int) -> Claim:
    """RANDOM is far behind: by a point or more."""
    found = estimate(behind)
    note = "RANDOM's points minus those of the worse of the two; far: a point or more"
    return Claim(
        identity, statement, published, found.mean, found.ci95, n, above(found.ci95, 1.0), note, found.n
    )  # fmt: skip


def _scored(claims: Sequence[Claim]) -> list[Claim]:
    """Claims with a word on how games are scored: all points depend on it."""
    return [replace(claim, note=f"{claim.note}; {SCORING}") for claim in claims]


def figure_2(shop: Workshop) -> Findings:
    """LEARNER-T trained against two RANDOM, tested with one VOTING and one RANDOM; LEARNER-N alike."""
    marks = marks_for(shop)
    tables, nets = (learner_units(shop, LEARNERS[name]) for name in ("T, RANDOM", "N, RANDOM"))
    ten = min(TEN, len(marks) - 1)
    n, n_end = mark_games(shop, tables), end_games(shop, tables)
    why = f"V − L in points per game; {FITTED}"
    last = end_gaps(tables)
    claims = [
        _far("figure-2/better-than-random", "LEARNER-T and VOTING are both far better than RANDOM", None,
             points_behind(end_points(tables)), n_end),
        more_claim("figure-2/learner-t-beats-voting", "after training LEARNER-T scores fewer points than VOTING", last,
                   n_end, f"{why}; {int((last > 0).sum())} of {len(last)} runs are ahead", margin=MARGIN),
        less_claim("figure-2/worse-at-first", "after 1,000 games LEARNER-T is still worse than VOTING",
                   gap_at(tables, 0), n, f"{why}. One block of 1,000 test games, as printed, has a standard error of "
                   "0.45", margin=MARGIN),
        more_claim("figure-2/improves-until-10000", "LEARNER-T improves steadily for some thousand games",
                   gap_at(tables, ten) - gap_at(tables, 0), n, f"gain in V − L from 1,000 to 10,000 games; {FITTED}",
                   margin=MARGIN),
        same_claim("figure-2/peak-at-10000", "the performance of LEARNER-T peaks after about 10,000 games",
                   gap_at(tables, len(marks) - 1) - gap_at(tables, ten), n,
                   f"gain in V − L from 10,000 to 100,000 games; {FITTED}", margin=0.2),
        same_claim("figure-2/net-is-similar", "the results of LEARNER-N against RANDOM are similar",
                   end_gaps(nets) - last, n_end, f"V − L of LEARNER-N minus that of LEARNER-T at the end; {FITTED}",
                   margin=SIMILAR),
        more_claim("figure-2/net-has-the-better-peak", "the peak of LEARNER-N is slightly better than LEARNER-T's",
                   peak_gaps(nets) - peak_gaps(tables), n, "difference of V − L, each run at its best mark, on games "
                   f"that did not choose it; {FITTED}", margin=MARGIN),
    ]  # fmt: skip
    rows = []
    for name, units in (("LEARNER-T", tables), ("LEARNER-N", nets)):
        for at, mark in enumerate(marks):
            points = np.mean([unit["marks"][at][:3] for unit in units], axis=0)
            rows.append([name, f"{mark:,}", points_text(points), f"{points.sum():.2f}",
                         spread(estimate(gap_at(units, at)))])  # fmt: skip
    head = ["learner", "training games", "L / V / R", "sum", "V − L [95 %] (runs)"]
    table = Table("Trained against two RANDOM", head, rows)
    curves = tested_curves(tables, ["LEARNER-T", "VOTING", "RANDOM"], (0, 1, 2))
    curves += tested_curves(nets, ["LEARNER-N"], (0,))
    figure = Figure("figure-2", "LEARNER-T and LEARNER-N, trained against two RANDOM", "training games",
                    "points per game (cumulative)", curves,
                    log_x=True)  # fmt: skip
    return Findings(_scored(claims), [table], [figure])


def figure_3(shop: Workshop) -> Findings:
    """Three LEARNER-N teach themselves; the first is tested against two VOTING. Three LEARNER-T alike."""
    nets, tables = (learner_units(shop, LEARNERS[name]) for name in ("N, self-play", "T, self-play"))
    blocks = blocks_of(nets)
    n = blocks.shape[0] * blocks.shape[1] * 1_000
    early = blocks[:, : max(1, blocks.shape[1] // 20)].mean(axis=1)
    late = blocks[:, -(blocks.shape[1] // 5 or 1) :].mean(axis=1)
    ahead_early, ahead_late = (part[:, 1:].mean(axis=1) - part[:, 0] for part in (early, late))
    half = blocks.shape[1] // 2
    wobble = blocks[:, :half, 0].std(axis=1, ddof=1) - blocks[:, half:, 0].std(axis=1, ddof=1)
    claims = [
        same_claim("figure-3/equal-at-first", "in the beginning the learner and the two VOTING are about equal",
                   ahead_early, n, "mean of the two VOTING minus the learner, first twentieth of the tests",
                   margin=SIMILAR),
        more_claim("figure-3/improves", "the learner steadily improves", ahead_late - ahead_early, n,
                   "its lead over the two VOTING, last fifth of the tests minus first twentieth", margin=MARGIN),
        more_claim("figure-3/better-in-the-end", "in the end it is better than both VOTING",
                   np.minimum(late[:, 1], late[:, 2]) - late[:, 0], n,
                   "the better VOTING minus the learner, last fifth of the tests", margin=MARGIN),
        more_claim("figure-3/variance-falls", "performance varies more during the first 50,000 games than later",
                   wobble, n, "standard deviation between test blocks of 1,000 games, first half minus second",
                   margin=0.03),
        more_claim("figure-3/seat-order", "the VOTING after the learner scores clearly worse than the one before it",
                   late[:, 1] - late[:, 2], n, "points of the one after minus the one before, last fifth of the tests",
                   margin=MARGIN),
        same_claim("figure-3/table-is-similar", "LEARNER-T in self-play gives similar results",
                   end_gaps(tables) - end_gaps(nets), end_games(shop, tables),
                   "V − L of self-trained LEARNER-T minus that of self-trained "
                   f"LEARNER-N, with one VOTING and one RANDOM; {FITTED}", margin=SIMILAR),
        more_claim("figure-3/table-beats-voting", "LEARNER-T in self-play becomes better than VOTING",
                   end_gaps(tables), end_games(shop, tables), f"V − L with one VOTING and one RANDOM; {FITTED}",
                   margin=MARGIN),
    ]  # fmt: skip
    curves = tested_curves(nets, ["LEARNER-N", "VOTING after it", "VOTING before it"], (0, 1, 2))
    curves += tested_curves(tables, ["LEARNER-T"], (0,))
    figure = Figure("figure-3", "three learners in self-play, one tested against two VOTING", "training games",
                    "points per game (cumulative)", curves)  # fmt: skip
    return Findings(_scored(claims), [], [figure])


def table_1(shop: Workshop) -> Findings:
    """Tournaments of self-trained LEARNER-N with one VOTING and one RANDOM."""
    units = learner_units(shop, LEARNERS["N, self-play"])
    points = end_points(units)
    instances = [row for unit in units for row in unit["ends"]]
    clear = [above((row[1] - row[0] - 1.96 * row[3], row[1] - row[0] + 1.96 * row[3])) for row in instances]
    n = end_games(shop, units)
    sums = estimate(points.sum(axis=1))
    claims = [
        more_claim("table-1/learner-n-beats-voting", "LEARNER-N scores fewer points than VOTING", end_gaps(units), n,
                   "V − L, printed 0.31, 0.91, 0.67; a run is the mean of its three instances",
                   margin=MARGIN, published=PUBLISHED_GAP),
        Claim("table-1/every-learner", "all learners consistently achieve better results than VOTING", "3 of 3",
              f"{clear.count('holds')} of {len(clear)}", None, n,
              all_of(clear) if "fails" in clear else "holds" if clear.count("holds") == len(clear) else "unclear",
              f"clearly worse {clear.count('fails')}, neither {clear.count('unclear')}, by the games of each",
              len(units)),
        Claim("table-1/row-sums", "the points of a game sum up to 14.82 to 15.03 on average", 14.93, sums.mean,
              sums.ci95, n, within(sums.ci95, 14.72, 15.13),
              "near: within 0.1 of the printed rows, from which the scoring was inferred", len(units)),
        _far("table-1/random-is-last", "RANDOM is far behind both",
             float(np.mean([row[2] - max(row[0], row[1]) for row in PUBLISHED])), points_behind(points), n),
    ]  # fmt: skip
    rows = [
        [f"paper {i + 1}", points_text(np.array(row)), f"{sum(row):.2f}", f"{row[1] - row[0]:.2f}"]
        for i, row in enumerate(PUBLISHED)
    ]
    gaps = sorted(row[1] - row[0] for row in instances)
    for words, place in (("worst", 0), ("median", len(gaps) // 2), ("best", -1)):
        row = next(one for one in instances if one[1] - one[0] == gaps[place])
        rows.append([f"ours, {words} of {len(gaps)}", points_text(np.array(row[:3])), f"{sum(row[:3]):.2f}",
                     f"{row[1] - row[0]:.2f}"])  # fmt: skip
    means = points.mean(axis=0)
    rows.append(["ours, mean", points_text(means), f"{means.sum():.2f}", spread(estimate(end_gaps(units)))])
    head = ["instance", "L / V / R", "sum", "V − L"]
    return Findings(_scored(claims), [Table("Tournaments of self-trained LEARNER-N", head, rows)],
                    [_instances_figure(gaps)])  # fmt: skip


def _instances_figure(gaps: Sequence[float]) -> Figure:
    """All our instances beside the three published ones."""
    shares = (np.arange(len(gaps)) + 0.5) / len(gaps)
    printed = [("published 1", 0), ("published 3", 2), ("published 2", 1)]
    levels = [(words, PUBLISHED[place][1] - PUBLISHED[place][0]) for words, place in printed]
    ours = Curve(f"ours ({len(gaps)} instances)", shares, gaps)
    return Figure("table-1", "self-trained LEARNER-N: V − L of every instance, from the worst to the best",
                  "share of instances below", "V − L, points per game", [ours],
                  levels=[("VOTING", 0.0), *levels])  # fmt: skip


def peaks(shop: Workshop) -> Findings:
    """The peaks of both learners against RANDOM, against VOTING and in self-play."""
    found = {name: learner_units(shop, learner) for name, learner in LEARNERS.items()}
    values = {name: peak_gaps(units) for name, units in found.items()}
    n = mark_games(shop, found["T, RANDOM"])
    reference = "T, RANDOM"
    claims = [
        same_claim(f"peaks/{name.replace(', ', '-').lower()}",
                   f"LEARNER-{name}: almost the same peak as LEARNER-{reference}", values[name] - values[reference], n,
                   f"difference of V − L, each run at its best mark, on games that did not choose it; {FITTED}",
                   margin=SIMILAR)
        for name in values if name != reference
    ]  # fmt: skip
    means = {name: float(one.mean()) for name, one in values.items()}
    claims.insert(
        0,
        Claim("peaks/almost-identical", "the peaks in various learning settings are almost identical", None,
              max(means.values()) - min(means.values()), None, n, all_of([claim.verdict for claim in claims]),
              f"highest minus lowest mean peak; holds if all five below do ({SIMILAR:g} of each other); {FITTED}",
              len(found[reference])),
    )  # fmt: skip
    marks = marks_for(shop)
    rows = [
        [f"LEARNER-{name}", spread(estimate(values[name])),
         f"{int(np.median([marks[mark] for mark in best_marks(units)])):,}", spread(estimate(end_gaps(units)))]
        for name, units in found.items()
    ]  # fmt: skip
    head = ["learner, trained with", "V − L at the best mark", "median best mark", "V − L at the end"]
    return Findings(_scored(claims), [Table("Peaks [95 %] (runs)", head, rows)])


def _early(shop: Workshop, partner: str) -> FloatArray:
    """V − L of LEARNER-N after little training with two of a kind."""
    games, judged = shop.size(SPEED_GAMES, 1_000), shop.size(*MARK_GAMES)
    learner = net_learner(f"N-{partner}-early", partners=f"{partner}+{partner}", test=0)

    def work(shop: Workshop, run: int) -> Unit:
        seed = run_seed(shop, run)
        trained = train_study(LearnerStudy(learner, (games,)), seed)
        return {"judged": play_judge(learner.sitter(trained["snapshots"][-1][0]), seed, "early", judged)}

    settings = {"games": games, "judged": judged, "learner": asdict(learner.settings)}
    units = run_units(shop, f"LEARNER {learner.name}", settings, shop.size(SPEED_RUNS, 3), work)
    return np.array([unit["judged"][1] - unit["judged"][0] for unit in units])


def statements(shop: Workshop) -> Findings:
    """What the text says beside figures and table."""
    speed = {partner: _early(shop, partner) for partner in ("random", "voting", "self")}
    n = len(speed["random"]) * shop.size(*MARK_GAMES)
    claims = [
        more_claim(f"statements/faster-against-random-than-{other}",
                   f"LEARNER-N learns faster against RANDOM than against {words}", speed["random"] - speed[other], n,
                   f"difference in V − L after {SPEED_GAMES:,} training games, same initial networks", margin=MARGIN)
        for other, words in (("voting", "VOTING"), ("self", "itself"))
    ]  # fmt: skip
    runs = shop.size(10, 3)
    heavy = learner_units(shop, tabular_learner("T-heaviest", choice="heaviest", test=0), runs)
    summed = learner_units(shop, LEARNERS["T, RANDOM"])[: len(heavy)]
    claims.append(
        more_claim("statements/vote-beats-heaviest-piece",
                   "voting with weights plays better than following the piece with the highest weight",
                   end_gaps(summed) - end_gaps(heavy), end_games(shop, heavy),
                   f"difference in V − L of LEARNER-T; {FITTED}", margin=MARGIN)
    )  # fmt: skip
    claims += _degradation(shop)
    rows = [[f"LEARNER-N against two {partner.upper()}", spread(estimate(values))] for partner, values in speed.items()]
    title = f"After {SPEED_GAMES:,} training games"
    return Findings(_scored(claims), [Table(title, ["learner", "V − L [95 %] (runs)"], rows)])


def _falls(units: Sequence[Unit]) -> list[bool]:
    """Whether a run is clearly worse at its end than at its best mark, on games that chose neither."""
    falls = []
    for unit, mark in zip(units, best_marks(units), strict=True):
        best, last = unit["fresh"][mark], unit["fresh"][-1]
        change = (last[1] - last[0]) - (best[1] - best[0])
        reach = 1.96 * float(np.hypot(best[3], last[3]))
        falls.append(below((change - reach, change + reach)) == "holds")
    return falls


def more_than_chance(count: int, runs: int) -> bool:
    """Whether so many runs come out clearly worse that chance is no explanation.

    >>> more_than_chance(2, 16), more_than_chance(3, 16)
    (False, True)
    """
    fewer = sum(math.comb(runs, one) * CHANCE**one * (1 - CHANCE) ** (runs - one) for one in range(count))
    return 1 - fewer < CHANCE


def _degradation(shop: Workshop) -> list[Claim]:
    """Whether learners get worse after their best mark, and who peaks first."""
    tables, nets = (learner_units(shop, LEARNERS[name]) for name in ("T, RANDOM", "N, RANDOM"))
    marks = np.log10(np.array(marks_for(shop)))
    later = marks[best_marks(nets)] - marks[best_marks(tables)]
    n = mark_games(shop, nets)
    worse = {"N": sum(_falls(nets)), "T": sum(_falls(tables))}
    some = SOME * len(nets)
    how = (
        "runs clearly worse at the end than at their best mark, by games that did not choose it; chance alone: 1 in 40"
    )
    falls = {name: more_than_chance(count, len(nets)) for name, count in worse.items()}
    return [
        more_claim("statements/table-peaks-earlier", "LEARNER-T reaches its peak much earlier than LEARNER-N", later, n,
                   f"difference of the decimal logarithms of the best marks, both against RANDOM; {FITTED}",
                   margin=0.2),
        Claim("statements/net-degrades", "in some experiments LEARNER-N gets worse after its optimum", "some",
              f"{worse['N']} of {len(nets)}", None, n, "holds" if worse["N"] > some and falls["N"] else "fails",
              f"{how}; some: more than a tenth", len(nets)),
        Claim("statements/table-does-not-degrade", "LEARNER-T never gets worse after its optimum", "0",
              f"{worse['T']} of {len(tables)}", None, n,
              "holds" if worse["T"] == 0 else "fails" if falls["T"] else "unclear",
              f"{how}; {FITTED}", len(tables)),
    ]  # fmt: skip


def what_decides(claims: Mapping[str, Claim]) -> str:
    """What the result of LEARNER-T depends on, and what learning adds to LEARNER-N."""
    ids = ("figure-2/learner-t-beats-voting", "readings/initial-value-0.5", "table-1/learner-n-beats-voting",
           "controls/training-adds-to-networks")  # fmt: skip
    if any(one not in claims for one in ids):
        return ""
    fitted, half, nets, added = (interval_text(claims[one]) for one in ids)
    return (
        f"LEARNER-T has an initial value that is not printed, on which its result depends (its lead over VOTING is "
        f"{fitted} points per game with 0.36, {half} with 0.5); LEARNER-N leads by {nets} after self-play, of which "
        f"learning adds {added} to what the same networks do untrained."
    )


PAPER = Paper(
    "advice",
    "Learning to use operational advice (Fürnkranz, Pfahringer, Kaindl & Kramer 2000)",
    (
        Experiment("figure-2", "LEARNER-T and LEARNER-N trained against two RANDOM: learning curves", figure_2),
        Experiment("figure-3", "both learners in self-play, tested against two VOTING", figure_3),
        Experiment("table-1", "tournaments of self-trained LEARNER-N with VOTING and RANDOM", table_1),
        Experiment("peaks", "the peaks of both learners with all three kinds of partners", peaks),
        Experiment("statements", "what the text says about speed, peaks, degradation and the choice rule", statements),
        Experiment("overtraining", "why LEARNER-N gets worse again", overtraining),
        Experiment("controls", "what the paper lacks: the same gain without learning?", controls),
        Experiment("readings", "other readings of the paper: initial value, credit, choice, rules", readings),
        Experiment("beyond", "more advice, and rules that learn the vote itself", beyond),
        Experiment("four-players", "the standard game with four players against gnome", four_players),
    ),
    about="The paper says that a player who learns by temporal differences which pieces of operational advice to "
    "follow beats VOTING, which follows all of them alike.",
    basis="Numbers are points per game, those of VOTING minus those of the learner (V − L: more is better for the "
    "learner) unless a row says otherwise. How games are scored, on which all of them depend, is inferred from the "
    "paper's table: J♦ counts −10, and the moon −26 for the shooter.",
    remark=what_decides,
    headline={
        "figure-2/learner-t-beats-voting": "LEARNER-T, trained against RANDOM, beats VOTING",
        "readings/initial-value-0.5": "the same with the initial value 0.5",
        "figure-2/worse-at-first": "it is still worse after 1,000 games",
        "figure-2/peak-at-10000": "it peaks after about 10,000 games (gain after that)",
        "figure-2/net-has-the-better-peak": "LEARNER-N has a slightly better peak",
        "statements/table-peaks-earlier": "LEARNER-T peaks much earlier (powers of ten)",
        "table-1/learner-n-beats-voting": "self-trained LEARNER-N beats VOTING",
        "table-1/every-learner": "all self-trained learners beat VOTING (how many)",
        "figure-3/improves": "LEARNER-N improves in self-play (gain)",
        "figure-3/seat-order": "VOTING after the learner does worse than before it",
        "figure-3/table-is-similar": "LEARNER-T in self-play is similar",
        "peaks/almost-identical": "peaks in all settings are almost identical (range)",
        "statements/net-degrades": "LEARNER-N sometimes gets worse after its peak (runs)",
        "statements/table-does-not-degrade": "LEARNER-T never does (runs)",
        "statements/faster-against-random-than-voting": "LEARNER-N learns faster against RANDOM than against VOTING",
        "statements/vote-beats-heaviest-piece": "a vote beats following the heaviest piece",
    },
    opening_figure="figure-2",
)
