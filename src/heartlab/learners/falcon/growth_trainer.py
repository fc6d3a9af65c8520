"""The recipe that grows a network: experiences under the present policy, a new network from them, and again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from heartlab.learners.falcon.agent import check_rules
from heartlab.learners.falcon.boxes import Boxes, seedling
from heartlab.learners.falcon.experience import FIELDS, Experiences, frozen_ratios, gather, join, plainer
from heartlab.learners.falcon.growth import grow
from heartlab.learners.falcon.more_percepts import PAPER_ACTIONS
from heartlab.learners.falcon.partners import PARTNERS
from heartlab.learners.falcon.player import boxes_model
from heartlab.rules import Rules
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, recipe
from heartlab.util.bundle import Arrays


@dataclass(frozen=True)
class GrowParameters:
    """What the recipe can be told."""

    rules: str = "falcon"
    partners: str = "gnome"
    """Training partners, three of a kind; several kinds, joined with +, take turns."""
    batch: int = 1_000_000
    """Games per round; then a new network is grown."""
    categories: int = 2000
    """Most categories of a network."""
    least: int = 40
    """Least experiences of a category."""
    keep: int = 3
    """Rounds whose experiences a network is grown from."""
    shrink: float = 10.0
    """How many experiences without effect each motor weight is diluted with."""
    foresight: float = 0.05
    """How much it counts that a split explains differences between actions which do not pay yet."""
    without: str = ""
    """What to leave out, to see what it is worth: percepts (all but those of hearts, high spades and the suit led),
    actions (those that the paper's agent does not have) or pairing; several joined with +."""
    test: int = 20_000
    """Frozen games against three gnome after each round."""

    def __post_init__(self) -> None:
        check_rules(Rules.parse(self.rules))
        for name in self.partners.split("+"):
            if name not in PARTNERS:
                raise ValueError(f"partners={self.partners}: {name!r} is none of {', '.join(PARTNERS)}")
        for name in filter(None, self.without.split("+")):
            if name not in ("percepts", "actions", "pairing"):
                raise ValueError(f"without={self.without}: {name!r} is none of percepts, actions, pairing")
        for name, least in (("batch", 100), ("categories", 3), ("least", 1), ("keep", 1), ("test", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}={getattr(self, name)}: at least {least}")
        if not (0.0 <= self.shrink < math.inf and 0.0 <= self.foresight < math.inf):
            raise ValueError("shrink and foresight need numbers from 0 on")


@recipe("falcon-grow", "beyond the paper: a network of boxes, grown from paired playouts", GrowParameters, 6_000_000)
class GrowTrainer:
    """Policy iteration: one network per round."""

    def __init__(self, settings: GrowParameters, seed: int) -> None:
        self.settings, self.seed, self.chunk = settings, seed, settings.batch
        self.rules = Rules.parse(settings.rules)
        self.net: Boxes = seedling()
        self.kept: list[Experiences] = []

    def step(self, first: int, count: int) -> list[Metrics]:
        """One round; one that is too short for any experience, as the last may be, changes nothing.

        :raises ValueError: if that is the first.
        """
        settings = self.settings
        kinds = settings.partners.split("+")
        partner = kinds[first // self.chunk % len(kinds)]
        left_out = settings.without.split("+")
        paired = "pairing" not in left_out
        fresh = gather(self.net, self.rules, partner, self.seed, "train", count, first, paired=paired)
        fresh = plainer(fresh, "percepts" in left_out, "actions" in left_out)
        if len(fresh):
            self.kept = [*self.kept, fresh][-settings.keep :]
            self.net = grow(join(self.kept), settings.categories, settings.least, settings.shrink, settings.foresight)
            if "actions" in left_out:
                self.net.weights[:, ~PAPER_ACTIONS] = 0.0
        elif not self.kept:
            raise ValueError(f"{count} games are too few to learn from: every action of a choice takes one")
        line: Metrics = {
            "games": first + count, "partners": partner, "experiences": len(fresh), "categories": len(self.net),
        }  # fmt: skip
        if settings.test:
            tested = frozen_ratios(self.net, self.rules, "gnome", self.seed, f"test {first}", settings.test)
            line["tested"] = round(float(tested.mean()), 6)
        return [line]

    def checkpoint(self) -> Arrays:
        """The network and the experiences that the next one will need."""
        arrays = {f"net_{name}": array for name, array in self.net.arrays().items()}
        for place, known in enumerate(self.kept):
            arrays |= {f"kept_{place}_{name}": getattr(known, name) for name in FIELDS}
        return {**arrays, "games": np.array([known.games for known in self.kept], np.int64)}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        self.net = Boxes.of({name: arrays[f"net_{name}"] for name in ("tests", "branches", "weights", "visits")})
        self.kept = []
        for place, games in enumerate(arrays["games"]):
            codes, kinds, costs = (arrays[f"kept_{place}_{name}"] for name in FIELDS)
            self.kept.append(Experiences(codes, kinds, costs, int(games)))

    def model(self) -> Model:
        """The network."""
        return boxes_model(self.net, self.rules)
