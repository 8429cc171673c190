"""Tables for people and programs: a whole file or none, and nothing in it that a spreadsheet would run.

One rule protects spreadsheets, in CSV and XLSX, for headers and every text cell: where the text begins with
``=``,
``+``, ``-``, ``@``, a tab or a carriage return, also after apostrophes, one apostrophe is put before it.
``original`` takes it away again, so ids survive the round trip. JSONL and Parquet hold the texts as they are.
"""

import csv
import hashlib
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet

Format = Literal["csv", "csv-spreadsheet", "jsonl", "parquet", "xlsx"]
CellKind = Literal["text", "integer", "number", "boolean", "time"]
Value = str | int | float | datetime | None
Row = Mapping[str, Any]

SUFFIXES: dict[Format, str] = {
    "csv": ".csv",
    "csv-spreadsheet": ".csv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "xlsx": ".xlsx",
}
MOST_CELL_CHARACTERS = 32_767
MOST_SHEET_ROWS = 1_048_576
CUT_MARK = " [cut: a cell holds 32,767 characters]"

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_BATCH = 20_000
_NO_DATE = datetime(1980, 1, 1, tzinfo=UTC)


class ExportError(ValueError):
    """A table can't be written in the format asked for; the message says why and what would do."""


@dataclass(frozen=True, slots=True)
class Column:
    """Name of a column, and what its cells hold; None is an empty cell in each kind."""

    name: str
    kind: CellKind = "text"


@dataclass(frozen=True, slots=True)
class Written:
    """What a finished file holds: rows without the header, bytes, SHA-256, and how many cells had to be cut."""

    rows: int
    size: int
    sha256: str
    cut_cells: int = 0


def neutralised(text: str) -> str:
    """Text in the form in which no spreadsheet takes it for a formula.

    >>> neutralised("=1+2"), neutralised("a=1"), neutralised("'=1")
    ("'=1+2", 'a=1', "''=1")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def original(cell: str) -> str:
    """Text that ``neutralised`` was given.

    >>> original("'=1+2"), original("'tis")
    ('=1+2', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def write_table(rows: Iterable[Row], columns: Sequence[Column], path: Path, format: Format) -> Written:  # noqa: A002
    """Write rows as a table. The file appears under its name when it is whole, or not at all.

    Every row must have every column. Numbers that aren't finite become empty cells. ``csv`` is UTF-8 without
    a byte order mark, ``csv-spreadsheet`` the same with one; lines end with CR LF (RFC 4180). Raises
    ``ExportError`` for a missing column, or for more rows than a worksheet holds.
    """
    writers: dict[Format, Callable[[Iterator[list[Value]], Sequence[Column], Path], tuple[int, int]]] = {
        "csv": lambda cells, heads, file: _write_csv(cells, heads, file, "utf-8"),
        "csv-spreadsheet": lambda cells, heads, file: _write_csv(cells, heads, file, "utf-8-sig"),
        "jsonl": _write_jsonl,
        "parquet": _write_parquet,
        "xlsx": _write_xlsx,
    }
    if format not in writers:
        raise ExportError(f"unknown format {format!r}; known: {', '.join(writers)}")
    with _whole_file(path) as unfinished:
        count, cut_cells = writers[format](_cells(rows, columns), columns, unfinished)
        size, sha256 = unfinished.stat().st_size, _sha256(unfinished)
    return Written(count, size, sha256, cut_cells)


@contextmanager
def _whole_file(path: Path) -> Iterator[Path]:
    """A temporary neighbour that takes the name of ``path`` once everything in it is on the disk."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        _to_disk(unfinished, os.O_RDWR)
        unfinished.chmod(0o644)
        unfinished.replace(path)
        _to_disk(path.parent, os.O_RDONLY)
    finally:
        unfinished.unlink(missing_ok=True)


def _to_disk(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cells(rows: Iterable[Row], columns: Sequence[Column]) -> Iterator[list[Value]]:
    for number, row in enumerate(rows, start=1):
        missing = [column.name for column in columns if column.name not in row]
        if missing:
            raise ExportError(f"row {number} has no {', '.join(missing)}")
        yield [_plain(row[column.name], column) for column in columns]


def _plain(value: Value, column: Column) -> Value:
    """Value as a plain Python object of the column's kind; None for nothing and for what isn't a finite number."""
    if value is None:
        return None
    try:
        return _PLAIN[column.kind](value)
    except (TypeError, ValueError) as error:
        raise ExportError(
            f"column {column.name} of kind {column.kind} can't hold {value!r}: {error}"
        ) from error


def _well_formed(text: object) -> str:
    """Text with half characters, which no encoding can write, as question marks."""
    return str(text).encode("utf-8", "replace").decode()


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _in_utc(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise ValueError("a time needs its time zone")
    return at.astimezone(UTC)


_PLAIN: dict[CellKind, Callable[[Any], Value]] = {
    "text": _well_formed,
    "integer": int,
    "number": _finite,
    "boolean": bool,
    "time": _in_utc,
}


def _written_out(value: Value) -> Value:
    """Text form of booleans and times, for formats that have no type for them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


def _for_spreadsheet(value: Value) -> Value:
    return neutralised(value) if isinstance(value, str) else _written_out(value)


def _write_csv(
    cells: Iterator[list[Value]], columns: Sequence[Column], path: Path, encoding: str
) -> tuple[int, int]:
    count = 0
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file)
        writer.writerow([neutralised(column.name) for column in columns])
        for row in cells:
            writer.writerow([_for_spreadsheet(value) for value in row])
            count += 1
    return count, 0


def _write_jsonl(cells: Iterator[list[Value]], columns: Sequence[Column], path: Path) -> tuple[int, int]:
    names = [column.name for column in columns]
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in cells:
            values = (_written_out(value) if isinstance(value, datetime) else value for value in row)
            record = dict(zip(names, values, strict=True))
            file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
            count += 1
    return count, 0


def _write_parquet(cells: Iterator[list[Value]], columns: Sequence[Column], path: Path) -> tuple[int, int]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    schema = pa.schema([(column.name, kinds[column.kind]) for column in columns])
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := list(islice(cells, _BATCH)):
            arrays = [
                pa.array(values, type=field.type)
                for values, field in zip(zip(*batch, strict=True), schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            count += len(batch)
    return count, 0


def _write_xlsx(cells: Iterator[list[Value]], columns: Sequence[Column], path: Path) -> tuple[int, int]:
    import xlsxwriter

    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
        "tmpdir": str(path.parent),
    }
    count = cut_cells = 0
    with xlsxwriter.Workbook(path, options) as book:
        book.set_properties({"created": _NO_DATE})
        sheet = book.add_worksheet("table")
        sheet.freeze_panes(1, 0)
        sheet.write_row(0, 0, [neutralised(column.name) for column in columns])
        for count, row in enumerate(cells, start=1):
            if count >= MOST_SHEET_ROWS:
                raise ExportError(
                    f"a worksheet holds {MOST_SHEET_ROWS:,} rows; write csv, jsonl or parquet instead"
                )
            for place, value in enumerate(row):
                cut_cells += _write_cell(sheet, count, place, value)
    return count, cut_cells


def _write_cell(sheet: "Worksheet", row: int, column: int, value: Value) -> bool:
    """Write one cell of a worksheet and tell whether its text had to be cut."""
    if value is None:
        return False
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
        return False
    if isinstance(value, int | float):
        sheet.write_number(row, column, value)
        return False
    text = str(_for_spreadsheet(value))
    is_cut = len(text) > MOST_CELL_CHARACTERS
    if is_cut:
        text = text[: MOST_CELL_CHARACTERS - len(CUT_MARK)] + CUT_MARK
    sheet.write_string(row, column, text)
    return is_cut
