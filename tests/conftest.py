"""What tests of several files share."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings
from support.commands import run  # noqa: F401 - a fixture for all tests

from heartlab.learners.advice import registry as stock
from heartlab.learners.td_features.features import ATOMS, MOON_ATOMS
from heartlab.players.registry import FAMILIES
from heartlab.search.evaluators.base import EVALUATORS
from heartlab.search.playouts import POLICIES
from heartlab.training.recipes import RECIPES

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # no test depends on wall time


def pytest_configure():
    """Shells start commands in the background deaf to Ctrl-C, `nohup` to SIGHUP; tests send both."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_xdist_auto_num_workers():
    """One worker more than processors: often one waits for a kernel that another compiles."""
    return (os.cpu_count() or 1) + 1


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
    registries = [RECIPES, FAMILIES, EVALUATORS, POLICIES, stock._pieces.registry, stock._values.registry]
    for one in registries:
        monkeypatch.setattr(one, "_origins", dict(one._origins))
