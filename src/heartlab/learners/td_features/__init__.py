"""Features: atomic ones, their conjunctions, and linear networks over them.

| module | what lives there |
|---|---|
| `atoms` | named predicates of (open state, seat) as bits of a mask; yours, too |
| `clauses` | ORs and negations of them as atoms |
| `moon` | nine more, about the moon |
| `exclusions` | pairs of atoms that are never true together |
| `conjunctions` | sets of conjunctions as tries: exhaustive or by list |
| `selection` | the most useful ones of a network, and unions |
| `network` | a weight for each conjunction, as an evaluator |
"""

from heartlab.learners.td_features.features import atom

__all__ = ["atom"]
