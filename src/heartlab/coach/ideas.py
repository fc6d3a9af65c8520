"""Why a card is good, in a player's words: ideas that every Hearts player knows, checked against the sampled deals.

An idea is a function of a judged decision: it returns None, or a weight and a sentence; the heaviest ideas come first.
It speaks for a card, never against one, and is true in this position: it uses only the observation, worlds that fit it,
and what happened in the deals that were played on from there. Numbers in sentences count these deals, as so many of
100. An idea returns None where the rules make it pointless, such as the fear of a Q♠ that counts nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec

from heartlab.cards import (
    HEARTS,
    JACK,
    KING_OF_SPADES,
    QUEEN_OF_SPADES,
    SPADES,
    Card,
    card_rank,
    card_suit,
    pretty_card,
)
from heartlab.coach.judgement import Judgement
from heartlab.coach.phrases import of_100, price_of_trick, so_many, so_many_points, told_suit
from heartlab.coach.scene import MOON_ALARM, Scene
from heartlab.util.said import Said

SAVED = 0.03
"""The least share of moons that a card must prevent, compared with the worst card, to be credited with it."""
SHOOTS = 0.25
"""The least share of deals with an own moon at which shooting is recommended."""
LIKELY = 0.5
"""From this share on a moon is made harder, rather than stopped."""


@dataclass(frozen=True)
class Idea:
    """A reason with its weight."""

    code: str
    weight: float
    sentence: Said
    kind: str = ""
    """The special case that the sentence names: how a moon is stopped, or which card is thrown and why."""


Asked = ParamSpec("Asked")
Answer = tuple[float, Said] | tuple[float, Said, str] | None


class Ideas(Generic[Asked]):
    """Ideas by their codes: functions that say how much they speak for something, and why; `@ideas(CODE)` adds one."""

    def __init__(self) -> None:
        self._known: dict[str, Callable[Asked, Answer]] = {}

    def __call__(self, code: str) -> Callable[[Callable[Asked, Answer]], Callable[Asked, Answer]]:
        def add(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
            self._known[code] = function
            return function

        return add

    def found(self, *asked: Asked.args, **named: Asked.kwargs) -> list[Idea]:
        """The ideas that speak for it, heaviest first."""
        answers = [(code, function(*asked, **named)) for code, function in self._known.items()]
        ideas = [Idea(code, *answer) for code, answer in answers if answer is not None]
        return sorted(ideas, key=lambda one: -one.weight)


idea: Ideas[[Scene]] = Ideas()


def moon_threatens(judged: Judgement) -> bool:
    """Whether somebody shoots the moon in many deals, after whichever legal card."""
    return any(max(one.moon, one.own_moon) >= MOON_ALARM for one in judged.outcomes.values())


def ideas_for(judged: Judgement, card: Card, names: list[str]) -> list[Idea]:
    """The ideas that speak for a card, heaviest first; `names` are those of the seats."""
    return idea.found(Scene(judged, card, names))


@idea("duck")
def duck(scene: Scene) -> tuple[float, Said] | None:
    """Stay below."""
    if not scene.under:
        return None
    legal, card, high = scene.judged.obs.legal, pretty_card(scene.card), pretty_card(scene.high)
    if scene.judged.obs.rules.queen_points > 0 and any(card == QUEEN_OF_SPADES for _, card in scene.judged.obs.trick):
        if scene.is_last:
            return 12.0, Said("Duck: you are last, and Q♠ lies there; {card} stays under {high}.", card=card, high=high)
        return 12.0, Said("Duck: Q♠ lies there; {card} stays under {high}.", card=card, high=high)
    if scene.on_table:
        points = so_many_points(scene.on_table)
        return 3.0 + scene.on_table / 4, Said(
            "Duck: {card} leaves {points} to somebody else.", card=card, points=points
        )
    if any(card > scene.high for card in legal if card_suit(card) == scene.suit):
        return 2.0, Said("Duck: {card} stays under {high}.", card=card, high=high)
    if len(legal) > 1 and scene.card == max(legal):
        return 1.0, Said("Duck high: {card} is the highest that stays under {high}.", card=card, high=high)
    return None


@idea("flush-queen")
def flush_queen(scene: Scene) -> tuple[float, Said] | None:
    """Lead spades until the queen falls."""
    below = scene.suit == SPADES and scene.card < QUEEN_OF_SPADES
    safe = scene.leads and below and scene.queen_out and not scene.outcome.queen_to_me
    if not safe or scene.held_queen < 0.5:
        return None
    alone = scene.lonely_queen
    weight, card = 6.0 + 4 * alone, pretty_card(scene.card)
    if alone < 0.05:
        return weight, Said("Flush the queen: {card} cannot take Q♠.", card=card)
    return weight, Said(
        "Flush the queen: {card} cannot take Q♠, which must fall {share}.", card=card, share=of_100(alone)
    )


@idea("stop-moon")
def stop_moon(scene: Scene) -> tuple[float, Said, str] | None:
    """Keep somebody from shooting the moon, with a card after which that is less likely than after another."""
    values = {card: outcome.moon for card, outcome in scene.judged.outcomes.items()}
    worst = max(values, key=lambda card: values[card])
    saved = values[worst] - scene.outcome.moon
    if scene.collector is None or saved < SAVED:
        return None
    how, kind = _how_to_stop(scene, worst)
    known = dict(
        who=scene.names[scene.collector], how=how, here=of_100(scene.outcome.moon), worst=pretty_card(worst),
        there=so_many(values[worst]),
    )  # fmt: skip
    if scene.outcome.moon >= LIKELY:
        said = Said("Make {who}'s moon harder: {how}; the moon succeeds {here}, after {worst} {there}.", **known)
    else:
        said = Said("Stop {who}'s moon: {how}; the moon succeeds {here}, after {worst} {there}.", **known)
    return 9.0 + 20 * saved, said, kind


def _how_to_stop(scene: Scene, worst: Card) -> tuple[Said, str]:
    """What a card does against the moon of the seat that has all points, and the name of that.

    What is to be kept, or not to be led, is none of the cards that are about as good.
    """
    obs = scene.judged.obs
    card, winner, equal = pretty_card(scene.card), obs.winning[0] if obs.winning else None, scene.judged.equal
    if scene.discards and scene.value > 0 and winner is not None and winner != scene.collector:
        return Said("throw points on {who}'s trick", who=scene.names[winner]), "give-away"
    if scene.outcome.takes_points >= 0.5:
        price = scene.outcome.trick_points
        if price < 1.5:
            return Said("take one heart yourself"), "take-one"
        total = obs.rules.total_points
        return Said("take {price:.0f} points now to save {total}", price=price, total=total), "small-price"
    stopper = _kept_heart(scene, worst)
    if stopper is not None and not scene.leads:
        return Said("keep {card} to take a heart later", card=pretty_card(stopper)), "keep-stopper"
    if scene.leads and card_suit(worst) not in map(card_suit, [scene.card, *equal]):
        who, suit = scene.names[scene.collector or 0], told_suit(card_suit(worst))
        return Said("do not lead {suit}, which {who} needs", suit=suit, who=who), "other-suit"
    if stopper is not None:
        return Said("keep {card} to take a heart later", card=pretty_card(stopper)), "keep-stopper"
    if scene.discards and winner == scene.collector and scene.value <= 0 < obs.rules.card_points(worst):
        return Said("throw no points on {who}'s trick", who=scene.names[scene.collector or 0]), "no-points"
    if scene.follows and scene.outcome.takes >= 0.5 > scene.judged.outcomes[worst].takes:
        return Said("win this trick with {card}", card=card), "win-trick"
    if scene.leads or worst in equal:
        return Said("play {card}", card=card), "this-card"
    return Said("keep {card}", card=pretty_card(worst)), "keep-card"


def _kept_heart(scene: Scene, worst: Card) -> Card | None:
    """The heart that stays to stop a moon: a high one, or the one that it would be worst to play instead."""
    if scene.judged.obs.rules.heart_points == "none":
        return None
    equal = scene.judged.equal
    high = scene.leaves(lambda one: card_suit(one) == HEARTS and card_rank(one) >= JACK and one not in equal)
    if high:
        return max(high)
    lower = scene.suit == card_suit(worst) == HEARTS and worst > scene.card
    return worst if lower and worst not in equal else None


@idea("shoot-moon")
def shoot_moon(scene: Scene) -> tuple[float, Said] | None:
    """Take everything oneself."""
    share = scene.outcome.own_moon
    worst = min(scene.judged.outcomes, key=lambda card: scene.judged.outcomes[card].own_moon)
    least, other = scene.judged.outcomes[worst].own_moon, pretty_card(worst)
    most = max(one.own_moon for one in scene.judged.outcomes.values())
    if share < max(SHOOTS, most - SAVED) or scene.card not in scene.judged.equal:
        return None
    weight, here = 6.0 + 10 * share, of_100(share)
    if share - least < SAVED:
        return weight, Said("Shoot the moon: it succeeds {share}.", share=here)
    if not least:
        return weight, Said("Shoot the moon: it succeeds {share}, after {other} never.", share=here, other=other)
    return weight, Said(
        "Shoot the moon: it succeeds {share}, after {other} only {least}.",
        share=here, other=other, least=so_many(least),
    )  # fmt: skip


@idea("drop-queen")
def drop_queen(scene: Scene) -> tuple[float, Said] | None:
    """Throw the queen on another seat's trick."""
    away = scene.card == QUEEN_OF_SPADES and (scene.discards or scene.under)
    if not away or scene.value <= 0 or scene.feeds_moon:
        return None
    winner = scene.judged.obs.winning[0] if scene.judged.obs.winning else 0
    return 12.0, Said("Get rid of Q♠: {who} is winning this trick.", who=scene.names[winner])


@idea("drop-danger")
def drop_danger(scene: Scene) -> tuple[float, Said, str] | None:
    """Throw away K♠ or A♠, or a high heart, before it takes something."""
    card = pretty_card(scene.card)
    if scene.card >= KING_OF_SPADES and scene.suit == SPADES and scene.queen_out:
        if scene.discards:
            return 7.0, Said("Get rid of {card}: it could take Q♠, which is still out.", card=card), "spade"
        if scene.under or (scene.follows and scene.is_last and not scene.judged.obs.rules.kitty_size):
            return 7.0, Said("Get rid of {card} now, while it cannot take Q♠.", card=card), "spade"
    if not scene.discards or scene.card in (QUEEN_OF_SPADES, scene.judged.obs.rules.bonus):
        return None
    if scene.suit == HEARTS and scene.value > 0:
        said = Said("Throw a heart: {card} gives {points} away.", card=card, points=so_many_points(scene.value))
        return None if scene.feeds_moon else (4.0, said, "heart")
    if card_rank(scene.card) >= JACK - 1 and (not scene.out or min(scene.out) < scene.card):
        return 3.0, Said("Throw high: {card} could win a trick that you do not want.", card=card), "high"
    return None


@idea("guard-queen")
def guard_queen(scene: Scene) -> tuple[float, Said] | None:
    """Keep the spades that protect one's queen."""
    guards = [card for card in scene.hand if card_suit(card) == SPADES and card < QUEEN_OF_SPADES]
    spades_out = any(card_suit(card) == SPADES for card in scene.judged.obs.unseen)
    fears = scene.judged.obs.rules.queen_points > 0 and QUEEN_OF_SPADES in scene.hand
    if not (fears and guards and spades_out) or scene.suit == SPADES or scene.follows:
        return None
    if len(guards) == 1:
        return 2.5, Said("Keep your spade below Q♠ to guard her.")
    return 2.5, Said("Keep your {n} spades below Q♠ to guard her.", n=len(guards))


@idea("void")
def make_void(scene: Scene) -> tuple[float, Said] | None:
    """Get rid of a suit."""
    if scene.mates or not scene.out or scene.suit == HEARTS or scene.card == QUEEN_OF_SPADES or len(scene.hand) < 3:
        return None
    weight = 3.5 if scene.leads or scene.discards else 1.5
    suit = [Said("club"), Said("diamond"), Said("spade"), Said("heart")][scene.suit]
    return weight, Said("Make a void: {card} is your last {suit}.", card=pretty_card(scene.card), suit=suit)


@idea("keep-exit")
def keep_exit(scene: Scene) -> tuple[float, Said, str] | None:
    """Spend a high card where it is harmless; low cards are ways out later."""
    lowest = min(scene.mates, default=scene.card)
    if not (lowest < scene.card and scene.is_exit(lowest)):
        return None
    if scene.card in (QUEEN_OF_SPADES, scene.judged.obs.rules.bonus) or lowest in scene.judged.equal:
        return None
    card, low, mean = pretty_card(scene.card), pretty_card(lowest), scene.outcome.trick_points
    if scene.under:
        high = pretty_card(scene.high)
        if scene.on_table:  # to duck is a reason of its own
            return 2.5, Said("Keep {low} as an exit.", low=low), "under"
        said = Said("{card} cannot win under {high}; {low} stays as an exit.", card=card, high=high, low=low)
        return 2.5, said, "under"
    if card_rank(scene.card) < 6:
        return None
    if scene.follows and scene.is_last and min(scene.judged.obs.legal) > scene.high:
        said = Said("Take it high: the trick is yours anyway, and {low} stays as an exit.", low=low)
        return (4.5, said, "forced") if scene.card == max(scene.judged.obs.legal) else None
    if scene.follows and not scene.under and mean < 0.5 and scene.outcome.takes >= 0.3:
        said = Said("Spend {card} while the trick is cheap ({price}); {low} stays as an exit.", card=card,
                    price=price_of_trick(mean), low=low)  # fmt: skip
        return 5.0, said, "spend"
    if scene.leads and mean < 0.5:
        said = Said("Lead {card} while it is cheap ({price}); {low} stays as an exit.", card=card,
                    price=price_of_trick(mean), low=low)  # fmt: skip
        return 4.0, said, "lead"
    if scene.discards:
        return 3.5, Said("Keep {low} as an exit.", low=low), "throw"
    return None


@idea("low-lead")
def low_lead(scene: Scene) -> tuple[float, Said] | None:
    """Lead something that another seat has to take."""
    lose = 1 - scene.outcome.takes
    if not scene.leads or lose < 0.5:
        return None
    card = pretty_card(scene.card)
    return 2.0 + lose, Said("Lose the lead: somebody beats {card} {share}.", card=card, share=of_100(lose))


@idea("low-follow")
def low_follow(scene: Scene) -> tuple[float, Said] | None:
    """Follow with a card that another seat goes over."""
    lose = 1 - scene.outcome.takes
    higher = any(card > scene.card for card in scene.mates)
    lower = any(card < scene.card and card not in scene.judged.equal for card in scene.mates)
    if not scene.follows or scene.under or scene.is_last or not higher or lose < 0.5:
        return None
    known = dict(card=pretty_card(scene.card), share=of_100(lose))
    if lower:
        return 1.5 + lose, Said("{card} is low enough: somebody goes over it {share}.", **known)
    return 1.5 + lose, Said("Stay low: somebody goes over {card} {share}.", **known)


@idea("safe-win")
def safe_win(scene: Scene) -> tuple[float, Said] | None:
    """Take a trick without points."""
    if scene.outcome.takes < 0.5 or scene.outcome.trick_points >= 0.5 or (scene.leads and len(scene.hand) < 2):
        return None
    return 1.5, Said("Taking this trick is cheap: {price}.", price=price_of_trick(scene.outcome.trick_points))


@idea("bonus")
def bonus(scene: Scene) -> tuple[float, Said] | None:
    """Catch the bonus card."""
    card = scene.judged.obs.rules.bonus
    if card is None or not any(played == card for _, played in scene.judged.obs.trick) or scene.outcome.takes < 0.5:
        return None
    what, mine, takes = pretty_card(card), pretty_card(scene.card), scene.outcome.takes
    if takes == 1:
        return 8.0, Said("Catch {what}: {card} takes it.", what=what, card=mine)
    return 8.0, Said("Catch {what}: {card} takes it {share}.", what=what, card=mine, share=of_100(takes))
