"""How Peter shoots the moon: what a suit is worth, when he tries to take all points, and how he plays then.

He keeps no plan: at each card he decides again whether to shoot, and never does once another player has points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.dealing import may_pass
from heartlab.kernel.layout import MOON_OFF, NOBODY
from heartlab.kernel.play import mask_points
from heartlab.kernel.ranks import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    QUEEN_BIT,
    SMALL_SPADES,
    SPADES,
    TWO_BIT,
    higher,
    highest_ranked,
    lowest_ranked,
    spare_queen,
    suit_mask,
)
from heartlab.players.gnome.memory import RANK_JACK, C, D, H, S, above, beneath, is_last, points_taken, sole_scorer

SHOOTING_STRENGTH = 13
"""Kings count 3, queens 2, jacks 1 (aces nothing); a hand with this sum passes to shoot."""
RANK_FOUR = 2

# --- evaluating a suit ---


@kernel
def half_points(rules: Any) -> int:
    """Half of all penalty points: 13 in the standard game, 64 with spot hearts."""
    return mask_points(rules, rules["penalty"]) // 2


@kernel
def duckable(own: np.uint64, unseen: np.uint64) -> np.uint64:
    """Our cards of a suit that are below the unseen card at the same position, both counted from the lowest."""
    safe = ZERO
    while own != ZERO and unseen != ZERO:
        if lowest(own) < lowest(unseen):
            safe |= bit(lowest(own))
        own &= own - ONE
        unseen &= unseen - ONE
    return safe


@kernel
def sure_winners(own: np.uint64, unseen: np.uint64) -> np.uint64:
    """Our cards of a suit that no unseen card beats."""
    return own if unseen == ZERO else own & higher(highest(unseen))


@kernel
def runnable(rules: Any, obs: Any, unseen: np.uint64, out: Any, suit: int) -> bool:
    """Whether we can expect to win a trick with every card that we hold in a suit.

    Either all are sure winners, or the sure winners and one more round would draw all unseen cards if these were
    distributed evenly among the players that are not known to be void.
    """
    own = obs["hand"] & suit_mask(suit)
    hidden = unseen & suit_mask(suit)
    sure = sure_winners(own, hidden)
    if sure == ZERO:
        return False
    holders = rules["players"] - 1 - popcount(np.uint64(out[suit]))
    return sure == own or (popcount(sure) + 1) * holders >= popcount(hidden)


@kernel
def has_entry(obs: Any, unseen: np.uint64, suit: int) -> bool:
    """Whether a suit is sure to win a trick at some time: fewer cards beat its top card than we hold."""
    own = obs["hand"] & suit_mask(suit)
    return own != ZERO and above(unseen, highest(own)) < popcount(own)


@kernel
def moon_possible(rules: Any, obs: Any) -> bool:
    """Whether no other player has points."""
    sole = sole_scorer(rules, obs)
    return rules["moon"] != MOON_OFF and (sole == NOBODY or sole == obs["seat"])


# --- when to shoot ---


@kernel
def passes_to_shoot(rules: Any, obs: Any) -> bool:
    """Whether to pass for the moon: a hand with many court cards and an entry in each suit."""
    hand = obs["hand"]
    strength = 0
    for suit in range(4):
        for value in (1, 2, 3):
            if hand & bit(13 * suit + RANK_JACK - 1 + value) != ZERO:
                strength += value
    shoots_well = rules["moon"] != MOON_OFF and strength >= SHOOTING_STRENGTH
    for suit in range(4):
        shoots_well = shoots_well and has_entry(obs, rules["pack"] & ~hand, suit)
    return shoots_well


@kernel
def _cannot_get_out(obs: Any, unseen: np.uint64) -> bool:
    """Whether it is hard to lose the lead: no card is below all unseen ones of its suit, and none is below a five."""
    for suit in range(4):
        cards = obs["legal"] & suit_mask(suit)
        if cards != ZERO:
            exits = unseen & suit_mask(suit) != ZERO and beneath(unseen, lowest(cards)) == 0
            if exits or lowest(cards) % 13 <= RANK_FOUR:
                return False
    return True


@kernel
def shoots(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> bool:
    """Whether Peter tries for the moon with this card."""
    hand = obs["hand"]
    leads = obs["led"] == ZERO
    if not moon_possible(rules, obs):
        return False
    if obs["trick"] & rules["penalty"] != ZERO and obs["legal"] & higher(obs["best"]) == ZERO:
        return False
    runs = False
    for suit in range(4):
        runs = runs or runnable(rules, obs, unseen, out, suit)
    if not runs:
        return False
    if points_taken(rules, obs, obs["seat"]) >= half_points(rules):
        return True
    stuck_with_queen = hand & QUEEN_BIT != ZERO and popcount(hand & SPADES) < 4
    if stuck_with_queen and popcount(hand & CLUBS) > 2 and popcount(hand & DIAMONDS) > 2:
        return True
    if leads and _cannot_get_out(obs, unseen):
        return True
    hearts = hand & HEARTS
    good_hearts = duckable(hearts, unseen & HEARTS) == hearts or runnable(rules, obs, unseen, out, H)
    return good_hearts and (leads or (has_entry(obs, unseen, C) and has_entry(obs, unseen, D)))


# --- how to shoot ---


@kernel
def shooting_pass(rules: Any, obs: Any) -> np.uint64:
    """Pass what would lose a trick: middle hearts, lowest first; small spades; 2♣ from few clubs; low cards."""
    hand = obs["hand"]
    free = may_pass(rules, hand)
    count = rules["pass_count"]
    hidden = rules["pack"] & ~hand & HEARTS
    hearts = hand & HEARTS
    chosen = ZERO
    for cards in (hearts & ~duckable(hearts, hidden) & ~sure_winners(hearts, hidden), free & SMALL_SPADES):
        while cards != ZERO and popcount(chosen) < count:
            chosen |= bit(lowest(cards))
            cards &= cards - ONE
    if popcount(hand & CLUBS) < 5 and popcount(chosen) < count:
        chosen |= hand & TWO_BIT
    while popcount(chosen) < count:
        chosen |= bit(lowest_ranked(free & ~chosen))
    return chosen


@kernel
def _ready_to_run(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> bool:
    """Whether the runnable suits will draw at least as many discards as penalty cards are unseen."""
    drawn = 0
    for suit in range(4):
        if runnable(rules, obs, unseen, out, suit):
            hidden = popcount(unseen & suit_mask(suit))
            length = popcount(obs["hand"] & suit_mask(suit))
            drawn += hidden if suit == H else max(0, length * (rules["players"] - 1) - hidden)
    return drawn >= popcount(unseen & rules["penalty"])


@kernel
def shooting_lead(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> int:
    """Run hearts; or establish a minor suit with a low card; or run the longest suit, lowest sure winner first."""
    legal = obs["legal"]
    if legal & HEARTS != ZERO and runnable(rules, obs, unseen, out, H):
        return highest(legal & HEARTS)
    low, low_length = -1, 0
    winner, winner_length = -1, 0
    for suit in (C, D, S):
        cards = legal & suit_mask(suit)
        length = popcount(cards)
        if runnable(rules, obs, unseen, out, suit):
            sure = sure_winners(cards, unseen & suit_mask(suit))
            if sure != ZERO and length > winner_length:
                winner, winner_length = lowest(sure), length
        elif suit != S and length > low_length and has_entry(obs, unseen, suit):
            low, low_length = lowest(cards), length
    if low >= 0 and (winner < 0 or not _ready_to_run(rules, obs, unseen, out)):
        return low
    return winner if winner >= 0 else highest_ranked(legal)


@kernel
def shooting_follow(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> int:
    """Win the trick if it has points or the suits are ready to run, as cheaply as is sure; else keep the high cards."""
    legal = obs["legal"]
    cards = legal & obs["led"]
    if cards == ZERO:
        harmless = legal & ~rules["penalty"]
        return lowest_ranked(harmless if harmless != ZERO else legal)
    winners = cards & higher(obs["best"])
    wanted = obs["trick"] & rules["penalty"] != ZERO or _ready_to_run(rules, obs, unseen, out)
    if winners == ZERO or not wanted:
        return lowest(spare_queen(cards))
    sure = sure_winners(winners, unseen & obs["led"])
    if is_last(rules, obs):
        return lowest(winners)
    return lowest(sure) if sure != ZERO else highest(winners)
