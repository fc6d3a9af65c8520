"""A deal in three sentences, as a friend would tell it: what it came to, where it was lost, what to take along."""

from __future__ import annotations

from heartlab.cards import QUEEN_OF_SPADES, parse_card, pretty_card
from heartlab.coach.phrases import so_many_points
from heartlab.coach.values import Decision, PassReview, clear_cost, is_mistake
from heartlab.deal import Deal
from heartlab.util.said import Said, in_a_row

ALL = 26
"""All points of a deal under standard rules: of these..."""
BAD = 10
"""... so many make a bad deal; ..."""
WELL = Said("Well played.")
NEARLY = 15
"""... and so many, all with one seat, are nearly a moon. Under other rules as large a part of all points."""


def summary(
    deal: Deal, decisions: list[Decision], worst: list[Decision], passing: PassReview | None, names: list[str],
    seat: int = 0,
) -> Said:  # fmt: skip
    """The deal in at most three sentences; they follow from the result and from the costs that count."""
    bad_pass = passing if passing is not None and is_mistake(passing.cost, passing.se) else None
    lucky = deal.shooter == seat or (deal.shooter is None and deal.points[seat] <= 0)
    clean = not worst and bad_pass is None
    where = _where(decisions, worst, bad_pass, lucky=lucky, shot=deal.shooter == seat)
    told = [_result(deal, names, seat, clean=clean), where]
    points = deal.points[seat]
    bad = points if points * ALL >= BAD * deal.rules.total_points and deal.shooter is None else 0
    rest = _rest(decisions, worst, bad_pass, bad)
    if not (clean and "well done" in told[0] and rest == WELL):  # it is said already
        told.append(rest)
    return in_a_row(told)


def _result(deal: Deal, names: list[str], seat: int, *, clean: bool) -> Said:
    """What the deal came to, and whose moon it was, or nearly."""
    points, shooter = deal.points[seat], deal.shooter
    if shooter == seat:
        return Said("You shot the moon!")
    if shooter is not None:
        if points <= 0:
            return Said("{who} shot the moon.", who=names[shooter])
        return Said("{who} shot the moon, and it cost you {points}.", who=names[shooter], points=so_many_points(points))
    took = _took(deal, seat, clean=clean)
    moon = _nearly(deal, names, seat)
    return Said("{took}.", took=took) if moon is None else Said("{took}; {moon}.", took=took, moon=moon)


def _took(deal: Deal, seat: int, *, clean: bool) -> Said:
    """What the seat took, as the beginning of a sentence."""
    points, bonus = deal.points[seat], deal.rules.bonus
    if bonus is not None and bonus in deal.taken[seat]:
        return Said("You end with {points}, {card} included", points=so_many_points(points), card=pretty_card(bonus))
    if points == 0:
        return Said("Not a single point: well done") if clean else Said("Not a single point, with some luck")
    if deal.rules.queen_points <= 0:
        return Said("You took {points}", points=so_many_points(points))
    if QUEEN_OF_SPADES in deal.taken[seat]:
        return Said("You took {points}, with Q♠", points=so_many_points(points))
    return Said("You took {points}, without Q♠", points=so_many_points(points))


def _nearly(deal: Deal, names: list[str], seat: int) -> Said | None:
    """Who had all points for long, and who took one then."""
    if deal.rules.moon == "off":
        return None
    holder, held = -1, 0
    for number, trick in enumerate(deal.tricks, 1):
        points = sum(deal.rules.card_points(card) for _, card in trick if card in deal.rules.penalty_cards)
        if not points:
            continue
        taker = next(one for one in range(deal.rules.players) if trick[0][1] in deal.taken[one])
        if holder in (-1, taker):
            holder, held = taker, held + points
            continue
        if held * ALL < NEARLY * deal.rules.total_points:
            return None
        if holder == seat:
            return Said("you had all the points until trick {trick}, which {who} won", who=names[taker], trick=number)
        if taker == seat:
            return Said("you stopped {who}'s moon at trick {trick}", who=names[holder], trick=number)
        return Said("{other} stopped {who}'s moon at trick {trick}", other=names[taker], who=names[holder],
                    trick=number)  # fmt: skip
    return None


def _where(
    decisions: list[Decision], worst: list[Decision], passing: PassReview | None, *, lucky: bool, shot: bool
) -> Said:
    """Where it was lost, if anywhere; who shot the moon has only risked it."""
    if worst and (passing is None or worst[0].cost >= passing.cost):
        one = worst[0]
        card, best = (pretty_card(parse_card(text)) for text in (one.card, one.best))
        known = dict(trick=one.trick, card=card, best=best, cost=one.cost)
        if _missed_moon(one.words) and not shot:
            return Said(
                "You passed up a chance of a moon at trick {trick}: {card} instead of {best} cost {cost:.1f} points.",
                **known,
            )
        if lucky:
            return Said("At trick {trick}, {card} instead of {best} risked {cost:.1f} points.", **known)
        return Said("You lost most at trick {trick}: {card} instead of {best} cost {cost:.1f} points.", **known)
    if passing is not None:
        if _missed_moon(passing.words) and not shot:
            return Said(
                "You passed up a chance of a moon with your pass: it cost {cost:.1f} points.", cost=passing.cost
            )
        if lucky:
            return Said("Your pass risked {cost:.1f} points.", cost=passing.cost)
        return Said("You lost most with your pass, {cost:.1f} points.", cost=passing.cost)
    if not decisions:
        return Said("There was no card to decide on.")
    if len(decisions) == 1:
        return Said("Your only decision was no mistake.")
    return Said("None of your {n} decisions was a mistake.", n=len(decisions))


def _missed_moon(words: list[str]) -> bool:
    """Whether the reason of the coach's choice is a moon of one's own."""
    return any(text.startswith(("Shoot the moon", "You shoot the moon", "Play for the moon")) for text in words)


def _rest(decisions: list[Decision], worst: list[Decision], passing: PassReview | None, bad: int) -> Said:
    """What else counted; `bad` are the points of a bad deal, most of which may not be one's own fault."""
    costs = [clear_cost(one.cost, one.se) for one in decisions]
    total = sum(costs) + (passing.cost if passing is not None else 0.0)
    first = max([one.cost for one in worst[:1]] + [passing.cost if passing is not None else 0.0])
    if not worst and passing is None:
        if total >= 1:
            return Said("Small things added up to {cost:.1f} points.", cost=total)
        return Said("That was bad luck, not bad play.") if bad else WELL
    unlucky = 2 * total < bad
    if total - first < 0.5:
        return (
            Said("The rest was fine, and most of your points were bad luck.") if unlucky else Said("The rest was fine.")
        )
    if unlucky:
        return Said("The rest cost {cost:.1f} points; most of yours were bad luck.", cost=total - first)
    return Said("The rest cost {cost:.1f} points.", cost=total - first)
