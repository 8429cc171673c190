"""Two texts, side by side: paragraphs aligned, words marked, facts listed. See ``dedup.diffing.shapes``."""

from dedup.diffing.comparing import diff
from dedup.diffing.shapes import Change, Difference, DiffRow, Fact, Span, StripMark
from dedup.diffing.stacking import Stack, StackPart, Variant, stack

__all__ = [
    "Change",
    "DiffRow",
    "Difference",
    "Fact",
    "Span",
    "Stack",
    "StackPart",
    "StripMark",
    "Variant",
    "diff",
    "stack",
]
