"""Run folders from strangers: damaged, absurd or missing configurations, checkpoints and metrics; and full disks."""

import json
import os
import shutil
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bombs import BROKEN_NPY, HEADERS, ODD_ARRAYS, header_entry, memory_below, npy, sentence_of, write_entries
from support.strategies import examples

from heartlab.training import Model, RunError, known_runs, recipe, train
from heartlab.training.run import begin, open_run
from heartlab.util.bundle import read_bundle, write_bundle

LITTLE = 24 << 20


@dataclass(frozen=True)
class Plain:
    """Nothing to be told."""


@recipe("attack-walk", "a sum of random numbers", Plain, games=40)
class Walk:
    """Sums up random numbers."""

    chunk = 8

    def __init__(self, parameters, seed):
        self.seed, self.total = seed, np.zeros(3)

    def step(self, first, count):
        for game in range(first, first + count):
            self.total = self.total + np.random.default_rng((self.seed, game)).random(3)
        return [{"games": first + count, "total": float(self.total.sum())}]

    def checkpoint(self):
        return {"total": self.total}

    def restore(self, arrays):
        self.total = arrays["total"] + np.zeros(3)

    def model(self):
        return Model("walk", {"total": self.total})


def stopped(folder, name="attack-walk", **more):
    """A run that was stopped on its way."""
    train(begin(name, folder, seed=1, **more), stop_after=16)
    return folder


def resumed(folder, name="attack-walk"):
    return train(begin(name, folder, resume=True))


def refused(folder, name="attack-walk"):
    with memory_below(LITTLE), pytest.raises(RunError) as caught:
        resumed(folder, name)
    return sentence_of(caught.value, folder)


CONFIGS = [
    b"\xff\xfe", b"recipe = 3", b'recipe = "attack-walk"\nseed = 1\ngames = 0', b"a = " + b"[" * 100_000,
    b'recipe = "attack-walk"\nseed = 1\ngames = -5', b'recipe = "attack-walk"\nseed = inf\ngames = 40',
    b'recipe = "attack-walk"\nseed = 1\ngames = 1e400', b'recipe = "attack-walk"\nseed = "x"\ngames = 40',
    b'recipe = "attack-walk"\nseed = 1\ngames = 40\nparameters = 5', b"x = 1\n" * 300_000,
    b'recipe = "attack-walk"\nseed = 1\ngames = 40\n[parameters]\nwhen = 1979-05-27', b"games = " + b"9" * 5000,
    b'recipe = "attack-walk"\nseed = 1\ngames = 40\nuse = {a = 1}', b'recipe = "' + b"x" * 9000,
]  # fmt: skip


@pytest.mark.parametrize("config", CONFIGS, ids=range(len(CONFIGS)))
def test_one_bad_configuration_does_not_hide_the_other_runs(run, tmp_path, config):
    stopped(tmp_path / "good")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "config.toml").write_bytes(config)
    warnings = []
    assert [one.folder.name for one in known_runs(tmp_path, warnings.append)] == ["good"]
    assert len(warnings) == 1
    sentence_of(warnings[0], tmp_path / "bad")
    for more in ((), ("--json",)):
        status, out, err = run("runs", tmp_path, *more)
        assert status == 0
        assert "good" in out
        assert err.count("\n") == 1


def test_a_bad_checkpoint_does_not_hide_the_other_runs(run, tmp_path):
    stopped(tmp_path / "good")
    for place, header in enumerate(HEADERS):
        stopped(tmp_path / f"bad{place}")
        write_entries(tmp_path / f"bad{place}" / "checkpoint.npz", {"header.npy": header_entry(header)})
    status, out, err = run("runs", tmp_path)
    assert (status, out.count("\n"), err.count("\n")) == (0, 1, len(HEADERS))


def test_a_listing_reads_no_arrays(tmp_path):
    folder = stopped(tmp_path / "run")
    header, _ = read_bundle(folder / "checkpoint.npz")
    write_entries(folder / "checkpoint.npz", {"header.npy": header_entry(header), "total.npy": BROKEN_NPY[1]})
    assert [run.done for run in known_runs(tmp_path)] == [16]


SOUND = {"done": 16, "metrics_bytes": 0, "seconds": 1.0}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((field, value) for field in SOUND for value in (None, "x", [], -1)),
        *((field, value) for field in ("done", "metrics_bytes") for value in (10**30, 1 << 62)),
    ],
)
def test_checkpoints_with_absurd_numbers(tmp_path, field, value):
    folder = stopped(tmp_path / "run")
    header = {**SOUND, field: value}
    write_entries(folder / "checkpoint.npz", {"header.npy": header_entry(header), "total.npy": npy(np.zeros(3))})
    if field == "metrics_bytes" and value in (10**30, 1 << 62):
        assert resumed(folder).finished
        assert (folder / "metrics.jsonl").stat().st_size < 10_000
    else:
        refused(folder)


@pytest.mark.parametrize("entry", [None, *BROKEN_NPY[:-1], *ODD_ARRAYS[3:4]], ids=range(len(BROKEN_NPY) + 1))
def test_checkpoints_without_their_array(tmp_path, entry):
    folder = stopped(tmp_path / "run")
    entries = {"header.npy": header_entry(SOUND)}
    if entry is not None:
        entries["total.npy"] = entry if isinstance(entry, bytes) else npy(np.zeros((4, 4)))
    write_entries(folder / "checkpoint.npz", entries)
    assert "checkpoint.npz" in refused(folder)


OURS = {
    "advice-t": {}, "advice-n": {}, "advice-vote": {"batch": "50"}, "falcon": {},
    "td-queen": {"orders": "1"}, "td-grown": {"orders": "1"}, "falcon-grow": {"batch": "200", "test": "0"},
}  # fmt: skip
"""Recipes of ours, each with its own kind of checkpoint, and what makes them quick."""


@pytest.mark.parametrize("name", OURS)
def test_our_checkpoints_with_a_part_replaced(tmp_path, name):
    """Nothing but the documented error; what is accepted can be trained on."""
    folder = tmp_path / "run"
    train(begin(name, folder, seed=1, games=400, changes=OURS[name]), stop_after=200)
    config = (folder / "config.toml").read_bytes()
    header, arrays = read_bundle(folder / "checkpoint.npz")

    @given(st.data())
    @examples(40)
    def attack(data):
        changed = {f"{key}.npy": npy(array) for key, array in arrays.items()}
        which = f"{data.draw(st.sampled_from(sorted(arrays)))}.npy"
        kind = data.draw(st.sampled_from(["lost", "odd", "broken", "values"]))
        if kind == "lost":
            del changed[which]
        elif kind == "odd":
            changed[which] = npy(data.draw(st.sampled_from(ODD_ARRAYS)))
        elif kind == "broken":
            changed[which] = data.draw(st.sampled_from(BROKEN_NPY))
        else:
            old = arrays[which.removesuffix(".npy")]
            changed[which] = npy(np.full(old.shape, data.draw(st.sampled_from([-1, 0, 1, 99, 127]))).astype(old.dtype))
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "config.toml").write_bytes(config)
        write_entries(folder / "checkpoint.npz", {"header.npy": header_entry(header), **changed})
        try:
            train(begin(name, folder, resume=True), stop_after=int(header["done"]) + 1)
        except RunError as error:
            sentence_of(error, folder)

    attack()


@pytest.mark.parametrize(
    ("name", "array", "changes"),
    [
        ("advice-vote", "second", {"batch": "50"}),
        ("whole-game", "play/bias/moments", {"first": "8", "pass_first": "8"}),
    ],
)
def test_means_of_squares_below_zero_are_refused(tmp_path, name, array, changes):
    """Adam takes their roots: the weights would become no numbers, silently."""
    folder = tmp_path / "run"
    train(begin(name, folder, seed=1, games=1024, changes=changes), stop_after=512)
    header, arrays = read_bundle(folder / "checkpoint.npz")
    arrays[array][-1:] = -1
    write_bundle(folder / "checkpoint.npz", header, arrays)
    with pytest.raises(RunError, match=f"array {array} has means of squares below 0"):
        train(begin(name, folder, resume=True))


def test_a_long_configuration_is_not_parsed(run, tmp_path):
    """A dotted key of 800 kB takes the parser many minutes; real configurations have less than a kilobyte."""
    stopped(tmp_path / "sound")
    (tmp_path / "long").mkdir()
    (tmp_path / "long" / "config.toml").write_text("a." * 400_000 + "b = 1\n")
    status, out, err = run("runs", tmp_path)
    assert status == 0
    assert "it is too long" in err
    assert len(out.splitlines()) == 1, "the rest is listed"


def test_a_checkpoint_of_equal_categories_does_not_take_minutes(tmp_path):
    folder = tmp_path / "run"
    train(begin("falcon", folder, seed=1, games=40), stop_after=10)
    header, arrays = read_bundle(folder / "checkpoint.npz")
    many = {name: np.repeat(array[:1], 200_000, axis=0) for name, array in arrays.items() if name != "rung"}
    entries = {f"{name}.npy": npy(array) for name, array in {**many, "rung": arrays["rung"]}.items()}
    write_entries(folder / "checkpoint.npz", {"header.npy": header_entry(header), **entries})
    with pytest.raises(RunError, match="twice"):
        resumed(folder, "falcon")


# --- metrics ---


def test_deleted_metrics_are_missed_and_the_run_goes_on(tmp_path, capsys):
    whole = train(begin("attack-walk", tmp_path / "whole", seed=1)).metrics()
    folder = stopped(tmp_path / "run")
    (folder / "metrics.jsonl").unlink()
    finished = resumed(folder)
    assert finished.finished
    assert finished.metrics() == whole[2:]
    assert capsys.readouterr().err.count("are missing; it goes on without them") == 1
    assert open_run(folder).done == 40


def test_metrics_that_were_cut_keep_their_whole_lines(tmp_path, capsys):
    whole = train(begin("attack-walk", tmp_path / "whole", seed=1)).metrics()
    folder = stopped(tmp_path / "run")
    path = folder / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    assert resumed(folder).metrics() == [whole[0], *whole[2:]]
    assert "are missing" in capsys.readouterr().err


@pytest.mark.parametrize("line", [b"\0" * 50, b"[" * 100_000, b"3", b"\xff"])
def test_metrics_that_are_no_measurements(tmp_path, line):
    run = train(begin("attack-walk", tmp_path / "run", seed=1))
    (run.folder / "metrics.jsonl").write_bytes(line + b"\n")
    with pytest.raises(RunError, match="line 1 is not a measurement") as caught:
        run.metrics()
    sentence_of(caught.value, run.folder)


# --- what killed processes and full disks leave ---


def test_parts_of_killed_processes_are_removed(tmp_path):
    folder = stopped(tmp_path / "run")
    (folder / ".checkpoint.npz.abc.part").write_bytes(b"half")
    (folder / ".model.npz.abc.part").write_bytes(b"half")
    resumed(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        ".lock", "checkpoint.npz", "config.toml", "metrics.jsonl", "model.npz",
    ]  # fmt: skip


def test_old_parts_are_removed_by_the_next_write(tmp_path):
    from heartlab.util.files import STALE_SECONDS, replacing

    old, fresh, other = (tmp_path / name for name in (".m.npz.1.part", ".m.npz.2.part", ".other.npz.1.part"))
    for path in (old, fresh, other):
        path.write_bytes(b"half")
    for path in (old, other):
        os.utime(path, (time.time() - STALE_SECONDS - 60,) * 2)
    with replacing(tmp_path / "m.npz") as file:
        file.write(b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [fresh.name, other.name, "m.npz"]


@contextmanager
def largest_file(size):
    """A limit on the size of files, which fails as a full disk does: with an error that names no file."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of the system")
def test_a_full_disk_names_the_file(run, tmp_path):
    for limit, arguments, file in [
        (2000, ["arena", "random", "-n", "20", "--record", tmp_path / "deals.hearts"], "deals.hearts"),
        (400, ["train", "attack-walk", "--games", "16", "--out", tmp_path / "run"], "checkpoint.npz"),
    ]:
        assert (
            run(*arguments[:-1], tmp_path / f"{arguments[0]} with room")[0] == 0
        )  # and what is compiled is in the cache
        with largest_file(limit):
            status, _, err = run(*arguments)
        assert status == 2, err
        assert f"{file}: File too large" in err.splitlines()[-1], err
    assert json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[0])
