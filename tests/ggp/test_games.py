"""Our own games against independent plain-Python ones: every state where that is feasible, else random play."""

import random

import pytest
from support.ggp_rulesheets import PATIENT, SCALE
from support.ggp_twins import TWINS

from heartlab.ggp.machine.load import known_games, load_game

SMALL = {
    "tictactoe": (4520, 50),
    "tictactoe-scored": (4520, 40),
    "capturego": (4040, 100),
    "capturego-suicide": (3884, 100),
    "nim": (750, 0),
}
"""Reachable positions that are not over, and the value for the first player."""


def agree(machine, state, twin, position):
    """Compare a state with a position; returns the moves of the side to move with their successors."""
    assert machine.facts(state) == twin.facts(position)
    result = twin.result(position)
    assert machine.is_terminal(state) == (result is not None)
    if result is not None:
        assert machine.goals(state) == list(result)
        return {}
    moves, mover = twin.moves(position), position[1] - 1
    assert set(machine.legal(state, mover)) == set(moves)
    assert machine.legal(state, 1 - mover) == ["wait"]
    return {move: (("wait", move) if mover else (move, "wait"), after) for move, after in moves.items()}


def walk(machine, twin):
    """Compare all reachable states; returns how many are not over, and the value by minimax."""
    first = (machine.initial, twin.start)
    children, waiting, values = {}, [first], {}
    while waiting:
        state, position = waiting.pop()
        if state in children:
            continue
        found = [(machine.next(state, joint), after) for joint, after in agree(machine, state, twin, position).values()]
        children[state] = [after for after, _ in found]
        values[state] = machine.goals(state)[0] if not found else None, position[1]
        waiting += found

    def value(state):
        known, side = values[state]
        if known is None:
            known = (max if side == 1 else min)(value(after) for after in children[state])
            values[state] = known, side
        return known

    return sum(bool(after) for after in children.values()), value(machine.initial)


def test_every_game_has_a_twin():
    assert set(TWINS) == set(known_games())


@pytest.mark.parametrize("name", SMALL)
def test_all_states_agree(name):
    assert walk(load_game(name, "network", PATIENT), TWINS[name]) == SMALL[name]


@pytest.mark.skipif(SCALE < 10, reason="all 56,621 states of Othello take a minute: HEARTLAB_SCALE=10")
def test_all_states_of_small_othello_agree():
    assert walk(load_game("othello4", "network", PATIENT), TWINS["othello4"]) == (56_621, 0)


@pytest.mark.parametrize("kind", ["network", "prover"])
@pytest.mark.parametrize("name", sorted(TWINS))
def test_random_play_agrees(name, kind):
    machine, twin, dice = load_game(name, kind, PATIENT), TWINS[name], random.Random(7)
    for _ in range(int((20 if kind == "network" else 1) * SCALE)):
        state, position = machine.initial, twin.start
        while moves := agree(machine, state, twin, position):
            joint, position = dice.choice(sorted(moves.items(), key=repr))[1]
            state = machine.next(state, joint)
