"""From the pairs of a sample to the pairs of a corpus."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb, gammaincinv

from dedup.band_kernel import keys_of_bands
from dedup.banding import study_bands
from dedup.candidates import candidate_pairs
from dedup.engines.collecting import COLLISIONS_KEPT_WHOLE
from dedup.engines.floor import floor_level
from dedup.specs import BandingSpec, StudySpec

SMALLEST_SHOWN_HUB = 3
ENOUGH_COLLIDED_PAIRS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPairs:
    """Each of ``texts`` texts with words, with each other one: agreeing permutations per recipe, SimHash nearness.

    ``left`` and ``right`` number the texts of each pair from 0, in the order of ``numpy.triu_indices``.
    ``is_identical`` marks pairs with one clean stream, which are no part of a pool. ``signatures`` are those of the
    texts, ``leads`` marks the texts that differ from all before them.
    """

    texts: int
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    levels: tuple[NDArray[np.int16], ...]
    is_near: NDArray[np.bool_]
    is_identical: NDArray[np.bool_]
    signatures: tuple[NDArray[np.uint32], ...]
    leads: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEstimate:
    """Expected pairs of a pool with a 95 % range, and expected collisions in all bands."""

    expected: float
    low: float
    high: float
    collisions: float


@lru_cache(maxsize=32)
def chances_by_level(banding: BandingSpec, num_perm: int) -> NDArray[np.float64]:
    """Chance that a pair collides, for each number of agreeing permutations from 0 to ``num_perm``.

    Which permutations agree is as good as random. The ways to place ``a`` agreements so that no band is full are the
    coefficient of ``x**a`` in ``((1 + x)**r - x**r)**b * (1 + x)**(num_perm - b * r)``. Averaged over the agreements of
    a pair, this is the collision probability at its similarity.

    >>> chances_by_level(BandingSpec(bands=2, rows_per_band=1), 3).round(3).tolist()
    [0.0, 0.667, 1.0, 1.0]
    """
    not_full = comb(banding.rows_per_band, np.arange(banding.rows_per_band + 1))
    not_full[-1] = 0.0
    ways = comb(rest := num_perm - banding.bands * banding.rows_per_band, np.arange(rest + 1))
    for _ in range(banding.bands):
        ways = np.convolve(ways, not_full)
    chances = 1.0 - ways / comb(num_perm, np.arange(num_perm + 1))
    clipped: NDArray[np.float64] = np.clip(chances, 0.0, 1.0).astype(np.float64)
    return clipped


def estimate_pairs(sampled: SampledPairs, spec: StudySpec, *, texts: int) -> PairEstimate:
    """Scale the sample's pairs up to a corpus with that many texts that have a word.

    Where 200 pairs of the sample collide or more, these are counted: the study will use the same permutations. Where
    fewer do, each pair of the sample counts with the chance that its agreements fill a band, which varies less.
    """
    banding = study_bands(spec.collection_threshold, spec.num_perm)
    scale = _pairs_of(texts) / max(_pairs_of(sampled.texts), 1.0)
    band_chances = _band_chances(banding, spec.num_perm)
    collisions = scale * banding.bands * float(sum(band_chances[levels].sum() for levels in sampled.levels))
    weights = _collided(sampled, banding)
    if weights.sum() < ENOUGH_COLLIDED_PAIRS:
        weights = _chances_of_any(sampled, chances_by_level(banding, spec.num_perm))
    if collisions > COLLISIONS_KEPT_WHOLE:
        floor = floor_level(spec.collection_threshold, spec.num_perm)
        weights = np.where(np.maximum.reduce(sampled.levels) >= floor, weights, 0.0)
    weights = np.where(sampled.is_near, 1.0, weights)
    weights[sampled.is_identical] = 0.0
    low, high = _range(sampled, weights, sampled_share=min(1.0, sampled.texts / max(texts, 1)))
    return PairEstimate(
        expected=scale * float(weights.sum()), low=scale * low, high=scale * high, collisions=collisions
    )


def estimate_hubs(sampled: SampledPairs, spec: StudySpec, *, texts: int) -> int:
    """Count the band keys that more than ``hub_limit`` texts of the corpus will share, from those that the sample shares.

    A key that fewer than three texts of the sample share says too little and isn't counted, unless the sample is the
    corpus.
    """
    banding = study_bands(spec.collection_threshold, spec.num_perm)
    smallest = max(spec.hub_limit * sampled.texts / max(texts, 1), SMALLEST_SHOWN_HUB - 1)
    hubs = 0
    for rows in sampled.signatures:
        for keys in keys_of_bands(rows[sampled.leads], banding, range(banding.bands)):
            _, counts = np.unique(keys, return_counts=True)
            hubs += int(np.count_nonzero(counts > smallest))
    return hubs


def _band_chances(banding: BandingSpec, num_perm: int) -> NDArray[np.float64]:
    agreeing = np.arange(num_perm + 1, dtype=np.float64)
    chances = np.ones(num_perm + 1, np.float64)
    for row in range(banding.rows_per_band):
        chances *= np.maximum(agreeing - row, 0.0) / (num_perm - row)
    return chances


def _collided(sampled: SampledPairs, banding: BandingSpec) -> NDArray[np.float64]:
    """Mark the pairs of the sample that collide under one recipe or more: 1.0 or 0.0, in the order of the pairs."""
    weights = np.zeros(sampled.is_near.size, np.float64)
    if sampled.texts < 2:
        return weights
    everyone = np.ones(sampled.texts, np.bool_)
    for rows in sampled.signatures:
        found = candidate_pairs(rows, banding, hub_limit=sampled.texts, valid=everyone)
        row_starts = found.left * sampled.texts - found.left * (found.left + 1) // 2
        weights[row_starts + found.right - found.left - 1] = 1.0
    return weights


def _chances_of_any(sampled: SampledPairs, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    missed = np.ones(sampled.is_near.size, np.float64)
    for levels in sampled.levels:
        missed *= 1.0 - chances[levels]
    return 1.0 - missed


def _range(
    sampled: SampledPairs, weights: NDArray[np.float64], *, sampled_share: float
) -> tuple[float, float]:
    """Give the 95 % range of a sum over pairs of sampled texts: that of a gamma variable with its mean and variance.

    The variance has three parts: which texts were drawn (Hoeffding's first term: some texts have many pairs), which
    pairs that made, and whether they collide. The first two vanish when the sample is the corpus. The upper end gets
    one further pair (Fay and Feuer 1997), so that it isn't zero where nothing was seen.
    """
    total, texts = float(weights.sum()), max(sampled.texts, 2)
    per_text = np.bincount(sampled.left, weights, texts) + np.bincount(sampled.right, weights, texts)
    drawing = texts * float(per_text.var()) * (1.0 - sampled_share)
    pairing = float((weights**2).sum()) * (1.0 - sampled_share**2)
    variance = drawing + pairing + float((weights * (1.0 - weights)).sum())
    further = 1.0 - sampled_share**2
    low = _gamma_quantile(0.025, total, variance)
    return low, _gamma_quantile(0.975, total + further, variance + further)


def _gamma_quantile(share: float, mean: float, variance: float) -> float:
    if mean <= 0.0 or variance <= 0.0:
        return max(mean, 0.0)
    return variance / mean * float(gammaincinv(mean**2 / variance, share))


def _pairs_of(texts: int) -> float:
    return texts * (texts - 1) / 2.0
