"""Why to pass some cards, in a player's words; numbers are counted in the deals that were played on after each pass."""

from __future__ import annotations

from collections.abc import Iterable

from heartlab.cards import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    JACK,
    KING_OF_SPADES,
    QUEEN_OF_SPADES,
    SPADES,
    Card,
    CardSet,
    card_rank,
    card_suit,
    pretty_card,
)
from heartlab.coach.ideas import SAVED, Idea, Ideas
from heartlab.coach.judgement import PassReport
from heartlab.coach.phrases import every, of_100, so_many, told_suit
from heartlab.observation import Observation
from heartlab.util.said import Said

GUARDS = 3
"""Low spades with which Q♠ is safe enough to keep."""
SHOOTS = 0.2
"""The least share of deals with an own moon at which that is the reason of a pass."""
PLAN = 0.4
"""The least share of deals with an own moon that is a plan; below, it is a chance that the pass leaves."""
HIGH_HEART = 6
"""The rank (8) from which a heart is likely to take others."""

idea: Ideas[[Observation, CardSet]] = Ideas()


def pass_ideas(obs: Observation, cards: CardSet) -> list[Idea]:
    """The ideas that speak for passing some cards, heaviest first."""
    return idea.found(obs, cards)


def pass_reasons(obs: Observation, reports: list[PassReport]) -> tuple[list[str], list[str]]:
    """At most two sentences for the first of some passes, and the codes of the ideas that they name."""
    cards = reports[0].cards
    moon = _moon_in_numbers(reports)
    if moon is not None:
        return [moon], ["shoot-moon"]  # the other ideas are for those who duck
    found = pass_ideas(obs, cards)[:2]
    told: list[str] = [one.sentence for one in found]
    codes = [one.code for one in found]
    numbers = _queen_in_numbers(cards, reports)
    if numbers:
        return [*told[:1], numbers], codes[:1]
    return told or [Said("Nothing speaks for it but the numbers.")], codes


def _moon_in_numbers(reports: list[PassReport]) -> Said | None:
    """How often one shoots the moon after the first pass, if that is the plan; beside the pass with which least."""
    first, least = reports[0], min(reports, key=lambda one: one.outcome.own_moon)
    here, there = first.outcome.own_moon, least.outcome.own_moon
    if here < SHOOTS:
        return None
    known = dict(here=of_100(here), there=so_many(there), cards=_said(list(least.cards)))
    if round(100 * here) <= round(100 * there) + 1:
        return Said("Play for the moon: you shoot it {here}.", **known)
    if here < PLAN:
        return Said("You shoot the moon {here} with these, {there} if you pass {cards}.", **known)
    return Said("Play for the moon: you shoot it {here}, {there} if you pass {cards}.", **known)


def _queen_in_numbers(cards: CardSet, reports: list[PassReport]) -> Said | None:
    """How often one takes Q♠ after passing her, and after the best pass that keeps her."""
    keeping = next((one for one in reports if QUEEN_OF_SPADES not in one.cards), None)
    if QUEEN_OF_SPADES not in cards or keeping is None:
        return None
    here, there = reports[0].outcome.queen, keeping.outcome.queen
    if there - here < SAVED:
        return None
    return Said("You take Q♠ {here} if you pass her, {there} if you keep her.", here=of_100(here), there=so_many(there))


def _held(cards: Iterable[Card], suit: int) -> list[int]:
    return [card for card in cards if card_suit(card) == suit]


def _highest(obs: Observation, cards: CardSet, suit: int) -> list[int]:
    """The cards of a suit that are passed above all that are kept: where a higher one stays, height is no reason."""
    kept = max(_held(obs.hand - cards, suit), default=-1)
    return [card for card in _held(cards, suit) if card > kept]


def _said(cards: list[int]) -> str:
    return " ".join(map(pretty_card, sorted(cards)))


def _low_spades(number: int) -> Said:
    return Said("1 low spade") if number == 1 else Said("{n} low spades", n=number)


@idea("naked-queen")
def naked_queen(obs: Observation, cards: CardSet) -> tuple[float, Said] | None:
    """Pass Q♠ if she has too few guards."""
    guards = [card for card in _held(obs.hand - cards, SPADES) if card < QUEEN_OF_SPADES]
    if QUEEN_OF_SPADES not in cards or obs.rules.queen_points <= 0 or len(guards) >= GUARDS:
        return None
    if not guards:
        return 10.0, Said("Q♠ has no low spade to guard her: pass her on.")
    return 10.0, Said("Q♠ has only {low} to guard her: pass her on.", low=_low_spades(len(guards)))


@idea("keep-low-spades")
def keep_low_spades(obs: Observation, cards: CardSet) -> tuple[float, Said] | None:
    """Keep the spades below Q♠: as her guards, or to stay out of her way."""
    low = [card for card in _held(obs.hand - cards, SPADES) if card < QUEEN_OF_SPADES]
    if obs.rules.queen_points <= 0 or any(card < QUEEN_OF_SPADES for card in _held(cards, SPADES)):
        return None
    if QUEEN_OF_SPADES in obs.hand - cards and len(low) >= GUARDS:
        return 6.0, Said("Keep low spades: Q♠ is safe with {n} of them.", n=len(low))
    high = [card for card in _held(obs.hand - cards, SPADES) if card >= KING_OF_SPADES]
    if len(low) >= GUARDS and (high or QUEEN_OF_SPADES not in obs.hand):
        if high:
            return 4.0, Said("Keep low spades: you have {n} beside {high}.", n=len(low), high=_said(high))
        return 2.5, Said("Keep low spades: you have {n} below Q♠.", n=len(low))
    return None


@idea("high-spades")
def high_spades(obs: Observation, cards: CardSet) -> tuple[float, Said] | None:
    """Pass A♠ and K♠, which could take Q♠."""
    takers = [card for card in _highest(obs, cards, SPADES) if card >= KING_OF_SPADES]
    if not takers or obs.rules.queen_points <= 0 or QUEEN_OF_SPADES in obs.hand - cards:
        return None
    low = [card for card in _held(obs.hand - cards, SPADES) if card < QUEEN_OF_SPADES]
    if not low:
        return 7.0, Said("{cards} could take Q♠, and you have no low spade to duck with.", cards=_said(takers))
    if len(low) >= GUARDS:
        return 7.0, Said("Get rid of {cards}, which could take Q♠.", cards=_said(takers))
    few = _low_spades(len(low))
    return 7.0, Said("{cards} could take Q♠, and you have only {low} to duck with.", cards=_said(takers), low=few)


@idea("void-suit")
def void_suit(obs: Observation, cards: CardSet) -> tuple[float, Said] | None:
    """Pass all of a suit."""
    kept = obs.hand - cards
    suits = [suit for suit in (CLUBS, DIAMONDS) if _held(cards, suit) and not _held(kept, suit)]
    if suits:
        named = every([told_suit(suit) for suit in suits])
        return 5.0, Said("Void in {suits}: there you can throw what hurts.", suits=named)
    short = [suit for suit in (CLUBS, DIAMONDS) if _held(cards, suit) and len(_held(kept, suit)) == 1]
    if short:
        (last,) = _held(kept, short[0])
        suit = told_suit(short[0])
        return 2.2, Said("Nearly void in {suit}: only {card} stays.", suit=suit, card=pretty_card(last))
    return None


@idea("keep-stopper")
def keep_stopper(obs: Observation, cards: CardSet) -> tuple[float, Said] | None:
    """Hold back a high heart, with which a moon can be stopped."""
    kept = [card for card in _held(obs.hand - cards, HEARTS) if card_rank(card) > JACK]
    low = [card for card in _held(obs.hand - cards, HEARTS) if card_rank(card) < HIGH_HEART]
    if not kept or obs.rules.moon == "off" or obs.rules.heart_points == "none" or not low:
        return None
    high, duck = pretty_card(max(kept)), pretty_card(min(low))
    return 3.5, Said("Hold back {high}: it stops a moon, and {low} ducks.", high=high, low=duck)


@idea("pass-hearts")
def pass_heart(obs: Observation, cards: CardSet) -> tuple[float, Said] | None:
    """Pass a low heart: who gets it can hardly shoot the moon."""
    low = [card for card in _held(cards, HEARTS) if card_rank(card) < HIGH_HEART]
    if not low or obs.rules.moon == "off" or obs.rules.heart_points == "none":
        return None
    if len(low) == 1:
        return 3.0, Said(
            "{cards} makes a moon harder for whoever gets it: a low heart seldom wins a trick.", cards=_said(low)
        )
    return 3.0, Said(
        "{cards} make a moon harder for whoever gets them: low hearts seldom win a trick.", cards=_said(low)
    )


@idea("high-hearts")
def high_hearts(obs: Observation, cards: CardSet) -> tuple[float, Said] | None:
    """Pass high hearts, which take other hearts."""
    hearts = _highest(obs, cards, HEARTS)
    high = [card for card in hearts if card_rank(card) >= HIGH_HEART and card in obs.rules.penalty_cards]
    if not high:
        return None
    if len(high) == 1:
        return 4.5, Said("{cards} would take hearts: let somebody else have it.", cards=_said(high))
    return 4.5, Said("{cards} would take hearts: let somebody else have them.", cards=_said(high))


@idea("high-cards")
def high_cards(obs: Observation, cards: CardSet) -> tuple[float, Said] | None:
    """Pass high cards; low ones lose tricks."""
    high = [card for suit in (CLUBS, DIAMONDS) for card in _highest(obs, cards, suit) if card_rank(card) >= JACK]
    if not high:
        return None
    return 2.0 + 0.3 * len(high), Said("{cards} would win tricks that you do not want.", cards=_said(high))
