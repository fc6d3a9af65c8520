"""The UCT player: Monte-Carlo tree search over a network, or plain playouts where there is only the prover.

Each thread has a tree of its own, and their opinions about the moves are added up. Trees are kept from move to move and
grow in the start clock; with `ponder=1` also while the others think. With a fixed number of simulations (`sims=N`) one
thread runs, and the choice is a function of the seed. With `prior=PLAYER` what another player knows of the moves counts
like a few simulations.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import reduce

import numpy as np

from heartlab.ggp.gdl.terms import GdlError, Term
from heartlab.ggp.machine.base import Machine, State
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.players.base import GamePlayer, deadline_of
from heartlab.ggp.players.prior import CHUNK as PRIOR_CHUNK
from heartlab.ggp.players.prior import WEIGHT, Guide, Prior
from heartlab.ggp.players.registry import game_player, make_game_player, read_options
from heartlab.ggp.players.tree import Opinion, Tree

SLICE = 0.02
"""About so many seconds of simulations between two looks at the clock."""
MOST_CHUNK = 1 << 14
FIXED_CHUNK = 256
"""Simulations at a time where their number is fixed: the choice must not depend on the clock."""
MOST_THREADS = 8
POSITIONS = 1 << 18
"""Room of the tree of each thread."""
START_SHARE = 0.7
"""The share of the start clock that is used for searching; measuring is part of it."""
MEASURING = 0.3
"""Most seconds for finding out how simulations run fastest."""
MOST_PLAYOUTS = 1_000_000


class Searcher:
    """A tree with a generator of random numbers, for one thread."""

    def __init__(self, machine: NetworkMachine, key: int, positions: int, prior: Prior | None = None) -> None:
        self.machine, self.tree = machine, Tree(machine.network, positions, machine)
        self.rng = np.array([key], np.uint64)
        self.chunk, self.prior = 16, prior

    def search(self, state: State, goes_on: Callable[[], bool], sims: int = 0) -> None:
        """Run simulations while a function says so, up to a number if one is given, or until the state is solved."""
        words, done = self.machine.words(state), 0
        self.tree.forget()
        while goes_on() and (sims == 0 or done < sims):
            chunk = min(FIXED_CHUNK, sims - done) if sims else self.chunk
            if self.prior is not None:
                chunk = min(PRIOR_CHUNK, chunk)
                self.prior.add_to(self.tree.nodes)
            begun = time.monotonic()
            ran = self.tree.search(words, chunk, self.rng)
            done += ran
            spent = time.monotonic() - begun
            if ran < chunk:
                break
            if spent > SLICE and self.chunk > 1:
                self.chunk //= 2
            elif spent < SLICE / 4:
                self.chunk = min(MOST_CHUNK, 2 * self.chunk)


class UctPlayer(GamePlayer):
    """Monte-Carlo tree search with as many simulations as the clock allows, or a fixed number of them."""

    name = "uct"

    def __init__(
        self, seed: int = 0, sims: int = 0, threads: int = 0, ponder: int = 0, prior: str = "", weight: int = WEIGHT
    ) -> None:
        super().__init__(seed)
        self.adviser = make_game_player(prior) if prior else None
        self.weight = weight
        self.sims, self.ponder = sims, bool(ponder)
        self.threads = 1 if sims else min(MOST_THREADS, threads or _cores())
        self.searchers: list[Searcher] = []
        self.stop = threading.Event()
        self.pondering: list[threading.Thread] = []

    def begin(self, machine: Machine, player: int, seconds: float) -> None:
        self._stop_pondering()
        super().begin(machine, player, seconds)
        self.searchers = []
        if not isinstance(machine, NetworkMachine):
            return
        until = time.monotonic() + START_SHARE * seconds
        positions = POSITIONS if self.sims == 0 else min(POSITIONS, max(1 << 12, 1 << (8 * self.sims).bit_length()))
        guide = self.make_guide(machine)
        for _ in range(self.threads):
            own = machine.fork()
            assert isinstance(own, NetworkMachine)
            prior = None if guide is None else Prior(guide, self.weight)
            self.searchers.append(Searcher(own, self.dice.getrandbits(64), positions, prior))
        if machine.is_terminal(machine.initial):
            return
        machine.reckoning()
        _compile_all(machine)
        if self.sims:
            return
        first, words = self.searchers[0], machine.words(machine.initial)
        first.tree.choose_way(words, min(MEASURING, START_SHARE / 3 * seconds), first.rng)
        for searcher in self.searchers:
            searcher.tree.wide, searcher.tree.wide_from = first.tree.wide, first.tree.wide_from
        self._search(machine.initial, lambda: time.monotonic() < until)

    def choose(self, state: State, seconds: float) -> Term:
        self._stop_pondering()
        deadline = deadline_of(seconds)
        legal = self.machine.legal(state, self.player)
        if len(legal) == 1:
            return legal[0]
        if not self.searchers:
            return self._sample(state, legal, deadline)
        self._search(state, lambda: time.monotonic() < deadline)
        found = self.opinion(state, self.player)
        if found is None or not found.counts.any():
            return self.dice.choice(legal)
        assert isinstance(self.machine, NetworkMachine)
        move = self.machine.move_of(self.player, found.moves[found.best(self.dice.choice)])
        if self.ponder:
            self._ponder(state, move)
        return move

    def opinion(self, state: State, player: int) -> Opinion | None:
        """What all trees together think of the moves of a player; None of a state that was not searched."""
        assert isinstance(self.machine, NetworkMachine)
        words = self.machine.words(state)
        found = [searcher.tree.opinion(words, player) for searcher in self.searchers]
        return reduce(Opinion.plus, filter(None, found)) if any(found) else None

    def make_guide(self, machine: Machine) -> Guide | None:
        return None if self.adviser is None else self.adviser.make_guide(machine)

    def finish(self, state: State) -> None:
        self._stop_pondering()
        super().finish(state)

    def close(self) -> None:
        self._stop_pondering()

    def _search(self, state: State, goes_on: Callable[[], bool]) -> None:
        """Search in all threads; a tree that solves the state ends the search of the others."""
        if self.machine.is_terminal(state):
            return
        if self.threads == 1:
            self.searchers[0].search(state, goes_on, self.sims)
            return
        solved = threading.Event()

        def work(searcher: Searcher) -> None:
            searcher.search(state, lambda: goes_on() and not solved.is_set())
            if searcher.tree.is_solved(searcher.machine.words(state)):
                solved.set()

        others = [threading.Thread(target=work, args=(one,), daemon=True) for one in self.searchers[1:]]
        for thread in others:
            thread.start()
        work(self.searchers[0])
        for thread in others:
            thread.join()

    def _ponder(self, state: State, move: Term) -> None:
        """Search on behind a move of ours in the background, if that is one state: where nobody else has a choice."""
        joint = self.machine.legal_moves(state)
        joint[self.player] = [move]
        if any(len(moves) > 1 for moves in joint):
            return
        after = self.machine.next(state, [moves[0] for moves in joint])
        if self.machine.is_terminal(after):
            return
        self.stop.clear()
        for searcher in self.searchers:
            thread = threading.Thread(target=searcher.search, args=(after, lambda: not self.stop.is_set()), daemon=True)
            self.pondering.append(thread)
            thread.start()

    def _stop_pondering(self) -> None:
        self.stop.set()
        for thread in self.pondering:
            thread.join()
        self.pondering.clear()

    def _sample(self, state: State, legal: list[Term], deadline: float) -> Term:
        """Without a network: playouts of every move in turn, as many as the clock allows."""
        sums, counts = dict.fromkeys(legal, 0.0), dict.fromkeys(legal, 0)
        for done in range(self.sims or MOST_PLAYOUTS):
            if time.monotonic() >= deadline:
                break
            move = legal[done % len(legal)]
            joint = [self.dice.choice(moves) for moves in self.machine.legal_moves(state)]
            joint[self.player] = move
            goals = self._playout(self.machine.next(state, joint), deadline)
            if goals is None:
                break
            sums[move] += goals[self.player]
            counts[move] += 1
        tried = [move for move in legal if counts[move]]
        return max(tried, key=lambda move: sums[move] / counts[move]) if tried else self.dice.choice(legal)

    def _playout(self, state: State, deadline: float) -> list[int] | None:
        """The goals of a playout; None if the time ends first."""
        while not self.machine.is_terminal(state):
            if time.monotonic() >= deadline:
                return None
            state = self.machine.next(state, [self.dice.choice(moves) for moves in self.machine.legal_moves(state)])
        return self.machine.goals(state)


_compiled = threading.Event()


def _compile_all(machine: NetworkMachine) -> None:
    """Run one simulation each way, once per process, so that nothing is compiled while a clock runs."""
    if not _compiled.is_set():
        for wide in (True, False):
            tree = Tree(machine.network, 8, machine)
            tree.wide, tree.wide_from = wide, 0
            tree.search(machine.words(machine.initial), 1, np.zeros(1, np.uint64))
        _compiled.set()


def _cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@game_player(
    "uct",
    "Monte-Carlo tree search; sims=N simulations per move, threads=N, ponder=1 thinks in others' time, "
    "prior=td:MODEL begins with learned values, which count as weight=N simulations",
)
def make_uct(text: str, seed: int) -> GamePlayer:
    """`uct`, `uct:sims=500`, `uct:threads=1,ponder=1` or `uct:prior=td:MODEL,weight=8`."""
    options, names = read_options("uct", text, ["sims", "threads", "ponder", "weight"], ["prior"])
    if options.get("ponder", 0) > 1:
        raise GdlError(f"'uct:{text}': ponder is 0 or 1")
    if options.get("sims") and (options.get("threads", 1) > 1 or options.get("ponder")):
        raise GdlError(f"'uct:{text}': with sims=N one thread runs and nothing is pondered")
    if "weight" in options and "prior" not in names:
        raise GdlError(f"'uct:{text}': weight=N belongs to a prior=PLAYER, such as prior=td:MODEL")
    return UctPlayer(seed, **options, prior=names.get("prior", ""))
