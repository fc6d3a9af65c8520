"""How deals go on after a choice: the one source of all that the coach says.

A choice is made in each of some worlds that fit what the seat knows, and the deals are played to their end:

- with few cards left, as the exact solver plays them;
- under rules that the network of the whole game knows, each seat like the player who sits there, if it is one of ours
  that can be run in a compiled batch, and like the network if it is not: it stands for people and for strong players;
- under other rules, each seat by simple rules of thumb, and the coach says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from threading import local

import numpy as np
import numpy.typing as npt

from heartlab.arena.rows import RowsInPlay
from heartlab.compiled.rng import substream
from heartlab.kernel.layout import OBSERVATION, SEATS, STATE, StateArray
from heartlab.kernel.table import give_table, observe_table, play_table
from heartlab.learners.whole_game.belief import new_guess, picked
from heartlab.learners.whole_game.continuations import KINDS, Party, continue_cards, continue_passes
from heartlab.learners.whole_game.likelihood import weigh_by_pass, weigh_by_play
from heartlab.learners.whole_game.likely import distinct_hands
from heartlab.learners.whole_game.lookahead import Board, new_board, share_passes
from heartlab.learners.whole_game.model import Learned, check_game, load_learned, worth_weights
from heartlab.players import Observations, Player, make_player
from heartlab.rules import Rules
from heartlab.search.roots import draw_worlds
from heartlab.search.solved import solve_cards
from heartlab.search.walk import new_counters

MODEL = "whole-game"
"""The shipped network that plays on."""
STRONG = "net"
"""Stands for people and for strong players."""
SOMEBODY = "somebody"
"""A seat whose player is not known: the network stands in for it."""
SURE, UNSURE = 0.05, 0.25
"""Probability of an unexpected card: of a player that is known, and of one that is not."""
WEIGHED = 60_000
"""Past cards that are looked at, in all worlds together, to pick likely worlds; but at least..."""
FEWEST_WEIGHED, PER_WORLD = 1024, 4
"""... so many worlds are drawn, and at most so many for each that is picked."""
SIMPLE = "gnome:peter"
"""Stands for them under rules that the network does not know."""
PASSER = "gnome:jake"
"""Passes for the others under such rules."""
SOLVED = 4
"""With at most so many cards in a hand deals are solved exactly."""
PER_PASSED = 8
"""Worlds that are drawn for each that is picked by the pass."""
PASS_STREAM = 0x70617373
FINISH_STREAM = 5000
"""Branch of a decision's random key from which the keys of the players that finish the deals start."""
THREADS = 2
Masks = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Ends:
    """Deals that were played to their end."""

    states: StateArray
    """[choices, worlds]"""
    tricks: Masks
    """[choices, worlds, seats]: what each seat won with the trick that was running; nothing after a pass."""
    history: npt.NDArray[np.int8]
    """[choices, 52]: the cards in order, in the last world."""

    def beside(self, others: Ends) -> Ends:
        """These and the same choices in other worlds."""
        states, tricks = (
            np.concatenate(pair, axis=1) for pair in ((self.states, others.states), (self.tricks, others.tricks))
        )
        return Ends(states, tricks, self.history)


def knows_rules(rules: Rules) -> bool:
    """Whether the network of the whole game can play some rules."""
    try:
        check_game(rules)
    except ValueError:
        return False
    return True


def stand_ins(players: Sequence[str]) -> list[str]:
    """Who plays on for a person on seat 0 and the players on the other seats: these themselves, if they are quick."""
    return [STRONG, *(name if name in KINDS else SOMEBODY for name in players)]


def draw(batch: Observations, count: int, first: int = 0) -> tuple[StateArray, Masks]:
    """Worlds that fit the observation of the first row, and the random key of each.

    :raises ValueError: if there are none.
    """
    worlds: StateArray = np.zeros((1, count), STATE)
    keys = np.zeros((1, count), np.uint64)
    if draw_worlds(batch.compiled, batch.records, first, max(1, count), worlds, keys) >= 0:
        raise ValueError(f"no deal fits the observation {batch[0]!r}")
    return worlds[0], keys[0]


class PlayingOn:
    """Plays deals to their end; the network is loaded when first needed."""

    def __init__(self, model: str = MODEL) -> None:
        self.model = model
        self._here = local()
        self._simple: dict[str, Player] = {}

    @cached_property
    def learned(self) -> Learned:
        """The networks."""
        return load_learned(self.model)

    def load(self) -> None:
        """Load the network now."""
        _ = self.learned

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(THREADS, thread_name_prefix="play-on")

    def party(self, rules: Rules, seats: Sequence[str]) -> Party:
        """The players of some seats for the compiled loops."""
        kinds = np.array([KINDS.get(name, KINDS[STRONG]) for name in seats], np.int64)
        return Party(kinds, self.learned.playing, self.learned.passing, worth_weights(rules))

    def likely(self, batch: Observations, count: int, seats: Sequence[str], lot: int = 0) -> StateArray:
        """Worlds that fit an observation, picked by how likely hands are after the pass, and the others' cards since.

        Under rules that the network does not know all are equally likely. Each lot picks from other worlds.
        """
        history = batch.records["history"][0].astype(np.int8)
        if not knows_rules(batch.rules):
            return draw(batch, count, lot * count)[0]
        played = int((history >= 0).sum())
        if played == 0:
            return self._after_the_pass(batch, history, count, lot)
        pool = min(count * PER_WORLD, max(FEWEST_WEIGHED, WEIGHED // played))
        worlds = self._after_the_pass(batch, history, pool, lot)
        share_passes(batch.records, worlds)
        party, key = self.party(batch.rules, seats), np.uint64(batch.records["random"][0])
        slips = np.array([SURE if name in KINDS else UNSURE for name in seats])
        root, logs = int(batch.records["seat"][0]), np.zeros(len(worlds))

        def part(start: int, end: int) -> None:
            weigh_by_play(
                batch.compiled, worlds[start:end], history, root, party, slips, self._board(), key, logs[start:end]
            )

        self._shared(len(worlds), part)
        return picked(worlds, logs, count, key)

    def _after_the_pass(self, batch: Observations, history: npt.NDArray[np.int8], count: int, lot: int) -> StateArray:
        """Worlds that fit an observation, picked by how likely the hands with which play began are after the pass."""
        belief = self.learned.belief
        if belief is None or not batch.records["passed"][0]:
            return draw(batch, count, lot * count)[0]
        worlds = draw(batch, count * PER_PASSED, lot * count * PER_PASSED)[0]
        share_passes(batch.records, worlds)
        first, back = distinct_hands(worlds)  # few cards are dealt in few ways
        weighed, root, logs = worlds[first], int(batch.records["seat"][0]), np.zeros(len(first))

        def part(start: int, end: int) -> None:
            weigh_by_pass(
                batch.compiled, weighed[start:end], history, root, belief, new_guess(belief), self._board(),
                logs[start:end],
            )  # fmt: skip

        self._shared(len(weighed), part)
        key = np.uint64(substream(np.uint64(batch.records["random"][0]), PASS_STREAM))
        return picked(worlds, logs[back], count, key)

    def after_cards(
        self, batch: Observations, worlds: StateArray, cards: Sequence[int], seats: Sequence[str], *, solve: bool
    ) -> Ends:
        """The deals after each card in each world; a card below 0 leaves the choice to the seat to move."""
        ends = _empty_ends(batch, len(cards), len(worlds))
        chosen = np.array(cards, np.int64)
        if solve:
            solve_cards(batch.compiled, worlds, ends.history, chosen, new_counters(), ends.states, ends.tricks)
        elif knows_rules(batch.rules):
            share_passes(batch.records, worlds)
            party, key = self.party(batch.rules, seats), np.uint64(batch.records["random"][0])

            def part(start: int, end: int) -> None:
                history = ends.history if end == len(worlds) else ends.history.copy()
                continue_cards(
                    batch.compiled, worlds[start:end], history, chosen, party, self._board(), key, start,
                    ends.states[:, start:end], ends.tricks[:, start:end],
                )  # fmt: skip

            self._shared(len(worlds), part)
        else:
            self._simple_cards(batch, worlds, chosen, seats, ends)
        return ends

    def after_passes(
        self, batch: Observations, worlds: StateArray, keys: Masks, passes: Masks, seats: Sequence[str]
    ) -> Ends:
        """The deals after each pass in each world; the others pass too. `keys` deal out a pool."""
        ends = _empty_ends(batch, len(passes), len(worlds))
        root = int(batch.records["seat"][0])
        if knows_rules(batch.rules):
            party, key = self.party(batch.rules, seats), np.uint64(batch.records["random"][0])

            def part(start: int, end: int) -> None:
                continue_passes(
                    batch.compiled, root, worlds[start:end], passes, party, self._board(), key, start,
                    ends.states[:, start:end],
                )  # fmt: skip

            self._shared(len(worlds), part)
        else:
            self._simple_passes(batch, worlds, keys, passes, seats, ends)
        return ends

    def _shared(self, count: int, part: Callable[[int, int], None]) -> None:
        """Do some work for all worlds, on two threads."""
        bounds = [count * i // THREADS for i in range(THREADS + 1)]
        list(self._pool.map(part, bounds[:-1], bounds[1:]))

    def _board(self) -> Board:
        """This thread's working memory."""
        board: Board | None = getattr(self._here, "board", None)
        if board is None:
            board = self._here.board = new_board(self.learned.playing, self.learned.passing)
        return board

    # --- other rules: simple players, in rows ---

    def _players(self, seats: Sequence[str]) -> list[Player]:
        names = [SIMPLE if name in (STRONG, SOMEBODY) else name for name in seats]
        for name in names:
            if name not in self._simple:
                self._simple[name] = make_player(name)
        return [self._simple[name] for name in names]

    def _rows(self, batch: Observations, count: int, worlds: int, seats: Sequence[str]) -> RowsInPlay:
        """Rows of deals that simple players go on with; the dice are the same for every choice."""
        key = np.uint64(batch.records["random"][0])
        dice = np.array([substream(key, FINISH_STREAM + row % worlds) for row in range(count)], np.uint64)
        return RowsInPlay.at_seats(batch.rules, self._players(seats), dice)

    def _simple_cards(
        self, batch: Observations, worlds: StateArray, cards: npt.NDArray[np.int64], seats: Sequence[str], ends: Ends
    ) -> None:
        states = np.tile(worlds, len(cards))
        histories = np.repeat(ends.history[:1], len(states), axis=0)
        rows, before = np.arange(len(states)), states["taken"].copy()
        play_table(batch.compiled, states, histories, np.repeat(cards.astype(np.int8), len(worlds)),
                   np.zeros(len(states), np.bool_))  # fmt: skip
        play = self._rows(batch, len(states), len(worlds), seats)
        play.play_on(rows, states, histories, tricks=int(batch.records["trick_number"][0]) + 1)
        ends.tricks[:] = (states["taken"] & ~before).reshape(ends.tricks.shape)
        play.play_on(rows, states, histories)
        ends.states[:] = states.reshape(ends.states.shape)
        ends.history[:] = histories.reshape((*ends.states.shape, 52))[:, -1]

    def _simple_passes(
        self, batch: Observations, worlds: StateArray, keys: Masks, passes: Masks, seats: Sequence[str], ends: Ends
    ) -> None:
        given = worlds.copy()
        self._pass_for_others(batch, given, keys)
        states = np.tile(given, len(passes))
        masks, all_keys = np.repeat(passes, len(worlds)), np.tile(keys, len(passes))
        give(batch, states, all_keys, int(batch.records["seat"][0]), masks)
        histories = np.full((len(states), 52), -1, np.int8)
        play = self._rows(batch, len(states), len(worlds), seats)
        play.play_on(np.arange(len(states)), states, histories)
        ends.states[:] = states.reshape(ends.states.shape)

    def _pass_for_others(self, batch: Observations, worlds: StateArray, keys: Masks) -> None:
        """Let all others pass in the worlds."""
        rows, histories = np.arange(len(worlds)), np.full((len(worlds), 52), -1, np.int8)
        dice = np.full(len(worlds), batch.records["random"][0], np.uint64)
        records = np.zeros(len(worlds), OBSERVATION)
        passer = make_player(PASSER)
        for seat in range(batch.rules.players):
            if seat != batch.records["seat"][0]:
                seats = np.full(len(worlds), seat, np.int64)
                observe_table(batch.compiled, worlds, histories, rows, seats, dice, records)
                give(
                    batch, worlds, keys, seat, passer.choose_passes(Observations(batch.rules, batch.compiled, records))
                )


def give(batch: Observations, states: StateArray, keys: Masks, seat: int, masks: Masks) -> None:
    """Pass for a seat in all states."""
    seats, verdicts = np.full(len(states), seat, np.int64), np.zeros(len(states), np.bool_)
    give_table(batch.compiled, keys, states, seats, masks, verdicts)


def _empty_ends(batch: Observations, choices: int, worlds: int) -> Ends:
    history = np.repeat(batch.records["history"].astype(np.int8), choices, axis=0)
    return Ends(np.zeros((choices, worlds), STATE), np.zeros((choices, worlds, SEATS), np.uint64), history)
