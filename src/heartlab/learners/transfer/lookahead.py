"""Look-ahead by some plies: the shape of the tree below a position, and the values that searches give it.

Every node is won (W), lost (L), drawn (D) or goes on (N), for the learner. A node that goes on counts only by the set
of its successors' classes, so nothing of the game is left in a shape: `{L, N{W,N}}` says that they can win at once, or
else we may win next. Shapes of two plies are the features of Banerjee and Stone. A shape is a feature only if some node
in it is decided.

A learner that recalls uses what it has learned at the leaves: where the look-ahead stops at a position whose value is
known, the node counts as good (G) or bad (B).

A shape is identified by a hash of 64 bits, made from the hashes of its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.hashing import hash_set, hash_word
from heartlab.compiled.jit import kernel
from heartlab.learners.transfer.positions import (
    BAD,
    CLASS,
    COUNT,
    FIRST,
    GOAL,
    GOOD,
    MOVER,
    OPEN,
    Graph,
    expand_position,
)
from heartlab.learners.transfer.settings import MAX_DEPTH
from heartlab.util.errors import quoted

CLASS_NAMES = "WLDNGB"
NO_FEATURE = np.uint64(0)
DEFAULT = 50.0
"""The value of a position of which nothing is known."""
BAND = 10.0
"""How far from that a learned value must lie to count as good or bad."""

MINIMAX, AVERAGE, BEST, HABIT, WEIGHT = range(5)
"""The sums of a look-ahead besides the shape: values where the opponent minimises, moves at random, helps, or moves by
its habits (a weight for each kind of move); and the sum of those weights."""


class Stack(NamedTuple):
    """The depth-first search of a look-ahead, level by level."""

    nodes: npt.NDArray[np.int64]  # [levels]
    edges: npt.NDArray[np.int64]  # [levels] successors that were visited
    words: npt.NDArray[np.uint64]  # [levels, most] different hashes among them
    sizes: npt.NDArray[np.int64]  # [levels] how many there are
    sums: npt.NDArray[np.float64]  # [levels, 5] by MINIMAX and so on


def make_stack(most: int) -> Stack:
    """Room for a look-ahead in a game with at most so many moves."""
    levels = MAX_DEPTH + 1  # the last for the leaves
    return Stack(
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros((levels, most), np.uint64),
        np.zeros(levels, np.int64),
        np.zeros((levels, 5)),
    )


@kernel
def class_word(kind: int) -> Any:
    """The hash of a node without anything below it."""
    return hash_word(np.uint64(kind + 1))


@kernel
def open_level(nodes: Any, stack: Any, level: int, node: int, role: int) -> None:
    """Begin to visit the successors of an expanded node."""
    stack.nodes[level], stack.edges[level], stack.sizes[level] = node, 0, 0
    worst = 0.0 if nodes[node, MOVER] == role else 100.0
    for kind in range(stack.sums.shape[1]):
        stack.sums[level, kind] = 0.0
    stack.sums[level, MINIMAX] = worst


@kernel
def add_word(stack: Any, level: int, word: Any) -> None:
    """Put a hash into the set of a level."""
    words, sizes = stack.words, stack.sizes
    for number in range(sizes[level]):
        if words[level, number] == word:
            return
    words[level, sizes[level]] = word
    sizes[level] += 1


@kernel
def add_sums(sums: Any, ours: bool, count: int, weight: float, worth: Any) -> None:
    """Add one of `count` successors to the sums of a level: we maximise; they do as each sum assumes."""
    if ours:
        for kind in range(WEIGHT):
            sums[kind] = max(sums[kind], worth[kind])
    else:
        sums[MINIMAX] = min(sums[MINIMAX], worth[MINIMAX])
        sums[AVERAGE] += worth[AVERAGE] / count
        sums[BEST] = max(sums[BEST], worth[BEST])
        sums[WEIGHT] += weight
        sums[HABIT] += (worth[HABIT] - sums[HABIT]) * weight / sums[WEIGHT]


@kernel
def look_ahead(
    board: Any, root: int, role: int, depth: int, recall: bool, known: Any, habits: Any, stack: Any
) -> Any:  # fmt: skip
    """The shape below a position that goes on, and four ways to value it, left in `stack.sums[0]`.

    `habits` are the weights by which the opponent chooses moves that win, lose, draw or go on for it. `known` holds
    learned values (below zero: none), which count at the leaves if the learner recalls; else a leaf that goes on is
    worth 50. Returns the hash of the shape, or NO_FEATURE where nothing is decided.
    """
    nodes, edges = board.graph.nodes, board.graph.edges
    sums, leaf = stack.sums, stack.sums[len(stack.sums) - 1]
    level, decided = np.int64(0), False
    if nodes[root, FIRST] < 0:
        expand_position(board, root)
    open_level(nodes, stack, level, root, role)
    while True:
        node = stack.nodes[level]
        ours, count = nodes[node, MOVER] == role, nodes[node, COUNT]
        if stack.edges[level] < count:
            # the next successor: go deeper if it goes on
            child = np.int64(edges[nodes[node, FIRST] + stack.edges[level]])
            stack.edges[level] += 1
            kind = nodes[child, CLASS + role]
            if kind == OPEN and level < depth - 1:
                if nodes[child, FIRST] < 0:
                    expand_position(board, child)
                level += 1
                open_level(nodes, stack, level, child, role)
                continue
            # a leaf: its class and its value
            worth = DEFAULT
            if kind != OPEN:
                worth = np.float64(nodes[child, GOAL + role])
            elif recall and known[child, role] >= 0.0:
                worth = known[child, role]
                kind = GOOD if worth > DEFAULT + BAND else BAD if worth < DEFAULT - BAND else OPEN
            decided |= kind != OPEN
            add_word(stack, level, class_word(kind))
            for number in range(WEIGHT):
                leaf[number] = worth
            add_sums(sums[level], ours, count, habits[nodes[child, CLASS + 1 - role]], leaf)
        else:
            # all successors were visited: the set of their classes becomes one node of the level above
            word = hash_set(stack.words[level], stack.sizes[level])
            if level == 0:
                return word if decided else NO_FEATURE
            level -= 1
            node = stack.nodes[level]
            add_word(stack, level, word)
            add_sums(sums[level], nodes[node, MOVER] == role, nodes[node, COUNT], habits[OPEN], sums[level + 1])


# Shapes as text


def shape_text(graph: Graph, node: int, role: int, depth: int, known: npt.NDArray[np.float64] | None = None) -> str:
    """The shape below an expanded position as text; `known` as in `look_ahead`, None for a learner without recall."""
    first, count = graph.nodes[node, FIRST], graph.nodes[node, COUNT]
    parts = set()
    for child in graph.edges[first : first + count]:
        kind = int(graph.nodes[child, CLASS + role])
        if kind == OPEN and depth > 1:
            parts.add("N" + shape_text(graph, int(child), role, depth - 1, known))
        else:
            value = -1.0 if known is None or kind != OPEN else float(known[child, role])
            recalled = GOOD if value > DEFAULT + BAND else BAD if 0 <= value < DEFAULT - BAND else kind
            parts.add(CLASS_NAMES[recalled])
    return _join(parts)


def _join(parts: set[str]) -> str:
    """The parts of a set in order: classes as in their list, then sets, large ones first."""
    plain = sorted((part for part in parts if len(part) == 1), key=CLASS_NAMES.index)
    deep = sorted((part for part in parts if len(part) > 1), key=lambda part: (-part.count(","), part))
    return "{" + (", " if deep else ",").join(plain + deep) + "}"


ShapeTree = Sequence["tuple[str, ShapeTree]"]
"""The nodes of a set: the class of each, and the nodes below it."""


def parse_shape(text: str) -> ShapeTree:
    """The tree of a shape.

    Raises:
        ValueError: the text is no shape.
    """
    letters = [letter for letter in text if letter not in ", "]
    place = 0

    def read_set(level: int) -> ShapeTree:
        nonlocal place
        nodes: list[tuple[str, ShapeTree]] = []
        if level > MAX_DEPTH or place >= len(letters) or letters[place] != "{":
            raise ValueError
        place += 1
        while place < len(letters) and letters[place] in CLASS_NAMES:
            name = letters[place]
            place += 1
            below = place < len(letters) and letters[place] == "{"
            if below and name != "N":
                raise ValueError
            nodes.append((name, read_set(level + 1) if below else ()))
        if place >= len(letters) or letters[place] != "}" or not nodes:
            raise ValueError
        place += 1
        return tuple(nodes)

    try:
        tree = read_set(1)
        if place != len(letters):
            raise ValueError
    except ValueError:
        raise ValueError(f"{quoted(text)} is not a shape; a shape looks like {{L, N{{W,N}}}}") from None
    return tree


def describe_shape(tree: ShapeTree) -> str:
    """A tree as text.

    >>> describe_shape(parse_shape("{N{N,W},L}"))
    '{L, N{W,N}}'
    """
    return _join({name + (describe_shape(below) if below else "") for name, below in tree})


def shape_word(tree: ShapeTree) -> np.uint64:
    """The hash of a shape, as `look_ahead` computes it."""
    words = {np.uint64(shape_word(below) if below else class_word(CLASS_NAMES.index(name))) for name, below in tree}
    with np.errstate(over="ignore"):
        return np.uint64(hash_set(np.array(sorted(words), np.uint64), len(words)))
