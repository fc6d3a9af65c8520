"""Training: what all learners share.

| module | what |
|---|---|
| `model` | what a run leaves behind: arrays and a header |
| `recipes` | the registry of training set-ups, their parameters and trainers |
| `run` | one execution of a recipe, in a folder that survives any interruption |
| `sweep` | many runs, over seeds and values of parameters |
| `explain` | the explainers of models, found by the kind of the model |

A learner brings a module with compiled training, one with its recipes, one with the players that use its models and one
with its explainer; recipes, players and explainers are listed as entry points in `pyproject.toml`.
"""

from heartlab.training.model import Model, ModelError, load_model, save_model
from heartlab.training.recipes import Parameters, Recipe, RecipeError, Trainer, known_recipes, recipe
from heartlab.training.run import Run, RunError, known_runs, train

__all__ = [
    "Model",
    "ModelError",
    "Parameters",
    "Recipe",
    "RecipeError",
    "Run",
    "RunError",
    "Trainer",
    "known_recipes",
    "known_runs",
    "load_model",
    "recipe",
    "save_model",
    "train",
]
