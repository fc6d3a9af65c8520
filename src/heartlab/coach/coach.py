"""The coach: hints, the blunder check and reviews, in numbers and words.

Each method takes a position and answers with a value of :mod:`heartlab.coach.values`; nothing is kept but the judge's
cache, so a decision that was checked is not judged again by the review. All questions have the same seed, so that the
numbers of a position are always the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from heartlab.cards import Card, CardSet, card_name, card_names, parse_card, pretty_card
from heartlab.coach.counting import count_cards, moon_warning
from heartlab.coach.ideas import moon_threatens
from heartlab.coach.judgement import Judge, Judgement
from heartlab.coach.passing import pass_reasons
from heartlab.coach.phrases import every
from heartlab.coach.playing_on import SIMPLE, SOLVED, SOMEBODY, STRONG, knows_rules
from heartlab.coach.reasons import in_numbers, reasons_for
from heartlab.coach.story import summary
from heartlab.coach.values import (
    MISTAKE,
    Checked,
    Coaching,
    Counted,
    Decision,
    Judged,
    MoonRisk,
    PassCoaching,
    Passing,
    PassReview,
    Reviewed,
    about_same,
    clear_cost,
    is_mistake,
    within_noise,
)
from heartlab.coach.words import Words, knows_moon
from heartlab.deal import Deal
from heartlab.observation import Observation
from heartlab.records.format import to_json
from heartlab.rules import Rules
from heartlab.util.said import Said, in_a_row

SEED = 0
WORST = 3
"""Decisions that a review explains."""
SHOWN = 4
"""Cards that the first line names, if they are about the same."""
REVIEW_NOTE = Said(
    "A decision counts if it cost more than twice its standard error over the deals that fit, and is a mistake from "
    "{least} points on.",
    least=MISTAKE,
)


@dataclass(frozen=True)
class Seats:
    """Who sits where: the names to speak of, and the players that stand in for them (see `stand_ins`).

    >>> Seats(["You", "Ada", "Emil", "Ines"], ["net", "gnome", "random", "net"]).play_on
    'you and Ines as net, Ada as gnome, Emil as random'
    """

    names: list[str]
    players: list[str]
    you: int = 0
    """The seat that the coach speaks to."""

    @property
    def play_on(self) -> Said:
        """Who plays on like whom, in words."""
        told = []
        players = [STRONG if player == SOMEBODY else player for player in self.players]
        for player in dict.fromkeys(players):
            seats = [seat for seat, one in enumerate(players) if one == player]
            who = every([Said("you") if seat == self.you else self.names[seat] for seat in seats])
            told.append(Said("{who} as {player}", who=who, player=player))
        return in_a_row(told, ", ")


class Coach:
    """Numbers of a judge, put into words.

    >>> deal = Deal("seed", seed=1)
    >>> deal.play_randomly(seed=1)
    >>> seats = Seats(["You", "Ada", "Emil", "Ines"], ["net"] * 4)
    >>> coach = Coach(Judge(worlds=16))
    >>> checked = coach.check(deal.before(41), deal.history[40], seats)  # the 41st card
    >>> checked.card, checked.better
    ('JD', False)
    """

    def __init__(self, judge: Judge | None = None) -> None:
        self.judge = judge or Judge()
        self.words = Words()

    def prepare(self) -> None:
        """Load, or compile, all that hints need: for a pass, a card, and a late card."""
        quick = Coach(Judge(self.judge.name, 2))
        quick.judge.playing_on, quick.words = self.judge.playing_on, self.words
        seats = Seats(["You", "Ada", "Emil", "Ines"], [STRONG, "gnome", "gnome:jake", "gnome:peter"])
        deal = Deal("standard", 1)
        quick.pass_hint(deal.observe(0), seats)
        for seat in range(4):
            deal.pass_cards(seat, sorted(deal.observe(seat).may_pass)[:3])
        asked = 0
        while deal.to_move is not None and asked < 2:
            late = len(deal.observe(deal.to_move).hand) <= SOLVED
            if len(deal.legal) > 1 and (late or not asked):
                quick.hint(deal, seats)
                asked += 1
            deal.play(min(deal.legal))

    # --- during a deal ---

    def hint(self, deal: Deal, seats: Seats, *, line: bool = False) -> Coaching:
        """Every legal card of the decision that a deal waits for, and why the best one is best.

        With `line`, in a deal whose hands are known: how it goes on after the coach's card.
        """
        judged = self.judge.judge(deal, SEED, None, seats.players)
        analysis = judged.analysis
        words, codes = reasons_for(judged, judged.best, seats.names)
        goes_on = self.judge.line(deal, judged.best, seats.players) if line else None
        record = goes_on and json.loads(to_json(goes_on.to_record(players=tuple(seats.names))))
        return Coaching(
            analysis.place, SEED, analysis.worlds, first_line(judged), words, codes, _table(judged),
            self.learned(judged, deal), note_of(judged.source, deal.rules, analysis.worlds, seats), record or None,
        )  # fmt: skip

    def pass_hint(self, obs: Observation, seats: Seats) -> PassCoaching:
        """What could be passed, the coach's pass first."""
        found = self.judge.passes(obs, SEED, None, seats.players)
        sets = [
            Passing(
                card_names(one.cards), round(one.expected, 2), round(one.se, 2), round(one.outcome.queen, 3),
                round(one.outcome.hearts, 2), round(one.outcome.moon, 3), round(one.outcome.own_moon, 3),
                round(one.cost, 2), round(one.cost_se, 2), within_noise(one.cost, one.cost_se),
            )
            for one in found
        ]  # fmt: skip
        words, codes = pass_reasons(obs, found)
        worlds = self.judge.pass_worlds
        source = "network" if knows_rules(obs.rules) else "simple"
        first = Said("Pass {cards}.", cards=" ".join(map(pretty_card, sorted(found[0].cards))))
        return PassCoaching(worlds, first, words, codes, sets, note_of(source, obs.rules, worlds, seats))

    def check(self, before: Deal, card: Card, seats: Seats) -> Checked:
        """Whether there was something better than a card."""
        place = len(before.history) + 1
        if len(before.legal) == 1:
            return Checked(place, card_name(card), False, 0.0, [])
        found = self.judge.analyse(before, SEED, card, seats.players)
        better = is_mistake(found.cost, found.cost_se)
        words = self.against(before, card, found.cost, seats) if better else []
        return Checked(place, card_name(card), better, round(found.cost, 2), words)

    def count(self, obs: Observation, seats: Seats) -> Counted:
        """The card-counting panel."""
        return count_cards(self.judge, obs, seats.names, seats.players, SEED)

    def moon(self, obs: Observation, seats: Seats) -> MoonRisk:
        """Whether somebody may shoot the moon."""
        return moon_warning(self.judge, obs, seats.names, seats.players, SEED)

    # --- after a deal ---

    def decide(self, before: Deal, card: Card, seats: Seats) -> tuple[float, Decision]:
        """A card of a finished deal: the points expected after it, and the decision beside the coach's one."""
        found = self.judge.analyse(before, SEED, card, seats.players)
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
            one.words = self.for_better(deal.before(one.at), parse_card(one.card), seats)
        return mistakes[:WORST]

    def line(self, deal: Deal, at: int, seats: Seats) -> Deal:
        """How a finished deal would have gone on after the coach's card at a decision."""
        before = deal.before(at)
        judged = self.judge.judge(before, SEED, None, seats.players)
        return self.judge.line(before, judged.best, seats.players)

    def review(
        self,
        number: int,
        deal: Deal,
        course: list[tuple[int, float]],
        decisions: list[Decision],
        worst: list[Decision],
        passing: PassReview | None,
        seats: Seats,
    ) -> Reviewed:
        """The review of a deal from its judged decisions."""
        total = round(sum(clear_cost(one.cost, one.se) for one in decisions), 2)
        text = summary(deal, decisions, worst, passing, seats.names, seats.you)
        return Reviewed(number, SEED, course, decisions, worst, total, text, REVIEW_NOTE, passing)

    def pass_review(self, obs: Observation, cards: CardSet, seats: Seats) -> PassReview:
        """What passing some cards cost, if that is clear of the noise."""
        found = self.judge.passes(obs, SEED, cards, seats.players)
        mine, best = next(one for one in found if one.cards == cards), found[0]
        said, better = (" ".join(map(pretty_card, sorted(one.cards))) for one in (mine, best))
        bad = is_mistake(mine.cost, mine.cost_se)
        if bad:
            text = Said(
                "Your pass {cards} costs {cost:.1f} points more than {better}.",
                cards=said,
                cost=mine.cost,
                better=better,
            )
        elif mine is best:
            text = Said("Your pass {cards} was the coach's too.", cards=said)
        elif within_noise(mine.cost, mine.cost_se):
            text = Said("Your pass {cards} was about as good as the coach's.", cards=said)
        else:
            text = Said("Your pass {cards} was not much worse than the coach's.", cards=said)
        words = pass_reasons(obs, found)[0] if bad else []
        cost, se = round(mine.cost, 2), round(mine.cost_se, 2)
        return PassReview(card_names(cards), card_names(best.cards), cost, se, text, words)

    # --- words ---

    def learned(self, judged: Judgement, deal: Deal) -> list[str]:
        """What learned models say for the coach's card.

        Where a moon threatens they are left out if the network never saw a moon: its words could contradict the
        numbers. So they are where the choice makes no difference.
        """
        if (moon_threatens(judged) and not knows_moon()) or len(judged.equal) == len(judged.outcomes):
            return []
        others = [one.card for one in judged.analysis.cards if one.card not in judged.equal]
        features = self.words.features(deal, judged.analysis, others[0], SEED) if others else []
        return self.words.learned(deal, judged.best) + features

    def against(self, before: Deal, card: Card, cost: float, seats: Seats) -> list[str]:
        """What a card cost, and at most two reasons for the coach's one."""
        best = self.judge.analyse(before, SEED, card, seats.players).choice
        this, that = pretty_card(card), pretty_card(best)
        more = Said("{this} costs {cost:.1f} points more than {that}.", this=this, cost=cost, that=that)
        return [more, *self.for_better(before, card, seats)]

    def for_better(self, before: Deal, card: Card, seats: Seats) -> list[str]:
        """At most two reasons for the coach's card, beside one that was played instead."""
        judged = self.judge.judge(before, SEED, card, seats.players)
        words, codes = reasons_for(judged, judged.best, seats.names)
        numbers = in_numbers(judged, judged.best, card, seats.names)
        if numbers is None or numbers in words:
            return words
        if "moon" not in numbers or not {"shoot-moon", "stop-moon"} & set(codes):
            return [*words[:1], numbers]
        return [numbers] if "shoot-moon" in codes else words[:1]  # not the same moon in other numbers


def first_line(judged: Judgement) -> Said:
    """The advice in a line: the card, or any of those that are about the same."""
    if len(judged.outcomes) == 1:
        return Said("Play {card}.", card=pretty_card(judged.best))
    equal = judged.equal
    cards = [pretty_card(card) for card in sorted(equal[:SHOWN])]
    if len(equal) == len(judged.outcomes):
        return Said("Any card: they are about the same.")
    if len(equal) == 1:
        return Said("Play {card}.", card=cards[0])
    if len(equal) == 2:
        return Said("Play {one} or {other}.", one=cards[0], other=cards[1])
    rest = [pretty_card(card) for card in sorted(judged.outcomes) if card not in equal]
    if len(equal) > SHOWN and len(rest) <= SHOWN:
        return Said("Anything but {cards}.", cards=" ".join(rest))
    return Said("Any of these: {cards}.", cards=" ".join(cards))


def _table(judged: Judgement) -> list[Judged]:
    """Every card with its numbers."""
    rows = []
    for one in judged.analysis.cards:
        outcome = judged.outcomes[one.card]
        rows.append(
            Judged(
                card=card_name(one.card),
                expected=round(one.expected, 3),
                se=None if one.se is None else round(one.se, 3),
                low=round(one.spread[0], 2),
                high=round(one.spread[1], 2),
                best_in=round(one.best_in, 3),
                queen=round(outcome.queen, 4),
                hearts=round(outcome.hearts, 3),
                bonus=round(outcome.bonus, 3),
                moon=round(outcome.moon, 4),
                own_moon=round(outcome.own_moon, 4),
                moons=round(outcome.moons, 3),
                cost=round(one.cost, 3),
                equal=about_same(one.cost, one.cost_se),
            )
        )
    return rows


def note_of(source: str, rules: Rules, worlds: int, seats: Seats) -> Said:
    """How the figures were made."""
    if source == "solved":
        how = Said(
            "Counted in {n} deals that fit what you have seen, played to the end: so late every card is solved.",
            n=worlds,
        )
    elif source == "network":
        how = Said(
            "Counted in {n} deals that fit what you have seen, played to the end by the level at the table: {who}.",
            n=worlds, who=seats.play_on,
        )  # fmt: skip
    else:
        simple = dict.fromkeys(SIMPLE if name in (STRONG, SOMEBODY) else name for name in seats.players)
        how = Said(
            "Counted in {n} deals that fit what you have seen, played to the end by simple rules ({players}): the "
            "learned player does not know the rules {rules}.",
            n=worlds, players=", ".join(simple), rules=str(rules),
        )  # fmt: skip
    if rules.moon == "off":
        return how
    moon = Said("A moon counts as {n} for the shooter and against the others.", n=rules.total_points)
    return in_a_row([how, moon])
