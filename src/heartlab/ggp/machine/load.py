"""A game by name or file, on the best machine that takes it.

The network if the game grounds within its budget; if only a part of it does, the network for that part and the prover
for the rest; else the prover. The machine's `note` says what was chosen and why.
Our own games have names.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterable
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from heartlab.ggp.gdl.normal import normalise
from heartlab.ggp.gdl.parse import MAX_TEXT, Description, parse_game
from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.machine.base import Machine
from heartlab.ggp.machine.grounding import Budget, GroundGame, GroundingFailed, ground
from heartlab.ggp.machine.parts import Part, Parts
from heartlab.ggp.machine.prover import Prover

if TYPE_CHECKING:
    from heartlab.ggp.machine.mixed import MixedMachine

SUFFIX = ".kif"
OWN_SHARE = 0.7
"""The share of the budget after which clingo is tried instead of our own grounder."""
PART_SHARE = 0.15
"""The share of the budget that is kept for grounding a part of the game, if the whole does not."""
PART_GROUNDING = 0.6
"""The share of the time for a part that its grounding may take; the rest is for the building of its network."""


def known_games() -> list[str]:
    """The names of our own games."""
    folder = resources.files("heartlab.ggp") / "games"
    return sorted(entry.name.removesuffix(SUFFIX) for entry in folder.iterdir() if entry.name.endswith(SUFFIX))


def read_game(file: str | Path) -> Description:
    """The description of one of our own games by name, or of the game in a file.

    Raises:
        GdlError: there is no such game, or the text is not GDL.
    """
    name = str(file)
    if name in known_games():
        text = (resources.files("heartlab.ggp") / "games" / f"{name}{SUFFIX}").read_text("utf-8")
        return parse_game(text, name)
    path = Path(file)
    if not path.is_file():
        what = "is no file" if path.exists() else "no such file"
        raise GdlError(f"{name}: {what}, and no game of ours; ours are {', '.join(known_games())}")
    if path.stat().st_size > MAX_TEXT:
        raise GdlError(f"{name}: the file has {path.stat().st_size:,} bytes; games of at most {MAX_TEXT:,} are read")
    try:
        return parse_game(path.read_text("utf-8"), name)
    except UnicodeDecodeError:
        raise GdlError(f"{name}: this is not a text file") from None


def make_machine(description: Description, kind: str = "auto", budget: Budget = Budget()) -> Machine:  # noqa: B008
    """A machine that runs a game: `network`, `prover`, or `auto` for the network if possible.

    Raises:
        GdlError: no machine has that name.
        GroundingFailed: the network was asked for and the game does not ground.
    """
    if kind not in ("auto", "network", "prover"):
        raise GdlError(f"no machine is called {kind}; there are auto, network and prover")
    if kind == "prover":
        return _prover(description, "the prover, as asked", budget)
    begun = time.monotonic()
    try:
        return _network_machine(description, budget, 0.0 if kind == "network" else PART_SHARE)
    except GroundingFailed as reason:
        if kind == "network":
            raise
        machine = _in_part(description, budget, begun + budget.seconds, reason)
        return machine or _prover(description, f"played by the prover, which is slow: {reason}", budget)


def _prover(description: Description, note: str, budget: Budget) -> Machine:
    machine = Prover(description, budget)
    machine.note, machine.fingerprint = note, description.fingerprint
    return machine


def _network_machine(description: Description, budget: Budget, kept: float) -> Machine:
    """The network of a whole game. Grounding leaves a share of the budget, where it is worth trying a part instead."""
    from heartlab.ggp.machine.compiled import NetworkMachine
    from heartlab.ggp.machine.network import build_network

    begun = time.monotonic()
    try:
        game = _ground(description, budget, kept)
        left = budget.seconds - (time.monotonic() - begun)
        machine = NetworkMachine(build_network(game, description.roles, left), description.source)
    except MemoryError:
        raise GroundingFailed("the network of the game does not fit into memory") from None
    machine.note = f"grounded in {time.monotonic() - begun:.2f} s"
    machine.fingerprint = description.fingerprint
    return machine


def _in_part(description: Description, budget: Budget, deadline: float, reason: GroundingFailed) -> Machine | None:
    """The game without the part that is in the way of grounding, and then without the next; None if too little is left.

    The time is over at a deadline of the monotonic clock.
    """
    parts, left, failed = Parts(normalise(description)), frozenset[Part](), reason
    while failed.blamed is not None:
        left |= parts.with_users([failed.blamed])
        seconds = deadline - time.monotonic()
        if seconds <= 0 or not parts.is_worth_it(left):
            break
        try:
            machine = split_machine(description, left, replace(budget, seconds=seconds))
        except GroundingFailed as another:
            failed = another
        else:
            names = ", ".join(machine.by_prover)
            machine.note = f"{machine.note}; left to the prover, which is slow: {names}, because {reason}"
            return machine
    return None


def split_machine(
    description: Description,
    left: Iterable[Part],
    budget: Budget = Budget(),  # noqa: B008
) -> MixedMachine:
    """A machine that leaves some parts of a game, and all that use them, to the prover; the rest is on a network.

    Raises:
        GroundingFailed: the rest does not ground within the budget.
    """
    from heartlab.ggp.machine.compiled import NetworkMachine
    from heartlab.ggp.machine.mixed import MixedMachine
    from heartlab.ggp.machine.network import build_network
    from heartlab.ggp.machine.reach import reach

    begun = time.monotonic()
    parts = Parts(normalise(description))
    left = parts.with_users(left)
    prover = Prover(parts.for_prover(description, left), budget)
    try:
        game = reach(description, replace(budget, seconds=PART_GROUNDING * budget.seconds), left)
        seconds = budget.seconds - (time.monotonic() - begun)
        network = NetworkMachine(build_network(game, description.roles, seconds), description.source)
    except MemoryError:
        raise GroundingFailed("the network of the game does not fit into memory") from None
    machine = MixedMachine(network, prover, parts, left)
    machine.note = f"grounded in part in {time.monotonic() - begun:.2f} s"
    machine.fingerprint = description.fingerprint
    return machine


def _ground(description: Description, budget: Budget, kept: float) -> GroundGame:
    """The ground game: by our own grounder, and where that takes too long by clingo, if it is installed."""
    from heartlab.ggp.machine.reach import reach

    begun = time.monotonic()
    has_clingo = importlib.util.find_spec("clingo") is not None
    own = OWN_SHARE if has_clingo else 1.0 - kept
    try:
        return reach(description, replace(budget, seconds=budget.seconds * own))
    except GroundingFailed as reason:
        if not has_clingo or reason.limit not in ("time", "rules"):
            raise
        left = budget.seconds * (1.0 - kept) - (time.monotonic() - begun)
        try:
            return ground(description, replace(budget, seconds=max(0.05, left)))
        except GroundingFailed:
            is_late = reason.limit == "time"
            sentence = f"the game did not ground within {budget.seconds:g} seconds" if is_late else str(reason)
            raise GroundingFailed(sentence, reason.blamed, reason.limit) from None


def load_game(file: str | Path, kind: str = "auto", budget: Budget = Budget()) -> Machine:  # noqa: B008
    """Read a game and make a machine for it."""
    return make_machine(read_game(file), kind, budget)
