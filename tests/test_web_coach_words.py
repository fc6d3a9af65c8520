"""What the coach says is true: outcomes and sentences against plain Python, in positions at random."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("msgspec", reason="needs the extra web")

from heartlab.cards import QUEEN_OF_SPADES, card_suit
from heartlab.deal import Deal
from heartlab.kernel.rng import seed_key, substream
from heartlab.web.bots import Bots
from heartlab.web.judge import Judge, Judgement

SCALE = int(os.environ.get("HEARTLAB_SCALE", "1"))
LIGHT_COACH = "uct:worlds=12,sims=10,endgame=2,pick=value"


@pytest.fixture(scope="module")
def judge():
    return Judge(LIGHT_COACH)


def decisions(rules: str, seeds: range, last: int = 52) -> Iterator[Deal]:
    """Deals in which seat 0 has a choice; all play legal cards at random, but often a high one."""
    for seed in seeds:
        deal, rng = Deal(rules, seed, 3), np.random.default_rng(seed)
        for seat in deal.to_pass:
            deal.pass_cards(seat, sorted(deal.observe(seat).may_pass)[: deal.rules.pass_count])
        while deal.to_move is not None and len(deal.history) < last:
            if deal.to_move == 0 and len(deal.legal) > 1:
                yield deal.copy()
            legal = sorted(deal.legal)
            deal.play(int(rng.choice([legal[-1], rng.choice(legal)])))


def plain_winner(trick: list[tuple[int, int]]) -> int:
    """Who takes a trick."""
    led = card_suit(trick[0][1])
    return max((card, seat) for seat, card in trick if card_suit(card) == led)[1]


def played_out(judged: Judgement, deal: Deal, number: int, row: int, card: int, bots: Bots) -> Deal:
    """A world after a card, finished one card at a time, with the dice that the judge throws in that row."""
    world = Deal._from_state(deal.rules, judged.worlds[number : number + 1].copy(), deal.history)
    key = substream(np.uint64(seed_key(0, "analyse")), judged.analysis.place)
    world._player_keys[:] = substream(np.uint64(key), 5000 + row)
    world.play(card)
    while world.to_move is not None:
        world.play(bots.play("gnome", world.observe(world.to_move)))
    return world


def test_outcomes_are_those_of_a_plain_replay(judge):
    """In all four places of a trick; above all in the last, where the trick is over with the card itself."""
    bots, wanted = Bots(), {place: 2 * SCALE for place in range(4)}
    for deal in decisions("standard", range(40 * SCALE)):
        obs = deal.observe(0)
        place = len(obs.trick)
        takes = [card for card in obs.legal if obs.winning and card_suit(card) == obs.led and card > obs.winning[1]]
        on_table = sum(deal.rules.card_points(card) for _, card in obs.trick)
        if not wanted[place] or (place == 3 and not (takes and on_table)):
            continue
        wanted[place] -= 1
        judged = judge.judge(deal, 0)
        count, legal = len(judged.worlds), sorted(obs.legal)
        for index, card in enumerate(legal):
            seen = np.zeros(6)
            for number in range(count):
                world = played_out(judged, deal, number, index * count + number, card, bots)
                trick = world.tricks[obs.trick_number]
                cards, mine = [one for _, one in trick], plain_winner(trick) == 0
                queen, moon = QUEEN_OF_SPADES in cards, world.shooter
                points = sum(deal.rules.card_points(one) for one in cards)
                seen += [mine, points, queen and mine, queen and not mine, moon not in (None, 0), moon == 0]
            found = judged.outcomes[card]
            told = [found.takes, found.trick_points, found.queen_to_me, found.queen_to_other, found.moon, found.own_moon]
            assert told == pytest.approx(seen / count)
            if place == 3:
                assert found.takes == (card in takes)
    assert not any(wanted.values()), wanted
