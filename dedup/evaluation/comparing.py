"""Two settings on the same labels: the difference between their figures, with an interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.columns import Column, closeness_thresholds
from dedup.evaluation.evaluating import SEED, columns_of
from dedup.evaluation.figures import Prospect, prospect_of
from dedup.evaluation.inclusion import inclusion
from dedup.evaluation.records import Choice, Interval, Sample, ScoreSummary

Floats = NDArray[np.float64]
FEWEST_DISCORDANT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """First setting minus second, in precision, recall, missed duplicates and false positives.

    ``discordant`` sampled pairs are linked by one setting alone; only these tell the two apart, and with fewer than five of
    them the differences have no interval. ``told_apart`` says whether the interval of the difference in precision
    or recall leaves out 0; if not, ``more_labels`` is roughly how many labels, spread like the present ones, it would
    take (None where nothing suggests a number).
    """

    first: Choice
    second: Choice
    precision: Interval
    recall: Interval
    missed: Interval
    false_positives: Interval
    discordant: int
    told_apart: bool
    more_labels: int | None


def compare(
    summaries: Sequence[ScoreSummary],
    sample: Sample,
    choices: tuple[Choice, Choice],
    *,
    rule: str | None = None,
    confidence: float = 0.95,
    draws: int = 1000,
) -> Comparison:
    """Compare two settings on the same labelled pairs.

    The differences are those between the two settings' estimates. Their intervals come from a Bayesian bootstrap (Rubin 1981):
    in each replicate every sampled pair carries one random weight into both settings, so that what the settings share
    cancels out; a pair that stands for itself alone (design weight 1) keeps its weight. The seed is fixed.

    Raises ``ValueError`` for a setting whose recipe and score no summary has.
    """
    included = inclusion(summaries, sample)
    columns = columns_of(summaries, sample, included, rule=rule or None)
    prospects = [_prospect(columns, choice) for choice in choices]
    weights = _replicate_weights(prospects[0].column.sampled.weight, draws)
    now = [_measures(prospect, prospect.shares.counts[:, None]) for prospect in prospects]
    then = [_measures(prospect, _replicate_counts(prospect, weights)) for prospect in prospects]
    linked = [_linked(prospect) for prospect in prospects]
    discordant = int((linked[0] != linked[1]).sum())
    differences = {
        name: _difference(now[0][name] - now[1][name], then[0][name] - then[1][name], discordant, confidence)
        for name in now[0]
    }
    told_apart = any(_leaves_out_zero(differences[name]) for name in ("precision", "recall"))
    return Comparison(
        first=choices[0],
        second=choices[1],
        precision=differences["precision"],
        recall=differences["recall"],
        missed=differences["missed"],
        false_positives=differences["false_positives"],
        discordant=discordant,
        told_apart=told_apart,
        more_labels=None if told_apart else _more_labels(differences, linked[0].size),
    )


def _prospect(columns: Sequence[Column], choice: Choice) -> Prospect:
    for column in columns:
        if (column.summary.recipe, column.summary.score) == (choice.recipe, choice.score):
            return prospect_of(column, closeness_thresholds(column.summary, [choice.threshold]))
    raise ValueError(f"no summary has the recipe {choice.recipe!r} with the score {choice.score!r}")


def _replicate_weights(weight: Floats, draws: int) -> Floats:
    noise = np.random.default_rng(SEED).exponential(size=(weight.size, draws)) - 1.0
    return weight[:, None] * (1.0 + np.sqrt(1.0 - 1.0 / weight)[:, None] * noise)


def _replicate_counts(prospect: Prospect, weights: Floats) -> Floats:
    """Estimated duplicates of each cell in each replicate: ``float64[c, draws]``; cells without labels keep their estimate."""
    sampled, shares = prospect.column.sampled, prospect.shares
    member = (_cells(prospect)[None, :] == np.arange(shares.population.size)[:, None]).astype(np.float64)
    whole = member @ weights
    found = (member * sampled.duplicate) @ weights
    share = np.where(whole > 0, found / np.where(whole > 0, whole, 1.0), shares.estimate[:, None])
    counts: Floats = np.clip(shares.population[:, None] * share, shares.least[:, None], shares.most[:, None])
    return counts


def _cells(prospect: Prospect) -> NDArray[np.int64]:
    sampled, partition = prospect.column.sampled, prospect.partition
    bucket = np.searchsorted(prospect.column.edges, sampled.closeness, side="right") - 1
    cut_apart = (bucket >= partition.last_below[0]) & (bucket < partition.first_above[0])
    part = np.where(
        sampled.closeness >= partition.low[partition.upper][0], partition.upper.start, partition.lower.start
    )
    passing = np.where(cut_apart, part, bucket)
    return np.where(sampled.passing, passing, partition.blocked.start + bucket)


def _linked(prospect: Prospect) -> NDArray[np.bool_]:
    sampled = prospect.column.sampled
    linked: NDArray[np.bool_] = sampled.passing & (
        sampled.closeness >= prospect.partition.low[prospect.partition.upper][0]
    )
    return linked


def _measures(prospect: Prospect, counts: Floats) -> dict[str, Floats]:
    found, missed = prospect.above(counts)[0], prospect.below(counts)[0]
    links = prospect.above(prospect.shares.population)[0]
    everything = found + missed
    return {
        "precision": found / links if links else np.full_like(found, np.nan),
        "recall": found / np.where(everything > 0, everything, np.nan),
        "missed": missed,
        "false_positives": links - found,
    }


def _difference(now: Floats, then: Floats, discordant: int, confidence: float) -> Interval:
    if not np.isfinite(now[0]):
        return Interval()
    estimate = float(now[0])
    usable = then[np.isfinite(then)]
    if discordant < FEWEST_DISCORDANT or not usable.size:
        return Interval(estimate)
    tail = (1 - confidence) / 2
    low, high = np.quantile(usable, (tail, 1 - tail))
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate))


def _leaves_out_zero(interval: Interval) -> bool:
    return interval.low is not None and interval.high is not None and not interval.low <= 0 <= interval.high


def _more_labels(differences: dict[str, Interval], labelled: int) -> int | None:
    """Half widths shrink like the root of the number of labels: the least over precision and recall."""
    wanted = []
    for name in ("precision", "recall"):
        interval = differences[name]
        if interval.estimate and interval.half_width:
            factor = (interval.half_width / abs(interval.estimate)) ** 2
            wanted.append(math.ceil(labelled * max(factor - 1.0, 0.0)))
    return min(wanted) if wanted else None
