import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.clustering import by_smallest_ordinal, carry_numbers, compare
from tests.reference import outcomes as reference

TEXTS = 10
labels = st.lists(st.integers(0, 4), min_size=TEXTS, max_size=TEXTS).map(
    lambda drawn: by_smallest_ordinal(np.array(drawn, dtype=np.int64))
)
numbers = st.lists(st.integers(-1, 6), min_size=TEXTS, max_size=TEXTS).map(
    lambda drawn: np.array(drawn, dtype=np.int64)
)


@settings(max_examples=150, deadline=None)
@given(numbers, labels, st.integers(-1, 9))
def test_numbers_live_on_where_most_texts_are_and_none_is_given_twice(previous, after, used):
    carried = carry_numbers(previous, after, used=used)

    assert carried.numbers.tolist() == reference.carried_numbers(previous.tolist(), after.tolist(), used)
    assert all(number in previous or number > used for number in carried.numbers.tolist())
    assert len(set(carried.numbers.tolist())) == len(carried.numbers)


@settings(max_examples=100, deadline=None)
@given(numbers, labels)
def test_every_old_number_lives_on_or_points_to_one_that_does(previous, after):
    carried = carry_numbers(previous, after)

    now = set(carried.numbers.tolist())
    old = set(previous[previous >= 0].tolist())
    assert set(carried.successors) == old - now
    assert set(carried.successors.values()) <= now


@settings(max_examples=50, deadline=None)
@given(labels)
def test_clusters_that_stay_keep_their_numbers(after):
    carried = carry_numbers(after, after)

    assert carried.numbers.tolist() == list(range(int(after.max()) + 1))
    assert carried.successors == {}


@settings(max_examples=150, deadline=None)
@given(labels, labels)
def test_what_became_of_clusters_is_told_from_their_members(before, after):
    found = compare(before, after)

    old, new = reference.clusters_of(before.tolist()), reference.clusters_of(after.tolist())
    big = [cluster for cluster in old if len(cluster) > 1]
    inside = [[cluster for cluster in big if cluster & members] for members in new]
    assert found.split.tolist() == [
        label
        for label, members in enumerate(old)
        if len(members) > 1 and not any(members <= at for at in new)
    ]
    assert found.merged.tolist() == [label for label, clusters in enumerate(inside) if len(clusters) > 1]
    assert found.grown.tolist() == [
        label for label, clusters in enumerate(inside) if len(clusters) == 1 and new[label] - clusters[0]
    ]
    assert found.fresh.tolist() == [
        label for label, clusters in enumerate(inside) if not clusters and len(new[label]) > 1
    ]
    assert found.unchanged == sum(cluster in new for cluster in big)
