"""Pruning and the transposition table against brute force: thousands of positions with HEARTLAB_SCALE=10.

The hardest judges are evaluators that draw their values by hashing the position. They add up to a constant, as pruning
needs, and know no other order: `hash-many` has nearly no ties, `hash-few` is full of them.
"""

import itertools

import numpy as np
import pytest
from support import run_file
from support import search_twin as twin
from support.searching import RULES, SCALE, same, search

from heartlab import Deal, Rules, make_player
from heartlab.compiled.rng import mix
from heartlab.players import Observations, PlayerError
from heartlab.search.evaluators.base import Bounds, evaluator
from heartlab.search.transpositions import COUNTING, EVERYTHING, NOTHING, position_key

TOTAL = 12.0
MASK = (1 << 64) - 1


CONSTANT_SUM = Bounds(floor=TOTAL, most=TOTAL, least=0.0)


@evaluator("hash-many", "random shares of a total, nearly all different", bounds=CONSTANT_SUM)
def hash_many(rules, state, root, floats, ints, scratch, out):
    key = np.uint64(state["plays"])
    for seat in range(rules["players"]):
        key = mix(mix(key ^ state["hands"][seat]) ^ state["taken"][seat])
    whole = 0.0
    for seat in range(rules["players"]):
        key = mix(key + np.uint64(seat))
        out[seat] = 1.0 + np.int64(key >> np.uint64(40))
        whole += out[seat]
    for seat in range(rules["players"]):
        out[seat] *= 12.0 / whole


@evaluator("hash-few", "random shares of a total, most of them equal", bounds=CONSTANT_SUM)
def hash_few(rules, state, root, floats, ints, scratch, out):
    key = np.uint64(state["plays"])
    for seat in range(rules["players"]):
        key = mix(mix(key ^ state["hands"][seat]) ^ state["taken"][seat])
        out[seat] = 0.0
    for _ in range(3):
        key = mix(key)
        out[np.int64((key >> np.uint64(40)) % np.uint64(rules["players"]))] += 4.0


def plain_mix(key):
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 & MASK
    key = (key ^ key >> 27) * 0x94D049BB133111EB & MASK
    return key ^ key >> 31


def plain_hash(name, referee):
    """The same two evaluators over the referee."""
    n, key = referee.rules.players, len(referee.history)
    for seat in range(n):
        hand, taken = (sum(1 << card for card in cards[seat]) for cards in (referee.hands, referee.taken))
        key = plain_mix(plain_mix(key ^ hand) ^ taken)
    if name == "hash-few":
        out = [0.0] * n
        for _ in range(3):
            key = plain_mix(key)
            out[(key >> 40) % n] += 4.0
        return out
    parts = []
    for seat in range(n):
        key = plain_mix(key + seat & MASK)
        parts.append(1.0 + (key >> 40))
    return [part * 12.0 / sum(parts) for part in parts]


def positions(rules, tricks_left, count, start):
    """Random late positions under each of some rules in turn, with any number of cards on the table."""
    for number in range(count):
        parsed = Rules.parse(rules[number % len(rules)])
        yield twin.late_position(parsed, start + number, tricks_left, number // len(rules) % parsed.players)


def four_tricks(start):
    """Positions with four tricks left that brute force can search: their whole tree is small (less so with a scale)."""
    for deal, referee in positions(SOME_RULES, 4, 100_000, start):
        if search(deal, "maxn", "points", 4000 * SCALE, tricks="all", merge="no", prune="no", table="no")[0]:
            yield deal, referee


def late(tricks_left, count, start):
    """Positions for brute force."""
    found = four_tricks(start) if tricks_left == 4 else positions(SOME_RULES, tricks_left, count, start)
    return itertools.islice(found, count)


def plain_values(referee, stop, name, root):
    """Brute force, with the evaluator over the referee."""
    judges = {"points": twin.final_points, "pie": lambda position: twin.pie(position, root)}
    return twin.maxn(referee, stop, judges.get(name, lambda position: plain_hash(name, position)))


SOME_RULES = [*RULES, "seed-nomoon,players=5", "seed-nomoon,players=6", "seed,players=3", "spot,players=3,moon=off"]
NO_MOON = [f"seed-nomoon,players={n}" for n in (3, 4, 5, 6)]
NAMES = ["hash-many", "hash-few", "points", "low-cards", "pie"]
WAYS = [("yes", "no"), ("bold", "no"), ("shallow", "yes"), ("yes", "yes"), ("bold", "yes"), ("no", "yes")]
"""How to prune, and whether to keep a table."""


# --- against brute force ---


@pytest.mark.parametrize(("tricks_left", "count"), [(2, 17 * SCALE), (3, 6 * SCALE), (4, 5 * SCALE)])
@pytest.mark.parametrize("name", ["hash-many", "hash-few", "points", "pie"])
def test_maxn_values_are_those_of_brute_force(name, tricks_left, count):
    for deal, referee in late(tricks_left, count, 10_000):
        expected = {
            card: plain_values(twin.after(referee, card), 99, name, deal.to_move) for card in twin.ordered(referee)
        }
        for prune, table in WAYS[2:5]:
            found, _ = search(deal, "maxn", name, tricks="all", merge="no", prune=prune, table=table)
            assert same(found, expected), (str(deal.rules), deal.history, prune, table)


@pytest.mark.parametrize(("tricks_left", "count"), [(2, 17 * SCALE), (3, 6 * SCALE), (4, 5 * SCALE)])
def test_paranoid_values_are_those_of_brute_force(tricks_left, count):
    for deal, referee in late(tricks_left, count, 20_000):
        root = deal.to_move
        found, _ = search(deal, "paranoid", "points", tricks="all")
        for card, values in found.items():
            expected = twin.paranoid(twin.after(referee, card), 99, root, twin.final_points)
            assert values[root] == pytest.approx(expected), (str(deal.rules), deal.history, card)


# --- against the search of every node ---


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("rules", "tricks_left", "depth", "count"), [
    (NO_MOON[:1], 5, 4, 30), (NO_MOON[:2], 5, 3, 24), (NO_MOON, 3, "all", 60), (NO_MOON, 4, 2, 60),
    (SOME_RULES, 4, 3, 17),
])  # fmt: skip
def test_pruning_and_table_change_no_value_of_maxn(name, rules, tricks_left, depth, count):
    """Resolving is frequent only with bold speculation: so that, too, has to be right."""
    for deal, _ in positions(rules, tricks_left, count * SCALE, 30_000):
        expected, _ = search(deal, "maxn", name, tricks=depth, prune="no", table="no")
        for prune, table in WAYS:
            found, _ = search(deal, "maxn", name, tricks=depth, prune=prune, table=table)
            assert same(found, expected), (str(deal.rules), deal.history, prune, table)


@pytest.mark.parametrize("name", NAMES)
def test_pruning_and_table_change_no_value_of_paranoid(name):
    for deal, _ in positions(SOME_RULES, 4, 17 * SCALE, 40_000):
        root = deal.to_move
        expected, _ = search(deal, "paranoid", name, tricks="all", prune="no", table="no")
        for prune, table in (("yes", "no"), ("yes", "yes"), ("no", "yes")):
            found, _ = search(deal, "paranoid", name, tricks="all", prune=prune, table=table)
            for card, values in expected.items():
                assert found[card][root] == pytest.approx(values[root]), (str(deal.rules), deal.history, prune, table)


@pytest.mark.parametrize("name", ["pie", "points", "low-cards"])
@pytest.mark.parametrize("rules", [
    "standard,players=3,removed=none,kitty=first-heart,opening=lowest-club,moon=off",
    "standard,players=5,removed=none,kitty=nobody,opening=lowest-club,moon=off",
    "advice,bonus=none,moon=off", "spot,moon=off", "seed,sun=yes", "seed-nomoon,king_points=20",
])  # fmt: skip
def test_no_bound_is_taken_for_granted(name, rules):
    """A kitty, cards on the table where a search by plies stops, more than 26 points: all can break the bounds."""
    parsed = Rules.parse(rules)
    for tricks_left, options in ((3, {"tricks": "all"}), (parsed.hand_size, {"plies": 4}), (5, {"plies": 5})):
        for deal, _ in positions([rules], tricks_left, 4 * SCALE, 50_000):
            expected, _ = search(deal, "maxn", name, **options, prune="no", table="no")
            found, _ = search(deal, "maxn", name, **options)
            assert same(found, expected), (options, deal.history)


@pytest.mark.parametrize("ties", ["random", "worst"])
def test_other_ways_of_breaking_ties_are_left_alone(ties):
    for deal, _ in positions(NO_MOON[:2], 3, 12 * SCALE, 60_000):
        expected, nodes = search(deal, "maxn", "hash-few", tricks="all", ties=ties, prune="no", table="no")
        found, as_many = search(deal, "maxn", "hash-few", tricks="all", ties=ties)
        assert (found, as_many) == (expected, nodes)


# --- what it saves ---


@pytest.mark.parametrize(("kind", "name", "n", "shallow", "speculative", "kept"), [
    ("maxn", "pie", 3, 1.0, 1.3, 3.0), ("maxn", "points", 3, 1.1, 1.4, 4.0),
    ("maxn", "pie", 4, 1.0, 1.05, 2.5), ("maxn", "points", 4, 4.0, 4.2, 8.0),
    ("paranoid", "pie", 4, 2.5, 2.5, 5.0), ("paranoid", "points", 4, 2.5, 2.5, 6.0),
])  # fmt: skip
def test_nodes_fall(kind, name, n, shallow, speculative, kept):
    ways = [("no", "no"), ("shallow", "no"), ("yes", "no"), ("yes", "yes")]
    nodes = dict.fromkeys(ways, 0)
    for deal, _ in positions([f"seed-nomoon,players={n}"], 8 - n, 12, 70_000):
        for prune, table in ways:
            nodes[prune, table] += search(deal, kind, name, tricks="all", prune=prune, table=table)[1]
    factors = [nodes["no", "no"] / nodes[way] for way in ways[1:]]
    assert all(factor >= least for factor, least in zip(factors, (shallow, speculative, kept), strict=True)), factors


# --- the table ---


HANDS = [
    "QC KC AC 2D 3D 4D 5D 6D 7D 8D 9D TD JD", "2C 3C 4C 5C QD KD AD 2S 3S 4S 5S 6S 7S",
    "6C 7C 8C 8S 9S TS JS QS KS AS 2H 3H 4H", "9C TC JC 5H 6H 7H 8H 9H TH JH QH KH AH",
]  # fmt: skip


def test_orders_of_play_that_come_to_the_same_share_a_key():
    orders = (
        "AC 2C 6C 9C KC 3C 7C TC",
        "KC 3C 7C TC AC 2C 6C 9C",
        "AC 3C 6C TC KC 2C 7C 9C",
        "AC 2C 6C 9C KC 3C 7C JC",
    )
    for past in (NOTHING, COUNTING, EVERYTHING):
        keys = []
        for order in orders:
            deal = Deal.from_hands(HANDS, "seed", leader=0)
            for card in order.split():
                deal.play(card)
            keys.append(int(position_key(deal._compiled[0], deal._states[0], past)))
        assert keys[0] == keys[1] == keys[2] != keys[3]


def test_no_leader_is_taken_for_a_low_club():
    """Another leader, hearts broken or not: the key differs from that of every hand that differs in low clubs."""
    deal = Deal.from_hands(HANDS, "seed", leader=0)
    rules, state = deal._compiled[0], deal._states[0]
    high, seen = state["hands"][0] & ~np.uint64(0xFF), set()
    for leader in range(4):
        for broken in (0, 1):
            for low in range(256):
                state["to_move"], state["hearts_broken"], state["hands"][0] = leader, broken, high | np.uint64(low)
                seen.add(int(position_key(rules, state, NOTHING)))
    assert len(seen) == 4 * 2 * 256


@pytest.mark.parametrize("way", [{}, {"prune": "no"}, {"endgame": 3}])
def test_a_position_with_low_clubs_is_solved(way):
    """Seat 0 holds 3♣ and 4♣; with another leader each of them once had the key of the other."""
    deal, referee = twin.late_position(Rules.parse("seed-hearts"), 1319, 3)
    found, _ = search(deal, "maxn", "points", **{"tricks": "all", "merge": "no", **way})
    assert same(found, {card: plain_values(twin.after(referee, card), 99, "points", 2) for card in found})


@pytest.mark.parametrize(("card", "differs"), [(0, [False, False, True]), (36, [False, True, True])])
def test_keys_hold_as_much_of_the_past_as_matters(card, differs):
    deal = Deal.from_hands(HANDS, "seed", leader=0)
    rules, state, other = deal._compiled[0], deal._states[0], deal._states.copy()[0]
    state["taken"][0] = other["taken"][1] = np.uint64(1 << card)
    found = [position_key(rules, state, past) != position_key(rules, other, past) for past in range(3)]
    assert found == differs


# --- plain Python ---


def some_values():
    """What pruned searches with a table find in a few small positions, as text."""
    lines = []
    for deal, _ in positions(NO_MOON, 3, 8, 80_000):
        for kind, prune in (("maxn", "bold"), ("paranoid", "yes")):
            found, nodes = search(deal, kind, "pie", tricks="all", prune=prune)
            lines.append(f"{nodes} {[(card, round(values[deal.to_move], 6)) for card, values in found.items()]}")
    for deal, _ in positions(["seed"], 3, 2, 90_000):
        for name in ("iie:worlds=2", "uct:worlds=2,sims=12,playout=throw", "ismcts:sims=24,playout=random"):
            found = make_player(name).search.think(Observations.of(deal.observe(deal.to_move)), lines=True)
            lines.append(f"{name} {found.values[0].round(6).tolist()} {found.lines.sum()}")
    return lines


@pytest.mark.slow
def test_compiled_and_plain_searches_agree():
    printed = run_file(__file__, jit=False)
    assert printed.splitlines() == some_values()


# --- options ---


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("maxn:prune=maybe", "prune=maybe is unknown; choose from yes, no, shallow, bold"),
        ("maxn:table=maybe", "table=maybe is unknown; choose from yes, no"),
    ],
)
def test_wrong_options_are_named(name, sentence):
    with pytest.raises(PlayerError, match=sentence):
        make_player(name)


if __name__ == "__main__":
    print("\n".join(some_values()))
