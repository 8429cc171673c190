"""The arrays of a corpus: for each recipe a folder of segments, each with a record of its files and their hashes.

A segment holds the rows of up to 50,000 neighbouring ordinals. Its files are ``<start>-<stop><column>.npy``; its record
``<start>-<stop>.json`` is written last. A segment without a record, or whose files don't match it, doesn't exist: it is
made again, to the same bytes. Only the last segment of a corpus may be shorter; when texts were added, a longer one
takes over its rows and its place.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.engines.protocol import StoredFile
from dedup.segments import SegmentError, open_array, remove_unfinished, verify_array, write_bytes, write_rows
from dedup.specs import MarksSpec, MinHashSpec, SimHashSpec, StreamSpec, StudySpec, digest_of

SEGMENT_ROWS = 50_000
STREAM_COLUMNS = ("", ".offsets", ".words", ".keys")
ROW_COLUMNS = ("",)

Columns = Mapping[str, Sequence[NDArray[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusRecipes:
    """The recipes whose arrays a study, or an index, needs of its corpus."""

    stream: StreamSpec
    minhash: tuple[MinHashSpec, ...]
    simhash: SimHashSpec | None
    marks: MarksSpec | None = None

    @classmethod
    def of(cls, spec: StudySpec) -> "CorpusRecipes":
        """Collect the recipes of a study."""
        return cls(
            stream=StreamSpec(normaliser=spec.normaliser),
            marks=MarksSpec(normaliser=spec.normaliser),
            minhash=spec.minhash_specs,
            simhash=spec.simhash_spec,
        )

    @property
    def readable(self) -> tuple[str, ...]:
        """All recipes, the stream's first."""
        signed = tuple(spec.recipe for spec in self.minhash)
        fingerprinted = () if self.simhash is None else (self.simhash.recipe,)
        marked = () if self.marks is None else (self.marks.recipe,)
        return (self.stream.recipe, *marked, *signed, *fingerprinted)


def segment_bounds(texts: int, rows: int) -> list[tuple[int, int]]:
    """Cut the ordinals of a corpus into segments.

    >>> segment_bounds(120, 50)
    [(0, 50), (50, 100), (100, 120)]
    """
    return [(start, min(start + rows, texts)) for start in range(0, texts, rows)]


def columns_of(recipe: str) -> tuple[str, ...]:
    """Name the columns (endings of file names) of a recipe's segments."""
    return STREAM_COLUMNS if recipe.startswith("stream|") else ROW_COLUMNS


def write_segment(arrays: Path, recipe: str, start: int, stop: int, columns: Columns) -> list[StoredFile]:
    """Write a segment's files, then its record, then remove a shorter one that it supersedes.

    Each column is given in parts, which follow each other.
    """
    folder = arrays / digest_of(recipe)
    name = f"{start}-{stop}"
    _record_path(folder, name).unlink(missing_ok=True)
    files = [
        StoredFile(
            path=f"{folder.name}/{name}{column}.npy",
            rows=sum(len(part) for part in parts),
            sha256=write_rows(folder / f"{name}{column}.npy", parts),
            recipe=recipe,
        )
        for column, parts in columns.items()
    ]
    record = json.dumps({"recipe": recipe, "files": [list(file[:3]) for file in files]}, indent=1)
    write_bytes(_record_path(folder, name), record.encode())
    _remove_superseded(folder, start, stop)
    return files


def find_segment(arrays: Path, recipe: str, start: int, stop: int) -> list[StoredFile] | None:
    """Read a segment's record and compare its files with it. None if there is no such segment, or a damaged one."""
    folder = arrays / digest_of(recipe)
    try:
        record = json.loads(_record_path(folder, f"{start}-{stop}").read_text(encoding="utf-8"))
        files = [StoredFile(path, rows, sha256, record["recipe"]) for path, rows, sha256 in record["files"]]
        expected = [f"{folder.name}/{start}-{stop}{column}.npy" for column in columns_of(recipe)]
        if record["recipe"] != recipe or [file.path for file in files] != expected:
            return None
        for file in files:
            verify_array(arrays / file.path, file.sha256)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return files


def find_shorter_segment(arrays: Path, recipe: str, start: int, stop: int) -> int:
    """Find the longest whole segment that begins at ``start`` and ends before ``stop``; return its stop, or start."""
    stops = sorted(
        (found for found in _stops(arrays / digest_of(recipe), start) if found < stop), reverse=True
    )
    for shorter in stops:
        if find_segment(arrays, recipe, start, shorter) is not None:
            return shorter
    return start


def longest_stop(arrays: Path, recipe: str, start: int) -> int:
    """Find where the longest segment that begins at ``start`` ends, by its record; ``start`` where there is none."""
    return max(_stops(arrays / digest_of(recipe), start), default=start)


def open_segment(arrays: Path, recipe: str, start: int, stop: int) -> dict[str, NDArray[Any]]:
    """Open a segment's columns as memory maps."""
    folder = arrays / digest_of(recipe)
    return {column: open_array(folder / f"{start}-{stop}{column}.npy") for column in columns_of(recipe)}


def drop_segments(arrays: Path, ordinals: Collection[int]) -> list[str]:
    """Delete every segment, of every recipe, that holds one of these ordinals; return the deleted files, sorted.

    For texts that have to go from the files as well: the next run makes the segments again without them.
    """
    deleted: list[str] = []
    for record in arrays.glob("*/*-*.json"):
        start, _, stop = record.stem.partition("-")
        if (
            start.isdigit()
            and stop.isdigit()
            and any(int(start) <= ordinal < int(stop) for ordinal in ordinals)
        ):
            record.unlink()
            files = sorted(record.parent.glob(f"{record.stem}*.npy"))
            for path in files:
                path.unlink()
            deleted += [f"{record.parent.name}/{path.name}" for path in files]
    return sorted(deleted)


def read_rows(
    arrays: Path, recipe: str, bounds: Sequence[tuple[int, int]], *, column: str = ""
) -> NDArray[Any]:
    """Read one column of all segments into memory, one row per ordinal. Raises ``SegmentError`` if there is no segment."""
    whole: NDArray[Any] | None = None
    for start, stop in bounds:
        rows = open_array(arrays / digest_of(recipe) / f"{start}-{stop}{column}.npy")
        if whole is None:
            whole = np.empty((bounds[-1][1], *rows.shape[1:]), rows.dtype)
        whole[start:stop] = rows
    if whole is None:
        raise SegmentError("a corpus without texts has no arrays")
    return whole


@contextmanager
def exclusive(arrays: Path, heartbeat: Any) -> Iterator[None]:  # noqa: ANN401
    """Hold the corpus's arrays for one writer; wait, with heartbeats, while another one has them.

    The lock belongs to the open file, so a killed writer leaves none behind. Where the platform has no such locks,
    there is no waiting: then only one worker may run for a corpus at a time.
    """
    try:
        import fcntl
    except ImportError:  # pragma: no cover - only where the platform has no file locks
        yield
        return
    arrays.mkdir(parents=True, exist_ok=True)
    with (arrays / ".lock").open("wb") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                heartbeat()
                sleep(0.2)
        remove_unfinished(arrays)
        yield


def _record_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.json"


def _stops(folder: Path, start: int) -> list[int]:
    names = [path.stem.partition("-")[2] for path in folder.glob(f"{start}-*.json")]
    return [int(stop) for stop in names if stop.isdigit()]


def _remove_superseded(folder: Path, start: int, stop: int) -> None:
    for other in _stops(folder, start):
        if other != stop:
            _record_path(folder, f"{start}-{other}").unlink(missing_ok=True)
            for path in folder.glob(f"{start}-{other}*.npy"):
                path.unlink(missing_ok=True)
