"""Text goes in here: whatever people have becomes pages, and what doesn't is reported."""

from dedup.ingest.opening import open_corpus
from dedup.ingest.pages import preview, read_pages
from dedup.ingest.records import (
    RECORD_LIMIT,
    Description,
    IngestError,
    Page,
    Preview,
    Problem,
    Reader,
    ReadOptions,
    Record,
)
from dedup.ingest.repeats import DuplicateIds
from dedup.ingest.samples import PageSample, Samples, sample_pages

__all__ = [
    "RECORD_LIMIT",
    "Description",
    "DuplicateIds",
    "IngestError",
    "Page",
    "PageSample",
    "Preview",
    "Problem",
    "ReadOptions",
    "Reader",
    "Record",
    "Samples",
    "open_corpus",
    "preview",
    "read_pages",
    "sample_pages",
]
