"""Who may see and do what. Pages, programs and links fetch every object through here.

What somebody has no role in doesn't exist for them; what their role doesn't hold is refused with a sentence.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet

from labeling.models import Corpus, Membership, Role

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

    Person = AbstractBaseUser | AnonymousUser

Row = TypeVar("Row", bound=Model)


class Right(StrEnum):
    """What a person may do in a corpus."""

    SEE = "see"
    LABEL = "label"
    ADJUDICATE = "adjudicate"
    OWN = "own"


RIGHTS: dict[str, frozenset[Right]] = {
    Role.OWNER: frozenset(Right),
    Role.ADJUDICATOR: frozenset({Right.SEE, Right.LABEL, Right.ADJUDICATE}),
    Role.LABELLER: frozenset({Right.SEE, Right.LABEL}),
    Role.READER: frozenset({Right.SEE}),
}
REFUSALS = {
    Right.LABEL: "Readers of “{corpus}” look at everything and change nothing. Ask an owner of the corpus for the labeller's role.",
    Right.ADJUDICATE: "Only adjudicators and owners of “{corpus}” may do this. Ask an owner of the corpus for the role.",
    Right.OWN: "Only owners of “{corpus}” may do this. Ask one of them to do it, or for the role.",
}
ADMINISTRATORS_ONLY = "Only administrators may do this. Ask the person who runs this installation."
_CORPUS_OF = {
    "corpus": (),
    "cluster": ("decision", "corpus"),
    "decision": ("corpus",),
    "document": ("corpus",),
    "export": ("decision", "corpus"),
    "heldpair": ("decision", "corpus"),
    "invitation": ("corpus",),
    "job": ("corpus",),
    "membership": ("corpus",),
    "pair": ("corpus",),
    "study": ("corpus",),
    "studypair": ("study", "corpus"),
    "text": ("corpus",),
}


class NotAllowedError(PermissionDenied):
    """The person's role doesn't hold the right; the message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What a page may offer to somebody; all but ``administer`` are about one corpus."""

    see: bool = False
    label: bool = False
    adjudicate: bool = False
    own: bool = False
    administer: bool = False


def is_administrator(person: "Person") -> bool:
    """Whether the person runs the installation (Django's ``is_staff`` or ``is_superuser``): owner of every corpus, maker of new ones."""
    is_one = getattr(person, "is_staff", False) or getattr(person, "is_superuser", False)
    return bool(person.is_active and is_one)


def visible(rows: QuerySet[Row], person: "Person") -> QuerySet[Row]:
    """Those of the rows that lie in a corpus in which the person has a role; all of them for an administrator."""
    if is_administrator(person):
        return rows
    path = "__".join(_CORPUS_OF[rows.model._meta.model_name or ""]) or "pk"  # noqa: SLF001
    mine = Membership.objects.filter(person=person.pk or 0).values("corpus")
    return rows.filter(**{f"{path}__in": mine})


def role_in(person: "Person", corpus: Corpus) -> Role | None:
    """The person's role in the corpus, that of an owner for an administrator, None for a stranger."""
    if is_administrator(person):
        return Role.OWNER
    roles = Membership.objects.filter(person=person.pk or 0, corpus=corpus)
    found = roles.values_list("role", flat=True).first()
    return None if found is None else Role(found)


def rights(person: "Person", corpus: Corpus) -> frozenset[Right]:
    """What the person may do in the corpus; nothing for a stranger."""
    role = role_in(person, corpus)
    return frozenset() if role is None else RIGHTS[role]


def permissions(person: "Person", corpus: Corpus | None = None) -> Permissions:
    """What a page of this corpus, or of none, may offer to the person."""
    held = frozenset() if corpus is None else rights(person, corpus)
    return Permissions(**{right.value: True for right in held}, administer=is_administrator(person))


def corpus_of(row: Model) -> Corpus:
    """The corpus that a row lies in."""
    found: object = row
    for name in _CORPUS_OF[row._meta.model_name or ""]:  # noqa: SLF001
        found = getattr(found, name)
    if not isinstance(found, Corpus):
        raise TypeError(f"{row} lies in no corpus")
    return found


def require(person: "Person", corpus: Corpus, right: Right) -> None:
    """Raise ``NotAllowedError`` with a sentence unless the person has the right in the corpus."""
    if right not in rights(person, corpus):
        raise NotAllowedError(REFUSALS.get(right, REFUSALS[Right.OWN]).format(corpus=corpus))


def fetch(rows: QuerySet[Row], person: "Person", right: Right = Right.SEE, **lookup: object) -> Row:
    """The one row of the lookup.

    Raises the model's ``DoesNotExist`` where there is none, or where the person may not know of it, and
    ``NotAllowedError`` where they may see it but not do what needs the right.
    """
    row = visible(rows, person).get(**lookup)
    if right != Right.SEE:
        require(person, corpus_of(row), right)
    return row
