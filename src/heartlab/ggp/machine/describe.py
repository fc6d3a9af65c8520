"""Facts about a game: its size, how it runs, and how fast."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from heartlab.ggp.gdl.terms import show
from heartlab.ggp.machine.base import GameError, Machine
from heartlab.ggp.machine.compiled import MAX_STEPS, NetworkMachine
from heartlab.ggp.machine.mixed import MixedMachine

Fact = str | list[str] | bool | int | float


def describe(machine: Machine, seconds: float) -> dict[str, Fact]:
    """Facts about a game, playouts per second among them, measured for about some seconds."""
    found: dict[str, Fact] = {
        "game": machine.name,
        "roles": [show(role) for role in machine.roles],
        "machine": machine.kind,
        "note": machine.note,
        "percepts": machine.has_percepts,
        "initial_facts": len(machine.facts(machine.initial)),
    }
    if isinstance(machine, NetworkMachine):
        network = machine.network
        found |= {
            "propositions": len(network.propositions),
            "moves": sum(len(own) for own in network.moves),
            "ground_rules": network.ground_rules,
            "gates": len(network.net.pairs),
            "registers": len(network.net.registers),
            "playouts_per_second": playout_rate(machine, seconds / 2, wide=True),
            "playouts_per_second_one_at_a_time": playout_rate(machine, seconds / 2, wide=False),
        }
    else:
        if isinstance(machine, MixedMachine):
            found |= {
                "on_the_network": machine.by_network,
                "by_the_prover": machine.by_prover,
                "propositions": len(machine.network.network.propositions),
                "ground_rules": machine.network.network.ground_rules,
                "gates": len(machine.network.network.net.pairs),
            }
        found["playouts_per_second"] = prover_rate(machine, seconds)
    return found


def describe_text(facts: dict[str, Fact]) -> str:
    """The facts, a line each."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, list):
            shown = ", ".join(value)
        else:
            shown = value if isinstance(value, str) else f"{value:,.0f}" if isinstance(value, float) else f"{value:,}"
        lines.append(f"{name.replace('_', ' '):<26} {shown}")
    return "\n".join(lines)


def playout_rate(machine: NetworkMachine, seconds: float, wide: bool) -> float:
    """Random playouts per second on one thread, from the start of the game; 0 if they do not end."""
    if machine.playouts(machine.initial, 1, 0, wide)[1] == 0:
        return 0.0
    return _rate(lambda count, seed: machine.playouts(machine.initial, count, seed, wide, MAX_STEPS)[1], seconds)


def _rate(run: Callable[[int, int], int], seconds: float) -> float:
    """Playouts per second, in ever longer runs until one lasts long enough to trust."""
    count, seed = 1, 0
    while True:
        seed += 1
        begun = time.perf_counter()
        ended = run(count, seed)
        taken = time.perf_counter() - begun
        if taken >= seconds / 2 or ended == 0:
            return ended / taken
        count = int(count * min(10.0, max(2.0, 0.8 * seconds / max(taken, 1e-6))))


def prover_rate(machine: Machine, seconds: float) -> float:
    """Playouts per second by proving; a fraction where not even one ends in time."""
    dice, begun, done, steps = random.Random(0), time.perf_counter(), 0.0, 0
    while time.perf_counter() - begun < seconds:
        state = machine.initial
        steps = 0
        try:
            while not machine.is_terminal(state):
                if time.perf_counter() - begun > 4 * seconds or steps > MAX_STEPS:
                    return done / (time.perf_counter() - begun)
                state = machine.next(state, [dice.choice(moves) for moves in machine.legal_moves(state)])
                steps += 1
        except GameError:
            return 0.0
        done += 1
    return done / (time.perf_counter() - begun)
