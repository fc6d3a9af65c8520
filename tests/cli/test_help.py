"""The help of every command: short lines that are not cut off, and names of values instead of Python's types."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from typer.main import get_command

from heartlab.cli import app


def commands() -> Iterator[tuple[str, ...]]:
    """The words of every command and group of commands."""
    waiting = [((), get_command(app))]
    while waiting:
        words, command = waiting.pop()
        yield words
        waiting += [((*words, name), one) for name, one in getattr(command, "commands", {}).items()]


@pytest.mark.parametrize("words", sorted(commands()), ids=" ".join)
def test_help_is_whole(run, words):
    status, out, _ = run(*words, "--help")
    assert status == 0
    options, _, listed = out.partition("\nCommands:\n")
    assert [line for line in listed.splitlines() if line.endswith("...")] == []
    assert [line for line in options.splitlines() if line.strip().startswith("-") and "list[" in line] == []
