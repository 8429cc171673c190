"""The rows of a published decision, built from its clustering: links, clusters, members."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.clustering import lowest_similarities
from dedup.numbers_rule import REASONS
from dedup.representatives import ONLY_DOCUMENT
from labeling.models import Cluster, Corpus, Decision, Document, HeldPair, Link, Member
from labeling.services.linking import EXACT, PERSON, POOL, Linked, Links
from labeling.services.partitions import corpus_documents
from labeling.services.pools import pair_codes
from labeling.services.representing import Chosen
from labeling.stages.similarities import TextSimilarities

Ordinals = NDArray[np.int64]
Numbers = NDArray[np.float64]

BATCH_DOCUMENTS = 2_000
BATCH_LINKS = 2_000
HELD_LISTED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Some whole clusters of a decision, with the members of each in the same order."""

    clusters: list[Cluster]
    members: list[list[Member]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One cluster in the making: its label, its number, its documents and the ordinals of their texts."""

    label: int
    number: int
    documents: Ordinals
    ordinals: Ordinals
    representative: int

    @property
    def own(self) -> int:
        """The ordinal of the representative's text."""
        return int(self.ordinals[np.flatnonzero(self.documents == self.representative)[0]])


class Outcome:
    """What a decision publishes, as arrays, and the rows that say it; ``numbers`` has the cluster number of each document."""

    def __init__(
        self,
        decision: Decision,
        corpus: Corpus,
        linked: Linked,
        chosen: Mapping[int, Chosen],
        numbers: Ordinals,
    ) -> None:
        self._decision = decision
        self._numbers = numbers
        self._linked = linked
        self._chosen = chosen
        self._texts = _text_ids(corpus)
        self.documents, self._ordinals = corpus_documents(corpus)
        self._clusters = linked.labels[self._ordinals]
        self._similarity = TextSimilarities(corpus, decision.recipe.k)
        self._codes, self._kinds = _sorted_links(linked.links)
        self._best_kind = _best_kinds(linked.links, linked.labels.size)
        self._sizes = np.bincount(linked.labels[np.unique(self._ordinals)], minlength=linked.labels.size)
        lowest = lowest_similarities(linked.labels, self._similarity, rng=np.random.default_rng(corpus.salt))
        self._lowest = lowest.lowest

    def links(self) -> Iterator[list[Link]]:
        """Rows of the accepted links, in batches."""
        links = self._linked.links
        jaccard = links.jaccard.copy()
        unknown = np.flatnonzero(np.isnan(jaccard))
        jaccard[unknown] = self._similarity(links.left[unknown], links.right[unknown])
        for start in range(0, links.left.size, BATCH_LINKS):
            rows = range(start, min(start + BATCH_LINKS, links.left.size))
            yield [self._link(row, float(jaccard[row])) for row in rows]

    def _link(self, row: int, jaccard: float) -> Link:
        links = self._linked.links
        left, right = int(links.left[row]), int(links.right[row])
        similarity = float(links.similarity[row])
        return Link(
            decision=self._decision,
            left_id=int(self._texts[left]),
            right_id=int(self._texts[right]),
            method=self._method(int(links.kinds[row])),
            similarity=None if np.isnan(similarity) else similarity,
            exact_jaccard=jaccard,
            verdict=self._linked.verdicts.get((left, right), ""),
        )

    def held_pairs(self) -> Iterator[list[HeldPair]]:
        """Rows of the pairs that wait for a person, the most similar first, in batches; at most 10,000 are listed."""
        held, reasons = self._linked.held, self._linked.reasons
        order = np.lexsort((held.right, held.left, -held.jaccard))[:HELD_LISTED]
        for start in range(0, order.size, BATCH_LINKS):
            yield [
                HeldPair(
                    decision=self._decision,
                    left_id=int(self._texts[held.left[row]]),
                    right_id=int(self._texts[held.right[row]]),
                    similarity=float(held.similarity[row]),
                    exact_jaccard=float(held.jaccard[row]),
                    reason=REASONS[int(reasons[row])],
                )
                for row in order[start : start + BATCH_LINKS].tolist()
            ]

    def _method(self, kind: int) -> str:
        by_score = "simhash" if self._decision.recipe.score == "hamming" else "minhash"
        return {POOL: by_score, EXACT: "exact", PERSON: "person"}[kind]

    def batches(self) -> Iterator[Batch]:
        """All clusters, single documents included, in the order of their smallest ordinals."""
        groups: list[Group] = []
        count = 0
        for group in self._groups():
            groups.append(group)
            count += group.documents.size
            if count >= BATCH_DOCUMENTS:
                yield self._batch(groups)
                groups, count = [], 0
        if groups:
            yield self._batch(groups)

    def _groups(self) -> Iterator[Group]:
        order = np.lexsort((self.documents, self._clusters))
        labels, starts = np.unique(self._clusters[order], return_index=True)
        ends = np.append(starts[1:], order.size)
        for label, start, end in zip(labels, starts, ends, strict=True):
            places = order[start:end]
            documents = self.documents[places]
            chosen = self._chosen.get(int(label))
            yield Group(
                label=int(label),
                number=int(self._numbers[places[0]]),
                documents=documents,
                ordinals=self._ordinals[places],
                representative=int(documents[0]) if chosen is None else chosen.representative,
            )

    def _batch(self, groups: list[Group]) -> Batch:
        """Rows of some clusters; their texts are compared with their representatives' all at once."""
        own = np.concatenate([np.full(group.ordinals.size, group.own) for group in groups])
        texts = np.concatenate([group.ordinals for group in groups])
        similarities = np.ones(texts.size)
        others = np.flatnonzero(own != texts)
        similarities[others] = self._similarity(own[others], texts[others])
        ends = np.cumsum([group.documents.size for group in groups])
        parts = np.split(similarities, ends[:-1])
        return Batch(
            clusters=[self._cluster(group) for group in groups],
            members=[self._members(group, part) for group, part in zip(groups, parts, strict=True)],
        )

    def _cluster(self, group: Group) -> Cluster:
        chosen = self._chosen.get(group.label)
        lowest = float(self._lowest[group.label])
        return Cluster(
            decision=self._decision,
            number=group.number,
            representative_id=group.representative,
            representative_rule=ONLY_DOCUMENT if chosen is None else chosen.choice.rule,
            representative_reason="only document" if chosen is None else chosen.choice.reason[:300],
            documents=int(group.documents.size),
            texts=int(self._sizes[group.label]),
            lowest_similarity=None if np.isnan(lowest) else lowest,
            is_chain=self._is_chain(group.label, lowest),
        )

    def _is_chain(self, label: int, lowest: float) -> bool:
        """Distances say nothing about Jaccard similarities, so there a cluster is a chain where pairs have no link."""
        size = int(self._sizes[label])
        if size < 2:
            return False
        if self._decision.recipe.score != "hamming":
            return lowest < self._decision.threshold
        links = self._linked.links
        inside = int(np.count_nonzero(self._linked.labels[links.left] == label))
        return inside < size * (size - 1) // 2

    def _members(self, group: Group, similarities: Numbers) -> list[Member]:
        if group.documents.size == 1:
            return [self._member(group.representative, "single", None)]
        rows = zip(group.documents.tolist(), group.ordinals.tolist(), similarities.tolist(), strict=True)
        own = group.own
        return [
            self._member(document, self._member_method(document, group.representative, text, own), value)
            for document, text, value in rows
        ]

    def _member(self, document: int, method: str, similarity: float | None) -> Member:
        return Member(
            decision=self._decision,
            document_id=document,
            is_representative=method in {"representative", "single"},
            method=method,
            similarity=similarity,
        )

    def _member_method(self, document: int, representative: int, text: int, own: int) -> str:
        """How a document came to its representative: by their link, else by the strongest link of its text."""
        if document == representative:
            return "representative"
        if text == own:
            return "exact"
        code = int(pair_codes(np.array([min(text, own)]), np.array([max(text, own)]))[0])
        place = int(np.searchsorted(self._codes, code))
        if place < self._codes.size and int(self._codes[place]) == code:
            return self._method(int(self._kinds[place]))
        return self._method(int(self._best_kind[text]))

    def without_content(self, corpus: Corpus) -> Iterator[list[Member]]:
        """Members for documents that have no content: in no cluster."""
        rows = Document.objects.filter(corpus=corpus, text__isnull=True).order_by("pk")
        ids = list(rows.values_list("pk", flat=True))
        for start in range(0, len(ids), BATCH_DOCUMENTS):
            part = ids[start : start + BATCH_DOCUMENTS]
            yield [self._member(document, "no content", None) for document in part]


def _text_ids(corpus: Corpus) -> Ordinals:
    ids = np.zeros(corpus.next_ordinal, np.int64)
    rows = corpus.texts.order_by().values_list("ordinal", "pk").iterator(chunk_size=5000)
    for ordinal, pk in rows:
        ids[ordinal] = pk
    return ids


def _sorted_links(links: Links) -> tuple[Ordinals, NDArray[np.int8]]:
    codes = pair_codes(links.left, links.right)
    order = np.argsort(codes, kind="stable")
    return codes[order], links.kinds[order]


def _best_kinds(links: Links, size: int) -> NDArray[np.int8]:
    """The strongest kind of link of each text: one of the pool, else equal words, else a person's."""
    best = np.full(size, PERSON, np.int8)
    np.minimum.at(best, links.left, links.kinds)
    np.minimum.at(best, links.right, links.kinds)
    return best
