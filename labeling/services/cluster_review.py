"""What a person needs in order to trust a cluster: its stack, the links that hold it, and where it is thinnest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from django.db.models import Count, F, Q
from numpy.typing import NDArray

from dedup.clustering import bridges, chain_between, weakest_link
from dedup.diffing import Stack, stack
from dedup.shingling import jaccard, shingles
from dedup.specs import NormaliserName
from dedup.text import words
from labeling.models import Cluster, Document, Label, Link, Text
from labeling.services.corpora import normaliser_of

STACKED = 40
STACKED_WORDS = 4_000
COMPARED = 60
LINKS_EXAMINED = 25_000
BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """A stack of distinct texts (ids, the representative's first), how many documents have each, and all there are."""

    stack: Stack
    texts: tuple[int, ...]
    documents: tuple[int, ...]
    all_documents: int

    @property
    def compared_documents(self) -> int:
        """Documents whose text is in the stack."""
        return sum(self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A link of a cluster. A bridge is the only link between two parts; ``is_weakest`` is where it comes apart first."""

    link: Link
    is_bridge: bool = False
    is_weakest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ties:
    """Links of a cluster, the weakest first: their ids, the ids of both texts, and how strong each is.

    ``weakest`` is the place of the link where the cluster comes apart first; ``sides`` counts the texts on both sides of
    it, ``crossing`` the links between them. Where a cluster has more links than are examined, ``is_examined`` is false,
    only the weakest are read, and nothing is marked.
    """

    ids: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    scores: NDArray[np.float64]
    is_bridge: NDArray[np.bool_]
    is_examined: bool
    weakest: int | None = None
    sides: tuple[int, int] = (0, 0)
    crossing: int = 0

    @property
    def bridges(self) -> int:
        """How many of the links are bridges."""
        return int(np.count_nonzero(self.is_bridge))

    def take(self, places: Sequence[int]) -> tuple[Tie, ...]:
        """Read some links, in the order of their places."""
        rows = Link.objects.in_bulk([int(self.ids[place]) for place in places])
        return tuple(
            Tie(
                link=rows[int(self.ids[place])],
                is_bridge=bool(self.is_bridge[place]),
                is_weakest=place == self.weakest,
            )
            for place in places
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LowestPair:
    """The two least similar texts that were looked at, and the chain of links that joins them.

    ``is_of_all`` is false where only the texts against the representative's were looked at.
    """

    left: int
    right: int
    similarity: float
    is_of_all: bool
    chain: tuple[Tie, ...]


def layers_of(cluster: Cluster) -> Layers | None:
    """Lay the cluster's texts over the representative's, those of most documents first; None without two texts."""
    own = cluster.representative.text_id
    rows = cluster.members.values("document__text").annotate(n=Count("pk")).order_by("-n", "document__text")
    counts: dict[int, int] = dict(rows.filter(document__text=own).values_list("document__text", "n"))
    others = rows.exclude(document__text=own)
    counts.update(others.values_list("document__text", "n")[:STACKED])
    if own is None or len(counts) < 2:
        return None
    bodies = dict(Text.objects.filter(pk__in=list(counts)).values_list("pk", "body"))
    kept = tuple(key for key in counts if key in bodies)
    found = _stack(tuple(bodies[key] for key in kept), normaliser_of(cluster.decision.corpus))
    return Layers(
        stack=found,
        texts=kept,
        documents=tuple(counts[key] for key in kept),
        all_documents=cluster.documents,
    )


@lru_cache(maxsize=16)
def _stack(bodies: tuple[str, ...], normaliser: NormaliserName) -> Stack:
    return stack(
        bodies[0], bodies[1:], normaliser=normaliser, max_words=STACKED_WORDS, most_texts=STACKED + 1
    )


def ties_of(cluster: Cluster) -> Ties:
    """Read the links that hold the cluster, the weakest first, and mark bridges and the weakest link."""
    texts = cluster.members.values("document__text")
    rows = Link.objects.filter(decision=cluster.decision_id, left__in=texts)
    ordered = rows.order_by(F("exact_jaccard").asc(nulls_first=True), "id")
    found = list(
        ordered.values_list("pk", "left_id", "right_id", "exact_jaccard", "verdict")[: LINKS_EXAMINED + 1]
    )
    is_examined = len(found) <= LINKS_EXAMINED
    found = found[:LINKS_EXAMINED]
    ids, left, right = np.array([row[:3] for row in found], np.int64).reshape(-1, 3).T
    scores = np.array([_strength(row[3], row[4]) for row in found], np.float64)
    plain = Ties(
        ids=ids,
        left=left,
        right=right,
        scores=scores,
        is_bridge=np.zeros(len(found), np.bool_),
        is_examined=is_examined,
    )
    return _marked(plain) if found and is_examined else plain


def _marked(ties: Ties) -> Ties:
    weakest = weakest_link(ties.left, ties.right, ties.scores)
    return replace(
        ties,
        is_bridge=bridges(ties.left, ties.right),
        weakest=weakest.index,
        sides=(len(weakest.left_side), len(weakest.right_side)),
        crossing=len(weakest.crossing),
    )


def _strength(similarity: float | None, verdict: str) -> float:
    """How strong a link is; one that a person vouches for is stronger than any similarity."""
    if verdict == Label.Verdict.DUPLICATE:
        return 2.0
    return 0.0 if similarity is None else similarity


def lowest_pair(cluster: Cluster, ties: Ties) -> LowestPair | None:
    """Find the two least similar texts.

    In a cluster of up to ``COMPARED`` texts all pairs are compared; in a larger one the text least similar to the
    representative's is taken. None for a cluster of one text.
    """
    found = _lowest_of_all(cluster) if cluster.texts <= COMPARED else _lowest_to_representative(cluster)
    if found is None:
        return None
    left, right, similarity = found
    return LowestPair(
        left=left,
        right=right,
        similarity=similarity,
        is_of_all=cluster.texts <= COMPARED,
        chain=_chain(ties, left, right),
    )


def _lowest_of_all(cluster: Cluster) -> tuple[int, int, float] | None:
    bodies = cluster.members.order_by("document__text").values_list("document__text", "document__text__body")
    texts = dict(bodies)
    normaliser, k = normaliser_of(cluster.decision.corpus), cluster.decision.recipe.k
    sets = {key: shingles(words(body, normaliser), k) for key, body in texts.items()}
    pairs = ((jaccard(sets[one], sets[other]), one, other) for one, other in combinations(sets, 2))
    lowest = min(pairs, default=None)
    return None if lowest is None else (lowest[1], lowest[2], lowest[0])


def _lowest_to_representative(cluster: Cluster) -> tuple[int, int, float] | None:
    own = cluster.representative.text_id
    rows = cluster.members.exclude(document__text=own).filter(similarity__isnull=False)
    row = rows.order_by("similarity", "id").values_list("document__text", "similarity").first()
    if row is None or own is None or row[1] is None:
        return None
    return own, row[0], row[1]


def _chain(ties: Ties, left: int, right: int) -> tuple[Tie, ...]:
    if not ties.is_examined:
        return ()
    return ties.take(chain_between(ties.left, ties.right, ties.scores, start=left, end=right))


def steps_of(chain: Sequence[Tie], start: int) -> Iterator[tuple[int, Tie]]:
    """Walk along a chain from one of its ends: the text that each link leads to, with the link."""
    here = start
    for tie in chain:
        here = tie.link.right_id if tie.link.left_id == here else tie.link.left_id
        yield here, tie


def documents_of_texts(texts: Sequence[int]) -> dict[int, Document]:
    """The first document of each text, so that people can read it by name."""
    first: dict[int, Document] = {}
    wanted = sorted(set(texts))
    for start in range(0, len(wanted), BATCH):
        rows = Document.objects.filter(text__in=wanted[start : start + BATCH]).order_by("id")
        for document in rows:
            if document.text_id is not None:
                first.setdefault(document.text_id, document)
    return first


def distinct_inside(cluster: Cluster, verdicts: dict[int, str]) -> list[tuple[int, int]]:
    """Pairs of the cluster's texts that people call distinct all the same; ``verdicts`` are those of the corpus."""
    distinct = [pair for pair, verdict in verdicts.items() if verdict == Label.Verdict.DISTINCT]
    texts = cluster.members.values("document__text")
    found: list[tuple[int, int]] = []
    for start in range(0, len(distinct), BATCH):
        rows = cluster.decision.corpus.pairs.filter(
            Q(pk__in=distinct[start : start + BATCH]) & Q(left__in=texts) & Q(right__in=texts)
        )
        found += rows.order_by("pk").values_list("left_id", "right_id")
    return found
