"""The kernel's functions by Python, NumPy and datasketch itself: same bits, no compiler."""

import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np
from datasketch import MinHash
from datasketch.hashfunc import sha1_hash32
from numpy.typing import NDArray

from dedup.kernel.columns import CleanColumn, TextColumn
from dedup.shingling import shingles
from dedup.specs import MinHashSpec, NormaliserName, SimHashSpec
from dedup.text import normalise
from dedup.token_hash import shingle_hash32

_NO_WORDS = 0xFFFFFFFF


def clean(texts: TextColumn, normaliser: NormaliserName) -> CleanColumn:
    """Make clean streams, word counts and exact keys."""
    streams = [normalise(texts.text(index), normaliser) for index in range(len(texts))]
    words = [stream.count(" ") + 1 if stream else 0 for stream in streams]
    column = TextColumn.from_strings(streams)
    return CleanColumn(column, np.array(words, np.int32), exact_keys(column))


def exact_keys(streams: TextColumn) -> NDArray[np.uint8]:
    """Give the SHA-256 of each stream: ``uint8[n, 32]``, zeros where a stream is empty."""
    view = streams.data.tobytes()
    bounds = streams.offsets.tolist()
    digest = hashlib.sha256
    nothing = bytes(32)
    keys = [
        digest(view[start:end]).digest() if end > start else nothing
        for start, end in itertools.pairwise(bounds)
    ]
    return np.frombuffer(b"".join(keys), np.uint8).reshape(len(streams), 32)


def signatures(streams: TextColumn, specs: Sequence[MinHashSpec]) -> list[NDArray[np.uint32]]:
    """Sign every stream with every recipe: one ``uint32[n, num_perm]`` for each."""
    return [_signatures_of(streams, spec) for spec in specs]


def _signatures_of(streams: TextColumn, spec: MinHashSpec) -> NDArray[np.uint32]:
    rows = np.full((len(streams), spec.num_perm), _NO_WORDS, np.uint32)
    blank = MinHash(
        num_perm=spec.num_perm,
        seed=spec.seed,
        scheme=spec.scheme,
        hashfunc=sha1_hash32 if spec.hash == "sha1" else shingle_hash32,
    )
    for index in range(len(streams)):
        stream = streams.text(index)
        if stream:
            sketch = blank.copy()
            sketch.update_batch([shingle.encode() for shingle in shingles(stream.split(" "), spec.k)])
            rows[index] = sketch.hashvalues
    return rows


def fingerprints(streams: TextColumn, spec: SimHashSpec) -> NDArray[np.uint64]:
    """Give the SimHash of every stream: ``uint64[n]``, 0 where a stream is empty."""
    return np.array([_fingerprint(streams.text(index), spec) for index in range(len(streams))], np.uint64)


def _fingerprint(stream: str, spec: SimHashSpec) -> int:
    votes = _occurrences(stream, spec.k)
    if not votes:
        return 0
    digests = np.array(
        [
            int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=8).digest(), "big")
            for shingle in votes
        ],
        np.uint64,
    )
    weights = np.ones(len(votes), np.int64) if spec.weighting == "plain" else np.array([*votes.values()])
    bits = (digests[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    ones = weights @ bits.astype(np.int64)
    return sum(1 << bit for bit in range(64) if 2 * ones[bit] > weights.sum())


def _occurrences(stream: str, k: int) -> Counter[str]:
    words = stream.split(" ") if stream else []
    if not words:
        return Counter()
    return Counter(" ".join(words[start : start + k]) for start in range(max(1, len(words) - k + 1)))


def exact_overlaps(
    streams: TextColumn, left: NDArray[np.int64], right: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Count the shingles that the texts of each pair share, and have together: two ``int32[m]``."""
    intersections = np.zeros(left.shape[0], np.int32)
    unions = np.zeros(left.shape[0], np.int32)
    known: dict[int, set[str]] = {}
    for pair, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        if one not in known:
            known = {one: _shingle_set(streams, one, k)}
        second = _shingle_set(streams, other, k)
        intersections[pair] = len(known[one] & second)
        unions[pair] = len(known[one] | second)
    return intersections, unions


def _shingle_set(streams: TextColumn, index: int, k: int) -> set[str]:
    stream = streams.text(index)
    return shingles(stream.split(" ") if stream else [], k)
