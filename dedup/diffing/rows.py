"""Planned rows with their text: every raw character of both sides in exactly one span."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dedup.diffing.facts import Mention, within
from dedup.diffing.hunks import Hunk
from dedup.diffing.passages import CutText
from dedup.diffing.plans import Encoded, Plan
from dedup.diffing.shapes import DiffRow, Note, Span, SpanKind, Unit


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: SpanKind
    first: int
    last: int
    change: int


@dataclass(frozen=True, slots=True)
class Side:
    """One text of a comparison, and the facts in it that differ, in order."""

    text: CutText
    changed_kind: SpanKind
    notes: Sequence[Mention]

    def cell(self, places: range, hunks: Sequence[tuple[Hunk, int, int]]) -> Iterator[Span]:
        """Spans of some passages; ``hunks`` come with this side's token range."""
        tokens = self.text.tokens
        start, end = self._edges(places)
        pieces = [self._piece(hunk, first, last) for hunk, first, last in hunks if first < last]
        if not pieces:
            yield from _space(self.text.raw[start:end])
            return
        edges = [tokens[pieces[0].first].start]
        for one, other in pairwise(pieces):
            is_marked = one.kind == self.changed_kind
            edges.append(tokens[one.last - 1].end if is_marked else tokens[other.first].start)
        edges.append(tokens[pieces[-1].last - 1].end)
        if len(pieces) == 1 and pieces[0].kind == self.changed_kind:
            edges = list(_without_blanks(self.text.raw, start, end))
        yield from _space(self.text.raw[start : edges[0]])
        for piece, (first, last) in zip(pieces, pairwise(edges), strict=True):
            yield from self.spans(piece, first, last)
        yield from _space(self.text.raw[edges[-1] : end])

    def spans(self, piece: _Piece, start: int, end: int) -> Iterator[Span]:
        """One piece as spans: a changed one is cut so that each differing fact is a span of its own."""
        if piece.kind != self.changed_kind:
            yield Span(self.text.raw[start:end], piece.kind, words=self.text.words(piece.first, piece.last))
            return
        position, place = start, piece.first
        for note, first, last in self._noted(piece):
            fact_start = max(start, self.text.tokens[first].start)
            fact_end = min(end, self.text.tokens[last - 1].end)
            yield from self._marked(piece, position, fact_start, (place, first), "")
            yield from self._marked(piece, fact_start, fact_end, (first, last), note)
            position, place = fact_end, last
        yield from self._marked(piece, position, end, (place, piece.last), "")

    def _piece(self, hunk: Hunk, first: int, last: int) -> _Piece:
        if not hunk.is_equal:
            return _Piece(self.changed_kind, first, last, hunk.change)
        return _Piece("fold" if hunk.is_folded else "equal", first, last, 0)

    def _edges(self, places: range) -> tuple[int, int]:
        passages = self.text.passages
        return (passages[places.start].start, passages[places.stop - 1].end) if places else (0, 0)

    def _noted(self, piece: _Piece) -> Iterator[tuple[Note, int, int]]:
        """Facts inside a piece, as token ranges that don't overlap."""
        tokens, place = self.text.tokens, piece.first
        start, end = tokens[piece.first].start, tokens[piece.last - 1].end
        for mention in within(self.notes, start, end):
            while place < piece.last and tokens[place].end <= mention.start:
                place += 1
            last = place
            while last < piece.last and tokens[last].start < mention.end:
                last += 1
            if place < last:
                yield mention.kind, place, last
                place = last
            if place == piece.last:
                return

    def _marked(
        self, piece: _Piece, start: int, end: int, tokens: tuple[int, int], note: Note
    ) -> Iterator[Span]:
        if start < end:
            words = self.text.words(*tokens)
            yield Span(self.text.raw[start:end], piece.kind, note, words, piece.change)


def build_rows(
    plans: Sequence[Plan],
    texts: Encoded,
    left_notes: Sequence[Mention],
    right_notes: Sequence[Mention],
    unit: Unit,
) -> tuple[DiffRow, ...]:
    """Cut the text of every row, and of the rows in folds."""
    left, right = Side(texts.left, "deleted", left_notes), Side(texts.right, "inserted", right_notes)
    return tuple(_row(plan, left, right, unit) for plan in plans)


def _row(plan: Plan, left: Side, right: Side, unit: Unit) -> DiffRow:
    left_hunks = [(hunk, hunk.left_first, hunk.left_last) for hunk in plan.hunks]
    right_hunks = [(hunk, hunk.right_first, hunk.right_last) for hunk in plan.hunks]
    is_fold = plan.kind == "fold"
    left_cell = () if is_fold or plan.shows == "right" else tuple(left.cell(plan.left, left_hunks))
    right_cell = () if is_fold or plan.shows == "left" else tuple(right.cell(plan.right, right_hunks))
    return DiffRow(
        kind=plan.kind,
        left=left_cell,
        right=right_cell,
        inline=tuple(_inline(plan, left_cell, right_cell, right)),
        left_paragraphs=tuple(place + 1 for place in plan.left),
        right_paragraphs=tuple(place + 1 for place in plan.right),
        moved_to=plan.moved_to,
        change=plan.change,
        folded=tuple(_row(row, left, right, unit) for row in plan.folded),
        unit=unit,
    )


def _inline(plan: Plan, left: tuple[Span, ...], right: tuple[Span, ...], side: Side) -> Iterator[Span]:
    """Both cells in one flow: the left one, with what was inserted after what was deleted."""
    if not left or not right:
        yield from left or right
        return
    waiting = list(left)
    yield from _take_space(waiting)
    for place, hunk in enumerate(plan.hunks):
        if hunk.left_first < hunk.left_last:
            yield from _take_hunk(waiting, hunk)
        if not hunk.is_equal and hunk.right_first < hunk.right_last:
            yield from _inserted(side, plan.hunks, place)
    yield from waiting


def _take_space(waiting: list[Span]) -> Iterator[Span]:
    while waiting and waiting[0].kind == "space":
        yield waiting.pop(0)


def _take_hunk(waiting: list[Span], hunk: Hunk) -> Iterator[Span]:
    """The spans of one hunk: one span if equal, all spans of its change if not."""
    if hunk.is_equal:
        yield waiting.pop(0)
        return
    while waiting and waiting[0].change == hunk.change:
        yield waiting.pop(0)


def _inserted(side: Side, hunks: Sequence[Hunk], place: int) -> Iterator[Span]:
    """Inserted words; where nothing was deleted, with the blank that sets them apart from their neighbours."""
    hunk, tokens, raw = hunks[place], side.text.tokens, side.text.raw
    start, end = tokens[hunk.right_first].start, tokens[hunk.right_last - 1].end
    is_alone = hunk.left_first == hunk.left_last
    if is_alone and place and place + 1 == len(hunks):
        yield from _space(raw[tokens[hunk.right_first - 1].end : start])
    yield from side.spans(_Piece("inserted", hunk.right_first, hunk.right_last, hunk.change), start, end)
    if is_alone and place + 1 < len(hunks):
        yield from _space(raw[end : tokens[hunk.right_last].start])


def _space(raw: str) -> Iterator[Span]:
    if raw:
        yield Span(raw, "space")


def _without_blanks(raw: str, start: int, end: int) -> tuple[int, int]:
    """Edges of the text between two places without the blanks around it."""
    text = raw[start:end]
    return end - len(text.lstrip()), start + len(text.rstrip())
