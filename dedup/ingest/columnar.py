"""Parquet files, row by row."""

import datetime as dt
import math
from collections.abc import Iterator
from typing import Any, BinaryIO

from dedup.ingest.delimited import column_keys
from dedup.ingest.documents import as_fields
from dedup.ingest.records import DamagedFileError, Description, IngestError, Problem, ReadOptions, Record

_ROWS_AT_A_TIME = 1_000


class ParquetReader:
    """Reads a Parquet file in batches of 1,000 rows; null is the empty text, numbers and times are written out in full."""

    def __init__(self, file: str, stream: BinaryIO, options: ReadOptions) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.file = file
        self._options = options
        try:
            self._table = parquet.ParquetFile(stream, memory_map=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise IngestError(
                f"{file} can't be read: the Parquet file is damaged ({_first_line(error)})."
            ) from error
        self._columns = tuple(str(name) for name in self._table.schema_arrow.names)
        self._keys = column_keys(self._columns)

    def describe(self) -> Description:
        """The columns of its schema."""
        return Description(file=self.file, format="parquet", columns=self._columns)

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the rows; ``line`` counts them from 1. Raises ``DamagedFileError``."""
        import pyarrow as pa

        row, size = 0, 0
        try:
            for batch in self._table.iter_batches(batch_size=_ROWS_AT_A_TIME):
                size += batch.nbytes
                if size > self._options.expanded_limit:
                    raise DamagedFileError(
                        f"{self.file} expands to more than the limit; the rest was not read."
                    )
                columns = [column.to_pylist() for column in batch.columns]
                for values in zip(*columns, strict=True):
                    row += 1
                    yield self._record(row, values)
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            if isinstance(error, IngestError):
                raise
            raise DamagedFileError(
                f"{self.file} is damaged behind row {row}: {_first_line(error)}."
            ) from error

    def _record(self, row: int, values: tuple[Any, ...]) -> Record | Problem:
        try:
            fields = as_fields({key: cell_text(value) for key, value in zip(self._keys, values, strict=True)})
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            reason = f"the byte 0x{byte:02X} is not valid utf-8"
            return Problem(file=self.file, line=row, field="", reason=reason, is_rejection=True)
        return Record(row, fields)


def cell_text(value: object) -> object:
    """Write out a cell that is no text; lists and structures stay, for ``as_fields``.

    Null and a float that is not a number are the empty text.

    >>> cell_text(7.5), cell_text(dt.date(2024, 3, 1)), cell_text(None)
    ('7.5', '2024-03-01', '')
    """
    if value.__class__ is str:
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, dict):
        return {str(name): cell_text(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [cell_text(inner) for inner in value]
    return str(value)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(".")
