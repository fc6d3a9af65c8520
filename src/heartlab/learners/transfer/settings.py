"""The settings of a learning run as typed values; text is parsed here, once.

Every choice is an enumeration whose members have the texts that commands, models and reports use: `Learner.parse(
"terminal-only")`, `Learner.TERMINAL_ONLY.text`. Kernels get the same settings as plain numbers.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, TypeVar

from heartlab.ggp.gdl.terms import GdlError
from heartlab.util.errors import quoted

Kind = TypeVar("Kind", bound="Choice")

MAX_DEPTH = 6
"""Most plies of look-ahead."""
FEATURE_DEPTH = 2
"""Plies of look-ahead in a feature: a move of the opponent and a reply, as in the paper."""


class Choice(IntEnum):
    """A choice between values that have texts."""

    @property
    def text(self) -> str:
        """How commands, models and reports write it."""
        return self.name.lower().replace("_", "-")

    @classmethod
    def parse(cls: type[Kind], text: str) -> Kind:
        """The value of a text.

        Raises:
            GdlError: there is none; the message lists those that there are.
        """
        known = {one.text: one for one in cls}
        if text not in known:
            raise GdlError(f"no {cls.__name__.lower()} is called {quoted(text)}; there are {', '.join(known)}")
        return known[text]


class Learner(Choice):
    """How a learner initialises the value of an afterstate that it meets for the first time.

    >>> Learner.parse("look-ahead"), Learner.TERMINAL_ONLY.text
    (<Learner.LOOK_AHEAD: 4>, 'terminal-only')
    """

    BASELINE = 0
    """Always 50."""
    TERMINAL_ONLY = 1
    """The goal where the game is over, else 50: the control that the paper lacks."""
    TRANSFER = 2
    """The value of its look-ahead feature, learned in source games; the goal where the game is over."""
    HABITS = 3
    """Look-ahead in which the opponent moves by the habits that were seen in source games."""
    LOOK_AHEAD = 4
    """Look-ahead in which the opponent minimises (minimax)."""
    AVGMAX = 5
    """Look-ahead in which the opponent moves at random."""
    MAXMAX = 6
    """Look-ahead in which the opponent helps the learner."""


class Reading(Choice):
    """When an initial value is known, which the paper leaves open.

    >>> Reading.parse("look-up"), Settings().reading.text
    (<Reading.LOOK_UP: 2>, 'terminal-check')
    """

    LITERAL = 0
    """After the first visit only."""
    TERMINAL_CHECK = 1
    """Also for candidate moves that end the game."""
    LOOK_UP = 2
    """For every candidate move."""


class Opponent(Choice):
    """The opponent of a learner; all but RANDOM move at random now and then (`opponent_epsilon`).

    >>> Opponent.parse("eps-greedy"), [opponent.text for opponent in FIXED]
    (<Opponent.EPS_GREEDY: 1>, ['random', 'eps-greedy', 'weak', 'blocking'])
    """

    RANDOM = 0
    """Uniform over its moves."""
    EPS_GREEDY = 1
    """Takes moves that win at once, avoids those that lose at once."""
    WEAK = 2
    """The reverse."""
    BLOCKING = 3
    """Like EPS_GREEDY, and avoids moves that let the learner win at once."""
    ADAPTIVE = 4
    """Learns by TD(lambda) itself."""
    SWITCHING = 5
    """EPS_GREEDY, WEAK and RANDOM in turn, for `period` matches each."""


FIXED = (Opponent.RANDOM, Opponent.EPS_GREEDY, Opponent.WEAK, Opponent.BLOCKING)
"""The opponents that do not change, against which features can be learned."""
STANDARD = (Opponent.EPS_GREEDY, Opponent.RANDOM, Opponent.WEAK)
"""The opponents of the paper."""


class Recording(Choice):
    """Which positions of a match are learned.

    >>> Recording.parse("own-and-last"), Settings().recording.text
    (<Recording.OWN_AND_LAST: 1>, 'own')
    """

    ALL = 0
    """After every move: our other reading, which fits the values of the paper's Table 1 best."""
    OWN_AND_LAST = 1
    """After the learner's moves, and the last position."""
    OWN = 2
    """After the learner's moves only: its afterstates, as the paper says."""


class Settings(NamedTuple):
    """The settings of a learning run; numbers are those of the paper where it prints them.

    >>> settings = Settings(Learner.LOOK_AHEAD, depth=4, alpha=0.1)
    >>> settings.texts()["learner"], settings.depth, settings.epsilon
    ('look-ahead', 4, 0.01)
    >>> settings._replace(depth=9).check()
    Traceback (most recent call last):
    heartlab.ggp.gdl.terms.GdlError: look-ahead may be 2 to 6 plies deep, not 9
    """

    learner: Learner = Learner.BASELINE
    reading: Reading = Reading.TERMINAL_CHECK
    opponent: Opponent = Opponent.EPS_GREEDY
    recording: Recording = Recording.OWN
    role: int = 0
    alternate: bool = False
    """Whether the roles change from match to match."""
    depth: int = FEATURE_DEPTH
    """Plies of look-ahead below an afterstate, for learners that search."""
    recall: bool = False
    """Whether learned values count where the look-ahead stops."""
    alpha: float = 0.3
    trace: float = 0.7
    """Lambda of TD(lambda)."""
    epsilon: float = 0.01
    """How often the learner moves at random."""
    opponent_epsilon: float = 0.1
    """How often the opponent moves at random."""
    recognise: bool = False
    """Whether the learner has to find out who its opponent is."""
    forget: float = 1.0
    """The share of the evidence about the opponent that is kept after each match."""
    period: int = 500
    """Matches after which a switching opponent becomes another."""

    def numbers(self) -> Settings:
        """The same settings for kernels: numba takes plain ints much faster than members of enumerations."""
        return Settings._make(int(value) if isinstance(value, Choice) else value for value in self)

    def texts(self) -> dict[str, str | int | float]:
        """The same settings as plain values, for files."""
        return {
            name: value.text if isinstance(value, Choice) else value
            for name, value in zip(self._fields, self, strict=True)
        }

    def check(self) -> None:
        """See that numbers are in range.

        Raises:
            GdlError: one is not.
        """
        if not 2 <= self.depth <= MAX_DEPTH:
            raise GdlError(f"look-ahead may be 2 to {MAX_DEPTH} plies deep, not {self.depth}")
        if self.role not in (0, 1):
            raise GdlError(f"the learner's role is 0 or 1, not {self.role}")
        if not 0 <= self.opponent_epsilon <= 1:
            raise GdlError(f"the share of slips is from 0 to 1, not {self.opponent_epsilon:g}")


_SEARCH = ("reading", "depth", "recall")
OPTIONS = {
    Learner.BASELINE: (),
    Learner.TERMINAL_ONLY: ("reading",),
    Learner.TRANSFER: ("reading", "recall", "recognise", "model"),
    Learner.HABITS: ("reading", "depth", "recall", "recognise", "model"),
    Learner.LOOK_AHEAD: _SEARCH,
    Learner.AVGMAX: _SEARCH,
    Learner.MAXMAX: _SEARCH,
}
"""The options that make a difference to each learner."""


def check_options(learner: Learner, **given: object) -> None:
    """See that options that were given (are neither None nor False) make a difference to a learner.

    Raises:
        GdlError: one does not.
    """
    takes = OPTIONS[learner]
    for name, value in given.items():
        if value is not None and value is not False and name not in takes:
            known = ", ".join(f"--{one}" for one in takes) or "none of these options"
            raise GdlError(f"--{name} makes no difference to the learner {learner.text}, which takes {known}")
