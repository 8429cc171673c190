"""Duplicates that people know of and that no study surfaced: they count against the recall of everything."""

from dataclasses import replace

from dedup.evaluation.records import Evaluation, Figure, Interval


def with_unsurfaced(evaluation: Evaluation, duplicates: int) -> Evaluation:
    """Count ``duplicates`` pairs outside the pool as missed by ``recall_all``, and say so beside each figure.

    They were found by chance, so they are the least that was missed: estimate and interval only ever become lower.
    ``recall`` keeps its meaning, the pairs of the pool.
    """
    if duplicates == 0:
        return evaluation
    figures = tuple(_lowered(figure, duplicates) for figure in evaluation.figures)
    return replace(
        evaluation, figures=figures, warnings=(*evaluation.warnings, unsurfaced_sentence(duplicates))
    )


def unsurfaced_sentence(duplicates: int) -> str:
    """What a reader of recall must be told.

    >>> unsurfaced_sentence(1)
    '1 known duplicate pair was not surfaced, so recall is that among surfaced pairs; “recall, all” counts it as missed.'
    """
    pairs = "1 known duplicate pair was" if duplicates == 1 else f"{duplicates:,} known duplicate pairs were"
    them = "it" if duplicates == 1 else "them"
    return f"{pairs} not surfaced, so recall is that among surfaced pairs; “recall, all” counts {them} as missed."


def _lowered(figure: Figure, duplicates: int) -> Figure:
    precision, recall, everything = figure.precision, figure.recall, figure.recall_all
    estimate = _least(everything.estimate, figure.links, precision.estimate, recall.estimate, duplicates)
    high = _least(everything.high, figure.links, precision.high, recall.high, duplicates)
    low = _least(everything.low, figure.links, precision.low, recall.low, duplicates)
    return replace(
        figure,
        recall_all=Interval(estimate, low, high),
        warnings=(*figure.warnings, unsurfaced_sentence(duplicates)),
    )


def _least(
    known: float | None, links: int, precision: float | None, recall: float | None, duplicates: int
) -> float | None:
    """The share of all duplicates that the links hold, if those of the pool and ``duplicates`` more were all there are."""
    if known is None or precision is None or not recall:
        return known
    found = links * precision
    return min(known, found / (found / recall + duplicates))
