"""A match of a general game between a person and players: frames to step through, and what a tree thinks of a move.

Used by one thread at a time. Only the public interfaces of :mod:`heartlab.ggp` are used; a game whose players see
different things (GDL-II) is refused, because the page shows the whole state.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec import Struct

from heartlab.ggp import GamePlayer, GdlError, Machine, make_game_player
from heartlab.ggp.gdl.terms import RANDOM_ROLE, Term, show
from heartlab.ggp.machine.base import State
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.players.prior import Guide
from heartlab.ggp.players.random import RandomPlayer
from heartlab.ggp.players.tree import Tree
from heartlab.web.gdl_boards import MovePicture, Picture, Shape, draw, draw_move, find_shapes

CHUNK = 64
"""Simulations of a move before the next one has its turn."""
Judge = Callable[[State], tuple[float, int]]
"""The expected goal in a state, and from how many simulations."""
REPLIES = 4
"""Replies of the others that are tried for a move, where all move at once."""


class Mishap(Struct):
    """Something that went wrong with a player in a match of a manager."""

    role: int
    """-1 if it was not a player's."""
    kind: str
    message: str
    drawn: bool
    """Whether the move of the player was drawn at random instead."""


class Frame(Struct):
    """A moment of a match."""

    picture: Picture
    moves: list[str]
    """By role, what was done just before; empty at the beginning."""
    places: list[list[int]]
    """Where on the board that was."""
    legal: list[MovePicture]
    """What the person can do, if there is a choice; nothing at the end."""
    goals: list[int | None] | None
    """By role, at the end; without a number where there is no goal."""
    mishaps: list[Mishap] = []
    """What went wrong on the way to this moment."""


class MoveOpinion(Struct):
    """What the tree thinks of a move: the goal that the person can expect after it, and from how many simulations."""

    text: str
    value: float
    tried: int
    learned: float | None = None
    """What a learner makes of it without a search: the value, and the feature that it has."""
    feature: str = ""


@dataclass(frozen=True)
class Game:
    """A game that is offered: its machine, and its boards."""

    machine: Machine
    shapes: list[Shape]

    @classmethod
    def of(cls, machine: Machine) -> Game:
        """The game of a machine.

        :raises GdlError: if the page may not show it.
        """
        if machine.has_percepts:
            raise GdlError(f"{machine.name}: players see different things in this game, and the page shows all of it")
        if isinstance(machine, NetworkMachine):
            moves = [move for own in machine.network.moves for move in own]
            return cls(machine, find_shapes(machine.network.propositions, moves))
        return cls(machine, find_shapes(*_seen(machine)))

    @property
    def roles(self) -> list[str]:
        """The names of the roles."""
        return [show(role) for role in self.machine.roles]


def _seen(machine: Machine, games: int = 3) -> tuple[set[Term], set[Term]]:
    """Facts and moves of a few random games: what a board may look like where nothing is grounded."""
    dice, facts, moves = random.Random(0), set[Term](), set[Term]()
    deadline = time.monotonic() + 1.0
    for _ in range(games):
        state = machine.initial
        while not machine.is_terminal(state) and time.monotonic() < deadline:
            legal = machine.legal_moves(state)
            facts |= machine.facts(state)
            moves.update(move for own in legal for move in own)
            state = machine.next(state, [dice.choice(own) for own in legal])
    return facts, moves


def draw_frame(facts: Iterable[Term], joint: Iterable[Term], shapes: list[Shape]) -> Frame:
    """A moment with what holds, and the joint move that led to it."""
    done = [draw_move(move, shapes) for move in joint]
    places = [place for move in done for place in (move.source, move.to) if place is not None]
    return Frame(draw(facts, shapes), [move.text for move in done], places, legal=[], goals=None)


@dataclass
class Match:
    """One match, moment by moment."""

    game: Game
    person: int | None
    """The role of the person; None if players play alone."""
    opponent: str
    seconds: float
    seed: int = 0
    machine: Machine = field(init=False)
    players: dict[int, GamePlayer] = field(init=False, default_factory=dict)
    states: list[State] = field(init=False)
    frames: list[Frame] = field(init=False)

    def __post_init__(self) -> None:
        self.machine = self.game.machine.fork()
        self.machine.name = self.game.machine.name
        for number, name in enumerate(self.game.roles):
            if number != self.person:
                player = RandomPlayer(self.seed) if name == RANDOM_ROLE else make_game_player(self.opponent, self.seed)
                self.players[number] = player
                player.begin(self.machine.fork(), number, self.seconds)
        self.states = [self.machine.initial]
        self.frames = [self._frame(None)]

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.frames[-1].goals is not None

    @property
    def awaits_person(self) -> bool:
        """Whether the person has a choice now."""
        return bool(self.frames[-1].legal)

    def step(self, chosen: int | None = None) -> Frame:
        """One joint move: the person's by its number in the last frame, the others' as they choose.

        :raises GdlError: if the person has no such choice.
        """
        state, frame = self.states[-1], self.frames[-1]
        if self.is_over:
            raise GdlError("the match is over")
        if frame.legal and (chosen is None or not 0 <= chosen < len(frame.legal)):
            raise GdlError(f"choose one of the {len(frame.legal)} moves")
        joint: list[Term] = []
        for number in range(len(self.machine.roles)):
            legal = self.machine.legal(state, number)
            if number != self.person:
                joint.append(self.players[number].choose(state, self.seconds))
            else:
                joint.append(legal[chosen or 0])
        self.states.append(self.machine.next(state, joint))
        self.frames.append(self._frame(joint))
        if self.is_over:
            self.close()
        return self.frames[-1]

    def close(self) -> None:
        """Tell the players that the match has ended."""
        for player in self.players.values():
            player.finish(self.states[-1] if self.is_over else None)
            player.close()
        self.players = {}

    def _frame(self, joint: Sequence[Term] | None) -> Frame:
        state, shapes = self.states[-1], self.game.shapes
        over = self.machine.is_terminal(state)
        legal = [] if over or self.person is None else self.machine.legal(state, self.person)
        frame = draw_frame(self.machine.facts(state), joint or (), shapes)
        frame.legal = [draw_move(move, shapes) for move in legal] if len(legal) > 1 else []
        frame.goals = [*self.machine.goals(state)] if over else None
        return frame


def opinion_of(
    game: Game, state: State, player: int, seconds: float, seed: int = 0, guide: Guide | None = None
) -> list[MoveOpinion]:
    """What a search thinks of every legal move of a player, the best first; and what a learner knows of it.

    Each move has its turn, with as many simulations; where there is no network, plain playouts.
    """
    machine, dice = game.machine.fork(), random.Random(seed)
    if machine.is_terminal(state):
        return []
    legal = machine.legal_moves(state)
    after: list[list[State]] = []
    for move in legal[player]:
        replies = [[dice.choice(own) for own in legal] for _ in range(REPLIES)]
        for joint in replies:
            joint[player] = move
        after.append(list(dict.fromkeys(machine.next(state, joint) for joint in replies)))
    sums, tried = [0.0] * len(after), [0] * len(after)
    judge = _tree_judge(machine, player, seed) or _playout_judge(machine, player, dice)
    deadline = time.monotonic() + seconds
    while not tried[-1] or time.monotonic() < deadline:
        for place, states in enumerate(after):
            found = [judge(one) for one in states]
            sums[place] = sum(value for value, _ in found) / len(found)
            tried[place] = sum(count for _, count in found)
    opinions = [
        MoveOpinion(draw_move(move, game.shapes).text, round(value, 1), count, *known)
        for move, value, count, known in zip(
            legal[player], sums, tried, _learned(guide, state, player, len(after)), strict=True
        )
    ]
    return sorted(opinions, key=lambda one: -one.value)


def _learned(guide: Guide | None, state: State, player: int, moves: int) -> list[tuple[float | None, str]]:
    """What a learner knows of each move: its value, and the feature behind it."""
    values = guide.values(state, player).tolist() if guide is not None and moves > 1 else []
    if guide is None or len(values) != moves:
        return [(None, "")] * moves
    rounded = [None if value != value else round(value, 1) for value in values]
    return list(zip(rounded, guide.reasons(state, player), strict=True))


def _tree_judge(machine: Machine, player: int, seed: int) -> Judge | None:
    """The mean goal of a player in a tree that grows with every call; None without a network."""
    if not isinstance(machine, NetworkMachine):
        return None
    tree, rng = Tree(machine.network), np.array([seed + 1], np.uint64)

    def judge(state: State) -> tuple[float, int]:
        if machine.is_terminal(state):
            return float(machine.goal(state, player)), 1
        words = machine.words(state)
        tree.search(words, CHUNK, rng)
        _, mean, tried = tree.best(words, player)
        return 100.0 * mean, tried

    return judge


def _playout_judge(machine: Machine, player: int, dice: random.Random) -> Judge:
    """The mean goal of a player over random playouts."""
    kept: dict[State, tuple[float, int]] = {}

    def judge(state: State) -> tuple[float, int]:
        total, count = kept.get(state, (0.0, 0))
        kept[state] = total + machine.playout(state, dice)[player], count + 1
        return kept[state][0] / kept[state][1], kept[state][1]

    return judge
