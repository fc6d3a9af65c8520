"""The rule-based players in play: against plain twins, legality under all rules, strength as published.

Their rules one by one are in `test_gnome_rules`.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from numba.core import config
from support import run_file
from support.gnome_twins import TWINS
from support.slow import first_quick

from heartlab.arena import Match, run_match
from heartlab.cards import CardSet
from heartlab.players import make_player
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.gnome.player import VARIANTS, make_gnome
from heartlab.rules import PRESETS, Rules
from heartlab.util.statistics import estimate

# --- twins ---


class Compared(Player):
    """Plays like another player, and compares the family with its twins in every row on the way."""

    def __init__(self, inner: str) -> None:
        super().__init__()
        self.inner = make_player(inner)
        self.compared = 0

    def choose_cards(self, batch: Observations) -> CardArray:
        for name, twin in TWINS.items():
            for row, card in enumerate(make_gnome(name).choose_cards(batch)):
                assert card in twin.play(batch[row]), (name, batch[row])
        self.compared += len(batch)
        return self.inner.choose_cards(batch)

    def choose_passes(self, batch: Observations) -> MaskArray:
        for name, twin in TWINS.items():
            for row, mask in enumerate(make_gnome(name).choose_passes(batch)):
                assert twin.pass_cards(batch[row]) == CardSet(int(mask)), (name, batch[row])
        self.compared += len(batch)
        return self.inner.choose_passes(batch)


@pytest.mark.parametrize("text", ["gnome", "falcon", "black-maria", "standard,players=5,pass_count=4", "advice"])
@pytest.mark.parametrize("inner", first_quick(["random", "gnome", "gnome:jake"]))
def test_players_and_their_twins_agree(text, inner):
    rules = Rules.parse(text)
    player = Compared(inner)
    deals = 4 if config.DISABLE_JIT else 20
    run_match(Match([player] * rules.players, rules, deals, seed=3), threads=1)
    assert player.compared >= deals * rules.plays


# --- legality, randomness, names ---

ALL_RULES = [
    *PRESETS,
    *(f"omnibus,players={n}" for n in (3, 5, 6)),
    "gnome,players=6",
    *(f"standard,pass_count={n}" for n in (1, 2, 4, 5)),
    "standard,pass_high_spades=no,pass_count=5",
    "standard,passing=scatter",
    "standard,passing=pool",
    "standard,players=3,removed=none,kitty=first-heart,kitty_seen=yes,opening=lowest-club",
    "standard,queen_after_hearts=yes,hearts_before_queen=yes",
    "standard,heart_points=pips,bonus=TD,doubler=TC",
    "standard,heart_points=none,moon=off",
]


class AllAsked(Player):
    """Asks the whole family in every row, checks each answer, and then does what one of them, or chance, says."""

    def __init__(self) -> None:
        super().__init__()
        self.advisers = [make_gnome(name) for name in VARIANTS] + [make_player("random")]
        self.asked = 0

    def choose_cards(self, batch: Observations) -> CardArray:
        cards = np.stack([adviser.choose_cards(batch) for adviser in self.advisers])
        assert ((cards >= 0) & (cards < 52)).all()
        assert (batch.records["legal"] >> cards.astype(np.uint64) & np.uint64(1) == 1).all()
        self.asked += len(batch)
        return cards[batch.records["random"] % len(self.advisers), np.arange(len(batch))]

    def choose_passes(self, batch: Observations) -> MaskArray:
        masks = np.stack([adviser.choose_passes(batch) for adviser in self.advisers])
        free = batch.records["hand"] & ~batch.compiled["no_pass"]
        assert (masks & ~free == 0).all()
        assert (np.bitwise_count(masks) == batch.rules.pass_count).all()
        self.asked += len(batch)
        return masks[batch.records["random"] % len(self.advisers), np.arange(len(batch))]


@pytest.mark.parametrize("text", ALL_RULES)
def test_every_answer_is_legal(text):
    rules = Rules.parse(text)
    player = AllAsked()
    deals = 5 if config.DISABLE_JIT else 500
    run_match(Match([player] * rules.players, rules, deals, seed=5), threads=1)
    assert player.asked >= deals * rules.plays


def test_names():
    assert make_player("gnome").name == "gnome"
    assert make_gnome().name == make_gnome("stock").name == "gnome:stock"
    with pytest.raises(ValueError, match="no gnome player is called 'pete'; known are stock, luis, jake, ling, peter"):
        make_gnome("pete")


# --- the same without compilation ---


def results() -> dict[str, list[list[float]]]:
    """What each player scores in a few deals against random players: it depends on every choice."""
    found = {}
    for name in VARIANTS:
        match = Match([make_gnome(name), make_player("random")], Rules.parse("omnibus,moon=self"), 3, seed=8)
        found[name] = run_match(match, threads=1).points.tolist()
    return found


@pytest.mark.slow
@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="compares with compiled players")
def test_compiled_and_plain_players_agree():
    printed = run_file(__file__, jit=False)
    assert json.loads(printed) == results()


# --- strength ---


class InLaterDeals(Player):
    """A player that is told scores of a game under way, which is how Luis was measured."""

    def __init__(self, inner: Player) -> None:
        super().__init__(inner.name)
        self.inner = inner

    def choose_cards(self, batch: Observations) -> CardArray:
        batch.records["scores"][:] = 1
        return self.inner.choose_cards(batch)

    def choose_passes(self, batch: Observations) -> MaskArray:
        return self.inner.choose_passes(batch)


STRENGTH = {
    "stock": (6.96, 6.96, 0.035),
    "luis": (6.92, 6.96, 0.035),
    "jake": (5.07, 7.47, 0.0285),
    "ling": (4.68, 7.43, 0.0187),
    "peter": (4.34, 8.53, 0.076),
}
"""Measured with the originals over 4,000 hands: own points, those of three Stocks, share of deals with a moon."""
PUBLISHED_ERRORS = (0.11, 0.07, 0.0035)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="needs many deals")
@pytest.mark.parametrize("name", VARIANTS)
def test_strength_against_stock(name):
    """One of each against three Stocks agrees with the originals within 2.7 standard errors of both (p = 0.007)."""
    rules = Rules.parse("gnome,moon=others,sun=no")
    player, rest = InLaterDeals(make_gnome(name)), make_gnome()
    result = run_match(Match([player, rest, rest, rest], rules, 4000, seed=11))
    moons = result.moons[:, 0] + 3 * result.moons[:, 1]
    measured = (result.points[:, 0], result.points[:, 1], moons)
    for values, published, error in zip(measured, STRENGTH[name], PUBLISHED_ERRORS, strict=True):
        ours = estimate(values)
        assert abs(ours.mean - published) < 2.7 * np.hypot(ours.se, error)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="needs many deals")
def test_calibration_against_random_players():
    """Two Stocks and two random players under the rules of the FALCON paper: 0.137 to 0.363 of all points."""
    player, rest = make_gnome(), make_player("random")
    result = run_match(Match([player, player, rest, rest], Rules.parse("falcon"), 4000, seed=12))
    share = estimate(result.points[:, 0] / 26)
    assert abs(share.mean - 0.1375) < 4 * share.se + 0.0005
    assert share.se < 0.002


if __name__ == "__main__":
    print(json.dumps(results()))
