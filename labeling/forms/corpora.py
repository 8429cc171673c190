"""A new corpus."""

from django import forms

from labeling.models import Corpus


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
