"""Players with FALCON networks: `falcon:MODEL`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.learners.falcon.actions import COUNT as ACTIONS
from heartlab.learners.falcon.actions import NAMES, applicable, single
from heartlab.learners.falcon.agent import FalconSettings, learner_record
from heartlab.learners.falcon.boxes import Boxes, decide, seedling
from heartlab.learners.falcon.categories import EMPTY, Categories
from heartlab.learners.falcon.kernels import (
    MAX_TRICKS,
    carried_out,
    consulted,
    first_action,
    network_of,
    percept_code,
    preferred_action,
    queen_rule,
)
from heartlab.learners.falcon.more_percepts import ACTIONS as RICHER
from heartlab.learners.falcon.more_percepts import KINDS, PERCEPTS
from heartlab.learners.falcon.percepts import unplayed_elsewhere
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.gnome.stock import stock_passes
from heartlab.players.registry import register
from heartlab.rules import Rules
from heartlab.training.model import Model, ModelError, load_model

KIND, BOXES = "falcon", "falcon-boxes"
"""Models of exact categories over the paper's percepts and actions; models of boxes over richer ones."""
FREE = Rules.parse("falcon")


@kernel
def choose_action(
    rules: Any, learner: Any, obs: Any, slots: Any, codes: Any, owners: Any, count: int, weights: Any, rng: Any,
    cards: Any,
) -> tuple[int, int]:  # fmt: skip
    """The category that an observation finds (or EMPTY) and the action it takes; `cards` are those of the actions."""
    hand = obs["hand"]
    others = unplayed_elsewhere(rules, obs, hand)
    code = percept_code(rules, learner, obs, hand, others)
    trick = min(np.int64(obs["trick_number"]), MAX_TRICKS - 1)
    owner = network_of(learner, trick, obs["led"] == ZERO)
    row = consulted(learner, slots, codes, owners, count, owner, code)
    first, end = applicable(obs["legal"], obs["led"], obs["best"], queen_rule(learner, hand | others), rng, cards)
    if row == EMPTY:
        return row, first_action(cards, first, end)
    return row, carried_out(cards, first, end, preferred_action(learner, weights[row], cards, first, end, rng))


@kernel
def choose_cards(
    rules: Any, learners: Any, obs: Any, slots: Any, codes: Any, owners: Any, count: int, weights: Any, rows: Any,
    actions: Any, out: Any,
) -> None:  # fmt: skip
    """The card for each observation, with the category and the action behind it (-1 for a single legal card)."""
    rng, cards = np.empty(1, np.uint64), np.full(weights.shape[1], -1, np.int64)
    for i in range(len(obs)):
        rng[0] = obs[i]["random"]
        rows[i] = actions[i] = -1
        if single(obs[i]["legal"]):
            out[i] = lowest(obs[i]["legal"])
        else:
            rows[i], actions[i] = choose_action(
                rules[0], learners[0], obs[i], slots, codes, owners, count, weights, rng, cards
            )  # fmt: skip
            out[i] = cards[actions[i]]


@kernel
def choose_by_boxes(rules: Any, obs: Any, tests: Any, branches: Any, weights: Any, rows: Any, actions: Any,
                    out: Any) -> None:  # fmt: skip
    """The same for a network of boxes."""
    cards = np.full(weights.shape[1], -1, np.int64)
    for i in range(len(obs)):
        rows[i] = actions[i] = -1
        own = obs[i]["legal"]
        if single(own):
            out[i] = lowest(own)
        else:
            seat = np.int64(obs[i]["seat"])
            rows[i], actions[i] = decide(rules[0], obs[i], obs[i]["hand"], own, seat, tests, branches, weights, cards)
            out[i] = cards[actions[i]]


class NetworkPlayer(Player, ABC):
    """Plays the card of the highest applicable motor weight in the category of what it perceives."""

    @abstractmethod
    def think(self, batch: Observations) -> tuple[CardArray, Any, Any]:
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

    def think(self, batch: Observations) -> tuple[CardArray, Any, Any]:
        cards = np.empty(len(batch), np.int8)
        rows, actions = np.empty(len(batch), np.int64), np.empty(len(batch), np.int64)
        store = self.categories
        choose_cards(
            batch.compiled, self._record, batch.records, store.slots, store.codes, store.owners, store.count,
            store.weights, rows, actions, cards,
        )  # fmt: skip
        return cards, rows, actions


class BoxesPlayer(NetworkPlayer):
    """A player with a network of boxes."""

    def __init__(self, name: str, net: Boxes) -> None:
        super().__init__(name)
        self.net = net

    def think(self, batch: Observations) -> tuple[CardArray, Any, Any]:
        cards = np.empty(len(batch), np.int8)
        rows, actions = np.empty(len(batch), np.int64), np.empty(len(batch), np.int64)
        net = self.net
        choose_by_boxes(batch.compiled, batch.records, net.tests, net.branches, net.weights, rows, actions, cards)
        return cards, rows, actions


def falcon_model(settings: FalconSettings, categories: Categories, rules: Rules) -> Model:
    """An agent of exact categories as data."""
    return Model(
        KIND,
        categories.arrays(),
        rules=str(rules),
        names=NAMES,
        extras={"settings": {name: value for name, value in asdict(settings).items() if name in _SEEN}},
    )


_SEEN = ("percepts", "separate", "groups", "ties", "rule", "match", "vigilance", "choice", "dump", "outcomes")
"""The settings that a player needs."""


def boxes_model(net: Boxes, rules: Rules) -> Model:
    """A network of boxes as data."""
    percepts = {kind: list(names) for kind, names in zip(KINDS, PERCEPTS, strict=True)}
    arrays = {**net.arrays(), "weights": net.weights.astype(np.float32)}
    return Model(BOXES, arrays, rules=str(rules), names=RICHER, extras={"percepts": percepts})


def player_of(model: Model, name: str) -> NetworkPlayer:
    """The player of a model.

    :raises ModelError: if its arrays do not fit its header.
    """
    try:
        if model.kind == BOXES:
            if model.names != RICHER or model.extras["percepts"] != boxes_model(seedling(), FREE).extras["percepts"]:
                raise ModelError(f"model {name}: made for other percepts or actions than this version has")
            return BoxesPlayer(name, Boxes.of(model.arrays))
        settings = FalconSettings(**model.extras["settings"])
        categories = Categories.of(model.arrays)
        if categories.width != ACTIONS:
            raise ModelError(f"model {name}: needs {ACTIONS} motor weights per category, but has {categories.width}")
        return FalconPlayer(name, settings, categories)
    except (AttributeError, KeyError, TypeError) as error:
        raise ModelError(f"model {name}: lacks or garbles {error}") from error
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"model {name}: {error}") from error


@register("falcon", summary="a FALCON network that learned Hearts: falcon:MODEL; without a model the best that ships")
def make_falcon(argument: str = "") -> Player:
    """The player of a model."""
    name = argument or "falcon"
    return player_of(load_model(name, KIND), name)
