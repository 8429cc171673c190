"""Sorted tables of band keys and fingerprints: what a text is looked up in, in memory or memory-mapped."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dedup.band_kernel import keys_of_bands
from dedup.index.spec import IndexSpec

MOST_OF_ONE_KEY = 1_000
SMALL = 64
FINGERPRINT_BITS = 64

Longs = NDArray[np.uint64]
Ordinals = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The keys of the texts ``start`` to ``stop - 1`` (some may be missing), sorted.

    ``keys`` is ``uint64[bands, n]``, each row ascending; ``places`` is ``uint32[bands, n]``: the ordinals, counted from
    ``start``, that the keys belong to. ``blocks`` is ``uint64[blocks, n]``: the fingerprints, each row turned so that
    another block stands first, ascending; ``block_places`` is ``uint32[blocks, n]`` likewise. Equal keys stand in the
    order of their ordinals.
    """

    start: int
    stop: int
    keys: Longs
    places: NDArray[np.uint32]
    blocks: Longs
    block_places: NDArray[np.uint32]

    def colliding(self, own: Longs) -> tuple[Ordinals, Ordinals]:
        """Find the texts that share a band key with each of ``uint64[bands, q]``: places among the ``q``, and ordinals.

        A pair comes once for each band that it shares. Of a key that more than ``MOST_OF_ONE_KEY`` texts have, the first
        that many are given.
        """
        if self.keys.shape[1] <= SMALL:
            band, asked, column = (own[:, :, None] == self.keys[:, None, :]).nonzero()
            return asked, self.places[band, column].astype(np.int64) + self.start
        found = [
            _in_row(self.keys[band], self.places[band], own[band], own[band], MOST_OF_ONE_KEY)
            for band in range(own.shape[0])
        ]
        asked = np.concatenate([one for one, _, _ in found])
        places = np.concatenate([place for _, place, _ in found])
        return asked, places + self.start

    def near(self, own: Longs, max_distance: int) -> tuple[Ordinals, Ordinals, NDArray[np.uint8]]:
        """Find the texts whose fingerprints differ from each of ``uint64[q]`` in ``max_distance`` bits at most.

        Gives places among the ``q``, ordinals and distances, each pair once.
        """
        parts = []
        edges = block_edges(self.blocks.shape[0])
        for block, (first, last) in enumerate(edges):
            width = last - first
            turned = turn_left(own, first)
            low = turned >> np.uint64(FINGERPRINT_BITS - width) << np.uint64(FINGERPRINT_BITS - width)
            high = low | np.uint64((1 << (FINGERPRINT_BITS - width)) - 1)
            asked, places, values = _in_row(self.blocks[block], self.block_places[block], low, high, None)
            difference = values ^ turned[asked]
            distances = np.bitwise_count(difference)
            keep = distances <= max_distance
            for earlier, later in edges[:block]:
                mask = turn_left(block_mask(earlier, later), first)
                keep &= (difference & mask) != 0
            parts.append((asked[keep], places[keep] + self.start, distances[keep]))
        asked, ordinals, bits = (np.concatenate([part[column] for part in parts]) for column in range(3))
        return asked, ordinals, bits


def build_table(
    signatures: NDArray[np.uint32],
    fingerprints: Longs,
    valid: NDArray[np.bool_],
    spec: IndexSpec,
    start: int,
) -> Table:
    """Sort the keys of the texts whose ordinals begin at ``start``; those that aren't ``valid`` are left out."""
    banding = spec.banding
    rows = np.flatnonzero(valid)
    whole = rows.shape[0] == valid.shape[0]
    keys = keys_of_bands(signatures if whole else signatures[rows], banding, range(banding.bands))
    prints = fingerprints if whole else fingerprints[rows]
    blocks = np.stack([turn_left(prints, first) for first, _ in block_edges(block_count(spec))])
    sorted_keys, places = _sorted_rows(keys, rows)
    sorted_blocks, block_places = _sorted_rows(blocks, rows)
    return Table(
        start=start,
        stop=start + valid.shape[0],
        keys=sorted_keys,
        places=places,
        blocks=sorted_blocks,
        block_places=block_places,
    )


def block_count(spec: IndexSpec) -> int:
    """Say into how many blocks fingerprints are cut: one more than bits may differ, so that one block is equal."""
    return spec.simhash.max_distance + 1


def block_edges(count: int) -> list[tuple[int, int]]:
    """Give the first bit of each block, counted from the highest, and the first bit behind it.

    >>> block_edges(4)
    [(0, 16), (16, 32), (32, 48), (48, 64)]
    """
    return list(pairwise(FINGERPRINT_BITS * block // count for block in range(count + 1)))


def block_mask(first: int, last: int) -> Longs:
    """Set the bits of one block, counted from the highest bit: ``uint64[1]``."""
    return np.array([((1 << (last - first)) - 1) << (FINGERPRINT_BITS - last)], np.uint64)


def turn_left(values: Longs, bits: int) -> Longs:
    """Turn 64-bit numbers left, so that the bits that leave on the left come in again on the right."""
    if bits == 0:
        return values
    turned: Longs = values << np.uint64(bits) | values >> np.uint64(FINGERPRINT_BITS - bits)
    return turned


def _sorted_rows(keys: Longs, rows: NDArray[np.intp]) -> tuple[Longs, NDArray[np.uint32]]:
    order = np.argsort(keys, axis=1, kind="stable")
    return np.take_along_axis(keys, order, axis=1), rows.astype(np.uint32)[order]


def _in_row(
    row: Longs, places: NDArray[np.uint32], low: Longs, high: Longs, most: int | None
) -> tuple[Ordinals, Ordinals, Longs]:
    """Find the keys from ``low`` to ``high`` in an ascending row: place of the question, place of the text, the key."""
    first = np.searchsorted(row, low, side="left")
    counts = np.searchsorted(row, high, side="right") - first
    if most is not None:
        np.minimum(counts, most, out=counts)
    total = int(counts.sum())
    if not total:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint64)
    asked = np.repeat(np.arange(low.shape[0]), counts)
    columns = np.arange(total) - np.repeat(np.cumsum(counts) - counts - first, counts)
    return asked, places[columns].astype(np.int64), row[columns]
