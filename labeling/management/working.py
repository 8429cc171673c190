"""Run a job from a command: in this process, or by watching the worker that was quicker."""

import sys
from collections.abc import Mapping
from time import monotonic, sleep
from typing import Any, TextIO

from django.utils import timezone
from tqdm import tqdm

from labeling.models import Corpus, Job
from labeling.services import jobs
from labeling.stages.running import mark_dead_jobs, run_claimed, worker_name

LINE_EVERY_SECONDS = 2.0
LOOK_EVERY_SECONDS = 0.3


class ProgressLines:
    """Progress on standard error: a bar on a terminal, else a line every two seconds and at each new stage."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._is_terminal = self._stream.isatty()
        self._bar: Any = None
        self._stage = ""
        self._written = 0.0

    def show(self, job: Job) -> None:
        """Show where a job is."""
        if self._is_terminal:
            self._show_bar(job)
        elif job.stage != self._stage or monotonic() - self._written >= LINE_EVERY_SECONDS:
            self._written = monotonic()
            total = "" if job.total is None else f" of {job.total:,}"
            self._stream.write(f"{job.stage}: {job.done:,}{total} {job.unit}\n")
            self._stream.flush()
        self._stage = job.stage

    def _show_bar(self, job: Job) -> None:
        if self._bar is None or job.stage != self._stage:
            self.close()
            unit = f" {job.unit}"
            self._bar = tqdm(total=job.total, initial=job.done, desc=job.stage, unit=unit, file=self._stream)
        self._bar.total = job.total
        self._bar.update(job.done - self._bar.n)

    def close(self) -> None:
        """Leave the bar where it is."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def finish_job(job: Job) -> Job:
    """Bring a job to its end; returns it as it stands then.

    Jobs of the same corpus that were asked for earlier come first, and are worked on here where no worker took them. A
    worker may take the job; then its progress is shown.
    """
    progress = ProgressLines()
    name = worker_name()
    try:
        while True:
            mark_dead_jobs()
            jobs.requeue_stale(at=timezone.now())
            job.refresh_from_db()
            if job.state in jobs.ENDED:
                return job
            claimed = _claim_first(job.corpus_id, name)
            if claimed is not None and claimed.pk == job.pk:
                return run_claimed(claimed, name, progress.show)
            if claimed is not None:
                run_claimed(claimed, name, progress.show, stopped_as=Job.State.QUEUED)
                continue
            if job.state == Job.State.RUNNING:
                progress.show(job)
            sleep(LOOK_EVERY_SECONDS)
    finally:
        progress.close()


def _claim_first(corpus_id: int, name: str) -> Job | None:
    """Claim the job of the corpus that has waited longest."""
    first = Job.objects.waiting().filter(corpus=corpus_id).first()
    return None if first is None else jobs.claim(job_id=first.pk, worker=name, at=timezone.now())


def unfinished_job(corpus: Corpus, kind: str, payload: Mapping[str, object], **more: object) -> Job | None:
    """A job that was asked to do exactly this and didn't come to its end; it is queued again."""
    mark_dead_jobs()
    rows = corpus.jobs.filter(kind=kind, **more).exclude(state=Job.State.DONE).order_by("-id")
    job = next((row for row in rows if row.payload == payload), None)
    if job is None:
        return None
    at = timezone.now()
    if job.state in jobs.RESUMABLE or job.is_stale(at):
        jobs.resume(job=job, at=at)
    return job
