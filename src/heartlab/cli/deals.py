"""Commands about rules, players, deals and their records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heartlab.cli.app import (
    JsonOption,
    RecordArgument,
    RecordRulesOption,
    RulesOption,
    SeedOption,
    SkipBadOption,
    app,
    print_json,
)
from heartlab.rules import PRESET_NOTES, PRESETS, Rules


@app.command()
def rules(
    name: Annotated[
        str | None, typer.Argument(help="A preset, perhaps with changes. Default: list all presets.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the rule presets, or show one set of rules in full."""
    from dataclasses import fields

    if name is not None:
        chosen = Rules.parse(name)
        if as_json:
            print_json({"rules": str(chosen), **chosen.to_dict()})
            return
        print(chosen)
        for field in fields(chosen):
            value = chosen.to_dict()[field.name]
            print(f"  {field.name:<20} {' '.join(value) if isinstance(value, list) else value}")
        print(f"  {'(cards each)':<20} {chosen.hand_size}\n  {'(points in all)':<20} {chosen.total_points}")
    elif as_json:
        print_json({preset: value.to_dict() for preset, value in PRESETS.items()})
    else:
        for preset in PRESETS:
            print(f"{preset:<12} {PRESET_NOTES[preset]}")
        print("\nCompose them: --rules standard,moon=self,bonus=JD. In full: heartlab rules standard")


@app.command()
def players(as_json: JsonOption = False) -> None:
    """List the players, with the options that their names take."""
    from heartlab.players import known_players

    known = known_players()
    if as_json:
        print_json(known)
    else:
        for name, summary in known.items():
            print(f"{name:<12} {summary}")


@app.command()
def deal(
    rules: RulesOption = "standard",
    seed: SeedOption = 0,
    number: Annotated[
        int,
        typer.Option(
            "--number", "-n", help="Number of the deal in its game, from 0; decides the direction of the pass."
        ),
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Deal the cards and show all hands."""
    from heartlab.deal import Deal

    if number < 0:
        raise ValueError(f"--number {number}: deals are numbered from 0")
    dealt = Deal(rules, seed, number)
    if as_json:
        from heartlab.records.format import to_json

        print(to_json(dealt.to_record(seed=seed)))
    else:
        print(dealt)


@app.command()
def replay(
    file: RecordArgument,
    number: Annotated[
        int | None, typer.Option("--deal", "-d", help="Only this deal of the file, counted from 1.")
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each trick.")] = False,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Show the deals of a record. Every card is checked against the rules."""
    from heartlab.records.replay import replay_file

    bad = replay_file(
        file, place=number, step=step, skip_bad=skip_bad, as_json=as_json, openspiel_rules=Rules.parse(rules)
    )
    raise typer.Exit(1 if bad else 0)


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="The proof of a deal, saved from the page after it.")],
    commitment: Annotated[
        str | None, typer.Option("--commitment", help="The hash that the page showed before the first card.")
    ] = None,
    promise: Annotated[
        str | None,
        typer.Option(
            "--promise", help="The hash of the server's secret that the page was shown before it chose its own text."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a proof of fair dealing. It shows that a deal in the browser was fixed before its first card."""
    from heartlab.web.commitment import run_verify

    good, checks = run_verify(file, commitment, promise)
    if as_json:
        print_json({"file": str(file), "holds": good, "checks": checks})
    else:
        for check in checks:
            print(f"{'yes' if check['holds'] else 'NO ':<4} {check['check']}  ({check['remark']})")
        if commitment is None:
            print("Compare the hash with the one that the page showed, or give it with --commitment.")
    raise typer.Exit(0 if good else 1)
