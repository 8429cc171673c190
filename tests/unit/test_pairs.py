from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.pairs import EXACT_SCALE, Pool, exact_levels, exact_similarities, histogram, threshold_level

set_sizes = st.integers(1, 2_000_000).flatmap(lambda union: st.tuples(st.integers(0, union), st.just(union)))


@settings(max_examples=300, deadline=None)
@given(set_sizes, st.integers(0, 1000))
def test_a_threshold_in_thousandths_is_decided_without_rounding(sizes, thousandths):
    intersection, union = sizes
    level = exact_levels(np.array([intersection], np.int32), np.array([union], np.int32))[0]

    accepted = level >= threshold_level(thousandths / 1000, EXACT_SCALE)

    assert accepted == (Fraction(intersection, union) >= Fraction(thousandths, 1000))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([64, 128, 256, 1000]))
def test_the_threshold_level_is_the_smallest_that_reaches_the_threshold(thousandths, scale):
    level = threshold_level(thousandths / 1000, scale)

    assert Fraction(level, scale) >= Fraction(thousandths, 1000)
    assert level == 0 or Fraction(level - 1, scale) < Fraction(thousandths, 1000)


def test_two_texts_without_shingles_share_nothing():
    nothing = np.zeros(1, np.int32)

    assert exact_levels(nothing, nothing).tolist() == [0]
    assert exact_similarities(nothing, nothing).tolist() == [0.0]


def test_a_histogram_counts_every_level_of_the_scale():
    counts = histogram(np.array([0, 3, 3, 4], np.int16), 4)

    assert counts.tolist() == [1, 0, 0, 2, 1]
    assert counts.dtype == np.int64


def test_a_histogram_of_no_pairs_is_all_zeros():
    assert histogram(np.empty(0, np.int16), 3).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("level", [-1, 5])
def test_a_level_outside_the_scale_is_refused(level):
    with pytest.raises(ValueError, match="between 0 and 4"):
        histogram(np.array([level], np.int16), 4)


def test_a_pool_is_as_long_as_its_pairs():
    assert len(Pool(left=np.array([1, 2]), right=np.array([3, 4]), levels={})) == 2
