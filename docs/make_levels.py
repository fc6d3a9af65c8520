"""What the decisions of known players cost per deal in the coach's eyes: the yardstick of the level estimate.

Run it as `python docs/make_levels.py 40`: deals 0, 1, ... of seed 7 under standard rules, the player on seat 0 and
three `gnome` on the others. The result is kept in `src/heartlab/coach/level.py`.
"""

import statistics
import sys

from heartlab.coach.judgement import Judge
from heartlab.coach.playing_on import stand_ins
from heartlab.coach.values import clear_cost
from heartlab.deal import Deal
from heartlab.web.bots import Bots

PLAYERS = ["random", "gnome", "gnome:jake", "gnome:peter", "advice:advice-four", "uct:worlds=20,sims=200", "net"]


def cost_of_deal(name: str, number: int, bots: Bots, judge: Judge) -> float:
    """What the choices of a player on seat 0 cost in one deal, counted as in a review."""
    deal = Deal("standard", 7, number)
    seats = [name, "gnome", "gnome", "gnome"]
    for seat in deal.to_pass:
        deal.pass_cards(seat, bots.pass_cards(seats[seat], deal.observe(seat)))
    cost = 0.0
    while deal.to_move is not None:
        card = bots.play(seats[deal.to_move], deal.observe(deal.to_move))
        if deal.to_move == 0 and len(deal.legal) > 1:
            found = judge.analyse(deal, 0, card, stand_ins(seats[1:]))
            cost += clear_cost(found.cost, found.cost_se)
        deal.play(card)
    return cost


def main() -> None:
    """Print one line per player."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    bots, judge = Bots(), Judge()
    for name in PLAYERS:
        costs = [cost_of_deal(name, number, bots, judge) for number in range(count)]
        se = statistics.stdev(costs) / count**0.5
        print(f"{name:<24} {statistics.fmean(costs):6.2f} ± {se:.2f} points a deal, {count} deals", flush=True)


if __name__ == "__main__":
    main()
