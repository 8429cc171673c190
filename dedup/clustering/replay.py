"""What every threshold would do, in one pass over stored scores: no text read, no signature computed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.clustering.components import Ordinals


@dataclass(frozen=True, slots=True)
class Replay:
    """Outcome at each level 0 to scale, all ``int64[scale + 1]``; links count from their level upwards.

    ``links`` accepted pairs, ``clusters`` of two documents or more, ``removed`` documents (all but one per
    cluster),
    ``largest`` cluster in documents.
    """

    links: Ordinals
    clusters: Ordinals
    removed: Ordinals
    largest: Ordinals


def replay_levels(
    n: int,
    left: Ordinals,
    right: Ordinals,
    levels: NDArray[np.integer],
    scale: int,
    *,
    documents: Ordinals | None = None,
) -> Replay:
    """Count clusters, removed documents and the largest cluster at every level of a score.

    ``levels`` (``int[m]``, 0 to ``scale``) is the score of each pair; the entry at level ``l`` is what
    clustering all pairs with a level of ``l`` or more gives. ``documents`` (``int64[n]``) counts the
    documents of each text, 1 each by default; a text with several is a cluster by itself, a text with none
    connects but isn't counted. Each pair is looked at once, so the cost is that of sorting. Raises
    ``ValueError`` for a level outside 0 to ``scale``.
    """
    if len(levels) and not 0 <= int(levels.min()) <= int(levels.max()) <= scale:
        raise ValueError(f"levels must lie between 0 and {scale}")
    weights = np.ones(n, dtype=np.int64) if documents is None else documents.astype(np.int64)
    state = _State(weights)
    links = np.bincount(levels, minlength=scale + 1)[::-1].cumsum()[::-1]
    counts = np.empty((3, scale + 1), dtype=np.int64)
    order = np.argsort(levels, kind="stable")
    starts = np.searchsorted(levels[order], np.arange(scale + 2))
    for level in range(scale, -1, -1):
        here = order[starts[level] : starts[level + 1]]
        if here.size:
            state.join(left[here], right[here])
        counts[:, level] = state.clusters, state.removed, state.largest
    return Replay(links.astype(np.int64), *counts)


class _State:
    """Clusters so far: parents, documents per root, and the three counts."""

    def __init__(self, weights: Ordinals) -> None:
        self._parent = np.arange(len(weights), dtype=np.int64)
        self._weight = weights.copy()
        self.clusters = int((weights > 1).sum())
        self.removed = int(weights.sum() - (weights > 0).sum())
        self.largest = int(weights.max(initial=0))

    def join(self, left: Ordinals, right: Ordinals) -> None:
        """Add the links of one level, all at once."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ends = np.stack((self._roots(left), self._roots(right)))
        ends = ends[:, ends[0] != ends[1]]
        if not ends.size:
            return
        roots, places = np.unique(ends, return_inverse=True)
        rows, columns = places.reshape(ends.shape)
        graph = coo_array(
            (np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(roots), len(roots))
        )
        number, labels = connected_components(graph, directed=False)
        self._merge(roots, labels, number)

    def _merge(self, roots: Ordinals, labels: NDArray[np.integer], number: int) -> None:
        before = self._weight[roots]
        after = np.zeros(number, dtype=np.int64)
        np.add.at(after, labels, before)
        self.clusters += int((after > 1).sum() - (before > 1).sum())
        self.removed += int((before > 0).sum() - (after > 0).sum())
        self.largest = max(self.largest, int(after.max()))
        keeper = np.full(number, np.iinfo(np.int64).max)
        np.minimum.at(keeper, labels, roots)
        self._parent[roots] = keeper[labels]
        self._weight[keeper] = after

    def _roots(self, texts: Ordinals) -> Ordinals:
        roots = self._parent[texts]
        while True:
            above = self._parent[roots]
            if np.array_equal(above, roots):
                break
            roots = above
        self._parent[texts] = roots
        return roots
