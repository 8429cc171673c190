"""Reported faults of other tools, as far as words, keys, similarities and fingerprints decide them."""

import json

import numpy as np
import pytest

from dedup import kernel
from dedup.kernel import TextColumn
from dedup.shingling import jaccard, shingles
from dedup.specs import MinHashSpec, SimHashSpec
from dedup.text import exact_key, words
from tests.reference import cases


def keys(case):
    return {name: exact_key(text) for name, text in cases.texts(case).items()}


@pytest.mark.parametrize("k", [1, 3, 5, 7])
def test_texts_shorter_than_a_shingle_differ_unless_they_are_equal(k):
    texts = cases.texts("nd01")

    sets = {name: shingles(words(text), k) for name, text in texts.items()}
    column = kernel.clean(TextColumn.from_strings(texts.values())).streams
    (rows,) = kernel.signatures(column, [MinHashSpec(k=k)])

    assert sets["s1"] == sets["s3"] == sets["s4"]
    assert jaccard(sets["s1"], sets["s2"]) == jaccard(sets["s1"], sets["s5"]) == 0.0
    assert len({row.tobytes() for row in rows}) == 3


def test_texts_without_words_have_no_key_and_share_nothing():
    found = keys("nd03")

    assert [found[name] for name in ("e1", "e2", "e3", "e4")] == [None] * 4
    assert found["n1"] == found["n2"]
    assert jaccard(set(), set()) == 0.0


def test_one_long_word_is_compared_whole():
    texts, found = cases.texts("nd06"), keys("nd06")

    column = kernel.clean(TextColumn.from_strings(texts.values())).streams
    shared, united = kernel.exact_overlaps(column, np.array([0, 0]), np.array([1, 2]), 3)

    assert found["t1"] == found["t3"] != found["t2"]
    assert (shared.tolist(), united.tolist()) == ([0, 1], [2, 1])


def test_hindi_words_keep_their_vowel_signs():
    found = keys("nd10")

    assert found["h1"] == found["h3"] != found["h2"]
    assert words("किताब कातिब") == ["किताब", "कातिब"]


def test_a_small_edit_in_a_chinese_text_leaves_it_similar():
    texts = cases.texts("nd12")

    sets = {name: shingles(words(text), 3) for name, text in texts.items()}

    assert jaccard(sets["q1"], sets["q2"]) > 0.5
    assert jaccard(sets["q1"], sets["q3"]) < 0.1


@pytest.mark.parametrize("letter", "abcd")
def test_signs_that_change_meaning_change_the_exact_key(letter):
    found = keys("nd15")

    assert found[f"{letter}1"] != found[f"{letter}2"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Add 1½ cups of flour", "Add 11/2 cups of flour"),
        ("About 10² litres", "About 102 litres"),
        ("Item 1① of the list", "Item 11 of the list"),
        ("Vegan ✓, gluten ✗", "Vegan ✗, gluten ✓"),
        ("5 ‰ of salt", "5 % of salt"),
    ],
)
def test_numbers_above_the_line_and_marks_that_say_no_are_not_lost(left, right):
    assert exact_key(left) != exact_key(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [("A room of 20 m²", "A room of 20 m2"), ("CO₂ fell", "CO2 fell"), ("Add 1½ cups", "Add 1 1/2 cups")],
)
def test_small_numbers_read_as_the_line_below_where_nothing_is_lost(left, right):
    assert exact_key(left) == exact_key(right)


@pytest.mark.parametrize("case", ["nd20", "nd23", "nd24"])
def test_spellings_that_readers_take_for_one_have_one_key(case):
    assert len(set(keys(case).values())) == 1


def test_fingerprints_with_the_highest_bit_set_are_what_they_were_for_others():
    texts = cases.texts("db01")
    [folder] = cases.CASES.glob("db01-*")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))

    column = kernel.clean(TextColumn.from_strings(texts.values())).streams
    fingerprints = kernel.fingerprints(column, SimHashSpec())

    assert {
        name: f"{value:016x}" for name, value in zip(texts, fingerprints.tolist(), strict=True)
    } == expected
