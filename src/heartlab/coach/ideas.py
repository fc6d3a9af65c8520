"""Why a card is good, in a player's words: ideas that every Hearts player knows, checked against the sampled worlds.

An idea is a function of a judged decision: it returns None, or a weight and a sentence; the heaviest ideas come first.
It uses only the observation, worlds that fit it, and what happened there. Numbers in sentences count worlds: "in 83 of
100 deals that fit what you have seen". An idea returns None where the rules make it pointless, such as the fear of a
Q♠ that counts nothing.
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
    JACK,
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
from heartlab.coach.judgement import PLAY_ON, Judgement, Outcome
from heartlab.observation import Observation

QUEEN = np.uint64(1) << np.uint64(QUEEN_OF_SPADES)
MOON_ALARM = 0.12
"""A share of the worlds from which the moon is worth a word."""
SAVED = 0.03
"""By how much a card must make a moon less likely than the worst card does, to be praised for it."""
GUARDS = 3
"""Low spades with which Q♠ is safe enough to keep."""


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
    def value(self) -> int:
        """What the card counts."""
        return self.judged.obs.rules.card_points(self.card)

    @cached_property
    def out(self) -> list[Card]:
        """The cards of the same suit that the seat has not seen."""
        return [card for card in self.judged.obs.unseen if card_suit(card) == self.suit]

    @cached_property
    def queen_out(self) -> bool:
        """Q♠ counts, and the seat has not seen it."""
        return self.judged.obs.rules.queen_points > 0 and QUEEN_OF_SPADES in self.judged.obs.unseen

    @cached_property
    def held_queen(self) -> float:
        """The share of worlds in which another seat holds Q♠; in the rest it is in the kitty."""
        hands = self.judged.worlds["hands"][:, : self.judged.obs.rules.players]
        return float(((hands & QUEEN) != 0).any(axis=1).mean())

    @cached_property
    def lonely_queen(self) -> float:
        """The share of worlds in which the holder of Q♠ has no other spade."""
        hands = self.judged.worlds["hands"][:, : self.judged.obs.rules.players]
        holds = (hands & QUEEN) != 0
        alone = np.bitwise_count(hands & np.uint64(CS_SUITS[SPADES])) == 1
        return float((holds & alone).any(axis=1).mean())

    @cached_property
    def collector(self) -> int | None:
        """The only seat that has points, if it is another one and the rules know a moon."""
        seats = [seat for seat, value in enumerate(penalty_points(self.judged.obs)) if value]
        alone = self.judged.obs.rules.moon != "off" and len(seats) == 1 and seats[0] != self.judged.obs.seat
        return seats[0] if alone else None

    @cached_property
    def feeds_moon(self) -> bool:
        """The card gives points to the seat that may shoot the moon, and the moon is likely then."""
        winning = self.judged.obs.winning
        gives = winning is not None and winning[0] == self.collector and not self.leads
        return gives and self.value > 0 and self.outcome.moon >= MOON_ALARM

    def times(self, share: float) -> str:
        """A share of the worlds as a number of them."""
        return f"in {round(share * len(self.judged.worlds))}"

    def count(self, share: float) -> str:
        """A share of the worlds in words."""
        return f"{self.times(share)} of {len(self.judged.worlds)} deals that fit what you have seen"


def penalty_points(obs: Observation) -> list[int]:
    """The penalty points that each seat is known to have taken, without a bonus: what a moon has to collect."""
    penalty = obs.rules.penalty_cards
    return [sum(obs.rules.card_points(card) for card in cards & penalty) for cards in obs.taken]


def counted(number: int, what: str) -> str:
    """A number of things: "1 point", "2 points"."""
    return f"{number} {what}{'' if number == 1 else 's'}"


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
    if not scene.under:
        return None
    legal, what = scene.judged.obs.legal, pretty_card(scene.card)
    fears_queen = scene.judged.obs.rules.queen_points > 0
    if fears_queen and any(card == QUEEN_OF_SPADES for _, card in scene.judged.obs.trick):
        last = "you are last, and " if scene.is_last else ""
        return 12.0, f"Duck: {last}Q♠ lies on the table; {what} stays under {pretty_card(scene.high)}."
    if scene.on_table:
        points = counted(scene.on_table, "point")
        return 3.0 + scene.on_table / 4, f"Duck: {what} leaves the {points} on the table to another."
    if any(card > scene.high for card in legal):
        return 2.0, f"Duck: {what} stays under {pretty_card(scene.high)}."
    if len(legal) > 1 and scene.card == max(legal):
        return 1.0, f"Duck with {what}, the highest that stays under: lower cards are worth more later."
    return None


@idea("flush-queen")
def flush_queen(scene: Scene) -> tuple[float, str] | None:
    """Lead spades until the queen falls."""
    below = scene.suit == SPADES and scene.card < QUEEN_OF_SPADES
    safe = scene.leads and below and scene.queen_out and not scene.outcome.queen_to_me
    if not safe or scene.held_queen < 0.5:
        return None
    alone = scene.lonely_queen
    sure = f": {scene.count(alone)} the holder of Q♠ has no other spade and must drop it" if alone >= 0.05 else ""
    return 6.0 + 4 * alone, f"Flush the queen: a spade below Q♠ never takes it and pulls the holder's spades{sure}."


@idea("stop-moon")
def stop_moon(scene: Scene) -> tuple[float, str] | None:
    """Keep somebody from shooting the moon, with a card after which that is less likely than after another."""
    values = [outcome.moon for outcome in scene.judged.outcomes.values()]
    saved = max(values) - scene.outcome.moon
    if scene.collector is None or saved < SAVED:
        return None
    obs = scene.judged.obs
    winner = obs.winning[0] if obs.winning else None
    gives = scene.discards and scene.value > 0 and winner != scene.collector
    keeps = (
        scene.discards
        and scene.suit != HEARTS
        and any(card_suit(card) == HEARTS and card_rank(card) >= JACK for card in obs.rules.penalty_cards & scene.hand)
    )
    how = (
        f"throw points on <{winner}>'s trick" if gives
        else "take points yourself" if scene.outcome.takes_points >= 0.5
        else "keep a high heart for later" if keeps
        else "this card leaves it the least chance" if scene.outcome.moon == min(values)
        else "this card leaves it less chance than another"
    )  # fmt: skip
    here, worst = scene.count(scene.outcome.moon), scene.times(max(values))
    risk = f"after this card the moon succeeds {here}, after the worst {worst}"
    return 9.0 + 20 * saved, f"Stop the moon: <{scene.collector}> has all the points so far; {how}; {risk}."


@idea("shoot-moon")
def shoot_moon(scene: Scene) -> tuple[float, str] | None:
    """Take everything oneself."""
    share = scene.outcome.own_moon
    if share < 0.25:
        return None
    return 5.0 + 8 * share, f"Shoot the moon: it succeeds {scene.count(share)}, if you play on like {PLAY_ON}."


@idea("drop-queen")
def drop_queen(scene: Scene) -> tuple[float, str] | None:
    """Throw the queen on another seat's trick."""
    away = scene.card == QUEEN_OF_SPADES and (scene.discards or scene.under)
    if not away or scene.value <= 0 or scene.feeds_moon:
        return None
    winner = scene.judged.obs.winning[0] if scene.judged.obs.winning else 0
    return 12.0, f"Get rid of Q♠: <{winner}> is winning this trick, and you do not take the {scene.value} points."


@idea("drop-danger")
def drop_danger(scene: Scene) -> tuple[float, str] | None:
    """Throw away K♠ or A♠, or a high heart, before it takes something."""
    what = pretty_card(scene.card)
    if scene.card >= KING_OF_SPADES and scene.suit == SPADES and scene.queen_out:
        if scene.discards:
            return 7.0, f"Get rid of {what}: it could take Q♠, which is still out."
        if scene.under or (scene.follows and scene.is_last and not scene.judged.obs.rules.kitty_size):
            return 7.0, f"Get rid of {what} now, while it cannot take Q♠."
    if not scene.discards or scene.card in (QUEEN_OF_SPADES, scene.judged.obs.rules.bonus):
        return None
    if scene.suit == HEARTS and scene.value > 0:
        gives = f"{what} gives {counted(scene.value, 'point')} away and can take none later"
        return None if scene.feeds_moon else (4.0, f"Throw a heart: {gives}.")
    if card_rank(scene.card) >= JACK - 1 and (not scene.out or min(scene.out) < scene.card):
        return 3.0, f"Throw a high card: {what} can no longer win a trick that you do not want."
    return None


@idea("guard-queen")
def guard_queen(scene: Scene) -> tuple[float, str] | None:
    """Keep the spades that protect one's queen."""
    guards = [card for card in scene.hand if card_suit(card) == SPADES and card < QUEEN_OF_SPADES]
    spades_out = any(card_suit(card) == SPADES for card in scene.judged.obs.unseen)
    fears = scene.judged.obs.rules.queen_points > 0 and QUEEN_OF_SPADES in scene.hand
    if not (fears and guards and spades_out) or scene.suit == SPADES or scene.follows:
        return None
    low = counted(len(guards), "spade")
    return 2.5, f"Keep the {low} below Q♠: then another card than Q♠ can fall while others lead the suit."


@idea("void")
def make_void(scene: Scene) -> tuple[float, str] | None:
    """Get rid of a suit."""
    if scene.mates or not scene.out or scene.suit == HEARTS or scene.card == QUEEN_OF_SPADES:
        return None
    weight = 3.5 if scene.leads or scene.discards else 1.5
    return (
        weight,
        f"Make a void: {pretty_card(scene.card)} is your last {SUIT_NAMES[scene.suit][:-1]}; then you can throw.",
    )


@idea("keep-exit")
def keep_exit(scene: Scene) -> tuple[float, str] | None:
    """Spend a high card where it is harmless; low cards are ways out later."""
    lower = [card for card in scene.mates if card < scene.card and any(other > card for other in scene.out)]
    if not lower or card_rank(scene.card) < 6 or scene.card in (QUEEN_OF_SPADES, scene.judged.obs.rules.bonus):
        return None
    what, cheap = pretty_card(scene.card), scene.outcome.trick_points < 0.5
    exits = f"{pretty_card(min(lower))} stays as an exit, to give up the lead when you must"
    if scene.follows and scene.is_last and min(scene.judged.obs.legal) > scene.high:
        highest = scene.card == max(scene.judged.obs.legal)
        return (4.5, f"Keep an exit: you take the trick anyway, so take it high; {exits}.") if highest else None
    if scene.follows and not scene.under and cheap and scene.outcome.takes >= 0.3:
        first = f"this trick holds only {scene.outcome.trick_points:.1f} points on average"
        harmless = "this trick is harmless" if not scene.outcome.trick_points else first
        return 5.0, f"Keep an exit: {harmless}, so spend {what}; {exits}."
    if scene.leads and cheap:
        mean = f"{scene.outcome.trick_points:.1f} points on average"
        return 4.0, f"Keep an exit: lead {what} while it is cheap ({mean}); {exits}."
    if scene.discards:
        return 3.5, f"Keep an exit: throw {what}; {exits}."
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
    sure = "" if scene.outcome.takes == 1 else f" {scene.count(scene.outcome.takes)}"
    return 8.0, f"Catch {pretty_card(card)}: it lies on the table, and {pretty_card(scene.card)} takes it{sure}."


@idea("least")
def least(scene: Scene) -> tuple[float, str] | None:
    """No other idea applies: the numbers decide."""
    if len(scene.judged.outcomes) == 1:
        return 0.1, "It is the only legal card."
    cheapest = min(scene.judged.analysis.cards, key=lambda one: one.expected).card
    return (0.1, "It costs the least over the deals that fit.") if scene.card == cheapest else None


def passing_words(obs: Observation, cards: CardSet) -> list[str]:
    """What speaks for passing some cards."""
    words = []
    kept = obs.hand - cards
    for suit in (CLUBS, DIAMONDS):
        given = [card for card in cards if card_suit(card) == suit]
        if given and not any(card_suit(card) == suit for card in kept):
            words.append(f"It makes you void in {SUIT_NAMES[suit]}, unless you get some: then you can throw.")
    low = [card for card in kept if card_suit(card) == SPADES and card < QUEEN_OF_SPADES]
    guards = counted(len(low), "low spade")
    takers = [card for card in cards if card_suit(card) == SPADES and card >= KING_OF_SPADES]
    if obs.rules.queen_points > 0:
        if QUEEN_OF_SPADES in cards and len(low) < GUARDS:
            words.append(f"Q♠ would have {guards} to guard it, and that is not enough: let another have it.")
        if QUEEN_OF_SPADES in kept and len(low) >= GUARDS:
            words.append(f"Q♠ stays with {guards} to guard it: better in your hand than behind your back.")
        if takers and QUEEN_OF_SPADES not in kept:
            words.append(f"{' '.join(map(pretty_card, takers))} could take Q♠: let another have that.")
    hearts = [card for card in cards & obs.rules.penalty_cards if card_suit(card) == HEARTS and card_rank(card) >= 6]
    if hearts:
        words.append(f"{' '.join(map(pretty_card, hearts))} can take no hearts for you any more.")
    passed_rank, kept_rank = (np.mean([card_rank(card) for card in part]) for part in (cards, kept))
    if not words and passed_rank >= kept_rank + 2:
        words = ["High cards go, low cards stay: they let you give up the lead."]
    return words or ["Nothing speaks for it but the numbers."]
