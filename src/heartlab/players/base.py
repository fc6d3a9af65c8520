"""What a player is: it answers for a batch of observations, or, written the simple way, for one at a time.

Write a player by overriding :meth:`Player.play` (and :meth:`Player.pass_cards` if you care about passing). Players that
think in arrays or compiled code override :meth:`Player.choose_cards` and :meth:`Player.choose_passes` instead.
An *open* player (``is_open = True``) is given whole states and may sit only in matches that are declared open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from heartlab.cards import Card, CardError, CardSet, card_rank
from heartlab.observation import Observation, Observations, OpenStates
from heartlab.rules import Rules

CardArray = npt.NDArray[np.int8]
MaskArray = npt.NDArray[np.uint64]
AnyArray = TypeVar("AnyArray", CardArray, MaskArray)

__all__ = ["CardArray", "MaskArray", "NoCard", "Observations", "OpenStates", "Player"]


class NoCard(ValueError):
    """An answer of a player that is no card, or no set of cards, whatever the rules say."""


class Player:
    """A player by name. Players keep nothing between choices: all they need is in the observation."""

    is_open: bool = False
    """Whether this player sees all hands."""
    tells_faults: bool = False
    """Whether this player itself tells people what was wrong with its answers."""
    origin: str | None = None
    """The name from which any process with heartlab can make the same player; None for one that was made by hand."""

    def __init__(self, name: str = "") -> None:
        self.name = name or type(self).__name__.lower()

    # --- one observation at a time ---

    def play(self, obs: Observation) -> Card | str:
        """The card to play: one of ``obs.legal``."""
        if type(self).choose_cards is Player.choose_cards:
            raise NotImplementedError(f"player {self.name} does not say which card to play: override play()")
        if self.is_open:
            raise ValueError(f"player {self.name} sees all hands: an observation is not enough for it")
        return int(self.choose_cards(Observations.of(obs))[0])

    def pass_cards(self, obs: Observation) -> Iterable[Card | str]:
        """The cards to pass: ``obs.pass_count`` of ``obs.may_pass``. By default the highest."""
        if type(self).choose_passes is not Player.choose_passes:
            return CardSet(int(self.choose_passes(Observations.of(obs))[0]))
        best = sorted(obs.may_pass, key=lambda card: (card_rank(card), card), reverse=True)
        return best[: obs.pass_count]

    # --- a batch ---

    def choose_cards(self, batch: Observations) -> CardArray:
        """One card per row."""
        return _each(batch, lambda obs: _card(self.play(obs)), np.empty(len(batch), np.int8))

    def choose_passes(self, batch: Observations) -> MaskArray:
        """One mask of cards to pass per row."""
        return _each(batch, lambda obs: _mask(self.pass_cards(obs)), np.empty(len(batch), np.uint64))

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules that this player cannot play.

        :raises PlayerError: with a sentence that says which rule it is.
        """

    def named_files(self) -> list[Path]:
        """The files that the name of this player leads to, such as its model: with others it is another player."""
        words = {*re.split("[,:=()]", self.name), self.name.partition(":")[2]} - {""}
        paths = [path / "model.npz" if path.is_dir() else path for path in map(Path, sorted(words))]
        return [path for path in paths if path.is_file()]

    def deal_over(self, batch: Observations, points: npt.NDArray[np.int64]) -> None:
        """Told after a deal, with the last observation of each seat and its points per seat; most do not listen."""

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    def __reduce__(self) -> Any:
        """Players travel to other processes by name, so that compiled code and open files stay where they are."""
        return super().__reduce__() if self.origin is None else (_remake, (self.origin, self.name))


def _each(batch: Observations, choose: Callable[[Observation], int], out: AnyArray) -> AnyArray:
    """Choose in one row after the other; an error takes along a note that says at which choice it happened."""
    for row in range(len(batch)):
        obs = batch[row]
        try:
            out[row] = choose(obs)
        except (Exception, SystemExit) as error:
            error.add_note(obs.where)
            raise
    return out


def _card(answer: Any) -> Card:
    try:
        return CardSet([answer]).mask.bit_length() - 1
    except (TypeError, CardError) as error:
        raise NoCard(f"answered {answer!r}, which is no card: a card is an int from 0 to 51 or a name as QS") from error


def _mask(answer: Any) -> int:
    cards = list(answer) if isinstance(answer, Iterable) and not isinstance(answer, str | CardSet) else answer
    try:
        return CardSet(cards).mask
    except (TypeError, CardError) as error:
        raise NoCard(
            f"answered {cards!r}, which are no cards: a card is an int from 0 to 51 or a name as QS"
        ) from error


def _remake(origin: str, name: str) -> Player:
    from heartlab.players.registry import make_player

    player = make_player(origin)
    player.name = name
    return player
