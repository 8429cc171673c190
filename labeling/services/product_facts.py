"""Identifiers and prices of a corpus's texts, and what the product rule says about pairs of them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dedup.ingest.identifiers import comparable
from dedup.product_rule import ProductFacts, RuleName, passes
from labeling.models import Corpus, Document

RULES: tuple[RuleName, ...] = ("identifiers", "price", "identifiers-or-price")

Ordinals = NDArray[np.int64]


class CorpusFacts:
    """Which facts each text has: ``groups`` is ``int64[n]``, a place in ``facts``, or -1 where nothing is known."""

    def __init__(self, groups: Ordinals, facts: list[ProductFacts]) -> None:
        self.groups = groups
        self.facts = facts

    @property
    def is_empty(self) -> bool:
        """Whether no text has an identifier or a price."""
        return not self.facts

    def passes(self, rule: RuleName, left: Ordinals, right: Ordinals) -> NDArray[np.bool_]:
        """Whether the rule lets each pair of ordinals be duplicates: ``bool[m]``. Each two groups are asked once."""
        ours, theirs = self.groups[left], self.groups[right]
        known = np.flatnonzero((ours >= 0) & (theirs >= 0))
        answers = np.zeros(left.shape[0], np.bool_)
        if known.size:
            span = len(self.facts)
            codes, places = np.unique(ours[known] * span + theirs[known], return_inverse=True)
            verdicts = [
                passes(rule, self.facts[code // span], self.facts[code % span]) for code in codes.tolist()
            ]
            answers[known] = np.array(verdicts, np.bool_)[places.reshape(-1)]
        return answers

    def clash(self, rule: RuleName, one: int, other: int) -> bool:
        """Whether two groups say things that can't both be true of one product; silence is no clash."""
        left, right = self.facts[one], self.facts[other]
        return _both_speak(rule, left, right) and not passes(rule, left, right)


def corpus_facts(corpus: Corpus, size: int) -> CorpusFacts:
    """Read the facts of the first ``size`` texts. A text whose documents name two prices has none."""
    rows = Document.objects.filter(corpus=corpus, text__isnull=False, text__ordinal__lt=size).exclude(
        identifiers=[], price_minor=None
    )
    values = rows.order_by("text__ordinal", "id").values_list(
        "text__ordinal", "identifiers", "price_minor", "currency"
    )
    facts: dict[int, ProductFacts] = {}
    for ordinal, identifiers, price, currency in values.iterator(chunk_size=2000):
        found = ProductFacts(identifiers=tuple(identifiers), price=price, currency=currency)
        facts[ordinal] = _together(facts[ordinal], found) if ordinal in facts else found
    return _grouped(facts.items(), size)


def _grouped(facts: Iterable[tuple[int, ProductFacts]], size: int) -> CorpusFacts:
    numbers: dict[ProductFacts, int] = {}
    groups = np.full(size, -1, np.int64)
    for ordinal, found in facts:
        groups[ordinal] = numbers.setdefault(found, len(numbers))
    return CorpusFacts(groups, list(numbers))


def _together(one: ProductFacts, other: ProductFacts) -> ProductFacts:
    identifiers = tuple(sorted({*one.identifiers, *other.identifiers}))
    if (one.price, one.currency) == (other.price, other.currency):
        return ProductFacts(identifiers=identifiers, price=one.price, currency=one.currency)
    return ProductFacts(identifiers=identifiers)


def _kinds(facts: ProductFacts) -> set[str]:
    return {comparable(identifier).partition(":")[0] for identifier in facts.identifiers}


def _both_speak(rule: RuleName, left: ProductFacts, right: ProductFacts) -> bool:
    share_a_kind = bool(_kinds(left) & _kinds(right))
    have_prices = bool(
        left.price is not None and right.price is not None and left.currency and right.currency
    )
    if rule == "identifiers":
        return share_a_kind
    return have_prices if rule == "price" else share_a_kind or have_prices
