"""An index answers what comparing with every known text answers, however its texts came into it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.index import IndexSpec, MemoryIndex, SegmentIndex, ask, build_index, sign_texts
from dedup.minhash import hashfunc
from dedup.specs import MinHashSpec, SimHashSpec
from tests.reference import asking as reference

SPEC = IndexSpec(minhash=MinHashSpec(k=2), simhash=SimHashSpec(k=1, max_distance=3), threshold=0.5)
WORDS = ["tram", "river", "bridge", "mill", "council", "spring", "flood", "vote"]
few_texts = st.lists(
    st.one_of(st.just(""), st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)),
    max_size=12,
)


class Texts:
    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def batch(self, start, stop):
        return self.texts[start:stop]


def found(index, texts):
    return [
        (answer.layer, {match.ordinal for match in answer.matches})
        for answer in ask(index, sign_texts(texts, SPEC))
    ]


def fed(index, texts, sizes):
    start = index.stop
    for size in [*sizes, len(texts)]:
        stop = min(start + size, len(texts))
        index.extend(sign_texts(texts[start:stop], SPEC))
        start = stop
    return index


@settings(max_examples=60, deadline=None)
@given(few_texts, few_texts, st.lists(st.integers(1, 5), max_size=4))
def test_an_index_in_memory_finds_what_comparing_with_everything_finds(known, asked, sizes):
    index = fed(MemoryIndex(SPEC), known, sizes)

    assert found(index, asked) == reference.ask(asked, known, SPEC, hashfunc(SPEC.minhash))


@settings(max_examples=15, deadline=None)
@given(few_texts, few_texts, st.integers(0, 12), st.lists(st.integers(1, 5), max_size=3))
def test_an_index_that_is_partly_on_disk_finds_the_same(known, asked, stored, sizes):
    with TemporaryDirectory() as folder:
        arrays = Path(folder)
        build_index(Texts(known[:stored]), SPEC, arrays=arrays, report=lambda _: None, workers=1)
        index = SegmentIndex(arrays, SPEC)

        assert index.stop == min(stored, len(known))
        assert found(fed(index, known, sizes), asked) == reference.ask(
            asked, known, SPEC, hashfunc(SPEC.minhash)
        )


@settings(max_examples=10, deadline=None)
@given(few_texts, few_texts, st.integers(0, 12), st.integers(0, 12))
def test_tables_that_others_write_meanwhile_change_no_answer(known, asked, first, second):
    with TemporaryDirectory() as folder:
        arrays = Path(folder)
        index = fed(SegmentIndex(arrays, SPEC), known, [3])
        before = found(index, asked)
        for upto in sorted({first, second}):
            build_index(Texts(known[:upto]), SPEC, arrays=arrays, report=lambda _: None, workers=1)
            index.refresh()

            assert found(index, asked) == before
        assert index.stop == len(known)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=30),
    st.integers(0, 7),
    st.lists(st.integers(0, 63), max_size=9),
)
def test_fingerprints_within_any_distance_are_found_once_each(prints, distance, flipped):
    from dedup.index.tables import build_table

    spec = IndexSpec(minhash=MinHashSpec(), simhash=SimHashSpec(max_distance=distance))
    stored = np.array(prints, np.uint64)
    own = prints[0]
    for bit in flipped:
        own ^= 1 << bit
    table = build_table(
        np.zeros((stored.size, 128), np.uint32), stored, np.ones(stored.size, np.bool_), spec, start=7
    )

    _, ordinals, bits = table.near(np.array([own], np.uint64), distance)

    expected = {
        place + 7: (own ^ one).bit_count()
        for place, one in enumerate(prints)
        if (own ^ one).bit_count() <= distance
    }
    assert sorted(zip(ordinals.tolist(), bits.tolist(), strict=True)) == sorted(expected.items())
