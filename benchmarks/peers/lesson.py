"""The lesson's words and shingles, for peers that leave cutting a text into shingles to their users."""

import re
import unicodedata

from benchmarks.measuring import K


def words(text: str) -> list[str]:
    """NFKC, casefold, runs of word characters."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def shingles(text: str) -> set[str]:
    """Distinct runs of three words; a shorter text is one shingle."""
    found = words(text)
    return {" ".join(found[start : start + K]) for start in range(max(1, len(found) - K + 1))}


def shingle_list(text: str) -> list[str]:
    """The same shingles as fast as plain Python makes them, repetitions kept: a sketch doesn't mind them."""
    found = words(text)
    return list(map(" ".join, zip(found, found[1:], found[2:], strict=False))) or [" ".join(found)]
