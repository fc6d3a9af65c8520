"""Worlds: full deals consistent with an observation, sampled exactly uniformly and without rejection.

The hidden cards lie in *cells*: the hands of the other seats, and the kitty while it is unknown. What is known about
the seats (suits not followed, hearts led before they were broken, cards passed to them) decides in which cells each
hidden card can be. Cards with the same possible cells form a *class* and are interchangeable. So it is enough to count
the *allocations*, "how many cards of each class lie in each cell", each weighted by the number of ways to choose the
cards, and to draw an allocation with probability proportional to its weight. The counts are computed cell by cell, from
the last constrained cell to the first; cells that can hold any of the remaining cards share the rest by a shuffle.
Counts are float64: exact below 2^53, and above that with a relative error near 1e-15.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below, skip, uniform
from heartlab.kernel.dealing import clear, may_pass
from heartlab.kernel.layout import NOBODY, OPEN_LOWEST_CLUB, PASSING, PLAYING, SEATS, STATE
from heartlab.kernel.ranks import CLUBS
from heartlab.rules import POOL, SCATTER

MAX_CELLS = SEATS
KITTY_CELL = SEATS - 1
"""Index of the kitty among the cells; the other cells are the seats after the observer, in order."""
PLAN = np.dtype(
    [
        ("capacity", "i8", MAX_CELLS),  # number of hidden cards in each cell
        ("possible", "u8", MAX_CELLS),  # the cards that each can hold
        ("content", "u8", MAX_CELLS),  # the cards of each in the world that is drawn
        ("order", "i8", MAX_CELLS),  # the constrained cells
        ("constrained", "i8"),  # their number
        ("hidden", "u8"),  # all hidden cards
        ("classes", "i8"),  # number of classes; for each of them:
        ("cards", "u8", 52),  # its cards
        ("cells", "i8", 52),  # the cells that can hold them, as bits
        ("size", "i8", 52),
        ("stride", "i8", 52),  # stride of the number of cards left in the index of `ways`
        ("left", "i8", 52),  # number of cards not yet in a cell
        ("rest", "u8", 52),  # these cards
        ("limits", "i8", 52),  # most cards that the current cell can take
        ("split", "i8", 52),  # cards that it takes
        ("pool", "i8", 52),  # scratch memory: cards to draw from
    ],
    align=True,
)
"""The data of all steps below. One record, because a call with many arrays would cost more than most of these functions
do."""


def _binomials() -> np.ndarray[Any, np.dtype[np.float64]]:
    table = np.zeros((53, 53))
    for n in range(53):
        table[n, 0] = 1.0
        for k in range(1, n + 1):
            table[n, k] = table[n - 1, k - 1] + table[n - 1, k]
    return table


BINOMIAL = _binomials()


@kernel
def _place_passed(obs: Any, hidden: np.uint64, possible: Any) -> None:
    """Leave the cards that the observer passed, as far as they are hidden, to the seats that got them."""
    code = obs["pass_code"]
    order = obs["passed"]
    step = 1
    while order != ZERO:
        card = order & (~order + ONE)
        order ^= card
        holder = (step if code == SCATTER else code) - 1
        step += 1
        if card & hidden == ZERO:
            continue
        for cell in range(MAX_CELLS):
            if cell != holder:
                possible[cell] &= ~card


@kernel
def _find_cells(rules: Any, obs: Any, plan: Any) -> None:
    """The hidden cards, the sizes of the cells, and the cards that each can hold."""
    players = rules["players"]
    seat = obs["seat"]
    capacity, possible = plan["capacity"], plan["possible"]
    hidden = rules["pack"] & ~obs["hand"] & ~obs["kitty"]
    for other in range(players):
        hidden &= ~obs["played"][other]
    floor = ZERO
    if obs["plays"] == 0 and obs["to_move"] == seat and rules["opening"] == OPEN_LOWEST_CLUB:
        clubs = obs["hand"] & CLUBS
        floor = ((clubs & (~clubs + ONE)) - ONE) & CLUBS
    laid_out = obs["phase"] == PASSING
    if laid_out:
        hidden &= ~obs["passed"]
    in_hands = 0
    for cell in range(MAX_CELLS):
        capacity[cell] = 0
        possible[cell] = ZERO
    for cell in range(players - 1):
        other = (seat + 1 + cell) % players
        capacity[cell] = obs["hand_sizes"][other]
        if laid_out and not obs["to_pass"] >> other & 1:
            capacity[cell] += rules["pass_count"]
        possible[cell] = obs["may_hold"][other] & hidden & ~floor
        in_hands += capacity[cell]
    capacity[KITTY_CELL] = popcount(hidden) - in_hands
    if capacity[KITTY_CELL] > 0:
        possible[KITTY_CELL] = hidden & ~obs["passed"]
    plan["hidden"] = hidden
    if obs["pass_code"] != POOL and obs["pass_code"] != 0 and not laid_out:
        _place_passed(obs, hidden, possible)


@kernel
def _find_classes(plan: Any) -> None:
    """Group hidden cards by the cells that can hold them."""
    count = 0
    hidden = plan["hidden"]
    while hidden != ZERO:
        card = hidden & (~hidden + ONE)
        hidden ^= card
        signature = 0
        for cell in range(MAX_CELLS):
            if plan["capacity"][cell] > 0 and plan["possible"][cell] & card != ZERO:
                signature |= 1 << cell
        found = -1
        for k in range(count):
            if plan["cells"][k] == signature:
                found = k
        if found < 0:
            found = count
            plan["cells"][found] = signature
            plan["cards"][found] = ZERO
            count += 1
        plan["cards"][found] |= card
    plan["classes"] = count


@kernel
def _next_split(plan: Any) -> bool:
    """Advance to the next split of the same size within the limits; False after the last."""
    split, limits = plan["split"], plan["limits"]
    for k in range(1, plan["classes"]):
        # Raise position k by one and distribute the rest to the lowest positions.
        below_sum = 0
        for j in range(k):
            below_sum += split[j]
        if below_sum > 0 and split[k] < limits[k]:
            split[k] += 1
            rest = below_sum - 1
            for j in range(k):
                take = min(rest, limits[j])
                split[j] = take
                rest -= take
            return True
    return False


@kernel
def _first_split(plan: Any, cell: int) -> bool:
    """The first split that fills a cell with remaining cards of the classes it can hold; False if there is none."""
    rest = plan["capacity"][cell]
    for k in range(plan["classes"]):
        limit = plan["left"][k] if plan["cells"][k] >> cell & 1 else 0
        plan["limits"][k] = limit
        take = min(rest, limit)
        plan["split"][k] = take
        rest -= take
    return rest == 0


@kernel
def _weight(plan: Any, ways: Any, step: int) -> float:
    """Ways to choose this split times the ways to continue with constrained cell `step`."""
    weight = 1.0
    index = 0
    left, split = plan["left"], plan["split"]
    for k in range(plan["classes"]):
        weight *= BINOMIAL[left[k], split[k]]
        index += (left[k] - split[k]) * plan["stride"][k]
    return weight * ways[step, index]


@kernel
def _find_constraints(plan: Any) -> int:
    """Find the constrained cells, class sizes and strides; returns the length of a row of `ways`."""
    length = 1
    common = (1 << MAX_CELLS) - 1
    for k in range(plan["classes"]):
        plan["size"][k] = popcount(plan["cards"][k])
        plan["stride"][k] = length
        length *= plan["size"][k] + 1
        common &= plan["cells"][k]
    constrained = 0
    for cell in range(MAX_CELLS):
        if plan["capacity"][cell] > 0 and not common >> cell & 1:
            plan["order"][constrained] = cell
            constrained += 1
    plan["constrained"] = constrained
    return length


@kernel
def _count_left(plan: Any, index: int) -> int:
    """The number of cards left in each class, from an index of `ways`; returns their sum."""
    total = 0
    for k in range(plan["classes"]):
        plan["left"][k] = index // plan["stride"][k] % (plan["size"][k] + 1)
        total += plan["left"][k]
    return total


@kernel
def _count(plan: Any, ways: Any) -> float:
    """Fill `ways[i]`: the weighted number of allocations for constrained cells i.., by the cards left in each class."""
    length = ways.shape[1]
    constrained = plan["constrained"]
    still = popcount(plan["hidden"])
    for i in range(constrained):
        still -= plan["capacity"][plan["order"][i]]
    for index in range(length):
        ways[constrained, index] = 1.0 if _count_left(plan, index) == still else 0.0
    for i in range(constrained - 1, -1, -1):
        cell = plan["order"][i]
        still += plan["capacity"][cell]
        for index in range(length - 1 if i == 0 else 0, length):
            ways[i, index] = 0.0
            if _count_left(plan, index) == still:
                more = _first_split(plan, cell)
                while more:
                    ways[i, index] += _weight(plan, ways, i + 1)
                    more = _next_split(plan)
    return ways[0, length - 1]


@kernel
def _opening_case(rules: Any, obs: Any, number: int, plan: Any) -> bool:
    """Restrict the cells to one case of where the lowest club is; False if there is no case of that number.

    Before another seat leads the lowest club, while a kitty may hold clubs, that seat is known to hold the lowest club
    of all hands. Case k: the k lowest hidden clubs are in the kitty, and the next one is the leader's. Otherwise there
    is one case without a restriction.
    """
    seat = obs["seat"]
    capacity, possible = plan["capacity"], plan["possible"]
    waiting = rules["opening"] == OPEN_LOWEST_CLUB and obs["phase"] == PLAYING and obs["plays"] == 0
    if not waiting or obs["to_move"] == seat or capacity[KITTY_CELL] == 0:
        return number == 0
    left = plan["hidden"] & CLUBS
    below = ZERO
    for _ in range(number):
        low = left & (~left + ONE)
        below |= low
        left ^= low
    led = left & (~left + ONE)
    own = obs["hand"] & CLUBS
    if led == ZERO or number > capacity[KITTY_CELL] or (own != ZERO and own & (~own + ONE) < led):
        return False
    players = rules["players"]
    for cell in range(MAX_CELLS):
        if cell != KITTY_CELL:
            possible[cell] &= ~below
        if cell != (obs["to_move"] - seat - 1) % players:
            possible[cell] &= ~led
    return True


@kernel
def _free_ways(plan: Any) -> float:
    """Ways to distribute the rest among the cells without constraints."""
    left = popcount(plan["hidden"])
    for i in range(plan["constrained"]):
        left -= plan["capacity"][plan["order"][i]]
    ways = 1.0
    for cell in range(MAX_CELLS):
        size = plan["capacity"][cell]
        free = size > 0
        for i in range(plan["constrained"]):
            free = free and plan["order"][i] != cell
        if free:
            ways *= BINOMIAL[left, size]
            left -= size
    return ways


@kernel
def _sample_case(rules: Any, obs: Any, number: int, rng: Any, out: Any, case_of: Any) -> float:
    """Fill the worlds that `case_of` assigns to a case; returns its number of worlds, -1 if there is no such case.

    With an empty `out` it only counts.
    """
    plans = np.empty(1, PLAN)
    plan = plans[0]
    _find_cells(rules, obs, plan)
    if not _opening_case(rules, obs, number, plan):
        return -1.0
    _find_classes(plan)
    length = _find_constraints(plan)
    ways = np.empty((plan["constrained"] + 1, length))
    total = _count(plan, ways)
    known = np.empty(1, STATE)
    if len(out) > 0:
        _fill_known(rules, obs, known[0])
    for world in range(len(out)):
        if total > 0.0 and case_of[world] == number:
            _deal_cells(plan, ways, rng)
            out[world] = known[0]
            _fill_hidden(rules, obs, plan, rng, out[world])
    return total * _free_ways(plans[0])


@kernel
def count_worlds(rules: Any, obs: Any) -> float:
    """The number of worlds that are consistent with an observation."""
    rng = np.zeros(1, np.uint64)
    nothing = np.empty(0, STATE)
    cases = np.zeros(1, np.int64)
    total = 0.0
    number = 0
    found = _sample_case(rules, obs, number, rng, nothing, cases)
    while found >= 0.0:
        total += found
        number += 1
        found = _sample_case(rules, obs, number, rng, nothing, cases)
    return total


@kernel
def _draw(cards: np.uint64, count: int, rng: Any, pool: Any) -> np.uint64:
    """A uniformly random subset of a given size; `pool` is scratch memory."""
    if count == 0:
        return ZERO
    size = popcount(cards)
    if count == size:
        skip(rng, count)
        return cards
    for i in range(size):
        pool[i] = lowest(cards)
        cards &= cards - ONE
    drawn = ZERO
    for i in range(count):
        pick = i + below(rng, size - i)
        drawn |= bit(pool[pick])
        pool[pick] = pool[i]
    return drawn


@kernel
def _deal_cells(plan: Any, ways: Any, rng: Any) -> None:
    """Draw the content of every cell: an allocation by its weight, then the cards of each class."""
    index = 0
    classes = plan["classes"]
    for k in range(classes):
        plan["rest"][k] = plan["cards"][k]
        plan["left"][k] = plan["size"][k]
        index += plan["size"][k] * plan["stride"][k]
    for cell in range(MAX_CELLS):
        plan["content"][cell] = ZERO
    for i in range(plan["constrained"]):
        cell = plan["order"][i]
        target = uniform(rng) * ways[i, index]
        _first_split(plan, cell)
        target -= _weight(plan, ways, i + 1)
        while target >= 0.0 and _next_split(plan):
            target -= _weight(plan, ways, i + 1)
        for k in range(classes):
            taken = plan["split"][k]
            drawn = _draw(plan["rest"][k], taken, rng, plan["pool"])
            plan["rest"][k] ^= drawn
            plan["content"][cell] |= drawn
            plan["left"][k] -= taken
            index -= taken * plan["stride"][k]
    others = ZERO
    for k in range(classes):
        others |= plan["rest"][k]
    for cell in range(MAX_CELLS):
        if plan["content"][cell] == ZERO and plan["capacity"][cell] > 0:
            plan["content"][cell] = _draw(others, plan["capacity"][cell], rng, plan["pool"])
            others ^= plan["content"][cell]


@kernel
def _fill_known(rules: Any, obs: Any, out: Any) -> None:
    """Fill the fields that all worlds of an observation share."""
    clear(rules, out)
    players = rules["players"]
    seat = obs["seat"]
    out["hands"][seat] = obs["hand"]
    out["passed"][seat] = obs["passed"]
    out["received"][seat] = obs["received"]
    out["to_pass"] = obs["to_pass"]
    for other in range(players):
        out["played"][other] = obs["played"][other]
        out["taken"][other] = obs["taken"][other]
        out["may_hold"][other] = obs["may_hold"][other]
        out["scores"][other] = obs["scores"][other]
        out["trick_cards"][other] = obs["trick_cards"][other] if other < obs["trick_size"] else 0
        out["tricks_won"][other] = obs["tricks_won"][other]
    out["led"] = obs["led"]
    out["trick"] = obs["trick"]
    out["deal_number"] = obs["deal_number"]
    out["trick_size"] = obs["trick_size"]
    out["trick_number"] = obs["trick_number"]
    out["plays"] = obs["plays"]
    out["to_move"] = obs["to_move"]
    out["leader"] = obs["leader"]
    out["winner"] = obs["winner"]
    out["best"] = obs["best"]
    out["hearts_broken"] = obs["hearts_broken"]
    out["phase"] = obs["phase"]
    out["pass_code"] = obs["pass_code"]
    out["kitty_taker"] = obs["kitty_taker"]


@kernel
def _fill_hidden(rules: Any, obs: Any, plan: Any, rng: Any, out: Any) -> None:
    """Fill the hidden part of a world from the content of the cells.

    During passing, the cards that another seat has already chosen are drawn at random from its cards.
    """
    players = rules["players"]
    content = plan["content"]
    for cell in range(players - 1):
        other = (obs["seat"] + 1 + cell) % players
        out["hands"][other] = content[cell]
        if obs["phase"] == PASSING and not obs["to_pass"] >> other & 1:
            out["passed"][other] = _draw(may_pass(rules, content[cell]), rules["pass_count"], rng, plan["pool"])
            out["hands"][other] ^= out["passed"][other]
    out["kitty"] = content[KITTY_CELL] | obs["kitty"]
    if obs["kitty_taker"] != NOBODY:
        out["taken"][obs["kitty_taker"]] |= out["kitty"]


@kernel
def sample_worlds(rules: Any, obs: Any, rng: Any, out: Any) -> bool:
    """Fill the array `out` with independent uniform worlds; False (and nothing filled) if none is consistent."""
    case_of = np.zeros(len(out), np.int64)
    waiting = rules["opening"] == OPEN_LOWEST_CLUB and obs["plays"] == 0 and obs["to_move"] != obs["seat"]
    if not waiting:
        return _sample_case(rules, obs, 0, rng, out, case_of) > 0.0
    total = count_worlds(rules, obs)
    if total <= 0.0:
        return False
    for world in range(len(out)):
        target = uniform(rng) * total
        number = -1
        while target >= 0.0:
            number += 1
            ways = _sample_case(rules, obs, number, rng, out[:0], case_of)
            if ways < 0.0:
                number -= 1
                break
            target -= ways
        case_of[world] = number
    number = 0
    while _sample_case(rules, obs, number, rng, out, case_of) >= 0.0:
        number += 1
    return True
