from itertools import combinations, pairwise

import numpy as np
import pytest

from dedup.clustering import (
    Contradiction,
    cluster,
    compare,
    components,
    implied_pairs,
    lowest_similarities,
    members_by_cluster,
    replay_levels,
    weakest_link,
)
from dedup.shingling import jaccard, shingles
from dedup.text import words
from tests.reference import cases


def columns(*links):
    found = np.array(links, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def shingle_sets(case, k):
    return [shingles(words(text), k) for text in cases.texts(case).values()]


def linked(sets, threshold):
    found = [
        (one, other)
        for one, other in combinations(range(len(sets)), 2)
        if jaccard(sets[one], sets[other]) >= threshold
    ]
    return columns(*found)


def similarity_of(sets):
    return lambda left, right: np.array(
        [jaccard(sets[one], sets[other]) for one, other in zip(left, right, strict=True)]
    )


def test_without_links_every_text_is_its_own_cluster():
    labels = components(3, *columns())

    assert labels.tolist() == [0, 1, 2]


def test_a_link_to_a_text_that_isnt_there_is_refused():
    with pytest.raises(ValueError, match="outside 0 to 2"):
        components(3, *columns((0, 3)))


def test_ends_of_links_must_come_in_pairs():
    with pytest.raises(ValueError, match="1 left ends"):
        components(3, np.array([0]), np.array([1, 2]))


def test_members_come_by_cluster_in_ascending_order():
    members, starts = members_by_cluster(np.array([0, 1, 0, 2, 1]))

    assert [members[a:b].tolist() for a, b in pairwise(starts)] == [[0, 2], [1, 4], [3]]


def test_an_empty_corpus_has_no_cluster():
    members, starts = members_by_cluster(components(0, *columns()))

    assert (members.tolist(), starts.tolist()) == ([], [0])


def test_a_distinct_verdict_separates_two_texts_that_a_third_would_join():
    found = cluster(3, *columns((0, 1), (1, 2)), scores=np.array([0.7, 0.9]), cannot=[(2, 0)])

    assert found.labels.tolist() == [0, 1, 1]
    assert found.accepted.tolist() == [False, True]
    assert found.contradictions == ()


def test_without_scores_links_are_added_by_their_ordinals():
    found = cluster(3, *columns((1, 2), (1, 0)), cannot=[(0, 2)])

    assert found.labels.tolist() == [0, 0, 1]


def test_a_duplicate_verdict_joins_two_texts_without_a_link():
    found = cluster(3, *columns(), must=[(2, 0)])

    assert found.labels.tolist() == [0, 1, 0]


def test_verdicts_against_each_other_are_listed_with_the_chain_between_them():
    found = cluster(4, *columns((0, 2)), must=[(0, 3), (2, 3)], cannot=[(0, 2)])

    assert found.labels.tolist() == [0, 1, 0, 0]
    assert found.accepted.tolist() == [False]
    assert found.contradictions == (Contradiction(0, 2, (0, 3, 2), "distinct"),)


def test_verdicts_in_a_circle_join_once():
    found = cluster(4, *columns((2, 3)), must=[(0, 1), (1, 2), (2, 0)], cannot=[(2, 3)])

    assert found.labels.tolist() == [0, 0, 0, 1]


def test_a_distinct_verdict_far_from_the_chain_of_duplicates_is_no_contradiction():
    found = cluster(5, *columns((0, 3)), must=[(0, 1), (3, 4)], cannot=[(1, 4), (0, 2)])

    assert found.labels.tolist() == [0, 0, 1, 2, 2]
    assert found.contradictions == ()


def test_a_text_without_a_price_doesnt_join_two_prices():
    prices = np.array([1050, -1, 1290])

    found = cluster(3, *columns((0, 1), (1, 2)), scores=np.array([0.9, 0.8]), groups=prices)

    assert found.labels.tolist() == [0, 0, 1]


def test_a_rule_of_ones_own_decides_which_product_facts_clash():
    pence = np.array([1050, 1051, 1290])

    found = cluster(
        3, *columns((0, 1), (1, 2)), groups=pence, blocked=lambda one, other: abs(one - other) > 100
    )

    assert found.labels.tolist() == [0, 0, 1]


def test_a_rule_without_groups_looks_at_the_texts_themselves():
    found = cluster(3, *columns((0, 1), (1, 2)), blocked=lambda one, other: {one, other} == {0, 2})

    assert found.labels.tolist() == [0, 0, 1]


def test_a_duplicate_verdict_against_the_product_rule_joins_and_is_listed():
    found = cluster(3, *columns(), must=[(0, 1), (1, 2)], groups=np.array([5, -1, 6]))

    assert found.labels.tolist() == [0, 0, 0]
    assert found.contradictions == (Contradiction(0, 2, (0, 1, 2), "product rule"),)


def test_clusterings_of_different_corpora_are_not_compared():
    with pytest.raises(ValueError, match="2 texts before against 3 after"):
        compare(np.array([0, 1]), np.array([0, 1, 2]))


def test_a_candidate_below_the_threshold_isnt_a_duplicate():
    sets = shingle_sets("nd32", 1)

    found = cluster(2, *linked(sets, 0.6))

    assert jaccard(*sets) == pytest.approx(0.5, abs=0.15)
    assert found.labels.tolist() == [0, 1]


def test_a_distinct_verdict_holds_between_texts_from_one_template():
    sets = shingle_sets("nd36", 1)
    left, right = linked(sets, 0.6)

    found = cluster(len(sets), left, right, cannot=[(0, 1)])

    assert (0, 1) in set(zip(left.tolist(), right.tolist(), strict=True))
    assert found.labels[0] != found.labels[1]


def test_a_chain_shows_the_lowest_similarity_of_any_two_texts_not_of_its_links():
    sets = shingle_sets("nd40", 1)
    labels = cluster(3, *linked(sets, 0.8)).labels

    found = lowest_similarities(labels, similarity_of(sets), rng=np.random.default_rng(1))

    assert labels.tolist() == [0, 0, 0]
    assert found.lowest[0] == pytest.approx(2 / 3, abs=0.01)
    assert (found.left[0], found.right[0]) == (0, 2)


def test_each_cluster_of_the_corpus_has_all_its_members_once():
    sets = shingle_sets("nd55", 3)

    members, starts = members_by_cluster(cluster(len(sets), *linked(sets, 0.6)).labels)

    assert sorted(members.tolist()) == list(range(len(sets)))
    assert starts[-1] == len(sets)


def test_ten_identical_documents_are_one_cluster_of_ten_before_any_link():
    replay = replay_levels(1, *columns(), np.array([], dtype=np.int16), 1000, documents=np.array([10]))

    assert set(
        zip(replay.clusters.tolist(), replay.removed.tolist(), replay.largest.tolist(), strict=True)
    ) == {(1, 9, 10)}


def test_a_level_outside_the_scale_is_refused():
    with pytest.raises(ValueError, match="between 0 and 128"):
        replay_levels(2, *columns((0, 1)), np.array([129]), 128)


def test_a_large_cluster_is_compared_in_part_and_says_so():
    labels = np.zeros(60, dtype=np.int64)

    found = lowest_similarities(
        labels,
        lambda left, right: np.where(left == 0, 0.2, 0.9),
        rng=np.random.default_rng(1),
        most_texts=20,
    )

    assert (found.looked_at[0], found.pairs[0]) == (190, 1770)
    assert found.lowest[0] == 0.2


def test_implied_pairs_of_huge_clusters_are_thinned_at_random_first():
    labels = np.zeros(100, dtype=np.int64)

    found = implied_pairs(
        labels,
        *columns((0, 1)),
        sample=10,
        u=lambda left, right: (left * 100 + right) / 10_000,
        rng=np.random.default_rng(1),
        most_pairs=500,
    )

    assert found.population == 4949
    assert found.looked_at in {499, 500}
    assert len(set(zip(found.left.tolist(), found.right.tolist(), strict=True))) == 10


def test_the_weakest_link_names_both_sides():
    found = weakest_link(*columns((4, 5), (5, 9), (9, 11), (4, 9)), np.array([0.9, 0.8, 0.7, 0.6]))

    assert (found.index, found.score, found.is_bridge) == (2, 0.7, True)
    assert (found.left_side.tolist(), found.right_side.tolist()) == ([4, 5, 9], [11])


def test_a_cut_through_several_links_is_no_bridge():
    found = weakest_link(*columns((0, 1), (1, 2), (0, 2)), np.array([0.9, 0.7, 0.6]))

    assert (found.is_bridge, found.crossing.tolist()) == (False, [1, 2])


@pytest.mark.parametrize("links", [[], [(0, 1), (2, 3)]])
def test_only_one_cluster_with_links_has_a_weakest_link(links):
    with pytest.raises(ValueError, match="one cluster"):
        weakest_link(*columns(*links), np.ones(len(links)))
