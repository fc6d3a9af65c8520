"""Why a learned network likes one card and not another, in words.

In every world the trick is played out as the network's player would after each card; the features that are then active
make the difference. A card's explanation names those that weigh most against the player's own choice, and in how many
of the worlds each of them holds after the one card and after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heartlab.cards import Card, card_name, pretty_card
from heartlab.compiled.rng import seed_key, substream
from heartlab.deal import Deal
from heartlab.kernel.layout import PLAYING, SEATS, StateArray
from heartlab.kernel.play import mask_points
from heartlab.learners.td_features.conjunctions import STACK, Conjunction, describe, list_active
from heartlab.learners.td_features.features import ATOMS
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import SHIPPED, load_network
from heartlab.players import Observations
from heartlab.players.analysis import Analysis, analyse, play_in
from heartlab.players.search import SearchPlayer
from heartlab.records.position import find_deal, situation
from heartlab.rules import Rules
from heartlab.search.options import SearchOptions


@dataclass(frozen=True)
class Reason:
    """A conjunction that tells two cards apart; without atoms: the points that the seat has after the trick.

    Points are a reason of their own with a network that foresees only what is still to come.
    """

    atoms: Conjunction
    weight: float
    after_card: float
    """Share of the worlds in which it holds once the trick is over, after this card; or the mean points there."""
    after_choice: float
    """The same after the player's choice."""

    @property
    def effect(self) -> float:
        """Expected points that it adds to this card against the choice."""
        return self.weight * (self.after_card - self.after_choice)

    def sentence(self) -> str:
        """The reason in words."""
        if not self.atoms:
            shares = f"{self.after_card:.1f} on average instead of {self.after_choice:.1f}"
            return f"{self.effect:+.2f}  points once the trick is over ({shares})"
        shares = f"{100 * self.after_card:.0f} % of the worlds instead of {100 * self.after_choice:.0f} %"
        return f"{self.effect:+.2f}  {describe(self.atoms)} (weight {self.weight:+.2f}, in {shares})"

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON."""
        return {
            "features": [ATOMS[atom].sentence for atom in self.atoms] or ["points once the trick is over"],
            "weight": self.weight,
            "after_card": self.after_card,
            "after_choice": self.after_choice,
            "effect": self.effect,
        }


def reasons(
    network: Network, mind: SearchPlayer, deal: Deal, analysis: Analysis, card: Card, *, seed: int
) -> list[Reason]:
    """All features that tell a card from the player's choice, those that weigh most first."""
    worlds, batch = _worlds(mind, deal, analysis, seed)
    seat = deal.to_move or 0
    ends = [_after_trick(mind, batch, worlds, one, seed) for one in (card, analysis.choice)]
    tallies = [_tally(network, batch, states, seat) for states in ends]
    found = [
        Reason(
            network.conjunctions.atoms_of(node),
            float(network.weights[node]),
            tallies[0][node] / len(worlds),
            tallies[1][node] / len(worlds),
        )
        for node in tallies[0].keys() | tallies[1].keys()
        if tallies[0][node] != tallies[1][node]
    ]
    if network.rest:
        had = [_mean_points(batch, states, seat) for states in ends]
        if had[0] != had[1]:
            found.append(Reason((), 1.0, *had))
    return sorted(found, key=lambda reason: (-abs(reason.effect), reason.atoms))


def _others(why: Sequence[Reason], top: int) -> dict[str, float]:
    """How many reasons there are behind the first ones, and what they come to."""
    return {"count": len(why[top:]), "effect": sum(reason.effect for reason in why[top:])}


def _worlds(mind: SearchPlayer, deal: Deal, analysis: Analysis, seed: int) -> tuple[StateArray, Observations]:
    """The states in which the player thinks: the true one, or the worlds that it drew."""
    obs = deal.observe(deal.to_move or 0)
    obs.records["random"] = substream(np.uint64(seed_key(seed, "analyse")), analysis.place)
    batch = Observations.of(obs)
    if mind.is_open:
        return deal._states, batch
    return mind.search.draw(batch, analysis.worlds)[0][0], batch


def _after_trick(mind: SearchPlayer, batch: Observations, worlds: StateArray, card: Card, seed: int) -> StateArray:
    """The worlds once the trick is over, played out as the player would after a card."""
    states = worlds.copy()
    keys = np.array([substream(np.uint64(seed_key(seed, "explain")), i) for i in range(len(states))], np.uint64)
    trick = int(states["trick_number"][0])
    play_in(batch, states, np.full(len(states), card, np.int8))
    while (states["trick_number"] == trick).all() and states["phase"][0] == PLAYING:
        play_in(batch, states, mind.search.reply(batch, states, keys))
    return states


def _mean_points(batch: Observations, states: StateArray, seat: int) -> float:
    """The points that a seat has, on average."""
    rules = batch.compiled[0]
    return float(np.mean([mask_points(rules, state["taken"][seat] & rules["penalty"]) for state in states]))


def _tally(network: Network, batch: Observations, states: StateArray, seat: int) -> Counter[int]:
    """In how many states each conjunction is active, from the seat's view."""
    tally: Counter[int] = Counter()
    masks, stack = np.zeros((SEATS, 2), np.uint64), np.zeros(STACK, np.uint64)
    active = network.conjunctions.room()
    trie = network.conjunctions.packed.view(np.uint64)
    for state in states:
        network.extract(batch.compiled[0], state, masks)
        count = list_active(trie, masks[seat, 0], masks[seat, 1], stack, active)
        tally.update(active[:count].tolist())
    return tally


def run_explanation(
    path: Path,
    *,
    place: int,
    at: int,
    model: str,
    worlds: int,
    top: int,
    seed: int,
    openspiel_rules: Rules,
    report: Callable[[Any], None] | None,
) -> None:
    """`heartlab explain`: why the network's player prefers its card at a recorded decision."""
    network = load_network(model)
    mind = SearchPlayer(SearchOptions(worlds=worlds), evaluator=network.evaluator())
    mind.name = f"td:{model}" if model else SHIPPED
    record, deal = find_deal(path, place, openspiel_rules)
    before = deal.before(at)
    played = deal.history[at - 1] if at <= len(deal.history) else None
    analysis = analyse(before, mind, seed=seed, played=played, lines=False)
    others = [one for one in analysis.cards if one.card != analysis.choice]
    because = {one.card: reasons(network, mind, before, analysis, one.card, seed=seed) for one in others}
    if report:
        values = analysis.to_dict()
        by_name = {card_name(card): why for card, why in because.items()}
        for one in values["cards"]:
            why = by_name.get(one["card"], [])
            one["reasons"] = [reason.to_dict() for reason in why[:top]]
            one["other_reasons"] = _others(why, top)
        report({"file": str(path), "deal": place, "seed": seed, **values})
        return
    names = [f"seat {number}" for number in range(deal.rules.players)]
    print(situation(before, names, record.players))
    best = analysis.cards[0]
    where = "all hands known" if worlds == 0 else f"{worlds} sampled worlds"
    print(f"{mind.name} ({where}) plays {pretty_card(best.card)}, expecting {best.expected:.2f} points.")
    for one in others:
        mark = ", which was played," if one.card == played else ""
        gap = one.expected - best.expected
        more = f"would cost {gap:.2f} more:" if because[one.card] else "comes to the same."
        print(f"\n{pretty_card(one.card)}{mark} {more}")
        for reason in because[one.card][:top]:
            print(f"  {reason.sentence()}")
        behind = _others(because[one.card], top)
        if behind["count"]:
            print(f"  {behind['effect']:+.2f}  {behind['count']} other feature{'s' * (behind['count'] > 1)} together")
    if not others:
        print("It is the only legal card.")
