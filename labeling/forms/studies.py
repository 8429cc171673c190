"""Everything that decides which pairs a study looks at."""

from typing import TYPE_CHECKING

from django import forms

from dedup.specs import StudySpec
from labeling.models import Corpus, Study

if TYPE_CHECKING:
    from django.http import QueryDict


class StudyForm(forms.Form):
    """Everything that decides which pairs a study looks at."""

    name = forms.CharField(max_length=200, label="Name")
    ks = forms.TypedMultipleChoiceField(
        choices=[(k, f"k = {k}") for k in (1, 3, 5, 7, 9)],
        coerce=int,
        initial=[3, 5, 7],
        widget=forms.CheckboxSelectMultiple,
        label="Shingle sizes k",
        help_text="A shingle is a run of k consecutive words. A larger k punishes every edit more: one changed word breaks k "
        "shingles. All sizes are scored at once, so you can compare them with the same labels.",
    )
    collection_threshold = forms.FloatField(
        initial=0.3,
        min_value=0.05,
        max_value=0.95,
        label="Collection threshold",
        help_text="Pairs more similar than this are collected for the study. Keep it far below any decision: a pair that isn't "
        "collected can't be found later. A lower value finds more and takes longer.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    bucket_width = forms.FloatField(
        initial=0.1,
        min_value=0.02,
        max_value=0.5,
        label="Width of a similarity bucket",
        help_text="A similarity bucket is a range of similarities, such as 0.40–0.50, from which pairs are drawn for labelling. "
        "Narrow buckets show more exactly where duplicates end, and need more labels.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    per_bucket = forms.IntegerField(
        initial=25,
        min_value=1,
        max_value=1000,
        label="Pairs to label per bucket",
        help_text="20 to 30 show the picture; more make the intervals narrower. The pairs are drawn at random, once and for all.",
    )
    num_perm = forms.TypedChoiceField(
        choices=[(n, str(n)) for n in (64, 128, 256)],
        coerce=int,
        initial=128,
        label="Permutations",
        help_text="Length of a signature. More make estimates sharper (±0.09 at 128, ±0.06 at 256) and take more time and space.",
    )
    hash = forms.ChoiceField(
        choices=[("sha1", "SHA-1, as datasketch does"), ("tokens", "Word hashes, faster")],
        initial="sha1",
        label="Hash",
        help_text="SHA-1 gives the very numbers that datasketch gives; word hashes are quicker on large corpora.",
    )
    simhash = forms.ChoiceField(
        choices=[("", "No"), ("plain", "Yes, each shingle one vote"), ("tf", "Yes, weighted by occurrences")],
        required=False,
        label="SimHash as well",
        help_text="A 64-bit fingerprint per text, compared by the number of differing bits. Works on long pages, hardly on short ones.",
    )

    def __init__(
        self, data: "QueryDict | None" = None, *, corpus: Corpus, initial: dict[str, object] | None = None
    ) -> None:
        super().__init__(data, initial=initial)
        self.corpus = corpus

    def clean_name(self) -> str:
        """A study's name is unique in its corpus."""
        name = str(self.cleaned_data["name"])
        if Study.objects.filter(corpus=self.corpus, name=name).exists():
            raise forms.ValidationError("This corpus has a study of this name already; choose another name.")
        return name

    def spec(self) -> StudySpec:
        """The study's spec. Raises ``ValueError`` with a sentence for values that don't go together."""
        values = self.cleaned_data
        return StudySpec(
            ks=tuple(sorted(values["ks"])),
            num_perm=values["num_perm"],
            hash=values["hash"],
            normaliser=self.corpus.normaliser,  # type: ignore[arg-type]
            collection_threshold=values["collection_threshold"],
            bucket_width=values["bucket_width"],
            per_bucket=values["per_bucket"],
            simhash=values["simhash"] or None,
        )


class CurveForm(forms.Form):
    """The two values that decide the bands, while the study's form is being filled in."""

    collection_threshold = forms.FloatField(min_value=0.05, max_value=0.95)
    num_perm = forms.IntegerField(min_value=16, max_value=1024)
