"""`ace` looks ahead with the network in sampled worlds, for as long as it is given.

Worlds come in rounds. After each round a choice that is clearly worse than the best is given up, which leaves more
worlds for the others; a choice that is alone is made. Rounds are spread over threads, and what is found does not
depend on their number.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import STATE, StateArray
from heartlab.learners.whole_game.features import distinct, unseen_cards
from heartlab.learners.whole_game.lookahead import Board, new_board, share_passes, try_cards, try_passes
from heartlab.learners.whole_game.network import HEADS, Net, new_mind
from heartlab.learners.whole_game.player import NetPlayer, take_learned
from heartlab.learners.whole_game.policy import rank_passes
from heartlab.learners.whole_game.score import Score
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.registry import parse_options, register
from heartlab.search.budget import watch
from heartlab.search.roots import draw_worlds
from heartlab.search.walk import new_counters

ROUNDS = (8, 16, 32)
"""Worlds of the first rounds; further rounds are like the last."""
MOST_WORLDS = 10_000
SURE = 3.0
"""A choice is given up when it is worse by so many standard errors, and by..."""
SLACK = 0.05
"""... so many points."""
PASSES = 24
"""Passes that are tried at most."""
ChoiceArray = npt.NDArray[np.uint64]
Try = Callable[[StateArray, ChoiceArray, Board, npt.NDArray[np.int64], npt.NDArray[np.float32]], int]
"""Tries choices in worlds on a board until the counters' limit is reached; returns the worlds that are done."""


@dataclass(frozen=True)
class Thought:
    """What a look ahead found."""

    choices: ChoiceArray
    """Those that were not given up: cards as numbers, or passes as masks."""
    heads: npt.NDArray[np.float32]
    """What the seat gets in each world: [worlds, choices, heads]."""
    worth: npt.NDArray[np.float64]
    """The mean worth of each choice: lower is better."""

    @property
    def best(self) -> int:
        """The best choice."""
        return int(self.choices[int(self.worth.argmin())])


@dataclass(frozen=True)
class Budget:
    """How long to look ahead.

    >>> Budget(milliseconds=5).tricks
    2
    """

    milliseconds: float = 20.0
    worlds: int = 0
    """Instead of a time: the number of worlds."""
    tricks: int = 2
    """Tricks that are played out before the network predicts the rest."""
    threads: int = 1


class AcePlayer(NetPlayer):
    """Tries each choice in sampled worlds until its time is up.

    >>> from heartlab import make_player
    >>> make_player("ace:worlds=50,tricks=1").budget
    Budget(milliseconds=20.0, worlds=50, tricks=1, threads=1)
    """

    def __init__(self, playing: Net, passing: Net, score: Score | None = None, *, budget: Budget | None = None) -> None:
        super().__init__(playing, passing, score)
        self.budget = budget or Budget()
        self._here = local()

    # --- choosing ---

    def choose_cards(self, batch: Observations) -> CardArray:
        cards = np.empty(len(batch), np.int8)
        for row in range(len(batch)):
            one = batch.take(np.array([row]))
            choices = candidates(one)
            cards[row] = choices[0] if len(choices) == 1 else self.think(one, choices).best
        return cards

    def choose_passes(self, batch: Observations) -> MaskArray:
        masks = np.empty(len(batch), np.uint64)
        for row in range(len(batch)):
            masks[row] = self.think_pass(batch.take(np.array([row]))).best
        return masks

    def think(self, batch: Observations, choices: ChoiceArray | None = None) -> Thought:
        """Look ahead at the cards of one row."""
        weights, compiled = self.weights(batch), batch.compiled
        tricks = self.budget.tricks

        def attempt(worlds: StateArray, cards: ChoiceArray, board: Board, counters: Any, out: Any) -> int:
            share_passes(batch.records, worlds)
            return try_cards(compiled, worlds, cards, self.playing, board, weights, tricks, counters, out)

        return self._rounds(batch, candidates(batch) if choices is None else choices, weights, attempt)

    def think_pass(self, batch: Observations) -> Thought:
        """Look ahead at the passes of one row that the network likes best."""
        weights, compiled, root = self.weights(batch), batch.compiled, int(batch.records[0]["seat"])
        passes = np.zeros(PASSES, np.uint64)
        mind = new_mind(self.passing)
        count = rank_passes(compiled, batch.records, self.passing, mind, weights, passes)

        def attempt(worlds: StateArray, masks: ChoiceArray, board: Board, counters: Any, out: Any) -> int:
            return try_passes(compiled, root, worlds, masks, self.playing, self.passing, board, weights, counters, out)

        return self._rounds(batch, passes[:count], weights, attempt)

    # --- rounds ---

    def _rounds(self, batch: Observations, choices: ChoiceArray, weights: Any, attempt: Try) -> Thought:
        """Rounds of worlds until the time is up, the worlds are tried, or one choice is left."""
        budget = self.budget
        until = None if budget.worlds else time.perf_counter() + budget.milliseconds / 1000
        most = budget.worlds or MOST_WORLDS
        found = np.zeros((0, len(choices), HEADS), np.float32)
        number = 0
        while len(choices) > 1 and number < most and (until is None or time.perf_counter() < until):
            count = min(ROUNDS[min(number.bit_length() // 4, len(ROUNDS) - 1)], most - number)
            fresh = self._round(batch, number, count, choices, attempt, until)
            number += count
            found = np.concatenate([found, fresh])
            if len(fresh) < count:
                break
            kept = worth_trying(found @ weights)
            choices, found = choices[kept], found[:, kept]
        if not len(found):
            return Thought(choices, found, np.arange(len(choices), dtype=np.float64))
        return Thought(choices, found, (found @ weights).mean(axis=0))

    def _round(
        self, batch: Observations, first: int, count: int, choices: ChoiceArray, attempt: Try, until: float | None
    ) -> npt.NDArray[np.float32]:
        """Try the choices in some worlds: [worlds that were done, choices, heads]."""
        worlds, keys = np.zeros((1, count), STATE), np.zeros((1, count), np.uint64)
        bad = draw_worlds(batch.compiled, batch.records, first, count, worlds, keys)
        if bad >= 0:
            raise ValueError(f"no deal fits the observation {batch[0]!r}")
        out = np.zeros((count, len(choices), HEADS), np.float32)
        threads = min(self.budget.threads, count)
        bounds = [count * i // threads for i in range(threads + 1)]

        def part(i: int) -> list[int]:
            start, end = bounds[i : i + 2]
            counters = new_counters()
            with watch.over(counters, until) if until else nullcontext():
                done = attempt(worlds[0, start:end], choices, self._board(), counters, out[start:end])
            return list(range(start, start + done))

        rows = [part(0)] if threads == 1 else list(self._pool.map(part, range(threads)))
        return out[[row for some in rows for row in some]]

    def _board(self) -> Board:
        """This thread's working memory."""
        board: Board | None = getattr(self._here, "board", None)
        if board is None:
            board = self._here.board = new_board(self.playing, self.passing)
        return board

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.budget.threads, thread_name_prefix="ace")


def candidates(batch: Observations) -> ChoiceArray:
    """The legal cards of one row, equivalent ones once."""
    mask = int(distinct_cards(batch.compiled, batch.records))
    return np.array([card for card in range(52) if mask >> card & 1], np.uint64)


@kernel
def distinct_cards(rules: Any, obs: Any) -> np.uint64:
    """The legal cards of the first row, equivalent ones once."""
    return distinct(obs[0]["legal"], unseen_cards(rules[0], obs[0]) | obs[0]["trick"])


def worth_trying(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which choices are not clearly worse than the best, given what each was worth in each world."""
    best = int(values.mean(axis=0).argmin())
    gaps = values - values[:, [best]]
    kept: npt.NDArray[np.bool_] = gaps.mean(axis=0) <= SURE * gaps.std(axis=0) / np.sqrt(len(gaps)) + SLACK
    return kept


@register("ace", summary="looks ahead with the learned network: ace:ms=20, ace:worlds=100,tricks=2")
def make_ace(argument: str = "") -> Player:
    """The network with a look ahead.

    :raises ValueError: for an unknown option or a value that does not fit.
    """
    options = parse_options(argument)
    playing, passing, score = take_learned(options)
    read = {name: _number(name, options.pop(name)) for name in ("ms", "worlds", "tricks", "threads") if name in options}
    if options:
        raise ValueError(
            f"there is no option {', '.join(options)}; there are model, score, ms, worlds, tricks and threads"
        )
    if "ms" in read and "worlds" in read:
        raise ValueError("ms and worlds are two ways to say how long: give one of them")
    budget = Budget(
        read.get("ms", Budget.milliseconds), int(read.get("worlds", 0)), int(read.get("tricks", Budget.tricks)),
        int(read.get("threads", Budget.threads)),
    )  # fmt: skip
    return AcePlayer(playing, passing, score, budget=budget)


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1e6 or (name != "ms" and value != int(value)):
        raise ValueError(f"{name}={text} needs a {'number' if name == 'ms' else 'whole number'} above zero")
    return value
