import pytest

from dedup.shingling import jaccard, shingles


def test_a_shingle_is_a_run_of_k_words():
    assert shingles(["a", "b", "c", "a", "b"], 2) == {"a b", "b c", "c a"}


def test_fewer_words_than_k_are_one_shingle():
    assert shingles(["grey", "horse"], 7) == {"grey horse"}


def test_no_word_gives_no_shingle():
    assert shingles([], 1) == set()


@pytest.mark.parametrize("k", [0, -1])
def test_a_shingle_needs_a_word(k):
    with pytest.raises(ValueError, match=f"not {k}"):
        shingles(["a"], k)


def test_jaccard_is_shared_by_all():
    assert jaccard({"a", "b", "c"}, {"b", "c", "d"}) == 0.5
    assert jaccard({"a"}, set()) == 0.0
    assert jaccard(set(), set()) == 0.0
