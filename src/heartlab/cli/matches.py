"""`heartlab arena` as a function: set up the match, show progress, report, keep the deals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from heartlab.arena.match import run_match
from heartlab.arena.recording import Recorder
from heartlab.arena.report import result_dict, result_table, summary_lines
from heartlab.arena.results import MatchResult
from heartlab.arena.rows import Match, PlayerFailure
from heartlab.players import Player, make_player
from heartlab.rules import Rules
from heartlab.util.executor import make_executor
from heartlab.util.progress import Progress

PIPE_WIDTH = 120
"""Columns of a table that goes into a file or another program."""


def seat_players(names: Sequence[str]) -> list[Player]:
    """One player per name; a name given twice is the same player."""
    made: dict[str, Player] = {}
    return [made.setdefault(name, made.get(name) or make_player(name)) for name in names]


def run_arena(
    names: Sequence[str],
    *,
    rules: Rules,
    units: int,
    seed: int,
    games: bool,
    open_match: bool,
    until_se: float | None,
    record: Path | None,
    keep: Path | None,
    threads: int | None,
    batch: int | None,
    on: str,
    report: Callable[[dict[str, Any]], None] | None,
) -> bool:
    """Play and report; returns whether the match was interrupted. Progress goes to standard error."""
    if keep and record:
        raise ValueError("--keep and --record do not go together: deals from before an interruption would be missing")
    match = Match(seat_players(names), rules, units, seed=seed, games=games, open=open_match)
    with ExitStack() as stack:
        executor = make_executor(on, threads)
        stack.callback(executor.close)
        listener = stack.enter_context(Recorder(record, match)) if record else None
        for player in match.kinds:
            stack.callback(getattr(player, "close", lambda: None))
        progress = stack.enter_context(Progress(units))
        try:
            result = run_match(
                match,
                batch=batch,
                until_se=until_se,
                progress=progress.update,
                listener=listener,
                keep=keep,
                executor=executor,
            )
        except PlayerFailure as failure:
            raise ValueError(str(failure)) from failure
    _show(result, report)
    if result.not_kept:
        raise ValueError(f"{keep}: the match could not be kept: {result.not_kept}")
    if keep and result.interrupted:
        print(f"{result.units} units are kept in {keep}; the same command goes on", file=sys.stderr)
    if listener:
        print(f"{listener.count} deals written to {record}", file=sys.stderr)
    return result.interrupted


def _show(result: MatchResult, report: Callable[[dict[str, Any]], None] | None) -> None:
    if report:
        report(result_dict(result))
        return
    if not result.units:
        print("interrupted before a unit was finished: there is nothing to report")
        return
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(result_table(result))
    for line in summary_lines(result):
        print(line)
