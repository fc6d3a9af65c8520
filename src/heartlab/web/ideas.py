"""Why a card is good, in a player's words: ideas that every Hearts player knows, checked against the sampled worlds.

An idea is a function of a judged decision. It answers None, or a weight and a sentence; the heaviest ideas are told
first. Each looks only at the observation, at worlds that fit it, and at what happened there. Sentences that give a
number count worlds: "in 83 of 100 deals that fit what you have seen".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heartlab.cards import (
    CLUBS,
    CS_SUITS,
    DIAMONDS,
    HEARTS,
    KING_OF_SPADES,
    QUEEN_OF_SPADES,
    SPADES,
    SUIT_NAMES,
    Card,
    CardSet,
    card_rank,
    card_suit,
    pretty_card,
)
from heartlab.observation import Observation
from heartlab.web.judge import Judgement, Outcome

QUEEN = np.uint64(1) << np.uint64(QUEEN_OF_SPADES)
MOON_ALARM = 0.12
"""A share of the worlds from which the moon is worth a word."""


@dataclass(frozen=True)
class Idea:
    """A reason with its weight."""

    code: str
    weight: float
    sentence: str


@dataclass(frozen=True)
class Scene:
    """A card in a judged decision."""

    judged: Judgement
    card: Card

    @cached_property
    def outcome(self) -> Outcome:
        """What happens after the card."""
        return self.judged.outcomes[self.card]

    @cached_property
    def suit(self) -> int:
        """The suit of the card."""
        return card_suit(self.card)

    @cached_property
    def hand(self) -> CardSet:
        """The hand before the card."""
        return self.judged.obs.hand

    @cached_property
    def mates(self) -> list[Card]:
        """The other cards of the same suit in the hand."""
        return [card for card in self.hand if card_suit(card) == self.suit and card != self.card]

    @cached_property
    def leads(self) -> bool:
        """The card opens a trick."""
        return not self.judged.obs.trick

    @cached_property
    def follows(self) -> bool:
        """The card follows suit."""
        return self.judged.obs.led == self.suit

    @cached_property
    def discards(self) -> bool:
        """The card is thrown on another suit."""
        return not self.leads and not self.follows

    @cached_property
    def is_last(self) -> bool:
        """No seat plays after this one."""
        return len(self.judged.obs.trick) == self.judged.obs.rules.players - 1

    @cached_property
    def high(self) -> Card:
        """The card that is winning the trick so far."""
        return self.judged.obs.winning[1] if self.judged.obs.winning else -1

    @cached_property
    def under(self) -> bool:
        """The card follows below the winning one."""
        return self.follows and self.card < self.high

    @cached_property
    def on_table(self) -> int:
        """Points on the table."""
        return sum(max(0, self.judged.obs.rules.card_points(card)) for _, card in self.judged.obs.trick)

    @cached_property
    def queen_out(self) -> bool:
        """Q♠ is in another hand."""
        return QUEEN_OF_SPADES in self.judged.obs.unseen

    @cached_property
    def lonely_queen(self) -> float:
        """The share of worlds in which the holder of Q♠ has no other spade."""
        hands = self.judged.worlds["hands"][:, : self.judged.obs.rules.players]
        holds = (hands & QUEEN) != 0
        alone = np.bitwise_count(hands & np.uint64(CS_SUITS[SPADES])) == 1
        return float((holds & alone).any(axis=1).mean())

    @cached_property
    def collector(self) -> int | None:
        """The only other seat that has points, if it has enough to think of the moon."""
        if self.judged.obs.rules.moon == "off":
            return None
        points = [max(0, value) for value in self.judged.obs.points]
        seats = [seat for seat, value in enumerate(points) if value]
        if len(seats) == 1 and seats[0] != self.judged.obs.seat:
            worst = max(outcome.moon for outcome in self.judged.outcomes.values())
            if points[seats[0]] >= 5 or worst >= MOON_ALARM:
                return seats[0]
        return None

    @cached_property
    def feeds_moon(self) -> bool:
        """The card gives points to the seat that may shoot the moon, and the moon is likely then."""
        winning = self.judged.obs.winning
        gives = winning is not None and winning[0] == self.collector and not self.leads
        return gives and self.judged.obs.rules.card_points(self.card) > 0 and self.outcome.moon >= MOON_ALARM

    def count(self, share: float) -> str:
        """A share of the worlds in words."""
        total = len(self.judged.worlds)
        return f"in {round(share * total)} of {total} deals that fit what you have seen"


Judging = Callable[[Scene], "tuple[float, str] | None"]
_ideas: dict[str, Judging] = {}


def idea(code: str) -> Callable[[Judging], Judging]:
    """Add an idea."""

    def add(function: Judging) -> Judging:
        _ideas[code] = function
        return function

    return add


def moon_threatens(judged: Judgement) -> bool:
    """Whether somebody shoots the moon in many worlds, after whichever legal card."""
    return any(max(one.moon, one.own_moon) >= MOON_ALARM for one in judged.outcomes.values())


def ideas_for(judged: Judgement, card: Card, names: list[str]) -> list[Idea]:
    """The ideas that speak for a card, heaviest first; `names` are those of the seats."""
    scene = Scene(judged, card)
    found = []
    for code, function in _ideas.items():
        answer = function(scene)
        if answer is not None:
            text = answer[1]
            for seat, name in enumerate(names):
                text = text.replace(f"<{seat}>", name)
            found.append(Idea(code, answer[0], text))
    telling = [one for one in found if one.code != "least"]
    return sorted(telling or found, key=lambda one: -one.weight)


@idea("duck")
def duck(scene: Scene) -> tuple[float, str] | None:
    """Stay below."""
    over = [card for card in scene.judged.obs.legal if scene.follows and card > scene.high]
    if not scene.under:
        return None
    what = pretty_card(scene.card)
    if any(card == QUEEN_OF_SPADES for _, card in scene.judged.obs.trick):
        last = "you are last, and " if scene.is_last else ""
        return 12.0, f"Duck: {last}Q♠ lies on the table; {what} stays under {pretty_card(scene.high)}."
    if scene.on_table:
        return 3.0 + scene.on_table / 4, f"Duck: {what} leaves the {scene.on_table} points on the table to another."
    return (2.0, f"Duck: {what} stays under {pretty_card(scene.high)}.") if over else (
        1.0, f"Duck with {what}, the highest that stays under: lower cards are worth more later."
    )  # fmt: skip


@idea("flush-queen")
def flush_queen(scene: Scene) -> tuple[float, str] | None:
    """Lead spades until the queen falls."""
    below = scene.suit == SPADES and scene.card < QUEEN_OF_SPADES
    if not (scene.leads and below and scene.queen_out):
        return None
    alone = scene.lonely_queen
    sure = f": {scene.count(alone)} the holder of Q♠ has no other spade and must drop it" if alone >= 0.05 else ""
    return 6.0 + 4 * alone, f"Flush the queen: a spade below Q♠ is safe to lead and pulls the holder's spades{sure}."


@idea("stop-moon")
def stop_moon(scene: Scene) -> tuple[float, str] | None:
    """Keep somebody from shooting the moon."""
    seat = scene.collector
    if seat is None:
        return None
    values = [outcome.moon for outcome in scene.judged.outcomes.values()]
    saved = max(values) - scene.outcome.moon
    obs = scene.judged.obs
    winner = obs.winning[0] if obs.winning else None
    point_card = obs.rules.card_points(scene.card) > 0
    gives = scene.discards and point_card and winner is not None and winner != seat
    takes = scene.outcome.takes >= 0.5 and scene.outcome.trick_points > 0
    keeps = (
        scene.discards
        and scene.suit != HEARTS
        and any(card_suit(card) == HEARTS and card_rank(card) >= 9 for card in scene.hand)
    )
    if not (gives or takes or keeps or saved >= 0.05):
        return None
    how = (
        f"give a point to <{winner}>" if gives
        else "take a point yourself" if takes
        else "keep a high heart for later" if keeps
        else "this card leaves it the least chance"
    )  # fmt: skip
    risk = f"; after this card it still succeeds {scene.count(scene.outcome.moon)}"
    return 9.0 + 20 * saved, f"Stop the moon: <{seat}> has all the points so far; {how}{risk}."


@idea("shoot-moon")
def shoot_moon(scene: Scene) -> tuple[float, str] | None:
    """Take everything oneself."""
    share = scene.outcome.own_moon
    if share < 0.25 or scene.judged.obs.rules.moon == "off":
        return None
    return 5.0 + 8 * share, f"Shoot the moon: it succeeds {scene.count(share)} even if all play on plainly."


@idea("drop-queen")
def drop_queen(scene: Scene) -> tuple[float, str] | None:
    """Throw the queen on another seat's trick."""
    if scene.card != QUEEN_OF_SPADES or scene.leads or not (scene.discards or scene.under) or scene.feeds_moon:
        return None
    winner = scene.judged.obs.winning[0] if scene.judged.obs.winning else 0
    return 12.0, f"Get rid of Q♠: <{winner}> is winning this trick, and the 13 points go along."


@idea("drop-danger")
def drop_danger(scene: Scene) -> tuple[float, str] | None:
    """Throw away K♠ or A♠, or a high heart, before it takes something."""
    if scene.card >= KING_OF_SPADES and scene.suit == SPADES and scene.queen_out:
        if scene.discards:
            return 7.0, f"Get rid of {pretty_card(scene.card)}: it would take Q♠, which is still out."
        if scene.follows and (scene.is_last or scene.under) and not scene.outcome.queen_to_me:
            return 7.0, f"Get rid of {pretty_card(scene.card)} now, while Q♠ cannot fall on it."
    if scene.discards and scene.suit == HEARTS and not scene.feeds_moon:
        return 4.0, f"Throw a heart: {pretty_card(scene.card)} gives a point away and can take none later."
    if scene.discards and card_rank(scene.card) >= 8 and scene.card != QUEEN_OF_SPADES:
        return 3.0, f"Throw a high card: {pretty_card(scene.card)} can no longer win a trick that you do not want."
    return None


@idea("guard-queen")
def guard_queen(scene: Scene) -> tuple[float, str] | None:
    """Keep the spades that protect one's queen."""
    spades = [card for card in scene.hand if card_suit(card) == SPADES]
    if QUEEN_OF_SPADES not in scene.hand or scene.suit == SPADES or len(spades) < 2 or not scene.discards | scene.leads:
        return None
    return 2.5, f"Keep your {len(spades)} spades together: they guard Q♠ while others lead the suit."


@idea("void")
def make_void(scene: Scene) -> tuple[float, str] | None:
    """Get rid of a suit."""
    out = [card for card in scene.judged.obs.unseen if card_suit(card) == scene.suit]
    if scene.mates or not out or scene.suit == HEARTS or scene.card == QUEEN_OF_SPADES:
        return None
    weight = 3.5 if scene.leads or scene.discards else 1.5
    return (
        weight,
        f"Make a void: {pretty_card(scene.card)} is your last {SUIT_NAMES[scene.suit][:-1]}; then you can throw.",
    )


@idea("keep-exit")
def keep_exit(scene: Scene) -> tuple[float, str] | None:
    """Spend a high card where it is harmless; low cards are ways out later."""
    out = [card for card in scene.judged.obs.unseen if card_suit(card) == scene.suit]
    lower = [card for card in scene.mates if card < scene.card and any(other > card for other in out)]
    if not lower or card_rank(scene.card) < 6 or scene.card == QUEEN_OF_SPADES:
        return None
    exits = f"{pretty_card(min(lower))} stays as an exit, to give up the lead when you must"
    if scene.follows and not scene.under and scene.outcome.trick_points < 0.5 and scene.outcome.takes >= 0.3:
        first = "this trick is harmless" if not scene.on_table else "you have to take this trick"
        return 5.0, f"Keep an exit: {first}, so spend {pretty_card(scene.card)}; {exits}."
    if scene.follows and not scene.under and scene.is_last:
        return 4.5, f"Keep an exit: you take the trick anyway, so take it high; {exits}."
    if scene.leads and scene.outcome.trick_points < 0.5:
        return 4.0, f"Keep an exit: lead {pretty_card(scene.card)} while it is cheap; {exits}."
    if scene.discards:
        return 3.5, f"Keep an exit: throw {pretty_card(scene.card)}; {exits}."
    return None


@idea("low-lead")
def low_lead(scene: Scene) -> tuple[float, str] | None:
    """Lead something that another seat has to take."""
    if not scene.leads:
        return None
    lose = 1 - scene.outcome.takes
    if lose < 0.5:
        return None
    return 2.0 + lose, f"Exit with {pretty_card(scene.card)}: another seat takes the trick {scene.count(lose)}."


@idea("safe-win")
def safe_win(scene: Scene) -> tuple[float, str] | None:
    """Take a trick without points."""
    if scene.outcome.takes < 0.5 or scene.outcome.trick_points >= 0.5 or (scene.leads and len(scene.hand) < 2):
        return None
    return 1.5, f"Taking this trick is cheap: it holds {scene.outcome.trick_points:.1f} points on average."


@idea("bonus")
def bonus(scene: Scene) -> tuple[float, str] | None:
    """Catch the bonus card."""
    card = scene.judged.obs.rules.bonus
    if card is None or not any(played == card for _, played in scene.judged.obs.trick) or scene.outcome.takes < 0.5:
        return None
    return 8.0, f"Catch {pretty_card(card)}: it lies on the table, and {pretty_card(scene.card)} takes it."


@idea("least")
def least(scene: Scene) -> tuple[float, str] | None:
    """Nothing else can be said: the numbers decide."""
    if len(scene.judged.outcomes) == 1:
        return 0.1, "It is the only legal card."
    return (0.1, "It costs the least over the deals that fit.") if scene.card == scene.judged.best else None


def passing_words(obs: Observation, cards: CardSet) -> list[str]:
    """What speaks for passing some cards."""
    words = []
    kept = obs.hand - cards
    for suit in (CLUBS, DIAMONDS):
        given = [card for card in cards if card_suit(card) == suit]
        if given and not any(card_suit(card) == suit for card in kept):
            words.append(f"It makes you void in {SUIT_NAMES[suit]}: then you can throw what you do not want.")
    high = [card for card in cards if card_suit(card) == SPADES and card >= QUEEN_OF_SPADES]
    low = [card for card in kept if card_suit(card) == SPADES and card < QUEEN_OF_SPADES]
    if high:
        few = f"only {len(low)}" if low else "no"
        words.append(f"{' '.join(map(pretty_card, high))} would be guarded by {few} low spades: let another have it.")
    elif QUEEN_OF_SPADES in kept:
        words.append(f"Q♠ stays with {len(low)} low spades to guard it: better in your hand than behind your back.")
    hearts = [card for card in cards if card_suit(card) == HEARTS]
    if hearts:
        words.append(f"{' '.join(map(pretty_card, hearts))} can take no hearts for you any more.")
    return words or ["High cards go, low cards stay: they let you give up the lead."]
