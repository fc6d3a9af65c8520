"""Draws the pictures of README and docs from matches that it plays itself: `python docs/make_pictures.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

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
    ("net", 2000),
    ("ace:worlds=48", 100),
]
SEED = 1


def measure() -> list[tuple[str, int, dict[str, Any]]]:
    """Every player of the ladder against `gnome`: name, deals and difference."""
    found = []
    for name, deals in LADDER:
        match = Match([make_player(name), make_player("gnome")], Rules.parse("standard"), deals, seed=SEED)
        gap = result_dict(run_match(match))["difference"]
        print(f"{name}: {gap['mean']:+.3f} {gap['ci95']} ({deals} deals)", file=sys.stderr)
        found.append((name, deals, gap))
    return found


def draw(found: list[tuple[str, int, dict[str, Any]]]) -> None:
    """Who beats `gnome` by how much, under standard rules, with 95 % intervals."""
    names = [f"{name} ({deals:,} deals)" for name, deals, _ in reversed(found)]
    means = [-gap["mean"] for _, _, gap in reversed(found)]
    widths = [(gap["ci95"][1] - gap["ci95"][0]) / 2 for _, _, gap in reversed(found)]
    figure, axes = plt.subplots(figsize=(8.5, 3.8), dpi=120)
    colours = ["#b03a48" if mean > 0 else "#8a8f98" for mean in means]
    axes.barh(names, means, xerr=widths, color=colours, capsize=3, height=0.62)
    axes.axvline(0, color="#333", linewidth=1)
    axes.set_xlabel("points per deal better than gnome (95 % interval; each deal in all 14 seatings)")
    axes.set_title("Who plays Hearts how well: rules standard, seed 1", loc="left", fontsize=11)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(PICTURES / "ladder.png")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    draw(measure())
