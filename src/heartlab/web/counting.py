"""The card-counting panel: what is out, who is void, who may hold Q♠, and whether somebody may shoot the moon."""

from __future__ import annotations

import numpy as np

from heartlab.cards import QUEEN_OF_SPADES, SUIT_CHARS
from heartlab.observation import Observation
from heartlab.web.ideas import MOON_ALARM
from heartlab.web.judge import Judge
from heartlab.web.messages import Counted
from heartlab.web.view import names

WORLDS = 200


def count_cards(judge: Judge, obs: Observation, seats: list[str], seed: int = 0) -> Counted:
    """The panel for what a seat may know."""
    n = obs.rules.players
    shares, worlds = judge.moon_risk(obs, seed, WORLDS)
    queen, text = None, "Q♠ is in your hand."
    if QUEEN_OF_SPADES in obs.unseen:
        held = (worlds["hands"][:, :n] >> np.uint64(QUEEN_OF_SPADES)) & np.uint64(1)
        queen = [round(float(share), 3) for share in held.mean(axis=0)]
        likely = max(range(n), key=lambda seat: queen[seat] if queen else 0)
        text = f"Q♠ is out; most likely with {seats[likely]} ({100 * queen[likely]:.0f} %)."
    elif QUEEN_OF_SPADES not in obs.hand:
        text = "Q♠ has been played."
    seat, risk, alarm = _moon(obs, shares, seats)
    return Counted(
        at=len(obs.history),
        out=names(obs.unseen),
        voids=[[SUIT_CHARS[suit] for suit in obs.voids(seat)] for seat in range(n)],
        queen=queen,
        queen_text=text,
        moon=round(risk, 3),
        moon_seat=seat,
        moon_text=alarm,
        worlds=WORLDS,
    )


def _moon(obs: Observation, shares: np.ndarray, seats: list[str]) -> tuple[int | None, float, str]:
    """Who threatens to shoot the moon, how likely, and a sentence."""
    points = [max(0, value) for value in obs.points]
    holders = [seat for seat, value in enumerate(points) if value]
    if obs.rules.moon == "off":
        return None, 0.0, "These rules know no moon."
    if len(holders) > 1:
        return None, 0.0, "No moon any more: the points are split."
    likely = holders[0] if holders else int(np.argmax(shares))
    risk = float(shares[likely])
    if risk < MOON_ALARM and not (holders and points[likely] >= 13):
        return None, risk, "No moon in sight."
    who = "You" if likely == obs.seat else seats[likely]
    have = f"{'have' if likely == obs.seat else 'has'} all {points[likely]} points so far" if holders else "may try"
    return likely, risk, f"Moon alarm: {who} {have}; it succeeds in {100 * risk:.0f} % of the deals that fit."
