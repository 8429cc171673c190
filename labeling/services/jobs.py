"""Jobs as rows: asked for, claimed once, kept alive, ended; every change is a conditional UPDATE."""

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from labeling.models import Corpus, Decision, Job, Study, Worker
from labeling.models.jobs import WORKER_GONE_AFTER

MOST_ATTEMPTS = 3
PATIENCE = timedelta(seconds=3)
ENDED = (Job.State.DONE, Job.State.FAILED, Job.State.CANCELLED, Job.State.INTERRUPTED)
RESUMABLE = (Job.State.FAILED, Job.State.CANCELLED, Job.State.INTERRUPTED)


class JobStateError(ValueError):
    """What was asked doesn't fit the job's state; the message is one sentence for people."""


def enqueue(
    *,
    kind: str,
    corpus: Corpus,
    payload: dict[str, Any],
    by_id: int | None,
    at: datetime,
    study: Study | None = None,
    decision: Decision | None = None,
) -> Job:
    """Ask for a piece of work; a worker takes it once no earlier job of the corpus is being worked on."""
    return Job.objects.create(
        kind=kind,
        corpus=corpus,
        study=study,
        decision=decision,
        payload=payload,
        created_by_id=by_id,
        created_at=at,
    )


def request_cancel(*, job: Job, at: datetime) -> None:
    """Stop a queued job at once, and ask the worker of a running one to stop at the next safe place.

    A job that has ended stays as it is.
    """
    ended = {"state": Job.State.CANCELLED, "finished_at": at}
    if Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(**ended):
        return
    if Job.objects.stale(at).filter(pk=job.pk).update(**ended, cancel_requested=True):
        return
    Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(cancel_requested=True)


def resume(*, job: Job, at: datetime) -> Job:
    """Queue a job again that failed, was cancelled or was interrupted; it goes on at its checkpoint.

    Raises ``JobStateError`` for a job that waits, runs or is done.
    """
    fresh = {
        "state": Job.State.QUEUED,
        "attempts": 0,
        "error": "",
        "cancel_requested": False,
        "finished_at": None,
    }
    changed = Job.objects.filter(pk=job.pk, state__in=RESUMABLE).update(**fresh)
    changed = changed or Job.objects.stale(at).filter(pk=job.pk).update(**fresh)
    job.refresh_from_db()
    if not changed:
        raise JobStateError(f"{job} is {job.display_state(at)}, so there is nothing to resume.")
    return job


def claim(*, job_id: int, worker: str, at: datetime) -> Job | None:
    """Take one queued job, or None if another was quicker or its corpus is being worked on."""
    try:
        with transaction.atomic():
            taken = Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(
                state=Job.State.RUNNING,
                worker=worker,
                heartbeat_at=at,
                started_at=at,
                finished_at=None,
                error="",
            )
    except IntegrityError:
        return None
    return Job.objects.select_related("corpus", "study", "decision").get(pk=job_id) if taken else None


def claim_next(*, worker: str, at: datetime) -> Job | None:
    """Take the job that has waited longest, after putting jobs of dead workers back into the queue."""
    requeue_stale(at=at)
    for job_id in list(Job.objects.waiting().values_list("pk", flat=True)[:20]):
        job = claim(job_id=job_id, worker=worker, at=at)
        if job is not None:
            return job
    return None


def requeue_stale(*, at: datetime) -> int:
    """Put jobs whose worker died back into the queue, up to three attempts; returns how many were found."""
    found = list(Job.objects.stale(at))
    for job in found:
        row = Job.objects.stale(at).filter(pk=job.pk, attempts=job.attempts)
        if job.cancel_requested:
            row.update(state=Job.State.CANCELLED, finished_at=at)
        elif job.attempts + 1 < MOST_ATTEMPTS:
            row.update(state=Job.State.QUEUED, attempts=job.attempts + 1)
        else:
            row.update(
                state=Job.State.INTERRUPTED,
                attempts=job.attempts + 1,
                finished_at=at,
                error=f"Its worker died {MOST_ATTEMPTS} times; see the log, then resume it.",
            )
    return len(found)


def beat(*, job_id: int, worker: str, at: datetime) -> bool:
    """Say that the job is alive; False if this worker no longer holds it."""
    return bool(Job.objects.held_by(job_id, worker).update(heartbeat_at=at))


def write_progress(*, job: Job, worker: str, at: datetime) -> bool | None:
    """Store the job's stage, counts and heartbeat.

    Returns whether to go on: False once somebody asked to stop, None if this worker no longer holds the job.
    """
    held = Job.objects.held_by(job.pk, worker)
    changed = held.update(
        heartbeat_at=at,
        stage=job.stage,
        unit=job.unit,
        done=job.done,
        total=job.total,
        stage_started_at=job.stage_started_at,
        done_before_stage=job.done_before_stage,
    )
    if not changed:
        return None
    return not held.filter(cancel_requested=True).exists()


def end(
    *,
    job: Job,
    worker: str,
    state: Job.State,
    at: datetime,
    report: dict[str, Any] | None = None,
    error: str = "",
) -> bool:
    """Record how a job ended; False, and nothing changed, if this worker no longer holds it."""
    values: dict[str, Any] = {"state": state, "finished_at": at, "heartbeat_at": at, "error": error}
    if report is not None:
        values["report"] = report
    return bool(Job.objects.held_by(job.pk, worker).update(**values))


def worker_beat(*, worker: str, at: datetime) -> None:
    """Say that a worker is there and takes jobs."""
    Worker.objects.update_or_create(
        name=worker, defaults={"heartbeat_at": at}, create_defaults={"heartbeat_at": at, "started_at": at}
    )
    Worker.objects.filter(heartbeat_at__lt=at - timedelta(days=1)).delete()


def worker_gone(*, worker: str) -> None:
    """Say that a worker has ended in good order."""
    Worker.objects.filter(name=worker).delete()


def waits_without_worker(*, job: Job, at: datetime) -> bool:
    """Whether the job waits, and no worker is there to take it."""
    if job.state != Job.State.QUEUED or at - job.created_at < PATIENCE:
        return False
    return not Worker.objects.filter(heartbeat_at__gte=at - WORKER_GONE_AFTER).exists()
