"""The loops under the candidate search, compiled where numba is installed, with the same result where it isn't."""

import numpy as np
from numpy.typing import NDArray

from dedup.banding import band_keys, first_row
from dedup.minhash import agreements
from dedup.specs import BandingSpec

SLOTS_PER_TEXT = 16
BLOCK_TEXTS = 64

try:
    from dedup.kernel.compiling import compiled

    IS_COMPILED = True
except ImportError:  # pragma: no cover - without numba
    IS_COMPILED = False


def keys_of_bands(signatures: NDArray[np.uint32], banding: BandingSpec, bands: range) -> NDArray[np.uint64]:
    """Compute ``dedup.banding.band_keys`` for several neighbouring bands in one pass: ``uint64[len(bands), n]``.

    Neighbouring bands lie in one cache line, and fetching that line is what the keys cost.
    """
    if not IS_COMPILED:  # pragma: no cover - without numba
        return keys_of_bands_by_numpy(signatures, banding, bands)
    for band in bands:
        first_row(signatures.shape[1], banding, band)
    keys = np.empty((len(bands), signatures.shape[0]), np.uint64)
    _fill_keys(np.ascontiguousarray(signatures), bands.start, banding.rows_per_band, keys)
    return keys


def keys_of_bands_by_numpy(
    signatures: NDArray[np.uint32], banding: BandingSpec, bands: range
) -> NDArray[np.uint64]:
    """Compute the same keys, by NumPy alone."""
    keys = np.empty((len(bands), signatures.shape[0]), np.uint64)
    for place, band in enumerate(bands):
        keys[place] = band_keys(signatures, banding, band)
    return keys


def colliding_rows(keys: NDArray[np.uint64], valid: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Find the rows whose key may occur twice: all that do, and a few per cent that don't; ``int64``, ascending.

    A key's leading bits name a slot of a bit table with sixteen slots or more per text; a slot met once is marked,
    a slot met again is marked as shared, and a second look keeps the rows of shared slots.
    """
    if not IS_COMPILED:  # pragma: no cover - without numba
        return colliding_rows_by_sorting(keys, valid)
    bits = max(10, int(SLOTS_PER_TEXT * keys.shape[0]).bit_length())
    seen = np.zeros(1 << (bits - 3), np.uint8)
    shared = np.zeros(1 << (bits - 3), np.uint8)
    _mark_slots(keys, valid, np.uint64(64 - bits), seen, shared)
    rows = np.empty(keys.shape[0], np.int64)
    count = _rows_in_shared_slots(keys, valid, np.uint64(64 - bits), shared, rows)
    return rows[:count].copy()


def colliding_rows_by_sorting(keys: NDArray[np.uint64], valid: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Find the rows whose key occurs twice or more among the valid rows, by NumPy alone; ``int64``, ascending."""
    rows = np.flatnonzero(valid)
    ordered = np.sort(keys[rows])
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if repeated.size == 0:
        return rows[:0]
    places = np.minimum(np.searchsorted(repeated, keys[rows]), repeated.size - 1)
    colliding: NDArray[np.int64] = rows[repeated[places] == keys[rows]]
    return colliding


def reaching(
    signatures: NDArray[np.uint32], left: NDArray[np.int64], right: NDArray[np.int64], level: int
) -> NDArray[np.bool_]:
    """Tell which pairs agree in ``level`` permutations or more, ``bool[m]``; stops a pair as soon as it is decided."""
    if not IS_COMPILED:  # pragma: no cover - without numba
        return agreements(signatures, left, right) >= level
    reached = np.empty(left.shape[0], np.bool_)
    _mark_reaching(signatures, left, right, level, reached)
    return reached


def _mark_reaching_loop(
    signatures: NDArray[np.uint32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    level: int,
    reached: NDArray[np.bool_],
) -> None:  # pragma: no cover - runs as machine code
    rows = signatures.shape[1]
    for pair in range(left.shape[0]):
        first, second = signatures[left[pair]], signatures[right[pair]]
        agreeing = 0
        row = 0
        while row < rows and agreeing < level <= agreeing + rows - row:
            stop = min(row + 32, rows)
            for place in range(row, stop):
                agreeing += first[place] == second[place]
            row = stop
        reached[pair] = agreeing >= level


def _fill_keys_loop(
    signatures: NDArray[np.uint32], first_band: int, rows_per_band: int, keys: NDArray[np.uint64]
) -> None:  # pragma: no cover - runs as machine code
    """Take sixty-four texts a step, band by band: the texts are independent, so the inner loops become vector code."""
    start = np.uint64(0x9E3779B97F4A7C15)
    factor = np.uint64(0xD6E8FEB86659FD93)
    shift = np.uint64(32)
    values = signatures.reshape(-1)
    width = np.uint64(signatures.shape[1])
    block = np.empty(BLOCK_TEXTS, np.uint64)
    for first in range(0, signatures.shape[0], BLOCK_TEXTS):
        texts = min(BLOCK_TEXTS, signatures.shape[0] - first)
        for band in range(keys.shape[0]):
            block[:] = start
            place = np.uint64(first) * width + np.uint64((first_band + band) * rows_per_band)
            for row in range(rows_per_band):
                for text in range(texts):
                    value = values[place + np.uint64(text) * width + np.uint64(row)]
                    key = (block[text] ^ np.uint64(value)) * factor
                    block[text] = key ^ (key >> shift)
            for text in range(texts):
                keys[band, first + text] = block[text] * factor


def _mark_slots_loop(
    keys: NDArray[np.uint64],
    valid: NDArray[np.bool_],
    shift: np.uint64,
    seen: NDArray[np.uint8],
    shared: NDArray[np.uint8],
) -> None:  # pragma: no cover - runs as machine code
    low = np.uint64(7)
    three = np.uint64(3)
    for text in range(keys.shape[0]):
        if not valid[text]:
            continue
        slot = keys[text] >> shift
        mark = np.uint8(1) << np.uint8(slot & low)
        byte = slot >> three
        if seen[byte] & mark:
            shared[byte] |= mark
        else:
            seen[byte] |= mark


def _rows_in_shared_slots_loop(
    keys: NDArray[np.uint64],
    valid: NDArray[np.bool_],
    shift: np.uint64,
    shared: NDArray[np.uint8],
    rows: NDArray[np.int64],
) -> int:  # pragma: no cover - runs as machine code
    low = np.uint64(7)
    three = np.uint64(3)
    count = 0
    for text in range(keys.shape[0]):
        slot = keys[text] >> shift
        if valid[text] and shared[slot >> three] & (np.uint8(1) << np.uint8(slot & low)):
            rows[count] = text
            count += 1
    return count


if IS_COMPILED:
    _fill_keys = compiled(_fill_keys_loop)
    _mark_reaching = compiled(_mark_reaching_loop)
    _mark_slots = compiled(_mark_slots_loop)
    _rows_in_shared_slots = compiled(_rows_in_shared_slots_loop)
