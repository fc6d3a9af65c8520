"""The model of the whole game: two networks in half precision, and the rules for which they can choose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.cards import JACK_OF_DIAMONDS
from heartlab.kernel.layout import compile_rules
from heartlab.learners.whole_game.belief import WORLD_SIZE, Belief
from heartlab.learners.whole_game.features import CARD_SIZE, PASS_CARD_SIZE, PASS_POSITION_SIZE, POSITION_SIZE
from heartlab.learners.whole_game.network import HEADS, ROWS, Net
from heartlab.rules import RANDOM_OFFSET, Rules
from heartlab.training.model import Model, ModelError, load_model
from heartlab.util.bundle import FLOATS, WHOLE, Form

KIND = SHIPPED = "whole-game"
PARTS = ("play", "pass")
QUEEN_POINTS, HEARTS, MAX_PASS = 13, 13, 3
MOST_WEIGHTS, MOST_CHANCES, MOST_DEALS = 20_000_000, 4_000_000, 400_000
"""Larger arrays are not read."""
Shapes = list[tuple[int | str, ...]]


def check_game(rules: Rules) -> None:
    """Refuse rules for which the features or the predictions do not fit.

    :raises ValueError: with a sentence that says what is needed.
    """
    compiled = compile_rules(rules)[0]
    directions = compiled["passing"][: compiled["cycle"]]
    needed = {
        "four players": rules.players == 4,
        "the whole pack": not rules.removed,
        "hearts of one point and Q♠ of 13": (rules.heart_points, rules.queen_points) == ("one", QUEEN_POINTS),
        "no points for other cards": rules.penalty_cards == Rules().penalty_cards,
        "no card that doubles": rules.doubler is None,
        "no bonus for taking no trick": rules.no_tricks == 0,
        "no bonus card but J♦": rules.bonus is None or rules.bonus == JACK_OF_DIAMONDS,
        f"a pass of at most {MAX_PASS} cards to one seat": rules.pass_count <= MAX_PASS
        and all(0 <= code < 4 or code == RANDOM_OFFSET for code in directions),
    }
    for what, holds in needed.items():
        if not holds:
            raise ValueError(f"the whole game was learned with {what}, which {rules} does not have")


def worth_weights(rules: Rules) -> npt.NDArray[np.float64]:
    """The weights of the predictions under some rules; their sum is a seat's points less the mean of the others'.

    Each own point counts 4/3, since the others then have a third of a point less. A moon turns 26 into -26 for the
    shooter, and 26/3 - 52/3 into 26/3 for another.
    """
    moon = 0.0 if rules.moon == "off" else 2.0 * (QUEEN_POINTS + HEARTS)
    bonus = 0 if rules.bonus is None else rules.bonus_points
    return np.array([QUEEN_POINTS * 4 / 3, 4 / 3, -moon, moon / 3, bonus * 4 / 3])


def make_model(
    playing: Net, passing: Net, rules: Rules, chances: npt.NDArray[np.float16] | None = None,
    deals: npt.NDArray[np.int64] | None = None,
) -> Model:  # fmt: skip
    """A model of two networks, weights rounded to half precision.

    :param chances: the packed table of chances to win a game (see `score`).
    :param deals: the points of the deals from which it was computed, [deals, seats].
    """
    arrays = {
        f"{name}/{field}": array[0].astype(np.float16)
        for name, net in zip(PARTS, (playing, passing), strict=True)
        for field, array in zip(Net._fields, net, strict=True)
    }
    if chances is not None:
        arrays["score"] = chances
    if deals is not None:
        arrays["deals"] = deals.astype(np.int8)
    return Model(KIND, arrays, rules=str(rules))


def with_belief(model: Model, belief: Belief, start: Model | None = None) -> Model:
    """A model with a belief added, rounded to half precision; `start` is the one from whose belief training went on."""
    arrays = {f"belief/{field}": array.astype(np.float16) for field, array in zip(Belief._fields, belief, strict=True)}
    return replace(model, arrays={**model.arrays, **arrays}, extras=made_before(*([start] if start else []), model))


def made_before(*models: Model) -> dict[str, Any]:
    """The origin of a model that was trained on from others: the commands so far, each once, and their deals."""
    found: dict[str, dict[str, Any]] = {}
    for model in models:
        for one in [*model.extras.get("before", []), {"command": model.command, "games": model.games}]:
            found.setdefault(one["command"], one)
    return {"before": list(found.values())}


def _forms() -> dict[str, Form]:
    """The arrays of a model."""
    forms = {
        "score": Form(FLOATS, "totals", "others", optional=True, most=MOST_CHANCES),
        "deals": Form(WHOLE, "deals", 4, optional=True, most=MOST_DEALS),
    }
    for part, positions, cards in (("play", POSITION_SIZE, CARD_SIZE), ("pass", PASS_POSITION_SIZE, PASS_CARD_SIZE)):
        first, second = f"{part} first", f"{part} second"
        shapes: Shapes = [
            (positions, first), (cards, first), (first,), (second, first), (second,), (HEADS, second), (HEADS,),
        ]  # fmt: skip
        for field, shape in zip(Net._fields, shapes, strict=True):
            forms[f"{part}/{field}"] = Form(FLOATS, *shape, most=MOST_WEIGHTS)
    wanted: Shapes = [(POSITION_SIZE, "units"), (WORLD_SIZE, "units"), ("units",), ("units",)]
    for field, units in zip(Belief._fields, wanted, strict=True):
        forms[f"belief/{field}"] = Form(FLOATS, *units, optional=True, most=MOST_WEIGHTS)
    return forms


class Learned(NamedTuple):
    """What a model holds."""

    model: Model
    playing: Net
    passing: Net
    chances: npt.NDArray[np.float16] | None
    """The packed table of chances to win a game; None: it has none."""
    deals: npt.NDArray[np.int64] | None
    """The points of the deals behind that table."""
    belief: Belief | None
    """How likely worlds are; None: it has none."""


def load_learned(name: str) -> Learned:
    """The networks of a model.

    :raises ModelError: if there is no such model, or its arrays do not fit the features of this version.
    """
    model = load_model(name, KIND, {KIND: _forms()})
    playing, passing = (
        Net(*(np.ascontiguousarray(model.arrays[f"{part}/{field}"][None], np.float32) for field in Net._fields))
        for part in PARTS
    )
    if playing.hidden.shape[1] % ROWS or passing.hidden.shape[1] % ROWS:
        raise ModelError(f"model {name}: the number of units in the second layer is not a multiple of {ROWS}")
    chances = model.arrays.get("score")
    found = [model.arrays.get(f"belief/{field}") for field in Belief._fields]
    whole = all(array is not None for array in found)
    belief = Belief(*(np.ascontiguousarray(array, np.float32) for array in found)) if whole else None
    deals = model.arrays.get("deals")
    return Learned(
        model, playing, passing, None if chances is None else chances.astype(np.float16),
        None if deals is None else deals.astype(np.int64), belief,
    )  # fmt: skip
