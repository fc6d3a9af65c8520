"""A match result as JSON values (a stable format for scripts) and as a table for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from heartlab.arena.results import MatchResult
from heartlab.util.statistics import Estimate, estimate

if TYPE_CHECKING:
    from rich.table import Table


def _number(value: float) -> float | None:
    """JSON has neither NaN nor infinity: None instead."""
    return float(value) if math.isfinite(value) else None


def _interval(value: Estimate) -> list[float | None]:
    return [_number(end) for end in value.ci95]


def result_dict(result: MatchResult) -> dict[str, Any]:
    """The result as plain values for JSON; docs/arena.md describes the keys."""
    match = result.match
    players = []
    for kind, player in enumerate(match.kinds):
        points = estimate(result.points[:, kind])
        finals = estimate(result.finals[:, kind])
        decisions = int(result.decisions[:, kind].sum())
        players.append(
            {
                "name": player.name,
                "mean": _number(points.mean),
                "ci95": _interval(points),
                "se": _number(points.se),
                "deals_won": _number(estimate(result.deals_won[:, kind]).mean),
                "games_won": _number(estimate(result.won[:, kind]).mean) if match.games else None,
                "games_won_ci95": _interval(estimate(result.won[:, kind])) if match.games else None,
                "final_score": _number(finals.mean) if match.games else None,
                "final_score_ci95": _interval(finals) if match.games else None,
                "moons": _number(estimate(result.moons[:, kind]).mean),
                "moons_conceded": _number(estimate(result.conceded[:, kind]).mean),
                "forfeits": int(result.forfeits[:, kind].sum()),
                "decisions": decisions,
                "ms_per_decision": 1000.0 * float(result.thinking[kind]) / decisions if decisions else None,
            }
        )
    difference = None
    if len(players) > 1 and result.units:
        gap = estimate(result.points[:, 0] - result.points[:, 1])
        difference = {"mean": _number(gap.mean), "ci95": _interval(gap), "se": _number(gap.se), "p": gap.p}
    return {
        "rules": str(match.rules),
        "unit": "game" if match.games else "deal",
        "deals": result.units,
        "arrangements": len(match.seatings),
        "deals_played": result.deals,
        "games_unfinished": int(result.unfinished.sum()) if match.games else None,
        "seed": match.seed,
        "open": match.open,
        "seconds": result.seconds,
        "deals_per_second": result.deals / result.seconds if result.seconds else None,
        "interrupted": result.interrupted,
        "players": players,
        "difference": difference,
    }


def _spread(value: Estimate, digits: int = 3) -> str:
    """A mean and half the width of its interval."""
    if not math.isfinite(value.mean):
        return "-"
    half = value.ci95[1] - value.mean
    return f"{value.mean:.{digits}f}" + (f" ± {half:.{digits}f}" if math.isfinite(half) else "")


def result_table(result: MatchResult) -> Table:
    """The result as a rich table; points and scores have 95 % intervals."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    match = result.match
    unit = "games" if match.games else "deals"
    table = Table(
        title=f"{match.rules}: {result.units} {unit} × {len(match.seatings)} arrangements, seed {match.seed}",
        title_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 0, 0, 1),
    )
    table.add_column("player", overflow="fold", min_width=6)
    heads = ["points/deal", "deals won", "moons", "conceded", "forfeits", "ms/choice"]
    if match.games:
        heads[1:1] = ["final score", "games won"]
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    for kind, player in enumerate(match.kinds):
        decisions = int(result.decisions[:, kind].sum())
        cells = [
            _spread(estimate(result.points[:, kind])),
            f"{100 * estimate(result.deals_won[:, kind]).mean:.1f} %",
            f"{100 * estimate(result.moons[:, kind]).mean:.2f} %",
            f"{100 * estimate(result.conceded[:, kind]).mean:.2f} %",
            str(int(result.forfeits[:, kind].sum())),
            f"{1000 * result.thinking[kind] / decisions:.3g}" if decisions else "-",
        ]
        if match.games:
            cells[1:1] = [
                _spread(estimate(result.finals[:, kind]), 1),
                f"{100 * estimate(result.won[:, kind]).mean:.1f} %",
            ]
        table.add_row(player.name, *cells)
    return table


def summary_lines(result: MatchResult) -> list[str]:
    """The paired difference and the speed as text."""
    lines = []
    if result.unfinished.any():
        lines.append(f"{int(result.unfinished.sum())} games were abandoned after too many deals: nobody won them")
    if len(result.match.kinds) > 1 and result.units > 1:
        gap = estimate(result.points[:, 0] - result.points[:, 1])
        first, second = (player.name for player in result.match.kinds[:2])
        low, high = gap.ci95
        verdict = f"{first} − {second} = {gap.mean:+.3f} points per deal, 95 % interval [{low:+.3f}, {high:+.3f}], "
        lines.append(verdict + f"p = {gap.p:.2g} (fewer points are better)")
    if result.seconds:
        speed = result.deals / result.seconds
        lines.append(f"{result.deals:,} deals played in {result.seconds:.1f} s, {speed:,.0f} deals per second")
    if result.interrupted:
        lines.append("interrupted: the result covers the units finished before the interrupt")
    return lines
