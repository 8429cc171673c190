"""From cells to figures: precision, recall, F1, errors and cost with intervals, for all thresholds of a column at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.cells import Partition, Tally, partition_of, tally
from dedup.evaluation.columns import Column, Points, closeness_thresholds
from dedup.evaluation.intervals import clopper_pearson
from dedup.evaluation.records import Figure, Interval, UnsureRange
from dedup.evaluation.shares import Shares, drawn_counts, shares_of
from dedup.evaluation.warnings import figure_warnings

Floats = NDArray[np.float64]
ERRORS = ("missed", "cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How figures are computed, the same for every column."""

    cost_fp: float
    cost_fn: float
    confidence: float
    draws: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """One column at all its thresholds: the partition, the sums and the shares that its figures come from."""

    column: Column
    partition: Partition
    tallied: Tally
    shares: Shares

    def above(self, cells: Floats) -> Floats:
        """Sum the cells that hold links, for each threshold; ``cells`` is ``[c]`` or ``[c, draws]``."""
        running = _running(cells[self.partition.whole])
        above: Floats = running[-1] - running[self.partition.first_above] + cells[self.partition.upper]
        return above

    def below(self, cells: Floats) -> Floats:
        """Sum the cells that hold no link, blocked ones included, for each threshold."""
        running = _running(cells[self.partition.whole])
        blocked = cells[self.partition.blocked].sum(axis=0)
        below: Floats = running[self.partition.last_below] + cells[self.partition.lower] + blocked
        return below


def _running(cells: Floats) -> Floats:
    running = np.zeros((cells.shape[0] + 1, *cells.shape[1:]))
    np.cumsum(cells, axis=0, out=running[1:])
    return running


def prospect_of(column: Column, cuts: NDArray[np.int64], sampled: Points | None = None) -> Prospect:
    """Cut the column at all closeness levels and estimate the shares; ``sampled`` may replace the column's own pairs."""
    partition = partition_of(column.edges, cuts)
    tallied = tally(column, partition, sampled or column.sampled, column.known)
    return Prospect(column=column, partition=partition, tallied=tallied, shares=shares_of(tallied, partition))


def figures_of(column: Column, thresholds: Sequence[float], terms: Terms) -> list[Figure]:
    """Compute the figures of one column at every threshold."""
    prospect = prospect_of(column, closeness_thresholds(column.summary, thresholds))
    estimates = _estimates(prospect, terms)
    ranges = _unsure_ranges(column, prospect)
    surfaced = prospect.shares.surfaced[prospect.partition.parent[prospect.partition.upper]]
    bare = prospect.above(np.where(_unlabelled(prospect), prospect.tallied.population, 0.0))
    links, labelled = prospect.above(prospect.tallied.population), prospect.above(prospect.tallied.labelled)
    figures = []
    for place, threshold in enumerate(thresholds):
        chosen = {name: _interval(values, place) for name, values in estimates.items()}
        figures.append(
            Figure(
                recipe=column.summary.recipe,
                digest=column.summary.digest,
                k=column.summary.k,
                score=column.summary.score,
                threshold=float(threshold),
                links=int(links[place]),
                labelled=round(labelled[place]),
                precision=chosen["precision"],
                recall=chosen["recall"],
                recall_all=chosen["recall_all"],
                f1=chosen["f1"].estimate,
                f1_interval=chosen["f1"],
                false_positives=chosen["false_positives"].estimate,
                false_positives_interval=chosen["false_positives"],
                missed=chosen["missed"].estimate,
                missed_interval=chosen["missed"],
                expected_cost=chosen["cost"].estimate,
                expected_cost_interval=chosen["cost"],
                unsure_range=_unsure_range(ranges, place),
                warnings=figure_warnings(
                    links=int(links[place]),
                    labelled=round(labelled[place]),
                    bare=int(bare[place]),
                    precision=chosen["precision"],
                    recall=chosen["recall"],
                    surfaced=float(surfaced[place]),
                ),
            )
        )
    return figures


def _estimates(prospect: Prospect, terms: Terms) -> dict[str, Floats]:
    """Estimate, low and high of each figure for each threshold: ``float64[3, t]``, NaN where there is no data."""
    rng = np.random.default_rng(terms.seed)
    precision = precision_interval(prospect, confidence=terms.confidence)
    links = prospect.above(prospect.tallied.population)
    known = _known_figures(prospect, links, terms)
    simulated = _simulated(prospect, links, terms, rng)
    found = {name: np.stack([known[name], *simulated[name]]) for name in known}
    _open_ends(found, prospect)
    _keep_estimate_inside(found)
    nothing_labelled = ~np.any(prospect.tallied.labelled > 0)
    without_duplicate = prospect.tallied.duplicates.sum() == 0
    if nothing_labelled:
        found = {name: values * np.nan for name, values in found.items()}
    elif without_duplicate:
        for name in ("recall", "recall_all", "f1"):
            found[name] = found[name] * np.nan
    wrong = links * (1.0 - precision[[0, 2, 1]])
    cost_known = ~np.isnan(precision[0]) | (links == 0)
    found["cost"] = np.where(cost_known, found["cost"], np.nan)
    found["f1"] = np.where(np.isnan(precision[0]), np.nan, found["f1"])
    return {"precision": precision, "false_positives": np.where(links == 0, 0.0, wrong), **found}


def precision_interval(prospect: Prospect, *, confidence: float) -> Floats:
    """Precision at each threshold with its interval: ``float64[3, t]``, NaN where no link is labelled.

    Korn and Graubard (1998): Clopper-Pearson with the effective sample size ``p (1 - p) / variance``, over the cells that aren't
    known pair by pair; what is known is added as it is. Both are taken at the smoothed shares of the cells, so that a cell
    whose few labels all agree doesn't pass for certain, and a single cell keeps exactly its number of labels. Ends are
    rounded outwards to whole pairs, within what is known.
    """
    shares = prospect.shares
    links, found = prospect.above(shares.population), prospect.above(shares.counts)
    is_open = np.isfinite(shares.size)
    open_pairs = np.where(is_open, shares.population, 0.0)
    size, unknown = _effective_size(prospect, open_pairs), prospect.above(open_pairs)
    certain = prospect.above(np.where(is_open, 0.0, shares.least))
    share = np.clip((found - certain) / np.where(unknown > 0, unknown, 1.0), 0.0, 1.0)
    low, high = clopper_pearson(share, size, confidence=confidence)
    least, most = prospect.above(shares.least), prospect.above(shares.most)
    low = np.maximum(np.floor(certain + low * unknown + 1e-6), least)
    high = np.minimum(np.ceil(certain + high * unknown - 1e-6), most)
    ends = np.stack([found, np.minimum(low, found), np.maximum(high, found)])
    has_data = (links > 0) & (prospect.above(prospect.tallied.labelled) > 0)
    return np.where(has_data, np.clip(ends / np.where(links > 0, links, 1.0), 0.0, 1.0), np.nan)


def _effective_size(prospect: Prospect, pairs: Floats) -> Floats:
    """How many labels of one simple random sample the cells' labels are worth, ``pairs`` being the cells' weights."""
    smoothed = prospect.shares.smoothed
    unknown = prospect.above(pairs)
    whole = np.where(unknown > 0, unknown, 1.0)
    share = prospect.above(pairs * smoothed) / whole
    spread = smoothed * (1.0 - smoothed) / np.maximum(prospect.shares.size, 1.0)
    variance = prospect.above(pairs**2 * spread) / whole**2
    return np.where(variance > 0, share * (1.0 - share) / np.where(variance > 0, variance, 1.0), np.inf)


def _known_figures(prospect: Prospect, links: Floats, terms: Terms) -> dict[str, Floats]:
    counts = prospect.shares.counts
    found, missed = prospect.above(counts), prospect.below(counts)
    surfaced = counts * prospect.shares.surfaced
    return _figures_from(
        found, found + missed, prospect.above(surfaced) + prospect.below(surfaced), links, terms
    )


def _figures_from(
    found: Floats, duplicates: Floats, everywhere: Floats, links: Floats, terms: Terms
) -> dict[str, Floats]:
    missed = duplicates - found
    return {
        "recall": found / np.where(duplicates > 0, duplicates, np.nan),
        "recall_all": found / np.where(everywhere > 0, everywhere, np.nan),
        "f1": 2.0 * found / np.where(links + duplicates > 0, links + duplicates, np.nan),
        "missed": missed,
        "cost": terms.cost_fp * (links - found) + terms.cost_fn * missed,
    }


def _simulated(
    prospect: Prospect, links: Floats, terms: Terms, rng: np.random.Generator
) -> dict[str, tuple[Floats, Floats]]:
    if np.isnan(prospect.shares.estimate).any():
        nothing = np.full(links.size, np.nan)
        return dict.fromkeys(("recall", "recall_all", "f1", "missed", "cost"), (nothing, nothing))
    partition, surfaced = prospect.partition, prospect.shares.surfaced[:, None]
    usual = drawn_counts(prospect.shares, draws=terms.draws, rng=rng)
    few = drawn_counts(prospect.shares, draws=terms.draws, rng=rng, cautious=partition.outside)
    found, found_everywhere = prospect.above(usual), prospect.above(usual * surfaced)
    tail = (1 - terms.confidence) / 2
    many_missed, few_missed = (
        _figures_from(
            found,
            found + prospect.below(counts),
            found_everywhere + prospect.below(counts * surfaced),
            links[:, None],
            terms,
        )
        for counts in (usual, few)
    )
    ends = {}
    for name in many_missed:
        lowest, highest = (few_missed, many_missed) if name in ERRORS else (many_missed, few_missed)
        ends[name] = (percentile(lowest[name], tail), percentile(highest[name], 1 - tail))
    return ends


def percentile(values: Floats, share: float) -> Floats:
    """Give the value below which ``share`` of each row of ``float64[t, draws]`` lies: ``float64[t]``.

    A whole order statistic, rounded outwards, so that no interpolation is needed: intervals are, if anything, wider.
    """
    last = values.shape[1] - 1
    rank = int(share * last) if share < 0.5 else last - int((1 - share) * last)
    return np.partition(values, rank, axis=1)[:, rank]


def _open_ends(found: dict[str, Floats], prospect: Prospect) -> None:
    """Let recall reach 1 where no duplicate was seen outside the links, and 0 where none was seen inside.

    The Jeffreys interval is opened like this at 0 and n (Brown, Cai and DasGupta 2001): otherwise no draw ever says
    "nothing is missed", and the interval can't hold it.
    """
    seen_inside, seen_outside = (
        prospect.above(prospect.tallied.duplicates),
        prospect.below(prospect.tallied.duplicates),
    )
    found["recall"][2][seen_outside == 0] = 1.0
    found["missed"][1][seen_outside == 0] = 0.0
    for name in ("recall", "recall_all", "f1"):
        found[name][1][seen_inside == 0] = 0.0


def _keep_estimate_inside(found: dict[str, Floats]) -> None:
    for values in found.values():
        np.minimum(values[1], values[0], out=values[1])
        np.maximum(values[2], values[0], out=values[2])


def _unlabelled(prospect: Prospect) -> NDArray[np.bool_]:
    bare: NDArray[np.bool_] = (prospect.tallied.labelled == 0) & (prospect.tallied.population > 0)
    parts = slice(prospect.partition.upper.start, prospect.partition.blocked.start)
    bare[parts] &= bare[prospect.partition.parent[parts]]
    return bare


def _unsure_ranges(column: Column, prospect: Prospect) -> Floats | None:
    """Precision and recall at each threshold if all unsure pairs were distinct, and if all were duplicates: ``[2, 2, t]``."""
    if not column.unsure.weight.size:
        return None
    extremes = []
    for verdict in (0.0, 1.0):
        answered = column.sampled.joined(column.unsure.answered(verdict))
        cuts = prospect.partition.low[prospect.partition.upper]
        extreme = prospect_of(column, cuts, answered)
        extremes.append(_point_estimates(extreme))
    return np.sort(np.array(extremes), axis=0)


def _point_estimates(prospect: Prospect) -> tuple[Floats, Floats]:
    counts = prospect.shares.counts
    links = prospect.above(prospect.tallied.population)
    labelled = prospect.above(prospect.tallied.labelled)
    found, missed = prospect.above(counts), prospect.below(counts)
    duplicates = found + missed
    precision = np.where((links > 0) & (labelled > 0), found / np.maximum(links, 1.0), np.nan)
    return precision, found / np.where(duplicates > 0, duplicates, np.nan)


def _unsure_range(ranges: Floats | None, place: int) -> UnsureRange | None:
    if ranges is None:
        return None
    return UnsureRange(
        precision=(_number(ranges[0, 0, place]), _number(ranges[1, 0, place])),
        recall=(_number(ranges[0, 1, place]), _number(ranges[1, 1, place])),
    )


def _interval(values: Floats, place: int) -> Interval:
    estimate, low, high = (_number(value) for value in values[:, place])
    return Interval(estimate, low, high)


def _number(value: float) -> float | None:
    """Turn NaN into None: no data."""
    return float(value) if np.isfinite(value) else None
