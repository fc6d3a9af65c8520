"""A tournament: every player against every other in several games and all seats, with ratings and a table.

The schedule is a list that only grows with the number of rounds, so a tournament that was broken off goes on where it
stopped, and one that is over goes on with more rounds. What was played stands in a file: one line that says which
tournament it is, and one for each match, in their order. A match whose line is not complete is played again.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from heartlab.ggp.gdl.terms import RANDOM_ROLE, GdlError
from heartlab.ggp.protocol.manager import Manager, MatchRecord, Watch
from heartlab.ggp.protocol.matches import make_seat
from heartlab.ggp.protocol.ratings import rate
from heartlab.ggp.protocol.seats import Seat
from heartlab.util.files import naming, read_at_most
from heartlab.util.locks import alone
from heartlab.util.statistics import estimate

FORMAT = "heartlab-ggp-tournament"
MOST_BYTES = 1 << 30
"""Largest file that is read."""


@dataclass(frozen=True)
class Pairing:
    """One match of the schedule: the number of its game, and the players in the order of seats."""

    game: int
    players: tuple[int, ...]


@dataclass(frozen=True)
class Played:
    """One match that was played."""

    game: int
    players: tuple[int, ...]
    goals: tuple[int | None, ...]
    """In the order of seats; None for a player without a goal."""
    turns: int
    seconds: float
    troubles: tuple[dict[str, int], ...] = ()
    """How often each kind of trouble occurred with each of the players."""

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON."""
        return {**vars(self), "players": list(self.players), "goals": list(self.goals), "troubles": list(self.troubles)}


@dataclass
class Tournament:
    """Players and games, and what was played."""

    managers: Sequence[Manager]
    players: Sequence[str]
    rounds: int
    seed: int = 0
    played: list[Played] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Check that the players suffice.

        Raises:
            GdlError: a player or game is there twice, or a game needs more players than there are.
        """
        for what, names in (("player", list(self.players)), ("game", [one.machine.name for one in self.managers])):
            twice = [name for name, count in Counter(names).items() if count > 1]
            if twice:
                raise GdlError(f"the {what} {twice[0]} is in the tournament twice")
        if len(self.players) < 2:
            raise GdlError(f"a tournament needs two players or more, not {len(self.players)}")
        for manager in self.managers:
            if manager.seats_needed > len(self.players):
                needed = f"{manager.seats_needed} players, and there are {len(self.players)}"
                raise GdlError(f"{manager.machine.name} needs {needed}")

    def schedule(self) -> list[Pairing]:
        """All matches: in every round every group of players in every game, rotated through all its seats."""
        return list(itertools.islice(self._pairings(), self.rounds * self.round_size))

    @property
    def round_size(self) -> int:
        """Matches of one round."""
        return sum(1 for _ in self._one_round(0))

    def _pairings(self) -> Iterator[Pairing]:
        for number in itertools.count():
            yield from self._one_round(number)

    def _one_round(self, number: int) -> Iterator[Pairing]:
        """One round; where more than two play, rounds differ in who sits next to whom."""
        for game, manager in enumerate(self.managers):
            for group in itertools.combinations(range(len(self.players)), manager.seats_needed):
                orders = list(itertools.permutations(group[1:]))
                order = (*group[:1], *orders[number % len(orders)])
                for shift in range(len(order)):
                    yield Pairing(game, order[shift:] + order[:shift])

    @property
    def identity(self) -> dict[str, Any]:
        """What a file must be about for its matches to count; rounds may be added."""
        return {
            "format": FORMAT,
            "players": list(self.players),
            "games": [
                {"name": one.machine.name, "fingerprint": one.machine.fingerprint, "roles": one.seats_needed}
                for one in self.managers
            ],
            "clocks": [[one.clocks.start, one.clocks.play] for one in self.managers],
            "scrambled": [one.scramble for one in self.managers],
            "seed": self.seed,
        }

    def play(
        self,
        record: Path | None = None,
        tell: Callable[[int, int, str], None] = lambda done, total, text: None,
        stopped: Callable[[], bool] = lambda: False,
        watch: Watch | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> bool:
        """Play what is left of the schedule, or until `stopped`; whether all was played.

        Somebody may watch the matches; `changed` is called when `played` is known, and after each match.

        Raises:
            GdlError: a player is not known, or the file holds another tournament.
        """
        schedule = self.schedule()
        with ExitStack() as stack:
            if record is not None:
                lock = record.with_name(f"{record.name}.lock")
                stack.enter_context(alone(lock, f"{record}: another process plays this tournament"))
                self._read(record, schedule)
            seats = []
            for place, text in enumerate(self.players):
                seats.append(make_seat(text, self.seed * 1009 + place))
                stack.callback(seats[-1].close)
            changed()
            for number in range(len(self.played), len(schedule)):
                if stopped():
                    return False
                played = self._match(schedule[number], number, seats, watch)
                if record is not None:
                    with naming(record), record.open("a", encoding="utf-8") as out:
                        out.write(json.dumps(played.to_dict()) + "\n")
                self.played.append(played)
                changed()
                tell(number + 1, len(schedule), self._line(played))
        return True

    def _match(self, pairing: Pairing, number: int, seats: Sequence[Seat], watch: Watch | None) -> Played:
        manager = self.managers[pairing.game]
        result: MatchRecord = manager.play([seats[place] for place in pairing.players], number, self.seed, watch)
        roles = [role for role, name in enumerate(result.roles) if name != RANDOM_ROLE]
        return Played(
            pairing.game,
            pairing.players,
            tuple(result.goals[role] for role in roles),
            len(result.moves),
            result.seconds,
            tuple(dict(result.troubles_of(role)) for role in roles),
        )

    def _line(self, played: Played) -> str:
        goals = "  ".join(
            f"{self.players[player]}={'?' if goal is None else goal}"
            for player, goal in zip(played.players, played.goals, strict=True)
        )
        return f"{self.managers[played.game].machine.name}: {goals}"

    # The file

    def _read(self, record: Path, schedule: Sequence[Pairing]) -> None:
        """Take up what a file holds; an incomplete last line is cut off.

        Raises:
            GdlError: the file holds something else.
        """
        if not record.exists() or record.stat().st_size == 0:
            with naming(record), record.open("w", encoding="utf-8") as out:
                out.write(json.dumps(self.identity) + "\n")
            return
        data = read_at_most(record, MOST_BYTES)
        if data is None:
            raise GdlError(f"{record}: has more than {MOST_BYTES:,} bytes, so it is not a tournament")
        complete = data[: data.rfind(b"\n") + 1]
        lines = complete.splitlines()
        try:
            found = json.loads(lines[0]) if lines else {}
        except ValueError:
            found = {}
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise GdlError(f"{record}: this file holds no tournament; name a new file, or one that a tournament wrote")
        for key, own in self.identity.items():
            if found.get(key) != own:
                raise GdlError(f"{record}: holds a tournament with other {key}; name another file")
        self.played = [
            self._played(record, number, line, schedule) for number, line in enumerate(lines[1 : len(schedule) + 1])
        ]
        if len(complete) < len(data):
            with record.open("r+b") as out:
                out.truncate(len(complete))

    def _played(self, record: Path, number: int, line: bytes, schedule: Sequence[Pairing]) -> Played:
        """A match from its line.

        Raises:
            GdlError: the line is damaged.
        """
        try:
            fields = json.loads(line)
            goals = tuple(None if goal is None else int(goal) for goal in fields["goals"])
            troubles = tuple({str(kind): int(count) for kind, count in one.items()} for one in fields["troubles"])
            pairing = Pairing(int(fields["game"]), tuple(map(int, fields["players"])))
            found = Played(
                pairing.game, pairing.players, goals, int(fields["turns"]), float(fields["seconds"]), troubles
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            raise GdlError(f"{record}:{number + 2}: this line is damaged; delete it and those below it") from None
        if pairing != schedule[number] or not len(goals) == len(troubles) == len(pairing.players):
            raise GdlError(
                f"{record}:{number + 2}: this is not match {number + 1} of the schedule; delete it and below"
            )
        return found

    # The result

    def standings(self) -> dict[str, Any]:
        """Ratings, means and troubles of all players, best first, for JSON."""
        rated = rate([result for played in self.played if (result := _compared(played))], len(self.players))
        rows = [self._standing(player) for player in range(len(self.players))]
        for row, one in zip(rows, rated, strict=True):
            row["rating"], row["ci95"] = round(one.rating, 1), [round(bound, 1) for bound in one.ci95]
        rows.sort(key=lambda row: -row["rating"])
        return {
            "games": [one.machine.name for one in self.managers],
            "rounds": self.rounds,
            "matches": len(self.played),
            "scheduled": self.rounds * self.round_size,
            "seed": self.seed,
            "seconds": round(sum(one.seconds for one in self.played), 3),
            "players": rows,
        }

    def _standing(self, player: int) -> dict[str, Any]:
        by_game: list[list[int]] = [[] for _ in self.managers]
        compared: Counter[str] = Counter()
        troubles: Counter[str] = Counter()
        for played in self.played:
            if player not in played.players:
                continue
            seat = played.players.index(player)
            troubles.update(played.troubles[seat])
            goal = played.goals[seat]
            if goal is None:
                compared["without_goal"] += 1
                continue
            by_game[played.game].append(goal)
            for place, rival in enumerate(played.goals):
                if place != seat and rival is not None:
                    compared["won" if goal > rival else "drawn" if goal == rival else "lost"] += 1
        everything = estimate(np.array([goal for own in by_game for goal in own], np.float64))
        return {
            "name": self.players[player],
            "mean": round(everything.mean, 3) if everything.n else None,
            "half_width": round(everything.ci95[1] - everything.mean, 3) if everything.n > 1 else None,
            **{key: compared[key] for key in ("won", "drawn", "lost", "without_goal")},
            "games": {
                manager.machine.name: {"mean": round(float(np.mean(own)), 3) if own else None, "matches": len(own)}
                for manager, own in zip(self.managers, by_game, strict=True)
            },
            "troubles": dict(troubles),
        }


def _compared(played: Played) -> list[tuple[int, int]]:
    """The players of a match that have a goal, if those can be compared."""
    found = [(player, goal) for player, goal in zip(played.players, played.goals, strict=True) if goal is not None]
    return found if len(found) > 1 else []


def standings_text(standings: dict[str, Any]) -> str:
    """The standings as a table in plain text."""
    games = standings["games"]
    heads = ["", "player", "rating", "95 %", "won", "drawn", "lost", "mean goal", *games]
    rows = [heads]
    for place, row in enumerate(standings["players"], 1):
        spread = f" ± {row['half_width']:.1f}" if row["half_width"] is not None else ""
        mean = "-" if row["mean"] is None else f"{row['mean']:.1f}{spread}"
        means = [row["games"][game]["mean"] for game in games]
        rows.append(
            [
                str(place),
                row["name"],
                f"{row['rating']:.0f}",
                f"{row['ci95'][0]:.0f} .. {row['ci95'][1]:.0f}",
                *(str(row[key]) for key in ("won", "drawn", "lost")),
                mean,
                *("-" if one is None else f"{one:.1f}" for one in means),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    for row in standings["players"]:
        if row["troubles"]:
            listed = ", ".join(f"{count} {kind}" for kind, count in row["troubles"].items())
            lines.append(f"{row['name']}: {listed}")
    lines.append(f"{standings['matches']} of {standings['scheduled']} matches, seed {standings['seed']}")
    return "\n".join(lines)
