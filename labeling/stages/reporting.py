"""What a running job says of itself: progress for people, a heartbeat for other workers, and whether to stop."""

import threading
from collections.abc import Callable
from datetime import datetime
from time import monotonic
from typing import Protocol

from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from labeling.models import Job
from labeling.services import jobs

HEARTBEAT_SECONDS = 2.0
WRITTEN_EVERY_SECONDS = 0.5

Show = Callable[[Job], None]


class JobCancelledError(Exception):
    """Somebody asked the job to stop."""


class JobLostError(Exception):
    """Another worker took the job over, since this one seemed dead."""


class StageProgress(Protocol):
    """How far a stage has come, as engines report it."""

    @property
    def stage(self) -> str:
        """Name of the stage."""

    @property
    def done(self) -> int:
        """Finished units."""

    @property
    def total(self) -> int:
        """All units."""

    @property
    def unit(self) -> str:
        """What is counted."""


class Reporter:
    """Writes a job's progress, at most every half second, and raises once the job should stop."""

    def __init__(self, job: Job, worker: str, show: Show | None = None) -> None:
        self.job = job
        self.worker = worker
        self._show = show
        self._written = 0.0

    def begin(self, stage: str, *, unit: str, total: int | None = None, done: int = 0) -> None:
        """Enter a stage; ``done`` units were finished by an earlier run."""
        job = self.job
        job.stage, job.unit, job.total, job.done = stage, unit, total, done
        job.stage_started_at, job.done_before_stage = timezone.now(), done
        self._write()

    def advance(self, done: int, total: int | None = None) -> None:
        """Say how much of the stage is finished by now."""
        self.job.done = done
        if total is not None:
            self.job.total = total
        if monotonic() - self._written >= WRITTEN_EVERY_SECONDS:
            self._write()

    def follow(self, progress: StageProgress) -> None:
        """Take over what an engine says."""
        if progress.stage != self.job.stage:
            self.begin(progress.stage, unit=progress.unit, total=progress.total, done=progress.done)
        else:
            self.advance(progress.done, progress.total)

    def check(self) -> None:
        """Write now, and raise if the job should stop."""
        self._write()

    def _write(self) -> None:
        self._written = monotonic()
        go_on = jobs.write_progress(job=self.job, worker=self.worker, at=timezone.now())
        if self._show is not None:
            self._show(self.job)
        if go_on is None:
            raise JobLostError(f"another worker has taken over {self.job}")
        if not go_on:
            raise JobCancelledError(f"{self.job} was asked to stop")


class Heartbeat:
    """Calls ``beat`` every two seconds from a thread with its own connection, however busy the main thread is."""

    def __init__(self, beat: Callable[[datetime], object]) -> None:
        self._beat = beat
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        try:
            while not self._stop.wait(HEARTBEAT_SECONDS):
                self._beat_once()
        finally:
            connection.close()

    def _beat_once(self) -> None:
        """A database that is busy or away for a moment must not end the heartbeat."""
        try:
            self._beat(timezone.now())
        except DatabaseError:
            close_old_connections()
