"""From summaries and a labelled sample to every figure of a study."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dedup.evaluation.allocation import Focus, next_labels
from dedup.evaluation.buckets import bucket_figures, unlabelled_cells
from dedup.evaluation.columns import Column, column_of, surfacing_chances
from dedup.evaluation.figures import Terms, figures_of
from dedup.evaluation.inclusion import Inclusion, inclusion
from dedup.evaluation.recommending import recommendations
from dedup.evaluation.records import (
    DISTINCT,
    DUPLICATE,
    UNSURE,
    BucketFigure,
    Choice,
    Evaluation,
    Figure,
    LabelCounts,
    NextLabels,
    Sample,
    ScoreSummary,
    TargetName,
)
from dedup.pairs import EXACT_SCALE

DEFAULT_THRESHOLDS = tuple(level / 100 for level in range(20, 100))
DEFAULT_DISTANCES = tuple(range(33))
SEED = 20_250_101


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the analyst asks of a setting, and which figure further labels should narrow.

    ``safe`` compares the lower end of the interval with the wish, instead of the estimate. ``labels`` further labels go where they
    narrow ``target`` at the setting ``focus`` most, by default the one with the best F1, once every bucket has ``sweep``.
    """

    least_recall: float = 0.95
    least_precision: float = 0.95
    safe: bool = False
    target: TargetName = "recall"
    focus: Choice | None = None
    labels: int = 30
    sweep: int = 20


def evaluate(  # noqa: PLR0913 - the questions that an analyst may put; each has a safe default
    summaries: Sequence[ScoreSummary],
    sample: Sample,
    *,
    thresholds: Sequence[float] | None = None,
    distances: Sequence[int] | None = None,
    rule: str | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    confidence: float = 0.95,
    draws: int = 2000,
    wishes: Wishes | None = None,
) -> Evaluation:
    """Compute every figure of a study from the labels it has, for all recipes, scores and thresholds.

    ``thresholds`` are similarities in [0, 1], inclusive, for exact and estimated scores; ``distances`` are numbers of bits,
    inclusive, for Hamming distances. With a product ``rule`` only pairs that pass it become links. ``draws`` is the size of
    the simulation behind the intervals of recall, F1, errors and cost; it has a fixed seed, so equal input gives equal
    figures. The method is described in ``docs/statistics.md``.

    Raises ``ValueError`` for a threshold out of range, a negative cost, a confidence outside (0, 1), or a rule that the
    summaries or the sample don't know.
    """
    terms = Terms(cost_fp=cost_fp, cost_fn=cost_fn, confidence=confidence, draws=draws, seed=SEED)
    _check(terms, sample, rule)
    wishes = wishes or Wishes()
    included = inclusion(summaries, sample)
    columns = columns_of(summaries, sample, included, rule=rule or None)
    figures = [
        figure
        for column in columns
        for figure in figures_of(column, _wanted(column.summary, thresholds, distances), terms)
    ]
    buckets = bucket_figures(columns, included.prefixes, confidence=confidence)
    labels = _label_counts(sample, included)
    recommended = recommendations(
        _competing(figures),
        buckets,
        least_recall=wishes.least_recall,
        least_precision=wishes.least_precision,
        safe=wishes.safe,
    )
    return Evaluation(
        figures=tuple(figures),
        buckets=buckets,
        unlabelled=unlabelled_cells(buckets),
        labels=labels,
        recommended=recommended,
        next_labels=_next_labels(columns, figures, buckets, wishes.focus or recommended["f1"], wishes, terms),
        warnings=_warnings(labels, buckets),
        confidence=confidence,
        rule=rule or "",
    )


def propose(
    summaries: Sequence[ScoreSummary],
    sample: Sample,
    evaluation: Evaluation,
    wishes: Wishes,
    *,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
) -> tuple[NextLabels, ...]:
    """Say where the next labels go for the wishes of this moment, from an evaluation of the same summaries and sample.

    The figures of the evaluation hold the setting in focus: an exact similarity at one of its thresholds.
    """
    terms = Terms(cost_fp=cost_fp, cost_fn=cost_fn, confidence=evaluation.confidence, draws=0, seed=SEED)
    columns = columns_of(summaries, sample, inclusion(summaries, sample), rule=evaluation.rule or None)
    return _next_labels(columns, evaluation.figures, evaluation.buckets, wishes.focus, wishes, terms)


def _next_labels(
    columns: Sequence[Column],
    figures: Sequence[Figure],
    buckets: Sequence[BucketFigure],
    focus: Choice | None,
    wishes: Wishes,
    terms: Terms,
) -> tuple[NextLabels, ...]:
    """Propose labels for the recipe in focus; without a focus, for the first recipe that was drawn from."""
    drawn = [column for column in columns if column.summary.score == "exact" and column.summary.strata]
    chosen = [column for column in drawn if focus and column.summary.recipe == focus.recipe] or drawn
    if not chosen:
        return ()
    own = [
        figure for figure in figures if figure.digest == chosen[0].summary.digest and figure.score == "exact"
    ]
    at_focus = [figure for figure in own if focus and figure.choice == focus] or own[len(own) // 2 :]
    if not at_focus:
        return ()
    interval = {
        "precision": at_focus[0].precision,
        "recall": at_focus[0].recall,
        "cost": at_focus[0].expected_cost_interval,
    }[wishes.target]
    return next_labels(
        chosen[0],
        [bucket for bucket in buckets if bucket.digest == chosen[0].summary.digest],
        Focus(
            threshold=at_focus[0].threshold,
            target=wishes.target,
            interval=interval,
            cost_fp=terms.cost_fp,
            cost_fn=terms.cost_fn,
        ),
        labels=wishes.labels,
        sweep=wishes.sweep,
    )


def columns_of(
    summaries: Sequence[ScoreSummary], sample: Sample, included: Inclusion, *, rule: str | None
) -> list[Column]:
    """Prepare the column of every summary; the buckets of an estimate are those of its recipe's exact similarity."""
    surfacing = surfacing_chances(summaries, sample)
    edges = {summary.digest: _edges(summary) for summary in summaries if summary.strata}
    some_edges = next(iter(edges.values()), (0, EXACT_SCALE + 1))
    return [
        column_of(summary, edges.get(summary.digest, some_edges), sample, included, surfacing, rule=rule)
        for summary in summaries
    ]


def _edges(summary: ScoreSummary) -> tuple[int, ...]:
    ends = {level for stratum in summary.strata for level in (stratum.low, stratum.high)}
    return tuple(sorted(ends | {0, EXACT_SCALE + 1}))


def _wanted(
    summary: ScoreSummary, thresholds: Sequence[float] | None, distances: Sequence[int] | None
) -> Sequence[float]:
    if summary.score == "hamming":
        return DEFAULT_DISTANCES if distances is None else distances
    return DEFAULT_THRESHOLDS if thresholds is None else thresholds


def _competing(figures: list[Figure]) -> list[Figure]:
    """Exact similarities of all recipes compete; where only other scores were asked for, these do."""
    return [figure for figure in figures if figure.score == "exact"] or figures


def _label_counts(sample: Sample, included: Inclusion) -> LabelCounts:
    clear = (sample.verdicts == DUPLICATE) | (sample.verdicts == DISTINCT)
    return LabelCounts(
        duplicate=int((sample.verdicts == DUPLICATE).sum()),
        distinct=int((sample.verdicts == DISTINCT).sum()),
        unsure=int((sample.verdicts == UNSURE).sum()),
        sampled=int((included.sampled & clear).sum()),
        known=int((clear & ~included.sampled).sum()),
    )


def _warnings(labels: LabelCounts, buckets: Sequence[BucketFigure]) -> tuple[str, ...]:
    clear = labels.duplicate + labels.distinct
    warnings = []
    if labels.sampled == 0:
        warnings.append("No drawn pair has a verdict that counts yet, so there is no figure.")
    elif labels.duplicate == 0:
        warnings.append(f"No duplicate among {clear:,} labels yet, so recall can't be computed.")
    if labels.known:
        warnings.append(
            f"{labels.known:,} labelled pairs were not drawn, or stand behind a gap in the queue: "
            "they bound the figures, but don't count as a sample."
        )
    if labels.unsure:
        warnings.append(f"{labels.unsure:,} pairs are unsure: figures leave them out, and show the range.")
    warnings += [
        f"All labels between {bucket.low / 1000:.2f} and {min(bucket.high, EXACT_SCALE) / 1000:.2f} at k = {bucket.k} "
        "were drawn for other k's and don't speak for all of that bucket: label its own queue."
        for bucket in buckets
        if bucket.labelled and not bucket.prefix
    ]
    return tuple(warnings)


def _check(terms: Terms, sample: Sample, rule: str | None) -> None:
    for name, cost in (("cost_fp", terms.cost_fp), ("cost_fn", terms.cost_fn)):
        if not (np.isfinite(cost) and cost >= 0):
            raise ValueError(f"{name} must be 0 or more, not {cost}")
    if not 0 < terms.confidence < 1:
        raise ValueError(f"the confidence must lie between 0 and 1, not at {terms.confidence}")
    if rule and rule not in sample.passes:
        raise ValueError(f"the sample doesn't say which pairs pass the rule {rule!r}")
