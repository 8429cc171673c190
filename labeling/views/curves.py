"""Curves that show all recipes in one picture: precision against recall, and cost against the threshold."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from dedup.evaluation import Figure
from labeling.views.charts import BASE, LEFT, RIGHT, TOP, WIDTH, Dot, Tick, threshold_axis, threshold_ticks

STYLES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One recipe's line. ``style``, 1 to 4, names colour, dashes and the shape of its dots, so that grey is enough."""

    name: str
    style: int
    line: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveChart:
    """Several curves over the same axes."""

    name: str
    curves: tuple[Curve, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    x_label: str
    y_label: str


@dataclass(frozen=True, slots=True)
class _Point:
    x: float
    y: float
    figure: Figure


def precision_against_recall(rows: Mapping[str, Sequence[Figure]], *, dotted: Container[float]) -> CurveChart:
    """What more recall costs in precision: one curve for each recipe, along its thresholds."""
    tenths = [step / 5 for step in range(6)]
    return CurveChart(
        name="Precision against recall",
        curves=_curves(rows, _precision_and_recall, dotted, _precision_sentence),
        x_ticks=tuple(Tick(_across(value), f"{value:.1f}") for value in tenths),
        y_ticks=tuple(Tick(_up(value), f"{value:.1f}") for value in tenths),
        x_label="recall",
        y_label="precision",
    )


def cost_against_threshold(
    rows: Mapping[str, Sequence[Figure]], *, dotted: Container[float]
) -> CurveChart | None:
    """Expected cost of every setting on a logarithmic scale; None where no cost is known."""
    costs = [row.expected_cost for group in rows.values() for row in group if row.expected_cost is not None]
    places = [row.threshold for group in rows.values() for row in group]
    if not costs:
        return None
    across = threshold_axis(places)
    low, high = floor(_log(min(costs))), max(ceil(_log(max(costs))), floor(_log(min(costs))) + 1)

    def place(figure: Figure) -> tuple[float, float] | None:
        if figure.expected_cost is None:
            return None
        return across(figure.threshold), _up((_log(figure.expected_cost) - low) / (high - low))

    return CurveChart(
        name="Expected cost against the threshold",
        curves=_curves(rows, place, dotted, _cost_sentence),
        x_ticks=threshold_ticks(places),
        y_ticks=tuple(
            Tick(_up((power - low) / (high - low)), f"{10**power:,}") for power in range(low, high + 1)
        ),
        x_label="threshold",
        y_label="expected cost",
    )


def _curves(
    rows: Mapping[str, Sequence[Figure]],
    place: Callable[[Figure], tuple[float, float] | None],
    dotted: Container[float],
    sentence: Callable[[str, Figure], str],
) -> tuple[Curve, ...]:
    curves = []
    for number, (name, group) in enumerate(rows.items()):
        points = [_Point(*at, row) for row in group if (at := place(row)) is not None]
        curves.append(
            Curve(
                name=name,
                style=number % STYLES + 1,
                line=" ".join(f"{point.x},{point.y}" for point in points),
                dots=tuple(
                    Dot(x=point.x, y=point.y, sentence=sentence(name, point.figure))
                    for point in points
                    if point.figure.threshold in dotted
                ),
            )
        )
    return tuple(curves)


def _precision_and_recall(figure: Figure) -> tuple[float, float] | None:
    precision, recall = figure.precision.estimate, figure.recall.estimate
    return None if precision is None or recall is None else (_across(recall), _up(precision))


def _precision_sentence(name: str, figure: Figure) -> str:
    return (
        f"{name} at {figure.threshold:g}: precision {figure.precision.estimate:.2f}, "
        f"recall {figure.recall.estimate:.2f}"
    )


def _cost_sentence(name: str, figure: Figure) -> str:
    return f"{name} at {figure.threshold:g}: expected cost {figure.expected_cost:,.0f}"


def _log(cost: float) -> float:
    return log10(max(cost, 1.0))


def _across(value: float) -> float:
    return round(LEFT + value * (WIDTH - LEFT - RIGHT), 1)


def _up(share: float) -> float:
    return round(BASE - share * (BASE - TOP), 1)
