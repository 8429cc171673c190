"""Words of two paired passages: alternating equal and changed stretches that read well."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel

EdgeQuality = Callable[[int], int]

FARTHEST_SLIDE = 40
LONGEST_ISLAND = 2
FEWEST_FOLDED = 25


@dataclass(frozen=True, slots=True)
class Hunk:
    """Tokens ``left_first`` to ``left_last`` against ``right_first`` to ``right_last`` (half-open, of the whole texts).

    ``is_folded`` marks an equal stretch to put away; ``change`` numbers a changed one.
    """

    left_first: int
    left_last: int
    right_first: int
    right_last: int
    is_equal: bool
    is_folded: bool = False
    change: int = 0

    @property
    def size(self) -> int:
        """Tokens of the larger side."""
        return max(self.left_last - self.left_first, self.right_last - self.right_first)

    @property
    def mirrored(self) -> "Hunk":
        """The same stretch with left and right exchanged."""
        return replace(
            self,
            left_first=self.right_first,
            left_last=self.right_last,
            right_first=self.left_first,
            right_last=self.left_last,
        )


def hunks_of(left: str, right: str, *, left_first: int, right_first: int) -> list[Hunk]:
    """Cut two encoded passages into equal and changed stretches along a longest common subsequence."""
    found: list[Hunk] = []
    for operation in Indel.opcodes(left, right):
        hunk = Hunk(
            left_first + operation.src_start,
            left_first + operation.src_end,
            right_first + operation.dest_start,
            right_first + operation.dest_end,
            is_equal=operation.tag == "equal",
        )
        if found and found[-1].is_equal == hunk.is_equal:
            hunk = _joined(found.pop(), hunk)
        found.append(hunk)
    return found


def settled(
    hunks: Sequence[Hunk], lines: tuple[str, str], qualities: tuple[EdgeQuality, EdgeQuality]
) -> list[Hunk]:
    """Slide one-sided changes to where they read best.

    Where "a b" was put into "x a b y", either "a b" is as good an answer; the one whose edges fall on
    sentence ends or clause marks reads better. ``qualities`` rate, per side, an edge before a token;
    ``lines`` are the encoded texts.
    """
    found = _with_equal_ends(hunks)
    for place, hunk in enumerate(found):
        is_two_sided = hunk.left_first < hunk.left_last and hunk.right_first < hunk.right_last
        if hunk.is_equal or is_two_sided:
            continue
        side = 0 if hunk.left_first < hunk.left_last else 1
        shift = _best_shift(found, place, lines[side], qualities[side], side)
        found[place - 1] = _moved(found[place - 1], 0, shift)
        found[place] = _moved(hunk, shift, shift)
        found[place + 1] = _moved(found[place + 1], shift, 0)
    return [hunk for hunk in found if hunk.size]


def _with_equal_ends(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Hunks between two equal ones, which are empty where the passages begin or end with a change."""
    if not hunks:
        return []
    first, last = hunks[0], hunks[-1]
    start = Hunk(first.left_first, first.left_first, first.right_first, first.right_first, is_equal=True)
    end = Hunk(last.left_last, last.left_last, last.right_last, last.right_last, is_equal=True)
    return [*([] if first.is_equal else [start]), *hunks, *([] if last.is_equal else [end])]


def _best_shift(hunks: Sequence[Hunk], place: int, line: str, quality: EdgeQuality, side: int) -> int:
    first, last = _range(hunks[place], side)
    before = _room(hunks[place - 1], is_end=place == 1)
    after = _room(hunks[place + 1], is_end=place + 2 == len(hunks))
    return max(
        _shifts(line, first, last, (before, after)),
        key=lambda shift: (quality(first + shift) + quality(last + shift), -abs(shift), shift),
    )


def _range(hunk: Hunk, side: int) -> tuple[int, int]:
    return (hunk.right_first, hunk.right_last) if side else (hunk.left_first, hunk.left_last)


def _room(hunk: Hunk, *, is_end: bool) -> int:
    """Tokens that an equal neighbour can give away: all of them at the end of the passage, else all but one."""
    return min(FARTHEST_SLIDE, hunk.size if is_end else hunk.size - 1)


def _shifts(line: str, first: int, last: int, room: tuple[int, int]) -> Iterator[int]:
    """Distances by which a run can slide over equal tokens without changing either text."""
    yield 0
    for shift in range(1, room[0] + 1):
        if line[first - shift] != line[last - shift]:
            break
        yield -shift
    for shift in range(room[1]):
        if line[first + shift] != line[last + shift]:
            break
        yield shift + 1


def _moved(hunk: Hunk, first: int, last: int) -> Hunk:
    return replace(
        hunk,
        left_first=hunk.left_first + first,
        left_last=hunk.left_last + last,
        right_first=hunk.right_first + first,
        right_last=hunk.right_last + last,
    )


def without_islands(hunks: Iterable[Hunk]) -> list[Hunk]:
    """Let changes swallow the one or two equal tokens between them that would only break up the picture.

    An island goes under if the changes on its two sides are together more than three times as long: between
    small changes it stays, so that "12 of 14" against "13 of 15" marks the numbers only.
    """
    waiting = list(hunks)
    found: list[Hunk] = []
    for place, hunk in enumerate(waiting):
        continues = bool(found) and not hunk.is_equal and not found[-1].is_equal
        if continues or _is_island(found, hunk, waiting[place + 1 : place + 2]):
            found.append(_joined(found.pop(), hunk))
        else:
            found.append(hunk)
    return found


def _is_island(before: list[Hunk], hunk: Hunk, after: list[Hunk]) -> bool:
    if not hunk.is_equal or not before or not after or before[-1].is_equal:
        return False
    return hunk.size <= LONGEST_ISLAND and before[-1].size + after[0].size > 3 * hunk.size


def folded(hunks: Iterable[Hunk], *, context: int, starts_bare: bool, ends_bare: bool) -> Iterator[Hunk]:
    """Fold long equal stretches, keeping ``context`` tokens beside each change.

    ``starts_bare`` and ``ends_bare`` say that no change comes before or after the passage, so nothing is kept
    there.
    """
    hunks = list(hunks)
    for place, hunk in enumerate(hunks):
        before = 0 if place == 0 and starts_bare else context
        after = 0 if place == len(hunks) - 1 and ends_bare else context
        if not hunk.is_equal or hunk.size - before - after < FEWEST_FOLDED:
            yield hunk
            continue
        first, last = before, hunk.size - after
        if first:
            yield _part(hunk, 0, first)
        yield replace(_part(hunk, first, last), is_folded=True)
        if after:
            yield _part(hunk, last, hunk.size)


def _part(hunk: Hunk, first: int, last: int) -> Hunk:
    return replace(
        hunk,
        left_first=hunk.left_first + first,
        left_last=hunk.left_first + last,
        right_first=hunk.right_first + first,
        right_last=hunk.right_first + last,
    )


def _joined(one: Hunk, other: Hunk) -> Hunk:
    return replace(
        one,
        left_last=other.left_last,
        right_last=other.right_last,
        is_equal=one.is_equal and other.is_equal,
    )
