"""Which facts differ between two texts, change by change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from dedup.diffing.facts import Mention, mentions, pair, within
from dedup.diffing.hunks import Hunk
from dedup.diffing.passages import CutText
from dedup.diffing.plans import Encoded, Plan
from dedup.diffing.shapes import Fact

SHORT_PASSAGE_TOKENS = 12
MOST_SHORT_PASSAGES = 12


@dataclass(slots=True)
class FactList:
    """Facts that differ, and where each side mentions them."""

    facts: list[Fact] = field(default_factory=list)
    left: list[Mention] = field(default_factory=list)
    right: list[Mention] = field(default_factory=list)

    def add(self, change: int, left: list[Mention], right: list[Mention]) -> None:
        """Pair the facts of one change."""
        for one, other in pair(left, right):
            known = one or other
            if known is not None:
                self.facts.append(
                    Fact(known.kind, one.text if one else "", other.text if other else "", change)
                )
            self.left += [one] if one else []
            self.right += [other] if other else []


def differing_facts(plans: Sequence[Plan], texts: Encoded) -> FactList:
    """Collect the facts that differ, in reading order.

    Facts inside a change are paired with those of the same change. A short passage that only one side has (a
    price alone on its line) is paired with those that the other side has in the same place, unless there are
    many.
    """
    found = FactList()
    for is_alone, run in groupby(plans, key=lambda plan: plan.kind in {"left_only", "right_only"}):
        if is_alone:
            _add_short_passages(found, list(run), texts)
            continue
        for plan in run:
            if plan.strict and plan.shows != "right":
                _add_changes(found, plan, texts)
    found.left.sort(key=lambda mention: mention.start)
    found.right.sort(key=lambda mention: mention.start)
    return found


def _add_short_passages(found: FactList, run: list[Plan], texts: Encoded) -> None:
    left = [place for plan in run for place in plan.left if _is_short(texts.left, place)]
    right = [place for plan in run for place in plan.right if _is_short(texts.right, place)]
    if not left or not right or len(left) + len(right) > MOST_SHORT_PASSAGES:
        return
    found.add(
        run[0].change,
        [mention for place in left for mention in _in_passage(texts.left, place)],
        [mention for place in right for mention in _in_passage(texts.right, place)],
    )


def _is_short(text: CutText, place: int) -> bool:
    return text.passages[place].last - text.passages[place].first <= SHORT_PASSAGE_TOKENS


def _in_passage(text: CutText, place: int) -> list[Mention]:
    passage = text.passages[place]
    return mentions(text.raw, passage.start, passage.end)


def _add_changes(found: FactList, plan: Plan, texts: Encoded) -> None:
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
        found.add(
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
    group: list[_Touched] = []
    for hunk, left, right in touched:
        if group and not _overlap(group[-1], (hunk, left, right)):
            yield group
            group = []
        group.append((hunk, left, right))
    if group:
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
