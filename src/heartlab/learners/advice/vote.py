"""The vote: weights from the state, suggestions from the pieces, a card from both. All compiled.

A *voter* is a record that says which pieces it hears, which abstractions it looks at, and how weights come from them:

| kind | weights |
|---|---|
| CONSTANT | the same in every state |
| TABULAR | one row per combination of yes-or-no abstractions |
| NET | a network with one hidden layer of sigmoid units |
| LINEAR | a constant plus a term per abstraction |

Its parameters lie in an array of floats. What it thinks at a choice goes into a *thought* record, from which learners
learn and explanations are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ONE, ZERO, bit, lowest
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import any_of
from heartlab.kernel.layout import OBSERVATION, RULES, StateArray
from heartlab.learners.advice.abstractions import built_in_value
from heartlab.learners.advice.network import net_forward
from heartlab.learners.advice.pieces import BUILT_IN, FIRST, suggest_more, suggest_paper
from heartlab.learners.advice.registry import CUSTOM, PIECES, VALUES, Advice, AdviceError, check_opponents
from heartlab.players.gnome.memory import unseen_cards
from heartlab.players.registry import PlayerError
from heartlab.rules import Rules

MAX_PIECES, MAX_INPUTS, MAX_HIDDEN = 48, 64, 64
CONSTANT, TABULAR, NET, LINEAR = range(4)
"""Kinds of voters."""
KINDS = ("constant", "table", "net", "linear")
"""How models call them: `advice-table` and so on."""
SUM, HEAVIEST, MEAN = range(3)
"""A card's score: the sum of its suggesters' weights, the largest of them (the paper found it worse), their mean."""


class Choice(StrEnum):
    """The names of these, in their order."""

    SUM = "sum"
    HEAVIEST = "heaviest"
    MEAN = "mean"


VOTER = np.dtype(
    [
        ("pieces", "i8", MAX_PIECES),  # numbers of the pieces it hears
        ("inputs", "i8", MAX_INPUTS),  # numbers of the abstractions it looks at
        ("piece_count", "i8"),
        ("input_count", "i8"),
        ("hidden_count", "i8"),  # of a NET
        ("paper", "i8"),  # whether it hears any piece of the paper
        ("further", "i8"),  # whether it hears any of our pieces beyond the paper
        ("kind", "i8"),
        ("choice", "i8"),
        ("offset", "i8"),  # where its parameters begin
    ],
    align=True,
)

THOUGHT = np.dtype(
    [
        ("suggested", "u8", BUILT_IN),  # what our pieces suggest, by their number
        ("masks", "u8", MAX_PIECES),  # what each piece that the voter hears suggests
        ("weights", "f8", MAX_PIECES),
        ("slopes", "f8", MAX_PIECES),  # of the log-probability of the card that was drawn, for learners that draw
        ("values", "f8", MAX_INPUTS),
        ("active", "i8", MAX_INPUTS),  # the abstractions whose value is not zero
        ("active_count", "i8"),
        ("hidden", "f8", MAX_HIDDEN),
        ("speakers", "i8", MAX_PIECES),  # the pieces that suggest anything
        ("speaker_count", "i8"),
        ("row", "i8"),  # of a TABULAR voter
        ("suggesters", "u8"),  # bit i: piece i suggests the card that was chosen
        ("credited", "u8"),  # bit i: piece i is to learn from this turn
        ("best", "u8"),  # the cards with the highest score
        ("card", "i8"),
    ],
    align=True,
)


@kernel
def perceive(rules: Any, obs: Any, unseen: np.uint64, voter: Any, custom: Any, thought: Any) -> None:
    """The values of the abstractions that a voter looks at."""
    for j in range(voter["input_count"]):
        number = voter["inputs"][j]
        if number < CUSTOM:
            thought["values"][j] = built_in_value(number, rules, obs, unseen)
        else:
            thought["values"][j] = custom(rules, obs, number - CUSTOM)


@kernel
def hear(rules: Any, obs: Any, unseen: np.uint64, voter: Any, custom: Any, thought: Any) -> None:
    """The suggestions of the pieces that a voter hears; those with any are noted as speakers."""
    suggested, masks, speakers = thought["suggested"], thought["masks"], thought["speakers"]
    if voter["paper"]:
        suggest_paper(rules, obs, unseen, suggested)
    if voter["further"]:
        suggest_more(rules, obs, unseen, suggested)
    count, numbers = 0, voter["pieces"]
    for i in range(voter["piece_count"]):
        number = numbers[i]
        cards = custom(rules, obs, number - CUSTOM) & obs["legal"] if number >= CUSTOM else suggested[number]
        masks[i] = cards
        speakers[count] = i
        count += cards != ZERO
    thought["speaker_count"] = count


@kernel
def _note_active(voter: Any, thought: Any) -> None:
    """Note which abstractions have a value: most are yes-or-no and mostly no, so sums need not run over all."""
    values, active, count = thought["values"], thought["active"], 0
    for j in range(voter["input_count"]):
        active[count] = j
        count += values[j] != 0.0
    thought["active_count"] = count


@kernel
def weigh(voter: Any, floats: Any, thought: Any) -> None:
    """The weights of the pieces from the values of the abstractions."""
    kind, count, place = voter["kind"], voter["piece_count"], voter["offset"]
    weights, values = thought["weights"], thought["values"]
    thought["row"] = 0
    if kind == NET or kind == LINEAR:
        _note_active(voter, thought)
    if kind == NET:
        net_forward(voter, floats, thought, weights)
    elif kind == LINEAR:
        inputs, active, active_count = voter["input_count"], thought["active"], thought["active_count"]
        for i in range(count):
            total = floats[place + inputs]
            for k in range(active_count):
                total += floats[place + active[k]] * values[active[k]]
            weights[i] = total
            place += inputs + 1
    else:
        if kind == TABULAR:
            row = 0
            for j in range(voter["input_count"]):
                row |= np.int64(values[j] > 0.5) << j
            thought["row"] = row
            place += row * count
        for i in range(count):
            weights[i] = floats[place + i]


@kernel
def _score(choice: int, thought: Any, own: np.uint64) -> float:
    """The score of a card where it is not the sum of the weights."""
    masks, weights, speakers = thought["masks"], thought["weights"], thought["speakers"]
    total, heaviest, votes = 0.0, 0.0, 0
    for k in range(thought["speaker_count"]):
        i = speakers[k]
        if masks[i] & own != ZERO:
            heaviest = weights[i] if votes == 0 or weights[i] > heaviest else heaviest
            total += weights[i]
            votes += 1
    return heaviest if choice == HEAVIEST or votes == 0 else total / votes


@kernel
def alike(thought: Any, rest: np.uint64) -> tuple[np.uint64, float]:
    """Those of some cards that the same pieces suggest as the lowest of them, and the sum of these pieces' weights."""
    masks, weights, speakers = thought["masks"], thought["weights"], thought["speakers"]
    own = rest & (~rest + ONE)
    same, score = rest, 0.0
    for k in range(thought["speaker_count"]):
        mask = masks[speakers[k]]
        suggests = mask & own != ZERO
        same &= mask if suggests else ~mask
        score += weights[speakers[k]] if suggests else 0.0
    return same, score


@kernel
def best_cards(choice: int, thought: Any, legal: np.uint64) -> np.uint64:
    """The cards with the highest score; cards that the same pieces suggest are scored once."""
    best, found, rest = 0.0, ZERO, legal
    while rest != ZERO:
        same, score = alike(thought, rest)
        if choice != SUM:
            score = _score(choice, thought, rest & (~rest + ONE))
        rest &= ~same
        if found == ZERO or score > best:
            best, found = score, same
        elif score == best:
            found |= same
    return found


@kernel
def note_choice(thought: Any, card: int) -> None:
    """Note the card that is played and who suggested it."""
    suggesters = ZERO
    masks, speakers, own = thought["masks"], thought["speakers"], bit(card)
    for k in range(thought["speaker_count"]):
        if masks[speakers[k]] & own != ZERO:
            suggesters |= ONE << np.uint64(speakers[k])
    thought["suggesters"] = suggesters
    thought["card"] = card


@kernel
def consider(rules: Any, obs: Any, voter: Any, floats: Any, pieces: Any, values: Any, thought: Any) -> None:
    """All that a voter thinks before it chooses: values, weights, suggestions."""
    unseen = unseen_cards(rules, obs)
    perceive(rules, obs, unseen, voter, values, thought)
    weigh(voter, floats, thought)
    hear(rules, obs, unseen, voter, pieces, thought)


@kernel
def choose(voter: Any, legal: np.uint64, thought: Any, rng: Any) -> int:
    """The card with the highest score, ties at random; all that led to it stays in `thought`."""
    best = legal
    if best & (best - ONE) != ZERO:
        best = best_cards(voter["choice"], thought, best)
    thought["best"] = best
    card = any_of(best, rng) if best & (best - ONE) != ZERO else lowest(best)
    note_choice(thought, card)
    return card


@kernel
def vote_table(
    rules: Any, obs: Any, voters: Any, floats: Any, pieces: Any, values: Any, thoughts: Any, cards: Any
) -> None:
    """The cards of one voter for many observations; `thoughts` has one record per row, or one for all."""
    rng = np.empty(1, np.uint64)
    for row in range(len(obs)):
        rng[0] = obs[row]["random"]
        thought = thoughts[row % len(thoughts)]
        consider(rules[0], obs[row], voters[0], floats, pieces, values, thought)
        cards[row] = choose(voters[0], obs[row]["legal"], thought, rng)


RULES_ARRAY = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
VOTERS = types.Array(numba.from_dtype(VOTER), 1, "C")
THOUGHTS = types.Array(numba.from_dtype(THOUGHT), 1, "C")
FUNCTIONS = (types.FunctionType(PIECES), types.FunctionType(VALUES))
VOTE_TABLE = types.void(
    RULES_ARRAY, types.Array(numba.from_dtype(OBSERVATION), 1, "C"), VOTERS, types.float64[::1], *FUNCTIONS, THOUGHTS,
    types.int8[::1],
)  # fmt: skip


# --- voters in Python ---


def make_voter(
    kind: int,
    pieces: Sequence[Advice],
    inputs: Sequence[Advice] = (),
    *,
    hidden: int = 0,
    choice: Choice = Choice.SUM,
) -> StateArray:
    """A voter as an array of one record.

    :raises ValueError: for too much advice.
    """
    for what, count, most in (
        ("pieces", len(pieces), MAX_PIECES),
        ("abstractions", len(inputs), MAX_INPUTS),
        ("hidden units", hidden, MAX_HIDDEN),
    ):
        if count > most:
            raise ValueError(f"{count} {what} are too many; there is room for {most}")
    voters: StateArray = np.zeros(1, VOTER)
    voters["pieces"][0, : len(pieces)] = [piece.number for piece in pieces]
    voters["inputs"][0, : len(inputs)] = [value.number for value in inputs]
    voters["piece_count"], voters["input_count"], voters["hidden_count"] = len(pieces), len(inputs), hidden
    voters["paper"] = any(piece.number < FIRST for piece in pieces)
    voters["further"] = any(FIRST <= piece.number < BUILT_IN for piece in pieces)
    voters["kind"], voters["choice"] = kind, list(Choice).index(choice)
    return voters


def check_voter(voters: StateArray, rules: Rules, who: str) -> None:
    """Refuse rules without an opponent that a voter looks at.

    :raises PlayerError: with a sentence that names the abstraction.
    """
    try:
        check_opponents(voters["inputs"][0, : int(voters["input_count"][0])].tolist(), rules.players)
    except AdviceError as error:
        raise PlayerError(f"{who} cannot sit at a table of {rules}: {error}") from error
