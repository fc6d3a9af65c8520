"""The card-counting panel: what is out, who is void, who may hold Q♠, and whether somebody may shoot the moon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heartlab.cards import QUEEN_OF_SPADES, SUIT_CHARS, card_names
from heartlab.coach.ideas import MOON_ALARM, penalty_points
from heartlab.coach.judgement import Judge
from heartlab.coach.values import Counted
from heartlab.observation import Observation

WORLDS = 200
HALF = 0.5
"""The share of all points from which an unlikely moon is mentioned."""


def count_cards(judge: Judge, obs: Observation, seats: list[str], players: Sequence[str] | None = None) -> Counted:
    """The panel for what a seat may know; `players` play on when the moon is tried."""
    shares = judge.moon_risk(obs, WORLDS, players)
    queen, text = None, "Q♠ is in your hand."
    if QUEEN_OF_SPADES in obs.unseen:
        queen = queen_shares(obs)
        text = queen_words(queen, seats)
    elif QUEEN_OF_SPADES not in obs.hand:
        text = "Q♠ has been played."
    seat, risk, alarm = moon_words(obs, shares, seats)
    return Counted(
        at=len(obs.history),
        out=card_names(obs.unseen),
        voids=[[SUIT_CHARS[suit] for suit in obs.voids(seat)] for seat in range(obs.rules.players)],
        queen=None if queen is None else [round(share, 3) for share in queen],
        queen_text=text,
        moon=round(risk, 3),
        moon_seat=seat,
        moon_text=alarm,
        worlds=WORLDS,
    )


def queen_shares(obs: Observation) -> list[float]:
    """In which part of all deals that fit each seat holds Q♠: counted, not sampled. What is left lies in the kitty."""
    every, nobody = obs.count_worlds(), _held_only_by(obs, None)
    return [
        0.0 if seat == obs.seat else (_held_only_by(obs, seat) - nobody) / every for seat in range(obs.rules.players)
    ]


def _held_only_by(obs: Observation, seat: int | None) -> float:
    """The number of deals that fit in which no other hand than this one has Q♠."""
    narrowed = Observation(obs.rules, obs.records.copy())
    for other in range(obs.rules.players):
        if other != seat:
            narrowed.records["may_hold"][0, other] &= ~(np.uint64(1) << np.uint64(QUEEN_OF_SPADES))
    return narrowed.count_worlds()


def queen_words(shares: list[float], seats: list[str]) -> str:
    """Who has Q♠, if one seat is likelier than the others."""
    most = max(shares)
    likely = [seats[seat] for seat, share in enumerate(shares) if share > most - 1e-6]
    if most > 1 - 1e-6:
        return f"Q♠ is with {likely[0]}."
    if most < 1e-6:
        return "Q♠ lies in the kitty."
    if len(likely) == 1:
        return f"Q♠ is out; most likely with {likely[0]} ({100 * most:.0f} %)."
    return f"Q♠ is out; as likely with {', '.join(likely[:-1])} as with {likely[-1]} ({100 * most:.0f} % each)."


def moon_words(obs: Observation, shares: Sequence[float], seats: list[str]) -> tuple[int | None, float, str]:
    """Who threatens to shoot the moon, how likely, and a sentence; nobody, unless that is likely enough."""
    points = penalty_points(obs)
    holders = [seat for seat, value in enumerate(points) if value]
    if obs.rules.moon == "off":
        return None, 0.0, "These rules know no moon."
    if len(holders) > 1:
        return None, 0.0, "No moon any more: the points are split."
    likely = holders[0] if holders else int(np.argmax(shares))
    risk = float(shares[likely])
    have = "You have" if likely == obs.seat else f"{seats[likely]} has"
    if risk >= MOON_ALARM:
        what = f"{have} all the points so far ({points[likely]})" if holders else f"{have} none yet, but may try"
        text = f"Moon alarm: {what}; it succeeds in {100 * risk:.0f} % of the deals that fit"
        return likely, risk, f"{text}, if all play on by simple rules."
    if holders and points[likely] >= HALF * obs.rules.total_points:
        rest = f"but a moon succeeds in only {100 * risk:.0f} % of the deals that fit, if all play on by simple rules"
        return None, risk, f"{have} all the points so far ({points[likely]}), {rest}."
    return None, risk, "No moon in sight."
