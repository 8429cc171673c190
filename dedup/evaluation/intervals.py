"""Intervals for shares: Clopper-Pearson with an effective sample size, and Jeffreys draws."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv


def clopper_pearson(
    share: NDArray[np.float64], size: NDArray[np.float64], *, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the Clopper-Pearson interval of ``share`` in samples of ``size``, which need not be whole numbers.

    An infinite size stands for a share that is known: its interval is the share itself. A size of 0 gives (0, 1).

    >>> low, high = clopper_pearson(np.array([1.0]), np.array([20.0]), confidence=0.95)
    >>> round(float(low[0]), 4), float(high[0])
    (0.8316, 1.0)
    """
    tail = (1 - confidence) / 2
    known = ~np.isfinite(size)
    finite = np.where(known, 1.0, size)
    found, others = share * finite, (1 - share) * finite
    low = np.where(found > 0, betaincinv(np.maximum(found, 1e-12), others + 1, tail), 0.0)
    high = np.where(others > 0, betaincinv(found + 1, np.maximum(others, 1e-12), 1 - tail), 1.0)
    return np.where(known, share, low), np.where(known, share, high)
