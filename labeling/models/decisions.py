from django.conf import settings
from django.db import models
from django.db.models import Q


class Decision(models.Model):
    """Recipe, threshold and rules that were chosen, by whom, why, and on which figures. Appended, never changed."""

    class State(models.TextChoices):
        PENDING = "pending", "Clusters are being written"
        PUBLISHED = "published", "Published"

    study = models.ForeignKey("Study", on_delete=models.CASCADE, related_name="decisions")
    number = models.PositiveIntegerField(help_text="Counts the decisions of the corpus from 1.")
    corpus = models.ForeignKey("Corpus", on_delete=models.CASCADE, related_name="decisions")
    recipe = models.ForeignKey("StudyRecipe", on_delete=models.PROTECT, related_name="decisions")
    threshold = models.FloatField()
    rule = models.CharField(
        max_length=32,
        blank=True,
        default="",
        help_text="What links must pass, as in labeling.services.link_rules; empty for nothing.",
    )
    representative_order = models.JSONField(
        help_text="For example canonical, first_seen, trust; the smallest id always comes last."
    )
    reason = models.TextField(blank=True, default="")
    figures = models.JSONField(help_text="The figures of this recipe and threshold when it was taken.")
    label_counts = models.JSONField(help_text="Labels when it was taken.")
    summary = models.JSONField(default=dict, help_text="Counts of the published clusters.")
    state = models.CharField(max_length=16, choices=State, default=State.PENDING)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["corpus_id", "-number", "id"]
        constraints = [models.UniqueConstraint(fields=["corpus", "number"], name="decisions_are_numbered")]

    def __str__(self) -> str:
        return f"decision {self.number}"


class Link(models.Model):
    """A pair of texts that a decision accepts, with what it rests on."""

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="links")
    left = models.ForeignKey("Text", on_delete=models.PROTECT, related_name="+")
    right = models.ForeignKey("Text", on_delete=models.PROTECT, related_name="+")
    method = models.CharField(max_length=12, help_text="exact, minhash, simhash or person.")
    similarity = models.FloatField(
        null=True, help_text="The score that the decision looked at; null for a person's link."
    )
    exact_jaccard = models.FloatField(null=True)
    verdict = models.CharField(max_length=12, blank=True, default="")

    class Meta:
        ordering = ["decision_id", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["decision", "left", "right"], name="a_decision_links_two_texts_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.left_id}={self.right_id}"


class HeldPair(models.Model):
    """A pair that reaches the threshold, and that a decision doesn't link before a person has seen it."""

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="held_pairs")
    left = models.ForeignKey("Text", on_delete=models.PROTECT, related_name="+")
    right = models.ForeignKey("Text", on_delete=models.PROTECT, related_name="+")
    similarity = models.FloatField(help_text="The score that the decision looked at.")
    exact_jaccard = models.FloatField()
    reason = models.CharField(max_length=40, help_text="Why, as in dedup.numbers_rule.")

    class Meta:
        ordering = ["decision_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["decision", "left", "right"], name="a_decision_holds_a_pair_once")
        ]

    def __str__(self) -> str:
        return f"{self.left_id}≠{self.right_id}"


class Cluster(models.Model):
    """Documents that a decision calls one text, with the one that stands for them and the reason for it."""

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="clusters")
    number = models.PositiveIntegerField(
        help_text="The cluster id of exports; independent of the order of pairs."
    )
    representative = models.ForeignKey("Document", on_delete=models.PROTECT, related_name="+")
    representative_rule = models.CharField(max_length=32)
    representative_reason = models.CharField(max_length=300)
    documents = models.PositiveIntegerField()
    texts = models.PositiveIntegerField()
    lowest_similarity = models.FloatField(
        null=True, help_text="Lowest exact Jaccard similarity inside; null for one text."
    )
    is_chain = models.BooleanField(
        default=False, help_text="Two of its texts are less similar than the threshold."
    )

    class Meta:
        ordering = ["decision_id", "number"]
        constraints = [models.UniqueConstraint(fields=["decision", "number"], name="clusters_are_numbered")]

    def __str__(self) -> str:
        return f"cluster {self.number}"


class Member(models.Model):
    """One document under a decision: in a cluster of one or more, or not judged because it has no content."""

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="members")
    document = models.ForeignKey("Document", on_delete=models.PROTECT, related_name="memberships")
    cluster = models.ForeignKey(Cluster, null=True, on_delete=models.CASCADE, related_name="members")
    is_representative = models.BooleanField()
    similarity = models.FloatField(
        null=True, help_text="Exact Jaccard similarity to the representative's text."
    )
    method = models.CharField(
        max_length=16, help_text="representative, exact, minhash, simhash, person, single or no content."
    )

    class Meta:
        ordering = ["decision_id", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["decision", "document"], name="a_decision_places_a_document_once"
            ),
            models.UniqueConstraint(
                fields=["cluster"],
                condition=Q(is_representative=True),
                name="a_cluster_has_one_representative",
            ),
        ]

    def __str__(self) -> str:
        return f"member {self.document_id}"


class Export(models.Model):
    """A file written from a decision, offered only once it is whole."""

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="exports")
    what = models.CharField(max_length=16)
    format = models.CharField(max_length=12)
    file = models.CharField(max_length=300, help_text="Relative to the folder of exports.")
    rows = models.BigIntegerField()
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return self.file
