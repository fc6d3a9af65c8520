"""What the commands share: the application, common options, how they print and fail."""

from __future__ import annotations

import json
import math
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from heartlab.util.console import is_complete
from heartlab.util.errors import QUOTED, clipped
from heartlab.util.userfile import use_file

app = typer.Typer(
    name="heartlab",
    help="A laboratory for learning to play games from features and advice, with Hearts at its heart.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

RulesOption = Annotated[
    str, typer.Option("--rules", "-r", help="A preset, perhaps with changes: standard,moon=self,bonus=JD")
]
SeedOption = Annotated[
    int, typer.Option("--seed", "-s", help="Seed of all random numbers; the same seed gives the same result.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]
RecordArgument = Annotated[Path, typer.Argument(help="Recorded deals: text, JSON Lines or OpenSpiel integer lines.")]
DealOption = Annotated[int, typer.Option("--deal", "-d", help="Which deal of the file, counted from 1.")]
RecordRulesOption = Annotated[
    str, typer.Option("--rules", help="Rules of OpenSpiel integer lines, which do not name them.")
]
OnOption = Annotated[
    str, typer.Option("--on", help="Where the work is done: local, ray or ray:ADDRESS. The result is the same.")
]
MOST_CHARACTERS = 1500
"""Longest message, in characters."""
_LONG_WORD = re.compile(rf"\S{{{QUOTED + 1},}}")
SkipBadOption = Annotated[bool, typer.Option("--skip-bad", help="Report bad deals and go on with the next one.")]


def fail(message: str, status: int = 2) -> None:
    """Print what was wrong and exit; long words, which come from somebody's input, are cut."""
    sentence = _LONG_WORD.sub(lambda word: clipped(word[0]), message)
    print(f"heartlab: {clipped(sentence, MOST_CHARACTERS)}", file=sys.stderr)
    raise SystemExit(status)


def print_json(value: Any) -> None:
    """One JSON value on standard output; numbers that JSON does not have, such as infinity, become null."""
    print(json.dumps(_finite(value), ensure_ascii=not is_complete(sys.stdout), allow_nan=False))


def _finite(value: Any) -> Any:
    """The value with None in place of every number that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def _version(wanted: bool) -> None:
    if wanted:
        from heartlab import __version__

        print(f"heartlab {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    used: Annotated[
        list[Path] | None,
        typer.Option(
            "--use",
            metavar="FILE",
            help="Load a Python file with players, features, evaluators, playout policies, advice or recipes of yours; "
            "repeatable.",
        ),
    ] = None,
) -> None:
    """Options before the command; the files of --use are kept in the context for commands that record their call."""
    context.obj = tuple(map(str, used or ()))
    for path in used or ():
        use_file(path)


def positive(option: str, value: Any) -> Any:
    """The value of an option, if it is above zero and finite.

    :raises ValueError: if it is not.
    """
    if not 0 < value < math.inf:
        raise ValueError(f"{option} {value}: needs a number above zero{', and an end' if value == math.inf else ''}")
    return value


@contextmanager
def needs_web() -> Iterator[None]:
    """Imports that need the extra for the browser."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is missing: install the extra with pip install 'heartlab[web]'") from error


def leave(interrupted: bool) -> NoReturn:
    """End a command that could be interrupted; while threads finish their card, a second Ctrl-C ends at once."""
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise typer.Exit(130 if interrupted else 0)
