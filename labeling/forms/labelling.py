"""Answers about pairs."""

from django import forms

from labeling.models import Label


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


class ClusterAnswerForm(forms.Form):
    """One answer about two texts of a cluster, with the key that was made when they were shown."""

    key = forms.CharField(max_length=1000)
    verdict = forms.ChoiceField(
        choices=[choice for choice in Label.Verdict.choices if choice[0] != "withdrawn"]
    )
    note = forms.CharField(max_length=2000, required=False)
