"""Which parameters of a test are slow: those of which one is enough to trust a change, and those that compile much."""

from collections.abc import Iterable
from typing import Any

import pytest


def first_quick(values: Iterable[Any]) -> list[Any]:
    """Values for `parametrize`: the tests with all but the first of them are slow."""
    first, *others = values
    return [first, *map(slow, others)]


def slow(*values: Any) -> Any:
    """One set of values for `parametrize`, with which the test is slow."""
    return pytest.param(*values, marks=pytest.mark.slow)
