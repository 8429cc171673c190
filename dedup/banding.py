"""How signatures are cut into bands, and what the cut finds."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dedup.specs import BandingSpec

STUDY_WEIGHTS = (0.2, 0.8)

_KEY_START = np.uint64(0x9E3779B97F4A7C15)
_KEY_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_KEY_SHIFT = np.uint64(32)


def collision_probability(similarity: float, *, bands: int, rows_per_band: int) -> float:
    """Chance that two signatures agree on every row of at least one band.

    ``1 - (1 - s**r)**b`` for a Jaccard similarity ``s`` in [0, 1] (Leskovec, Rajaraman and Ullman, *Mining of
    Massive Datasets*, 3.4.2).

    >>> round(collision_probability(0.6, bands=18, rows_per_band=7), 2)
    0.4
    >>> round(collision_probability(0.6, bands=30, rows_per_band=4), 3)
    0.984
    """
    return 1.0 - (1.0 - similarity**rows_per_band) ** bands


def choose_bands(
    threshold: float, *, num_perm: int = 128, weights: tuple[float, float] = (0.5, 0.5)
) -> BandingSpec:
    """Choose the bands that ``datasketch.MinHashLSH`` chooses for the same threshold, permutations and weights.

    ``weights`` are those of false positives (area under the collision curve left of the threshold) and of false
    negatives (area above the curve right of it); the choice has the smallest weighted sum, the fewest bands
    among equals. The areas are exact: the curve is a polynomial of degree ``bands * rows_per_band``, which a
    Gauss-Legendre rule with ``num_perm / 2 + 1`` nodes integrates without error.

    Raises ``ValueError`` for a threshold or weights outside [0, 1], weights that don't add up to 1, and where
    the best choice is a single band (then banding can't miss less than by chance: lower the threshold).

    >>> choose_bands(0.5, weights=(0.2, 0.8)).recipe
    'bands:30|rows:4'
    >>> choose_bands(0.6).recipe
    'bands:18|rows:7'
    """
    banding = _best_banding(threshold, num_perm, weights, fewest_bands=1)
    if banding.bands < 2:
        raise ValueError(
            f"a threshold of {threshold} with weights {weights} leaves one band; lower the threshold"
        )
    return banding


def study_bands(collection_threshold: float, num_perm: int) -> BandingSpec:
    """Choose the bands of a study, in which a missed duplicate weighs four times a needless comparison.

    The weights are the lesson's, (0.2, 0.8): verification is cheap, a pair that never collides is lost. Two bands are
    the fewest.

    >>> study_bands(0.5, 128).recipe
    'bands:30|rows:4'
    """
    return _best_banding(collection_threshold, num_perm, STUDY_WEIGHTS, fewest_bands=2)


def band_keys(signatures: NDArray[np.uint32], banding: BandingSpec, band: int) -> NDArray[np.uint64]:
    """Hash all rows of one band, in order, to one 64-bit key for each of the ``uint32[n, num_perm]`` signatures.

    Returns ``uint64[n]``. Equal rows give equal keys; different rows share a key with a chance of about
    ``2**-64``. Raises ``ValueError`` if the signatures are too short for the banding or the band isn't one of it.
    """
    first = first_row(signatures.shape[1], banding, band)
    keys = np.full(signatures.shape[0], _KEY_START, np.uint64)
    for row in range(first, first + banding.rows_per_band):
        keys ^= signatures[:, row]
        keys *= _KEY_FACTOR
        keys ^= keys >> _KEY_SHIFT
    keys *= _KEY_FACTOR
    return keys


def first_row(num_perm: int, banding: BandingSpec, band: int) -> int:
    """Find the first row of a band. Raises ``ValueError`` where the signatures have no such band."""
    if banding.bands * banding.rows_per_band > num_perm:
        raise ValueError(f"{banding.recipe} needs more than the {num_perm} rows of these signatures")
    if not 0 <= band < banding.bands:
        raise ValueError(f"{banding.recipe} has no band {band}")
    return band * banding.rows_per_band


@lru_cache(maxsize=256)
def _best_banding(
    threshold: float, num_perm: int, weights: tuple[float, float], *, fewest_bands: int
) -> BandingSpec:
    _check_choice(threshold, num_perm, weights)
    below, above = _nodes(0.0, threshold, num_perm), _nodes(threshold, 1.0, num_perm)
    best = (float("inf"), 0, 0)
    for bands in range(fewest_bands, num_perm + 1):
        rows = np.arange(1, num_perm // bands + 1)
        false_positives = _area(below, bands, rows)
        false_negatives = (1.0 - threshold) - _area(above, bands, rows)
        errors = weights[0] * false_positives + weights[1] * false_negatives
        smallest = int(np.argmin(errors))
        best = min(best, (float(errors[smallest]), bands, smallest + 1))
    return BandingSpec(bands=best[1], rows_per_band=best[2])


def _check_choice(threshold: float, num_perm: int, weights: tuple[float, float]) -> None:
    if not 0.0 <= threshold <= 1.0:
        raise ValueError(f"a threshold lies between 0 and 1, not at {threshold}")
    if num_perm < 2:
        raise ValueError(f"bands need two permutations or more, not {num_perm}")
    if min(weights) < 0.0 or abs(sum(weights) - 1.0) > 1e-9:
        raise ValueError(f"the two weights are shares that add up to 1, not {weights}")


@lru_cache(maxsize=8)
def _legendre(nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    positions, shares = np.polynomial.legendre.leggauss(nodes)
    return positions, shares


def _nodes(low: float, high: float, num_perm: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    positions, shares = _legendre(num_perm // 2 + 1)
    half = (high - low) / 2.0
    return low + half * (positions + 1.0), half * shares


def _area(
    nodes: tuple[NDArray[np.float64], NDArray[np.float64]], bands: int, rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    similarities, shares = nodes
    missed = (1.0 - similarities[None, :] ** rows[:, None]) ** bands
    area: NDArray[np.float64] = (1.0 - missed) @ shares
    return area
