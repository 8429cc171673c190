"""How numbers look on every page: counts with thousands, shares as per cent, similarities with two or three digits."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from django import template

register = template.Library()
NO_DATA = "no data"
SIZES = (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000))


class HasInterval(Protocol):
    """An estimate with the ends of its interval; None where there is nothing to estimate from."""

    @property
    def estimate(self) -> float | None: ...  # noqa: D102 - named by the protocol
    @property
    def low(self) -> float | None: ...  # noqa: D102
    @property
    def high(self) -> float | None: ...  # noqa: D102


@register.filter
def count(value: float | None) -> str:
    """A count with thousands separators.

    >>> count(1234567)
    '1,234,567'
    """
    return NO_DATA if value is None else f"{value:,.0f}"


@register.filter
def share(value: float | None) -> str:
    """A share of something that was counted, as per cent; never used for similarities or probabilities.

    >>> share(0.943), share(0.9996), share(0.0004), share(1)
    ('94 %', '99.9 %', '0.1 %', '100 %')
    """
    if value is None:
        return NO_DATA
    percent = value * 100
    if 0 < percent < 1 or 99 < percent < 100:
        return f"{min(99.9, max(0.1, percent)):.1f} %"
    return f"{percent:.0f} %"


@register.filter
def similarity(value: float | None) -> str:
    """A similarity, probability, precision or recall between 0 and 1, with two digits.

    >>> similarity(0.6), similarity(None)
    ('0.60', 'no data')
    """
    return NO_DATA if value is None else f"{value:.2f}"


@register.filter
def probability(value: float) -> str:
    """A probability with two digits; nothing that is only nearly certain is rounded to 1.00.

    >>> probability(0.94), probability(0.9996), probability(1.0)
    ('0.94', 'over 0.99', '1.00')
    """
    return "over 0.99" if 0.995 <= value < 1 else f"{value:.2f}"


@register.filter
def precise(value: float | None) -> str:
    """A similarity with three digits, where two would hide on which side of a threshold it lies."""
    return NO_DATA if value is None else f"{value:.3f}"


@register.filter
def threshold(value: float | None) -> str:
    """A threshold as it was chosen: two digits, three where they matter, whole bits for Hamming distances.

    >>> threshold(0.6), threshold(0.625), threshold(3)
    ('0.60', '0.625', '3')
    """
    if value is None:
        return NO_DATA
    if value > 1:
        return f"{value:g}"
    return f"{value:.2f}" if round(value, 2) == round(value, 6) else f"{value:.3f}"


@register.filter
def thousandths(level: int | None) -> str:
    """An exact level as a similarity; the level above the scale is the end of the last bucket.

    >>> thousandths(300), thousandths(1001)
    ('0.30', '1.00')
    """
    return NO_DATA if level is None else f"{min(level, 1000) / 1000:.2f}"


def _parts(value: HasInterval | Mapping[str, float | None] | None) -> tuple[float | None, ...]:
    """Estimate, low and high of an interval, or of one that was stored as JSON."""
    if not value:
        return None, None, None
    if isinstance(value, Mapping):
        return value.get("estimate"), value.get("low"), value.get("high")
    return value.estimate, value.low, value.high


@register.filter
def interval(value: HasInterval | Mapping[str, float | None] | None) -> str:
    """Estimate with the ends of its interval.

    >>> interval({"estimate": 0.86, "low": 0.812, "high": 0.909})
    '0.86 (0.81–0.91)'
    """
    estimate, low, high = _parts(value)
    if estimate is None:
        return NO_DATA
    return f"{estimate:.2f}" if low is None or high is None else f"{estimate:.2f} ({low:.2f}–{high:.2f})"


@register.filter
def count_interval(value: HasInterval | Mapping[str, float | None] | None) -> str:
    """An estimated number of pairs, or a cost, with the ends of its interval.

    >>> count_interval({"estimate": 1234.4, "low": 900.0, "high": 2000.0})
    '1,234 (900–2,000)'
    """
    estimate, low, high = _parts(value)
    if estimate is None:
        return NO_DATA
    return f"{estimate:,.0f}" if low is None or high is None else f"{estimate:,.0f} ({low:,.0f}–{high:,.0f})"


@register.filter
def interval_share(value: HasInterval | Mapping[str, float | None] | None) -> str:
    """A share of pairs with its interval, as per cent.

    >>> interval_share({"estimate": 0.86, "low": 0.812, "high": 0.909})
    '86 % (81–91 %)'
    """
    estimate, low, high = _parts(value)
    if estimate is None or low is None or high is None:
        return NO_DATA
    return f"{share(estimate)} ({low * 100:.0f}–{high * 100:.0f} %)"


@register.filter
def file_size(value: int) -> str:
    """Bytes in the unit that people use for files.

    >>> file_size(512), file_size(1_530_000)
    ('512 bytes', '1.5 MB')
    """
    for unit, size in SIZES:
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value:,} bytes"


@register.filter
def duration(value: float | timedelta | None) -> str:
    """Seconds in words of at most two units.

    >>> duration(8.4), duration(200), duration(7260)
    ('8 s', '3 min 20 s', '2 h 1 min')
    """
    if value is None:
        return NO_DATA
    seconds = round(value.total_seconds() if isinstance(value, timedelta) else value)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


@register.filter
def moment(value: datetime | None) -> str:
    """Date and time, in one way everywhere: ``2026-03-02 14:05 UTC``."""
    return "unknown" if value is None else f"{value:%Y-%m-%d %H:%M} UTC"


@register.filter
def money(minor: int | None, currency: str = "") -> str:
    """Minor units as an amount.

    >>> money(129900, "EUR")
    '1,299.00 EUR'
    """
    if minor is None:
        return ""
    return f"{minor / 100:,.2f} {currency}".rstrip()


@register.filter
def plural(value: int, words: str) -> str:
    """Count and noun, ``words`` being singular and plural with a comma between.

    >>> plural(1, "pair,pairs"), plural(2500, "pair,pairs")
    ('1 pair', '2,500 pairs')
    """
    one, many = words.split(",")
    return f"{value:,} {one if value == 1 else many}"
