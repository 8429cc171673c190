"""Rules that turn figures into a setting; every recipe, score and threshold competes."""

from collections.abc import Callable, Sequence

from dedup.evaluation.records import BucketFigure, Choice, Figure, Interval


def recommendations(
    figures: Sequence[Figure],
    buckets: Sequence[BucketFigure],
    *,
    least_recall: float,
    least_precision: float,
    safe: bool,
) -> dict[str, Choice | None]:
    """Give the setting that each rule picks, or None where no setting qualifies.

    ``majority``: the lowest bucket from which every bucket upward holds mostly duplicates, of the recipe whose setting has the
    best F1. ``recall``: the best precision with recall of at least ``least_recall``. ``precision``: the best recall
    with precision of at least ``least_precision``. Both compare the lower ends of the intervals where ``safe``,
    else the estimates. ``cost``: the least expected cost. ``f1``: the best F1. Among equals the one with the higher
    threshold, then the smaller k, wins.
    """
    by_recall = [figure for figure in figures if _reaches(figure.recall, least_recall, safe=safe)]
    by_precision = [figure for figure in figures if _reaches(figure.precision, least_precision, safe=safe)]
    return {
        "majority": _majority(figures, buckets),
        "recall": _best(by_recall, lambda figure: figure.precision.estimate),
        "precision": _best(by_precision, lambda figure: figure.recall.estimate),
        "cost": _best(figures, lambda figure: _negative(figure.expected_cost)),
        "f1": _best(figures, lambda figure: figure.f1),
    }


def _reaches(interval: Interval, least: float, *, safe: bool) -> bool:
    value = interval.low if safe else interval.estimate
    return value is not None and value >= least


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _best(figures: Sequence[Figure], merit: Callable[[Figure], float | None]) -> Choice | None:
    rated = [(value, figure) for figure in figures if (value := merit(figure)) is not None]
    if not rated:
        return None
    return max(rated, key=lambda entry: (round(entry[0], 12), _strictness(entry[1]), -entry[1].k))[1].choice


def _strictness(figure: Figure) -> float:
    return -figure.threshold if figure.score == "hamming" else figure.threshold


def majority_level(buckets: Sequence[BucketFigure]) -> int | None:
    """Find the lowest level from which every bucket upward holds mostly duplicates, in thousandths.

    ``buckets`` are those of one recipe. Empty buckets don't matter; a bucket without data ends the run, and so does one in which
    half or fewer of the pairs are duplicates. None where even the topmost bucket ends it.
    """
    level = None
    for bucket in sorted(buckets, key=lambda bucket: -bucket.low):
        if bucket.population == 0:
            continue
        if bucket.share.estimate is None or bucket.share.estimate <= 0.5:
            break
        level = bucket.low
    return level


def _majority(figures: Sequence[Figure], buckets: Sequence[BucketFigure]) -> Choice | None:
    picked = []
    for digest in dict.fromkeys(bucket.digest for bucket in buckets):
        level = majority_level([bucket for bucket in buckets if bucket.digest == digest])
        reached = [
            figure
            for figure in figures
            if level is not None
            and figure.digest == digest
            and figure.score == "exact"
            and round(1000 * figure.threshold) >= level
        ]
        picked += sorted(reached, key=lambda figure: figure.threshold)[:1]
    return _best(picked, lambda figure: figure.f1)
