"""Open what a path names: a file, a compressed file, a folder, an archive."""

import os
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PurePosixPath

from dedup.ingest.records import Description, IngestError, Part, Problem, Reader, ReadOptions, Record
from dedup.ingest.sources import COMPRESSED_SUFFIXES, FileSource, MemberSource, SingleFile, Source

MOST_ENTRIES = 200_000
_WORKBOOK = "xl/workbook.xml"
_OTHER_DOCUMENTS = {
    "word/document.xml": "a Word document",
    "ppt/presentation.xml": "a presentation",
    "content.xml": "an OpenDocument file",
}


def open_corpus(path: Path, options: ReadOptions) -> Reader:
    """Open a file, folder or archive with the reader that its content asks for; use it in a ``with`` block.

    Raises ``IngestError``, one sentence that names the file, if it is missing, empty, binary, or of a kind that isn't read.
    """
    name = path.name or str(path)
    if path.is_dir():
        return FolderReader(path, options)
    if not path.exists():
        raise IngestError(f"{name} doesn't exist.")
    if not path.is_file():
        raise IngestError(f"{name} is no regular file.")
    archive = _archive(path)
    if archive is not None:
        return ZipReader(name, archive, options)
    return SingleFile(FileSource(path, file=name, page_id=stem_of(name)), options)


def stem_of(name: str) -> str:
    """A file's name without its ending and that of its compression.

    >>> stem_of("news/p1.html"), stem_of("p1.html.gz")
    ('news/p1', 'p1')
    """
    pure = PurePosixPath(name)
    if pure.suffix.lower() in COMPRESSED_SUFFIXES and pure.stem:
        pure = pure.with_suffix("")
    return pure.with_suffix("").as_posix() if pure.name else name


class _ManyFiles:
    """What folders and archives share: a list of sources, read one after the other."""

    is_single = False

    def __init__(self, file: str, options: ReadOptions, names: list[str]) -> None:
        self.file = file
        self._options = options
        self.names = tuple(names)

    def __enter__(self) -> "_ManyFiles":
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it."""

    def describe(self) -> Description:
        """What the first readable file says, with the number of files."""
        for part in self.parts():
            if not isinstance(part, Problem):
                return replace(part.describe(), file=self.file, files=len(self.names))
        return Description(file=self.file, format="folder", files=len(self.names))

    def parts(self, names: Sequence[str] | None = None) -> Iterator[Part | Problem]:
        """Open one file after the other, all or those named; a file that can't be opened is a rejection."""
        ids = page_ids(self.names)
        for name in self.names if names is None else names:
            try:
                part = SingleFile(self._source(name, ids[name]), self._options)
            except IngestError as error:
                yield Problem(file=name, line=None, field="", reason=str(error), is_rejection=True)
                continue
            with part:
                yield part

    def __iter__(self) -> Iterator[Record | Problem]:
        """All records of all files."""
        for part in self.parts():
            if isinstance(part, Problem):
                yield part
            else:
                yield from part

    def _source(self, name: str, page_id: str) -> Source:
        raise NotImplementedError


def _visible_files(folder: Path) -> Iterator[Path]:
    """The files of a folder and its subfolders; hidden subfolders, such as caches, are not even walked through."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not _is_hidden(PurePath(name))]
        files = (Path(place, name) for name in names if not _is_hidden(PurePath(name)))
        yield from (file for file in files if file.is_file())


class FolderReader(_ManyFiles):
    """Reads the files of a folder and its subfolders in the order of their names, whatever each of them is; hidden files are left out."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        names = sorted(file.relative_to(path).as_posix() for file in _visible_files(path))
        super().__init__(path.name or str(path), options, names)
        self._path = path
        if not names:
            raise IngestError(f"The folder {self.file} has no files.")

    def _source(self, name: str, page_id: str) -> Source:
        return FileSource(self._path / name, file=name, page_id=page_id)


class ZipReader(_ManyFiles):
    """Reads the files of a ZIP archive in the order of their names; nothing is ever written to disk.

    Raises ``IngestError`` for more than 200,000 entries and for more expanded bytes than the limits allow.
    """

    def __init__(self, file: str, archive: zipfile.ZipFile, options: ReadOptions) -> None:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        self._refused = [entry.filename for entry in entries if _leads_out(entry.filename)]
        kept = {
            entry.filename: entry
            for entry in entries
            if not _leads_out(entry.filename) and not _is_hidden(PurePath(entry.filename))
        }
        _check_entries(file, entries, options)
        super().__init__(file, options, sorted(kept))
        self._archive = archive
        self._entries = kept
        if not entries:
            raise IngestError(f"{file} is an empty archive.")

    def parts(self, names: Sequence[str] | None = None) -> Iterator[Part | Problem]:
        """Open one file after the other; names that lead out of the archive are rejected."""
        for name in self._refused if names is None else ():
            reason = f"{name[:200]} is not read: its name leads out of the archive."
            yield Problem(file=self.file, line=None, field="", reason=reason, is_rejection=True)
        yield from super().parts(names)

    def close(self) -> None:
        """Close the archive."""
        self._archive.close()

    def _source(self, name: str, page_id: str) -> Source:
        return MemberSource(self._archive, self._entries[name], file=name, page_id=page_id)


def page_ids(names: Iterable[str]) -> dict[str, str]:
    """Ids for pages that are files: the name without its ending where that is unique, else the whole name.

    >>> page_ids(["a.html", "b.html", "b.txt"])
    {'a.html': 'a', 'b.html': 'b.html', 'b.txt': 'b.txt'}
    """
    stems = {name: stem_of(name) for name in names}
    counts = Counter(stems.values())
    return {name: stem if counts[stem] == 1 else name for name, stem in stems.items()}


def _archive(path: Path) -> zipfile.ZipFile | None:
    try:
        with path.open("rb") as stream:
            if stream.read(4) not in {b"PK\x03\x04", b"PK\x05\x06"}:
                return None
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise IngestError(f"{path.name} can't be opened: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise IngestError(f"{path.name} can't be read: the archive is damaged ({error}).") from error
    names = set(archive.namelist())
    if _WORKBOOK in names:
        archive.close()
        return None
    for name, kind in _OTHER_DOCUMENTS.items():
        if name in names:
            raise IngestError(f"{path.name} can't be read: it is {kind}.")
    return archive


def _check_entries(file: str, entries: list[zipfile.ZipInfo], options: ReadOptions) -> None:
    if len(entries) > MOST_ENTRIES:
        raise IngestError(
            f"{file} has {len(entries):,} entries; the limit for an archive is {MOST_ENTRIES:,}."
        )
    size = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    if size > options.expanded_limit or size > max(64 * 2**20, packed * options.ratio_limit):
        raise IngestError(
            f"{file} would expand to {size / 2**20:,.0f} MiB, more than the limits allow "
            f"({options.expanded_limit / 2**30:,.0f} GiB and {options.ratio_limit} times its size)."
        )


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or (len(name) > 1 and name[1] == ":")


def _is_hidden(path: PurePath) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
