"""The time at which a bot's card is shown tells nothing about its hand: by distributions, under a clock of our own."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from heartlab.cards import CardSet
from heartlab.web.bots import Bots
from heartlab.web.house import House
from heartlab.web.pacing import RECENT, SLOTS, Choice, Pacing
from heartlab.web.session import PERSON
from heartlab.web.store import Settings, Store

WARM_UP = 6
"""Deals in which the slots of a player are found."""


class Clock:
    """Time passes only when somebody thinks or waits."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.now += seconds
        await asyncio.sleep(0)


class Thinkers(Bots):
    """Bots that answer forced cards at once and think about others, the longer the more cards they hold."""

    def __init__(self, clock, forced, free, spread):
        super().__init__()
        self.clock, self.forced, self.free, self.spread = clock, forced, free, spread
        self.dice = random.Random(4)

    def play(self, name, obs):
        usual = self.forced if len(obs.legal) == 1 else self.free * len(obs.hand) / 13
        self.clock.now += usual * self.dice.uniform(1 - self.spread, 1 + self.spread)
        return self.dice.choice(sorted(obs.legal))

    def pass_cards(self, name, obs):
        self.clock.now += self.free
        return CardSet(sorted(obs.may_pass)[: obs.pass_count])


def times(pacing, bots, deals):
    """Of each bot's card: the cards it held, whether it was forced, and the time since the card before it was seen."""
    found = []

    async def scene(house):
        for seed in range(deals):
            live = await house.create(Settings("standard,passing=hold,limit=1000", ["gnome"] * 3, seed=seed))
            seen = []

            async def note(message, seen=seen):
                seen.append((pacing.clock(), message.plays))

            live.guests[note] = note
            house.drive(live)
            await live.driving
            while not live.session.deal.is_over:
                card = CardSet([min(live.session.deal.legal)])
                await house.play(live, PERSON, card.names(), len(live.session.row.plays))
                await live.driving
            for (before, _), (after, plays) in pairwise(seen):
                state = live.session.deal.before(plays)
                if state.to_move != PERSON and seed >= WARM_UP:
                    found.append((len(state.hands[state.to_move]), len(state.legal) == 1, after - before))

    house = House(Store(":memory:"), bots, pacing=pacing)
    try:
        asyncio.run(scene(house))
    finally:
        house.close()
    return found


def told_apart(found):
    """Whether forced cards take another time than others of hands of the same size, which everybody can see.

    A permutation test: the differences of the means, summed over the sizes, against those with shuffled labels.
    """
    dice = np.random.default_rng(1)
    sizes, forced, seconds = (np.array(column) for column in zip(*found, strict=True))
    groups = [(forced[sizes == size], seconds[sizes == size]) for size in np.unique(sizes)]
    groups = [(labels, values) for labels, values in groups if 0 < labels.sum() < len(labels)]

    def difference(labelled):
        return sum(len(v) * abs(v[labels].mean() - v[~labels].mean()) for labels, v in labelled)

    shuffled = [difference([(dice.permutation(labels), v) for labels, v in groups]) for _ in range(500)]
    return bool(difference(groups) > np.quantile(shuffled, 0.99) + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("free", [0.032, 0.9])
def test_the_time_of_a_card_does_not_tell_whether_it_was_forced(free, monkeypatch):
    """A forced card takes 4.5 ms and another up to 32 ms, as was measured; or up to a second."""

    def tells(slots):
        clock = Clock()
        pacing = Pacing(slots, clock, clock.sleep)
        found = times(pacing, Thinkers(clock, 0.0045, free, 0.2), WARM_UP + 20)
        assert len(found) > 500
        return told_apart(found)

    assert not tells(SLOTS)
    monkeypatch.setattr("heartlab.web.house.SLICE", 1e-9)  # one card at a time: what is to be hidden shows best
    assert not tells(SLOTS)
    assert tells(())


def choice(seconds, *, forced=False, player="uct", in_hand=5, seat=1):
    return Choice(seat, CardSet("2C"), player, in_hand, forced, seconds)


def test_slots_grow_with_a_player_and_shrink_again():
    pacing = Pacing()
    assert pacing.moments([choice(0.01)], 100.0) == [pytest.approx(100.05)]
    assert pacing.moments([choice(0.3)], 0.0) == [0.3], "longer thinking shows once"
    assert pacing.moments([choice(0.0, forced=True)], 0.0) == [0.4], "and then holds for all, with a margin"
    assert pacing.slot(("uct", 4)) == 0.4, "also where the player has not been seen yet"
    for _ in range(RECENT):
        pacing.moments([choice(0.0, forced=True)], 0.0)
    assert pacing.slot(("uct", 5)) == 0.4, "forced cards say nothing about its thinking"
    for _ in range(RECENT):
        pacing.moments([choice(0.1)], 0.0)
    assert pacing.slot(("uct", 5)) == 0.15


def test_what_no_slot_covers_is_shown_when_it_is_done_and_forgotten():
    pacing = Pacing()
    longest = SLOTS[-1]
    assert pacing.moments([choice(longest + 0.1)], 0.0) == [2 * longest]
    assert pacing.slot(("uct", 5)) == SLOTS[0]


def test_cards_of_one_piece_of_work_are_shown_one_after_the_other():
    pacing = Pacing()
    quick = [choice(0.01, player="gnome", seat=seat) for seat in (1, 2, 3)]
    assert pacing.moments(quick, 0.0) == [pytest.approx(0.05), pytest.approx(0.1), pytest.approx(0.15)]
    passes = [choice(0.01, player="gnome", in_hand=0, seat=seat) for seat in (1, 2, 3)]
    assert pacing.moments(passes, 0.0) == [pytest.approx(0.05)] * 3
    assert pacing.is_quick(("gnome", 5))
    pacing.note(("gnome", 5), 0.06)
    assert not pacing.is_quick(("gnome", 5))


def test_without_slots_nothing_waits():
    assert Pacing(slots=()).moments([choice(2.0), choice(0.1)], 7.0) == [7.0, 7.0]
