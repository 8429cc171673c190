import json
import threading

import numpy as np
import pytest

from dedup.engines import corpus_arrays
from dedup.segments import UNFINISHED_SUFFIX, SegmentError
from dedup.specs import MinHashSpec, digest_of

RECIPE = MinHashSpec().recipe
FOLDER = digest_of(RECIPE)


def rows(count, first=0):
    return {"": [np.arange(first, first + count, dtype=np.uint64)]}


def test_a_written_segment_is_found_and_read_back(tmp_path):
    written = corpus_arrays.write_segment(tmp_path, RECIPE, 0, 3, rows(3))

    found = corpus_arrays.find_segment(tmp_path, RECIPE, 0, 3)

    assert found == written
    assert found[0].path == f"{FOLDER}/0-3.npy"
    assert corpus_arrays.open_segment(tmp_path, RECIPE, 0, 3)[""].tolist() == [0, 1, 2]


def test_segments_are_read_as_one_column(tmp_path):
    corpus_arrays.write_segment(tmp_path, RECIPE, 0, 3, rows(3))
    corpus_arrays.write_segment(tmp_path, RECIPE, 3, 5, rows(2, first=3))

    assert corpus_arrays.read_rows(tmp_path, RECIPE, [(0, 3), (3, 5)]).tolist() == [0, 1, 2, 3, 4]


def test_a_corpus_without_texts_has_no_column(tmp_path):
    with pytest.raises(SegmentError, match="without texts"):
        corpus_arrays.read_rows(tmp_path, RECIPE, [])


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"recipe": 1, "files": 2}', '{"recipe": "other", "files": []}']
)
def test_a_segment_with_a_damaged_record_does_not_exist(tmp_path, content):
    corpus_arrays.write_segment(tmp_path, RECIPE, 0, 3, rows(3))
    (tmp_path / FOLDER / "0-3.json").write_text(content, encoding="utf-8")

    assert corpus_arrays.find_segment(tmp_path, RECIPE, 0, 3) is None


def test_a_segment_whose_file_differs_from_its_record_does_not_exist(tmp_path):
    corpus_arrays.write_segment(tmp_path, RECIPE, 0, 3, rows(3))
    record = tmp_path / FOLDER / "0-3.json"
    changed = json.loads(record.read_text(encoding="utf-8"))
    changed["files"][0][2] = "0" * 64
    record.write_text(json.dumps(changed), encoding="utf-8")

    assert corpus_arrays.find_segment(tmp_path, RECIPE, 0, 3) is None


def test_a_longer_segment_takes_the_place_of_a_shorter_one_and_of_no_other(tmp_path):
    corpus_arrays.write_segment(tmp_path, RECIPE, 0, 3, rows(3))
    corpus_arrays.write_segment(tmp_path, RECIPE, 3, 4, rows(1))
    assert corpus_arrays.find_shorter_segment(tmp_path, RECIPE, 3, 6) == 4

    corpus_arrays.write_segment(tmp_path, RECIPE, 3, 6, rows(3))

    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == [
        "0-3.json", "0-3.npy", "3-6.json", "3-6.npy",
    ]  # fmt: skip
    assert corpus_arrays.find_shorter_segment(tmp_path, RECIPE, 3, 6) == 3


def test_segments_of_a_removed_text_go_and_the_others_stay(tmp_path):
    for recipe in (RECIPE, MinHashSpec(k=5).recipe):
        corpus_arrays.write_segment(tmp_path, recipe, 0, 3, rows(3))
        corpus_arrays.write_segment(tmp_path, recipe, 3, 5, rows(2))

    deleted = corpus_arrays.drop_segments(tmp_path, [3, 77])

    assert deleted == sorted(f"{digest_of(recipe)}/3-5.npy" for recipe in (RECIPE, MinHashSpec(k=5).recipe))
    assert corpus_arrays.find_segment(tmp_path, RECIPE, 3, 5) is None
    assert corpus_arrays.find_segment(tmp_path, RECIPE, 0, 3) is not None


def test_one_writer_waits_for_the_other_with_heartbeats(tmp_path):
    beats = threading.Event()
    entered = threading.Event()

    def second_writer():
        with corpus_arrays.exclusive(tmp_path, beats.set):
            entered.set()

    with corpus_arrays.exclusive(tmp_path, pytest.fail):
        other = threading.Thread(target=second_writer)
        other.start()
        assert beats.wait(5)
        assert not entered.is_set()
    other.join(5)

    assert entered.is_set()


def test_what_a_killed_writer_left_is_cleared_before_anything_is_written(tmp_path):
    leftover = tmp_path / FOLDER / f".0-3.npy.1234{UNFINISHED_SUFFIX}"
    leftover.parent.mkdir()
    leftover.write_bytes(b"half")

    with corpus_arrays.exclusive(tmp_path, pytest.fail):
        assert not leftover.exists()
