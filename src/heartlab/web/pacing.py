"""When a bot's card is shown: after a time that does not depend on its hand.

A searching player answers at once if only one card is legal, so the time of its answer would tell that its hand is
short of a suit. A card is therefore released a *slot* after the bot's turn began, whatever the thinking took. The slot
of a player and a number of cards in hand is one of a few lengths that covers all of its recent choices between two
cards or more; everybody may know both. Thinking that takes longer than the slot shows, once: the next slots are longer.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from heartlab.cards import CardSet

SLOTS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2, 1.6, 2.4, 3.2)
"""Seconds that a bot's card may take, from quick players to slow ones. Longer thinking shows when it is done."""
HEADROOM = 1.25
"""A slot is at least so many times as long as the longest recent thinking."""
RECENT = 32
"""Choices of a player with equally many cards in hand that decide about their slot."""

Key = tuple[str, int]
"""A player's name and the number of cards in its hand, 0 for a pass."""


@dataclass(frozen=True)
class Choice:
    """What a bot has chosen."""

    seat: int
    cards: CardSet
    """The cards to pass, or the card to play."""
    player: str
    in_hand: int
    """Cards in the bot's hand, 0 if it passes."""
    is_forced: bool
    """Only one card was legal."""
    seconds: float
    """How long it thought."""

    @property
    def is_pass(self) -> bool:
        return self.in_hand == 0

    @property
    def key(self) -> Key:
        return self.player, self.in_hand


class Pacing:
    """The slots of all players, and the clock by which they are kept.

    >>> pacing = Pacing()
    >>> pacing.slot(("uct", 5))
    0.05
    >>> pacing.note(("uct", 5), 0.3)
    >>> pacing.slot(("uct", 5)), pacing.slot(("uct", 4)), pacing.slot(("gnome", 5))
    (0.4, 0.4, 0.05)
    """

    def __init__(
        self,
        slots: tuple[float, ...] = SLOTS,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """
        :param slots: none at all means that cards are shown as soon as they are chosen.
        """
        self.slots, self.clock, self._sleep = slots, clock, sleep
        self._recent: dict[Key, deque[float]] = defaultdict(lambda: deque(maxlen=RECENT))

    def cover(self, seconds: float) -> float:
        """The shortest slot that is long enough; beyond the longest one, a multiple of it."""
        if not self.slots:
            return 0.0
        longest = self.slots[-1]
        return next((slot for slot in self.slots if slot >= seconds), longest * math.ceil(seconds / longest))

    def slot(self, key: Key) -> float:
        """How long the next choice of a player takes to be shown; one not seen yet is like the player's others."""
        player = key[0]
        seen = [key] if key in self._recent else [other for other in self._recent if other[0] == player]
        longest = max((max(self._recent[one]) for one in seen), default=0.0)
        return min(self.cover(HEADROOM * longest), self.slots[-1]) if self.slots else 0.0

    def is_quick(self, key: Key) -> bool:
        """Whether a player is so quick that several cards fit into the shortest slot."""
        return not self.slots or self.slot(key) == self.slots[0]

    def note(self, key: Key, seconds: float) -> None:
        """Note how long a choice between several cards took. What no slot covers, such as a compilation, is ignored."""
        if self.slots and seconds <= self.slots[-1]:
            self._recent[key].append(seconds)

    async def until(self, moment: float) -> float:
        """Wait for a moment of the clock; returns the seconds waited."""
        begun = self.clock()
        if moment > begun:
            await self._sleep(moment - begun)
        return self.clock() - begun

    def moments(self, chosen: Sequence[Choice], begun: float) -> list[float]:
        """When each of some choices is shown that were made in one piece of work, which began at this moment.

        The first one can be shown only when all are made, so its slot covers the whole piece.
        """
        moment, found = begun, []
        for place, one in enumerate(chosen):
            seconds = one.seconds if place else sum(other.seconds for other in chosen)
            if place == 0 or not one.is_pass:
                moment += max(self.slot(one.key), self.cover(seconds))
            found.append(moment)
            if not one.is_forced:
                self.note(one.key, seconds)
        return found
