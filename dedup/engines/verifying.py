"""The third stage: every pair of the pool gets its score under every recipe."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dedup import kernel
from dedup.candidates import PairCodes, decode_pairs
from dedup.engines import corpus_arrays
from dedup.engines.crew import Crew, Stages
from dedup.kernel import TextColumn
from dedup.minhash import agreements
from dedup.pairs import Pool, ScoreKey, exact_levels, exact_similarities
from dedup.segments import forget_pages
from dedup.simhash import hamming_distance
from dedup.specs import MinHashSpec, digest_of

BATCH_PAIRS = 8_192
BATCH_BYTES = 32_000_000
BATCHES_IN_MEMORY = 8


class StoredStreams:
    """The clean streams of a corpus, opened where they lie."""

    def __init__(self, arrays: Path, recipe: str, bounds: Sequence[tuple[int, int]]) -> None:
        self._bounds = bounds
        opened = [corpus_arrays.open_segment(arrays, recipe, *segment) for segment in bounds]
        self._mapped = [segment[""] for segment in opened]
        self._segments = [
            {name: np.asarray(column) for name, column in segment.items()} for segment in opened
        ]

    def lengths(self) -> NDArray[np.int64]:
        """Give the bytes of each stream, ``int64[n]``."""
        offsets = [np.diff(columns[".offsets"]) for columns in self._segments]
        return np.concatenate([np.empty(0, np.int64), *offsets])

    def forget_pages(self) -> None:
        """Give back the memory of what was read so far."""
        for stream in self._mapped:
            forget_pages(stream)

    def take(self, ordinals: NDArray[np.int64]) -> TextColumn:
        """Copy the streams of ascending ordinals into one column."""
        pieces: list[NDArray[np.uint8]] = [np.empty(0, np.uint8)]
        lengths: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        for (start, stop), columns in zip(self._bounds, self._segments, strict=True):
            low, high = np.searchsorted(ordinals, (start, stop))
            rows = ordinals[low:high] - start
            begins, ends = columns[".offsets"][rows], columns[".offsets"][rows + 1]
            stream = columns[""]
            pieces += [stream[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
            lengths.append(ends - begins)
        return TextColumn(
            data=np.concatenate(pieces), offsets=np.cumsum(np.concatenate(lengths), dtype=np.int64)
        )


class Verifier:
    """Scores the pairs of one pool."""

    def __init__(
        self,
        streams: StoredStreams,
        signatures: Mapping[MinHashSpec, NDArray[np.uint32]],
        fingerprints: NDArray[np.uint64] | None,
    ) -> None:
        self._streams = streams
        self._signatures = signatures
        self._fingerprints = fingerprints

    def verify(self, codes: PairCodes, crew: Crew, stages: Stages) -> Pool:
        """Score all pairs, a batch at a time."""
        left, right = decode_pairs(codes)
        pool = self._empty_pool(left, right)
        stages.begin("verify", total=codes.size, unit="pairs")

        def score(batch: range) -> int:
            self._score(pool, slice(batch.start, batch.stop))
            return len(batch)

        for done, scored in enumerate(crew.map(score, self._batches(left, right))):
            stages.advance(scored)
            if done % BATCHES_IN_MEMORY == 0:
                self._streams.forget_pages()
        return pool

    def _batches(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> Iterator[range]:
        """Cut the pairs so that no batch has too many pairs, or texts that are too long together."""
        lengths = self._streams.lengths()
        ends = np.cumsum(lengths[left] + lengths[right])
        start = 0
        while start < left.size:
            before = int(ends[start - 1]) if start else 0
            fitting = int(np.searchsorted(ends, before + BATCH_BYTES, side="right"))
            stop = min(left.size, start + BATCH_PAIRS, max(fitting, start + 1))
            yield range(start, stop)
            start = stop

    def _empty_pool(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> Pool:
        digests = [digest_of(spec.recipe) for spec in self._signatures]
        return Pool(
            left=left,
            right=right,
            levels={
                ScoreKey(digest, score): np.zeros(left.size, np.int16)
                for digest in digests
                for score in ("exact", "estimate")
            },
            jaccard={digest: np.zeros(left.size, np.float64) for digest in digests},
            hamming=None if self._fingerprints is None else np.zeros(left.size, np.uint8),
        )

    def _score(self, pool: Pool, batch: slice) -> None:
        left, right = pool.left[batch], pool.right[batch]
        ordinals, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        streams = self._streams.take(ordinals)
        places_left, places_right = places[: left.size], places[left.size :]
        ks = [spec.k for spec in self._signatures]
        overlaps = kernel.exact_overlaps_of_all(streams, places_left, places_right, ks)
        for (spec, signatures), (shared, united) in zip(self._signatures.items(), overlaps, strict=True):
            digest = digest_of(spec.recipe)
            pool.levels[ScoreKey(digest, "exact")][batch] = exact_levels(shared, united)
            pool.jaccard[digest][batch] = exact_similarities(shared, united)
            pool.levels[ScoreKey(digest, "estimate")][batch] = agreements(signatures, left, right)
        if pool.hamming is not None and self._fingerprints is not None:
            pool.hamming[batch] = hamming_distance(self._fingerprints[left], self._fingerprints[right])
