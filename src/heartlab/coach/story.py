"""A deal in three sentences, as a friend would tell it: what it came to, where it was lost, what to take along."""

from __future__ import annotations

from heartlab.cards import QUEEN_OF_SPADES, parse_card, pretty_card
from heartlab.coach.phrases import so_many_points
from heartlab.coach.values import Decision, PassReview, clear_cost, is_mistake
from heartlab.deal import Deal
from heartlab.util.said import Said, in_a_row

PERSON = 0
BAD = 10
"""Points from which a deal went badly."""


def summary(
    deal: Deal, decisions: list[Decision], worst: list[Decision], passing: PassReview | None, seat: int = PERSON
) -> Said:
    """The deal in at most three sentences; they follow from the result and from the costs that count."""
    bad_pass = passing if passing is not None and is_mistake(passing.cost, passing.se) else None
    return in_a_row([_result(deal, seat), _where(decisions, worst, bad_pass), _rest(decisions, worst, bad_pass)])


def _result(deal: Deal, seat: int) -> Said:
    """What the deal came to."""
    points = deal.points[seat]
    if deal.shooter == seat:
        return Said("You shot the moon!")
    if deal.shooter is not None:
        return Said("Somebody shot the moon, and it cost you {points}.", points=points)
    if points == 0:
        return Said("Not a single point: well done.")
    if QUEEN_OF_SPADES in deal.taken[seat]:
        return Said("You took {points}, with Q♠.", points=so_many_points(points))
    return Said("You took {points}, without Q♠.", points=so_many_points(points))


def _where(decisions: list[Decision], worst: list[Decision], passing: PassReview | None) -> Said:
    """Where it was lost, if anywhere."""
    if worst and (passing is None or worst[0].cost >= passing.cost):
        one = worst[0]
        card, best = (pretty_card(parse_card(text)) for text in (one.card, one.best))
        return Said(
            "You lost most at trick {trick}: {card} instead of {best}, {cost:.1f} points.",
            trick=one.trick, card=card, best=best, cost=one.cost,
        )  # fmt: skip
    if passing is not None:
        return Said("You lost most with your pass, {cost:.1f} points.", cost=passing.cost)
    if not decisions:
        return Said("There was no card to decide on.")
    if len(decisions) == 1:
        return Said("Your only decision was no mistake.")
    return Said("None of your {n} decisions was a mistake.", n=len(decisions))


def _rest(decisions: list[Decision], worst: list[Decision], passing: PassReview | None) -> Said:
    """What else counted."""
    costs = [clear_cost(one.cost, one.se) for one in decisions]
    total = sum(costs) + (passing.cost if passing is not None else 0.0)
    first = max([one.cost for one in worst[:1]] + [passing.cost if passing is not None else 0.0])
    if not worst and passing is None:
        return Said("Well played.") if total < 1 else Said("Small things added up to {cost:.1f} points.", cost=total)
    if total - first < 0.5:
        return Said("The rest was fine.")
    return Said("The rest of what you gave away comes to {cost:.1f} points.", cost=total - first)
