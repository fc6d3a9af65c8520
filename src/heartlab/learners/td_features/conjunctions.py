"""Sets of conjunctions as tries: every node is the AND of the atomic features on its way from the root.

The way to a node goes from its highest atom down to its lowest. A node knows by a mask of two words which atoms lead on
to children; the children of a node lie side by side, in the order of their atoms. So the conjunctions that are active
in a state are found by gathering bits: one instruction says which children of a node are active, and nothing that is
absent from the set is visited. Conjunctions of atoms that exclude each other are not in the trie at all.

A set can be exhaustive (all conjunctions of some orders) or a list. In both cases a node that is only on the way to
others is not *live*: it has no weight.

For kernels a trie is one array of int64: a head of HEAD numbers, then three numbers for each node that can have
children: the two words of its mask, and twice the number of its first child, plus one if it is live. Nodes from
`inner` on have no children and are always live.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, gather, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.learners.td_features.exclusions import exclusive
from heartlab.learners.td_features.features import ATOMS, MAX_ATOMS, AtomError

HEAD = 8
USED_LOW, USED_HIGH, NODES, INNER, EDGE = range(5)
"""Places in the head: the atoms that occur at all, the number of nodes, of those that may have children, and of those
that may have grandchildren."""
RECORD = 3
MAX_ORDER = 8
FRAME = 4
"""Words of a walk's notes about one node: where the children of each word begin, and which of them are active."""
FRAMES = FRAME * (MAX_ORDER + 1)
STACK = FRAMES + 512
"""Words of working memory that a walk needs: its notes, then a list of nodes, two in a word."""
GROUP = 6
"""Nodes that are written at a time."""
SLACK = 1 + MAX_ATOMS + GROUP
"""Room that a list must have beyond the nodes in it: what one step of a walk can write."""
ROOT = 0

Conjunction = tuple[int, ...]
"""Numbers of atoms, ascending."""
Ints = npt.NDArray[np.int64]


# --- building ---


@kernel
def _count_children(low: Any, high: Any) -> int:
    """All children of a level of nodes."""
    total = 0
    for i in range(len(low)):
        total += popcount(low[i]) + popcount(high[i])
    return total


@kernel
def _expand(low: Any, high: Any, allowed: Any, child_low: Any, child_high: Any, atoms: Any) -> None:
    """The children of a level: their atoms, and the masks of what may follow below them.

    `allowed[a]` are the atoms below a that do not exclude it.
    """
    place = 0
    for i in range(len(low)):
        for word in range(2):
            left = low[i] if word == 0 else high[i]
            while left != ZERO:
                atom = lowest(left) + 64 * word
                left &= left - ONE
                atoms[place] = atom
                child_low[place] = low[i] & allowed[atom, 0]
                child_high[place] = high[i] & allowed[atom, 1]
                place += 1


def _allowed(numbers: Iterable[int]) -> npt.NDArray[np.uint64]:
    """For every atom the mask of the lower atoms, among some, that can be true together with it."""
    chosen = sorted(numbers)
    masks = np.zeros((MAX_ATOMS, 2), np.uint64)
    for atom in chosen:
        for lower in chosen:
            if lower < atom and not exclusive(lower, atom):
                masks[atom, lower // 64] |= np.uint64(1 << lower % 64)
    return masks


class Conjunctions:
    """A set of conjunctions. Its nodes, the root left out, are numbered level by level."""

    def __init__(self, low: npt.NDArray[np.uint64], high: npt.NDArray[np.uint64], live: npt.NDArray[np.bool_]) -> None:
        """:param low: for every node, the root first, the mask of its children; `high`: its second word."""
        self.low, self.high, self.live = low, high, live
        counts = np.bitwise_count(low).astype(np.int64) + np.bitwise_count(high)
        self.first = 1 + np.concatenate([[0], np.cumsum(counts)[:-1]])
        """The number of each node's first child."""
        self.nodes = len(low)
        if int(counts.sum()) != self.nodes - 1:
            raise ValueError("the masks do not describe a trie")

    @classmethod
    def exhaustive(cls, numbers: Iterable[int], orders: Iterable[int]) -> Conjunctions:
        """All conjunctions of some atoms that can be active, of these orders."""
        numbers, orders = sorted(numbers), set(orders)
        if not orders or min(orders) < 1 or max(orders) > MAX_ORDER:
            raise AtomError(f"orders {sorted(orders)}: conjunctions have 1 to {MAX_ORDER} atoms")
        allowed = _allowed(numbers)
        root = _words(numbers)
        low, high = [np.array([root[0]], np.uint64)], [np.array([root[1]], np.uint64)]
        live = [np.array([False])]
        for order in range(1, max(orders) + 1):
            count = _count_children(low[-1], high[-1])
            child_low, child_high = np.empty(count, np.uint64), np.empty(count, np.uint64)
            _expand(low[-1], high[-1], allowed, child_low, child_high, np.empty(count, np.int8))
            if order == max(orders):
                child_low[:], child_high[:] = 0, 0
            low.append(child_low)
            high.append(child_high)
            live.append(np.full(count, order in orders))
        return cls(np.concatenate(low), np.concatenate(high), np.concatenate(live))

    @classmethod
    def of(cls, conjunctions: Iterable[Sequence[int]]) -> Conjunctions:
        """Exactly these conjunctions; those that can never be active are left out."""
        wanted: dict[int, Any] = {}
        for atoms in conjunctions:
            chosen = sorted(set(atoms), reverse=True)
            if not 1 <= len(chosen) <= MAX_ORDER:
                raise AtomError(f"a conjunction of {len(chosen)} atoms: 1 to {MAX_ORDER} are possible")
            if any(exclusive(b, a) for a, b in combinations(chosen, 2)):
                continue
            tree = wanted
            for atom in chosen:
                tree = tree.setdefault(atom, {})
            tree[-1] = {}
        low, high, live = [], [], []
        level = [wanted]
        while level:
            following = []
            for tree in level:
                children = sorted(atom for atom in tree if atom >= 0)
                words = _words(children)
                low.append(words[0])
                high.append(words[1])
                live.append(-1 in tree)
                following += [tree[atom] for atom in children]
            level = following
        return cls(np.array(low, np.uint64), np.array(high, np.uint64), np.array(live))

    # --- what is in it ---

    def __len__(self) -> int:
        """The number of conjunctions (live nodes)."""
        return int(self.live.sum())

    @cached_property
    def parents(self) -> npt.NDArray[np.int32]:
        """The parent of every node; -1 for the root."""
        counts = np.bitwise_count(self.low).astype(np.int64) + np.bitwise_count(self.high)
        return np.concatenate([[-1], np.repeat(np.arange(self.nodes), counts)]).astype(np.int32)

    @cached_property
    def last_atoms(self) -> npt.NDArray[np.int8]:
        """The lowest atom of every node; -1 for the root."""
        atoms = np.empty(self.nodes, np.int8)
        atoms[0] = -1
        _expand(
            self.low, self.high, np.zeros((MAX_ATOMS, 2), np.uint64), np.empty(self.nodes, np.uint64),
            np.empty(self.nodes, np.uint64), atoms[1:],
        )  # fmt: skip
        return atoms

    def atoms_of(self, node: int) -> Conjunction:
        """The atoms of a node."""
        atoms = []
        while node != ROOT:
            atoms.append(int(self.last_atoms[node]))
            node = int(self.parents[node])
        return tuple(sorted(atoms))

    def rows(self, nodes: npt.NDArray[Any] | None = None) -> npt.NDArray[np.int8]:
        """Some nodes, or all conjunctions, as rows of atom numbers, ascending, padded with -1."""
        at = np.flatnonzero(self.live) if nodes is None else nodes
        columns: list[npt.NDArray[np.int8]] = []
        while not columns or (at != ROOT).any():
            columns.append(self.last_atoms[at])
            at = np.maximum(self.parents[at], ROOT)
        return np.stack(columns, axis=1)

    def find(self, atoms: Iterable[int]) -> int | None:
        """The node of a conjunction, if it is in the set."""
        node = ROOT
        for atom in sorted(set(atoms), reverse=True):
            words = (int(self.low[node]), int(self.high[node]))
            if not words[atom // 64] >> atom % 64 & 1:
                return None
            below = (words[atom // 64] & ((1 << atom % 64) - 1)).bit_count()
            node = int(self.first[node]) + below + (words[0].bit_count() if atom >= 64 else 0)
        return node if self.live[node] else None

    def __iter__(self) -> Iterator[Conjunction]:
        return (self.atoms_of(int(node)) for node in np.flatnonzero(self.live))

    @cached_property
    def used(self) -> frozenset[int]:
        """The atoms that occur."""
        return frozenset(int(atom) for atom in np.unique(self.last_atoms[1:]))

    @cached_property
    def packed(self) -> Ints:
        """The trie as kernels take it."""
        childless = (self.low == 0) & (self.high == 0)
        inner = self.nodes - int(np.argmin(childless[::-1])) if not childless.all() else 0
        used = _words(self.used)
        array = np.zeros(HEAD + RECORD * inner, np.uint64)
        edge = int(np.searchsorted(self.first[:inner], inner))
        array[: EDGE + 1] = [used[0], used[1], self.nodes, inner, edge]
        body = array[HEAD:].reshape(inner, RECORD)
        body[:, 0], body[:, 1] = self.low[:inner], self.high[:inner]
        body[:, 2] = 2 * self.first[:inner] + self.live[:inner]
        return array.view(np.int64)

    def room(self) -> npt.NDArray[np.uint32]:
        """A list in which every set of active nodes finds room."""
        return np.empty(self.nodes + SLACK, np.uint32)


def _words(numbers: Iterable[int]) -> tuple[int, int]:
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask & (1 << 64) - 1, mask >> 64


def nominal_count(atoms: int, orders: Iterable[int]) -> int:
    """The number of conjunctions as the papers count them: impossible ones included."""
    return sum(comb(atoms, order) for order in orders)


def short_name(atoms: Iterable[int]) -> str:
    """A conjunction by the names of its atoms."""
    return " ∧ ".join(ATOMS[atom].name for atom in atoms)


def describe(atoms: Iterable[int]) -> str:
    """A conjunction in words."""
    return " and ".join(ATOMS[atom].sentence for atom in atoms)


# --- walking ---


@kernel
def sum_active(trie: Any, weights: Any, low: np.uint64, high: np.uint64, stack: Any) -> tuple[float, int]:
    """The sum of the weights of all active conjunctions, and how many there are.

    `trie` is the packed trie as uint64, `stack` working memory of STACK words.
    """
    nodes = stack[FRAMES:].view(np.uint32)
    total = 0.0
    count = 0
    depth = _start(trie, low, high, stack)
    while depth >= 0:
        depth, found = _walk(trie, low, high, stack, depth, nodes)
        total += sum_listed(weights, nodes, found)
        count += found
    return total, count


@kernel
def sum_listed(weights: Any, nodes: Any, count: int) -> float:
    """The sum of the weights of the first nodes of a list, by four sums that do not wait for each other."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    fours = np.uint64(count >> 2)
    for i in range(fours):
        at = i << np.uint64(2)
        first += weights[nodes[at]]
        second += weights[nodes[at + ONE]]
        third += weights[nodes[at + np.uint64(2)]]
        fourth += weights[nodes[at + np.uint64(3)]]
    for i in range(count & ~3, count):
        first += weights[nodes[i]]
    return (first + second) + (third + fourth)


@kernel
def list_active(trie: Any, low: np.uint64, high: np.uint64, stack: Any, out: Any) -> int:
    """Fill `out`, made by :meth:`Conjunctions.room`, with the nodes of all active conjunctions; returns how many."""
    depth = _start(trie, low, high, stack)
    return _walk(trie, low, high, stack, depth, out)[1]


@kernel
def _start(trie: Any, low: np.uint64, high: np.uint64, stack: Any) -> int:
    """Begin a walk; returns its depth, -1 if there is nothing to walk through."""
    if trie[INNER] == ZERO:
        return -1
    _enter(trie, ROOT, low, high, stack, 0)
    return 0


@kernel
def _walk(trie: Any, low: np.uint64, high: np.uint64, stack: Any, depth: int, out: Any) -> tuple[int, int]:
    """Go on with a walk and list the active nodes until `out` is nearly full: the depth where it stopped, -1 at the
    end, and how many nodes are listed.

    Most active nodes have no children. Their parents are gone through in a loop of their own, without notes.
    """
    inner, edge = np.int64(trie[INNER]), np.int64(trie[EDGE])
    wide = trie[USED_HIGH] != ZERO
    room = len(out) - SLACK
    count = 0
    while depth >= 0 and count <= room:
        base = FRAME * depth
        if np.int64(stack[base]) < edge:
            node = _next(stack, base)
            if node < 0:
                depth -= 1
                continue
            out[np.uint64(count)] = node
            count += np.int64(trie[HEAD + RECORD * node + 2] & ONE)
            depth += 1
            _enter(trie, node, low, high, stack, FRAME * depth)
            continue
        for word in range(2):
            start = np.int64(stack[base + word])
            left = stack[base + 2 + word]
            while left != ZERO and count <= room:
                node = start + lowest(left)
                left &= left - ONE
                out[np.uint64(count)] = node
                if node >= inner:
                    count += 1
                    continue
                record = np.uint64(HEAD + RECORD * node)
                mask, last = trie[record], trie[record + np.uint64(2)]
                child = np.int64(last >> ONE)
                count = _put(gather(low, mask), child, out, count + np.int64(last & ONE))
                if wide:
                    count = _put(gather(high, trie[record + ONE]), child + popcount(mask), out, count)
            stack[base + 2 + word] = left
        if count <= room:
            depth -= 1
    return depth, count


@kernel
def _put(left: np.uint64, start: int, out: Any, count: int) -> int:
    """Add the children that `left` marks to a list; returns how many are in it now.

    Nodes are written in groups of fixed size; what is too much is overwritten later. This avoids mispredicted branches.
    Indices are unsigned, so that numba does not check whether they are negative.
    """
    at = np.uint64(count)
    count += popcount(left)
    while True:
        for k in range(GROUP):
            out[at + np.uint64(k)] = start + lowest(left)
            left &= left - ONE
        if left == ZERO:
            return count
        at += np.uint64(GROUP)


@kernel
def _enter(trie: Any, node: int, low: np.uint64, high: np.uint64, stack: Any, base: int) -> None:
    """Note the active children of a node: where each word's children begin, and which of them are active."""
    record = HEAD + RECORD * node
    first = trie[record + 2] >> ONE
    stack[base] = first
    stack[base + 1] = first + np.uint64(popcount(trie[record]))
    stack[base + 2] = gather(low, trie[record])
    stack[base + 3] = gather(high, trie[record + 1])


@kernel
def _next(stack: Any, base: int) -> int:
    """Take the next active child off the notes; -1 if there is none."""
    for word in range(2):
        left = stack[base + 2 + word]
        if left != ZERO:
            stack[base + 2 + word] = left & (left - ONE)
            return np.int64(stack[base + word]) + lowest(left)
    return -1
