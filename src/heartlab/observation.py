"""What one seat may know of a deal: a single observation, and batches of them.

Nothing in an observation leads to the hidden hands; only :class:`OpenStates`, for open players, has them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import CS_HIGH_SPADES, CS_SUITS, SUITS, Card, CardSet, Suit, card_suit, pretty_card
from heartlab.kernel.layout import NOBODY, OVER, PASSING, STATE, StateArray, compile_rules
from heartlab.rules import Rules

if TYPE_CHECKING:
    from heartlab.deal import Deal


class Observation:
    """The view of one seat: own hand, the table, everything that was played, and what it shows about the others.

    Made by :meth:`heartlab.Deal.observe`; players get one per choice.
    """

    __slots__ = ("_record", "records", "rules")

    def __init__(self, rules: Rules, records: StateArray) -> None:
        self.rules = rules
        self.records = records
        self._record: Any = records[0]

    # --- this seat ---

    @property
    def seat(self) -> int:
        """The seat whose view this is."""
        return int(self._record["seat"])

    @property
    def hand(self) -> CardSet:
        """The cards this seat holds."""
        return CardSet(int(self._record["hand"]))

    @property
    def legal(self) -> CardSet:
        """The cards this seat may play now; empty if it is not its turn to play."""
        return CardSet(int(self._record["legal"]))

    @property
    def may_pass(self) -> CardSet:
        """The cards of the hand that may be passed."""
        forbidden = 0 if self.rules.pass_high_spades else CS_HIGH_SPADES
        return CardSet(int(self._record["hand"]) & ~forbidden)

    @property
    def pass_count(self) -> int:
        """How many cards are to be passed."""
        return self.rules.pass_count

    @property
    def passed(self) -> CardSet:
        """The cards this seat gave away."""
        return CardSet(int(self._record["passed"]))

    @property
    def received(self) -> CardSet:
        """The cards this seat got for them."""
        return CardSet(int(self._record["received"]))

    @property
    def kitty(self) -> CardSet:
        """The kitty, if this seat has seen it."""
        return CardSet(int(self._record["kitty"]))

    @property
    def rng(self) -> random.Random:
        """A generator for this choice: the same seed, deal, seat and card number give the same numbers."""
        return random.Random(int(self._record["random"]))

    # --- the table ---

    @property
    def phase(self) -> str:
        """``"pass"``, ``"play"`` or ``"over"``."""
        return {PASSING: "pass", OVER: "over"}.get(int(self._record["phase"]), "play")

    @property
    def to_move(self) -> int | None:
        """The seat that is to play a card."""
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
        """Tricks finished."""
        return int(self._record["trick_number"])

    @property
    def tricks_won(self) -> tuple[int, ...]:
        """Tricks taken by each seat."""
        return self._per_seat("tricks_won")

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        return self._per_seat("hand_sizes")

    @property
    def trick(self) -> list[tuple[int, Card]]:
        """The cards on the table: (seat, card) in order of play."""
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
        """The suit led, or None if a lead is due."""
        return card_suit(self.trick[0][1]) if self._record["trick_size"] else None

    @property
    def winning(self) -> tuple[int, Card] | None:
        """The seat that is winning the trick, and its card."""
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
        """What the cards won so far count for each seat, before moon and doubling."""
        return tuple(sum(self.rules.card_points(card) for card in cards) for cards in self.taken)

    @property
    def unseen(self) -> CardSet:
        """The cards of which this seat does not know where they are: in other hands or a kitty."""
        mask = int(compile_rules(self.rules)[0]["pack"]) & ~int(self._record["hand"]) & ~int(self._record["kitty"])
        for played in self._record["played"][: self.rules.players]:
            mask &= ~int(played)
        return CardSet(mask)

    def voids(self, seat: int) -> list[Suit]:
        """The suits that a seat has shown it does not hold."""
        if seat == self.seat:
            return [suit for suit in SUITS if not int(self._record["hand"]) & CS_SUITS[suit]]
        held = int(self._record["may_hold"][seat])
        return [suit for suit in SUITS if not held & CS_SUITS[suit]]

    @property
    def where(self) -> str:
        """Which choice this is, as messages name it."""
        return f"deal {self.deal_number}, seat {self.seat}, after {len(self.history)} cards"

    # --- worlds ---

    def worlds(self, count: int, seed: int = 0) -> list[Deal]:
        """Full deals that fit this view, each equally likely.

        :raises ValueError: if no deal fits, which only a made-up observation can cause.
        """
        from heartlab.compiled.rng import seed_key
        from heartlab.deal import Deal
        from heartlab.kernel.table import worlds_table

        states = np.zeros(count, STATE)
        rng = np.array([seed_key(seed, "worlds")], np.uint64)
        if not worlds_table(compile_rules(self.rules), self.records, rng, states):
            raise ValueError("no deal fits this observation")
        return [Deal._from_state(self.rules, states[i : i + 1], self.history) for i in range(count)]

    def count_worlds(self) -> float:
        """The number of full deals that fit this view."""
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
    """The rows of a table in which a closed player is to act: what it may know in each of them."""

    rules: Rules
    compiled: StateArray
    """The rules as kernels take them."""
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
        """Some of the rows."""
        return Observations(self.rules, self.compiled, self.records[rows])


@dataclass(frozen=True)
class OpenStates(Observations):
    """The same for an open player, with the whole states beside the observations."""

    states: StateArray
    """One STATE record per row."""

    def take(self, rows: npt.NDArray[np.int64]) -> OpenStates:
        """Some of the rows."""
        return OpenStates(self.rules, self.compiled, self.records[rows], self.states[rows])
