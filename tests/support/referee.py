"""A slow and obvious referee for one deal of Hearts: the twin that the compiled engine is tested against.

It is written from the text of the rules alone and shares no code with the engine, so that a mistake has to be made
twice to go unnoticed. For the same reason it works out the value of each card itself instead of asking ``Rules``.
Everything is plain sets and lists, and whatever can be computed anew from them is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from heartlab.cards import (
    ACE,
    ACE_OF_SPADES,
    CARDS,
    CLUBS,
    HEARTS,
    JACK,
    KING_OF_SPADES,
    QUEEN_OF_SPADES,
    TWO_OF_CLUBS,
    Card,
    card_name,
    card_rank,
    card_suit,
)
from heartlab.rules import POOL, SCATTER, Rules

Seat = int
Phase = Literal["pass", "play", "over"]
MoonChoice = Literal["others", "self"]

CLUB_OPENINGS = ("2C", "any-club", "lowest-club")


def penalty_points(rules: Rules, card: Card) -> int:
    """What a card costs its taker before doubling; the bonus card is not a penalty card and costs nothing."""
    if card == rules.bonus:
        return 0
    if card_suit(card) == HEARTS:
        rank = card_rank(card)
        if rules.heart_points == "one":
            return 1
        if rules.heart_points == "rank":
            return rank + 2
        if rules.heart_points == "pips":
            return 11 if rank == ACE else 10 if rank >= JACK else rank + 2
        return 0
    if card == QUEEN_OF_SPADES:
        return rules.queen_points
    if card == KING_OF_SPADES:
        return rules.king_points
    if card == ACE_OF_SPADES:
        return rules.ace_points
    return 0


def is_heart(card: Card) -> bool:
    """Whether a card is a heart."""
    return card_suit(card) == HEARTS


class Referee:
    """One deal, from the cards as dealt to the points, with every rule checked on the way.

    :param hands: the cards as dealt, seat by seat.
    :param kitty: the cards left over after dealing.
    :param pass_code: seats clockwise to pass to (0 is hold), or ``SCATTER`` or ``POOL``.
    :param leader: who leads first where the rules do not find the leader by a club (``left-of-dealer``, ``random``).
    :param scores: the totals before the deal, which a moon under ``best`` or ``choice`` depends on; zeros by default.
    :raises ValueError: if the cards are not a deal of the rules' pack, or something needed is missing.
    """

    def __init__(
        self,
        rules: Rules,
        hands: Sequence[Iterable[Card]],
        *,
        kitty: Iterable[Card] = (),
        pass_code: int = 0,
        leader: Seat | None = None,
        scores: Sequence[int] | None = None,
    ) -> None:
        self.rules = rules
        self.seats: list[Seat] = list(range(rules.players))
        self.hands: list[set[Card]] = [set(hand) for hand in hands]
        self.kitty: set[Card] = set(kitty)
        self.pass_code = pass_code
        self.first_leader = leader
        self.scores: list[int] = list(scores) if scores is not None else [0] * rules.players
        self.pack: set[Card] = {card for card in CARDS if card not in rules.removed}
        self._check_deal()

        self.phase: Phase = "pass"
        self.passed: list[set[Card] | None] = [None] * rules.players
        self.to_move: Seat | None = None
        self.opening_card: Card | None = None
        self.trick: list[tuple[Seat, Card]] = []
        self.hearts_broken = False
        self.tricks_won: list[int] = [0] * rules.players
        self.taken: list[set[Card]] = [set() for _ in self.seats]
        self.kitty_taker: Seat | None = None
        self.history: list[tuple[Seat, Card]] = []
        self.winners: list[Seat] = []
        if pass_code == 0:
            self._start_play()

    def _check_deal(self) -> None:
        rules = self.rules
        if len(self.hands) != rules.players or len(self.scores) != rules.players:
            raise ValueError(f"hands and scores are needed for {rules.players} seats")
        if any(len(hand) != rules.hand_size for hand in self.hands):
            raise ValueError(f"each hand needs {rules.hand_size} cards")
        dealt = [card for hand in self.hands for card in hand] + list(self.kitty)
        if sorted(dealt) != sorted(self.pack):
            raise ValueError("hands and kitty together are not the pack")
        if self.pass_code not in (SCATTER, POOL, *self.seats):
            raise ValueError(f"{self.pass_code} is no pass code of a single deal")
        if rules.opening not in CLUB_OPENINGS and self.first_leader not in self.seats:
            raise ValueError(f"opening={rules.opening} needs a leader")

    # --- passing ---

    def pass_cards(self, seat: Seat, cards: Iterable[Card]) -> None:
        """Lay out the cards that a seat passes; once all have, they change hands (a pool waits for ``deal_pool``).

        :raises ValueError: if the seat may not pass these cards now.
        """
        given = list(cards)
        if self.phase != "pass" or self.passed[seat] is not None:
            raise ValueError(f"seat {seat} has nothing to pass")
        if len(given) != self.rules.pass_count or len(set(given)) != len(given) or not set(given) <= self.hands[seat]:
            raise ValueError(f"seat {seat} has to pass {self.rules.pass_count} different cards of its hand")
        high_spades = {QUEEN_OF_SPADES, KING_OF_SPADES, ACE_OF_SPADES}
        if not self.rules.pass_high_spades and set(given) & high_spades:
            raise ValueError("the high spades may not be passed")
        self.passed[seat] = set(given)
        if self._all_passed() and self.pass_code != POOL:
            self._exchange(self._received())

    def deal_pool(self, lists: Sequence[Iterable[Card]]) -> None:
        """Hand out the pooled cards: one list for each seat, in whatever order the engine shuffled them.

        :raises ValueError: if there is no full pool, or the lists do not give each seat its share of it.
        """
        shares = [list(cards) for cards in lists]
        if self.pass_code != POOL or self.phase != "pass" or not self._all_passed():
            raise ValueError("there is no pool to deal")
        pool = [card for cards in self.passed for card in cards or ()]
        if sorted(card for share in shares for card in share) != sorted(pool):
            raise ValueError("these are not the cards of the pool")
        if [len(share) for share in shares] != [self.rules.pass_count] * self.rules.players:
            raise ValueError(f"each seat gets {self.rules.pass_count} cards of the pool")
        self._exchange([set(share) for share in shares])

    def _all_passed(self) -> bool:
        return all(cards is not None for cards in self.passed)

    def _received(self) -> list[set[Card]]:
        """What each seat receives when passing goes by seats or by scatter."""
        received: list[set[Card]] = [set() for _ in self.seats]
        for giver in self.seats:
            for index, card in enumerate(sorted(self.passed[giver] or ())):
                offset = 1 + index if self.pass_code == SCATTER else self.pass_code
                received[(giver + offset) % self.rules.players].add(card)
        return received

    def _exchange(self, received: list[set[Card]]) -> None:
        for seat in self.seats:
            self.hands[seat] -= self.passed[seat] or set()
        for seat in self.seats:
            self.hands[seat] |= received[seat]
        self._start_play()

    # --- playing ---

    def _start_play(self) -> None:
        """Find the first leader, which for the club openings depends on the passing."""
        self.phase = "play"
        if self.rules.opening not in CLUB_OPENINGS:
            self.to_move = self.first_leader
            return
        if self.rules.opening == "lowest-club":
            self.opening_card = min(card for hand in self.hands for card in hand if card_suit(card) == CLUBS)
        else:
            self.opening_card = TWO_OF_CLUBS
        self.to_move = next(seat for seat in self.seats if self.opening_card in self.hands[seat])

    def legal(self) -> set[Card]:
        """The cards that the seat to move may play; empty when nobody is to move."""
        if self.to_move is None:
            return set()
        rules, hand = self.rules, self.hands[self.to_move]
        leading = not self.trick
        if not self.history and rules.opening in ("2C", "lowest-club"):
            return {card for card in hand if card == self.opening_card}
        if not self.history and rules.opening == "any-club":
            return {card for card in hand if card_suit(card) == CLUBS}

        cards = set(hand)
        if not leading:
            led_suit = card_suit(self.trick[0][1])
            cards = {card for card in hand if card_suit(card) == led_suit} or cards
        # Each of these rules gives way when it would leave nothing to play.
        if not self.winners and not rules.first_trick_points:
            cards = {card for card in cards if penalty_points(rules, card) == 0} or cards
        if leading and rules.hearts == "broken" and not self.hearts_broken:
            others = {card for card in cards if not is_heart(card)}
            spared_the_queen = rules.hearts_before_queen and others == {QUEEN_OF_SPADES}
            if not spared_the_queen:
                cards = others or cards
        if rules.queen_after_hearts and not self.hearts_broken:
            cards = cards - {QUEEN_OF_SPADES} or cards
        return cards

    def play(self, card: Card) -> None:
        """Play a card for the seat to move.

        :raises ValueError: if the card is not legal.
        """
        seat = self.to_move
        if seat is None or card not in self.legal():
            raise ValueError(f"{card_name(card)} is not legal for seat {seat}")
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.history.append((seat, card))
        if is_heart(card) or (self.rules.queen_breaks_hearts and card == QUEEN_OF_SPADES):
            self.hearts_broken = True
        self.to_move = (seat + 1) % self.rules.players
        if len(self.trick) == self.rules.players:
            self._finish_trick()

    def _finish_trick(self) -> None:
        """The highest card of the led suit takes the trick, perhaps the kitty with it, and leads the next."""
        led_suit = card_suit(self.trick[0][1])
        _, winner = max((card, seat) for seat, card in self.trick if card_suit(card) == led_suit)
        cards = {card for _, card in self.trick}
        with_heart = any(is_heart(card) for card in cards)
        self.trick = []
        self.winners.append(winner)
        self.tricks_won[winner] += 1
        self.taken[winner] |= cards
        first_trick = self.rules.kitty == "first-trick"
        first_heart = self.rules.kitty == "first-heart" and with_heart
        if self.kitty_taker is None and (first_trick or first_heart):
            self.kitty_taker = winner
            self.taken[winner] |= self.kitty
        self.to_move = winner
        if not any(self.hands):
            self.phase, self.to_move = "over", None

    # --- counting ---

    def moon_shooter(self) -> Seat | None:
        """Who took every penalty card that anybody could take (and the bonus card if the rules want it), if anyone."""
        if self.rules.moon == "off":
            return None
        out_of_reach = self.kitty if self.kitty_taker is None else set()
        needed = {card for card in self.pack - out_of_reach if penalty_points(self.rules, card) > 0}
        if not needed:
            return None
        if self.rules.moon_needs_bonus and self.rules.bonus is not None:
            needed.add(self.rules.bonus)
        return next((seat for seat in self.seats if needed <= self.taken[seat]), None)

    def points(self, moon_choice: MoonChoice | None = None) -> list[int]:
        """The points of the deal; ``moon_choice`` is what the shooter wants where the rules leave it the choice.

        :raises ValueError: if the deal is not over.
        """
        if self.phase != "over":
            raise ValueError("the deal is not over")
        factor = [2 if self.rules.doubler in self.taken[seat] else 1 for seat in self.seats]
        penalty = [factor[s] * sum(penalty_points(self.rules, card) for card in self.taken[s]) for s in self.seats]
        bonus = [factor[s] * self.rules.bonus_points if self.rules.bonus in self.taken[s] else 0 for s in self.seats]

        shooter = self.moon_shooter()
        if shooter is None:
            no_tricks = [self.rules.no_tricks if self.tricks_won[seat] == 0 else 0 for seat in self.seats]
            return [penalty[seat] + bonus[seat] + no_tricks[seat] for seat in self.seats]
        every_trick = self.tricks_won[shooter] == self.rules.hand_size
        value = penalty[shooter] * (2 if self.rules.sun and every_trick else 1)
        on_others = [bonus[seat] + (0 if seat == shooter else value) for seat in self.seats]
        off_self = [bonus[seat] - (value if seat == shooter else 0) for seat in self.seats]
        if self.rules.moon in ("others", "self"):
            return on_others if self.rules.moon == "others" else off_self
        if self.rules.moon == "choice" and moon_choice is not None:
            return on_others if moon_choice == "others" else off_self
        return off_self if self._ends_badly(shooter, on_others) else on_others

    def _ends_badly(self, shooter: Seat, points: list[int]) -> bool:
        """Whether these points would end the game by the score without the shooter alone in front."""
        if self.rules.deals is not None:
            return False
        totals = [self.scores[seat] + points[seat] for seat in self.seats]
        highest, limit = max(totals), self.rules.limit
        ends = highest > limit if self.rules.over_limit else highest >= limit
        if self.rules.ties == "play-on" and totals.count(min(totals)) > 1:
            return False
        wins_alone = all(totals[shooter] < totals[seat] for seat in self.seats if seat != shooter)
        return ends and not wins_alone
