"""What a bot knows from the lines it received, as the observation that our players decide on.

Hidden hands stay empty. A card that another seat plays is put into its hand just before it is played; the kernel then
follows the tricks and deduces from the play what a seat can still hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heartlab.cards import Card, CardSet, card_name
from heartlab.compiled.rng import seed_key
from heartlab.kernel.dealing import begin, clear
from heartlab.kernel.layout import (
    OBSERVATION,
    OPEN_2C,
    OPEN_ANY_CLUB,
    OPEN_DEALER,
    OPEN_RANDOM,
    OVER,
    PASSING,
    STATE,
    compile_rules,
)
from heartlab.kernel.ranks import TWO_BIT
from heartlab.kernel.table import observe_table, play_table
from heartlab.observation import Observation
from heartlab.rules import RANDOM_OFFSET, Rules, RulesError
from heartlab.uhi.lines import LineError

UNSEEN_KITTY = 1 << 60
"""Placeholder for a kitty of unknown cards: a bit that is no card."""


class SeatView:
    """One seat's knowledge of one deal.

    >>> view = SeatView(Rules.parse("seed"), 0, [0] * 4, 0, CardSet("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"), "none")
    >>> view.play(0, 0)
    >>> view.play(1, 51)
    >>> view.play(0, 1)
    Traceback (most recent call last):
    heartlab.uhi.lines.LineError: seat 0 played 3C, but it is the turn of seat 2
    """

    def __init__(self, rules: Rules, seat: int, scores: Sequence[int], number: int, hand: CardSet, direction: str):
        """
        :param direction: the pass direction; `none` or `hold` if no cards are passed.
        :raises LineError: if no deal under the rules begins like that.
        """
        self.rules, self.seat = rules, seat
        if len(hand) != rules.hand_size or hand & rules.removed:
            raise LineError(f"the hand {hand.names()} is not {rules.hand_size} cards of the pack")
        if not 0 <= number < 1 << 31:
            raise LineError(f"{number} is not the number of a deal")
        try:
            code = rules.pass_code("hold" if direction == "none" else direction)
        except RulesError as error:
            raise LineError(str(error)) from None
        if code == RANDOM_OFFSET:
            raise LineError("the pass direction must be given, not `random`")
        self._compiled = compile_rules(rules)
        self._states: Any = np.zeros(1, STATE)
        self._histories = np.full((1, 52), -1, np.int8)
        clear(self._compiled[0], self._states[0])
        state = self._state
        state["hands"][seat] = hand.mask
        state["deal_number"] = number
        state["scores"][: rules.players] = scores
        state["pass_code"] = code
        state["kitty"] = UNSEEN_KITTY if rules.kitty_size else 0
        if self._compiled[0]["opening"] == OPEN_DEALER:
            state["leader"] = (number + 1) % rules.players
        if code:
            state["to_pass"] = (1 << rules.players) - 1

    @property
    def _state(self) -> Any:
        return self._states[0]

    @property
    def must_pass(self) -> bool:
        """Whether cards are still to be passed."""
        return bool(self._state["to_pass"])

    def exchange(self, passed: CardSet, received: CardSet) -> None:
        """The seat passed some cards and received others."""
        state, own = self._state, int(self._state["hands"][self.seat])
        count = self.rules.pass_count
        if not self.must_pass:
            raise LineError("there is no pass in this deal, or it is over")
        if len(passed) != count or passed.mask & ~own:
            raise LineError(f"the cards passed, {passed.names()}, are not {count} of the hand {CardSet(own).names()}")
        kept = own & ~passed.mask
        pooled = self.rules.pass_name(int(state["pass_code"])) == "pool"
        if len(received) != count or received.mask & kept or (received & passed and not pooled):
            raise LineError(f"the cards received, {received.names()}, are not {count} new ones")
        if received & self.rules.removed:
            raise LineError(f"the cards received, {received.names()}, are not all in the pack")
        state["hands"][self.seat] = kept | received.mask
        state["passed"][self.seat] = passed.mask
        state["received"][self.seat] = received.mask
        state["to_pass"] = 0

    def play(self, seat: int, card: Card) -> None:
        """A seat played a card.

        :raises LineError: if that is impossible.
        """
        if self.must_pass:
            raise LineError(f"{card_name(card)} was played before the pass")
        state = self._state
        if state["phase"] == OVER:
            raise LineError(f"{card_name(card)} was played after the end of the deal")
        mask = 1 << card
        gone = int(np.bitwise_or.reduce(state["played"]))
        elsewhere = gone | int(self._compiled[0]["pack"]) ^ ((1 << 52) - 1)
        if seat != self.seat:
            elsewhere |= int(state["hands"][self.seat])
        if elsewhere & mask:
            raise LineError(f"seat {seat} cannot play {card_name(card)}: it does not have it")
        self._begin(seat, card)
        if state["to_move"] != seat:
            raise LineError(f"seat {seat} played {card_name(card)}, but it is the turn of seat {state['to_move']}")
        before = int(state["hands"][seat])
        if seat != self.seat:
            state["hands"][seat] = mask
        verdict = np.zeros(1, np.bool_)
        play_table(self._compiled, self._states, self._histories, np.array([card], np.int8), verdict)
        if not verdict[0]:
            state["hands"][seat] = before
            raise LineError(f"seat {seat} may not play {card_name(card)} there")
        if seat != self.seat:
            state["hands"][seat] = 0

    def see_kitty(self, cards: CardSet) -> None:
        """The seat took the kitty and sees it."""
        state = self._state
        if not self.rules.kitty_seen or state["kitty_taker"] != self.seat or len(cards) != self.rules.kitty_size:
            raise LineError(f"this seat does not see the kitty {cards.names()}")
        state["taken"][self.seat] = int(state["taken"][self.seat]) & ~UNSEEN_KITTY | cards.mask
        state["kitty"] = cards.mask

    def observe(self, seed: int) -> Observation:
        """What the seat knows; `seed` seeds its random choices.

        :raises LineError: if it is not this seat's turn.
        """
        if not self.must_pass:
            self._begin(self.seat, None)
            if self._state["to_move"] != self.seat:
                raise LineError("it is not this seat's turn")
        records = np.zeros(1, OBSERVATION)
        keys = np.array([seed_key(seed, "players")], np.uint64)
        seats = np.array([self.seat], np.int64)
        observe_table(self._compiled, self._states, self._histories, np.zeros(1, np.int64), seats, keys, records)
        for other in range(self.rules.players):
            records[0]["hand_sizes"][other] = self.rules.hand_size - int(self._state["played"][other]).bit_count()
        return Observation(self.rules, records)

    def _begin(self, seat: int, card: Card | None) -> None:
        """Before the first card: the seat that plays it is the leader, by its 2♣ or by the dealing."""
        state = self._state
        if state["phase"] != PASSING:
            return
        opening = self._compiled[0]["opening"]
        by_two = opening == OPEN_2C or opening == OPEN_ANY_CLUB
        if by_two and (seat == self.seat) != bool(state["hands"][self.seat] & TWO_BIT):
            raise LineError(f"seat {seat} cannot lead: 2C is elsewhere")
        if opening == OPEN_RANDOM:
            state["leader"] = seat
        if seat != self.seat:
            state["hands"][seat] = int(by_two) | (0 if card is None else 1 << card)
        begin(self._compiled[0], self._states[0])
        if seat != self.seat:
            state["hands"][seat] = 0
