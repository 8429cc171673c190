"""Instants from text: ISO 8601, RFC 2822 and numbers with separators; nothing is guessed in silence."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from dedup.ingest.records import DateOrder

NO_OFFSET = "has no offset; it was read as UTC"
NOT_UNDERSTOOD = "is no date in a documented format (ISO 8601, RFC 2822, day/month/year)"
AMBIGUOUS = "could be day/month or month/day; choose the date order, the date was left empty"
_ISO = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ]\s?(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})\.?(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s?([AP]M)?)?\s?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?",
    re.IGNORECASE,
)
_RFC = re.compile(r"(?:[A-Za-z]{3},\s+)?\d{1,2}\s+[A-Za-z]{3}\s+\d{4}\s+\d{2}:\d{2}")


@dataclass(frozen=True, slots=True)
class Instant:
    """What a date text says: a moment in UTC or none, and a remark, empty if there was no doubt."""

    moment: datetime | None
    remark: str = ""


def parse_instant(text: str, *, order: DateOrder | None = None) -> Instant:
    """Read a date, with ``order`` for dates such as 01/02/2025.

    >>> parse_instant("2024-03-01T10:30:00+02:00").moment.isoformat()
    '2024-03-01T08:30:00+00:00'
    >>> parse_instant("01/02/2025").moment is None
    True
    """
    text = text.strip()
    if not text:
        return Instant(None)
    try:
        return _parse(text, order)
    except (ValueError, OverflowError):
        return Instant(None, NOT_UNDERSTOOD)


def order_evidence(text: str) -> DateOrder | None:
    """The order that a date proves by a number above 12, or None.

    >>> order_evidence("13/02/2025"), order_evidence("02/13/2025"), order_evidence("01/02/2025")
    ('dmy', 'mdy', None)
    """
    found = _NUMBERS.fullmatch(text.strip())
    if not found or len(found[1]) > 2:
        return None
    first, second = int(found[1]), int(found[3])
    if first > 12 >= second:
        return "dmy"
    if second > 12 >= first:
        return "mdy"
    return None


def is_ambiguous(text: str) -> bool:
    """Whether the order of day and month must be known to read this date."""
    return parse_instant(text).remark == AMBIGUOUS


def _parse(text: str, order: DateOrder | None) -> Instant:
    found = _ISO.fullmatch(text)
    if found:
        year, month, day, hour, minute, second, fraction, offset = found.groups()
        micro = int((fraction or "0")[:6].ljust(6, "0"))
        return _moment(
            (int(year), int(month), int(day)),
            (int(hour or 0), int(minute or 0), int(second or 0), micro),
            offset,
        )
    found = _NUMBERS.fullmatch(text)
    if found:
        return _from_numbers(found, order)
    if _RFC.match(text):
        parsed = parsedate_to_datetime(text)
        if parsed.tzinfo is None:
            return Instant(parsed.replace(tzinfo=UTC), NO_OFFSET)
        return Instant(parsed.astimezone(UTC))
    return Instant(None, NOT_UNDERSTOOD)


def _from_numbers(found: re.Match[str], order: DateOrder | None) -> Instant:
    first, _, second, third, hour, minute, seconds, half, offset = found.groups()
    if len(first) == 4:
        date = (int(first), int(second), int(third))
    else:
        year = _year(third)
        proven = order_evidence(found[0]) or (order if order in {"dmy", "mdy"} else None)
        if proven is None and int(first) != int(second):
            return Instant(None, AMBIGUOUS)
        date = (year, int(first), int(second)) if proven == "mdy" else (year, int(second), int(first))
    return _moment(date, (_hour(hour, half), int(minute or 0), int(seconds or 0), 0), offset)


def _year(text: str) -> int:
    if len(text) == 4:
        return int(text)
    if len(text) == 2:
        return 2000 + int(text) if int(text) < 70 else 1900 + int(text)
    raise ValueError(text)


def _hour(hour: str | None, half: str | None) -> int:
    number = int(hour or 0)
    if not half:
        return number
    if not 1 <= number <= 12:
        raise ValueError(hour)
    return number % 12 + (12 if half.upper() == "PM" else 0)


def _moment(date: tuple[int, int, int], time: tuple[int, int, int, int], offset: str | None) -> Instant:
    hour, minute, second, micro = time
    extra = timedelta(seconds=1) if second == 60 else timedelta()
    naive = (*date, hour, minute, 59 if second == 60 else second, micro)
    if offset is None:
        return Instant(datetime(*naive, tzinfo=UTC) + extra, NO_OFFSET)
    return Instant((datetime(*naive, tzinfo=_zone(offset)) + extra).astimezone(UTC))


def _zone(offset: str) -> timezone:
    if offset.upper() in {"Z", "UTC", "GMT"}:
        return UTC
    digits = offset[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))
