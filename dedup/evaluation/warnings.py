"""What a figure's reader must be told: too few labels, too wide an interval, parts without labels, pairs never surfaced."""

from dedup.evaluation.records import Interval

FEW_LABELS = 10
WIDE = 0.1
POORLY_SURFACED = 0.5


def figure_warnings(
    *, links: int, labelled: int, bare: int, precision: Interval, recall: Interval, surfaced: float
) -> tuple[str, ...]:
    """Say in sentences what limits a figure. ``bare`` links lie in buckets without any label; ``1 / surfaced`` is q."""
    warnings = []
    if links == 0:
        warnings.append("No pair reaches this threshold.")
    elif labelled < FEW_LABELS:
        pairs = "no labelled pair" if labelled == 0 else f"only {labelled} labelled pairs"
        warnings.append(f"Precision rests on {pairs if labelled != 1 else 'only 1 labelled pair'}.")
    if bare:
        warnings.append(f"{bare:,} of the {links:,} links lie in buckets without a label.")
    for name, interval in (("Precision", precision), ("Recall", recall)):
        width = interval.half_width
        if width is not None and width > WIDE:
            warnings.append(f"{name} is known no better than ±{100 * width:.0f} points.")
    if surfaced > 1 / POORLY_SURFACED:
        warnings.append(
            f"About {100 / surfaced:.0f} % of the duplicates around this threshold become candidates at all."
        )
    return tuple(warnings)
