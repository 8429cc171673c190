"""Some pages drawn from the input, with what extraction makes of each: to be looked at before anything is stored."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice

from dedup.extraction_view import ExtractionView, view_extraction
from dedup.ingest.building import PageBuilder
from dedup.ingest.records import DamagedFileError, IngestError, Part, Problem, Reader, ReadOptions, Record

SAMPLED_RECORDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSample:
    """One page of the input, before and after extraction."""

    id: str
    url: str
    view: ExtractionView


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Pages drawn from the ``drawn_from`` files of a folder or archive, or from so many records at the start of one file."""

    pages: tuple[PageSample, ...] = ()
    drawn_from: int = 0


def sample_pages(reader: Reader, options: ReadOptions, count: int = 10) -> Samples:
    """Draw up to ``count`` HTML pages: from all files of a folder or archive, else from the first 300 records of the file.

    The draw depends on names and line numbers alone, so that looking again, with other options, shows the same pages.
    """
    if reader.is_single:
        return _from_records(reader, options, count)
    names = reader.names
    pages: list[PageSample] = []
    for part in reader.parts(sorted(nsmallest(count, names, key=_lot))):
        if not isinstance(part, Problem):
            pages.extend(_pages(part, _records(part, 1), options))
    return Samples(pages=tuple(pages), drawn_from=len(names))


def _from_records(reader: Reader, options: ReadOptions, count: int) -> Samples:
    pages: list[PageSample] = []
    seen = 0
    for part in reader.parts():
        if isinstance(part, Problem):
            continue
        records = list(_records(part, SAMPLED_RECORDS))
        seen += len(records)
        drawn = nsmallest(count, records, key=lambda record: _lot(str(record.line)))
        pages.extend(_pages(part, sorted(drawn, key=lambda record: record.line), options))
    return Samples(pages=tuple(pages), drawn_from=seen)


def _records(part: Part, count: int) -> Iterator[Record]:
    try:
        yield from islice((item for item in part if isinstance(item, Record)), count)
    except DamagedFileError:
        return


def _pages(part: Part, records: Iterable[Record], options: ReadOptions) -> Iterator[PageSample]:
    try:
        builder = PageBuilder(part, options)
    except IngestError:
        return
    for record in records:
        draft = builder.begin(record)
        if draft.html:
            view = view_extraction(draft.html, url=draft.url, extractor=options.extractor)
            yield PageSample(id=draft.id, url=draft.url, view=view)


def _lot(name: str) -> bytes:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
