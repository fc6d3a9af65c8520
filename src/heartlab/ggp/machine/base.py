"""The interface of machines: the state machine that a GDL text describes.

There are two machines: the prover (plain, slow, takes any game) and the network (compiled, fast, needs the game
grounded); a third joins the two for games that ground in part. All answer in terms, so players, the manager and the
tests can use any. A state is a hashable value; `facts` shows it as GDL.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Literal, TypeAlias

from heartlab.ggp.gdl.terms import GdlError, Term, show

State: TypeAlias = Hashable
"""A state of a game, in the form of its machine."""
Facts: TypeAlias = frozenset[Term]
"""What holds in a state."""


class GameError(GdlError):
    """The rules do not define something that play needs: a player has no legal move, a goal no value."""


Limit: TypeAlias = Literal["time", "memory", "rules", "terms", "steps"]
"""The limit of a budget that was reached: `terms` grow too large, `steps` are looks at the clock."""


class OutOfBudget(GameError):
    """What the rules ask for takes more time or memory than the budget allows."""

    def __init__(self, message: str, limit: Limit) -> None:
        super().__init__(message)
        self.limit = limit


class Machine(ABC):
    """A game that can be played move by move; roles and moves are terms, players are numbered by role.

    >>> from heartlab.ggp import load_game
    >>> machine = load_game("tictactoe", "prover")
    >>> machine.legal(machine.initial, 0)[0], machine.legal(machine.initial, 1)
    (('mark', '1', '1'), ['wait'])
    >>> state = machine.next(machine.initial, [("mark", "1", "1"), "wait"])
    >>> machine.is_terminal(state), len(machine.legal(state, 1))
    (False, 8)
    """

    name: str
    roles: tuple[Term, ...]
    kind: str
    """Which machine this is: `prover`, `network` or `mixed`."""
    fingerprint: str = ""
    """A hash of the rules."""
    note: str = ""
    """Why this machine was chosen."""

    @property
    @abstractmethod
    def initial(self) -> State:
        """The state in which play begins."""

    @abstractmethod
    def facts(self, state: State) -> Facts:
        """What holds in a state, as terms."""

    @abstractmethod
    def state_of(self, facts: Facts) -> State:
        """The state in which exactly these facts hold."""

    @abstractmethod
    def legal(self, state: State, player: int) -> list[Term]:
        """The legal moves of a player, sorted; empty only where the rules are unsound."""

    @abstractmethod
    def next(self, state: State, moves: Sequence[Term]) -> State:
        """The state after one move of each player, in the order of roles."""

    @abstractmethod
    def is_terminal(self, state: State) -> bool:
        """Whether the game is over."""

    @abstractmethod
    def goal_values(self, state: State, player: int) -> list[int]:
        """All goal values of a player in a state; a sound game has exactly one at its end."""

    @abstractmethod
    def sees(self, state: State, moves: Sequence[Term], player: int) -> list[Term]:
        """What a player perceives of a joint move in a GDL-II game, sorted."""

    @abstractmethod
    def fork(self) -> Machine:
        """A machine for the same game that can be used in another thread."""

    @property
    def has_percepts(self) -> bool:
        """Whether players are told percepts (GDL-II) instead of the moves."""
        return False

    def goal(self, state: State, player: int) -> int:
        """The value of a state for a player.

        Raises:
            GameError: the rules give no value, or several.
        """
        values = self.goal_values(state, player)
        if len(values) != 1:
            found = "no value" if not values else " and ".join(map(str, values))
            raise GameError(f"{self.name}: the goal of {show(self.roles[player])} has {found} in this state")
        return values[0]

    def goals(self, state: State) -> list[int]:
        """The value of a state for every player."""
        return [self.goal(state, player) for player in range(len(self.roles))]

    def legal_moves(self, state: State) -> list[list[Term]]:
        """The legal moves of every player.

        Raises:
            GameError: a player has none.
        """
        found = [self.legal(state, player) for player in range(len(self.roles))]
        for role, moves in zip(self.roles, found, strict=True):
            if not moves:
                raise GameError(f"{self.name}: {show(role)} has no legal move in a state that is not terminal")
        return found

    def playout(self, state: State, dice: random.Random) -> list[int]:
        """Play to the end, every player choosing uniformly; the goals."""
        while not self.is_terminal(state):
            state = self.next(state, [dice.choice(moves) for moves in self.legal_moves(state)])
        return self.goals(state)
