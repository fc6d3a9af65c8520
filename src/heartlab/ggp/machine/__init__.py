"""Running a game: the plain prover, and the network of gates with its compiled interpreter.

| module | what lives there |
|---|---|
| `base` | what every machine offers; `GameError` |
| `clauses`, `prover` | rules as Python functions; answers by proving: slow, takes any game |
| `grounding` | what grounding is and its budget; by clingo, the second choice |
| `reach` | our own grounding: rules with variables to rules over atoms, by semi-naive evaluation |
| `gates`, `network` | ground rules to and-gates, and those to arrays in the order of evaluation |
| `multiplex` | before that: fewer ground rules for what a move carries with it |
| `simulate` | compiled: evaluation, and random playouts one at a time with every gate in every turn |
| `wide`, `lanes`, `choice` | the network as rows of 256 games; compiled: random playouts of them; their random moves |
| `expand` | compiled: all moves of a position at once |
| `plan`, `reckon` | the network the other way round, and one game at a time that only follows what changes |
| `trial` | which of the two is faster for one game at a time |
| `compiled` | the network as a machine |
| `parts`, `mixed` | what of a game can be left to the prover; a machine of both for games that ground in part |
| `load` | a game by name or file, on the best machine that takes it |
| `describe` | facts about a game, playouts per second among them |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartlab.util.lazy import lazy_names

if TYPE_CHECKING:
    from heartlab.ggp.machine.base import GameError, Machine, State
    from heartlab.ggp.machine.compiled import NetworkMachine
    from heartlab.ggp.machine.grounding import Budget
    from heartlab.ggp.machine.load import known_games, load_game, make_machine, read_game
    from heartlab.ggp.machine.prover import Prover

__all__ = [
    "Budget",
    "GameError",
    "Machine",
    "NetworkMachine",
    "Prover",
    "State",
    "known_games",
    "load_game",
    "make_machine",
    "read_game",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Budget": "heartlab.ggp.machine.grounding",
        "GameError": "heartlab.ggp.machine.base",
        "Machine": "heartlab.ggp.machine.base",
        "NetworkMachine": "heartlab.ggp.machine.compiled",
        "Prover": "heartlab.ggp.machine.prover",
        "State": "heartlab.ggp.machine.base",
        "known_games": "heartlab.ggp.machine.load",
        "load_game": "heartlab.ggp.machine.load",
        "make_machine": "heartlab.ggp.machine.load",
        "read_game": "heartlab.ggp.machine.load",
    },
)
