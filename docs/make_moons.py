"""How far the coach's risk of a moon can be trusted: the figures of `docs/play.md`.

Run it as `python docs/make_moons.py 150`: deals 0, 1, ... without passing under standard rules, `gnome` on seat 0. The
risk is asked for once in each deal, at the first turn of seat 0 after four tricks; then the deal is played to its end.
"""

import sys

import numpy as np

from heartlab.coach.judgement import PLAY_ON, Judge, stand_ins
from heartlab.deal import Deal
from heartlab.web.bots import Bots

TABLES = [["gnome"] * 3, ["gnome:jake"] * 3, ["gnome", "gnome:jake", "gnome:peter"], ["gnome:peter"] * 3]
TRIED = 16
"""Cards that have been played when the risk is asked for."""
WORLDS = 100


def one_deal(players: list[str], seed: int, bots: Bots, judge: Judge) -> tuple[list[float], bool]:
    """The risk that another seat shoots the moon, by three ways to play on, and whether one did."""
    deal, seats, risks = Deal("standard", seed, 3), ["gnome", *players], []
    ways = (["gnome"] * 4, [PLAY_ON] * 4, stand_ins(players))
    while deal.to_move is not None:
        obs = deal.observe(deal.to_move)
        if deal.to_move == 0 and len(obs.history) >= TRIED and not risks:
            risks = [sum(judge.moon_risk(obs, WORLDS, way)[1:]) for way in ways]
        deal.play(bots.play(seats[deal.to_move], obs))
    return risks, deal.shooter not in (None, 0)


def main() -> None:
    """Print one line per table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    bots, judge = Bots(), Judge()
    for players in TABLES:
        found = [one_deal(players, seed, bots, judge) for seed in range(count)]
        risks, moons = np.array([one for one, _ in found]), np.array([moon for _, moon in found])
        said = ", ".join(f"{100 * mean:.1f} %" for mean in risks.mean(axis=0))
        square = ", ".join(f"{value:.4f}" for value in ((risks - moons[:, None]) ** 2).mean(axis=0))
        print(
            f"{' '.join(players)}: {100 * moons.mean():.1f} % happened in {count} deals; foreseen if all play on like "
            f"gnome, like {PLAY_ON}, like those who sit there: {said}; mean squared errors {square}",
            flush=True,
        )


if __name__ == "__main__":
    main()
