"""A series of matches between players given by name or address, and its summary."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypedDict

import numpy as np

from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.machine.load import load_game
from heartlab.ggp.players.registry import FAMILIES, make_game_player
from heartlab.ggp.protocol.agent import Agent
from heartlab.ggp.protocol.manager import Manager, MatchRecord, Watch
from heartlab.ggp.protocol.seats import LocalSeat, RemoteSeat, Seat
from heartlab.util.files import naming
from heartlab.util.statistics import estimate


class Means(TypedDict):
    """The mean goal of a player, half the width of its 95 % interval, and the number of matches without a goal."""

    mean: float | None
    half_width: float | None
    without_goal: int


class PlayerSummary(Means):
    """The results of one player."""

    name: str
    troubles: dict[str, int]


class Summary(TypedDict):
    """The results of a series of matches."""

    game: str
    matches: int
    finished: int
    seed: int
    scrambled: bool
    seconds: float
    players: list[PlayerSummary]


@cache
def warm_up(spec: str) -> None:
    """Let a player play once, so that nothing is compiled while a clock runs."""
    make_game_player(spec).warm_up(load_game("nim"))


def make_agent(spec: str, seed: int = 0) -> Agent:
    """An agent with a new player for every match.

    Raises:
        GdlError: there is no such player.
    """
    first = make_game_player(spec)
    warm_up(spec)
    return Agent(first.successor, name=first.name, close=first.close, seed=seed * 1_000_003)


def make_seat(text: str, seed: int) -> Seat:
    """A seat from the name of a player or an address; a host named like a player needs http:// in front."""
    is_player = text.partition(":")[0] in FAMILIES
    if text.startswith("http://") or (not is_player and text.rpartition(":")[2].isdecimal()):
        return RemoteSeat(text)
    return LocalSeat(make_agent(text, seed), text)


@dataclass
class _Tally:
    """The results of one player so far."""

    seat: Seat
    goals: list[int | None] = field(default_factory=list)
    troubles: Counter[str] = field(default_factory=Counter)

    def summary(self) -> PlayerSummary:
        return {"name": self.seat.name, **_means(self.goals), "troubles": dict(self.troubles)}


def play_matches(
    manager: Manager,
    players: list[str],
    number: int,
    seed: int = 0,
    rotate: bool = False,
    record: Path | None = None,
    tell: Callable[[str], None] | None = None,
    watch: Watch | None = None,
) -> Summary:
    """Play a number of matches: mean goals with their intervals, and what went wrong.

    Matches without a goal for a player (broken off, or not defined by the rules) are not in its mean; `without_goal`
    counts them.

    Raises:
        GdlError: a player is not known, there are not as many as the game needs, or the record is something else.
    """
    if len(players) != manager.seats_needed:
        raise GdlError(f"{manager.machine.name} needs {manager.seats_needed} players, not {len(players)}")
    if record is not None:
        _prepare_record(record)
    tallies = [_Tally(make_seat(text, seed * 1009 + place)) for place, text in enumerate(players)]
    finished, seconds = 0, 0.0
    try:
        for match in range(number):
            shift = match % len(tallies) if rotate else 0
            order = [*tallies[shift:], *tallies[:shift]]
            result = manager.play([one.seat for one in order], match, seed, watch)
            finished += result.finished
            seconds += result.seconds
            own_roles = [role for role, name in enumerate(result.roles) if name != "random"]
            for one, role in zip(order, own_roles, strict=True):
                one.goals.append(result.goals[role])
                one.troubles += result.troubles_of(role)
            if record is not None:
                with naming(record), record.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(result.to_dict(), ensure_ascii=False) + "\n")
            if tell is not None:
                tell(_line(match, result))
    finally:
        for one in tallies:
            one.seat.close()
    summary: Summary = {
        "game": manager.machine.name,
        "matches": number,
        "finished": finished,
        "seed": seed,
        "scrambled": manager.scramble,
        "seconds": round(seconds, 3),
        "players": [one.summary() for one in tallies],
    }
    if tell is not None:
        for player in summary["players"]:
            tell(_player_line(player))
    return summary


def _prepare_record(record: Path) -> None:
    """Make the file of matches, or see that the next one begins on a line of its own.

    Raises:
        GdlError: the file holds something else.
    """
    record.open("ab").close()
    if not record.is_file():  # a pipe, such as /dev/stdout
        return
    with naming(record), record.open("r+b") as out:
        if out.read(1) not in (b"", b"{"):
            raise GdlError(f"{record}: holds no matches; name a new file, or one that a match wrote")
        out.seek(-1 if out.tell() else 0, os.SEEK_END)
        if out.read() not in (b"", b"\n"):
            out.write(b"\n")


def _means(goals: list[int | None]) -> Means:
    known = [goal for goal in goals if goal is not None]
    found = estimate(np.array(known, np.float64))
    half = (found.ci95[1] - found.ci95[0]) / 2 if found.n > 1 else None
    return {"mean": found.mean if known else None, "half_width": half, "without_goal": len(goals) - len(known)}


def _player_line(player: PlayerSummary) -> str:
    mean = "none" if player["mean"] is None else f"{player['mean']:.1f}"
    spread = f" ± {player['half_width']:.1f} (95 %)" if player["half_width"] is not None else ""
    missing = f"  ({player['without_goal']} without a goal)" if player["without_goal"] else ""
    return f"{player['name']:<24} mean goal {mean}{spread}{missing}{_listed(player['troubles'])}"


def _listed(troubles: Mapping[str, int]) -> str:
    listed = ", ".join(f"{count} {kind}" for kind, count in troubles.items())
    return f"  [{listed}]" if listed else ""


def _line(number: int, result: MatchRecord) -> str:
    goals = "  ".join(
        f"{role}={'?' if goal is None else goal}" for role, goal in zip(result.roles, result.goals, strict=True)
    )
    kinds = Counter(trouble.kind for trouble in result.troubles)
    ending = "" if result.finished else "  (broken off)"
    return f"match {number + 1}: {goals}  {len(result.moves)} turns{ending}{_listed(kinds)}"
