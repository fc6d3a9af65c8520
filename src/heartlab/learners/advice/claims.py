"""Learning to use operational advice (Fürnkranz, Pfahringer, Kaindl & Kramer 2000): figures, table, statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from heartlab.learners.advice.beyond import beyond, four_players
from heartlab.learners.advice.controls import controls, difference, readings
from heartlab.learners.advice.parts import (
    GAMES,
    MARK_GAMES,
    Learner,
    Scores,
    gaps,
    judge_runs,
    learning_curves,
    marks_of,
    mean_points,
    net_learner,
    points_text,
    spread,
    tabular_learner,
    tournaments,
    train_learner,
)
from heartlab.reproduction.claims import Claim, above, all_of, below, within
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Figure, Findings, Paper, Table
from heartlab.util.bundle import Arrays
from heartlab.util.statistics import Estimate, FloatArray, estimate

PUBLISHED = ((3.86, 4.17, 6.90), (3.45, 4.36, 7.22), (3.59, 4.26, 6.97))
"""The printed tournaments: LEARNER-N, VOTING, RANDOM."""
PUBLISHED_GAP = float(np.mean([row[1] - row[0] for row in PUBLISHED]))
RUNS, NET_RUNS, SPEED_RUNS = 10, 10, 30
SOME = 2
"""Runs of ten that make "some", where each alone may be chance."""


def _interval(value: Estimate) -> tuple[float, float]:
    return value.ci95


def figure_2(workshop: Workshop) -> Findings:
    """LEARNER-T trained against two RANDOM, tested with one VOTING and one RANDOM; LEARNER-N alike."""
    marks, runs = marks_of(workshop), workshop.size(RUNS, 3)
    tables, nets = tabular_learner("T"), net_learner("N-random", partners="random+random", testers="voting+random")
    trained = {learner.name: train_learner(workshop, learner, runs, marks) for learner in (tables, nets)}
    scores = {
        learner.name: [judge_runs(workshop, learner, trained[learner.name], mark) for mark in range(len(marks))]
        for learner in (tables, nets)
    }
    by_mark = {name: [gaps(one) for one in found] for name, found in scores.items()}
    first, last = by_mark["T"][0], by_mark["T"][-1]
    n, test = runs, scores["T"][-1][0].gap.n
    at_ten = marks.index(10_000) if 10_000 in marks else len(marks) - 1
    peak = _paired(scores["T"][at_ten], scores["T"][0])
    after = _paired(scores["T"][-1], scores["T"][at_ten])
    at_last = _paired(scores["N-random"][-1], scores["T"][-1])
    ahead = [one.gap.mean for one in scores["T"][-1]]
    random_gap = estimate(np.array([one.means[2] - max(one.means[0], one.means[1]) for one in scores["T"][-1]]))
    at_peak = {
        learner.name: _judge_peaks(workshop, learner, trained[learner.name], scores[learner.name])
        for learner in (tables, nets)
    }
    peaks = _paired(at_peak["N-random"], at_peak["T"])
    how = f"V − L in points per game, {n} training runs, {test:,} test games each"
    claims = [
        Claim(
            "figure-2/better-than-random",
            "LEARNER-T and VOTING are both far better than RANDOM",
            None,
            random_gap.mean,
            _interval(random_gap),
            n,
            above(_interval(random_gap), 1.0),
            "RANDOM's points minus those of the worse of the two, after training; far: by a point or more",
        ),
        Claim(
            "figure-2/learner-t-beats-voting",
            "after training LEARNER-T scores fewer points than VOTING",
            None,
            last.mean,
            _interval(last),
            n,
            above(_interval(last)),
            f"{how}; {sum(value > 0 for value in ahead)} of {n} runs are ahead; for LEARNER-N {PUBLISHED_GAP:.2f} is "
            "published",
        ),
        Claim(
            "figure-2/worse-at-first",
            "after 1,000 games LEARNER-T is still slightly worse than VOTING",
            None,
            first.mean,
            _interval(first),
            n,
            below(_interval(first)),
            f"V − L, {scores['T'][0][0].gap.n:,} test games for each of {n} runs. One block of 1,000 test games has a "
            "standard error of about 0.45, so the printed first point "
            "is no evidence either way",
        ),
        Claim(
            "figure-2/improves-until-10000",
            "LEARNER-T improves steadily for some thousand games",
            None,
            peak.mean,
            _interval(peak),
            n,
            above(_interval(peak)),
            "gain in V − L from 1,000 to 10,000 training games, paired by run",
        ),
        Claim(
            "figure-2/peak-at-10000",
            "the performance of LEARNER-T peaks after about 10,000 games",
            None,
            after.mean,
            _interval(after),
            n,
            within(_interval(after), -0.2, 0.2),
            "gain in V − L from 10,000 to 100,000 training games, paired by run; a peak means none to speak of (0.2)",
        ),
        Claim(
            "figure-2/net-has-the-better-peak",
            "the peak of LEARNER-N is slightly better than that of LEARNER-T",
            None,
            peaks.mean,
            _interval(peaks),
            n,
            above(_interval(peaks)),
            "V − L of LEARNER-N minus that of LEARNER-T, both trained against RANDOM, each run at its own best mark of "
            f"the table, on {at_peak['T'][0].gap.n:,} fresh games, paired by run: {spread(gaps(at_peak['N-random']))} "
            f"against {spread(gaps(at_peak['T']))}; at the last mark {spread(at_last)}",
        ),
    ]
    rows = [
        [
            name,
            f"{mark:,}",
            points_text(mean_points(scores[name][i])),
            f"{mean_points(scores[name][i]).sum():.2f}",
            spread(by_mark[name][i]),
        ]
        for name in scores
        for i, mark in enumerate(marks)
    ]
    table = Table(
        f"Trained against two RANDOM ({test:,} test games per run at the last mark, {MARK_GAMES:,} before)",
        ["learner", "training games", "L / V / R", "sum", "V − L [95 %] (runs)"],
        rows,
    )
    curves = learning_curves(trained["T"], ["LEARNER-T", "VOTING", "RANDOM"])
    curves += learning_curves(trained["N-random"], ["LEARNER-N", "VOTING beside N", "RANDOM beside N"])[:1]
    figure = Figure(
        "figure-2", "Trained against two RANDOM", "training games", "points per game (cumulative)", curves, log_x=True
    )
    return Findings(claims, [table], [figure])


def _judge_peaks(
    workshop: Workshop, learner: Learner, runs: Sequence[Arrays], scores: Sequence[Sequence[Scores]]
) -> list[Scores]:
    """Tournaments of every run at its best mark; the games that chose the mark do not count, since luck chose, too."""
    best = np.array([[one.gap.mean for one in found] for found in scores]).argmax(axis=0)
    players = [learner.sitter(run["snapshots"][mark][0]) for run, mark in zip(runs, best, strict=True)]
    return tournaments(
        workshop,
        f"{learner.name} peak",
        players,
        games=workshop.size(MARK_GAMES, 2_000),
        settings=[asdict(learner.settings), len(runs), best.tolist()],
    )


def _paired(first: Sequence[Scores], second: Sequence[Scores]) -> Estimate:
    """Differences in V − L between two marks of the same runs."""
    return estimate(np.array([a.gap.mean - b.gap.mean for a, b in zip(first, second, strict=True)]))


def figure_3(workshop: Workshop) -> Findings:
    """Three LEARNER-N teach themselves; the first is tested against two VOTING."""
    marks, runs = marks_of(workshop), workshop.size(NET_RUNS, 3)
    trained = train_learner(workshop, net_learner("N-self"), runs, marks)
    curves = np.stack([run["curve"] for run in trained])
    blocks = _blocks(curves)
    early, late = (
        blocks[:, : max(1, blocks.shape[1] // 20)].mean(axis=1),
        blocks[:, -(blocks.shape[1] // 5 or 1) :].mean(axis=1),
    )
    gain_early = estimate(early[:, 1:].mean(axis=1) - early[:, 0])
    gain_late = estimate(late[:, 1:].mean(axis=1) - late[:, 0])
    improved = estimate((late[:, 1:].mean(axis=1) - late[:, 0]) - (early[:, 1:].mean(axis=1) - early[:, 0]))
    ahead_of = [estimate(late[:, seat] - late[:, 0]) for seat in (1, 2)]
    order = estimate(late[:, 1] - late[:, 2])
    half = blocks.shape[1] // 2
    wobble = estimate(blocks[:, :half, 0].std(axis=1, ddof=1) - blocks[:, half:, 0].std(axis=1, ddof=1))
    n = runs
    claims = [
        Claim(
            "figure-3/equal-at-first",
            "in the beginning the learner and the two VOTING are about equal",
            None,
            gain_early.mean,
            _interval(gain_early),
            n,
            within(_interval(gain_early), -0.3, 0.3),
            "mean of the two VOTING minus the learner over the first twentieth of the tests; equal: within 0.3",
        ),
        Claim(
            "figure-3/better-in-the-end",
            "the learner improves until it is better than both VOTING",
            None,
            gain_late.mean,
            _interval(gain_late),
            n,
            all_of([above(_interval(one)) for one in (improved, *ahead_of)]),
            "mean of the two VOTING minus the learner over the last fifth of the tests; each of them: "
            f"{spread(ahead_of[0])}, {spread(ahead_of[1])}; more than in the first twentieth: {spread(improved)}",
        ),
        Claim(
            "figure-3/variance-falls",
            "performance varies more during the first 50,000 games than later",
            None,
            wobble.mean,
            _interval(wobble),
            n,
            above(_interval(wobble)),
            "standard deviation between test blocks of 1,000 games, first half of the run minus second half",
        ),
        Claim(
            "figure-3/seat-order",
            "the VOTING that plays after the learner scores clearly worse than the one before it",
            None,
            order.mean,
            _interval(order),
            n,
            above(_interval(order)),
            "points of the one after minus points of the one before, last fifth of the tests; per run from "
            f"{float((late[:, 1] - late[:, 2]).min()):.2f} to {float((late[:, 1] - late[:, 2]).max()):.2f}",
        ),
    ]
    figure = Figure(
        "figure-3",
        "Three LEARNER-N in self-play, one tested against two VOTING",
        "training games",
        "points per game (cumulative)",
        learning_curves(trained, ["LEARNER-N", "VOTING after it", "VOTING before it"]),
    )
    return Findings(claims, [], [figure])


def _blocks(curves: FloatArray) -> FloatArray:
    """The points of each test block from cumulative averages, [runs, blocks, seats]."""
    counts = np.arange(1, curves.shape[1] + 1)[None, :, None]
    sums = curves * counts
    return np.asarray(np.diff(sums, axis=1, prepend=0.0))


def table_1(workshop: Workshop) -> Findings:
    """Tournaments of self-trained LEARNER-N with one VOTING and one RANDOM."""
    marks, runs = marks_of(workshop), workshop.size(NET_RUNS, 3)
    learner = net_learner("N-self")
    trained = train_learner(workshop, learner, runs, marks)
    scores = judge_runs(workshop, learner, trained, len(marks) - 1)
    gap = gaps(scores)
    sums = estimate(np.array([one.means.sum() for one in scores]))
    clear = [above(one.gap.ci95) for one in scores]
    random_gap = estimate(np.array([one.means[2] - max(one.means[0], one.means[1]) for one in scores]))
    n = len(scores)
    means = mean_points(scores)
    claims = [
        Claim(
            "table-1/learner-n-beats-voting",
            "LEARNER-N scores fewer points than VOTING",
            PUBLISHED_GAP,
            gap.mean,
            _interval(gap),
            n,
            above(_interval(gap)),
            f"V − L over {n} instances of {runs} self-play runs, {scores[0].gap.n:,} games each; printed are 0.31, "
            "0.91, 0.67",
        ),
        Claim(
            "table-1/every-learner",
            "all learners consistently achieve better results than VOTING",
            "3 of 3",
            f"{clear.count('holds')} of {n}",
            None,
            n,
            all_of(clear) if "fails" in clear else "holds" if clear.count("holds") == n else "unclear",
            f"clearly better {clear.count('holds')}, clearly worse {clear.count('fails')}, neither "
            f"{clear.count('unclear')}; an instance counts as clear if the interval of its own games excludes zero",
        ),
        Claim(
            "table-1/row-sums",
            "the points of a game sum up to 14.82 to 15.03 on average",
            14.93,
            sums.mean,
            _interval(sums),
            n,
            within(_interval(sums), 14.72, 15.13),
            "near: within 0.1 of the printed rows; decides between readings of the scoring",
        ),
        Claim(
            "table-1/random-is-last",
            "RANDOM is far behind both",
            float(np.mean([row[2] - max(row[0], row[1]) for row in PUBLISHED])),
            random_gap.mean,
            _interval(random_gap),
            n,
            above(_interval(random_gap), 1.0),
            "RANDOM's points minus those of the worse of the two; far: by a point or more",
        ),
    ]
    rows = [
        [f"paper {i + 1}", points_text(np.array(row)), f"{sum(row):.2f}", f"{row[1] - row[0]:.2f}"]
        for i, row in enumerate(PUBLISHED)
    ]
    rows += [
        [
            f"run {i // 3 + 1}, instance {i % 3 + 1}",
            points_text(one.means),
            f"{one.means.sum():.2f}",
            f"{one.gap.mean:.2f} ± {one.gap.ci95[1] - one.gap.mean:.2f}",
        ]
        for i, one in enumerate(scores)
    ]
    rows.append(["mean of ours", points_text(means), f"{means.sum():.2f}", spread(gap)])
    return Findings(claims, [Table(f"Tournaments of {GAMES:,} games", ["instance", "L / V / R", "sum", "V − L"], rows)])


def statements(workshop: Workshop) -> Findings:
    """What the text says beside figures and table."""
    marks, runs = marks_of(workshop), workshop.size(SPEED_RUNS, 3)
    early = marks_of(workshop, 3_000)
    claims, rows = [], []
    speed = {}
    for partner in ("random", "voting", "self"):
        learner = net_learner(f"N-{partner}-early", partners=f"{partner}+{partner}", test=0)
        trained = train_learner(workshop, learner, runs, early)
        players = [learner.sitter(run["snapshots"][-1][0]) for run in trained]
        judged = tournaments(
            workshop,
            f"{learner.name} judged",
            players,
            games=workshop.size(20_000, 2_000),
            settings=[partner, runs, list(early)],
        )
        speed[partner] = [one.gap.mean for one in judged]
        rows.append([f"LEARNER-N against two {partner.upper()}", f"{early[-1]:,}", spread(gaps(judged))])
    for other in ("voting", "self"):
        ahead = estimate(np.array(speed["random"]) - np.array(speed[other]))
        claims.append(
            Claim(
                f"statements/faster-against-random-than-{other}",
                f"LEARNER-N learns faster against RANDOM than against {'VOTING' if other == 'voting' else 'itself'}",
                None,
                ahead.mean,
                _interval(ahead),
                runs,
                above(_interval(ahead)),
                f"difference in V − L after {early[-1]:,} training games, same initial networks",
            )
        )
    heavy = tabular_learner("T-heaviest", choice="heaviest", test=0)
    summed = tabular_learner("T-still", test=0)
    count, ten = workshop.size(RUNS, 3), marks_of(workshop, 10_000)
    found = {
        learner.name: judge_runs(workshop, learner, train_learner(workshop, learner, count, ten), len(ten) - 1)
        for learner in (heavy, summed)
    }
    better = _paired(found["T-still"], found["T-heaviest"])
    claims.append(
        Claim(
            "statements/vote-beats-heaviest-piece",
            "voting with weights plays better than following the piece with the highest weight",
            None,
            better.mean,
            _interval(better),
            count,
            above(_interval(better)),
            f"difference in V − L of LEARNER-T after {ten[-1]:,} games, paired by seed; heaviest alone: "
            f"{spread(gaps(found['T-heaviest']))}",
        )
    )
    claims += _degradation(workshop, marks)
    table = Table("After little training", ["learner", "training games", "V − L [95 %] (runs)"], rows)
    return Findings(claims, [table])


def _degradation(workshop: Workshop, marks: tuple[int, ...]) -> list[Claim]:
    """Whether learners get worse after their best mark, and who peaks first."""
    count = workshop.size(RUNS, 3)
    falls, peaks = {}, {}
    for learner in (
        tabular_learner("T"),
        net_learner("N-random", partners="random+random", testers="voting+random"),
    ):
        trained = train_learner(workshop, learner, count, marks)
        judged = [judge_runs(workshop, learner, trained, mark) for mark in range(len(marks))]
        table = np.array([[one.gap.mean for one in scores] for scores in judged])
        falls[learner.name] = [difference(b.gap, a.gap) for a, b in zip(judged[-2], judged[-1], strict=True)]
        peaks[learner.name] = estimate(np.log10(np.array(marks)[table.argmax(axis=0)]))
    later = difference(peaks["N-random"], peaks["T"])
    clear = {name: sum(below(one.ci95) == "holds" for one in found) for name, found in falls.items()}
    means = {name: np.mean([one.mean for one in found]) for name, found in falls.items()}
    return [
        Claim(
            "statements/table-peaks-earlier",
            "LEARNER-T reaches its peak much earlier than LEARNER-N",
            None,
            later.mean,
            _interval(later),
            count,
            above(_interval(later)),
            "difference of the decimal logarithms of the training games at the best mark; both against RANDOM",
        ),
        Claim(
            "statements/net-degrades",
            "in some experiments LEARNER-N gets worse after its optimum",
            "some",
            f"{clear['N-random']} of {count}",
            None,
            count,
            "holds" if clear["N-random"] >= SOME else "fails",
            "runs that are clearly worse at the last mark than at the one before, by the intervals of their own games; "
            f"{SOME} or more hold, since one in forty would by chance; mean change {means['N-random']:+.2f}",
        ),
        Claim(
            "statements/table-does-not-degrade",
            "LEARNER-T never gets worse after its optimum",
            "0",
            f"{clear['T']} of {count}",
            None,
            count,
            "holds" if clear["T"] == 0 else "unclear" if clear["T"] < SOME else "fails",
            "runs that are clearly worse at the last mark than at the one before, by the intervals of their own games; "
            f"mean change {means['T']:+.2f}",
        ),
    ]


PAPER = Paper(
    "advice",
    "Learning to use operational advice (Fürnkranz, Pfahringer, Kaindl & Kramer 2000)",
    (
        Experiment("figure-2", "LEARNER-T and LEARNER-N trained against two RANDOM: learning curves.", figure_2),
        Experiment("figure-3", "LEARNER-N in self-play, tested against two VOTING.", figure_3),
        Experiment("table-1", "Tournaments of self-trained LEARNER-N with VOTING and RANDOM.", table_1),
        Experiment("statements", "What the text says about speed, peaks, degradation and the choice rule.", statements),
        Experiment("controls", "What the paper lacks: the same gain without learning?", controls),
        Experiment("readings", "Other readings of the paper: initial value, credit, choice, rules.", readings),
        Experiment("beyond", "More advice, and rules that learn the vote itself.", beyond),
        Experiment("four-players", "The standard game with four players against gnome.", four_players),
    ),
    about="The paper says that a player who learns by temporal differences which pieces of operational advice to "
    "follow beats VOTING, which follows all of them alike.",
    opening_figure="figure-3",
)
