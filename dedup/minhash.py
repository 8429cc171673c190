"""Signatures: agreement of rows, and the way to datasketch and back."""

from collections.abc import Callable

import numpy as np
from datasketch import LeanMinHash
from datasketch.hashfunc import sha1_hash32
from numpy.typing import NDArray

from dedup.specs import MinHashSpec, RecipeMismatchError
from dedup.token_hash import shingle_hash32

_BATCH_PAIRS = 65_536


def agreements(
    signatures: NDArray[np.uint32], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.int16]:
    """Count the positions at which two rows of ``uint32[n, num_perm]`` agree, pair by pair: ``int16[m]``.

    Divided by ``num_perm`` it estimates the Jaccard similarity ``s`` with standard deviation
    ``sqrt(s * (1 - s) / num_perm)``. (Broder 1997.) Raises ``ValueError`` if ``left`` and ``right`` differ in length.
    """
    if left.shape != right.shape:
        raise ValueError(f"{left.shape[0]} left texts against {right.shape[0]} right texts")
    counts = np.empty(left.shape[0], np.int16)
    for start in range(0, left.shape[0], _BATCH_PAIRS):
        part = slice(start, start + _BATCH_PAIRS)
        counts[part] = np.count_nonzero(signatures[left[part]] == signatures[right[part]], axis=1)
    return counts


def hashfunc(spec: MinHashSpec) -> Callable[[bytes], int]:
    """Give the hash of a recipe as ``datasketch.MinHash(hashfunc=...)`` takes it."""
    return sha1_hash32 if spec.hash == "sha1" else shingle_hash32


def as_datasketch(row: NDArray[np.uint32], spec: MinHashSpec) -> LeanMinHash:
    """Wrap one row as the datasketch object that it is, for ``MinHashLSH`` and the like.

    Raises ``ValueError`` if the row hasn't the recipe's length.
    """
    if row.shape != (spec.num_perm,):
        raise ValueError(f"a row of {spec.num_perm} values is needed, not one of shape {row.shape}")
    values = row.astype(np.uint64) if spec.scheme == "legacy" else row
    return LeanMinHash(seed=spec.seed, hashvalues=values, scheme=spec.scheme)


def check_same_recipe(left: str, right: str) -> None:
    """Refuse to compare what two different recipes made; raises ``RecipeMismatchError`` that names both."""
    if left != right:
        raise RecipeMismatchError(f"made by different recipes, so not comparable: {left} and {right}")
