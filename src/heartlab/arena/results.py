"""What a match has measured, per unit and kind of player."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from heartlab.arena.rows import Match
from heartlab.util.statistics import FloatArray

MEASURES = ("points", "finals", "won", "deals_won", "moons", "conceded", "forfeits")
PER_UNIT = (*MEASURES, "decisions", "played", "unfinished")
"""The names of the arrays of a result that have a row per unit; `thinking` has none."""


@dataclass
class MatchResult:
    """What was measured, per unit and kind."""

    match: Match
    points: FloatArray
    """[units, kinds]: mean points per deal and seat."""
    finals: FloatArray
    """[units, kinds]: mean final score per seat (games only; otherwise the same as points)."""
    won: FloatArray
    """[units, kinds]: share of the arrangements won, ties split; nobody wins a game that did not end."""
    deals_won: FloatArray
    """[units, kinds]: share of the deals won, ties split."""
    moons: FloatArray
    """[units, kinds]: moons shot per deal and seat."""
    conceded: FloatArray
    """[units, kinds]: moons of other seats suffered per deal and seat."""
    forfeits: npt.NDArray[np.int64]
    """[units, kinds]: illegal or late answers."""
    decisions: npt.NDArray[np.int64]
    """[units, kinds]: choices made."""
    played: npt.NDArray[np.int64]
    """[units]: deals played, all arrangements counted."""
    unfinished: npt.NDArray[np.int64]
    """[units]: games that were given up because they did not end, all arrangements counted."""
    thinking: FloatArray
    """[kinds]: seconds spent choosing."""
    illegal: dict[tuple[int, str], str] = field(default_factory=dict)
    """What was wrong with the first illegal "card" and "pass" of each kind, in words."""
    seconds: float = 0.0
    interrupted: bool = False
    not_kept: str = ""
    """Why the match could not be kept in its file; empty if it was, or if there is none."""

    @property
    def units(self) -> int:
        """Units measured."""
        return len(self.points)

    @property
    def deals(self) -> int:
        """Deals played, all arrangements counted."""
        return int(self.played.sum())

    def first_units(self, count: int) -> MatchResult:
        """The result as if the match had stopped after `count` units.

        Times are not known per unit: the same speed is assumed for all.
        """
        if count >= self.units:
            return self
        cut = replace(self, **{name: getattr(self, name)[:count] for name in PER_UNIT})
        cut.thinking = self.thinking * cut.decisions.sum(axis=0) / np.maximum(self.decisions.sum(axis=0), 1)
        cut.seconds = self.seconds * cut.deals / max(self.deals, 1)
        return cut


def join(match: Match, parts: list[MatchResult]) -> MatchResult:
    """The results of consecutive batches as one."""
    kinds = len(match.kinds)

    def stack(name: str) -> FloatArray:
        return np.concatenate([getattr(part, name) for part in parts]) if parts else np.zeros((0, kinds))

    def stack_counts(name: str) -> npt.NDArray[np.int64]:
        return stack(name).astype(np.int64)

    return MatchResult(
        match,
        points=stack("points"),
        finals=stack("finals"),
        won=stack("won"),
        deals_won=stack("deals_won"),
        moons=stack("moons"),
        conceded=stack("conceded"),
        forfeits=stack_counts("forfeits"),
        decisions=stack_counts("decisions"),
        played=stack_counts("played") if parts else np.zeros(0, np.int64),
        unfinished=stack_counts("unfinished") if parts else np.zeros(0, np.int64),
        thinking=np.sum([part.thinking for part in parts], axis=0) if parts else np.zeros(kinds),
        illegal={which: reason for part in reversed(parts) for which, reason in part.illegal.items()},
    )
