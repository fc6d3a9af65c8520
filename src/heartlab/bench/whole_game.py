"""The whole game: training deals per second, beside the same networks in straightforward NumPy; choices of players."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heartlab.bench import BenchResult, Work, benchmark, measure, measure_beside
from heartlab.deal import Deal
from heartlab.kernel.layout import compile_rules
from heartlab.learners.whole_game.deals import Company, Pupil, play_deal
from heartlab.learners.whole_game.network import Net
from heartlab.learners.whole_game.player import NetPlayer
from heartlab.learners.whole_game.trainer import WholeGameParameters, WholeGameTrainer
from heartlab.players.base import Observations

CANDIDATES = 4
"""Cards that a network compares at a decision, about: equivalent cards are not told apart."""
Decisions = list[tuple[list[int], list[int]]]
"""Features of the position, and of the card."""


def _trainer(threads: int) -> WholeGameTrainer:
    return WholeGameTrainer(WholeGameParameters(alone=1.0, past=0.0), seed=1, threads=threads)


def _training(threads: int) -> Work:
    """Self-play and learning."""
    trainer = _trainer(threads)

    def work(count: int) -> None:
        trainer.step(0, max(count, trainer.settings.batch))

    work(1)
    return work


def _decisions(pupil: Pupil, count: int) -> Decisions:
    """The decisions that were noted in a deal."""
    log, true, found = pupil.log, [set[int]() for _ in range(4)], []
    for at in range(count):
        here = true[int(log.seat[at])]
        here |= set(log.changed[at, 0, : log.changes[at, 0]].tolist())
        here -= set(log.changed[at, 1, : log.changes[at, 1]].tolist())
        found.append((sorted(here), log.card[at, : log.cards[at]].tolist()))
    return found


def _learn(net: Net, grads: Net, positions: list[int], cards: list[int]) -> None:
    """One decision in NumPy: all candidates forward, the chosen one backward."""
    base = net.bias[0] + net.position[0][positions].sum(axis=0)
    for _ in range(CANDIDATES):
        first = np.maximum(base + net.card[0][cards].sum(axis=0), 0.0)
        second = np.maximum(net.hidden_bias[0] + net.hidden[0] @ first, 0.0)
        heads = net.heads_bias[0] + net.heads[0] @ second
    grads.heads_bias[0] += heads
    grads.heads[0] += np.outer(heads, second)
    back = (heads @ net.heads[0]) * (second > 0)
    grads.hidden_bias[0] += back
    grads.hidden[0] += np.outer(back, first)
    low = (back @ net.hidden[0]) * (first > 0)
    grads.bias[0] += low
    grads.position[0][positions] += low
    grads.card[0][cards] += low


def _in_numpy() -> Work:
    """The arithmetic of a training deal in NumPy; dealing and finding features cost nothing here."""
    trainer = _trainer(1)
    shard = trainer.shards[0]
    rng, weights = np.array([1], np.uint64), trainer.lesson.weights
    company = Company(0.05, 1.0, 0.0)
    counts = play_deal(trainer.compiled[0], 0, trainer.key, shard.pupils, company, weights, shard.table, rng)
    decisions = [_decisions(pupil, count) for pupil, count in zip(shard.pupils, counts, strict=True)]

    def work(count: int) -> None:
        for _ in range(count):
            for pupil, some in zip(shard.pupils, decisions, strict=True):
                for positions, cards in some:
                    _learn(pupil.net, pupil.grads, positions, cards)

    return work


@benchmark("whole-game.training")
def bench_training(seconds: float) -> Iterator[BenchResult]:
    """Deals of self-play, learned from."""
    note = "self-play, 256 and 128 units"
    yield measure_beside("whole-game.training", "deals/s", _training(1), "numpy", _in_numpy(), seconds, note)
    speed = measure("whole-game.training", "deals/s", _training(2), seconds, note, start=10_000)
    yield BenchResult(speed.name, speed.unit, 2, speed.ours, note=note)


@benchmark("whole-game.choices")
def bench_choices(seconds: float) -> Iterator[BenchResult]:
    """Cards chosen by the network, without search."""
    trainer = _trainer(1)
    playing, passing = trainer.nets
    player = NetPlayer(playing, passing)
    rows = []
    deal = Deal("standard", seed=1, number=3)
    while deal.to_move is not None:
        obs = deal.observe(deal.to_move)
        if len(obs.legal) > 1:
            rows.append(obs.records[0])
        deal.play(min(obs.legal))
    batch = Observations(deal.rules, compile_rules(deal.rules), np.array(rows))

    def work(count: int) -> None:
        for _ in range(0, count, len(rows)):
            player.choose_cards(batch)

    work(1)
    yield measure("whole-game.choices", "choices/s", work, seconds, f"{len(rows)} choices of a deal, no search")
