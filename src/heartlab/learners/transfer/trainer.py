"""Learning runs: a game, a learner, an opponent; rewards match by match.

`TurnGame` is a game for two who take turns, with all that was explored of it. `learn` plays one run in it, `learn_runs`
several, with means over windows of matches.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from heartlab.ggp.gdl.terms import RANDOM_ROLE, GdlError
from heartlab.ggp.machine.base import Machine
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.learners.transfer.kernels import (
    Features,
    Memory,
    Run,
    clear_memory,
    enlarge_memory,
    learn_matches,
    make_memory,
)
from heartlab.learners.transfer.lookahead import CLASS_NAMES, Stack, make_stack
from heartlab.learners.transfer.models import FeatureModel, no_features
from heartlab.learners.transfer.opponents import KINDS
from heartlab.learners.transfer.positions import (
    DRAWN,
    LOST,
    OK,
    SIMULTANEOUS,
    STUCK,
    WON,
    Board,
    enlarge_board,
    make_board,
)
from heartlab.learners.transfer.settings import Learner, Opponent, Settings
from heartlab.util.errors import quoted
from heartlab.util.statistics import estimate

PROBE_GAMES, PROBES = 50, 5000
"""Random games, and positions in them, that are examined to see which moves are only waiting."""
FIRST_ROOM, MOST_ROOM = 1 << 15, 1 << 23
"""Positions for which a board has room at first, and at most."""
WINDOWS = (0, 100, 300, 1000, 3000)
"""Matches at which the windows of `learn_runs` begin and end."""


def parse_outcomes(text: str) -> npt.NDArray[np.int8]:
    """The class of each goal from 0 to 100, from a text such as `0-30=L,31-69=D,70-100=W`.

    Goals that are not named count as won above 50, lost below, drawn at 50.

    Raises:
        GdlError: the text cannot be parsed, or names a goal twice.
    """
    goals = np.arange(101)
    classes = np.where(goals > 50, WON, np.where(goals < 50, LOST, DRAWN)).astype(np.int8)
    named = np.zeros(101, bool)
    for piece in filter(None, text.replace(" ", "").split(",")):
        match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?=([WLDwld])", piece)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if match is None or not low <= high <= 100:
            raise GdlError(f"cannot parse the outcome {quoted(piece)}; it should look like 70-100=W or 50=D")
        if named[low : high + 1].any():
            raise GdlError(f"the outcome {quoted(piece)} names a goal that was named before")
        named[low : high + 1] = True
        classes[low : high + 1] = CLASS_NAMES.index(match[3].upper())
    return classes


class TurnGame:
    """A game for two who take turns, ready for learning; not for two threads at once.

    `outcomes` declares which goals count as won, lost and drawn; see `parse_outcomes`.

    >>> from heartlab.ggp import load_game
    >>> game = TurnGame(load_game("nim"))
    >>> rewards, _ = learn(game, Settings(opponent=Opponent.RANDOM), matches=2000, seed=1)
    >>> bool(rewards[-200:].mean() > rewards[:200].mean())
    True

    Raises:
        GdlError: the game is not of that kind, or did not ground.
    """

    def __init__(self, machine: Machine, outcomes: str = "") -> None:
        if not isinstance(machine, NetworkMachine):
            raise GdlError(f"{machine.name}: learning needs the network, but it is {machine.note}")
        if len(machine.roles) != 2:
            raise GdlError(f"{machine.name}: learning needs a game for two, not {len(machine.roles)}")
        if machine.is_terminal(machine.initial):
            raise GdlError(f"{machine.name}: there is nothing to learn: the game is over before it begins")
        if machine.has_percepts or RANDOM_ROLE in machine.roles:
            raise GdlError(f"{machine.name}: learning needs a game without chance and hidden information")
        self.machine = machine
        self.classes = parse_outcomes(outcomes)
        self.idle = self._waiting_moves()
        self.board: Board = self._empty(FIRST_ROOM)
        self.memory: Memory = make_memory(FIRST_ROOM)
        self.theirs: Memory = make_memory(1)
        self.features: Features = no_features()
        self.stack: Stack = make_stack(len(self.board.rules.moves))

    def _waiting_moves(self) -> npt.NDArray[np.bool_]:
        """The moves that are a player's only one while the other has a choice: not its turn."""
        machine, dice = self.machine, np.random.default_rng(0)
        idle = np.zeros(len(machine.network.net.legal), bool)
        state, games = machine.initial, 0
        for _ in range(PROBES):
            if games == PROBE_GAMES:
                break
            if machine.is_terminal(state):
                state, games = machine.initial, games + 1
                continue
            moves = machine.legal_moves(state)
            if len(moves[0]) > 1 and len(moves[1]) > 1:
                raise self._not_in_turns()
            for player in (0, 1):
                if len(moves[1 - player]) > 1:
                    idle[machine.move_number(player, moves[player][0])] = True
            state = machine.next(state, [own[dice.integers(len(own))] for own in moves])
        return idle

    def _not_in_turns(self) -> GdlError:
        return GdlError(f"{self.machine.name}: learning needs a game in which players take turns")

    def run(self, settings: Settings, features: Features | None = None) -> Run:
        """What kernels work with, besides the board."""
        return Run(settings.numbers(), self.features if features is None else features, self.memory, self.stack)

    @property
    def is_ok(self) -> bool:
        """Whether exploring the game had no problem; else `make_room` is due."""
        return int(self.board.graph.used[2]) == OK

    def prepare(self, settings: Settings) -> None:
        """Forget the run before, and the explored positions if they fill half of a large board."""
        room = len(self.board.graph.nodes)
        if room >= MOST_ROOM // 4 and 2 * self.board.graph.used[0] > room:
            self.forget()
        clear_memory(self.memory)
        clear_memory(self.theirs)
        if settings.opponent == Opponent.ADAPTIVE and len(self.theirs.visits) < room:
            self.theirs = make_memory(room)

    def forget(self) -> None:
        """Forget the explored positions; nothing may have been learned of them."""
        self.board = self._empty(len(self.board.graph.nodes))

    def _empty(self, room: int) -> Board:
        network = self.machine.network
        return make_board(network.net, self.idle, self.classes, network.literals, room)

    def make_room(self) -> None:
        """Four times as much room as before; what was learned and explored stays.

        Raises:
            GdlError: the problem was not room (players have a choice at the same time, or none at all), or there are
                too many positions.
        """
        graph = self.board.graph
        status, graph.used[2] = graph.used[2], OK
        if status == SIMULTANEOUS:
            raise self._not_in_turns()
        if status == STUCK:
            raise GdlError(f"{self.machine.name}: a player has no legal move in a state that is not terminal")
        room = 4 * len(graph.nodes)
        if room > MOST_ROOM:
            raise GdlError(f"{self.machine.name}: learning had to stop: there are too many positions to keep")
        self.board = enlarge_board(self.board, room)
        self.memory = enlarge_memory(self.memory, room)
        if len(self.theirs.visits) > 1:
            self.theirs = enlarge_memory(self.theirs, room)


def generators(seed: int, run: int) -> npt.NDArray[np.uint64]:
    """Separate random streams for the learner and its opponent, the same for all learners of a run."""
    return np.random.default_rng([seed, run]).integers(0, 2**63, size=(2, 1)).astype(np.uint64)


def learn(
    game: TurnGame, settings: Settings, matches: int, seed: int = 0, run: int = 0, model: FeatureModel | None = None
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """One run: the reward of each match, and what the opponent's moves were like (see `opponents.watch`).

    What was learned is in `game.memory` until the next run, and the features that it began with in `game.features`,
    along with what it came to believe about its opponent.

    Raises:
        GdlError: a learner that needs a model has none, the model does not know the opponent, a setting is out of
            range, or the game cannot be learned.
    """
    settings.check()
    features = no_features()
    if settings.learner in (Learner.TRANSFER, Learner.HABITS):
        if model is None:
            raise GdlError(f"the learner {settings.learner.text} needs a model of features")
        settings = settings._replace(recall=settings.recall or model.recall)
        features = model.features_against(None if settings.recognise else settings.opponent.text)
    rewards = np.zeros(matches, np.float32)
    game.features = features
    while True:
        game.prepare(settings)
        features.evidence[:] = 0.0
        rngs, counts = generators(seed, run), np.zeros((3, KINDS))
        played = learn_matches(game.board, game.run(settings, features), game.theirs, rngs, counts, rewards)
        if played == matches:
            return rewards, counts[:2]
        game.make_room()


@dataclass(frozen=True)
class Window:
    """The mean reward over some matches; the error and the interval are over runs, None if there is only one."""

    first: int
    last: int
    mean: float
    standard_error: float | None
    ci95: list[float] | None


@dataclass(frozen=True)
class Learned:
    """The result of several runs."""

    game: str
    learner: str
    opponent: str
    reading: str
    matches: int
    runs: int
    seed: int
    mean: float
    windows: list[Window]
    matches_per_second: float

    def to_dict(self) -> dict[str, object]:
        """The values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = []
        for window in self.windows:
            spread = "" if window.standard_error is None else f" ± {window.standard_error:.2f} (s.e.)"
            lines.append(f"matches {window.first:>5} to {window.last:>5}: {window.mean:6.2f}{spread}")
        return "\n".join([*lines, f"{self.matches_per_second:,.0f} learning matches per second"])


def learn_runs(
    game: TurnGame,
    settings: Settings,
    matches: int,
    runs: int,
    seed: int = 0,
    model: FeatureModel | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> Learned:
    """Several independent runs: mean rewards over windows of matches, with standard errors and 95 % intervals.

    All runs begin with the same model: another model from the same source may do better or worse. `tell` is called
    after each run with the number of finished runs.
    """
    learn(game, settings, 1, seed, 0, model)
    rewards = np.zeros((runs, matches), np.float32)
    begun = time.perf_counter()
    for run in range(runs):
        rewards[run] = learn(game, settings, matches, seed, run, model)[0]
        tell(run + 1)
    taken = time.perf_counter() - begun
    edges = sorted({edge for edge in (*WINDOWS, matches) if edge <= matches})
    windows = []
    for first, last in itertools.pairwise(edges):
        found = estimate(rewards[:, first:last].mean(axis=1, dtype=np.float64))
        error, interval = (found.se, list(found.ci95)) if runs > 1 else (None, None)
        windows.append(Window(first + 1, last, found.mean, error, interval))
    return Learned(
        game=game.machine.name,
        learner=settings.learner.text,
        opponent=settings.opponent.text,
        reading=settings.reading.text,
        matches=matches,
        runs=runs,
        seed=seed,
        mean=float(rewards.mean()),
        windows=windows,
        matches_per_second=matches * runs / taken,
    )
