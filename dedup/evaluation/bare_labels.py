"""Figures for a table of labels that came without its pool: similarities, verdicts, and at best the size of each bucket."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.evaluating import evaluate
from dedup.evaluation.records import Evaluation, Sample, ScoreSummary
from dedup.pairs import EXACT_SCALE
from dedup.sampling import StratumDraw

TENTHS = (*range(0, EXACT_SCALE, 100), EXACT_SCALE + 1)
ENDLESS = 10**6
DIGEST = "labels"


def evaluate_labels(
    similarities: Sequence[float],
    verdicts: Sequence[int],
    *,
    populations: Mapping[tuple[int, int], int] | None = None,
    thresholds: Sequence[float] | None = None,
    confidence: float = 0.95,
) -> Evaluation:
    """Evaluate labelled pairs whose pool is not at hand.

    ``similarities`` lie in [0, 1]; ``verdicts`` are 1 duplicate, 0 distinct, -1 unsure. ``populations`` gives, for each bucket
    ``(low, high)`` in thousandths, how many pairs it holds; its labels are taken for a simple random sample of them. Where no
    populations are known, all labels together are taken for a simple random sample of an endless pool: then ``links`` are
    no real counts, and ``labelled`` is what says how many pairs a figure rests on.

    Raises ``ValueError`` for a similarity outside [0, 1], or a label in no bucket, or more labels in a bucket than pairs.
    """
    levels = np.floor(np.asarray(similarities, np.float64) * EXACT_SCALE + 1e-6).astype(np.int64)
    if levels.size and not 0 <= levels.min() <= levels.max() <= EXACT_SCALE:
        raise ValueError("similarities lie between 0 and 1")
    sizes = _endless(levels) if populations is None else dict(populations)
    u, strata, histogram = np.full(levels.size, np.nan), [], np.zeros(EXACT_SCALE + 1, np.int64)
    for (low, high), population in sorted(sizes.items()):
        inside = np.flatnonzero((levels >= low) & (levels < high))
        if inside.size > population:
            raise ValueError(f"{inside.size} labels among the {population} pairs from {low} to {high}")
        u[inside] = (np.arange(inside.size) + 0.5) / max(population, 1)
        strata.append(_stratum(low, high, population, inside.size))
        histogram += _spread(levels[inside], low, population)
    if np.isnan(u).any():
        raise ValueError(f"{int(np.isnan(u).sum())} labels lie in no bucket whose population is given")
    summary = ScoreSummary(
        recipe=DIGEST,
        digest=DIGEST,
        score="exact",
        k=1,
        scale=EXACT_SCALE,
        histogram=histogram,
        strata=tuple(strata),
    )
    sample = Sample(
        u=u,
        drawn=np.ones(levels.size, np.bool_),
        verdicts=np.asarray(verdicts, np.int8),
        levels={(DIGEST, "exact"): levels.astype(np.int16)},
    )
    return evaluate([summary], sample, thresholds=thresholds, confidence=confidence)


def _endless(levels: NDArray[np.int64]) -> dict[tuple[int, int], int]:
    return {
        (low, high): ENDLESS * int(((levels >= low) & (levels < high)).sum())
        for low, high in pairwise(TENTHS)
    }


def _stratum(low: int, high: int, population: int, labelled: int) -> StratumDraw:
    return StratumDraw(
        digest=DIGEST,
        low=low,
        high=high,
        population=population,
        sampled=labelled,
        next_u=1.0 if labelled == population else (labelled + 0.5) / population,
    )


def _spread(levels: NDArray[np.int64], low: int, population: int) -> NDArray[np.int64]:
    """Put a bucket's pairs on the levels of its labels, in proportion: all that is known of where they lie."""
    histogram = np.zeros(EXACT_SCALE + 1, np.int64)
    if not levels.size:
        histogram[low] = population
        return histogram
    share, rest = divmod(population, levels.size)
    np.add.at(histogram, levels, share)
    np.add.at(histogram, levels[:rest], 1)
    return histogram
