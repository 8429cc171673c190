"""How far a cluster can be trusted: its lowest true similarity, the pairs it implies, its weakest link."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.clustering.components import Flags, Ordinals, components, distinct, is_among, members_by_cluster

PairNumbers = Callable[[Ordinals, Ordinals], NDArray[np.float64]]

_BLOCK = 200_000


@dataclass(frozen=True, slots=True)
class LowestSimilarities:
    """One entry per cluster: ``lowest`` (``float64``, NaN for one text) is found at ``left``-``right`` (-1 for one text).

    ``looked_at`` of ``pairs`` pairs of texts were compared; where it is fewer, the lowest is that of a
    sample.
    """

    lowest: NDArray[np.float64]
    left: Ordinals
    right: Ordinals
    looked_at: Ordinals
    pairs: Ordinals


@dataclass(frozen=True, slots=True)
class ImpliedPairs:
    """Pairs that a clustering claims without a link: ``population`` of them, a sample in ``left`` and ``right``.

    Drawn by the smallest permanent random numbers among ``looked_at`` pairs, which is the whole population
    unless it is larger than the limit; then ``looked_at`` are a simple random sample of it.
    """

    population: int
    looked_at: int
    left: Ordinals
    right: Ordinals


@dataclass(frozen=True, slots=True)
class WeakestLink:
    """Where a cluster comes apart first: link ``index``, its score, and the two sides (ascending ordinals).

    ``crossing`` are the indices of all links between the sides; none has a higher score. A bridge is the only
    one.
    """

    index: int
    score: float
    left_side: Ordinals
    right_side: Ordinals
    crossing: Ordinals

    @property
    def is_bridge(self) -> bool:
        """Whether removing this one link splits the cluster."""
        return len(self.crossing) == 1


def lowest_similarities(
    labels: Ordinals, similarity: PairNumbers, *, rng: np.random.Generator, most_texts: int = 200
) -> LowestSimilarities:
    """Find the lowest similarity of any two texts inside each cluster.

    ``labels`` (``int64[n]``) are numbered from 0 without gaps; ``similarity(left, right)`` gives the exact
    Jaccard similarity of pairs of ordinals as ``float64[m]``. Clusters of up to ``most_texts`` texts are
    compared pair by pair; larger ones in as many pairs as such a cluster has: the first text against the
    others, then pairs drawn by ``rng``.
    """
    members, starts = members_by_cluster(labels)
    sizes = np.diff(starts)
    found = LowestSimilarities(
        lowest=np.full(len(sizes), np.nan),
        left=np.full(len(sizes), -1, dtype=np.int64),
        right=np.full(len(sizes), -1, dtype=np.int64),
        looked_at=np.zeros(len(sizes), dtype=np.int64),
        pairs=sizes * (sizes - 1) // 2,
    )
    for size in np.unique(sizes[(sizes > 1) & (sizes <= most_texts)]):
        clusters = np.flatnonzero(sizes == size)
        _compare_all(found, clusters, members[starts[clusters][:, None] + np.arange(size)], similarity)
    for cluster in np.flatnonzero(sizes > most_texts):
        texts = members[starts[cluster] : starts[cluster + 1]]
        _compare_some(found, int(cluster), texts, similarity, most_texts * (most_texts - 1) // 2, rng)
    return found


def _compare_all(
    found: LowestSimilarities, clusters: Ordinals, texts: Ordinals, similarity: PairNumbers
) -> None:
    """Compare all pairs of clusters of one size: ``texts`` is ``int64[clusters, size]``."""
    one, other = np.triu_indices(texts.shape[1], 1)
    at_once = max(1, _BLOCK // len(one))
    for start in range(0, len(clusters), at_once):
        block, rows = clusters[start : start + at_once], texts[start : start + at_once]
        values = similarity(rows[:, one].reshape(-1), rows[:, other].reshape(-1)).reshape(len(rows), len(one))
        place = values.argmin(axis=1)
        each = np.arange(len(rows))
        found.lowest[block] = values[each, place]
        found.left[block], found.right[block] = rows[each, one[place]], rows[each, other[place]]
        found.looked_at[block] = len(one)


def _compare_some(
    found: LowestSimilarities,
    cluster: int,
    texts: Ordinals,
    similarity: PairNumbers,
    pairs: int,
    rng: np.random.Generator,
) -> None:
    one, other = _some_pairs(len(texts), pairs, rng)
    values = similarity(texts[one], texts[other])
    place = int(values.argmin())
    found.lowest[cluster] = values[place]
    found.left[cluster], found.right[cluster] = texts[one[place]], texts[other[place]]
    found.looked_at[cluster] = len(one)


def _some_pairs(size: int, pairs: int, rng: np.random.Generator) -> tuple[Ordinals, Ordinals]:
    """Distinct pairs of places below ``size``: all with the first place, then random ones, ``pairs`` at most."""
    first = np.arange(1, size)[:pairs]
    drawn = rng.choice(size * (size - 1) // 2, size=pairs, replace=False)
    one, other = _unrank(drawn)
    fresh = one > 0
    one = np.concatenate((np.zeros(len(first), dtype=np.int64), one[fresh]))
    return one[:pairs], np.concatenate((first, other[fresh]))[:pairs]


def _unrank(numbers: Ordinals) -> tuple[Ordinals, Ordinals]:
    """Pair (i, j), i < j, of each number, counting (0,1), (0,2), (1,2), (0,3) and so on."""
    other = ((1 + np.sqrt(8.0 * numbers + 1)) // 2).astype(np.int64)
    other -= other * (other - 1) // 2 > numbers
    other += (other + 1) * other // 2 <= numbers
    return numbers - other * (other - 1) // 2, other


def implied_pairs(
    labels: Ordinals,
    left: Ordinals,
    right: Ordinals,
    *,
    sample: int,
    u: PairNumbers,
    rng: np.random.Generator,
    most_pairs: int = 5_000_000,
) -> ImpliedPairs:
    """Count the pairs that share a cluster without a link between them, and draw a sample.

    ``left`` and ``right`` (``int64[m]``) are the accepted links, ``u(left, right)`` their permanent random
    numbers in (0, 1). The ``sample`` pairs with the smallest numbers are returned, smallest first. Where
    clusters hold more than
    ``most_pairs`` pairs, that many are drawn by ``rng`` first.
    """
    members, starts = members_by_cluster(labels)
    sizes = np.diff(starts)
    ends = np.cumsum(sizes * (sizes - 1) // 2)
    everything = int(ends[-1]) if len(ends) else 0
    linked = distinct(_keys(left, right, len(labels))[labels[left] == labels[right]])
    population = everything - len(linked)
    numbers = (
        np.arange(everything)
        if everything <= most_pairs
        else np.sort(rng.choice(everything, size=most_pairs, replace=False))
    )
    looked_at = 0
    kept = _Smallest(sample)
    for start in range(0, len(numbers), _BLOCK):
        one, other = _pairs_of(numbers[start : start + _BLOCK], members, starts, ends)
        fresh = ~is_among(_keys(one, other, len(labels)), linked)
        looked_at += int(fresh.sum())
        kept.add(u(one[fresh], other[fresh]), one[fresh], other[fresh])
    return ImpliedPairs(population, looked_at, kept.left, kept.right)


def _pairs_of(
    numbers: Ordinals, members: Ordinals, starts: Ordinals, ends: Ordinals
) -> tuple[Ordinals, Ordinals]:
    """Pairs of ordinals, left below right, from their running numbers over all clusters."""
    cluster = np.searchsorted(ends, numbers, side="right")
    before = np.concatenate(([0], ends))[cluster]
    one, other = _unrank(numbers - before)
    return members[starts[cluster] + one], members[starts[cluster] + other]


def _keys(left: Ordinals, right: Ordinals, n: int) -> Ordinals:
    return np.minimum(left, right) * n + np.maximum(left, right)


class _Smallest:
    """The pairs with the smallest numbers seen so far."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._u = np.empty(0)
        self.left = np.empty(0, dtype=np.int64)
        self.right = np.empty(0, dtype=np.int64)

    def add(self, u: NDArray[np.float64], left: Ordinals, right: Ordinals) -> None:
        u = np.concatenate((self._u, u))
        left, right = np.concatenate((self.left, left)), np.concatenate((self.right, right))
        order = np.lexsort((right, left, u))[: self._size]
        self._u, self.left, self.right = u[order], left[order], right[order]


def bridges(left: Ordinals, right: Ordinals) -> Flags:
    """Tell which links are bridges: without one of them, a cluster falls in two.

    Returns ``bool[m]``; a link listed twice is no bridge. Costs time linear in the links (Tarjan 1974).
    """
    is_bridge = np.zeros(len(left), dtype=np.bool_)
    ends, places = np.unique(np.concatenate((left, right)), return_inverse=True)
    one, other = places[: len(left)].tolist(), places[len(left) :].tolist()
    neighbours: list[list[tuple[int, int]]] = [[] for _ in ends]
    for link, (a, b) in enumerate(zip(one, other, strict=True)):
        neighbours[a].append((b, link))
        neighbours[b].append((a, link))
    entered = [-1] * len(ends)
    lowest = [0] * len(ends)
    clock = 0
    for start in range(len(ends)):
        if entered[start] < 0:
            clock = _walk(start, neighbours, entered, lowest, is_bridge, clock)
    return is_bridge


def _walk(
    start: int,
    neighbours: list[list[tuple[int, int]]],
    entered: list[int],
    lowest: list[int],
    is_bridge: Flags,
    clock: int,
) -> int:
    """Depth-first walk that marks bridges; returns the clock after it."""
    entered[start] = lowest[start] = clock
    clock += 1
    stack: list[tuple[int, int, Iterator[tuple[int, int]]]] = [(start, -1, iter(neighbours[start]))]
    while stack:
        text, came_by, remaining = stack[-1]
        for neighbour, link in remaining:
            if link == came_by:
                continue
            if entered[neighbour] >= 0:
                lowest[text] = min(lowest[text], entered[neighbour])
                continue
            entered[neighbour] = lowest[neighbour] = clock
            clock += 1
            stack.append((neighbour, link, iter(neighbours[neighbour])))
            break
        else:
            stack.pop()
            if stack:
                above = stack[-1][0]
                lowest[above] = min(lowest[above], lowest[text])
                is_bridge[came_by] = lowest[text] > entered[above]
    return clock


def weakest_link(left: Ordinals, right: Ordinals, scores: NDArray[np.float64]) -> WeakestLink:
    """Find the link at which one cluster comes apart first when the threshold rises.

    ``left``, ``right`` and ``scores`` (``[m]``) are the links of one cluster. Of several links with that
    score, the one with the smallest ordinals counts. Raises ``ValueError`` for no link, or for links of more
    than one cluster.
    """
    texts, places = np.unique(np.concatenate((left, right)), return_inverse=True)
    one, other = places[: len(left)], places[len(left) :]
    if not len(texts) or components(len(texts), one, other).max() > 0:
        raise ValueError("the weakest link is that of one cluster with links")
    low, high = np.minimum(one, other), np.maximum(one, other)
    order = np.lexsort((-high, -low, -scores))
    first, last = 0, len(order)
    while last - first > 1:
        middle = (first + last) // 2
        kept = order[:middle]
        if components(len(texts), one[kept], other[kept]).max() > 0:
            first = middle
        else:
            last = middle
    index = int(order[last - 1])
    sides = components(len(texts), one[order[: last - 1]], other[order[: last - 1]])
    crossing = np.flatnonzero(sides[one] != sides[other])
    return WeakestLink(index, float(scores[index]), texts[sides == 0], texts[sides == 1], crossing)
