"""Answers about pairs."""

from typing import Any

from django import forms

from labeling.models import Label, Remark


class AnswerForm(forms.Form):
    """One answer about one pair, with the key that was made when the pair was served."""

    key = forms.CharField(max_length=1000)
    study_pair = forms.IntegerField(min_value=1)
    swapped = forms.BooleanField(required=False)
    verdict = forms.ChoiceField(
        choices=[choice for choice in Label.Verdict.choices if choice[0] != "withdrawn"]
    )
    note = forms.CharField(max_length=2000, required=False)
    flag = forms.BooleanField(required=False)


class SkipForm(forms.Form):
    """A pair that is put aside."""

    key = forms.CharField(max_length=1000)
    study_pair = forms.IntegerField(min_value=1)


class ClusterAnswerForm(forms.Form):
    """One answer about two texts of a cluster, with the key that was made when they were shown."""

    key = forms.CharField(max_length=1000)
    verdict = forms.ChoiceField(
        choices=[choice for choice in Label.Verdict.choices if choice[0] != "withdrawn"]
    )
    note = forms.CharField(max_length=2000, required=False)


class RemarkForm(forms.Form):
    """Something that is added to an answer: one press of a button gives or takes back one reason or the flag."""

    SETTABLE = (*Remark.Reason.choices, ("flag", "Flag for discussion"))

    label = forms.IntegerField(min_value=1)
    study_pair = forms.IntegerField(min_value=1, required=False)
    give = forms.ChoiceField(choices=SETTABLE, required=False)
    take = forms.ChoiceField(choices=SETTABLE, required=False)
    save_note = forms.BooleanField(required=False)
    note = forms.CharField(max_length=2000, required=False)

    def clean(self) -> dict[str, Any]:
        """One press does one thing."""
        values = super().clean() or {}
        if sum(bool(values.get(name)) for name in ("give", "take", "save_note")) != 1:
            raise forms.ValidationError("Choose one reason, the flag, or the note.")
        return values
