"""Recipes for networks over conjunctions: avoid Q♠, avoid hearts, and the full game from selected features."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.cards import CARDS
from heartlab.compiled.bits import ZERO
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import numpy_dice, seed_key, substream
from heartlab.kernel.layout import compile_rules
from heartlab.learners.td_features.clauses import USEFUL, clause
from heartlab.learners.td_features.conjunctions import MAX_ORDER, STACK, Conjunction, Conjunctions, list_active
from heartlab.learners.td_features.features import CARD_ATOMS, HEART_ATOMS, QUEEN_ONLY, find_atom
from heartlab.learners.td_features.kernels import NOTE, SETTINGS, Course, Room, prepare_training, train_deals
from heartlab.learners.td_features.moon import place_moon
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import KIND, load_network, to_model, unpadded_rows
from heartlab.learners.td_features.selection import (
    nodes_by_effect,
    select_by_effect,
    select_by_fit,
    select_by_weight,
    select_distinct,
    union,
)
from heartlab.rules import Rules
from heartlab.search.evaluators.base import make_evaluator
from heartlab.search.options import Prune, SearchOptions, Ties, compile_options
from heartlab.search.walk import new_counters
from heartlab.training.model import Model, load_model
from heartlab.training.recipes import Metrics, recipe
from heartlab.util.bundle import Arrays

HEARTS_TASK = tuple(number for number in CARD_ATOMS if number not in QUEEN_ONLY) + HEART_ATOMS
TASKS = {
    "queen": ("seed-queen", CARD_ATOMS),
    "hearts": ("seed-hearts", HEARTS_TASK),
    "full": ("seed-nomoon", CARD_ATOMS + HEART_ATOMS),
}
"""Rules and atomic features of each task."""
LEARNING = SearchOptions(ties=Ties.RANDOM, prune=Prune.NO)
"""How the learner searches."""
PARTNERS = ("expert", "self")
CRITERIA = ("weight", "distinct", "effect", "fit", "elimination")
"""How conjunctions are selected; the first is the papers' way, as we read it."""
FIT_STATES, FIT_CANDIDATES = 3_000, 10_000
"""How many states a selection by fit looks at, and from how many conjunctions of the largest effect it chooses."""
ROUND = 10_000
"""Deals of self-play between two halvings of a selection by elimination."""


@dataclass(frozen=True)
class TdParameters:
    """What decides a run, besides its seed and length."""

    orders: str = "1,2,3,4"
    """Orders of the conjunctions; the papers' three-wise set is 1,3."""
    select: str = ""
    """Instead of all conjunctions the most useful of other models: MODEL:COUNT,MODEL:COUNT. By their weights; with
    MODEL:COUNT:distinct likewise, but those that are active in the same states count as one; with MODEL:COUNT:effect by
    how much each moves predictions; with MODEL:COUNT:fit by how much of them all say together; with
    MODEL:COUNT:elimination by their weights, half of them at a time, learning on in between."""
    partners: str = "self"
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

    def __post_init__(self) -> None:
        if self.partners not in PARTNERS:
            raise ValueError(f"partners={self.partners}: choose from {', '.join(PARTNERS)}")
        if self.views not in (1, 4):
            raise ValueError(f"views={self.views}: 1 or 4 seats can learn")
        if self.views > 1 and self.partners == "expert":
            raise ValueError("views=4 needs partners=self: experts do not learn; with experts add views=1")
        if self.worlds < 0 or (self.worlds > 0 and self.partners == "expert"):
            raise ValueError(f"worlds={self.worlds}: a number of worlds, with partners=self")
        if self.expert_tricks < 1:
            raise ValueError(f"expert_tricks={self.expert_tricks}: at least 1")
        if not 0 <= self.decay <= 1:
            raise ValueError(f"decay={self.decay}: between 0 and 1")
        if not 0 <= self.rate <= 1:
            raise ValueError(f"rate={self.rate}: between 0 and 1")
        if not 0 <= self.halving < np.inf:
            raise ValueError(f"halving={self.halving}: a number of deals, or 0")
        if self.select and self.clauses:
            raise ValueError("clauses=yes goes with orders, not with select")
        self.order_list()

    def order_list(self) -> list[int]:
        """The orders as numbers."""
        numbers = self.orders.split(",")
        if not all(text.strip().isdecimal() and 1 <= int(text) <= MAX_ORDER for text in numbers):
            raise ValueError(f"orders={self.orders}: write numbers from 1 to {MAX_ORDER}, such as 1,2,3")
        return sorted({int(text) for text in numbers})


def task_atoms(task: str, clauses: bool) -> tuple[int, ...]:
    """The atomic features of a task; with clauses also those ORs and negations that speak of them alone."""
    atoms = TASKS[task][1]
    if not clauses:
        return atoms
    made = [clause(text) for text in USEFUL]
    return atoms + tuple(one.number for one in made if {number for number, _ in one.literals} <= set(atoms))


def chosen_conjunctions(task: str, parameters: TdParameters) -> Conjunctions:
    """The conjunctions of a run."""
    if not parameters.select:
        return Conjunctions.exhaustive(task_atoms(task, parameters.clauses), parameters.order_list())
    return union(_selected(part) for part in parameters.select.split(","))


def _selected(part: str) -> list[Conjunction]:
    """The conjunctions that MODEL:COUNT or MODEL:COUNT:CRITERION names."""
    parts = part.split(":")
    criterion = parts.pop() if parts[-1] in CRITERIA else CRITERIA[0]
    name, count = ":".join(parts[:-1]), parts[-1]
    if not name or not count.isdecimal() or int(count) == 0:
        raise ValueError(f"select={part}: write MODEL:COUNT or MODEL:COUNT:CRITERION, one of {', '.join(CRITERIA)}")
    return best_conjunctions(load_network(name), load_model(name, KIND).rules, int(count), criterion)


def best_conjunctions(
    network: Network, rules: str, count: int, criterion: str, deals: int = ROUND
) -> list[Conjunction]:  # fmt: skip
    """The most useful conjunctions of a network: by weight, all or those that differ in states of its self-play; by
    effect or fit in such states; or by elimination with so many deals in a round."""
    if criterion == "elimination":
        network = eliminate(network, rules, count, deals)
    if criterion in ("weight", "elimination"):
        return select_by_weight(network, count)
    notes = watched_states(network, rules)
    if criterion == "distinct":
        return select_distinct(network, signatures_in(network, notes), count)
    support = support_in(network, notes)
    if criterion == "effect":
        return select_by_effect(network, support, count)
    candidates = nodes_by_effect(network, support, max(FIT_CANDIDATES, count))
    some = notes[:: max(1, len(notes) // FIT_STATES)]
    columns = np.full(network.conjunctions.nodes, -1)
    columns[candidates] = np.arange(len(candidates))
    active = np.zeros((len(some), len(candidates)), np.float32)
    mark_active(*_trie_and_room(network), some, columns, active)
    return select_by_fit(network, candidates, active, count)


def eliminate(network: Network, rules: str, count: int, deals: int) -> Network:
    """Halve a network by weight until `count` conjunctions are left; after every halving the rest learns by self-play.

    What is dropped together may have said the same: those that are left take over its part, and the next halving sees
    what each is worth without it.

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


def support_in(network: Network, notes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """In which share of some states each conjunction is active, by node of the trie."""
    active = np.zeros(network.conjunctions.nodes, np.int64)
    count_active(*_trie_and_room(network), notes, active)
    return active / max(1, len(notes))


def signatures_in(network: Network, notes: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """By node of the trie a number that tells in which of some states it is active; 0: in none."""
    signatures = np.zeros(network.conjunctions.nodes, np.uint64)
    sign_active(*_trie_and_room(network), notes, signatures)
    return signatures


def _trie_and_room(network: Network) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """What the kernels below walk through, and room for them."""
    trie = network.conjunctions.packed.view(np.uint64)
    return trie, np.zeros(STACK, np.uint64), network.conjunctions.room()


@kernel
def count_active(trie: Any, stack: Any, found: Any, notes: Any, out: Any) -> None:
    """Count for every node in how many noted states it is active."""
    for i in range(len(notes)):
        for k in range(list_active(trie, notes[i]["low"], notes[i]["high"], stack, found)):
            out[found[k]] += 1


@kernel
def sign_active(trie: Any, stack: Any, found: Any, notes: Any, out: Any) -> None:
    """Add to every node a random number for each noted state in which it is active."""
    for i in range(len(notes)):
        key = substream(ZERO, i)
        for k in range(list_active(trie, notes[i]["low"], notes[i]["high"], stack, found)):
            out[found[k]] += key


@kernel
def mark_active(trie: Any, stack: Any, found: Any, notes: Any, columns: Any, out: Any) -> None:
    """Mark for every noted state (row) which nodes are active, those that have a column."""
    for i in range(len(notes)):
        for k in range(list_active(trie, notes[i]["low"], notes[i]["high"], stack, found)):
            if columns[found[k]] >= 0:
                out[i, columns[found[k]]] = 1.0


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
        self.rules = Rules.parse(parameters.rules or TASKS[task][0])
        if self.rules.passing != ("hold",) or self.rules.doubler is not None:
            raise ValueError(f"networks train without passing and without a doubler, not under {self.rules}")
        self.task, self.parameters = task, parameters
        self.network = Network(conjunctions or chosen_conjunctions(task, parameters), rest=rest)
        count = len(self.network.conjunctions)
        dice = numpy_dice(seed, 1)
        self.network.weights[self.network.conjunctions.live] = dice.uniform(-1 / count, 1 / count, count)
        self._key = seed_key(seed, "td")
        self._settings = np.zeros(1, SETTINGS)
        self._settings[0] = (
            parameters.decay, parameters.rate, parameters.halving, parameters.views, parameters.partners == "self",
            parameters.worlds, parameters.leaf,
        )  # fmt: skip
        self._expert = make_evaluator(parameters.expert)
        self._expert_data = self._expert.data()
        known = self._expert.bounds_under(self.rules, True)
        self._specs = np.concatenate(
            [compile_options(LEARNING), compile_options(SearchOptions(tricks=parameters.expert_tricks), known)]
        )
        self.notes = np.zeros(0, NOTE)
        """Room for the states of the last step, for those who want to look at them."""
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
        """The conjunctions, which may come from a model that changes meanwhile, and their weights."""
        rows = self.network.conjunctions.rows() if self.parameters.select else np.zeros((0, 1), np.int8)
        return {"conjunctions": rows, "weights": self.network.live_weights.copy()}

    def restore(self, arrays: Arrays) -> None:
        """Take them back; sums from before are forgotten."""
        chosen = Conjunctions.of(unpadded_rows(arrays["conjunctions"])) if self.parameters.select else None
        self.use(Network(chosen or self.network.conjunctions, arrays["weights"], rest=self.network.rest))

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
        if (self.moon or self.extra) and (self.select or self.clauses):
            raise ValueError("moon=yes and extra go with orders, not with select or clauses")


def _full_trainer(parameters: FullParameters, seed: int) -> TdTrainer:
    chosen = None
    if parameters.moon or parameters.extra:
        extra = tuple(find_atom(name).number for name in filter(None, parameters.extra.split(";")))
        atoms = TASKS["full"][1] + (place_moon() if parameters.moon else ()) + extra
        chosen = Conjunctions.exhaustive(atoms, parameters.order_list())
    return TdTrainer("full", parameters, seed, chosen, rest=parameters.rest)


_task_recipe("queen", "avoid Q♠: conjunctions of 60 features up to order four", TdParameters, 200_000)
_task_recipe("hearts", "avoid hearts: conjunctions of 88 features", PairsParameters, 200_000)
recipe(
    "td-full", "the full game; --set select=MODEL:10000,MODEL:2000 takes the best of other models", FullParameters,
    200_000,
)(_full_trainer)  # fmt: skip
