from django.conf import settings
from django.db import models
from django.db.models import Q


class Label(models.Model):
    """One answer of one person about one pair: a fact that is appended and never changed.

    A person's current answer is their newest row for the pair; ``withdrawn`` takes the answer back.
    """

    class Verdict(models.TextChoices):
        DUPLICATE = "duplicate", "Duplicate"
        DISTINCT = "distinct", "Distinct"
        UNSURE = "unsure", "Unsure"
        WITHDRAWN = "withdrawn", "Withdrawn"

    pair = models.ForeignKey("Pair", on_delete=models.PROTECT, related_name="labels")
    labeller = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="labels")
    study = models.ForeignKey("Study", null=True, on_delete=models.SET_NULL, related_name="labels")
    verdict = models.CharField(max_length=12, choices=Verdict)
    at = models.DateTimeField()
    serving = models.CharField(
        max_length=40, unique=True, help_text="Key made when the pair was served; one answer a serving."
    )
    swapped = models.BooleanField(default=False, help_text="The pair's right text stood on the left.")
    score_visible = models.BooleanField(default=False)
    origin = models.CharField(max_length=16, default="queue", help_text="queue, import, cluster, held.")
    note = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["pair", "labeller", "id"], name="label_pair_labeller")]

    def __str__(self) -> str:
        return f"{self.verdict} ({self.pair_id})"


class Remark(models.Model):
    """What a person adds to an answer of theirs: a reason, a flag for discussion, a note. Appended, never changed.

    Of a label's rows of one kind (and one reason) the newest holds; ``is_on`` false takes the earlier one back. A note
    that holds stands in place of the label's own.
    """

    class Kind(models.TextChoices):
        REASON = "reason", "Reason"
        FLAG = "flag", "Flag for discussion"
        NOTE = "note", "Note"

    class Reason(models.TextChoices):
        FOOTER = "footer", "Footer or boilerplate added"
        CORRECTED = "corrected", "Corrected or updated version"
        EXCERPT = "excerpt", "Excerpt"
        REWRITTEN = "rewritten", "Same story rewritten"
        TEMPLATE = "template", "Template only"
        VARIANT = "variant", "Other product variant"
        TRANSLATION = "translation", "Translation"
        EXTRACTION = "extraction", "Extraction fault"

    label = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="remarks")
    kind = models.CharField(max_length=8, choices=Kind)
    reason = models.CharField(max_length=16, choices=Reason, blank=True, default="")
    note = models.TextField(blank=True, default="")
    is_on = models.BooleanField(default=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="reason", note="") & ~Q(reason="") | ~Q(kind="reason") & Q(reason=""),
                name="a_reason_is_named_and_nothing_else_is",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.reason} ({self.label_id})"


class Skip(models.Model):
    """A person put a pair aside for later; it comes back after the others."""

    study_pair = models.ForeignKey("StudyPair", on_delete=models.CASCADE, related_name="skips")
    labeller = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()
    serving = models.CharField(max_length=40, unique=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"skip {self.study_pair_id}"


class SignInLink(models.Model):
    """A link that signs one person in, once; only the hash of its secret is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    secret_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"sign-in link {self.pk}"
