"""The table of docs/scaling.md: `python docs/make_scaling.py`. Local threads and Ray nodes of one worker each, 1 and 2.

The machine is shared and noisy: all settings take turns, each number is the median over rounds.
"""

from statistics import median

import ray
from ray.cluster_utils import Cluster

from heartlab import Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.executor import LocalExecutor, RayExecutor

PLAYERS, RULES, SEED, ROUNDS = ("iie:worlds=5", "gnome"), "seed", 1, 3
SIZES = (20, 40, 80)


def seconds(match, executor):
    return run_match(match, executor=executor).seconds


def measure(settings):
    """[setting, size]: median seconds; all settings give the same points."""
    players = [make_player(name) for name in PLAYERS]
    matches = {size: Match(players, Rules.parse(RULES), size, seed=SEED) for size in SIZES}
    for make in settings.values():
        run_match(matches[SIZES[0]], executor=make())  # workers import, kernels are loaded
    taken = {name: {size: [] for size in SIZES} for name in settings}
    for _ in range(ROUNDS):
        for size in SIZES:
            for name, make in settings.items():
                taken[name][size].append(seconds(matches[size], make()))
    return {name: {size: median(times) for size, times in row.items()} for name, row in taken.items()}


def main():
    found = measure({"1 thread": lambda: LocalExecutor(1), "2 threads": lambda: LocalExecutor(2)})
    for nodes in (1, 2):
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        for _ in range(nodes - 1):
            cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
        found |= measure({f"{nodes} Ray worker{'s' if nodes > 1 else ''}": RayExecutor})
        ray.shutdown()
        cluster.shutdown()
    print("| seconds for | " + " | ".join(f"{size} deals × 14" for size in SIZES) + " |")
    print("|---" * (len(SIZES) + 1) + "|")
    for name, row in found.items():
        print(f"| {name} | " + " | ".join(f"{row[size]:.1f}" for size in SIZES) + " |")


if __name__ == "__main__":
    main()
