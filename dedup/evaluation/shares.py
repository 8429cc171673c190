"""The share of duplicates in each cell: its estimate, how many labels it is worth, and draws of what it may be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.cells import Partition, Tally

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What is known about each cell's share of duplicates, ``float64[c]`` all of them.

    ``estimate`` is the Hajek share, borrowed from the bucket or from its neighbours where the cell has no label, NaN where no
    cell has one. ``size`` is the number of labels of a simple random sample of an endless cell that would be worth
    as much: infinite where every pair is known, 0 without labels. ``centre`` is what one label's worth of belief says
    before any label: ½ in a whole bucket, the bucket's share in its lower part, half way between both in its upper part.
    ``smoothed`` is the estimate with that label added, so that it is never 0 or 1 by luck. ``surfaced`` is how many
    duplicates there are for each one in the pool. ``least`` and ``most`` bound the cell's number of duplicates by the pairs
    that are known.
    """

    population: Floats
    estimate: Floats
    size: Floats
    centre: Floats
    smoothed: Floats
    least: Floats
    most: Floats
    surfaced: Floats

    @property
    def counts(self) -> Floats:
        """Estimated number of duplicates in each cell, within what is known."""
        return np.clip(self.population * self.estimate, self.least, self.most)


def shares_of(tallied: Tally, partition: Partition) -> Shares:
    """Estimate every cell's share of duplicates from its sums."""
    labelled = tallied.labelled > 0
    weight = np.where(labelled, tallied.weight, 1.0)
    own = np.clip(np.where(labelled, tallied.duplicate_weight, np.nan) / weight, 0.0, 1.0)
    own = np.where(
        tallied.found == 0, own * 0.0, np.where(tallied.found == tallied.labelled, own * 0.0 + 1.0, own)
    )
    kish = np.where(labelled, weight**2 / np.where(labelled, tallied.weight_squared, 1.0), 0.0)
    estimate = _filled(own, partition)
    centre = _centre(estimate, kish, partition)
    return Shares(
        population=tallied.population,
        estimate=estimate,
        size=_effective_size(tallied, kish),
        centre=centre,
        smoothed=np.where(kish > 0, (estimate * kish + centre) / (kish + 1.0), centre),
        least=tallied.duplicates,
        most=tallied.population - tallied.distinct,
        surfaced=_surfaced(tallied, partition),
    )


def _effective_size(tallied: Tally, kish: Floats) -> Floats:
    """Kish's size with the finite-population correction: ``1 / (1/n_e - 1/N)``, which is ``n / (1 - n/N)`` at equal weights."""
    known = tallied.duplicates + tallied.distinct >= tallied.population
    left = 1.0 / np.maximum(kish, 1e-9) - 1.0 / np.maximum(tallied.population, 1.0)
    size = np.where(left > 0, 1.0 / np.where(left > 0, left, 1.0), kish)
    return np.where(known, np.inf, np.where(kish > 0, size, 0.0))


def _filled(own: Floats, partition: Partition) -> Floats:
    """Give unlabelled cells the share of their bucket, unlabelled buckets the share between their neighbours'."""
    filled = own.copy()
    filled[partition.whole] = _between_neighbours(own[partition.whole])
    blocked = own[partition.blocked]
    if blocked.size:
        between = _between_neighbours(blocked)
        filled[partition.blocked] = np.where(np.isnan(between), filled[partition.whole], between)
    return np.where(np.isnan(filled), filled[partition.parent], filled)


def _between_neighbours(shares: Floats) -> Floats:
    labelled = np.flatnonzero(~np.isnan(shares))
    if not labelled.size:
        return shares
    return np.interp(np.arange(shares.size), labelled, shares[labelled])


def _centre(estimate: Floats, kish: Floats, partition: Partition) -> Floats:
    centre = np.full(estimate.size, 0.5)
    parts = slice(partition.upper.start, partition.blocked.start)
    whole = np.where(kish > 0, (estimate * kish + 0.5) / (kish + 1.0), 0.5)
    centre[parts] = whole[partition.parent[parts]]
    centre[partition.upper] = (centre[partition.upper] + 0.5) / 2.0
    return centre


def _surfaced(tallied: Tally, partition: Partition) -> Floats:
    """How many duplicates there are for each one that was surfaced: the mean of 1/q over the cell's duplicates, or its pairs."""
    found, labelled = tallied.found > 0, tallied.labelled > 0
    of_duplicates = tallied.surfaced_weight / np.where(found, tallied.duplicate_weight, 1.0)
    of_pairs = tallied.inverse_surfacing / np.where(labelled, tallied.weight, 1.0)
    own = np.where(found, of_duplicates, np.where(labelled, of_pairs, np.nan))
    filled = _filled(own, partition)
    return np.maximum(np.where(np.isnan(filled), 1.0, filled), 1.0)


def drawn_counts(
    shares: Shares, *, draws: int, rng: np.random.Generator, cautious: NDArray[np.bool_] | None = None
) -> Floats:
    """Draw what each cell's number of duplicates may be: ``float64[c, draws]``, whole numbers within what is known.

    A share comes from the Beta distribution of the Jeffreys prior (Brown, Cai and DasGupta 2001) updated by ``size`` labels;
    in a part of a bucket the prior has the same weight, one label, but leans towards the bucket's share. Where
    every pair is known, the count is a constant.

    ``cautious`` draws, for the cells of that mask alone, see no duplicate where none was labelled, and half the prior's share of
    duplicates elsewhere: they say how few duplicates there may be. Jeffreys draws from many empty cells would add up to
    duplicates that nobody has seen.
    """
    belief, wanted = shares.centre, np.ones(shares.size.size, np.bool_)
    if cautious is not None:
        wanted = cautious
        belief = np.where(shares.size > 0, np.where(shares.estimate > 0, belief / 2, 0.0), belief)
    counts = np.repeat(shares.least[:, None], draws, axis=1)
    worth = np.where(np.isfinite(shares.size), shares.size, 0.0)
    hits = shares.estimate * worth + belief
    drawn = np.flatnonzero((shares.most > shares.least) & (hits > 0) & wanted)
    misses = np.maximum(worth + 1.0 - hits, 1e-9)
    values = rng.beta(hits[drawn, None], misses[drawn, None], (drawn.size, draws))
    values *= shares.population[drawn, None]
    np.rint(values, out=values)
    counts[drawn] = np.clip(values, shares.least[drawn, None], shares.most[drawn, None])
    return counts
