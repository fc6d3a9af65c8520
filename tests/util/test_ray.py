"""The same tasks on a Ray cluster: identical results, also when a node is killed in mid-match."""

import os
import time

import numpy as np
import pytest

from heartlab import Player, Rules, make_player
from heartlab.arena import Match, PlayerFailure, run_match
from heartlab.reproduction.parts import Workshop
from heartlab.training.recipes import RecipeError
from heartlab.training.sweep import plan, run_sweep
from heartlab.util.executor import ExecutorError, LocalExecutor, RayExecutor, make_executor

pytestmark = pytest.mark.slow

PATIENCE = 600
"""Seconds that Ray may need for anything: on a busy machine even the start of a node takes minutes."""
os.environ.setdefault("RAY_gcs_server_request_timeout_seconds", str(PATIENCE))  # read when Ray is imported
ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'heartlab[ray]' brings it")


START = 90
"""Seconds after which a node that has not registered is given up: its own processes wait only 15 seconds for each
other, and then it never does."""
ATTEMPTS = 5


def keep_trying(look_up):
    """A function that raises RuntimeError until a node has registered, called until it does not."""

    def retry(*arguments):
        end = time.monotonic() + START
        while time.monotonic() < end:
            try:
                return look_up(*arguments)
            except RuntimeError:
                time.sleep(0.1)
        return look_up(*arguments)

    return retry


def start_nodes(kind):
    """Two nodes of one worker each; begun again if a node does not come up, as on a very busy machine."""
    for attempt in range(1, ATTEMPTS + 1):
        nodes = kind()
        try:
            nodes.add_node(num_cpus=1, include_dashboard=False)
            nodes.second = nodes.add_node(num_cpus=1)
            return nodes
        except Exception:
            nodes.shutdown()
            if attempt == ATTEMPTS:
                raise
    return None


@pytest.fixture(scope="module")
def cluster():
    """Two nodes of one worker each on this machine."""
    from ray._private import services
    from ray.cluster_utils import Cluster

    class PatientCluster(Cluster):
        def _wait_for_node(self, node, timeout=PATIENCE):
            super()._wait_for_node(node, PATIENCE)

    before = dict(os.environ)
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    os.environ |= {"RAY_gcs_server_port_wait_time_s": str(PATIENCE), "RAY_raylet_start_wait_time_s": str(PATIENCE)}
    os.environ |= {"RAY_worker_register_timeout_seconds": str(PATIENCE)}
    os.environ |= {"RAY_agent_register_timeout_ms": str(1000 * PATIENCE), "RAY_health_check_timeout_ms": "60000"}
    os.environ |= {"RAY_memory_monitor_refresh_ms": "0"}  # other programs' memory is no reason to kill our workers
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services, "get_node", keep_trying(services.get_node))
        nodes = start_nodes(PatientCluster)
        ray.init(address=nodes.address, log_to_driver=False, logging_level="error")
        yield nodes
        ray.shutdown()
        nodes.shutdown()
    os.environ.clear()
    os.environ.update(before)


def test_a_cluster_gives_the_results_of_this_machine(cluster):
    match = Match([make_player("gnome:jake"), make_player("random")], Rules.parse("standard"), 12, seed=3)
    there = RayExecutor()
    assert there.workers == 2
    near, far = run_match(match, threads=1), run_match(match, executor=there, batch=4)
    np.testing.assert_array_equal(near.points, far.points)
    np.testing.assert_array_equal(near.forfeits, far.forfeits)


def test_a_failing_player_is_named_from_afar(cluster):
    class Failing(Player):
        def play(self, obs):
            raise KeyError("lost")

    with pytest.raises(PlayerFailure, match="player failing failed: KeyError"):
        run_match(Match([Failing()], Rules.parse("seed"), 1), executor=RayExecutor())


def test_parts_and_sweeps_there_as_here(cluster, tmp_path):
    jobs = plan("advice-t", [0, 1], 200, {}, {})
    for name, executor in (("here", LocalExecutor(1)), ("there", RayExecutor())):
        run_sweep(jobs, tmp_path / name, executor, report=lambda found: None)
    for job in jobs:
        for file in ("model.npz", "metrics.jsonl", "config.toml"):
            assert (tmp_path / "here" / job.name / file).read_bytes() == (
                tmp_path / "there" / job.name / file
            ).read_bytes()
    shops = [Workshop(tmp_path / "parts", seed=5, executor=RayExecutor(), tell=lambda line: None) for _ in range(2)]
    seed = shops[0].seed
    work = [(f"part {n}", {"n": n}, lambda n=n: {"value": np.array([n, seed])}) for n in range(3)]
    found = [[part["value"].tolist() for part in shop.parts(work)] for shop in shops]
    assert found == [[[0, 5], [1, 5], [2, 5]]] * 2
    assert (shops[0].fresh, shops[1].fresh, shops[1].found) == (3, 0, 3)


def test_a_node_that_dies_in_mid_match_changes_nothing(cluster, tmp_path):
    class Noted(Player):
        """Plays the lowest legal card, leaves a note about where it ran, and waits until both nodes have done so."""

        def choose_cards(self, batch):
            if ray.is_initialized():
                (tmp_path / ray.get_runtime_context().get_node_id()).touch()
                end = time.monotonic() + PATIENCE
                while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < end:
                    time.sleep(0.01)
            return np.array([min(batch[row].legal) for row in range(len(batch))], np.int8)

    match = Match([Noted()], Rules.parse("seed"), 12, seed=4)
    finished = []

    def kill(done):
        finished.append(done)
        if len(finished) == 2:
            cluster.remove_node(cluster.second, allow_graceful=False)

    far = run_match(match, executor=RayExecutor(), batch=1, progress=kill)
    assert len(list(tmp_path.iterdir())) == 2, "both nodes had work"
    ray.shutdown()
    near = run_match(match, threads=1)
    np.testing.assert_array_equal(near.points, far.points)
    assert far.units == 12


# --- without a cluster ---


def test_sweeps_are_planned_before_anything_is_trained():
    jobs = plan("advice-t", [3, 4], 100, {"test": "50"}, {"rate": "0.1/0.2"})
    names = [f"advice-t-test=50-rate={rate}-{seed}" for rate in (0.1, 0.2) for seed in (3, 4)]
    assert [job.name for job in jobs] == names
    with pytest.raises(RecipeError, match="set and varied"):
        plan("advice-t", [0], 100, {"rate": "1"}, {"rate": "1/2"})
    with pytest.raises(RecipeError, match="has no parameter"):
        plan("advice-t", [0], 100, {}, {"colour": "red/blue"})


def test_an_address_without_a_cluster_gets_a_sentence():
    with pytest.raises(ExecutorError, match="no Ray cluster at"):
        make_executor("ray:127.0.0.1:1")


@pytest.mark.parametrize("on", ["moon", "", "local:2"])
def test_unknown_places_get_a_sentence(on):
    with pytest.raises(ExecutorError, match="`local`, `ray` or `ray:ADDRESS`"):
        make_executor(on)
