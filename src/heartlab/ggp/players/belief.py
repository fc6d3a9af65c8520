"""What a player may know of a game with percepts (GDL-II): some states that are consistent with what it saw.

After each turn every state is extended by all joint moves (or some of them, where there are many) that contain the
player's own move, and the successors in which it would have seen what it saw are kept. In a sound GDL-II game a
player's own legal moves are the same in all consistent states, so any of them gives the legal moves.
"""

from __future__ import annotations

import itertools
import random

from heartlab.ggp.gdl.terms import Term
from heartlab.ggp.machine.base import Machine, State

MOST_STATES = 200
MOST_TRIES = 4000


class Belief:
    """States that are consistent with what one player saw."""

    def __init__(self, machine: Machine, player: int, dice: random.Random) -> None:
        self.machine, self.player, self.dice = machine, player, dice
        self.states: list[State] = [machine.initial]

    def update(self, own: Term | None, percepts: tuple[Term, ...]) -> bool:
        """A turn has passed; False, and no change, if no state is consistent with what was seen."""
        wanted = sorted(map(repr, percepts))
        found: dict[State, None] = {}
        tries = 0
        for state in self.states:
            options = [self.machine.legal(state, player) for player in range(len(self.machine.roles))]
            if own in options[self.player]:
                options[self.player] = [own] if own is not None else options[self.player]
            for moves in options:
                self.dice.shuffle(moves)
            for joint in itertools.product(*options):
                tries += 1
                if sorted(map(repr, self.machine.sees(state, joint, self.player))) == wanted:
                    found[self.machine.next(state, joint)] = None
                if tries >= MOST_TRIES or len(found) >= MOST_STATES:
                    break
            if tries >= MOST_TRIES or len(found) >= MOST_STATES:
                break
        if found:
            self.states = list(found)
        return bool(found)

    def state(self) -> State:
        """One of the states, at random."""
        return self.dice.choice(self.states)
