"""What a match measured, per unit and kind of player."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from heartlab.arena.rows import Match
from heartlab.util.statistics import FloatArray

MEASURES = ("points", "finals", "won", "deals_won", "moons", "conceded", "forfeits")
PER_UNIT = (*MEASURES, "decisions", "played", "unfinished")
"""The arrays of a result with one row per unit."""


@dataclass
class MatchResult:
    """What a match measured, per unit and kind of player.

    >>> from heartlab import Rules, make_player
    >>> from heartlab.arena import run_match
    >>> match = Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), units=10, seed=1)
    >>> result = run_match(match)
    >>> result.units, result.deals, result.points.shape
    (10, 140, (10, 2))
    >>> result.first_units(4).deals
    56
    """

    match: Match
    points: FloatArray
    """[units, kinds]: mean points per deal and seat."""
    finals: FloatArray
    """[units, kinds]: mean final score per seat; in a match of deals the same as points."""
    won: FloatArray
    """[units, kinds]: share of the arrangements won, ties split; nobody wins an abandoned game."""
    deals_won: FloatArray
    """[units, kinds]: share of the deals won, ties split."""
    moons: FloatArray
    """[units, kinds]: moons shot per deal and seat."""
    conceded: FloatArray
    """[units, kinds]: moons shot by another seat, per deal and seat."""
    forfeits: npt.NDArray[np.int64]
    """[units, kinds]: illegal or late answers."""
    decisions: npt.NDArray[np.int64]
    """[units, kinds]: choices made."""
    played: npt.NDArray[np.int64]
    """[units]: deals played, all arrangements counted."""
    unfinished: npt.NDArray[np.int64]
    """[units]: games abandoned because they did not end, all arrangements counted."""
    thinking: FloatArray
    """[kinds]: seconds spent choosing."""
    illegal: dict[tuple[int, str], str] = field(default_factory=dict)
    """Why the first illegal "card" and the first illegal "pass" of each kind were illegal."""
    seconds: float = 0.0
    interrupted: bool = False
    not_kept: str = ""
    """Why the match could not be saved to its file; empty if it was saved or has no file."""

    @property
    def units(self) -> int:
        """Units measured."""
        return len(self.points)

    @property
    def deals(self) -> int:
        """Deals played, all arrangements counted."""
        return int(self.played.sum())

    def first_units(self, count: int) -> MatchResult:
        """The result as if the match had stopped after `count` units; times are scaled in proportion."""
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
