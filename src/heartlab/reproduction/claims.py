"""Claims: statements of a paper with published and measured numbers, and a verdict that follows from an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["holds", "fails", "unclear"]
Origin = Literal["paper", "reading", "control", "beyond"]
Interval = tuple[float, float]

ORIGINS: dict[str, Origin] = {
    "readings": "reading",
    "distinct": "reading",
    "control": "control",
    "controls": "control",
    "calibration": "control",
    "stronger-expert": "control",
    "beyond": "beyond",
    "four-players": "beyond",
    "rest": "beyond",
    "pairs": "beyond",
}
"""The origin of a claim by the first word of its id: another reading of a paper's statement, a control, a step beyond
the paper. All others are the paper's own."""


@dataclass(frozen=True)
class Claim:
    """One statement that an experiment checks.

    >>> interval = (0.4, 1.2)
    >>> claim = Claim("match/wins", "It beats the rule player.", None, 0.8, interval, n=1000, verdict=above(interval))
    >>> claim.verdict, claim.origin
    ('holds', 'paper')
    """

    id: str
    """``experiment/statement``; the id of a statement of ours begins with one of `ORIGINS`."""
    statement: str
    """The statement in our words."""
    published: float | str | None
    """The published number, if there is one."""
    measured: float | str | None
    ci95: Interval | None
    n: int
    """Sample size behind the interval."""
    verdict: Verdict
    note: str = ""
    """What was measured, in which unit, and other remarks."""

    @property
    def origin(self) -> Origin:
        """Where the statement comes from."""
        return ORIGINS.get(self.id.partition("/")[0], "paper")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, which knows neither NaN nor infinity."""
        values = {**asdict(self), "origin": self.origin}
        values["published"], values["measured"] = _plain(self.published), _plain(self.measured)
        values["ci95"] = None if self.ci95 is None else [_plain(end) for end in self.ci95]
        return values


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def above(interval: Interval, bound: float = 0.0) -> Verdict:
    """Whether a value is above a bound: unclear if its interval contains the bound."""
    low, high = interval
    if low > bound:
        return "holds"
    return "fails" if high < bound else "unclear"


def below(interval: Interval, bound: float = 0.0) -> Verdict:
    """Whether a value is below a bound."""
    return above((-interval[1], -interval[0]), -bound)


def within(interval: Interval, low: float, high: float) -> Verdict:
    """Whether a value lies in a range: holds if its interval does, fails if they do not touch."""
    if interval[0] >= low and interval[1] <= high:
        return "holds"
    return "fails" if interval[1] < low or interval[0] > high else "unclear"


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several statements together: it fails if one of them does."""
    if "fails" in verdicts:
        return "fails"
    return "unclear" if "unclear" in verdicts else "holds"
