"""Compiled loops over whole columns: signatures, fingerprints and exact overlaps."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from datasketch import MinHash
from numpy.typing import NDArray

from dedup.kernel.columns import TextColumn
from dedup.kernel.compiling import compiled
from dedup.kernel.hashing import (
    SLACK,
    blake2b_shingles,
    find_words,
    hash_shingles,
    hash_words,
    sha1_shingles,
)
from dedup.kernel.lanes import count_bits, lower_to_least
from dedup.specs import MinHashSpec, SimHashSpec

_TILE = 128
_NO_WORDS = 0xFFFFFFFF
_SHA1 = 0
_TOKENS = 1

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Longs = NDArray[np.uint64]
Words32 = NDArray[np.uint32]


def signatures(streams: TextColumn, specs: Sequence[MinHashSpec]) -> list[Words32]:
    """Sign every stream with every ``affine32`` recipe; words are found, and hashed for ``tokens``, once."""
    count = len(streams)
    plan = np.array([_plan_row(spec, specs[:number]) for number, spec in enumerate(specs)], np.int64).reshape(
        -1, 6
    )
    sizes = [count * spec.num_perm for spec in specs]
    plan[:, 5] = np.cumsum([0, *sizes])[: len(specs)]
    flat = np.empty(sum(sizes), np.uint32)
    factors, summands = (
        np.concatenate([_permutations(spec.num_perm, spec.seed)[part] for spec in specs]) if specs else flat
        for part in (0, 1)
    )
    longest = int(np.diff(streams.offsets).max(initial=0))
    _sign_all(streams.data, streams.offsets, longest, plan, factors, summands, flat)
    return [
        flat[start : start + size].reshape(count, spec.num_perm)
        for spec, start, size in zip(specs, plan[:, 5].tolist(), sizes, strict=True)
    ]


def _plan_row(spec: MinHashSpec, before: Sequence[MinHashSpec]) -> tuple[int, ...]:
    """One recipe for the loop: hash, k, permutations, first tile, whether its hashes are there already, a place."""
    start = sum(_padded(other.num_perm) for other in before)
    is_known = bool(before) and (before[-1].hash, before[-1].k) == (spec.hash, spec.k)
    return (_SHA1 if spec.hash == "sha1" else _TOKENS, spec.k, spec.num_perm, start, is_known, 0)


def _padded(num_perm: int) -> int:
    return -(-num_perm // _TILE) * _TILE


@lru_cache(maxsize=32)
def _permutations(num_perm: int, seed: int) -> Words32:
    """Give datasketch's own factors and summands, ``uint32[2, tiles * 128]``, the rest zero."""
    permutations = np.zeros((2, _padded(num_perm)), np.uint32)
    permutations[:, :num_perm] = MinHash(num_perm=num_perm, seed=seed, scheme="affine32").permutations
    return permutations


@compiled
def _scramble(hashes: Words32, count: int) -> None:
    """Apply MurmurHash3's finaliser for 32 bits, which datasketch puts before its permutations."""
    for place in range(count):
        value = np.int64(hashes[place])
        value = ((value ^ value >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
        value = ((value ^ value >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
        hashes[place] = value ^ value >> 16


@compiled
def _keep_upper_halves(wide: Longs, count: int, hashes: Words32) -> None:
    for place in range(count):
        hashes[place] = wide[place] >> np.uint64(32)


@compiled
def _sign_all(
    data: Bytes,
    bounds: Places,
    longest: int,
    plan: Places,
    factors: Words32,
    summands: Words32,
    flat: Words32,
) -> None:
    stream = np.zeros(longest + SLACK, np.uint8)
    starts = np.empty(longest // 2 + 2, np.int64)
    ends = np.empty_like(starts)
    scratch = np.empty_like(starts)
    word_hashes = np.empty(starts.shape[0], np.uint64)
    wide = np.empty(starts.shape[0], np.uint64)
    hashes = np.empty(starts.shape[0], np.uint32)
    blocks = np.zeros(1024, np.uint8)
    state = np.empty(80, np.uint32)
    least = np.empty(factors.shape[0], np.uint32)
    has_tokens = np.any(plan[:, 0] == _TOKENS)
    for text in range(bounds.shape[0] - 1):
        size = bounds[text + 1] - bounds[text]
        stream[:size] = data[bounds[text] : bounds[text + 1]]
        words = find_words(stream, size, starts, ends)
        if has_tokens:
            hash_words(stream, starts, ends, words, word_hashes)
        least[:] = _NO_WORDS
        count = 0
        for spec in range(plan.shape[0]):
            k, num_perm, tile = plan[spec, 1], plan[spec, 2], plan[spec, 3]
            if words and not plan[spec, 4]:
                if plan[spec, 0] == _SHA1:
                    count = sha1_shingles(stream, starts, ends, words, k, blocks, state, scratch, hashes)
                else:
                    count = hash_shingles(word_hashes, words, k, wide)
                    _keep_upper_halves(wide, count, hashes)
                _scramble(hashes, count)
            for start in range(tile, tile + num_perm, _TILE):
                lower_to_least(hashes, count, factors, summands, start, least)
            place = plan[spec, 5] + text * num_perm
            flat[place : place + num_perm] = least[tile : tile + num_perm]


def fingerprints(streams: TextColumn, spec: SimHashSpec) -> Longs:
    """Give the SimHash of every stream."""
    result = np.empty(len(streams), np.uint64)
    longest = int(np.diff(streams.offsets).max(initial=0))
    _fingerprint_all(streams.data, streams.offsets, longest, spec.k, spec.weighting == "plain", result)
    return result


@compiled
def _fingerprint_all(
    data: Bytes,
    bounds: Places,
    longest: int,
    k: int,
    is_plain: bool,  # noqa: FBT001 - compiled loops take no keywords
    result: Longs,
) -> None:
    stream = np.zeros(longest + SLACK, np.uint8)
    starts = np.empty(longest // 2 + 2, np.int64)
    ends = np.empty_like(starts)
    digests = np.empty(starts.shape[0], np.uint64)
    blocks = np.zeros(1024, np.uint8)
    state = np.empty(64, np.uint64)
    taken = np.zeros(8, np.uint64)
    is_last = np.zeros(8, np.uint64)
    table = np.empty(_slots(starts.shape[0]), np.uint64)
    for text in range(bounds.shape[0] - 1):
        size = bounds[text + 1] - bounds[text]
        stream[:size] = data[bounds[text] : bounds[text + 1]]
        words = find_words(stream, size, starts, ends)
        count = 0
        if words:
            count = blake2b_shingles(stream, starts, ends, words, k, blocks, state, taken, is_last, digests)
        if is_plain:
            count = _keep_distinct(digests, count, table)
        result[text] = _majority(digests, count)


@compiled
def _majority(digests: Longs, count: int) -> np.uint64:
    totals = np.zeros(64, np.int64)
    part = np.empty(64, np.uint8)
    for first in range(0, count, 255):
        count_bits(digests, first, min(255, count - first), part)
        for bit in range(64):
            totals[bit] += part[bit]
    value = np.uint64(0)
    for bit in range(64):
        if 2 * totals[bit] > count:
            value |= np.uint64(1) << np.uint64(bit)
    return value


@compiled
def _slots(count: int) -> int:
    slots = 16
    while slots < 2 * count:
        slots *= 2
    return slots


@compiled
def _is_new(value: np.uint64, table: Longs, slots: int) -> bool:
    """Put a value into an open table of ``slots`` places, a power of two; tell whether it wasn't there. 0 is empty."""
    place = np.int64(value >> np.uint64(32)) & (slots - 1)
    while table[place] != np.uint64(0):
        if table[place] == value:
            return False
        place = (place + 1) & (slots - 1)
    table[place] = value
    return True


@compiled
def _is_known(value: np.uint64, table: Longs, slots: int) -> bool:
    place = np.int64(value >> np.uint64(32)) & (slots - 1)
    while table[place] != np.uint64(0):
        if table[place] == value:
            return True
        place = (place + 1) & (slots - 1)
    return False


@compiled
def _keep_distinct(values: Longs, count: int, table: Longs) -> int:
    """Move the first of each value to the front; gives how many there are."""
    slots = _slots(count)
    table[:slots] = 0
    kept = 0
    has_zero = False
    for place in range(count):
        value = values[place]
        is_new = not has_zero if value == np.uint64(0) else _is_new(value, table, slots)
        has_zero = has_zero or value == np.uint64(0)
        if is_new:
            values[kept] = value
            kept += 1
    return kept


def exact_overlaps(
    streams: TextColumn, left: Places, right: Places, k: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Count shared and joint shingles of each pair by their 64-bit token hashes."""
    intersections = np.empty(left.shape[0], np.int32)
    unions = np.empty(left.shape[0], np.int32)
    sizes = np.diff(streams.offsets)
    longest = int(max(sizes[left].max(initial=0), sizes[right].max(initial=0)))
    _overlap_all(streams.data, streams.offsets, longest, left, right, k, intersections, unions)
    return intersections, unions


@compiled
def _overlap_all(
    data: Bytes,
    bounds: Places,
    longest: int,
    left: Places,
    right: Places,
    k: int,
    intersections: NDArray[np.int32],
    unions: NDArray[np.int32],
) -> None:
    stream = np.zeros(longest + SLACK, np.uint8)
    starts = np.empty(longest // 2 + 2, np.int64)
    ends = np.empty_like(starts)
    word_hashes = np.empty(starts.shape[0], np.uint64)
    hashes = np.empty(starts.shape[0], np.uint64)
    table = np.zeros(_slots(starts.shape[0]), np.uint64)
    left_table = np.zeros(table.shape[0], np.uint64)
    left_count = 0
    left_slots = 16
    for pair in range(left.shape[0]):
        if pair == 0 or left[pair] != left[pair - 1]:
            left_count = _distinct_shingles(
                data, bounds, left[pair], k, stream, starts, ends, word_hashes, hashes, table
            )
            left_slots = _slots(left_count)
            left_table[:left_slots] = 0
            for place in range(left_count):
                _is_new(hashes[place], left_table, left_slots)
        count = _distinct_shingles(
            data, bounds, right[pair], k, stream, starts, ends, word_hashes, hashes, table
        )
        shared = 0
        for place in range(count):
            if _is_known(hashes[place], left_table, left_slots):
                shared += 1
        intersections[pair] = shared
        unions[pair] = left_count + count - shared


@compiled
def _distinct_shingles(  # noqa: PLR0913, PLR0917 - scratch arrays are the caller's
    data: Bytes,
    bounds: Places,
    text: int,
    k: int,
    stream: Bytes,
    starts: Places,
    ends: Places,
    word_hashes: Longs,
    hashes: Longs,
    table: Longs,
) -> int:
    size = bounds[text + 1] - bounds[text]
    stream[:size] = data[bounds[text] : bounds[text + 1]]
    words = find_words(stream, size, starts, ends)
    if words == 0:
        return 0
    hash_words(stream, starts, ends, words, word_hashes)
    count = hash_shingles(word_hashes, words, k, hashes)
    for place in range(count):
        hashes[place] |= np.uint64(1)
    return _keep_distinct(hashes, count, table)
