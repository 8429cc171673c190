"""Links into clusters: connected components, numbered so that the order of the links doesn't matter."""

import numpy as np
from numpy.typing import NDArray

Ordinals = NDArray[np.int64]
Flags = NDArray[np.bool_]


def components(n: int, left: Ordinals, right: Ordinals) -> Ordinals:
    """Number the connected components of ``n`` texts under links ``left[i]``-``right[i]``.

    Returns ``int64[n]``. Clusters are numbered from 0 by their smallest ordinal, singletons included, so
    neither the order nor the direction of links matters. Raises ``ValueError`` if a link names an ordinal
    outside 0 to n - 1.

    >>> components(4, np.array([3]), np.array([1])).tolist()
    [0, 1, 2, 1]
    """
    _check(n, left, right)
    if len(left) == 0:
        return np.arange(n, dtype=np.int64)
    return by_smallest_ordinal(_connected(n, left, right))


def by_smallest_ordinal(labels: Ordinals) -> Ordinals:
    """Renumber clusters from 0 in the order of their smallest ordinals.

    >>> by_smallest_ordinal(np.array([7, 2, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[inverse.reshape(-1)]


def distinct(values: Ordinals) -> Ordinals:
    """Each value once, ascending; by sorting, because NumPy's hashing is slow for keys built of two numbers."""
    ordered = np.sort(values)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]]


def is_among(values: Ordinals, ordered: Ordinals) -> Flags:
    """Tell which values occur among ascending ones."""
    if not len(ordered):
        return np.zeros(len(values), dtype=np.bool_)
    places = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.asarray(ordered[places] == values)


def members_by_cluster(labels: Ordinals) -> tuple[Ordinals, Ordinals]:
    """Ordinals sorted by cluster, and where each cluster starts.

    Returns ``members`` (``int64[n]``) and ``starts`` (``int64[clusters + 1]``): cluster ``c`` has
    ``members[starts[c]:starts[c + 1]]``, in ascending order. ``labels`` must be numbered from 0 without gaps.
    """
    members = np.argsort(labels, kind="stable").astype(np.int64)
    sizes = np.bincount(labels) if len(labels) else np.empty(0, dtype=np.int64)
    return members, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def _connected(n: int, left: Ordinals, right: Ordinals) -> Ordinals:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels, dtype=np.int64)


def _check(n: int, left: Ordinals, right: Ordinals) -> None:
    if left.shape != right.shape:
        raise ValueError(f"{left.shape[0]} left ends of links against {right.shape[0]} right ends")
    if len(left) and (min(left.min(), right.min()) < 0 or max(left.max(), right.max()) >= n):
        raise ValueError(f"a link names a text outside 0 to {n - 1}")
