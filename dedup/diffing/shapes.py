"""What a comparison of two texts consists of, ready for plain template loops. No HTML in here.

A ``Difference`` has **rows**, one per aligned paragraph (or sentence, see ``unit``), in reading order.
``row.kind``:

``equal``
    the same words on both sides
``changed``
    paired paragraphs with changed words inside
``split``, ``joined``
    one left paragraph whose words fill several right ones, and the other way round
``left_only``, ``right_only``
    paragraphs in a row that the other text doesn't have; the other cell is empty
``moved``
    a paragraph that stands elsewhere in the other text: one row at its left place (``row.right`` empty) and
    one at its right place (``row.left`` empty); ``row.moved_to`` is the paragraph's number over there
``fold``
    equal rows put away: ``row.folded`` holds them, the cells are empty, ``row.fold_size`` says how much
``uncompared``
    what comes after the word limit, as it is

Cells are tuples of ``Span``: ``row.left``, ``row.right``, and ``row.inline`` (both in one flow: equal text
once, as the left side has it, deleted before inserted). ``span.kind``:

``equal``, ``deleted``, ``inserted``
    words, with the punctuation and blanks between them
``space``
    edges of a paragraph without a word (line ends, bullets); never marked
``fold``
    a long equal stretch inside a paragraph: ``span.words`` is its size, ``span.text`` what it hides
``uncompared``
    text after the word limit

Three modes, three loops::

    changes only   for row in difference.rows:      row.left | row.right      (folded, with a little context)
    side by side   for row in difference.unfolded:  row.left | row.right      (nothing put away)
    inline         for row in difference.rows:      row.inline

Joining ``span.text`` over all left cells, folds opened, gives the left text character by character; so does
the right.

Changes are numbered from 1 in reading order, for "change 2 of 7": ``span.change`` on deleted and inserted
spans (0 on others), ``row.change`` where the whole row is one change; both rows of a move share a number.
``difference.changes`` is the plain list of them, ``difference.strip`` has one mark per changed row for an
overview.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

SpanKind = Literal["equal", "deleted", "inserted", "space", "fold", "uncompared"]
RowKind = Literal[
    "equal", "changed", "split", "joined", "left_only", "right_only", "moved", "fold", "uncompared"
]
Note = Literal["", "number", "date", "price", "negation"]
Unit = Literal["paragraph", "sentence"]


@dataclass(frozen=True, slots=True)
class Span:
    """A run of raw characters of one text that is shown in one way.

    ``note`` says that the run is a number, date, price or negation that differs; ``words`` counts the words
    that the score saw.
    """

    text: str
    kind: SpanKind
    note: Note = ""
    words: int = 0
    change: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """One aligned paragraph. Paragraph numbers count from 1 in their own text; an empty side has none."""

    kind: RowKind
    left: tuple[Span, ...] = ()
    right: tuple[Span, ...] = ()
    inline: tuple[Span, ...] = ()
    left_paragraphs: tuple[int, ...] = ()
    right_paragraphs: tuple[int, ...] = ()
    moved_to: int | None = None
    change: int = 0
    folded: "tuple[DiffRow, ...]" = ()
    unit: Unit = "paragraph"

    @property
    def left_paragraph(self) -> int | None:
        """Number of the first left paragraph in this row."""
        return self.left_paragraphs[0] if self.left_paragraphs else None

    @property
    def right_paragraph(self) -> int | None:
        """Number of the first right paragraph in this row."""
        return self.right_paragraphs[0] if self.right_paragraphs else None

    @property
    def opened(self) -> "DiffRow":
        """The row with the folds inside its cells opened."""
        return replace(self, left=_opened(self.left), right=_opened(self.right), inline=_opened(self.inline))

    @property
    def equal_words(self) -> int:
        """Words of the left side that are equal, folded ones included."""
        own = sum(span.words for span in self.left if span.kind in {"equal", "fold"})
        return own + sum(row.equal_words for row in self.folded)

    @property
    def fold_size(self) -> str:
        """Size of a fold for people.

        >>> equal = DiffRow(kind="equal", left=(Span("Two words", "equal", words=2),))
        >>> DiffRow(kind="fold", left_paragraphs=(3, 4), folded=(equal, equal)).fold_size
        '2 equal paragraphs, 4 words'
        """
        number = len(self.left_paragraphs)
        return f"{number:,} equal {self.unit}{'s' * (number != 1)}, {self.equal_words:,} words"


def _opened(cell: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(replace(span, kind="equal") if span.kind == "fold" else span for span in cell)


@dataclass(frozen=True, slots=True)
class Fact:
    """A number, date, price or negation that differs. One side is empty where only the other text has it."""

    kind: Note
    left: str
    right: str
    change: int


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the list of changes: text before and after, and where. Both are the whole text for a moved paragraph."""

    number: int
    kind: RowKind
    before: str
    after: str
    left_paragraph: int | None
    right_paragraph: int | None


@dataclass(frozen=True, slots=True)
class StripMark:
    """A mark of the overview strip: start and height in thousandths of the whole."""

    start: int
    height: int
    kind: RowKind
    change: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two texts compared; words of the left text are equal or deleted, those of the right equal or inserted.

    ``equal_words`` includes words that only moved (``moved_words``); short equal islands inside a change
    count as changed, as they are marked. ``truncated_at`` is the word limit, where a text was longer than it.
    """

    rows: tuple[DiffRow, ...]
    unit: Unit
    facts: tuple[Fact, ...]
    changes: tuple[Change, ...]
    strip: tuple[StripMark, ...]
    equal_words: int
    moved_words: int
    deleted_words: int
    inserted_words: int
    order_differs: bool
    truncated_at: int | None

    @property
    def left_words(self) -> int:
        """Compared words of the left text."""
        return self.equal_words + self.deleted_words

    @property
    def right_words(self) -> int:
        """Compared words of the right text."""
        return self.equal_words + self.inserted_words

    @property
    def changed_words(self) -> int:
        """Marked words of both sides."""
        return self.deleted_words + self.inserted_words

    @property
    def coverage_left(self) -> float | None:
        """Share of the left words that the right text has too, 0 to 1; None for a text without words."""
        return self.equal_words / self.left_words if self.left_words else None

    @property
    def coverage_right(self) -> float | None:
        """Share of the right words that the left text has too, 0 to 1; None for a text without words."""
        return self.equal_words / self.right_words if self.right_words else None

    @property
    def equal_share(self) -> float | None:
        """Share of all words of both sides that are equal, 0 to 1; None if there are none."""
        both = self.left_words + self.right_words
        return 2 * self.equal_words / both if both else None

    @property
    def unfolded(self) -> tuple[DiffRow, ...]:
        """The rows with everything put away opened: fold rows, and fold spans as equal ones."""
        return tuple(self._unfold())

    def _unfold(self) -> Iterator[DiffRow]:
        for row in self.rows:
            yield from row.folded or (row.opened,)

    def differing(self, kind: Note) -> tuple[tuple[str, str], ...]:
        """Pairs (left, right) of the facts of one kind, in reading order."""
        return tuple((fact.left, fact.right) for fact in self.facts if fact.kind == kind)

    @property
    def numbers_differ(self) -> tuple[tuple[str, str], ...]:
        """Numbers that differ, for example ``("12 %", "14 %")``."""
        return self.differing("number")

    @property
    def prices_differ(self) -> tuple[tuple[str, str], ...]:
        """Amounts of money that differ."""
        return self.differing("price")

    @property
    def dates_differ(self) -> tuple[tuple[str, str], ...]:
        """Dates that differ."""
        return self.differing("date")

    @property
    def negations_differ(self) -> tuple[tuple[str, str], ...]:
        """Negations that only one side has, or that differ."""
        return self.differing("negation")
