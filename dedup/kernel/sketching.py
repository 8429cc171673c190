"""Compiled loops over whole columns: signatures, fingerprints and exact overlaps."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from datasketch import MinHash
from numpy.typing import NDArray

from dedup.kernel.columns import TextColumn
from dedup.kernel.compiling import compiled
from dedup.kernel.digests import HEAD_LANES
from dedup.kernel.hashing import (
    SLACK,
    SPARE_WORDS,
    blake2b_shingles,
    find_words,
    hash_shingles,
    hash_words,
    sha1_scratch,
    sha1_shingles,
)
from dedup.kernel.lanes import count_bits, least_permuted, scramble
from dedup.specs import MinHashSpec, SimHashSpec

_TILE = 128
_NO_WORDS = 0xFFFFFFFF
_SHA1 = 0
_TOKENS = 1

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Longs = NDArray[np.uint64]
Words32 = NDArray[np.uint32]


def signatures(streams: TextColumn, specs: Sequence[MinHashSpec], into: Sequence[Words32]) -> None:
    """Sign every stream with every ``affine32`` recipe; words are found, and hashed for ``tokens``, once."""
    plan = np.array([_plan_row(spec, specs[:number]) for number, spec in enumerate(specs)], np.int64).reshape(
        -1, 6
    )
    permutations = [_permutations(spec.num_perm, spec.seed) for spec in specs]
    factors, summands = (
        np.concatenate([np.empty(0, np.uint32), *(pair[part] for pair in permutations)]) for part in (0, 1)
    )
    longest = int(np.diff(streams.offsets).max(initial=0))
    whole_tiles = [
        rows if rows.shape[1] % _TILE == 0 else np.empty((len(rows), _padded(rows.shape[1])), np.uint32)
        for rows in into
    ]
    done = 0
    for part in streams.with_room(SLACK):
        plan[:, 5] = [rows[done:].ctypes.data for rows in whole_tiles]
        _sign_all(part.data, part.offsets, longest, plan, factors, summands)
        done += len(part)
    for rows, filled in zip(into, whole_tiles, strict=True):
        if filled is not rows:
            rows[:] = filled[:, : rows.shape[1]]


def _plan_row(spec: MinHashSpec, before: Sequence[MinHashSpec]) -> tuple[int, ...]:
    """One recipe for the loop: hash, k, tiles, first tile, whether its hashes are there already, an address."""
    start = sum(_padded(other.num_perm) for other in before)
    is_known = bool(before) and (before[-1].hash, before[-1].k) == (spec.hash, spec.k)
    return (_SHA1 if spec.hash == "sha1" else _TOKENS, spec.k, _padded(spec.num_perm), start, is_known, 0)


def _padded(num_perm: int) -> int:
    return -(-num_perm // _TILE) * _TILE


@lru_cache(maxsize=32)
def _permutations(num_perm: int, seed: int) -> Words32:
    """Give datasketch's own factors and summands, ``uint32[2, tiles * 128]``, the rest zero."""
    permutations = np.zeros((2, _padded(num_perm)), np.uint32)
    permutations[:, :num_perm] = MinHash(num_perm=num_perm, seed=seed, scheme="affine32").permutations
    return permutations


@compiled
def _keep_upper_halves(wide: Longs, count: int, hashes: Words32) -> None:
    for place in range(count):
        hashes[place] = wide[place] >> np.uint64(32)


@compiled
def _sign_all(
    data: Bytes, bounds: Places, longest: int, plan: Places, factors: Words32, summands: Words32
) -> None:
    starts = np.empty(longest // 2 + 2 + SPARE_WORDS, np.int64)
    ends = np.empty_like(starts)
    scratch = np.empty_like(starts)
    word_hashes = np.empty(starts.shape[0], np.uint64)
    wide = np.empty(starts.shape[0], np.uint64)
    hashes = np.zeros(starts.shape[0] + HEAD_LANES, np.uint32)
    sha1_room = sha1_scratch()
    has_tokens = np.any(plan[:, 0] == _TOKENS)
    for text in range(bounds.shape[0] - 1):
        words = find_words(data, bounds[text], bounds[text + 1], starts, ends)
        if has_tokens:
            hash_words(data, starts, ends, words, word_hashes)
        count = length = 0
        for spec in range(plan.shape[0]):
            hash_name, k, width = plan[spec, 0], plan[spec, 1], plan[spec, 2]
            first, is_known, address = plan[spec, 3], plan[spec, 4], plan[spec, 5]
            if words and not is_known:
                if hash_name == _SHA1:
                    count = sha1_shingles(data, starts, ends, words, k, sha1_room, scratch, hashes)
                else:
                    length = hash_shingles(word_hashes, words, length, k, wide)
                    count = words - length + 1
                    _keep_upper_halves(wide, count, hashes)
                scramble(hashes, count)
            row = address + 4 * text * width
            for tile in range(0, width, _TILE):
                least_permuted(hashes, count, factors, summands, first + tile, row + 4 * tile)


def fingerprints(streams: TextColumn, spec: SimHashSpec) -> Longs:
    """Give the SimHash of every stream."""
    result = np.empty(len(streams), np.uint64)
    longest = int(np.diff(streams.offsets).max(initial=0))
    done = 0
    for part in streams.with_room(SLACK):
        rows = result[done : done + len(part)]
        _fingerprint_all(part.data, part.offsets, longest, spec.k, spec.weighting == "plain", rows)
        done += len(part)
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
    starts = np.empty(longest // 2 + 2 + SPARE_WORDS, np.int64)
    ends = np.empty_like(starts)
    digests = np.empty(starts.shape[0], np.uint64)
    blocks = np.zeros(1024, np.uint8)
    state = np.empty(64, np.uint64)
    taken = np.zeros(8, np.uint64)
    is_last = np.zeros(8, np.uint64)
    table = np.empty(_slots(starts.shape[0]), np.uint64)
    for text in range(bounds.shape[0] - 1):
        words = find_words(data, bounds[text], bounds[text + 1], starts, ends)
        count = 0
        if words:
            count = blake2b_shingles(data, starts, ends, words, k, blocks, state, taken, is_last, digests)
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
