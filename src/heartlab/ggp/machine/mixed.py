"""A game that did not ground as a whole: what did runs on a network, and the prover answers the rest.

A state is the network's state and the facts that only the prover knows. The prover is asked about all facts together.
"""

from __future__ import annotations

from collections.abc import Sequence

from heartlab.ggp.gdl.terms import Term
from heartlab.ggp.machine.base import Facts, Machine, State
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.machine.parts import LEGAL, Part, Parts
from heartlab.ggp.machine.prover import Prover


class MixedMachine(Machine):
    """Runs a partly grounded game.

    >>> from heartlab.ggp import read_game
    >>> from heartlab.ggp.machine.load import split_machine
    >>> machine = split_machine(read_game("nim"), {("goal", 2)})
    >>> state = machine.next(machine.initial, [("leave", "d", "0"), "wait"])
    >>> ("holds", "d", "0") in machine.facts(state), machine.by_network, machine.by_prover
    (True, ['facts of holds', 'facts of turn', 'legal', 'terminal'], ['goal'])
    """

    kind = "mixed"

    def __init__(self, network: NetworkMachine, prover: Prover, parts: Parts, left: frozenset[Part]) -> None:
        """A machine; `left` are the parts of which the network knows nothing, and `prover` has the rules of these."""
        self.name, self.roles = network.name, network.roles
        self.network, self.prover, self.parts, self.left = network, prover, parts, left
        self.proves_facts = bool(left & parts.facts)
        self._known: tuple[State, Facts] = (None, frozenset())

    @property
    def by_network(self) -> list[str]:
        """What play asks of the network, in words."""
        return self.parts.names(self.parts.known - self.left)

    @property
    def by_prover(self) -> list[str]:
        """What play asks of the prover, in words."""
        return self.parts.names(self.left)

    def fork(self) -> Machine:
        network, prover = self.network.fork(), self.prover.fork()
        assert isinstance(network, NetworkMachine)
        assert isinstance(prover, Prover)
        twin = MixedMachine(network, prover, self.parts, self.left)
        twin.note, twin.fingerprint = self.note, self.fingerprint
        return twin

    @property
    def initial(self) -> State:
        return self.network.initial, self._own(self.prover.facts(self.prover.initial))

    def facts(self, state: State) -> Facts:
        if state != self._known[0]:
            bits, others = _parted(state)
            self._known = state, self.network.facts(bits) | others
        return self._known[1]

    def state_of(self, facts: Facts) -> State:
        others = self._own(facts)
        return self.network.state_of(facts - others), others

    def legal(self, state: State, player: int) -> list[Term]:
        if LEGAL in self.left:
            return self.prover.legal(self.facts(state), player)
        return self.network.legal(_parted(state)[0], player)

    def next(self, state: State, moves: Sequence[Term]) -> State:
        bits, others = _parted(state)
        if self.proves_facts:
            others = self._own(self.prover.facts(self.prover.next(self.facts(state), moves)))
        return self.network.next(bits, self._moves(moves)), others

    def is_terminal(self, state: State) -> bool:
        if "terminal" in self.left:
            return self.prover.is_terminal(self.facts(state))
        return self.network.is_terminal(_parted(state)[0])

    def goal_values(self, state: State, player: int) -> list[int]:
        if ("goal", 2) in self.left:
            return self.prover.goal_values(self.facts(state), player)
        return self.network.goal_values(_parted(state)[0], player)

    def sees(self, state: State, moves: Sequence[Term], player: int) -> list[Term]:
        if ("sees", 2) in self.left:
            return self.prover.sees(self.facts(state), moves, player)
        return self.network.sees(_parted(state)[0], self._moves(moves), player)

    @property
    def has_percepts(self) -> bool:
        return self.prover.has_percepts

    def _moves(self, moves: Sequence[Term]) -> Sequence[Term]:
        """The moves that the network knows: all or none."""
        return () if LEGAL in self.left else moves

    def _own(self, facts: Facts) -> Facts:
        """The facts that only the prover knows."""
        if not self.proves_facts:
            return frozenset()
        return frozenset(fact for fact in facts if self.parts.of(("true", fact)) in self.left)


def _parted(state: State) -> tuple[State, Facts]:
    assert isinstance(state, tuple)
    return state[0], state[1]
