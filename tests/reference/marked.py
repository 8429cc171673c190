"""Differences as plain text, for tests: ``[-deleted-]``, ``{+inserted+}``, ``<3 words>`` for a fold."""

from collections.abc import Iterable

from dedup.diffing import Difference, DiffRow, Span


def cell(spans: Iterable[Span]) -> str:
    return "".join(map(_span, spans)).strip()


def lines(difference: Difference) -> list[str]:
    """One line per row: kind, both cells."""
    return [_line(row) for row in difference.rows]


def raw(difference: Difference, side: str) -> str:
    """All raw characters of one side, folds opened."""
    return "".join(span.text for row in difference.unfolded for span in getattr(row, side))


def _line(row: DiffRow) -> str:
    if row.kind == "fold":
        return f"fold | {row.fold_size}"
    moved = f" to {row.moved_to}" if row.moved_to else ""
    return f"{row.kind}{moved} | {cell(row.left)} | {cell(row.right)}"


def _span(span: Span) -> str:
    note = f"{span.note}:" if span.note else ""
    match span.kind:
        case "deleted":
            return f"[-{note}{span.text}-]"
        case "inserted":
            return f"{{+{note}{span.text}+}}"
        case "fold":
            return f"<{span.words} words>"
        case _:
            return span.text
