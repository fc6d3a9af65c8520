"""Training deals, in one compiled loop: networks and strangers play them, and the learner learns from each.

A deal goes through the steps of Monte-Carlo control: seat the players, deal, pass and play greedily by the present
weights with some random choices, then learn from the decisions of the learner's seats. Weights stay as they are within
a batch of deals, so what was computed while playing serves for learning, and the result does not depend on how a batch
is divided among threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from heartlab.compiled.bits import ONE, ZERO, bit, lowest
from heartlab.compiled.jit import compile_for, kernel, template
from heartlab.compiled.rng import any_of, below, substream, uniform
from heartlab.kernel.dealing import deal, give
from heartlab.kernel.layout import PASSING, PLAYING
from heartlab.kernel.observe import see
from heartlab.kernel.play import play
from heartlab.learners.whole_game.features import (
    card_features,
    distinct,
    pass_card_features,
    pass_position_features,
    position_features,
    unseen_cards,
)
from heartlab.learners.whole_game.learning import Lesson, Log, Slopes, learn_deal, note_card, note_position, outcome
from heartlab.learners.whole_game.network import SEATS, SHOOT, Mind, Net, attend, forget, predict, worth
from heartlab.learners.whole_game.policy import best_card, best_pass, pass_choices
from heartlab.learners.whole_game.strangers import GNOMES, JAKE, PETER, stranger_card, stranger_pass
from heartlab.learners.whole_game.trees import TREES, Forest, searcher_of, tree_card
from heartlab.search.evaluators.base import SIGNATURE as EVALUATOR
from heartlab.search.evaluators.base import make_evaluator
from heartlab.search.playouts import SIGNATURE as POLICY
from heartlab.search.playouts import known_policies

PLAYS, PASSES = 52, 12
"""The most decisions in a deal: cards played, and cards passed."""


class Company(NamedTuple):
    """Who sits at the training tables, and how often choices are random."""

    explore: float  # the share of random choices
    alone: float  # the share of tables with the learner in all seats
    past: float  # the share of tables with past selves; the others have strangers
    shooters: float = 0.0  # the share of strangers' seats that are `gnome:peter` in any case
    trees: float = 0.0  # the share that search, of the strangers' other seats


class Table(NamedTuple):
    """Working memory of one thread."""

    state: Any  # [1] STATE
    obs: Any  # [1] OBSERVATION
    kinds: npt.NDArray[np.int64]  # [seats]
    history: npt.NDArray[np.int8]  # [52]
    final: npt.NDArray[np.float64]  # [seats, heads]
    forest: Forest  # for strangers that search


class Pupil(NamedTuple):
    """A network that learns on one thread, to play or to pass, with its working memory."""

    net: Net
    grads: Net
    mind: Mind
    log: Log
    slopes: Slopes


@template
def _noted_best(
    cards: np.uint64, describe: Any, rules: Any, obs: Any, known: np.uint64, pupil: Pupil, weights: Any, at: int
) -> int:
    """The card with the best prediction, noted in the log; arguments as for `policy._best_of`."""
    seat = np.int64(obs["seat"])
    best, least = -1, 0.0
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        count = describe(rules, obs, known, card, pupil.mind.card)
        predict(pupil.net, 0, pupil.mind, seat, count)
        value = worth(pupil.mind.heads, weights)
        if best < 0 or value < least:
            best, least = card, value
            note_card(pupil.log, at, pupil.mind, count)
    return best


@kernel
def _learner_card(rules: Any, obs: Any, pupil: Pupil, weights: Any, explore: float, rng: Any, at: int) -> int:
    """The learner's card, noted in the log."""
    seat = np.int64(obs["seat"])
    unseen = unseen_cards(rules, obs)
    cards = distinct(obs["legal"], unseen | obs["trick"])
    attend(pupil.net, 0, pupil.mind, seat, position_features(rules, obs, pupil.mind.now))
    note_position(pupil.log, at, pupil.mind, seat, obs["taken"][seat])
    if uniform(rng) < explore:
        cards = bit(any_of(cards, rng))
    return _noted_best(cards, card_features, rules, obs, unseen, pupil, weights, at)


@kernel
def _learner_pass(rules: Any, obs: Any, pupil: Pupil, weights: Any, explore: float, rng: Any, at: int) -> np.uint64:
    """The learner's pass, each of its cards noted in the log."""
    seat = np.int64(obs["seat"])
    chosen = ZERO
    for _ in range(rules["pass_count"]):
        attend(pupil.net, 0, pupil.mind, seat, pass_position_features(rules, obs, chosen, pupil.mind.now))
        note_position(pupil.log, at, pupil.mind, seat, ZERO)
        cards = pass_choices(rules, obs, chosen)
        if uniform(rng) < explore:
            cards = bit(any_of(cards, rng))
        chosen |= bit(_noted_best(cards, pass_card_features, rules, obs, chosen, pupil, weights, at))
        at += 1
    return chosen


@kernel
def seat_players(company: Company, networks: int, kinds: Any, rng: Any) -> None:
    """Who plays: the learner alone, or with past selves, or with strangers."""
    draw = uniform(rng)
    for seat in range(SEATS):
        kinds[seat] = 0
    if draw < company.alone:
        return
    others = 1 + below(rng, SEATS - 1)
    with_past = draw < company.alone + company.past and networks > 1
    for _ in range(others):
        seat = below(rng, SEATS)
        if with_past:
            kinds[seat] = 1 + below(rng, networks - 1)
        elif company.shooters > 0.0 and uniform(rng) < company.shooters:
            kinds[seat] = PETER
        elif company.trees > 0.0 and uniform(rng) < company.trees:
            kinds[seat] = TREES
        else:
            kinds[seat] = -1 - below(rng, GNOMES)


@kernel
def _look(rules: Any, table: Table, seat: int, key: np.uint64) -> None:
    see(rules, table.state[0], seat, key, table.obs[0])
    if table.kinds[seat] < 0:
        for ply in range(52):
            table.obs[0]["history"][ply] = table.history[ply] if ply < table.state[0]["plays"] else -1


@kernel
def play_deal(rules: Any, number: int, key: np.uint64, pupils: Any, company: Company, weights: Any, table: Table,
              rng: Any, searcher: Any = None) -> Any:  # fmt: skip
    """Play one deal; returns how many decisions of the learner were noted: (cards, passes).

    `pupils` are those who play and pass. Without a `searcher`, strangers that search play like `gnome:jake`.
    """
    playing, passing = pupils
    state, obs = table.state[0], table.obs[0]
    plays, passes = 0, 0
    deal(rules, state, number, rng)
    seat_players(company, playing.net.bias.shape[0], table.kinds, rng)
    for seat in range(SEATS):
        which = max(0, table.kinds[seat])
        forget(playing.net, which, playing.mind, seat)
        forget(passing.net, which, passing.mind, seat)
    # pass
    for seat in range(SEATS):
        if state["phase"] == PASSING:
            kind = table.kinds[seat]
            _look(rules, table, seat, key)
            if kind == 0:
                cards = _learner_pass(rules, obs, passing, weights, company.explore, rng, passes)
                passes += rules["pass_count"]
            elif kind > 0:
                cards = best_pass(rules, obs, passing.net, kind, passing.mind, weights)
            else:
                cards = stranger_pass(rules, obs, JAKE if kind == TREES else kind, rng)
            give(rules, state, seat, cards, rng)
    # play
    while state["phase"] == PLAYING:
        seat = np.int64(state["to_move"])
        kind = table.kinds[seat]
        _look(rules, table, seat, key)
        legal = obs["legal"]
        if legal & (legal - ONE) == ZERO:
            card = lowest(legal)
        elif kind == 0:
            card = _learner_card(rules, obs, playing, weights, company.explore, rng, plays)
            plays += 1
        elif kind > 0:
            card = best_card(rules, obs, playing.net, kind, playing.mind, weights)
        elif kind != TREES:
            card = stranger_card(rules, obs, kind, rng)
        elif searcher is None:
            card = stranger_card(rules, obs, JAKE, rng)
        else:
            card = tree_card(rules, obs, searcher, rng)
        table.history[state["plays"]] = card
        play(rules, state, card)
    return plays, passes


@template
def _train(rules: Any, key: np.uint64, span: Any, pupils: Any, company: Company, lesson: Lesson, table: Table,
           out: Any, searcher: Any) -> None:  # fmt: skip
    """Play deals number `span[0]` to `span[1] - 1` and add up the gradient of the learner's decisions.

    `out` takes the number of decisions and the sum of squared errors for cards, the same for passes, the learner's
    moons, and its seats.
    """
    playing, passing = pupils
    rng = np.empty(1, np.uint64)
    for number in range(span[0], span[1]):
        rng[0] = substream(key, number)
        plays, passes = play_deal(rules[0], number, key, pupils, company, lesson.weights, table, rng, searcher)
        outcome(rules[0], table.state[0], table.final)
        for seat in range(SEATS):
            if table.kinds[seat] == 0:
                out[4] += table.final[seat, SHOOT]
                out[5] += 1.0
        out[0] += plays
        out[1] += learn_deal(playing.net, playing.grads, playing.log, plays, table.final, playing.slopes, lesson)
        out[2] += passes
        out[3] += learn_deal(passing.net, passing.grads, passing.log, passes, table.final, passing.slopes, lesson)


@kernel
def train_deals(rules: Any, key: np.uint64, span: Any, pupils: Any, company: Company, lesson: Lesson, table: Table,
                out: Any) -> None:  # fmt: skip
    """Training without strangers that search; see `_train`."""
    _train(rules, key, span, pupils, company, lesson, table, out, None)


@kernel
def train_among_trees(rules: Any, key: np.uint64, span: Any, pupils: Any, company: Company, lesson: Lesson,
                      table: Table, out: Any, chooser: Any, function: Any) -> None:  # fmt: skip
    """Training with strangers that search, by the functions that their searches are compiled for."""
    _train(rules, key, span, pupils, company, lesson, table, out, searcher_of(table.forest, chooser, function))


def train_with_searchers(*work: Any) -> None:
    """Call `train_among_trees`, compiled once for all functions; arguments as for `train_deals`."""
    kinds = [numba.typeof(one) for one in work]
    compile_for(train_among_trees, types.void(*kinds, types.FunctionType(POLICY), types.FunctionType(EVALUATOR)))
    arguments = [*work, known_policies()["gnome"][1], make_evaluator("points").function]
    train_among_trees(*arguments)
