"""The compiled comparison of fingerprints that share a key."""

import numpy as np
from numpy.typing import NDArray

from dedup.kernel.compiling import compiled
from dedup.kernel.lanes import count_ones

_ROOM = 1 << 20

Fingerprints = NDArray[np.uint64]
Places = NDArray[np.int64]


def near_pairs_of_runs(
    ordered: Fingerprints, mask: np.uint64, earlier: Fingerprints, max_distance: int
) -> list[Places]:
    """Compare fingerprints that agree under ``mask`` and lie side by side in ``ordered``.

    Gives arrays ``int64[2, m]`` of places: pairs within the distance that agree under none of the ``earlier`` masks.
    """
    found = []
    room = np.empty((2, max(_ROOM, ordered.shape[0])), np.int64)
    first = 0
    while first < ordered.shape[0]:
        first, count = _compare_from(first, ordered, mask, earlier, max_distance, room)
        found.append(room[:, :count].copy())
    return found


@compiled
def _compare_from(
    first: int, ordered: Fingerprints, mask: np.uint64, earlier: Fingerprints, max_distance: int, room: Places
) -> tuple[int, int]:
    """Compare each fingerprint from ``first`` on with those after it; stop before a row that may not fit."""
    kept = 0
    for one in range(first, ordered.shape[0]):
        begin = kept
        for other in range(one + 1, ordered.shape[0]):
            difference = ordered[one] ^ ordered[other]
            if difference & mask:
                break
            if count_ones(difference) > max_distance or _is_known(difference, earlier):
                continue
            if kept == room.shape[1]:
                return one, begin
            room[0, kept] = one
            room[1, kept] = other
            kept += 1
    return ordered.shape[0], kept


@compiled
def _is_known(difference: np.uint64, earlier: Fingerprints) -> bool:
    for mask in earlier:  # noqa: SIM110 - numba compiles no generators within expressions
        if not difference & mask:
            return True
    return False
