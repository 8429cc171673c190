"""How likely each pair was to be labelled: prefixes of the drawn buckets, cutoffs, inclusion probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.records import NO_VERDICT, Sample, ScoreSummary
from dedup.sampling import StratumDraw


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The labelled prefix of a bucket: ``length`` pairs in the order of u, all of them with a verdict, up to ``cutoff``."""

    stratum: StratumDraw
    length: int
    cutoff: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Inclusion:
    """``probabilities``, ``float64[n]`` in [0, 1]; ``sampled``, ``bool[n]``: u at or below it; and the prefix of each bucket."""

    probabilities: NDArray[np.float64]
    sampled: NDArray[np.bool_]
    prefixes: tuple[Prefix, ...]


def inclusion(summaries: Sequence[ScoreSummary], sample: Sample) -> Inclusion:
    """Find each pair's inclusion probability: the largest cutoff among the buckets that it lies in.

    A bucket's cutoff lies half way between the u of the last pair of its labelled prefix and the next u; it is 1 when the
    whole bucket is labelled and 0 when its first pair isn't. The sample is every pair with u at or below its
    probability: sequential Poisson sampling with permanent random numbers (Ohlsson 1995).
    """
    probabilities = np.zeros(sample.u.shape[0])
    prefixes: list[Prefix] = []
    for summary in summaries:
        if not summary.strata:
            continue
        levels = sample.levels[summary.digest, "exact"]
        for stratum in summary.strata:
            inside = (levels >= stratum.low) & (levels < stratum.high)
            prefix = _prefix(stratum, sample, inside)
            prefixes.append(prefix)
            np.maximum(probabilities, np.where(inside, prefix.cutoff, 0.0), out=probabilities)
    sampled = (sample.u <= probabilities) & (sample.verdicts != NO_VERDICT)
    return Inclusion(probabilities=probabilities, sampled=sampled, prefixes=tuple(prefixes))


def _prefix(stratum: StratumDraw, sample: Sample, inside: NDArray[np.bool_]) -> Prefix:
    members = np.flatnonzero(inside & sample.drawn & (sample.u < stratum.next_u))
    members = members[np.argsort(sample.u[members], kind="stable")][: stratum.sampled]
    missing = np.flatnonzero(sample.verdicts[members] == NO_VERDICT)
    length = int(missing[0]) if missing.size else members.size
    return Prefix(stratum=stratum, length=length, cutoff=_cutoff(stratum, sample.u[members], length))


def _cutoff(stratum: StratumDraw, u: NDArray[np.float64], length: int) -> float:
    if length == 0:
        return 0.0
    if length >= stratum.population:
        return 1.0
    next_u = float(u[length]) if length < u.size else stratum.next_u
    return (float(u[length - 1]) + next_u) / 2
