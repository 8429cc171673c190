"""Geometry of the charts: from figures to coordinates, so that templates only loop. Every chart has its table beside it."""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, log10

from dedup.banding import collision_probability
from dedup.evaluation import Interval

WIDTH, HEIGHT = 380, 210
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 38
INNER_WIDTH = WIDTH - LEFT - RIGHT
BASE = HEIGHT - BOTTOM
SHARE_TOP, SHARE_BASE = 212, 292


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis, with its words."""

    at: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bucket: all its pairs, and the labelled ones among them, on one logarithmic scale."""

    x: float
    width: float
    y: float
    height: float
    filled_y: float
    filled_height: float
    sentence: str
    middle: float = 0.0
    share: "Whisker | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisker:
    """A share of duplicates with its interval, as heights in the lower part of a histogram."""

    y: float
    low_y: float
    high_y: float
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Buckets of one recipe."""

    name: str
    bars: tuple[Bar, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    share_ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A figure on a line, with its sentence."""

    x: float
    y: float
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line with its interval; broken where there is no data."""

    lines: tuple[str, ...]
    areas: tuple[str, ...]
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart:
    """One or two series over similarities or thresholds from 0 to 1."""

    name: str
    first: Series
    second: Series | None
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    mark: float | None = None
    mark_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketCount:
    """What a bar shows: a bucket's edges as similarities, its pairs, the labelled ones, its share of duplicates."""

    low: float
    high: float
    population: int
    labelled: int
    share: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A point of a series."""

    at: float
    estimate: float | None
    low: float | None
    high: float | None


def _across(value: float, low: float = 0.0, high: float = 1.0) -> float:
    return round(LEFT + (value - low) / (high - low) * INNER_WIDTH, 1)


def _up(share: float) -> float:
    return round(BASE - share * (BASE - TOP), 1)


def _log_heights(largest: int) -> tuple[Callable[[int], float], tuple[Tick, ...]]:
    """A scale on which 0 lies on the base line and 1 pair is still visible, with a tick for each power of ten."""
    decades = max(1, ceil(log10(max(largest, 1) + 1)))
    step = 1 if decades <= 4 else 2

    def height(pairs: int) -> float:
        return 0.0 if pairs == 0 else (log10(pairs) + 0.35) / (decades + 0.35)

    ticks = tuple(Tick(_up(height(10**power)), f"{10**power:,}") for power in range(0, decades + 1, step))
    return height, ticks


def histogram(name: str, buckets: Sequence[BucketCount]) -> Histogram:
    """Bars over similarity, as wide as their bucket, as high as the logarithm of their pairs."""
    height, y_ticks = _log_heights(max((bucket.population for bucket in buckets), default=1))
    bars = []
    for bucket in buckets:
        left, right = _across(bucket.low), _across(min(bucket.high, 1.0))
        top, filled = _up(height(bucket.population)), _up(height(bucket.labelled))
        bars.append(
            Bar(
                x=left + 1,
                width=round(max(right - left - 2, 1), 1),
                y=top,
                height=round(BASE - top, 1),
                filled_y=filled,
                filled_height=round(BASE - filled, 1),
                middle=round((left + right) / 2, 1),
                share=_whisker(bucket.share),
                sentence=f"{bucket.low:.2f} to {min(bucket.high, 1):.2f}: {bucket.population:,} pairs, {bucket.labelled:,} labelled",
            )
        )
    edges = sorted({bucket.low for bucket in buckets} | {min(bucket.high, 1.0) for bucket in buckets})
    shares = tuple(Tick(_share_up(value), f"{value:.0%}".replace("%", " %")) for value in (0.0, 0.5, 1.0))
    return Histogram(name=name, bars=tuple(bars), x_ticks=_spaced(edges), y_ticks=y_ticks, share_ticks=shares)


def _share_up(share: float) -> float:
    return round(SHARE_BASE - share * (SHARE_BASE - SHARE_TOP), 1)


def _whisker(share: Interval) -> Whisker | None:
    if share.estimate is None or share.low is None or share.high is None:
        return None
    return Whisker(
        y=_share_up(share.estimate),
        low_y=_share_up(share.low),
        high_y=_share_up(share.high),
        sentence=f"{share.estimate:.0%} duplicates ({share.low:.0%} to {share.high:.0%})",
    )


def _spaced(edges: Iterable[float], least: float = 26) -> tuple[Tick, ...]:
    """Ticks at the edges, leaving out those whose words would touch."""
    ticks: list[Tick] = []
    for edge in edges:
        at = _across(edge)
        if not ticks or at - ticks[-1].at >= least:
            ticks.append(Tick(at, f"{edge:.1f}" if round(edge * 10, 6).is_integer() else f"{edge:.2f}"))
    return tuple(ticks)


def _series(
    points: Sequence[Estimate],
    across: Callable[[float], float],
    sentence: Callable[[Estimate], str] | None,
    dotted: Container[float] = (),
) -> Series:
    """Cut a series where it has no data, and lay an area between the ends of its intervals."""
    lines, areas, dots = [], [], []
    for has_data, group in groupby(points, key=lambda point: point.estimate is not None):
        if not has_data:
            continue
        run = list(group)
        lines.append(" ".join(f"{across(point.at)},{_up(point.estimate or 0.0)}" for point in run))
        bounded = [point for point in run if point.low is not None and point.high is not None]
        upper = [f"{across(point.at)},{_up(point.high or 0.0)}" for point in bounded]
        lower = [f"{across(point.at)},{_up(point.low or 0.0)}" for point in reversed(bounded)]
        areas.append(" ".join(upper + lower))
        if sentence is not None:
            dots += [
                Dot(x=across(point.at), y=_up(point.estimate or 0.0), sentence=sentence(point))
                for point in run
                if point.at in dotted
            ]
    return Series(lines=tuple(lines), areas=tuple(areas), dots=tuple(dots))


TENTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def _y_ticks() -> tuple[Tick, ...]:
    return tuple(Tick(_up(value), f"{value:.1f}") for value in TENTHS)


def _sentence(name: str) -> Callable[[Estimate], str]:
    def sentence(point: Estimate) -> str:
        ends = "" if point.low is None or point.high is None else f" ({point.low:.2f} to {point.high:.2f})"
        return f"threshold {point.at:.2f}: {name} {point.estimate:.2f}{ends}"

    return sentence


def threshold_axis(places: Sequence[float]) -> Callable[[float], float]:
    """Where a threshold lies across a chart of all ``places``."""
    low, high = (min(places), max(places)) if len(set(places)) > 1 else (0.0, 1.0)

    def across(value: float) -> float:
        return _across(value, low, high)

    return across


def threshold_ticks(places: Sequence[float]) -> tuple[Tick, ...]:
    """The tenths among the thresholds; for numbers of bits, about six whole numbers."""
    across, low, high = threshold_axis(places), min(places), max(places)
    marks = [value / 10 for value in range(11) if low - 1e-9 <= value / 10 <= high + 1e-9]
    if high > 1:
        marks = [float(value) for value in range(0, int(high) + 1, max(1, int(high) // 6))]
    return tuple(Tick(across(mark), f"{mark:g}" if high > 1 else f"{mark:.1f}") for mark in marks)


def precision_and_recall(
    name: str, precision: Sequence[Estimate], recall: Sequence[Estimate], *, dotted: Container[float]
) -> LineChart:
    """Both against the threshold, with their intervals, and dots with sentences at some of the thresholds."""
    places = [point.at for point in precision]
    across = threshold_axis(places)
    return LineChart(
        name=name,
        first=_series(precision, across, _sentence("precision"), dotted),
        second=_series(recall, across, _sentence("recall"), dotted),
        x_ticks=threshold_ticks(places),
        y_ticks=_y_ticks(),
    )


def collision_curve(*, bands: int, rows_per_band: int, collection_threshold: float) -> LineChart:
    """Chance that a pair of a given similarity is surfaced, with a mark at the collection threshold."""
    places = [step / 50 for step in range(51)]
    chances = [collision_probability(place, bands=bands, rows_per_band=rows_per_band) for place in places]
    points = [
        Estimate(at=place, estimate=chance, low=None, high=None)
        for place, chance in zip(places, chances, strict=True)
    ]
    return LineChart(
        name="Chance that a pair is surfaced",
        first=_series(points, _across, None),
        second=None,
        x_ticks=tuple(Tick(_across(value), f"{value:.1f}") for value in TENTHS),
        y_ticks=_y_ticks(),
        mark=_across(collection_threshold),
        mark_label=f"{collection_threshold:.2f}",
    )


def surfaced(*, bands: int, rows_per_band: int, at: Sequence[float]) -> list[tuple[float, float]]:
    """Similarity and chance to be surfaced, for the table and the sentence beside the curve."""
    return [(place, collision_probability(place, bands=bands, rows_per_band=rows_per_band)) for place in at]
