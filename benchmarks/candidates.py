"""Signatures to candidate pairs: seconds and added memory for a million random signatures with planted neighbours.

    python -m benchmarks.candidates [--texts 1000000] [--bands 30] [--rows-per-band 4] [--pairs 145000] [--repeat 3]

Signatures are drawn, not made from texts, so that nothing but the search is measured. Prints one JSON object: the best
of the runs, all runs, the memory that the search added, and a check that the planted pairs were found.
"""

import argparse
import json
from time import perf_counter

import numpy as np

from benchmarks import machine
from benchmarks.measuring import forget_peak, memory_mb
from dedup.banding import collision_probability
from dedup.candidates import Candidates, candidate_pairs
from dedup.specs import BandingSpec

NUM_PERM = 128
PLANTED_SIMILARITY = 0.7


def planted_signatures(texts: int, pairs: int, *, seed: int = 20):
    """Random signatures, of which ``pairs`` agree with an earlier one in about 70 of 100 rows."""
    rng = np.random.default_rng(seed)
    signatures = rng.integers(0, 2**32, (texts, NUM_PERM), np.uint32)
    places = rng.permutation(texts)[: 2 * pairs]
    copies, originals = places[:pairs], places[pairs:]
    for start in range(0, pairs, 10_000):
        chosen = slice(start, start + 10_000)
        agrees = rng.random((len(copies[chosen]), NUM_PERM)) < PLANTED_SIMILARITY
        signatures[copies[chosen]] = np.where(
            agrees, signatures[originals[chosen]], signatures[copies[chosen]]
        )
    return signatures


def timed(signatures, banding: BandingSpec) -> tuple[float, float, Candidates]:
    """Search once: seconds, megabytes by which the peak rose, what was found."""
    valid = np.ones(signatures.shape[0], np.bool_)
    forget_peak()
    before = memory_mb("VmRSS")
    began = perf_counter()
    found = candidate_pairs(signatures, banding, hub_limit=200, valid=valid)
    return perf_counter() - began, memory_mb("VmHWM") - before, found


def main() -> None:
    """Read the command line, run, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=1_000_000)
    parser.add_argument("--bands", type=int, default=30)
    parser.add_argument("--rows-per-band", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=145_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    banding = BandingSpec(bands=options.bands, rows_per_band=options.rows_per_band)
    signatures = planted_signatures(options.texts, options.pairs)
    timed(signatures[:1_000], banding)
    runs = [timed(signatures, banding) for _ in range(options.repeat)]
    chance = collision_probability(
        PLANTED_SIMILARITY, bands=banding.bands, rows_per_band=banding.rows_per_band
    )
    print(
        json.dumps(
            {
                "texts": options.texts,
                "banding": banding.recipe,
                "seconds": round(min(seconds for seconds, _, _ in runs), 3),
                "runs": [round(seconds, 3) for seconds, _, _ in runs],
                "added_mb": round(max(added for _, added, _ in runs), 1),
                "pairs": len(runs[0][2]),
                "planted_pairs_expected": round(chance * options.pairs),
                "load": machine.load(),
                "machine": machine.describe(),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
