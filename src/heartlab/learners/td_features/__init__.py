"""Conjunctions of features, learned by TD(λ) (Sturtevant & White 2006), and beyond.

Modules, in reading order:

| module | what |
|---|---|
| `features` | atomic features: named predicates of (open state, seat); ORs and negations of them |
| `moon` | more features, about the moon |
| `exclusions` | pairs of atomic features that are never true together |
| `conjunctions` | sets of conjunctions as tries |
| `network` | a weight for each conjunction, as an evaluator |
| `selection` | the most useful conjunctions of a network |
| `kernels` | training deals: choose by search, then TD(λ) backwards |
| `player` | networks as models, players and an evaluator |
| `trainer` | recipes; `growth` is the one whose set of conjunctions grows |
| `explain` | the largest weights, and the reasons for a choice, in words |
| `raw` | the baseline over 416 raw card features |
| `parts` | training runs and matches of the experiments |
| `claims` | the papers' claims about the full game, trained in `full`; `tasks` has their single tasks |
| `controls` | XOR, why training can degrade, a stronger expert |
| `beyond` | other searches, other ways to learn, other features, more deals |
| `information` | learning from observations, by another learner's recipe, against features in worlds |
"""

from heartlab.learners.td_features.features import atom

__all__ = ["atom"]
