"""What several tests share: plain twins of compiled code, random inputs, a browser, a server.

`ROOT` is the folder of the project, `DATA` that of the files with recorded numbers.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "tests" / "data"


def run_file(path: str, *arguments: object, jit: bool = True) -> str:
    """Run a test file as a program that finds these helpers; returns its output; `jit=False` compiles nothing."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT / "tests")])}
    if not jit:
        environment["NUMBA_DISABLE_JIT"] = "1"
    command = [sys.executable, "-W", "ignore::RuntimeWarning", path, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
