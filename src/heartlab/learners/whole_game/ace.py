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

from heartlab.compiled.bits import ONE, ZERO, bit, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import PLAYING, StateArray
from heartlab.learners.whole_game.features import (
    card_features,
    distinct,
    pass_card_features,
    pass_position_features,
    position_features,
    unseen_cards,
)
from heartlab.learners.whole_game.likely import Counts, WorldStream
from heartlab.learners.whole_game.lookahead import Board, new_board, share_passes, try_cards, try_passes
from heartlab.learners.whole_game.model import worth_weights
from heartlab.learners.whole_game.network import HEADS, Net, attend, forget, new_mind, predict
from heartlab.learners.whole_game.player import NetPlayer, Parts, check_empty, take_number, take_parts, take_yes
from heartlab.learners.whole_game.policy import rank_passes
from heartlab.learners.whole_game.score import TIE, moon_points
from heartlab.learners.whole_game.stakes import Stakes
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.registry import parse_options, register
from heartlab.search.budget import watch
from heartlab.search.walk import new_counters

ROUNDS = (8, 16, 32)
"""Worlds of the first rounds; further rounds are like the last."""
MOST_WORLDS = 10_000
PICKED_A_MILLISECOND, MOST_PICKED = 6, 256
"""Likely worlds that are picked at once where time is limited; to draw and weigh them takes about an eighth of it."""
SURE = 3.0
"""A choice is given up when it is worse by so many standard errors, and by..."""
SLACK = 0.05
"""... so many points."""
PASSES = 24
"""Passes that are tried at most."""
TINY = 1e-9
ONE_NUMBER = np.ones(1)
"""Weights of a look ahead for the game, whose playouts return their worth."""
WorthArray = npt.NDArray[np.float64]
ChoiceArray = npt.NDArray[np.uint64]
Try = Callable[[StateArray, ChoiceArray, Board, npt.NDArray[np.int64], npt.NDArray[np.float32]], int]
"""Tries choices in worlds on a board until the counters' limit is reached; returns the worlds that are done."""


@dataclass(frozen=True)
class Thought:
    """What a look ahead found."""

    choices: ChoiceArray
    """Those that were not given up: cards as numbers, or passes as masks."""
    heads: npt.NDArray[np.float32]
    """What the seat gets in each world: [worlds, choices, heads]; for the game one number, its worth."""
    worth: WorthArray
    """What each choice is worth, by the worlds and by the network itself: lower is better."""

    @property
    def best(self) -> int:
        """The best choice."""
        return int(self.choices[int(self.worth.argmin())])


@dataclass(frozen=True)
class Plan:
    """How to look ahead.

    >>> Plan(milliseconds=5).tricks
    1
    """

    milliseconds: float = 20.0
    worlds: int = 0
    """Instead of a time: the number of worlds."""
    tricks: int = 1
    """Tricks that are played out before the network predicts the rest."""
    threads: int = 1
    prior: float = 24.0
    """The network's own prediction counts as much as so many worlds."""
    belief: bool = True
    """Worlds are picked by how likely they are, if the model has a belief, instead of uniformly."""


class AcePlayer(NetPlayer):
    """Tries each choice in sampled worlds until its time is up.

    >>> from heartlab import make_player
    >>> make_player("ace:worlds=50,tricks=2").plan
    Plan(milliseconds=20.0, worlds=50, tricks=2, threads=1, prior=24.0, belief=True)
    """

    def __init__(self, parts: Parts, plan: Plan | None = None) -> None:
        super().__init__(parts.playing, parts.passing, parts.score, parts.passer, parts.caution)
        self.plan = plan or Plan()
        self.belief = parts.belief if self.plan.belief else None
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
        if self.passer is not None:
            return self.passer.choose_passes(batch)
        masks = np.empty(len(batch), np.uint64)
        for row in range(len(batch)):
            masks[row] = self.think_pass(batch.take(np.array([row]))).best
        return masks

    def think(self, batch: Observations, choices: ChoiceArray | None = None) -> Thought:
        """Look ahead at the cards of one row."""
        weights, compiled, stakes = self.weights(batch), batch.compiled, self.stakes(batch)
        tricks = self.plan.tricks
        cards = candidates(batch) if choices is None else choices
        prior = np.zeros((len(cards), HEADS), np.float32)
        predict_cards(compiled, batch.records, self.playing, new_mind(self.playing), cards, prior)

        def attempt(worlds: StateArray, cards: ChoiceArray, board: Board, counters: Any, out: Any) -> int:
            share_passes(batch.records, worlds)
            return try_cards(compiled, worlds, cards, self.playing, board, weights, stakes, tricks, counters, out)

        return self._rounds(batch, cards, prior @ weights, weights if stakes is None else ONE_NUMBER, attempt)

    def think_pass(self, batch: Observations) -> Thought:
        """Look ahead at the passes of one row that the network likes best."""
        weights, compiled, stakes = self.weights(batch), batch.compiled, self.stakes(batch)
        root, nets = int(batch.records[0]["seat"]), (self.playing, self.passing)
        passes = np.zeros(PASSES, np.uint64)
        mind = new_mind(self.passing)
        count = rank_passes(compiled, batch.records, self.passing, mind, weights, passes)
        prior = np.zeros((count, HEADS), np.float32)
        predict_passes(compiled, batch.records, self.passing, mind, passes[:count], prior)

        def attempt(worlds: StateArray, masks: ChoiceArray, board: Board, counters: Any, out: Any) -> int:
            return try_passes(compiled, root, worlds, masks, nets, board, weights, stakes, counters, out)

        shown = weights if stakes is None else ONE_NUMBER
        return self._rounds(batch, passes[:count], prior @ weights, shown, attempt)

    def stakes(self, batch: Observations) -> Stakes | None:
        """What is at stake in the game of the first row; None if it plays for the points of the deal."""
        totals, rules = self.totals(batch), batch.rules
        if self.score is None or totals is None:
            return None
        bonus = 0 if rules.bonus is None else rules.bonus_points
        return Stakes(
            self.score.chances, totals.astype(np.float64), self.score.limit, moon_points(rules), float(bonus),
            self.score.scale(totals.tolist(), rules), TIE * worth_weights(rules), self.weights(batch), self.caution,
        )  # fmt: skip

    # --- rounds ---

    def _rounds(
        self, batch: Observations, choices: ChoiceArray, prior: WorthArray, weights: Any, attempt: Try
    ) -> Thought:
        """Rounds of worlds until the time is up, the worlds are tried, or one choice is left."""
        plan = self.plan
        until = None if plan.worlds else time.perf_counter() + plan.milliseconds / 1000
        most = plan.worlds or MOST_WORLDS
        stream = self._stream(batch, most)
        found = np.zeros((0, len(choices), len(weights)), np.float32)
        number = 0
        while len(choices) > 1 and number < most and (until is None or time.perf_counter() < until):
            worlds, times = stream.take(min(ROUNDS[min(number.bit_length() // 4, len(ROUNDS) - 1)], most - number))
            fresh = self._round(worlds, times, choices, len(weights), attempt, until)
            number += int(times.sum())
            found = np.concatenate([found, fresh])
            if len(fresh) < times.sum():
                break
            kept = worth_trying(found @ weights)
            choices, found, prior = choices[kept], found[:, kept], prior[kept]
        # the network's own prediction beside what the worlds showed
        shown = (found @ weights).sum(axis=0)
        worth = (plan.prior * prior + shown) / max(plan.prior + len(found), TINY)
        return Thought(choices, found, worth if plan.prior or len(found) else prior)

    def _stream(self, batch: Observations, most: int) -> WorldStream:
        """The worlds of a look ahead: likely ones if there is a belief, and cards are played."""
        belief = self.belief if batch.records[0]["phase"] == PLAYING else None
        if self.plan.worlds:
            return WorldStream(batch, belief, min(most, 4 * MOST_PICKED))
        return WorldStream(
            batch, belief, int(min(max(ROUNDS[0], PICKED_A_MILLISECOND * self.plan.milliseconds), MOST_PICKED))
        )

    def _round(
        self, worlds: StateArray, times: Counts, choices: ChoiceArray, numbers: int, attempt: Try, until: float | None
    ) -> npt.NDArray[np.float32]:
        """Try the choices in some worlds: [those that were done, each as often as it counts; choices, numbers]."""
        out = np.zeros((len(worlds), len(choices), numbers), np.float32)
        threads = min(self.plan.threads, len(worlds))
        bounds = [len(worlds) * i // threads for i in range(threads + 1)]

        def part(i: int) -> list[int]:
            start, end = bounds[i : i + 2]
            counters = new_counters()
            with watch.over(counters, until) if until else nullcontext():
                done = attempt(worlds[start:end], choices, self._board(), counters, out[start:end])
            return list(range(start, start + done))

        rows = [part(0)] if threads == 1 else list(self._pool.map(part, range(threads)))
        done = [row for some in rows for row in some]
        return np.repeat(out[done], times[done], axis=0)

    def _board(self) -> Board:
        """This thread's working memory."""
        board: Board | None = getattr(self._here, "board", None)
        if board is None:
            board = self._here.board = new_board(self.playing, self.passing)
        return board

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.plan.threads, thread_name_prefix="ace")


@kernel
def predict_cards(rules: Any, obs: Any, net: Net, mind: Any, cards: Any, out: Any) -> None:
    """What the network predicts for some cards of the first row."""
    seat, unseen = np.int64(obs[0]["seat"]), unseen_cards(rules[0], obs[0])
    forget(net, 0, mind, seat)
    attend(net, 0, mind, seat, position_features(rules[0], obs[0], mind.now))
    for i in range(len(cards)):
        predict(net, 0, mind, seat, card_features(rules[0], obs[0], unseen, np.int64(cards[i]), mind.card))
        for k in range(HEADS):
            out[i, k] = mind.heads[k]


@kernel
def predict_passes(rules: Any, obs: Any, net: Net, mind: Any, passes: Any, out: Any) -> None:
    """What the network predicts for some passes of the first row: the mean over the card that is chosen last."""
    seat = np.int64(obs[0]["seat"])
    forget(net, 0, mind, seat)
    for i in range(len(passes)):
        share = np.float32(1.0 / popcount(passes[i]))
        cards = passes[i]
        while cards != ZERO:
            last = lowest(cards)
            cards &= cards - ONE
            chosen = passes[i] & ~bit(last)
            attend(net, 0, mind, seat, pass_position_features(rules[0], obs[0], chosen, mind.now))
            predict(net, 0, mind, seat, pass_card_features(rules[0], obs[0], chosen, last, mind.card))
            for k in range(HEADS):
                out[i, k] += share * mind.heads[k]


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


@register("ace", summary="looks ahead with the learned network: ace:ms=20, ace:worlds=100, ace:ms=100,threads=2")
def make_ace(argument: str = "") -> Player:
    """The network with a look ahead.

    :raises ValueError: for an unknown option or a value that does not fit.
    """
    options = parse_options(argument)
    parts = take_parts(options, for_game=True)
    if options.get("belief") == "yes" and parts.belief is None:
        raise ValueError("belief=yes: the model has no belief; train one with `heartlab train whole-game-belief`")
    if "ms" in options and "worlds" in options:
        raise ValueError("ms and worlds are two ways to say how long: give one of them")
    plan = Plan(
        milliseconds=take_number(options, "ms", Plan.milliseconds),
        worlds=int(take_number(options, "worlds", Plan.worlds, whole=True)),
        tricks=int(take_number(options, "tricks", Plan.tricks, whole=True)),
        threads=int(take_number(options, "threads", Plan.threads, whole=True)),
        prior=take_number(options, "prior", Plan.prior, zero=True),
        belief=take_yes(options, "belief", Plan.belief),
    )
    check_empty(options, "model, score, pass, caution, belief, ms, worlds, tricks, threads and prior")
    return AcePlayer(parts, plan)
