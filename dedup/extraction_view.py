"""What became of a page's visible text: each block of it with its place on the page, kept or removed."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from lxml.etree import _Element as Element
from rapidfuzz.distance import LCSseq

from dedup.extraction import Extraction, ExtractorName, extract, parse_page
from dedup.notices import has_consent_name, has_shop_name

_LONGEST_VIEW = 20_000
_KEPT_SHARE = 0.5
_UNSEEN = frozenset({"script", "style", "template", "head", "svg", "title"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "font", "i", "kbd", "label", "mark"}
    | {"q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}
)
_PLACES = {
    "nav": "navigation",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "form": "form",
    "noscript": "noscript",
    "figure": "figure",
    "table": "table",
}


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of visible text without a break; ``place`` names the part of the page it stands in, or is empty."""

    text: str
    place: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """Blocks that follow each other in one place of the page and share their fate."""

    texts: tuple[str, ...]
    place: str
    is_kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionView:
    """A page before and after extraction; ``words`` counts those that a reader sees, ``kept_words`` those of the main text."""

    extraction: Extraction
    blocks: tuple[Block, ...]
    words: int
    kept_words: int
    is_cut: bool = False

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The whole page, as stretches of kept and of removed blocks."""
        groups = groupby(self.blocks, key=lambda block: (block.place, block.is_kept))
        return tuple(
            Stretch(tuple(block.text for block in blocks), place, is_kept)
            for (place, is_kept), blocks in groups
        )

    @property
    def removed(self) -> tuple[Stretch, ...]:
        """The stretches that are not in the main text."""
        return tuple(stretch for stretch in self.stretches if not stretch.is_kept)


def view_extraction(html: str, *, url: str = "", extractor: ExtractorName = "trafilatura") -> ExtractionView:
    """Extract a page, and say of each block of its visible text whether at least half of its words were kept.

    Words are aligned in their order (longest common subsequence); a page is viewed up to its 20,000th word.
    """
    found = extract(html, url=url, extractor=extractor)
    tree = parse_page(html)
    pieces = [] if tree is None else list(_blocks(tree))
    kept = found.text.replace("|", " ").split()
    blocks, words, is_cut = _limited(pieces)
    flat = [word for words_of_block, _ in blocks for word in words_of_block]
    shares = _matched(flat, kept[:_LONGEST_VIEW])
    viewed, at = [], 0
    for words_of_block, place in blocks:
        matched = sum(shares[at : at + len(words_of_block)])
        at += len(words_of_block)
        is_kept = matched >= _KEPT_SHARE * len(words_of_block)
        viewed.append(Block(" ".join(words_of_block), place, is_kept))
    return ExtractionView(
        extraction=found, blocks=tuple(viewed), words=words, kept_words=len(kept), is_cut=is_cut
    )


def _limited(pieces: list[tuple[list[str], str]]) -> tuple[list[tuple[list[str], str]], int, bool]:
    total = sum(len(words) for words, _ in pieces)
    if total <= _LONGEST_VIEW:
        return pieces, total, False
    left = _LONGEST_VIEW
    blocks = []
    for words, place in pieces:
        if left <= 0:
            break
        blocks.append((words[:left], place))
        left -= len(words)
    return blocks, total, True


def _matched(words: list[str], kept: list[str]) -> list[bool]:
    """Of each word of the page, whether the alignment finds it in the main text.

    Runs of three words are aligned first and single words only between them, so that a word of a menu doesn't stand for
    the same word of the article.
    """
    found = [False] * len(words)
    at, kept_at = 0, 0
    for start, end, kept_start, kept_end in [*_anchors(words, kept), (len(words),) * 2 + (len(kept),) * 2]:
        between = LCSseq.opcodes(words[at:start], kept[kept_at:kept_start])
        for code in between:
            if code.tag == "equal":
                found[at + code.src_start : at + code.src_end] = [True] * (code.src_end - code.src_start)
        found[start:end] = [True] * (end - start)
        at, kept_at = max(at, end), max(kept_at, kept_end)
    return found


def _anchors(words: list[str], kept: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Where runs of at least three words stand on the page and in the main text: both as start and end."""
    codes = LCSseq.opcodes(
        list(zip(words, words[1:], words[2:], strict=False)),
        list(zip(kept, kept[1:], kept[2:], strict=False)),
    )
    for code in codes:
        if code.tag == "equal":
            yield code.src_start, code.src_end + 2, code.dest_start, code.dest_end + 2


def _blocks(tree: Element) -> Iterator[tuple[list[str], str]]:
    """The visible words between two breaks, with the place of the element that holds them."""
    body = tree.find("body")
    body = tree if body is None else body
    words: list[str] = []
    holder = body
    stack: list[tuple[Element, bool]] = [(body, True)]
    while stack:
        element, is_entered = stack.pop()
        is_break = not isinstance(element.tag, str) or element.tag not in _INLINE
        if is_break and words:
            yield words, _place(holder)
            words = []
        if is_entered:
            text = element.text if isinstance(element.tag, str) and element.tag not in _UNSEEN else ""
            holder = element if not words else holder
            words.extend((text or "").split())
            if isinstance(element.tag, str) and element.tag not in _UNSEEN:
                stack.append((element, False))
                stack.extend((child, True) for child in reversed(element))
            else:
                stack.append((element, False))
            continue
        if element is not body:
            holder = element.getparent() if not words else holder
            words.extend((element.tail or "").split())
    if words:
        yield words, _place(holder)


def _place(element: Element | None) -> str:
    """The nearest part of the page with a telling name: by its wording for notices, else by its element."""
    while element is not None:
        name = f"{element.get('id', '')} {element.get('class', '')}"
        if len(name) > 1 and has_consent_name(name):
            return "consent notice"
        if len(name) > 1 and has_shop_name(name):
            return "delivery and returns"
        if element.tag in _PLACES:
            return _PLACES[element.tag]
        element = element.getparent()
    return ""
