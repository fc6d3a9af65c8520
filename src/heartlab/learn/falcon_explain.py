"""What a FALCON network has learned, in words: its categories as rules, and the rule behind a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heartlab.cards import card_name, pretty_card
from heartlab.learn.advice_explain import ExplainError, find_position
from heartlab.learn.falcon_agent import FalconSettings, group_of_tricks
from heartlab.learn.falcon_boxes import POINTS, Box
from heartlab.learn.falcon_players import BoxesPlayer, FalconPlayer, NetworkPlayer, player_of
from heartlab.learn.model import load_model
from heartlab.players.base import Observations
from heartlab.players.falcon.actions import LEAD, NAMES
from heartlab.players.falcon.percepts import COUNT, describe_percepts
from heartlab.players.falcon.richer import ACTIONS, FIRST, KINDS, PERCEPTS
from heartlab.rules import Rules

BEST = 3
"""Actions that a rule names, the best first."""
NOT = "not: "
"""Before a condition that must not hold."""


@dataclass(frozen=True)
class CategoryRule:
    """A category in words."""

    number: int
    when: list[str]
    """What it demands."""
    actions: list[tuple[str, float]]
    """Its best actions with their weights."""
    visits: int
    """How often it was learned from; 0 if that was not counted."""
    in_points: bool = False
    """Whether weights stand for points: 0.5 for the mean of the choices, `POINTS` more or less from 0 to 1."""

    @property
    def text(self) -> str:
        """The rule as one sentence; behind each action its weight, or the points that it costs more than the mean."""
        values = [
            f"{(0.5 - weight) * POINTS:+.2f} points" if self.in_points else f"{weight:.2f}"
            for _, weight in self.actions
        ]
        play = ", else ".join(f"{action} ({value})" for (action, _), value in zip(self.actions, values, strict=True))
        return f"when {' and '.join(self.when) or 'anything'}: {play}"


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
    group = owner // 2 if settings.separate else owner
    words = []
    if settings.separate:
        words.append("we lead" if owner % 2 else "we do not lead")
    if groups[-1] > 0:
        tricks = [trick + 1 for trick, one in enumerate(groups[:13]) if one == group]
        words.append(f"trick {tricks[0]}" if len(tricks) == 1 else f"tricks {tricks[0]}–{tricks[-1]}")
    return words


def _exact_rule(player: FalconPlayer, row: int) -> CategoryRule:
    store, settings = player.categories, player.settings
    code, owner = int(store.codes[row]), int(store.owners[row])
    when = _network_words(settings, owner) + describe_percepts(code)
    if settings.percepts == "place":
        when += _place_words(code >> COUNT)
    leads = settings.separate and owner % 2 == 1
    first, end = (LEAD, len(NAMES)) if leads else (0, LEAD if settings.separate else len(NAMES))
    order = first + np.argsort(-store.weights[row, first:end], kind="stable")[:BEST]
    return CategoryRule(
        row, when, [(NAMES[i], float(store.weights[row, i])) for i in order], int(store.visits[row].sum())
    )


def box_words(box: Box) -> list[str]:
    """What a box demands, in words."""
    words = [{"follow": "we follow", "void": "we are void", "lead": "we lead"}[KINDS[box.kind]]]
    for place, percept in enumerate(PERCEPTS[box.kind]):
        if box.demands >> place & 1:
            words.append(percept)
        elif box.forbids >> place & 1:
            words.append(f"{NOT}{percept}")
    return words


def _box_rule(player: BoxesPlayer, boxes: Sequence[Box], row: int) -> CategoryRule:
    first, end = FIRST[boxes[row].kind], FIRST[boxes[row].kind + 1]
    weights = player.net.weights[row]
    ranked = [int(i) for i in first + np.argsort(-weights[first:end], kind="stable")]
    order = [i for i in ranked if weights[i] != 0.5][:BEST] or ranked[:BEST]  # 0.5: it never applied
    return CategoryRule(
        row, box_words(boxes[row]), [(ACTIONS[i], float(weights[i])) for i in order], int(player.net.visits[row]),
        in_points=True,
    )  # fmt: skip


def rules_of(player: NetworkPlayer, rows: Sequence[int] | None = None) -> list[CategoryRule]:
    """The categories of a player as rules: all of them, or some rows."""
    if isinstance(player, BoxesPlayer):
        boxes = player.net.boxes()
        return [_box_rule(player, boxes, row) for row in (range(len(boxes)) if rows is None else rows)]
    assert isinstance(player, FalconPlayer)
    return [_exact_rule(player, row) for row in (range(player.categories.count) if rows is None else rows)]


def _says(condition: str, part: str) -> bool:
    """Whether a condition is what is asked for; its negation is not."""
    return part in condition and condition.startswith(NOT) == part.startswith(NOT)


def describe_network(name: str, top: int, contains: Sequence[str], report: Callable[[Any], None] | None) -> None:
    """Print the categories of a model as rules, those most learned from first."""
    model = load_model(name or "falcon", "falcon")
    player = player_of(model, name)
    rules = rules_of(player)
    chosen = [rule for rule in rules if all(any(_says(words, part) for words in rule.when) for part in contains)]
    if not chosen and contains:
        raise ExplainError(f"no category has {' and '.join(contains)!r} among its conditions")
    chosen.sort(key=lambda rule: -rule.visits)
    if report:
        report(
            {
                "model": name or "falcon", "recipe": model.recipe, "games": model.games, "rules": model.rules,
                "categories": len(rules), "matching": len(chosen),
                "shown": [{**asdict(rule), "text": rule.text} for rule in chosen[:top]],
            }
        )  # fmt: skip
        return
    made = f"{model.games:,} games of {model.recipe}, seed {model.seed}" if model.recipe else "made by hand"
    print(f"{len(rules):,} categories; {made}")
    if model.command:
        print(f"made with: {model.command}")
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
                "reason": reason, "category": None if rule is None else {**asdict(rule), "text": rule.text},
            }
        )  # fmt: skip
        return
    print(deal)
    print(f"\nSeat {seat} played {pretty_card(played)}; {name or 'falcon'} plays {pretty_card(card)}: {reason}.")
    if rule is not None:
        print(f"Category {rule.number}, {rule.text}")
    elif action >= 0:
        print("No category knows this situation.")
