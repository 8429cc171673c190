import numpy as np
import pytest

from dedup.banding import band_keys, choose_bands, collision_probability, first_row, study_bands
from dedup.specs import BandingSpec


@pytest.mark.parametrize(("similarity", "expected"), [(0.0, 0.0), (1.0, 1.0)])
def test_the_ends_of_the_collision_curve_are_certain(similarity, expected):
    assert collision_probability(similarity, bands=30, rows_per_band=4) == expected


def test_the_lesson_is_right_about_the_default_choice():
    at_60 = collision_probability(0.6, bands=18, rows_per_band=7)
    at_70 = collision_probability(0.7, bands=18, rows_per_band=7)

    assert (round(at_60, 2), round(at_70, 2)) == (0.40, 0.79)


@pytest.mark.parametrize(
    ("threshold", "num_perm", "weights", "sentence"),
    [
        (-0.1, 128, (0.5, 0.5), "between 0 and 1"),
        (1.1, 128, (0.5, 0.5), "between 0 and 1"),
        (0.5, 1, (0.5, 0.5), "two permutations"),
        (0.5, 128, (0.5, 0.6), "add up to 1"),
        (0.5, 128, (-0.5, 1.5), "add up to 1"),
        (1.0, 128, (0.5, 0.5), "leaves one band"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused_with_a_sentence(threshold, num_perm, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        choose_bands(threshold, num_perm=num_perm, weights=weights)


@pytest.mark.parametrize("num_perm", [16, 64, 128, 256])
@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.5, 0.7, 0.95])
def test_a_study_surfaces_most_pairs_a_little_above_its_collection_threshold(threshold, num_perm):
    banding = study_bands(threshold, num_perm)
    similarity = min(1.0, threshold + 0.2)

    chance = collision_probability(similarity, bands=banding.bands, rows_per_band=banding.rows_per_band)

    assert banding.bands * banding.rows_per_band <= num_perm
    assert chance >= 0.9


def test_a_band_key_depends_on_every_row_and_on_their_order():
    banding = BandingSpec(bands=2, rows_per_band=3)
    signatures = np.array([[1, 2, 3, 1, 2, 3], [1, 3, 2, 9, 9, 9], [1, 2, 4, 0, 0, 0]], np.uint32)

    keys = band_keys(signatures, banding, 0)

    assert keys.dtype == np.uint64
    assert len(set(keys.tolist())) == 3
    assert band_keys(signatures, banding, 1)[0] == keys[0]


@pytest.mark.parametrize("band", [-1, 2])
def test_a_band_that_does_not_exist_is_refused(band):
    with pytest.raises(ValueError, match="has no band"):
        first_row(128, BandingSpec(bands=2, rows_per_band=4), band)


def test_signatures_that_are_too_short_for_the_bands_are_refused():
    with pytest.raises(ValueError, match="needs more than the 16 rows"):
        band_keys(np.zeros((3, 16), np.uint32), BandingSpec(bands=5, rows_per_band=4), 0)
