"""What a match has measured, per unit and kind of player."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from heartlab.arena.rows import Match
from heartlab.arena.statistics import FloatArray

PER_UNIT = ("points", "finals", "won", "deals_won", "moons", "conceded", "forfeits")
PER_KIND = ("decisions", "thinking")
"""The names of the arrays of a result."""


@dataclass
class MatchResult:
    """What was measured, per unit and kind."""

    match: Match
    points: FloatArray
    """[units, kinds]: mean points per deal and seat."""
    finals: FloatArray
    """[units, kinds]: mean final score per seat (games only; otherwise the same as points)."""
    won: FloatArray
    """[units, kinds]: share of the arrangements won, ties split."""
    deals_won: FloatArray
    """[units, kinds]: share of the deals won, ties split."""
    moons: FloatArray
    """[units, kinds]: moons shot per deal and seat."""
    conceded: FloatArray
    """[units, kinds]: moons of other seats suffered per deal and seat."""
    forfeits: npt.NDArray[np.int64]
    """[units, kinds]: illegal or late answers."""
    decisions: npt.NDArray[np.int64]
    """[kinds]: choices made."""
    thinking: FloatArray
    """[kinds]: seconds spent choosing."""
    deals: int = 0
    """Deals played, all arrangements counted."""
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def units(self) -> int:
        """Units measured."""
        return len(self.points)

    def first_units(self, count: int) -> MatchResult:
        """The result as if the match had stopped after `count` units."""
        cut = {name: getattr(self, name)[:count] for name in PER_UNIT}
        return replace(self, **cut)


def join(match: Match, parts: list[MatchResult]) -> MatchResult:
    """The results of consecutive batches as one."""
    kinds = len(match.kinds)

    def stack(name: str) -> FloatArray:
        return np.concatenate([getattr(part, name) for part in parts]) if parts else np.zeros((0, kinds))

    return MatchResult(
        match,
        points=stack("points"),
        finals=stack("finals"),
        won=stack("won"),
        deals_won=stack("deals_won"),
        moons=stack("moons"),
        conceded=stack("conceded"),
        forfeits=stack("forfeits").astype(np.int64),
        decisions=np.sum([part.decisions for part in parts], axis=0, dtype=np.int64) if parts else np.zeros(kinds, int),
        thinking=np.sum([part.thinking for part in parts], axis=0) if parts else np.zeros(kinds),
        deals=sum(part.deals for part in parts),
    )
