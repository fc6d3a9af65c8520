"""What tests of several files share."""

import signal

import pytest

from heartlab.features.atoms import ATOMS, MOON_ATOMS


def pytest_configure():
    """Shells start commands in the background deaf to Ctrl-C; tests that interrupt need it heard."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def own_atoms():
    """Atomic features that a test adds are gone afterwards: there is room for few."""
    before = set(ATOMS)
    yield
    for number in set(ATOMS) - before - set(MOON_ATOMS):
        del ATOMS[number]
