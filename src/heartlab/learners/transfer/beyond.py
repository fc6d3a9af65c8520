"""Beyond Banerjee and Stone: what deeper, remembered, pooled and opponent-aware knowledge adds, with learning curves.

Everything here looks values up for every candidate move, and is compared with the control that only knows ended games
and with minimax look-ahead of the same depth: what looks ahead further than the control owes much of its gain to that,
and only what it gains over search of equal depth and recall is due to what was carried. Nothing that is carried comes
from the target game itself, nor from another size of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from heartlab.learners.transfer.orders import everywhere, order_claim
from heartlab.learners.transfer.parts import (
    BEYOND_RUNS,
    CONTROL,
    WINDOW_HEAD,
    Learner,
    Rewards,
    Source,
    curve,
    difference,
    series,
    several,
    spread,
    window_row,
)
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Figure, Findings, Table
from heartlab.util.statistics import Estimate

TARGETS = ("connect3", "capturego", "othello4")
OPPONENTS = ("eps-greedy", "random", "weak")
POOL = ("tictactoe", "connect3", "capturego", "othello4", "nim")
GROUPS = 5

SHORT, LONG = Source(), Source(matches=3000, groups=GROUPS)


def pooled(target: str, **options: int) -> Source:
    """All games of the pool but the target."""
    return Source(tuple(name for name in POOL if name != target), 3000, groups=GROUPS, runs=4, **options)  # type: ignore[arg-type]


def look_ahead(depth: int, recall: int = 0) -> Learner:
    """Minimax over some plies, with recall if asked."""
    label = f"minimax, {depth} plies" + (" and recall" if recall else "")
    return Learner(label, "look-ahead", options={"depth": depth, "recall": recall})


def habits(source: Source, depth: int) -> Learner:
    """Look-ahead in which the opponent moves by the habits that were seen in source games."""
    return Learner(f"habits, {depth} plies", "habits", source=source, options={"depth": depth, "recall": 0})


def _run(shop: Workshop, game: str, opponent: str, learner: Learner, outcomes: str = "") -> Rewards:
    return series(shop, game, opponent, learner, BEYOND_RUNS, outcomes)


# --- deeper, remembered, pooled, by habits ---


def variants(target: str) -> dict[str, Learner]:
    """The learners that are compared in a target game."""
    many = pooled(target)
    deep = Source(matches=3000, groups=GROUPS, runs=4, depth=3)
    return {
        "control": CONTROL,
        "minimax-2": look_ahead(2),
        "paper": Learner("the paper's features", "transfer", source=SHORT),
        "long": Learner("… from 3,000 matches", "transfer", source=LONG),
        "depth-3": Learner("features of depth 3", "transfer", source=deep),
        "recall": Learner(
            "features with recall", "transfer", source=Source(matches=3000, groups=GROUPS, runs=4, recall=1)
        ),
        "pool": Learner("pooled features", "transfer", source=many),
        "pool-recall": Learner("pooled features with recall", "transfer", source=pooled(target, recall=1)),
        "habits-2": habits(many, 2),
        "minimax-4": look_ahead(4),
        "habits-4": habits(many, 4),
    }


STEPS = (
    ("paper", "control", "the paper's features add to knowing ended games"),
    ("long", "paper", "values from 3,000 source matches are better than from 75"),
    ("depth-3", "long", "features of depth 3 add to those of depth 2"),
    ("recall", "long", "deeper structure by recall adds to features of depth 2"),
    ("pool", "long", "several pooled source games add to tic-tac-toe alone"),
    ("pool-recall", "pool", "recall adds to pooled features"),
    ("habits-2", "minimax-2", "habits carried from other games beat minimax of the same depth, 2"),
    ("habits-4", "minimax-4", "habits carried from other games beat minimax of the same depth, 4"),
    ("habits-4", "control", "habits over 4 plies add to knowing ended games"),
    ("habits-4", "minimax-2", "habits over 4 plies beat the paper's minimax learner"),
)
"""What is compared with what, and what that would say."""
EQUAL_DEPTH = {"paper": "minimax-2", "habits-2": "minimax-2", "habits-4": "minimax-4"}
"""The search that looks as far ahead, without anything carried."""


def _cell(shop: Workshop, target: str, opponent: str) -> dict[str, Rewards]:
    return several(shop, target, opponent, variants(target), BEYOND_RUNS)


def features_beyond(shop: Workshop, target: str) -> Findings:
    """What each step adds in one target game, against each opponent."""
    findings, named = Findings(), variants(target)
    rows: list[list[str]] = []
    for opponent in OPPONENTS:
        found = _cell(shop, target, opponent)
        for name, other, statement in STEPS:
            alone = EQUAL_DEPTH.get(name, other)
            gain = spread(difference(found[alone], found[other]), True) if alone != other else ""
            findings.claims.append(
                order_claim(f"beyond/{target}/{name}-over-{other}-{opponent}",
                            f"{statement}: {target} against {opponent}", found[name], found[other],
                            f"search of equal depth gains {gain}" if gain else "")
            )  # fmt: skip
        for name, rewards in found.items():
            rows.append([opponent, *window_row(named[name].label, rewards, [found["control"], found["minimax-2"]])])
        findings.figures.append(
            Figure(f"beyond-{target}-{opponent}", f"{target} against {opponent}, everything looked up", "match",
                   "average reward since match 1",
                   [curve(named[name].label, rewards, start=30) for name, rewards in found.items() if name != "long"],
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
    for target in TARGETS:
        for opponent in OPPONENTS:
            found, case = _cell(shop, target, opponent), f"{target} against {opponent}"
            for one, other in names:
                gaps[one, other][case] = difference(found[one], found[other])
            rows.append([target, opponent, *(spread(gaps[pair][case], True) for pair in names)])
            if opponent != "eps-greedy":
                for against, note in (("minimax-2", "2 plies against 4: the depth counts as well"), ("minimax-4", "")):
                    findings.claims.append(
                        order_claim(f"beyond/aim/{target}-{opponent}-beats-{against}", f"the best transfer beats "
                                    f"{against} in {case}", found["habits-4"], found[against], note)
                    )  # fmt: skip
    everything = "in every target game and against every opponent"
    findings.claims[:0] = [
        everywhere("beyond/aim/adds-everywhere", f"the best transfer adds to search of equal depth {everything}",
                   gaps["habits-4", "minimax-4"],
                   f"habits minus minimax, both over 4 plies. Over the control that only knows ended games habits gain "
                   f"{_range(gaps['habits-4', 'control'])}, minimax alone {_range(gaps['minimax-4', 'control'])}"),
        everywhere("beyond/aim/features-add-everywhere", "the paper's features, looked up, add to search of equal "
                   f"depth {everything}", gaps["paper", "minimax-2"],
                   f"features minus minimax, both over 2 plies. Over the control that only knows ended games features "
                   f"gain {_range(gaps['paper', 'control'])}, minimax alone {_range(gaps['minimax-2', 'control'])}"),
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


def recognise(shop: Workshop) -> Findings:
    """Learners that are told the opponent, told a wrong one, or have to find out."""
    findings, rows = Findings(), []
    for target in TARGETS:
        source = pooled(target)
        for opponent, wrong in (("eps-greedy", "weak"), ("weak", "eps-greedy"), ("random", "eps-greedy")):
            learners = {
                "told": habits(source, 2),
                "mistaken": Learner("habits of another", "habits", source=source, source_opponent=wrong),
                "recognised": Learner("habits, recognised", "habits", source=source, options={"recognise": 1}),
            }
            found = {name: _run(shop, target, opponent, learner) for name, learner in learners.items()}
            found["control"] = _run(shop, target, opponent, CONTROL)
            for name, rewards in found.items():
                rows.append([target, opponent, *window_row(name, rewards, [found["told"]])])
            findings.claims.append(
                order_claim(f"beyond/recognise/{target}-{opponent}", "recognising the opponent beats mistaking it for "
                            f"{wrong} in {target} against {opponent}", found["recognised"], found["mistaken"],
                            f"minus being told: {spread(difference(found['recognised'], found['told']), True)}")
            )  # fmt: skip
            if opponent == "eps-greedy":
                findings.figures.append(
                    Figure(f"recognise-{target}", f"{target} against {opponent}: told, mistaken, recognised", "match",
                           "average reward since match 1",
                           [curve(name, rewards, start=10) for name, rewards in found.items()], log_x=True)
                )  # fmt: skip
    findings.tables.append(Table("Who is told what", ["game", "opponent", *WINDOW_HEAD, "minus told"], rows))
    return findings


def adaptive(shop: Workshop) -> Findings:
    """Opponents that learn themselves, and opponents that become another every 500 matches."""
    findings, rows = Findings(), []
    for target in TARGETS:
        source = pooled(target)
        for opponent in ("adaptive", "switching"):
            lasting = {"recognise": 1, "depth": 2, "recall": 1}
            learners = {
                "control": CONTROL,
                "minimax": look_ahead(2, 1),
                "certain": Learner("habits, all evidence", "habits", source=source, options=lasting),
                "doubting": Learner(
                    "habits, fading evidence", "habits", source=source, options={**lasting, "forget": 0.98}
                ),
            }
            found = {name: _run(shop, target, opponent, learner) for name, learner in learners.items()}
            for name, rewards in found.items():
                rows.append(
                    [target, opponent, *window_row(learners[name].label, rewards, [found["control"], found["minimax"]])]
                )
            findings.claims.append(
                order_claim(f"beyond/adaptive/{target}-{opponent}", "recognised habits add to minimax of the same "
                            f"depth and recall in {target} against the {opponent} opponent", found["doubting"],
                            found["minimax"], "minus the control that only knows ended games: "
                            f"{spread(difference(found['doubting'], found['control']), True)}")
            )  # fmt: skip
            findings.figures.append(
                Figure(f"adaptive-{target}-{opponent}", f"{target} against the {opponent} opponent", "match",
                       "average reward since match 1",
                       [curve(learners[name].label, rewards, start=30) for name, rewards in found.items()])
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
    learner = Learner("transfer", "transfer", source=source)
    for opponent in OPPONENTS:
        found = {
            "control": _run(shop, game, opponent, CONTROL, declared),
            "declared equivalence": _run(shop, game, opponent, learner, declared),
            "none declared": _run(shop, game, opponent, learner),
            "minimax, 2 plies": _run(shop, game, opponent, look_ahead(2), declared),
        }
        ours = found["declared equivalence"]
        for name, rewards in found.items():
            rows.append([opponent, *window_row(name, rewards, [found["control"]])])
        findings.claims += [
            order_claim(f"beyond/outcomes/{opponent}", "features carried by a declared equivalence add to knowing "
                        f"ended games, against {opponent}", ours, found["control"],
                        f"minus minimax of equal depth: {spread(difference(ours, found['minimax, 2 plies']), True)}"),
            order_claim(f"beyond/outcomes/{opponent}-declared", "the declared equivalence is better than taking 40 for "
                        f"a loss, against {opponent}", ours, found["none declared"]),
        ]  # fmt: skip
        findings.figures.append(
            Figure(f"outcomes-{opponent}", f"scored tic-tac-toe against {opponent}", "match",
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
    both = {"alternate": 1}
    source = Source(matches=3000, groups=GROUPS, runs=4, alternate=1)
    learners: Mapping[str, Learner] = {
        "baseline": Learner("baseline", "baseline", "literal", options=both),
        "control": Learner("terminal-only", "terminal-only", "terminal-check", options=both),
        "transfer": Learner("transfer", "transfer", source=source, options=both),
        "minimax": Learner("minimax, 2 plies", "look-ahead", options=both),
    }
    for target in TARGETS:
        found = {name: _run(shop, target, "eps-greedy", learner) for name, learner in learners.items()}
        for name, rewards in found.items():
            rows.append([target, *window_row(learners[name].label, rewards, [found["control"]])])
        findings.claims += [
            order_claim(f"beyond/alternating/{target}", f"transfer adds to knowing ended games in {target} when roles "
                        "alternate", found["transfer"], found["control"],
                        f"minus minimax: {spread(difference(found['transfer'], found['minimax']), True)}"),
        ]  # fmt: skip
        findings.figures.append(
            Figure(f"alternating-{target}", f"{target} against eps-greedy, roles alternating", "match",
                   "average reward since match 1",
                   [curve(learners[name].label, rewards, start=30) for name, rewards in found.items()])
        )  # fmt: skip
    findings.tables.append(Table("Roles alternate", ["game", *WINDOW_HEAD, "minus control"], rows))
    return findings


def _target_experiment(target: str) -> Experiment:
    summary = f"{target}: deeper, recalled, pooled features, and habits of opponents"
    return Experiment(f"beyond-{target}", summary, lambda shop: features_beyond(shop, target))


BEYOND = [
    Experiment("aim", "features that add everywhere and beat minimax against weak and random opponents", aim),
    *(_target_experiment(target) for target in TARGETS),
    Experiment("recognise", "recognising an opponent met before", recognise),
    Experiment("adaptive", "opponents that learn, and opponents that change", adaptive),
    Experiment("outcomes", "outcomes other than 0, 50 and 100, through a declared equivalence", outcomes),
    Experiment("alternating", "roles that change from match to match", alternating),
]
