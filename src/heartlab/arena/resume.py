"""A match that is saved to a file while it is played, so that it can continue after an interruption.

Units are independent and numbered, so the file holds the first of them. A match with more units continues from there;
one with fewer reports the first of those saved and leaves the file unchanged. Other players, rules or seeds are
refused.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from msgspec import Meta, Struct

from heartlab import __version__
from heartlab.arena.results import MEASURES, PER_UNIT, MatchResult
from heartlab.arena.rows import Match
from heartlab.util.bundle import FLOATS, WHOLE, Arrays, Bundle, BundleError, Form, open_bundle, write_bundle
from heartlab.util.errors import clipped

FORMAT = "heartlab-match"
SECONDS_BETWEEN_SAVES = 20.0


class KeepError(ValueError):
    """The file does not hold this match."""


def _identity(match: Match) -> dict[str, Any]:
    """Everything that determines the result of a unit, except the files of the players."""
    return {
        "players": [player.name for player in match.players],
        "rules": str(match.rules),
        "seed": match.seed,
        "games": match.games,
        "first": match.first,
        "package": __version__,
    }


def _digests(match: Match) -> dict[str, str]:
    """Hashes of the files that the players are made from: with a retrained model the match must not continue."""
    files = {str(path): path for player in match.kinds for path in player.named_files()}
    return {name: hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() for name, path in files.items()}


class _Preface(Struct):
    """What the header of every file has."""

    format: Any = None


class _Header(Struct):
    """The header of the file: what identifies the match, and sums."""

    players: list[str]
    rules: str
    seed: int
    games: bool
    first: int
    package: str
    deals: Annotated[int, Meta(ge=0, le=1 << 53)]
    seconds: Annotated[float, Meta(ge=0)]
    files: dict[str, str] | None = None
    """Absent in files of older versions."""


COUNTS = ("forfeits", "decisions", "played", "unfinished")


def _forms(bundle: Bundle) -> dict[str, Form]:
    """The arrays of a match. Files of older versions hold only the totals of some counts."""
    counts = WHOLE + FLOATS  # an empty result had floating-point counts
    forms = {name: Form(FLOATS, "units", "kinds") for name in MEASURES if name not in COUNTS}
    forms |= {name: Form(counts, "units", "kinds") for name in ("forfeits", "decisions")}
    if len(bundle.declared("decisions").shape) == 1:
        forms["decisions"] = Form(counts, "kinds")
    forms |= {name: Form(counts, "units", optional=True) for name in ("played", "unfinished")}
    return {**forms, "thinking": Form(FLOATS, "kinds")}


class Keeper:
    """Saves the result so far, every SECONDS_BETWEEN_SAVES and at the end."""

    def __init__(self, path: Path, match: Match) -> None:
        self.path, self.match = path, match
        self._files = _digests(match)
        self.failure = ""
        """Why the last attempt to save failed; empty if it succeeded."""
        self._saved = time.perf_counter()

    def load(self) -> MatchResult | None:
        """All units that were saved, which may be more than `match.units`; None if there is no file yet.

        :raises KeepError: if the file holds something else.
        :raises OSError: if no file can be written there.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self.path.parent):
            pass  # if nothing can be written there, fail now and not after the match
        if not self.path.exists():
            return None
        try:
            with open_bundle(self.path) as bundle:
                if bundle.header(_Preface).format != FORMAT:
                    raise KeepError(f"{self.path}: not a file of a match")
                header = bundle.header(_Header)
                self._check_identity(header)
                arrays = bundle.arrays(_forms(bundle), {"kinds": len(self.match.kinds)})
        except BundleError as error:
            raise KeepError(str(error)) from error
        _complete(arrays, header.deals)
        if any((arrays[name] < 0).any() for name in COUNTS) or int(arrays["played"].sum()) != header.deals:
            raise KeepError(f"{self.path}: its numbers of deals and decisions do not fit together")
        measured: dict[str, Any] = {name: arrays[name] for name in (*PER_UNIT, "thinking")}
        return MatchResult(self.match, **measured, seconds=header.seconds)

    def _check_identity(self, header: _Header) -> None:
        for key, value in _identity(self.match).items():
            if getattr(header, key) != value:
                kept, now = clipped(getattr(header, key), 80), clipped(value, 80)
                raise KeepError(f"{self.path}: holds a match with {key} {kept}, not {now}")
        kept_files = self._files if header.files is None else header.files
        for name in sorted({*kept_files, *self._files}):
            if kept_files.get(name) != self._files.get(name):
                raise KeepError(f"{self.path}: {clipped(name, 120)} changed since this match was saved")

    @property
    def is_due(self) -> bool:
        """Whether it is time to save again."""
        return time.perf_counter() - self._saved >= SECONDS_BETWEEN_SAVES

    def save(self, result: MatchResult) -> None:
        """Save the result so far, unless another process has saved more. Errors such as a full disk are only noted."""
        self._saved = time.perf_counter()
        if self._units_saved() > result.units:
            return
        header = {
            "format": FORMAT, **_identity(self.match), "deals": result.deals, "seconds": result.seconds,
            "files": self._files,
        }  # fmt: skip
        arrays = {name: np.asarray(getattr(result, name)) for name in (*PER_UNIT, "thinking")}
        try:
            write_bundle(self.path, header, arrays)
            self.failure = ""
        except OSError as error:
            self.failure = error.strerror or str(error)

    def _units_saved(self) -> int:
        """How many units of this match the file holds."""
        try:
            with open_bundle(self.path) as bundle:
                self._check_identity(bundle.header(_Header))
                units: int = bundle.declared("points").shape[0]
                return units
        except (BundleError, KeepError):
            return 0


def _complete(arrays: Arrays, deals: int) -> None:
    """Files of older versions hold only totals of the counts: spread them evenly over the units."""
    units = len(arrays["points"])

    def spread(total: int) -> npt.NDArray[np.int64]:
        return np.diff(np.arange(units + 1) * total // max(units, 1))

    if arrays["decisions"].ndim == 1:
        arrays["decisions"] = np.stack([spread(int(total)) for total in arrays["decisions"]], axis=1)
    arrays.setdefault("played", spread(deals))
    arrays.setdefault("unfinished", np.zeros(units, np.int64))


def rest_of(match: Match, done: int) -> Match:
    """The match without its first `done` units."""
    return replace(match, first=match.first + done, units=max(0, match.units - done))
