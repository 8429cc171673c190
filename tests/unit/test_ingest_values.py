"""Dates, prices and identifiers."""

import pytest

from dedup.ingest.dates import AMBIGUOUS, NO_OFFSET, NOT_UNDERSTOOD, order_evidence, parse_instant
from dedup.ingest.identifiers import IdentifierError, normalise_identifier, read_identifier, split_values
from dedup.ingest.prices import Price, PriceError, parse_price, read_price
from tests.ingested import ingested, written

INSTANTS = {
    "2024-03-01T10:30:00+02:00": "2024-03-01T08:30:00+00:00",
    "2024-03-01T10:30:00Z": "2024-03-01T10:30:00+00:00",
    "2024-03-01 10:30:00.123456789 -0500": "2024-03-01T15:30:00.123456+00:00",
    "20240301T103000Z": "2024-03-01T10:30:00+00:00",
    "2024-03-01T10:30+01": "2024-03-01T09:30:00+00:00",
    "Fri, 01 Mar 2024 10:30:00 +0100": "2024-03-01T09:30:00+00:00",
    "1 Mar 2024 10:30:00 GMT": "2024-03-01T10:30:00+00:00",
    "31.12.2024 23:59:59 +01:00": "2024-12-31T22:59:59+00:00",
    "12/31/2024 11:59 PM UTC": "2024-12-31T23:59:00+00:00",
    "2016-12-31T23:59:60Z": "2017-01-01T00:00:00+00:00",
}


@pytest.mark.parametrize("text", INSTANTS)
def test_a_date_with_an_offset_becomes_an_instant_in_utc(text):
    instant = parse_instant(text)

    assert (instant.moment.isoformat(), instant.remark) == (INSTANTS[text], "")


@pytest.mark.parametrize("text", ["2024-03-01", "2024-03-01 00:00", "2024/03/01", "13/2/99", "5.5.2024"])
def test_a_date_without_an_offset_is_read_as_utc_and_says_so(text):
    assert parse_instant(text).remark == NO_OFFSET


@pytest.mark.parametrize("text", ["01/02/2025", "1.2.25", "03-04-2024 10:00"])
def test_an_ambiguous_order_is_not_guessed(text):
    assert parse_instant(text).moment is None
    assert parse_instant(text).remark == AMBIGUOUS
    assert parse_instant(text, order="dmy").moment.day == int(text[1:2] if text[0] == "0" else text[0])
    assert parse_instant(text, order="mdy").moment.month == int(text[1:2] if text[0] == "0" else text[0])


@pytest.mark.parametrize(
    "text",
    [
        "45702",
        "yesterday",
        "2024-13-01",
        "31/02/2024",
        "2024-02-30",
        "99:99",
        "1709285400",
        "٢٠٢٤",
        "0000-00-00",
    ],
)
def test_anything_else_is_no_date(text):
    instant = parse_instant(text)

    assert (instant.moment, instant.remark) == (None, NOT_UNDERSTOOD)


def test_both_orders_in_one_column_leave_ambiguous_dates_empty(tmp_path):
    path = written(tmp_path, "d.csv", "id,text,date\n1,a,01/02/2025\n2,b,13/02/2025\n3,c,02/13/2025\n")

    found = ingested(path)

    assert [page.first_seen and page.first_seen.day for page in found.pages] == [None, 13, 13]
    assert "choose the date order" in found.reasons


def test_a_chosen_order_is_followed(tmp_path):
    path = written(tmp_path, "d.csv", "id,text,date\n1,a,01/02/2025\n")

    assert ingested(path, date_order="mdy").page("1").first_seen.month == 1


def test_the_order_is_found_far_down_the_column(tmp_path):
    rows = "".join(f"{number},text,01/02/2025\n" for number in range(3000))
    path = written(tmp_path, "d.csv", f"id,text,date\n{rows}x,text,31/01/2025\n")

    assert {page.first_seen.month for page in ingested(path).pages} == {1, 2}


def test_order_evidence_needs_a_number_above_twelve():
    assert order_evidence("2025-13-02") is None
    assert order_evidence("12/12/2025") is None
    assert order_evidence("13.12.2025") == "dmy"


PRICES = {
    "1.299,00 €": Price(129900, "EUR"),
    "€1,299.00": Price(129900, "EUR"),
    "1 299,00 EUR": Price(129900, "EUR"),
    "1\u202f299,00\u00a0€": Price(129900, "EUR"),
    "CHF 1'299.00": Price(129900, "CHF"),
    "CHF 1’299.-": Price(129900, "CHF"),
    "1.299,- €": Price(129900, "EUR"),
    "1.299 €": Price(129900, "EUR"),
    "24€90": Price(2490, "EUR"),
    "Rs. 1,29,999.00": Price(12999900, "INR"),
    "¥1,600": Price(160000, "¥"),
    "JPY 1,600": Price(1600, "JPY"),
    "KWD 1.250": None,
    "KWD 1.2500": Price(1250, "KWD"),
    "1.5 KWD": Price(1500, "KWD"),
    "US$ 24.9": Price(2490, "USD"),
    "$399.00": Price(39900, "$"),
    "1.234.567,89 zł": Price(123456789, "PLN"),
    "24.90": Price(2490, ""),
    "24": Price(2400, ""),
    "0,99 €": Price(99, "EUR"),
    "10.000 USD": Price(1000000, "USD"),
    "24.900": None,
    "0.999 €": None,
    "24.90 - 29.90 €": None,
    "from 24.90 €": None,
    "ab 24,90 €": None,
    "24.90 €/kg": None,
    "-24.90 €": None,
    "24.90 € £": None,
    "free": None,
    "1,2,3": None,
    "١٬٢٩٩٫٠٠ SAR": Price(129900, "SAR"),
}


@pytest.mark.parametrize("text", PRICES)
def test_a_price_is_read_without_guessing_or_not_at_all(text):
    assert parse_price(text) == PRICES[text]


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("1299", "EUR", Price(129900, "EUR")),
        ("1299", "eur", Price(129900, "EUR")),
        ("1600", "JPY", Price(1600, "JPY")),
        ("$24.90", "CAD", Price(2490, "CAD")),
        ("24.90 €", "€", Price(2490, "EUR")),
        ("24.90 €", "USD", None),
        ("24.90", "steel", None),
        ("", "EUR", None),
    ],
)
def test_the_currency_may_stand_in_a_column_of_its_own(text, column, expected):
    assert parse_price(text, column) == expected


def test_a_price_error_names_the_problem():
    with pytest.raises(PriceError, match="more than one number"):
        read_price("2 x 24.90, 3 x 20")
    assert read_price("  ") is None


@pytest.mark.parametrize("digits", ["9" * 16, "9" * 30, "9" * 5000])
def test_a_price_of_more_digits_than_a_price_has_is_no_price(digits):
    with pytest.raises(PriceError, match="more digits than a price has"):
        read_price(digits, "EUR")
    assert read_price("0" * 5000 + "999999999999999.99", "EUR") == Price(99_999_999_999_999_999, "EUR")


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("gtin", "036000291452", "gtin:00036000291452"),
        ("gtin", "4006381-333931", "gtin:04006381333931"),
        ("gtin", "96385074", "gtin:00000096385074"),
        ("gtin", "036000291453", None),
        ("gtin", "36000291452", None),
        ("gtin", "00000000000000", None),
        ("gtin", "n/a", None),
        ("gtin", "٠٣٦٠٠٠٢٩١٤٥٢", None),
        ("isbn", "0-306-40615-2", "isbn:9780306406157"),
        ("isbn", "ISBN-13: 978-0-306-40615-7", "isbn:9780306406157"),
        ("isbn", "080442957X", "isbn:9780804429573"),
        ("isbn", "0-306-40615-3", None),
        ("doi", "https://doi.org/10.1000/ABC.1", "doi:10.1000/abc.1"),
        ("doi", "doi: 10.1000/abc.1", "doi:10.1000/abc.1"),
        ("doi", "11.1000/abc", None),
        ("sku", " A-1  b ", "sku:A-1 b"),
        ("sku", "does not apply", None),
        ("sku", "---", None),
        ("asin", "B00X", "asin:B00X"),
        ("sku", "", None),
    ],
)
def test_an_identifier_has_one_spelling_or_none(kind, value, expected):
    assert normalise_identifier(kind, value) == expected


def test_an_identifier_that_is_not_valid_says_why():
    with pytest.raises(IdentifierError, match="11 digits instead of 8, 12, 13 or 14"):
        read_identifier("gtin", "36000291452")


def test_a_field_may_hold_several_numbers():
    assert split_values("gtin", "1;2 | 3\n4") == ["1", "2 ", " 3", "4"]
    assert split_values("sku", "A;1\nB") == ["A;1", "B"]
