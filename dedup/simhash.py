"""Fingerprints: their distance, and every pair within a distance without comparing all pairs."""

from itertools import combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from dedup import kernel

if kernel.KERNEL_NAME == "numba":
    from dedup.kernel import nearness

BITS = 64
_COMPARISON_COST = 1.0
_SORT_COST = 40.0
_BATCH_PAIRS = 4_000_000
_MOST_TABLES = 64

Fingerprints = NDArray[np.uint64]
Ordinals = NDArray[np.int64]


def hamming_distance(left: Fingerprints, right: Fingerprints) -> NDArray[np.uint8]:
    """Count the differing bits of two ``uint64[n]`` fingerprint arrays, row by row.

    Returns ``uint8[n]``, each 0 to 64; unrelated texts average 32 (Charikar 2002).
    Raises ``ValueError`` if the lengths differ.

    >>> hamming_distance(np.array([0b1011], np.uint64), np.array([0b0010], np.uint64)).tolist()
    [2]
    """
    if left.shape != right.shape:
        raise ValueError(f"{left.shape[0]} fingerprints against {right.shape[0]}")
    distances: NDArray[np.uint8] = np.bitwise_count(left ^ right)
    return distances


def pairs_within(
    fingerprints: Fingerprints, *, max_distance: int, valid: NDArray[np.bool_] | None = None
) -> tuple[Ordinals, Ordinals]:
    """Find every pair of fingerprints that differ in at most ``max_distance`` bits.

    ``fingerprints`` is ``uint64[n]``; places where ``valid`` is False take no part. Returns two ``int64[m]``, left
    below right, each pair once, sorted by (left, right). No pair within the distance is missed: cut into more blocks
    than bits may differ, two fingerprints agree on the blocks that are left, and only those that do are compared
    (Manku, Jain and Das Sarma 2007). The more bits may differ, the closer this comes to comparing all pairs.
    Raises ``ValueError`` if the distance isn't between 0 and 63.

    >>> left, right = pairs_within(np.array([0, 255, 1], np.uint64), max_distance=1)
    >>> list(zip(left.tolist(), right.tolist()))
    [(0, 2)]
    """
    if not 0 <= max_distance < BITS:
        raise ValueError(f"the distance must lie between 0 and 63 bits, not {max_distance}")
    places = np.arange(fingerprints.shape[0]) if valid is None else np.flatnonzero(valid)
    distinct, group = np.unique(fingerprints[places], return_inverse=True)
    near = _pairs_of_distinct(distinct, max_distance)
    return _expand(near, group, places, distinct.shape[0])


def choose_blocks(count: int, max_distance: int) -> tuple[int, int]:
    """Choose how many blocks to cut fingerprints into, and how many of them make a key: the cheapest for ``count``.

    Few blocks are few sorts but short keys, which many unrelated fingerprints share.

    >>> choose_blocks(100_000, 3)
    (4, 1)
    """

    def cost(choice: tuple[int, int]) -> float:
        blocks, kept = choice
        shared = count / 2.0 ** (BITS * kept // blocks)
        return comb(blocks, kept) * (_SORT_COST + _COMPARISON_COST * shared)

    choices = [(max_distance + kept, kept) for kept in range(1, 5) if max_distance + kept <= BITS]
    return min((choice for choice in choices if choice[1] == 1 or comb(*choice) <= _MOST_TABLES), key=cost)


def _pairs_of_distinct(distinct: Fingerprints, max_distance: int) -> list[NDArray[np.int64]]:
    if max_distance == 0 or distinct.shape[0] < 2:
        return []
    blocks, kept = choose_blocks(distinct.shape[0], max_distance)
    masks = [_join_masks(chosen) for chosen in combinations(_block_masks(blocks), kept)]
    found: list[NDArray[np.int64]] = []
    for table, mask in enumerate(masks):
        found.extend(_pairs_of_table(distinct, mask, masks[:table], max_distance))
    return found


def _block_masks(blocks: int) -> list[int]:
    edges = [BITS * block // blocks for block in range(blocks + 1)]
    return [(1 << end) - (1 << start) for start, end in pairwise(edges)]


def _join_masks(masks: tuple[int, ...]) -> np.uint64:
    joined = 0
    for mask in masks:
        joined |= mask
    return np.uint64(joined)


def _pairs_of_table(
    distinct: Fingerprints, mask: np.uint64, earlier: list[np.uint64], max_distance: int
) -> list[NDArray[np.int64]]:
    order = np.argsort(_short_keys(distinct, mask), kind="stable")
    ordered = distinct[order]
    if kernel.KERNEL_NAME == "fallback":  # pragma: no cover - without numba; tested by name
        found = near_pairs_of_runs(ordered, mask, earlier, max_distance)
    else:
        found = nearness.near_pairs_of_runs(ordered, mask, np.array(earlier, np.uint64), max_distance)
    return [order[places] for places in found]


def _short_keys(distinct: Fingerprints, mask: np.uint64) -> NDArray[np.unsignedinteger]:
    """Give the masked bits, as 16-bit numbers where they fit, which sort ten times as fast."""
    shift = (int(mask) & -int(mask)).bit_length() - 1
    keys = (distinct & mask) >> np.uint64(shift)
    return keys.astype(np.uint16) if int(mask) >> shift < 1 << 16 else keys


def near_pairs_of_runs(
    ordered: Fingerprints, mask: np.uint64, earlier: list[np.uint64], max_distance: int
) -> list[NDArray[np.int64]]:
    """Do what ``dedup.kernel.nearness`` does, by NumPy alone."""
    keys = ordered & mask
    firsts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    ends = np.repeat(np.append(firsts[1:], keys.shape[0]), np.diff(np.append(firsts, keys.shape[0])))
    partners = ends - np.arange(keys.shape[0]) - 1
    found = []
    for start, stop in _batches(partners):
        one = np.repeat(np.arange(start, stop), partners[start:stop])
        begin = np.repeat(np.cumsum(partners[start:stop]) - partners[start:stop], partners[start:stop])
        other = one + 1 + np.arange(one.shape[0]) - begin
        difference = ordered[one] ^ ordered[other]
        keep = np.bitwise_count(difference) <= max_distance
        for known in earlier:
            keep &= (difference & known) != 0
        found.append(np.stack([one[keep], other[keep]]))
    return found


def _batches(partners: NDArray[np.int64]) -> list[tuple[int, int]]:
    total = np.cumsum(partners)
    cuts = np.searchsorted(total, np.arange(_BATCH_PAIRS, int(total[-1]) + 1, _BATCH_PAIRS), side="right")
    edges = np.unique(np.concatenate([[0], cuts, [partners.shape[0]]])).tolist()
    return list(pairwise(edges))


def _expand(
    near: list[NDArray[np.int64]], group: NDArray[np.intp], places: Ordinals, groups: int
) -> tuple[Ordinals, Ordinals]:
    members = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=groups)
    starts = np.cumsum(sizes) - sizes
    same = np.tile(np.flatnonzero(sizes > 1), (2, 1))
    left_group, right_group = np.concatenate([same, *near], axis=1)
    count = sizes[left_group] * sizes[right_group]
    offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    width = np.repeat(sizes[right_group], count)
    one = places[members[np.repeat(starts[left_group], count) + offset // width]]
    other = places[members[np.repeat(starts[right_group], count) + offset % width]]
    within = np.repeat(left_group == right_group, count)
    keep = ~within | (one < other)
    left, right = np.minimum(one, other)[keep], np.maximum(one, other)[keep]
    order = np.lexsort((right, left))
    return left[order], right[order]
