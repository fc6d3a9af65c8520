"""Random rules, deals and choices, for hypothesis and for plain loops with a fixed seed.

One recipe serves both: it asks a `Pick` for one of some options. Under hypothesis the answers are drawn, so that a
failure shrinks to the plainest rules that still show it; in a loop they come from a `random.Random`. The recipe
covers every field of `Rules`, leans towards what is rare in practice, and leaves out what `Rules` refuses.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, reject, settings
from hypothesis import strategies as st

from heartlab.cards import CARDS, CLUBS, HEARTS, QUEEN_OF_SPADES, TWO_OF_CLUBS, Card, CardSet, card_rank, card_suit
from heartlab.deal import Deal
from heartlab.rules import POOL, SCATTER, Rules, RulesError
from support.referee import CLUB_OPENINGS, MoonChoice, Referee

Pick = Callable[[Sequence[Any]], Any]
"""Chooses one of some options; the first is the plainest."""


def examples(count: int) -> settings:
    """So many examples, the same in every run; no deadline, as the first call may compile kernels."""
    return settings(
        max_examples=count, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
    )


# --- rules ---


def make_rules(pick: Pick, *, small: bool = False, **fixed: Any) -> Rules:
    """Rules from a source of choices.

    :param small: a pack of few cards, so that all deals that fit an observation can be listed.
    :param fixed: fields that are not left to chance.
    :raises RulesError: if the choices contradict each other, which is rare.
    """
    rng = random.Random(pick(range(1 << 16)))
    players = fixed.get("players") or pick([4, 3, 5, 6])
    fields: dict[str, Any] = {"players": players, **_pack(pick, rng, players, small, fixed)}
    in_pack = [card for card in CARDS if card not in fields["removed"]]
    fields |= _passing(pick, players, fields.pop("hand_size"))
    fields["first_trick_points"] = pick([False, True])
    fields["hearts"] = pick(["broken", "any"])
    for flag in ("queen_breaks_hearts", "hearts_before_queen", "queen_after_hearts", "over_limit", "kitty_seen"):
        fields[flag] = pick([False, True])
    fields["heart_points"] = pick(["one", "rank", "pips", "none", "one"])
    fields["queen_points"] = pick([13, 0, 25, 5])
    fields["king_points"] = pick([0, 10])
    fields["ace_points"] = pick([0, 7])
    fields["no_tricks"] = pick([0, -5, -3])
    fields["bonus"] = pick([None, 22, 21, pick(in_pack)])
    fields["bonus_points"] = pick([-10, -5])
    fields["doubler"] = pick([None, None, 8, pick(in_pack)])
    fields["moon"] = pick(["others", "self", "best", "choice", "off"])
    fields["sun"] = pick([False, True]) and fields["moon"] != "off"
    fields["moon_needs_bonus"] = pick([False, True]) and fields["bonus"] is not None
    fields["limit"] = pick([100, 26, 50, 500, 1])
    fields["deals"] = pick([None, None, 4, 1])
    fields["ties"] = pick(["shared", "play-on"])
    fields |= fixed
    _drop_contradictions(fields, in_pack)
    return Rules(**fields)


def _pack(pick: Pick, rng: random.Random, players: int, small: bool, fixed: dict[str, Any]) -> dict[str, Any]:
    """Which cards are removed, how many are left over, who gets those, and who leads."""
    largest = 52 // players
    hand_size = pick([2, 3, 4, 5]) if small else pick([largest, largest, largest - 1, largest // 2, 1])
    left_over = pick([0, *range(min(players - 1, 52 - players * hand_size) + 1)])
    if "kitty" in fixed:
        left_over = 0 if fixed["kitty"] == "none" else max(left_over, 1)
    size = min(52, players * hand_size + left_over)
    order = list(CARDS)
    rng.shuffle(order)
    if size < 40:
        # A small pack is rich in what the rules are about.
        order.sort(key=lambda c: rng.random() - 0.4 * (card_suit(c) == HEARTS) - 0.9 * (c in (QUEEN_OF_SPADES, 0)))
    pack = set(order[:size])
    left_over = size % players
    opening = pick(["2C", "any-club", "lowest-club", "random", "left-of-dealer"])
    if left_over and opening in ("2C", "any-club"):
        opening = "lowest-club"
    if opening in ("2C", "any-club") and TWO_OF_CLUBS not in pack:
        pack.remove(order[size - 1])
        pack.add(TWO_OF_CLUBS)
    if opening == "lowest-club" and sum(card_suit(card) == CLUBS for card in pack) <= left_over:
        opening = "random"
    return {
        "hand_size": size // players,
        "removed": CardSet(card for card in CARDS if card not in pack),
        "kitty": pick(["first-trick", "first-heart", "nobody"]) if left_over else "none",
        "opening": opening,
    }


def _passing(pick: Pick, players: int, hand_size: int) -> dict[str, Any]:
    """A pass cycle of one to four entries with a number of cards that fits."""
    words = ["left", "right", "hold", "pool", "random", "+2", "-2", "+1", "-1"] + ["across"] * (players % 2 == 0)
    count = pick([3, 1, 2, 4, players - 1])
    if count == players - 1:
        words += ["scatter"] * 3
    cycle = [pick(words) for _ in range(pick([1, 2, 3, 4]))]
    high_spades = pick([True, False])
    if count > hand_size - (0 if high_spades else 3):
        high_spades, count = True, min(count, hand_size)
        cycle = [word for word in cycle if word != "scatter" or count == players - 1] or ["hold"]
    return {"passing": tuple(cycle), "pass_count": count, "pass_high_spades": high_spades}


def _drop_contradictions(fields: dict[str, Any], in_pack: Sequence[Card]) -> None:
    """Take back what would be refused for a reason that has nothing to do with the rest."""
    special = {36: fields["queen_points"], 37: fields["king_points"], 38: fields["ace_points"]}

    def counts(card: Card | None) -> bool:
        return bool(special.get(card or 0)) or ((card or 0) >= 39 and fields["heart_points"] != "none")

    if fields["bonus"] not in in_pack or counts(fields["bonus"]):
        fields["bonus"], fields["moon_needs_bonus"] = None, False
    if fields["doubler"] not in in_pack or fields["doubler"] == fields["bonus"]:
        fields["doubler"] = None
    if not any(counts(card) for card in in_pack if card != fields["bonus"]):
        fields["heart_points"], fields["queen_points"] = "one", 13


def random_rules(rng: random.Random, *, small: bool = False, **fixed: Any) -> Rules:
    """Rules for a loop with a fixed seed."""
    while True:
        try:
            return make_rules(rng.choice, small=small, **fixed)
        except RulesError:
            continue


@st.composite
def rules(draw: Any, *, small: bool = False, **fixed: Any) -> Rules:
    """Rules for hypothesis."""
    try:
        return make_rules(lambda options: draw(st.sampled_from(options)), small=small, **fixed)
    except RulesError:
        reject()


# --- deals ---


@dataclass
class Script:
    """A deal and everything that chance and the players decide before the first card is played."""

    rules: Rules
    hands: list[list[Card]]
    kitty: list[Card]
    pass_code: int
    leader: int
    scores: list[int]
    eager: int | None
    """A seat that plays to take tricks while the others play low, so that moons and suns come up."""
    passes: list[list[Card]] = field(default_factory=list)

    @property
    def direction(self) -> str:
        """The pass direction in words."""
        return {0: "hold", SCATTER: "scatter", POOL: "pool"}.get(self.pass_code, f"+{self.pass_code}")


def random_script(rules: Rules, rng: random.Random, *, scores: bool = True) -> Script:
    """A random deal under the rules; every third one is stacked in favour of a seat that goes for all tricks."""
    pack = [card for card in CARDS if card not in rules.removed]
    rng.shuffle(pack)
    n, size = rules.players, rules.hand_size
    eager = rng.randrange(n) if rng.random() < 1 / 3 else None
    if eager is not None:
        strength = {card: card_rank(card) + rng.random() * 4 for card in pack}
        strong = sorted(pack, key=strength.__getitem__)[-size:]
        rest = [card for card in pack if card not in strong]
        pack = rest[: eager * size] + strong + rest[eager * size :]
    hands = [pack[seat * size : (seat + 1) * size] for seat in range(n)]
    codes = [rules.pass_code(word) for word in rules.passing if word != "random"]
    if "random" in rules.passing:
        codes += range(n)
    script = Script(
        rules,
        hands,
        pack[n * size :],
        rng.choice(codes),
        rng.randrange(n),
        [rng.randrange(-20, rules.limit + 5) for _ in range(n)] if scores else [0] * n,
        eager,
    )
    if script.pass_code:
        free = [[c for c in hand if rules.pass_high_spades or not 36 <= c <= 38] for hand in hands]
        script.passes = [rng.sample(sorted(cards), rules.pass_count) for cards in free]
        if eager is not None:
            script.passes[eager] = sorted(free[eager], key=card_rank)[: rules.pass_count]
    return script


def seat_deal(script: Script, seed: int = 0) -> Deal:
    """The script's deal in the engine, passes made."""
    deal = Deal.from_hands(
        script.hands,
        script.rules,
        pass_direction=script.direction,
        leader=script.leader,
        scores=script.scores,
        seed=seed,
    )
    for seat, cards in enumerate(script.passes):
        deal.pass_cards(seat, cards)
    return deal


def seat_referee(script: Script, pool: Sequence[Iterable[Card]] = ()) -> Referee:
    """The script's deal before the referee, passes made; `pool` says how the engine dealt a pool out again."""
    referee = Referee(
        script.rules,
        script.hands,
        kitty=script.kitty,
        pass_code=script.pass_code,
        leader=None if script.rules.opening in CLUB_OPENINGS else script.leader,
        scores=script.scores,
    )
    for seat, cards in enumerate(script.passes):
        referee.pass_cards(seat, cards)
    if script.pass_code == POOL:
        referee.deal_pool(pool)
    return referee


def choose_card(referee: Referee, rng: random.Random, eager: int | None) -> Card:
    """A random legal card; with an eager seat at the table it plays high and the others mostly play low."""
    cards = sorted(referee.legal(), key=lambda card: (card_rank(card), card))
    if eager is None or rng.random() < 0.1:
        return rng.choice(cards)
    return cards[-1] if referee.to_move == eager else cards[0]


MOON_CHOICES: list[MoonChoice | None] = [None, "others", "self"]
