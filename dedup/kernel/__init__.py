"""Streams, exact keys, signatures, fingerprints and exact overlaps of whole columns of texts.

``KERNEL_NAME`` tells which engine does it: ``numba`` or, where that is missing, ``fallback``. Both give the same
bits. No function keeps state or starts a thread; all may be called from several threads.
"""

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from dedup.kernel import fallback
from dedup.kernel.columns import CleanColumn, TextColumn
from dedup.specs import MinHashSpec, NormaliserName, SimHashSpec

try:
    from dedup.kernel import cleaning, overlaps, sketching
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
    "exact_overlaps_of_all",
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


def signatures(
    streams: TextColumn,
    specs: Sequence[MinHashSpec],
    *,
    into: Sequence[NDArray[np.uint32]] | None = None,
) -> list[NDArray[np.uint32]]:
    """Sign every clean stream with every recipe, in one pass: one ``uint32[n, num_perm]`` per recipe.

    A row equals the hash values of a ``datasketch.MinHash`` with the recipe's scheme, seed and hash, updated with the
    stream's shingles. Streams without a word get 0xFFFFFFFF throughout, as an empty MinHash has.

    ``into`` are arrays to write the rows to, one per recipe, in place of new ones: rows of a larger array, say. Raises
    ``ValueError`` if one has another shape or type, or isn't contiguous.
    """
    shapes = [(len(streams), spec.num_perm) for spec in specs]
    rows = [np.empty(shape, np.uint32) for shape in shapes] if into is None else list(into)
    for shape, one in zip(shapes, rows, strict=True):
        if one.shape != shape or one.dtype != np.uint32 or not one.flags.carray:
            raise ValueError(f"rows are contiguous uint32{list(shape)}, not {one.dtype}{list(one.shape)}")
    is_compiled = [KERNEL_NAME == "numba" and spec.scheme == "affine32" for spec in specs]
    if any(is_compiled):
        sketching.signatures(streams, list(compress(specs, is_compiled)), list(compress(rows, is_compiled)))
    for spec, one, is_done in zip(specs, rows, is_compiled, strict=True):
        if not is_done:
            one[:] = fallback.signatures(streams, [spec])[0]
    return rows


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
    return exact_overlaps_of_all(streams, left, right, [k])[0]


def exact_overlaps_of_all(
    streams: TextColumn, left: NDArray[np.int64], right: NDArray[np.int64], ks: Sequence[int]
) -> list[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Give what ``exact_overlaps`` gives for each k; several k in one pass cost little more than one."""
    if left.shape != right.shape:
        raise ValueError(f"{left.shape[0]} left texts against {right.shape[0]} right texts")
    if KERNEL_NAME == "fallback":  # pragma: no cover - without numba
        return [fallback.exact_overlaps(streams, left, right, k) for k in ks]
    return overlaps.exact_overlaps(streams, left, right, ks)
