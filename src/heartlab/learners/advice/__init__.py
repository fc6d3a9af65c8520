"""Learning to use operational advice (Fürnkranz, Pfahringer, Kaindl & Kramer 2000), and beyond.

Modules, in reading order:

| module | what |
|---|---|
| `pieces` | pieces of advice: which of the legal cards to play; `certain` is the piece that searches |
| `abstractions` | what is true of the state, from 0 to 1 |
| `registry` | all advice by name, ours and users' |
| `network` | a network with one hidden layer, and back-propagation |
| `vote` | a voter: weights from the state, a card from the weights and the suggestions |
| `kernels` | games in which voters learn by temporal differences |
| `policy` | games in which the vote is learned by policy gradient |
| `games` | the players of such games, in Python |
| `player` | voters as players, and the models that they load |
| `trainer` | recipes with temporal differences; `vote_trainer` with policy gradient |
| `explain` | what a model has learned, and which advice decides a choice |
| `parts` | training runs and tournaments of the experiments |
| `runs` | learners trained and judged, as kept runs |
| `claims` | the paper's figures, table and statements |
| `overtraining` | why LEARNER-N gets worse again |
| `controls` | what the paper lacks: controls, and other readings |
| `beyond` | more advice, and other ways to learn |
"""

from heartlab.learners.advice.registry import abstraction, known_abstractions, known_pieces, piece

__all__ = ["abstraction", "known_abstractions", "known_pieces", "piece"]
