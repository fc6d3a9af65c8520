"""How many moons could be stopped at all: the figures of `docs/whole-game.md`.

Run it as `python docs/make_stops.py net 400 78`: a player, deals, and a seed. The player sits with `gnome:peter`,
`gnome:jake` and `gnome`, in all 24 seatings. For each moon that it concedes all its cards are tried, with open hands,
against these three.
"""

import sys
from collections import Counter

import numpy as np

from heartlab import Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.arena.rows import FinishedDeals
from heartlab.compiled.rng import seed_key
from heartlab.kernel.dealing import give
from heartlab.kernel.layout import SEATS, STATE, compile_rules
from heartlab.learners.whole_game.stopping import SHOT, STOPPED, last_chance, new_search
from heartlab.learners.whole_game.strangers import NAMES

OTHERS = ["gnome:peter", "gnome:jake", "gnome"]


def after_passing(rules: np.ndarray, dealt: np.ndarray, final: np.ndarray) -> np.ndarray:
    """The state before the first card: the passes are those that the end of the deal shows."""
    state = np.zeros(1, STATE)
    state[0] = dealt
    for seat in range(SEATS):
        if state[0]["to_pass"] >> seat & 1:
            give(rules[0], state[0], seat, final["passed"][seat], np.zeros(1, np.uint64))
    return state


def main() -> None:
    """Print how many moons were conceded, to whom, and how many could be stopped from which trick on."""
    name, units, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    names = [name, *OTHERS]
    match = Match([make_player(one) for one in names], Rules.parse("standard"), units, seed=seed)
    rules, key = compile_rules(match.rules), seed_key(seed, "players")
    shooters, chances, deals = Counter(), Counter(), 0

    def look(finished: FinishedDeals) -> None:
        nonlocal deals
        deals += len(finished.units)
        for row in np.flatnonzero(finished.shooters >= 0):
            seats = finished.seatings[row]
            mine = int(np.flatnonzero(seats == 0)[0])
            if finished.shooters[row] == mine:
                continue
            shooters[names[seats[finished.shooters[row]]]] += 1
            kinds = np.array([NAMES.get(names[kind], 0) for kind in seats])
            begin = after_passing(rules, finished.dealt[row], finished.final[row])
            found = np.zeros(13, np.int64)
            turn = last_chance(rules, begin, finished.histories[row], mine, key, new_search(kinds), found)
            never = "never" if (found == SHOT).all() else "unknown"
            chances[never if turn < 0 else turn + 1] += 1
            assert turn < 0 or found[turn] == STOPPED

    result = run_match(match, listener=look, threads=1)
    total = sum(shooters.values())
    print(
        f"{name}: {total} of {deals} deals with a moon of another seat ({100 * total / deals:.2f} %): {dict(shooters)}"
    )
    print(f"mean points {result.points.mean(axis=0).round(3).tolist()} of {names}")
    for chance, count in sorted(chances.items(), key=str):
        print(f"last chance to stop it, trick {chance}: {count} ({100 * count / deals:.2f} % of deals)")


if __name__ == "__main__":
    main()
