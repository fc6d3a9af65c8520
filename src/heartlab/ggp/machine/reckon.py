"""Forward dead reckoning: one game at a time, in which a turn costs what it changes and not what the game has.

A change of a node adds one to, or takes one from, the counts of false inputs of the gates that it feeds (`flip`). A
gate whose count leaves or reaches zero is put on the list of its level; lists are worked off in the order of levels
(`work_off`), so no gate changes twice. Legal moves and the next state are bits that follow their literals.

Atoms in cycles are evaluated as a whole block when one of its inputs changed; the goals when a game is over. Choices
are drawn as in `simulate.choose_scalar`, so both give the same playouts.

Everything that changes stands in two flat arrays (`cells`, `words`), and loops get arrays, not records: a record that
is passed on in a loop is reference counted there, which costs more than the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, lowest, nth, popcount
from heartlab.compiled.jit import bare_kernel, kernel
from heartlab.compiled.rng import below_fast
from heartlab.ggp.machine.plan import FIRST_NODE, FIRST_WORD, GUARD, LAST_WORD, Shape

BLOCKS_CELL, HEADS, DEPTH, PLAYED = Shape.BLOCKS_CELL, Shape.HEADS, Shape.DEPTH, Shape.PLAYED
NEXT_WORD, STATE_WORDS, TERMINAL = Shape.NEXT_WORD, Shape.STATE_WORDS, Shape.TERMINAL
CYCLIC, BLOCKS, COPIED = Shape.CYCLIC, Shape.BLOCKS, Shape.COPIED

TWO, THREE, FOUR = np.uint64(2), np.uint64(3), np.uint64(4)
NOT_LISTED = np.int32(-2)


@bare_kernel
def put_on_list(cell: Any, level: Any, cells: Any, heads: Any) -> None:
    """Put the node with these cells on the list of its level, unless it is there."""
    if cells[cell + TWO] == NOT_LISTED:
        head = heads + np.uint64(level)
        cells[cell + TWO] = cells[head]
        cells[head] = np.int32(cell)


@bare_kernel
def do_task(cell: Any, cells: Any, words: Any, heads: Any) -> None:
    """The count of a node has left or reached zero."""
    task = cells[cell + THREE]
    if task >= 0:
        put_on_list(cell, task, cells, heads)
    else:
        bit = np.uint64(-1 - np.int64(task))
        word = bit >> np.uint64(6)
        if word < np.uint64(len(words)):
            words[word] ^= ONE << (bit & np.uint64(63))
        else:
            block = bit - (np.uint64(len(words)) << np.uint64(6))
            put_on_list(block, cells[block + THREE], cells, heads)


@bare_kernel
def flip(node: Any, rises: Any, wires: Any, cells: Any, words: Any, heads: Any) -> None:
    """A node has changed, to 1 or 0: add one to, or take one from, the counts of what it feeds."""
    place, end = np.uint64(wires[node]), np.uint64(wires[node + ONE])
    while place < end:
        feed = np.int32(wires[place])
        cell = np.uint64(feed) & ~THREE
        before = cells[cell]
        after = before + np.int32(1) - np.int32(2) * (np.int32(1) ^ ((feed & np.int32(1)) ^ rises))
        cells[cell] = after
        if before + after == 1:
            do_task(cell, cells, words, heads)
        place += ONE


@bare_kernel
def holds(cells: Any, literal: Any) -> bool:
    """Whether a literal holds."""
    return (cells[FOUR * np.uint64(literal >> 1) + ONE] ^ (literal & 1)) != 0


@bare_kernel
def settle_block(dense: Any, cells: Any, block: int) -> None:
    """Evaluate the gates of a dense block, until its registers do not change any more."""
    first, gates_end = np.uint64(dense[4 * block]), np.uint64(dense[4 * block + 1])
    register, end = dense[4 * block + 2], dense[4 * block + 3]
    for place in range(register, end, 2):
        cells[4 * dense[place] + 1] = 0
    changed = True
    while changed:
        place_of = first
        while place_of < gates_end:
            left, right = np.uint64(dense[place_of + ONE]), np.uint64(dense[place_of + TWO])
            one = np.uint64(cells[TWO * (left & ~ONE) + ONE]) ^ (left & ONE)
            other = np.uint64(cells[TWO * (right & ~ONE) + ONE]) ^ (right & ONE)
            cells[FOUR * np.uint64(dense[place_of]) + ONE] = np.int32(one & other)
            place_of += THREE
        changed = False
        for place in range(register, end, 2):
            if cells[4 * dense[place] + 1] == 0 and holds(cells, dense[place + 1]):
                cells[4 * dense[place] + 1] = 1
                changed = True


@bare_kernel
def redo_block(block: int, wires: Any, dense: Any, cells: Any, words: Any, heads: Any) -> None:
    """Evaluate a cyclic block anew, and tell what changed. The links of its nodes keep their values before."""
    gate, gates_end = dense[4 * block], dense[4 * block + 1]
    register, end = dense[4 * block + 2], dense[4 * block + 3]
    for place in range(gate, gates_end, 3):
        cells[4 * dense[place] + 2] = cells[4 * dense[place] + 1]
    for place in range(register, end, 2):
        cells[4 * dense[place] + 2] = cells[4 * dense[place] + 1]
    settle_block(dense, cells, block)
    for place in range(gate, gates_end, 3):
        tell_change(np.uint64(dense[place]), wires, cells, words, heads)
    for place in range(register, end, 2):
        tell_change(np.uint64(dense[place]), wires, cells, words, heads)


@bare_kernel
def tell_change(node: Any, wires: Any, cells: Any, words: Any, heads: Any) -> None:
    """Tell of a node of a cyclic block, if its value is not the one before."""
    value = cells[FOUR * node + ONE]
    if cells[FOUR * node + TWO] != value:
        flip(node, value, wires, cells, words, heads)


@bare_kernel
def work_off(wires: Any, dense: Any, shape: Any, cells: Any, words: Any) -> None:
    """Work off the lists, level by level."""
    heads, depth, blocks = np.uint64(shape[HEADS]), np.uint64(shape[DEPTH]), shape[BLOCKS_CELL]
    level = heads
    while level < heads + depth:
        cell = cells[level]
        if cell < 0:
            level += ONE
            continue
        place = np.uint64(cell)
        cells[level] = cells[place + TWO]
        cells[place + TWO] = NOT_LISTED
        if cell >= blocks:
            redo_block((cell - blocks) >> 2, wires, dense, cells, words, heads)
        else:
            value = np.int32(cells[place] == 0)
            if value != cells[place + ONE]:
                cells[place + ONE] = value
                flip(place >> TWO, value, wires, cells, words, heads)


@kernel
def begin(plan: Any, board: Any) -> None:
    """Make a board on which every node is false right."""
    cells, words, heads = board.cells, board.words, np.uint64(plan.shape[HEADS])
    first_block = np.uint64(plan.shape[BLOCKS_CELL])
    cell = np.uint64(0)
    while cell < heads:
        if cells[cell] == 0 or cell >= first_block:
            do_task(cell, cells, words, heads)
        cell += FOUR
    work_off(plan.wires, plan.dense, plan.shape, cells, words)


@bare_kernel
def go_to(wires: Any, dense: Any, shape: Any, cells: Any, words: Any, wanted: Any, first: int) -> None:
    """Make a packed state, which begins at some word of an array, the state."""
    heads, now = np.uint64(shape[HEADS]), shape[NEXT_WORD] + shape[STATE_WORDS]
    for word in range(shape[STATE_WORDS]):
        changes = words[now + word] ^ wanted[first + word]
        words[now + word] = wanted[first + word]
        while changes:
            node = np.uint64(64 * word + 1 + lowest(changes))
            changes &= changes - ONE
            value = np.int32(1) - cells[FOUR * node + ONE]
            cells[FOUR * node + ONE] = value
            flip(node, value, wires, cells, words, heads)
    work_off(wires, dense, shape, cells, words)


@bare_kernel
def choose(roles: Any, masks: Any, cells: Any, words: Any, rng: Any, chosen: Any) -> bool:
    """A uniform legal move of every role, as nodes; False if a role has none."""
    for role in range(len(roles)):
        side = np.int64(holds(cells, roles[role, GUARD]))
        first, last = np.uint64(roles[role, FIRST_WORD]), np.uint64(roles[role, LAST_WORD])
        count, word = 0, first
        while word < last:
            count += popcount(words[word] & masks[side, word])
            word += ONE
        if count == 0:
            return False
        left = below_fast(rng, count) if count > 1 else 0
        word = first
        while True:
            legal = words[word] & masks[side, word]
            here = popcount(legal)
            if left < here:
                chosen[role] = roles[role, FIRST_NODE] + 64 * np.int64(word - first) + nth(legal, left)
                break
            left -= here
            word += ONE
    return True


@bare_kernel
def play(wires: Any, dense: Any, shape: Any, cells: Any, words: Any, chosen: Any) -> None:
    """Play a move of every role, given by node, and make the next state the state."""
    heads, played = np.uint64(shape[HEADS]), shape[PLAYED]
    for role in range(len(chosen)):
        before, node = np.uint64(cells[played + role]), np.uint64(chosen[role])
        if before != node:
            if before:
                cells[FOUR * before + ONE] = 0
                flip(before, np.int32(0), wires, cells, words, heads)
            cells[FOUR * node + ONE] = 1
            flip(node, np.int32(1), wires, cells, words, heads)
            cells[played + role] = np.int32(node)
    work_off(wires, dense, shape, cells, words)
    # the bits of the next state change while the state is entered: a copy
    source, size = shape[NEXT_WORD], shape[STATE_WORDS]
    for word in range(size):
        words[source + 2 * size + word] = words[source + word]
    go_to(wires, dense, shape, cells, words, words, source + 2 * size)


@bare_kernel
def settle_goals(dense: Any, shape: Any, cells: Any, goals: Any, rewards: Any) -> None:
    """The goal of every role where the game is over; 0 where the rules give none."""
    for block in range(shape[CYCLIC], shape[BLOCKS]):
        settle_block(dense, cells, block)
    for role in range(len(rewards)):
        rewards[role] = 0
    for number in range(len(goals) - 1, -1, -1):
        if holds(cells, goals[number, 2]):
            rewards[goals[number, 0]] = goals[number, 1]


@bare_kernel
def play_out(plan: Any, board: Any, max_steps: int, rng: Any, chosen: Any) -> bool:
    """Play at random until the game is over; False if that takes too many steps or a role has no move."""
    wires, dense, shape, roles, masks, _ = plan
    cells, words = board
    terminal = shape[TERMINAL]
    for _ in range(max_steps):
        if holds(cells, terminal):
            return True
        if not choose(roles, masks, cells, words, rng, chosen):
            break
        play(wires, dense, shape, cells, words, chosen)
    return False


@bare_kernel
def copy_board(source: Any, target: Any, copied: int) -> None:
    """Make a board equal to another one of the same plan, but for the nodes of the goals."""
    cells, words = target
    from_cells, from_words = source
    for cell in range(copied):
        cells[cell] = from_cells[cell]
    for word in range(len(words)):
        words[word] = from_words[word]


@kernel
def playouts_reckoned(
    plan: Any, root: Any, board: Any, state: Any, count: int, max_steps: int, rng: Any, totals: Any
) -> int:
    """Random playouts from a state, one after the other; adds up the goals per role, returns how many ended.

    Every playout begins with a copy of `root`, which is taken to the state first.
    """
    go_to(plan.wires, plan.dense, plan.shape, root.cells, root.words, state, 0)
    chosen = np.zeros(len(totals), np.int64)
    rewards = np.zeros(len(totals), np.int64)
    ended = 0
    for _ in range(count):
        copy_board(root, board, plan.shape[COPIED])
        if play_out(plan, board, max_steps, rng, chosen):
            settle_goals(plan.dense, plan.shape, board.cells, plan.goals, rewards)
            for role in range(len(totals)):
                totals[role] += rewards[role]
            ended += 1
    return ended
