"""Analysis: what a searching player thinks of positions in recorded deals.

| module | what lives there |
|---|---|
| `position` | `analyse` one decision, `review` all decisions of a deal |
| `command` | `heartlab analyse`: files in, tables or JSON out |
"""

from heartlab.analysis.position import Analysis, CardReport, Step, analyse, review

__all__ = ["Analysis", "CardReport", "Step", "analyse", "review"]
