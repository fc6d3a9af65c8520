"""Rows of deals in play: many deals in lock step, each with its own seating.

In each step one card is played in every unfinished row: each player gets the rows in which it is to move as one batch
of observations. Illegal answers are replaced by random legal ones and counted; for the first of each player the reason
is noted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.arena.seating import arrangements
from heartlab.cards import CardSet
from heartlab.compiled.rng import seed_key, substream
from heartlab.deal import Deal
from heartlab.deal_text import why_not_pass, why_not_play
from heartlab.kernel.layout import OBSERVATION, PLAYING, SEATS, STATE, StateArray, compile_rules
from heartlab.kernel.table import deal_table, give_table, observe_table, play_table, points_table
from heartlab.players.base import NoCard, Observations, OpenStates, Player
from heartlab.players.random import RandomPlayer
from heartlab.players.registry import PlayerError
from heartlab.rules import Rules
from heartlab.util.errors import error_sentence, quoted
from heartlab.util.executor import Stopped, asked_to_stop
from heartlab.util.statistics import FloatArray

Rows = npt.NDArray[np.int64]
Histories = npt.NDArray[np.int8]


class PlayerFailure(RuntimeError):
    """A player written in Python raised an error, or gave an answer that is not a card."""


def _failure(player: Player, error: BaseException) -> PlayerFailure:
    """Name the player, its error, the line of its code and, if known, the deal and seat."""
    if isinstance(error, NoCard):
        return PlayerFailure(f"player {player.name} {error} ({'; '.join(error.__notes__)})")
    return PlayerFailure(f"player {player.name} failed: {error_sentence(error)}")


@dataclass(frozen=True)
class Match:
    """What is to be played: players, rules, and how many deals or games.

    >>> from heartlab import make_player
    >>> match = Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), units=100)
    >>> [player.name for player in match.kinds], len(match.seatings)
    (['gnome', 'random'], 14)
    >>> Match([make_player("pie")], Rules.parse("seed"), units=1)
    Traceback (most recent call last):
    heartlab.players.registry.PlayerError: player pie sees all hands: it may only play in an open match (--open)
    """

    players: Sequence[Player]
    """One player per name; the same object twice is one kind."""
    rules: Rules
    units: int
    """Distinct deals (or games)."""
    seed: int = 0
    games: bool = False
    """Whether units are whole games instead of deals."""
    open: bool = False
    """Whether open players, which see all hands, are admitted."""
    first: int = 0
    """Number of the first unit."""

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise TypeError(f"rules={quoted(self.rules)}: write Rules.parse({quoted(self.rules)})")
        if not isinstance(self.units, int | np.integer):
            raise TypeError(f"units={quoted(self.units)}: a whole number is needed")
        if not self.players:
            raise PlayerError("a match needs at least one player")
        for player in self.players:
            if not isinstance(player, Player):
                raise TypeError(f"{quoted(player)} is not a player: make_player makes one of a name")
            if player.is_open and not self.open:
                raise PlayerError(f"player {player.name} sees all hands: it may only play in an open match (--open)")
            player.check_rules(self.rules)
        arrangements(self.named_kinds, self.rules.players)

    @property
    def kinds(self) -> list[Player]:
        """The distinct players."""
        return list(dict.fromkeys(self.players))

    @property
    def named_kinds(self) -> list[int]:
        """The kind of each named player."""
        return [self.kinds.index(player) for player in self.players]

    @property
    def seatings(self) -> npt.NDArray[np.int64]:
        """All distinct seatings, [arrangements, seats] of kind numbers."""
        return arrangements(self.named_kinds, self.rules.players)


@dataclass
class FinishedDeals:
    """Finished deals as arrays over rows, as a listener of `run_match` gets them.

    >>> from heartlab import make_player
    >>> from heartlab.arena import run_match
    >>> points = []
    >>> match = Match([make_player("gnome")], Rules.parse("standard,moon=off"), units=2)
    >>> result = run_match(match, listener=lambda deals: points.extend(deals.points.sum(axis=1).tolist()))
    >>> points
    [26, 26]
    """

    units: npt.NDArray[np.int64]
    seatings: npt.NDArray[np.int64]
    dealt: StateArray
    final: StateArray
    histories: npt.NDArray[np.int8]
    points: npt.NDArray[np.int64]
    shooters: npt.NDArray[np.int64]

    @staticmethod
    def in_order(rounds: Sequence[FinishedDeals], end: int) -> FinishedDeals:
        """The deals of the units before `end`, sorted by unit, so that the order does not depend on the batch size."""
        units = np.concatenate([deals.units for deals in rounds])
        order = np.argsort(units, kind="stable")
        order = order[units[order] < end]
        together = {
            part.name: np.concatenate([getattr(deals, part.name) for deals in rounds])[order]
            for part in fields(FinishedDeals)
        }
        return FinishedDeals(**together)


@dataclass
class Tally:
    """Counts and times of one batch."""

    rows: int
    kinds: int
    decisions: npt.NDArray[np.int64] = field(init=False)
    thinking: FloatArray = field(init=False)
    forfeits: npt.NDArray[np.int64] = field(init=False)
    illegal: dict[tuple[int, str], str] = field(default_factory=dict)
    """Why the first illegal "card" and the first illegal "pass" of each kind were illegal."""

    def __post_init__(self) -> None:
        self.decisions = np.zeros((self.rows, self.kinds), np.int64)
        self.thinking = np.zeros(self.kinds)
        self.forfeits = np.zeros((self.rows, self.kinds), np.int64)


class RowsInPlay:
    """The rows of one batch: seatings, states, and the answers of the players."""

    def __init__(
        self, rules: Rules, kinds: Sequence[Player], seatings: Rows, player_keys: npt.NDArray[np.uint64]
    ) -> None:
        """`seatings` is [rows, seats] of numbers of kinds; `player_keys` are the players' random keys, one per row."""
        self.rules, self.kinds, self.seatings, self.player_keys = rules, kinds, seatings, player_keys
        self.compiled = compile_rules(rules)
        self.tally = Tally(len(seatings), len(kinds))

    @classmethod
    def at_seats(cls, rules: Rules, players: Sequence[Player], player_keys: npt.NDArray[np.uint64]) -> RowsInPlay:
        """One player on each seat, the same in all rows: to go on with deals that have begun."""
        kinds = list(dict.fromkeys(players))
        seating = np.array([kinds.index(player) for player in players], np.int64)
        return cls(rules, kinds, np.tile(seating, (len(player_keys), 1)), player_keys)

    def play_on(self, rows: Rows, states: StateArray, histories: Histories, tricks: int | None = None) -> None:
        """Play the deals of some rows to their end, or until so many of their tricks are over.

        :raises Stopped: between two cards, when the executor was closed: nobody wants the result any more.
        """
        while True:
            playing = states["phase"] == PLAYING
            active = np.flatnonzero(playing if tricks is None else playing & (states["trick_number"] < tricks))
            if not len(active):
                return
            if asked_to_stop():
                raise Stopped
            self._play(rows, states, histories, active)

    def _play(self, rows: Rows, states: StateArray, histories: Histories, active: Rows) -> None:
        """Play one card in every active row."""
        cards = np.full(len(rows), -1, np.int8)
        movers = states["to_move"]
        kinds = self.seatings[rows[active], movers[active]]
        for kind in range(len(self.kinds)):
            mine = active[kinds == kind]
            if len(mine):
                batch = self._batch(kind, rows, states, histories, mine, movers[mine])
                answers = self._ask(kind, batch, passing=False)
                self.tally.decisions[rows[mine], kind] += 1
                legal = batch.records["legal"]
                safe = np.where((answers >= 0) & (answers < 52), answers, 0).astype(np.uint64)
                bad = (answers < 0) | (answers >= 52) | (legal >> safe & np.uint64(1) == 0)
                if bad.any():
                    substitutes = RandomPlayer().choose_cards(batch)
                    first = int(mine[bad][0])
                    seat, answer = int(movers[first]), int(answers[bad][0])
                    self._note_illegal(kind, seat, states[[first]], histories[first], answer, passing=False)
                    answers = np.where(bad, substitutes, answers)
                    self.tally.forfeits[rows[mine[bad]], kind] += 1
                cards[mine] = answers
        play_table(self.compiled, states, histories, cards, np.zeros(len(rows), np.bool_))

    def _note_illegal(
        self, kind: int, seat: int, state: StateArray, history: Iterable[int], answer: int, *, passing: bool
    ) -> None:
        """Note the reason of a player's first illegal card or pass, unless the player reports it itself."""
        what = "pass" if passing else "card"
        if self.kinds[kind].tells_faults or (kind, what) in self.tally.illegal:
            return
        deal = Deal._from_state(self.rules, state, [int(card) for card in history if card >= 0])
        if not 0 <= answer < (1 << 52 if passing else 52):
            reason = f"{answer} is not a {'mask of cards' if passing else 'card'}"
        else:
            reason = why_not_pass(deal, seat, CardSet(answer)) if passing else why_not_play(deal, answer)
        self.tally.illegal[kind, what] = f"{reason} ({deal.observe(seat).where})"

    def _batch(
        self, kind: int, rows: Rows, states: StateArray, histories: Histories, mine: Rows, seats: Rows
    ) -> Observations:
        records = np.zeros(len(mine), OBSERVATION)
        keys = self.player_keys[rows]
        observe_table(self.compiled, states, histories, mine, seats.astype(np.int64), keys, records)
        if self.kinds[kind].is_open:
            return OpenStates(self.rules, self.compiled, records, states[mine])
        return Observations(self.rules, self.compiled, records)

    def _ask(self, kind: int, batch: Observations, *, passing: bool) -> npt.NDArray[np.integer[Any]]:
        player = self.kinds[kind]
        started = time.perf_counter()
        try:
            answers: Any = np.asarray(player.choose_passes(batch) if passing else player.choose_cards(batch))
        except (Exception, SystemExit) as error:
            raise _failure(player, error) from error
        if answers.shape != (len(batch),):
            raise PlayerFailure(f"player {player.name} gave answers of shape {answers.shape} to {len(batch)} questions")
        if answers.dtype.kind not in "iu":
            raise PlayerFailure(f"player {player.name} gave answers that are not whole numbers ({answers.dtype})")
        self.tally.thinking[kind] += time.perf_counter() - started
        return np.asarray(answers)


class MatchRows(RowsInPlay):
    """The rows of a match: every unit in every arrangement."""

    def __init__(self, match: Match, units: Rows) -> None:
        arranged = match.seatings
        self.units = np.repeat(units, len(arranged))
        deal_key, player_key = seed_key(match.seed, "deals"), seed_key(match.seed, "players")
        self.keys = self._keys(match, deal_key)
        super().__init__(match.rules, match.kinds, np.tile(arranged, (len(units), 1)), self._keys(match, player_key))

    def _keys(self, match: Match, key: np.uint64) -> npt.NDArray[np.uint64]:
        """The random key of each row: in a match of games every game has its own."""
        if not match.games:
            return np.full(len(self.units), key, np.uint64)
        return np.array([substream(key, int(unit)) for unit in self.units], np.uint64)

    def play_deals(self, rows: Rows, numbers: Rows, scores: StateArray) -> FinishedDeals:
        """Play one deal in each of the given rows.

        :param numbers: the number of the deal in each row.
        :param scores: the totals before the deal.
        :raises Stopped: between two cards, if the executor was closed.
        """
        states, histories = np.zeros(len(rows), STATE), np.full((len(rows), 52), -1, np.int8)
        deal_table(self.compiled, self.keys[rows], numbers, states)
        states["scores"] = scores
        dealt = states.copy()
        self._pass(rows, states, histories)
        self.play_on(rows, states, histories)
        points = np.zeros((len(rows), SEATS), np.int64)
        shooters = np.zeros(len(rows), np.int64)
        points_table(self.compiled, states, points, shooters)
        n = self.rules.players
        self._tell_end(rows, states, histories, points[:, :n])
        return FinishedDeals(self.units[rows], self.seatings[rows], dealt, states, histories, points[:, :n], shooters)

    def _tell_end(self, rows: Rows, states: StateArray, histories: Histories, points: npt.NDArray[np.int64]) -> None:
        """Call `deal_over` of the players that override it."""
        for kind, player in enumerate(self.kinds):
            if type(player).deal_over is not Player.deal_over:
                mine, seats = np.nonzero(self.seatings[rows] == kind)
                batch = self._batch(kind, rows, states, histories, mine, seats)
                try:
                    player.deal_over(batch, points[mine])
                except (Exception, SystemExit) as error:
                    raise _failure(player, error) from error

    def _pass(self, rows: Rows, states: StateArray, histories: Histories) -> None:
        n = self.rules.players
        chosen = np.zeros((n, len(rows)), np.uint64)
        waiting = [np.flatnonzero(states["to_pass"] >> seat & 1) for seat in range(n)]
        for seat in range(n):
            for kind in range(len(self.kinds)):
                mine = waiting[seat][self.seatings[rows[waiting[seat]], seat] == kind]
                if len(mine):
                    batch = self._batch(kind, rows, states, histories, mine, np.full(len(mine), seat))
                    chosen[seat, mine] = self._ask(kind, batch, passing=True)
                    self.tally.decisions[rows[mine], kind] += 1
                    self._replace_illegal_passes(kind, rows, batch, states, mine, seat, chosen)
        for seat in range(n):
            if len(waiting[seat]):
                part = states[waiting[seat]]
                seats = np.full(len(part), seat)
                verdicts = np.zeros(len(part), np.bool_)
                keys = self.keys[rows[waiting[seat]]]
                give_table(self.compiled, keys, part, seats, chosen[seat, waiting[seat]], verdicts)
                states[waiting[seat]] = part

    def _replace_illegal_passes(
        self,
        kind: int,
        rows: Rows,
        batch: Observations,
        states: StateArray,
        mine: Rows,
        seat: int,
        chosen: npt.NDArray[np.uint64],
    ) -> None:
        """Replace illegal passes by random legal ones, and count them."""
        masks = chosen[seat, mine]
        free = states["hands"][mine, seat] & ~self.compiled["no_pass"]
        bad = (masks & ~free != 0) | (np.bitwise_count(masks) != self.rules.pass_count)
        if bad.any():
            substitutes = RandomPlayer().choose_passes(batch)
            first = int(mine[bad][0])
            self._note_illegal(kind, seat, states[[first]], [], int(chosen[seat, first]), passing=True)
            chosen[seat, mine[bad]] = substitutes[bad]
            self.tally.forfeits[rows[mine[bad]], kind] += 1
