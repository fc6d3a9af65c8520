"""Every example in a docstring is run."""

import doctest
import importlib

import pytest
from support import ROOT

SOURCE = ROOT / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((SOURCE / "heartlab").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    if "openspiel" in name:
        pytest.importorskip("pyspiel")
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"needs an extra: {error}")
    assert doctest.testmod(module).failed == 0


def test_examples_are_found():
    assert len(MODULES) >= 10
