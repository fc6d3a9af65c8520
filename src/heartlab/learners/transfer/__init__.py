"""Transfer between games (Banerjee and Stone 2007): features learned in one game, used in others.

| module | what lives there |
|---|---|
| `settings` | the settings of a learning run as typed values |
| `positions` | the explored part of a game as a graph that grows |
| `lookahead` | shapes of look-ahead trees, the features; values by search |
| `opponents` | how opponents move, and how they are recognised |
| `kernels` | learning matches in one compiled loop: afterstate TD(lambda) |
| `models` | values of features as a file; pooling |
| `trainer` | learning runs in a game |
| `discovery` | features from a source game |
| `guide` | what was learned as the prior of a tree search |
| `player` | the learner as a player of matches: `td` |
| `explain` | features as text and as a picture |
| `series` | what the experiments share: arms, series of runs, claims about order |
| `table_1`, `claims` | the paper: Table 1, figures 3 to 7, and the list of all experiments |
| `variants`, `beyond` | what the figures depend on; what lies beyond the paper |
| `wire` | the figures through a manager with clocks |
| `wider` | larger games, every game as source and target, recall, and what transfer costs |

>>> from heartlab.learners.transfer import Learner, Settings
>>> Settings(Learner.parse("terminal-only")).learner.text
'terminal-only'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartlab.util.lazy import lazy_names

if TYPE_CHECKING:
    from heartlab.learners.transfer.discovery import learn_features
    from heartlab.learners.transfer.models import FeatureModel, pool
    from heartlab.learners.transfer.player import TdPlayer
    from heartlab.learners.transfer.settings import Learner, Opponent, Reading, Recording, Settings
    from heartlab.learners.transfer.trainer import TurnGame, learn, learn_runs

__all__ = [
    "FeatureModel",
    "Learner",
    "Opponent",
    "Reading",
    "Recording",
    "Settings",
    "TdPlayer",
    "TurnGame",
    "learn",
    "learn_features",
    "learn_runs",
    "pool",
]

__getattr__ = lazy_names(
    __name__,
    {
        "FeatureModel": "heartlab.learners.transfer.models",
        "Learner": "heartlab.learners.transfer.settings",
        "Opponent": "heartlab.learners.transfer.settings",
        "Reading": "heartlab.learners.transfer.settings",
        "Recording": "heartlab.learners.transfer.settings",
        "Settings": "heartlab.learners.transfer.settings",
        "TdPlayer": "heartlab.learners.transfer.player",
        "TurnGame": "heartlab.learners.transfer.trainer",
        "learn": "heartlab.learners.transfer.trainer",
        "learn_features": "heartlab.learners.transfer.discovery",
        "learn_runs": "heartlab.learners.transfer.trainer",
        "pool": "heartlab.learners.transfer.models",
    },
)
