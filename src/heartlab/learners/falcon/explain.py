"""What a FALCON network has learned, in words: its categories as rules, and the rule behind a choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from heartlab.cards import Card, card_name, pretty_card
from heartlab.deal import Deal
from heartlab.learners.falcon.actions import DISCARD, LEAD, PAPER_ACTIONS, SUITS, Action
from heartlab.learners.falcon.boxes import POINTS, Box
from heartlab.learners.falcon.categories import COMPLEMENT, TINY
from heartlab.learners.falcon.more_actions import ACTIONS, FIRST
from heartlab.learners.falcon.more_percepts import PERCEPTS
from heartlab.learners.falcon.order import Knowledge, box_knowledge, paper_knowledge, tried
from heartlab.learners.falcon.percepts import (
    COUNT,
    PLACE_COUNT,
    Sentence,
    describe_bits,
    describe_percepts,
    describe_place,
)
from heartlab.learners.falcon.player import BoxesPlayer, FalconPlayer, NetworkPlayer, player_of, read_falcon
from heartlab.learners.falcon.settings import TRICKS, FalconSettings, Match, Percepts, group_of_tricks
from heartlab.learners.falcon.words import box_conditions
from heartlab.players.base import Observations
from heartlab.records.position import find_position
from heartlab.rules import Rules
from heartlab.training.explain import Decision, ExplainError, Question
from heartlab.util.errors import quoted

BEST = 3
"""The best actions that a rule keeps beside the order in which its actions are tried."""
NOT = "not:"
"""Before a percept that must not be there."""
NEAR = 5
"""Conditions that are proposed in place of one that does not occur."""
KIND_WORDS = ("we follow", "we are void", "we lead")
Weighed = tuple[str, float]
"""An action and its weight."""


@dataclass(frozen=True)
class CategoryRule:
    """A category in words."""

    number: int
    demands: list[Sentence]
    """What it demands, without what follows from the rest."""
    actions: list[Weighed]
    """Its best actions; of a category for several situations the best one of each."""
    visits: int
    """How often it was learned from; 0 if that was not counted."""
    in_points: bool = False
    """Whether weights stand for points: 0.5 for the mean of the choices, `POINTS` more or less from 0 to 1."""
    cases: list[tuple[str, list[Weighed]]] = field(default_factory=list)
    """The situations that it does not tell apart, and in each the actions in the order in which they are tried."""
    asked: list[Sentence] = field(default_factory=list)
    """All percepts that it asks for, also where one follows from another; `NOT` before those that must be absent."""
    exceptions: int = 0
    """How many of the percepts may be otherwise, with a vigilance below 1."""

    @property
    def when(self) -> list[str]:
        """What it demands, as texts."""
        return [sentence.text for sentence in self.demands]

    @property
    def conditions(self) -> list[str]:
        """The percepts that it asks for, as texts."""
        return [sentence.text for sentence in self.asked]

    @property
    def text(self) -> str:
        """The rule as one sentence; behind each action its weight, or the points that it costs more than the mean."""
        all_cases = [(case, self._tried(case, actions)) for case, actions in self.cases]
        cases = "; ".join(f"{case}: {words}" if case else words for case, words in all_cases)
        doubt = f" (at most {self.exceptions} of the percepts may be otherwise)" if self.exceptions else ""
        return f"when {' and '.join(self.when) or 'anything'}{doubt}: {cases}"

    def _tried(self, case: str, actions: Sequence[Weighed]) -> str:
        known = f"follow {case[:1]} with "
        return ", else ".join(f"{action.removeprefix(known)} ({self._value(weight)})" for action, weight in actions)

    def _value(self, weight: float) -> str:
        return f"{(0.5 - weight) * POINTS:+.2f} points" if self.in_points else f"{weight:.2f}"

    @property
    def worth(self) -> float:
        """How much the rule matters: how often it was learned from, and for boxes also what its best action saves."""
        if not self.in_points or len(self.actions) < 2:
            return float(self.visits)
        return self.visits * (self.actions[0][1] - self.actions[1][1])

    def says(self, part: str, whole: bool) -> bool:
        """Whether a condition is among what it demands, in its words or as a percept; its negation is not.

        :param whole: whether to look for a whole condition; otherwise for a part of one that does not deny the part.
        """
        sentences = (*self.demands, *self.asked)
        if whole:
            return part.casefold() in (sentence.text.casefold() for sentence in sentences)
        return any(sentence.affirms(part) for sentence in sentences)

    def report(self) -> dict[str, Any]:
        """The rule for `--json`."""
        return {
            "number": self.number, "when": self.when, "actions": self.actions, "visits": self.visits,
            "in_points": self.in_points, "cases": self.cases, "conditions": self.conditions,
            "exceptions": self.exceptions, "dice": False,  # no reading that is left chooses by dice
            "text": self.text,
        }  # fmt: skip


def rules_that_say(rules: Sequence[CategoryRule], part: str) -> list[CategoryRule]:
    """The rules with a condition: those that have it word by word, or else those with a condition that contains it."""
    whole = [rule for rule in rules if rule.says(part, True)]
    return whole or [rule for rule in rules if rule.says(part, False)]


# --- categories over the paper's percepts ---


def _network_words(settings: FalconSettings, owner: int) -> list[Sentence]:
    """Which of the networks a category belongs to."""
    words = []
    group = owner // 2 if settings.separate else owner
    if settings.separate:
        words.append(Sentence("we lead") if owner % 2 else Sentence("we do", "not", "lead"))
    groups = group_of_tricks(settings.groups)
    if groups[-1] > 0:
        tricks = [trick + 1 for trick, one in enumerate(groups[:TRICKS]) if one == group]
        words.append(Sentence(f"trick {tricks[0]}" if len(tricks) == 1 else f"tricks {tricks[0]}–{tricks[-1]}"))
    return words


def _ranked(weights: Any, first: int, end: int) -> list[int]:
    """Some actions from the highest weight to the lowest, as they are tried; equal ones by their numbers."""
    return [int(action) for action in first + np.argsort(-weights[first:end], kind="stable")]


def _weighed(actions: Sequence[Action], weights: Any, order: Iterable[int]) -> list[Weighed]:
    return [(actions[number].name, float(weights[number])) for number in order]


def _exact_cases(
    weights: Any, settings: FalconSettings, leads: bool, knows: Knowledge
) -> list[tuple[str, list[Weighed]]]:
    """The situations of a category over the paper's percepts, and in each the actions in the order of their turns.

    The led suit is no percept, so that a category holds actions for every suit.
    """
    situations = [] if leads else [(f"{suit} led", 3 * place, 3 * place + 3) for place, suit in enumerate(SUITS)]
    if not leads:
        situations.append(("void", DISCARD, LEAD))
    if leads or not settings.separate:
        situations.append(("" if leads else "leading", LEAD, len(PAPER_ACTIONS)))
    return [
        (words, _weighed(PAPER_ACTIONS, weights, tried(_ranked(weights, first, end), PAPER_ACTIONS, knows)))
        for words, first, end in situations
    ]


def _demanded(settings: FalconSettings, code: int) -> tuple[int, int, int]:
    """The bits that must be 1 for a category to match, those that must be 0, and how many may be otherwise."""
    seen = (1 << COUNT + (PLACE_COUNT if settings.percepts is Percepts.PLACE else 0)) - 1
    share, size = settings.vigilance, code.bit_count()
    if settings.match is Match.EXACT:
        return code, ~code & seen, 0
    if settings.match is Match.WEIGHTS:
        return code, 0, size - ceil(share * size - TINY)
    lower = (1 << COMPLEMENT) - 1
    return code & lower, code >> COMPLEMENT, max(0, size - ceil(share * seen.bit_count() - TINY))


def _exact_rule(player: FalconPlayer, row: int, free: bool) -> CategoryRule:
    store, settings = player.categories, player.settings
    code, owner, weights = int(store.codes[row]), int(store.owners[row]), store.weights[row]
    ones, zeros, exceptions = _demanded(settings, code)
    demands = _network_words(settings, owner)
    if settings.match is Match.EXACT:
        demands += describe_percepts(code)
        if settings.percepts is Percepts.PLACE:
            demands += describe_place(code >> COUNT)
    else:
        demands += describe_bits(ones, zeros)
    leads = settings.separate and owner % 2 == 1
    knows = paper_knowledge(0, 0, free) if exceptions else paper_knowledge(ones, zeros, free)
    cases = _exact_cases(weights, settings, leads, knows)
    best = cases[0][1][:BEST] if leads else [actions[0] for _, actions in cases]
    return CategoryRule(row, demands, best, int(store.visits[row].sum()), cases=cases, exceptions=exceptions)


# --- boxes ---


def _asked(box: Box) -> list[Sentence]:
    """The percepts that a box asks for."""
    asked = []
    for place, percept in enumerate(PERCEPTS[box.kind]):
        if box.demands >> place & 1:
            asked.append(percept.words)
        elif box.forbids >> place & 1:
            asked.append(Sentence("", NOT, percept.name))
    return asked


def _box_rule(player: BoxesPlayer, boxes: Sequence[Box], row: int, free: bool) -> CategoryRule:
    box, weights = boxes[row], player.net.weights[row]
    ranked = _ranked(weights, FIRST[box.kind], FIRST[box.kind + 1])
    ranked = [i for i in ranked if player.net.weights[:, i].any()]  # without weights: left out of the growth
    knows = box_knowledge(box, free)
    possible = [i for i in ranked if knows(ACTIONS[i].need) is not False]
    best = [i for i in possible if weights[i] != 0.5][:BEST] or possible[:BEST]  # 0.5: it never applied
    return CategoryRule(
        row, [Sentence(KIND_WORDS[box.kind]), *box_conditions(box)], _weighed(ACTIONS, weights, best),
        int(player.net.visits[row]), in_points=True, asked=_asked(box),
        cases=[("", _weighed(ACTIONS, weights, tried(ranked, ACTIONS, knows)))],
    )  # fmt: skip


# --- rules ---


def rules_of(player: NetworkPlayer, rows: Sequence[int] | None = None, game: Rules | None = None) -> list[CategoryRule]:
    """The categories of a player as rules: all of them, or some rows.

    :param game: what is played; without it a rule also names what is tried where a card of ours may not be played.
    """
    free = game is not None and _is_free(game)
    if isinstance(player, BoxesPlayer):
        boxes = player.net.boxes()
        return [_box_rule(player, boxes, row, free) for row in (range(len(boxes)) if rows is None else rows)]
    assert isinstance(player, FalconPlayer)
    return [_exact_rule(player, row, free) for row in (range(player.categories.count) if rows is None else rows)]


def _is_free(game: Rules) -> bool:
    """Whether every card may be led at any time, and thrown when void."""
    return (
        game.hearts == "any"
        and game.first_trick_points
        and game.opening in ("left-of-dealer", "random")
        and not game.queen_after_hearts
    )


def _meaning_of_numbers(player: NetworkPlayer) -> str:
    """What stands behind each action, and how one is chosen."""
    if isinstance(player, BoxesPlayer):
        return (
            "the points until the end of the deal that it costs more (+) or less (-) than the mean of the choices, "
            "+0.00 also if it was never tried; the first that applies is taken"
        )
    assert isinstance(player, FalconPlayer)
    number = "its motor weight, 1 for an action that always went well or was not tried yet"
    if player.settings.rule.learns_values:
        number = (
            "its value, 1 for the best outcome of the deal and 0 for the worst, or what it began with if it was not "
            "tried yet"
        )
    return f"{number}; the first that applies is taken"


def _no_such(contains: Sequence[str], rules: Sequence[CategoryRule]) -> ExplainError:
    """Nothing was found: which conditions there are instead."""
    known = sorted({words for rule in rules for words in rule.when})
    lower = {words.casefold(): words for words in known}
    missing = [part for part in contains if not rules_that_say(rules, part)]
    near = [lower[words] for part in missing for words in get_close_matches(part.casefold(), lower, NEAR, 0.3)]
    hint = f"; near it are: {'; '.join(near)}" if near else ""
    return ExplainError(f"no category has {quoted(' and '.join(missing or contains))} among its conditions{hint}")


def describe_network(name: str, top: int, contains: Sequence[str], report: Callable[[Any], None] | None) -> None:
    """Print the categories of a model as rules, those that matter most first."""
    model = read_falcon(name)
    player = player_of(model, name)
    rules = rules_of(player, game=Rules.parse(model.rules))
    found = [{rule.number for rule in rules_that_say(rules, part)} for part in contains]
    chosen = [rule for rule in rules if all(rule.number in numbers for numbers in found)]
    if not chosen and contains:
        raise _no_such(contains, rules)
    chosen.sort(key=lambda rule: -rule.worth)
    numbers = _meaning_of_numbers(player)
    if report:
        report(
            {
                "model": name or "falcon", "recipe": model.recipe, "games": model.games, "rules": model.rules,
                "categories": len(rules), "matching": len(chosen), "numbers": numbers,
                "shown": [rule.report() for rule in chosen[:top]],
            }
        )  # fmt: skip
        return
    made = f"{model.games:,} games of {model.recipe}, seed {model.seed}" if model.recipe else "made by hand"
    print(f"{len(rules):,} categories; {made}")
    if model.command:
        print(f"made with: {model.command}")
    order = "times × what the best action saves" if isinstance(player, BoxesPlayer) else "times"
    print(f"behind each action: {numbers}; [times]: how often it was learned from; sorted by {order}")
    for rule in chosen[:top]:
        count = f"  [{rule.visits:,} times]" if rule.visits else ""
        print(f"{rule.number:>6}  {rule.text}{count}")
    if len(chosen) > top:
        print(f"({len(chosen) - top:,} more; --top shows them)")


def describe_choice(
    name: str, path: Path | None, place: int, at: int, rules: Rules | None, seed: int,
    report: Callable[[Any], None] | None,
) -> None:  # fmt: skip
    """Print which category makes a choice, in a deal of a record or in one that is played at random."""
    model = read_falcon(name)
    player = player_of(model, name)
    deal, played = find_position(path, place, at, rules or Rules.parse(model.rules), seed)
    _show_choice(name, player, deal, played, report)


def _show_choice(
    name: str, player: NetworkPlayer, deal: Deal, played: Card | None, report: Callable[[Any], None] | None
) -> None:
    seat = deal.to_move
    if seat is None:
        raise ExplainError("nobody is to play a card here")
    batch = Observations.of(deal.observe(seat))
    cards, rows, actions = player.think(batch)
    card, row, action = int(cards[0]), int(rows[0]), int(actions[0])
    known = ACTIONS if isinstance(player, BoxesPlayer) else PAPER_ACTIONS
    rule = rules_of(player, [row], deal.rules)[0] if row >= 0 else None
    reason = "the only legal card" if action < 0 else known[action].name
    if report:
        report(
            {
                "model": name or "falcon", "seat": seat, "played": None if played is None else card_name(played),
                "choice": card_name(card), "reason": reason, "numbers": _meaning_of_numbers(player),
                "category": None if rule is None else rule.report(),
            }
        )  # fmt: skip
        return
    print(deal)
    did = "is to play" if played is None else f"played {pretty_card(played)}"
    print(f"\nSeat {seat} {did}; {name or 'falcon'} plays {pretty_card(card)}: {reason}.")
    if rule is not None:
        print(f"Category {rule.number}, {rule.text}")
        print(f"(behind each action: {_meaning_of_numbers(player)})")
    elif action >= 0:
        print("No category knows this situation.")


class FalconExplainer:
    """Explains FALCON networks."""

    def describe_model(self, model: str, report: Callable[[Any], None] | None) -> None:
        """The categories that matter most, as rules."""
        describe_network(model, 20, (), report)

    def describe_choice(
        self, model: str, decision: Decision, question: Question, report: Callable[[Any], None] | None
    ) -> None:
        """The category behind the choice."""
        _show_choice(model, player_of(read_falcon(model), model), decision.deal, decision.played, report)
