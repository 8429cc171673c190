"""neardup itself, texts to clusters in memory, with the functions that its engine is made of."""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import BANDS, ROWS_PER_BAND, THRESHOLD, measure
from dedup import kernel
from dedup.candidates import Candidates, candidate_pairs
from dedup.clustering.components import components
from dedup.engines.families import families_of_exact_keys
from dedup.kernel import CleanColumn, TextColumn
from dedup.minhash import agreements
from dedup.specs import BandingSpec, MinHashSpec

CHUNK_TEXTS = 2_000
CHUNK_PAIRS = 8_192
HUB_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Signed:
    """Clean columns chunk by chunk, and one signature array a recipe."""

    chunks: list[CleanColumn]
    signatures: list[NDArray[np.uint32]]

    def streams(self, ordinals: NDArray[np.int64]) -> TextColumn:
        """Copy the clean streams of ascending ordinals into one column."""
        bounds = np.arange(len(self.chunks) + 1) * CHUNK_TEXTS
        cuts = np.searchsorted(ordinals, bounds)
        parts = [
            chunk.streams.take(ordinals[low:high] - start)
            for chunk, start, (low, high) in zip(self.chunks, bounds.tolist(), pairwise(cuts), strict=False)
        ]
        lengths = [np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)]
        offsets = np.cumsum(np.concatenate(lengths), dtype=np.int64)
        return TextColumn(np.concatenate([part.data for part in parts]), offsets)


@dataclass(slots=True)
class Program:
    """One way to call neardup; ``details`` tells how long each stage took, and how many candidate pairs there were."""

    specs: Sequence[MinHashSpec]
    threads: int
    verification: str
    details: dict[str, float] = field(default_factory=dict)

    def cluster(self, texts: list[str]) -> list[int]:
        """Sign, find candidates among the distinct texts, verify, connect."""
        self.details.clear()
        with ThreadPoolExecutor(self.threads) as pool:
            with self.stage("sign"):
                signed = self.sign(texts, pool)
            if self.verification == "none":
                return list(range(len(texts)))
            with self.stage("candidates"):
                words = np.concatenate([chunk.words for chunk in signed.chunks])
                exact_keys = np.concatenate([chunk.exact_keys for chunk in signed.chunks])
                families = families_of_exact_keys(exact_keys, words > 0)
                pairs = self.candidates(signed.signatures[0], families.leads)
                self.details["candidate_pairs"] = len(pairs)
            with self.stage("verify"):
                kept = self.verify(signed, pairs, pool)
        with self.stage("clusters"):
            copies = np.flatnonzero(~families.leads & (words > 0))
            left = np.concatenate([pairs.left[kept], families.numbers[copies]])
            right = np.concatenate([pairs.right[kept], copies])
            return components(len(texts), left, right).tolist()

    def sign(self, texts: list[str], pool: ThreadPoolExecutor) -> Signed:
        """Clean and sign a chunk at a time."""

        signatures = [np.empty((len(texts), spec.num_perm), np.uint32) for spec in self.specs]

        def sign_chunk(start: int) -> CleanColumn:
            column = TextColumn.from_strings(texts[start : start + CHUNK_TEXTS])
            clean = kernel.clean(column, self.specs[0].normaliser)
            rows = [whole[start : start + len(column)] for whole in signatures]
            kernel.signatures(clean.streams, self.specs, into=rows)
            return clean

        chunks = list(pool.map(sign_chunk, range(0, len(texts), CHUNK_TEXTS)))
        return Signed(chunks, signatures)

    def candidates(self, signatures: NDArray[np.uint32], leads: NDArray[np.bool_]) -> Candidates:
        """Pair what agrees on a band."""
        banding = BandingSpec(bands=BANDS, rows_per_band=ROWS_PER_BAND)
        return candidate_pairs(signatures, banding, hub_limit=HUB_LIMIT, valid=leads)

    def verify(self, signed: Signed, pairs: Candidates, pool: ThreadPoolExecutor) -> NDArray[np.bool_]:
        """Mark the pairs at the threshold or above, by the exact similarity or by the estimate."""
        if self.verification == "estimate":
            found = agreements(signed.signatures[0], pairs.left, pairs.right)
            return found >= THRESHOLD * self.specs[0].num_perm - 1e-9
        ordinals, places = np.unique(np.concatenate([pairs.left, pairs.right]), return_inverse=True)
        streams, left, right = signed.streams(ordinals), places[: len(pairs)], places[len(pairs) :]

        def is_link(bounds: tuple[int, int]) -> NDArray[np.bool_]:
            part = slice(*bounds)
            shared, united = kernel.exact_overlaps(streams, left[part], right[part], self.specs[0].k)
            return shared >= THRESHOLD * united

        cuts = [*range(0, len(pairs), CHUNK_PAIRS), len(pairs)]
        return np.concatenate([np.empty(0, np.bool_), *pool.map(is_link, pairwise(cuts))])

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Remember how long a stage took."""
        began = perf_counter()
        yield
        self.details[f"{name}_seconds"] = perf_counter() - began


def main() -> None:
    """Measure one way to call neardup."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hash", choices=("sha1", "tokens"), default="sha1")
    parser.add_argument("--num-perm", type=int, default=128)
    parser.add_argument("--ks", type=lambda text: [int(k) for k in text.split(",")], default=[3])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--verification", choices=("exact", "estimate", "none"), default="exact")
    options, rest = parser.parse_known_args()
    specs = [MinHashSpec(k=k, num_perm=options.num_perm, hash=options.hash) for k in options.ks]
    program = Program(specs, options.threads, options.verification)
    measure(
        program.cluster,
        distribution="neardup",
        how=f"kernel {kernel.KERNEL_NAME}, 30 x 4, verification: {options.verification}; {specs[0].recipe}",
        warm_up=program.cluster,
        details=program.details,
        command=rest,
    )


if __name__ == "__main__":
    main()
