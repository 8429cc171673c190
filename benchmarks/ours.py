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
from dedup.band_kernel import reaching
from dedup.candidates import Candidates, candidate_pairs
from dedup.clustering.components import components
from dedup.engines.families import families_of_exact_keys
from dedup.engines.floor import floor_level
from dedup.kernel import TextColumn
from dedup.minhash import agreements
from dedup.specs import BandingSpec, MinHashSpec

CHUNK_CHARACTERS = 400_000
SAMPLE_TEXTS = 200
HUB_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Signed:
    """Numbers of words, exact keys, and one signature array a recipe; the clean streams are gone."""

    words: NDArray[np.int32]
    exact_keys: NDArray[np.uint8]
    signatures: list[NDArray[np.uint32]]


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
                families = families_of_exact_keys(signed.exact_keys, signed.words > 0)
                pairs = self.candidates(signed.signatures[0], families.leads)
                self.details["candidate_pairs"] = len(pairs)
            with self.stage("verify"):
                kept = self.verify(texts, signed, pairs, pool)
        with self.stage("clusters"):
            copies = np.flatnonzero(~families.leads & (signed.words > 0))
            left = np.concatenate([pairs.left[kept], families.numbers[copies]])
            right = np.concatenate([pairs.right[kept], copies])
            return components(len(texts), left, right).tolist()

    def sign(self, texts: list[str], pool: ThreadPoolExecutor) -> Signed:
        """Clean and sign a chunk at a time; only what later steps need is kept."""
        chunk_texts = texts_of_a_chunk(texts)
        words = np.empty(len(texts), np.int32)
        exact_keys = np.empty((len(texts), 32), np.uint8)
        signatures = [np.empty((len(texts), spec.num_perm), np.uint32) for spec in self.specs]

        def sign_chunk(start: int) -> None:
            part = slice(start, min(start + chunk_texts, len(texts)))
            clean = kernel.clean(TextColumn.from_strings(texts[part]), self.specs[0].normaliser)
            words[part], exact_keys[part] = clean.words, clean.exact_keys
            kernel.signatures(clean.streams, self.specs, into=[whole[part] for whole in signatures])

        for _ in pool.map(sign_chunk, range(0, len(texts), chunk_texts)):
            pass
        return Signed(words, exact_keys, signatures)

    def candidates(self, signatures: NDArray[np.uint32], leads: NDArray[np.bool_]) -> Candidates:
        """Pair what agrees on a band."""
        banding = BandingSpec(bands=BANDS, rows_per_band=ROWS_PER_BAND)
        return candidate_pairs(signatures, banding, hub_limit=HUB_LIMIT, valid=leads)

    def verify(
        self, texts: list[str], signed: Signed, pairs: Candidates, pool: ThreadPoolExecutor
    ) -> NDArray[np.bool_]:
        """Mark the pairs at the threshold or above, by the exact similarity or by the estimate."""
        if self.verification == "estimate":
            found = agreements(signed.signatures[0], pairs.left, pairs.right)
            return found >= THRESHOLD * self.specs[0].num_perm - 1e-9

        likely = np.flatnonzero(self.reaches_floor(signed.signatures[0], pairs))

        def is_link(bounds: tuple[int, int]) -> NDArray[np.bool_]:
            chosen = likely[slice(*bounds)]
            left, right = pairs.left[chosen], pairs.right[chosen]
            ordinals, places = np.unique(np.concatenate([left, right]), return_inverse=True)
            column = TextColumn.from_strings(texts[ordinal] for ordinal in ordinals.tolist())
            streams = kernel.clean(column, self.specs[0].normaliser).streams
            shared, united = kernel.exact_overlaps(
                streams, places[: left.size], places[left.size :], self.specs[0].k
            )
            return shared >= THRESHOLD * united

        cuts = [*range(0, likely.size, texts_of_a_chunk(texts)), likely.size]
        kept = np.zeros(len(pairs), np.bool_)
        kept[likely] = np.concatenate([np.empty(0, np.bool_), *pool.map(is_link, pairwise(cuts))])
        return kept

    def reaches_floor(self, signatures: NDArray[np.uint32], pairs: Candidates) -> NDArray[np.bool_]:
        """Mark the pairs worth a look at their texts; of pairs at the threshold one in 100,000 is passed over."""
        level = floor_level(THRESHOLD, signatures.shape[1])
        return reaching(signatures, pairs.left, pairs.right, level)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Remember how long a stage took."""
        began = perf_counter()
        yield
        self.details[f"{name}_seconds"] = perf_counter() - began


def texts_of_a_chunk(texts: list[str]) -> int:
    """So many texts as stay in the cache together, if all are about as long as the first ones."""
    characters = sum(map(len, texts[:SAMPLE_TEXTS]))
    return max(1, CHUNK_CHARACTERS * min(len(texts), SAMPLE_TEXTS) // max(characters, 1))


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
