"""The compiled way from UTF-8 to clean streams; ``dedup.text`` is what it must equal."""

import numpy as np
from numpy.typing import NDArray

from dedup.characters import fold
from dedup.kernel.columns import CleanColumn, TextColumn
from dedup.kernel.compiling import compiled
from dedup.kernel.fallback import exact_keys
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
    SINGLE,
    SOLITARY,
    SYMBOL,
    VALUE_MASK,
    CharacterTables,
    character_tables,
)
from dedup.specs import NormaliserName

_MOST_BYTES_PER_WORD_CHARACTER = 5
_NEEDS_NEIGHBOURS = -1

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
    code_points = np.empty(longest + 64, np.int32)
    stream = np.empty(_MOST_BYTES_PER_WORD_CHARACTER * code_points.shape[0], np.uint8)
    offsets = np.zeros(len(texts) + 1, np.int64)
    out = np.empty(int(texts.offsets[-1] - texts.offsets[0]) + stream.shape[0], np.uint8)
    done = 0
    while True:
        done = _clean_from(
            done,
            texts.data,
            texts.offsets,
            is_folded,
            tables.folding,
            tables.expansions,
            tables.kinds,
            code_points,
            stream,
            out,
            offsets,
            words,
        )
        if done == len(texts):
            break
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


@compiled
def _clean_from(  # noqa: PLR0913 - one call per column, all of it arrays
    first: int,
    data: Bytes,
    bounds: NDArray[np.int64],
    is_folded: bool,  # noqa: FBT001 - compiled loops take no keywords
    folding: NDArray[np.uint32],
    expansions: NDArray[np.int32],
    kinds: Bytes,
    code_points: CodePoints,
    stream: Bytes,
    out: Bytes,
    offsets: NDArray[np.int64],
    words: NDArray[np.int32],
) -> int:
    for text in range(first, bounds.shape[0] - 1):
        start, end = bounds[text], bounds[text + 1]
        if is_folded:
            count = _decode_text(data, start, end, code_points)
        else:
            count = _fold_text(data, start, end, folding, expansions, code_points)
        length = 0
        words[text] = -1
        if count >= 0:
            length, words[text] = _write_words(code_points, count, kinds, stream)
        begin = offsets[text]
        if begin + length > out.shape[0]:
            return text
        out[begin : begin + length] = stream[:length]
        offsets[text + 1] = begin + length
    return bounds.shape[0] - 1


@compiled
def _decode(data: Bytes, place: int) -> tuple[int, int]:
    lead = np.int64(data[place])
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | np.int64(data[place + 1]) & 0x3F, 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | (np.int64(data[place + 1]) & 0x3F) << 6 | np.int64(
            data[place + 2]
        ) & 0x3F, 3
    high = (lead & 0x07) << 18 | (np.int64(data[place + 1]) & 0x3F) << 12
    return high | (np.int64(data[place + 2]) & 0x3F) << 6 | np.int64(data[place + 3]) & 0x3F, 4


@compiled
def _decode_text(data: Bytes, start: int, end: int, code_points: CodePoints) -> int:
    count = 0
    place = start
    while place < end:
        code_point, width = _decode(data, place)
        code_points[count] = code_point
        count += 1
        place += width
    return count


@compiled
def _fold_text(
    data: Bytes,
    start: int,
    end: int,
    folding: NDArray[np.uint32],
    expansions: NDArray[np.int32],
    code_points: CodePoints,
) -> int:
    count = 0
    order = 0
    place = start
    while place < end:
        code_point, width = _decode(data, place)
        place += width
        entry = np.int64(folding[code_point])
        kind = (entry >> CLASS_SHIFT) & CLASS_MASK
        if kind == DROPPED:
            continue
        own = entry >> ORDER_SHIFT
        if kind == DEPENDENT or (kind == ORDERED_MARK and own < order):
            return _NEEDS_NEIGHBOURS
        order = own
        value = entry & VALUE_MASK
        if kind != EXPANSION:
            code_points[count] = value
            count += 1
            continue
        size = expansions[value]
        if count + size + end - place > code_points.shape[0]:
            return _NEEDS_NEIGHBOURS
        for offset in range(size):
            code_points[count + offset] = expansions[value + 1 + offset]
        count += size
    return count


@compiled
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


@compiled
def _kind_at(code_points: CodePoints, count: int, kinds: Bytes, place: int) -> int:
    if place >= count:
        return 0
    return np.int64(kinds[code_points[place]])


@compiled
def _is_amount(code_points: CodePoints, count: int, kinds: Bytes, place: int) -> bool:
    """Tell whether a digit, or a currency sign and a digit, stands here."""
    kind = _kind_at(code_points, count, kinds, place)
    if kind == CURRENCY:
        kind = _kind_at(code_points, count, kinds, place + 1)
    return kind == DIGIT


@compiled
def _is_sign(code_points: CodePoints, count: int, kinds: Bytes, place: int, before: int) -> bool:
    kind = kinds[code_points[place]]
    if before in (LETTER, DIGIT) or (kind == PLUS and before in (PLUS, NUMBER_SIGN)):
        return False
    return kind in (PLUS, MINUS) and _is_amount(code_points, count, kinds, place + 1)


@compiled
def _end_of_word(code_points: CodePoints, count: int, kinds: Bytes, place: int) -> int:
    """Give where the word that starts here ends, the signs that stick to it included."""
    kind = kinds[code_points[place]]
    if kind in (SYMBOL, CURRENCY):
        return place + 1
    end = place + 1
    if kind == SOLITARY:
        while _kind_at(code_points, count, kinds, end) == MARK:
            end += 1
        if _kind_at(code_points, count, kinds, end) == PLUS and _is_amount(
            code_points, count, kinds, end + 1
        ):
            return end
    else:
        following = _kind_at(code_points, count, kinds, end)
        while following in (LETTER, DIGIT, MARK):
            end += 1
            following = _kind_at(code_points, count, kinds, end)
    while _kind_at(code_points, count, kinds, end) in (PLUS, NUMBER_SIGN):
        end += 1
    return end


@compiled
def _end_of_comparison(code_points: CodePoints, count: int, kinds: Bytes, place: int) -> tuple[int, bool]:
    """Give where a run of comparison signs ends, and whether a number follows."""
    end = place
    while _kind_at(code_points, count, kinds, end) == COMPARISON:
        end += 1
    number = end
    while _kind_at(code_points, count, kinds, number) == BLANK:
        number += 1
    if _kind_at(code_points, count, kinds, number) in (PLUS, MINUS):
        number += 1
    return end, _is_amount(code_points, count, kinds, number)


@compiled
def _write_words(code_points: CodePoints, count: int, kinds: Bytes, stream: Bytes) -> tuple[int, int]:
    length = 0
    words = 0
    place = 0
    before = 0
    while place < count:
        kind = np.int64(kinds[code_points[place]])
        end = place
        if kind in (LETTER, DIGIT, SOLITARY, SYMBOL, CURRENCY):
            end = _end_of_word(code_points, count, kinds, place)
        elif kind in (PLUS, MINUS):
            if _is_sign(code_points, count, kinds, place, before):
                end = _end_of_word(code_points, count, kinds, place + 1)
        elif kind == COMPARISON:
            end, is_word = _end_of_comparison(code_points, count, kinds, place)
            if not is_word:
                place, before = end, COMPARISON
                continue
        if end == place:
            before = kind
            place += 1
            continue
        if words:
            stream[length] = 0x20
            length += 1
        words += 1
        while place < end:
            length = _put(stream, length, code_points[place])
            place += 1
        before = np.int64(kinds[code_points[end - 1]])
        if before == MARK:
            before = SOLITARY if kind == SOLITARY else LETTER
    return length, words
