"""Explaining models: what a model has learned, and why it prefers a card in a recorded deal.

Every kind of model has an :class:`Explainer`, listed in the entry-point group `heartlab.explainers` under the first
word of the kind: `td`, `advice`, `falcon`. `heartlab explain` finds the explainer of a model and asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from heartlab.cards import Card
from heartlab.deal import Deal
from heartlab.records.position import find_deal
from heartlab.rules import Rules
from heartlab.training.model import model_kind
from heartlab.util.registry import Registry

Report = Callable[[Any], None]
"""Takes the answer as a JSON value; without a report the answer is printed for people."""


DEFAULT = "td"
"""The model that is explained if none is named."""


class ExplainError(ValueError):
    """A question about a model that has no answer: an unknown situation, feature or category."""


@dataclass(frozen=True)
class Decision:
    """A decision in a recorded deal."""

    file: Path
    place: int
    """The place of the deal in the file, from 1."""
    deal: Deal
    """The deal just before the decision."""
    played: Card | None
    """The card that was played; None if the record ends here."""
    players: Sequence[str] | None
    """The names in the record."""


@dataclass(frozen=True)
class Question:
    """How to explain a decision; explainers use what concerns them."""

    seed: int = 0
    worlds: int = 50
    """Sampled worlds; 0: all hands are known."""
    top: int = 4
    """Reasons per card."""


class Explainer(Protocol):
    """Explains the models of one kind."""

    def describe_model(self, model: str, report: Report | None) -> None:
        """What a model has learned.

        :param model: its name or path; empty for the shipped one.
        """

    def describe_choice(self, model: str, decision: Decision, question: Question, report: Report | None) -> None:
        """Why a model prefers its card at a decision."""


EXPLAINERS: Registry[Explainer] = Registry(
    "explainer", ExplainError, "heartlab.explainers", lambda entry: entry.load()()
)
"""All explainers by the first word of a model's kind; an entry point is a class."""


def find_explainer(model: str) -> Explainer:
    """The explainer of a model; without a name that of the shipped network over features.

    :raises ModelError: if there is no such model.
    :raises ExplainError: if nobody explains models of its kind.
    """
    return EXPLAINERS.find(model_kind(model or DEFAULT).partition("-")[0])


def explain_choice(
    model: str, file: Path, place: int, at: int, openspiel_rules: Rules, question: Question, report: Report | None
) -> None:
    """Explain why a model prefers its card where card number `at` (from 1) of a recorded deal was chosen.

    :raises ValueError: if the file has no such deal, or the deal no such card.
    """
    explainer = find_explainer(model)
    record, deal = find_deal(file, place, openspiel_rules)
    before = deal.before(at)
    played = deal.history[at - 1] if at <= len(deal.history) else None
    explainer.describe_choice(model, Decision(file, place, before, played, record.players), question, report)
