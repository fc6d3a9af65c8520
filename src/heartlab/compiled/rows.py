"""Rows of four 64-bit words, worked on as one: 256 games side by side in a wide register of the processor.

Numba makes no wide instructions of loops over four words. So what the playouts of general games do with whole rows is
written here as vectors of LLVM, which makes of them what the processor has. Every array has the shape [rows, WIDTH],
and rows are counted by unsigned numbers. Without the JIT the same functions work on numpy's rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

WIDTH = 4
"""Words of a row."""
RUN = 6
"""The numbers that describe a run of gates."""
FREQUENT = ((2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (4, 0), (3, 1), (2, 2), (1, 3), (0, 4), (1, 4))
"""Numbers of plain and negated inputs for which the evaluation of gates has no loop over the inputs."""

_WORD = ir.IntType(64)
_ROW = ir.VectorType(_WORD, WIDTH)
_ROWS, _NUMBER = types.Array(types.uint64, 2, "C"), types.uint64
_NUMBERS, _RUNS = types.Array(types.uint32, 1, "C"), types.Array(types.int64, 2, "C")
_PLACES = types.Array(types.int64, 1, "C")

if config.DISABLE_JIT:

    def put_gates(values: Any, inputs: Any, runs: Any, first: Any, end: Any) -> None:
        for out, length, place, plain, negated, flipped in runs[int(first) : int(end)].tolist():
            for gate in range(length):
                row = np.full(WIDTH, ~np.uint64(0))
                for number in range(plain + negated):
                    one = values[inputs[place]]
                    row &= one if number < plain else ~one
                    place += 1
                values[out + gate] = ~row if flipped else row

    def copy_row(target: Any, out: Any, source: Any, row: Any) -> None:
        target[out] = source[row]

    def has_any(values: Any, row: Any) -> bool:
        return bool(values[row].any())

    def shares_any(values: Any, row: Any, other: Any, its_row: Any) -> bool:
        return bool((values[row] & other[its_row]).any())

    def take_bits(values: Any, row: Any, bits: Any) -> None:
        values[row] &= ~bits[0]

    def replace_bits(target: Any, out: Any, bits: Any, source: Any, row: Any) -> None:
        target[out] = target[out] & ~bits[0] | source[row]

    def grow_row(values: Any, register: Any, source: Any) -> bool:
        new = values[source] & ~values[register]
        values[register] |= new
        return bool(new.any())

    def count_row(digits: Any, values: Any, row: Any, used: Any) -> None:
        carry = values[row].copy()
        for digit in range(int(used)):
            rest = digits[digit] & carry
            digits[digit] ^= carry
            carry = rest

    def play_row(values: Any, out: Any, legal: Any, waiting: Any, numbers: Any, used: Any) -> None:
        mine = values[legal] & waiting[0]
        above = np.zeros_like(mine)
        for digit in range(int(used)):
            above |= numbers[digit]
        played = mine & ~above
        values[out] = played
        waiting[0] ^= played
        borrow = mine ^ played
        for digit in range(int(used)):
            rest = borrow & ~numbers[digit]
            numbers[digit] ^= borrow
            borrow = rest

    def list_rows(values: Any, rows: Any, listed: Any, first: Any, end: Any, twice: Any, out: Any, once: Any) -> Any:
        once[0], twice[out], number = 0, 0, int(first)
        for place in range(int(first), int(end)):
            row = values[rows[place]]
            listed[number] = place
            number += bool(row.any())
            twice[out] |= once[0] & row
            once[0] |= row
        return np.uint64(number - int(first))

    def lay_rows(
        values: Any,
        rows: Any,
        listed: Any,
        first: Any,
        count: Any,
        shift: Any,
        twice: Any,
        out: Any,
        games: Any,
        target: Any,
    ) -> None:
        for number in range(int(count)):
            place = int(listed[int(first) + number])
            values[int(shift) + place] |= values[rows[place]] & games[1]
            target[number] |= values[rows[place]] & twice[out]

    def trade(rows: Any, one: Any, other: Any, shift: Any, mask: Any) -> None:
        moved = ((rows[one] >> shift) ^ rows[other]) & mask
        rows[other] ^= moved
        rows[one] ^= moved << shift

    def add_counts(counts: Any, out: Any, rows: Any, row: Any) -> None:
        for word in range(WIDTH):
            counts[out, word] += np.uint64(int(rows[row, word]).bit_count())

else:

    class _Writer:
        """Writes the code of a function: rows are vectors."""

        def __init__(self, builder: Any) -> None:
            self.builder = builder

        def place(self, rows: Any, number: Any) -> Any:
            """The address of a row."""
            first = self.builder.mul(number, ir.Constant(_WORD, WIDTH))
            return self.builder.bitcast(self.builder.gep(rows, [first]), _ROW.as_pointer())

        def load(self, rows: Any, number: Any) -> Any:
            """A row as a vector."""
            found = self.builder.load(self.place(rows, number))
            found.align = 8
            return found

        def store(self, vector: Any, rows: Any, number: Any) -> None:
            """A vector into a row."""
            self.builder.store(vector, self.place(rows, number)).align = 8

        def number(self, numbers: Any, place: Any) -> Any:
            """A number of an array of 32-bit numbers."""
            return self.builder.zext(self.builder.load(self.builder.gep(numbers, [place])), _WORD)

        def spread(self, word: Any) -> Any:
            """A vector of equal words."""
            found = ir.Constant(_ROW, ir.Undefined)
            for place in range(WIDTH):
                found = self.builder.insert_element(found, word, ir.Constant(ir.IntType(32), place))
            return found

        def is_any(self, vector: Any) -> Any:
            """Whether a vector has any bit."""
            whole = ir.IntType(64 * WIDTH)
            return self.builder.icmp_unsigned("!=", self.builder.bitcast(vector, whole), ir.Constant(whole, 0))

        def count_bits(self, vector: Any) -> Any:
            """The number of bits in each word of a vector."""
            kind, name = ir.FunctionType(_ROW, [_ROW]), f"llvm.ctpop.v{WIDTH}i64"
            return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), [vector])

        def variable(self, vector: Any) -> Any:
            """A vector that changes in a loop."""
            place = cgutils.alloca_once(self.builder, _ROW)
            self.builder.store(vector, place)
            return place

    def _written(write: Callable[..., Any]) -> Callable[..., Any]:
        """The code generator of a function that is written by `write(writer, arguments...)`; arrays are addresses."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given = [
                context.make_array(kind)(context, builder, one).data if isinstance(kind, types.Array) else one
                for kind, one in zip(signature.args, arguments, strict=True)
            ]
            found = write(_Writer(builder), *given)
            return context.get_dummy_value() if found is None else found

        return generate

    def _write_run(w: Any, rows: Any, inputs: Any, run: list[Any], shape: tuple[int, int] | None) -> None:
        """The gates of a run; with a shape the loops over the inputs of a gate are written out."""
        builder, (first_row, length, first_input, plain, negated, flipped) = w.builder, run
        flip = w.spread(builder.sub(ir.Constant(_WORD, 0), flipped))
        ones = ir.Constant(_ROW, [ir.Constant(_WORD, -1)] * WIDTH)
        size = builder.add(plain, negated) if shape is None else ir.Constant(_WORD, sum(shape))

        def input_of(place: Any) -> Any:
            return w.load(rows, w.number(inputs, place))

        with cgutils.for_range(builder, length) as gate:
            place = builder.add(first_input, builder.mul(gate.index, size))
            if shape is None:
                found = w.variable(ones)
                with cgutils.for_range(builder, plain) as loop:
                    one = input_of(builder.add(place, loop.index))
                    builder.store(builder.and_(builder.load(found), one), found)
                behind = builder.add(place, plain)
                with cgutils.for_range(builder, negated) as loop:
                    one = builder.not_(input_of(builder.add(behind, loop.index)))
                    builder.store(builder.and_(builder.load(found), one), found)
                row = builder.load(found)
            else:
                row = ones
                for number in range(sum(shape)):
                    one = input_of(builder.add(place, ir.Constant(_WORD, number)))
                    row = builder.and_(row, one if number < shape[0] else builder.not_(one))
            w.store(builder.xor(row, flip), rows, builder.add(first_row, gate.index))

    @intrinsic
    def put_gates(typingctx, values, inputs, runs, first, end):  # type: ignore[no-untyped-def]
        """Evaluate runs of gates.

        A run is (first row, gates, place of its inputs, plain, negated, flipped): each of its gates puts into its row
        the conjunction of some rows and of the negations of some others, all of it negated if `flipped`.
        """

        def write(w: Any, values: Any, inputs: Any, runs: Any, first: Any, end: Any) -> None:
            builder = w.builder
            with cgutils.for_range(builder, builder.sub(end, first)) as loop:
                start = builder.mul(builder.add(first, loop.index), ir.Constant(_WORD, RUN))
                places = [builder.add(start, ir.Constant(_WORD, column)) for column in range(RUN)]
                run = [builder.load(builder.gep(runs, [place])) for place in places]
                code = builder.or_(builder.shl(run[3], ir.Constant(_WORD, 32)), run[4])
                done = builder.append_basic_block("done")
                other = builder.append_basic_block("other")
                switch = builder.switch(code, other)
                for shape in FREQUENT:
                    case = builder.append_basic_block("shape")
                    switch.add_case(ir.Constant(_WORD, shape[0] << 32 | shape[1]), case)
                    builder.position_at_end(case)
                    _write_run(w, values, inputs, run, shape)
                    builder.branch(done)
                builder.position_at_end(other)
                _write_run(w, values, inputs, run, None)
                builder.branch(done)
                builder.position_at_end(done)

        return types.void(_ROWS, _NUMBERS, _RUNS, _NUMBER, _NUMBER), _written(write)

    @intrinsic
    def copy_row(typingctx, target, out, source, row):  # type: ignore[no-untyped-def]
        """A row becomes one of another array."""

        def write(w: Any, target: Any, out: Any, source: Any, row: Any) -> None:
            w.store(w.load(source, row), target, out)

        return types.void(_ROWS, _NUMBER, _ROWS, _NUMBER), _written(write)

    @intrinsic
    def has_any(typingctx, values, row):  # type: ignore[no-untyped-def]
        """Whether a row has any bit."""

        def write(w: Any, values: Any, row: Any) -> Any:
            return w.is_any(w.load(values, row))

        return types.boolean(_ROWS, _NUMBER), _written(write)

    @intrinsic
    def shares_any(typingctx, values, row, other, its_row):  # type: ignore[no-untyped-def]
        """Whether a row has any bit that a row of another array has."""

        def write(w: Any, values: Any, row: Any, other: Any, its_row: Any) -> Any:
            return w.is_any(w.builder.and_(w.load(values, row), w.load(other, its_row)))

        return types.boolean(_ROWS, _NUMBER, _ROWS, _NUMBER), _written(write)

    @intrinsic
    def take_bits(typingctx, values, row, bits):  # type: ignore[no-untyped-def]
        """Take the bits of another array's first row from a row."""

        def write(w: Any, values: Any, row: Any, bits: Any) -> None:
            kept = w.builder.not_(w.load(bits, ir.Constant(_WORD, 0)))
            w.store(w.builder.and_(w.load(values, row), kept), values, row)

        return types.void(_ROWS, _NUMBER, _ROWS), _written(write)

    @intrinsic
    def replace_bits(typingctx, target, out, bits, source, row):  # type: ignore[no-untyped-def]
        """Take the bits of another array's first row from a row, and add those of a row of a third one."""

        def write(w: Any, target: Any, out: Any, bits: Any, source: Any, row: Any) -> None:
            kept = w.builder.and_(w.load(target, out), w.builder.not_(w.load(bits, ir.Constant(_WORD, 0))))
            w.store(w.builder.or_(kept, w.load(source, row)), target, out)

        return types.void(_ROWS, _NUMBER, _ROWS, _ROWS, _NUMBER), _written(write)

    @intrinsic
    def grow_row(typingctx, values, register, source):  # type: ignore[no-untyped-def]
        """Add the bits of another row to a row; whether any was new."""

        def write(w: Any, values: Any, register: Any, source: Any) -> Any:
            before = w.load(values, register)
            after = w.builder.or_(before, w.load(values, source))
            w.store(after, values, register)
            return w.is_any(w.builder.xor(before, after))

        return types.boolean(_ROWS, _NUMBER, _NUMBER), _written(write)

    @intrinsic
    def count_row(typingctx, digits, values, row, used):  # type: ignore[no-untyped-def]
        """Count every bit of a row in a binary counter of its own, whose digits are the first rows of `digits`."""

        def write(w: Any, digits: Any, values: Any, row: Any, used: Any) -> None:
            carry = w.variable(w.load(values, row))
            with cgutils.for_range(w.builder, used) as loop:
                digit, one = w.load(digits, loop.index), w.builder.load(carry)
                w.store(w.builder.xor(digit, one), digits, loop.index)
                w.builder.store(w.builder.and_(digit, one), carry)

        return types.void(_ROWS, _ROWS, _NUMBER, _NUMBER), _written(write)

    @intrinsic
    def play_row(typingctx, values, out, legal, waiting, numbers, used):  # type: ignore[no-untyped-def]
        """Play a move in the games that wait, where it is legal and their number is zero; else count the number down.

        The numbers are counters as in `count_row`.
        """

        def write(w: Any, values: Any, out: Any, legal: Any, waiting: Any, numbers: Any, used: Any) -> None:
            first = ir.Constant(_WORD, 0)
            waits = w.load(waiting, first)
            mine = w.builder.and_(w.load(values, legal), waits)
            above = w.variable(ir.Constant(_ROW, None))
            with cgutils.for_range(w.builder, used) as loop:
                w.builder.store(w.builder.or_(w.builder.load(above), w.load(numbers, loop.index)), above)
            played = w.builder.and_(mine, w.builder.not_(w.builder.load(above)))
            w.store(played, values, out)
            w.store(w.builder.xor(waits, played), waiting, first)
            borrow = w.variable(w.builder.xor(mine, played))
            with cgutils.for_range(w.builder, used) as loop:
                digit, one = w.load(numbers, loop.index), w.builder.load(borrow)
                w.store(w.builder.xor(digit, one), numbers, loop.index)
                w.builder.store(w.builder.and_(w.builder.not_(digit), one), borrow)

        return types.void(_ROWS, _NUMBER, _NUMBER, _ROWS, _ROWS, _NUMBER), _written(write)

    @intrinsic
    def list_rows(typingctx, values, rows, listed, first, end, twice, out, once):  # type: ignore[no-untyped-def]
        """List which of the rows `rows[first:end]` have any bit, in `listed` from `first` on; how many there are.

        `once[0]` becomes the bits that any row has, `twice[out]` those that at least two have. `listed` may be
        overwritten behind what is listed, up to `end`.
        """

        def write(
            w: Any, values: Any, rows: Any, listed: Any, first: Any, end: Any, twice: Any, out: Any, once: Any
        ) -> Any:
            builder, none = w.builder, ir.Constant(_ROW, None)
            some, several, number = w.variable(none), w.variable(none), cgutils.alloca_once_value(builder, first)
            with cgutils.for_range(builder, builder.sub(end, first)) as loop:
                place = builder.add(first, loop.index)
                row = w.load(values, w.number(rows, place))
                builder.store(place, builder.gep(listed, [builder.load(number)]))
                any_bit = builder.zext(w.is_any(row), _WORD)
                builder.store(builder.add(builder.load(number), any_bit), number)
                before = builder.load(some)
                builder.store(builder.or_(builder.load(several), builder.and_(before, row)), several)
                builder.store(builder.or_(before, row), some)
            w.store(builder.load(some), once, ir.Constant(_WORD, 0))
            w.store(builder.load(several), twice, out)
            return builder.sub(builder.load(number), first)

        arguments = (_ROWS, _NUMBERS, _PLACES, _NUMBER, _NUMBER, _ROWS, _NUMBER, _ROWS)
        return types.uint64(*arguments), _written(write)

    @intrinsic
    def lay_rows(typingctx, values, rows, listed, first, count, shift, twice, out, games, target):  # type: ignore[no-untyped-def]
        """Lay listed rows, but only the bits of `twice[out]`, over the rows of `target`.

        The other bits, those of `games[1]`, are put into the rows `shift` + what is listed.
        """

        def write(
            w: Any,
            values: Any,
            rows: Any,
            listed: Any,
            first: Any,
            count: Any,
            shift: Any,
            twice: Any,
            out: Any,
            games: Any,
            target: Any,
        ) -> None:
            builder = w.builder
            many, single = w.load(twice, out), w.load(games, ir.Constant(_WORD, 1))
            with cgutils.for_range(builder, count) as loop:
                place = builder.load(builder.gep(listed, [builder.add(first, loop.index)]))
                row = w.load(values, w.number(rows, place))
                alone = builder.and_(row, single)
                with builder.if_then(w.is_any(alone)):
                    w.store(alone, values, builder.add(shift, place))
                w.store(builder.or_(w.load(target, loop.index), builder.and_(row, many)), target, loop.index)

        arguments = (_ROWS, _NUMBERS, _PLACES, _NUMBER, _NUMBER, _NUMBER, _ROWS, _NUMBER, _ROWS, _ROWS)
        return types.void(*arguments), _written(write)

    @intrinsic
    def trade(typingctx, rows, one, other, shift, mask):  # type: ignore[no-untyped-def]
        """Two rows trade bits: those of the other that a mask marks, and those of the one so many places higher."""

        def write(w: Any, rows: Any, one: Any, other: Any, shift: Any, mask: Any) -> None:
            left, right, by = w.load(rows, one), w.load(rows, other), w.spread(shift)
            moved = w.builder.and_(w.builder.xor(w.builder.lshr(left, by), right), w.spread(mask))
            w.store(w.builder.xor(right, moved), rows, other)
            w.store(w.builder.xor(left, w.builder.shl(moved, by)), rows, one)

        return types.void(_ROWS, _NUMBER, _NUMBER, _NUMBER, _NUMBER), _written(write)

    @intrinsic
    def add_counts(typingctx, counts, out, rows, row):  # type: ignore[no-untyped-def]
        """Add the number of bits of each word of a row to the words of another."""

        def write(w: Any, counts: Any, out: Any, rows: Any, row: Any) -> None:
            w.store(w.builder.add(w.load(counts, out), w.count_bits(w.load(rows, row))), counts, out)

        return types.void(_ROWS, _NUMBER, _ROWS, _NUMBER), _written(write)
