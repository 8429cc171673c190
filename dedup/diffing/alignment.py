"""Which paragraph of one text belongs to which of the other: pairs in order, splits, joins and moves.

Paragraphs come as strings with one character per token, so that similarity is rapidfuzz's Indel similarity
(twice the longest common subsequence over the sum of lengths) at the speed of its bit-parallel code.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Indel, LCSseq

PAIR_FLOOR = 0.45
CONTAINED_FLOOR = 0.8
CONTAINED_WORDS = 12
MOVE_FLOOR = 0.8
MOVE_WORDS = 12
PIECE_FLOOR = 0.6
PIECE_WORDS = 3
MOST_COMPARED = 250_000
BLOCK = 500


@dataclass(frozen=True, slots=True)
class Pairing:
    """Left passages ``left.start`` to ``left.stop`` belong to the right ones; several on one side are a split or join."""

    left: range
    right: range


@dataclass(frozen=True, slots=True)
class Alignment:
    """``pairings`` in order on both sides; ``moves``: single passages that stand elsewhere. The rest is one-sided."""

    pairings: tuple[Pairing, ...]
    moves: tuple[Pairing, ...]

    @property
    def mirrored(self) -> "Alignment":
        """The same alignment with left and right exchanged."""
        return Alignment(
            tuple(Pairing(pairing.right, pairing.left) for pairing in self.pairings),
            tuple(sorted((Pairing(move.right, move.left) for move in self.moves), key=_place)),
        )


def align(left: Sequence[str], right: Sequence[str]) -> Alignment:
    """Align two lists of passages.

    Passages are paired in order so that the most words stay equal, and only where at least 45 % of both is
    equal, or 80 % of the shorter one is contained in the longer. What is left over joins a neighbour if it
    continues it, else it is a move if at least 12 words, 80 % of them equal, stand elsewhere.
    """
    pairs = list(_monotone(left, right, range(len(left)), range(len(right))))
    pairings = _with_splits(left, right, pairs)
    taken_left = {place for pairing in pairings for place in pairing.left}
    taken_right = {place for pairing in pairings for place in pairing.right}
    loose_left = [place for place in range(len(left)) if place not in taken_left]
    loose_right = [place for place in range(len(right)) if place not in taken_right]
    return Alignment(tuple(pairings), tuple(_moves(left, right, loose_left, loose_right)))


def _place(pairing: Pairing) -> tuple[int, int]:
    return pairing.left.start, pairing.right.start


def _monotone(
    left: Sequence[str], right: Sequence[str], rows: range, columns: range
) -> Iterator[tuple[int, int]]:
    """Pairs in order. A large area is cut at equal passages first, then, if need be, along its diagonal."""
    if len(rows) * len(columns) <= MOST_COMPARED:
        yield from _heaviest(left, right, rows, columns)
        return
    row = column = 0
    for equal_row, equal_column in _equal_passages(
        left[rows.start : rows.stop], right[columns.start : columns.stop]
    ):
        yield from _in_blocks(left, right, rows[row:equal_row], columns[column:equal_column])
        yield rows[equal_row], columns[equal_column]
        row, column = equal_row + 1, equal_column + 1
    yield from _in_blocks(left, right, rows[row:], columns[column:])


def _equal_passages(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int]]:
    numbers: dict[str, int] = {}
    one, other = ([numbers.setdefault(text, len(numbers)) for text in texts] for texts in (left, right))
    for operation in Indel.opcodes(one, other):
        if operation.tag == "equal":
            yield from zip(
                range(operation.src_start, operation.src_end),
                range(operation.dest_start, operation.dest_end),
                strict=True,
            )


def _in_blocks(
    left: Sequence[str], right: Sequence[str], rows: range, columns: range
) -> Iterator[tuple[int, int]]:
    blocks = max(1, -(-max(len(rows), len(columns)) // BLOCK))
    if len(rows) * len(columns) <= MOST_COMPARED:
        blocks = 1
    for block in range(blocks):
        some_rows = rows[len(rows) * block // blocks : len(rows) * (block + 1) // blocks]
        some_columns = columns[len(columns) * block // blocks : len(columns) * (block + 1) // blocks]
        yield from _heaviest(left, right, some_rows, some_columns)


def _heaviest(
    left: Sequence[str], right: Sequence[str], rows: range, columns: range
) -> Iterator[tuple[int, int]]:
    """Pairs in order with the largest total weight, by dynamic programming over all pairs of the area."""
    if not rows or not columns:
        return
    weights = _weights(left[rows.start : rows.stop], right[columns.start : columns.stop])
    best = np.zeros((len(rows) + 1, len(columns) + 1))
    for row in range(len(rows)):
        with_pair = np.maximum(best[row, 1:], best[row, :-1] + weights[row])
        best[row + 1, 1:] = np.maximum.accumulate(with_pair)
    pairs: list[tuple[int, int]] = []
    row, column = len(rows), len(columns)
    while row and column:
        if best[row, column] == best[row - 1, column]:
            row -= 1
        elif best[row, column] == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((rows[row], columns[column]))
    yield from reversed(pairs)


def _weights(left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
    """Equal words times similarity of each pair, 0 where it is below the floors."""
    similarity = _similarities(left, right)
    sizes = np.array([len(text) for text in left])[:, None], np.array([len(text) for text in right])[None, :]
    shorter = np.minimum(*sizes)
    equal = similarity * (sizes[0] + sizes[1]) / 2
    contained = (equal >= CONTAINED_FLOOR * shorter) & (shorter >= CONTAINED_WORDS) & (similarity >= 0.2)
    return np.where((similarity >= PAIR_FLOOR) | contained, equal * similarity, 0.0)


def _similarities(left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
    found = process.cdist(left, right, scorer=Indel.normalized_similarity, dtype=np.float64)
    empty = np.array([not text for text in left])[:, None] & np.array([not text for text in right])[None, :]
    return np.asarray(np.where(empty, 0.0, found), dtype=np.float64)


def _with_splits(left: Sequence[str], right: Sequence[str], pairs: list[tuple[int, int]]) -> list[Pairing]:
    """Let each pair take over loose neighbours that continue it, on one side only."""
    pairings: list[Pairing] = []
    for number, (row, column) in enumerate(pairs):
        before = pairings[-1] if pairings else Pairing(range(0), range(0))
        after = pairs[number + 1] if number + 1 < len(pairs) else (len(left), len(right))
        grown = _grown(right, left[row], range(before.right.stop, after[1]), column)
        if len(grown) > 1:
            pairings.append(Pairing(range(row, row + 1), grown))
        else:
            rows = _grown(left, right[column], range(before.left.stop, after[0]), row)
            pairings.append(Pairing(rows, grown))
    return pairings


def _grown(texts: Sequence[str], whole: str, room: range, place: int) -> range:
    """Passages around ``place``, within ``room``, that together follow ``whole``."""
    pieces = range(place, place + 1)
    if texts[place] == whole or len(room) == 1:
        return pieces
    equal = LCSseq.similarity(texts[place], whole)
    for step in (1, -1):
        while True:
            added = pieces.stop if step == 1 else pieces.start - 1
            if added not in room or len(texts[added]) < PIECE_WORDS:
                break
            wider = range(min(pieces.start, added), max(pieces.stop, added + 1))
            now_equal = LCSseq.similarity("".join(texts[wider.start : wider.stop]), whole)
            if now_equal - equal < PIECE_FLOOR * len(texts[added]):
                break
            pieces, equal = wider, now_equal
    return pieces


def _moves(left: Sequence[str], right: Sequence[str], rows: list[int], columns: list[int]) -> list[Pairing]:
    """Loose passages of 12 words or more that stand elsewhere, the largest first served."""
    rows = [row for row in rows if len(left[row]) >= MOVE_WORDS]
    columns = [column for column in columns if len(right[column]) >= MOVE_WORDS]
    if not rows or not columns:
        return []
    if len(rows) * len(columns) > MOST_COMPARED:
        return _equal_moves(left, right, rows, columns)
    similarity = _similarities([left[row] for row in rows], [right[column] for column in columns])
    found = [
        (
            -similarity[row, column] * (len(left[rows[row]]) + len(right[columns[column]])),
            rows[row],
            columns[column],
        )
        for row, column in zip(*np.nonzero(similarity >= MOVE_FLOOR), strict=True)
    ]
    return _each_once((row, column) for _, row, column in sorted(found))


def _equal_moves(
    left: Sequence[str], right: Sequence[str], rows: list[int], columns: list[int]
) -> list[Pairing]:
    places: dict[str, deque[int]] = {}
    for column in columns:
        places.setdefault(right[column], deque()).append(column)
    return _each_once((row, places[left[row]].popleft()) for row in rows if places.get(left[row]))


def _each_once(pairs: Iterator[tuple[int, int]]) -> list[Pairing]:
    used_rows: set[int] = set()
    used_columns: set[int] = set()
    moves: list[Pairing] = []
    for row, column in pairs:
        if row not in used_rows and column not in used_columns:
            used_rows.add(row)
            used_columns.add(column)
            moves.append(Pairing(range(row, row + 1), range(column, column + 1)))
    return sorted(moves, key=_place)
