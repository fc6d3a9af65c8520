"""The work of `heartlab analyse`: find the deal in a file, analyse it, print columns or JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from heartlab.cards import pretty_card
from heartlab.players import make_player
from heartlab.players.analysis import Analysis, analyse, review, searching
from heartlab.records.position import find_deal, situation
from heartlab.rules import Rules

SHARES = "(values on the scale of the evaluation, not points: they compare cards and are not a forecast)"
STEPS = 8
"""Cards of a line that the table shows."""


def run_analysis(
    path: Path,
    *,
    place: int,
    at: int | None,
    seat: int | None,
    player: str,
    seed: int,
    openspiel_rules: Rules,
    report: Callable[[Any], None] | None,
) -> None:
    """Analyse one decision of a recorded deal, or review all of them.

    :param place: which deal of the file, from 1.
    :param at: number of the card to be chosen, from 1; None reviews the deal.
    :param report: takes the machine-readable result instead of printing tables.
    """
    record, deal = find_deal(path, place, openspiel_rules)
    mind = searching(make_player(player))
    names = [f"seat {number}" for number in range(deal.rules.players)]
    if seat is not None and not 0 <= seat < deal.rules.players:
        raise ValueError(f"--seat {seat}: the deal has seats 0 to {deal.rules.players - 1}")
    if at is None:
        if not deal.history:
            raise ValueError(f"{path}: no card has been played in this deal; --at 1 looks at the first decision")
        found = []
        for analysis in review(deal, mind, seed=seed, seat=seat):
            found.append(analysis)
            if report is None:
                print(_review_line(analysis, names), flush=True)
        if report is None:
            _print_costs(found, names)
        else:
            report({"file": str(path), "deal": place, "seed": seed, "decisions": [one.to_dict() for one in found]})
        return
    before = deal.before(at)
    if before.to_move is None:
        raise ValueError("in this deal cards are still to be passed: there is no choice of a card to analyse")
    if seat is not None and seat != before.to_move:
        raise ValueError(f"--seat {seat}: card {at} is the choice of seat {before.to_move}; leave out --seat or --at")
    played = deal.history[at - 1] if at <= len(deal.history) else None
    analysis = analyse(before, mind, seed=seed, played=played)
    if report is not None:
        report({"file": str(path), "deal": place, "seed": seed, **analysis.to_dict()})
        return
    print(situation(before, names, record.players))
    for line in _card_table(analysis, names):
        print(line)


def _card_table(analysis: Analysis, names: Sequence[str]) -> list[str]:
    """The cards, best first, in columns."""
    values = "expected points" if analysis.in_points else "values"
    lines = [
        f"{analysis.player}: {values} of {names[analysis.seat]} in this deal",
        *([SHARES] if not analysis.in_points else []),
        "  card  expected           10-90 %         best in  how it goes on",
    ]
    places = _places(analysis)
    for report in analysis.cards:
        low, high = report.spread
        mark = "*" if report.card == analysis.played else " "
        lines.append(
            f" {mark}{pretty_card(report.card):<4}{_number(report.expected, report.se, places):>16}"
            f" {low:>8.{places - 1}f} …{high:>6.{places - 1}f}"
            f"{100 * report.best_in:>10.0f} %  "
            + "  ".join(
                f"{names[step.seat]} {pretty_card(step.card)} {100 * step.share:.0f} %" for step in report.line[:STEPS]
            )
            + ("  …" if len(report.line) > STEPS else "")
        )
    if len(analysis.cards) == 1:
        lines += ["", "the only legal card"]
    elif analysis.played is not None:
        lines += [
            "",
            f"* was played; against {pretty_card(analysis.choice)} it costs {_cost(analysis)}{_unit(analysis)}",
        ]
    return lines


def _unit(analysis: Analysis) -> str:
    return " points" if analysis.in_points else " on the scale of the evaluation"


def _places(analysis: Analysis) -> int:
    """Decimal places worth showing: shares differ by little."""
    return 2 if analysis.in_points else 4


def _number(value: float, se: float | None, places: int) -> str:
    return f"{value:.{places}f}" + ("" if se is None else f" ± {se:.{places}f}")


def _cost(analysis: Analysis) -> str:
    return _number(analysis.cost, analysis.cost_se, _places(analysis))


def _sum(found: Sequence[Analysis]) -> str:
    """What decisions cost whose values have the same unit."""
    return _number(sum(analysis.cost for analysis in found), None, _places(found[0])) + _unit(found[0])


def _review_line(analysis: Analysis, names: Sequence[str]) -> str:
    assert analysis.played is not None
    seen = f"card {analysis.place:>2}  {names[analysis.seat]:<10} played {pretty_card(analysis.played)}"
    if analysis.played == analysis.choice:
        return f"{seen}  as the player would"
    return f"{seen}  better {pretty_card(analysis.choice)}  cost {_cost(analysis)}"


def _print_costs(found: list[Analysis], names: Sequence[str]) -> None:
    """What each seat's choices gave away."""
    print()
    for seat, name in enumerate(names):
        own = [analysis for analysis in found if analysis.seat == seat]
        if own:
            same = sum(analysis.played == analysis.choice for analysis in own)
            lost = " and ".join(
                _sum([one for one in own if one.unit == unit]) for unit in sorted({one.unit for one in own})
            )
            print(f"{name:<10} {len(own)} decisions, {same} as the player would, cost {lost} in all")
    if any(not analysis.in_points for analysis in found):
        print(SHARES)
    print("± is the standard error over the sampled worlds; --at N shows a decision in full", file=sys.stderr)
