"""A person at the terminal against players: the state, drawn as a board where possible, and a list of moves."""

from __future__ import annotations

import random
from collections.abc import Iterable

from heartlab.ggp.gdl.parse import parse_term
from heartlab.ggp.gdl.terms import RANDOM_ROLE, Functor, GdlError, Term, functor, functor_name, show, sort_key
from heartlab.ggp.machine.base import Machine
from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.players.random import RandomPlayer
from heartlab.ggp.players.registry import make_game_player
from heartlab.util.errors import quoted


def picture(facts: Iterable[Term], always: frozenset[tuple[Functor, str, str]] = frozenset()) -> str:
    """Facts as text: relations over two numbers and a word as boards, the others as GDL.

    `always` holds cells that a board has even if nothing is on them, as (relation, row, column).
    """
    boards: dict[Functor, dict[tuple[str, str], str]] = {}
    others: list[Term] = []
    for key, row, column in always:
        boards.setdefault(key, {})[row, column] = "."
    for fact in sorted(facts, key=sort_key):
        if _is_place(fact):
            row, column, content = (str(part) for part in fact[1:])
            boards.setdefault(functor(fact), {})[row, column] = "." if content in ("b", "blank", "empty") else content
        else:
            others.append(fact)
    lines = [_board(key, cells) for key, cells in boards.items()]
    return "\n".join([*lines, *(f"  {show(fact)}" for fact in others)])


def _is_place(fact: Term) -> bool:
    return (
        isinstance(fact, tuple)
        and len(fact) == 4
        and all(isinstance(part, str) for part in fact)
        and all(str(part).isdecimal() for part in fact[1:3])
        and not str(fact[3]).isdecimal()
    )


def _board(key: Functor, cells: dict[tuple[str, str], str]) -> str:
    rows, columns = (sorted({place[axis] for place in cells}, key=int) for axis in (0, 1))
    width = max(len(column) for column in columns)
    lines = [f"  {functor_name(key)} (first number down, second across)"]
    lines.append("     " + " ".join(f"{column:>{width}}" for column in columns))
    for row in rows:
        content = " ".join(f"{cells.get((row, column), '.')[:1]:>{width}}" for column in columns)
        lines.append(f"  {row:>2} {content}")
    return "\n".join(lines)


def _places(machine: Machine) -> frozenset[tuple[Functor, str, str]]:
    """All cells of all boards of a network."""
    from heartlab.ggp.machine.compiled import NetworkMachine

    if not isinstance(machine, NetworkMachine):
        return frozenset()
    facts = filter(_is_place, machine.network.propositions)
    return frozenset((functor(fact), str(fact[1]), str(fact[2])) for fact in facts)


def play_at_terminal(machine: Machine, opponent: str, role: str | None, seconds: float, seed: int) -> None:
    """A match of a person against copies of one player.

    Raises:
        GdlError: there is no such role or player.
    """
    names = [show(name) for name in machine.roles]
    if role is not None and role.lower() not in names:
        raise GdlError(f"no role is called {role!r}; there are {', '.join(names)}")
    person = names.index(role.lower()) if role else next(n for n, name in enumerate(names) if name != RANDOM_ROLE)
    others: dict[int, GamePlayer] = {}
    for number, name in enumerate(names):
        if number != person:
            others[number] = RandomPlayer(seed) if name == RANDOM_ROLE else make_game_player(opponent, seed + number)
            others[number].begin(machine, number, seconds)
    places, state, dice = _places(machine), machine.initial, random.Random(seed)
    print(f"You are {names[person]}. Type a move or its number; q ends the game.")
    while not machine.is_terminal(state):
        print(picture(machine.facts(state), places))
        legal = machine.legal_moves(state)
        joint = [dice.choice(moves) for moves in legal]
        if len(legal[person]) > 1:
            chosen = _ask(legal[person])
            if chosen is None:
                print("Given up.")
                return
            joint[person] = chosen
        for number, player in others.items():
            joint[number] = player.choose(state, seconds)
        state = machine.next(state, joint)
        print("  ".join(f"{name}: {show(move)}" for name, move in zip(names, joint, strict=True)))
    print(picture(machine.facts(state), places))
    print("  ".join(f"{name}: {goal}" for name, goal in zip(names, machine.goals(state), strict=True)))


def _ask(legal: list[Term]) -> Term | None:
    """A move from the person; None to give up."""
    print("  ".join(f"{number}:{show(move)}" for number, move in enumerate(legal, 1)))
    while True:
        try:
            text = input("> ").strip()
        except EOFError:
            return None
        if text.lower() in ("q", "quit"):
            return None
        if text.isdecimal() and 1 <= int(text) <= len(legal):
            return legal[int(text) - 1]
        try:
            move = parse_term(text)
        except GdlError:
            move = ""
        if move in legal:
            return move
        print(f"{quoted(text)} is neither a number from 1 to {len(legal)} nor a legal move.")
