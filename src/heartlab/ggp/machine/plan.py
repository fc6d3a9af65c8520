"""The plan of a network for forward dead reckoning: what changes when one value changes.

`simulate` evaluates every gate of a section in every turn. `reckon` follows changes instead, and needs the network the
other way round: for each node the gates that it feeds. Here the two-input gates are put together to gates of any number
of inputs, of which only the number of false ones is counted; a gate holds where that number is zero.

| part | how it is kept |
|---|---|
| counted gates | a count of false inputs; a change of an input adds or takes one |
| dense blocks | evaluated as a whole when one of their inputs changes: atoms in cycles; the goals, at the end only |
| bits | the legal moves of each role and the next state, in words: a change flips a bit |

Whose turn it is would change every move of a role in every turn. So the literal that most legal moves of a role share
is left out of them and becomes the role's guard: it selects by a mask which of the remaining bits count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.ggp.machine.gates import TRUE
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL, Net

MOST_INPUTS = 400
"""Largest conjunction that is put together."""

Numbers = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]


class Shape(IntEnum):
    """The entries of a plan's `shape`."""

    BLOCKS_CELL = 0
    """Where the cells of the cyclic blocks begin: behind those of all nodes that are counted."""
    HEADS = 1
    """Where the heads of the lists begin among the cells."""
    DEPTH = 2
    """Number of levels, each of which has a list."""
    PLAYED = 3
    """Where the nodes of the moves that are played stand among the cells."""
    NEXT_WORD = 4
    """Where the next state begins among the words; the state, and room for one more, come after it."""
    STATE_WORDS = 5
    """Words of a state."""
    TERMINAL = 6
    """The literal of the end of the game."""
    CYCLIC = 7
    """Number of cyclic blocks; the blocks of the goals come after them."""
    BLOCKS = 8
    """Number of dense blocks."""
    COPIED = 9
    """How many cells make up a position; those behind them belong to the goals."""


COUNT, VALUE, LINK, TASK = range(4)
"""The cells of a node: false inputs, value, next node of its list (-1: none, -2: in no list), and what to do when its
count leaves or reaches zero: put it on the list of a level, or, if negative, flip the bit -1 - task; beyond the bits,
put the cyclic block with these cells on its list."""
FIRST_WORD, LAST_WORD, FIRST_NODE, GUARD = range(4)
"""The columns of a plan's `roles`: the words of its moves, the node of the first, the literal of its guard."""


class Plan(NamedTuple):
    """What never changes."""

    wires: Numbers  # [nodes + 1] where the gates that a node feeds stand; then those, as 4 node + (wants it true)
    dense: Numbers  # [4 blocks] first and last+1 gate, first and last+1 register; then gates (3 each), registers (2)
    shape: npt.NDArray[np.int64]  # see Shape
    roles: Numbers  # [roles, 4]
    masks: Words  # [2, words] moves that may be legal where the guard is false, where it is true
    goals: Numbers  # [goals, 3] role, value, literal


class Board(NamedTuple):
    """What changes."""

    cells: Numbers  # [4 (nodes + cyclic blocks)] see COUNT; the heads of the lists; what is played; nodes of the goals
    words: Words  # bits: moves of each role, next state, state, room for a state


class _Planner:
    """Puts gates together and numbers what is left anew. Literals and nodes are those of the network until the end."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.pairs: list[list[int]] = net.pairs.tolist()
        self.registers: list[list[int]] = net.registers.tolist()
        self.cyclic, self.of_goals = self._dense_blocks()
        self.block_of: dict[int, int] = {}
        """The cyclic block of each of its nodes, registers included."""
        for number, block in enumerate(self.cyclic):
            self.block_of.update(dict.fromkeys(self.nodes_of(block), number))
        self.guards, self.sides, self.rests = self._guarded()
        self.uses = self._count_uses()
        self.bodies = self._bodies()

    def _dense_blocks(self) -> tuple[list[list[int]], list[list[int]]]:
        net = self.net
        cyclic, of_goals = [], []
        for section in (TERMINAL, MOVES, NEXT):
            for block in range(net.sections[section], net.sections[section + 1]):
                row = net.blocks[block].tolist()
                if row[3] > row[2]:
                    cyclic.append(row)
        for block in range(net.sections[GOALS], net.sections[GOALS + 1]):
            of_goals.append(net.blocks[block].tolist())
        return cyclic, of_goals

    def nodes_of(self, block: list[int]) -> list[int]:
        """The nodes of a dense block."""
        start, end, first, last = block
        gates = range(self.net.first_gate + start, self.net.first_gate + end)
        return [*(self.registers[number][0] for number in range(first, last)), *gates]

    def behind(self, blocks: Iterable[list[int]]) -> list[int]:
        """The literals that dense blocks read."""
        found: dict[int, None] = {}
        for start, end, first, last in blocks:
            for gate in range(start, end):
                found.update(dict.fromkeys(self.pairs[gate]))
            for number in range(first, last):
                found[self.registers[number][1]] = None
        return list(found)

    def _is_counted(self, literal: int) -> bool:
        """Whether a literal's node is a gate that is counted: neither an input nor in a dense block."""
        return literal >> 1 >= self.net.first_gate and literal >> 1 not in self.block_of

    def _inputs(self, literal: int) -> list[int]:
        return self.pairs[(literal >> 1) - self.net.first_gate]

    # The guards of the moves

    def _conjuncts(self, literal: int) -> set[int]:
        """The literals that all have to hold for a literal, and the gates on the way."""
        found: set[int] = set()
        waiting = [literal]
        while waiting and len(found) < MOST_INPUTS:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                if not one & 1 and self._is_counted(one):
                    waiting += self._inputs(one)
        return found

    def _guarded(self) -> tuple[list[int], list[tuple[int, int]], list[list[int]]]:
        """The guard of each role; of each move if it may be legal without and with it, and what else it needs."""
        net, guards, sides, rests = self.net, [], [], []
        for role in range(len(net.role_moves) - 1):
            legal = net.legal[net.role_moves[role] : net.role_moves[role + 1]].tolist()
            needs = [self._conjuncts(literal) for literal in legal]
            shared = Counter(literal & ~1 for own in needs for literal in own if literal > TRUE)
            guard = max(shared, key=lambda literal: (shared[literal], -literal), default=0)
            guards.append(guard)
            for literal, own in zip(legal, needs, strict=True):
                if guard and guard in own:
                    sides.append((0, 1))
                    rests.append(self._without(literal, guard))
                elif guard and guard ^ 1 in own:
                    sides.append((1, 0))
                    rests.append(self._without(literal, guard ^ 1))
                else:
                    sides.append((1, 1))
                    rests.append([literal])
        return guards, sides, rests

    def _without(self, literal: int, guard: int) -> list[int]:
        """What a literal needs but for one condition; gates that do not need that condition are left whole."""
        if literal == guard:
            return []
        if literal & 1 or not self._is_counted(literal) or guard not in self._conjuncts(literal):
            return [literal]
        found = [one for part in self._inputs(literal) for one in self._without(part, guard)]
        return list(dict.fromkeys(found))

    # Putting gates together

    def _roots(self) -> list[int]:
        """Literals that are asked for themselves."""
        net = self.net
        goals = [int(literal) for _, _, literal in net.goals]
        single = [rest[0] for rest in self.rests if len(rest) == 1]
        blocks = self.behind([*self.cyclic, *self.of_goals])
        inside = {node for block in self.of_goals for node in self.nodes_of(block)}
        asked = [int(net.terminal), *self.guards, *net.following.tolist(), *goals, *single, *blocks]
        return [literal for literal in dict.fromkeys(asked) if literal >> 1 not in inside]

    def _count_uses(self) -> Counter[int]:
        """How often each node is used; twice where it must stay a gate of its own."""
        uses: Counter[int] = Counter()
        waiting: list[int] = []

        def use(literal: int, alone: bool) -> None:
            if self._is_counted(literal):
                if not uses[literal >> 1]:
                    waiting.append(literal)
                uses[literal >> 1] += 2 if alone or literal & 1 else 1

        for literal in self._roots():
            use(literal, alone=True)
        for rest in {frozenset(rest) for rest in self.rests if len(rest) > 1}:
            for literal in rest:
                use(literal, alone=False)
        while waiting:
            for literal in self._inputs(waiting.pop()):
                use(literal, alone=False)
        return uses

    def _flat(self, literals: Iterable[int]) -> list[int]:
        """The inputs of a gate, with the inputs of gates that nothing else uses in their place."""
        found: dict[int, None] = {}
        waiting = list(literals)
        while waiting:
            one = waiting.pop()
            alone = not one & 1 and self._is_counted(one) and self.uses[one >> 1] == 1
            if alone and len(found) + len(waiting) < MOST_INPUTS:
                waiting += self._inputs(one)
            else:
                found[one] = None
        return list(found)

    def _bodies(self) -> dict[int | frozenset[int], list[int]]:
        """The inputs of each counted gate, by its node or, for what a move needs besides its guard, by its literals."""
        found: dict[int | frozenset[int], list[int]] = {}
        waiting = [literal >> 1 for literal in self._roots() if self._is_counted(literal)]
        rests: dict[int | frozenset[int], list[int]] = {
            frozenset(rest): self._flat(rest) for rest in self.rests if len(rest) > 1
        }
        waiting += [literal >> 1 for body in rests.values() for literal in body if self._is_counted(literal)]
        while waiting:
            node = waiting.pop()
            if node not in found:
                found[node] = self._flat(self._inputs(2 * node))
                waiting += [literal >> 1 for literal in found[node] if self._is_counted(literal)]
        ordered: dict[int | frozenset[int], list[int]] = {node: found[node] for node in sorted(found, key=_as_int)}
        return {**ordered, **rests}


def _as_int(key: int | frozenset[int]) -> int:
    assert isinstance(key, int)
    return key


class _Wiring:
    """The nodes of a plan by their new numbers, and what each feeds."""

    def __init__(self, planner: _Planner) -> None:
        self.planner, net = planner, planner.net
        self.numbers: dict[int | frozenset[int], int] = {node: node for node in range(net.first_gate)}
        for block in planner.cyclic:
            for node in planner.nodes_of(block):
                self.numbers.setdefault(node, len(self.numbers))
        self.first_counted = len(self.numbers)
        for key in planner.bodies:
            self.numbers[key] = len(self.numbers)
        self.feeds: list[list[int]] = [[] for _ in self.numbers]
        """For each node the gates that it feeds, as 4 node + (wants it true)."""
        self.counts: list[int] = [1] * self.first_counted + [0] * len(planner.bodies)
        """Inputs that are false when all nodes are; 1 for nodes that are not counted."""
        self.bits: list[list[int]] = [[] for _ in self.numbers]
        self.tasks: list[int] = []
        for key, body in planner.bodies.items():
            for one in body:
                self.feeds[self.numbers[one >> 1]].append(4 * self.numbers[key] + (~one & 1))
                self.counts[self.numbers[key]] += ~one & 1

    def literal(self, one: int) -> int:
        """A literal of the network as one of the plan."""
        return 2 * self.numbers[one >> 1] + (one & 1)

    def feed_bit(self, one: int, bit: int, words: Words) -> None:
        """Let a bit follow a literal; everything begins with all nodes false."""
        self.bits[self.numbers[one >> 1]].append(bit)
        if one & 1:
            words[bit >> 6] |= np.uint64(1 << (bit & 63))

    def feed_move(self, move: int, bit: int, words: Words) -> None:
        """Let a bit follow what a move needs besides its guard."""
        rest = self.planner.rests[move]
        if len(rest) == 1:
            self.feed_bit(rest[0], bit, words)
        elif rest:
            self.bits[self.numbers[frozenset(rest)]].append(bit)
        else:
            self.feed_bit(TRUE, bit, words)

    def finish(self, bits: int) -> int:
        """Make tasks of levels, bits and blocks, and number the nodes of the goals; the number of levels."""
        planner, watched = self.planner, self._watched()
        levels, block_levels = self._levels()
        self.tasks = levels
        feeders: list[tuple[int, int]] = []
        for node, own in enumerate(self.bits):
            if len(own) == 1 and not self.feeds[node] and node >= self.first_counted and node not in watched:
                self.tasks[node] = -1 - own[0]
            else:
                feeders += [(node, -1 - bit) for bit in own]
        first_block = len(self.feeds) + len(feeders)
        for number, block in enumerate(planner.cyclic):
            inside = set(planner.nodes_of(block))
            behind = {one >> 1 for one in planner.behind([block])} - inside
            first_block += len(behind)
            feeders += [(self.numbers[node], number) for node in sorted(behind)]
        for node, task in feeders:
            self.feeds[node].append(4 * len(self.feeds) + 1)
            self.feeds.append([])
            self.counts.append(1)
            self.tasks.append(task if task < 0 else -1 - bits - 4 * (first_block + task))
        self.first_block = first_block
        self.tasks += block_levels
        self.counts += [1] * len(block_levels)
        return max(self.tasks, default=0) + 1

    def number_goals(self, first: int) -> None:
        """Number the nodes of the goals from a number on."""
        for block in self.planner.of_goals:
            for node in self.planner.nodes_of(block):
                if node not in self.numbers:
                    self.numbers[node] = first
                    first += 1
        self.end = first

    def _watched(self) -> set[int]:
        """Nodes whose values are looked at."""
        planner, net = self.planner, self.planner.net
        asked = [int(net.terminal), *planner.guards, *(int(one) for _, _, one in net.goals)]
        asked += planner.behind([*planner.cyclic, *planner.of_goals])
        return {self.numbers[one >> 1] for one in asked if one >> 1 in self.numbers}

    def _levels(self) -> tuple[list[int], list[int]]:
        """The level of each node, and of each cyclic block."""
        planner = self.planner
        found, of_blocks = [0] * len(self.feeds), [0] * len(planner.cyclic)

        def settle_block(number: int) -> None:
            nodes = planner.nodes_of(planner.cyclic[number])
            behind = {one >> 1 for one in planner.behind([planner.cyclic[number]])} - set(nodes)
            of_blocks[number] = 1 + max((found[self.numbers[node]] for node in behind), default=0)
            for node in nodes:
                found[self.numbers[node]] = of_blocks[number]

        starts = [planner.net.first_gate + block[0] for block in planner.cyclic]
        waiting = sorted(range(len(starts)), key=starts.__getitem__)
        for key, body in planner.bodies.items():
            while waiting and (not isinstance(key, int) or starts[waiting[0]] < key):
                settle_block(waiting.pop(0))
            found[self.numbers[key]] = 1 + max((found[self.numbers[one >> 1]] for one in body), default=0)
        for number in waiting:
            settle_block(number)
        return found, of_blocks

    def wires(self) -> Numbers:
        """The array of what each node feeds."""
        starts = len(self.feeds) + 1 + np.cumsum([0, *(len(own) for own in self.feeds)])
        return np.array([*starts, *(gate for own in self.feeds for gate in own)], np.int32)

    def dense(self) -> Numbers:
        """The array of the dense blocks."""
        planner, first_gate = self.planner, self.planner.net.first_gate
        blocks = [*planner.cyclic, *planner.of_goals]
        heads: list[int] = []
        rows: list[int] = []
        for start, end, first, last in blocks:
            heads.append(4 * len(blocks) + len(rows))
            for gate in range(start, end):
                rows += [self.numbers[first_gate + gate], *map(self.literal, planner.pairs[gate])]
            heads += [4 * len(blocks) + len(rows)] * 2
            for number in range(first, last):
                node, new = planner.registers[number]
                rows += [self.numbers[node], self.literal(new)]
            heads.append(4 * len(blocks) + len(rows))
        return np.array([*heads, *rows], np.int32)


def make_plan(net: Net) -> tuple[Plan, Board]:
    """The plan of a network, and a board on which every node is false; `reckon.begin` makes it right."""
    planner = _Planner(net)
    wiring = _Wiring(planner)
    sizes = np.diff(net.role_moves.astype(np.int64)).tolist()
    first_words = np.cumsum([0, *((size + 63) // 64 for size in sizes)]).tolist()
    words = np.zeros(first_words[-1] + 3 * len(net.initial), np.uint64)
    masks = np.zeros((2, first_words[-1]), np.uint64)
    roles, move = [], 0
    for role, size in enumerate(sizes):
        node = 1 + net.bases + move
        roles.append((first_words[role], first_words[role + 1], node, wiring.literal(planner.guards[role])))
        for bit in range(64 * first_words[role], 64 * first_words[role] + size):
            wiring.feed_move(move, bit, words)
            for side in (0, 1):
                masks[side, bit >> 6] |= np.uint64(planner.sides[move][side] << (bit & 63))
            move += 1
    for number, one in enumerate(net.following.tolist()):
        wiring.feed_bit(one, 64 * first_words[-1] + number, words)
    cells, shape = _cells(net, planner, wiring, first_words[-1], 64 * len(words))
    goals = [(role, value, wiring.literal(one)) for role, value, one in net.goals.tolist()]
    plan = Plan(
        wires=wiring.wires(),
        dense=wiring.dense(),
        shape=np.array(shape, np.int64),
        roles=np.array(roles, np.int32).reshape(-1, 4),
        masks=masks,
        goals=np.array(goals, np.int32).reshape(-1, 3),
    )
    return plan, Board(cells, words)


def _cells(net: Net, planner: _Planner, wiring: _Wiring, next_word: int, bits: int) -> tuple[Numbers, list[int]]:
    """The cells of a board on which every node is false, and the shape of its plan."""
    depth = wiring.finish(bits)
    heads = 4 * len(wiring.tasks)
    played = heads + depth
    copied = played + len(net.role_moves) - 1
    wiring.number_goals((copied + 3) // 4)
    cells = np.zeros(4 * wiring.end, np.int32)
    records = cells[:heads].reshape(-1, 4)
    records[:, COUNT], records[:, LINK], records[:, TASK] = wiring.counts, -2, wiring.tasks
    cells[heads:played] = -1
    cyclic = len(planner.cyclic)
    terminal, blocks = wiring.literal(int(net.terminal)), cyclic + len(planner.of_goals)
    first = 4 * wiring.first_block
    return cells, [first, heads, depth, played, next_word, len(net.initial), terminal, cyclic, blocks, copied]
