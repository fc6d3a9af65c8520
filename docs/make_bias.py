"""How real the worlds of a look ahead are: the table of `docs/whole-game.md` about likely worlds.

    python docs/make_bias.py 600 [MODEL]      # deals for each direction of the pass

Deals of four `net`, after 1 and after 17 cards. What the seat to move gets if the *real* deal is played on by `net` is
compared with the mean over worlds that fit what the seat sees, drawn uniformly and picked by the belief of the model.
If worlds are drawn like real deals, both are the same on average. Points are own ones less the mean of the others'.
"""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

from heartlab import Deal, make_player
from heartlab.coach.playing_on import PlayingOn, draw
from heartlab.kernel.layout import StateArray
from heartlab.learners.whole_game.belief import new_guess, picked, weigh_worlds
from heartlab.players import Observations

SEED = 777
AFTER = (1, 17)
"""Cards that were played."""
WORLDS, PER_WORLD = 24, 16
WAYS = ("left", "right", "across", "nobody")


def points_above(playing_on: PlayingOn, batch: Observations, worlds: StateArray, seat: int) -> float:
    """What a seat gets on average above the others if `net` plays the worlds on."""
    ends = playing_on.after_cards(batch, worlds, [-1], ["net"] * 4, solve=False).states[0]
    total = 0.0
    for end in ends:
        deal = Deal._from_state(batch.rules, end[None].copy(), [])
        total += deal.points[seat] - (sum(deal.points) - deal.points[seat]) / 3
    return total / len(ends)


def gaps(playing_on: PlayingOn, number: int, after: int) -> npt.NDArray[np.float64]:
    """The real deal less the mean over uniform worlds, and over likely ones."""
    net, deal = make_player("net"), Deal("standard", SEED, number)
    for seat in list(deal.to_pass):
        deal.pass_cards(seat, net.pass_cards(deal.observe(seat)))
    while len(deal.history) < after:
        deal.play(net.play(deal.observe(deal.to_move)))
    seat, belief = deal.to_move, playing_on.learned.belief
    batch = Observations.of(deal.observe(seat))
    batch.records["random"] = number * 977 + 5
    real = points_above(playing_on, batch, deal._states.copy(), seat)
    found = [draw(batch, WORLDS)[0]]
    if belief is not None:
        many = draw(batch, WORLDS * PER_WORLD)[0]
        logs = np.zeros(len(many))
        weigh_worlds(batch.compiled[0], batch.records[0], belief, new_guess(belief), many, logs)
        found.append(picked(many, logs, WORLDS, np.uint64(number)))
    return np.array([real - points_above(playing_on, batch, worlds, seat) for worlds in found])


def main() -> None:
    """Print the table."""
    count, playing_on = int(sys.argv[1]), PlayingOn(*sys.argv[2:3])
    print(f"{count} deals each; mean ± standard error: uniform worlds, likely worlds")
    for after in AFTER:
        for code, way in enumerate(WAYS):
            rows = np.array([gaps(playing_on, number, after) for number in range(code, 4 * count, 4)])
            errors = rows.std(axis=0, ddof=1) / count**0.5
            cells = [f"{mean:+.2f} ± {error:.2f}" for mean, error in zip(rows.mean(axis=0), errors, strict=True)]
            print(f"| {after} | {way} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
