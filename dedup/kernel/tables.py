"""What the kernel knows about every code point, as arrays; built once per process in a fraction of a second."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from dedup import characters
from dedup.characters import (
    characters_that_compose_backwards,
    fold,
    folds_apart,
    is_invisible,
    kind_of,
    numbers_that_are_no_digits,
)
from dedup.specs import NormaliserName

CODE_POINTS = 0x110000

# An entry of the folding table: value in the low 21 bits, then the class, then a combining class.
VALUE_MASK = 0x1FFFFF
CLASS_SHIFT = 21
CLASS_MASK = 7
ORDER_SHIFT = 24

SINGLE = 0
EXPANSION = 1
DROPPED = 2
DEPENDENT = 3
ORDERED_MARK = 4

KINDS = (
    characters.SEPARATOR,
    characters.BLANK,
    characters.LETTER,
    characters.DIGIT,
    characters.MARK,
    characters.SOLITARY,
    characters.SYMBOL,
    characters.CURRENCY,
    characters.PLUS,
    characters.NUMBER_SIGN,
    characters.MINUS,
    characters.COMPARISON,
)
(
    SEPARATOR,
    BLANK,
    LETTER,
    DIGIT,
    MARK,
    SOLITARY,
    SYMBOL,
    CURRENCY,
    PLUS,
    NUMBER_SIGN,
    MINUS,
    COMPARISON,
) = range(len(KINDS))

_building = Lock()


@dataclass(frozen=True, slots=True)
class CharacterTables:
    """Tables of one normaliser, by code point.

    ``folding`` is ``uint32[1114112]``. A code point folds to one other (SINGLE), to several (EXPANSION: the value is
    a place in ``expansions``, where their number and they themselves follow), to nothing (DROPPED), stays as it is
    if its combining class isn't below that of what stands before it (ORDERED_MARK), or can't be folded without its
    neighbours (DEPENDENT). The leading 8 bits are the combining class that the folded form ends with.
    ``kinds`` is ``uint8[1114112]``: the place in ``KINDS`` of a folded code point's kind.
    """

    folding: NDArray[np.uint32]
    expansions: NDArray[np.int32]
    kinds: NDArray[np.uint8]


def character_tables(normaliser: NormaliserName) -> CharacterTables:
    """Give the tables of a normaliser; the first call in a process builds them (0.3 s)."""
    with _building:
        return _build(normaliser)


@lru_cache(maxsize=2)
def _build(normaliser: NormaliserName) -> CharacterTables:
    folding = np.arange(CODE_POINTS, dtype=np.uint32)
    kinds = np.zeros(CODE_POINTS, np.uint8)
    number_of_kind = {kind: number for number, kind in enumerate(KINDS)}
    expansions: list[int] = []
    for ordinal in range(CODE_POINTS):
        character = chr(ordinal)
        category = unicodedata.category(character)
        if category in ("Cn", "Co", "Cs"):
            continue
        kinds[ordinal] = number_of_kind[kind_of(character, normaliser)]
        if category != "Lo" or unicodedata.decomposition(character):
            folding[ordinal] = _entry(character, normaliser, expansions)
    if normaliser == "unicode":
        for first, last in characters.INVISIBLE_RANGES:
            folding[first : last + 1] = DROPPED << CLASS_SHIFT
    for character in characters_that_compose_backwards():
        if not (normaliser == "unicode" and is_invisible(character)):
            folding[ord(character)] = DEPENDENT << CLASS_SHIFT
    return CharacterTables(folding, np.array(expansions or [0], np.int32), kinds)


def _entry(character: str, normaliser: NormaliserName, expansions: list[int]) -> int:
    if normaliser == "unicode" and character in numbers_that_are_no_digits():
        return DEPENDENT << CLASS_SHIFT
    folded = fold(character, normaliser)
    order = max(_trailing_order(character), _trailing_order(folded))
    if folds_apart(character, normaliser):
        if len(folded) == 1:
            return ord(folded) | SINGLE << CLASS_SHIFT | order << ORDER_SHIFT
        place = len(expansions)
        expansions.extend([len(folded), *map(ord, folded)])
        return place | EXPANSION << CLASS_SHIFT | order << ORDER_SHIFT
    if folded == character and len(unicodedata.normalize("NFKD", character)) == 1:
        return ord(character) | ORDERED_MARK << CLASS_SHIFT | order << ORDER_SHIFT
    return DEPENDENT << CLASS_SHIFT


def _trailing_order(text: str) -> int:
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.combining(decomposed[-1]) if decomposed else 0
