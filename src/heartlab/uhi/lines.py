"""The lines of UHI: what the arena sends about a deal, derived from an observation, and how answers are parsed.

A player keeps nothing between choices, so the whole dialogue of a deal is derived from the observation each time. Of
two observations of the same deal and seat, the dialogue of the earlier is a prefix of the other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from heartlab.cards import HEARTS, CardError, CardSet, card_name, card_suit, parse_cards
from heartlab.observation import Observation
from heartlab.rules import Rules

VERSION = 1
"""The version of the protocol: the number after `uhi`."""


class LineError(ValueError):
    """A line that the protocol does not allow at this point."""


@lru_cache(maxsize=64)
def rules_text(rules: Rules) -> str:
    """The rules as JSON on one line."""
    return json.dumps(rules.to_dict(), separators=(",", ":"))


def newgame_line(rules: Rules, seat: int, scores: Sequence[int]) -> str:
    """The first line of a dialogue."""
    return f"newgame rules {rules_text(rules)} seat {seat} scores {' '.join(map(str, scores))}"


def dialogue(obs: Observation) -> list[str]:
    """All lines before the question of a choice.

    >>> from heartlab import Deal
    >>> deal = Deal("seed", seed=1)
    >>> deal.play("2C")
    >>> dialogue(deal.observe(deal.to_move))[-1]
    'played 3 2C'
    """
    record: Any = obs.records[0]
    seat, rules = obs.seat, obs.rules
    passed, received = int(record["passed"]), int(record["received"])
    dealt = (int(record["hand"]) | int(record["played"][seat])) & ~received | passed
    direction = rules.pass_name(int(record["pass_code"]))
    lines = [
        newgame_line(rules, seat, obs.scores),
        f"newdeal {obs.deal_number} hand {_names(dealt)} pass {'none' if direction == 'hold' else direction}",
    ]
    if obs.phase != "pass" and passed:
        lines += [f"passed {_names(passed)}", f"received {_names(received)}"]
    seat_of = {card: player for player, cards in enumerate(obs.played) for card in cards}
    plays = [f"played {seat_of[card]} {card_name(card)}" for card in obs.history]
    if record["kitty"]:
        plays.insert(_plays_before_kitty(obs), f"kitty {_names(int(record['kitty']))}")
    return lines + plays


def _plays_before_kitty(obs: Observation) -> int:
    """The number of cards played when the kitty was taken: up to the end of a trick."""
    decisive = 0
    if obs.rules.kitty == "first-heart":
        decisive = next(ply for ply, card in enumerate(obs.history) if card_suit(card) == HEARTS)
    return (decisive // obs.rules.players + 1) * obs.rules.players


def question(obs: Observation, movetime: int) -> str:
    """The question that asks for a choice."""
    return f"{'pass?' if obs.phase == 'pass' else 'card?'} movetime {movetime}"


def enddeal_line(points: Sequence[int], scores: Sequence[int]) -> str:
    """The line that ends a deal: its points, and the totals including them."""
    totals = [before + own for before, own in zip(scores, points, strict=True)]
    return f"enddeal points {' '.join(map(str, points))} scores {' '.join(map(str, totals))}"


def _names(mask: int) -> str:
    return " ".join(card_name(card) for card in CardSet(mask))


def read_answer(line: str, obs: Observation) -> CardSet:
    """The cards of an answer, legal or not.

    :raises LineError: if the line is not an answer to the question.
    """
    word, _, rest = line.partition(" ")
    wanted = "pass" if obs.phase == "pass" else "card"
    if word != wanted:
        raise LineError(f"{shorten(line)} is not an answer: expected `{wanted}` and card names")
    try:
        cards = parse_cards(rest)
    except CardError as error:
        raise LineError(f"{shorten(line)}: {error}") from None
    count = obs.pass_count if wanted == "pass" else 1
    if len(cards) != count:
        raise LineError(f"{shorten(line)}: expected {count} card(s), not {len(cards)}")
    return CardSet(cards)


def why_refused(cards: CardSet, obs: Observation) -> str:
    """Why the cards of an answer may not be passed or played; empty if they may."""
    if obs.phase == "pass":
        fits = len(cards) == obs.pass_count and cards <= obs.may_pass
        return "" if fits else f"{cards.names()} cannot be passed from {obs.may_pass.names()}"
    return "" if cards <= obs.legal else f"{cards.names()} is not legal: legal are {obs.legal.names()}"


def shorten(line: str, most: int = 60) -> str:
    """A received line, quoted for a message: printable and cut to a length."""
    quoted = repr(line)
    return quoted if len(quoted) <= most else quoted[: most - 4] + "...'"
