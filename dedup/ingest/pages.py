"""Pages and problems from whatever a path names."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from dedup.extraction import Extraction
from dedup.ingest.building import Draft, PageBuilder
from dedup.ingest.extracting import Extractors, Waiting
from dedup.ingest.mapping import plan_mapping
from dedup.ingest.opening import open_corpus
from dedup.ingest.records import (
    DamagedFileError,
    IngestError,
    Page,
    Part,
    Preview,
    Problem,
    Reader,
    ReadOptions,
    Record,
    printable,
)
from dedup.ingest.repeats import DuplicateIds, Earlier

_LONGEST_REASON = 300
_EXTRACTED_ROWS = 5


def read_pages(
    path: Path, options: ReadOptions, *, after: int = 0, seen: DuplicateIds | None = None, workers: int = 1
) -> Iterator[Page | Problem]:
    """Read a file, folder or archive as pages and problems, one at a time and in order.

    ``after`` resumes: records up to this position are read, so that repeated ids are still known, but neither built nor
    reported again. ``seen`` carries the ids over several calls. HTML is extracted by ``workers`` processes; the result
    doesn't depend on their number. Raises ``IngestError`` if nothing can be read, or a chosen column doesn't exist.
    """
    run = _Run(options, seen if seen is not None else DuplicateIds(), after)
    with open_corpus(path, options) as reader, Extractors(options.extractor, workers) as extractors:
        yield from extractors.in_order(run.read(reader))


def preview(path: Path, options: ReadOptions, rows: int = 20) -> Preview:
    """The first rows as they stand in the file and as they would be stored; of pages whose main text must be found, five.

    A mapping that doesn't fit is no exception here: its sentence is the preview's ``error``. Raises ``IngestError`` if the
    file can't be read.
    """
    with open_corpus(path, options) as reader:
        description = reader.describe()
        records = tuple(_shown(item.fields) for item in islice(reader, rows) if isinstance(item, Record))
    try:
        plan = plan_mapping(description, options.mapping)
        has_html = any(plan.value(record, "html") and not plan.value(record, "text") for record in records)
        items = list(islice(read_pages(path, options), min(rows, _EXTRACTED_ROWS) if has_html else rows))
    except IngestError as error:
        return Preview(description=description, rows=records, error=str(error))
    return Preview(
        description=replace(description, guesses={**description.guesses, **plan.guesses}),
        rows=records,
        has_html=has_html,
        pages=tuple(item for item in items if isinstance(item, Page)),
        problems=tuple(item for item in items if isinstance(item, Problem)),
    )


def _shown(fields: Mapping[str, str]) -> dict[str, str]:
    return {printable(name): printable(value) for name, value in fields.items()}


class _Run:
    """One pass over a path: where it stands, and how far an earlier pass came."""

    def __init__(self, options: ReadOptions, seen: DuplicateIds, after: int) -> None:
        self._options = options
        self._seen = seen
        self._after = after
        self._position = 0

    def read(self, reader: Reader) -> "Iterator[_Item]":
        """Read all parts; damage in one of several files is reported and the next goes on."""
        for part in reader.parts():
            if isinstance(part, Problem):
                yield from self._place(part)
                continue
            try:
                builder = PageBuilder(part, self._options)
            except IngestError as error:
                if reader.is_single:
                    raise
                yield from self._place(_left_out(part.file, error))
                continue
            yield from self._read_part(part, builder)

    def _read_part(self, part: Part, builder: PageBuilder) -> "Iterator[_Item]":
        before = self._position
        try:
            for item in part:
                if isinstance(item, Problem):
                    yield from self._place(item)
                else:
                    yield from self._read_record(builder, item)
        except DamagedFileError as error:
            yield from self._place(_left_out(part.file, error))
        if self._position == before:
            yield from self._place(
                Problem(file=part.file, line=None, field="", reason="the file has no records")
            )

    def _place(self, problem: Problem) -> Iterator[Problem]:
        self._position += problem.is_rejection
        position = self._position + (not problem.is_rejection)
        if position > self._after:
            yield replace(problem, reason=problem.reason[:_LONGEST_REASON], position=position)

    def _read_record(self, builder: PageBuilder, record: Record) -> "Iterator[_Item]":
        self._position += 1
        position = self._position
        draft = builder.begin(record)
        earlier = self._seen.check(draft.id, draft.text or draft.html, file=builder.file, line=record.line)
        if position <= self._after:
            _pass_over(builder, draft, earlier, position)
        elif earlier is not None:
            yield replace(builder.repeated(draft, earlier), position=position)
        elif draft.html:
            yield Waiting(draft.html, draft.url, lambda found: _finished(builder, draft, found, position))
        else:
            yield from _finished(builder, draft, None, position)


_Item = Page | Problem | Waiting


def _pass_over(builder: PageBuilder, draft: Draft, earlier: Earlier | None, position: int) -> None:
    """Leave the builder as it was behind this record, so that what is said once per file isn't said again."""
    if earlier is None:
        builder.finish(draft, None, position)


def _left_out(file: str, error: IngestError) -> Problem:
    return Problem(file=file, line=None, field="", reason=str(error), is_rejection=True)


def _finished(
    builder: PageBuilder, draft: Draft, found: Extraction | None, position: int
) -> Iterator[Page | Problem]:
    page = builder.finish(draft, found, position)
    for problem in draft.problems:
        yield replace(problem, position=position)
    if page is not None:
        yield page
