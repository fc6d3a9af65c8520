"""Pruning and the transposition table: nodes and time beside the same search without them.

Each line is one search over the same late positions; its peer searches every node. The note gives the factor by which
the number of nodes falls; the ratio is that of the rates. Times are processor times, measured alternately.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from statistics import median

import numpy as np
import numpy.typing as npt

from heartlab.bench import BenchResult, benchmark
from heartlab.deal import Deal
from heartlab.kernel.layout import compile_rules
from heartlab.players import OpenStates
from heartlab.players.search import SearchPlayer
from heartlab.rules import Rules

VARIANTS = (
    {"prune": "no", "table": "no"},
    {"prune": "shallow", "table": "no"},
    {"prune": "bold", "table": "no"},
    {"prune": "yes", "table": "no"},
    {"prune": "yes", "table": "yes"},
)
SEARCHES = (("maxn", "pie"), ("maxn", "points"), ("paranoid", "pie"), ("paranoid", "points"))
DEPTHS = (("2", 8), ("3", 6), ("all", 5))
"""Depth of the search in tricks, and tricks left in the deal."""
RULES = ("seed-nomoon", "seed", "seed-nomoon,players=3", "seed,players=3")
POSITIONS_PER_SECOND, ROUNDS = 4, 3


def _late_positions(rules: Rules, tricks_left: int, count: int) -> OpenStates:
    """Random positions with so many tricks left, on lead or one card later, with more than one legal card."""
    deals: list[Deal] = []
    dice = random.Random(1)
    while len(deals) < count:
        deal = Deal(rules, seed=dice.randrange(1 << 30))
        end = rules.plays - tricks_left * rules.players + len(deals) % 2
        while len(deal.history) < end:
            deal.play(dice.choice(sorted(deal.legal)))
        if len(deal.legal) > 1:
            deals.append(deal)
    records = np.concatenate([deal.observe(deal.to_move or 0).records for deal in deals])
    return OpenStates(rules, compile_rules(rules), records, np.concatenate([deal._states for deal in deals]))


def _search_times(players: list[SearchPlayer], batch: OpenStates) -> npt.NDArray[np.float64]:
    """[rounds, players]: processor times of searching the positions, the players taking turns."""
    times = np.zeros((ROUNDS, len(players)))
    for turn in range(ROUNDS):
        for which, player in enumerate(players):
            begun = time.thread_time()
            player.search.search_worlds(batch, 1)
            times[turn, which] = time.thread_time() - begun
    return times


@benchmark("search.pruning")
def bench_pruning(seconds: float) -> Iterator[BenchResult]:
    """Max^n and paranoid search: shallow and speculative pruning and the transposition table, against every node."""
    count = max(1, round(POSITIONS_PER_SECOND * seconds))
    for text in RULES:
        for tricks, left in DEPTHS:
            batch = _late_positions(Rules.parse(text), left, count)
            for kind, judge in SEARCHES:
                base = {"eval": judge, "tricks": tricks, "worlds": "0"}
                players = [SearchPlayer(kind, {**base, **variant}) for variant in VARIANTS]
                times = _search_times(players, batch)
                nodes = [int(player.search.counters[0]) for player in players]
                for which, variant in enumerate(VARIANTS[1:], 1):
                    options = ",".join(f"{key}={value}" for key, value in variant.items())
                    note = f"{text}: {kind}:eval={judge},tricks={tricks},{options}, {left} tricks left; "
                    note += f"nodes fall by {nodes[0] / nodes[which]:.2f}"
                    ours, theirs = (count / median(times[:, column]) for column in (which, 0))
                    ratio = float(median(times[:, 0] / times[:, which]))
                    yield BenchResult("search.pruning", "searches/s", 1, ours, "every node", theirs, ratio, note)
