"""Python files of users (`--use FILE`), which register players, features, recipes or others."""

from __future__ import annotations

import importlib.util
import sys
from contextlib import redirect_stdout
from pathlib import Path

from heartlab.util.errors import error_sentence


def use_file(path: Path) -> None:
    """Run a user's Python file; what it prints goes to standard error, so that results stay alone on standard output.

    :raises ValueError: if it cannot be run.
    """
    if not path.is_file():
        raise ValueError(f"--use {path}: {'is not a file' if path.exists() else 'there is no such file'}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"--use {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise ValueError(f"--use {path}: {error_sentence(error)}") from error
