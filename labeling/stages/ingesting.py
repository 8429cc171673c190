"""The ingest job: read pages, clean them in batches, store each batch together with the place it ends at."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from dedup.ingest import DuplicateIds, Page, Problem, ReadOptions, read_pages
from labeling.models import Job
from labeling.services.ingesting import read_options
from labeling.stages.counting import Counts, ProblemLog
from labeling.stages.reporting import Reporter
from labeling.stages.storing import store_pages

BATCH_PAGES = 2_000
BATCH_CHARACTERS = 20_000_000
PAUSE_SECONDS = 0.02
EVERYTHING = 2**62


def run(job: Job, reporter: Reporter) -> dict[str, Any]:
    """Read the job's paths from its checkpoint on; returns its report, the same whether or not it was interrupted."""
    return _Run(job, reporter).run()


class _Run:
    """One run over the job's paths."""

    def __init__(self, job: Job, reporter: Reporter) -> None:
        saved = job.checkpoint
        self._job = job
        self._reporter = reporter
        self._options: ReadOptions = read_options(job.payload["options"])
        self._paths = [Path(path) for path in job.payload["paths"]]
        self._first_path: int = saved.get("path", 0)
        self._after: int = saved.get("position", 0)
        self._seconds: float = saved.get("seconds", 0.0)
        self._counts = Counts.of(saved.get("counts", {}))
        self._problems = ProblemLog(job, saved.get("problems", []))
        self._seen = DuplicateIds()
        self._began = perf_counter()

    def run(self) -> dict[str, Any]:
        """Go through all paths; those that an earlier run finished are read again only for their ids."""
        self._reporter.begin("read", unit="documents", done=self._counts.read)
        for number, path in enumerate(self._paths):
            if number < self._first_path:
                self._skip(path)
                continue
            after = self._after if number == self._first_path else 0
            for batch, position in self._batches(path, after):
                self._store(batch, {"path": number, "position": position})
            self._store([], {"path": number + 1, "position": 0})
        return self._report()

    def _skip(self, path: Path) -> None:
        for _ in read_pages(path, self._options, after=EVERYTHING, seen=self._seen):
            self._reporter.advance(self._counts.read)

    def _batches(self, path: Path, after: int) -> Iterator[tuple[list[Page | Problem], int]]:
        """Batches that end behind a whole record, each with the position of that record."""
        batch: list[Page | Problem] = []
        characters = records = 0
        pages = read_pages(path, self._options, after=after, seen=self._seen, workers=settings.WORKERS)
        for item in pages:
            batch.append(item)
            if isinstance(item, Page):
                characters += len(item.text)
            elif not (item.is_rejection or item.is_repeat):
                continue
            records += 1
            if len(batch) >= BATCH_PAGES or characters >= BATCH_CHARACTERS:
                yield batch, item.position
                batch, characters, records = [], 0, 0
            self._reporter.advance(self._counts.read + records)
        if batch:
            yield batch, batch[-1].position

    def _store(self, batch: list[Page | Problem], place: dict[str, int]) -> None:
        """Write a batch and its checkpoint in one transaction, so that a killed run repeats or loses nothing."""
        pages = [item for item in batch if isinstance(item, Page)]
        self._reporter.check()
        with transaction.atomic():
            if pages:
                store_pages(self._job.corpus, pages, self._counts, job=self._job)
            self._problems.add([item for item in batch if isinstance(item, Problem)], self._counts)
            checkpoint = place | {
                "counts": self._counts.values(),
                "problems": self._problems.groups(),
                "seconds": self._seconds + perf_counter() - self._began,
            }
            Job.objects.filter(pk=self._job.pk).update(checkpoint=checkpoint)
        self._job.checkpoint = checkpoint
        if connection.vendor == "sqlite":
            sleep(PAUSE_SECONDS)

    def _report(self) -> dict[str, Any]:
        seconds = round(self._seconds + perf_counter() - self._began, 3)
        return {
            "read": self._counts.read,
            **self._counts.values(),
            "problems": self._problems.listed(),
            "seconds": {"read": seconds},
        }
