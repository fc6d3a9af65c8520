"""Experiments: the claims of the papers, measured.

One module per paper, listed in `registry.PAPERS`, with a `PAPER` that names its experiments. `claims` says what a claim
is and how an interval becomes a verdict, `parts` keeps finished parts so that nothing is measured twice, `report`
writes JSON, Markdown and figures, `command` is what the command line calls.
"""

from heartlab.reproduction.claims import Claim
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Findings, Paper, find_paper, known_papers

__all__ = ["Claim", "Experiment", "Findings", "Paper", "Workshop", "find_paper", "known_papers"]
