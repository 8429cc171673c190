"""The tables of an index as files: immutable, named by the ordinals that they hold, listed in a record written last."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dedup.engines.protocol import StoredFile
from dedup.index.spec import IndexSpec
from dedup.index.tables import Table
from dedup.segments import SegmentError, open_array, write_array, write_bytes
from dedup.specs import RecipeMismatchError, digest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECORD = "tables.json"
COLUMNS = ("keys", "places", "blocks", "block_places")

Bounds = tuple[int, int]


def tables_folder(arrays: Path, spec: IndexSpec) -> Path:
    """Name the folder of an index's tables, below the folder of the corpus's arrays."""
    return arrays / spec.digest


def read_bounds(folder: Path, spec: IndexSpec) -> list[Bounds]:
    """Read which tables there are: (start, stop) of each, in order; empty where there is no record, or a damaged one.

    Raises ``RecipeMismatchError`` where the record is that of another recipe.
    """
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        recipe, bounds = str(record["recipe"]), [(int(start), int(stop)) for start, stop in record["tables"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    if recipe != spec.recipe:
        raise RecipeMismatchError(f"{folder / RECORD} is of {recipe}, and {spec.recipe} was asked for")
    return bounds


def record_state(folder: Path) -> tuple[int, int]:
    """Tell one state of the record from another without reading it; (0, 0) where there is none."""
    try:
        found = (folder / RECORD).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_ino


def open_table(folder: Path, bounds: Bounds) -> Table:
    """Open one table as memory maps. Raises ``SegmentError`` where a file is missing or no whole array."""
    columns: dict[str, NDArray[Any]] = {
        column: np.asarray(open_array(_path(folder, bounds, column))) for column in COLUMNS
    }
    return Table(start=bounds[0], stop=bounds[1], **columns)


def write_table(folder: Path, table: Table, recipe: str) -> list[StoredFile]:
    """Write one table's files; nobody reads them before a record names them."""
    bounds = (table.start, table.stop)
    return [
        StoredFile(
            path=f"{folder.name}/{_path(folder, bounds, column).name}",
            rows=int(getattr(table, column).shape[1]),
            sha256=write_array(_path(folder, bounds, column), getattr(table, column)),
            recipe=recipe,
        )
        for column in COLUMNS
    ]


def write_record(folder: Path, spec: IndexSpec, tables: Sequence[Bounds]) -> None:
    """Say which tables there are from now on, and delete the files of all others."""
    record = {"recipe": spec.recipe, "tables": [list(bounds) for bounds in tables]}
    write_bytes(folder / RECORD, json.dumps(record).encode())
    kept = {_path(folder, bounds, column).name for bounds in tables for column in COLUMNS}
    for path in folder.glob("*.npy"):
        if path.name not in kept:
            path.unlink(missing_ok=True)


def forget_tables(arrays: Path, recipe: str) -> None:
    """Delete the tables of an index of that recipe, the record first."""
    folder = arrays / digest_of(recipe)
    (folder / RECORD).unlink(missing_ok=True)
    for path in folder.glob("*.npy"):
        path.unlink(missing_ok=True)


def plan_tables(there: Sequence[Bounds], stop: int, *, largest: int) -> list[Bounds]:
    """Choose the tables of an index of ``stop`` texts: those that are kept as they are, and one new one at the end.

    The new one takes in tables before it that are at most twice as large, so that there are never many; none grows
    beyond ``largest`` texts by it.

    >>> plan_tables([(0, 1000), (1000, 1100)], 1200, largest=10_000)
    [(0, 1000), (1000, 1200)]
    """
    kept = [bounds for bounds in there if bounds[1] <= stop]
    start = kept[-1][1] if kept else 0
    if start == stop:
        return kept
    while kept and kept[-1][1] - kept[-1][0] <= 2 * (stop - start) and stop - kept[-1][0] <= largest:
        start = kept.pop()[0]
    return [*kept, (start, stop)]


def check_bounds(bounds: Sequence[Bounds]) -> None:
    """Raise ``SegmentError`` where tables don't follow each other from ordinal 0."""
    expected = 0
    for start, stop in bounds:
        if start != expected or stop <= start:
            raise SegmentError(f"the tables of the index have a gap at ordinal {expected}")
        expected = stop


def _path(folder: Path, bounds: Bounds, column: str) -> Path:
    return folder / f"{bounds[0]}-{bounds[1]}.{column}.npy"
