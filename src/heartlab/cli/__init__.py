"""The command line: parses, calls, prints. Everything that does work is imported when its command runs.

What every command shares: `--json` puts the machine-readable result on standard output and everything else on standard
error; bad input gets one clear sentence and exit status 2. In reading order:

| module | commands |
|---|---|
| `app` | the application, options that commands share, how they print and fail |
| `deals` | rules, players, deal, replay, verify |
| `play` | play |
| `matches` | arena, bench |
| `models` | features, advice, falcon, explain, analyse (its work in `analysis`) |
| `training` | train, sweep, recipes, runs |
| `reproduce` | reproduce |
| `uhi` | uhi, uhi-check |
| `ggp` | ggp ...; `transfer`: those of them that learn |

Public: `main`, the entry point of the program, and `app`. No other room imports Typer.
"""

from __future__ import annotations

from typing import Any

import typer

from heartlab.cli import deals, matches, models, play, reproduce, training, transfer, uhi  # noqa: F401 - they add their commands
from heartlab.cli.app import app, fail
from heartlab.cli.ggp import ggp
from heartlab.util.console import print_anywhere
from heartlab.util.interrupts import quiet_interrupts

app.add_typer(ggp)


USAGE_ERROR: Any = typer.BadParameter.__base__
"""All that the parser refuses; the library has no name of its own for it."""
PIPE_CLOSED = 128 + 13
"""The exit status if whoever read our output went away, as in `| head -1`: what shells show for signal SIGPIPE."""


def main() -> None:
    """Run the command line; bad input ends with one sentence on standard error and status 2.

    What a user's player or file raised may have many lines: the first is shown.
    """
    print_anywhere()
    with quiet_interrupts():
        _run()


def _run() -> None:
    from heartlab.cards import CardError

    try:
        raise SystemExit(app(prog_name="heartlab", standalone_mode=False) or 0)
    except USAGE_ERROR as error:
        sentence = error.format_message().rstrip(".")
        if "\n" in sentence:  # no command: the library shows all of them
            error.show()
            raise SystemExit(2) from None
        command = error.ctx.command_path if error.ctx else "heartlab"
        if getattr(error, "option_name", "") == "--use":
            fail(f"--use comes before the command: {command.replace('heartlab', 'heartlab --use FILE', 1)} ...")
        fail(f"{sentence}; see `{command} --help`")
    except SystemExit as end:  # the library turns a closed pipe into status 1, which has other meanings here
        raise SystemExit(PIPE_CLOSED) if isinstance(end.__context__, BrokenPipeError) else end from None
    except MemoryError:
        fail("not enough memory for this")
    except (ValueError, OSError, CardError) as error:
        text = str(error) if not isinstance(error, OSError) else f"{error.filename or 'output'}: {error.strerror}"
        fail((text.strip() or type(error).__name__).splitlines()[0])
