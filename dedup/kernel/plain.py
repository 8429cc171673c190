# ruff: noqa: ARG001 - numba prescribes the arguments of what writes its code
"""The short way for what most text is made of: words of ASCII letters and digits between plain separators.

Sixty-four bytes are looked at together. A byte is of a word (letter, digit, underscore), odd (a sign that may mean
something, or part of a character outside ASCII), or a plain separator. What is odd takes the long way, together with
the letters that touch it.
"""

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.base import BaseContext
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numpy.typing import NDArray

from dedup.kernel.compiling import inlined
from dedup.kernel.lanes import (
    BYTES,
    I1,
    I64,
    Intrinsic,
    count_ones,
    load,
    pointer_to,
    splat,
    store,
    trailing_zeros,
    vector_code,
)

VECTOR = 64
_ONE = np.uint64(1)

Bytes = NDArray[np.uint8]


def _between(builder: ir.IRBuilder, values: ir.Value, first: str, last: str) -> ir.Value:
    offsets = builder.sub(values, splat(BYTES, ord(first)))
    return builder.icmp_unsigned("<=", offsets, splat(BYTES, ord(last) - ord(first)))


def _are_of_words(builder: ir.IRBuilder, read: ir.Value) -> ir.Value:
    letters = _between(builder, builder.or_(read, splat(BYTES, 0x20)), "a", "z")
    digits = _between(builder, read, "0", "9")
    return builder.or_(builder.or_(letters, digits), builder.icmp_signed("==", read, splat(BYTES, ord("_"))))


@vector_code
def word_bits(typing_context: Context, source: types.Array, place: types.Integer) -> Intrinsic:
    """Tell which of 64 bytes are ASCII letters, digits or underscores: bit ``i`` for the byte at ``place + i``."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        pointer = pointer_to(context, builder, signature.args[0], arguments[0])
        return builder.bitcast(_are_of_words(builder, load(builder, BYTES, pointer, arguments[1])), I64)

    return types.uint64(source, types.int64), build


@vector_code
def odd_bits(typing_context: Context, source: types.Array, place: types.Integer) -> Intrinsic:
    """Tell which of 64 bytes are one of ``# $ % + - < = >`` or not ASCII: bit ``i`` for the byte at ``place + i``."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        pointer = pointer_to(context, builder, signature.args[0], arguments[0])
        read = load(builder, BYTES, pointer, arguments[1])
        odd = builder.icmp_signed("<", read, splat(BYTES, 0))
        for first, last in ("#%", "++", "--", "<>"):
            odd = builder.or_(odd, _between(builder, read, first, last))
        return builder.bitcast(odd, I64)

    return types.uint64(source, types.int64), build


@vector_code
def write_lowered(
    typing_context: Context,
    source: types.Array,
    place: types.Integer,
    target: types.Array,
    target_place: types.Integer,
) -> Intrinsic:
    """Copy 64 bytes: ASCII letters in lower case, digits and underscores as they are, all else as blanks."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        source_pointer = pointer_to(context, builder, signature.args[0], arguments[0])
        target_pointer = pointer_to(context, builder, signature.args[2], arguments[2])
        read = load(builder, BYTES, source_pointer, arguments[1])
        lowered = builder.or_(read, splat(BYTES, 0x20))
        cased = builder.select(_between(builder, read, "A", "Z"), lowered, read)
        written = builder.select(_are_of_words(builder, read), cased, splat(BYTES, 0x20))
        store(builder, written, target_pointer, arguments[3])
        return context.get_dummy_value()

    return types.void(source, types.int64, target, types.int64), build


@vector_code
def last_bit(typing_context: Context, value: types.Integer) -> Intrinsic:
    """Give the place of the highest bit that is set; -1 for 0."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        leading = builder.ctlz(arguments[0], ir.Constant(I1, 0))
        return builder.sub(ir.Constant(I64, 63), leading)

    return types.int64(types.uint64), build


@inlined
def write_plain_part(data: Bytes, place: int, end: int, out: Bytes, length: int) -> tuple[int, int, int]:
    """Write words up to the first that touches anything odd, a blank after each.

    ``place`` is where a text or a word begins. Gives the place where the odd word begins (or the end), the new
    length, and the number of words. Reads up to 64 bytes beyond ``end``, writes up to 64 beyond the new length.
    """
    words = 0
    while place < end:
        word, odd = word_bits(data, place), odd_bits(data, place)
        size = min(end - place, VECTOR)
        if size < VECTOR:
            inside = (_ONE << np.uint64(size)) - _ONE
            word &= inside
            odd &= inside
        if odd:
            before_odd = (odd & (~odd + _ONE)) - _ONE
            size = last_bit(~word & before_odd) + 1
            word &= (_ONE << np.uint64(size)) - _ONE
        elif place + size < end:
            size = last_bit(~word) + 1
            word &= (_ONE << np.uint64(size & 63)) - _ONE if size < VECTOR else word
        length = _write_runs(data, place, word, out, length)
        words += count_ones(word & ~(word << _ONE))
        place += size
        if odd or size == 0:
            break
    return place, length, words


@inlined
def _write_runs(data: Bytes, place: int, word: np.uint64, out: Bytes, length: int) -> int:
    """Write the words among 64 bytes; runs of words with one separator between them are written in one step."""
    kept = word | word << _ONE
    while kept:
        start = trailing_zeros(kept)
        write_lowered(data, place + start, out, length)
        length += trailing_zeros(~(kept >> np.uint64(start)))
        kept &= kept + (kept & (~kept + _ONE))
    if word >> np.uint64(63):
        out[length] = 0x20
        length += 1
    return length


@inlined
def end_of_odd_part(data: Bytes, place: int, end: int) -> int:
    """Give the place after the next plain separator that follows an ASCII letter, digit or underscore, or the end.

    What stands before such a place and what stands after it don't see each other: folding joins no character with
    a plain separator, and no rule about words looks across a word or back over a separator.
    """
    while place < end:
        word, odd = word_bits(data, place), odd_bits(data, place)
        separators = ~word & ~odd & word << _ONE
        if separators:
            return min(end, place + trailing_zeros(separators) + 1)
        place += VECTOR - 1
    return end
