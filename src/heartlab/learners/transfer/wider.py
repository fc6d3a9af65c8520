"""Transfer in wider company: larger games as targets, every game as source and target, recall, and what it costs."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from heartlab.learners.transfer.discovery import SOURCE
from heartlab.learners.transfer.series import (
    BASELINE,
    CONTROL,
    HEADLINE,
    SHORT,
    Arm,
    Rewards,
    Source,
    borrowed,
    difference,
    gain_claim,
    independent,
    searching,
    several,
    transfer,
    units,
)
from heartlab.learners.transfer.settings import STANDARD, Learner, Opponent, Reading, Settings
from heartlab.learners.transfer.trainer import learn
from heartlab.reproduction.claims import Claim, above, below
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Findings, Table
from heartlab.reproduction.series import run_seed
from heartlab.reproduction.units import run_units
from heartlab.util.statistics import Estimate, estimate

LARGE = ("connect4", "othello6", "breakthrough")
LARGE_MATCHES, LARGE_RUNS = 500, 20
GAMES = ("tictactoe", "connect3", "capturego", "othello4", "nim")
"""Sources and targets of the matrix."""
MATRIX_RUNS, MATRIX_GROUPS = 60, 10
RECALL_RUNS = 400

# --- larger games ---


LARGE_ARMS: Mapping[str, Arm] = {
    "baseline": BASELINE,
    "terminal-only": CONTROL,
    "transfer": transfer(HEADLINE),
    "transfer, look-up": transfer(Reading.LOOK_UP),
    "look-ahead, look-up": searching(Reading.LOOK_UP),
}


def _large_units(shop: Workshop, game: str) -> list[Unit]:
    """Mean rewards of all learners in a large game: over all matches, and over the last fifth."""
    sizes = {"matches": shop.size(LARGE_MATCHES, 40), "game": game}
    models = SHORT.models(shop)
    matches = shop.size(LARGE_MATCHES, 40)

    def work(shop: Workshop, run: int) -> Unit:
        found: Unit = {}
        with borrowed(game) as board:
            for name, arm in LARGE_ARMS.items():
                settings = arm.settings._replace(opponent=Opponent.EPS_GREEDY)
                model = models[run % len(models)] if arm.source else None
                rewards = learn(board, settings, matches, run_seed(shop, run), run, model)[0]
                found[name] = [float(rewards.mean()), float(rewards[-matches // 5 :].mean())]
        return found

    return run_units(shop, f"target {game}", sizes, shop.size(LARGE_RUNS, 3), work)


def large_games(shop: Workshop) -> Findings:
    """Connect Four, Othello 6x6 and Breakthrough as targets, against eps-greedy."""
    findings, rows = Findings(), []
    for game in LARGE:
        units = _large_units(shop, game)
        means = {name: np.array([unit[name][0] for unit in units]) for name in LARGE_ARMS}
        for name, other, words in (
            ("transfer", "baseline", "transfer learns faster than the baseline"),
            ("transfer", "terminal-only", "transfer adds to knowing ended games"),
            ("transfer, look-up", "terminal-only", "features that are looked up add to knowing ended games"),
            ("transfer, look-up", "look-ahead, look-up", "looked-up features beat minimax of the same depth"),
        ):
            slug = f"{name}-over-{other}".replace(", ", "-")
            findings.claims.append(
                gain_claim(f"beyond/large/{game}-{slug}", f"{game}: {words}", estimate(means[name] - means[other]),
                           f"mean reward over {shop.size(LARGE_MATCHES, 40):,} matches against eps-greedy")
            )  # fmt: skip
        for name in LARGE_ARMS:
            last = estimate(np.array([unit[name][1] for unit in units]))
            rows.append([game, name, _text(estimate(means[name])), _text(last)])
    head = ["game", "learner", "all matches", "last fifth"]
    title = f"Mean reward ± 95 %, {shop.size(LARGE_RUNS, 3)} runs of {shop.size(LARGE_MATCHES, 40):,} matches"
    findings.tables.append(Table(title, head, rows))
    return findings


def _text(value: Estimate) -> str:
    return f"{value.mean:.1f} ± {value.ci95[1] - value.mean:.1f}"


# --- every game as source and target ---


def matrix(shop: Workshop) -> Findings:
    """What features of each source add to knowing ended games in each target, looked up for every candidate move."""
    findings = Findings()
    gains: dict[tuple[str, str], Estimate] = {}
    for target in GAMES:
        arms = {"control": CONTROL}
        arms |= {
            source: transfer(
                Reading.LOOK_UP, Source((source,), matches=300, runs=4, groups=MATRIX_GROUPS), f", from {source}"
            )
            for source in GAMES
        }
        found = several(shop, target, Opponent.EPS_GREEDY, arms, MATRIX_RUNS)
        for source in GAMES:
            gains[source, target] = difference(found[source], found["control"])
    rows = [[source, *(f"{gains[source, target].mean:+.1f} ± {_reach(gains[source, target]):.1f}" for target in GAMES)]
            for source in GAMES]  # fmt: skip
    findings.tables.append(
        Table("Reward added to knowing ended games, over all matches (± 95 %); rows: source, columns: target",
              ["source", *GAMES], rows)
    )  # fmt: skip
    others = {pair: gain for pair, gain in gains.items() if pair[0] != pair[1]}
    clear = [above(gain.ci95) for gain in others.values()]
    best = {target: max((gains[source, target].mean, source) for source in GAMES)[1] for target in GAMES}
    weakest = min(others.values(), key=lambda gain: gain.ci95[0])
    findings.claims.append(
        Claim("beyond/matrix/every-source-helps", "features of every game help in every other game", None,
              weakest.mean, weakest.ci95, weakest.n,
              "holds" if clear.count("holds") == len(clear) else "fails" if "fails" in clear else "unclear",
              f"the lowest of {len(clear)} gains; {clear.count('holds')} above zero, {clear.count('fails')} below",
              min(MATRIX_GROUPS, shop.size(MATRIX_RUNS, 2)))
    )  # fmt: skip
    own = sum(best[target] == target for target in GAMES)
    findings.notes.append(
        f"The best source is the target itself in {own} of {len(GAMES)} games: "
        + ", ".join(f"{target} from {source}" for target, source in best.items()) + "."
    )  # fmt: skip
    return findings


def _reach(value: Estimate) -> float:
    return value.ci95[1] - value.mean


# --- recall, with enough runs ---


def recall(shop: Workshop) -> Findings:
    """Whether recall, deeper structure built from memory, adds to features of depth two."""
    findings = Findings()
    plain = Source(matches=3000, runs=4, groups=20)
    recalled = Source(matches=3000, runs=4, groups=20, settings=SOURCE._replace(recall=True))
    arms = {
        name: Arm(f"{name}, looked up", Settings(Learner.TRANSFER, Reading.LOOK_UP), source)
        for name, source in (("plain", plain), ("recall", recalled))
    }
    for target in ("connect3", "capturego", "othello4"):
        for opponent in STANDARD:
            found: dict[str, Rewards] = several(shop, target, opponent, arms, RECALL_RUNS)
            findings.claims.append(
                gain_claim(f"beyond/recall/{target}-{opponent.text}",
                           f"recall adds to features of depth 2: {target} against {opponent.text}",
                           difference(found["recall"], found["plain"]),
                           f"mean reward over all matches, {units(found['plain'], found['recall'])}",
                           independent(found["plain"], found["recall"]))
            )  # fmt: skip
    return findings


# --- what it costs ---

COST_ROUNDS, FRESH_ROUNDS = 5, 20
"""Rounds in which the time of a match is taken: where all is known, and from nothing."""
COST_GAMES = ("connect3", "othello4", "capturego")
COST_ARMS: Mapping[str, Arm] = {
    "baseline": BASELINE,
    "transfer": transfer(HEADLINE),
    "transfer, look-up": transfer(Reading.LOOK_UP),
    "look-ahead": searching(HEADLINE),
    "look-ahead, look-up": searching(Reading.LOOK_UP),
}


def _cost_units(shop: Workshop, name: str, matches: int, rounds: int, *, explored: bool) -> list[Unit]:
    """Processor time of a learning match in microseconds: in a game whose positions are known, or from nothing."""
    models = SHORT.models(shop)

    def work(shop: Workshop, run: int) -> Unit:
        found: Unit = {}
        for game in COST_GAMES:
            with borrowed(game) as board:
                for warm in (True, False):
                    for label, arm in COST_ARMS.items():
                        settings = arm.settings._replace(opponent=Opponent.EPS_GREEDY)
                        model = models[run % len(models)] if arm.source else None
                        if not explored:
                            board.forget()
                        begun = time.thread_time()
                        learn(board, settings, 50 if warm else matches, run_seed(shop, run), run, model)
                        found[f"{game}, {label}"] = (time.thread_time() - begun) / matches * 1e6
        return found

    return run_units(shop, name, {"matches": matches}, rounds, work)


def cost(shop: Workshop) -> Findings:
    """Processor time of a learning match: transfer and look-ahead beside the baseline, in turns."""
    matches = shop.size(1_000, 50)
    findings = Findings()
    for name, rounds, explored, words in (
        ("cost", COST_ROUNDS, True, "a match takes"),
        ("cost from nothing", FRESH_ROUNDS, False, "first matches take"),
    ):
        units = _cost_units(shop, name, matches, shop.size(rounds, 2), explored=explored)
        where = "known" if explored else "still to be explored"
        rows = []
        for game in COST_GAMES:
            base = np.array([unit[f"{game}, baseline"] for unit in units])
            cells = [f"{base.mean():.1f}"]
            for arm in list(COST_ARMS)[1:]:
                ratio = estimate(np.array([unit[f"{game}, {arm}"] for unit in units]) / base)
                cells.append(f"{ratio.mean:.2f} ± {_reach(ratio):.2f}")
                if arm in ("transfer", "transfer, look-up"):
                    ending = "" if explored else "-from-nothing"
                    findings.claims.append(
                        Claim(f"control/cost/{game}-{arm.replace(', ', '-')}{ending}",
                              f"{game}, {arm}: {words} less than twice the baseline's time", None, ratio.mean,
                              ratio.ci95, len(units) * matches, below(ratio.ci95, 2.0),
                              f"ratio of processor times, measured in turns; positions are {where}", ratio.n)
                    )  # fmt: skip
            rows.append([game, *cells])
        head = ["game", "baseline, µs a match", *(f"{arm}, times" for arm in list(COST_ARMS)[1:])]
        title = f"Time of a learning match where positions are {where}, {len(units)} rounds of {matches:,} (± 95 %)"
        findings.tables.append(Table(title, head, rows))
    findings.notes.append(
        "What a position leads to, and which feature it has, is found out once and kept for as long as the program "
        "runs. So there are two costs: that of learning where all is known, and that of the first matches of a game."
    )
    return findings


WIDER = [
    Experiment("cost", "processor time that transfer costs", cost),
    Experiment("beyond-large", "Connect Four, Othello 6x6 and Breakthrough as targets", large_games),
    Experiment("beyond-matrix", "every game as source and as target", matrix),
    Experiment("beyond-recall", "recall: deeper features built from memory, without deeper look-ahead", recall),
]
