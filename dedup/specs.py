"""Frozen recipes: every number carries the readable name of the parameters that made it."""

import hashlib
import unicodedata
from dataclasses import dataclass, field
from typing import Literal

NormaliserName = Literal["unicode", "lesson"]
HashName = Literal["sha1", "tokens"]
SchemeName = Literal["affine32", "legacy"]
WeightingName = Literal["plain", "tf"]
ScoreName = Literal["exact", "estimate", "hamming"]

NORMALISER_VERSIONS: dict[NormaliserName, int] = {"unicode": 1, "lesson": 1}


class RecipeMismatchError(ValueError):
    """Two stored results were made by different recipes and can't be compared."""


def digest_of(recipe: str) -> str:
    """Short, stable name of a recipe: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(recipe.encode()).hexdigest()[:16]


def normaliser_recipe(normaliser: NormaliserName) -> str:
    """Name, version and Unicode tables of a normaliser, for example ``unicode.1+ucd14.0.0``."""
    return f"{normaliser}.{NORMALISER_VERSIONS[normaliser]}+ucd{unicodedata.unidata_version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSpec:
    """How a text becomes its clean stream: the normalised words, joined by one space, as UTF-8."""

    normaliser: NormaliserName = "unicode"

    @property
    def recipe(self) -> str:
        """Readable name, part of every recipe that builds on the stream."""
        return f"stream|norm:{normaliser_recipe(self.normaliser)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksSpec:
    """How a text is summed up for the rule that numbers must match: its wording, its numbers and signs, its length."""

    normaliser: NormaliserName = "unicode"

    @property
    def recipe(self) -> str:
        """Readable name."""
        return f"marks|v:1|norm:{normaliser_recipe(self.normaliser)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MinHashSpec:
    """How a text becomes a MinHash signature.

    ``hash`` is ``sha1`` (datasketch's own default, so that a row *is* a datasketch MinHash) or ``tokens``
    (a polynomial over word hashes: faster, reproduced in datasketch by a Python ``hashfunc`` that ships here).
    """

    k: int = 3
    num_perm: int = 128
    scheme: SchemeName = "affine32"
    hash: HashName = "sha1"
    seed: int = 1
    normaliser: NormaliserName = "unicode"

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is the number of words in a shingle and must be 1 or more, not {self.k}")
        if not 16 <= self.num_perm <= 1024:
            raise ValueError(f"num_perm must lie between 16 and 1024, not {self.num_perm}")

    @property
    def recipe(self) -> str:
        """Readable name, shown beside every number computed from it."""
        return (
            f"minhash|k:{self.k}|perm:{self.num_perm}|scheme:{self.scheme}|hash:{self.hash}|seed:{self.seed}"
            f"|norm:{normaliser_recipe(self.normaliser)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SimHashSpec:
    """How a text becomes a 64-bit SimHash fingerprint (BLAKE2b, 8 bytes, big-endian, per shingle).

    ``weighting`` is ``plain`` (every distinct shingle has one vote) or ``tf`` (as many votes as it has occurrences).
    """

    k: int = 3
    weighting: WeightingName = "plain"
    max_distance: int = 3
    normaliser: NormaliserName = "unicode"

    @property
    def recipe(self) -> str:
        """Readable name; the distance for candidates is no part of the fingerprint, so it isn't in here."""
        return (
            f"simhash|k:{self.k}|bits:64|weighting:{self.weighting}|norm:{normaliser_recipe(self.normaliser)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BandingSpec:
    """How signatures are cut for locality-sensitive hashing: ``bands`` bands of ``rows_per_band`` rows."""

    bands: int
    rows_per_band: int

    @property
    def recipe(self) -> str:
        """Readable name."""
        return f"bands:{self.bands}|rows:{self.rows_per_band}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySpec:
    """Everything that decides which pairs a study looks at, and how they are scored and drawn."""

    ks: tuple[int, ...] = (3, 5, 7)
    num_perm: int = 128
    hash: HashName = "sha1"
    seed: int = 1
    normaliser: NormaliserName = "unicode"
    collection_threshold: float = 0.3
    bucket_width: float = 0.1
    per_bucket: int = 25
    simhash: WeightingName | None = None
    simhash_k: int = 3
    simhash_distance: int = 3
    hub_limit: int = 200
    minhash_specs: tuple[MinHashSpec, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not self.ks or len(set(self.ks)) != len(self.ks):
            raise ValueError(f"name each k once, and at least one; got {self.ks}")
        if not 0.05 <= self.collection_threshold <= 0.95:
            raise ValueError(
                f"the collection threshold must lie between 0.05 and 0.95, not {self.collection_threshold}"
            )
        if not 0.02 <= self.bucket_width <= 0.5:
            raise ValueError(f"the bucket width must lie between 0.02 and 0.5, not {self.bucket_width}")
        if self.per_bucket < 1:
            raise ValueError(f"draw at least one pair per bucket, not {self.per_bucket}")
        specs = tuple(
            MinHashSpec(
                k=k, num_perm=self.num_perm, hash=self.hash, seed=self.seed, normaliser=self.normaliser
            )
            for k in sorted(self.ks)
        )
        object.__setattr__(self, "minhash_specs", specs)

    @property
    def simhash_spec(self) -> SimHashSpec | None:
        """The fingerprint's recipe, or None if the study has no SimHash."""
        if self.simhash is None:
            return None
        return SimHashSpec(
            k=self.simhash_k,
            weighting=self.simhash,
            max_distance=self.simhash_distance,
            normaliser=self.normaliser,
        )
