"""A decision, and what is written from it."""

from typing import TYPE_CHECKING, Any

from django import forms

from labeling.forms.evaluation import RULES
from labeling.models import Study, StudyRecipe

if TYPE_CHECKING:
    from django.http import QueryDict

REPRESENTATIVE_ORDERS = [
    ("canonical,first_seen,trust", "Declared canonical URL, else first seen, else most trusted source"),
    ("first_seen,canonical,trust", "First seen, else declared canonical URL, else most trusted source"),
    ("trust,canonical,first_seen", "Most trusted source, else declared canonical URL, else first seen"),
]
EXPORTS = [
    ("assignments", "Assignments: every document with its cluster"),
    ("links", "Links: every accepted pair"),
    ("labels", "Labels: everybody's current answers"),
    ("changes", "Changes: clusters that are new, changed or retired since the decision before"),
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
        label="Rule for links",
        help_text="Identifiers and prices: variants of a product stay apart unless these match too. Numbers: where numbers or "
        "signs differ, the pair is held for a person instead of merged.",
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

    def __init__(
        self, data: "QueryDict | None" = None, *, study: Study, initial: dict[str, object] | None = None
    ) -> None:
        super().__init__(data, initial=initial)
        field = self.fields["recipe"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = study.recipes.all()
            field.label_from_instance = recipe_name  # type: ignore[assignment, method-assign]

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
        """A report is always a page, everything else a table."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        if cleaned["what"] == "report":
            cleaned["format"] = "html"
        elif cleaned["format"] == "html":
            raise forms.ValidationError("Only the report is written as HTML; choose another format.")
        return cleaned


def recipe_name(recipe: StudyRecipe) -> str:
    """Short name of a way to score, for lists and headings."""
    if recipe.score == "hamming":
        return f"SimHash, k = {recipe.k}, Hamming distance"
    kind = "exact Jaccard similarity" if recipe.score == "exact" else "estimate from signatures"
    return f"k = {recipe.k}, {kind}"
