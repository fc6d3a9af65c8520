"""The kernels as plain Python, with compilation switched off, against the compiled ones: same seeds, same results.

Compiled code and Python differ where integers overflow, where signed meets unsigned, and where an index leaves its
array, which compiled code does not notice. A child process runs `results` with NUMBA_DISABLE_JIT=1, where numpy checks
every index, and this one runs it compiled. (numpy warns about overflow of uint64 there; it is meant.)
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

import numpy as np
import pytest
from support import run_file

from heartlab.compiled.rng import seed_key
from heartlab.deal import Deal
from heartlab.kernel.layout import STATE, compile_rules
from heartlab.kernel.table import deal_table, legal_table, playout, points_table, random_deals, replay_table
from heartlab.learners.advice.games import AdviceTable, sitter
from heartlab.learners.advice.trainer import AdviceParameters, NetParameters, make_learner
from heartlab.learners.advice.vote import LINEAR, NET, TABULAR
from heartlab.learners.advice.vote_trainer import VoteParameters, VoteTrainer
from heartlab.learners.falcon.agent import FalconAgent
from heartlab.learners.falcon.boxes import seedling
from heartlab.learners.falcon.experience import gather
from heartlab.learners.falcon.growth import grow
from heartlab.learners.falcon.montecarlo import MonteCarloPlayer
from heartlab.learners.falcon.settings import FalconSettings, Rule
from heartlab.players.base import Observations
from heartlab.rules import Rules

pytestmark = pytest.mark.slow


RULES = [
    "standard",
    "seed,bonus=JD,no_tricks=-5,doubler=TC",
    "standard,players=3,removed=none,kitty=first-heart,kitty_seen=yes,opening=lowest-club,moon=best,sun=yes",
    "standard,players=6,passing=scatter,pass_count=5,opening=any-club,queen_after_hearts=yes,moon=choice",
    "standard,players=5,passing=pool,hearts_before_queen=yes,queen_breaks_hearts=yes,moon=self",
    "openspiel",
    "advice",
    "falcon",
    "black-maria,moon=self,sun=yes",
    "spot,players=5,removed=none,kitty=nobody,opening=lowest-club,passing=-2/random,over_limit=yes",
    "gnome,players=6,opening=random,pass_high_spades=no,heart_points=pips,bonus=TD,moon_needs_bonus=yes",
]


def digest(*arrays: Any) -> str:
    """Arrays of plain numbers in a few letters."""
    return hashlib.blake2b(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays), digest_size=8).hexdigest()


def fields_of(records: Any) -> list[Any]:
    """The fields of structured records one by one, without the padding between them."""
    return [records[name] for name in records.dtype.names]


def results(text: str) -> dict[str, Any]:
    """What the kernels make of some seeds under one set of rules, in a form that can be compared across processes."""
    rules = Rules.parse(text)
    compiled, n = compile_rules(rules), rules.players
    key = seed_key(17, "deals")
    found: dict[str, Any] = {"jit": not bool(int(os.environ.get("NUMBA_DISABLE_JIT") or 0))}

    states = np.zeros(4, STATE)
    deal_table(compiled, np.full(4, key), np.arange(4), states)
    found["deals"] = [[int(mask) for mask in state["hands"]] for state in states]
    found["dealt states"] = digest(*fields_of(states))

    points = np.zeros((6, 6), np.int64)
    random_deals(compiled, key, 0, np.zeros(1, STATE), points)
    found["random deals"] = points.tolist()

    deal = Deal(rules, seed=23)
    choices = np.random.default_rng(1)
    for seat in deal.to_pass:
        free = sorted(deal.observe(seat).may_pass)
        deal.pass_cards(seat, [int(card) for card in choices.choice(free, rules.pass_count, replace=False)])
    start = deal._states.copy()
    found["legal"], found["observations"], found["worlds"], found["counts"] = [], [], [], []
    while not deal.is_over:
        found["legal"].append([deal.to_move, deal.legal.mask])
        if len(deal.history) % 7 == 0:
            for seat in range(n):
                observation = deal.observe(seat)
                found["observations"].append(digest(*fields_of(observation.records)))
                found["counts"].append(observation.count_worlds())
            worlds = observation.worlds(2, seed=len(deal.history))
            found["worlds"] += [[int(hand) for hand in world.hands] + [int(world.kitty)] for world in worlds]
            found["worlds"].append(digest(*(field for world in worlds for field in fields_of(world._states))))
        deal.play(int(choices.choice(sorted(deal.legal))))
    found["history"], found["points"] = deal.history, [list(deal.points), deal.shooter]
    found["final state"] = digest(*fields_of(deal._states))

    legal, movers = np.zeros((1, 52), np.uint64), np.zeros((1, 52), np.int8)
    found["replay"] = [int(replay_table(compiled, start.copy(), deal._histories, legal, movers)), digest(legal, movers)]
    playout(compiled[0], start[0], np.array([key], np.uint64))
    out, shooters, mask = np.zeros((1, 6), np.int64), np.zeros(1, np.int64), np.zeros(1, np.uint64)
    points_table(compiled, start, out, shooters)
    legal_table(compiled, start, mask)
    found["playout"] = [out.tolist(), shooters.tolist(), int(mask[0]), digest(*fields_of(start))]
    if text in ("advice", "standard"):
        found |= advice_results(rules)
    if text == "falcon":
        found |= falcon_results(rules)
    return found


def advice_results(rules: Rules) -> dict[str, Any]:
    """Games of voters, learning and not, and a batch of the learned vote."""
    partners = "+".join(["voting", "random", "gnome"][: rules.players - 1])
    settings = {"rules": str(rules), "advice": "all", "partners": partners, "testers": partners}
    learners = [
        make_learner(TABULAR, AdviceParameters(**settings), 1),
        make_learner(NET, NetParameters(**settings, hidden=3), 1),
        make_learner(LINEAR, AdviceParameters(**settings, state="play", rule="joint", trace=0.5), 1),
        sitter("gnome"),
    ]
    table = AdviceTable(rules, learners[: rules.players])
    points = table.play(3, "nojit", 0, 2)
    trainer = VoteTrainer(VoteParameters(rules=str(rules), partners=partners, batch=2, test=0), 1)
    trainer.step(0, 2)
    return {
        "games": points.tolist(),
        "learned": [round(float(value), 9) for value in table.floats[table.floats != 0.36][:400]],
        "vote": [round(float(value), 6) for value in trainer.weights],
    }


def falcon_results(rules: Rules) -> dict[str, Any]:
    """Games of learning FALCON agents, and a grown network."""
    found: dict[str, Any] = {}
    for rule, partners in ((Rule.DELTA, "gnome+jake+gnome"), (Rule.TD, "random+luis+self")):
        agent = FalconAgent(FalconSettings(rule=rule, epsilon=0.1), rules)
        points = agent.play(partners.split("+"), 1, "nojit", 0, 2, learning=True, epsilon=0.1)
        learned = agent.categories.arrays()
        found[rule.text] = [
            points.tolist(),
            digest(learned["codes"], learned["owners"]),
            learned["weights"].round(9).tolist(),
        ]
    deal = Deal(rules, seed=5)
    while len(deal.history) < 30:
        deal.play(min(deal.legal))
    batch = Observations.of(deal.observe(deal.to_move))
    found["montecarlo"] = MonteCarloPlayer(12).choose_cards(batch).tolist()
    known = gather(seedling(), rules, "gnome", 1, "nojit", 60)
    net = grow(known, 8, 2, 10.0, 0.1)
    found["grown"] = [
        digest(known.codes, known.kinds, known.costs),
        net.tree.tests.tolist(),
        net.weights.round(6).tolist(),
    ]
    return found


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """The results of a process without compilation, by rules."""
    printed = run_file(__file__, jit=False)
    return dict(json.loads(printed))


@pytest.mark.parametrize("text", RULES)
def test_compiled_and_plain_kernels_agree(text: str, plain: dict[str, Any]) -> None:
    ours, theirs = results(text), plain[text]
    assert ours.pop("jit") != theirs.pop("jit"), "one of the two has to be compiled, the other not"
    assert list(ours) == list(theirs)
    for part in ours:
        assert json.loads(json.dumps(ours[part])) == theirs[part], part


if __name__ == "__main__":
    print(json.dumps({text: results(text) for text in RULES}))
