"""Pairs are found as often as the collision probability says, at every level of similarity."""

import numpy as np
import pytest

from dedup import kernel
from dedup.banding import collision_probability
from dedup.candidates import candidate_pairs
from dedup.engines.floor import floor_level
from dedup.kernel import TextColumn
from dedup.specs import BandingSpec, MinHashSpec

PAIRS = 600
STANDARD_ERRORS = 4.0


def text_pairs(rng, *, similarity, words=120):
    """Pairs of texts whose sets of words have this Jaccard similarity, all words new in every pair."""
    shared = round(words * similarity)
    texts = []
    for pair in range(PAIRS):
        names = [f"p{pair}w{number}" for number in range(words)]
        left, right = (
            names[: shared + (words - shared) // 2],
            names[:shared] + names[shared + (words - shared) // 2 :],
        )
        texts += [" ".join(rng.permutation(left)), " ".join(rng.permutation(right))]
    return texts, shared / words


def share_found(signatures, banding):
    valid = np.ones(2 * PAIRS, np.bool_)
    found = candidate_pairs(signatures, banding, hub_limit=200, valid=valid)
    is_planted = (found.left % 2 == 0) & (found.right == found.left + 1)
    return np.count_nonzero(is_planted) / PAIRS


@pytest.mark.parametrize("similarity", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85])
def test_the_share_of_pairs_found_equals_the_collision_probability(similarity):
    texts, exact = text_pairs(np.random.default_rng(20), similarity=similarity)
    streams = kernel.clean(TextColumn.from_strings(texts), "unicode").streams
    (signatures,) = kernel.signatures(streams, [MinHashSpec(k=1)])

    for bands, rows_per_band in ((42, 3), (30, 4), (18, 7)):
        banding = BandingSpec(bands=bands, rows_per_band=rows_per_band)
        expected = collision_probability(exact, bands=bands, rows_per_band=rows_per_band)
        error = np.sqrt(max(expected * (1 - expected), 1 / PAIRS) / PAIRS)

        assert abs(share_found(signatures, banding) - expected) <= STANDARD_ERRORS * error


@pytest.mark.parametrize("threshold", [0.2, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("num_perm", [64, 128, 256])
def test_the_floor_costs_a_pair_at_the_threshold_once_in_100000_times(threshold, num_perm):
    level = floor_level(threshold, num_perm)
    agreeing = np.random.default_rng(4).binomial(num_perm, threshold, 1_000_000)

    lost = int(np.count_nonzero(agreeing < level))
    lost_one_higher = int(np.count_nonzero(agreeing < level + 1))

    assert lost <= 10 + STANDARD_ERRORS * np.sqrt(10)
    assert lost_one_higher >= 10 - STANDARD_ERRORS * np.sqrt(10)
