"""Plain twins of FALCON: fuzzy ART over lists, percepts and actions over sets, and a learner over a dictionary."""

from __future__ import annotations

import numpy as np

from heartlab.compiled.rng import below, seed_key, substream, uniform
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import STATE, compile_rules
from heartlab.kernel.play import legal, play
from heartlab.learners.falcon.settings import Dump, Floor, Match, Percepts, Rule
from heartlab.search.stock import stock_choice

QUEEN, KING, ACE = 36, 37, 38
CLUBS, DIAMONDS, SPADES, HEARTS = range(4)


def cards_of(mask) -> set[int]:
    return {card for card in range(52) if int(mask) >> card & 1}


# --- fuzzy ART ---


class PlainArt:
    """Fusion ART, word for word."""

    def __init__(self, fields, rates, track):
        self.fields, self.rates, self.track, self.weights = fields, rates, track, []

    def parts(self, row):
        start = 0
        for field in self.fields:
            yield field, row[start : start + field.width]
            start += field.width

    def activation(self, x, w):
        total = 0.0
        for (field, xs), (_, ws) in zip(self.parts(x), self.parts(w), strict=True):
            total += field.choice * sum(map(min, xs, ws)) / (field.alpha + sum(ws))
        return total

    def matches(self, x, w):
        for (field, xs), (_, ws) in zip(self.parts(x), self.parts(w), strict=True):
            size = sum(ws) if field.by_weights else sum(xs)
            yield sum(map(min, xs, ws)) / size if size else 1.0

    def learn(self, x):
        vigilance = [field.vigilance for field in self.fields]
        order = sorted(range(len(self.weights)), key=lambda j: (-self.activation(x, self.weights[j]), j))
        for j in order:
            found = list(self.matches(x, self.weights[j]))
            if all(value >= least for value, least in zip(found, vigilance, strict=True)):
                self.weights[j] = [
                    w + rate * (min(a, w) - w) for a, w, rate in zip(x, self.weights[j], self.rates, strict=True)
                ]
                return j
            if self.track:
                vigilance = [max(value, least) for value, least in zip(found, vigilance, strict=True)]
        self.weights.append(list(x))
        return len(self.weights) - 1


# --- percepts and actions ---


def percepts(hand: set[int], others: set[int], table: set[int]) -> list[int]:
    """The ten bits."""
    mine = sorted(card for card in hand if card // 13 == HEARTS)
    theirs = [card for card in others if card // 13 == HEARTS]
    bits = [0, 0, 0, 0]
    if mine:
        bits = [
            int(any(card > mine[-1] for card in theirs)),
            int(any(card < mine[-1] for card in theirs)),
            int(any(card > mine[0] for card in theirs)),
            int(any(card < mine[0] for card in theirs)),
        ]
    for card in (QUEEN, KING, ACE):
        bits += [1, 1] if card in hand else [1, 0] if card in others else [0, 1] if card in table else [0, 0]
    return bits


def place_percepts(table: set[int]) -> tuple[int, ...]:
    """The four bits of `percepts=place`: how many cards lie on the table (lower bit first), a heart, Q♠."""
    hearts = any(card // 13 == HEARTS for card in table)
    return len(table) % 2, len(table) // 2, int(hearts), int(QUEEN in table)


def dump(own: set[int], led: int, queen_played: bool) -> int:
    high = own & {KING, ACE}
    if led != SPADES and high and not queen_played:
        return max(high)
    rank = max(card % 13 for card in own)
    sizes = {suit: sum(card // 13 == suit for card in own) for suit in range(4)}
    suits = [suit for suit in range(4) if 13 * suit + rank in own]
    return 13 * min(suits, key=lambda suit: (sizes[suit], suit)) + rank


def actions(own: set[int], led: int | None, best: int, queen_played: bool, middle) -> dict[int, int]:
    """Action number (from 0) to card; `middle` draws from a sorted list of cards."""
    found = {}
    if led is None:
        for place, suit in enumerate((HEARTS, SPADES, DIAMONDS, CLUBS)):
            cards = sorted(card for card in own if card // 13 == suit)
            if cards:
                found[15 + 3 * place], found[16 + 3 * place] = cards[-1], cards[0]
            if len(cards) > 2:
                found[17 + 3 * place] = middle(cards[1:-1])
        small = sorted(card for card in own if card // 13 == SPADES and card < QUEEN)
        if small:
            found[27], found[28] = small[0], small[-1]
        return found
    follow = sorted(card for card in own if card // 13 == led)
    if follow:
        base = 3 * (3 - led)
        under = [card for card in follow if card < best]
        if under:
            found[base] = under[-1]
        found[base + 1], found[base + 2] = follow[-1], follow[0]
        return found
    if QUEEN in own:
        found[12] = QUEEN
    hearts = [card for card in own if card // 13 == HEARTS]
    if hearts:
        found[13] = max(hearts)
    found[14] = dump(own, led, queen_played)
    return found


# --- percepts and actions beyond the paper ---

SIGNS = "♣♦♠♥"
POINTS = {QUEEN} | {card for card in range(52) if card // 13 == HEARTS}


def later_seats(obs) -> list[int]:
    return [(obs.seat + step) % 4 for step in range(1, 4 - len(cards_of(obs.records[0]["trick"])))]


def flags(obs, others: set[int]) -> dict[str, bool]:
    """The percepts that are plain yes or no, by their names."""
    record, hand = obs.records[0], set(obs.hand)
    table, best = cards_of(record["trick"]), int(record["best"])
    taken = [cards_of(record["taken"][seat]) & POINTS for seat in range(4)]
    may = [cards_of(record["may_hold"][seat]) & others for seat in range(4)]
    found = {
        "points are on the table": bool(table & POINTS),
        "K♠ or A♠ is ours": bool(hand & {KING, ACE}),
        "K♠ or A♠ is on the table": bool(table & {KING, ACE}),
        "K♠ or A♠ is outstanding": bool(others & {KING, ACE}),
        "we have taken points": bool(taken[obs.seat]),
        "others have taken points": any(taken[seat] for seat in range(4) if seat != obs.seat),
        "a later seat may hold Q♠": any(QUEEN in may[seat] for seat in later_seats(obs)),
    }
    for suit, sign in enumerate(SIGNS):
        there = {card for card in others if card // 13 == suit}
        found[f"a seat is void of {sign}"] = bool(there) and any(
            not may[seat] & there for seat in range(4) if seat != obs.seat
        )
    if obs.led is None:
        return found
    follow = [card for card in hand if card // 13 == obs.led]
    under = [card for card in follow if card < best]
    void = [not any(card // 13 == obs.led for card in may[seat]) for seat in later_seats(obs)]
    elsewhere = []
    for suit in set(range(4)) - {obs.led}:
        mine = [card for card in hand if card // 13 == suit]
        there = [card for card in others if card // 13 == suit]
        elsewhere.append(bool(mine and there) and min(mine) < min(there))
    return found | {
        "we can duck": bool(under),
        "we can win": any(card > best for card in follow),
        "a later seat is void": any(void),
        "all later seats are void": all(void),
        "none outstanding is above the best": not any(card // 13 == obs.led and card > best for card in others),
        "we have a safe card elsewhere": any(elsewhere),
        "the best is ten or higher": card_rank(best) >= 10,
        "our card below the best is ten or higher": bool(under) and card_rank(max(under)) >= 10,
        "our lowest is eight or higher": bool(follow) and card_rank(min(follow)) >= 8,
        "the winner has taken points": bool(taken[int(record["winner"])]),
    }


def card_rank(card: int) -> int:
    return card % 13 + 2


def measure(obs, others: set[int], name: str, sign: str) -> int:
    """A quantity that percepts speak about; -1: we have no card of the suit."""
    hand, table = set(obs.hand), cards_of(obs.records[0]["trick"])
    suit = SIGNS.index(sign) if sign else obs.led
    mine = [card for card in hand if card // 13 == suit]
    there = [card for card in others if card // 13 == suit]
    if name in ("below lowest", "above lowest", "below highest", "above highest"):
        if not mine:
            return -1
        own = min(mine) if name.endswith("lowest") else max(mine)
        return sum(card < own if name.startswith("below") else card > own for card in there)
    if name == "outstanding":
        return len(there)
    if name == "held":
        return len(mine)
    if name == "tricks":
        return int(obs.records[0]["trick_number"])
    if name == "small spades":
        return sum(card // 13 == SPADES and card < QUEEN for card in hand)
    if name == "to come":
        return 3 - len(table)
    if name == "queen":
        return 0 if QUEEN in hand else 1 if QUEEN in others else 2 if QUEEN in table else 3
    if name == "led":
        return {SPADES: 0, HEARTS: 1}.get(obs.led, 2)
    assert name == "dangers"
    return sum(measure(obs, others, "below lowest", SIGNS[other]) >= 2 for other in set(range(4)) - {obs.led})


def richer_actions(obs, others: set[int], queen_played: bool) -> dict[str, int]:
    """The actions beyond the paper that apply: name to card."""
    own, best = sorted(obs.legal), int(obs.records[0]["best"])
    suits = [[card for card in own if card // 13 == suit] for suit in range(4)]
    no_queen = [card for card in own if card != QUEEN] or own

    def below(card):
        return sum(other // 13 == card // 13 and other < card for other in others)

    def above(card):
        return sum(other // 13 == card // 13 and other > card for other in others)

    small = [card for card in suits[SPADES] if card < QUEEN]
    found: dict[str, int | None] = {}
    if obs.led is None:
        for sign, cards in zip(SIGNS, suits, strict=True):
            found[f"lead the highest {sign}"] = cards[-1] if cards else None
            found[f"lead the lowest {sign}"] = cards[0] if cards else None
            found[f"lead the second lowest {sign}"] = cards[1] if len(cards) > 1 else None
        found["lead the highest ♠ below Q♠"] = small[-1] if small else None
        found["lead the lowest rank"] = min(no_queen, key=lambda card: (card % 13, "♣♦♥♠".index(SIGNS[card // 13])))
        lowest = [min(card for card in no_queen if card // 13 == suit) for suit in sorted({c // 13 for c in no_queen})]
        found["lead the safest card"] = max(lowest, key=above)
    elif suits[obs.led]:
        follow = suits[obs.led]
        under, over = [card for card in follow if card < best], [card for card in follow if card > best]
        found["the highest below the best"] = under[-1] if under else None
        found["the lowest"] = follow[0]
        found["the highest, but not Q♠"] = ([card for card in follow if card != QUEEN] or follow)[-1]
        found["Q♠"] = QUEEN if QUEEN in follow else None
        found["the cheapest that wins so far"] = over[0] if over else None
        found["the highest below Q♠"] = small[-1] if small and obs.led == SPADES else None
        found["the second highest"] = follow[-2] if len(follow) > 1 else None
    else:
        held = [cards for cards in suits if cards]
        found["throw Q♠"] = QUEEN if QUEEN in own else None
        for sign, cards in zip(SIGNS, suits, strict=True):
            found[f"throw the highest {sign}"] = cards[-1] if cards else None
        found["dump a high card"] = dump(set(own), obs.led, queen_played)
        found["throw the highest of the shortest suit"] = min(held, key=lambda c: (below(c[-1]) == 0, len(c)))[-1]
        found["throw the highest of the most dangerous suit"] = max(held, key=lambda c: below(c[0]))[-1]
    return {name: card for name, card in found.items() if card is not None}


# --- the paper's learner ---


def drawn(among: list[int], rng) -> int:
    """One of several at random, with the dice of the kernel: each replaces the one before with chance 1 / its place."""
    found = among[0]
    for place, one in enumerate(among, 1):
        found = one if below(rng, place) == 0 else found
    return found


def plain_choice(settings, groups, known, obs, others: set[int]):
    """What a trained network does: (network, percepts) if it knows them, the action and the card.

    `known` has the motor weights of each (network, percepts).
    """
    record, hand = obs.records[0], set(obs.hand)
    table = cards_of(record["trick"])
    rng = np.array([record["random"]], np.uint64)
    played = QUEEN not in hand | others
    choices = actions(
        set(obs.legal), obs.led, int(record["best"]), played != (settings.dump is Dump.PRINTED),
        lambda cards: cards[below(rng, len(cards))],
    )  # fmt: skip
    bits = tuple(percepts(hand, others, table)) + (place_percepts(table) if settings.percepts is Percepts.PLACE else ())
    group = groups[int(record["trick_number"])]
    key = (2 * group + (obs.led is None) if settings.separate else group), bits
    if key not in known:
        return None, min(choices), choices[min(choices)]
    top = max(known[key][action] for action in choices)
    action = min(a for a in choices if known[key][a] == top)
    return key, action, choices[action]


class PlainLearner:
    """The readings of the paper and learners of values over plain categories, against three gnome or itself."""

    def __init__(self, settings, rules, groups):
        self.settings, self.rules, self.groups = settings, rules, groups
        self.keys, self.rows, self.tried = [], [], []
        """Of each category, in the order of their births: (network, percepts), motor weights, tries of each action."""

    def _adapt(self, pending, own, trick):
        settings, chosen = self.settings, pending["chosen"]
        weights, tried = self.rows[pending["row"]], self.tried[pending["row"]]
        floor = 0.0 if settings.sp is Floor.CONSTANT else 0.5 * (1 - trick / 16)
        wanted = [float((i == chosen) == (own == 0)) for i in range(29)]
        if settings.fresh == -1 and not sum(tried):
            weights[:] = wanted
        else:
            for i, x in enumerate(wanted):
                if x == 1.0:
                    if settings.rule is Rule.DELTA:
                        weights[i] += settings.rate * (1.0 - weights[i])
                elif weights[i] >= floor:
                    weights[i] -= settings.rate * (weights[i] - floor)
        tried[chosen] += 1
        self._sense(pending)

    def _sense(self, pending):
        """The sensory field learns at once, β = 1."""
        network, bits = self.keys[pending["row"]]
        self.keys[pending["row"]] = network, tuple(map(min, bits, pending["bits"]))

    def _learn_values(self, story):
        """Values from the last trick back: what the rest cost, or (td) the cost up to the next choice and its value."""
        low = -self.settings.relative * 26 / 3
        rest = 0.0
        for pending, cost in reversed(story):
            rest = cost + self.settings.discount * rest
            if pending:
                weights, chosen = self.rows[pending["row"]], pending["chosen"]
                self.tried[pending["row"]][chosen] += 1
                value = 1 - (rest - low) / (26 - low)
                step = max(self.settings.rate, 1 / self.tried[pending["row"]][chosen])
                weights[chosen] += step * (value - weights[chosen])
                if self.settings.rule is Rule.TD:
                    rest = low + (1 - pending["best"]) * (26 - low)

    def play(self, seed, purpose, count, itself=False, *, epsilon=0.0, leader=-1):
        compiled = compile_rules(self.rules)
        rule, states, rng = compiled[0], np.zeros(1, STATE), np.empty(1, np.uint64)
        state = states[0]
        results = []
        for number in range(count):
            rng[0] = substream(seed_key(seed, f"{purpose} deals"), number)
            deal(rule, state, number, rng)
            rng[0] = substream(seed_key(seed, f"{purpose} players"), number)
            me = number % 4
            if leader >= 0:  # that many seats further clockwise
                state["leader"] = state["to_move"] = [0, 1, 2, 3, 0, 1, 2][me + leader]
            points = [0, 0, 0, 0]
            story = []
            for trick in range(13):
                pending, table = None, []
                for _ in range(4):
                    seat, own = int(state["to_move"]), cards_of(legal(rule, state))
                    led = int(state["trick_cards"][0]) // 13 if state["trick_size"] else None
                    if seat == me and (len(own) > 1 or self.settings.forced):
                        pending = self._choose(state, own, led, trick, rng, learns=True, epsilon=epsilon)
                        card = pending["card"]
                    elif len(own) == 1:
                        card = min(own)
                    elif itself:
                        card = self._choose(state, own, led, trick, rng, learns=False)["card"]
                    else:
                        card = stock_choice(
                            legal(rule, state), state["led"], state["trick"], state["best"],
                            state["trick_size"] == 3, rule["penalty"],
                        )  # fmt: skip
                    table.append(card)
                    play(rule, state, card)
                gained = sum(13 * (card == QUEEN) + (card // 13 == HEARTS) for card in table)
                winner = (int(state["leader"]) - me) % 4
                points[winner] += gained
                own = gained if winner == 0 else 0
                if self.settings.rule.learns_values:
                    if pending:
                        self._sense(pending)
                    story.append((pending, own - self.settings.relative * (gained - own) / 3))
                elif pending:
                    self._adapt(pending, own, gained)
            self._learn_values(story)
            results.append(points)
        return results

    def _resonant(self, network, bits):
        """The row with the highest choice among those that match with vigilance 1, or None."""
        found = None
        for row, (owner, w) in enumerate(self.keys):
            both = sum(map(min, bits, w))
            size = sum(w if self.settings.match is Match.WEIGHTS else bits)
            matches = bits == w if self.settings.match is Match.EXACT else both >= self.settings.vigilance * size - 1e-9
            choice = both / (0.001 + sum(w))
            if owner == network and matches and (found is None or choice > found[0]):
                found = choice, row
        return None if found is None else found[1]

    def _choose(self, state, own, led, trick, rng, learns, epsilon=0.0):
        settings, me = self.settings, int(state["to_move"])
        hand = cards_of(state["hands"][me])
        others = {card for seat in range(4) if seat != me for card in cards_of(state["hands"][seat])}
        network = 2 * self.groups[trick] + (led is None) if settings.separate else self.groups[trick]
        bits = tuple(percepts(hand, others, cards_of(state["trick"])))
        if settings.percepts is Percepts.PLACE:
            bits += place_percepts(cards_of(state["trick"]))
        if settings.match is Match.CODED:
            bits += tuple(1 - bit for bit in bits)

        def middle(cards):
            return cards[below(rng, len(cards))]

        played = QUEEN not in hand | others
        choices = actions(own, led, int(state["best"]), played != (settings.dump is Dump.PRINTED), middle)
        row = self._resonant(network, bits)
        if row is None and learns:
            row = self._born(network, bits)
        if row is None:
            return {"card": choices[min(choices)]}
        weights = self.rows[row]
        best = max(weights[action] for action in choices)
        chosen = min(action for action in choices if weights[action] == best)
        if epsilon > 0 and uniform(rng) < epsilon:
            chosen = drawn(sorted(choices), rng)
        return {"row": row, "bits": bits, "chosen": chosen, "best": best, "card": choices[chosen]}

    def _born(self, network, bits):
        self.keys.append((network, bits))
        self.rows.append([max(0.0, self.settings.fresh)] * 29)
        self.tried.append([0] * 29)
        return len(self.rows) - 1
