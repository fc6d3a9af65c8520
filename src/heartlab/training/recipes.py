"""Recipes: named training set-ups. A recipe makes a trainer from its parameters and a seed.

Parameters are a frozen dataclass whose defaults are the recipe's; `--set key=value` changes them. Texts are read once,
when the parameters are made: enumerations by :class:`Parameters`, lists of names and the like into properties of the
dataclass. Run folders, models and `heartlab recipes` show the texts.

A trainer works in steps of some games. What is random in a step depends only on the seed and the numbers of the games,
so that a run that was stopped and resumed ends like one that was not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Protocol, TypeVar, get_type_hints

from heartlab.training.model import Model
from heartlab.util.bundle import Arrays
from heartlab.util.errors import quoted
from heartlab.util.registry import Registry

Metrics = dict[str, Any]
"""One line of measurements: values that JSON can express, but no clock times, since resumed runs write the same."""
Choice = TypeVar("Choice", bound=StrEnum)


class RecipeError(ValueError):
    """An unknown or taken name of a recipe, or a parameter that it does not have."""


def one_of(kind: type[Choice], name: str, text: str) -> Choice:
    """The member of an enumeration that a text names.

    :param name: of the parameter, for the message.
    :raises ValueError: if there is none; the message lists them.
    """
    if text not in list(kind):
        raise ValueError(f"{name}={text} is unknown; choose from {', '.join(kind)}")
    return kind(text)


@dataclass(frozen=True)
class Parameters:
    """Base of parameters with enumerations: texts are accepted for their values.

    >>> @dataclass(frozen=True)
    ... class Settings(Parameters):
    ...     class Rule(StrEnum):
    ...         DELTA = "delta"
    ...         TD = "td"
    ...     rule: Rule = Rule.DELTA
    >>> Settings("td").rule
    <Rule.TD: 'td'>
    >>> Settings("tdd")
    Traceback (most recent call last):
    ValueError: rule=tdd is unknown; choose from delta, td
    """

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            if isinstance(kind, type) and issubclass(kind, StrEnum):
                object.__setattr__(self, name, one_of(kind, name, getattr(self, name)))

    def need(self, wanted: str, fits: Callable[[Any], bool], *names: str) -> None:
        """Check the values of some parameters.

        :param wanted: what is wanted, for the message: "a number above zero".
        :raises ValueError: for the first value that does not fit.
        """
        for name in names:
            if not fits(getattr(self, name)):
                raise ValueError(f"{name}={getattr(self, name)} needs {wanted}")

    def need_shares(self, *names: str) -> None:
        """Check that some parameters are from 0 to 1."""
        self.need("a number from 0 to 1", lambda value: 0.0 <= value <= 1.0, *names)

    def need_positive(self, *names: str) -> None:
        """Check that some parameters are above zero."""
        self.need("a number above zero", lambda value: value > 0, *names)


class Learning(Protocol):
    """What learns step by step, and can be put down and taken up again."""

    chunk: int
    """Games per step. A run may end within a chunk; then its last step is shorter."""

    def step(self, first: int, count: int) -> Sequence[Metrics]:
        """Learn from games number `first` to `first + count - 1`; returns what was measured."""

    def checkpoint(self) -> Arrays:
        """All that has been learned: what `restore` needs to continue exactly from here."""

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""


class Trainer(Learning, Protocol):
    """The work of a run.

    >>> import numpy as np
    >>> class Counter:
    ...     chunk, total = 10, 0
    ...     def step(self, first, count):
    ...         self.total += count
    ...         return [{"games": first + count, "total": self.total}]
    ...     def checkpoint(self):
    ...         return {"total": np.array(self.total)}
    ...     def restore(self, arrays):
    ...         self.total = int(arrays["total"])
    ...     def model(self):
    ...         return Model("counter", self.checkpoint())
    >>> trainer: Trainer = Counter()
    >>> trainer.step(0, 10)
    [{'games': 10, 'total': 10}]
    """

    def model(self) -> Model:
        """What has been learned, for players. Recipe, seed, games and command are filled in by the run."""


@dataclass(frozen=True)
class Recipe:
    """One entry of the registry.

    >>> @dataclass(frozen=True)
    ... class Settings:
    ...     rate: float = 0.1
    ...     rounds: int = 5
    >>> demo = Recipe("demo", "an example", Settings, make=lambda settings, seed: ..., games=1000)
    >>> demo.settings({"rate": "0.5"})
    Settings(rate=0.5, rounds=5)
    >>> demo.settings({"speed": "2"})
    Traceback (most recent call last):
    heartlab.training.recipes.RecipeError: recipe demo has no parameter 'speed'; it has rate, rounds
    """

    name: str
    summary: str
    parameters: type
    """A frozen dataclass; its fields are bool, int, float, str or StrEnum, with defaults."""
    make: Callable[[Any, int], Trainer]
    """Makes a trainer from parameters and seed."""
    games: int
    """Default length of a run."""

    def settings(self, changes: Mapping[str, Any] = {}) -> Any:
        """The parameters with some changes; texts are read as the type of the field.

        :raises RecipeError: for an unknown parameter or a value that does not fit.
        """
        hints = get_type_hints(self.parameters)
        values = {}
        for key, value in changes.items():
            if key not in hints:
                known = ", ".join(field.name for field in fields(self.parameters)) or "none"
                raise RecipeError(f"recipe {self.name} has no parameter {quoted(key)}; it has {known}")
            values[key] = _read(self.name, key, value, hints[key])
        try:
            return self.parameters(**values)
        except ValueError as error:
            raise RecipeError(f"recipe {self.name}: {error}") from error


def _read(recipe: str, key: str, value: Any, kind: Any) -> Any:
    if isinstance(value, str) and not issubclass(kind, str):
        text = value.strip()
        if kind is bool:
            if text.lower() in ("yes", "true", "no", "false"):
                return text.lower() in ("yes", "true")
        else:
            try:
                return kind(text)
            except ValueError:
                pass
    elif isinstance(value, str):
        return value  # enumerations are read by `Parameters`
    elif isinstance(value, kind) or (kind is float and isinstance(value, int)):
        return kind(value)
    wanted = {bool: "yes or no", int: "a whole number", float: "a number"}.get(kind, "a text")
    raise RecipeError(f"recipe {recipe}: {key}={value} needs {wanted}")


RECIPES: Registry[Recipe] = Registry("recipe", RecipeError, "heartlab.recipes", lambda entry: entry.load())
"""All recipes; the entry point of another package is a `Recipe`."""


def recipe(name: str, summary: str, parameters: type, games: int) -> Callable[[Callable[..., Trainer]], Any]:
    """Register a class or function that makes a trainer from parameters and seed as a recipe.

    :raises RecipeError: if the name is taken.
    """

    def add(make: Callable[..., Trainer]) -> Any:
        RECIPES.add(name, Recipe(name, summary, parameters, make, games), make)
        return make

    return add


def known_recipes() -> dict[str, Recipe]:
    """All recipes by name."""
    return RECIPES.known()


def find_recipe(name: str) -> Recipe:
    """The recipe with this name; only its module is imported.

    :raises RecipeError: if there is none; the message lists the known ones.
    """
    return RECIPES.find(name)


def parse_changes(texts: Sequence[str], option: str = "--set") -> dict[str, str]:
    """Read the `key=value` texts of an option."""
    changes: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise RecipeError(f"{option} {text}: write key=value")
        if key.strip() in changes:
            raise RecipeError(f"duplicate {option} {key.strip()}: {changes[key.strip()]} and {value}")
        changes[key.strip()] = value
    return changes
