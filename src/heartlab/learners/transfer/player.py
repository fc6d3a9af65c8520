"""The learner as a player of matches, here or over the network: `td`, or `td:MODEL` with features from other games.

The protocol gives a player time before each match, so that is when it learns from the match before. In a game for two
who take turns it is the compiled learner itself, fed with the positions that the manager reports: it looks up new
positions by their features, recognises its opponent, and with `save=FILE` writes the features of every game that it
played into a model, with which the next game begins. In other games it keeps a dictionary of values and plays at random
where others have a choice at the same time.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import OrderedDict
from pathlib import Path

import numpy as np

from heartlab.compiled.rng import below_fast, uniform
from heartlab.ggp.gdl.parse import UNNAMED
from heartlab.ggp.gdl.terms import GdlError, Term
from heartlab.ggp.machine.base import Machine, State
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.players.prior import Guide
from heartlab.ggp.players.registry import game_player
from heartlab.learners.transfer.discovery import ShapeSums, add_sums, means_of, shape_sums
from heartlab.learners.transfer.guide import LearnedValues
from heartlab.learners.transfer.kernels import Run, choose_best, first_visit, known_worth, look_up, update
from heartlab.learners.transfer.lookahead import DEFAULT
from heartlab.learners.transfer.models import FeatureModel, check_writable, no_features, profile_of
from heartlab.learners.transfer.opponents import KINDS, believe, watch, weigh
from heartlab.learners.transfer.positions import COUNT, FIRST, MOVER, expand_position, find_position
from heartlab.learners.transfer.settings import Learner, Reading, Settings
from heartlab.learners.transfer.trainer import TurnGame
from heartlab.util.errors import quoted

KEPT_GAMES = 8
"""Games whose positions are kept; of games played longer ago only the features are."""
SURE = 0.9
"""An opponent counts as recognised from this belief on."""


class Knowledge:
    """What an agent has learned, shared by the players of all its matches; take the lock before using it.

    What it saw of opponents and believes of them is shared, too: the protocol does not say who plays, so it assumes
    that all its matches are against one opponent.
    """

    def __init__(self, load: Path | None = None, save: Path | None = None, reading: Reading = Reading.LOOK_UP) -> None:
        self.lock = threading.RLock()
        if save is not None:
            check_writable(save)
        self.save_to = save
        self.model = None if load is None else FeatureModel.load(load)
        self.features = no_features() if self.model is None else self.model.features_against(None)
        known = self.model is not None
        self.settings = Settings(
            learner=Learner.TRANSFER if known else Learner.TERMINAL_ONLY,
            reading=reading,
            recall=self.model is not None and self.model.recall,
            recognise=known,
        )
        self.games: OrderedDict[str, TurnGame] = OrderedDict()
        self.walks: weakref.WeakSet[Walk] = weakref.WeakSet()
        self.folded = ShapeSums()
        """The sums of games that are no longer kept."""
        self.played: list[str] = []
        """The names of the games that are no longer kept."""
        self.plain: OrderedDict[str, dict[tuple[object, ...], float]] = OrderedDict()
        """Values of positions in games that are not for two who take turns, by game."""
        self.waiting: list[tuple[Walk, float]] = []
        self.counts = np.zeros((3, KINDS))

    def game_of(self, machine: Machine) -> TurnGame | None:
        """The game of a machine, with what was learned of it; None if it is not for two who take turns."""
        if not isinstance(machine, NetworkMachine):
            return None
        key = machine.fingerprint
        if key not in self.games:
            try:
                self.games[key] = TurnGame(machine)
            except GdlError:
                return None
        self.games.move_to_end(key)
        self._fold()
        return self.games[key]

    def values_of(self, machine: Machine) -> dict[tuple[object, ...], float]:
        """The values of positions in a game that is not for two who take turns."""
        values = self.plain.setdefault(machine.fingerprint, {})
        self.plain.move_to_end(machine.fingerprint)
        while len(self.plain) > KEPT_GAMES:
            self.plain.popitem(last=False)
        return values

    def _fold(self) -> None:
        """Keep only the features of the games played longest ago, so that memory stays bounded."""
        busy = {id(walk.game) for walk in self.walks}
        old = [key for key, game in list(self.games.items())[:-1] if id(game) not in busy]
        for key in old[: max(0, len(self.games) - KEPT_GAMES)]:
            game = self.games.pop(key)
            add_sums(self.folded, shape_sums(game, self.settings))
            self.played.append(_name(game.machine))

    def learn(self) -> None:
        """Learn from the matches that ended since the last time, and save the model."""
        with self.lock:
            news = bool(self.waiting)
            while self.waiting:
                walk, reward = self.waiting.pop(0)
                walk.learn(reward)
            if news and self.save_to is not None:
                try:
                    self.carried().save(self.save_to)
                except OSError as error:
                    print(f"heartlab: {self.save_to}: not saved: {error.strerror}", file=sys.stderr, flush=True)

    def opponent_name(self) -> str:
        """The name of the opponent: that of a known one, if it is recognised, or a new one."""
        names = list(self.model.features) if self.model is not None else []
        best = int(np.argmax(self.features.belief))
        if names and self.features.belief[best] >= SURE:
            return names[best]
        return f"opponent-{len(names) + 1}"

    def carried(self) -> FeatureModel:
        """The model that it began with, extended by what was learned since, as features against this opponent."""
        base = self.model or FeatureModel([], 0, 1, 0)
        name = self.opponent_name()
        sums = {shape: (value * visits, visits) for shape, (value, visits) in base.features.get(name, {}).items()}
        for game in self.games.values():
            add_sums(sums, shape_sums(game, self.settings))
        add_sums(sums, self.folded)
        played = [*self.played, *(_name(game.machine) for game in self.games.values())]
        fresh = profile_of(self.counts[:2])
        profile = [
            known if seen is None else seen
            for seen, known in zip(fresh, base.profiles.get(name, [None] * KINDS), strict=True)
        ]
        return FeatureModel(
            games=list(dict.fromkeys([*base.games, *played])),
            matches=base.matches,
            runs=base.runs,
            seed=base.seed,
            recall=self.settings.recall,
            features={**base.features, name: means_of(sums)},
            profiles={**base.profiles, name: profile},
        )


def _name(machine: NetworkMachine) -> str:
    """The name of a game; one that came over the network has none, and is named after its rules."""
    return machine.name if machine.name != UNNAMED else f"game-{machine.fingerprint[:8]}"


class Walk:
    """One match of a game for two, as a walk over the numbered positions of a board."""

    def __init__(self, knowledge: Knowledge, game: TurnGame, player: int, seed: int) -> None:
        self.knowledge, self.game, self.player = knowledge, game, player
        self.rng = np.array([seed], np.uint64)
        self.path: list[int] = []
        knowledge.walks.add(self)

    def number(self, state: State) -> int:
        """The number of a position, expanded if it goes on."""
        game = self.game
        while len(game.board.rules.moves) + 1 + game.board.graph.used[0] > len(game.board.graph.nodes):
            game.make_room()
        number = int(find_position(game.board, NetworkMachine.words(state)))
        if game.board.graph.nodes[number, FIRST] < 0 and not game.machine.is_terminal(state):
            expand_position(game.board, number)
            if not game.is_ok:
                game.make_room()
                return self.number(state)
        return number

    def run(self) -> Run:
        """What kernels work with."""
        return self.game.run(self.knowledge.settings, self.knowledge.features)

    def arrive(self, state: State) -> int:
        """Note a position of the match, and the opponent's move that led to it."""
        here = self.number(state)
        graph = self.game.board.graph
        if self.path:
            before = self.path[-1]
            first, count = graph.nodes[before, FIRST], graph.nodes[before, COUNT]
            chosen = np.flatnonzero(graph.edges[first : first + count] == here)
            if len(chosen) and graph.nodes[before, MOVER] != self.player:
                know = self.knowledge
                picked = watch(graph.nodes, graph.edges, before, int(chosen[0]), 1 - self.player, know.counts)
                if picked >= 0:
                    weigh(know.features, know.counts[2], picked)
        self.path.append(here)
        return here

    def choose(self, here: int) -> int:
        """The index of the legal move to play."""
        know, game = self.knowledge, self.game
        graph = game.board.graph
        if graph.nodes[here, MOVER] != self.player:
            return 0
        count, worth = int(graph.nodes[here, COUNT]), np.zeros(len(game.board.rules.moves))
        if uniform(self.rng) < know.settings.epsilon:
            return int(below_fast(self.rng, count))
        while True:
            checks = know.settings.reading != Reading.LITERAL
            known_worth(*game.board.graph[:2], game.memory.values, checks, here, self.player, worth)
            if know.model is not None and know.settings.reading == Reading.LOOK_UP:
                look_up(game.board, self.run(), here, self.player, worth)
            if game.is_ok:
                return int(choose_best(worth, count, self.rng))
            game.make_room()

    def learn(self, reward: float) -> None:
        """Learn from the match, which ended."""
        know, game = self.knowledge, self.game
        recorded = []
        for before, here in zip(self.path[:-1], self.path[1:], strict=True):
            is_own = bool(game.board.graph.nodes[before, MOVER] == self.player)
            if not is_own:
                continue  # own afterstates only, as the paper says
            recorded.append(here)
            if game.memory.values[here, self.player] < 0.0:
                first_visit(game.board, self.run(), here, self.player, is_own)
            game.memory.own[here, self.player] |= is_own and here != self.path[-1]
            if not game.is_ok:
                game.make_room()
        path = np.array(recorded, np.int64)
        update(game.memory, path, len(path), self.player, reward, know.settings.numbers())
        if know.settings.recognise:
            believe(know.features, know.settings.forget)


class TdPlayer(GamePlayer):
    """Plays by what it learned in the matches before.

    >>> from heartlab.ggp import load_game
    >>> machine = load_game("nim", "prover")
    >>> player = TdPlayer(seed=1)
    >>> player.begin(machine, 0, seconds=1)
    >>> player.choose(machine.initial, seconds=1) in machine.legal(machine.initial, 0)
    True
    >>> player.successor(seed=2).knowledge is player.knowledge  # for the next match
    True
    """

    name = "td"
    learns = True

    def __init__(
        self, seed: int = 0, load: str = "", save: str = "", knowledge: Knowledge | None = None,
        reading: Reading = Reading.LOOK_UP,
    ) -> None:  # fmt: skip
        super().__init__(seed)
        self.knowledge = knowledge or Knowledge(Path(load) if load else None, Path(save) if save else None, reading)
        self.walk: Walk | None = None
        self.seen: list[State] = []

    def successor(self, seed: int) -> GamePlayer:
        return TdPlayer(seed, knowledge=self.knowledge)

    def after_crash(self) -> GamePlayer:
        saved = self.knowledge.save_to
        if saved is None or not saved.is_file() or saved.stat().st_size == 0:
            return self
        return TdPlayer(load=str(saved), save=str(saved), reading=self.knowledge.settings.reading)

    def warm_up(self, machine: Machine) -> None:
        """Play a match and learn from it, too: a player that is asked to leave has little time to save."""
        self.knowledge.save_to = None
        self.begin(machine, 0, 1.0)
        state = machine.initial
        while not machine.is_terminal(state):
            moves = [self.choose(state, 0.05), *(moves[0] for moves in machine.legal_moves(state)[1:])]
            state = machine.next(state, moves)
        self.finish(state)
        self.knowledge.learn()
        self.knowledge.carried()

    def begin(self, machine: Machine, player: int, seconds: float) -> None:
        super().begin(machine, player, seconds)
        self.seen, self.walk = [], None
        self.knowledge.learn()
        with self.knowledge.lock:
            game = self.knowledge.game_of(machine)
            if game is not None:
                self.walk = Walk(self.knowledge, game, player, self.dice.getrandbits(63))

    def choose(self, state: State, seconds: float) -> Term:
        if self.walk is None:
            return self._choose_plainly(state)
        with self.knowledge.lock:
            own = self.machine.legal(state, self.player)
            here = self.walk.arrive(state)
            return own[min(self.walk.choose(here), len(own) - 1)]

    def finish(self, state: State) -> None:
        """Keep the match until the next one begins; one that was broken off teaches nothing."""
        super().finish(state)
        if state is None or not self.machine.is_terminal(state):
            return
        with self.knowledge.lock:
            reward = float(self.machine.goal(state, self.player))
            if self.walk is None:
                self._learn_plainly(state, reward)
                return
            self.walk.arrive(state)
            self.knowledge.waiting.append((self.walk, reward))

    def close(self) -> None:
        self.knowledge.learn()

    def make_guide(self, machine: Machine) -> Guide | None:
        """What was learned and carried, for a search; None in games that are not for two who take turns."""
        game = self.knowledge.game_of(machine)
        return None if game is None else LearnedValues(game, self.knowledge.features, self.knowledge.lock)

    # Games that are not for two who take turns

    def _choose_plainly(self, state: State) -> Term:
        self.seen.append(state)
        options = self.machine.legal_moves(state)
        own = options[self.player]
        others_choose = any(len(moves) > 1 for number, moves in enumerate(options) if number != self.player)
        if len(own) == 1 or others_choose or self.dice.random() < self.knowledge.settings.epsilon:
            return self.dice.choice(own)
        with self.knowledge.lock:
            values = self.knowledge.values_of(self.machine)
        worth: dict[Term, float] = {}
        for move in own:
            joint = [move if number == self.player else moves[0] for number, moves in enumerate(options)]
            after = self.machine.next(state, joint)
            known = values.get(self._key(after))
            if known is None:
                known = float(self.machine.goal(after, self.player)) if self.machine.is_terminal(after) else DEFAULT
            worth[move] = known
        best = max(worth.values())
        return self.dice.choice([move for move in own if worth[move] == best])

    def _learn_plainly(self, state: State, reward: float) -> None:
        settings, values = self.knowledge.settings, self.knowledge.values_of(self.machine)
        sequence = [self._key(one) for one in dict.fromkeys([*self.seen[1:], state])]
        values[sequence[-1]] = reward
        following, trace = reward, 0.0
        for key in reversed(sequence):
            value = values.get(key, DEFAULT)
            trace = (following - value) + settings.trace * trace
            following = value
            values[key] = value + settings.alpha * trace

    def _key(self, state: State) -> tuple[object, ...]:
        """Positions are kept as facts: two machines for the same game may number them differently."""
        return self.player, self.machine.facts(state)


@game_player(
    "td",
    "learns from match to match; td:MODEL begins with carried features, save=FILE carries them on, "
    "reading=terminal-check plays by the table alone, as the paper does",
)
def make_td(text: str, seed: int) -> GamePlayer:
    """`td`, `td:MODEL`, with `save=FILE` and `reading=literal`, `terminal-check` or `look-up` (the default)."""
    model, save, reading = "", "", Reading.LOOK_UP
    for piece in filter(None, text.split(",")):
        if piece.startswith("save="):
            save = piece.removeprefix("save=")
        elif piece.startswith("reading="):
            reading = Reading.parse(piece.removeprefix("reading="))
        elif model:
            raise GdlError(
                f"'td:{text}': td takes one model to begin with, save=FILE, reading=NAME, not {quoted(piece)} as well"
            )
        else:
            model = piece
    return TdPlayer(seed, model, save, reading=reading)
