"""Consoles that cannot show every character, and messages that quote long input."""

import io
import json
import os
import shlex
import subprocess
import sys

import pytest

from heartlab.util import console
from heartlab.util.errors import QUOTED, clipped, quoted


def heartlab(*arguments, encoding):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "heartlab.cli", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, check=False)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "latin-1"])
def test_every_card_is_shown(encoding):
    done = heartlab("features", "--top", "1", "--contains", "we have Q♠", encoding=encoding)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode(encoding)
    assert "QS" in shown or "Q♠" in shown
    assert b"Traceback" not in done.stderr
    assert "?" not in shown


def test_json_keeps_every_character():
    done = heartlab("features", "--top", "1", "--json", encoding="ascii")
    assert done.returncode == 0, done.stderr
    assert "♠" in json.dumps(json.loads(done.stdout), ensure_ascii=False)


def test_errors_too(tmp_path):
    done = heartlab("arena", "♣−nobody", encoding="ascii")
    assert done.returncode == 2
    assert b"no player is called 'C-nobody'" in done.stderr


def test_names_of_files_that_are_no_text():
    """A file name may be any bytes."""
    done = heartlab("replay", b"caf\xe9.hearts".decode("utf-8", "surrogateescape"), encoding="utf-8")
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1


def test_substitutes():
    stream = io.TextIOWrapper(io.BytesIO(), "ascii", errors=console.SUBSTITUTE)
    stream.write("♣♦♠♥ −3 ± 1 … é ★ \ud800")
    stream.flush()
    assert stream.buffer.getvalue() == rb"CDSH -3 +- 1 ... e \u2605 \ud800"


CLOSED = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-", "all": "<&- >&- 2>&-"}


@pytest.mark.parametrize("closed", CLOSED)
def test_started_without_standard_streams(tmp_path, closed):
    """Shells and service managers may start us without them; then what is printed is lost, and nothing else."""
    record = tmp_path / "deals.hearts"
    command = f"{shlex.quote(sys.executable)} -m heartlab.cli arena random --deals 1 --json"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    shell = f"{command} --record {shlex.quote(str(record))} {CLOSED[closed]}"
    done = subprocess.run(["sh", "-c", shell], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert record.read_text().startswith("%hearts 1\n"), "nothing that was printed is in it"
    assert closed in ("stdout", "all") or json.loads(done.stdout)["deals"] == 1


def test_an_error_without_a_place_to_say_it():
    command = [sys.executable, "-m", "heartlab.cli", "arena", "nobody"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    shell = f"{shlex.join(command)} 2>&-"
    done = subprocess.run(["sh", "-c", shell], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b""), "standard output is for results"


@pytest.mark.skipif(sys.platform == "win32", reason="needs terminals of Unix")
def test_a_terminal_does_not_obey_names_in_a_file(tmp_path):
    """The recipe of somebody's run could clear the screen, or worse."""
    pty = pytest.importorskip("pty")
    (tmp_path / "config.toml").write_text('recipe = "\\u001b[2Jx\\u009b3J\\r"\nseed = 1\ngames = 10\n')
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "heartlab.cli", "runs", str(tmp_path)]
    subprocess.run(command, env=environment, stdout=theirs, stderr=subprocess.DEVNULL, check=True)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert r"\x1b[2Jx\x9b3J\x0d" in shown
    assert shown.replace("\r\n", "").isprintable()


def test_long_input_is_quoted_in_part(run, tmp_path):
    long = "x" * 5000
    (tmp_path / "long.hearts").write_text(f"%hearts 1\n{long}: 5\n")
    (tmp_path / "long.jsonl").write_text(json.dumps({"hearts": 1, long: 5}) + "\n")
    for arguments in [
        ["arena", long], ["arena", f"gnome:{long}"], ["arena", f"uct:{long}=1"], ["rules", long],
        ["rules", f"standard,{long}=1"], ["rules", f"moon={long}"], ["train", long],
        ["train", "td-queen", "--set", long],
        ["train", "td-queen", "--set", f"rate={long}"], ["replay", tmp_path / "long.hearts"],
        ["replay", tmp_path / "long.jsonl"], ["explain", long], ["explain", f"./{long}.npz"], ["reproduce", long],
        ["arena", "gnome", "--deals", long], [long], ["features", "--contains", long], ["bench", "--only", long],
        ["verify", tmp_path / "long.jsonl", "--commitment", long], ["deal", "--rules", f"bonus={long}"],
    ]:  # fmt: skip
        status, _, err = run(*arguments)
        assert status == 2, arguments
        assert err.count("\n") == 1, err
        assert "x" * (QUOTED + 1) not in err, arguments
        assert len(err) < 1600


def test_quotations():
    assert quoted("short") == "'short'"
    assert clipped("short") == "short"
    assert len(quoted("x" * 1000)) == len(clipped("x" * 1000)) == QUOTED
    assert len(quoted(["x" * 1000])) == QUOTED
    assert clipped("a\nb\x1b[31m") == r"a\nb\x1b[31m"
    assert len(clipped("\n" * 1000)) == QUOTED
