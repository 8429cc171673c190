"""SHA-256 of 16 streams at once, each in its own vector lane (FIPS 180-4, 6.2)."""
# ruff: noqa: ARG001 - numba prescribes the arguments of what writes its code

from math import isqrt

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.base import BaseContext
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numpy.typing import NDArray

from dedup.kernel import fallback
from dedup.kernel.columns import TextColumn
from dedup.kernel.compiling import compiled
from dedup.kernel.digests import SHA1_BLOCK as SHA_BLOCK
from dedup.kernel.hashing import fill_sha_block, set_all
from dedup.kernel.lanes import (
    LANES_OF_WORDS,
    WORDS,
    Intrinsic,
    call_vector,
    load,
    pointer_to,
    rotate_left,
    splat,
    store,
    swap_bytes,
    transpose,
    vector_code,
)

_PRIMES = [
    number for number in range(2, 312) if all(number % factor for factor in range(2, isqrt(number) + 1))
]


def _cube_root_bits(prime: int) -> int:
    """Give the first 32 bits of the fractional part of a cube root."""
    low, high = 0, prime << 32
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= prime << 96 else (low, middle - 1)
    return low & 0xFFFFFFFF


_CONSTANTS = tuple(_cube_root_bits(prime) for prime in _PRIMES[:64])
_START = np.repeat(np.array([isqrt(prime << 64) & 0xFFFFFFFF for prime in _PRIMES[:8]], np.uint32), 16)
_HALF = np.uint64(32)


def exact_keys(streams: TextColumn) -> NDArray[np.uint8]:
    """Give the SHA-256 of each stream: ``uint8[n, 32]``, zeros where a stream is empty."""
    readable = int(np.searchsorted(streams.offsets[1:], streams.data.shape[0] - SHA_BLOCK, side="right"))
    keys = np.zeros((len(streams), 32), np.uint8)
    order = np.argsort(np.diff(streams.offsets[: readable + 1]), kind="stable")
    _hash_all(streams.data, streams.offsets, order, keys.view(np.uint32))
    keys[readable:] = fallback.exact_keys(streams.part(readable, len(streams)))
    return keys


@compiled
def _hash_all(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], order: NDArray[np.int64], keys: NDArray[np.uint32]
) -> None:
    """Hash the streams of ``order``, the shortest first, so that sixteen in a row end together; 64 bytes follow each."""
    blocks = np.zeros(LANES_OF_WORDS * SHA_BLOCK, np.uint8)
    state = np.empty(8 * LANES_OF_WORDS, np.uint32)
    for first in range(0, order.shape[0], LANES_OF_WORDS):
        group = order[first : min(first + LANES_OF_WORDS, order.shape[0])]
        longest = bounds[group[-1] + 1] - bounds[group[-1]]
        set_all(state, _START)
        for block in range((longest + 8) // SHA_BLOCK + 1):
            for lane in range(group.shape[0]):
                start, end = bounds[group[lane]], bounds[group[lane] + 1]
                if block <= (end - start + 8) // SHA_BLOCK:
                    fill_sha_block(data, start, end - start, block, blocks, lane)
            sha256_step(blocks, state)
            for lane in range(group.shape[0]):
                size = bounds[group[lane] + 1] - bounds[group[lane]]
                if size and block == (size + 8) // SHA_BLOCK:
                    for word in range(8):
                        keys[group[lane], word] = swap_bytes(state[word * LANES_OF_WORDS + lane]) >> _HALF


@vector_code
def sha256_step(typing_context: Context, blocks: types.Array, state: types.Array) -> Intrinsic:
    """Take 16 blocks of 64 bytes, ``uint8[1024]``, into the states ``uint32[8 * 16]``."""

    def build(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        message = pointer_to(context, builder, signature.args[0], arguments[0])
        states = pointer_to(context, builder, signature.args[1], arguments[1])
        rows = [load(builder, WORDS, message, SHA_BLOCK * lane) for lane in range(LANES_OF_WORDS)]
        words = [call_vector(builder, "bswap", word) for word in transpose(builder, rows)]
        start = [load(builder, WORDS, states, 64 * number) for number in range(8)]
        for number, value in enumerate(_rounds(builder, words, start)):
            store(builder, builder.add(start[number], value), states, 64 * number)
        return context.get_dummy_value()

    return types.void(blocks, state), build


def _rounds(builder: ir.IRBuilder, words: list[ir.Value], start: list[ir.Value]) -> list[ir.Value]:
    a, b, c, d, e, f, g, h = start
    for step in range(64):
        if step >= 16:
            words.append(_next_word(builder, words))
        choice = builder.xor(g, builder.and_(e, builder.xor(f, g)))
        majority = builder.or_(builder.and_(a, b), builder.and_(c, builder.or_(a, b)))
        total = builder.add(builder.add(h, splat(WORDS, _CONSTANTS[step])), words[step])
        total = builder.add(builder.add(total, choice), _mix(builder, e, (6, 11, 25)))
        other = builder.add(_mix(builder, a, (2, 13, 22)), majority)
        a, b, c, d, e, f, g, h = builder.add(total, other), a, b, c, builder.add(d, total), e, f, g
    return [a, b, c, d, e, f, g, h]


def _next_word(builder: ir.IRBuilder, words: list[ir.Value]) -> ir.Value:
    early, late = words[-15], words[-2]
    low = builder.xor(_mix(builder, early, (7, 18)), builder.lshr(early, splat(WORDS, 3)))
    high = builder.xor(_mix(builder, late, (17, 19)), builder.lshr(late, splat(WORDS, 10)))
    return builder.add(builder.add(words[-16], low), builder.add(words[-7], high))


def _mix(builder: ir.IRBuilder, value: ir.Value, right_turns: tuple[int, ...]) -> ir.Value:
    mixed = rotate_left(builder, value, 32 - right_turns[0])
    for turn in right_turns[1:]:
        mixed = builder.xor(mixed, rotate_left(builder, value, 32 - turn))
    return mixed
