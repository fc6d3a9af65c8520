"""Players that search: open ones see all hands, closed ones search sampled worlds.

| name | player |
|---|---|
| `pie` | open: max^n to the end of the trick over the hand-tuned evaluation |
| `iie` | closed: the same in 20 worlds |
| `maxn:`, `paranoid:`, `softmaxn:`, `probmaxn:`, `uct:` | closed with `worlds=20`; open with `worlds=0` |
| `ismcts:` | closed: one tree over information sets |
| `pimc:search=KIND,...` | the same as `KIND:...` |

Options: `eval=NAME`, `tricks=N` (or `all`), `plies=N`, `worlds=N`, `sims=N`, `c=X`, `playout=NAME`, `cut=N`,
`endgame=N`, `merge=yes`, `ties=first`, `prune=yes`, `pass=PLAYER` (who chooses the cards to pass; default: the thesis
rule), `ms=N` (a budget per choice instead of a number of worlds or simulations).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from heartlab.kernel.layout import STATE, StateArray
from heartlab.players.base import CardArray, MaskArray, Observations, OpenStates, Player
from heartlab.players.registry import make_player, parse_options, register
from heartlab.search.closed import draw_worlds_table, open_cards, pick_table, pimc_cards, search_worlds_table
from heartlab.search.evaluators import Evaluator, make_evaluator
from heartlab.search.passing import thesis_passes
from heartlab.search.spec import SearchError, bound_values, make_spec
from heartlab.search.weights import Weight, uniform

PORTION = 4
"""Worlds searched between two looks at the clock."""


class SearchPlayer(Player):
    """A player by search; `worlds=0` makes it an open one."""

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
        self.evaluator = evaluator or make_evaluator(options.pop("eval", "pie" if self.kind != "uct" else "points"))
        self.worlds = _number(options, "worlds", 20)
        self.milliseconds = _number(options, "ms", 0)
        self.is_open = self.worlds == 0
        passer = options.pop("pass", "thesis")
        self._passer = None if passer == "thesis" else make_player(passer)
        self._spec = make_spec(self.kind, options)
        self._weigh = weigh
        self.counters = np.zeros(2, np.int64)

    def spec_for(self, batch: Observations) -> StateArray:
        """The search's switches, with what the rules say about the values."""
        spec = self._spec.copy()
        bound_values(spec, batch.rules, self.evaluator.name)
        return spec

    def _evaluator_arguments(self) -> tuple[Any, Any, Any, Any]:
        return self.evaluator.function, self.evaluator.floats, self.evaluator.ints, self.evaluator.scratch()

    def choose_cards(self, batch: Observations) -> CardArray:
        cards = np.empty(len(batch), np.int8)
        spec, counters = self.spec_for(batch), np.zeros(2, np.int64)
        if isinstance(batch, OpenStates):
            keys = np.ascontiguousarray(batch.records["random"])
            open_cards(batch.compiled, batch.states, keys, spec, *self._evaluator_arguments(), cards, counters)
        elif self.milliseconds:
            for row in range(len(batch)):
                cards[row] = self._choose_in_time(batch, row, spec)
        else:
            pimc_cards(
                batch.compiled,
                batch.records,
                spec,
                self.worlds,
                self._weigh,
                *self._evaluator_arguments(),
                cards,
                counters,
            )
        self.counters += counters
        return cards

    def _choose_in_time(self, batch: Observations, row: int, spec: StateArray) -> int:
        """Search portions of worlds until the time is up."""
        obs = batch.records[row : row + 1]
        legal = int(obs["legal"][0])
        if legal.bit_count() == 1:
            return legal.bit_length() - 1
        deadline = time.perf_counter() + self.milliseconds / 1000
        parts: list[tuple[StateArray, Any, Any]] = []
        while not parts or time.perf_counter() < deadline:
            parts.append(self._portion(batch, obs, spec, PORTION * len(parts), PORTION))
        return self._pick(batch, spec, parts)

    def _portion(
        self, batch: Observations, obs: StateArray, spec: StateArray, first: int, count: int
    ) -> tuple[Any, Any, Any]:
        worlds: StateArray = np.zeros(count, STATE)
        values, visits = np.zeros((count, 52)), np.zeros((count, 52))
        draw_worlds_table(batch.compiled, obs, first, worlds)
        search_worlds_table(
            batch.compiled,
            obs,
            worlds,
            first,
            spec,
            *self._evaluator_arguments(),
            values,
            visits,
            np.zeros(2, np.int64),
        )
        return worlds, values, visits

    def _pick(self, batch: Observations, spec: StateArray, parts: list[tuple[StateArray, Any, Any]]) -> int:
        worlds = np.concatenate([part[0] for part in parts])
        values, visits = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
        weights = np.ones(len(worlds))
        return int(pick_table(batch.compiled, worlds, spec, values, visits, weights))

    def choose_passes(self, batch: Observations) -> MaskArray:
        if self._passer is not None:
            return self._passer.choose_passes(batch)
        masks = np.empty(len(batch), np.uint64)
        thesis_passes(batch.compiled, batch.records, masks)
        return masks


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
_register_kind("uct", "UCT in sampled worlds: uct:worlds=20,sims=500,playout=careful,c=0.4")
