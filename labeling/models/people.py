from django.conf import settings
from django.db import models


class Role(models.TextChoices):
    """What somebody may do in one corpus; each role but the first holds the ones below it."""

    OWNER = "owner", "Owner"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    LABELLER = "labeller", "Labeller"
    READER = "reader", "Reader"


class Membership(models.Model):
    """The role of one person in one corpus. Administrators own every corpus without one."""

    corpus = models.ForeignKey("Corpus", on_delete=models.CASCADE, related_name="memberships")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    added_at = models.DateTimeField()

    class Meta:
        ordering = ["corpus_id", "person__username", "id"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "person"], name="one_role_per_person_and_corpus"),
            models.CheckConstraint(
                condition=models.Q(role__in=["owner", "adjudicator", "labeller", "reader"]),
                name="a_role_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person_id}: {self.role}"


class Invitation(models.Model):
    """A link that gives one person, whoever opens it first, a role in a corpus; only the hash of its secret is kept."""

    corpus = models.ForeignKey("Corpus", on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role)
    for_whom = models.CharField(
        max_length=150, blank=True, default="", help_text="A reminder for the owners."
    )
    secret_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-invited_at", "-id"]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class AuditEntry(models.Model):
    """Who changed what, and when: appended, never changed, kept when the person or the corpus is gone."""

    at = models.DateTimeField()
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    person_name = models.CharField(max_length=150, help_text="The name at that time; empty for a command.")
    corpus = models.ForeignKey("Corpus", null=True, on_delete=models.SET_NULL, related_name="audit_entries")
    corpus_name = models.CharField(max_length=200, blank=True, default="")
    action = models.CharField(max_length=40, help_text="For example role changed.")
    what = models.CharField(max_length=300, help_text="What it was done to, in words.")
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["corpus", "-id"], name="audit_of_corpus")]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.person_name or 'a command'}: {self.action} ({self.what})"
