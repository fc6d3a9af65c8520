"""How long the coach thinks: processor time of its hints in some deals, against each strength.

    python docs/make_hint_times.py 3

Seat 0 follows the coach; the others play like Casual where the strength itself would take long. The preparation, which
the server does while people read the lobby, is measured apart.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from heartlab import Deal
from heartlab.coach.coach import Coach
from heartlab.coach.judgement import Judge
from heartlab.coach.playing_on import PlayingOn, stand_ins
from heartlab.web.bots import Bots

SEED = 41
STRENGTHS = {"gnome:jake": "gnome:jake", "gnome:peter": "gnome:peter", "ace": "gnome:jake"}
"""Who sits there, and who plays for it here."""


def timed(deals: int, seat: str, bots: Bots, playing_on: PlayingOn) -> tuple[list[float], list[float]]:
    """Seconds of processor time, on all threads together, for each hint and each pass."""
    cards, passes, others = [], [], stand_ins([seat] * 3)
    players = ["net", *[STRENGTHS[seat]] * 3]
    for number in range(deals):
        judge, deal = Judge(), Deal("standard", SEED, number)
        judge.playing_on = playing_on
        if deal.to_pass:
            begun = time.process_time()
            judge.passes(deal.observe(0), 0, None, others)
            passes.append(time.process_time() - begun)
        for giver in deal.to_pass:
            deal.pass_cards(giver, bots.pass_cards(players[giver], deal.observe(giver)))
        while deal.to_move is not None:
            if deal.to_move == 0 and len(deal.legal) > 1:
                begun = time.process_time()
                best = judge.judge(deal, 0, None, others).best
                cards.append(time.process_time() - begun)
                deal.play(best)
            else:
                deal.play(bots.play(players[deal.to_move], deal.observe(deal.to_move)))
    return cards, passes


def main() -> None:
    """Print the medians and the longest."""
    deals, bots, coach = int(sys.argv[1]), Bots(), Coach()
    begun = time.process_time()
    coach.prepare()
    print(f"preparation {time.process_time() - begun:.2f} s")
    for seat in STRENGTHS:
        cards, passes = timed(deals, seat, bots, coach.judge.playing_on)
        print(
            f"{seat}: {len(cards)} hints, median {np.median(cards):.2f} s, longest {max(cards):.2f} s; "
            f"{len(passes)} passes, median {np.median(passes):.2f} s"
        )


if __name__ == "__main__":
    main()
