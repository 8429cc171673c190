"""Texts with one and the same content: one of them stands for all in the search, and its pairs are shared out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.candidates import Ordinals, PairCodes, decode_pairs, encode_pairs, unite_codes


@dataclass(frozen=True, slots=True, kw_only=True)
class Families:
    """Which texts are identical.

    ``members`` are the valid ordinals, family by family, ascending in each; ``starts`` is ``int64[n]``: where the
    family that a text leads begins; ``sizes`` is ``int64[n]``: its size, 0 for texts that lead none.
    """

    members: Ordinals
    starts: Ordinals
    sizes: Ordinals

    @property
    def leads(self) -> NDArray[np.bool_]:
        """Mark the texts that stand for their family: the first of each, ``bool[n]``."""
        return self.sizes > 0

    @property
    def numbers(self) -> Ordinals:
        """Give each text the ordinal of the text that leads its family, ``int64[n]``; -1 for texts that aren't valid."""
        leaders = self.members[np.sort(self.starts[self.leads])]
        numbers = np.full(self.sizes.size, -1, np.int64)
        numbers[self.members] = np.repeat(leaders, self.sizes[leaders])
        return numbers

    @property
    def has_repeats(self) -> bool:
        """Say whether a family has more than one member."""
        return bool(np.any(self.sizes > 1))


def families_of_keys(keys: NDArray[np.uint64], valid: NDArray[np.bool_]) -> Families:
    """Group valid rows by equal ``uint64[n]`` keys."""
    rows = np.flatnonzero(valid)
    order = rows[np.argsort(keys[rows], kind="stable")]
    is_first = np.ones(order.size, np.bool_)
    is_first[1:] = keys[order][1:] != keys[order][:-1]
    begins = np.flatnonzero(is_first)
    starts, sizes = np.zeros(keys.size, np.int64), np.zeros(keys.size, np.int64)
    starts[order[begins]] = begins
    sizes[order[begins]] = np.diff(np.append(begins, order.size))
    return Families(members=order, starts=starts, sizes=sizes)


def families_of_exact_keys(exact_keys: NDArray[np.uint8], valid: NDArray[np.bool_]) -> Families:
    """Group valid rows by equal exact keys, ``uint8[n, 32]``.

    Only rows whose first eight bytes occur twice are compared in full, and get a number of their own for it.
    """
    heads = np.ascontiguousarray(exact_keys[:, :8]).view(np.uint64).reshape(-1)
    repeated = families_of_keys(heads, valid)
    if not repeated.has_repeats:
        return repeated
    rows = np.flatnonzero(valid & ~repeated.leads | (repeated.sizes > 1))
    whole = np.ascontiguousarray(exact_keys[rows]).view("V32").reshape(-1)
    _, first, numbers = np.unique(whole, return_index=True, return_inverse=True)
    numbered = np.arange(heads.size, dtype=np.uint64)
    numbered[rows] = rows[first][numbers]
    return families_of_keys(numbered, valid)


def share_out(
    codes: PairCodes, families: Families, *, pair_limit: int
) -> tuple[PairCodes, list[tuple[int, tuple[int, ...]]]]:
    """Turn pairs of leading texts into pairs of the members of their families.

    Two families of ``a`` and ``b`` texts give all ``a * b`` pairs if these are at most ``pair_limit``. Otherwise the
    larger one's members are paired with the smaller one's in turn, at most ``pair_limit`` pairs, and the larger family
    is returned among the bounded ones, as (size, first few ordinals), once.
    """
    left, right = decode_pairs(codes)
    is_shared = (families.sizes[left] > 1) | (families.sizes[right] > 1)
    left, right = left[is_shared], right[is_shared]
    left_sizes, right_sizes = families.sizes[left], families.sizes[right]
    is_whole = left_sizes * right_sizes <= pair_limit
    taking_turns = np.minimum(np.maximum(left_sizes, right_sizes), pair_limit)
    counts = np.where(is_whole, left_sizes * right_sizes, taking_turns)
    shared = _members_of_pairs(families, left, right, counts, is_whole)
    bounded = np.unique(np.where(left_sizes >= right_sizes, left, right)[~is_whole])
    return unite_codes([codes[~is_shared], shared]), [_described(families, lead) for lead in bounded]


def _members_of_pairs(
    families: Families, left: Ordinals, right: Ordinals, counts: Ordinals, is_whole: NDArray[np.bool_]
) -> PairCodes:
    """Pair ``counts`` times: every left member with every right one where that is whole, else both in turn."""
    places = np.arange(int(counts.sum()), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    left_sizes, right_sizes = (
        np.repeat(families.sizes[left], counts),
        np.repeat(families.sizes[right], counts),
    )
    left_places = np.where(np.repeat(is_whole, counts), places // right_sizes, places % left_sizes)
    left_members = families.members[np.repeat(families.starts[left], counts) + left_places]
    right_members = families.members[np.repeat(families.starts[right], counts) + places % right_sizes]
    return encode_pairs(left_members, right_members)


def _described(families: Families, lead: int) -> tuple[int, tuple[int, ...]]:
    start, size = int(families.starts[lead]), int(families.sizes[lead])
    return size, tuple(families.members[start : start + min(size, 5)].tolist())
