"""A whole game: deals until a seat reaches the limit, or a fixed number of deals."""

from __future__ import annotations

from collections.abc import Sequence

from heartlab.deal import Deal
from heartlab.rules import Rules


def game_is_over(rules: Rules, scores: Sequence[int], deals: int) -> bool:
    """Whether a game is over, given the totals and the number of deals played."""
    if rules.deals is not None:
        reached = deals >= rules.deals
    else:
        reached = max(scores) >= rules.limit + rules.over_limit
    if reached and rules.ties == "play-on":
        return sorted(scores)[0] < sorted(scores)[1]
    return reached


def winners(scores: Sequence[int]) -> list[int]:
    """The seats with the lowest total."""
    best = min(scores)
    return [seat for seat, score in enumerate(scores) if score == best]


class Game:
    """A game: the current deal, the finished ones, and the totals.

    >>> game = Game("standard", seed=3)
    >>> while not game.is_over:
    ...     game.deal.play_randomly(seed=game.deal.number)
    ...     game.next_deal()
    >>> max(game.scores) >= 100
    True
    """

    def __init__(self, rules: Rules | str = "standard", seed: int = 0) -> None:
        self.rules = Rules.parse(rules)
        self.seed = seed
        self.finished: list[Deal] = []
        self.deal = Deal(self.rules, seed, 0)

    @property
    def scores(self) -> tuple[int, ...]:
        """Totals of the finished deals."""
        return tuple(sum(deal.points[seat] for deal in self.finished) for seat in range(self.rules.players))

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.finished) and game_is_over(self.rules, self.scores, len(self.finished))

    @property
    def winners(self) -> list[int]:
        """The seats with the lowest total; empty until the game is over."""
        return winners(self.scores) if self.is_over else []

    def next_deal(self) -> None:
        """Add the finished deal to the totals, and deal the next one unless the game is over.

        :raises ValueError: if the current deal is not finished, or the game is over.
        """
        if self.is_over:
            raise ValueError(f"the game is over: {self}")
        if not self.deal.is_over:
            raise ValueError(f"deal {self.deal.number} is not finished: {len(self.deal.history)} cards are played")
        self.finished.append(self.deal)
        if not self.is_over:
            self.deal = Deal(self.rules, self.seed, len(self.finished), scores=self.scores)

    def __str__(self) -> str:
        totals = "  ".join(f"{seat}:{score}" for seat, score in enumerate(self.scores))
        if self.is_over:
            return f"over after {len(self.finished)} deals, totals {totals}, won by {self.winners}"
        return f"deal {len(self.finished)} of a game under {self.rules}, totals {totals}"

    def __repr__(self) -> str:
        return f"<Game {self}>"
