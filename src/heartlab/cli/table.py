"""Commands about deals, records and playing: what happens at the table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from heartlab.cli.app import (
    DealOption,
    JsonOption,
    RecordArgument,
    RecordRulesOption,
    RulesOption,
    SeedOption,
    SkipBadOption,
    app,
    print_json,
)
from heartlab.cli.ggp import positive
from heartlab.rules import PRESET_NOTES, PRESETS, Rules


@app.command()
def rules(
    name: Annotated[
        str | None, typer.Argument(help="A preset with changes; without it all presets are listed.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the rules by name, or show one set of rules in full."""
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
    """List the players by name."""
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
    number: Annotated[int, typer.Option("--number", "-n", help="Number of the deal: decides who passes where.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Deal the cards and show the table."""
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
        int | None, typer.Option("--deal", "-d", help="Only the deal at this place in the file, from 1.")
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each trick.")] = False,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Step through a record, checking every card against the rules."""
    from heartlab.records.replay import replay_file

    bad = replay_file(
        file, place=number, step=step, skip_bad=skip_bad, as_json=as_json, openspiel_rules=Rules.parse(rules)
    )
    raise typer.Exit(1 if bad else 0)


@app.command("analyse")
def analyse_record(
    file: RecordArgument,
    at: Annotated[
        int | None, typer.Option("--at", help="Number of the card to be chosen, from 1; without it every choice.")
    ] = None,
    number: DealOption = 1,
    seat: Annotated[int | None, typer.Option("--seat", help="Only the choices of this seat.")] = None,
    player: Annotated[str, typer.Option("--player", "-p", help="The player that judges; it has to search.")] = "uct",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Show what a player thinks of each card in a recorded position, or what every choice of a deal cost."""
    from heartlab.cli.analysis import run_analysis

    run_analysis(
        file,
        place=positive("--deal", number),
        at=at,
        seat=seat,
        player=player,
        seed=seed,
        openspiel_rules=Rules.parse(rules),
        report=print_json if as_json else None,
    )


@app.command()
def explain(
    file: Annotated[
        Path | None, typer.Argument(help="A record of deals; without it the model itself is described.")
    ] = None,
    at: Annotated[int | None, typer.Option("--at", help="Number of the card to be chosen, from 1.")] = None,
    number: DealOption = 1,
    model: Annotated[
        str, typer.Option("--model", "-m", help="A model of td, advice or falcon; without it the shipped td.")
    ] = "",
    worlds: Annotated[int, typer.Option("--worlds", help="(td) Sampled worlds; 0 looks at all hands.")] = 50,
    top: Annotated[int, typer.Option("--top", help="(td) Reasons per card.")] = 4,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Say in words why a model prefers a card in a recorded deal, or what it has learned."""
    from heartlab.training.explain import Question, explain_choice, find_explainer

    report = print_json if as_json else None
    if file is None:
        find_explainer(model).describe_model(model, report)
        return
    if at is None:
        raise ValueError("--at is missing: the number of the card to be chosen, from 1")
    question = Question(seed, worlds, positive("--top", top))
    explain_choice(model, file, positive("--deal", number), at, Rules.parse(rules), question, report)


@app.command()
def play(
    players: Annotated[
        list[str] | None, typer.Argument(metavar="[PLAYER...]", help="More players for the page to offer, by name.")
    ] = None,
    port: Annotated[int, typer.Option("--port", help="0 takes a free one.")] = 8026,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    beyond: Annotated[
        bool, typer.Option("--beyond-this-computer", help="Allow a --host that other computers can reach.")
    ] = False,
    file: Annotated[Path | None, typer.Option("--file", help="The SQLite file that keeps the games.")] = None,
    coach: Annotated[str | None, typer.Option("--coach", help="The player that judges; it has to search.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    workers: Annotated[
        int, typer.Option("--workers", help="Threads on which the bots think; the coach has its own.")
    ] = 2,
) -> None:
    """Play Hearts in the browser against our players, with a coach who says why."""
    try:
        from heartlab.web.serve import run_server
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is missing: install the extra with pip install 'heartlab[web]'") from error

    run_server(
        host=host,
        port=port,
        beyond=beyond,
        file=file,
        players=players or [],
        coach=coach,
        browser=browser,
        workers=positive("--workers", workers),
    )


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="A proof, saved from the page after a deal.")],
    commitment: Annotated[
        str | None, typer.Option("--commitment", help="The hash that the page showed before the first card.")
    ] = None,
    promise: Annotated[
        str | None,
        typer.Option("--promise", help="The hash of the server's secret that the page got before its own text."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check that a deal played in the browser was fixed before its first card and not rigged."""
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


@app.command()
def uhi(name: Annotated[str, typer.Argument(metavar="PLAYER", help="A player by name.")]) -> None:
    """Serve a player as a bot: read the line protocol UHI on standard input, answer on standard output."""
    from heartlab.uhi.server import serve

    serve(name, sys.stdin, sys.stdout)


@app.command("uhi-check")
def uhi_check(
    command: Annotated[str, typer.Argument(help="The bot, as in './mybot --fast'.")],
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", "-r", help="Rules that the bot plays; repeatable. Default: all presets."),
    ] = None,
    deals: Annotated[int, typer.Option("--deals", "-n", help="Deals for each seat under each of the rules.")] = 2,
    movetime: Annotated[int, typer.Option("--movetime", help="Milliseconds for a choice.")] = 2000,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Test whether a bot speaks UHI: play with it, disturb it, and say what it does wrong."""
    from heartlab.uhi.check import run_check

    passed = run_check(
        command,
        rules=[Rules.parse(text) for text in rules or ()],
        deals=positive("--deals", deals),
        movetime=positive("--movetime", movetime),
        seed=seed,
        report=print_json if as_json else None,
    )
    raise typer.Exit(0 if passed else 1)
