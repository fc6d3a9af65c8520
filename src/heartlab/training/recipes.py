"""Recipes: named training set-ups. A recipe makes a trainer from its parameters and a seed.

Parameters are a frozen dataclass whose defaults are the recipe's; `--set key=value` changes them. A trainer does its
work in steps of some games. Whatever is random in a step depends on the seed and the numbers of the games alone, so
that a run that was stopped and resumed ends like one that was not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, get_type_hints

from heartlab.training.model import Model
from heartlab.util.bundle import Arrays
from heartlab.util.registry import Registry

Metrics = dict[str, Any]
"""One line of measurements; values that JSON can express, and no clock times: resumed runs must write the same."""


class RecipeError(ValueError):
    """A name that is no recipe, or another's, or a parameter that it does not have."""


class Trainer(Protocol):
    """The work of a run."""

    chunk: int
    """Games per step. A run may end within a chunk; then its last step is shorter."""

    def step(self, first: int, count: int) -> Sequence[Metrics]:
        """Learn from games number `first` to `first + count - 1`, and give what was measured."""

    def checkpoint(self) -> Arrays:
        """All that has been learned: what `restore` needs to go on exactly from here."""

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""

    def model(self) -> Model:
        """What has been learned, for players. Recipe, seed, games and command are filled in by the run."""


@dataclass(frozen=True)
class Recipe:
    """One entry of the registry."""

    name: str
    summary: str
    parameters: type
    """A frozen dataclass; its fields are bool, int, float or str, with defaults."""
    make: Callable[[Any, int], Trainer]
    """From parameters and seed to a trainer."""
    games: int
    """How many games a run has unless told otherwise."""

    def settings(self, changes: Mapping[str, Any] = {}) -> Any:
        """The parameters with some changes; texts are read as the type of the field.

        :raises RecipeError: for an unknown parameter or a value that does not fit.
        """
        hints = get_type_hints(self.parameters)
        values = {}
        for key, value in changes.items():
            if key not in hints:
                known = ", ".join(field.name for field in fields(self.parameters)) or "none"
                raise RecipeError(f"recipe {self.name} has no parameter {key!r}; it has {known}")
            values[key] = _read(self.name, key, value, hints[key])
        try:
            return self.parameters(**values)
        except ValueError as error:
            raise RecipeError(f"recipe {self.name}: {error}") from error


def _read(recipe: str, key: str, value: Any, kind: type) -> Any:
    if isinstance(value, str) and kind is not str:
        text = value.strip()
        if kind is bool:
            if text.lower() in ("yes", "true", "no", "false"):
                return text.lower() in ("yes", "true")
        else:
            try:
                return kind(text)
            except ValueError:
                pass
    elif isinstance(value, kind) or (kind is float and isinstance(value, int)):
        return kind(value)
    wanted = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text"}[kind]
    raise RecipeError(f"recipe {recipe}: {key}={value} needs {wanted}")


RECIPES: Registry[Recipe] = Registry("recipe", RecipeError, "heartlab.recipes", lambda entry: entry.load())
"""All recipes; the entry point of another package leads to a `Recipe`."""


def recipe(name: str, summary: str, parameters: type, games: int) -> Callable[[Callable[..., Trainer]], Any]:
    """Register what makes a trainer (a class or function of parameters and seed) as a recipe.

    :raises RecipeError: if the name is another's.
    """

    def add(make: Callable[..., Trainer]) -> Any:
        RECIPES.add(name, Recipe(name, summary, parameters, make, games), make)
        return make

    return add


def known_recipes() -> dict[str, Recipe]:
    """All recipes by name."""
    return RECIPES.known()


def find_recipe(name: str) -> Recipe:
    """The recipe of a name; only its module is imported if it is there.

    :raises RecipeError: if there is none; the message lists the known ones.
    """
    return RECIPES.find(name)


def parse_changes(texts: Sequence[str], option: str = "--set") -> dict[str, str]:
    """Read `key=value` texts that were given with an option."""
    changes = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise RecipeError(f"{option} {text}: write key=value")
        changes[key.strip()] = value
    return changes
