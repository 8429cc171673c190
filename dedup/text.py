"""The words of a text, which everything else counts, hashes and shows; the rules are in docs/text-semantics.md."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from dedup.characters import fold, folds_apart, is_invisible, kind_table, numbers_that_are_no_digits
from dedup.specs import NormaliserName

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")

# Patterns over the kinds of a folded text, one letter per character (dedup.characters names them).
_MARKED = re.compile(r"(?P<word>[wd][wdm]*)|o(?P<solitary>m+)|m+")
_WORD = re.compile(
    r"(?P<found>"
    r"(?:(?:(?<![wdph])p|(?<![wd])n)(?=c?d))?(?:[wd]++[ph]*+|c)"  # -5, c++, 50, €, -€
    r"|oa*+(?:(?!pc?d)[ph]++)?"  # one letter of a script without blanks, with its marks
    r"|l"  # %, °
    r"|q++(?= *+[pn]?c?d)"  # < 5, >= -3
    r")|q++"
)


@dataclass(frozen=True, slots=True)
class WordSpan:
    """One word, and the half-open range of raw characters that it came from."""

    word: str
    start: int
    end: int


def normalise(text: str, normaliser: NormaliserName = "unicode") -> str:
    """Give the clean stream of a text: its words, joined by one blank.

    >>> normalise("C++ at −20 °C, for only €5!")
    'c++ at -20 ° c for only € 5'
    """
    return " ".join(words(text, normaliser))


def words(text: str, normaliser: NormaliserName = "unicode") -> list[str]:
    r"""List the words of a text in order.

    ``unicode`` follows docs/text-semantics.md; ``lesson`` is ``re.findall(r"\w+", ...)`` over the NFKC form with
    case folded, no more and no less.

    >>> words("Naïve CAFÉ — two words?")
    ['naïve', 'café', 'two', 'words']
    """
    folded = fold(text, normaliser)
    if normaliser == "lesson":
        return re.findall(r"\w+", folded)
    return [folded[start:end] for start, end in _word_ranges(folded, normaliser)]


def exact_key(text: str, normaliser: NormaliserName = "unicode") -> bytes | None:
    """Give the SHA-256 of the clean stream, 32 bytes; None for a text without words, which equals nothing."""
    stream = normalise(text, normaliser)
    return hashlib.sha256(stream.encode()).digest() if stream else None


def word_spans(text: str, normaliser: NormaliserName = "unicode") -> list[WordSpan]:
    """List the words of a text with the raw characters that each came from.

    The words equal ``words(text, normaliser)``. Spans are in order; they overlap only where one raw character
    gives two words, as ½ does.

    >>> word_spans("½ Ƶ")
    [WordSpan(word='1', start=0, end=1), WordSpan(word='2', start=0, end=1), WordSpan(word='ƶ', start=2, end=3)]
    """
    folded, starts, ends = _folded_with_origins(text, normaliser)
    return [
        WordSpan(folded[start:end], starts[start], ends[end - 1])
        for start, end in _word_ranges(folded, normaliser)
    ]


def _word_ranges(folded: str, normaliser: NormaliserName) -> list[tuple[int, int]]:
    kinds = folded.translate(kind_table(normaliser))
    if "m" in kinds:
        kinds = _MARKED.sub(_attach_marks, kinds)
    return [match.span() for match in _WORD.finditer(kinds) if match["found"] is not None]


def _attach_marks(match: re.Match[str]) -> str:
    if match["word"]:
        return match["word"].replace("m", "w")
    if match["solitary"]:
        return "o" + "a" * len(match["solitary"])
    return "." * len(match[0])


def _folded_with_origins(text: str, normaliser: NormaliserName) -> tuple[str, list[int], list[int]]:
    origins = _Origins(text, normaliser)
    place = 0
    for foreign in _NOT_ASCII.finditer(text):
        start = foreign.start()
        if start > place and not _folds_apart(text[start], normaliser):
            start -= 1
        origins.add_plain(place, start)
        origins.add_foreign(start, foreign.end())
        place = foreign.end()
    origins.add_plain(place, len(text))
    return "".join(origins.folded), origins.starts, origins.ends


class _Origins:
    """A folded text in the making, with the range of raw characters that each folded character came from."""

    def __init__(self, text: str, normaliser: NormaliserName) -> None:
        self.text = text
        self.normaliser: NormaliserName = normaliser
        self.folded: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.numbers = numbers_that_are_no_digits() if normaliser == "unicode" else frozenset[str]()

    def _follows_digit(self, place: int) -> bool:
        while place and is_invisible(self.text[place - 1]):
            place -= 1
        return self.text[max(place - 1, 0) : place].isdecimal()

    def add_plain(self, start: int, end: int) -> None:
        """Add ASCII, which folds one to one."""
        self.folded.append(self.text[start:end].lower())
        self.starts.extend(range(start, end))
        self.ends.extend(range(start + 1, end + 1))

    def add_foreign(self, start: int, end: int) -> None:
        """Add text in the smallest pieces that fold apart, without the invisible characters at their ends."""
        cuts = [place for place in range(start + 1, end) if _folds_apart(self.text[place], self.normaliser)]
        for first, last in pairwise([start, *cuts, end]):
            piece = self.text[first:last]
            if piece[0] in self.numbers and self._follows_digit(first):
                self.folded.append(" ")
                self.starts.append(first)
                self.ends.append(first)
            folded = (_fold_piece if len(piece) < 5 else fold)(piece, self.normaliser)
            while self.normaliser == "unicode" and len(piece) > 1 and is_invisible(piece[-1]):
                piece = piece[:-1]
            self.folded.append(folded)
            self.starts.extend([first] * len(folded))
            self.ends.extend([first + len(piece)] * len(folded))


@lru_cache(maxsize=1 << 16)
def _fold_piece(piece: str, normaliser: NormaliserName) -> str:
    return fold(piece, normaliser)


@cache
def _folds_apart(character: str, normaliser: NormaliserName) -> bool:
    return folds_apart(character, normaliser)
