"""Players that vote: `voting` trusts all pieces of advice alike; learned weights make the same kind of player."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import compile_for
from heartlab.kernel.layout import StateArray
from heartlab.learners.advice.more_pieces import BUILT_IN, FIRST
from heartlab.learners.advice.registry import Advice, AdviceError, check_opponents, custom_functions, find_pieces
from heartlab.learners.advice.vote import (
    CHOICES,
    CONSTANT,
    MAX_HIDDEN,
    MAX_INPUTS,
    MAX_PIECES,
    THOUGHT,
    VOTE_TABLE,
    VOTER,
    vote_table,
)
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.gnome.player import make_gnome
from heartlab.players.registry import PlayerError, parse_options, register
from heartlab.rules import Rules

FloatArray = npt.NDArray[np.float64]


def make_voter(
    kind: int, pieces: Sequence[Advice], inputs: Sequence[Advice] = (), *, hidden: int = 0, choice: str = "sum"
) -> StateArray:
    """A voter as an array of one record.

    :raises ValueError: for too much advice, or an unknown choice rule.
    """
    if choice not in CHOICES:
        raise ValueError(f"choice={choice} is unknown; choose from {', '.join(CHOICES)}")
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
    voters["kind"], voters["choice"] = kind, CHOICES.index(choice)
    return voters


def check_voter(voters: StateArray, rules: Rules, who: str) -> None:
    """Refuse a table without an opponent that a voter looks at.

    :raises PlayerError: with a sentence that says which abstraction it is.
    """
    try:
        check_opponents(voters["inputs"][0, : int(voters["input_count"][0])].tolist(), rules.players)
    except AdviceError as error:
        raise PlayerError(f"{who} cannot sit at a table of {rules}: {error}") from error


class VoterPlayer(Player):
    """A player that weighs advice. It passes like gnome:jake: the advice of the paper has no word about passing."""

    def __init__(self, name: str, voters: StateArray, floats: FloatArray) -> None:
        super().__init__(name)
        self.voters, self.floats = voters, floats
        self._passer = make_gnome("jake")
        compile_for(vote_table, VOTE_TABLE)

    def check_rules(self, rules: Rules) -> None:
        """Refuse a table without an opponent that the weights depend on."""
        check_voter(self.voters, rules, f"player {self.name}")

    def think(self, batch: Observations) -> tuple[CardArray, StateArray]:
        """The cards, and one THOUGHT record per row that says how each was chosen."""
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
