"""The players that the page offers, and their choices. They are given observations only.

The page can name only players on this list, never a file or a program, so that a message cannot make the server load or
start anything. The command line can add names to the list.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence

from heartlab.cards import CARDS, Card, CardSet, card_name
from heartlab.observation import Observation
from heartlab.players import Observations, Player, PlayerError, make_player
from heartlab.rules import Rules
from heartlab.web.messages import Opponent, Strength

EXPERT = "ace:worlds=48"
"""The strongest player that answers at once. A number of worlds and not a time: the daily deal must be the same."""

OPPONENTS = [
    Opponent("random", "Anything goes", "plays any legal card"),
    Opponent("gnome", "Beginner", "simple rules of thumb"),
    Opponent("gnome:jake", "Casual", "rules of thumb, and avoids Q♠ with care"),
    Opponent("advice:advice-four", "Experienced", "31 pieces of advice, weighed by learning"),
    Opponent("gnome:peter", "Sly", "careful rules, and shoots the moon when it can"),
    Opponent("uct:worlds=20,sims=200", "Strong", "searches 20 possible deals"),
    Opponent("td-closed", "Learned", "a network of 5,500 learned features, in 20 possible deals"),
    Opponent("ismcts:sims=10000", "Patient", "10,000 simulated deals for every card"),
    Opponent("net", "Master", "has learned the whole game: hidden cards, passing, the moon"),
    Opponent(EXPERT, "Expert", "the same, and looks ahead in 48 possible deals"),
]
"""From weak to strong as docs/strength.md has it; `td-closed`, `uct` and `ismcts` have not been measured together."""

LEVELS = [
    Strength("beginner", ["gnome"] * 3),
    Strength("casual", ["gnome:jake"] * 3),
    Strength("skilled", ["gnome:peter"] * 3),
    Strength("expert", [EXPERT] * 3),
]
"""The plain strengths: 0, 1.7 and 2.8 points a deal better than `gnome`, and above 4.3, says docs/play.md."""

OTHER = "other"
"""Opponents that are not one of the plain strengths."""

FIRST_CHOICE = "casual"
"""The strength that the page offers to somebody new (`page/options.js`): its players are compiled first."""

BOT_NAMES = ["Ada", "Emil", "Ines", "Oskar", "Lou", "Sol", "Ruth", "Theo", "Vera", "Karl", "Mina", "Paul"]
"""Names of the bots on the seats, enough for a full table beside people who are called like some of them."""


def strength_of(players: Sequence[str]) -> str:
    """The plain strength that the opponents of a table are, or that they are another one.

    >>> strength_of(["gnome"] * 3), strength_of(["gnome", "gnome", "net"])
    ('beginner', 'other')
    """
    return next((level.name for level in LEVELS if set(players) <= set(level.players)), OTHER)


class BotError(ValueError):
    """A player that is not offered, or cannot play the rules."""


class Bots:
    """Players by name, made once. A player answers one session at a time."""

    def __init__(self, more: list[str] | None = None) -> None:
        known = {one.name for one in OPPONENTS}
        self.opponents = [*OPPONENTS, *(Opponent(name, "Yours", name) for name in more or [] if name not in known)]
        self._names = {one.name for one in self.opponents}
        self._players: dict[str, tuple[Player, threading.Lock]] = {}
        self._making = threading.Lock()
        self.faults: dict[str, str] = {}
        """Players that have failed, with a sentence for the page, without their message: it may name cards."""
        self._reported: set[tuple[str, str]] = set()

    def check(self, name: str) -> None:
        """Refuse a name that is not on the list.

        :raises BotError: if it is not.
        """
        if name not in self._names:
            raise BotError(f"no player here is called {name[:40]!r}; known are {', '.join(sorted(self._names))}")

    def player(self, name: str) -> tuple[Player, threading.Lock]:
        """A player, and the lock to hold while it thinks."""
        self.check(name)
        if name in self._players:
            return self._players[name]
        with self._making:
            if name not in self._players:
                player = make_player(name)
                if player.is_open:
                    raise BotError(f"{name} sees all hands and may not sit at a table")
                self._players[name] = (player, threading.Lock())
            return self._players[name]

    def is_known_to_play(self, name: str, rules: Rules) -> bool:
        """Whether a player plays these rules, without making it: the table need not wait for its compilation.

        :raises BotError: for a name that is not on the list.
        """
        self.check(name)
        return rules == Rules() and any(name in level.players for level in LEVELS)

    def admit(self, name: str, rules: Rules) -> None:
        """Make a player for a session with these rules.

        :raises BotError: if it cannot play them: it would forfeit every choice.
        """
        try:
            self.player(name)[0].check_rules(rules)
        except PlayerError as error:
            raise BotError(f"{name} cannot sit at this table: {error}") from error

    def play(self, name: str, obs: Observation) -> Card:
        """The card that a player chooses; one that fails or cheats forfeits the choice to the lowest legal card."""
        player, lock = self.player(name)
        batch = Observations.of(obs)
        try:
            with lock:
                card = int(player.choose_cards(batch)[0])
        except Exception as error:
            self._report(name, type(error).__name__, str(error), obs)
            return min(obs.legal)
        if card not in obs.legal:
            self._report(name, "no legal card", f"it chose {card_name(card) if card in CARDS else 'none'}", obs)
            return min(obs.legal)
        return card

    def pass_cards(self, name: str, obs: Observation) -> CardSet:
        """The cards that a player passes; one that fails passes its highest."""
        player, lock = self.player(name)
        batch = Observations.of(obs)
        try:
            with lock:
                cards = CardSet(int(player.choose_passes(batch)[0]))
            if len(cards) == obs.pass_count and cards <= obs.may_pass:
                return cards
            self._report(name, "no legal pass", f"it chose {cards.names() or 'nothing'}", obs)
        except Exception as error:
            self._report(name, type(error).__name__, str(error), obs)
        return CardSet(sorted(obs.may_pass, key=lambda card: card % 13)[-obs.pass_count :])

    def _report(self, name: str, kind: str, detail: str, obs: Observation) -> None:
        """Report each kind of failure of a player once; its own message only in the server's output."""
        if (name, kind) in self._reported:
            return
        self._reported.add((name, kind))
        what = "legal cards were passed" if obs.phase == "pass" else "a legal card was played"
        self.faults.setdefault(name, f"{name} failed ({kind}), and {what} for it; the server's output says more.")
        where = f"deal {obs.deal_number}, seat {obs.seat}, after {len(obs.history)} cards"
        print(f"heartlab: {name}: {kind}: {detail} ({where}); {what} for it", file=sys.stderr, flush=True)
