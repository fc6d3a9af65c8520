"""Whether a moon could be stopped, against a plain search over deals played by hand."""

import numpy as np
import pytest

from heartlab import Deal, make_player
from heartlab.compiled.rng import seed_key
from heartlab.kernel.layout import compile_rules
from heartlab.learners.whole_game.stopping import SHOT, STOPPED, UNKNOWN, last_chance, new_search, stop_moon
from heartlab.learners.whole_game.strangers import NAMES

TABLE = ["gnome:peter", "gnome", "gnome:jake", "gnome:luis"]
PLAYERS = [make_player(name) for name in TABLE]
KINDS = np.array([NAMES[name] for name in TABLE])


def deal_after(seed, cards):
    """A deal without passing, played by the table as far as some cards, or by a list of cards."""
    deal = Deal("standard", seed=seed, number=3)
    history = [None] * cards if isinstance(cards, int) else cards
    for card in history:
        deal.play(PLAYERS[deal.to_move].play(deal.observe(deal.to_move)) if card is None else card)
    return deal


def can_stop(seed, history, seat):
    """Try all cards of a seat, to the very end of the deal."""
    deal = deal_after(seed, history)
    while deal.to_move is not None and deal.to_move != seat:
        deal.play(PLAYERS[deal.to_move].play(deal.observe(deal.to_move)))
    if deal.to_move is None:
        return deal.shooter is None or deal.shooter == seat
    return any(can_stop(seed, [*deal.history, card], seat) for card in deal.legal)


def moons(count):
    """The first seeds with a moon of Peter."""
    found = (seed for seed in range(10_000) if deal_after(seed, 52).shooter == 0)
    return [next(found) for _ in range(count)]


def searched(deal, limit=200_000):
    search = new_search(KINDS, limit)
    search.history[: len(deal.history)] = deal.history
    return stop_moon(compile_rules(deal.rules)[0], deal._states[0], deal._player_keys[0], search)


@pytest.mark.slow
def test_the_search_finds_what_trying_all_cards_finds():
    verdicts = set()
    for seed in moons(6):
        for cards in range(28, 52):
            deal = deal_after(seed, cards)
            if deal.to_move != 0:
                expected = STOPPED if can_stop(seed, list(deal.history), deal.to_move) else SHOT
                assert searched(deal) == expected
                verdicts.add(expected)
    assert verdicts == {STOPPED, SHOT}


@pytest.mark.slow
def test_the_last_chance_is_where_a_card_could_stop_it():
    for seed in moons(6):
        begin, whole = deal_after(seed, 0), deal_after(seed, 52)
        seat, found = 2, np.zeros(13, np.int64)
        history = np.array(whole.history, np.int8)
        turns = [at for at in range(52) if deal_after(seed, list(whole.history)[:at]).to_move == seat]
        key = seed_key(seed, "players")
        turn = last_chance(compile_rules(begin.rules), begin._states, history, seat, key, new_search(KINDS), found)
        late = [at for at in turns if at >= 28 and can_stop(seed, list(whole.history)[:at], seat)]
        chance = turns[turn] if turn >= 0 else -1
        assert chance == late[-1] if late else chance < 28


@pytest.mark.slow
def test_a_search_that_is_too_long_says_so():
    deal = deal_after(moons(1)[0], 6)
    assert searched(deal, limit=1) in (UNKNOWN, STOPPED)
    assert searched(deal, limit=0) == UNKNOWN
