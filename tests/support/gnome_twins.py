"""Stock, Luis and Jake once more, from the text of their description alone, in plain sets and lists.

Each twin says which cards the player may play (several where it throws dice) and which it passes. Cards are ints as in
heartlab; the twins' own ranks go from 2 to 14, as in the description.
"""

from __future__ import annotations

from collections.abc import Iterable

from heartlab.cards import CARDS
from heartlab.observation import Observation

C, D, S, H = 0, 1, 2, 3
SQ, SK, SA = 36, 37, 38


def suit(card: int) -> int:
    return card // 13


def rank(card: int) -> int:
    return card % 13 + 2


def in_order(cards: Iterable[int]) -> list[int]:
    """Rank order, ties C < D < H < S."""
    return sorted(cards, key=lambda card: (rank(card), (C, D, H, S).index(suit(card))))


def of_suit(cards: Iterable[int], wanted: int) -> list[int]:
    return sorted(card for card in cards if suit(card) == wanted)


class Table:
    """The trick as the twins see it."""

    def __init__(self, obs: Observation) -> None:
        self.obs = obs
        self.valid = sorted(obs.legal)
        self.hand = sorted(obs.hand)
        self.cards = [card for _, card in obs.trick]
        self.led = suit(self.cards[0]) if self.cards else None
        self.mine = [card for card in self.valid if suit(card) == self.led]
        self.high = max((card for card in self.cards if suit(card) == self.led), default=-1)
        self.last = len(self.cards) == obs.rules.players - 1
        self.points = bool(set(self.cards) & set(obs.rules.penalty_cards))
        self.below = [card for card in self.mine if card < self.high]
        n = obs.rules.players
        self.tricks = [obs.history[i : i + n] for i in range(0, len(obs.history), n)]

    def starts(self, wanted: int) -> int:
        return sum(suit(trick[0]) == wanted for trick in self.tricks)

    def known_out(self, wanted: int) -> set[int]:
        """Seats that failed to follow a suit."""
        owner = {card: seat for seat, cards in enumerate(self.obs.played) for card in cards}
        return {
            owner[card]
            for trick in self.tricks
            if suit(trick[0]) == wanted
            for card in trick
            if suit(card) != wanted
        }  # fmt: skip


class StockTwin:
    @staticmethod
    def play(obs: Observation) -> set[int]:
        t = Table(obs)
        if t.led is None:
            ranked = in_order(t.valid)
            return {ranked[1] if ranked[0] == SQ and len(ranked) > 1 else ranked[0]}
        if not t.mine:
            for card in (SQ, SA, SK):
                if card in t.valid:
                    return {card}
            hearts = of_suit(t.valid, H)
            return {hearts[-1] if hearts else max(t.valid, key=lambda card: (rank(card), -suit(card)))}
        without_queen = [card for card in t.mine if card != SQ] or t.mine
        if t.points:
            return {max(t.below) if t.below else max(without_queen) if t.last else min(t.mine)}
        if t.led != S:
            return {max(t.mine)}
        if SQ in t.mine and {SK, SA} & set(t.cards):
            return {SQ}
        if t.last:
            return {max(without_queen)}
        return {max([card for card in t.mine if card < SQ] or t.mine)}

    @staticmethod
    def pass_cards(obs: Observation) -> set[int]:
        left, chosen = set(obs.may_pass), set()
        high = [card for card in (SQ, SK, SA) if card in left]
        while len(chosen) < obs.pass_count:
            if high:
                card = high.pop(0)
            elif len(of_suit(left, C)) == 1:
                card = of_suit(left, C)[0]
            elif len(of_suit(left, D)) == 1:
                card = of_suit(left, D)[0]
            else:
                card = of_suit(left, H)[-1] if of_suit(left, H) else in_order(left)[-1]
            left.remove(card)
            chosen.add(card)
        return chosen


class LuisTwin:
    pass_cards = StockTwin.pass_cards

    @staticmethod
    def play(obs: Observation) -> set[int]:
        t = Table(obs)
        if t.led is None:
            return LuisTwin._lead(t)
        if not t.mine:
            for card in (SQ, SK, SA):
                if card in t.valid:
                    return {card}
            top = in_order(t.valid)[-1]
            hearts = of_suit(t.valid, H)
            return {hearts[-1] if rank(top) < 8 and hearts else top}
        if t.led == S:
            return {LuisTwin._spade(t)}
        if t.led == H:
            low = min(t.mine)
            if low > t.high:
                third = len(t.cards) == obs.rules.players - 2
                go_high = t.last or (third and rank(low) > rank(t.high) + 3)
                return {max(t.mine) if go_high else low}
            return {max(t.below)}
        if SQ not in t.cards and (t.starts(t.led) < 2 or t.last):
            return {max(t.mine)}
        return {min(t.below or t.mine)}

    @staticmethod
    def _lead(t: Table) -> set[int]:
        if all(suit(card) == H for card in t.hand):
            return {min(t.valid)}
        if 0 in t.valid:
            return {0}
        spades = of_suit(t.valid, S)
        queen_played = SQ in t.obs.history or any(t.obs.scores)
        if spades and not {SQ, SK, SA} & set(t.hand) and not queen_played:
            return {spades[-1]}
        for minor in (D, C):
            if of_suit(t.valid, minor) and t.starts(minor) < 2:
                return {of_suit(t.valid, minor)[-1]}
        lows = [of_suit(t.valid, s)[0] for s in range(4) if of_suit(t.valid, s) and t.starts(s) < 4]
        return {low for low in lows if rank(low) < 5 + 3 * t.starts(suit(low))} or set(t.valid)

    @staticmethod
    def _spade(t: Table) -> int:
        if SQ in t.mine:
            if {SK, SA} & set(t.cards):
                return SQ
            return max([card for card in t.mine if card < SQ] or t.mine)
        if {SK, SA} & set(t.mine) and not (t.last and SQ not in t.cards):
            return max([card for card in t.mine if card < SK] or t.mine)
        return max(t.mine)


class JakeTwin:
    @staticmethod
    def play(obs: Observation) -> set[int]:
        t = Table(obs)
        seen = set(obs.hand) | set(obs.kitty) | set(obs.history) | set(obs.rules.removed)
        unseen = [card for card in CARDS if card not in seen]
        spades_score = SQ in unseen or SQ in t.hand
        if t.led is None:
            return {JakeTwin._lead(t, unseen, spades_score)}
        if t.mine:
            return {JakeTwin._follow(t, unseen)}
        if SQ in t.valid:
            return {SQ}
        for card in (SA, SK):
            if card in t.valid and spades_score:
                return {card}
        top = in_order(t.valid)[-1]
        costly = [card for card in t.valid if card in obs.rules.penalty_cards]
        return {top if rank(top) > 11 or not costly else in_order(costly)[-1]}

    @staticmethod
    def _lead(t: Table, unseen: list[int], spades_score: bool) -> int:
        def above(card: int) -> int:
            return sum(other > card for other in of_suit(unseen, suit(card)))

        def giveaway(card: int) -> bool:
            return rank(card) == 2 or (rank(card) == 3 and 26 not in unseen)

        suits = sorted((s for s in (C, D, H, S) if of_suit(t.valid, s)), key=lambda s: -len(of_suit(t.valid, s)))
        cards = {s: of_suit(t.valid, s) for s in suits}
        for s in suits:
            scores = s == H or (s == S and spades_score)
            if rank(cards[s][-1]) >= 13 and not scores and not t.known_out(s) and len(of_suit(unseen, s)) > 5:
                return cards[s][-1]
        low_spades = S in cards and cards[S][-1] < SQ
        if low_spades and not t.known_out(S) and SQ in unseen:
            return cards[S][-1]
        if H in cards and giveaway(cards[H][0]):
            return cards[H][0]
        if low_spades and SQ in unseen:
            return cards[S][0]
        for s in suits:
            if giveaway(cards[s][0]) and (s != S or low_spades):
                return cards[s][0]
        high_spade = any(card in t.hand for card in (SQ, SK, SA))
        lows = [cards[s][0] for s in suits if s != S or not high_spade]
        if not lows:
            return in_order(t.valid)[0]
        picked = max(lows, key=above)
        others = [card for card in cards.get(S, []) if card != SQ]
        return others[0] if above(picked) == 0 and others and above(others[0]) > 0 else picked

    @staticmethod
    def _follow(t: Table, unseen: list[int]) -> int:
        n, seat = t.obs.rules.players, t.obs.seat
        avoid = t.points
        if not t.last and t.led is not None:
            avoid = avoid or len(of_suit(unseen, t.led)) + len(t.cards) < 6
            for later in [(seat + step) % n for step in range(1, n - len(t.cards))]:
                hearts = later not in t.known_out(H)
                queen = SQ in unseen and later not in t.known_out(S)
                avoid = avoid or (later in t.known_out(t.led) and (hearts or queen))
        without_queen = [card for card in t.mine if card != SQ] or t.mine
        if avoid:
            return max(t.below) if t.below else max(without_queen) if t.last else min(without_queen)
        if SQ in t.mine and t.high > SQ:
            return SQ
        free = [card for card in t.mine if card not in t.obs.rules.penalty_cards]
        if not free:
            return min(t.mine)
        if t.led == S and SQ in unseen:
            return max([card for card in free if card < SQ] or free)
        return max(free)

    @staticmethod
    def pass_cards(obs: Observation) -> set[int]:
        hand = sorted(obs.hand)
        clubs, diamonds, spades, hearts = (of_suit(hand, s) for s in (C, D, S, H))
        wishes = [SA, SK] + ([SQ] if len(spades) < 4 else [])
        if hearts and rank(hearts[0]) > 6:
            wishes += [card for card in hearts if rank(card) >= 11]
        for minor in sorted((diamonds, clubs), key=len):
            if 1 <= len(minor) <= 3:
                wishes += minor[::-1]
        wishes += in_order(clubs + diamonds)[::-1] + hearts[::-1] + spades[::-1]
        chosen = [card for card in dict.fromkeys(wishes) if card in obs.may_pass]
        return set(chosen[: obs.pass_count])


TWINS = {"stock": StockTwin, "luis": LuisTwin, "jake": JakeTwin}
