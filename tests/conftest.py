"""What tests of several files share."""

import signal

import pytest

from heartlab.features.atoms import ATOMS, MOON_ATOMS
from heartlab.learn import recipes
from heartlab.players import registry
from heartlab.players.advice import stock
from heartlab.search import evaluators, playouts


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


@pytest.fixture
def own_names(monkeypatch):
    """Names that a test takes can be taken by others afterwards, as the same example is run from several files."""
    rooms = (recipes, registry, evaluators, playouts)
    for owners in [*(room._owners for room in rooms), stock._pieces.owners, stock._values.owners]:
        monkeypatch.setattr(owners, "_origins", dict(owners._origins))
