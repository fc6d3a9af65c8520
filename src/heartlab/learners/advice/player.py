"""Players that vote: `voting` gives all pieces of advice the same weight, the others use learned weights.

`learner-t:MODEL` and `learner-n:MODEL` are the learners of the paper; `advice:MODEL` takes a model of any kind.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta, Struct

from heartlab.compiled.jit import compile_for
from heartlab.kernel.layout import SEATS, StateArray
from heartlab.learners.advice.games import FloatArray, Sitter
from heartlab.learners.advice.network import net_size
from heartlab.learners.advice.registry import custom_functions, find_abstractions, find_pieces
from heartlab.learners.advice.vote import (
    CONSTANT,
    KINDS,
    MAX_HIDDEN,
    MAX_INPUTS,
    THOUGHT,
    VOTE_TABLE,
    Choice,
    check_voter,
    make_voter,
    vote_table,
)
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.gnome.player import make_gnome
from heartlab.players.registry import parse_options, register
from heartlab.rules import Rules
from heartlab.training.model import Model, ModelError, load_model
from heartlab.training.recipes import one_of
from heartlab.util.bundle import FLOATS, Form, garbled_field
from heartlab.util.errors import clipped


class VoterPlayer(Player):
    """A player that weighs advice. It passes like gnome:jake, since the paper has no advice about passing."""

    def __init__(self, name: str, voters: StateArray, floats: FloatArray) -> None:
        super().__init__(name)
        self.voters, self.floats = voters, floats
        self._passer = make_gnome("jake")
        compile_for(vote_table, VOTE_TABLE)

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules without an opponent that the weights depend on."""
        check_voter(self.voters, rules, f"player {self.name}")

    def think(self, batch: Observations) -> tuple[CardArray, StateArray]:
        """The cards, and one THOUGHT record per row with the reasons."""
        thoughts: StateArray = np.zeros(len(batch), THOUGHT)
        return self._vote(batch, thoughts), thoughts

    def choose_cards(self, batch: Observations) -> CardArray:
        return self._vote(batch, np.zeros(1, THOUGHT))

    def _vote(self, batch: Observations, thoughts: StateArray) -> CardArray:
        cards = np.zeros(len(batch), np.int8)
        records = np.ascontiguousarray(batch.records)
        if len(cards):
            vote_table(batch.compiled, records, self.voters, self.floats, *custom_functions(), thoughts, cards)
        return cards

    def choose_passes(self, batch: Observations) -> MaskArray:
        return self._passer.choose_passes(batch)


ARRAYS = {"weights": Form(FLOATS, "voters", "weights")}
"""The arrays of a model."""


class _Extras(Struct):
    """What a model of a voter says beside its arrays."""

    inputs: Annotated[list[str], Meta(max_length=MAX_INPUTS)]
    hidden: Annotated[int, Meta(ge=0, le=MAX_HIDDEN)]
    choice: str


def load_voter(
    name: str, kind: str = "advice-", instance: int = 0, choice: Choice | None = None
) -> tuple[Model, Sitter]:
    """A model with one of its voters, learning turned off.

    :raises ModelError: if there is no such model, or its arrays do not fit its header.
    """
    model = load_model(name, kind, {f"advice-{one}": ARRAYS for one in KINDS})
    try:
        extras = msgspec.convert(model.extras, _Extras)
        voter_kind = KINDS.index(model.kind.removeprefix("advice-"))
        inputs = extras.inputs
        voters = make_voter(
            voter_kind,
            find_pieces("+".join(model.names)),
            find_abstractions("+".join(inputs), SEATS) if inputs else [],
            hidden=extras.hidden,
            choice=choice or one_of(Choice, "choice", extras.choice),
        )
        every: FloatArray = np.asarray(model.arrays["weights"], np.float64)
    except KeyError as error:
        raise ModelError(f"model {name}: lacks or garbles {error}") from error
    except msgspec.ValidationError as error:
        raise ModelError(f"model {name}: lacks or garbles {garbled_field(error)}") from error
    except ValueError as error:
        raise ModelError(f"model {name}: {clipped(error)}") from error
    wanted = parameter_count(voter_kind, len(model.names), len(inputs), extras.hidden)
    if every.ndim != 2 or every.shape[1] != wanted or not np.isfinite(every).all():
        raise ModelError(f"model {name}: needs rows of {wanted} finite weights, but has {every.shape}")
    if not 0 <= instance < len(every):
        raise ModelError(f"model {name}: has {len(every)} voters, numbered from 0, and no number {instance}")
    return model, Sitter(0, voters, np.ascontiguousarray(every[instance]))


def parameter_count(kind: int, pieces: int, inputs: int, hidden: int) -> int:
    """How many weights a voter of a kind has."""
    return {
        "constant": pieces,
        "table": pieces << inputs,
        "net": net_size(inputs, hidden, pieces),
        "linear": pieces * (inputs + 1),
    }[KINDS[kind]]


def _make(argument: str, kind: str, default: str) -> Player:
    """The player of ``MODEL[,choice=heaviest][,instance=1]``."""
    name, _, rest = argument.partition(",")
    if "=" in name:
        name, rest = "", argument
    options = parse_options(rest)
    instance, choice = options.pop("instance", "0"), options.pop("choice", None)
    if options:
        raise ValueError(f"there is no option {', '.join(options)}; there are choice and instance")
    if not instance.isdecimal():
        raise ValueError(f"instance={instance}: write a whole number")
    rule = None if choice is None else one_of(Choice, "choice", choice)
    _, voter = load_voter(name or default, kind, int(instance), rule)
    return VoterPlayer(argument, voter.voters, voter.weights)


@register("voting", summary="one vote per piece of advice, ties at random: voting, voting:advice=all")
def make_voting(argument: str = "") -> Player:
    """The voting player of the paper; `advice=` names other pieces.

    :raises ValueError: for an unknown option or piece.
    """
    options = parse_options(argument)
    pieces = find_pieces(options.pop("advice", "paper"))
    if options:
        raise ValueError(f"voting has no option {', '.join(options)}; it has advice")
    return VoterPlayer("voting", make_voter(CONSTANT, pieces), np.ones(len(pieces)))


@register(
    "learner-t", summary="LEARNER-T: weights of advice from a table: learner-t:MODEL, learner-t:MODEL,choice=heaviest"
)
def make_learner_t(argument: str = "") -> Player:
    """A table learner; without a model the one that ships."""
    return _make(argument, "advice-table", "advice-t")


@register(
    "learner-n", summary="LEARNER-N: weights of advice from a network: learner-n:MODEL, learner-n:MODEL,instance=1"
)
def make_learner_n(argument: str = "") -> Player:
    """A network learner; without a model the one that ships."""
    return _make(argument, "advice-net", "advice-n")


@register("advice", summary="any model of weighed advice: advice:MODEL; without a model the strongest that ships")
def make_advice(argument: str = "") -> Player:
    """A voter of any kind."""
    return _make(argument, "advice-", "advice-best")
