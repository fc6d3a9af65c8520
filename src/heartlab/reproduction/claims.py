"""Claims: statements of a paper with published and measured numbers, and a verdict that follows from an interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from heartlab.util.statistics import estimate

Verdict = Literal["holds", "fails", "unclear"]
Origin = Literal["paper", "reading", "control", "beyond"]
Size = Literal["", "as published", "smaller", "larger", "within the margin"]
Interval = tuple[float, float]

ORIGINS: dict[str, Origin] = {
    "readings": "reading",
    "distinct": "reading",
    "control": "control",
    "controls": "control",
    "calibration": "control",
    "stronger-expert": "control",
    "degradation": "control",
    "raw-cards": "control",
    "with-pairs": "control",
    "robustness": "control",
    "beyond": "beyond",
    "searches": "beyond",
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
    runs: int | None = None
    """Independent training runs behind the interval; None: it is not over runs."""
    size: Size = ""
    """How the effect compares with the published one, or with the margin if none is published."""
    margin: float | None = None
    """The least effect worth mentioning, stated in advance."""
    disputed: bool = False
    """Another paper of the same authors says the opposite."""

    @property
    def origin(self) -> Origin:
        """Where the statement comes from."""
        return origin_of(self.id)

    @property
    def ruling(self) -> str:
        """The verdict, with the size of what holds where it is not the published one, and what the papers dispute.

        What is unclear may still be clearly smaller than published.

        >>> Claim("a/b", "", None, 0.8, None, 1, "holds", size="smaller", disputed=True).ruling
        'holds, smaller, but disputed'
        >>> Claim("a/b", "", 0.5, 0.1, (-0.1, 0.3), 1, "unclear", size="smaller").ruling
        'unclear, smaller'
        """
        told = {"holds": ("smaller", "larger", "within the margin"), "unclear": ("smaller",), "fails": ()}
        words = f"{self.verdict}, {self.size}" if self.size in told[self.verdict] else self.verdict
        return f"{words}, but disputed" if self.disputed else words

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, which knows neither NaN nor infinity."""
        values = {**asdict(self), "origin": self.origin}
        values["published"], values["measured"] = _plain(self.published), _plain(self.measured)
        values["ci95"] = None if self.ci95 is None else [_plain(end) for end in self.ci95]
        return values


def origin_of(name: str) -> Origin:
    """Where an experiment, or the statement with this id, comes from."""
    return ORIGINS.get(name.partition("/")[0], "paper")


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


def size_of(interval: Interval, published: float | None, margin: float | None = None, about: float = 0.0) -> Size:
    """How an effect compares with the published one; without one, whether it is certainly below the margin.

    :param about: how far from the printed number the published effect may be, where the text says "about".

    >>> size_of((-0.2, -0.1), -1.0), size_of((-1.2, -0.9), -1.0), size_of((-0.04, -0.01), None, 0.05)
    ('smaller', 'as published', 'within the margin')
    >>> size_of((-1.2, -1.05), -1.0), size_of((-1.2, -1.05), -1.0, about=0.1)
    ('larger', 'as published')
    """
    low, high = interval
    if published:
        if published < 0:
            low, high, published = -high, -low, -published
        return "smaller" if high < published - about else "larger" if low > published + about else "as published"
    return "within the margin" if margin is not None and -margin < low and high < margin else ""


def less_claim(
    identity: str, statement: str, values: npt.ArrayLike, n: int, note: str, *, margin: float,
    published: float | None = None, about: float = 0.0,
) -> Claim:  # fmt: skip
    """A claim that a difference is below zero, over independent runs.

    It holds if the interval is below zero, fails if it excludes every effect of the margin or more, else it is unclear.

    :param values: one difference per run; `n` deals (or games) are behind all of them together.
    :param about: how far from the printed number the published effect may be, where the text says "about".
    """
    found = estimate(np.asarray(values, float))
    low, high = found.ci95
    verdict: Verdict = "holds" if high < 0 else "fails" if low > -margin else "unclear"
    if verdict == "unclear":
        note += f"; {found.n} runs cannot tell whether there is an effect of {margin:g}"
    return Claim(
        identity, statement, published, found.mean, (low, high), n, verdict, note, found.n,
        size_of((low, high), published, margin, about), margin,
    )  # fmt: skip


def more_claim(
    identity: str, statement: str, values: npt.ArrayLike, n: int, note: str, *, margin: float,
    published: float | None = None,
) -> Claim:  # fmt: skip
    """The same for a difference above zero."""
    turned = less_claim(
        identity, statement, -np.asarray(values, float), n, note, margin=margin,
        published=None if published is None else -published,
    )  # fmt: skip
    assert isinstance(turned.measured, float)
    assert turned.ci95 is not None
    return replace(turned, published=published, measured=-turned.measured, ci95=(-turned.ci95[1], -turned.ci95[0]))


def same_claim(identity: str, statement: str, values: npt.ArrayLike, n: int, note: str, *, margin: float) -> Claim:
    """A claim that two things are alike: it holds if the interval of their difference lies within the margin."""
    found = estimate(np.asarray(values, float))
    verdict = within(found.ci95, -margin, margin)
    note += f"; holds: within {margin:g}"
    if verdict == "unclear":
        note += f", which {found.n} runs cannot tell"
    return Claim(identity, statement, 0.0, found.mean, found.ci95, n, verdict, note, found.n, "", margin)


# --- numbers as text ---

MOST_DECIMALS = 6


def numbers(claim: Claim) -> tuple[str, tuple[str, str] | None]:
    """The measured value and the ends of its interval, with one number of decimals: as many as the interval deserves.

    Half of it is shown with one significant digit, or with two below 3.5; and an end that is not zero never looks like
    zero, since verdicts depend on its side.

    >>> numbers(Claim("a/b", "", None, 0.237, (0.0139, 0.460), 5, "holds"))
    ('0.24', ('0.01', '0.46'))
    >>> numbers(Claim("a/b", "", None, 0.0159, (0.0004, 0.0314), 5, "holds"))
    ('0.0159', ('0.0004', '0.0314'))
    """
    if not isinstance(claim.measured, float) or claim.ci95 is None or not all(map(math.isfinite, claim.ci95)):
        return number_text(claim.measured), None if claim.ci95 is None else _both(claim.ci95, number_text)
    low, high = claim.ci95
    half = (high - low) / 2
    decimals = 2
    if half > 0:
        lead = math.floor(math.log10(half))
        decimals = max(0, (1 if half / 10**lead < 3.5 else 0) - lead)
    while decimals < MOST_DECIMALS and any(end and not round(end, decimals) for end in claim.ci95):
        decimals += 1

    def text(value: float) -> str:
        return f"{round(value, decimals) + 0.0:,.{decimals}f}"

    return text(claim.measured), _both(claim.ci95, text)


def _both(ends: tuple[float, float], text: Callable[[float], str]) -> tuple[str, str]:
    return text(ends[0]), text(ends[1])


def number_text(value: float | str | None) -> str:
    """A number without an interval."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:#.3g}" if abs(value) < 10 else f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def interval_text(claim: Claim, *, sign: int = 1) -> str:
    """The measured value of a claim with its interval, or the opposite of both, for a table or a sentence.

    >>> interval_text(Claim("a/b", "", None, -1.104, (-1.19, -1.02), 5, "holds"), sign=-1)
    '1.10 [1.02, 1.19]'
    """
    if sign < 0:
        assert isinstance(claim.measured, float)
        assert claim.ci95 is not None
        claim = replace(claim, measured=-claim.measured, ci95=(-claim.ci95[1], -claim.ci95[0]))
    number, interval = numbers(claim)
    return number + (f" [{interval[0]}, {interval[1]}]" if interval else "")
