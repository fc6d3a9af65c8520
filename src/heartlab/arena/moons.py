"""Statistics of moons: who tries, who makes it, who concedes, who stops it, and what it costs to fail.

What a player wants cannot be seen, so a *try* is defined by what it took: after some trick it alone has points, and at
least 60 % of all. Somebody who is only left with Q♠ does not try; who takes Q♠ and three hearts before anybody else has
a point does, willing or not. A try is *stopped* by the seat that takes the next points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from heartlab.arena.rows import FinishedDeals, Match
from heartlab.kernel.layout import NOBODY
from heartlab.util.statistics import FloatArray

if TYPE_CHECKING:
    from rich.table import Table

TRY = 0.6
"""The share of all points that makes a try."""
COUNTS = ("seats", "tries", "made", "failed", "stopped", "conceded")
LEADS = ("made", "failed", "without")
"""Deals whose points are told apart: with a moon of the seat, with a try that failed, without a try."""


def tries_and_stops(deals: FinishedDeals, worth: FloatArray) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """[rows, seats]: whether the seat tried to shoot the moon; whether it stopped another seat that tried.

    :param worth: [52]: the points of each penalty card, 0 for other cards.
    """
    rows, seats = deals.points.shape
    played = deals.histories[0] >= 0
    cards = deals.histories[:, played].astype(np.uint64)
    gained = np.zeros((rows, cards.shape[1] // seats, seats))
    for seat in range(seats):
        took = deals.final["taken"][:, [seat]] >> cards & np.uint64(1)
        gained[:, :, seat] = (took * worth[cards.astype(np.int64)]).reshape(rows, -1, seats).sum(axis=2)
    so_far = gained.cumsum(axis=1)
    out = so_far.sum(axis=2, keepdims=True)
    alone = (so_far == out) & (out >= TRY * worth.sum())
    tried: npt.NDArray[np.bool_] = alone.any(axis=1)
    # the trick after the last one at which a seat was alone: who takes it stops the try
    stops = np.zeros((rows, seats), np.bool_)
    ended = alone[:, :-1] & ~alone[:, 1:]
    for row, trick, _ in zip(*np.nonzero(ended), strict=True):
        stops[row, int(gained[row, trick + 1].argmax())] = True
    return tried, stops


@dataclass
class MoonCounter:
    """Listens to a match and counts; see the module for what is counted.

    >>> from heartlab import Rules, make_player
    >>> from heartlab.arena import run_match
    >>> match = Match([make_player("gnome:peter"), make_player("gnome")], Rules.parse("standard"), units=20, seed=1)
    >>> counter = MoonCounter(match)
    >>> result = run_match(match, listener=counter)
    >>> peter, stock = counter.report()
    >>> peter["tries"] > stock["tries"]
    True
    """

    match: Match
    counts: dict[str, FloatArray] = field(init=False)
    """[kinds], by name."""
    leads: dict[str, FloatArray] = field(init=False)
    """[kinds]: sums of points less the mean of the others', by kind of deal."""
    lost_to: FloatArray = field(init=False)
    """[kinds, kinds]: moons conceded, and by whom they were shot."""

    def __post_init__(self) -> None:
        kinds, rules = len(self.match.kinds), self.match.rules
        self.counts = {name: np.zeros(kinds) for name in COUNTS}
        self.leads = {name: np.zeros(kinds) for name in LEADS}
        self.lost_to = np.zeros((kinds, kinds))
        points = [rules.card_points(card) if card in rules.penalty_cards else 0 for card in range(52)]
        self._worth = np.array(points, float)

    def __call__(self, deals: FinishedDeals) -> None:
        seats = np.arange(deals.points.shape[1])
        made = deals.shooters[:, None] == seats
        conceded = ~made & (deals.shooters != NOBODY)[:, None]
        tried, stops = tries_and_stops(deals, self._worth)
        failed = tried & ~made
        counted = dict(zip(COUNTS, (np.ones(made.shape), tried | made, made, failed, stops, conceded), strict=True))
        others = (deals.points.sum(axis=1, keepdims=True) - deals.points) / (len(seats) - 1)
        gaps = deals.points - others
        parts = dict(zip(LEADS, (made, failed, ~made & ~failed), strict=True))
        for kind in range(len(self.match.kinds)):
            mine = deals.seatings == kind
            for name, values in counted.items():
                self.counts[name][kind] += values[mine].sum()
            for name, where in parts.items():
                self.leads[name][kind] += gaps[mine & where].sum()
        for row in np.flatnonzero(deals.shooters != NOBODY):
            by = deals.seatings[row, deals.shooters[row]]
            np.add.at(self.lost_to, (deals.seatings[row][conceded[row]], by), 1.0)

    def report(self) -> list[dict[str, Any]]:
        """For each kind: shares of its deals, and points less the mean of the others' in each kind of deal."""
        found = []
        for kind, player in enumerate(self.match.kinds):
            count = {name: float(values[kind]) for name, values in self.counts.items()}
            without = count["seats"] - count["made"] - count["failed"]
            sizes = {"made": count["made"], "failed": count["failed"], "without": without}
            points = {name: self.leads[name][kind] / size if size else None for name, size in sizes.items()}
            seats = max(count["seats"], 1.0)
            shares = {name: count[name] / seats for name in COUNTS if name != "seats"}
            lost = {other.name: self.lost_to[kind, by] / seats for by, other in enumerate(self.match.kinds)}
            found.append({
                "name": player.name, "deals": int(count["seats"]), **shares, "conceded_to": lost,
                "points": {name: None if value is None else float(value) for name, value in points.items()},
                "failed_cost": _less(points["failed"], points["without"]),
            })  # fmt: skip
        return found

    def table(self) -> Table:
        """The report for people."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        table = Table(title="moons, in shares of a seat's deals; a try: all points so far, and 60 % of the deal's",
                      title_justify="left", box=SIMPLE_HEAD, padding=(0, 0, 0, 1))  # fmt: skip
        table.add_column("player", overflow="fold", min_width=6)
        for head in ("tries", "made", "failed", "failing costs", "stopped", "conceded"):
            table.add_column(head, justify="right", no_wrap=True)
        table.add_column("of these to", overflow="fold")
        for line in self.report():
            cost = line["failed_cost"]
            lost = sorted(line["conceded_to"].items(), key=lambda one: -one[1])
            table.add_row(
                line["name"],
                *(f"{100 * line[name]:.2f} %" for name in ("tries", "made", "failed")),
                "-" if cost is None else f"{cost:+.1f}",
                *(f"{100 * line[name]:.2f} %" for name in ("stopped", "conceded")),
                ", ".join(f"{name} {100 * share:.2f} %" for name, share in lost if share > 0),
            )
        return table


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else float(one - other)
