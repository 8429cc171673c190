from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q

STALE_AFTER = timedelta(seconds=30)
WORKER_GONE_AFTER = timedelta(seconds=10)


class JobQuerySet(models.QuerySet["Job"]):
    """Jobs by what can be done with them now."""

    def waiting(self) -> "JobQuerySet":
        """Queued jobs of corpora that no job is working on, in the order in which they were asked for."""
        busy = Job.objects.filter(state=Job.State.RUNNING).values("corpus")
        return self.filter(state=Job.State.QUEUED).exclude(corpus__in=busy).order_by("created_at", "id")

    def stale(self, at: datetime) -> "JobQuerySet":
        """Jobs that are said to run, though their worker has been silent for too long."""
        return self.filter(state=Job.State.RUNNING).filter(
            Q(heartbeat_at=None) | Q(heartbeat_at__lt=at - STALE_AFTER)
        )

    def held_by(self, job_id: int, worker: str) -> "JobQuerySet":
        """The job, if this worker still holds it."""
        return self.filter(pk=job_id, state=Job.State.RUNNING, worker=worker)


class Job(models.Model):
    """One unit of work for the worker: claimed once, resumable, cancellable, with its own report."""

    class Kind(models.TextChoices):
        INGEST = "ingest", "Ingest"
        STUDY = "study", "Study"
        DECIDE = "decide", "Decision"
        EXPORT = "export", "Export"
        INDEX = "index", "Index"

    class State(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"
        INTERRUPTED = "interrupted", "Interrupted"

    kind = models.CharField(max_length=16, choices=Kind)
    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    corpus = models.ForeignKey("Corpus", on_delete=models.CASCADE, related_name="jobs")
    study = models.ForeignKey("Study", null=True, on_delete=models.CASCADE, related_name="jobs")
    decision = models.ForeignKey("Decision", null=True, on_delete=models.CASCADE, related_name="jobs")
    payload = models.JSONField(default=dict, help_text="What to do: paths, options.")
    checkpoint = models.JSONField(
        default=dict, help_text="Where a resumed run goes on; written with the rows it stands for."
    )
    report = models.JSONField(default=dict, help_text="What came of it: counts and seconds per stage.")
    stage = models.CharField(max_length=60, blank=True, default="")
    unit = models.CharField(max_length=30, blank=True, default="")
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(
        null=True, help_text="Null while the total isn't known; a page then shows a count without a share."
    )
    stage_started_at = models.DateTimeField(null=True)
    done_before_stage = models.BigIntegerField(
        default=0, help_text="Units that an earlier run had finished when this run began the stage."
    )
    error = models.TextField(blank=True, default="", help_text="One sentence for people.")
    attempts = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=60, blank=True, default="")
    cancel_requested = models.BooleanField(default=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["state", "created_at"], name="job_state_created")]
        constraints = [
            models.UniqueConstraint(
                fields=["corpus"], condition=Q(state="running"), name="one_running_job_per_corpus"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"

    @property
    def share_done(self) -> float | None:
        """Share of the stage that is finished, 0 to 1; None while the total isn't known."""
        return min(self.done / self.total, 1.0) if self.total else None

    def is_stale(self, at: datetime) -> bool:
        """Whether the job is said to run, though its worker has been silent for too long."""
        if self.state != self.State.RUNNING:
            return False
        return self.heartbeat_at is None or self.heartbeat_at < at - STALE_AFTER

    def display_state(self, at: datetime) -> str:
        """The state in words: a job whose worker died is interrupted, whatever its row still says."""
        if self.state != self.State.INTERRUPTED and not self.is_stale(at):
            return str(self.State(self.state).label).lower()
        share = self.share_done
        return "interrupted" if share is None else f"interrupted at {share * 100:.0f} %"

    def rate(self, at: datetime) -> float | None:
        """Units a second in the present stage; None before there is anything to measure."""
        if self.stage_started_at is None:
            return None
        seconds = (at - self.stage_started_at).total_seconds()
        finished = self.done - self.done_before_stage
        return finished / seconds if seconds >= 1 and finished > 0 else None

    def seconds_left(self, at: datetime) -> float | None:
        """How long the present stage will take at its present rate; None where nobody can tell."""
        rate = self.rate(at)
        if rate is None or self.total is None or self.state != self.State.RUNNING:
            return None
        return max(self.total - self.done, 0) / rate


class Problem(models.Model):
    """One rejected or doubtful record of an ingest: kept with file, line, field, reason and an example."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="problems")
    file = models.TextField()
    line = models.BigIntegerField(null=True)
    field = models.CharField(max_length=100, blank=True, default="")
    reason = models.CharField(max_length=300)
    example = models.CharField(max_length=300, blank=True, default="")
    is_rejection = models.BooleanField(
        help_text="The record was left out; otherwise it was kept, with a remark."
    )

    class Meta:
        ordering = ["job_id", "file", "line", "id"]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.reason}"


class Worker(models.Model):
    """A process that takes jobs, and when it was last heard of."""

    name = models.CharField(max_length=60, unique=True)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Segment(models.Model):
    """An immutable array file beside the database, written before its row."""

    corpus = models.ForeignKey("Corpus", on_delete=models.CASCADE, related_name="segments")
    study = models.ForeignKey("Study", null=True, on_delete=models.CASCADE, related_name="segments")
    path = models.CharField(max_length=300, unique=True, help_text="Relative to the folder of arrays.")
    recipe = models.TextField()
    rows = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["path", "id"]

    def __str__(self) -> str:
        return self.path
