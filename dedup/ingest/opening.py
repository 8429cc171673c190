"""Open what a path names: a file, a compressed file, a folder, an archive."""

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO, cast

from dedup.ingest.delimited import DelimitedReader, delimiter_from, find_delimiter
from dedup.ingest.documents import JsonLinesReader, JsonReader
from dedup.ingest.encodings import Encoding, decode_marking, find_encoding, known_codec
from dedup.ingest.lines import Lines
from dedup.ingest.markup import HtmlReader, TextReader
from dedup.ingest.recognition import recognise
from dedup.ingest.records import Description, IngestError, Part, Problem, Reader, ReadOptions, Record, RecordReader
from dedup.ingest.streams import compression_of, expanded, open_file
from dedup.ingest.web_archive import WarcReader

_SAMPLE_BYTES = 2**20
_COMPRESSED_SUFFIXES = {".gz", ".bz2", ".xz", ".zst"}


def open_corpus(path: Path, options: ReadOptions) -> Reader:
    """Open a file, folder or archive with the reader that its content asks for.

    Raises ``IngestError``, one sentence that names the file, if it is missing, empty, binary, or of a kind that isn't read.
    """
    if path.is_dir():
        return FolderReader(path, options)
    if not path.exists():
        raise IngestError(f"{path.name or path} doesn't exist.")
    if not path.is_file():
        raise IngestError(f"{path.name} is no regular file.")
    return SingleFile(FileSource(path, file=path.name, page_id=_stem(PurePath(path.name))), options)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    file: str
    page_id: str
    suffix: str
    stream: io.BufferedReader
    options: ReadOptions


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file on disk that can be opened as often as needed."""

    path: Path
    file: str
    page_id: str

    def open(self, options: ReadOptions) -> RecordReader:
        """Open it. Raises ``IngestError``."""
        raw = open_file(self.path, file=self.file)
        compression = compression_of(raw.peek(8)[:8])
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        stream = raw
        if compression:
            size = self.path.stat().st_size
            stream = expanded(cast("BinaryIO", raw), compression, file=self.file, packed_size=size, options=options)
            if suffixes and suffixes[-1] in _COMPRESSED_SUFFIXES:
                suffixes.pop()
        suffix = suffixes[-1] if suffixes else ""
        return open_stream(_Opened(file=self.file, page_id=self.page_id, suffix=suffix, stream=stream, options=options))


def open_stream(opened: _Opened) -> RecordReader:
    """Choose the reader for a stream of expanded bytes."""
    sample = opened.stream.peek(_SAMPLE_BYTES)[:_SAMPLE_BYTES]
    found = recognise(sample, file=opened.file, suffix=opened.suffix)
    chosen = opened.options.format
    kind = found if chosen == "auto" or found in {"zip", "parquet", "warc"} else chosen
    binary = cast("BinaryIO", opened.stream)
    if kind == "warc":
        return WarcReader(opened.file, binary)
    if kind == "html":
        return HtmlReader(opened.file, binary, page_id=opened.page_id)
    encoding = _encoding(sample, opened)
    if kind == "text":
        return TextReader(opened.file, binary, page_id=opened.page_id, encoding=encoding.name, is_guess=encoding.is_guess)
    lines = Lines(binary, encoding.name)
    if kind == "jsonl":
        return JsonLinesReader(opened.file, lines, encoding)
    if kind == "json":
        return JsonReader(opened.file, lines, encoding)
    if kind in {"csv", "tsv"}:
        return _delimited(opened, sample, lines, encoding)
    raise IngestError(f"{opened.file} can't be read as {kind}.")


def _encoding(sample: bytes, opened: _Opened) -> Encoding:
    if opened.options.encoding:
        return Encoding(known_codec(opened.options.encoding, file=opened.file))
    return find_encoding(sample)


def _delimited(opened: _Opened, sample: bytes, lines: Lines, encoding: Encoding) -> RecordReader:
    chosen = opened.options.delimiter
    if chosen:
        delimiter = delimiter_from(chosen, file=opened.file)
    elif opened.options.format == "tsv":
        delimiter = "\t"
    else:
        delimiter = find_delimiter(decode_marking(sample[:65_536], encoding.name))
    return DelimitedReader(opened.file, lines, encoding, delimiter, is_chosen=bool(chosen))


class SingleFile:
    """A file that is open, and can be opened again."""

    def __init__(self, source: FileSource, options: ReadOptions) -> None:
        self.file = source.file
        self._source = source
        self._options = options
        self._reader = source.open(options)

    def describe(self) -> Description:
        """What its reader found out."""
        return self._reader.describe()

    def again(self) -> "SingleFile":
        """The same file, opened anew."""
        return SingleFile(self._source, self._options)

    def parts(self) -> Iterator[Part | Problem]:
        """Itself."""
        yield self

    def __iter__(self) -> Iterator[Record | Problem]:
        """All records."""
        return iter(self._reader)


class FolderReader:
    """Reads the files of a folder and its subfolders in the order of their names, whatever each of them is."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.file = path.name or str(path)
        self._path = path
        self._options = options
        self._names = sorted(
            found.relative_to(path).as_posix()
            for found in path.rglob("*")
            if found.is_file() and not any(part.startswith(".") for part in found.relative_to(path).parts)
        )
        if not self._names:
            raise IngestError(f"The folder {self.file} has no files.")

    def describe(self) -> Description:
        """What the first readable file says, with the number of files."""
        for part in self.parts():
            if not isinstance(part, Problem):
                found = part.describe()
                return Description(
                    file=self.file,
                    format=found.format,
                    encoding=found.encoding,
                    delimiter=found.delimiter,
                    columns=found.columns,
                    guesses=found.guesses,
                    files=len(self._names),
                )
        return Description(file=self.file, format="folder", files=len(self._names))

    def parts(self) -> Iterator[Part | Problem]:
        """Open one file after the other; a file that can't be opened is a rejection."""
        stems = Counter(_stem(PurePath(name)) for name in self._names)
        for name in self._names:
            stem = _stem(PurePath(name))
            source = FileSource(self._path / name, file=name, page_id=stem if stems[stem] == 1 else name)
            try:
                yield SingleFile(source, self._options)
            except IngestError as error:
                yield Problem(file=name, line=None, field="", reason=str(error), is_rejection=True)

    def __iter__(self) -> Iterator[Record | Problem]:
        """All records of all files."""
        for part in self.parts():
            if isinstance(part, Problem):
                yield part
            else:
                yield from part


def _stem(path: PurePath) -> str:
    pure = path
    if pure.suffix.lower() in _COMPRESSED_SUFFIXES:
        pure = pure.with_suffix("")
    return pure.with_suffix("").as_posix()
