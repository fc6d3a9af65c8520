"""Players of other packages: the example package as it would be installed, and packages that are broken."""

import subprocess
import sys
import tomllib

import pytest
from support import ROOT

PLUGIN = ROOT / "examples" / "plugin"


@pytest.fixture
def installed(tmp_path):
    """The example package with its entry points, beside a broken one, where Python finds packages."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    entries = dict(project["entry-points"]["heartlab.players"])
    (tmp_path / "heartlab_cautious.py").write_text((PLUGIN / "heartlab_cautious.py").read_text())
    (tmp_path / "heartlab_broken.py").write_text("def make(argument):\n    return 1 / 0\n")
    (tmp_path / "heartlab_leaving.py").write_text("def make(argument):\n    raise SystemExit(0)\n")
    entries |= {"leaving": "heartlab_leaving:make"}
    entries |= {"broken": "heartlab_broken:make", "absent": "heartlab_not_there:make"}
    info = tmp_path / "heartlab_cautious-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: heartlab-cautious\nVersion: 0.1.0\n")
    lines = "\n".join(f"{name} = {target}" for name, target in entries.items())
    (info / "entry_points.txt").write_text(f"[heartlab.players]\n{lines}\n")
    return tmp_path


def heartlab(path, *arguments):
    program = f"import sys; sys.path.insert(0, {str(path)!r}); from heartlab.cli import main; main()"
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)


def test_a_package_brings_a_player_along(installed):
    done = heartlab(installed, "arena", "cautious", "cautious:bold", "--rules", "seed", "--deals", "3", "--json")
    assert done.returncode == 0, done.stderr
    assert '"name": "cautious:bold"' in done.stdout


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("cautious:wild", "'wild' is not an option"),
        ("broken", "of another package failed: ZeroDivisionError"),
        ("absent", "cannot be loaded"),
        ("leaving", "of another package failed: SystemExit"),
    ],
)
def test_what_is_wrong_with_a_package_is_one_sentence(installed, name, sentence):
    done = heartlab(installed, "arena", name, "random")
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
