"""The card-counting panel: what is out, who is void, who may hold Q♠; and the warning of a moon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heartlab.cards import HEARTS, JACK, QUEEN_OF_SPADES, SUIT_CHARS, card_names, card_rank, card_suit, pretty_card
from heartlab.coach.judgement import Judge
from heartlab.coach.phrases import of_100
from heartlab.coach.scene import MOON_ALARM, penalty_points
from heartlab.coach.values import Counted, MoonRisk
from heartlab.observation import Observation
from heartlab.util.said import Said


def count_cards(
    judge: Judge, obs: Observation, seats: list[str], players: Sequence[str] | None = None, seed: int = 0
) -> Counted:
    """The panel for what a seat may know; `players` play on when the moon is tried."""
    queen, text = None, Said("Q♠ is in your hand.")
    if QUEEN_OF_SPADES in obs.unseen:
        queen = queen_shares(obs)
        text = queen_words(queen, seats)
    elif QUEEN_OF_SPADES not in obs.hand:
        text = Said("Q♠ has been played.")
    warning = moon_warning(judge, obs, seats, players, seed)
    return Counted(
        at=len(obs.history),
        out=card_names(obs.unseen),
        voids=[[SUIT_CHARS[suit] for suit in obs.voids(seat)] for seat in range(obs.rules.players)],
        queen=None if queen is None else [round(share, 3) for share in queen],
        queen_text=text,
        moon=warning.share,
        moon_seat=warning.seat,
        moon_text=moon_note(obs, warning),
    )


def queen_shares(obs: Observation) -> list[float]:
    """The probability that each seat holds Q♠, counted over all deals that fit; the rest is the kitty's."""
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


def queen_words(shares: list[float], seats: list[str]) -> Said:
    """Who has Q♠, if one seat is likelier than the others."""
    most = max(shares)
    likely = [seats[seat] for seat, share in enumerate(shares) if share > most - 1e-6]
    if most > 1 - 1e-6:
        return Said("Q♠ is with {who}.", who=likely[0])
    if most < 1e-6:
        return Said("Q♠ lies in the kitty.")
    if len(likely) == 1:
        return Said("Q♠ is out; most likely with {who} ({share:.0f} %).", who=likely[0], share=100 * most)
    return Said(
        "Q♠ is out; as likely with {some} as with {who} ({share:.0f} % each).",
        some=", ".join(likely[:-1]), who=likely[-1], share=100 * most,
    )  # fmt: skip


def moon_warning(
    judge: Judge, obs: Observation, seats: list[str], players: Sequence[str] | None, seed: int
) -> MoonRisk:
    """Whether somebody may shoot the moon, in a sentence; empty where that is not worth one.

    Only a seat that has all the points so far can: before any point has fallen there is nothing to warn of.
    """
    holder = collector(obs)
    if holder is None:
        return MoonRisk(len(obs.history), None, 0.0, "")
    shares, _ = judge.risk(obs, seed, players)
    share = shares[holder]
    if share < MOON_ALARM:
        return MoonRisk(len(obs.history), None, round(share, 3), "")
    return MoonRisk(len(obs.history), holder, round(share, 3), moon_words(obs, holder, share, seats))


def collector(obs: Observation) -> int | None:
    """The seat that has all the points so far, if some have fallen and the rules know a moon."""
    holders = [seat for seat, value in enumerate(penalty_points(obs)) if value]
    return holders[0] if len(holders) == 1 and obs.rules.moon != "off" else None


def moon_words(obs: Observation, holder: int, share: float, seats: list[str]) -> Said:
    """A warning that says what to do; a wink, if it is oneself."""
    points = penalty_points(obs)[holder]
    if holder == obs.seat:
        return Said(
            "All points so far are yours ({points}), and {share} you shoot the moon 😉",
            points=points, share=of_100(share),
        )  # fmt: skip
    high = [
        card for card in obs.hand & obs.rules.penalty_cards if card_suit(card) == HEARTS and card_rank(card) >= JACK
    ]
    what = (
        Said("a heart taken with {card} stops it", card=pretty_card(max(high)))
        if high
        else Said("take a point, or give one to somebody else")
    )
    return Said(
        "{who} has all points so far ({points}) and shoots the moon {share}: {what}.",
        who=seats[holder], points=points, share=of_100(share), what=what,
    )  # fmt: skip


def moon_note(obs: Observation, warning: MoonRisk) -> str:
    """The state of the moon for the counting panel."""
    if obs.rules.moon == "off":
        return Said("These rules know no moon.")
    if sum(map(bool, penalty_points(obs))) > 1:
        return Said("No moon any more: the points are split.")
    if warning.text:
        return warning.text
    if warning.share < 0.05:
        return Said("No moon in sight.")
    return Said("A moon succeeds {share}.", share=of_100(warning.share))
