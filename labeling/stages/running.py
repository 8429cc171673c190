"""Run one claimed job to its end, whatever the end is, and say it in one sentence."""

import errno
import logging
import os
import socket
from collections.abc import Callable
from typing import Any

from django.db import OperationalError
from django.utils import timezone

from dedup.exporting import ExportError
from dedup.ingest import IngestError
from dedup.segments import SegmentError
from dedup.specs import RecipeMismatchError
from labeling.models import Job
from labeling.services import jobs
from labeling.services.decisions import DecisionError
from labeling.services.studies import StudyError
from labeling.stages import deciding, indexing, ingesting, studying
from labeling.stages.reporting import Heartbeat, JobCancelledError, JobLostError, Reporter, Show

logger = logging.getLogger(__name__)

Stage = Callable[[Job, Reporter], dict[str, Any]]

STAGES: dict[str, Stage] = {
    Job.Kind.INGEST: ingesting.run,
    Job.Kind.STUDY: studying.run,
    Job.Kind.DECIDE: deciding.run,
    Job.Kind.INDEX: indexing.run,
}
EXPECTED = (
    IngestError,
    StudyError,
    DecisionError,
    ExportError,
    SegmentError,
    RecipeMismatchError,
    studying.PredictionRefusedError,
)
DISK_SENTENCES = {
    errno.ENOSPC: "The disk is full; make room, then resume.",
    errno.EDQUOT: "The disk quota is used up; make room, then resume.",
    errno.EROFS: "The data folder is on a disk that can't be written to.",
    errno.EACCES: "The data folder, or a file to read, isn't accessible to this user",
}


def worker_name() -> str:
    """A name that says on which machine and in which process a worker runs."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}"


def run_claimed(
    job: Job, worker: str, show: Show | None = None, *, stopped_as: Job.State = Job.State.INTERRUPTED
) -> Job:
    """Run a job that this worker has claimed; returns it as it stands afterwards.

    Whatever a job may meet becomes its state and a sentence. Only ``KeyboardInterrupt`` comes out of it, with the job
    left as ``stopped_as``.
    """
    reporter = Reporter(job, worker, show)
    with Heartbeat(lambda at: jobs.beat(job_id=job.pk, worker=worker, at=at)):
        try:
            state, report, error = _attempt(job, reporter)
        except KeyboardInterrupt:
            jobs.end(
                job=job, worker=worker, state=stopped_as, at=timezone.now(), error="It was stopped by hand."
            )
            raise
    if state is not None:
        jobs.end(job=job, worker=worker, state=state, at=timezone.now(), report=report, error=error)
    job.refresh_from_db()
    return job


def _attempt(job: Job, reporter: Reporter) -> tuple[Job.State | None, dict[str, Any] | None, str]:
    try:
        report = STAGES[job.kind](job, reporter)
    except JobCancelledError:
        return Job.State.CANCELLED, None, ""
    except JobLostError:
        logger.warning("%s was taken over by another worker", job)
        return None, None, ""
    except Exception as error:  # noqa: BLE001 - whatever a stage meets becomes a sentence on the job's page
        return Job.State.FAILED, None, sentence_for(error, job)
    return Job.State.DONE, report, ""


def sentence_for(error: Exception, job: Job) -> str:
    """One sentence for people; what nobody expected also goes to the log, with its traceback."""
    if isinstance(error, EXPECTED):
        return _whole_sentence(str(error))
    if isinstance(error, OSError) and error.errno is not None:
        known = DISK_SENTENCES.get(error.errno)
        return _whole_sentence(known or f"{error.strerror}: {error.filename}")
    if isinstance(error, OperationalError) and "disk is full" in str(error):
        return DISK_SENTENCES[errno.ENOSPC]
    logger.error("%s failed", job, exc_info=error)
    return f"Something happened that neardup doesn't know how to handle ({type(error).__name__}); the log says more."


def _whole_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def mark_dead_jobs() -> None:
    """Let jobs of processes of this machine that are no longer there count as interrupted at once."""
    prefix = f"{socket.gethostname()[:40]}:"
    running = Job.objects.filter(state=Job.State.RUNNING, worker__startswith=prefix)
    for job_id, worker in running.values_list("pk", "worker"):
        pid = worker.removeprefix(prefix)
        if pid.isdecimal() and not _is_alive(int(pid)):
            Job.objects.held_by(job_id, worker).update(heartbeat_at=None)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
