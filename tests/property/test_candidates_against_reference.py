import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dedup.band_kernel import (
    colliding_rows,
    colliding_rows_by_sorting,
    keys_of_bands,
    keys_of_bands_by_numpy,
    reaching,
)
from dedup.candidates import HUB_NEIGHBOURS, candidate_pairs, decode_pairs, encode_pairs, union_pairs
from dedup.specs import BandingSpec
from tests.reference import engine as reference

pairs_of_ordinals = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 2**32 - 1)).filter(lambda pair: pair[0] != pair[1])
)


@st.composite
def signatures_with_marks(draw):
    texts = draw(st.integers(0, 40))
    signatures = draw(arrays.arrays(np.uint32, (texts, 8), elements=st.integers(0, 2)))
    valid = draw(arrays.arrays(np.bool_, texts))
    return signatures, valid


@settings(max_examples=150, deadline=None)
@given(signatures_with_marks(), st.sampled_from([(8, 1), (4, 2), (2, 3), (2, 4)]), st.integers(2, 12))
def test_candidates_are_the_pairs_that_a_dictionary_of_bands_finds(drawn, shape, hub_limit):
    signatures, valid = drawn
    banding = BandingSpec(bands=shape[0], rows_per_band=shape[1])

    found = candidate_pairs(signatures, banding, hub_limit=hub_limit, valid=valid)
    pairs, hubs = reference.candidate_pairs(
        signatures.tolist(), *shape, valid.tolist(), hub_limit, HUB_NEIGHBOURS
    )

    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == pairs
    assert sorted((hub.band, hub.size, hub.example_ordinals) for hub in found.hubs) == sorted(
        (band, len(texts), tuple(texts[:5])) for band, texts in hubs
    )


@settings(max_examples=100, deadline=None)
@given(signatures_with_marks())
def test_band_keys_are_the_same_with_and_without_the_compiler(drawn):
    signatures, _ = drawn
    banding = BandingSpec(bands=4, rows_per_band=2)

    compiled = keys_of_bands(signatures, banding, range(1, 4))

    assert compiled.tolist() == keys_of_bands_by_numpy(signatures, banding, range(1, 4)).tolist()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0, 1, 2**63, 2**64 - 1, 2**61 + 5, 7]), st.booleans())))
def test_the_bit_table_never_drops_a_repeated_key(rows):
    keys = np.array([key for key, _ in rows], np.uint64)
    valid = np.array([is_valid for _, is_valid in rows], np.bool_)
    expected = reference.colliding(keys.tolist(), valid.tolist())

    filtered = colliding_rows(keys, valid).tolist()

    assert set(expected) <= set(filtered) <= set(np.flatnonzero(valid).tolist())
    assert filtered == sorted(filtered)
    assert colliding_rows_by_sorting(keys, valid).tolist() == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(pairs_of_ordinals, max_size=4))
def test_a_union_of_pairs_is_the_sorted_set_of_them(parts):
    as_arrays = [
        (np.array([a for a, _ in part], np.int64), np.array([b for _, b in part], np.int64)) for part in parts
    ]

    left, right = union_pairs(as_arrays)

    expected = sorted({(min(pair), max(pair)) for part in parts for pair in part})
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == expected


@settings(max_examples=50, deadline=None)
@given(pairs_of_ordinals)
def test_pair_codes_sort_as_pairs_do_and_come_back_unchanged(pairs):
    ordered = sorted((min(pair), max(pair)) for pair in pairs)
    left = np.array([a for a, _ in ordered], np.int64)
    right = np.array([b for _, b in ordered], np.int64)

    codes = encode_pairs(right, left)

    assert codes.tolist() == sorted(codes.tolist())
    assert [column.tolist() for column in decode_pairs(codes)] == [left.tolist(), right.tolist()]


@settings(max_examples=100, deadline=None)
@given(arrays.arrays(np.uint32, (2, 70), elements=st.integers(0, 1)), st.integers(0, 71))
def test_a_pair_reaches_a_level_if_it_agrees_that_often(signatures, level):
    agreeing = sum(a == b for a, b in zip(*signatures.tolist(), strict=True))

    reached = reaching(signatures, np.array([0], np.int64), np.array([1], np.int64), level)

    assert reached.tolist() == [agreeing >= level]
