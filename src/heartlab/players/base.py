"""What a player is: it answers for a batch of observations, or in the simple form for one at a time.

To write a player, override `Player.play` (and `Player.pass_cards` if passing matters). Players that work on arrays or
in compiled code override `Player.choose_cards` and `Player.choose_passes` instead. An *open* player (`is_open = True`)
is given whole states and may take part only in matches that are declared open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from heartlab.cards import Card, CardError, CardSet, card_rank
from heartlab.kernel.rows import RowKernel
from heartlab.observation import Observation, Observations, OpenStates
from heartlab.rules import Rules
from heartlab.util.errors import quoted

CardArray = npt.NDArray[np.int8]
MaskArray = npt.NDArray[np.uint64]
AnyArray = TypeVar("AnyArray", CardArray, MaskArray)

__all__ = ["CardArray", "KernelPlayer", "MaskArray", "NoCard", "Observations", "OpenStates", "Player"]


class NoCard(ValueError):
    """An answer of a player that is not a card, or not a set of cards."""


class Player:
    """A player. Players keep nothing between decisions: all they need is in the observation.

    >>> from heartlab import Deal
    >>> class Lowest(Player):
    ...     def play(self, obs):
    ...         return min(obs.legal)
    >>> deal = Deal("seed", seed=1)
    >>> Lowest().play(deal.observe(deal.to_move)) == min(deal.legal)
    True
    """

    is_open: bool = False
    """Whether this player sees all hands."""
    tells_faults: bool = False
    """Whether this player itself reports its illegal answers to the user."""
    origin: str | None = None
    """The name from which `make_player` makes the same player in any process; None for a player made directly."""

    def __init__(self, name: str = "") -> None:
        self.name = name or type(self).__name__.lower()

    # --- one observation at a time ---

    def play(self, obs: Observation) -> Card | str:
        """The card to play: one of `obs.legal`."""
        if type(self).choose_cards is Player.choose_cards:
            raise NotImplementedError(f"player {self.name} does not say which card to play: override play()")
        if self.is_open:
            raise ValueError(f"player {self.name} sees all hands: an observation is not enough for it")
        return int(self.choose_cards(Observations.of(obs))[0])

    def pass_cards(self, obs: Observation) -> Iterable[Card | str]:
        """The cards to pass: `obs.pass_count` cards of `obs.may_pass`; by default the highest."""
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
        """Check that this player can play under the rules.

        :raises PlayerError: if it cannot; the message names the rule.
        """

    def named_files(self) -> list[Path]:
        """The files that the name of this player refers to, such as its model."""
        words = {*re.split("[,:=()]", self.name), self.name.partition(":")[2]} - {""}
        paths = [path / "model.npz" if path.is_dir() else path for path in map(Path, sorted(words))]
        return [path for path in paths if path.is_file()]

    def deal_over(self, batch: Observations, points: npt.NDArray[np.int64]) -> None:
        """Called after a deal with the last observation of each seat and its points per seat; by default ignored."""

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    def __reduce__(self) -> Any:
        """Pickle a player by name, so that neither compiled code nor open files are sent to other processes."""
        return super().__reduce__() if self.origin is None else (_remake, (self.origin, self.name))


class KernelPlayer(Player):
    """A player made of two row kernels (see `heartlab.kernel.rows`): one for cards, one for passes."""

    def __init__(self, name: str, cards: RowKernel, passes: RowKernel) -> None:
        super().__init__(name)
        self._cards, self._passes = cards, passes

    def choose_cards(self, batch: Observations) -> CardArray:
        cards = np.empty(len(batch), np.int8)
        self._cards(batch.compiled, batch.records, cards)
        return cards

    def choose_passes(self, batch: Observations) -> MaskArray:
        masks = np.empty(len(batch), np.uint64)
        self._passes(batch.compiled, batch.records, masks)
        return masks


def _each(batch: Observations, choose: Callable[[Observation], int], out: AnyArray) -> AnyArray:
    """Choose row by row; an error gets a note that says at which decision it happened."""
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
        raise NoCard(
            f"answered {quoted(answer)}, which is not a card: a card is an int from 0 to 51 or a name such as QS"
        ) from error


def _mask(answer: Any) -> int:
    cards = list(answer) if isinstance(answer, Iterable) and not isinstance(answer, str | CardSet) else answer
    try:
        return CardSet(cards).mask
    except (TypeError, CardError) as error:
        raise NoCard(
            f"answered {quoted(cards)}, which are not cards: a card is an int from 0 to 51 or a name such as QS"
        ) from error


def _remake(origin: str, name: str) -> Player:
    from heartlab.players.registry import make_player

    player = make_player(origin)
    player.name = name
    return player
