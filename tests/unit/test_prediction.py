import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dedup.banding import collision_probability
from dedup.engines.estimating import SampledPairs, chances_by_level, estimate_hubs, estimate_pairs
from dedup.engines.floor import floor_level
from dedup.engines.local import LocalEngine, predict
from dedup.specs import BandingSpec, StudySpec
from tests.reference.corpora import ListedTexts, corpus

SPEC = StudySpec(ks=(1, 3), num_perm=64)
TEXTS = corpus(600, seed=11)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.001, 1), st.sampled_from([(30, 4), (18, 7), (42, 3), (64, 2), (128, 1)]))
def test_chances_by_level_average_to_the_collision_probability(similarity, shape):
    banding = BandingSpec(bands=shape[0], rows_per_band=shape[1])

    chances = chances_by_level(banding, 128)
    average = float(binom.pmf(np.arange(129), 128, similarity) @ chances)

    expected = collision_probability(similarity, bands=banding.bands, rows_per_band=banding.rows_per_band)
    assert average == pytest.approx(expected, abs=1e-9)


def sampled_pairs(texts, levels, signatures=None):
    left, right = np.triu_indices(texts, 1)
    column = np.zeros(left.size, np.int16)
    column[: len(levels)] = levels
    nothing = np.zeros(left.size, np.bool_)
    if signatures is None:
        signatures = np.arange(texts * 128, dtype=np.uint32).reshape(texts, 128)
    return SampledPairs(
        texts=texts,
        left=left,
        right=right,
        levels=(column,),
        is_near=nothing,
        is_identical=nothing,
        signatures=(signatures,),
        leads=np.ones(texts, np.bool_),
    )


def test_pairs_grow_with_the_square_of_the_texts():
    sampled = sampled_pairs(100, [128] * 10)
    spec = StudySpec(ks=(3,))

    small, large = estimate_pairs(sampled, spec, texts=1_000), estimate_pairs(sampled, spec, texts=10_000)

    assert small.expected == pytest.approx(10 * (1_000 * 999) / (100 * 99))
    assert large.expected / small.expected == pytest.approx(100, rel=0.01)
    assert 0.0 < small.low < 0.5 * small.expected
    assert 1.8 * small.expected < small.high < 5 * small.expected


def test_a_sample_without_a_pair_leaves_room_for_some():
    estimate = estimate_pairs(sampled_pairs(100, []), StudySpec(ks=(3,)), texts=1_000)

    assert (estimate.expected, estimate.low) == (0.0, 0.0)
    assert estimate.high == pytest.approx(3.69 * (1_000 * 999) / (100 * 99), rel=0.01)


def test_pairs_under_the_floor_are_left_out_once_collisions_are_too_many():
    level = floor_level(0.3, 128) - 1
    sampled = sampled_pairs(100, [level] * 4_000 + [128])
    spec = StudySpec(ks=(3,))

    few, many = estimate_pairs(sampled, spec, texts=200), estimate_pairs(sampled, spec, texts=1_000_000)

    assert few.expected > 5
    assert many.collisions > 20_000_000
    assert many.expected == pytest.approx(1_000_000 * 999_999 / (100 * 99))


def test_pairs_that_collide_are_counted_where_the_sample_has_many():
    signatures = np.arange(100 * 128, dtype=np.uint32).reshape(100, 128)
    signatures[:30, :3] = 7
    sampled = sampled_pairs(100, [], signatures)

    estimate = estimate_pairs(sampled, StudySpec(ks=(3,)), texts=100)

    assert (estimate.expected, estimate.low, estimate.high) == (435, 435, 435)


def test_keys_that_the_corpus_will_share_too_often_are_counted():
    signatures = np.random.default_rng(1).integers(0, 2**32, (100, 128), np.uint32)
    signatures[:4, :3] = 7
    spec = StudySpec(ks=(3,), hub_limit=200)
    sampled = sampled_pairs(100, [], signatures)

    large = estimate_hubs(sampled, spec, texts=10_000)
    small = estimate_hubs(sampled, spec, texts=4_000)

    assert (large, small) == (1, 0)


def test_a_prediction_from_a_part_holds_the_pool_that_the_engine_then_collects(tmp_path):
    files = LocalEngine(2).collect(
        ListedTexts(TEXTS),
        SPEC,
        arrays=tmp_path / "arrays",
        pool_folder=tmp_path / "pool",
        report=lambda _: None,
    )

    prediction = predict(ListedTexts(TEXTS), SPEC, sample=300, workers=2)

    assert (prediction.texts, prediction.sampled) == (600, 300)
    assert prediction.pairs_low <= files.pool_size <= prediction.pairs_high
    assert prediction.pairs_low <= prediction.candidate_pairs <= prediction.pairs_high
    assert prediction.seconds > 0
    assert prediction.disk_mb > 0
    assert prediction.fits


def test_the_same_sample_is_drawn_twice():
    first, second = (predict(ListedTexts(TEXTS), SPEC, sample=100, workers=1) for _ in range(2))

    assert first.candidate_pairs == second.candidate_pairs


def test_near_fingerprints_count_as_pairs():
    with_simhash = StudySpec(ks=(3,), num_perm=64, simhash="plain", simhash_distance=40)

    prediction = predict(ListedTexts(TEXTS[:80]), with_simhash, sample=80, workers=1)

    assert prediction.candidate_pairs > 80 * 79 / 4


def test_too_many_pairs_are_refused_with_a_threshold_that_would_fit():
    refused = predict(ListedTexts(TEXTS), SPEC, sample=600, workers=2, pair_limit=400)
    threshold = float(refused.advice.split(" to ")[1].split(":")[0])
    again = StudySpec(ks=(1, 3), num_perm=64, collection_threshold=threshold)

    followed = predict(ListedTexts(TEXTS), again, sample=600, workers=2, pair_limit=400)

    assert not refused.fits
    assert refused.advice.startswith("Raise the collection threshold from 0.3 to ")
    assert followed.fits


def test_too_little_memory_for_all_k_is_refused_with_fewer_k():
    spec = StudySpec(ks=(1, 3, 5, 7), num_perm=1024)
    one_k = predict(ListedTexts(TEXTS), StudySpec(ks=(1,), num_perm=1024), sample=100, workers=1)

    refused = predict(ListedTexts(TEXTS), spec, sample=100, workers=1, memory_limit_mb=one_k.memory_mb + 0.1)

    assert not refused.fits
    assert refused.advice == "Study fewer k: with k = 1 alone the signatures fit into memory."


def test_what_fits_nowhere_is_refused_with_the_need():
    no_memory = predict(ListedTexts(TEXTS), SPEC, sample=100, workers=1, memory_limit_mb=10)
    no_pairs = predict(
        ListedTexts(["one two three four", "one two three five"] * 3), SPEC, sample=9, workers=1, pair_limit=0
    )

    assert "MB are needed for one k, the limit is 10 MB" in no_memory.advice
    assert no_pairs.advice.startswith("Split the corpus")


@pytest.mark.parametrize("texts", [[], [""], ["one"], ["", ""]])
def test_a_corpus_without_pairs_is_predicted_to_have_none(texts):
    prediction = predict(ListedTexts(texts), SPEC, sample=10, workers=1)

    assert prediction.candidate_pairs == 0
    assert prediction.fits


@pytest.mark.parametrize(("sample", "workers"), [(1, 1), (10, 0)])
def test_a_prediction_from_nothing_is_refused(sample, workers):
    with pytest.raises(ValueError, match="needs two texts and one worker"):
        predict(ListedTexts(TEXTS), SPEC, sample=sample, workers=workers)
