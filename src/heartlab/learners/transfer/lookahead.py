"""Look-ahead by some plies: the shape of the little tree below a position, and what searches make of it.

Every node is won (W), lost (L), drawn (D) or goes on (N), for the learner. What lies below a node that goes on counts
only as the set of what its successors are, so nothing of the game is left in a shape: `{L, N{W,N}}` says that they can
win at once, or else we may win next. Two plies give the features of Banerjee and Stone; more plies give deeper sets. A
shape is a feature only if some node in it is decided.

A learner that recalls looks no further but remembers more: where the look-ahead stops at a position whose value it has
learned, the node counts as good (G) or bad (B). So deeper structure is built from what is known about the ends of
shallow trees, without deeper look-ahead.

A shape is a word of 64 bits, made from the words of its parts, so that equal shapes have equal words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.ggp.machine.simulate import GOLDEN, MIX_1, MIX_2, SHIFT_27, SHIFT_30, SHIFT_31
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

CLASS_NAMES = "WLDNGB"
NO_FEATURE = np.uint64(0)
MAX_DEPTH = 6
DEFAULT = 50.0
"""What a position is worth of which nothing is known."""
BAND = 10.0
"""How far from that a learned value must lie to count as good or bad."""

MINIMAX, AVERAGE, BEST, HABIT, WEIGHT = range(5)
"""What `look_ahead` sums up besides the shape: the opponent minimises, moves at random, helps, or moves by its habits
(how much it likes each kind of move); and the sum of these likings."""


class Stack(NamedTuple):
    """Where a look-ahead stands, level by level."""

    nodes: npt.NDArray[np.int64]  # [levels]
    edges: npt.NDArray[np.int64]  # [levels] successors that were looked at
    words: npt.NDArray[np.uint64]  # [levels, most] different words among them
    sizes: npt.NDArray[np.int64]  # [levels] how many there are
    sums: npt.NDArray[np.float64]  # [levels, 5] by MINIMAX and so on


def make_stack(most: int) -> Stack:
    """Room for a look-ahead in a game with at most so many moves."""
    levels = MAX_DEPTH + 1  # the last for what ends the look-ahead
    return Stack(
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros((levels, most), np.uint64),
        np.zeros(levels, np.int64),
        np.zeros((levels, 5)),
    )


@kernel
def mix(word: Any) -> Any:
    """Scatter the bits of a word."""
    word = (word + GOLDEN) * MIX_1
    word = (word ^ (word >> SHIFT_30)) * MIX_2
    return word ^ (word >> SHIFT_31)


@kernel
def class_word(kind: int) -> Any:
    """The word of a node without anything below it."""
    return mix(np.uint64(kind + 1))


@kernel
def set_word(words: Any, size: int) -> Any:
    """The word of a set of different words, in whatever order they come."""
    total = np.uint64(size)
    for number in range(size):
        total += mix(words[number])
    return mix(total ^ (total >> SHIFT_27))


@kernel
def open_level(nodes: Any, stack: Any, level: int, node: int, learner: int) -> None:
    """Begin to look at the successors of an expanded node."""
    stack.nodes[level], stack.edges[level], stack.sizes[level] = node, 0, 0
    worst = 0.0 if nodes[node, MOVER] == learner else 100.0
    for kind in range(stack.sums.shape[1]):
        stack.sums[level, kind] = 0.0
    stack.sums[level, MINIMAX] = worst


@kernel
def add_word(stack: Any, level: int, word: Any) -> None:
    """Put a word into the set of a level."""
    words, sizes = stack.words, stack.sizes
    for number in range(sizes[level]):
        if words[level, number] == word:
            return
    words[level, sizes[level]] = word
    sizes[level] += 1


@kernel
def add_sums(sums: Any, ours: bool, count: int, liking: float, worth: Any) -> None:
    """Take one of `count` successors into the sums of a level: we maximise; they do as each sum has it."""
    if ours:
        for kind in range(WEIGHT):
            sums[kind] = max(sums[kind], worth[kind])
    else:
        sums[MINIMAX] = min(sums[MINIMAX], worth[MINIMAX])
        sums[AVERAGE] += worth[AVERAGE] / count
        sums[BEST] = max(sums[BEST], worth[BEST])
        sums[WEIGHT] += liking
        sums[HABIT] += (worth[HABIT] - sums[HABIT]) * liking / sums[WEIGHT]


@kernel
def look_ahead(
    graph: Any, rules: Any, root: int, learner: int, depth: int, recall: bool, known: Any, habits: Any, stack: Any
) -> Any:
    """The shape below a position that goes on, and four ways to value it, left in `stack.sums[0]`.

    `habits` says how much the opponent likes moves that win, lose, draw or go on for it. `known` holds learned values
    (below zero: none), which count where the look-ahead stops if the learner recalls; else that is worth 50. Returns
    the word of the shape, or NO_FEATURE where nothing is decided.
    """
    nodes, edges, sums, end = graph.nodes, graph.edges, stack.sums, stack.sums[len(stack.sums) - 1]
    level, decided = np.int64(0), False
    if nodes[root, FIRST] < 0:
        expand_position(graph, rules, root)
    open_level(nodes, stack, level, root, learner)
    while True:
        node = stack.nodes[level]
        ours, count = nodes[node, MOVER] == learner, nodes[node, COUNT]
        if stack.edges[level] < count:
            child = np.int64(edges[nodes[node, FIRST] + stack.edges[level]])
            stack.edges[level] += 1
            kind = nodes[child, CLASS + learner]
            if kind == OPEN and level < depth - 1:
                if nodes[child, FIRST] < 0:
                    expand_position(graph, rules, child)
                level += 1
                open_level(nodes, stack, level, child, learner)
                continue
            worth = DEFAULT
            if kind != OPEN:
                worth = np.float64(nodes[child, GOAL + learner])
            elif recall and known[child, learner] >= 0.0:
                worth = known[child, learner]
                kind = GOOD if worth > DEFAULT + BAND else BAD if worth < DEFAULT - BAND else OPEN
            decided |= kind != OPEN
            add_word(stack, level, class_word(kind))
            for number in range(WEIGHT):
                end[number] = worth
            add_sums(sums[level], ours, count, habits[nodes[child, CLASS + 1 - learner]], end)
        else:
            word = set_word(stack.words[level], stack.sizes[level])
            if level == 0:
                return word if decided else NO_FEATURE
            level -= 1
            node = stack.nodes[level]
            add_word(stack, level, word)
            add_sums(sums[level], nodes[node, MOVER] == learner, nodes[node, COUNT], habits[OPEN], sums[level + 1])


# Shapes as text


def shape_text(graph: Graph, node: int, learner: int, depth: int, known: Any = None) -> str:
    """The shape below an expanded position as text; `known` as in `look_ahead`, None for a learner without recall."""
    first, count = graph.nodes[node, FIRST], graph.nodes[node, COUNT]
    parts = set()
    for child in graph.edges[first : first + count]:
        kind = int(graph.nodes[child, CLASS + learner])
        if kind == OPEN and depth > 1:
            parts.add("N" + shape_text(graph, int(child), learner, depth - 1, known))
        else:
            value = -1.0 if known is None or kind != OPEN else float(known[child, learner])
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
        raise ValueError(f"{text!r} is no shape; a shape looks like {{L, N{{W,N}}}}") from None
    return tree


def describe_shape(tree: ShapeTree) -> str:
    """A tree as text.

    >>> describe_shape(parse_shape("{N{N,W},L}"))
    '{L, N{W,N}}'
    """
    return _join({name + (describe_shape(below) if below else "") for name, below in tree})


def shape_word(tree: ShapeTree) -> np.uint64:
    """The word of a shape, as `look_ahead` finds it."""
    words = {np.uint64(shape_word(below) if below else class_word(CLASS_NAMES.index(name))) for name, below in tree}
    with np.errstate(over="ignore"):
        return np.uint64(set_word(np.array(sorted(words), np.uint64), len(words)))
