"""Keeping the deals of a match in a record file."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any, TextIO

from heartlab.arena.rows import FinishedDeals, Match
from heartlab.cards import CardSet
from heartlab.deal import Deal
from heartlab.kernel.layout import NOBODY
from heartlab.records.format import DealRecord, to_json, to_text


class Recorder:
    """Writes every finished deal, in order: text, or JSON Lines if the file's name ends in .jsonl.

    The file appears under its name only when the match is over (or was interrupted); a run that fails leaves what it
    had in a file with `.part` behind its name. Links are followed; what is no regular file, such as a pipe, is written
    to as it is.
    """

    def __init__(self, path: Path, match: Match) -> None:
        """
        :raises IsADirectoryError: if there is a directory of that name.
        """
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
        self.path = path.resolve()
        self.match = match
        self.count = 0
        self._as_json = path.suffix == ".jsonl"
        self._is_special = self.path.exists() and not self.path.is_file()
        self._partial = self.path if self._is_special else self.path.with_name(self.path.name + ".part")
        self._out: TextIO

    def __enter__(self) -> Recorder:
        self._out = open(self._partial, "w", encoding="utf-8")
        return self

    def __exit__(self, failure: type[BaseException] | None, *exc: object) -> None:
        self._out.close()
        if failure is None and not self._is_special:
            self._partial.replace(self.path)

    def __call__(self, deals: FinishedDeals) -> None:
        """Write the deals of one batch."""
        for row in range(len(deals.units)):
            record = self._record(deals, row)
            if self._as_json:
                self._out.write(to_json(record) + "\n")
            else:
                self._out.write(to_text(record, header=self.count == 0))
            self.count += 1

    def _record(self, deals: FinishedDeals, row: int) -> DealRecord:
        rules, n = self.match.rules, self.match.rules.players
        final = deals.final[row]
        direction = Deal._from_state(rules, deals.final[row : row + 1], ()).pass_direction

        def masks(field: str, source: Any = final) -> tuple[CardSet, ...]:
            return tuple(CardSet(int(mask)) for mask in source[field][:n])

        plays = tuple(int(card) for card in deals.histories[row, : rules.plays])
        first = next(seat for seat, played in enumerate(masks("played")) if plays[0] in played)
        scores = tuple(int(score) for score in final["scores"][:n])
        return DealRecord(
            rules=rules,
            number=int(final["deal_number"]),
            game=int(deals.units[row]) if self.match.games else None,
            hands=masks("hands", deals.dealt[row]),
            pass_direction=direction,
            kitty=CardSet(int(final["kitty"])),
            passed=masks("passed") if direction != "hold" else None,
            received=masks("received") if direction == "pool" else None,
            leader=first,
            plays=plays,
            points=tuple(int(value) for value in deals.points[row]),
            moon=int(deals.shooters[row]) if deals.shooters[row] != NOBODY else None,
            scores=scores if any(scores) else None,
            players=tuple(self.match.kinds[kind].name for kind in deals.seatings[row]),
            seed=self.match.seed,
        )
