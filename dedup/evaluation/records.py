"""What goes into an evaluation and what comes out: frozen records, no arithmetic."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dedup.sampling import StratumDraw
from dedup.specs import ScoreName

DUPLICATE, DISTINCT, UNSURE, NO_VERDICT = 1, 0, -1, -2

RuleName = Literal["majority", "recall", "precision", "cost", "f1"]
TargetName = Literal["precision", "recall", "cost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSummary:
    """One way to score pairs, with the histogram of the whole pool under it.

    ``histogram`` counts the pool's pairs on each level, ``int64[scale + 1]``: thousandths of exact similarity, agreeing
    permutations, or differing bits. ``histogram_rule`` counts only the pairs that pass the product rule in question.
    ``strata`` are the similarity buckets that were drawn from, on exact summaries alone. ``bands`` and
    ``rows_per_band`` say how candidates of the recipe were found; 0 bands where it found none.
    """

    recipe: str
    digest: str
    score: ScoreName
    k: int
    scale: int
    histogram: NDArray[np.int64]
    bands: int = 0
    rows_per_band: int = 0
    histogram_rule: NDArray[np.int64] | None = None
    strata: tuple[StratumDraw, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The pairs whose scores are kept one by one: drawn for the queue, or known because somebody labelled them.

    ``u`` is ``float64[n]``; ``drawn`` is ``bool[n]``; ``verdicts`` is ``int8[n]``: 1 duplicate, 0 distinct, -1 unsure, -2
    without verdict. ``levels`` holds ``int16[n]`` for each (digest, score); ``passes`` holds ``bool[n]`` for each product
    rule.
    """

    u: NDArray[np.float64]
    drawn: NDArray[np.bool_]
    verdicts: NDArray[np.int8]
    levels: Mapping[tuple[str, str], NDArray[np.int16]]
    passes: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence interval; all three are None where there is no data, never NaN or infinite."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval, or None without data."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


class Choice(NamedTuple):
    """A setting: the recipe's name, which of its scores, and the threshold on it."""

    recipe: str
    score: ScoreName
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsureRange:
    """What the estimates would be if every unsure pair were a duplicate, or every one distinct: lowest and highest."""

    precision: tuple[float | None, float | None]
    recall: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What one setting gives: every pair at or above the threshold (for bits: at or below it) becomes a link.

    ``links`` is the number of such pairs in the pool, known exactly; ``labelled`` is how many of them were drawn and have
    a verdict that counts. ``recall`` is recall among the pairs of the pool; ``recall_all`` also counts the duplicates
    that never became candidates. A figure without data is None.
    """

    recipe: str
    digest: str
    k: int
    score: ScoreName
    threshold: float
    links: int
    labelled: int
    precision: Interval
    recall: Interval
    recall_all: Interval
    f1: float | None
    f1_interval: Interval
    false_positives: float | None
    false_positives_interval: Interval
    missed: float | None
    missed_interval: Interval
    expected_cost: float | None
    expected_cost_interval: Interval
    unsure_range: UnsureRange | None
    warnings: tuple[str, ...]

    @property
    def choice(self) -> Choice:
        """The setting that the figure is about."""
        return Choice(self.recipe, self.score, self.threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketFigure:
    """One similarity bucket of one recipe: how full it is, how far it is labelled, and its share of duplicates.

    ``labelled`` counts the drawn pairs with a final verdict that lie in the bucket, whichever recipe they were drawn for;
    ``prefix`` counts how many of the bucket's own draw are labelled without a gap. ``surfacing`` is the chance that
    a pair like those of the bucket becomes a candidate at all, or None without a label.
    """

    recipe: str
    digest: str
    k: int
    low: int
    high: int
    population: int
    sampled: int
    prefix: int
    labelled: int
    duplicates: int
    distinct: int
    unsure: int
    share: Interval
    surfacing: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlabelledCell:
    """Pairs about which no label says anything yet; levels are thousandths of exact similarity."""

    recipe: str
    digest: str
    k: int
    low: int
    high: int
    population: int

    def __str__(self) -> str:
        pairs = "1 pair" if self.population == 1 else f"{self.population:,} pairs"
        have = "has" if self.population == 1 else "have"
        high = min(self.high, 1000) / 1000
        return f"{pairs} between {self.low / 1000:.2f} and {high:.2f} at k = {self.k} {have} no label yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCounts:
    """How many pairs have which verdict; ``sampled`` of them count in the estimates, ``known`` ones stand beside them."""

    duplicate: int
    distinct: int
    unsure: int
    sampled: int
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NextLabels:
    """A proposal: ``labels`` more in one bucket, and what to expect when the whole proposal is followed.

    ``half_width`` is the target's present half width, ``expected`` the one after all proposed labels.
    """

    recipe: str
    digest: str
    k: int
    low: int
    high: int
    labels: int
    target: TargetName
    half_width: float | None
    expected: float | None

    def __str__(self) -> str:
        where = f"between {self.low / 1000:.2f} and {min(self.high, 1000) / 1000:.2f} at k = {self.k}"
        start = f"{self.labels} more label{'' if self.labels == 1 else 's'} {where}"
        if self.half_width is None or self.expected is None:
            return f"{start}."
        return (
            f"{start} should help to narrow {self.target} from ±{self.half_width:.2f} to ±{self.expected:.2f}."
            if self.target != "cost"
            else f"{start} should help to narrow the cost from ±{self.half_width:,.0f} to ±{self.expected:,.0f}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All figures of a study at one moment; ``recommended`` gives each rule's setting, or None where none qualifies."""

    figures: tuple[Figure, ...]
    buckets: tuple[BucketFigure, ...]
    unlabelled: tuple[UnlabelledCell, ...]
    labels: LabelCounts
    recommended: dict[str, Choice | None]
    next_labels: tuple[NextLabels, ...]
    warnings: tuple[str, ...]
    confidence: float
    rule: str
