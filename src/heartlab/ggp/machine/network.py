"""From ground rules to a propositional network: arrays of gates in an order in which they can be evaluated.

The network is data that one compiled interpreter runs (`simulate.py`), so no game needs a compilation of its own.
Values are kept per literal: the value of a node and its negation are neighbours, and a gate is one `and`.

Gates are in five sections, each evaluated only when it is needed. Goals use gates of the first section (whether the
game is over); the next state and the percepts use those of the legal moves. The legal moves do not use the first
section if that costs only a few more gates, so that look-ahead can evaluate one without the other
(`moves_need_terminal`).

A section is a list of blocks. In an acyclic block the gates are sorted by level, so that neighbours do not depend on
each other. Atoms in a cycle (a group of stones and its liberties) have registers: their block starts with all registers
false and is evaluated until none of them changes, which is the meaning of recursive rules.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.ggp.gdl.graph import strong_components
from heartlab.ggp.gdl.terms import Term, arguments, brief, functor, functor_name, number_of, sort_text
from heartlab.ggp.machine.gates import FALSE, TRUE, Gates
from heartlab.ggp.machine.grounding import GroundGame, GroundingFailed
from heartlab.ggp.machine.multiplex import share_moves

TERMINAL, MOVES, GOALS, NEXT, PERCEPTS = range(5)
"""The sections: whether the game is over, the legal moves, the goals, the next state, the percepts."""

DUPLICATION = 0.2
"""How much larger a network may become so that the legal moves do not need the section of TERMINAL."""

LARGE_BLOCK, NEIGHBOURS = 20_000, 128
"""A block of more gates does not fit into the caches nearest to the processor: there so many gates that were built one
after the other stay together, so that what they have in common is still near."""

Literals = npt.NDArray[np.uint32]


class Net(NamedTuple):
    """A network for the kernels. Literals index the array of values; moves are numbered role by role."""

    pairs: Literals  # [gates, 2] the inputs of each gate
    first_gate: int  # node number of the first gate
    blocks: Literals  # [blocks, 4] first and last+1 gate, first and last+1 register
    sections: Literals  # [6] first block of each section, and the end
    registers: Literals  # [registers, 2] node of the register, literal of its new value
    bases: int  # number of propositions of a state: nodes 1 ... bases
    legal: Literals  # [moves] literal that says that the move is legal; move m is node 1 + bases + m
    role_moves: Literals  # [roles + 1] first move of each role, and the end
    following: Literals  # [bases] literal of each proposition in the next state
    initial: npt.NDArray[np.uint64]  # [words] the first state, packed
    terminal: int  # literal
    moves_need_terminal: int  # whether TERMINAL must be settled before MOVES
    goals: Literals  # [goals, 3] role, value, literal


@dataclass(frozen=True)
class Network:
    """A network with the names of everything that goes in and out."""

    net: Net
    roles: tuple[Term, ...]
    propositions: tuple[Term, ...]
    moves: tuple[tuple[Term, ...], ...]
    """The moves of each role that can ever be legal."""
    percepts: tuple[tuple[int, Term, int], ...]
    """(role, percept, literal) of everything that can be seen."""
    ground_rules: int

    @property
    def literals(self) -> int:
        """The length of an array of values."""
        return 2 * (self.net.first_gate + len(self.net.pairs))


class _Builder:
    """Builds gates from rules, section by section, block by block."""

    def __init__(
        self, game: GroundGame, inputs: dict[int, int], registers: dict[int, int], size: int, deadline: float
    ) -> None:
        self.game = game
        self.bodies: dict[int, list[list[int]]] = {}
        for head, body in game.rules:
            self.bodies.setdefault(head, []).append(body)
        self.gates = Gates(size, deadline)
        self.literals = {atom: 2 * node for atom, node in (inputs | registers).items()}
        self.register_nodes = registers
        self.built = set(inputs)
        self.blocks: list[tuple[int, int, int, int]] = []
        self.registers: list[tuple[int, int]] = []
        self.first_move = 0
        """The node of the first move."""

    def section(self, terms: list[Term]) -> list[int]:
        """Build everything that some named atoms depend on, and return their literals."""
        self._build([self.game.atoms[term] for term in terms if term in self.game.atoms])
        return [
            TRUE if term in self.game.always else self.literals.get(self.game.atoms.get(term, 0), FALSE)
            for term in terms
        ]

    def fork(self) -> _Builder:
        """A builder that adds to the same gates and blocks, but whose new gates this one will not share."""
        twin = copy(self)
        twin.gates = copy(self.gates)
        twin.gates.known = dict(self.gates.known)
        twin.literals, twin.built = dict(self.literals), set(self.built)
        return twin

    def trial(self) -> _Builder:
        """A fork whose gates and blocks are thrown away."""
        twin = self.fork()
        twin.gates.pairs, twin.gates.level = list(self.gates.pairs), list(self.gates.level)
        twin.blocks, twin.registers = list(self.blocks), list(self.registers)
        return twin

    def _build(self, atoms: list[int]) -> None:
        """Build everything that some atoms depend on and that is not built yet, as blocks."""
        edges: dict[int, list[int]] = {}
        waiting = [atom for atom in atoms if atom not in self.built]
        while waiting:
            atom = waiting.pop()
            if atom not in edges:
                behind = {abs(literal) for body in self.bodies.get(atom, ()) for literal in body}
                edges[atom] = [other for other in behind if other not in self.built]
                waiting += edges[atom]
        start = self.gates.next_node
        for component in strong_components(edges):
            if component[0] in self.register_nodes:
                self._close_block(start)
                self._build_cycle(component)
                start = self.gates.next_node
            else:
                self.literals[component[0]] = self._disjunction(component[0])
            self.built.update(component)
        self._close_block(start)

    def _close_block(self, start: int) -> None:
        if self.gates.next_node > start:
            self.blocks.append((start, self.gates.next_node, len(self.registers), len(self.registers)))

    def _build_cycle(self, component: list[int]) -> None:
        start, first = self.gates.next_node, len(self.registers)
        for atom in component:
            self.registers.append((self.register_nodes[atom], self._disjunction(atom)))
        self.blocks.append((start, self.gates.next_node, first, len(self.registers)))

    def _disjunction(self, atom: int) -> int:
        terms = [self._conjunction(body) for body in self.bodies.get(atom, ())]
        return self.gates.any_of_all([term for term in terms if term is not None])

    def _conjunction(self, body: list[int]) -> frozenset[int] | None:
        """The literals of a body, or None where it cannot hold."""
        literals = {self.literals.get(abs(literal), FALSE) ^ (literal < 0) for literal in body} - {TRUE}
        if FALSE in literals or any(literal ^ 1 in literals for literal in literals):
            return None
        return frozenset(literals)


def _cyclic_atoms(game: GroundGame, inputs: dict[int, int]) -> list[int]:
    """Atoms that depend on themselves.

    Raises:
        GroundingFailed: one of them depends on its own negation.
    """
    edges: dict[int, set[int]] = {}
    negated: dict[int, set[int]] = {}
    for head, body in game.rules:
        edges.setdefault(head, set()).update(abs(literal) for literal in body if abs(literal) not in inputs)
        negated.setdefault(head, set()).update(-literal for literal in body if literal < 0)
    found = []
    for component in strong_components(edges):
        if len(component) > 1 or component[0] in edges.get(component[0], ()):
            members = set(component)
            if any(negated.get(atom, set()) & members for atom in component):
                raise GroundingFailed("some rule of the game depends on its own negation")
            found += component
    return found


def build_network(game: GroundGame, roles: tuple[Term, ...], seconds: float = float("inf")) -> Network:
    """The network of a ground game.

    Raises:
        GroundingFailed: the ground rules are not stratified, or the network is not built within some seconds.
    """
    try:
        return _build_network(share_moves(game), roles, time.monotonic() + seconds)
    except TimeoutError:
        left = f"{max(0.0, seconds):.3g} seconds of the budget were left for it"
        raise GroundingFailed(f"the network of the game was not built in time ({left})", limit="time") from None
    except RecursionError:
        raise GroundingFailed("the rules of the game have too many conditions for a network") from None


class _Names(NamedTuple):
    """The terms that a network is asked for, in the order of its arrays."""

    propositions: tuple[Term, ...]
    moves: tuple[tuple[Term, ...], ...]  # of each role
    numbered: list[tuple[Term, Term]]  # (role, move) of all moves, role by role
    goals: list[Term]
    percepts: list[Term]

    @classmethod
    def of(cls, game: GroundGame, roles: tuple[Term, ...]) -> _Names:
        by_relation: dict[str, list[Term]] = {}
        for atom in sorted((*game.atoms, *game.always), key=sort_text):
            by_relation.setdefault(functor_name(functor(atom)), []).append(atom)
        moves = tuple(
            tuple(arguments(atom)[1] for atom in by_relation.get("legal", ()) if arguments(atom)[0] == role)
            for role in roles
        )
        return cls(
            propositions=tuple(arguments(atom)[0] for atom in by_relation.get("true", ())),
            moves=moves,
            numbered=[(role, move) for role, own in zip(roles, moves, strict=True) for move in own],
            goals=[term for term in by_relation.get("goal", ()) if arguments(term)[0] in roles],
            percepts=[term for term in by_relation.get("sees", ()) if arguments(term)[0] in roles],
        )


def _new_builder(game: GroundGame, names: _Names, deadline: float) -> _Builder:
    """A builder that knows the inputs: the propositions of a state, the moves, and the registers of cycles."""
    first = 1 + len(names.propositions)
    inputs = {game.atoms["true", proposition]: node for node, proposition in enumerate(names.propositions, 1)}
    for node, (role, move) in enumerate(names.numbered, first):
        if ("does", role, move) in game.atoms:
            inputs[game.atoms["does", role, move]] = node
    first_register = first + len(names.numbered)
    registers = {atom: first_register + number for number, atom in enumerate(_cyclic_atoms(game, inputs))}
    builder = _Builder(game, inputs, registers, first_register - 1 + len(registers), deadline)
    for one, other in _opposites(game, names.propositions):
        builder.literals[game.atoms["true", other]] = builder.literals[game.atoms["true", one]] ^ 1
    builder.first_move = first
    for own in names.moves:
        choice = [2 * node for node in range(first, first + len(own))]
        builder.gates.choices.update(dict.fromkeys(choice, choice))
        first += len(own)
    return builder


def _build_network(game: GroundGame, roles: tuple[Term, ...], deadline: float) -> Network:
    names = _Names.of(game, roles)
    propositions = names.propositions
    builder = _new_builder(game, names, deadline)
    role_moves = np.cumsum([0, *(len(own) for own in names.moves)])
    legal_terms: list[Term] = [("legal", role, move) for role, move in names.numbered]
    alone = builder.fork()
    (terminal,) = builder.section(["terminal"])
    sections = [0, len(builder.blocks)]
    goal_builder = builder.fork()
    need = _moves_need_terminal(builder, alone, legal_terms)
    builder = builder if need else alone
    legal = builder.section(legal_terms)
    sections.append(len(builder.blocks))
    _note_turns(builder, legal, names.numbered, role_moves.tolist())
    goal_literals = goal_builder.section(names.goals)
    sections.append(len(builder.blocks))
    following = builder.section([("next", proposition) for proposition in propositions])
    sections.append(len(builder.blocks))
    percept_literals = builder.section(names.percepts)
    sections.append(len(builder.blocks))

    initial = [("init", proposition) in game.always for proposition in propositions]
    pairs, blocks, renamed = _by_level(builder.gates, builder.blocks)
    net = Net(
        pairs=pairs,
        first_gate=builder.gates.first_gate,
        blocks=blocks,
        sections=np.array(sections, np.uint32),
        registers=_rows([(node, renamed(new)) for node, new in builder.registers], 2),
        bases=len(propositions),
        legal=np.array([renamed(one) for one in legal], np.uint32),
        role_moves=role_moves.astype(np.uint32),
        following=np.array([renamed(one) for one in following], np.uint32),
        initial=pack(np.array(initial, bool)),
        terminal=renamed(terminal),
        moves_need_terminal=int(need),
        goals=_rows(
            [
                (roles.index(arguments(term)[0]), _goal_value(arguments(term)[1]), renamed(one))
                for term, one in zip(names.goals, goal_literals, strict=True)
            ],
            3,
        ),
    )
    percepts = tuple(
        (roles.index(arguments(term)[0]), arguments(term)[1], renamed(one))
        for term, one in zip(names.percepts, percept_literals, strict=True)
    )
    return Network(net, roles, propositions, names.moves, percepts, len(game.rules))


def _opposites(game: GroundGame, propositions: tuple[Term, ...]) -> list[tuple[Term, Term]]:
    """Pairs of propositions of which exactly one holds in every state that can be reached: whose turn it is.

    Exactly one of the two holds at first, and each holds next if and only if the other holds now.
    """
    bodies: dict[int, list[list[int]]] = {}
    for head, body in game.rules:
        bodies.setdefault(head, []).append(body)
    facts = {game.atoms["true", proposition]: proposition for proposition in propositions}
    after: dict[Term, Term] = {}
    for proposition in propositions:
        found = bodies.get(game.atoms.get(("next", proposition), 0), [])
        if len(found) == 1 and len(found[0]) == 1 and found[0][0] in facts:
            after[proposition] = facts[found[0][0]]
    return [
        (one, other)
        for one, other in after.items()
        if after.get(other) == one and ("init", one) in game.always and ("init", other) not in game.always
    ]


def _note_turns(builder: _Builder, legal: list[int], numbered: list[tuple[Term, Term]], starts: list[int]) -> None:
    """Tell the gates which moves imply whose turn it is, and which one is the only one when it is not.

    Moves that are played are legal. If a move is legal exactly where a literal holds, and all others of the role only
    where it does not, then it is played exactly where the literal holds.
    """
    gates, first = builder.gates, builder.first_move
    for start, end in pairwise(starts):
        needs = [gates.conjuncts(literal) for literal in legal[start:end]]
        turn = _turn_of(needs)
        if turn is None:
            continue
        number, literal = turn
        for place in range(len(needs)):
            gates.implies[2 * (first + start + place)] = literal if place == number else literal ^ 1
        gates.alias[2 * (first + start + number)] = literal
        atom = builder.game.atoms.get(("does", *numbered[start + number]))
        if atom is not None:
            builder.literals[atom] = literal


def _turn_of(needs: list[set[int]]) -> tuple[int, int] | None:
    """The first move of a role that needs one literal only, while all others need its negation; and that literal.

    :param needs: for each move of the role, the literals that hold where it is legal.
    """
    for number, own in enumerate(needs):
        if len(own) > 1 or len(needs) == 1:
            continue
        (literal,) = own
        if literal > TRUE and all(literal ^ 1 in other for place, other in enumerate(needs) if place != number):
            return number, literal
    return None


def _moves_need_terminal(after: _Builder, alone: _Builder, legal: list[Term]) -> bool:
    """Whether building the legal moves without the gates of the first section would cost too many gates."""
    sizes = []
    for builder in (after, alone):
        trial = builder.trial()
        start = trial.gates.next_node
        trial.section(legal)
        sizes.append(trial.gates.next_node - start)
    return sizes[1] - sizes[0] > DUPLICATION * (sizes[0] + len(after.gates.pairs))


def _rows(rows: list[tuple[int, ...]], width: int) -> Literals:
    return np.array(rows, np.uint32).reshape(-1, width)


def _goal_value(value: Term) -> int:
    number = number_of(value)
    if number is None:
        raise GroundingFailed(f"a goal should be a number from 0 to 100, not {brief(value)}")
    return number


def _by_level(gates: Gates, blocks: list[tuple[int, int, int, int]]) -> tuple[Literals, Literals, Callable[[int], int]]:
    """The gates of each block sorted by level, a large block in parts, and how literals are renamed by that."""
    order = np.arange(gates.next_node)
    for start, end, _, _ in blocks:
        size = NEIGHBOURS if end - start > LARGE_BLOCK else max(1, end - start)
        for first in range(start, end, size):
            last = min(first + size, end)
            order[first:last] = sorted(range(first, last), key=gates.level.__getitem__)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))

    def renamed(literal: int) -> int:
        return 2 * int(place[literal >> 1]) + (literal & 1)

    first = gates.first_gate
    pairs = np.array(gates.pairs, np.uint32).reshape(-1, 2)[order[first:] - first]
    pairs = (2 * place[pairs >> 1] + (pairs & 1)).astype(np.uint32)
    shifted = [(start - first, end - first, low, high) for start, end, low, high in blocks]
    return pairs, np.array(shifted, np.uint32).reshape(-1, 4), renamed


def pack(bits: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    """Bits as words, bit i in place i % 64 of word i // 64; at least one word."""
    padded = np.zeros(64 * max(1, -(-len(bits) // 64)), np.uint8)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)


def unpack(words: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.bool_]:
    """The first bits of packed words."""
    return np.unpackbits(words.view(np.uint8), bitorder="little", count=count).astype(bool)
