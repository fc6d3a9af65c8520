"""OpenSpiel's Hearts as an oracle: tens of thousands of deals over every flag that both games have.

OpenSpiel plays each deal with random cards and notes who moves and what is legal; the batch kernels replay the same
deals from the same hands and passes and have to agree at every single card and on the points. Many deals are stacked
so that what chance rarely brings comes up: moons, with and without J♦, a hand of penalties at the first trick, the
bare queen with hearts. The test counts these, so that it cannot pass by never meeting them.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from heartlab.cards import CARDS, CS_HEARTS, JACK_OF_DIAMONDS, QUEEN_OF_SPADES, Card, card_rank, parse_cards
from heartlab.envs.openspiel import DEFAULT_FLAGS, from_openspiel, openspiel_points, openspiel_rules, to_openspiel
from heartlab.kernel.dealing import begin, clear
from heartlab.kernel.layout import NOBODY, STATE, compile_rules
from heartlab.kernel.table import give_table, points_table, replay_table
from heartlab.rules import Rules

pytestmark = pytest.mark.slow


pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: it is the rules oracle of this test")

DEALS = 20_480
"""80 for each combination of the eight flags."""
TO_OPENSPIEL = [to_openspiel(card) for card in CARDS]
FROM_OPENSPIEL = [from_openspiel(action) for action in range(52)]
BITS = [1 << card for card in FROM_OPENSPIEL]
"""Our mask of each of OpenSpiel's actions."""

STACKED: list[list[Card]] = [
    [],
    parse_cards("AC KC QC AD KD QD AS KS QS AH KH QH JH"),
    parse_cards("AC KC QC AD KD JD AS KS QS AH KH QH JH"),
    parse_cards("3C 2D AS KS QS 7H 8H 9H TH JH QH KH AH"),
    parse_cards("AC AD QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH"),
    parse_cards("QS 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"),
    parse_cards("3C 4C 5C 2D 3D 4D 2S 3S 4S 5S 2H 3H 4H"),
]
"""Hands for one seat: random, for a moon, for a moon with J♦, hearts, the bare queen, only penalties, low cards."""


def random_hands(rng: random.Random, number: int) -> tuple[list[list[Card]], int]:
    """A deal in which, more often than not, one seat holds a stacked hand; and that seat."""
    special = STACKED[number % (2 * len(STACKED))] if number % (2 * len(STACKED)) < len(STACKED) else []
    rest = [card for card in CARDS if card not in special]
    rng.shuffle(rest)
    seat = rng.randrange(4)
    hands = [rest[13 * i : 13 * i + 13] for i in range(4)]
    if special:
        hands = [rest[13 * i : 13 * i + 13] for i in range(3)]
        hands.insert(seat, list(special))
    return hands, seat


class Record:
    """What OpenSpiel said about the deals under one set of flags."""

    def __init__(self, size: int) -> None:
        self.hands = np.zeros((size, 4), np.uint64)
        self.passes = np.zeros((size, 4), np.uint64)
        self.directions = np.zeros(size, np.int8)
        self.plays = np.full((size, 52), -1, np.int8)
        self.legal: list[list[int]] = []
        self.movers: list[list[int]] = []
        self.points = np.zeros((size, 4), np.int64)

    def play(self, game: Any, row: int, direction: int, hands: list[list[Card]], eager: int | None, dice: Any) -> None:
        """One deal in OpenSpiel; an eager seat always plays its highest card."""
        state = game.new_initial_state()
        apply, legal_actions, player = state.apply_action, state.legal_actions, state.current_player
        apply(direction)
        for cards in zip(*hands, strict=True):
            for card in cards:
                apply(TO_OPENSPIEL[card])
        self.hands[row] = [sum(1 << card for card in hand) for hand in hands]
        self.directions[row] = direction
        for seat in range(4 if direction else 0):
            chosen = 0
            for _ in range(3):
                actions = legal_actions()
                assert player() == seat
                assert sum(BITS[action] for action in actions) == int(self.hands[row, seat]) & ~chosen
                action = actions[int(dice() * len(actions))]
                chosen |= BITS[action]
                apply(action)
            self.passes[row, seat] = chosen
        legal, movers, plays = [], [], []
        for _ in range(52):
            actions = legal_actions()
            mask = 0
            for action in actions:
                mask |= BITS[action]
            mover = player()
            # Actions go up with the rank.
            action = actions[-1] if mover == eager else actions[int(dice() * len(actions))]
            legal.append(mask)
            movers.append(mover)
            plays.append(FROM_OPENSPIEL[action])
            apply(action)
        assert state.is_terminal()
        self.plays[row] = plays
        self.legal.append(legal)
        self.movers.append(movers)
        self.points[row] = openspiel_points(state)


def seat_hands(compiled: Any, hands: Any, directions: Any) -> Any:
    """Given hands on the table, ready to pass or to play."""
    states = np.zeros(len(hands), STATE)
    clear(compiled[0], states[0])
    states[:] = states[0]
    states["hands"][:, :4] = hands
    states["pass_code"] = directions
    states["to_pass"] = np.where(directions > 0, 15, 0)
    for row in np.flatnonzero(directions == 0):
        begin(compiled[0], states[row])
    return states


def compare(rules: Rules, record: Record, where: str) -> Any:
    """Replay the deals in our engine; the final states."""
    size = len(record.hands)
    compiled = compile_rules(rules)
    states = seat_hands(compiled, record.hands, record.directions)
    passing = record.directions > 0
    for seat in range(4):
        verdicts = np.zeros(size, np.bool_)
        give_table(
            compiled,
            np.zeros(size, np.uint64),
            states,
            np.full(size, seat, np.int64),
            np.ascontiguousarray(record.passes[:, seat]),
            verdicts,
        )
        assert np.array_equal(verdicts, passing), where
    legal, movers = np.zeros((size, 52), np.uint64), np.full((size, 52), NOBODY, np.int8)
    assert replay_table(compiled, states, record.plays, legal, movers) == -1, where
    # The mover at the head of each trick is the winner of the one before.
    assert np.array_equal(movers, np.array(record.movers, np.int8)), where
    assert np.array_equal(legal, np.array(record.legal, np.uint64)), where
    points, shooters = np.zeros((size, 6), np.int64), np.zeros(size, np.int64)
    points_table(compiled, states, points, shooters)
    assert np.array_equal(points[:, :4], record.points), where
    return states, legal, shooters


def note(seen: Counter[str], flags: dict[str, bool], record: Record, states: Any, legal: Any, shooters: Any) -> None:
    """Count the rare things that happened."""
    hearts, queen = np.uint64(CS_HEARTS), np.uint64(1 << QUEEN_OF_SPADES)
    penalties = hearts | queen
    if flags["no_pts_on_first_trick"]:
        seen["only penalties at first"] += int(((legal[:, 1:4] & ~penalties) == 0).any(1).sum())
    if flags["must_break_hearts"]:
        broken = np.zeros(len(record.plays), bool)
        for ply in range(0, 52, 4):
            here = legal[:, ply]
            free = (here & hearts != 0) & ~broken
            seen["hearts from a hand of hearts"] += int((free & (here & ~hearts == 0)).sum())
            seen["hearts instead of the queen"] += int((free & (here & ~hearts == queen)).sum())
            cards = record.plays[:, ply : ply + 4]
            broken |= (cards >= 39).any(1) | (flags["qs_breaks_hearts"] and (cards == QUEEN_OF_SPADES).any(1))
    moons = shooters != NOBODY
    seen["moon"] += int(moons.sum())
    if flags["jd_bonus"]:
        jack = np.uint64(1 << JACK_OF_DIAMONDS)
        with_jack = np.array([state["taken"][seat] & jack != 0 for state, seat in zip(states, shooters, strict=True)])
        seen["moon with JD"] += int((moons & with_jack).sum())
        seen["moon without JD"] += int((moons & ~with_jack).sum())
    if flags["avoid_all_tricks_bonus"]:
        idle = (states["tricks_won"][:, :4] == 0).any(1)
        seen["no tricks"] += int((idle & ~moons).sum())
        seen["no tricks in a moon"] += int((idle & moons).sum())


def test_openspiel_agrees_on_every_card_and_every_point() -> None:
    rng = random.Random(52)
    seen: Counter[str] = Counter()
    combinations = list(itertools.product([False, True], repeat=len(DEFAULT_FLAGS)))
    size = DEALS // len(combinations)
    number = 0
    for switches in combinations:
        flags = dict(zip(DEFAULT_FLAGS, switches, strict=True))
        game, record = pyspiel.load_game("hearts", flags), Record(size)
        for row in range(size):
            hands, special = random_hands(rng, number)
            direction = rng.randrange(4) if flags["pass_cards"] else 0
            eager = special if rng.random() < 0.5 else None
            record.play(game, row, direction, hands, eager, rng.random)
            number += 1
        note(seen, flags, record, *compare(openspiel_rules(flags), record, f"{flags}"))
    assert number == DEALS >= 20_000
    wanted = ["only penalties at first", "hearts from a hand of hearts", "hearts instead of the queen", "moon"]
    wanted += ["moon with JD", "moon without JD", "no tricks", "no tricks in a moon"]
    missing = [what for what in wanted if seen[what] < 50]
    assert not missing, f"the deals hardly showed {missing}: {seen}"


def test_the_comparison_would_notice_another_rule() -> None:
    """The same record replayed under rules that differ in one flag has to fail, or the comparison proves nothing."""
    rng = random.Random(8)
    flags = {**DEFAULT_FLAGS, "jd_bonus": True, "avoid_all_tricks_bonus": True}
    game, record = pyspiel.load_game("hearts", flags), Record(300)
    for row in range(300):
        hands, special = random_hands(rng, row)
        record.play(game, row, rng.randrange(4), hands, special if row % 2 else None, rng.random)
    compare(openspiel_rules(flags), record, "as recorded")
    for flag in set(DEFAULT_FLAGS) - {"pass_cards"}:
        with pytest.raises(AssertionError):
            compare(openspiel_rules({**flags, flag: not flags[flag]}), record, flag)


def test_ranks_order_the_actions_of_openspiel() -> None:
    """What the eager seat leans on: later actions are higher cards."""
    assert [card_rank(card) for card in FROM_OPENSPIEL] == sorted(card_rank(card) for card in CARDS)
