"""One cluster as a stack: the representative's text, with the variants of each spot where a member differs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from dedup.diffing.hunks import hunks_of, settled, without_islands
from dedup.diffing.passages import CutText, cut_words
from dedup.diffing.plans import CONTEXT_WORDS, character
from dedup.specs import NormaliserName

PartKind = Literal["equal", "fold", "spot", "space", "uncompared"]
FEWEST_FOLDED = 25


@dataclass(frozen=True, slots=True)
class Variant:
    """What some texts have at a spot: raw text of the first of them, and which (0 is the representative)."""

    text: str
    texts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StackPart:
    """A stretch of the representative's raw text. A ``spot`` has two variants or more, its own first, then the frequent.

    ``fold`` is a long stretch that all texts share; ``space`` is text without words, ``uncompared`` what
    follows the word limit.
    """

    kind: PartKind
    text: str
    words: int = 0
    variants: tuple[Variant, ...] = ()


@dataclass(frozen=True, slots=True)
class Stack:
    """Parts in reading order: joined, they are the representative's text. ``compared`` of ``texts`` were looked at."""

    parts: tuple[StackPart, ...]
    compared: int
    texts: int

    @property
    def spots(self) -> tuple[StackPart, ...]:
        """The parts where texts differ."""
        return tuple(part for part in self.parts if part.kind == "spot")


@dataclass(frozen=True, slots=True)
class _Layer:
    """One distinct text, the places of its copies, and for each of the representative's tokens its own, or -1."""

    text: CutText
    line: str
    copies: tuple[int, ...]
    same: list[int]
    regions: list[tuple[int, int]]

    def part(self, first: int, last: int) -> tuple[int, int]:
        """Own tokens that stand for the representative's ``first`` to ``last``, which equal tokens surround."""
        start = self.same[first - 1] + 1 if first else 0
        return start, self.same[last] if last < len(self.same) else len(self.line)


def stack(
    representative: str,
    others: Sequence[str],
    *,
    normaliser: NormaliserName = "unicode",
    context: int | None = 1,
    max_words: int = 20_000,
    most_texts: int = 200,
) -> Stack:
    """Lay texts over a representative and collect the variants of each spot.

    Texts with the same words are one layer; at most ``most_texts`` layers besides the representative are
    compared, in the given order. Words compare as in ``diff``. A spot is the union of what any layer changes
    there. ``context`` times twelve words stay open beside each spot; None folds nothing.
    """
    layers, compared = _layers(representative, others, normaliser, max_words, most_texts)
    spots = _union(region for layer in layers for region in layer.regions)
    parts = _parts(layers, spots, None if context is None else context * CONTEXT_WORDS)
    return Stack(tuple(parts), compared, len(others) + 1)


def _layers(
    representative: str, others: Sequence[str], normaliser: NormaliserName, max_words: int, most_texts: int
) -> tuple[list[_Layer], int]:
    numbers: dict[str, int] = {}
    line_of: dict[str, str] = {}
    texts: dict[str, CutText] = {}
    copies: dict[str, list[int]] = {}
    for place, raw in enumerate((representative, *others)):
        if raw not in line_of:
            if len(texts) > most_texts:
                continue
            text = cut_words(raw, normaliser=normaliser, most_words=max_words)
            line_of[raw] = "".join(
                character(numbers.setdefault(token.key, len(numbers))) for token in text.tokens
            )
            texts.setdefault(line_of[raw], text)
        copies.setdefault(line_of[raw], []).append(place)
    lines = list(texts)
    base = _Layer(texts[lines[0]], lines[0], tuple(copies[lines[0]]), list(range(len(lines[0]))), [])
    layers = [_layer(base, texts[line], line, copies[line]) for line in lines[1:]]
    return [base, *layers], sum(map(len, copies.values()))


def _layer(base: _Layer, text: CutText, line: str, copies: Sequence[int]) -> _Layer:
    found = hunks_of(base.line, line, left_first=0, right_first=0)
    found = settled(found, (base.line, line), (base.text.edge_quality, text.edge_quality))
    hunks = without_islands(found)
    same = [-1] * len(base.line)
    for hunk in hunks:
        if hunk.is_equal:
            same[hunk.left_first : hunk.left_last] = range(hunk.right_first, hunk.right_last)
    regions = [(hunk.left_first, hunk.left_last) for hunk in hunks if not hunk.is_equal]
    return _Layer(text, line, tuple(copies), same, regions)


def _union(regions: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    """Regions that overlap or touch, joined, in order."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(regions):
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined


def _parts(
    layers: Sequence[_Layer], spots: Sequence[tuple[int, int]], context: int | None
) -> Iterator[StackPart]:
    base = layers[0].text
    position = place = 0
    for first, last in spots:
        start = _start(base, first)
        end = base.tokens[last - 1].end if last > first else start
        yield from _shared(base, (position, start), (place, first), context, is_edge=(place == 0, False))
        yield StackPart("spot", base.raw[start:end], last - first, tuple(_variants(layers, first, last)))
        position, place = end, last
    whole = len(base.tokens)
    yield from _shared(base, (position, base.limit), (place, whole), context, is_edge=(not spots, True))
    if base.is_cut:
        yield StackPart("uncompared", base.raw[base.limit :])


def _start(text: CutText, place: int) -> int:
    """Where a token starts, or the last one ends."""
    if place < len(text.tokens):
        return text.tokens[place].start
    return text.tokens[-1].end if text.tokens else 0


def _shared(
    text: CutText,
    characters: tuple[int, int],
    places: tuple[int, int],
    context: int | None,
    *,
    is_edge: tuple[bool, bool],
) -> Iterator[StackPart]:
    """Text that all layers share: open, or folded but for the context beside spots."""
    (start, end), (first, last) = characters, places
    before = first + (0 if is_edge[0] else context or 0)
    after = last - (0 if is_edge[1] else context or 0)
    if context is None or after - before < FEWEST_FOLDED:
        yield from _equal(text, start, end, last - first)
        return
    fold_start = start if before == first else text.tokens[before].start
    fold_end = end if after == last else text.tokens[after].start
    yield from _equal(text, start, fold_start, before - first)
    yield StackPart("fold", text.raw[fold_start:fold_end], text.words(before, after))
    yield from _equal(text, fold_end, end, last - after)


def _equal(text: CutText, start: int, end: int, words: int) -> Iterator[StackPart]:
    if start < end:
        yield StackPart("equal" if words else "space", text.raw[start:end], words)


def _variants(layers: Sequence[_Layer], first: int, last: int) -> list[Variant]:
    texts: dict[str, str] = {}
    places: dict[str, list[int]] = {}
    for layer in layers:
        start, end = layer.part(first, last)
        line = layer.line[start:end]
        tokens = layer.text.tokens
        texts.setdefault(line, layer.text.raw[tokens[start].start : tokens[end - 1].end] if line else "")
        places.setdefault(line, []).extend(layer.copies)
    own, *others = (Variant(texts[line], tuple(sorted(places[line]))) for line in texts)
    return [own, *sorted(others, key=lambda variant: (-len(variant.texts), variant.texts))]
