"""Ray on this machine alone: it listens where only this machine can reach it, is silent, and fails with a sentence."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from heartlab.util.executor import ExecutorError, RayExecutor


class FakeRay(types.ModuleType):
    """As much of Ray as an executor needs; `begin` is what happens when it starts."""

    def __init__(self, begin=None, address="127.0.0.1"):
        super().__init__("ray")
        self.begin, self.address = begin, address
        self.calls = []
        self.constants = types.ModuleType("ray._private.ray_constants")
        self.constants.ENABLE_RAY_CLUSTER = True
        self.down = False

    def is_initialized(self):
        return False

    def init(self, **options):
        self.calls.append((options["address"], options.get("include_dashboard"), self.constants.ENABLE_RAY_CLUSTER))
        if options["address"] == "auto":
            raise ConnectionError("Could not find any running Ray instance.")
        if self.begin:
            self.begin()

    def nodes(self):
        return [{"NodeManagerAddress": self.address}]

    def cluster_resources(self):
        return {"CPU": 2.0}

    def shutdown(self):
        self.down = True


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)

    def use(*arguments, **options):
        ray = FakeRay(*arguments, **options)
        monkeypatch.setitem(sys.modules, "ray", ray)
        monkeypatch.setitem(sys.modules, "ray._private.ray_constants", ray.constants)
        return ray

    return use


@pytest.mark.parametrize("address", ["", "local"])
def test_a_new_cluster_is_closed_and_has_no_dashboard(fake, address):
    ray = fake()
    assert RayExecutor(address).workers == 2
    assert ray.calls[-1] == ("local", False, False)
    assert ray.constants.ENABLE_RAY_CLUSTER is True, "that holds for this start only"


def test_a_cluster_that_would_be_open_is_not_used(fake):
    ray = fake(address="10.0.0.7")
    with pytest.raises(ExecutorError, match=r"would listen on 10\.0\.0\.7"):
        RayExecutor()
    assert ray.down


def test_the_environment_names_a_cluster(fake, monkeypatch):
    ray = fake(address="10.0.0.7")
    monkeypatch.setattr("heartlab.util.executor._knock", lambda address: None)
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.7:6379")
    RayExecutor()
    assert ray.calls == [("10.0.0.7:6379", None, True)]


@pytest.mark.parametrize(
    "error",
    [OSError(28, "No space left on device"), RuntimeError("no\nway"), TimeoutError(), SystemExit(1), KeyError("gcs")],
)
def test_a_ray_that_cannot_start_is_one_sentence(fake, error):
    def fail():
        raise error

    fake(fail)
    with pytest.raises(ExecutorError, match=r"^Ray cannot start here: \S") as caught:
        RayExecutor()
    assert "\n" not in str(caught.value)


def test_what_ray_says_goes_to_standard_error(fake, capfd):
    def talk():
        print("Started a local Ray instance.")
        os.write(1, b"and more\n")
        subprocess.run(["echo", "from its processes"], check=True)

    fake(talk)
    RayExecutor()
    print("result")
    out, err = capfd.readouterr()
    assert out == "result\n"
    assert all(words in err for words in ("Started", "and more", "from its processes"))


def listening(pids):
    """The addresses on which processes listen, as the kernel writes them."""
    sockets = {}
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        for line in table.read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                sockets[f"socket:[{words[9]}]"] = words[1].partition(":")[0]
    found = []
    for pid in pids:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                found += [sockets[name] for name in [os.readlink(entry)] if name in sockets]
    return found


PROGRAM = """
import os, sys
from pathlib import Path
from heartlab.util.executor import RayExecutor
ray = RayExecutor()
assert [ray.submit(lambda text: len(text), "abc").result()] == [3]
print(" ".join([str(os.getpid()), *sys.argv[1:]]), flush=True)
sys.stdin.read()
ray.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs /proc")
def test_a_real_cluster_listens_on_loopback_only():
    pytest.importorskip("ray", reason="Ray is not installed")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, start_new_session=True, **pipes) as driver:
        try:
            said = driver.stdout.readline()
            assert said == f"{driver.pid}\n", (said, driver.stderr.read() if not said else "")
            addresses = listening(family_of(driver.pid))
        finally:
            driver.stdin.close()
            driver.wait(600)
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert len(addresses) >= 4
    assert set(addresses) <= loopback


def family_of(pid):
    """A process and all its descendants."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found
