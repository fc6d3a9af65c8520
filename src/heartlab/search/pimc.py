"""Closed play: perfect-information search in sampled worlds (PIMC), any open search in each of them; and open play.

For every world each legal card gets its value for the seat to move; the card with the best mean over the worlds is
played (or, with `pick=visits`, the card that UCT tried most). Worlds may be weighted (see `weights`). ISMCTS grows
trees over the observation where the others search worlds; open play searches the states themselves.

:class:`Search` does it for a batch of observations: it draws worlds, searches them in portions on several threads, and
joins what they find. A search with a fixed number of worlds draws them as one block, one with a time budget in blocks
of four, so that a world depends on its number alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from heartlab.compiled.rng import substream
from heartlab.kernel.layout import STATE, StateArray
from heartlab.observation import Observations, OpenStates
from heartlab.rules import Rules
from heartlab.search.budget import cards_left, think_in_time, watch
from heartlab.search.evaluators.base import POINTS_UNIT, Data, Evaluator, make_evaluator
from heartlab.search.found import CHILD, Found, Searched
from heartlab.search.ismcts import BAD_WEIGHT, grow_trees, prepare_trees
from heartlab.search.options import Kind, Pick, SearchError, SearchOptions, Ties, compile_options, default_options
from heartlab.search.ordering import MAX_MOVES
from heartlab.search.playouts import EVALUATE, known_policies
from heartlab.search.roots import draw_worlds, new_tree, pick_cards, prepare, search_states, spread_values
from heartlab.search.walk import LIMIT, new_counters
from heartlab.search.weights import Weight, uniform, weigh_worlds

ROWS_AT_ONCE = 256
"""Observations whose worlds are in memory together, at most."""
STATES_AT_ONCE = 25_600
"""Worlds in memory together; those of one observation always are."""
BLOCK = 4
"""Worlds that a search with a time budget draws together."""
WRONG_WEIGHT = "the weight of a world is a finite number of at least 0"
CardArray = npt.NDArray[np.int8]
KeyArray = npt.NDArray[np.uint64]
Memory = tuple[Data, StateArray]
"""Working memory of a thread: the evaluator's data, and a tree."""


def _portions(total: int, threads: int) -> list[tuple[int, int]]:
    """Portions of some work for threads: large ones first, so that there are few, and small ones last, so that all
    threads finish at about the same time."""
    found, start = [], 0
    while start < total:
        end = start + max(1, (total - start) // (2 * threads if threads > 1 else 1))
        found.append((start, end))
        start = end
    return found


class Search:
    """A search by its options. It keeps nothing between two choices but counters.

    >>> from heartlab import Deal
    >>> deal = Deal("seed", seed=1)
    >>> search = Search(default_options(Kind.MAXN))
    >>> [card] = search.choose(Observations.of(deal.observe(deal.to_move)))
    >>> card in deal.legal
    True
    """

    def __init__(
        self, options: SearchOptions, *, evaluator: Evaluator | None = None, weigh: Weight = uniform
    ) -> None:  # fmt: skip
        """
        :param evaluator: instead of the one that the options name.
        :raises SearchError: if the options contradict each other.
        """
        self.options = options
        self.evaluator = evaluator or make_evaluator(options.evaluator)
        self._second = self._second_opinion(options.also)
        self._policy = known_policies()[options.playout][1]
        self._specs: dict[Rules, StateArray] = {}
        self._weigh = weigh
        if options.kind == Kind.ISMCTS:
            prepare_trees()
        else:
            prepare(options.kind)
        self.counters = new_counters()[:LIMIT]
        """Nodes and leaves searched so far, by all choices together."""

    def _second_opinion(self, name: str | None) -> Search | None:
        """What is asked about the worlds besides the trees: max^n to the end of the trick over an evaluator."""
        if name is None:
            return None
        second = Search(SearchOptions(evaluator=name))
        if second.evaluator.unit != POINTS_UNIT:
            raise SearchError(f"also={name}: its values are not points, so they cannot be averaged with those of trees")
        if self.options.is_open or self.options.pick == Pick.VISITS:
            raise SearchError(f"also={name} changes values: it needs worlds and pick=value")
        return second

    # --- choosing ---

    def choose(self, batch: Observations) -> CardArray:
        """The card to play in each row; a forced card is not searched."""
        legal = batch.records["legal"]
        cards: CardArray = np.bitwise_count((legal & -legal) - np.uint64(1)).astype(np.int8)
        waiting = np.flatnonzero(legal & (legal - np.uint64(1)))
        at_once = max(1, min(ROWS_AT_ONCE, STATES_AT_ONCE // max(1, self.options.worlds)))
        if self.options.milliseconds:
            at_once = 1
        for start in range(0, len(waiting), at_once):
            rows = waiting[start : start + at_once]
            cards[rows] = self.pick(batch.compiled, self.think(batch.take(rows)))
        return cards

    def think(self, batch: Observations, *, lines: bool = False) -> Searched:
        """Search some rows as the options say; with `lines`, find the principal variation after each card."""
        if self.options.milliseconds:
            deadline = time.perf_counter() + self.options.milliseconds / 1000
            return think_in_time(self, batch, deadline, lines)
        count = 1 if isinstance(batch, OpenStates) else self.options.worlds
        return self.search_worlds(batch, count, lines=lines)

    def pick(self, compiled: StateArray, found: Searched) -> CardArray:
        """The card to play in each row, given what the search found."""
        cards = np.zeros(len(found.states), np.int8)
        at_random, by_visits = self.options.ties == Ties.RANDOM, self.options.pick == Pick.VISITS
        pick_cards(
            compiled, found.states, found.keys, at_random, self.options.merge, by_visits, found.values, found.visits,
            found.shares, cards,
        )  # fmt: skip
        return cards

    def reply(self, batch: Observations, states: StateArray, keys: KeyArray) -> CardArray:
        """The card that the seat to move would play, as a player of its own, in each of some open states."""
        if self.options.kind == Kind.ISMCTS:
            return self._in_a_world.reply(batch, states, keys)
        found = self._search(batch, states.reshape(-1, 1), keys.reshape(-1, 1), np.ones((len(states), 1)))
        return self.pick(batch.compiled, replace(found, keys=np.ascontiguousarray(keys)))

    @cached_property
    def _in_a_world(self) -> Search:
        """What replaces ISMCTS where all hands are known."""
        return Search(default_options(Kind.UCT, is_open=True), evaluator=self.evaluator)

    # --- worlds ---

    def draw(self, batch: Observations, count: int, first: int = 0) -> tuple[StateArray, KeyArray]:
        """The worlds of every row from number `first` on, and the keys for the dice in each.

        :raises ValueError: if no deal fits an observation.
        """
        in_time = self.options.milliseconds > 0
        block = BLOCK if in_time else max(1, count)
        skipped = first % block if in_time else 0
        size = -(-(skipped + count) // block) * block
        worlds: StateArray = np.zeros((len(batch), size), STATE)
        keys = np.zeros((len(batch), size), np.uint64)
        bad = draw_worlds(batch.compiled, batch.records, first - skipped, block, worlds, keys)
        if bad >= 0:
            raise ValueError(f"no deal fits the observation {batch[bad]!r}")
        here = slice(skipped, skipped + count)
        return worlds[:, here], keys[:, here]

    def _weights(self, batch: Observations, worlds: StateArray) -> npt.NDArray[np.float64]:
        weights = np.ones(worlds.shape)
        if self._weigh is not uniform and self.options.kind != Kind.ISMCTS:  # which weighs worlds inside its trees
            weigh_worlds(batch.compiled, batch.records, np.ascontiguousarray(worlds), self._weigh, weights)
            if not (np.isfinite(weights) & (weights >= 0)).all():
                raise ValueError(WRONG_WEIGHT)
        return weights

    # --- searching ---

    def search_worlds(
        self,
        batch: Observations,
        count: int,
        first: int = 0,
        options: SearchOptions | None = None,
        *,
        until: float | None = None,
        limit: int | None = None,
        lines: bool = False,
    ) -> Searched:
        """Search the worlds of every row from number `first` on; where all hands are known, the states with other dice.

        :param options: instead of the search's own.
        :param until: the time (of `time.perf_counter`) at which searches give up.
        :param limit: the number of nodes after which they do.
        """
        if isinstance(batch, OpenStates):
            numbers = range(first, first + count)
            dice = batch.records["random"]
            keys = np.array([[substream(key, one) if one else key for one in numbers] for key in dice], np.uint64)
            states, weights = np.repeat(batch.states.reshape(-1, 1), count, axis=1), np.ones((len(batch), count))
        else:
            states, keys = self.draw(batch, count, first)
            weights = self._weights(batch, states)
        return self._search(batch, states, keys, weights, options, until=until, limit=limit, lines=lines)

    def _search(
        self,
        batch: Observations,
        states: StateArray,
        keys: KeyArray,
        weights: npt.NDArray[np.float64],
        options: SearchOptions | None = None,
        *,
        until: float | None = None,
        limit: int | None = None,
        lines: bool = False,
    ) -> Searched:
        """Search [rows, worlds] states."""
        chosen, spec = options or self.options, self._spec(batch.rules, options)
        shape, total = states.shape, states.size
        flat, dice = np.ascontiguousarray(states.reshape(-1)), np.ascontiguousarray(keys.reshape(-1))
        found = Found.room(total, self.counters, lines=lines)

        def part(start: int, end: int, memory: Memory) -> npt.NDArray[np.int64]:
            counters = new_counters() if limit is None else new_counters(limit)
            here, room = slice(start, end), found.part(start, end, counters)
            with watch.over(counters, until) if until else nullcontext():
                if self.options.kind == Kind.ISMCTS:
                    obs = batch.records[np.arange(start, end) // shape[1]]
                    self._grow(batch.compiled, obs, dice[here], spec, memory[0], room)
                else:
                    function = self.evaluator.function
                    search_states(batch.compiled, flat[here], dice[here], spec, self._policy, function, *memory, room)
            return counters[:LIMIT]

        self.counters += self._spread(part, total, chosen)
        values, visits, places = np.zeros((total, 52)), np.zeros((total, 52)), np.full((total, 52), -1)
        spread_values(batch.compiled, flat, found.children, found.rows, values, visits, places)
        if self._second is not None:
            second = self._second._search(batch, states, keys, weights).values.reshape(total, 52)
            solved = np.bitwise_count(flat["hands"]).max(axis=1) <= spec["endgame"][0]
            values = np.where(solved[:, None], values, (values + second) / 2)
        return Searched(
            np.ascontiguousarray(batch.records["random"]),
            self._unit(batch, chosen),
            states,
            weights,
            values.reshape(*shape, 52),
            visits.reshape(*shape, 52),
            found.children.reshape(*shape, MAX_MOVES, CHILD),
            places.reshape(*shape, 52),
            found.lines.reshape(*shape, MAX_MOVES, found.lines.shape[2], 2),
            found.rows.reshape(shape) > 0,
        )

    def _grow(
        self, compiled: StateArray, obs: StateArray, keys: KeyArray, spec: StateArray, data: Data, room: Found
    ) -> None:  # fmt: skip
        """Grow ISMCTS trees over some observations."""
        weighted = self._weigh is not uniform
        function = self.evaluator.function
        grow_trees(compiled, obs, keys, spec, self._policy, weighted, self._weigh, function, data, room)
        if (room.rows == BAD_WEIGHT).any():
            raise ValueError(WRONG_WEIGHT)

    def _spread(
        self, part: Callable[[int, int, Memory], npt.NDArray[np.int64]], total: int, options: SearchOptions
    ) -> npt.NDArray[np.int64]:
        """Do the portions of some work on all threads, the caller's included; each takes the next that is left."""
        threads = min(self.options.threads, total)
        portions = iter(_portions(total, threads))

        def work() -> npt.NDArray[np.int64]:
            counters, memory = np.zeros(LIMIT, np.int64), (self.evaluator.data(), new_tree(options))
            for start, end in portions:
                counters += part(start, end, memory)
            return counters

        helpers = [self._pool.submit(work) for _ in range(threads - 1)]
        counters = work()
        for helper in helpers:
            counters += helper.result()
        return counters

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.options.threads - 1, thread_name_prefix="worlds")

    def _spec(self, rules: Rules, options: SearchOptions | None) -> StateArray:
        """Options as kernels take them, with the bounds of the evaluator's values; the search's own are kept."""
        if options is None and rules in self._specs:
            return self._specs[rules]
        chosen = options or self.options
        spec = compile_options(chosen, self.evaluator.bounds_under(rules, chosen.plies == 0))
        if options is None:
            self._specs[rules] = spec
        return spec

    def _unit(self, batch: Observations, options: SearchOptions) -> str:
        """The unit of the values: the evaluator's, if it is asked."""
        asks = not options.kind.simulates or known_policies()[options.playout][0] == EVALUATE or options.cut > 0
        solved = 0 < options.endgame >= cards_left(batch)
        return self.evaluator.unit if asks and not solved else POINTS_UNIT
