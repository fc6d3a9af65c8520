"""Plain twins of the advice and of learning from it: slow, obvious, over friendly observations and sets of cards."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from heartlab.cards import card_suit
from heartlab.compiled.rng import below, seed_key, substream, uniform
from heartlab.deal import Deal
from heartlab.kernel.layout import STATE, compile_rules
from heartlab.kernel.table import deal_table
from heartlab.observation import Observation
from heartlab.rules import Rules

CLUBS, DIAMONDS, SPADES, HEARTS = range(4)
SUIT_NAMES = ("clubs", "diamonds", "spades", "hearts")
QUEEN, KING, ACE = 36, 37, 38
Cards = set[int]


class Situation:
    """What the twins of the pieces look at, in words."""

    def __init__(self, obs: Observation) -> None:
        rules = obs.rules
        self.obs, self.rules = obs, rules
        self.legal, self.hand, self.unseen = set(obs.legal), set(obs.hand), set(obs.unseen)
        self.leads = obs.led is None
        self.void = not self.leads and not any(card_suit(card) == obs.led for card in self.hand)
        self.trick = [card for _, card in obs.trick]
        self.last = len(self.trick) == rules.players - 1
        self.penalty = {card for card in range(52) if rules.card_points(card) > 0 and card not in rules.removed}
        self.penalty -= {rules.bonus}
        self.pointed = bool(set(self.trick) & self.penalty)
        best = obs.winning[1] if obs.winning else None
        self.winners = {c for c in self.legal if best is not None and card_suit(c) == obs.led and c > best}
        self.queen_elsewhere = QUEEN in self.unseen
        self.bonus = {rules.bonus} if rules.bonus is not None else set()
        self.takers = [seat for seat in range(rules.players) if set(obs.taken[seat]) & self.penalty]

    def points_of(self, seat: int) -> int:
        return sum(self.rules.card_points(card) for card in set(self.obs.taken[seat]) & self.penalty)

    def of(self, cards: Iterable[int], suit: int) -> Cards:
        return {card for card in cards if card_suit(card) == suit}

    def above(self, card: int) -> Cards:
        return {other for other in self.unseen if card_suit(other) == card_suit(card) and other > card}

    def below(self, card: int) -> Cards:
        return {other for other in self.unseen if card_suit(other) == card_suit(card) and other < card}


def all_but(cards: Cards, kept: Cards) -> Cards:
    return cards - kept if cards & kept else set()


def top(cards: Cards) -> Cards:
    return {max(cards)} if cards else set()


def shortest(s: Situation) -> Cards:
    lengths = {suit: len(s.of(s.hand, suit)) for suit in range(4) if s.of(s.legal, suit)}
    return {c for c in s.legal if lengths[card_suit(c)] == min(lengths.values())}


def dangerous(s: Situation) -> Cards:
    most = max(len(s.below(card)) for card in s.legal)
    return {card for card in s.legal if len(s.below(card)) == most} if most else set()


def exits(s: Situation) -> Cards:
    return {card for card in s.legal if s.above(card) and not s.below(card)}


def suggestions(obs: Observation, *, certain: bool = True) -> dict[str, Cards]:
    """What every piece but the one that searches suggests; that one, too, if wanted: it takes long early in a deal."""
    s = Situation(obs)
    follows = not s.leads and not s.void
    losers = s.legal - s.winners
    sole = s.takers[0] if len(s.takers) == 1 else None
    rival = sole is not None and sole != obs.seat
    seen_before = {c for cards in obs.played for c in cards} - set(s.trick)
    first_time = follows and not s.of(seen_before, obs.led if obs.led is not None else 0)
    masters = {c for c in (s.legal if s.leads else s.winners) if not s.above(c)}
    queen_around = QUEEN in s.unseen or QUEEN in s.hand
    flush = s.of(s.legal, SPADES) if s.leads and s.queen_elsewhere else set()
    over_bonus = {c for b in s.bonus & s.unseen for c in s.of(s.legal, card_suit(b)) if c > b}
    found = {
        "flush-queen": flush,
        "flush-queen-safely": {c for c in flush if c < QUEEN},
        "avoid-points-low": losers if s.pointed else set(),
        "get-lead": s.winners,
        **{f"get-void-{SUIT_NAMES[x]}": s.of(s.legal, x) if s.leads or s.void else set() for x in range(4)},
        "throw-queen": (losers & {QUEEN}) if not s.leads else set(),
        "throw-heart": top(s.of(s.legal, HEARTS)) if s.void else set(),
        "throw-high-spades": s.legal & {KING, ACE} if s.void and s.queen_elsewhere else set(),
        "duck-high": top(losers) if follows else set(),
        "take-bonus": s.winners if s.bonus & set(s.trick) else s.winners & s.bonus if s.last else set(),
        "keep-bonus": all_but(s.legal, s.bonus),
        "keep-high-spades": all_but(s.legal, {KING, ACE}) if s.queen_elsewhere else set(),
        "go-for-moon": masters if sole == obs.seat and s.points_of(obs.seat) >= 4 else set(),
        "stop-moon": s.winners if rival and s.points_of(sole) >= 14 and s.pointed else set(),
        "lead-low": {c for c in s.legal if c == min(s.of(s.legal, card_suit(c)))} if s.leads else set(),
        "take-cheaply": set(),
        "exit": exits(s) if s.leads else set(),
        "fetch-bonus": over_bonus if s.leads else set(),
        "leave-spades": all_but(s.legal, s.of(s.legal, SPADES))
        if s.leads and queen_around and s.hand & {QUEEN, KING, ACE}
        else set(),
        "throw-danger": dangerous(s) if s.void else set(),
        "shorten": shortest(s) if s.leads or s.void else set(),
        "win-low": {min(s.legal)} if follows and not losers and not s.last else set(),
        "win-high": top(s.legal - {QUEEN}) if follows and not losers and s.last else set(),
        "early-high": top(s.legal) if first_time and obs.led != SPADES else set(),
        "deny-moon": all_but(s.legal, s.penalty)
        if rival and s.points_of(sole) >= 10 and obs.winning and obs.winning[0] == sole
        else set(),
        "bleed-hearts": {c for c in s.of(s.legal, HEARTS) if len(s.above(c)) >= 2} if s.leads else set(),
        "keep-low": all_but(s.legal, exits(s)) if s.void else set(),
    }  # fmt: skip
    if follows and s.last and s.winners and not s.pointed and max(s.winners) not in s.penalty:
        found["take-cheaply"] = top(s.winners)
    if certain:
        found["avoid-points-search"] = certain_cards(obs)
    return found


# --- the search piece, by trying everything ---


def hands_that_fit(unseen: list[int], seats: list[tuple[int, set[int]]]) -> Iterable[list[Cards]]:
    """All ways to fill hands of given sizes from what each may hold; what is left lies in the kitty."""
    if not seats:
        yield []
        return
    (size, allowed), *rest = seats
    for hand in combinations([card for card in unseen if card in allowed], size):
        for others in hands_that_fit([card for card in unseen if card not in hand], rest):
            yield [set(hand), *others]


def wins_points(s: Situation, card: int, hands: list[Cards]) -> bool:
    """Whether some way of following makes a card win a trick with points."""
    suit = card_suit(card) if s.leads else s.obs.led

    def go_on(trick: list[int], waiting: list[Cards]) -> bool:
        if not waiting:
            in_suit = [c for c in trick if card_suit(c) == suit]
            return max(in_suit) == card and bool(set(trick) & s.penalty)
        legal = s.of(waiting[0], suit) or waiting[0]  # type: ignore[arg-type]
        return any(go_on([*trick, c], waiting[1:]) for c in legal)

    return go_on([*s.trick, card], hands)


def certain_cards(obs: Observation) -> Cards:
    """The cards that win points in no world."""
    s = Situation(obs)
    n = obs.rules.players
    order = [(obs.seat + 1 + i) % n for i in range(n - 1)]
    later = n - 1 - len(s.trick)
    held = [{c for c in range(52) if int(obs.records[0]["may_hold"][seat]) >> c & 1} for seat in order]
    seats = [(obs.hand_sizes[seat], cards) for seat, cards in zip(order, held, strict=True)]
    unsafe: Cards = set()
    for hands in hands_that_fit(sorted(s.unseen), seats):
        unsafe |= {card for card in s.legal - unsafe if wins_points(s, card, hands[:later])}
    return s.legal - unsafe


# --- state abstractions ---


def abstraction_values(obs: Observation) -> dict[str, float]:
    """Every abstraction that makes sense with this number of players."""
    s = Situation(obs)
    n = obs.rules.players
    played = {c for cards in obs.played for c in cards}
    found: dict[str, Any] = {"queen-out": not s.queen_elsewhere}
    for suit, name in enumerate(SUIT_NAMES):
        found[f"none-left-{name}"] = not s.of(s.unseen, suit)
        found[f"out-{name}"] = len(s.of(played, suit)) / 13
        for who in range(1, n):
            shown = suit in obs.voids((obs.seat + who) % n)
            found[f"showed-void-{who}-{name}"] = shown
            found[f"void-{who}-{name}"] = shown or not s.of(s.unseen, suit)
    sole = s.takers[0] if len(s.takers) == 1 else None
    found |= {
        "leading": s.leads,
        "unable": s.void,
        "last": s.last,
        "points-on-table": s.pointed,
        "queen-own": QUEEN in s.hand,
        "bonus-open": bool(s.bonus & (s.unseen | s.hand | set(s.trick))),
        "early": obs.trick_number < obs.rules.hand_size / 3,
        "late": obs.trick_number >= 2 * obs.rules.hand_size / 3,
        "own-points": obs.seat in s.takers,
        "moon-open": len(s.takers) <= 1,
        "queen-elsewhere": s.queen_elsewhere,
        "rival-moon": sole is not None and sole != obs.seat and s.points_of(sole) >= 10,
        "big-trick": QUEEN in s.trick,
        "hearts-out": len(s.of(played, HEARTS)) >= 6.5,
    }
    return {name: float(value) for name, value in found.items()}


# --- votes and learning ---


def scores_of(proposals: list[Cards], weights: list[float], legal: Cards, choice: str = "sum") -> dict[int, float]:
    """The score of every legal card."""
    scores = {}
    for card in legal:
        votes = [w for cards, w in zip(proposals, weights, strict=True) if card in cards]
        if choice == "heaviest":
            scores[card] = max(votes, default=0.0)
        elif choice == "mean":
            scores[card] = sum(votes) / len(votes) if votes else 0.0
        else:
            scores[card] = sum(votes)
    return scores


class PlainNet:
    """A network with one hidden layer, sigmoid units and momentum, in plain numpy."""

    def __init__(self, weights: np.ndarray, inputs: int, hidden: int, outputs: int) -> None:
        cut = hidden * (inputs + 1)
        self.first = weights[:cut].reshape(hidden, inputs + 1).copy()
        self.second = weights[cut:].reshape(outputs, hidden + 1).copy()
        self.speed = [np.zeros_like(self.first), np.zeros_like(self.second)]

    def forward(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        hidden = 1 / (1 + np.exp(-(self.first @ np.append(x, 1.0))))
        return hidden, 1 / (1 + np.exp(-(self.second @ np.append(hidden, 1.0))))

    def learn(self, x: np.ndarray, targets: np.ndarray, credited: set[int], rate: float, momentum: float) -> None:
        if not credited:
            return  # no step, not even one of momentum
        hidden, out = self.forward(x)
        error = np.array(
            [(t - o) * o * (1 - o) if i in credited else 0.0 for i, (t, o) in enumerate(zip(targets, out, strict=True))]
        )
        back = (self.second[:, :-1].T @ error) * hidden * (1 - hidden)
        self.speed[0] = momentum * self.speed[0] + rate * np.outer(back, np.append(x, 1.0))
        self.speed[1] = momentum * self.speed[1] + rate * np.outer(error, np.append(hidden, 1.0))
        self.first += self.speed[0]
        self.second += self.speed[1]

    def flat(self) -> np.ndarray:
        return np.concatenate([self.first.ravel(), self.second.ravel()])


class PlainTable:
    """A row of weights per state."""

    def __init__(self, pieces: int, initial: float) -> None:
        self.pieces, self.initial = pieces, initial
        self.rows: dict[tuple[float, ...], np.ndarray] = {}

    def weigh(self, state: tuple[float, ...]) -> np.ndarray:
        return self.rows.setdefault(state, np.full(self.pieces, self.initial))

    def error(self, turn: Turn, target: float, piece: int) -> float:
        return target - self.weigh(turn.state)[piece]

    def nudge(self, state: tuple[float, ...], piece: int, step: float) -> None:
        self.weigh(state)[piece] += step


class PlainLinear:
    """Weights that are a constant, the last column, plus a term per abstraction."""

    def __init__(self, pieces: int, inputs: int, initial: float) -> None:
        self.terms = np.zeros((pieces, inputs + 1))
        self.terms[:, -1] = initial

    def weigh(self, state: tuple[float, ...]) -> np.ndarray:
        return np.asarray(self.terms @ np.array([*state, 1.0]))

    def error(self, turn: Turn, target: float, piece: int) -> float:
        return target - turn.weights[piece]

    def nudge(self, state: tuple[float, ...], piece: int, step: float) -> None:
        self.terms[piece] += step * np.array([*state, 1.0])


@dataclass
class Turn:
    """A turn of a learner: the state, the weights that it went by, and the pieces that suggested its card."""

    state: tuple[float, ...]
    weights: np.ndarray
    suggesters: set[int]
    credited: set[int]


class PlainLearner:
    """TD as the recipes say it: at the next turn, or, with λ-returns or the joint rule, at the end of the game."""

    def __init__(self, what: PlainTable | PlainLinear | PlainNet, settings: Any) -> None:
        self.what, self.settings = what, settings
        self.online = settings.rule == "td" and settings.trace == 0.0
        self.past: list[Turn] = []

    def weigh(self, state: tuple[float, ...]) -> np.ndarray:
        return self.what.forward(np.array(state))[1] if isinstance(self.what, PlainNet) else self.what.weigh(state)

    def note(self, turn: Turn) -> None:
        if self.settings.everybody:
            turn.credited = set(range(len(turn.weights)))
        if self.online and self.past:
            self._step(self.past[-1], turn.weights)
        self.past.append(turn)

    def game_over(self, reward: float) -> None:
        past, self.past = self.past, []
        target = np.full(len(past[0].weights), reward)
        if self.online:
            self._step(past[-1], target)
            return
        for turn, later in zip(reversed(past), [None, *reversed(past)], strict=False):
            if later is not None:
                now = later.weights
                if self.settings.rule == "joint":
                    now = np.full(len(now), sum(now[i] for i in later.suggesters))
                target = (1 - self.settings.trace) * now + self.settings.trace * target
            self._step(turn, target)

    def _step(self, turn: Turn, target: np.ndarray) -> None:
        rate = self.settings.rate
        if isinstance(self.what, PlainNet):
            self.what.learn(np.array(turn.state), target, turn.credited, rate, self.settings.momentum)
        elif self.settings.rule == "joint":
            error = target[0] - sum(turn.weights[i] for i in turn.credited)
            for i in turn.credited:
                self.what.nudge(turn.state, i, rate * error / len(turn.credited))
        else:
            for i in turn.credited:
                self.what.nudge(turn.state, i, rate * self.what.error(turn, target[i], i))


class PlainGame:
    """One game of learners against random players, with the dice of the compiled loop."""

    def __init__(self, rules: str, seed: int, purpose: str, number: int, learners: Iterable[int] = (0,)) -> None:
        self.rules, self.learners = Rules.parse(rules), set(learners)
        states = np.zeros(1, STATE)
        key = seed_key(seed, f"{purpose} deals")
        deal_table(compile_rules(self.rules), np.array([key]), np.array([number]), states)
        self.deal = Deal._from_state(self.rules, states, [])
        self.rng = np.array([substream(seed_key(seed, f"{purpose} players"), number)], np.uint64)

    def pick(self, cards: Cards) -> int:
        """One of some cards at random; no dice are thrown for one card."""
        return sorted(cards)[below(self.rng, len(cards))] if len(cards) > 1 else next(iter(cards))

    def turns(self) -> Iterable[Observation]:
        """Play on; the learners' observations come out, and their card must be played before the next is asked for."""
        while not self.deal.is_over:
            seat = self.deal.to_move
            assert seat is not None
            if seat in self.learners:
                yield self.deal.observe(seat)
            else:
                self.deal.play(self.pick(set(self.deal.legal)))

    def reward(self, seat: int = 0) -> float:
        return (26 - self.deal.points[seat]) / 62


class PlainVote:
    """The learned vote of seat 0 among random players: softmax, a baseline per turn, Adam."""

    def __init__(self, weights: np.ndarray, pieces: int, settings: Any, seed: int) -> None:
        self.weights, self.settings, self.seed = weights.reshape(pieces, -1).copy(), settings, seed
        self.moments = [np.zeros_like(self.weights), np.zeros_like(self.weights)]
        self.baseline: dict[int, np.ndarray] = {}

    def batch(self, number: int, games: int, names: list[str], values: list[str]) -> None:
        """Some games and one step."""
        gradient = np.zeros_like(self.weights)
        for game in range(number * games, (number + 1) * games):
            gradient += self._game(PlainGame(self.settings.rules, self.seed, "train", game), names, values)
        slope = gradient / games
        self.moments[0] = 0.9 * self.moments[0] + 0.1 * slope
        self.moments[1] = 0.999 * self.moments[1] + 0.001 * slope**2
        mean, square = (m / (1 - share ** (number + 1)) for m, share in zip(self.moments, (0.9, 0.999), strict=True))
        rate = self.settings.rate * max(0.1, 1 - 0.9 * number * games / self.settings.horizon)
        self.weights += rate * mean / (np.sqrt(square) + 1e-8)

    def _game(self, game: PlainGame, names: list[str], values: list[str]) -> np.ndarray:
        """Play a game; what it adds to the gradient."""
        past = []
        for obs in game.turns():
            described, found = abstraction_values(obs), suggestions(obs, certain=False)
            state = np.array([*(described[name] for name in values), 1.0])
            proposals, weights = [found[name] for name in names], list(self.weights @ state)
            shares = softmax_shares(scores_of(proposals, weights, set(obs.legal)), self.settings.scale)
            card = self._draw(game, proposals, shares)
            spoken = [float(card in cards) - sum(shares[c] for c in cards) for cards in proposals]
            free = len(obs.legal) > 1
            past.append((state, taken_points(obs), self.settings.scale * np.array(spoken) * free))
            game.deal.play(card)
        gradient = np.zeros_like(self.weights)
        for turn, (state, taken, slopes) in enumerate(past):
            expect = self.baseline.setdefault(turn, np.zeros(len(state)))
            better = taken - game.deal.points[0] - expect @ state
            expect += better * state / (200 * len(state))
            gradient += better * np.outer(slopes, state)
        return gradient

    @staticmethod
    def _draw(game: PlainGame, proposals: list[Cards], shares: dict[int, float]) -> int:
        """Draw a class of cards that the same pieces suggest, the one with the lowest card first, then one of it."""
        classes: dict[tuple[bool, ...], list[int]] = {}
        for card in sorted(shares):
            classes.setdefault(tuple(card in cards for cards in proposals), []).append(card)
        dice = uniform(game.rng)
        for cards in classes.values():
            dice -= sum(shares[card] for card in cards)
            if dice < 0:
                break
        return cards[below(game.rng, len(cards))]


def taken_points(obs: Observation) -> int:
    """The points that a seat has taken so far, the bonus card included."""
    return sum(obs.rules.card_points(card) for card in obs.taken[obs.seat])


def softmax_shares(scores: dict[int, float], scale: float) -> dict[int, float]:
    """Probabilities of cards from scores."""
    highest = max(scores.values())
    parts = {card: math.exp(scale * (score - highest)) for card, score in scores.items()}
    return {card: part / sum(parts.values()) for card, part in parts.items()}
