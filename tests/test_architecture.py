"""The rooms and their arrows: who uses whom, and what the command line must not load."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from support import ROOT

import heartlab
from heartlab.compiled import jit
from heartlab.util.moved import MOVED

PACKAGE = Path(heartlab.__file__).parent
GROUND = {"deal", "observation", "deal_text", "game", "records"}
"""A deal, what one seat sees of it, and records of it know each other; above they count as one floor."""
LAYERS = [
    {"util"},
    {"compiled", "cards"},
    {"rules"},
    {"kernel"},
    GROUND,
    {"search"},
    {"players"},
    {"arena", "training", "ggp"},
    {"reproduction"},
    {"learners.td_features", "learners.advice", "learners.falcon", "learners.transfer", "learners.whole_game"},
    {"coach"},
    {"uhi", "envs", "web"},
    {"bench"},
    {"cli"},
]
"""The floors, lowest first: a room uses rooms of lower floors only."""
FLOOR = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}

USES = {
    "compiled": "util",
    "cards": "util",
    "rules": "cards util",
    "kernel": "cards rules compiled",
    "observation": "cards rules compiled kernel deal",
    "deal": "cards rules compiled kernel observation records deal_text util",
    "deal_text": "cards deal util",
    "game": "rules deal",
    "records": "cards rules deal util",
    "search": "cards rules compiled kernel observation util",
    "players": "cards rules compiled kernel deal observation search util",
    "arena": "cards rules compiled kernel deal deal_text game players records util",
    "training": "cards deal records rules util",
    "ggp": "compiled util",
    "reproduction": "training util",
    "learners.td_features": "arena cards compiled deal kernel players records reproduction rules search training util",
    "learners.advice": "cards compiled deal kernel players records reproduction rules training util",
    "learners.falcon": "arena cards compiled deal kernel players records reproduction rules search training util",
    "learners.transfer": "compiled ggp reproduction util",
    "learners.whole_game": "cards compiled deal kernel observation players rules search training util",
    "coach": "arena cards compiled deal kernel learners.advice learners.td_features learners.whole_game observation"
    " players records rules search training util",
    "uhi": "cards compiled deal kernel observation players rules",
    "envs": "cards compiled deal game kernel observation players records rules util",
    "web": "cards coach deal game ggp observation players records rules util",
    "bench": "compiled deal envs ggp kernel learners.advice learners.falcon learners.td_features learners.transfer"
    " learners.whole_game players rules search",
    "cli": "arena bench cards deal ggp learners.advice learners.falcon learners.td_features learners.transfer"
    " players records reproduction rules training uhi util web",
}
"""Who uses whom: exactly this, so that nothing is allowed that nobody needs."""

MODULES = sorted(PACKAGE.rglob("*.py"))
NAME = re.compile(r"heartlab(\.[a-z_0-9]+)+(:\w+)?")


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The room of a module: a folder or a module at the top; each learner is a room of its own."""
    parts = module.split(".")[1:]
    return ".".join(parts[:2]) if parts[:1] == ["learners"] else ".".join(parts[:1])


def exists(module: str) -> bool:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def used_by(path: Path) -> set[str]:
    """The modules that a module imports or names in a text, as lazy imports and registries do."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "heartlab":
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.split(".")[0] == "heartlab"}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
            found.add(node.value.partition(":")[0])
    return {module for module in found if exists(module)}


@cache
def arrows() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for path in MODULES:
        room = room_of(module_of(path))
        found[room] |= {room_of(module) for module in used_by(path)} - {room, ""}
    return found


@pytest.mark.parametrize("room", sorted(FLOOR))
def test_a_room_uses_exactly_what_the_map_says(room):
    assert sorted(arrows()[room]) == sorted(USES.get(room, "").split())


def test_every_room_is_on_the_map():
    """If not, add it to docs/architecture.md and to LAYERS."""
    assert set(arrows()) - {"", "learners"} == set(FLOOR)
    assert not arrows()["learners"]


@pytest.mark.parametrize("room", sorted(USES))
def test_arrows_point_down(room):
    for used in USES[room].split():
        assert FLOOR[used] < FLOOR[room] or {room, used} <= GROUND, f"{room} -> {used}"


ROOMS = [path for path in MODULES if path.name == "__init__.py" and not {"ggp", "web"} & set(path.parts)]
"""The rooms and the rooms within them; those of `ggp` and `web` are still being furnished."""


@pytest.mark.parametrize("room", ROOMS, ids=module_of)
def test_a_room_names_its_modules(room):
    """Its docstring does, so that a reader knows where to begin."""
    named = set(re.findall(r"\w+", ast.get_docstring(ast.parse(room.read_text())) or ""))
    inside = {path.stem for path in room.parent.glob("*.py") if not path.stem.startswith("__")}
    assert inside - named == set()


def test_no_text_hides_an_arrow():
    """The test above sees names of modules in texts: it must find the one that is there on purpose."""
    assert "heartlab.bench.engine" in used_by(PACKAGE / "bench" / "__init__.py")


def test_few_modules_lie_loose():
    loose = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert loose == {"cards", "rules", "deal", "deal_text", "observation", "game"}


def test_only_the_command_line_knows_typer():
    assert {room_of(module_of(path)) for path in MODULES if "typer" in path.read_text()} == {"cli"}


def test_modules_are_of_a_readable_size():
    assert {path.name: lines for path in MODULES if (lines := len(path.read_text().splitlines())) > 510} == {}


def kernel_modules() -> list[str]:
    """The modules with compiled functions: only those are excused from some of mypy's checks."""
    signs = (
        r"compiled\.jit import .*\b(kernel|template|pointed)\b"
        r"|numba\.extending import intrinsic|compile_evaluator|@(policy|evaluator|piece|abstraction|atom)\b"
    )
    found = [module_of(path) for path in MODULES if re.search(signs, path.read_text())]
    return sorted({*found, "heartlab.compiled.jit"})


def test_types_are_strict_wherever_nothing_is_compiled():
    overrides = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"]
    excused = next(one["module"] for one in overrides if "disable_error_code" in one)
    assert not set(excused) - set(kernel_modules())


COMPILED = {"kernel", "loose_kernel", "bare_kernel", "template", "pointed"}
"""Decorators of compiled functions."""


def test_compiled_functions_take_at_most_ten_arguments():
    long = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                signs = {getattr(sign, "id", "") for sign in node.decorator_list}
                if signs & COMPILED and len(node.args.args) > 10:
                    long[f"{module_of(path)}.{node.name}"] = len(node.args.args)
    assert long == {}


def test_entry_points_lead_somewhere():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    for group, entries in groups.items():
        for name, target in entries.items():
            module, _, thing = target.partition(":")
            assert exists(module), f"{group}: {name}"
            assert not thing or re.search(rf"^(def|class) {thing}\b|^{thing} = ", source_of(module), re.M), target


def source_of(module: str) -> str:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return (path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py").read_text()


def test_moved_modules_have_homes():
    for old, homes in MOVED.items():
        assert not exists(f"heartlab.{old}")
        assert all(exists(f"heartlab.{home}") for home in homes)


def test_a_moved_import_works_and_warns():
    program = "import warnings; warnings.simplefilter('always'); from heartlab.kernel.bits import ONE, HEARTS"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    sentence = "heartlab.kernel.bits is now heartlab.compiled.bits and heartlab.kernel.ranks"
    assert done.stderr.count(sentence) == 1


def test_values_need_no_arrays():
    for path in [PACKAGE / f"{name}.py" for name in ("cards", "rules", "records/format", "records/reader")]:
        source = path.read_text()
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
    assert {"heartlab.kernel.play", "heartlab.compiled.bits", "heartlab.compiled.jit"} <= set(behind)
    assert not [name for name in behind if name.startswith(("heartlab.search", "heartlab.players"))]
    assert "heartlab.compiled.bits" in jit.sources_behind("heartlab.search.pimc")
    assert jit.source_key("heartlab.kernel.play") != jit.source_key("heartlab.compiled.bits")


def test_the_cache_misses_no_import():
    """It looks for imports by a pattern; a syntax tree knows them all. Names in texts do not concern it."""
    for path in MODULES:
        imported = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                imported |= {str(node.module), *(f"{node.module}.{name.name}" for name in node.names)}
            elif isinstance(node, ast.Import):
                imported |= {name.name for name in node.names}
        ours = {name for name in imported if name.startswith("heartlab") and exists(name)}
        assert ours <= jit._source(module_of(path))[1], path


def test_the_cache_sees_modules_that_are_imported_by_name():
    """`from heartlab.room import module` is an import of the module."""
    assert "heartlab.learners.advice.pieces" in jit.sources_behind("heartlab.learners.advice.registry")
