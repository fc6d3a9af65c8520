"""Strength against time, of `ace` and of `uct`: the figure of `docs/whole-game.md`.

Run it as `python docs/make_curve.py FOLDER 721`: a folder in which finished matches are kept, and a seed. Each player
sits with `net`, which takes no time to speak of, in all 14 seatings. The budget is a number of worlds, so that the
result does not depend on the load of the machine; how long a choice takes is measured as processor time. Matches in the
folder are not played again.
"""

import json
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
from make_matrix import difference

from heartlab import Rules, make_player
from heartlab.arena import Match, run_match

PICTURE = Path(__file__).parent / "pictures" / "strength-against-time.png"
PLAYERS = {
    "ace": [("ace:worlds=16", 300), ("ace:worlds=48", 300), ("ace:worlds=160", 120), ("ace:worlds=600", 40)],
    "uct": [("uct:worlds=10,sims=20", 100), ("uct:worlds=32,sims=32", 60), ("uct:worlds=100,sims=100", 60)],
}
"""Players by budget, with the number of deals that we could afford."""
TICKS = (0.2, 0.5, 1, 2, 5, 10)


def milliseconds(folder: Path, name: str) -> float:
    """Processor time of a choice, over one deal in all seatings, after one that compiles; kept in the folder."""
    kept = folder / "times.json"
    times: dict[str, float] = json.loads(kept.read_text()) if kept.exists() else {}
    if name not in times:
        match = Match([make_player(name), make_player("net")], Rules.parse("standard"), 1, seed=3)
        for _ in range(2):
            started = time.process_time()
            decisions = int(run_match(match, threads=1).decisions[:, 0].sum())
            times[name] = 1000 * (time.process_time() - started) / decisions
        kept.write_text(json.dumps(times, indent=1))
    return times[name]


def main() -> None:
    """Print the points of both curves as a table, and draw them."""
    folder, seed = Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(exist_ok=True)
    figure, axes = plt.subplots(figsize=(6.0, 3.6))
    print("| player | ms a choice | less `net` | deals |\n|---|---|---|---|")
    for label, budgets in PLAYERS.items():
        points = []
        for name, deals in budgets:
            mean, error = difference(folder, (name, "net"), deals, seed)
            points.append((milliseconds(folder, name), mean, error))
            print(f"| `{name}` | {points[-1][0]:.2g} | {mean:+.2f} ± {error:.2f} | {deals} |", flush=True)
        times, means, errors = zip(*points, strict=True)
        axes.errorbar(times, means, yerr=[1.96 * error for error in errors], marker="o", capsize=3, label=label)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.annotate("net, without search", (0.02, 0.0), xycoords=("axes fraction", "data"), va="bottom", color="grey")
    axes.set(xscale="log", xlabel="processor time of a choice, ms", ylabel="points per deal less net (lower is better)")
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.minorticks_off()
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=150)


if __name__ == "__main__":
    main()
