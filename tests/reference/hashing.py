"""Shingles, signatures, fingerprints and overlaps as the lesson and datasketch define them."""

import hashlib
from collections import Counter

from datasketch import MinHash


def shingles(stream, k):
    words = stream.split(" ") if stream else []
    if not words:
        return Counter()
    return Counter(" ".join(words[start : start + k]) for start in range(max(1, len(words) - k + 1)))


def signature(stream, spec, hashfunc):
    sketch = MinHash(num_perm=spec.num_perm, seed=spec.seed, scheme=spec.scheme, hashfunc=hashfunc)
    for shingle in shingles(stream, spec.k):
        sketch.update(shingle.encode("utf-8"))
    return sketch.hashvalues.tolist()


def fingerprint(stream, k, weighting):
    counts = [0] * 64
    for shingle, occurrences in shingles(stream, k).items():
        digest = int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=8).digest(), "big")
        votes = occurrences if weighting == "tf" else 1
        for bit in range(64):
            counts[bit] += votes if (digest >> bit) & 1 else -votes
    return sum(1 << bit for bit in range(64) if counts[bit] > 0)


def overlap(left, right, k):
    one, other = set(shingles(left, k)), set(shingles(right, k))
    return len(one & other), len(one | other)


def token_hash(shingle):
    """The definition in docs/text-semantics.md, with plain integers."""
    total = 0
    for word in shingle.split(b" "):
        value = 0x9E3779B97F4A7C15 ^ len(word)
        padded = word + bytes(-len(word) % 8)
        for start in range(0, len(padded), 8):
            part = sum(byte << (8 * place) for place, byte in enumerate(padded[start : start + 8]))
            value = (value ^ part) * 0x9FB21C651E98DF25 % 2**64
            value ^= value // 2**32
        total = (total * 0xD6E8FEB86659FD93 + value * 0x9FB21C651E98DF25) % 2**64
    return total // 2**32


def pairs_within(fingerprints, distance):
    count = len(fingerprints)
    return [
        (left, right)
        for left in range(count)
        for right in range(left + 1, count)
        if (fingerprints[left] ^ fingerprints[right]).bit_count() <= distance
    ]
