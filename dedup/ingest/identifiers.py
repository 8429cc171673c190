"""Product and publication numbers in one spelling each, so that equal ones are equal."""

import re
import unicodedata
from typing import Literal

_SEPARATORS = re.compile(r"[\s\u00a0–-]+")
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+")
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_PLACEHOLDERS = frozenset(
    {"n/a", "na", "none", "null", "nan", "unknown", "does not apply", "not applicable", "tbd", "undefined"}
)
_MANY = re.compile(r"[\n;,|]+")
IdentifierKind = Literal["gtin", "isbn", "doi", "sku", "mpn"]


class IdentifierError(ValueError):
    """A value that identifies nothing; the message says why."""


def normalise_identifier(kind: str, value: str) -> str | None:
    """Bring an identifier into its one spelling, ``kind:value``; None if it is empty or not valid.

    A GTIN (UPC, EAN) is padded to 14 digits and its check digit must hold; an ISBN-10 becomes an ISBN-13; a DOI loses its
    address and its case; anything else is kept as it is written, without the spaces around it.

    >>> normalise_identifier("gtin", "0 36000 29145 2")
    'gtin:00036000291452'
    >>> normalise_identifier("isbn", "0-306-40615-2")
    'isbn:9780306406157'
    """
    try:
        return read_identifier(kind, value)
    except IdentifierError:
        return None


def read_identifier(kind: str, value: str) -> str | None:
    """Normalise like ``normalise_identifier``; None only if the value is empty. Raises ``IdentifierError`` with the reason."""
    plain = unicodedata.normalize("NFKC", value).strip()
    if not plain:
        return None
    if kind == "gtin":
        return f"gtin:{_gtin(plain)}"
    if kind == "isbn":
        return f"isbn:{_isbn(plain)}"
    if kind == "doi":
        return f"doi:{_doi(plain)}"
    return f"{kind}:{_name(plain)}"


def split_values(kind: str, value: str) -> list[str]:
    """Cut a field that holds several numbers; names (SKU and the like) are only cut at line ends."""
    if kind in {"gtin", "isbn"}:
        return [part for part in _MANY.split(value) if part.strip()]
    return [part for part in value.split("\n") if part.strip()]


def comparable(identifier: str) -> str:
    """The identifier under which two pages meet: an ISBN is the GTIN of the same digits.

    >>> comparable("isbn:9780306406157")
    'gtin:09780306406157'
    """
    kind, _, value = identifier.partition(":")
    return f"gtin:0{value}" if kind == "isbn" else identifier


def check_digit(digits: str) -> int:
    """The GS1 check digit that belongs behind these digits (GS1 General Specifications, 7.9).

    >>> check_digit("03600029145")
    2
    """
    total = sum(
        int(digit) * (3 if position % 2 == 0 else 1) for position, digit in enumerate(reversed(digits))
    )
    return -total % 10


def _digits(value: str, name: str) -> str:
    digits = _SEPARATORS.sub("", value)
    if not (digits.isascii() and digits.isdecimal()):
        raise IdentifierError(f"{name} holds something other than digits")
    return digits


def _gtin(value: str) -> str:
    digits = _digits(value, "the GTIN")
    if len(digits) not in {8, 12, 13, 14}:
        raise IdentifierError(f"the GTIN has {len(digits)} digits instead of 8, 12, 13 or 14")
    if not digits.strip("0"):
        raise IdentifierError("the GTIN holds only zeros")
    if check_digit(digits[:-1]) != int(digits[-1]):
        raise IdentifierError(
            f"the GTIN has a wrong check digit ({digits[-1]} instead of {check_digit(digits[:-1])})"
        )
    return digits.zfill(14)


def _isbn(value: str) -> str:
    plain = _SEPARATORS.sub("", re.sub(r"^isbn(?:-1[03])?:?\s*", "", value, flags=re.IGNORECASE)).upper()
    if len(plain) == 10:
        return _from_isbn10(plain)
    digits = _digits(plain, "the ISBN")
    if len(digits) != 13:
        raise IdentifierError(f"the ISBN has {len(digits)} digits instead of 10 or 13")
    if not digits.startswith(("978", "979")) or check_digit(digits[:-1]) != int(digits[-1]):
        raise IdentifierError("the ISBN has a wrong prefix or check digit")
    return digits


def _from_isbn10(plain: str) -> str:
    body, last = plain[:9], plain[9]
    if not (body.isascii() and body.isdecimal()) or last not in "0123456789X":
        raise IdentifierError("the ISBN holds something other than digits")
    total = sum((10 - position) * int(digit) for position, digit in enumerate(body)) + (
        10 if last == "X" else int(last)
    )
    if total % 11:
        raise IdentifierError("the ISBN has a wrong check digit")
    return f"978{body}{check_digit('978' + body)}"


def _doi(value: str) -> str:
    plain = _DOI_PREFIX.sub("", value).casefold()
    if not _DOI.fullmatch(plain):
        raise IdentifierError("this is no DOI")
    return plain


def _name(value: str) -> str:
    plain = re.sub(r"\s+", " ", value)
    if plain.casefold() in _PLACEHOLDERS or not any(character.isalnum() for character in plain):
        raise IdentifierError("this value identifies nothing")
    return plain
