"""A FALCON agent as Python sees it: its settings, its categories, and games with partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.rng import seed_key
from heartlab.kernel.layout import STATE, StateArray, compile_rules
from heartlab.learners.falcon.actions import COUNT as ACTIONS
from heartlab.learners.falcon.categories import Categories
from heartlab.learners.falcon.kernels import LEARNER, MAX_TRICKS, MOST_POINTS, play_games, prepare
from heartlab.learners.falcon.partners import SELF, find_partner
from heartlab.rules import Rules

TRICKS = 13
"""Of a deal at the tables that agents train at."""
PointArray = npt.NDArray[np.int16]
CHOICES: dict[str, tuple[str, ...]] = {
    "percepts": ("paper", "place"),
    "rule": ("delta", "and", "returns", "td"),
    "sp": ("trick", "own", "constant"),
    "failure": ("invert", "nothing"),
    "ties": ("lowest", "highest", "random"),
    "decay": ("all", "applicable"),
    "pointless": ("success", "ignored"),
    "match": ("exact", "weights", "percepts", "coded"),
    "choice": ("applicable", "all"),
    "credit": ("chosen", "card"),
    "dump": ("out", "printed"),
    "outcomes": ("together", "newest", "oldest", "good"),
}
"""What the settings that are words can be, in the order of the kernel's numbers."""


@dataclass(frozen=True)
class FalconSettings:
    """How an agent sees and learns. The defaults are the default reading of the paper with two networks."""

    percepts: str = "paper"
    """paper: ten bits; place: also the place in the trick and what lies on the table."""
    separate: bool = True
    """Own networks for leading and following."""
    groups: str = "13"
    """The tricks of each group, such as 1+2+2+3+2+2+1; every group has its own networks."""
    rule: str = "delta"
    """delta: our reading; and: the printed equation; beyond the paper: returns (rest of the deal), td (TD-FALCON)."""
    rate: float = 0.01
    fresh: float = 1.0
    """Weights of a new category; -1: the first vector that it learns, as printed: A, its inverse after a failure."""
    forced: bool = False
    """Whether turns with one legal card are learned from."""
    sp: str = "trick"
    """Whose points set the floor: of the trick, only our own, constant (then it is `floor`)."""
    floor: float = 0.0
    failure: str = "invert"
    ties: str = "lowest"
    decay: str = "all"
    pointless: str = "success"
    epsilon: float = 0.0
    """How often a random action is tried, at the beginning."""
    epsilon_end: float = 0.0
    """The same at the end of training."""
    discount: float = 1.0
    relative: float = 0.0
    """How much the others' points please, as a share of one's own."""
    match: str = "exact"
    """exact: one category per percept vector. By `vigilance`: weights (divided by |W|, as printed), percepts (by |S|),
    coded (by |S| with complement coding: categories generalise)."""
    vigilance: float = 1.0
    """The least match of the sensory field; not for exact."""
    choice: str = "applicable"
    """Among which actions the highest weight is looked for: applicable, or all (if that one does not apply, the first
    that does is carried out)."""
    credit: str = "chosen"
    """What is learned as done: the chosen action, or all actions that name its card."""
    dump: str = "out"
    """When a15 gets rid of A♠ and K♠: while Q♠ is out, or as printed (after it has been played)."""
    outcomes: str = "together"
    """Whether a percept vector has one category, or one for good and one for bad outcomes; then the newest, the oldest
    or the good one is asked."""

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)} is unknown; choose from {', '.join(known)}")
        for name in ("separate", "forced"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}={getattr(self, name)} needs true or false")
        group_of_tricks(self.groups)
        if self.outcomes != "together" and self.rule in ("returns", "td"):
            raise ValueError(f"outcomes={self.outcomes} needs feedback after each trick, not rule={self.rule}")
        for name in ("rate", "floor", "vigilance", "epsilon", "epsilon_end", "discount", "relative"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name}={getattr(self, name)} needs a number from 0 to 1")
        if self.fresh != -1.0 and not 0.0 <= self.fresh <= 1.0:
            raise ValueError(f"fresh={self.fresh} needs a number from 0 to 1, or -1")

    @property
    def networks(self) -> int:
        """How many networks the agent has."""
        return (1 + group_of_tricks(self.groups)[-1]) * (1 + self.separate)


def group_of_tricks(text: str) -> list[int]:
    """The group of each of the 13 tricks from sizes such as 7+6; tricks beyond them belong to the last group.

    :raises ValueError: for anything that is no list of sizes with the sum 13.
    """
    sizes = str(text).split("+")
    if not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise ValueError(f"groups={text}: write numbers of tricks joined with +, such as 7+6")
    if sum(map(int, sizes)) != TRICKS:
        raise ValueError(f"groups={text} makes {sum(map(int, sizes))} tricks, but a deal has {TRICKS}")
    groups = [group for group, size in enumerate(sizes) for _ in range(int(size))]
    return (groups + [groups[-1]] * MAX_TRICKS)[:MAX_TRICKS]


def check_rules(rules: Rules) -> None:
    """Refuse rules that agents cannot train under: they learn from the penalty cards of tricks, and nothing else.

    :raises ValueError: unless four play without passing, and no trick counts more or less than its penalty cards say.
    """
    if rules.players != 4 or rules.passing != ("hold",):
        raise ValueError(f"FALCON agents train at tables of four without passing, not under {rules}")
    for name, plain in (("moon", "off"), ("bonus", None), ("doubler", None), ("no_tricks", 0), ("kitty", "none")):
        if getattr(rules, name) != plain:
            raise ValueError(f"FALCON agents learn from the penalty cards of tricks: not under rules with {name}")
    most = sum(sorted(map(rules.card_points, rules.penalty_cards))[-rules.players :])
    if most > MOST_POINTS:
        raise ValueError(
            f"FALCON agents know tricks of up to {MOST_POINTS:g} points; under {rules} one may have {most}"
        )


def learner_record(settings: FalconSettings, rules: Rules, *, learning: bool = False, epsilon: float = 0.0,
                   leader: int = -1) -> StateArray:  # fmt: skip
    """The settings as the kernel takes them: an array of one record."""
    array = np.zeros(1, LEARNER)
    record = array[0]
    for name, known in CHOICES.items():
        record[name] = known.index(getattr(settings, name))
    record["groups"] = group_of_tricks(settings.groups)
    for name in ("separate", "forced", "rate", "vigilance", "fresh", "floor", "discount", "relative"):
        record[name] = getattr(settings, name)
    record["learning"], record["epsilon"], record["leader"] = learning, epsilon, leader
    record["total"] = rules.total_points
    return array


class FalconAgent:
    """An agent with its categories."""

    def __init__(self, settings: FalconSettings, rules: Rules, categories: Categories | None = None) -> None:
        check_rules(rules)
        self.settings, self.rules = settings, rules
        self.categories = categories or Categories(ACTIONS)
        prepare()

    def play(
        self, partners: Sequence[str], seed: int, purpose: str, first: int, count: int, *, learning: bool = False,
        epsilon: float = 0.0, leader: int = -1, stand_in: str | None = None,
    ) -> PointArray:  # fmt: skip
        """Play games number `first` and on with three partners; the points of the agent, then of those after it.

        :param leader: seats from the agent to the first leader; -1: as the rules say.
        :param stand_in: a partner that plays in the agent's place, for comparison.
        """
        points = np.zeros((count, 4), np.int16)
        seats = [stand_in or SELF, *partners]
        own, left, across, right = (find_partner(name) for name in seats)
        itself = np.array([name == SELF for name in seats], np.int64)
        keys = seed_key(seed, f"{purpose} deals"), seed_key(seed, f"{purpose} players")
        record = learner_record(self.settings, self.rules, learning=learning, epsilon=epsilon, leader=leader)
        done, store = 0, self.categories
        while done < count:
            done += play_games(
                compile_rules(self.rules), *keys, first + done, np.zeros(1, STATE), record, store.slots, store.codes,
                store.owners, store.weights, store.visits, store.counts, own, left, across, right, itself,
                points[done:],
            )  # fmt: skip
            if done < count:
                store.grow()
        return points

    def ratio(self, partners: Sequence[str], seed: int, purpose: str, games: int, **options: Any) -> npt.NDArray[Any]:
        """The penalty ratio in each of some frozen games."""
        return self.play(partners, seed, purpose, 0, games, **options)[:, 0] / self.rules.total_points
