"""Learning: models, runs, recipes, and the learners themselves.

`model` is what a run leaves behind, `run` the folder that it
lives in and survives any kill, `recipes` the registry of training set-ups, `command` what the command line calls. A
learner brings a module with its compiled training, one with its recipes (listed in `recipes.OURS`) and, since
players may not know this room, one with the players that use its models (listed by name in the players' registry).
"""

from heartlab.training.model import Model, ModelError, load_model, save_model
from heartlab.training.recipes import Recipe, RecipeError, Trainer, known_recipes, recipe
from heartlab.training.run import Run, RunError, known_runs, train

__all__ = [
    "Model",
    "ModelError",
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
