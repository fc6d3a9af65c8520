"""Players that search: open ones see all hands, closed ones search sampled worlds.

| name | player |
|---|---|
| `pie` | open: max^n to the end of the trick over the hand-tuned evaluation |
| `sage` | open: the same over a stronger hand-tuned evaluation |
| `iie` | closed: `pie` in 20 worlds |
| `maxn:`, `paranoid:`, `softmaxn:`, `probmaxn:` | closed with `worlds=20`; open with `worlds=0` |
| `uct:` | closed with `worlds=100,sims=100`; open with `worlds=0` |
| `ismcts:` | closed: trees over the observation itself |
| `pimc:search=KIND,...` | another way to write `KIND:...` |

Options: `eval=NAME`, `tricks=N` (or `all`), `plies=N`, `worlds=N` (for ismcts `trees=N`), `sims=N`, `c=X`,
`playout=NAME`, `cut=N`, `pick=visits` (or `value`, as `uct` does over worlds: a tree that explores this much spreads
its visits too evenly to tell), `endgame=N`, `merge=yes`, `ties=first`, `prune=yes`, `table=yes`, `pass=PLAYER` (who
chooses the cards to pass; default: the thesis rule, for uct and ismcts gnome:jake), `ms=N` (a budget per choice: as
many worlds, trees, simulations or tricks of depth as it allows, see `budget`), `threads=N` (for the worlds or trees of
one choice). An option that means nothing to the kind of search is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from heartlab.compiled.rng import substream
from heartlab.kernel.layout import STATE, StateArray
from heartlab.players.base import CardArray, MaskArray, Observations, OpenStates, Player
from heartlab.players.budget import think_in_time, watch
from heartlab.players.registry import make_player, parse_options, register
from heartlab.rules import Rules
from heartlab.search.evaluators.base import POINTS_UNIT, Evaluator, make_evaluator
from heartlab.search.found import Searched, Task
from heartlab.search.ismcts import BAD_WEIGHT, grow_trees, prepare_trees
from heartlab.search.maxn import LIMIT, TIES_RANDOM, new_counters
from heartlab.search.options import SearchError, bound_values, choice, make_spec, whole_number
from heartlab.search.ordering import MAX_MOVES
from heartlab.search.passing import thesis_passes
from heartlab.search.pimc import (
    LINE,
    WIDTH,
    draw_worlds,
    new_tree,
    pick_cards,
    prepare,
    search_states,
    spread_values,
    weigh_worlds,
)
from heartlab.search.playouts import EVALUATE, known_policies
from heartlab.search.weights import Weight, uniform

ROWS_AT_ONCE = 256
"""Observations whose worlds are in memory together, at most."""
STATES_AT_ONCE = 25_600
"""Worlds in memory together; those of one observation always are."""
BLOCK = 4
"""Worlds that a player with a time budget draws together."""
MOST_WORLDS, MOST_THREADS, MOST_MILLISECONDS = 100_000, 256, 86_400_000

DEFAULTS = {"uct": {"playout": "gnome", "c": "0.5"}, "ismcts": {"playout": "gnome", "c": "0.4", "sims": "10000"}}
"""Options of some kinds that differ from those of all searches."""
UCT_OVER_WORLDS = {"worlds": "100", "sims": "100", "pick": "value"}
"""Options of `uct` as a closed player: its errors come from too few worlds sooner than from too few simulations."""
WRONG_WEIGHT = "the weight of a world is a finite number of at least 0"
Memory = tuple[npt.NDArray[np.float64], StateArray]
"""Working memory of a thread: the evaluator's, and that of a tree."""


def _portions(total: int, threads: int) -> list[tuple[int, int]]:
    """Portions of some work that threads take one after the other: large ones first, so that there are few, and small
    ones in the end, so that all are done at about the same time."""
    found, start = [], 0
    while start < total:
        end = start + max(1, (total - start) // (2 * threads if threads > 1 else 1))
        found.append((start, end))
        start = end
    return found


class SearchPlayer(Player):
    """A player by search; `worlds=0` makes it an open one. It keeps nothing between two choices."""

    _kinds: tuple[str, ...] = ("maxn", "paranoid", "softmaxn", "probmaxn", "uct")

    def __init__(
        self,
        kind: str,
        options: dict[str, str] | None = None,
        *,
        evaluator: Evaluator | None = None,
        weigh: Weight = uniform,
        others: Sequence[str] = (),
    ) -> None:
        """
        :param others: options that the maker of the player has dealt with, for the message about a wrong one.
        """
        super().__init__(kind)
        options = dict(options or {})
        if choice("search", kind, (*SearchPlayer._kinds, *InformationSetPlayer._kinds)) not in self._kinds:
            raise SearchError(f"{type(self).__name__} does not search by {kind}")
        self.kind = kind
        self.simulates = kind in ("uct", "ismcts")
        """Whether it grows trees by simulations."""
        over_worlds = UCT_OVER_WORLDS if kind == "uct" and options.get("worlds") != "0" else {}
        options = {**DEFAULTS.get(kind, {}), **over_worlds, **options}
        judge = ("eval",) if evaluator is None else ()
        own = (
            *others, self._number_of, *judge, "ms", "threads", *(("pick",) if self.simulates else ()),
            *(("also",) if kind == "uct" else ()), "pass",
        )  # fmt: skip
        self.evaluator = evaluator or make_evaluator(options.pop("eval", "points" if self.simulates else "pie"))
        self.worlds = self._world_count(options)
        self.milliseconds = whole_number("ms", options.pop("ms", "0"), most=MOST_MILLISECONDS)
        self.threads = whole_number("threads", options.pop("threads", "1"), 1, MOST_THREADS)
        self.is_open = self.worlds == 0
        passer = options.pop("pass", "gnome:jake" if self.simulates else "thesis")
        self._passer = None if passer == "thesis" else make_player(passer)
        pick = choice("pick", options.pop("pick", "visits"), ("visits", "value")) if self.simulates else "value"
        self._by_visits = pick == "visits"
        self._second = self._second_opinion(options.pop("also")) if kind == "uct" and "also" in options else None
        self._policy = known_policies().get(options.get("playout", "throw"), (0, None))[1]
        self.any_depth = "tricks" not in options
        """Whether no depth was asked for."""
        self.spec = make_spec(kind, options, own)
        self.spec.setflags(write=False)
        self._bounded: dict[Rules, StateArray] = {}
        self._weigh = weigh
        self._prepare()
        self.counters = new_counters()[:LIMIT]
        """Nodes and leaves searched so far, by all choices together."""

    _number_of = "worlds"
    """The option that says how many worlds, or what stands for them, there are."""

    def _world_count(self, options: dict[str, str]) -> int:
        return whole_number("worlds", options.pop("worlds", "20"), most=MOST_WORLDS)

    def _second_opinion(self, name: str) -> SearchPlayer | None:
        """What else is asked about the worlds, besides the trees: max^n to the end of the trick over an evaluator."""
        if name == "none":
            return None
        second = SearchPlayer("maxn", {"eval": name})
        if second.evaluator.unit != POINTS_UNIT:
            raise SearchError(f"also={name}: its values are no points, so they have no mean with those of trees")
        if self.is_open or self._by_visits:
            raise SearchError(f"also={name} changes values: it needs worlds and pick=value")
        return second

    def _prepare(self) -> None:
        prepare()

    # --- what it is ---

    def cards_left(self, batch: Observations) -> int:
        """The most cards that any seat still holds."""
        if isinstance(batch, OpenStates):
            return int(np.bitwise_count(batch.states["hands"]).max())
        return int(batch.records["hand_sizes"].max())

    def solves(self, batch: Observations) -> bool:
        """Whether the endgame is to be solved in some of the rows."""
        return self.cards_left(batch) <= int(self.spec["endgame"][0])

    def _unit(self, batch: Observations, spec: StateArray) -> str:
        """What the values of a search are: the evaluator's, if it is asked."""
        asks = not self.simulates or spec["policy"][0] == EVALUATE or spec["cut"][0] > 0
        solved = 0 < spec["endgame"][0] >= self.cards_left(batch)
        return self.evaluator.unit if asks and not solved else POINTS_UNIT

    # --- searching ---

    def search_open(self, batch: OpenStates, *, limit: int | None = None) -> Searched:
        """Search the states themselves, one world per row; `limit` is the number of nodes that it may take."""
        states, keys, weights = self._numbers(batch, 0, 1)
        return self._search(batch, states, keys, weights, limit=limit)

    def draw(self, batch: Observations, count: int, first: int = 0) -> tuple[StateArray, npt.NDArray[np.uint64]]:
        """The worlds of every row from number `first` on, and the keys for the dice in each.

        They are one block; with a time budget, whole or parts of blocks of four.
        """
        block = BLOCK if self.milliseconds else max(1, count)
        skipped = first % block if self.milliseconds else 0
        size = -(-(skipped + count) // block) * block
        worlds: StateArray = np.zeros((len(batch), size), STATE)
        keys = np.zeros((len(batch), size), np.uint64)
        bad = draw_worlds(batch.compiled, batch.records, first - skipped, block, worlds, keys)
        if bad >= 0:
            raise ValueError(f"no deal fits the observation {batch[bad]!r}")
        here = slice(skipped, skipped + count)
        return worlds[:, here], keys[:, here]

    def search_worlds(self, batch: Observations, count: int, first: int = 0, *, lines: bool = False) -> Searched:
        """Search `count` worlds of every row, those from number `first` on."""
        worlds, keys = self.draw(batch, count, first)
        return self._search(batch, worlds, keys, self._weights(batch, worlds), lines=lines)

    def search_numbers(
        self, batch: Observations, first: int, count: int, spec: StateArray | None, until: float | None, lines: bool
    ) -> Searched:
        """Search worlds, or the states themselves with other dice, as a spec says and until a time."""
        states, keys, weights = self._numbers(batch, first, count)
        return self._search(batch, states, keys, weights, spec=spec, until=until, lines=lines)

    def _numbers(
        self, batch: Observations, first: int, count: int
    ) -> tuple[StateArray, npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
        """States, keys and weights of some worlds; where all cards are seen, of the states with other dice."""
        if not isinstance(batch, OpenStates):
            worlds, keys = self.draw(batch, count, first)
            return worlds, keys, self._weights(batch, worlds)
        dice = batch.records["random"]
        numbers = range(first, first + count)
        keys = np.array([[substream(key, number) if number else key for number in numbers] for key in dice], np.uint64)
        return np.repeat(batch.states.reshape(-1, 1), count, axis=1), keys, np.ones((len(batch), count))

    def _weights(self, batch: Observations, worlds: StateArray) -> npt.NDArray[np.float64]:
        weights = np.ones(worlds.shape)
        if self._weigh is not uniform:
            weigh_worlds(batch.compiled, batch.records, np.ascontiguousarray(worlds), self._weigh, weights)
            if not (np.isfinite(weights) & (weights >= 0)).all():
                raise ValueError(WRONG_WEIGHT)
        return weights

    def _search(
        self,
        batch: Observations,
        states: StateArray,
        keys: npt.NDArray[np.uint64],
        weights: npt.NDArray[np.float64],
        *,
        spec: StateArray | None = None,
        limit: int | None = None,
        until: float | None = None,
        lines: bool = False,
    ) -> Searched:
        spec = self._bound(spec, batch.rules)
        total = states.size
        task = Task(
            np.repeat(np.arange(len(states)), states.shape[1]),
            np.ascontiguousarray(states.reshape(-1)),
            np.ascontiguousarray(keys.reshape(-1)),
            np.zeros((total, MAX_MOVES, WIDTH)),
            np.zeros(total, np.int64),
            np.zeros((total, MAX_MOVES, LINE if lines else 0, 2)),
        )

        def part(start: int, end: int, memory: Memory) -> npt.NDArray[np.int64]:
            counters = new_counters() if limit is None else new_counters(limit)
            with watch.over(counters, until) if until else nullcontext():
                self._search_part(batch, task.part(start, end), spec, memory, counters)
            return counters[:LIMIT]

        self.counters += self._spread(part, total, spec)
        values, visits, places = np.zeros((total, 52)), np.zeros((total, 52)), np.full((total, 52), -1)
        spread_values(batch.compiled, task.states, task.tables, task.rows, values, visits, places)
        shape = states.shape
        if self._second is not None:
            second = self._second._search(batch, states, keys, weights).values.reshape(total, 52)
            solved = np.bitwise_count(task.states["hands"]).max(axis=1) <= spec["endgame"][0]
            values = np.where(solved[:, None], values, (values + second) / 2)
        return Searched(
            np.ascontiguousarray(batch.records["random"]),
            self._unit(batch, spec),
            states,
            weights,
            values.reshape(*shape, 52),
            visits.reshape(*shape, 52),
            task.tables.reshape(*shape, MAX_MOVES, WIDTH),
            places.reshape(*shape, 52),
            task.lines.reshape(*shape, MAX_MOVES, task.lines.shape[2], 2),
            task.rows.reshape(shape) > 0,
        )

    def _spread(
        self, part: Callable[[int, int, Memory], npt.NDArray[np.int64]], total: int, spec: StateArray
    ) -> npt.NDArray[np.int64]:
        """Do the portions of some work on all threads, each taking the next that is left; the caller's thread helps."""
        threads = min(self.threads, total)
        portions = iter(_portions(total, threads))

        def work() -> npt.NDArray[np.int64]:
            counters, memory = np.zeros(LIMIT, np.int64), self._memory(spec)
            for start, end in portions:
                counters += part(start, end, memory)
            return counters

        helpers = [self._pool.submit(work) for _ in range(threads - 1)]
        counters = work()
        for helper in helpers:
            counters += helper.result()
        return counters

    def _memory(self, spec: StateArray) -> Memory:
        """Working memory for one thread: the evaluator's, and that of a tree."""
        return self.evaluator.scratch(), new_tree(spec)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads - 1, thread_name_prefix="worlds")

    def _bound(self, spec: StateArray | None, rules: Rules) -> StateArray:
        """A spec with what is known about the evaluator's values under some rules; the player's own once for all."""
        if spec is None and rules in self._bounded:
            return self._bounded[rules]
        bounded = (self.spec if spec is None else spec).copy()
        bound_values(bounded, rules, self.evaluator)
        if spec is None:
            self._bounded[rules] = bounded
        return bounded

    def _search_part(
        self, batch: Observations, task: Task, spec: StateArray, memory: Memory, counters: npt.NDArray[np.int64]
    ) -> None:
        """Search some states."""
        judge = self.evaluator
        search_states(
            batch.compiled, task.states, task.keys, spec, self._policy, judge.function, judge.floats, judge.ints,
            *memory, task.tables, task.rows, task.lines, counters,
        )  # fmt: skip

    # --- choosing ---

    def choose_cards(self, batch: Observations) -> CardArray:
        legal = batch.records["legal"]
        cards: CardArray = np.bitwise_count((legal & -legal) - np.uint64(1)).astype(np.int8)
        waiting = np.flatnonzero(legal & (legal - np.uint64(1)))
        at_once = 1 if self.milliseconds else max(1, min(ROWS_AT_ONCE, STATES_AT_ONCE // max(1, self.worlds)))
        for start in range(0, len(waiting), at_once):
            rows = waiting[start : start + at_once]
            cards[rows] = self.pick(batch.compiled, self.think(batch.take(rows)))
        return cards

    def think(self, batch: Observations, *, lines: bool = False) -> Searched:
        """Search some rows, as long as the options say; with `lines`, tell how it goes on after each card."""
        if self.milliseconds:
            return think_in_time(self, batch, time.perf_counter() + self.milliseconds / 1000, lines)
        if isinstance(batch, OpenStates):
            return self.search_numbers(batch, 0, 1, None, None, lines)
        return self.search_worlds(batch, self.worlds, lines=lines)

    def pick(self, compiled: StateArray, found: Searched) -> CardArray:
        """The card to play in each row, given what the search found."""
        cards = np.zeros(len(found.states), np.int8)
        spec = self.spec[0]
        pick_cards(
            compiled, found.states, found.keys, bool(spec["ties"] == TIES_RANDOM), bool(spec["merge"]),
            self._by_visits, found.values, found.visits, found.shares, cards,
        )  # fmt: skip
        return cards

    def reply(self, batch: Observations, states: StateArray, keys: npt.NDArray[np.uint64]) -> CardArray:
        """The card that the seat to move would play, as a player of its own, in each of some open states."""
        searched = self._search(batch, states.reshape(-1, 1), keys.reshape(-1, 1), np.ones((len(states), 1)))
        return self.pick(batch.compiled, replace(searched, keys=np.ascontiguousarray(keys)))

    def choose_passes(self, batch: Observations) -> MaskArray:
        if self._passer is not None:
            return self._passer.choose_passes(batch)
        masks = np.empty(len(batch), np.uint64)
        thesis_passes(batch.compiled, batch.records, masks)
        return masks


class InformationSetPlayer(SearchPlayer):
    """A player by information-set trees: where other players search worlds, it grows trees over the observation."""

    _kinds = ("ismcts",)
    _number_of = "trees"

    def _world_count(self, options: dict[str, str]) -> int:
        if "worlds" in options:
            raise SearchError("ismcts draws a world for every simulation: say sims=N, or trees=N for several trees")
        return whole_number("trees", options.pop("trees", "1"), 1, MOST_WORLDS)

    def _prepare(self) -> None:
        prepare_trees()
        super()._prepare()

    def _weights(self, batch: Observations, worlds: StateArray) -> npt.NDArray[np.float64]:
        """Trees count alike: worlds are weighed inside them."""
        return np.ones(worlds.shape)

    def reply(self, batch: Observations, states: StateArray, keys: npt.NDArray[np.uint64]) -> CardArray:
        return self._in_a_world.reply(batch, states, keys)

    @cached_property
    def _in_a_world(self) -> SearchPlayer:
        """What stands in for this player where all cards lie open."""
        return SearchPlayer("uct", {"worlds": "0"}, evaluator=self.evaluator)

    def _search_part(
        self, batch: Observations, task: Task, spec: StateArray, memory: Memory, counters: npt.NDArray[np.int64]
    ) -> None:
        judge = self.evaluator
        grow_trees(
            batch.compiled, batch.records[task.owners], task.keys, spec, self._policy,
            self._weigh is not uniform, self._weigh, judge.function, judge.floats, judge.ints, memory[0],
            task.tables, task.rows, task.lines, counters,
        )  # fmt: skip
        if (task.rows == BAD_WEIGHT).any():
            raise ValueError(WRONG_WEIGHT)


def search_player(kind: str, options: dict[str, str], others: Sequence[str] = ()) -> SearchPlayer:
    """The player of a kind of search."""
    return (InformationSetPlayer if kind == "ismcts" else SearchPlayer)(kind, options, others=others)


@register(
    "pie", summary="open: max^n to the end of the trick over the papers' hand-tuned evaluation; tricks=2 looks further"
)
def make_pie(argument: str = "") -> Player:
    """The perfect-information expert."""
    return SearchPlayer("maxn", {"eval": "pie", "worlds": "0", **parse_options(argument)})


@register("sage", summary="open: max^n to the end of the trick over a stronger hand-tuned evaluation")
def make_sage(argument: str = "") -> Player:
    """The stronger expert; with worlds=20 it is closed."""
    return SearchPlayer("maxn", {"eval": "sage", "worlds": "0", **parse_options(argument)})


@register("iie", summary="closed: pie in 20 sampled worlds")
def make_iie(argument: str = "") -> Player:
    """The imperfect-information expert."""
    return SearchPlayer("maxn", {"eval": "pie", **parse_options(argument)})


@register("pimc", summary="closed: any open search in sampled worlds, as in pimc:search=maxn,eval=pie,worlds=20")
def make_pimc(argument: str = "") -> Player:
    """A closed player by the kind of its search."""
    options = parse_options(argument)
    kind = options.pop("search", "maxn")
    return search_player(kind, options, others=("search",))


def _register_kind(kind: str, summary: str) -> None:
    register(kind, summary=summary)(lambda argument="": search_player(kind, parse_options(argument)))


_register_kind("maxn", "max^n search in sampled worlds (open with worlds=0): maxn:eval=pie,tricks=1,worlds=20")
_register_kind("paranoid", "paranoid search in sampled worlds: paranoid:eval=pie,tricks=2")
_register_kind("softmaxn", "soft-max^n in sampled worlds")
_register_kind("probmaxn", "prob-max^n in sampled worlds")
_register_kind("ismcts", "information-set tree search: ismcts:sims=10000,playout=gnome,c=0.4,trees=1")
_register_kind("uct", "UCT in sampled worlds: uct:worlds=100,sims=100,playout=gnome,c=0.5,also=td")
