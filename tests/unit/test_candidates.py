import numpy as np
import pytest

from dedup import candidates
from dedup.candidates import band_blocks, candidate_pairs, encode_pairs, union_pairs
from dedup.specs import BandingSpec

BANDING = BandingSpec(bands=2, rows_per_band=2)


def all_valid(count):
    return np.ones(count, np.bool_)


def test_texts_without_words_are_never_candidates():
    signatures = np.full((3, 4), 0xFFFFFFFF, np.uint32)

    found = candidate_pairs(signatures, BANDING, hub_limit=200, valid=np.array([True, False, False]))

    assert len(found) == 0
    assert found.hubs == []


def test_a_hub_becomes_a_chain_and_is_reported_with_its_size_and_first_texts():
    signatures = np.tile(np.array([[1, 1, 2, 2]], np.uint32), (1_000, 1))

    found = candidate_pairs(signatures, BANDING, hub_limit=200, valid=all_valid(1_000))

    assert len(found) == 4 * 1_000 - (4 + 3 + 2 + 1)
    assert [(hub.band, hub.size) for hub in found.hubs] == [(0, 1_000), (1, 1_000)]
    assert found.hubs[0].example_ordinals == (0, 1, 2, 3, 4)


def test_a_group_as_large_as_the_limit_is_still_expanded_to_all_pairs():
    signatures = np.tile(np.array([[1, 1, 2, 2]], np.uint32), (20, 1))

    found = candidate_pairs(signatures, BANDING, hub_limit=20, valid=all_valid(20))

    assert len(found) == 20 * 19 // 2
    assert found.hubs == []


def test_small_batches_change_nothing(monkeypatch):
    signatures = np.random.default_rng(5).integers(0, 3, (80, 4), np.uint32)
    whole = candidate_pairs(signatures, BANDING, hub_limit=200, valid=all_valid(80))

    monkeypatch.setattr(candidates, "BATCH_PAIRS", 7)
    monkeypatch.setattr(candidates, "BLOCK_BANDS", 1)
    pieces = candidate_pairs(signatures, BANDING, hub_limit=200, valid=all_valid(80))

    assert pieces.left.tolist() == whole.left.tolist()
    assert pieces.right.tolist() == whole.right.tolist()


def test_progress_ends_with_all_bands():
    told = []

    candidate_pairs(
        np.zeros((4, 4), np.uint32),
        BANDING,
        hub_limit=200,
        valid=all_valid(4),
        report=lambda done, total: told.append((done, total)),
    )

    assert told[-1] == (2, 2)


def test_bands_are_keyed_in_fewer_at_a_time_when_there_are_many_texts():
    few = band_blocks(BandingSpec(bands=30, rows_per_band=4), texts=1_000)
    many = band_blocks(BandingSpec(bands=30, rows_per_band=4), texts=50_000_000)

    assert [(block.start, block.stop) for block in few] == [(0, 10), (10, 20), (20, 30)]
    assert [len(block) for block in many] == [1] * 30


def test_a_hub_limit_that_leaves_no_pair_whole_is_refused():
    with pytest.raises(ValueError, match="2 or more, not 1"):
        candidate_pairs(np.zeros((2, 4), np.uint32), BANDING, hub_limit=1, valid=all_valid(2))


def test_marks_for_another_number_of_texts_are_refused():
    with pytest.raises(ValueError, match="3 marks for 2 signatures"):
        candidate_pairs(np.zeros((2, 4), np.uint32), BANDING, hub_limit=200, valid=all_valid(3))


@pytest.mark.parametrize(
    ("left", "right", "sentence"),
    [
        ([1], [1], "with itself"),
        ([-1], [1], "between 0 and"),
        ([1], [2**32], "between 0 and"),
        ([1, 2], [3], "2 left"),
    ],
)
def test_pairs_that_are_none_are_refused(left, right, sentence):
    with pytest.raises(ValueError, match=sentence):
        encode_pairs(np.array(left, np.int64), np.array(right, np.int64))


def test_no_pairs_unite_to_no_pairs():
    left, right = union_pairs([])

    assert (left.size, right.size) == (0, 0)
    assert left.dtype == right.dtype == np.int64
