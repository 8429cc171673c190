from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Study(models.Model):
    """A corpus seen through its recipes: a pool of candidate pairs and the fair sample that people label."""

    class State(models.TextChoices):
        NEW = "new", "Not run yet"
        READY = "ready", "Ready"

    corpus = models.ForeignKey("Corpus", on_delete=models.CASCADE, related_name="studies")
    name = models.CharField(max_length=200)
    spec = models.JSONField(help_text="The fields of dedup.specs.StudySpec.")
    state = models.CharField(max_length=16, choices=State, default=State.NEW)
    texts = models.PositiveIntegerField(
        default=0, help_text="Ordinals 0 to texts - 1 of the corpus were looked at."
    )
    pool = models.BigIntegerField(default=0, help_text="Candidate pairs.")
    pool_digest = models.CharField(max_length=64, blank=True, default="")
    hub_buckets = models.JSONField(default=list)
    guideline = models.TextField(default="Would you keep only one of these two?")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["corpus_id", "-created_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["corpus", "name"], name="one_study_per_name")]

    def __str__(self) -> str:
        return self.name


class StudyRecipe(models.Model):
    """One way in which a study scores pairs, with the histogram of the whole pool under it.

    A row per (recipe, score): MinHash recipes have two, ``exact`` (levels in thousandths, 0 to 1000) and ``estimate``
    (levels are agreeing permutations, 0 to num_perm); a SimHash recipe has one, ``hamming`` (levels are bits, 0 to 64).
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="recipes")
    recipe = models.TextField()
    digest = models.CharField(max_length=16)
    score = models.CharField(max_length=16)
    k = models.PositiveIntegerField()
    bands = models.PositiveIntegerField(null=True)
    rows_per_band = models.PositiveIntegerField(null=True)
    scale = models.PositiveIntegerField(help_text="The highest level.")
    histogram = models.JSONField(help_text="Pairs of the pool on each level, scale + 1 counts.")
    histogram_rule = models.JSONField(
        help_text="The same for each product rule: rule name to counts of the pairs that pass it."
    )
    outcomes = models.JSONField(
        default=dict,
        help_text="What linking does at each level: rule name, or an empty one, to clusters, removed and largest.",
    )

    class Meta:
        ordering = ["study_id", "k", "score", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "digest", "score"], name="one_row_per_recipe_and_score")
        ]

    def __str__(self) -> str:
        return f"{self.recipe} ({self.score})"


class Stratum(models.Model):
    """A similarity bucket of one recipe, by exact Jaccard similarity: from ``low_level`` up to below ``high_level``.

    The last bucket of a recipe has ``high_level`` = scale + 1, so that equality is inside.
    """

    recipe = models.ForeignKey(StudyRecipe, on_delete=models.CASCADE, related_name="strata")
    low_level = models.PositiveIntegerField()
    high_level = models.PositiveIntegerField()
    population = models.BigIntegerField()
    sampled = models.PositiveIntegerField(help_text="Pairs drawn for this bucket: those with the smallest u.")
    next_u = models.FloatField(help_text="u of the first pair that was not drawn; 1 if all were.")

    class Meta:
        ordering = ["recipe_id", "low_level", "id"]
        constraints = [
            models.UniqueConstraint(fields=["recipe", "low_level"], name="one_stratum_per_bucket"),
            models.CheckConstraint(condition=Q(low_level__lt=F("high_level")), name="a_bucket_is_not_empty"),
            models.CheckConstraint(
                condition=Q(sampled__lte=F("population")), name="no_more_drawn_than_there_are"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.low_level}-{self.high_level}"


class Pair(models.Model):
    """Two texts of a corpus that somebody may judge; labels belong to it, whatever study showed it."""

    corpus = models.ForeignKey("Corpus", on_delete=models.CASCADE, related_name="pairs")
    left = models.ForeignKey(
        "Text", on_delete=models.PROTECT, related_name="+", help_text="The one with the smaller ordinal."
    )
    right = models.ForeignKey("Text", on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["corpus_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["left", "right"], name="one_pair_per_two_texts"),
            models.CheckConstraint(condition=Q(left__lt=F("right")), name="a_pair_is_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.left_id}-{self.right_id}"


class StudyPair(models.Model):
    """A pair of a study's pool whose scores are kept as a row: drawn for the queue, or known because it has a label."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="study_pairs")
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="study_pairs")
    u = models.FloatField(help_text="The pair's permanent random number.")
    drawn = models.BooleanField(
        help_text="Drawn for a bucket; otherwise known, and never counted as if drawn."
    )
    position = models.PositiveIntegerField(help_text="Place in the queue; says nothing about the score.")
    levels = models.JSONField(help_text='Level under each recipe and score: "digest:score" to level.')
    hamming = models.PositiveSmallIntegerField(null=True)
    passes_rule = models.JSONField(default=dict, help_text="Rule name to whether the pair passes it.")

    class Meta:
        ordering = ["study_id", "position", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "pair"], name="a_study_holds_a_pair_once")]
        indexes = [models.Index(fields=["study", "drawn", "position"], name="studypair_queue")]

    def __str__(self) -> str:
        return f"{self.study_id}:{self.pair_id}"
