"""Which document stands for each cluster, from rows of the database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.representatives import Choice, Member, RuleName, choose
from labeling.models import Corpus, Decision, Document

BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A cluster of two documents or more, and the document that stands for it."""

    cluster: int
    documents: tuple[int, ...]
    representative: int
    choice: Choice


def choose_representatives(
    corpus: Corpus,
    documents: NDArray[np.int64],
    clusters: NDArray[np.int64],
    order: Sequence[RuleName],
) -> Iterator[Chosen]:
    """Choose for every cluster of two documents and more, in ascending order of the cluster's number."""
    by_cluster = np.argsort(clusters, kind="stable")
    numbers, starts = np.unique(clusters[by_cluster], return_index=True)
    ends = np.append(starts[1:], clusters.size)
    several = [
        (int(number), documents[by_cluster[start:end]].tolist())
        for number, start, end in zip(numbers, starts, ends, strict=True)
        if end - start > 1
    ]
    for batch in _batches(several):
        members = _members([document for _, ids in batch for document in ids])
        for number, ids in batch:
            choice = choose([members[document] for document in ids], order, corpus.source_trust)
            yield Chosen(
                cluster=number, documents=tuple(ids), representative=ids[choice.index], choice=choice
            )


def representatives_by_document(chosen: Iterator[Chosen]) -> dict[int, int]:
    """The representative of each document that shares a cluster with others."""
    return {document: entry.representative for entry in chosen for document in entry.documents}


def published_representatives(decision: Decision) -> dict[int, int]:
    """The representative of each document under a published decision, single documents included."""
    rows = decision.members.filter(cluster__isnull=False)
    return dict(rows.values_list("document_id", "cluster__representative_id").iterator(chunk_size=5000))


def _batches(several: list[tuple[int, list[int]]]) -> Iterator[list[tuple[int, list[int]]]]:
    """Clusters in batches of about ``BATCH`` documents."""
    batch: list[tuple[int, list[int]]] = []
    size = 0
    for entry in several:
        batch.append(entry)
        size += len(entry[1])
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _members(ids: Sequence[int]) -> Mapping[int, Member]:
    found: dict[int, Member] = {}
    for start in range(0, len(ids), BATCH):
        rows = Document.objects.filter(pk__in=ids[start : start + BATCH])
        for pk, external_id, url, canonical_url, first_seen, source in rows.values_list(
            "pk", "external_id", "url", "canonical_url", "first_seen", "source"
        ):
            found[pk] = Member(
                id=external_id, url=url, canonical_url=canonical_url, first_seen=first_seen, source=source
            )
    return found
