"""The comparison that both papers leave to the future: learning from what one seat may know, without worlds.

The papers learn from open hands and play closed Hearts by sampling 20 worlds. The recipe `whole-game` learns from
observations and samples nothing. It is another learner, and learners do not know each other: it is trained and seated
by its names alone, as any recipe and player of another package could be. So the experiment stands here, in the report
of the papers that ask for it, and no arrow leads from one learner to the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from heartlab.learners.td_features.full import FULL_MARGIN
from heartlab.learners.td_features.parts import lead, values
from heartlab.players.base import Player
from heartlab.players.registry import make_player
from heartlab.reproduction.claims import less_claim
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Findings
from heartlab.reproduction.series import Study, train_all
from heartlab.reproduction.units import run_units
from heartlab.training.model import Model, save_model
from heartlab.training.recipes import Learning, Trainer, find_recipe
from heartlab.util.bundle import Arrays

RECIPE, PLAYER, RULES = "whole-game", "net", "seed"
RUNS = 5
OPPONENTS = {
    "td-closed": "the network of features that ships, in 20 worlds",
    "iie": "the hand-tuned expert in 20 worlds",
}


@dataclass(frozen=True)
class ClosedStudy(Study):
    """A training run of the closed learner: the arrays of its model."""

    marks: tuple[int, ...]

    def settings(self) -> dict[str, Any]:
        """What differs from the recipe's own parameters: single deals need no table of chances to win a game."""
        deals = self.marks[-1]
        return {"rules": f"{RULES},deals=1", "schedule": deals, "past_every": max(1, deals // 8)}

    def part_name(self, run: int) -> str:
        return f"train-{RECIPE}-{run}"

    def key(self, run: int) -> Mapping[str, Any]:
        return {"recipe": RECIPE, **self.settings(), "run": run}

    def trainer(self, seed: int) -> Learning:
        recipe = find_recipe(RECIPE)
        return recipe.make(recipe.settings(self.settings()), seed)

    def at_end(self, trainer: Learning) -> Mapping[str, Any]:
        return cast(Trainer, trainer).model().arrays


def seated(arrays: Arrays) -> Player:
    """The player over a trained model. It reads all of the file when it is made, so the file need not stay."""
    with TemporaryDirectory(prefix="heartlab-closed-") as folder:
        path = Path(folder) / "model.npz"
        save_model(path, Model(RECIPE, arrays, rules=RULES))
        return make_player(f"{PLAYER}:model={path}")


def information(shop: Workshop) -> Findings:
    """A network over observations, without search, against both closed players of the papers."""
    sizes = {"train": shop.size(150_000, 600), "match": shop.size(100, 2)}

    def work(shop: Workshop, run: int) -> Unit:
        (arrays,) = train_all(shop, [(ClosedStudy((sizes["train"],)), run)])
        player = seated(arrays)
        return {name: lead(shop, player, make_player(name), RULES, sizes["match"], run) for name in OPPONENTS}

    units = run_units(shop, "observations", sizes, shop.size(RUNS, 2), work)
    note = (
        f"points per deal, 14 seatings; `{RECIPE}` trained for {sizes['train']:,} deals under `{RULES}` (`td-closed`: "
        f"150,000, one run); it plays without search and without worlds"
    )
    return Findings(claims=[
        less_claim(f"beyond/information-beats-{name}", f"a network over observations beats {words}",
                   values(units, name), sizes["match"] * len(units), note, margin=FULL_MARGIN)
        for name, words in OPPONENTS.items()
    ])  # fmt: skip
