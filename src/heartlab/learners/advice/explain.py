"""What a voter has learned, in words: the weight of each piece in a situation, and the pieces behind a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heartlab.cards import Card, CardSet, card_name, pretty_card
from heartlab.deal import Deal
from heartlab.learners.advice.games import Sitter
from heartlab.learners.advice.player import VoterPlayer, load_voter
from heartlab.learners.advice.registry import known_abstractions, known_pieces
from heartlab.learners.advice.vote import LINEAR, THOUGHT, Choice, weigh
from heartlab.players.base import Observations
from heartlab.records.position import find_position
from heartlab.rules import Rules
from heartlab.training.explain import Decision, ExplainError, Question, Report
from heartlab.training.model import Model
from heartlab.util.errors import quoted

STRONGEST = 12
"""How many state-dependent terms are listed."""


def list_advice(report: Report | None) -> None:
    """Print all advice by name."""
    kinds = {"suggests cards": known_pieces(), "describes the state": known_abstractions()}
    if report:
        report({kind: {one.name: one.sentence for one in known.values()} for kind, known in kinds.items()})
        return
    for kind, known in kinds.items():
        print(f"{kind}:")
        for one in known.values():
            print(f"  {one.name:<24} {one.sentence}")


@dataclass(frozen=True)
class Trust:
    """The weight of a piece in a situation."""

    piece: str
    weight: float
    sentence: str


def trust_in(model: Model, voter: Sitter, situation: Sequence[str]) -> list[Trust]:
    """The weight of every piece, heaviest first, if the named abstractions are true and all others are not.

    ``out-hearts=0.5`` gives an abstraction a value.

    :raises ExplainError: for an abstraction that this model does not look at.
    """
    inputs = list(model.extras["inputs"])
    thoughts = np.zeros(1, THOUGHT)
    for name, value in read_situation(situation, inputs).items():
        thoughts[0]["values"][inputs.index(name)] = value
    weigh(voter.voters[0], voter.weights, thoughts[0])
    weights = thoughts[0]["weights"]
    found = [Trust(name, float(weights[i]), known_pieces()[name].sentence) for i, name in enumerate(model.names)]
    return sorted(found, key=lambda trust: -trust.weight)


def read_situation(situation: Sequence[str], inputs: Sequence[str]) -> dict[str, float]:
    """The values of abstractions from texts such as ``queen-out`` or ``out-hearts=0.5``.

    :raises ExplainError: for one that is not among the inputs or is given twice, or a value that is not from 0 to 1.
    """
    found: dict[str, float] = {}
    for text in situation:
        name, equals, value = text.partition("=")
        if name not in inputs:
            known = ", ".join(inputs) or "nothing: its weights are the same in every state"
            raise ExplainError(f"this model does not look at {quoted(name)}; it looks at {known}")
        if name in found:
            raise ExplainError(f"--when {text}: {name} was given before")
        try:
            found[name] = float(value) if equals else 1.0
        except ValueError as error:
            raise ExplainError(f"{text}: {quoted(value)} is not a number") from error
        if not 0.0 <= found[name] <= 1.0:
            raise ExplainError(f"{text}: needs a number from 0 (no) to 1 (yes)")
    return found


def _situation_text(situation: Sequence[str], inputs: Sequence[str]) -> str:
    """A situation in sentences, with the value of what is neither true nor false."""
    sentences = []
    for name, value in read_situation(situation, inputs).items():
        sentence = known_abstractions()[name].sentence
        sentences.append(sentence if value == 1.0 else f"{sentence[:-1]}: {'no' if value == 0.0 else value}.")
    return " ".join(sentences) or "none of its abstractions is true."


def strongest_terms(model: Model, voter: Sitter) -> list[tuple[str, str, float]]:
    """The largest changes of a weight by an abstraction, for weights that are linear in the state."""
    inputs = list(model.extras["inputs"])
    if int(voter.voters["kind"][0]) != LINEAR or not inputs:
        return []
    terms = voter.weights.reshape(len(model.names), len(inputs) + 1)[:, :-1]
    order = np.argsort(-np.abs(terms), axis=None)[:STRONGEST]
    places = [divmod(int(place), len(inputs)) for place in order]
    return [(model.names[i], inputs[j], float(terms[i, j])) for i, j in places]


def describe_model(name: str, situation: Sequence[str], instance: int, report: Report | None) -> None:
    """Print what a model is, and the weights of its pieces in a situation."""
    model, voter = load_voter(name, instance=instance)
    trust = trust_in(model, voter, situation)
    terms = strongest_terms(model, voter)
    if report:
        report(
            {
                "model": name,
                "kind": model.kind,
                "rules": model.rules,
                "command": model.command,
                "situation": list(situation),
                "trust": [vars(one) for one in trust],
                "terms": [{"piece": piece, "when": value, "change": change} for piece, value, change in terms],
            }
        )
        return
    print(f"{name}: {model.kind}, rules {model.rules}, {model.games:,} games; made with: {model.command}")
    print(f"Situation: {_situation_text(situation, list(model.extras['inputs']))} Trust in each piece:")
    for one in trust:
        print(f"  {one.weight:+7.3f}  {one.piece:<20} {one.sentence}")
    if terms:
        print("What changes most with the situation:")
        for piece, value, change in terms:
            print(f"  {change:+7.3f}  {piece:<20} if: {known_abstractions()[value].sentence}")


# --- a choice in a deal ---


@dataclass(frozen=True)
class CardVotes:
    """A card with its score and the pieces that suggest it, with their weights."""

    card: int
    score: float
    votes: tuple[tuple[str, float], ...]


def votes_for(model: Model, voter: Sitter, deal: Deal) -> tuple[int, list[CardVotes]]:
    """The card that a voter would play for the seat to move, and all legal cards, best first."""
    seat = deal.to_move
    if seat is None:
        raise ExplainError("nobody is to play a card here")
    obs = deal.observe(seat)
    batch = Observations.of(obs)
    player = VoterPlayer("explained", voter.voters, voter.weights)
    player.check_rules(deal.rules)
    cards, thoughts = player.think(batch)
    found = []
    for card in obs.legal:
        votes = [
            (name, float(thoughts[0]["weights"][i]))
            for i, name in enumerate(model.names)
            if card in CardSet(int(thoughts[0]["masks"][i]))
        ]
        votes.sort(key=lambda vote: -abs(vote[1]))
        found.append(CardVotes(card, card_score(str(model.extras["choice"]), votes), tuple(votes)))
    return int(cards[0]), sorted(found, key=lambda one: -one.score)


def card_score(choice: str, votes: Sequence[tuple[str, float]]) -> float:
    """The score of a card from the weights of those that suggest it."""
    weights = [weight for _, weight in votes]
    if choice == Choice.HEAVIEST:
        return max(weights, default=0.0)
    return sum(weights) / len(weights) if choice == Choice.MEAN and weights else sum(weights)


def describe_choice(
    name: str, path: Path | None, place: int, card: int, rules: Rules | None, seed: int, instance: int,
    report: Report | None,
) -> None:  # fmt: skip
    """Print which pieces of advice decide a choice."""
    model, voter = load_voter(name, instance=instance)
    deal, played = find_position(path, place, card, rules or Rules.parse(model.rules), seed)
    _show_choice(name, model, voter, deal, played, report)


def _show_choice(
    name: str, model: Model, voter: Sitter, deal: Deal, played: Card | None, report: Report | None
) -> None:
    chosen, found = votes_for(model, voter, deal)
    if report:
        report(
            {
                "model": name,
                "seat": deal.to_move,
                "played": None if played is None else card_name(played),
                "choice": card_name(chosen),
                "cards": [{"card": card_name(one.card), "score": one.score, "votes": dict(one.votes)} for one in found],
            }
        )
        return
    print(deal)
    did = "is to play" if played is None else f"played {pretty_card(played)}"
    print(f"\nSeat {deal.to_move} {did}; {name} plays {pretty_card(chosen)}.")
    for one in found:
        carried = ", ".join(f"{piece} {weight:+.2f}" for piece, weight in one.votes) or "no advice"
        print(f"  {pretty_card(one.card):<4} {one.score:+7.3f}  {carried}")
    best = next(one for one in found if one.card == chosen)
    for line in _why(best, [one for one in found if one.score < best.score]):
        print(line)


def _why(best: CardVotes, rest: Sequence[CardVotes]) -> list[str]:
    """What distinguishes a card from the next best one, in sentences."""
    if not rest:
        return []
    ours, theirs = dict(best.votes), dict(rest[0].votes)
    card, other = pretty_card(best.card), pretty_card(rest[0].card)
    reasons = [name for name, weight in ours.items() if weight > 0 and name not in theirs]
    distrusted = [name for name, weight in theirs.items() if weight < 0 and name not in ours]
    lines = [f"What sets {card} apart from {other}:"]
    lines += [f"  for {card}: {known_pieces()[name].sentence}" for name in reasons]
    lines += [f"  for {other}, but distrusted: {known_pieces()[name].sentence}" for name in distrusted]
    return lines


class AdviceExplainer:
    """Explains voters."""

    def describe_model(self, model: str, report: Report | None) -> None:
        """The weight of each piece where no abstraction is true."""
        describe_model(model, (), 0, report)

    def describe_choice(self, model: str, decision: Decision, question: Question, report: Report | None) -> None:
        """The pieces that suggest each card, with their weights."""
        _show_choice(model, *load_voter(model), decision.deal, decision.played, report)
