"""The rules that a link may have to pass: what product pages must share, and that numbers must match."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from dedup.numbers_rule import held
from dedup.product_rule import RuleName
from dedup.segments import open_array
from dedup.specs import MarksSpec
from labeling.models import Corpus, Segment
from labeling.services.corpora import normaliser_of
from labeling.services.product_facts import RULES as PRODUCT_RULES
from labeling.services.product_facts import CorpusFacts, corpus_facts

NUMBERS = "numbers"
WITH_NUMBERS: Mapping[str, str] = {"": NUMBERS, **{name: f"{name}-and-numbers" for name in PRODUCT_RULES}}
RULES: tuple[str, ...] = (*PRODUCT_RULES, *WITH_NUMBERS.values())

Ordinals = NDArray[np.int64]
Flags = NDArray[np.bool_]


def product_part(rule: str) -> RuleName | None:
    """What product pages must share under a rule, or None.

    >>> product_part("price-and-numbers"), product_part("numbers")
    ('price', None)
    """
    name = rule.removesuffix("-and-numbers")
    return next((known for known in PRODUCT_RULES if known == name), None)


def needs_numbers(rule: str) -> bool:
    """Whether numbers must match under a rule.

    >>> needs_numbers("price-and-numbers"), needs_numbers("price"), needs_numbers("")
    (True, False, False)
    """
    return rule == NUMBERS or rule.endswith("-and-numbers")


def with_numbers(rule: str) -> str:
    """The rule that also lets only links pass whose numbers match."""
    return rule if needs_numbers(rule) else WITH_NUMBERS[rule]


def without_numbers(rule: str) -> str:
    """The rule without its part about numbers."""
    return product_part(rule) or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFacts:
    """What rules look at: the product facts of a corpus's texts, and their marks (None where no study has made them)."""

    products: CorpusFacts
    marks: NDArray[np.uint64] | None

    def known_rules(self) -> tuple[str, ...]:
        """The rules about which something is known."""
        known = PRODUCT_RULES if not self.products.is_empty else ()
        if self.marks is None:
            return known
        return (*known, NUMBERS, *(WITH_NUMBERS[name] for name in known))

    def passes(self, rule: str, left: Ordinals, right: Ordinals) -> Flags:
        """Whether each pair of ordinals passes: ``bool[m]``. Numbers that nobody has looked at match."""
        product = product_part(rule)
        answers = np.ones(left.shape[0], np.bool_)
        if product is not None:
            answers = self.products.passes(product, np.asarray(left, np.int64), np.asarray(right, np.int64))
        return answers & (self.held(left, right) == 0) if needs_numbers(rule) else answers

    def held(self, left: Ordinals, right: Ordinals) -> NDArray[np.int8]:
        """Why each pair of ordinals must be seen by a person (``dedup.numbers_rule.held``); 0 where it needn't."""
        if self.marks is None:
            return np.zeros(left.shape[0], np.int8)
        return held(self.marks[left], self.marks[right])


def link_facts(corpus: Corpus, size: int) -> LinkFacts:
    """Read the facts of the first ``size`` texts."""
    return LinkFacts(products=corpus_facts(corpus, size), marks=corpus_marks(corpus, size))


def corpus_marks(corpus: Corpus, size: int) -> NDArray[np.uint64] | None:
    """The marks of the first ``size`` texts, ``uint64[size, 3]``, as the latest study wrote them; None where it wrote none.

    A text that came after the study has zeros. Raises ``SegmentError`` where a file is missing.
    """
    recipe = MarksSpec(normaliser=normaliser_of(corpus)).recipe
    rows = Segment.objects.filter(corpus=corpus, study=None, recipe=recipe)
    marks = np.zeros((size, 3), np.uint64)
    paths = [Path(settings.ARRAYS_DIR) / path for path in rows.values_list("path", flat=True)]
    for path in paths:
        part = open_array(path)
        start = int(path.stem.partition("-")[0])
        stop = min(start + part.shape[0], size)
        marks[start:stop] = part[: max(stop - start, 0)]
    return marks if paths else None
