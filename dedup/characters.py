"""What single characters are to the words of a text: folding, kinds, and where folding may be cut.

The properties come from ``unicodedata``, so they follow the Unicode version of the running Python, which is part
of every recipe. Ranges that are spelt out here are those of whole blocks and properties that Unicode keeps stable.
"""

import re
import unicodedata
from functools import cache

from dedup.specs import NormaliserName

LETTER = "w"
DIGIT = "d"
SOLITARY = "o"
MARK = "m"
SYMBOL = "l"
CURRENCY = "c"
PLUS = "p"
NUMBER_SIGN = "h"
MINUS = "n"
COMPARISON = "q"
BLANK = " "
SEPARATOR = "."

# Default_Ignorable_Code_Point (Unicode Standard, 5.21): complete, and reserved for the future where unassigned.
INVISIBLE_RANGES = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)

# Blocks of scripts that are written without blanks: each letter becomes a word of its own.
SOLITARY_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # Han radicals
    (0x3005, 0x3007),  # Han iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Han numerals
    (0x3031, 0x303B),  # kana and Han repeat marks, numerals
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # Myanmar, extension B
    (0xAA60, 0xAA7F),  # Myanmar, extension A
    (0xF900, 0xFAFF),  # Han compatibility
    (0x16FE2, 0x16FF6),  # Han marks
    (0x1AFF0, 0x1B16F),  # kana extensions
    (0x20000, 0x3FFFF),  # Han, further extensions
)

_COMPARISONS = frozenset("<>=≤≥≠±")
_SYMBOLS = frozenset("%‰‱٪°✗✘☒❌")
_SINGLE_KINDS = {"+": PLUS, "#": NUMBER_SIGN, "-": MINUS, "_": LETTER}
_INVISIBLE = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in INVISIBLE_RANGES) + "]")

# The blocks in which characters stand that NFKC makes into digits and that aren't digits themselves.
_NUMBER_RANGES = ((0x00B2, 0x00BF), (0x2070, 0x218B), (0x2460, 0x24FF), (0x3251, 0x33FF), (0x1F100, 0x1F10B))

# Where characters with a canonical decomposition live; everything else is Han, Hangul or unassigned.
_DECOMPOSED_RANGES = ((0x00C0, 0x3400), (0xA000, 0xAC00), (0xF900, 0x20000), (0x2F800, 0x2FA20))


def is_invisible(character: str) -> bool:
    r"""Tell whether a character is never drawn: soft hyphen, joiners, byte order mark, variation selectors.

    >>> is_invisible("\u00ad"), is_invisible("-")
    (True, False)
    """
    return _INVISIBLE.match(character) is not None


def fold(text: str, normaliser: NormaliserName = "unicode") -> str:
    r"""Fold what readers take for the same: invisible characters, compatibility forms, case, kinds of minus.

    ``unicode`` drops invisible characters, keeps small and circled numbers and fractions apart from digits before them,
    then applies NFKC, case folding and NFKC again, and writes the minus sign and the en dash as a hyphen. ``lesson``
    is NFKC and case folding.

    >>> fold("Stra\u00adße ﬁve −5 m², 10² m")
    'strasse five -5 m2, 10 2 m'
    """
    if text.isascii():
        return text.lower()
    if normaliser == "lesson":
        return unicodedata.normalize("NFKC", text).casefold()
    apart = _number_after_digit().sub(" ", _INVISIBLE.sub("", text))
    composed = unicodedata.normalize("NFKC", apart).casefold()
    return unicodedata.normalize("NFKC", composed).replace("−", "-").replace("–", "-")


@cache
def numbers_that_are_no_digits() -> frozenset[str]:
    """Give every character that NFKC makes into digits and that is no digit: ², ½, ①."""
    return frozenset(
        chr(ordinal)
        for first, last in _NUMBER_RANGES
        for ordinal in range(first, last + 1)
        if not chr(ordinal).isdecimal() and unicodedata.normalize("NFKC", chr(ordinal))[:1].isdecimal()
    )


@cache
def _number_after_digit() -> re.Pattern[str]:
    return re.compile(rf"(?<=\d)(?=[{''.join(sorted(numbers_that_are_no_digits()))}])")


def kind_of(character: str, normaliser: NormaliserName = "unicode") -> str:
    r"""Name the kind of one folded character: one of the letters that this module defines.

    ``lesson`` knows letters, which are the characters of ``\w``, and separators.
    """
    if normaliser == "lesson":
        return LETTER if character == "_" or character.isalnum() else SEPARATOR
    if character.isalnum():
        return _kind_of_word_character(character)
    return _SINGLE_KINDS.get(character) or _kind_of_other_character(character)


def _kind_of_word_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Nd":
        return DIGIT
    ordinal = ord(character)
    alone = category[0] == "L" or category == "Nl"
    if alone and any(first <= ordinal <= last for first, last in SOLITARY_RANGES):
        return SOLITARY
    return LETTER


def _kind_of_other_character(character: str) -> str:
    if character.isspace():
        return BLANK
    if character in _COMPARISONS:
        return COMPARISON
    if character in _SYMBOLS:
        return SYMBOL
    category = unicodedata.category(character)
    if category == "Sc":
        return CURRENCY
    return MARK if category in ("Mn", "Mc") else SEPARATOR


class KindTable(dict[int, str]):
    """Kinds by code point for ``str.translate``, filled as characters are met."""

    def __init__(self, normaliser: NormaliserName) -> None:
        super().__init__()
        self.normaliser: NormaliserName = normaliser

    def __missing__(self, ordinal: int) -> str:
        kind = kind_of(chr(ordinal), self.normaliser)
        self[ordinal] = kind
        return kind


@cache
def kind_table(normaliser: NormaliserName) -> KindTable:
    """Give the one table of kinds of a normaliser."""
    return KindTable(normaliser)


@cache
def characters_that_compose_backwards() -> frozenset[str]:
    """Give every character that NFC may merge with the one before it: many marks, Hangul vowels and finals."""
    seconds = {chr(ordinal) for ordinal in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for first, last in _DECOMPOSED_RANGES:
        for ordinal in range(first, last):
            decomposition = unicodedata.decomposition(chr(ordinal))
            if decomposition and decomposition[0] != "<":
                seconds.update(chr(int(part, 16)) for part in decomposition.split()[1:])
    return frozenset(seconds)


def folds_apart(character: str, normaliser: NormaliserName = "unicode") -> bool:
    """Tell whether text may be cut before this character without changing how it folds.

    True if neither step of folding lets the character reorder or merge with what stands before it. The blank that
    ``fold`` puts between a digit and a small number is left to the caller.
    """
    if normaliser == "unicode" and is_invisible(character):
        return False
    folded = unicodedata.normalize("NFKC", character).casefold()
    return _starts_apart(character) and (normaliser == "lesson" or _starts_apart(folded))


def _starts_apart(text: str) -> bool:
    first = unicodedata.normalize("NFKD", text)[:1]
    if not first:
        return False
    return unicodedata.combining(first) == 0 and first not in characters_that_compose_backwards()
