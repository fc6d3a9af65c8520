"""Every pair of some players: the matrix of `docs/strength.md`.

Run it as `python docs/make_matrix.py FOLDER 100 720 net gnome:peter gnome`: a folder in which finished pairs are kept,
deals, a seed, and players. Each pair plays the same deals in all 14 seatings. Pairs that are in the folder with as many
deals are not played again, so the command can be repeated with more players or more deals.
"""

import math
import sys
from itertools import combinations
from pathlib import Path

from heartlab import Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.util.statistics import estimate


def difference(folder: Path, pair: tuple[str, str], deals: int, seed: int) -> tuple[float, float]:
    """First minus second, in points per deal, with its standard error; kept in the folder."""
    one, other = (make_player(name) for name in pair)
    name = "-".join(part.replace(":", "_").replace(",", "_") for part in pair)
    match = Match([one, other], Rules.parse("standard"), deals, seed=seed)
    points = run_match(match, threads=1, keep=folder / f"{name}-{seed}.npz").points
    found = estimate(points[:, 0] - points[:, 1])
    return found.mean, found.se


def cell(found: tuple[float, float] | None) -> str:
    """An entry of the table."""
    return "" if found is None else f"{found[0]:+.2f} ± {found[1]:.2f}".replace("-", "−")


def main() -> None:
    """Play what is missing, and print the matrix as a table: row minus column, fewer points are better."""
    folder, deals, seed, names = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for pair in combinations(names, 2):
        mean, error = difference(folder, pair, deals, seed)
        found[pair], found[pair[::-1]] = (mean, error), (-mean, error)
        print(f"{pair[0]} - {pair[1]}: {mean:+.2f} ± {error:.2f}", file=sys.stderr, flush=True)
    print("| | " + " | ".join(f"`{name}`" for name in names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for row in names:
        print(f"| `{row}` | " + " | ".join(cell(found.get((row, column))) for column in names) + " |")
    worst = max((found[names[0], other][0] for other in names[1:]), default=math.nan)
    print(f"\n{names[0]}: at worst {worst:+.2f}")


if __name__ == "__main__":
    main()
