"""Look-ahead by one move of the opponent and one reply: the shape of the little tree, and what searches make of it.

Every node is won (W), lost (L), drawn (D) or goes on (N), for the learner. The replies below a node that goes on count
only as the set of their classes, and the nodes themselves only as the set of what they are: so the shape of the tree
is a set of descriptors, W, L, D or N{...}, and nothing of the game is left in it. There are 3 + 16 descriptors, so a
shape is a number of 19 bits. A shape is a feature only if some node in it is decided.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.ggp.expand import enter, expand_entered
from heartlab.ggp.simulate import ONE
from heartlab.jit import kernel

WON, LOST, DRAWN, OPEN = range(4)
CLASS_NAMES = "WLDN"
FIRST_SET = 3
"""The bit of N{} in a shape; N{...} with the classes of a set as bits comes that many places later."""
SHAPES = 1 << 19
UNDECIDED = 1 << (FIRST_SET + (1 << OPEN))
"""The shape {N{N}}: nothing is decided, so it is no feature."""
NO_FEATURE = -1
NOBODY = -1

MINIMAX, AVERAGE, BEST = range(3)
"""What `look_ahead` sums up besides the shape: the opponent minimises, moves at random, or helps."""


@kernel
def class_of(goal: int) -> int:
    """The class of a node from a player's goal in it; -1 says that the game goes on."""
    if goal < 0:
        return OPEN
    if goal == 50:
        return DRAWN
    return WON if goal > 50 else LOST


@kernel
def turn_of(net: Any, values: Any, idle: Any) -> int:
    """Whose turn it is in the entered state: the player with a move that is not one for waiting."""
    for role in range(len(net.role_moves) - 1):
        for move in range(net.role_moves[role], net.role_moves[role + 1]):
            if not idle[move] and values[net.legal[move]] & ONE:
                return role
    return NOBODY


@kernel
def look_ahead(net: Any, values: Any, idle: Any, state: Any, learner: int, levels: Any, sums: Any) -> int:
    """The shape below a position with the opponent to move, and three ways to value it.

    `levels` holds two sets of arrays to expand into; `sums` gets the value by MINIMAX, AVERAGE and BEST, leaves that
    are not decided counting 50. Returns the shape, or NO_FEATURE where nothing is decided.
    """
    moves, children, ends = levels[0]
    reply_moves, replies, reply_ends = levels[1]
    enter(net, values, state)
    count = expand_entered(net, values, state, turn_of(net, values, idle), moves, children, ends)
    shape = 0
    lowest, highest, total = 100.0, 0.0, 0.0
    for child in range(count):
        kind = class_of(ends[child, learner])
        if kind != OPEN:
            shape |= 1 << kind
            value = np.float64(ends[child, learner])
        else:
            enter(net, values, children[child])
            mover = turn_of(net, values, idle)
            found = expand_entered(net, values, children[child], mover, reply_moves, replies, reply_ends)
            classes, value = 0, 0.0
            for reply in range(found):
                goal = reply_ends[reply, learner]
                classes |= 1 << class_of(goal)
                value = max(value, np.float64(goal) if goal >= 0 else 50.0)
            shape |= 1 << (FIRST_SET + classes)
        lowest, highest, total = min(lowest, value), max(highest, value), total + value
    sums[MINIMAX], sums[AVERAGE], sums[BEST] = lowest, total / max(1, count), highest
    return NO_FEATURE if shape == UNDECIDED or shape == 0 else shape


def describe_shape(shape: int) -> str:
    """A shape as text, such as {L, N{W,N}}.

    >>> describe_shape(0b10)
    '{L}'
    """
    decided = [CLASS_NAMES[kind] for kind in range(3) if shape >> kind & 1]
    return "{" + ", ".join(decided + [f"N{{{','.join(names)}}}" for names in reply_sets(shape)]) + "}"


def reply_sets(shape: int) -> list[list[str]]:
    """The sets of classes below the nodes of a shape that go on, largest first."""
    found = []
    for classes in range(16):
        if shape >> (FIRST_SET + classes) & 1:
            found.append([CLASS_NAMES[kind] for kind in range(4) if classes >> kind & 1])
    return sorted(found, key=lambda names: (-len(names), names))


def parse_shape(text: str) -> int:
    """The shape that `describe_shape` wrote.

    Raises:
        ValueError: the text is no shape.
    """
    shape, inside, classes = 0, False, 0
    for letter in text.replace(" ", "").replace("N{", "(").replace("}", ")").removeprefix("{").removesuffix(")"):
        if letter == "(":
            inside, classes = True, 0
        elif letter == ")" and inside:
            shape |= 1 << (FIRST_SET + classes)
            inside = False
        elif letter in CLASS_NAMES and inside:
            classes |= 1 << CLASS_NAMES.index(letter)
        elif letter in CLASS_NAMES[:3]:
            shape |= 1 << CLASS_NAMES.index(letter)
        elif letter != ",":
            raise ValueError(f"{text!r} is no shape; a shape looks like {{L, N{{W,N}}}}")
    return shape
