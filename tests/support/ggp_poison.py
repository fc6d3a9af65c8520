"""Games that eat time or memory, players that fail in every way, and a look at the processes that are left."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

GUARD = 600.0
"""Seconds after which a test that waits for something has failed; nothing takes nearly as long."""

_REST = "(role x) (init (n z)) (<= terminal (true over)) (goal x 50) "
_DIGITS = " ".join(f"(d {number})" for number in range(60))

_FIVE = "(f ?a ?b ?c ?d ?e)"

ENDLESS = {
    "counts for ever": _REST + "(nat z) (<= (nat (s ?n)) (nat ?n)) (<= (legal x (go ?n)) (nat ?n))",
    "five free variables": f"{_REST} {_DIGITS} (<= (legal x (go ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))",
    "five variables in vain": f"{_REST} {_DIGITS} (<= (legal x go) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) {_FIVE})"
    f"(<= {_FIVE} (true (n (f ?a ?b ?c ?d ?e))))",
    "doubles its terms": _REST + "(p z) (<= (p (f ?t ?t)) (p ?t)) (<= (legal x (go ?t)) (p ?t))",
    "doubles its questions": _REST + "(<= (q ?t) (q (f ?t ?t))) (<= (legal x go) (q z))",
    "asks ever deeper": _REST + "(<= (q ?t) (q (s ?t))) (<= (legal x go) (q z))",
}
"""Games that the prover could not get to the end of."""

ENDLESS_PLAY = (
    "(role x) (init (n z)) (legal x go) (<= (next (n (s ?n))) (true (n ?n))) (<= terminal (true over)) (goal x 5)"
)
"""A game that goes on for ever, in ever larger states."""

PLAYERS = '''
"""Players that fail in their second turn, each in its own way; in the first they play the first legal move."""
import os, time
from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.players.registry import game_player

class Failing(GamePlayer):
    def __init__(self, seed, fail):
        super().__init__(seed)
        self.fail, self.turn = fail, 0

    def choose(self, state, seconds):
        self.turn += 1
        if self.turn == 2:
            self.fail()
        return self.machine.legal(state, self.player)[0]

def hang():
    while True:
        time.sleep(0.01)

def eat():
    kept = []
    while True:
        kept.append(bytearray(16 << 20))

def raise_error():
    raise RuntimeError("an injected failure")

def add(name, fail):
    def make(text, seed):
        return Failing(seed, fail)
    make.__qualname__ = f"make_{name}"
    game_player(name, "fails")(make)

for name, fail in {
    "hangs": hang,
    "eats": eat,
    "raises": raise_error,
    "dies": lambda: os._exit(3),
    "prints": lambda: print("noise" * 99),
}.items():
    add(name, fail)
'''


def children(pid: int) -> set[int]:
    """All processes below a process, zombies included (Linux)."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found, waiting = set(), [pid]
    while waiting:
        parent = waiting.pop()
        below = {child for child, above in parents.items() if above == parent}
        found |= below
        waiting += below
    return found


def address_in(lines: Iterable[str]) -> str:
    """The first address that a program prints; it may speak of compiling before."""
    return next(found[0] for line in lines if (found := re.search(r"http://[\w.:]+", line)))


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether a condition comes true; the time limit only guards against hanging."""
    deadline = time.monotonic() + GUARD
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
