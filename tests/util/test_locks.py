"""Locks between processes, on both kinds of systems; Windows is played by a module with its functions."""

import errno
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from heartlab.training import train
from heartlab.training.run import begin
from heartlab.util import locks
from heartlab.util.locks import InUse, alone

HOLD = """
import sys
from pathlib import Path
from heartlab.util.locks import alone
with alone(Path(sys.argv[1]), "in use"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="for the other systems")
def test_another_process_is_kept_out_until_the_first_ends(tmp_path):
    lock = tmp_path / "deep" / ".lock"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLD, str(lock)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(InUse, match="busy"), alone(lock, "busy"):
            pass
        other.kill()
    with alone(lock, "busy"):
        pass


@pytest.fixture
def windows(monkeypatch):
    """Locks as Windows has them: of a byte of a file, from its current position."""
    held = {}

    def locking(handle, mode, count):
        assert (mode, count, os.lseek(handle, 0, os.SEEK_CUR)) == (2, 1, 0)
        file = os.fstat(handle).st_ino
        if fake.trouble is not None:
            raise OSError(fake.trouble, "trouble")
        if file in held and held[file] != handle:
            raise PermissionError(errno.EACCES, "Permission denied")
        held[file] = handle

    fake = SimpleNamespace(locking=locking, LK_NBLCK=2, trouble=None, held=held)
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    monkeypatch.setattr(locks, "WINDOWS", True)
    return fake


def test_windows_keeps_others_out(tmp_path, windows):
    lock = tmp_path / ".lock"
    with alone(lock, "busy"):
        assert len(windows.held) == 1
        with pytest.raises(InUse, match="busy"), alone(lock, "busy"):
            pass
    windows.held.clear()  # closing the file does it there
    with alone(lock, "busy"):
        pass


@pytest.mark.parametrize(
    ("trouble", "is_held"), [(errno.EDEADLK, True), (errno.EACCES, True), (errno.EINVAL, False), (errno.ENOSYS, False)]
)
def test_errors_of_windows(tmp_path, windows, trouble, is_held):
    windows.trouble = trouble
    if is_held:
        with pytest.raises(InUse), alone(tmp_path / ".lock", "busy"):
            pass
    else:
        with alone(tmp_path / ".lock", "busy"):
            pass


def test_training_on_windows_takes_the_lock(tmp_path, windows):
    run = train(begin("advice-t", tmp_path / "run", seed=1, games=20))
    assert run.finished
    assert len(windows.held) == 1
    windows.held[os.stat(tmp_path / "run" / ".lock").st_ino] = -1
    with pytest.raises(InUse, match="another process works on this run"):
        train(begin("advice-t", tmp_path / "run", games=40, resume=True))
