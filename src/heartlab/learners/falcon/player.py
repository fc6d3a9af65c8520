"""Players with FALCON networks: `falcon:MODEL`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.learners.falcon.actions import COUNT as ACTIONS
from heartlab.learners.falcon.actions import NAMES, applicable, best_action, first_action, single
from heartlab.learners.falcon.agent import learner_record
from heartlab.learners.falcon.boxes import ARRAYS as BOX_ARRAYS
from heartlab.learners.falcon.boxes import Boxes, decide
from heartlab.learners.falcon.categories import ARRAYS as CATEGORY_ARRAYS
from heartlab.learners.falcon.categories import EMPTY, Categories, category_of
from heartlab.learners.falcon.kernels import network_of, percept_code, queen_rule
from heartlab.learners.falcon.more_actions import NAMES as MORE_NAMES
from heartlab.learners.falcon.more_percepts import KINDS, PERCEPTS
from heartlab.learners.falcon.percepts import unplayed_elsewhere
from heartlab.learners.falcon.settings import MAX_TRICKS, FalconSettings, read_settings
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.gnome.stock import stock_passes
from heartlab.players.registry import register
from heartlab.rules import Rules
from heartlab.training.model import Model, ModelError, load_model

KIND, BOXES = "falcon", "falcon-boxes"
"""Models of exact categories over the paper's percepts and actions; models of boxes over richer ones."""
FREE = Rules.parse("falcon")
IntArray = npt.NDArray[np.int64]


@kernel
def choose_action(rules: Any, learner: Any, obs: Any, store: Any, rng: Any, cards: Any) -> tuple[int, int]:
    """The category that an observation finds (or EMPTY) and the action it takes; `cards` are those of the actions."""
    hand = obs["hand"]
    others = unplayed_elsewhere(rules, obs, hand)
    code = percept_code(rules, learner, obs, hand, others)
    trick = min(np.int64(obs["trick_number"]), MAX_TRICKS - 1)
    row = category_of(learner, store, network_of(learner, trick, obs["led"] == ZERO), code)
    first, end = applicable(obs["legal"], obs["led"], obs["best"], queen_rule(learner, hand | others), rng, cards)
    if row == EMPTY:
        return row, first_action(cards, first, end)
    return row, best_action(store.rows[row]["weights"], cards, first, end)


@kernel
def choose_cards(rules: Any, learners: Any, obs: Any, store: Any, rows: Any, actions: Any, out: Any) -> None:
    """The card for each observation, with the category and the action behind it (-1 for a single legal card)."""
    rng, cards = np.empty(1, np.uint64), np.full(ACTIONS, -1, np.int64)
    for i in range(len(obs)):
        rng[0] = obs[i]["random"]
        rows[i] = actions[i] = -1
        if single(obs[i]["legal"]):
            out[i] = lowest(obs[i]["legal"])
        else:
            rows[i], actions[i] = choose_action(rules[0], learners[0], obs[i], store, rng, cards)
            out[i] = cards[actions[i]]


@kernel
def choose_by_boxes(rules: Any, obs: Any, tree: Any, rows: Any, actions: Any, out: Any) -> None:
    """The same for a network of boxes."""
    cards = np.full(tree.weights.shape[1], -1, np.int64)
    for i in range(len(obs)):
        rows[i] = actions[i] = -1
        own = obs[i]["legal"]
        if single(own):
            out[i] = lowest(own)
        else:
            seat = np.int64(obs[i]["seat"])
            rows[i], actions[i] = decide(rules[0], obs[i], obs[i]["hand"], own, seat, tree, cards)
            out[i] = cards[actions[i]]


class NetworkPlayer(Player, ABC):
    """Plays the card of the highest applicable motor weight in the category of what it perceives."""

    @abstractmethod
    def think(self, batch: Observations) -> tuple[CardArray, IntArray, IntArray]:
        """Cards of some observations, and the categories and actions behind them (-1: none)."""

    def choose_cards(self, batch: Observations) -> CardArray:
        return self.think(batch)[0]

    def choose_passes(self, batch: Observations) -> MaskArray:
        masks = np.empty(len(batch), np.uint64)
        stock_passes(batch.compiled, batch.records, masks)
        return masks


class FalconPlayer(NetworkPlayer):
    """A player with exact categories."""

    def __init__(self, name: str, settings: FalconSettings, categories: Categories) -> None:
        super().__init__(name)
        self.settings, self.categories = settings, categories
        self._record = learner_record(settings, FREE)

    def think(self, batch: Observations) -> tuple[CardArray, IntArray, IntArray]:
        cards = np.empty(len(batch), np.int8)
        rows, actions = np.empty(len(batch), np.int64), np.empty(len(batch), np.int64)
        choose_cards(batch.compiled, self._record, batch.records, self.categories.compiled, rows, actions, cards)
        return cards, rows, actions


class BoxesPlayer(NetworkPlayer):
    """A player with a network of boxes."""

    def __init__(self, name: str, net: Boxes) -> None:
        super().__init__(name)
        self.net = net

    def think(self, batch: Observations) -> tuple[CardArray, IntArray, IntArray]:
        cards = np.empty(len(batch), np.int8)
        rows, actions = np.empty(len(batch), np.int64), np.empty(len(batch), np.int64)
        choose_by_boxes(batch.compiled, batch.records, self.net.tree, rows, actions, cards)
        return cards, rows, actions


_SEEN = ("percepts", "separate", "groups", "rule", "match", "vigilance", "dump")
"""The settings that a player needs."""


def falcon_model(settings: FalconSettings, categories: Categories, rules: Rules) -> Model:
    """An agent of exact categories as data."""
    texts = settings.texts()
    kept = {name: texts[name] for name in _SEEN}
    return Model(KIND, categories.arrays(), rules=str(rules), names=NAMES, extras={"settings": kept})


def boxes_model(net: Boxes, rules: Rules) -> Model:
    """A network of boxes as data."""
    arrays = {**net.arrays(), "weights": net.weights.astype(np.float32)}
    return Model(BOXES, arrays, rules=str(rules), names=MORE_NAMES, extras={"percepts": _percept_names()})


def _percept_names() -> dict[str, list[str]]:
    return {kind: [one.name for one in percepts] for kind, percepts in zip(KINDS, PERCEPTS, strict=True)}


def player_of(model: Model, name: str) -> NetworkPlayer:
    """The player of a model.

    :raises ModelError: if its arrays do not fit its header.
    """
    try:
        if model.kind == BOXES:
            if model.names != MORE_NAMES or model.extras["percepts"] != _percept_names():
                raise ModelError(f"model {name}: made for other percepts or actions than this version has")
            return BoxesPlayer(name, Boxes.of(model.arrays))
        settings = read_settings(model.extras["settings"])
        return FalconPlayer(name, settings, Categories.of(model.arrays))
    except (AttributeError, KeyError, TypeError) as error:
        raise ModelError(f"model {name}: lacks or garbles {error}") from error
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"model {name}: {error}") from error


def read_falcon(name: str) -> Model:
    """The model of a player, by name or path; without a name the best that ships.

    :raises ModelError: if there is none.
    """
    return load_model(name or "falcon", KIND, {KIND: CATEGORY_ARRAYS, BOXES: BOX_ARRAYS})


@register("falcon", summary="a FALCON network that learned Hearts: falcon:MODEL; without a model the best that ships")
def make_falcon(argument: str = "") -> Player:
    """The player of a model."""
    name = argument or "falcon"
    return player_of(read_falcon(name), name)
