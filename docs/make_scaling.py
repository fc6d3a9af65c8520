"""The tables of docs/scaling.md: `python docs/make_scaling.py [--waiting]`. 1 and 2 threads, 1 and 2 Ray workers.

The machine is shared and noisy: all settings take turns, and each number is the median over rounds. With `--waiting`
the players wait for a millisecond per choice instead of computing, which shows what handing out tasks costs even when
other programs use the processors.
"""

import sys
import time
from statistics import median

import numpy as np
import ray

from heartlab import Player, Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.util.executor import LocalExecutor, RayExecutor

RULES, SEED, ROUNDS = "seed", 1, 5


class Waiting(Player):
    """Waits a millisecond for each choice, like a program elsewhere that thinks, and plays its lowest card."""

    def choose_cards(self, batch):
        time.sleep(0.001 * len(batch))
        legal = batch.records["legal"]
        return np.log2(legal & (~legal + np.uint64(1))).astype(np.int8)


def ray_workers(count):
    """A Ray executor that keeps so many workers busy: a match has one task more in flight than its executor says."""
    executor = RayExecutor()
    executor.workers = count - 1
    return executor


def main(players, sizes, batch=None):
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    settings = {
        "1 thread": lambda: LocalExecutor(1),
        "2 threads": lambda: LocalExecutor(2),
        "1 Ray worker": lambda: ray_workers(1),
        "2 Ray workers": lambda: ray_workers(2),
    }
    matches = {size: Match(players, Rules.parse(RULES), size, seed=SEED) for size in sizes}
    for make in settings.values():
        run_match(matches[sizes[0]], executor=make())  # workers import, kernels are loaded
    taken = {name: {size: [] for size in sizes} for name in settings}
    for _ in range(ROUNDS):
        for size in sizes:
            for name, make in settings.items():
                taken[name][size].append(run_match(matches[size], executor=make(), batch=batch).seconds)
    arrangements = len(matches[sizes[0]].seatings)
    print("| seconds for | " + " | ".join(f"{size} deals × {arrangements}" for size in sizes) + " |")
    print("|---" * (len(sizes) + 1) + "|")
    for name, row in taken.items():
        print(f"| {name} | " + " | ".join(f"{median(row[size]):.1f}" for size in sizes) + " |")
    for kind in ("thread", "Ray worker"):
        one, two = taken[f"1 {kind}"], taken[f"2 {kind}s"]
        ratios = [a / b for size in sizes for a, b in zip(one[size], two[size], strict=True)]
        print(f"two {kind}s beside one, median of {len(ratios)} ratios: {median(ratios):.2f}")


if __name__ == "__main__":
    if "--waiting" in sys.argv:
        main([Waiting()], (10, 20, 40), batch=1)
    else:
        main([make_player(name) for name in ("iie:worlds=5", "gnome")], (20, 40, 80))
