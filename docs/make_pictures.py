"""Draws the pictures of README and docs from matches that it plays itself: `python docs/make_pictures.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from heartlab import Rules, make_player
from heartlab.arena import Match, result_dict, run_match

PICTURES = Path(__file__).parent / "pictures"
LADDER = [
    ("random", 2000),
    ("gnome:luis", 2000),
    ("gnome:jake", 2000),
    ("gnome:ling", 2000),
    ("gnome:peter", 2000),
    ("advice:advice-four", 2000),
    ("iie", 200),
    ("td-closed", 300),
    ("ismcts", 40),
    ("uct", 60),
    ("uct:also=td", 60),
]
SEED = 1


def ladder() -> None:
    """Who beats `gnome` by how much, under standard rules, with 95 % intervals."""
    names, means, lows, highs = [], [], [], []
    for name, deals in LADDER:
        match = Match([make_player(name), make_player("gnome")], Rules.parse("standard"), deals, seed=SEED)
        gap = result_dict(run_match(match))["difference"]
        print(f"{name}: {gap['mean']:+.3f} {gap['ci95']} ({deals} deals)", file=sys.stderr)
        names.append(f"{name}\n({deals:,} deals)")
        means.append(-gap["mean"])
        lows.append(gap["mean"] - gap["ci95"][0])
        highs.append(gap["ci95"][1] - gap["mean"])
    figure, axes = plt.subplots(figsize=(8.5, 3.8), dpi=120)
    colours = ["#b03a48" if mean > 0 else "#8a8f98" for mean in means]
    axes.barh(names[::-1], means[::-1], xerr=[highs[::-1], lows[::-1]], color=colours[::-1], capsize=3, height=0.62)
    axes.axvline(0, color="#333", linewidth=1)
    axes.set_xlabel("points per deal better than gnome (95 % interval; each deal in all 14 seatings)")
    axes.set_title("Who plays Hearts how well: rules standard, seed 1", loc="left", fontsize=11)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(PICTURES / "ladder.png")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    ladder()
