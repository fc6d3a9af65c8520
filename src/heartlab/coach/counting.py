"""The card-counting panel: what is out, who is void, who may hold Q♠; and the warning of a moon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heartlab.cards import QUEEN_OF_SPADES, SUIT_CHARS, card_names, pretty_card
from heartlab.coach.ideas import SAVED
from heartlab.coach.judgement import Judge, Judgement
from heartlab.coach.phrases import of_100, so_many
from heartlab.coach.reasons import TELLING_MOON, shared_ideas
from heartlab.coach.scene import MOON_ALARM, penalty_points, shooter_of
from heartlab.coach.values import Counted, MoonRisk
from heartlab.observation import Observation
from heartlab.util.said import Said, in_a_row


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

    At one's turn it is said from the judgement of the hint, and in the words of its reason: the two cannot contradict
    each other. It rings if a moon of another seat is likely after some legal card, or one's own after the coach's card.
    Only a seat that has all the points so far can shoot: before any has fallen there is nothing to warn of, and nothing
    once all have.
    """
    holder, at = collector(obs), len(obs.history)
    if holder is None or shooter_of(obs) is not None:
        return MoonRisk(at, None, 0.0, "")
    if obs.to_move != obs.seat:
        share = judge.risk(obs, seed, players)[0][holder]
        told, loud = moon_words(obs, holder, share, seats), share
    else:
        judged = judge.judge_seen(obs, seed, None, players)
        share = judged.outcomes[judged.best].shooters[holder]
        after = [one.shooters[holder] for one in judged.outcomes.values()]
        told, loud = moon_advice(judged, holder, seats), share if holder == obs.seat else max(after)
    if loud < MOON_ALARM:
        return MoonRisk(at, None, round(share, 3), "")
    return MoonRisk(at, holder, round(share, 3), told)


def collector(obs: Observation) -> int | None:
    """The seat that has all the points so far, if some have fallen and the rules know a moon."""
    holders = [seat for seat, value in enumerate(penalty_points(obs)) if value]
    return holders[0] if len(holders) == 1 and obs.rules.moon != "off" else None


def moon_words(obs: Observation, holder: int, share: float, seats: list[str]) -> Said:
    """A warning while others play; a wink, if it is oneself."""
    points = penalty_points(obs)[holder]
    if holder == obs.seat:
        return Said(
            "All points so far are yours ({points}), and {share} you shoot the moon 😉",
            points=points, share=of_100(share),
        )  # fmt: skip
    return Said(
        "{who} has all points so far ({points}) and shoots the moon {share}: take a point, or give one to somebody "
        "else.",
        who=seats[holder], points=points, share=of_100(share),
    )  # fmt: skip


def moon_advice(judged: Judgement, holder: int, seats: list[str]) -> Said:
    """A warning at one's turn that says what to do: what the hint says against the moon, in the same numbers."""
    obs, here = judged.obs, judged.outcomes[judged.best]
    if holder == obs.seat:
        return moon_words(obs, holder, here.own_moon, seats)
    who, points = seats[holder], penalty_points(obs)[holder]
    stop = next((one for one in shared_ideas(judged, judged.best, seats) if one.code == "stop-moon"), None)
    if stop is not None:
        return in_a_row([Said("{who} has all points so far ({points}).", who=who, points=points), stop.sentence])
    risks = {card: one.moon for card, one in judged.outcomes.items()}
    least, most = (extreme(risks, key=lambda card: risks[card]) for extreme in (min, max))
    known = dict(who=who, points=points, share=of_100(here.moon))
    if here.moon - risks[least] < SAVED:
        if risks[most] - here.moon >= TELLING_MOON:
            return Said(
                "{who} has all points so far ({points}) and shoots the moon {share}, after {card} {less}.",
                card=pretty_card(most), less=so_many(risks[most]), **known,
            )  # fmt: skip
        return Said(
            "{who} has all points so far ({points}) and shoots the moon {share}: no card changes that by much.",
            **known,
        )
    if least in judged.equal:
        return Said(
            "{who} has all points so far ({points}) and shoots the moon {share}, after {card} {less}.",
            card=pretty_card(least), less=so_many(risks[least]), **known,
        )  # fmt: skip
    return Said(
        "{who} has all points so far ({points}) and shoots the moon {share}: to stop it now costs more than it saves.",
        **known,
    )


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
