"""Beyond Banerjee and Stone: what recalled, pooled and opponent-aware knowledge adds, with learning curves.

All learners here look values up for every candidate move. They are compared with the control that only knows ended
games and with minimax look-ahead of the same depth: only the gain over search of equal depth and recall is due to what
was carried. Nothing that is carried comes from the target game itself, nor from another size of it.

Features of three plies were tried as well and added nothing to those of two; they were removed (docs/ggp.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from heartlab.learners.transfer.discovery import SOURCE
from heartlab.learners.transfer.series import (
    BASELINE,
    BEYOND_RUNS,
    CONTROL,
    WINDOW_HEAD,
    Arm,
    Rewards,
    Source,
    curve,
    difference,
    everywhere,
    independent,
    order_claim,
    series,
    several,
    spread,
    window_row,
)
from heartlab.learners.transfer.settings import STANDARD, Learner, Opponent, Reading, Settings
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Figure, Findings, Table
from heartlab.util.statistics import Estimate

TARGETS = ("connect3", "capturego", "othello4")
POOL = ("tictactoe", "connect3", "capturego", "othello4", "nim")
GROUPS = 5

RECALL = SOURCE._replace(recall=True)


def pooled(target: str, settings: Settings = SOURCE) -> Source:
    """All games of the pool but the target."""
    return Source(tuple(name for name in POOL if name != target), 3000, runs=4, groups=GROUPS, settings=settings)


def looking_up(label: str, learner: Learner, source: Source | None = None, depth: int = 2, recall: bool = False) -> Arm:
    """A learner that looks values up for every candidate move."""
    return Arm(label, Settings(learner, Reading.LOOK_UP, depth=depth, recall=recall), source)


def minimax(depth: int, recall: bool = False) -> Arm:
    """Minimax over some plies, with recall if asked."""
    label = f"minimax, {depth} plies" + (" and recall" if recall else "")
    return looking_up(label, Learner.LOOK_AHEAD, depth=depth, recall=recall)


def habits(source: Source, depth: int) -> Arm:
    """Look-ahead in which the opponent moves by the habits that were seen in source games."""
    return looking_up(f"habits, {depth} plies", Learner.HABITS, source, depth)


def _run(shop: Workshop, game: str, opponent: Opponent, arm: Arm, outcomes: str = "") -> Rewards:
    return series(shop, game, opponent, arm, BEYOND_RUNS, outcomes)


# --- recalled, pooled, by habits ---


def arms_of(target: str) -> dict[str, Arm]:
    """The learners that are compared in a target game."""
    many = pooled(target)
    long = Source(matches=3000, groups=GROUPS)
    recalled = Source(matches=3000, runs=4, groups=GROUPS, settings=RECALL)
    return {
        "control": CONTROL,
        "minimax-2": minimax(2),
        "paper": looking_up("the paper's features", Learner.TRANSFER, Source()),
        "long": looking_up("… from 3,000 matches", Learner.TRANSFER, long),
        "recall": looking_up("features with recall", Learner.TRANSFER, recalled),
        "pool": looking_up("pooled features", Learner.TRANSFER, many),
        "pool-recall": looking_up("pooled features with recall", Learner.TRANSFER, pooled(target, RECALL)),
        "habits-2": habits(many, 2),
        "minimax-4": minimax(4),
        "habits-4": habits(many, 4),
    }


STEPS = (
    ("paper", "control", "the paper's features add to knowing ended games"),
    ("long", "paper", "values from 3,000 source matches beat those from 75"),
    ("recall", "long", "recall adds to features of depth 2"),
    ("pool", "long", "several pooled sources add to tic-tac-toe alone"),
    ("pool-recall", "pool", "recall adds to pooled features"),
    ("habits-2", "minimax-2", "habits beat minimax, both over 2 plies"),
    ("habits-4", "minimax-4", "habits beat minimax, both over 4 plies"),
    ("habits-4", "control", "habits over 4 plies add to knowing ended games"),
    ("habits-4", "minimax-2", "habits over 4 plies beat the paper's minimax learner"),
)
"""Which arm is compared with which, and the statement that it would support."""
SHOWN_ARMS = ("control", "minimax-2", "paper", "pool-recall", "habits-4")
"""The curves of the figures."""
EQUAL_DEPTH = {"paper": "minimax-2", "habits-2": "minimax-2", "habits-4": "minimax-4"}
"""The search of equal depth, without anything carried."""


def _cell(shop: Workshop, target: str, opponent: Opponent) -> dict[str, Rewards]:
    return several(shop, target, opponent, arms_of(target), BEYOND_RUNS)


def features_beyond(shop: Workshop, target: str) -> Findings:
    """What each step adds in one target game, against each opponent."""
    findings, named = Findings(), arms_of(target)
    rows: list[list[str]] = []
    for opponent in STANDARD:
        found = _cell(shop, target, opponent)
        for name, other, statement in STEPS:
            alone = EQUAL_DEPTH.get(name, other)
            gain = spread(difference(found[alone], found[other]), True) if alone != other else ""
            findings.claims.append(
                order_claim(f"beyond/{target}/{name}-over-{other}-{opponent.text}",
                            f"{opponent.text}: {statement}", found[name], found[other],
                            f"search of equal depth gains {gain}" if gain else "")
            )  # fmt: skip
        for name, rewards in found.items():
            others = [found["control"], found["minimax-2"]]
            rows.append([opponent.text, *window_row(named[name].label, rewards, others)])
        findings.figures.append(
            Figure(f"beyond-{target}-{opponent.text}", f"{target} against {opponent.text}, everything looked up",
                   "match", "average reward since match 1",
                   [curve(named[name].label, found[name], start=30) for name in SHOWN_ARMS],
                   log_x=True)
        )  # fmt: skip
    head = ["opponent", *WINDOW_HEAD, "minus terminal-only", "minus minimax, 2 plies"]
    findings.tables.append(Table(f"{target}: what each step adds (mean ± 95 %)", head, rows))
    sources = ", ".join(name for name in POOL if name != target)
    findings.notes.append(
        f"Pooled: {sources}. *Recall*: where the look-ahead stops at a position whose value was learned, that value "
        "counts, so structure deeper than the look-ahead is built from memory. *Habits*: a look-ahead in which the "
        "opponent moves as it was seen to move in the source games (how much it likes moves that win, lose, draw or go "
        "on), instead of minimising: four numbers per opponent, carried between games."
    )
    return findings


def aim(shop: Workshop) -> Findings:
    """Whether what was carried adds in every game against every opponent, and beats minimax against weak and random."""
    findings, rows = Findings(), []
    names = (("paper", "control"), ("minimax-2", "control"), ("paper", "minimax-2"),
             ("habits-4", "control"), ("minimax-4", "control"), ("habits-4", "minimax-4"))  # fmt: skip
    gaps: dict[tuple[str, str], dict[str, Estimate]] = {pair: {} for pair in names}
    runs: dict[str, int] = {}
    for target in TARGETS:
        for opponent in STANDARD:
            found, case = _cell(shop, target, opponent), f"{target} against {opponent.text}"
            runs = {name: independent(rewards) for name, rewards in found.items()}
            for one, other in names:
                gaps[one, other][case] = difference(found[one], found[other])
            rows.append([target, opponent.text, *(spread(gaps[pair][case], True) for pair in names)])
            if opponent != Opponent.EPS_GREEDY:
                for against, note in (("minimax-2", "2 plies against 4: the depth counts as well"), ("minimax-4", "")):
                    findings.claims.append(
                        order_claim(f"beyond/aim/{target}-{opponent.text}-beats-{against}", f"the best transfer beats "
                                    f"{against} in {case}", found["habits-4"], found[against], note)
                    )  # fmt: skip
    findings.claims[:0] = [
        everywhere("beyond/aim/adds-everywhere", "the best transfer always adds to search of equal depth",
                   gaps["habits-4", "minimax-4"],
                   f"habits minus minimax, both over 4 plies. Over the control that only knows ended games habits gain "
                   f"{_range(gaps['habits-4', 'control'])}, minimax alone {_range(gaps['minimax-4', 'control'])}",
                   runs["habits-4"]),
        everywhere("beyond/aim/features-add-everywhere", "looked-up features always add to search of equal depth",
                   gaps["paper", "minimax-2"],
                   f"features minus minimax, both over 2 plies. Over the control that only knows ended games features "
                   f"gain {_range(gaps['paper', 'control'])}, minimax alone {_range(gaps['minimax-2', 'control'])}",
                   runs["paper"]),
    ]  # fmt: skip
    head = ["game", "opponent", "paper's features − control", "minimax 2 − control", "paper's features − minimax 2",
            "best − control", "minimax 4 − control", "best − minimax 4"]  # fmt: skip
    findings.tables.append(Table("Gains in mean reward over 3,000 matches (± 95 %)", head, rows))
    findings.notes.append(
        "The best transfer is look-ahead over 4 plies by the habits of the opponent, seen in other games. It was "
        "chosen by a first look at Othello with other seeds and 40 runs; what is shown here are fresh runs. Both "
        "transfers gain over the control everywhere, but so does search without anything carried: what counts is the "
        "gain over search of equal depth."
    )
    return findings


def _range(gaps: Mapping[str, Estimate]) -> str:
    means = [gap.mean for gap in gaps.values()]
    return f"{min(means):+.2f} to {max(means):+.2f}"


# --- who is it? ---


MISTAKEN = {
    Opponent.EPS_GREEDY: Opponent.WEAK,
    Opponent.WEAK: Opponent.EPS_GREEDY,
    Opponent.RANDOM: Opponent.EPS_GREEDY,
}
"""Each opponent with the one for which it is mistaken."""


def recognise(shop: Workshop) -> Findings:
    """Learners that are told the opponent, told a wrong one, or have to find out."""
    findings, rows = Findings(), []
    for target in TARGETS:
        source = pooled(target)
        told = habits(source, 2)
        for opponent, wrong in MISTAKEN.items():
            arms = {
                "told": told,
                "mistaken": replace(told, label="habits of another", source_opponent=wrong),
                "recognised": replace(
                    told, label="habits, recognised", settings=told.settings._replace(recognise=True)
                ),
            }
            found = {name: _run(shop, target, opponent, arm) for name, arm in arms.items()}
            found["control"] = _run(shop, target, opponent, CONTROL)
            for name, rewards in found.items():
                rows.append([target, opponent.text, *window_row(name, rewards, [found["told"]])])
            findings.claims.append(
                order_claim(f"beyond/recognise/{target}-{opponent.text}",
                            f"{target} against {opponent.text}: recognising beats mistaking it for {wrong.text}",
                            found["recognised"], found["mistaken"],
                            f"minus being told: {spread(difference(found['recognised'], found['told']), True)}")
            )  # fmt: skip
            if opponent == Opponent.EPS_GREEDY:
                findings.figures.append(
                    Figure(f"recognise-{target}", f"{target} against {opponent.text}: told, mistaken, recognised",
                           "match", "average reward since match 1",
                           [curve(name, rewards, start=10) for name, rewards in found.items()], log_x=True)
                )  # fmt: skip
    findings.tables.append(Table("Who is told what", ["game", "opponent", *WINDOW_HEAD, "minus told"], rows))
    return findings


def adaptive(shop: Workshop) -> Findings:
    """Opponents that learn themselves, and opponents that become another every 500 matches."""
    findings, rows = Findings(), []
    for target in TARGETS:
        source = pooled(target)
        lasting = Settings(Learner.HABITS, Reading.LOOK_UP, recall=True, recognise=True)
        arms = {
            "control": CONTROL,
            "minimax": minimax(2, recall=True),
            "certain": Arm("habits, all evidence", lasting, source),
            "doubting": Arm("habits, fading evidence", lasting._replace(forget=0.98), source),
        }
        for opponent in (Opponent.ADAPTIVE, Opponent.SWITCHING):
            found = {name: _run(shop, target, opponent, arm) for name, arm in arms.items()}
            for name, rewards in found.items():
                others = [found["control"], found["minimax"]]
                rows.append([target, opponent.text, *window_row(arms[name].label, rewards, others)])
            findings.claims.append(
                order_claim(f"beyond/adaptive/{target}-{opponent.text}",
                            f"{target}, {opponent.text}: recognised habits add to minimax with recall",
                            found["doubting"], found["minimax"], "minus the control that only knows ended games: "
                            f"{spread(difference(found['doubting'], found['control']), True)}")
            )  # fmt: skip
            findings.figures.append(
                Figure(f"adaptive-{target}-{opponent.text}", f"{target} against the {opponent.text} opponent", "match",
                       "average reward since match 1",
                       [curve(arms[name].label, rewards, start=30) for name, rewards in found.items()])
            )  # fmt: skip
    findings.tables.append(
        Table("Opponents that change", ["game", "opponent", *WINDOW_HEAD, "minus control", "minus minimax"], rows)
    )
    return findings


# --- other outcomes, both roles ---


def outcomes(shop: Workshop) -> Findings:
    """A game with the outcomes 0, 20, 40, 80 and 100, through a declared equivalence."""
    game, declared = "tictactoe-scored", "0-20=L,40=D,80-100=W"
    findings, rows = Findings(), []
    source = Source(("tictactoe", "connect3"), 3000, groups=GROUPS, runs=4)
    learner = looking_up("transfer", Learner.TRANSFER, source)
    for opponent in STANDARD:
        found = {
            "control": _run(shop, game, opponent, CONTROL, declared),
            "declared equivalence": _run(shop, game, opponent, learner, declared),
            "none declared": _run(shop, game, opponent, learner),
            "minimax, 2 plies": _run(shop, game, opponent, minimax(2), declared),
        }
        ours = found["declared equivalence"]
        for name, rewards in found.items():
            rows.append([opponent.text, *window_row(name, rewards, [found["control"]])])
        findings.claims += [
            order_claim(f"beyond/outcomes/{opponent.text}", f"{opponent.text}: features carried by an equivalence "
                        "add to knowing ended games", ours, found["control"],
                        f"minus minimax of equal depth: {spread(difference(ours, found['minimax, 2 plies']), True)}"),
            order_claim(f"beyond/outcomes/{opponent.text}-declared",
                        f"{opponent.text}: the equivalence beats taking 40 for a loss", ours, found["none declared"]),
        ]  # fmt: skip
        findings.figures.append(
            Figure(f"outcomes-{opponent.text}", f"scored tic-tac-toe against {opponent.text}", "match",
                   "average reward since match 1",
                   [curve(name, rewards, start=30) for name, rewards in found.items()], log_x=True)
        )  # fmt: skip
    findings.tables.append(Table(f"{game}: {declared}", ["opponent", *WINDOW_HEAD, "minus control"], rows))
    findings.notes.append(
        "Scored tic-tac-toe: a diagonal wins 100 to 0, another line 80 to 20, a full board is 40 each. Without a "
        "declaration goals below 50 count as lost, so its draws would be losses. One of the two sources is tic-tac-toe "
        "itself, with its own goals: this is about outcomes, not about another game."
    )
    return findings


def alternating(shop: Workshop) -> Findings:
    """Roles that change from match to match, in the source and in the target."""
    findings, rows = Findings(), []
    source = Source(matches=3000, runs=4, groups=GROUPS, settings=SOURCE._replace(alternate=True))
    usual = {
        "baseline": BASELINE,
        "control": CONTROL,
        "transfer": looking_up("transfer", Learner.TRANSFER, source),
        "minimax": minimax(2),
    }
    arms = {name: replace(arm, settings=arm.settings._replace(alternate=True)) for name, arm in usual.items()}
    for target in TARGETS:
        found = {name: _run(shop, target, Opponent.EPS_GREEDY, arm) for name, arm in arms.items()}
        for name, rewards in found.items():
            rows.append([target, *window_row(arms[name].label, rewards, [found["control"]])])
        findings.claims += [
            order_claim(f"beyond/alternating/{target}", f"transfer adds to knowing ended games in {target} when roles "
                        "alternate", found["transfer"], found["control"],
                        f"minus minimax: {spread(difference(found['transfer'], found['minimax']), True)}"),
        ]  # fmt: skip
        findings.figures.append(
            Figure(f"alternating-{target}", f"{target} against eps-greedy, roles alternating", "match",
                   "average reward since match 1",
                   [curve(arms[name].label, rewards, start=30) for name, rewards in found.items()])
        )  # fmt: skip
    findings.tables.append(Table("Roles alternate", ["game", *WINDOW_HEAD, "minus control"], rows))
    return findings


def _target_experiment(target: str) -> Experiment:
    summary = f"{target}: recalled and pooled features, and habits of opponents"
    return Experiment(f"beyond-{target}", summary, lambda shop: features_beyond(shop, target))


BEYOND = [
    Experiment("aim", "features that add everywhere and beat minimax against weak and random opponents", aim),
    *(_target_experiment(target) for target in TARGETS),
    Experiment("recognise", "recognising an opponent met before", recognise),
    Experiment("adaptive", "opponents that learn, and opponents that change", adaptive),
    Experiment("outcomes", "outcomes other than 0, 50 and 100, through a declared equivalence", outcomes),
    Experiment("alternating", "roles that change from match to match", alternating),
]
