"""Analysis: what a searching player thinks of positions in recorded deals.

| module | what lives there |
|---|---|
| `position` | `analyse` one decision, `review` all decisions of a deal |
| `reading` | the deal at a place of a file; a position in words |
| `command` | `heartlab analyse`: files in, tables or JSON out |
| `weights` | `heartlab features`: the largest weights of a learned network |
| `explain` | `heartlab explain`: which features made a card look good or bad |
"""

from heartlab.players.analysis import Analysis, CardReport, Step, analyse, review

__all__ = ["Analysis", "CardReport", "Step", "analyse", "review"]
