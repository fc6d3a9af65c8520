"""The coach: hints, the blunder check and reviews, in numbers and words.

Each method takes a position and answers with a value of :mod:`heartlab.coach.values`; nothing is kept but the judge's
cache, so a decision that was checked is not searched again by the review. All questions have the same seed, so that
the numbers are those of ``heartlab analyse --seed 0`` with the record of the deal.
"""

from __future__ import annotations

from dataclasses import dataclass

from heartlab.cards import QUEEN_OF_SPADES, Card, CardSet, card_name, card_names, parse_card, pretty_card
from heartlab.coach.counting import count_cards
from heartlab.coach.ideas import ideas_for, moon_threatens, passing_words
from heartlab.coach.judgement import PASS_WORLDS, Judge, Judgement, PassReport
from heartlab.coach.values import (
    MISTAKE,
    Checked,
    Coaching,
    Counted,
    Decision,
    Judged,
    PassCoaching,
    Passing,
    PassReview,
    Reviewed,
    clear_cost,
    is_equal,
    is_mistake,
)
from heartlab.coach.words import Words, knows_moon
from heartlab.deal import Deal
from heartlab.observation import Observation

SEED = 0
WORST = 3
"""Decisions that a review explains."""
REVIEW_NOTE = (
    "A decision counts if it cost more than twice its standard error over the deals that fit, and is a mistake from "
    f"{MISTAKE} points on."
)


@dataclass(frozen=True)
class Seats:
    """Who sits where: the names to speak of, and the players that stand in for them (see `stand_ins`).

    >>> Seats(["You", "Ada", "Emil"], ["gnome:peter", "gnome", "random"]).play_on
    'all play on by simple rules: you like gnome:peter, Ada like gnome, Emil like random'
    """

    names: list[str]
    players: list[str]

    @property
    def play_on(self) -> str:
        """Who plays on like whom, in words."""
        each = [f"{name} like {player}" for name, player in zip(self.names[1:], self.players[1:], strict=True)]
        return f"all play on by simple rules: you like {self.players[0]}, {', '.join(each)}"


class Coach:
    """Numbers of a judge, put into words.

    >>> deal = Deal("seed", seed=1)
    >>> deal.play_randomly(seed=1)
    >>> seats = Seats(["You", "Ada", "Emil", "Ines"], ["gnome"] * 4)
    >>> coach = Coach(Judge("uct:worlds=4,sims=10"))
    >>> checked = coach.check(deal.before(41), deal.history[40], seats)  # the 41st card
    >>> checked.card, checked.better
    ('JD', False)
    """

    def __init__(self, judge: Judge | None = None) -> None:
        self.judge = judge or Judge()
        self.words = Words()

    # --- during a deal ---

    def hint(self, deal: Deal, seats: Seats) -> Coaching:
        """Every legal card of the decision that a deal waits for, and why the best one is best."""
        judged = self.judge.judge(deal, SEED, None, seats.players)
        analysis = judged.analysis
        cards = []
        for one in analysis.cards:
            outcome = judged.outcomes[one.card]
            cards.append(
                Judged(
                    card=card_name(one.card),
                    expected=round(one.expected, 3),
                    se=None if one.se is None else round(one.se, 3),
                    low=round(one.spread[0], 2),
                    high=round(one.spread[1], 2),
                    best_in=round(one.best_in, 3),
                    moon=outcome.moon,
                    own_moon=outcome.own_moon,
                    words=[each.sentence for each in ideas_for(judged, one.card, seats.names)[:2]],
                )
            )
        words, codes = self.explain(judged, deal, seats.names, judged.best)
        return Coaching(analysis.place, analysis.player, SEED, analysis.worlds, cards, words, codes, seats.play_on)

    def pass_hint(self, obs: Observation) -> PassCoaching:
        """What could be passed, the coach's pass first."""
        found = self.judge.passes(obs, SEED)
        sets = [
            Passing(
                card_names(one.cards), round(one.expected, 2), round(one.se, 2), list(one.by), round(one.cost, 2),
                round(one.cost_se, 2), is_equal(one.cost, one.cost_se),
            )
            for one in found
        ]  # fmt: skip
        note = (
            f"Points of the deal over {PASS_WORLDS} deals that fit, if all play on like {self.judge.pass_on}; beside "
            'them how much more than the first pass, with its standard error, or "equal" within two of these. The '
            "first one was chosen in other deals that fit."
        )
        return PassCoaching(PASS_WORLDS, sets, [*passing_words(obs, found[0].cards), *equal_words(found)], note)

    def check(self, before: Deal, card: Card, seats: Seats) -> Checked:
        """Whether there was something better than a card."""
        place = len(before.history) + 1
        if len(before.legal) == 1:
            return Checked(place, card_name(card), False, 0.0, [])
        found = self.judge.analyse(before, SEED, card)
        better = is_mistake(found.cost, found.cost_se)
        words = self.against(before, card, found.cost, seats) if better else []
        return Checked(place, card_name(card), better, round(found.cost, 2), words)

    def count(self, obs: Observation, seats: Seats) -> Counted:
        """The card-counting panel."""
        return count_cards(self.judge, obs, seats.names, seats.players)

    # --- after a deal ---

    def decide(self, before: Deal, card: Card) -> tuple[float, Decision]:
        """A card of a finished deal: the points expected after it, and the decision beside the coach's one."""
        found = self.judge.analyse(before, SEED, card)
        place = len(before.history) + 1
        decision = Decision(
            place, (place - 1) // before.rules.players + 1, card_name(card), card_name(found.choice),
            round(max(0.0, found.cost), 3), found.cost_se, round(found.cards[0].expected, 2), [],
        )  # fmt: skip
        return round(found.of(card).expected, 2), decision

    def worst(self, deal: Deal, decisions: list[Decision], seats: Seats) -> list[Decision]:
        """The costliest mistakes; reasons are added to them."""
        mistakes = sorted((one for one in decisions if is_mistake(one.cost, one.se)), key=lambda one: -one.cost)
        for one in mistakes[:WORST]:
            one.words = self.against(deal.before(one.at), parse_card(one.card), one.cost, seats)
        return mistakes[:WORST]

    def review(
        self,
        number: int,
        course: list[tuple[int, float]],
        decisions: list[Decision],
        worst: list[Decision],
        passing: PassReview | None,
    ) -> Reviewed:
        """The review of a deal from its judged decisions."""
        total = round(sum(clear_cost(one.cost, one.se) for one in decisions), 2)
        text = verdict(decisions, passing)
        return Reviewed(number, self.judge.name, SEED, course, decisions, worst, total, text, REVIEW_NOTE, passing)

    def pass_review(self, obs: Observation, cards: CardSet) -> PassReview:
        """What passing some cards cost, if that is clear of the noise."""
        found = self.judge.passes(obs, SEED, cards)
        mine, best = next(one for one in found if one.cards == cards), found[0]
        said, better = (" ".join(map(pretty_card, sorted(one.cards))) for one in (mine, best))
        bad = is_mistake(mine.cost, mine.cost_se)
        if bad:
            text = f"costs {mine.cost:.1f} points more than {better}, if all play on like {self.judge.pass_on}."
        elif mine is best:
            text = "was the coach's."
        elif is_equal(mine.cost, mine.cost_se):
            text = "was as good as the coach's, within two standard errors."
        else:
            text = "was not much worse than the coach's."
        words = passing_words(obs, best.cards) if bad else []
        cost, se = round(mine.cost, 2), round(mine.cost_se, 2)
        return PassReview(card_names(cards), card_names(best.cards), cost, se, f"Your pass {said} {text}", words)

    # --- words ---

    def explain(self, judged: Judgement, deal: Deal, names: list[str], card: Card) -> tuple[list[str], list[str]]:
        """Why a card, in sentences, and the codes of the ideas that they name.

        Where a moon threatens, learned advice and features are left out if the network never saw a moon: its words
        could contradict the numbers.
        """
        found = ideas_for(judged, card, names)[:4]
        if moon_threatens(judged) and not knows_moon():
            return [one.sentence for one in found], [one.code for one in found]
        others = [one.card for one in judged.analysis.cards if one.card != card]
        played = judged.analysis.played
        rival = played if played in others else others[0] if others else card
        learned = self.words.learned(deal, card) + self.words.features(deal, judged.analysis, rival, SEED)
        return [one.sentence for one in found] + learned, [one.code for one in found]

    def against(self, before: Deal, card: Card, cost: float, seats: Seats) -> list[str]:
        """What was wrong with a card, and why the coach's one is better."""
        judged = self.judge.judge(before, SEED, card, seats.players)
        words, _ = self.explain(judged, before, seats.names, judged.best)
        against = ideas_for(judged, card, seats.names)
        played = [f"{pretty_card(card)} costs {cost:.1f} points more than {pretty_card(judged.best)}."]
        if judged.outcomes[card].queen_to_me and before.rules.queen_points > 0:
            times = round(judged.outcomes[card].queen_to_me * len(judged.worlds))
            what = "stays with you" if card == QUEEN_OF_SPADES else "takes Q♠"
            played.append(f"{pretty_card(card)} {what} in {times} of {len(judged.worlds)} deals that fit.")
        elif against and against[0].code != "least":
            played.append(f"For {pretty_card(card)} one could say: {against[0].sentence}")
        return played + words


def equal_words(passes: list[PassReport]) -> list[str]:
    """How many passes are as good as the first one; one that looks better by chance is among them."""
    equal = sum(is_equal(one.cost, one.cost_se) for one in passes[1:])
    are = "One other pass is" if equal == 1 else f"{equal} other passes are"
    return [f"{are} equally good, within two standard errors: choose what you like."] if equal else []


def verdict(decisions: list[Decision], passing: PassReview | None = None) -> str:
    """The headline of a review: it follows from the costs that count, and from nothing else."""
    costs = [clear_cost(one.cost, one.se) for one in decisions]
    counted, total = sum(cost > 0 for cost in costs), sum(costs)
    large = [cost for cost in costs if cost >= MISTAKE]
    were, together = ("was", "") if counted == 1 else ("were", " together")
    what = f"{counted} of your {len(decisions)} cards {were} clearly worse than the coach's"
    if not decisions:
        text = "There was no card to decide on in this deal."
    elif not counted:
        text = f"None of your {len(decisions)} cards was clearly worse than the coach's."
    elif not large:
        text = f"{what}, and cost {total:.1f} points{together}: nothing worth a word."
    elif len(large) == counted:
        text = f"{what}, and cost {total:.1f} points{together}."
    else:
        kind = "one mistake" if len(large) == 1 else f"{len(large)} mistakes"
        text = f"{what}, and cost {total:.1f} points{together}, {sum(large):.1f} of them by {kind}."
    if passing is not None and is_mistake(passing.cost, passing.se):
        return f"{text} Your pass cost {passing.cost:.1f} points."
    return text if large or not decisions else f"{text} Well played."
