"""A text cut for comparison: words as the score sees them, in paragraphs or sentences that tile the raw text."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import regex

from dedup.diffing.shapes import Unit
from dedup.specs import NormaliserName
from dedup.text import word_spans

LONG_PARAGRAPH_WORDS = 40
MOST_CHARACTERS_PER_WORD = 24

_SENTENCE_END = re.compile(
    r"(?<![.!?…؟։।॥])[.!?…؟։।॥]++[\"'”’»)\]]*+\s++"  # scripts that leave a blank after a sentence
    r"|[。！？｡]+[」』”’）]*\s*"  # scripts that don't
)
_LIST_ITEM = re.compile(r"[-*•·>|#]|\d+[.)]\s")
_CLAUSE_END = re.compile(r"[.!?…؟։।॥,;:–—)\]]\s|\s[(\[]|[。！？｡、，；：]")


@dataclass(frozen=True, slots=True)
class Token:
    """What is marked as a whole: one word, or several that share a raw character, as ``raw[start:end]``.

    ``key`` is equal for tokens that compare equal; ``words`` counts the words in it.
    """

    key: str
    start: int
    end: int
    words: int = 1


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph or sentence: raw characters ``start`` to ``end``, tokens ``first`` to ``last`` (both half-open)."""

    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class CutText:
    """A text's compared part, ``raw[:limit]``: passages tile it, each with a word unless there is none at all."""

    raw: str
    limit: int
    tokens: list[Token]
    passages: list[Passage]

    @property
    def is_cut(self) -> bool:
        """Whether the text goes on after the word limit."""
        return self.limit < len(self.raw)

    def edge_quality(self, place: int) -> int:
        """How well a change may begin or end before a token: 4 at a line, 3 at a sentence, 2 at a clause, 1 at a blank."""
        if place in {0, len(self.tokens)}:
            return 4
        gap = self.raw[self.tokens[place - 1].end : self.tokens[place].start]
        if "\n" in gap:
            return 4
        if _CLAUSE_END.search(gap):
            return 3 if _SENTENCE_END.search(gap) else 2
        return 1 if gap.isspace() else 0

    def words(self, first: int, last: int) -> int:
        """Words in tokens ``first`` to ``last`` (half-open)."""
        return sum(token.words for token in self.tokens[first:last])


def cut_both(
    left: str, right: str, *, normaliser: NormaliserName, most_words: int, literal: bool
) -> tuple[CutText, CutText, Unit]:
    """Cut two texts the same way: by paragraphs, or by sentences if one paragraph holds most of either text."""
    texts = [_Words.of(raw, normaliser, most_words) for raw in (left, right)]
    starts = [paragraph_starts(text.compared) for text in texts]
    unit: Unit = "paragraph"
    if any(_is_one_long_paragraph(text.tokens, cuts) for text, cuts in zip(texts, starts, strict=True)):
        unit = "sentence"
        starts = [sentence_starts(text.compared, cuts) for text, cuts in zip(texts, starts, strict=True)]
    one, other = (text.cut(cuts, literal=literal) for text, cuts in zip(texts, starts, strict=True))
    return one, other, unit


def cut_words(raw: str, *, normaliser: NormaliserName, most_words: int) -> CutText:
    """Cut a text into words only, without passages."""
    text = _Words.of(raw, normaliser, most_words)
    return CutText(raw, text.limit, text.tokens, [])


@dataclass(frozen=True, slots=True)
class _Words:
    raw: str
    limit: int
    tokens: list[Token]

    @classmethod
    def of(cls, raw: str, normaliser: NormaliserName, most_words: int) -> "_Words":
        within = raw[: most_words * MOST_CHARACTERS_PER_WORD]
        tokens = tokens_of(within, normaliser)
        if len(within) == len(raw) and len(tokens) <= most_words:
            return cls(raw, len(raw), tokens)
        kept = tokens[:most_words]
        return cls(raw, kept[-1].end if kept else len(within), kept)

    @property
    def compared(self) -> str:
        return self.raw[: self.limit]

    def cut(self, starts: list[int], *, literal: bool) -> CutText:
        passages = list(_passages(self.tokens, starts, self.limit))
        tokens = _literal(self.raw, self.tokens, passages) if literal else self.tokens
        return CutText(self.raw, self.limit, tokens, passages)


def tokens_of(raw: str, normaliser: NormaliserName) -> list[Token]:
    """Words of a text as tokens whose edges never cut a character that a reader sees as one.

    Edges are widened to extended grapheme clusters (Unicode Standard Annex 29); words that then share a
    cluster become one token.
    """
    spans = word_spans(raw, normaliser)
    if not spans:
        return []
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    if not raw.isascii():
        starts, ends = _on_graphemes(raw, starts, ends)
    tokens: list[Token] = []
    for span, start, end in zip(spans, starts, ends, strict=True):
        if tokens and start < tokens[-1].end:
            last = tokens[-1]
            tokens[-1] = Token(f"{last.key} {span.word}", last.start, max(last.end, end), last.words + 1)
        else:
            tokens.append(Token(span.word, start, end))
    return tokens


def _on_graphemes(raw: str, starts: list[int], ends: list[int]) -> tuple[list[int], list[int]]:
    edges = np.fromiter((match.start() for match in regex.finditer(r"\X", raw)), dtype=np.int64)
    edges = np.append(edges, len(raw))
    below = edges[np.searchsorted(edges, starts, side="right") - 1]
    above = edges[np.searchsorted(edges, ends, side="left")]
    return below.tolist(), above.tolist()


def _literal(raw: str, tokens: list[Token], passages: list[Passage]) -> list[Token]:
    """Tokens that carry case and the signs and blanks up to the next word, and compare by all of it."""
    widened: list[Token] = []
    for passage in passages:
        inside = tokens[passage.first : passage.last]
        edges = [passage.start, *(token.start for token in inside[1:]), passage.end]
        widened += [
            Token(raw[start:end], start, end, token.words)
            for token, (start, end) in zip(inside, pairwise(edges), strict=False)
        ]
    return widened


def paragraph_starts(raw: str) -> list[int]:
    """Where paragraphs start: after blank lines, and after each line end unless the lines are wrapped by width."""
    starts: list[int] = []
    block: list[tuple[int, str]] = []
    position = 0
    for line in raw.splitlines(keepends=True):
        if line.strip():
            block.append((position, line.strip()))
        else:
            starts += _starts_in_block(block)
            block = []
        position += len(line)
    return starts + _starts_in_block(block)


def _starts_in_block(block: list[tuple[int, str]]) -> list[int]:
    return [start for start, _ in (block[:1] if _is_wrapped([line for _, line in block]) else block)]


def _is_wrapped(lines: list[str]) -> bool:
    """Whether lines look like one paragraph cut by width: the next word would nearly never have fitted."""
    longest = max(map(len, lines), default=0)
    if len(lines) < 2 or not 45 <= longest <= 100 or any(map(_LIST_ITEM.match, lines[1:])):
        return False
    full = sum(len(line) + 1 + len(following.split()[0]) > longest for line, following in pairwise(lines))
    return full >= 0.9 * (len(lines) - 1)


def sentence_starts(raw: str, paragraphs: list[int]) -> list[int]:
    """Where sentences start: at each paragraph, and after the signs that end a sentence."""
    ends = {match.end() for match in _SENTENCE_END.finditer(raw)} - {len(raw)}
    return sorted(ends.union(paragraphs))


def _is_one_long_paragraph(tokens: list[Token], starts: list[int]) -> bool:
    token_starts = [token.start for token in tokens]
    places = [bisect_left(token_starts, start) for start in starts] + [len(tokens)]
    longest = max((last - first for first, last in pairwise(places)), default=0)
    return longest > LONG_PARAGRAPH_WORDS and longest > len(tokens) / 2


def _passages(tokens: list[Token], starts: list[int], limit: int) -> Iterator[Passage]:
    """Passages between cuts. Cuts inside a token are dropped; a piece without words joins the one before it."""
    if not limit:
        return
    token_starts = [token.start for token in tokens]
    start = first = 0
    for cut in starts:
        place = bisect_left(token_starts, cut)
        if place == first or place == len(tokens) or tokens[place - 1].end > cut:
            continue
        yield Passage(start, cut, first, place)
        start, first = cut, place
    yield Passage(start, limit, first, len(tokens))
