"""Which pairs are labelled: permanent random numbers, similarity buckets, the drawn sample and its queue."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.pairs import EXACT_SCALE

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_WORD = 2**64 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumDraw:
    """What was drawn from one similarity bucket of one recipe.

    The bucket holds the pairs with ``low <= level < high`` (exact levels in thousandths). ``population`` of them are
    in the pool, the ``sampled`` pairs with the smallest u are drawn, ``next_u`` is the u of the first pair that wasn't
    (1 where all were).
    """

    digest: str
    low: int
    high: int
    population: int
    sampled: int
    next_u: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """The pairs to label: ``indices`` into the pool, ``int64[s]`` ascending; ``positions``, each pair's place in the queue."""

    indices: NDArray[np.int64]
    positions: NDArray[np.int64]
    strata: tuple[StratumDraw, ...]


def permanent_random_numbers(
    left_keys: NDArray[np.uint64], right_keys: NDArray[np.uint64], *, salt: int
) -> NDArray[np.float64]:
    """Give every pair its permanent random number u, strictly between 0 and 1: ``float64[m]``.

    u depends on the two ``uint64[m]`` keys, in whatever order, and on the salt, and on nothing else: it survives
    another k, other buckets, another pool, another machine (Ohlsson 1995). The mix is splitmix64 (Steele, Lea and Flood
    2014), one round each for salt, smaller and larger key; the upper 53 bits become the number.

    Raises ``ValueError`` if the lengths differ.

    >>> left, right = np.array([7], np.uint64), np.array([9], np.uint64)
    >>> there, back = (permanent_random_numbers(*keys, salt=1) for keys in ((left, right), (right, left)))
    >>> bool(there == back), bool(0 < there[0] < 1)
    (True, True)
    """
    if left_keys.shape != right_keys.shape:
        raise ValueError(f"{left_keys.shape[0]} left keys against {right_keys.shape[0]} right keys")
    state = _mix(np.array([salt & _WORD], np.uint64))
    state = _mix(state ^ np.minimum(left_keys, right_keys).astype(np.uint64))
    state = _mix(state ^ np.maximum(left_keys, right_keys).astype(np.uint64))
    return ((state >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53


def _mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    state = state + _GOLDEN
    state = (state ^ (state >> np.uint64(30))) * _FIRST_FACTOR
    state = (state ^ (state >> np.uint64(27))) * _SECOND_FACTOR
    return state ^ (state >> np.uint64(31))


def bucket_edges(*, width: float, floor: float) -> tuple[int, ...]:
    """Cut the similarities into buckets: edges in thousandths, from 0 to 1001.

    Bucket i holds the levels from ``edges[i]`` up to below ``edges[i + 1]``. Everything under the floor is one bucket;
    above it, edges lie on whole multiples of the width, and a bucket narrower than half a width joins its upper
    neighbour. The last bucket includes similarity 1.

    Raises ``ValueError`` for a width or a floor outside (0, 1].

    >>> bucket_edges(width=0.1, floor=0.3)
    (0, 300, 400, 500, 600, 700, 800, 900, 1001)
    >>> bucket_edges(width=0.25, floor=0.2)
    (0, 200, 500, 750, 1001)
    """
    if not 0 < width <= 1:
        raise ValueError(f"the bucket width must lie above 0 and be at most 1, not {width}")
    if not 0 < floor <= 1:
        raise ValueError(f"the floor must lie above 0 and be at most 1, not {floor}")
    step, start = max(round(width * EXACT_SCALE), 1), round(floor * EXACT_SCALE)
    multiples = range(step * (start // step + 1), EXACT_SCALE, step)
    inner = [edge for edge in multiples if edge - start >= step / 2 and EXACT_SCALE - edge >= step / 2]
    return (0, *([start] if 0 < start < EXACT_SCALE else []), *inner, EXACT_SCALE + 1)


def draw(
    levels: Mapping[str, NDArray[np.int16]],
    u: NDArray[np.float64],
    *,
    edges: tuple[int, ...],
    quota: int | Mapping[tuple[str, int], int],
) -> Draw:
    """Draw the pairs with the smallest u from each bucket of each recipe, and queue their union.

    ``levels`` holds the exact levels of the whole pool, ``int16[m]`` for each recipe's digest; ``u`` is ``float64[m]``.
    ``quota`` is the number of pairs for every bucket, or for each ``(digest, low)`` its own. A larger quota keeps every
    pair that a smaller one drew.

    In the queue come first the pairs that are first in some bucket, then the second ones, and so on, so that the
    labelled part of all buckets grows evenly; pairs of one rank stand in the order of a hash, so that the queue says
    nothing about a score.
    """
    strata: list[StratumDraw] = []
    ranks = np.full(u.shape[0], np.iinfo(np.int64).max, np.int64)
    for digest, column in levels.items():
        for low, high, members in _buckets(column, edges):
            wanted = quota if isinstance(quota, int) else quota.get((digest, low), 0)
            drawn, next_u = _smallest(members, u, wanted)
            ranks[drawn] = np.minimum(ranks[drawn], np.arange(drawn.size))
            strata.append(
                StratumDraw(
                    digest=digest,
                    low=low,
                    high=high,
                    population=int(members.size),
                    sampled=int(drawn.size),
                    next_u=next_u,
                )
            )
    indices = np.flatnonzero(ranks < np.iinfo(np.int64).max)
    return Draw(indices=indices, positions=_queue(ranks[indices], u[indices]), strata=tuple(strata))


def _buckets(column: NDArray[Any], edges: tuple[int, ...]) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    buckets = np.searchsorted(np.asarray(edges[1:-1], column.dtype), column, side="right")
    order = np.argsort(buckets.astype(np.int16), kind="stable")
    cuts = np.searchsorted(buckets[order], np.arange(len(edges)))
    for bucket, (low, high) in enumerate(pairwise(edges)):
        yield low, high, order[cuts[bucket] : cuts[bucket + 1]]


def _smallest(
    members: NDArray[np.int64], u: NDArray[np.float64], wanted: int
) -> tuple[NDArray[np.int64], float]:
    if members.size <= wanted:
        return members[np.argsort(u[members], kind="stable")], 1.0
    nearest = members[np.argpartition(u[members], wanted)[: wanted + 1]]
    ordered = nearest[np.lexsort((nearest, u[nearest]))]
    return ordered[:wanted], float(u[ordered[wanted]])


def _queue(ranks: NDArray[np.int64], u: NDArray[np.float64]) -> NDArray[np.int64]:
    shuffle = _mix(np.ascontiguousarray(u).view(np.uint64))
    positions = np.empty(ranks.size, np.int64)
    positions[np.lexsort((u, shuffle, ranks))] = np.arange(ranks.size)
    return positions
