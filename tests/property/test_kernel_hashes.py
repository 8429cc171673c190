"""Signatures, fingerprints and overlaps equal datasketch and the lesson, bit for bit, compiled or not."""

import hashlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup import kernel
from dedup.kernel import TextColumn, fallback, keys, nearness
from dedup.minhash import agreements, as_datasketch, hashfunc
from dedup.simhash import hamming_distance, near_pairs_of_runs, pairs_within
from dedup.specs import MinHashSpec, SimHashSpec
from dedup.token_hash import shingle_hash32
from tests.reference import hashing as reference

some_words = st.one_of(
    st.sampled_from(["a", "b", "of", "the", "harbour", "漢", "नमस्ते", "co_op", "12345678", "123456789"]),
    st.text(alphabet="abé漢0", min_size=1, max_size=70),
    st.integers(50, 140).map(lambda size: "q" * size),
)
streams = st.lists(some_words, max_size=40).map(" ".join)
columns = st.lists(streams, max_size=6)
specs = st.builds(
    MinHashSpec,
    k=st.sampled_from([1, 2, 3, 5, 7]),
    num_perm=st.sampled_from([16, 64, 100, 128, 200, 256]),
    hash=st.sampled_from(["sha1", "tokens"]),
    seed=st.integers(0, 9),
)


@settings(max_examples=80, deadline=None)
@given(columns, st.lists(specs, min_size=1, max_size=4))
def test_rows_are_the_hash_values_of_datasketch(texts, recipes):
    column = TextColumn.from_strings([*texts, "q" * 600])

    signed = kernel.signatures(column, recipes)

    for spec, rows in zip(recipes, signed, strict=True):
        assert rows.dtype == np.uint32
        assert rows.flags.c_contiguous
        assert rows.tolist() == [
            reference.signature(text, spec, hashfunc(spec)) for text in [*texts, "q" * 600]
        ]


@settings(max_examples=30, deadline=None)
@given(columns, st.lists(specs, min_size=1, max_size=3))
def test_the_fallback_signs_with_the_same_bits(texts, recipes):
    column = TextColumn.from_strings(texts)

    compiled, plain = kernel.signatures(column, recipes), fallback.signatures(column, recipes)

    assert [rows.tolist() for rows in compiled] == [rows.tolist() for rows in plain]


@settings(max_examples=80, deadline=None)
@given(columns, st.sampled_from([1, 3, 7]), st.sampled_from(["plain", "tf"]))
def test_fingerprints_are_those_of_the_lesson(texts, k, weighting):
    column = TextColumn.from_strings(texts)
    spec = SimHashSpec(k=k, weighting=weighting)

    expected = [reference.fingerprint(text, k, weighting) for text in texts]

    assert kernel.fingerprints(column, spec).tolist() == expected
    assert fallback.fingerprints(column, spec).tolist() == expected


@settings(max_examples=80, deadline=None)
@given(st.lists(streams, min_size=1, max_size=6), st.sampled_from([1, 3, 7]), st.data())
def test_overlaps_are_those_of_sets_of_shingles(texts, k, data):
    places = st.integers(0, len(texts) - 1)
    pairs = data.draw(st.lists(st.tuples(places, places), max_size=12))
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    column = TextColumn.from_strings(texts)

    expected = [reference.overlap(texts[one], texts[other], k) for one, other in pairs]

    for shared, united in (
        kernel.exact_overlaps(column, left, right, k),
        fallback.exact_overlaps(column, left, right, k),
    ):
        assert list(zip(shared.tolist(), united.tolist(), strict=True)) == expected


passages = st.lists(st.sampled_from(["a", "b", "c", "of", "the"]), min_size=1, max_size=12)
repetitive = st.lists(
    st.tuples(passages, st.integers(1, 6)).map(lambda drawn: drawn[0] * drawn[1]), max_size=6
).map(lambda parts: " ".join(word for part in parts for word in part))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(repetitive, streams), min_size=1, max_size=5),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
    st.data(),
)
def test_overlaps_for_several_k_are_those_of_each_k_alone(texts, ks, data):
    places = st.integers(0, len(texts) - 1)
    pairs = data.draw(st.lists(st.tuples(places, places), max_size=12))
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    padding = data.draw(st.sampled_from(["", "q" * 600]))
    column = TextColumn.from_strings([*texts, padding])

    found = kernel.exact_overlaps_of_all(column, left, right, ks)

    for k, (shared, united) in zip(ks, found, strict=True):
        expected = [reference.overlap(texts[one], texts[other], k) for one, other in pairs]
        assert list(zip(shared.tolist(), united.tolist(), strict=True)) == expected


block_edges = st.sampled_from([0, 1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 127, 128, 129, 1000])


@settings(max_examples=60, deadline=None)
@given(st.lists(block_edges, max_size=40), st.integers(0, 200))
def test_exact_keys_are_sha256_whatever_the_lengths_beside_each_other(lengths, tail):
    texts = [bytes([97 + place % 26]) * length for place, length in enumerate([*lengths, tail])]

    found = keys.exact_keys(TextColumn.from_bytes(texts))

    assert [key.tobytes() for key in found] == [
        hashlib.sha256(text).digest() if text else bytes(32) for text in texts
    ]


@settings(max_examples=200, deadline=None)
@given(streams)
def test_the_token_hash_is_what_its_definition_says(stream):
    assert shingle_hash32(stream.encode()) == reference.token_hash(stream.encode())


@settings(max_examples=40, deadline=None)
@given(st.lists(some_words, min_size=1, max_size=30), st.randoms(use_true_random=False), st.integers(1, 3))
def test_a_signature_depends_on_the_set_of_words_alone_when_k_is_one(chosen, shuffler, copies):
    shuffled = chosen * copies
    shuffler.shuffle(shuffled)
    column = TextColumn.from_strings([" ".join(chosen), " ".join(shuffled)])

    (rows,) = kernel.signatures(column, [MinHashSpec(k=1, hash="tokens")])

    assert rows[0].tolist() == rows[1].tolist()


@settings(max_examples=40, deadline=None)
@given(streams, streams, specs)
def test_agreements_are_what_datasketch_estimates(one, other, spec):
    (rows,) = kernel.signatures(TextColumn.from_strings([one, other]), [spec])

    (agreeing,) = agreements(rows, np.array([0]), np.array([1]))

    left, right = (as_datasketch(row, spec) for row in rows)
    assert agreeing / spec.num_perm == left.jaccard(right)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.lists(st.integers(0, 63), max_size=8)), max_size=30),
    st.integers(0, 63),
)
def test_every_pair_within_the_distance_is_found_once(centres, changes, distance):
    values = [*centres]
    for centre, bits in changes:
        value = centres[centre % len(centres)]
        for bit in bits:
            value ^= 1 << bit
        values.append(value)

    left, right = pairs_within(np.array(values, np.uint64), max_distance=distance)

    assert list(zip(left.tolist(), right.tolist(), strict=True)) == reference.pairs_within(values, distance)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, 2**12 - 1), min_size=1, max_size=40, unique=True).map(sorted),
    st.sampled_from([0, 0xF00, 0xFC0, 0xFF]),
    st.lists(st.sampled_from([0xF, 0xF0, 0x300]), max_size=2),
    st.integers(0, 8),
)
def test_the_compiled_comparison_of_fingerprints_equals_the_one_by_numpy(values, mask, earlier, distance):
    ordered = np.array(sorted(values, key=lambda value: value & mask), np.uint64)
    masks = [np.uint64(known) for known in earlier]

    compiled = nearness.near_pairs_of_runs(ordered, np.uint64(mask), np.array(masks, np.uint64), distance)
    plain = near_pairs_of_runs(ordered, np.uint64(mask), masks, distance)

    assert np.concatenate(compiled, axis=1).tolist() == np.concatenate(plain, axis=1).tolist()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))))
def test_hamming_distance_counts_the_bits_that_differ(pairs):
    left = np.array([one for one, _ in pairs], np.uint64)
    right = np.array([other for _, other in pairs], np.uint64)

    assert hamming_distance(left, right).tolist() == [(one ^ other).bit_count() for one, other in pairs]
