"""Shingles, and the share of them that two texts have in common."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def shingles(words: Sequence[str], k: int) -> set[str]:
    """Collect the runs of ``k`` neighbouring words, each joined by one blank.

    Fewer than ``k`` words are one shingle, so that no short text is lost; no word gives the empty set.
    Raises ``ValueError`` if ``k`` is less than 1. (Broder 1997.)

    >>> sorted(shingles(["to", "be", "or", "not"], 3))
    ['be or not', 'to be or']
    >>> shingles(["owl"], 3)
    {'owl'}
    """
    if k < 1:
        raise ValueError(f"k is the number of words in a shingle and must be 1 or more, not {k}")
    if not words:
        return set()
    return {" ".join(words[start : start + k]) for start in range(max(1, len(words) - k + 1))}


def jaccard(left: AbstractSet[str], right: AbstractSet[str]) -> float:
    """Divide the size of the intersection by the size of the union: 0 to 1.

    Two empty sets give 0.0: texts without words are never duplicates of each other. (Jaccard 1901.)

    >>> jaccard({"a b", "b c"}, {"b c", "c d"})
    0.3333333333333333
    """
    common = len(left & right)
    union = len(left) + len(right) - common
    return common / union if union else 0.0
