"""A kernel is compiled once for all constants with which others call it."""

import numba
import pytest

from heartlab.compiled.jit import kernel


@kernel
def _shifted(bits: int, places: int, wanted: bool) -> int:
    return bits << places if wanted else bits


@kernel
def _often(bits: int) -> int:
    bits = _shifted(bits, 1, True)
    bits = _shifted(bits, 2, True)
    return _shifted(bits, places=3, wanted=False)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled with the JIT off")
def test_constants_of_one_type_share_one_compilation():
    assert _often(1) == 8
    assert len(_shifted.signatures) == 1
