"""XLSX workbooks, row by row."""

import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from dedup.ingest.columnar import cell_text
from dedup.ingest.delimited import column_keys
from dedup.ingest.records import DamagedFileError, Description, IngestError, Problem, ReadOptions, Record

if TYPE_CHECKING:
    from openpyxl.cell import _CellOrMergedCell
    from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell

_LARGEST_PARTS = 2 * 2**30
_UNREADABLE = (
    zipfile.BadZipFile,
    KeyError,
    ValueError,
    OSError,
    TypeError,
    AttributeError,
    SyntaxError,
    IndexError,
    EOFError,
)


class SpreadsheetReader:
    """Reads the first sheet of a workbook that has rows; its first row that isn't empty names the columns.

    A number that is formatted with leading zeros keeps them; dates are written as ISO 8601.
    """

    def __init__(self, file: str, stream: BinaryIO, options: ReadOptions) -> None:
        self.file = file
        self._check_size(stream, options)
        stream.seek(0)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import openpyxl

                self._book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            self._rows = enumerate(self._book.worksheets[0].iter_rows(), start=1)
            self._columns = self._header()
        except IngestError:
            raise
        except _UNREADABLE as error:
            raise IngestError(
                f"{file} can't be read: the workbook is damaged ({type(error).__name__})."
            ) from error
        self._keys = column_keys(self._columns)

    def describe(self) -> Description:
        """The columns of the first sheet."""
        return Description(file=self.file, format="xlsx", columns=tuple(self._columns))

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the rows; ``line`` is the row's number in the sheet. Raises ``DamagedFileError``."""
        others = [str(sheet.title) for sheet in self._book.worksheets[1:]]
        if others:
            reason = f"only the sheet “{self._book.worksheets[0].title}” was read, not {', '.join(f'“{name}”' for name in others[:5])}"
            yield Problem(file=self.file, line=None, field="", reason=reason[:300])
        number = 0
        try:
            for number, cells in self._rows:
                values = [_value(cell) for cell in cells]
                if any(values):
                    yield self._record(number, values)
        except _UNREADABLE as error:
            raise DamagedFileError(
                f"{self.file} is damaged behind row {number} ({type(error).__name__})."
            ) from error

    def _record(self, number: int, values: Sequence[str]) -> Record | Problem:
        width = len(self._keys)
        if any(values[width:]):
            reason = f"the row has {len(values)} columns where the first row names {width}"
            return Problem(file=self.file, line=number, field="", reason=reason, is_rejection=True)
        padded = [*values[:width], *[""] * (width - len(values))]
        return Record(number, dict(zip(self._keys, padded, strict=True)))

    def _header(self) -> list[str]:
        for _, cells in self._rows:
            names = [_value(cell).strip() for cell in cells]
            while names and not names[-1]:
                names.pop()
            if names:
                return names
        raise IngestError(f"{self.file} has no row of column names: the first sheet is empty.")

    def _check_size(self, stream: BinaryIO, options: ReadOptions) -> None:
        try:
            with zipfile.ZipFile(stream) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
                packed = sum(entry.compress_size for entry in archive.infolist())
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise IngestError(
                f"{self.file} can't be read: the workbook is damaged ({type(error).__name__})."
            ) from error
        limit = min(options.expanded_limit, _LARGEST_PARTS)
        if size > limit or size > max(64 * 2**20, packed * options.ratio_limit):
            raise IngestError(
                f"{self.file} can't be read: unpacked it is larger than the limit ({size / 2**20:,.0f} MiB)."
            )


def _value(cell: "_CellOrMergedCell | ReadOnlyCell | EmptyCell") -> str:
    value = cell.value
    if isinstance(value, int) and not isinstance(value, bool):
        pattern = str(cell.number_format or "")
        return str(value).zfill(len(pattern)) if pattern and not pattern.strip("0") else str(value)
    return str(cell_text(value))
