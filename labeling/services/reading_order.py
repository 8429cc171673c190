"""Stored counts in the order in which people read them: a database gives the names of a JSON object in its own order."""

from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")

_RECORDS = ("read", "accepted", "updated", "unchanged", "rejected")
_STUDY = ("texts", "pool", "pairs", "hub_buckets", "left_out")
_CLUSTERS = (
    "documents",
    "representatives",
    "duplicates",
    "no_content",
    "exact_duplicates",
    "clusters",
    "largest",
    "chains",
    "links",
    "implied_pairs",
    "blocked_by_rule",
    "held_for_review",
    "contradictions",
    "outside_study",
)
_LABELS = ("duplicate", "distinct", "unsure", "sampled", "known")
_RULES = (
    "identifiers",
    "price",
    "identifiers-or-price",
    "numbers",
    "identifiers-and-numbers",
    "price-and-numbers",
    "identifiers-or-price-and-numbers",
)
_STAGES = ("estimate", "wait", "sign", "collect", "verify", "write", "draw", "decide")
_PLACES = {
    name: place for place, name in enumerate((*_RECORDS, *_STUDY, *_CLUSTERS, *_LABELS, *_RULES, *_STAGES))
}


def in_reading_order(values: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """Names with their values, the same on every database; names that nobody has placed come last, by themselves.

    >>> in_reading_order({"rejected": 1, "other": 2, "read": 3})
    [('read', 3), ('rejected', 1), ('other', 2)]
    """
    return sorted(values.items(), key=lambda entry: (_PLACES.get(entry[0], len(_PLACES)), entry[0]))
