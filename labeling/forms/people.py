"""Invitations, roles, and the account of somebody who was invited."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator

from labeling.models import Role
from labeling.services.memberships import MOST_DAYS

WHAT_ROLES_DO = {
    Role.LABELLER: "Labeller: reads pairs and answers",
    Role.ADJUDICATOR: "Adjudicator: also settles disagreements and writes the guidelines",
    Role.READER: "Reader: looks at everything, changes nothing",
    Role.OWNER: "Owner: also adds documents, runs studies, decides, and invites people",
}


class InvitationForm(forms.Form):
    """Whom an owner invites."""

    for_whom = forms.CharField(
        required=False,
        max_length=150,
        label="For whom",
        help_text="A reminder for the owners; the person chooses a name on joining.",
    )
    role = forms.ChoiceField(choices=list(WHAT_ROLES_DO.items()), label="Role", initial=Role.LABELLER)
    days = forms.IntegerField(
        min_value=1, max_value=MOST_DAYS, initial=7, label="Days", help_text="How long the link works."
    )


class RoleForm(forms.Form):
    """The new role of a person."""

    role = forms.ChoiceField(choices=Role.choices)


class JoinForm(forms.Form):
    """A name and a password for a new account."""

    username = forms.CharField(
        max_length=150,
        label="Name",
        validators=[UnicodeUsernameValidator()],
        help_text="Letters, digits and @ . + - _; your colleagues see it.",
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="At least 10 characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        """Hold the password against the rules of the settings, the name included."""
        cleaned = super().clean() or {}
        if "password" in cleaned and "username" in cleaned:
            try:
                validate_password(cleaned["password"], User(username=cleaned["username"]))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned
