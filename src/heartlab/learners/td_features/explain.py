"""What a network has learned, in words: its largest weights, and why it likes one card and not another.

Weights are shown as in the papers: the conjunctions with the largest ones, and how often some atoms occur among them.

For a choice, the trick is played out after each card, in every world, as the network's player would; the features that
are active then make the difference. The explanation of a card names those that weigh most against the player's own
choice, and the share of the worlds in which each of them holds after the one card and after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heartlab.cards import Card, card_name, pretty_card
from heartlab.compiled.rng import seed_key, substream
from heartlab.deal import Deal
from heartlab.kernel.layout import PLAYING, SEATS, StateArray
from heartlab.kernel.play import mask_points
from heartlab.learners.td_features.conjunctions import STACK, Conjunction, describe, list_active, short_name
from heartlab.learners.td_features.features import ATOMS, find_atom
from heartlab.learners.td_features.moon import place_moon
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import SHIPPED, load_network, read_model, to_network
from heartlab.players import Observations
from heartlab.players.analysis import Analysis, analyse, play_in
from heartlab.players.search import SearchPlayer
from heartlab.records.position import situation
from heartlab.search.options import SearchOptions
from heartlab.training.explain import Decision, Question, Report

CENSUS = 20_000
"""The number of largest weights among which the papers count."""


@dataclass(frozen=True)
class Weighed:
    """A conjunction with its weight and its place among those of the same sign."""

    rank: int
    weight: float
    atoms: Conjunction

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON."""
        return {
            "rank": self.rank,
            "weight": self.weight,
            "conjunction": short_name(self.atoms),
            "words": describe(self.atoms),
        }


@dataclass(frozen=True)
class Census:
    """How many of the largest weights hold certain atoms, and which way they point."""

    among: int
    lowering: int
    raising: int


def largest(network: Network, sign: int, count: int, contains: frozenset[int] = frozenset()) -> list[Weighed]:
    """The conjunctions with the largest weights of a sign, of those that contain some atoms; ranks are over all."""
    order = np.argsort(network.weights if sign < 0 else -network.weights, kind="stable")
    found: list[Weighed] = []
    for rank, node in enumerate(order, 1):
        weight = float(network.weights[node])
        if weight * sign <= 0 or len(found) == count:
            break
        atoms = network.conjunctions.atoms_of(int(node))
        if contains <= set(atoms):
            found.append(Weighed(rank, weight, atoms))
    return found


def census(network: Network, contains: frozenset[int], among: int = CENSUS) -> Census:
    """Count the conjunctions with some atoms among the largest weights."""
    nodes = np.argsort(-np.abs(network.weights), kind="stable")[: min(among, len(network.conjunctions))]
    conjunctions = network.conjunctions
    signs = [float(network.weights[node]) for node in nodes if contains <= set(conjunctions.atoms_of(int(node)))]
    return Census(len(nodes), sum(sign < 0 for sign in signs), sum(sign > 0 for sign in signs))


def run_features(name: str, *, top: int, contains: Sequence[str], report: Report | None) -> None:
    """Print a model's largest weights in words."""
    model = read_model(name)
    network = to_network(model)
    wanted = frozenset(find_atom(text, part=True).number for text in contains)
    lowering, raising = (largest(network, sign, top, wanted) for sign in (-1, 1))
    counted = census(network, wanted)
    if report:
        report(
            {
                "model": name or SHIPPED, "rules": model.rules, "conjunctions": len(network.conjunctions),
                "command": model.command, "lowering": [one.to_dict() for one in lowering],
                "raising": [one.to_dict() for one in raising],
                "census": {"among": counted.among, "lowering": counted.lowering, "raising": counted.raising},
            }
        )  # fmt: skip
        return
    trained = f"trained under {model.rules}, {model.games:,} deals"
    print(f"{name or SHIPPED}: {len(network.conjunctions):,} conjunctions, {trained}")
    if model.command:
        print(f"made with: {model.command}")
    for title, rows in (("fewer points expected", lowering), ("more points expected", raising)):
        print(f"\n  rank  weight  {title}")
        for one in rows:
            print(f"{one.rank:>6} {one.weight:>+7.3f}  {describe(one.atoms)}")
    if wanted:
        both = counted.lowering + counted.raising
        print(
            f"\n{describe(sorted(wanted))}: in {both:,} of the {counted.among:,} largest weights, "
            f"lowering in {counted.lowering:,}, raising in {counted.raising:,}"
        )


def list_atoms(report: Report | None) -> None:
    """Print all atomic features."""
    place_moon()
    atoms = [ATOMS[number] for number in sorted(ATOMS)]
    if report:
        report([{"number": one.number, "name": one.name, "sentence": one.sentence} for one in atoms])
        return
    for one in atoms:
        print(f"{one.number:>4}  {one.name:<28} {one.sentence}")


# --- a choice in a deal ---


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
    """The number of reasons after the first ones, and the sum of their effects."""
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


class TdExplainer:
    """Explains networks over conjunctions."""

    def describe_model(self, model: str, report: Report | None) -> None:
        """The largest weights."""
        run_features(model, top=20, contains=(), report=report)

    def describe_choice(self, model: str, decision: Decision, question: Question, report: Report | None) -> None:
        """The features that make the other cards better or worse than the network's choice."""
        network, before, top = load_network(model), decision.deal, question.top
        mind = SearchPlayer(SearchOptions(worlds=question.worlds), evaluator=network.evaluator())
        mind.name = f"td:{model}" if model else SHIPPED
        analysis = analyse(before, mind, seed=question.seed, played=decision.played, lines=False)
        others = [one.card for one in analysis.cards if one.card != analysis.choice]
        because = {card: reasons(network, mind, before, analysis, card, seed=question.seed) for card in others}
        if report:
            values = analysis.to_dict()
            by_name = {card_name(card): why for card, why in because.items()}
            for one in values["cards"]:
                why = by_name.get(one["card"], [])
                one["reasons"] = [reason.to_dict() for reason in why[:top]]
                one["other_reasons"] = _others(why, top)
            report({"file": str(decision.file), "deal": decision.place, "seed": question.seed, **values})
            return
        names = [f"seat {number}" for number in range(before.rules.players)]
        print(situation(before, names, decision.players))
        best = analysis.cards[0]
        where = "all hands known" if question.worlds == 0 else f"{question.worlds} sampled worlds"
        print(f"{mind.name} ({where}) plays {pretty_card(best.card)}, expecting {best.expected:.2f} points.")
        for line in _comparison(analysis, because, decision.played, top):
            print(line)


def _comparison(
    analysis: Analysis, because: Mapping[Card, Sequence[Reason]], played: Card | None, top: int
) -> list[str]:
    """What every other card would cost, and why."""
    lines, best = [], analysis.cards[0]
    for one in analysis.cards:
        if one.card not in because:
            continue
        mark = ", which was played," if one.card == played else ""
        gap = one.expected - best.expected
        more = f"would cost {gap:.2f} more:" if because[one.card] else "comes to the same."
        lines.append(f"\n{pretty_card(one.card)}{mark} {more}")
        lines += [f"  {reason.sentence()}" for reason in because[one.card][:top]]
        rest = _others(because[one.card], top)
        if rest["count"]:
            lines.append(f"  {rest['effect']:+.2f}  {rest['count']} other feature{'s' * (rest['count'] > 1)} together")
    return lines or ["It is the only legal card."]
