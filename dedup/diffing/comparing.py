"""The door: two texts in, one ``Difference`` out."""

from collections.abc import Iterator, Sequence

from dedup.diffing.differing import differing_facts
from dedup.diffing.hunks import Hunk
from dedup.diffing.passages import CutText, cut_both
from dedup.diffing.plans import Encoded, Plan, plan_rows
from dedup.diffing.rows import build_rows
from dedup.diffing.shapes import Change, Difference, DiffRow, Span, StripMark
from dedup.specs import NormaliserName

MOST_MOVES = 6


def diff(
    left: str,
    right: str,
    *,
    normaliser: NormaliserName = "unicode",
    context: int | None = 1,
    max_words: int = 20_000,
    literal: bool = False,
) -> Difference:
    """Compare two texts paragraph by paragraph, word by word.

    Words are those of the shingles, so that what is marked is what the score saw; case, punctuation and
    blanks between words aren't marked unless ``literal`` is true. ``context`` is how many equal paragraphs
    stay open beside a change (long ones in part); None folds nothing. Of longer texts the first ``max_words``
    words are compared, which
    ``truncated_at`` states; the rest follows as it is. Exchanging the texts exchanges the marks, nothing
    else.
    """
    one, other, unit = cut_both(left, right, normaliser=normaliser, most_words=max_words, literal=literal)
    texts = Encoded.of(one, other)
    plans = plan_rows(texts, context=context)
    found = differing_facts(plans, texts)
    left_notes = sorted((fact.left for fact in found if fact.left), key=lambda mention: mention.start)
    right_notes = sorted((fact.right for fact in found if fact.right), key=lambda mention: mention.start)
    rows = build_rows(plans, texts, left_notes, right_notes, unit)
    if one.is_cut or other.is_cut:
        rows = (*rows, _uncompared(one, other))
    equal, moved, deleted, inserted = _counts(plans, texts)
    return Difference(
        rows=rows,
        unit=unit,
        facts=tuple(differing.fact for differing in found),
        changes=tuple(_changes(rows)),
        strip=tuple(_strip(rows)),
        equal_words=equal,
        moved_words=moved,
        deleted_words=deleted,
        inserted_words=inserted,
        order_differs=_moved_blocks(plans) > MOST_MOVES,
        truncated_at=max_words if one.is_cut or other.is_cut else None,
    )


def _uncompared(left: CutText, right: CutText) -> DiffRow:
    cells = [(Span(text.raw[text.limit :], "uncompared"),) if text.is_cut else () for text in (left, right)]
    return DiffRow(kind="uncompared", left=cells[0], right=cells[1], inline=(*cells[0], *cells[1]))


def _counts(plans: Sequence[Plan], texts: Encoded) -> tuple[int, int, int, int]:
    """Words that are equal, that moved (among the equal ones), that were deleted, that were inserted."""
    equal = moved = deleted = inserted = 0
    for plan in plans:
        for hunk in _all_hunks(plan):
            left = texts.left.words(hunk.left_first, hunk.left_last)
            right = texts.right.words(hunk.right_first, hunk.right_last)
            if not hunk.is_equal:
                deleted += left if plan.shows != "right" else 0
                inserted += right if plan.shows != "left" else 0
            elif plan.shows != "right":
                equal += left
                moved += left if plan.kind == "moved" else 0
    return equal, moved, deleted, inserted


def _all_hunks(plan: Plan) -> Iterator[Hunk]:
    yield from plan.hunks
    for row in plan.folded:
        yield from _all_hunks(row)


def _moved_blocks(plans: Sequence[Plan]) -> int:
    """Moves, where neighbours that moved together count once."""
    targets = [plan.moved_to for plan in plans if plan.kind == "moved" and plan.shows == "left"]
    return sum(place == 0 or target != (targets[place - 1] or 0) + 1 for place, target in enumerate(targets))


def _changes(rows: Sequence[DiffRow]) -> Iterator[Change]:
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    first_row: dict[int, DiffRow] = {}
    for row in rows:
        for number, cell, texts in ((row.change, row.left, before), (row.change, row.right, after)):
            texts[number] = texts.get(number, "") + "".join(span.text for span in cell)
        for span in (*row.left, *row.right):
            if span.change != row.change:
                texts = before if span.kind == "deleted" else after
                texts[span.change] = texts.get(span.change, "") + span.text
        for number in (row.change, *(span.change for span in (*row.left, *row.right))):
            first_row.setdefault(number, row)
    for number in sorted(first_row.keys() - {0}):
        yield _change(first_row[number], number, before.get(number, ""), after.get(number, ""))


def _change(row: DiffRow, number: int, before: str, after: str) -> Change:
    left, right = row.left_paragraph, row.right_paragraph
    if row.kind == "moved":
        left, right = left or row.moved_to, right or row.moved_to
    kind = row.kind if number == row.change else "changed"
    return Change(number, kind, before.strip(), after.strip(), left, right)


def _strip(rows: Sequence[DiffRow]) -> Iterator[StripMark]:
    """One mark per changed row, as high as its text is long, over the whole height of 1000."""
    sizes = [_size(row) for row in rows]
    whole = sum(sizes) or 1
    before = 0
    for row, size in zip(rows, sizes, strict=True):
        first = next((span.change for span in (*row.left, *row.right) if span.change), 0)
        if row.kind not in {"equal", "fold", "uncompared"}:
            start = 1000 * before // whole
            yield StripMark(
                start, max(1, 1000 * (before + size) // whole - start), row.kind, row.change or first
            )
        before += size


def _size(row: DiffRow) -> int:
    own = max(sum(len(span.text) for span in row.left), sum(len(span.text) for span in row.right))
    return own + sum(_size(inner) for inner in row.folded)
