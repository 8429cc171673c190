"""The bands are datasketch's, and the keys stay what they were."""

import numpy as np
import pytest
from datasketch import MinHashLSH

from dedup.banding import band_keys, choose_bands
from dedup.specs import BandingSpec

THRESHOLDS = (0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95)
KEYS = ["b71db9db2fa6963f", "a4eedc11caeec631", "83a6b63ccae6d954"]


def chosen_by_datasketch(threshold, num_perm, weights):
    try:
        index = MinHashLSH(threshold=threshold, num_perm=num_perm, weights=weights)
    except ValueError:
        return None
    return index.b, index.r


def chosen_by_us(threshold, num_perm, weights):
    try:
        banding = choose_bands(threshold, num_perm=num_perm, weights=weights)
    except ValueError:
        return None
    return banding.bands, banding.rows_per_band


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.2, 0.8), (0.8, 0.2), (0.1, 0.9)])
@pytest.mark.parametrize("num_perm", [16, 64, 100, 128, 200])
def test_the_choice_of_bands_is_that_of_datasketch(num_perm, weights):
    theirs = [chosen_by_datasketch(threshold, num_perm, weights) for threshold in THRESHOLDS]

    ours = [chosen_by_us(threshold, num_perm, weights) for threshold in THRESHOLDS]

    assert ours == theirs


@pytest.mark.parametrize(
    ("threshold", "weights", "expected"), [(0.5, (0.2, 0.8), (30, 4)), (0.6, (0.5, 0.5), (18, 7))]
)
def test_the_lessons_bands_are_chosen(threshold, weights, expected):
    assert chosen_by_us(threshold, 128, weights) == expected


def test_band_keys_never_change():
    signatures = np.array([[0, 0, 0, 0], [1, 2, 3, 4], [0xFFFFFFFF] * 4], np.uint32)

    keys = band_keys(signatures, BandingSpec(bands=1, rows_per_band=4), 0)

    assert [f"{key:016x}" for key in keys.tolist()] == KEYS
