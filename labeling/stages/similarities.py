"""Exact Jaccard similarities of stored texts, read in small portions so that memory stays small."""

import numpy as np
from numpy.typing import NDArray

from dedup.pairs import exact_similarities
from labeling.models import Corpus
from labeling.services.corpora import normaliser_of

Ordinals = NDArray[np.int64]

PAIRS_AT_ONCE = 4_000
IN_LIMIT = 900


class TextSimilarities:
    """Compares texts of a corpus by the shingles of ``k`` words."""

    def __init__(self, corpus: Corpus, k: int) -> None:
        self._corpus = corpus
        self._k = k
        self._normaliser = normaliser_of(corpus)

    def __call__(self, left: Ordinals, right: Ordinals) -> NDArray[np.float64]:
        """Exact similarity of each pair of ordinals: ``float64[m]``."""
        found = np.ones(left.shape[0], np.float64)
        for start in range(0, left.shape[0], PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            found[part] = self._compare(left[part], right[part])
        return found

    def with_text(self, text: str, ordinals: Ordinals) -> NDArray[np.float64]:
        """Exact similarity of a text from outside with each of some stored ones: ``float64[m]``."""
        from dedup.kernel import TextColumn, clean, exact_overlaps

        column = TextColumn.from_strings([text, *self._bodies(ordinals)])
        streams = clean(column, self._normaliser).streams
        others = np.arange(1, len(column), dtype=np.int64)
        return exact_similarities(*exact_overlaps(streams, np.zeros_like(others), others, self._k))

    def _compare(self, left: Ordinals, right: Ordinals) -> NDArray[np.float64]:
        from dedup.kernel import TextColumn, clean, exact_overlaps

        ordinals, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        column = TextColumn.from_strings(self._bodies(ordinals))
        streams = clean(column, self._normaliser).streams
        ours, theirs = places.reshape(2, -1).astype(np.int64)
        return exact_similarities(*exact_overlaps(streams, ours, theirs, self._k))

    def _bodies(self, ordinals: Ordinals) -> list[str]:
        bodies: dict[int, str] = {}
        wanted = ordinals.tolist()
        for start in range(0, len(wanted), IN_LIMIT):
            rows = self._corpus.texts.filter(ordinal__in=wanted[start : start + IN_LIMIT])
            bodies.update(rows.order_by().values_list("ordinal", "body"))
        return [bodies[ordinal] for ordinal in wanted]
