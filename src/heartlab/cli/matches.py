"""Commands about matches and speed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from heartlab.cli.app import JsonOption, OnOption, RulesOption, SeedOption, app, leave, positive, print_json
from heartlab.rules import Rules
from heartlab.util.errors import quoted

if TYPE_CHECKING:
    from heartlab.arena.match import DealListener
    from heartlab.arena.moons import MoonCounter
    from heartlab.arena.results import MatchResult
    from heartlab.arena.rows import FinishedDeals, Match
    from heartlab.players import Player


PIPE_WIDTH = 120
"""Columns of a table that goes into a file or another program."""


@app.command()
def arena(
    names: Annotated[list[str], typer.Argument(metavar="PLAYER", help="Players by name; see `heartlab players`.")],
    rules: RulesOption = "standard",
    deals: Annotated[
        int, typer.Option("--deals", "-n", help="Different deals (or games); each is played in every seat arrangement.")
    ] = 1000,
    seed: SeedOption = 0,
    games: Annotated[
        bool, typer.Option("--games", help="Play whole games to the score limit instead of single deals.")
    ] = False,
    until_se: Annotated[
        float | None,
        typer.Option(
            "--until-se", help="Stop early when the standard error of the difference in points is this small."
        ),
    ] = None,
    open_match: Annotated[bool, typer.Option("--open", help="Admit open players, which see all hands.")] = False,
    record: Annotated[
        Path | None, typer.Option("--record", help="Write every deal to this file (.jsonl: JSON Lines).")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Save the match in this file; the same command resumes it.")
    ] = None,
    moons: Annotated[
        bool,
        typer.Option("--moons", help="Also report how often moons were tried, made, failed, stopped and conceded."),
    ] = False,
    threads: Annotated[int | None, typer.Option("--threads", help="Threads to play on. Default: one per core.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", help="Deals per batch; does not change the result.")] = None,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Play a match between players. Every deal is played in every seat arrangement; shows confidence intervals."""
    from heartlab.arena.rows import Match

    chosen, units = Rules.parse(rules), positive("--deals", deals)
    for option, value in (("--until-se", until_se), ("--threads", threads), ("--batch", batch)):
        if value is not None:
            positive(option, value)
    if keep and (record or moons):
        option = "--record" if record else "--moons"
        raise ValueError(f"--keep and {option} do not go together: deals from before an interruption would be missing")
    match = Match(seat_players(names), chosen, units, seed=seed, games=games, open=open_match)
    report = print_json if as_json else None
    leave(run_arena(match, until_se, record, keep, moons, threads, batch, on, report))


def seat_players(names: Sequence[str]) -> list[Player]:
    """One player per name; a name given twice is the same player."""
    from heartlab.players import make_player

    made: dict[str, Player] = {}
    return [made.setdefault(name, made.get(name) or make_player(name)) for name in names]


def run_arena(
    match: Match, until_se: float | None, record: Path | None, keep: Path | None, moons: bool,
    threads: int | None, batch: int | None, on: str, report: Callable[[dict[str, Any]], None] | None,
) -> bool:  # fmt: skip
    """Play and report; returns whether the match was interrupted. Progress goes to standard error."""
    from heartlab.arena.match import run_match
    from heartlab.arena.moons import MoonCounter
    from heartlab.arena.recording import Recorder
    from heartlab.arena.rows import PlayerFailure
    from heartlab.util.executor import make_executor
    from heartlab.util.progress import Progress

    with ExitStack() as stack:
        executor = make_executor(on, threads)
        stack.callback(executor.close)
        recorder = stack.enter_context(Recorder(record, match)) if record else None
        counter = MoonCounter(match) if moons else None
        for player in match.kinds:
            stack.callback(getattr(player, "close", lambda: None))
        progress = stack.enter_context(Progress(match.units))
        try:
            result = run_match(
                match,
                batch=batch,
                until_se=until_se,
                progress=progress.update,
                listener=_all_of([one for one in (recorder, counter) if one is not None]),
                keep=keep,
                executor=executor,
            )
        except PlayerFailure as failure:
            raise ValueError(str(failure)) from failure
    _show(result, report, counter)
    if result.not_kept:
        raise ValueError(f"{keep}: the match could not be saved: {result.not_kept}")
    if keep and result.interrupted:
        what = f"{result.units} {'games' if match.games else 'deals'}"
        print(f"{what} are saved in {keep}; the same command resumes the match", file=sys.stderr)
    if recorder:
        print(f"{recorder.count} deals written to {record}", file=sys.stderr)
    return result.interrupted


def _all_of(listeners: Sequence[DealListener]) -> DealListener | None:
    """One listener that calls all of some; None if there are none."""

    def listener(deals: FinishedDeals) -> None:
        for one in listeners:
            one(deals)

    return listener if listeners else None


def _show(
    result: MatchResult, report: Callable[[dict[str, Any]], None] | None, counter: MoonCounter | None
) -> None:  # fmt: skip
    from rich.console import Console

    from heartlab.arena.report import result_dict, result_table, summary_lines

    if report:
        report({**result_dict(result), **({"moons": counter.report()} if counter else {})})
        return
    if not result.units:
        print("interrupted before a deal was finished in every arrangement: nothing to report")
        return

    console = Console()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(result_table(result))
    if counter:
        console.print(counter.table())
    for line in summary_lines(result):
        print(line)


@app.command()
def bench(
    only: Annotated[str | None, typer.Option("--only", help="Only benchmarks whose name starts with this.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="About how long to measure each benchmark.")] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """Measure our speed beside that of comparable programs."""
    from heartlab.bench import known_benchmarks

    chosen = {name: run for name, run in known_benchmarks().items() if name.startswith(only or "")}
    if not chosen:
        raise ValueError(f"no benchmark starts with {quoted(only)}; known are {', '.join(known_benchmarks())}")
    results, out = [], sys.stderr if as_json else sys.stdout
    for run in chosen.values():
        for result in run(positive("--seconds", seconds)):
            results.append(result.to_dict())
            line = f"{result.name:<28} {result.ours:>14,.0f} {result.unit:<9} {result.threads} thread(s)"
            if result.peer is not None:
                line += f"  {result.ratio:8.2f} × {result.peer} ({result.theirs:,.0f})"
            print(line + (f"  [{result.note}]" if result.note else ""), file=out, flush=True)
    if as_json:
        print_json({"benchmarks": results})
