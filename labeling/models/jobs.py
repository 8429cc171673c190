from django.conf import settings
from django.db import models


class Job(models.Model):
    """One unit of work for the worker: claimed once, resumable, cancellable, with its own report."""

    class Kind(models.TextChoices):
        INGEST = "ingest", "Ingest"
        STUDY = "study", "Study"
        DECIDE = "decide", "Decision"
        EXPORT = "export", "Export"

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

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["state", "created_at"], name="job_state_created")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"


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
