"""Bit tricks on 64-bit masks, by name. Masks are uint64: mixing them with signed ints would turn them into floats."""

from __future__ import annotations

import platform
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

from heartlab.compiled.jit import kernel

ONE = np.uint64(1)
ZERO = np.uint64(0)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

if config.DISABLE_JIT:

    def popcount(mask: Any) -> int:
        return int(mask).bit_count()

    def lowest(mask: Any) -> int:
        return (int(mask) & -int(mask)).bit_length() - 1

    def highest(mask: Any) -> int:
        return int(mask).bit_length() - 1

    _deposit: Any = None
    _extract: Any = None

else:

    @intrinsic
    def popcount(typingctx, mask):  # type: ignore[no-untyped-def]
        """The number of bits in a mask."""

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen

    @intrinsic
    def lowest(typingctx, mask):  # type: ignore[no-untyped-def]
        """The lowest bit of a mask that is not empty."""

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return builder.cttz(args[0], context.get_constant(types.boolean, True))

        return types.int64(types.uint64), codegen

    @intrinsic
    def highest(typingctx, mask):  # type: ignore[no-untyped-def]
        """The highest bit of a mask that is not empty."""

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            zeros = builder.ctlz(args[0], context.get_constant(types.boolean, True))
            return builder.sub(context.get_constant(types.int64, 63), zeros)

        return types.int64(types.uint64), codegen

    @intrinsic
    def _deposit(typingctx, bits, mask):  # type: ignore[no-untyped-def]
        """The x86 instruction PDEP: the low bits of `bits` put into the places that `mask` marks."""

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word, word])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64"), args)

        return types.uint64(types.uint64, types.uint64), codegen

    @intrinsic
    def _extract(typingctx, bits, mask):  # type: ignore[no-untyped-def]
        """The x86 instruction PEXT: the bits at the places that `mask` marks, put together at the low end."""

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word, word])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pext.64"), args)

        return types.uint64(types.uint64, types.uint64), codegen


@kernel
def bit(place: int) -> np.uint64:
    """The mask of one place."""
    return ONE << np.uint64(place)


@kernel
def _nth_by_halves(mask: np.uint64, n: int) -> int:
    """The n-th lowest bit, by halving the mask instead of looping: no branch to mispredict."""
    card = 0
    for width in (32, 16, 8, 4, 2, 1):
        low = popcount(mask & ((ONE << np.uint64(width)) - ONE))
        up = n >= low
        n -= low * up
        step = width * up
        card += step
        mask >>= np.uint64(step)
    return card


@kernel
def _nth_by_deposit(mask: np.uint64, n: int) -> int:
    """The n-th lowest bit, by the processor's own instruction for it."""
    return lowest(_deposit(ONE << np.uint64(n), mask))


def _has_quick_deposit() -> bool:
    """Whether this processor deposits and gathers bits quickly: BMI2, but not the AMD models that emulate it slowly."""
    if config.DISABLE_JIT or platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    slow = ("znver1", "znver2", "bdver4")
    return bool(llvm.get_host_cpu_features().get("bmi2")) and llvm.get_host_cpu_name() not in slow


@kernel
def _gather_by_loop(bits: np.uint64, mask: np.uint64) -> np.uint64:
    """The bits at marked places put together, one by one."""
    found = ZERO
    place = ONE
    while mask != ZERO:
        lowest_bit = mask & (~mask + ONE)
        if bits & lowest_bit != ZERO:
            found |= place
        place <<= ONE
        mask ^= lowest_bit
    return found


@kernel
def _gather_by_extract(bits: np.uint64, mask: np.uint64) -> np.uint64:
    """The bits at marked places put together, by the processor's own instruction for it."""
    return _extract(bits, mask)


gather = _gather_by_extract if _has_quick_deposit() else _gather_by_loop
"""The bits at the places that a mask marks, put together at the low end: bit k says whether the k-th place was set."""
nth = _nth_by_deposit if _has_quick_deposit() else _nth_by_halves
"""The n-th lowest bit of a mask, counting from 0."""
