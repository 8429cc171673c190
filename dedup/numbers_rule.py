"""Numbers must match: links between texts that differ in numbers or signs are held for a person, not merged in silence.

What a text says with digits and signs (``506``, ``-20``, ``€``, the ``++`` of ``c++``) is its *marks*, what it says with
letters its *wording*. Two texts of one template have one wording and different marks.
"""

import hashlib
import unicodedata
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

VERY_SHORT = 6
SHORT = 32
NUMBERS, BREVITY = 1, 2
REASONS = {NUMBERS: "numbers or signs differ", BREVITY: "very short texts"}

Marks = NDArray[np.uint64]

_ASCII_LETTERS = b"abcdefghijklmnopqrstuvwxyz_"
_ASCII_MARKS = bytes(
    code for code in range(128) if code not in _ASCII_LETTERS and not bytes([code]).isspace()
)
_LETTERS = ("L", "M")


def marks_of(streams: Iterable[bytes]) -> Marks:
    """Sum up clean streams (words joined by one blank, UTF-8): ``uint64[n, 3]`` of wording, marks and number of words.

    Wording and marks are the first eight bytes of a BLAKE2b; a text without marks has 0 there.

    >>> roads = marks_of([b"road 506 is paved", b"road 507 is paved"])
    >>> bool(roads[0, 0] == roads[1, 0]), bool(roads[0, 1] == roads[1, 1])
    (True, False)
    """
    rows = [
        (_key(wording), _key(marks), stream.count(b" ") + 1 if stream else 0)
        for stream in streams
        for wording, marks in [_split(stream)]
    ]
    return np.array(rows, np.uint64).reshape(-1, 3)


def held(left: Marks, right: Marks) -> NDArray[np.int8]:
    """Why each pair of rows of ``marks_of`` needs a person: ``int8[m]``, 0 where it doesn't, ``NUMBERS`` or ``BREVITY``.

    ``NUMBERS``: the marks differ, and either the wording is the same or the shorter text has fewer than 32 words.
    ``BREVITY``: the shorter text has fewer than 6 words. Texts with equal words are never held.

    >>> held(marks_of([b"c++ for beginners in ten days"]), marks_of([b"c# for beginners in ten days"])).tolist()
    [1]
    """
    same_wording, same_marks = left[:, 0] == right[:, 0], left[:, 1] == right[:, 1]
    words = np.minimum(left[:, 2], right[:, 2])
    numbers = ~same_marks & (same_wording | (words < SHORT))
    brevity = ~(same_wording & same_marks) & (words < VERY_SHORT)
    return np.where(numbers, NUMBERS, np.where(brevity, BREVITY, 0)).astype(np.int8)


def _split(stream: bytes) -> tuple[bytes, bytes]:
    """A stream without its marks, and its marks alone; both as words with one blank between."""
    if stream.isascii():
        wording, marks = stream.translate(None, _ASCII_MARKS), stream.translate(None, _ASCII_LETTERS)
        return b" ".join(wording.split()), b" ".join(marks.split())
    text = stream.decode("utf-8", "surrogatepass")
    letters = {ord(sign) for sign in set(text) if sign == "_" or unicodedata.category(sign)[0] in _LETTERS}
    others = {ord(sign) for sign in set(text)} - letters - {ord(" ")}
    wording_words = text.translate(dict.fromkeys(others)).split(" ")
    mark_words = text.translate(dict.fromkeys(letters)).split(" ")
    return _joined(wording_words), _joined(mark_words)


def _joined(words: Iterable[str]) -> bytes:
    return " ".join(word for word in words if word).encode("utf-8", "surrogatepass")


def _key(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little") if content else 0
