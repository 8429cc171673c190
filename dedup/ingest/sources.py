"""Files that can be opened as often as needed, on disk or in an archive, each with the reader that its content asks for."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO, Protocol, cast

from dedup.ingest.columnar import ParquetReader
from dedup.ingest.delimited import DelimitedReader, delimiter_from, find_delimiter
from dedup.ingest.documents import JsonLinesReader, JsonReader
from dedup.ingest.encodings import Encoding, decode_marking, find_encoding, find_json_encoding, known_codec
from dedup.ingest.lines import Lines
from dedup.ingest.markup import HtmlReader, TextReader
from dedup.ingest.recognition import recognise
from dedup.ingest.records import Description, IngestError, Part, Problem, ReadOptions, Record, RecordReader
from dedup.ingest.spreadsheets import SpreadsheetReader
from dedup.ingest.streams import Buffered, ExpandingStream, compression_of, expanded, open_file
from dedup.ingest.web_archive import WarcReader

_SAMPLE_BYTES = 2**20
_LARGEST_IN_MEMORY = 256 * 2**20
COMPRESSED_SUFFIXES = frozenset({".gz", ".bz2", ".xz", ".zst"})
_OWN_READERS = frozenset({"parquet", "warc", "xlsx"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A stream of expanded bytes, with the names that go with it."""

    file: str
    page_id: str
    suffix: str
    stream: Buffered
    options: ReadOptions


class Source(Protocol):
    """A file that can be opened again and again."""

    file: str

    def open(self, options: ReadOptions, opened: ExitStack) -> RecordReader:
        """Open it; what must be closed goes on the stack. Raises ``IngestError``."""


@dataclass(slots=True)
class FileSource:
    """A file on disk."""

    path: Path
    file: str
    page_id: str

    def open(self, options: ReadOptions, opened: ExitStack) -> RecordReader:
        """Open it, expanded if it is compressed. Raises ``IngestError``."""
        stream = raw = open_file(self.path, file=self.file)
        opened.callback(raw.close)
        compression = compression_of(raw.peek(8)[:8])
        if compression:
            size = self.path.stat().st_size
            stream = expanded(
                cast("BinaryIO", raw), compression, file=self.file, packed_size=size, options=options
            )
            opened.callback(stream.close)
        suffix = suffix_of(self.path)
        return open_stream(
            Opened(file=self.file, page_id=self.page_id, suffix=suffix, stream=stream, options=options)
        )


@dataclass(slots=True)
class MemberSource:
    """A file in a ZIP archive; its name is a label and never a path."""

    archive: zipfile.ZipFile
    entry: zipfile.ZipInfo
    file: str
    page_id: str

    def open(self, options: ReadOptions, opened: ExitStack) -> RecordReader:
        """Open it. Raises ``IngestError``, also for an archive in the archive and for encrypted files."""
        if self.entry.flag_bits & 0x1:
            raise IngestError(f"{self.file} can't be read: it is encrypted.")
        try:
            source = self.archive.open(self.entry)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError) as error:
            raise IngestError(f"{self.file} can't be read: {error}.") from error
        raw = cast("io.BufferedReader", source)
        watched = ExpandingStream(raw, file=self.file, packed_size=self.entry.compress_size, options=options)
        stream: Buffered = io.BufferedReader(watched, _SAMPLE_BYTES)
        opened.callback(stream.close)
        if compression_of(stream.peek(8)[:8]):
            raise IngestError(
                f"{self.file} can't be read: it is compressed once more inside the archive; unpack it first."
            )
        suffix = suffix_of(PurePath(self.entry.filename))
        return open_stream(
            Opened(file=self.file, page_id=self.page_id, suffix=suffix, stream=stream, options=options)
        )


class SingleFile:
    """A file that is open, and can be opened again. A context manager that closes it."""

    is_single = True

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.file = source.file
        self.names: tuple[str, ...] = (source.file,)
        self._source = source
        self._options = options
        with ExitStack() as opened:
            self._reader = source.open(options, opened)
            self._opened = opened.pop_all()

    def __enter__(self) -> "SingleFile":
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def describe(self) -> Description:
        """What its reader found out."""
        return self._reader.describe()

    def again(self) -> "SingleFile":
        """The same file, opened anew."""
        return SingleFile(self._source, self._options)

    def parts(self, names: Sequence[str] | None = None) -> Iterator[Part | Problem]:  # noqa: ARG002
        """Itself."""
        yield self

    def __iter__(self) -> Iterator[Record | Problem]:
        """All records."""
        return iter(self._reader)

    def close(self) -> None:
        """Close it; closing twice does no harm."""
        self._opened.close()


def suffix_of(path: PurePath) -> str:
    """The ending of a file's name in lower case, without that of its compression.

    >>> suffix_of(PurePath("crawl.WARC.gz"))
    '.warc'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def open_stream(opened: Opened) -> RecordReader:
    """Choose the reader for a stream. Raises ``IngestError``."""
    sample = opened.stream.peek(_SAMPLE_BYTES)[:_SAMPLE_BYTES]
    found = recognise(sample, file=opened.file, suffix=opened.suffix)
    chosen = opened.options.format
    if found == "zip":
        found = "xlsx" if _is_workbook(sample, opened) else _refuse_nested(opened)
    if chosen in _OWN_READERS and chosen != found:
        raise IngestError(f"{opened.file} can't be read as {chosen}: its content is {found}.")
    kind = found if chosen == "auto" or found in _OWN_READERS else chosen
    if kind == "parquet":
        return ParquetReader(opened.file, _seekable(opened), opened.options)
    if kind == "xlsx":
        return SpreadsheetReader(opened.file, _seekable(opened), opened.options)
    if kind == "warc":
        return WarcReader(opened.file, cast("BinaryIO", opened.stream))
    return _open_text(opened, kind, sample)


def _open_text(opened: Opened, kind: str, sample: bytes) -> RecordReader:
    binary = cast("BinaryIO", opened.stream)
    if kind == "html":
        return HtmlReader(opened.file, binary, page_id=opened.page_id)
    encoding = _encoding(sample, opened, is_json=kind in {"json", "jsonl"})
    if kind == "text":
        return TextReader(opened.file, binary, page_id=opened.page_id, encoding=encoding)
    lines = Lines(binary, encoding.name)
    if kind == "jsonl":
        return JsonLinesReader(opened.file, lines, encoding)
    if kind == "json":
        return JsonReader(opened.file, lines, encoding)
    return _delimited(opened, sample, lines, encoding)


def _encoding(sample: bytes, opened: Opened, *, is_json: bool) -> Encoding:
    if opened.options.encoding:
        return Encoding(known_codec(opened.options.encoding, file=opened.file))
    return find_json_encoding(sample) if is_json else find_encoding(sample)


def _delimited(opened: Opened, sample: bytes, lines: Lines, encoding: Encoding) -> RecordReader:
    chosen = opened.options.delimiter
    if chosen:
        delimiter = delimiter_from(chosen, file=opened.file)
    elif opened.options.format == "tsv":
        delimiter = "\t"
    else:
        delimiter = find_delimiter(decode_marking(sample[:65_536], encoding.name))
    return DelimitedReader(opened.file, lines, encoding, delimiter, is_chosen=bool(chosen))


def _seekable(opened: Opened) -> BinaryIO:
    if opened.stream.seekable():
        opened.stream.seek(0)
        return cast("BinaryIO", opened.stream)
    data = opened.stream.read(_LARGEST_IN_MEMORY + 1)
    if len(data) > _LARGEST_IN_MEMORY:
        raise IngestError(
            f"{opened.file} can't be read inside a compressed file, it is too large for that; unpack it first."
        )
    return io.BytesIO(data)


def _is_workbook(sample: bytes, opened: Opened) -> bool:
    return b"[Content_Types].xml" in sample[:4096] or opened.suffix == ".xlsx"


def _refuse_nested(opened: Opened) -> str:
    raise IngestError(
        f"{opened.file} can't be read: it is an archive inside a compressed file or an archive; unpack it first."
    )
