"""Pages and problems from whatever a path names."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from dedup.ingest.building import PageBuilder
from dedup.ingest.opening import open_corpus
from dedup.ingest.records import DamagedFileError, Page, Part, Preview, Problem, Reader, ReadOptions, Record
from dedup.ingest.repeats import DuplicateIds


def read_pages(
    path: Path, options: ReadOptions, *, after: int = 0, seen: DuplicateIds | None = None
) -> Iterator[Page | Problem]:
    """Read a file, folder or archive as pages and problems, one at a time.

    ``after`` resumes: records up to this position are read, so that repeated ids are still known, but neither built nor
    reported again. ``seen`` carries the ids over several calls. Raises ``IngestError`` if nothing can be read, or a
    chosen column doesn't exist.
    """
    run = _Run(options, seen if seen is not None else DuplicateIds(), after)
    yield from run.read(open_corpus(path, options))


def preview(path: Path, options: ReadOptions, rows: int = 20) -> Preview:
    """The first rows as they stand in the file and as they would be stored. Raises ``IngestError`` like ``read_pages``."""
    reader = open_corpus(path, options)
    records = [item for item in islice(reader, rows) if isinstance(item, Record)]
    pages: list[Page] = []
    problems: list[Problem] = []
    for item in islice(read_pages(path, options), rows):
        if isinstance(item, Page):
            pages.append(item)
        else:
            problems.append(item)
    description = open_corpus(path, options).describe()
    return Preview(
        description=description,
        rows=tuple(record.fields for record in records),
        pages=tuple(pages),
        problems=tuple(problems),
    )


class _Run:
    """One pass over a path: where it stands, and how far an earlier pass came."""

    def __init__(self, options: ReadOptions, seen: DuplicateIds, after: int) -> None:
        self._options = options
        self._seen = seen
        self._after = after
        self._position = 0

    def read(self, reader: Reader) -> Iterator[Page | Problem]:
        """Read all parts; damage in one of several files is reported and the next goes on."""
        for part in reader.parts():
            if isinstance(part, Problem):
                yield from self._place(part)
            else:
                yield from self._read_part(part)

    def _read_part(self, part: Part) -> Iterator[Page | Problem]:
        builder = PageBuilder(part, self._options)
        try:
            for item in part:
                if isinstance(item, Problem):
                    yield from self._place(item)
                else:
                    yield from self._read_record(builder, item)
        except DamagedFileError as error:
            yield from self._place(
                Problem(file=part.file, line=None, field="", reason=str(error), is_rejection=True)
            )

    def _place(self, problem: Problem) -> Iterator[Problem]:
        self._position += problem.is_rejection
        position = self._position + (not problem.is_rejection)
        if position > self._after:
            yield replace(problem, position=position)

    def _read_record(self, builder: "PageBuilder", record: Record) -> Iterator[Page | Problem]:
        self._position += 1
        draft = builder.begin(record)
        earlier = self._seen.check(draft.id, draft.text or draft.html, file=builder.file, line=record.line)
        if self._position <= self._after:
            return
        if earlier is not None:
            yield replace(builder.repeated(draft, earlier), position=self._position)
            return
        page = builder.finish(draft, self._position)
        yield from (replace(problem, position=self._position) for problem in draft.problems)
        if page is not None:
            yield page
