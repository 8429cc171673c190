from django.conf import settings
from django.db import models
from django.db.models import Q


class Corpus(models.Model):
    """A named collection of documents that are compared with each other."""

    class Kind(models.TextChoices):
        ARTICLES = "articles", "News and articles"
        PRODUCTS = "products", "Product pages"
        PAGES = "pages", "CMS pages"

    name = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=16, choices=Kind, default=Kind.ARTICLES)
    normaliser = models.CharField(max_length=16, default="unicode")
    salt = models.BigIntegerField(
        help_text="Decides the permanent random numbers of the corpus's pairs; never changes."
    )
    source_trust = models.JSONField(default=dict, help_text="Source to rank; a smaller rank is trusted more.")
    next_ordinal = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Text(models.Model):
    """A distinct text of a corpus: one node of the graph, never changed once written."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="texts")
    ordinal = models.PositiveIntegerField(help_text="Dense position in the corpus's arrays; never reused.")
    exact_key = models.CharField(max_length=64, help_text="SHA-256 of the normalised words, in hexadecimal.")
    product_key = models.CharField(max_length=200, blank=True, default="")
    words = models.PositiveIntegerField()
    body = models.TextField()

    class Meta:
        ordering = ["corpus_id", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "exact_key", "product_key"], name="one_text_per_key"),
            models.UniqueConstraint(fields=["corpus", "ordinal"], name="one_text_per_ordinal"),
            models.CheckConstraint(condition=Q(words__gt=0), name="a_text_has_words"),
        ]

    def __str__(self) -> str:
        return f"text {self.ordinal}"


class Document(models.Model):
    """A page as it was ingested. Every page is kept; pages with equal words share one text."""

    class Status(models.TextChoices):
        OK = "ok", "Has content"
        NO_CONTENT = "no content", "No content"

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    external_id = models.CharField(max_length=500)
    text = models.ForeignKey(Text, null=True, on_delete=models.PROTECT, related_name="documents")
    own_body = models.TextField(  # noqa: DJ001
        null=True, help_text="The body where it isn't letter for letter that of its text; null where it is."
    )
    status = models.CharField(max_length=16, choices=Status)
    status_reason = models.CharField(max_length=200, blank=True, default="")
    source = models.CharField(max_length=200, blank=True, default="")
    url = models.TextField(blank=True, default="")
    canonical_url = models.TextField(blank=True, default="", help_text="The URL that the page declares.")
    title = models.TextField(blank=True, default="")
    first_seen = models.DateTimeField(null=True)
    price_minor = models.BigIntegerField(null=True, help_text="Price in minor units of the currency.")
    currency = models.CharField(max_length=3, blank=True, default="")
    identifiers = models.JSONField(
        default=list, help_text='Normalised identifiers, for example "gtin:00036000291452".'
    )
    flags = models.JSONField(
        default=list, help_text="Remarks of the ingest, for example a canonical URL that names the home page."
    )
    first_ingest = models.ForeignKey("Job", null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["corpus_id", "external_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "external_id"], name="one_document_per_id"),
            models.CheckConstraint(
                condition=Q(status="ok", text__isnull=False) | Q(status="no content", text__isnull=True),
                name="a_document_with_content_has_a_text",
            ),
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def body(self) -> str:
        """The document's main text as it was read; empty if it has no content."""
        if self.own_body is not None:
            return self.own_body
        return self.text.body if self.text else ""
