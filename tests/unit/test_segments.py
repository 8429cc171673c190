import hashlib
import os

import numpy as np
import pytest

from dedup.segments import (
    UNFINISHED_SUFFIX,
    SegmentError,
    forget_pages,
    open_array,
    remove_unfinished,
    sha256_of,
    verify_array,
    write_array,
    write_bytes,
    write_rows,
)


@pytest.mark.parametrize("shape", [(0,), (0, 128), (7,), (3, 5)])
def test_what_was_written_is_what_is_read(tmp_path, shape):
    array = np.arange(np.prod(shape), dtype=np.uint32).reshape(shape)

    write_array(tmp_path / "deep" / "0-7.npy", array)
    found = open_array(tmp_path / "deep" / "0-7.npy")

    assert found.shape == shape
    assert found.dtype == np.uint32
    assert found.tolist() == array.tolist()


def test_a_file_is_named_by_the_hash_of_its_bytes(tmp_path):
    path = tmp_path / "a.npy"

    digest = write_array(path, np.arange(5))

    assert digest == hashlib.sha256(path.read_bytes()).hexdigest() == sha256_of(path)


def test_equal_values_give_equal_bytes_whatever_their_layout(tmp_path):
    array = np.arange(12, dtype=np.int64).reshape(3, 4)

    digests = {
        write_array(tmp_path / "a.npy", layout) for layout in (array, np.asfortranarray(array), array[::1])
    }

    assert len(digests) == 1


@pytest.mark.parametrize("cuts", [[], [0], [3], [1, 4, 4]])
def test_an_array_written_in_parts_has_the_bytes_of_the_whole(tmp_path, cuts):
    array = np.arange(14, dtype=np.uint32).reshape(7, 2)

    digest = write_rows(tmp_path / "a.npy", np.split(array, cuts))

    assert digest == write_array(tmp_path / "b.npy", array)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


@pytest.mark.parametrize(
    "parts", [[], [np.zeros(2), np.zeros(2, np.int8)], [np.zeros((2, 1)), np.zeros((2, 2))]]
)
def test_parts_of_different_kinds_are_no_array(tmp_path, parts):
    with pytest.raises(ValueError, match="one kind of row"):
        write_rows(tmp_path / "a.npy", parts)


def test_an_open_segment_refuses_to_be_changed(tmp_path):
    write_array(tmp_path / "a.npy", np.arange(3))

    array = open_array(tmp_path / "a.npy")

    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_forgotten_pages_are_read_again(tmp_path):
    write_array(tmp_path / "a.npy", np.arange(10_000))
    array = open_array(tmp_path / "a.npy")
    before = int(array.sum())

    forget_pages(array)
    forget_pages(np.arange(3))

    assert int(array.sum()) == before


def test_objects_are_never_stored(tmp_path):
    with pytest.raises(ValueError, match="Python objects"):
        write_array(tmp_path / "a.npy", np.array([{}], dtype=object))

    assert list(tmp_path.iterdir()) == []


def test_a_missing_segment_is_said_to_be_missing(tmp_path):
    with pytest.raises(SegmentError, match="is missing"):
        verify_array(tmp_path / "a.npy", "0" * 64)
    with pytest.raises(SegmentError, match="is missing"):
        open_array(tmp_path / "a.npy")


def test_one_changed_byte_is_found(tmp_path):
    path = tmp_path / "a.npy"
    digest = write_array(path, np.arange(100))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)

    with pytest.raises(SegmentError, match="is damaged"):
        verify_array(path, digest)


@pytest.mark.parametrize("content", [b"", b"no array", b"\x93NUMPY"])
def test_what_is_no_array_file_is_said_to_be_none(tmp_path, content):
    (tmp_path / "a.npy").write_bytes(content)

    with pytest.raises(SegmentError, match="is not a whole array"):
        open_array(tmp_path / "a.npy")


def test_a_truncated_array_is_not_opened(tmp_path):
    path = tmp_path / "a.npy"
    write_array(path, np.arange(10_000))
    os.truncate(path, 5_000)

    with pytest.raises(SegmentError, match="is not a whole array"):
        open_array(path)


def test_a_folder_in_the_place_of_a_file_is_an_error_with_a_sentence(tmp_path):
    with pytest.raises(SegmentError, match="can't be read"):
        sha256_of(tmp_path)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.npy"
    digest = write_array(path, np.arange(3))

    def full(_descriptor):
        raise OSError("no space left")

    monkeypatch.setattr("dedup.segments.os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        write_array(path, np.arange(4))

    verify_array(path, digest)
    assert [file.name for file in tmp_path.iterdir()] == ["a.npy"]


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path):
    write_bytes(tmp_path / "kept.json", b"{}")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / f".0-7.npy.abcd{UNFINISHED_SUFFIX}").write_bytes(b"half")

    removed = remove_unfinished(tmp_path)

    assert removed == 1
    assert sorted(file.name for file in tmp_path.rglob("*") if file.is_file()) == ["kept.json"]
    assert remove_unfinished(tmp_path / "no such folder") == 0
