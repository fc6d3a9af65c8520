"""The daily deal: one deal per day for everybody who has the same package, played once, then compared.

Its seed follows from the date, and bots choose by the seed, so everybody meets the same cards and the same opponents.
"""

from __future__ import annotations

from datetime import UTC, datetime

from heartlab.deal import Deal
from heartlab.web.bots import LEVELS, Bots
from heartlab.web.commitment import hash_lines
from heartlab.web.messages import MAX_SEED, MadeOfIt
from heartlab.web.session import PERSON
from heartlab.web.store import Settings

OPPONENTS = ["gnome:jake"] * 3
"""Who sits on the other seats."""


def today() -> str:
    """The day, the same for everybody on Earth: that of UTC."""
    return datetime.now(UTC).date().isoformat()


def daily_seed(day: str) -> int:
    """The seed of a day.

    >>> daily_seed("2026-11-17")
    3317626544151776
    """
    return int(hash_lines("heartlab daily 1", f"day {day}")[:16], 16) & MAX_SEED


def daily_settings(day: str, person: str) -> Settings:
    """The session in which somebody plays the deal of a day."""
    return Settings("standard", OPPONENTS, person, daily_seed(day), only=1, daily=day)


def play_out(bots: Bots, day: str, player: str) -> int:
    """The points that a player makes of the deal of a day from the person's seat."""
    deal = Deal("standard", daily_seed(day))
    players = [player, *OPPONENTS]
    for seat in list(deal.to_pass):
        deal.pass_cards(seat, bots.pass_cards(players[seat], deal.observe(seat)))
    while deal.to_move is not None:
        deal.play(bots.play(players[deal.to_move], deal.observe(deal.to_move)))
    return int(deal.points[PERSON])


def compare(bots: Bots, day: str) -> list[MadeOfIt]:
    """What each of the plain strengths makes of the deal of a day."""
    return [MadeOfIt(level.name, play_out(bots, day, level.players[0])) for level in LEVELS]
