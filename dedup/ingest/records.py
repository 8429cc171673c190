"""What passes between the readers of files and the builder of pages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

FormatName = Literal["auto", "jsonl", "json", "csv", "tsv", "parquet", "xlsx", "html", "warc", "text"]
ExtractorName = Literal["trafilatura", "resiliparse"]
DateOrder = Literal["dmy", "mdy", "ymd"]

RECORD_LIMIT = 16 * 2**20
"""Longest record that is read, in characters (bytes for a page in a file of its own)."""

UNSTORABLE = re.compile("[\\x00\\ud800-\\udfff]")
"""NUL, and halves of characters: what neither a database nor a page takes."""


def printable(text: str) -> str:
    """The text with U+FFFD in place of NUL and of halves of characters."""
    return UNSTORABLE.sub("\ufffd", text)


class IngestError(ValueError):
    """A file that can't be read at all; the message is one sentence for people, on one line, and names the file."""

    def __init__(self, sentence: str) -> None:
        super().__init__(" ".join(sentence.split()))


class DamagedFileError(IngestError):
    """A file that ends early, is damaged, or expands beyond a limit; what was read before it stays good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How files are read.

    ``mapping`` names the column for a field (``{"text": "body", "identifier:asin": "ASIN"}``). A column is given by name, by
    position (``#2`` is the second), or as a constant (``=EUR``). ``expanded_limit`` is the largest size in bytes to which one
    compressed file may expand, ``ratio_limit`` how many times its own size it may reach once more than 64 MiB came out of it.
    """

    format: FormatName = "auto"
    mapping: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    delimiter: str | None = None
    extractor: ExtractorName = "trafilatura"
    date_order: DateOrder | None = None
    expanded_limit: int = 64 * 2**30
    ratio_limit: int = 200


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it stands in the file: every value is text, an absent or null value is the empty text.

    ``line`` is the physical line on which it starts, or its number in a format that has no lines.
    """

    line: int
    fields: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something to report about a file or a record.

    A rejection was left out. A repeat says the same as an earlier record with its id and counts as unchanged. Anything else is a remark:
    the record was kept. ``position`` is that of the record in the whole ingest; a remark comes before its page. All texts are
    printable, so that a report can be stored and shown whatever the file held.
    """

    file: str
    line: int | None
    field: str
    reason: str
    example: str = ""
    is_rejection: bool = False
    is_repeat: bool = False
    position: int = 0

    def __post_init__(self) -> None:
        for name in ("file", "field", "reason", "example"):
            object.__setattr__(self, name, printable(getattr(self, name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What was found out about a file before it is read.

    ``columns`` keep the file's order. ``guesses`` name what nobody chose: ``encoding`` and ``delimiter``. ``files``
    counts the files of a folder or archive. Names of columns are printable. ``odd_line`` and ``odd_byte`` tell where
    the first byte stands that made a guess of the encoding necessary.
    """

    file: str
    format: str
    encoding: str = ""
    delimiter: str = ""
    columns: tuple[str, ...] = ()
    guesses: Mapping[str, str] = field(default_factory=dict)
    files: int = 1
    odd_line: int | None = None
    odd_byte: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(map(printable, self.columns)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A document, ready to be stored.

    ``price`` is in minor units of ``currency``. ``first_seen`` knows its offset and stands in UTC. ``canonical_url`` is the
    address that the page declares, if it can be used; one that can't stands in ``flags``. ``position`` counts the
    records read so far, this one included.
    """

    id: str
    text: str
    url: str = ""
    canonical_url: str = ""
    title: str = ""
    source: str = ""
    first_seen: datetime | None = None
    price: int | None = None
    currency: str = ""
    identifiers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    position: int = 0


class RecordReader(Protocol):
    """Reads the records of one open file."""

    file: str

    def describe(self) -> Description:
        """Say what was found out; reads a little, and loses nothing."""

    def __iter__(self) -> Iterator[Record | Problem]:
        """Read record by record; whatever stands in the way of one record is a ``Problem``."""


class Part(RecordReader, Protocol):
    """A file that can be read once more from its beginning."""

    def again(self) -> "Part":
        """The same file, opened anew."""

    def close(self) -> None:
        """Close it."""


class Reader(RecordReader, Protocol):
    """A file that is open for reading (``is_single``), or a folder or archive of such files."""

    is_single: bool
    names: tuple[str, ...]

    def parts(self, names: Sequence[str] | None = None) -> Iterator[Part | Problem]:
        """The single files, all or those named, opened one after the other; a single file is its own only part."""

    def close(self) -> None:
        """Close it."""

    def __enter__(self) -> "Reader":
        """Use it until the block ends."""

    def __exit__(self, *raised: object) -> None:
        """Close it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The first rows of a file with what would become of them; ``error`` says why a mapping doesn't fit.

    The guesses of its description also name each field that got its column by name. ``has_html`` tells that main texts
    are taken out of pages, so that samples of them are worth a look.
    """

    description: Description
    rows: tuple[dict[str, str], ...]
    has_html: bool = False
    pages: tuple[Page, ...] = ()
    problems: tuple[Problem, ...] = ()
    error: str = ""
