"""What the evaluation page shows."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

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
    rule = forms.ChoiceField(choices=RULES, required=False, label="Rule for links")
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

    def thresholds(self) -> tuple[float, ...] | None:
        """The thresholds of the range, in thousandths so that 0.6 is 0.6; None for bits, which have their own."""
        if self.cleaned_data["score"] == "hamming":
            return None
        low, high, step = (round(self.cleaned_data[name] * 1000) for name in ("low", "high", "step"))
        return tuple(level / 1000 for level in range(low, high + 1, step))
