"""The GGP protocol: matches between players in this process or behind HTTP.

| module | what lives there |
|---|---|
| `messages` | the manager's messages as values, and back as text |
| `agent` | the player's side: a text comes in, a text goes out |
| `worker`, `frames` | the process in which a match is played, and what it and the server say to each other |
| `nursery` | where workers come from, and how they are ended |
| `supervisor` | the player's side with every match in a worker of its own, within limits |
| `server` | a player behind HTTP |
| `seats` | the manager's view of a player: in this process, or at an address |
| `manager` | one match between seats, and its record |
| `matches` | a series of matches between players given by name or address |
| `tournament`, `ratings` | everybody against everybody in several games, with ratings and a table |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartlab.util.lazy import lazy_names

if TYPE_CHECKING:
    from heartlab.ggp.protocol.agent import Agent
    from heartlab.ggp.protocol.manager import Clocks, Manager, MatchRecord
    from heartlab.ggp.protocol.matches import make_agent, make_seat, play_matches
    from heartlab.ggp.protocol.seats import LocalSeat, RemoteSeat
    from heartlab.ggp.protocol.server import PlayerServer
    from heartlab.ggp.protocol.supervisor import Limits, Supervisor

__all__ = [
    "Agent",
    "Clocks",
    "Limits",
    "LocalSeat",
    "Manager",
    "MatchRecord",
    "PlayerServer",
    "RemoteSeat",
    "Supervisor",
    "make_agent",
    "make_seat",
    "play_matches",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Agent": "heartlab.ggp.protocol.agent",
        "Clocks": "heartlab.ggp.protocol.manager",
        "Limits": "heartlab.ggp.protocol.supervisor",
        "LocalSeat": "heartlab.ggp.protocol.seats",
        "Manager": "heartlab.ggp.protocol.manager",
        "MatchRecord": "heartlab.ggp.protocol.manager",
        "PlayerServer": "heartlab.ggp.protocol.server",
        "RemoteSeat": "heartlab.ggp.protocol.seats",
        "Supervisor": "heartlab.ggp.protocol.supervisor",
        "make_agent": "heartlab.ggp.protocol.matches",
        "make_seat": "heartlab.ggp.protocol.matches",
        "play_matches": "heartlab.ggp.protocol.matches",
    },
)
