"""The command line in this process, as a fixture."""

import sys

import pytest

from heartlab import cli


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command line in this process; returns (status, stdout, stderr)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["heartlab", *map(str, arguments)])
        status = 0
        try:
            cli.main()
        except SystemExit as done:
            status = done.code or 0
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
