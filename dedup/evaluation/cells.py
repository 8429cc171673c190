"""The pool in cells of known size, and what the labels say about the share of duplicates in each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.columns import Column, Points

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """For every threshold, the cells that make up the pool: whole buckets, and the two parts of the bucket that it cuts.

    The cells are, one after another: ``buckets`` whole buckets of pairs that pass the rule, an upper and a lower part for each
    of ``t`` thresholds (empty where the threshold is an edge), ``buckets`` whole buckets of blocked pairs.
    ``low`` and ``high`` are closeness levels, ``parent`` is the bucket that a cell is a part of.
    ``first_above`` and ``last_below`` say for each threshold which whole buckets lie above it (from that number on)
    and below it (up to that number, excluded).
    """

    buckets: int
    thresholds: int
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    parent: NDArray[np.int64]
    first_above: NDArray[np.int64]
    last_below: NDArray[np.int64]

    @property
    def whole(self) -> slice:
        """The whole buckets of passing pairs."""
        return slice(0, self.buckets)

    @property
    def upper(self) -> slice:
        """The parts at or above the threshold, one for each threshold."""
        return slice(self.buckets, self.buckets + self.thresholds)

    @property
    def lower(self) -> slice:
        """The parts below the threshold, one for each threshold."""
        return slice(self.buckets + self.thresholds, self.buckets + 2 * self.thresholds)

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Which cells can lie outside the links at some threshold: all but the upper parts."""
        mask = np.ones(self.low.size, np.bool_)
        mask[self.upper] = False
        return mask

    @property
    def blocked(self) -> slice:
        """The whole buckets of pairs that the product rule blocks."""
        return slice(self.buckets + 2 * self.thresholds, None)


def partition_of(edges: NDArray[np.int64], cuts: NDArray[np.int64]) -> Partition:
    """Cut the buckets between ``edges`` at each of the closeness levels ``cuts``."""
    buckets = edges.size - 1
    home = np.searchsorted(edges, cuts, side="right") - 1
    on_edge = edges[home] == cuts
    start, end = np.where(on_edge, cuts, edges[home]), np.where(on_edge, cuts, edges[home + 1])
    whole = np.arange(buckets)
    return Partition(
        buckets=buckets,
        thresholds=cuts.size,
        low=np.concatenate([edges[:-1], cuts, start, edges[:-1]]),
        high=np.concatenate([edges[1:], end, cuts, edges[1:]]),
        parent=np.concatenate([whole, home, home, whole]),
        first_above=np.where(on_edge, home, home + 1),
        last_below=home,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Sums over the labelled pairs of each cell, ``float64[c]`` all of them.

    ``labelled`` and, of these, ``found`` duplicates are counts of sampled pairs with a clear verdict, ``weight``, ``weight_squared`` and
    ``duplicate_weight`` the sums of their design weights. ``surfaced_weight`` divides each duplicate by its chance to be surfaced,
    ``inverse_surfacing`` each pair. ``duplicates`` and ``distinct`` count every pair with a clear verdict, sampled or known.
    """

    population: Floats
    labelled: Floats
    found: Floats
    weight: Floats
    weight_squared: Floats
    duplicate_weight: Floats
    surfaced_weight: Floats
    inverse_surfacing: Floats
    duplicates: Floats
    distinct: Floats


def tally(column: Column, partition: Partition, sampled: Points, known: Points) -> Tally:
    """Sum up the labelled pairs and count the pool's pairs in every cell."""
    passing, blocked = slice(0, partition.blocked.start), partition.blocked
    parts = [
        _tally_half(
            partition, passing, column.passing, sampled.where(sampled.passing), known.where(known.passing)
        ),
        _tally_half(
            partition, blocked, column.blocked, sampled.where(~sampled.passing), known.where(~known.passing)
        ),
    ]
    return Tally(**{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _tally_half(
    partition: Partition, cells: slice, below: NDArray[np.int64], sampled: Points, known: Points
) -> dict[str, Floats]:
    low, high = partition.low[cells], partition.high[cells]
    surfaced = 1.0 / sampled.surfacing
    sums = _range_sums(
        sampled.closeness,
        np.stack(
            [
                np.ones_like(sampled.weight),
                sampled.duplicate,
                sampled.weight,
                sampled.weight**2,
                sampled.weight * sampled.duplicate,
                sampled.weight * sampled.duplicate * surfaced,
                sampled.weight * surfaced,
            ]
        ),
        low,
        high,
    )
    counts = _range_sums(known.closeness, np.stack([known.duplicate, 1 - known.duplicate]), low, high)
    return {
        "population": (below[high] - below[low]).astype(np.float64),
        "labelled": sums[0],
        "found": sums[1],
        "weight": sums[2],
        "weight_squared": sums[3],
        "duplicate_weight": sums[4],
        "surfaced_weight": sums[5],
        "inverse_surfacing": sums[6],
        "duplicates": counts[0],
        "distinct": counts[1],
    }


def _range_sums(
    closeness: NDArray[np.int64], values: Floats, low: NDArray[np.int64], high: NDArray[np.int64]
) -> Floats:
    """Sum ``values``, ``float64[v, n]``, over the pairs with ``low <= closeness < high``: ``float64[v, c]``."""
    order = np.argsort(closeness, kind="stable")
    running = np.zeros((values.shape[0], closeness.size + 1))
    np.cumsum(values[:, order], axis=1, out=running[:, 1:])
    ordered = closeness[order]
    return running[:, np.searchsorted(ordered, high)] - running[:, np.searchsorted(ordered, low)]
