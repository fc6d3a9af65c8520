"""What one seat may know of a deal: a single observation, and batches of them.

An observation holds no reference to the hidden hands; only `OpenStates`, for open players, has them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import CS_SUITS, SUITS, Card, CardSet, Suit, card_suit, pretty_card
from heartlab.kernel.layout import NOBODY, OVER, PASSING, STATE, StateArray, compile_rules
from heartlab.rules import Rules

if TYPE_CHECKING:
    from heartlab.deal import Deal


class Observation:
    """What one seat may know: its hand, the trick, all cards played, and what they show about the other hands.

    Made by `Deal.observe`; a player gets one per decision.

    >>> from heartlab import Deal
    >>> deal = Deal("seed", seed=1)
    >>> obs = deal.observe(2)
    >>> obs.hand == deal.hands[2], len(obs.unseen), obs.trick
    (True, 39, [])
    >>> obs.voids(0)
    []
    >>> [world.hands[2] == obs.hand for world in obs.worlds(3)]
    [True, True, True]
    """

    __slots__ = ("_record", "records", "rules")

    def __init__(self, rules: Rules, records: StateArray) -> None:
        self.rules = rules
        self.records = records
        self._record: Any = records[0]

    # --- this seat ---

    @property
    def seat(self) -> int:
        """The seat that observes."""
        return int(self._record["seat"])

    @property
    def hand(self) -> CardSet:
        """The cards this seat holds."""
        return CardSet(int(self._record["hand"]))

    @property
    def legal(self) -> CardSet:
        """The cards that this seat may play now; empty if it is not its turn."""
        return CardSet(int(self._record["legal"]))

    @property
    def may_pass(self) -> CardSet:
        """The cards of the hand that may be passed."""
        return CardSet(int(self._record["hand"]) & ~int(compile_rules(self.rules)[0]["no_pass"]))

    @property
    def pass_count(self) -> int:
        """The number of cards to pass."""
        return self.rules.pass_count

    @property
    def passed(self) -> CardSet:
        """The cards that this seat passed."""
        return CardSet(int(self._record["passed"]))

    @property
    def received(self) -> CardSet:
        """The cards that this seat received."""
        return CardSet(int(self._record["received"]))

    @property
    def kitty(self) -> CardSet:
        """The kitty, if this seat has seen it."""
        return CardSet(int(self._record["kitty"]))

    @property
    def rng(self) -> random.Random:
        """A random generator for this decision, seeded by (seed, deal, seat, cards played)."""
        return random.Random(int(self._record["random"]))

    # --- the deal ---

    @property
    def phase(self) -> str:
        """`"pass"`, `"play"` or `"over"`."""
        return {PASSING: "pass", OVER: "over"}.get(int(self._record["phase"]), "play")

    @property
    def to_move(self) -> int | None:
        """The seat to play a card, or None."""
        seat = int(self._record["to_move"])
        return None if seat == NOBODY else seat

    @property
    def deal_number(self) -> int:
        """The number of the deal in its game or match."""
        return int(self._record["deal_number"])

    @property
    def scores(self) -> tuple[int, ...]:
        """Totals before this deal."""
        return self._per_seat("scores")

    @property
    def trick_number(self) -> int:
        """The number of finished tricks."""
        return int(self._record["trick_number"])

    @property
    def tricks_won(self) -> tuple[int, ...]:
        """Tricks taken by each seat."""
        return self._per_seat("tricks_won")

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """The number of cards in each hand."""
        return self._per_seat("hand_sizes")

    @property
    def trick(self) -> list[tuple[int, Card]]:
        """The unfinished trick: (seat, card) in order of play."""
        n, leader = self.rules.players, int(self._record["leader"])
        cards = self._record["trick_cards"][: self._record["trick_size"]]
        return [((leader + i) % n, int(card)) for i, card in enumerate(cards)]

    @property
    def past_tricks(self) -> list[list[tuple[int, Card]]]:
        """The finished tricks: (seat, card) in order of play."""
        n = self.rules.players
        by = {card: seat for seat, cards in enumerate(self.played) for card in cards}
        cards = self.history[: self.trick_number * n]
        return [[(by[card], card) for card in cards[start : start + n]] for start in range(0, len(cards), n)]

    @property
    def led(self) -> Suit | None:
        """The suit led, or None before the lead."""
        return card_suit(self.trick[0][1]) if self._record["trick_size"] else None

    @property
    def winning(self) -> tuple[int, Card] | None:
        """The seat that is winning the trick and its card, or None before the lead."""
        return (int(self._record["winner"]), int(self._record["best"])) if self._record["trick_size"] else None

    @property
    def hearts_broken(self) -> bool:
        """Whether hearts are broken."""
        return bool(self._record["hearts_broken"])

    @property
    def history(self) -> list[Card]:
        """All cards played so far, in order."""
        return [int(card) for card in self._record["history"][: self._record["plays"]]]

    @property
    def played(self) -> tuple[CardSet, ...]:
        """The cards each seat has played."""
        return tuple(CardSet(int(mask)) for mask in self._record["played"][: self.rules.players])

    @property
    def taken(self) -> tuple[CardSet, ...]:
        """The cards each seat has won, as far as this seat knows them."""
        return tuple(CardSet(int(mask)) for mask in self._record["taken"][: self.rules.players])

    @property
    def points(self) -> tuple[int, ...]:
        """The points of the cards that each seat has won so far, before moon and doubling."""
        return tuple(sum(self.rules.card_points(card) for card in cards) for cards in self.taken)

    @property
    def unseen(self) -> CardSet:
        """The cards that are in other hands or in an unknown kitty."""
        mask = int(compile_rules(self.rules)[0]["pack"]) & ~int(self._record["hand"]) & ~int(self._record["kitty"])
        for played in self._record["played"][: self.rules.players]:
            mask &= ~int(played)
        return CardSet(mask)

    def voids(self, seat: int) -> list[Suit]:
        """The suits in which a seat is known to be void.

        :raises ValueError: if there is no such seat.
        """
        if not 0 <= seat < self.rules.players:
            raise ValueError(f"there is no seat {seat}: seats are 0 to {self.rules.players - 1}")
        if seat == self.seat:
            return [suit for suit in SUITS if not int(self._record["hand"]) & CS_SUITS[suit]]
        held = int(self._record["may_hold"][seat])
        return [suit for suit in SUITS if not held & CS_SUITS[suit]]

    @property
    def where(self) -> str:
        """This decision as error messages name it: deal, seat, cards played."""
        return f"deal {self.deal_number}, seat {self.seat}, after {len(self.history)} cards"

    # --- worlds ---

    def worlds(self, count: int, seed: int = 0) -> list[Deal]:
        """Sample full deals that are consistent with this observation, uniformly and independently.

        :raises ValueError: for a count below 0, or if no deal is consistent, which cannot happen to an observation of
            a real deal.
        """
        if count < 0:
            raise ValueError(f"{count} worlds: the count must be at least 0")
        from heartlab.compiled.rng import seed_key
        from heartlab.deal import Deal
        from heartlab.kernel.table import worlds_table

        states = np.zeros(count, STATE)
        rng = np.array([seed_key(seed, "worlds")], np.uint64)
        if not worlds_table(compile_rules(self.rules), self.records, rng, states):
            raise ValueError("no deal fits this observation")
        return [Deal._from_state(self.rules, states[i : i + 1], self.history) for i in range(count)]

    def count_worlds(self) -> float:
        """The number of full deals that are consistent with this observation."""
        from heartlab.kernel.table import count_worlds_table

        return float(count_worlds_table(compile_rules(self.rules), self.records))

    # --- text ---

    def __str__(self) -> str:
        table = " ".join(f"{seat}:{pretty_card(card)}" for seat, card in self.trick) or "-"
        lines = [
            f"seat {self.seat}, deal {self.deal_number}, trick {self.trick_number + 1}, {self.phase}",
            f"hand  {self.hand}",
            f"legal {self.legal}",
            f"table {table}",
            f"taken {' | '.join(str(cards) for cards in self.taken)}",
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Observation of seat {self.seat}: {self.hand.names()}>"

    def _per_seat(self, field: str) -> tuple[int, ...]:
        return tuple(int(value) for value in self._record[field][: self.rules.players])


@dataclass(frozen=True)
class Observations:
    """A batch of observations, one row per decision that a closed player has to make.

    >>> from heartlab import Deal, make_player
    >>> deal = Deal("seed", seed=1)
    >>> batch = Observations.of(deal.observe(deal.to_move))
    >>> len(batch), batch[0].seat == deal.to_move
    (1, True)
    >>> make_player("random").choose_cards(batch)[0] in deal.legal
    True
    """

    rules: Rules
    compiled: StateArray
    """The rules as an array of one RULES record, as kernels take them."""
    records: StateArray
    """One OBSERVATION record per row."""

    @staticmethod
    def of(obs: Observation) -> Observations:
        """A single observation as one row."""
        return Observations(obs.rules, compile_rules(obs.rules), np.ascontiguousarray(obs.records))

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, row: int) -> Observation:
        return Observation(self.rules, self.records[row : row + 1])

    def take(self, rows: npt.NDArray[np.int64]) -> Observations:
        """The batch with some of the rows."""
        return Observations(self.rules, self.compiled, self.records[rows])


@dataclass(frozen=True)
class OpenStates(Observations):
    """A batch for an open player: observations and whole states.

    >>> from heartlab import Deal
    >>> deal = Deal("seed", seed=1)
    >>> closed = Observations.of(deal.observe(deal.to_move))
    >>> batch = OpenStates(closed.rules, closed.compiled, closed.records, deal._states)
    >>> int(batch.states["hands"][0, 3]) == deal.hands[3].mask
    True
    """

    states: StateArray
    """One STATE record per row."""

    def take(self, rows: npt.NDArray[np.int64]) -> OpenStates:
        """The batch with some of the rows."""
        return OpenStates(self.rules, self.compiled, self.records[rows], self.states[rows])
