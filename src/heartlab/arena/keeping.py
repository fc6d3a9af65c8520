"""A match that is kept in a file while it is played, so that it can go on where it was interrupted.

Units are independent and numbered, so what is in the file is simply the first of them; a match with other players,
rules or seed is refused, one with more units goes on.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from heartlab import __version__
from heartlab.arena.results import PER_KIND, PER_UNIT, MatchResult
from heartlab.arena.rows import Match
from heartlab.bundle import BundleError, read_bundle, write_bundle

FORMAT = "heartlab-match"
SECONDS_BETWEEN_SAVES = 20.0


class KeepError(ValueError):
    """A file that holds no match, or another one."""


def _identity(match: Match) -> dict[str, Any]:
    """All that decides the result of a unit."""
    return {
        "players": [player.name for player in match.players],
        "rules": str(match.rules),
        "seed": match.seed,
        "games": match.games,
        "first": match.first,
    }


class Keeper:
    """Saves what has been played, now and then and at the end."""

    def __init__(self, path: Path, match: Match) -> None:
        self.path, self.match = path, match
        self._saved = time.perf_counter()

    def load(self) -> MatchResult | None:
        """What was played before; None if there is no file yet.

        :raises KeepError: if the file holds something else.
        """
        if not self.path.exists():
            return None
        try:
            header, arrays = read_bundle(self.path)
        except BundleError as error:
            raise KeepError(str(error)) from error
        if header.get("format") != FORMAT or not set(PER_UNIT + PER_KIND) <= set(arrays):
            raise KeepError(f"{self.path}: holds no match")
        for key, value in _identity(self.match).items():
            if header.get(key) != value:
                raise KeepError(f"{self.path}: holds a match with {key} {header.get(key)}, not {value}")
        measured: dict[str, Any] = {name: arrays[name] for name in PER_UNIT + PER_KIND}
        found = MatchResult(self.match, **measured, deals=int(header["deals"]), seconds=float(header["seconds"]))
        return found if found.units <= self.match.units else found.first_units(self.match.units)

    def save(self, result: MatchResult, *, at_once: bool = False) -> None:
        """Save the result so far, unless that was done a moment ago."""
        if not at_once and time.perf_counter() - self._saved < SECONDS_BETWEEN_SAVES:
            return
        header = {
            "format": FORMAT, **_identity(self.match), "deals": result.deals, "seconds": result.seconds,
            "package": __version__,
        }  # fmt: skip
        write_bundle(self.path, header, {name: np.asarray(getattr(result, name)) for name in PER_UNIT + PER_KIND})
        self._saved = time.perf_counter()


def rest_of(match: Match, done: int) -> Match:
    """What is left of a match after some units."""
    return replace(match, first=match.first + done, units=match.units - done)
