"""The words for a choice: at most two ideas that speak for it, or one and what sets it apart from the next best card.

Where the advice is "any of these", a reason is one that all of them share; where nothing sets the cards apart, the
sentence says what happens whichever is played.
"""

from __future__ import annotations

from heartlab.cards import QUEEN_OF_SPADES, Card, pretty_card
from heartlab.coach.ideas import SAVED, Idea, ideas_for
from heartlab.coach.judgement import Judgement
from heartlab.coach.outcomes import Outcome
from heartlab.coach.phrases import mean_points, of_100, so_many, so_many_points
from heartlab.coach.scene import shooter_of
from heartlab.coach.values import about_same
from heartlab.util.said import Said

TELLING_MOON = 0.1
"""The least share of deals with a moon that is told instead of the points where all cards are about the same."""
ROUNDED = 0.05
"""Points that are told as none."""
TELLING = 0.25
"""The least difference of two cards, in points, that is told in numbers."""


def parts_of(outcome: Outcome, total: int, queen: int) -> dict[str, float]:
    """The points of a card by where they come from."""
    return {
        "queen": queen * outcome.queen,
        "hearts": outcome.hearts,
        "moon": total * outcome.moon,
        "own": -2 * total * outcome.own_moon,
        "bonus": outcome.bonus,
    }


def in_numbers(judged: Judgement, card: Card, rival: Card, names: list[str]) -> Said | None:
    """What sets a card apart from a worse one, by the part of the points in which it gains most."""
    rules, here, there = judged.obs.rules, judged.outcomes[card], judged.outcomes[rival]
    mine, other = (parts_of(one, rules.total_points, rules.queen_points) for one in (here, there))
    gains = {name: other[name] - mine[name] for name in mine}
    for name, one, two in (("moon", here.moon, there.moon), ("own", here.own_moon, there.own_moon)):
        if abs(one - two) < SAVED:
            gains[name] = 0.0  # "in 6 of 100 deals, in 8" sets nothing apart
    part = max(gains, key=lambda name: gains[name])
    if gains[part] < TELLING:
        return None
    this, that = pretty_card(card), pretty_card(rival)
    if part == "queen":
        return Said(
            "You take Q♠ {here} {this}, {there} {that}.",
            here=of_100(here.queen), this=_after(card), there=so_many(there.queen), that=_after(rival),
        )  # fmt: skip
    if part == "hearts":
        return Said(
            "You end with {here} of hearts on average after {this}, {there:.1f} after {that}.",
            this=this, here=mean_points(here.hearts), that=that, there=there.hearts,
        )  # fmt: skip
    if part == "moon":
        seats = [one for one in range(rules.players) if one != judged.obs.seat]
        who = max(seats, key=lambda one: there.shooters[one] - here.shooters[one])
        if round(100 * here.shooters[who]) + 1 >= round(100 * there.shooters[who]):
            return None
        return Said(
            "{who} shoots the moon {here} after {this}, {there} after {that}.", who=names[who],
            here=of_100(here.shooters[who]), this=this, there=so_many(there.shooters[who]), that=that,
        )  # fmt: skip
    if part == "own":
        return Said(
            "You shoot the moon {here} with {this}, {there} with {that}.",
            here=of_100(here.own_moon), this=this, there=so_many(there.own_moon), that=that,
        )  # fmt: skip
    if rules.bonus is not None and here.bonus < 0:
        return Said(
            "{what} takes off {here:.1f} points on average after {this}, {there:.1f} after {that}.",
            what=pretty_card(rules.bonus), this=this, here=-here.bonus, that=that, there=max(0.0, -there.bonus),
        )  # fmt: skip
    return Said(
        "You end with {here:.1f} points of other cards on average after {this}, {there:.1f} after {that}.",
        this=this, here=here.bonus, that=that, there=there.bonus,
    )  # fmt: skip


def _after(card: Card) -> Said:
    """After which card, in a sentence about Q♠."""
    return Said("if you play her now") if card == QUEEN_OF_SPADES else Said("after {card}", card=pretty_card(card))


def rival_of(judged: Judgement) -> Card | None:
    """The card to compare the coach's one with: the one played, or the next best that is not about the same."""
    played = judged.analysis.played
    worse = [one.card for one in judged.analysis.cards if not about_same(one.cost, one.cost_se) and one.cost > 0]
    return played if played in worse else worse[0] if worse else None


def reasons_for(judged: Judgement, card: Card, names: list[str]) -> tuple[list[str], list[str]]:
    """At most two sentences for the coach's card, and the codes of the ideas that they name."""
    if len(judged.outcomes) == 1:
        return [Said("It is the only legal card.")], []
    rival = rival_of(judged)
    if rival is None and len(judged.equal) == len(judged.outcomes):
        return _of_all(judged, card, names)
    found, numbers = shared_ideas(judged, card, names), None
    if any(one.code == "keep-exit" for one in found):
        found = [one for one in found if one.code != "safe-win"]  # it would tell the price of the trick again
    if found and found[0].code == "shoot-moon":
        found = found[:1]  # the other ideas, and all other numbers, are for those who duck
    elif found and found[0].code == "stop-moon":
        # who ducks, or throws a heart, may give the points to the shooter
        found = [one for one in found if one.code not in ("duck", "drop-danger")]
    elif rival is not None:
        numbers = in_numbers(judged, card, rival, names)
    found = found[:2]
    if numbers and "You shoot the moon" in numbers:
        found = []
    if numbers and len(found) == 2 and "100 deals" not in found[0].sentence:
        found = found[:1]
    told: list[str] = [one.sentence for one in found]
    if numbers and len(told) < 2:
        told.append(numbers)
    if not told and rival is not None:
        told = [_points_of_both(judged, card, rival)]
    return told, [code for one in found for code in (one.code, one.kind) if code]


def _points_of_both(judged: Judgement, card: Card, rival: Card) -> Said:
    """The points of two cards, where nothing else sets them apart."""
    here, there = judged.outcomes[card].points, judged.outcomes[rival].points
    this, that = pretty_card(card), pretty_card(rival)
    if here < 0:  # a moon of one's own counts so
        return Said("{this} costs {gap:.1f} points less than {that}.", this=this, gap=there - here, that=that)
    return Said(
        "You end with {here:.1f} points on average after {this}, {there:.1f} after {that}.",
        this=this, here=here, that=that, there=there,
    )  # fmt: skip


def shared_ideas(judged: Judgement, card: Card, names: list[str]) -> list[Idea]:
    """The ideas that speak for the coach's card and for each that is about the same, heaviest first.

    Where the advice is "any of these", what only one of them has would be a reason against the others.
    """
    found = ideas_for(judged, card, names)
    for other in judged.equal:
        if other != card and found:
            theirs = {(one.code, one.kind) for one in ideas_for(judged, other, names)}
            found = [one for one in found if (one.code, one.kind) in theirs]
    return found


def _of_all(judged: Judgement, card: Card, names: list[str]) -> tuple[list[str], list[str]]:
    """What happens whichever card is played, where all are about the same: a moon, or so many points."""
    every, here, obs = list(judged.outcomes.values()), judged.outcomes[card], judged.obs
    shot = shooter_of(obs)
    if shot is not None:
        if shot == obs.seat:
            return [Said("You have shot the moon: nothing more can happen.")], ["shoot-moon"]
        return [Said("{who} has shot the moon: nothing more can happen.", who=names[shot])], []
    if min(one.own_moon for one in every) == 1:
        return [Said("You shoot the moon with any of them.")], ["shoot-moon"]
    moon = [one for one in ideas_for(judged, card, names) if one.code == "shoot-moon"]
    if moon:
        return [moon[0].sentence], ["shoot-moon"]
    who = max(range(obs.rules.players), key=lambda seat: here.shooters[seat])
    share, shares = here.shooters[who], [one.shooters[who] for one in every]
    if share >= TELLING_MOON and max(shares) - min(shares) < SAVED:
        if who == obs.seat:
            return [Said("You shoot the moon {share} whichever you play.", share=of_100(share))], []
        return [Said("{who} shoots the moon {share} whichever you play.", who=names[who], share=of_100(share))], []
    return [_points_of_all(judged, here.points)], []


def _points_of_all(judged: Judgement, mean: float) -> Said:
    """How many points there will be whichever card is played; "about" only where that is not certain."""
    taken = judged.obs.points[judged.obs.seat]
    more = max(abs(one.points - taken) for one in judged.outcomes.values())
    if more < ROUNDED:
        return Said("You take no more points with any of them.")
    if more < TELLING:
        return Said("You take hardly any more points with any of them.")
    certain = all(one.spread == (mean, mean) and not one.se for one in judged.analysis.cards)
    if certain and mean == int(mean) > 0:
        return Said("You end with {points} whichever you play.", points=so_many_points(int(mean)))
    return Said("You end with about {mean:.1f} points whichever you play.", mean=mean)
