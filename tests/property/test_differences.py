from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.diffing import diff
from dedup.diffing.alignment import _heaviest, _weights
from dedup.diffing.hunks import hunks_of, settled, without_islands
from dedup.text import words
from tests.reference import marked
from tests.reference import outcomes as reference

ENGLISH = [
    "the",
    "of",
    "and",
    "not",
    "no",
    "plan",
    "budget",
    "council",
    "don't",
    "12",
    "14",
    "€3.50",
    "5%",
    "May",
]
OTHERS = [
    "Größe",
    "naïve",
    "e\u0301te\u0301",
    "日本",
    "語",
    "ไทย",
    "½",
    "c++",
    "-20",
    "مدرسة",
    "שלום",
    "नमस्ते",
]
CLUSTERS = [
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "1\ufe0f\u20e3",
    "\U0001f1e9\U0001f1ea",
    "co\u00adop",
]
WORDS = [*ENGLISH, *OTHERS, *CLUSTERS]
word = st.sampled_from(WORDS) | st.text(min_size=1, max_size=4)
gap = st.sampled_from([" ", " ", " ", ", ", ". ", "\u00a0", " — ", "\r\n", "\n"])
paragraph = st.lists(st.tuples(word, gap), min_size=1, max_size=25).map(
    lambda parts: "".join(map("".join, parts))
)
paragraphs = st.lists(paragraph, max_size=6)
options = st.fixed_dictionaries(
    {
        "context": st.sampled_from([None, 0, 1, 2]),
        "literal": st.booleans(),
        "max_words": st.sampled_from([5, 20, 20_000]),
        "normaliser": st.sampled_from(["unicode", "lesson"]),
    }
)
line = st.text(alphabet="abcd", max_size=14)


@st.composite
def two_texts(draw):
    """Two texts that share paragraphs: some moved, some changed, some gone."""
    left = draw(paragraphs)
    right = [
        draw(st.sampled_from([kept, kept, edited(draw, kept), ""])) for kept in draw(st.permutations(left))
    ]
    separator = draw(st.sampled_from(["\n\n", "\n", " "]))
    end = draw(st.sampled_from(["", " The end.\n"]))
    return separator.join(left), separator.join(right) + end


def edited(draw, text):
    parts = text.split(" ")
    place = draw(st.integers(0, len(parts) - 1))
    return " ".join([*parts[:place], draw(word), *parts[place + draw(st.integers(0, 1)) :]])


def spans_of(difference, side):
    return [span for row in difference.unfolded for span in getattr(row, side)]


@settings(max_examples=150, deadline=None)
@given(two_texts(), options)
def test_every_raw_character_of_both_texts_is_shown_once_and_in_order(texts, chosen):
    found = diff(*texts, **chosen)

    assert (marked.raw(found, "left"), marked.raw(found, "right")) == texts


@settings(max_examples=100, deadline=None)
@given(two_texts(), options)
def test_exchanging_the_texts_exchanges_the_marks(texts, chosen):
    one, other = diff(*texts, **chosen), diff(*reversed(texts), **chosen)

    def cells(found, first, second):
        return sorted(
            (
                [(span.text, span.kind in {"deleted", "inserted"}) for span in getattr(row, first)],
                [(span.text, span.kind in {"deleted", "inserted"}) for span in getattr(row, second)],
            )
            for row in found.unfolded
        )

    assert cells(one, "left", "right") == cells(other, "right", "left")
    assert (one.deleted_words, one.inserted_words) == (other.inserted_words, other.deleted_words)
    assert sorted((fact.kind, fact.left, fact.right) for fact in one.facts) == sorted(
        (fact.kind, fact.right, fact.left) for fact in other.facts
    )


@settings(max_examples=100, deadline=None)
@given(two_texts(), options)
def test_the_counts_are_those_of_the_marks(texts, chosen):
    found = diff(*texts, **chosen)

    for side, kind, changed in (
        ("left", "deleted", found.deleted_words),
        ("right", "inserted", found.inserted_words),
    ):
        spans = spans_of(found, side)
        assert sum(span.words for span in spans if span.kind == kind) == changed
        assert sum(span.words for span in spans if span.kind == "equal") == found.equal_words
    if found.truncated_at is None:
        assert (found.left_words, found.right_words) == tuple(
            len(words(text, chosen["normaliser"])) for text in texts
        )


@settings(max_examples=150, deadline=None)
@given(two_texts(), options)
def test_no_span_cuts_a_character_that_a_reader_sees_as_one(texts, chosen):
    found = diff(*texts, **chosen)

    for side, text in zip(("left", "right"), texts, strict=True):
        edges = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
        position = 0
        for span in spans_of(found, side):
            position += len(span.text)
            assert position in edges


@settings(max_examples=100, deadline=None)
@given(two_texts(), options)
def test_folding_hides_no_change(texts, chosen):
    folded, open_ = diff(*texts, **chosen), diff(*texts, **{**chosen, "context": None})

    assert folded.changes == open_.changes
    assert folded.facts == open_.facts
    assert [change.number for change in folded.changes] == list(range(1, len(folded.changes) + 1))


@settings(max_examples=100, deadline=None)
@given(two_texts())
def test_one_flow_holds_every_deleted_and_inserted_word(texts):
    for row in diff(*texts, context=None).rows:
        flow = [(span.change, span.kind, span.words) for span in row.inline if span.change]
        sides = [(span.change, span.kind, span.words) for span in (*row.left, *row.right) if span.change]

        assert sorted(flow) == sorted(sides)
        assert [change for change, _, _ in flow] == sorted(change for change, _, _ in flow)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_a_text_doesnt_differ_from_itself(text):
    found = diff(text, text)

    assert (found.changes, found.facts, found.changed_words) == ((), (), 0)


@settings(max_examples=200, deadline=None)
@given(line, line)
def test_equal_words_are_a_longest_common_subsequence(left, right):
    hunks = hunks_of(left, right, left_first=0, right_first=0)

    equal = sum(hunk.size for hunk in hunks if hunk.is_equal)
    assert equal == reference.longest_common_subsequence(list(left), list(right))


@settings(max_examples=200, deadline=None)
@given(line, line, st.lists(st.integers(0, 4), min_size=16, max_size=16))
def test_sliding_and_merging_changes_keeps_both_texts(left, right, qualities):
    hunks = hunks_of(left, right, left_first=0, right_first=0)

    slid = settled(hunks, (left, right), (qualities.__getitem__, qualities.__getitem__))
    merged = without_islands(slid)

    for found in (slid, merged):
        assert "".join(left[hunk.left_first : hunk.left_last] for hunk in found) == left
        assert "".join(right[hunk.right_first : hunk.right_last] for hunk in found) == right
        assert all(one.is_equal != other.is_equal for one, other in pairwise(found))
        for hunk in found:
            same = left[hunk.left_first : hunk.left_last] == right[hunk.right_first : hunk.right_last]
            assert same or not hunk.is_equal
    assert sum(hunk.size for hunk in slid if hunk.is_equal) == sum(
        hunk.size for hunk in hunks if hunk.is_equal
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(line, max_size=5), st.lists(line, max_size=5))
def test_paragraphs_are_paired_so_that_most_words_stay_equal(left, right):
    pairs = list(_heaviest(left, right, range(len(left)), range(len(right))))

    weights = _weights(left, right).tolist() if left and right else []
    weight = sum(weights[row][column] for row, column in pairs)
    assert weight == pytest.approx(reference.heaviest_pairing(weights))
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(pairs))
