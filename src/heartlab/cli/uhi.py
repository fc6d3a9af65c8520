"""Commands about bots in any language: the line protocol UHI."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from heartlab.cli.app import JsonOption, SeedOption, app, positive, print_json
from heartlab.rules import Rules


@app.command()
def uhi(
    name: Annotated[str, typer.Argument(metavar="PLAYER", help="A player by name; see `heartlab players`.")],
) -> None:
    """Serve a player as a UHI bot on standard input and output."""
    from heartlab.uhi.server import serve

    serve(name, sys.stdin, sys.stdout)


@app.command("uhi-check")
def uhi_check(
    command: Annotated[str, typer.Argument(help="The command that starts the bot, as in './mybot --fast'.")],
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules", "-r", metavar="RULES", help="Rules to test the bot with; repeatable. Default: all presets."
        ),
    ] = None,
    deals: Annotated[int, typer.Option("--deals", "-n", help="Deals for each seat under each of the rules.")] = 2,
    movetime: Annotated[int, typer.Option("--movetime", help="Milliseconds that the bot has for a choice.")] = 2000,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Test whether a bot follows the UHI protocol. Plays deals with it, and sends it broken lines."""
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
