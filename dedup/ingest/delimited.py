"""Tables as text: CSV, TSV and their relatives, row by row."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence

from dedup.ingest.encodings import Encoding, undecodable_byte
from dedup.ingest.lines import TOO_LONG, Lines
from dedup.ingest.records import RECORD_LIMIT, Description, IngestError, Problem, Record

DELIMITERS = (",", ";", "\t", "|")
_NAMES = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|"}
_ROW_TOO_LONG = f"the row is longer than {RECORD_LIMIT:,} characters"


def delimiter_from(name: str, *, file: str) -> str:
    """The delimiter that a person named, as the character or as a word. Raises ``IngestError`` if it isn't one character."""
    delimiter = _NAMES.get(name, name)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise IngestError(
            f"{file}: “{name}” is no delimiter; use one character, or comma, semicolon, tab or pipe."
        )
    return delimiter


def find_delimiter(sample: str) -> str:
    r"""Find the character that cuts most of the sample's rows into as many fields as the first row has, and at least two.

    Among equals the one that gives more fields. A sample with a single column gives the comma.

    >>> find_delimiter("id;text\n1;Breite 1,5 m, Höhe 2,0 m\n2;kurz\n")
    ';'
    """
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        score = _consistency(sample, delimiter)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def column_keys(columns: Sequence[str]) -> list[str]:
    """Keys for the fields of a record: the column's name, or ``#`` and its position if the name is empty or not unique."""
    counts = Counter(columns)
    return [
        name if name and counts[name] == 1 else f"#{position}"
        for position, name in enumerate(columns, start=1)
    ]


class DelimitedReader:
    """Reads a delimited table whose first row names the columns. Numbers are those of physical lines."""

    def __init__(
        self, file: str, lines: Lines, encoding: Encoding, delimiter: str, *, is_chosen: bool
    ) -> None:
        self.file = file
        self._lines = lines
        self._encoding = encoding
        self._delimiter = delimiter
        self._is_chosen = is_chosen
        csv.field_size_limit(RECORD_LIMIT)
        self._columns = self._header()
        self._keys = column_keys(self._columns)

    def describe(self) -> Description:
        """Columns, encoding and delimiter."""
        guesses = {} if self._is_chosen else {"delimiter": self._delimiter}
        if self._encoding.is_guess:
            guesses["encoding"] = self._encoding.name
        return Description(
            file=self.file,
            format="tsv" if self._delimiter == "\t" else "csv",
            encoding=self._encoding.name,
            delimiter=self._delimiter,
            columns=tuple(self._columns),
            guesses=guesses,
            odd_line=self._encoding.odd_line,
            odd_byte=self._encoding.odd_byte,
        )

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the rows; a row that can't be read is a rejection and the rows after it go on."""
        rows = self._reader()
        while True:
            line = self._lines.start_record()
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield self._broken(line, str(error))
                rows = self._reader()
                continue
            if row:
                yield self._record(line, row)

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(self._lines, delimiter=self._delimiter, strict=True)

    def _header(self) -> list[str]:
        rows = self._reader()
        try:
            for row in rows:
                if any(row):
                    return [name.strip() for name in row]
        except csv.Error as error:
            raise IngestError(f"{self.file}: the row of column names can't be read: {error}.") from error
        raise IngestError(f"{self.file} has no row of column names: every line is blank.")

    def _broken(self, line: int, error: str) -> Problem:
        first = self._lines.taken[0] if self._lines.taken else ""
        self._lines.hand_back(len(self._lines.taken) - 1)
        if "unexpected end of data" in error:
            reason = "a quoted field that begins on this line is never closed"
        elif "field larger" in error:
            reason = f"a field is longer than {RECORD_LIMIT:,} characters; is a quote never closed?"
        else:
            reason = f"the quotes are not in order ({error})"
        return self._rejection(line, reason, first)

    def _record(self, line: int, row: list[str]) -> Record | Problem:
        if len(row) > len(self._keys) and not any(row[len(self._keys) :]):
            row = row[: len(self._keys)]
        for value in row:
            byte = undecodable_byte(value)
            if byte is not None:
                reason = f"the byte 0x{byte:02X} is not valid {self._encoding.name}; is the file in another encoding?"
                return self._rejection(line, reason, value)
        if TOO_LONG in self._lines.taken:
            return self._rejection(line, _ROW_TOO_LONG, row[0])
        if len(row) != len(self._keys):
            reason = f"the row has {_columns(len(row))} where the first row names {len(self._keys)}"
            return self._rejection(line, reason, self._delimiter.join(row))
        return Record(line, dict(zip(self._keys, row, strict=True)))

    def _rejection(self, line: int, reason: str, example: str) -> Problem:
        return Problem(
            file=self.file, line=line, field="", reason=reason, example=example[:300], is_rejection=True
        )


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _consistency(sample: str, delimiter: str) -> tuple[float, int]:
    rows = csv.reader(sample.splitlines(keepends=True)[:200], delimiter=delimiter)
    try:
        widths = [len(row) for row in rows if row]
    except csv.Error:
        return (0.0, 0)
    if not widths or widths[0] < 2:
        return (0.0, 0)
    share = sum(width == widths[0] for width in widths) / len(widths)
    return (round(share, 2), widths[0])
