"""The rule sheets and oracle traces that lie beside the project; tests that want them skip where they are absent."""

from __future__ import annotations

import os

import pytest

from heartlab.ggp.gdl.parse import parse_term
from heartlab.ggp.machine.base import Machine
from heartlab.ggp.machine.grounding import Budget
from support import ROOT

FOLDER = ROOT.parent / "shared" / "rulesheets"
SHEETS = sorted(path.stem for path in FOLDER.glob("*.kif"))
SCALE = float(os.environ.get("HEARTLAB_SCALE", "1"))
"""How thorough long tests are: 1 every day, 10 or 100 for a long look."""

PATIENT = Budget(seconds=1200)
"""For large games: 20 seconds are too few on a busy machine."""

SLOW_TO_GROUND = {
    "repo__amazonsSuicide_10x10",
    "repo__amazons_10x10",
    "repo__checkers",
    "repo__checkersTiny",
    "repo__god",
    "repo__knightThrough",
    "repo__knightfight",
    "repo__merrills",
    "repo__othello-comp2007",
    "repo__othelloSuicide",
    "repo__reversi",
    "repo__tron_10x10",
    "ggplib__bt_7",
}
EVERYDAY = [name for name in SHEETS[::3] if name not in SLOW_TO_GROUND]

NO_SHEETS = "the rule sheets (../shared/rulesheets) are not here"
needs_sheets = pytest.mark.skipif(not SHEETS, reason=NO_SHEETS)


def sheets(names=SHEETS):
    """Parameters for a test over rule sheets, or one that says why there are none."""
    return names if SHEETS else [pytest.param("", marks=pytest.mark.skip(reason=NO_SHEETS))]


def replay(machine: Machine, name: str, most_states: float = float("inf")) -> int:
    """Follow a trace and compare everything in it; returns the number of states compared."""
    seen = 0
    state = None
    for line in (FOLDER / "traces" / f"{name}.txt").read_text().splitlines():
        kind, *fields = line.split("\t")
        if kind == "START":
            state = machine.initial
        elif kind == "S":
            if seen >= most_states:
                break
            assert machine.facts(state) == {parse_term(field) for field in fields}
            assert machine.state_of(machine.facts(state)) == state
            seen += 1
        elif kind == "T":
            assert machine.is_terminal(state) == (fields[0] == "true")
        elif kind == "L":
            player = machine.roles.index(parse_term(fields[0]))
            legal = machine.legal(state, player)
            assert len(legal) == len(set(legal))
            assert set(legal) == {parse_term(field) for field in fields[1:]}
        elif kind == "M":
            state = machine.next(state, [parse_term(field) for field in fields])
        elif kind == "G" and "NA" not in fields:
            assert [str(goal) for goal in machine.goals(state)] == fields
        elif kind == "END" and fields[0] != "ok":
            assert any(not machine.legal(state, player) for player in range(len(machine.roles)))
    return seen
