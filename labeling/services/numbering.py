"""Cluster numbers from one decision to the next: which live on, which are new, where retired ones point."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Max
from numpy.typing import NDArray

from dedup.clustering import carry_numbers
from labeling.models import Cluster, Corpus, Decision, Member
from labeling.services import partitions
from labeling.services.partitions import Partition

Numbers = NDArray[np.int64]

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of one cluster number between two decisions.

    ``change``: ``retired`` (no cluster has the number now; ``successor`` has most of its documents), ``new``, or
    ``changed`` (the number lives on with other documents). ``lies_in`` counts the clusters where its former documents
    are now, ``comes_from`` the former clusters of the documents it has now.
    """

    number: int
    change: str
    successor: int | None
    documents_before: int
    documents_now: int
    lies_in: int
    comes_from: int


def published_numbers(decision: Decision) -> Partition:
    """The cluster number of each document that a published decision placed."""
    rows = decision.members.filter(cluster__isnull=False).order_by("document_id")
    pairs = rows.values_list("document_id", "cluster__number").iterator(chunk_size=5000)
    columns = np.fromiter((number for pair in pairs for number in pair), np.int64).reshape(-1, 2)
    return Partition(documents=columns[:, 0], clusters=columns[:, 1])


def numbered(corpus: Corpus, before: Partition | None, partition: Partition) -> Partition:
    """Give each cluster of a partition its number.

    A former cluster's number lives on where most of its documents are; other clusters get numbers that the corpus has
    never used, from 1 up, in the order of their own numbers.
    """
    used = Cluster.objects.filter(decision__corpus=corpus).aggregate(last=Max("number"))["last"] or 0
    _, labels = np.unique(partition.clusters, return_inverse=True)
    labels = np.asarray(labels.reshape(-1), np.int64)
    previous = np.full(labels.size, -1, np.int64)
    if before is not None:
        previous = partitions.look_up(before.documents, before.clusters, partition.documents)
    carried = carry_numbers(previous, labels, used=used)
    return Partition(documents=partition.documents, clusters=carried.numbers[labels])


def summarise(before: Decision | None, old: Partition | None, now: Partition) -> dict[str, Any]:
    """How many numbers live on, are new and are retired, and the largest clusters that changed."""
    former = np.unique(_or_empty(old).clusters)
    present = np.unique(now.clusters)
    kept = int(np.intersect1d(former, present).size)
    rows = changes_between(_or_empty(old), now) if before is not None else []
    several = [row for row in rows if max(row.documents_before, row.documents_now) > 1]
    several.sort(key=lambda row: (-max(row.documents_before, row.documents_now), row.number))
    return {
        "previous": None if before is None else before.number,
        "kept": kept,
        "new": int(present.size) - kept,
        "retired": int(former.size) - kept,
        "largest_changes": [_as_json(row) for row in several[:SHOWN]],
    }


def changes_between(old: Partition, now: Partition) -> list[Change]:
    """Every number whose documents aren't the same under both partitions, ascending."""
    documents = np.union1d(old.documents, now.documents)
    was = partitions.look_up(old.documents, old.clusters, documents)
    is_now = partitions.look_up(now.documents, now.clusters, documents)
    rows = zip(*(column.tolist() for column in _moves(was, is_now)), strict=True)
    lies: dict[int, dict[int, int]] = {}
    comes: dict[int, dict[int, int]] = {}
    for former, present, count in rows:
        if former >= 0:
            lies.setdefault(former, {})[present] = count
        if present >= 0:
            comes.setdefault(present, {})[former] = count
    found = (
        _change(number, lies.get(number, {}), comes.get(number, {})) for number in sorted({*lies, *comes})
    )
    return [change for change in found if change is not None]


def _moves(was: Numbers, is_now: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Former number, number now (-1 for none) and documents of each move, without clusters that stayed as they were."""
    span = int(is_now.max(initial=-1)) + 2
    codes, counts = np.unique((was + 1) * span + is_now + 1, return_counts=True)
    former, present = codes // span, codes % span
    before = np.bincount(former, weights=counts)[former] if codes.size else counts
    after = np.bincount(present, weights=counts)[present] if codes.size else counts
    moved = (former != present) | (counts != before) | (counts != after)
    return former[moved] - 1, present[moved] - 1, counts[moved]


def _change(number: int, lies: dict[int, int], comes: dict[int, int]) -> Change | None:
    if set(lies) == {number} and set(comes) == {number}:
        return None
    places = {place: count for place, count in lies.items() if place >= 0}
    home = min(places, key=lambda place: (-places[place], place), default=None)
    change = "retired" if not comes else "changed" if lies else "new"
    return Change(
        number=number,
        change=change,
        successor=home if change == "retired" else None,
        documents_before=sum(lies.values()),
        documents_now=sum(comes.values()),
        lies_in=len(places),
        comes_from=sum(1 for former in comes if former >= 0),
    )


def changes_of(decision: Decision) -> Iterator[Change]:
    """What became of the numbers of the decision before, as far as their documents aren't the same."""
    previous = (decision.summary.get("numbers") or {}).get("previous")
    before = decision.corpus.decisions.filter(number=previous or 0, state=Decision.State.PUBLISHED).first()
    old = None if before is None else published_numbers(before)
    yield from changes_between(_or_empty(old), published_numbers(decision))


def follow(decision: Decision, number: int) -> tuple[Cluster | None, bool]:
    """The cluster that a number names under a decision, and whether the number itself is still in use there.

    A retired number leads to the cluster that has most of the documents which it last had in an earlier decision; None
    for a number that no cluster ever had.
    """
    found = decision.clusters.filter(number=number).first()
    if found is not None:
        return found, True
    earlier = Cluster.objects.filter(
        decision__corpus=decision.corpus_id,
        decision__state=Decision.State.PUBLISHED,
        decision__number__lt=decision.number,
        number=number,
    )
    last = earlier.order_by("-decision__number").first()
    if last is None:
        return None, False
    rows = Member.objects.filter(decision=decision, document__in=last.members.values("document"))
    places = rows.filter(cluster__isnull=False).order_by().values("cluster", "cluster__number")
    home = places.annotate(n=Count("pk")).order_by("-n", "cluster__number").first()
    return (None if home is None else Cluster.objects.get(pk=home["cluster"])), False


def _or_empty(partition: Partition | None) -> Partition:
    if partition is not None:
        return partition
    return Partition(documents=np.zeros(0, np.int64), clusters=np.zeros(0, np.int64))


def _as_json(row: Change) -> dict[str, Any]:
    return {
        "cluster": row.number,
        "change": row.change,
        "successor": row.successor,
        "documents_before": row.documents_before,
        "documents_now": row.documents_now,
    }
