"""What the kernel promises beyond its bits: columns, refusals, caches, threads."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import njit

from dedup import kernel
from dedup.kernel import TextColumn, compiling, nearness
from dedup.simhash import choose_blocks, hamming_distance, pairs_within
from dedup.specs import MinHashSpec, SimHashSpec


def test_a_column_gives_its_texts_back():
    column = TextColumn.from_strings(["a", "", "漢字", "half \ud800"])

    assert len(column) == 4
    assert [column.text(place) for place in range(4)] == ["a", "", "漢字", "half \ud800"]
    assert [column.take([2, 0]).text(place) for place in range(2)] == ["漢字", "a"]
    assert [column.part(1, 3).text(place) for place in range(2)] == ["", "漢字"]


def test_nothing_in_gives_nothing_out():
    column = TextColumn.from_strings([])
    nobody = np.array([], np.int64)

    cleaned = kernel.clean(column)

    assert len(cleaned.streams) == 0
    assert cleaned.exact_keys.shape == (0, 32)
    assert kernel.signatures(column, [MinHashSpec()])[0].shape == (0, 128)
    assert kernel.signatures(TextColumn.from_strings(["a"]), []) == []
    assert kernel.fingerprints(column, SimHashSpec()).shape == (0,)
    assert kernel.exact_overlaps(column, nobody, nobody, 3)[0].shape == (0,)
    assert pairs_within(np.array([], np.uint64), max_distance=3)[0].shape == (0,)


def test_recipes_of_both_schemes_can_be_mixed_in_one_call():
    column = TextColumn.from_strings(["a b c d"])
    specs = [MinHashSpec(scheme="legacy"), MinHashSpec(k=1), MinHashSpec(scheme="legacy", k=1)]

    together = kernel.signatures(column, specs)

    assert [rows.tolist() for rows in together] == [
        kernel.signatures(column, [spec])[0].tolist() for spec in specs
    ]


def test_columns_may_be_read_only_and_start_anywhere():
    column = TextColumn.from_strings(["left out", "one two three", "four"])
    column.data.flags.writeable = False
    part = column.part(1, 3)

    cleaned = kernel.clean(part)

    assert [cleaned.streams.text(place) for place in range(2)] == ["one two three", "four"]


def test_threads_share_nothing():
    texts = [f"text number {number} has words {number * 7} and {number % 5}" for number in range(400)]
    whole = kernel.clean(TextColumn.from_strings(texts))
    (expected,) = kernel.signatures(whole.streams, [MinHashSpec()])

    def sign(start):
        part = kernel.clean(TextColumn.from_strings(texts[start : start + 50]))
        return kernel.signatures(part.streams, [MinHashSpec()])[0]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(sign, range(0, 400, 50)))

    assert np.concatenate(found).tolist() == expected.tolist()


def test_rows_can_be_written_into_a_larger_array():
    column = TextColumn.from_strings(["one two three", "", "four five"])
    specs = [MinHashSpec(), MinHashSpec(num_perm=100, k=1), MinHashSpec(scheme="legacy")]
    whole = [np.zeros((5, spec.num_perm), np.uint32) for spec in specs]

    kernel.signatures(column, specs, into=[rows[1:4] for rows in whole])

    assert [rows[1:4].tolist() for rows in whole] == [
        rows.tolist() for rows in kernel.signatures(column, specs)
    ]
    assert not any(rows[[0, 4]].any() for rows in whole)


def test_rows_of_another_shape_or_type_are_refused():
    column = TextColumn.from_strings(["one"])

    for rows in (
        np.zeros((2, 128), np.uint32),
        np.zeros((1, 128), np.int64),
        np.zeros((1, 256), np.uint32)[:, ::2],
    ):
        with pytest.raises(ValueError, match=r"rows are contiguous uint32\[1, 128\]"):
            kernel.signatures(column, [MinHashSpec()], into=[rows])


def test_pairs_of_different_length_are_refused():
    column = TextColumn.from_strings(["a"])

    with pytest.raises(ValueError, match="1 left texts against 2 right texts"):
        kernel.exact_overlaps(column, np.array([0]), np.array([0, 0]), 3)
    with pytest.raises(ValueError, match="1 fingerprints against 2"):
        hamming_distance(np.zeros(1, np.uint64), np.zeros(2, np.uint64))


@pytest.mark.parametrize("distance", [-1, 64])
def test_a_distance_that_no_two_blocks_can_show_is_refused(distance):
    with pytest.raises(ValueError, match="between 0 and 63"):
        pairs_within(np.zeros(2, np.uint64), max_distance=distance)


def test_places_that_are_not_valid_find_no_partner():
    fingerprints = np.array([5, 5, 5, 4], np.uint64)

    left, right = pairs_within(fingerprints, max_distance=1, valid=np.array([True, False, True, True]))

    assert list(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 2), (0, 3), (2, 3)]


def test_more_fingerprints_get_longer_keys():
    assert choose_blocks(1_000, 3) == (4, 1)
    assert choose_blocks(100_000_000, 3)[1] > 1


def test_more_near_pairs_than_there_is_room_for_are_all_found(monkeypatch):
    monkeypatch.setattr(nearness, "_ROOM", 1)
    fingerprints = np.arange(64, dtype=np.uint64)

    left, right = pairs_within(fingerprints, max_distance=6)

    assert len(left) == len(right) == 64 * 63 // 2


def test_where_no_folder_can_hold_compiled_code_it_is_compiled_all_the_same(monkeypatch):
    def refuse_to_keep(*, cache=False, **options):
        if cache:
            raise RuntimeError("no locator available")
        return njit(**options)

    monkeypatch.setattr(compiling, "njit", refuse_to_keep)

    @compiling.compiled
    def double(value):
        return 2 * value

    assert double(21) == 42


def test_the_kernel_compiles_nothing_when_it_is_imported():
    program = (
        "import dedup.kernel.cleaning as cleaning, dedup.kernel.sketching as sketching\n"
        "print(len(cleaning._clean_from.signatures) + len(sketching._sign_all.signatures))"
    )

    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "0"


def test_without_numba_the_fallback_does_the_work():
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "from dedup import kernel\n"
        "from dedup.kernel import TextColumn\n"
        "from dedup.specs import MinHashSpec, SimHashSpec\n"
        "import numpy as np\n"
        "streams = kernel.clean(TextColumn.from_strings(['One two three', 'two THREE four'])).streams\n"
        "place = np.array([0]), np.array([1])\n"
        "print(kernel.KERNEL_NAME, kernel.signatures(streams, [MinHashSpec()])[0][0, 0],\n"
        "      kernel.fingerprints(streams, SimHashSpec())[1], *kernel.exact_overlaps(streams, *place, 1))"
    )
    column = kernel.clean(TextColumn.from_strings(["One two three", "two THREE four"])).streams
    first = kernel.signatures(column, [MinHashSpec()])[0][0, 0]
    second = kernel.fingerprints(column, SimHashSpec())[1]

    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == f"fallback {first} {second} [2] [4]"
