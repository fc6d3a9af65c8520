"""`heartlab play`: the game in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heartlab.cli.app import app, positive


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
    """Play Hearts in the browser against our players, with a coach that explains its advice."""
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
