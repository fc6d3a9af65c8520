"""What one seat may know: the only way from a state to a closed player."""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import substream
from heartlab.kernel.layout import PLAYING
from heartlab.kernel.play import legal


@kernel
def observe(rules: Any, state: Any, history: Any, seat: int, key: np.uint64, out: Any) -> None:
    """Fill `out` with what `seat` may know. `history` holds the cards in order of play; `key` is the players' key."""
    see(rules, state, seat, key, out)
    for ply in range(52):
        out["history"][ply] = history[ply] if ply < state["plays"] else -1


@kernel
def see(rules: Any, state: Any, seat: int, key: np.uint64, out: Any) -> None:
    """Fill all of an observation except its history, for loops that update the history themselves.

    The random key in the observation depends only on (key, deal number, seat, cards played).
    """
    players = rules["players"]
    out["seat"] = seat
    out["hand"] = state["hands"][seat]
    out["passed"] = state["passed"][seat]
    out["received"] = state["received"][seat]
    out["legal"] = ZERO
    if state["phase"] == PLAYING and state["to_move"] == seat:
        out["legal"] = legal(rules, state)
    taker = state["kitty_taker"]
    sees_kitty = rules["kitty_seen"] and taker == seat
    out["kitty"] = state["kitty"] if sees_kitty else ZERO
    out["led"] = state["led"]
    out["trick"] = state["trick"]
    stream = substream(key, state["deal_number"])
    out["random"] = substream(substream(stream, seat), state["plays"])
    for other in range(len(state["hands"])):
        out["played"][other] = state["played"][other]
        out["may_hold"][other] = state["may_hold"][other]
        out["taken"][other] = state["taken"][other]
        if other == taker and not sees_kitty:
            out["taken"][other] &= ~state["kitty"]
        out["scores"][other] = state["scores"][other]
        out["trick_cards"][other] = state["trick_cards"][other] if other < state["trick_size"] else -1
        out["tricks_won"][other] = state["tricks_won"][other]
        out["hand_sizes"][other] = popcount(state["hands"][other]) if other < players else 0
    out["deal_number"] = state["deal_number"]
    out["trick_size"] = state["trick_size"]
    out["trick_number"] = state["trick_number"]
    out["plays"] = state["plays"]
    out["to_move"] = state["to_move"]
    out["leader"] = state["leader"]
    out["winner"] = state["winner"]
    out["best"] = state["best"]
    out["hearts_broken"] = state["hearts_broken"]
    out["phase"] = state["phase"]
    out["pass_code"] = state["pass_code"]
    out["to_pass"] = state["to_pass"]
    out["kitty_taker"] = taker
