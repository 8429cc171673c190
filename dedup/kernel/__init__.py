"""Streams, exact keys, signatures, fingerprints and exact overlaps of whole columns of texts.

``KERNEL_NAME`` tells which engine does it: ``numba`` or, where that is missing, ``fallback``. Both give the same
bits. No function keeps state or starts a thread; all may be called from several threads.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dedup.kernel import fallback
from dedup.kernel.columns import CleanColumn, TextColumn
from dedup.specs import MinHashSpec, NormaliserName, SimHashSpec

try:
    from dedup.kernel import cleaning, sketching
except ImportError:  # pragma: no cover - without numba; the fallback is tested by name
    KERNEL_NAME = "fallback"
else:
    KERNEL_NAME = "numba"

__all__ = [
    "KERNEL_NAME",
    "CleanColumn",
    "TextColumn",
    "clean",
    "exact_overlaps",
    "fingerprints",
    "signatures",
]


def clean(texts: TextColumn, normaliser: NormaliserName = "unicode") -> CleanColumn:
    """Make the clean stream, the number of words and the exact key of every text.

    Equals ``dedup.text.normalise`` and ``exact_key``, text by text.
    """
    if KERNEL_NAME == "fallback":  # pragma: no cover - without numba
        return fallback.clean(texts, normaliser)
    return cleaning.clean(texts, normaliser)


def signatures(streams: TextColumn, specs: Sequence[MinHashSpec]) -> list[NDArray[np.uint32]]:
    """Sign every clean stream with every recipe, in one pass: one ``uint32[n, num_perm]`` per recipe.

    A row equals the hash values of a ``datasketch.MinHash`` with the recipe's scheme, seed and hash, updated with the
    stream's shingles. Streams without a word get 0xFFFFFFFF throughout, as an empty MinHash has.
    """
    if KERNEL_NAME == "fallback":  # pragma: no cover - without numba
        return fallback.signatures(streams, specs)
    compiled = [spec for spec in specs if spec.scheme == "affine32"]
    rows = iter(sketching.signatures(streams, compiled))
    return [
        next(rows) if spec.scheme == "affine32" else fallback.signatures(streams, [spec])[0] for spec in specs
    ]


def fingerprints(streams: TextColumn, spec: SimHashSpec) -> NDArray[np.uint64]:
    """Give the 64-bit SimHash of every clean stream: ``uint64[n]``, 0 where a stream has no word.

    Every distinct shingle (``plain``), or every occurrence of one (``tf``), votes with its BLAKE2b of 8 bytes, read
    big-endian; a bit is set where more than half of the votes have it set (Charikar 2002).
    """
    if KERNEL_NAME == "fallback":  # pragma: no cover - without numba
        return fallback.fingerprints(streams, spec)
    return sketching.fingerprints(streams, spec)


def exact_overlaps(
    streams: TextColumn, left: NDArray[np.int64], right: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Count the distinct shingles that the two texts of each pair share, and have together: two ``int32[m]``.

    ``left`` and ``right`` are places in the column. Pairs in order of ``left`` are faster: its shingles are kept.
    Raises ``ValueError`` if the arrays differ in length.
    """
    if left.shape != right.shape:
        raise ValueError(f"{left.shape[0]} left texts against {right.shape[0]} right texts")
    if KERNEL_NAME == "fallback":  # pragma: no cover - without numba
        return fallback.exact_overlaps(streams, left, right, k)
    return sketching.exact_overlaps(streams, left, right, k)
