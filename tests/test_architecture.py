"""The rooms and their arrows: who may import whom, and what the command line must not load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import heartlab
from heartlab import jit

PACKAGE = Path(heartlab.__file__).parent
ALLOWED = {
    "cards": set(),
    "rules": {"cards"},
    "record": {"cards", "rules"},
    "record_reader": {"cards", "rules", "record"},
    "jit": set(),
    "kernel": {"cards", "rules", "jit"},
    "observation": {"cards", "rules", "kernel", "deal"},
    "deal": {"cards", "rules", "kernel", "observation", "record", "record_reader", "show", "why_not"},
    "why_not": {"cards", "deal"},
    "game": {"deal", "rules"},
    "show": {"cards", "deal"},
    "replay": {"cards", "deal", "record", "record_reader", "rules"},
    "search": {"jit", "kernel", "owners", "rules"},
    "features": {"jit", "kernel", "search"},
    "players": {"cards", "rules", "jit", "kernel", "observation", "owners", "search"},
    "ggp": {"jit", "progress", "statistics"},
    "analysis": {"cards", "rules", "kernel", "deal", "record", "replay", "features", "players", "learn"},
    "bundle": set(),
    "progress": set(),
    "executor": set(),
    "interrupts": {"executor"},
    "locks": set(),
    "owners": set(),
    "blame": set(),
    "statistics": set(),
    "arena": {
        "cards",
        "rules",
        "jit",
        "kernel",
        "deal",
        "why_not",
        "blame",
        "game",
        "record",
        "players",
        "progress",
        "bundle",
        "executor",
        "interrupts",
        "statistics",
    },
    "learn": {
        "bundle",
        "executor",
        "interrupts",
        "locks",
        "owners",
        "cards",
        "rules",
        "jit",
        "kernel",
        "features",
        "observation",
        "deal",
        "replay",
        "search",
        "players",
        "progress",
    },
    "experiments": {
        "bundle",
        "executor",
        "statistics",
        "rules",
        "kernel",
        "features",
        "search",
        "players",
        "arena",
        "learn",
        "ggp",
    },
    "envs": {"cards", "rules", "jit", "kernel", "observation", "deal", "game", "show", "record", "players"},
    "web": {
        "cards",
        "locks",
        "rules",
        "kernel",
        "observation",
        "deal",
        "game",
        "record",
        "record_reader",
        "players",
        "analysis",
        "arena",
        "statistics",
        "features",
        "learn",
    },
    "benchmarks": {"envs", "jit", "rules", "kernel", "features", "learn", "deal", "arena", "players", "ggp"},
}
"""Who may use whom. `cli` may use everything and nobody uses it."""


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def uses(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("heartlab"):
            found.add(room_of(node.module))
        elif isinstance(node, ast.Import):
            found |= {room_of(name.name) for name in node.names if name.name.startswith("heartlab")}
    return found - {""}


MODULES = sorted(set(PACKAGE.rglob("*.py")) - set(PACKAGE.glob("cli/*.py")) - {PACKAGE / "__init__.py"})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_point_down(path):
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert room in ALLOWED, f"room {room} is not on the map: add it to docs/architecture.md and to ALLOWED"
    assert uses(path) - {room} <= ALLOWED[room]


def test_values_need_no_arrays():
    for name in ("cards", "rules", "record", "record_reader"):
        source = (PACKAGE / f"{name}.py").read_text()
        assert "numpy" not in source
        assert "numba" not in source


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["rules"],
        ["arena", "--help"],
        ["train", "--help"],
        ["reproduce", "--help"],
        ["ggp", "--help"],
        ["play", "--help"],
        ["ggp", "check", "nim"],
    ],
)
def test_quick_commands_load_no_numpy_or_numba(arguments):
    program = (
        f"import sys; sys.argv = ['heartlab', *{arguments!r}]; import heartlab.cli\n"
        "try: heartlab.cli.main()\n"
        "except SystemExit: pass\n"
        "print({'numpy', 'numba', 'rich'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "set()", done.stderr


def test_compiled_code_is_renewed_when_and_only_when_something_behind_it_changes():
    behind = jit.sources_behind("heartlab.kernel.play")
    assert {"heartlab.kernel.play", "heartlab.kernel.bits", "heartlab.jit"} <= set(behind)
    assert not [name for name in behind if name.startswith(("heartlab.search", "heartlab.players"))]
    assert "heartlab.kernel.bits" in jit.sources_behind("heartlab.search.closed")
    assert jit.source_key("heartlab.kernel.play") != jit.source_key("heartlab.kernel.bits")
