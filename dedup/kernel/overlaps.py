"""Compiled loops that count the shingles two texts share, for several k in one pass over the texts.

A shingle of more words begins with a shingle of fewer. So a shingle that occurs once stays single when words are
added, and what isn't shared stays unshared: only the smallest k needs tables throughout, a larger k only where the k
before it left many repetitions.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dedup.kernel.columns import TextColumn
from dedup.kernel.compiling import compiled, inlined
from dedup.kernel.hashing import SLACK, SPARE_WORDS, find_words, hash_shingles, hash_words

# Among so few repeated shingles a search from first to last is faster than a table.
_FEW = 24
_SINGLE, _FIRST, _LATER = 0, 1, 2
_WORDS, _SHINGLES, _REPEATED, _DISTINCT, _SLOTS = range(5)

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Longs = NDArray[np.uint64]
Counts = NDArray[np.int32]
Profile = tuple[Longs, Bytes, Counts, Counts, Places]


def exact_overlaps(
    streams: TextColumn, left: Places, right: Places, ks: Sequence[int]
) -> list[tuple[Counts, Counts]]:
    """Count shared and joint shingles of each pair, for each k, by their 64-bit token hashes."""
    ascending = sorted(set(ks))
    counts = np.empty((2, len(ascending), left.shape[0]), np.int32)
    sizes = np.diff(streams.offsets)
    longest = int(max(sizes[left].max(initial=0), sizes[right].max(initial=0)))
    roomy, last = streams.with_room(SLACK)
    _overlap_all(
        (roomy.data, roomy.offsets),
        (last.data, last.offsets),
        (left, right),
        np.array(ascending, np.int64),
        longest // 2 + 2 + SPARE_WORDS,
        counts,
    )
    rows = [ascending.index(k) for k in ks]
    return [(counts[0, row], counts[1, row]) for row in rows]


@compiled
def _overlap_all(
    roomy: tuple[Bytes, Places],
    last: tuple[Bytes, Places],
    pairs: tuple[Places, Places],
    ks: Places,
    room: int,
    counts: NDArray[np.int32],
) -> None:
    left, right = pairs
    scratch = (np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.uint64))
    one, other = _empty_profile(ks.shape[0], room), _empty_profile(ks.shape[0], room)
    found = np.empty(room, np.int32)
    for pair in range(left.shape[0]):
        if pair == 0 or left[pair] != left[pair - 1]:
            _profile(roomy, last, left[pair], ks, scratch, one)
        _profile(roomy, last, right[pair], ks, scratch, other)
        for level in range(ks.shape[0]):
            shared = _shared(one, other, level, found)
            counts[0, level, pair] = shared
            counts[1, level, pair] = one[4][level, _DISTINCT] + other[4][level, _DISTINCT] - shared


@inlined
def _empty_profile(levels: int, room: int) -> Profile:
    """Make room for what is known of one text at each k.

    That is: the hash of each shingle; whether it occurs once, or is the first or a later one of its kind; where the
    repeated ones stand; a table from hashes to places; and the numbers that ``_WORDS`` to ``_SLOTS`` name.
    """
    return (
        np.empty((levels, room), np.uint64),
        np.empty((levels, room), np.uint8),
        np.empty((levels, room), np.int32),
        np.empty((levels, _slots_for(room)), np.int32),
        np.zeros((levels, 5), np.int64),
    )


@inlined
def _slots_for(count: int) -> int:
    slots = 64
    while slots < 4 * count:
        slots *= 2
    return slots


@compiled
def _profile(
    roomy: tuple[Bytes, Places],
    last: tuple[Bytes, Places],
    text: int,
    ks: Places,
    scratch: tuple[Places, Places, Longs],
    profile: Profile,
) -> None:
    starts, ends, word_hashes = scratch
    texts = roomy[1].shape[0] - 1
    data, bounds = roomy
    if text >= texts:
        data, bounds = last
        text -= texts
    words = find_words(data, bounds[text], bounds[text + 1], starts, ends)
    hash_words(data, starts, ends, words, word_hashes)
    hashes, numbers = profile[0], profile[4]
    have = 0
    for level in range(ks.shape[0]):
        if words == 0:
            numbers[level] = 0
            continue
        if level:
            for place in range(words - have + 1):
                hashes[level, place] = hashes[level - 1, place]
        have = hash_shingles(word_hashes, words, have, ks[level], hashes[level])
        numbers[level, _SHINGLES] = words - have + 1
        if level and numbers[level - 1, _REPEATED] <= _FEW:
            _mark_few(profile, level)
        else:
            _mark_by_table(profile, level)


@compiled
def _mark_few(profile: Profile, level: int) -> None:
    """Mark the shingles that occur more than once, all of which did so with fewer words."""
    hashes, marks, repeated, _, numbers = profile
    count = numbers[level, _SHINGLES]
    marks[level, :count] = _SINGLE
    found = later = 0
    for earlier in range(numbers[level - 1, _REPEATED]):
        place = repeated[level - 1, earlier]
        for before in range(earlier):
            first = repeated[level - 1, before]
            if max(first, place) < count and hashes[level, first] == hashes[level, place]:
                if marks[level, first] == _SINGLE:
                    marks[level, first] = _FIRST
                    repeated[level, found] = first
                    found += 1
                marks[level, place] = _LATER
                repeated[level, found] = place
                found += 1
                later += 1
                break
    numbers[level, _REPEATED] = found
    numbers[level, _DISTINCT] = count - later


@compiled
def _mark_by_table(profile: Profile, level: int) -> None:
    """Mark the shingles that occur more than once, and build the table of all."""
    hashes, marks, repeated, table = (
        profile[0][level],
        profile[1][level],
        profile[2][level],
        profile[3][level],
    )
    numbers = profile[4]
    count = numbers[level, _SHINGLES]
    slots = _slots_for(count)
    table[:slots] = 0
    marks[:count] = _SINGLE
    found = later = 0
    for place in range(count):
        slot = _slot_of(hashes[place], hashes, table, slots)
        first = table[slot] - 1
        if first < 0:
            table[slot] = place + 1
            continue
        if marks[first] == _SINGLE:
            marks[first] = _FIRST
            repeated[found] = first
            found += 1
        marks[place] = _LATER
        repeated[found] = place
        found += 1
        later += 1
    numbers[level, _REPEATED] = found
    numbers[level, _DISTINCT] = count - later
    numbers[level, _SLOTS] = slots


@inlined
def _slot_of(value: np.uint64, hashes: Longs, table: Counts, slots: int) -> int:
    """Give the slot that a hash has, or would get, in an open table of places counted from 1; 0 is empty."""
    last = np.uint64(slots - 1)
    slot = value >> np.uint64(32) & last
    while table[slot] and hashes[np.uint64(table[slot] - 1)] != value:
        slot = slot + np.uint64(1) & last
    return slot


@compiled
def _shared(one: Profile, other: Profile, level: int, found: Counts) -> int:
    """Count the distinct shingles of both; ``found`` keeps where each of the other's stands in the one, or -1."""
    hashes, wanted, marks = one[0][level], other[0][level], other[1][level]
    count, wanted_count = one[4][level, _SHINGLES], other[4][level, _SHINGLES]
    if count == 0:
        return 0
    by_table = level == 0 or one[4][level - 1, _REPEATED] > _FEW
    table, slots = one[3][level], one[4][level, _SLOTS]
    shared = 0
    for place in range(wanted_count):
        value = wanted[place]
        if by_table:
            there = table[_slot_of(value, hashes, table, slots)] - 1
        else:
            there = found[place]
            if there >= 0 and (there >= count or hashes[there] != value):
                is_single = one[1][level - 1, there] == _SINGLE
                there = -1 if is_single else _place_among_repeated(one, level, value)
        found[place] = there
        shared += there >= 0 and marks[place] != _LATER
    return shared


@inlined
def _place_among_repeated(profile: Profile, level: int, value: np.uint64) -> int:
    """Find a hash among the shingles that were repeated with fewer words; -1 if it isn't there."""
    numbers = profile[4]
    for number in range(numbers[level - 1, _REPEATED]):
        place = profile[2][level - 1, number]
        if place < numbers[level, _SHINGLES] and profile[0][level, place] == value:
            return place
    return -1
