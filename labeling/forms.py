"""What people may send: every form checks its values and says in a sentence what is wrong."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from dedup.specs import StudySpec
from labeling.models import Corpus, Label, Study, StudyRecipe

FORMATS = [
    ("auto", "Find out from the content"),
    ("jsonl", "JSON Lines"),
    ("csv", "CSV"),
    ("tsv", "TSV"),
    ("parquet", "Parquet"),
    ("xlsx", "Excel (XLSX)"),
    ("html", "HTML pages"),
    ("warc", "Web archive (WARC)"),
    ("text", "Plain text"),
]
FIELDS = {
    "id": "Document id",
    "text": "Text",
    "html": "HTML page",
    "title": "Title",
    "source": "Source",
    "url": "Address (URL)",
    "canonical": "Declared canonical URL",
    "first_seen": "First seen",
    "price": "Price",
    "currency": "Currency",
    "gtin": "GTIN, EAN or UPC",
    "isbn": "ISBN",
    "doi": "DOI",
    "sku": "SKU",
    "mpn": "Maker's part number",
}
RULES = [
    ("", "No product rule"),
    ("identifiers", "Identifiers must match"),
    ("price", "Prices must match"),
    ("identifiers-or-price", "Identifiers or prices must match"),
]
REPRESENTATIVE_ORDERS = [
    ("canonical,first_seen,trust", "Declared canonical URL, else first seen, else most trusted source"),
    ("first_seen,canonical,trust", "First seen, else declared canonical URL, else most trusted source"),
    ("trust,canonical,first_seen", "Most trusted source, else declared canonical URL, else first seen"),
]
SCORES = [("exact", "Exact Jaccard similarity"), ("estimate", "Estimate from signatures")]
EXPORTS = [
    ("assignments", "Assignments: every document with its cluster"),
    ("links", "Links: every accepted pair"),
    ("labels", "Labels: everybody's current answers"),
    ("report", "Report: the decision with its figures, to read and to print"),
]
EXPORT_FORMATS = [
    ("csv", "CSV"),
    ("csv-spreadsheet", "CSV for spreadsheets"),
    ("jsonl", "JSON Lines"),
    ("parquet", "Parquet"),
    ("xlsx", "Excel (XLSX)"),
    ("html", "HTML, for the report"),
]
ENCODINGS = [
    "",
    "utf-8",
    "windows-1252",
    "iso-8859-1",
    "iso-8859-15",
    "windows-1251",
    "shift_jis",
    "gb18030",
    "utf-16",
]


class CorpusForm(forms.Form):
    """A new corpus: its name and what kind of pages it holds."""

    name = forms.CharField(
        max_length=200,
        label="Name",
        help_text="For example the project and the month: “Regional news, March”.",
    )
    kind = forms.ChoiceField(
        choices=Corpus.Kind.choices,
        widget=forms.RadioSelect,
        label="Kind of pages",
        help_text="Decides which settings are suggested later; each can be changed.",
    )

    def clean_name(self) -> str:
        """A corpus's name is unique."""
        name = str(self.cleaned_data["name"])
        if Corpus.objects.filter(name=name).exists():
            raise forms.ValidationError("There is a corpus of this name already; choose another name.")
        return name


class SeveralFilesInput(forms.ClearableFileInput):
    """A file field that takes more than one file."""

    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """One or more uploaded files, together no larger than the limit of the settings."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Check each file, then their size together."""
        one = super().clean
        files = data if isinstance(data, list | tuple) else [data] if data else []
        cleaned: list[UploadedFile] = [one(file, initial) for file in files]
        limit = settings.UPLOAD_LIMIT_MB
        if sum(file.size or 0 for file in cleaned) > limit * 1_000_000:
            raise forms.ValidationError(
                f"Together these files are larger than {limit} MB. Name their folder on the server instead, "
                "or use the ingest command."
            )
        return cleaned


class IngestForm(forms.Form):
    """Where the documents come from: files of the reader's machine, or a path on the server (owners only)."""

    files = SeveralFilesField(required=False, label="Files from your computer")
    server_path = forms.CharField(required=False, label="Or a file or folder on the server", max_length=1000)
    format = forms.ChoiceField(choices=FORMATS, required=False, label="Format")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["files"].help_text = (
            f"One or more, up to {settings.UPLOAD_LIMIT_MB:,} MB together. JSONL, CSV, TSV, Parquet, XLSX, HTML, WARC, "
            "plain text, also compressed."
        )
        self.fields[
            "server_path"
        ].help_text = "For large collections: nothing is copied, the file is read where it is."

    def clean_server_path(self) -> str:
        """The path must be there and readable by the server."""
        path = str(self.cleaned_data["server_path"]).strip()
        if path and not Path(path).exists():
            raise forms.ValidationError(f"There is nothing at {path} on the server.")
        return path

    def clean(self) -> dict[str, Any]:
        """Exactly one of the two sources."""
        cleaned = super().clean() or {}
        if not self.errors and bool(cleaned.get("files")) == bool(cleaned.get("server_path")):
            raise forms.ValidationError("Choose files, or name a path on the server: one of the two.")
        return cleaned


class MappingForm(forms.Form):
    """How the columns of the input become fields of a document."""

    format = forms.ChoiceField(choices=FORMATS, required=False, label="Format")
    encoding = forms.ChoiceField(
        choices=[(name, name or "Find out from the content") for name in ENCODINGS],
        required=False,
        label="Encoding",
    )
    delimiter = forms.ChoiceField(
        choices=[
            ("", "Find out"),
            (",", "Comma"),
            (";", "Semicolon"),
            ("\t", "Tabulator"),
            ("|", "Vertical bar"),
        ],
        required=False,
        label="Delimiter",
    )

    def __init__(self, *args: Any, columns: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns = columns
        choices = [("", "–"), *((column, column) for column in columns)]
        for name, label in FIELDS.items():
            self.fields[f"map_{name}"] = forms.ChoiceField(choices=choices, required=False, label=label)

    def mapping(self) -> dict[str, str]:
        """Field to column, for the fields that have one."""
        values = {name: self.cleaned_data.get(f"map_{name}", "") for name in FIELDS}
        return {name: column for name, column in values.items() if column}


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
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )
    bucket_width = forms.FloatField(
        initial=0.1,
        min_value=0.02,
        max_value=0.5,
        label="Width of a similarity bucket",
        help_text="A similarity bucket is a range of similarities, such as 0.40–0.50, from which pairs are drawn for labelling. "
        "Narrow buckets show more exactly where duplicates end, and need more labels.",
        widget=forms.NumberInput(attrs={"step": "0.05"}),
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

    def __init__(self, *args: Any, corpus: Corpus, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
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


class AnswerForm(forms.Form):
    """One answer about one pair, with the key that was made when the pair was served."""

    key = forms.CharField(max_length=1000)
    study_pair = forms.IntegerField(min_value=1)
    swapped = forms.BooleanField(required=False)
    verdict = forms.ChoiceField(
        choices=[choice for choice in Label.Verdict.choices if choice[0] != "withdrawn"]
    )
    note = forms.CharField(max_length=2000, required=False)


class SkipForm(forms.Form):
    """A pair that is put aside."""

    key = forms.CharField(max_length=1000)
    study_pair = forms.IntegerField(min_value=1)


class EvaluationForm(forms.Form):
    """What the evaluation page shows."""

    score = forms.ChoiceField(choices=SCORES, label="Score")
    low = forms.FloatField(min_value=0, max_value=1, label="Thresholds from")
    high = forms.FloatField(min_value=0, max_value=1, label="to")
    step = forms.TypedChoiceField(
        choices=[("0.05", "0.05"), ("0.1", "0.10"), ("0.02", "0.02")],
        coerce=float,
        required=False,
        label="in steps of",
    )
    rule = forms.ChoiceField(choices=RULES, required=False, label="Product rule")
    cost_fp = forms.FloatField(min_value=0, label="Cost of a wrong merge")
    cost_fn = forms.FloatField(min_value=0, label="Cost of a missed duplicate")

    DEFAULTS: ClassVar = {
        "score": "exact",
        "low": "0.3",
        "high": "0.95",
        "step": "0.05",
        "cost_fp": "1",
        "cost_fn": "1",
    }

    @classmethod
    def filled(cls, values: Mapping[str, str]) -> "EvaluationForm":
        """The form with the defaults for whatever was left empty."""
        given = {name: value for name in cls.base_fields if (value := values.get(name, ""))}
        return cls(cls.DEFAULTS | given)

    def clean(self) -> dict[str, Any]:
        """Refuse a range that is upside down."""
        cleaned = super().clean() or {}
        if not self.errors and cleaned["low"] > cleaned["high"]:
            raise forms.ValidationError("The lowest threshold is above the highest.")
        return cleaned

    def thresholds(self) -> tuple[float, ...]:
        """The thresholds of the range, in thousandths so that 0.6 is 0.6."""
        low, high, step = (round(self.cleaned_data[name] * 1000) for name in ("low", "high", "step"))
        return tuple(level / 1000 for level in range(low, high + 1, step))


class DecisionForm(forms.Form):
    """Recipe, threshold and rules of a decision, and why."""

    recipe = forms.ModelChoiceField(
        queryset=StudyRecipe.objects.none(), label="Shingle size and score", empty_label=None
    )
    threshold = forms.FloatField(
        label="Threshold",
        help_text="Pairs at least this similar become links (SimHash: at most this many differing bits).",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    rule = forms.ChoiceField(
        choices=RULES,
        required=False,
        label="Product rule",
        help_text="For product pages: near-equal descriptions of two variants stay apart unless this matches too.",
    )
    representative_order = forms.ChoiceField(
        choices=REPRESENTATIVE_ORDERS,
        label="Which document represents a cluster",
        help_text="Where all are equal, the smallest id. Every cluster shows which rule chose.",
    )
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        label="Why this one",
        help_text="One or two sentences that you would stand by in a report.",
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["recipe"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = study.recipes.all()
            field.label_from_instance = recipe_name  # type: ignore[method-assign]

    def clean(self) -> dict[str, Any]:
        """A threshold must fit the score: similarities lie between 0 and 1, Hamming distances between 0 and 64."""
        cleaned = super().clean() or {}
        recipe, threshold = cleaned.get("recipe"), cleaned.get("threshold")
        if recipe is None or threshold is None:
            return cleaned
        highest = 64 if recipe.score == "hamming" else 1
        if not 0 <= threshold <= highest:
            self.add_error(
                "threshold", f"For this score a threshold lies between 0 and {highest}, not at {threshold:g}."
            )
        return cleaned


class ExportForm(forms.Form):
    """What to write, and as which kind of file."""

    what = forms.ChoiceField(choices=EXPORTS, label="What", widget=forms.RadioSelect, initial="assignments")
    format = forms.ChoiceField(
        choices=EXPORT_FORMATS, label="Format", widget=forms.RadioSelect, initial="csv"
    )

    def clean(self) -> dict[str, Any]:
        """A report is a page, everything else a table."""
        cleaned = super().clean() or {}
        if not self.errors and (cleaned["what"] == "report") != (cleaned["format"] == "html"):
            raise forms.ValidationError("A report is written as HTML, and everything else as a table.")
        return cleaned


def recipe_name(recipe: StudyRecipe) -> str:
    """Short name of a way to score, for lists and headings."""
    if recipe.score == "hamming":
        return f"SimHash, k = {recipe.k}, Hamming distance"
    kind = "exact Jaccard similarity" if recipe.score == "exact" else "estimate from signatures"
    return f"k = {recipe.k}, {kind}"
