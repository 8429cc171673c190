"""Texts that agree on a band become candidate pairs; what is too common to be expanded is reported."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dedup.band_kernel import colliding_rows, keys_of_bands
from dedup.specs import BandingSpec

HUB_NEIGHBOURS = 4
HUB_EXAMPLES = 5
BATCH_PAIRS = 2_000_000
BLOCK_BANDS = 10
BLOCK_BYTES = 96_000_000

_RIGHT_BITS = np.uint64(32)
_RIGHT_MASK = np.uint64(0xFFFFFFFF)

Ordinals = NDArray[np.int64]
PairCodes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class HubBucket:
    """A band key that too many texts share: which band, how many texts, and the first few of them."""

    band: int
    size: int
    example_ordinals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Candidate pairs, ``int64[m]`` each: left below right, sorted by (left, right), each once. Hubs as met."""

    left: Ordinals
    right: Ordinals
    hubs: list[HubBucket] = field(default_factory=list)

    def __len__(self) -> int:
        return int(self.left.shape[0])


def candidate_pairs(
    signatures: NDArray[np.uint32],
    banding: BandingSpec,
    *,
    hub_limit: int,
    valid: NDArray[np.bool_],
    report: Callable[[int, int], None] | None = None,
) -> Candidates:
    """Pair all texts that agree on every row of at least one band.

    ``signatures`` is ``uint32[n, num_perm]``; ``valid`` is ``bool[n]``, False for texts without words, which are
    never candidates. A few bands at a time, so that memory stays under 100 MB, or 12 bytes a text, plus the pairs.

    **Hub rule.** A band key that more than ``hub_limit`` texts share isn't expanded to all of its pairs: each of its
    texts is paired with the next ``HUB_NEIGHBOURS`` of them in ordinal order, and the hub is reported. What that can
    lose: a pair whose keys are hubs in ``h`` of the ``b`` bands is still found in the others, with a chance of
    ``1 - (1 - s**r)**(b - h)`` or more at similarity ``s``.

    ``report`` is told (bands done, bands). Raises ``ValueError`` where the shapes don't fit, for a ``hub_limit`` below
    2, and for 2**32 texts or more.
    """
    hubs: list[HubBucket] = []

    def codes_of_blocks() -> Iterator[PairCodes]:
        for bands in band_blocks(banding, texts=signatures.shape[0]):
            codes, found = pairs_of_bands(signatures, banding, bands, hub_limit=hub_limit, valid=valid)
            hubs.extend(found)
            yield codes
            if report is not None:
                report(bands.stop, banding.bands)

    left, right = decode_pairs(unite_codes(codes_of_blocks()))
    return Candidates(left=left, right=right, hubs=hubs)


def band_blocks(banding: BandingSpec, *, texts: int) -> list[range]:
    """Cut the bands into runs whose keys are computed in one pass and stay under 100 MB."""
    step = min(BLOCK_BANDS, max(1, BLOCK_BYTES // (8 * max(texts, 1))))
    return [range(first, min(first + step, banding.bands)) for first in range(0, banding.bands, step)]


def pairs_of_bands(
    signatures: NDArray[np.uint32],
    banding: BandingSpec,
    bands: range,
    *,
    hub_limit: int,
    valid: NDArray[np.bool_],
    keep: Callable[[PairCodes], PairCodes] | None = None,
) -> tuple[PairCodes, list[HubBucket]]:
    """Pair the texts that share the key of one of these bands: sorted unique pair codes, and the bands' hubs.

    ``keep`` sees each batch as it is made and returns those that stay, so that a great many passing collisions are
    never held together.
    Thread-safe, and mostly outside the interpreter lock: an engine may run several calls at a time.
    """
    if valid.shape != signatures.shape[:1]:
        raise ValueError(f"{valid.shape[0]} marks for {signatures.shape[0]} signatures")
    if hub_limit < 2:
        raise ValueError(
            f"a band key shared by two texts is a pair, so the hub limit is 2 or more, not {hub_limit}"
        )
    hubs: list[HubBucket] = []

    def codes_of_bands() -> Iterator[PairCodes]:
        for band, keys in zip(bands, keys_of_bands(signatures, banding, bands), strict=True):
            batches, found = pairs_of_equal_keys(keys, valid=valid, hub_limit=hub_limit, band=band)
            hubs.extend(found)
            yield from batches if keep is None else map(keep, batches)

    return unite_codes(codes_of_bands()), hubs


def pairs_of_equal_keys(
    keys: NDArray[np.uint64], *, valid: NDArray[np.bool_], hub_limit: int, band: int
) -> tuple[Iterator[PairCodes], list[HubBucket]]:
    """Pair the valid rows of ``uint64[n]`` that share a key, under the hub rule: batches of pair codes, and the hubs."""
    members, starts, sizes = _groups(keys, colliding_rows(keys, valid))
    return _expanded(members, starts, sizes, hub_limit), _hubs(band, members, starts, sizes, hub_limit)


def collisions_of_bands(
    signatures: NDArray[np.uint32],
    banding: BandingSpec,
    bands: range,
    *,
    hub_limit: int,
    valid: NDArray[np.bool_],
) -> int:
    """Count the pairs that ``pairs_of_bands`` would look at, each as often as it collides, without making them."""
    collisions = 0
    for keys in keys_of_bands(signatures, banding, bands):
        _, _, sizes = _groups(keys, colliding_rows(keys, valid))
        all_pairs = sizes * (sizes - 1) // 2
        chains = HUB_NEIGHBOURS * sizes - HUB_NEIGHBOURS * (HUB_NEIGHBOURS + 1) // 2
        collisions += int(np.where(sizes > hub_limit, np.minimum(chains, all_pairs), all_pairs).sum())
    return collisions


def union_pairs(parts: Iterable[tuple[Ordinals, Ordinals]]) -> tuple[Ordinals, Ordinals]:
    """Unite lists of pairs: ``int64[m]`` left and right, left below right, sorted by (left, right), each pair once.

    The parts may overlap and repeat, and may name a pair in either order.
    """
    return decode_pairs(unite_codes(encode_pairs(left, right) for left, right in parts))


def encode_pairs(left: Ordinals, right: Ordinals) -> PairCodes:
    """Pack pairs into ``uint64[m]``, the smaller ordinal in the upper half, so that codes sort as pairs do.

    Raises ``ValueError`` for an ordinal outside 0 to 2**32 - 1 and for a text paired with itself.
    """
    if left.shape != right.shape:
        raise ValueError(f"{left.shape[0]} left ordinals against {right.shape[0]} right ones")
    smaller, larger = np.minimum(left, right), np.maximum(left, right)
    if smaller.size and (int(smaller.min()) < 0 or int(larger.max()) >= 1 << 32):
        raise ValueError("ordinals lie between 0 and 4,294,967,295")
    if np.any(smaller == larger):
        raise ValueError("a text can't be paired with itself")
    return (smaller.astype(np.uint64) << _RIGHT_BITS) | larger.astype(np.uint64)


def decode_pairs(codes: PairCodes) -> tuple[Ordinals, Ordinals]:
    """Unpack pair codes into left and right ordinals, ``int64[m]`` each."""
    return (codes >> _RIGHT_BITS).astype(np.int64), (codes & _RIGHT_MASK).astype(np.int64)


def unite_codes(batches: Iterable[PairCodes]) -> PairCodes:
    """Unite batches of pair codes into one sorted array without repetition.

    Batches wait until they are as many as the union so far (and at least ``BATCH_PAIRS``), so that the whole costs a
    few sorts, and memory stays within a small multiple of the result plus one batch.
    """
    union = np.empty(0, np.uint64)
    waiting: list[PairCodes] = []
    for batch in batches:
        waiting.append(batch)
        if sum(codes.size for codes in waiting) >= max(BATCH_PAIRS, union.size):
            union = _sorted_once(np.concatenate([union, *waiting]))
            waiting = []
    return _sorted_once(np.concatenate([union, *waiting])) if waiting else union


def _sorted_once(codes: PairCodes) -> PairCodes:
    """Sort in place and drop repetitions. ``numpy.unique`` hashes first, which takes ten times as long."""
    codes.sort()
    is_new = np.ones(codes.size, np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=is_new[1:])
    return codes[is_new]


def _groups(keys: NDArray[np.uint64], rows: Ordinals) -> tuple[Ordinals, Ordinals, Ordinals]:
    """Sort rows by key, ordinals ascending inside a key; give the rows, and the start and size of each group of 2+."""
    chosen = keys[rows]
    order = _stable_order(chosen)
    members, ordered = rows[order], chosen[order]
    is_first = np.ones(members.size, np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    sizes = np.diff(np.append(starts, members.size))
    several = sizes > 1
    return members, starts[several], sizes[several]


def _stable_order(keys: NDArray[np.uint64]) -> Ordinals:
    """Order ``uint64`` keys so that equal ones stand together, each group in the order they came.

    A number in place of a key's lowest bits makes one plain sort of it, several times as fast as a stable one. Should
    two different keys agree in all the other bits, which hashed keys hardly ever do, the stable sort decides.
    """
    numbered = np.uint64((1 << max(keys.size - 1, 0).bit_length()) - 1)
    packed = (keys & ~numbered) | np.arange(keys.size, dtype=np.uint64)
    packed.sort()
    order = (packed & numbered).astype(np.int64)
    ordered, heads = keys[order], packed & ~numbered
    if np.any((ordered[1:] != ordered[:-1]) & (heads[1:] == heads[:-1])):
        return np.argsort(keys, kind="stable")
    return order


def _expanded(members: Ordinals, starts: Ordinals, sizes: Ordinals, hub_limit: int) -> Iterator[PairCodes]:
    """Pair each member with the later ones of its group (in a hub: with the next few), a bounded batch at a time."""
    positions = _ranges(starts, sizes)
    later = np.repeat(starts + sizes, sizes) - positions - 1
    in_hub = np.repeat(sizes > hub_limit, sizes)
    partners = np.where(in_hub, np.minimum(later, HUB_NEIGHBOURS), later)
    ends = np.cumsum(partners)
    done = 0
    while done < positions.size:
        before = int(ends[done - 1]) if done else 0
        stop = max(done + 1, int(np.searchsorted(ends, before + BATCH_PAIRS, side="right")))
        chosen, counts = positions[done:stop], partners[done:stop]
        left = np.repeat(members[chosen], counts)
        right = members[_ranges(chosen + 1, counts)]
        yield encode_pairs(left, right)
        done = stop


def _ranges(starts: Ordinals, lengths: Ordinals) -> Ordinals:
    """Concatenate ``start, start + 1, ...`` of the given lengths."""
    total = int(lengths.sum())
    offsets = np.cumsum(lengths) - lengths
    places: Ordinals = np.arange(total, dtype=np.int64) + np.repeat(starts - offsets, lengths)
    return places


def _hubs(band: int, members: Ordinals, starts: Ordinals, sizes: Ordinals, hub_limit: int) -> list[HubBucket]:
    hubs: list[HubBucket] = []
    for start, size in zip(
        starts[sizes > hub_limit].tolist(), sizes[sizes > hub_limit].tolist(), strict=True
    ):
        examples: Sequence[int] = members[start : start + min(size, HUB_EXAMPLES)].tolist()
        hubs.append(HubBucket(band=band, size=size, example_ordinals=tuple(examples)))
    return hubs
