from pathlib import Path

import pytest

from dedup.ingest import RECORD_LIMIT, ReadOptions
from dedup.ingest.dates import parse_instant
from dedup.ingest.mapping import NAMES
from dedup.ingest.opening import MOST_ENTRIES
from dedup.ingest.prices import parse_price

DOCUMENT = (Path(__file__).parents[2] / "docs" / "ingest.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("field", NAMES)
def test_every_field_is_documented(field):
    assert f"`{field}`" in DOCUMENT


def test_the_limits_in_force_are_documented():
    options = ReadOptions()

    assert f"{RECORD_LIMIT:,} characters" in DOCUMENT
    assert f"{options.expanded_limit // 2**30} GiB (`expanded_limit`)" in DOCUMENT
    assert f"{options.ratio_limit} times, once more than 64 MiB" in DOCUMENT
    assert f"| {MOST_ENTRIES:,} |" in DOCUMENT


@pytest.mark.parametrize(
    "date",
    [
        "2024-03-01",
        "2024-03-01T10:30:00+02:00",
        "20240301T103000Z",
        "Fri, 01 Mar 2024 10:30:00 +0100",
        "31.12.2024",
        "12/31/2024 11:59 PM",
    ],
)
def test_the_dates_shown_are_read(date):
    assert f"`{date}`" in DOCUMENT
    assert parse_instant(date).moment is not None


@pytest.mark.parametrize("price", ["1.299,00 €", "€1,299.00", "1 299,00 EUR", "CHF 1'299.–"])
def test_the_prices_shown_are_one_amount(price):
    assert f"`{price}`" in DOCUMENT
    assert parse_price(price).minor == 129900
