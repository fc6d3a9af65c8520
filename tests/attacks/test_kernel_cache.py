"""A damaged, full or forbidden kernel cache: kernels are compiled again, the user is told once, no command ends."""

import errno
import os
import pickle
import random
import subprocess
import sys
import time
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from llvmlite.binding import ExecutionEngine
from numba.core.errors import TypingError

from heartlab.compiled import files, jit
from heartlab.compiled.files import DAY, UNUSED_DAYS, KernelFile
from heartlab.util.interrupts import quiet_interrupts
from heartlab.util.locks import try_folder

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


MODULES = ("heartlab.attack", "heartlab.attack_too")
"""Where the kernel of these tests claims to be: only functions of this package are cached."""


def plain(x):
    """What the kernel of these tests computes."""
    return x * 3 + 1


@pytest.fixture
def base(tmp_path, monkeypatch):
    """An empty cache of its own."""
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, sys.modules[__name__])
    monkeypatch.setattr(plain, "__module__", MODULES[0])
    monkeypatch.setattr(files, "_told", set())
    monkeypatch.setenv("HEARTLAB_CACHE", str(tmp_path / "cache"))
    jit._cache_base.cache_clear()
    jit.cache_directory.cache_clear()
    yield tmp_path / "cache"
    jit._cache_base.cache_clear()
    jit.cache_directory.cache_clear()


def use(*values):
    """Call a fresh kernel with numbers; returns how many of its forms came from the cache."""
    fresh = jit.kernel(plain)
    for value in values or (5,):
        assert fresh(value) == plain(value)
    return sum(fresh.stats.cache_hits.values())


def cached(base):
    return sorted(path for path in base.rglob("*") if path.is_file())


def test_kernels_are_kept_and_found(base, capsys):
    assert use(5, 2.5) == 0
    assert use(5, 2.5) == 2
    assert [path.suffix for path in cached(base)] == [".nbc", ".nbc", ".nbi"]
    assert "cache" not in capsys.readouterr().err


def test_ctrl_c_while_machine_code_is_made_is_not_lost(base, monkeypatch):
    """Python can but ignore it there, because C calls numba's function; what numba then lacks tells of it."""

    def interrupt(engine, pointer):
        raise KeyboardInterrupt

    ignored = []
    with monkeypatch.context() as patch:
        patch.setattr(ExecutionEngine, "_find_module_ptr", interrupt)
        patch.setattr(sys, "unraisablehook", lambda found: ignored.append(found.exc_type))
        with quiet_interrupts(), pytest.raises(KeyboardInterrupt):
            use()
    assert ignored == [], "nothing is printed about it"
    assert use() == 0, "the folder is not locked"
    assert use() == 1


def damages(data):
    """A file's content, damaged in many ways."""
    dice = random.Random(1)
    yield from (
        b"",
        b"\0",
        data[:1],
        data[:-1],
        data[: len(data) // 2],
        b"\x80\x05.",
        pickle.dumps("other"),
        b"x" * 500,
    )
    yield from (pickle.dumps((1, 2)) + b"\0\0\0\0", bytes(len(data)), data + b"\0", data[::-1])
    for _ in range(20):
        place = dice.randrange(len(data))
        yield data[:place] + bytes([data[place] ^ (1 << dice.randrange(8))]) + data[place + 1 :]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_files_are_compiled_again_and_mended(base, capsys, suffix):
    use()
    (path,) = (path for path in cached(base) if path.suffix == suffix)
    for damaged in damages(path.read_bytes()):
        path.write_bytes(damaged)
        files._told.clear()
        assert use() == 0
        assert "damaged files: they are compiled again" in capsys.readouterr().err
        assert use() == 1
        assert capsys.readouterr().err == ""


def test_sealed_garbage_is_damage_too(base, capsys):
    """Even with the right checksum, what cannot be unpickled or rebuilt is only compiled again."""
    use()
    for path in cached(base):
        for content in (b"garbage", pickle.dumps(5), pickle.dumps((1, 2)), pickle.dumps((5, None)), b"cos\nnothing\n."):
            path.write_bytes(content + zlib.crc32(content).to_bytes(4, "little"))
            use()
            assert use() == 1


def test_the_user_is_told_once(base, capsys):
    for plain.__module__ in MODULES:
        use()
    for path in cached(base):
        path.write_bytes(b"")
    capsys.readouterr()
    for plain.__module__ in MODULES:
        assert use() == 0
    assert capsys.readouterr().err.count("damaged") == 1


def test_files_of_another_form_are_not_loaded(base):
    """Two processes that compile two forms of a kernel at the same time may give them the same name."""
    use(5, 2.5)
    one, two, _ = cached(base)
    one.write_bytes(two.read_bytes())
    assert use(5, 2.5) == 1
    assert use(5, 2.5) == 2


def test_a_missing_data_file_is_compiled_again(base, capsys):
    use()
    cached(base)[0].unlink()
    assert use() == 0
    assert use() == 1
    assert "cache" not in capsys.readouterr().err


def test_a_full_disk(base, capsys, monkeypatch):
    @contextmanager
    def full(self, path):
        raise OSError(errno.ENOSPC, "No space left on device")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(KernelFile, "_open_for_write", full)
        assert use() == use() == 0
        told = [line for line in capsys.readouterr().err.splitlines() if "cache" in line]
        assert len(told) == 1
        assert "cannot be written (No space left on device)" in told[0]
    assert use() == 0
    assert use() == 1


def test_files_that_cannot_be_replaced(base, capsys):
    """Folders in the place of files can neither be read nor removed nor replaced."""
    use()
    for path in cached(base):
        path.unlink()
        path.mkdir()
    assert use() == use() == 0
    assert capsys.readouterr().err.count("the kernel cache in") == 2  # damaged, and not written


def test_a_module_folder_that_cannot_be_made(base, capsys):
    base.mkdir()
    Path(jit.cache_directory(MODULES[0])).write_bytes(b"a file")
    assert use() == 0
    assert "cannot be written" in capsys.readouterr().err


PROGRAM = """
import resource, sys
import numpy as np
limit = int(sys.argv[1])
if limit >= 0:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from heartlab.compiled.bits import bit
print(bit(np.int64(5)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of the system")
def test_whole_processes(tmp_path):
    """No cache at all, a full disk, and garbled files, each in a process of its own."""
    cache, temporary = tmp_path / "cache", tmp_path / "tmp"
    temporary.mkdir()

    def run(limit=-1):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HEARTLAB_CACHE": str(cache)}
        command = [sys.executable, "-c", PROGRAM, str(limit)]
        done = subprocess.run(
            command, env={**environment, "TMPDIR": str(temporary)}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, "32\n"), done.stderr
        return [line for line in done.stderr.splitlines() if "cache" in line]

    cache.write_text("a file where the folder should be")
    assert "compiled into a temporary folder" in run()[0]
    assert not list(temporary.iterdir())
    cache.unlink()
    assert "cannot be written (File too large)" in run(limit=0)[0]
    assert run() == []
    for path in cached(cache):
        path.write_bytes(b"")
    assert "damaged" in run()[0]
    assert run() == []


def test_folders_long_unused_are_removed_when_a_module_changes(base):
    old, used, other, foreign = (base / name for name in (
        f"attack-{'a' * 20}", f"attack-{'b' * 20}", f"attack.more-{'a' * 20}", "attack-notes"))  # fmt: skip
    for folder in (old, used, other, foreign):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"")
    for folder in (old, other, foreign):
        os.utime(folder, (time.time() - (UNUSED_DAYS + 1) * DAY,) * 2)
    use()
    assert not old.exists()
    assert all(folder.exists() for folder in (used, other, foreign))


def test_a_folder_that_is_used_does_not_grow_old(base):
    use()
    folder = Path(jit.cache_directory(MODULES[0]))
    os.utime(folder, (time.time() - 10 * DAY,) * 2)
    jit.cache_directory.cache_clear()
    use()
    assert time.time() - folder.stat().st_mtime < DAY


no_folder_locks = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")


@pytest.fixture
def locked(base):
    """The folder of the kernel, locked as if by another process."""
    use()
    folder = jit.cache_directory(MODULES[0])
    (index,) = Path(folder).rglob("*.nbi")
    file = try_folder(str(index.parent))
    yield index, file
    with suppress(OSError):
        os.close(file)


@no_folder_locks
def test_a_kernel_that_another_process_compiles_is_waited_for(locked, monkeypatch, capsys):
    index, file = locked
    hidden = index.rename(index.with_suffix(".hidden"))

    def the_other_process_is_ready(seconds):
        hidden.rename(index)
        os.close(file)

    monkeypatch.setattr(files.time, "sleep", the_other_process_is_ready)
    capsys.readouterr()
    files._told.clear()
    assert use() == 1
    assert "compiling kernels" in capsys.readouterr().err
    assert files._locked == {}


@no_folder_locks
def test_a_lock_that_is_never_released_is_not_waited_for_forever(locked, monkeypatch):
    index, _ = locked
    index.unlink()
    monkeypatch.setattr(files, "LONGEST_WAIT", 0.0)
    assert use() == 0
    assert use() == 1
    assert try_folder(str(index.parent)) is None  # still the other's


@no_folder_locks
def test_a_kernel_that_cannot_be_compiled_leaves_no_lock(base):
    use()
    fresh = jit.kernel(plain)
    with pytest.raises(TypingError):
        fresh("text")
    assert files._locked == {}
    assert use(2.5) == 0
    assert use(2.5) == 1
