"""How far the coach's costs of passes can be trusted: the figures of `docs/play.md`.

Run it as `python docs/make_passes.py 45`. Passes of several kinds in deals of seed 11 under standard rules are judged
with two seeds, and with a third one playing on like `gnome:jake` instead of `gnome`.
"""

import sys

import numpy as np

from heartlab.cards import CardSet
from heartlab.coach.judgement import Judge, PassReport
from heartlab.coach.values import clear_cost
from heartlab.deal import Deal
from heartlab.observation import Observation
from heartlab.web.bots import Bots

KINDS = ["random", "gnome:peter", "uct:worlds=20,sims=200"]


def deal_to_pass(index: int) -> Deal:
    """A deal with a pass: every fourth one has none."""
    return Deal("standard", 11, index % 3 + 4 * (index // 3))


def a_pass(kind: str, obs: Observation, bots: Bots, rng: np.random.Generator) -> CardSet:
    """What a player of this kind passes."""
    if kind == "random":
        return CardSet([int(card) for card in rng.choice(sorted(obs.may_pass), obs.pass_count, replace=False)])
    return bots.pass_cards(kind, obs)


def cost_of(found: list[PassReport], cards: CardSet) -> tuple[float, float]:
    """What a pass costs, and its standard error."""
    return next((one.cost, one.cost_se) for one in found if one.cards == cards)


def main() -> None:
    """Print one line per kind of pass."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 45
    bots, judge, other = Bots(), Judge(), Judge(pass_on="gnome:jake")
    for kind in KINDS:
        rng, rows, same = np.random.default_rng(3), [], 0
        for index in range(count):
            deal = deal_to_pass(index)
            mine = a_pass(kind, deal.observe(0), bots, rng)
            found = [who.passes(deal.observe(0), seed, mine) for seed, who in enumerate((judge, judge, other))]
            same += found[0][0].cards == found[1][0].cards
            rows.append([cost_of(one, mine) for one in found])
        counted = [row for row in rows if clear_cost(*row[0]) > 0]
        positive = [sum(row[which][0] > 0 for row in counted) for which in (1, 2)]
        again = sum(clear_cost(*row[1]) > 0 for row in counted)
        print(
            f"{kind}: {len(counted)} of {count} passes count; of these {positive[0]} cost something with another seed "
            f"and {again} count again, {positive[1]} cost something if all play on like gnome:jake; the coach's own "
            f"pass is the same with both seeds in {same} of {count}",
            flush=True,
        )


if __name__ == "__main__":
    main()
