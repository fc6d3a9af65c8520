"""How a FALCON agent perceives, chooses and learns: typed settings, and the texts that they are written as.

Every decision that the paper leaves open is an enum; its members are the readings that are printed in the paper, the
default, or needed beyond the paper. The text of a member is its name in lower case (`rule=delta`): recipes, run
folders and models hold these texts, and :func:`read_settings` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

TRICKS = 13
"""Of a deal under the rules that agents train with."""
MAX_TRICKS = 18
"""Of a deal under any rules."""


class Option(IntEnum):
    """A decision of the learner; kernels compare the numbers."""

    @property
    def text(self) -> str:
        """The member as it is written in settings."""
        return self.name.lower()

    @classmethod
    def read(cls, name: str, text: Any) -> Option:
        """The member of a text.

        :param name: the setting, for the message.
        :raises ValueError: if there is no such member.
        """
        known = {member.text: member for member in cls}
        if text in REMOVED.get(name, ()):
            raise ValueError(_removed(f"{name}={text}", f"choose from {', '.join(known)}"))
        if text not in known:
            raise ValueError(f"{name}={text} is unknown; choose from {', '.join(known)}")
        return known[text]


class Percepts(Option):
    """What the agent perceives."""

    PAPER = 0
    """The ten bits of the paper."""
    PLACE = 1
    """Those and the place in the trick, and whether hearts and Q♠ are on the table."""


class Rule(Option):
    """How motor weights learn."""

    DELTA = 0
    """Default reading: elements that are 1 in the learned vector grow towards 1."""
    AND = 1
    """As printed, x ∧ W: such elements stay."""
    RETURNS = 2
    """Beyond the paper: weights are mean returns of the rest of the deal."""
    TD = 3
    """Beyond the paper: values bootstrapped from the next choice, as in TD-FALCON."""

    @property
    def learns_values(self) -> bool:
        """Whether weights are values of actions, learned at the end of the deal."""
        return self in (Rule.RETURNS, Rule.TD)


class Floor(Option):
    """The floor towards which the other motor weights fall (`sp`)."""

    TRICK = 0
    """pv = 0.5·(1 − points in the trick / 16), as printed."""
    CONSTANT = 1
    """0, as in F_base."""


class Match(Option):
    """When a category matches a percept vector."""

    EXACT = 0
    """It was made for this vector: complement coding with vigilance 1."""
    WEIGHTS = 1
    """|x ∧ w| / |w| reaches the vigilance, as printed, without complement coding."""
    CODED = 2
    """|x ∧ w| / |x| reaches the vigilance, with complement coding: a category may come to cover many vectors."""


class Dump(Option):
    """When action a15 gets rid of A♠ and K♠."""

    OUT = 0
    """While Q♠ has not been played."""
    PRINTED = 1
    """After it has been played, as printed."""


REMOVED: Mapping[str, tuple[str, ...]] = {
    "sp": ("own",),
    "failure": ("nothing",),
    "ties": ("highest", "random"),
    "decay": ("applicable",),
    "pointless": ("ignored",),
    "match": ("percepts",),
    "choice": ("all",),
    "credit": ("card",),
    "outcomes": ("newest", "oldest", "good"),
}
"""Readings of 0.1 that were neither printed, nor the default, nor better than it."""
SINGLE: Mapping[str, str | float] = {
    "floor": 0.0, "failure": "invert", "ties": "lowest", "decay": "all", "pointless": "success",
    "choice": "applicable", "credit": "chosen", "outcomes": "together",
}  # fmt: skip
"""Settings of 0.1 with one value left; models and runs of 0.1 name them."""


def _removed(what: str, instead: str) -> str:
    return f"{what} was removed after heartlab 0.1; {instead}"


@dataclass(frozen=True)
class FalconSettings:
    """How an agent perceives and learns. The defaults are the default reading of the paper with two networks.

    >>> settings = FalconSettings(groups="1+12", rule=Rule.TD, rate=0.05)
    >>> settings.networks, settings.texts()["rule"]
    (4, 'td')
    >>> FalconSettings(rate=2.0)
    Traceback (most recent call last):
    ValueError: rate=2.0 needs a number from 0 to 1
    """

    percepts: Percepts = Percepts.PAPER
    separate: bool = True
    """Own networks for leading and following."""
    groups: str = "13"
    """The tricks of each group, such as 1+2+2+3+2+2+1; every group has its own networks."""
    rule: Rule = Rule.DELTA
    rate: float = 0.01
    fresh: float = 1.0
    """Weights of a new category; -1: the first vector that it learns, as printed: A, its inverse after a failure."""
    forced: bool = False
    """Whether turns with one legal card are learned from."""
    sp: Floor = Floor.TRICK
    epsilon: float = 0.0
    """Chance of a random action when training begins."""
    epsilon_end: float = 0.0
    """The same when training ends."""
    discount: float = 1.0
    relative: float = 0.0
    """Weight of the opponents' mean points in the reward, as a share of one's own."""
    match: Match = Match.EXACT
    vigilance: float = 1.0
    """The least match of the sensory field; not for `Match.EXACT`."""
    dump: Dump = Dump.OUT

    def __post_init__(self) -> None:
        """
        :raises ValueError: if a number is out of range.
        """
        for name in ("separate", "forced"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}={getattr(self, name)} needs true or false")
        group_of_tricks(self.groups)
        for name in ("rate", "vigilance", "epsilon", "epsilon_end", "discount", "relative"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name}={getattr(self, name)} needs a number from 0 to 1")
        if self.fresh != -1.0 and not 0.0 <= self.fresh <= 1.0:
            raise ValueError(f"fresh={self.fresh} needs a number from 0 to 1, or -1")

    @property
    def networks(self) -> int:
        """How many networks the agent has."""
        return (1 + group_of_tricks(self.groups)[-1]) * (1 + self.separate)

    def texts(self) -> dict[str, Any]:
        """The settings as they are written: what :func:`read_settings` reads."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value.text if isinstance(value, Option) else value for name, value in values.items()}


OPTIONS: Mapping[str, type[Option]] = {
    "percepts": Percepts, "rule": Rule, "sp": Floor, "match": Match, "dump": Dump,
}  # fmt: skip
"""The settings that are enums."""


def _check_single(name: str, value: Any) -> None:
    """Refuse all but the one value that is left of a setting."""
    left = f"only {name}={SINGLE[name]} is left"
    if value in REMOVED.get(name, ()) or (name == "floor" and isinstance(value, float) and 0.0 < value <= 1.0):
        raise ValueError(_removed(f"{name}={value}", left))
    if value != SINGLE[name]:
        raise ValueError(f"{name}={value} is unknown; {left}")


def read_settings(texts: Mapping[str, Any]) -> FalconSettings:
    """Settings from texts and numbers, those of 0.1 included.

    :raises ValueError: for a value that is unknown, was removed, or is out of range.
    :raises TypeError: for a name that is no setting.
    """
    values = {name: value for name, value in texts.items() if name not in SINGLE}
    for name in SINGLE.keys() & texts.keys():
        _check_single(name, texts[name])
    for name in OPTIONS.keys() & texts.keys():
        values[name] = OPTIONS[name].read(name, texts[name])
    return FalconSettings(**values)


def group_of_tricks(text: str) -> list[int]:
    """The group of each trick from sizes such as 7+6; tricks beyond the 13th belong to the last group.

    :raises ValueError: for anything that is no list of sizes with the sum 13.
    """
    sizes = str(text).split("+")
    if not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise ValueError(f"groups={text}: write numbers of tricks joined with +, such as 7+6")
    if sum(map(int, sizes)) != TRICKS:
        raise ValueError(f"groups={text} makes {sum(map(int, sizes))} tricks, but a deal has {TRICKS}")
    groups = [group for group, size in enumerate(sizes) for _ in range(int(size))]
    return (groups + [groups[-1]] * MAX_TRICKS)[:MAX_TRICKS]
