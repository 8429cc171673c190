"""What is known about the pairs that a decision holds for review."""

from collections.abc import Sequence
from dataclasses import dataclass

from labeling.models import Document, HeldPair, Label, Pair
from labeling.services.cluster_review import documents_of_texts
from labeling.services.verdicts import verdicts_of_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPair:
    """A held pair with a document of each text and what people say about it by now; empty where they say nothing."""

    held: HeldPair
    left: Document | None
    right: Document | None
    verdict: str


def listed(held: Sequence[HeldPair]) -> list[ListedPair]:
    """Add documents and verdicts to some held pairs, in their order."""
    names = documents_of_texts([text for row in held for text in (row.left_id, row.right_id)])
    pairs = Pair.objects.filter(left__in=[row.left_id for row in held])
    ids = {(left, right): pk for pk, left, right in pairs.values_list("pk", "left_id", "right_id")}
    verdicts = verdicts_of_pairs(list(ids.values()))
    return [
        ListedPair(
            held=row,
            left=names.get(row.left_id),
            right=names.get(row.right_id),
            verdict=verdicts.get(ids.get((row.left_id, row.right_id), 0), ""),
        )
        for row in held
    ]


def history(held: HeldPair) -> list[Label]:
    """Every answer about the pair, newest first."""
    rows = Label.objects.filter(pair__left=held.left_id, pair__right=held.right_id)
    return list(rows.select_related("labeller").order_by("-id"))
