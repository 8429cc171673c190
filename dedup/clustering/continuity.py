"""Clusters from one decision to the next: what changed, which numbers live on, where retired ones point."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dedup.clustering.components import Ordinals


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of the clusters of two texts or more; each entry is a label of the old or the new clustering.

    ``split`` old clusters lie in several new ones; ``merged`` new ones hold several old clusters, ``grown`` ones one
    old cluster and single texts, ``fresh`` ones only texts that were single. ``unchanged`` counts equal clusters.
    """

    split: Ordinals
    merged: Ordinals
    grown: Ordinals
    fresh: Ordinals
    unchanged: int


@dataclass(frozen=True, slots=True)
class Carried:
    """``numbers`` (``int64[clusters]``) of the new clusters; ``successors`` of the numbers that no cluster has now."""

    numbers: Ordinals
    successors: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Overlaps:
    """Texts shared by each pair of an old and a new cluster that share any."""

    old: Ordinals
    new: Ordinals
    texts: Ordinals

    @classmethod
    def of(cls, old: Ordinals, new: Ordinals) -> "_Overlaps":
        span = int(new.max(initial=0)) + 1
        keys, counts = np.unique(old * span + new, return_counts=True)
        return cls(keys // span, keys % span, counts)


def compare(before: Ordinals, after: Ordinals) -> Comparison:
    """Compare two clusterings of the same texts (``int64[n]`` labels, numbered from 0 without gaps).

    >>> found = compare(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1]))
    >>> found.grown.tolist(), found.unchanged
    ([0], 0)
    """
    if before.shape != after.shape:
        raise ValueError(f"{len(before)} texts before against {len(after)} after")
    overlaps = _Overlaps.of(before, after)
    old_sizes, new_sizes = np.bincount(before), np.bincount(after)
    pieces = np.bincount(overlaps.old, minlength=len(old_sizes))
    sources = np.bincount(overlaps.new, minlength=len(new_sizes))
    clusters = np.bincount(overlaps.new[old_sizes[overlaps.old] > 1], minlength=len(new_sizes))
    is_cluster = new_sizes > 1
    is_same = (overlaps.texts == old_sizes[overlaps.old]) & (overlaps.texts == new_sizes[overlaps.new])
    return Comparison(
        split=np.flatnonzero((old_sizes > 1) & (pieces > 1)),
        merged=np.flatnonzero(clusters > 1),
        grown=np.flatnonzero(is_cluster & (clusters == 1) & (sources > 1)),
        fresh=np.flatnonzero(is_cluster & (clusters == 0)),
        unchanged=int((is_same & (overlaps.texts > 1)).sum()),
    )


def carry_numbers(previous: Ordinals, labels: Ordinals, *, used: int = -1) -> Carried:
    """Give clusters the numbers of those that they continue.

    ``previous`` (``int64[n]``) is the number of each text's cluster until now, -1 for a text that had none; ``labels``
    (``int64[n]``) are numbered from 0 without gaps. An old cluster lives on where most of its texts are; if several
    do in one place, the one with most texts there keeps its number, and the others' numbers point to it. Clusters
    that continue none get the next free numbers in their order, above all numbers up to ``used``, which may have had a
    cluster before. Ties go to the smaller label or number.

    >>> carried = carry_numbers(np.array([4, 4, 4, 7, -1]), np.array([0, 0, 1, 0, 2]))
    >>> carried.numbers.tolist(), carried.successors
    ([4, 8, 9], {7: 4})
    """
    had_one = previous >= 0
    overlaps = _Overlaps.of(previous[had_one], labels[had_one])
    numbers = np.full(int(labels.max(initial=-1)) + 1, -1, dtype=np.int64)
    order = np.lexsort((overlaps.new, -overlaps.texts, overlaps.old))
    old, first = np.unique(overlaps.old[order], return_index=True)
    home, strength = overlaps.new[order][first], overlaps.texts[order][first]
    claims = np.lexsort((old, -strength, home))
    places, strongest = np.unique(home[claims], return_index=True)
    numbers[places] = old[claims][strongest]
    fresh = np.flatnonzero(numbers < 0)
    numbers[fresh] = int(previous.max(initial=used)) + 1 + np.arange(len(fresh))
    retired = numbers[home] != old
    return Carried(numbers, dict(zip(old[retired].tolist(), numbers[home[retired]].tolist(), strict=True)))
