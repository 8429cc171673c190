import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.sampling import bucket_edges, draw, permanent_random_numbers
from tests.reference import statistics as reference

KEYS = st.integers(0, 2**64 - 1)
EDGES = (0, 300, 500, 800, 1001)
POOLS = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), max_size=60)


def keys_of(values):
    return np.array(values, np.uint64)


def made_draw(pairs, quota, seed=0):
    columns = np.array(pairs, np.int16).reshape(-1, 2)
    levels = {"short": columns[:, 0], "long": columns[:, 1]}
    u = np.random.default_rng(seed).random(len(pairs))
    return levels, u, draw(levels, u, edges=EDGES, quota=quota)


@given(st.lists(st.tuples(KEYS, KEYS), min_size=1, max_size=8), st.integers(-(2**70), 2**70))
@settings(max_examples=60)
def test_permanent_random_numbers_match_the_reference(pairs, salt):
    left, right = keys_of([pair[0] for pair in pairs]), keys_of([pair[1] for pair in pairs])

    u = permanent_random_numbers(left, right, salt=salt)

    assert u.tolist() == [reference.permanent_random_number(*pair, salt) for pair in pairs]


@given(KEYS, KEYS, st.integers(0, 2**64))
@settings(max_examples=60)
def test_a_permanent_random_number_is_the_same_from_both_sides_and_never_0_or_1(left, right, salt):
    there = permanent_random_numbers(keys_of([left]), keys_of([right]), salt=salt)

    back = permanent_random_numbers(keys_of([right]), keys_of([left]), salt=salt)

    assert there == back
    assert 0 < there[0] < 1


def test_permanent_random_numbers_are_spread_evenly_even_for_neighbouring_keys():
    left, right = np.meshgrid(np.arange(200, dtype=np.uint64), np.arange(1_000, 1_200, dtype=np.uint64))

    u = permanent_random_numbers(left.ravel(), right.ravel(), salt=3)

    tenths = np.bincount((10 * u).astype(int), minlength=10)
    assert abs(tenths - 4_000).max() < 250


def test_another_salt_gives_unrelated_numbers():
    left, right = np.arange(5_000, dtype=np.uint64), np.arange(5_000, 10_000, dtype=np.uint64)

    numbers = [permanent_random_numbers(left, right, salt=salt) for salt in (1, 2)]

    assert abs(np.corrcoef(numbers)[0, 1]) < 0.05


def test_keys_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="2 left keys against 1 right keys"):
        permanent_random_numbers(keys_of([1, 2]), keys_of([1]), salt=0)


@pytest.mark.parametrize(
    ("width", "floor", "edges"),
    [
        (0.1, 0.3, (0, 300, 400, 500, 600, 700, 800, 900, 1001)),
        (0.1, 0.33, (0, 330, 400, 500, 600, 700, 800, 900, 1001)),
        (0.1, 0.38, (0, 380, 500, 600, 700, 800, 900, 1001)),
        (0.5, 0.05, (0, 50, 500, 1001)),
        (0.1, 1.0, (0, 1001)),
    ],
)
def test_edges_lie_on_multiples_of_the_width_above_the_floor(width, floor, edges):
    assert bucket_edges(width=width, floor=floor) == edges


@pytest.mark.parametrize(("width", "floor"), [(0, 0.3), (0.1, 0), (1.5, 0.3), (0.1, 1.2)])
def test_a_width_or_floor_outside_the_range_is_refused(width, floor):
    with pytest.raises(ValueError, match="must lie above 0"):
        bucket_edges(width=width, floor=floor)


@given(POOLS, st.integers(1, 6))
@settings(max_examples=80)
def test_the_draw_matches_the_reference(pairs, quota):
    levels, u, drawn = made_draw(pairs, quota)

    indices, strata = reference.draw(levels, u.tolist(), EDGES, quota)

    assert drawn.indices.tolist() == indices
    assert {
        (stratum.digest, stratum.low): (stratum.population, stratum.sampled, stratum.next_u)
        for stratum in drawn.strata
    } == {key: (population, len(chosen), next_u) for key, (population, chosen, next_u) in strata.items()}


@given(POOLS, st.integers(1, 5))
@settings(max_examples=60)
def test_a_larger_quota_keeps_every_pair_of_a_smaller_one(pairs, quota):
    _, _, small = made_draw(pairs, quota)

    _, _, large = made_draw(pairs, quota + 2)

    assert set(small.indices.tolist()) <= set(large.indices.tolist())


@given(POOLS, st.integers(1, 5))
@settings(max_examples=60)
def test_the_queue_holds_every_drawn_pair_once_and_takes_the_ranks_in_turn(pairs, quota):
    levels, u, drawn = made_draw(pairs, quota)
    _, strata = reference.draw(levels, u.tolist(), EDGES, quota)

    queue = drawn.indices[np.argsort(drawn.positions)].tolist()

    best = {
        pair: min(chosen.index(pair) for _, chosen, _ in strata.values() if pair in chosen) for pair in queue
    }
    assert sorted(drawn.positions.tolist()) == list(range(len(queue)))
    assert [best[pair] for pair in queue] == sorted(best[pair] for pair in queue)


def test_the_place_in_the_queue_says_nothing_about_the_score():
    rng = np.random.default_rng(5)
    pairs = list(zip(rng.integers(0, 1001, 4_000), rng.integers(0, 1001, 4_000), strict=True))
    levels, _, drawn = made_draw(pairs, 100)

    correlation = np.corrcoef(levels["short"][drawn.indices], drawn.positions)[0, 1]

    assert abs(correlation) < 0.12


def test_a_bucket_of_its_own_quota_is_drawn_alone():
    levels, u, _ = made_draw([(100, 100), (400, 400), (900, 900)], 1)

    drawn = draw(levels, u, edges=EDGES, quota={("short", 300): 5})

    assert drawn.indices.tolist() == [1]


def test_an_empty_pool_gives_empty_buckets():
    _, _, drawn = made_draw([], 5)

    assert drawn.indices.size == 0
    assert {stratum.population for stratum in drawn.strata} == {0}
