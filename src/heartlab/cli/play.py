"""`heartlab play`: the game in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heartlab.cli.app import app, needs_web, positive

LISTEN = {"lan": "0.0.0.0"}
"""Words for --listen."""


@app.command()
def play(
    players: Annotated[
        list[str] | None, typer.Argument(metavar="PLAYER", help="Players that the page offers besides ours, by name.")
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0: any free one.")] = 8026,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen",
            metavar="ADDRESS",
            help="Let other computers in, to play with friends: an address of this computer, or `lan` for all of "
            "them. At its start the server says what others can do then.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Another host name that this server is reached by, such as a proxy's; repeatable.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on, of this computer only; for others use --listen.")
    ] = "127.0.0.1",
    beyond: Annotated[
        bool, typer.Option("--beyond-this-computer", help="With --host, the same as --listen.", hidden=True)
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", help="SQLite file in which games are kept. Default: ~/.local/share/heartlab/games.sqlite."
        ),
    ] = None,
    coach: Annotated[
        str | None, typer.Option("--coach", help="A whole-game model for the coach. Default: the shipped one.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    workers: Annotated[
        int, typer.Option("--workers", help="Threads on which the bots think; the coach has its own.")
    ] = 2,
) -> None:
    """Play Hearts in the browser. Against our players, or with friends; a coach explains its advice."""
    with needs_web():
        from heartlab.web.serve import run_server

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
