"""The second stage: signatures and fingerprints become the pairs of the pool."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup import candidates, simhash
from dedup.candidates import HubBucket, PairCodes
from dedup.engines.crew import Crew, Stages
from dedup.engines.families import Families, families_of_keys, share_out
from dedup.engines.floor import Floor
from dedup.engines.protocol import IDENTICAL_TEXTS, Hub
from dedup.specs import BandingSpec, MinHashSpec, SimHashSpec

COLLISIONS_KEPT_WHOLE = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """Pair codes of the pool, sorted, each once; hubs as met; the floor, if there had to be one."""

    codes: PairCodes
    hubs: tuple[Hub, ...]
    floor_level: int | None
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A few bands of one recipe, the unit of work."""

    spec: MinHashSpec
    bands: range


class Collector:
    """Finds the pairs of one study in arrays that lie in memory."""

    def __init__(
        self,
        signatures: Mapping[MinHashSpec, NDArray[np.uint32]],
        bandings: Mapping[MinHashSpec, BandingSpec],
        families: Families,
        *,
        stream_recipe: str,
        hub_limit: int,
        collection_threshold: float,
    ) -> None:
        self._signatures = signatures
        self._bandings = bandings
        self._families = families
        self._stream_recipe = stream_recipe
        self._hub_limit = hub_limit
        self._collection_threshold = collection_threshold
        self._collisions_kept_whole = COLLISIONS_KEPT_WHOLE

    def collect(
        self, crew: Crew, stages: Stages, fingerprints: NDArray[np.uint64] | None, spec: SimHashSpec | None
    ) -> Collected:
        """Collect the pairs of all recipes, and unite them."""
        blocks = self._blocks()
        stages.begin("collect", total=sum(len(block.bands) for block in blocks), unit="bands")
        floor = self._floor(crew, blocks)
        hubs: list[Hub] = []

        def batches() -> Iterator[PairCodes]:
            yield from self._minhash_batches(crew, stages, blocks, floor, hubs)
            if fingerprints is not None and spec is not None:
                codes, found = crew.wait(crew.submit(self._simhash_pairs, fingerprints, spec))
                hubs.extend(found)
                yield codes

        codes = candidates.unite_codes(batches())
        if self._families.has_repeats:
            codes, bounded = share_out(codes, self._families, pair_limit=self._hub_limit)
            hubs.extend(_family_hub(self._stream_recipe, size, examples) for size, examples in bounded)
        return Collected(
            codes=codes,
            hubs=tuple(hubs),
            floor_level=None if floor is None else floor.level,
            left_out=0 if floor is None else floor.left_out,
        )

    def _blocks(self) -> list[Block]:
        return [
            Block(spec=spec, bands=bands)
            for spec, banding in self._bandings.items()
            for bands in candidates.band_blocks(banding, texts=self._signatures[spec].shape[0])
        ]

    def _floor(self, crew: Crew, blocks: Sequence[Block]) -> Floor | None:
        collisions = sum(crew.map(self._collisions, blocks))
        if collisions <= self._collisions_kept_whole:
            return None
        return Floor(list(self._signatures.values()), self._collection_threshold)

    def _collisions(self, block: Block) -> int:
        return candidates.collisions_of_bands(
            self._signatures[block.spec],
            self._bandings[block.spec],
            block.bands,
            hub_limit=self._hub_limit,
            valid=self._families.leads,
        )

    def _minhash_batches(
        self, crew: Crew, stages: Stages, blocks: Sequence[Block], floor: Floor | None, hubs: list[Hub]
    ) -> Iterator[PairCodes]:
        keep = None if floor is None else floor.keep
        for block, (codes, found) in zip(blocks, crew.map(self._pairs(keep), blocks), strict=True):
            hubs.extend(_band_hub(block.spec, hub) for hub in found)
            yield codes
            stages.advance(len(block.bands))

    def _pairs(
        self, keep: Callable[[PairCodes], PairCodes] | None
    ) -> Callable[[Block], tuple[PairCodes, list[HubBucket]]]:
        def pairs_of_block(block: Block) -> tuple[PairCodes, list[HubBucket]]:
            return candidates.pairs_of_bands(
                self._signatures[block.spec],
                self._bandings[block.spec],
                block.bands,
                hub_limit=self._hub_limit,
                valid=self._families.leads,
                keep=keep,
            )

        return pairs_of_block

    def _simhash_pairs(
        self, fingerprints: NDArray[np.uint64], spec: SimHashSpec
    ) -> tuple[PairCodes, list[Hub]]:
        """Pair fingerprints that are near each other: first the distinct ones, then those that are equal."""
        equal = families_of_keys(fingerprints, self._families.leads)
        left, right = simhash.pairs_within(fingerprints, max_distance=spec.max_distance, valid=equal.leads)
        near, bounded = share_out(candidates.encode_pairs(left, right), equal, pair_limit=self._hub_limit)
        batches, hubs = candidates.pairs_of_equal_keys(
            fingerprints, valid=self._families.leads, hub_limit=self._hub_limit, band=IDENTICAL_TEXTS
        )
        found = [_family_hub(spec.recipe, size, examples) for size, examples in bounded]
        found += [_family_hub(spec.recipe, hub.size, hub.example_ordinals) for hub in hubs]
        return candidates.unite_codes([near, *batches]), sorted(set(found), key=_hub_order)


def _band_hub(spec: MinHashSpec, hub: HubBucket) -> Hub:
    return Hub(recipe=spec.recipe, band=hub.band, size=hub.size, example_ordinals=hub.example_ordinals)


def _family_hub(recipe: str, size: int, examples: tuple[int, ...]) -> Hub:
    return Hub(recipe=recipe, band=IDENTICAL_TEXTS, size=size, example_ordinals=examples)


def _hub_order(hub: Hub) -> tuple[int, tuple[int, ...]]:
    return -hub.size, hub.example_ordinals
