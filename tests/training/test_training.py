"""Models, runs and recipes: files that survive, runs that resume to the identical result, clear words for bad input."""

from __future__ import annotations

import io
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT
from support.strategies import examples

from heartlab.training import (
    Model,
    ModelError,
    RecipeError,
    RunError,
    known_runs,
    load_model,
    recipe,
    save_model,
    train,
)
from heartlab.training.model import SHIPPED
from heartlab.training.recipes import find_recipe, parse_changes
from heartlab.training.run import begin, open_run
from heartlab.training.sweep import plan, run_sweep
from heartlab.util.bundle import BundleError, read_bundle, write_bundle
from heartlab.util.executor import LocalExecutor, asked_to_stop
from heartlab.util.locks import InUse
from heartlab.util.toml import toml_text


@dataclass(frozen=True)
class ToyParameters:
    """What the toy recipe can be told."""

    rate: float = 0.5
    size: int = 3
    loud: bool = False
    name: str = "toy"

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size={self.size} needs to be above zero")


@recipe("test-toy", "a walk whose steps depend on seed and game number", ToyParameters, games=100)
class ToyTrainer:
    """Sums up random numbers; a step is deliberately not the same when games are left out or repeated."""

    chunk = 8

    def __init__(self, parameters: ToyParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed
        self.total = np.zeros(parameters.size)

    def step(self, first, count):
        for game in range(first, first + count):
            self.total = self.parameters.rate * self.total + np.random.default_rng((self.seed, game)).random(3)
        return [{"games": first + count, "total": float(self.total.sum())}]

    def checkpoint(self):
        return {"total": self.total}

    def restore(self, arrays):
        self.total = arrays["total"]

    def model(self):
        return Model("toy", {"total": self.total}, names=("a", "b", "c"))


# --- files ---


def test_a_model_comes_back_as_it_was(tmp_path):
    path = tmp_path / "deep" / "m.npz"
    arrays = {"w": np.arange(6.0).reshape(2, 3), "k": np.array([1, 2], np.int8)}
    model = Model("toy", arrays, "r", "advice", ("♥ low", "x"), 5, 70, "heartlab train r", extras={"a": [1, 2.5, None]})
    save_model(path, model)
    found = load_model(path)
    assert (found.kind, found.recipe, found.rules, found.names) == ("toy", "r", "advice", ("♥ low", "x"))
    assert (found.seed, found.games, found.command, found.extras) == (5, 70, "heartlab train r", {"a": [1, 2.5, None]})
    for name, array in arrays.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)
    assert [entry.name for entry in path.parent.iterdir()] == ["m.npz"]


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m.npz"
    save_model(path, Model("old", {"w": np.ones(3)}))
    monkeypatch.setattr(np, "savez_compressed", lambda file, **entries: (file.write(b"PK half"), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        save_model(path, Model("new", {"w": np.ones(3)}))
    assert load_model(path).kind == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.npz"]


@given(st.data())
@examples(60)
def test_no_damage_gets_past_the_reader(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damage")
    path = folder / "m.npz"
    save_model(path, Model("toy", {"w": np.arange(50.0)}))
    good = path.read_bytes()
    if data.draw(st.booleans()):
        path.write_bytes(good[: data.draw(st.integers(0, len(good) - 1))])
    else:
        place = data.draw(st.integers(0, len(good) - 1))
        path.write_bytes(good[:place] + bytes([good[place] ^ data.draw(st.integers(1, 255))]) + good[place + 1 :])
    with suppress(ModelError):  # or else the damage is in a part of the zip file that says nothing about the content
        np.testing.assert_array_equal(load_model(path).arrays["w"], np.arange(50.0))


class Trap:
    """Its pickle would run code."""

    def __reduce__(self):
        return (os.mkdir, ("trapped",))


def test_a_pickle_is_never_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m.npz"
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.array([Trap()], object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.npy", buffer.getvalue())
    with pytest.raises(ModelError, match="damaged, or not a file of heartlab"):
        load_model(path)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ModelError, match="damaged, or not a file of heartlab"):
        load_model(path)
    assert not Path("trapped").exists()
    with pytest.raises(BundleError, match="Python objects"):
        write_bundle(path, {}, {"w": np.array([Trap()], object)})


def test_foreign_and_future_models_are_named(tmp_path):
    path = tmp_path / "m.npz"
    write_bundle(path, {"format": "other"}, {})
    with pytest.raises(ModelError, match="not a model of heartlab"):
        load_model(path)
    write_bundle(path, {"format": "heartlab-model", "version": 99}, {})
    with pytest.raises(ModelError, match="format 99, but this heartlab reads up to 1"):
        load_model(path)
    write_bundle(path, {"format": "heartlab-model", "version": 1, "kind": "x"}, {})
    with pytest.raises(ModelError, match="lacks or garbles 'recipe'"):
        load_model(path)
    np.savez(path, w=np.ones(2))
    with pytest.raises(ModelError, match="damaged, or not a file"):
        load_model(path)
    save_model(path, Model("toy", {}))
    with pytest.raises(ModelError, match="of kind toy, but advice is needed"):
        load_model(path, "advice")


def test_a_folder_does_not_hide_a_model_of_the_package(tmp_path, monkeypatch):
    (tmp_path / "td").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_model("td").arrays.keys() == load_model(SHIPPED / "td.npz").arrays.keys()
    with pytest.raises(ModelError, match="no such model"):
        load_model("./td")


def test_names_of_models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="no model is called 'nothing'; shipped are"):
        load_model("nothing")
    with pytest.raises(ModelError, match="no such model"):
        load_model("./nothing.npz")
    save_model("run/model.npz", Model("toy", {}))
    assert load_model("run").kind == "toy"
    save_model("mine", Model("toy", {}))
    assert load_model("mine").kind == "toy", "a file needs no suffix and no ./ in front"
    for path in SHIPPED.glob("*.npz"):
        found = load_model(path.stem)
        assert found.command.startswith("heartlab "), f"{path.name} does not say how it was made"


scalars = st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text()


@given(st.dictionaries(st.text(min_size=1), scalars | st.lists(scalars) | st.dictionaries(st.text(), scalars)))
@examples(150)
def test_toml_is_read_back(values):
    assert tomllib.loads(toml_text(values)) == values


# --- runs ---


def contents(folder):
    """All that a run must reproduce: its measurements and its model."""
    header, arrays = read_bundle(folder / "model.npz")
    return (folder / "metrics.jsonl").read_bytes(), header, {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("stops", [[8], [1, 40, 96], [99, 99]])
def test_resuming_ends_like_a_run_without_a_stop(tmp_path, stops):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    train(begin("test-toy", whole, seed=3, changes={"rate": 0.9}))
    run = begin("test-toy", torn, seed=3, changes={"rate": 0.9})
    for stop in stops:
        run = train(run, stop_after=stop)
        with (torn / "metrics.jsonl").open("ab") as file:  # what a kill after the checkpoint may leave behind
            file.write(b'{"games": 9999, "total": 1.0}\n{"games": 77')
        assert not open_run(torn).finished or stop >= 100 - ToyTrainer.chunk
        run = begin("test-toy", torn, resume=True)
    train(run)
    assert contents(whole) == contents(torn)


def test_a_killed_process_resumes_to_the_same_result(tmp_path):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    train(begin("test-toy", whole, seed=1))
    program = (
        "import os, test_training, heartlab.training.run as r\n"
        "step = test_training.ToyTrainer.step\n"
        "def dying(self, first, count):\n"
        "    if first >= 56: os.kill(os.getpid(), 9)\n"
        "    return step(self, first, count)\n"
        "test_training.ToyTrainer.step = dying\n"
        f"r.train(r.begin('test-toy', r.Path({str(torn)!r}), seed=1), checkpoint_seconds=0.0)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(ROOT / "tests")])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()[-2000:]
    run = open_run(torn)
    assert run.done == 56
    assert not run.finished
    train(begin("test-toy", torn, resume=True))
    assert contents(whole) == contents(torn)


def test_an_interrupt_finishes_the_step_and_leaves_a_checkpoint(tmp_path):
    class Interrupting(ToyTrainer):
        def step(self, first, count):
            if first == 16:
                os.kill(os.getpid(), signal.SIGINT)
            return super().step(first, count)

    recipe("test-interrupted", "", ToyParameters, games=100)(Interrupting)
    run = train(begin("test-interrupted", tmp_path / "r", seed=2))
    assert run.done == 24
    assert open_run(tmp_path / "r").done == 24
    assert [line["games"] for line in run.metrics()] == [8, 16, 24]


def test_an_interrupted_sweep_stops_soon_and_goes_on_from_its_checkpoints(tmp_path, capsys):
    interrupt = True

    class Interrupting(ToyTrainer):
        """Interrupts the process in its third step, and waits there until the executor has heard of it."""

        def step(self, first, count):
            nonlocal interrupt
            if first == 16 and interrupt:
                interrupt = False
                os.kill(os.getpid(), signal.SIGINT)
                deadline = time.monotonic() + 10
                while not asked_to_stop() and time.monotonic() < deadline:
                    time.sleep(0.01)
            return super().step(first, count)

    recipe("test-swept", "", ToyParameters, games=100)(Interrupting)
    jobs = plan("test-swept", [5, 6], None, {}, {"rate": "0.5/0.5"})
    assert [job.name for job in jobs] == ["test-swept-rate=0.5-5", "test-swept-rate=0.5-6"]
    folder = tmp_path / "sweep"
    assert run_sweep(jobs, folder, LocalExecutor(1), report=None)
    assert "interrupted: 0 of 2 runs are finished" in capsys.readouterr().err
    assert open_run(folder / jobs[0].name).done == 24
    assert not (folder / jobs[1].name).exists()
    assert not run_sweep(jobs, folder, LocalExecutor(1), report=None)
    for job in jobs:
        train(begin("test-swept", tmp_path / job.name, seed=job.seed))
        assert contents(folder / job.name) == contents(tmp_path / job.name)


def test_two_processes_do_not_work_on_one_run(tmp_path):
    """Also not if the second one was planned before the first began, nor does it change what the run shall be."""
    folder = tmp_path / "r"
    late = begin("test-toy", folder, seed=9)
    refused = []

    class Meeting(ToyTrainer):
        def step(self, first, count):
            if first == 8:
                for request in (dict(resume=True), dict(resume=True, games=200)):
                    with pytest.raises(InUse, match="another process works on this run") as caught:
                        train(begin("test-meeting", folder, **request))
                    refused.append(caught)
            return super().step(first, count)

    recipe("test-meeting", "", ToyParameters, games=100)(Meeting)
    train(begin("test-meeting", folder, seed=1), stop_after=40)
    assert len(refused) == 2
    assert open_run(folder).games == 100
    with pytest.raises(RunError, match="holds another run by now"):
        train(late)
    stale = begin("test-meeting", folder, resume=True)
    train(stale)
    train(stale)  # goes on from what is there, not from what was there when it was planned
    train(begin("test-toy", tmp_path / "alone", seed=1))
    assert (folder / "metrics.jsonl").read_bytes() == (tmp_path / "alone" / "metrics.jsonl").read_bytes()


def test_more_games_continue_a_finished_run(tmp_path):
    train(begin("test-toy", tmp_path / "a", games=80))
    train(begin("test-toy", tmp_path / "a", games=160, resume=True))
    train(begin("test-toy", tmp_path / "b", games=160))
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_runs_are_listed(tmp_path):
    train(begin("test-toy", tmp_path / "x" / "one", seed=1))
    train(begin("test-toy", tmp_path / "two", seed=2), stop_after=8)
    runs = known_runs(tmp_path)
    assert [(run.folder.name, run.seed, run.done, run.finished) for run in runs] == [
        ("two", 2, 8, False),
        ("one", 1, 100, True),
    ]
    assert load_model(tmp_path / "x" / "one").command == "heartlab train test-toy --games 100 --seed 1"


def test_what_is_no_run_is_warned_of_and_does_not_hide_the_others(tmp_path):
    train(begin("test-toy", tmp_path / "one", seed=1), stop_after=8)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.toml").write_text('[tool]\nname = "something else"\n')
    warnings = []
    assert [run.folder.name for run in known_runs(tmp_path, warnings.append)] == ["one"]
    assert len(warnings) == 1
    assert "other" in warnings[0]
    with pytest.raises(RunError, match="there is no such folder"):
        known_runs(tmp_path / "nowhere")


def test_a_run_whose_trainer_cannot_be_made_leaves_nothing(tmp_path):
    class Impossible(ToyTrainer):
        def __init__(self, parameters, seed):
            raise ValueError("not with this")

    recipe("test-impossible", "", ToyParameters, games=100)(Impossible)
    with pytest.raises(ValueError, match="not with this"):
        train(begin("test-impossible", tmp_path / "r"))
    assert not (tmp_path / "r").exists()


def test_wrong_requests_are_named(tmp_path):
    folder = tmp_path / "r"
    with pytest.raises(RecipeError, match="no recipe is called 'test-tox'; did you mean test-toy"):
        begin("test-tox", folder)
    with pytest.raises(RecipeError, match="has no parameter 'rates'; it has rate, size, loud, name"):
        begin("test-toy", folder, changes={"rates": "1"})
    with pytest.raises(RecipeError, match="size=x needs a whole number"):
        begin("test-toy", folder, changes={"size": "x"})
    with pytest.raises(RecipeError, match="size=0 needs to be above zero"):
        begin("test-toy", folder, changes={"size": "0"})
    with pytest.raises(RecipeError, match="write key=value"):
        parse_changes(["rate"])
    with pytest.raises(RunError, match="no run is here"):
        begin("test-toy", folder, resume=True)
    assert not folder.exists()
    train(begin("test-toy", folder, seed=1), stop_after=16)
    for request, words in [
        (dict(), "holds a run already"),
        (dict(resume=True, seed=2), "a run with seed 1, not 2"),
        (dict(resume=True, changes={"rate": "0.75"}), "a run with rate=0.5, not 0.75"),
        (dict(resume=True, games=8), "16 games are done already"),
    ]:
        with pytest.raises(RunError, match=words):
            begin("test-toy", folder, **request)
    (folder / "config.toml").write_text("recipe = 3\nseed")
    with pytest.raises(RunError, match="not the configuration of a run"):
        open_run(folder)


def test_parameters_are_read_by_type():
    entry = find_recipe("test-toy")
    assert entry.settings({"rate": "2", "size": "4", "loud": "yes", "name": "x"}) == ToyParameters(2.0, 4, True, "x")
    assert entry.settings(json.loads('{"rate": 1}')) == ToyParameters(1.0)
