"""What a rule blocks: how many links, and the share of duplicates among them, from the same labels as every figure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation import Interval, Sample, ScoreSummary, evaluate
from dedup.pairs import threshold_level
from labeling.models import Study, StudyRecipe
from labeling.services import figures
from labeling.services.link_rules import NUMBERS, with_numbers, without_numbers

MOSTLY = 0.5
_BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """Links that one rule lets pass and a stricter one doesn't; ``share`` is the estimated share of duplicates among them.

    ``labelled`` of them were drawn and have a verdict that counts. ``links`` is the number of links without the stricter rule.
    """

    rule: str
    links: int
    blocked: int
    labelled: int
    share: Interval

    @property
    def is_advised(self) -> bool:
        """Whether the rule should be on: it blocks something, and no label says that most of it are duplicates."""
        return self.blocked > 0 and (self.share.estimate is None or self.share.estimate < MOSTLY)


def blocked_links(
    *, study: Study, recipe: StudyRecipe, threshold: float, rule: str, looser: str = ""
) -> Blocked:
    """Count and judge the links that ``looser`` (no rule by default) lets pass and ``rule`` doesn't.

    The share is the precision of the blocked links, estimated as every precision is (``docs/statistics.md``).
    """
    summaries = [
        _between(strict, loose)
        for strict, loose in zip(
            figures.summaries(study, score=recipe.score, rule=rule),
            figures.summaries(study, score=recipe.score, rule=looser),
            strict=True,
        )
    ]
    sample = figures.sample(study, rule=rule)
    is_hamming = recipe.score == "hamming"
    evaluation = evaluate(
        summaries,
        replace(sample, passes={_BLOCKED: _blocked(sample, rule, looser)}),
        thresholds=() if is_hamming else (threshold,),
        distances=(int(threshold),) if is_hamming else (),
        rule=_BLOCKED,
        draws=1,
    )
    found = next(
        row for row in evaluation.figures if (row.digest, row.score) == (recipe.digest, recipe.score)
    )
    return Blocked(
        rule=rule,
        links=_links(recipe, threshold, looser),
        blocked=found.links,
        labelled=found.labelled,
        share=found.precision,
    )


def held_links(*, study: Study, recipe: StudyRecipe, threshold: float, rule: str) -> Blocked | None:
    """What the rule that numbers must match would hold besides ``rule``; None where the study knows nothing of numbers."""
    strict = with_numbers(rule)
    if NUMBERS not in recipe.histogram_rule:
        return None
    return blocked_links(
        study=study, recipe=recipe, threshold=threshold, rule=strict, looser=without_numbers(rule)
    )


def advised_rule(*, study: Study, recipe: StudyRecipe, threshold: float, rule: str = "") -> str:
    """``rule``, with numbers that must match where that is advised."""
    held = held_links(study=study, recipe=recipe, threshold=threshold, rule=rule)
    return with_numbers(rule) if held is not None and held.is_advised else without_numbers(rule)


def _between(strict: ScoreSummary, loose: ScoreSummary) -> ScoreSummary:
    passing = loose.histogram if loose.histogram_rule is None else loose.histogram_rule
    blocked = passing if strict.histogram_rule is None else passing - strict.histogram_rule
    return replace(strict, histogram_rule=np.maximum(blocked, 0))


def _blocked(sample: Sample, rule: str, looser: str) -> NDArray[np.bool_]:
    everything = np.ones(sample.u.size, np.bool_)
    return _flags(sample.passes, looser, everything) & ~_flags(sample.passes, rule, everything)


def _flags(
    passes: Mapping[str, NDArray[np.bool_]], rule: str, everything: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    return passes.get(rule, ~everything) if rule else everything


def _links(recipe: StudyRecipe, threshold: float, rule: str) -> int:
    counts = recipe.histogram_rule.get(rule, []) if rule else recipe.histogram
    if recipe.score == "hamming":
        return sum(counts[: int(threshold) + 1])
    return sum(counts[threshold_level(threshold, recipe.scale) :])
