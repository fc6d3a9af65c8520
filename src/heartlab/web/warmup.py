"""What a new computer has to compile before the first game, step by step behind the lobby, with honest progress.

Numba compiles a kernel when it is first called and keeps it in a cache, so each step calls what a game calls: it opens
a table, lets a player pass and play, asks the coach. What somebody waits for is done first.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial

from heartlab.cards import CardSet
from heartlab.deal import Deal
from heartlab.web.bots import EXPERT, FIRST_CHOICE, LEVELS, Bots
from heartlab.web.messages import Event, Ready
from heartlab.web.session import PERSON, Session
from heartlab.web.store import Settings
from heartlab.web.view import make_view

TABLE, DEAL, COACH = "table", "deal", "coach"
log = logging.getLogger(__package__)

Step = tuple[str, Callable[[], object]]


def open_table() -> None:
    """Everything that a table needs besides its bots: a deal, passes, the cards of a trick, views."""
    session = Session(Settings("standard", ["gnome"] * 3, seed=1), [], lambda row: None)
    make_view(session, Event("opened"))
    for seat in range(session.rules.players):
        session.pass_cards(seat, CardSet(list(session.deal.observe(seat).may_pass)[:3]))
    for _ in range(session.rules.players):
        session.play(min(session.deal.legal))
    make_view(session, Event("opened"))


def finish_deal() -> Session:
    """Everything that a deal needs after its first trick: points, what can be proved, the end."""
    session = Session(Settings("standard", ["gnome"] * 3, seed=1), [], lambda row: None)
    for seat in range(session.rules.players):
        session.pass_cards(seat, CardSet(list(session.deal.observe(seat).may_pass)[:3]))
    while session.deal.to_move is not None:
        session.play(max(session.deal.legal))
        make_view(session, Event("opened"))
    return session


def try_player(bots: Bots, name: str, scores: Sequence[int] | None = None) -> None:
    """Let a player pass, and play with a choice; with scores as in a later deal of a game."""
    deal = Deal("standard", 1, scores=scores)
    bots.pass_cards(name, deal.observe(PERSON))
    for seat in range(deal.rules.players):
        deal.pass_cards(seat, CardSet(list(deal.observe(seat).may_pass)[:3]))
    while len(deal.legal) < 2:
        deal.play(min(deal.legal))
    bots.play(name, deal.observe(deal.to_move or 0))


def usual_steps(bots: Bots) -> list[Step]:
    """What a newcomer needs: a table, the players of the first choice, the end of a deal, the others, a second deal.

    From the second deal of a game on Expert plays for the game, which compiles more.
    """
    likely = sorted(LEVELS, key=lambda level: level.name != FIRST_CHOICE)
    first, *others = dict.fromkeys(name for level in likely for name in level.players)
    tries = [(name, partial(try_player, bots, name)) for name in (first, *others)]
    later = (EXPERT, partial(try_player, bots, EXPERT, (0, 13, 6, 7)))
    return [(TABLE, open_table), tries[0], (DEAL, finish_deal), *tries[1:], later]


class Warmup:
    """The steps that are left, and who wants to hear of them. Without steps everything is ready."""

    def __init__(self, steps: Sequence[Step] = ()) -> None:
        self._left = list(steps)
        self._of = len(self._left)
        self._now = self._left[0][0] if self._left else ""
        self._lock = threading.Lock()
        self._listeners: dict[object, Callable[[Ready], None]] = {}
        self.words: Callable[[], str] = lambda: ""
        """Says where the coach's words come from, once the coach is ready."""

    def add(self, name: str, work: Callable[[], object]) -> None:
        """One more step, the last."""
        self._left.append((name, work))
        self._of += 1

    @property
    def ready(self) -> Ready:
        """The progress."""
        with self._lock:
            done = self._of - len(self._left)
        return Ready(done, self._of, self._now if done < self._of else "", self.words() if done == self._of else "")

    def want(self, names: Sequence[str]) -> None:
        """Somebody waits for these players: they are next."""
        with self._lock:
            self._left.sort(key=lambda step: step[0] != TABLE and step[0] not in names)

    def listen(self, who: object, hear: Callable[[Ready], None]) -> None:
        """Call a function after every step, on the thread that does them."""
        self._listeners[who] = hear

    def leave(self, who: object) -> None:
        """Call a function no more."""
        self._listeners.pop(who, None)

    def run(self) -> None:
        """Do all steps; one that fails is left to those who need it."""
        while True:
            with self._lock:
                if not self._left:
                    return
                step = self._left[0]
                self._now = step[0]
            self._tell()
            try:
                step[1]()
            except Exception:
                log.exception("%s could not be prepared", step[0])
            with self._lock:
                self._left.remove(step)
            self._tell()

    def _tell(self) -> None:
        ready = self.ready
        for hear in list(self._listeners.values()):
            hear(ready)
