"""The pool as a folder of array files and a manifest, which is written last: without it, there is no pool."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dedup.banding import study_bands
from dedup.engines.protocol import Hub, StoredFile
from dedup.pairs import Pool, ScoreKey
from dedup.segments import SegmentError, open_array, verify_array, write_array, write_bytes
from dedup.specs import BandingSpec, RecipeMismatchError, StudySpec, digest_of

MANIFEST = "manifest.json"
LISTED_HUBS = 100
PAIRS_RECIPE = "pairs|left<right"

_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """What the manifest says beside the files."""

    texts: int
    hubs: tuple[Hub, ...]
    floor_level: int | None
    left_out: int

    @property
    def largest_hubs(self) -> tuple[Hub, ...]:
        """The hubs that the manifest lists: the largest, equal ones in a fixed order."""
        ordered = sorted(self.hubs, key=lambda hub: (-hub.size, hub.recipe, hub.band, hub.example_ordinals))
        return tuple(ordered[:LISTED_HUBS])


def study_recipes(spec: StudySpec) -> tuple[str, ...]:
    """Name the recipes that a study scores its pairs under."""
    minhash = tuple(minhash_spec.recipe for minhash_spec in spec.minhash_specs)
    return minhash if spec.simhash_spec is None else (*minhash, spec.simhash_spec.recipe)


def study_bandings(spec: StudySpec) -> dict[str, BandingSpec]:
    """Give the bands of each MinHash recipe of a study, by the recipe's digest."""
    return {
        digest_of(minhash_spec.recipe): study_bands(spec.collection_threshold, minhash_spec.num_perm)
        for minhash_spec in spec.minhash_specs
    }


def write_pool(folder: Path, pool: Pool, spec: StudySpec, facts: PoolFacts) -> tuple[StoredFile, ...]:
    """Write the arrays of a pool, then its manifest. The same pool always gives the same bytes."""
    (folder / MANIFEST).unlink(missing_ok=True)
    files = [
        StoredFile(path=name, rows=len(pool), sha256=write_array(folder / name, array), recipe=recipe)
        for name, recipe, array in _columns(pool, spec)
    ]
    manifest = json.dumps(_manifest(files, len(pool), spec, facts), indent=1, sort_keys=True).encode()
    digest = write_bytes(folder / MANIFEST, manifest)
    return (*files, StoredFile(path=MANIFEST, rows=len(pool), sha256=digest, recipe=PAIRS_RECIPE))


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read what a finished pool says of itself. Raises ``SegmentError`` if the folder holds no finished pool."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SegmentError(f"{folder} holds no finished pool: {MANIFEST} is missing") from error
    except (OSError, ValueError) as error:
        raise SegmentError(f"{folder / MANIFEST} can't be read: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise SegmentError(f"{folder / MANIFEST} isn't the manifest of a pool that this version wrote")
    return manifest


def read_pool(folder: Path, spec: StudySpec | None = None, *, verify: bool = False) -> Pool:
    """Open a finished pool as memory maps.

    With ``spec``, raises ``RecipeMismatchError`` if the pool was made with other recipes or bands (other tables of
    Unicode count as another recipe). With ``verify``, compares every file with its recorded hash. Raises
    ``SegmentError`` if the pool is unfinished, or a file is missing, damaged or of another length.
    """
    manifest = read_manifest(folder)
    if spec is not None:
        _check_recipes(folder, manifest, spec)
    arrays: dict[str, NDArray[Any]] = {}
    for name, rows, sha256, _ in manifest["files"]:
        if verify:
            verify_array(folder / name, sha256)
        arrays[name] = open_array(folder / name)
        if arrays[name].shape != (rows,):
            raise SegmentError(f"{folder / name} holds {arrays[name].shape} values and should hold {rows}")
    digests = list(manifest["bandings"])
    return Pool(
        left=arrays["left.npy"],
        right=arrays["right.npy"],
        levels={
            ScoreKey(digest, score): arrays[f"{digest}.{score}.npy"]
            for digest in digests
            for score in ("exact", "estimate")
        },
        jaccard={digest: arrays[f"{digest}.jaccard.npy"] for digest in digests},
        hamming=arrays.get("hamming.npy"),
    )


def _columns(pool: Pool, spec: StudySpec) -> Iterator[tuple[str, str, NDArray[Any]]]:
    yield "left.npy", PAIRS_RECIPE, pool.left
    yield "right.npy", PAIRS_RECIPE, pool.right
    for minhash_spec in spec.minhash_specs:
        recipe = minhash_spec.recipe
        digest = digest_of(recipe)
        yield f"{digest}.exact.npy", recipe, pool.levels[ScoreKey(digest, "exact")]
        yield f"{digest}.estimate.npy", recipe, pool.levels[ScoreKey(digest, "estimate")]
        yield f"{digest}.jaccard.npy", recipe, pool.jaccard[digest]
    if pool.hamming is not None and spec.simhash_spec is not None:
        yield "hamming.npy", spec.simhash_spec.recipe, pool.hamming


def _manifest(files: list[StoredFile], pairs: int, spec: StudySpec, facts: PoolFacts) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "texts": facts.texts,
        "pairs": pairs,
        **_recipes_of(spec),
        "floor_level": facts.floor_level,
        "left_out": facts.left_out,
        "hub_limit": spec.hub_limit,
        "hub_buckets": len(facts.hubs),
        "hubs": [asdict(hub) for hub in facts.largest_hubs],
        "files": [list(file) for file in files],
    }


def _recipes_of(spec: StudySpec) -> dict[str, Any]:
    simhash = spec.simhash_spec
    return {
        "recipes": list(study_recipes(spec)),
        "bandings": {digest: banding.recipe for digest, banding in study_bandings(spec).items()},
        "simhash_distance": None if simhash is None else simhash.max_distance,
    }


def _check_recipes(folder: Path, manifest: Mapping[str, Any], spec: StudySpec) -> None:
    for name, expected in _recipes_of(spec).items():
        if manifest[name] != expected:
            raise RecipeMismatchError(
                f"the pool in {folder} was made with {name} {manifest[name]}; this study has {expected}"
            )
