"""Where collisions are too many to keep: pairs whose estimates lie clearly under the collection threshold go."""

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from dedup.band_kernel import reaching
from dedup.candidates import PairCodes, decode_pairs

CHANCE_OF_LOSS = 1e-5


def floor_level(collection_threshold: float, num_perm: int) -> int:
    """Find the number of agreeing permutations that a pair at the collection threshold misses once in 100,000 times.

    The largest ``level`` with ``P(X < level) <= 1e-5`` for ``X`` binomial with ``num_perm`` trials at that similarity.

    >>> floor_level(0.3, 128)
    18
    """
    below = bdtr(np.arange(num_perm), num_perm, collection_threshold)
    return int(np.searchsorted(below, CHANCE_OF_LOSS, side="right"))


class Floor:
    """Keeps a pair if its estimate reaches the floor under one recipe or more, and counts what it doesn't keep."""

    def __init__(self, signatures: Sequence[NDArray[np.uint32]], collection_threshold: float) -> None:
        self.level = floor_level(collection_threshold, signatures[0].shape[1])
        self.left_out = 0
        self._signatures = signatures
        self._lock = Lock()

    def keep(self, codes: PairCodes) -> PairCodes:
        """Choose the pairs that stay. Called from several threads."""
        left, right = decode_pairs(codes)
        stays = np.zeros(codes.size, np.bool_)
        for signatures in self._signatures:
            open_ones = np.flatnonzero(~stays)
            stays[open_ones] = reaching(signatures, left[open_ones], right[open_ones], self.level)
        with self._lock:
            self.left_out += int(codes.size - np.count_nonzero(stays))
        return codes[stays]
