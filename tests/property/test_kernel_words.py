"""Words mean the same in the plain code, in the compiled kernel and in the reference, for all of Unicode."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup import kernel
from dedup.characters import SOLITARY, kind_of
from dedup.kernel import TextColumn, fallback
from dedup.text import exact_key, normalise, word_spans, words
from tests.reference import text as reference

ALPHABETS = {
    "plain": "abcXYZ 019_.,'\n\t",
    "signs": "a1 +-−–#<>=≤≥≠±$€£¥%‰°.5/\u00a0",
    "invisible": "a1+-e\u0301 \u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0f\u202e\u034f\u115f\u3164\U000e0041",
    "marks": "aeiouåǰΐᾀ \u0301\u0300\u0323\u0327\u0338\u0345\u0308\u20e3\u093c\u05b0\u0591=<",
    "hangul": "한글각가 각ᆩ흐ㄱㅏ\uffa1\uffc2",
    "indic": "किताबपुरानी् ़कंःॐ।৳তালைொௌ",
    "thai": "กำน้ำเที่ยว ไๆ๑๒1+-",
    "east": "市图书馆ひらカタｶﾞﾊﾟー々〇㍿㌔가1-5+#a ",
    "wide": "ＡＢｃ１２＋－％＄　①½⅓²⁻⁺ﬁﬃﷺ™℃ßẞİıſςΣ",
    "numbers": "1２x ²³₂½①⑵🄁㋀㍘\u00ad\u0301⁄✗✓❌",
    "halves": "a\ud800\udfff 1",
}

any_text = st.one_of(
    st.text(max_size=30),
    st.sampled_from(sorted(ALPHABETS)).flatmap(lambda name: st.text(alphabet=ALPHABETS[name], max_size=24)),
    st.text(alphabet="".join(ALPHABETS.values()), max_size=24),
    st.text(alphabet=st.characters(categories=("Mn", "Mc", "Me", "Lo", "Sc", "Sm", "Cf")), max_size=12),
)
normalisers = st.sampled_from(["unicode", "lesson"])


def stands_alone(character):
    return kind_of(character) == SOLITARY


@settings(max_examples=400, deadline=None)
@given(any_text)
def test_words_follow_the_written_rules(text):
    assert words(text) == reference.words(text, stands_alone=stands_alone)
    assert words(text, "lesson") == reference.lesson_words(text)


@settings(max_examples=150, deadline=None)
@given(st.lists(any_text, max_size=12), normalisers)
def test_the_kernel_cleans_as_the_plain_code_does(texts, normaliser):
    column = TextColumn.from_strings(texts)

    for cleaned in (kernel.clean(column, normaliser), fallback.clean(column, normaliser)):
        assert [cleaned.streams.text(place) for place in range(len(texts))] == [
            normalise(text, normaliser) for text in texts
        ]
        assert cleaned.words.tolist() == [len(words(text, normaliser)) for text in texts]
        assert [key.tobytes() for key in cleaned.exact_keys] == [
            exact_key(text, normaliser) or bytes(32) for text in texts
        ]


plain_parts = st.text(alphabet="abXY019_ .,;'\n", max_size=90)
mixed_texts = st.lists(
    st.one_of(plain_parts, any_text, st.sampled_from([" ", ". ", "x" * 63, "y" * 64, "Z" * 130, " " * 70])),
    max_size=8,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(st.lists(mixed_texts, min_size=1, max_size=4), normalisers)
def test_long_texts_are_cleaned_alike_wherever_plain_parts_and_others_meet(texts, normaliser):
    padded = [*texts, "padding " * 20]

    cleaned = kernel.clean(TextColumn.from_strings(padded), normaliser)

    assert [cleaned.streams.text(place) for place in range(len(padded))] == [
        normalise(text, normaliser) for text in padded
    ]
    assert cleaned.words.tolist() == [len(words(text, normaliser)) for text in padded]


@settings(max_examples=400, deadline=None)
@given(any_text, normalisers)
def test_every_word_knows_the_raw_characters_that_it_came_from(text, normaliser):
    spans = word_spans(text, normaliser)

    assert [span.word for span in spans] == words(text, normaliser)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert [span.start for span in spans] == sorted(span.start for span in spans)
    assert [span.end for span in spans] == sorted(span.end for span in spans)


@settings(max_examples=200, deadline=None)
@given(any_text)
def test_a_text_and_its_canonical_forms_have_the_same_words(text):
    visible = reference.INVISIBLE.sub("", text)

    assert words(unicodedata.normalize("NFC", visible)) == words(unicodedata.normalize("NFD", visible))


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=ALPHABETS["plain"], max_size=60))
def test_on_letters_digits_and_common_punctuation_both_normalisers_agree(text):
    assert words(text) == words(text, "lesson")


@pytest.mark.parametrize("normaliser", ["unicode", "lesson"])
@pytest.mark.parametrize("frame", ["{}", "a{}1", "5 +{}1", "กe{}\u0323"])
def test_every_single_code_point_is_cleaned_alike_in_some_surroundings(normaliser, frame):
    characters = [
        chr(ordinal)
        for ordinal in range(0x110000)
        if unicodedata.category(chr(ordinal)) not in ("Cn", "Co", "Cs")
        and not 0x3500 <= ordinal < 0x9F00
        and not 0xAC80 <= ordinal < 0xD700
        and not 0x17100 <= ordinal < 0x18A00
        and not 0x20100 <= ordinal < 0x2F700
        and not 0x30010 <= ordinal < 0xE0000
    ]
    texts = [frame.format(character) for character in characters]

    cleaned = kernel.clean(TextColumn.from_strings([*texts, "." * 100]), normaliser)

    different = [
        text for place, text in enumerate(texts) if cleaned.streams.text(place) != normalise(text, normaliser)
    ]
    assert different == []


def test_texts_of_one_column_do_not_touch_each_other():
    texts = ["", "a", "ﷺ" * 50, "", "e\u0323\u0301", "漢" * 100, "x" * 5000, "\u0301", "b"]

    cleaned = kernel.clean(TextColumn.from_strings(texts))

    assert [cleaned.streams.text(place) for place in range(len(texts))] == [normalise(text) for text in texts]
    assert cleaned.exact_keys[[0, 3, 7]].any() == np.False_
