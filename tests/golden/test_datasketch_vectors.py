"""Rows written down once, and rows of the datasketch that is installed: a new version must not change them."""

import hashlib

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH

from dedup import kernel
from dedup.kernel import TextColumn
from dedup.minhash import as_datasketch, check_same_recipe, hashfunc
from dedup.specs import MinHashSpec, RecipeMismatchError

STREAM = "the quick brown fox jumps over the lazy dog"
SHINGLES = [" ".join(STREAM.split()[start : start + 3]) for start in range(7)]


def row(spec):
    return kernel.signatures(TextColumn.from_strings([STREAM]), [spec])[0][0]


@pytest.mark.parametrize(
    ("scheme", "hash_name", "first", "digest"),
    [
        ("affine32", "sha1", 1614218603, "94c5033878e43631"),
        ("affine32", "tokens", 984922456, "46965977ee56c582"),
        ("legacy", "sha1", 184265153, "5abe101a8f406e45"),
        ("legacy", "tokens", 20480729, "abebda24be16a1ef"),
    ],
)
def test_rows_stay_as_they_were_written_down(scheme, hash_name, first, digest):
    values = row(MinHashSpec(scheme=scheme, hash=hash_name))

    assert int(values[0]) == first
    assert hashlib.sha256(values.astype("<u4").tobytes()).hexdigest()[:16] == digest


@pytest.mark.parametrize("scheme", ["affine32", "legacy"])
@pytest.mark.parametrize("hash_name", ["sha1", "tokens"])
@pytest.mark.parametrize("num_perm", [128, 256])
def test_rows_are_a_plain_minhash_value_by_value(scheme, hash_name, num_perm):
    spec = MinHashSpec(scheme=scheme, hash=hash_name, num_perm=num_perm)
    sketch = MinHash(num_perm=num_perm, scheme=scheme, hashfunc=hashfunc(spec))
    for shingle in SHINGLES:
        sketch.update(shingle.encode())

    assert row(spec).tolist() == sketch.hashvalues.tolist()


def test_a_row_needs_no_arguments_in_datasketch_beyond_the_number_of_permutations():
    sketch = MinHash(num_perm=128)
    sketch.update_batch([shingle.encode() for shingle in SHINGLES])

    assert row(MinHashSpec()).tolist() == sketch.hashvalues.tolist()


@pytest.mark.parametrize("scheme", ["affine32", "legacy"])
def test_a_row_can_be_looked_up_in_an_index_of_datasketch(scheme):
    spec = MinHashSpec(scheme=scheme)
    index = MinHashLSH(threshold=0.5, num_perm=128)
    sketch = MinHash(num_perm=128, scheme=scheme)
    sketch.update_batch([shingle.encode() for shingle in SHINGLES])
    index.insert("fox", sketch)

    wrapped = as_datasketch(row(spec), spec)

    assert index.query(wrapped) == ["fox"]
    assert wrapped.jaccard(sketch) == 1.0


def test_a_text_without_words_is_an_empty_minhash():
    (rows,) = kernel.signatures(TextColumn.from_strings([""]), [MinHashSpec()])

    assert rows[0].tolist() == MinHash(num_perm=128).hashvalues.tolist()


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="a row of 128 values"):
        as_datasketch(np.zeros(64, np.uint32), MinHashSpec())


def test_results_of_different_recipes_are_not_compared():
    check_same_recipe(MinHashSpec().recipe, MinHashSpec().recipe)

    with pytest.raises(RecipeMismatchError, match="legacy"):
        check_same_recipe(MinHashSpec().recipe, MinHashSpec(scheme="legacy").recipe)
