"""The coach: what a searching player thinks of a decision, in words that a Hearts player knows.

In reading order:

| module | contents |
|---|---|
| `values` | what the coach answers; from when on a cost counts and is a mistake |
| `playing_on` | likely worlds, and how deals go on in them: solved, by the players at the table, or by simple rules |
| `outcomes` | what happened in these deals, counted for one seat |
| `judgement` | `Judge`: what every card or pass leads to, counted in these deals; cached by position |
| `scene` | a card in its position: what the ideas look at |
| `ideas` | reasons that every Hearts player knows, checked against the deals |
| `reasons` | which of them are told for a card, and what sets it apart in numbers |
| `passing` | the same for a pass |
| `phrases` | parts of their sentences |
| `words` | what learned models say: weighed advice, features of a network |
| `story` | a deal in three sentences |
| `counting` | the card-counting panel, and the warning of a moon |
| `coach` | `Coach`: hint, blunder check and review, from the modules above |
| `puzzles` | puzzles from mistakes, and when they come back |
| `level` | the level estimate |

Public: `Coach` and `Judge`, with the names of their answers.

    >>> from heartlab import Deal
    >>> from heartlab.coach import Coach, Judge, Seats
    >>> deal = Deal("seed", seed=1)
    >>> hint = Coach(Judge(worlds=4)).hint(deal, Seats(["You", "Ada", "Emil", "Ines"], ["gnome"] * 4))
    >>> len(hint.cards) == len(deal.legal)
    True
"""

from typing import TYPE_CHECKING

from heartlab.util.lazy import lazy_names

if TYPE_CHECKING:
    from heartlab.coach.coach import Coach, Seats
    from heartlab.coach.judgement import Judge, Judgement, PassReport
    from heartlab.coach.outcomes import Outcome

__all__ = ["Coach", "Judge", "Judgement", "Outcome", "PassReport", "Seats"]

_HOMES = dict.fromkeys(("Judge", "Judgement", "PassReport"), "judgement") | {"Outcome": "outcomes"}
_HOMES |= dict.fromkeys(("Coach", "Seats"), "coach")
__getattr__ = lazy_names(__name__, {name: f"{__name__}.{home}" for name, home in _HOMES.items()})
