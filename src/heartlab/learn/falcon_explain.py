"""What a FALCON network has learned, in words: its categories as rules, and the rule behind a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from heartlab.cards import card_name, pretty_card
from heartlab.learn.advice_explain import ExplainError, find_position
from heartlab.learn.falcon_agent import FalconSettings, group_of_tricks
from heartlab.learn.falcon_boxes import POINTS, Box
from heartlab.learn.falcon_games import BAD
from heartlab.learn.falcon_net import COMPLEMENT
from heartlab.learn.falcon_players import BoxesPlayer, FalconPlayer, NetworkPlayer, player_of
from heartlab.learn.falcon_words import box_conditions
from heartlab.learn.model import load_model
from heartlab.players.base import Observations
from heartlab.players.falcon.actions import DISCARD, LEAD, NAMES
from heartlab.players.falcon.percepts import COUNT, describe_bits, describe_percepts
from heartlab.players.falcon.richer import ACTIONS, FIRST, KINDS, PERCEPTS
from heartlab.rules import Rules

BEST = 3
"""Actions that a rule names where none applies always, the best first."""
NOT = "not: "
"""Before a percept that must not be there."""
LED = ("♥", "♠", "♦", "♣")
"""The suits of the paper's actions, in their order."""
LOWER = (1 << COMPLEMENT) - 1
NEAR = 5
"""Conditions that are proposed in place of one that does not occur."""


@dataclass(frozen=True)
class CategoryRule:
    """A category in words."""

    number: int
    when: list[str]
    """What it demands, without what follows from the rest."""
    actions: list[tuple[str, float]]
    """Its best actions with their weights; of a category for several situations the best one of each."""
    visits: int
    """How often it was learned from; 0 if that was not counted."""
    in_points: bool = False
    """Whether weights stand for points: 0.5 for the mean of the choices, `POINTS` more or less from 0 to 1."""
    cases: list[tuple[str, list[tuple[str, float]]]] = field(default_factory=list)
    """The situations that it does not tell apart, and in each the actions in the order in which they are tried."""
    conditions: list[str] = field(default_factory=list)
    """All percepts that it asks for, also where one follows from another; `NOT` before those that must be absent."""

    @property
    def text(self) -> str:
        """The rule as one sentence; behind each action its weight, or the points that it costs more than the mean."""
        tried = [(case, self._tried(case, actions)) for case, actions in self.cases]
        cases = "; ".join(f"{case}: {words}" if case else words for case, words in tried)
        return f"when {' and '.join(self.when) or 'anything'}: {cases}"

    def _tried(self, case: str, actions: Sequence[tuple[str, float]]) -> str:
        values = [
            f"{(0.5 - weight) * POINTS:+.2f} points" if self.in_points else f"{weight:.2f}" for _, weight in actions
        ]
        known = f"follow {case[:1]} with "
        names = [action.removeprefix(known) for action, _ in actions]
        return ", else ".join(f"{name} ({value})" for name, value in zip(names, values, strict=True))

    @property
    def worth(self) -> float:
        """How much the rule matters: how often it was learned from, and for boxes also what its best action saves."""
        if not self.in_points or len(self.actions) < 2:
            return float(self.visits)
        return self.visits * (self.actions[0][1] - self.actions[1][1])

    def says(self, part: str) -> bool:
        """Whether a condition is among what it demands, in its words or as a percept; its negation is not."""
        part = part.casefold()
        texts = [text.casefold() for text in (*self.when, *self.conditions)]
        return any(part in text and text.startswith(NOT) == part.startswith(NOT) for text in texts)


def _place_words(code: int) -> list[str]:
    """The percepts of `percepts=place` in words."""
    words = [f"{code & 3} card(s) on the table"]
    if code & 4:
        words.append("hearts are on the table")
    if code & 8:
        words.append("Q♠ is on the table")
    return words


def _network_words(settings: FalconSettings, owner: int) -> list[str]:
    """Which of the networks a category belongs to."""
    groups = group_of_tricks(settings.groups)
    words = [] if settings.outcomes == "together" else ["it went badly" if owner >= BAD else "it went well"]
    owner %= BAD
    group = owner // 2 if settings.separate else owner
    if settings.separate:
        words.append("we lead" if owner % 2 else "we do not lead")
    if groups[-1] > 0:
        tricks = [trick + 1 for trick, one in enumerate(groups[:13]) if one == group]
        words.append(f"trick {tricks[0]}" if len(tricks) == 1 else f"tricks {tricks[0]}–{tricks[-1]}")
    return words


def _exact_cases(weights: Any, leads: bool, may_lead: bool, queen_ours: bool) -> list[tuple[str, list[int]]]:
    """The situations of an exact category, and in each the actions in the order of their weights.

    The led suit is no percept, so that a category holds actions for every suit. Actions behind one that always applies
    are never tried and left out: the highest and the lowest card of a suit, and the dump.
    """
    situations = [] if leads else [(f"{suit} led", 3 * place, 3 * place + 3) for place, suit in enumerate(LED)]
    if not leads:
        situations.append(("void", DISCARD, LEAD))
    if leads or may_lead:
        situations.append(("" if leads else "leading", LEAD, len(NAMES)))
    cases = []
    for words, first, end in situations:
        order = [int(action) for action in first + np.argsort(-weights[first:end], kind="stable")]
        order = [action for action in order if action != DISCARD or queen_ours]
        sure = [place for place, action in enumerate(order) if action < LEAD and action % 3 and action != DISCARD + 1]
        cases.append((words, order[: sure[0] + 1] if sure else order[:BEST]))
    return cases


def _exact_rule(player: FalconPlayer, row: int) -> CategoryRule:
    store, settings = player.categories, player.settings
    code, owner, weights = int(store.codes[row]), int(store.owners[row]), store.weights[row]
    when = _network_words(settings, owner)
    if settings.match == "exact":
        when += describe_percepts(code)
        if settings.percepts == "place":
            when += _place_words(code >> COUNT)
    elif settings.match == "percepts":
        when.append(f"no more percepts than ({', '.join(describe_bits(code, 0))})")
    else:
        when += describe_bits(code & LOWER, code >> COMPLEMENT)
    leads = settings.separate and owner % 2 == 1
    queen_ours = settings.match != "exact" or code >> 4 & 3 == 3
    cases = [
        (words, [(NAMES[i], float(weights[i])) for i in actions])
        for words, actions in _exact_cases(weights, leads, not settings.separate, queen_ours)
    ]
    best = cases[0][1] if leads else [actions[0] for _, actions in cases]
    return CategoryRule(row, when, best, int(store.visits[row].sum()), cases=cases)


def box_words(box: Box) -> list[str]:
    """What a box demands, in words."""
    return [{"follow": "we follow", "void": "we are void", "lead": "we lead"}[KINDS[box.kind]], *box_conditions(box)]


def _asked(box: Box) -> list[str]:
    """The percepts that a box asks for."""
    asked = []
    for place, percept in enumerate(PERCEPTS[box.kind]):
        if (box.demands | box.forbids) >> place & 1:
            asked.append(percept if box.demands >> place & 1 else f"{NOT}{percept}")
    return asked


def _box_rule(player: BoxesPlayer, boxes: Sequence[Box], row: int) -> CategoryRule:
    first, end = FIRST[boxes[row].kind], FIRST[boxes[row].kind + 1]
    weights = player.net.weights[row]
    ranked = [int(i) for i in first + np.argsort(-weights[first:end], kind="stable")]
    order = [i for i in ranked if weights[i] != 0.5][:BEST] or ranked[:BEST]  # 0.5: it never applied
    actions = [(ACTIONS[i], float(weights[i])) for i in order]
    return CategoryRule(
        row, box_words(boxes[row]), actions, int(player.net.visits[row]), in_points=True, cases=[("", actions)],
        conditions=_asked(boxes[row]),
    )  # fmt: skip


def rules_of(player: NetworkPlayer, rows: Sequence[int] | None = None) -> list[CategoryRule]:
    """The categories of a player as rules: all of them, or some rows."""
    if isinstance(player, BoxesPlayer):
        boxes = player.net.boxes()
        return [_box_rule(player, boxes, row) for row in (range(len(boxes)) if rows is None else rows)]
    assert isinstance(player, FalconPlayer)
    return [_exact_rule(player, row) for row in (range(player.categories.count) if rows is None else rows)]


def _meaning_of_numbers(player: NetworkPlayer) -> str:
    """What stands behind each action."""
    if isinstance(player, BoxesPlayer):
        return "the points until the end of the deal that it costs more (+) or less (-) than the mean of the choices"
    assert isinstance(player, FalconPlayer)
    if player.settings.rule in ("returns", "td"):
        return "its value, 1 for the best outcome of the deal and 0 for the worst"
    return "its motor weight, 1 for an action that always went well; the highest that applies is taken"


def _no_such(contains: Sequence[str], rules: Sequence[CategoryRule]) -> ExplainError:
    """Nothing was found: which conditions there are instead."""
    known = sorted({words for rule in rules for words in rule.when})
    lower = {words.casefold(): words for words in known}
    missing = [part for part in contains if not any(rule.says(part) for rule in rules)]
    near = [lower[words] for part in missing for words in get_close_matches(part.casefold(), lower, NEAR, 0.3)]
    hint = f"; near it are: {'; '.join(near)}" if near else ""
    return ExplainError(f"no category has {' and '.join(missing or contains)!r} among its conditions{hint}")


def describe_network(name: str, top: int, contains: Sequence[str], report: Callable[[Any], None] | None) -> None:
    """Print the categories of a model as rules, those that matter most first."""
    model = load_model(name or "falcon", "falcon")
    player = player_of(model, name)
    rules = rules_of(player)
    chosen = [rule for rule in rules if all(rule.says(part) for part in contains)]
    if not chosen and contains:
        raise _no_such(contains, rules)
    chosen.sort(key=lambda rule: -rule.worth)
    numbers = _meaning_of_numbers(player)
    if report:
        report(
            {
                "model": name or "falcon", "recipe": model.recipe, "games": model.games, "rules": model.rules,
                "categories": len(rules), "matching": len(chosen), "numbers": numbers,
                "shown": [{**asdict(rule), "text": rule.text} for rule in chosen[:top]],
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
    model = load_model(name or "falcon", "falcon")
    player = player_of(model, name)
    deal, played = find_position(path, place, at, rules or Rules.parse(model.rules), seed)
    seat = deal.to_move
    if seat is None:
        raise ExplainError("nobody is to play a card here")
    batch = Observations.of(deal.observe(seat))
    cards, rows, actions = player.think(batch)
    card, row, action = int(cards[0]), int(rows[0]), int(actions[0])
    names = ACTIONS if isinstance(player, BoxesPlayer) else NAMES
    rule = rules_of(player, [row])[0] if row >= 0 else None
    reason = "the only legal card" if action < 0 else names[action]
    if report:
        report(
            {
                "model": name or "falcon", "seat": seat, "played": card_name(played), "choice": card_name(card),
                "reason": reason, "numbers": _meaning_of_numbers(player),
                "category": None if rule is None else {**asdict(rule), "text": rule.text},
            }
        )  # fmt: skip
        return
    print(deal)
    print(f"\nSeat {seat} played {pretty_card(played)}; {name or 'falcon'} plays {pretty_card(card)}: {reason}.")
    if rule is not None:
        print(f"Category {rule.number}, {rule.text}")
        print(f"(behind each action: {_meaning_of_numbers(player)})")
    elif action >= 0:
        print("No category knows this situation.")
