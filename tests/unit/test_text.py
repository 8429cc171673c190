"""What the rules of the default normaliser say, example by example."""

import unicodedata

import pytest
import regex

from dedup.characters import SOLITARY, is_invisible, kind_of
from dedup.specs import normaliser_recipe
from dedup.text import WordSpan, exact_key, normalise, word_spans, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++, C# and F#7", "c++ c# and f# 7"),
        ("class A+ freezer, 50+ users", "class a+ freezer 50+ users"),
        ("at -20 °C, −20℃, –20 °C or 20 °C", "at -20 ° c -20 ° c -20 ° c or 20 ° c"),
        ("well-known 2020-01-05, 10–20", "well known 2020 01 05 10 20"),
        ("a dash - 5", "a dash 5"),
        ("call +44 20, not 44", "call +44 20 not 44"),
        ("1+1", "1+ 1"),
        ("$500 €500 -$5 5£", "$ 500 € 500 -$ 5 5 £"),
        ("12 % or 12‰", "12 % or 12 ‰"),
        ("p < 0.05, p>=0.05, a <b> 5±1", "p < 0 05 p >= 0 05 a b > 5 ± 1"),
        ("x < -3 and y = €7", "x < -3 and y = € 7"),
        ("<b>bold</b> = good", "b bold b good"),
        ("½ is 1/2, not 12", "1 2 is 1 2 not 12"),
        ("气温-5度", "气 温 -5 度"),
        ("iPhone手机16", "iphone 手 机 16"),
        ("東京タワー", "東 京 タ ワ ー"),
        ("ที่นี่ ๑๒", "ที่ นี่ ๑๒"),
        ("ﾊﾟﾝ", "パ ン"),
        ("한국어 각", "한국어 각"),
        ("snake_case __init__", "snake_case __init__"),
        ("don't “stop” — now…", "don t stop now"),
        ("1\ufe0f\u20e32\ufe0f\u20e3", "1 2"),
        ("\u0301abc \u0301", "abc"),
        ("co\u00adop\u200bera\u2060tive", "cooperative"),
    ],
)
def test_words_are_cut_by_the_rules(text, expected):
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C#"),
        ("A+", "A"),
        ("-20", "20"),
        ("$5", "€5"),
        ("5 %", "5"),
        ("p < 5", "p > 5"),
        ("p <= 5", "p >= 5"),
        ("½", "12"),
        ("x2 = 3", "x2 3"),
        ("किताब", "कातिब"),
        ("ไม", "ไม้"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_texts_that_mean_different_things_have_different_keys(one, other):
    assert exact_key(one) != exact_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("STRASSE", "Straße"),
        ("ﬁve", "FIVE"),
        ("e\u0301", "é"),
        ("Ａ１", "a1"),
        ("a\u200db", "ab"),
        ("e\u200d\u0301", "é"),
        ("−5", "-5"),
        ("İ", "i\u0307"),
        ("Σας", "σασ"),
    ],
)
def test_texts_that_readers_take_for_the_same_have_one_key(one, other):
    assert exact_key(one) == exact_key(other)


def test_a_text_without_words_has_no_key():
    assert exact_key("") is exact_key(" \n…!") is exact_key("\u200b\ufeff") is None


def test_the_lesson_normaliser_stays_what_it_is_with_its_weaknesses():
    assert words("C++ किताब co\u00adop ₂ €5", "lesson") == ["c", "क", "त", "ब", "co", "op", "2", "5"]


def test_spans_point_at_the_raw_text():
    assert word_spans("Ｃａｆ\u0065\u0301! ½") == [
        WordSpan("café", 0, 5),
        WordSpan("1", 7, 8),
        WordSpan("2", 7, 8),
    ]
    assert word_spans("\ufeffa\u00ad b") == [WordSpan("a", 1, 2), WordSpan("b", 4, 5)]


def test_a_long_run_of_signs_is_read_once():
    text = "<" * 200_000 + " " * 200_000 + "+" * 200_000

    assert words(text) == []


def test_the_list_of_invisible_characters_is_complete():
    ignorable = regex.compile(r"\p{Default_Ignorable_Code_Point}")

    different = [
        ordinal
        for ordinal in range(0x110000)
        if is_invisible(chr(ordinal)) != bool(ignorable.match(chr(ordinal)))
    ]

    assert different == []


def test_letters_that_stand_alone_are_those_of_the_seven_scripts():
    scripts = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
    shared_marks = set("\u3006\u3031\u3032\u3033\u3034\u3035\u30fc")

    different = {
        character
        for character in map(chr, range(0x110000))
        if unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl")
        and unicodedata.is_normalized("NFKC", character)
        and (kind_of(character) == SOLITARY) != bool(scripts.match(character))
    }

    assert different == shared_marks


def test_the_recipe_names_the_unicode_version():
    assert normaliser_recipe("unicode") == f"unicode.1+ucd{unicodedata.unidata_version}"
