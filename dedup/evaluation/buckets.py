"""Similarity buckets as figures: how full, how far labelled, which share of duplicates."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.columns import Column
from dedup.evaluation.figures import precision_interval, prospect_of
from dedup.evaluation.inclusion import Prefix
from dedup.evaluation.records import BucketFigure, Interval, UnlabelledCell


def bucket_figures(
    columns: Sequence[Column], prefixes: Sequence[Prefix], *, confidence: float
) -> tuple[BucketFigure, ...]:
    """Describe each bucket that was drawn from, with its share of duplicates: a precision inside the bucket."""
    return tuple(
        _bucket_figure(column, prefix, confidence=confidence)
        for column in columns
        if column.summary.score == "exact"
        for prefix in prefixes
        if prefix.stratum.digest == column.summary.digest
    )


def _bucket_figure(column: Column, prefix: Prefix, *, confidence: float) -> BucketFigure:
    stratum = prefix.stratum
    sampled = column.sampled.where(column.sampled.between(stratum.low, stratum.high))
    unsure = int(column.unsure.between(stratum.low, stratum.high).sum())
    duplicates = int(sampled.duplicate.sum())
    return BucketFigure(
        recipe=column.summary.recipe,
        digest=stratum.digest,
        k=column.summary.k,
        low=stratum.low,
        high=stratum.high,
        population=stratum.population,
        sampled=stratum.sampled,
        prefix=prefix.length,
        labelled=sampled.weight.size + unsure,
        duplicates=duplicates,
        distinct=sampled.weight.size - duplicates,
        unsure=unsure,
        share=_share(column, stratum.low, stratum.high, confidence=confidence),
        surfacing=_surfacing(sampled.weight, sampled.surfacing),
    )


def _share(column: Column, low: int, high: int, *, confidence: float) -> Interval:
    inside = column.bounded(low, high)
    if not inside.sampled.weight.size or not inside.passing[-1]:
        return Interval()
    found = precision_interval(prospect_of(inside, np.array([low])), confidence=confidence)
    return Interval(*(float(value) for value in found[:, 0]))


def _surfacing(weight: NDArray[np.float64], surfacing: NDArray[np.float64]) -> float | None:
    return float(weight.sum() / (weight / surfacing).sum()) if weight.size else None


def unlabelled_cells(buckets: tuple[BucketFigure, ...]) -> tuple[UnlabelledCell, ...]:
    """Name the buckets that hold pairs but no label."""
    return tuple(
        UnlabelledCell(
            recipe=bucket.recipe,
            digest=bucket.digest,
            k=bucket.k,
            low=bucket.low,
            high=bucket.high,
            population=bucket.population,
        )
        for bucket in buckets
        if bucket.population and not bucket.labelled
    )
