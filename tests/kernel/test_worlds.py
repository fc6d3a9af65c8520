"""The world sampler: exactly the deals that fit what a seat has seen, and each of them equally likely.

What fits is decided here without the engine's notes about who may hold what. A full deal fits if the referee, given
its hands, accepts the whole play so far: the right seat opens, every card that was played was legal, the observer
holds what it holds, has seen the kitty that it has seen, and the cards that it passed lie where it passed them. On
small packs all deals can be tried; the engine has to count exactly those that fit.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support import strategies
from support.referee import CLUB_OPENINGS, Referee, is_heart, penalty_points
from support.strategies import examples, random_rules, random_script, seat_deal

from heartlab.cards import CARDS, Card, CardSet, card_suit, parse_cards
from heartlab.compiled.rng import seed_key
from heartlab.deal import Deal
from heartlab.kernel.layout import OBSERVATION, STATE, compile_rules
from heartlab.kernel.table import worlds_table
from heartlab.observation import Observation
from heartlab.rules import POOL, PRESETS, SCATTER, Rules

World = tuple[frozenset[Card], ...]
"""The cards of each seat, then the kitty."""


# --- every deal that fits, the slow way ---


class View:
    """What one seat knows in a position, taken from the deal by its public face."""

    def __init__(self, deal: Deal, seat: int) -> None:
        self.rules, self.seat = deal.rules, seat
        self.seats = range(deal.rules.players)
        self.hand = set(deal.hands[seat])
        self.plays = [(s, card) for trick in deal.tricks for s, card in trick]
        self.played = [{card for s, card in self.plays if s == other} for other in self.seats]
        self.passed = sorted(deal.passed[seat])
        self.pass_code = deal.rules.pass_code(deal.pass_direction)
        self.to_move, self.leader = deal.to_move, deal.leader
        sees_kitty = deal.rules.kitty_seen and deal.kitty_taker == seat
        self.kitty = set(deal.kitty) if sees_kitty else None
        self.first_leader = self.plays[0][0] if self.plays else deal.to_move
        pack = {card for card in CARDS if card not in self.rules.removed}
        self.hidden = sorted(pack - self.hand - {card for _, card in self.plays} - (self.kitty or set()))
        self.sizes = [0 if s == seat else self.rules.hand_size - len(self.played[s]) for s in self.seats]
        self.sizes.append(len(self.hidden) - sum(self.sizes))

    def assignments(self) -> int:
        """How many ways there are to lay out the hidden cards, fitting or not."""
        return math.factorial(len(self.hidden)) // math.prod(math.factorial(size) for size in self.sizes)

    def knows_a_passed_card(self) -> bool:
        """Whether a card that this seat passed has not been played yet."""
        return any(card in self.hidden for card in self.passed)

    def fits(self, world: World) -> bool:
        """Whether the referee accepts the play so far from these hands, and the passed cards are in their place."""
        hands = [set(world[s]) | self.played[s] for s in self.seats]
        for index, card in enumerate(self.passed):
            if self.pass_code == POOL:
                # The pool is dealt out to the seats again: nothing of it gets into the kitty.
                if card in world[-1]:
                    return False
            else:
                offset = index + 1 if self.pass_code == SCATTER else self.pass_code
                if card not in hands[(self.seat + offset) % len(self.seats)]:
                    return False
        leader = None if self.rules.opening in CLUB_OPENINGS else self.first_leader
        referee = Referee(self.rules, hands, kitty=world[-1], leader=leader)
        for seat, card in self.plays:
            if referee.to_move != seat or card not in referee.legal():
                return False
            referee.play(card)
        return referee.to_move == self.to_move

    def worlds(self) -> set[World]:
        """All deals that fit."""
        found = set()
        for parts in splits(frozenset(self.hidden), self.sizes):
            world = list(parts)
            world[self.seat] = frozenset(self.hand)
            world[-1] = parts[-1] | (self.kitty or set())
            if self.fits(tuple(world)):
                found.add(tuple(world))
        return found


def splits(cards: frozenset[Card], sizes: Sequence[int]) -> Iterator[tuple[frozenset[Card], ...]]:
    """All ways to split cards into parts of given sizes."""
    if len(sizes) == 1:
        yield (cards,)
        return
    for part in itertools.combinations(sorted(cards), sizes[0]):
        for rest in splits(cards - set(part), sizes[1:]):
            yield (frozenset(part), *rest)


def sample(observation: Observation, count: int, seed: int = 0) -> Any:
    """Worlds straight from the kernel, as an array of states."""
    states = np.zeros(count, STATE)
    assert worlds_table(
        compile_rules(observation.rules), observation.records, np.array([seed_key(seed, "test")], np.uint64), states
    )
    return states


def keys_of(states: Any, players: int) -> Any:
    """One row of masks per world: the hands and the kitty."""
    return np.column_stack([states["hands"][:, :players], states["kitty"]])


def key_of(world: World) -> tuple[int, ...]:
    """The same for a world that was found the slow way."""
    return tuple(sum(1 << card for card in cards) for cards in world)


def waits_for_the_lowest_club(view: View) -> bool:
    """Before the lowest club is led, an observer who is not the leader knows that the leader has it."""
    waiting = not view.plays and view.to_move != view.seat
    return waiting and view.rules.opening == "lowest-club" and view.rules.kitty_size > 0


def is_pool_with_kitty(view: View) -> bool:
    """A pooled card cannot lie in the kitty; a case of its own below."""
    return view.pass_code == POOL and view.rules.kitty_size > 0 and view.knows_a_passed_card()


def what_is_known(view: View, broken_before: list[bool]) -> list[str]:
    """The kinds of knowledge in a view, by name, so that the test can tell that it met all of them."""
    rules, found = view.rules, []
    n = rules.players
    for ply, (seat, card) in enumerate(view.plays):
        if seat == view.seat:
            continue
        led = view.plays[ply - ply % n][1]
        if card_suit(card) != card_suit(led):
            found.append("void")
        if ply < n and not rules.first_trick_points and penalty_points(rules, card):
            found.append("penalty at first")
        if ply % n == 0 and is_heart(card) and rules.hearts == "broken" and not broken_before[ply]:
            found.append("heart led")
        if card == 36 and rules.queen_after_hearts and not broken_before[ply]:
            found.append("queen before hearts")
    if view.knows_a_passed_card():
        found.append({SCATTER: "scattered", POOL: "pooled"}.get(view.pass_code, "passed"))
    if view.kitty:
        found.append("kitty seen")
    if not view.kitty and rules.kitty_size:
        found.append("kitty unseen")
    found.append(rules.opening + (" with kitty" if rules.kitty_size else ""))
    return found


def small_positions(rng: random.Random, ways: int, **fixed: Any) -> Iterator[tuple[Deal, View, list[str]]]:
    """Positions from random small deals in which the hidden cards can be laid out in at most so many ways."""
    while True:
        rules = random_rules(rng, small=True, **fixed)
        deal = seat_deal(random_script(rules, rng))
        broken = []
        stop = rng.randrange(rules.plays)
        for _ in range(stop):
            broken.append(deal.hearts_broken)
            deal.play(rng.choice(sorted(deal.legal)))
        for seat in rng.sample(range(rules.players), rules.players):
            view = View(deal, seat)
            if 1 < view.assignments() <= ways:
                yield deal, view, what_is_known(view, broken)
                break


# --- (a) counted exactly ---


def check_exactly(deal: Deal, view: View) -> int:
    """Compare the engine's count and samples with the list of all deals that fit; their number."""
    worlds = view.worlds()
    observation = deal.observe(view.seat)
    assert key_of((*map(frozenset, deal.hands), frozenset(deal.kitty))) in {key_of(world) for world in worlds}
    assert observation.count_worlds() == len(worlds), f"seat {view.seat} under {deal.rules}\n{deal}\n{deal.tricks}"
    states = sample(observation, 30, seed=len(worlds))
    assert {tuple(row) for row in keys_of(states, view.rules.players).tolist()} <= {key_of(world) for world in worlds}
    return len(worlds)


def test_the_worlds_are_exactly_the_deals_that_fit() -> None:
    rng = random.Random(1848)
    seen: Counter[str] = Counter()
    positions = small_positions(rng, 300)
    while seen["positions"] < 500:
        deal, view, known = next(positions)
        if is_pool_with_kitty(view):
            continue
        narrowed = check_exactly(deal, view) < view.assignments()
        seen["positions"] += 1
        seen["narrowed"] += narrowed
        seen.update(set(known) if narrowed else {what for what in known if "kitty" in what})
    wanted = ["void", "penalty at first", "heart led", "queen before hearts", "passed", "scattered", "kitty seen"]
    wanted += ["kitty unseen", "2C", "any-club", "lowest-club", "lowest-club with kitty", "left-of-dealer", "random"]
    missing = [what for what in wanted if seen[what] < 4]
    assert not missing, f"the positions hardly showed {missing}: {seen}"


@pytest.mark.parametrize("preset", PRESETS)
def test_the_worlds_at_the_end_of_a_whole_deal_are_exactly_those_that_fit(preset: str) -> None:
    """Whole packs, two tricks before the end: everything that was shown on the way counts."""
    rng = random.Random(preset)
    for seed in range(3):
        deal = Deal(preset, seed=seed, number=seed)
        for seat in deal.to_pass:
            deal.pass_cards(seat, rng.sample(sorted(deal.hands[seat]), 3))
        for _ in range(deal.rules.plays - 2 * deal.rules.players + rng.randrange(3)):
            deal.play(rng.choice(sorted(deal.legal)))
        check_exactly(deal, View(deal, deal.to_move or 0))


@pytest.mark.parametrize(
    "fixed",
    [
        {"opening": "random", "first_trick_points": False, "king_points": 10, "ace_points": 7},
        {"opening": "random", "first_trick_points": True, "hearts": "broken", "hearts_before_queen": True},
        {"opening": "random", "first_trick_points": True, "hearts": "broken", "queen_after_hearts": True},
        {"opening": "random", "first_trick_points": False, "queen_after_hearts": True, "hearts_before_queen": True},
        {
            "opening": "random",
            "first_trick_points": False,
            "heart_points": "none",
            "queen_points": 13,
            "hearts": "broken",
        },
        {
            "opening": "random",
            "first_trick_points": False,
            "queen_points": 0,
            "hearts_before_queen": True,
            "hearts": "broken",
        },
    ],
    ids=lambda fixed: ",".join(f"{key}={value}" for key, value in fixed.items()),
)
def test_a_forced_card_says_what_the_hand_cannot_hold(fixed: dict[str, Any]) -> None:
    """Only positions in which somebody else played a card that the rules usually forbid: what it shows is exact."""
    rng = random.Random(repr(sorted(fixed.items())))
    done = 0
    telling = {"penalty at first", "heart led", "queen before hearts"}
    for deal, view, known in small_positions(rng, 300, **fixed):
        if telling & set(known) and not is_pool_with_kitty(view):
            check_exactly(deal, view)
            done += 1
        if done == 20:
            break


def test_a_pooled_card_is_not_in_the_kitty() -> None:
    """The pool is dealt out to the seats, so a card that the observer put into it lies in a hand."""
    rng = random.Random(3)
    done = 0
    for deal, view, _ in small_positions(rng, 300, passing=("pool",), pass_count=2, pass_high_spades=True):
        if is_pool_with_kitty(view):
            check_exactly(deal, view)
            done += 1
        if done == 10:
            break


def test_the_first_leader_knows_that_lower_clubs_lie_in_the_kitty() -> None:
    """Whoever is to lead the lowest club dealt knows that all lower ones were left over, before a card is played."""
    rng = random.Random(41)
    done = narrowed = 0
    while done < 25:
        rules = random_rules(rng, small=True, players=3, opening="lowest-club", kitty="first-trick")
        deal = seat_deal(random_script(rules, rng))
        view = View(deal, deal.to_move or 0)
        lower = [card for card in view.hidden if card < min(view.hand)]
        if view.assignments() > 2000 or (not lower and rng.random() < 0.8):
            continue
        if not is_pool_with_kitty(view):
            narrowed += check_exactly(deal, view) < view.assignments() and bool(lower)
            done += 1
    assert narrowed >= 5


def test_who_waits_for_the_lowest_club_knows_that_the_leader_has_it() -> None:
    """Lowest club, a kitty, no lead yet, observer not the leader: some worlds hide low clubs in the kitty, each case
    with its own number of worlds. Counted exactly, and sampled evenly."""
    rng = random.Random(12)
    done = narrowed = tested = 0
    for deal, view, _ in small_positions(rng, 700, opening="lowest-club", players=3, passing=("hold",)):
        if waits_for_the_lowest_club(view):
            ways = check_exactly(deal, view)
            narrowed += ways < view.assignments()
            done += 1
            if 20 <= ways <= 300 and tested < 3:
                states = sample(deal.observe(view.seat), 20_000, seed=done)
                assert chi_square(states, view.worlds(), 3) > 1e-4, f"{deal.rules}\n{deal}"
                tested += 1
        if done == 25 and tested == 3:
            break
    assert narrowed > 5
    assert tested == 3


# --- (b) each as likely as any other ---


def chi_square(states: Any, worlds: set[World], players: int) -> float:
    """The p-value of a sample against the uniform distribution over these worlds."""
    index = {key_of(world): i for i, world in enumerate(sorted(worlds, key=key_of))}
    rows, counts = np.unique(keys_of(states, players), axis=0, return_counts=True)
    observed = np.zeros(len(index))
    for row, count in zip(rows.tolist(), counts, strict=True):
        observed[index[tuple(row)]] = count
    return float(stats.chisquare(observed).pvalue)


def test_every_world_is_equally_likely() -> None:
    """Fourteen positions with 20 to 300 worlds each, more often than not with several constrained hands."""
    rng = random.Random(2718)
    done = 0
    for deal, view, _ in small_positions(rng, 1000):
        ways = deal.observe(view.seat).count_worlds()
        if not 20 <= ways <= 300 or ways == view.assignments() or is_pool_with_kitty(view):
            continue
        worlds = view.worlds()
        states = sample(deal.observe(view.seat), 30_000, seed=done)
        assert chi_square(states, worlds, view.rules.players) > 1e-4, f"{deal.rules}\n{deal}"
        done += 1
        if done == 14:
            break


def layouts(observation: Observation) -> tuple[list[Card], list[list[bool]], list[int]]:
    """Hidden cards, which cell can hold which of them, and the sizes of the cells, for a full-sized observation."""
    seat, n = observation.seat, observation.rules.players
    others = [(seat + 1 + i) % n for i in range(n - 1)]
    hidden = list(observation.unseen)
    sizes = [observation.hand_sizes[other] for other in others]
    sizes.append(len(hidden) - sum(sizes))
    allowed = []
    for card in hidden:
        cells = [bool(int(observation.records["may_hold"][0][other]) >> card & 1) for other in others] + [sizes[-1] > 0]
        if card in observation.passed:
            holder = int(observation.records["pass_code"][0]) - 1
            cells = [cell == holder for cell in range(n)]
        allowed.append(cells)
    return hidden, allowed, sizes


def forward(allowed: list[list[bool]], sizes: list[int]) -> list[dict[tuple[int, ...], int]]:
    """Card by card, the exact number of ways to reach each combination of room left in the cells."""
    tables: list[dict[tuple[int, ...], int]] = [{tuple(sizes): 1}]
    for cells in allowed:
        after: Counter[tuple[int, ...]] = Counter()
        for room, ways in tables[-1].items():
            for cell, may in enumerate(cells):
                if may and room[cell]:
                    after[(*room[:cell], room[cell] - 1, *room[cell + 1 :])] += ways
        tables.append(dict(after))
    return tables


FULL_SIZE = [
    ("standard", 21, 18),
    ("standard,players=3,removed=none,kitty=first-trick,opening=lowest-club", 4, 12),
    ("standard,players=5,passing=+2", 8, 17),
    ("seed", 9, 14),
    ("standard,queen_after_hearts=yes", 13, 9),
]


@pytest.mark.parametrize(("text", "seed", "plies"), FULL_SIZE)
def test_full_sized_positions_are_counted_and_sampled_rightly(text: str, seed: int, plies: int) -> None:
    """With a whole pack the worlds cannot be listed, but a plain count card by card, in whole numbers, gives their
    number and how often each card lies in each hand. This proves the counting by classes, not what is possible."""
    deal = Deal(text, seed=seed)
    for seat in deal.to_pass:
        deal.pass_cards(seat, random.Random(seat).sample(sorted(deal.hands[seat]), 3))
    rng = random.Random(seed)
    for _ in range(plies):
        deal.play(rng.choice(sorted(deal.legal)))
    assert deal.to_move is not None
    observation = deal.observe(deal.to_move)
    hidden, allowed, sizes = layouts(observation)
    there = forward(allowed, sizes)
    back = forward(allowed[::-1], sizes)[::-1]
    total = sum(there[-1].values())
    assert observation.count_worlds() == pytest.approx(total, rel=1e-12)
    count, n = 20_000, deal.rules.players
    states = sample(observation, count, seed)
    constrained = 0
    for i, card in enumerate(hidden):
        chances = []
        for cell in range(n):
            ways = 0
            for room, before in there[i].items():
                if allowed[i][cell] and room[cell]:
                    # The cards after this one fill what room is left; counted from the other end, that is their room.
                    filled = tuple(sizes[other] - left + (other == cell) for other, left in enumerate(room))
                    ways += before * back[i + 1].get(filled, 0)
            chances.append(Fraction(ways, total))
        assert sum(chances) == 1
        for cell, chance in enumerate(map(float, chances)):
            field = states["kitty"] if cell == n - 1 else states["hands"][:, (observation.seat + 1 + cell) % n]
            found = int((field >> np.uint64(card) & np.uint64(1)).sum())
            if chance in (0.0, 1.0):
                assert found == count * chance
                constrained += 1
            else:
                z = (found - count * chance) / math.sqrt(count * chance * (1 - chance))
                assert abs(z) < 5, (card, cell, found / count, chance)
    assert constrained, "nothing is known in this position: take another"


# --- (c) worlds of any position under any rules ---

seeds = st.integers(0, 1 << 32)


@examples(200)
@given(strategies.rules(), seeds)
def test_a_world_is_a_deal_that_looks_the_same_to_its_observer(rules: Rules, seed: int) -> None:
    """Hands and kitty make up the pack, sizes are right, what is known is in place, and the observer's view of the
    world is its view of the deal, field by field (but for the key of its own dice)."""
    rng = random.Random(seed)
    deal = seat_deal(random_script(rules, rng))
    for _ in range(rng.randrange(rules.plays + 1)):
        deal.play(rng.choice(sorted(deal.legal)))
    seat = rng.randrange(rules.players)
    original = deal.observe(seat)
    assert original.count_worlds() >= 1
    for world in original.worlds(4, seed):
        dealt = [card for hand in world.hands for card in hand] + [card for _, card in deal_plays(deal)]
        assert sorted([*dealt, *world.kitty]) == sorted(set(CARDS) - set(rules.removed))
        assert [len(hand) for hand in world.hands] == [len(hand) for hand in deal.hands]
        assert len(world.kitty) == rules.kitty_size
        assert world.hands[seat] == deal.hands[seat]
        seen = world.observe(seat)
        for name in OBSERVATION.names or ():
            if name != "random":
                assert np.array_equal(seen.records[name], original.records[name]), name
        code = rules.pass_code(deal.pass_direction)
        if deal.passed[seat] and code > 0:
            receiver = (seat + code) % rules.players
            assert deal.passed[seat] <= world.hands[receiver] | deal._masks("played")[receiver]
        assert world.history == deal.history
        assert world.tricks == deal.tricks
        assert world.legal == deal.legal if world.to_move == seat else True
        world.play_randomly(seed)
        assert world.is_over


def deal_plays(deal: Deal) -> list[tuple[int, Card]]:
    """All (seat, card) played."""
    return [play for trick in deal.tricks for play in trick]


@examples(100)
@given(strategies.rules(), seeds)
def test_the_true_deal_is_always_possible(rules: Rules, seed: int) -> None:
    """What a seat is said not to hold it does not hold: the notes about voids never exclude the truth."""
    rng = random.Random(seed)
    deal = seat_deal(random_script(rules, rng))
    while not deal.is_over:
        for seat in range(rules.players):
            assert int(deal.hands[seat]) & ~int(deal._states[0]["may_hold"][seat]) == 0
            assert deal.observe(rng.randrange(rules.players)).count_worlds() >= 1
        deal.play(rng.choice(sorted(deal.legal)))


def test_the_same_seed_gives_the_same_worlds() -> None:
    observation = Deal("seed", seed=2).observe(0)
    first, again, other = observation.worlds(5, 1), observation.worlds(5, 1), observation.worlds(5, 2)
    assert first == again != other
    assert len({world.hands for world in first}) == 5


def test_an_observation_that_nothing_fits_is_refused() -> None:
    """Only somebody who makes an observation up can get here: all others void in all suits but one."""
    observation = Deal("seed", seed=2).observe(0)
    observation.records["may_hold"][0][1:4] = CardSet.suit("H").mask
    assert observation.count_worlds() == 0
    with pytest.raises(ValueError, match="no deal fits"):
        observation.worlds(1)


# --- while cards are being passed ---


@pytest.mark.parametrize("passed", [0, 1, 2, 3])
@pytest.mark.parametrize("direction", ["left", "pool"])
def test_worlds_while_passing_are_deals_in_which_passing_goes_on(passed: int, direction: str) -> None:
    """A seat that thinks about its pass, or has passed and waits, can play its worlds to the end: the seats that have
    not passed still have to, cards laid out are out of the hands, and nothing is lost or doubled."""
    deal = Deal(f"standard,passing={direction}", seed=6)
    for seat in range(passed):
        deal.pass_cards(seat, sorted(deal.hands[seat])[:3])
    for observer in range(4):
        for world in deal.observe(observer).worlds(3):
            assert world.phase == "pass"
            assert world.hands[observer] == deal.hands[observer]
            assert (observer in world.to_pass) == (observer in deal.to_pass)
            cards = [card for hand in (*world.hands, *world.passed) for card in hand]
            assert sorted(cards) == CARDS
            world.play_randomly(1)
            assert world.is_over
            assert sum(len(cards) for cards in world.taken) == 52


# --- (d) why tables are counted ---


def two_voids() -> Deal:
    """Seat 1 has no clubs and seat 2 no diamonds; two clubs, two diamonds and two spades are hidden, two a hand."""
    hands = ["AC AD 2H 3H", "2D QS 2S 4H", "2C 5H 3C 3S", "4C 3D 4D 5C"]
    removed = CardSet(card for card in CARDS if card not in CardSet(" ".join(hands))).names().replace(" ", "+")
    deal = Deal.from_hands(hands, f"seed,removed={removed}", leader=0)
    for card in parse_cards("AC 4H 2C 4C AD 2D 5H 3D"):
        deal.play(card)
    return deal


def dealt_greedily(view: View, may: dict[int, set[Card]]) -> dict[World, Fraction]:
    """How likely each world is if the hands are filled one after the other, each at random from what it may hold."""
    chances: dict[World, Fraction] = {}

    def fill(seat: int, left: frozenset[Card], chance: Fraction, parts: tuple[frozenset[Card], ...]) -> None:
        if seat == view.rules.players:
            chances[(*parts, left)] = chance
            return
        if seat == view.seat:
            fill(seat + 1, left, chance, (*parts, frozenset(view.hand)))
            return
        options = list(itertools.combinations(sorted(left & may[seat]), view.sizes[seat]))
        for cards in options:
            fill(seat + 1, left - set(cards), chance / len(options), (*parts, frozenset(cards)))

    fill(0, frozenset(view.hidden), Fraction(1), ())
    finished = sum(chances.values())
    return {world: chance / finished for world, chance in chances.items()}


def test_dealing_hand_by_hand_would_be_biased() -> None:
    """The usual short cut fills the hands in turn with cards that each may hold and starts again when stuck. With two
    constrained hands that is not uniform: the first takes a spade without asking how many ways that leaves for the
    second. Here one world would come up several times as often as another, and our sample tells the two apart."""
    deal = two_voids()
    view = View(deal, 0)
    suits = {suit: {card for card in view.hidden if card_suit(card) == suit} for suit in range(4)}
    may = {1: set(view.hidden) - suits[0], 2: set(view.hidden) - suits[1], 3: set(view.hidden)}
    greedy = dealt_greedily(view, may)
    worlds = view.worlds()
    assert set(greedy) == worlds
    assert deal.observe(0).count_worlds() == len(worlds)
    ratio = max(greedy.values()) / min(greedy.values())
    assert ratio >= 2, f"not biased enough to show anything: {ratio}"
    states = sample(deal.observe(0), 30_000)
    assert chi_square(states, worlds, 4) > 1e-4
    rows, counts = np.unique(keys_of(states, 4), axis=0, return_counts=True)
    by_key = {key_of(world): chance for world, chance in greedy.items()}
    expected = np.array([float(by_key[tuple(row)]) for row in rows.tolist()]) * 30_000
    assert stats.chisquare(counts, expected).pvalue < 1e-12, "the sample cannot be told from the biased one"


def test_shuffling_until_it_fits_would_take_for_ever() -> None:
    """The other short cut, to shuffle all hidden cards and to try again if anything is wrong, is unbiased but hopeless
    when a lot is known: in this position after seven tricks not one shuffle in ten thousand fits."""
    deal = Deal("standard,passing=left", seed=147)
    for seat in range(4):
        deal.pass_cards(seat, sorted(deal.hands[seat])[-3:])
    rng = random.Random(147)
    for _ in range(28):
        deal.play(rng.choice(sorted(deal.legal)))
    view = View(deal, deal.to_move or 0)
    fitting = deal.observe(view.seat).count_worlds()
    assert fitting >= 1
    assert fitting / view.assignments() < 1e-4
