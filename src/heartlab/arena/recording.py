"""Writing the deals of a match to a record file."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from heartlab.arena.rows import FinishedDeals, Match
from heartlab.cards import CardSet
from heartlab.deal import Deal
from heartlab.kernel.layout import NOBODY
from heartlab.records.format import DealRecord, to_json, to_text
from heartlab.util.files import followed, naming


class Recorder:
    """Writes every finished deal, in order: text, or JSON Lines if the file's name ends in .jsonl.

    The deals go to a file with the suffix `.part`, which is renamed when the match is over or was interrupted; after an
    error it stays. Symbolic links are followed; a pipe or device is written to directly.

    >>> import tempfile
    >>> from heartlab import Rules, make_player
    >>> from heartlab.arena import run_match
    >>> match = Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), units=2, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder, Recorder(Path(folder) / "deals.jsonl", match) as recorder:
    ...     result = run_match(match, listener=recorder)
    >>> recorder.count
    28
    """

    def __init__(self, path: Path, match: Match) -> None:
        """
        :raises IsADirectoryError: if the path is a directory.
        """
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
        self.path = followed(path)
        self.match = match
        self.count = 0
        self._as_json = path.suffix == ".jsonl"
        self._is_special = self.path.exists() and not self.path.is_file()
        self._partial = self.path if self._is_special else self.path.with_name(self.path.name + ".part")
        self._out: TextIO

    def __enter__(self) -> Recorder:
        if not self.path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(self.path.parent))
        self._out = open(self._partial, "w", encoding="utf-8")
        return self

    def __exit__(self, failure: type[BaseException] | None, *exc: object) -> None:
        with naming(self.path):
            self._out.close()
        if failure is None and not self._is_special:
            self._partial.replace(self.path)

    def __call__(self, deals: FinishedDeals) -> None:
        """Write the deals of one batch."""
        with naming(self.path):
            for row in range(len(deals.units)):
                record = self._record(deals, row)
                if self._as_json:
                    self._out.write(to_json(record) + "\n")
                else:
                    self._out.write(to_text(record, header=self.count == 0))
                self.count += 1

    def _record(self, deals: FinishedDeals, row: int) -> DealRecord:
        rules, n = self.match.rules, self.match.rules.players
        final, dealt = deals.final[row], deals.dealt[row]
        direction = Deal._from_state(rules, deals.final[row : row + 1], ()).pass_direction

        def sets(masks: Iterable[int]) -> tuple[CardSet, ...]:
            return tuple(CardSet(int(mask)) for mask in masks)

        plays = tuple(int(card) for card in deals.histories[row, : rules.plays])
        first = next(seat for seat, played in enumerate(sets(final["played"][:n])) if plays[0] in played)
        scores = tuple(int(score) for score in final["scores"][:n])
        return DealRecord(
            rules=rules,
            number=int(final["deal_number"]),
            game=int(deals.units[row]) if self.match.games else None,
            hands=sets(dealt["hands"][:n]),
            pass_direction=direction,
            kitty=CardSet(int(final["kitty"])),
            passed=sets(final["passed"][:n]) if direction != "hold" else None,
            received=sets(final["received"][:n]) if direction == "pool" else None,
            leader=first,
            plays=plays,
            points=tuple(int(value) for value in deals.points[row]),
            moon=int(deals.shooters[row]) if deals.shooters[row] != NOBODY else None,
            scores=scores if any(scores) else None,
            players=tuple(self.match.kinds[kind].name for kind in deals.seatings[row]),
            seed=self.match.seed,
        )
