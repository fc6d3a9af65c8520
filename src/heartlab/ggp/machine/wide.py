"""A network as many games side by side need it: gates of any number of inputs, in runs of the same shape.

The network has a gate for two inputs and keeps every value with its negation. Side by side a value is a wide row, and
moving rows costs more than combining them. So here

- a conjunction whose parts nothing else uses, or few others, is one gate: its parts are never written down;
- a row is kept either as the gate says or negated, as it is asked for more often; a gate says how many of its inputs
  are taken as they are, how many negated, and whether the result is negated;
- gates of the same shape stand together in runs, so that the interpreter decides once for a run what to do.

Row 0 is false, then come the propositions, the moves and the registers of cycles with the numbers that they have as
nodes of the network, then a row that is true, then the gates.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.ggp.machine.gates import FALSE, TRUE
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL, Net

STORING = 2
"""What writing a gate down costs, in inputs: it is rather computed again by all who use it if that is cheaper."""

Rows = npt.NDArray[np.uint32]


class Wide(NamedTuple):
    """A network for the kernels that play many games side by side. Everything is a row, or a number of something."""

    inputs: Rows  # the inputs of all gates; those of a gate that are negated come last
    runs: npt.NDArray[np.int64]  # [runs, 6] see RUN
    blocks: Rows  # [blocks, 4] first and last+1 run, first and last+1 register
    sections: Rows  # [6] first block of each section, and the end
    registers: Rows  # [registers, 2] register, its new value
    rows: int  # how many there are
    bases: int  # number of propositions of a state: rows 1 ... bases
    first_move: int  # move m is row first_move + m
    true: int  # the row that is always true
    legal: Rows  # [moves]
    role_moves: Rows  # [roles + 1] first move of each role, and the end
    following: Rows  # [bases] each proposition in the next state
    terminal: int
    goals: Rows  # [goals, 3] role, value, row


FIRST_ROW, LENGTH, FIRST_INPUT, PLAIN, NEGATED, FLIPPED = range(6)
"""The columns of a run: its first row, its gates, where their inputs begin; inputs of a gate that are taken as they
are, and those that are negated; whether the result is negated."""


class _Widener:
    """Puts the gates of a network together. Literals are those of the network."""

    def __init__(self, net: Net) -> None:
        self.net, self.first_gate = net, net.first_gate
        self.pairs: list[list[int]] = net.pairs.tolist()
        self.block_of: list[int] = [0] * len(self.pairs)
        self.cyclic: list[bool] = []
        for number, (start, end, first, last) in enumerate(net.blocks.tolist()):
            self.block_of[start:end] = [number] * (end - start)
            self.cyclic.append(last > first)
        self.asked = self._asked()
        """Literals that are asked for as rows, by section; new values of registers with those of their section."""
        self.plain, self.negated = self._count_uses()
        self.bodies: list[list[int]] = []
        for gate in range(len(self.pairs)):
            self.bodies.append(self._body(gate))

    def _asked(self) -> list[list[int]]:
        net = self.net
        asked = [[int(net.terminal)], net.legal.tolist(), net.goals[:, 2].tolist(), net.following.tolist()]
        for section, wanted in enumerate(asked):
            for block in net.blocks[net.sections[section] : net.sections[section + 1]].tolist():
                wanted += net.registers[block[2] : block[3], 1].tolist()
        return asked

    def _count_uses(self) -> tuple[Counter[int], Counter[int]]:
        """How often each node is used as it is, and how often negated, by what is asked for."""
        plain, negated = Counter[int](), Counter[int]()
        self.kept = {literal >> 1 for wanted in self.asked for literal in wanted}
        """Nodes that are asked for."""
        for gate in range(len(self.pairs) - 1, -1, -1):
            node = self.first_gate + gate
            if node in self.kept or plain[node] or negated[node]:
                for literal in self.pairs[gate]:
                    (negated if literal & 1 else plain)[literal >> 1] += 1
        return plain, negated

    def _body(self, gate: int) -> list[int]:
        """The inputs of a gate; those of its parts in the place of parts that are not worth a row."""
        found: dict[int, None] = {}
        for literal in self.pairs[gate]:
            part = (literal >> 1) - self.first_gate
            if part >= 0 and not literal & 1 and self._is_inlined(part, self.block_of[gate]):
                found.update(dict.fromkeys(self.bodies[part]))
            else:
                found[literal] = None
        return list(found)

    def _is_inlined(self, part: int, block: int) -> bool:
        node, own = self.first_gate + part, self.block_of[part]
        if node in self.kept or self.negated[node] or (own != block and (self.cyclic[own] or self.cyclic[block])):
            return False
        uses, size = self.plain[node], len(self.bodies[part])
        return uses == 1 or size * uses <= size + STORING + uses

    def needed(self) -> list[bool]:
        """Which gates are written down."""
        found = [self.first_gate + gate in self.kept for gate in range(len(self.pairs))]
        for gate in range(len(self.pairs) - 1, -1, -1):
            if found[gate]:
                for literal in self.bodies[gate]:
                    if literal >> 1 >= self.first_gate:
                        found[(literal >> 1) - self.first_gate] = True
        return found


class _Layout:
    """Gives rows to gates, and writes down their runs."""

    def __init__(self, widener: _Widener) -> None:
        self.widener = widener
        self.true = widener.first_gate
        self.rows = self.true + 1
        self.row_of: dict[int, int] = {node: node for node in range(widener.first_gate)}
        self.flipped: set[int] = self._flipped()
        self.copies: dict[int, int] = {FALSE: FALSE, TRUE: self.true}
        """The rows of literals that are asked for although their nodes are kept the other way."""
        self.lasting = self.copies
        self.inputs: list[int] = []
        self.runs: list[tuple[int, ...]] = []

    def _flipped(self) -> set[int]:
        """The nodes whose rows are negated: as they are asked for, or else used more often."""
        widener = self.widener
        wants: dict[int, int] = {}
        for wanted in widener.asked:
            for literal in wanted:
                if literal >> 1 >= widener.first_gate:
                    wants.setdefault(literal >> 1, literal & 1)
        used = {node for node, uses in widener.negated.items() if uses > widener.plain[node]}
        inner = {node for node in used - wants.keys() if node >= widener.first_gate}
        return inner | {node for node, flip in wants.items() if flip}

    def row(self, literal: int) -> int | None:
        """The row of a literal that is asked for; None if there is only that of its negation."""
        node = literal >> 1
        if literal in self.copies:
            return self.copies[literal]
        return self.row_of[node] if (literal & 1) == (node in self.flipped) else None

    def put_gates(self, gates: list[int]) -> tuple[int, int]:
        """Write down gates of one block in runs; the first of the runs and the one behind the last."""
        first, first_gate, bodies = len(self.runs), self.widener.first_gate, self.widener.bodies
        shapes = {gate: self._shape(gate) for gate in gates}
        users: dict[int, list[int]] = {gate: [] for gate in gates}
        missing: dict[int, int] = {}
        ready: dict[tuple[int, int, int], list[int]] = {}
        for gate in gates:
            behind = [part for one in bodies[gate] if (part := (one >> 1) - first_gate) in users]
            missing[gate] = len(behind)
            for part in behind:
                users[part].append(gate)
            if not behind:
                ready.setdefault(shapes[gate], []).append(gate)
        while ready:
            # the shape of most gates whose inputs are there, and all of that shape that become ready on the way
            shape = max(ready, key=lambda shape: len(ready[shape]))
            run = ready.pop(shape)
            for gate in run:
                for user in users[gate]:
                    missing[user] -= 1
                    if not missing[user]:
                        (run if shapes[user] == shape else ready.setdefault(shapes[user], [])).append(user)
            self._put_run(shape, [(first_gate + gate, bodies[gate]) for gate in run])
        return first, len(self.runs)

    def put_copies(self, literals: list[int]) -> tuple[int, int]:
        """Write down literals that are asked for and have no row; the first and the one behind the last run."""
        first = len(self.runs)
        missing = [literal for literal in dict.fromkeys(literals) if self.row(literal) is None]
        if missing:
            start = self.rows
            self.runs.append((start, len(missing), len(self.inputs), 0, 1, 0))
            self.inputs += [self.row_of[literal >> 1] for literal in missing]
            self.copies.update({literal: start + place for place, literal in enumerate(missing)})
            self.rows += len(missing)
        return first, len(self.runs)

    def forget_copies(self, section: int) -> None:
        """After a section: only the copies of the first one are there for others, which may be evaluated without it."""
        if section == TERMINAL:
            self.lasting = dict(self.copies)
        self.copies = dict(self.lasting)

    def _is_negated(self, literal: int) -> bool:
        return (literal & 1) != (literal >> 1 in self.flipped)

    def _shape(self, gate: int) -> tuple[int, int, int]:
        body = self.widener.bodies[gate]
        negated = sum(self._is_negated(literal) for literal in body)
        return len(body) - negated, negated, int(self.widener.first_gate + gate in self.flipped)

    def _put_run(self, shape: tuple[int, int, int], gates: list[tuple[int, list[int]]]) -> None:
        self.runs.append((self.rows, len(gates), len(self.inputs), *shape))
        for node, body in gates:
            self.row_of[node] = self.rows
            self.rows += 1
            ordered = sorted(body, key=lambda literal: (self._is_negated(literal), self.row_of[literal >> 1]))
            self.inputs += [self.row_of[literal >> 1] for literal in ordered]


def make_wide(net: Net) -> Wide:
    """A network as many games side by side need it."""
    widener = _Widener(net)
    layout, needed = _Layout(widener), widener.needed()
    blocks: list[tuple[int, int, int, int]] = []
    sections, registers = [0], []
    rows: list[list[int | None]] = []
    for section in (TERMINAL, MOVES, GOALS, NEXT):
        for start, end, first, last in net.blocks[net.sections[section] : net.sections[section + 1]].tolist():
            runs = layout.put_gates([gate for gate in range(start, end) if needed[gate]])
            renewed = net.registers[first:last].tolist()
            copies = layout.put_copies([new for _, new in renewed])
            blocks.append((runs[0], copies[1], first, last))
            registers += [(node, layout.row(new)) for node, new in renewed]
        copies = layout.put_copies(widener.asked[section])
        if copies[1] > copies[0]:
            blocks.append((*copies, len(net.registers), len(net.registers)))
        sections.append(len(blocks))
        rows.append([layout.row(literal) for literal in widener.asked[section]])
        layout.forget_copies(section)

    goals = [(role, value, row) for (role, value, _), row in zip(net.goals.tolist(), rows[GOALS], strict=False)]
    return Wide(
        inputs=np.array(layout.inputs, np.uint32),
        runs=np.array(layout.runs, np.int64).reshape(-1, 6),
        blocks=np.array(blocks, np.uint32).reshape(-1, 4),
        sections=np.array(sections, np.uint32),
        registers=np.array(registers, np.uint32).reshape(-1, 2),
        rows=layout.rows,
        bases=net.bases,
        first_move=1 + net.bases,
        true=layout.true,
        legal=np.array(rows[MOVES][: len(net.legal)], np.uint32),
        role_moves=net.role_moves,
        following=np.array(rows[NEXT][: net.bases], np.uint32),
        terminal=rows[TERMINAL][0] or FALSE,
        goals=np.array(goals, np.uint32).reshape(-1, 3),
    )
