"""One deal of Hearts to look at, play, copy and print: a wrapper around the state record that kernels use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heartlab.cards import Card, CardSet
from heartlab.compiled.rng import numpy_dice, seed_key
from heartlab.deal_text import rule_against, why_not_pass, why_not_play
from heartlab.kernel.layout import MOONS, NOBODY, OBSERVATION, OVER, PASSING, STATE, StateArray, compile_rules
from heartlab.observation import Observation
from heartlab.records.format import MAX_NUMBER, DealRecord, RecordError, to_text
from heartlab.records.reader import read_records
from heartlab.rules import RANDOM_OFFSET, SCATTER, Rules
from heartlab.util.errors import quoted


class IllegalPlay(ValueError):
    """A card or pass that the rules forbid; the message has card, seat, hand, trick and rule, `rule` the rule alone."""

    def __init__(self, message: str, rule: str = "") -> None:
        super().__init__(message)
        self.rule = rule or message


class Deal:
    """One deal: hands, passing, tricks, points. Seats are numbered from 0, clockwise.

    `Deal(rules, seed, number)` deals at random; `Deal.from_hands` takes given hands.

    >>> deal = Deal("standard", seed=1)
    >>> for seat in range(4):
    ...     deal.pass_cards(seat, sorted(deal.hands[seat])[-3:])
    >>> deal.legal
    CardSet('2C')
    >>> deal.play("2C")
    >>> deal.to_move != deal.leader
    True
    >>> deal.play("KH")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    heartlab.deal.IllegalPlay: seat 0 may not play K♥: the seat does not hold it (...
    """

    def __init__(
        self, rules: Rules | str = "standard", seed: int = 0, number: int = 0, *, scores: Sequence[int] | None = None
    ) -> None:
        """
        :param number: the number of the deal, which decides the pass direction and the dealer.
        :param scores: totals before this deal, by default zero.
        :raises ValueError: if the number is out of range, or the scores do not fit the rules.
        """
        from heartlab.kernel.table import deal_table

        if not 0 <= number <= MAX_NUMBER:
            raise ValueError(f"there is no deal {number}: deals are numbered from 0 to {MAX_NUMBER}")
        self.rules = Rules.parse(rules)
        self._compiled = compile_rules(self.rules)
        self._states: StateArray = np.zeros(1, STATE)
        self._histories = np.full((1, 52), -1, np.int8)
        self._keys = np.array([seed_key(seed, "deals")], np.uint64)
        self._player_keys = np.array([seed_key(seed, "players")], np.uint64)
        deal_table(self._compiled, self._keys, np.array([number], np.int64), self._states)
        self._dealt = self.hands
        self._set_scores(scores)

    @classmethod
    def from_hands(
        cls,
        hands: Sequence[CardSet | str | Iterable[Card]],
        rules: Rules | str = "standard",
        *,
        number: int = 0,
        pass_direction: str | None = None,
        leader: int | None = None,
        scores: Sequence[int] | None = None,
        seed: int = 0,
    ) -> Deal:
        """A deal with given hands, one per seat; cards in no hand form the kitty.

        :param pass_direction: by default the one of the pass cycle for this deal number.
        :param leader: the first leader, used only under rules where no club decides it.
        :raises ValueError: if the hands do not fit the rules.
        """
        from heartlab.kernel.dealing import begin, clear

        deal = cls(rules, seed, number)
        rules = deal.rules
        sets = tuple(hand if isinstance(hand, CardSet) else CardSet(hand) for hand in hands)
        _check_hands(rules, sets)
        if leader is not None and not 0 <= leader < rules.players:
            raise ValueError(f"there is no seat {leader} to be the leader: seats are 0 to {rules.players - 1}")
        default_leader = deal.leader
        clear(deal._compiled[0], deal._states[0])
        state = deal._states[0]
        kitty = int(deal._compiled[0]["pack"])
        for seat, cards in enumerate(sets):
            state["hands"][seat] = cards.mask
            kitty &= ~cards.mask
        state["kitty"] = kitty
        state["deal_number"] = number
        known = default_leader if leader is None else leader
        state["leader"] = NOBODY if known is None else known
        code = rules.pass_code(pass_direction or rules.pass_direction(number))
        if code == RANDOM_OFFSET:
            raise ValueError("these rules pass in a random direction: give it as pass_direction")
        if code == SCATTER and rules.pass_count != rules.players - 1:
            raise ValueError(f"scatter passes one card to each of the others, but pass_count is {rules.pass_count}")
        state["pass_code"] = code
        if code == 0:
            begin(deal._compiled[0], deal._states[0])
        else:
            state["to_pass"] = (1 << rules.players) - 1
        deal._dealt = sets
        deal._set_scores(scores)
        return deal

    @classmethod
    def _from_state(cls, rules: Rules, states: StateArray, history: Sequence[Card]) -> Deal:
        """Wrap a state record made by a kernel."""
        deal = cls.__new__(cls)
        deal.rules = rules
        deal._compiled = compile_rules(rules)
        deal._states = states
        deal._histories = np.full((1, 52), -1, np.int8)
        deal._histories[0, : len(history)] = history
        deal._keys = np.array([seed_key(0, "deals")], np.uint64)
        deal._player_keys = np.array([seed_key(0, "players")], np.uint64)
        deal._dealt = deal._hands_before_passing()
        return deal

    def _hands_before_passing(self) -> tuple[CardSet, ...]:
        """The hands as dealt. In a sampled world the passes between other seats are unknown and left as they are."""
        state, n = self._states[0], self.rules.players
        held = [int(state["hands"][seat] | state["played"][seat]) & ~int(state["received"][seat]) for seat in range(n)]
        for seat in range(n):
            given = int(state["passed"][seat])
            held = [hand & ~given for hand in held]
            held[seat] |= given
        return tuple(CardSet(hand) for hand in held)

    def _set_scores(self, scores: Sequence[int] | None) -> None:
        if scores is not None:
            if len(scores) != self.rules.players:
                raise ValueError(f"{len(scores)} scores for {self.rules.players} players")
            if any(abs(score) > MAX_NUMBER for score in scores):
                raise ValueError(f"scores {list(scores)}: totals go up to {MAX_NUMBER}")
            self._states[0]["scores"][: len(scores)] = scores

    # --- properties ---

    @property
    def number(self) -> int:
        """The number of the deal, which decides the pass direction and the dealer."""
        return int(self._states[0]["deal_number"])

    @property
    def dealt(self) -> tuple[CardSet, ...]:
        """The hands as dealt, before passing."""
        return self._dealt

    @property
    def hands(self) -> tuple[CardSet, ...]:
        """The hands now."""
        return self._masks("hands")

    @property
    def kitty(self) -> CardSet:
        """The cards left over after dealing, taken or not."""
        return CardSet(int(self._states[0]["kitty"]))

    @property
    def kitty_taker(self) -> int | None:
        """The seat that took the kitty, or None."""
        return _seat(self._states[0]["kitty_taker"])

    @property
    def scores(self) -> tuple[int, ...]:
        """Totals before this deal."""
        return tuple(int(score) for score in self._states[0]["scores"][: self.rules.players])

    @property
    def phase(self) -> str:
        """`"pass"`, `"play"` or `"over"`."""
        return {PASSING: "pass", OVER: "over"}.get(int(self._states[0]["phase"]), "play")

    @property
    def is_over(self) -> bool:
        """Whether all tricks are played."""
        return self.phase == "over"

    @property
    def pass_direction(self) -> str:
        """The pass direction: left, right, across, hold, scatter, pool, or a number of seats such as +2."""
        return self.rules.pass_name(int(self._states[0]["pass_code"]))

    @property
    def to_pass(self) -> list[int]:
        """The seats that still have to pass."""
        return [seat for seat in range(self.rules.players) if self._states[0]["to_pass"] >> seat & 1]

    @property
    def passed(self) -> tuple[CardSet, ...]:
        """The cards that each seat passed."""
        return self._masks("passed")

    @property
    def received(self) -> tuple[CardSet, ...]:
        """The cards that each seat received."""
        return self._masks("received")

    @property
    def to_move(self) -> int | None:
        """The seat to play a card, or None."""
        return _seat(self._states[0]["to_move"])

    @property
    def leader(self) -> int | None:
        """The leader of this trick; None before passing if a club decides the first lead."""
        return _seat(self._states[0]["leader"])

    @property
    def legal(self) -> CardSet:
        """The cards that the seat to move may play."""
        from heartlab.kernel.table import legal_table

        out = np.zeros(1, np.uint64)
        legal_table(self._compiled, self._states, out)
        return CardSet(int(out[0]))

    @property
    def history(self) -> list[Card]:
        """All cards played so far, in order."""
        return [int(card) for card in self._histories[0, : self._states[0]["plays"]]]

    @property
    def tricks(self) -> list[list[tuple[int, Card]]]:
        """All tricks, including the unfinished one: (seat, card) in order of play."""
        n = self.rules.players
        result: list[list[tuple[int, Card]]] = []
        seat_of = {card: seat for seat, cards in enumerate(self._masks("played")) for card in cards}
        for ply, card in enumerate(self.history):
            if ply % n == 0:
                result.append([])
            result[-1].append((seat_of[card], card))
        return result

    @property
    def trick(self) -> list[tuple[int, Card]]:
        """The unfinished trick: (seat, card) in order of play."""
        return self.tricks[-1] if self._states[0]["trick_size"] else []

    @property
    def taken(self) -> tuple[CardSet, ...]:
        """The cards that each seat has won, including a kitty."""
        return self._masks("taken")

    @property
    def tricks_won(self) -> tuple[int, ...]:
        """Tricks taken by each seat."""
        return tuple(int(count) for count in self._states[0]["tricks_won"][: self.rules.players])

    @property
    def hearts_broken(self) -> bool:
        """Whether hearts are broken."""
        return bool(self._states[0]["hearts_broken"])

    @property
    def points(self) -> tuple[int, ...]:
        """The points of each seat: those taken so far, or at the end the score of the deal with moon and bonuses."""
        return self._points()[0]

    @property
    def shooter(self) -> int | None:
        """The seat that shot the moon, or None; known when the deal is over."""
        return self._points()[1]

    @property
    def points_open(self) -> bool:
        """Whether the rest of the deal can still change the points."""
        from heartlab.kernel.play import points_left

        return bool(points_left(self._compiled[0], self._states[0]))

    def observe(self, seat: int) -> Observation:
        """What a seat may know.

        :raises ValueError: if there is no such seat.
        """
        from heartlab.kernel.table import observe_table

        if not 0 <= seat < self.rules.players:
            raise ValueError(f"there is no seat {seat}: seats are 0 to {self.rules.players - 1}")
        records = np.zeros(1, OBSERVATION)
        row, seats = np.zeros(1, np.int64), np.array([seat], np.int64)
        observe_table(self._compiled, self._states, self._histories, row, seats, self._player_keys, records)
        return Observation(self.rules, records)

    # --- actions ---

    def pass_cards(self, seat: int, cards: CardSet | str | Iterable[Card | str]) -> None:
        """Pass cards for a seat; when all seats have passed, the cards are exchanged and play begins.

        :raises IllegalPlay: if it is not time to pass, or the cards cannot be passed.
        """
        from heartlab.kernel.table import give_table

        chosen = cards if isinstance(cards, CardSet) else CardSet(cards)
        seats, masks, verdict = np.array([seat], np.int64), np.array([chosen.mask], np.uint64), np.zeros(1, np.bool_)
        if seat in self.to_pass:
            give_table(self._compiled, self._keys, self._states, seats, masks, verdict)
        if not verdict[0]:
            raise IllegalPlay(why_not_pass(self, seat, chosen))

    def play(self, card: Card | str) -> None:
        """Play a card for the seat to move.

        :raises IllegalPlay: if the rules forbid it; the message says which rule.
        """
        from heartlab.kernel.table import play_table

        number = next(iter(CardSet([card])))
        verdict = np.zeros(1, np.bool_)
        play_table(self._compiled, self._states, self._histories, np.array([number], np.int8), verdict)
        if not verdict[0]:
            raise IllegalPlay(self.why_illegal(number), self.rule_against(number))

    def force_exchange(self, received: Sequence[CardSet]) -> None:
        """Set what each seat received from a pool, to replay a record; only before the first card.

        :raises IllegalPlay: if no pool was just passed, or the cards are not those of the pool.
        """
        from heartlab.kernel.dealing import begin

        if self.history or self.to_pass or self.pass_direction != "pool":
            raise IllegalPlay("a pool can be dealt out only after passing and before the first card")
        pooled = [card for cards in self.passed for card in cards]
        given = [card for cards in received for card in cards]
        if sorted(pooled) != sorted(given) or any(len(cards) != self.rules.pass_count for cards in received):
            raise IllegalPlay(f"the pool {CardSet(pooled)} cannot be dealt out as {CardSet(given)}")
        state = self._states[0]
        for seat, cards in enumerate(received):
            state["hands"][seat] = (int(state["hands"][seat]) & ~int(state["received"][seat])) | cards.mask
            state["received"][seat] = cards.mask
            state["may_hold"][seat] = self._compiled[0]["pack"]
        begin(self._compiled[0], self._states[0])

    def choose_moon(self, choice: str) -> None:
        """Set the effect of a moon under `moon=choice`: `"others"` or `"self"`.

        :raises IllegalPlay: if the rules leave no choice, or the choice is unknown.
        """
        if self.rules.moon != "choice":
            raise IllegalPlay(f"the rules leave no choice about the moon: moon={self.rules.moon}")
        if choice not in ("others", "self"):
            raise IllegalPlay(f"{quoted(choice)} is not an effect of a moon: choose 'others' or 'self'")
        self._states[0]["moon_choice"] = MOONS.index(choice)

    def play_randomly(self, seed: int = 0) -> None:
        """Finish the deal with random passes and cards."""
        rng = numpy_dice(seed)
        for seat in self.to_pass:
            free = sorted(self.observe(seat).may_pass)
            self.pass_cards(seat, [int(card) for card in rng.choice(free, self.rules.pass_count, replace=False)])
        while not self.is_over:
            self.play(int(rng.choice(sorted(self.legal))))

    def copy(self) -> Deal:
        """An independent copy."""
        twin = Deal.__new__(Deal)
        twin.rules, twin._compiled, twin._dealt = self.rules, self._compiled, self._dealt
        twin._states, twin._histories = self._states.copy(), self._histories.copy()
        twin._keys, twin._player_keys = self._keys, self._player_keys
        return twin

    def before(self, place: int) -> Deal:
        """A copy of the deal before card number `place` (from 1) was played.

        :raises ValueError: if the deal has no such card.
        """
        most = len(self.history) + (self.to_move is not None)
        if not 1 <= place <= most:
            raise ValueError(f"the deal has cards 1 to {most}, not {place}" if most else "no card has been played yet")
        record = self.to_record()
        return Deal.from_record(replace(record, plays=record.plays[: place - 1], points=None, moon=None))

    # --- explanations ---

    def why_illegal(self, card: Card) -> str:
        """The reason why the seat to move may not play a card, in one sentence; empty if it may."""
        return why_not_play(self, card)

    def rule_against(self, card: Card) -> str:
        """Only the rule that forbids a card to the seat to move; empty if the card is legal."""
        return rule_against(self, card)

    # --- text ---

    def to_record(self, **details: Any) -> DealRecord:
        """The deal as a record.

        :param details: further fields of the record, such as `players` and `seed`.
        """
        exchanged = self.pass_direction != "hold" and not self.to_pass
        return DealRecord(
            rules=self.rules,
            number=self.number,
            hands=self.dealt,
            pass_direction=self.pass_direction,
            kitty=self.kitty,
            passed=self.passed if exchanged else None,
            received=self.received if exchanged and self.pass_direction == "pool" else None,
            leader=self.tricks[0][0][0] if self.history else self.leader,
            plays=tuple(self.history),
            scores=self.scores if any(self.scores) else None,
            points=self.points if self.is_over else None,
            moon=self.shooter,
            **details,
        )

    def to_text(self) -> str:
        """The deal in the text form of records, which `from_text` parses."""
        return to_text(self.to_record())

    @classmethod
    def from_text(cls, text: str) -> Deal:
        """Replay the first deal of a text in any form of records.

        :raises RecordError: if there is no deal, or a card is illegal.
        """
        for record in read_records(text):
            return cls.from_record(record)
        raise RecordError("there is no deal in this text")

    @staticmethod
    def from_record(record: DealRecord) -> Deal:
        """Replay a record and check every card and the points against the rules.

        The first leader is taken from the record only under `opening=random`; otherwise it follows from the rules.

        :raises RecordError: with the line of the first illegal card, or of wrong points.
        """
        from heartlab.records.replay import replay

        return replay(record)

    def __str__(self) -> str:
        """The deal as text: the hands in a circle, the trick in the middle, points."""
        from heartlab.deal_text import show_deal

        return show_deal(self)

    def __repr__(self) -> str:
        return f"<Deal {self.number} of {self.rules}: {len(self.history)} cards played, points {self.points}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Deal):
            return NotImplemented
        same_history = self.history == other.history
        return self.rules == other.rules and same_history and np.array_equal(self._states, other._states)

    __hash__ = None  # type: ignore[assignment]

    def _masks(self, field: str) -> tuple[CardSet, ...]:
        return tuple(CardSet(int(mask)) for mask in self._states[0][field][: self.rules.players])

    def _points(self) -> tuple[tuple[int, ...], int | None]:
        from heartlab.kernel.table import points_table

        out = np.zeros((1, 6), np.int64)
        shooters = np.zeros(1, np.int64)
        points_table(self._compiled, self._states, out, shooters)
        return tuple(int(value) for value in out[0, : self.rules.players]), _seat(shooters[0])


def _seat(number: int) -> int | None:
    return None if number == NOBODY else int(number)


def _check_hands(rules: Rules, hands: Sequence[CardSet]) -> None:
    if len(hands) != rules.players:
        raise ValueError(f"{len(hands)} hands for {rules.players} players")
    seen = CardSet()
    for seat, hand in enumerate(hands):
        if len(hand) != rules.hand_size:
            raise ValueError(f"hand {seat} ({hand}) has {len(hand)} cards: the rules deal {rules.hand_size}")
        if hand & seen:
            raise ValueError(f"{hand & seen} is in hand {seat} and in another one")
        if hand & rules.removed:
            raise ValueError(f"{hand & rules.removed} in hand {seat} is removed by the rules")
        seen = CardSet(seen.mask | hand.mask)
