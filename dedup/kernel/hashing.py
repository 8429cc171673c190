"""Compiled loops from a clean stream to its words, and from its words to the hashes of its shingles."""

import numpy as np
from numpy.typing import NDArray

from dedup.kernel.compiling import compiled, inlined
from dedup.kernel.digests import (
    BLAKE2B_BLOCK,
    BLAKE2B_START,
    HEAD_LANES,
    SHA1_BLOCK,
    SHA1_SHORT_ROW,
    SHA1_START,
    blake2b_step,
    sha1_heads,
    sha1_short_heads,
    sha1_step,
    write_sha1_row,
    write_sha1_short_row,
)
from dedup.kernel.lanes import (
    LANES_OF_WORDS,
    blank_bits,
    copy_padded,
    count_ones,
    read_long,
    swap_bytes,
    trailing_zeros,
    write_long,
)
from dedup.token_hash import SHINGLE_FACTOR, WORD_FACTOR, WORD_START

# Vector loads read up to a whole block beyond the last byte of a stream.
SLACK = 256
SPARE_WORDS = 16

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Longs = NDArray[np.uint64]

_SHA1_ROOM = SHA1_BLOCK - 9
_SHA1_SHORT_ROOM = SHA1_SHORT_ROW - 5
_LENGTHS_OF_WORDS = (
    0,
    0xFF,
    0xFFFF,
    0xFFFFFF,
    0xFFFFFFFF,
    0xFFFFFFFFFF,
    0xFFFFFFFFFFFF,
    0xFFFFFFFFFFFFFF,
    0xFFFFFFFFFFFFFFFF,
)
_TAIL_MASKS = np.array(_LENGTHS_OF_WORDS, np.uint64)
_SHA1_STATE = np.repeat(np.array(SHA1_START, np.uint32), 16)
_BLAKE2B_STATE = np.repeat(np.array(BLAKE2B_START, np.uint64), 8)
_WORD_START = np.uint64(WORD_START)
_WORD_FACTOR = np.uint64(WORD_FACTOR)
_SHINGLE_FACTOR = np.uint64(SHINGLE_FACTOR)
_HALF = np.uint64(32)


@compiled
def find_words(data: Bytes, begin: int, end: int, starts: Places, ends: Places) -> int:
    """Find where the words of a stream start and end; gives their number. Reads 64 bytes past the stream.

    Blanks are taken eight at a time, whatever their number, so that no branch depends on it: up to ``SPARE_WORDS``
    places after the last word are overwritten.
    """
    if begin == end:
        return 0
    words = 0
    starts[0] = begin
    for place in range(begin, end, 64):
        bits = blank_bits(data, place)
        if end - place < 64:
            bits &= (np.uint64(1) << np.uint64(end - place)) - np.uint64(1)
        count = count_ones(bits)
        for first in range(words, words + count, 8):
            at = np.uint64(first)
            for step in range(8):
                blank = place + trailing_zeros(bits)
                ends[at + np.uint64(step)] = blank
                starts[at + np.uint64(step + 1)] = blank + 1
                bits &= bits - np.uint64(1)
        words += count
    ends[words] = end
    return words + 1


@compiled
def hash_words(stream: Bytes, starts: Places, ends: Places, words: int, hashes: Longs) -> None:
    """Hash each word as ``dedup.token_hash.word_hash`` does; the first two steps without a branch."""
    for word in range(words):
        place = starts[word]
        left = ends[word] - place
        part = read_long(stream, place) & _TAIL_MASKS[np.uint64(min(left, 8))]
        value = ((_WORD_START ^ np.uint64(left)) ^ part) * _WORD_FACTOR
        value ^= value >> _HALF
        part = read_long(stream, place + 8) & _TAIL_MASKS[np.uint64(max(0, min(left - 8, 8)))]
        longer = (value ^ part) * _WORD_FACTOR
        longer ^= longer >> _HALF
        value = longer if left > 8 else value
        while left > 16:
            place += 8
            left -= 8
            part = read_long(stream, place + 8) & _TAIL_MASKS[np.uint64(min(left - 8, 8))]
            value = (value ^ part) * _WORD_FACTOR
            value ^= value >> _HALF
        hashes[word] = value * _WORD_FACTOR


@compiled
def hash_shingles(word_hashes: Longs, words: int, have: int, k: int, hashes: Longs) -> int:
    """Hash each shingle as ``dedup.token_hash.shingle_hash64`` does; gives how many words a shingle has.

    ``hashes`` holds the hashes of shingles of ``have`` words, which are taken further, unless ``have`` is 0 or more
    than the words of a shingle of ``k``.
    """
    length = min(words, k)
    first = have
    if have == 0 or have > length:
        first = 1
        for shingle in range(words):
            hashes[shingle] = word_hashes[shingle]
    for offset in range(first, length):
        for shingle in range(words - offset):
            hashes[shingle] = hashes[shingle] * _SHINGLE_FACTOR + word_hashes[shingle + offset]
    return length


@inlined
def set_all(state: NDArray[np.unsignedinteger], first: NDArray[np.unsignedinteger]) -> None:
    """Copy one array into another."""
    for place in range(first.shape[0]):
        state[place] = first[place]


# The long codes are functions of their own: inside a loop, their constants would crowd out what they work on.
@compiled
def _sha1_step(blocks: Bytes, state: NDArray[np.uint32]) -> None:
    sha1_step(blocks, state)


@compiled
def _sha1_heads(rows: Bytes, hashes: NDArray[np.uint32], done: int) -> None:
    sha1_heads(rows, hashes, done)


@compiled
def _sha1_short_heads(rows: Bytes, hashes: NDArray[np.uint32], done: int) -> None:
    sha1_short_heads(rows, hashes, done)


@inlined
def sha1_scratch() -> tuple[Bytes, Bytes, NDArray[np.uint32]]:
    """Make room for rows of up to 55 bytes, rows of up to 27 bytes, and the states of longer messages."""
    return (
        np.zeros(HEAD_LANES * SHA1_BLOCK, np.uint8),
        np.zeros(HEAD_LANES * SHA1_SHORT_ROW, np.uint8),
        np.empty(_SHA1_STATE.shape[0], np.uint32),
    )


@compiled
def sha1_shingles(
    stream: Bytes,
    starts: Places,
    ends: Places,
    words: int,
    k: int,
    scratch: tuple[Bytes, Bytes, NDArray[np.uint32]],
    long_ones: Places,
    hashes: NDArray[np.uint32],
) -> int:
    """Hash each shingle to the first 4 bytes of its SHA-1, little-endian, in any order; gives their number.

    Shingles of up to 27 bytes go 32 at a time, those of up to 55 bytes, one block, too. Up to ``HEAD_LANES`` places
    after the last hash are overwritten. ``long_ones`` is ``int64[words]`` of scratch.
    """
    rows, short_rows, state = scratch
    span = min(words, k) - 1
    done = lane = short_lane = long_count = 0
    for shingle in range(words - span):
        start = starts[shingle]
        size = ends[shingle + span] - start
        if size <= _SHA1_SHORT_ROOM:
            write_sha1_short_row(short_rows, short_lane * SHA1_SHORT_ROW, stream, start, size)
            short_lane += 1
            if short_lane == HEAD_LANES:
                _sha1_short_heads(short_rows, hashes, done)
                done += short_lane
                short_lane = 0
        elif size <= _SHA1_ROOM:
            write_sha1_row(rows, lane * SHA1_BLOCK, stream, start, size)
            lane += 1
            if lane == HEAD_LANES:
                _sha1_heads(rows, hashes, done)
                done += lane
                lane = 0
        else:
            long_ones[long_count] = shingle
            long_count += 1
    if short_lane:
        _sha1_short_heads(short_rows, hashes, done)
    if lane:
        _sha1_heads(rows, hashes, done + short_lane)
    done += short_lane + lane
    _sha1_of_long_ones(stream, starts, ends, span, long_ones[:long_count], rows, state, hashes[done:])
    return done + long_count


@inlined
def _sha1_of_long_ones(
    stream: Bytes,
    starts: Places,
    ends: Places,
    span: int,
    long_ones: Places,
    blocks: Bytes,
    state: NDArray[np.uint32],
    hashes: NDArray[np.uint32],
) -> None:
    for first in range(0, long_ones.shape[0], LANES_OF_WORDS):
        group = long_ones[first : min(first + LANES_OF_WORDS, long_ones.shape[0])]
        _sha1_long(stream, starts, ends, span, group, blocks, state, hashes[first:])


@inlined
def fill_sha_block(stream: Bytes, start: int, size: int, block: int, blocks: Bytes, lane: int) -> None:
    """Put block ``block`` of a message, padded as SHA-1 and SHA-256 pad it, into a lane's row of 64 bytes."""
    left = size - block * SHA1_BLOCK
    row = lane * SHA1_BLOCK
    copy_padded(blocks, row, stream, start + block * SHA1_BLOCK, max(-1, min(left, 64)), 0x80)
    if left <= _SHA1_ROOM:
        write_long(blocks, row + 56, swap_bytes(8 * size))


@compiled
def _sha1_long(
    stream: Bytes,
    starts: Places,
    ends: Places,
    span: int,
    group: Places,
    blocks: Bytes,
    state: NDArray[np.uint32],
    hashes: NDArray[np.uint32],
) -> None:
    needed = 0
    for shingle in group:
        needed = max(needed, (ends[shingle + span] - starts[shingle] + 8) // SHA1_BLOCK + 1)
    set_all(state, _SHA1_STATE)
    for block in range(needed):
        for lane in range(group.shape[0]):
            start = starts[group[lane]]
            size = ends[group[lane] + span] - start
            if block <= (size + 8) // SHA1_BLOCK:
                fill_sha_block(stream, start, size, block, blocks, lane)
        _sha1_step(blocks, state)
        for lane in range(group.shape[0]):
            size = ends[group[lane] + span] - starts[group[lane]]
            if block == (size + 8) // SHA1_BLOCK:
                hashes[lane] = swap_bytes(state[lane]) >> _HALF


@compiled
def blake2b_shingles(  # noqa: PLR0913, PLR0917 - scratch arrays are the caller's
    stream: Bytes,
    starts: Places,
    ends: Places,
    words: int,
    k: int,
    blocks: Bytes,
    state: Longs,
    taken: Longs,
    is_last: Longs,
    digests: Longs,
) -> int:
    """Hash each shingle to its BLAKE2b of 8 bytes, read big-endian, in order; gives the number of shingles."""
    span = min(words, k) - 1
    count = words - span
    for first in range(0, count, 8):
        lanes = min(8, count - first)
        needed = 1
        for lane in range(lanes):
            size = ends[first + lane + span] - starts[first + lane]
            needed = max(needed, (size + BLAKE2B_BLOCK - 1) // BLAKE2B_BLOCK)
        set_all(state, _BLAKE2B_STATE)
        for block in range(needed):
            for lane in range(lanes):
                start = starts[first + lane]
                size = ends[first + lane + span] - start
                _fill_blake2b_block(stream, start, size, block, blocks, taken, is_last, lane)
            blake2b_step(blocks, state, taken, is_last)
            for lane in range(lanes):
                size = ends[first + lane + span] - starts[first + lane]
                if block == (size - 1) // BLAKE2B_BLOCK:
                    digests[first + lane] = swap_bytes(state[lane])
    return count


@inlined
def _fill_blake2b_block(
    stream: Bytes,
    start: int,
    size: int,
    block: int,
    blocks: Bytes,
    taken: Longs,
    is_last: Longs,
    lane: int,
) -> None:
    done = block * BLAKE2B_BLOCK
    if done >= size:
        return
    row = lane * BLAKE2B_BLOCK
    left = size - done
    copy_padded(blocks, row, stream, start + done, min(left, 64), 0)
    copy_padded(blocks, row + 64, stream, start + done + 64, max(-1, min(left - 64, 64)), 0)
    taken[lane] = min(size, done + BLAKE2B_BLOCK)
    is_last[lane] = np.uint64(0xFFFFFFFFFFFFFFFF) if left <= BLAKE2B_BLOCK else np.uint64(0)
