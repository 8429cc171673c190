import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from dedup.evaluation import agreement
from tests.reference import statistics as reference

VERDICTS = st.lists(
    st.tuples(st.sampled_from([1, 0, -1]), st.sampled_from([1, 0, -1])), min_size=1, max_size=40
)


@given(VERDICTS)
@settings(max_examples=80, deadline=None)
def test_kappa_is_that_of_the_formula_and_of_scikit_learn(pairs):
    first, second = zip(*pairs, strict=True)

    found = agreement(first, second).kappa.estimate

    expected = reference.kappa(first, second)
    assert found is None if expected is None else found == pytest.approx(expected)
    if expected is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert found == pytest.approx(cohen_kappa_score(first, second))


@given(VERDICTS)
@settings(max_examples=40)
def test_the_table_counts_every_pair_and_intervals_hold_their_estimates(pairs):
    first, second = zip(*pairs, strict=True)

    found = agreement(first, second)

    assert sum(map(sum, found.table)) == found.pairs == len(pairs)
    for interval in (found.raw, found.kappa):
        if interval.estimate is not None:
            assert -1 <= interval.low <= interval.estimate <= interval.high <= 1


def test_nobody_in_common_is_no_data():
    found = agreement([], [])

    assert (found.pairs, found.raw.estimate, found.kappa.estimate, found.one_sided) == (0, None, None, False)


def test_kappa_is_no_data_where_both_always_say_the_same():
    found = agreement([1, 1, 1], [1, 1, 1])

    assert (found.raw.estimate, found.kappa.estimate, found.one_sided) == (1.0, None, True)


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [([1], [1, 0], "1 verdicts against 2"), ([2], [1], r"these hold \[2\]")],
)
def test_verdicts_that_do_not_match_up_are_refused(first, second, sentence):
    with pytest.raises(ValueError, match=sentence):
        agreement(first, second)
