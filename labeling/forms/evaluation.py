"""What the evaluation page shows."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from django import forms

from dedup.evaluation import Choice, Wishes

SCORES = [
    ("exact", "Exact Jaccard similarity"),
    ("estimate", "Estimate from signatures"),
    ("hamming", "Hamming distance of fingerprints"),
]
RULES = [
    ("", "No rule"),
    ("identifiers", "Identifiers must match"),
    ("price", "Prices must match"),
    ("identifiers-or-price", "Identifiers or prices must match"),
    ("numbers", "Numbers must match"),
    ("identifiers-and-numbers", "Identifiers and numbers must match"),
    ("price-and-numbers", "Prices and numbers must match"),
    ("identifiers-or-price-and-numbers", "Identifiers or prices must match, and numbers"),
]

PLAN = ("target", "labels")
ENDS = [("estimate", "the estimate"), ("low", "the lower end of its interval")]
TARGETS = [("recall", "Recall"), ("precision", "Precision"), ("cost", "Expected cost")]


class EvaluationForm(forms.Form):
    """What the evaluation page shows."""

    score = forms.ChoiceField(choices=SCORES, label="Score")
    low = forms.FloatField(min_value=0, max_value=1, label="Thresholds from")
    high = forms.FloatField(min_value=0, max_value=1, label="to")
    step = forms.TypedChoiceField(
        choices=[("0.05", "0.05"), ("0.1", "0.10"), ("0.02", "0.02"), ("0.01", "0.01")],
        coerce=float,
        required=False,
        label="in steps of",
    )
    rule = forms.ChoiceField(choices=RULES, required=False, label="Rule for links")
    cost_fp = forms.FloatField(min_value=0, label="Cost of a wrong merge")
    cost_fn = forms.FloatField(min_value=0, label="Cost of a missed duplicate")
    least_precision = forms.FloatField(min_value=0, max_value=1, label="Precision you need")
    least_recall = forms.FloatField(min_value=0, max_value=1, label="Recall you need")
    ends = forms.ChoiceField(choices=ENDS, label="compared with")
    target = forms.ChoiceField(choices=TARGETS, label="Figure to narrow")
    labels = forms.IntegerField(min_value=1, max_value=500, label="Further labels")

    DEFAULTS: ClassVar = {
        "score": "exact",
        "low": "0.3",
        "high": "0.95",
        "step": "0.05",
        "cost_fp": "1",
        "cost_fn": "1",
        "least_precision": "0.95",
        "least_recall": "0.95",
        "ends": "estimate",
        "target": "recall",
        "labels": "30",
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

    def visible_options(self) -> list[forms.BoundField]:
        """The fields of the options; those that plan further labels stand where they are planned."""
        return [field for field in self if field.name not in PLAN]

    def choices_in_words(self) -> dict[str, str]:
        """Score and product rule as people read them."""
        return {
            "score_words": dict(SCORES)[self.cleaned_data["score"]],
            "rule_words": dict(RULES)[self.cleaned_data["rule"]],
        }

    def kept(self, *, without: Collection[str] = ()) -> list[tuple[str, str]]:
        """What other forms of the page hand on: every value that isn't the default."""
        return [
            (name, str(self.data[name]))
            for name in self.fields
            if name not in without and self.data.get(name, "") not in {"", self.DEFAULTS.get(name)}
        ]

    def wishes(self, focus: Choice | None = None) -> Wishes:
        """What the analyst asks of a setting, and which of its figures further labels should narrow."""
        values = self.cleaned_data
        return Wishes(
            least_recall=values["least_recall"],
            least_precision=values["least_precision"],
            safe=values["ends"] == "low",
            target=values["target"],
            labels=values["labels"],
            focus=focus,
        )

    def thresholds(self) -> tuple[float, ...] | None:
        """The thresholds of the range, in thousandths so that 0.6 is 0.6; None for bits, which have their own."""
        if self.cleaned_data["score"] == "hamming":
            return None
        low, high, step = (round(self.cleaned_data[name] * 1000) for name in ("low", "high", "step"))
        return tuple(level / 1000 for level in range(low, high + 1, step))
