"""One column of scores, made ready: every score becomes a closeness, so that a link always means "this level or more"."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.inclusion import Inclusion
from dedup.evaluation.records import DISTINCT, DUPLICATE, UNSURE, Sample, ScoreSummary
from dedup.pairs import threshold_level

HAMMING_BUCKET = 4
LAST_HAMMING_BUCKET = 32
LEAST_SURFACING = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Labelled pairs as parallel arrays: ``closeness``, design ``weight``, ``duplicate`` (0 or 1), ``surfacing`` chance."""

    closeness: NDArray[np.int64]
    passing: NDArray[np.bool_]
    weight: NDArray[np.float64]
    duplicate: NDArray[np.float64]
    surfacing: NDArray[np.float64]

    def where(self, mask: NDArray[np.bool_]) -> "Points":
        """Keep the pairs that the mask selects."""
        return Points(
            closeness=self.closeness[mask],
            passing=self.passing[mask],
            weight=self.weight[mask],
            duplicate=self.duplicate[mask],
            surfacing=self.surfacing[mask],
        )

    def between(self, low: int, high: int) -> NDArray[np.bool_]:
        """Say which pairs lie in a range of closeness levels, ``high`` excluded."""
        return (self.closeness >= low) & (self.closeness < high)

    def answered(self, duplicate: float) -> "Points":
        """Give all pairs the same verdict: 1 for duplicate, 0 for distinct."""
        return replace(self, duplicate=np.full_like(self.duplicate, duplicate))

    def unblocked(self) -> "Points":
        """Let all pairs pass the rule."""
        return replace(self, passing=np.ones_like(self.passing))

    def joined(self, other: "Points") -> "Points":
        """Put two groups of pairs together."""
        return Points(
            closeness=np.concatenate([self.closeness, other.closeness]),
            passing=np.concatenate([self.passing, other.passing]),
            weight=np.concatenate([self.weight, other.weight]),
            duplicate=np.concatenate([self.duplicate, other.duplicate]),
            surfacing=np.concatenate([self.surfacing, other.surfacing]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A score with its buckets and thresholds in closeness levels, 0 to ``scale``.

    ``edges`` is ``int64[b + 1]``, from 0 to scale + 1. ``passing`` and ``blocked`` count the pool's pairs below each
    closeness level, ``int64[scale + 2]``, split by the product rule (nothing is blocked without one). ``sampled`` are the
    pairs that the estimates rest on, ``known`` are all pairs with a clear verdict, ``unsure`` the sampled unsure ones.
    """

    summary: ScoreSummary
    edges: NDArray[np.int64]
    passing: NDArray[np.int64]
    blocked: NDArray[np.int64]
    sampled: Points
    known: Points
    unsure: Points

    def bounded(self, low: int, high: int) -> "Column":
        """The same column, as if the pool held only the pairs in a range of closeness levels, rule or no rule."""
        levels = np.arange(self.passing.size)
        everything = self.passing + self.blocked
        inside = np.clip(levels, low, high)
        return replace(
            self,
            edges=np.unique(np.array([0, low, high, self.passing.size - 1], np.int64)),
            passing=everything[inside] - everything[low],
            blocked=np.zeros_like(self.blocked),
            sampled=self.sampled.where(self.sampled.between(low, high)).unblocked(),
            known=self.known.where(self.known.between(low, high)).unblocked(),
            unsure=self.unsure.where(self.unsure.between(low, high)).unblocked(),
        )


def column_of(
    summary: ScoreSummary,
    edges: Sequence[int],
    sample: Sample,
    included: Inclusion,
    surfacing: NDArray[np.float64],
    *,
    rule: str | None,
) -> Column:
    """Prepare one column of scores. ``edges`` are thousandths of similarity (ignored for bits)."""
    passing = _passing_histogram(summary, rule)
    weight = 1.0 / np.where(included.sampled, included.probabilities, 1.0)
    points = Points(
        closeness=_closeness(summary, sample.levels[summary.digest, summary.score].astype(np.int64)),
        passing=sample.passes[rule] if rule else np.ones(sample.u.shape[0], np.bool_),
        weight=weight,
        duplicate=(sample.verdicts == DUPLICATE).astype(np.float64),
        surfacing=surfacing,
    )
    clear = (sample.verdicts == DUPLICATE) | (sample.verdicts == DISTINCT)
    return Column(
        summary=summary,
        edges=_closeness_edges(summary, edges),
        passing=_below(_turned(summary, passing)),
        blocked=_below(_turned(summary, summary.histogram - passing)),
        sampled=points.where(included.sampled & clear),
        known=points.where(clear),
        unsure=points.where(included.sampled & (sample.verdicts == UNSURE)),
    )


def closeness_thresholds(summary: ScoreSummary, thresholds: Sequence[float]) -> NDArray[np.int64]:
    """Turn thresholds (similarities in [0, 1], or numbers of bits) into the least closeness of a link, ``int64[t]``.

    Raises ``ValueError`` for a threshold outside the score's range.
    """
    top = summary.scale if summary.score == "hamming" else 1
    for threshold in thresholds:
        if not 0 <= threshold <= top:
            raise ValueError(f"a threshold on {summary.score} lies between 0 and {top}, not at {threshold}")
    if summary.score == "hamming":
        levels = [summary.scale - int(threshold) for threshold in thresholds]
    else:
        levels = [threshold_level(threshold, summary.scale) for threshold in thresholds]
    return np.array(levels, np.int64)


def surfacing_chances(summaries: Sequence[ScoreSummary], sample: Sample) -> NDArray[np.float64]:
    """Chance of each pair to become a candidate under at least one recipe's bands: ``float64[n]`` in [0.05, 1].

    ``1 - (1 - P_1)(1 - P_2)...`` with ``P_r = 1 - (1 - J_r**rows)**bands``. Chances under 0.05 count as 0.05, so that no
    single pair stands for more than twenty. Without bands in any summary, every chance is 1.
    """
    banded = [summary for summary in summaries if summary.score == "exact" and summary.bands]
    if not banded:
        return np.ones(sample.u.shape[0])
    missed = np.ones(sample.u.shape[0])
    for summary in banded:
        similarity = sample.levels[summary.digest, "exact"] / summary.scale
        missed *= (1.0 - similarity**summary.rows_per_band) ** summary.bands
    return np.maximum(1.0 - missed, LEAST_SURFACING)


def _passing_histogram(summary: ScoreSummary, rule: str | None) -> NDArray[np.int64]:
    if rule is None:
        return summary.histogram
    if summary.histogram_rule is None:
        raise ValueError(f"{summary.recipe} has no histogram of the pairs that pass the rule {rule!r}")
    return summary.histogram_rule


def _closeness(summary: ScoreSummary, levels: NDArray[np.int64]) -> NDArray[np.int64]:
    return summary.scale - levels if summary.score == "hamming" else levels


def _turned(summary: ScoreSummary, histogram: NDArray[np.int64]) -> NDArray[np.int64]:
    return histogram[::-1] if summary.score == "hamming" else histogram


def _below(histogram: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(histogram)])


def _closeness_edges(summary: ScoreSummary, edges: Sequence[int]) -> NDArray[np.int64]:
    if summary.score == "hamming":
        distances = range(0, LAST_HAMMING_BUCKET + 1, HAMMING_BUCKET)
        levels = [0, *sorted(summary.scale - distance + 1 for distance in distances)]
    elif summary.score == "exact":
        levels = list(edges)
    else:
        inner = [threshold_level(edge / 1000, summary.scale) for edge in edges[1:-1]]
        levels = [0, *inner, summary.scale + 1]
    return np.unique(np.array(levels, np.int64))
