"""Precision, recall and cost with intervals, from a labelled sample of the pool (``docs/statistics.md``)."""

from dedup.evaluation.agreement import Agreement, agreement
from dedup.evaluation.bare_labels import evaluate_labels
from dedup.evaluation.comparing import Comparison, compare
from dedup.evaluation.evaluating import DEFAULT_DISTANCES, DEFAULT_THRESHOLDS, Wishes, evaluate, propose
from dedup.evaluation.records import (
    DISTINCT,
    DUPLICATE,
    NO_VERDICT,
    UNSURE,
    BucketFigure,
    Choice,
    Evaluation,
    Figure,
    Interval,
    LabelCounts,
    NextLabels,
    Sample,
    ScoreSummary,
    UnlabelledCell,
    UnsureRange,
)
from dedup.evaluation.unsurfaced import with_unsurfaced

__all__ = [
    "DEFAULT_DISTANCES",
    "DEFAULT_THRESHOLDS",
    "DISTINCT",
    "DUPLICATE",
    "NO_VERDICT",
    "UNSURE",
    "Agreement",
    "BucketFigure",
    "Choice",
    "Comparison",
    "Evaluation",
    "Figure",
    "Interval",
    "LabelCounts",
    "NextLabels",
    "Sample",
    "ScoreSummary",
    "UnlabelledCell",
    "UnsureRange",
    "Wishes",
    "agreement",
    "compare",
    "evaluate",
    "evaluate_labels",
    "propose",
    "with_unsurfaced",
]
