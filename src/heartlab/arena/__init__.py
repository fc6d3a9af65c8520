"""The arena: matches between players that measure honestly.

Deals are duplicated and played in every seat arrangement, so that luck of the cards and of the seat cancels out.
`rows` plays, `match` spreads the deals over threads and sums up, `arrangements` says who sits where, `results` turns
per-deal means into intervals, `report` into tables and JSON, `recording` keeps the deals.
"""

from heartlab.arena.match import run_match
from heartlab.arena.report import result_dict, result_table
from heartlab.arena.results import MatchResult
from heartlab.arena.rows import Match, PlayerFailure

__all__ = ["Match", "MatchResult", "PlayerFailure", "result_dict", "result_table", "run_match"]
