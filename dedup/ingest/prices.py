"""Prices in many spellings to whole minor units of a currency; a doubtful price is no price."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from dedup.ingest.currencies import agreed, currency_of, decimals_of

PriceProblem = Literal[
    "no number",
    "more than one number",
    "not a single price",
    "more decimals than the currency has",
    "thousands or decimals",
    "more than one currency",
    "unknown currency",
    "more digits than a price has",
]
MOST_DIGITS = 15
_NUMBER = re.compile(r"\d(?:[\d.,'’٬٫_]|\s(?=\d))*")
_DASH_FRACTION = re.compile(r"(?<=\d)[.,]\s?[-–—]{1,2}(?=\D|$)")
_SIGN_BETWEEN = re.compile(r"^(\d+)\s?(€|£|\$)\s?(\d{2})$")
_CURRENCY = re.compile(r"[A-Z]{0,2}[$¥]|[€£₹₽₩₺₴₪₫฿₱₦₸円元]|[^\W\d_]+")
_NOT_EXACT = frozenset(
    {
        "FROM",
        "AB",
        "BIS",
        "UPTO",
        "UP",
        "DESDE",
        "DÈS",
        "DES",
        "PARTIR",
        "APPROX",
        "CA",
        "ABOUT",
        "EACH",
        "PRO",
        "PER",
        "UVP",
    }
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})*,\d{3}")


@dataclass(frozen=True, slots=True)
class Price:
    """An amount in minor units (cents) and its currency.

    The currency is an ISO 4217 code, a sign that several currencies share ($, ¥, kr), or empty.
    """

    minor: int
    currency: str


class PriceError(ValueError):
    """A price that can't be read without guessing; ``problem`` names the reason."""

    def __init__(self, problem: PriceProblem) -> None:
        super().__init__(problem)
        self.problem = problem


def parse_price(text: str, currency: str = "") -> Price | None:
    """Read a price, or None if it is missing or can't be read without guessing. ``currency`` is that of a column beside it.

    >>> parse_price("1.299,00 €") == parse_price("€1,299.00") == parse_price("1299", "EUR") == Price(129900, "EUR")
    True
    >>> parse_price("1,299.00 USD")
    Price(minor=129900, currency='USD')
    """
    try:
        return read_price(text, currency)
    except PriceError:
        return None


def read_price(text: str, currency: str = "") -> Price | None:
    """Read a price like ``parse_price``; None only if there is nothing to read. Raises ``PriceError`` with the reason."""
    plain = _plain(text)
    if not plain:
        return None
    plain = _SIGN_BETWEEN.sub(r"\1.\3 \2", plain)
    plain = _DASH_FRACTION.sub("", plain)
    numbers = _NUMBER.findall(plain)
    if not numbers:
        raise PriceError("no number")
    if len(numbers) > 1:
        raise PriceError("more than one number")
    rest = _NUMBER.sub(" ", plain, count=1)
    _check_rest(plain, rest)
    code = _currency(rest, currency)
    return Price(_minor_units(numbers[0], code), code)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).replace("\u2212", "-").strip()
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character for character in folded
    )


def _check_rest(plain: str, rest: str) -> None:
    words = {word.upper() for word in re.findall(r"[^\W\d_]+", rest)}
    before = plain[: _first_digit(plain)].rstrip(" €£$¥")
    if (
        words & _NOT_EXACT
        or "/" in rest
        or "%" in rest
        or "~" in rest
        or before.endswith(("-", "+", "<", ">"))
    ):
        raise PriceError("not a single price")


def _first_digit(text: str) -> int:
    return next(index for index, character in enumerate(text) if character.isdigit())


def _currency(rest: str, named: str) -> str:
    column = _plain(named)
    code = currency_of(column) if column else ""
    if column and not code:
        raise PriceError("unknown currency")
    found = {currency_of(sign) for sign in _CURRENCY.findall(rest)} | {code}
    settled = agreed(found - {""})
    if settled is None:
        raise PriceError("more than one currency")
    return settled


def _minor_units(number: str, currency: str) -> int:
    number = number.replace("٬", ",").replace("٫", ".").rstrip(".,'’ ")
    number = re.sub(r"[\s'’_]", "", number)
    whole, fraction = _split(number, currency)
    decimals = decimals_of(currency)
    if len(fraction) > decimals:
        if fraction[decimals:].strip("0"):
            raise PriceError("more decimals than the currency has")
        fraction = fraction[:decimals]
    if len(whole.lstrip("0")) > MOST_DIGITS:
        raise PriceError("more digits than a price has")
    return int(whole[-MOST_DIGITS:] + fraction.ljust(decimals, "0"))


def _split(number: str, currency: str) -> tuple[str, str]:
    dots, commas = number.count("."), number.count(",")
    if not dots and not commas:
        return number, ""
    if dots and commas:
        decimal = "." if number.rfind(".") > number.rfind(",") else ","
        whole, _, fraction = number.rpartition(decimal)
        return _grouped(whole.replace(".", ",")), fraction
    mark = "." if dots else ","
    if max(dots, commas) > 1:
        return _grouped(number.replace(".", ",")), ""
    whole, _, fraction = number.partition(mark)
    if len(fraction) == 3 and not whole.startswith("0"):
        if not currency or decimals_of(currency) == 3:
            raise PriceError("thousands or decimals")
        return _grouped(f"{whole},{fraction}"), ""
    return whole, fraction


def _grouped(whole: str) -> str:
    if whole.isdecimal():
        return whole
    if not _THOUSANDS.fullmatch(whole):
        raise PriceError("thousands or decimals")
    return whole.replace(",", "")
