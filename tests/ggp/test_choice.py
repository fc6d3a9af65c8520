"""Random moves in 256 games at once: legal, one for each role, uniform, in both ways; blocks of rows turned over."""

import random
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import chisquare

from heartlab.compiled.rows import WIDTH
from heartlab.ggp.machine import choice
from heartlab.ggp.machine.choice import FEW_MOVES, choose_wide, draw_numbers, make_room, turn_over

GAMES = 64 * WIDTH


class Moves(NamedTuple):
    """The fields of a network that matter for choosing: the moves' rows, and behind them what is legal."""

    first_move: int
    role_moves: np.ndarray
    legal: np.ndarray


def bits(rows):
    """A row of a bit per game for each row of words."""
    return np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little").astype(bool)


def packed(flags):
    """Rows of words for rows of a bit per game."""
    return np.packbits(flags, axis=1, bitorder="little").view(np.uint64)


def position(sizes, legal):
    """Values in which moves are legal; rows: the constant, the moves, and whether each is legal, in reverse."""
    moves = sum(sizes)
    values = np.zeros((1 + 2 * moves, WIDTH), np.uint64)
    places = 2 * moves - np.arange(moves)
    values[places] = packed(legal)
    return Moves(1, np.cumsum([0, *sizes]).astype(np.uint32), places.astype(np.uint32)), values


def played(net, values):
    """Which move is played in which game."""
    return bits(values[1 : 1 + len(net.legal)])


def random_legal(sizes, seed):
    """Legal moves of some density per game; some games have none, some one for a role."""
    dice, parts = np.random.default_rng(seed), []
    for size in sizes:
        flags = dice.random((size, GAMES)) < dice.choice([0.02, 0.1, 0.6], GAMES)
        flags[:, dice.random(GAMES) < 0.1] = False
        flags[0] |= dice.random(GAMES) < 0.3
        flags[dice.random(size) < 0.3] = False
        parts.append(flags)
    return np.concatenate(parts)


@pytest.mark.parametrize("sizes", [(3,), (FEW_MOVES, FEW_MOVES + 1), (300, 1, 64), (65, 10)])
def test_every_role_plays_one_legal_move_where_it_has_any(sizes):
    rng, room = np.array([7], np.uint64), make_room(np.cumsum([0, *sizes]))
    for seed in range(4):
        legal = random_legal(sizes, seed)
        net, values = position(sizes, legal)
        for _ in range(3):  # what was played before is taken back
            choose_wide(net, values, rng, room)
            found = played(net, values)
            assert not (found & ~legal).any()
            for first, last in zip(net.role_moves, net.role_moves[1:], strict=False):
                assert (found[first:last].sum(axis=0) == legal[first:last].any(axis=0)).all()


@pytest.mark.parametrize("turns", ["one after the other", "in step", "at the same time"])
def test_roles_that_take_turns_are_drawn_together(turns):
    """Three roles, of which all, one or none has more than one legal move in a game: always a uniform legal one."""
    dice, size = np.random.default_rng(5), FEW_MOVES + 12
    legal = np.zeros((3, size, GAMES), bool)
    for game in range(GAMES):
        movers = {"in step": [game % 3], "at the same time": [0, 1, 2], "one after the other": [1]}[turns]
        for role in range(3):
            legal[role, [7, 20, 58] if role in movers else [3], game] = True
    legal[:, :, dice.random(GAMES) < 0.1] = False
    net, values = position((size,) * 3, legal.reshape(-1, GAMES))
    rng, room, counts = np.array([11], np.uint64), make_room(net.role_moves), np.zeros((3, size, GAMES), int)
    for _ in range(200):
        choose_wide(net, values, rng, room)
        found = played(net, values).reshape(3, size, GAMES)
        assert not (found & ~legal).any()
        assert (found.sum(axis=1) == legal.any(axis=1)).all()
        counts += found
    for role in range(3):
        choosing = legal[role].sum(axis=0) > 1
        if choosing.any():
            assert chisquare(counts[role][[7, 20, 58]][:, choosing].sum(axis=1)).pvalue > 1e-4


@pytest.mark.parametrize("sizes", [(FEW_MOVES,), (FEW_MOVES + 1,), (200,)])
def test_every_legal_move_is_equally_likely(sizes):
    """Games with 2, 3, 11 and all legal moves; over all games, and for the numbers of games."""
    (size,) = sizes
    dice, wanted = random.Random(1), [2, 3, 11, size]
    legal = np.zeros((size, GAMES), bool)
    own = [sorted(dice.sample(range(size), count)) for count in wanted]
    for game in range(GAMES):
        legal[own[game % 4], game] = True
    net, values = position(sizes, legal)
    rng, room, counts = np.array([3], np.uint64), make_room([0, size]), np.zeros((size, GAMES), int)
    for _ in range(300):
        choose_wide(net, values, rng, room)
        counts += played(net, values)
    for kind, moves in enumerate(own):
        assert chisquare(counts[moves][:, kind::4].sum(axis=1)).pvalue > 1e-4
    assert chisquare(counts[own[0]][:, ::4].reshape(-1)).pvalue > 1e-4


def test_both_ways_have_the_same_distribution(monkeypatch):
    """Where few moves are legal, each is drawn as often by one way as by the other."""
    legal = np.zeros((90, GAMES), bool)
    legal[[4, 40, 77, 89]] = True
    net, values = position((90,), legal)
    room, counts = make_room([0, 90]), []
    for way in (choice.play_listed, choice.play_numbered):
        rng, found = np.array([5], np.uint64), np.zeros(90, int)
        for _ in range(200):
            if way is choice.play_listed:
                choose_wide(net, values, rng, room)
            else:
                choice.count_legal(net.legal, values, np.uint64(0), np.uint64(90), room.digits)
                for word in range(WIDTH):
                    draw_numbers(rng, room.digits, room.numbers, 7, word)
                choice.play_numbered(net.legal, values, np.uint64(0), np.uint64(90), np.uint64(1), room)
            found += played(net, values).sum(axis=1)
        counts.append(found[[4, 40, 77, 89]])
        assert found.sum() == 200 * GAMES == counts[-1].sum()
    assert all(chisquare(one).pvalue > 1e-4 for one in counts)


@pytest.mark.parametrize("blocks", [1, 3])
def test_rows_are_turned_over(blocks):
    rows = np.random.default_rng(blocks).integers(0, 1 << 64, (64 * blocks, WIDTH), np.uint64)
    before, counts = bits(rows), np.ones((64, WIDTH), np.uint64)
    turn_over(rows, counts, 64 * blocks)
    after = bits(rows)
    for block in range(blocks):
        for word in range(WIDTH):
            square = np.s_[64 * block : 64 * block + 64, 64 * word : 64 * word + 64]
            assert (after[square] == before[square].T).all()
    for word in range(WIDTH):
        assert (counts[:, word] == before[:, 64 * word : 64 * word + 64].sum(axis=0)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 7, 8, 13])
def test_numbers_are_below_their_count(count):
    rng, used = np.array([count], np.uint64), 4
    seen = np.zeros(max(1, count), int)
    for _ in range(60):
        counts = np.array([[-(count >> digit & 1) & (2**64 - 1)] * WIDTH for digit in range(used)], np.uint64)
        numbers = np.zeros((used, WIDTH), np.uint64)
        draw_numbers(rng, counts, numbers, used, 2)
        assert not numbers[:, [0, 1, 3]].any()
        lanes = bits(numbers)[:, 128:192]
        for value in (lanes.T @ (1 << np.arange(used))).tolist():
            seen[value] += 1
    assert seen.sum() == 60 * 64
    assert count < 2 or chisquare(seen).pvalue > 1e-4
