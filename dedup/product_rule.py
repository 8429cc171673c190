"""May these two pages be duplicates at all? Identifiers and prices decide, whatever their texts say."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from dedup.ingest.identifiers import comparable, normalise_identifier
from dedup.ingest.prices import Price, PriceProblem, parse_price

__all__ = [
    "Price",
    "PriceProblem",
    "ProductFacts",
    "RuleName",
    "normalise_identifier",
    "parse_price",
    "passes",
    "product_key",
]

RuleName = Literal["identifiers", "price", "identifiers-or-price"]
_LONGEST_KEY = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductFacts:
    """What the rule looks at: normalised identifiers, and a price in minor units of a currency."""

    identifiers: tuple[str, ...] = ()
    price: int | None = None
    currency: str = ""


def passes(rule: RuleName, left: ProductFacts, right: ProductFacts, tolerance: int = 0) -> bool:
    """Whether a rule lets two pages be duplicates. Missing and ambiguous values never match.

    ``identifiers``: the pages name at least one kind of identifier both, and every kind that both name has a common value.
    ``price``: both have a price in the same known currency, at most ``tolerance`` minor units apart.
    ``identifiers-or-price``: identifiers decide where both pages name a kind; where they don't, prices do.

    >>> kettle = ProductFacts(identifiers=("gtin:00036000291452",), price=2490, currency="EUR")
    >>> passes("identifiers", kettle, ProductFacts(price=2490, currency="EUR"))
    False
    >>> passes("identifiers-or-price", kettle, ProductFacts(price=2490, currency="EUR"))
    True
    """
    if rule == "price":
        return _prices_match(left, right, tolerance)
    if rule not in {"identifiers", "identifiers-or-price"}:
        raise ValueError(f"there is no product rule “{rule}”")
    verdict = _identifiers_match(left.identifiers, right.identifiers)
    if verdict is None:
        return rule == "identifiers-or-price" and _prices_match(left, right, tolerance)
    return verdict


def product_key(identifiers: Iterable[str], price: Price | None) -> str:
    """Key under which equal texts are one text only if identifiers and price are equal too; empty without either.

    At most 200 characters: a longer key is replaced by its SHA-256.

    >>> product_key(["sku:A1", "gtin:00036000291452"], Price(2490, "EUR"))
    'gtin:00036000291452|sku:A1|EUR2490'
    """
    parts = sorted(set(identifiers))
    if price is not None:
        parts.append(f"{price.currency}{price.minor}")
    key = "|".join(parts)
    if len(key) <= _LONGEST_KEY:
        return key
    return f"sha256:{hashlib.sha256(key.encode()).hexdigest()}"


def _identifiers_match(left: Iterable[str], right: Iterable[str]) -> bool | None:
    ours, theirs = _by_kind(left), _by_kind(right)
    shared = ours.keys() & theirs.keys()
    if not shared:
        return None
    return all(ours[kind] & theirs[kind] for kind in shared)


def _by_kind(identifiers: Iterable[str]) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for identifier in map(comparable, identifiers):
        kinds.setdefault(identifier.partition(":")[0], set()).add(identifier)
    return kinds


def _prices_match(left: ProductFacts, right: ProductFacts, tolerance: int) -> bool:
    if left.price is None or right.price is None or not left.currency or left.currency != right.currency:
        return False
    return abs(left.price - right.price) <= tolerance
