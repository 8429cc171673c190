"""How two texts came into one cluster: the chain of links between them that is strongest at its weakest place."""

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dedup.clustering.components import Ordinals, components


def chain_between(
    left: Ordinals, right: Ordinals, scores: NDArray[np.float64], *, start: int, end: int
) -> tuple[int, ...]:
    """Find the links that lead from text ``start`` to text ``end``, as their places in order.

    ``left``, ``right`` and ``scores`` (``[m]``) are links. Of all chains, one whose lowest score is highest is taken,
    and of these one with the fewest links. Empty where no chain leads there, or where both are one text.
    """
    texts, places = np.unique(np.concatenate((left, right)), return_inverse=True)
    one, other = places.reshape(2, -1).astype(np.int64)
    ends = [int(place) for text in (start, end) for place in np.flatnonzero(texts == text)]
    if start == end or len(ends) < 2:
        return ()
    order = np.argsort(-scores, kind="stable")
    needed = _fewest(len(texts), one[order], other[order], (ends[0], ends[1]))
    if needed is None:
        return ()
    kept = np.flatnonzero(scores >= scores[order[needed - 1]])
    return _walk(one[kept].tolist(), other[kept].tolist(), kept.tolist(), (ends[0], ends[1]))


def _fewest(n: int, one: Ordinals, other: Ordinals, ends: tuple[int, int]) -> int | None:
    """How many of the ordered links it takes until both ends are connected; None where all aren't enough."""

    def is_connected(links: int) -> bool:
        labels = components(n, one[:links], other[:links])
        return bool(labels[ends[0]] == labels[ends[1]])

    if not is_connected(len(one)):
        return None
    first, last = 0, len(one)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if is_connected(middle) else (middle, last)
    return last


def _walk(
    one: Sequence[int], other: Sequence[int], links: Sequence[int], ends: tuple[int, int]
) -> tuple[int, ...]:
    """The shortest way between two connected ends, breadth first."""
    neighbours: dict[int, list[tuple[int, int]]] = {}
    for a, b, link in zip(one, other, links, strict=True):
        neighbours.setdefault(a, []).append((b, link))
        neighbours.setdefault(b, []).append((a, link))
    came: dict[int, tuple[int, int]] = {ends[0]: (ends[0], -1)}
    queue = deque([ends[0]])
    while ends[1] not in came:
        text = queue.popleft()
        for neighbour, link in neighbours[text]:
            if neighbour not in came:
                came[neighbour] = (text, link)
                queue.append(neighbour)
    chain: list[int] = []
    text = ends[1]
    while text != ends[0]:
        text, link = came[text]
        chain.append(link)
    return tuple(reversed(chain))
