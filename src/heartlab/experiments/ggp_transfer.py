"""Banerjee and Stone (2007): features of look-ahead trees carried from tic-tac-toe to other games.

What decides is when a learner knows an initial value, which the paper leaves open: so every figure is made under three
readings (literal, terminal check, look-up), and beside the paper's learners stands a control that knows ended games and
nothing else. The headline is the terminal check. Statements about order are about the mean reward over all 3,000
matches, in 200 runs with the same seeds, unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from heartlab.arena.statistics import Estimate, estimate
from heartlab.experiments.claims import Claim, Verdict, above, all_of, below, within
from heartlab.experiments.ggp_beyond import BEYOND
from heartlab.experiments.ggp_parts import (
    CONTROL,
    PAPER_RUNS,
    WINDOW_HEAD,
    Learner,
    Rewards,
    Source,
    curve,
    difference,
    mean_of,
    series,
    several,
    spread,
    window_row,
)
from heartlab.experiments.parts import Workshop
from heartlab.experiments.registry import Experiment, Figure, Findings, Paper, Table
from heartlab.ggp.discovery import STANDARD

PRINTED = {
    "{L, N{N}}": (41.08, 46.31, 51.62),
    "{L, N{W,N}, N{N}}": (43.75, 48.81, 57.55),
    "{N{D}, N{W}}": (54.36, 53.75, 54.63),
    "{N{W,N}, N{N}}": (61.5, 60.11, 59.63),
    "{L, N{W}}": (43.03, 50.41, 59.62),
    "{L}": (38.0, 43.5, 40.77),
    "{L, N{W,N}}": (40.18, 49.43, 58.16),
    "{N{D}}": (50.0, 50.0, 50.0),
    "{L, N{D}}": (44.64, 42.98, 48.93),
    "{N{W,N}}": (57.13, 58.9, 57.48),
    "{N{W}}": (58.42, 54.84, 58.28),
    "{N{W,N}, N{W}}": (63.36, 54.26, 57.45),
}
"""The paper's Table 1: the features by their shape, in the order of their letters, with the values against the three
opponents. The letters h, {c, d} and {j, k, l} are certain, the others fitted."""
LETTERS = dict(zip(PRINTED, "abcdefghijkl", strict=True))
FORKS = ("{N{W,N}}", "{N{W}}", "{N{W,N}, N{W}}")

PRINTED_VALUES = {
    opponent: {shape: row[place] for shape, row in PRINTED.items()} for place, opponent in enumerate(STANDARD)
}

READINGS = ("literal", "terminal-check", "look-up")
HEADLINE = "terminal-check"
SHORT, LONG = Source(matches=75), Source(matches=3000)

BASELINE = Learner("baseline", "baseline", "literal")
CONTROLS = dict.fromkeys(READINGS, CONTROL)
CONTROLS["literal"] = Learner("terminal-only, literal", "terminal-only", "literal")
"""The control knows when a candidate move ends the game, except under the literal reading."""


def transfer(reading: str, source: Source = SHORT, note: str = "") -> Learner:
    """The Transfer Learner under a reading."""
    return Learner(f"transfer, {reading}{note}", "transfer", reading, source)


def look_ahead(reading: str) -> Learner:
    """The learner that begins with minimax values, under a reading."""
    return Learner(f"look-ahead, {reading}", "look-ahead", reading)


# --- Table 1 ---


def table_1(shop: Workshop) -> Findings:
    """The features of tic-tac-toe and their values."""
    found = {matches: Source(matches=matches).models(shop) for matches in (75, 3000)}
    values = {
        matches: {
            shape: [
                estimate(np.array([one.features[opponent].get(shape, [np.nan])[0] for one in models]))
                for opponent in STANDARD
            ]
            for shape in PRINTED
        }
        for matches, models in found.items()
    }
    shapes = {shape for models in found.values() for one in models for name in STANDARD for shape in one.features[name]}
    claims = [
        Claim("table-1/twelve-features", "tic-tac-toe has 12 features for the player who begins", 12, len(shapes), None,
              len(found[75]), "holds" if shapes == set(PRINTED) else "fails",
              "all shapes that were visited; the enumeration of all positions in the tests gives the same 12"),
    ]  # fmt: skip
    order = _best_forks(values[75])
    errors = [
        ours.mean - published
        for shape, printed in order.items()
        for ours, published in zip(values[75][shape], PRINTED[printed], strict=True)
    ]
    rms = float(np.sqrt(np.mean(np.square(errors))))
    claims.append(
        Claim("table-1/values", "the 36 values of the table", None, rms, None, len(found[75]),
              "holds" if rms < 5 else "fails",
              "root of the mean squared difference, in points, after 75 source matches; holds: below 5. The printed "
              "values lie between 38 and 64, which fits 50 to 100 source matches; the paper does not say how many")
    )  # fmt: skip
    for name, better, worse in (("weak-above-random", "weak", "random"), ("random-above-eps", "random", "eps-greedy")):
        shape = "{L, N{W,N}}"
        gap = estimate(np.array([one.features[better][shape][0] - one.features[worse][shape][0] for one in found[75]]))
        first, second = STANDARD.index(better), STANDARD.index(worse)
        claims.append(
            Claim(f"table-1/undecidable-{name}",
                  f"the feature {shape} is worth more against the {better} opponent than against the {worse} one",
                  PRINTED[shape][first] - PRINTED[shape][second], gap.mean, gap.ci95, gap.n,
                  above(gap.ci95), "difference in points over independent models; the paper's feature (g)")
        )  # fmt: skip
    rows = []
    for shape, letter in LETTERS.items():
        cells = [LETTERS[order[shape]] if shape in FORKS else letter, shape]
        for place, printed_value in enumerate(PRINTED[order[shape]]):
            short, long = (values[matches][shape][place].mean for matches in (75, 3000))
            cells.append(f"{printed_value:.1f} / {short:.1f} / {long:.1f}")
        rows.append(cells)
    head = ["letter", "shape", *(f"{opponent}: printed / ours 75 / ours 3,000" for opponent in STANDARD)]
    notes = [
        "W won, L lost, D drawn, N goes on, for the learner; the outer set is the opponent's moves, the inner ones our "
        "replies. Which of the three forks is j, k and l is not printed; the best assignment is shown.",
        f"Means over {len(found[75])} models of 10 runs each, of 75 and of 3,000 matches. After 3,000 matches values "
        "spread much further than the printed ones.",
    ]
    return Findings(claims, [Table("Values of the features", head, rows)], notes=notes)


def _best_forks(values: Mapping[str, Sequence[Estimate]]) -> dict[str, str]:
    """Each shape with the shape whose printed values are its own, the three forks assigned as they fit best."""

    def error(order: Sequence[str]) -> float:
        return sum(
            (values[shape][place].mean - PRINTED[other][place]) ** 2
            for shape, other in zip(FORKS, order, strict=True)
            for place in range(3)
        )

    best = min(permutations(FORKS), key=error)
    return {**{shape: shape for shape in PRINTED}, **dict(zip(FORKS, best, strict=True))}


# --- Figures 3 to 7 ---

FIGURES = {
    "figure-3": ("connect3", "eps-greedy"),
    "figure-4": ("othello4", "eps-greedy"),
    "figure-5": ("capturego", "eps-greedy"),
    "figure-6": ("othello4", "weak"),
    "figure-7": ("othello4", "random"),
}


def _claim(identity: str, statement: str, value: Estimate, verdict: Verdict, note: str) -> Claim:
    return Claim(identity, statement, None, value.mean, value.ci95, value.n, verdict, note)


def _order_claim(identity: str, statement: str, one: Rewards, other: Rewards, note: str = "") -> Claim:
    """A claim that one learner earns more than another over all matches."""
    gap, early = difference(one, other), difference(one, other, 1, 300)
    told = f"mean reward per match over all matches, paired by run; matches 1–300: {spread(early, True)}"
    return _claim(identity, statement, gap, above(gap.ci95), f"{told}{'; ' if note else ''}{note}")


def _suffix(reading: str) -> str:
    return "" if reading == HEADLINE else f"-{reading}"


def _figure(shop: Workshop, name: str) -> Findings:
    """One figure of the paper, under all readings."""
    game, opponent = FIGURES[name]
    shown_baseline = opponent == "eps-greedy"
    learners = {"baseline": BASELINE}
    for reading in READINGS:
        learners |= {f"control {reading}": CONTROLS[reading], f"transfer {reading}": transfer(reading)}
        learners[f"search {reading}"] = look_ahead(reading)
    found = several(shop, game, opponent, learners)
    baseline = found["baseline"]
    controls, transfers, searches = (
        {reading: found[f"{kind} {reading}"] for reading in READINGS} for kind in ("control", "transfer", "search")
    )
    control = controls[HEADLINE]
    findings = Findings()
    for reading in READINGS:
        ours, search, end = transfers[reading], searches[reading], _suffix(reading)
        told = f"reading: {reading}"
        if shown_baseline:
            findings.claims += [
                _order_claim(f"{name}/transfer-beats-baseline{end}", "transfer learns faster than the baseline", ours,
                             baseline, told),
                _order_claim(f"{name}/look-ahead-beats-transfer{end}",
                             "minimax look-ahead is at least as good as transfer", search, ours,
                             f"{told}; an interval around zero is compatible with “at least”"),
            ]  # fmt: skip
        else:
            findings.claims.append(
                _order_claim(f"{name}/transfer-beats-look-ahead{end}", "transfer learns faster than minimax look-ahead",
                             ours, search, told)
            )  # fmt: skip
        findings.claims.append(
            _order_claim(f"{name}/features-add{end}", "(control) transfer is better than a learner that only knows "
                         "ended games", ours, controls[reading], told)
        )  # fmt: skip
    findings.claims += _speed_claims(name, game, transfers) if shown_baseline else []
    if name == "figure-4":
        findings.claims.append(_convergence(baseline))
    if name == "figure-7":
        findings.claims.append(_slower(baseline, series(shop, game, "eps-greedy", BASELINE)))
    findings.tables.append(_window_table(game, opponent, baseline, controls, transfers, searches))
    first = min(PAPER_RUNS, len(baseline))
    headline = {"transfer": transfers[HEADLINE], "look-ahead": searches[HEADLINE]}
    printed = {**headline, **({"baseline": baseline} if shown_baseline else {})}
    title = f"{game} against {opponent}"
    findings.figures = [
        Figure(name, f"{title}: as the paper shows it (terminal check)", "match", "average reward since match 1",
               [curve(label, rewards[:first]) for label, rewards in printed.items()]),
        Figure(f"{name}-readings", f"{title}: three readings and the control", "match", "average reward since match 1",
               [curve("baseline", baseline), curve("terminal-only", control)]
               + [curve(f"transfer, {reading}", transfers[reading]) for reading in READINGS]
               + [curve(f"look-ahead, {reading}", searches[reading]) for reading in READINGS]),
        Figure(f"{name}-from-301", f"{title}: averages that begin at match 301", "match",
               "average reward since match 301",
               [curve(label, rewards, average_from=301, start=351)
                for label, rewards in {**printed, "terminal-only": control}.items()]),
    ]  # fmt: skip
    return findings


def _window_table(
    game: str, opponent: str, baseline: Rewards, controls: Mapping[str, Rewards], transfers: Mapping[str, Rewards],
    searches: Mapping[str, Rewards],
) -> Table:  # fmt: skip
    control = controls[HEADLINE]
    rows = [window_row("baseline", baseline, [baseline, control])]
    rows.append(window_row("terminal-only, literal", controls["literal"], [baseline, control]))
    rows.append(window_row("terminal-only (control)", control, [baseline, control]))
    for reading in READINGS:
        rows.append(window_row(f"transfer, {reading}", transfers[reading], [baseline, control]))
        rows.append(window_row(f"look-ahead, {reading}", searches[reading], [baseline, control]))
    head = [*WINDOW_HEAD, "minus baseline", "minus terminal-only"]
    return Table(f"{game} against {opponent}: mean reward ± 95 %, {len(baseline)} runs", head, rows)


def _speed_claims(name: str, game: str, transfers: Mapping[str, Rewards]) -> list[Claim]:
    """Whether the 95 % level is passed in under 100 matches."""
    claims = []
    for reading in READINGS:
        level = mean_of(transfers[reading], 51, 100)
        claims.append(
            Claim(f"{name}/95-in-100-matches{_suffix(reading)}", "learners pass the 95 % level in under 100 matches",
                  95.0, level.mean, level.ci95, level.n, above(level.ci95, 95.0),
                  f"mean reward of transfer over matches 51–100 in {game}; reading: {reading}")
        )  # fmt: skip
    return claims


def _convergence(baseline: Rewards) -> Claim:
    matches = baseline.shape[1]
    sixth = matches // 6
    late = estimate(
        baseline[:, 5 * sixth :].mean(axis=1, dtype=float)
        - baseline[:, 4 * sixth : 5 * sixth].mean(axis=1, dtype=float)
    )
    note = "baseline: reward in the last sixth of the matches (2,501–3,000) minus that in the sixth before"
    return _claim(
        "figure-4/not-converged", "after 3,000 matches Othello is not learned yet", late, above(late.ci95), note
    )


def _slower(random: Rewards, greedy: Rewards) -> Claim:
    gap = estimate(random.mean(axis=1, dtype=float) - greedy.mean(axis=1, dtype=float))
    note = "baseline in Othello: mean reward against random minus that against eps-greedy; slower would be below zero"
    return _claim("figure-7/random-is-slower", "learning is much slower against a random opponent", gap,
                  below(gap.ci95), note)  # fmt: skip


# --- what the figures depend on ---


def sources(shop: Workshop) -> Findings:
    """Other source values: 3,000 matches of tic-tac-toe, and the printed table."""
    findings, rows = Findings(), []
    for name, (game, opponent) in FIGURES.items():
        control = series(shop, game, opponent, CONTROL)
        for reading in READINGS:
            search = series(shop, game, opponent, look_ahead(reading))
            long = series(shop, game, opponent, transfer(reading, LONG, ", 3000"))
            rows.append(_source_row(name, game, opponent, "3,000 matches", reading, long, search, control))
            if reading == HEADLINE:
                printed = Learner(f"transfer, {reading}, printed", "transfer", reading, printed=PRINTED_VALUES)
                values = series(shop, game, opponent, printed)
                rows.append(_source_row(name, game, opponent, "printed values", reading, values, search, control))
                if opponent != "eps-greedy":
                    findings.claims.append(
                        _order_claim(f"sources/{name}-3000-matches", "with values from 3,000 source matches transfer "
                                     f"learns faster than look-ahead in {game} against {opponent}", long, search,
                                     f"reading: {reading}")
                    )  # fmt: skip
    head = ["figure", "game", "opponent", "source", "reading", "average at 3,000", "minus look-ahead",
            "the same, 1–300", "minus terminal-only"]  # fmt: skip
    findings.tables.append(Table("Transfer with other source values", head, rows))
    return findings


def _source_row(
    name: str, game: str, opponent: str, source: str, reading: str, ours: Rewards, search: Rewards, control: Rewards
) -> list[str]:
    gaps = [difference(ours, search), difference(ours, search, 1, 300), difference(ours, control)]
    return [name, game, opponent, source, reading, spread(mean_of(ours)), *(spread(gap, True) for gap in gaps)]


def blocking(shop: Workshop) -> Findings:
    """An opponent that looks two plies ahead, with look-up: the second configuration of the figures."""
    findings, rows = Findings(), []
    source = Source(opponents=("blocking",))
    for name in ("figure-3", "figure-4", "figure-5"):
        game = FIGURES[name][0]
        found = {
            "baseline": series(shop, game, "blocking", BASELINE),
            "terminal-only": series(shop, game, "blocking", CONTROL),
            "transfer": series(shop, game, "blocking", transfer("look-up", source)),
            "look-ahead": series(shop, game, "blocking", look_ahead("look-up")),
        }
        for first, second in (("transfer", "baseline"), ("look-ahead", "transfer"), ("transfer", "terminal-only")):
            findings.claims.append(
                _order_claim(f"blocking/{game}-{first}-beats-{second}", f"{first} is better than {second} in {game} "
                             "against an opponent that does not leave us a win", found[first], found[second],
                             "reading: look-up")
            )  # fmt: skip
        for label, rewards in found.items():
            rows.append([game, *window_row(label, rewards)])
    findings.tables.append(Table("Against the blocking opponent", ["game", *WINDOW_HEAD], rows))
    return findings


def other_games(shop: Workshop) -> Findings:
    """Figures 6 and 7 where the features occur: weak and random opponents in Connect-3 and CaptureGo."""
    findings, rows = Findings(), []
    for game in ("connect3", "capturego"):
        for opponent in ("weak", "random"):
            control = series(shop, game, opponent, CONTROL)
            verdicts: list[Verdict] = []
            for reading in READINGS:
                ours = series(shop, game, opponent, transfer(reading))
                search = series(shop, game, opponent, look_ahead(reading))
                claim = _order_claim(
                    f"other-games/{game}-{opponent}{_suffix(reading)}",
                    f"transfer learns faster than look-ahead in {game} against {opponent}", ours, search,
                    f"reading: {reading}",
                )  # fmt: skip
                verdicts.append(claim.verdict)
                findings.claims.append(claim)
                rows.append([game, opponent, reading, spread(mean_of(ours)), spread(mean_of(search)),
                             spread(difference(ours, search), True),
                             spread(difference(ours, control), True)])  # fmt: skip
    head = ["game", "opponent", "reading", "transfer", "look-ahead", "difference", "transfer minus terminal-only"]
    findings.tables.append(Table("Average at 3,000", head, rows))
    return findings


def summary(shop: Workshop) -> Findings:
    """What the features add, in one table and in plain words."""
    findings, rows = Findings(), []
    gains: dict[str, list[Estimate]] = {reading: [] for reading in READINGS}
    for name, (game, opponent) in FIGURES.items():
        for reading in READINGS:
            control = series(shop, game, opponent, CONTROLS[reading])
            gains[reading].append(difference(series(shop, game, opponent, transfer(reading)), control))
        cells = [spread(gains[reading][-1], True) for reading in READINGS]
        rows.append([name, game, opponent, *cells])
    head = ["figure", "game", "opponent", *READINGS]
    findings.tables.append(Table("Transfer minus terminal-only, average at 3,000", head, rows))
    look_up, check = gains["look-up"], gains[HEADLINE]
    findings.claims = [
        Claim("summary/features-add-under-look-up", "(control) in all five figures the features add to knowing ended "
              "games, if they are looked up for every candidate move", None, min(gain.mean for gain in look_up),
              _widest(look_up), look_up[0].n, all_of([above(gain.ci95) for gain in look_up]),
              "the smallest of five gains, with the interval that covers all five"),
        Claim("summary/features-add-under-terminal-check", "(control) in all five figures the features add half a "
              "point or more to knowing ended games, under the terminal check", None, max(gain.mean for gain in check),
              _widest(check), check[0].n, all_of([above(gain.ci95, 0.5) for gain in check]),
              "the largest of five gains, with the interval that covers all five; within half a point is nothing"),
        Claim("summary/terminal-check-is-the-gain", "(control) under the terminal check what transfer adds to the "
              "control is within one point of nothing, in all five figures", None,
              max(abs(gain.mean) for gain in check), _widest(check), check[0].n,
              all_of([within(gain.ci95, -1.0, 1.0) for gain in check]),
              "so the order of the paper's figures is the work of recognising ended games"),
    ]  # fmt: skip
    findings.notes = [
        "**What the features add, plainly.** Under the terminal check transfer beats the baseline by several points "
        "where games end soon (Connect-3, CaptureGo), but a control without any features does the same: that gain is "
        "the recognition of moves that end the game, and the features add next to nothing. In Othello nobody gains "
        "anything to speak of. Only if the features are looked up for every candidate move, before it was ever played, "
        "do they add something of their own, in every figure.",
    ]
    return findings


def _widest(values: Sequence[Estimate]) -> tuple[float, float]:
    return min(value.ci95[0] for value in values), max(value.ci95[1] for value in values)


SUMMARIES = {
    "figure-3": "Connect-3 5x5 against eps-greedy",
    "figure-4": "Othello 4x4 against eps-greedy",
    "figure-5": "CaptureGo 3x3 against eps-greedy",
    "figure-6": "Othello 4x4 against weak",
    "figure-7": "Othello 4x4 against random",
}


def _figure_experiment(name: str) -> Experiment:
    return Experiment(name, SUMMARIES[name], lambda shop: _figure(shop, name))


PAPER = Paper(
    "ggp-transfer",
    "Banerjee & Stone 2007: general game learning using knowledge transfer",
    [
        Experiment("table-1", "the 12 features of tic-tac-toe and their values against three opponents", table_1),
        *(_figure_experiment(name) for name in FIGURES),
        Experiment("summary", "what the features add to knowing ended games", summary),
        Experiment("sources", "transfer with other source values", sources),
        Experiment("blocking", "an opponent that looks two plies ahead", blocking),
        Experiment("other-games", "weak and random opponents in Connect-3 and CaptureGo", other_games),
        *BEYOND,
    ],
)
