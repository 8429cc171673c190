# ruff: noqa: PLR1714, SIM109 - a search in a tuple compiles slowly and runs slowly
"""The compiled way from UTF-8 to clean streams; ``dedup.text`` is what it must equal."""

import numpy as np
from numpy.typing import NDArray

from dedup.characters import fold
from dedup.kernel.columns import CleanColumn, TextColumn
from dedup.kernel.compiling import compiled, inlined
from dedup.kernel.keys import exact_keys
from dedup.kernel.lanes import write_plain
from dedup.kernel.plain import VECTOR, end_of_odd_part, write_plain_part
from dedup.kernel.tables import (
    BLANK,
    CLASS_MASK,
    CLASS_SHIFT,
    COMPARISON,
    CURRENCY,
    DEPENDENT,
    DIGIT,
    DROPPED,
    EXPANSION,
    LETTER,
    MARK,
    MINUS,
    NUMBER_SIGN,
    ORDER_SHIFT,
    ORDERED_MARK,
    PLUS,
    SOLITARY,
    SYMBOL,
    VALUE_MASK,
    CharacterTables,
    character_tables,
)
from dedup.specs import NormaliserName

_MOST_BYTES_PER_CHARACTER = 5
NEEDS_NEIGHBOURS = -1
LOOKAHEAD = 4
KIND_SHIFT = 24
_WORD_KINDS = LETTER << 32 | (MARK - LETTER + 1)

CodePoints = NDArray[np.int32]
Bytes = NDArray[np.uint8]


def clean(texts: TextColumn, normaliser: NormaliserName) -> CleanColumn:
    """Make clean streams, word counts and exact keys; texts that need it are folded by ``unicodedata``."""
    tables = character_tables(normaliser)
    words = np.empty(len(texts), np.int32)
    streams = _streams(texts, tables, words, is_folded=False)
    dependent = np.flatnonzero(words < 0)
    if dependent.size:
        folded = TextColumn.from_strings(fold(texts.text(index), normaliser) for index in dependent.tolist())
        counts = np.empty(dependent.size, np.int32)
        others = _streams(folded, tables, counts, is_folded=True)
        words[dependent] = counts
        streams = _with_replaced(streams, dependent, others)
    return CleanColumn(streams, words, exact_keys(streams))


def _streams(
    texts: TextColumn, tables: CharacterTables, words: NDArray[np.int32], *, is_folded: bool
) -> TextColumn:
    longest = int(np.diff(texts.offsets).max(initial=0))
    marked = np.empty(longest + 64, np.int32)
    offsets = np.zeros(len(texts) + 1, np.int64)
    room = int(texts.offsets[-1] - texts.offsets[0]) + len(texts)
    out = np.empty(room + _room_for(longest, marked.shape[0]), np.uint8)
    columns = (texts.data, texts.offsets, is_folded)
    characters = (tables.folding, tables.expansions, tables.kinds)
    done = 0
    while done < len(texts):
        done = _clean_from(done, columns, characters, marked, out, offsets, words)
        if done < len(texts):
            out = np.concatenate([out, np.empty(out.shape[0], np.uint8)])
    return TextColumn(out[: offsets[-1]], offsets)


def _with_replaced(streams: TextColumn, places: NDArray[np.intp], others: TextColumn) -> TextColumn:
    lengths = np.diff(streams.offsets)
    lengths[places] = np.diff(others.offsets)
    offsets = np.zeros(len(streams) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    parts: list[Bytes] = []
    before = 0
    for number, place in enumerate(places.tolist()):
        parts.append(streams.data[streams.offsets[before] : streams.offsets[place]])
        parts.append(others.data[others.offsets[number] : others.offsets[number + 1]])
        before = place + 1
    parts.append(streams.data[streams.offsets[before] :])
    return TextColumn(np.concatenate(parts), offsets)


@inlined
def _room_for(size: int, characters: int) -> int:
    """Give how many bytes a text may need: its plain part, one part of so many characters, and vectors beyond."""
    return 2 * size + _MOST_BYTES_PER_CHARACTER * characters + 2 * VECTOR


@compiled
def _clean_from(
    first: int,
    texts: tuple[Bytes, NDArray[np.int64], bool],
    tables: tuple[NDArray[np.uint32], CodePoints, Bytes],
    marked: CodePoints,
    out: Bytes,
    offsets: NDArray[np.int64],
    words: NDArray[np.int32],
) -> int:
    """Clean texts from ``first`` on; gives how far it came before ``out`` was full."""
    data, bounds, is_folded = texts
    for text in range(first, bounds.shape[0] - 1):
        begin = length = offsets[text]
        place, end = bounds[text], bounds[text + 1]
        found = 0
        while place < end:
            if length + _room_for(end - place, marked.shape[0]) > out.shape[0]:
                return text
            stop = end
            if end + VECTOR <= data.shape[0]:
                place, length, more = write_plain_part(data, place, end, out, length)
                found += more
                if place == end:
                    break
                stop = end_of_odd_part(data, place, end)
            count = _mark_characters(data, place, stop, is_folded, tables, marked)
            if count < 0:
                found = NEEDS_NEIGHBOURS
                length = begin
                break
            length, more = _write_words(marked, count, out, length)
            found += more
            place = stop
        words[text] = found
        offsets[text + 1] = max(begin, length - 1)
    return bounds.shape[0] - 1


@inlined
def _decode(data: Bytes, place: int) -> tuple[int, int]:
    """Give the code point of two bytes or more that starts here, and the place after it."""
    lead = np.int64(data[place])
    second = np.int64(data[place + 1]) & 0x3F
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | second, place + 2
    third = np.int64(data[place + 2]) & 0x3F
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | second << 6 | third, place + 3
    fourth = np.int64(data[place + 3]) & 0x3F
    return (lead & 0x07) << 18 | second << 12 | third << 6 | fourth, place + 4


@compiled
def _mark_expansion(expansions: CodePoints, place: int, kinds: Bytes, marked: CodePoints, count: int) -> int:
    for offset in range(1, np.int64(expansions[place]) + 1):
        part = np.int64(expansions[place + offset])
        marked[count] = part | np.int64(kinds[part]) << KIND_SHIFT
        count += 1
    return count


@compiled
def _mark_characters(
    data: Bytes,
    start: int,
    end: int,
    is_folded: bool,  # noqa: FBT001 - compiled loops take no keywords
    tables: tuple[NDArray[np.uint32], CodePoints, Bytes],
    marked: CodePoints,
) -> int:
    """Fold a text into code points with their kinds above them; negative if a character needs its neighbours."""
    folding, expansions, kinds = tables
    count = 0
    order = 0
    place = start
    while place < end:
        code_point = np.int64(data[place])
        if code_point < 0x80:
            value = np.int64(folding[code_point]) & VALUE_MASK
            marked[count] = value | np.int64(kinds[value]) << KIND_SHIFT
            count += 1
            place += 1
            order = 0
            continue
        code_point, place = _decode(data, place)
        entry = code_point if is_folded else np.int64(folding[code_point])
        kind = (entry >> CLASS_SHIFT) & CLASS_MASK
        value = entry & VALUE_MASK
        if kind == DROPPED:
            continue
        own = entry >> ORDER_SHIFT
        if kind == DEPENDENT or (kind == ORDERED_MARK and own < order):
            return NEEDS_NEIGHBOURS
        order = own
        if kind != EXPANSION:
            marked[count] = value | np.int64(kinds[value]) << KIND_SHIFT
            count += 1
            continue
        if count + np.int64(expansions[value]) + end - place + LOOKAHEAD > marked.shape[0]:
            return NEEDS_NEIGHBOURS
        count = _mark_expansion(expansions, value, kinds, marked, count)
    marked[count : count + LOOKAHEAD] = 0
    return count


@inlined
def _put(stream: Bytes, length: int, code_point: int) -> int:
    if code_point < 0x80:
        stream[length] = code_point
        return length + 1
    if code_point < 0x800:
        stream[length] = 0xC0 | code_point >> 6
        stream[length + 1] = 0x80 | code_point & 0x3F
        return length + 2
    if code_point < 0x10000:
        stream[length] = 0xE0 | code_point >> 12
        stream[length + 1] = 0x80 | (code_point >> 6) & 0x3F
        stream[length + 2] = 0x80 | code_point & 0x3F
        return length + 3
    stream[length] = 0xF0 | code_point >> 18
    stream[length + 1] = 0x80 | (code_point >> 12) & 0x3F
    stream[length + 2] = 0x80 | (code_point >> 6) & 0x3F
    stream[length + 3] = 0x80 | code_point & 0x3F
    return length + 4


@inlined
def _is_amount(marked: CodePoints, place: int) -> bool:
    """Tell whether a digit, or a currency sign and a digit, stands here."""
    kind = marked[place] >> KIND_SHIFT
    return kind == DIGIT or (kind == CURRENCY and marked[place + 1] >> KIND_SHIFT == DIGIT)


@compiled
def _is_sign(marked: CodePoints, place: int, before: int) -> bool:
    """Tell whether the plus or minus here belongs to the number that follows."""
    if before == LETTER or before == DIGIT:
        return False
    if marked[place] >> KIND_SHIFT == PLUS and (before == PLUS or before == NUMBER_SIGN):
        return False
    return _is_amount(marked, place + 1)


@compiled
def _end_of_comparison(marked: CodePoints, place: int) -> int:
    """Give where the run of comparison signs that starts here ends; negative if no number follows it."""
    end = place
    while marked[end] >> KIND_SHIFT == COMPARISON:
        end += 1
    number = end
    while marked[number] >> KIND_SHIFT == BLANK:
        number += 1
    kind = marked[number] >> KIND_SHIFT
    if kind == PLUS or kind == MINUS:
        number += 1
    return end if _is_amount(marked, number) else -end


@inlined
def _end_of_signs(marked: CodePoints, place: int) -> int:
    """Give where the run of plus and number signs that sticks to a word ends."""
    kind = marked[place] >> KIND_SHIFT
    while kind == PLUS or kind == NUMBER_SIGN:
        place += 1
        kind = marked[place] >> KIND_SHIFT
    return place


@compiled
def _end_of_solitary(marked: CodePoints, place: int) -> int:
    """Give where a letter with its marks, and the signs that stick to it, end."""
    end = place + 1
    while marked[end] >> KIND_SHIFT == MARK:
        end += 1
    if marked[end] >> KIND_SHIFT == PLUS and _is_amount(marked, end + 1):
        return end
    return _end_of_signs(marked, end)


@compiled
def _end_of_other(marked: CodePoints, place: int, before: int) -> int:
    """Give where the word that starts with no letter or digit ends; ``-end`` if what ends there is no word."""
    kind = marked[place] >> KIND_SHIFT
    if kind == SOLITARY:
        return _end_of_solitary(marked, place)
    if kind == SYMBOL or kind == CURRENCY:
        return place + 1
    if kind == COMPARISON:
        return _end_of_comparison(marked, place)
    if (kind == PLUS or kind == MINUS) and _is_sign(marked, place, before):
        return place + 1 + (marked[place + 1] >> KIND_SHIFT == CURRENCY)
    return -place - 1


@compiled
def _write(marked: CodePoints, start: int, end: int, stream: Bytes, length: int) -> int:
    for place in range(start, end):
        length = _put(stream, length, marked[place] & VALUE_MASK)
    return length


@inlined
def _write_run(marked: CodePoints, start: int, stream: Bytes, length: int) -> tuple[int, int]:
    """Write letters, digits and their marks; gives the place after them and the new length."""
    place = start
    while True:
        plain = write_plain(marked, place, _WORD_KINDS, stream, length)
        place += plain
        length += plain
        if plain == 16:
            continue
        character = marked[place]
        if character >> KIND_SHIFT < LETTER or character >> KIND_SHIFT > MARK:
            return place, length
        length = _put(stream, length, character & VALUE_MASK)
        place += 1


@compiled
def _write_words(marked: CodePoints, count: int, stream: Bytes, length: int) -> tuple[int, int]:
    """Write the words of marked characters, a blank after each; gives the new length and the number of words."""
    words = place = before = 0
    while place < count:
        kind = marked[place] >> KIND_SHIFT
        if kind <= BLANK:
            before = kind
            place += 1
            continue
        if kind > DIGIT:
            end = _end_of_other(marked, place, before)
            if end < 0:
                before = kind
                place = -end
                continue
            length = _write(marked, place, end, stream, length)
            place = end
            before = SOLITARY if kind == SOLITARY else marked[end - 1] >> KIND_SHIFT
        if kind <= DIGIT or ((kind == PLUS or kind == MINUS) and before == kind):
            place, length = _write_run(marked, place, stream, length)
            before = LETTER
        end = _end_of_signs(marked, place) if before == LETTER else place
        if end > place:
            length = _write(marked, place, end, stream, length)
            before = PLUS
            place = end
        stream[length] = 0x20
        length += 1
        words += 1
    return length, words
