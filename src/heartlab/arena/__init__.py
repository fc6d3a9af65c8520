"""The arena: matches between players, measured on duplicate deals.

Every deal is played in every seat arrangement, so that luck of the cards and of the seats cancels out. In reading
order:

- `seating`: all distinct seat arrangements;
- `rows`: `Match`, what is to be played, and the rows of deals that are in play together;
- `results`: `MatchResult`, what was measured per unit and kind of player;
- `match`: `run_match`, which plays batches on threads or on a cluster;
- `report`: a result as JSON values and as a table for people;
- `moons`: who tries to shoot the moon, makes it, concedes, stops it;
- `resume`: a match kept in a file, which can continue after an interruption;
- `recording`: the deals of a match written to a record file.
"""

from heartlab.arena.match import run_match
from heartlab.arena.moons import MoonCounter
from heartlab.arena.recording import Recorder
from heartlab.arena.report import result_dict, result_table, summary_lines
from heartlab.arena.results import MatchResult
from heartlab.arena.resume import KeepError
from heartlab.arena.rows import FinishedDeals, Match, PlayerFailure
from heartlab.arena.seating import arrangements

__all__ = [
    "FinishedDeals",
    "KeepError",
    "Match",
    "MatchResult",
    "MoonCounter",
    "PlayerFailure",
    "Recorder",
    "arrangements",
    "result_dict",
    "result_table",
    "run_match",
    "summary_lines",
]
