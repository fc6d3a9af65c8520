"""Reproduction: the claims of the papers, measured.

| module | what |
|---|---|
| `claims` | statements with their numbers, and how an interval becomes a verdict |
| `registry` | papers, their experiments, and what an experiment finds |
| `parts` | finished parts of experiments are kept, so that nothing is measured twice |
| `kept`, `units` | what one independent run showed, as lines of JSON that are committed; reports resume from them |
| `series` | training runs with several seeds, as parts |
| `report`, `drawing` | JSON and Markdown; figures |
| `run` | `heartlab reproduce` |

Each learner has a module `claims` with its `PAPER`, listed as an entry point of the group `heartlab.papers`.
"""

from heartlab.reproduction.claims import Claim
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Findings, Paper, find_paper, known_papers
from heartlab.reproduction.series import Study, train_all, train_runs

__all__ = [
    "Claim",
    "Experiment",
    "Findings",
    "Paper",
    "Study",
    "Workshop",
    "find_paper",
    "known_papers",
    "train_all",
    "train_runs",
]
