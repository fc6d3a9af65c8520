"""Parameters of tests of which one is enough to trust a change."""

from collections.abc import Iterable
from typing import Any

import pytest


def first_quick(values: Iterable[Any]) -> list[Any]:
    """Values for `parametrize`: the tests with all but the first of them are slow."""
    first, *others = values
    return [first, *(pytest.param(one, marks=pytest.mark.slow) for one in others)]
