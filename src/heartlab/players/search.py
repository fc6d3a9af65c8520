"""Players that search: open ones see all hands, closed ones search sampled worlds.

| name | player |
|---|---|
| `pie` | open: max^n to the end of the trick over the hand-tuned evaluation |
| `iie` | closed: the same in 20 worlds |
| `maxn:`, `paranoid:`, `softmaxn:`, `probmaxn:` | closed with `worlds=20`; open with `worlds=0` |
| `uct:` | closed with `worlds=100,sims=100`; open with `worlds=0` |
| `pimc:search=KIND,...` | the same as `KIND:...` |
| `ismcts:` | closed: trees over the observation itself |

Options: `eval=NAME`, `tricks=N` (or `all`), `plies=N`, `worlds=N` (for ismcts `trees=N`), `sims=N`, `c=X`,
`playout=NAME`, `cut=N`, `pick=visits` (or `value`, as `uct` does over worlds: a tree that explores this much spreads
its visits too evenly to tell), `endgame=N`, `merge=yes`, `ties=first`, `prune=yes`, `table=yes`, `pass=PLAYER` (who
chooses the cards to pass; default: the thesis rule, for uct and ismcts gnome:jake), `ms=N` (a budget per choice: as
many worlds, trees or tricks of depth as it allows), `threads=N` (for the worlds or trees of one choice).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

import heartlab.players.gnome_stock  # noqa: F401 - registers the playout policy `gnome`
from heartlab.kernel.layout import STATE, StateArray
from heartlab.kernel.rng import substream
from heartlab.players.base import CardArray, MaskArray, Observations, OpenStates, Player
from heartlab.players.registry import make_player, parse_options, register
from heartlab.rules import Rules
from heartlab.search.closed import WIDTH, draw_worlds, pick_cards, prepare, search_states, spread_values, weigh_worlds
from heartlab.search.evaluators import Evaluator, make_evaluator
from heartlab.search.ismcts import grow_trees, prepare_trees
from heartlab.search.maxn import LIMIT, NODES, new_counters
from heartlab.search.ordering import MAX_MOVES
from heartlab.search.passing import thesis_passes
from heartlab.search.playouts import known_policies
from heartlab.search.spec import ISMCTS, UCT, SearchError, bound_values, make_spec
from heartlab.search.weights import Weight, uniform

ROWS_AT_ONCE = 256
"""Observations whose worlds are in memory together."""


DEFAULTS = {"uct": {"playout": "gnome", "c": "0.5"}, "ismcts": {"playout": "gnome", "c": "0.4", "sims": "10000"}}
"""Options of some kinds that differ from those of all searches."""
UCT_OVER_WORLDS = {"worlds": "100", "sims": "100", "pick": "value"}
"""Options of `uct` as a closed player: its errors come from too few worlds sooner than from too few simulations."""
OWN_OPTIONS = ("worlds", "eval", "ms", "threads", "pick", "pass")
"""Options of the player itself; all others are the search's."""
PARTS = 4
"""Portions of the worlds per thread: more even out the work better, but each costs a call and some memory."""


@dataclass(frozen=True)
class Searched:
    """What a search found for some rows of [rows, worlds] states."""

    states: StateArray
    weights: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    """[rows, worlds, 52]: expected points of the seat to move after each card."""
    visits: npt.NDArray[np.float64]
    """[rows, worlds, 52]: simulations (1 for searches that do not simulate)."""
    tables: npt.NDArray[np.float64]
    """[rows, worlds, candidates, (card, value of each seat, visits)]: what was searched, equivalent cards once."""

    def join(self, other: Searched) -> Searched:
        """More worlds for the same rows."""
        names = ("states", "weights", "values", "visits", "tables")
        return Searched(*(np.concatenate([getattr(self, name), getattr(other, name)], axis=1) for name in names))


class SearchPlayer(Player):
    """A player by search; `worlds=0` makes it an open one."""

    _portion = 4
    """Worlds that a thread searches between two looks at the clock."""

    def __init__(
        self,
        kind: str,
        options: dict[str, str] | None = None,
        *,
        evaluator: Evaluator | None = None,
        weigh: Weight = uniform,
    ) -> None:
        super().__init__(kind)
        options = dict(options or {})
        self.kind = options.pop("search", kind)
        over_worlds = UCT_OVER_WORLDS if self.kind == "uct" and options.get("worlds") != "0" else {}
        options = {**DEFAULTS.get(self.kind, {}), **over_worlds, **options}
        grows = self.kind in ("uct", "ismcts")
        self.evaluator = evaluator or make_evaluator(options.pop("eval", "points" if grows else "pie"))
        self.worlds = self._world_count(options)
        self.milliseconds = _number(options, "ms", 0)
        self.threads = max(1, _number(options, "threads", 1))
        self.is_open = self.worlds == 0
        passer = options.pop("pass", "gnome:jake" if grows else "thesis")
        self._passer = None if passer == "thesis" else make_player(passer)
        pick = options.pop("pick", "visits")
        if pick not in ("visits", "value"):
            raise SearchError(f"pick={pick} is unknown; choose from visits, value")
        self._policy = known_policies().get(options.get("playout", "throw"), (0, None))[1]
        self._spec = make_spec(self.kind, options, OWN_OPTIONS)
        self._by_visits = self._spec[0]["kind"] in (UCT, ISMCTS) and pick == "visits"
        self._bounded: dict[tuple[Rules, int], StateArray] = {}
        self._weigh = weigh
        self._prepare()
        self.counters = new_counters()[:LIMIT]
        """Nodes and leaves searched so far."""

    def _world_count(self, options: dict[str, str]) -> int:
        return _number(options, "worlds", 20)

    def _prepare(self) -> None:
        prepare()

    # --- searching ---

    def search_open(self, batch: OpenStates, number: int = 0, limit: int | None = None) -> Searched:
        """Search the states themselves, one world per row; `number` varies the dice, `limit` the nodes it may take."""
        dice = batch.records["random"]
        keys = np.array([substream(key, number) for key in dice], np.uint64) if number else np.ascontiguousarray(dice)
        return self._search(batch, batch.states.reshape(-1, 1), keys.reshape(-1, 1), np.ones((len(batch), 1)), limit)

    def draw(self, batch: Observations, count: int, first: int = 0) -> tuple[StateArray, npt.NDArray[np.uint64]]:
        """The worlds of every row from number `first` on, and the keys for the dice in each."""
        worlds: StateArray = np.zeros((len(batch), count), STATE)
        keys = np.zeros((len(batch), count), np.uint64)
        bad = draw_worlds(batch.compiled, batch.records, first, worlds, keys)
        if bad >= 0:
            raise ValueError(f"no deal fits the observation {batch[bad]!r}")
        return worlds, keys

    def search_worlds(self, batch: Observations, count: int, first: int = 0) -> Searched:
        """Search `count` worlds of every row, those from number `first` on."""
        worlds, keys = self.draw(batch, count, first)
        weights = np.ones((len(batch), count))
        if self._weigh is not uniform:
            weigh_worlds(batch.compiled, batch.records, worlds, self._weigh, weights)
        return self._search(batch, worlds, keys, weights)

    def _search(
        self,
        batch: Observations,
        states: StateArray,
        keys: npt.NDArray[np.uint64],
        weights: npt.NDArray[np.float64],
        limit: int | None = None,
    ) -> Searched:
        spec = self._bounded_spec(batch.rules)
        flat, total = np.ascontiguousarray(states.reshape(-1)), states.size
        tables, rows = np.zeros((total, MAX_MOVES, WIDTH)), np.zeros(total, np.int64)
        owners = np.repeat(np.arange(len(states)), states.shape[1])

        def part(start: int, end: int) -> npt.NDArray[np.int64]:
            counters = new_counters() if limit is None else new_counters(limit)
            here = slice(start, end)
            self._search_part(
                batch, owners[here], flat[here], keys.reshape(-1)[here], spec, tables[here], rows[here], counters
            )
            return counters[:LIMIT]

        self.counters += part(0, total) if self.threads == 1 or total == 1 else self._spread(part, total)
        values, visits = np.zeros((total, 52)), np.zeros((total, 52))
        spread_values(batch.compiled, flat, tables, rows, values, visits)
        shape = states.shape
        return Searched(
            states,
            weights,
            values.reshape(*shape, 52),
            visits.reshape(*shape, 52),
            tables.reshape(*shape, MAX_MOVES, WIDTH),
        )

    def _spread(self, part: Callable[[int, int], npt.NDArray[np.int64]], total: int) -> npt.NDArray[np.int64]:
        """Do the portions of some work on all threads, each taking the next that is left; the caller's thread helps."""
        step = max(1, total // (PARTS * self.threads))
        starts = iter(range(0, total, step))

        def work() -> npt.NDArray[np.int64]:
            counters = np.zeros(LIMIT, np.int64)
            for start in starts:
                counters += part(start, min(start + step, total))
            return counters

        helpers = [self._pool.submit(work) for _ in range(self.threads - 1)]
        counters = work()
        for helper in helpers:
            counters += helper.result()
        return counters

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads - 1, thread_name_prefix="worlds")

    def _bounded_spec(self, rules: Rules) -> StateArray:
        """The spec with what is known about the evaluator's values under some rules; worked out once."""
        known = (rules, int(self._spec[0]["tricks"]))
        if known not in self._bounded:
            spec = self._spec.copy()
            bound_values(spec, rules, self.evaluator.name)
            self._bounded[known] = spec
        return self._bounded[known]

    def _search_part(
        self,
        batch: Observations,
        owners: npt.NDArray[np.int64],
        states: StateArray,
        keys: npt.NDArray[np.uint64],
        spec: StateArray,
        tables: npt.NDArray[np.float64],
        rows: npt.NDArray[np.int64],
        counters: npt.NDArray[np.int64],
    ) -> None:
        """Fill `tables` and `rows` for some of the states; `owners` are the rows of the batch that they come from."""
        judge = self.evaluator
        search_states(
            batch.compiled, states, keys, spec, self._policy, judge.function, judge.floats, judge.ints,
            judge.scratch(), tables, rows, counters,
        )  # fmt: skip

    # --- choosing ---

    def choose_cards(self, batch: Observations) -> CardArray:
        legal = batch.records["legal"]
        cards = (np.bitwise_count((legal & -legal) - np.uint64(1))).astype(np.int8)
        waiting = np.flatnonzero(legal & (legal - np.uint64(1)))
        for start in range(0, len(waiting), 1 if self.milliseconds else ROWS_AT_ONCE):
            rows = waiting[start : start + (1 if self.milliseconds else ROWS_AT_ONCE)]
            cards[rows] = self.pick(batch.compiled, self.think(batch.take(rows)))
        return cards

    def think(self, batch: Observations) -> Searched:
        """Search some rows, as long as the options say."""
        deadline = time.perf_counter() + self.milliseconds / 1000
        if isinstance(batch, OpenStates):
            if not self.milliseconds:
                return self.search_open(batch)
            return self._repeat(batch, deadline) if self.kind == "uct" else self._deepen(batch, deadline)
        if not self.milliseconds:
            return self.search_worlds(batch, self.worlds)
        portion = self._portion * self.threads
        found = self.search_worlds(batch, portion)
        while time.perf_counter() < deadline:
            found = found.join(self.search_worlds(batch, portion, found.states.shape[1]))
        return found

    def _repeat(self, batch: OpenStates, deadline: float) -> Searched:
        """Grow tree after tree over the same states until the time is up."""
        found = self.search_open(batch)
        while time.perf_counter() < deadline:
            found = found.join(self.search_open(batch, found.states.shape[1]))
        return found

    def _deepen(self, batch: OpenStates, deadline: float) -> Searched:
        """Search one trick deeper each time until the time is up; a depth that is not finished in time is dropped."""
        spec = self._spec.copy()
        begun, before = time.perf_counter(), int(self.counters[NODES])
        found = self.search_open(batch)
        most = int(np.bitwise_count(batch.states["hands"]).max())
        try:
            while 0 < self._spec[0]["tricks"] < most and not self._spec[0]["plies"]:
                now = time.perf_counter()
                speed = (int(self.counters[NODES]) - before) / (now - begun)
                limit = int(speed * (deadline - now))
                if limit <= 0:
                    break
                self._spec[0]["tricks"] += 1
                nodes = int(self.counters[NODES])
                deeper = self.search_open(batch, limit=limit)
                if int(self.counters[NODES]) - nodes > limit:
                    break
                found = deeper
        finally:
            self._spec = spec
        return found

    def pick(self, compiled: StateArray, found: Searched) -> CardArray:
        """The card to play in each row, given what the search found."""
        cards = np.zeros(len(found.states), np.int8)
        pick_cards(compiled, found.states, self._by_visits, found.values, found.visits, found.weights, cards)
        return cards

    def reply(self, batch: Observations, states: StateArray, keys: npt.NDArray[np.uint64]) -> CardArray:
        """The card that the seat to move would play in each of some open states of the same rules."""
        searched = self._search(batch, states.reshape(-1, 1), keys.reshape(-1, 1), np.ones((len(states), 1)))
        return self.pick(batch.compiled, searched)

    def choose_passes(self, batch: Observations) -> MaskArray:
        if self._passer is not None:
            return self._passer.choose_passes(batch)
        masks = np.empty(len(batch), np.uint64)
        thesis_passes(batch.compiled, batch.records, masks)
        return masks


class InformationSetPlayer(SearchPlayer):
    """A player by information-set trees: where other players search worlds, it grows trees over the observation."""

    _portion = 1

    def _world_count(self, options: dict[str, str]) -> int:
        if "worlds" in options:
            raise SearchError("ismcts draws a world for every simulation: say sims=N, or trees=N for several trees")
        return max(1, _number(options, "trees", 1))

    def _prepare(self) -> None:
        prepare_trees()
        super()._prepare()

    def reply(self, batch: Observations, states: StateArray, keys: npt.NDArray[np.uint64]) -> CardArray:
        return self._in_a_world.reply(batch, states, keys)

    @cached_property
    def _in_a_world(self) -> SearchPlayer:
        """What stands in for this player where all cards lie open."""
        return SearchPlayer("uct", {"worlds": "0"}, evaluator=self.evaluator)

    def _search_part(
        self,
        batch: Observations,
        owners: npt.NDArray[np.int64],
        states: StateArray,
        keys: npt.NDArray[np.uint64],
        spec: StateArray,
        tables: npt.NDArray[np.float64],
        rows: npt.NDArray[np.int64],
        counters: npt.NDArray[np.int64],
    ) -> None:
        judge = self.evaluator
        grow_trees(
            batch.compiled, batch.records[owners], keys, spec, self._policy, judge.function, judge.floats, judge.ints,
            judge.scratch(), tables, rows,
        )  # fmt: skip


def _number(options: dict[str, str], key: str, default: int) -> int:
    text = options.pop(key, str(default))
    if not text.isdecimal():
        raise SearchError(f"{key}={text}: write a whole number")
    return int(text)


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
    return SearchPlayer("maxn", parse_options(argument))


def _register_kind(kind: str, summary: str) -> None:
    register(kind, summary=summary)(lambda argument="": SearchPlayer(kind, parse_options(argument)))


_register_kind("maxn", "max^n search in sampled worlds (open with worlds=0): maxn:eval=pie,tricks=1,worlds=20")
_register_kind("paranoid", "paranoid search in sampled worlds: paranoid:eval=pie,tricks=2")
_register_kind("softmaxn", "soft-max^n in sampled worlds")
_register_kind("probmaxn", "prob-max^n in sampled worlds")
register("ismcts", summary="information-set tree search: ismcts:sims=10000,playout=gnome,c=0.4,trees=1")(
    lambda argument="": InformationSetPlayer("ismcts", parse_options(argument))
)
_register_kind("uct", "UCT in sampled worlds: uct:worlds=100,sims=100,playout=gnome,c=0.5")
