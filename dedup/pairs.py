"""The pool: every pair of texts that a study looks at, with its score under every recipe."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dedup.specs import ScoreName

EXACT_SCALE = 1000
HAMMING_SCALE = 64


class ScoreKey(NamedTuple):
    """Names one column of scores: the digest of the recipe and which of its scores."""

    digest: str
    score: ScoreName


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """All candidate pairs of a study.

    ``left`` and ``right`` are ordinals, ``int64[m]``, left below right, sorted by (left, right), each pair once.
    ``levels`` holds ``int16[m]`` for each score: thousandths for ``exact``, agreeing permutations for ``estimate``.
    ``jaccard`` holds the exact Jaccard similarity, ``float64[m]`` in [0, 1], for each recipe's digest.
    ``hamming`` is ``uint8[m]``, 0 to 64, or None in a study without SimHash.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    levels: Mapping[ScoreKey, NDArray[np.int16]]
    jaccard: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    hamming: NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return int(self.left.shape[0])


def exact_levels(intersections: NDArray[np.int32], unions: NDArray[np.int32]) -> NDArray[np.int16]:
    """Turn set sizes into whole thousandths of Jaccard similarity, rounded down: ``int16[m]``, 0 to 1000.

    Integers, so that ``level >= 1000 * t`` decides a threshold ``t`` in thousandths without rounding error.
    Two empty sets (0/0) give 0: there is nothing that they share.

    >>> exact_levels(np.array([2, 0], np.int32), np.array([3, 0], np.int32)).tolist()
    [666, 0]
    """
    shared = EXACT_SCALE * intersections.astype(np.int64)
    return (shared // np.maximum(unions.astype(np.int64), 1)).astype(np.int16)


def exact_similarities(intersections: NDArray[np.int32], unions: NDArray[np.int32]) -> NDArray[np.float64]:
    """Divide set sizes into exact Jaccard similarities, ``float64[m]`` in [0, 1]; 0/0 gives 0."""
    return intersections / np.maximum(unions, 1).astype(np.float64)


def threshold_level(threshold: float, scale: int) -> int:
    """Find the smallest level whose ``level / scale`` reaches the threshold.

    >>> threshold_level(0.6, 1000), threshold_level(0.6, 128)
    (600, 77)
    """
    return math.ceil(threshold * scale - 1e-9)


def histogram(levels: NDArray[Any], scale: int) -> NDArray[np.int64]:
    """Count the pairs at each level from 0 to ``scale``: ``int64[scale + 1]``.

    Raises ``ValueError`` for a level outside that range.
    """
    if levels.size and not 0 <= int(levels.min()) <= int(levels.max()) <= scale:
        raise ValueError(
            f"levels lie between 0 and {scale}; these reach from {levels.min()} to {levels.max()}"
        )
    return np.bincount(levels, minlength=scale + 1).astype(np.int64)
