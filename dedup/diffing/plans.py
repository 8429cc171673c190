"""The rows of a difference before their text is cut: order, folds, numbers of changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from dedup.diffing.alignment import Alignment, Pairing, align
from dedup.diffing.hunks import Hunk, folded, hunks_of, settled, without_islands
from dedup.diffing.passages import CutText
from dedup.diffing.shapes import RowKind

CONTEXT_WORDS = 12
FEWEST_FOLDED_WORDS = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """One row to be. ``strict`` are the hunks before islands went under; ``shows`` says which cells it fills."""

    kind: RowKind
    left: range = range(0)
    right: range = range(0)
    hunks: tuple[Hunk, ...] = ()
    strict: tuple[Hunk, ...] = ()
    shows: Literal["both", "left", "right"] = "both"
    moved_to: int | None = None
    change: int = 0
    folded: "tuple[Plan, ...]" = field(default=())


@dataclass(frozen=True, slots=True)
class Encoded:
    """Two cut texts with one character per token, equal for tokens that compare equal."""

    left: CutText
    right: CutText
    left_line: str
    right_line: str

    @classmethod
    def of(cls, left: CutText, right: CutText) -> "Encoded":
        """Give each distinct token a character."""
        numbers: dict[str, int] = {}
        lines = [
            "".join(character(numbers.setdefault(token.key, len(numbers))) for token in text.tokens)
            for text in (left, right)
        ]
        return cls(left, right, lines[0], lines[1])

    def aligned(self) -> Alignment:
        """Alignment of the passages; the same one whichever text stands left."""
        left = [self.left_line[passage.first : passage.last] for passage in self.left.passages]
        right = [self.right_line[passage.first : passage.last] for passage in self.right.passages]
        if left == right == [""]:  # neither text has a word
            return Alignment((Pairing(range(1), range(1)),), ())
        return align(right, left).mirrored if self._is_mirrored else align(left, right)

    def hunks(self, pairing: Pairing) -> list[Hunk]:
        """Equal and changed stretches of paired passages; the same ones whichever text stands left."""
        one, last = self.left.passages[pairing.left.start], self.left.passages[pairing.left.stop - 1]
        other, other_last = (
            self.right.passages[pairing.right.start],
            self.right.passages[pairing.right.stop - 1],
        )
        left, right = self.left_line[one.first : last.last], self.right_line[other.first : other_last.last]
        if self._is_mirrored:
            found = hunks_of(right, left, left_first=other.first, right_first=one.first)
            found = [hunk.mirrored for hunk in found]
        else:
            found = hunks_of(left, right, left_first=one.first, right_first=other.first)
        lines = self.left_line, self.right_line
        return settled(found, lines, (self.left.edge_quality, self.right.edge_quality))

    @property
    def _is_mirrored(self) -> bool:
        return self.right.raw < self.left.raw


def character(number: int) -> str:
    """A character for a small number; surrogates are skipped."""
    return chr(number if number < 0xD800 else number + 0x800)


def plan_rows(texts: Encoded, *, context: int | None) -> list[Plan]:
    """Rows in reading order: aligned, folded (unless ``context`` is None) and numbered."""
    plans = list(_in_order(texts, texts.aligned()))
    if context is not None:
        plans = list(_with_folds(plans, texts.left, context))
    return _numbered(plans)


def _in_order(texts: Encoded, alignment: Alignment) -> Iterator[Plan]:
    moved_left = {move.left.start: move for move in alignment.moves}
    moved_right = {move.right.start: move for move in alignment.moves}
    end = Pairing(*(range(len(text.passages), len(text.passages) + 1) for text in (texts.left, texts.right)))
    left = right = 0
    for pairing in (*alignment.pairings, end):
        for places in _runs(range(left, pairing.left.start), moved_left):
            yield _left_alone(texts, places, moved_left.get(places.start))
        for places in _runs(range(right, pairing.right.start), moved_right):
            yield _right_alone(texts, places, moved_right.get(places.start))
        if pairing is not end:
            yield _paired(texts, pairing)
        left, right = pairing.left.stop, pairing.right.stop


def _paired(texts: Encoded, pairing: Pairing) -> Plan:
    strict = texts.hunks(pairing)
    kind: RowKind = "equal" if all(hunk.is_equal for hunk in strict) else "changed"
    if len(pairing.right) > 1:
        kind = "split"
    elif len(pairing.left) > 1:
        kind = "joined"
    return Plan(kind, pairing.left, pairing.right, tuple(without_islands(strict)), tuple(strict))


def _runs(places: range, moved: Mapping[int, Pairing]) -> Iterator[range]:
    """Neighbours that only one side has, together; each moved passage by itself."""
    start = places.start
    for place in places:
        if place in moved:
            yield from [range(start, place)] if start < place else []
            yield range(place, place + 1)
            start = place + 1
    yield from [range(start, places.stop)] if start < places.stop else []


def _left_alone(texts: Encoded, places: range, move: Pairing | None) -> Plan:
    if move:
        paired = _paired(texts, move)
        return replace(paired, kind="moved", right=range(0), shows="left", moved_to=move.right.start + 1)
    passages = texts.left.passages
    hunk = Hunk(passages[places.start].first, passages[places.stop - 1].last, 0, 0, is_equal=False)
    return Plan("left_only", left=places, hunks=(hunk,), shows="left")


def _right_alone(texts: Encoded, places: range, move: Pairing | None) -> Plan:
    if move:
        paired = _paired(texts, move)
        return replace(paired, kind="moved", left=range(0), shows="right", moved_to=move.left.start + 1)
    passages = texts.right.passages
    hunk = Hunk(0, 0, passages[places.start].first, passages[places.stop - 1].last, is_equal=False)
    return Plan("right_only", right=places, hunks=(hunk,), shows="right")


def _with_folds(plans: list[Plan], left: CutText, context: int) -> Iterator[Plan]:
    runs = [list(run) for _, run in groupby(plans, key=lambda plan: plan.kind == "equal")]
    for number, run in enumerate(runs):
        if run[0].kind != "equal":
            for plan in run:
                yield _folded_inside(plan, context, starts_bare=True, ends_bare=True)
            continue
        before = context if number else 0
        after = context if number + 1 < len(runs) else 0
        yield from _equal_run(run, left, before, after, context)


def _equal_run(run: list[Plan], left: CutText, before: int, after: int, context: int) -> Iterator[Plan]:
    first, last = min(before, len(run)), max(before, len(run) - after)
    hidden = run[first:last]
    words = sum(left.words(hunk.left_first, hunk.left_last) for plan in hidden for hunk in plan.hunks)
    if words < FEWEST_FOLDED_WORDS:
        hidden = []
    for place, plan in enumerate(run):
        if hidden and place == first:
            yield _fold(hidden)
        if not hidden or not first <= place < last:
            yield _folded_inside(
                plan, context, starts_bare=place >= before, ends_bare=place < len(run) - after
            )


def _fold(hidden: list[Plan]) -> Plan:
    return Plan(
        "fold",
        range(hidden[0].left.start, hidden[-1].left.stop),
        range(hidden[0].right.start, hidden[-1].right.stop),
        folded=tuple(hidden),
    )


def _folded_inside(plan: Plan, context: int, *, starts_bare: bool, ends_bare: bool) -> Plan:
    hunks = folded(plan.hunks, context=context * CONTEXT_WORDS, starts_bare=starts_bare, ends_bare=ends_bare)
    return replace(plan, hunks=tuple(hunks))


def _numbered(plans: list[Plan]) -> list[Plan]:
    """Give every change its number; the two rows of a move share theirs."""
    numbered: list[Plan] = []
    of_moves: dict[tuple[int, int], Plan] = {}
    last = 0
    for plan in plans:
        if plan.kind == "moved":
            move = plan.hunks[0].left_first, plan.hunks[0].right_first
            if move in of_moves:
                first = of_moves[move]
                numbered.append(replace(plan, hunks=first.hunks, change=first.change))
                continue
        with_numbers, last = _with_numbers(plan, last)
        numbered.append(with_numbers)
        if plan.kind == "moved":
            of_moves[move] = with_numbers
    return numbered


def _with_numbers(plan: Plan, last: int) -> tuple[Plan, int]:
    change = 0
    if plan.kind not in {"equal", "changed", "fold"}:
        change = last = last + 1
    hunks: list[Hunk] = []
    for hunk in plan.hunks:
        if hunk.is_equal:
            hunks.append(hunk)
        elif plan.kind in {"left_only", "right_only"}:
            hunks.append(replace(hunk, change=change))
        else:
            last += 1
            hunks.append(replace(hunk, change=last))
    return replace(plan, hunks=tuple(hunks), change=change), last
