"""Clusters of texts as clusters of documents: counts that add up, and what changed since the active decision."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labeling.models import Corpus, Decision, Document
from labeling.services.linking import Linked

Ordinals = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """Documents with content (``documents``, ids ascending) and the cluster of each, any numbers."""

    documents: Ordinals
    clusters: Ordinals


def corpus_documents(corpus: Corpus) -> tuple[Ordinals, Ordinals]:
    """Ids of the documents with content, ascending, and the ordinal of each one's text: two ``int64[d]``."""
    rows = Document.objects.filter(corpus=corpus, text__isnull=False).order_by("pk")
    pairs = rows.values_list("pk", "text__ordinal").iterator(chunk_size=5000)
    columns = np.fromiter((number for pair in pairs for number in pair), np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def partition_of(corpus: Corpus, linked: Linked) -> Partition:
    """Where the clustering puts each document with content."""
    documents, ordinals = corpus_documents(corpus)
    return Partition(documents=documents, clusters=linked.labels[ordinals])


def published_partition(decision: Decision) -> Partition:
    """Where a published decision put each document with content."""
    rows = decision.members.filter(cluster__isnull=False).order_by("document_id")
    pairs = rows.values_list("document_id", "cluster_id").iterator(chunk_size=5000)
    columns = np.fromiter((number for pair in pairs for number in pair), np.int64).reshape(-1, 2)
    return Partition(documents=columns[:, 0], clusters=columns[:, 1])


def active_decision(corpus: Corpus) -> Decision | None:
    """The latest published decision of the corpus."""
    return corpus.decisions.filter(state=Decision.State.PUBLISHED).order_by("-number").first()


def summarise(corpus: Corpus, linked: Linked, partition: Partition) -> dict[str, int]:
    """Counts of a clustering.

    ``documents`` = ``representatives`` + ``duplicates`` + ``no_content``; ``clusters`` counts those of two documents and
    more, ``implied_pairs`` the pairs of texts that share a cluster without a link between them.
    """
    documents = corpus.documents.count()
    sizes = np.bincount(partition.clusters) if partition.clusters.size else np.zeros(0, np.int64)
    representatives = int(np.count_nonzero(sizes))
    with_content = int(partition.documents.size)
    return {
        "documents": documents,
        "representatives": representatives,
        "duplicates": with_content - representatives,
        "no_content": documents - with_content,
        "clusters": int(np.count_nonzero(sizes > 1)),
        "largest": int(sizes.max(initial=0)),
        "links": int(linked.links.left.size),
        "implied_pairs": _implied_pairs(corpus, linked),
        "blocked_by_rule": linked.blocked_by_rule,
        "held_for_review": int(linked.held.left.size),
        "contradictions": len(linked.contradictions),
    }


def changes(before: Partition | None, after: Partition) -> dict[str, int]:
    """Compare two partitions.

    ``split``: former clusters (two documents or more) that now lie in several. ``merged``: clusters that join documents
    of several former ones, one of them with two documents or more. ``new``: clusters of documents that were all single
    or absent.
    """
    if before is None:
        before = Partition(documents=np.zeros(0, np.int64), clusters=np.zeros(0, np.int64))
    sizes = _size_of_own_cluster(before)
    formerly = look_up(before.documents, before.clusters, after.documents)
    was_together = look_up(before.documents, sizes, after.documents) > 1
    now_together = _size_of_own_cluster(after) > 1
    joined = _several(after.clusters, np.where(formerly >= 0, formerly, -2 - np.arange(formerly.size)))
    had_cluster = np.unique(after.clusters[was_together])
    present = formerly >= 0
    return {
        "split": int(_several(formerly[present], after.clusters[present]).size),
        "merged": int(np.intersect1d(joined, had_cluster).size),
        "new": int(np.setdiff1d(after.clusters[now_together], had_cluster).size),
    }


def moved_representatives(before: dict[int, int], after: dict[int, int]) -> int:
    """Count the documents that the former decision placed and that another document represents now.

    A document that ``after`` doesn't name represents itself.
    """
    return sum(1 for document, chosen in before.items() if after.get(document, document) != chosen)


def _implied_pairs(corpus: Corpus, linked: Linked) -> int:
    ordinals = np.unique(corpus_documents(corpus)[1])
    sizes = np.bincount(linked.labels[ordinals]) if ordinals.size else np.zeros(0, np.int64)
    together = int((sizes.astype(np.int64) * (sizes - 1) // 2).sum())
    same = linked.labels[linked.links.left] == linked.labels[linked.links.right]
    return together - int(np.count_nonzero(same))


def _size_of_own_cluster(partition: Partition) -> Ordinals:
    if not partition.clusters.size:
        return np.zeros(0, np.int64)
    _, places, counts = np.unique(partition.clusters, return_inverse=True, return_counts=True)
    return np.asarray(counts[places.reshape(-1)], np.int64)


def look_up(keys: Ordinals, values: Ordinals, wanted: Ordinals) -> Ordinals:
    """Value of each wanted key; -1 where it isn't among the ascending ``keys``."""
    if not keys.size:
        return np.full(wanted.size, -1, np.int64)
    places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[places] == wanted, values[places], -1)


def _several(groups: Ordinals, values: Ordinals) -> Ordinals:
    """Groups that hold more than one distinct value."""
    distinct = np.unique(np.stack((groups, values), axis=1), axis=0)[:, 0] if groups.size else groups
    found, counts = np.unique(distinct, return_counts=True)
    return found[counts > 1]
