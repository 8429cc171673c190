import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.clustering import (
    bridges,
    chain_between,
    cluster,
    components,
    implied_pairs,
    lowest_similarities,
    replay_levels,
    weakest_link,
)
from tests.reference import outcomes as reference

TEXTS = 12
texts = st.integers(0, TEXTS - 1)
pairs = st.lists(st.tuples(texts, texts).filter(lambda pair: pair[0] != pair[1]), max_size=24)
scores = st.sampled_from([0.5, 0.6, 0.7, 0.8, 0.9])
scored_pairs = st.lists(
    st.tuples(st.tuples(texts, texts).filter(lambda pair: pair[0] != pair[1]), scores), max_size=24
)
groups = st.lists(st.integers(-1, 2), min_size=TEXTS, max_size=TEXTS)


def columns(links):
    found = np.array(links, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def closeness(left, right):
    """A number in (0, 1) for each pair, the same in both directions."""
    return ((left + 1) * (right + 1) * 37 % 101 + 1) / 103.0


@settings(max_examples=150, deadline=None)
@given(pairs)
def test_components_are_what_a_walk_along_the_links_reaches(links):
    labels = components(TEXTS, *columns(links))

    assert labels.tolist() == reference.components(TEXTS, links)


@settings(max_examples=100, deadline=None)
@given(pairs, st.randoms(use_true_random=False))
def test_cluster_numbers_depend_on_neither_order_nor_direction_of_links(links, chance):
    shuffled = [chance.choice([(a, b), (b, a)]) for a, b in chance.sample(links, len(links))]

    assert components(TEXTS, *columns(links)).tolist() == components(TEXTS, *columns(shuffled)).tolist()


@settings(max_examples=200, deadline=None)
@given(
    scored_pairs,
    st.lists(st.tuples(texts, texts), max_size=3),
    st.lists(st.tuples(texts, texts), max_size=4),
    groups,
)
def test_constrained_clusters_are_those_of_looking_at_every_pair_of_members(scored, must, cannot, groups):
    links, values = [link for link, _ in scored], [value for _, value in scored]
    must, cannot = ([pair for pair in pairs if pair[0] != pair[1]] for pairs in (must, cannot))
    left, right = columns(links)

    found = cluster(
        TEXTS,
        left,
        right,
        scores=np.array(values),
        must=must,
        cannot=cannot,
        groups=np.array(groups, dtype=np.int64),
    )

    links_not_denied = [
        (link, value) for link, value in scored if link not in cannot and link[::-1] not in cannot
    ]
    expected = reference.cluster(
        TEXTS,
        [link for link, _ in links_not_denied],
        [value for _, value in links_not_denied],
        must,
        cannot,
        groups,
    )
    assert found.labels.tolist() == expected


@settings(max_examples=100, deadline=None)
@given(
    scored_pairs,
    st.lists(st.tuples(texts, texts), max_size=3),
    st.lists(st.tuples(texts, texts), max_size=4),
    groups,
)
def test_what_may_not_meet_meets_only_in_a_listed_contradiction(scored, must, cannot, groups):
    must, cannot = ([pair for pair in pairs if pair[0] != pair[1]] for pairs in (must, cannot))
    left, right = columns([link for link, _ in scored])

    found = cluster(
        TEXTS,
        left,
        right,
        scores=np.array([value for _, value in scored]),
        must=must,
        cannot=cannot,
        groups=np.array(groups, dtype=np.int64),
    )

    joined_by_persons = reference.components(TEXTS, must)
    listed = {(clash.left, clash.right) for clash in found.contradictions if clash.against == "distinct"}
    for one, other in {(min(pair), max(pair)) for pair in cannot}:
        assert (found.labels[one] == found.labels[other]) == ((one, other) in listed)
        assert ((one, other) in listed) == (joined_by_persons[one] == joined_by_persons[other])
    for clash in found.contradictions:
        assert (clash.path[0], clash.path[-1]) == (clash.left, clash.right)
        steps = list(zip(clash.path, clash.path[1:], strict=False))
        assert all(step in must or step[::-1] in must for step in steps)


@settings(max_examples=100, deadline=None)
@given(scored_pairs, groups)
def test_accepted_links_alone_give_the_same_clusters(scored, groups):
    left, right = columns([link for link, _ in scored])
    values = np.array([value for _, value in scored])

    found = cluster(TEXTS, left, right, scores=values, groups=np.array(groups, dtype=np.int64))

    again = components(TEXTS, left[found.accepted], right[found.accepted])
    assert again.tolist() == found.labels.tolist()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.tuples(texts, texts).filter(lambda pair: pair[0] != pair[1]), st.integers(0, 8)),
        max_size=24,
    ),
    st.lists(st.integers(0, 3), min_size=TEXTS, max_size=TEXTS),
)
def test_a_replay_of_all_levels_equals_clustering_at_each(levelled, documents):
    links, levels = [link for link, _ in levelled], [level for _, level in levelled]
    left, right = columns(links)

    found = replay_levels(
        TEXTS, left, right, np.array(levels, dtype=np.int16), 8, documents=np.array(documents, dtype=np.int64)
    )

    outcome = np.stack((found.links, found.clusters, found.removed, found.largest), axis=1)
    assert outcome.tolist() == [list(row) for row in reference.replay(TEXTS, links, levels, 8, documents)]


@settings(max_examples=100, deadline=None)
@given(pairs)
def test_a_higher_threshold_only_splits_clusters(links):
    fewer = links[: len(links) // 2]

    many, few = components(TEXTS, *columns(links)), components(TEXTS, *columns(fewer))

    assert all(len(set(many[few == label].tolist())) == 1 for label in set(few.tolist()))


@settings(max_examples=100, deadline=None)
@given(pairs)
def test_the_lowest_similarity_is_that_of_all_pairs_inside(links):
    labels = components(TEXTS, *columns(links))

    found = lowest_similarities(labels, closeness, rng=np.random.default_rng(1))

    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        values = [
            float(closeness(np.array([a]), np.array([b]))[0]) for a in members for b in members if a < b
        ]
        assert (found.lowest[label] == min(values)) if values else np.isnan(found.lowest[label])
        assert found.looked_at[label] == found.pairs[label] == len(values)


@settings(max_examples=100, deadline=None)
@given(pairs, st.integers(0, 20))
def test_implied_pairs_are_those_inside_clusters_without_a_link(links, sample):
    left, right = columns(links)
    labels = components(TEXTS, left, right)

    found = implied_pairs(labels, left, right, sample=sample, u=closeness, rng=np.random.default_rng(1))

    linked = {(min(link), max(link)) for link in links}
    implied = [pair for pair in reference.pairs_inside(labels.tolist()) if pair not in linked]
    ordered = sorted(implied, key=lambda pair: (closeness(*map(np.array, pair)), pair))
    assert found.population == found.looked_at == len(implied)
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == ordered[:sample]


@settings(max_examples=100, deadline=None)
@given(pairs)
def test_a_bridge_is_a_link_whose_removal_splits_a_cluster(links):
    found = bridges(*columns(links))

    assert found.tolist() == [reference.is_bridge(TEXTS, links, link) for link in range(len(links))]


@settings(max_examples=100, deadline=None)
@given(scored_pairs)
def test_the_weakest_link_is_where_a_rising_threshold_first_splits_the_cluster(scored):
    labels = reference.components(TEXTS, [link for link, _ in scored])
    inside = [(link, value) for link, value in scored if labels[link[0]] == labels[scored[0][0][0]]]
    if not inside:
        return
    members = sorted({text for link, _ in inside for text in link})
    links, values = [link for link, _ in inside], [value for _, value in inside]

    found = weakest_link(*columns(links), np.array(values))

    places = [tuple(members.index(text) for text in link) for link in links]
    assert found.score == reference.weakest_score(len(members), places, values)
    assert sorted([*found.left_side, *found.right_side]) == members
    assert all(values[link] <= found.score for link in found.crossing)
    rest = [place for link, place in enumerate(places) if link not in set(found.crossing.tolist())]
    assert len(set(reference.components(len(members), rest))) == 2


@settings(max_examples=200, deadline=None)
@given(scored_pairs, texts, texts)
def test_a_chain_is_as_strong_at_its_weakest_place_as_any_and_leads_from_one_end_to_the_other(
    scored, start, end
):
    links, values = [link for link, _ in scored], np.array([value for _, value in scored])

    chain = chain_between(*columns(links), values, start=start, end=end)

    best = reference.strongest_chain(links, values.tolist(), start, end)
    assert bool(chain) == (best is not None)
    here = start
    for link in chain:
        assert here in links[link]
        here = sum(links[link]) - here
    assert here == (end if chain else start)
    assert best is None or values[list(chain)].min() == best
