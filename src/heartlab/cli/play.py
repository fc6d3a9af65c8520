"""`heartlab play`: the game in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heartlab.cli.app import app, positive

LISTEN = {"lan": "0.0.0.0"}
"""Words for --listen."""


@app.command()
def play(
    players: Annotated[
        list[str] | None, typer.Argument(metavar="PLAYER", help="More players for the page to offer, by name.")
    ] = None,
    port: Annotated[int, typer.Option("--port", help="The port to listen on; 0: any free one.")] = 8026,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen",
            metavar="ADDRESS",
            help="Let other computers in, to play with friends: an address of this computer, or `lan` for all of "
            "them. The start says what that opens.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Another host name of this server, such as that of a proxy; repeatable.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; others than this computer's own need --listen.")
    ] = "127.0.0.1",
    beyond: Annotated[
        bool, typer.Option("--beyond-this-computer", help="With --host, the same as --listen.", hidden=True)
    ] = False,
    file: Annotated[Path | None, typer.Option("--file", help="The SQLite file that keeps the games.")] = None,
    coach: Annotated[
        str | None, typer.Option("--coach", help="The model of the whole game that the coach uses.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    workers: Annotated[
        int, typer.Option("--workers", help="Threads on which the bots think; the coach has its own.")
    ] = 2,
) -> None:
    """Play Hearts in the browser. Against our players, with a coach that explains its advice."""
    try:
        from heartlab.web.serve import run_server
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is missing: install the extra with pip install 'heartlab[web]'") from error

    run_server(
        host=LISTEN.get(listen, listen) if listen else host,
        port=port,
        beyond=beyond or listen is not None,
        names=allow_host or [],
        file=file,
        players=players or [],
        coach=coach,
        browser=browser,
        workers=positive("--workers", workers),
    )
