"""What an engine is asked, and what it answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from dedup.specs import BandingSpec, StudySpec

IDENTICAL_TEXTS = -1


class TextSource(Protocol):
    """The texts of a corpus by ordinal. Engines call it from the thread that called them, and from no other."""

    def __len__(self) -> int:
        """Count the ordinals given out so far."""

    def batch(self, start: int, stop: int) -> Sequence[str]:
        """Read the texts of the ordinals ``start`` to ``stop - 1``; an empty string where a text is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a stage has come: ``done`` of ``total`` units (``texts``, ``bands``, ``pairs``)."""

    stage: str
    done: int
    total: int
    unit: str


Report = Callable[[Progress], None]


class StoredFile(NamedTuple):
    """One array file as it was written: where, how many rows, the hash of its bytes, the recipe that made it."""

    path: str
    rows: int
    sha256: str
    recipe: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """What too many texts share, so that not all of their pairs were looked at.

    ``band`` is the band of the recipe's signatures whose key they share, or ``IDENTICAL_TEXTS`` for a family of texts
    with one and the same clean stream (or fingerprint). ``example_ordinals`` are the first few of the ``size`` texts.
    """

    recipe: str
    band: int
    size: int
    example_ordinals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFiles:
    """A finished pool.

    ``files`` are paths in ``folder``, ``segments`` are paths in the corpus's folder of arrays. ``hubs`` names the
    largest hubs, ``hub_buckets`` counts all. ``floor_level`` is None if every candidate pair is in the pool; otherwise
    the pool leaves out candidate pairs whose estimate agrees in fewer permutations under every recipe, and
    ``left_out`` counts their collisions (a pair counts once for each band in which it collided). ``seconds`` maps each
    stage to the time it took.
    """

    folder: Path
    texts: int
    pool_size: int
    recipes: tuple[str, ...]
    bandings: Mapping[str, BandingSpec]
    hubs: tuple[Hub, ...]
    hub_buckets: int
    floor_level: int | None
    left_out: int
    seconds: Mapping[str, float]
    files: tuple[StoredFile, ...]
    segments: tuple[StoredFile, ...]


class Engine(Protocol):
    """Turns the texts of a corpus into the pool of a study. Same texts and spec, same bytes, whatever the engine."""

    def collect(
        self, source: TextSource, spec: StudySpec, *, arrays: Path, pool_folder: Path, report: Report
    ) -> PoolFiles:
        """Sign, collect and verify; write the segments below ``arrays`` and the pool into ``pool_folder``.

        ``report`` is called every second or two, always from the calling thread; whatever it raises stops the work
        and comes out of this call. What was finished until then is found again by the next call.
        """
