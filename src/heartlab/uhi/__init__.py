"""UHI, the universal Hearts interface: a line protocol for bots in any language, modelled on chess's UCI.

The specification is docs/uhi.md. In reading order:

- `lines`: the lines of the protocol, derived from an observation, and how answers are parsed;
- `process`: a bot's process, with its limits of time and memory;
- `strays`: processes that a bot left behind;
- `player`: the player `exec:COMMAND`, which runs a bot;
- `view`: what a bot knows from the lines it received;
- `server`: our own players as bots (`heartlab uhi PLAYER`);
- `check`: the conformance tester (`heartlab uhi-check COMMAND`).
"""

from heartlab.uhi.check import run_check
from heartlab.uhi.lines import LineError, dialogue
from heartlab.uhi.player import ExecPlayer, Settings, parse_settings
from heartlab.uhi.process import BotProcess, Fault
from heartlab.uhi.server import Server, serve
from heartlab.uhi.view import SeatView

__all__ = [
    "BotProcess",
    "ExecPlayer",
    "Fault",
    "LineError",
    "SeatView",
    "Server",
    "Settings",
    "dialogue",
    "parse_settings",
    "run_check",
    "serve",
]
