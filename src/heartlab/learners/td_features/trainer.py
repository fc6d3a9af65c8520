"""Recipes for networks over conjunctions: avoid Q♠, avoid hearts, and the full game from selected features."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import CARDS
from heartlab.compiled.rng import numpy_dice, seed_key
from heartlab.kernel.layout import compile_rules
from heartlab.learners.td_features.conjunctions import MAX_ORDER, Conjunction, Conjunctions
from heartlab.learners.td_features.features import CARD_ATOMS, HEART_ATOMS, QUEEN_ONLY, USEFUL, clause, find_atom
from heartlab.learners.td_features.kernels import NOTE, SETTINGS, Course, Room, prepare_training, train_deals
from heartlab.learners.td_features.moon import place_moon
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import load_network, read_conjunctions, read_model, to_model
from heartlab.learners.td_features.selection import (
    activity_in,
    nodes_by_effect,
    select_by_effect,
    select_by_fit,
    select_by_weight,
    select_distinct,
    signatures_in,
    support_in,
    union,
)
from heartlab.rules import Rules
from heartlab.search.evaluators.base import make_evaluator
from heartlab.search.options import Kind, Prune, SearchOptions, Ties, compile_options
from heartlab.search.walk import new_counters
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, Parameters, recipe
from heartlab.util.bundle import FLOATS, Arrays, Form, fit

HEARTS_TASK = tuple(number for number in CARD_ATOMS if number not in QUEEN_ONLY) + HEART_ATOMS


@dataclass(frozen=True)
class Task:
    """What is learned: rules, and atomic features."""

    rules: str
    atoms: tuple[int, ...]


TASKS = {
    "queen": Task("seed-queen", CARD_ATOMS),
    "hearts": Task("seed-hearts", HEARTS_TASK),
    "full": Task("seed-nomoon", CARD_ATOMS + HEART_ATOMS),
}
"""Rules and atomic features of each task."""
SEARCHES = {"maxn": Kind.MAXN, "paranoid": Kind.PARANOID, "softmaxn": Kind.SOFTMAXN}
"""How a learner may search."""
CUTS = ("possible", "whole")


def learning_search(search: str) -> SearchOptions:
    """How the learner searches: equal cards are equally likely."""
    kind = SEARCHES[search]
    return SearchOptions(kind, ties=Ties.RANDOM, prune=Prune.CAREFUL if kind == Kind.PARANOID else Prune.NO)


class Partners(StrEnum):
    """Who plays the other three seats in training."""

    EXPERT = "expert"
    SELF = "self"


class Criterion(StrEnum):
    """How conjunctions are selected; the first is the papers' way, as we read it."""

    WEIGHT = "weight"
    DISTINCT = "distinct"
    EFFECT = "effect"
    FIT = "fit"
    ELIMINATION = "elimination"


@dataclass(frozen=True)
class Selection:
    """The most useful conjunctions of a model."""

    model: str
    count: int
    criterion: Criterion

    @classmethod
    def parse(cls, text: str) -> Selection:
        """Read MODEL:COUNT or MODEL:COUNT:CRITERION.

        :raises ValueError: if it is neither.
        """
        parts = text.split(":")
        criterion = Criterion(parts.pop()) if parts[-1] in list(Criterion) else Criterion.WEIGHT
        model, count = ":".join(parts[:-1]), parts[-1]
        if not model or not count.isdecimal() or int(count) == 0:
            names = ", ".join(Criterion)
            raise ValueError(f"select={text}: write MODEL:COUNT or MODEL:COUNT:CRITERION, one of {names}")
        return cls(model, int(count), criterion)


FIT_STATES, FIT_CANDIDATES = 3_000, 10_000
"""How many states a selection by fit looks at, and from how many conjunctions with the largest effect it chooses."""
ROUND = 10_000
"""Deals of self-play between two halvings of a selection by elimination."""


@dataclass(frozen=True)
class TdParameters(Parameters):
    """What decides a run, besides its seed and length."""

    orders: str = "1,2,3,4"
    """Orders of the conjunctions; the papers' three-wise set is 1,3."""
    select: str = ""
    """Instead of all conjunctions the most useful of other models: MODEL:COUNT,MODEL:COUNT, by their weights.
    MODEL:COUNT:CRITERION selects in another way. distinct: by weight, but those that are active in the same states
    count as one; effect: by how much each moves predictions; fit: by how much of the predictions they explain together;
    elimination: by weight, half of them at a time, with training in between."""
    partners: Partners = Partners.SELF
    """expert: one learner against three `pie`; self: all four seats use the network."""
    views: int = 4
    """Seats that learn from a deal, with self-play: 1 as in the papers, or 4."""
    decay: float = 0.75
    """λ."""
    rate: float = 1 / 13
    """The part of a state's error that an update removes."""
    halving: float = 0
    """Deals after which that part is halved; after twice as many it is a third, and so on. 0: it stays."""
    rules: str = ""
    """Other rules than the task's, without passing and doubler."""
    expert: str = "pie"
    """The evaluator of the expert."""
    expert_tricks: int = 1
    """How many tricks the expert looks ahead."""
    leaf: bool = False
    """TDLeaf: learn the states that searches expect, not those where they start."""
    clauses: bool = False
    """Whether ORs and negations of atomic features are atomic features, too."""
    worlds: int = 0
    """0: all hands are known; else all choose as closed players do, each card in so many sampled worlds."""
    search: str = "maxn"
    """How all who use the network search to the end of the trick while it learns: maxn, paranoid or softmaxn."""
    cut: str = "possible"
    """Between which points values are cut in a search: possible (what the seat has, and what it can still get) or whole
    (none, and all points of the deal)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.views not in (1, 4):
            raise ValueError(f"views={self.views}: 1 or 4 seats can learn")
        if self.views > 1 and self.partners is Partners.EXPERT:
            raise ValueError("views=4 needs partners=self: experts do not learn; with experts add views=1")
        if self.worlds < 0 or (self.worlds > 0 and self.partners is Partners.EXPERT):
            raise ValueError(f"worlds={self.worlds}: a number of worlds, with partners=self")
        if self.expert_tricks < 1:
            raise ValueError(f"expert_tricks={self.expert_tricks}: at least 1")
        if self.search not in SEARCHES:
            raise ValueError(f"search={self.search}: one of {', '.join(SEARCHES)}")
        if self.cut not in CUTS:
            raise ValueError(f"cut={self.cut}: one of {', '.join(CUTS)}")
        if not 0 <= self.decay <= 1:
            raise ValueError(f"decay={self.decay}: between 0 and 1")
        if not 0 <= self.rate <= 1:
            raise ValueError(f"rate={self.rate}: between 0 and 1")
        if not 0 <= self.halving < np.inf:
            raise ValueError(f"halving={self.halving}: a number of deals, or 0")
        if self.selections and self.clauses:
            raise ValueError("clauses=yes goes with orders, not with select")
        if not 1 <= min(self.order_numbers) <= max(self.order_numbers) <= MAX_ORDER:
            raise ValueError(f"orders={self.orders}: write numbers from 1 to {MAX_ORDER}, such as 1,2,3")

    @cached_property
    def order_numbers(self) -> tuple[int, ...]:
        """`orders` as numbers; 0 stands for anything else."""
        return tuple(sorted({int(text) if text.strip().isdecimal() else 0 for text in self.orders.split(",")}))

    @cached_property
    def selections(self) -> tuple[Selection, ...]:
        """What `select` names."""
        return tuple(Selection.parse(part) for part in self.select.split(",")) if self.select else ()


def task_atoms(task: str, clauses: bool) -> tuple[int, ...]:
    """The atomic features of a task; with clauses also those ORs and negations that speak of them alone."""
    atoms = TASKS[task].atoms
    if not clauses:
        return atoms
    made = [clause(text) for text in USEFUL]
    return atoms + tuple(one.number for one in made if {number for number, _ in one.literals} <= set(atoms))


def chosen_conjunctions(task: str, parameters: TdParameters) -> Conjunctions:
    """The conjunctions of a run."""
    if not parameters.selections:
        return Conjunctions.exhaustive(task_atoms(task, parameters.clauses), parameters.order_numbers)
    return union(
        best_conjunctions(load_network(one.model), read_model(one.model).rules, one.count, one.criterion)
        for one in parameters.selections
    )


def best_conjunctions(
    network: Network, rules: str, count: int, criterion: Criterion, deals: int = ROUND
) -> list[Conjunction]:  # fmt: skip
    """The most useful conjunctions of a network by a criterion, judged in states of its self-play.

    :param deals: in a round of elimination.
    """
    if criterion == Criterion.ELIMINATION:
        network = eliminate(network, rules, count, deals)
    if criterion in (Criterion.WEIGHT, Criterion.ELIMINATION):
        return select_by_weight(network, count)
    notes = watched_states(network, rules)
    if criterion == Criterion.DISTINCT:
        return select_distinct(network, signatures_in(network, notes), count)
    support = support_in(network, notes)
    if criterion == Criterion.EFFECT:
        return select_by_effect(network, support, count)
    candidates = nodes_by_effect(network, support, max(FIT_CANDIDATES, count))
    some = notes[:: max(1, len(notes) // FIT_STATES)]
    return select_by_fit(network, candidates, activity_in(network, candidates, some), count)


def eliminate(network: Network, rules: str, count: int, deals: int) -> Network:
    """Halve a network by weight until `count` conjunctions are left; after every halving the rest learns by self-play.

    Conjunctions that are dropped may have said the same as others: those take over their part, and the next halving
    sees what each is worth alone.

    :param deals: how many are learned after a halving, the last one included.
    """
    number, total = 0, len(network.conjunctions)
    while len(network.conjunctions) > count:
        kept = select_by_weight(network, max(count, len(network.conjunctions) // 2))
        parameters = TdParameters(rules=rules, halving=deals / 5)
        left = Conjunctions.of(kept)
        trainer = TdTrainer("full", parameters, number, left, rest=network.rest)
        trainer.use(network.over(left))
        trainer.step(0, deals)
        network, number = trainer.network, number + 1
        print(f"heartlab: {len(kept):,} of {total:,} conjunctions left, {count:,} wanted", file=sys.stderr)
    return network


def watched_states(network: Network, rules: str, deals: int = 1_000) -> npt.NDArray[Any]:
    """The states of some self-play of a network that does not learn."""
    trainer = TdTrainer("full", TdParameters(rate=0.0, rules=rules), 0, network.conjunctions, rest=network.rest)
    trainer.network.weights[:] = network.weights
    trainer.use(trainer.network)
    trainer.notes = np.zeros(deals * len(CARDS), NOTE)  # seats × tricks are at most the cards
    trainer.step(0, deals)
    return trainer.notes[: trainer.noted]


class TdTrainer:
    """Training of one network, chunk by chunk."""

    chunk = 1000

    def __init__(
        self,
        task: str,
        parameters: TdParameters,
        seed: int,
        conjunctions: Conjunctions | None = None,
        *,
        rest: bool = False,
    ) -> None:
        self.rules = Rules.parse(parameters.rules or TASKS[task].rules)
        if self.rules.passing != ("hold",) or self.rules.doubler is not None:
            raise ValueError(f"networks train without passing and without a doubler, not under {self.rules}")
        self.task, self.parameters = task, parameters
        whole = float(self.rules.total_points) if parameters.cut == "whole" else 0.0
        self.network = Network(conjunctions or chosen_conjunctions(task, parameters), rest=rest, whole=whole)
        count = len(self.network.conjunctions)
        dice = numpy_dice(seed, 1)
        self.network.weights[self.network.conjunctions.live] = dice.uniform(-1 / count, 1 / count, count)
        self._key = seed_key(seed, "td")
        self._settings = np.zeros(1, SETTINGS)
        self._settings[0] = (
            parameters.decay, parameters.rate, parameters.halving, parameters.views,
            parameters.partners is Partners.SELF, parameters.worlds, parameters.leaf,
        )  # fmt: skip
        self._expert = make_evaluator(parameters.expert)
        self._expert_data = self._expert.data()
        known = self._expert.bounds_under(self.rules, True)
        self._specs = np.concatenate(
            [
                compile_options(learning_search(parameters.search)),
                compile_options(SearchOptions(tricks=parameters.expert_tricks), known),
            ]
        )
        self.notes = np.zeros(0, NOTE)
        """Room for the states of the last step."""
        self.noted = 0
        self.counters = new_counters()
        self.use(self.network)
        prepare_training()

    def use(self, network: Network) -> None:
        """Learn with this network from now on."""
        self.network = network
        self._judge = network.evaluator()
        self._data = self._judge.data()
        self._active = network.conjunctions.room()

    def step(self, first: int, count: int) -> Sequence[Metrics]:
        """Learn from some deals."""
        out = np.zeros((count, 2))
        self.noted = train_deals(
            compile_rules(self.rules), self._key, first, Course(self._settings, self._specs), self.network.extract,
            self._judge.function, self._data, self._expert.function, self._expert_data,
            Room(self._active, out, self.counters, self.notes),
        )  # fmt: skip
        return [{"games": first + count, "points": float(out[:, 0].mean()), "error": float(out[:, 1].mean())}]

    def checkpoint(self) -> Arrays:
        """The weights, and selected conjunctions, since the model that they come from may change meanwhile."""
        rows = self.network.conjunctions.rows() if self.parameters.selections else np.zeros((0, 1), np.int8)
        return {"conjunctions": rows, "weights": self.network.live_weights.copy()}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        if self.parameters.selections:
            chosen = read_conjunctions(arrays)
        else:
            chosen = self.network.conjunctions
            fit(arrays, {"weights": Form(FLOATS, len(chosen))})
        self.use(Network(chosen, arrays["weights"], rest=self.network.rest, whole=self.network.whole))

    def model(self) -> Model:
        """The network as it is now."""
        return to_model(self.network, str(self.rules), task=self.task)


def _task_recipe(task: str, summary: str, parameters: type[TdParameters], games: int) -> None:
    recipe(f"td-{task}", summary, parameters, games)(lambda chosen, seed: TdTrainer(task, chosen, seed))


@dataclass(frozen=True)
class PairsParameters(TdParameters):
    """Where pairs are a good start."""

    orders: str = "1,2"


@dataclass(frozen=True)
class FullParameters(PairsParameters):
    """The full game, in which it can matter who has Q♠ already: no feature of the papers tells."""

    rest: bool = False
    """Foresee the points that are still to come instead of all points of the deal, as in the papers."""
    moon: bool = False
    """Whether features about the moon are among the atomic ones; to be trained under rules that have one."""
    extra: str = ""
    """Names of atomic features of your own, separated by semicolons; `heartlab --use FILE` brings them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.moon or self.extra_atoms) and (self.selections or self.clauses):
            raise ValueError("moon=yes and extra go with orders, not with select or clauses")

    @cached_property
    def extra_atoms(self) -> tuple[int, ...]:
        """The numbers of the features that `extra` names."""
        return tuple(find_atom(name).number for name in self.extra.split(";") if name)


def _full_trainer(parameters: FullParameters, seed: int) -> TdTrainer:
    chosen = None
    if parameters.moon or parameters.extra_atoms:
        atoms = TASKS["full"].atoms + (place_moon() if parameters.moon else ()) + parameters.extra_atoms
        chosen = Conjunctions.exhaustive(atoms, parameters.order_numbers)
    return TdTrainer("full", parameters, seed, chosen, rest=parameters.rest)


_task_recipe("queen", "avoid Q♠: conjunctions of 60 features up to order four", TdParameters, 200_000)
_task_recipe("hearts", "avoid hearts: conjunctions of 88 features", PairsParameters, 200_000)
recipe(
    "td-full", "the full game; --set select=MODEL:10000,MODEL:2000 takes the best of other models", FullParameters,
    200_000,
)(_full_trainer)  # fmt: skip
