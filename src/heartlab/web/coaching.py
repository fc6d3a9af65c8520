"""The coach at the tables: hints, the blunder check, card counting, reviews, puzzles and the level estimate.

All work is done on the house's worker threads. The seed of a table's coach is zero, so that its numbers can be had
again with ``heartlab analyse`` and the record of the deal.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from heartlab.cards import QUEEN_OF_SPADES, Card, CardSet, card_name, card_names, parse_card, pretty_card
from heartlab.coach.counting import count_cards
from heartlab.coach.ideas import ideas_for, moon_threatens, passing_words
from heartlab.coach.judgement import PASS_WORLDS, Judge, Judgement, PassReport, stand_ins
from heartlab.coach.level import estimate_level
from heartlab.coach.puzzles import grade, make_puzzle, origin_of, show_puzzle
from heartlab.coach.values import Counted, Decision, Graded, LevelEstimate, PuzzleView
from heartlab.coach.words import Words, knows_moon
from heartlab.deal import Deal
from heartlab.observation import Observation
from heartlab.rules import Rules
from heartlab.web import messages as m
from heartlab.web.house import House, Live, Send
from heartlab.web.seated import PERSON, Table, TableError
from heartlab.web.store import CLEAR, Row

SEED = 0
BLUNDER = 0.4
"""Expected points above which a card is called a mistake, if they also count (see :func:`clear_cost`)."""
WORST = 3
"""Decisions that a review explains."""
FIRST = (
    "The coach is getting ready: its first answer loads its machine code, and on a new computer compiles it, which "
    "takes a minute or two and happens once."
)


class Coach:
    """One judge for all tables of a house."""

    def __init__(self, house: House, judge: Judge | None = None) -> None:
        self.house = house
        self.judge = judge or Judge()
        self.words = Words()
        self._ready: set[str] = set()

    @asynccontextmanager
    async def _patience(self, kind: str, tell: Send) -> AsyncIterator[None]:
        """Say, before the first work of a kind, why it takes long."""
        if kind not in self._ready:
            await tell(m.Progress(FIRST))
        yield
        self._ready.add(kind)

    # --- during a deal ---

    async def hint(self, live: Live, tell: Send) -> m.Coaching | m.PassCoaching:
        """Every legal card of the decision at hand, or what could be passed."""
        if live.table.deal.phase == "pass" and not live.table.settings.watch:
            self._helps(live)
            async with self._patience("passes", tell):
                return await self.house.think(self._passing, live.table.deal.observe(PERSON))
        deal = _decision(live.table)
        self._helps(live)
        async with self._patience("cards", tell):
            judged = await self.house.think(self.judge.judge, deal, SEED, None, stand_ins(live.table.settings.players))
            return await self.house.think(self._coaching, judged, deal, live.table)

    async def check(self, live: Live, tell: Send) -> m.Checked:
        """Whether there was something better than the person's last card."""
        table = live.table
        table.check_person()
        own = table.deal.observe(PERSON).played[PERSON]
        places = [place for place, card in enumerate(table.row.plays, 1) if card in own]
        if not places:
            raise TableError("you have not played a card yet")
        self._helps(live)
        place = places[-1]
        before, card = table.deal.before(place), table.row.plays[place - 1]
        if len(before.legal) == 1:
            return m.Checked(place, card_name(card), False, 0.0, [])
        async with self._patience("cards", tell):
            found = await self.house.think(self.judge.analyse, before, SEED, card)
            better, words = is_mistake(found.cost, found.cost_se), []
            if better:
                words = await self.house.think(self._against, table, before, card, found.cost)
        return m.Checked(place, card_name(card), better, round(found.cost, 2), words)

    async def count(self, live: Live, tell: Send) -> Counted:
        """The counting panel."""
        table = live.table
        if table.settings.watch or table.deal.phase != "play":
            raise TableError("there is nothing to count now")
        self._helps(live)
        obs = table.deal.observe(PERSON)
        obs.records["random"] = 1 + len(obs.history)
        async with self._patience("worlds", tell):
            players = stand_ins(table.settings.players)
            return await self.house.think(count_cards, self.judge, obs, table.names, players)

    def _helps(self, live: Live) -> None:
        """Note that the person was helped in a running deal, which then says little about the person's level."""
        if live.table.row.points is None:
            live.table.row.helped += 1
            self.house.store.save_deal(live.key, live.table.row)

    def _coaching(self, judged: Judgement, deal: Deal, table: Table) -> m.Coaching:
        analysis, seats = judged.analysis, table.names
        cards = []
        for one in analysis.cards:
            outcome = judged.outcomes[one.card]
            found = ideas_for(judged, one.card, seats)
            cards.append(
                m.Judged(
                    card=card_name(one.card),
                    expected=round(one.expected, 3),
                    se=None if one.se is None else round(one.se, 3),
                    low=round(one.spread[0], 2),
                    high=round(one.spread[1], 2),
                    best_in=round(one.best_in, 3),
                    moon=outcome.moon,
                    own_moon=outcome.own_moon,
                    words=[each.sentence for each in found[:2]],
                )
            )
        words, codes = self.explain(judged, deal, seats, judged.best)
        play_on = played_on_by(table.names, stand_ins(table.settings.players))
        return m.Coaching(analysis.place, analysis.player, SEED, analysis.worlds, cards, words, codes, play_on)

    def _passing(self, obs: Observation) -> m.PassCoaching:
        found = self.judge.passes(obs, SEED)
        sets = [
            m.Passing(
                card_names(one.cards), round(one.expected, 2), round(one.se, 2), list(one.by), round(one.cost, 2),
                round(one.cost_se, 2), is_equal(one.cost, one.cost_se),
            )
            for one in found
        ]  # fmt: skip
        return m.PassCoaching(PASS_WORLDS, sets, [*passing_words(obs, found[0].cards), *equal_words(found)])

    def _passed(self, obs: Observation, cards: CardSet) -> m.PassReview:
        """What passing cost, if that is clear of the noise."""
        found = self.judge.passes(obs, SEED, cards)
        mine, best = next(one for one in found if one.cards == cards), found[0]
        said, better = (" ".join(map(pretty_card, sorted(one.cards))) for one in (mine, best))
        bad = is_mistake(mine.cost, mine.cost_se)
        text = (
            f"Your pass {said} costs {mine.cost:.1f} points more than {better}, if all play on like gnome."
            if bad
            else f"Your pass {said} was the coach's."
            if mine is best
            else f"Your pass {said} was as good as the coach's, within two standard errors."
            if is_equal(mine.cost, mine.cost_se)
            else f"Your pass {said} was not much worse than the coach's."
        )
        words = passing_words(obs, best.cards) if bad else []
        return m.PassReview(
            card_names(cards), card_names(best.cards), round(mine.cost, 2), round(mine.cost_se, 2), text, words
        )

    def explain(self, judged: Judgement, deal: Deal, seats: list[str], card: Card) -> tuple[list[str], list[str]]:
        """Why a card, in sentences, and the codes of the ideas that they name.

        Where a moon threatens, learned advice and features are left out if the network never saw a moon: its words
        could contradict the numbers.
        """
        found = ideas_for(judged, card, seats)[:4]
        if moon_threatens(judged) and not knows_moon():
            return [one.sentence for one in found], [one.code for one in found]
        others = [one.card for one in judged.analysis.cards if one.card != card]
        played = judged.analysis.played
        rival = played if played in others else others[0] if others else card
        learned = self.words.learned(deal, card) + self.words.features(deal, judged.analysis, rival, SEED)
        return [one.sentence for one in found] + learned, [one.code for one in found]

    # --- after a deal ---

    async def review(self, live: Live, number: int, tell: Send) -> m.Reviewed:
        """Every decision of the person in a finished deal; the costly ones become puzzles."""
        table = live.table
        if table.settings.watch:
            raise TableError("nobody plays here whose decisions could be reviewed")
        row, deal = await self.house.think(table.deal_at, number)
        tricks = len(row.plays) // table.rules.players
        await tell(m.Progress("The coach looks at every trick." if "cards" in self._ready else FIRST))
        decisions, course = [], []
        for place, card in enumerate(row.plays, 1):
            before = await self.house.think(deal.before, place)
            if before.to_move != PERSON:
                continue
            found = await self.house.think(self.judge.analyse, before, SEED, card)
            expected = next(one.expected for one in found.cards if one.card == card)
            self._ready.add("cards")
            trick = (place - 1) // table.rules.players + 1
            await tell(m.Progress(f"The coach looks at every trick: {trick} of {tricks} …"))
            course.append((trick, round(expected, 2)))
            if len(before.legal) > 1:
                decisions.append(
                    Decision(
                        place, trick, card_name(card), card_name(found.choice), round(max(0.0, found.cost), 3),
                        found.cost_se, round(found.cards[0].expected, 2), [],
                    )
                )  # fmt: skip
        worst = sorted((one for one in decisions if is_mistake(one.cost, one.se)), key=lambda one: -one.cost)[:WORST]
        for one in worst:
            before = await self.house.think(deal.before, one.at)
            one.words = await self.house.think(self._against, table, before, parse_card(one.card), one.cost)
        self._keep(live.key, table, row, deal, decisions, worst)
        total = round(sum(clear_cost(one.cost, one.se) for one in decisions), 2)
        passing = None
        if PERSON in row.passes and not row.kept:
            obs = table.dealt(row).observe(PERSON)
            passing = await self.house.think(self._passed, obs, CardSet(row.passes[PERSON]))
        text = verdict(decisions, passing)
        return m.Reviewed(number, self.judge.name, SEED, course, decisions, worst, total, text, passing)

    def _against(self, table: Table, before: Deal, card: Card, cost: float) -> list[str]:
        """What was wrong with a card, and why the coach's one is better."""
        judged, seats = self.judge.judge(before, SEED, card, stand_ins(table.settings.players)), table.names
        words, _ = self.explain(judged, before, seats, judged.best)
        against = ideas_for(judged, card, seats)
        played = [f"{pretty_card(card)} costs {cost:.1f} points more than {pretty_card(judged.best)}."]
        if judged.outcomes[card].queen_to_me and before.rules.queen_points > 0:
            times = round(judged.outcomes[card].queen_to_me * len(judged.worlds))
            what = "stays with you" if card == QUEEN_OF_SPADES else "takes Q♠"
            played.append(f"{pretty_card(card)} {what} in {times} of {len(judged.worlds)} deals that fit.")
        elif against and against[0].code != "least":
            played.append(f"For {pretty_card(card)} one could say: {against[0].sentence}")
        return played + words

    def _keep(
        self, key: str, table: Table, row: Row, deal: Deal, decisions: list[Decision], worst: list[Decision]
    ) -> None:
        """Keep costs for the level, if the deal says something about it, and puzzles for later."""
        person = table.settings.name
        if counts_for_level(table, row):
            costs = [(one.at, one.cost, one.se) for one in decisions]
            self.house.store.add_decisions(key, row.number, person, costs)
        for one in worst:
            body = make_puzzle(deal.before(one.at), one, table.names)
            self.house.store.add_puzzle(person, origin_of(person, body), body, time.time())

    # --- puzzles and level ---

    async def puzzle(self, person: str) -> PuzzleView:
        """A puzzle that is due."""
        waiting = self.house.store.waiting_puzzles(person)
        found = self.house.store.due_puzzle(person, time.time())
        if found is None:
            text = (
                "No puzzle is due now."
                if waiting
                else "No puzzles yet: review a deal, and your mistakes become puzzles."
            )
            return PuzzleView(None, text, waiting=waiting)
        return await self.house.think(show_puzzle, found[0], found[1], waiting)

    async def answer(self, person: str, number: int, card: str, tell: Send) -> Graded:
        """Whether an answer was right, and when the puzzle comes back."""
        found = self.house.store.puzzle(number, person)
        if found is None:
            raise TableError(f"there is no puzzle {number}")
        wanted = parse_card(card)
        async with self._patience("cards", tell):
            graded, stage, due = await self.house.think(grade, self.judge, number, *found, wanted, time.time())
        self.house.store.schedule_puzzle(number, stage, due)
        return graded

    async def level(self, person: str) -> LevelEstimate:
        """The points that somebody's decisions cost per deal, with a 95 % interval."""
        return estimate_level(person, self.house.store.deal_costs(person))


def played_on_by(names: list[str], players: list[str]) -> str:
    """Who plays on like whom, in words."""
    each = [f"{name} like {player}" for name, player in zip(names[1:], players[1:], strict=True)]
    return f"all play on by simple rules: you like {players[0]}, {', '.join(each)}"


def counts_for_level(table: Table, row: Row) -> bool:
    """Whether a deal is like those of the yardstick: standard rules, not known before, and played without help."""
    known = table.settings.only is not None or table.settings.seed is not None
    return table.rules == Rules() and not known and not row.undos and not row.helped


def clear_cost(cost: float, se: float | None) -> float:
    """What a decision cost, as far as that is more than chance would make it; otherwise nothing.

    The coach compares two cards in the same worlds. The card that looks best among several is partly lucky, so even a
    perfect player would seem to lose a little with every card; only differences of more than twice their standard error
    over the worlds count.
    """
    return cost if cost > 0 and (se is None or cost > CLEAR * se) else 0.0


def is_equal(cost: float, se: float) -> bool:
    """Whether a cost is within the noise, on either side."""
    return abs(cost) <= CLEAR * se


def equal_words(passes: list[PassReport]) -> list[str]:
    """How many passes are as good as the first one; one that looks better by chance is among them."""
    equal = sum(is_equal(one.cost, one.cost_se) for one in passes[1:])
    are = "One other pass is" if equal == 1 else f"{equal} other passes are"
    return [f"{are} equally good, within two standard errors: choose what you like."] if equal else []


def is_mistake(cost: float, se: float | None) -> bool:
    """Whether a cost counts, and is large."""
    return clear_cost(cost, se) >= BLUNDER


def verdict(decisions: list[Decision], passing: m.PassReview | None = None) -> str:
    """The headline of a review: it follows from the costs that count, and from nothing else."""
    costs = [clear_cost(one.cost, one.se) for one in decisions]
    counted, total = sum(cost > 0 for cost in costs), sum(costs)
    large = [cost for cost in costs if cost >= BLUNDER]
    bad_pass = passing is not None and is_mistake(passing.cost, passing.se)
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
    if passing is not None and bad_pass:
        return f"{text} Your pass cost {passing.cost:.1f} points."
    return text if large or not decisions else f"{text} Well played."


def _decision(table: Table) -> Deal:
    if table.settings.watch or table.deal.to_move != PERSON:
        raise TableError("it is not your turn")
    return table.deal.copy()
