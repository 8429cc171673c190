"""From files to an ingest job: what is in a file, what would become of it, and the job that reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

from dedup import ingest
from dedup.ingest import IngestError, Preview, ReadOptions, Samples
from labeling.models import Corpus, Job
from labeling.services import jobs

__all__ = ["IngestError", "columns", "enqueue_ingest", "preview", "read_options", "samples"]


def read_options(options: Mapping[str, Any]) -> ReadOptions:
    """The options of a job's payload. Raises ``IngestError`` for a name that means nothing."""
    known = {field.name for field in fields(ReadOptions)}
    unknown = sorted(options.keys() - known)
    if unknown:
        raise IngestError(f"There is no option {', '.join(unknown)}; known are {', '.join(sorted(known))}.")
    return ReadOptions(**options)


def columns(*, path: Path, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of a file's columns. Raises ``IngestError`` with a sentence if it can't be read."""
    return ingest.open_corpus(path, read_options(options)).describe().columns


def preview(*, path: Path, options: Mapping[str, Any], rows: int = 20) -> Preview:
    """The first rows as they stand and as they would be stored. Raises ``IngestError`` like ``columns``."""
    return ingest.preview(path, read_options(options), rows)


def samples(*, path: Path, options: Mapping[str, Any], count: int = 10) -> Samples:
    """Sampled HTML pages with what extraction keeps and removes. Raises ``IngestError`` like ``columns``."""
    chosen = read_options(options)
    with ingest.open_corpus(path, chosen) as reader:
        return ingest.sample_pages(reader, chosen, count)


def enqueue_ingest(
    *,
    corpus: Corpus,
    paths: Sequence[str | Path],
    options: Mapping[str, Any],
    by_id: int | None,
    at: datetime,
) -> Job:
    """Queue the reading of files into a corpus. Raises ``IngestError`` for unknown options or without a path."""
    if not paths:
        raise IngestError("Name at least one file or folder to read.")
    read_options(options)
    payload = {"paths": [str(Path(path).absolute()) for path in paths], "options": dict(options)}
    return jobs.enqueue(kind=Job.Kind.INGEST, corpus=corpus, payload=payload, by_id=by_id, at=at)
