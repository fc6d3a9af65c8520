"""What tests of several files share."""

import pytest

from heartlab.features.atoms import ATOMS, MOON_ATOMS


@pytest.fixture
def own_atoms():
    """Atomic features that a test adds are gone afterwards: there is room for few."""
    before = set(ATOMS)
    yield
    for number in set(ATOMS) - before - set(MOON_ATOMS):
        del ATOMS[number]
