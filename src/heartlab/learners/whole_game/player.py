"""Players with a network of the whole game: `net` plays by it, `ace` looks ahead with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.learners.whole_game.belief import Belief
from heartlab.learners.whole_game.model import SHIPPED, Learned, check_game, load_learned, worth_weights
from heartlab.learners.whole_game.network import SEATS, SHOT, Mind, Net, forget, new_mind
from heartlab.learners.whole_game.policy import best_card, best_pass
from heartlab.learners.whole_game.score import Score, unpacked
from heartlab.players.base import AnyArray, CardArray, MaskArray, Observations, Player
from heartlab.players.registry import PlayerError, make_player, parse_options, register
from heartlab.rules import Rules

CAUTION = 1.0
Choose = Callable[..., None]
"""Chooses for each row: rules, observations, network, mind, weights, where the choices go."""


@kernel
def net_cards(rules: Any, obs: Any, net: Net, mind: Mind, weights: Any, out: Any) -> None:
    """The network's card for each row."""
    for row in range(len(obs)):
        forget(net, 0, mind, obs[row]["seat"])
        out[row] = best_card(rules[0], obs[row], net, 0, mind, weights)


@kernel
def net_passes(rules: Any, obs: Any, net: Net, mind: Mind, weights: Any, out: Any) -> None:
    """The network's cards to pass for each row."""
    for row in range(len(obs)):
        forget(net, 0, mind, obs[row]["seat"])
        out[row] = best_pass(rules[0], obs[row], net, 0, mind, weights)


class NetPlayer(Player):
    """Plays and passes the cards with the best predictions.

    With a score, what they are worth follows from the totals of the game; without, from the points of the deal.

    >>> from heartlab import Deal, make_player
    >>> deal = Deal("standard", seed=1, number=3)
    >>> make_player("net").play(deal.observe(deal.to_move)) in deal.legal
    True
    """

    def __init__(
        self, playing: Net, passing: Net, score: Score | None = None, passer: Player | None = None,
        caution: float = CAUTION,
    ) -> None:  # fmt: skip
        """
        :param passer: chooses the cards to pass instead of the network.
        :param caution: how much the chance that another seat shoots the moon counts; 1: what it costs.
        """
        super().__init__("net")
        self.playing, self.passing, self.score, self.passer = playing, passing, score, passer
        self.caution = caution

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules that the network's features or predictions do not fit."""
        try:
            check_game(rules)
        except ValueError as error:
            raise PlayerError(f"player {self.name}: {error}") from error

    def weights(self, batch: Observations, row: int = 0) -> npt.NDArray[np.float64]:
        """What the predictions are worth in a row."""
        totals = self.totals(batch, row)
        if self.score is None or totals is None:
            weights = worth_weights(batch.rules)
        else:
            weights = self.score.weights(totals.tolist(), batch.rules).copy()
        weights[SHOT] *= self.caution
        return weights

    def totals(self, batch: Observations, row: int = 0) -> npt.NDArray[np.int64] | None:
        """The totals of the game in a row, those of its seat first; None if points count, as in a first deal.

        In a game to another limit than that of the table of chances, what is left to the limit is what matters.
        """
        rules, record = batch.rules, batch.records[row]
        scores = record["scores"][:SEATS].astype(np.int64)
        if self.score is None or rules.deals is not None or not scores.any():
            return None
        totals = np.roll(scores, -int(record["seat"])) + self.score.limit - rules.limit - rules.over_limit
        return totals if totals.max() > 0 else None

    def choose_cards(self, batch: Observations) -> CardArray:
        return self._choose(batch, net_cards, self.playing, np.empty(len(batch), np.int8))

    def choose_passes(self, batch: Observations) -> MaskArray:
        if self.passer is not None:
            return self.passer.choose_passes(batch)
        return self._choose(batch, net_passes, self.passing, np.empty(len(batch), np.uint64))

    def _choose(self, batch: Observations, choose: Choose, net: Net, out: AnyArray) -> AnyArray:
        mind = new_mind(net)
        if self.score is None:
            choose(batch.compiled, batch.records, net, mind, self.weights(batch), out)
        else:
            for row in range(len(batch)):
                here = slice(row, row + 1)
                choose(batch.compiled, batch.records[here], net, mind, self.weights(batch, row), out[here])
        return out


class Parts(NamedTuple):
    """What the options of a player name."""

    playing: Net
    passing: Net
    score: Score | None
    passer: Player | None
    belief: Belief | None
    caution: float = CAUTION


def take_parts(options: dict[str, str], *, for_game: bool = False) -> Parts:
    """The parts that `model=`, `score=`, `pass=` and `caution=` name; these options are taken out.

    :param for_game: without `score=`, play for the game if the model has a table of the chances to win one.
    :raises ValueError: if the model has no such table, but `score=yes` needs it.
    """
    name = options.pop("model", SHIPPED)
    learned = load_learned(name)
    default = for_game and learned.chances is not None and learned.deals is not None
    score = _score(name, learned) if take_yes(options, "score", default) else None
    passer = make_player(options.pop("pass")) if "pass" in options else None
    caution = take_number(options, "caution", CAUTION, zero=True)
    return Parts(learned.playing, learned.passing, score, passer, learned.belief, caution)


def _score(name: str, learned: Learned) -> Score:
    if learned.chances is None or learned.deals is None:
        raise ValueError(f"score=yes: model {name} has no table of the chances to win a game")
    rules = Rules.parse(learned.model.rules)
    return Score(unpacked(learned.chances), learned.deals, rules.limit + rules.over_limit)


def take_yes(options: dict[str, str], name: str, default: bool = False) -> bool:
    """An option that is `yes` or `no`, taken out."""
    text = options.pop(name, "yes" if default else "no")
    if text not in ("yes", "no"):
        raise ValueError(f"{name}={text} needs yes or no")
    return text == "yes"


def take_number(
    options: dict[str, str], name: str, default: float, *, whole: bool = False, zero: bool = False
) -> float:
    """An option that is a number above zero, or zero as well, taken out."""
    text = options.pop(name, None)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (0.0 if zero else 1e-9) <= value < 1e6 or (whole and value != int(value)):
        kind = "whole number" if whole else "number"
        raise ValueError(f"{name}={text} needs a {kind} {'of at least' if zero else 'above'} zero")
    return value


def check_empty(options: dict[str, str], known: str) -> None:
    """Refuse options that are left over."""
    if options:
        raise ValueError(f"there is no option {', '.join(options)}; there are {known}")


@register("net", summary="the learned whole game, without search: net, net:score=yes, net:pass=gnome:jake")
def make_net(argument: str = "") -> Player:
    """The network by itself.

    :raises ValueError: for an unknown option.
    """
    options = parse_options(argument)
    parts = take_parts(options)
    check_empty(options, "model, score, pass and caution")
    return NetPlayer(parts.playing, parts.passing, parts.score, parts.passer, parts.caution)
