"""How far two labellers agree on the pairs that both have labelled."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dedup.evaluation.intervals import clopper_pearson
from dedup.evaluation.records import DISTINCT, DUPLICATE, UNSURE, Interval

VERDICTS = (DUPLICATE, DISTINCT, UNSURE)
ONE_SIDED = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """``pairs`` labelled by both; ``table[i][j]`` counts first labeller's verdict i, second's j (duplicate, distinct, unsure).

    ``raw`` is the share of equal verdicts. ``kappa`` is Cohen's kappa: agreement beyond what the two would have by chance, no data where
    both always give one and the same verdict. ``one_sided`` says that one verdict makes up most of the table, so that
    kappa may be low although nearly all verdicts agree: read the table.
    """

    pairs: int
    table: tuple[tuple[int, int, int], ...]
    raw: Interval
    kappa: Interval
    one_sided: bool


def agreement(first: Sequence[int], second: Sequence[int], *, confidence: float = 0.95) -> Agreement:
    """Compare the verdicts of two labellers on the same pairs, in the same order.

    Cohen (1960), *A coefficient of agreement for nominal scales*; its interval uses the large-sample variance of Fleiss, Cohen and
    Everitt (1969), cut at -1 and 1. Raw agreement has a Clopper-Pearson interval.

    Raises ``ValueError`` if the lengths differ or a verdict is none of duplicate, distinct and unsure.

    >>> found = agreement([1, 1, 0, 0], [1, 0, 0, 0])
    >>> found.raw.estimate, found.kappa.estimate
    (0.75, 0.5)
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} verdicts against {len(second)}")
    unknown = set(first) | set(second)
    if not unknown <= set(VERDICTS):
        raise ValueError(f"verdicts are 1, 0 and -1; these hold {sorted(unknown - set(VERDICTS))}")
    table = np.zeros((len(VERDICTS), len(VERDICTS)), np.int64)
    for left, right in zip(first, second, strict=True):
        table[VERDICTS.index(left), VERDICTS.index(right)] += 1
    pairs = len(first)
    margin = (table.sum(axis=0) + table.sum(axis=1)) / max(2 * pairs, 1)
    return Agreement(
        pairs=pairs,
        table=tuple((int(row[0]), int(row[1]), int(row[2])) for row in table),
        raw=_raw(int(np.trace(table)), pairs, confidence),
        kappa=_kappa(table / max(pairs, 1), pairs, confidence),
        one_sided=bool(pairs and margin.max() > ONE_SIDED),
    )


def _raw(equal: int, pairs: int, confidence: float) -> Interval:
    if pairs == 0:
        return Interval()
    low, high = clopper_pearson(np.array([equal / pairs]), np.array([float(pairs)]), confidence=confidence)
    return Interval(equal / pairs, float(low[0]), float(high[0]))


def _kappa(shares: NDArray[np.float64], pairs: int, confidence: float) -> Interval:
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    raw, chance = float(np.trace(shares)), float(rows @ columns)
    if pairs == 0 or chance >= 1.0 - 1e-12:
        return Interval()
    kappa = (raw - chance) / (1.0 - chance)
    both = rows[None, :] + columns[:, None]
    diagonal = float((np.diag(shares) * (1.0 - np.diag(both) * (1.0 - kappa)) ** 2).sum())
    weights = shares * both**2
    rest = (1.0 - kappa) ** 2 * float(weights.sum() - np.trace(weights))
    excess = (kappa - chance * (1.0 - kappa)) ** 2
    spread = max(diagonal + rest - excess, 0.0) / (pairs * (1.0 - chance) ** 2)
    reach = float(ndtri((1 + confidence) / 2)) * math.sqrt(spread)
    return Interval(kappa, max(kappa - reach, -1.0), min(kappa + reach, 1.0))
