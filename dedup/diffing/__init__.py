"""Two texts, side by side: paragraphs aligned, words marked, facts listed. See ``dedup.diffing.shapes``."""

from dedup.diffing.comparing import diff
from dedup.diffing.shapes import Change, Difference, DiffRow, Fact, Span, StripMark

__all__ = ["Change", "DiffRow", "Difference", "Fact", "Span", "StripMark", "diff"]
