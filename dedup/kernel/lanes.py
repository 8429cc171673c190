# ruff: noqa: ARG001 - numba prescribes the arguments of what writes its code
"""Vector code for hashing many shingles at once, written for LLVM, which fits it to the processor it runs on.

Every function here is called from compiled loops only. Arrays are contiguous; nothing checks bounds.
Vectors are 512 bits wide; where registers are narrower, LLVM splits them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

I1 = ir.IntType(1)
I8 = ir.IntType(8)
I32 = ir.IntType(32)
I64 = ir.IntType(64)
BYTES = ir.VectorType(I8, 64)
WORDS = ir.VectorType(I32, 16)
LONGS = ir.VectorType(I64, 8)

LANES_OF_WORDS = 16
LANES_OF_LONGS = 8
TILE_VECTORS = 8

Intrinsic = tuple[Signature, Callable[..., ir.Value]]


def vector_code(describe: Callable[..., Intrinsic]) -> Callable[..., Any]:
    """Make a function for compiled loops from one that gives its signature and writes its LLVM code."""
    function: Callable[..., Any] = intrinsic(describe)
    return function


def splat(vector: ir.VectorType, value: int) -> ir.Constant:
    """Give a constant vector, the same value in every lane."""
    return ir.Constant(vector, [value] * vector.count)


def spread(builder: ir.IRBuilder, vector: ir.VectorType, scalar: ir.Value) -> ir.Value:
    """Put one scalar into every lane."""
    undefined = ir.Constant(vector, ir.Undefined)
    single = builder.insert_element(undefined, scalar, ir.Constant(I32, 0))
    return builder.shuffle_vector(single, undefined, splat(ir.VectorType(I32, vector.count), 0))


def call_vector(builder: ir.IRBuilder, name: str, *arguments: ir.Value) -> ir.Value:
    """Call LLVM's vector form of an operation such as ``bswap`` or ``fshl``."""
    vector = arguments[0].type
    function_type = ir.FunctionType(vector, [argument.type for argument in arguments])
    full_name = f"llvm.{name}.v{vector.count}i{vector.element.width}"
    function = cgutils.get_or_insert_function(builder.module, function_type, full_name)
    return builder.call(function, arguments)


def rotate_left(builder: ir.IRBuilder, value: ir.Value, bits: int) -> ir.Value:
    """Rotate every lane to the left."""
    return call_vector(builder, "fshl", value, value, splat(value.type, bits))


def pointer_to(
    context: BaseContext, builder: ir.IRBuilder, array_type: types.Array, array: ir.Value
) -> ir.Value:
    """Give the address of an array's first byte."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(data, I8.as_pointer())


def load(builder: ir.IRBuilder, vector: ir.VectorType, base: ir.Value, offset: ir.Value | int) -> ir.Value:
    """Load a vector from any byte address."""
    value = builder.load(_at(builder, vector, base, offset))
    value.align = 1
    return value


def store(builder: ir.IRBuilder, value: ir.Value, base: ir.Value, offset: ir.Value | int) -> None:
    """Store a vector at any byte address."""
    builder.store(value, _at(builder, value.type, base, offset)).align = 1


def _at(builder: ir.IRBuilder, kind: ir.Type, base: ir.Value, offset: ir.Value | int) -> ir.Value:
    place = ir.Constant(I64, offset) if isinstance(offset, int) else offset
    return builder.bitcast(builder.gep(base, [place]), kind.as_pointer())


def transpose(builder: ir.IRBuilder, rows: Sequence[ir.Value]) -> list[ir.Value]:
    """Turn rows of values so that lane ``i`` of result ``j`` is value ``j`` of row ``i``.

    A vector holds one row or several, and there are as many rows as lanes, so as many vectors come out as go in.
    Interleaving the first half of the vectors with the second, log2(lanes) times over, is a transposition.
    """
    lanes = rows[0].type.count
    half = len(rows) // 2
    mask_type = ir.VectorType(I32, lanes)
    low = ir.Constant(mask_type, [lane // 2 + lanes * (lane % 2) for lane in range(lanes)])
    high = ir.Constant(mask_type, [(lanes + lane) // 2 + lanes * (lane % 2) for lane in range(lanes)])
    current = list(rows)
    for _ in range(lanes.bit_length() - 1):
        following = []
        for place in range(half):
            one, other = current[place], current[place + half]
            following.append(builder.shuffle_vector(one, other, low))
            following.append(builder.shuffle_vector(one, other, high))
        current = following
    return current


def repeat(
    builder: ir.IRBuilder,
    count: ir.Value,
    initial: Sequence[ir.Value],
    body: Callable[[ir.Value, list[ir.Value]], list[ir.Value]],
) -> list[ir.Value]:
    """Build a loop that carries values from step to step: ``body(step, values)`` gives the next values."""
    before = builder.block
    head = builder.append_basic_block("repeat.head")
    inner = builder.append_basic_block("repeat.body")
    after = builder.append_basic_block("repeat.after")
    builder.branch(head)
    builder.position_at_end(head)
    step = builder.phi(I64)
    carried = [builder.phi(value.type) for value in initial]
    step.add_incoming(ir.Constant(I64, 0), before)
    for phi, value in zip(carried, initial, strict=True):
        phi.add_incoming(value, before)
    builder.cbranch(builder.icmp_signed("<", step, count), inner, after)
    builder.position_at_end(inner)
    following = body(step, list(carried))
    step.add_incoming(builder.add(step, ir.Constant(I64, 1)), builder.block)
    for phi, value in zip(carried, following, strict=True):
        phi.add_incoming(value, builder.block)
    builder.branch(head)
    builder.position_at_end(after)
    return list(carried)


@vector_code
def copy_padded(
    typing_context: Context,
    target: types.Array,
    target_place: types.Integer,
    source: types.Array,
    source_place: types.Integer,
    size: types.Integer,
    end_mark: types.Integer,
) -> Intrinsic:
    """Copy ``size`` (-1 to 64) bytes into a row of 64, then ``end_mark`` if ``size`` isn't negative, then zeros.

    Reads 64 bytes from the source whatever ``size`` says.
    """

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        to = pointer_to(context, builder, signature.args[0], arguments[0])
        source_pointer = pointer_to(context, builder, signature.args[2], arguments[2])
        lanes = ir.Constant(BYTES, list(range(64)))
        length = spread(builder, BYTES, builder.trunc(arguments[4], I8))
        mark = spread(builder, BYTES, builder.trunc(arguments[5], I8))
        read = load(builder, BYTES, source_pointer, arguments[3])
        padding = builder.select(builder.icmp_signed("==", lanes, length), mark, splat(BYTES, 0))
        kept = builder.select(builder.icmp_signed("<", lanes, length), read, padding)
        store(builder, kept, to, arguments[1])
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.int64, types.int64), build


@vector_code
def blank_bits(
    typing_context: Context,
    source: types.Array,
    place: types.Integer,
) -> Intrinsic:
    """Tell which of 64 bytes are blanks: bit ``i`` for the byte at ``place + i``."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        pointer = pointer_to(context, builder, signature.args[0], arguments[0])
        read = load(builder, BYTES, pointer, arguments[1])
        return builder.bitcast(builder.icmp_signed("==", read, splat(BYTES, 0x20)), I64)

    return types.uint64(source, types.int64), build


@vector_code
def trailing_zeros(
    typing_context: Context,
    value: types.Integer,
) -> Intrinsic:
    """Count the zeros below the lowest bit that is set; 64 for 0."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        return builder.cttz(arguments[0], ir.Constant(I1, 0))

    return types.int64(types.uint64), build


@vector_code
def write_plain(
    typing_context: Context,
    marked: types.Array,
    place: types.Integer,
    limits: types.Integer,
    stream: types.Array,
    length: types.Integer,
) -> Intrinsic:
    """Write up to 16 ASCII characters of one word as bytes; gives how many of them belong to the word.

    ``marked`` is ``int32[]`` of code points with kinds from bit 24 on; ``limits`` is the lowest kind that goes on
    with a word in the upper 32 bits, the number of such kinds in the lower. Always writes 16 bytes.
    """

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        characters = pointer_to(context, builder, signature.args[0], arguments[0])
        target = pointer_to(context, builder, signature.args[3], arguments[3])
        read = load(builder, WORDS, characters, builder.mul(arguments[1], ir.Constant(I64, 4)))
        lowest = spread(builder, WORDS, builder.trunc(builder.lshr(arguments[2], ir.Constant(I64, 32)), I32))
        number = spread(builder, WORDS, builder.trunc(arguments[2], I32))
        kinds = builder.sub(builder.lshr(read, splat(WORDS, 24)), lowest)
        plain = builder.icmp_unsigned("<", builder.and_(read, splat(WORDS, 0xFFFFFF)), splat(WORDS, 0x80))
        goes_on = builder.and_(builder.icmp_unsigned("<", kinds, number), plain)
        store(builder, builder.trunc(read, ir.VectorType(I8, 16)), target, arguments[4])
        ends = builder.not_(builder.bitcast(goes_on, ir.IntType(16)))
        guarded = builder.or_(builder.zext(ends, I64), ir.Constant(I64, 1 << 16))
        return builder.cttz(guarded, ir.Constant(I1, 1))

    return types.int64(marked, types.int64, types.int64, stream, types.int64), build


@vector_code
def read_long(
    typing_context: Context,
    source: types.Array,
    place: types.Integer,
) -> Intrinsic:
    """Read 8 bytes as a little-endian number."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        pointer = pointer_to(context, builder, signature.args[0], arguments[0])
        return load(builder, I64, pointer, arguments[1])

    return types.uint64(source, types.int64), build


@vector_code
def write_long(
    typing_context: Context, target: types.Array, place: types.Integer, value: types.Integer
) -> Intrinsic:
    """Write a number as 8 bytes, little-endian."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        pointer = pointer_to(context, builder, signature.args[0], arguments[0])
        store(builder, arguments[2], pointer, arguments[1])
        return context.get_dummy_value()

    return types.void(target, types.int64, types.uint64), build


@vector_code
def swap_bytes(typing_context: Context, value: types.Integer) -> Intrinsic:
    """Reverse the 8 bytes of a number."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), build


@vector_code
def count_ones(typing_context: Context, value: types.Integer) -> Intrinsic:
    """Count the bits of a number that are set."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), build


@vector_code
def least_permuted(
    typing_context: Context,
    hashes: types.Array,
    count: types.Integer,
    factors: types.Array,
    summands: types.Array,
    place: types.Integer,
    address: types.Integer,
) -> Intrinsic:
    """Write 128 minima of ``factor * hash + summand`` over all hashes, modulo 2**32, to an address in memory.

    All ones where there is no hash. Minima, factors and summands stay in registers for the whole run over the hashes.
    """

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        values, multipliers, offsets = (
            pointer_to(context, builder, signature.args[number], arguments[number]) for number in (0, 2, 3)
        )
        minima = builder.inttoptr(arguments[5], I8.as_pointer())
        steps = [ir.Constant(I64, 64 * vector) for vector in range(TILE_VECTORS)]
        start = builder.mul(arguments[4], ir.Constant(I64, 4))
        factor = [load(builder, WORDS, multipliers, builder.add(start, step)) for step in steps]
        summand = [load(builder, WORDS, offsets, builder.add(start, step)) for step in steps]

        def lower(step: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            value = load(builder, I32, values, builder.mul(step, ir.Constant(I64, 4)))
            lanes = spread(builder, WORDS, value)
            permuted = [
                builder.add(builder.mul(lanes, one), other)
                for one, other in zip(factor, summand, strict=True)
            ]
            return [
                call_vector(builder, "umin", old, new) for old, new in zip(carried, permuted, strict=True)
            ]

        initial = [splat(WORDS, 0xFFFFFFFF)] * TILE_VECTORS
        for value, step in zip(repeat(builder, arguments[1], initial, lower), steps, strict=True):
            store(builder, value, minima, step)
        return context.get_dummy_value()

    return types.void(hashes, types.int64, factors, summands, types.int64, types.int64), build


@vector_code
def scramble(typing_context: Context, hashes: types.Array, count: types.Integer) -> Intrinsic:
    """Apply MurmurHash3's finaliser for 32 bits, which datasketch puts before its permutations, 16 hashes at a time."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        pointer = pointer_to(context, builder, signature.args[0], arguments[0])
        runs = builder.lshr(builder.add(arguments[1], ir.Constant(I64, 15)), ir.Constant(I64, 4))

        def scramble_run(step: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            place = builder.mul(step, ir.Constant(I64, 64))
            value = load(builder, WORDS, pointer, place)
            for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
                value = builder.xor(value, builder.lshr(value, splat(WORDS, shift)))
                value = builder.mul(value, splat(WORDS, factor))
            store(builder, builder.xor(value, builder.lshr(value, splat(WORDS, 16))), pointer, place)
            return carried

        repeat(builder, runs, [], scramble_run)
        return context.get_dummy_value()

    return types.void(hashes, types.int64), build


@vector_code
def count_bits(
    typing_context: Context,
    values: types.Array,
    first: types.Integer,
    count: types.Integer,
    counts: types.Array,
) -> Intrinsic:
    """Count, for each of 64 bits, in how many of at most 255 values it is set: ``uint8[64]``."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        pointer = pointer_to(context, builder, signature.args[0], arguments[0])
        result = pointer_to(context, builder, signature.args[3], arguments[3])

        def add(step: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            place = builder.mul(builder.add(arguments[1], step), ir.Constant(I64, 8))
            bits = builder.bitcast(load(builder, I64, pointer, place), ir.VectorType(I1, 64))
            return [builder.add(carried[0], builder.zext(bits, BYTES))]

        (total,) = repeat(builder, arguments[2], [splat(BYTES, 0)], add)
        store(builder, total, result, 0)
        return context.get_dummy_value()

    return types.void(values, types.int64, types.int64, counts), build
