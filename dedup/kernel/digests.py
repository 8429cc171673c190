# ruff: noqa: ARG001 - numba prescribes the arguments of what writes its code
"""One compression step of SHA-1 for 16 messages, and of BLAKE2b for 8, each message in its own vector lane.

Each round waits for the one before it. Where a SHA-1 is a single block, as it is for nearly every shingle, the messages
are two groups of vectors whose rounds are written in turn: while one group waits, the other goes on.
"""

from collections.abc import Callable, Generator, Sequence

from llvmlite import ir
from numba.core import types
from numba.core.base import BaseContext
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature

from dedup.kernel.lanes import (
    I8,
    I32,
    I64,
    LANES_OF_LONGS,
    LANES_OF_WORDS,
    LONGS,
    WORDS,
    Intrinsic,
    call_vector,
    load,
    pointer_to,
    rotate_left,
    splat,
    spread,
    store,
    transpose,
    vector_code,
)

SHA1_START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)
SHA1_BLOCK = 64
SHA1_SHORT_ROW = 32
HEAD_GROUPS = 2
HEAD_LANES = HEAD_GROUPS * LANES_OF_WORDS
BLAKE2B_BLOCK = 128
BLAKE2B_IV = (
    0x6A09E667F3BCC908,
    0xBB67AE8584CAA73B,
    0x3C6EF372FE94F82B,
    0xA54FF53A5F1D36F1,
    0x510E527FADE682D1,
    0x9B05688C2B3E6C1F,
    0x1F83D9ABFB41BD6B,
    0x5BE0CD19137E2179,
)
# Parameters of an unkeyed digest of 8 bytes (RFC 7693, 2.8).
BLAKE2B_START = (BLAKE2B_IV[0] ^ 0x01010008, *BLAKE2B_IV[1:])

_SHA1_CONSTANTS = (0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6)
_BLAKE2B_ORDER = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
_BLAKE2B_MIXES = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)

Values = list[ir.Value]
Rounds = Generator[None, None, Values]


@vector_code
def sha1_step(
    typing_context: Context,
    blocks: types.Array,
    state: types.Array,
) -> Intrinsic:
    """Take 16 blocks of 64 bytes, ``uint8[1024]``, into the states ``uint32[5 * 16]`` (FIPS 180-4, 6.1.2)."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        message = pointer_to(context, builder, signature.args[0], arguments[0])
        states = pointer_to(context, builder, signature.args[1], arguments[1])
        rows = [load(builder, WORDS, message, SHA1_BLOCK * lane) for lane in range(LANES_OF_WORDS)]
        start = [load(builder, WORDS, states, 64 * number) for number in range(5)]
        (end,) = _in_turn([_sha1_rounds(builder, _sha1_words(builder, rows), start)])
        for number, value in enumerate(end):
            store(builder, builder.add(start[number], value), states, 64 * number)
        return context.get_dummy_value()

    return types.void(blocks, state), build


@vector_code
def sha1_heads(
    typing_context: Context, rows: types.Array, heads: types.Array, place: types.Integer
) -> Intrinsic:
    """Hash 32 messages of one block to the first 4 bytes of their SHA-1: ``uint32[32]`` from ``heads[place]`` on.

    ``rows`` is ``uint8[2048]``: the 32 blocks as ``write_sha1_row`` writes them.
    """
    return types.void(rows, heads, types.int64), _sha1_heads(SHA1_BLOCK)


@vector_code
def sha1_short_heads(
    typing_context: Context, rows: types.Array, heads: types.Array, place: types.Integer
) -> Intrinsic:
    """Hash 32 messages of up to 27 bytes as ``sha1_heads`` does; ``rows`` is ``uint8[1024]``.

    A block of such a message is zero between its seventh word and its last, which stands in the row's eighth. What the
    schedule makes of the zeros is known when this is compiled.
    """
    return types.void(rows, heads, types.int64), _sha1_heads(SHA1_SHORT_ROW)


def _sha1_heads(row: int) -> Callable[..., ir.Value]:
    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: Values
    ) -> ir.Value:
        source, result = (
            pointer_to(context, builder, signature.args[number], arguments[number]) for number in (0, 1)
        )
        start = [splat(WORDS, value) for value in SHA1_START]
        works = []
        for group in range(HEAD_GROUPS):
            first = group * LANES_OF_WORDS * row
            places = range(first, first + LANES_OF_WORDS * row, SHA1_BLOCK)
            *words, length = _sha1_words(builder, [load(builder, WORDS, source, place) for place in places])
            zeros = [splat(WORDS, 0)] * (15 - len(words))
            works.append(_sha1_rounds(builder, [*words, *zeros, length], start))
        for group, (head, *_) in enumerate(_in_turn(works)):
            value = call_vector(builder, "bswap", builder.add(start[0], head))
            place = builder.mul(builder.add(arguments[2], ir.Constant(I64, 16 * group)), ir.Constant(I64, 4))
            store(builder, value, result, place)
        return context.get_dummy_value()

    return build


@vector_code
def write_sha1_row(
    typing_context: Context,
    rows: types.Array,
    place: types.Integer,
    source: types.Array,
    start: types.Integer,
    size: types.Integer,
) -> Intrinsic:
    """Write a message of up to 55 bytes as a block: itself, 0x80, zeros, its length in bits. Reads 64 bytes."""
    return _row_writer(SHA1_BLOCK, rows, source)


@vector_code
def write_sha1_short_row(
    typing_context: Context,
    rows: types.Array,
    place: types.Integer,
    source: types.Array,
    start: types.Integer,
    size: types.Integer,
) -> Intrinsic:
    """Write a message of up to 27 bytes the same way into a row of 32. Reads 32 bytes."""
    return _row_writer(SHA1_SHORT_ROW, rows, source)


def _row_writer(width: int, rows: types.Array, source: types.Array) -> Intrinsic:
    row = ir.VectorType(I8, width)

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: Values
    ) -> ir.Value:
        to = pointer_to(context, builder, signature.args[0], arguments[0])
        message = pointer_to(context, builder, signature.args[2], arguments[2])
        lanes = ir.Constant(row, list(range(width)))
        bits = builder.shl(arguments[4], ir.Constant(I64, 3))
        end = splat(row, 0)
        for distance, shift in ((1, 0), (2, 8)):
            byte = builder.trunc(builder.lshr(bits, ir.Constant(I64, shift)), I8)
            end = builder.insert_element(end, byte, ir.Constant(I32, width - distance))
        sizes = spread(builder, row, builder.trunc(arguments[4], I8))
        padding = builder.select(builder.icmp_signed("==", lanes, sizes), splat(row, 0x80), end)
        read = load(builder, row, message, arguments[3])
        store(
            builder, builder.select(builder.icmp_signed("<", lanes, sizes), read, padding), to, arguments[1]
        )
        return context.get_dummy_value()

    return types.void(rows, types.int64, source, types.int64, types.int64), build


def _sha1_words(builder: ir.IRBuilder, rows: Values) -> Values:
    return [call_vector(builder, "bswap", word) for word in transpose(builder, rows)]


def _in_turn(works: Sequence[Rounds]) -> list[Values]:
    """Let each write one round after the other; give what each has at its end."""
    ends: dict[int, Values] = {}
    while len(ends) < len(works):
        for number, work in enumerate(works):
            try:
                next(work)
            except StopIteration as finished:
                ends[number] = finished.value
    return [ends[number] for number in range(len(works))]


def _sha1_rounds(builder: ir.IRBuilder, schedule: Values, start: Values) -> Rounds:
    a, b, c, d, e = start
    words = list(schedule)
    for step in range(80):
        if step >= 16:
            mixed = builder.xor(builder.xor(words[step - 3], words[step - 8]), words[step - 14])
            words.append(rotate_left(builder, builder.xor(mixed, words[step - 16]), 1))
        constant = splat(WORDS, _SHA1_CONSTANTS[step // 20])
        total = builder.add(
            builder.add(e, words[step]), builder.add(constant, _sha1_choice(builder, step, b, c, d))
        )
        total = builder.add(total, rotate_left(builder, a, 5))
        a, b, c, d, e = total, a, rotate_left(builder, b, 30), c, d
        yield
    return [a, b, c, d, e]


def _sha1_choice(builder: ir.IRBuilder, step: int, b: ir.Value, c: ir.Value, d: ir.Value) -> ir.Value:
    if step < 20:
        return builder.xor(d, builder.and_(b, builder.xor(c, d)))
    if 40 <= step < 60:
        return builder.or_(builder.and_(b, c), builder.and_(d, builder.or_(b, c)))
    return builder.xor(builder.xor(b, c), d)


@vector_code
def blake2b_step(
    typing_context: Context,
    blocks: types.Array,
    state: types.Array,
    taken: types.Array,
    is_last: types.Array,
) -> Intrinsic:
    """Take 8 blocks of 128 bytes, ``uint8[1024]``, into the states ``uint64[8 * 8]`` (RFC 7693, 3.2).

    ``taken`` is ``uint64[8]``, the bytes of each message up to here; ``is_last`` is ``uint64[8]``, all ones at a
    message's last block.
    """

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        message, states, counters, finals = (
            pointer_to(context, builder, kind, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        halves = [
            transpose(
                builder,
                [
                    load(builder, LONGS, message, BLAKE2B_BLOCK * lane + half)
                    for lane in range(LANES_OF_LONGS)
                ],
            )
            for half in (0, 64)
        ]
        start = [load(builder, LONGS, states, 64 * number) for number in range(8)]
        working = start + [splat(LONGS, value) for value in BLAKE2B_IV]
        working[12] = builder.xor(working[12], load(builder, LONGS, counters, 0))
        working[14] = builder.xor(working[14], load(builder, LONGS, finals, 0))
        _blake2b_rounds(builder, working, halves[0] + halves[1])
        for number in range(8):
            mixed = builder.xor(working[number], working[number + 8])
            store(builder, builder.xor(start[number], mixed), states, 64 * number)
        return context.get_dummy_value()

    return types.void(blocks, state, taken, is_last), build


def _blake2b_rounds(builder: ir.IRBuilder, v: list[ir.Value], words: list[ir.Value]) -> None:
    for step in range(12):
        order = _BLAKE2B_ORDER[step % 10]
        for place, (a, b, c, d) in enumerate(_BLAKE2B_MIXES):
            for word, down, up in ((words[order[2 * place]], 32, 24), (words[order[2 * place + 1]], 16, 63)):
                v[a] = builder.add(builder.add(v[a], v[b]), word)
                v[d] = rotate_left(builder, builder.xor(v[d], v[a]), 64 - down)
                v[c] = builder.add(v[c], v[d])
                v[b] = rotate_left(builder, builder.xor(v[b], v[c]), 64 - up)
