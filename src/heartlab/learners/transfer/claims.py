"""Banerjee and Stone (2007): features of look-ahead trees carried from tic-tac-toe to other games.

Results depend most on when a learner knows an initial value, which the paper leaves open. So every figure is made under
three readings (literal, terminal check, look-up), and beside the paper's learners there is a control that knows ended
games and nothing else. The headline is the terminal check. Statements about order are about the mean reward over all
3,000 matches, in 200 runs with the same seeds, unless they say otherwise.

The paper's claims are judged under the headline; the same under another reading is `readings/...`, what it did not
compare is `control/...`, and what lies beyond it is `beyond/...`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heartlab.learners.transfer.beyond import BEYOND
from heartlab.learners.transfer.series import (
    BASELINE,
    FIGURES,
    HEADLINE,
    PAPER_RUNS,
    WINDOW_HEAD,
    Rewards,
    claim_about,
    control,
    curve,
    difference,
    identity_of,
    independent,
    mean_of,
    order_claim,
    over_runs,
    searching,
    series,
    several,
    spread,
    suffix,
    transfer,
    under,
    window_row,
)
from heartlab.learners.transfer.settings import Opponent, Reading
from heartlab.learners.transfer.table_1 import table_1
from heartlab.learners.transfer.variants import VARIANTS
from heartlab.learners.transfer.wider import WIDER
from heartlab.learners.transfer.wire import WIRE
from heartlab.reproduction.claims import Claim, above, all_of, below, interval_text, within
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Figure, Findings, Paper, Table
from heartlab.util.statistics import Estimate, estimate

# --- Figures 3 to 7 ---

READINGS_WORDS = (
    "When does a learner know the value with which it begins at a position? Under the *literal* reading once it has "
    "visited the position; under the *terminal check*, by which the paper's claims are judged, also for candidate "
    "moves that end the game, since the paper's learner sees these; under *look-up* for every candidate move. "
    "*Terminal-only* is our control: it knows the rewards of ended games and no features."
)
"""The readings, told where the first figure is."""


def _figure(shop: Workshop, name: str) -> Findings:
    """One figure of the paper, under all readings."""
    game, opponent = FIGURES[name]
    shown_baseline = opponent == Opponent.EPS_GREEDY
    arms = {"baseline": BASELINE}
    for reading in Reading:
        arms |= {f"control {reading.text}": control(reading), f"transfer {reading.text}": transfer(reading)}
        arms[f"search {reading.text}"] = searching(reading)
    found = several(shop, game, opponent, arms)
    baseline = found["baseline"]
    controls, transfers, searches = (
        {reading: found[f"{kind} {reading.text}"] for reading in Reading} for kind in ("control", "transfer", "search")
    )
    findings = Findings()
    for reading in Reading:
        ours, search = transfers[reading], searches[reading]
        told = f"reading: {reading.text}"
        if shown_baseline:
            findings.claims += [
                order_claim(identity_of(name, "transfer-beats-baseline", reading),
                             under("transfer learns faster than the baseline", reading), ours, baseline, told),
                order_claim(identity_of(name, "look-ahead-beats-transfer", reading),
                             under("minimax look-ahead beats transfer", reading), search, ours, told),
            ]  # fmt: skip
        else:
            findings.claims.append(
                order_claim(identity_of(name, "transfer-beats-look-ahead", reading),
                             under("transfer learns faster than minimax look-ahead", reading), ours, search, told)
            )  # fmt: skip
        findings.claims.append(
            order_claim(f"control/{name}/features-add{suffix(reading)}",
                         under("transfer beats a learner that only knows ended games", reading), ours,
                         controls[reading], told)
        )  # fmt: skip
    findings.claims += _speed_claims(name, game, transfers) if shown_baseline else []
    if name == next(iter(FIGURES)):
        findings.notes.append(READINGS_WORDS)
    if name == "figure-4":
        findings.claims.append(_convergence(baseline))
    if name == "figure-7":
        findings.claims.append(_slower(baseline, series(shop, game, Opponent.EPS_GREEDY, BASELINE)))
    findings.tables.append(_windows(game, opponent, baseline, controls, transfers, searches))
    first = min(PAPER_RUNS, len(baseline))
    headline = {"transfer": transfers[HEADLINE], "look-ahead": searches[HEADLINE]}
    printed = {**headline, **({"baseline": baseline} if shown_baseline else {})}
    title = SUMMARIES[name]
    findings.figures = [
        Figure(name, f"{title}: as the paper shows it (terminal check)", "match", "average reward since match 1",
               [curve(label, rewards.first(first)) for label, rewards in printed.items()],
               levels=[("95 % level", 95.0)] if shown_baseline else []),
        Figure(f"{name}-readings", f"{title}: three readings and the control", "match", "average reward since match 1",
               [curve("baseline", baseline), curve("terminal-only", controls[HEADLINE])]
               + [curve(f"transfer, {reading.text}", transfers[reading]) for reading in Reading]),
        Figure(f"{name}-from-301", f"{title}: averages that begin at match 301", "match",
               "average reward since match 301",
               [curve(label, rewards, average_from=301, start=351)
                for label, rewards in {**printed, "terminal-only": controls[HEADLINE]}.items()]),
    ]  # fmt: skip
    return findings


Readings = Mapping[Reading, Rewards]


def _windows(
    game: str, opponent: Opponent, baseline: Rewards, controls: Readings, transfers: Readings, searches: Readings
) -> Table:
    others = [baseline, controls[HEADLINE]]
    rows = [
        window_row("baseline", baseline, others),
        window_row("terminal-only, literal", controls[Reading.LITERAL], others),
        window_row("terminal-only (control)", controls[HEADLINE], others),
    ]
    for reading in Reading:
        rows.append(window_row(f"transfer, {reading.text}", transfers[reading], others))
        rows.append(window_row(f"look-ahead, {reading.text}", searches[reading], others))
    head = [*WINDOW_HEAD, "minus baseline", "minus terminal-only"]
    return Table(f"{game} against {opponent.text}: mean reward ± 95 %, {len(baseline)} runs", head, rows)


def _speed_claims(name: str, game: str, transfers: Readings) -> list[Claim]:
    """Whether the 95 % level is passed in under 100 matches."""
    claims = []
    for reading in Reading:
        level = mean_of(transfers[reading], 51, 100)
        claims.append(
            claim_about(identity_of(name, "95-in-100-matches", reading),
                        under("learners pass the 95 % level in under 100 matches", reading), level,
                        above(level.ci95, 95.0),
                        f"mean reward of transfer over matches 51–100 in {game}; reading: {reading.text}",
                        independent(transfers[reading]), 95.0)
        )  # fmt: skip
        claims.append(_share_claim(name, game, transfers[reading], reading))
    return claims


def _share_claim(name: str, game: str, ours: Rewards, reading: Reading) -> Claim:
    """Whether it passes 95 % of what it reaches in the end, which the paper may mean."""
    sixth = ours.matches // 6
    rest = ours.means(min(51, sixth), min(100, sixth + 1)) - 0.95 * ours.means(5 * sixth + 1, 6 * sixth)
    gap = over_runs(rest, ours.groups)
    return claim_about(
        identity_of(name, "95-of-the-end-in-100-matches", reading),
        under("learners pass 95 % of their end in under 100 matches", reading), gap, above(gap.ci95),
        f"matches 51–100 minus 95 % of matches 2,501–3,000, transfer in {game}; reading: {reading.text}",
        independent(ours),
    )  # fmt: skip


def _convergence(baseline: Rewards) -> Claim:
    sixth = baseline.matches // 6
    late = estimate(baseline.means(5 * sixth + 1, 6 * sixth) - baseline.means(4 * sixth + 1, 5 * sixth))
    note = "baseline: reward in the last sixth of the matches (2,501–3,000) minus that in the sixth before"
    return claim_about(
        "figure-4/not-converged",
        "after 3,000 matches Othello is not learned yet",
        late,
        above(late.ci95),
        note,
        independent(baseline),
    )


def _slower(random: Rewards, greedy: Rewards) -> Claim:
    gap = difference(random, greedy)
    note = "baseline in Othello: mean reward against random minus that against eps-greedy; slower would be below zero"
    return claim_about("figure-7/random-is-slower", "learning is much slower against a random opponent", gap,
                       below(gap.ci95), note, independent(random, greedy))  # fmt: skip


def summary(shop: Workshop) -> Findings:
    """What the features add, in one table and in plain words."""
    findings, rows = Findings(), []
    gains: dict[Reading, list[Estimate]] = {reading: [] for reading in Reading}
    runs = 0
    for name, (game, opponent) in FIGURES.items():
        for reading in Reading:
            without = series(shop, game, opponent, control(reading))
            ours = series(shop, game, opponent, transfer(reading))
            gains[reading].append(difference(ours, without))
            runs = independent(ours)
        cells = [spread(gains[reading][-1], True) for reading in Reading]
        rows.append([name, game, opponent.text, *cells])
    head = ["figure", "game", "opponent", *(reading.text for reading in Reading)]
    findings.tables.append(Table("Transfer minus terminal-only, average at 3,000", head, rows))
    look_up, check = gains[Reading.LOOK_UP], gains[HEADLINE]
    findings.claims = [
        Claim("control/summary/features-add-under-look-up", "the features add in all five figures, if looked up", None,
              min(gain.mean for gain in look_up), _widest(look_up), look_up[0].n,
              all_of([above(gain.ci95) for gain in look_up]),
              "the smallest of five gains, with the interval that covers all five", runs),
        Claim("control/summary/features-add-under-terminal-check", "they add half a point or more under the terminal "
              "check", None, max(gain.mean for gain in check), _widest(check), check[0].n,
              all_of([above(gain.ci95, 0.5) for gain in check]),
              "the largest of five gains, with the interval that covers all five; within half a point is nothing",
              runs),
        Claim("control/summary/terminal-check-is-the-gain", "under it they add less than a point, either way", None,
              max((gain.mean for gain in check), key=abs), _widest(check), check[0].n,
              all_of([within(gain.ci95, -1.0, 1.0) for gain in check]),
              "the gain farthest from zero, with the interval that covers all five; where it holds, the order of the "
              "paper's figures is the work of recognising ended games", runs),
    ]  # fmt: skip
    findings.notes = [
        "**What the features add, plainly.** Under the terminal check transfer beats the baseline by several points "
        "where games end soon (Connect-3, CaptureGo), but a control without any features does the same: that gain is "
        "the recognition of moves that end the game, and the features add a fraction of a point at most. In Othello "
        "all gains are a point or less. If the features are looked up for every candidate move, before it was ever "
        "played, they add points of their own, in every figure; whether more than minimax of the same depth does is "
        "another question (`aim`).",
        "**Intervals.** Runs that begin with the same source model are not independent: 200 runs share 20 models, 100 "
        "runs beyond the paper 5 or 20, and count as so many (column runs). An interval is over the means of such "
        "groups or over all runs, whichever is wider; n says which.",
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


HEADLINES = (
    ("transfer-beats-baseline", "transfer beats the baseline"),
    ("look-ahead-beats-transfer", "look-ahead beats transfer"),
    ("95-in-100-matches", "reward 95 within 100 matches"),
    ("95-of-the-end-in-100-matches", "95 % of the end within 100 (difference)"),
    ("transfer-beats-look-ahead", "transfer beats look-ahead"),
)
"""Claims of the figures in the opening of the report."""


def _figure_experiment(name: str) -> Experiment:
    return Experiment(name, SUMMARIES[name], lambda shop: _figure(shop, name))


def what_features_add(claims: Mapping[str, Claim]) -> str:
    """How much of what transfer gains over the baseline is due to the features."""
    told = []
    for name in ("figure-3", "figure-4", "figure-5"):
        gain, own = claims.get(f"{name}/transfer-beats-baseline"), claims.get(f"control/{name}/features-add")
        if gain is None or own is None:
            return ""
        game = SUMMARIES[name].partition(" against")[0]
        told.append(f"{interval_text(own)} of {interval_text(gain)} in {game}")
    return (
        f"Of what transfer gains over the baseline the features themselves add {', '.join(told)}; the rest is knowing "
        "which moves end the game, as a control without features does."
    )


PAPER = Paper(
    "ggp-transfer",
    "Banerjee & Stone 2007: general game learning using knowledge transfer",
    [
        Experiment("table-1", "the 12 features of tic-tac-toe and their values against three opponents", table_1),
        *(_figure_experiment(name) for name in FIGURES),
        Experiment("summary", "what the features add to knowing ended games", summary),
        *VARIANTS,
        *WIRE,
        *WIDER,
        *BEYOND,
    ],
    about="The paper says that features of small game trees whose values were learned in tic-tac-toe let a learner of "
    "another game begin better and learn faster than one without them.",
    basis="Numbers are mean rewards of a match, from 0 to 100, or differences of these. *Transfer* begins with the "
    "features' values, *look-ahead* with those of minimax over the same two plies, the *baseline* with 50 everywhere; "
    "all record the positions after their own moves, as the paper says (`open-questions` has other readings). "
    "*eps-greedy* opponents take a win and avoid a loss at the next move, *weak* ones do the reverse.",
    remark=what_features_add,
    headline={
        "table-1/twelve-features": "tic-tac-toe has 12 features",
        "table-1/values": "the 36 values of Table 1 (distance in points)",
        **{
            f"{name}/{claim}": f"{words.removesuffix(' against eps-greedy')}: {told}"
            for name, words in SUMMARIES.items()
            for claim, told in HEADLINES
            if (claim != "transfer-beats-look-ahead") == (FIGURES[name][1] == Opponent.EPS_GREEDY)
        },
        "figure-4/not-converged": "Othello is not learned after 3,000 matches",
        "figure-7/random-is-slower": "Othello: slower against random",
    },
    opening_figure="figure-3",
)
