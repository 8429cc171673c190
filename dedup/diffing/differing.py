"""Which facts differ between two texts, change by change."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from dedup.diffing.facts import Mention, mentions, pair, within
from dedup.diffing.hunks import Hunk
from dedup.diffing.passages import CutText
from dedup.diffing.plans import Encoded, Plan
from dedup.diffing.shapes import Fact

SHORT_PASSAGE_TOKENS = 12
MOST_SHORT_PASSAGES = 12


@dataclass(frozen=True, slots=True)
class Differing:
    """A fact of one change: where each side mentions it, None where it doesn't."""

    change: int
    left: Mention | None
    right: Mention | None

    @property
    def fact(self) -> Fact:
        """The fact in words."""
        known = self.left or self.right
        left, right = (mention.text if mention else "" for mention in (self.left, self.right))
        return Fact(known.kind if known else "", left, right, self.change)


def differing_facts(plans: Sequence[Plan], texts: Encoded) -> list[Differing]:
    """Collect the facts that differ, in reading order.

    Facts inside a change are paired with those of the same change. A short passage that only one side has (a
    price alone on its line) is paired with those that the other side has in the same place, unless there are many.
    What then stands alone on both sides with the same text, because it only moved, is left out.
    """
    found: list[Differing] = []
    for is_alone, run in groupby(plans, key=lambda plan: plan.kind in {"left_only", "right_only"}):
        if is_alone:
            found += _in_short_passages(list(run), texts)
            continue
        for plan in run:
            if plan.strict and plan.shows != "right":
                found += _in_changes(plan, texts)
    return _without_moved(found)


def _paired(change: int, left: list[Mention], right: list[Mention]) -> list[Differing]:
    return [Differing(change, one, other) for one, other in pair(left, right)]


def _without_moved(found: list[Differing]) -> list[Differing]:
    """Drop facts that each side has alone, one for one."""
    left = Counter(differing.left.key for differing in found if differing.left and not differing.right)
    right = Counter(differing.right.key for differing in found if differing.right and not differing.left)
    to_drop = {"left": left & right, "right": left & right}
    kept: list[Differing] = []
    for differing in found:
        alone = (differing.left or differing.right) if None in (differing.left, differing.right) else None
        side = to_drop["left" if differing.left else "right"]
        if alone and side[alone.key]:
            side[alone.key] -= 1
        else:
            kept.append(differing)
    return kept


def _in_short_passages(run: list[Plan], texts: Encoded) -> list[Differing]:
    left = [place for plan in run for place in plan.left if _is_short(texts.left, place)]
    right = [place for plan in run for place in plan.right if _is_short(texts.right, place)]
    if not left or not right or len(left) + len(right) > MOST_SHORT_PASSAGES:
        return []
    return _paired(
        run[0].change,
        [mention for place in left for mention in _in_passage(texts.left, place)],
        [mention for place in right for mention in _in_passage(texts.right, place)],
    )


def _is_short(text: CutText, place: int) -> bool:
    return text.passages[place].last - text.passages[place].first <= SHORT_PASSAGE_TOKENS


def _in_passage(text: CutText, place: int) -> list[Mention]:
    passage = text.passages[place]
    return mentions(text.raw, passage.start, passage.end)


def _in_changes(plan: Plan, texts: Encoded) -> Iterator[Differing]:
    changed = [hunk for hunk in plan.strict if not hunk.is_equal]
    if not changed:
        return
    last = plan.strict[-1]
    left = _in_tokens(texts.left, plan.strict[0].left_first, last.left_last)
    right = _in_tokens(texts.right, plan.strict[0].right_first, last.right_last)
    touched = [
        (
            hunk,
            _touched(texts.left, left, hunk.left_first, hunk.left_last),
            _touched(texts.right, right, hunk.right_first, hunk.right_last),
        )
        for hunk in changed
    ]
    for group in _sharing(touched):
        hunk = group[0][0]
        change = next(shown.change for shown in plan.hunks if not shown.is_equal and _holds(shown, hunk))
        yield from _paired(
            change,
            list(dict.fromkeys(mention for _, some, _ in group for mention in some)),
            list(dict.fromkeys(mention for _, _, some in group for mention in some)),
        )


def _in_tokens(text: CutText, first: int, last: int) -> list[Mention]:
    return mentions(text.raw, text.tokens[first].start, text.tokens[last - 1].end) if first < last else []


def _touched(text: CutText, found: list[Mention], first: int, last: int) -> list[Mention]:
    """Mentions that share a character with tokens ``first`` to ``last`` (half-open)."""
    if first == last:
        return []
    start, end = text.tokens[first].start, text.tokens[last - 1].end
    return list(within(found, start, end))


_Touched = tuple[Hunk, list[Mention], list[Mention]]


def _sharing(touched: list[_Touched]) -> Iterator[list[_Touched]]:
    """Changes that reach into one fact together, as in "5 May" against "6 June"."""
    group = touched[:1]
    for one in touched[1:]:
        if not _overlap(group[-1], one):
            yield group
            group = []
        group.append(one)
    yield group


def _overlap(one: _Touched, other: _Touched) -> bool:
    return bool(one[1] and other[1] and one[1][-1] == other[1][0]) or bool(
        one[2] and other[2] and one[2][-1] == other[2][0]
    )


def _holds(shown: Hunk, hunk: Hunk) -> bool:
    return (
        shown.left_first <= hunk.left_first
        and hunk.left_last <= shown.left_last
        and shown.right_first <= hunk.right_first
        and hunk.right_last <= shown.right_last
    )
