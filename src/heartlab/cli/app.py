"""What the commands share: the application, options that several of them have, and how they print and fail."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="heartlab",
    help="A laboratory for learning to play games from features and advice, with Hearts at its heart.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

RulesOption = Annotated[str, typer.Option("--rules", "-r", help="Preset and changes: standard,moon=self,bonus=JD")]
SeedOption = Annotated[int, typer.Option("--seed", "-s", help="The same seed gives the same result.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Machine-readable result on standard output.")]
RecordArgument = Annotated[Path, typer.Argument(help="A record: text, JSON Lines or OpenSpiel integer lines.")]
DealOption = Annotated[int, typer.Option("--deal", "-d", help="The deal at this place in the file, from 1.")]
RecordRulesOption = Annotated[str, typer.Option("--rules", help="The rules of OpenSpiel integer lines.")]
OnOption = Annotated[str, typer.Option("--on", help="Where tasks run: local, ray or ray:ADDRESS; same result.")]
SkipBadOption = Annotated[bool, typer.Option("--skip-bad", help="Report bad deals and keep the good ones.")]


def fail(message: str, status: int = 2) -> None:
    """Say what was wrong and leave."""
    print(f"heartlab: {message}", file=sys.stderr)
    raise SystemExit(status)


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    print(json.dumps(value, ensure_ascii=False))


def _version(wanted: bool) -> None:
    if wanted:
        from heartlab import __version__

        print(f"heartlab {__version__}")
        raise typer.Exit


def positive(option: str, value: Any) -> Any:
    """The value of an option, if it is above zero."""
    if not value > 0:
        raise ValueError(f"{option} {value}: needs a number above zero")
    return value


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options before the command."""
