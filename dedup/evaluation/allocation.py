"""Which pairs to label next: an equal sweep first, then labels where they narrow the wanted figure most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.columns import Column, closeness_thresholds
from dedup.evaluation.figures import prospect_of
from dedup.evaluation.records import BucketFigure, Interval, NextLabels, TargetName

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """The figure to narrow: which target at which threshold, its present interval, and the costs that weigh its errors."""

    threshold: float
    target: TargetName
    interval: Interval
    cost_fp: float
    cost_fn: float


def next_labels(
    column: Column, buckets: Sequence[BucketFigure], focus: Focus, *, labels: int, sweep: int
) -> tuple[NextLabels, ...]:
    """Propose where the next ``labels`` labels go among the ``buckets`` of one recipe, and what to expect of them.

    Until every bucket has ``sweep`` labels (or is labelled whole), the proposal is the rest of that equal sweep. Then each
    label goes where it takes most from the target's variance (Neyman 1934, in whole labels: a bucket's term is
    ``S**2 / n``, and one more label takes ``S**2 / (n (n + 1))`` from it). The interval is expected to shrink like the
    square root of the variance.
    """
    population = np.array([bucket.population for bucket in buckets], np.float64)
    labelled = np.array([bucket.prefix for bucket in buckets], np.float64)
    places = np.searchsorted(column.edges, [bucket.low for bucket in buckets])
    spread = bucket_spreads(column, focus)[places]
    missing = np.maximum(np.minimum(population, sweep) - labelled, 0.0)
    added = missing if missing.sum() else neyman(spread, labelled, population, labels=labels)
    before, after = (variance(spread, size, population) for size in (labelled, labelled + added))
    width = focus.interval.half_width
    expected = None if width is None or before <= 0 else width * float(np.sqrt(after / before))
    order = np.argsort(-added, kind="stable")
    return tuple(
        NextLabels(
            recipe=buckets[place].recipe,
            digest=buckets[place].digest,
            k=buckets[place].k,
            low=buckets[place].low,
            high=buckets[place].high,
            labels=round(added[place]),
            target=focus.target,
            half_width=width,
            expected=expected,
        )
        for place in order
        if added[place] > 0
    )


def neyman(spread: Floats, labelled: Floats, population: Floats, *, labels: int) -> Floats:
    """Spread ``labels`` whole labels over the buckets, each where it takes most from the variance: ``float64[b]``.

    ``spread`` holds each bucket's ``S**2``. No bucket gets more labels than it has unlabelled pairs. A bucket counts as having one label
    more than it has, the prior's, so that an unlabelled one isn't infinitely uncertain.

    >>> neyman(np.array([4.0, 1.0]), np.zeros(2), np.array([100.0, 100.0]), labels=3).tolist()
    [2.0, 1.0]
    """
    added = np.zeros_like(spread)
    for _ in range(labels):
        size = labelled + added + 1.0
        gain = np.where(labelled + added < population, spread / (size * (size + 1.0)), 0.0)
        if not gain.any():
            break
        added[int(np.argmax(gain))] += 1.0
    return added


def variance(spread: Floats, labelled: Floats, population: Floats) -> float:
    """Variance of the target: the sum of ``S**2 (1 / (n + 1) - 1 / (N + 1))`` over the buckets, 0 where all is labelled."""
    return float((spread * (1.0 / (labelled + 1.0) - 1.0 / (population + 1.0))).sum())


def bucket_spreads(column: Column, focus: Focus) -> Floats:
    """Give each bucket's ``S**2``: the target's variance would be ``S**2 / n`` if the bucket had n labels and no other did.

    The target is linear in the numbers of duplicates of the cells near their estimates; a duplicate among the links adds
    ``1 / links`` to precision and ``(1 - recall) / duplicates`` to recall, one outside takes ``recall / duplicates``.
    """
    cuts = closeness_thresholds(column.summary, [focus.threshold])
    prospect = prospect_of(column, cuts)
    partition, shares = prospect.partition, prospect.shares
    inside, outside = _worth_of_a_duplicate(
        focus,
        links=float(prospect.above(shares.population)[0]),
        found=float(prospect.above(shares.counts)[0]),
        missed=float(prospect.below(shares.counts)[0]),
    )
    worth = np.full(shares.population.size, outside)
    worth[partition.upper] = inside
    worth[partition.whole] = np.where(
        np.arange(partition.buckets) >= partition.first_above[0], inside, outside
    )
    terms = worth**2 * shares.population * shares.smoothed * (1.0 - shares.smoothed)
    cut_apart = (np.arange(partition.buckets) >= partition.last_below[0]) & (
        np.arange(partition.buckets) < partition.first_above[0]
    )
    terms[partition.whole] = np.where(cut_apart, 0.0, terms[partition.whole])
    per_bucket = np.zeros(partition.buckets)
    np.add.at(per_bucket, partition.parent, terms)
    population = np.diff((column.passing + column.blocked)[column.edges])
    return per_bucket * population


def _worth_of_a_duplicate(focus: Focus, *, links: float, found: float, missed: float) -> tuple[float, float]:
    if focus.target == "precision":
        return 1.0 / max(links, 1.0), 0.0
    if focus.target == "cost":
        return -focus.cost_fp, focus.cost_fn
    duplicates = max(found + missed, 1.0)
    recall = found / duplicates
    return (1.0 - recall) / duplicates, -recall / duplicates
